"""Pairs of statements with how they stand to each other: evaluation sets, projects, neighbours.

A pair of the projects is a pair of their `pairs.jsonl`; `neighbours` are each memory of a project
and the ones before it that are likest, which are presumed distinct unless one replaces the other:
what a store compares is mostly that. `strangers` are the same of the statements of pairs, `turns`
of
conversations and of sessions with an agent, in which hardly anybody contradicts anybody.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

from memkit.memories.compared_statement import Statement, StatementReader
from memkit.memories.records import PairVerdict

from . import corpora
from .projects import Project, evaluation_projects, training_projects

_VERDICTS = {
    "contradict": PairVerdict.CONTRADICTION,
    "contradiction": PairVerdict.CONTRADICTION,
    "update": PairVerdict.UPDATE,
    "duplicate": PairVerdict.DUPLICATE,
}
# What is left out together, of sets that are not divided into chats or projects.
_FOLDS = 5
_NEIGHBOURS, _STRANGERS = 4, 2
# Every so manyeth turn is compared, with so many turns before it.
_EVERY, _BEFORE = 6, 400


@attrs.frozen
class LabelledPair:
    """Two statements, the older one first, and how they stand to each other."""

    source: str
    fold: str
    older: str
    newer: str
    label: PairVerdict


def all_projects(data: Path) -> Iterator[tuple[str, Project]]:
    """Yield the projects with their source: those of the evaluation data, those for training."""
    for project in evaluation_projects(data):
        yield "realuse", project
    for project in training_projects():
        yield "training", project


def project_pairs(data: Path) -> Iterator[LabelledPair]:
    """Yield the labelled pairs of all projects."""
    for source, project in all_projects(data):
        for row in project.pairs:
            yield LabelledPair(source, project.name, row["a"], row["b"], _label(row["label"]))


def sentence_pairs(data: Path) -> Iterator[LabelledPair]:
    """Yield the pairs of sentences and of messages of chats."""
    path = data / "pairs" / "pairs.jsonl"
    lines = path.read_text("utf-8").splitlines() if path.is_file() else []
    for row in map(json.loads, lines):
        older, newer = row["a"], row["b"]
        if row.get("order") == "b earlier":
            older, newer = newer, older
        digest = hashlib.sha256(min(older, newer).encode()).digest()
        fold = row.get("chat") or f"{row['source']}{digest[0] % _FOLDS}"
        yield LabelledPair(row["source"], fold, older, newer, _label(row["label"]))


def neighbours(data: Path, reader: StatementReader) -> Iterator[LabelledPair]:
    """Yield the memories of each project with those before them that are likest."""
    for _, project in all_projects(data):
        rows = sorted(project.memories, key=lambda row: row["at"])
        statements = [reader.read(row["text"]) for row in rows]
        for n, (row, statement) in enumerate(zip(rows, statements, strict=True)):
            earlier = [(m, other) for m, other in enumerate(statements[:n]) if other]
            for m in _likest(statement, earlier) if statement else ():
                replaces = row["supersedes"] == rows[m]["id"]
                label = PairVerdict.UPDATE if replaces else PairVerdict.DISTINCT
                yield LabelledPair("neighbours", project.name, rows[m]["text"], row["text"], label)


def strangers(data: Path, reader: StatementReader) -> Iterator[LabelledPair]:
    """Yield each statement of the pairs of a project with the likest ones of the pairs before it,
    which are presumed distinct: short sentences that share a name and nothing else."""
    for _, project in all_projects(data):
        said: list[tuple[int, str]] = [
            (n, text) for n, row in enumerate(project.pairs) for text in (row["a"], row["b"])
        ]
        statements = [reader.read(text) for _, text in said]
        for m, ((pair, text), statement) in enumerate(zip(said, statements, strict=True)):
            earlier = [
                (k, other) for k, other in enumerate(statements[:m]) if other and said[k][0] != pair
            ]
            for k in _likest(statement, earlier)[:_STRANGERS] if statement else ():
                yield LabelledPair(
                    "strangers", project.name, said[k][1], text, PairVerdict.DISTINCT
                )


def turns(data: Path, reader: StatementReader) -> Iterator[LabelledPair]:
    """Yield turns of conversations with those before them that are likest, presumed distinct."""
    sets = {
        "locomo": corpora.locomo(data),
        "beam turns": corpora.beam(data),
        "devmembench": corpora.devmembench(data, whole=False),
    }
    for source, found in sets.items():
        for number, corpus in enumerate(found):
            texts = [item.text for item in corpus.items]
            statements = [reader.read(text) for text in texts]
            is_many = source != "devmembench"
            for n in range(1, len(texts), _EVERY if is_many else 1):
                first = max(0, n - _BEFORE)
                earlier = [
                    (m, other) for m, other in enumerate(statements[first:n], first) if other
                ]
                own = statements[n]
                for m in _likest(own, earlier)[:_STRANGERS] if own else ():
                    fold = f"{source}{number if is_many else n % _FOLDS}"
                    yield LabelledPair(source, fold, texts[m], texts[n], PairVerdict.DISTINCT)


def _likest(statement: Statement, others: list[tuple[int, Statement]]) -> list[int]:
    """Return the numbers of the likest: by vectors, or by shared stems where there are none."""
    scores = {}
    for number, other in others:
        a, b = statement.pooled, other.pooled
        length = float(np.linalg.norm(a) * np.linalg.norm(b))
        common = set(statement.stems) & set(other.stems)
        scores[number] = float(a @ b) / length if length else len(common)
    return sorted(scores, key=lambda number: -scores[number])[:_NEIGHBOURS]


def _label(label: str) -> PairVerdict:
    return _VERDICTS.get(label, PairVerdict.DISTINCT)
