-- Consolidation: what it reads of memories, its runs and their changes, verdicts about pairs.

-- name: statements(project)
-- Memories behind the wall of :project, and global ones, that hold or were superseded, with all that merging and
-- forgetting go by.
select
    m.id, m.text, m.kind, m.form, m.key_folded as key, m.value, m.qualifier_folded as qualifier, m.scope, m.project,
    m.session_id, m.task_id, m.source, m.created_at, m.updated_at, m.valid_from, m.valid_to, m.season, m.strength,
    m.confidence, m.trust, m.importance, m.provenance, m.author, m.pinned, m.private, m.trigger_patterns, m.procedure,
    m.superseded_by, m.inactive_code, u.accessed_at, coalesce(u.access_count, 0) as access_count,
    (select max(p.noted_at) from provenance p where p.memory_id = m.id) as noted_at,
    (select json_group_array(distinct a.path) from anchors a where a.memory_id = m.id) as paths,
    exists (select 1 from memory_reviews r where r.memory_id = m.id and r.state = 'pending') as waits,
    exists (select 1 from memory_items i where i.memory_id = m.id)
        or exists (select 1 from named_documents d where d.memory_id = m.id) as is_held
from memories m
left join usage u on u.memory_id = m.id
where (m.project = :project or m.scope = 'global')
    and (m.active = 1 or m.inactive_code = 'superseded')
order by m.id;

-- name: vectors(ids, model_id)
-- The vectors of the memories of the JSON list :ids.
select v.memory_id, v.vector
from json_each(:ids) listed
join embeddings v on v.memory_id = listed.value
where v.model_id = :model_id
order by v.memory_id, v.chunk;

-- name: open_contradictions()
-- Pairs of memories of which it is not settled which one holds.
select memory_a, memory_b
from contradictions
where resolved_at is null;

-- name: verdicts()
-- What was decided about pairs, and of which texts.
select memory_a, memory_b, verdict, texts_hash
from pair_verdicts
order by memory_a, memory_b;

-- name: undecided_contradictions()
-- Open contradictions of memories that hold and that no caller stated: both texts, and those of the last decision.
select c.memory_a, c.memory_b, a.text, b.text, v.texts_hash
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
left join pair_verdicts v on v.memory_a = c.memory_a and v.memory_b = c.memory_b
where c.resolved_at is null and c.origin <> 'stated' and a.active = 1 and b.active = 1
order by c.detected_at desc, c.memory_a, c.memory_b;

-- name: judged_pairs()
-- What a judge said of memories that hold and what the store does not show yet: an open contradiction that is none, or
-- one, or a link, that nobody noted. With both texts, those that were judged, and whether a contradiction is open.
select v.memory_a, v.memory_b, a.text, b.text, v.texts_hash, v.verdict, c.memory_a is not null as is_open
from pair_verdicts v
join memories a on a.id = v.memory_a
join memories b on b.id = v.memory_b
left join contradictions c on c.memory_a = v.memory_a and c.memory_b = v.memory_b and c.resolved_at is null
where v.decided_by = 'judge' and a.active = 1 and b.active = 1
    and a.superseded_by is null and b.superseded_by is null
    and coalesce(c.origin, '') <> 'stated'
    and case v.verdict
        when 'distinct' then c.memory_a is not null
        when 'duplicate' then c.memory_a is not null or not exists (
            select 1 from edges e
            where e.kind in ('supersedes', 'relates_to', 'derived_from')
                and (e.src, e.dst) in (values (a.id, b.id), (b.id, a.id)))
        when 'update' then coalesce(c.proposed, '') <> 'b_wins' and not exists (
            select 1 from contradictions d
            where d.memory_a = v.memory_a and d.memory_b = v.memory_b and d.resolved_at is not null)
        else not exists (
            select 1 from contradictions d where d.memory_a = v.memory_a and d.memory_b = v.memory_b)
    end
order by v.memory_a, v.memory_b;

-- name: changes_before(action)
-- Which memories earlier runs did this to, and with which other ones.
select memory_id, other_id
from consolidation_changes
where action = :action;

-- name: add_run(id, began_at, ended_at, options, state, changeset)
-- A run that was applied, with what undoes it.
insert into consolidation_runs (id, began_at, ended_at, options, state, changeset)
values (:id, :began_at, :ended_at, :options, :state, :changeset);

-- name: add_change(run, position, action, memory_id, other_id, score, reason)
-- One change of a run.
insert into consolidation_changes (run_id, position, action, memory_id, other_id, score, reason)
values (:run, :position, :action, :memory_id, :other_id, :score, :reason);

-- name: set_undone(id, at)
-- A run was taken back; what would take it back again is not kept.
update consolidation_runs
set state = 'undone', undone_at = :at, changeset = null
where id = :id;

-- name: last_run_id(first, last)
-- Largest id of a run between two ids.
select max(id)
from consolidation_runs
where id between :first and :last;

-- name: last_undoable()
-- The newest run that stands, or entry of the audit that says what somebody told of a memory, whichever is later; what
-- a session's end noticed by itself has the session's name.
select id
from (
    select id, ended_at as at, 1 as is_run
    from consolidation_runs
    where state <> 'undone'
    union all
    select id, at, 0
    from audit
    where json_extract(detail, '$.feedback.era') is not null
        and json_extract(detail, '$.undone') is null and json_extract(detail, '$.session') is null)
order by at desc, is_run desc, id desc
limit 1;

-- name: run_to_undo(id)
-- A run, and what undoes it.
select state, undone_at, changeset
from consolidation_runs
where id = :id;

-- name: runs(before, limit)
-- Runs, newest first, below id :before.
select r.id, r.began_at, r.ended_at, r.options, r.state, r.undone_at, r.changeset is not null as is_undoable,
    (select json_group_object(c.action, c.number) from (
        select action, count(*) as number from consolidation_changes where run_id = r.id group by action) c) as actions
from consolidation_runs r
where r.id < :before
order by r.id desc
limit :limit;

-- name: changes_of(run)
-- The changes of a run in their order.
select action, memory_id, other_id, score, reason
from consolidation_changes
where run_id = :run
order by position;

-- name: changes(memory, run, limit)
-- Changes, those of the newest run first; of one memory, on either side, or one run unless those are null.
select r.id as run, r.ended_at as at, r.state, c.action, c.memory_id, c.other_id, c.score, c.reason
from consolidation_changes c
join consolidation_runs r on r.id = c.run_id
where (:run is null or c.run_id = :run)
    and (:memory is null or c.memory_id = :memory or c.other_id = :memory)
order by r.id desc, c.position
limit :limit;

-- name: statements_to_scan(after, since)
-- Memories that hold and say something, whose ids are greater than :after or that were changed later than a moment.
select id
from memories
where (id > :after or updated_at > :since) and active = 1 and superseded_by is null and form <> 'episode'
    and (source is null or provenance <> 'extracted')
order by id;

-- name: scan_state(last)
-- The largest id of a memory, how many there are, and how many up to the id :last.
select coalesce(max(id), 0) as last, count(*) as count, count(*) filter (where id <= :last) as below
from memories;

-- name: has_news(step)
-- Whether a memory has changed since the last run with that step that stands.
select exists (
    select 1
    from memories
    where updated_at > coalesce((
        select max(r.ended_at)
        from consolidation_runs r, json_each(r.options, '$.steps') done
        where done.value = :step and r.state <> 'undone'), ''));
