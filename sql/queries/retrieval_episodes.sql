-- Tasks, errors and failed attempts as sources of recall. It only reads.

-- name: has_episodes(project)
-- Whether a project has any task, and whether any call of the file failed.
select
    exists (select 1 from task_history where project = :project),
    exists (select 1 from tool_executions where error_signature is not null);

-- name: tasks(project, limit)
-- The newest tasks of a project: what they are found by, and whether more is known than their description.
select t.id, t.session_id, t.task_id, t.description, t.outcome, t.error_message, t.status, t.started_at,
    coalesce(t.completed_at, t.paused_at, t.started_at),
    t.files_touched <> '[]' or exists (select 1 from file_interactions f where f.task_id = t.task_id)
from task_history t
where t.project = :project
order by t.id desc
limit :limit;

-- name: reverted_commits(project, limit)
-- Commits that one of the newest ones took back: hash, subject, when and by which.
select c.hash, c.subject, r.committed_at, r.hash
from (select project, committed_at, hash, reverts from commits order by id desc limit :limit) r
join commits c on c.hash = r.reverts
where r.project = :project;

-- name: errors(project, limit)
-- The error signatures that occurred last, with the newest message and its session.
select e.error_signature, coalesce(e.error_message, e.error_signature), e.session_id
from (
    select max(id) as id
    from tool_executions
    where error_signature is not null
    group by error_signature
    order by max(id) desc
    limit :limit
) newest
join tool_executions e on e.id = newest.id
left join sessions s on s.session_id = e.session_id
where e.success = 0 and coalesce(s.project, '') = :project
order by newest.id desc;

-- name: error_occurrences(project, signatures, since, until)
-- How often and when each signature of the JSON list :signatures occurred, with the newest message.
select e.error_signature,
    (select coalesce(x.error_message, x.error_signature) from tool_executions x
        where x.error_signature = e.error_signature order by x.id desc limit 1),
    count(*), min(e.timestamp), max(e.timestamp)
from json_each(:signatures) listed
join tool_executions e on e.error_signature = listed.value
left join sessions s on s.session_id = e.session_id
where e.success = 0 and coalesce(s.project, '') = :project
    and (:since is null or e.timestamp >= :since)
    and (:until is null or e.timestamp <= :until)
group by e.error_signature;

-- name: error_messages(project, signature, since, until, limit)
-- The messages of a signature, the newest first, each with how often and when it occurred.
select e.error_message, count(*), min(e.timestamp), max(e.timestamp)
from tool_executions e
left join sessions s on s.session_id = e.session_id
where e.error_signature = :signature and e.success = 0 and e.error_message is not null
    and coalesce(s.project, '') = :project
    and (:since is null or e.timestamp >= :since)
    and (:until is null or e.timestamp <= :until)
group by e.error_message
order by max(e.id) desc
limit :limit;

-- name: changes(project, words, since, until, window, limit)
-- Changes of files, among the newest interactions, that contain the most texts of the JSON list :words: session, path, reason and change.
select f.session_id, f.file_path, f.context, f.changes_summary
from (
    select id, session_id, timestamp, file_path, context, changes_summary, operation,
        lower(file_path || ' ' || coalesce(context, '') || ' ' || coalesce(changes_summary, '')) as text
    from file_interactions
    order by id desc
    limit :window
) f
join json_each(:words) w on instr(f.text, w.value) > 0
left join sessions s on s.session_id = f.session_id
where f.operation in ('edit', 'write', 'delete', 'rename')
    and coalesce(s.project, '') = :project
    and (:since is null or f.timestamp >= :since)
    and (:until is null or f.timestamp <= :until)
group by f.id
order by count(*) desc, f.id desc
limit :limit;
