"""What a check finds: problems as records, each with what mends it."""

from __future__ import annotations

import attrs


@attrs.frozen
class Problem:
    """One thing that is not as it should be.

    Attributes:
        name: stable word, such as full_text or orphan_edges.
        detail: what was found, with numbers.
        mended: whether this check put it right.
    """

    name: str
    detail: str
    mended: bool = False


@attrs.frozen
class CheckReport:
    """The result of a check."""

    problems: tuple[Problem, ...] = ()

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong (any more)."""
        return all(problem.mended for problem in self.problems)
