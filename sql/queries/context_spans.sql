-- Removed spans: written by memkit/context/spans.py only.

-- name: last_span_id(first, last)
-- Largest id between two ids.
select max(id) from removed_spans where id between :first and :last;

-- name: add_span(id, session_id, snapshot_id, removed_at, kind, content, tokens)
-- What was taken out of a context.
insert into removed_spans (id, session_id, snapshot_id, removed_at, kind, content, tokens)
values (:id, :session_id, :snapshot_id, :removed_at, :kind, :content, :tokens);

-- name: span(id)
-- One span.
select id, session_id, snapshot_id, removed_at, kind, content, tokens
from removed_spans
where id = :id;

-- name: delete_spans(session_id)
-- All spans of a session.
delete from removed_spans where session_id = :session_id;
