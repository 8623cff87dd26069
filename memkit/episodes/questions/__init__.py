"""The questions about what was done. All of them read; none changes the file.

Modules:

- the door:
    questions
- what was done, and with which files:
    history, together, meant, holding
- what went wrong, and what helped:
    lessons, fixes
- what was like it:
    similar
"""
