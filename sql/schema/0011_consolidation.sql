-- What consolidation did to memories, and what was decided about pairs of them.

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
        check (action in ('merge', 'summarise', 'compress', 'strengthen', 'weaken', 'contradict', 'supersede', 'forget', 'link', 'tag', 'cluster')), -- what was done
    memory_id integer not null, -- to which memory
    other_id integer, -- the other memory, if there is one: what it was merged into, linked with, …
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
