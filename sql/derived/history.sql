-- Git's log as episodes: read again from git whenever this definition changes, never committed.
--
-- formerly: names, mined

create table commits ( -- derived: git's log as episodes; the hash leads to what git itself keeps
    id integer primary key, -- commit second << 20 | its place among the commits of that second: sorts as the log does
    hash text not null unique, -- git's name of it
    project text not null default '', -- wall between projects that share this file
    committed_at text not null, -- UTC
    author integer, -- number in commit_names
    subject text not null, -- first line of its message, secrets replaced
    kind text not null default 'change'
        check (kind in ('change', 'fix', 'revert', 'merge')), -- told by its message
    reverts text -- hash of the commit it takes back
) strict;

create table commit_names ( -- derived: paths and authors of git's log, so that a number stands for each
    id integer primary key, -- small number
    name text not null, -- path relative to the repository root; author's name
    project text not null default '', -- wall between projects that share this file
    unique (name, project)
) strict;

create table commit_files ( -- derived: which commit changed which file
    commit_id integer not null, -- commits.id
    name_id integer not null, -- commit_names.id of the path
    operation text not null
        check (operation in ('edit', 'write', 'delete', 'rename')), -- changed, new, removed, moved here
    previous_id integer, -- rename: commit_names.id of the path before
    primary key (name_id, commit_id)
) strict, without rowid;

create index commit_files_by_commit on commit_files (commit_id);
create index commit_files_by_previous on commit_files (previous_id) where previous_id is not null;

create table commit_heads ( -- derived: how far the log was read
    project text primary key, -- wall between projects that share this file
    head text not null, -- hash of the newest commit that was read
    shallow integer not null check (shallow in (0, 1)), -- 1: the clone was cut off, older commits may come yet
    mined_at text not null -- UTC
) strict, without rowid;
