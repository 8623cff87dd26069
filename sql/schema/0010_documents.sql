-- What an agent's framework keeps in this file in a form of its own: documents by name, and transcripts of sessions.

create table named_documents ( -- shared: what a framework keeps under a name, beside the memory by which recall finds it
    memory_id integer primary key references memories (id) on delete cascade, -- the memory that says it; forgotten: it is not searched
    project text not null default '', -- wall between projects that share this file
    namespace text not null, -- where it lies: labels joined by '.', e.g. users.alice
    key text not null, -- its name there
    value text not null check (json_valid(value)), -- JSON: the document, secrets replaced
    updated_at text not null -- last change of this row, UTC
) strict;

create index named_documents_by_name on named_documents (project, namespace, key);

create table transcript_entries ( -- local: transcripts of sessions as their framework writes them
    collection text not null, -- the framework, and what it tells its sessions apart by, e.g. claude/-home-me-shop
    session_id text not null, -- session
    part text not null default '', -- '' is the session itself; else what runs or is kept beside it, such as a subagent
    position integer not null, -- order in the part; later is greater
    entry_key text, -- the entry's own name, under which it is kept once; null: it has none
    entry text not null check (json_valid(entry)), -- JSON: the entry, secrets replaced
    added_at text not null, -- UTC
    primary key (collection, session_id, part, position)
) strict;

create index transcript_entries_by_key on transcript_entries (collection, session_id, part, entry_key) where entry_key is not null;
create index transcript_entries_by_time on transcript_entries (collection, session_id, added_at);
