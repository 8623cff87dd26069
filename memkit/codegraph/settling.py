"""What memories were said to be about before the code was known: noted when it is first read.

Of a place that nobody could look at nothing is noted but its name, and by a name alone no change
would ever be told. How it reads when it is first seen is the nearest there is to what was meant.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from .naming import as_noted
from .places import Place

if TYPE_CHECKING:
    from ..store.store import Row, Store


def settle(store: Store, paths: Sequence[str] | None = None) -> None:
    """Note the place and text of all that memories are about of which only the name was known; with
    `paths` only of what is noted in these files. A name of several places stays as it is."""
    wanted = None if paths is None else json.dumps(list(paths))
    rows = store.all("codegraph_anchors.unsettled", paths=wanted)
    meant = {(path, symbol): _meant(store, path, symbol) for _, path, symbol in rows}
    found = [(row, place) for row in rows if (place := meant[row[1], row[2]]) is not None]
    if found:
        store.write(lambda: _note(store, found))


def _meant(store: Store, path: str, symbol: str) -> Place | None:
    places = as_noted(store, f"{path}::{symbol}" if symbol else path)
    return places[0] if len(places) == 1 and places[0].hash else None


def _note(store: Store, found: Sequence[tuple[Row, Place]]) -> None:
    at = store.now()
    for (number, name, part), place in found:
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
