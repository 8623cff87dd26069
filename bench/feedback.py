"""What feedback does to the ranking: a part of the questions is served and told of, others follow.

Of each store every second question is asked first; what came is told of by the gold (used if it is
right, rejected if not), one question an hour. Then the others are asked whose evidence was told of:
all that feedback can help. `others` are those whose evidence was not: all that it can only harm. In
`wrong20` and `wrong50` so much of what is told is the contrary of what is true. The floor is the
same questions to the same store without feedback; `gain` is the mean difference of the reciprocal
rank of a question, and `error` the standard error of that. Rankings are taken with `min_score=0`.
`links` is `right` with the links that were discovered of it.

`implicit`: memories of a project held against its actions, each as though it had just been shown:
`precision` and `recall` by the labels of what is due as a warning (which leaves out what is merely
followed, so precision is higher than that), `per_1000` how many of a thousand pairs of an action
and a memory of *another* project are taken for a use: none is.
"""

from __future__ import annotations

import random
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from statistics import fmean, stdev

import attrs

import memkit
from memkit.consolidation.feedback import TextTerms, is_use
from memkit.consolidation.link_discovery import discover_links

from . import projects, recall
from .corpora import Corpus, Question
from .realuse import action_text, plain_text
from .results import Options, Row
from .scoring import DEPTH, Ranking

RANKING = ("R@5", "R@20", "MRR")
WRONG = {"right": 0.0, "wrong20": 0.2, "wrong50": 0.5, "links": 0.0}
# Hits of a question that are told of.
SERVED = 5
_FILE = "bench.memkit.db"


@attrs.frozen
class Store:
    """One store to be asked.

    Attributes:
        folder: where its file lies. names: of the memories, as the evidence names them.
        questions: asked of it, each with evidence. limit: hits asked for. at: when, epoch seconds.
    """

    folder: Path
    names: dict[int, str]
    questions: Sequence[Question]
    limit: int
    at: float


@attrs.define
class Ranks:
    """Rankings of the questions that feedback bears on, and of the others."""

    overlap: Ranking = attrs.field(factory=Ranking)
    others: Ranking = attrs.field(factory=Ranking)


def run(options: Options) -> list[Row]:
    """Measure every set whose folder is there."""
    rows: list[Row] = []
    parts = [part for part in recall.PARTS if part.name in ("locomo", "devmembench")]
    for part in parts:
        if options.folder(part.name, part.folder) is not None:
            rows += measure(part.name, partial(_corpora, part, options))
    if options.folder("realuse", "realuse", holds="*/memories.jsonl") is not None:
        rows += measure("realuse", partial(_projects, options))
    return rows + implicit(options)


def measure(name: str, stores: Callable[[Path], Iterator[Store]]) -> list[Row]:
    """Return the rows of one set."""
    ranks = {how: Ranks() for how in ("without", *WRONG)}
    with tempfile.TemporaryDirectory() as folder:
        for store in stores(Path(folder)):
            told, asked = store.questions[::2], store.questions[1::2]
            about = frozenset().union(*(question.evidence for question in told))
            _ask(store, store.folder / _FILE, asked, about, ranks["without"])
            for how, share in WRONG.items():
                path = store.folder / f"{how}.memkit.db"
                shutil.copy(store.folder / _FILE, path)
                _tell(store, path, told, share, links=how == "links")
                _ask(store, path, asked, about, ranks[how])
    return [row for how in WRONG for row in _rows(name, how, ranks)]


def _tell(store: Store, path: Path, told: Sequence[Question], share: float, *, links: bool) -> None:
    """Ask and tell of what came, one question an hour, the last an hour before the others."""
    chance = random.Random(17)
    now = [store.at - 3600.0 * len(told)]
    with memkit.open(path, clock=lambda: now[0], global_store=False) as kit:
        for question in told:
            hits = kit.recall(question.text, limit=SERVED, min_score=0.0)
            right: list[int] = []
            wrong: list[int] = []
            for hit in hits:
                is_right = store.names[hit.id] in question.evidence
                (right if is_right != (chance.random() < share) else wrong).append(hit.id)
            if right:
                kit.consolidation.used(right)
            if wrong:
                kit.consolidation.rejected(wrong)
            now[0] += 3600.0
        if links:
            discover_links(kit._store)


def implicit(options: Options) -> list[Row]:
    """Return how well it is seen that an action uses a memory."""
    every = [*projects.training_projects()]
    if options.folder("implicit", "realuse", holds="*/memories.jsonl") is not None:
        every += projects.evaluation_projects(options.data)
    counts: Counter[str] = Counter()
    actions = {
        project.name: [(TextTerms.of(action_text(row)), row["wanted"]) for row in project.actions]
        for project in every
    }
    for project in every:
        memories = {
            row["id"]: TextTerms.of(plain_text(row))
            for row in project.memories
            if row["kind"] != "negative"
        }
        held = Counter(part for each in memories.values() for part in each.names | each.words)
        for name, rows in actions.items():
            for action, due in rows:
                taken = {
                    n for n, each in memories.items() if is_use(each & action, held.__getitem__)
                }
                if name == project.name:
                    counts["taken"] += len(taken)
                    counts["right"] += len(taken & set(due))
                    counts["due"] += len(memories.keys() & set(due))
                else:
                    counts["foreign"] += len(taken)
                    counts["pairs"] += len(memories)
    return [
        Row("implicit", "precision", counts["right"] / max(counts["taken"], 1)),
        Row("implicit", "recall", counts["right"] / max(counts["due"], 1)),
        Row("implicit", "hits", counts["taken"]),
        Row("implicit/foreign", "per_1000", 1000 * counts["foreign"] / max(counts["pairs"], 1)),
        Row("implicit/foreign", "hits", counts["pairs"]),
    ]


def _ask(
    store: Store, path: Path, asked: Sequence[Question], about: frozenset[str], ranks: Ranks
) -> None:
    with memkit.open(path, clock=lambda: store.at, global_store=False) as kit:
        for question in asked:
            hits = kit.recall(question.text, limit=store.limit, min_score=0.0)
            ranking = ranks.others if about.isdisjoint(question.evidence) else ranks.overlap
            ranking.add((store.names[hit.id] for hit in hits), question.evidence)


def _rows(name: str, how: str, ranks: dict[str, Ranks]) -> Iterator[Row]:
    for part, pick in (("overlap", _overlap), ("others", _others)):
        after, before = pick(ranks[how]), pick(ranks["without"])
        if not len(after):
            continue
        for metric in RANKING:
            value, floor = after.value(metric), before.value(metric)
            yield Row(f"{name}/{how}/{part}", metric, value, floor)
        pairs = zip(after.reciprocals(), before.reciprocals(), strict=True)
        gains = [mine - theirs for mine, theirs in pairs]
        yield Row(f"{name}/{how}/{part}", "hits", len(gains))
        yield Row(f"{name}/{how}/{part}", "gain", fmean(gains))
        if len(gains) > 1:
            yield Row(f"{name}/{how}/{part}", "error", stdev(gains) / len(gains) ** 0.5)


def _overlap(ranks: Ranks) -> Ranking:
    return ranks.overlap


def _others(ranks: Ranks) -> Ranking:
    return ranks.others


def _corpora(part: recall.Part, options: Options, folder: Path) -> Iterator[Store]:
    for number, corpus in enumerate(recall.limited(part.read(options.data), options.limit)):
        place = folder / str(number)
        place.mkdir()
        with recall.open_store(place, corpus.items) as kit:
            names = recall.remember(kit, corpus.items, chain=part.chain)
            at = kit._store.clock()
        yield Store(place, names, _shuffled(corpus), part.limit, at)


def _shuffled(corpus: Corpus) -> list[Question]:
    """Return the questions with evidence in an order that has nothing to do with theirs."""
    questions = [question for question in corpus.questions if question.evidence]
    random.Random(7).shuffle(questions)
    return questions


def _projects(options: Options, folder: Path) -> Iterator[Store]:
    every = [*projects.evaluation_projects(options.data), *projects.training_projects()]
    for number, project in enumerate(every):
        place = folder / str(number)
        place.mkdir()
        clock = projects.Clock()
        with memkit.open(place / _FILE, clock=clock, global_store=False) as kit:
            names = projects.remember(kit, clock, project.memories)
        questions = tuple(
            Question(row["text"], row["wanted"]) for row in project.questions[: options.limit]
        )
        at = max(projects.epoch(row["now"]) for row in project.questions)
        yield Store(place, names, _shuffled(Corpus((), questions)), DEPTH, at)
