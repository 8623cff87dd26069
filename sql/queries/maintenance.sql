-- Keeping small what is of this machine alone. Each query removes at most :batch rows, the oldest: as many as are older
-- than :before, or as are beyond the newest :max_rows. They are counted, since a list of both would read tables whole, and
-- each close of a kit that recorded asks.

-- name: is_due(before, calls, files)
-- Whether calls or interactions are to go, which the tasks they belong to have to count before.
select exists (select 1 from tool_executions where id < :before)
    or exists (select 1 from tool_executions limit 1 offset :calls)
    or exists (select 1 from file_interactions where id < :before)
    or exists (select 1 from file_interactions limit 1 offset :files);

-- name: session_projects()
-- Projects of which anything was recorded.
select distinct project
from sessions
order by project;

-- name: trim_tool_executions(before, max_rows, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from tool_executions
where id in (
    select id from tool_executions
    order by id
    limit min(:batch, max(
        (select count(*) from tool_executions) - :max_rows,
        (select count(*) from tool_executions where id < :before))));

-- name: trim_file_interactions(before, max_rows, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from file_interactions
where id in (
    select id from file_interactions
    order by id
    limit min(:batch, max(
        (select count(*) from file_interactions) - :max_rows,
        (select count(*) from file_interactions where id < :before))));

-- name: trim_context_snapshots(before, max_rows, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from context_snapshots
where id in (
    select id from context_snapshots
    order by id
    limit min(:batch, max(
        (select count(*) from context_snapshots) - :max_rows,
        (select count(*) from context_snapshots where id < :before))));

-- name: trim_predictions(before, max_rows, batch)
-- By when they came into this file: an import of old ones is no waste of time.
delete from predictions
where id in (
    select id from predictions
    order by id
    limit min(:batch, max(
        (select count(*) from predictions) - :max_rows,
        (select count(*) from predictions where id < :before))));

-- name: trim_surfaced(before, max_rows, batch)
-- By when it was shown.
delete from surfaced
where (session_id, memory_id) in (
    select session_id, memory_id from surfaced
    order by shown_at
    limit min(:batch, max(
        (select count(*) from surfaced) - :max_rows,
        (select count(*) from surfaced where shown_at < :before))));

-- name: trim_surfaced_global(before, max_rows, batch)
-- By when it was shown.
delete from surfaced_global
where (session_id, memory_id) in (
    select session_id, memory_id from surfaced_global
    order by shown_at
    limit min(:batch, max(
        (select count(*) from surfaced_global) - :max_rows,
        (select count(*) from surfaced_global where shown_at < :before))));

-- name: trim_surfaced_items(before, max_rows, batch)
-- By when it was shown.
delete from surfaced_items
where (session_id, item) in (
    select session_id, item from surfaced_items
    order by shown_at
    limit min(:batch, max(
        (select count(*) from surfaced_items) - :max_rows,
        (select count(*) from surfaced_items where shown_at < :before))));

-- name: trim_removed_spans(before, max_rows, batch)
-- By when it was removed.
delete from removed_spans
where id in (
    select id from removed_spans
    order by removed_at
    limit min(:batch, max(
        (select count(*) from removed_spans) - :max_rows,
        (select count(*) from removed_spans where removed_at < :before))));

-- name: trim_session_contexts(before, max_rows, batch)
-- By when it was saved.
delete from session_contexts
where (session_id, version) in (
    select session_id, version from session_contexts
    order by saved_at
    limit min(:batch, max(
        (select count(*) from session_contexts) - :max_rows,
        (select count(*) from session_contexts where saved_at < :before))));

-- name: trim_transcript_entries(before, max_rows, batch)
-- Whole sessions by when they were added to last, since what is left of half of one cannot go on; of one that is begun
-- to go the last entries go last, so that it stays old.
delete from transcript_entries
where (collection, session_id, part, position) in (
    with recent as (
        select collection, session_id, max(added_at) as last_at, count(*) as entries
        from transcript_entries
        group by collection, session_id),
    ranked as (
        select collection, session_id, last_at,
            sum(entries) over (order by last_at desc, collection, session_id) - entries as newer
        from recent)
    select e.collection, e.session_id, e.part, e.position
    from ranked r
    join transcript_entries e on e.collection = r.collection and e.session_id = r.session_id
    where r.last_at < :before or r.newer >= :max_rows
    order by r.last_at, e.collection, e.session_id, e.added_at, e.part, e.position
    limit :batch);

-- name: trim_context_items(before, max_rows, batch)
-- What tasks that are over left, then by when it was added: a task that never ended leaves its own behind.
delete from context_items
where (task_id, project, item_id) in (
    with ended as (
        select i.task_id, i.project, i.item_id
        from context_items i
        join task_history t on t.task_id = i.task_id and t.project = i.project
        where t.status not in ('active', 'paused'))
    select task_id, project, item_id from context_items
    order by (task_id, project, item_id) in (select * from ended) desc, timestamp
    limit min(:batch, max(
        (select count(*) from context_items) - :max_rows,
        (select count(*) from context_items
            where timestamp < :before or (task_id, project, item_id) in (select * from ended)))));

-- name: trim_gaps(before, max_rows, batch)
-- By when it was asked last.
delete from gaps
where question_hash in (
    select question_hash from gaps
    order by last_at
    limit min(:batch, max(
        (select count(*) from gaps) - :max_rows,
        (select count(*) from gaps where last_at < :before))));

-- name: trim_audit(before, max_rows, batch)
-- But not the ends that memories had been given before their replacement, which `memories.given_end` reads.
delete from audit
where id in (
    select id from (
        select id from audit where id < :before and json_extract(detail, '$.until') is null order by id limit :batch)
    union
    select id from (
        select id from audit where json_extract(detail, '$.until') is null order by id desc limit :batch offset :max_rows)
    order by id
    limit :batch);

-- name: trim_consolidation_runs(before, max_rows, batch)
-- Their changes go with them.
delete from consolidation_runs
where id in (
    select id from (select id from consolidation_runs where id < :before order by id limit :batch)
    union
    select id from (select id from consolidation_runs order by id desc limit :batch offset :max_rows));
