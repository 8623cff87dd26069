"""Anchors of memories: what code a memory is about, asked through a protocol.

What is where in the code is not known here: an object that does know is passed in.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import attrs

from ..anchors import AnchorCheck, CodeAnchor, unknown
from ..errors import InvalidInput
from ..text.patterns import lazy_pattern
from .identity import relative_path
from .records import Anchor, Memory

Locate = Callable[[Sequence[str], str], tuple[CodeAnchor, ...]]
_ANCHOR = lazy_pattern(r"(?P<path>.+?)(?:::(?P<symbol>.+))?")


class CodeAnchors(Protocol):
    """Protocol of what knows the code: names to places, and the state of places."""

    def locate(self, about: Sequence[str], text: str) -> Sequence[CodeAnchor | str]:
        """Return the place of each name and of what the text names; a name that is not known
        as it is."""
        ...

    def check(self, anchors: Sequence[CodeAnchor]) -> Sequence[AnchorCheck]:
        """Return what became of each anchor, in their order."""
        ...


def anchor(name: str) -> CodeAnchor:
    """Return the anchor that is written `path` or `path::qualified.name`."""
    match = _ANCHOR.fullmatch(name.strip())
    if not match:
        raise InvalidInput(f"about: {name!r} names nothing; give src/app.py or src/app.py::App.run")
    return CodeAnchor(relative_path(match["path"]), match["symbol"] or "")


class LateCodeAnchors:
    """Code anchors that are made once something about code is asked.

    Most commands ask nothing of the kind, and what knows the code loads as long as half of them.
    """

    def __init__(self, make: Callable[[], CodeAnchors], has_code: Callable[[], bool]) -> None:
        """`has_code` tells without loading it whether any code was indexed."""
        self._make = make
        self._has_code = has_code

    def locate(self, about: Sequence[str], text: str) -> Sequence[CodeAnchor | str]:
        return self._make().locate(about, text) if self._has_code() else about

    def check(self, anchors: Sequence[CodeAnchor]) -> Sequence[AnchorCheck]:
        return self._make().check(anchors) if self._has_code() else unknown(anchors)


def located(code: CodeAnchors, about: Sequence[str], text: str) -> tuple[CodeAnchor, ...]:
    """Return what a memory is about, each place once."""
    places = code.locate(about, text)
    anchors = [anchor(place) if isinstance(place, str) else place for place in places]
    return tuple({(place.path, place.symbol): place for place in anchors}.values())


def verified(code: CodeAnchors, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories with what became of their anchors; one look for any number of them."""
    anchors = [place for memory in memories for place in memory.about]
    checked = code.check([place.noted for place in anchors]) if anchors else ()
    if not checked:
        return list(memories)
    results = {place.noted: result for place, result in zip(anchors, checked, strict=True)}
    return [with_states(memory, results) for memory in memories]


def with_states(memory: Memory, results: Mapping[CodeAnchor, AnchorCheck]) -> Memory:
    """Return a memory with what became of those of its anchors of which that is known."""
    if not memory.about or not results:
        return memory
    known = ((place, results.get(place.noted)) for place in memory.about)
    about = tuple(
        place if result is None else _with_state(place, result) for place, result in known
    )
    return attrs.evolve(memory, about=about)


def _with_state(place: Anchor, result: AnchorCheck) -> Anchor:
    moved = (result.path, result.symbol) != (place.path, place.symbol)
    now = f"{result.path}::{result.symbol}" if result.symbol else result.path
    return attrs.evolve(place, state=result.state, change=result.change, now=now if moved else None)
