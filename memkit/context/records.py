"""Records that the parts of the context share: kinds of items and of removed spans."""

from __future__ import annotations

from enum import StrEnum


class ItemKind(StrEnum):
    """Kinds of items that a scope holds (seed 003)."""

    DECISION = "decision"
    CONVENTION = "convention"
    FAILURE = "failure"
    PREFERENCE = "preference"
    PATTERN = "pattern"
    REASONING = "reasoning"
    TOOL_OUTPUT = "tool_output"


class SpanKind(StrEnum):
    """What was taken out of a context and is kept word for word."""

    TOOL_RESULT = "tool_result"
    MESSAGE = "message"
    HISTORY = "history"
