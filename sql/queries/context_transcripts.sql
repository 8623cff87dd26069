-- Transcripts of frameworks: written by memkit/context/transcripts.py only.

-- name: transcript_entries(collection, session_id, part, max_rows)
-- The newest entries of a part, newest first; -1 is all.
select entry
from transcript_entries
where collection = :collection and session_id = :session_id and part = :part
order by position desc
limit :max_rows;

-- name: known_entry_keys(collection, session_id, part, keys)
-- Those of the JSON list :keys that entries of a part bear.
select entry_key
from transcript_entries
where collection = :collection and session_id = :session_id and part = :part
    and entry_key in (select value from json_each(:keys));

-- name: last_position(collection, session_id, part)
-- Position of the last entry of a part; -1 if it has none.
select coalesce(max(position), -1)
from transcript_entries
where collection = :collection and session_id = :session_id and part = :part;

-- name: add_entry(collection, session_id, part, position, entry_key, entry, added_at)
-- One entry, after all others of its part.
insert into transcript_entries (collection, session_id, part, position, entry_key, entry, added_at)
values (:collection, :session_id, :part, :position, :entry_key, :entry, :added_at);

-- name: drop_entry(collection, session_id, part, position)
-- The entry at a position.
delete from transcript_entries
where collection = :collection and session_id = :session_id and part = :part and position = :position;

-- name: drop_entries(collection, session_id, part)
-- All entries of a part of a session, or of all of its parts.
delete from transcript_entries
where collection = :collection and session_id = :session_id and (:part is null or part = :part);

-- name: transcripts(collection, part)
-- Sessions of a collection that have entries in a part, the one added to last first.
select session_id, count(*) as entries, max(added_at) as saved_at
from transcript_entries
where collection = :collection and part = :part
group by session_id
order by max(added_at) desc, session_id;

-- name: transcript_parts(collection, session_id)
-- Parts of a session beside itself.
select distinct part
from transcript_entries
where collection = :collection and session_id = :session_id and part <> ''
order by part;
