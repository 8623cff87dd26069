-- Clusters: memories that are close in meaning, found by density of their vectors (memkit/consolidation/clusters.py).
-- Which memory lies in which stands here and not among `edges`: it follows from the vectors, and each machine finds it.

create table clusters ( -- derived: groups of memories that are close in meaning, a node each
    id integer primary key, -- below 0; stays as long as most of its members stay
    project text not null, -- wall behind which all of its members stand
    label text not null, -- words that tell it from the others, none of a private memory; '' is made anew at the next look
    size integer not null, -- members
    model_id integer not null, -- encoder in whose vectors it was found
    centroid blob not null, -- int8, the mean of its members' directions
    reach real not null -- cosine of its loneliest member to the nearest other: whose nearest memory lies in it joins from there on
) strict;

create table cluster_members ( -- derived: every memory that was looked at, with its cluster
    memory_id integer primary key, -- the memory
    cluster_id integer, -- the cluster; null: it lies in none
    weight real not null check (weight between 0 and 1) -- how firmly it belongs there
) strict;

create index cluster_members_by_cluster on cluster_members (cluster_id, weight desc, memory_id) where cluster_id is not null;
