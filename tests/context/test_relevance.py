"""Relevance of an item in a window: the five factors of seed 000."""

from __future__ import annotations

import math

import pytest

from memkit.context.relevance import ItemType, relevance


def test_relevance_is_the_product_of_five_factors() -> None:
    """Age, task, dependents, type and what was said of it multiply."""
    score = relevance(
        ItemType.TOOL_RESULT, age_minutes=30, dependents=3, is_current_task=True, explicit=0.5
    )
    assert score == pytest.approx(math.exp(-0.5) * 2 * 1.6 * 0.8 * 0.5)


@pytest.mark.parametrize(
    ("type", "calls", "factor"),
    [
        (ItemType.TASK_STATE, False, 2.0),
        (ItemType.USER_MESSAGE, False, 1.5),
        (ItemType.ASSISTANT_RESPONSE, True, 1.2),
        (ItemType.ASSISTANT_RESPONSE, False, 0.9),
        (ItemType.TOOL_RESULT, False, 0.8),
        (ItemType.CODE_SNIPPET, False, 0.7),
        (ItemType.GRAPH_QUERY, False, 0.6),
        (ItemType.SYSTEM_PROMPT, False, 100.0),
    ],
)
def test_each_type_has_its_factor(type: ItemType, calls: bool, factor: float) -> None:
    """A new item that nothing depends on has the factor of its type."""
    assert relevance(type, age_minutes=0, calls_tools=calls) == pytest.approx(factor)


def test_relevance_stays_within_its_bounds() -> None:
    """It never exceeds 100; an item from the future counts as new."""
    assert relevance(ItemType.SYSTEM_PROMPT, age_minutes=0, dependents=9) == 100
    assert relevance(ItemType.USER_MESSAGE, age_minutes=-60) == pytest.approx(1.5)
    assert relevance(ItemType.USER_MESSAGE, age_minutes=1e6) == 0
