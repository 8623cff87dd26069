-- What stands around places in the code, for recall and predictions: asked by memkit/codegraph/query/nodes.py only.

-- name: links(path)
-- Files that a file is linked with by the code, both ways, and by how many references.
with own (id) as (
    select id from code_files where middle = substr(:path, length(:path) / 2, 8) and path = :path
    union all
    select s.id
    from code_files f
    cross join json_each(f.nodes) run
    cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
    where f.middle = substr(:path, length(:path) / 2, 8) and f.path = :path
)
select f.path, sum(l.times) as times
from (
    select coalesce(s.file, e.target) as file, count(*) as times
    from own
    cross join code_edges e on e.source = own.id
    left join code_symbols s on s.id = e.target
    group by 1
    union all
    select coalesce(s.file, e.source) as file, count(*) as times
    from own
    cross join code_used u on u.target = own.id
    cross join code_edges e on e.target = own.id and e.source in (
        select sum(value) over (order by key) from json_each(u.sources))
    left join code_symbols s on s.id = e.source
    group by 1
) l
join code_files f on f.id = l.file
where f.path <> :path
group by f.path;

-- name: used_symbols(paths, limit)
-- Symbols of the files of the JSON list :paths that most of the code leans on, file by file.
select f.path, s.name, p.name as parent, json_array_length(u.sources) as times
from json_each(:paths) wanted
join code_files f on f.middle = substr(wanted.value, length(wanted.value) / 2, 8) and f.path = wanted.value
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
join code_used u on u.target = s.id
left join code_symbols p on p.id = s.parent
order by wanted.key, times desc, s.id
limit :limit;

-- name: steps(nodes, fanout)
-- Edges of the JSON list of nodes :nodes that are certain, the first :fanout of a node in each direction.
with wanted(node) as materialized (
    select value
    from json_each(:nodes)
)
select w.node as from_node, s.parent as to_node, 'contains' as kind, 0 as forward
from wanted w
join code_symbols s on s.id = w.node
union all
select w.node, s.id, 'contains', 1
from wanted w
left join code_symbols own on own.id = w.node
join code_symbols s on s.id in (
    select x.id
    from code_files f
    cross join json_each(f.nodes) run
    cross join code_symbols x on x.id between run.value ->> 0 and run.value ->> 1
    where f.id = coalesce(own.file, w.node) and x.parent = w.node
    order by x.id limit :fanout)
union all
select w.node, e.target, k.kind, 1
from wanted w
join code_edges e on e.source = w.node and (e.target, e.place) in (
    select x.target, x.place from code_edges x where x.source = w.node limit :fanout)
join code_relations k on k.id = e.relation and k.state = 'resolved'
union all
select w.node, e.source, k.kind, 0
from wanted w
cross join code_used u on u.target = w.node
cross join code_edges e on e.target = w.node and e.source in (
    select sum(value) over (order by key) from json_each(u.sources) limit :fanout)
join code_relations k on k.id = e.relation and k.state = 'resolved';

-- name: labels(nodes)
-- Names of the files and symbols of the JSON list of nodes :nodes.
select f.id, f.path as label
from json_each(:nodes) wanted
join code_files f on f.id = wanted.value
union all
select s.id, s.name
from json_each(:nodes) wanted
join code_symbols s on s.id = wanted.value;
