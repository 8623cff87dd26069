"""What a person means by the name of a symbol or file: exact, qualified, or near.

A name that several symbols have means all of them, and says so: none is guessed.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import InvalidInput, NotFound
from . import reading
from .extent import base_of
from .kinds import FileStatus, NodeKind
from .places import Place, folded, is_module, joined, one_a_symbol, spellings
from .records import Node, dotted, file_node

if TYPE_CHECKING:
    from ..store.connection import Store

# Near names that an answer or an error mentions.
NEAR = 5
# Names that are compared letter by letter at most.
_COMPARED = 4000
_CUTOFF = 0.6
# Longer texts are no names.
_LONGEST = 1000
# What joins the parts of a name besides a dot; a member of JavaScript may begin with the latter.
_JOINT = re.compile(r"::|(?<=\w)#")
# As answers and compilers print a place: path:line, path:line:column.
_AT_LINE = re.compile(r"(.+?[^:]):(\d+)(?::\d+)?")
# Bases above bases that are asked for a member.
_MOST_BASES = 20


def exact(store: Store, name: str) -> list[Node]:
    """Return what a name means: `name`, `Class.method`, `Class::method`, `Class#method`,
    `pkg.mod.name`, `path::Class.method`, `path:line`, a path or a module; also by a class that
    inherits it or a module that imports it. Nothing if it is not known.
    Raises InvalidInput for what is no name."""
    asked = joined(_checked(name))
    if found := files(store, name.strip()):
        return found
    if at := _AT_LINE.fullmatch(asked):
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
    asked = _JOINT.sub(".", joined(name.strip()))
    whole = [node for node in found if _ends(asked, node.qualname)]
    return one_a_symbol(_place(store, node) for node in whole or found)


def files(store: Store, path: str) -> list[Node]:
    """Return the file of a path, or the files whose path ends with it."""
    wanted = _below_root(store, path).removeprefix("./").replace("\\", "/")
    for form in spellings(wanted):
        if row := store.one("codegraph.file", path=form):
            return [file_node(row[0], row[1], row[2], row[9])]
    # To compare the ends of all paths takes longer than any other part of a question.
    if "::" in wanted or ("/" not in wanted and "." not in wanted):
        return []
    for form in spellings(wanted):
        if rows := store.all("codegraph.paths_ending", ending=f"/{form}", limit=NEAR):
            return [file_node(*row) for row in rows]
    return []


def meant(store: Store, name: str) -> list[Node]:
    """Return what a name means; raises NotFound with near names."""
    if found := exact(store, name):
        return found
    others = ", ".join(node.qualified for node in near(store, name))
    hint = f"near names: {others}" if others else "no name is near"
    if reason := _beyond(store, name) or _left_out(store, name.partition("::")[0]):
        hint = reason
    raise NotFound(f"symbol {name!r}: not in the code graph; {hint}")


def no_file(store: Store, path: str) -> NotFound:
    """Return the error that a path is not in the graph, with files of nearly that name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    forms = spellings(name)
    rows = [r for f in forms for r in store.all("codegraph.paths_ending", ending=f, limit=NEAR)]
    hint = ", ".join(row[1] for row in rows) or "none; 'memkit sql codegraph.files' lists all"
    return NotFound(f"file {path!r}: not in the code graph; near: {hint}")


def near(store: Store, name: str, *, limit: int = NEAR) -> list[Node]:
    """Return symbols whose name has the word in it, or is spelt nearly so, best first."""
    word = joined(_last(_checked(name)))
    names = [
        found
        for form in spellings(word)
        for (found,) in store.all("codegraph.names_like", word=form, limit=limit)
    ]
    if len(names) < limit:
        names += [found for found in _spelt_nearly(store, word, limit) if found not in names]
    # One of each name: the others are found by it.
    ids = [n for found in names for (n,) in store.all("codegraph.exactly", name=found)[:1]]
    return reading.nodes(store, ids[:limit])


def _spelt_nearly(store: Store, word: str, limit: int) -> list[str]:
    import difflib  # here: only a name that is not known needs it

    forms = spellings(word)
    letters = sorted({letter.lower() for form in forms for letter in form[:2]})
    rows = store.all(
        "codegraph.names_near",
        shortest=max(1, len(word) * 2 // 3),
        longest=len(forms[-1]) * 3 // 2 + 1,
        letters=json.dumps(letters),
        limit=_COMPARED,
    )
    alike = {folded(found).lower(): found for (found,) in rows}
    close = difflib.get_close_matches(folded(word).lower(), alike, limit, _CUTOFF)
    return [alike[found] for found in close]


def _place(store: Store, node: Node) -> Place:
    if node.kind != NodeKind.FILE:
        return Place(node.path, node.qualname, f"{node.digest:08x}", node.id, node.line)
    row = reading.file_row(store, node.path)
    return Place(node.path, "", row.hash.hex() if row and row.hash else None, node.id)


def _below_root(store: Store, path: str) -> str:
    """Return a path as the graph has it, if it was given as a whole one."""
    if not Path(path).is_absolute():
        return path
    return Path(os.path.relpath(path, base_of(store))).as_posix()


def _beyond(store: Store, name: str) -> str:
    """Return how many lines a file has of which one was asked for that is not there."""
    at = _AT_LINE.fullmatch(name.strip())
    found = files(store, at[1]) if at else []
    row = reading.file_row(store, found[0].path) if len(found) == 1 else None
    return f"{row.path} has {row.lines} lines" if row else ""


def _left_out(store: Store, path: str) -> str:
    """Return why a file is not parsed, "" if it is or is not known."""
    row = reading.file_row(store, _below_root(store, path)) if "." in path else None
    if row is None or row.status == FileStatus.PARSED:
        return ""
    return f"{row.path} is not parsed: {row.reason or 'of no known language'}"


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
    paths = store.all("anchors.paths")
    return reading.nodes(store, [number for path, number in paths if is_module(path, parts)])


def _imported(store: Store, modules: Sequence[Node], name: str) -> list[Node]:
    ends = _ends_of(store, modules, "imports")
    return [node for node in reading.nodes(store, ends) if folded(node.name) == folded(name)]


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
        for file, form in product(holders, spellings(_last(name)))
        for (number,) in store.all("codegraph.exactly_in", file=file.id, name=form)
    ]
    return [node for node in reading.nodes(store, ids) if _ends(node.qualname, name)]


def _ending(store: Store, name: str) -> list[Node]:
    """Return the symbols whose full name ends with a dotted name."""
    around, dot, last = name.rpartition(".")
    ids: list[int] = []
    if not dot or not last:
        for form in spellings(_last(name)):
            ids += [number for (number,) in store.all("codegraph.exactly", name=form)]
    else:
        for form, place in product(spellings(last), spellings(_last(around))):
            rows = store.all("codegraph.exactly_under", name=form, around=place)
            ids += [number for (number,) in rows]
    found = reading.nodes(store, list(dict.fromkeys(ids)))
    return [node for node in found if _fits(store, node, name)] if dot else found


def _fits(store: Store, node: Node, name: str) -> bool:
    """Whether a name is the end of a symbol's, after its module or the namespace of its file."""
    if folded(node.qualname) == folded(name) or _ends(dotted(node.path, node.qualname), name):
        return True
    row = reading.file_row(store, node.path)
    return row is not None and _ends(f"{row.namespace}.{node.qualname}", name)


def _ends(name: str, wanted: str) -> bool:
    return f".{folded(name)}".endswith(f".{folded(wanted)}")


def _last(name: str) -> str:
    return name.rpartition(".")[2] or name


def _checked(name: str) -> str:
    asked = name.strip() if isinstance(name, str) else ""
    if not asked or len(asked) > _LONGEST:
        raise InvalidInput(f"symbol {asked[:40]!r}: is no name; give one as it stands in the code")
    return asked


def ambiguity(name: str, found: list[Node]) -> tuple[str, ...]:
    """Return the note that a name means several things; none if it means one.

    Overloads, and definitions of which one holds at a time, have one name and are one thing.
    """
    names = list(dict.fromkeys(node.qualified for node in found))
    if len(names) < 2:
        return ()
    listed = ", ".join(names[:NEAR])
    more = f" and {len(names) - NEAR} more" if len(names) > NEAR else ""
    kinds = "files" if all(node.kind == NodeKind.FILE for node in found) else "symbols"
    return (f"{name!r} means {len(names)} {kinds}: {listed}{more}; all are taken",)
