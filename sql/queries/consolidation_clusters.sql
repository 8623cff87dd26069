-- Clusters of memories: what they are found from, their rows, and what joins or leaves them.

-- name: vectors(model_id)
-- Vectors by one encoder of the memories that may lie in a cluster, in the order of memories: those that hold, of
-- projects and global ones; what is of a session or task ends with it.
select m.id, m.project, v.vector
from memories m
join embeddings v on v.memory_id = m.id
where v.model_id = :model_id and m.active = 1 and m.superseded_by is null and m.scope in ('project', 'global')
order by m.id, v.chunk;

-- name: unseen_vectors(model_id, limit)
-- The same of memories that nobody has looked at, the first :limit vectors.
select m.id, m.project, v.vector
from memories m
join embeddings v on v.memory_id = m.id
where v.model_id = :model_id and m.active = 1 and m.superseded_by is null and m.scope in ('project', 'global')
    and not exists (select 1 from cluster_members c where c.memory_id = m.id)
order by m.id, v.chunk
limit :limit;

-- name: texts(max_chars)
-- The beginnings of the texts by whose words clusters are named, with the cluster of each: nothing private.
select m.project, c.cluster_id, substr(m.text, 1, :max_chars) as text
from cluster_members c
join memories m on m.id = c.memory_id
where m.active = 1 and m.superseded_by is null and m.private = 0;

-- name: seen_vectors(model_id)
-- The same of memories that were looked at, with the cluster of each.
select m.id, m.project, v.vector, c.cluster_id
from cluster_members c
join memories m on m.id = c.memory_id
join embeddings v on v.memory_id = m.id
where v.model_id = :model_id and m.active = 1 and m.superseded_by is null
order by m.id, v.chunk;

-- name: nearest_to(id, model_id, project, moment, limit)
-- Memories nearest to one, by the nearest of their chunks, with the cosine: those that hold at :moment and stand
-- where it may see them, in its project, session and task or everywhere.
select m.id, max(1 - vec_distance_cosine(vec_int8(v.vector), vec_int8(o.vector))) as cosine
from memories own
join embeddings o on o.memory_id = own.id and o.model_id = :model_id
cross join embeddings v on v.model_id = :model_id and v.memory_id <> own.id
join memories m on m.id = v.memory_id
where own.id = :id and m.active = 1 and m.superseded_by is null
    and (m.project = :project or m.scope = 'global')
    and (m.scope <> 'session' or m.session_id = own.session_id)
    and (m.scope <> 'task' or m.task_id = own.task_id)
    and (m.valid_from is null or m.valid_from <= :moment) and (m.valid_to is null or m.valid_to > :moment)
group by m.id
order by cosine desc, m.id
limit :limit;

-- name: list_clusters()
-- Every cluster.
select id, project, label, size, model_id, centroid, reach
from clusters
order by id;

-- name: list_members()
-- Every memory that was looked at, with its cluster.
select memory_id, cluster_id, weight
from cluster_members
order by memory_id;

-- name: shown_clusters(project)
-- Clusters of a project with their members that hold, the largest first.
select c.id, c.label, json_group_array(m.id order by x.weight desc, m.id) as members
from clusters c
join cluster_members x on x.cluster_id = c.id
join memories m on m.id = x.memory_id
where c.project = :project and m.active = 1 and m.superseded_by is null
group by c.id
order by count(*) desc, c.id;

-- name: clusters_of(ids)
-- The cluster of each memory of the JSON list :ids that lies in one.
select x.memory_id, c.id, c.label
from json_each(:ids) listed
join cluster_members x on x.memory_id = listed.value
join clusters c on c.id = x.cluster_id;

-- name: add_cluster(id, project, label, size, model_id, centroid, reach)
-- One cluster.
insert into clusters (id, project, label, size, model_id, centroid, reach)
values (:id, :project, :label, :size, :model_id, :centroid, :reach);

-- name: set_label(id, label)
-- Name a cluster.
update clusters
set label = :label
where id = :id and label <> :label;

-- name: add_member(memory_id, cluster_id, weight)
-- One memory that was looked at.
insert into cluster_members (memory_id, cluster_id, weight)
values (:memory_id, :cluster_id, :weight)
on conflict (memory_id) do update set cluster_id = excluded.cluster_id, weight = excluded.weight;

-- name: clear_clusters()
-- Remove every cluster.
delete from clusters;

-- name: clear_members()
-- Forget which memories were looked at.
delete from cluster_members;

-- name: unnamed_clusters()
-- Clusters that are to be named anew.
select id
from clusters
where label = '';

-- name: drop_gone_members(limit)
-- Forget that memories were looked at which hold no more, or are not there: :limit of them at most.
delete from cluster_members
where memory_id in (
    select x.memory_id
    from cluster_members x
    left join memories m on m.id = x.memory_id
    where m.id is null or m.active = 0 or m.superseded_by is not null or m.scope not in ('project', 'global')
    limit :limit);

-- name: count_sizes()
-- Let the size of each cluster be the number of its members.
update clusters
set size = (select count(*) from cluster_members x where x.cluster_id = clusters.id)
where size <> (select count(*) from cluster_members x where x.cluster_id = clusters.id);

-- name: drop_empty()
-- Remove clusters without members.
delete from clusters
where not exists (select 1 from cluster_members x where x.cluster_id = clusters.id);

-- name: faults()
-- Rows that do not belong together: members of no cluster or no memory, and clusters of another size than they say.
select 'member', memory_id
from cluster_members
where memory_id not in (select id from memories)
    or cluster_id is not null and cluster_id not in (select id from clusters)
union all
select 'size', id
from clusters
where size <> (select count(*) from cluster_members x where x.cluster_id = clusters.id)
union all
select 'centroid', c.id
from clusters c
left join embedding_models e on e.id = c.model_id
where e.id is null or length(c.centroid) <> e.dimensions;

-- name: is_made()
-- Whether any memory was looked at.
select exists (select 1 from cluster_members);

-- name: vector_count(model_id)
-- How many vectors clusters would be found from.
select count(*)
from embeddings
where model_id = :model_id;
