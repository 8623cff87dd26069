"""What was foretold in a session is noted; what came true of it teaches what each reason counts."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING

from ...safety import clean_text, redact
from ...store.ids import name_id
from ...store.local_settings import local_setting, set_local_setting
from ..kinds import SignalKind
from ..signatures import signature
from . import weighing
from .companions import Reasons
from .evidence import Evidence
from .practice import keep_weights, weights_of
from .signals import Forecast
from .trail import Trail

if TYPE_CHECKING:
    from ...store.connection import Store

# Under this name the weights of where a session goes next are kept.
_NEXT = "file"
# Up to which of its rows each session has taught, the latest session last.
_SETTING = "predicting.state"
# More are hardly at work at once; one that comes back after these takes one step twice.
_SESSIONS_KEPT = 20
_LONGEST_SUBJECT = 400


class Fulfilment:
    """Notes predictions of sessions and their outcome; `reasons` tells what speaks for each file
    that may come next on a trail."""

    def __init__(
        self, store: Store, evidence: Evidence, reasons: Callable[[Trail], dict[str, Reasons]]
    ) -> None:
        self._store = store
        self._evidence = evidence
        self._reasons = reasons
        self._ids = store.ids("episodes_predictions.last_prediction_id")

    def weights(self) -> dict[str, float]:
        """Return what each reason counts by now for where a session goes next."""
        return weights_of(self._store, _NEXT, usual=weighing.NEXT)

    def note(self, forecast: Forecast) -> None:
        """Note what was foretold, and first what came true since the last time; inside `write`."""
        signal, now = forecast.signal, self._store.now()
        assert signal.session is not None
        if signal.kind is SignalKind.FILE:
            self._learn(signal.session, now)
        subject = signal.subject
        if signal.kind is SignalKind.ERROR:
            subject = signature(subject) or subject
        waiting = set(self._store.all("episodes_predictions.waiting", session=signal.session))
        for given in forecast.predictions:
            if (given.kind, given.name) in waiting:
                continue
            source = given.reasons[0] if given.reasons else given.kind.value
            self._store.run(
                "episodes_predictions.add",
                id=self._ids.new(),
                timestamp=now,
                session_id=signal.session,
                task_id=signal.task,
                signal=signal.kind,
                subject=redact(clean_text(subject)).text[:_LONGEST_SUBJECT],
                kind=given.kind,
                predicted=given.name,
                source=source,
                weight=min(1.0, max(0.0, given.confidence)),
            )
            self._count(signal.kind, source, now, predicted=1)

    def _note_use(self, session: str, path: str, now: str) -> None:
        rows = self._store.all("episodes_predictions.unused", session=session, predicted=path)
        ids = json.dumps([number for number, _, _ in rows])
        self._store.run("episodes_predictions.set_used", ids=ids, at=now)
        for _, signal, source in rows:
            self._count(signal, source, now, used=1)

    def _count(
        self, signal: str, source: str, now: str, *, predicted: int = 0, used: int = 0
    ) -> None:
        self._store.run(
            "episodes_predictions.count_reason",
            signal=signal,
            source=source,
            weight=weighing.NEXT.get(source, 0.0),
            predicted=predicted,
            used=used,
            at=now,
        )

    def _learn(self, session: str, now: str) -> None:
        """Note which predictions came true by what was opened since the last time, and take one
        step for the newest file."""
        trail, numbers = self._evidence.trail(session)
        kept = local_setting(self._store, _SETTING, {})
        done = {key: number for key, number in kept.items() if type(number) is int}
        # By a number, since the name of a session that is purged is to be gone.
        key = str(name_id("session", session))
        last = done.pop(key, 0)
        opened = [a.path for a, n in zip(trail.accesses, numbers, strict=True) if n > last]
        if not opened:
            return
        for path in dict.fromkeys(opened):
            self._note_use(session, path, now)
        latest = [*done.items(), (key, numbers[-1])][-_SESSIONS_KEPT:]
        set_local_setting(self._store, _SETTING, dict(latest))
        if len(trail.accesses) < 2:
            return
        before, used = trail.before_last(), trail.accesses[-1].path
        weights = weighing.learnt(self._reasons(before), [used], self.weights(), weighing.NEXT)
        keep_weights(self._store, _NEXT, weights)
