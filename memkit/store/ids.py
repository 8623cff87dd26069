"""Time-sorted 52-bit ids.

They sort by time, lie side by side in the tables (git stores less), survive JSON and the shell,
and rows of two machines merge without renumbering. Ids are given out inside a write transaction;
`highest` is the largest id of that second already in the table, so that two processes never give
out the same one.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable

from . import timestamps

_RANDOM_BITS = 20
# A second starts in the lower half, which leaves room for half a million consecutive ids.
_START_MASK = (1 << (_RANDOM_BITS - 1)) - 1


class IdSource:
    """Gives out ids for one table; `highest(first, last)` asks the table for its largest id in a
    range."""

    def __init__(
        self,
        clock: Callable[[], float],
        highest: Callable[[int, int], int | None],
        entropy: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self._clock = clock
        self._highest = highest
        self._entropy = entropy
        self._last = 0

    def new(self) -> int:
        """Return an id that no row has: must be called inside the transaction that uses it."""
        first = first_id(self._clock())
        if self._last < first:
            self._last = first + (int.from_bytes(self._entropy(3), "big") & _START_MASK) - 1
        candidate = self._last + 1
        # Once, unless the ids of this second are used up and the next one has rows already.
        while (taken := self._highest(*_second_of(candidate)) or 0) >= candidate:
            candidate = taken + 1
        self._last = candidate
        return candidate


def _second_of(row_id: int) -> tuple[int, int]:
    """Return the first and the last id of the second in which `row_id` lies."""
    first = first_id(id_second(row_id))
    return first, first | ((1 << _RANDOM_BITS) - 1)


def name_id(kind: str, name: str) -> int:
    """Return the id of a node that is known by its name: negative, equal on every machine."""
    digest = hashlib.sha256(f"{kind}\0{name}".encode("utf-8", "surrogatepass")).digest()
    return -(int.from_bytes(digest[:7], "big") >> 4) - 1


def first_id(second: float) -> int:
    """Return the least id that can be given out in a second since 1970."""
    return int(second) << _RANDOM_BITS


def id_second(row_id: int) -> int:
    """Return the second (since 1970) in which a row id was given out."""
    return row_id >> _RANDOM_BITS


def id_time(row_id: int, *, now: float) -> str:
    """Return when a row id was given out in the stored form; an id that another program chose
    tells what it may, from 1970 to `now` (seconds since then)."""
    return timestamps.from_epoch(min(max(0, id_second(row_id)), now))
