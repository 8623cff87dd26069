-- Keeping small what is of this machine alone. Each query removes at most :batch rows: those older than :before, and
-- those beyond the newest :most.

-- name: is_due(before, calls, files)
-- Whether calls or interactions are to go, which the tasks they belong to have to count before.
select exists (select 1 from tool_executions where id < :before)
    or exists (select 1 from tool_executions limit 1 offset :calls)
    or exists (select 1 from file_interactions where id < :before)
    or exists (select 1 from file_interactions limit 1 offset :files);

-- name: trim_tool_executions(before, most, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from tool_executions
where id in (
    select id from (select id from tool_executions where id < :before order by id limit :batch)
    union
    select id from (select id from tool_executions order by id desc limit :batch offset :most)
    order by id
    limit :batch);

-- name: trim_file_interactions(before, most, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from file_interactions
where id in (
    select id from (select id from file_interactions where id < :before order by id limit :batch)
    union
    select id from (select id from file_interactions order by id desc limit :batch offset :most)
    order by id
    limit :batch);

-- name: trim_context_snapshots(before, most, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from context_snapshots
where id in (
    select id from (select id from context_snapshots where id < :before order by id limit :batch)
    union
    select id from (select id from context_snapshots order by id desc limit :batch offset :most)
    order by id
    limit :batch);

-- name: trim_predictions(before, most, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from predictions
where id in (
    select id from (select id from predictions where id < :before order by id limit :batch)
    union
    select id from (select id from predictions order by id desc limit :batch offset :most)
    order by id
    limit :batch);

-- name: trim_surfaced(before, most, batch)
-- By when it was shown.
delete from surfaced
where (session_id, memory_id) in (
    select session_id, memory_id from surfaced where shown_at < :before
    union
    select session_id, memory_id from (
        select session_id, memory_id from surfaced order by shown_at desc limit :batch offset :most)
    limit :batch);

-- name: trim_surfaced_beside(before, most, batch)
-- By when it was shown.
delete from surfaced_beside
where (session_id, memory_id) in (
    select session_id, memory_id from surfaced_beside where shown_at < :before
    union
    select session_id, memory_id from (
        select session_id, memory_id from surfaced_beside order by shown_at desc limit :batch offset :most)
    limit :batch);

-- name: trim_gaps(before, most, batch)
-- By when it was asked last.
delete from gaps
where question_hash in (
    select question_hash from gaps where last_at < :before
    union
    select question_hash from (select question_hash from gaps order by last_at desc limit :batch offset :most)
    limit :batch);

-- name: trim_audit(before, most, batch)
-- But not the ends that memories had been given before their replacement, which `memories.given_end` reads.
delete from audit
where id in (
    select id from (
        select id from audit where id < :before and json_extract(detail, '$.until') is null order by id limit :batch)
    union
    select id from (
        select id from audit where json_extract(detail, '$.until') is null order by id desc limit :batch offset :most)
    order by id
    limit :batch);
