-- Living memory: what use, time, outcomes and consolidation do to what is remembered.
--
-- Edges of kind in_cluster, which an earlier step reserved, stay unused: which memory lies in which cluster follows from
-- the vectors and stands in the derived table cluster_members.

create table withdrawn_tags ( -- shared: inferred tags that were taken away again, and are not inferred anew
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    tag_id integer not null, -- node of the tag: a hash of its name, so that it needs no row in tags
    withdrawn_at text not null, -- UTC
    primary key (memory_id, tag_id)
) strict, without rowid;

create table discovered_links ( -- shared: pairs of memories that proved useful together; how near that brings them fades
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    times integer not null check (times > 0), -- on how many occasions
    last_at text not null, -- the last of them, UTC
    weight real not null check (weight between 0 and 1), -- what the edge relates_to was given last; an edge of another weight is somebody's own
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;

create index discovered_links_back on discovered_links (memory_b);

create table procedure_outcomes ( -- shared: how a procedure fared when it was followed, as a whole and step by step
    id integer primary key, -- time-sorted id
    memory_id integer not null references memories (id) on delete cascade, -- the procedure
    step integer check (step > 0), -- number of the step, from 1; null: the whole
    outcome text not null
        check (outcome in ('succeeded', 'failed', 'skipped')), -- what came of it
    note text, -- why, for people
    session_id text, -- session that followed it; null: unknown
    origin text not null check (origin in ('stated', 'observed')), -- stated: somebody said so; observed: recorded commands match the steps
    noted_at text not null -- UTC
) strict;

create index procedure_outcomes_of on procedure_outcomes (memory_id, step, id);

create table gap_answers ( -- local: questions asked in vain that are answered since, or that nobody needs an answer to
    question_hash text primary key references gaps (question_hash) on delete cascade, -- the question
    memory_id integer references memories (id) on delete cascade, -- what answers it: forgotten, it is open again; null: somebody closed it
    closed_at text not null -- UTC; asked in vain later, it is open again
) strict, without rowid;

create index gap_answers_of on gap_answers (memory_id);

create table consolidation_runs ( -- local: runs of consolidation in this file, and what undoes each
    id integer primary key, -- time-sorted id
    began_at text not null, -- when it was planned, UTC
    ended_at text not null, -- when it was written, UTC
    options text not null check (json_valid(options)), -- JSON: what it was called with
    state text not null
        check (state in ('applied', 'undone', 'final')), -- final: it stands, and what would undo it is not kept (any more)
    undone_at text, -- UTC
    changeset blob -- rows before and after, as SQLite's session extension writes them; null: nothing can be undone by it
) strict;

create table consolidation_changes ( -- local: single changes of a run of consolidation, in the order in which they were made
    run_id integer not null references consolidation_runs (id) on delete cascade, -- the run
    position integer not null, -- 0, 1, … in the run
    action text not null
        check (action in ('merge', 'summarise', 'compress', 'contradict', 'forget', 'link', 'unlink', 'tag')), -- what was done
    memory_id integer not null, -- to which memory
    other_id integer, -- the other node, if there is one: the memory it was merged into, linked with, …, or the tag it got
    score real, -- how sure it was, 0 to 1; null: nothing was weighed
    reason text not null, -- why, for people
    primary key (run_id, position)
) strict, without rowid;

create index consolidation_changes_by_memory on consolidation_changes (memory_id, other_id);
create index consolidation_changes_by_other on consolidation_changes (other_id) where other_id is not null;

create table pair_verdicts ( -- shared: what was decided about two memories, so that nobody decides it twice
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    verdict text not null
        check (verdict in ('contradiction', 'update', 'duplicate', 'distinct')), -- how the two stand to each other
    decided_by text not null check (decided_by in ('caller', 'judge', 'undo')), -- who said so
    texts_hash text not null, -- sha256/16 of both texts: other texts are another pair
    note text, -- why, for people
    decided_at text not null, -- UTC
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;

create index pair_verdicts_by_b on pair_verdicts (memory_b);

-- A table that is made anew under its own name keeps comments and columns together.
create temporary table before as select * from contradictions;
drop table contradictions;
create table contradictions ( -- shared: pairs that cannot both be true
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    detected_at text not null, -- UTC
    origin text not null default 'stated'
        check (origin in ('stated', 'detected', 'restated', 'merged')), -- who noted it: a caller, the detector, a statement made again after it was replaced, a merge of two stores
    proposed text
        check (proposed in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- settlement that the statements themselves suggest: b_wins where the newer one says that something changed; null: none
    resolved_at text, -- UTC; null: open
    resolution text check (resolution in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- how it was settled
    note text, -- why, for people
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
insert into contradictions (memory_a, memory_b, detected_at, origin, resolved_at, resolution, note)
select memory_a, memory_b, detected_at, origin, resolved_at, resolution, note
from before
where memory_a in (select id from memories) and memory_b in (select id from memories);
drop table before;
create index contradictions_by_b on contradictions (memory_b);
