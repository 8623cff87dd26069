-- The code graph: what is known of the tree, writing it, and the questions. Lists of nodes are read
-- before the rows that they name: `cross join` holds that order.

-- name: state()
-- What the graph as a whole was made from.
select name, value
from code_state;

-- name: set_state(name, value)
-- One word of it.
insert into code_state (name, value)
values (:name, :value)
on conflict (name) do update set value = excluded.value;

-- name: files()
-- Every file that was looked at.
select id, path, language, namespace, status, reason, size, stamp, hash, lines, errors, nodes
from code_files;

-- name: put_file(id, path, language, namespace, status, reason, size, stamp, hash, lines, errors, nodes, resolved, ambiguous, unresolved)
-- One file; what its references came to is kept if null is given for it.
insert into code_files (
    id, path, language, namespace, status, reason, size, stamp, hash, lines, errors, nodes,
    resolved, ambiguous, unresolved)
values (
    :id, :path, :language, :namespace, :status, :reason, :size, :stamp, :hash, :lines, :errors, :nodes,
    coalesce(:resolved, 0), coalesce(:ambiguous, 0), coalesce(:unresolved, 0))
on conflict (id) do update set
    path = excluded.path, language = excluded.language, namespace = excluded.namespace,
    status = excluded.status, reason = excluded.reason, size = excluded.size,
    stamp = excluded.stamp, hash = excluded.hash, lines = excluded.lines, errors = excluded.errors,
    nodes = excluded.nodes, resolved = coalesce(:resolved, resolved),
    ambiguous = coalesce(:ambiguous, ambiguous), unresolved = coalesce(:unresolved, unresolved);

-- name: set_counts(id, resolved, ambiguous, unresolved)
-- What the references in a file came to.
update code_files
set resolved = :resolved, ambiguous = :ambiguous, unresolved = :unresolved
where id = :id;

-- name: drop_files(ids)
-- Forget files.
delete from code_files
where id in (select value from json_each(:ids));

-- name: sorts()
-- What symbols can be.
select id, kind, flags
from code_sorts;

-- name: add_sort(id, kind, flags)
-- Something that symbols can be.
insert into code_sorts (id, kind, flags)
values (:id, :kind, :flags);

-- name: relations()
-- What edges can be.
select id, kind, how, state
from code_relations;

-- name: add_relation(id, kind, how, state)
-- Something that edges can be.
insert into code_relations (id, kind, how, state)
values (:id, :kind, :how, :state);

-- name: symbols_of(files)
-- The symbols of files, in the order of their ids.
select s.file, s.id, s.parent, s.sort, s.name, s.line, s.end_line, s.digest, s.owner
from json_each(:files) wanted
join code_files f on f.id = wanted.value
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
order by s.id;

-- name: put_symbol(id, file, parent, sort, name, line, end_line, digest, owner)
-- One symbol.
insert into code_symbols (id, from_file, from_parent, sort, name, line, more_lines, digest, owner)
values (:id, :id - :file, :id - :parent, :sort, :name, :line, :end_line - :line, :digest, :owner)
on conflict (id) do update set
    from_file = excluded.from_file, from_parent = excluded.from_parent, sort = excluded.sort,
    name = excluded.name, owner = excluded.owner, line = excluded.line, more_lines = excluded.more_lines,
    digest = excluded.digest;

-- name: drop_symbols(ids)
-- Forget symbols.
delete from code_symbols
where id in (select value from json_each(:ids));

-- name: edges_of(file)
-- Edges that leave a file and its symbols.
select e.source, e.target, e.place
from code_edges e
where e.source = :file
union all
select e.source, e.target, e.place
from code_files f
cross join json_each(f.nodes) run
cross join code_edges e on e.source between run.value ->> 0 and run.value ->> 1
where f.id = :file;

-- name: pairs_with(ids)
-- Nodes that an edge leads from and to, at least one of each pair being given; some may come twice.
select e.source, e.target
from json_each(:ids) wanted
join code_edges e on e.source = wanted.value
union all
select e.source, e.target
from json_each(:ids) wanted
cross join code_used u on u.target = wanted.value
cross join code_edges e on e.target = u.target and e.source in (
    select sum(value) over (order by key) from json_each(u.sources));

-- name: add_edge(source, target, place)
-- One edge.
insert into code_edges (source, target, place)
values (:source, :target, :place);

-- name: drop_edge(source, target, place)
-- Remove one edge.
delete from code_edges
where source = :source and target = :target and place = :place;

-- name: drop_edges(source, target)
-- Remove all edges from one node to another.
delete from code_edges
where source = :source and target = :target;

-- name: used(keys)
-- The nodes with an edge to each node, as they are stored.
select u.target, u.sources
from json_each(:keys) wanted
join code_used u on u.target = wanted.value;

-- name: put_used(key, nodes)
-- The nodes with an edge to one node.
insert into code_used (target, sources)
values (:key, :nodes)
on conflict (target) do update set sources = excluded.sources;

-- name: drop_used(keys)
-- Forget who has an edge to nodes.
delete from code_used
where target in (select value from json_each(:keys));

-- name: alike(keys)
-- The symbols whose names have each middle, as they are stored.
select a.middle, a.symbols
from json_each(:keys) wanted
join code_alike a on a.middle = wanted.value;

-- name: put_alike(key, nodes)
-- The symbols whose names have one middle.
insert into code_alike (middle, symbols)
values (:key, :nodes)
on conflict (middle) do update set symbols = excluded.symbols;

-- name: drop_alike(keys)
-- Forget the symbols whose names have a middle.
delete from code_alike
where middle in (select value from json_each(:keys));

-- name: facts(file)
-- What other files read of a file, in pieces, each with the names of its symbols in the order of its text.
select c.facts,
    (select json_group_array(s.name order by run.key, s.id)
        from code_files f
        cross join json_each(f.nodes) run
        cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
        where f.id = :file) as names
from code_facts c
where c.file = :file
order by c.part;

-- name: files_with_facts()
-- The files that others read.
select distinct file
from code_facts;

-- name: add_facts(file, part, facts)
-- A piece of what other files read of a file.
insert into code_facts (file, part, facts)
values (:file, :part, :facts);

-- name: drop_facts(ids)
-- Forget what files say.
delete from code_facts
where file in (select value from json_each(:ids));

-- name: reads()
-- Which names of other files the edges of each file were made from.
select file, keys
from code_reads;

-- name: put_reads(file, keys)
-- Which names of other files the edges of a file were made from.
insert into code_reads (file, keys)
values (:file, :keys)
on conflict (file) do update set keys = excluded.keys;

-- name: drop_reads(ids)
-- Forget what files read.
delete from code_reads
where file in (select value from json_each(:ids));

-- name: named(name)
-- Every symbol of a name.
select f.path, s.id, t.kind
from code_alike a
cross join code_symbols s on s.id in (select sum(value) over (order by key) from json_each(a.symbols))
join code_files f on f.id = s.file
join code_sorts t on t.id = s.sort
where a.middle = substr(:name, length(:name) / 2, 3) and s.name = :name
order by f.path, s.id;

-- name: sizes()
-- How many symbols and edges there are.
select
    (select count(*) from code_symbols) as symbols,
    (select count(*) from code_edges) as edges;

-- name: into(ids, kinds, candidates)
-- Edges that lead to nodes: the far end first.
select e.source, e.target, r.kind, r.how, r.state, coalesce(s.line, 1) + e.below as line
from json_each(:ids) wanted
cross join code_used u on u.target = wanted.value
cross join code_edges e on e.target = u.target and e.source in (
    select sum(value) over (order by key) from json_each(u.sources))
join code_relations r on r.id = e.relation
left join code_symbols s on s.id = e.source
where r.kind in (select value from json_each(:kinds)) and (:candidates or r.state = 'resolved');

-- name: out_of(ids, kinds, candidates)
-- Edges that leave nodes: the far end first.
select e.target, e.source, r.kind, r.how, r.state, coalesce(s.line, 1) + e.below as line
from json_each(:ids) wanted
cross join code_edges e on e.source = wanted.value
join code_relations r on r.id = e.relation
left join code_symbols s on s.id = e.source
where r.kind in (select value from json_each(:kinds)) and (:candidates or r.state = 'resolved');

-- name: nodes(ids)
-- Symbols and files by id, with the file that each is in.
select s.id, t.kind, s.name, s.parent, f.path, f.language, s.line, s.end_line, t.flags, s.digest, s.file
from json_each(:ids) wanted
join code_symbols s on s.id = wanted.value
join code_sorts t on t.id = s.sort
join code_files f on f.id = s.file
union all
select f.id, 'file', '', 0, f.path, f.language, 0, f.lines, '', 0, f.id
from json_each(:ids) wanted
join code_files f on f.id = wanted.value;

-- name: around(ids)
-- Symbols and all that are around them, with parent and name after the owner's.
with recursive up(id) as (
    select value
    from json_each(:ids)
    union
    select s.parent
    from up
    join code_symbols s on s.id = up.id
    limit 100000
)
select s.id, s.parent, s.spelled
from up
join code_symbols s on s.id = up.id;

-- name: exactly(name)
-- Symbols of a name.
select s.id
from code_alike a
cross join code_symbols s on s.id in (select sum(value) over (order by key) from json_each(a.symbols))
where a.middle = substr(:name, length(:name) / 2, 3) and s.name = :name
order by s.id;

-- name: exactly_in(file, name)
-- Symbols of a name in one file.
select s.id
from code_files f
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
where f.id = :file and +s.name = :name
order by s.id;

-- name: exactly_under(name, around)
-- Symbols of a name inside something of another name: a symbol, the file's namespace, a part of its path.
select s.id
from code_alike a
cross join code_symbols s on s.id in (select sum(value) over (order by key) from json_each(a.symbols))
join code_files f on f.id = s.file
left join code_symbols p on p.id = s.parent
where a.middle = substr(:name, length(:name) / 2, 3) and s.name = :name
    and (p.name = :around or substr('.' || s.owner, -length(:around) - 1) = '.' || :around
        or p.id is null and s.owner is null
            and (instr(f.path, :around) > 0 or substr('.' || f.namespace, -length(:around) - 1) = '.' || :around))
order by s.id;

-- name: names_like(word, limit)
-- Names that have a word in them, whatever the case; the shortest first.
select distinct name
from code_symbols
where instr(lower(name), lower(:word)) > 0
order by length(name), name
limit :limit;

-- name: names_near(shortest, longest, letters, limit)
-- Names between two lengths that begin with one of a JSON list of letters.
select distinct name
from code_symbols
where length(name) between :shortest and :longest
    and lower(substr(name, 1, 1)) in (select value from json_each(:letters))
limit :limit;

-- name: file(path)
-- One file.
select id, path, language, namespace, status, reason, size, stamp, hash, lines, errors, nodes
from code_files
where middle = substr(:path, length(:path) / 2, 8) and path = :path;

-- name: paths_ending(ending, limit)
-- Files whose path ends so.
select id, path, language, lines
from code_files
where substr(path, -length(:ending)) = :ending and status <> 'skipped'
order by length(path), path
limit :limit;

-- name: ids_in(file)
-- The symbols of a file in the order of its text.
select s.id
from code_files f
cross join json_each(f.nodes) run
cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
where f.id = :file
order by s.line, s.id;

-- name: files_used(files)
-- Files that others lean on: from, to, the relation that says most and its first line.
with inside as (
    select value as file, value as node
    from json_each(:files)
    union all
    select f.id, s.id
    from json_each(:files) wanted
    join code_files f on f.id = wanted.value
    cross join json_each(f.nodes) run
    cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
)
select i.file, coalesce(t.file, e.target) as used, r.kind, r.how, r.state,
    min(coalesce(s.line, 1) + e.below) as line
from inside i
cross join code_edges e on e.source = i.node
join code_relations r on r.id = e.relation and r.state = 'resolved'
left join code_symbols s on s.id = e.source
left join code_symbols t on t.id = e.target
where coalesce(t.file, e.target) <> i.file
group by i.file, used
order by i.file, line;

-- name: files_using(files)
-- Files that lean on others: the one leant on, from, the relation and its first line.
with inside as (
    select value as file, value as node
    from json_each(:files)
    union all
    select f.id, s.id
    from json_each(:files) wanted
    join code_files f on f.id = wanted.value
    cross join json_each(f.nodes) run
    cross join code_symbols s on s.id between run.value ->> 0 and run.value ->> 1
)
select i.file, coalesce(s.file, e.source) as user, r.kind, r.how, r.state,
    min(coalesce(s.line, 1) + e.below) as line
from inside i
cross join code_used u on u.target = i.node
cross join code_edges e on e.target = u.target and e.source in (
    select sum(value) over (order by key) from json_each(u.sources))
join code_relations r on r.id = e.relation and r.state = 'resolved'
left join code_symbols s on s.id = e.source
where coalesce(s.file, e.source) <> i.file
group by i.file, user
order by i.file, line;

-- name: coverage()
-- Files, those parsed, and references in them.
select
    count(*) as files, coalesce(sum(status = 'parsed'), 0) as parsed,
    coalesce(sum(resolved), 0) as resolved, coalesce(sum(ambiguous), 0) as ambiguous,
    coalesce(sum(unresolved), 0) as unresolved
from code_files;

-- name: left_out()
-- Files that are not in the graph: path, status and reason.
select path, status, reason
from code_files
where status in ('skipped', 'failed')
order by path;

-- name: by_kind()
-- How many symbols there are of each kind.
select t.kind, count(*) as symbols
from code_symbols s
join code_sorts t on t.id = s.sort
group by t.kind
order by symbols desc;

-- name: by_language()
-- How many parsed files there are in each language.
select language, count(*) as files
from code_files
where status = 'parsed'
group by language
order by files desc;

-- name: odd_rows()
-- Symbols outside of parsed files or not found by their names, edges without an end or not the same both ways,
-- rows of no known sort or relation.
select
    (select count(*)
        from code_symbols s
        left join code_files f on f.id = s.file and f.status = 'parsed'
        where f.id is null)
        + abs((select count(*) from code_symbols)
            - (select coalesce(sum(json_array_length(symbols)), 0) from code_alike))
        + (select count(*)
            from code_alike a
            where json_array_length(a.symbols) <> (
                select count(*)
                from code_symbols s
                where s.id in (select sum(value) over (order by key) from json_each(a.symbols))
                    and substr(s.name, length(s.name) / 2, 3) = a.middle)) as symbols,
    (select count(*)
        from code_edges e
        where not exists (select 1 from code_symbols s where s.id = e.source)
                and not exists (select 1 from code_files f where f.id = e.source)
            or not exists (select 1 from code_symbols s where s.id = e.target)
                and not exists (select 1 from code_files f where f.id = e.target))
        + abs((select count(*) from (select distinct source, target from code_edges))
            - (select coalesce(sum(json_array_length(sources)), 0) from code_used))
        + (select count(*)
            from code_used u
            where json_array_length(u.sources) <> (
                select count(distinct e.source)
                from code_edges e
                where e.target = u.target
                    and e.source in (select sum(value) over (order by key) from json_each(u.sources)))) as edges,
    (select count(*) from code_symbols where sort not in (select id from code_sorts))
        + (select count(*) from code_edges where relation not in (select id from code_relations)) as words;

-- name: files_with_nodes()
-- Each parsed file with its symbols as it lists them, and as they are.
select f.path, f.nodes, coalesce(i.ids, '[]') as ids
from code_files f
left join (select file, json_group_array(id) as ids from code_symbols group by file) i on i.file = f.id
where f.status = 'parsed';

-- name: forget_edges()
-- Empty the table.
delete from code_edges;

-- name: forget_used()
-- Empty the table.
delete from code_used;

-- name: forget_symbols()
-- Empty the table.
delete from code_symbols;

-- name: forget_alike()
-- Empty the table.
delete from code_alike;

-- name: forget_facts()
-- Empty the table.
delete from code_facts;

-- name: forget_reads()
-- Empty the table.
delete from code_reads;

-- name: forget_files()
-- Empty the table.
delete from code_files;

-- name: forget_state()
-- Empty the table.
delete from code_state;

-- name: pack_edges()
-- Build the trees of the edges anew, which fills their pages.
reindex code_edges;

-- name: pack_facts()
-- Build the tree of the facts anew, which fills its pages.
reindex code_facts;

-- name: pack_files()
-- Build the index of the files anew, which fills its pages.
reindex code_files;

-- name: pack_names()
-- Build the tree of what names are found by anew, which fills its pages.
reindex code_alike;
