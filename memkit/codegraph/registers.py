"""Lists of nodes by key: who has an edge to a node, what has a name.

A list is sorted and stored as a JSON list of steps, from nothing to the first node and from each to
the next; a query adds them up with `sum(value) over (order by key)`. This takes half of what an
index with a row for every entry does.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence, Set
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..store.store import Store

Entry = tuple[int | str, int]


class Register:
    """The lists of one table, and what an update does to them."""

    def __init__(self, read: str, put: str, drop: str) -> None:
        """Take the names of the queries that read and forget lists by their keys, and store one."""
        self._read, self._put, self._drop = read, put, drop
        self._new: defaultdict[int | str, set[int]] = defaultdict(set)
        self._gone: defaultdict[int | str, set[int]] = defaultdict(set)

    def change(self, before: Set[Entry], now: Set[Entry]) -> None:
        """Note the entries (key and node) that there were, and that there are instead; an entry
        comes once as being before, and after that as now."""
        for key, node in now - before:
            self._new[key].add(node)
        for key, node in before - now:
            self._gone[key].add(node)

    def write(self, store: Store) -> None:
        """Bring the lists up to date; inside `write`."""
        keys = sorted({*self._new, *self._gone})
        rows = store.all(self._read, keys=json.dumps(keys))
        stored = {key: set(unpack_steps(nodes)) for key, nodes in rows}
        nothing: set[int] = set()
        found = {
            key: stored.get(key, nothing) - self._gone.get(key, nothing)
            | self._new.get(key, nothing)
            for key in keys
        }
        empty = [key for key, nodes in found.items() if not nodes]
        store.run(self._drop, keys=json.dumps(empty))
        store.run_many(
            self._put,
            (
                {"key": key, "nodes": pack_steps(sorted(nodes))}
                for key, nodes in found.items()
                if nodes and nodes != stored.get(key)
            ),
        )


def used() -> Register:
    """Return the register of who has an edge to a node: entries of target and source."""
    return Register("codegraph.used", "codegraph.put_used", "codegraph.drop_used")


def named() -> Register:
    """Return the register of what has a name: entries of a name's middle and a symbol."""
    return Register("codegraph.alike", "codegraph.put_alike", "codegraph.drop_alike")


def middle(name: str) -> str:
    """Return the piece of a name by which it is found: substr(name, length(name) / 2, 3) of SQL."""
    start = len(name) // 2 - 1
    return name[max(start, 0) : start + 3]


def pack_steps(nodes: Sequence[int]) -> str:
    """Return sorted nodes as a JSON list of steps."""
    steps = [*nodes[:1], *[after - before for before, after in pairwise(nodes)]]
    return f"[{','.join(map(str, steps))}]"


def unpack_steps(text: str) -> list[int]:
    """Return nodes from their stored form."""
    return list(accumulate(json.loads(text)))
