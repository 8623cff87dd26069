"""Taking notes into the store so that doing it again changes nothing that has not changed.

Each draft is known by its `source`. What was read last time is noted in the chain of provenance:
a section that still says the same is left alone, even if its memory was edited or forgotten since;
one that says something new is updated; one that vanished is forgotten, with the reason.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..arguments import Progress
from ..errors import InvalidInput
from ..memories.identity import short_hash
from ..memories.kinds import EdgeKind, Outcome
from ..memories.records import Draft
from ..memories.safe import safe_text
from ..safety import PrivateFiles
from ..safety.rendered import is_rendered, strip_rendered
from .conflicts import Conflict
from .gathering import Gathered, NoteFile, gather
from .notes import Reading, Role, read_notes

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..store.connection import Store


# Versions of a changelog that are worth remembering: the newest ones.
CHANGELOG_SECTIONS = 5

_TAKEN = re.compile(r"taken in from .* \((\w+)\)", re.S)
_GONE = "gone: "
# Before the path of a note that lies outside the store's folder.
_ABOVE = "../"
_OWN_ANSWER = "memkit's own answer and nothing else"


@attrs.frozen
class ImportReport:
    """What a reading changed.

    Attributes:
        read: statements read. added, updated, unchanged, forgotten: memories by what became of
            them.
        files: files read. left_out: files or rows that were not taken, each with the reason.
        redacted: kinds of secrets that were replaced by markers, with their number.
        conflicts: what two joined stores said differently, and what was done about it.
    """

    read: int = 0
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    forgotten: int = 0
    files: int = 0
    left_out: tuple[tuple[str, str], ...] = ()
    redacted: Mapping[str, int] = attrs.field(factory=dict)
    conflicts: tuple[Conflict, ...] = ()


@attrs.frozen
class TranscriptsTakenIn(ImportReport):
    """What an import of transcripts changed: `read`, `added` and `unchanged` count tasks and calls.

    Attributes:
        sessions, tasks, calls, interactions: rows that are new.
        skipped: rows of the transcripts that are no events, by reason.
    """

    sessions: int = 0
    tasks: int = 0
    calls: int = 0
    interactions: int = 0
    skipped: Mapping[str, int] = attrs.field(factory=dict)


@attrs.frozen
class _Known:
    """A memory that was taken in before."""

    id: int
    active: int
    inactive_reason: str | None
    superseded_by: int | None
    digest: str


class Intake:
    """Takes drafts into one project of a store; `progress` hears how many are written."""

    def __init__(
        self, store: Store, memories: Memories, *, project: str, progress: Progress | None
    ) -> None:
        self._store = store
        self._memories = memories
        self._project = project
        self._progress = progress

    def repository(self, root: Path) -> ImportReport:
        """Take in the notes of a repository; what is no longer in it is forgotten.

        Of another folder than the store's the notes are named by it: it says nothing of the others.
        """
        below = _below(root, self._store.path.parent)
        gathered = gather(root)
        named = [attrs.evolve(file, path=below + file.path) for file in gathered.files]
        private = PrivateFiles(root)

        def reason_gone(path: str) -> str | None:
            own = path.removeprefix(below)
            if not path.startswith(below) or (path.startswith(_ABOVE) and not below):
                return None
            if not (root / own).exists():
                return f"{path} does not exist any more"
            return f"{path} is private now" if private.is_private(own) else None

        gathered = attrs.evolve(gathered, files=tuple(named))
        return self.files(gathered, reason_gone=reason_gone)

    def files(
        self,
        gathered: Gathered,
        *,
        reason_gone: Callable[[str], str | None] = lambda path: None,
    ) -> ImportReport:
        """Take in these files; `reason_gone` says of any other path why its memories must go."""
        read = {file.path for file in gathered.files}

        def why_gone(source: str) -> str | None:
            path, mark, heading = source.partition("#")
            if not mark or source.startswith("mcp-memory:"):
                return None
            return f"#{heading} is not in {path} any more" if path in read else reason_gone(path)

        found = [draft for file in gathered.files for draft in _drafts(file)]
        done = self.drafts(Reading(tuple(found)), why_gone=why_gone)
        return attrs.evolve(done, files=len(read), left_out=(*gathered.left_out, *done.left_out))

    def drafts(
        self,
        reading: Reading,
        *,
        why_gone: Callable[[str], str | None] = lambda source: None,
    ) -> ImportReport:
        """Take in drafts that have a source; `why_gone` says of a former source why it must go."""
        known = self._known()
        own: list[Draft] = []
        said: list[Draft] = []
        for draft in reading.drafts:
            (own if is_rendered(draft.text) else said).append(draft)
        by_source = {draft.source: draft for draft in map(_marked, said)}
        back = self._bring_back(known, by_source)
        fresh = [d for s, d in by_source.items() if not _is_settled(known.get(s or ""), d)]
        done = self._memories.remember_many(fresh, progress=self._progress)
        outcomes = Counter(remembered.outcome for remembered in done)
        updated = back | {r.id for r in done if r.outcome is not Outcome.STORED}
        forgotten = self._forget(known, by_source.keys(), why_gone)
        self._relate(reading)
        return ImportReport(
            read=len(by_source),
            added=outcomes[Outcome.STORED],
            updated=len(updated),
            unchanged=len(by_source) - outcomes[Outcome.STORED] - len(updated),
            forgotten=forgotten,
            left_out=tuple((draft.source or "", _OWN_ANSWER) for draft in own),
            redacted=Counter(kind for remembered in done for kind in remembered.redacted),
        )

    # -- inside

    def _known(self) -> dict[str, _Known]:
        found = {}
        for row in self._store.records("interchange.taken_in", project=self._project):
            noted = _TAKEN.fullmatch(row.pop("reason") or "")
            source = row.pop("source")
            found[source] = _Known(**row, digest=noted[1] if noted else "")
        return found

    def _bring_back(self, known: Mapping[str, _Known], present: Iterable[str | None]) -> set[int]:
        """Restore what was forgotten only because it had vanished; return the ids."""
        met = [memory for source in present if (memory := known.get(source or ""))]
        back = [m.id for m in met if not m.active and (m.inactive_reason or "").startswith(_GONE)]
        if back:
            self._memories.restore(back)
        return set(back)

    def _forget(
        self,
        known: Mapping[str, _Known],
        present: Iterable[str | None],
        why_gone: Callable[[str], str | None],
    ) -> int:
        there = set(present)
        gone: dict[str, list[int]] = {}
        for source, memory in known.items():
            # Without a digest it was not taken in here, whatever its source looks like.
            vanished = memory.digest and memory.active and source not in there
            if vanished and (reason := why_gone(source)):
                gone.setdefault(_GONE + reason, []).append(memory.id)
        for reason, ids in gone.items():
            self._memories.forget(ids, reason=reason)
        return sum(map(len, gone.values()))

    def _relate(self, reading: Reading) -> None:
        if not reading.relations:
            return
        ids = {source: memory.id for source, memory in self._known().items()}
        placed: list[Any] = [ids.get(draft.source or "") for draft in reading.drafts]
        for relation in reading.relations:
            src, dst = placed[relation.src], placed[relation.dst]
            if src and dst and src != dst:
                self._memories.link(src, dst, EdgeKind.RELATES_TO)


def _below(root: Path, own: Path) -> str:
    """Return what stands before the paths of a folder's notes: nothing for the store's own, and for
    any other how it is reached from there."""
    way = os.path.relpath(root.resolve(), own).replace(os.sep, "/")
    return "" if way == "." else f"{way}/"


def _drafts(file: NoteFile) -> list[Draft]:
    found = read_notes(
        strip_rendered(file.text), path=file.path, role=file.role, markup=file.markup
    )
    if file.path.startswith(_ABOVE):  # no file of this repository
        found = [attrs.evolve(draft, file_paths=(), artifacts=()) for draft in found]
    if file.role is not Role.CHANGELOG:
        return found
    headings = [(draft.source or "").partition("~")[0] for draft in found]
    newest = list(dict.fromkeys(headings))[:CHANGELOG_SECTIONS]
    return [draft for draft, name in zip(found, headings, strict=True) if name in newest]


def _is_settled(known: _Known | None, draft: Draft) -> bool:
    """Whether a draft says what it said last time."""
    return known is not None and known.digest == _digest(draft)


def _marked(draft: Draft) -> Draft:
    if not draft.source:
        raise InvalidInput("source: is missing; what is taken in needs a stable name")
    source = safe_text(draft.source, name="source").text
    reason = f"taken in from {source} ({_digest(draft)})"
    return attrs.evolve(draft, source=source, reason=reason)


def _digest(draft: Draft) -> str:
    # Of the text as it is stored: a hash of what was left out could be guessed.
    return short_hash("\0".join((safe_text(draft.text).text, draft.kind, *draft.tags)))
