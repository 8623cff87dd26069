"""HDBSCAN: the same clusters as scikit-learn's, whatever the order and the size of the blocks."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.cluster import HDBSCAN
from sklearn.metrics import adjusted_rand_score

from memkit.consolidation import hdbscan as module
from memkit.consolidation.hdbscan import NOISE, hdbscan, nearest_rows


def points(seed: int, count: int, centres: int, spread: float) -> Any:
    """Whole-numbered vectors around a few directions, as they are stored, no two the same."""
    rng = np.random.default_rng(seed)
    directions = rng.normal(size=(centres, 16))
    rows = directions[rng.integers(centres, size=count)] + spread * rng.normal(size=(count, 16))
    whole = np.rint(127 * rows / np.abs(rows).max(axis=1, keepdims=True))
    return np.unique(whole, axis=0)[rng.permutation(len(np.unique(whole, axis=0)))]


def oracle(vectors: Any, min_size: int, min_samples: int, max_size: int | None = None) -> Any:
    """What scikit-learn makes of the same points."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return HDBSCAN(
        min_cluster_size=min_size,
        min_samples=min_samples,
        max_cluster_size=max_size,
        algorithm="brute",
        copy=True,
    ).fit(unit)


clouds = st.builds(
    points, st.integers(0, 999), st.integers(20, 150), st.integers(2, 8), st.floats(0.1, 1.0)
)


@given(clouds, st.integers(2, 6), st.sampled_from([None, 10, 40]))
def test_clusters_are_those_of_scikit_learn(
    vectors: Any, min_size: int, max_size: int | None
) -> None:
    """Labels and memberships agree where no two edges are equally long: with two samples."""
    own = hdbscan(vectors, min_size=min_size, min_samples=2, max_size=max_size)
    theirs = oracle(vectors, min_size, 2, max_size)
    assert adjusted_rand_score(own.labels, theirs.labels_) >= 0.98
    assert ((own.labels == NOISE) == (theirs.labels_ == NOISE)).mean() >= 0.98
    assert np.median(np.abs(own.weights - theirs.probabilities_)) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_with_more_samples_it_agrees_as_scikit_learn_does_with_itself(seed: int) -> None:
    """Equally long edges make scikit-learn's own clusters hang on the order of the points."""
    vectors = points(seed, 400, 12, 0.5)
    own, theirs = hdbscan(vectors, min_size=5), oracle(vectors, 5, 5)
    assert adjusted_rand_score(own.labels, theirs.labels_) >= 0.95


@given(clouds, st.integers(2, 6), st.integers(1, 6), st.randoms(use_true_random=False))
def test_the_order_of_the_points_does_not_matter(
    vectors: Any, min_size: int, min_samples: int, random: Any
) -> None:
    """The same points in another order lie in the same clusters, as firmly."""
    order = list(range(len(vectors)))
    random.shuffle(order)
    own = hdbscan(vectors, min_size=min_size, min_samples=min_samples)
    again = hdbscan(vectors[order], min_size=min_size, min_samples=min_samples)
    assert adjusted_rand_score(own.labels[order], again.labels) == 1.0
    assert np.allclose(own.weights[order], again.weights)


@given(clouds)
def test_small_blocks_change_nothing(vectors: Any) -> None:
    """Memory is bounded by blocks, and the clusters are the same in the smallest; so they are with
    too few neighbours listed to find the tree by them alone."""
    whole = hdbscan(vectors, min_size=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_BLOCK", 1)
        patch.setattr(module, "_NEIGHBOURS", 3)
        assert np.array_equal(hdbscan(vectors, min_size=3).labels, whole.labels)


@given(clouds, st.integers(2, 5))
def test_clusters_are_as_large_as_they_must_and_may_be(vectors: Any, min_size: int) -> None:
    """None is smaller than the least or larger than the most; what lies in none weighs nothing, and
    clusters are numbered by their first points."""
    most = 4 * min_size
    own = hdbscan(vectors, min_size=min_size, max_size=most)
    sizes = np.bincount(own.labels[own.labels != NOISE], minlength=own.count)
    assert all(min_size <= size <= most for size in sizes)
    assert ((own.weights > 0) == (own.labels != NOISE)).all()
    firsts = [int(np.flatnonzero(own.labels == n)[0]) for n in range(own.count)]
    assert firsts == sorted(firsts)


@pytest.mark.parametrize("count", [0, 1, 5])
def test_few_points_are_no_clusters(count: int) -> None:
    """Nothing is a cluster of so few."""
    own = hdbscan(np.ones((count, 4)) + np.eye(max(count, 1), 4)[:count], min_size=3)
    assert own.count == 0
    assert (own.labels == NOISE).all()


def test_equal_points_are_a_cluster() -> None:
    """Points that cannot be told apart lie in one, and weigh in full; what is far from both weighs
    next to nothing in the nearer one."""
    rows = np.array([[9, 0, 0]] * 4 + [[0, 9, 0]] * 4 + [[0, 3, 9]])
    own = hdbscan(rows, min_size=3, min_samples=2)
    assert own.labels.tolist() == [0, 0, 0, 0, 1, 1, 1, 1, 1]
    assert own.weights[:8].tolist() == [1.0] * 8
    assert own.weights[8] < 0.01


@given(clouds)
def test_nearest_rows_are_the_nearest(vectors: Any) -> None:
    """The first is at least as near as any other point but itself."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    close = unit @ unit.T
    np.fill_diagonal(close, -2)
    first = nearest_rows(vectors, 2)[:, 0]
    assert np.allclose(close[np.arange(len(unit)), first], close.max(axis=1))
