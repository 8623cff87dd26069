"""A forked child never touches its parent's connection.

Closing it, even by garbage collection, would roll back a transaction that the parent has under way
and drop its locks. The child keeps it unused for ever, and begins with a lock that nobody holds.
"""

from __future__ import annotations

import os
from typing import Protocol
from weakref import WeakSet


class Inheriting(Protocol):
    """Something with a connection that must not outlive a fork."""

    def leave_to_parent(self) -> object: ...


_OPEN: WeakSet[Inheriting] = WeakSet()
_INHERITED: list[object] = []


def watch(store: Inheriting) -> None:
    """Have `leave_to_parent` called in every forked child; what it returns is kept for ever."""
    _OPEN.add(store)


def _after_fork() -> None:
    _INHERITED.extend(store.leave_to_parent() for store in list(_OPEN))


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
