-- What memories are about in the code: names to places, and what became of the places.

-- name: has_code()
-- Whether there is a code graph at all.
select exists (select 1 from code_state where name = 'root');

-- name: has_source()
-- Whether there is any file in a language in the code graph.
select exists (select 1 from code_files where language <> '');

-- name: root()
-- The folder from which paths count, as JSON, relative to the store's.
select value
from code_state
where name = 'root';

-- name: files_at(paths)
-- Files of the JSON list :paths, with the hash of their content, what tells that it changed, and why they
-- are not parsed, if they are not.
select f.path, f.id, lower(hex(f.hash)) as hash, f.size, f.stamp, f.reason
from json_each(:paths) requested
join code_files f on f.path = requested.value;

-- name: files_called(names, limit)
-- Files whose path ends with one of the JSON list :names, after a slash.
select requested.value as name, f.path, f.id, lower(hex(f.hash)) as hash
from code_files f
join json_each(:names) requested
where substr(f.path, -length(requested.value) - 1) = '/' || requested.value
order by f.path
limit :limit;

-- name: files_holding(hashes)
-- Files whose content has a hash of the JSON list :hashes.
select lower(hex(hash)) as hash, path
from code_files
where lower(hex(hash)) in (select value from json_each(:hashes))
order by path;

-- name: paths()
-- Every file's path, for names of modules.
select path, id
from code_files
where status = 'parsed'
order by path;

-- name: symbols_named(names, limit)
-- Symbols that have a name of the JSON list :names, at most :limit of each.
select s.id
from json_each(:names) requested
join code_symbols s on s.id in (
    select x.id
    from code_symbols x
    where x.name = requested.value
    order by x.id limit :limit);

-- name: symbols_at(places)
-- Symbols that have a name in a file: :places is a JSON list of [path, name].
select s.id
from json_each(:places) requested
join code_files f on f.path = requested.value ->> 0
cross join code_symbols s on s.file = f.id
    and +s.name = requested.value ->> 1;

-- name: symbols_with_text(texts)
-- Symbols of several lines that read like this whatever they are called: :texts is a JSON list of [path, digest].
select s.id
from json_each(:texts) requested
join code_files f on f.path = requested.value ->> 0
cross join code_symbols s on s.file = f.id
    and printf('%08x', s.digest) = requested.value ->> 1
    and s.end_line > s.line;

-- name: places(nodes)
-- Where the symbols of the JSON list :nodes are, their qualified names, the digests of their texts, their kinds.
with recursive
spelt(id, parent, qualname, depth) as (
    select s.id, s.parent, s.spelled, 0
    from json_each(:nodes) requested
    join code_symbols s on s.id = requested.value
    union all
    select p.id, s.parent, s.spelled || '.' || p.qualname, p.depth + 1
    from spelt p
    join code_symbols s on s.id = p.parent
    where p.depth < 30
)
select f.path, n.id, p.qualname, printf('%08x', n.digest) as digest, n.line, n.kind
from spelt p
cross join code_symbols n on n.id = p.id
join code_files f on f.id = n.file
where p.parent = n.file
order by n.id;

-- name: names_only(paths)
-- What memories are about of which nothing but the name was known: all, or those in files of the JSON list :paths.
select memory_id, path, symbol
from anchors
where symbol_hash is null and (:paths is null or path in (select value from json_each(:paths)))
order by memory_id, path, symbol;

-- name: set_anchor(id, name, part, path, symbol, hash, at)
-- What a memory is about by the name :name and the symbol :part in it is this, as it was first seen.
insert into anchors (memory_id, path, symbol, symbol_hash, noted_at)
select memory_id, :path, :symbol, :hash, :at
from anchors
where memory_id = :id and path = :name and symbol = :part and symbol_hash is null
on conflict (memory_id, path, symbol) do update set
    symbol_hash = excluded.symbol_hash, noted_at = excluded.noted_at
    where symbol_hash is null;

-- name: drop_name(id, name, part)
-- A memory is not about a bare name any more, but about what it means.
delete from anchors
where memory_id = :id and path = :name and symbol = :part and symbol_hash is null;
