-- Transcripts: what of them is in the file already.

-- name: session(session_id)
-- A session that a transcript tells of.
select source, ended_at
from sessions
where session_id = :session_id;

-- name: calls(session_id)
-- The named calls of a session; is_open if nothing had come back when they were taken in.
select
    call_id,
    success,
    success = 0 and output_hash is null and error_message is null and exit_code is null as is_open
from tool_executions
where session_id = :session_id and call_id is not null;

-- name: task(task_id)
-- A task that a transcript tells of.
select session_id, source, status, completed_at, outcome, error_message
from task_history
where task_id = :task_id;

-- name: recorded_task(session_id, description, at, within)
-- The task of a session that was recorded with the same words as it happened, within :within seconds of a moment, the nearest.
select task_id
from task_history
where session_id = :session_id and source = 'agent' and description = :description
    and abs(julianday(started_at) - julianday(:at)) * 86400 <= :within
order by abs(julianday(started_at) - julianday(:at)), id
limit 1;

-- name: task_at(session_id, at)
-- The task of a session that had begun last at a moment.
select task_id
from task_history
where session_id = :session_id and started_at <= :at
order by started_at desc, id desc
limit 1;

-- name: is_purged(id)
-- Whether the task or session whose name gives this id was deleted for good.
select exists (select 1 from tombstones where id = :id);
