-- Questions asked in vain, and what answers them since.

-- name: all_gaps(limit)
-- Questions that found nothing, most asked first; with what answered them since, as long as that stands.
select
    g.question_hash, g.question, g.asked_count, g.first_at, g.last_at, g.best_score,
    case when g.last_at <= a.closed_at and (a.memory_id is null or m.active = 1 or m.superseded_by is not null)
        then a.closed_at end as closed_at,
    a.memory_id as answer
from gaps g
left join gap_answers a on a.question_hash = g.question_hash
left join memories m on m.id = a.memory_id
order by g.asked_count desc, g.last_at desc, g.question_hash
limit :limit;

-- name: newest_memory()
-- When anything was last remembered, restored or changed.
select max(updated_at)
from memories
where active = 1;

-- name: close_gap(question_hash, memory_id, at)
-- A question is answered, or needs no answer.
insert into gap_answers (question_hash, memory_id, closed_at)
values (:question_hash, :memory_id, :at)
on conflict (question_hash) do update set memory_id = excluded.memory_id, closed_at = excluded.closed_at;
