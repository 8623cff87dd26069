"""What a person means by the name of a symbol or file, exact or qualified.

A name that several symbols have means all of them: none is guessed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from .. import validation
from ..errors import InvalidInput
from ..text.analyzer import nfc, nfkc, spellings
from . import reading
from .extent import base_of
from .kinds import NodeKind
from .places import Place, is_module, one_a_symbol
from .records import Node, dotted, file_node

if TYPE_CHECKING:
    from ..store.store import Store

# Files that the end of a path may mean at most.
_MOST_FILES = 5
# Longer texts are no names.
_LONGEST = 1000
# What joins the parts of a name besides a dot; a member of JavaScript may begin with the latter.
_JOINT = re.compile(r"::|(?<=\w)#")
# As answers and compilers print a place: path:line, path:line:column.
AT_LINE = re.compile(r"(.+?[^:]):(\d+)(?::\d+)?")
# Bases above bases that are asked for a member.
_MOST_BASES = 20


def exact(store: Store, name: str) -> list[Node]:
    """Return what a name means: `name`, `Class.method`, `Class::method`, `Class#method`,
    `pkg.mod.name`, `path::Class.method`, `path:line`, a path or a module; also by a class that
    inherits it or a module that imports it. Nothing if it is not known.
    Raises InvalidInput for what is no name."""
    asked = nfc(checked(name))
    if found := files(store, name.strip()):
        return found
    if at := AT_LINE.fullmatch(asked):
        return _at_line(store, at[1], int(at[2]))
    path, sign, inner = asked.partition("::" if "::" in asked else ":")
    if sign and (holders := files(store, path)):
        inside = _JOINT.sub(".", inner)
        return _inside(store, holders, inside) or _through(store, holders, inside)
    plain = _JOINT.sub(".", asked)
    return _ending(store, plain) or _through(store, (), plain)


def outright(store: Store, name: str) -> list[Place]:
    """Return the places that a name means beyond the others: of symbols of which it is the end
    those of which it is all. Several definitions of one symbol are one place."""
    found = exact(store, name)
    asked = _JOINT.sub(".", nfc(checked(name)))
    whole = code([node for node in found if _ends(asked, node.qualname)])
    return one_a_symbol(_place(store, node) for node in whole or code(found))


def as_noted(store: Store, name: str) -> list[Place]:
    """Return the same of a name as it is stored; another program may have written one that is
    none."""
    try:
        return outright(store, name)
    except InvalidInput:
        return []


def code(found: list[Node]) -> list[Node]:
    """Return nodes without the sections of documents, unless these are all there is: who asks for
    `Recall` means the class, not the chapter about it."""
    return [node for node in found if node.kind != NodeKind.SECTION] or found


def code_first(found: list[Node]) -> list[Node]:
    """Return nodes with the sections of documents behind all others."""
    return sorted(found, key=lambda node: node.kind == NodeKind.SECTION)


def files(store: Store, path: str) -> list[Node]:
    """Return the file of a path, or the files whose path ends with it."""
    wanted = below_root(store, path).removeprefix("./").replace("\\", "/")
    for form in spellings(wanted):
        if row := store.one("codegraph.file", path=form):
            return [file_node(row[0], row[1], row[2], row[9])]
    # To compare the ends of all paths takes longer than any other part of a question.
    if "::" in wanted or ("/" not in wanted and "." not in wanted):
        return []
    for form in spellings(wanted):
        if rows := store.all("codegraph.paths_ending", ending=f"/{form}", limit=_MOST_FILES):
            return [file_node(*row) for row in rows]
    return []


def _place(store: Store, node: Node) -> Place:
    if node.kind != NodeKind.FILE:
        return Place(node.path, node.qualname, f"{node.digest:08x}", node.id, node.line)
    row = reading.file_row(store, node.path)
    return Place(node.path, "", row.hash.hex() if row and row.hash else None, node.id)


def below_root(store: Store, path: str) -> str:
    """Return a path as the graph has it, if it was given as a whole one."""
    if not Path(path).is_absolute():
        return path
    return Path(os.path.relpath(path, base_of(store))).as_posix()


def _at_line(store: Store, path: str, line: int) -> list[Node]:
    """Return the innermost symbol that a line of a file stands in, else the file."""
    around = files(store, path)
    row = reading.file_row(store, around[0].path) if len(around) == 1 else None
    if row is None or (row.lines and line > row.lines):
        return []
    ids = [number for (number,) in store.all("codegraph.ids_in", file=around[0].id)]
    inside = [node for node in reading.nodes(store, ids) if node.line <= line <= node.end_line]
    inside.sort(key=lambda node: (node.end_line - node.line, -node.line))
    return inside[:1] or around


def _through(store: Store, holders: Sequence[Node], name: str) -> list[Node]:
    """Return what a class inherits under a name, a module has by importing it, or the module.

    `holders` are the files that the name is looked for in; none: the name itself tells.
    """
    around, _, last = name.rpartition(".")
    if not around and not holders:
        return []
    if holders and not around:
        owners = list(holders)
    elif holders:
        owners = _inside(store, holders, around)
    else:
        owners = [*_ending(store, around), *_modules(store, around)]
    found = _imported(store, [one for one in owners if one.kind == NodeKind.FILE], last)
    found = found or _inherited(store, [n for n in owners if n.kind == NodeKind.CLASS], last)
    return found if found or holders else _modules(store, name)


def _modules(store: Store, name: str) -> list[Node]:
    """Return the files that a dotted name means as a module."""
    parts = name.split(".")
    paths = store.all("codegraph_anchors.paths")
    return reading.nodes(store, [number for path, number in paths if is_module(path, parts)])


def _imported(store: Store, modules: Sequence[Node], name: str) -> list[Node]:
    ends = _ends_of(store, modules, "imports")
    return [node for node in reading.nodes(store, ends) if nfkc(node.name) == nfkc(name)]


def _inherited(store: Store, classes: Sequence[Node], name: str) -> list[Node]:
    """Return the members of a name of the nearest bases that have one."""
    seen = {node.id for node in classes}
    for _ in range(_MOST_BASES):
        ends = [number for number in _ends_of(store, classes, "inherits") if number not in seen]
        seen.update(ends)
        classes = reading.nodes(store, ends)
        found = [
            member
            for base in classes
            for member in _inside(store, files(store, base.path), f"{base.qualname}.{name}")
        ]
        if found or not classes:
            return found
    return []


def _ends_of(store: Store, nodes: Sequence[Node], kind: str) -> list[int]:
    """Return the nodes to which sure edges of a kind lead, in their order."""
    ids, kinds = json.dumps([node.id for node in nodes]), json.dumps([kind])
    rows = store.all("codegraph.out_of", ids=ids, kinds=kinds, candidates=False)
    return list(dict.fromkeys(end for end, *_ in rows))


def _inside(store: Store, holders: Sequence[Node], name: str) -> list[Node]:
    """Return the symbols of a dotted name in files."""
    ids = [
        number
        for file, form in product(holders, spellings(last_part(name)))
        for (number,) in store.all("codegraph.exactly_in", file=file.id, name=form)
    ]
    return [node for node in reading.nodes(store, ids) if _ends(node.qualname, name)]


def _ending(store: Store, name: str) -> list[Node]:
    """Return the symbols whose full name ends with a dotted name."""
    around, dot, last = name.rpartition(".")
    ids: list[int] = []
    if not dot or not last:
        for form in spellings(last_part(name)):
            ids += [number for (number,) in store.all("codegraph.exactly", name=form)]
    else:
        for form, place in product(spellings(last), spellings(last_part(around))):
            rows = store.all("codegraph.exactly_under", name=form, around=place)
            ids += [number for (number,) in rows]
    found = reading.nodes(store, list(dict.fromkeys(ids)))
    return [node for node in found if _fits(store, node, name)] if dot else found


def _fits(store: Store, node: Node, name: str) -> bool:
    """Whether a name is the end of a symbol's, after its module or the namespace of its file."""
    if nfkc(node.qualname) == nfkc(name) or _ends(dotted(node.path, node.qualname), name):
        return True
    row = reading.file_row(store, node.path)
    return row is not None and _ends(f"{row.namespace}.{node.qualname}", name)


def _ends(name: str, wanted: str) -> bool:
    return f".{nfkc(name)}".endswith(f".{nfkc(wanted)}")


def last_part(name: str) -> str:
    """Return what stands behind the last dot of a name."""
    return name.rpartition(".")[2] or name


def checked(name: str) -> str:
    """Return a name without the spaces around it, nor the sign of a call behind it; raises
    InvalidInput for what is no name."""
    asked = validation.text(name, name="symbol").strip().removesuffix("()")
    if not asked or len(asked) > _LONGEST:
        raise InvalidInput(
            f"symbol {validation.shown(asked)}: is no name; give one as it stands in the code"
        )
    return asked
