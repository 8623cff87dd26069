"""Display of stored text: what would act on a terminal, or end a line unseen, made visible."""

from __future__ import annotations

import re

# C0 but tab and newline, DEL and C1 (escape sequences), direction marks (text that shows otherwise
# than it is), separators that end a line for some programs.
UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def visible(text: str) -> str:
    """Return a text with everything that would act on a terminal shown as an escape."""

    def escape(match: re.Match[str]) -> str:
        code = ord(match[0])
        return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"

    return UNSAFE.sub(escape, text)
