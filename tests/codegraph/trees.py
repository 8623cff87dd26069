"""A tree on the disk that is edited by whole files, and a graph written out by names alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from memkit.codegraph.analysis import Analysis
from memkit.codegraph.index.edge_builder import unpack_runs
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
        unresolved, nodes
    from code_files
"""
_SYMBOLS = """
    select id, file, parent, sort, name, line, end_line, digest
    from code_symbols
    order by id
"""
_EDGES = "select source, target, relation, below from code_edges"
_USED = """
    select target, sum(value) over (partition by target order by key)
    from code_used, json_each(sources)
"""
_ALIKE = """
    select middle, sum(value) over (partition by middle order by key)
    from code_alike, json_each(symbols)
"""


def graph_of(store: Store) -> dict[str, Any]:
    """Return files, symbols, edges, names and reads by names. Which facts are kept may differ."""
    files = {row[0]: row[1:] for row in rows(store, _FILES)}
    names = {number: row[0] for number, row in files.items()}
    symbols = {row[0]: row for row in rows(store, _SYMBOLS)}
    sorts = {row[0]: row[1:] for row in rows(store, "select * from code_sorts")}
    relations = {row[0]: row[1:] for row in rows(store, "select * from code_relations")}
    firsts = {node: symbol[5] for node, symbol in symbols.items()}
    places: dict[int, tuple[str, int]] = {}
    for file, row in files.items():
        nodes = unpack_runs(row[-1])
        assert sorted(nodes) == sorted(n for n, symbol in symbols.items() if symbol[1] == file)
        places |= {node: (names[file], number) for number, node in enumerate(nodes)}
    places |= {number: (path, -1) for number, path in names.items()}
    return {
        "files": sorted(row[:-1] for row in files.values()),
        "symbols": sorted(
            (places[n], places[row[2]], sorts[row[3]], *row[4:]) for n, row in symbols.items()
        ),
        "edges": sorted(
            (places[source], places[target], relations[relation], firsts.get(source, 1) + below)
            for source, target, relation, below in rows(store, _EDGES)
        ),
        "alike": sorted((middle, places[node]) for middle, node in rows(store, _ALIKE)),
        "used": sorted((places[target], places[source]) for target, source in rows(store, _USED)),
        "reads": sorted(
            (names[file], bytes(keys)) for file, keys in rows(store, "select * from code_reads")
        ),
    }
