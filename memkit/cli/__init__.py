"""The command line: each command is one entry of a table and one short function.

Modules:

- from a line to a call:
    entry, main, parser, table, call
- commands:
    verbs, removing, questions, doubts, code, reading, episodes, predictions,
    upkeep, doctor, recording
- what is printed:
    output
"""
