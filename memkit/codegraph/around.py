"""What stands around places in the code: what files are linked with, which of their symbols are
used most, and where one step leads."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..store.store import Store


def linked(store: Store, path: str) -> dict[str, int]:
    """Return the files that the code links with a file, both ways, and by how many references."""
    return dict(store.all("codegraph_around.links", path=path))


def most_used(store: Store, paths: Sequence[str], *, limit: int) -> list[tuple[str, str]]:
    """Return path and name of the symbols of files that most of the code leans on, file by file."""
    rows = store.all("codegraph_around.used_symbols", paths=json.dumps(list(paths)), limit=limit)
    return [(path, f"{parent}.{name}" if parent else name) for path, name, parent, _ in rows]


def steps(store: Store, nodes: Iterable[int], *, fanout: int) -> list[tuple[int, int, str, int]]:
    """Return the certain edges of nodes, at most so many of each in a direction: from, to, kind,
    and whether it is followed as it points."""
    return store.all("codegraph_around.steps", nodes=json.dumps(list(nodes)), fanout=fanout)


def labels(store: Store, nodes: Iterable[int]) -> dict[int, str]:
    """Return the paths of files and the names of symbols."""
    wanted = list(nodes)
    return dict(store.all("codegraph_around.labels", nodes=json.dumps(wanted))) if wanted else {}
