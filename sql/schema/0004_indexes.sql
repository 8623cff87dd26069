-- Indexes that something goes by, and no others: they cost every write and the committed file.

-- What hangs on a memory is found from the memory, or each purge reads these tables whole.
create index surfaced_by_memory on surfaced (memory_id);
create index contradictions_by_b on contradictions (memory_b);

drop index memories_by_session;
drop index learned_patterns_by_type;
drop index session_learnings_by_type;

create table surfaced_beside ( -- local: what a session has been shown of the global store, which is a file of its own
    session_id text not null, -- session
    memory_id integer not null, -- the memory, by its id there
    shown_at text not null, -- UTC
    primary key (session_id, memory_id)
) strict, without rowid;
