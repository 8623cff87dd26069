"""Out of the file and into it: archives, notes and memories of other tools, transcripts.

Modules:

- the door (`kit.export`, `kit.import_`, `kit.take_in`):
    exporting, importing
- archives, and two stores becoming one:
    archive, cleaning, merge, precedence, conflicts, twins
- notes of people and of other tools:
    notes_importer, note_files, notes_parser, note_sections, mcp_memory, beads_issues
- what agents left:
    transcripts
"""
