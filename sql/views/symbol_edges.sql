-- Every edge of the code graph, by names: select * from symbol_edges where target = 'Base' and kind = 'inherits';
create view symbol_edges as
select
    r.kind, coalesce(s.name, '') as source, sf.path as source_path, l.value as line,
    coalesce(t.name, '') as target, tf.path as target_path, r.tier, r.state
from code_edges e
join json_each('[' || e.lines || ']') l
join code_relations r on r.id = e.relation
left join code_symbols s on s.id = e.source
join code_files sf on sf.id = coalesce(s.file, e.source)
left join code_symbols t on t.id = e.target
join code_files tf on tf.id = coalesce(t.file, e.target);
