"""What will be needed next, told from a signal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from ... import arguments
from ..kinds import Operation, PatternType, PredictedKind, SignalKind
from ..patterns.patterns import Patterns
from ..places import OUTSIDE
from ..signatures import signature
from . import weighing
from .companions import Reasons, companions, folder_of
from .evidence import Evidence
from .fulfilment import Fulfilment
from .mentions import named_by_call
from .occasions import Occasions, is_trunk
from .practice import practise, practised
from .signals import Forecast, Prediction, Signal, Surroundings
from .trail import Access, Trail, next_files

if TYPE_CHECKING:
    from ..answers import Owner
    from ..questions.history import History
    from ..questions.lessons import Lessons
    from ..questions.similar import Similar

# Files are asked for their links once for each prediction.
_LINKS_KEPT = 2_000
# So many of the best are looked at again: some may be there no more.
_LOOKED_AT = 60


class Predictor:
    """Predicts for one project; `surroundings` knows the code and the memories."""

    def __init__(
        self,
        history: History,
        lessons: Lessons,
        similar: Similar,
        patterns: Patterns,
        *,
        surroundings: Surroundings | None = None,
    ) -> None:
        self._history = history
        self._patterns = patterns
        self._around = surroundings or Surroundings()
        self._store = history.reading()
        self._evidence = Evidence(self._store, project=history.project)
        self._occasions = Occasions(history, lessons, similar, patterns)
        self._fulfilment = Fulfilment(self._store, self._evidence, self._next)

    def predict(self, signal: Signal | str, *, limit: int = 5) -> Forecast:
        """Return what a signal foretells: at most `limit` files, symbols, memories, patterns and
        workflows each, with their confidence and reasons. A text is a file that was opened.

        With a session, what is foretold is remembered, and the weights learn from what comes true.
        Raises InvalidInput.
        """
        limit = arguments.integer(limit, name="limit")
        if not isinstance(signal, Signal):
            signal = Signal(SignalKind.FILE, arguments.text(signal, name="signal"))
        self._history.reading()  # here and below: the newest step counts most
        files = list(islice(self._files(signal), limit))
        names = [file.name for file in files]
        rest = [
            *self._symbols(signal, files, limit),
            *self._memories(signal, names, limit),
            *self._patterned(signal, limit),
        ]
        forecast = Forecast(signal, (*files, *rest))
        if signal.session is not None and not self._store.readonly:
            self._store.write(lambda: self._fulfilment.note(forecast))
        return forecast

    def notice(
        self,
        session: str,
        output: str,
        *,
        tool: str = "",
        parameters: Mapping[str, Any] | None = None,
    ) -> int:
        """Remember the paths that an output of a session names; return how many.

        What a search found or a listing showed is often opened next. `tool` and `parameters` of
        the call tell from which folder its paths count.
        """
        given = arguments.optional(arguments.mapping, parameters, name="parameters")
        if not arguments.text(session, name="session") or self._store.readonly:
            return 0
        self._history.reading()
        paths = named_by_call(
            arguments.text(tool, name="tool"),
            given or {},
            arguments.text(output, name="output"),
            place=self._history.stored_path,
            known=lambda: self._evidence.known(session),
        )
        if paths:
            self._store.write(lambda: self._evidence.note_mentions(session, paths))
        return len(paths)

    def practise(self) -> int:
        """Learn what goes with a file in this repository from the commits that were read since the
        last time; return how many they are."""
        return practise(self._history.reading(), self._evidence, self._around)

    def owners(self, path: str) -> list[Owner]:
        """Return who changed a file, or the files of a folder ("src/"), and their shares."""
        stored = self._history.stored_path(path)
        self._history.reading()
        if path.endswith("/"):
            first, last = f"{stored}/", f"{stored}0"
            project = self._evidence.project
            inside = {"project": project, "first": first, "last": last, "limit": 5_000}
            rows = self._store.all("episodes_predictions.paths_between", **inside)
            return self._evidence.owners([name for (name,) in rows], self._store.clock())
        return self._evidence.owners([stored], self._store.clock())

    def fulfilment(self, since: str | None = None) -> list[dict[str, Any]]:
        """Return how many things were foretold and used, by signal and kind."""
        return self._history.reading().records("episodes_predictions.fulfilment", since=since)

    def reasons(self) -> list[dict[str, Any]]:
        """Return what each reason counts by now, how often it spoke and how often it was right."""
        return self._history.reading().records("episodes_predictions.reasons")

    # -- files

    def _files(self, signal: Signal) -> Iterator[Prediction]:
        if signal.kind is not SignalKind.FILE:
            for path, (chance, reason) in self._occasions.files(signal).items():
                yield Prediction(PredictedKind.FILE, path, min(1.0, chance), (reason,))
            return
        path = self._history.stored_path(signal.subject)
        found, weights = self._thought_of(path, signal.session)
        chances = weighing.chances(found, weights)
        wanted = list(islice(chances, _LOOKED_AT))
        gone = self._evidence.gone(wanted)
        for name in wanted:
            if name not in gone and not name.startswith(OUTSIDE):
                reasons = weighing.strongest(found[name], weights)
                yield Prediction(PredictedKind.FILE, name, chances[name], reasons)

    def _thought_of(
        self, path: str, session: str | None
    ) -> tuple[dict[str, Reasons], Mapping[str, float]]:
        links = lru_cache(_LINKS_KEPT)(self._around.links)
        evidence = self._evidence
        if session is None:
            found = companions(path, evidence.history(path), evidence.names(path), links)
            return found, practised(self._store)
        trail, _ = evidence.trail(session)
        if not trail.accesses or trail.accesses[-1].path != path:
            trail = attrs.evolve(trail, accesses=(*trail.accesses, Access(path, Operation.READ)))
        return self._next(trail), self._fulfilment.weights()

    def _next(self, trail: Trail) -> dict[str, Reasons]:
        """Return what may come next: by the session itself, by what was changed together, and what
        lies beside the file."""
        current = trail.accesses[-1].path
        history, names = self._evidence.history(current), self._evidence.names(current)
        likely = companions(current, history, names, lambda path: {})
        together = {path: r["together"] for path, r in likely.items() if "together" in r}
        beside = [path for path in likely if folder_of(path) == folder_of(current)]
        links = lru_cache(_LINKS_KEPT)(self._around.links)
        found = next_files(trail, links, [*together, *beside])
        for path, strength in together.items():
            found[path]["together"] = strength
        return found

    # -- what else

    def _symbols(
        self, signal: Signal, files: Sequence[Prediction], limit: int
    ) -> Iterator[Prediction]:
        chances = {file.name: file.confidence for file in files}
        if signal.kind is SignalKind.FILE:
            chances[self._history.stored_path(signal.subject)] = 1.0
        for path, symbol in islice(self._around.symbols(list(chances)), limit):
            yield Prediction(
                PredictedKind.SYMBOL, f"{path}::{symbol}", chances.get(path, 0.0), ("used there",)
            )

    def _memories(self, signal: Signal, files: Sequence[str], limit: int) -> Iterator[Prediction]:
        if signal.kind is SignalKind.BRANCH and is_trunk(signal.subject):
            return
        about = [signal.subject, *files] if signal.kind is SignalKind.FILE else list(files)
        found = self._around.memories(signal.subject, about)
        for number, text, score in islice(found, limit):
            yield Prediction(PredictedKind.MEMORY, str(number), score, ("known about it",), text)

    def _patterned(self, signal: Signal, limit: int) -> Iterator[Prediction]:
        if signal.kind is SignalKind.FILE:
            path = self._history.stored_path(signal.subject)
            found = self._patterns.find(path=path, limit=limit)
        elif signal.kind is SignalKind.ERROR:
            found = self._patterns.find(error=signature(signal.subject), limit=limit)
        else:
            found = []
        for pattern in found:
            yield Prediction(
                PredictedKind.PATTERN,
                str(pattern.id),
                pattern.confidence,
                (pattern.type.value,),
                pattern.text,
            )
        for pattern in self._patterns.find(PatternType.WORKFLOW, limit=limit):
            yield Prediction(
                PredictedKind.WORKFLOW,
                str(pattern.id),
                pattern.confidence,
                ("usual way of working",),
                pattern.text,
            )
