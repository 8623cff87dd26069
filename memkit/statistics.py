"""`kit.stats()`: how much is in the file, whichever room it is of."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

import attrs

from . import tokens
from .memories import scrubbing
from .memories.vector_rows import VectorState
from .store import schema

if TYPE_CHECKING:
    from .episodes.answers import EpisodeStats
    from .memories.indexing import Index
    from .store.connection import Store


@attrs.frozen
class MemoryStats:
    """How many memories there are, and the tokens of all of them."""

    total: int
    active: int
    superseded: int
    pinned: int
    tokens: int


@attrs.frozen
class CodeStats:
    """How large the code graph is."""

    symbols: int
    edges: int


@attrs.frozen
class Stats:
    """Numbers about a file.

    Attributes:
        path: its name. bytes: its size. schema: number of its last permanent step.
        kinds: memories of each. tags: how many there are.
        token_counter: what tokens are counted by. last_scrub: UTC text; None if there was none.
    """

    path: str
    bytes: int
    schema: int
    memories: MemoryStats
    kinds: Mapping[str, int]
    tags: int
    open_contradictions: int
    code: CodeStats
    token_counter: str
    last_scrub: str | None
    vectors: VectorState
    episodes: EpisodeStats


def stats(store: Store, index: Index, episodes: EpisodeStats) -> Stats:
    """Return numbers about the file; `episodes` are those of what was done."""
    return Stats(
        path=store.path.name,
        bytes=os.stat(store.path).st_size,
        schema=schema.reference().version,
        memories=MemoryStats(**store.records("memories.counts")[0]),
        kinds=dict(store.all("memories.counts_by_kind")),
        tags=len(store.all("memories.tag_counts")),
        open_contradictions=len(store.all("memories.contradictions", open_only=True)),
        code=CodeStats(**store.records("codegraph.sizes")[0]),
        token_counter=tokens.Counter().name,
        last_scrub=scrubbing.last_success(store),
        vectors=index.vector_state(),
        episodes=episodes,
    )
