-- Episodes: written by memkit/episodes only, asked by its questions.

-- name: last_id(first, last)
-- Largest id between two ids of all tables that share one source of ids.
select max(id)
from (
    select max(id) as id from sessions where id between :first and :last
    union all
    select max(id) from task_history where id between :first and :last
    union all
    select max(id) from tool_executions where id between :first and :last
    union all
    select max(id) from file_interactions where id between :first and :last
    union all
    select max(id) from context_snapshots where id between :first and :last
);

-- name: add_session(id, session_id, project, agent, source, branch, commit_hash, started_at, parent_session_id)
-- A session begins; one that had ended goes on.
insert into sessions (
    id, session_id, project, agent, source, branch, commit_hash, started_at, updated_at, parent_session_id
) values (
    :id, :session_id, :project, :agent, :source, :branch, :commit_hash, :started_at, :started_at,
    nullif(:parent_session_id, :session_id)
)
on conflict (session_id) do update
set ended_at = null, parent_session_id = coalesce(parent_session_id, excluded.parent_session_id)
where ended_at is not null or (parent_session_id is null and excluded.parent_session_id is not null);

-- name: silent_sessions(before)
-- Sessions that did not end and of which nothing was heard since a moment, with the last that was.
with open(session_id, at) as (
    select s.session_id, max(
        s.started_at, s.updated_at,
        coalesce((select max(t.updated_at) from task_history t where t.session_id = s.session_id), ''),
        coalesce((select max(e.timestamp) from tool_executions e where e.session_id = s.session_id), ''),
        coalesce((select max(f.timestamp) from file_interactions f where f.session_id = s.session_id), ''),
        coalesce((select max(c.timestamp) from context_snapshots c where c.session_id = s.session_id), ''))
    from sessions s
    where s.ended_at is null and s.started_at < :before
)
select session_id, at
from open
where at < :before;

-- name: parent_session(session_id)
-- The session that began another.
select parent_session_id
from sessions
where session_id = :session_id;

-- name: active_tasks(session_id)
-- Names of the tasks of a session that are under way.
select task_id
from task_history
where session_id = :session_id and status = 'active';

-- name: revive_task(task_id, at)
-- A task that was given up goes on.
update task_history
set status = 'active', completed_at = null, updated_at = :at
where task_id = :task_id and status = 'abandoned';

-- name: drop_task_items(task_id)
-- What a task noted for itself goes with its end.
delete from context_items
where task_id = :task_id
    and project = (select project from task_history where task_id = :task_id);

-- name: end_session(session_id, at, summary)
-- A session is over.
update sessions
set ended_at = :at, updated_at = :at, summary = coalesce(:summary, summary)
where session_id = :session_id;

-- name: add_task(id, task_id, session_id, parent_task_id, project, description, intent, source, branch, commit_hash, started_at)
-- A task begins; one that is there stays as it is.
insert into task_history (
    id, task_id, session_id, parent_task_id, project, description, intent, source, branch, commit_hash,
    started_at, updated_at
) values (
    :id, :task_id, :session_id, :parent_task_id, :project, :description, :intent, :source, :branch, :commit_hash,
    :started_at, :started_at
)
on conflict (task_id) do nothing;

-- name: set_task(task_id, status, at, outcome, error_message, intent)
-- A task goes on, rests or ends; its files and tools are counted from what was recorded.
update task_history
set status = :status,
    paused_at = case when :status = 'paused' then :at else paused_at end,
    completed_at = case when :status in ('completed', 'failed', 'abandoned') then :at end,
    outcome = coalesce(:outcome, outcome),
    error_message = coalesce(:error_message, error_message),
    intent = :intent,
    files_touched = (
        select json_group_array(path) from (
            select value as path from json_each(task_history.files_touched)
            union
            select file_path from file_interactions where task_id = :task_id
            order by path)),
    tools_used = (
        select json_group_object(tool, calls) from (
            select tool, max(calls) as calls from (
                select key as tool, value as calls from json_each(task_history.tools_used)
                union all
                select tool_name, count(*) from tool_executions where task_id = :task_id group by tool_name)
            group by tool
            order by tool)),
    updated_at = :at
where task_id = :task_id;

-- name: task_state(task_id)
-- What a change of a task's state goes by.
select id, description, status, project
from task_history
where task_id = :task_id;

-- name: open_task(session_id)
-- The task of a session that is under way, the newest one; one that was given up goes on with its session.
select task_id
from task_history
where session_id = :session_id and status in ('active', 'abandoned')
order by status = 'active' desc, started_at desc, id desc
limit 1;

-- name: last_task(session_id)
-- The task of a session that was begun last.
select task_id
from task_history
where session_id = :session_id
order by started_at desc, id desc
limit 1;

-- name: task_operations(task_id)
-- How often each operation was done in a task.
select operation, count(*)
from file_interactions
where task_id = :task_id
group by operation;

-- name: add_execution(id, timestamp, session_id, task_id, tool_name, parameters, result, success, error_message, duration_ms, context_tokens, exit_code, output, original_bytes, output_hash, output_type, error_signature, call_id)
-- A call of a tool.
insert into tool_executions (
    id, timestamp, session_id, task_id, tool_name, parameters, result, success, error_message,
    duration_ms, context_tokens, exit_code, output, original_bytes, output_hash, output_type,
    error_signature, call_id
) values (
    :id, :timestamp, :session_id, :task_id, :tool_name, :parameters, :result, :success, :error_message,
    :duration_ms, :context_tokens, :exit_code, :output, :original_bytes, :output_hash, :output_type,
    :error_signature, :call_id
)
on conflict (id) do nothing;

-- name: execution_named(session_id, call_id)
-- The call that its caller gave a name; is_open if nothing was told of what came of it.
select
    id,
    success,
    output_hash is null and error_message is null and exit_code is null and result is null as is_open
from tool_executions
where session_id = :session_id and call_id = :call_id;

-- name: forget_call(id)
-- A call goes, because what came of it is told now.
delete from tool_executions
where id = :id;

-- name: forget_files(session_id, execution_id)
-- The files of such a call go with it.
delete from file_interactions
where session_id = :session_id and execution_id = :execution_id;

-- name: output_chars(session_id)
-- Characters of output kept of a session.
select coalesce(sum(length(output)), 0)
from tool_executions
where session_id = :session_id;

-- name: add_interaction(id, timestamp, session_id, task_id, execution_id, file_path, operation, previous_path, line_range, success, context, changes_summary, content_hash)
-- A file was read, searched or changed.
insert into file_interactions (
    id, timestamp, session_id, task_id, execution_id, file_path, operation, previous_path, line_range,
    success, context, changes_summary, content_hash
) values (
    :id, :timestamp, :session_id, :task_id, :execution_id, :file_path, :operation, :previous_path, :line_range,
    :success, :context, :changes_summary, :content_hash
)
on conflict (id) do nothing;

-- name: add_snapshot(id, timestamp, session_id, task_id, context_items, total_tokens, pruned_items, reason)
-- What was in the context.
insert into context_snapshots (
    id, timestamp, session_id, task_id, context_items, total_tokens, pruned_items, reason
) values (
    :id, :timestamp, :session_id, :task_id, :context_items, :total_tokens, :pruned_items, :reason
)
on conflict (id) do nothing;

-- name: tasks_by(ids)
-- Whole tasks in the order of the JSON list :ids; files and tools as counted by now.
select
    t.id, t.task_id, t.session_id, t.parent_task_id, t.project, t.description, t.intent, t.status, t.source,
    t.branch, t.commit_hash, t.started_at, t.paused_at, t.completed_at, t.outcome, t.error_message,
    (select json_group_array(path) from (
        select value as path from json_each(t.files_touched)
        union
        select file_path from file_interactions where task_id = t.task_id
        order by path)) as files_touched,
    (select json_group_object(tool, calls) from (
        select tool, max(calls) as calls from (
            select key as tool, value as calls from json_each(t.tools_used)
            union all
            select tool_name, count(*) from tool_executions where task_id = t.task_id group by tool_name)
        group by tool
        order by tool)) as tools_used
from json_each(:ids) listed
join task_history t on t.id = listed.value
order by listed.key;

-- name: open_tasks(project, but_session, limit)
-- Ids of tasks that are active or paused, newest first; not those of one session, if it is given.
select id
from task_history
where status in ('active', 'paused') and project = :project
    and (:but_session is null or session_id <> :but_session)
order by started_at desc, id desc
limit :limit;

-- name: latest_tasks(project, session, status, since, limit)
-- Ids of tasks, the one begun last first, that agree with every argument that is not null.
select id
from task_history
where project = :project
    and (:session is null or session_id = :session)
    and (:status is null or status = :status)
    and (:since is null or started_at >= :since)
order by started_at desc, id desc
limit :limit;

-- name: task_id_of(name)
-- Id of the task of a name.
select id
from task_history
where task_id = :name;

-- name: task_texts(project)
-- What similar tasks are found by, newest first; what is under way just now is not like itself.
select id, task_id, description, outcome, error_message, updated_at
from task_history t
where project = :project
    and not (status = 'active' and exists (
        select 1 from sessions s where s.session_id = t.session_id and s.ended_at is null))
order by started_at desc, id desc;

-- name: commit_texts(project)
-- What similar commits are found by, newest first.
select id, hash, subject, committed_at
from commits
where project = :project
order by id desc;

-- name: files_of_commit(commit_id)
-- Paths that a commit changed.
select n.name
from commit_files c
join commit_names n on n.id = c.name_id
where c.commit_id = :commit_id
order by n.name;

-- name: sessions(project, limit)
-- Sessions, newest first; one that ended without a word is summed up by its tasks.
select s.id, s.session_id, s.project, s.agent, s.source, s.branch, s.commit_hash, s.started_at, s.ended_at,
    s.parent_session_id,
    coalesce(s.summary, (
        select group_concat(line, char(10)) from (
            select t.status || ': ' || substr(t.description, 1, 160)
                || coalesce(' – ' || substr(coalesce(t.outcome, t.error_message), 1, 160), '') as line
            from task_history t
            where t.session_id = s.session_id and t.parent_task_id is null
            order by t.started_at, t.id
            limit 10))) as summary
from sessions s
where s.project = :project
order by s.started_at desc, s.id desc
limit :limit;

-- name: calls(project, session, task, tool, success, since, words, respelt, limit)
-- Calls, newest first, that agree with every argument that is not null; :words is a JSON list of texts that all occur in parameters, output or error, each as it stands there or in :respelt.
select e.*
from tool_executions e
left join sessions s on s.session_id = e.session_id
where coalesce(s.project, '') = :project
    and (:session is null or e.session_id = :session)
    and (:task is null or e.task_id = :task)
    and (:tool is null or e.tool_name = :tool)
    and (:success is null or e.success = :success)
    and (:since is null or e.timestamp >= :since)
    and not exists (
        select 1 from json_each(coalesce(:words, '[]')) w
        where instr(lower(e.tool_name || ' ' || e.parameters || ' ' || coalesce(e.output, '') || ' '
            || coalesce(e.error_message, '')), lower(w.value)) = 0
            and (:respelt is null
                or instr(lower(e.tool_name || ' ' || e.parameters || ' ' || coalesce(e.output, '') || ' '
                    || coalesce(e.error_message, '')), lower(:respelt ->> w.key)) = 0))
order by e.timestamp desc, e.id desc
limit :limit;

-- name: calls_of_session(session, limit)
-- Every call of a session in its order.
select *
from tool_executions
where session_id = :session
order by timestamp, id
limit :limit;

-- name: files_of_session(session, limit)
-- Every interaction with a file of a session in its order.
select *
from file_interactions
where session_id = :session
order by timestamp, id
limit :limit;

-- name: interactions_of(project, path, limit)
-- What was done with a file under one name, and what gave it another, newest first.
select f.*
from file_interactions f
left join sessions s on s.session_id = f.session_id
where (f.file_path = :path or f.previous_path = :path) and coalesce(s.project, '') = :project
order by f.timestamp desc, f.id desc
limit :limit;

-- name: interaction_counts(project, path, at, number)
-- Times a file was read or searched since a moment, times it was changed, and the last time of either.
select
    coalesce(sum(f.operation in ('read', 'search', 'analyze')), 0),
    coalesce(sum(f.operation not in ('read', 'search', 'analyze')), 0),
    max(f.timestamp)
from file_interactions f
left join sessions s on s.session_id = f.session_id
where f.file_path = :path and (f.timestamp, f.id) >= (:at, :number) and coalesce(s.project, '') = :project;

-- name: moves(project, path)
-- When a file came to a name or left it, in a session or by a commit, with both names, oldest first.
select f.timestamp as at, f.id as number, f.previous_path as source, f.file_path as target
from file_interactions f
left join sessions s on s.session_id = f.session_id
where (f.file_path = :path or f.previous_path = :path)
    and f.previous_path <> f.file_path and f.success = 1 and coalesce(s.project, '') = :project
union all
select c.committed_at, c.id, p.name, n.name
from commit_names own
join commit_files f on f.name_id = own.id and f.previous_id is not null or f.previous_id = own.id
join commits c on c.id = f.commit_id
join commit_names n on n.id = f.name_id
join commit_names p on p.id = f.previous_id
where own.name = :path and own.project = :project and p.name <> n.name
order by at, number;

-- name: is_used_since(project, path, at, number)
-- Whether a file of this name was worked on, or is in a commit, at a moment or after it.
select exists (
        select 1 from file_interactions f left join sessions s on s.session_id = f.session_id
        where f.file_path = :path and (f.timestamp, f.id) >= (:at, :number)
            and f.success = 1 and f.operation <> 'search' and coalesce(s.project, '') = :project)
    or exists (
        select 1 from commit_names n
        join commit_files f on f.name_id = n.id
        join commits c on c.id = f.commit_id
        where n.name = :path and n.project = :project and f.operation <> 'delete'
            and (c.committed_at, c.id) >= (:at, :number));

-- name: paths_named(project, name, limit)
-- Files in folders that have a name: those worked on last first, then those that only commits tell of, then those outside of the root.
select path
from (
    select f.file_path as path, f.timestamp as at
    from file_interactions f
    left join sessions s on s.session_id = f.session_id
    where coalesce(s.project, '') = :project
        and substr(f.file_path, -length(:name) - 1) = '/' || :name
    union all
    select name, '' from commit_names where project = :project and substr(name, -length(:name) - 1) = '/' || :name)
group by path
order by path like 'outside:%', max(at) desc, path
limit :limit;

-- name: is_known(project, path)
-- Whether anything was done with a file, or a commit tells of it.
select exists (
        select 1 from file_interactions f left join sessions s on s.session_id = f.session_id
        where f.file_path = :path and coalesce(s.project, '') = :project)
    or exists (select 1 from commit_names where name = :path and project = :project);

-- name: interactions_with(project, path, pattern, limit)
-- Interactions whose path is like one pattern, or reason or change like another, newest first.
select f.*
from file_interactions f
left join sessions s on s.session_id = f.session_id
where coalesce(s.project, '') = :project
    and (f.file_path like :path escape '\'
        or f.context like :pattern escape '\'
        or f.changes_summary like :pattern escape '\')
order by f.timestamp desc, f.id desc
limit :limit;

-- name: commits_of(project, path, limit)
-- Commits that changed a file or moved it away, newest first, with its path after each.
with touched (commit_id, name_id, operation) as (
    select f.commit_id, f.name_id, f.operation
    from commit_names n
    join commit_files f on f.name_id = n.id
    where n.name = :path
    union
    select f.commit_id, f.name_id, f.operation
    from commit_names n
    join commit_files f on f.previous_id = n.id
    where n.name = :path
)
select c.hash, c.committed_at, c.subject, t.operation, p.name, c.id
from touched t
join commits c on c.id = t.commit_id
join commit_names p on p.id = t.name_id
where c.project = :project
order by c.id desc
limit :limit;

-- name: commit_count(project, path, at, number)
-- How many commits changed a file since a moment.
select count(*)
from commit_names n
join commit_files f on f.name_id = n.id
join commits c on c.id = f.commit_id
where n.name = :path and (c.committed_at, c.id) >= (:at, :number) and c.project = :project;

-- name: taken_back(project, path)
-- Commits that changed a file and were reverted, with the commit that did it.
select c.hash, c.committed_at, c.subject, r.hash, r.committed_at, r.subject
from commit_names n
join commit_files f on f.name_id = n.id
join commits c on c.id = f.commit_id
join commits r on r.reverts = c.hash and r.project = c.project
where n.name = :path and c.project = :project
order by r.id desc;

-- name: edited_together(project, path, within, since)
-- Pairs of files that were changed within :within seconds of each other in one task (or one session, without a task): how many, and the last; one of them is :path, if it is given.
-- Each is compared with those of its own and the neighbouring spans of time alone: a session may have many thousand changes.
with near(step) as (values (-1), (0), (1)),
changed(file_path, timestamp, session_id, task_id, whole, second, span) as materialized (
    select file_path, timestamp, session_id, task_id, coalesce(task_id, session_id), julianday(timestamp) * 86400,
        cast(julianday(timestamp) * 86400 / :within as integer)
    from file_interactions
    where operation in ('edit', 'write', 'delete', 'rename') and success = 1
        and (:path is null or coalesce(task_id, session_id) in (
            select coalesce(f.task_id, f.session_id) from file_interactions f where f.file_path = :path))
)
select a.file_path, b.file_path, count(distinct a.whole), max(max(a.timestamp, b.timestamp))
from changed a
left join sessions s on s.session_id = a.session_id
cross join near
join changed b on b.whole = a.whole and b.span = a.span + near.step
where (a.file_path = :path or :path is null and a.file_path < b.file_path) and b.file_path <> a.file_path
    and (a.task_id is null) = (b.task_id is null)
    and abs(b.second - a.second) <= :within
    and coalesce(s.project, '') = :project
    and (:since is null or a.timestamp >= :since)
group by a.file_path, b.file_path;

-- name: committed_with(project, spans, max_files, since)
-- Files that were changed by the same commits as a file, known by the names of the JSON list :spans, each with its first moment and that after its last ([name, at, id, at, id]): how many commits, and the last; those of more than :max_files do not count.
select o.name, count(distinct c.id), max(c.committed_at)
from json_each(:spans) listed
join commit_names n on n.name = listed.value ->> '$[0]'
join commit_files a on a.name_id = n.id
join commits c on c.id = a.commit_id
    and (c.committed_at, c.id) >= (listed.value ->> '$[1]', listed.value ->> '$[2]')
    and (c.committed_at, c.id) < (listed.value ->> '$[3]', listed.value ->> '$[4]')
join commit_files b on b.commit_id = c.id and b.name_id <> a.name_id
join commit_names o on o.id = b.name_id
where c.project = :project
    and (:since is null or c.committed_at >= :since)
    and (select count(*) from commit_files f where f.commit_id = c.id) <= :max_files
    and o.name not in (select value ->> '$[0]' from json_each(:spans))
group by o.name;

-- name: committed_together(project, max_files, since)
-- Pairs of files that were changed by the same commits: how many, and the last; those of more than :max_files do not count.
select n.name, o.name, count(*), max(c.committed_at)
from commits c
join commit_files a on a.commit_id = c.id
join commit_files b on b.commit_id = c.id
join commit_names n on n.id = a.name_id
join commit_names o on o.id = b.name_id and o.name > n.name
where c.project = :project
    and (:since is null or c.committed_at >= :since)
    and (select count(*) from commit_files f where f.commit_id = c.id) <= :max_files
group by n.id, o.id;

-- name: tool_stats(project, since, until, tool)
-- Calls, successes and mean duration of each tool in a period, the most used first.
select e.tool_name, count(*), sum(e.success), avg(e.duration_ms)
from tool_executions e
left join sessions s on s.session_id = e.session_id
where coalesce(s.project, '') = :project
    and (:since is null or e.timestamp >= :since)
    and (:until is null or e.timestamp <= :until)
    and (:tool is null or e.tool_name = :tool)
group by e.tool_name
order by count(*) desc, e.tool_name;

-- name: errors(project, signature, words, command, since, limit)
-- Faults with how often and when they occurred and the newest message, the newest first; of one signature, or of those that contain every text of the JSON list :words, or whose calls contain every text of :command.
select e.error_signature, count(*), min(e.timestamp), max(e.timestamp),
    (select coalesce(x.error_message, x.error_signature) from tool_executions x
        where x.error_signature = e.error_signature order by x.timestamp desc, x.id desc limit 1)
from tool_executions e
left join sessions s on s.session_id = e.session_id
where e.error_signature is not null and e.success = 0
    and coalesce(s.project, '') = :project
    and (:signature is null or e.error_signature = :signature)
    and (:since is null or e.timestamp >= :since)
    and not exists (
        select 1 from json_each(coalesce(:words, '[]')) w
        where instr(lower(e.error_signature || ' ' || coalesce(e.error_message, '')), lower(w.value)) = 0)
    and not exists (
        select 1 from json_each(coalesce(:command, '[]')) w
        where instr(lower(e.parameters), lower(w.value)) = 0)
group by e.error_signature
order by max(e.timestamp) desc, max(e.id) desc
limit :limit;

-- name: completed_tasks(session)
-- Names of completed tasks that calls of a session belong to.
select task_id
from task_history
where status = 'completed'
    and task_id in (select task_id from tool_executions where session_id = :session);

-- name: sessions_with_error(project, signature, limit)
-- Sessions in which a fault occurred, newest first.
select e.session_id
from tool_executions e
left join sessions s on s.session_id = e.session_id
where e.error_signature = :signature and e.success = 0 and coalesce(s.project, '') = :project
group by e.session_id
order by max(e.timestamp) desc
limit :limit;

-- name: passed(project, part, limit)
-- The newest calls that came off and have a text among their parameters.
select e.*
from tool_executions e
left join sessions s on s.session_id = e.session_id
where e.success = 1 and instr(e.parameters, :part) > 0
    and coalesce(s.project, '') = :project
order by e.timestamp desc, e.id desc
limit :limit;

-- name: changes_between(project, after, after_id, before, before_id, limit)
-- The last successful changes of files between two calls, newest first.
select f.*
from file_interactions f
left join sessions s on s.session_id = f.session_id
where (f.timestamp, f.id) > (:after, :after_id) and (f.timestamp, f.id) < (:before, :before_id)
    and f.success = 1
    and f.operation in ('edit', 'write', 'delete', 'rename')
    and coalesce(s.project, '') = :project
order by f.timestamp desc, f.id desc
limit :limit;

-- name: sessions_with_path(project, path, limit)
-- Sessions in which a file was changed or was to be changed, newest first.
select f.session_id
from file_interactions f
left join sessions s on s.session_id = f.session_id
where f.file_path = :path and f.operation in ('edit', 'write', 'delete', 'rename')
    and coalesce(s.project, '') = :project
group by f.session_id
order by max(f.timestamp) desc
limit :limit;

-- name: failed_tasks_with(project, path, limit)
-- Failed tasks that touched a file, newest first.
select id
from task_history t
where t.status = 'failed' and t.project = :project
    and (exists (select 1 from file_interactions f where f.task_id = t.task_id and f.file_path = :path)
        or exists (select 1 from json_each(t.files_touched) j where j.value = :path))
order by t.completed_at desc, t.id desc
limit :limit;

-- name: hot_files(project, since, limit)
-- Files by how often they were changed, then worked on; a folder is searched, but no file.
select f.file_path,
    sum(f.operation in ('edit', 'write', 'delete', 'rename')) as changes,
    count(*) as touches
from file_interactions f
left join sessions s on s.session_id = f.session_id
where coalesce(s.project, '') = :project and (:since is null or f.timestamp >= :since)
group by f.file_path
having sum(f.operation <> 'search') > 0
    and not exists (
        select 1 from file_interactions i
        where i.file_path > f.file_path || '/' and i.file_path < f.file_path || '0')
order by changes desc, touches desc, max(f.timestamp) desc, f.file_path
limit :limit;

-- name: counts()
-- How many rows of each sort there are, and the time of the oldest and newest call.
select
    (select count(*) from sessions) as sessions,
    (select count(*) from task_history) as tasks,
    (select count(*) from task_history where status in ('active', 'paused')) as open_tasks,
    (select count(*) from tool_executions) as executions,
    (select count(*) from file_interactions) as interactions,
    (select count(*) from context_snapshots) as snapshots,
    (select count(*) from learned_patterns) as patterns,
    (select count(*) from session_learnings) as learnings,
    (select count(*) from commits) as commits,
    (select min(timestamp) from tool_executions) as first_at,
    (select max(timestamp) from tool_executions) as last_at;

-- name: count_tasks()
-- Files and tools of every task as counted by now, where more was recorded than is written there.
update task_history
set files_touched = (
        select json_group_array(path) from (
            select value as path from json_each(task_history.files_touched)
            union
            select file_path from file_interactions f where f.task_id = task_history.task_id
            order by path)),
    tools_used = (
        select json_group_object(tool, calls) from (
            select tool, max(calls) as calls from (
                select key as tool, value as calls from json_each(task_history.tools_used)
                union all
                select tool_name, count(*) from tool_executions e
                where e.task_id = task_history.task_id group by tool_name)
            group by tool
            order by tool))
where exists (select 1 from tool_executions e where e.task_id = task_history.task_id)
    or exists (select 1 from file_interactions f where f.task_id = task_history.task_id);

-- name: purged_ids(session, task)
-- Ids, kinds and names of the session and tasks that a purge takes: of a session, or a task with its parts.
select id, 'session' as kind, session_id as name
from sessions
where session_id = :session
union
select id, 'task', task_id
from task_history
where session_id = :session or task_id = :task or parent_task_id = :task;

-- name: purge_executions(session, task)
-- Calls of a session, or of a task with its parts.
delete from tool_executions
where session_id = :session or task_id = :task
    or task_id in (select task_id from task_history where parent_task_id = :task);

-- name: purge_interactions(session, task)
-- Interactions of a session, or of a task with its parts.
delete from file_interactions
where session_id = :session or task_id = :task
    or task_id in (select task_id from task_history where parent_task_id = :task);

-- name: purge_snapshots(session, task)
-- Snapshots of a session, or of a task with its parts.
delete from context_snapshots
where session_id = :session or task_id = :task
    or task_id in (select task_id from task_history where parent_task_id = :task);

-- name: purge_predictions(session, task)
-- Predictions of a session, or of a task with its parts.
delete from predictions
where session_id = :session or task_id = :task
    or task_id in (select task_id from task_history where parent_task_id = :task);

-- name: purge_task_items(session, task)
-- What the tasks of a session noted for themselves, or a task and its parts.
delete from context_items
where exists (
    select 1 from task_history t
    where t.task_id = context_items.task_id and t.project = context_items.project
        and (t.session_id = :session or t.task_id = :task or t.parent_task_id = :task));

-- name: purge_tasks(session, task)
-- Tasks of a session, or a task with its parts.
delete from task_history
where session_id = :session or task_id = :task or parent_task_id = :task;

-- name: purge_session(session)
-- The session itself.
delete from sessions
where session_id = :session;

-- name: lost_task_count()
-- Calls and interactions that name a task that is not there.
select
    (select count(*) from tool_executions e
        where e.task_id is not null
            and not exists (select 1 from task_history t where t.task_id = e.task_id))
    + (select count(*) from file_interactions f
        where f.task_id is not null
            and not exists (select 1 from task_history t where t.task_id = f.task_id));

-- name: let_calls_go()
-- Calls of tasks that are not there belong to none.
update tool_executions
set task_id = null
where task_id is not null
    and not exists (select 1 from task_history t where t.task_id = tool_executions.task_id);

-- name: let_files_go()
-- Interactions of tasks that are not there belong to none.
update file_interactions
set task_id = null
where task_id is not null
    and not exists (select 1 from task_history t where t.task_id = file_interactions.task_id);

-- name: lost_sessions()
-- Sessions that tasks, calls or interactions name and that are not there, with their first moment.
select session_id, min(at)
from (
    select session_id, started_at as at from task_history
    union all
    select session_id, timestamp from tool_executions
    union all
    select session_id, timestamp from file_interactions
)
where session_id not in (select session_id from sessions)
group by session_id
order by session_id;

-- name: tables_with_odd_times()
-- Tables in which a time has another form than memkit's, or is no time at all.
select 'sessions'
where exists (
    select 1 from sessions
    where strftime('%Y-%m-%dT%H:%M:%fZ', started_at) is not started_at
        or strftime('%Y-%m-%dT%H:%M:%fZ', ended_at) is not ended_at
        or strftime('%Y-%m-%dT%H:%M:%fZ', updated_at) is not updated_at
)
union all
select 'task_history'
where exists (
    select 1 from task_history
    where strftime('%Y-%m-%dT%H:%M:%fZ', started_at) is not started_at
        or strftime('%Y-%m-%dT%H:%M:%fZ', completed_at) is not completed_at
        or strftime('%Y-%m-%dT%H:%M:%fZ', paused_at) is not paused_at
        or strftime('%Y-%m-%dT%H:%M:%fZ', updated_at) is not updated_at
)
union all
select 'tool_executions'
where exists (
    select 1 from tool_executions
    where strftime('%Y-%m-%dT%H:%M:%fZ', timestamp) is not timestamp
)
union all
select 'file_interactions'
where exists (
    select 1 from file_interactions
    where strftime('%Y-%m-%dT%H:%M:%fZ', timestamp) is not timestamp
)
union all
select 'context_snapshots'
where exists (
    select 1 from context_snapshots
    where strftime('%Y-%m-%dT%H:%M:%fZ', timestamp) is not timestamp
)
union all
select 'learned_patterns'
where exists (
    select 1 from learned_patterns
    where strftime('%Y-%m-%dT%H:%M:%fZ', first_seen) is not first_seen
        or strftime('%Y-%m-%dT%H:%M:%fZ', last_seen) is not last_seen
)
union all
select 'session_learnings'
where exists (
    select 1 from session_learnings
    where strftime('%Y-%m-%dT%H:%M:%fZ', first_seen) is not first_seen
        or strftime('%Y-%m-%dT%H:%M:%fZ', last_seen) is not last_seen
);

-- name: named_by_id(id)
-- Name of the session or of the task of a number, and its last change.
select session_id, null, updated_at
from sessions
where id = :id
union all
select null, task_id, updated_at
from task_history
where id = :id;

-- name: session_paths(session)
-- Paths that a session worked with, or that its outputs named.
select file_path
from file_interactions
where session_id = :session
union
select path
from mentions
where session_id = :session;

-- name: last_mention(session)
-- Number of the last output of a session that named a path, 0 if none did.
select coalesce(max(call), 0)
from mentions
where session_id = :session;

-- name: add_mention(session, path, call, position)
-- An output named a path.
insert into mentions (session_id, path, call, position)
values (:session, :path, :call, :position)
on conflict (session_id, path) do update set
    call = excluded.call, position = excluded.position, mention_count = mention_count + 1;

-- name: forget_mentions(session, oldest)
-- Forget what was named long ago in a session.
delete from mentions
where session_id = :session and call < :oldest;

-- name: forget_sessions_mentions(session, sessions)
-- Forget what was named in sessions before the newest few.
delete from mentions
where session_id <> :session and session_id not in (
    select session_id from sessions order by id desc limit :sessions);

-- name: purge_mentions(session)
-- Paths that outputs of a session named.
delete from mentions
where session_id = :session;
