-- What sessions were shown, what was returned, and what was asked in vain.

-- name: surfaced(session)
-- What a session has been shown already, of this store and of the global one.
select memory_id as id
from surfaced
where session_id = :session
union all
select memory_id
from surfaced_global
where session_id = :session;

-- name: add_surfaced(session, id, at)
-- A session has been shown a memory.
insert into surfaced (session_id, memory_id, shown_at)
select :session, id, :at
from memories
where id = :id
on conflict (session_id, memory_id) do nothing;

-- name: add_surfaced_global(session, id, at)
-- A session has been shown a memory of the global store.
insert into surfaced_global (session_id, memory_id, shown_at)
values (:session, :id, :at)
on conflict (session_id, memory_id) do nothing;

-- name: clear_surfaced(session)
-- The topic has changed: everything may be shown again.
delete from surfaced
where session_id = :session;

-- name: clear_surfaced_global(session)
-- The same for what lies in the global store.
delete from surfaced_global
where session_id = :session;

-- name: surfaced_items(session)
-- What a session has been shown beside memories.
select item
from surfaced_items
where session_id = :session;

-- name: add_surfaced_item(session, id, at)
-- A session has been shown something that is no memory.
insert into surfaced_items (session_id, item, shown_at)
values (:session, :id, :at)
on conflict (session_id, item) do nothing;

-- name: clear_surfaced_items(session)
-- The topic has changed: everything beside memories may be shown again.
delete from surfaced_items
where session_id = :session;

-- name: count_retrievals(id, count)
-- A memory was returned :count more times; being returned is no use and raises nothing.
insert into usage (memory_id, retrieval_count)
select id, :count
from memories
where id = :id
on conflict (memory_id) do update set retrieval_count = retrieval_count + excluded.retrieval_count;

-- name: add_gap(question_hash, question, at, session, best_score)
-- A question found nothing good enough.
insert into gaps (question_hash, question, first_at, last_at, session_id, best_score)
values (:question_hash, :question, :at, :at, :session, :best_score)
on conflict (question_hash) do update set
    asked_count = asked_count + 1, last_at = excluded.last_at, session_id = excluded.session_id,
    best_score = excluded.best_score;
