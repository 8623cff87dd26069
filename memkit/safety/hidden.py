"""Looks at a text as it is shown: without the sequences that colour it and without the characters
nobody sees, which may stand in the middle of a secret or right before it; and as it is meant, with
the characters that addresses quote by their numbers (`%2B`), and the quotes of JSON that lies as
text in JSON (`\\\\\\"`), once or several times over.

Only what stands near to them is looked at once more.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator

import attrs

from .anchors import places
from .beside import Span
from .findings import Finding

# Soft hyphen, joiners, spaces of no width, marks of direction, variation selector.
_UNSEEN = "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f\ufeff"
# Beginnings of a terminal's sequences, as they are or as they are written in sources and JSON, and
# how many characters stand before what is looked for.
_ESCAPES = (("\x1b", (0,)), ("1b[", (2, 4)), ("\\033[", (0,)), ("\\e[", (0,)))
_COLOUR = re.compile(
    r"(?:\x1b|\\x1[bB]|\\u001[bB]|\\033|\\e)\[[0-9:;<=>?]{0,32}[ -/]{0,4}[@-~]|\x1b[()][0-9A-B]"
)
_HIDDEN = re.compile(rf"(?:{_COLOUR.pattern}|[{_UNSEEN}]){{1,40}}")
_QUOTED = re.compile(r"%(?:25){0,4}(?:[2-7][0-9a-fA-F]|0[9aAdD])")
# What stands before a quote of the third level and deeper; those of the second are read as such.
_DEEP_QUOTE = re.compile(r"\\{3,64}(?=[\"'])")
_DEEP_MARK = "\\\\\\"
_AROUND = 500  # characters on both sides of what is hidden that are looked at once more
_GAP = "\n\n"


@attrs.frozen
class View:
    """What is shown of a text around what is hidden, and where its pieces stand in the text as it
    came.
    """

    text: str
    starts: tuple[int, ...]  # of the pieces, in what is shown
    origins: tuple[int, ...]  # of the same, in the text as it came
    ends: tuple[int, ...]  # of the same, there too

    def original(self, finding: Finding) -> Finding:
        """The finding at its place in the text as it came."""
        return Finding(finding.kind, self._origin(finding.start), self._end(finding.end - 1))

    def _origin(self, at: int) -> int:
        piece = bisect_right(self.starts, at) - 1
        return self.origins[piece] + at - self.starts[piece]

    def _end(self, last: int) -> int:
        """Where a finding ends whose last character is this: behind all of what stands for it."""
        piece = bisect_right(self.starts, last) - 1
        is_last = piece + 1 < len(self.starts) and self.starts[piece + 1] == last + 1
        return self.ends[piece] if is_last else self._origin(last) + 1


def views(text: str, lower: bytes) -> Iterator[View]:
    """The text with a blank for each sequence that colours it (`m` at its end is no letter before a
    secret), without what is hidden in the middle of words, with what is quoted by numbers as it is
    meant, and with deep quotes as those of the second level. None if nothing is. `lower` is the
    lower-case text with one byte a character.
    """
    colours = [at for mark, before in _ESCAPES for at in _before(lower, mark, before)]
    painted = list(_matches(_COLOUR, text, colours))
    if painted:
        yield _view(text, [(span, " ") for span in painted])
    quoted = list(_matches(_QUOTED, text, places(lower, "%")))
    if quoted:
        yield _view(text, [(span, chr(int(text[span[1] - 2 : span[1]], 16))) for span in quoted])
    deep = [(span, "\\") for span in _matches(_DEEP_QUOTE, text, places(lower, _DEEP_MARK))]
    if deep:
        yield _view(text, deep)
    if not text.isascii():
        colours += [at for mark in _UNSEEN for at in _places(text, mark)]
    hidden = [(span, _filler(text, *span)) for span in _matches(_HIDDEN, text, colours)]
    if any(not filler for _, filler in hidden):
        yield _view(text, hidden)


def _matches(form: re.Pattern[str], text: str, spots: Iterable[int]) -> Iterator[Span]:
    """The matches at these places, in order, without overlaps."""
    done = 0
    for at in sorted(spots):
        found = form.match(text, at) if at >= done else None
        if found is not None:
            yield found.span()
            done = found.end()


def _before(lower: bytes, mark: str, distances: tuple[int, ...]) -> Iterator[int]:
    for at in places(lower, mark):
        yield from (at - before for before in distances if at >= before)


def _places(text: str, mark: str) -> Iterator[int]:
    at = text.find(mark)
    while at >= 0:
        yield at
        at = text.find(mark, at + 1)


def _filler(text: str, at: int, end: int) -> str:
    """Nothing in the middle of a word, else a blank."""
    return "" if _is_seen(text, at - 1) and _is_seen(text, end) else " "


def _is_seen(text: str, at: int) -> bool:
    return 0 <= at < len(text) and "!" <= text[at] <= "~"


def _view(text: str, hidden: list[tuple[Span, str]]) -> View:
    """The text around these places, with the fillers in them."""
    pieces: list[str] = []
    starts, origins, ends = [], [], []
    done = length = reach = 0
    for (at, end), filler in [*hidden, ((len(text), len(text)), "")]:
        near = [
            (piece, origin, origin + len(piece)) for piece, origin in _pieces(text, done, at, reach)
        ]
        for piece, origin, origin_end in [*near, (filler, at, end)]:
            if piece:
                pieces.append(piece)
                starts.append(length)
                origins.append(origin)
                ends.append(origin_end)
                length += len(piece)
        done, reach = end, end + _AROUND
    return View("".join(pieces), tuple(starts), tuple(origins), tuple(ends))


def _pieces(text: str, done: int, at: int, reach: int) -> list[tuple[str, int]]:
    """What is looked at between two hidden places: all of it, or what is near to each of them."""
    if at - _AROUND <= max(done, reach):
        return [(text[done:at], done)]
    near = [(text[at - _AROUND : at], at - _AROUND)] if at < len(text) else []
    return [(text[done:reach], done), (_GAP, reach), *near] if done else near
