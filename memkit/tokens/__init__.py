"""Counting tokens offline: exact for o200k_base, scaled for other families, estimated for hooks.

Importing this package loads neither tiktoken nor the ranks; the first exact count does.

Modules:

- counting:
    counter, ranks, estimator, content
- cutting:
    truncation, graphemes
"""

from __future__ import annotations

from .content import Content, content_of
from .counter import FAMILIES, Counter, count
from .estimator import estimate
from .graphemes import boundary
from .truncation import Truncated, truncate

__all__ = [
    "FAMILIES",
    "Content",
    "Counter",
    "Truncated",
    "boundary",
    "content_of",
    "count",
    "estimate",
    "truncate",
]
