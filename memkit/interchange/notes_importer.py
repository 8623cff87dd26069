"""Notes importer: notes taken into the store; a second reading changes what has changed.

Each draft is known by its `source`, and what was read there last time is noted in the table
`source_readings`, as hashes. A section that still says the same is left alone, even if its memory
was edited or forgotten since; one that says something new is updated; one whose text stands
elsewhere now, in another file or under another heading, is the same memory with another source; one
that vanished is forgotten, with the reason.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..errors import InvalidInput
from ..memories.identity import short_hash
from ..memories.ingest import safe_text
from ..memories.records import Draft, EdgeKind, InactiveCode, Outcome
from ..redaction import PrivateFiles
from ..redaction.redactor import is_rendered, strip_rendered
from ..validation import Progress
from .merge_conflicts import Conflict
from .note_files import Gathered, NoteFile, gather
from .notes_parser import NO_TREE, NoteDraft, Reading, Tree, body_of, read_notes

if TYPE_CHECKING:
    from ..memories.memories import Memories
    from ..store.store import Store


# Before the path of a note that lies outside the store's folder.
_ABOVE = "../"
_OWN_ANSWER = "memkit's own answer and nothing else"
# Tags that a reading gives begin so; it takes no others away.
_ROLE_TAG = "notes:"
# Files that a glob may name and each be an anchor; more is no subject.
_MAX_GLOB_FILES = 20
# Letters of a body by which it is known again under another heading; fewer stand under many.
_MIN_KNOWN_BODY = 20


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
    """What an import of transcripts changed.

    `read`, `added` and `unchanged` count tasks and calls.

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
class ReadingDigest:
    """What was read of a statement, as hashes: its text, its body, and all else that a reading
    gives."""

    text: str
    body: str
    metadata: str

    @classmethod
    def of(cls, draft: Draft) -> ReadingDigest:
        """Return the digest of a draft, of its texts as they are stored: a hash of what was left
        out could be guessed."""
        rest = (draft.kind, *draft.tags, "", *draft.file_paths, "", *draft.about, "")
        procedure = draft.procedure.steps if draft.procedure else ()
        text, body = safe_text(draft.text).text, safe_text(body_of(draft)).text
        return cls(
            short_hash(text),
            short_hash(body if len(body) >= _MIN_KNOWN_BODY else text),
            short_hash("\0".join((*rest, *draft.trigger_patterns, "", *procedure))),
        )


@attrs.frozen
class _Known:
    """A memory that was taken in before."""

    id: int
    source: str
    text: str
    confidence: float
    importance: float
    active: int
    inactive_code: str | None
    digest: ReadingDigest | None

    @property
    def vanished(self) -> bool:
        """Whether it was forgotten only because its source had gone."""
        return not self.active and self.inactive_code == InactiveCode.SOURCE_GONE

    @property
    def is_edited(self) -> bool:
        """Whether it says something else than what was read."""
        return self.digest is None or short_hash(self.text) != self.digest.text

    @property
    def body(self) -> str:
        """The digest of the body that was read; "" if none was noted."""
        return self.digest.body if self.digest else ""


class NotesImporter:
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
        below = self._below(root)
        private = PrivateFiles(root)

        def reason_gone(path: str) -> str | None:
            own = path.removeprefix(below)
            if not path.startswith(below) or (path.startswith(_ABOVE) and not below):
                return None
            if not (root / own).exists():
                return f"{path} does not exist any more"
            return f"{path} is private now" if private.is_private(own) else None

        # Without a digest it was not taken in here, whatever its source looks like.
        sources = (source for source, memory in self._known().items() if memory.digest)
        paths = {path for path, mark, _ in (s.partition("#") for s in sources) if mark}
        known = {path.removeprefix(below) for path in paths if path.startswith(below)}
        return self.files(gather(root, known=known), root, reason_gone=reason_gone)

    def files(
        self,
        gathered: Gathered,
        root: Path,
        *,
        reason_gone: Callable[[str], str | None] = lambda path: None,
    ) -> ImportReport:
        """Take in these files of a folder; `reason_gone` says of any other path why its memories
        must go.

        What lies outside of the store's folder is named by the way that leads there: a file of the
        same name is another one."""
        below = self._below(root)
        gathered, tree = gathered.below(below), NO_TREE if below else _tree(root)
        read = {file.path for file in gathered.files}
        unread = dict(gathered.left_out)

        def why_gone(source: str) -> str | None:
            path, mark, heading = source.partition("#")
            if not mark:  # of no file
                return None
            if path in unread and path not in gathered.private:
                return f"{path} is not read any more: {unread[path]}"
            return f"#{heading} is not in {path} any more" if path in read else reason_gone(path)

        drafts = [draft for file in gathered.files for draft in _drafts(file, tree)]
        done = self.drafts(Reading(tuple(drafts)), why_gone=why_gone)
        return attrs.evolve(done, files=len(read), left_out=(*gathered.left_out, *done.left_out))

    def drafts(
        self,
        reading: Reading,
        *,
        why_gone: Callable[[str], str | None] = lambda source: None,
    ) -> ImportReport:
        """Take in drafts that have a source; `why_gone` says of a former source why it must go."""
        own = [draft for draft in reading.drafts if is_rendered(draft.text)]
        known = self._known()
        by_source = _by_source(reading.drafts, known)
        if moves := _moves(known, by_source, why_gone):
            self._store.write(partial(self._move, moves))
            known = self._known()
        back = self._bring_back(known, by_source)
        fresh = [draft for source, draft in by_source.items() if _is_news(known.get(source), draft)]
        self._refresh(known, fresh)
        done = self._memories._remember_many(
            [_as_believed(known.get(draft.source or ""), draft) for draft in fresh],
            progress=self._progress,
            note=self._note_readings,
        )
        outcomes = Counter(remembered.outcome for remembered in done)
        updated = back | {r.id for r in done if r.outcome is not Outcome.STORED}
        updated |= {move.id for move in moves if known[move.source].active}
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

    def _below(self, root: Path) -> str:
        """Return what stands before the paths of a folder's notes: nothing for the store's own, and
        for any other how it is reached from there."""
        way = os.path.relpath(root.resolve(), self._store.path.parent).replace(os.sep, "/")
        return "" if way == "." else f"{way}/"

    def _known(self) -> dict[str, _Known]:
        rows = self._store.records("interchange.list_source_readings", project=self._project)
        return {row["source"]: _known(row) for row in rows}

    def _note_readings(self, drafts: Sequence[Draft], numbers: Sequence[int]) -> None:
        """Note what was read of memories; inside the transaction that writes them."""
        at = self._store.now()
        for draft, number in zip(drafts, numbers, strict=True):
            digest = ReadingDigest.of(draft)
            self._store.run(
                "interchange.set_source_reading",
                id=number,
                source=draft.source,
                text_hash=digest.text,
                body_hash=digest.body,
                metadata_hash=digest.metadata,
                at=at,
            )

    def _move(self, moves: Sequence[_Move]) -> None:
        """Give memories other sources, all at once: one may take that of another."""
        at = self._store.now()
        for move in moves:
            self._store.run("interchange.move_source", id=move.id, source=None, at=at)
        for move in moves:
            self._store.run("interchange.move_source", id=move.id, source=move.source, at=at)

    def _bring_back(self, known: Mapping[str, _Known], present: Iterable[str]) -> set[int]:
        """Restore what was forgotten only because it had vanished; return the ids."""
        met = [memory for source in present if (memory := known.get(source))]
        back = [memory.id for memory in met if memory.vanished]
        if back:
            self._memories.restore(back)
        return set(back)

    def _refresh(self, known: Mapping[str, _Known], fresh: Iterable[Draft]) -> None:
        """Let what stands around a text that is still the same follow its document."""
        for draft in fresh:
            memory = known.get(draft.source or "")
            if memory and short_hash(memory.text) == ReadingDigest.of(draft).text:
                tags = set(self._memories.get(memory.id).tags) - set(draft.tags)
                if stale := sorted(tag for tag in tags if tag.startswith(_ROLE_TAG)):
                    self._memories.untag(memory.id, *stale)
                self._memories.update(
                    memory.id,
                    file_paths=draft.file_paths,
                    about=draft.about,
                    kind=draft.kind,
                    form=draft.form,
                    trigger_patterns=draft.trigger_patterns,
                    procedure=draft.procedure,
                )

    def _forget(
        self,
        known: Mapping[str, _Known],
        present: Iterable[str],
        why_gone: Callable[[str], str | None],
    ) -> int:
        there = set(present)
        gone: dict[str, list[int]] = {}
        for source, memory in known.items():
            # Without a digest it was not taken in here, whatever its source looks like.
            vanished = memory.digest and memory.active and source not in there
            if vanished and (reason := why_gone(source)):
                gone.setdefault(f"gone: {reason}", []).append(memory.id)
        for reason, ids in gone.items():
            self._memories._forget(ids, reason, InactiveCode.SOURCE_GONE)
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


# -- what goes where


@attrs.frozen
class _Move:
    """A memory and the source under which its text stands now."""

    id: int
    source: str


def _by_source(drafts: Iterable[Draft], known: Mapping[str, _Known]) -> dict[str, Draft]:
    """Return the drafts that are somebody's own words by source; what two sources say in the same
    words is one, of the source that is known already or else the first, and names both files."""
    groups: dict[tuple[str, str], list[Draft]] = {}
    for draft in map(_marked, (draft for draft in drafts if not is_rendered(draft.text))):
        text = draft.source if not isinstance(draft, NoteDraft) else f"\0{draft.text}"
        groups.setdefault((text or "", str(draft.kind)), []).append(draft)
    chosen = []
    for group in groups.values():
        first = next((draft for draft in group if draft.source in known), group[-1])
        if isinstance(first, NoteDraft):
            first = next((draft for draft in group if draft.source in known), group[0])
            paths = tuple(dict.fromkeys(path for draft in group for path in draft.file_paths))
            first = attrs.evolve(first, file_paths=paths)
        chosen.append(first)
    return {draft.source or "": draft for draft in chosen}


def _moves(
    known: Mapping[str, _Known],
    by_source: Mapping[str, Draft],
    why_gone: Callable[[str], str | None],
) -> list[_Move]:
    """Return the memories whose text stands under another source now, and those that make room."""
    digests = {source: ReadingDigest.of(draft) for source, draft in by_source.items()}
    waiting: dict[str, list[_Known]] = defaultdict(list)
    for source, memory in known.items():
        is_elsewhere = source in digests and digests[source].body != memory.body
        is_gone = source not in digests and (memory.vanished or why_gone(source) is not None)
        if memory.body and (is_elsewhere or is_gone):
            waiting[memory.body].append(memory)
    moves: dict[int, _Move] = {}
    for source, digest in digests.items():
        holder = known.get(source)
        candidates = waiting.get(digest.body, ())
        if not candidates or (holder and holder.body == digest.body):
            continue
        memory = max(candidates, key=lambda candidate: _likeness(candidate, source, digest))
        waiting[digest.body].remove(memory)
        moves[memory.id] = _Move(memory.id, source)
    return [*moves.values(), *_displaced(known, moves)]


def _likeness(memory: _Known, source: str, digest: ReadingDigest) -> tuple[bool, ...]:
    """Return what speaks for a memory being the one that stands under a source now."""
    path, _, heading = memory.source.partition("#")
    other_path, _, other_heading = source.partition("#")
    is_same = memory.digest is not None and memory.digest.text == digest.text
    return (bool(memory.active), is_same, heading == other_heading, path == other_path)


def _displaced(known: Mapping[str, _Known], moves: Mapping[int, _Move]) -> list[_Move]:
    """Return the moves of those whose source another one takes: to the sources left behind."""
    taken = {move.source for move in moves.values()}
    left = [memory.source for memory in known.values() if memory.id in moves]
    free = [source for source in left if source not in taken]
    homeless = [known[source] for source in taken if source in known]
    homeless = [memory for memory in homeless if memory.id not in moves]
    return [_Move(m.id, source) for m, source in zip(homeless, free, strict=False)]


def _is_news(memory: _Known | None, draft: Draft) -> bool:
    """Whether a draft says something that its memory does not say, or stands otherwise."""
    if memory is None or memory.digest is None:
        return True
    digest = ReadingDigest.of(draft)
    # What a person wrote into it stays as long as the document says the same below its headings.
    is_settled = memory.is_edited and digest.body == memory.body
    return digest != memory.digest and not is_settled


def _as_believed(memory: _Known | None, draft: Draft) -> Draft:
    """Return a draft with the belief that its memory has, if its body is still the same."""
    if memory is None or not memory.body or ReadingDigest.of(draft).body != memory.body:
        return draft
    confidence = min(memory.confidence, draft.confidence)
    return attrs.evolve(draft, confidence=confidence, importance=memory.importance)


def _marked(draft: Draft) -> Draft:
    if not draft.source:
        raise InvalidInput("source: is missing; what is taken in needs a stable name")
    return attrs.evolve(draft, source=safe_text(draft.source, name="source").text)


def _known(row: Mapping[str, Any]) -> _Known:
    hashes = (row["text_hash"], row["body_hash"], row["metadata_hash"])
    own = {name: value for name, value in row.items() if not name.endswith("_hash")}
    return _Known(digest=None if row["text_hash"] is None else ReadingDigest(*hashes), **own)


# -- files


def _drafts(file: NoteFile, tree: Tree) -> list[NoteDraft]:
    text = strip_rendered(file.text)
    drafts = read_notes(text, path=file.path, role=file.role, markup=file.markup, tree=tree)
    if file.path.startswith(_ABOVE):  # no file of this repository
        return [attrs.evolve(draft, file_paths=(), artifacts=()) for draft in drafts]
    return drafts


def _tree(root: Path) -> Tree:
    """Return what a repository's notes can be about."""

    def has_file(path: str) -> bool:
        return ".." not in path and not path.startswith("/") and (root / path).is_file()

    def matching(glob: str) -> Sequence[str]:
        if glob.startswith(("/", "*", "!", "..")):
            return ()
        try:
            paths = (path for path in root.glob(glob) if path.is_file())
            files = [
                path.relative_to(root).as_posix() for path in islice(paths, _MAX_GLOB_FILES + 1)
            ]
        except (ValueError, NotImplementedError, OSError):
            return ()
        return sorted(files) if len(files) <= _MAX_GLOB_FILES else ()

    return Tree(has_file, matching)
