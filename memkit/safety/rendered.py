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

# Before a line: indentation, signs of quotes, lists and comments, as editors and mail put them.
_SIGNS = r"[ \t>|*#/;%+-]*"
_BETWEEN = r"[\s>|*#/;%+-]*"
# Before a mark: those of its line; the beginning of JSON.
_LEAD = rf"(?m:^{_SIGNS})?(?:(?:\[{_BETWEEN})?\{{{_BETWEEN}\"\w+\": ?\")?"
_END = rf"(?:\"{_BETWEEN}\}}(?:,|{_BETWEEN}\])?)?[ \t]*\n?"
_BLOCK = re.compile(rf"{_LEAD}{re.escape(OPEN)}\b.*?{re.escape(CLOSE)}{_END}", re.S)
# The end was cut off: the block reaches to the next blank line, or to the end.
_HEAD = re.compile(rf"{_LEAD}{re.escape(OPEN)}\b.*?(?=\n{_SIGNS}\n|\Z)", re.S)
_MARK = re.compile(r"<(?=\s*/?\s*memkit-context)", re.I)
# What a block leaves of the lines it stood in: signs, ends of lines in JSON, fences around code.
_LEFT_OVER = re.compile(r"(?:\\[nrt]|```\w*|[\s!-/:-@\[-`{-~])*")


def strip_rendered(text: str) -> str:
    """Return the text without blocks that memkit rendered: quoted, indented or cut off ones too."""
    if OPEN not in text and CLOSE not in text:
        return text
    stripped = _HEAD.sub("", _BLOCK.sub("", text))
    before, mark, after = stripped.rpartition(CLOSE)
    if mark:  # its beginning was cut off
        return re.sub(rf"\A{_END}", "", after).lstrip("\n")
    return before + after


def is_rendered(text: str) -> bool:
    """Whether a text is nothing but what memkit rendered, with signs and fences around it."""
    stripped = strip_rendered(text)
    return stripped != text and _LEFT_OVER.fullmatch(stripped) is not None


def disarmed(text: str) -> str:
    """Return stored text such that nothing in it passes for a mark, for use inside a block: not by
    capitals or blanks either, which whoever reads it may overlook."""
    return _MARK.sub("‹", text) if "memkit-context" in text.lower() else text
