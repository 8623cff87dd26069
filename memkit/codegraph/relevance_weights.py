"""What each column of evidence adds to the log-odds that a file is one of those that are meant.

Made by `python -m bench.relevance`, which prints how the same fit does on repositories that it has
not seen. No column may count against a file.
"""

from __future__ import annotations

BASE = -9.0
WEIGHTS = {
    "name": 0.27,
    "folder": 0.17,
    "named": 2.6,
    "held": 0.8,
    "bm25": 0.25,
    "share": 0.11,
    "spelt": 0.23,
    "grams": 0.32,
    "names_meaning": 3.1,
    "path_meaning": 4.0,
    "lines": 0.52,
    "used": 0.93,
    "user": 0.54,
    "sibling": 0.72,
    "place": 0.51,
}
