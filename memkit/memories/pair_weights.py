"""Weights of the judgement of pairs, as `python -m bench.train_pairs --write` makes them."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Table:
    """Table of a logistic model: for each class its base, and its weight of each column."""

    base: tuple[float, float, float, float]
    weights: Mapping[str, tuple[float, float, float, float]]


# -- made by bench/train_pairs from here on
VECTORS = Table((0.0, 0.0, 0.0, 0.0), {})
WORDS = Table((0.0, 0.0, 0.0, 0.0), {})
