"""Transcripts of other programs.

To read another format: write a module with a function that yields an `Event` (recording/event.py)
for each session, prompt, call with its result, and end; give the format a name and a line of the
table in formats.py that says how it is recognised; repeat the name in `Format` of
interchange/importer.py, which the command line offers; add a made-up transcript to
tests/episodes/sessions.py, which every test of the formats then reads (they want a call that reads
a file and one that changes it: a format without calls has a test of its own). importer.py does the
rest: what the file holds already is left alone.
"""
