"""Detection pipeline: all detectors over a text and over what it shows once decoded."""

from __future__ import annotations

import binascii
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from . import keyword_detector, password_detectors, token_detector
from .entropy import fits, randomness
from .keyword_detector import columns, kind_of, named, strength
from .literal_search import LiteralSearch, LowerText, positions
from .password_detectors import commands, prose
from .rules import SHORTEST, Finding, Span, merge
from .token_detector import anchored, broken_words, long_runs, prefixed, private_keys, urls


def scan_once(text: str) -> list[Finding]:
    """Return the secrets of a text and of what it shows once decoded, in order of place."""
    # One byte a character, so that places agree; everything beyond Latin-1 becomes "?", which is in
    # no rule's literal.
    shadow = text.encode("latin-1", "replace")
    lower = _search().over(shadow.lower())
    findings = _findings(text, shadow, lower)
    for view in views(text, lower):
        shadow = view.text.encode("latin-1", "replace")
        lower = _search().over(shadow.lower())
        findings += map(view.original, _findings(view.text, shadow, lower))
    return merge(findings)


@cache
def _search() -> LiteralSearch:
    detectors = (token_detector, keyword_detector, password_detectors)
    literals = [literal for detector in detectors for literal in detector.LITERALS]
    return LiteralSearch([*literals, *LITERALS])


def _findings(text: str, shadow: bytes, lower: LowerText) -> list[Finding]:
    runs = long_runs(shadow)
    findings = [*private_keys(text, lower), *prefixed(text, shadow, runs), *anchored(text, lower)]
    findings += [*encoded(shadow, runs), *wrapped(text, shadow, runs)]
    findings += [*urls(text, lower), *_manifests(text, lower), *named(text, lower)]
    findings += [*commands(text, lower), *prose(text, lower), *columns(text, lower)]
    return findings


def _manifests(text: str, lower: LowerText) -> Iterator[Finding]:
    if lower.places("secret") and (lower.places("kind") or lower.places("kubernetes_secret")):
        from .manifests import kubernetes  # few texts hold one, and its forms take time to compile

        yield from kubernetes(text, lower)


def kind_by_key(key: str, value: str) -> str | None:
    """Return the kind of secret that a value is by the name it has, or None."""
    force = strength(key)
    return kind_of(key, force) if fits(value, force) else None


# --- What a text shows once decoded: secrets in ANSI, percent, base64 forms and over broken lines.

# --- Views of a text as it is shown: without the sequences that colour it and without the
# characters nobody sees, which may stand in the middle of a secret or right before it; and as it
# is meant, with the characters that addresses quote by their numbers (`%2B`), and the quotes of
# JSON that lies as text in JSON (`\\\"`), once or several times over.
#
# Only what stands near to them is looked at once more.

# Soft hyphen, joiners, spaces of no width, marks of direction, variation selector.
_UNSEEN = "\u00ad\u034f\u180e\u200b\u200c\u200d\u200e\u200f\u2060\ufe0f\ufeff"
# Beginnings of a terminal's sequences, as they are or as they are written in sources and JSON, and
# how many characters stand before what is looked for.
_ESCAPES = (("\x1b", (0,)), ("1b[", (2, 4)), ("\\033[", (0,)), ("\\e[", (0,)))
_COLOUR = lazy_pattern(
    r"(?:\x1b|\\x1[bB]|\\u001[bB]|\\033|\\e)\[[0-9:;<=>?]{0,32}[ -/]{0,4}[@-~]|\x1b[()][0-9A-B]"
)
_HIDDEN = lazy_pattern(rf"(?:{_COLOUR.pattern}|[{_UNSEEN}]){{1,40}}")
_QUOTED = lazy_pattern(r"%(?:25){0,4}(?:[2-7][0-9a-fA-F]|0[9aAdD])")
# What stands before a quote of the third level and deeper; those of the second are read as such.
_DEEP_QUOTE = lazy_pattern(r"\\{3,64}(?=[\"'])")
_DEEP_MARK = "\\\\\\"
LITERALS = (*(mark for mark, _ in _ESCAPES), _DEEP_MARK)
_AROUND = 500  # characters on both sides of what is hidden that are looked at once more
_GAP = "\n\n"


class View(NamedTuple):
    """View of a text without what is hidden, with the places of its pieces in the text."""

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


def views(text: str, lower: LowerText) -> Iterator[View]:
    """The text with a blank for each sequence that colours it (`m` at its end is no letter before a
    secret), without what is hidden in the middle of words, with what is quoted by numbers as it is
    meant, and with deep quotes as those of the second level. None if nothing is. `lower` is the
    lower-case text with one byte a character."""
    colours = [at for mark, before in _ESCAPES for at in _before(lower, mark, before)]
    painted = list(_matches(_COLOUR, text, colours))
    if painted:
        yield _view(text, [(span, " ") for span in painted])
    quoted = list(_matches(_QUOTED, text, lower.places("%")))
    if quoted:
        yield _view(text, [(span, chr(int(text[span[1] - 2 : span[1]], 16))) for span in quoted])
    deep = [(span, "\\") for span in _matches(_DEEP_QUOTE, text, lower.places(_DEEP_MARK))]
    if deep:
        yield _view(text, deep)
    if not text.isascii():
        colours += [at for mark in _UNSEEN for at in positions(text, mark)]
    hidden = [(span, _filler(text, *span)) for span in _matches(_HIDDEN, text, colours)]
    if any(not filler for _, filler in hidden):
        yield _view(text, hidden)


def _matches(form: re.Pattern[str], text: str, spots: Iterable[int]) -> Iterator[Span]:
    """The matches at these places, in order, without overlaps."""
    done = 0
    for at in sorted(spots):
        match = form.match(text, at) if at >= done else None
        if match is not None:
            yield match.span()
            done = match.end()


def _before(lower: LowerText, mark: str, distances: tuple[int, ...]) -> Iterator[int]:
    for at in lower.places(mark):
        yield from (at - before for before in distances if at >= before)


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


# --- Secrets inside base64 and hexadecimal digits, and inside what is encoded there again.
#
# A run is decoded if its first characters can be those of plain text, and looked into if all of
# it is: identifiers, digests and pictures are not. What it says is looked through for tokens of a
# published format, private keys, and passwords in addresses or beside their names. Each layer is
# smaller than the one around it, and there are few, so that the cost grows with the length alone.

_MIN_LENGTH = 22  # characters of base64 that hold 16
_FIRST = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdef")  # six bits of a character below 128
_HEX_FIRST = frozenset(b"234567")  # of a printable character
_URL_SAFE = bytes.maketrans(b"-_", b"+/")
# Layers of one encoding in another that are taken off; tools wrap twice, three times is a trick.
_LAYERS = 5
# One of these stands between a name and its value, in an address and around a key.
_TELLING = (":", "=", "-----")
# Lines of digits as encoders break them: all but the last are that long.
_BROKEN = lazy_pattern(r"(?<=[A-Za-z0-9+/]{60})\r?\n(?=[A-Za-z0-9+/])")


def encoded(shadow: bytes, runs: list[Span], *, layers: int = _LAYERS) -> Iterator[Finding]:
    """Runs of `long_runs` that hold a secret once they are decoded, at most so many times."""
    for start, end in runs:
        if end - start < _MIN_LENGTH:
            continue
        if shadow[start : start + 2] in (b"0x", b"0X"):
            start += 2
        plain = _plain(shadow, start, end)
        if plain is not None and (inner := _inside(_BROKEN.sub("", plain), layers)) is not None:
            yield Finding(inner.kind, start, _padded(shadow, end))


def _inside(text: str, layers: int) -> Finding | None:
    """The first secret in what was decoded, or in what is encoded there."""
    shadow = text.encode("latin-1", "replace")
    runs = long_runs(shadow)
    finders = [prefixed(text, shadow, runs)]
    if layers > 1:
        finders.append(encoded(shadow, runs, layers=layers - 1))
    if any(sign in text for sign in _TELLING):
        lower = LowerText(shadow.lower())
        finders += [private_keys(text, lower), urls(text, lower), anchored(text, lower)]
        finders.append(named(text, lower))
    return next(chain(*finders), None)


def _plain(shadow: bytes, start: int, end: int) -> str | None:
    """What the run says, if that is plain text."""
    heads = shadow[start : start + 16]
    if _HEX_FIRST.issuperset(heads[::2]):
        decoded = _unhexed(shadow[start : end - (end - start) % 2])
        if decoded is not None:
            return decoded
    if not _FIRST.issuperset(heads[::4]):
        return None
    return _unbased(shadow[start:end].translate(_URL_SAFE))


def _unhexed(digits: bytes) -> str | None:
    try:
        return binascii.unhexlify(digits).decode()
    except ValueError:
        return None


def _unbased(letters: bytes) -> str | None:
    rest = len(letters) % 4
    whole = letters[:-1] if rest == 1 else letters + b"=" * (-rest % 4)
    try:
        return binascii.a2b_base64(whole).decode()
    except ValueError:
        return None


def _padded(shadow: bytes, end: int) -> int:
    return end + len(shadow[end : end + 2]) - len(shadow[end : end + 2].lstrip(b"="))


# --- Tokens broken by a line break, as mail, terminals and encoders leave them.

# Mean bits a pair; lines of names joined into one word stay below.
_RANDOM = 0.2
_REST = 8  # characters of a line that may belong to a token which could end before it


def wrapped(text: str, shadow: bytes, runs: list[Span]) -> Iterator[Finding]:
    """Tokens of a published format, encoded ones too, that reach over one line break or several."""
    for parts in broken_words(shadow, runs):
        words = [text[start:end] for start, end in parts]
        ends = list(accumulate(map(len, words)))
        if ends[-1] < SHORTEST:
            continue
        for finding in _tokens("".join(words), ends):
            first = next(n for n, end in enumerate(ends) if finding.start < end)
            last = _last(words, ends, finding, first)
            token = "".join(words)[finding.start : ends[last]]
            if last > first and randomness(token) > _RANDOM:
                start = parts[first][0] + finding.start - (ends[first] - len(words[first]))
                end = (
                    parts[last][0] + min(finding.end, ends[last]) - (ends[last] - len(words[last]))
                )
                yield Finding(finding.kind, start, end)


def _tokens(word: str, ends: list[int]) -> list[Finding]:
    shadow = word.encode("latin-1", "replace")
    runs = long_runs(shadow)
    return [*prefixed(word, shadow, runs, ends), *encoded(shadow, runs)]


def _last(words: list[str], ends: list[int], finding: Finding, first: int) -> int:
    """The last line of the token: the first one with which it is whole, and those behind it that
    look drawn by a machine too."""
    last = first
    while ends[last] < finding.end and not any(
        token.start == finding.start for token in _tokens("".join(words[: last + 1]), ends)
    ):
        last += 1
    while ends[last] < finding.end and _goes_on(words[last + 1]):
        last += 1
    return last


def _goes_on(word: str) -> bool:
    mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return len(word) >= _REST and mixed and randomness(word) > 2 * _RANDOM
