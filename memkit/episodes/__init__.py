"""What was done: recorded, asked about, learnt from, and what it foretells.

Modules:

- the door (`kit.episodes`):
    episodes
- the words of the room:
    kinds, records, answers, rows
- what the rooms below share:
    places, parameters, signatures, words
- upkeep:
    checking, removing
- what agents do, while they do it, and what others left:
    recording, transcripts
- git's log:
    git
- questions, what is learnt, what comes next:
    questions, patterns, predictions
"""
