-- What was extracted from prompts and sessions, and whether anybody has confirmed it.

create table memory_reviews ( -- shared: memories that nobody asked to remember; without a row a memory was told or read
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    state text not null
        check (state in ('pending', 'accepted', 'rejected', 'expired')), -- expired: waited too long behind too many others
    reason text, -- why it was taken for worth remembering, or why it was rejected
    noted_at text not null -- last change of the state, UTC
) strict;

create index memory_reviews_pending on memory_reviews (noted_at, memory_id) where state = 'pending';
