"""What stands around files in the code: the files they are linked with, their most used symbols."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..store.connection import Store


def linked(store: Store, path: str) -> dict[str, int]:
    """Return the files that the code links with a file, both ways, and by how many references."""
    return dict(store.all("codegraph_around.links", path=path))


def most_used(store: Store, paths: Sequence[str], *, limit: int) -> list[tuple[str, str]]:
    """Return path and name of the symbols of files that most of the code leans on, file by file."""
    rows = store.all("codegraph_around.used_symbols", paths=json.dumps(list(paths)), limit=limit)
    return [(path, f"{parent}.{name}" if parent else name) for path, name, parent, _ in rows]
