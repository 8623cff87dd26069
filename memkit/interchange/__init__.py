"""Out of the file and into it: archives, notes and memories of other tools, transcripts.

Modules:

- the door (`kit.export`, `kit.import_`, `kit.take_in`):
    exporting, importing
- archives, and two stores becoming one:
    archive, cleaning, merge, precedence, conflicts, twins
- notes of people and of other tools:
    gathering, headings, notes, rules, mcp_memory, intake
- what agents left:
    transcripts
"""
