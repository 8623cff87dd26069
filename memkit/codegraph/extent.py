"""What is indexed, and what the store knows of it."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs

from .. import validation
from ..errors import InvalidInput
from .analysis import Analysis, Listed
from .listing import Folders
from .survey import FileRow, Survey, survey

if TYPE_CHECKING:
    from ..store.store import Store

# A path to the key of the namespace that it belongs to.
Namespaces = Callable[[str], str]

# Letters of an unknown language that are compared with those that are known.
_LONGEST = 40
# The folders that were named, for each store as long as it lies open: whoever opens the same file
# beside it, or again, names them too.
_NAMED: WeakKeyDictionary[Store, set[Path]] = WeakKeyDictionary()


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


@attrs.define
class Memory:
    """What a process keeps from one look at a tree to the next, so that an edit costs little more
    than what it changes.

    Attributes:
        folders: what stood in folders.
        state, files: what the graph was made from, and its files, when it was last written or read.
    """

    folders: Folders = attrs.field(factory=Folders)
    state: object = None
    files: Mapping[str, FileRow] = attrs.field(factory=dict)
    _spaces: tuple[object, Namespaces] | None = None
    _shared: Sequence[tuple[str, str]] | None = None

    def known(self, store: Store, state: Mapping[str, Any]) -> Mapping[str, FileRow]:
        """Return the files of the graph by path; `state` is that of the graph."""
        now = (store.state()[0], state)
        if self.state != now:
            self.state, self.files = now, known_files(store)
        return self.files

    def namespaces(
        self, analysis: Analysis, files: Sequence[Listed], texts: Mapping[str, str]
    ) -> Namespaces:
        """Return the namespace of each file, by the parsed files and the texts of settings; one
        memory serves one analysis."""
        made_from = (files, texts)
        if self._spaces is None or self._spaces[0] != made_from:
            self._spaces = (made_from, analysis.namespaces(files, texts))
            self._shared = None
        return self._spaces[1]

    def shared(
        self, analysis: Analysis, files: Sequence[Listed], texts: Mapping[str, str]
    ) -> Sequence[tuple[str, str]]:
        """Return the files whose namespace is not the file itself, each with it."""
        own = self.namespaces(analysis, files, texts)
        if self._shared is None:
            named = ((path, own(path)) for path, _, _ in files)
            self._shared = tuple((path, space) for path, space in named if space != path)
        return self._shared

    def keep(self, store: Store, state: Mapping[str, Any], files: Mapping[str, FileRow]) -> None:
        """Note what was written."""
        self.state, self.files = (store.state()[0], state), files


def look_around(
    store: Store, extent: Extent, known: Mapping[str, FileRow], folders: Folders | None = None
) -> Survey:
    """Return what differs from the graph, as far as one look at each file can tell."""
    own = store.path
    beside = {own.name + ending for ending in ("", "-journal", "-wal", "-shm")}
    inside = own.parent.is_relative_to(extent.base)
    place = own.parent.relative_to(extent.base) if inside else Path()
    without = frozenset((place / name).as_posix() for name in beside) if inside else frozenset()
    return survey(extent.base, known, prefix=extent.prefix, without=without, folders=folders)


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


def chosen(languages: Iterable[str], known: frozenset[str]) -> frozenset[str] | None:
    """Return languages that are asked for, None for all; raises InvalidInput for one that is not
    known, if any are."""
    wanted = frozenset(validation.texts(languages, name="languages"))
    if odd := sorted(wanted - known) if known else []:
        import difflib  # here: only a name that is not known needs it

        near = difflib.get_close_matches(odd[0][:_LONGEST].lower(), known, 5, 0.3)
        raise InvalidInput(
            f"language: {validation.shown(odd[0])} is not known; near: {', '.join(near) or 'none'}"
        )
    return wanted or None


def relative(base: Path, home: Path) -> str:
    """Return a folder as seen from the store's, so that both can be moved together."""
    try:
        return Path(os.path.relpath(base, home)).as_posix()
    except ValueError:  # another drive
        return base.as_posix()


def last_extent(store: Store) -> Extent | None:
    """Return what was indexed last, or None."""
    state = load_state(store)
    if "root" not in state:
        return None
    languages = state["languages"]
    return Extent(
        base_of(store),
        state["prefix"],
        None if languages is None else frozenset(languages),
        state["flow"],
    )


def base_of(store: Store) -> Path:
    """Return the folder from which the graph's paths count; the store's own without a graph."""
    root = store.value("codegraph_anchors.root")
    home = store.path.parent
    return Path(os.path.normpath(home / json.loads(root))) if root else home


def confirm(store: Store, base: Path) -> None:
    """Note that a folder was named to be indexed, wherever it lies."""
    _NAMED.setdefault(store, set()).add(base)


def foreign(store: Store, base: Path) -> str:
    """Return why a folder is not read, "" if it is: it lies outside of the store's own and
    whoever opened the store did not name it. The file may come from a stranger, and what it names
    must not get into it."""
    home = store.path.parent.resolve()
    if base in _NAMED.get(store, ()) or base.resolve().is_relative_to(home):
        return ""
    return (
        f"root: {base} lies outside of the store's folder and is only read when it is named; "
        "run 'memkit index' with it"
    )


def placed(home: Path, root: Path) -> tuple[Path, str]:
    """Return the folder from which paths count, and the part of it that is meant."""
    try:
        full = root.expanduser().resolve()
        is_there = full.is_dir()
    except (OSError, RuntimeError) as error:  # too long, links in a circle, nobody's home
        raise InvalidInput(f"root: {validation.shown(str(root))} is no folder; give one") from error
    if not is_there:
        raise InvalidInput(f"root: {full} is no folder; give one")
    if full == home or not full.is_relative_to(home):
        return full, ""
    return home, f"{full.relative_to(home).as_posix()}/"
