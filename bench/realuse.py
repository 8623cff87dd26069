"""What a developer's own memories answer: questions, whole prompts, actions, pairs of statements.

Every project (`bench.projects`) is remembered statement by statement, the clock standing at each
one's time, and asked with the clock at the question's. `realuse` and `realuse/CLASS` are answers
by the defaults of `recall`; `realuse/open` takes the order alone (`min_score=0`). `first`, `top5`:
share of answerable questions with a right memory first, within five; `stale_first`: with an
outdated one first; `empty`: without an answer; `silent`: share of what nothing answers that got
nothing. Of
prompts: `recall` is the share of the memories that are due, over all prompts, `precision` of those
that came. `realuse/pairs`: what `remember` says of the second of two statements.

The floor is plain FTS5 over the same statements, stop words left out, its best five; `fts5_cut` is
the same with the one fixed cut of its score that does best on these very questions.
`reliability` is the mean distance between predicted and found, over ten classes of predicted
probability.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

import memkit

from .projects import Clock, Project, evaluation_projects, remember, training_projects
from .results import Options, Row
from .scoring import PlainSearch, any_word

LIMIT = 5
SILENT = ("unrelated", "lookalike")
# Rows of the table of reliability: tenths of predicted probability.
TENTHS = 10


@attrs.frozen
class Answer:
    """What one way of asking returned: names of memories, best first, with their scores."""

    names: tuple[str, ...]
    scores: tuple[float, ...] = ()


Ask = Callable[[str], Answer]


@attrs.define
class Tally:
    """Counts by set and metric: how many of how many."""

    counts: Counter[tuple[str, str]] = attrs.field(factory=Counter)
    totals: Counter[tuple[str, str]] = attrs.field(factory=Counter)

    def add(self, part: str, metric: str, amount: float, of: float = 1) -> None:
        """Count an amount out of `of`."""
        self.counts[part, metric] += amount  # type: ignore[assignment]  # shares are counted too
        self.totals[part, metric] += of  # type: ignore[assignment]

    def value(self, part: str, metric: str) -> float | None:
        """Return the share, or None if nothing was counted."""
        total = self.totals[part, metric]
        return self.counts[part, metric] / total if total else None

    def question(self, part: str, question: dict[str, Any], answer: Answer) -> None:
        """Count one answer to a question."""
        wanted, best = set(question["wanted"]), answer.names[:LIMIT]
        if not wanted:
            self.add(f"{part}/{question['class']}", "silent", not best)
            return
        for name in (part, f"{part}/{question['class']}"):
            self.add(name, "first", bool(wanted & set(best[:1])))
            self.add(name, "top5", bool(wanted & set(best)))
            self.add(name, "stale_first", bool(set(question["stale"]) & set(best[:1])))
            self.add(name, "empty", not best)

    def due(self, part: str, wanted: Iterable[str], answer: Answer) -> None:
        """Count what came of what is due to a prompt or an action, or that nothing did."""
        due = set(wanted)
        right = len(due & set(answer.names))
        self.add(part, "precision", right, of=len(answer.names))
        if due:
            self.add(part, "recall", right, of=len(due))
            self.add(part, "warned", bool(right))
        else:
            self.add(part, "silent", not answer.names)


@attrs.define
class Reliability:
    """Predicted probabilities of answers beside how many of them were right, by tenths."""

    predicted: list[list[float]] = attrs.field(factory=lambda: [[] for _ in range(TENTHS)])
    right: list[int] = attrs.field(factory=lambda: [0] * TENTHS)

    def add(self, wanted: Iterable[str], answer: Answer) -> None:
        """Count the hits of one answer."""
        due = set(wanted)
        for name, score in zip(answer.names, answer.scores, strict=True):
            tenth = min(int(score * TENTHS), TENTHS - 1)
            self.predicted[tenth].append(score)
            self.right[tenth] += name in due

    def rows(self, part: str) -> Iterator[Row]:
        """Yield what was found in each tenth beside what was predicted, and the mean distance."""
        apart = []
        for tenth, scores in enumerate(self.predicted):
            if scores:
                mean, share = sum(scores) / len(scores), self.right[tenth] / len(scores)
                apart.append((abs(mean - share), len(scores)))
                yield Row(f"{part}/reliability/{tenth / TENTHS:.1f}", "hits", len(scores))
                yield Row(f"{part}/reliability/{tenth / TENTHS:.1f}", "found", share, mean)
        total = sum(count for _, count in apart)
        if total:
            yield Row(part, "reliability", sum(gap * count for gap, count in apart) / total)


def run(options: Options) -> list[Row]:
    """Measure the projects of the evaluation data, then those written for training."""
    rows: list[Row] = []
    groups = [("training", list(training_projects()))]
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        groups.insert(0, ("realuse", list(evaluation_projects(options.data))))
    for part, projects in groups:
        rows += measure(part, projects, options)
    return rows


def measure(part: str, projects: Sequence[Project], options: Options) -> list[Row]:
    """Return the rows of some projects taken together."""
    tally, floor, reliability = Tally(), Tally(), Reliability()
    scored: list[tuple[dict[str, Any], Answer]] = []
    for project in projects:
        with tempfile.TemporaryDirectory() as folder:
            clock = Clock()
            with _store(Path(folder), clock, options) as kit:
                names = remember(kit, clock, project.memories)
                _ask_all(part, project, kit, clock, names, tally, reliability, options)
            _pairs(part, project, Path(folder), tally, options)
        plain = FullText(project.memories)
        for question in project.questions[: options.limit]:
            answer = plain.ask(question["text"])
            floor.question(part, question, answer)
            floor.question(f"{part}/open", question, answer)
            scored.append((question, answer))
        for prompt in project.prompts[: options.limit]:
            floor.due(f"{part}/prompts", prompt["wanted"], plain.ask(prompt["text"]))
        for action in project.actions[: options.limit]:
            floor.due(f"{part}/actions", action["wanted"], plain.ask(action_text(action)))
    return [*_rows(tally, floor), *reliability.rows(part), *_best_cut(part, scored)]


def _store(folder: Path, clock: Clock, options: Options) -> memkit.Memkit:
    return memkit.open(folder / "bench.memkit.db", clock=clock, global_store=False)


def _ask_all(
    part: str,
    project: Project,
    kit: memkit.Memkit,
    clock: Clock,
    names: dict[int, str],
    tally: Tally,
    reliability: Reliability,
    options: Options,
) -> None:
    def ask(text: str, **how: float) -> Answer:
        hits = kit.recall(text, **how)  # type: ignore[arg-type]
        return Answer(tuple(names[hit.id] for hit in hits), tuple(hit.score for hit in hits))

    for question in project.questions[: options.limit]:
        clock.move(question["now"])
        tally.question(part, question, ask(question["text"], limit=LIMIT))
        every = ask(question["text"], limit=LIMIT, min_score=0.0)
        tally.question(f"{part}/open", question, every)
        reliability.add(question["wanted"], every)
    for prompt in project.prompts[: options.limit]:
        clock.move(prompt["now"])
        tally.due(f"{part}/prompts", prompt["wanted"], ask(prompt["text"]))
    for action in project.actions[: options.limit]:
        tally.due(f"{part}/actions", action["wanted"], ask(action_text(action)))


def action_text(action: dict[str, Any]) -> str:
    """Return what an action is asked by: its command, or its path and the new text."""
    given = action["input"]
    return str(given.get("command") or f"{given.get('file_path')}\n{given.get('new_string', '')}")


def _pairs(part: str, project: Project, folder: Path, tally: Tally, options: Options) -> None:
    """Count what `remember` says of the second statement of each pair, each in a store of its own:
    whether it was folded into the first or linked to it as saying the same, and whether the two
    are said to be at odds."""
    for number, pair in enumerate(project.pairs[: options.limit]):
        path = folder / f"pair{number}.memkit.db"
        with memkit.open(path, global_store=False) as kit:
            first = kit.memories.remember(pair["a"])
            second = kit.memories.remember(pair["b"])
            folded = second.id == first.id
            noticed = (
                bool(kit.memories.contradictions())
                or kit.memories.get(first).superseded_by is not None
            )
        label = pair["label"]
        if label in ("contradict", "update"):
            tally.add(f"{part}/pairs", "noticed", noticed)
        elif label == "duplicate":
            tally.add(f"{part}/pairs", "folded", folded or first.id in second.repeats)
        else:
            tally.add(f"{part}/pairs", "false_noticed", noticed)
            tally.add(f"{part}/pairs", "false_folded", folded)


class FullText:
    """The floor: FTS5 with porter stems over the statements as they are written."""

    def __init__(self, rows: Iterable[dict[str, Any]]) -> None:
        self._plain = PlainSearch((row["id"], plain_text(row)) for row in rows)

    def ask(self, text: str) -> Answer:
        """Return the best five with BM25, larger is better."""
        match = any_word(text, stop=True)
        found = self._plain.scored(match, limit=LIMIT) if match else []
        return Answer(tuple(name for name, _ in found), tuple(score for _, score in found))


def plain_text(row: dict[str, Any]) -> str:
    """Return all that a statement says, as plain text."""
    parts = (row["text"], row["key"], row["value"], *row["steps"], *row["tags"])
    return "\n".join(part for part in parts if part)


def _best_cut(part: str, scored: Sequence[tuple[dict[str, Any], Answer]]) -> Iterator[Row]:
    """Yield what the floor reaches with its best fixed cut: where answers kept and silence kept,
    taken as shares, add up to most."""

    def tally(cut: float) -> Tally:
        counted = Tally()
        for question, answer in scored:
            kept = sum(score >= cut for score in answer.scores)
            counted.question("cut", question, Answer(answer.names[:kept]))
        return counted

    def worth(counted: Tally) -> float:
        silences = [counted.value(f"cut/{name}", "silent") or 0.0 for name in SILENT]
        return (counted.value("cut", "first") or 0.0) + sum(silences) / len(silences)

    if not scored:
        return
    best = max(map(tally, (number / 2 for number in range(60))), key=worth)
    for name, metric in best.totals:
        if name == "cut" or metric == "silent":
            yield Row(f"{part}/fts5_{name}", metric, best.value(name, metric) or 0.0)


def _rows(tally: Tally, floor: Tally) -> Iterator[Row]:
    for part, metric in tally.totals:
        if (value := tally.value(part, metric)) is not None:
            yield Row(part, metric, value, floor.value(part, metric))
