-- What holds whatever is asked: candidates of an assembled context that no recall brings. It only reads.

-- name: pinned(project, now, limit)
-- Pinned memories that hold, the most important first.
select id
from memories
where pinned = 1 and active = 1 and superseded_by is null
    and scope in ('project', 'global') and (project = :project or scope = 'global')
    and (valid_from is null or valid_from <= :now) and (valid_to is null or valid_to > :now)
order by importance desc, id desc
limit :limit;

-- name: standing(kind, project, now, limit)
-- Memories of a kind other than fact that hold, the most important first.
select id
from memories
where kind = :kind and kind <> 'fact' and active = 1 and superseded_by is null
    and scope in ('project', 'global') and (project = :project or scope = 'global')
    and (valid_from is null or valid_from <= :now) and (valid_to is null or valid_to > :now)
order by importance desc, id desc
limit :limit;

-- name: preferences_of(author, project, now, limit)
-- Preferences that somebody stated and that hold, newest first.
select id
from memories
where author = :author and author is not null and kind = 'preference' and active = 1 and superseded_by is null
    and scope in ('project', 'global') and (project = :project or scope = 'global')
    and (valid_from is null or valid_from <= :now) and (valid_to is null or valid_to > :now)
order by id desc
limit :limit;

-- name: conventions(project, now, limit)
-- Memories that scopes hold as conventions, the most important first.
select m.id
from memory_items i
join memories m on m.id = i.memory_id
where i.kind = 'convention' and m.active = 1 and m.superseded_by is null
    and (m.project = :project or m.scope = 'global')
    and (m.valid_from is null or m.valid_from <= :now) and (m.valid_to is null or m.valid_to > :now)
order by m.importance desc, m.id desc
limit :limit;

-- name: about_file(path, project, now, limit)
-- Memories about a file or what it holds, and that hold, newest first.
select m.id
from (select distinct memory_id from anchors where path = :path) a
join memories m on m.id = a.memory_id
where m.active = 1 and m.superseded_by is null
    and m.scope in ('project', 'global') and (m.project = :project or m.scope = 'global')
    and (m.valid_from is null or m.valid_from <= :now) and (m.valid_to is null or m.valid_to > :now)
order by m.id desc
limit :limit;

-- name: anchored(project, limit)
-- The newest memories of a project that hold and are about a place in the code.
select m.id
from (select distinct memory_id from anchors order by memory_id desc limit 4 * :limit) a
join memories m on m.id = a.memory_id
where m.active = 1 and m.superseded_by is null and m.scope = 'project' and m.project = :project
order by m.id desc
limit :limit;

-- name: keys(project, limit)
-- Keys of facts that hold, the newest first.
select key
from memories
where key is not null and key_folded > '' and active = 1 and superseded_by is null and project = :project
order by +id desc
limit :limit;

-- name: topics(ids)
-- Tags that the memories of the JSON list :ids carry, with the number of active memories that do: of all that
-- do without the few that are not active, which are found first.
select t.name, (
        select count(*) from edges e where e.dst = t.id and e.kind = 'has_tag')
    - coalesce(inactive.how_many, 0) as how_many
from tags t
left join (
    select e.dst as tag, count(*) as how_many
    from memories m
    cross join edges e on e.src = m.id
    where m.active = 0 and e.kind = 'has_tag'
    group by e.dst) inactive on inactive.tag = t.id
where t.id in (
    select e.dst from json_each(:ids) listed join edges e on e.src = listed.value where e.kind = 'has_tag')
order by how_many desc, t.name;

-- name: documents(project, limit)
-- Sections of documents that were taken in: the document, and the names of its sections in order.
select document, count(*) as sections, json_group_array(section) as names
from (
    select substr(source, 1, instr(source, '#') - 1) as document, substr(source, instr(source, '#') + 1) as section
    from memories
    where source is not null and project = :project and instr(source, '#') > 1 and active = 1
        and superseded_by is null
    order by document, id)
group by document
order by sections desc, document
limit :limit;

-- name: recent_commits(project, limit)
-- The newest commits that are no merges.
select committed_at, subject from commits where project = :project and kind <> 'merge' order by id desc limit :limit;

-- name: has_episodes(project)
-- Whether any task, call or commit is known.
select exists (select 1 from task_history where project = :project)
    or exists (select 1 from tool_executions) or exists (select 1 from commits);

-- name: has_code()
-- Whether there is a code graph.
select exists (select 1 from code_files);
