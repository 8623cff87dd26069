"""How an update goes about its work, and when it gives up."""

from __future__ import annotations

import time

import attrs

from ..validation import Progress


class TooLate(Exception):
    """The time allowed is over; nothing was written. Its argument: files that have changed."""


@attrs.frozen
class Pace:
    """How an update goes about its work.

    Attributes:
        progress: called with the steps done and their number.
        seconds: after which it gives up, counted from the first file on: before it modules and
            grammars are loaded, once in a process. None: never.
        most: changed files above which it gives up; None: any number. Files that only look changed
            (a fresh clone) do not count.
        processes: how many may parse side by side.
        stamps: whether the file is also written when all that has changed are times of files: a
            question leaves a committed file as it is, an index spares the next one work.
    """

    progress: Progress | None = None
    seconds: float | None = None
    most: int | None = None
    processes: int = 1
    stamps: bool = True


class Steps:
    """Counts what one update does, tells of it, and ends it when its pace is not kept.

    Attributes:
        expected: steps that there will be, as far as that is known.
        different: files that have changed, for the error.
    """

    def __init__(self, pace: Pace) -> None:
        self.expected = self.different = 0
        self._pace = pace
        self._done = self._changed = 0
        self._begun = 0.0

    def ahead(self, count: int) -> None:
        """Expect so many steps more, if that is more than was expected."""
        self.expected = max(self.expected, self._done + count)

    def step(self) -> None:
        """Count one step; raises TooLate."""
        self._done += 1
        self.in_time()
        if self._pace.progress:
            self._pace.progress(self._done, max(self.expected, self._done))

    def changed(self) -> None:
        """Count one file that is to be parsed; raises TooLate."""
        self._changed += 1
        if self._pace.most is not None and self._changed > self._pace.most:
            raise TooLate(self.different)

    def in_time(self) -> None:
        """Raise TooLate when the time allowed is over."""
        if self._pace.seconds is None:
            return
        if not self._begun:
            self._begun = time.monotonic()
        elif time.monotonic() - self._begun > self._pace.seconds:
            raise TooLate(self.different)
