-- The code graph: files, the symbols that they define, and the edges between them, as plain rows to be
-- read and joined in the shell. Signatures and doc lines are read from the code itself.
--
-- Nodes are files and symbols; they share one space of small ids (below 2^40: memories lie above
-- 2^50, tags below 0). A file's path is in code_files, a symbol's qualified name is its own name
-- after those of its parents (the view `symbols` spells it). An edge says by its relation what it
-- is (calls, imports, …), which tier found it and how sure that is; the view `symbol_edges` names both
-- ends. `contains` is the column parent.
--
-- formerly: code_files_by_path, code_sorts, code_alike, code_used, code_reads, code_edges_in

create table code_state ( -- derived: what the graph as a whole was made from, one row a name
    name text primary key, -- root, definition, languages, next_id, complete, counts, links, flow
    value text not null check (json_valid(value)) -- JSON
) strict, without rowid;

create table code_files ( -- derived: every file that was looked at; a node
    id integer primary key, -- node
    path text not null unique, -- relative to the root, forward slashes
    language text not null default '', -- as in memkit/codegraph/languages; '' for none
    namespace text not null default '', -- what the file itself declares (Java package, Go package clause), or ''
    status text not null
        check (status in ('parsed', 'listed', 'skipped', 'failed')), -- listed: known by its path alone, no language for it
    reason text, -- why it was skipped or failed
    size integer not null default 0, -- bytes
    stamp integer not null default 0, -- made of the times and the inode the file system tells; 0: read it to know whether it changed
    hash blob, -- blake2b/16 of the bytes; null if they were not read
    lines integer not null default 0, -- lines
    errors integer not null default 0, -- syntax errors met
    resolved integer not null default 0, -- references in it whose target is known, one or outside of the tree
    ambiguous integer not null default 0, -- references with several candidates
    unresolved integer not null default 0 -- references of which nothing is known
) strict;

create table code_symbols ( -- derived: functions, methods, classes, variables of modules and classes, sections of documents; a node each
    id integer primary key, -- node; stays as long as file, qualified name and ordinal among its namesakes stay
    file integer not null, -- file that it is in
    parent integer not null, -- symbol around it, or the file
    position integer not null, -- from 0, in the order of the file's text
    kind text not null
        check (kind in ('function', 'method', 'class', 'variable', 'section')), -- section: of a document, by its heading
    flags text not null, -- space separated: static async property exported interface trait enum … (memkit/codegraph/facts.py)
    name text not null, -- as written
    owner text, -- type that it belongs to where that stands elsewhere (a Go receiver, A::f); null: what is around it
    line integer not null, -- first line, from 1
    end_line integer not null, -- last line
    digest integer not null, -- of its own text: sha256/16, upper 23 bits; memkit/codegraph/facts_codec.py
    spelled text not null generated always as (coalesce(owner || '.', '') || name) virtual -- name after its owner
) strict;

create index code_symbols_by_file on code_symbols (file);
create index code_symbols_by_name on code_symbols (name);

create table code_relations ( -- derived: what edges can be; few rows
    id integer primary key, -- number used in code_edges
    kind text not null
        check (kind in ('calls', 'imports', 'uses', 'inherits', 'references', 'overrides')), -- relation
    tier text not null, -- scope, local, only, candidate, flow: what found it
    state text not null
        check (state in ('resolved', 'ambiguous')), -- ambiguous: one of several candidates, hidden unless asked for
    unique (kind, tier, state)
) strict;

create table code_edges ( -- derived: from a node to a node
    source integer not null, -- node: a symbol, or the file for its top level
    target integer not null, -- node
    relation integer not null, -- kind, tier and state, in code_relations
    lines any not null, -- where it stands in the source's file; several lines are a text, rising, with commas between
    line integer generated always as (cast(lines as integer)) virtual, -- where it stands first
    primary key (source, target, relation)
) strict, without rowid;

create index code_edges_by_target on code_edges (target, source);

create table code_facts ( -- derived: what other files read of a file, so that they can be linked anew without parsing it; a file that nobody reads has none
    file integer not null, -- the file
    part integer not null, -- from 0
    facts blob not null, -- deflated JSON, a piece of it; memkit/codegraph/facts_codec.py
    primary key (file, part)
) strict, without rowid;

create table code_dependencies ( -- derived: the names of other files that a file's edges were made from
    file integer primary key, -- the file
    keys blob not null -- three-byte hashes of dependency keys; a file is linked anew when one of them changes
) strict;
