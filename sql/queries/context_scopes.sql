-- Items of scopes: what a task under way noted for itself, and what memories hold beside their text.

-- name: task_status(project, task_id)
-- Where a recorded task of a project stands.
select status
from task_history
where task_id = :task_id and project = :project;

-- name: task_items(project, task_id, item_id)
-- What a task noted for itself, or the item that is named; nothing once it is over, whoever ended it.
select i.item_id, i.kind, i.source, i.timestamp, i.tags, i.importance, i.tokens, i.text, i.payload
from context_items i
where i.task_id = :task_id and i.project = :project
    and (:item_id is null or i.item_id = :item_id)
    and not exists (
        select 1 from task_history t
        where t.task_id = i.task_id and t.project = i.project
            and t.status not in ('active', 'paused'))
order by i.item_id;

-- name: items_under_way(project, task_id, session_id)
-- What a task noted for itself; without a name, what the tasks that run in a session did.
select i.item_id, i.kind, i.source, i.timestamp, i.tags, i.importance, i.tokens, i.text, i.payload
from context_items i
left join task_history t on t.task_id = i.task_id and t.project = i.project
where i.project = :project and coalesce(t.status, 'active') in ('active', 'paused')
    and iif(:task_id is null, t.session_id = :session_id, i.task_id = :task_id)
order by i.item_id;

-- name: has_items()
-- Whether any task noted anything for itself.
select exists (select 1 from context_items);

-- name: tasks_of_item(project, item_id)
-- Tasks of a project that have an item of that name.
select task_id
from context_items
where item_id = :item_id and project = :project
order by task_id;

-- name: put_task_item(project, task_id, item_id, kind, source, timestamp, tags, importance, tokens, text, payload)
-- An item of a task; one of that name is replaced.
insert into context_items (
    project, task_id, item_id, kind, source, timestamp, tags, importance, tokens, text, payload
) values (
    :project, :task_id, :item_id, :kind, :source, :timestamp, :tags, :importance, :tokens, :text, :payload
)
on conflict (task_id, project, item_id) do update set
    kind = excluded.kind, source = excluded.source, timestamp = excluded.timestamp,
    tags = excluded.tags, importance = excluded.importance, tokens = excluded.tokens,
    text = excluded.text, payload = excluded.payload;

-- name: drop_task_item(project, task_id, item_id)
-- One item of a task goes.
delete from context_items
where task_id = :task_id and project = :project and item_id = :item_id;

-- name: drop_task_items(project, task_id)
-- All items of a task go.
delete from context_items
where task_id = :task_id and project = :project;

-- name: last_item_id(first, last)
-- Largest number between two that an item of a task bears.
select max(cast(substr(item_id, 6) as integer))
from context_items
where item_id between 'item-' || :first and 'item-' || :last;

-- name: memory_items(scope, project, id, now)
-- Current memories of a scope that are items, or the one that is named; :project null: of whichever project.
select
    m.id, i.kind, i.payload, m.text, m.tokens, m.importance, m.created_at, m.trigger_patterns,
    (select json_group_array(t.name) from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag') as tags
from memory_items i
join memories m on m.id = i.memory_id
where m.scope = :scope and (:project is null or m.project = :project) and (:id is null or m.id = :id)
    and m.active = 1 and m.superseded_by is null and (m.valid_to is null or m.valid_to > :now)
order by m.id;

-- name: memory_item(id)
-- What a memory holds beside its text, if it is an item.
select kind, payload
from memory_items
where memory_id = :id;

-- name: put_memory_item(id, kind, payload, at)
-- What a memory is in its scope, and what it holds beside its text.
insert into memory_items (memory_id, kind, payload, updated_at)
values (:id, :kind, :payload, :at)
on conflict (memory_id) do update set
    kind = excluded.kind, payload = excluded.payload, updated_at = excluded.updated_at
where kind <> excluded.kind or payload <> excluded.payload;

-- name: evictable(project)
-- Items of a project that may be forgotten, what matters least and is oldest first: not pinned, and nothing that warns of a failure.
select m.id
from memory_items i
join memories m on m.id = i.memory_id
where m.scope = 'project' and m.project = :project and m.active = 1 and m.superseded_by is null
    and m.pinned = 0 and m.kind not in ('correction', 'negative')
order by m.importance, m.created_at, m.id;

-- name: odd_task_items()
-- Items of tasks whose tags, payload or tokens are of another shape than memkit writes.
select task_id || ' ' || item_id as item
from context_items
where json_type(tags) is not 'array' or exists (select 1 from json_each(tags) where type <> 'text')
    or json_type(payload) is not 'object' or tokens < 0
order by task_id, item_id;

-- name: odd_memory_items()
-- Memories whose payload is of another shape than memkit writes.
select memory_id as item
from memory_items
where json_type(payload) is not 'object'
order by memory_id;

-- name: mend_task_items()
-- Tags, payload and tokens of another shape are as good as none.
update context_items
set tags = iif(
        json_type(tags) is 'array' and not exists (select 1 from json_each(tags) where type <> 'text'),
        tags, '[]'),
    payload = iif(json_type(payload) is 'object', payload, '{}'), tokens = max(tokens, 0)
where json_type(tags) is not 'array' or exists (select 1 from json_each(tags) where type <> 'text')
    or json_type(payload) is not 'object' or tokens < 0;

-- name: mend_memory_items()
-- Payload of another shape is as good as none.
update memory_items
set payload = '{}'
where json_type(payload) is not 'object';
