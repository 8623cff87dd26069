-- What every store needs, whatever it remembers. Each table's first words say its kind:
-- shared (committed, merged, exported), local (this machine only), derived (rebuilt at will).

create table settings ( -- shared: choices that hold for everybody who uses this file
    name text primary key, -- dotted name, e.g. recall.limit
    value text not null check (json_valid(value)), -- JSON
    updated_at text not null -- UTC, YYYY-MM-DDTHH:MM:SS.sssZ as all times here
) strict, without rowid;

create table local_settings ( -- local: choices and notes of this machine
    name text primary key, -- dotted name
    value text not null check (json_valid(value)), -- JSON
    updated_at text not null -- UTC
) strict, without rowid;

create table tombstones ( -- shared: rows deleted for good, so that a merge does not bring them back
    id integer primary key, -- id of the purged row; nothing else of it is kept
    purged_at text not null -- UTC
) strict;

create table audit ( -- local: what was changed, by which verb and why; the source of undo
    id integer primary key, -- time-sorted id
    at text not null, -- UTC
    verb text not null, -- remember, update, forget, restore, purge, fold, supersede, scrub, repair, ...
    memory_id integer, -- the row it was done to; null for store-wide work
    detail text not null default '{}' check (json_valid(detail)) -- JSON: values before, reason, counts
) strict;

create index audit_by_memory on audit (memory_id, id);

create table derived_parts ( -- local: which definition each derived part was built from
    name text primary key, -- file name in sql/derived without its ending
    definition text not null, -- sha256 of its SQL
    built_at text not null -- UTC
) strict, without rowid;

create table reconciled ( -- local: the file's change counter at memkit's last own write
    id integer primary key check (id = 1), -- one row
    change_counter integer not null -- a different counter in the file's header means: edited from outside
) strict;
