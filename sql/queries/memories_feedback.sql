-- What was told of the use of memories: counts, moves of confidence, and the audit that says how they came about.

-- name: state(id)
-- What feedback changes of a memory, as it stands.
select m.confidence, m.strength, u.accessed_at, r.state as review
from memories m
left join usage u on u.memory_id = m.id
left join memory_reviews r on r.memory_id = m.id
where m.id = :id;

-- name: last(id)
-- The confidence that feedback moves, and which of those it is, since the confidence was last set anew.
select json_extract(detail, '$.feedback.base') as base, json_extract(detail, '$.feedback.era') as era
from audit
where memory_id = :id and json_extract(detail, '$.feedback.era') is not null
order by id desc
limit 1;

-- name: moves(id, era)
-- By how much confidence was to move on each day; what was undone was never told.
select substr(at, 1, 10) as day, sum(json_extract(detail, '$.feedback.confidence')) as move
from audit
where memory_id = :id and json_extract(detail, '$.feedback.era') = :era and json_extract(detail, '$.undone') is null
group by day;

-- name: event(id)
-- What was told of a memory once.
select memory_id, detail
from audit
where id = :id and memory_id is not null and json_extract(detail, '$.feedback.era') is not null;

-- name: set_undone(id, at)
-- What was told is taken back.
update audit
set detail = json_set(detail, '$.undone', :at)
where id = :id;

-- name: last_use(id)
-- When a memory last helped by what was told and stands, or before anything was told.
select coalesce(
    (select max(json_extract(detail, '$.feedback.told_at')) from audit
        where memory_id = :id and json_extract(detail, '$.feedback.confidence') > 0
            and json_extract(detail, '$.undone') is null),
    (select json_extract(detail, '$.before.accessed_at') from audit
        where memory_id = :id and json_extract(detail, '$.feedback.era') is not null
        order by id limit 1));

-- name: count(id, accessed_at, uses, citations, ignored)
-- It was used, with the time if that helped, or returned and ignored.
insert into usage (memory_id, accessed_at, access_count, citation_count, ignore_count)
values (:id, :accessed_at, :uses, :citations, :ignored)
on conflict (memory_id) do update set
    accessed_at = coalesce(excluded.accessed_at, accessed_at),
    access_count = access_count + excluded.access_count,
    citation_count = citation_count + excluded.citation_count,
    ignore_count = ignore_count + excluded.ignore_count;

-- name: uncount(id, accessed_at, uses, citations, ignored)
-- A use is taken back; null: nothing else says when it was used.
update usage
set accessed_at = :accessed_at, access_count = max(access_count - :uses, 0),
    citation_count = max(citation_count - :citations, 0), ignore_count = max(ignore_count - :ignored, 0)
where memory_id = :id;

-- name: set(id, strength, confidence, at)
-- Use has shown how far a memory holds.
update memories
set strength = :strength, confidence = :confidence, updated_at = :at
where id = :id;

-- name: reopen_review(id, at)
-- The uses that confirmed a memory are taken back, and no person said that it is so: it waits again.
update memory_reviews
set state = 'pending', noted_at = :at
where memory_id = :id and state = 'accepted'
    and exists (
        select 1 from audit
        where memory_id = :id and json_extract(detail, '$.before.review') = 'pending')
    and not exists (
        select 1 from audit
        where memory_id = :id
            and (verb = 'accept'
                or json_extract(detail, '$.feedback.confidence') > 0 and json_extract(detail, '$.undone') is null));
