"""Gains over an answer without something: figures of two answers to the same questions."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Sequence

import attrs
import numpy as np

from .results import Row, Say

DEPTHS = (5, 10, 20)
METRICS = (*(f"R@{depth}" for depth in DEPTHS), "MRR")
WITHOUT = "without"
# What a set is said to gain in, beside the metrics themselves.
_GAINS = {"R@20": "gain", "R@5": "gain_R@5", "MRR": "gain_MRR"}

# What came back, best first, and what should have.
Ranked = tuple[Sequence[str], Collection[str]]


@attrs.define
class Gains:
    """Figures of each sample, by variant; one of them is `WITHOUT`."""

    figures: dict[str, dict[Hashable, tuple[float, ...]]] = attrs.field(factory=dict)

    def add(self, variant: str, sample: Hashable, *rankings: Ranked) -> None:
        """Count rankings of names as one sample: what hangs together counts once."""
        each = [_figures(list(dict.fromkeys(ranked)), set(due)) for ranked, due in rankings]
        self.figures.setdefault(variant, {})[sample] = tuple(np.mean(each, axis=0))

    def rows(self, part: str, say: Say) -> Iterator[Row]:
        """Yield the means of each variant beside those without, then the gains, each beside twice
        its standard error."""
        without = self.figures.get(WITHOUT, {})
        for variant, figures in self.figures.items():
            if variant == WITHOUT:
                continue
            values = np.array(list(figures.values()))
            floor = np.array([without[sample] for sample in figures])
            for column, metric in enumerate(METRICS):
                means = (values[:, column].mean(), floor[:, column].mean())
                yield Row(f"{part}/{variant}", metric, float(means[0]), float(means[1]))
            changes = values - floor
            gains = changes.mean(axis=0)
            errors = 2 * changes.std(axis=0) / len(changes) ** 0.5
            told = ", ".join(
                f"{metric} {gain:+.4f} ± {error:.4f}"
                for metric, gain, error in zip(METRICS, gains, errors, strict=True)
            )
            say(f"{part}/{variant}: {told} ({len(changes)})")
            for metric, name in _GAINS.items():
                at = METRICS.index(metric)
                yield Row(f"{part}/{variant}", name, float(gains[at]), float(errors[at]))


def _figures(names: Sequence[str], due: set[str]) -> tuple[float, ...]:
    shares = [len(due.intersection(names[:depth])) / len(due) for depth in DEPTHS]
    first = next((1 / place for place, name in enumerate(names, 1) if name in due), 0.0)
    return (*shares, first)
