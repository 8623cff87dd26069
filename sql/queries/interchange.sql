-- Notes taken in from files and from other tools, known by their source.

-- name: taken_in(project)
-- Every memory with a source that was taken in, and what the last reading noted about it.
select
    m.id, m.source, m.text, m.confidence, m.importance, m.active, m.inactive_reason, m.superseded_by,
    (select p.reason from provenance p
        where p.memory_id = m.id and p.reason like 'taken in from %'
        order by p.noted_at desc limit 1) as reason
from memories m
where m.project = :project and m.source is not null and m.provenance = 'extracted'
order by m.id;

-- name: move_source(id, source, at)
-- Say that what a memory states stands elsewhere now.
update memories set source = :source, updated_at = :at where id = :id;

-- name: edits()
-- What chains of provenance tell of edits.
select memory_id, noted_at, reason
from provenance
where reason like '%edited; it was %';

-- name: keep_edit(id, at, source, session, snippet, reason)
-- Keep an edit that does not stand, unless it is kept already.
insert into provenance (memory_id, noted_at, source, session_id, snippet, reason)
values (:id, :at, :source, :session, :snippet, :reason)
on conflict (memory_id, noted_at, source) do update set
    snippet = coalesce(snippet, excluded.snippet),
    reason = coalesce(reason || '; ', '') || excluded.reason
    where instr(coalesce(reason, ''), excluded.reason) = 0;

-- name: doubted(memory_a, memory_b)
-- Whether it was ever noted that two memories cannot both be true.
select exists (select 1 from contradictions where memory_a = :memory_a and memory_b = :memory_b);

-- name: keyed(ids)
-- Those of the JSON list :ids that state a keyed fact, the one that holds longest first.
select id
from memories
where id in (select value from json_each(:ids)) and key is not null and value is not null
order by max(coalesce(valid_from, created_at), created_at), id;
