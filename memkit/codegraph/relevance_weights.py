"""What each column of evidence adds to the log-odds that a file is one of those that are meant.

Made by `python -m bench.relevance`, which prints how the same fit does on repositories that it has
not seen. No column may count against a file.
"""

from __future__ import annotations

BASE = -10.28
WEIGHTS = {
    "name": 0.101,
    "folder": 0.104,
    "named": 1.226,
    "held": 0.440,
    "bm25": 0.162,
    "share": 0.368,
    "spelt": 0.158,
    "grams": 0.129,
    "names_meaning": 2.096,
    "path_meaning": 2.078,
    "lines": 0.298,
    "used": 0.934,
    "user": 0.555,
    "sibling": 0.160,
    "place": 0.224,
    # Not learned: the commits' corpus holds no tests. Beside the code they test they come second.
    # (BASE is the learned one less this.)
    "source": 2.0,
}
