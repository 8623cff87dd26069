"""What each column of evidence adds to the log-odds that a file is one of those that are meant.

Made by `python -m bench.relevance`, which prints how the same fit does on repositories that it has
not seen. No column may count against a file.
"""

from __future__ import annotations

BASE = -10.16
WEIGHTS = {
    "name": 0.104,
    "folder": 0.106,
    "named": 1.425,
    "held": 0.376,
    "bm25": 0.161,
    "share": 0.349,
    "spelt": 0.156,
    "grams": 0.125,
    "names_meaning": 2.040,
    "path_meaning": 2.030,
    "lines": 0.284,
    "used": 0.854,
    "user": 0.624,
    "sibling": 0.153,
    "place": 0.225,
    # Not learned: the commits' corpus holds no tests. Beside the code they test they come second.
    "source": 2.0,
}
