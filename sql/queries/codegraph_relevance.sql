-- Where in the code something is dealt with.

-- name: unread()
-- Files whose words are not those of their content any more.
select f.id, f.path, f.hash, f.lines
from code_files f
left join code_words w on w.file = f.id
where f.status = 'parsed' and (w.file is null or w.hash is not f.hash)
order by f.id;

-- name: names_in(files)
-- Names that the files of the JSON list :files define.
select s.file, s.name
from json_each(:files) wanted
join code_files f on f.id = wanted.value
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
order by s.id;

-- name: put_words(file, hash, words, bits)
-- Keep the words of a file.
insert into code_words (file, hash, words, bits)
values (:file, :hash, :words, :bits)
on conflict (file) do update set hash = excluded.hash, words = excluded.words, bits = excluded.bits;

-- name: drop_words()
-- Forget the words of files that are gone or not read any more.
delete from code_words
where file not in (select id from code_files where status = 'parsed');

-- name: sizes()
-- Two numbers that change when a file comes or goes.
select count(*) as files, coalesce(sum(id), 0) as ids
from code_files
where status in ('parsed', 'listed');

-- name: words()
-- Every file with its words; one that was not parsed has only its path.
select f.id, f.path, f.lines, coalesce(w.words, x'') as words, coalesce(w.bits, x'') as bits
from code_files f
left join code_words w on w.file = f.id
where f.status in ('parsed', 'listed')
order by f.path;

-- name: defined(names, limit)
-- Symbols that have a name of the JSON list :names.
select s.name, s.id, s.file
from json_each(:names) wanted
cross join code_alike a on a.middle = substr(wanted.value, length(wanted.value) / 2, 3)
cross join code_symbols s on s.id in (select sum(value) over (order by key) from json_each(a.symbols))
    and s.name = wanted.value
order by s.id
limit :limit;

-- name: beside(files, limit)
-- Pairs of a file of the JSON list :files and another one that it uses (forward 1) or is used by (0).
with
wanted(file) as materialized (
    select value
    from json_each(:files)
),
nodes(file, node) as materialized (
    select file, file
    from wanted
    union all
    select f.id, s.id
    from wanted w
    join code_files f on f.id = w.file
    cross join json_each(f.nodes) run
    cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
)
select distinct n.file, coalesce(t.file, e.target) as other, 1 as forward
from nodes n
join code_edges e on e.source = n.node
left join code_symbols t on t.id = e.target
where other <> n.file
union all
select distinct n.file, coalesce(s.file, e.source), 0
from nodes n
cross join code_used u on u.target = n.node
cross join code_edges e on e.target = u.target and e.source in (
    select sum(value) over (order by key) from json_each(u.sources))
left join code_symbols s on s.id = e.source
where coalesce(s.file, e.source) <> n.file
limit :limit;

-- name: symbols_of(files)
-- What the files of the JSON list :files define, with how many nodes have an edge to each.
select s.file, s.id, s.parent, s.name, k.kind, k.flags, s.line, s.end_line,
    coalesce(json_array_length(u.sources), 0) as used
from json_each(:files) wanted
join code_files f on f.id = wanted.value
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
left join code_used u on u.target = s.id
join code_sorts k on k.id = s.sort
order by s.id;

-- name: most_used(limit)
-- Parsed files by how many edges from other files lead to them and to what they define, most first.
with used(file, edges) as (
    select coalesce(t.file, e.target), count(*)
    from code_edges e
    left join code_symbols t on t.id = e.target
    left join code_symbols s on s.id = e.source
    where coalesce(s.file, e.source) <> coalesce(t.file, e.target)
    group by 1
)
select f.id, f.path, coalesce(u.edges, 0) as used
from code_files f
left join used u on u.file = f.id
where f.status = 'parsed'
order by used desc, f.path
limit :limit;
