"""Token detector: published formats, private keys, passwords in URLs."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Collection, Iterator
from functools import cache

from ..text.patterns import lazy_pattern
from .entropy import (
    is_blank,
    is_filler,
    is_mixed,
    looks_chosen,
    looks_drawn,
    looks_issued,
    randomness,
)
from .literal_search import LowerText
from .rules import ANCHORED, FORMATS, INSIDE, LONG, PLACED, SHORTEST, Finding, Span

# --- Tokens of the published formats: found by their first letters, inside long words only.
#
# One regular expression looks for the prefixes, and only in runs of token characters.

# The longest prefix that is not of token characters only: `access_token$production$`.
_BEFORE = 26
_JOINTS = b".=$~|:!"  # characters of prefixes that are no token characters
# What a token may stand between without being a part of a longer name: Markdown's emphasis.
_EMPHASIS = lazy_pattern(r"[*_]{1,3}(?![A-Za-z0-9_*])")
_GOES_ON = lazy_pattern(r"[A-Za-z0-9_]|[#*]{2}|\.\.\.|…")
_EXAMPLE = lazy_pattern(r"EXAMPLE|_?(?:YOUR|your|PUT|put)[_-]")
_TELLING = 5  # characters; behind a shorter prefix may stand a name, as in `test_...` or `as-...`
# Characters of base64 before a match that make it a piece of a picture or an archive, not a token.
_BLOB = 40
_UUID = r"(?<![0-9a-f])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f])"
_UUID_LENGTH = 36
# A key without a prefix: 32 hexadecimal digits, a dot, 16 letters and digits.
_DOTTED = r"(?<![\w./-])(?=[0-9a-f]*\d)[0-9a-f]{32}\.(?=[A-Za-z]*\d)([A-Za-z0-9]{16})(?![\w./-])"


def prefixed(
    text: str, shadow: bytes, runs: list[Span], ends: Collection[int] = ()
) -> Iterator[Finding]:
    """Tokens that start with a published prefix. `shadow` is the text with one byte a character,
    `runs` are its `long_runs`; at `ends` a token may end whatever follows."""
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
            dotted = (
                pattern(_DOTTED).match(text, end - 32) if shadow[end : end + 1] == b"." else None
            )
            if dotted is not None and looks_issued(dotted[1]):
                yield Finding("api_key", *dotted.span())


def _inside(text: str, shadow: bytes, start: int, end: int) -> Iterator[Finding]:
    for kind, literal, before, body in INSIDE:
        at = shadow.find(literal.encode(), start, end)
        while at >= 0:
            match = pattern(body).search(text, max(0, at - before), at + before + 200)
            if match is not None and match.start() <= at:
                yield Finding(kind, *match.span(1))
            at = shadow.find(literal.encode(), at + 1, end)


@cache
def _prefixes() -> re.Pattern[str]:
    """One expression for all prefixes, grouped by their first letter; group 1 is the prefix."""
    groups: dict[str, list[str]] = {}
    for prefix in sorted(_bodies(), key=len, reverse=True):
        groups.setdefault(prefix[0], []).append(re.escape(prefix[1:]))
    either = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in groups.items())
    # `\n`, `\r`, `\t` and `%3D` before a token are an escaped line end and an escaped "=", not
    # letters.
    return re.compile(rf"(?:(?<![A-Za-z0-9])|(?<=\\[nrt])|(?<=%[0-9A-F]{{2}}))(?=({either}))")


@cache
def _bodies() -> dict[str, list[tuple[str, int, str]]]:
    """Prefix → the formats to try behind it: kind, length of the format's own prefix, expression of
    the rest."""
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
def pattern(body: str) -> re.Pattern[str]:
    """Return an expression, compiled when it is used first."""
    return re.compile(body)


def _token(text: str, start: int, prefix: str, ends: Collection[int]) -> Finding | None:
    for kind, length, body in _bodies()[prefix]:
        match = pattern(f"(?>{body})").match(text, start + length)
        if (
            match is not None
            and (match.end() in ends or _is_whole(text, start, match.end()))
            and _is_real(match[0], length)
            and not _in_blob(text, start, match.end())
            and not (length < _TELLING and _holds_uuid(match[0]))
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


def _holds_uuid(body: str) -> bool:
    """Whether an id stands in it, with more around: a name of a file, say."""
    return len(body) > _UUID_LENGTH and pattern(_UUID).search(body) is not None


def _in_blob(text: str, start: int, end: int) -> bool:
    if start < _BLOB or text[start - 1] not in "+/" or not text[start:end].isalnum():
        return False
    return all(char.isalnum() or char in "+/" for char in text[start - _BLOB : start])


# --- Formats with a literal inside, private-key blocks and URLs with a password.

_AHEAD = 5000  # characters behind an anchor that a match may reach
_ROWS = (*ANCHORED, *PLACED)
_LITERALS = frozenset(literal for _, literal, _, _ in _ROWS)
LITERALS = (*_LITERALS, "://", "begin ", "private-lines: ", "private key")
_NEAR = 200  # the same where the match may begin before the anchor
_TOKEN = lazy_pattern(r"[\w+/=.~-]*")  # the rest of a token that is longer than its expression
# Kinds whose value is judged once more, because the form alone also fits examples and code.
_ISSUED = "authorization bearer_token cookie curl_key".split()
_CHOSEN = "curl_user piped_password htpasswd_password netrc_password pgpass_password".split()
# Words of a command line where a sentence about the command may have any word.
_NO_WORDS = (
    "vault_token aws_secret_key password kubernetes_secret stored_secret printed_secret"
    " sent_password snmp_community".split()
)
# What has to be random, and what stands where other words do.
_DRAWN = "url_token call_key webhook url_key".split()
_MIXED = "account_password encoded_pair sasl_password".split()


def anchored(text: str, lower: LowerText) -> Iterator[Finding]:
    """Findings of the tables of literals and of programs; `lower` is the lower-case text
    with one byte a character."""
    spots = lower.places_of(_LITERALS)
    for kind, literal, before, body in _ROWS:
        done = 0
        for at in spots.get(literal, ()):
            match = _at(body, text, at, max(done, at - before) if before else at)
            if match is None:
                continue
            start, end = match.span(match.lastindex or 0)
            if _JUDGES.get(kind, _is_no_filler)(text[start:end]):
                rest = _TOKEN.match(text, end) if kind in _ISSUED else None
                done = end if rest is None else rest.end()
                yield Finding(kind, start, done)


def _at(body: str, text: str, at: int, begin: int) -> re.Match[str] | None:
    """The match at an anchor: right there, or beginning up to `at - begin` characters before (or
    behind) it."""
    if begin == at:
        return pattern(body).match(text, at, at + _AHEAD)
    return pattern(body).search(text, begin, 2 * at - begin + _NEAR)


def _is_no_filler(value: str) -> bool:
    return not is_filler(value)


def _holds_pair(value: str) -> bool:
    """Whether base64 says `user:password`."""
    try:
        said = base64.b64decode(value, validate=True).decode()
    except ValueError:
        return False
    user, _, password = said.partition(":")
    return bool(user) and said.isprintable() and not is_filler(password)


def _is_password(value: str) -> bool:
    return not is_filler(value) and not value.startswith(("$", "<", "{", "[", "("))


def _is_chosen(value: str) -> bool:
    return looks_chosen(value) or looks_issued(value)


def _is_mixed(value: str) -> bool:
    return is_mixed(value, 3) and looks_chosen(value, strict=True)


def _is_password_of_call(value: str) -> bool:
    """Beside a user: no host, no name of a database."""
    return looks_issued(value) or _is_mixed(value)


def _is_no_note(value: str) -> bool:
    """Said to a program that reads anything: no word of a note."""
    return any(looks_chosen(w, strict=True) or looks_issued(w) for w in value.split())


_JUDGES: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_ISSUED, looks_issued),
    **dict.fromkeys(_CHOSEN, _is_password),
    **dict.fromkeys(_NO_WORDS, _is_chosen),
    **dict.fromkeys(_DRAWN, looks_drawn),
    **dict.fromkeys(_MIXED, _is_mixed),
    "basic_credentials": _holds_pair,
    "call_password": _is_password_of_call,
    "piped_secret": _is_no_note,
    "said_password": lambda value: " " not in value and is_mixed(value),
    "app_password": lambda value: randomness(value) > 0,
    "password_hash": bool,
}


# -- URLs

_USERINFO = lazy_pattern(
    r"""://([^\s:/?#"'<>`\\\[]{0,128}):(?!\d{1,5}#)([^\s/?"'<>`\\]{1,256})@(?=[\w.\[-])"""
)
_TOKEN_USER = lazy_pattern(
    r"""://([^\s:/?#@"'<>`\\]{16,256})(?::(?:x-oauth-basic|x-token-auth)?)?@(?=[\w.\[-])"""
)


def urls(text: str, lower: LowerText) -> Iterator[Finding]:
    """Passwords of `scheme://user:password@host`, and tokens in the place of the user."""
    for at in lower.places("://"):
        match = _USERINFO.match(text, at)
        if match is not None and match[2] != "x-oauth-basic":
            if match[2] != match[1] and _is_password(match[2]):
                yield Finding("url_password", match.start(2), match.end(2))
            continue
        match = _TOKEN_USER.match(text, at)
        if (
            match is not None
            and looks_issued(match[1])
            and "sentry" not in text[match.end() : match.end() + 40]
        ):
            yield Finding("url_token", match.start(1), match.end(1))


# -- blocks of several lines

_BEGIN = lazy_pattern(
    r"-----? ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V\d) ?-----?|"
    r"PuTTY-User-Key-File-\d"
)
# Lines of base64 for a block whose end is missing; a line may be quoted, indented or escaped.
_LINES = lazy_pattern(r"""(?:(?:\\[nr]|[\s"'+>|*#,.])*[A-Za-z0-9+/=]{16,})*""")
_ENOUGH = 50  # characters of base64; the smallest real key (Ed25519) has 64
_PUTTY_ENOUGH = 24  # of the private part alone: Ed25519 has 48 with its padding
_PRIVATE_LINES = lazy_pattern(
    r"Private-Lines: \d+((?:(?:\\[nr]|\s)+[A-Za-z0-9+/=]{8,}(?![\w:-]))+)"
)
_END_OF_KEY = r"END ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-----?"
_BREAK = lazy_pattern(r"\r?\n|\\r?\\n|\\n")
_MARGINS = " \t\"'>|*#,.+"
_BODY_LINE = lazy_pattern(r"[A-Za-z0-9+/]{16,}={0,2}")
_LAST_LINE = lazy_pattern(r"[A-Za-z0-9+/]{1,16}={0,2}|=[A-Za-z0-9+/]{4}")
_TAIL = 8000  # characters before the END of a key whose BEGIN is not there
_EDGE = r"(?:\\[nr]|[\s\"'+>|*#,])+"
_LEAD, _TRAIL = re.compile(_EDGE), re.compile(rf"{_EDGE}\Z")


def private_keys(text: str, lower: LowerText) -> Iterator[Finding]:
    """Bodies of PEM, OpenPGP, SSH and PuTTY private-key blocks; the lines BEGIN and END stay."""
    end_mark = -1
    for at in lower.places("begin "):
        match = _BEGIN.match(
            text, at - 5 if text.startswith("-----", max(0, at - 5)) else max(0, at - 5)
        )
        if match is None:
            continue
        if end_mark <= match.end() and end_mark != len(text):
            position = text.find("-----END", match.end())
            end_mark = len(text) if position < 0 else position
        yield from _body(text, match.end(), end_mark)
    yield from _tails(text, lower)
    for at in lower.places("private-lines: "):
        lines = _PRIVATE_LINES.match(text, at)
        if lines is not None:
            yield from _trimmed(text, *lines.span(1), enough=_PUTTY_ENOUGH)


def _body(text: str, start: int, end: int) -> Iterator[Finding]:
    following = text.find("-----BEGIN", start, end)
    if end == len(text) or following >= 0:
        lines = _LINES.match(text, start)
        end = lines.end() if lines is not None else start
    yield from _trimmed(text, start, end)


def _tails(text: str, lower: LowerText) -> Iterator[Finding]:
    """Lines before the END of a private key whose BEGIN was cut off."""
    for place in lower.places("private key"):
        match = pattern(_END_OF_KEY).search(text, max(0, place - 44), place + 30)
        if match is None:
            continue
        at = match.start()
        first = max(0, at - _TAIL, text.rfind("-----END", max(0, at - _TAIL), max(0, at - 5)))
        begun = text.rfind("-----BEGIN", first, at)
        if begun >= 0 and _BEGIN.match(text, begun) is not None:
            continue
        first = max(first, begun)
        window = text[first:at].rstrip("-")
        yield from _trimmed(text, first + _top(window), first + len(window))


def _top(window: str) -> int:
    """Where the lines of base64 begin that stand at the end of a text."""
    end = top = len(window)
    breaks = [match.span() for match in _BREAK.finditer(window)]
    starts = [0, *(below for _, below in breaks)]
    ends = [*(above for above, _ in breaks), end]
    for start, below in zip(reversed(starts), reversed(ends), strict=True):
        line = window[start:below].strip(_MARGINS)
        is_last = len(window) - below < _BLOB
        if line and not _BODY_LINE.fullmatch(line) and not (is_last and _LAST_LINE.fullmatch(line)):
            break
        top = start
    return top


def _trimmed(text: str, start: int, end: int, enough: int = _ENOUGH) -> Iterator[Finding]:
    body = text[start:end]
    lead = _LEAD.match(body)
    start += lead.end() if lead is not None else 0
    trail = _TRAIL.search(text[start:end][-200:])
    if trail is not None:
        end -= trail.end() - trail.start()
    if sum(char.isalnum() for char in text[start:end][:400]) >= enough:
        yield Finding("private_key", start, end)


# --- Long words, and words that a line break parts.
#
# Text is mostly short words, tokens are long ones: `bytes.translate` maps every character to its
# class, `bytes.find` then finds the runs.

_TOKEN_CHARS = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-+/"
_CLASSES = bytes(ord("a") if code in _TOKEN_CHARS else ord(" ") for code in range(256))
# In a word over several lines: the joints of tokens too, and the line breaks.
_LINE_CLASSES = bytes(
    ord("a") if code in _TOKEN_CHARS + b".=~%" else ord("n") if code in b"\r\n" else ord(" ")
    for code in range(256)
)
# Of a token that is broken once, one part has at least so many characters.
_PART = 9
_LINE_END, _LINE_START = b"a" * _PART + b"n", b"n" + b"a" * _PART
_RUN_LINES = 12  # lines of one word that are read together
_WIDEST = 1000  # characters of one such line
_DIGIT = re.compile(rb"\d")
_RUN_NEAR = 60  # characters on both sides of a break in which a token has one
_INDENT, _MARGIN = 40, b" \t>|"


def long_runs(shadow: bytes) -> list[Span]:
    """Runs of token characters that are long enough for a token; `shadow` has one byte a
    character."""
    classes = shadow.translate(_CLASSES)
    needle = b"a" * SHORTEST
    runs = []
    start = classes.find(needle)
    while start >= 0:
        end = classes.find(b" ", start)
        end = len(classes) if end < 0 else end
        runs.append((start, end))
        start = classes.find(needle, end)
    return runs


def broken_words(shadow: bytes, runs: list[Span]) -> Iterator[list[Span]]:
    """Words that line breaks part, as their parts in order: the end of a line, lines that are one
    word, the beginning of a line.

    No break is read twice, so that the cost grows with the length of the text.
    """
    classes = shadow.translate(_LINE_CLASSES)
    done = 0
    spots = {*_breaks_behind(classes), *_breaks_before(classes)}
    spots.update(at for start, _ in runs if (at := _above(shadow, start)))
    for at in sorted(spots):
        # A token drawn from letters and digits has a digit; most words over two lines have none.
        if at < done or not _DIGIT.search(shadow, max(0, at - _RUN_NEAR), at + _RUN_NEAR):
            continue
        parts = _parts(classes, shadow, at)
        done = parts[-1][1]
        if len(parts) > 1 and _DIGIT.search(shadow, parts[0][0], done):
            yield parts


def _breaks_behind(classes: bytes) -> Iterator[int]:
    """Line breaks behind a part that is long enough."""
    at = classes.find(_LINE_END)
    while at >= 0:
        yield at + _PART
        at = classes.find(_LINE_END, at + _PART)


def _breaks_before(classes: bytes) -> Iterator[int]:
    """Line breaks before such a part; from the end, where the search skips more."""
    at = classes.rfind(_LINE_START)
    while at >= 0:
        yield at
        at = classes.rfind(_LINE_START, 0, at + 1)


def _above(shadow: bytes, start: int) -> int:
    """The line break before an indented or quoted run; 0 if there is none."""
    if shadow[start - 1 : start] not in (b" ", b"\t"):
        return 0
    before = shadow[max(0, start - _INDENT) : start].rstrip(_MARGIN)
    return start - min(start, _INDENT) + len(before) - 1 if before.endswith(b"\n") else 0


def _parts(classes: bytes, shadow: bytes, at: int) -> list[Span]:
    """The parts of the word that the line break at `at` parts."""
    first = max(0, at - _WIDEST)
    at = at - 1 if classes[at - 1 : at] == b"n" else at  # "\r\n"
    start = 1 + max(classes.rfind(b" ", first, at), classes.rfind(b"n", first, at), first - 1)
    parts = [(start, at)]
    while len(parts) < _RUN_LINES and (begin := _next_line(classes, shadow, parts[-1][1])):
        end = _end(classes, begin)
        if end == begin:
            break
        parts.append((begin, end))
    return parts


def _next_line(classes: bytes, shadow: bytes, at: int) -> int:
    """Where the text of the next line begins, behind indentation and quote signs; 0 if no line
    ends here."""
    if classes[at : at + 1] != b"n":
        return 0
    at += 2 if shadow[at : at + 2] == b"\r\n" else 1
    line = shadow[at : at + _INDENT]
    return at + len(line) - len(line.lstrip(_MARGIN))


def _end(classes: bytes, begin: int) -> int:
    limit = begin + _WIDEST
    ends = (classes.find(b" ", begin, limit), classes.find(b"n", begin, limit))
    return min((end for end in ends if end >= 0), default=min(limit, len(classes)))
