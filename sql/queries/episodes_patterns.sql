-- Patterns and learnings: written by memkit/episodes/patterns.py only.

-- name: last_id(first, last)
-- Largest id of a pattern or learning between two ids.
select max(id)
from (
    select max(id) as id from learned_patterns where id between :first and :last
    union all
    select max(id) as id from session_learnings where id between :first and :last
);

-- name: find(project, kind, path, error, active)
-- Patterns that agree with every argument that is not null; :path is a file it is about, :error a signature.
select
    id, pattern_type, pattern_data, confidence, observed_count, success_count, failure_count,
    first_seen, last_seen, evidence, active, inactive_reason
from learned_patterns p
where project = :project
    and (:kind is null or pattern_type = :kind)
    and (:active is null or active = :active)
    and (:error is null or p.pattern_data ->> '$.error' = :error)
    and (:path is null or exists (
        select 1 from json_each(p.pattern_data, '$.files') f where f.value = :path))
order by id;

-- name: by_id(id)
-- One pattern.
select
    id, pattern_type, pattern_data, confidence, observed_count, success_count, failure_count,
    first_seen, last_seen, evidence, active, inactive_reason
from learned_patterns
where id = :id;

-- name: counts(signature)
-- What a pattern's confidence is reckoned from.
select
    id, observed_count, success_count, failure_count, first_seen, last_seen, evidence, pattern_data
from learned_patterns
where signature = :signature;

-- name: put(id, type, signature, project, data, confidence, observed, successes, failures, first, last, evidence, at)
-- A pattern is new or has new evidence; one that was turned off stays so.
insert into learned_patterns (
    id, pattern_type, signature, project, pattern_data, confidence, observed_count, success_count,
    failure_count, first_seen, last_seen, evidence, updated_at
) values (
    :id, :type, :signature, :project, :data, :confidence, :observed, :successes, :failures,
    :first, :last, :evidence, :at
)
on conflict (signature) do update set
    pattern_data = excluded.pattern_data, confidence = excluded.confidence,
    observed_count = excluded.observed_count, success_count = excluded.success_count,
    failure_count = excluded.failure_count, last_seen = excluded.last_seen,
    evidence = excluded.evidence, updated_at = excluded.updated_at;

-- name: set_active(id, active, reason, at)
-- Turn a pattern off or on.
update learned_patterns set active = :active, inactive_reason = :reason, updated_at = :at
where id = :id;

-- name: learnings(project, kind, key, active)
-- Learnings that agree with every argument that is not null.
select
    id, session_id, learning_type, key, data, confidence, observed_count, first_seen, last_seen,
    evidence, active, inactive_reason
from session_learnings
where project = :project
    and (:kind is null or learning_type = :kind)
    and (:key is null or key = :key)
    and (:active is null or active = :active)
order by id;

-- name: put_learning(id, session, type, signature, project, key, data, confidence, observed, first, last, evidence, at)
-- A learning is new or is known better; one that was turned off stays so.
insert into session_learnings (
    id, session_id, learning_type, signature, project, key, data, confidence, observed_count,
    first_seen, last_seen, evidence, updated_at
) values (
    :id, :session, :type, :signature, :project, :key, :data, :confidence, :observed,
    :first, :last, :evidence, :at
)
on conflict (signature) do update set
    session_id = excluded.session_id, data = excluded.data, confidence = excluded.confidence,
    observed_count = max(observed_count, excluded.observed_count), last_seen = excluded.last_seen,
    evidence = excluded.evidence, updated_at = excluded.updated_at;

-- name: learning_of(signature)
-- When a learning was first made.
select id, first_seen
from session_learnings
where signature = :signature;

-- name: set_learning_active(id, active, reason, at)
-- Turn a learning off or on.
update session_learnings set active = :active, inactive_reason = :reason, updated_at = :at
where id = :id;

-- name: new_groups(project, after)
-- Tasks (or sessions, for what was done without a task) with calls or files after id :after.
select session_id, task_id, max(id) as last
from (
    select session_id, task_id, id from tool_executions where id > :after
    union all
    select session_id, task_id, id from file_interactions where id > :after
)
where session_id in (select session_id from sessions where project = :project)
group by session_id, task_id
order by last;

-- name: latest_groups(project, limit)
-- The newest tasks (or sessions, for what was done without one) with calls, oldest first.
select session_id, task_id, at
from (
    select x.session_id, x.task_id, max(x.timestamp) as at, max(x.id) as last
    from tool_executions x
    join sessions s on s.session_id = x.session_id
    where s.project = :project
    group by x.session_id, x.task_id
    order by last desc
    limit :limit
)
order by last;

-- name: group_state(session, task)
-- Whether a task is over (or its session), when something was last done in it, what came of it.
select
    (select status from task_history t where t.task_id = :task) as status,
    (select description from task_history t where t.task_id = :task) as description,
    (select ended_at from sessions s where s.session_id = :session) as ended_at,
    (
        select max(timestamp)
        from tool_executions x
        where x.session_id = :session and x.task_id is :task
    ) as last_call,
    (
        select max(timestamp)
        from file_interactions f
        where f.session_id = :session and f.task_id is :task
    ) as last_file;

-- name: purpose(project, path, limit)
-- Why a file was worked on: reasons given, and tasks it served, newest first.
select f.context, t.description, f.operation
from file_interactions f
join sessions s on s.session_id = f.session_id
left join task_history t on t.task_id = f.task_id
where f.file_path = :path and s.project = :project
order by f.id desc
limit :limit;

-- name: mined_pairs(project, commits, max_files, min_count, limit)
-- Files changed together at least :min_count times in the newest :commits commits of at most :max_files, the most frequent pairs first.
with counted as (
    select c.id, c.hash, c.committed_at
    from (
        select id, hash, committed_at
        from commits
        where project = :project and kind <> 'merge'
        order by id desc
        limit :commits
    ) c
    where (select count(*) from commit_files f where f.commit_id = c.id) between 2 and :max_files
)
select
    a.name_id as file_id, b.name_id as other_id, count(*) as together,
    min(c.committed_at) as first, max(c.committed_at) as last, max(c.id) as last_id
from counted c
join commit_files a on a.commit_id = c.id and a.operation <> 'delete'
join commit_files b
    on b.commit_id = c.id and b.name_id > a.name_id and b.operation <> 'delete'
group by a.name_id, b.name_id
having count(*) >= :min_count
order by together desc, last desc
limit :limit;

-- name: mined_names(ids)
-- Name and number of commits of the files of the JSON list :ids.
select n.id, n.name, (select count(*) from commit_files f where f.name_id = n.id) as commits
from json_each(:ids) listed
join commit_names n on n.id = listed.value;

-- name: pair_hashes(file, other, limit)
-- The newest commits that changed both files.
select c.hash
from commit_files a
join commit_files b on b.commit_id = a.commit_id and b.name_id = :other
join commits c on c.id = a.commit_id
where a.name_id = :file
order by c.id desc
limit :limit;
