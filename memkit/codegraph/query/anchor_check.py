"""Anchor check: is an anchor valid, moved or stale; late anchoring once an index is done."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ...anchors import AnchorState, Checked, Noted
from ...errors import InvalidInput
from ..index.workspace import Follow, Watch
from .symbol_lookup import (
    MOST_NAMESAKES,
    Place,
    as_noted,
    in_code,
    in_text,
    named,
    named_at,
    one_a_symbol,
    outright,
    reading,
)

if TYPE_CHECKING:
    from ...store.store import Row, Store


# --- Whether what a memory is about is still there, and still what it was.
#
# A symbol is compared by the digest of its own text without its name, so that a move, another
# name, other line ends or an edit beside it change nothing, with git or without. Any number of
# anchors costs the same few queries.

# Places that an error about an ambiguous name lists.
_SHOWN = 4
# Symbols of one name that are looked at where only one would do.
_MOST_ALIKE = 8


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
    def _has_tree(self) -> bool:
        """Whether any source lies beside the store. Where none does (the file alone was copied
        elsewhere), nothing is gone: nothing is known of what was there once."""
        return bool(self._store.value("codegraph_anchors.has_source"))

    def locate(self, about: Sequence[str], text: str) -> list[Noted | str]:
        """Return the place of each name of `about`, then of what the text names.

        Files that were edited since they were indexed are indexed again first: what is said now is
        about what they are now. A name that the code graph does not know comes back as it is. Only
        for what was named outright is a file's content noted, else "": a text that mentions a file
        says nothing about every line of it. Raises InvalidInput for a name that means several.
        """
        if not self.has_code:
            return list(about)
        about_places, text_places = self._meant(about, text)
        doubtful = any(len(places) != 1 for places in about_places) and self._watch.follow()
        paths = [place.path for places in (*about_places, text_places) for place in places]
        if not self.up_to_date(paths) or doubtful:
            about_places, text_places = self._meant(about, text)
        located = [_one(*pair) for pair in zip(about, about_places, strict=True)]
        known = {(anchor.path, anchor.symbol) for anchor in located if not isinstance(anchor, str)}
        located += [
            Noted(place.path, place.symbol, place.hash if place.symbol else "")
            for place in text_places
            if (place.path, place.symbol) not in known
        ]
        behind = self._watch.behind(paths)
        return [
            anchor if isinstance(anchor, str) else _as_it_lies(anchor, behind) for anchor in located
        ]

    def named_in(self, text: str) -> list[Place]:
        """Return the symbols that a text names beyond doubt: by a qualified name, or spelt as
        names are in code (`check_token`, `check_token()`) with a single symbol of that name."""
        if not self.has_code:
            return []
        # Imported here: without a code graph nothing is searched.
        from .code_search import understand

        certain = [place for place in in_text(self._store, text) if place.symbol]
        spelt = list(understand(text).spelt)
        alike: dict[str, list[Place]] = {}
        for place in in_code(named(self._store, spelt, limit=_MOST_ALIKE) if spelt else ()):
            alike.setdefault(place.symbol.rpartition(".")[2], []).append(place)
        certain += [places[0] for places in alike.values() if len(places) == 1]
        return list(dict.fromkeys(certain))

    def nodes(self, name: str) -> list[Place]:
        """Return the places that a path or symbol name may mean."""
        return outright(self._store, name) if self.has_code else []

    def check(self, anchors: Sequence[Noted]) -> list[Checked]:
        """Return what became of each anchor, in their order.

        Files that were edited since they were indexed are indexed again first.
        """
        checks = self.known(anchors)
        paths = [*(one.path for one in anchors), *(one.path for one in checks)]
        return checks if self.up_to_date(paths) else self.known(anchors)

    def up_to_date(self, paths: Sequence[str]) -> bool:
        """Let the graph follow these files; return whether none of them had changed."""
        return not paths or not self.has_code or self._watch.up_to_date(paths)

    def known(self, anchors: Sequence[Noted]) -> list[Checked]:
        """Return what became of each anchor by the graph as it is; no file is looked at but those
        that the graph does not know, or could not follow."""
        if not anchors or not self.has_code:
            return [Checked(AnchorState.UNKNOWN, anchor.path, anchor.symbol) for anchor in anchors]
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
        places = [*(one.path for one in anchors), *(one.path for one in checks)]
        behind = self._watch.behind(places)
        checked = [_doubted(*pair, behind) for pair in zip(anchors, checks, strict=True)]
        return checked if self._has_tree else [_without_tree(check) for check in checked]

    def _meant(self, about: Iterable[str], text: str) -> tuple[list[list[Place]], list[Place]]:
        """Return the places of each name, and those that a text names."""
        return [outright(self._store, name) for name in about], in_text(self._store, text)

    def _symbols(self, anchors: Sequence[Noted]) -> dict[Noted, list[Place]]:
        """Return the places that each anchor may mean: of its name those where it says, or if it is
        not there, those elsewhere, and those beside it that read as it did."""
        in_place = (
            named_at(self._store, ((anchor.path, anchor.name) for anchor in anchors))
            if anchors
            else []
        )
        present = {(place.path, place.symbol) for place in in_place}
        missing = [anchor for anchor in anchors if (anchor.path, anchor.symbol) not in present]
        elsewhere = named(self._store, {anchor.name for anchor in missing}) if missing else []
        texts = {(anchor.path, anchor.hash) for anchor in missing if anchor.hash}
        same_text = reading(self._store, texts) if texts else []
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

    def unread(self, anchor: Noted) -> Checked | None:
        """Return what can be said of a symbol in a file that was left out, None for all others."""
        reason = self._unread.get(anchor.path) if anchor.symbol else None
        if reason is None:
            return None
        change = f"{anchor.path} is not parsed ({reason}): what it defines is not known"
        return Checked(AnchorState.UNKNOWN, anchor.path, anchor.symbol, None, change)

    def check(self, anchor: Noted) -> Checked:
        """Return what became of a file."""
        path, digest = anchor.path, anchor.hash
        node, content = self._there.get(path) or (None, self._content(path))
        if content is None:
            return self._elsewhere(path, digest)
        if not digest or digest == content:
            return Checked(AnchorState.VALID, path, "", node)
        return Checked(AnchorState.STALE, path, "", node, f"{path} has changed since")

    def _elsewhere(self, path: str, digest: str | None) -> Checked:
        """Return where a file that is not there may be now."""
        if digest:
            hashes = json.dumps([digest])
            same = self._store.all("codegraph_anchors.files_holding", hashes=hashes)
            if same:
                return _moved(path, same[0][1])
        base = json.dumps([path.rpartition("/")[2]])
        rows = self._store.all("codegraph_anchors.files_called", names=base, limit=MOST_NAMESAKES)
        if len(rows) == 1:
            moved = _moved(path, rows[0][1])
            if not digest or digest == rows[0][3]:
                return moved
            change = f"{moved.change} and has changed since"
            return attrs.evolve(moved, state=AnchorState.STALE, change=change)
        symbols = as_noted(self._store, path)
        if len(symbols) == 1:  # a qualified name that was noted before there was a code graph
            return Checked(AnchorState.VALID, symbols[0].path, symbols[0].symbol, symbols[0].node)
        return _lost(digest, path, "", f"{path} is not there")


def _one(name: str, places: Sequence[Place]) -> Noted | str:
    """Return the place of a name, or the name if it is not known; raises InvalidInput for
    several."""
    if len(places) > 1:
        listed = ", ".join(str(place) for place in places[:_SHOWN])
        raise InvalidInput(f"about: {name!r} means {len(places)} places: {listed}; name one")
    return Noted(places[0].path, places[0].symbol, places[0].hash) if places else name


def _as_it_lies(noted: Noted, behind: Mapping[str, str | None]) -> Noted:
    """Return a place as it is now: the graph tells nothing of a file that it could not follow."""
    if noted.path not in behind or noted.hash == "":
        return noted
    return attrs.evolve(noted, hash=None if noted.symbol else behind[noted.path])


def _doubted(anchor: Noted, check: Checked, behind: Mapping[str, str | None]) -> Checked:
    """Return what can be said of a place whose file the graph could not follow: of a file what its
    bytes tell, of a symbol only that it is not known."""
    path = next((path for path in (anchor.path, check.path) if path in behind), None)
    if path is None or anchor.hash is None:
        return check
    held = behind[path]
    if held is None:
        change = f"{path} is not there any more; where it went 'memkit index' tells"
        return Checked(AnchorState.UNKNOWN, anchor.path, anchor.symbol, None, change)
    if anchor.symbol:
        change = f"{path} has changed since it was indexed; run 'memkit index'"
        return Checked(AnchorState.UNKNOWN, anchor.path, anchor.symbol, check.node, change)
    if not anchor.hash or anchor.hash == held:
        return Checked(AnchorState.VALID, path, "", check.node)
    return Checked(AnchorState.STALE, path, "", check.node, f"{path} has changed since")


def _without_tree(check: Checked) -> Checked:
    """Return what can be said of a place where no source lies beside the store: not that it has
    changed or is gone, only that what was never there is not there either."""
    if check.state not in (AnchorState.GONE, AnchorState.STALE):
        return check
    return Checked(AnchorState.UNKNOWN, check.path, check.symbol)


def _check_symbol(anchor: Noted, places: Sequence[Place]) -> Checked:
    """Return what became of a symbol, of the places that bear its name."""
    places = one_a_symbol(places)
    here = [place for place in places if (place.path, place.symbol) == (anchor.path, anchor.symbol)]
    same = [place for place in places if place.hash == anchor.hash]
    renamed = [place for place in same if _is_renamed(anchor, place)]
    unchanged = [place for place in here if anchor.hash in (None, place.hash)]
    if unchanged:
        return _at(AnchorState.VALID, unchanged[0], "")
    if here:
        change = f"{anchor.symbol} in {anchor.path} has changed since"
        return _at(AnchorState.STALE, here[0], change)
    if same_name := [place for place in same if place not in renamed]:
        return _at(AnchorState.MOVED, _nearest(anchor, same_name), "", moved_from=anchor)
    if len(renamed) == 1:
        return _at(AnchorState.MOVED, renamed[0], "", moved_from=anchor)
    alike = in_code(place for place in places if place.symbol == anchor.symbol)
    if len({place.path for place in alike}) == 1:
        if anchor.hash is None:
            return _at(AnchorState.MOVED, alike[0], "", moved_from=anchor)
        # It may have been there before: that the name is the same is all that is known.
        change = f"{anchor.symbol} is not in {anchor.path} any more; {alike[0]} has its name"
        return _at(AnchorState.STALE, alike[0], change)
    return _lost(
        anchor.hash, anchor.path, anchor.symbol, f"{anchor.symbol} is not in {anchor.path}"
    )


def _is_renamed(anchor: Noted, place: Place) -> bool:
    """Whether a place that reads like an anchor's may be that under another name: in the same file
    and class. Elsewhere it is as likely a copy."""
    around, _, name = place.symbol.rpartition(".")
    is_beside = (place.path, around) == (anchor.path, anchor.symbol.rpartition(".")[0])
    return is_beside and name != anchor.name


def _lost(noted: str | None, path: str, symbol: str, change: str) -> Checked:
    """Return what can be said of something that is nowhere: it is gone if it ever was there."""
    if noted is None:
        return Checked(AnchorState.UNKNOWN, path, symbol, None, change)
    return Checked(AnchorState.GONE, path, symbol, None, f"{change} any more")


def _at(
    state: AnchorState, place: Place, change: str, *, moved_from: Noted | None = None
) -> Checked:
    if moved_from is not None:
        was = f"{moved_from.path}::{moved_from.symbol}"
        change = f"{was} is now {place}{change}"
    return Checked(state, place.path, place.symbol, place.node, change)


def _nearest(anchor: Noted, places: Sequence[Place]) -> Place:
    """Return the place that keeps most of its former name."""
    return max(places, key=lambda place: (place.symbol == anchor.symbol, place.path == anchor.path))


def _moved(path: str, to: str) -> Checked:
    return Checked(AnchorState.MOVED, to, "", None, f"{path} is now {to}")


# --- What memories were said to be about before the code was known: noted when it is first read.
#
# Of a place that nobody could look at nothing is noted but its name, and by a name alone no
# change would ever be told. How it reads when it is first seen is the nearest there is to what
# was meant.


def settle(store: Store, paths: Sequence[str] | None = None) -> None:
    """Note the place and text of all that memories are about of which only the name was known; with
    `paths` only of what is noted in these files. A name of several places stays as it is."""
    listed = None if paths is None else json.dumps(list(paths))
    rows = store.all("codegraph_anchors.unsettled", paths=listed)
    resolved = {(path, symbol): _meant(store, path, symbol) for _, path, symbol in rows}
    matches = [(row, place) for row in rows if (place := resolved[row[1], row[2]]) is not None]
    if matches:
        store.write(lambda: _note(store, matches))


def _meant(store: Store, path: str, symbol: str) -> Place | None:
    places = as_noted(store, f"{path}::{symbol}" if symbol else path)
    return places[0] if len(places) == 1 and places[0].hash else None


def _note(store: Store, matches: Sequence[tuple[Row, Place]]) -> None:
    at = store.now()
    for (number, name, part), place in matches:
        named = {"id": number, "name": name, "part": part}
        store.run(
            "codegraph_anchors.note",
            path=place.path,
            symbol=place.symbol,
            hash=place.hash,
            at=at,
            **named,
        )
        store.run("codegraph_anchors.unnote", **named)
