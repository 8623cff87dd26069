"""Cascade: what comes back with edges, and without any.

Every row stands beside the same questions answered without following any edge (`RetrievalConfig`).
Between memories: `links` follows what relates, supersedes, contradicts, is derived and is about the
same; `tags` shared tags; `next` the turn before and after; `clusters` clusters, which recall does
not follow by itself; `all` all of them. `inferred` follows what recall does, in a store in which
tags that would be inferred were given: the worth they would have if they ranked. A set without such
edges has no such row. `replaced` are the questions that a statement answers which replaced another
(of chats: as the set says): `successors` lets it inherit where that one stood. `disputed` are
questions that two statements answer which contradict each other, linked as if somebody had said so.
In the code: see `bench/code_edges.py`.

`gain` is the change of R@20 (also of R@5 and of MRR), beside it twice its standard error; lines say
that of the rest. `reach` is the share of missed evidence that lies within two edges of the first
five hits: what an oracle could bring.
"""

from __future__ import annotations

import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import attrs

import memkit
from memkit.consolidation.tag_inference import plan_tags
from memkit.memories.records import EdgeKind
from memkit.retrieval.records import WALKED, CodeEdge, RetrievalConfig

from . import code_edges, recall
from .corpora import Question, beam
from .gains import WITHOUT, Gains
from .projects import Clock, Project, evaluation_projects, remember, training_projects
from .results import Options, Row
from .scoring import DEPTH

_TAGS, _NEXT, _CLUSTERS = EdgeKind.HAS_TAG, EdgeKind.NEXT, EdgeKind.IN_CLUSTER
Kinds = frozenset[EdgeKind | CodeEdge]
VARIANTS: Mapping[str, Kinds] = {
    "links": frozenset(EdgeKind) - {_TAGS, _NEXT, _CLUSTERS},
    "tags": frozenset({_TAGS}),
    "next": frozenset({_NEXT}),
    "clusters": frozenset({_CLUSTERS}),
    "all": frozenset(EdgeKind),
}
INFERRED = "inferred"
_NEAR = 5  # hits of which the neighbours are looked at


@attrs.frozen
class _Asked:
    """One question: its text and the names that must come back."""

    text: str
    evidence: frozenset[str]


@attrs.define
class _Reach:
    """How much of what is missed lies near the hits, by variant: an oracle's gain, beside the share
    of all memories that does."""

    missed: defaultdict[str, list[float]] = attrs.field(factory=lambda: defaultdict(list))
    all: defaultdict[str, list[float]] = attrs.field(factory=lambda: defaultdict(list))

    def rows(self, part: str) -> Iterator[Row]:
        """Yield one row a variant."""
        for variant, shares in self.missed.items():
            every = self.all[variant]
            yield Row(
                f"{part}/{variant}", "reach", sum(shares) / len(shares), sum(every) / len(every)
            )


@attrs.define
class _Answers:
    """What is counted of one set."""

    gains: Gains = attrs.field(factory=Gains)
    reach: _Reach = attrs.field(factory=_Reach)

    def rows(self, part: str, options: Options) -> Iterator[Row]:
        """Yield the gains, and how much more there could be."""
        yield from self.gains.rows(part, options.say)
        yield from self.reach.rows(part)


def run(options: Options) -> list[Row]:
    """Measure the projects, then conversations and coding sessions, then what hangs on code."""
    rows = _projects("training", training_projects(), options)
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        rows = [*_projects("realuse", evaluation_projects(options.data), options), *rows]
    for part in recall.PARTS:
        if part.name in ("locomo", "devmembench") and options.folder(part.name, part.folder):
            rows += _conversations(part, options)
    if options.folder("beam", "beam") is not None:
        rows += _chats(options)
    return rows + list(code_edges.run(options))


# -- sets


def _projects(part: str, projects: Iterable[Project], options: Options) -> list[Row]:
    answers, replaced = _Answers(), Gains()
    for project in projects:
        clock = Clock()
        asked = [*project.questions, *project.prompts][: options.limit]
        questions = [_Asked(q["text"], frozenset(q["wanted"])) for q in asked if q["wanted"]]
        later = frozenset(row["id"] for row in project.memories if row.get("supersedes"))
        with (
            tempfile.TemporaryDirectory() as folder,
            memkit.open(Path(folder) / "b.db", clock=clock, global_store=False) as kit,
        ):
            names = remember(kit, clock, project.memories)
            clock.move(max(question["now"] for question in asked))
            _ask(kit, names, questions, DEPTH, answers)
            _ask_successors(kit, names, [_among(q, later) for q in questions], replaced)
            _give_inferred_tags(kit)
            _ask_as(INFERRED, WALKED, kit, names, questions, DEPTH, answers.gains)
    return [*answers.rows(part, options), *replaced.rows(f"{part}/replaced", options.say)]


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
    return list(answers.rows(part.name, options))


def _chats(options: Options) -> list[Row]:
    """Measure chats whose questions say which message contradicts or updates which."""
    disputed, replaced = _Answers(), Gains()
    for corpus in recall.limited(beam(options.data), options.limit):
        with (
            tempfile.TemporaryDirectory() as folder,
            recall.open_store(Path(folder), corpus.items) as kit,
        ):
            names = recall.remember(kit, corpus.items, chain=False)
            ids = {name: number for number, name in names.items()}
            opposed = [q for q in corpus.questions if q.category == "contradiction_resolution"]
            for old, new in _pairs(opposed, ids):
                kit.memories.contradict(old, new)
            _ask(kit, names, [_Asked(q.text, q.evidence) for q in opposed], DEPTH, disputed)
            updated = [q for q in corpus.questions if q.category == "knowledge_update"]
            _replace(kit, _pairs(updated, ids))
            asked = [_Asked(q.text, frozenset(q.later)) for q in updated]
            _ask_successors(kit, names, asked, replaced)
    return [*disputed.rows("beam/disputed", options), *replaced.rows("beam/replaced", options.say)]


def _pairs(questions: Iterable[Question], ids: Mapping[str, int]) -> list[tuple[int, int]]:
    """Return each message with each that contradicts or updates it."""
    ends = (pair for q in questions for pair in product(q.earlier, q.later))
    return [(ids[old], ids[new]) for old, new in ends if old in ids and new in ids and old != new]


def _replace(kit: memkit.Memkit, pairs: Iterable[tuple[int, int]]) -> None:
    """Let each message be replaced by the first that updates it; what replaces one stays."""
    newer: dict[int, int] = {}
    for old, new in pairs:
        if old not in newer and old not in newer.values() and new not in newer:
            newer[old] = new
            kit.memories.supersede(old, new)


# -- asking


def _among(question: _Asked, names: frozenset[str]) -> _Asked:
    return attrs.evolve(question, evidence=question.evidence & names)


def _ask(
    kit: memkit.Memkit,
    names: Mapping[int, str],
    questions: Sequence[_Asked],
    limit: int,
    answers: _Answers,
) -> None:
    """Ask with every set of edges of which the store has some."""
    kit.consolidation.refresh_clusters()
    edges = [
        (row["src"], row["dst"], row["kind"]) for row in kit._store.records("tables.edges_rows")
    ]
    kinds = {kind for *_, kind in edges}
    if kit.consolidation.clusters():
        kinds.add(EdgeKind.IN_CLUSTER)
    without = _ask_as(WITHOUT, frozenset(), kit, names, questions, limit, answers.gains)
    for variant, walked in VARIANTS.items():
        if kinds & walked:
            _ask_as(variant, walked, kit, names, questions, limit, answers.gains)
        if own := [edge[:2] for edge in edges if edge[2] in walked]:
            _count_reach(variant, own, without, names, questions, answers.reach)


def _ask_as(
    variant: str,
    walked: Kinds,
    kit: memkit.Memkit,
    names: Mapping[int, str],
    questions: Sequence[_Asked],
    limit: int,
    gains: Gains,
    *,
    successors: bool = True,
) -> list[list[int]]:
    """Count the answers to questions, and return the ids that came back for each."""
    kit._config = RetrievalConfig(walked=walked, successors=successors)
    answers = []
    for place, question in enumerate(questions):
        answers.append([hit.id for hit in kit.recall(question.text, limit=limit, min_score=0.0)])
        ranked = [names[number] for number in answers[-1]]
        gains.add(variant, (kit.path, place), (ranked, question.evidence))
    return answers


def _ask_successors(
    kit: memkit.Memkit, names: Mapping[int, str], questions: Sequence[_Asked], gains: Gains
) -> None:
    asked = [question for question in questions if question.evidence]
    for variant, inherits in ((WITHOUT, False), ("successors", True)):
        _ask_as(variant, WALKED, kit, names, asked, DEPTH, gains, successors=inherits)


def _count_reach(
    variant: str,
    edges: Sequence[tuple[int, int]],
    answers: Sequence[Sequence[int]],
    names: Mapping[int, str],
    questions: Sequence[_Asked],
    reach: _Reach,
) -> None:
    """Count what of the evidence that is not among the first hits lies within two edges of them."""
    beside: defaultdict[int, set[int]] = defaultdict(set)
    for a, b in edges:
        beside[a].add(b)
        beside[b].add(a)
    for hits, question in zip(answers, questions, strict=True):
        first = {*hits[:_NEAR]}
        nodes = set(first)
        for _ in range(2):
            nodes |= {other for node in nodes for other in beside.get(node, ())}
        near = {names[node] for node in nodes - first if node in names}
        if missed := question.evidence - {names[number] for number in first}:
            reach.missed[variant].append(len(missed & near) / len(missed))
            reach.all[variant].append(len(near) / len(names))


def _give_inferred_tags(kit: memkit.Memkit) -> None:
    for change in plan_tags(kit.consolidation._environment):
        kit.memories.tag(change.memory_id, change.tag)
