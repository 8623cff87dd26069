"""Comparison of a file's memories with global ones: what each bears on in the other file.

What is detected is noted on the side of the project, as whatever relates the two files is, and
without the words of either: a project's file is committed, and what is global is its user's own.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from .pair_detection import CONFLICTING
from .records import EdgeKind, Origin, PairVerdict, Resolution

if TYPE_CHECKING:
    from .global_relations import GlobalRelations
    from .pair_detection import ComparedPair, PairDetector
    from .statement_pairs import PairJudgement


class GlobalPairs:
    """Comparer of the memories of one file with global ones; what writes runs inside `write` of
    that file."""

    def __init__(
        self, relations: GlobalRelations, here: PairDetector, there: PairDetector, *, project: str
    ) -> None:
        """`here` looks at the memories of this file, `there` at the global ones."""
        self._relations = relations
        self._here = here
        self._there = there
        self._project = project

    def compare(self, numbers: Iterable[int], *, are_global: bool) -> None:
        """Hold memories of one of the two files against those of the other, and note what bears on
        what, unless the two were set beside each other before."""
        relations = self._relations.all()
        known = {frozenset((r.src, r.dst)) for r in relations}
        replaced = self._relations.replaced(relations).keys()
        for number in numbers:
            pairs = (
                self._there.pairs_across(number, self._here, project=self._project)
                if are_global
                else self._here.pairs_across(number, self._there)
            )
            for pair in pairs:
                ends = frozenset((pair.older, pair.newer))
                is_over = ends in known or not replaced.isdisjoint(ends)
                judgement = None if is_over else self._here.judge(pair)
                if judgement is not None:
                    (other,) = ends - {number}
                    self._note(other if are_global else number, pair, judgement)

    def doubt_anew(self, number: int) -> None:
        """Take back what was detected of a memory's former words, as far as the new ones are not at
        odds with the other's."""
        for relation in self._relations.of(number):
            if not relation.is_open or relation.origin is not Origin.DETECTED:
                continue
            ends = sorted((relation.src, relation.dst))
            texts = [self._here.text_of(end) or self._there.text_of(end) for end in ends]
            old, new = (text or "" for text in texts)
            if not self._here.are_at_odds(old, new):
                self._relations.drop((relation.src, relation.dst), EdgeKind.CONTRADICTS)

    def _note(self, own: int, pair: ComparedPair, judgement: PairJudgement) -> None:
        if judgement.verdict is PairVerdict.DUPLICATE:
            weight = round(judgement.probability, 3)
            ends = (pair.newer, pair.older)
            self._relations.put(own, ends, EdgeKind.RELATES_TO, weight=weight)
        elif judgement.verdict in CONFLICTING:
            wins = Resolution.B_WINS if pair.older < pair.newer else Resolution.A_WINS
            is_update = judgement.verdict is PairVerdict.UPDATE
            self._relations.put(
                own,
                (pair.older, pair.newer),
                EdgeKind.CONTRADICTS,
                note=judgement.reason.partition(":")[0],
                origin=Origin.DETECTED,
                proposed=wins if is_update else None,
            )
