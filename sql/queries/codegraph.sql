-- The code graph: what is known of the tree, writing it, and the questions.

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

-- name: put_file(id, path, language, namespace, status, reason, size, stamp, hash, lines, errors)
-- One file; what its references came to is kept.
insert into code_files (id, path, language, namespace, status, reason, size, stamp, hash, lines, errors)
values (:id, :path, :language, :namespace, :status, :reason, :size, :stamp, :hash, :lines, :errors)
on conflict (id) do update set
    path = excluded.path, language = excluded.language, namespace = excluded.namespace,
    status = excluded.status, reason = excluded.reason, size = excluded.size,
    stamp = excluded.stamp, hash = excluded.hash, lines = excluded.lines, errors = excluded.errors;

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
select s.file, s.id, s.parent, s.sort, s.name, s.line, s.end_line, s.digest
from json_each(:files) wanted
join code_symbols s on s.file = wanted.value
order by s.id;

-- name: put_symbol(id, file, parent, sort, name, line, end_line, digest)
-- One symbol.
insert into code_symbols (id, file, parent, sort, name, line, end_line, digest)
values (:id, :file, :parent, :sort, :name, :line, :end_line, :digest)
on conflict (id) do update set
    file = excluded.file, parent = excluded.parent, sort = excluded.sort, name = excluded.name,
    line = excluded.line, end_line = excluded.end_line, digest = excluded.digest;

-- name: drop_symbols(ids)
-- Forget symbols.
delete from code_symbols
where id in (select value from json_each(:ids));

-- name: edges_from(ids)
-- Edges that leave nodes.
select e.source, e.target, e.relation, e.line
from json_each(:ids) wanted
join code_edges e on e.source = wanted.value;

-- name: add_edge(source, target, relation, line)
-- One edge.
insert into code_edges (source, target, relation, line)
values (:source, :target, :relation, :line)
on conflict (source, target, relation) do update set line = excluded.line;

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
-- What a file says, and the nodes of its definitions.
select nodes, facts
from code_facts
where file = :file;

-- name: put_facts(file, nodes, facts)
-- What a file says, and the nodes of its definitions.
insert into code_facts (file, nodes, facts)
values (:file, :nodes, :facts)
on conflict (file) do update set nodes = excluded.nodes, facts = excluded.facts;

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
-- Every symbol of a name, with the nodes of the definitions in its file.
select f.path, s.id, c.nodes
from code_symbols s
join code_files f on f.id = s.file
join code_facts c on c.file = s.file
where s.name = :name
order by f.path, s.id;

-- name: sizes()
-- How many symbols and edges there are.
select
    (select count(*) from code_symbols) as symbols,
    (select count(*) from code_edges) as edges;
