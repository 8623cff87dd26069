-- Who calls what, and where: select * from callers where callee = 'open';
create view callers as
select
    t.name as callee, tf.path as callee_path, coalesce(s.name, '') as caller, sf.path as path, e.line,
    r.how, r.state
from code_edges e
join code_relations r on r.id = e.relation and r.kind = 'calls'
join code_symbols t on t.id = e.target
join code_files tf on tf.id = t.file
left join code_symbols s on s.id = e.source
join code_files sf on sf.id = coalesce(s.file, e.source);
