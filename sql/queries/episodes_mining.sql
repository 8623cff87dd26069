-- Git's log as episodes: written by memkit/episodes/git_history.py only.

-- name: mined(project)
-- How far the log was read.
select head, shallow
from commit_heads
where project = :project;

-- name: set_mined(project, head, shallow, at)
-- Note how far the log was read.
insert into commit_heads (project, head, shallow, mined_at)
values (:project, :head, :shallow, :at)
on conflict (project) do update set
    head = excluded.head, shallow = excluded.shallow, mined_at = excluded.mined_at;

-- name: hashes(project)
-- Hash and id of every commit that was read.
select hash, id
from commits
where project = :project;

-- name: known(hashes)
-- Which of the JSON list :hashes are there.
select c.hash
from json_each(:hashes) listed
join commits c on c.hash = listed.value;

-- name: last_ids(seconds)
-- The greatest id of a commit of each second of the JSON list :seconds that has one.
select listed.value, max(c.id)
from json_each(:seconds) listed
join commits c on c.id between listed.value << 20 and (listed.value << 20) + 1048575
group by listed.value;

-- name: add_names(project, names)
-- Give every new name of the JSON list :names a number.
insert into commit_names (name, project)
select value, :project
from json_each(:names)
where true
on conflict (name, project) do nothing;

-- name: numbers(project, names)
-- The numbers of the JSON list :names.
select n.name, n.id
from json_each(:names) listed
join commit_names n on n.name = listed.value and n.project = :project;

-- name: add_commit(id, hash, project, at, author, subject, kind, reverts)
-- One commit.
insert into commits (id, hash, project, committed_at, author, subject, kind, reverts)
values (:id, :hash, :project, :at, :author, :subject, :kind, :reverts);

-- name: add_file(commit, name, operation, previous)
-- One file that a commit changed.
insert into commit_files (commit_id, name_id, operation, previous_id)
values (:commit, :name, :operation, :previous)
on conflict (name_id, commit_id) do nothing;

-- name: drop_commits(ids)
-- Forget commits that are in the history no more.
delete from commits
where id in (select value from json_each(:ids));

-- name: drop_files(ids)
-- Forget which files they changed.
delete from commit_files
where commit_id in (select value from json_each(:ids));

-- name: totals(project)
-- Commits by kind.
select kind, count(*) as commits
from commits
where project = :project
group by kind;
