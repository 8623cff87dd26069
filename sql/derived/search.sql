-- What full-text search reads: the searchable text of each memory, and the index over it.
-- formerly: search, search_data, search_idx, search_docsize, search_config, documents, documents_standing, documents_by_frame

create table search_documents ( -- derived: the searchable text of a memory, exactly as it was indexed; the long columns last
    id integer primary key, -- the memory
    fingerprint text not null, -- hash of the row and tags it was made from; differs after an edit from outside
    speaker text not null, -- who speaks, of "Name: …" at the beginning, lower case; '' for nobody
    marks integer not null, -- who speaks, a question, an order, a number, a time, a name: what the text shows, as a set of bits; see memkit/memories/search_document.py
    body text not null, -- text, key, value, season, procedure, other wordings, tags; NFC
    split text not null -- identifiers in parts, script boundaries, two-character pieces of unsegmented scripts, other forms of letters, names with signs
) strict;
create index documents_shown on search_documents (id, speaker, marks); -- what ranking reads of 200 memories, without their text

create virtual table search_index using fts5 (
    body, split,
    content = 'search_documents', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);

-- A search goes through every part of the index: two alike in size become one (memories_search.merge_parts).
insert into search_index (search_index, rank)
values ('usermerge', 2);
