-- What was done, newest first: calls of tools, files, tasks that ended and commits, each in a line.
create view timeline as
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
