-- Memories and what hangs on them: written by memkit/memories only.

-- name: insert(id, text, kind, form, key, value, qualifier, scope, project, session_id, task_id, source, message_first, message_last, file_paths, summary, compressed, index_entry, tokens, summary_tokens, compressed_tokens, index_tokens, created_at, updated_at, valid_from, valid_to, season, strength, confidence, trust, importance, provenance, author, pinned, private, trigger_patterns, procedure, content_hash)
-- A new memory.
insert into memories (
    id, text, kind, form, key, value, qualifier, scope, project, session_id, task_id, source,
    message_first, message_last, file_paths, summary, compressed, index_entry,
    tokens, summary_tokens, compressed_tokens, index_tokens, created_at, updated_at, valid_from, valid_to,
    season, strength, confidence, trust, importance, provenance, author, pinned, private,
    trigger_patterns, procedure, content_hash
) values (
    :id, :text, :kind, :form, :key, :value, :qualifier, :scope, :project, :session_id, :task_id, :source,
    :message_first, :message_last, :file_paths, :summary, :compressed, :index_entry,
    :tokens, :summary_tokens, :compressed_tokens, :index_tokens, :created_at, :updated_at, :valid_from, :valid_to,
    :season, :strength, :confidence, :trust, :importance, :provenance, :author, :pinned, :private,
    :trigger_patterns, :procedure, :content_hash
);

-- name: replace_content(id, text, kind, form, key, value, qualifier, scope, project, session_id, task_id, source, message_first, message_last, file_paths, summary, compressed, index_entry, tokens, summary_tokens, compressed_tokens, index_tokens, updated_at, valid_from, valid_to, season, strength, confidence, trust, importance, provenance, author, pinned, private, trigger_patterns, procedure, content_hash)
-- Everything of a memory but its id, birth and state.
update memories set
    text = :text, kind = :kind, form = :form, key = :key, value = :value, qualifier = :qualifier,
    scope = :scope, project = :project, session_id = :session_id, task_id = :task_id, source = :source,
    message_first = :message_first, message_last = :message_last, file_paths = :file_paths,
    summary = :summary, compressed = :compressed, index_entry = :index_entry,
    tokens = :tokens, summary_tokens = :summary_tokens, compressed_tokens = :compressed_tokens,
    index_tokens = :index_tokens, updated_at = :updated_at, valid_from = :valid_from, valid_to = :valid_to,
    season = :season, strength = :strength, confidence = :confidence, trust = :trust,
    importance = :importance, provenance = :provenance, author = :author, pinned = :pinned,
    private = :private, trigger_patterns = :trigger_patterns, procedure = :procedure,
    content_hash = :content_hash
where id = :id;

-- name: by_ids(ids)
-- Whole memories with their tags and use, in the order of the JSON list :ids.
select
    m.id, m.text, m.kind, m.form, m.key, m.value, m.qualifier, m.scope, m.project, m.session_id,
    m.task_id, m.source, m.message_first, m.message_last, m.file_paths, m.summary, m.compressed,
    m.index_entry, m.tokens, m.created_at, m.updated_at, m.valid_from, m.valid_to, m.season, m.strength,
    m.confidence, m.trust, m.importance, m.provenance, m.author, m.active, m.inactive_reason,
    iif(m.active, null, m.inactive_code) as inactive_code, -- another program may bring one back
    m.pinned,
    m.private, m.superseded_by, m.trigger_patterns, m.procedure,
    (select json_group_array(t.name) from (
        select t.name from edges e join tags t on t.id = e.dst
        where e.src = m.id and e.kind = 'has_tag' order by t.name) t) as tags,
    (select json_group_array(json_array(a.path, a.symbol, a.symbol_hash))
        from anchors a where a.memory_id = m.id) as about,
    u.accessed_at, coalesce(u.access_count, 0) as access_count,
    (select r.state from memory_reviews r where r.memory_id = m.id) as review,
    iif(m.procedure is null, null, (
        select json_group_array(json_array(o.step, o.outcome, o.note)) from (
            select step, outcome, note from procedure_outcomes where memory_id = m.id
            order by id desc limit 200) o)) as outcomes
from json_each(:ids) listed
join memories m on m.id = listed.value
left join usage u on u.memory_id = m.id
order by listed.key;

-- name: known(ids)
-- Those of the JSON list :ids under which a memory is stored.
select id
from memories
where id in (select value from json_each(:ids));

-- name: suggest_ids(number)
-- Ids that begin with the digits of :number, or that it begins with: one of them was cut or typed on.
select id
from memories
where length(:number) > 4
    and (substr(id, 1, length(:number)) = :number or substr(:number, 1, length(id)) = cast(id as text))
order by id desc
limit 3;

-- name: matching(kind, form, scope, project, session, task, key, source, tag, active, before, limit)
-- Ids, newest first, of memories that agree with every argument that is not null, below id :before.
select id
from memories m
where id < :before
    and (:kind is null or kind = :kind)
    and (:form is null or form = :form)
    and (:scope is null or scope = :scope)
    and (:project is null or project = :project or scope = 'global')
    and (:session is null or session_id = :session)
    and (:task is null or task_id = :task)
    and (:key is null or key_folded = :key)
    and (:source is null or source = :source)
    and (:active is null or active = :active)
    and (:tag is null or exists (
        select 1 from edges e where e.src = m.id and e.dst = :tag and e.kind = 'has_tag'))
order by id desc
limit :limit;

-- name: find_by_content_hash(content_hashes, content_hash)
-- Memories whose content hash is in a JSON list: those that stand first, :content_hash before others.
select id, text, kind, content_hash, superseded_by, valid_from, valid_to
from memories
where content_hash in (select value from json_each(:content_hashes))
order by active desc, content_hash = :content_hash desc, id desc;

-- name: said_by(id)
-- The same of one memory.
select id, text, kind, content_hash, superseded_by, valid_from, valid_to
from memories
where id = :id;

-- name: by_source(project, source)
-- The memory that came from a named place.
select id, text, content_hash, superseded_by, strength, pinned, private
from memories
where project = :project and source = :source;

-- name: span(id, now)
-- The keyed fact that a memory states, and from when to when it holds; what came about after :now holds now.
select
    id, key, value, qualifier, project, scope, session_id, task_id, active, superseded_by, valid_to,
    max(coalesce(valid_from, min(created_at, :now)), min(created_at, :now)) as start
from memories
where id = :id;

-- name: find_current_fact(project, scope, session, task, key, qualifier, now)
-- Current memories of one keyed fact, named in folded form, and when they hold; a session or task that is null is any.
select id, value, valid_to, max(coalesce(valid_from, min(created_at, :now)), min(created_at, :now)) as start
from memories
where key is not null and key_folded = :key and qualifier_folded is :qualifier
    and project = :project and scope = :scope
    and (:session is null or session_id = :session) and (:task is null or task_id = :task)
    and active = 1 and superseded_by is null
order by id desc;

-- name: strengthen(id, kind, content_hash, confidence, importance, valid_from, valid_to, season, author, file_paths, trigger_patterns, pinned, private, at)
-- Said once more; null says nothing new, and lists unite.
update memories
set strength = strength + 1, kind = :kind, content_hash = :content_hash,
    confidence = max(confidence, :confidence), importance = coalesce(:importance, importance),
    valid_from = :valid_from, valid_to = coalesce(:valid_to, valid_to),
    season = coalesce(:season, season), author = coalesce(author, :author),
    file_paths = iif(:file_paths in ('[]', file_paths), file_paths, (
        select json_group_array(value) from (
            select value from json_each(file_paths)
            union all select value from json_each(:file_paths)
            where value not in (select value from json_each(file_paths))))),
    trigger_patterns = iif(:trigger_patterns in ('[]', trigger_patterns), trigger_patterns, (
        select json_group_array(value) from (
            select value from json_each(trigger_patterns)
            union all select value from json_each(:trigger_patterns)
            where value not in (select value from json_each(trigger_patterns))))),
    pinned = max(pinned, :pinned), private = max(private, :private), active = 1,
    inactive_reason = null, inactive_code = null, updated_at = :at
where id = :id;

-- name: set_active(id, active, reason, code, at)
-- Forget a memory, or restore it; :reason is for people, :code for memkit.
update memories
set active = :active, inactive_reason = :reason, inactive_code = :code, updated_at = :at
where id = :id;

-- name: set_superseded(id, by, until, at)
-- A newer memory took its place; null brings it back. It holds, or held, until :until.
update memories
set superseded_by = :by, active = :by is null,
    inactive_reason = case when :by is null then null else 'superseded' end,
    inactive_code = case when :by is null then null else 'superseded' end,
    valid_to = :until, updated_at = :at
where id = :id;

-- name: end_at(id, until, at)
-- A memory holds until :until; null: for good.
update memories
set valid_to = :until, updated_at = :at
where id = :id;

-- name: orphan(id, until)
-- Let go of the memory that took its place; it stays inactive.
update memories
set superseded_by = null, valid_to = :until
where id = :id;

-- name: superseded_by(id)
-- Memories whose place :id took.
select id
from memories
where superseded_by = :id;

-- name: planned(id, now)
-- Memories that hold at :now and are to be replaced by :id.
select m.id
from edges e
join memories m on m.id = e.dst
where e.src = :id and e.kind = 'supersedes' and m.active = 1 and m.superseded_by is null
    and (m.valid_to is null or m.valid_to > :now);

-- name: endings(id)
-- Who takes the place of :id or took it, from when on, and whether that one stands.
select e.src, e.created_at as at, n.active as stands
from edges e
join memories n on n.id = e.src
where e.dst = :id and e.kind = 'supersedes';

-- name: drop_endings(id, until)
-- Forget who took the place of a memory up to :until.
delete from edges
where dst = :id and kind = 'supersedes' and created_at <= :until;

-- name: given_end(id)
-- The end that a memory was given before an earlier one was made by its replacement.
select json_extract(detail, '$.until')
from audit
where memory_id = :id and verb = 'supersede'
order by id desc
limit 1;

-- name: successors(id)
-- The memories that superseded one, one after the other.
with recursive chain(id) as (
    select superseded_by from memories where id = :id and superseded_by is not null
    union
    select m.superseded_by
    from chain c
    join memories m on m.id = c.id
    where m.superseded_by is not null
)
select id from chain;

-- name: set_pinned(id, pinned, at)
-- Pin or unpin.
update memories
set pinned = :pinned, updated_at = :at
where id = :id;

-- name: delete(id)
-- Remove the row; rows that hang on it go with it.
delete from memories
where id = :id;

-- name: delete_edges(id)
-- Remove every edge of a node.
delete from edges
where src = :id or dst = :id;

-- name: aliases_of(id)
-- Ids that a memory had in other stores.
select former_id
from memory_aliases
where memory_id = :id and former_id not in (select id from memories);

-- name: last_id(first, last)
-- Largest id between two ids that a memory has or had before it was purged.
select max(id)
from (
    select max(id) as id from memories where id between :first and :last
    union all
    select max(id) from tombstones where id between :first and :last
);

-- name: counts()
-- How many memories there are, by state.
select
    count(*) as total,
    count(*) filter (where active = 1) as active,
    count(*) filter (where superseded_by is not null) as superseded,
    count(*) filter (where pinned = 1) as pinned,
    cast(total(tokens) as integer) as tokens
from memories;

-- name: counts_by_kind()
-- Active memories by kind.
select kind, count(*) as how_many
from memories
where active = 1
group by kind
order by kind;

-- name: add_paraphrase(id, text_hash, text, at)
-- Keep another wording of a memory.
insert into paraphrases (memory_id, text_hash, text, said_at)
values (:id, :text_hash, :text, :at)
on conflict (memory_id, text_hash) do update set said_at = min(said_at, excluded.said_at);

-- name: list_paraphrases(id)
-- Other wordings of a memory, oldest first.
select text, said_at
from paraphrases
where memory_id = :id
order by said_at, text_hash;

-- name: add_provenance(id, at, source, session, snippet, reason)
-- Append to the chain of provenance.
insert into provenance (memory_id, noted_at, source, session_id, snippet, reason)
values (:id, :at, :source, :session, :snippet, :reason)
on conflict (memory_id, noted_at, source) do nothing;

-- name: list_aliases()
-- Ids that memories had in other stores, and the memory that each leads to. One that a memory bears here by chance leads
-- to that.
select former_id, memory_id
from memory_aliases
where former_id not in (select id from memories);

-- name: add_alias(former_id, id, at)
-- A memory had another id in a store that was merged; the first that says so holds.
insert into memory_aliases (former_id, memory_id, created_at)
values (:former_id, :id, :at)
on conflict (former_id) do nothing;

-- name: add_revision(id, revision, at)
-- A memory said something else until :at.
insert into memory_revisions (memory_id, revision, replaced_at)
values (:id, :revision, :at)
on conflict (memory_id, revision) do update set replaced_at = excluded.replaced_at
where excluded.replaced_at > replaced_at;

-- name: has_revision(id, revision)
-- Whether a memory is known to have said that once.
select exists (select 1 from memory_revisions where memory_id = :id and revision = :revision);

-- name: get_statement(id)
-- What a memory says and where it has it from.
select text, kind, key, value, qualifier, scope, trigger_patterns, procedure, source, provenance, updated_at
from memories
where id = :id;

-- name: add_explanation(id, at, source, session, snippet, reason)
-- Append to the chain of provenance what people should know; a link of that moment keeps what it says.
insert into provenance (memory_id, noted_at, source, session_id, snippet, reason)
values (:id, :at, :source, :session, :snippet, :reason)
on conflict (memory_id, noted_at, source) do update set
    snippet = coalesce(snippet, excluded.snippet), reason = coalesce(reason, excluded.reason);

-- name: provenance_of(id)
-- The chain of provenance, oldest first; the memory's own row is its first link unless one says more.
select created_at as noted_at, provenance as source, session_id as session, null as snippet, null as reason
from memories m
where id = :id and not exists (
    select 1 from provenance p where p.memory_id = m.id and p.noted_at = m.created_at)
union all
select noted_at, source, session_id, snippet, reason
from provenance
where memory_id = :id
order by noted_at, source;

-- name: add_artifact(id, kind, reference)
-- Something outside that belongs to a memory.
insert into artifacts (memory_id, kind, reference)
values (:id, :kind, :reference)
on conflict (memory_id, kind, reference) do nothing;

-- name: artifacts_of(id)
-- What belongs to a memory.
select kind, reference
from artifacts
where memory_id = :id
order by kind, reference;

-- name: add_anchor(id, path, symbol, hash, at)
-- A memory is about a file or a symbol in it, as it is now.
insert into anchors (memory_id, path, symbol, symbol_hash, noted_at)
values (:id, :path, :symbol, :hash, :at)
on conflict (memory_id, path, symbol) do update set
    symbol_hash = excluded.symbol_hash, noted_at = excluded.noted_at
    where excluded.symbol_hash is not null and excluded.symbol_hash is not symbol_hash;

-- name: anchored(project)
-- Memories of a project, and global ones, that hold and are about a place in the code, newest first.
select m.id
from memories m
where m.active = 1 and (m.project = :project or m.scope = 'global')
    and exists (select 1 from anchors a where a.memory_id = m.id)
order by m.id desc;

-- name: clear_anchors(id)
-- A memory is no longer about anything.
delete from anchors
where memory_id = :id;

-- name: add_tag(id, name, at)
-- Make a tag if there is none of that name.
insert into tags (id, name, created_at)
values (:id, :name, :at)
on conflict (id) do nothing;

-- name: describe_tag(id, description)
-- Say what a tag is for.
update tags
set description = :description
where id = :id;

-- name: tag_counts()
-- Every tag with the number of its active memories, most used first.
select t.name, t.description, count(m.id) as how_many
from tags t
left join edges e on e.dst = t.id and e.kind = 'has_tag'
left join memories m on m.id = e.src and m.active = 1
group by t.id
order by how_many desc, t.name;

-- name: count_tags()
-- How many tags there are.
select count(*)
from tags;

-- name: count_open_contradictions()
-- How many contradictions are not settled and both of whose memories are active.
select count(*)
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
where c.resolved_at is null and a.active = 1 and b.active = 1;

-- name: add_edge(src, dst, kind, weight, at)
-- Make an edge; an existing one keeps the greater weight.
insert into edges (src, dst, kind, weight, created_at)
values (:src, :dst, :kind, :weight, :at)
on conflict (src, dst, kind) do update set weight = max(weight, excluded.weight)
where excluded.weight > weight;

-- name: delete_edge(src, dst, kind)
-- Remove one edge.
delete from edges
where src = :src and dst = :dst and kind = :kind;

-- name: withdraw_tag(memory_id, tag_id, at)
-- Note that a tag is taken away, if it is an inferred one (an edge of .4).
insert or ignore into withdrawn_tags (memory_id, tag_id, withdrawn_at)
select src, dst, :at
from edges
where src = :memory_id and dst = :tag_id and kind = 'has_tag' and weight <= 0.4;

-- name: edges_of(id)
-- Every edge of a node, strongest first.
select src, dst, kind, weight, created_at
from edges
where src = :id or dst = :id
order by weight desc, src, dst, kind;

-- name: add_contradiction(memory_a, memory_b, at, origin, note, proposed)
-- Two memories cannot both be true; if that was settled once, it is open again.
insert into contradictions (memory_a, memory_b, detected_at, origin, note, proposed)
values (:memory_a, :memory_b, :at, :origin, :note, :proposed)
on conflict (memory_a, memory_b) do update set
    note = coalesce(excluded.note, note), origin = excluded.origin, detected_at = excluded.detected_at,
    proposed = excluded.proposed, resolved_at = null, resolution = null;

-- name: resolve_contradiction(memory_a, memory_b, resolution, note, at)
-- How it was settled.
update contradictions
set resolution = :resolution, note = coalesce(:note, note), resolved_at = :at
where memory_a = :memory_a and memory_b = :memory_b;

-- name: settle_contradiction(memory_a, memory_b, resolution, at)
-- One took the place of the other; what was settled before stays as it was settled.
update contradictions
set resolution = :resolution, resolved_at = :at
where memory_a = :memory_a and memory_b = :memory_b and resolved_at is null;

-- name: reopen_contradiction(memory_a, memory_b)
-- The one that lost is back.
update contradictions
set resolution = null, resolved_at = null
where memory_a = :memory_a and memory_b = :memory_b and resolution in ('a_wins', 'b_wins');

-- name: contradictions(open_only)
-- Contradictions, newest first, with who decided about them; one is open while it is not settled and both memories are
-- active.
select
    c.memory_a, c.memory_b, c.detected_at, c.resolved_at, c.resolution, c.note, c.origin, c.proposed, v.decided_by
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
left join pair_verdicts v on v.memory_a = c.memory_a and v.memory_b = c.memory_b
where not :open_only or (c.resolved_at is null and a.active = 1 and b.active = 1)
order by c.detected_at desc, c.memory_a, c.memory_b;

-- name: put_verdict(memory_a, memory_b, verdict, decided_by, texts_hash, note, at)
-- Decide about a pair; the last word holds, but that a judge does not overrule what somebody decided of the same texts.
insert into pair_verdicts (memory_a, memory_b, verdict, decided_by, texts_hash, note, decided_at)
values (:memory_a, :memory_b, :verdict, :decided_by, :texts_hash, :note, :at)
on conflict (memory_a, memory_b) do update set
    verdict = excluded.verdict, decided_by = excluded.decided_by, texts_hash = excluded.texts_hash,
    note = excluded.note, decided_at = excluded.decided_at
where excluded.decided_by <> 'judge' or decided_by = 'judge' or texts_hash <> excluded.texts_hash;

-- name: drop_verdict(memory_a, memory_b)
-- Two that were brought together stand apart again: what was decided is open, unless it was that both hold.
delete from pair_verdicts
where memory_a = :memory_a and memory_b = :memory_b and verdict <> 'distinct';

-- name: open_contradictions_of(id)
-- Open contradictions of a memory: who noted them, and what both say.
select c.memory_a, c.memory_b, c.origin, c.proposed, a.text, b.text
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
where c.memory_a = :id and c.resolved_at is null
union all
select c.memory_a, c.memory_b, c.origin, c.proposed, a.text, b.text
from contradictions c
join memories a on a.id = c.memory_a
join memories b on b.id = c.memory_b
where c.memory_b = :id and c.resolved_at is null;

-- name: repeats_of(id)
-- The memories that one was linked to as it was remembered, since it says the same.
select dst
from edges
where src = :id and kind = 'relates_to'
order by weight desc, dst;

-- name: identities(after, limit)
-- What the content hash of each memory is made of, in the order of ids.
select id, text, kind, key, value, qualifier, scope, project, session_id, task_id, content_hash
from memories
where id > :after
order by id
limit :limit;

-- name: json_columns()
-- What memories hold as JSON, where they hold any.
select id, file_paths, trigger_patterns, procedure
from memories
where file_paths <> '[]' or trigger_patterns <> '[]' or procedure is not null
order by id;

-- name: set_hash(id, content_hash)
-- Put the content hash right after an edit from outside.
update memories
set content_hash = :content_hash
where id = :id;

-- name: retell(id, text)
-- The text follows the fact that it was made of.
update memories
set text = :text
where id = :id;

-- name: drop_levels(id)
-- What was shortened from a former statement is not said any more.
update memories
set summary = null, compressed = null, index_entry = null, summary_tokens = null,
    compressed_tokens = null, index_tokens = null
where id = :id;

-- name: edited_facts()
-- Keyed facts that another program edited apart from their texts, and that were not updated since.
select m.id, m.text, m.key, m.value, m.qualifier, json_extract(e.detail, '$.fields') as fields
from audit e
join memories m on m.id = e.memory_id and m.active = 1
where e.verb = 'edit' and not exists (
    select 1 from audit later
    where later.memory_id = e.memory_id and (later.at, later.id) > (e.at, e.id)
        and later.verb in ('edit', 'update'))
order by m.id;

-- name: keys()
-- Key and qualifier of every memory that has one.
select id, key, qualifier
from memories
where key is not null or qualifier is not null
order by id;

-- name: set_key(id, key, qualifier)
-- Put the spelling of key and qualifier right after an edit from outside.
update memories
set key = :key, qualifier = :qualifier
where id = :id;

-- name: set_tokens(id, tokens)
-- Put the token count right after an edit from outside.
update memories
set tokens = :tokens
where id = :id;

-- name: odd_times()
-- Memories of which one time is not in the stored form, or is no time at all.
select m.id, created_at, updated_at, valid_from, valid_to
from memories m
left join usage u on u.memory_id = m.id
where strftime('%Y-%m-%dT%H:%M:%fZ', created_at) is not created_at
    or strftime('%Y-%m-%dT%H:%M:%fZ', updated_at) is not updated_at
    or strftime('%Y-%m-%dT%H:%M:%fZ', valid_from) is not valid_from
    or strftime('%Y-%m-%dT%H:%M:%fZ', valid_to) is not valid_to
    or strftime('%Y-%m-%dT%H:%M:%fZ', accessed_at) is not accessed_at
    or min(created_at, coalesce(accessed_at, created_at)) < '0001' -- a year only SQLite knows
order by m.id;

-- name: forget_odd_uses()
-- Uses at what is no time, or not in the stored form, were at a time that is unknown.
update usage
set accessed_at = null
where strftime('%Y-%m-%dT%H:%M:%fZ', accessed_at) is not accessed_at or accessed_at < '0001';

-- name: set_times(id, created_at, updated_at, valid_from, valid_to)
-- Put times into the stored form.
update memories
set created_at = :created_at, updated_at = :updated_at, valid_from = :valid_from, valid_to = :valid_to
where id = :id;

-- name: tag_names()
-- Every tag.
select id, name
from tags
order by id;

-- name: tag_description(id)
-- What a tag is for.
select description
from tags
where id = :id;

-- name: move_edges(old, new)
-- Let the edges of one node lead to and from another; those that it has already stay where they are.
update or ignore edges
set src = iif(src = :old, :new, src), dst = iif(dst = :old, :new, dst)
where src = :old or dst = :old;

-- name: odd_edges()
-- Edges whose memory end or tag end is missing.
select e.src, e.dst, e.kind
from edges e
left join memories a on a.id = e.src
left join memories b on b.id = e.dst
left join tags t on t.id = e.dst
where (e.src > 0 and a.id is null)
    or (e.dst > 0 and b.id is null)
    or (e.kind = 'has_tag' and t.id is null);

-- name: odd_replacements()
-- Memories superseded by a row that is not there, or by themselves.
select m.id
from memories m
left join memories n on n.id = m.superseded_by and n.id <> m.id
where m.superseded_by is not null and n.id is null;

-- name: replacements()
-- What supersedes what.
select id, superseded_by
from memories
where superseded_by is not null;

-- name: resurrected()
-- Memories that were purged for good and stand here again.
select m.id
from memories m
join tombstones t on t.id = m.id;

-- name: as_of(moment, project, limit)
-- Memories that were known at :moment and held true then, newest first.
select id
from memories
where coalesce(valid_from, created_at) <= :moment and created_at <= :moment
    and (valid_to is null or valid_to > :moment)
    and (active = 1 or superseded_by is not null or updated_at > :moment)
    and (:project is null or project = :project or scope = 'global')
order by created_at desc, id desc
limit :limit;

-- name: clear_audit(id)
-- Remove what the audit holds of a memory's text before it is purged.
delete from audit
where memory_id = :id;

-- name: drop_unused_tags()
-- Remove tags that nothing carries and nobody described.
delete from tags
where description is null and not exists (select 1 from edges where dst = tags.id);

-- name: global_relations()
-- How memories of this file stand to global ones, which lie in a file of their own: narrowed, replaced, doubted, linked.
-- What a memory replaces stays replaced while it, or what follows it, stands.
select
    m.id as own, json_extract(s.value, '$.src') as src, json_extract(s.value, '$.dst') as dst,
    json_extract(s.value, '$.kind') as kind, json_extract(s.value, '$.weight') as weight,
    json_extract(s.value, '$.note') as note, json_extract(s.value, '$.resolution') as resolution,
    json_extract(s.value, '$.resolved_at') as resolved_at, json_extract(s.value, '$.at') as created_at,
    coalesce(json_extract(s.value, '$.origin'), 'stated') as origin, json_extract(s.value, '$.proposed') as proposed,
    max(json_extract(s.value, '$.at'), coalesce(m.valid_from, '')) as since,
    m.active = 1 or m.superseded_by is not null as stands
from settings s
join memories m on m.id = json_extract(s.value, '$.own')
where s.name glob 'global.*' and json_type(s.value) = 'object'
    and m.id in (json_extract(s.value, '$.src'), json_extract(s.value, '$.dst'))
    and json_extract(s.value, '$.kind') in ('relates_to', 'supersedes', 'contradicts', 'derived_from', 'next')
    and typeof(json_extract(s.value, '$.src')) = 'integer' and typeof(json_extract(s.value, '$.dst')) = 'integer'
    and coalesce(json_extract(s.value, '$.resolution'), 'merged') in ('a_wins', 'b_wins', 'both_valid', 'merged')
    and coalesce(json_extract(s.value, '$.proposed'), 'merged') in ('a_wins', 'b_wins', 'both_valid', 'merged')
    and coalesce(json_extract(s.value, '$.origin'), 'stated') in ('stated', 'detected')
    and typeof(json_extract(s.value, '$.weight')) = 'real' and typeof(json_extract(s.value, '$.at')) = 'text'
order by s.name;

-- name: set_global_relation(name, value, at)
-- Relate a memory of this file to a global one.
insert into settings (name, value, updated_at)
values (:name, :value, :at)
on conflict (name) do update set value = excluded.value, updated_at = excluded.updated_at;

-- name: drop_global_relation(name)
-- Take back how a memory of this file stands to a global one.
delete from settings
where name = :name;

-- name: nearer_facts(keys, now, as_of)
-- Keys and qualifiers, of the JSON list :keys of pairs in folded form, of which a memory of this file gives a value now,
-- or gave one at :as_of.
select distinct key_folded, qualifier_folded
from json_each(:keys) wanted
join memories m on m.key_folded = json_extract(wanted.value, '$[0]')
    and m.qualifier_folded is json_extract(wanted.value, '$[1]')
where m.key is not null and m.value is not null and m.scope = 'project'
    and case when :as_of is null then m.active = 1 and m.superseded_by is null
        else m.created_at <= :as_of and (m.active = 1 or m.superseded_by is not null) end
    and (m.valid_to is null or m.valid_to > coalesce(:as_of, :now))
    and (m.valid_from is null or m.valid_from <= coalesce(:as_of, :now));

-- name: giants(max_letters)
-- Memories of more letters than memkit stores in one, and how many.
select id, length(text)
from memories
where length(text) > :max_letters
order by id;

-- name: two_texts(id, other)
-- What a memory says and since when, and what another one says.
select m.text, m.created_at, o.text
from memories m, memories o
where m.id = :id and o.id = :other;

-- name: add_strength(id, of, at)
-- A memory stands for another that says the same: it is as strong as both together.
update memories
set strength = memories.strength + d.strength, confidence = max(memories.confidence, d.confidence),
    trust = max(memories.trust, d.trust), importance = max(memories.importance, d.importance),
    file_paths = (
        select json_group_array(value) from (
            select value from json_each(memories.file_paths)
            union all select value from json_each(d.file_paths)
            where value not in (select value from json_each(memories.file_paths)))),
    updated_at = :at
from (select strength, confidence, trust, importance, file_paths from memories where id = :of) d
where memories.id = :id;

-- name: hand_on_edges_out(id, of)
-- What leads from one leads from the other too. Contradictions are pairs of their own.
insert into edges (src, dst, kind, weight, created_at)
select :id, dst, kind, weight, created_at
from edges
where src = :of and dst <> :id and kind <> 'contradicts'
on conflict (src, dst, kind) do update set weight = max(weight, excluded.weight)
where excluded.weight > weight;

-- name: hand_on_edges_in(id, of)
-- What leads to one leads to the other too, but what replaces it.
insert into edges (src, dst, kind, weight, created_at)
select src, :id, kind, weight, created_at
from edges
where dst = :of and src <> :id and kind not in ('contradicts', 'supersedes')
on conflict (src, dst, kind) do update set weight = max(weight, excluded.weight)
where excluded.weight > weight;

-- name: hand_on_paraphrases(id, of)
-- Its other wordings.
insert into paraphrases (memory_id, text_hash, text, said_at)
select :id, text_hash, text, said_at
from paraphrases
where memory_id = :of
on conflict (memory_id, text_hash) do update set said_at = excluded.said_at
where excluded.said_at < said_at;

-- name: hand_on_birth(id, of)
-- When it was said, as a link of the chain of provenance.
insert into provenance (memory_id, noted_at, source, session_id)
select :id, created_at, provenance, session_id
from memories
where id = :of
on conflict (memory_id, noted_at, source) do nothing;

-- name: hand_on_provenance(id, of)
-- The rest of the chain.
insert into provenance (memory_id, noted_at, source, session_id, snippet, reason)
select :id, noted_at, source, session_id, snippet, reason
from provenance
where memory_id = :of
on conflict (memory_id, noted_at, source) do update set
    snippet = coalesce(snippet, excluded.snippet), reason = coalesce(reason, excluded.reason)
where snippet is null and excluded.snippet is not null or reason is null and excluded.reason is not null;

-- name: hand_on_anchors(id, of)
-- Its places in the code.
insert into anchors (memory_id, path, symbol, symbol_hash, noted_at)
select :id, path, symbol, symbol_hash, noted_at
from anchors
where memory_id = :of
on conflict (memory_id, path, symbol) do nothing;

-- name: hand_on_artifacts(id, of)
-- What belongs to it.
insert into artifacts (memory_id, kind, reference)
select :id, kind, reference
from artifacts
where memory_id = :of
on conflict (memory_id, kind, reference) do nothing;

-- name: hand_on_usage(id, of)
-- How it was used.
insert into usage (memory_id, accessed_at, access_count, retrieval_count, citation_count, ignore_count)
select :id, accessed_at, access_count, retrieval_count, citation_count, ignore_count
from usage
where memory_id = :of
on conflict (memory_id) do update set
    accessed_at = nullif(max(coalesce(accessed_at, ''), coalesce(excluded.accessed_at, '')), ''),
    access_count = access_count + excluded.access_count,
    retrieval_count = retrieval_count + excluded.retrieval_count,
    citation_count = citation_count + excluded.citation_count,
    ignore_count = ignore_count + excluded.ignore_count;

-- name: hand_on_outcomes(id, of)
-- How a procedure fared is told of the one that stands for it, and counted once.
update procedure_outcomes
set memory_id = :id
where memory_id = :of;

-- name: hand_on_links(id, of)
-- What proved useful together with one did so with the other.
insert into discovered_links (memory_a, memory_b, times, last_at, weight)
select
    min(:id, case memory_a when :of then memory_b else memory_a end),
    max(:id, case memory_a when :of then memory_b else memory_a end), times, last_at, weight
from discovered_links
where :of in (memory_a, memory_b) and :id not in (memory_a, memory_b)
on conflict (memory_a, memory_b) do update set
    times = times + excluded.times, last_at = max(last_at, excluded.last_at), weight = max(weight, excluded.weight);

-- name: hand_on_contradictions(id, of)
-- What it contradicts, as far as that is not settled, of one or the other; who wins depends on which is older.
insert into contradictions (memory_a, memory_b, detected_at, origin, proposed, note)
select
    min(:id, third), max(:id, third), detected_at, origin,
    case when (:id < third) = (:of < third) then proposed
        when proposed = 'a_wins' then 'b_wins' when proposed = 'b_wins' then 'a_wins' else proposed end,
    note
from (
    select case memory_a when :of then memory_b else memory_a end as third, detected_at, origin, proposed, note
    from contradictions
    where :of in (memory_a, memory_b) and :id not in (memory_a, memory_b) and resolved_at is null)
where true
on conflict (memory_a, memory_b) do nothing;

-- name: hand_on_surfaced(id, of)
-- The sessions that were shown it need not be shown the other.
insert into surfaced (session_id, memory_id, shown_at)
select session_id, :id, shown_at
from surfaced
where memory_id = :of
on conflict (session_id, memory_id) do nothing;

-- name: replace_successor(old, new)
-- What one had replaced is replaced by the other.
update memories
set superseded_by = :new
where superseded_by = :old and id <> :new;

-- name: has_wording(id, text_hash)
-- Whether a memory that holds has another wording of that hash.
select exists (
    select 1
    from paraphrases p
    join memories m on m.id = p.memory_id
    where p.memory_id = :id and p.text_hash = :text_hash and m.active = 1 and m.superseded_by is null);

-- name: merged_into(id)
-- The memories that stand, or once stood, for one that says the same.
select s.id
from memories m
join memories s on s.id = m.superseded_by
where m.id = :id
union
select s.id
from consolidation_changes c
join memories s on s.id = c.other_id
where c.memory_id = :id and c.action = 'merge';

-- name: texts_told(id)
-- What a memory says, how else it was said, and what was noted of that.
select text from memories where id = :id
union select text from paraphrases where memory_id = :id
union select snippet from provenance where memory_id = :id and snippet is not null
union select reason from provenance where memory_id = :id and reason is not null;

-- name: drop_wordings_told(id, of)
-- Take wordings from a memory that are those of another.
delete from paraphrases
where memory_id = :id
    and (text in (select text from memories where id = :of)
        or text in (select text from paraphrases where memory_id = :of));

-- name: drop_provenance_told(id, of)
-- Take links from a memory that are those of another.
delete from provenance
where memory_id = :id and exists (
    select 1 from provenance p
    where p.memory_id = :of and p.noted_at = provenance.noted_at and p.source = provenance.source
        and (p.snippet is not null or p.reason is not null)
        and p.snippet is provenance.snippet and p.reason is provenance.reason);

-- name: use_of(id)
-- How often a memory influenced an action, and how often it was served and not used.
select citation_count, ignore_count
from usage
where memory_id = :id;
