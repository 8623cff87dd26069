-- Notes taken in from files and from other tools, known by their source.

-- name: taken_in(project)
-- Every memory with a source that was taken in, and what the last reading noted about it.
select
    m.id, m.source, m.active, m.inactive_reason, m.superseded_by,
    (select p.reason from provenance p
        where p.memory_id = m.id and p.reason like 'taken in from %'
        order by p.noted_at desc limit 1) as reason
from memories m
where m.project = :project and m.source is not null and m.provenance = 'extracted'
order by m.id;
