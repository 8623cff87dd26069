"""Make the tables by which pairs of statements are judged; print their cross-validated figures.

    python -m bench.train_pairs            # cross-validated figures
    python -m bench.train_pairs --write    # and the tables go to memkit/assets/pair_weights.json

A project, a chat, a fifth of a set of sentences is left out as a whole. SNLI and MNLI are never
learned from: their contradictions presume one scene. Two tables are made: with word vectors, and
by words alone.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from typing import Any

import attrs
import numpy as np

from memkit.encoder.static import packaged_encoder
from memkit.memories.compared_statement import StatementReader
from memkit.memories.pair_columns import align, columns
from memkit.memories.pair_detection import (
    AT_ODDS,
    CLASSES,
    DENIED,
    DENIED_COVER,
    REPEATED,
    TABLES,
)

from .__main__ import data_folder
from .command_line import folder, leave
from .pair_sets import (
    LabelledPair,
    changed,
    neighbours,
    project_pairs,
    sentence_pairs,
    strangers,
    turns,
)

Array = Any
# How much a pair of each source weighs: the projects most, which are what memkit is used for.
WEIGHTS = {
    "realuse": 3.0, "training": 3.0, "neighbours": 1.0, "strangers": 1.0, "locomo": 0.7,
    "devmembench": 1.0, "beam turns": 0.5, "sick": 0.75, "beam": 1.5,
    "sts2013-headlines": 1.5, "sts2014-headlines": 1.5, "sts2014-deft-news": 1.5,
    "another number": 0.3, "negated": 0.3, "opposite": 0.3, "numbered": 0.3,
}  # fmt: skip
PROJECTS = ("realuse", "training")
_RIDGE = 0.004
_STEPS, _RATE = 200, 0.08
_FOLDS = 8


@attrs.frozen(eq=False)
class Sample:
    """Columns of pairs, their class numbers, and how much each weighs."""

    pairs: tuple[LabelledPair, ...]
    names: tuple[str, ...]
    values: Array
    classes: Array
    weights: Array

    @classmethod
    def of(cls, pairs: Sequence[LabelledPair], reader: StatementReader) -> Sample:
        """Return the sample of all pairs that say something in words."""
        rows, kept = [], []
        for pair in pairs:
            older, newer = reader.read(pair.older), reader.read(pair.newer)
            if older is not None and newer is not None:
                rows.append(columns(align(older, newer)))
                kept.append(pair)
        names = tuple(rows[0])
        values = np.array([[row[name] for name in names] for row in rows])
        classes = np.array([CLASSES.index(pair.label) for pair in kept])
        weights = np.array([WEIGHTS.get(pair.source, 0.0) for pair in kept])
        return cls(tuple(kept), names, values, classes, weights)

    def without(self, *names: str) -> Sample:
        """Return the sample without the columns whose names begin so."""
        keep = [n for n, name in enumerate(self.names) if not name.startswith(names)]
        return attrs.evolve(
            self, names=tuple(self.names[n] for n in keep), values=self.values[:, keep]
        )


def fit(values: Array, classes: Array, weights: Array) -> tuple[Array, Array]:
    """Return the base of each class and the weights (columns, classes) of a logistic model."""
    center, spread = values.mean(axis=0), values.std(axis=0)
    spread = np.where(spread > 1e-9, spread, np.inf)
    scaled = (values - center) / spread
    gold = np.eye(len(CLASSES))[classes]
    share = (weights / weights.sum())[:, None]
    model = np.zeros((scaled.shape[1] + 1, len(CLASSES)))
    design = np.column_stack([scaled, np.ones(len(scaled))])
    first, second = np.zeros_like(model), np.zeros_like(model)
    penalty = np.full((len(model), 1), _RIDGE)
    penalty[-1] = 0
    for step in range(1, _STEPS + 1):
        slope = design.T @ ((softmax(design @ model) - gold) * share) + penalty * model
        first = 0.9 * first + 0.1 * slope
        second = 0.99 * second + 0.01 * slope**2
        change = (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-9)
        model -= _RATE * (1 - step / (_STEPS + 1)) * change
    columns_ = model[:-1] / spread[:, None]
    return model[-1] - center @ columns_, columns_


def softmax(scores: Array) -> Array:
    """Return scores as probabilities, row by row."""
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    return powers / powers.sum(axis=1, keepdims=True)


def cross_validated(sample: Sample) -> Array:
    """Return the probabilities of each pair by a table that has not seen its fold; pairs that are
    not learned from are judged by the table of all others."""
    folds = np.array([pair.fold for pair in sample.pairs])
    learned = sample.weights > 0
    projects = sorted({pair.fold for pair in sample.pairs if pair.source in PROJECTS})
    others = sorted({fold for fold in folds[learned]} - set(projects))
    parts = max(len(projects), _FOLDS)
    chances = np.zeros((len(folds), len(CLASSES)))
    for part in range(parts):
        left_out = np.isin(folds, projects[part::parts] + others[part::parts]) & learned
        seen = learned & ~left_out
        chances[left_out] = _judged(sample, seen, left_out)
    if (~learned).any():
        chances[~learned] = _judged(sample, learned, ~learned)
    return chances


def _judged(sample: Sample, seen: Array, judged: Array) -> Array:
    base, weights = fit(sample.values[seen], sample.classes[seen], sample.weights[seen])
    return softmax(base + sample.values[judged] @ weights)


def report(sample: Sample, chances: Array) -> list[str]:
    """Return the figures of judgements as lines: shares of each label of each source."""
    sources = np.array([pair.source for pair in sample.pairs])
    odds = chances[:, 1] + chances[:, 2]
    negated, cover = (
        sample.values[:, sample.names.index(name)] for name in ("negated_one", "denied")
    )
    denied = (negated > 0) & (cover >= DENIED_COVER)
    at_odds = odds >= np.where(denied, DENIED, AT_ODDS)
    repeats = ~at_odds & (chances[:, 3] >= REPEATED)
    lines = [f"{'source':20} {'label':14} {'pairs':>5} at odds  repeats"]
    for source in [*dict.fromkeys(sources), "projects"]:
        here = np.isin(sources, PROJECTS) if source == "projects" else sources == source
        for number, label in enumerate(CLASSES):
            some = here & (sample.classes == number)
            if some.any():
                lines.append(
                    f"{source:20} {label:14} {some.sum():5} "
                    f"{at_odds[some].mean():7.3f} {repeats[some].mean():8.3f}"
                )
    return [*lines, *_curves(sample, chances, sources)]


def _curves(sample: Sample, chances: Array, sources: Array) -> list[str]:
    """Return what other cuts would give: recall where distinct ones are at odds in a twentieth,
    recall of contradictions at a precision of .60, precision of duplicates at a recall of .70."""
    odds = chances[:, 1] + chances[:, 2]
    projects = np.isin(sources, PROJECTS)
    distinct = projects & (sample.classes == 0)
    lines = []
    for false in (0.02, 0.03, 0.05):
        cut = float(np.quantile(odds[distinct], 1 - false))
        shares = [
            f"{CLASSES[n]} {(odds[projects & (sample.classes == n)] > cut).mean():.3f}"
            for n in (1, 2, 3)
        ]
        cut_r = float(np.quantile(chances[distinct, 3], 1 - false))
        repeated = (chances[projects & (sample.classes == 3), 3] > cut_r).mean()
        lines.append(
            f"distinct {false}: cut {cut:.2f} {' '.join(shares)}; "
            f"repeats cut {cut_r:.2f} {repeated:.3f}"
        )
    for source in ("sick", "beam", "snli", "mnli"):
        here = sources == source
        if here.any():
            p, r = curve(chances[here, 1], sample.classes[here] == 1)
            lines.append(
                f"{source}: contradictions at precision .60: {max(r[p >= 0.6], default=0):.3f}"
            )
    p, r = curve(chances[:, 3][sources == "sick"], (sample.classes == 3)[sources == "sick"])
    lines.append(f"sick: duplicates at recall .70: precision {p[r >= 0.7].max():.3f}")
    return lines


def curve(scores: Array, is_right: Array) -> tuple[Array, Array]:
    """Return precision and recall for each number of the best scores."""
    hits = np.cumsum(is_right[np.argsort(-scores, kind="stable")])
    return hits / np.arange(1, len(hits) + 1), hits / max(1, hits[-1])


def rendered(name: str, sample: Sample) -> str:
    """Return a table learned from all pairs as JSON, a line a column."""
    seen = sample.weights > 0
    base, weights = fit(sample.values[seen], sample.classes[seen], sample.weights[seen])
    rows = [
        f'      "{column}": {_numbers(row)}'
        for column, row in zip(sample.names, weights, strict=True)
    ]
    listed = ",\n".join(rows)
    body = f'    "base": {_numbers(base)},\n    "weights": {{\n{listed}\n    }}'
    return f'  "{name}": {{\n{body}\n  }}'


def _numbers(values: Array) -> str:
    return json.dumps([round(float(value), 4) for value in values])


def main() -> None:
    """Fit, print, and write the tables if asked to."""
    parser = argparse.ArgumentParser("python -m bench.train_pairs", description=__doc__)
    parser.add_argument("--data", type=folder, help="folder with the sets, one folder each")
    parser.add_argument("--write", action="store_true", help=f"write {TABLES.name}")
    parser.add_argument("--without", action="append", help="leave out columns that begin so")
    given = parser.parse_args()
    data = data_folder(given.data)
    tables = []
    for name, encoder in (("vectors", packaged_encoder()), ("words", None)):
        reader = StatementReader(encoder)
        pairs = [*project_pairs(data), *sentence_pairs(data)]
        pairs += [*neighbours(data, reader), *strangers(data, reader)]
        pairs += [*turns(data, reader), *changed(data)]
        if not any(pair.source == "realuse" for pair in pairs):
            leave(f"skipped: no projects in {data}; nothing is learnt")
        sample = Sample.of(pairs, reader).without(*(given.without or ["\0"]))
        print(f"\n{name}: {len(sample.pairs)} pairs, {len(sample.names)} columns, cross-validated")
        print("\n".join(report(sample, cross_validated(sample))), flush=True)
        tables.append(rendered(name, sample))
    if given.write:
        TABLES.write_text("{\n" + ",\n".join(tables) + "\n}\n", "utf-8")


if __name__ == "__main__":
    main()
