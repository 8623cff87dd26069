"""Cutting a text to a number of tokens, between graphemes."""

from __future__ import annotations

from ..errors import InvalidInput
from ..frozen import frozen
from ..text.graphemes import boundary
from .counter import TokenCounter, decode, encode

# --- Cutting a text to a number of tokens without breaking a character.

# Characters per token looked at first; the widest ordinary text (English) has 5.
_AHEAD = 8


@frozen
class Truncated:
    """The beginning of a text.

    Attributes:
        text: the part kept, code point for code point as given.
        tokens: tokens of that part, at most the limit.
        cut_chars: characters left out at the end, 0 if the text is whole.
    """

    text: str
    tokens: int
    cut_chars: int


def truncate(text: str, max_tokens: int, *, counter: TokenCounter | None = None) -> Truncated:
    """The longest beginning (to within a token or two) that has at most `max_tokens` tokens.

    It ends between graphemes: no emoji, flag or accented letter is split, and no U+FFFD appears.
    A limit too small for the first grapheme gives "". Raises InvalidInput for a negative limit.
    """
    if max_tokens < 0:
        raise InvalidInput(f"a text cannot be cut to {max_tokens} tokens; give 0 or more")
    counter = counter or TokenCounter()
    end = _whole_or_enough(text, max_tokens, counter)
    tokens = counter.count(text[:end])
    while tokens > max_tokens:
        end = boundary(text, _shorter(text[:end], tokens, max_tokens, counter))
        tokens = counter.count(text[:end])
    return Truncated(text[:end], tokens, len(text) - end)


def _whole_or_enough(text: str, max_tokens: int, counter: TokenCounter) -> int:
    """Length of a beginning that is over the limit, or of the whole text.

    Spares tokenising megabytes of which a few kilobytes are kept.
    """
    reach = max_tokens * _AHEAD + 1
    while reach < len(text):
        end = boundary(text, reach)
        if counter.count(text[:end]) > max_tokens:
            return end
        reach *= 2
    return len(text)


def _shorter(head: str, tokens: int, max_tokens: int, counter: TokenCounter) -> int:
    """A length below that of `head` at which about `max_tokens` tokens stand."""
    if counter.quick:
        return min(len(head) * max_tokens // tokens, len(head) - 1)
    ids = encode(head)
    keep = len(ids) * max_tokens // tokens
    return min(len(decode(ids[:keep])), len(head) - 1)
