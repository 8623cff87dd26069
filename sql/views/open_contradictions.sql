-- Pairs that cannot both be true, are not settled and are both active.
create view open_contradictions as
select c.memory_a, a.text as text_a, c.memory_b, b.text as text_b, c.detected_at, c.note
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
where c.resolved_at is null and a.active = 1 and b.active = 1
order by c.detected_at desc;
