-- What the code is: files, what they define, and how that hangs together. Kept small, because the
-- file lies beside the code: names stand once, numbers are stored as the small differences that most
-- of them are, texts are found by a short piece of their middle, the nodes of a file and what uses a
-- node are lists in one row, what only linking needs is compressed, and signatures and doc lines are
-- read from the code itself. Columns that are generated take no room.
--
-- Nodes are files and symbols; they share one space of small ids (below 2^40: memories lie above
-- 2^50, tags below 0). A file's path is in code_files, a symbol's qualified name is its own name
-- after those of its parents (the view `symbols` spells it). An edge says by its relation what it
-- is (calls, imports, …), how it was found and how sure that is. `contains` is the column parent.
--
-- formerly: code_symbols_by_file, code_symbols_by_name, code_edges_in

create table code_state ( -- derived: what the graph as a whole was made from, one row a name
    name text primary key, -- root, definition, languages, next_id, complete, counts, links, flow
    value text not null check (json_valid(value)) -- JSON
) strict, without rowid;

create table code_files ( -- derived: every file that was looked at; a node
    id integer primary key, -- node
    path text not null, -- relative to the root, forward slashes; no two files have one
    language text not null default '', -- as in memkit/codegraph/extract; '' for none
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
    unresolved integer not null default 0, -- references of which nothing is known
    nodes text not null default '[]' check (json_valid(nodes)), -- its symbols in the order of its text: JSON list of runs [first, last]
    middle text not null generated always as (substr(path, length(path) / 2, 8)) virtual -- by which a path is found
) strict;

create index code_files_by_path on code_files (middle);

create table code_sorts ( -- derived: what symbols can be; few rows
    id integer primary key, -- number used in code_symbols
    kind text not null
        check (kind in ('function', 'method', 'class', 'variable', 'section')), -- kind of node; section: of a document, by its heading
    flags text not null, -- space separated: static async property exported interface trait enum … (memkit/codegraph/facts.py)
    unique (kind, flags)
) strict;

create table code_symbols ( -- derived: functions, methods, classes, variables of modules and classes, sections of documents; a node each
    id integer primary key, -- node; kept as long as file, qualified name and ordinal among its namesakes stay
    from_file integer not null, -- its id less that of its file
    from_parent integer not null, -- its id less that of the symbol around it, or of the file
    sort integer not null, -- kind and flags, in code_sorts
    name text not null, -- as written
    owner text, -- type that it belongs to where that stands elsewhere (a Go receiver, A::f); null: what is around it
    line integer not null, -- first line, from 1
    more_lines integer not null, -- lines after it
    digest integer not null, -- of its own text: sha256/16, upper 23 bits; memkit/codegraph/facts_codec.py
    file integer not null generated always as (id - from_file) virtual, -- file that it is in
    parent integer not null generated always as (id - from_parent) virtual, -- symbol around it, or the file
    end_line integer not null generated always as (line + more_lines) virtual, -- last line
    spelled text not null generated always as (coalesce(owner || '.', '') || name) virtual -- name after its owner
) strict;

create table code_alike ( -- derived: by which a name is found: symbols whose names have one middle
    middle text primary key, -- substr(name, length(name) / 2, 3)
    symbols text not null check (json_valid(symbols)) -- their ids: JSON list of steps, from each to the next
) strict, without rowid;

create table code_relations ( -- derived: what edges can be; few rows
    id integer primary key check (id < 32), -- number used in code_edges
    kind text not null
        check (kind in ('calls', 'imports', 'uses', 'inherits', 'references', 'overrides')), -- relation
    how text not null, -- scope, local, only, candidate, flow: the tier that found it
    state text not null
        check (state in ('resolved', 'ambiguous')), -- ambiguous: one of several candidates, hidden unless asked for
    unique (kind, how, state)
) strict;

create table code_edges ( -- derived: from a node to a node
    source integer not null, -- node: a symbol, or the file for its top level
    target integer not null, -- node
    place integer not null, -- below * 32 + relation
    relation integer not null generated always as (place & 31) virtual, -- kind, how and state, in code_relations
    below integer not null generated always as (place >> 5) virtual, -- where it stands first: lines below the first one of the source
    primary key (source, target, place)
) strict, without rowid;

create table code_used ( -- derived: the edges the other way round, one row for each node that one leads to
    target integer primary key, -- node
    sources text not null check (json_valid(sources)) -- the nodes with an edge to it: JSON list of steps, from each to the next
) strict;

create table code_facts ( -- derived: what other files read of a file, so that they can be linked anew without parsing it; a file that nobody reads has none
    file integer not null, -- the file
    part integer not null, -- from 0
    facts blob not null, -- deflated JSON, a piece of it; memkit/codegraph/facts_codec.py
    primary key (file, part)
) strict, without rowid;

create table code_reads ( -- derived: which names of other files a file's edges were made from
    file integer primary key, -- the file
    keys blob not null -- three-byte hashes of the keys; a file is linked anew when one of them changes
) strict;
