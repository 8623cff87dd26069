-- Notes taken in from files and from other tools, known by their source.

-- name: list_source_readings(project)
-- Every memory that was read at a source, and by hash what was read there the last time.
select
    m.id, m.source, m.text, m.confidence, m.importance, m.active, m.inactive_code,
    r.text_hash, r.body_hash, r.metadata_hash
from memories m
left join source_readings r on r.memory_id = m.id
where m.project = :project and m.source is not null and m.provenance = 'extracted'
order by m.id;

-- name: move_source(id, source, at)
-- Say that what a memory states stands elsewhere now.
update memories set source = :source, updated_at = :at where id = :id;

-- name: set_source_reading(id, source, text_hash, body_hash, metadata_hash, at)
-- What was read at the source of a memory this time.
insert into source_readings (memory_id, source, text_hash, body_hash, metadata_hash, read_at)
values (:id, :source, :text_hash, :body_hash, :metadata_hash, :at)
on conflict (memory_id) do update set
    source = excluded.source, text_hash = excluded.text_hash, body_hash = excluded.body_hash,
    metadata_hash = excluded.metadata_hash, read_at = excluded.read_at;

-- name: has_contradiction(memory_a, memory_b)
-- Whether it was ever noted that two memories cannot both be true.
select exists (select 1 from contradictions where memory_a = :memory_a and memory_b = :memory_b);

-- name: find_facts(ids)
-- Those of the JSON list :ids that state a keyed fact, the one that holds longest first.
select id
from memories
where id in (select value from json_each(:ids)) and key is not null and value is not null
order by max(coalesce(valid_from, created_at), created_at), id;
