-- The guard: what is remembered that may speak of an action, and what became of the same before. Every query only reads.

-- name: candidates(kinds, project, session, now, paths, match, limit)
-- Memories that hold now and are of the JSON list :kinds: those that declare patterns, those about a path of the JSON
-- list :paths, and the :limit best whose words match; with their tags that say how they are answered.
with near (id) as (
    select id
    from memories
    where kind = 'negative' and active = 1 and trigger_patterns <> '[]'
    union
    select memory_id
    from anchors
    where path in (select value from json_each(:paths))
    union
    select id
    from (
        select rowid as id
        from search_index
        where search_index match :match
        order by bm25(search_index, 1.0, 0.6)
        limit :limit))
select
    m.id, m.kind, m.text, coalesce(d.body, m.text) as body, m.trigger_patterns,
    (select json_group_array(a.path) from anchors a where a.memory_id = m.id) as about,
    (select json_group_array(t.name)
        from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' and t.name like 'guard:%') as tags
from near
join memories m using (id)
left join search_documents d using (id)
where m.kind in (select value from json_each(:kinds))
    and m.active = 1 and m.superseded_by is null
    and (m.valid_from is null or m.valid_from <= :now) and (m.valid_to is null or m.valid_to > :now)
    and (m.scope = 'global' or m.project = :project)
    and (m.scope in ('global', 'project') or (m.scope = 'session' and m.session_id = :session));

-- name: guarding_count(kinds)
-- How many memories are of the JSON list :kinds.
select count(*)
from memories
where kind in (select value from json_each(:kinds)) and active = 1 and superseded_by is null;

-- name: last_calls(project, tool, part, limit)
-- The newest calls of a tool that have a text among their parameters, newest first.
select e.id, e.timestamp, e.parameters, e.success, e.error_message, e.error_signature
from tool_executions e indexed by tool_executions_by_tool
left join sessions s on s.session_id = e.session_id
where e.tool_name = :tool and instr(e.parameters, :part) > 0 and coalesce(s.project, '') = :project
order by e.timestamp desc, e.id desc
limit :limit;

-- name: changed_since(project, at, id)
-- One row if a file was changed after a call.
select 1
from file_interactions f
left join sessions s on s.session_id = f.session_id
where (f.timestamp, f.id) > (:at, :id) and f.success = 1
    and f.operation in ('edit', 'write', 'delete', 'rename') and coalesce(s.project, '') = :project
limit 1;

-- name: ran_since(project, at, id, limit)
-- Parameters of the calls that came off after a call, the newest first.
select e.parameters
from tool_executions e
left join sessions s on s.session_id = e.session_id
where (e.timestamp, e.id) > (:at, :id) and e.success = 1 and coalesce(s.project, '') = :project
order by e.timestamp desc, e.id desc
limit :limit;
