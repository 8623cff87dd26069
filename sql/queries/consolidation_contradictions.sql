-- The scan of all memories for what contradicts, updates or repeats what.

-- name: statements_after(after, limit)
-- Memories that hold and say something, in the order of ids after :after.
select id
from memories
where id > :after and active = 1 and superseded_by is null and form <> 'episode'
order by id
limit :limit;

-- name: put_verdict(memory_a, memory_b, verdict, decided_by, texts_hash, note, at)
-- What was decided about two memories; a later decision takes the place of an earlier one.
insert into pair_verdicts (memory_a, memory_b, verdict, decided_by, texts_hash, note, decided_at)
values (:memory_a, :memory_b, :verdict, :decided_by, :texts_hash, :note, :at)
on conflict (memory_a, memory_b) do update set
    verdict = excluded.verdict, decided_by = excluded.decided_by, texts_hash = excluded.texts_hash,
    note = excluded.note, decided_at = excluded.decided_at;
