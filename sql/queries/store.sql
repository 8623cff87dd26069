-- The file itself: its objects, settings, audit and how far derived rows keep up.

-- name: objects()
-- Every table, index, view and trigger of the file with the statement that made it.
select name, type, coalesce(sql, '') as sql
from sqlite_schema
where name not like 'sqlite\_%' escape '\';

-- name: derived_parts()
-- The definition each derived part was last built from.
select name, definition
from derived_parts;

-- name: set_derived_part(name, definition, at)
-- Record what a derived part was built from.
insert into derived_parts (name, definition, built_at)
values (:name, :definition, :at)
on conflict (name) do update set definition = excluded.definition, built_at = excluded.built_at;

-- name: change_counter()
-- The file's change counter as it stood after memkit's last own write.
select change_counter
from change_counters;

-- name: set_change_counter(counter)
-- Remember the change counter that this transaction will leave in the header.
insert into change_counters (id, change_counter)
values (1, :counter)
on conflict (id) do update set change_counter = excluded.change_counter;

-- name: local_setting(name)
-- JSON value of a setting of this machine.
select value
from local_settings
where name = :name;

-- name: set_local_setting(name, value, at)
-- Set a setting of this machine.
insert into local_settings (name, value, updated_at)
values (:name, :value, :at)
on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at;

-- name: add_audit(id, at, verb, memory_id, detail)
-- Append to the audit.
insert into audit (id, at, verb, memory_id, detail)
values (:id, :at, :verb, :memory_id, :detail);

-- name: audit_of(memory_id, limit)
-- What was done to one memory, newest first.
select id, at, verb, detail
from audit
where memory_id = :memory_id
order by id desc
limit :limit;

-- name: last_audit_id(first, last)
-- Largest audit id between two ids.
select max(id)
from audit
where id between :first and :last;

-- name: add_tombstone(id, at)
-- Mark an id as purged for good.
insert into tombstones (id, purged_at)
values (:id, :at)
on conflict (id) do nothing;

-- name: tombstones()
-- Every purged id.
select id, purged_at
from tombstones
order by id;

-- name: integrity()
-- SQLite's own check of pages, indexes and constraints; one row 'ok' when sound.
select integrity_check
from pragma_integrity_check;

-- name: pages()
-- How many pages of the file are empty, and how many it has.
select freelist_count as free, page_count as pages
from pragma_freelist_count, pragma_page_count;

-- name: foreign_keys()
-- Rows that point at a memory which is not there.
select "table", rowid, parent
from pragma_foreign_key_check;

-- name: changesets()
-- What undoes each run of consolidation that can be undone.
select id, changeset
from consolidation_runs
where changeset is not null
order by id;

-- name: set_changeset(id, changeset)
-- What is left of it after a purge or scrub; null: the run stands.
update consolidation_runs
set changeset = :changeset, state = iif(:changeset is null and state = 'applied', 'final', state)
where id = :id;

-- name: forget_changes(id)
-- Remove what the log of consolidation says of a memory.
delete from consolidation_changes
where memory_id = :id or other_id = :id;
