"""Event: the one record of what happened.

A reader yields events in the order in which they happened. Prompts begin tasks; a call carries its
result. What a model answered or thought is no event: nothing of it is stored.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from ..records import Operation


@attrs.frozen
class Touched:
    """A file that a call read, searched or changed.

    Attributes:
        path: absolute, or relative to where the session began.
        lines: first and last line, if known. previous_path: of a rename.
        changes: what changed, in a few words. content_hash: of the whole file after it, if known.
    """

    path: str
    operation: Operation
    lines: tuple[int, int] | None = None
    previous_path: str | None = None
    changes: str | None = None
    content_hash: str | None = None


@attrs.frozen
class Began:
    """A session. `name` is the transcript's own, `cwd` the folder that its paths count from."""

    name: str
    at: str | None = None
    agent: str | None = None
    cwd: str | None = None
    branch: str | None = None
    commit: str | None = None


@attrs.frozen
class Prompt:
    """What a user asked for. `name` is unique among all transcripts of the format."""

    name: str
    text: str
    at: str | None = None
    branch: str | None = None


@attrs.frozen
class Call:
    """A call of a tool with its result.

    Attributes:
        call_id: the transcript's own name of it.
        prompt: name of the prompt that it serves; None is the last one.
        output: what came back, whole; None if nothing (yet) did.
        has_result: whether anything came back.
        success: False if the transcript says that it failed, True if it says that it did not.
    """

    call_id: str
    tool: str
    parameters: Mapping[str, Any] = attrs.field(factory=dict)
    at: str | None = None
    prompt: str | None = None
    output: str | None = None
    has_result: bool = False
    success: bool | None = None
    error: str | None = None
    exit_code: int | None = None
    duration_ms: int | None = None
    context_tokens: int | None = None
    files: tuple[Touched, ...] = ()


@attrs.frozen
class Interrupted:
    """The user stopped the work on a prompt (None: the last one)."""

    at: str | None = None
    prompt: str | None = None


@attrs.frozen
class Answered:
    """The model has said its last word on the last prompt."""

    at: str | None = None


@attrs.frozen
class Ended:
    """The transcript says how its last task ended: `success` None if only that it did."""

    at: str | None = None
    success: bool | None = None
    reason: str | None = None


@attrs.frozen
class Skipped:
    """A row that is no event, or none that can be read."""

    reason: str
    place: str | None = None


Event = Began | Prompt | Call | Interrupted | Answered | Ended | Skipped
