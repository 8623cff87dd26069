-- What is counted of all memories: the numbers of a file come from here, without their texts.

create index memories_counted on memories (pinned, kind, active, superseded_by, tokens);
