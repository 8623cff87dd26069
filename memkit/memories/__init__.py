"""What is known: statements, how they are written, changed, found again and kept in step.

Modules:

- the door (`kit.memories`):
    memories, reader, finding, fields
- the words of the room:
    kinds, records, connections, rows
- from what is said to a row:
    drafts, admissible, safe, phrasing, identity, anchored
- writing and changing:
    remembering, changing, succession, opposing, editions, former,
    confidence, feedback
- what is derived from a text:
    documents, traits, indexing, embedding, vector_rows
- looking after it:
    checking, mending, following, scrubbing
"""
