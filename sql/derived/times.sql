-- By when it was said: a question that names a time alone is answered from it.

create index memories_by_time on memories (created_at);
