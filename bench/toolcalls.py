"""How many reading and searching calls of recorded sessions an agent with memkit need not make.

Each transcript is imported up to a call, memkit is asked whether the session holds what the call
would bring (memkit/episodes/redundant_calls.py), or whether it had foretold the file among its
first five, and only then the call itself is imported. Set `traces`: `saved_held` is the share of
such calls that are held, beside the share of calls that repeat an earlier one letter for letter;
`saved` counts foretold files too, as if each forecast had been fetched in advance. `confirmed` is
the share of held calls whose output indeed brought (nearly) nothing that the session had not seen.

What the code graph would answer (where is X defined, who calls it) is not counted: the repositories
of these sessions are not there. `where` in the table is the share of calls that ask such things.
"""

from __future__ import annotations

import json
import re
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import attrs

import memkit
from memkit.episodes import error_signatures
from memkit.episodes.paths import RepositoryPaths
from memkit.episodes.predictions import Signal
from memkit.episodes.recording.event import Event, EventKind, ToolCall
from memkit.episodes.recording.normalizer import Normalizer
from memkit.episodes.records import FileOperation, PredictedKind, SignalKind
from memkit.episodes.redundant_calls import Holding, Reason, RedundantCall, is_look
from memkit.episodes.transcripts.formats import TranscriptFormat, opened, read
from memkit.episodes.transcripts.importer import EventImporter

from .results import Options, Row

# What seed 000 claims.
_CLAIM = 0.60
_FIRST = 5
# An output brings nothing new if so large a share of its lines was seen before.
_SEEN = 0.9
_NUMBER = re.compile(r"^\s*\d+[\t:→|-]\s?|^[\w./-]+:\d+[:-]")
# Formats whose sessions name the repository they ran in: later ones know what earlier ones did.
_OF_ONE_REPOSITORY = (TranscriptFormat.CLAUDE_CODE, TranscriptFormat.CODEX)
_OPENING = (FileOperation.READ, FileOperation.EDIT, FileOperation.WRITE)
_ASKS_WHERE = re.compile(r"(?:^|[;&|]\s*)(?:rg|grep|find|ls|tree|fd|find_file|search_dir)\b")


def run(options: Options) -> Iterator[Row]:
    """Yield the shares over all sessions; say them for each session and cause."""
    folder = options.folder("traces", "traces", "raw")
    if folder is None:
        return
    total: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as place, _Kits(Path(place)) as kits:
        options.say(f"{'session':<20} looks       held   foretold      again      where")
        for path in sorted(folder.iterdir())[: options.limit]:
            counts = _session(path, kits)
            total += counts
            options.say(_line(path.stem, counts))
    options.say(_line("all", total))
    for reason in Reason:
        options.say(f"  {reason}: {total[reason]}, confirmed {total[f'{reason} seen']}")
    looks, held = total["looks"] or 1, total["held"]
    options.say(
        f"  foretold just before: {total['foretold']}, at any time before: {total['fetched']}, for "
        f"{total['predicted']} files fetched in advance"
    )
    options.say(
        f"  {total['looks']} of {total['calls']} calls read or search: to save {_CLAIM:.0%} of all "
        f"calls, {_CLAIM * total['calls'] / looks:.0%} of these would have to go"
    )
    again = total["again"] / looks
    yield Row("traces", "saved", (held + total["foretold"]) / looks, again)
    yield Row("traces", "saved_held", held / looks, again)
    yield Row("traces", "confirmed", total["seen"] / (held or 1))
    yield Row("traces", "claimed", _CLAIM)


class _Kits:
    """A store for each repository."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._kits: dict[str, memkit.Memkit] = {}

    def of(self, repository: str) -> memkit.Memkit:
        """Return the store of a repository, made if it is new."""
        if repository not in self._kits:
            folder = self._place / str(len(self._kits))
            folder.mkdir()
            self._kits[repository] = memkit.open(folder / ".memkit.db", global_store=False)
        return self._kits[repository]

    def __enter__(self) -> _Kits:
        return self

    def __exit__(self, *_: object) -> None:
        for kit in self._kits.values():
            kit.close()


@attrs.define
class _Replay:
    """One session while it is replayed, and what it has seen so far."""

    kit: memkit.Memkit
    intake: EventImporter
    normalizer: Normalizer
    holding: Holding
    session: str = ""
    counts: Counter[str] = attrs.Factory(Counter)
    asked: set[str] = attrs.Factory(set)
    seen: set[str] = attrs.Factory(set)
    forecast: set[str] = attrs.Factory(set)
    fetched: set[str] = attrs.Factory(set)

    def take(self, event: Event, call: ToolCall) -> None:
        """Ask before a call, then take it in."""
        then = event._replace(session=self.session, at="2026-01-01T00:00:00.000Z")
        rows = self.normalizer.normalize(then).files
        files = [(row["file_path"], FileOperation(row["operation"]), _lines(row)) for row in rows]
        if is_look(call.tool, call.parameters) or _only_reads(files):
            self._look(call, files)
        self.counts["calls"] += 1
        self.intake.take([event])
        self.seen |= set(_told(call))
        self._foretell([path for path, operation, _ in files if operation in _OPENING])

    def _look(
        self, call: ToolCall, files: list[tuple[str, FileOperation, tuple[int, int] | None]]
    ) -> None:
        counts = self.counts
        counts["looks"] += 1
        exact = call.tool + json.dumps(call.parameters, sort_keys=True, default=str)
        counts["again"] += exact in self.asked
        self.asked.add(exact)
        text = error_signatures.command_of(call.parameters) or ""
        counts["where"] += bool(_ASKS_WHERE.search(text)) or call.tool in ("Grep", "Glob", "LS")
        held = self.holding.held(self.session, call.tool, call.parameters, files=files)
        if held is not None:
            self._count(held, call)
        elif files and all(operation is FileOperation.READ for _, operation, _ in files):
            paths = {path for path, _, _ in files}
            counts["foretold"] += paths <= self.forecast
            counts["fetched"] += paths <= self.fetched

    def _count(self, held: RedundantCall, call: ToolCall) -> None:
        told = _lines_of(str(call.output or ""))
        is_seen = sum(line in self.seen for line in told) >= _SEEN * len(told)
        if held.reason is Reason.PLACE:
            is_seen = any(path in (str(call.output or "")) for path in held.paths)
        self.counts["held"] += 1
        self.counts[held.reason] += 1
        self.counts["seen"] += is_seen
        self.counts[f"{held.reason} seen"] += is_seen

    def _foretell(self, paths: list[str]) -> None:
        if paths:
            signal = Signal(SignalKind.FILE, paths[-1], session=self.session)
            found = self.kit.episodes.predict(signal, limit=_FIRST)
            self.forecast = {p.name for p in found.predictions if p.kind is PredictedKind.FILE}
            self.counts["predicted"] += len(self.forecast - self.fetched)
            self.fetched |= self.forecast


def _session(path: Path, kits: _Kits) -> Counter[str]:
    with opened(path) as file:
        transcript = read(path, file)
        replay: _Replay | None = None
        for event in transcript.events:
            if replay is None:
                if event.kind is not EventKind.SESSION_START:
                    continue
                shared = transcript.format in _OF_ONE_REPOSITORY
                replay = _begun(kits.of(str(event.cwd) if shared else path.stem), event, path)
            if event.tool is not None:
                replay.take(event, event.tool)
            else:
                replay.intake.take([event])
    return replay.counts if replay else Counter()


def _begun(kit: memkit.Memkit, began: Event, path: Path) -> _Replay:
    repository = RepositoryPaths(kit.path.parent)
    intake = EventImporter(kit._store, repository, project="")
    intake.begin("bench", modified=path.stat().st_mtime)
    normalizer = Normalizer(repository.of_clone(began.cwd), kit._store.clock)
    holding = Holding(kit.episodes._reader)
    return _Replay(kit, intake, normalizer, holding, str(began.session))


def _only_reads(files: list[tuple[str, FileOperation, tuple[int, int] | None]]) -> bool:
    looking = (FileOperation.READ, FileOperation.SEARCH)
    return bool(files) and all(operation in looking for _, operation, _ in files)


def _lines(row: dict[str, object]) -> tuple[int, int] | None:
    span = json.loads(str(row["line_range"])) if row["line_range"] else None
    return (span["start"], span["end"]) if span else None


def _told(call: ToolCall) -> Iterator[str]:
    """Yield the lines that a session has seen after a call: what came back, and what it wrote."""
    yield from _lines_of(str(call.output or ""))
    for value in call.parameters.values():
        if isinstance(value, str):
            yield from _lines_of(value)


def _lines_of(text: str) -> list[str]:
    return [bare for line in text.splitlines() if len(bare := _NUMBER.sub("", line).strip()) > 2]


def _line(name: str, counts: Counter[str]) -> str:
    looks = counts["looks"] or 1
    shares = "  ".join(
        f"{counts[key]:>4} {counts[key] / looks:.2f}"
        for key in ("held", "foretold", "again", "where")
    )
    return f"{name:<20} {counts['looks']:>5}  {shares}"
