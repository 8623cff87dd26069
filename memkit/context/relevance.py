"""Relevance of an item in a window: five factors, as seed 000 defines them."""

from __future__ import annotations

import math
from collections.abc import Mapping
from enum import StrEnum
from types import MappingProxyType

# The numbers are those of seed 000, section 3 (`calculate_relevance`).
DECAY_MINUTES = 60.0
"""Minutes after which the factor of age has fallen to 1/e."""
CURRENT_TASK = 2.0
"""Factor of an item of the task under way."""
PER_DEPENDENT = 0.2
"""What every item that depends on it adds to the factor of dependents."""
MAX_RELEVANCE = 100.0
"""Relevance is cut off there."""


class ItemType(StrEnum):
    """Types of items in a window (seed 000)."""

    SYSTEM_PROMPT = "system_prompt"
    USER_MESSAGE = "user_message"
    ASSISTANT_RESPONSE = "assistant_response"
    TOOL_RESULT = "tool_result"
    CODE_SNIPPET = "code_snippet"
    TASK_STATE = "task_state"
    GRAPH_QUERY = "knowledge_graph_query"


TYPE_FACTORS: Mapping[ItemType, float] = MappingProxyType(
    {
        ItemType.SYSTEM_PROMPT: 100.0,
        ItemType.TASK_STATE: 2.0,
        ItemType.USER_MESSAGE: 1.5,
        ItemType.ASSISTANT_RESPONSE: 0.9,
        ItemType.TOOL_RESULT: 0.8,
        ItemType.CODE_SNIPPET: 0.7,
        ItemType.GRAPH_QUERY: 0.6,
    }
)
"""Factors of the types; of an assistant's response, where it calls no tool."""
CALLING = 1.2
"""Factor of an assistant's response that calls tools."""


def relevance(
    type: ItemType,
    *,
    age_minutes: float,
    dependents: int = 0,
    is_current_task: bool = False,
    calls_tools: bool = False,
    explicit: float = 1.0,
) -> float:
    """Return how relevant an item is, from 0 to 100 (seed 000).

    `dependents` is how many items depend on it, `explicit` what whoever added it said of its
    relevance. An item from the future counts as new.
    """
    is_calling = type is ItemType.ASSISTANT_RESPONSE and calls_tools
    factors = (
        math.exp(-max(0.0, age_minutes) / DECAY_MINUTES),
        CURRENT_TASK if is_current_task else 1.0,
        1.0 + PER_DEPENDENT * dependents,
        CALLING if is_calling else TYPE_FACTORS[type],
        explicit,
    )
    return min(max(math.prod(factors), 0.0), MAX_RELEVANCE)
