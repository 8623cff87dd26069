"""Signals of a moment that a context is assembled for, and the activity they tell of."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs

from .. import validation
from ..errors import InvalidInput
from ..frozen import frozen
from ..store import timestamps
from .assembled import Activity


@frozen
class ContextSignals:
    """What is known of the moment (seed 004, POST /context/assemble, Predictive Context Engine).

    Attributes:
        current_file: path of the file that is open. recent_errors: messages or outputs.
        branch: what is checked out. activity: feature, debugging, review or exploration.
        task: name of the task under way, or what it is. collaborator: who joined.
        time: moment of the day, as UTC text; None says nothing of it.
        season: recurring moment that is on, such as release-week.
    """

    current_file: str | None = None
    recent_errors: tuple[str, ...] = ()
    branch: str | None = None
    activity: Activity | str | None = None
    task: str | None = None
    collaborator: str | None = None
    time: str | None = None
    season: str | None = None

    @property
    def is_empty(self) -> bool:
        """Whether nothing tells what is being worked on; an activity or a season does not."""
        return attrs.evolve(self, activity=None, season=None) == ContextSignals()


def signals_of(value: ContextSignals | Mapping[str, Any] | None) -> ContextSignals:
    """Return signals given as a record, a mapping or not at all, checked; what is blank says
    nothing. Raises InvalidInput."""
    if isinstance(value, ContextSignals):
        value = attrs.asdict(value)
    fields = validation.mapping(value or {}, name="signals")
    names = {field.name for field in attrs.fields(ContextSignals)}
    if unknown := sorted(str(name) for name in fields if name not in names):
        raise InvalidInput(
            f"signals: {unknown[0]!r} is no signal; give some of {', '.join(sorted(names))}"
        )
    errors = validation.texts(fields.get("recent_errors") or (), name="signals.recent_errors")
    activity, time = fields.get("activity"), fields.get("time")
    return ContextSignals(
        recent_errors=tuple(error for error in errors if error.strip()),
        activity=None if activity is None else activity_of(activity, name="signals.activity"),
        time=None if time is None else timestamps.normalise(time, name="signals.time"),
        **{name: _text(fields.get(name), name) for name in _TEXTS},
    )


_TEXTS = ("current_file", "branch", "task", "collaborator", "season")


def _text(value: object, name: str) -> str | None:
    text = validation.optional(validation.text, value, name=f"signals.{name}")
    return text if text is None or text.strip() else None


def activity_of(value: str, *, name: str = "activity") -> Activity:
    """Return the activity of a name; raises InvalidInput."""
    return validation.member(Activity, value, name=name)


def infer_activity(prompt: str, signals: ContextSignals) -> Activity | None:
    """Return what a prompt and its signals are about, or None if nothing tells: an error that is
    pasted or signalled is being fixed; else the words decide, as they do for recorded tasks."""
    from ..episodes.error_signatures import telling_line
    from ..episodes.recording.normalizer import infer
    from ..episodes.records import Intent

    if signals.activity is not None:
        return Activity(signals.activity)
    if signals.recent_errors or telling_line(prompt) is not None:
        return Activity.DEBUGGING
    intent = infer(prompt or signals.task or "", {})
    return {
        None: None,
        Intent.PROJECT_FIXING: Activity.DEBUGGING,
        Intent.CODE_WRITING: Activity.FEATURE,
        Intent.CODE_READING: Activity.REVIEW,
        Intent.PROJECT_EXPLORATION: Activity.EXPLORATION,
    }[intent]
