"""Redaction pipeline: detectors to findings to markers; marks around memkit's own output."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from ..text.analyzer import well_formed
from ..text.patterns import lazy_pattern
from .rules import Finding, merge

# --- Masking: typed markers in place of secrets; everything else stays as it was.
#
# The cost grows with the length of the text, never faster: literals are found first, every
# expression is tried only behind one and reaches a bounded distance. The text itself is never
# dropped. The detectors are imported where they run: their expressions take long to compile, and
# whoever only reads has nothing to redact.

_LOOKED_AT = 4_000  # letters of what a message quotes; more cannot be told apart anyhow
_ROUNDS = 6  # a marker may uncover another secret beside it; two were enough in every test
_NULS = lazy_pattern("\0+")


class Redacted(NamedTuple):
    """A text without its secrets, and where they stood in the text as it came."""

    text: str
    findings: tuple[Finding, ...] = ()


def scan(text: str) -> list[Finding]:
    """All secrets of a text in order of place; places are code points of `text`."""
    return list(redact(text).findings)


def redact(text: str) -> Redacted:
    """The text with `[secret:KIND]` for every secret; the same object if there is none. Redacting
    twice changes nothing."""
    from .detection import scan_once

    findings: list[Finding] = []
    masked = text
    for _ in range(_ROUNDS):
        more = scan_once(masked)
        if not more:
            break
        findings = merge([*findings, *_to_original(findings, more)]) if findings else more
        masked = _mask(text, findings)
    return Redacted(masked, tuple(findings)) if findings else Redacted(text)


def quoted(value: object, *, limit: int = 40) -> str:
    """Return the beginning of what was found somewhere, for a message. Secrets go before it is cut:
    half of one is not known any more."""
    return repr(redact(str(value)[:_LOOKED_AT]).text[:limit])


def redact_json(value: object) -> object:
    """The same value with every string in it redacted, keys too; a key also serves as the name of a
    text beside it."""
    if isinstance(value, str):
        return redact(value).text
    if isinstance(value, dict):
        return {redact_json(key): _redacted_value(key, part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        parts = [redact_json(part) for part in _as_command(value)]
        return parts if isinstance(value, list) else tuple(parts)
    return value


def _as_command(words: Sequence[object]) -> Sequence[object]:
    """A list of words without the passwords that they hold as a command line."""
    texts = [word for word in words if isinstance(word, str)]
    if len(texts) < len(words) or not any(text.startswith("-") for text in texts):
        return words
    from .literal_search import LowerText
    from .password_detectors import commands

    ends = list(accumulate(len(text) + 1 for text in texts))
    line = " ".join(texts)
    lower = LowerText(line.encode("latin-1", "replace").lower())
    for finding in commands(line, lower):
        word = bisect_right(ends, finding.start)
        start = ends[word] - 1 - len(texts[word])
        texts[word] = line[start : finding.start] + finding.marker
    return texts


def clean_text(text: str) -> str:
    """The text as it can be stored: a lone surrogate becomes U+FFFD, a run of NUL one U+2400."""
    if "\0" in text:
        text = _NULS.sub("\N{SYMBOL FOR NULL}", text)
    return well_formed(text)


def _redacted_value(key: object, value: object) -> object:
    if not isinstance(key, str) or not isinstance(value, str):
        return redact_json(value)
    from .detection import kind_by_key

    redacted = redact(value)
    kind = None if redacted.findings else kind_by_key(key, value)
    return redacted.text if kind is None else f"[secret:{kind}]"


def _mask(text: str, findings: list[Finding]) -> str:
    pieces: list[str] = []
    at = 0
    for finding in findings:
        pieces += (text[at : finding.start], finding.marker)
        at = finding.end
    pieces.append(text[at:])
    return "".join(pieces)


def _to_original(findings: list[Finding], more: list[Finding]) -> list[Finding]:
    """Findings in the masked text, moved to the places they have in the text as it came."""
    starts: list[int] = []  # of the markers, in the masked text
    shift = 0
    for finding in findings:
        starts.append(finding.start + shift)
        shift += len(finding.marker) - (finding.end - finding.start)

    def original(place: int, *, is_end: bool) -> int:
        index = bisect_right(starts, place - is_end) - 1
        if index < 0:
            return place
        marker_end = starts[index] + len(findings[index].marker)
        if place < marker_end or (place == marker_end and is_end):
            return findings[index].end if is_end else findings[index].start
        return findings[index].end + place - marker_end

    return [
        Finding(f.kind, original(f.start, is_end=False), original(f.end, is_end=True)) for f in more
    ]


# --- Marks around memkit's own output, and its removal before recording.
#
# Everything that is rendered for an agent stands between the two marks. What is recorded passes
# `strip_rendered`, so that recalled text never comes back as something new. In JSON the marks are
# the values of the first and the last field, in a list of each item.

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
_BLOCK = lazy_pattern(rf"{_LEAD}{re.escape(OPEN)}\b.*?{re.escape(CLOSE)}{_END}", re.S)
# The end was cut off: the block reaches to the next blank line, or to the end.
_HEAD = lazy_pattern(rf"{_LEAD}{re.escape(OPEN)}\b.*?(?=\n{_SIGNS}\n|\Z)", re.S)
_MARK = lazy_pattern(r"<(?=\s*/?\s*memkit-context)", re.I)
# What a block leaves of the lines it stood in: signs, ends of lines in JSON, fences around code.
_LEFT_OVER = lazy_pattern(r"(?:\\[nrt]|```\w*|[\s!-/:-@\[-`{-~])*")


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
