-- What comes next: read and written by memkit/episodes/predictions/observations.py and predictor.py.

-- name: latest_changes(project, limit)
-- Files of the newest commits, oldest first.
select c.id, c.committed_at, n.name
from (
    select id, committed_at
    from commits
    where project = :project and kind <> 'merge'
    order by id desc
    limit :limit
) c
join commit_files f on f.commit_id = c.id and f.operation <> 'delete'
join commit_names n on n.id = f.name_id
order by c.id;

-- name: changes_of(project, paths, before, limit)
-- Files of commits below id :before that changed one of the JSON list :paths, newest first.
select c.id, c.committed_at, n.name
from (
    select distinct c.id, c.committed_at
    from json_each(:paths) listed
    join commit_names n on n.name = listed.value
    join commit_files f on f.name_id = n.id
    join commits c on c.id = f.commit_id
    where c.project = :project and c.id < :before
    order by c.id desc
    limit :limit
) c
join commit_files f on f.commit_id = c.id
join commit_names n on n.id = f.name_id
order by c.id desc;

-- name: latest_tasks(project, limit)
-- Files changed in the newest tasks (or sessions without a task), oldest first.
select t.name, t.at, f.file_path
from (
    select coalesce(f.task_id, f.session_id) as name, max(f.timestamp) as at
    from file_interactions f
    join sessions s on s.session_id = f.session_id
    where s.project = :project and f.success = 1
        and f.operation in ('edit', 'write', 'rename')
    group by 1
    order by 2 desc
    limit :limit
) t
join file_interactions f on coalesce(f.task_id, f.session_id) = t.name
where f.success = 1 and f.operation in ('edit', 'write', 'rename')
group by t.name, f.file_path
order by t.at, t.name, min(f.id);

-- name: renames(project, limit)
-- The newest renames, oldest first: path before, path after.
select before, after
from (
    select f.commit_id, p.name as before, n.name as after
    from commit_files f
    join commit_names p on p.id = f.previous_id
    join commit_names n on n.id = f.name_id
    where f.previous_id is not null and n.project = :project
    order by f.commit_id desc
    limit :limit
)
order by commit_id;

-- name: stamp(project)
-- What moves when there is more to learn from: commit read last, newest change of a file.
select
    (select head from commit_heads where project = :project) as head,
    (select max(id) from file_interactions where operation in ('edit', 'write', 'rename')) as change;

-- name: paths_between(project, first, last, limit)
-- Known paths in a range of names.
select name
from commit_names
where name >= :first and name < :last and project = :project
limit :limit;

-- name: paths_like(project, pattern, limit)
-- Known paths that are like a pattern.
select name
from commit_names
where name like :pattern escape '\' and project = :project
limit :limit;

-- name: gone(project, paths)
-- Which of the JSON list :paths were deleted, or moved away, by the last commit that touched them.
select n.name
from json_each(:paths) listed
join commit_names n on n.name = listed.value and n.project = :project
where (
        select operation from commit_files f where f.name_id = n.id
        order by f.commit_id desc limit 1
    ) = 'delete'
    or coalesce((select max(commit_id) from commit_files f where f.previous_id = n.id), 0)
        > coalesce((select max(commit_id) from commit_files f where f.name_id = n.id), 0);

-- name: trail(session, limit)
-- The newest files of a session, oldest first, with the lines if not all of it was read.
select id, file_path, operation, line_range
from (
    select id, file_path, operation, iif(operation = 'read', line_range, null) as line_range
    from file_interactions
    where session_id = :session and operation in ('read', 'write', 'edit', 'rename')
    order by id desc
    limit :limit
)
order by id;

-- name: state(session)
-- What was asked for last in a session, and the number of its last call.
select
    (select description from task_history where session_id = :session order by id desc limit 1)
        as asked,
    (select max(id) from tool_executions where session_id = :session) as call;

-- name: mentions(session)
-- Paths that outputs of a session named.
select path, call, position, mention_count
from mentions
where session_id = :session;

-- name: weights(signal)
-- What each reason counts for a signal.
select source, weight
from prediction_weights
where signal = :signal;

-- name: set_weight(signal, source, weight, at)
-- A reason counts as was learnt.
insert into prediction_weights (signal, source, weight, updated_at)
values (:signal, :source, :weight, :at)
on conflict (signal, source) do update set
    weight = excluded.weight, updated_at = excluded.updated_at;

-- name: count_reason(signal, source, weight, predicted, used, at)
-- A reason spoke, or proved right.
insert into prediction_weights (signal, source, weight, predicted_count, used_count, updated_at)
values (:signal, :source, :weight, :predicted, :used, :at)
on conflict (signal, source) do update set
    predicted_count = predicted_count + excluded.predicted_count,
    used_count = used_count + excluded.used_count;

-- name: add(id, timestamp, session_id, task_id, signal, subject, kind, predicted, source, weight)
-- Something was foretold.
insert into predictions (
    id, timestamp, session_id, task_id, signal, subject, kind, predicted, source, weight
) values (
    :id, :timestamp, :session_id, :task_id, :signal, :subject, :kind, :predicted, :source, :weight
);

-- name: last_prediction_id(first, last)
-- Largest id of a prediction between two ids.
select max(id)
from predictions
where id between :first and :last;

-- name: unused(session, predicted)
-- Predictions of a session that have just come true.
select id, signal, source
from predictions
where session_id = :session and predicted = :predicted and used_at is null;

-- name: waiting(session)
-- What was foretold in a session and has not come true yet.
select kind, predicted
from predictions
where session_id = :session and used_at is null;

-- name: set_used(ids, at)
-- They were used.
update predictions set used_at = :at
where id in (select value from json_each(:ids));

-- name: branch_files(project, branch, limit)
-- Files worked on in tasks of a branch, those changed last first.
select f.file_path, count(*) as times, max(f.id) as last
from task_history t
join file_interactions f on f.task_id = t.task_id
where t.project = :project and t.branch = :branch
group by f.file_path
order by last desc
limit :limit;

-- name: hour_files(project, hours, since, limit)
-- Files worked on at the hours (UTC, two digits) of the JSON list :hours, the most often first.
select f.file_path, count(distinct substr(f.timestamp, 1, 10)) as days
from file_interactions f
join sessions s on s.session_id = f.session_id
where s.project = :project and f.timestamp >= :since
    and substr(f.timestamp, 12, 2) in (select value from json_each(:hours))
group by f.file_path
order by days desc, max(f.id) desc
limit :limit;

-- name: author_files(project, name, limit)
-- Files of the newest commits of people whose name is like :name.
select n.name, c.committed_at
from (
    select c.id, c.committed_at
    from commit_names a
    join commits c on c.author = a.id
    where a.name like :name escape '\' and c.project = :project
    order by c.id desc
    limit :limit
) c
join commit_files f on f.commit_id = c.id and f.operation <> 'delete'
join commit_names n on n.id = f.name_id;

-- name: owners(project, paths)
-- Who changed the files of the JSON list :paths, and when.
select a.name, c.committed_at
from json_each(:paths) listed
join commit_names n on n.name = listed.value and n.project = :project
join commit_files f on f.name_id = n.id
join commits c on c.id = f.commit_id
join commit_names a on a.id = c.author;
