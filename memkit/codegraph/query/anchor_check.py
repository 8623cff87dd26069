"""Anchor check: is an anchor valid, moved or stale; late anchoring once an index is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ...anchors import AnchorCheck, AnchorState, CodeAnchor, unknown
from ...errors import InvalidInput
from ..index.workspace import Follow, Watch
from .symbol_lookup import (
    MAX_NAMESAKES,
    Place,
    find_places,
    find_stored_places,
    merge_overloads,
    places_in_text,
    places_named,
    places_named_at,
    places_with_text,
    without_sections,
)

if TYPE_CHECKING:
    from ...store.store import Row, Store


# --- Anchor checks: valid, moved, stale or gone.
#
# A symbol is compared by the digest of its own text without its name, so that a move, another
# name, other line ends or an edit beside it change nothing, with git or without. Any number of
# anchors costs the same few queries.

# Places that an error about an ambiguous name lists.
_SHOWN = 4
# Symbols of one name that are looked at where only one would do.
_MAX_NAMESAKES = 8


class Anchoring:
    """Anchors of one store's memories in its code graph."""

    def __init__(self, store: Store, follow: Follow = lambda: None) -> None:
        """`follow` brings the code graph up to date, if that is quick."""
        self._store = store
        self._watch = Watch(store, follow)
        self._has_code: tuple[object, bool] = (None, False)

    @property
    def has_code(self) -> bool:
        """Whether there is a code graph; asked again only when the file has changed."""
        state = self._store.state()
        if self._has_code[0] != state:
            self._has_code = (state, bool(self._store.value("codegraph_anchors.has_code")))
        return self._has_code[1]

    @property
    def _has_source(self) -> bool:
        """Whether any source lies beside the store. Where none does (the file alone was copied
        elsewhere), nothing is gone: nothing is known of what was there once."""
        return bool(self._store.value("codegraph_anchors.has_source"))

    def locate(self, about: Sequence[str], text: str) -> list[CodeAnchor | str]:
        """Return the place of each name of `about`, then of what the text names.

        Files that were edited since they were indexed are indexed again first: what is said now is
        about what they are now. A name that the code graph does not know comes back as it is. Only
        for what was named outright is a file's content noted, else "": a text that mentions a file
        says nothing about every line of it. Raises InvalidInput for a name that means several.
        """
        if not self.has_code:
            return list(about)
        about_places, text_places = self._named_places(about, text)
        doubtful = any(len(places) != 1 for places in about_places) and self._watch.follow()
        paths = [place.path for places in (*about_places, text_places) for place in places]
        if not self.up_to_date(paths) or doubtful:
            about_places, text_places = self._named_places(about, text)
        located = [_single_anchor(*pair) for pair in zip(about, about_places, strict=True)]
        known = {(anchor.path, anchor.symbol) for anchor in located if not isinstance(anchor, str)}
        located += [
            CodeAnchor(place.path, place.symbol, place.hash if place.symbol else "")
            for place in text_places
            if (place.path, place.symbol) not in known
        ]
        behind = self._watch.behind(paths)
        return [
            anchor if isinstance(anchor, str) else _as_on_disk(anchor, behind) for anchor in located
        ]

    def named_in(self, text: str) -> list[Place]:
        """Return the symbols that a text names beyond doubt: by a qualified name, or spelt as
        names are in code (`check_token`, `check_token()`) with a single symbol of that name."""
        if not self.has_code:
            return []
        # Imported here: without a code graph nothing is searched.
        from .code_search import analyze_query

        certain = [place for place in places_in_text(self._store, text) if place.symbol]
        spelt = list(analyze_query(text).spelt)
        alike: dict[str, list[Place]] = {}
        for place in without_sections(
            places_named(self._store, spelt, limit=_MAX_NAMESAKES) if spelt else ()
        ):
            alike.setdefault(place.symbol.rpartition(".")[2], []).append(place)
        certain += [places[0] for places in alike.values() if len(places) == 1]
        return list(dict.fromkeys(certain))

    def nodes(self, name: str) -> list[Place]:
        """Return the places that a path or symbol name may mean."""
        return find_places(self._store, name) if self.has_code else []

    def check(self, anchors: Sequence[CodeAnchor]) -> list[AnchorCheck]:
        """Return what became of each anchor, in their order.

        Files that were edited since they were indexed are indexed again first.
        """
        checks = self.known(anchors)
        paths = [*(anchor.path for anchor in anchors), *(anchor.path for anchor in checks)]
        return checks if self.up_to_date(paths) else self.known(anchors)

    def up_to_date(self, paths: Sequence[str]) -> bool:
        """Let the graph follow these files; return whether none of them had changed."""
        return not paths or not self.has_code or self._watch.up_to_date(paths)

    def known(self, anchors: Sequence[CodeAnchor]) -> list[AnchorCheck]:
        """Return what became of each anchor by the graph as it is; no file is looked at but those
        that the graph does not know, or could not follow."""
        if not anchors or not self.has_code:
            return unknown(anchors)
        files = _Files(self._store, self._watch.content, (anchor.path for anchor in anchors))
        symbols = self._symbols([anchor for anchor in anchors if anchor.symbol])
        checks = [
            files.unread(anchor)
            or (
                _check_symbol(anchor, symbols.get(anchor, ()))
                if anchor.symbol
                else files.check(anchor)
            )
            for anchor in anchors
        ]
        places = [*(anchor.path for anchor in anchors), *(anchor.path for anchor in checks)]
        behind = self._watch.behind(places)
        checked = [_without_graph(*pair, behind) for pair in zip(anchors, checks, strict=True)]
        return checked if self._has_source else [_without_tree(check) for check in checked]

    def _named_places(
        self, about: Iterable[str], text: str
    ) -> tuple[list[list[Place]], list[Place]]:
        """Return the places of each name, and those that a text names."""
        return [find_places(self._store, name) for name in about], places_in_text(self._store, text)

    def _symbols(self, anchors: Sequence[CodeAnchor]) -> dict[CodeAnchor, list[Place]]:
        """Return the places that each anchor may mean: of its name those where it says, or if it is
        not there, those elsewhere, and those beside it that read as it did."""
        in_place = (
            places_named_at(self._store, ((anchor.path, anchor.name) for anchor in anchors))
            if anchors
            else []
        )
        present = {(place.path, place.symbol) for place in in_place}
        missing = [anchor for anchor in anchors if (anchor.path, anchor.symbol) not in present]
        elsewhere = (
            places_named(self._store, {anchor.name for anchor in missing}) if missing else []
        )
        texts = {(anchor.path, anchor.hash) for anchor in missing if anchor.hash}
        same_text = places_with_text(self._store, texts) if texts else []
        symbols: dict[str, list[Place]] = {}
        for place in dict.fromkeys((*in_place, *elsewhere)):  # of both: twice it would be two alike
            symbols.setdefault(place.symbol.rpartition(".")[2], []).append(place)
        return {
            anchor: [
                *symbols.get(anchor.name, ()),
                *(p for p in same_text if _is_renamed(anchor, p)),
            ]
            for anchor in anchors
        }


class _Files:
    """Files that anchors name, and where those that are not there may be now."""

    def __init__(
        self, store: Store, content: Callable[[str], str | None], paths: Iterable[str]
    ) -> None:
        distinct = list(dict.fromkeys(paths))
        self._store = store
        self._content = content
        rows = (
            store.all("codegraph_anchors.files_at", paths=json.dumps(distinct)) if distinct else []
        )
        self._there = {path: (node, content) for path, node, content, *_ in rows}
        self._unread = {path: reason for path, *_, reason in rows if reason}

    def unread(self, anchor: CodeAnchor) -> AnchorCheck | None:
        """Return what can be said of a symbol in a file that was left out, None for all others."""
        reason = self._unread.get(anchor.path) if anchor.symbol else None
        if reason is None:
            return None
        change = f"{anchor.path} is not parsed ({reason}): what it defines is not known"
        return AnchorCheck(AnchorState.UNKNOWN, anchor.path, anchor.symbol, None, change)

    def check(self, anchor: CodeAnchor) -> AnchorCheck:
        """Return what became of a file."""
        path, digest = anchor.path, anchor.hash
        node, content = self._there.get(path) or (None, self._content(path))
        if content is None:
            return self._elsewhere(path, digest)
        if not digest or digest == content:
            return AnchorCheck(AnchorState.VALID, path, "", node)
        return AnchorCheck(AnchorState.STALE, path, "", node, f"{path} has changed since")

    def _elsewhere(self, path: str, digest: str | None) -> AnchorCheck:
        """Return where a file that is not there may be now."""
        if digest:
            hashes = json.dumps([digest])
            same = self._store.all("codegraph_anchors.files_holding", hashes=hashes)
            if same:
                return _moved(path, same[0][1])
        base = json.dumps([path.rpartition("/")[2]])
        rows = self._store.all("codegraph_anchors.files_called", names=base, limit=MAX_NAMESAKES)
        if len(rows) == 1:
            moved = _moved(path, rows[0][1])
            if not digest or digest == rows[0][3]:
                return moved
            change = f"{moved.change} and has changed since"
            return attrs.evolve(moved, state=AnchorState.STALE, change=change)
        symbols = find_stored_places(self._store, path)
        if len(symbols) == 1:  # a qualified name that was noted before there was a code graph
            return _at(AnchorState.VALID, symbols[0])
        return _missing(digest, path, "", f"{path} is not there")


def _single_anchor(name: str, places: Sequence[Place]) -> CodeAnchor | str:
    """Return the place of a name, or the name if it is not known; raises InvalidInput for
    several."""
    if len(places) > 1:
        listed = ", ".join(str(place) for place in places[:_SHOWN])
        raise InvalidInput(f"about: {name!r} means {len(places)} places: {listed}; name one")
    return CodeAnchor(places[0].path, places[0].symbol, places[0].hash) if places else name


def _as_on_disk(noted: CodeAnchor, behind: Mapping[str, str | None]) -> CodeAnchor:
    """Return a place as it is now: the graph tells nothing of a file that it could not follow."""
    if noted.path not in behind or noted.hash == "":
        return noted
    return attrs.evolve(noted, hash=None if noted.symbol else behind[noted.path])


def _without_graph(
    anchor: CodeAnchor, check: AnchorCheck, behind: Mapping[str, str | None]
) -> AnchorCheck:
    """Return what can be said of a place whose file the graph could not follow: of a file what its
    bytes tell, of a symbol only that it is not known."""
    path = next((path for path in (anchor.path, check.path) if path in behind), None)
    if path is None or anchor.hash is None:
        return check
    held = behind[path]
    if held is None:
        change = f"{path} is not there any more; where it went 'memkit index' tells"
        return AnchorCheck(AnchorState.UNKNOWN, anchor.path, anchor.symbol, None, change)
    if anchor.symbol:
        change = f"{path} has changed since it was indexed; run 'memkit index'"
        return AnchorCheck(AnchorState.UNKNOWN, anchor.path, anchor.symbol, check.node, change)
    if not anchor.hash or anchor.hash == held:
        return AnchorCheck(AnchorState.VALID, path, "", check.node)
    return AnchorCheck(AnchorState.STALE, path, "", check.node, f"{path} has changed since")


def _without_tree(check: AnchorCheck) -> AnchorCheck:
    """Return what can be said of a place where no source lies beside the store: not that it has
    changed or is gone, only that what was never there is not there either."""
    if check.state not in (AnchorState.GONE, AnchorState.STALE):
        return check
    return AnchorCheck(AnchorState.UNKNOWN, check.path, check.symbol)


def _check_symbol(anchor: CodeAnchor, places: Sequence[Place]) -> AnchorCheck:
    """Return what became of a symbol, of the places that bear its name."""
    places = merge_overloads(places)
    here = [place for place in places if (place.path, place.symbol) == (anchor.path, anchor.symbol)]
    same = [place for place in places if place.hash == anchor.hash]
    renamed = [place for place in same if _is_renamed(anchor, place)]
    unchanged = [place for place in here if anchor.hash in (None, place.hash)]
    if unchanged:
        return _at(AnchorState.VALID, unchanged[0])
    if here:
        return _at(
            AnchorState.STALE, here[0], f"{anchor.symbol} in {anchor.path} has changed since"
        )
    if same_name := [place for place in same if place not in renamed]:
        return _moved_to(_nearest(anchor, same_name), anchor)
    if len(renamed) == 1:
        return _moved_to(renamed[0], anchor)
    alike = without_sections(place for place in places if place.symbol == anchor.symbol)
    if len({place.path for place in alike}) == 1:
        if anchor.hash is None:
            return _moved_to(alike[0], anchor)
        # It may have been there before: that the name is the same is all that is known.
        change = f"{anchor.symbol} is not in {anchor.path} any more; {alike[0]} has its name"
        return _at(AnchorState.STALE, alike[0], change)
    return _missing(
        anchor.hash, anchor.path, anchor.symbol, f"{anchor.symbol} is not in {anchor.path}"
    )


def _is_renamed(anchor: CodeAnchor, place: Place) -> bool:
    """Whether a place that reads like an anchor's may be that under another name: in the same file
    and class. Elsewhere it is as likely a copy."""
    around, _, name = place.symbol.rpartition(".")
    is_beside = (place.path, around) == (anchor.path, anchor.symbol.rpartition(".")[0])
    return is_beside and name != anchor.name


def _missing(noted: str | None, path: str, symbol: str, change: str) -> AnchorCheck:
    """Return what can be said of something that is nowhere: it is gone if it ever was there."""
    if noted is None:
        return AnchorCheck(AnchorState.UNKNOWN, path, symbol, None, change)
    return AnchorCheck(AnchorState.GONE, path, symbol, None, f"{change} any more")


def _at(state: AnchorState, place: Place, change: str = "") -> AnchorCheck:
    return AnchorCheck(state, place.path, place.symbol, place.node, change)


def _moved_to(place: Place, anchor: CodeAnchor) -> AnchorCheck:
    return _at(AnchorState.MOVED, place, f"{anchor.path}::{anchor.symbol} is now {place}")


def _nearest(anchor: CodeAnchor, places: Sequence[Place]) -> Place:
    """Return the place that keeps most of its former name."""
    return max(places, key=lambda place: (place.symbol == anchor.symbol, place.path == anchor.path))


def _moved(path: str, to: str) -> AnchorCheck:
    return AnchorCheck(AnchorState.MOVED, to, "", None, f"{path} is now {to}")


# --- Late anchoring: names that memories gave before the code was indexed.
#
# Of a place that nobody could look at nothing is noted but its name, and by a name alone no
# change would ever be told. How it reads when it is first seen is the nearest there is to what
# was meant.


def anchor_late(store: Store, paths: Sequence[str] | None = None) -> None:
    """Note the place and text of all that memories are about of which only the name was known; with
    `paths` only of what is noted in these files. A name of several places stays as it is."""
    listed = None if paths is None else json.dumps(list(paths))
    rows = store.all("codegraph_anchors.names_only", paths=listed)
    resolved = {(path, symbol): _only_place(store, path, symbol) for _, path, symbol in rows}
    matches = [(row, place) for row in rows if (place := resolved[row[1], row[2]]) is not None]
    if matches:
        store.write(lambda: _write_anchors(store, matches))


def _only_place(store: Store, path: str, symbol: str) -> Place | None:
    places = find_stored_places(store, f"{path}::{symbol}" if symbol else path)
    return places[0] if len(places) == 1 and places[0].hash else None


def _write_anchors(store: Store, matches: Sequence[tuple[Row, Place]]) -> None:
    at = store.now()
    for (number, name, part), place in matches:
        named = {"id": number, "name": name, "part": part}
        store.run(
            "codegraph_anchors.set_anchor",
            path=place.path,
            symbol=place.symbol,
            hash=place.hash,
            at=at,
            **named,
        )
        store.run("codegraph_anchors.drop_name", **named)
