"""Which files are changed together: by an agent in one task, and by the commits of git's log."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ..answers import CoEdit
from ..predictions.companions import MOST_TOGETHER

if TYPE_CHECKING:
    from ...store.connection import Store


def edited_together(
    store: Store, names: Sequence[str] | None, *, least: int, limit: int, **asked: Any
) -> list[CoEdit]:
    """Return pairs of files, the most frequent first; `names` are those of one file, the newest
    first, and None asks for all pairs. `asked`: project, since, within."""
    asked["path"] = names[0] if names else None
    found = {
        (path, other): CoEdit(path, other, count, last_at)
        for path, other, count, last_at in store.all("episodes.edited_together", **asked)
    }
    for path, other, commits, last_at in _committed(store, names, asked):
        known = found.get((path, other), CoEdit(path, other, 0, last_at))
        newest = max(known.last_at, last_at)
        found[path, other] = CoEdit(path, other, known.count, newest, commits)
    frequent = [pair for pair in found.values() if pair.count + pair.commits >= least]
    frequent.sort(key=lambda pair: (pair.path, pair.other))
    frequent.sort(key=lambda pair: (pair.count + pair.commits, pair.last_at), reverse=True)
    return frequent[:limit]


# -- inside


def _committed(
    store: Store, names: Sequence[str] | None, asked: dict[str, Any]
) -> Iterator[tuple[str, str, int, str]]:
    of_git = {"project": asked["project"], "since": asked["since"], "most": MOST_TOGETHER}
    if names is None:
        yield from store.all("episodes.committed_together", **of_git)
        return
    for row in store.all("episodes.committed_with", paths=json.dumps(names), **of_git):
        yield (names[0], *row)
