"""The lines of edges: where a call, a read or a type stands."""

from __future__ import annotations

import json
from pathlib import Path

import memkit
from memkit.codegraph.query import nodes
from memkit.codegraph.records import RelationKind

TEXT = '''\
from lib import (
    Base, target, Other as Else,
)


def before():
    return str(target())


@before
def typed(
    first: int,
    second: "Base",
) -> Else:
    """Says target and Base and Else."""
    table = [
        1,
        target,
    ]
    return table


class Down(Base):
    hook = target


HOOK = [
    target]
'''
LIB = "class Base: ...\nclass Other: ...\ndef target(): ...\n"


def test_what_is_only_read_has_the_line_where_it_stands(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Reads, types and bare decorators have their own lines, not that of the call before them."""
    (tmp_path / "lib.py").write_text(LIB)
    (tmp_path / "app.py").write_text(TEXT)
    kit.codegraph.index()
    lines = TEXT.split("\n")
    found = {}
    for name in ("target", "Base", "Other", "before"):
        ids = json.dumps([kit.codegraph.find_symbol(name)[0].id])
        kinds = json.dumps(list(RelationKind))
        for source, _, kind, _, _, line in kit._store.all(
            "codegraph.edges_to", ids=ids, kinds=kinds, candidates=False
        ):
            (node,) = nodes.nodes(kit._store, [source])
            found[node.qualname or node.path, kind, name] = lines[line - 1].strip()
    assert found == {
        ("app.py", "imports", "target"): "Base, target, Other as Else,",
        ("app.py", "imports", "Base"): "Base, target, Other as Else,",
        ("app.py", "imports", "Other"): "Base, target, Other as Else,",
        ("app.py", "calls", "before"): "@before",
        ("app.py", "references", "before"): "@before",
        ("app.py", "references", "target"): "target]",
        ("before", "calls", "target"): "return str(target())",
        ("typed", "references", "target"): "target,",
        ("typed", "uses", "Base"): 'second: "Base",',
        ("typed", "uses", "Other"): ") -> Else:",
        ("Down", "inherits", "Base"): "class Down(Base):",
        ("Down", "references", "target"): "hook = target",
    }


def test_require_without_a_name_has_the_line_it_stands_on(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """What `require` gives to no name of its own is read where it is required."""
    (tmp_path / "query.js").write_text("module.exports = function query() {};\n")
    (tmp_path / "app.js").write_text("// The application.\n\nexports.query = require('./query');\n")
    kit.codegraph.index()
    (edge,) = kit.codegraph.dependencies("app.js").nodes
    assert edge.via.line == 3
