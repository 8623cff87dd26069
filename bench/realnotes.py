"""Notes of real repositories taken in as `memkit init` does, then asked and worked with.

A section counts by the beginning of its source, `path#slug`, since a long one comes in parts.
Questions have sections that answer them, or none; prompts (subject and body of later commits) have
sections that a good colleague would bring up, others that do no harm, or none.

The floor is plain full-text search over the same statements; it never answers with nothing.
"""

from __future__ import annotations

import json
import re
import tarfile
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

import attrs

import memkit

from .archives import unpack
from .results import Options, Row
from .scoring import PlainSearch

LIMIT = 5
_ALL = 1_000_000
_PACKED = "notes.tar.gz"


@attrs.frozen
class Statement:
    """What came back: where it was read, and its text."""

    source: str
    text: str


@attrs.frozen
class Query:
    """A question or a prompt, with the beginnings of the sources that are right for it.

    Attributes:
        wanted: sources that answer; none if there is nothing to be answered.
        acceptable: sources that do no harm. pattern: what an answer's text must hold too.
    """

    text: str
    wanted: tuple[str, ...]
    acceptable: tuple[str, ...] = ()
    pattern: str = ""

    def is_answered_by(self, statement: Statement) -> bool:
        """Whether a statement is one that is wanted."""
        return statement.source.startswith(self.wanted) and bool(
            re.search(self.pattern, statement.text)
        )

    def is_harmless(self, statement: Statement) -> bool:
        """Whether a statement is wanted or acceptable."""
        return self.is_answered_by(statement) or statement.source.startswith(self.acceptable)


Answer = tuple[Query, Sequence[Statement]]
Ask = Callable[[str], Sequence[Statement]]


def run(options: Options) -> Iterator[Row]:
    """Yield rows for questions with the defaults, questions without a floor, and prompts."""
    folder = options.folder("realnotes", "realnotes", holds=f"*/{_PACKED}")
    if folder is None:
        return
    answers: dict[str, list[Answer]] = {}
    floors: dict[str, list[Answer]] = {}
    for packed in sorted(folder.glob(f"*/{_PACKED}")):
        with tempfile.TemporaryDirectory() as place:
            _measure(packed, Path(place), options, answers, floors)
    for name, metrics in METRICS.items():
        for metric, measure in metrics.items():
            row = (measure(answers.get(name, [])), measure(floors.get(name, [])))
            yield Row(f"realnotes/{name}", metric, *row)


def read_queries(path: Path) -> list[Query]:
    """Return the questions or prompts of a file."""
    rows = (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
    return [_query(row) for row in rows]


def first(answers: Iterable[Answer]) -> float:
    """Return the share of answerable queries whose first hit is right."""
    return _share(q.is_answered_by(hits[0]) if hits else False for q, hits in _answerable(answers))


def top5(answers: Iterable[Answer]) -> float:
    """Return the share of answerable queries with a right hit among the first five."""
    return _share(any(map(q.is_answered_by, hits[:LIMIT])) for q, hits in _answerable(answers))


def silent(answers: Iterable[Answer]) -> float:
    """Return the share of empty answers among queries that want nothing."""
    return _share(not hits for query, hits in answers if not query.wanted)


def precision(answers: Iterable[Answer]) -> float:
    """Return the share of hits that are wanted or acceptable, over queries that want something."""
    return _share(q.is_harmless(hit) for q, hits in _answerable(answers) for hit in hits)


METRICS: Mapping[str, Mapping[str, Callable[[Iterable[Answer]], float]]] = {
    "questions": {"first": first, "top5": top5, "silent": silent},
    "questions/open": {"first": first, "top5": top5},
    "prompts": {"answered": top5, "precision": precision, "silent": silent},
}


# -- inside


def _measure(
    packed: Path,
    place: Path,
    options: Options,
    answers: dict[str, list[Answer]],
    floors: dict[str, list[Answer]],
) -> None:
    with tarfile.open(packed) as archive:
        unpack(archive, place)
    with memkit.open(place / "notes" / ".memkit.db", global_store=False) as kit:
        done = kit.import_notes()
        options.say(f"{packed.parent.name}: {done.read} statements of {done.files} files")
        plain = _Plain(kit)
        for name, ask in _asking(kit).items():
            path = packed.parent / f"{name.partition('/')[0]}.jsonl"
            for query in islice(read_queries(path), options.limit):
                answers.setdefault(name, []).append((query, ask(query.text)))
                floors.setdefault(name, []).append((query, plain.ask(query.text)))


def _asking(kit: memkit.Memkit) -> dict[str, Ask]:
    def ask(text: str) -> list[Statement]:
        return [_statement(hit.memory) for hit in kit.recall(text, limit=LIMIT)]

    def ask_open(text: str) -> list[Statement]:
        hits = kit.recall(text, limit=LIMIT, min_score=0)
        return [_statement(hit.memory) for hit in hits]

    return {"questions": ask, "questions/open": ask_open, "prompts": ask}


class _Plain:
    """Plain full-text search over the statements of a kit."""

    def __init__(self, kit: memkit.Memkit) -> None:
        memories = kit.memories.find(limit=_ALL)
        self._statements = {str(memory.id): _statement(memory) for memory in memories}
        self._search = PlainSearch((str(memory.id), memory.text) for memory in memories)

    def ask(self, question: str) -> list[Statement]:
        """Return the best five."""
        names = self._search.ask(question, limit=LIMIT, stop=True)
        return [self._statements[name] for name in names]


def _statement(memory: memkit.Memory) -> Statement:
    return Statement(memory.source or "", memory.text)


def _query(row: Mapping[str, Any]) -> Query:
    return Query(
        row["text"],
        tuple(row["wanted"]),
        tuple(row.get("acceptable", ())),
        row.get("answer_matches", ""),
    )


def _answerable(answers: Iterable[Answer]) -> Iterator[Answer]:
    return ((query, hits) for query, hits in answers if query.wanted)


def _share(values: Iterable[bool]) -> float:
    counted = list(values)
    return sum(counted) / len(counted) if counted else 0.0
