-- What stands around files in the code, for predictions: asked by memkit/codegraph/around.py only.

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
