-- State that stood in prose gets columns and tables of its own, keys are compared by a column, and tables are called
-- by what they hold.
--
-- What nothing fills or reads yet stays for what will, marked as reserved. In tables that stay as they are:
-- reserved: memories.summary, compressed, index_entry and their token counts: levels of detail (seed 004), which a
--     caller may give and by which no answer is shortened yet.
-- reserved: edges of kind in_cluster: what a cluster of memories has in common (seed 004).

alter table memories add column inactive_code text
    check (inactive_code in ('forgotten', 'superseded', 'source_gone')) /* what ended it; null: active, or ended by another program */;

-- As memkit/memories/identity.py folds names: '-' and '_' are spaces, and a run of up to 32 of them is one.
alter table memories add column key_folded text generated always as (
    replace(replace(replace(replace(replace(replace(replace(key, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' ')
) virtual /* key as it is compared: with spaces for '-' and '_' */;
alter table memories add column qualifier_folded text generated always as (
    replace(replace(replace(replace(replace(replace(replace(qualifier, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' '), '  ', ' ')
) virtual /* qualifier as it is compared */;
drop index memories_by_key;

-- A table that is made anew under its own name keeps comments and columns together. Rows whose memory was deleted by
-- another program hang on nothing: `check` would remove them, and they may not be written again.

create temporary table before as select * from contradictions;
drop table contradictions;
create table contradictions ( -- shared: pairs that cannot both be true
    memory_a integer not null references memories (id) on delete cascade, -- the older one
    memory_b integer not null references memories (id) on delete cascade, -- the newer one
    detected_at text not null, -- UTC
    origin text not null default 'stated'
        check (origin in ('stated', 'detected', 'restated', 'merged')), -- who noted it: a caller, the detector, a statement made again after it was replaced, a merge of two stores
    resolved_at text, -- UTC; null: open
    resolution text check (resolution in ('a_wins', 'b_wins', 'both_valid', 'merged')), -- how it was settled
    note text, -- why, for people
    primary key (memory_a, memory_b),
    check (memory_a < memory_b)
) strict, without rowid;
insert into contradictions (memory_a, memory_b, detected_at, origin, resolved_at, resolution, note)
select memory_a, memory_b, detected_at,
    case
        when note in ('one says what the other denies', 'they say different numbers') then 'detected'
        when note = 'said again after it was replaced' then 'restated'
        when note = 'both came to be current when two stores were joined' then 'merged'
        else 'stated'
    end,
    resolved_at, resolution, note
from before
where memory_a in (select id from memories) and memory_b in (select id from memories);
drop table before;
create index contradictions_by_b on contradictions (memory_b);

create temporary table before as select * from usage;
drop table usage;
create table usage ( -- local: what was served and used on this machine
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    accessed_at text, -- last confirmed use, UTC
    access_count integer not null default 0, -- confirmed uses
    retrieval_count integer not null default 0, -- times returned
    citation_count integer not null default 0, -- reserved: times it influenced an action (seed 004); counted by feedback, weighed by nothing yet
    ignore_count integer not null default 0 -- reserved: times returned and not used (seed 004); counted by feedback, weighed by nothing yet
) strict;
insert into usage (memory_id, accessed_at, access_count, retrieval_count, citation_count, ignore_count)
select memory_id, accessed_at, access_count, retrieval_count, citation_count, ignore_count
from before
where memory_id in (select id from memories);
drop table before;

create temporary table before as select * from settings;
drop table settings;
create table settings ( -- shared: reserved: choices that hold for everybody who uses this file
    name text primary key, -- dotted name, e.g. recall.limit
    value text not null check (json_valid(value)), -- JSON
    updated_at text not null -- UTC, YYYY-MM-DDTHH:MM:SS.sssZ as all times here
) strict, without rowid;
insert into settings (name, value, updated_at)
select name, value, updated_at
from before;
drop table before;

create temporary table before as select * from mentions;
drop table mentions;
create table mentions ( -- local: paths that outputs of a session named, from which the next file is often taken; the newest few hundred
    session_id text not null, -- session
    path text not null, -- path relative to the repository root
    call integer not null, -- number, in the session, of the last output that named it
    position integer not null, -- how many paths that output named before it
    mention_count integer not null default 1, -- outputs that named it
    primary key (session_id, path)
) strict, without rowid;
insert into mentions (session_id, path, call, position, mention_count)
select session_id, path, call, place, mention_count
from before;
drop table before;

create table memory_aliases ( -- shared: ids that a memory had in another store before the two were merged
    former_id integer primary key, -- id it had there
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    created_at text not null -- when it was remembered under that id, UTC
) strict;

create index memory_aliases_by_memory on memory_aliases (memory_id);

create table memory_revisions ( -- shared: what a memory said before it was edited, by hash; tells a store that is behind from one that says otherwise
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    revision text not null, -- sha256/16 of the former statement; see memkit/memories/identity.py
    replaced_at text not null, -- when another statement took its place, UTC
    primary key (memory_id, revision)
) strict, without rowid;

create table source_readings ( -- shared: what was read at the source of a memory the last time, by hash
    memory_id integer primary key references memories (id) on delete cascade, -- the memory
    source text not null, -- where it was read
    text_hash text not null, -- sha256/16 of the statement
    body_hash text not null, -- sha256/16 of its body, without headings; '' if not noted
    metadata_hash text not null, -- sha256/16 of kind, tags, paths, triggers and steps; '' if not noted
    read_at text not null -- UTC
) strict;

create table paraphrases ( -- shared: other wordings of a memory, folded into it
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    text_hash text not null, -- sha256/16 of the wording
    text text not null, -- the wording
    said_at text not null, -- UTC
    primary key (memory_id, text_hash)
) strict, without rowid;

insert into paraphrases (memory_id, text_hash, text, said_at)
select memory_id, wording_hash, text, said_at
from wordings
where memory_id in (select id from memories);

drop table wordings;

create table surfaced_global ( -- local: what a session has been shown of the global store, which is a file of its own
    session_id text not null, -- session
    memory_id integer not null, -- the memory, by its id there
    shown_at text not null, -- UTC
    primary key (session_id, memory_id)
) strict, without rowid;

insert into surfaced_global (session_id, memory_id, shown_at)
select session_id, memory_id, shown_at
from surfaced_beside;

drop table surfaced_beside;

create table change_counters ( -- local: the file's change counter at memkit's last own write
    id integer primary key check (id = 1), -- one row
    change_counter integer not null -- a different counter in the file's header means: edited from outside
) strict;

insert into change_counters (id, change_counter)
select id, change_counter
from reconciled;

drop table reconciled;

-- What older versions wrote into texts, read once. Those texts stay as they are, for people.

update memories
set inactive_code = case
    when superseded_by is not null or inactive_reason = 'superseded' then 'superseded'
    when source is not null and provenance = 'extracted' and substr(inactive_reason, 1, 6) = 'gone: ' then 'source_gone'
    else 'forgotten'
end
where active = 0;

with recursive mention(memory_id, noted_at, rest) as (
    select memory_id, noted_at, substr(reason, instr(reason, 'joined; it was memory ') + 22)
    from provenance
    where instr(reason, 'joined; it was memory ') > 0
    union all
    select memory_id, noted_at, substr(rest, instr(rest, 'joined; it was memory ') + 22)
    from mention
    where instr(rest, 'joined; it was memory ') > 0
)
insert into memory_aliases (former_id, memory_id, created_at)
select cast(substr(rest, 1, 18) as integer) as former_id, max(memory_id), noted_at
from mention
where rest glob '[1-9]*' and cast(substr(rest, 1, 18) as integer) <> memory_id
    and memory_id in (select id from memories)
group by former_id;

with recursive mention(memory_id, noted_at, rest) as (
    select memory_id, noted_at, substr(reason, instr(reason, 'edited; it was ') + 15)
    from provenance
    where instr(reason, 'edited; it was ') > 0
    union all
    select memory_id, noted_at, substr(rest, instr(rest, 'edited; it was ') + 15)
    from mention
    where instr(rest, 'edited; it was ') > 0
)
insert into memory_revisions (memory_id, revision, replaced_at)
select memory_id, substr(rest, 1, 16) as revision, max(noted_at)
from mention
where length(substr(rest, 1, 16)) = 16 and substr(rest, 1, 16) not glob '*[^0-9a-f]*'
    and memory_id in (select id from memories)
group by memory_id, revision;

with reading(memory_id, source, digest, noted_at) as (
    select m.id, m.source,
        rtrim(substr(p.reason, length(rtrim(p.reason, replace(p.reason, '(', ''))) + 1), ')'),
        max(p.noted_at)
    from provenance p
    join memories m on m.id = p.memory_id
    where substr(p.reason, 1, 14) = 'taken in from ' and m.source is not null
    group by m.id
)
insert into source_readings (memory_id, source, text_hash, body_hash, metadata_hash, read_at)
select memory_id, source, substr(digest, 1, 16), substr(digest, 18, 16), substr(digest, 35, 16), noted_at
from reading
where length(digest) in (16, 33, 50) and digest not glob '*[^0-9a-f_]*';
