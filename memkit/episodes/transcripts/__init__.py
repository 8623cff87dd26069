"""Transcripts that other agents left: one reader a format, one form for all, one importer.

Modules:

- the door:
    importing, reading
- one reader a format:
    claude, codex, gemini, openhands, sweagent
- what readers share:
    events, work, loose, tools, toolnames, toolpaths, shell, patches
- into the tables:
    known, drafting, intake
"""
