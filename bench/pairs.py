"""Pairs of statements: what is noticed of contradictions, updates and duplicates, by source.

    python -m bench pairs

Each pair is judged, and remembered, to see whether the second is folded into the first; `bench
realuse` remembers those of its projects in a store of their own each. The floor notices what has a
negation more or another number, and takes equal words for a duplicate. The shipped table has seen
the pairs that lie here, SNLI's and MNLI's excepted: the cross-validated figures are those of
`python -m bench.train_pairs`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import attrs

import memkit
from memkit.encoder.static import packaged_encoder
from memkit.memories.compared_statement import StatementReader
from memkit.memories.pair_detection import PairJudgement, judge
from memkit.memories.records import PairVerdict
from memkit.text.analyzer import words_of
from memkit.text.word_lists import is_negation

from .pair_sets import LabelledPair, project_pairs, sentence_pairs
from .results import Options, Row

_AT_ODDS = frozenset({PairVerdict.CONTRADICTION, PairVerdict.UPDATE})
_RECALL = 0.70
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")


@attrs.frozen
class Judged:
    """A labelled pair, how it was judged, and whether the second was folded into the first."""

    pair: LabelledPair
    judgement: PairJudgement
    is_folded: bool = False

    @property
    def is_noticed(self) -> bool:
        """Whether the two are said to be at odds."""
        return self.judgement.verdict in _AT_ODDS

    @property
    def is_repeat(self) -> bool:
        """Whether the two are said to say the same."""
        return self.is_folded or self.judgement.verdict is PairVerdict.DUPLICATE

    @property
    def chance(self) -> float:
        """How likely the two say the same."""
        chances = self.judgement.chances
        return chances[-1] if chances else self.judgement.probability * self.is_repeat


def run(options: Options) -> list[Row]:
    """Return the figures of each source, and those of the floor beside them."""
    pairs = [*project_pairs(options.data)]
    if options.folder("pairs", "pairs", holds="pairs.jsonl") is not None:
        pairs += sentence_pairs(options.data)
    reader = StatementReader(packaged_encoder())
    rows: list[Row] = []
    for source in dict.fromkeys(pair.source for pair in pairs):
        some = [pair for pair in pairs if pair.source == source][: options.limit]
        ours = [
            Judged(pair, _judged(pair, reader), is_folded)
            for pair, is_folded in zip(some, _folded(some), strict=True)
        ]
        floor = [Judged(pair, _floor(pair)) for pair in some]
        rows += _rows(source, ours, floor)
    return rows


def _judged(pair: LabelledPair, reader: StatementReader) -> PairJudgement:
    older, newer = reader.read(pair.older), reader.read(pair.newer)
    if older is None or newer is None:
        return PairJudgement(PairVerdict.DISTINCT, 1.0, "one says nothing in words")
    return judge(older, newer)


def _folded(pairs: Sequence[LabelledPair]) -> list[bool]:
    """Return of each pair whether the second statement becomes one with the first."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "bench.memkit.db"
        with memkit.open(path, global_store=False) as kit:
            said = [text for pair in pairs for text in (pair.older, pair.newer)]
            ids = [result.id for result in kit.memories.remember_many(said)]
    return [
        ids[n] == ids[n + 1] and pair.older != pair.newer
        for n, pair in zip(range(0, len(ids), 2), pairs, strict=True)
    ]


def _floor(pair: LabelledPair) -> PairJudgement:
    """Judge by a negation more, another number, or the same words."""
    texts = (pair.older, pair.newer)
    old, new = (set(words_of(text)) for text in texts)
    old_numbers, new_numbers = (set(_NUMBER.findall(text)) for text in texts)
    overlap = len(old & new) / max(1, len(old | new))
    is_number = bool(old_numbers and new_numbers) and old_numbers != new_numbers
    if _negations(pair.older) != _negations(pair.newer) or is_number:
        return PairJudgement(PairVerdict.CONTRADICTION, overlap, "the rule")
    if overlap == 1.0:
        return PairJudgement(PairVerdict.DUPLICATE, overlap, "the rule")
    return PairJudgement(PairVerdict.DISTINCT, overlap, "the rule")


def _negations(text: str) -> int:
    return sum(map(is_negation, text.split())) % 2


def _rows(source: str, ours: Sequence[Judged], floor: Sequence[Judged]) -> Iterator[Row]:
    figures = [dict(_figures(judged)) for judged in (ours, floor)]
    for metric, value in figures[0].items():
        yield Row(f"pairs/{source}", metric, value, figures[1].get(metric))


def _figures(judged: Sequence[Judged]) -> Iterator[tuple[str, float]]:
    """Yield metrics: of contradictions those that are at odds in either way, so that precision
    counts updates that are taken for one as right."""
    label = {
        verdict: [one for one in judged if one.pair.label is verdict] for verdict in PairVerdict
    }
    noticed = [one for one in judged if one.is_noticed]
    if label[PairVerdict.CONTRADICTION]:
        right = sum(one.pair.label in _AT_ODDS for one in noticed)
        yield "contradict_precision", right / max(1, len(noticed))
        yield (
            "contradict_recall",
            _share(label[PairVerdict.CONTRADICTION], lambda one: one.is_noticed),
        )
    if label[PairVerdict.UPDATE]:
        yield "update_recall", _share(label[PairVerdict.UPDATE], lambda one: one.is_noticed)
    if label[PairVerdict.DUPLICATE]:
        yield "duplicate_recall", _share(label[PairVerdict.DUPLICATE], lambda one: one.is_repeat)
        yield "duplicate_precision", _precision_at(judged)
    if label[PairVerdict.DISTINCT]:
        yield "false_noticed", _share(label[PairVerdict.DISTINCT], lambda one: one.is_noticed)
        yield "false_folded", _share(label[PairVerdict.DISTINCT], lambda one: one.is_folded)


def _share(judged: Sequence[Judged], what: Callable[[Judged], bool]) -> float:
    return sum(map(what, judged)) / max(1, len(judged))


def _precision_at(judged: Sequence[Judged], recall: float = _RECALL) -> float:
    """Return the best precision of duplicates at a recall, the likeliest first."""
    best, right = 0.0, 0
    ordered = sorted(judged, key=lambda one: -one.chance)
    total = sum(one.pair.label is PairVerdict.DUPLICATE for one in judged)
    for count, one in enumerate(ordered, 1):
        right += one.pair.label is PairVerdict.DUPLICATE
        if right >= recall * total:
            best = max(best, right / count)
    return best
