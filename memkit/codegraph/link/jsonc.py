"""JSON as configuration files of JavaScript write it: with comments and trailing commas."""

from __future__ import annotations

import json
import re
from typing import Any

_COMMENT = re.compile(r'("(?:\\.|[^"\\\n])*")|//[^\n]*|/\*.*?\*/', re.S)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\\n])*")|,(?=\s*[}\]])')


def read_object(text: str) -> dict[str, Any]:
    """Return the object that a text holds, {} if it holds none or cannot be read."""
    bare = _COMMENT.sub(_keep_string, text.removeprefix("\ufeff"))
    try:
        value = json.loads(_TRAILING_COMMA.sub(_keep_string, bare))
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _keep_string(match: re.Match[str]) -> str:
    return match[1] or " "
