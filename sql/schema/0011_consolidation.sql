-- What consolidation decides about memories, and what a contradiction proposes.

alter table contradictions add column proposed text
    check (proposed in ('a_wins', 'b_wins')) /* settlement that the statements themselves suggest: the newer one says that something changed; null: none */;

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
