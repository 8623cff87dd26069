"""Gaps: questions asked in vain, near-equal ones as one, closed by what answers them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..encoder.protocol import cosine
from ..errors import EncoderError, NotFound
from ..memories.reader import known_ids
from ..retrieval.actions import stems
from ..retrieval.records import Gap

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..encoder.protocol import Vector
    from ..memories.records import Memory

# Two questions are one from this share of their words on, or from this cosine on if they share a
# word. Of 38,024 pairs of questions of realuse and six invented projects that ask for different
# things, none is.
SAME_WORDS, SAME_MEANING = 0.6, 0.85
# Questions that are grouped, those asked most; questions held against what is known now at once.
MAX_GAPS, MAX_CHECKED = 300, 50
# Questions that a memory is held against when it is written, and the share of their telling words
# that it must say.
MAX_ASKED_AGAIN, MIN_SHARE = 3, 0.5


@attrs.frozen
class _Row:
    """Stored question, with what answers it since, or None."""

    question_hash: str
    question: str
    asked_count: int
    first_at: str
    last_at: str
    best_score: float | None
    closed_at: str | None
    answer: int | None


def find_gaps(kit: OpenKit, *, limit: int, history: bool) -> list[Gap]:
    """Return what was asked in vain, near-equal questions as one, the most asked first; with
    `history` also what is closed."""
    kit._served.flush()
    groups = _grouped(kit, _rows(kit))
    gaps = [_gap(group) for group in groups]
    chosen = [gap for gap in gaps if history or gap.closed_at is None]
    return sorted(chosen, key=lambda gap: -gap.asked_count)[:limit]


def close_gap(kit: OpenKit, gap: str) -> Gap:
    """Close a question that needs no answer, and those that are near-equal to it, by its id."""
    name = validation.named(gap, name="gap")
    kit._served.flush()
    group = next((g for g in _grouped(kit, _rows(kit)) if name in {r.question_hash for r in g}), ())
    if not group:
        raise NotFound(f"no gap has the id {name!r}; 'memkit gaps --all' lists them")
    _close(kit, group, None)
    return next(gap for gap in map(_gap, _grouped(kit, _rows(kit))) if name in gap.ids)


def close_answered(kit: OpenKit) -> list[Gap]:
    """Close open questions that a later memory answers; return them as they now stand."""
    kit._served.flush()
    newest = kit._store.value("consolidation_gaps.newest_memory") or ""
    waiting = [row for row in _rows(kit) if row.closed_at is None and row.last_at < newest]
    closed: set[str] = set()
    for row in waiting[:MAX_CHECKED]:
        hit = next(iter(kit.recall(row.question, limit=1, sources="memories")), None)
        if hit is not None and known_ids(kit._store, {hit.id}):
            _close(kit, [row], hit.id)
            closed.add(row.question_hash)
    return [gap for gap in map(_gap, _grouped(kit, _rows(kit))) if closed & set(gap.ids)]


def close_by(kit: OpenKit, memory: Memory) -> tuple[str, ...]:
    """Close the open questions that a memory just written answers; return them.

    At most MAX_ASKED_AGAIN are asked again, those that share the most telling words with it: where
    none does, the questions are read and no more."""
    if kit._served.has_gaps:
        kit._served.flush()
    waiting = [row for row in _rows(kit) if row.closed_at is None]
    said = stems(" ".join(filter(None, (memory.text, memory.key, memory.value)))) if waiting else ()
    likely = [row for row in waiting if _share(row.question, said) >= MIN_SHARE]
    likely.sort(key=lambda row: -_share(row.question, said))
    answered = [
        row
        for row in likely[:MAX_ASKED_AGAIN]
        if [hit.id for hit in kit.recall(row.question, limit=1, sources="memories")] == [memory.id]
    ]
    if answered:
        _close(kit, answered, memory.id)
    return tuple(row.question for row in answered)


# The same open questions are held against each memory that is written.
_question_stems = lru_cache(maxsize=2 * MAX_GAPS)(stems)


def _share(question: str, said: Collection[str]) -> float:
    """Return the share of the telling words of a question that are said."""
    words = _question_stems(question)
    return len(words.intersection(said)) / len(words) if words else 0.0


def is_same(first: str, second: str, nearness: float | None) -> bool:
    """Whether two questions ask the same; `nearness` is the cosine of their vectors, if known."""
    left, right = stems(first), stems(second)
    shared = len(left & right)
    if shared and shared >= SAME_WORDS * len(left | right):
        return True
    return bool(shared) and nearness is not None and nearness >= SAME_MEANING


def _rows(kit: OpenKit) -> list[_Row]:
    return [_Row(*row) for row in kit._store.all("consolidation_gaps.all_gaps", limit=MAX_GAPS)]


def _grouped(kit: OpenKit, rows: Sequence[_Row]) -> Iterator[Sequence[_Row]]:
    """Yield questions that ask the same; open and closed ones apart."""
    vectors = _vectors(kit, [row.question for row in rows])
    groups: list[list[int]] = []
    for place, row in enumerate(rows):
        for group in groups:
            first = rows[group[0]]
            is_alike = (row.closed_at is None) == (first.closed_at is None)
            near = cosine(vectors[group[0]], vectors[place]) if vectors else None
            if is_alike and is_same(first.question, row.question, near):
                group.append(place)
                break
        else:
            groups.append([place])
    for group in groups:
        yield [rows[place] for place in group]


def _vectors(kit: OpenKit, questions: Sequence[str]) -> list[Vector | None]:
    """Return a vector of each question; none without an encoder: then words alone tell."""
    encoder = kit._index.encoder() if questions else None
    if encoder is None:
        return []
    try:
        return [embedding.vector for embedding in encoder.embed(list(questions))]
    except EncoderError:
        return []


def _gap(group: Sequence[_Row]) -> Gap:
    first = group[0]
    scores = [row.best_score for row in group if row.best_score is not None]
    return Gap(
        question=first.question,
        asked_count=sum(row.asked_count for row in group),
        first_at=min(row.first_at for row in group),
        last_at=max(row.last_at for row in group),
        best_score=max(scores, default=None),
        ids=tuple(row.question_hash for row in group),
        others=tuple(row.question for row in group[1:]),
        closed_at=max((row.closed_at for row in group if row.closed_at), default=None),
        answer=next((row.answer for row in group if row.closed_at and row.answer), None),
    )


def _close(kit: OpenKit, rows: Iterable[_Row], answer: int | None) -> None:
    store = kit._store

    def write() -> None:
        at = store.now()
        for row in rows:
            store.run(
                "consolidation_gaps.close_gap",
                question_hash=row.question_hash,
                memory_id=answer,
                at=at,
            )
            store.audit("close_gap", answer, question_hash=row.question_hash)

    store.write(write)
