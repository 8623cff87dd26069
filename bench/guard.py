"""What the guard says of actions: those that a memory speaks against, and harmless ones.

Every project (`bench.projects`) is remembered, and each of its actions is held against it as an
agent passes it. `recall`: share of the actions that are to be warned of for which a right memory
came; `silent`: share of the harmless ones for which nothing came; `precision`: of what came. The
floor is literal triggers alone. `cold`: a process that opens a store and asks the guard, beside
Python with apsw and attrs. With --ablations the weights are learned anew, with each project left
out in turn (`left_out`), and from all (printed).
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

import memkit
from memkit.retrieval.action_match import (
    BASE,
    EVIDENT,
    GUARDING,
    WEIGHTS,
    Evidence,
    Statement,
    triggered,
)

from .projects import Clock, Project, evaluation_projects, remember, training_projects
from .realuse import Answer, Tally, action_text
from .results import Options, Row
from .scoring import at_share, middle

_RUNS = 15
# Strength of the prior that holds weights near nothing.
PENALTY = 0.3
_METRICS = ("recall", "silent", "precision")


@attrs.frozen
class Pair:
    """One action and one memory: the evidence, and whether the memory is right."""

    project: str
    action: int
    is_due: bool
    features: dict[str, float] = attrs.field(factory=dict)
    is_right: bool = False


def run(options: Options) -> list[Row]:
    """Measure the projects of the evaluation data, then those written for training."""
    rows: list[Row] = []
    pairs: list[Pair] = []
    groups = [("training", list(training_projects()))]
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        groups.insert(0, ("realuse", list(evaluation_projects(options.data))))
    for part, projects in groups:
        tally, floor = Tally(), Tally()
        for project in projects:
            pairs += _ask(part, project, tally, floor, options)
        rows += _rows(part, tally, floor)
    rows += _cold(options)
    return rows + (list(_left_out(pairs, options)) if options.ablations else [])


def _rows(part: str, tally: Tally, floor: Tally) -> Iterator[Row]:
    for metric, name in zip(_METRICS, ("warned", "silent", "precision"), strict=True):
        if (value := tally.value(part, name)) is not None:
            yield Row(part, metric, value, floor.value(part, name))


def _ask(
    part: str, project: Project, tally: Tally, floor: Tally, options: Options
) -> Iterator[Pair]:
    with tempfile.TemporaryDirectory() as folder:
        clock = Clock()
        path = Path(folder) / "bench.memkit.db"
        with memkit.open(path, clock=clock, global_store=False) as kit:
            names = remember(kit, clock, project.memories)
            memories = [
                memory for memory in kit.memories.find(limit=1_000) if str(memory.kind) in GUARDING
            ]
            patterns = [(m.id, m.trigger_patterns) for m in memories if m.trigger_patterns]
            for action in project.actions[: options.limit]:
                due = set(action["wanted"])
                result = kit.guard(action["tool"], action["input"])
                told = [names[w.memory_id] for w in result.warnings if w.memory_id is not None]
                tally.due(part, due, Answer(tuple(told)))
                literal = triggered(action_text(action), patterns)
                floor.due(part, due, Answer(tuple(names[n] for n in literal)))
                if options.ablations:
                    yield from _pairs(kit, project, action, memories, names)


def _pairs(
    kit: memkit.Memkit,
    project: Project,
    action: dict[str, Any],
    memories: Sequence[memkit.Memory],
    names: dict[int, str],
) -> Iterator[Pair]:
    from memkit.agents.guard import call_of

    done = call_of(action["tool"], action["input"]).action
    due, number = set(action["wanted"]), int(action["id"][1:])
    ids = json.dumps([memory.id for memory in memories])
    bodies: dict[int, str] = dict(kit._store.all("retrieval.bodies", ids=ids))
    statements = {
        m.id: Statement.of(
            bodies[m.id], m.kind, m.trigger_patterns, [anchor.path for anchor in m.about]
        )
        for m in memories
    }
    if done is None or done.reads:
        yield Pair(project.name, number, bool(due))
        return
    evidence = Evidence(done, statements.values(), len(statements))
    for memory_id, own in statements.items():
        features, _, _ = evidence.features(own)
        yield Pair(project.name, number, bool(due), features, names[memory_id] in due)


# --- Weights learned anew.


def _left_out(pairs: Sequence[Pair], options: Options) -> Iterator[Row]:
    """Yield what weights reach on a project that were learned on all others; print those learned
    on all."""
    known = [pair for pair in pairs if pair.features]
    told: dict[tuple[str, int], list[bool]] = {}
    for project in sorted({pair.project for pair in pairs}):
        weights = _fitted([pair for pair in known if pair.project != project])
        for pair in pairs:
            if pair.project == project:
                answer = told.setdefault((project, pair.action), [pair.is_due, False, False])
                if pair.features and _log_odds(weights, pair) >= EVIDENT:
                    answer[1:] = [True, answer[2] or pair.is_right]
    due = [answer for answer in told.values() if answer[0]]
    harmless = [answer for answer in told.values() if not answer[0]]
    yield Row("left_out", "recall", sum(answer[2] for answer in due) / len(due))
    yield Row("left_out", "silent", sum(not answer[1] for answer in harmless) / len(harmless))
    learned, now = _fitted(known), {"base": BASE, **WEIGHTS}
    for name, weight in learned.items():
        options.say(f"{name:<16} {weight:6.2f}  in use {now[name]:6.2f}")


def _fitted(pairs: Sequence[Pair]) -> dict[str, float]:
    """Return the weights of a logistic regression, by Newton's method."""
    import numpy as np

    names = ["base", *WEIGHTS]
    table = np.array([[1.0, *(pair.features.get(n, 0.0) for n in WEIGHTS)] for pair in pairs])
    right = np.array([float(pair.is_right) for pair in pairs])
    penalty = np.diag([0.0, *[PENALTY] * len(WEIGHTS)])
    weights = np.zeros(len(names))
    for _ in range(40):
        chance = 1 / (1 + np.exp(-table @ weights))
        curve = table.T @ (table * (chance * (1 - chance))[:, None]) + penalty
        weights += np.linalg.solve(curve, table.T @ (right - chance) - penalty @ weights)
    return dict(zip(names, map(float, weights), strict=True))


def _log_odds(weights: dict[str, float], pair: Pair) -> float:
    return weights["base"] + sum(weights[name] * value for name, value in pair.features.items())


# --- Time of a hook.

_ONCE = """
import sys, memkit
with memkit.open(sys.argv[1], global_store=False) as kit:
    print(kit.guard("Bash", sys.argv[2], session="bench"))
"""


def _cold(options: Options) -> Iterator[Row]:
    runs = min(_RUNS, options.limit or _RUNS)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "bench.memkit.db"
        project = next(iter(training_projects()))
        with memkit.open(path, global_store=False) as kit:
            remember(kit, Clock(), project.memories)
        floor = [sys.executable, "-c", "import apsw, attrs"]
        command = [sys.executable, "-c", _ONCE, str(path)]
        actions = ["ls -l", "make all"] + [
            str(a["input"]["command"]) for a in project.actions if "command" in a["input"]
        ]
        times: dict[str, list[float]] = {"floor": [], "guard": []}
        for turn in range(runs):
            times["floor"].append(_spent(floor))
            times["guard"].append(_spent([*command, actions[turn % len(actions)]]))
    yield Row("cold", "p50_ms", middle(times["guard"]), middle(times["floor"]))
    yield Row("cold", "p95_ms", at_share(times["guard"], 0.95), at_share(times["floor"], 0.95))


def _spent(command: Iterable[str]) -> float:
    start = time.perf_counter()
    subprocess.run(list(command), check=False, capture_output=True)
    return 1000 * (time.perf_counter() - start)
