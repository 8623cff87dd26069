-- Who calls what, and where: select * from callers where callee = 'open';
create view callers as
select
    t.name as callee, coalesce(tp.name || '.', '') || t.spelled as qualified,
    tf.path as callee_path,
    coalesce(coalesce(sp.name || '.', '') || s.spelled, '') as caller,
    sf.path as path, l.value as line, r.tier, r.state
from code_symbols t
join code_edges e on e.target = t.id
join json_each('[' || e.lines || ']') l
join code_relations r on r.id = e.relation and r.kind = 'calls'
join code_files tf on tf.id = t.file
left join code_symbols tp on tp.id = t.parent
left join code_symbols s on s.id = e.source
left join code_symbols sp on sp.id = s.parent
join code_files sf on sf.id = coalesce(s.file, e.source);
