CREATE TABLE settings ( -- shared: choices that hold for everybody who uses this file
    name text primary key, -- dotted name, e.g. recall.limit
    value text not null check (json_valid(value)), -- JSON
    updated_at text not null -- UTC, YYYY-MM-DDTHH:MM:SS.sssZ as all times here
) strict, without rowid;
CREATE TABLE local_settings ( -- local: choices and notes of this machine
    name text primary key, -- dotted name
    value text not null check (json_valid(value)), -- JSON
    updated_at text not null -- UTC
) strict, without rowid;
CREATE TABLE tombstones ( -- shared: rows deleted for good, so that a merge does not bring them back
    id integer primary key, -- id of the purged row; nothing else of it is kept
    purged_at text not null -- UTC
) strict;
CREATE TABLE audit ( -- local: what was changed, by which verb and why; the source of undo
    id integer primary key, -- time-sorted id
    at text not null, -- UTC
    verb text not null, -- remember, update, forget, restore, purge, fold, supersede, scrub, repair, ...
    memory_id integer, -- the row it was done to; null for store-wide work
    detail text not null default '{}' check (json_valid(detail)) -- JSON: values before, reason, counts
) strict;
CREATE INDEX audit_by_memory on audit (memory_id, id);
CREATE TABLE derived_parts ( -- local: which definition each derived part was built from
    name text primary key, -- file name in sql/derived without its ending
    definition text not null, -- sha256 of its SQL
    built_at text not null -- UTC
) strict, without rowid;
CREATE TABLE reconciled ( -- local: the file's change counter at memkit's last own write
    id integer primary key check (id = 1), -- one row
    change_counter integer not null -- a different counter in the file's header means: edited from outside
) strict;
CREATE TABLE memories ( -- shared: one remembered statement a row
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
CREATE INDEX memories_by_hash on memories (content_hash);
CREATE INDEX memories_by_key on memories (key, qualifier) where key is not null;
CREATE INDEX memories_by_session on memories (session_id) where session_id is not null;
CREATE UNIQUE INDEX memories_by_source on memories (project, source) where source is not null;
CREATE INDEX memories_superseded on memories (superseded_by) where superseded_by is not null;
CREATE TABLE wordings ( -- shared: other wordings of a memory, folded into it
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    wording_hash text not null, -- sha256/16 of the wording
    text text not null, -- the wording
    said_at text not null, -- UTC
    primary key (memory_id, wording_hash)
) strict, without rowid;
CREATE TABLE provenance ( -- shared: the chain of sources of a memory
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    noted_at text not null, -- UTC
    source text not null
        check (source in ('stated', 'corrected', 'observed', 'inferred', 'extracted')), -- how it was known this time
    session_id text, -- session
    snippet text, -- what was being discussed
    reason text, -- why this confidence
    primary key (memory_id, noted_at, source)
) strict, without rowid;
CREATE TABLE artifacts ( -- shared: commits, pull requests, decision records and files that belong to a memory
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    kind text not null check (kind in ('commit', 'pr', 'adr', 'file')), -- what it is
    reference text not null, -- commit hash, number, path
    primary key (memory_id, kind, reference)
) strict, without rowid;
CREATE TABLE tags ( -- shared: labels
    id integer primary key, -- negative: hash of the name, so that two machines make the same one
    name text not null unique, -- NFC, lower case
    description text, -- what it is for
    created_at text not null -- UTC
) strict;
CREATE TABLE edges ( -- shared: how memories, tags and later clusters and code hang together
    src integer not null, -- from node
    dst integer not null, -- to node
    kind text not null
        check (kind in ('has_tag', 'in_cluster', 'relates_to', 'supersedes', 'contradicts', 'derived_from', 'about', 'next')), -- relation
    weight real not null check (weight between 0 and 1), -- strength of the relation
    created_at text not null, -- UTC
    primary key (src, dst, kind)
) strict, without rowid;
CREATE INDEX edges_out on edges (src, weight desc, dst, kind);
CREATE INDEX edges_in on edges (dst, weight desc, src, kind);
CREATE TABLE anchors ( -- shared: what a memory is about in the code, by name and never by row number
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    path text not null, -- file, relative to the repository root, forward slashes
    symbol text not null default '', -- qualified name inside it; '' for the file
    symbol_hash text, -- hash of its body when the memory was written
    noted_at text not null, -- UTC
    primary key (memory_id, path, symbol)
) strict, without rowid;
CREATE INDEX anchors_by_path on anchors (path, symbol);
CREATE TABLE contradictions ( -- shared: pairs that cannot both be true
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    detected_at text not null, -- UTC
    resolved_at text, -- UTC; null: open
    resolution text check (resolution in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- how it was settled
    note text, -- why
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
CREATE TABLE usage ( -- local: what was served and used on this machine
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    accessed_at text, -- last confirmed use, UTC
    access_count integer not null default 0, -- confirmed uses
    retrieval_count integer not null default 0, -- times returned
    citation_count integer not null default 0, -- times it influenced an action
    ignore_count integer not null default 0 -- times returned and not used
) strict;
CREATE TABLE surfaced ( -- local: what a session has been shown already
    session_id text not null, -- session
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    shown_at text not null, -- UTC
    primary key (session_id, memory_id)
) strict, without rowid;
CREATE TABLE gaps ( -- local: questions that found nothing
    question_hash text primary key, -- sha256/16 of the question
    question text not null, -- the question, secrets replaced
    asked_count integer not null default 1, -- how often
    first_at text not null, -- UTC
    last_at text not null, -- UTC
    session_id text, -- last session that asked
    best_score real -- score of the best memory that was not good enough
) strict, without rowid;
CREATE TABLE documents ( -- derived: the searchable text of a memory, exactly as it was indexed
    id integer primary key, -- the memory
    fingerprint text not null, -- hash of the row and tags it was made from; differs after an edit from outside
    body text not null, -- text, key, value, other wordings, tags; NFC
    split text not null -- identifiers in parts, script boundaries, two-character pieces of unsegmented scripts
) strict;
CREATE VIRTUAL TABLE search using fts5 (
    body, split,
    content = 'documents', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE 'search_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'search_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'search_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE TABLE spaces ( -- derived: the encoders whose vectors are stored here
    id integer primary key, -- small number used in the rows
    name text not null unique, -- the encoder's name: model, hash, pooling
    dimensions integer not null -- length of its vectors
) strict;
CREATE TABLE pieces ( -- derived: token ids of a memory; a row without vectors means there was nothing to embed
    memory_id integer primary key, -- the memory
    space integer, -- encoder that cut it; null: unknown, treated as of another model
    ids blob not null -- little-endian unsigned 32-bit token ids, all chunks in order
) strict;
CREATE TABLE vectors ( -- derived: one vector per chunk of a memory
    memory_id integer not null, -- the memory
    chunk integer not null, -- 0, 1, … along the text
    space integer, -- encoder that made it
    vector blob not null, -- int8, scaled by the largest component
    primary key (memory_id, chunk)
) strict, without rowid;
CREATE TABLE vector_bits ( -- derived: the signs of each vector, for a first cut by Hamming distance
    memory_id integer not null, -- the memory
    chunk integer not null, -- chunk
    space integer, -- encoder that made it
    bits blob not null, -- one bit a dimension
    primary key (memory_id, chunk)
) strict, without rowid;
CREATE VIEW lessons as
select id, kind, text, created_at, strength
from memories
where active = 1 and kind in ('correction', 'negative')
order by created_at desc, id desc;
CREATE VIEW open_contradictions as
select c.memory_a, a.text as text_a, c.memory_b, b.text as text_b, c.detected_at, c.note
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
where c.resolved_at is null
order by c.detected_at desc;
CREATE VIEW overview as
select 'memories, active' as what, count(*) as how_many from memories where active = 1
union all
select 'memories, superseded', count(*) from memories where superseded_by is not null
union all
select 'memories, forgotten', count(*) from memories where active = 0 and superseded_by is null
union all
select 'memories of kind ' || kind, count(*) from memories where active = 1 group by kind
union all
select 'tags', count(*) from tags
union all
select 'edges', count(*) from edges
union all
select 'open contradictions', count(*) from contradictions where resolved_at is null
union all
select 'questions without an answer', count(*) from gaps;
