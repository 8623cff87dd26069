"""Checks and repair of the rows of the context: JSON and counts of another shape."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ..store.integrity import Problem

if TYPE_CHECKING:
    from ..store.store import Store

# Tables whose rows another program may have given a shape that memkit does not write.
_TABLES = (
    ("context_items", "context_scopes.odd_task_items", "context_scopes.mend_task_items"),
    ("memory_items", "context_scopes.odd_memory_items", "context_scopes.mend_memory_items"),
)


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with items of scopes; with `repair` what cannot be read is as good as
    not set."""
    problems = []
    for table, odd, mend in _TABLES:
        if rows := store.all(odd):
            if repair:
                store.write(partial(store.run, mend))
            detail = f"{len(rows)} rows of {table} are of another shape, first {rows[0][0]}"
            problems.append(Problem("context", detail, repair))
    return problems
