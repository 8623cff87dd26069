"""The indexed tree: root, languages and stored state, and what differs from the graph."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import attrs

from ... import validation
from ...errors import InvalidInput, MemkitError
from ...frozen import frozen
from ..records import FileStatus
from .files import (
    UNSURE,
    Content,
    FileStat,
    Folders,
    Lister,
    Listing,
    Privacy,
    SkipReason,
    read,
    stamp_of,
    stat_file,
)

if TYPE_CHECKING:
    from ...store.store import Row, Store
    from ..analysis import Analysis, Listed


# --- Change detection: tree against graph by one look at each file; none is read.

# Enough of a file to see which language it is in.
_HEAD = 4096


@frozen
class FileRow:
    """A file as it stands in code_files."""

    id: int
    path: str
    language: str = ""
    namespace: str = ""
    status: str = FileStatus.LISTED
    reason: str | None = None
    size: int = 0
    stamp: int = UNSURE
    hash: bytes | None = None
    lines: int = 0
    errors: int = 0

    @property
    def is_watched(self) -> bool:
        """Whether a change of its content matters."""
        is_read = self.status != FileStatus.LISTED or self.hash is not None
        return is_read and not self.path.endswith("/")


@frozen
class TreeDifferences:
    """What differs between tree and graph.

    Attributes:
        listing: what the tree holds.
        suspects: paths that are new or may have changed, sorted.
        gone: files that are no longer there.
    """

    listing: Listing
    suspects: tuple[str, ...]
    gone: tuple[FileRow, ...]


@frozen
class InspectedFile:
    """A file that was looked into.

    Attributes:
        row: as it is to stand in code_files; its id is that of the former row, 0 for a new file.
        data: its bytes if it is to be parsed.
    """

    row: FileRow
    data: bytes | None = None


def compare_tree(
    base: Path,
    known: Mapping[str, FileRow],
    *,
    prefix: str = "",
    without: frozenset[str],
    folders: Folders | None = None,
) -> TreeDifferences:
    """Compare a tree with what is known of it.

    Paths count from `base`; only what begins with `prefix` ("" or "folder/") is looked at.
    `without` are files that are memkit's own; `folders` what is remembered of an earlier look.
    """
    lister = Lister(base, prefix, folders)
    lister.start()
    try:
        changed, vanished = _changed(base, known)
    finally:
        listing = lister.finish()
    there = set(listing.paths) - without - vanished
    # What git tracks it lists although it was deleted.
    new = {path for path in there - known.keys() if os.path.lexists(base / path)}
    left_out = {path for path, why in listing.skipped.items() if _reason(known, path) != why}
    gone = [known[path] for path in known.keys() - there - listing.skipped.keys()]
    gone.sort(key=lambda row: row.id)
    suspects = (changed & there) | new | left_out
    return TreeDifferences(listing, tuple(sorted(suspects)), tuple(gone))


class Reader:
    """Reads the files that may have changed."""

    def __init__(self, workspace: Workspace, listing: Listing, analysis: Analysis) -> None:
        self._workspace = workspace
        self._listing = listing
        self._analysis = analysis
        self._privacy = Privacy(workspace.base, listing.paths)

    def read(self, path: str, known: FileRow | None) -> InspectedFile:
        """Return what a file is now; its data only if they differ from what was parsed before."""
        number = known.id if known else 0
        if path in self._listing.skipped:
            return _skipped(FileRow(number, path), SkipReason(self._listing.skipped[path]))
        if not self._is_of_interest(path):
            return InspectedFile(FileRow(number, path))
        if private := self._privacy.reason(path):
            return _skipped(FileRow(number, path), SkipReason(private))
        full = os.path.join(self._workspace.base, path)  # noqa: PTH118 - for every file
        looked = stat_file(full)
        row = FileRow(number, path, size=looked.size, stamp=looked.stamp)
        if looked.skip_reason is not None:
            return _skipped(row, looked.skip_reason)
        content = read(full)
        if isinstance(content, SkipReason):
            return _skipped(row, content)
        return self._judged(row, known, content)

    def _is_of_interest(self, path: str) -> bool:
        """Whether a name belongs to a language, is a setting, or says too little to tell."""
        name = path.rpartition("/")[2]
        is_code = self._analysis.dialect_of(path, b"") is not None
        return is_code or self._analysis.is_setting(path) or "." not in name

    def _judged(self, row: FileRow, known: FileRow | None, content: Content) -> InspectedFile:
        row = attrs.evolve(row, hash=content.hash)
        if known and known.hash == content.hash and known.status == FileStatus.PARSED:
            return InspectedFile(attrs.evolve(known, size=row.size, stamp=row.stamp))
        dialect = self._analysis.dialect_of(row.path, content.data[:_HEAD])
        if dialect is None:
            return InspectedFile(row)
        row = attrs.evolve(row, language=dialect.name, status=FileStatus.PARSED)
        languages = self._workspace.languages
        if languages is not None and dialect.name not in languages:
            return _skipped(row, SkipReason("its language was not asked for"))
        return InspectedFile(row, content.data)


def _skipped(row: FileRow, why: SkipReason) -> InspectedFile:
    status = FileStatus.FAILED if why.failed else FileStatus.SKIPPED
    return InspectedFile(attrs.evolve(row, status=status, reason=why.reason))


def _changed(root: Path, known: Mapping[str, FileRow]) -> tuple[set[str], set[str]]:
    """Return the paths of watched files that are not as they were, and of those that are gone."""
    base = f"{root}{os.sep}"
    changed, vanished = set(), set()
    lstat = os.lstat
    for path, row in known.items():
        if not row.is_watched:
            continue
        try:
            status = lstat(base + path)
        except FileNotFoundError:
            vanished.add(path)
        except OSError:
            changed.add(path)
        else:
            if status.st_size != row.size or stamp_of(status) != row.stamp:
                changed.add(path)
    return changed, vanished


def _reason(known: Mapping[str, FileRow], path: str) -> str | None:
    row = known.get(path)
    return row.reason if row else None


# --- Workspace: the indexed tree and its stored state.

# A path to the key of the namespace that it belongs to.
Namespaces = Callable[[str], str]

# Letters of an unknown language that are compared with those that are known.
_LONGEST = 40
# The folders that were named, for each store as long as it lies open: whoever opens the same file
# beside it, or again, names them too.
_NAMED: WeakKeyDictionary[Store, set[Path]] = WeakKeyDictionary()


@frozen
class Workspace:
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
class WorkspaceCache:
    """What a process keeps from one look at a tree to the next.

    With it an edit costs little more than what it changes.

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


def find_differences(
    store: Store, workspace: Workspace, known: Mapping[str, FileRow], folders: Folders | None = None
) -> TreeDifferences:
    """Return what differs from the graph, as far as one look at each file can tell."""
    own = store.path
    own_files = {own.name + ending for ending in ("", "-journal", "-wal", "-shm")}
    inside = own.parent.is_relative_to(workspace.base)
    place = own.parent.relative_to(workspace.base) if inside else Path()
    without = frozenset((place / name).as_posix() for name in own_files) if inside else frozenset()
    return compare_tree(
        workspace.base, known, prefix=workspace.prefix, without=without, folders=folders
    )


def load_state(store: Store) -> dict[str, Any]:
    """Return what the graph as a whole was made from; empty if there is none."""
    return {name: json.loads(value) for name, value in store.all("codegraph.state")}


def known_files(store: Store) -> dict[str, FileRow]:
    """Return the files of the graph by path."""
    return {row[1]: FileRow(*row) for row in store.all("codegraph.files")}


def indexed_text(base: Path, row: FileRow) -> bytes | None:
    """Return the text of a file below `base`; None if it is not as it was indexed."""
    if row.hash is None:
        return None
    content = read(os.path.join(base, row.path))  # noqa: PTH118 - for many files
    return content.data if isinstance(content, Content) and content.hash == row.hash else None


def definition(analysis: Analysis, workspace: Workspace) -> str:
    """Return what differs when the same tree would give another graph."""
    languages = "all" if workspace.languages is None else ",".join(sorted(workspace.languages))
    text = f"{analysis.definition} {languages} {workspace.flow}"
    return blake2b(text.encode(), digest_size=8).hexdigest()


def checked_languages(languages: Iterable[str], known: frozenset[str]) -> frozenset[str] | None:
    """Return languages that are asked for, None for all; raises InvalidInput for one that is not
    known, if any are."""
    requested = frozenset(validation.texts(languages, name="languages"))
    if odd := sorted(requested - known) if known else []:
        import difflib  # here: only a name that is not known needs it

        near = difflib.get_close_matches(odd[0][:_LONGEST].lower(), known, 5, 0.3)
        raise InvalidInput(
            f"language: {validation.shown(odd[0])} is not known; near: {', '.join(near) or 'none'}"
        )
    return requested or None


def relative(base: Path, home: Path) -> str:
    """Return a folder as seen from the store's, so that both can be moved together."""
    try:
        return Path(os.path.relpath(base, home)).as_posix()
    except ValueError:  # another drive
        return base.as_posix()


def last_workspace(store: Store) -> Workspace | None:
    """Return what was indexed last, or None."""
    state = load_state(store)
    if "root" not in state:
        return None
    languages = state["languages"]
    return Workspace(
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


def split_root(home: Path, root: Path) -> tuple[Path, str]:
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


# --- Watched files: are those that an answer rests on still as they were indexed?
#
# Looking at the few files that an answer speaks of costs microseconds; looking at the whole tree
# is left for when one of them has changed.

Follow = Callable[[], object]


class Watch:
    """The files of one store's tree, as they lie on the disk."""

    def __init__(self, store: Store, follow: Follow = lambda: None) -> None:
        """`follow` brings the graph up to date, if that is quick."""
        self._store = store
        self._follow = follow
        self._base: tuple[object, Path | None] | None = None
        self._tried: dict[str, tuple[int, int]] = {}
        self._behind: frozenset[str] = frozenset()

    def content(self, path: str) -> str | None:
        """Return the hash of a file's bytes as the graph spells it, indexed or not; "" of one that
        is not read, None if there is none."""
        place = self._place(path)
        if place is None or ((seen := stat_file(place)).skip_reason and not seen.size):
            return None
        content = None if seen.skip_reason else read(place)
        return content.hash.hex() if isinstance(content, Content) else ""

    def read(self, path: str) -> bytes | None:
        """Return the text of a file as UTF-8; None if it cannot be read."""
        place = self._place(path)
        content = read(place) if place is not None else None
        return content.data if isinstance(content, Content) else None

    def up_to_date(self, paths: Iterable[str]) -> bool:
        """Look at files; if one has changed, is gone or has come, let the graph follow.

        Return whether none had, or all that could be done about it was done before.
        """
        distinct = list(dict.fromkeys(paths))
        untried = self._untried(distinct)
        if not untried and self._behind.isdisjoint(distinct):
            return True
        followed = self.follow()
        behind = self._behind.difference(distinct).union(self._differing({*distinct}))
        known, self._behind = self._behind, behind
        return known == behind and not (untried and followed)

    def follow(self) -> bool:
        """Let the graph follow; that it cannot (another process writes) keeps no answer back."""
        try:
            self._follow()
        except MemkitError:
            return False
        return True

    def behind(self, paths: Iterable[str]) -> dict[str, str | None]:
        """Return those files that the graph could not follow when they were last looked at and has
        not followed since, each with the hash of what it holds, as `content` gives it."""
        return self._differing(self._behind.intersection(paths)) if self._behind else {}

    # -- inside

    def _untried(self, paths: Iterable[str]) -> list[str]:
        """Return the files that are not as they were indexed, of which nothing was tried before."""
        indexed = {path: (size, stamp) for path, _, _, size, stamp, _ in self._rows(paths)}
        placed = ((path, place) for path in paths if (place := self._place(path)) is not None)
        looked = ((path, stat_file(place)) for path, place in placed)
        return [path for path, status in looked if self._differs(path, status, indexed.get(path))]

    def _differing(self, paths: Collection[str]) -> dict[str, str | None]:
        """Return the files that hold something else than what was indexed, with its hash; of some
        nothing was."""
        indexed = {path: content for path, _, content, *_ in self._rows(paths)} if paths else {}
        readable = (p for p in paths if indexed.get(p) != "" and self._place(p) is not None)
        contents = {path: self.content(path) for path in readable}
        return {path: held for path, held in contents.items() if held != indexed.get(path)}

    def _rows(self, paths: Iterable[str]) -> list[Row]:
        return self._store.all("codegraph_anchors.files_at", paths=json.dumps(list(paths)))

    def _differs(self, path: str, status: FileStat, indexed: tuple[int, int] | None) -> bool:
        """Whether a file is not as it was indexed, and nothing was tried about it before."""
        if indexed is None and status.skip_reason is not None:
            return False
        if status.stamp == UNSURE and status.skip_reason is None:
            return True
        state = (status.size, status.stamp)
        if state == indexed or self._tried.get(path) == state:
            return False
        self._tried[path] = state
        return True

    def _place(self, path: str) -> str | None:
        """Return where a path of the graph lies; None outside of the folder that may be read."""
        state = self._store.state()
        if self._base is None or self._base[0] != state:
            self._base = (state, self._folder())
        folder = self._base[1]
        if folder is None or ".." in path.split("/"):
            return None
        place = os.path.join(folder, path)  # noqa: PTH118 - a tenth of joining Paths
        return None if place == path else place

    def _folder(self) -> Path | None:
        """Return the folder from which the graph's paths count, None if it is a foreign one."""
        base = base_of(self._store)
        return None if foreign(self._store, base) else base
