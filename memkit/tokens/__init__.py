"""Token counting.

Importing this package loads neither tiktoken nor the ranks; the first exact count does.
"""

from __future__ import annotations

from ..text.graphemes import boundary
from .counter import (
    FAMILIES,
    Content,
    TokenCounter,
    Truncated,
    content_of,
    count,
    estimate,
    is_loaded,
    truncate,
)

__all__ = [
    "FAMILIES",
    "Content",
    "TokenCounter",
    "Truncated",
    "boundary",
    "content_of",
    "count",
    "estimate",
    "is_loaded",
    "truncate",
]
