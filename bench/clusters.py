"""Clusters: agreement with scikit-learn's HDBSCAN, and the time of one core.

Points are vectors of real statements (locomo, beam). `ari` is the agreement with scikit-learn on
the same points with the numbers that memkit uses; beside it stands that of scikit-learn with
itself, the points in another order. `10k/5` is the same with scikit-learn's own numbers (five and
five): there many edges are equally long, which of them come first is chance, and what is beside it
is the most that can be reached. `s` is beside the time that scikit-learn takes.
"""

from __future__ import annotations

import importlib.util
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from memkit.consolidation import clusters
from memkit.consolidation.hdbscan import hdbscan
from memkit.encoder import load_encoder
from memkit.encoder.protocol import quantize
from memkit.text.extractive import split_statements

from . import corpora
from .results import Options, Row

SIZES = {"1k": 1_000, "10k": 10_000, "50k": 50_000}
COMPARED = "10k"
# scikit-learn's own numbers.
USUAL = 5
SEED = 18
_BATCH = 500

Vectors = Any
Labels = Any


def run(options: Options) -> list[Row]:
    """Measure every size for which there are statements."""
    if options.folder("clusters", "locomo") is None:
        return []
    largest = min(options.limit or max(SIZES.values()), max(SIZES.values()))
    vectors = np.array(list(islice(_vectors(options), largest)))
    rows: list[Row] = []
    for name, size in SIZES.items():
        if options.limit is None and len(vectors) < size:
            options.say(f"skipped {name}: there are {len(vectors):,} statements")
            continue
        rows += _measured(name, vectors[:size], options)
    return rows


def _measured(name: str, vectors: Vectors, options: Options) -> Iterator[Row]:
    max_size = clusters.MAX_SIZE
    began = time.process_time()
    own = hdbscan(
        vectors,
        min_size=clusters.MIN_SIZE,
        min_samples=clusters.MIN_SAMPLES,
        max_size=max_size,
    )
    seconds = time.process_time() - began
    alone = int((own.labels < 0).sum())
    options.say(f"{name}: {len(vectors):,} points, {own.count} clusters, {alone:,} in none")
    is_compared = name == COMPARED and importlib.util.find_spec("sklearn") is not None
    if not is_compared:
        if name == COMPARED:
            options.say("skipped the comparison: scikit-learn is not installed")
        yield Row(name, "s", seconds)
        return
    oracle, floor_seconds = _sklearn(vectors, clusters.MIN_SIZE, clusters.MIN_SAMPLES, max_size)
    yield Row(name, "s", seconds, floor_seconds)
    yield from _agreement(name, vectors, own.labels, oracle, max_size)
    usual, _ = _sklearn(vectors, USUAL, USUAL, None)
    yield from _agreement(
        f"{name}/{USUAL}", vectors, hdbscan(vectors, min_size=USUAL).labels, usual, None
    )


def _agreement(
    name: str, vectors: Vectors, own: Labels, oracle: Labels, max_size: int | None
) -> Iterator[Row]:
    order = np.random.default_rng(SEED).permutation(len(vectors))
    is_usual = name.endswith(f"/{USUAL}")
    numbers = (USUAL, USUAL) if is_usual else (clusters.MIN_SIZE, clusters.MIN_SAMPLES)
    again = np.empty_like(oracle)
    again[order] = _sklearn(vectors[order], *numbers, max_size)[0]
    yield Row(name, "ari", _ari(own, oracle), _ari(again, oracle))


def _sklearn(
    vectors: Vectors, min_size: int, min_samples: int, max_size: int | None
) -> tuple[Labels, float]:
    """Return scikit-learn's labels, and the seconds that they took."""
    from sklearn.cluster import HDBSCAN

    points = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    began = time.process_time()
    fitted = HDBSCAN(
        min_cluster_size=min_size,
        min_samples=min_samples,
        max_cluster_size=max_size,
        algorithm="brute",
        copy=True,
    ).fit(points)
    return fitted.labels_, time.process_time() - began


def _ari(left: Labels, right: Labels) -> float:
    from sklearn.metrics import adjusted_rand_score

    return float(adjusted_rand_score(left, right))


def _vectors(options: Options) -> Iterator[Vectors]:
    """Yield the vector of each statement, as it is stored, no two the same."""
    encoder = load_encoder()
    seen: set[bytes] = set()
    statements = _statements(options)
    while batch := list(islice(statements, _BATCH)):
        for embedded in encoder.embed(batch):
            rows = [quantize(vector) for vector in embedded.vectors[:1]]
            yield from (
                np.frombuffer(row, np.int8).astype(np.float32) for row in rows if row not in seen
            )
            seen.update(rows)


def _statements(options: Options) -> Iterable[str]:
    for corpus in corpora.locomo(options.data):
        yield from (item.text for item in corpus.items)
    for corpus in corpora.beam(options.data):
        for item in corpus.items:
            yield from (text for text in split_statements(item.text) if len(text.split()) > 3)
