-- Levels of detail: written by memkit/consolidation/levels.py only.

-- name: aged(before, every)
-- Memories that hold, came about at :before or earlier and lack a level, or with :every all of them; oldest first.
select id
from memories
where active = 1 and superseded_by is null and created_at <= :before
    and (:every or summary is null or compressed is null or index_entry is null)
order by id;

-- name: set_levels(id, text, summary, compressed, index_entry, summary_tokens, compressed_tokens, index_tokens)
-- Levels of a memory, unless it says something else by now.
update memories
set summary = :summary, compressed = :compressed, index_entry = :index_entry,
    summary_tokens = :summary_tokens, compressed_tokens = :compressed_tokens, index_tokens = :index_tokens
where id = :id and text = :text;

-- name: code_patterns(project)
-- Patterns of code that are, or were, remembered.
select source, id, text, active, inactive_code
from memories
where project = :project and form = 'pattern' and source like 'code-pattern:%';
