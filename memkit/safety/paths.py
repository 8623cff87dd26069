"""Paths that hold a secret: such a file is left out, and named by what is left of its path."""

from __future__ import annotations

import re

from .redaction import redact
from .runs import SHORTEST

# A part of a path that is long enough for a token; one without a digit is none.
_SUSPECT = re.compile(rf"[\w=~-]{{{SHORTEST},}}")
_DIGIT = re.compile(r"\d")

REASON = "its name holds a secret"
"""Why such a file is left out."""


def redact_path(path: str) -> str:
    """The path without secrets; the same object if it holds none."""
    return redact(path).text if suspects(path) else path


def suspects(text: str) -> list[str]:
    """Return the words of a text that may be a secret in a path."""
    return [part for part in _SUSPECT.findall(text) if _DIGIT.search(part)]
