"""The questions that ranking is learned from: every candidate's columns, through the real store.

Beside the sets as they are, turns without their neighbours and whole sessions as single memories
are asked for, so that the weights hold for memories of any length, chained or not.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

import attrs
import numpy as np

import memkit
from memkit.retrieval import ranker, weights
from memkit.retrieval.candidates import Gathering
from memkit.retrieval.late_interaction import Matrices
from memkit.retrieval.query import understand
from memkit.retrieval.records import Recipe
from memkit.retrieval.spelling import Speller

from . import corpora, precision
from .learning import Asked
from .recall import open_store, remember

FOLDS = 6
# Columns that mean the same in every store, for the calibration: names count in the order too,
# the others (of each table) only in the chance.
NAMED = ("named", "named*words")
OWN = {"FULL": ("coverage", "soft"), "COSINE": ("coverage", "cosine"), "LEXICAL": ("coverage",)}
RECIPES = {
    "FULL": Recipe(),
    "COSINE": Recipe(late_interaction=False),
    "LEXICAL": Recipe(vectors=False, late_interaction=False),
}
# Chats with more messages are not joined into runs: the small ones are enough.
_JOINED = 500


@attrs.frozen
class Set:
    """A set as it is asked: name, fold, corpus, whether its items are chained, every n-th
    question."""

    name: str
    fold: int
    corpus: corpora.Corpus
    chain: bool = False
    step: int = 1


def sets(data: Path) -> Iterator[Set]:
    """Yield every corpus that is asked, with the fold it belongs to."""
    for number, corpus in enumerate(corpora.locomo(data)):
        fold = number % FOLDS
        yield Set("locomo", fold, corpus, chain=True)
        yield Set("sessions", fold, joined(corpus, turns=0), step=2)
        apart = tuple(attrs.evolve(item, session=None) for item in corpus.items)
        yield Set("turns", fold, attrs.evolve(corpus, items=apart), step=4)
    for number, corpus in enumerate(corpora.beam(data)):
        fold = number % FOLDS
        yield Set("beam", fold, corpus, chain=True)
        if len(corpus.items) < 500:
            yield Set("sessions", fold, joined(corpus, turns=4))
    for whole, name in ((True, "devmembench/whole"), (False, "devmembench")):
        for corpus in corpora.devmembench(data, whole=whole):
            yield Set(name, 0, corpus, chain=not whole)
    for fold, name in ((1, "devbench"), (2, "locomo_plus"), (5, "longmemeval_mini")):
        for corpus in getattr(corpora, name)(data):
            yield Set(name, fold, corpus)


def joined(corpus: corpora.Corpus, *, turns: int) -> corpora.Corpus:
    """Return the corpus with whole sessions (or runs of `turns` items) as single items."""
    groups: dict[str, list[corpora.Item]] = {}
    for place, item in enumerate(corpus.items):
        groups.setdefault(str(place // turns) if turns else str(item.session), []).append(item)
    group_of = {item.id: name for name, items in groups.items() for item in items}
    return corpora.Corpus(
        tuple(
            corpora.Item(name, "\n".join(item.text for item in items), at=items[0].at)
            for name, items in groups.items()
        ),
        tuple(
            corpora.Question(q.text, {group_of[e] for e in q.evidence if e in group_of}, q.category)
            for q in corpus.questions
        ),
    )


def collect(data: Path, table: str) -> tuple[list[str], list[Asked]]:
    """Return the names of the columns, and every question with the columns of its candidates."""
    recipe = RECIPES[table]
    names = list(getattr(weights, table).columns)
    names += [name for name in OWN[table] if name not in names]
    found: list[Asked] = []
    for one in sets(data):
        with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as kit:
            golds = remember(kit, one.corpus.items, chain=one.chain)
            found.extend(
                _asked(kit, golds, question, recipe, names, one.name, one.fold)
                for question in one.corpus.questions[:: one.step]
            )
    beliefs, cases, sessions = corpora.precisionmembench(data)
    asked = [precision._case(case, beliefs) for case in cases]
    asked += [case for session in sessions for case in precision._turns(session, beliefs)]
    for case in asked:
        if case.wanted is None:
            continue
        with tempfile.TemporaryDirectory() as folder, open_store(Path(folder)) as kit:
            golds = precision.remember(kit, case.live)
            question = corpora.Question(case.question, case.wanted)
            found.append(_asked(kit, golds, question, recipe, names, "precisionmembench", 3))
    return names, found


def _asked(
    kit: memkit.Memkit,
    golds: dict[int, str],
    question: corpora.Question,
    recipe: Recipe,
    names: Sequence[str],
    part: str,
    fold: int,
) -> Asked:
    with kit.store.snapshot():
        asked = understand(question.text)
        looking = Gathering(
            kit.store,
            kit._index,
            asked,
            recipe=recipe,
            hidden_by=lambda _: None,
            matrices=Matrices(kit.store),
            speller=Speller(kit.store, kit._index),
        )
        gathered = looking.gather()
        columns, _ = ranker.evidence(gathered)
    ids = gathered.pool.candidates
    full = {
        name: ranker.column(columns, name)
        for name in names
        if name in columns or all(factor in columns for factor in name.split("*"))
    }
    table = np.array([full.get(name, [0.0] * len(ids)) for name in names], np.float32).T
    called = tuple(golds[number] for number in ids)
    return Asked(
        part=part,
        fold=fold,
        category=question.category,
        columns=table.reshape(len(ids), len(names)),
        relevant=np.array([name in question.evidence for name in called], bool),
        names=called,
        gold=question.evidence,
        words=len(asked.terms),
    )
