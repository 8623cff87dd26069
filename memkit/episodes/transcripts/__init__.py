"""Transcripts of other programs.

To read another format: write a module with a function that yields an `Event` (recording/event.py)
for each session, prompt, call with its result, and end; give the format a name and a line of the
table in formats.py that says how it is recognised; add a made-up transcript to
tests/episodes/sessions.py, which every test of the formats then reads. importer.py does the rest:
what the file holds already is left alone.
"""
