-- By what a keyed fact is found: its key and qualifier with '-' and '_' as spaces and runs of them as one, so that
-- node_version, node-version and "node version" are one key. The queries that go by it spell this out the same way.
-- A value that often changes leaves a long history behind: the current one is found without reading it.

create index memories_by_fact on memories (
    replace(replace(replace(replace(key, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '),
    replace(replace(replace(replace(qualifier, '_', ' '), '-', ' '), '  ', ' '), '  ', ' '),
    superseded_by
) where key is not null;
