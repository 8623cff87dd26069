-- What the code defines, with full names: select * from symbols where name = 'open';
create view symbols as
select
    s.id, f.path, s.kind, s.name,
    (with recursive enclosing (id, parent, qualified) as (
            select s.id, s.parent, s.spelled
            union all
            select p.id, p.parent, p.spelled || '.' || e.qualified
            from enclosing e
            join code_symbols p on p.id = e.parent
            limit 100
        )
        select qualified from enclosing order by length(qualified) desc limit 1) as qualified,
    s.line, s.end_line, s.flags
from code_symbols s
join code_files f on f.id = s.file;
