"""What consolidation loses: evidence that questions reach no more, and statements wrongly merged.

Conversations and coding sessions are remembered as told (without a source: what was read at a place
is neither merged nor forgotten) and left alone for 7, 30 and 90 days. Each question is asked before
and after `consolidate`; the run is undone before the next age. A piece of evidence is unreachable
if it was among the first twenty and is not any more, nor the memory into which it was merged.
`mb_saved` is the text that is not served any more. The floor is what the rules of seed 004 retire
when they are taken literally: whatever is .92 alike an older one, and all that was not used for 90
days.

`pairs/…` are pairs of statements, each pair a session of its own: `folded` is the share of
duplicates that become one, `false_folded` that of all others (0 is right). The floor is a merge by
the cosine alone.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import groupby
from pathlib import Path

import attrs
import numpy as np
import numpy.typing as npt

import memkit
from memkit.consolidation.forgetting import UNUSED_DAYS
from memkit.consolidation.plan import RETIRING

from . import corpora
from .corpora import Corpus, Item
from .projects import epoch
from .recall import limited
from .results import Options, Row
from .scoring import DEPTH

AGES = (7, 30, 90)
_DAY = 86_400
# Cosine of two statements that seed 004 merges, whatever their words.
SIMILARITY = 0.92
_SETS: Mapping[str, Callable[[Path], Iterator[Corpus]]] = {
    "locomo": corpora.locomo,
    "devmembench": partial(corpora.devmembench, whole=False),
}
_SAME = frozenset({"duplicate", "entailment"})
Pair = tuple[str, str, str, str]  # source, label, two texts


@attrs.define
class Loss:
    """What is counted at one age.

    Attributes:
        reached: pieces of evidence that came within twenty. lost: those of them that do not any
            more. deactivated: evidence rows that are not current any more. naive: those that the
            floor retires. rows: evidence rows. saved: bytes. before, after: sums of recall.
    """

    reached: int = 0
    lost: int = 0
    deactivated: int = 0
    naive: int = 0
    rows: int = 0
    saved: int = 0
    before: float = 0.0
    after: float = 0.0
    questions: int = 0

    def add(self, other: Loss) -> None:
        """Add the counts of another corpus."""
        for name in attrs.fields_dict(Loss):
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def unreachable(self) -> float:
        """The share of evidence that is lost."""
        return self.lost / max(self.reached, 1)


def run(options: Options) -> list[Row]:
    """Measure the sets whose folders are there, then the pairs."""
    rows: list[Row] = []
    totals = {age: Loss() for age in AGES}
    for name, read in _SETS.items():
        if options.folder(name, name) is None:
            continue
        losses = {age: Loss() for age in AGES}
        for corpus in limited(read(options.data), options.limit):
            for age, loss in _measured(corpus).items():
                losses[age].add(loss)
        for age, loss in losses.items():
            totals[age].add(loss)
            before, after = (sums / max(loss.questions, 1) for sums in (loss.before, loss.after))
            rows.append(Row(f"{name}/{age}d", "R@20", after, before))
            rows.append(Row(f"{name}/{age}d", "unreachable", loss.unreachable))
            options.say(
                f"{name}, {age} days: {loss.lost} of {loss.reached} pieces of evidence lost, "
                f"{loss.deactivated} of {loss.rows} rows with evidence deactivated"
            )
    for age, loss in totals.items():
        if loss.rows:
            rows.append(
                Row(f"{age}d", "unreachable", loss.unreachable, loss.naive / max(loss.rows, 1))
            )
            rows.append(Row(f"{age}d", "mb_saved", loss.saved / 1e6))
    return rows + _pairs(options)


def _measured(corpus: Corpus) -> dict[int, Loss]:
    """Return what is lost of one corpus, by age."""
    last = max((epoch(item.at) for item in corpus.items if item.at), default=0.0)
    moment = [last]
    with (
        tempfile.TemporaryDirectory() as folder,
        memkit.open(
            Path(folder) / "bench.memkit.db", clock=lambda: moment[0], global_store=False
        ) as kit,
    ):
        names = _remember(kit, corpus.items)
        losses = {}
        for age in AGES:
            moment[0] = last + age * _DAY
            losses[age] = _loss(kit, corpus, names, is_old=age >= UNUSED_DAYS)
        return losses


def _remember(kit: memkit.Memkit, items: Sequence[Item]) -> dict[int, set[str]]:
    """Remember items; return what evidence each memory is, by its id."""
    names: dict[int, set[str]] = {}
    for _, session in groupby(items, key=lambda item: item.session):
        own = list(session)
        drafts = [
            memkit.Draft(item.text, tags=item.tags, session=item.session, at=item.at)
            for item in own
        ]
        for done, item in zip(kit.memories.remember_many(drafts, chain=True), own, strict=True):
            names.setdefault(done.id, set()).add(item.gold)
    return names


def _loss(
    kit: memkit.Memkit, corpus: Corpus, names: Mapping[int, set[str]], *, is_old: bool
) -> Loss:
    questions = [question for question in corpus.questions if question.evidence]
    before = [_golds(kit, question.text, names) for question in questions]
    evidence = frozenset[str]().union(*(question.evidence for question in questions))
    rows = {number for number, golds in names.items() if golds & evidence}
    text = _active_bytes(kit)
    naive = rows if is_old else rows & _alike(kit)
    report = kit.consolidate()
    into = {c.memory_id: c.other_id for c in report.changes if c.action == "merge" and c.other_id}
    joined = {n: golds.union(*(names[d] for d, s in into.items() if s == n)) for n, golds in
              names.items()}  # fmt: skip
    after = [_golds(kit, question.text, joined) for question in questions]
    retired = {change.memory_id for change in report.changes if change.action in RETIRING}
    loss = Loss(rows=len(rows), naive=len(naive), deactivated=len(rows & retired))
    loss.saved = text - _active_bytes(kit)
    for question, first, second in zip(questions, before, after, strict=True):
        loss.reached += len(first & question.evidence)
        loss.lost += len((first - second) & question.evidence)
        loss.before += len(first & question.evidence) / len(question.evidence)
        loss.after += len(second & question.evidence) / len(question.evidence)
        loss.questions += 1
    if report.run is not None:
        kit.consolidation.undo(report.run)
    return loss


def _golds(kit: memkit.Memkit, text: str, names: Mapping[int, set[str]]) -> set[str]:
    hits = kit.recall(text, limit=DEPTH, min_score=0.0)
    return set().union(*(names[hit.id] for hit in hits))


def _active_bytes(kit: memkit.Memkit) -> int:
    memories = kit.memories.find(limit=1_000_000)
    return sum(len(memory.text.encode()) for memory in memories)


def _vectors(kit: memkit.Memkit) -> dict[int, npt.NDArray[np.float32]]:
    """Return the unit vector of each memory that has one."""
    texts = {memory.id: memory.text for memory in kit.memories.find(limit=1_000_000)}
    encoder = kit._index.encoder()
    if encoder is None:
        return {}
    pooled = zip(texts, encoder.embed(list(texts.values())), strict=True)
    return {number: vector for number, one in pooled if (vector := one.vector) is not None}


def _alike(kit: memkit.Memkit) -> set[int]:
    """Return the memories that are alike an older one by their vectors alone."""
    vectors = dict(sorted(_vectors(kit).items()))
    numbers, matrix = list(vectors), np.stack(list(vectors.values()))
    (near,) = np.nonzero(np.triu(matrix @ matrix.T >= SIMILARITY, k=1).any(axis=0))
    return {numbers[place] for place in near}


# --- Pairs of statements


def _pairs(options: Options) -> list[Row]:
    pairs = list(_read_pairs(options))[: options.limit]
    if not pairs:
        return []
    with (
        tempfile.TemporaryDirectory() as folder,
        memkit.open(Path(folder) / "bench.memkit.db", global_store=False) as kit,
    ):
        drafts = [
            memkit.Draft(text, scope="session", session=str(number))
            for number, pair in enumerate(pairs)
            for text in pair[2:]
        ]
        ids = [done.id for done in kit.memories.remember_many(drafts)]
        vectors = _vectors(kit)
        report = kit.consolidate(steps="merge")
    merged = {(c.memory_id, c.other_id) for c in report.changes if c.action == "merge"}
    counts: dict[tuple[str, bool], list[tuple[bool, bool]]] = {}
    for pair, a, b in zip(pairs, ids[::2], ids[1::2], strict=True):
        is_one = a == b or (a, b) in merged or (b, a) in merged
        is_near = a == b or bool(a in vectors and b in vectors
                                 and vectors[a] @ vectors[b] >= SIMILARITY)  # fmt: skip
        counts.setdefault((pair[0], pair[1] in _SAME), []).append((is_one, is_near))
    return [
        Row(f"pairs/{source}", "folded" if same else "false_folded", *np.mean(found, axis=0))
        for (source, same), found in sorted(counts.items())
    ]


def _read_pairs(options: Options) -> Iterator[Pair]:
    if (folder := options.folder("pairs", "pairs", holds="pairs.jsonl")) is not None:
        for row in map(json.loads, (folder / "pairs.jsonl").read_text("utf-8").splitlines()):
            yield row["source"], row["label"], row["a"], row["b"]
    for project in ("desk", "shop"):
        name = f"realuse/{project}"
        folder = options.folder(name, "realuse", project, holds="pairs.jsonl")
        if folder is not None:
            for row in map(json.loads, (folder / "pairs.jsonl").read_text("utf-8").splitlines()):
                yield "realuse", row["label"], row["a"], row["b"]
