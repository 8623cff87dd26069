"""Anchors of memories: what code a memory is about, asked through a protocol.

What is where in the code is not known here: an object that does know is passed in.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

import attrs

from ..anchors import AnchorCheck, CodeAnchor
from ..errors import InvalidInput
from .identity import relative_path
from .records import Anchor, Memory

Locate = Callable[[Sequence[str], str], tuple[CodeAnchor, ...]]
_ANCHOR = re.compile(r"(?P<path>.+?)(?:::(?P<symbol>.+))?")


class Code(Protocol):
    """Something that knows the code: names to places, and what became of places."""

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


def as_written(about: Sequence[str], _: str = "") -> tuple[CodeAnchor, ...]:
    """Return the anchors that names are, as they are written."""
    return tuple(dict.fromkeys(map(anchor, about)))


class NoCode:
    """Knows no code: names are taken as they are written, and of anchors nothing is said."""

    def locate(self, about: Sequence[str], text: str) -> Sequence[CodeAnchor | str]:
        """Return the names as they are."""
        return about

    def check(self, anchors: Sequence[CodeAnchor]) -> Sequence[AnchorCheck]:
        """Return nothing: the anchors stay as they are."""
        return ()


def located(code: Code, about: Sequence[str], text: str) -> tuple[CodeAnchor, ...]:
    """Return what a memory is about, each place once."""
    found = code.locate(about, text)
    anchors = [anchor(one) if isinstance(one, str) else one for one in found]
    return tuple({(one.path, one.symbol): one for one in anchors}.values())


def verified(code: Code, memories: Sequence[Memory]) -> list[Memory]:
    """Return the memories with what became of their anchors; one look for any number of them."""
    anchors = [one for memory in memories for one in memory.about]
    checked = code.check([one.noted for one in anchors]) if anchors else ()
    if not checked:
        return list(memories)
    found = {one.noted: result for one, result in zip(anchors, checked, strict=True)}
    return [with_states(memory, found) for memory in memories]


def with_states(memory: Memory, found: Mapping[CodeAnchor, AnchorCheck]) -> Memory:
    """Return a memory with what became of those of its anchors of which that is known."""
    if not memory.about or not found:
        return memory
    known = ((one, found.get(one.noted)) for one in memory.about)
    about = tuple(one if result is None else _with_state(one, result) for one, result in known)
    return attrs.evolve(memory, about=about)


def _with_state(one: Anchor, found: AnchorCheck) -> Anchor:
    moved = (found.path, found.symbol) != (one.path, one.symbol)
    now = f"{found.path}::{found.symbol}" if found.symbol else found.path
    return attrs.evolve(one, state=found.state, change=found.change, now=now if moved else None)


NO_CODE = NoCode()
