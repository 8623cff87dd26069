-- A session may have been begun by another, and a task whose session was killed is over.

alter table sessions add column parent_session_id text /* session that began this one, such as a subagent's; null: a user did */;

create temporary table before as select * from task_history;
drop table task_history;
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
insert into task_history select * from before;
drop table before;
create index task_history_by_status on task_history (status, started_at);
create index task_history_by_session on task_history (session_id);
create index task_history_by_parent on task_history (parent_task_id) where parent_task_id is not null;
