-- Meaning as numbers: ordinary rows that sqlite-vec's scalar functions read.
-- formerly: vector_bits, vectors, pieces, spaces

create table embedding_models ( -- derived: the encoders whose vectors are stored here
    id integer primary key, -- small number used in the rows
    name text not null unique, -- the encoder's name: model, hash, pooling
    dimensions integer not null, -- length of its vectors
    changes integer not null -- moves whenever a vector may have changed; begins at the time in milliseconds
) strict;

create table memory_tokens ( -- derived: token ids of a memory; a row without vectors means there was nothing to embed
    memory_id integer primary key, -- the memory
    model_id integer, -- encoder that cut it; null: unknown, treated as of another model
    ids blob not null -- little-endian unsigned 32-bit token ids, all chunks in order
) strict;

create table embeddings ( -- derived: one vector per chunk of a memory
    memory_id integer not null, -- the memory
    chunk integer not null, -- 0, 1, … along the text
    model_id integer, -- encoder that made it
    vector blob not null, -- int8, scaled by the largest component
    primary key (memory_id, chunk)
) strict, without rowid;

create table embedding_bits ( -- derived: the signs of each vector, for a first cut by Hamming distance
    memory_id integer not null, -- the memory
    chunk integer not null, -- chunk
    model_id integer, -- encoder that made it
    bits blob not null, -- one bit a dimension
    primary key (memory_id, chunk)
) strict, without rowid;
