"""Calls by a name that lead to nothing of that name in the graph.

They are looked for when nothing is known to call a symbol, so that what cannot be told is not taken
for dead code.
"""

from __future__ import annotations

import json
import time
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Any

from ..facts import Facts
from ..index.workspace import FileRow
from ..languages import family_of
from .nodes import Source, Text

if TYPE_CHECKING:
    from ...store.store import Store

# Seconds after which the search is broken off: an answer is to stay one of milliseconds.
_SECONDS = 0.04


class UnresolvedCalls:
    """Looks for calls by name in the files of which something is unresolved."""

    def __init__(self, store: Store, source: Source, text: Text) -> None:
        """`source` parses a file of the tree anew, `text` reads it."""
        self._store = store
        self._source = source
        self._text = text

    def lines(self, names: Collection[str], languages: Collection[str]) -> tuple[list[str], bool]:
        """Return path:line of calls by one of these names that have no edge to what is called so,
        the first in the order of paths, and whether all files were looked at in the time."""
        end = time.monotonic() + _SECONDS
        families = {family_of(language) for language in languages}
        words = [name.encode() for name in names]
        known = self._known(names)
        lines: list[str] = []
        for values in self._store.all("codegraph.unresolved_files"):
            if time.monotonic() > end:
                return lines, False
            row = FileRow(*values)
            if family_of(row.language) in families and self._mentions(row, words):
                lines += [place for place in self._places(row, names) if place not in known]
        return lines, True

    def _mentions(self, row: FileRow, words: Collection[bytes]) -> bool:
        data = self._text(row)
        return data is not None and any(word in data for word in words)

    def _places(self, row: FileRow, names: Collection[str]) -> list[str]:
        """Return path:line of each call by one of these names in a file."""
        facts = self._source(row, bytes)
        sites = () if facts is None else {facts.sites[site] for site in _calls(facts, names)}
        return [f"{row.path}:{line}" for line in sorted(sites)]

    def _known(self, names: Collection[str]) -> set[str]:
        """Return path:line of everything that is known to mean something of these names."""
        rows = self._store.all("codegraph.lines_to_named", names=json.dumps(list(names)))
        return {f"{path}:{line}" for path, lines in rows for line in str(lines).split(",")}


def _calls(facts: Facts, names: Collection[str]) -> Iterator[int]:
    """Yield the site of each call of something of these names."""
    waiting: list[Any] = [facts.statements, facts.definitions]
    while waiting:
        part = waiting.pop()
        if len(part) in (5, 6) and part[0] in ("call", "new") and part[4] is not None:
            callee = part[1]
            if callee is not None and callee[0] in ("name", "attr") and callee[-1] in names:
                yield part[4]
        waiting += (inner for inner in part if isinstance(inner, tuple | list))
