"""Make the tables of weights from the evaluation sets, through the real store; print its figures.

    python -m bench.train            # cross-validated figures and the tables
    python -m bench.train --write    # the same, and the tables go to memkit/retrieval/weights.py
    python -m bench.train --table CONTEXTUAL --write    # one table, the others stay as they are

Figures are cross-validated by leaving *sets* out: a conversation or chat is wholly inside one fold,
a project is left out with its questions and prompts, so that no figure comes from a table that has
seen its data. Projects count as much as all conversations together (`RANKING`).
Four tables are made: with the packaged model, with vectors alone, by words alone, and with the
sentence encoder of the extra `contextual`, which is left out where it is not installed (`trainsets`
says which sets it is learned from; with `--encoder static` they are asked by the packaged model,
to compare). A column stays
only if leaving it out costs more than twice its standard error over the pooled sets
(`--without COLUMN` prints the difference by set).
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from memkit.encoder.contextual import INSTALL, missing
from memkit.retrieval import ranker, selection, weights

from .__main__ import data_folder
from .command_line import folder, leave
from .learning import Asked, fit_chances, fit_ranking
from .scoring import Ranking
from .trainsets import CONFIGS, ENCODERS, collect

MODULE = Path(weights.__file__)
_MADE = "# -- made by bench/train from here on\n"
FOLDS = 4
# How much a question of each set weighs for the order: the projects, which are nearest to what
# memkit is used for, as much as all conversations together; small sets are no small matters.
RANKING = {
    "realuse": 2.0, "prompts": 2.0, "realnotes": 2.0,
    "locomo": 1.0, "sessions": 0.5, "turns": 0.5, "beam": 1.5, "locomo_plus": 0.3,
    "devmembench/whole": 1.5, "devmembench": 1.5, "precisionmembench": 3.0, "devbench": 2.0,
    "longmemeval_mini": 1.0,
}  # fmt: skip
# The same for the calibration. Of locomo's adversarial questions every candidate counts as wrong
# where it is not labelled, and cues of locomo_plus are no questions: they say nothing of chances.
# The beliefs of the tables that stand were fitted before a short list went on with what has nothing
# to do with the question. Fitted anew the columns come back as they are and order alike; the
# beliefs do not (`alone` -.10 for -.78). By the same silence contexts of 1,500 tokens hold as much
# of projects (.64 for .63; those for training .72 for .74), but less of conversations (a hundred
# questions each of three of LoCoMo's .54 for .63, DevMemBench .81 for .94, at 139 tokens for 380
# where nothing answers). So whoever writes tables looks at `bench assembly` too.
CHANCES = {
    "realuse": 2.0, "prompts": 2.0, "realnotes": 1.0,
    "locomo": 0.2, "beam": 0.5, "devmembench/whole": 0.5, "devmembench": 0.5,
    "precisionmembench": 1.0, "devbench": 1.0, "longmemeval_mini": 1.0,
}  # fmt: skip
# Columns that cannot speak against a memory.
POSITIVE = frozenset(
    "bm25_place words phrases coverage alone*bm25_share named alone*cosine soft "
    "about in_range range_in_text when_time number_number who_name session_best session_close "
    "session_coverage gain_before near_gain after_cosine before_bm25 after_bm25 speaker subject "
    "speaker*after_question after_question*before_close request_standing request_preference".split()
)
STANDING = ("best", "lead", "above_tenth")
# Candidates of each question that the calibration looks at, best first.
_SHOWN = 10


@attrs.frozen(eq=False)
class Fitted:
    """One fit, on the scale of log-odds: weights of the columns, the coefficients of the belief,
    the base first, and the usual score of what has nothing to do with a question."""

    columns: Any
    belief: Any
    background: float


class Trainer:
    """Fits one table on questions and scores questions with it."""

    def __init__(self, table: str, names: Sequence[str]) -> None:
        self.table: weights.Weights = getattr(weights, table)
        self.names = list(names)
        self.ranked = [self.names.index(name) for name in self.table.columns]
        self.asked = [name for name in self.table.belief if name not in STANDING]
        self.positive = np.array([name in POSITIVE for name in self.table.columns])

    def fit(self, asked: Sequence[Asked]) -> Fitted:
        """Return the table's numbers as learned from these questions."""
        narrow = [attrs.evolve(one, columns=one.columns[:, :, self.ranked]) for one in asked]
        columns = fit_ranking(narrow, [RANKING[one.part] for one in asked], self.positive)
        background = self.background(asked, columns)
        rows, relevant, heavy = [], [], []
        for one in asked:
            if weight := CHANCES.get(one.part, 0.0):
                scores, features = self.rows(one, columns, background)
                first = np.argsort(-scores, kind="stable")[:_SHOWN]
                rows.append(np.column_stack((scores, features))[first])
                relevant.append(one.relevant[first])
                heavy.append(np.full(len(first), weight))
        positive = np.array([True] + [False] * (len(self.table.belief) + 1))
        scale, base, *belief = fit_chances(
            np.concatenate(rows), np.concatenate(relevant), np.concatenate(heavy), positive
        )
        # What is read of scores is read on the scale of log-odds, once they are on it.
        apart = [scale if name in STANDING else 1.0 for name in self.table.belief]
        numbers = np.array([base, *(np.array(belief) / apart)])
        return Fitted(columns * scale, numbers, background * scale)

    def background(self, asked: Sequence[Asked], columns: Any) -> float:
        """Return the usual score of a statement that has nothing to do with a question: the middle
        of the projects' lists, or of all lists where there are no projects."""
        lists = [one for one in asked if one.part == "realuse"] or asked
        scores = [(one.columns[:, :, self.ranked] @ columns).max(axis=0) for one in lists]
        return float(np.mean([np.median(one) for one in scores if one.size]))

    def rows(self, one: Asked, columns: Any, background: float) -> tuple[Any, Any]:
        """Return the score of each candidate, and what the belief reads of it: a one first."""
        scores = one.columns[:, :, self.ranked] @ columns
        best = scores.max(axis=0)
        if not best.size:
            return best, np.zeros((0, len(self.table.belief) + 1))
        question = one.columns[scores[:, best.argmax()].argmax(), 0]
        listed = ranker.standing(best, background)
        read = [
            listed[name] if name in STANDING else question[self.names.index(name)]
            for name in self.table.belief
        ]
        return best, np.column_stack([np.broadcast_to(v, best.shape) for v in (1.0, *read)])

    def log_odds(self, one: Asked, fitted: Fitted) -> Any:
        """Return the log-odds of the candidates of a question."""
        scores, features = self.rows(one, fitted.columns, fitted.background)
        return scores + features @ fitted.belief

    def weights(self, fitted: Fitted) -> weights.Weights:
        """Return the numbers as a table."""
        named = zip(self.table.columns, fitted.columns, strict=True)
        belief = zip(self.table.belief, fitted.belief[1:], strict=True)
        return weights.Weights(
            columns={name: float(weight) for name, weight in named},
            base=float(fitted.belief[0]),
            belief={name: float(weight) for name, weight in belief},
            background=fitted.background,
        )


def fold_of(one: Asked) -> int:
    """Return the fold of a question: what belongs together by its name is left out together."""
    digits = "".join(letter for letter in one.fold if letter.isdigit())
    return (int(digits) if digits else sum(one.fold.encode())) % FOLDS


def cross_validated(trainer: Trainer, asked: Sequence[Asked]) -> list[Any]:
    """Return the log-odds of every question by tables that never saw its fold."""
    odds: list[Any] = [None] * len(asked)
    for fold in range(FOLDS):
        fitted = trainer.fit([one for one in asked if fold_of(one) != fold])
        for at, one in enumerate(asked):
            if fold_of(one) == fold:
                odds[at] = trainer.log_odds(one, fitted)
    return odds


def report(asked: Sequence[Asked], odds: Sequence[Any]) -> Iterator[str]:
    """Yield the figures: rankings by set, what each floor would decide, reliability."""
    for part in RANKING:
        found = Ranking()
        for one, score in zip(asked, odds, strict=True):
            if one.part == part and one.gold:
                found.add([one.names[at] for at in np.argsort(-score, kind="stable")], one.gold)
        if len(found):
            figures = " ".join(
                f"{metric}={found.value(metric):.3f}"
                for metric in ("hit@1", "hit@5", "R@5", "R@10", "R@20", "MRR")
            )
            yield f"{part:24} n={len(found):4} {figures}"
    for floor in (0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.5):
        rule = selection.SelectionRule(floor=ranker.log_odds_of(floor))
        yield f"floor {floor:.2f}"
        yield from _decided(asked, odds, rule)
    yield from _reliability(asked, odds)


def _decided(
    asked: Sequence[Asked], odds: Sequence[Any], rule: selection.SelectionRule
) -> Iterator[str]:
    """Yield what a rule answers, by set: how much of what is due comes, and how often nothing."""
    for part in CHANCES:
        kinds: dict[str, list[tuple[bool, bool, bool, int, int, int]]] = {}
        for one, score in zip(asked, odds, strict=True):
            if one.part == part:
                got = answer(one, score, rule)
                right = [name in one.gold for name in got]
                counts = (
                    any(right[:1]),
                    any(right[:5]),
                    not got,
                    sum(right),
                    len(got),
                    len(one.gold),
                )
                kinds.setdefault("" if one.gold else one.category or "none", []).append(counts)
        for kind, counted in kinds.items():
            first, five, empty, right_, came, due = np.array(counted, float).T
            if not kind:
                yield (
                    f"    {part:20} first={first.mean():.3f} five={five.mean():.3f} "
                    f"empty={empty.mean():.3f} found={right_.sum() / due.sum():.3f} "
                    f"precision={right_.sum() / max(came.sum(), 1):.3f}"
                )
            elif len(counted) > 5:
                yield f"    {part + '/' + kind:32} silent={empty.mean():.3f} of {len(counted)}"


def answer(one: Asked, odds: Any, rule: selection.SelectionRule) -> list[str]:
    """Return the names of the ten best that a rule lets through."""
    order = np.argsort(-odds, kind="stable")
    listed = [ranker.RankedMemory(int(at), {"all": float(odds[at])}) for at in order]
    return list(dict.fromkeys(one.names[kept.id] for kept in rule.cut(listed)[:10]))


def _reliability(asked: Sequence[Asked], odds: Sequence[Any]) -> Iterator[str]:
    """Yield predicted and found, in tenths, over the best five of each question of the projects."""
    rows = [
        (ranker.probability(float(score[at])), bool(one.relevant[at]))
        for one, score in zip(asked, odds, strict=True)
        if one.part == "realuse"
        for at in np.argsort(-score, kind="stable")[:5]
    ]
    if rows:
        chances, right = np.array(rows, float).T
        tenths = np.minimum((chances * 10).astype(int), 9)
        for tenth in np.unique(tenths):
            here = tenths == tenth
            yield (
                f"    {tenth / 10:.1f}: predicted {chances[here].mean():.3f} "
                f"found {right[here].mean():.3f} of {here.sum()}"
            )


def compared(asked: Sequence[Asked], full: Sequence[Any], less: Sequence[Any]) -> Iterator[str]:
    """Yield by set what is lost in reciprocal rank, with its standard error."""
    for part in RANKING:
        lost = [
            _reciprocal(one, before) - _reciprocal(one, after)
            for one, before, after in zip(asked, full, less, strict=True)
            if one.part == part and one.gold
        ]
        if len(lost) > 1:
            error = float(np.std(lost)) / len(lost) ** 0.5
            yield f"{part:24} n={len(lost):4} lost {np.mean(lost):+.4f} ± {error:.4f}"


def _reciprocal(one: Asked, odds: Any) -> float:
    found = Ranking()
    found.add([one.names[at] for at in np.argsort(-odds, kind="stable")], one.gold)
    return found.value("MRR")


def rendered(name: str, table: weights.Weights) -> str:
    """Return a table as the Python that stands in weights.py."""
    read = [f' "{column}": {weight:.3f},' for column, weight in table.belief.items()]
    lines = [f"{name} = Weights(", f"    base={table.base:.3f},"]
    lines += [f"    background={table.background:.3f},", "    belief={"]
    lines += [*_filled(read), "    },", "    columns={"]
    for part in dict.fromkeys(weights.PARTS.values()):
        columns = [column for column in table.columns if weights.PARTS[column] == part]
        lines += _filled([f' "{column}": {table.columns[column]:.3f},' for column in columns])
    return "\n".join([*lines, "    },", ")  # fmt: skip"])


def _filled(items: Iterable[str]) -> Iterator[str]:
    """Yield lines of as many items as fit."""
    line = ""
    for item in items:
        if line and len(line) + len(item) > 92:
            yield f"       {line}"
            line = ""
        line += item
    if line:
        yield f"       {line}"


def names_of(table: str) -> list[str]:
    """Return the names of the columns that a table reads, products as they are named."""
    read: weights.Weights = getattr(weights, table)
    return [*read.columns, *(name for name in read.belief if name not in STANDING)]


def with_tables(source: str, tables: Mapping[str, str]) -> str:
    """Return the text of weights.py with these tables in place of those of the same names."""
    head, _, made = source.partition(_MADE)
    known = {text.partition(" ")[0]: text for text in made.strip().split("\n\n")}
    every = {name: text for name, text in (known | dict(tables)).items() if text}
    return f"{head}{_MADE}\n" + "\n\n".join(every.values()) + "\n"


def fitted_here(names: Iterable[str]) -> Iterator[str]:
    """Yield the names of the tables whose encoder is installed."""
    for name in names:
        if name in ENCODERS and (lacking := missing()):
            print(f"skipped {name}: {lacking} is not installed ({INSTALL})")
        else:
            yield name


def main() -> None:
    """Fit, print, and write the tables if asked to."""
    parser = argparse.ArgumentParser("python -m bench.train", description=__doc__)
    parser.add_argument("--data", type=folder, help="folder with the sets, one folder each")
    parser.add_argument("--write", action="store_true", help="write memkit/retrieval/weights.py")
    parser.add_argument("--without", help="leave this column out, and print what that loses")
    parser.add_argument(
        "--table", action="append", choices=CONFIGS, help="fit this table (may be repeated)"
    )
    parser.add_argument("--encoder", help="of every table, to compare; nothing is written")
    given = parser.parse_args()
    tables = {}
    for name in fitted_here(given.table or CONFIGS):
        names = names_of(name)
        asked = collect(data_folder(given.data), name, names, encoder=given.encoder)
        if not asked:
            leave(f"skipped: no questions in {data_folder(given.data)}; nothing is learnt")
        trainer = Trainer(name, names)
        odds = cross_validated(trainer, asked)
        print(f"\n{name}: {len(asked)} questions, cross-validated")
        print("\n".join(report(asked, odds)))
        if given.without in trainer.table.columns:
            trainer.ranked.remove(names.index(given.without))
            trainer.positive = np.delete(
                trainer.positive, list(trainer.table.columns).index(given.without)
            )
            print("\n".join(compared(asked, odds, cross_validated(trainer, asked))))
            continue
        tables[name] = rendered(name, trainer.weights(trainer.fit(asked)))
        print(tables[name])
    if given.write and tables and not given.encoder:
        source = MODULE.read_text(encoding="utf-8")
        MODULE.write_text(with_tables(source, tables), encoding="utf-8")


if __name__ == "__main__":
    main()
