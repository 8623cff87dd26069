-- Links between memories that proved useful together.

-- name: occasions(ids, limit)
-- Memories that helped, with the occasion: one call, or one session that was watched; null ids: all; the latest first.
select
    a.memory_id as id, coalesce(json_extract(a.detail, '$.session'), json_extract(a.detail, '$.feedback.told_at')) as occasion,
    a.at
from audit a
join memories m on m.id = a.memory_id and m.active = 1 and m.superseded_by is null
where json_extract(a.detail, '$.feedback.confidence') > 0 and json_extract(a.detail, '$.undone') is null
    and (:ids is null or a.memory_id in (select value from json_each(:ids)))
order by a.id desc
limit :limit;

-- name: linkable(ids)
-- Where memories stand that may be linked: none of a session or task alone, none that waits for a confirmation.
select id, project, scope, private
from memories m
where id in (select value from json_each(:ids)) and active = 1 and superseded_by is null
    and scope not in ('session', 'task')
    and not exists (select 1 from memory_reviews r where r.memory_id = m.id and r.state <> 'accepted');

-- name: apart()
-- Pairs that cannot both be true, whatever was decided.
select memory_a, memory_b
from contradictions;

-- name: links()
-- Links that were discovered, with the weight of their edge; null: it is gone.
select l.memory_a, l.memory_b, l.times, l.last_at, l.weight, e.weight as edge
from discovered_links l
left join edges e on e.src = l.memory_a and e.dst = l.memory_b and e.kind = 'relates_to';

-- name: related()
-- Pairs that are related already, in either direction.
select src, dst
from edges
where kind = 'relates_to';

-- name: put_link(memory_a, memory_b, times, last_at, weight)
-- A pair proved useful together once more, or long ago.
insert into discovered_links (memory_a, memory_b, times, last_at, weight)
values (:memory_a, :memory_b, :times, :last_at, :weight)
on conflict (memory_a, memory_b) do update set
    times = excluded.times, last_at = excluded.last_at, weight = excluded.weight;

-- name: put_edge(memory_a, memory_b, weight, at)
-- The edge of a link, as near as it brings the two now.
insert into edges (src, dst, kind, weight, created_at)
values (:memory_a, :memory_b, 'relates_to', :weight, :at)
on conflict (src, dst, kind) do update set weight = excluded.weight;

-- name: drop_link(memory_a, memory_b)
-- A link that has faded, or became somebody's own.
delete from discovered_links
where memory_a = :memory_a and memory_b = :memory_b;

-- name: drop_edge(memory_a, memory_b)
-- The edge of a link that has faded.
delete from edges
where src = :memory_a and dst = :memory_b and kind = 'relates_to';
