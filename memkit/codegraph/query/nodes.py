"""Nodes of the graph from their rows, with qualified names and neighbours."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ...redaction import redact
from ..facts import Definition, Facts
from ..facts_codec import digest_number
from ..index.workspace import FileRow
from ..records import CodeNode, Coverage, Details, FileStatus, NodeKind, file_node

if TYPE_CHECKING:
    from ...store.store import Row, Store


# --- Nodes from rows, with their full names and details.

# What a file says, or None if it is not there as it was indexed; its text may be changed before.
Source = Callable[[FileRow, Callable[[bytes], bytes]], Facts | None]
# The text of a file, or None if it is not there as it was indexed.
Text = Callable[[FileRow], bytes | None]

# Files named in an answer that should have been read and could not be.
_MAX_FAILED = 20
# Letters of a line that an answer shows.
_MAX_LINE = 200
# Longer chains of parents come from a damaged file, not from code.
_DEEPEST = 10_000


def nodes(store: Store, ids: Iterable[int]) -> list[CodeNode]:
    """Return the nodes of ids, in their order; unknown ones are left out."""
    requested = list(ids)
    listed = json.dumps(requested)
    rows = {row[0]: row for row in store.all("codegraph.nodes", ids=listed)}
    enclosing = {row[0]: row[1:] for row in store.all("codegraph.enclosing", ids=listed)}
    records = []
    for number in requested:
        if (row := rows.get(number)) is None:
            continue
        _, kind, name, _, path, language, line, end_line, flags, digest, _ = row
        if kind == NodeKind.FILE:
            records.append(file_node(number, path, language, end_line))
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
    nodes = list(listed)
    by_path: dict[str, list[CodeNode]] = {}
    for node in nodes:
        if node.kind not in (NodeKind.FILE, NodeKind.IMPORT):
            by_path.setdefault(node.path, []).append(node)
    details: dict[int, Details] = {}
    for path, inside in by_path.items():
        if (row := file_row(store, path)) is not None:
            details |= _details_in_file(store, source, row, inside)
    return [attrs.evolve(node, details=details.get(node.id)) for node in nodes]


def line_texts(
    store: Store, text: Text, places: Iterable[tuple[str, int]]
) -> dict[tuple[str, int], str]:
    """Return lines of files without the spaces around them, secrets masked, by path and number; ""
    for what is not there as it was indexed."""
    files: dict[str, list[bytes]] = {}
    lines: dict[tuple[str, int], str] = {}
    for path, number in places:
        if path not in files:
            row = file_row(store, path)
            files[path] = ((text(row) if row else None) or b"").split(b"\n")
        line = files[path][number - 1] if 0 < number <= len(files[path]) else b""
        shown = line.decode("utf-8", "replace").strip()[:_MAX_LINE]
        lines[path, number] = " ".join(shown.split())
    # All in one scan: most of what a scan of so short a text takes is the same for all of them.
    safe = redact("\n".join(lines.values())).text.split("\n")
    if len(safe) != len(lines):  # a secret of several lines
        safe = [redact(line).text for line in lines.values()]
    return dict(zip(lines, safe, strict=True))


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


# --- Details of nodes, read from the text of their file.
#
# To parse and to walk a whole file for one signature takes longer than all else of an answer. So
# the lines of the definitions beside those that are asked for are left blank first. What is read
# then must be what is stored, by kind, name, lines and digest; else the whole file is read.

# How a line begins that belongs to the definition below it: comment, decorator, attribute, type
# parameters.
_LEADING = (b"# ", b"#[", b"@", b"//", b"/*", b"*", b"[", b"--", b"template")


def _details_in_file(
    store: Store, source: Source, row: FileRow, nodes: Sequence[CodeNode]
) -> dict[int, Details]:
    """Return the details of symbols of one file by id; none if it is not as it was indexed."""
    extents = store.all("codegraph.extents", file=row.id)
    # What has no name (`<lambda>`) is told from others of its line by the whole file alone.
    is_named = not any(node.name.startswith("<") for node in nodes)
    spans = _unrelated_spans(extents, {node.id for node in nodes}) if is_named else []
    # Where little is left out, to read it a second time, if need be, costs more than that saves.
    blank = {line for first, last in spans for line in range(first, last + 1)}
    if (
        2 * len(blank) > row.lines
        and (facts := source(row, lambda text: _blanked(text, spans))) is not None
    ):
        by_place = {
            (definition.kind, definition.name, definition.line, definition.end_line): definition
            for definition in facts.definitions
        }
        details = {
            node.id: _details_of(facts, definition)
            for node in nodes
            if (definition := by_place.get((node.kind, node.name, node.line, node.end_line)))
            and _is_unchanged(node, definition)
        }
        if len(details) == len(nodes):
            return details
    facts = source(row, bytes)
    return {} if facts is None else _details_by_position(facts, extents, nodes)


def detailed(store: Store, row: FileRow, facts: Facts, nodes: Iterable[CodeNode]) -> list[CodeNode]:
    """Return the nodes of a file with what the whole of it says of them."""
    listed = list(nodes)
    details = _details_by_position(facts, store.all("codegraph.extents", file=row.id), listed)
    return [attrs.evolve(node, details=details.get(node.id)) for node in listed]


def _details_of(facts: Facts, definition: Definition) -> Details:
    return Details(
        definition.signature,
        definition.doc,
        definition.column,
        definition.start,
        definition.end,
        facts.scopes[definition.scope].kind,
    )


def _details_by_position(
    facts: Facts, extents: Sequence[Row], nodes: Iterable[CodeNode]
) -> dict[int, Details]:
    """Return the details of symbols by id, of a file that was read as a whole."""
    numbers = {number: position for position, (number, *_) in enumerate(extents)}
    return {
        node.id: _details_of(facts, facts.definitions[position])
        for node in nodes
        if (position := numbers.get(node.id, len(extents))) < len(facts.definitions)
    }


def _is_unchanged(node: CodeNode, definition: Definition) -> bool:
    """Whether a definition has the text that was stored; that of a class lacks its members."""
    return node.kind == NodeKind.CLASS or node.digest == digest_number(definition.digest or "0")


def _unrelated_spans(extents: Iterable[Row], requested: set[int]) -> list[tuple[int, int]]:
    """Return first and last line of the definitions that are not requested, nor around or inside
    one that is; of a class that is requested, its members are unrelated."""
    by_id = {row[0]: row for row in extents}
    related: set[int] = set()
    for number in requested:
        while number in by_id and number not in related:
            related.add(number)
            number = by_id[number][1]
    edges = {line for number in related for line in by_id[number][2:4]}
    whole = {n for n in requested if n in by_id and by_id[n][4] != NodeKind.CLASS}
    spans = []
    for number, parent, line, end_line, _ in by_id.values():  # what is around comes first
        if parent in whole:
            whole.add(number)
        elif number not in related and line < end_line and edges.isdisjoint((line, end_line)):
            spans.append((line, end_line))
    return spans


def _blanked(text: bytes, spans: Iterable[tuple[int, int]]) -> bytes:
    """Return a text of the same length without the letters of some lines, and of what leads to
    them: comments and decorators."""
    lines = text.split(b"\n")
    for first, last in spans:
        while first > 1 and lines[first - 2].lstrip().startswith(_LEADING):
            first -= 1
        for at in range(first - 1, min(last, len(lines))):
            lines[at] = b" " * len(lines[at])
    return b"\n".join(lines)


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
