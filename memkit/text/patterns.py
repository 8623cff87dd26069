"""Regular expressions that are compiled when they are first used.

To compile all that a package may need takes longer than most of its commands: a hook that records
one call needs a tenth of them.
"""

from __future__ import annotations

import re
from typing import Any, cast


class _LazyPattern:
    """A pattern as its source, and the methods of the compiled one that have been called."""

    def __init__(self, source: str, flags: int) -> None:
        self._arguments = (source, flags)

    def __getattr__(self, name: str) -> Any:
        value = getattr(re.compile(*self._arguments), name)
        vars(self)[name] = value
        return value


def lazy_pattern(source: str, flags: int = 0) -> re.Pattern[str]:
    """Return what can be used as the compiled pattern of a source.

    An error in the source shows on first use: re.error.
    """
    return cast("re.Pattern[str]", _LazyPattern(source, flags))
