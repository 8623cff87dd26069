"""Which file a name means: `utils.py` said of a repository that has only `src/utils.py`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ...store.connection import Store


def file(store: Store, path: str, *, project: str) -> str:
    """Return a stored path, or that of the one file of this name if the path is a name alone and
    nothing is known of a file there."""
    if "/" in path or store.value("episodes.is_known", project=project, path=path):
        return path
    found = called(store, path, project=project, limit=2)
    return found[0] if len(found) == 1 else path


def called(store: Store, name: str, *, project: str, limit: int) -> list[str]:
    """Return files in folders that have a name, those worked on last first."""
    rows = store.all("episodes.paths_named", project=project, name=name, limit=limit)
    return [path for (path,) in rows]
