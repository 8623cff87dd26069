"""Is the graph whole? Edges with both ends, symbols with their files, counts that agree."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..errors import StoreDamaged
from ..store.integrity import Problem
from .extent import known_files
from .linking import stored_facts, unpack_runs

if TYPE_CHECKING:
    from ..store.store import Store


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with the code graph; with `repair` a graph that is not whole is dropped
    (the next `index` makes it anew, from the code alone)."""
    found = list(_problems(store))
    if found and repair and not store.readonly:
        store.write(lambda: forget(store), derived=True)
        return [
            Problem(one.name, f"{one.detail}; run 'memkit index'", mended=True) for one in found
        ]
    return found


def forget(store: Store) -> None:
    """Empty the code graph; inside `write`."""
    for query in (
        "codegraph.forget_edges", "codegraph.forget_used", "codegraph.forget_symbols",
        "codegraph.forget_alike", "codegraph.forget_facts", "codegraph.forget_reads",
        "codegraph.forget_files", "codegraph.forget_state",
    ):  # fmt: skip
        store.run(query)


def _problems(store: Store) -> Iterator[Problem]:
    symbols, edges, words = store.one("codegraph.odd_rows") or (0, 0, 0)
    if symbols:
        yield Problem("code_symbols", f"{symbols} lie in no parsed file or go by no name")
    if edges:
        yield Problem("code_edges", f"{edges} lead from or to nothing, or one way only")
    if words:
        yield Problem("code_words", f"{words} rows are of no known sort or relation")
    wrong = [
        path for path, runs, ids in store.all("codegraph.files_with_nodes") if not _agree(runs, ids)
    ]
    if wrong:
        yield Problem(
            "code_facts", f"{len(wrong)} files differ from their symbols, first {wrong[0]}"
        )

    damaged = list(_damaged(store))
    if damaged:
        yield Problem("code_facts", f"{len(damaged)} cannot be read, first that of {damaged[0]}")


def _damaged(store: Store) -> Iterator[str]:
    """Yield the files of which what others read is not as memkit makes it."""
    stored = {file for (file,) in store.all("codegraph.files_with_facts")}
    for path, row in known_files(store).items():
        if row.id in stored:
            try:
                stored_facts(store, row)
            except StoreDamaged:
                yield path


def _agree(runs: str | None, ids: str) -> bool:
    try:
        return sorted(unpack_runs(runs or "[]")) == sorted(json.loads(ids))
    except (ValueError, TypeError, StoreDamaged):
        return False
