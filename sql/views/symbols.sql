-- What the code defines, with full names: select * from symbols where name = 'open';
create view symbols as
with recursive named (id, at, qualified, depth) as (
    select id, parent, spelled, 1
    from code_symbols
    union all
    select n.id, s.parent, s.spelled || '.' || n.qualified, n.depth + 1
    from named n
    join code_symbols s on s.id = n.at
    where n.depth < 20
)
select s.id, f.path, t.kind, s.name, n.qualified, s.line, s.end_line, t.flags
from named n
join code_symbols s on s.id = n.id
join code_sorts t on t.id = s.sort
join code_files f on f.id = s.file
where n.at = s.file or n.at not in (select id from code_symbols);
