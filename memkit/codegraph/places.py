"""Places in the code: files and symbols by name, and those that a text names.

`src/app.py`, `app.py`, `app.py::App.run`, `pkg.app.App.run`, `App.run`, `App::run`. What in a text
fits two places means neither: a wrong anchor is worse than none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from itertools import product
from typing import TYPE_CHECKING

import attrs

from ..text.analyzer import nfc, nfkc, spellings
from .kinds import NodeKind
from .wording import MODULE_NAMES

if TYPE_CHECKING:
    from ..store.store import Row, Store

# Symbols of one name that are looked at: a large tree has thousands of `__init__`.
MOST_NAMESAKES = 200
# Read of a text in which names are looked for, and names tried.
MOST_CHARS = 20_000
MOST_NAMES = 100

# Bits of a digest, of which several are added up; the view `stale` does the same.
_DIGEST = 0xFFFF_FFFF

_JOINT = re.compile(r"::|[.#]")
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
    return [part for part in _JOINT.split(name) if part]


def _last(name: str) -> str:
    return (_parts(name) or [name])[-1]
