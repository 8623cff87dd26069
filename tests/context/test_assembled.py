"""Tiers: shares of a budget by activity, and what flows from tier to tier."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memkit.context.assembled import Activity, Tier, allotments, tier_budgets

ACTIVITIES = st.one_of(st.none(), st.sampled_from(Activity))


def test_budgets_are_those_of_seed_004() -> None:
    """8,000 tokens are divided as in its scenarios: a feature, an error."""
    usual, feature, debugging = (
        list(tier_budgets(8_000, activity).values())
        for activity in (None, Activity.FEATURE, Activity.DEBUGGING)
    )
    assert usual == feature == [2_000, 3_000, 2_000, 1_000]
    assert debugging == [3_000, 2_500, 1_500, 1_000]


@given(
    st.dictionaries(st.sampled_from(Tier), st.integers(0, 9_000)), st.integers(0, 9_000), ACTIVITIES
)
def test_nothing_stays_idle_while_a_tier_has_a_use_for_it(
    wants: dict[Tier, int], budget: int, activity: Activity | None
) -> None:
    """No tier gets more than it wants, each gets its share if it wants that, and what is left of
    the budget is left because nobody wants it."""
    allotted = allotments(wants, budget, activity)
    shares = tier_budgets(budget, activity)
    assert all(min(wants.get(t, 0), shares[t]) <= allotted[t] <= wants.get(t, 0) for t in Tier)
    assert sum(allotted.values()) == min(sum(wants.values()), budget)
