"""Make the table of weights from the evaluation sets, through the real store; print its figures.

    python -m bench.train            # cross-validated figures and the table
    python -m bench.train --write    # the same, and the table goes to memkit/retrieval/weights.py

Six folds; a conversation or chat is wholly inside one, the coding sessions, the beliefs and the
cues are each in one of their own, so no figure comes from a table that has seen its conversation
or belief. (Only the worth of a named tag cannot be learned elsewhere: for that the cases of
precisionmembench are parted in three, which shows as `beliefs parted`.)
Three tables are made: with the packaged model, with vectors alone, by words alone.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from memkit.retrieval import entity_match, ranker, selection, weights

from .__main__ import data_folder
from .given import folder, leave
from .learning import Asked, fit_chances, fit_ranking
from .scoring import Overlap, Ranking
from .trainsets import FOLDS, NAMED, OWN, RECIPES, collect

MODULE = Path(weights.__file__)
_MADE = "# -- made by bench/train from here on\n"
# How much a question of each set weighs: the small sets are few questions, not small matters.
RANKING = {
    "locomo": 1.0, "beam": 1.5, "devmembench/whole": 1.0, "devmembench": 0.5, "devbench": 2.0,
    "locomo_plus": 0.3, "precisionmembench": 1.5, "longmemeval_mini": 1.0, "sessions": 0.5,
    "turns": 0.8,
}  # fmt: skip
CHANCES = {
    "locomo": 0.6, "beam": 1.5, "devmembench/whole": 2.0, "devmembench": 1.0, "devbench": 4.0,
    "locomo_plus": 0.2, "precisionmembench": 4.0, "longmemeval_mini": 1.0, "sessions": 0.3,
    "turns": 0.3,
}  # fmt: skip
# Evidence that can only speak for a memory. Without the bound, columns that say nearly the same
# are given opposite signs, which gains nothing and cannot be read.
POSITIVE = frozenset(
    "bm25_place words coverage phrases named named*words cosine cosine_below after_cosine soft "
    "soft_below before_bm25 after_bm25 near_gain gain_before session_best session_coverage "
    "session_close speaker speaker*after_question month day when_time number_number who_name "
    "titled_title tense request_standing request_preference "
    "alone*bm25_share alone*coverage".split()
)
_BELIEF_PARTS = 3
_SHOWN = 25


class Trainer:
    """Fits tables on questions and scores questions with them."""

    def __init__(self, names: Sequence[str], table: str) -> None:
        columns = getattr(weights, table).columns
        self.names = list(names)
        self.ranked = [self.names.index(name) for name in columns if name != NAMED[1]]
        self.named = [self.names.index(name) for name in NAMED]
        self.own = [self.names.index(name) for name in OWN[table]]
        self.positive = np.array([self.names[at] in POSITIVE for at in self.ranked])

    def ranking(self, asked: Sequence[Asked]) -> Any:
        """Return the weights of the ranking columns."""
        return fit_ranking(asked, self.ranked, weights=RANKING, positive=self.positive)

    def score(self, one: Asked, ranking: Any) -> Any:
        """Return what the ranking columns add up to, per candidate."""
        return one.columns[:, self.ranked] @ ranking

    def rows(self, one: Asked, scores: Any) -> Any:
        """Return what the calibration reads, per candidate."""
        ones = np.ones(len(scores))
        own = one.columns[:, [*self.named, *self.own]]
        return np.column_stack((scores, ones, ones * np.log1p(one.words), own))

    def chances(self, asked: Sequence[Asked], scores: Sequence[Any]) -> Any:
        """Return the calibration, fitted on the best candidates of each question."""
        rows, relevant, heavy = [], [], []
        for one, score in zip(asked, scores, strict=True):
            first = np.argsort(-score, kind="stable")[:_SHOWN]
            rows.append(self.rows(one, score)[first])
            relevant.append(one.relevant[first])
            heavy.append(np.full(len(first), CHANCES[one.part]))
        positive = np.array([True, False, False] + [True] * len(self.named + self.own))
        return fit_chances(
            np.concatenate(rows), np.concatenate(relevant), np.concatenate(heavy), positive
        )

    def log_odds(self, one: Asked, scores: Any, chances: Any) -> Any:
        """Return the calibrated log-odds of the candidates, in the order of the ranking."""
        odds = self.rows(one, scores) @ chances
        own = len(self.named) + 3
        order = odds - one.columns[:, self.own] @ chances[own:]
        return np.array(ranker.in_order(order.tolist(), odds.tolist()))

    def table(self, ranking: Any, chances: Any) -> weights.Weights:
        """Return both steps as one table on the scale of log-odds."""
        scale, base, words, *others = (float(number) for number in chances)
        columns = {
            self.names[at]: scale * float(weight)
            for at, weight in zip(self.ranked, ranking, strict=True)
        }
        for at, amount in zip(self.named, others, strict=False):
            columns[self.names[at]] = columns.get(self.names[at], 0.0) + amount
        own = zip(self.own, others[len(self.named) :], strict=True)
        return weights.Weights(
            base=base,
            asked=words,
            columns=columns,
            own={self.names[at]: amount for at, amount in own},
        )


def cross_validated(trainer: Trainer, asked: Sequence[Asked]) -> tuple[list[Any], list[Any]]:
    """Return ranking scores and log-odds of every question, by tables that never saw its fold."""
    scores: list[Any] = [None] * len(asked)
    for fold in range(FOLDS):
        ranking = trainer.ranking([one for one in asked if one.fold != fold])
        for at, one in enumerate(asked):
            if one.fold == fold:
                scores[at] = trainer.score(one, ranking)
    groups = [_group(at, one) for at, one in enumerate(asked)]
    odds: list[Any] = [None] * len(asked)
    for group in dict.fromkeys(groups):
        seen = [at for at, other in enumerate(groups) if other != group]
        chances = trainer.chances([asked[at] for at in seen], [scores[at] for at in seen])
        for at, one in enumerate(asked):
            if groups[at] == group:
                odds[at] = trainer.log_odds(one, scores[at], chances)
    return scores, odds


def _group(place: int, one: Asked) -> tuple[int, int]:
    """Beliefs are parted in three: nothing but they says what a named tag is worth."""
    return one.fold, place % _BELIEF_PARTS if one.part == "precisionmembench" else 0


def report(asked: Sequence[Asked], odds: Sequence[Any]) -> Iterator[str]:
    """Yield the figures: rankings by set, then what each floor would decide."""
    for part in RANKING:
        rankings = {"": Ranking(), " cat 1-4": Ranking()}
        for one, score in zip(asked, odds, strict=True):
            if one.part == part and one.gold:
                first = [one.names[at] for at in np.argsort(-score, kind="stable")]
                rankings[""].add(first, one.gold)
                if part == "locomo" and one.category != "5":
                    rankings[" cat 1-4"].add(first, one.gold)
        for label, found in rankings.items():
            if len(found):
                figures = " ".join(
                    f"{metric}={found.value(metric):.3f}"
                    for metric in ("R@5", "R@10", "R@20", "hit@20", "MRR")
                )
                yield f"{part + label:24} n={len(found):4} {figures}"
    for floor in (0.02, 0.025, 0.03, 0.035, 0.04, 0.045, 0.05, 0.06, 0.08, 0.1):
        rule = selection.Decision(floor=ranker.log_odds_of(floor))
        yield f"floor {floor:.3f} " + " ".join(_decided(asked, odds, rule))


def _decided(
    asked: Sequence[Asked], odds: Sequence[Any], rule: selection.Decision
) -> Iterator[str]:
    """Yield per set which share of the answerable and unanswerable questions is decided rightly."""
    overlap, empty = Overlap(), []
    for part in RANKING:
        right: dict[bool, list[bool]] = {True: [], False: []}
        for one, score in zip(asked, odds, strict=True):
            if one.part != part:
                continue
            got = _answer(one, score, rule)
            right[bool(one.gold)].append(bool(got) == bool(one.gold))
            if part == "precisionmembench" and one.gold:
                overlap.add(got, one.gold)
            elif part == "precisionmembench":
                empty.append(not got)
        if right[False] or part in ("locomo", "devbench"):
            both = right[True] + right[False]
            shares = "/".join(f"{np.mean(right[has]):.2f}" for has in right if right[has])
            yield f"{part} {np.mean(both):.3f} ({shares})"
    yield f"beliefs P={overlap.precision:.3f} R={overlap.recall:.3f} empty={np.mean(empty):.2f}"


def _answer(one: Asked, odds: Any, rule: selection.Decision) -> list[str]:
    order = np.argsort(-odds, kind="stable")
    listed = [ranker.Ranked(int(at), {"all": float(odds[at])}) for at in order]
    return [one.names[kept.id] for kept in rule.cut(listed)[:10]]


def rendered(name: str, table: weights.Weights) -> str:
    """Return a table as the Python that stands in weights.py."""
    own = ", ".join(f'"{column}": {weight:.3f}' for column, weight in table.own.items())
    lines = [
        f"{name} = Weights(",
        f"    base={table.base:.3f},",
        f"    asked={table.asked:.3f},",
        f"    own={{{own}}},",
        "    columns={",
    ]
    columns = list(table.columns)
    for part in dict.fromkeys(weights.PARTS.values()):
        line = "       "
        for column in [c for c in columns if weights.PARTS[c] == part]:
            item = f' "{column}": {table.columns[column]:.3f},'
            if len(line) + len(item) > 99:
                lines.append(line)
                line = "       "
            line += item
        if line.strip():
            lines.append(line)
    return "\n".join([*lines, "    },", ")  # fmt: skip"])


def main() -> None:
    """Fit, print, and write the tables if asked to."""
    # The tags of the one set that has any are aliases; see naming.TAG_WORTH.
    entity_match.TAG_WORTH = 1.0
    parser = argparse.ArgumentParser("python -m bench.train", description=__doc__)
    parser.add_argument("--data", type=folder, help="folder with the sets, one folder each")
    parser.add_argument("--write", action="store_true", help="write memkit/retrieval/weights.py")
    given = parser.parse_args()
    tables = []
    for name in RECIPES:
        names, asked = collect(data_folder(given.data), name)
        if not asked:
            leave(f"skipped: no questions in {data_folder(given.data)}; nothing is learnt")
        trainer = Trainer(names, name)
        scores, odds = cross_validated(trainer, asked)
        print(f"\n{name}: {len(asked)} questions, cross-validated")
        print("\n".join(report(asked, odds)))
        table = trainer.table(trainer.ranking(asked), trainer.chances(asked, scores))
        tables.append(rendered(name, table))
        print(tables[-1])
    if given.write:
        source = MODULE.read_text(encoding="utf-8")
        head = source[: source.index(_MADE) + len(_MADE)]
        MODULE.write_text(head + "\n" + "\n\n".join(tables) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
