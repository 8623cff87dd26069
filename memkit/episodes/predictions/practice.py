"""Predictions are practised on a repository's own commits, so that what counts in it is known.

Each commit that was read is asked: given one of its files, which are the others, with nothing known
but what came before it?
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import TYPE_CHECKING

from ...store import times
from ...store.local_settings import local_setting, set_local_setting
from . import weighing
from .companions import History, companions
from .evidence import Evidence
from .signals import Surroundings

if TYPE_CHECKING:
    from ...store.connection import Store

# Under this name the weights of what goes with a file are kept.
WEIGHTS = "commit"
_SETTING = "practice.state"
# One step: a repository's own habits show after some dozens of commits (`python -m bench predict`).
STEP = 0.3
# Commits that are practised on, and files of each: a question takes about 10 ms.
_COMMITS = 80
_FILES = 2
# The files of a larger commit are not asked for: nobody looks at so many predictions.
_MOST_FILES = 12


def practised(store: Store) -> dict[str, float]:
    """Return what each reason counts in this repository by now."""
    return weights_of(store, WEIGHTS, usual=weighing.COMPANIONS)


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
    last = local_setting(store, _SETTING, 0)
    fresh = {number for number, _, files in commits if number > last and len(files) > 1}
    fresh = set(sorted(fresh)[-_COMMITS:])
    history = History()
    for number, at, files in commits:
        if number in fresh and len(files) <= _MOST_FILES:
            for path in files[:_FILES]:
                found = companions(path, history, evidence.names(path), links)
                others = [other for other in files if other != path]
                weights = weighing.learnt(found, others, weights, weighing.COMPANIONS, step=STEP)
        history.add(files, times.to_epoch(at))
    if fresh:
        store.write(lambda: _keep(store, weights, max(fresh)))
    return len(fresh)


def _keep(store: Store, weights: Mapping[str, float], last: int) -> None:
    keep_weights(store, WEIGHTS, weights)
    set_local_setting(store, _SETTING, last)
