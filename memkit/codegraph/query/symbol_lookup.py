"""Symbol lookup: names that are typed or stand in a text to nodes, and suggestions."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ... import validation
from ...errors import InvalidInput, NotFound
from ...text.analyzer import nfc, nfkc, spellings
from ..index.workspace import base_of
from ..records import FileStatus, Node, NodeKind, dotted, file_node
from . import nodes
from . import nodes as nodes_
from .term_index import MODULE_NAMES

if TYPE_CHECKING:
    from ...store.store import Row, Store


# --- Places in the code: files and symbols by name, and those that a text names.
#
# `src/app.py`, `app.py`, `app.py::App.run`, `pkg.app.App.run`, `App.run`, `App::run`. What in a
# text fits two places means neither: a wrong anchor is worse than none.

# Symbols of one name that are looked at: a large tree has thousands of `__init__`.
MOST_NAMESAKES = 200
# Read of a text in which names are looked for, and names tried.
MOST_CHARS = 20_000
MOST_NAMES = 100

# Bits of a digest, of which several are added up; the view `stale` does the same.
_DIGEST = 0xFFFF_FFFF

_PLACE_JOINT = re.compile(r"::|[.#]")
# They begin where a word does: to begin anywhere takes the square of the time of a long one.
_PATH = re.compile(r"(?<![\w\-./])[\w\-./]*\w\.[A-Za-z]\w{0,5}\b")
_QUALIFIED = re.compile(r"(?<!\w)[^\W\d]\w*(?:(?:::|[.#])[^\W\d]\w*)+")
_LOCATED = re.compile(
    r"(?<![\w\-./])([\w\-./]*\w\.[A-Za-z]\w{0,5})::([^\W\d]\w*(?:(?:::|[.#])[^\W\d]\w*)*)"
)


@attrs.frozen
class Place:
    """A file, or a symbol in it.

    Attributes:
        path: of the file. symbol: qualified name inside it, "" for the file itself.
        hash: digest of the symbol's text or of the file's bytes, hexadecimal; None: not known.
        node: in the code graph. line: from 1; 0 for a file.
        kind: of the symbol; "" where it was not asked for.
    """

    path: str
    symbol: str
    hash: str | None
    node: int
    line: int = 0
    kind: str = attrs.field(default="", eq=False)

    def __str__(self) -> str:
        return f"{self.path}::{self.symbol}" if self.symbol else self.path


def in_text(store: Store, text: str) -> list[Place]:
    """Return the places that a text names beyond doubt, in the order of their first mention."""
    read = nfc(text[:MOST_CHARS])  # with accents apart no word reaches beyond its first one
    located = [f"{path}::{name}" for path, name in _LOCATED.findall(read)]
    written = (*located, *_PATH.findall(read), *_QUALIFIED.findall(read))
    names = list(dict.fromkeys(name.removeprefix("./") for name in written))[:MOST_NAMES]
    if not names:
        return []
    files, symbols = _files(store, names), _symbols(store, names)
    found: list[Place] = []
    for name in names:
        places = files.get(name) or _fitting(name, symbols.get(nfkc(_last(name)), ()))
        if len(places) == 1 and places[0] not in found:
            found += places
    inside = {place.path for place in found if place.symbol}
    # "app.py::run" speaks of run; that it names app.py too says nothing more.
    return [place for place in found if place.symbol or place.path not in inside]


def _files(store: Store, names: Iterable[str]) -> dict[str, list[Place]]:
    """Return the file each name is the path, or the only possible end of the path, of."""
    forms = {form: name for name in names if "::" not in name for form in spellings(name)}
    rows = store.all("codegraph_anchors.files_at", paths=json.dumps(list(forms)))
    found = {
        forms[path]: [Place(path, "", content or None, node)] for path, node, content, *_ in rows
    }
    rest = [name for name in names if name not in found and _PATH.fullmatch(name)]
    if rest:
        rows = store.all(
            "codegraph_anchors.files_called", names=json.dumps(rest), limit=MOST_NAMESAKES
        )
        for name, path, node, content in rows:
            found.setdefault(name, []).append(Place(path, "", content or None, node))
    return found


def _symbols(store: Store, names: Iterable[str]) -> dict[str, list[Place]]:
    found: dict[str, list[Place]] = {}
    for place in named(store, map(_last, names)):
        found.setdefault(nfkc(_last(place.symbol)), []).append(place)
    return found


def named(store: Store, names: Iterable[str], *, most: int = MOST_NAMESAKES) -> list[Place]:
    """Return the symbols that have one of these names, at most so many of each, by node; the last
    part of a qualified name is its own name."""
    forms = (form for name in names for form in spellings(name))
    wanted = json.dumps(list(dict.fromkeys(forms)))
    with store.snapshot():
        return _places(
            store, store.all("codegraph_anchors.symbols_named", names=wanted, limit=most)
        )


def named_at(store: Store, places: Iterable[tuple[str, str]]) -> list[Place]:
    """Return the symbols that have a name in a file, of pairs of path and name."""
    forms = (pair for place in places for pair in product(*map(spellings, place)))
    wanted = json.dumps(list(dict.fromkeys(forms)))
    with store.snapshot():
        return _places(store, store.all("codegraph_anchors.symbols_at", places=wanted))


def reading(store: Store, texts: Iterable[tuple[str, str]]) -> list[Place]:
    """Return the symbols of several lines in a file that have a text, whatever they are called, of
    pairs of path and digest."""
    wanted = json.dumps([(form, text) for path, text in texts for form in spellings(path)])
    with store.snapshot():
        return _places(store, store.all("codegraph_anchors.symbols_reading", texts=wanted))


def _places(store: Store, ids: Iterable[Row]) -> list[Place]:
    nodes = list(dict.fromkeys(node for (node,) in ids))
    rows = store.all("codegraph_anchors.places", nodes=json.dumps(nodes)) if nodes else ()
    return [
        Place(path, symbol, digest, node, line, kind)
        for path, node, symbol, digest, line, kind in rows
    ]


def _fitting(name: str, places: Sequence[Place]) -> list[Place]:
    """Return the places that fit a name best: path and symbol, module and symbol, symbol alone."""
    path, found, inside = nfkc(name).partition("::")
    wanted = _parts(inside) if found and "." in path else _parts(nfkc(name))
    if found and "." in path:
        places = [p for p in places if f"/{nfkc(p.path)}".endswith(f"/{path}")]
    for fits in (_fits_fully, _fits_by_end):
        best = [place for place in places if fits(place, wanted)]
        if best:
            return one_a_symbol(in_code(best) or best)
    return []


def in_code(places: Iterable[Place]) -> list[Place]:
    """Return places without the sections of documents, which are called as what they tell of."""
    return [place for place in places if place.kind != NodeKind.SECTION]


def _fits_fully(place: Place, wanted: Sequence[str]) -> bool:
    """Whether the name is the symbol's whole one, after a part of its module's."""
    own = nfkc(place.symbol).split(".")
    if list(wanted[-len(own) :]) != own:
        return False
    before = wanted[: -len(own)]
    return not before or is_module(place.path, before)


def _fits_by_end(place: Place, wanted: Sequence[str]) -> bool:
    return nfkc(place.symbol).split(".")[-len(wanted) :] == list(wanted)


def is_module(path: str, parts: Sequence[str]) -> bool:
    """Whether the parts are the end of a module's name: of `src/pkg/app.py` pkg, app."""
    path = nfkc(path)
    own = path.rpartition(".")[0].split("/") if "." in path.rpartition("/")[2] else path.split("/")
    if own[-1] in MODULE_NAMES:
        own = own[:-1]
    return own[-len(parts) :] == [nfkc(part) for part in parts]


def one_a_symbol(places: Iterable[Place]) -> list[Place]:
    """Return the first of the places of each name, with a hash of all of them: overloads, or a
    property and its setter, are one symbol, which changes when any of them does."""
    alike: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        alike.setdefault((place.path, place.symbol), []).append(place)
    return [_together(alike[key]) for key in sorted(alike)]


def _together(alike: Sequence[Place]) -> Place:
    if len(alike) == 1:
        return alike[0]
    digests = [int(place.hash, 16) for place in alike if place.hash]
    return attrs.evolve(alike[0], hash=f"{sum(digests) & _DIGEST:08x}")


def _parts(name: str) -> list[str]:
    return [part for part in _PLACE_JOINT.split(name) if part]


def _last(name: str) -> str:
    return (_parts(name) or [name])[-1]


# --- What a person means by the name of a symbol or file, exact or qualified.
#
# A name that several symbols have means all of them: none is guessed.

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
        if row := store.first("codegraph.file", path=form):
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
    row = nodes_.file_row(store, node.path)
    return Place(node.path, "", row.hash.hex() if row and row.hash else None, node.id)


def below_root(store: Store, path: str) -> str:
    """Return a path as the graph has it, if it was given as a whole one."""
    if not Path(path).is_absolute():
        return path
    return Path(os.path.relpath(path, base_of(store))).as_posix()


def _at_line(store: Store, path: str, line: int) -> list[Node]:
    """Return the innermost symbol that a line of a file stands in, else the file."""
    around = files(store, path)
    row = nodes_.file_row(store, around[0].path) if len(around) == 1 else None
    if row is None or (row.lines and line > row.lines):
        return []
    ids = [number for (number,) in store.all("codegraph.ids_in", file=around[0].id)]
    inside = [node for node in nodes_.nodes(store, ids) if node.line <= line <= node.end_line]
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
    return nodes_.nodes(store, [number for path, number in paths if is_module(path, parts)])


def _imported(store: Store, modules: Sequence[Node], name: str) -> list[Node]:
    ends = _ends_of(store, modules, "imports")
    return [node for node in nodes_.nodes(store, ends) if nfkc(node.name) == nfkc(name)]


def _inherited(store: Store, classes: Sequence[Node], name: str) -> list[Node]:
    """Return the members of a name of the nearest bases that have one."""
    seen = {node.id for node in classes}
    for _ in range(_MOST_BASES):
        ends = [number for number in _ends_of(store, classes, "inherits") if number not in seen]
        seen.update(ends)
        classes = nodes_.nodes(store, ends)
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
    return [node for node in nodes_.nodes(store, ids) if _ends(node.qualname, name)]


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
    found = nodes_.nodes(store, list(dict.fromkeys(ids)))
    return [node for node in found if _fits(store, node, name)] if dot else found


def _fits(store: Store, node: Node, name: str) -> bool:
    """Whether a name is the end of a symbol's, after its module or the namespace of its file."""
    if nfkc(node.qualname) == nfkc(name) or _ends(dotted(node.path, node.qualname), name):
        return True
    row = nodes_.file_row(store, node.path)
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


# --- What to say of a name that is not known, or that several things have: names near it, the
# reason.
#
# A name that several symbols have means all of them, and says so: none is guessed.

# Near names that an answer or an error mentions.
NEAR = 5
# Names that are compared letter by letter at most.
_COMPARED = 4000
_CUTOFF = 0.6


def meant(store: Store, name: str) -> list[Node]:
    """Return what a name means; raises NotFound with near names."""
    if found := exact(store, name):
        return code(found)
    others = ", ".join(node.qualified for node in near(store, name))
    hint = f"near names: {others}" if others else "no name is near"
    if reason := _beyond(store, name) or _left_out(store, name.partition("::")[0]):
        hint = reason
    raise NotFound(f"symbol {validation.shown(name)}: not in the code graph; {hint}")


def no_file(store: Store, path: str) -> NotFound:
    """Return the error that a path is not in the graph, with files of nearly that name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    forms = spellings(name)
    rows = [r for f in forms for r in store.all("codegraph.paths_ending", ending=f, limit=NEAR)]
    hint = ", ".join(row[1] for row in rows) or "none; 'memkit sql codegraph.files' lists all"
    return NotFound(f"file {validation.shown(path)}: not in the code graph; near: {hint}")


def near(store: Store, name: str, *, limit: int = NEAR) -> list[Node]:
    """Return symbols whose name has the word in it, or is spelt nearly so, best first."""
    word = nfc(last_part(checked(name)))
    names = [
        found
        for form in spellings(word)
        for (found,) in store.all("codegraph.names_like", word=form, limit=limit)
    ]
    if len(names) < limit:
        names += [found for found in _spelt_nearly(store, word, limit) if found not in names]
    # One of each name: the others are found by it.
    ids = [n for found in names for (n,) in store.all("codegraph.exactly", name=found)[:1]]
    return nodes.nodes(store, ids[:limit])


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
    alike = {nfkc(found).lower(): found for (found,) in rows}
    close = difflib.get_close_matches(nfkc(word).lower(), alike, limit, _CUTOFF)
    return [alike[found] for found in close]


def _beyond(store: Store, name: str) -> str:
    """Return how many lines a file has of which one was asked for that is not there."""
    at = AT_LINE.fullmatch(name.strip())
    found = files(store, at[1]) if at else []
    row = nodes.file_row(store, found[0].path) if len(found) == 1 else None
    return f"{row.path} has {row.lines} lines" if row else ""


def _left_out(store: Store, path: str) -> str:
    """Return why a file is not parsed, "" if it is or is not known."""
    row = nodes.file_row(store, below_root(store, path)) if "." in path else None
    if row is None or row.status == FileStatus.PARSED:
        return ""
    return f"{row.path} is not parsed: {row.reason or 'of no known language'}"


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
