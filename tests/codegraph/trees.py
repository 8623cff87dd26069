"""A tree on the disk that is edited by whole files, and a graph written out by names alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memkit.codegraph.analysis import Analysis
from memkit.codegraph.index.indexer import Indexer, IndexReport, TimeBudget
from memkit.codegraph.index.workspace import Workspace
from memkit.store.store import Store


class Tree:
    """A folder with code, and a store in it."""

    def __init__(self, folder: Path, analysis: Callable[[], Analysis], name: str = ".memkit.db"):
        self.folder = folder
        self.store = Store(folder / name)
        self.indexer = Indexer(self.store, analysis)

    def write(self, **texts: str) -> None:
        """Write files; `a__b_py` is a/b.py, None removes it."""
        for name, text in texts.items():
            stem, _, ending = name.replace("__", "/").rpartition("_")
            self.put(f"{stem}.{ending}", text)

    def put(self, path: str, text: str | bytes | None) -> None:
        """Write one file, or remove it."""
        place = self.folder / path
        if text is None:
            place.unlink(missing_ok=True)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)

    def index(self, **workspace: Any) -> IndexReport:
        """Bring the graph up to date."""
        return self.indexer.update(Workspace(self.folder, **workspace), TimeBudget())

    def follow(self) -> None:
        """Bring the graph up to date as before a question, by what is remembered."""
        self.indexer.follow(Workspace(self.folder), TimeBudget())

    def graph(self) -> dict[str, Any]:
        """Return the graph without a single number that depends on its history."""
        return graph_of(self.store)


def rows(store: Store, sql: str) -> list[tuple[Any, ...]]:
    """Return what a statement gives."""
    return list(store._file.ready().execute(sql))


# What the graph says, whatever numbers its nodes have.
_FILES = """
    select id, path, language, namespace, status, reason, hash, lines, errors, resolved, ambiguous,
        unresolved
    from code_files
"""
_SYMBOLS = """
    select id, file, parent, position, kind, flags, name, owner, line, end_line, digest
    from code_symbols
    order by id
"""
_EDGES = "select source, target, relation, lines from code_edges"


def graph_of(store: Store) -> dict[str, Any]:
    """Return files, symbols, edges and dependency keys by names; which facts are stored may
    differ."""
    files = {row[0]: row[1:] for row in rows(store, _FILES)}
    names = {number: row[0] for number, row in files.items()}
    symbols = {row[0]: row for row in rows(store, _SYMBOLS)}
    relations = {row[0]: row[1:] for row in rows(store, "select * from code_relations")}
    places = {node: (names[file], position) for node, file, _, position, *_ in symbols.values()}
    places |= {number: (path, -1) for number, path in names.items()}
    return {
        "files": sorted(files.values()),
        "symbols": sorted(
            ((places[n], places[row[2]], row[4:]) for n, row in symbols.items()), key=repr
        ),
        "edges": sorted(
            (places[source], places[target], relations[relation], line)
            for source, target, relation, line in rows(store, _EDGES)
        ),
        "dependency_keys": sorted(
            (names[file], bytes(keys))
            for file, keys in rows(store, "select * from code_dependencies")
        ),
    }
