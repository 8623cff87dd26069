"""Pairs of statements with how they stand to each other: evaluation sets, projects, neighbours.

A pair of the projects is a pair of their `pairs.jsonl`; `neighbours` are each memory of a project
and the ones before it that are likest, which are presumed distinct unless one replaces the other:
what a store compares is mostly that. `changed` are statements of projects with one number, negation
or opposite changed. `strangers` are the same of the statements of pairs, `turns`
of
conversations and of sessions with an agent, in which hardly anybody contradicts anybody.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path

import attrs
import numpy as np

from memkit.memories.compared_statement import Statement, StatementReader
from memkit.memories.records import PairVerdict
from memkit.text.word_lists import EXCLUSIVE

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


def changed(data: Path) -> Iterator[LabelledPair]:
    """Yield statements of projects with another number, a negation more, or a word of opposite
    meaning, which contradict them, and of two that are named by numbers, which do not."""
    ways = {
        "another number": (_renumbered, PairVerdict.CONTRADICTION),
        "negated": (_negated, PairVerdict.CONTRADICTION),
        "opposite": (_opposite, PairVerdict.CONTRADICTION),
    }
    for _, project in all_projects(data):
        said = [row["text"] for row in project.memories]
        said += [text for row in project.pairs for text in (row["a"], row["b"])]
        for text in filter(None, dict.fromkeys(said)):
            for source, (change, label) in ways.items():
                if (other := change(text)) is not None:
                    yield LabelledPair(source, project.name, text, other, label)
            yield from _numbered(project.name, text)


def _renumbered(text: str) -> str | None:
    """Return a text with another number, if it has one that is no part of a name."""
    numbers = list(_LONE_NUMBER.finditer(text))
    if len(numbers) != 1 or len(re.findall(r"\d+", text)) != 1:
        return None
    (number,) = numbers
    return f"{text[: number.start()]}{_other_number(text, number[0])}{text[number.end() :]}"


def _other_number(text: str, number: str) -> int:
    value, way = int(number), _digest(text) % 4
    return (value * 2 + (value == 0), value + 1 + way, value * 3 + 1, value // 2 + 2 * (value < 5))[
        way
    ]


def _negated(text: str) -> str | None:
    """Return a text that denies what a plain one says, if it is a plain one."""
    verb = _VERB.search(text)
    if verb is None or _DENIAL.search(text):
        return None
    return f"{text[: verb.end()]} not{text[verb.end() :]}"


def _opposite(text: str) -> str | None:
    """Return a text with the opposite of its only word that has one."""
    words = [word for word in re.finditer(r"[^\W\d_]+", text) if word[0].lower() in _OTHERS]
    if len(words) != 1:
        return None
    (word,) = words
    others = _OTHERS[word[0].lower()]
    other = others[_digest(text) % len(others)]
    other = other.capitalize() if word[0].istitle() else other
    return f"{text[: word.start()]}{other}{text[word.end() :]}"


def _numbered(project: str, text: str) -> Iterator[LabelledPair]:
    """Yield two statements of things that are named by numbers, made from one text."""
    subject = _SUBJECT.match(text)
    if subject is None:
        return
    name, rest, first = subject[1].capitalize(), text[subject.end() :], 1 + _digest(text) % 20
    other = _renumbered(rest) if first % 2 else None
    newer = f"{name} {first + 1 + first % 7} {other or rest}"
    yield LabelledPair("numbered", project, f"{name} {first} {rest}", newer, PairVerdict.DISTINCT)


def _digest(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0]


_LONE_NUMBER = re.compile(r"(?<![\w.:/#-])\d+(?![\w:/-]|\.\d)")
_VERB = re.compile(r"\b(is|are|can|must|should|does|will)\b")
_DENIAL = re.compile(r"\b(not|never|no)\b|n't")
_SUBJECT = re.compile(r"(?:The )?([A-Za-z]{3,12}) (?=[a-z])")
_OTHERS = {
    word: [other for other in group if other != word] for group in EXCLUSIVE for word in group
}
