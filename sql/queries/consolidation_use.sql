-- What sessions were shown and what they did, from which it follows what they used.

-- name: served(session, limit)
-- What a session was shown and was not yet held against what it did, the newest first; what is not to be done proves no
-- use by being done.
select s.memory_id as id, s.shown_at as at, d.body as text
from surfaced s
join memories m on m.id = s.memory_id and m.kind <> 'negative'
join search_documents d on d.id = s.memory_id
where s.session_id = :session and not exists (
    select 1 from audit a
    where a.memory_id = s.memory_id and json_extract(a.detail, '$.session') = :session)
order by s.shown_at desc, s.memory_id desc
limit :limit;

-- name: rarity(match, limit)
-- How many memories hold a name, as far as :limit.
select count(*)
from (select 1 from search_index where search_index match :match limit :limit);

-- name: prompts(session, limit)
-- What was asked in a session, and when.
select started_at, description
from task_history
where session_id = :session
order by started_at
limit :limit;
