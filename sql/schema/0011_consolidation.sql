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
