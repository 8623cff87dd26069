"""Which files have to be linked anew after an update: those that read what has changed."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .analysis import Analysis
from .facts import Facts, Scope
from .kinds import FileStatus
from .linking import Forest
from .packing import holds_any, key_hash
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.connection import Store

Rows = Mapping[str, FileRow]


Namespaces = Callable[[str], str]


@attrs.frozen
class Side:
    """A tree before or after an update: its files, what they say, and their namespaces."""

    rows: Rows
    forest: Forest
    own: Namespaces


def affected(
    store: Store, analysis: Analysis, before: Side, after: Side, parsed: Iterable[str]
) -> set[str]:
    """Return the files whose edges may differ, those that were parsed in between included."""
    touched = {*parsed, *(p for p in before.rows if not is_parsed(after.rows.get(p)))}
    keys: set[str] = set()
    for path in touched:
        keys |= _changed_keys(store, analysis, before, after, path)
    hashes = frozenset(map(key_hash, keys))
    paths = {row.id: path for path, row in after.rows.items()}
    readers = [
        paths[file]
        for file, read in store.all("codegraph.reads")
        if file in paths and holds_any(read, hashes)
    ]
    return {path for path in {*touched, *readers} if is_parsed(after.rows.get(path))}


def settings_changed(analysis: Analysis, known: Rows, rows: Rows) -> bool:
    """Whether a file that decides what imports mean is new, gone or different."""
    before, after = (
        {path: row.hash for path, row in found.items() if _name(path) in analysis.config_files}
        for found in (known, rows)
    )
    return before != after


def settings_texts(analysis: Analysis, rows: Rows, base: Path) -> dict[str, str]:
    """Return the texts of the files that decide what imports mean, by path."""
    texts = {}
    for path, row in rows.items():
        if _name(path) in analysis.config_files and row.hash is not None:
            try:
                texts[path] = (base / path).read_text("utf-8", "replace")
            except OSError:
                continue  # gone since it was listed; the next survey notices
    return texts


def listed(rows: Rows) -> list[tuple[str, str, str]]:
    """Return path, language and namespace of every parsed file, sorted."""
    found = (row for row in rows.values() if is_parsed(row))
    return sorted((row.path, row.language, row.namespace) for row in found)


def is_parsed(row: FileRow | None) -> bool:
    """Whether a file takes part in the graph."""
    return row is not None and row.status == FileStatus.PARSED


def _changed_keys(
    store: Store, analysis: Analysis, before: Side, after: Side, path: str
) -> set[str]:
    """Return the keys under which something else is read of a file than before."""
    new = _keys(analysis, after, path)
    if not is_parsed(before.rows.get(path)):
        return set(new)
    old = _keys(analysis, before, path)
    if not old:
        # Nobody has read it, so it is named at most where a name was looked for in the whole tree.
        rows = store.all("codegraph.symbols_of", files=json.dumps([before.rows[path].id]))
        names = {analysis.name_key(row[4]) for row in rows}
        return {*new, *names, *_keys_of_nothing(analysis, before, path)}
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _keys(analysis: Analysis, side: Side, path: str) -> Mapping[str, str]:
    """Return the keys of what is stored of a file; none if nothing is."""
    if not is_parsed(side.rows.get(path)):
        return {}
    facts = side.forest.essence(path)
    return {} if facts is None else analysis.keys_of(facts, side.own(path))


def _keys_of_nothing(analysis: Analysis, side: Side, path: str) -> Iterable[str]:
    """Return the keys that a file has by its path and namespace alone."""
    row = side.rows[path]
    module = Scope("module", -1, -1)
    empty = Facts(path, row.language, row.namespace, (), (module,), (), ((),), 0, "", 0)
    return analysis.keys_of(empty, side.own(path))


def _name(path: str) -> str:
    return os.path.basename(path)  # noqa: PTH119 - for every file
