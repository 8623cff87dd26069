-- How procedures fared.

-- name: add_outcome(id, memory_id, step, outcome, note, session, origin, at)
-- A procedure or a step of it was followed.
insert into procedure_outcomes (id, memory_id, step, outcome, note, session_id, origin, noted_at)
values (:id, :memory_id, :step, :outcome, :note, :session, :origin, :at);

-- name: last_outcome_id(first, last)
-- Largest id of an outcome between two ids.
select max(id)
from procedure_outcomes
where id between :first and :last;

-- name: drop_old_outcomes(memory_id, max_rows)
-- Only the newest outcomes of a procedure stay.
delete from procedure_outcomes
where memory_id = :memory_id and id not in (
    select id from procedure_outcomes where memory_id = :memory_id order by id desc limit :max_rows);

-- name: procedures(project, session, limit)
-- Procedures that a session may have followed, and that were not held against it yet.
select m.id, m.procedure
from memories m
where m.procedure is not null and m.active = 1 and m.superseded_by is null and m.project = :project
    and not exists (
        select 1 from procedure_outcomes o
        where o.memory_id = m.id and o.session_id = :session)
order by m.id desc
limit :limit;
