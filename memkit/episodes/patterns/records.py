"""What is learnt as records: patterns, learnings, ways of working, and what was seen of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from ..kinds import LearningType, PatternType


@attrs.frozen
class Pattern:
    """One pattern. Times are UTC text.

    Attributes:
        data: by type; `files` are the paths it is about, `error` a signature, `steps` a sequence.
        confidence: 0 to 1, faded by the time since it was last seen.
        observed: times it was seen. successes, failures: times it held and did not.
        evidence: names of tasks, ids of calls, hashes of commits; the newest few.
    """

    id: int
    type: PatternType = attrs.field(converter=PatternType)
    data: Mapping[str, Any]
    confidence: float
    observed: int
    successes: int
    failures: int
    first_seen: str
    last_seen: str
    evidence: tuple[str, ...]
    active: bool = attrs.field(converter=bool)
    inactive_reason: str | None

    @property
    def files(self) -> tuple[str, ...]:
        """The paths it is about."""
        return _texts(self.data, "files")

    @property
    def text(self) -> str:
        """It in a line."""
        files = ", ".join(self.files)
        match self.type:
            case PatternType.CO_EDIT:
                return f"changed together: {files}"
            case PatternType.ERROR_FIX:
                ran = "; ".join(_texts(self.data, "commands")) or "trying again"
                return f"{self.data.get('error')}: fixed by {f'changing {files}' if files else ran}"
            case PatternType.REFACTOR:
                return f"after a rename in {self.data.get('folder') or '.'}: {files} follow"
            case _:
                return " → ".join(_texts(self.data, "steps"))


@attrs.frozen
class Learning:
    """One learning; `key` is the path, error signature or workflow it is about."""

    id: int
    session: str
    type: LearningType = attrs.field(converter=LearningType)
    key: str
    data: Mapping[str, Any]
    confidence: float
    observed: int
    first_seen: str
    last_seen: str
    evidence: tuple[str, ...]
    active: bool = attrs.field(converter=bool)
    inactive_reason: str | None

    @property
    def text(self) -> str:
        """It in a line."""
        if self.type is LearningType.FILE_PURPOSE:
            return f"{self.key}: {', '.join(_texts(self.data, 'words'))}"
        message = self.data.get("message", self.key)
        return self.key if message == self.key else f"{self.key}: {message}"


@attrs.frozen
class Sighting:
    """A pattern that was seen, or was not where it could have been.

    Attributes:
        same: what makes two patterns the same. at: when, UTC text.
        held, failed: times it held and did not. absolute: these are all times, not further ones.
    """

    type: PatternType
    same: Sequence[Any]
    data: Mapping[str, Any]
    at: str
    evidence: tuple[str, ...] = ()
    held: int = 1
    failed: int = 0
    absolute: bool = False
    first: str | None = None


@attrs.frozen
class Workflow:
    """A way of working that came again: a draft of a procedural memory.

    Attributes:
        steps: what is done, in order. tasks: names of the tasks it was seen in.
        completed, failed: how many of them ended so.
    """

    name: str
    steps: tuple[str, ...]
    tasks: tuple[str, ...]
    completed: int
    failed: int


@attrs.frozen
class Learnt:
    """What was learnt: tasks looked at, patterns seen by type, workflows found."""

    tasks: int = 0
    patterns: int = 0
    learnings: int = 0
    workflows: tuple[Workflow, ...] = ()


def _texts(data: Mapping[str, Any], name: str) -> tuple[str, ...]:
    # What came with an archive is JSON, but of any shape.
    found = data.get(name)
    return tuple(map(str, found)) if isinstance(found, list | tuple) else ()
