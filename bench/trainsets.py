"""The questions that ranking is learned from: every candidate's columns, through the real store.

Beside the sets as they are, turns without their neighbours and whole sessions as single memories
are asked for, so that the weights hold for memories of any length, chained or not.
A sentence encoder takes an hour for what a static model embeds in seconds, so the table CONTEXTUAL
is learned from the sets of `_SMALL` alone: no long chats (beam), no text embedded a second time
(whole sessions, turns apart), and every fourth question of locomo.
"""

from __future__ import annotations

import os
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs
import numpy as np

import memkit
from memkit.encoder import USUAL, VARIABLE
from memkit.retrieval import ranker
from memkit.retrieval.records import RetrievalConfig

from . import corpora, precision, projects, realnotes
from .archives import unpack
from .learning import Asked
from .recall import open_store, remember

if TYPE_CHECKING:
    from memkit.retrieval.features import Column, Columns

FOLDS = 6
CONFIGS = {
    "FULL": RetrievalConfig(),
    "COSINE": RetrievalConfig(late_interaction=False),
    "LEXICAL": RetrievalConfig(vectors=False, late_interaction=False),
    "CONTEXTUAL": RetrievalConfig(),
}
# The encoder of the tables that are not learned with the packaged one.
ENCODERS = {"CONTEXTUAL": "minilm"}
# The sets that a slow encoder is asked, and every how manieth question of each.
_SMALL = {
    "locomo": 4, "locomo_plus": 1, "devmembench/whole": 1, "devmembench": 1, "devbench": 1,
    "longmemeval_mini": 1,
}  # fmt: skip
# Statements of one repository's notes.
MOST_NOTES = 100_000
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


def sets_of(data: Path, table: str) -> Iterator[Set]:
    """Yield the sets that a table is learned from: all, or what a slow encoder has time for."""
    for one in sets(data):
        if table not in ENCODERS:
            yield one
        elif one.name in _SMALL:
            yield attrs.evolve(one, step=_SMALL[one.name])


@contextmanager
def opened_with(encoder: str) -> Iterator[None]:
    """Have every store opened with an encoder, by name."""
    before = os.environ.get(VARIABLE)
    os.environ[VARIABLE] = encoder
    try:
        yield
    finally:
        os.environ.pop(VARIABLE)
        if before is not None:
            os.environ[VARIABLE] = before


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


def collect(
    data: Path, table: str, names: Sequence[str], *, encoder: str | None = None
) -> list[Asked]:
    """Return every question with the named columns of its candidates, clause by clause; `encoder`
    stands for that of the table."""
    with opened_with(encoder or ENCODERS.get(table, USUAL)):
        return _collect(data, table, names)


def _collect(data: Path, table: str, names: Sequence[str]) -> list[Asked]:
    config = CONFIGS[table]
    found: list[Asked] = []
    for one in sets_of(data, table):
        with (
            tempfile.TemporaryDirectory() as folder,
            open_store(Path(folder), one.corpus.items) as kit,
        ):
            golds = remember(kit, one.corpus.items, chain=one.chain)
            found.extend(
                _asked(kit, golds, question, config, names, one.name, f"{one.name}{one.fold}")
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
            found.append(_asked(kit, golds, question, config, names, "precisionmembench", "belief"))
    if not found:  # of the packed projects alone nothing is learnt that holds elsewhere
        return []
    for more in (_of_projects, _of_notes):
        found.extend(more(data, config, names))
    return found


def _of_projects(data: Path, config: RetrievalConfig, names: Sequence[str]) -> Iterator[Asked]:
    """Yield the questions and prompts of the projects, each project a fold of its own."""
    for project in [*projects.evaluation_projects(data), *projects.training_projects()]:
        clock = projects.Clock()
        with (
            tempfile.TemporaryDirectory() as folder,
            memkit.open(Path(folder) / "bench.memkit.db", clock=clock, global_store=False) as kit,
        ):
            golds = projects.remember(kit, clock, project.memories)
            for part, rows in (("realuse", project.questions), ("prompts", project.prompts)):
                for row in rows:
                    clock.move(row["now"])
                    question = corpora.Question(row["text"], row["wanted"], row["class"])
                    yield _asked(kit, golds, question, config, names, part, project.name)


def _of_notes(data: Path, config: RetrievalConfig, names: Sequence[str]) -> Iterator[Asked]:
    """Yield the questions and prompts asked of real notes, each repository a fold of its own."""
    for packed in sorted((data / "realnotes").glob("*/notes.tar.gz")):
        with tempfile.TemporaryDirectory() as place:
            with tarfile.open(packed) as archive:
                unpack(archive, place)
            with memkit.open(Path(place) / "notes" / ".memkit.db", global_store=False) as kit:
                kit.import_notes()
                memories = kit.memories.find(limit=MOST_NOTES)
                for name in ("questions", "prompts"):
                    for query in realnotes.read_queries(packed.with_name(f"{name}.jsonl")):
                        right = _right(query, memories)
                        if bool(right) == bool(query.wanted):
                            golds = {m.id: str(m.id) for m in memories}
                            question = corpora.Question(query.text, right, name)
                            fold = packed.parent.name
                            yield _asked(kit, golds, question, config, names, "realnotes", fold)


def _right(query: realnotes.Query, memories: Iterable[memkit.Memory]) -> frozenset[str]:
    """Return the ids of the statements that answer a query."""
    if not query.wanted:
        return frozenset()
    said = {m.id: realnotes.Statement(m.source or "", m.text) for m in memories}
    return frozenset(str(n) for n, statement in said.items() if query.is_answered_by(statement))


def _asked(
    kit: memkit.Memkit,
    golds: dict[int, str],
    question: corpora.Question,
    config: RetrievalConfig,
    names: Sequence[str],
    part: str,
    fold: str,
) -> Asked:
    """Return a question with its candidates as `recall` ranks them; what is superseded is none."""
    kit._config = config
    request = kit._request(question.text, {"session": None}, depth=0, min_score=None, near=None)
    with kit._store.snapshot():
        answering = kit._retriever._answering(request, 1)
        gathered = answering._gathered(answering._question())
        replaced = answering._replaced
        gathered = gathered.among(n for n in gathered.pool.candidates if n not in replaced)
        clauses, _ = ranker.evidence(gathered)
    ids = gathered.pool.candidates
    called = tuple(golds[number] for number in ids)
    none = np.zeros(len(ids))
    table = np.array(
        [[_column(columns, name, none) for name in names] for columns in clauses], np.float32
    )
    return Asked(
        part=part,
        fold=fold,
        category=question.category,
        columns=table.transpose(0, 2, 1),
        relevant=np.array([name in question.evidence for name in called], bool),
        names=called,
        gold=question.evidence,
    )


def _column(columns: Columns, name: str, none: Column) -> Column:
    """Return a column or product of columns; zeros where one of them cannot be had."""
    has_all = name in columns or all(factor in columns for factor in name.split("*"))
    return ranker.column(columns, name) if has_all else none
