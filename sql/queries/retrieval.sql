-- Finding memories again: words, vectors, names, edges. Every query only reads.

-- name: lexical(match, limit)
-- Memories whose words match, best first; the score is BM25 (smaller is better).
select rowid as id, bm25(search_index, 1.0, 0.6) as score
from search_index
where search_index match :match
order by score
limit :limit;

-- name: lexical_within(match, limit, ids)
-- The same among the memories of the JSON list :ids. Without the plus FTS5 begins the search anew for each of them:
-- .1 s for a hundred.
select rowid as id, bm25(search_index, 1.0, 0.6) as score
from search_index
where search_index match :match and +rowid in (select value from json_each(:ids))
order by score
limit :limit;

-- name: occurrences(matches, max_count)
-- For each expression of the JSON list :matches, in order, the memories in which it occurs with commas between (as
-- one value: 2,000 rows take five times as long to read); null for none, '' for :max_count and more, which tell little.
select (
    select case when count(*) < :max_count then group_concat(id) else '' end
    from (select rowid as id from search_index where search_index match listed.value limit :max_count)) as ids
from json_each(:matches) listed
order by listed.key;

-- name: words(limit)
-- The stems of the full-text index that are nothing but letters, three to twenty of them, with in how many memories
-- each occurs: two texts with blanks between, as one value each; the :limit most frequent, in order of the alphabet.
select group_concat(term, ' ') as stems, group_concat(doc, ' ') as counts
from (
    select term, doc
    from (
        select term, doc
        from temp.search_words
        where length(term) between 3 and 20 and term not glob '*[0-9]*'
        order by doc desc
        limit :limit)
    order by term);

-- name: texts_with(stems, max_length)
-- For each stem of the JSON list :stems the first :max_length characters of a memory that holds it.
select listed.value as stem, substr(d.body, 1, :max_length) || ' ' || substr(d.split, 1, :max_length) as text
from json_each(:stems) listed
join search_documents d on d.id = (select doc from temp.search_places where term = listed.value limit 1);

-- name: with_capitals(match, name, limit)
-- Memories that match an FTS5 expression and hold a name exactly as it is written, no part of a longer word.
select id
from (select rowid as id from search_index where search_index match :match limit :limit) s
join search_documents d using (id)
where ' ' || d.body || ' ' glob '*[^A-Za-z0-9]' || :name || '[^A-Za-z0-9]*';

-- name: said_between(first, end, limit, ids)
-- Memories that were said from :first until before :end, newest first; of the JSON list :ids if it is not null.
select id, created_at
from memories
where created_at >= :first and created_at < :end
    and (:ids is null or id in (select value from json_each(:ids)))
order by created_at desc
limit :limit;

-- name: size()
-- Number of indexed memories, from the size of the full-text index's own row table.
select count(*)
from search_index_docsize;

-- name: matrix(model_id)
-- Every vector of one encoder with its sign bits, in the order of memories.
select v.memory_id as id, b.bits, v.vector
from embeddings v
join embedding_bits b on b.memory_id = v.memory_id and b.chunk = v.chunk
where v.model_id = :model_id and b.model_id = :model_id
order by v.memory_id, v.chunk;

-- name: nearest(query, model_id, limit)
-- Memories nearest to a vector by exact cosine distance over every vector.
select memory_id as id, min(vec_distance_cosine(vec_int8(vector), vec_int8(:query))) as distance
from embeddings
where model_id = :model_id
group by memory_id
order by distance
limit :limit;

-- name: nearest_by_bits(query, bits, model_id, first_cut, limit)
-- The same by a first cut on sign bits: :first_cut chunks by Hamming distance, then exact cosine.
with near as materialized (
    select memory_id, chunk
    from embedding_bits
    where model_id = :model_id
    order by vec_distance_hamming(vec_bit(bits), vec_bit(:bits))
    limit :first_cut
)
select v.memory_id as id, min(vec_distance_cosine(vec_int8(v.vector), vec_int8(:query))) as distance
from near n
join embeddings v on v.memory_id = n.memory_id and v.chunk = n.chunk
group by v.memory_id
order by distance
limit :limit;

-- name: nearest_within(query, model_id, limit, ids)
-- The same among the memories of the JSON list :ids.
select v.memory_id as id, min(vec_distance_cosine(vec_int8(v.vector), vec_int8(:query))) as distance
from json_each(:ids) listed
join embeddings v on v.memory_id = listed.value
where v.model_id = :model_id
group by v.memory_id
order by distance
limit :limit;

-- name: distances(query, model_id, ids)
-- Cosine distance of given memories to a vector.
select v.memory_id as id, min(vec_distance_cosine(vec_int8(v.vector), vec_int8(:query))) as distance
from json_each(:ids) listed
join embeddings v on v.memory_id = listed.value
where v.model_id = :model_id
group by v.memory_id;

-- name: tokens(ids, model_id)
-- Token ids of given memories.
select p.memory_id as id, p.ids
from json_each(:ids) listed
join memory_tokens p on p.memory_id = listed.value
where p.model_id = :model_id;

-- name: bodies(ids)
-- What is looked for of each memory of the JSON list :ids: its text, key, tags and other wordings.
select d.id, d.body
from json_each(:ids) listed
join search_documents d on d.id = listed.value;

-- name: facts(ids)
-- What decides whether a memory may be shown, and the small numbers that ranking needs.
select
    m.id, m.kind, m.scope, m.project, m.session_id, m.task_id, m.active, m.superseded_by,
    m.created_at, m.valid_from, m.valid_to, m.confidence, m.trust, m.provenance, m.pinned,
    m.tokens, u.accessed_at, coalesce(u.access_count, 0) as access_count,
    coalesce(d.speaker, '') as speaker, coalesce(d.marks, 0) as marks
from json_each(:ids) listed
join memories m on m.id = listed.value
left join usage u on u.memory_id = m.id
left join search_documents d indexed by documents_shown on d.id = m.id;

-- name: retired(as_of)
-- Memories that a run of consolidation forgot after :as_of, and nobody touched since: they were believed until then.
select distinct m.id
from consolidation_changes c
join consolidation_runs r on r.id = c.run_id and r.state <> 'undone'
join memories m on m.id = c.memory_id
where c.action = 'forget' and r.ended_at > :as_of and m.inactive_code = 'forgotten'
    and m.updated_at between r.began_at and r.ended_at;

-- name: seasons(ids)
-- The recurring moments that memories of the JSON list :ids belong to.
select m.id, m.season
from json_each(:ids) listed
join memories m on m.id = listed.value
where m.season is not null;

-- name: edited(ids, as_of, max_length)
-- Which memories of the JSON list :ids said something else until a moment after :as_of, and their text of then, as the
-- first change after it noted it; null where nobody noted it, or not all of it (:max_length characters and more).
select distinct r.memory_id, (
    select case when length(json_extract(e.detail, '$.before')) < :max_length then json_extract(e.detail, '$.before') end
    from audit e
    where e.memory_id = r.memory_id and e.verb in ('update', 'edit') and e.at > :as_of
    order by e.at, e.id
    limit 1) as text
from memory_revisions r
where r.memory_id in (select value from json_each(:ids)) and r.replaced_at > :as_of;

-- name: selected(kinds, scopes, projects, sessions, tasks, tags, since, until, history, as_of, moment, held_from, retired)
-- Ids of the memories that a selective question is asked of: with one of each JSON list of kinds, scopes and nodes of
-- tags, behind the walls of one of :projects; null means any, but what belongs to a session or a task is for those of
-- :sessions and :tasks alone. They hold at :moment, which is :as_of where that is asked about, or held at some moment
-- from :held_from to then, unless :history is wanted whole. Those of :retired were forgotten only after that.
select id
from memories
where (:tags is null or id in (
        select e.src
        from json_each(:tags) listed
        join edges e on e.dst = listed.value and e.kind = 'has_tag'))
    and (:kinds is null or kind in (select value from json_each(:kinds)))
    and (:scopes is null or scope in (select value from json_each(:scopes)))
    and (:projects is null or project in (select value from json_each(:projects)) or scope = 'global')
    and (scope <> 'session' or session_id in (select value from json_each(:sessions)))
    and (scope <> 'task' or task_id in (select value from json_each(:tasks)))
    and (:since is null or created_at >= :since)
    and (:until is null or created_at <= :until)
    and (:history
        or case when :as_of is null then active = 1 and superseded_by is null
            else created_at <= :as_of and (active = 1 or superseded_by is not null
                or id in (select value from json_each(:retired))) end
        and (valid_to is null or valid_to > :held_from)
        and (valid_from is null or valid_from <= :moment));

-- name: neighbours(ids)
-- The turn or step before and after each memory of the JSON list :ids; twice if both are in the list.
select e.src as before, e.dst as after
from json_each(:ids) listed
join edges e on e.src = listed.value and e.kind = 'next'
union all
select e.src, e.dst
from json_each(:ids) listed
join edges e on e.dst = listed.value and e.kind = 'next';

-- name: tags_named(names)
-- Tags whose name is in the JSON list :names.
select id, name
from tags
where name in (select value from json_each(:names));

-- name: tags_between(low, high, limit)
-- Tags whose name lies between two texts, in order.
select id, name
from tags
where name >= :low and name < :high
order by name
limit :limit;

-- name: tagged(tags)
-- Every memory that carries a tag of the JSON list of tag ids.
select e.src as id
from json_each(:tags) listed
join edges e on e.dst = listed.value and e.kind = 'has_tag';

-- name: carrying(tags, limit)
-- Memories that were given a tag of the JSON list of tag ids, newest first; inferred tags (edges of .4) do not rank.
select e.src as id, e.dst as tag
from json_each(:tags) listed
join edges e on e.dst = listed.value and e.kind = 'has_tag' and e.weight > 0.4
order by e.src desc
limit :limit;

-- name: anchored(paths, limit)
-- Memories that are about a file (or a symbol in it) of the JSON list of paths, newest first.
select a.memory_id as id, a.path, a.symbol
from json_each(:paths) listed
join anchors a on a.path = listed.value
order by a.memory_id desc
limit :limit;

-- name: find_by_keys(keys, limit)
-- Memories whose keyed fact has a key of the JSON list :keys of folded names, newest first.
select id, key
from memories
where key is not null and key_folded in (select value from json_each(:keys))
order by id desc
limit :limit;

-- name: keys_from(words, limit)
-- Keyed facts whose key has several words, the first of which is in the JSON list :words, and of what they are,
-- newest first; '!' comes next to the ' ' that parts the words of a folded key.
select m.id, m.key, m.qualifier
from json_each(:words) listed
cross join memories m on m.key is not null
    and m.key_folded > listed.value || ' ' and m.key_folded < listed.value || '!'
order by 1 desc
limit :limit;

-- name: has_keys()
-- Whether any memory is a keyed fact.
select exists (select 1 from memories where key is not null);

-- name: newer(ids)
-- The last successor of each superseded memory of the JSON list :ids.
with recursive chain(origin, id, depth) as (
    select value, value, 0
    from json_each(:ids)
    union
    select c.origin, m.superseded_by, c.depth + 1
    from chain c
    join memories m on m.id = c.id
    where m.superseded_by is not null and c.depth < 50
)
select c.origin, c.id
from chain c
join memories m on m.id = c.id
where m.superseded_by is null and c.depth > 0;

-- name: cascade(seeds, kinds, depth, fanout, budget)
-- Edges of the JSON list :kinds met on a breadth-first walk of at most :depth steps from the JSON list of node
-- ids :seeds. Only the :fanout strongest edges of a node in each direction are followed, and no more than
-- :budget nodes are opened, so neither a hub nor a clique can blow the walk up. The recursion ends a step before
-- the last: what that leads to is only named, not opened.
with recursive
reached(node, depth) as (
    select value, 0
    from json_each(:seeds)
    union
    select e.dst, r.depth + 1
    from reached r
    join edges e on e.src = r.node and (e.dst, e.kind) in (
        select o.dst, o.kind from edges o
        where o.src = r.node and o.kind in (select value from json_each(:kinds))
        order by o.weight desc limit :fanout)
    where r.depth < :depth - 1
    union
    select e.src, r.depth + 1
    from reached r
    join edges e on e.dst = r.node and (e.src, e.kind) in (
        select i.src, i.kind from edges i
        where i.dst = r.node and i.kind in (select value from json_each(:kinds))
        order by i.weight desc limit :fanout)
    where r.depth < :depth - 1
    order by 2
    limit :budget
),
opened(node, depth) as materialized (
    select node, min(depth)
    from reached
    group by node
)
select o.node as from_node, e.dst as to_node, e.kind, e.weight, o.depth + 1 as depth, 1 as forward
from opened o
join edges e on e.src = o.node and (e.dst, e.kind) in (
    select x.dst, x.kind from edges x
    where x.src = o.node and x.kind in (select value from json_each(:kinds))
    order by x.weight desc limit :fanout)
where o.depth < :depth
union all
select o.node, e.src, e.kind, e.weight, o.depth + 1, 0
from opened o
join edges e on e.dst = o.node and (e.src, e.kind) in (
    select x.src, x.kind from edges x
    where x.dst = o.node and x.kind in (select value from json_each(:kinds))
    order by x.weight desc limit :fanout)
where o.depth < :depth
order by depth, weight desc;

-- name: steps(nodes, kinds, fanout, goes_on)
-- Edges of the JSON list of nodes :nodes: of memories those of the JSON list :kinds, and between memories and
-- code what they are about; codegraph.certain_edges has those of the code. The :fanout strongest of a node in
-- each direction. Edges that lead into the code only if the walk :goes_on from there: code is no end of it.
with listed(node) as materialized (
    select value
    from json_each(:nodes)
)
select w.node as from_node, e.dst as to_node, e.kind, e.weight, 1 as forward
from listed w
join edges e on e.src = w.node and (e.dst, e.kind) in (
    select x.dst, x.kind from edges x
    where x.src = w.node and x.kind in (select value from json_each(:kinds))
    order by x.weight desc limit :fanout)
union all
select w.node, e.src, e.kind, e.weight, 0
from listed w
join edges e on e.dst = w.node and (e.src, e.kind) in (
    select x.src, x.kind from edges x
    where x.dst = w.node and x.kind in (select value from json_each(:kinds))
    order by x.weight desc limit :fanout)
union all
select w.node, f.id, 'about', null, 1
from listed w
join anchors a on a.memory_id = w.node and a.symbol = ''
join code_files f on f.path = a.path
where :goes_on
union all
select w.node, s.id, 'about', null, 1
from listed w
join anchors a on a.memory_id = w.node and a.symbol <> ''
join code_files f on f.path = a.path
cross join code_symbols s on s.file = f.id
left join code_symbols p on p.id = s.parent
where :goes_on and (a.symbol = s.spelled and p.id is null
    or substr('.' || a.symbol, -length(p.name) - length(s.name) - 2) = '.' || p.name || '.' || s.name)
union all
select w.node, a.memory_id, 'about', null, 0
from listed w
join code_files f on f.id = w.node
join anchors a on a.path = f.path and a.symbol = '' and a.memory_id in (
    select x.memory_id from anchors x
    where x.path = f.path and x.symbol = '' order by x.memory_id desc limit :fanout)
union all
select w.node, a.memory_id, 'about', null, 0
from listed w
join code_symbols s on s.id = w.node
left join code_symbols p on p.id = s.parent
join code_files f on f.id = s.file
join anchors a on a.path = f.path and (a.memory_id, a.symbol) in (
    select x.memory_id, x.symbol from anchors x
    where x.path = f.path and x.symbol <> '' and (x.symbol = s.spelled and p.id is null
        or substr('.' || x.symbol, -length(p.name) - length(s.name) - 2) = '.' || p.name || '.' || s.name)
    order by x.memory_id desc limit :fanout);

-- name: cluster_steps(nodes, fanout)
-- Two steps from each memory of the JSON list :nodes: to its cluster, and from there to the :fanout firmest members.
select x.memory_id as from_node, x.cluster_id as to_node, 'in_cluster' as kind, 0.6 as weight, 1 as depth, 1 as forward
from json_each(:nodes) listed
join cluster_members x on x.memory_id = listed.value
where x.cluster_id is not null
union all
select c.cluster_id, x.memory_id, 'in_cluster', 0.6, 2, 0
from (
    select distinct m.cluster_id
    from json_each(:nodes) listed
    join cluster_members m on m.memory_id = listed.value
    where m.cluster_id is not null) c
join cluster_members x on x.cluster_id = c.cluster_id and x.memory_id in (
    select y.memory_id from cluster_members y
    where y.cluster_id = c.cluster_id order by y.weight desc limit :fanout);

-- name: cluster_labels(ids)
-- Labels of the clusters of the JSON list :ids.
select c.id, c.label
from json_each(:ids) listed
join clusters c on c.id = listed.value;

-- name: has_about()
-- Whether there is both a code graph and a memory that is about something.
select exists (select 1 from code_files) and exists (select 1 from anchors);

-- name: about(ids)
-- What the memories of the JSON list :ids are about.
select a.memory_id as id, a.path, a.symbol, a.symbol_hash
from json_each(:ids) listed
join anchors a on a.memory_id = listed.value;

-- name: about_place(path, symbol, limit)
-- Memories that are about a file or a symbol by its name alone, newest first.
select memory_id as id
from anchors
where path = :path and (:symbol = '' or symbol = :symbol)
order by memory_id desc
limit :limit;

-- name: triggers(projects)
-- Negative memories with the patterns they surface on.
select id, trigger_patterns
from memories
where kind = 'negative' and active = 1 and trigger_patterns <> '[]'
    and (:projects is null or project in (select value from json_each(:projects)) or scope = 'global');

-- name: open_pairs(ids, known_at)
-- For each memory of the JSON list :ids those that it contradicts, where that is not settled and both hold, or, of a
-- moment (not null), was known and not settled then; and whether the other one was told later or says that it changed what
-- the first says.
with pair(id, opponent, is_update, detected_at, resolved_at) as (
    select memory_a, memory_b, proposed is 'b_wins', detected_at, resolved_at
    from json_each(:ids) listed
    join contradictions on memory_a = listed.value
    union all
    select memory_b, memory_a, 0, detected_at, resolved_at
    from json_each(:ids) listed
    join contradictions on memory_b = listed.value
)
select p.id, p.opponent, p.is_update or o.created_at > m.created_at
from pair p
join memories m on m.id = p.id
join memories o on o.id = p.opponent
where case when :known_at is null then p.resolved_at is null and m.active = 1 and o.active = 1
    else p.detected_at <= :known_at and (p.resolved_at is null or p.resolved_at > :known_at)
        and (m.active = 1 or m.superseded_by is not null) and (o.active = 1 or o.superseded_by is not null) end;
