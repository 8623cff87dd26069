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
, inactive_code text
    check (inactive_code in ('forgotten', 'superseded', 'source_gone')) /* what ended it; null: active, or ended by another program */, key_folded text generated always as (
    replace(replace(replace(replace(replace(replace(replace(key, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' ')
) virtual /* key as it is compared: with spaces for '-' and '_' */, qualifier_folded text generated always as (
    replace(replace(replace(replace(replace(replace(replace(qualifier, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' ')
) virtual /* qualifier as it is compared */) strict;
CREATE INDEX memories_by_hash on memories (content_hash);
CREATE UNIQUE INDEX memories_by_source on memories (project, source) where source is not null;
CREATE INDEX memories_superseded on memories (superseded_by) where superseded_by is not null;
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
CREATE TABLE sessions ( -- shared: one run of an agent, or one imported transcript
    id integer primary key, -- time-sorted id
    session_id text not null unique, -- its name: given by the agent, or made from the id
    project text not null default '', -- wall between projects that share this file
    agent text, -- who ran it, e.g. claude-code, codex, a person's name
    source text not null default 'agent', -- agent: recorded as it happened; else the format it was imported from
    branch text, -- git branch at its start
    commit_hash text, -- git commit at its start
    started_at text not null, -- UTC, as all times here
    ended_at text, -- null: runs still, or was killed
    summary text, -- what a fresh start should know of it
    updated_at text not null -- last change of this row, UTC
, parent_session_id text /* session that began this one, such as a subagent's; null: a user did */) strict;
CREATE TABLE tool_executions ( -- local: every call of a tool; outputs as bounded previews
    id integer primary key, -- time-sorted id
    timestamp text not null, -- when it was called, UTC
    session_id text not null, -- session
    task_id text, -- task it served
    tool_name text not null, -- the tool, as the agent calls it
    parameters text not null default '{}' check (json_valid(parameters)), -- JSON, bounded, secrets replaced
    result text check (result is null or json_valid(result)), -- JSON: a structured result, if it is small
    success integer not null check (success in (0, 1)), -- whether it did what it was called for
    error_message text, -- what it failed with, bounded
    duration_ms integer, -- milliseconds it took
    context_tokens integer, -- tokens in the model's context at the call
    exit_code integer, -- of a command
    output text, -- head, error lines and tail of what it returned; cuts are marked with counts
    original_bytes integer, -- size of the whole output
    output_hash text, -- sha256/16 of the whole output
    output_type text
        check (output_type in ('text', 'json', 'base64', 'binary')), -- what the output is; null: there was none
    error_signature text, -- the error without numbers, paths and addresses: equal for the same fault
    call_id text -- the caller's own name of the call, so that an import does not double it
) strict;
CREATE INDEX tool_executions_by_session on tool_executions (session_id, call_id);
CREATE INDEX tool_executions_by_task on tool_executions (task_id) where task_id is not null;
CREATE INDEX tool_executions_by_tool on tool_executions (tool_name, timestamp);
CREATE INDEX tool_executions_by_error on tool_executions (error_signature) where error_signature is not null;
CREATE TABLE file_interactions ( -- local: every file that was read, searched or changed; never its content
    id integer primary key, -- time-sorted id
    timestamp text not null, -- UTC
    session_id text not null, -- session
    task_id text, -- task it served
    execution_id integer, -- the tool call that did it
    file_path text not null, -- relative to the repository root, forward slashes
    operation text not null
        check (operation in ('read', 'write', 'edit', 'search', 'analyze', 'delete', 'rename')), -- what was done
    previous_path text, -- rename: the path before
    line_range text check (line_range is null or json_valid(line_range)), -- JSON {start, end}
    success integer not null default 1 check (success in (0, 1)), -- whether it came off
    context text, -- why this file
    changes_summary text, -- what changed
    content_hash text -- sha256/16 of the file's content after it
) strict;
CREATE INDEX file_interactions_by_path on file_interactions (file_path, timestamp);
CREATE INDEX file_interactions_by_task on file_interactions (task_id) where task_id is not null;
CREATE INDEX file_interactions_by_session on file_interactions (session_id, file_path);
CREATE TABLE context_snapshots ( -- local: what was in the model's context at a moment, and what was removed
    id integer primary key, -- time-sorted id
    timestamp text not null, -- UTC
    session_id text not null, -- session
    task_id text, -- task
    context_items text not null check (json_valid(context_items)), -- JSON [{id, type, tokens, relevance}]
    total_tokens integer not null, -- tokens in the context
    pruned_items text check (pruned_items is null or json_valid(pruned_items)), -- JSON: what was just removed
    reason text not null
        check (reason in ('pruning', 'task_switch', 'manual_snapshot', 'compaction')) -- why it was taken
) strict;
CREATE INDEX context_snapshots_by_session on context_snapshots (session_id);
CREATE TABLE learned_patterns ( -- shared: what tends to go together, revised as evidence comes
    id integer primary key, -- time-sorted id
    pattern_type text not null
        check (pattern_type in ('co-edit', 'error-fix', 'refactor', 'sequence', 'workflow')), -- what sort of pattern
    signature text not null unique, -- sha256/16 of type, project and what makes two patterns the same
    project text not null default '', -- wall between projects that share this file
    pattern_data text not null check (json_valid(pattern_data)), -- JSON, by type: {files, operations, within_seconds}, {error, edits, command}, ...
    confidence real not null check (confidence between 0 and 1), -- how far to rely on it
    observed_count integer not null default 1, -- times it was seen
    success_count integer not null default 0, -- times it held when it could have
    failure_count integer not null default 0, -- times it did not
    first_seen text not null, -- UTC
    last_seen text not null, -- UTC
    evidence text not null default '[]' check (json_valid(evidence)), -- JSON list: ids of executions, names of tasks, hashes of commits; the newest few
    active integer not null default 1 check (active in (0, 1)), -- 0: turned off
    inactive_reason text, -- why
    updated_at text not null -- last change of this row, UTC
) strict;
CREATE TABLE session_learnings ( -- shared: what a session taught that holds for the next ones
    id integer primary key, -- time-sorted id
    session_id text not null, -- session that taught it last
    learning_type text not null
        check (learning_type in ('file_purpose', 'common_error', 'workflow')), -- what sort of learning
    signature text not null unique, -- sha256/16 of type, project and key
    project text not null default '', -- wall between projects that share this file
    key text not null, -- what it is about: a path, an error signature, a workflow's name
    data text not null check (json_valid(data)), -- JSON, by type
    confidence real not null check (confidence between 0 and 1), -- how far to rely on it
    observed_count integer not null default 1, -- times it was seen
    first_seen text not null, -- UTC
    last_seen text not null, -- UTC
    evidence text not null default '[]' check (json_valid(evidence)), -- JSON list, as of patterns
    active integer not null default 1 check (active in (0, 1)), -- 0: turned off
    inactive_reason text, -- why
    updated_at text not null -- last change of this row, UTC
) strict;
CREATE TABLE predictions ( -- local: what was foretold at a signal, and whether it was used
    id integer primary key, -- time-sorted id
    timestamp text not null, -- UTC
    session_id text, -- session
    task_id text, -- task
    signal text not null
        check (signal in ('file', 'branch', 'error', 'time', 'collaborator')), -- what happened
    subject text not null, -- the path, branch, error signature, hour or name
    kind text not null
        check (kind in ('file', 'symbol', 'memory', 'pattern', 'workflow')), -- what was foretold
    predicted text not null, -- the path, qualified name or id
    source text not null, -- strongest reason, e.g. co-edit, import, sequence, similar task
    weight real not null check (weight between 0 and 1), -- confidence it was given with
    used_at text -- when it was used after all, UTC; null: not (yet)
) strict;
CREATE INDEX predictions_by_session on predictions (session_id, predicted);
CREATE TABLE prediction_weights ( -- local: how far each reason proved right, by signal
    signal text not null, -- signal
    source text not null, -- reason
    weight real not null, -- what its votes count
    predicted_count integer not null default 0, -- times it spoke
    used_count integer not null default 0, -- times it was right
    updated_at text not null, -- UTC
    primary key (signal, source)
) strict, without rowid;
CREATE INDEX memories_that_warn on memories (project) where kind = 'negative' and active = 1 and trigger_patterns <> '[]';
CREATE INDEX surfaced_by_memory on surfaced (memory_id);
CREATE TABLE usage ( -- local: what was served and used on this machine
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    accessed_at text, -- last confirmed use, UTC
    access_count integer not null default 0, -- confirmed uses
    retrieval_count integer not null default 0, -- times returned
    citation_count integer not null default 0, -- reserved: times it influenced an action (seed 004); counted by feedback, weighed by nothing yet
    ignore_count integer not null default 0 -- reserved: times returned and not used (seed 004); counted by feedback, weighed by nothing yet
) strict;
CREATE TABLE mentions ( -- local: paths that outputs of a session named, from which the next file is often taken; the newest few hundred
    session_id text not null, -- session
    path text not null, -- path relative to the repository root
    call integer not null, -- number, in the session, of the last output that named it
    position integer not null, -- how many paths that output named before it
    mention_count integer not null default 1, -- outputs that named it
    primary key (session_id, path)
) strict, without rowid;
CREATE TABLE memory_aliases ( -- shared: ids that a memory had in another store before the two were merged
    former_id integer primary key, -- id it had there
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    created_at text not null -- when it was remembered under that id, UTC
) strict;
CREATE INDEX memory_aliases_by_memory on memory_aliases (memory_id);
CREATE TABLE memory_revisions ( -- shared: what a memory said before it was edited, by hash; tells a store that is behind from one that says otherwise
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    revision text not null, -- sha256/16 of the former statement; see memkit/memories/identity.py
    replaced_at text not null, -- when another statement took its place, UTC
    primary key (memory_id, revision)
) strict, without rowid;
CREATE TABLE source_readings ( -- shared: what was read at the source of a memory the last time, by hash
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    source text not null, -- where it was read
    text_hash text not null, -- sha256/16 of the statement
    body_hash text not null, -- sha256/16 of its body, without headings; '' if not noted
    metadata_hash text not null, -- sha256/16 of kind, tags, paths, triggers and steps; '' if not noted
    read_at text not null -- UTC
) strict;
CREATE TABLE paraphrases ( -- shared: other wordings of a memory, folded into it
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    text_hash text not null, -- sha256/16 of the wording
    text text not null, -- the wording
    said_at text not null, -- UTC
    primary key (memory_id, text_hash)
) strict, without rowid;
CREATE TABLE surfaced_global ( -- local: what a session has been shown of the global store, which is a file of its own
    session_id text not null, -- session
    memory_id integer not null, -- the memory, by its id there
    shown_at text not null, -- UTC
    primary key (session_id, memory_id)
) strict, without rowid;
CREATE TABLE change_counters ( -- local: the file's change counter at memkit's last own write
    id integer primary key check (id = 1), -- one row
    change_counter integer not null -- a different counter in the file's header means: edited from outside
) strict;
CREATE TABLE task_history ( -- shared: what a user wanted done, and what came of it
    id integer primary key, -- time-sorted id
    task_id text not null unique, -- its name: given by the agent, or made from the id
    session_id text not null, -- session it was begun in
    parent_task_id text, -- the task it is a part of
    project text not null default '', -- wall between projects that share this file
    description text not null, -- what was to be done
    intent text
        check (intent in ('code_reading', 'code_writing', 'project_fixing', 'project_exploration')), -- inferred from words and operations
    status text not null default 'active'
        check (status in ('active', 'paused', 'completed', 'failed', 'abandoned')), -- where it stands; abandoned: its session died while it was under way
    source text not null default 'agent', -- agent: recorded as it happened; else the format it was imported from
    branch text, -- git branch it was done on
    commit_hash text, -- git commit it began at, or ended in
    started_at text not null, -- UTC
    paused_at text, -- when it was last paused, UTC
    completed_at text, -- when it was completed or failed, or last heard of, UTC
    files_touched text not null default '[]' check (json_valid(files_touched)), -- JSON list of paths, counted from file_interactions
    tools_used text not null default '{}' check (json_valid(tools_used)), -- JSON {tool: calls}, counted from tool_executions
    outcome text, -- what came of it, in a sentence
    error_message text, -- what it failed with
    updated_at text not null -- last change of this row, UTC
) strict;
CREATE INDEX task_history_by_status on task_history (status, started_at);
CREATE INDEX task_history_by_session on task_history (session_id);
CREATE INDEX task_history_by_parent on task_history (parent_task_id) where parent_task_id is not null;
CREATE TABLE context_items ( -- local: what a task under way noted for itself; gone when the task ends
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
CREATE TABLE memory_items ( -- shared: what a decision, convention, failure, preference or pattern holds beside its memory
    memory_id integer primary key references memories (id) on delete cascade, -- the memory that says it
    kind text not null
        check (kind in ('decision', 'convention', 'failure', 'preference', 'pattern', 'reasoning', 'tool_output')), -- what it is
    payload text not null default '{}' check (json_valid(payload)), -- JSON: the rest of it
    updated_at text not null -- last change of this row, UTC
) strict;
CREATE TABLE session_contexts ( -- local: contexts of sessions, one row a saved version; the newest few are kept
    session_id text not null, -- session
    version integer not null, -- 1, 2, ...
    saved_at text not null, -- UTC
    tokens integer not null, -- tokens of history and summary
    data text not null check (json_valid(data)), -- JSON: facts, recent_history, long_term_summary, active_tasks, ...
    primary key (session_id, version)
) strict;
CREATE TABLE removed_spans ( -- local: what was taken out of a context, word for word, so that it can be had back
    id integer primary key, -- the handle that the stub in its place names: made of what it stands for
    session_id text not null, -- session
    snapshot_id integer, -- the snapshot taken at that moment, if one was
    removed_at text not null, -- UTC
    kind text not null
        check (kind in ('tool_result', 'message', 'history')), -- what it was
    content text not null check (json_valid(content)), -- JSON: the item, or the list of entries
    tokens integer not null -- tokens it had
) strict;
CREATE INDEX removed_spans_by_session on removed_spans (session_id, id);
CREATE INDEX removed_spans_by_time on removed_spans (removed_at);
CREATE INDEX removed_spans_by_snapshot on removed_spans (snapshot_id) where snapshot_id is not null;
CREATE TABLE surfaced_items ( -- local: what a session has been shown beside memories: errors, attempts, code, patterns
    session_id text not null, -- session
    item text not null, -- its name, e.g. error:3fa2, symbol:src/a.py::f
    shown_at text not null, -- UTC
    primary key (session_id, item)
) strict, without rowid;
CREATE INDEX memories_standing on memories (kind, id) where kind <> 'fact' and active = 1;
CREATE INDEX memories_by_author on memories (author) where author is not null;
CREATE TABLE settings ( -- shared: what holds for everybody who uses this file: relations of its memories to global ones
    name text primary key, -- dotted name: global.KIND.FROM.TO for a relation between the memories of two ids
    value text not null check (json_valid(value)), -- JSON; of a relation an object (memkit/memories/global_relations.py)
    updated_at text not null -- UTC, YYYY-MM-DDTHH:MM:SS.sssZ as all times here
) strict, without rowid;
CREATE TABLE memory_reviews ( -- shared: memories that nobody asked to remember; without a row a memory was told or read
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    state text not null
        check (state in ('pending', 'accepted', 'rejected', 'expired')), -- expired: waited too long behind too many others
    reason text, -- why it was taken for worth remembering, or why it was rejected
    noted_at text not null -- last change of the state, UTC
) strict;
CREATE INDEX memory_reviews_pending on memory_reviews (noted_at, memory_id) where state = 'pending';
CREATE TABLE named_documents ( -- shared: what a framework keeps under a name, beside the memory by which recall finds it
    memory_id integer primary key references memories (id) on delete cascade, -- the memory that says it; forgotten: it is not searched
    project text not null default '', -- wall between projects that share this file
    namespace text not null, -- where it lies: labels joined by '.', e.g. users.alice
    key text not null, -- its name there
    value text not null check (json_valid(value)), -- JSON: the document, secrets replaced
    updated_at text not null -- last change of this row, UTC
) strict;
CREATE INDEX named_documents_by_name on named_documents (project, namespace, key);
CREATE TABLE transcript_entries ( -- local: transcripts of sessions as their framework writes them
    collection text not null, -- the framework, and what it tells its sessions apart by, e.g. claude/-home-me-shop
    session_id text not null, -- session
    part text not null default '', -- '' is the session itself; else what runs or is kept beside it, such as a subagent
    position integer not null, -- order in the part; later is greater
    entry_key text, -- the entry's own name, under which it is kept once; null: it has none
    entry text not null check (json_valid(entry)), -- JSON: the entry, secrets replaced
    added_at text not null, -- UTC
    primary key (collection, session_id, part, position)
) strict;
CREATE INDEX transcript_entries_by_key on transcript_entries (collection, session_id, part, entry_key) where entry_key is not null;
CREATE INDEX transcript_entries_by_time on transcript_entries (collection, session_id, added_at);
CREATE TABLE withdrawn_tags ( -- shared: inferred tags that were taken away again, and are not inferred anew
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    tag_id integer not null, -- node of the tag: a hash of its name, so that it needs no row in tags
    withdrawn_at text not null, -- UTC
    primary key (memory_id, tag_id)
) strict, without rowid;
CREATE TABLE discovered_links ( -- shared: pairs of memories that proved useful together; how near that brings them fades
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    times integer not null check (times > 0), -- on how many occasions
    last_at text not null, -- the last of them, UTC
    weight real not null check (weight between 0 and 1), -- what the edge relates_to was given last; an edge of another weight is somebody's own
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
CREATE INDEX discovered_links_back on discovered_links (memory_b);
CREATE TABLE procedure_outcomes ( -- shared: how a procedure fared when it was followed, as a whole and step by step
    id integer primary key, -- time-sorted id
    memory_id integer not null references memories (id) on delete cascade, -- the procedure
    step integer check (step > 0), -- number of the step, from 1; null: the whole
    outcome text not null
        check (outcome in ('succeeded', 'failed', 'skipped')), -- what came of it
    note text, -- why, for people
    session_id text, -- session that followed it; null: unknown
    origin text not null check (origin in ('stated', 'observed')), -- stated: somebody said so; observed: recorded commands match the steps
    noted_at text not null -- UTC
) strict;
CREATE INDEX procedure_outcomes_of on procedure_outcomes (memory_id, step, id);
CREATE TABLE gap_answers ( -- local: questions asked in vain that are answered since, or that nobody needs an answer to
    question_hash text primary key references gaps (question_hash) on delete cascade, -- the question
    memory_id integer references memories (id) on delete cascade, -- what answers it: forgotten, it is open again; null: somebody closed it
    closed_at text not null -- UTC; asked in vain later, it is open again
) strict, without rowid;
CREATE INDEX gap_answers_of on gap_answers (memory_id);
CREATE TABLE consolidation_runs ( -- local: runs of consolidation in this file, and what undoes each
    id integer primary key, -- time-sorted id
    began_at text not null, -- when it was planned, UTC
    ended_at text not null, -- when it was written, UTC
    options text not null check (json_valid(options)), -- JSON: what it was called with
    state text not null
        check (state in ('applied', 'undone', 'final')), -- final: it stands, and what would undo it is not kept (any more)
    undone_at text, -- UTC
    changeset blob -- rows before and after, as SQLite's session extension writes them; null: nothing can be undone by it
) strict;
CREATE TABLE consolidation_changes ( -- local: single changes of a run of consolidation, in the order in which they were made
    run_id integer not null references consolidation_runs (id) on delete cascade, -- the run
    position integer not null, -- 0, 1, … in the run
    action text not null
        check (action in ('merge', 'summarise', 'compress', 'contradict', 'forget', 'link', 'unlink', 'tag')), -- what was done
    memory_id integer not null, -- to which memory
    other_id integer, -- the other node, if there is one: the memory it was merged into, linked with, …, or the tag it got
    score real, -- how sure it was, 0 to 1; null: nothing was weighed
    reason text not null, -- why, for people
    primary key (run_id, position)
) strict, without rowid;
CREATE INDEX consolidation_changes_by_memory on consolidation_changes (memory_id, other_id);
CREATE INDEX consolidation_changes_by_other on consolidation_changes (other_id) where other_id is not null;
CREATE TABLE pair_verdicts ( -- shared: what was decided about two memories, so that nobody decides it twice
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    verdict text not null
        check (verdict in ('contradiction', 'update', 'duplicate', 'distinct')), -- how the two stand to each other
    decided_by text not null check (decided_by in ('caller', 'judge', 'undo')), -- who said so
    texts_hash text not null, -- sha256/16 of both texts: other texts are another pair
    note text, -- why, for people
    decided_at text not null, -- UTC
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
CREATE INDEX pair_verdicts_by_b on pair_verdicts (memory_b);
CREATE TABLE contradictions ( -- shared: pairs that cannot both be true
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    detected_at text not null, -- UTC
    origin text not null default 'stated'
        check (origin in ('stated', 'detected', 'restated', 'merged')), -- who noted it: a caller, the detector, a statement made again after it was replaced, a merge of two stores
    proposed text
        check (proposed in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- settlement that the statements themselves suggest: b_wins where the newer one says that something changed; null: none
    resolved_at text, -- UTC; null: open
    resolution text check (resolution in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- how it was settled
    note text, -- why, for people
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
CREATE INDEX contradictions_by_b on contradictions (memory_b);
CREATE TABLE clusters ( -- derived: groups of memories that are close in meaning, a node each
    id integer primary key, -- below 0; stays as long as most of its members stay
    project text not null, -- wall behind which all of its members stand
    label text not null, -- words that tell it from the others, none of a private memory; '' is made anew at the next look
    size integer not null, -- members
    model_id integer not null, -- encoder in whose vectors it was found
    centroid blob not null, -- int8, the mean of its members' directions
    reach real not null -- cosine of its loneliest member to the nearest other: whose nearest memory lies in it joins from there on
) strict;
CREATE TABLE cluster_members ( -- derived: every memory that was looked at, with its cluster
    memory_id integer primary key, -- the memory
    cluster_id integer, -- the cluster; null: it lies in none
    weight real not null check (weight between 0 and 1) -- how firmly it belongs there
) strict;
CREATE INDEX cluster_members_by_cluster on cluster_members (cluster_id, weight desc, memory_id) where cluster_id is not null;
CREATE TABLE code_state ( -- derived: what the graph as a whole was made from, one row a name
    name text primary key, -- root, definition, languages, next_id, complete, counts, links, flow
    value text not null check (json_valid(value)) -- JSON
) strict, without rowid;
CREATE TABLE code_files ( -- derived: every file that was looked at; a node
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
CREATE TABLE code_symbols ( -- derived: functions, methods, classes, variables of modules and classes, sections of documents; a node each
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
CREATE INDEX code_symbols_by_file on code_symbols (file);
CREATE INDEX code_symbols_by_name on code_symbols (name);
CREATE TABLE code_relations ( -- derived: what edges can be; few rows
    id integer primary key, -- number used in code_edges
    kind text not null
        check (kind in ('calls', 'imports', 'uses', 'inherits', 'references', 'overrides')), -- relation
    tier text not null, -- scope, local, only, candidate, flow: what found it
    state text not null
        check (state in ('resolved', 'ambiguous')), -- ambiguous: one of several candidates, hidden unless asked for
    unique (kind, tier, state)
) strict;
CREATE TABLE code_edges ( -- derived: from a node to a node
    source integer not null, -- node: a symbol, or the file for its top level
    target integer not null, -- node
    relation integer not null, -- kind, tier and state, in code_relations
    lines any not null, -- where it stands in the source's file; several lines are a text, rising, with commas between
    line integer generated always as (cast(lines as integer)) virtual, -- where it stands first
    primary key (source, target, relation)
) strict, without rowid;
CREATE INDEX code_edges_by_target on code_edges (target, source);
CREATE TABLE code_facts ( -- derived: what other files read of a file, so that they can be linked anew without parsing it; a file that nobody reads has none
    file integer not null, -- the file
    part integer not null, -- from 0
    facts blob not null, -- deflated JSON, a piece of it; memkit/codegraph/facts_codec.py
    primary key (file, part)
) strict, without rowid;
CREATE TABLE code_dependencies ( -- derived: the names of other files that a file's edges were made from
    file integer primary key, -- the file
    keys blob not null -- three-byte hashes of dependency keys; a file is linked anew when one of them changes
) strict;
CREATE INDEX memories_counted on memories (pinned, kind, active, superseded_by, tokens);
CREATE INDEX memories_by_fact on memories (key_folded, qualifier_folded, superseded_by) where key is not null;
CREATE TABLE commits ( -- derived: git's log as episodes; the hash leads to what git itself keeps
    id integer primary key, -- commit second << 20 | its place among the commits of that second: sorts as the log does
    hash text not null unique, -- git's name of it
    project text not null default '', -- wall between projects that share this file
    committed_at text not null, -- UTC
    author integer, -- number in commit_names
    subject text not null, -- first line of its message, secrets replaced
    kind text not null default 'change'
        check (kind in ('change', 'fix', 'revert', 'merge')), -- told by its message
    reverts text -- hash of the commit it takes back
) strict;
CREATE TABLE commit_names ( -- derived: paths and authors of git's log, so that a number stands for each
    id integer primary key, -- small number
    name text not null, -- path relative to the repository root; author's name
    project text not null default '', -- wall between projects that share this file
    unique (name, project)
) strict;
CREATE TABLE commit_files ( -- derived: which commit changed which file
    commit_id integer not null, -- commits.id
    name_id integer not null, -- commit_names.id of the path
    operation text not null
        check (operation in ('edit', 'write', 'delete', 'rename')), -- changed, new, removed, moved here
    previous_id integer, -- rename: commit_names.id of the path before
    primary key (name_id, commit_id)
) strict, without rowid;
CREATE INDEX commit_files_by_commit on commit_files (commit_id);
CREATE INDEX commit_files_by_previous on commit_files (previous_id) where previous_id is not null;
CREATE TABLE commit_heads ( -- derived: how far the log was read
    project text primary key, -- wall between projects that share this file
    head text not null, -- hash of the newest commit that was read
    shallow integer not null check (shallow in (0, 1)), -- 1: the clone was cut off, older commits may come yet
    mined_at text not null -- UTC
) strict, without rowid;
CREATE TABLE code_terms ( -- derived: the terms of a file and the direction of their meaning
    file integer primary key, -- the file, in code_files
    hash blob, -- of the bytes the terms were taken from, as in code_files
    terms blob not null, -- three bytes each: number of a stem times four, plus how often it occurs; memkit/codegraph/query/term_index.py
    bits blob not null -- signs of two vectors of the packaged model: of the path, of the names defined; may be empty
) strict;
CREATE TABLE search_documents ( -- derived: the searchable text of a memory, exactly as it was indexed; the long columns last
    id integer primary key, -- the memory
    fingerprint text not null, -- hash of the row and tags it was made from; differs after an edit from outside
    speaker text not null, -- who speaks, of "Name: …" at the beginning, lower case; '' for nobody
    marks integer not null, -- who speaks, a question, an order, a number, a time, a name: what the text shows, as a set of bits; see memkit/memories/search_document.py
    body text not null, -- text, key, value, season, procedure, other wordings, tags; NFC
    split text not null -- identifiers in parts, script boundaries, two-character pieces of unsegmented scripts, other forms of letters, names with signs
) strict;
CREATE INDEX documents_shown on search_documents (id, speaker, marks);
CREATE VIRTUAL TABLE search_index using fts5 (
    body, split,
    content = 'search_documents', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
CREATE TABLE 'search_index_data'(id INTEGER PRIMARY KEY, block BLOB);
CREATE TABLE 'search_index_idx'(segid, term, pgno, PRIMARY KEY(segid, term)) WITHOUT ROWID;
CREATE TABLE 'search_index_docsize'(id INTEGER PRIMARY KEY, sz BLOB);
CREATE TABLE 'search_index_config'(k PRIMARY KEY, v) WITHOUT ROWID;
CREATE INDEX memories_by_time on memories (created_at);
CREATE TABLE embedding_models ( -- derived: the encoders whose vectors are stored here
    id integer primary key, -- small number used in the rows
    name text not null unique, -- the encoder's name: model, hash, pooling
    dimensions integer not null, -- length of its vectors
    changes integer not null -- moves whenever a vector may have changed; begins at the time in milliseconds
) strict;
CREATE TABLE memory_tokens ( -- derived: token ids of a memory; a row without vectors means there was nothing to embed
    memory_id integer primary key, -- the memory
    model_id integer, -- encoder that cut it; null: unknown, treated as of another model
    ids blob not null -- little-endian unsigned 32-bit token ids, all chunks in order
) strict;
CREATE TABLE embeddings ( -- derived: one vector per chunk of a memory
    memory_id integer not null, -- the memory
    chunk integer not null, -- 0, 1, … along the text
    model_id integer, -- encoder that made it
    vector blob not null, -- int8, scaled by the largest component
    primary key (memory_id, chunk)
) strict, without rowid;
CREATE TABLE embedding_bits ( -- derived: the signs of each vector, for a first cut by Hamming distance
    memory_id integer not null, -- the memory
    chunk integer not null, -- chunk
    model_id integer, -- encoder that made it
    bits blob not null, -- one bit a dimension
    primary key (memory_id, chunk)
) strict, without rowid;
CREATE VIEW callers as
select
    t.name as callee, coalesce(tp.name || '.', '') || t.spelled as qualified,
    tf.path as callee_path,
    coalesce(coalesce(sp.name || '.', '') || s.spelled, '') as caller,
    sf.path as path, l.value as line, r.tier, r.state
from code_symbols t
join code_edges e on e.target = t.id
join json_each('[' || e.lines || ']') l
join code_relations r on r.id = e.relation and r.kind = 'calls'
join code_files tf on tf.id = t.file
left join code_symbols tp on tp.id = t.parent
left join code_symbols s on s.id = e.source
left join code_symbols sp on sp.id = s.parent
join code_files sf on sf.id = coalesce(s.file, e.source);
CREATE VIEW hot_files as
select path, sum(changes) as changes, sum(reads) as reads, sum(commits) as commits, max(last_at) as last_at
from (
    select file_path as path, operation in ('edit', 'write', 'delete', 'rename') as changes,
        operation in ('read', 'search', 'analyze') as reads, 0 as commits, timestamp as last_at
    from file_interactions
    union all
    select n.name, 0, 0, 1, c.committed_at
    from commit_files f
    join commit_names n on n.id = f.name_id
    join commits c on c.id = f.commit_id
)
group by path
order by changes desc, commits desc, reads desc, path;
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
where c.resolved_at is null and a.active = 1 and b.active = 1
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
select 'uses of memories that helped', coalesce(sum(access_count), 0) from usage
union all
select 'actions that memories influenced', coalesce(sum(citation_count), 0) from usage
union all
select 'memories served and not used', coalesce(sum(ignore_count), 0) from usage
union all
select 'tags', count(*) from tags
union all
select 'edges', count(*) from edges
union all
select 'open contradictions', count(*) from open_contradictions
union all
select 'questions without an answer', count(*) from gaps
union all
select 'tasks ' || status, count(*) from task_history group by status
union all
select 'sessions', count(*) from sessions
union all
select 'calls of tools', count(*) from tool_executions
union all
select 'files read or changed', count(*) from file_interactions
union all
select 'patterns', count(*) from learned_patterns where active = 1
union all
select 'commits', count(*) from commits
union all
select 'files of the code', count(*) from code_files
union all
select 'symbols of the code', count(*) from code_symbols
union all
select 'edges of the code', count(*) from code_edges;
CREATE VIEW stale as
with held(memory_id, path, symbol, hash, digest) as (
    select a.memory_id, a.path, a.symbol, lower(hex(f.hash)), 0
    from anchors a
    join code_files f on f.path = a.path
    where a.symbol = ''
    union all
    select a.memory_id, a.path, a.symbol, printf('%08x', s.digest), s.digest
    from anchors a
    join code_files f on f.path = a.path
    cross join code_symbols s on s.file = f.id
    left join code_symbols p on p.id = s.parent
    where a.symbol <> '' and (a.symbol = s.spelled and p.id is null
        or substr('.' || a.symbol, -length(p.name) - length(s.name) - 2) = '.' || p.name || '.' || s.name)
),
-- What reads as a symbol did: by its own name anywhere it was moved; by another in the same class, renamed.
alike(path, name, around, hash) as materialized (
    select f.path, s.name, coalesce(p.name, ''), printf('%08x', s.digest)
    from code_symbols s
    join code_files f on f.id = s.file
    left join code_symbols p on p.id = s.parent
    where printf('%08x', s.digest) in (select symbol_hash from anchors where symbol <> '')
),
noted(memory_id, path, symbol, hash, around, name) as (
    -- What stands before the last dot is left when all that is no dot is cut off behind.
    select memory_id, path, symbol, symbol_hash, '.' || rtrim(symbol, replace(symbol, '.', '')),
        substr(symbol, length(rtrim(symbol, replace(symbol, '.', ''))) + 1)
    from anchors
)
select m.id, a.path, a.symbol,
    case
        when count(h.hash) > 0 then 'changed'
        when a.hash is null then 'unknown'
        when exists (select 1 from alike s where s.hash = a.hash and s.name = a.name) then 'moved'
        when 1 = (select count(*) from alike s where s.hash = a.hash and s.path = a.path
            and substr(a.around, -length(s.around) - 2) = rtrim('.' || s.around, '.') || '.') then 'renamed'
        else 'not there'
    end as what, m.text
from noted a
join memories m on m.id = a.memory_id
left join held h on h.memory_id = a.memory_id and h.path = a.path and h.symbol = a.symbol
where m.active = 1 and exists (select 1 from code_files)
group by a.memory_id, a.path, a.symbol
having count(h.hash) = 0 or a.hash <> '' and max(h.hash = a.hash) = 0
    and printf('%08x', sum(h.digest) & 4294967295) <> a.hash;
CREATE VIEW symbol_edges as
select
    r.kind, coalesce(s.name, '') as source, sf.path as source_path, l.value as line,
    coalesce(t.name, '') as target, tf.path as target_path, r.tier, r.state
from code_edges e
join json_each('[' || e.lines || ']') l
join code_relations r on r.id = e.relation
left join code_symbols s on s.id = e.source
join code_files sf on sf.id = coalesce(s.file, e.source)
left join code_symbols t on t.id = e.target
join code_files tf on tf.id = coalesce(t.file, e.target);
CREATE VIEW symbols as
select
    s.id, f.path, s.kind, s.name,
    (with recursive enclosing (id, parent, qualified) as (
            select s.id, s.parent, s.spelled
            union all
            select p.id, p.parent, p.spelled || '.' || e.qualified
            from enclosing e
            join code_symbols p on p.id = e.parent
            limit 100
        )
        select qualified from enclosing order by length(qualified) desc limit 1) as qualified,
    s.line, s.end_line, s.flags
from code_symbols s
join code_files f on f.id = s.file;
CREATE VIEW tag_counts as
select
    t.name as tag,
    count(m.id) filter (where e.weight > 0.4) as given,
    count(m.id) filter (where e.weight <= 0.4) as inferred,
    t.description
from tags t
left join edges e on e.dst = t.id and e.kind = 'has_tag'
left join memories m on m.id = e.src and m.active = 1
group by t.id
order by count(m.id) desc, t.name;
CREATE VIEW timeline as
select timestamp as at, 'call' as what, tool_name as name,
    case success when 1 then 'ok' else 'failed' end as result,
    substr(coalesce(error_message, parameters), 1, 120) as detail, task_id as task
from tool_executions
union all
select timestamp, operation, file_path, case success when 1 then 'ok' else 'failed' end,
    substr(coalesce(changes_summary, context, ''), 1, 120), task_id
from file_interactions
union all
select coalesce(completed_at, paused_at, started_at), 'task', description, status,
    substr(coalesce(outcome, error_message, ''), 1, 120), task_id
from task_history
union all
select committed_at, 'commit', substr(hash, 1, 12), kind, subject, null
from commits
order by at desc;
CREATE VIEW tool_success as
select tool_name as tool, count(*) as calls, sum(success) as successes,
    round(avg(success), 3) as success_rate, round(avg(duration_ms)) as mean_ms, max(timestamp) as last_at
from tool_executions
group by tool_name
order by calls desc, tool_name;
