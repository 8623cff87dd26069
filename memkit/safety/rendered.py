"""What memkit itself put into a conversation, and how to take it out again before recording.

Everything that is rendered for an agent stands between the two marks. What is recorded passes
`strip_rendered`, so that recalled text never comes back as something new. In JSON the marks are the
values of the first and the last field, in a list of each item.
"""

from __future__ import annotations

import re

OPEN = "<memkit-context"
"""How every rendered block begins; attributes and `>` follow."""

CLOSE = "</memkit-context>"
"""How every rendered block ends."""

# Before a mark: indentation and quote signs, as editors and mail put them; the beginning of JSON.
_LEAD = r"(?m:^[ \t>|]*)?(?:(?:\[[\s>|]*)?\{[\s>|]*\"\w+\": ?\")?"
_END = r"(?:\"[\s>|]*\}(?:,|[\s>|]*\])?)?[ \t]*\n?"
_BLOCK = re.compile(rf"{_LEAD}{re.escape(OPEN)}\b.*?{re.escape(CLOSE)}{_END}", re.S)
# The end was cut off: the block reaches to the next blank line, or to the end.
_HEAD = re.compile(rf"{_LEAD}{re.escape(OPEN)}\b.*?(?=\n[ \t>|]*\n|\Z)", re.S)


def strip_rendered(text: str) -> str:
    """Return the text without blocks that memkit rendered: quoted, indented or cut off ones too."""
    if OPEN not in text and CLOSE not in text:
        return text
    stripped = _HEAD.sub("", _BLOCK.sub("", text))
    before, mark, after = stripped.rpartition(CLOSE)
    if mark:  # its beginning was cut off
        return re.sub(rf"\A{_END}", "", after).lstrip("\n")
    return before + after


def disarmed(text: str) -> str:
    """Return stored text such that nothing in it passes for a mark, for use inside a block."""
    if "memkit-context" not in text:
        return text
    return text.replace("<memkit-context", "‹memkit-context").replace(
        "</memkit-context", "‹/memkit-context"
    )
