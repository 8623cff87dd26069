-- The words of the full-text index, read from the index itself: in the temp schema of a connection, never in the file.

create virtual table temp.search_words using fts5vocab ('main', 'search_index', 'row');

create virtual table temp.search_places using fts5vocab ('main', 'search_index', 'instance');
