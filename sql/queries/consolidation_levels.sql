-- Levels of detail: written by memkit/consolidation/levels.py only.

-- name: aged(before)
-- Memories that hold, came about at :before or earlier and lack a level; oldest first.
select id
from memories
where active = 1 and superseded_by is null and created_at <= :before
    and (summary is null or compressed is null or index_entry is null)
order by id;

-- name: set_levels(id, text, summary, compressed, index_entry, summary_tokens, compressed_tokens, index_tokens)
-- Levels of a memory, unless it says something else by now.
update memories
set summary = :summary, compressed = :compressed, index_entry = :index_entry,
    summary_tokens = :summary_tokens, compressed_tokens = :compressed_tokens, index_tokens = :index_tokens
where id = :id and text = :text;

-- name: patterns(form, place, project)
-- Patterns of code, or workflows, that are, or were, remembered; :place is what their sources are like.
select source, id, text, active, inactive_code
from memories
where project = :project and form = :form and source like :place;

-- name: episodes_of(id, sessions, project)
-- Memories that hold of what was done in the sessions of the JSON list, and that memory :id is not derived from yet.
select m.id
from memories m
where m.project = :project and m.session_id in (select value from json_each(:sessions))
    and m.form = 'episode' and (m.source like 'session:%' or m.source like 'task:%') and m.active = 1
    and not exists (select 1 from edges e where e.src = :id and e.dst = m.id and e.kind = 'derived_from')
order by m.id;

-- name: tasks_remembered(sources, project)
-- Memories that hold of single tasks, by the sources of the JSON list.
select id
from memories
where project = :project and source in (select value from json_each(:sources)) and active = 1
order by id;
