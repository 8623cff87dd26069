-- What consolidation decides about memories, and what a contradiction proposes.

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
