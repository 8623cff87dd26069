"""What is indexed, and what the store knows of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .analysis import Analysis
from .survey import FileRow, Survey, survey

if TYPE_CHECKING:
    from ..store.connection import Store


@attrs.frozen
class Extent:
    """What is indexed, and how.

    Attributes:
        base: folder from which paths count.
        prefix: part of it that is indexed, "" or "folder/".
        languages: only these, or None for all.
        flow: follow values through the whole program.
    """

    base: Path
    prefix: str = ""
    languages: frozenset[str] | None = None
    flow: bool = False


def look_around(store: Store, extent: Extent, known: Mapping[str, FileRow]) -> Survey:
    """Return what differs from the graph, as far as one look at each file can tell."""
    own = store.path
    beside = {own.name + ending for ending in ("", "-journal", "-wal", "-shm")}
    inside = own.parent.is_relative_to(extent.base)
    place = own.parent.relative_to(extent.base) if inside else Path()
    without = frozenset((place / name).as_posix() for name in beside) if inside else frozenset()
    return survey(extent.base, known, prefix=extent.prefix, without=without)


def load_state(store: Store) -> dict[str, Any]:
    """Return what the graph as a whole was made from; empty if there is none."""
    return {name: json.loads(value) for name, value in store.all("codegraph.state")}


def known_files(store: Store) -> dict[str, FileRow]:
    """Return the files of the graph by path."""
    return {row[1]: FileRow(*row) for row in store.all("codegraph.files")}


def definition(analysis: Analysis, extent: Extent) -> str:
    """Return what differs when the same tree would give another graph."""
    languages = "all" if extent.languages is None else ",".join(sorted(extent.languages))
    text = f"{analysis.definition} {languages} {extent.flow}"
    return blake2b(text.encode(), digest_size=8).hexdigest()


def relative(base: Path, home: Path) -> str:
    """Return a folder as seen from the store's, so that both can be moved together."""
    try:
        return Path(os.path.relpath(base, home)).as_posix()
    except ValueError:  # another drive
        return base.as_posix()
