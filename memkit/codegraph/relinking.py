"""Which files have to be linked anew after an update: those that read what has changed."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .analysis import Analysis
from .kinds import FileStatus
from .linking import Forest
from .packing import key_hash, unpack_keys
from .survey import FileRow

if TYPE_CHECKING:
    from ..store.connection import Store

Rows = Mapping[str, FileRow]


@attrs.frozen
class Difference:
    """A tree before and after an update.

    Attributes:
        known, rows: its files before and after, by path.
        parsed: files that were parsed in between.
        base: folder from which paths count.
    """

    known: Rows
    rows: Rows
    parsed: tuple[str, ...]
    base: Path


def affected(store: Store, analysis: Analysis, forest: Forest, difference: Difference) -> set[str]:
    """Return the files whose edges may differ, those that were parsed themselves included."""
    keys = _changed_keys(store, analysis, forest, difference)
    paths = {row.id: path for path, row in difference.rows.items()}
    readers = (
        {
            paths[file]
            for file, read in store.all("codegraph.reads")
            if file in paths and not keys.isdisjoint(unpack_keys(read))
        }
        if keys
        else set()
    )
    return {path for path in {*readers, *difference.parsed} if is_parsed(difference.rows.get(path))}


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
    store: Store, analysis: Analysis, forest: Forest, difference: Difference
) -> set[int]:
    """Return the hashes of all keys under which something else is read than before."""
    known, rows = difference.known, difference.rows
    touched = [*difference.parsed, *(p for p in known if not is_parsed(rows.get(p)))]
    before = Forest(store, known)
    own = [
        analysis.namespaces(listed(found), settings_texts(analysis, found, difference.base))
        for found in (known, rows)
    ]
    changed: set[int] = set()
    for path in touched:
        old = _keys(analysis, before, own[0], path) if is_parsed(known.get(path)) else {}
        new = _keys(analysis, forest, own[1], path) if is_parsed(rows.get(path)) else {}
        changed.update(
            key_hash(key) for key in old.keys() | new.keys() if old.get(key) != new.get(key)
        )
    return changed


def _keys(
    analysis: Analysis, forest: Forest, own: Callable[[str], str], path: str
) -> Mapping[str, str]:
    facts = forest.facts(path)
    return {} if facts is None else analysis.keys_of(facts, own(path))


def _name(path: str) -> str:
    return os.path.basename(path)  # noqa: PTH119 - for every file
