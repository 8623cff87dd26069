"""Predictor: signals to predictions, by branch, error, time and collaborator."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from ... import validation
from ...store import timestamps
from ...text.analyzer import containing
from ..error_signatures import signature
from ..paths import is_file_here
from ..patterns import Patterns
from ..recording.named_paths import named_in
from ..records import PatternType, PredictedKind, SignalKind
from . import Prediction, PredictionResult, Signal, Surroundings, online_ranker
from .co_change import Reasons, companions, faded, folder_of, gone_files
from .navigation import Access, Trail, next_files
from .observations import Evidence
from .online_ranker import Fulfilment, practise, practised

if TYPE_CHECKING:
    from ..failures import Lessons
    from ..history import EpisodeReader, Similar
    from ..results import FileOwner


# --- Files that are foretold by a branch, an error, the time of day or a collaborator.

Candidates = dict[str, tuple[float, str]]

# Habits of the last two months; an hour before and after counts too.
_HABIT_DAYS = 60
_FILES = 40
_COMMITS = 300
_SIMILAR = 5
# What a reason counts against the others of its signal; a fix that worked says most.
_FIXED, _NAMED, _BRANCH, _TASK = 1.0, 0.6, 1.0, 0.7
# Branches in which everything is done.
_TRUNKS = frozenset("main master trunk develop".split())


class Occasions:
    """Finds files for every signal that is not a file."""

    def __init__(
        self, reader: EpisodeReader, lessons: Lessons, similar: Similar, patterns: Patterns
    ) -> None:
        self._reader = reader
        self._lessons = lessons
        self._similar = similar
        self._patterns = patterns

    def files(self, signal: Signal) -> Candidates:
        """Return files with the chance that each is used and the reason, best first."""
        rules = {
            SignalKind.BRANCH: self._branch,
            SignalKind.ERROR: self._error,
            SignalKind.TIME: self._time,
            SignalKind.COLLABORATOR: self._collaborator,
        }
        candidates = rules[signal.kind](signal.subject)
        here = [item for item in candidates.items() if is_file_here(item[0])]
        best = sorted(here, key=lambda item: (-item[1][0], item[0]))
        return dict(best)

    # -- inside

    def _branch(self, branch: str) -> Candidates:
        """Files of the branch's own tasks, then of tasks that its words describe."""
        rows = self._reader.all("episodes_predictions.branch_files", branch=branch, limit=_FILES)
        own = {
            path: _BRANCH / rank * times / (times + 1)
            for rank, (path, times, _) in enumerate(rows, 1)
        }
        if is_trunk(branch):
            return _shared(own, "worked on in this branch")
        words = " ".join(branch.replace("/", " ").replace("-", " ").replace("_", " ").split())
        return _best(_shared(own, "worked on in this branch"), self._tasks_like(words))

    def _error(self, error: str) -> Candidates:
        """Files that were changed when the fault was fixed, and those that the message names."""
        name = signature(error)
        fixed: dict[str, float] = {}
        for pattern in self._patterns.find("error-fix", error=name, limit=10):
            for path in pattern.files:
                fixed[path] = max(fixed.get(path, 0.0), _FIXED * pattern.confidence)
        for seen in self._lessons.errors(error, None, 3) if name else []:
            for rank, fix in enumerate(seen.fixes, 1):
                for edit in fix.edits:
                    fixed.setdefault(edit.path, _FIXED / (1 + rank))
        named = [self._reader.stored_path(path) for path in reversed(named_in(error))]
        ranked = {path: _NAMED / rank for rank, path in enumerate(dict.fromkeys(named), 1)}
        return _best(_shared(fixed, "fixed this error"), _shared(ranked, "named by the error"))

    def _time(self, at: str) -> Candidates:
        """Files that are worked on at this time of day on many days."""
        now = self._reader.store().now() if not at else timestamps.normalise(at)
        moment = timestamps.to_epoch(now)
        around = [moment + timedelta(hours=shift).total_seconds() for shift in (-1, 0, 1)]
        rows = self._reader.all(
            "episodes_predictions.hour_files",
            hours=json.dumps(sorted({timestamps.from_epoch(m)[11:13] for m in around})),
            since=timestamps.from_epoch(moment - _HABIT_DAYS * 86400),
            limit=_FILES,
        )
        return _shared({path: float(days) for path, days in rows if days > 1}, "usual at this time")

    def _collaborator(self, name: str) -> Candidates:
        """Files that they changed of late."""
        rows = self._reader.all(
            "episodes_predictions.author_files", name=containing(name), limit=_COMMITS
        )
        now = self._reader.store().clock()
        weights: defaultdict[str, float] = defaultdict(float)
        for path, at in rows:
            weights[path] += faded(at, now)
        total = sum(weights.values())
        shares = {path: weight / total for path, weight in weights.items()}
        return _shared(shares, "changed by them")

    def _tasks_like(self, words: str) -> Candidates:
        weights: dict[str, float] = {}
        for task in self._similar.similar_tasks(words, limit=_SIMILAR) if words else []:
            for path in task.files:
                weights[path] = max(weights.get(path, 0.0), _TASK * task.score)
        return _shared(weights, "changed in a similar task")


def is_trunk(branch: str) -> bool:
    """Whether a branch's name says nothing of what is done in it."""
    return branch.strip().lower() in _TRUNKS


def _shared(weights: Mapping[str, float], reason: str) -> Candidates:
    """Return weights as they are, or as shares of one where they are counts."""
    total = sum(weights.values())
    highest = max(weights.values(), default=0.0)
    return {
        path: (weight if highest <= 1 else weight / total, reason)
        for path, weight in weights.items()
    }


def _best(*parts: Candidates) -> Candidates:
    """Return each file with its best chance."""
    joined: Candidates = {}
    for part in parts:
        for path, (chance, reason) in part.items():
            if chance > joined.get(path, (0.0, ""))[0]:
                joined[path] = (chance, reason)
    return joined


# --- What will be needed next, told from a signal.

# Files are asked for their links once for each prediction.
_LINKS_KEPT = 2_000
# So many of the best are looked at again: some may be there no more.
_LOOKED_AT = 60


class Predictor:
    """Predicts for one project; `surroundings` knows the code and the memories."""

    def __init__(
        self,
        reader: EpisodeReader,
        lessons: Lessons,
        similar: Similar,
        patterns: Patterns,
        *,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._reader = reader
        self._patterns = patterns
        self._around = surroundings or Surroundings()
        self._store = reader.store()
        self._evidence = Evidence(self._store, project=reader.project)
        self._occasions = Occasions(reader, lessons, similar, patterns)
        self._fulfilment = Fulfilment(self._store, self._evidence, self._next)

    def predict(self, signal: Signal | str, *, limit: int = 5) -> PredictionResult:
        """Return what a signal foretells; see `Episodes.predict`. Raises InvalidInput."""
        limit = validation.integer(limit, name="limit")
        if not isinstance(signal, Signal):
            signal = Signal(SignalKind.FILE, validation.text(signal, name="signal"))
        self._reader.store()  # here and below: the newest step counts most
        files = list(islice(self._files(signal), limit))
        names = [file.name for file in files]
        rest = [
            *self._symbols(signal, files, limit),
            *self._memories(signal, names, limit),
            *self._patterned(signal, limit),
        ]
        forecast = PredictionResult(signal, (*files, *rest))
        if signal.session is not None and not self._store.readonly:
            self._store.write(lambda: self._fulfilment.note(forecast))
        return forecast

    def practise(self) -> int:
        """Learn what goes with a file in this repository from the commits that were read since the
        last time; return how many they are."""
        return practise(self._reader.store(), self._evidence, self._around)

    def owners(self, path: str) -> list[FileOwner]:
        """Return who changed a file, or the files of a folder ("src/"), and their shares."""
        stored = self._reader.stored_path(path)
        self._reader.store()
        files = self._evidence.files_below(stored) if path.endswith("/") else [stored]
        return self._evidence.owners(files, self._store.clock())

    # -- files

    def _files(self, signal: Signal) -> Iterator[Prediction]:
        if signal.kind is not SignalKind.FILE:
            for path, (chance, reason) in self._occasions.files(signal).items():
                yield Prediction(PredictedKind.FILE, path, min(1.0, chance), (reason,))
            return
        path = self._reader.stored_path(signal.subject)
        candidates, weights = self._thought_of(path, signal.session)
        chances = online_ranker.chances(candidates, weights)
        names = list(islice(chances, _LOOKED_AT))
        gone = gone_files(self._store, names, project=self._reader.project)
        is_private = self._reader.repository.is_private
        for name in names:
            if name not in gone and is_file_here(name) and not is_private(name):
                reasons = online_ranker.strongest(candidates[name], weights)
                yield Prediction(PredictedKind.FILE, name, chances[name], reasons)

    def _thought_of(
        self, path: str, session: str | None
    ) -> tuple[dict[str, Reasons], Mapping[str, float]]:
        links = lru_cache(_LINKS_KEPT)(self._around.links)
        evidence = self._evidence
        if session is None:
            candidates = companions(path, evidence.history(path), evidence.names(path), links)
            return candidates, practised(self._store)
        trail, _ = evidence.trail(session)
        if not trail.accesses or trail.accesses[-1].path != path:
            trail = attrs.evolve(trail, accesses=(*trail.accesses, Access(path)))
        return self._next(trail), self._fulfilment.weights()

    def _next(self, trail: Trail) -> dict[str, Reasons]:
        """Return what may come next: by the session itself, by what was changed together, and what
        lies beside the file."""
        current = trail.accesses[-1].path
        history, names = self._evidence.history(current), self._evidence.names(current)
        likely = companions(current, history, names, lambda path: {})
        together = {path: r["together"] for path, r in likely.items() if "together" in r}
        siblings = [path for path in likely if folder_of(path) == folder_of(current)]
        links = lru_cache(_LINKS_KEPT)(self._around.links)
        candidates = next_files(trail, links, [*together, *siblings])
        for path, strength in together.items():
            candidates[path]["together"] = strength
        return candidates

    # -- what else

    def _symbols(
        self, signal: Signal, files: Sequence[Prediction], limit: int
    ) -> Iterator[Prediction]:
        chances = {file.name: file.confidence for file in files}
        if signal.kind is SignalKind.FILE:
            chances[self._reader.stored_path(signal.subject)] = 1.0
        for path, symbol in islice(self._around.symbols(list(chances)), limit):
            yield Prediction(
                PredictedKind.SYMBOL, f"{path}::{symbol}", chances.get(path, 0.0), ("used there",)
            )

    def _memories(self, signal: Signal, files: Sequence[str], limit: int) -> Iterator[Prediction]:
        if signal.kind is SignalKind.BRANCH and is_trunk(signal.subject):
            return
        about = [signal.subject, *files] if signal.kind is SignalKind.FILE else list(files)
        memories = self._around.memories(signal.subject, about)
        for number, text, score in islice(memories, limit):
            yield Prediction(PredictedKind.MEMORY, str(number), score, ("known about it",), text)

    def _patterned(self, signal: Signal, limit: int) -> Iterator[Prediction]:
        if signal.kind is SignalKind.FILE:
            path = self._reader.stored_path(signal.subject)
            patterns = self._patterns.find(path=path, limit=limit)
        elif signal.kind is SignalKind.ERROR:
            patterns = self._patterns.find(error=signature(signal.subject), limit=limit)
        else:
            patterns = []
        workflows = self._patterns.find(PatternType.WORKFLOW, limit=limit)
        for kind, items in ((PredictedKind.PATTERN, patterns), (PredictedKind.WORKFLOW, workflows)):
            for item in items:
                is_way = kind is PredictedKind.WORKFLOW
                reason = "usual way of working" if is_way else item.type.value
                yield Prediction(kind, str(item.id), item.confidence, (reason,), item.text)
