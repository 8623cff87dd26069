"""The code beside the file: what is defined where, and what calls, uses and inherits what.

Modules, in the order in which a file goes through them:

- the door (`kit.codegraph`):
    codegraph
- which files there are, and which have changed:
    extent, listing, scanning, survey, watching
- what a file says:
    grammars, extract, dialect, facts, parsing
- what its names mean (the rest sees it through `analysis`):
    link, resolve, analysis
- what is written, and what must be linked anew:
    indexing, updating, relinking, linking, reads, standing, packing, registers, writing,
    pacing, checking
- questions by name:
    naming, nearness, lookups, reading, mapping, purpose, records, kinds
- questions by subject:
    wording, lexicon, corpus, wanted, evidence, relevance, relevance_weights
- what memories and predictions ask:
    places, anchoring, settling, around
"""
