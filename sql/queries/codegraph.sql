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
select id, path, language, namespace, status, reason, size, stamp, hash, lines, errors
from code_files;

-- name: put_file(id, path, language, namespace, status, reason, size, stamp, hash, lines, errors, resolved, ambiguous, unresolved)
-- One file; what its references came to is kept if null is given for it.
insert into code_files (
    id, path, language, namespace, status, reason, size, stamp, hash, lines, errors,
    resolved, ambiguous, unresolved)
values (
    :id, :path, :language, :namespace, :status, :reason, :size, :stamp, :hash, :lines, :errors,
    coalesce(:resolved, 0), coalesce(:ambiguous, 0), coalesce(:unresolved, 0))
on conflict (id) do update set
    path = excluded.path, language = excluded.language, namespace = excluded.namespace,
    status = excluded.status, reason = excluded.reason, size = excluded.size,
    stamp = excluded.stamp, hash = excluded.hash, lines = excluded.lines, errors = excluded.errors,
    resolved = coalesce(:resolved, resolved), ambiguous = coalesce(:ambiguous, ambiguous),
    unresolved = coalesce(:unresolved, unresolved);

-- name: set_counts(id, resolved, ambiguous, unresolved)
-- What the references in a file came to.
update code_files
set resolved = :resolved, ambiguous = :ambiguous, unresolved = :unresolved
where id = :id;

-- name: drop_files(ids)
-- Forget files.
delete from code_files
where id in (select value from json_each(:ids));

-- name: relations()
-- What edges can be.
select id, kind, tier, state
from code_relations;

-- name: add_relation(id, kind, tier, state)
-- Something that edges can be.
insert into code_relations (id, kind, tier, state)
values (:id, :kind, :tier, :state);

-- name: symbols_of(files)
-- The symbols of files, in the order of their texts.
select s.id, s.file, s.parent, s.position, s.kind, s.flags, s.name, s.owner, s.line, s.end_line, s.digest
from json_each(:files) requested
cross join code_symbols s on s.file = requested.value
order by requested.key, s.position;

-- name: put_symbol(id, file, parent, position, kind, flags, name, owner, line, end_line, digest)
-- One symbol.
insert into code_symbols (id, file, parent, position, kind, flags, name, owner, line, end_line, digest)
values (:id, :file, :parent, :position, :kind, :flags, :name, :owner, :line, :end_line, :digest)
on conflict (id) do update set
    parent = excluded.parent, position = excluded.position, kind = excluded.kind, flags = excluded.flags,
    owner = excluded.owner, line = excluded.line, end_line = excluded.end_line, digest = excluded.digest;

-- name: drop_symbols(ids)
-- Forget symbols.
delete from code_symbols
where id in (select value from json_each(:ids));

-- name: edges_of(file)
-- Edges that leave a file and its symbols.
select e.source, e.target, e.relation, e.lines
from code_edges e
where e.source = :file
union all
select e.source, e.target, e.relation, e.lines
from code_symbols s
cross join code_edges e on e.source = s.id
where s.file = :file;

-- name: put_edge(source, target, relation, lines)
-- One edge.
insert into code_edges (source, target, relation, lines)
values (:source, :target, :relation, :lines)
on conflict (source, target, relation) do update set lines = excluded.lines;

-- name: drop_edge(source, target, relation)
-- Remove one edge.
delete from code_edges
where source = :source and target = :target and relation = :relation;

-- name: drop_edges_from(ids)
-- Remove the edges that leave nodes.
delete from code_edges
where source in (select value from json_each(:ids));

-- name: drop_edges_to(ids)
-- Remove the edges that lead to nodes.
delete from code_edges
where target in (select value from json_each(:ids));

-- name: facts(file)
-- What other files read of a file, in pieces, each with the names of its symbols in the order of its text.
select c.facts,
    (select json_group_array(s.name order by s.position) from code_symbols s where s.file = :file) as names
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

-- name: dependency_keys()
-- Which names of other files the edges of each file were made from.
select file, keys
from code_dependencies;

-- name: put_dependency_keys(file, keys)
-- Which names of other files the edges of a file were made from.
insert into code_dependencies (file, keys)
values (:file, :keys)
on conflict (file) do update set keys = excluded.keys;

-- name: drop_dependency_keys(ids)
-- Forget what the edges of files were made from.
delete from code_dependencies
where file in (select value from json_each(:ids));

-- name: definitions_named(name)
-- Every symbol of a name, by file and place in it.
select f.path, s.position, s.kind
from code_symbols s
join code_files f on f.id = s.file
where s.name = :name
order by f.path, s.position;

-- name: sizes()
-- How many symbols and edges there are.
select
    (select count(*) from code_symbols) as symbols,
    (select count(*) from code_edges) as edges;

-- name: edges_to(ids, kinds, candidates)
-- Edges that lead to nodes: the far end first.
select e.source, e.target, r.kind, r.tier, r.state, e.lines
from json_each(:ids) requested
cross join code_edges e on e.target = requested.value
join code_relations r on r.id = e.relation
where r.kind in (select value from json_each(:kinds)) and (:candidates or r.state = 'resolved')
order by requested.key, e.source, e.line, e.relation;

-- name: edges_from(ids, kinds, candidates)
-- Edges that leave nodes: the far end first.
select e.target, e.source, r.kind, r.tier, r.state, e.lines
from json_each(:ids) requested
cross join code_edges e on e.source = requested.value
join code_relations r on r.id = e.relation
where r.kind in (select value from json_each(:kinds)) and (:candidates or r.state = 'resolved')
order by requested.key, e.target, e.line, e.relation;

-- name: macros_calling(ids)
-- Functions, and the macros that call them, over any number of macros: whoever uses one of these calls them.
with recursive called(id) as (
    select value
    from json_each(:ids)
    union
    select s.id
    from called c
    cross join code_edges e on e.target = c.id
    join code_relations r on r.id = e.relation and r.kind = 'calls' and r.state = 'resolved'
    join code_symbols s on s.id = e.source and s.kind = 'function' and ' ' || s.flags || ' ' like '% macro %')
select id from called;

-- name: macros_called(ids)
-- Functions, and the macros that they call, over any number of macros: what these call, they call.
with recursive caller(id) as (
    select value
    from json_each(:ids)
    union
    select s.id
    from caller c
    cross join code_edges e on e.source = c.id
    join code_relations r on r.id = e.relation and r.kind = 'calls' and r.state = 'resolved'
    join code_symbols s on s.id = e.target and s.kind = 'function' and ' ' || s.flags || ' ' like '% macro %')
select id from caller;

-- name: lines_to_named(names)
-- Where everything stands that leads to a symbol of one of a JSON list of names.
select f.path, e.lines
from json_each(:names) requested
cross join code_symbols t on t.name = requested.value
cross join code_edges e on e.target = t.id
left join code_symbols s on s.id = e.source
join code_files f on f.id = coalesce(s.file, e.source);

-- name: import_lines(file)
-- The lines of a file that import something of the tree.
select e.lines
from code_edges e
join code_relations r on r.id = e.relation and r.kind = 'imports'
where e.source in (
    select :file
    union all
    select id
    from code_symbols
    where file = :file);

-- name: unresolved_files()
-- Files in which references are unresolved.
select id, path, language, namespace, status, reason, size, stamp, hash, lines, errors
from code_files
where unresolved > 0
order by path;

-- name: imported_files(path)
-- The files that a file imports, and all that these import.
with recursive reached(id) as (
    select id
    from code_files
    where path = :path
    union
    select f.id
    from reached
    cross join code_edges e on e.source = reached.id
    join code_relations r on r.id = e.relation and r.kind = 'imports'
    join code_files f on f.id = e.target
)
select f.path
from reached
join code_files f on f.id = reached.id;

-- name: inside(ids)
-- Nodes and everything that is inside of them.
with recursive down(id) as (
    select value
    from json_each(:ids)
    union
    select s.id
    from down
    left join code_symbols own on own.id = down.id
    cross join code_symbols s on s.file = coalesce(own.file, down.id) and s.parent = down.id
)
select id
from down;

-- name: members(ids)
-- What stands in classes, and what says elsewhere that it belongs to them, tests apart: in the same folder, or in any
-- file if no other class of the language has the name. Constants of an enumeration are bound around it where the
-- language does so, and stand inside of it all the same, if it has a name.
select m.id
from json_each(:ids) requested
cross join code_symbols c on c.id = requested.value
join code_files f on f.id = c.file
cross join code_symbols m
join code_files mf on mf.id = m.file
where m.parent = c.id and m.name not like '<%' and not (m.kind = 'function' and ' ' || m.flags || ' ' like '% test %')
    and not (
        m.kind = 'variable' and ' ' || m.flags || ' ' like '% enum %' and ' ' || c.flags || ' ' not like '% enum %'
        and exists (
            select 1
            from code_symbols x
            where x.file = c.file and x.parent = c.id and ' ' || x.flags || ' ' like '% enum %' and x.kind = 'class'
                and m.line between x.line and x.end_line))
    or m.parent = c.parent and ' ' || m.flags || ' ' like '% enum %' and m.kind = 'variable'
        and ' ' || c.flags || ' ' like '% enum %' and m.line between c.line and c.end_line
    or substr('.' || m.owner, -length(c.name) - 1) = '.' || c.name and m.parent <> c.id
        and mf.language = f.language and ' ' || m.flags || ' ' not like '% test %'
        and (rtrim(mf.path, replace(mf.path, '/', '')) = rtrim(f.path, replace(f.path, '/', ''))
            or not exists (
                select 1
                from code_symbols x
                join code_files xf on xf.id = x.file
                where x.name = c.name and x.kind = 'class' and x.id <> c.id and xf.language = f.language))
order by requested.key, mf.path, m.position;

-- name: is_there(path)
-- Whether the graph has a file of a path, or one below it.
select 1
from code_files
where path = :path or substr(path, 1, length(:path) + 1) = :path || '/'
limit 1;

-- name: unused(path, kind, apart, data)
-- Symbols below a path ('': all) to which nothing refers but they themselves and what is inside of them; not
-- those that run without being named, nor those of the languages :data, in which nothing refers to anything, nor,
-- in the languages :apart, what has one of its name that announces it and is referred to. A class is used by the tests
-- and the main program in it, a namespace by what is used in it; one without anything in it takes in a file.
select s.id
from code_symbols s
join code_files f on f.id = s.file
where s.kind <> 'section' and (:kind is null or s.kind = :kind)
    and f.language not in (select value from json_each(:data))
    and (:path in ('', '.') or f.path = :path or substr(f.path, 1, length(:path) + 1) = :path || '/')
    and s.name not in ('main', '_') and s.name not like '\_\_%\_\_' escape '\' and s.name not like '<%'
    and s.name not like '~%' and ' ' || s.flags || ' ' not like '% constructor %' and ' ' || s.flags || ' ' not like '% test %'
    and ' ' || s.flags || ' ' not like '% entry %' and ' ' || s.flags || ' ' not like '% override %'
    and not exists (
        select 1
        from code_edges e
        left join code_symbols a on a.id = e.source
        where e.target = s.id and e.source <> s.id and coalesce(a.parent, 0) <> s.id)
    and not exists (
        select 1
        from code_edges e
        join code_relations r on r.id = e.relation and r.kind = 'overrides'
        where e.source = s.id)
    and not (s.kind = 'class' and exists (
        select 1
        from code_symbols t
        where t.file = s.file and t.line between s.line and s.end_line
            and (' ' || t.flags || ' ' like '% test %' or t.name = 'main' and t.parent = s.id)))
    and not (' ' || s.flags || ' ' like '% namespace %' and (
        not exists (
            select 1
            from code_symbols i
            where i.file = s.file and i.parent = s.id)
        or exists (
            select 1
            from code_symbols i
            cross join code_edges e on e.target = i.id and e.source <> i.id
            where i.file = s.file and i.parent = s.id)))
    and not (' ' || s.flags || ' ' like '% overload %' and exists (
        select 1
        from code_symbols o
        where o.file = s.file and o.parent = s.parent and o.name = s.name and ' ' || o.flags || ' ' not like '% overload %'))
    and not (s.kind in ('method', 'variable') and exists (
        with recursive base(id) as (
            select e.target
            from code_edges e
            join code_relations r on r.id = e.relation and r.kind = 'inherits'
            where e.source = s.parent
            union
            select e.target
            from base
            cross join code_edges e on e.source = base.id
            join code_relations r on r.id = e.relation and r.kind = 'inherits'
        )
        select 1
        from base
        cross join code_symbols m on m.name = s.name and m.parent = base.id
        where m.kind in ('method', 'variable') and ' ' || m.flags || ' ' not like '% private %'))
    and not exists (
        select 1
        from code_symbols o
        join code_files of on of.id = o.file and of.language in (select value from json_each(:apart))
        where o.name = s.name and o.id <> s.id and o.kind = s.kind
            and (' ' || o.flags || ' ' like '% abstract %' or ' ' || s.flags || ' ' like '% abstract %'
                or o.kind = 'variable' and (o.owner is not null or s.owner is not null))
            and exists (
                select 1
                from code_edges e
                left join code_symbols a on a.id = e.source
                where e.target = o.id and e.source <> s.id and coalesce(a.parent, 0) <> s.id))
order by f.path, s.position;

-- name: nodes(ids)
-- Symbols and files by id, with the file that each is in.
select s.id, s.kind, s.name, s.parent, f.path, f.language, s.line, s.end_line, s.flags, s.digest, s.file
from json_each(:ids) requested
join code_symbols s on s.id = requested.value
join code_files f on f.id = s.file
union all
select f.id, 'file', '', 0, f.path, f.language, 0, f.lines, '', 0, f.id
from json_each(:ids) requested
join code_files f on f.id = requested.value;

-- name: enclosing(ids)
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

-- name: symbols_named(name)
-- Symbols of a name.
select id
from code_symbols
where name = :name
order by id;

-- name: symbols_named_in(file, name)
-- Symbols of a name in one file.
select id
from code_symbols
where file = :file and +name = :name
order by id;

-- name: symbols_named_under(name, enclosing)
-- Symbols of a name inside something of another name: a symbol, the file's namespace, a part of its path.
select s.id
from code_symbols s
join code_files f on f.id = s.file
left join code_symbols p on p.id = s.parent
where s.name = :name
    and (p.name = :enclosing or substr('.' || s.owner, -length(:enclosing) - 1) = '.' || :enclosing
        or p.id is null and s.owner is null
            and (instr(f.path, :enclosing) > 0
                or substr('.' || f.namespace, -length(:enclosing) - 1) = '.' || :enclosing))
order by s.id;

-- name: names_like(word, limit)
-- Names that have a word in them, whatever the case; the shortest first.
select distinct name
from code_symbols
where instr(lower(name), lower(:word)) > 0
order by length(name), name
limit :limit;

-- name: names_near(shortest, longest, letters, limit)
-- Names between two lengths that begin with one of a JSON list of letters, in the order of their first symbols.
select name
from code_symbols
where length(name) between :shortest and :longest
    and lower(substr(name, 1, 1)) in (select value from json_each(:letters))
group by name
order by min(id)
limit :limit;

-- name: file(path)
-- One file.
select id, path, language, namespace, status, reason, size, stamp, hash, lines, errors
from code_files
where path = :path;

-- name: paths_ending(ending, limit)
-- Files whose path ends so.
select id, path, language, lines
from code_files
where substr(path, -length(:ending)) = :ending and status <> 'skipped'
order by length(path), path
limit :limit;

-- name: symbol_ids(file)
-- The symbols of a file by line.
select id
from code_symbols
where file = :file
order by line, id;

-- name: positions(file)
-- The symbols of a file in the order of its text.
select id
from code_symbols
where file = :file
order by position;

-- name: extents(file)
-- The symbols of a file in the order of its text, each with the one around it and its lines.
select id, parent, line, end_line, kind
from code_symbols
where file = :file
order by position;

-- name: files_used(files)
-- Files that others lean on: from, to, the relation that says most and its first line.
with inside as (
    select value as file, value as node
    from json_each(:files)
    union all
    select s.file, s.id
    from json_each(:files) requested
    cross join code_symbols s on s.file = requested.value
)
select i.file, coalesce(t.file, e.target) as used, r.kind, r.tier, r.state, min(e.line) as line
from inside i
cross join code_edges e on e.source = i.node
join code_relations r on r.id = e.relation and r.state = 'resolved'
left join code_symbols t on t.id = e.target
where coalesce(t.file, e.target) <> i.file
group by i.file, used
order by i.file, line;

-- name: files_using(files, folders)
-- Files that lean on others: the one leant on, from, the relation that says most and its first line. In `folders`,
-- languages that import a folder, an import of one file of a package is one of all of its files.
with inside as (
    select value as file, value as node
    from json_each(:files)
    union all
    select s.file, s.id
    from json_each(:files) requested
    cross join code_symbols s on s.file = requested.value
    union all
    select f.id, other.id
    from json_each(:files) requested
    join code_files f on f.id = requested.value
    join code_files other on other.namespace = f.namespace and other.language = f.language and other.id <> f.id
    where f.language in (select value from json_each(:folders))
        and rtrim(other.path, replace(other.path, '/', '')) = rtrim(f.path, replace(f.path, '/', ''))
)
select i.file, coalesce(s.file, e.source) as user, r.kind, r.tier, r.state, min(e.line) as line
from inside i
cross join code_edges e on e.target = i.node
join code_relations r on r.id = e.relation and r.state = 'resolved'
left join code_symbols s on s.id = e.source
where coalesce(s.file, e.source) <> i.file
group by i.file, user
order by i.file, line;

-- name: linked_files(path)
-- Files that a file is linked with by the code, both ways, and by how many references.
with own (id) as (
    select id
    from code_files
    where path = :path
    union all
    select s.id
    from code_files f
    cross join code_symbols s on s.file = f.id
    where f.path = :path
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
    cross join code_edges e on e.target = own.id
    left join code_symbols s on s.id = e.source
    group by 1
) l
join code_files f on f.id = l.file
where f.path <> :path
group by f.path;

-- name: most_used_symbols(paths, limit)
-- Symbols of the files of the JSON list :paths that most of the code leans on, file by file.
select f.path, s.name, p.name as parent,
    (select count(distinct e.source) from code_edges e where e.target = s.id) as times
from json_each(:paths) requested
join code_files f on f.path = requested.value
cross join code_symbols s on s.file = f.id
left join code_symbols p on p.id = s.parent
where times > 0
order by requested.key, times desc, s.id
limit :limit;

-- name: certain_edges(nodes, fanout)
-- Edges of the JSON list of nodes :nodes that are certain, the first :fanout of a node in each direction: those
-- to what is around nodes first, then those to what is inside, those that leave and those that lead to them.
with
requested(place, node) as materialized (
    select key, value
    from json_each(:nodes)
),
met(part, place, from_node, to_node, kind, forward, line, relation) as (
    select 1, w.place, w.node, s.parent, 'contains', 0, 0, 0
    from requested w
    join code_symbols s on s.id = w.node
    union all
    select 2, w.place, w.node, s.id, 'contains', 1, 0, 0
    from requested w
    left join code_symbols own on own.id = w.node
    join code_symbols s on s.id in (
        select x.id
        from code_symbols x
        where x.file = coalesce(own.file, w.node) and x.parent = w.node
        order by x.id limit :fanout)
    union all
    select 3, w.place, w.node, e.target, k.kind, 1, e.line, e.relation
    from requested w
    join code_edges e on e.source = w.node and (e.target, e.relation) in (
        select x.target, x.relation
        from code_edges x
        where x.source = w.node
        order by x.target, x.line, x.relation limit :fanout)
    join code_relations k on k.id = e.relation and k.state = 'resolved'
    union all
    select 4, w.place, w.node, e.source, k.kind, 0, e.line, e.relation
    from requested w
    cross join code_edges e on e.target = w.node and e.source in (
        select distinct x.source
        from code_edges x
        where x.target = w.node
        order by x.source limit :fanout)
    join code_relations k on k.id = e.relation and k.state = 'resolved'
)
select from_node, to_node, kind, forward
from met
order by part, place, to_node, line, relation;

-- name: labels(nodes)
-- Names of the files and symbols of the JSON list of nodes :nodes.
select f.id, f.path as label
from json_each(:nodes) requested
join code_files f on f.id = requested.value
union all
select s.id, s.name
from json_each(:nodes) requested
join code_symbols s on s.id = requested.value;

-- name: coverage()
-- Files, those parsed, and references in them.
select
    count(*) as files, coalesce(sum(status = 'parsed'), 0) as parsed,
    coalesce(sum(resolved), 0) as resolved, coalesce(sum(ambiguous), 0) as ambiguous,
    coalesce(sum(unresolved), 0) as unresolved
from code_files;

-- name: unread_files()
-- Files that are not in the graph: path, status and reason.
select path, status, reason
from code_files
where status in ('skipped', 'failed')
order by path;

-- name: by_kind()
-- How many symbols there are of each kind.
select kind, count(*) as symbols
from code_symbols
group by kind
order by symbols desc;

-- name: by_language()
-- How many parsed files there are in each language.
select language, count(*) as files
from code_files
where status = 'parsed'
group by language
order by files desc;

-- name: inconsistent_rows()
-- How many symbols lie outside of parsed files or in nothing, how many edges lack an end or a relation.
select
    (select count(*)
        from code_symbols s
        left join code_files f on f.id = s.file and f.status = 'parsed'
        where f.id is null
            or s.parent <> s.file and not exists (
                select 1 from code_symbols p where p.id = s.parent and p.file = s.file)) as symbols,
    (select count(*)
        from code_edges e
        where not exists (select 1 from code_symbols s where s.id = e.source)
                and not exists (select 1 from code_files f where f.id = e.source)
            or not exists (select 1 from code_symbols s where s.id = e.target)
                and not exists (select 1 from code_files f where f.id = e.target)
            or not exists (select 1 from code_relations r where r.id = e.relation)) as edges;

-- name: files_out_of_order()
-- Files whose symbols are not counted from 0 on.
select f.path
from code_symbols s
join code_files f on f.id = s.file
group by s.file
having count(distinct s.position) <> count(*) or min(s.position) <> 0 or max(s.position) <> count(*) - 1
order by f.path;

-- name: forget_edges()
-- Empty the table.
delete from code_edges;

-- name: forget_symbols()
-- Empty the table.
delete from code_symbols;

-- name: forget_facts()
-- Empty the table.
delete from code_facts;

-- name: forget_dependency_keys()
-- Empty the table.
delete from code_dependencies;

-- name: forget_files()
-- Empty the table.
delete from code_files;

-- name: forget_state()
-- Empty the table.
delete from code_state;

-- name: pack_edges()
-- Build the trees of the edges anew, which fills their pages.
reindex code_edges;

-- name: pack_symbols()
-- Build the indexes of the symbols anew, which fills their pages.
reindex code_symbols;

-- name: pack_facts()
-- Build the tree of the facts anew, which fills its pages.
reindex code_facts;

-- name: pack_files()
-- Build the index of the files anew, which fills its pages.
reindex code_files;
