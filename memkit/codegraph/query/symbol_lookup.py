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
from ...frozen import frozen
from ...text.analyzer import nfc, nfkc, spellings
from ...text.paths import below_root, is_whole, plain_path
from ..index.workspace import base_of
from ..languages import LANGUAGES, dialect
from ..records import CodeNode, FileStatus, NodeKind, dotted, file_node
from . import nodes as nodes_

if TYPE_CHECKING:
    from ...store.store import Store


# --- Places: files and symbols by name, and those that a text names.
#
# `src/app.py`, `app.py`, `app.py::App.run`, `pkg.app.App.run`, `App.run`, `App::run`. What in a
# text fits two places means neither: a wrong anchor is worse than none.

# Symbols of one name that are looked at: a large tree has thousands of `__init__`.
MAX_NAMESAKES = 200
# Files that are named for their folder.
MODULE_NAMES = frozenset({"index", "mod", "__init__"})
# Read of a text in which names are looked for, and names tried.
MAX_CHARS = 20_000
MAX_NAMES = 100

# Bits of a digest, of which several are added up; the view `stale` does the same.
_DIGEST = 0xFFFF_FFFF

_PLACE_JOINT = re.compile(r"::|[.#]")
# They begin where a word does: to begin anywhere takes the square of the time of a long one.
_PATH = re.compile(r"(?<![\w\-./])[\w\-./]*\w\.[A-Za-z]\w{0,5}\b")
_QUALIFIED = re.compile(r"(?<!\w)[^\W\d]\w*(?:(?:::|[.#])[^\W\d]\w*)+")
_LOCATED = re.compile(
    r"(?<![\w\-./])([\w\-./]*\w\.[A-Za-z]\w{0,5})::([^\W\d]\w*(?:(?:::|[.#])[^\W\d]\w*)*)"
)


@frozen
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


def places_in_text(store: Store, text: str) -> list[Place]:
    """Return the places that a text names beyond doubt, in the order of their first mention."""
    read = nfc(text[:MAX_CHARS])  # with accents apart no word reaches beyond its first one
    located = [f"{path}::{name}" for path, name in _LOCATED.findall(read)]
    written = (*located, *_PATH.findall(read), *_QUALIFIED.findall(read))
    names = list(dict.fromkeys(name.removeprefix("./") for name in written))[:MAX_NAMES]
    if not names:
        return []
    files, symbols = _files(store, names), _symbols(store, names)
    certain: list[Place] = []
    for name in names:
        places = files.get(name) or _fitting(name, symbols.get(nfkc(_last(name)), ()))
        if len(places) == 1 and places[0] not in certain:
            certain += places
    inside = {place.path for place in certain if place.symbol}
    # "app.py::run" speaks of run; that it names app.py too says nothing more.
    return [place for place in certain if place.symbol or place.path not in inside]


def _files(store: Store, names: Iterable[str]) -> dict[str, list[Place]]:
    """Return the file each name is the path, or the only possible end of the path, of."""
    forms = {form: name for name in names if "::" not in name for form in spellings(name)}
    rows = store.all("codegraph_anchors.files_at", paths=json.dumps(list(forms)))
    matches = {
        forms[path]: [Place(path, "", content or None, node)] for path, node, content, *_ in rows
    }
    unmatched = [name for name in names if name not in matches and _PATH.fullmatch(name)]
    if unmatched:
        rows = store.all(
            "codegraph_anchors.files_called", names=json.dumps(unmatched), limit=MAX_NAMESAKES
        )
        for name, path, node, content in rows:
            matches.setdefault(name, []).append(Place(path, "", content or None, node))
    return matches


def _symbols(store: Store, names: Iterable[str]) -> dict[str, list[Place]]:
    by_name: dict[str, list[Place]] = {}
    for place in places_named(store, map(_last, names)):
        by_name.setdefault(nfkc(_last(place.symbol)), []).append(place)
    return by_name


def places_named(store: Store, names: Iterable[str], *, limit: int = MAX_NAMESAKES) -> list[Place]:
    """Return the symbols that have one of these names, at most so many of each, by node; the last
    part of a qualified name is its own name."""
    forms = (form for name in names for form in spellings(name))
    listed = json.dumps(list(dict.fromkeys(forms)))
    return _places(store, "codegraph_anchors.symbols_named", names=listed, limit=limit)


def places_named_at(store: Store, places: Iterable[tuple[str, str]]) -> list[Place]:
    """Return the symbols that have a name in a file, of pairs of path and name."""
    forms = (pair for place in places for pair in product(*map(spellings, place)))
    listed = json.dumps(list(dict.fromkeys(forms)))
    return _places(store, "codegraph_anchors.symbols_at", places=listed)


def places_with_text(store: Store, texts: Iterable[tuple[str, str]]) -> list[Place]:
    """Return the symbols of several lines in a file that have a text, whatever they are called, of
    pairs of path and digest."""
    listed = json.dumps([(form, text) for path, text in texts for form in spellings(path)])
    return _places(store, "codegraph_anchors.symbols_with_text", texts=listed)


def _places(store: Store, query: str, **params: object) -> list[Place]:
    """Return the symbols whose nodes a query gives."""
    with store.snapshot():
        nodes = list(dict.fromkeys(node for (node,) in store.all(query, **params)))
        rows = store.all("codegraph_anchors.places", nodes=json.dumps(nodes)) if nodes else ()
    return [
        Place(path, symbol, digest, node, line, kind)
        for path, node, symbol, digest, line, kind in rows
    ]


def _fitting(name: str, places: Sequence[Place]) -> list[Place]:
    """Return the places that fit a name best: path and symbol, module and symbol, symbol alone."""
    path, separator, inner = nfkc(name).partition("::")
    expected = _parts(inner) if separator and "." in path else _parts(nfkc(name))
    if separator and "." in path:
        places = [p for p in places if f"/{nfkc(p.path)}".endswith(f"/{path}")]
    for fits in (_fits_fully, _fits_by_end):
        best = [place for place in places if fits(place, expected)]
        if best:
            return merge_overloads(without_sections(best) or best)
    return []


def without_sections(places: Iterable[Place]) -> list[Place]:
    """Return places without the sections of documents, which are called as what they tell of."""
    return [place for place in places if place.kind != NodeKind.SECTION]


def _fits_fully(place: Place, expected: Sequence[str]) -> bool:
    """Whether the name is the symbol's whole one, after a part of its module's."""
    own = nfkc(place.symbol).split(".")
    if list(expected[-len(own) :]) != own:
        return False
    before = expected[: -len(own)]
    return not before or is_module(place.path, before)


def _fits_by_end(place: Place, expected: Sequence[str]) -> bool:
    return nfkc(place.symbol).split(".")[-len(expected) :] == list(expected)


def is_module(path: str, parts: Sequence[str]) -> bool:
    """Whether the parts are the end of a module's name: of `src/pkg/app.py` pkg, app."""
    path = nfkc(path)
    own = path.rpartition(".")[0].split("/") if "." in path.rpartition("/")[2] else path.split("/")
    if own[-1] in MODULE_NAMES:
        own = own[:-1]
    return own[-len(parts) :] == [nfkc(part) for part in parts]


def merge_overloads(places: Iterable[Place]) -> list[Place]:
    """Return the first of the places of each name, with a hash of all of them: overloads, or a
    property and its setter, are one symbol, which changes when any of them does."""
    alike: dict[tuple[str, str], list[Place]] = {}
    for place in places:
        alike.setdefault((place.path, place.symbol), []).append(place)
    return [_merged(alike[key]) for key in sorted(alike)]


def _merged(alike: Sequence[Place]) -> Place:
    if len(alike) == 1:
        return alike[0]
    digests = [int(place.hash, 16) for place in alike if place.hash]
    return attrs.evolve(alike[0], hash=f"{sum(digests) & _DIGEST:08x}")


def _parts(name: str) -> list[str]:
    return [part for part in _PLACE_JOINT.split(name) if part]


def _last(name: str) -> str:
    return (_parts(name) or [name])[-1]


# --- Nodes by the exact or qualified name of a symbol or file.
#
# A name that several symbols have means all of them: none is guessed.

# Files that the end of a path may mean at most.
_MAX_FILES = 5
# Longer texts are no names.
_LONGEST = 1000
# What joins the parts of a name besides a dot; a member of JavaScript may begin with the latter.
_JOINT = re.compile(r"::|(?<=\w)#")
# As answers and compilers print a place: path:line, path:line:column.
AT_LINE = re.compile(r"(.+?[^:]):(\d+)(?::\d+)?")
# Bases above bases that are asked for a member.
_MAX_BASES = 20


def exact_matches(store: Store, name: str) -> list[CodeNode]:
    """Return what a name means: `name`, `Class.method`, `Class::method`, `Class#method`,
    `pkg.mod.name`, `path::Class.method`, `path:line`, a path or a module; also by a class that
    inherits it or a module that imports it. Nothing if it is not known.
    Raises InvalidInput for what is no name."""
    typed = nfc(checked(name))
    if matches := files(store, name.strip()):
        return matches
    if at := AT_LINE.fullmatch(typed):
        return _at_line(store, at[1], int(at[2]))
    path, sign, inner = typed.partition("::" if "::" in typed else ":")
    if sign and (holders := files(store, path)):
        inside = _JOINT.sub(".", inner)
        return _inside(store, holders, inside) or _by_owner(store, holders, inside)
    plain = _JOINT.sub(".", typed)
    return _ending(store, plain) or _by_owner(store, (), plain)


def find_places(store: Store, name: str) -> list[Place]:
    """Return the places that a name means beyond the others: of symbols of which it is the end
    those of which it is all. Several definitions of one symbol are one place."""
    matches = exact_matches(store, name)
    typed = _JOINT.sub(".", nfc(checked(name)))
    whole = prefer_code([node for node in matches if _ends(typed, node.qualname)])
    return merge_overloads(_place(store, node) for node in whole or prefer_code(matches))


def find_stored_places(store: Store, name: str) -> list[Place]:
    """Return the same of a name as it is stored; another program may have written one that is
    none."""
    try:
        return find_places(store, name)
    except InvalidInput:
        return []


def prefer_code(nodes: list[CodeNode]) -> list[CodeNode]:
    """Return nodes without the sections of documents, unless these are all there is: who asks for
    `Recall` means the class, not the chapter about it."""
    return [node for node in nodes if node.kind != NodeKind.SECTION] or nodes


def code_first(nodes: list[CodeNode]) -> list[CodeNode]:
    """Return nodes with the sections of documents behind all others."""
    return sorted(nodes, key=lambda node: node.kind == NodeKind.SECTION)


def files(store: Store, path: str) -> list[CodeNode]:
    """Return the file of a path, or the files whose path ends with it."""
    relative = plain_path(in_graph(store, path))
    for form in spellings(relative):
        if row := store.first("codegraph.file", path=form):
            return [file_node(row[0], row[1], row[2], row[9])]
    # To compare the ends of all paths takes longer than any other part of a question.
    if "::" in relative or ("/" not in relative and "." not in relative):
        return []
    for form in spellings(relative):
        if rows := store.all("codegraph.paths_ending", ending=f"/{form}", limit=_MAX_FILES):
            return [file_node(*row) for row in rows]
    return []


def _place(store: Store, node: CodeNode) -> Place:
    if node.kind != NodeKind.FILE:
        return Place(node.path, node.qualname, f"{node.digest:08x}", node.id, node.line)
    row = nodes_.file_row(store, node.path)
    return Place(node.path, "", row.hash.hex() if row and row.hash else None, node.id)


def in_graph(store: Store, path: str) -> str:
    """Return a path as the graph has it, if it was given as a whole one."""
    path = plain_path(path)
    if not is_whole(path):
        return path
    base = base_of(store)
    inside = below_root(path, str(base))
    return Path(os.path.relpath(path, base)).as_posix() if inside is None else inside


def _at_line(store: Store, path: str, line: int) -> list[CodeNode]:
    """Return the innermost symbol that a line of a file stands in, else the file."""
    around = files(store, path)
    row = nodes_.file_row(store, around[0].path) if len(around) == 1 else None
    if row is None or (row.lines and line > row.lines):
        return []
    ids = [number for (number,) in store.all("codegraph.symbol_ids", file=around[0].id)]
    inside = [node for node in nodes_.nodes(store, ids) if node.line <= line <= node.end_line]
    inside.sort(key=lambda node: (node.end_line - node.line, -node.line))
    return inside[:1] or around


def _by_owner(store: Store, holders: Sequence[CodeNode], name: str) -> list[CodeNode]:
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
    members = _imported(store, [owner for owner in owners if owner.kind == NodeKind.FILE], last)
    members = members or _inherited(store, [n for n in owners if n.kind == NodeKind.CLASS], last)
    return members if members or holders else _modules(store, name)


def _modules(store: Store, name: str) -> list[CodeNode]:
    """Return the files that a dotted name means as a module."""
    parts = name.split(".")
    paths = store.all("codegraph_anchors.paths")
    return nodes_.nodes(store, [number for path, number in paths if is_module(path, parts)])


def _imported(store: Store, modules: Sequence[CodeNode], name: str) -> list[CodeNode]:
    ends = _ends_of(store, modules, "imports")
    return [node for node in nodes_.nodes(store, ends) if nfkc(node.name) == nfkc(name)]


def _inherited(store: Store, classes: Sequence[CodeNode], name: str) -> list[CodeNode]:
    """Return the members of a name of the nearest bases that have one."""
    seen = {node.id for node in classes}
    for _ in range(_MAX_BASES):
        ends = [number for number in _ends_of(store, classes, "inherits") if number not in seen]
        seen.update(ends)
        classes = nodes_.nodes(store, ends)
        members = [
            member
            for base in classes
            for member in _inside(store, files(store, base.path), f"{base.qualname}.{name}")
        ]
        if members or not classes:
            return members
    return []


def _ends_of(store: Store, nodes: Sequence[CodeNode], kind: str) -> list[int]:
    """Return the nodes to which sure edges of a kind lead, in their order."""
    ids, kinds = json.dumps([node.id for node in nodes]), json.dumps([kind])
    rows = store.all("codegraph.edges_from", ids=ids, kinds=kinds, candidates=False)
    return list(dict.fromkeys(end for end, *_ in rows))


def _inside(store: Store, holders: Sequence[CodeNode], name: str) -> list[CodeNode]:
    """Return the symbols of a dotted name in files."""
    ids = [
        number
        for file, form in product(holders, spellings(last_part(name)))
        for (number,) in store.all("codegraph.symbols_named_in", file=file.id, name=form)
    ]
    matches = [node for node in nodes_.nodes(store, ids) if _ends(node.qualname, name)]
    whole = [node for node in matches if nfkc(node.qualname) == nfkc(name)]
    return _class_or_constructors(whole or matches, name)


def _class_or_constructors(nodes: list[CodeNode], name: str) -> list[CodeNode]:
    """Return nodes without the constructors that are called as their class is, where it is among
    them; of `Box.Box` the constructors alone, though a class Box may stand in a file Box."""
    around, _, last = name.rpartition(".")
    named = [node for node in nodes if "constructor" in node.flags and node.name == last]
    if named and last_part(around) == last:
        return named
    classes = {(node.path, node.qualname) for node in nodes if node.kind == NodeKind.CLASS}
    return [
        node
        for node in nodes
        if "constructor" not in node.flags
        or (node.path, node.qualname.rpartition(".")[0]) not in classes
    ]


def _ending(store: Store, name: str) -> list[CodeNode]:
    """Return the symbols whose full name ends with a dotted name."""
    around, dot, last = name.rpartition(".")
    ids: list[int] = []
    if not dot or not last:
        for form in spellings(last_part(name)):
            ids += [number for (number,) in store.all("codegraph.symbols_named", name=form)]
    else:
        for form, place in product(spellings(last), spellings(last_part(around))):
            rows = store.all("codegraph.symbols_named_under", name=form, enclosing=place)
            ids += [number for (number,) in rows]
    matches = nodes_.nodes(store, list(dict.fromkeys(ids)))
    if dot:
        matches = [node for node in matches if _fits(store, node, name)]
    return _class_or_constructors(matches, name)


def _fits(store: Store, node: CodeNode, name: str) -> bool:
    """Whether a name is the end of a symbol's, after its module or the namespace of its file."""
    if nfkc(node.qualname) == nfkc(name) or _ends(dotted(node.path, node.qualname), name):
        return True
    row = nodes_.file_row(store, node.path)
    return row is not None and _ends(f"{row.namespace}.{node.qualname}", name)


def _ends(name: str, ending: str) -> bool:
    return f".{nfkc(name)}".endswith(f".{nfkc(ending)}")


def last_part(name: str) -> str:
    """Return what stands behind the last dot of a name."""
    return name.rpartition(".")[2] or name


def checked(name: str) -> str:
    """Return a name without the spaces around it, nor the sign of a call behind it; raises
    InvalidInput for what is no name."""
    stripped = validation.text(name, name="symbol").strip().removesuffix("()")
    if not stripped or len(stripped) > _LONGEST:
        raise InvalidInput(
            f"symbol {validation.shown(stripped)}: is no name; give one as it stands in the code"
        )
    return stripped


# --- Declarations and what they announce: one symbol in two places, of C a prototype and a body.


def is_announcing(node: CodeNode) -> bool:
    """Return whether a symbol only announces one that is defined elsewhere, or is its other name:
    a prototype, `extern`, a static member in its class, `typedef struct x x`."""
    is_static = node.kind == NodeKind.VARIABLE and "static" in node.flags and "." in node.qualname
    return _declares_apart(node) and (
        is_static or "abstract" in node.flags or "alias" in node.flags
    )


def _declares_apart(node: CodeNode) -> bool:
    return node.language in LANGUAGES and dialect(node.language).declares_apart


def with_declarations(store: Store, targets: Sequence[CodeNode]) -> list[CodeNode]:
    """Return symbols with those that announce them, and with those that they announce: the only
    one, else those whose files include the announcement."""
    symbols = {node.id: node for node in targets}
    for target in filter(_declares_apart, targets):
        is_class = target.kind == NodeKind.CLASS
        rows = store.all("codegraph.symbols_named", name=target.name)
        alike = [
            node
            for node in nodes_.nodes(store, [number for (number,) in rows])
            if node.qualname == target.qualname
            and _declares_apart(node)
            and (node.kind == NodeKind.CLASS) == is_class
        ]
        paths = {node.path for node in alike if not is_announcing(node)}
        for node in alike:
            if is_announcing(node) != is_announcing(target):
                body, announcement = (target, node) if is_announcing(node) else (node, target)
                if _is_announced(store, body, announcement, is_only=len(paths) == 1):
                    symbols.setdefault(node.id, node)
    return list(symbols.values())


def _is_announced(store: Store, body: CodeNode, by: CodeNode, *, is_only: bool) -> bool:
    """Return whether a definition is what a declaration of its name announces."""
    if body.path == by.path:
        return True
    if "private" in body.flags and body.kind != NodeKind.METHOD:
        return False
    return is_only or (by.path,) in store.all("codegraph.imported_files", path=body.path)


# --- Suggestions for unknown names, notes on ambiguous ones.
#
# A name that several symbols have means all of them, and says so: none is guessed.

# Near names that an answer or an error mentions.
NEAR = 5
# Names that are compared letter by letter at most.
_COMPARED = 4000
_CUTOFF = 0.6


def resolve_name(store: Store, name: str) -> list[CodeNode]:
    """Return what a name means; raises NotFound with near names."""
    if matches := exact_matches(store, name):
        return prefer_code(matches)
    is_path = "/" in name and "::" not in name
    near = _near_files(store, name) if is_path else [n.qualified for n in suggest(store, name)]
    hint = f"near names: {', '.join(near)}" if near else "no name is near"
    if reason := _line_not_there(store, name) or _why_not_parsed(store, name.partition("::")[0]):
        hint = reason
    raise NotFound(f"symbol {validation.shown(name)}: not in the code graph; {hint}")


def file_not_found(store: Store, path: str) -> NotFound:
    """Return the error that a path is not in the graph, with files of nearly that name."""
    name = path.replace("\\", "/").rpartition("/")[2]
    forms = spellings(name)
    rows = [r for f in forms for r in store.all("codegraph.paths_ending", ending=f, limit=NEAR)]
    near = [row[1] for row in rows] or _near_files(store, path)
    hint = ", ".join(near) or "none; 'memkit sql codegraph.files' lists all"
    return NotFound(f"file {validation.shown(path)}: not in the code graph; near: {hint}")


def suggest(store: Store, name: str, *, limit: int = NEAR) -> list[CodeNode]:
    """Return symbols whose name has the word in it, or is spelt nearly so, best first."""
    name = nfc(checked(name)).replace("::", ".")
    word = last_part(name)
    names = [
        match
        for form in spellings(word)
        for (match,) in store.all("codegraph.names_like", word=form, limit=limit)
    ]
    if len(names) < limit:
        names += [
            near_name for near_name in _similar_names(store, word, limit) if near_name not in names
        ]
    # One of each name: the others are symbols by it.
    named = [_likest(store, match, name) for match in names]
    likest = [node for node in named if node is not None]
    if word != name:  # in something, whose name tells more than that of the symbol
        likest.sort(key=lambda node: -_likeness(node, name))
    return likest[:limit]


def _likest(store: Store, match: str, name: str) -> CodeNode | None:
    """Return the symbol of a name that stands in what is most like where `name` says that it does;
    the first one if that says nothing."""
    ids = [n for (n,) in store.all("codegraph.symbols_named", name=match)[:MAX_NAMESAKES]]
    symbols = nodes_.nodes(store, ids if last_part(name) != name else ids[:1])
    return max(symbols, key=lambda node: _likeness(node, name), default=None)


def _likeness(node: CodeNode, name: str) -> float:
    from difflib import SequenceMatcher

    written = nfkc(name.rpartition("/")[2]).lower()
    return SequenceMatcher(None, nfkc(node.qualname).lower(), written).ratio()


def _near_files(store: Store, path: str) -> list[str]:
    """Return files whose names are spelt nearly as that of a path and end as it does."""
    import difflib

    stem, dot, ending = path.replace("\\", "/").rpartition("/")[2].rpartition(".")
    by_stem: dict[str, list[str]] = {}
    for row in store.records("codegraph.files"):
        other, has_dot, other_ending = row["path"].rpartition("/")[2].rpartition(".")
        is_like = stem[:1].lower() == other[:1].lower() and abs(len(other) - len(stem)) <= len(stem)
        if is_like and (has_dot, other_ending) == (dot, ending):
            by_stem.setdefault(other, []).append(row["path"])
    stems = difflib.get_close_matches(stem, by_stem, NEAR, _CUTOFF)
    return [near for other in stems for near in sorted(by_stem[other])][:NEAR]


def _similar_names(store: Store, word: str, limit: int) -> list[str]:
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
    alike: dict[str, list[str]] = {}
    for (row_name,) in rows:
        alike.setdefault(nfkc(row_name).lower(), []).append(row_name)
    close = difflib.get_close_matches(nfkc(word).lower(), alike, limit, _CUTOFF)
    return [row_name for near_name in close for row_name in alike[near_name]][:limit]


def _line_not_there(store: Store, name: str) -> str:
    """Return how many lines a file has of which one was asked for that is not there."""
    at = AT_LINE.fullmatch(name.strip())
    matches = files(store, at[1]) if at else []
    row = nodes_.file_row(store, matches[0].path) if len(matches) == 1 else None
    return f"{row.path} has {row.lines} lines" if row else ""


def _why_not_parsed(store: Store, path: str) -> str:
    """Return why a file is not parsed, "" if it is or is not known."""
    row = nodes_.file_row(store, in_graph(store, path)) if "." in path else None
    if row is None or row.status == FileStatus.PARSED:
        return ""
    return f"{row.path} is not parsed: {row.reason or 'of no known language'}"


def ambiguity(name: str, matches: list[CodeNode]) -> tuple[str, ...]:
    """Return the note that a name means several things; none if it means one.

    Overloads, definitions of which one holds at a time, and what announces a definition have one
    name and are one thing.
    """
    defined = {node.qualname for node in matches if not is_announcing(node)}
    names = list(
        dict.fromkeys(
            node.qualified
            for node in matches
            if not is_announcing(node) or node.qualname not in defined
        )
    )
    if len(names) < 2:
        return ()
    listed = ", ".join(names[:NEAR])
    more = f" and {len(names) - NEAR} more" if len(names) > NEAR else ""
    kinds = "files" if all(node.kind == NodeKind.FILE for node in matches) else "symbols"
    return (f"{name!r} means {len(names)} {kinds}: {listed}{more}; all are taken",)
