"""Code anchors: places in code that memories are about, and what became of them.

Memories note them and the code graph looks after them; neither knows the other, both know these.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum

from .frozen import frozen


class AnchorState(StrEnum):
    """What became of the place in the code that a memory is about."""

    VALID = "valid"
    MOVED = "moved"
    STALE = "stale"
    GONE = "gone"
    UNKNOWN = "unknown"


@frozen
class CodeAnchor:
    """A place in the code as a memory noted it.

    Attributes:
        path, symbol: file and qualified name in it; symbol "" is the file.
        hash: of the symbol's or file's text at that time; "" of a file of which only the name was
            meant, None if nothing was known there.
    """

    path: str
    symbol: str = ""
    hash: str | None = None

    @property
    def name(self) -> str:
        """The symbol's own name."""
        return self.symbol.rpartition(".")[2]


@frozen
class AnchorCheck:
    """State of an anchor: what became of the place.

    Attributes:
        path, symbol: where it is now; where it was, if it is gone.
        node: in the code graph, None if it is not there.
        change: what happened, in words; "" if nothing.
    """

    state: AnchorState
    path: str
    symbol: str
    node: int | None = None
    change: str = ""


def unknown(anchors: Sequence[CodeAnchor]) -> list[AnchorCheck]:
    """The state of anchors where no code was indexed."""
    return [AnchorCheck(AnchorState.UNKNOWN, anchor.path, anchor.symbol) for anchor in anchors]
