"""Which files have to be linked anew after an update: those that read what has changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .analysis import Analysis
from .extent import Namespaces
from .facts import Facts, Scope
from .kinds import FileStatus
from .linking import Forest
from .reads import key_hash, readers
from .survey import FileRow
from .writing import stored_symbols

if TYPE_CHECKING:
    from ..store.store import Store

Rows = Mapping[str, FileRow]


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
    now = after.rows
    touched = {*parsed, *(p for p, row in before.rows.items() if _is_lost(row, now.get(p)))}
    keys: set[str] = set()
    for path in touched:
        keys |= _changed_keys(store, analysis, before, after, path)
    hashes = frozenset(map(key_hash, keys))
    files = readers(store.all("codegraph.reads"), hashes)
    touched.update(path for path, row in now.items() if row.id in files)
    return {path for path in touched if is_parsed(now.get(path))}


def is_setting(analysis: Analysis, path: str) -> bool:
    """Whether a file decides what imports mean."""
    return path.rpartition("/")[2] in analysis.config_files


def settings_texts(analysis: Analysis, rows: Rows, base: Path) -> dict[str, str]:
    """Return the texts of the files that decide what imports mean, by path."""
    texts = {}
    names = tuple(analysis.config_files)
    for path in [path for path in rows if path.endswith(names) and is_setting(analysis, path)]:
        try:
            texts[path] = (base / path).read_text("utf-8", "replace")
        except OSError:
            continue  # gone since it was listed; the next survey notices
    return texts


def listed(rows: Rows) -> list[tuple[str, str, str]]:
    """Return path, language and namespace of every parsed file, sorted."""
    parsed = FileStatus.PARSED
    found = [row for row in rows.values() if row.status == parsed]
    return sorted((row.path, row.language, row.namespace) for row in found)


def is_parsed(row: FileRow | None) -> bool:
    """Whether a file takes part in the graph."""
    return row is not None and row.status == FileStatus.PARSED


def _is_lost(before: FileRow, after: FileRow | None) -> bool:
    return before is not after and is_parsed(before) and not is_parsed(after)


def _changed_keys(
    store: Store, analysis: Analysis, before: Side, after: Side, path: str
) -> set[str]:
    """Return the keys under which something else is read of a file than before."""
    new = _keys(analysis, after, path)
    if not is_parsed(before.rows.get(path)):
        return set(new)
    old = _keys(analysis, before, path)
    if not old:
        return _unread_keys(store, analysis, before, after, path)
    return {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}


def _unread_keys(
    store: Store, analysis: Analysis, before: Side, after: Side, path: str
) -> set[str]:
    """Return the keys of a file that changed but that nobody has read.

    Others know at most that it is there, and its names, where one was looked for in the whole tree.
    """
    there_before = set(_keys_of_nothing(analysis, before, path))
    there = (
        set(_keys_of_nothing(analysis, after, path)) if is_parsed(after.rows.get(path)) else set()
    )
    sorts = {number: (kind, flags) for number, kind, flags in store.all("codegraph.sorts")}
    old = {
        (row[4], identity, *sorts[row[3]], row[7])
        for identity, row in stored_symbols(store, before.rows[path].id).items()
    }
    new = {
        (draft.name, draft.identity, draft.kind, draft.flags, draft.digest)
        for draft in after.forest.symbols(path)
    }
    names = {found[0] for found in old ^ new}
    keys = {analysis.name_key(name) for name in names}
    for side in (before, after):
        # Where several files are one namespace, a name that nobody had was looked for in all.
        if is_parsed(side.rows.get(path)) and (own := side.own(path)) != path:
            keys |= {analysis.member_key(own, name) for name in names}
    return keys | (there_before ^ there)


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
