-- Where in the code something is dealt with.

-- name: files_without_terms()
-- Files whose terms are not those of their content any more.
select f.id, f.path, f.hash, f.lines
from code_files f
left join code_terms t on t.file = f.id
where f.status = 'parsed' and (t.file is null or t.hash is not f.hash)
order by f.id;

-- name: names_in(files)
-- Names that the files of the JSON list :files define.
select s.file, s.name
from json_each(:files) requested
cross join code_symbols s on s.file = requested.value
order by s.id;

-- name: put_terms(file, hash, terms, bits)
-- Keep the terms of a file.
insert into code_terms (file, hash, terms, bits)
values (:file, :hash, :terms, :bits)
on conflict (file) do update set hash = excluded.hash, terms = excluded.terms, bits = excluded.bits;

-- name: drop_terms()
-- Forget the terms of files that are gone or not read any more.
delete from code_terms
where file not in (select id from code_files where status = 'parsed');

-- name: sizes()
-- Two numbers that change when a file comes or goes.
select count(*) as files, coalesce(sum(id), 0) as ids
from code_files
where status in ('parsed', 'listed');

-- name: terms()
-- Every file with its terms; one that was not parsed has only its path.
select f.id, f.path, f.lines, coalesce(t.terms, x'') as terms, coalesce(t.bits, x'') as bits
from code_files f
left join code_terms t on t.file = f.id
where f.status in ('parsed', 'listed')
order by f.path;

-- name: symbols_named(names, limit)
-- Symbols that have a name of the JSON list :names.
select s.name, s.id, s.file
from json_each(:names) requested
cross join code_symbols s on s.name = requested.value
order by s.id
limit :limit;

-- name: generation()
-- A number that changes whenever the graph is written.
select value
from code_state
where name = 'generation';

-- name: adjacent_files(file, limit)
-- The files that a file uses (forward 1), then those that use it (0).
with nodes(node) as materialized (
    select :file
    union all
    select id
    from code_symbols
    where file = :file
)
select distinct coalesce(t.file, e.target) as other, 1 as forward
from nodes n
cross join code_edges e on e.source = n.node
left join code_symbols t on t.id = e.target
where other <> :file
union all
select distinct coalesce(s.file, e.source), 0
from nodes n
cross join code_edges e on e.target = n.node
left join code_symbols s on s.id = e.source
where coalesce(s.file, e.source) <> :file
limit :limit;

-- name: symbols_in(files)
-- What the files of the JSON list :files define.
select s.file, s.id, s.parent, s.name, s.kind, s.flags, s.line, s.end_line
from json_each(:files) requested
cross join code_symbols s on s.file = requested.value
order by s.id;

-- name: users(symbols)
-- How many nodes have an edge to each symbol of the JSON list :symbols that any has.
select e.target, count(distinct e.source) as used
from json_each(:symbols) requested
cross join code_edges e on e.target = requested.value
group by e.target;

-- name: symbols_of(files)
-- What the files of the JSON list :files define, with how many nodes have an edge to each.
select s.file, s.id, s.parent, s.name, s.kind, s.flags, s.line, s.end_line,
    (select count(distinct e.source) from code_edges e where e.target = s.id) as used
from json_each(:files) requested
cross join code_symbols s on s.file = requested.value
order by s.id;

-- name: file_weights()
-- Parsed files with what tells how much of the tree hangs together through each: its lines, how many files
-- refer to it and it refers to, and whether it defines anything that runs.
with pairs(source, target) as materialized (
    select distinct coalesce(s.file, e.source), coalesce(t.file, e.target)
    from code_edges e
    left join code_symbols t on t.id = e.target
    left join code_symbols s on s.id = e.source
),
users(file, files) as materialized (
    select target, count(*)
    from pairs
    where source <> target
    group by target
),
used(file, files) as materialized (
    select source, count(*)
    from pairs
    where source <> target
    group by source
)
select f.id, f.path, f.lines, coalesce(users.files, 0) as users, coalesce(used.files, 0) as used,
    exists (
        select 1
        from code_symbols s
        where s.file = f.id and s.kind not in ('variable', 'section')) as runs
from code_files f
left join users on users.file = f.id
left join used on used.file = f.id
where f.status = 'parsed'
order by f.path;
