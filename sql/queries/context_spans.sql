-- Removed spans: written by memkit/context/spans.py only.

-- name: add_span(id, session_id, snapshot_id, removed_at, kind, content, tokens)
-- What was taken out of a context; taken out again, it belongs to the newer snapshot.
insert into removed_spans (id, session_id, snapshot_id, removed_at, kind, content, tokens)
values (:id, :session_id, :snapshot_id, :removed_at, :kind, :content, :tokens)
on conflict (id) do update
set snapshot_id = coalesce(excluded.snapshot_id, snapshot_id), removed_at = excluded.removed_at;

-- name: span(id)
-- One span.
select id, session_id, snapshot_id, removed_at, kind, content, tokens
from removed_spans
where id = :id;

-- name: known_spans(ids)
-- Those of the JSON list :ids under which a span is stored.
select id
from removed_spans
where id in (select value from json_each(:ids));

-- name: spans_of_snapshot(snapshot_id)
-- What was taken out when a snapshot was taken.
select id, session_id, snapshot_id, removed_at, kind, content, tokens
from removed_spans
where snapshot_id = :snapshot_id
order by id;

-- name: snapshots(session_id, max_rows)
-- Snapshots of a session's context in which something was removed, the newest first.
select id, timestamp, task_id, total_tokens, pruned_items, reason
from context_snapshots
where session_id = :session_id and pruned_items is not null
order by id desc
limit :max_rows;

-- name: delete_spans(session_id)
-- All spans of a session.
delete from removed_spans where session_id = :session_id;
