-- What is known: memories, how they are tagged, linked, anchored, founded and doubted.

create table memories ( -- shared: one remembered statement a row
    id integer primary key, -- seconds since 1970 << 20 | 20 bits: sorts by time, survives merges
    text text not null check (text <> ''), -- the statement in full, as it was given (secrets replaced by markers)
    kind text not null default 'fact'
        check (kind in ('fact', 'preference', 'procedure', 'correction', 'negative')), -- what sort of statement
    form text not null default 'fact'
        check (form in ('fact', 'episode', 'pattern', 'workflow')), -- how it is compressed and rendered
    key text, -- keyed fact: the attribute, e.g. error_handling
    value text, -- keyed fact: its value, e.g. Result over exceptions
    qualifier text, -- keyed fact: where it holds, e.g. typescript
    scope text not null default 'project'
        check (scope in ('session', 'task', 'project', 'global')), -- how far it is visible
    project text not null default '', -- wall between projects that share this file; '' is the repository it lies in
    session_id text, -- session it was remembered in
    task_id text, -- task it was remembered in
    source text, -- stable name of where it came from, e.g. docs/adr/0001.md#decision; the same source is updated, not doubled
    message_first integer, -- first message of the conversation it was taken from
    message_last integer, -- last message
    file_paths text not null default '[]' check (json_valid(file_paths)), -- JSON list of paths relative to the repository root
    summary text, -- level 1: a sentence
    compressed text, -- level 2: a hint
    index_entry text, -- level 3: a word or two
    tokens integer not null, -- tokens of text (o200k), counted at the write
    summary_tokens integer, -- tokens of summary
    compressed_tokens integer, -- tokens of compressed
    index_tokens integer, -- tokens of index_entry
    created_at text not null, -- when it was said or came about, UTC
    updated_at text not null, -- last change of this row, UTC
    valid_from text, -- true from this time on; null: from created_at
    valid_to text, -- true until then; null: still true
    season text, -- recurring moment it belongs to, e.g. release-week
    strength integer not null default 1 check (strength >= 0), -- how often it was confirmed
    confidence real not null default 1.0 check (confidence between 0 and 1), -- initial belief; decay is computed on read
    trust real not null default 1.0 check (trust between 0 and 1), -- weight of its source
    importance real not null default 0.5 check (importance between 0 and 1), -- what eviction goes by
    provenance text not null default 'stated'
        check (provenance in ('stated', 'corrected', 'observed', 'inferred', 'extracted')), -- how it became known, first link of the chain
    author text, -- who said it, if known
    active integer not null default 1 check (active in (0, 1)), -- 0: forgotten or superseded
    inactive_reason text, -- why it is not active
    pinned integer not null default 0 check (pinned in (0, 1)), -- never decays, is never pruned
    private integer not null default 0 check (private in (0, 1)), -- 1: stays on this machine
    superseded_by integer, -- the memory that replaced this one
    trigger_patterns text not null default '[]' check (json_valid(trigger_patterns)), -- JSON list: a negative memory surfaces when one occurs
    procedure text check (procedure is null or json_valid(procedure)), -- JSON: name, trigger, steps, prerequisites, warnings
    content_hash text not null -- sha256/16 of what makes two statements the same; see memkit/memories/identity.py
) strict;

create index memories_by_hash on memories (content_hash);
create index memories_by_key on memories (key, qualifier) where key is not null;
create index memories_by_session on memories (session_id) where session_id is not null;
create unique index memories_by_source on memories (project, source) where source is not null;
create index memories_superseded on memories (superseded_by) where superseded_by is not null;

create table wordings ( -- shared: other wordings of a memory, folded into it
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    wording_hash text not null, -- sha256/16 of the wording
    text text not null, -- the wording
    said_at text not null, -- UTC
    primary key (memory_id, wording_hash)
) strict, without rowid;

create table provenance ( -- shared: the chain of sources of a memory
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    noted_at text not null, -- UTC
    source text not null
        check (source in ('stated', 'corrected', 'observed', 'inferred', 'extracted')), -- how it was known this time
    session_id text, -- session
    snippet text, -- what was being discussed
    reason text, -- why this confidence
    primary key (memory_id, noted_at, source)
) strict, without rowid;

create table artifacts ( -- shared: commits, pull requests, decision records and files that belong to a memory
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    kind text not null check (kind in ('commit', 'pr', 'adr', 'file')), -- what it is
    reference text not null, -- commit hash, number, path
    primary key (memory_id, kind, reference)
) strict, without rowid;

create table tags ( -- shared: labels
    id integer primary key, -- negative: hash of the name, so that two machines make the same one
    name text not null unique, -- NFC, lower case
    description text, -- what it is for
    created_at text not null -- UTC
) strict;

create table edges ( -- shared: how memories, tags and later clusters and code hang together
    src integer not null, -- from node
    dst integer not null, -- to node
    kind text not null
        check (kind in ('has_tag', 'in_cluster', 'relates_to', 'supersedes', 'contradicts', 'derived_from', 'about', 'next')), -- relation
    weight real not null check (weight between 0 and 1), -- strength of the relation
    created_at text not null, -- UTC
    primary key (src, dst, kind)
) strict, without rowid;

create index edges_out on edges (src, weight desc, dst, kind);
create index edges_in on edges (dst, weight desc, src, kind);

create table anchors ( -- shared: what a memory is about in the code, by name and never by row number
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    path text not null, -- file, relative to the repository root, forward slashes
    symbol text not null default '', -- qualified name inside it; '' for the file
    symbol_hash text, -- hash of its body when the memory was written
    noted_at text not null, -- UTC
    primary key (memory_id, path, symbol)
) strict, without rowid;

create index anchors_by_path on anchors (path, symbol);

create table contradictions ( -- shared: pairs that cannot both be true
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    detected_at text not null, -- UTC
    resolved_at text, -- UTC; null: open
    resolution text check (resolution in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- how it was settled
    note text, -- why
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;

create table usage ( -- local: what was served and used on this machine
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    accessed_at text, -- last confirmed use, UTC
    access_count integer not null default 0, -- confirmed uses
    retrieval_count integer not null default 0, -- times returned
    citation_count integer not null default 0, -- times it influenced an action
    ignore_count integer not null default 0 -- times returned and not used
) strict;

create table surfaced ( -- local: what a session has been shown already
    session_id text not null, -- session
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    shown_at text not null, -- UTC
    primary key (session_id, memory_id)
) strict, without rowid;

create table gaps ( -- local: questions that found nothing
    question_hash text primary key, -- sha256/16 of the question
    question text not null, -- the question, secrets replaced
    asked_count integer not null default 1, -- how often
    first_at text not null, -- UTC
    last_at text not null, -- UTC
    session_id text, -- last session that asked
    best_score real -- score of the best memory that was not good enough
) strict, without rowid;
