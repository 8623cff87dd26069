-- Keeping the derived rows of memories in step: documents, full text, token pieces, vectors.

-- name: list_sources(after, limit)
-- What each memory's document is made of, and the fingerprint it was indexed with. Inferred tags (edges of .4) are
-- none of it: measured, no answer is better for them (bench cascade).
select
    m.id, m.text, m.key, m.value, m.qualifier, m.season,
    (select json_group_array(part.atom) from json_tree(m.procedure) part where part.type = 'text') as procedure,
    (select json_group_array(t.name) from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' and e.weight > 0.4) as tags,
    (select json_group_array(p.text) from (
        select p.text from paraphrases p where p.memory_id = m.id order by p.said_at, p.text_hash) p) as paraphrases,
    d.fingerprint
from memories m
left join search_documents d on d.id = m.id
where m.id > :after
order by m.id
limit :limit;

-- name: get_sources(ids)
-- The same for the memories of the JSON list :ids.
select
    m.id, m.text, m.key, m.value, m.qualifier, m.season,
    (select json_group_array(part.atom) from json_tree(m.procedure) part where part.type = 'text') as procedure,
    (select json_group_array(t.name) from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' and e.weight > 0.4) as tags,
    (select json_group_array(p.text) from (
        select p.text from paraphrases p where p.memory_id = m.id order by p.said_at, p.text_hash) p) as paraphrases,
    d.fingerprint
from (select distinct value as id from json_each(:ids)) listed
join memories m on m.id = listed.id
left join search_documents d on d.id = m.id;

-- name: indexed_body(id)
-- What a memory's document holds of it: how it stood when it was indexed.
select body
from search_documents
where id = :id;

-- name: add_document(id, fingerprint, body, split, speaker, marks)
-- The searchable text of a memory.
insert into search_documents (id, fingerprint, body, split, speaker, marks)
values (:id, :fingerprint, :body, :split, :speaker, :marks);

-- name: signs_of(id, model_id)
-- The signs of the first vector of a memory.
select bits
from embedding_bits
where memory_id = :id and model_id = :model_id
order by chunk
limit 1;

-- name: signs_after(model_id, after)
-- The signs of the vectors of memories whose ids are greater than :after, in the order of ids.
select memory_id, bits
from embedding_bits
where memory_id > :after and model_id = :model_id
order by memory_id, chunk;

-- name: nearest_by_words(match, limit)
-- The :limit memories whose words match an FTS5 expression best.
select rowid as id
from search_index
where search_index match :match
order by bm25(search_index, 1.0, 0.6)
limit :limit;

-- name: common_words(words, count)
-- Of the FTS5 expressions of the JSON list :words those that :count memories match, or more.
select listed.value as word
from json_each(:words) listed
where (
    select count(*)
    from (select rowid from search_index where search_index match listed.value limit :count)) = :count
order by listed.key;

-- name: comparable(id, others)
-- Of the memories of the JSON list :others those that hold at the same time and place as memory :id, and that nobody
-- has set beside it yet: their words, and the texts of what was decided about the two. Keyed facts are left to
-- supersession: the values of one key replace each other, and those of two keys are about two things. Sections of
-- documents say many things at once, and are read again when they change.
select a.id, a.text, v.texts_hash
from memories o
cross join json_each(:others) listed
join memories a on a.id = listed.value and a.id <> o.id
left join pair_verdicts v on v.memory_a = min(a.id, o.id) and v.memory_b = max(a.id, o.id)
where o.id = :id and o.active = 1 and a.active = 1 and o.form <> 'episode' and a.form <> 'episode'
    and a.superseded_by is null and o.superseded_by is null
    and (a.key is null or o.key is null)
    and (a.source is null or a.provenance <> 'extracted') and (o.source is null or o.provenance <> 'extracted')
    and (a.project = o.project or 'global' in (a.scope, o.scope))
    and (a.scope <> 'session' and o.scope <> 'session' or a.session_id = o.session_id)
    and (a.scope <> 'task' and o.scope <> 'task' or a.task_id = o.task_id)
    and (a.season is null or o.season is null or a.season = o.season)
    and (a.valid_to is null or a.valid_to > coalesce(o.valid_from, o.created_at))
    and (o.valid_to is null or o.valid_to > coalesce(a.valid_from, a.created_at))
    and not exists (
        select 1 from contradictions c where c.memory_a = min(a.id, o.id) and c.memory_b = max(a.id, o.id))
    and not exists (
        select 1 from edges e
        where e.kind in ('supersedes', 'relates_to', 'derived_from')
            and (e.src, e.dst) in (values (a.id, o.id), (o.id, a.id)))
order by a.id;

-- name: place_across(id)
-- What a memory says, and when, if it may be held against those of another file: its session and its task are of this
-- one, keyed facts are left to the nearer scope, sections of documents say many things.
select text, created_at, season, coalesce(valid_from, created_at) as starts, valid_to as ends
from memories
where id = :id and active = 1 and superseded_by is null and form <> 'episode' and key is null
    and (source is null or provenance <> 'extracted') and scope in ('project', 'global');

-- name: comparable_across(others, project, season, starts, ends)
-- Of the memories of the JSON list :others those that hold at the same time as one of another file, of :project, or
-- global ones if it is null: their words, and when they were said.
select id, text, created_at
from memories
where id in (select value from json_each(:others)) and active = 1 and superseded_by is null and form <> 'episode'
    and key is null and (source is null or provenance <> 'extracted')
    and case when :project is null then scope = 'global' else scope = 'project' and project = :project end
    and (season is null or :season is null or season = :season)
    and (valid_to is null or valid_to > :starts)
    and (:ends is null or :ends > coalesce(valid_from, created_at))
order by id;

-- name: said_text(id)
-- The text of a memory.
select text
from memories
where id = :id;

-- name: index_documents(ids)
-- Put documents into the full-text index.
insert into search_index (rowid, body, split)
select d.id, d.body, d.split
from json_each(:ids) listed
join search_documents d on d.id = listed.value;

-- name: merge_parts(changed)
-- Merge parts of the full-text index after :changed documents: all, if these are a sixteenth of it or more; else
-- those alike in size, writing 16 pages at most and one per document. A search goes through all parts (up to .1 ms
-- each): some 10 after single changes, 3 if they are merged.
insert into search_index (search_index, rank)
select case when count(*) <= 16 * :changed then 'optimize' else 'merge' end, 16 + :changed
from (select id from search_index_docsize limit 16 * :changed + 1);

-- name: unindex_documents(ids)
-- Take documents out of the full-text index, by exactly the words they were put in with.
insert into search_index (search_index, rowid, body, split)
select 'delete', d.id, d.body, d.split
from json_each(:ids) listed
join search_documents d on d.id = listed.value;

-- name: delete_documents(ids)
-- Remove documents (after they were taken out of the index).
delete from search_documents
where id in (select value from json_each(:ids));

-- name: orphan_documents(limit)
-- Documents whose memory is gone.
select d.id
from search_documents d
left join memories m on m.id = d.id
where m.id is null
limit :limit;

-- name: touch_index()
-- Ask the full-text index anything, so that FTS5 lets go of what it remembers of an older state.
select rowid
from search_index
where search_index match '"a"'
limit 1;

-- name: check_index()
-- FTS5's own check of the index against the documents; raises if they differ.
insert into search_index (search_index, rank)
values ('integrity-check', 1);

-- name: rebuild_index()
-- Make the full-text index anew from the documents.
insert into search_index (search_index)
values ('rebuild');

-- name: document_counts()
-- Memories, documents and pieces, which must be equal.
select
    (select count(*) from memories) as memories,
    (select count(*) from search_documents) as search_documents,
    (select count(*) from memory_tokens) as memory_tokens;

-- name: list_embedding_models()
-- Every encoder whose vectors are stored, with the number of memories it has cut.
select s.id, s.name, s.dimensions, (select count(*) from memory_tokens p where p.model_id = s.id) as memories
from embedding_models s
order by s.id;

-- name: get_embedding_model(name)
-- Number of an encoder, and how often its vectors have changed.
select id, changes
from embedding_models
where name = :name;

-- name: count_embedding_change()
-- Vectors change: whoever keeps them in memory must read them again.
update embedding_models
set changes = changes + 1;

-- name: add_embedding_model(name, dimensions, changes)
-- Register an encoder.
insert into embedding_models (name, dimensions, changes)
values (:name, :dimensions, :changes)
on conflict (name) do nothing;

-- name: drop_unused_embedding_models(keep)
-- Forget encoders that have made nothing that is left.
delete from embedding_models
where id <> :keep and not exists (select 1 from memory_tokens p where p.model_id = embedding_models.id);

-- name: set_tokens(id, model_id, ids)
-- Token ids of a memory.
insert into memory_tokens (memory_id, model_id, ids)
values (:id, :model_id, :ids)
on conflict (memory_id) do update set model_id = excluded.model_id, ids = excluded.ids;

-- name: delete_tokens(ids)
-- Remove the token ids of memories.
delete from memory_tokens
where memory_id in (select value from json_each(:ids));

-- name: add_embedding(id, chunk, model_id, vector)
-- One vector.
insert into embeddings (memory_id, chunk, model_id, vector)
values (:id, :chunk, :model_id, :vector);

-- name: add_embedding_bits(id, chunk, model_id, bits)
-- The signs of one vector.
insert into embedding_bits (memory_id, chunk, model_id, bits)
values (:id, :chunk, :model_id, :bits);

-- name: delete_embeddings(ids)
-- Remove every vector of memories.
delete from embeddings
where memory_id in (select value from json_each(:ids));

-- name: delete_embedding_bits(ids)
-- Remove the signs of every vector of memories.
delete from embedding_bits
where memory_id in (select value from json_each(:ids));

-- name: unembedded(model_id, limit)
-- Memories without pieces of encoder :model_id, oldest first.
select d.id, d.body
from search_documents d
left join memory_tokens p on p.memory_id = d.id
where p.model_id is not :model_id
order by d.id
limit :limit;

-- name: unembedded_count(model_id)
-- How many memories have no pieces of encoder :model_id.
select count(*)
from search_documents d
left join memory_tokens p on p.memory_id = d.id
where p.model_id is not :model_id;

-- name: orphan_embeddings()
-- Vectors, signs and pieces whose memory is gone, that do not belong together, or that are not of
-- their encoder's length.
select memory_id from memory_tokens where memory_id not in (select id from memories)
union
select memory_id from embeddings where memory_id not in (select memory_id from memory_tokens)
union
select memory_id from embedding_bits where memory_id not in (select memory_id from memory_tokens)
union
select v.memory_id
from embeddings v
left join embedding_bits b on b.memory_id = v.memory_id and b.chunk = v.chunk and b.model_id is v.model_id
where b.bits is null
union
select b.memory_id
from embedding_bits b
left join embeddings v on v.memory_id = b.memory_id and v.chunk = b.chunk
where v.vector is null
union
select v.memory_id
from embeddings v
join memory_tokens p on p.memory_id = v.memory_id
where v.model_id is not p.model_id
union
select v.memory_id
from embedding_models s
join embeddings v on v.model_id = s.id
join embedding_bits b on b.memory_id = v.memory_id and b.chunk = v.chunk
where length(v.vector) <> s.dimensions or length(b.bits) <> (s.dimensions + 7) / 8;

-- name: untokenized(limit)
-- Memories that no encoder has cut yet.
select d.id, d.body
from search_documents d
left join memory_tokens p on p.memory_id = d.id
where p.memory_id is null
order by d.id
limit :limit;

-- name: merge_index()
-- Merge the full-text index into one part, which drops what was deleted.
insert into search_index (search_index)
values ('optimize');

-- name: leave_clusters(ids)
-- Let clusters be one smaller for each memory of the JSON list :ids that lies in them, and be named anew: its words may
-- be in the label.
update clusters
set label = '', size = size - (
    select count(*)
    from json_each(:ids) listed
    join cluster_members x on x.memory_id = listed.value
    where x.cluster_id = clusters.id)
where id in (
    select x.cluster_id
    from json_each(:ids) listed
    join cluster_members x on x.memory_id = listed.value);

-- name: doubted_among(ids)
-- Open contradictions between memories of the JSON list :ids that nobody but the detector noted.
select c.memory_a, c.memory_b
from json_each(:ids) listed
join contradictions c on c.memory_a = listed.value
where c.origin = 'detected' and c.resolved_at is null and c.memory_b in (select value from json_each(:ids));

-- name: delete_cluster_members(ids)
-- Forget that memories of the JSON list :ids were looked at: their vectors are others now, or none.
delete from cluster_members
where memory_id in (select value from json_each(:ids));
