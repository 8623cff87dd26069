-- Reviews of memories that were extracted: offered by memkit/agents/review.py, settled by use or by a person.

-- name: offer(id, reason, at)
-- An extracted memory waits to be confirmed; one that was settled before stays as it is.
insert into memory_reviews (memory_id, state, reason, noted_at)
select id, 'pending', :reason, :at
from memories
where id = :id and provenance = 'extracted'
on conflict (memory_id) do update set state = 'pending', reason = excluded.reason, noted_at = excluded.noted_at
where state = 'expired';

-- name: accept(id, at)
-- A memory that waited is confirmed.
update memory_reviews
set state = 'accepted', noted_at = :at
where memory_id = :id and state = 'pending';

-- name: settle(id, state, reason, at)
-- What became of a memory that waits.
update memory_reviews
set state = :state, reason = coalesce(:reason, reason), noted_at = :at
where memory_id = :id and state = 'pending';

-- name: raise_confidence(id, confidence, at)
-- A person said that it is so.
update memories
set confidence = max(confidence, :confidence), updated_at = :at
where id = :id;

-- name: pending(project, before, limit)
-- Ids of memories that wait, the newest first, below id :before.
select r.memory_id
from memory_reviews r
join memories m on m.id = r.memory_id
where r.state = 'pending' and m.active = 1 and m.superseded_by is null and m.project = :project
    and r.memory_id < :before
order by r.memory_id desc
limit :limit;

-- name: pending_count(project)
-- How many memories wait.
select count(*)
from memory_reviews r
join memories m on m.id = r.memory_id
where r.state = 'pending' and m.project = :project and m.active = 1;

-- name: session_count(project, session)
-- How many memories were taken from a session, whatever became of them.
select count(*)
from memory_reviews r
join memories m on m.id = r.memory_id
where m.session_id = :session and m.project = :project;

-- name: oldest_pending(project, limit)
-- Ids of the memories that have waited longest.
select r.memory_id
from memory_reviews r
join memories m on m.id = r.memory_id
where r.state = 'pending' and m.project = :project and m.active = 1
order by r.noted_at, r.memory_id
limit :limit;

-- name: known(content_hashes)
-- A memory that says the same, whatever became of it, unless it only waited too long.
select m.id
from memories m
left join memory_reviews r on r.memory_id = m.id
where m.content_hash in (select value from json_each(:content_hashes)) and r.state is not 'expired'
order by m.active desc, m.id desc
limit 1;
