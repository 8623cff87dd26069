-- What is put before a model: items of scopes, contexts of sessions, and what was taken out of them again.

create table context_items ( -- local: what a task under way noted for itself; gone when the task ends
    project text not null default '', -- wall between projects that share this file
    task_id text not null, -- task it belongs to, in task_history or not
    item_id text not null, -- its name in there
    kind text not null
        check (kind in ('decision', 'convention', 'failure', 'preference', 'pattern', 'reasoning', 'tool_output')), -- what it is
    source text not null, -- where it came from, e.g. task/fix-upload/plan
    timestamp text not null, -- when it was added, UTC
    tags text not null default '[]' check (json_valid(tags)), -- JSON list
    importance real check (importance between 0 and 1), -- what eviction and order go by; null: not said
    tokens integer not null, -- tokens of text (o200k)
    text text not null, -- what is rendered
    payload text not null default '{}' check (json_valid(payload)), -- JSON: the rest of it
    primary key (task_id, project, item_id)
) strict, without rowid;

create table memory_items ( -- shared: what a decision, convention, failure, preference or pattern holds beside its memory
    memory_id integer primary key references memories (id) on delete cascade, -- the memory that says it
    kind text not null
        check (kind in ('decision', 'convention', 'failure', 'preference', 'pattern', 'reasoning', 'tool_output')), -- what it is
    payload text not null default '{}' check (json_valid(payload)), -- JSON: the rest of it
    updated_at text not null -- last change of this row, UTC
) strict;

create table session_contexts ( -- local: contexts of sessions, one row a saved version; the newest few are kept
    session_id text not null, -- session
    version integer not null, -- 1, 2, ...
    saved_at text not null, -- UTC
    tokens integer not null, -- tokens of history and summary
    data text not null check (json_valid(data)), -- JSON: facts, recent_history, long_term_summary, active_tasks, ...
    primary key (session_id, version)
) strict;

create table removed_spans ( -- local: what was taken out of a context, word for word, so that it can be had back
    id integer primary key, -- the handle that the stub in its place names: made of what it stands for
    session_id text not null, -- session
    snapshot_id integer, -- the snapshot taken at that moment, if one was
    removed_at text not null, -- UTC
    kind text not null
        check (kind in ('tool_result', 'message', 'history')), -- what it was
    content text not null check (json_valid(content)), -- JSON: the item, or the list of entries
    tokens integer not null -- tokens it had
) strict;

create index removed_spans_by_session on removed_spans (session_id, id);
create index removed_spans_by_time on removed_spans (removed_at);
create index removed_spans_by_snapshot on removed_spans (snapshot_id) where snapshot_id is not null;

create table surfaced_items ( -- local: what a session has been shown beside memories: errors, attempts, code, patterns
    session_id text not null, -- session
    item text not null, -- its name, e.g. error:3fa2, symbol:src/a.py::f
    shown_at text not null, -- UTC
    primary key (session_id, item)
) strict, without rowid;

-- What holds whatever is asked is found without reading every memory.
create index memories_standing on memories (kind, id) where kind <> 'fact' and active = 1;
create index memories_by_author on memories (author) where author is not null;
