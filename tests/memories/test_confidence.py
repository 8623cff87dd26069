"""How belief decays: falls with age, rises with use, weighs its source, never leaves 0 to 1."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit import Kind, Provenance
from memkit.memories import confidence

shares = st.floats(0, 1)
ages = st.floats(0, 5000)


@given(shares, ages, ages, st.integers(0, 10_000), shares)
def test_belief_never_rises_with_age(
    initial: float, age: float, later: float, uses: int, trust: float
) -> None:
    """Older is believed at most as much, and the result is a share."""
    same = {"days": 30.0, "uses": uses, "trust": trust}
    young = confidence.current(initial, age_days=age, **same)
    old = confidence.current(initial, age_days=age + later, **same)
    assert 0 <= old <= young <= 1


@given(shares, ages, st.integers(0, 1000), shares, shares)
def test_belief_never_falls_with_use_or_trust(
    initial: float, age: float, uses: int, trust: float, more: float
) -> None:
    """Use and a better source never make a memory less believed."""
    low, high = sorted((trust, more))
    assert confidence.current(
        initial, age_days=age, days=90.0, uses=uses, trust=low
    ) <= confidence.current(initial, age_days=age, days=90.0, uses=uses + 1, trust=high)


def test_the_formula_is_that_of_the_seed() -> None:
    """After its own number of days belief has fallen to 1/e; a hundred uses add nearly half."""
    same = {"age_days": 30.0, "days": 30.0, "trust": 1.0}
    assert confidence.current(1.0, uses=0, **same) == pytest.approx(1 / math.e)
    assert confidence.current(1.0, uses=100, **same) == pytest.approx(
        (1 + 0.1 * math.log(101)) / math.e
    )
    assert confidence.current(0.7, uses=0, **same, pinned=True) == 0.7
    assert confidence.current(0.7, age_days=-5, days=30.0, uses=0, trust=1.0) == 0.7


def test_what_was_inferred_decays_fastest_whatever_it_is() -> None:
    """Days of decay follow the kind, except for conclusions nobody stated."""
    missing = set(Kind) ^ confidence.DECAY_DAYS.keys()
    assert not missing, f"DECAY_DAYS in memkit/memories/confidence.py: {missing}"
    days = {kind: confidence.decay_days(kind, Provenance.STATED) for kind in Kind}
    assert days == {
        Kind.CORRECTION: 365,
        Kind.NEGATIVE: 365,
        Kind.PREFERENCE: 90,
        Kind.PROCEDURE: 60,
        Kind.FACT: 30,
    }
    assert {confidence.decay_days(kind, Provenance.INFERRED) for kind in Kind} == {7}


def test_recent_use_counts_half_as_much_again() -> None:
    """The boost is 1.5 at once, under 1.2 after a day, and 1 in the long run."""
    assert confidence.recency_boost(0) == confidence.recency_boost(-3) == 1.5
    assert 1.18 < confidence.recency_boost(24) < 1.19
    assert confidence.recency_boost(24 * 365) == pytest.approx(1)


def test_what_was_concluded_is_trusted_less_than_what_was_said(kit: memkit.Memkit) -> None:
    """A memory weighs what its source does, unless that is given."""
    put = kit.memories.remember
    trusted = {p: put(f"the {p} one", provenance=p).memory.trust for p in Provenance}
    assert trusted == {
        "stated": 1.0,
        "corrected": 1.0,
        "observed": 0.9,
        "extracted": 0.8,
        "inferred": 0.6,
    }
    assert put("a sure one", provenance="inferred", trust=0.95).memory.trust == 0.95
