-- Tags that are inferred: what they are read from, and which were taken away again.

-- name: sources(max_chars)
-- What tags are inferred from and for: memories that hold, of projects and global ones, none of them private; their
-- given tags and inferred ones (edges of .4), and the files that they are about.
select
    m.id, m.project, substr(m.text, 1, :max_chars) as text,
    (select json_group_array(t.name order by t.name) from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' and e.weight > 0.4) as tags,
    (select json_group_array(t.name order by t.name) from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' and e.weight <= 0.4) as inferred,
    (select json_group_array(distinct a.path) from anchors a where a.memory_id = m.id) as paths
from memories m
where m.active = 1 and m.superseded_by is null and m.private = 0 and m.scope in ('project', 'global')
order by m.id;

-- name: together(min_sessions, max_shown)
-- Pairs of memories that were shown to the same sessions, at least :min_sessions; a session that was shown more than
-- :max_shown says nothing.
with telling(session_id) as materialized (
    select session_id
    from surfaced
    group by session_id
    having count(*) between 2 and :max_shown
)
select a.memory_id, b.memory_id
from telling t
join surfaced a on a.session_id = t.session_id
join surfaced b on b.session_id = t.session_id and b.memory_id > a.memory_id
group by a.memory_id, b.memory_id
having count(*) >= :min_sessions
order by a.memory_id, b.memory_id;

-- name: withdrawn()
-- Tags that were taken away again.
select memory_id, tag_id
from withdrawn_tags;
