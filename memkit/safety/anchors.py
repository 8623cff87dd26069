"""Finds the formats of `anchored.py`, private-key blocks, URLs with a password and Kubernetes
secrets."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from .anchored import ANCHORED
from .findings import Finding
from .programs import PLACED
from .values import is_filler, looks_chosen, looks_issued

_AHEAD = 5000  # characters behind an anchor that a match may reach
_ROWS = (*ANCHORED, *PLACED)
_LITERALS = frozenset(literal for _, literal, _, _ in _ROWS)
_NEAR = 200  # the same where the match may begin before the anchor
_TOKEN = re.compile(r"[\w+/=.~-]*")  # the rest of a token that is longer than its expression
# Kinds whose value is judged once more, because the form alone also fits examples and code.
_ISSUED = frozenset({"authorization", "bearer_token", "cookie", "curl_key"})
_CHOSEN = frozenset(
    {
        "curl_user",
        "piped_password",
        "htpasswd_password",
        "netrc_password",
        "pgpass_password",
    }
)
# Words of a command line where a sentence about the command may have any word.
_NO_WORDS = frozenset({"vault_token", "aws_secret_key", "password", "kubernetes_secret"})


def places(shadow: bytes, literal: str) -> Sequence[int]:
    """Every place of the literal in the lower-case shadow."""
    needle = literal.encode()
    at = shadow.find(needle)
    if at < 0:  # as most are in most texts
        return ()
    found = []
    while at >= 0:
        found.append(at)
        at = shadow.find(needle, at + 1)
    return found


def anchored(text: str, lower: bytes) -> Iterator[Finding]:
    """Findings of the tables in `anchored.py` and `programs.py`; `lower` is the lower-case text
    with one byte a character.
    """
    spots = {literal: places(lower, literal) for literal in _LITERALS}
    for kind, literal, before, body in _ROWS:
        done = 0
        for at in spots[literal]:
            match = _at(body, text, at, max(done, at - before) if before else at)
            if match is None:
                continue
            start, end = match.span(match.lastindex or 0)
            if _passes(kind, text[start:end]):
                done = _to_the_end(text, end) if kind in _ISSUED else end
                yield Finding(kind, start, done)


def _to_the_end(text: str, end: int) -> int:
    match = _TOKEN.match(text, end)
    return match.end() if match is not None else end


def _at(body: str, text: str, at: int, begin: int) -> re.Match[str] | None:
    """The match at an anchor: right there, or beginning up to `at - begin` characters before (or
    behind) it.
    """
    if begin == at:
        return _compiled(body).match(text, at, at + _AHEAD)
    return _compiled(body).search(text, begin, 2 * at - begin + _NEAR)


@cache
def _compiled(body: str) -> re.Pattern[str]:
    return re.compile(body)


def _passes(kind: str, value: str) -> bool:
    if kind in _ISSUED:
        return looks_issued(value)
    if kind in _CHOSEN:
        return _is_password(value)
    if kind in _NO_WORDS:
        return looks_chosen(value) or looks_issued(value)
    return kind == "password_hash" or not is_filler(value)


def _is_password(value: str) -> bool:
    return not is_filler(value) and not value.startswith(("$", "<", "{", "[", "("))


# -- URLs

_USERINFO = re.compile(r"""://([^\s:/?#@"'<>`\\\[]{0,128}):([^\s/?#"'<>`\\]{1,256})@(?=[\w.\[-])""")
_TOKEN_USER = re.compile(
    r"""://([^\s:/?#@"'<>`\\]{16,256})(?::(?:x-oauth-basic|x-token-auth)?)?@(?=[\w.\[-])"""
)


def urls(text: str, lower: bytes) -> Iterator[Finding]:
    """Passwords of `scheme://user:password@host`, and tokens in the place of the user."""
    for at in places(lower, "://"):
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

_BEGIN = re.compile(
    r"-----? ?BEGIN ([A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?) ?-----?|PuTTY-User-Key-File-\d"
)
# Lines of base64 for a block whose end is missing; a line may be quoted, indented or escaped.
_LINES = re.compile(r"""(?:(?:\\[nr]|[\s"'+>|*#,.])*[A-Za-z0-9+/=]{16,})*""")
_ENOUGH = 50  # characters of base64; the smallest real key (Ed25519) has 64
_PRIVATE_LINES = re.compile(r"Private-Lines: \d+((?:(?:\\[nr]|\s)+[A-Za-z0-9+/=]{8,})+)")
_EDGE = r"(?:\\[nr]|[\s\"'+>|*#,])+"
_LEAD, _TRAIL = re.compile(_EDGE), re.compile(rf"{_EDGE}\Z")


def private_keys(text: str, lower: bytes) -> Iterator[Finding]:
    """Bodies of PEM, OpenPGP, SSH and PuTTY private-key blocks; the lines BEGIN and END stay."""
    end_mark = -1
    for at in places(lower, "begin "):
        match = _BEGIN.match(
            text, at - 5 if text.startswith("-----", max(0, at - 5)) else max(0, at - 5)
        )
        if match is None:
            continue
        if end_mark <= match.end() and end_mark != len(text):
            found = text.find("-----END", match.end())
            end_mark = len(text) if found < 0 else found
        yield from _body(text, match.end(), end_mark)
    for at in places(lower, "private-lines: "):
        lines = _PRIVATE_LINES.match(text, at)
        if lines is not None:
            yield from _trimmed(text, *lines.span(1))


def _body(text: str, start: int, end: int) -> Iterator[Finding]:
    following = text.find("-----BEGIN", start, end)
    if end == len(text) or following >= 0:
        lines = _LINES.match(text, start)
        end = lines.end() if lines is not None else start
    yield from _trimmed(text, start, end)


def _trimmed(text: str, start: int, end: int) -> Iterator[Finding]:
    body = text[start:end]
    lead = _LEAD.match(body)
    start += lead.end() if lead is not None else 0
    trail = _TRAIL.search(text[start:end][-200:])
    if trail is not None:
        end -= trail.end() - trail.start()
    if sum(char.isalnum() for char in text[start:end][:400]) >= _ENOUGH:
        yield Finding("private_key", start, end)


_KIND = re.compile(r"""kind["']?:\s{0,3}["']?Secret\b""")
_DATA = re.compile(r"""(?m:^|(?<=[{,]))[ \t]*["']?(?:stringData|data)["']?:(?:\s{0,80}\{)?""")
# An entry: indented on a line of its own (comments may stand between), or in quotes as in JSON.
_ENTRY = re.compile(
    r"""(?:(?:[ \t]*(?:\#[^\n]{0,200})?\r?\n){1,5}[ \t]+|\s{0,80}(?=["']))"""
    r"""["']?[\w.-]{1,80}["']?:[ \t]+["']?([^\s"']{4,4096})["']?,?(?=\s|\Z)"""
)
_DOCUMENT = 4000  # characters of a manifest that are searched on both sides of `kind: Secret`


def kubernetes(text: str, lower: bytes) -> Iterator[Finding]:
    """Values under `data` and `stringData` of a Kubernetes manifest of kind Secret: all of them,
    whatever their names.
    """
    done = 0
    for at in places(lower, "kind"):
        if at < done or _KIND.match(text, at) is None:
            continue
        begin = max(text.rfind("\n---", max(0, at - _DOCUMENT), at), at - _DOCUMENT, done)
        stop = text.find("\n---", at, at + _DOCUMENT)
        stop = at + _DOCUMENT if stop < 0 else stop
        for block in _DATA.finditer(text, begin, stop):
            yield from _entries(text, block.end(), stop)
        done = stop


def _entries(text: str, at: int, stop: int) -> Iterator[Finding]:
    entry = _ENTRY.match(text, at, stop)
    while entry is not None:
        if not is_filler(entry[1]):
            yield Finding("kubernetes_secret", *entry.span(1))
        at = entry.end()
        entry = _ENTRY.match(text, at, stop)
