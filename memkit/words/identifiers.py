"""The parts of names in code: humps, letters before digits, and whatever parts words."""

from __future__ import annotations

import re

_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=[0-9])|[\W_]+")


def parts(name: str) -> list[str]:
    """Return the parts of an identifier or path as they are written: HTTPServer2 is HTTP, Server,
    2."""
    return [part for part in _HUMP.split(name) if part]
