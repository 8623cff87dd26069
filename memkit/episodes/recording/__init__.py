"""What an agent does, on its way into the file: nothing here raises, and nothing waits.

Modules:

- what is reported, and by whom:
    recording, reporting, hooks, journal
- from a report to a row that may be stored:
    recorder, drafts, outputs, intent
- into the tables:
    buffer, writing
"""
