-- Which terms a file holds: what the question "where is this dealt with?" is answered from.
--
-- formerly: code_words

create table code_terms ( -- derived: the terms of a file and the direction of their meaning
    file integer primary key, -- the file, in code_files
    hash blob, -- of the bytes the terms were taken from, as in code_files
    terms blob not null, -- three bytes each: number of a stem times four, plus how often it occurs; memkit/codegraph/query/term_index.py
    bits blob not null -- signs of two vectors of the packaged model: of the path, of the names defined; may be empty
) strict;
