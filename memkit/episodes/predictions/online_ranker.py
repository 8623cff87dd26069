"""Softmax over features, online gradient steps, training on commits and outcomes."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Collection, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from ...redaction import clean_text, redact
from ...store import timestamps
from ...store.ids import name_id
from ...store.store import local_setting, set_local_setting
from ..error_signatures import signature
from ..records import SignalKind
from . import PredictionResult, Surroundings
from .co_change import ChangeHistory, Reasons, companions
from .navigation import Trail
from .observations import Evidence

if TYPE_CHECKING:
    from ...store.store import Store


# --- What each reason counts, and how that is learnt.
#
# A file's score is the sum of its reasons times their weights; the chance that it is the one is
# its share in exp(score) over all files that were thought of. After each file that was really
# used the weights take one step of stochastic gradient ascent on the logarithm of its chance
# (Luce's choice model). Each weight stays within bounds around what it was delivered with, so
# that a strange week does not spoil the next.

Weights = dict[str, float]

# One step: a new way of working shows after a few files. Half as large or larger ones gain less
# (`python -m bench predict`).
STEP = 0.5
# How far a weight may move from what it was delivered with.
_FARTHEST = 4.0

# Learnt on commits of four repositories and on seventeen sessions (`python -m bench predict` prints
# what they do there); "same kind" and "test" do not vary in those commits and were set by the
# sessions.
COMPANIONS: Mapping[str, float] = {
    "together": 3.63,
    "recent": 1.62,
    "changed before": 0.35,
    "linked": 1.04,
    "bound": 2.76,
    "linked beyond": 1.22,
    "near": 1.39,
    "alike": 0.77,
    "same kind": 0.32,
    "test": 0.25,
}
NEXT: Mapping[str, float] = {
    "same again": 2.12,
    "read in part": 1.15,
    "opened lately": 1.19,
    "opened long ago": -1.37,
    "new": -1.86,
    "new while exploring": 1.52,
    "found": 1.59,
    "named last": 1.21,
    "first of those named": 0.35,
    "next of a list": 1.03,
    "asked for": 2.11,
    "near while exploring": 2.11,
    "kind of late": 1.07,
    "a test": -1.08,
    # Neither code nor history lies beside those sessions: about half of what they count for
    # companions.
    "linked now": 0.5,
    "linked with those opened": 0.5,
    "together": 2.0,
}


def scores(candidates: Mapping[str, Reasons], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the score of each file."""
    return {
        path: sum(value * weights.get(reason, 0.0) for reason, value in reasons.items())
        for path, reasons in candidates.items()
    }


def chances(candidates: Mapping[str, Reasons], weights: Mapping[str, float]) -> dict[str, float]:
    """Return the chance of each file to be the one, best first; equal ones by their path."""
    file_scores = scores(candidates, weights)
    highest = max(file_scores.values(), default=0.0)
    parts = {path: math.exp(score - highest) for path, score in file_scores.items()}
    total = sum(parts.values())
    best = sorted(parts, key=lambda path: (-parts[path], path))
    return {path: parts[path] / total for path in best}


def learnt(
    candidates: Mapping[str, Reasons],
    used: Collection[str],
    weights: Mapping[str, float],
    delivered: Mapping[str, float],
    *,
    step: float = STEP,
) -> Weights:
    """Return the weights after files among those thought of were used; unchanged if none was."""
    right = [path for path in used if path in candidates]
    if not right:
        return dict(weights)
    pull: dict[str, float] = {}
    for path, chance in chances(candidates, weights).items():
        error = (1 / len(right) if path in right else 0.0) - chance
        for reason, value in candidates[path].items():
            pull[reason] = pull.get(reason, 0.0) + error * value
    moved = {r: weights.get(r, 0.0) + step * pull.get(r, 0.0) for r in delivered}
    return {
        reason: min(max(moved[reason], base - _FARTHEST), base + _FARTHEST)
        for reason, base in delivered.items()
    }


def strongest(reasons: Reasons, weights: Mapping[str, float]) -> tuple[str, ...]:
    """Return the reasons that speak for a file, the weightiest first, at most three."""
    parts = {reason: value * weights.get(reason, 0.0) for reason, value in reasons.items()}
    telling = sorted(
        (r for r in parts if parts[r] > 0), key=lambda reason: (-parts[reason], reason)
    )
    return tuple(telling[:3])


# --- Predictions are practised on a repository's own commits, so that what counts in it is known.
#
# Each commit that was read is asked: given one of its files, which are the others, with nothing
# known but what came before it?

# Under this name the weights of what goes with a file are kept.
WEIGHTS = "commit"
_COMMIT_SETTING = "practice.state"
# One step: a repository's own habits show after some dozens of commits (`python -m bench predict`).
COMMIT_STEP = 0.3
# Commits that are practised on, and files of each: a question takes about 10 ms.
_COMMITS = 80
_FILES = 2
# The files of a larger commit are not asked for: nobody looks at so many predictions.
_MAX_FILES = 12


def practised(store: Store) -> dict[str, float]:
    """Return what each reason counts in this repository by now."""
    return weights_of(store, WEIGHTS, usual=COMPANIONS)


def weights_of(store: Store, name: str, *, usual: Mapping[str, float]) -> dict[str, float]:
    """Return what each reason counts by now, kept under a name; as usual where nothing is kept."""
    learnt: dict[str, float] = dict(store.all("episodes_predictions.weights", signal=name))
    return {reason: learnt.get(reason, weight) for reason, weight in usual.items()}


def keep_weights(store: Store, name: str, weights: Mapping[str, float]) -> None:
    """Keep what each reason counts by now under a name; inside `write`."""
    same = {"signal": name, "at": store.now()}
    for reason, weight in weights.items():
        store.run("episodes_predictions.set_weight", source=reason, weight=weight, **same)


def practise(store: Store, evidence: Evidence, around: Surroundings) -> int:
    """Learn from the newest commits that were not learnt from yet; return how many they are."""
    links = lru_cache(2_000)(around.links)
    weights: Mapping[str, float] = practised(store)
    commits = list(evidence.commits())
    last = local_setting(store, _COMMIT_SETTING, 0)
    fresh = {number for number, _, files in commits if number > last and len(files) > 1}
    fresh = set(sorted(fresh)[-_COMMITS:])
    history = ChangeHistory()
    for number, at, files in commits:
        if number in fresh and len(files) <= _MAX_FILES:
            for path in files[:_FILES]:
                candidates = companions(path, history, evidence.names(path), links)
                others = [other for other in files if other != path]
                weights = learnt(candidates, others, weights, COMPANIONS, step=COMMIT_STEP)
        history.add(files, timestamps.to_epoch(at))

    def keep() -> None:
        keep_weights(store, WEIGHTS, weights)
        set_local_setting(store, _COMMIT_SETTING, max(fresh))

    if fresh:
        store.write(keep)
    return len(fresh)


# --- What was foretold in a session is noted; what came true of it teaches what each reason
# counts.

# Under this name the weights of where a session goes next are kept.
_NEXT = "file"
# Up to which of its rows each session has taught, the latest session last.
_OUTCOME_SETTING = "predicting.state"
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
        return weights_of(self._store, _NEXT, usual=NEXT)

    def note(self, forecast: PredictionResult) -> None:
        """Note what was foretold, and first what came true since the last time; inside `write`."""
        signal, now = forecast.signal, self._store.now()
        assert signal.session is not None
        if signal.kind is SignalKind.FILE:
            self._learn(signal.session, now)
        subject = signal.subject
        if signal.kind is SignalKind.ERROR:
            subject = signature(subject) or subject
        waiting = set(self._store.all("episodes_predictions.waiting", session=signal.session))
        for prediction in forecast.predictions:
            if (prediction.kind, prediction.name) in waiting:
                continue
            source = prediction.reasons[0] if prediction.reasons else prediction.kind.value
            self._store.run(
                "episodes_predictions.add",
                id=self._ids.new(),
                timestamp=now,
                session_id=signal.session,
                task_id=signal.task,
                signal=signal.kind,
                subject=redact(clean_text(subject)).text[:_LONGEST_SUBJECT],
                kind=prediction.kind,
                predicted=prediction.name,
                source=source,
                weight=min(1.0, max(0.0, prediction.confidence)),
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
            weight=NEXT.get(source, 0.0),
            predicted=predicted,
            used=used,
            at=now,
        )

    def _learn(self, session: str, now: str) -> None:
        """Note which predictions came true by what was opened since the last time, and take one
        step for the newest file."""
        trail, numbers = self._evidence.trail(session)
        setting = local_setting(self._store, _OUTCOME_SETTING, {})
        done = {key: number for key, number in setting.items() if type(number) is int}
        # By a number, since the name of a session that is purged is to be gone.
        key = str(name_id("session", session))
        last = done.pop(key, 0)
        opened = [a.path for a, n in zip(trail.accesses, numbers, strict=True) if n > last]
        if not opened:
            return
        for path in dict.fromkeys(opened):
            self._note_use(session, path, now)
        latest = [*done.items(), (key, numbers[-1])][-_SESSIONS_KEPT:]
        set_local_setting(self._store, _OUTCOME_SETTING, dict(latest))
        if len(trail.accesses) < 2:
            return
        # The trail without its last file is what was known when that was chosen.
        before, used = attrs.evolve(trail, accesses=trail.accesses[:-1]), trail.accesses[-1].path
        weights = learnt(self._reasons(before), [used], self.weights(), NEXT)
        keep_weights(self._store, _NEXT, weights)
