-- What consolidation makes of memories that lie there already.
--
-- Edges of kind in_cluster, which an earlier step reserved, stay unused: which memory lies in which cluster follows from
-- the vectors and stands in the derived table cluster_members.

create table withdrawn_tags ( -- shared: inferred tags that were taken away again, and are not inferred anew
    memory_id integer not null references memories (id) on delete cascade, -- the memory
    tag_id integer not null, -- node of the tag: a hash of its name, so that it needs no row in tags
    withdrawn_at text not null, -- UTC
    primary key (memory_id, tag_id)
) strict, without rowid;
