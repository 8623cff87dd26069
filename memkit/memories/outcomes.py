"""Outcomes of procedures: how each fared when it was followed, as a whole and step by step."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from enum import StrEnum

from ..frozen import frozen

# Times in a row that a step fails before that is said as a warning: once may be chance.
REPEATED = 2


class StepOutcome(StrEnum):
    """Outcome of a procedure or of one of its steps."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    SKIPPED = "skipped"


class OutcomeOrigin(StrEnum):
    """Origin of an outcome: somebody said so, or recorded commands match the steps."""

    STATED = "stated"
    OBSERVED = "observed"


@frozen
class StepRecord:
    """How a procedure or one of its steps fared.

    Attributes:
        step: its number, from 1; None is the whole. failed_last: how often it failed since it last
            succeeded. note: what was said of the last time that it failed.
    """

    step: int | None
    succeeded: int
    failed: int
    skipped: int
    failed_last: int
    note: str | None

    @property
    def is_failing(self) -> bool:
        """Whether it failed again and again, and has not succeeded since."""
        return self.failed_last >= REPEATED

    @property
    def success_rate(self) -> float | None:
        """Share of the times it was tried that it succeeded; None if it never was."""
        tried = self.succeeded + self.failed
        return self.succeeded / tried if tried else None


def records_of(stored: str | None) -> tuple[StepRecord, ...]:
    """Return how a procedure fared, the whole first, from a JSON list of outcomes, newest first;
    raises ValueError for anything else."""
    by_step: dict[int | None, list[tuple[StepOutcome, str | None]]] = {}
    for step, outcome, note in json.loads(stored or "[]"):
        by_step.setdefault(step, []).append((StepOutcome(outcome), note))
    return tuple(_record(step, by_step[step]) for step in sorted(by_step, key=lambda n: n or 0))


def _record(step: int | None, newest: Sequence[tuple[StepOutcome, str | None]]) -> StepRecord:
    outcomes = [outcome for outcome, _ in newest]
    tried = [outcome for outcome in outcomes if outcome is not StepOutcome.SKIPPED]
    succeeded = StepOutcome.SUCCEEDED
    return StepRecord(
        step,
        succeeded=outcomes.count(succeeded),
        failed=outcomes.count(StepOutcome.FAILED),
        skipped=outcomes.count(StepOutcome.SKIPPED),
        failed_last=tried.index(succeeded) if succeeded in tried else len(tried),
        note=next((note for outcome, note in newest if outcome is StepOutcome.FAILED), None),
    )


def rates(records: Sequence[StepRecord]) -> str:
    """Return in a line how often a procedure succeeded, and its steps that did not always; "" if
    it was never followed."""
    parts = []
    for record in records:
        tried = record.succeeded + record.failed
        if tried and (record.step is None or record.failed):
            name = "" if record.step is None else f"step {record.step} "
            parts.append(f"{name}worked {record.succeeded} of {tried}")
    return ", ".join(parts)


def warnings(records: Sequence[StepRecord]) -> Iterator[str]:
    """Yield that steps fail repeatedly, with what was said of the last time."""
    for record in records:
        if record.is_failing:
            what = "it" if record.step is None else f"step {record.step}"
            note = f": {' '.join(record.note.split())}" if record.note else ""
            yield f"{what} failed the last {record.failed_last} times{note}"
