"""Nodes of the graph from their rows, with qualified names and neighbours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ..facts import Facts
from ..index.workspace import FileRow
from ..records import CodeNode, Coverage, Details, EdgePath, FileStatus, NodeKind, file_node

if TYPE_CHECKING:
    from ...store.store import Store


# --- Nodes from rows, with their full names and details.

# What a file says in full, or None if it is not there as it was indexed.
Source = Callable[[FileRow], Facts | None]

# Files named in an answer that should have been read and could not be.
_MAX_FAILED = 20
# Longer chains of parents come from a damaged file, not from code.
_DEEPEST = 10_000


def nodes(
    store: Store, ids: Iterable[int], via: Mapping[int, EdgePath] | None = None
) -> list[CodeNode]:
    """Return the nodes of ids, in their order; unknown ones are left out."""
    requested = list(ids)
    listed = json.dumps(requested)
    rows = {row[0]: row for row in store.all("codegraph.nodes", ids=listed)}
    enclosing = {row[0]: row[1:] for row in store.all("codegraph.enclosing", ids=listed)}
    edge_paths = via or {}
    records = []
    for number in requested:
        if (row := rows.get(number)) is None:
            continue
        _, kind, name, _, path, language, line, end_line, flags, digest, _ = row
        if kind == NodeKind.FILE:
            records.append(file_node(number, path, language, end_line, edge_paths.get(number)))
            continue
        records.append(
            CodeNode(
                id=number,
                kind=kind,
                name=name,
                qualname=qualname(number, enclosing),
                path=path,
                language=language,
                line=line,
                end_line=end_line,
                flags=tuple(flags.split()),
                digest=digest,
                via=edge_paths.get(number),
            )
        )
    return records


def qualname(number: int, enclosing: Mapping[int, tuple[int, str]]) -> str:
    """Return a symbol's name after those around it, of `codegraph.enclosing` by id."""
    names: list[str] = []
    while number in enclosing and len(names) < _DEEPEST:
        number, name = enclosing[number]
        names.append(name)
    return ".".join(reversed(names))


def with_details(store: Store, source: Source, listed: Iterable[CodeNode]) -> list[CodeNode]:
    """Return the nodes with signature, doc and place in bytes, read from the code itself."""
    facts: dict[str, Facts | None] = {}
    positions: dict[str, dict[int, int]] = {}  # of each file's definitions, by their nodes
    detailed = []
    for node in listed:
        if node.kind in (NodeKind.FILE, NodeKind.IMPORT):
            detailed.append(node)
            continue
        if node.path not in facts:
            row = file_row(store, node.path)
            facts[node.path] = None if row is None else source(row)
            rows = [] if row is None else store.all("codegraph.positions", file=row.id)
            positions[node.path] = {node_id: position for position, (node_id,) in enumerate(rows)}
        detailed.append(_detailed(node, facts[node.path], positions[node.path].get(node.id)))
    return detailed


def file_row(store: Store, path: str) -> FileRow | None:
    """Return one file as it stands in the graph, or None."""
    row = store.first("codegraph.file", path=path)
    return FileRow(*row) if row else None


def imports(facts: Facts) -> list[CodeNode]:
    """Return what a file imports, in the order of its text."""
    records = []
    for scope in facts.statements:
        for statement in scope:
            if statement[0] != "import":
                continue
            _, local, module, name, level, site = statement[:6]
            taken = "" if name is None else f".{name}" if name else ""
            written = f"{'.' * level}{module}{taken}"
            line = facts.sites[site]
            records.append(
                CodeNode(
                    0, NodeKind.IMPORT, local or written, written, facts.path, facts.language,
                    line, line,
                )
            )  # fmt: skip
    return sorted(records, key=lambda node: node.line)


def coverage(store: Store) -> Coverage:
    """Return how much of the tree the graph holds."""
    files, parsed, resolved, ambiguous, unresolved = store.first("codegraph.coverage") or (0,) * 5
    left_out: dict[str, int] = {}
    failed = []
    for path, status, reason in store.all("codegraph.unread_files"):
        if status == FileStatus.FAILED:
            failed.append((path, reason))
        else:
            left_out[reason] = left_out.get(reason, 0) + 1
    return Coverage(
        files, parsed, resolved, ambiguous, unresolved, left_out, tuple(failed[:_MAX_FAILED])
    )


def _detailed(node: CodeNode, facts: Facts | None, position: int | None) -> CodeNode:
    if facts is None or position is None or position >= len(facts.definitions):
        return node
    definition = facts.definitions[position]
    details = Details(
        definition.signature,
        definition.doc,
        definition.column,
        definition.start,
        definition.end,
        facts.scopes[definition.scope].kind,
    )
    return attrs.evolve(node, details=details)


# --- Neighbouring files, most used symbols, and edges of nodes.


def linked_files(store: Store, path: str) -> dict[str, int]:
    """Return the files that the code links with a file, both ways, and by how many references."""
    return dict(store.all("codegraph.linked_files", path=path))


def most_used_symbols(store: Store, paths: Sequence[str], *, limit: int) -> list[tuple[str, str]]:
    """Return path and name of the symbols of files that most of the code leans on, file by file."""
    rows = store.all("codegraph.most_used_symbols", paths=json.dumps(list(paths)), limit=limit)
    return [(path, f"{parent}.{name}" if parent else name) for path, name, parent, _ in rows]


def steps(store: Store, nodes: Iterable[int], *, fanout: int) -> list[tuple[int, int, str, int]]:
    """Return the certain edges of nodes, at most so many of each in a direction: from, to, kind,
    and whether it is followed as it points."""
    return store.all("codegraph.certain_edges", nodes=json.dumps(list(nodes)), fanout=fanout)


def labels(store: Store, nodes: Iterable[int]) -> dict[int, str]:
    """Return the paths of files and the names of symbols."""
    listed = list(nodes)
    return dict(store.all("codegraph.labels", nodes=json.dumps(listed))) if listed else {}
