"""Git's log as episodes.

Modules:

- read:
    gitlog, messages
- stored:
    mining
"""
