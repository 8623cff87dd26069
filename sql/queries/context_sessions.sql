-- Contexts of sessions: written by memkit/context/sessions.py only.

-- name: newest_context(session_id)
-- The version of a session that was saved last.
select version, data
from session_contexts
where session_id = :session_id
order by version desc
limit 1;

-- name: context_version(session_id, version)
-- One version of a session.
select version, data
from session_contexts
where session_id = :session_id and version = :version;

-- name: context_versions(session_id)
-- Versions of a session, newest first.
select version, saved_at, tokens
from session_contexts
where session_id = :session_id
order by version desc;

-- name: saved_sessions()
-- Every saved session with its newest version, the one saved last first.
select session_id, max(version), max(saved_at), tokens
from session_contexts
group by session_id
order by max(saved_at) desc, session_id;

-- name: add_context(session_id, version, saved_at, tokens, data)
-- A version of a session's context.
insert into session_contexts (session_id, version, saved_at, tokens, data)
values (:session_id, :version, :saved_at, :tokens, :data);

-- name: drop_old_versions(session_id, version)
-- Versions of a session up to one.
delete from session_contexts where session_id = :session_id and version <= :version;

-- name: delete_context(session_id)
-- All versions of a session.
delete from session_contexts where session_id = :session_id;
