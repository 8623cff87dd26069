"""Finds tokens of the table in `formats.py`: by their first letters, inside long words only.

One regular expression looks for the prefixes, and only in the runs of `runs.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cache, lru_cache

from .anchored import INSIDE, LONG
from .findings import Finding
from .formats import FORMATS
from .letters import randomness
from .runs import Span
from .values import is_blank

# The longest prefix that is not of token characters only: `access_token$production$`.
_BEFORE = 26
_JOINTS = b".=$~|:!"  # characters of prefixes that are no token characters
# What a token may stand between without being a part of a longer name: Markdown's emphasis.
_EMPHASIS = re.compile(r"[*_]{1,3}(?![A-Za-z0-9_*])")
_GOES_ON = re.compile(r"[A-Za-z0-9_]|[#*]{2}|\.\.\.|…")
_EXAMPLE = re.compile(r"EXAMPLE|_?(?:YOUR|your|PUT|put)[_-]")
_TELLING = 5  # characters; behind a shorter prefix may stand a name, as in `test_...` or `as-...`
# Characters of base64 before a match that make it a piece of a picture or an archive, not a token.
_BLOB = 40
_BASE64 = re.compile(r"[A-Za-z0-9+/]*\Z")


def prefixed(
    text: str, shadow: bytes, runs: list[Span], ends: Collection[int] = ()
) -> Iterator[Finding]:
    """Tokens that start with a published prefix. `shadow` is the text with one byte a character,
    `runs` are its `long_runs`; at `ends` a token may end whatever follows.
    """
    done = 0
    for start, end in runs:
        begin = start - _BEFORE if start > 0 and shadow[start - 1] in _JOINTS else start
        for match in _prefixes().finditer(text, max(done, begin), end):
            if match.start(1) < done:
                continue
            finding = _token(text, match.start(1), match[1], ends)
            if finding is not None:
                yield finding
                done = finding.end
        if end - start >= LONG:
            yield from _inside(text, shadow, start, end)


def _inside(text: str, shadow: bytes, start: int, end: int) -> Iterator[Finding]:
    for kind, literal, before, body in INSIDE:
        at = shadow.find(literal.encode(), start, end)
        while at >= 0:
            match = _inner(body).search(text, max(0, at - before), at + before + 200)
            if match is not None and match.start() <= at:
                yield Finding(kind, *match.span(1))
            at = shadow.find(literal.encode(), at + 1, end)


@lru_cache(maxsize=1)
def _prefixes() -> re.Pattern[str]:
    """One expression for all prefixes, grouped by their first letter; group 1 is the prefix."""
    groups: dict[str, list[str]] = {}
    for prefix in sorted(_bodies(), key=len, reverse=True):
        groups.setdefault(prefix[0], []).append(re.escape(prefix[1:]))
    either = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    # `\n`, `\r`, `\t` and `%3D` before a token are an escaped line end and an escaped "=", not
    # letters.
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{{2}}))(?=({either}))")


@lru_cache(maxsize=1)
def _bodies() -> dict[str, list[tuple[str, int, str]]]:
    """Prefix → the formats to try behind it: kind, length of the format's own prefix, expression of
    the rest.
    """
    rows = [
        (prefix, kind, body) for kind, prefixes, body in FORMATS for prefix in prefixes.split("|")
    ]
    table: dict[str, list[tuple[str, int, str]]] = {prefix: [] for prefix, _, _ in rows}
    for literal, candidates in table.items():
        fitting = [row for row in rows if literal.startswith(row[0])]
        fitting.sort(key=lambda row: len(row[0]), reverse=True)
        candidates.extend((kind, len(prefix), body) for prefix, kind, body in fitting)
    return table


@cache
def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(rf"(?>{body})")


@cache
def _inner(body: str) -> re.Pattern[str]:
    return re.compile(body)


def _token(text: str, start: int, prefix: str, ends: Collection[int]) -> Finding | None:
    for kind, length, body in _bodies()[prefix]:
        match = _compiled(body).match(text, start + length)
        if (
            match is not None
            and (match.end() in ends or _is_whole(text, start, match.end()))
            and _is_real(match[0], length)
            and not _in_blob(text, start, match.end())
        ):
            return Finding(kind, start, match.end())
    return None


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether the token ends here: no letter behind it, no mask, but the emphasis it began with."""
    marks = _EMPHASIS.match(text, end)
    if marks is not None and text.startswith(marks[0], max(0, start - len(marks[0]))):
        return True
    return _GOES_ON.match(text, end) is None


def _is_real(body: str, prefix_length: int) -> bool:
    if body.endswith("..") or is_blank(body) or _EXAMPLE.search(body[:80]):
        return False
    letters = sum(char.isalpha() for char in body)
    telling = prefix_length > _TELLING or 4 * letters < 3 * len(body)
    return (telling and letters < len(body)) or randomness(body) > -0.6


def _in_blob(text: str, start: int, end: int) -> bool:
    if start < _BLOB or text[start - 1] not in "+/" or not text[start:end].isalnum():
        return False
    return all(char.isalnum() or char in "+/" for char in text[start - _BLOB : start])
