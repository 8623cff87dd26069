-- By what a keyed fact is found: its key and qualifier in folded form. A value that often changes leaves a long history
-- behind: the current one is found without reading it.

create index memories_by_fact on memories (key_folded, qualifier_folded, superseded_by) where key is not null;
