"""Cascade: what comes back with edges between memories, and without any.

Every row stands beside the same questions answered without following any edge (`RetrievalConfig`).
`links` follows what relates, supersedes, contradicts, is derived and is about the same; `tags`
shared tags; `next` the turn before and after; `clusters` clusters, which recall does not follow by
itself; `all` all of them. `inferred` follows what recall does, in a store in which tags that would
be inferred were given: the worth they would have if they ranked. A set without such edges has no
such row. `gain` is the change of R@20, beside it twice its standard error; lines say that of the
rest.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import numpy as np

import memkit
from memkit.consolidation.tag_inference import plan_tags
from memkit.memories.records import EdgeKind
from memkit.retrieval.records import WALKED, RetrievalConfig

from . import recall
from .projects import Clock, Project, evaluation_projects, remember, training_projects
from .results import Options, Row, Say
from .scoring import DEPTH

DEPTHS = (5, 10, 20)
METRICS = (*(f"R@{depth}" for depth in DEPTHS), "MRR")
WITHOUT = "without"
_TAGS, _NEXT, _CLUSTERS = EdgeKind.HAS_TAG, EdgeKind.NEXT, EdgeKind.IN_CLUSTER
VARIANTS: Mapping[str, frozenset[EdgeKind]] = {
    WITHOUT: frozenset(),
    "links": frozenset(EdgeKind) - {_TAGS, _NEXT, _CLUSTERS},
    "tags": frozenset({_TAGS}),
    "next": frozenset({_NEXT}),
    "clusters": frozenset({_CLUSTERS}),
    "all": frozenset(EdgeKind),
}
INFERRED = "inferred"


@attrs.frozen
class _Asked:
    """One question: its text and the names that must come back."""

    text: str
    evidence: frozenset[str]


@attrs.define
class _Answers:
    """Figures of each answer, by variant."""

    figures: dict[str, list[tuple[float, ...]]] = attrs.field(factory=dict)

    def add(self, variant: str, ranked: Sequence[str], evidence: frozenset[str]) -> None:
        """Count one ranking of names, each once."""
        names = list(dict.fromkeys(ranked))
        shares = [len(evidence.intersection(names[:depth])) / len(evidence) for depth in DEPTHS]
        first = next((1 / n for n, name in enumerate(names, 1) if name in evidence), 0.0)
        self.figures.setdefault(variant, []).append((*shares, first))

    def rows(self, part: str, say: Say) -> Iterator[Row]:
        """Yield the means of each variant beside those without edges."""
        floor = np.array(self.figures.get(WITHOUT, []))
        for variant, figures in self.figures.items():
            if variant == WITHOUT:
                continue
            values = np.array(figures)
            for column, metric in enumerate(METRICS):
                means = (values[:, column].mean(), floor[:, column].mean())
                yield Row(f"{part}/{variant}", metric, float(means[0]), float(means[1]))
            changes = values - floor
            errors = 2 * changes.std(axis=0) / len(changes) ** 0.5
            told = ", ".join(
                f"{metric} {mean:+.4f} ± {error:.4f}"
                for metric, mean, error in zip(METRICS, changes.mean(axis=0), errors, strict=True)
            )
            say(f"{part}/{variant}: {told}")
            at = METRICS.index("R@20")
            yield Row(f"{part}/{variant}", "gain", float(changes[:, at].mean()), float(errors[at]))


def run(options: Options) -> list[Row]:
    """Measure the projects, then conversations and coding sessions."""
    rows = _projects("training", training_projects(), options)
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        rows = [*_projects("realuse", evaluation_projects(options.data), options), *rows]
    for part in recall.PARTS:
        if part.name in ("locomo", "devmembench") and options.folder(part.name, part.folder):
            rows += _conversations(part, options)
    return rows


def _projects(part: str, projects: Iterable[Project], options: Options) -> list[Row]:
    answers = _Answers()
    for project in projects:
        clock = Clock()
        asked = [*project.questions, *project.prompts][: options.limit]
        questions = [_Asked(q["text"], frozenset(q["wanted"])) for q in asked if q["wanted"]]
        with (
            tempfile.TemporaryDirectory() as folder,
            memkit.open(Path(folder) / "b.db", clock=clock, global_store=False) as kit,
        ):
            names = remember(kit, clock, project.memories)
            clock.move(max(question["now"] for question in asked))
            _ask(kit, names, questions, DEPTH, answers)
            _give_inferred_tags(kit)
            _ask_as(INFERRED, WALKED, kit, names, questions, DEPTH, answers)
    return list(answers.rows(part, options.say))


def _conversations(part: recall.Part, options: Options) -> list[Row]:
    answers = _Answers()
    for corpus in recall.limited(part.read(options.data), options.limit):
        questions = [_Asked(q.text, q.evidence) for q in corpus.questions if q.evidence]
        with (
            tempfile.TemporaryDirectory() as folder,
            recall.open_store(Path(folder), corpus.items) as kit,
        ):
            names = recall.remember(kit, corpus.items, chain=part.chain)
            _ask(kit, names, questions, part.limit, answers)
    return list(answers.rows(part.name, options.say))


def _ask(
    kit: memkit.Memkit,
    names: Mapping[int, str],
    questions: Sequence[_Asked],
    limit: int,
    answers: _Answers,
) -> None:
    """Ask with every set of edges of which the store has some."""
    kit.consolidation.refresh_clusters()
    for variant, walked in VARIANTS.items():
        if variant == WITHOUT or _has(kit, walked):
            _ask_as(variant, walked, kit, names, questions, limit, answers)


def _has(kit: memkit.Memkit, kinds: frozenset[EdgeKind]) -> bool:
    is_there = {row["kind"] for row in kit._store.records("tables.edges_rows")}
    if kit.consolidation.clusters():
        is_there.add(EdgeKind.IN_CLUSTER)
    return bool(kinds & is_there)


def _ask_as(
    variant: str,
    walked: frozenset[EdgeKind],
    kit: memkit.Memkit,
    names: Mapping[int, str],
    questions: Sequence[_Asked],
    limit: int,
    answers: _Answers,
) -> None:
    kit._config = RetrievalConfig(walked=walked)
    for question in questions:
        hits = kit.recall(question.text, limit=limit, min_score=0.0)
        answers.add(variant, [names[hit.id] for hit in hits], question.evidence)


def _give_inferred_tags(kit: memkit.Memkit) -> None:
    for change in plan_tags(kit._store, kit._index):
        kit.memories.tag(change.memory_id, change.tag)
