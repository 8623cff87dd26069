-- What was done and what came of it: sessions, tasks, tool calls, files, and what was learnt from them.
-- Tasks are named by text (task_id, session_id), so that rows merge without renumbering.

create table sessions ( -- shared: one run of an agent, or one imported transcript
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
) strict;

create table task_history ( -- shared: what a user wanted done, and what came of it
    id integer primary key, -- time-sorted id
    task_id text not null unique, -- its name: given by the agent, or made from the id
    session_id text not null, -- session it was begun in
    parent_task_id text, -- the task it is a part of
    project text not null default '', -- wall between projects that share this file
    description text not null, -- what was to be done
    intent text
        check (intent in ('code_reading', 'code_writing', 'project_fixing', 'project_exploration')), -- inferred from words and operations
    status text not null default 'active'
        check (status in ('active', 'paused', 'completed', 'failed')), -- where it stands
    source text not null default 'agent', -- agent: recorded as it happened; else the format it was imported from
    branch text, -- git branch it was done on
    commit_hash text, -- git commit it began at, or ended in
    started_at text not null, -- UTC
    paused_at text, -- when it was last paused, UTC
    completed_at text, -- when it was completed or failed, UTC
    files_touched text not null default '[]' check (json_valid(files_touched)), -- JSON list of paths, counted from file_interactions
    tools_used text not null default '{}' check (json_valid(tools_used)), -- JSON {tool: calls}, counted from tool_executions
    outcome text, -- what came of it, in a sentence
    error_message text, -- what it failed with
    updated_at text not null -- last change of this row, UTC
) strict;

create index task_history_by_status on task_history (status, started_at);
create index task_history_by_session on task_history (session_id);
create index task_history_by_parent on task_history (parent_task_id) where parent_task_id is not null;

create table tool_executions ( -- local: every call of a tool; outputs as bounded previews
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

create index tool_executions_by_session on tool_executions (session_id, call_id);
create index tool_executions_by_task on tool_executions (task_id) where task_id is not null;
create index tool_executions_by_tool on tool_executions (tool_name, timestamp);
create index tool_executions_by_error on tool_executions (error_signature) where error_signature is not null;

create table file_interactions ( -- local: every file that was read, searched or changed; never its content
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

create index file_interactions_by_path on file_interactions (file_path, timestamp);
create index file_interactions_by_task on file_interactions (task_id) where task_id is not null;
create index file_interactions_by_session on file_interactions (session_id, file_path);

create table context_snapshots ( -- local: what was in the model's context at a moment, and what was removed
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

create index context_snapshots_by_session on context_snapshots (session_id);

create table learned_patterns ( -- shared: what tends to go together, revised as evidence comes
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

create index learned_patterns_by_type on learned_patterns (pattern_type, last_seen);

create table session_learnings ( -- shared: what a session taught that holds for the next ones
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

create index session_learnings_by_type on session_learnings (learning_type, key);

create table mentions ( -- local: paths that outputs of a session named, from which the next file is often taken; the newest few hundred
    session_id text not null, -- session
    path text not null, -- path relative to the repository root
    call integer not null, -- number, in the session, of the last output that named it
    place integer not null, -- how many paths that output named before it
    mention_count integer not null default 1, -- outputs that named it
    primary key (session_id, path)
) strict, without rowid;

create table predictions ( -- local: what was foretold at a signal, and whether it was used
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

create index predictions_by_session on predictions (session_id, predicted);

create table prediction_weights ( -- local: how far each reason proved right, by signal
    signal text not null, -- signal
    source text not null, -- reason
    weight real not null, -- what its votes count
    predicted_count integer not null default 0, -- times it spoke
    used_count integer not null default 0, -- times it was right
    updated_at text not null, -- UTC
    primary key (signal, source)
) strict, without rowid;

-- Negative memories that warn by a pattern are asked for with every question after any write.
create index memories_that_warn on memories (project) where kind = 'negative' and active = 1 and trigger_patterns <> '[]';
