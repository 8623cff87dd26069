"""Finds secrets by the name beside them: assignments, JSON, YAML, TOML, .env, command lines, XML,
calls, plain sentences.

A name is looked for first (`names.STEMS`), then what ties it to a value, then the value is judged.
A rule without a name would be wrong half of the time: commit ids, digests and pictures look just
like tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import places
from .findings import Finding
from .names import STEMS, strength
from .values import LOOK, Strength, is_filler, looks_chosen, looks_issued, looks_strong

_NAME_LENGTH = 80
_REST_OF_NAME = re.compile(rf"[\w.\-]{{0,{_NAME_LENGTH}}}")
_QUALIFIER = re.compile(
    r"(api|access|secret|private|auth|client|signing|encryption|license|account|bot)[ -]\Z",
    re.IGNORECASE,
)
_CLOSE = r"""(?:\\?["'`]|[\])}*]){0,4}"""
_TYPE = r"(?::[ \t]*[A-Za-z_][\w.\[\]<>|? ]{0,40}?|[ \t](?:string|str|text|varchar))"
_OPERATOR = r"(?::{0,3}={1,3}|!={1,2}|=>|[?+|]{1,2}=|<>|<-)>?"
# What may stand between a name and its value. The order matters: the longer forms first.
_TIES = (
    # name: str = "v" · name string = "v" · name := v · name ::= v · name == "v" · name => v · name
    # ?= v
    rf"{_CLOSE}[ \t]*(?:{_TYPE}[ \t]*)?{_OPERATOR}[ \t]*",
    # name: v, also on the next line when quoted
    rf"{_CLOSE}[ \t]*:[ \t]*(?:\r?\n[ \t]*(?=[\"']))?",
    # name="api_key" value="v" · name: API_KEY, newline, value: v · "key": "API_KEY", "value": "v"
    r"""\\?["']?[ \t]*,?\s{0,40}\\?["']?value\\?["']?[ \t]*[=:][ \t]*""",
    # setPassword("v") · set("password", "v")
    r"""\\?["'`]?[ \t]*[(,][ \t]*(?=[rbfuL@]{0,2}\\?["'`])""",
    # <password>v</password>
    r"(?:[ \t][^<>\n]{0,80})?>[ \t]*(?=[^\s<>])",
    # the password is v
    r"""[`"']?[ \t]+(?:is|was|=)(?:[ \t]+(?:now|set to|still))?:?[ \t]+""",
)
_TIE = re.compile("|".join(f"(?:{tie})" for tie in _TIES))
_FLAG_TIE = re.compile(r"[ \t]+(?!-)")
_REVERSED = re.compile(r"""(["'])[ \t]{0,2}(?:===?|!==?|<>)[ \t]{0,2}\Z""")
_OPEN = re.compile(r"""[rRbBfFuUL@$]{0,2}(\\?(?:\"\"\"|'''|["'`]))""")
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|bot|flyv1)[ \t]+", re.IGNORECASE)
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")
_REST_OF_LINE = re.compile(r"[^\s]*")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_BUNDLER = re.compile(r"BUNDLE_\w+__\w+\Z", re.IGNORECASE)
_USER_PASSWORD = re.compile(r"[\w.-]{2,80}:[\w.-]{2,80}\Z")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_OWN_WORDS = re.compile(r"pass(?:word|wd)?|pwd|secret|token|key|cred", re.IGNORECASE)


class _Reader:
    """Walks a text once; remembers where a quote or a word ends, so that nothing is read over and
    over.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._ends: dict[str, int] = {}

    def next(self, mark: str, at: int) -> int:
        """The place of the next `mark` at or behind `at`; the end of the text if there is none."""
        known = self._ends.get(mark, -1)
        if known < at:
            found = self._text.find(mark, at)
            known = self._ends[mark] = len(self._text) if found < 0 else found
        return known

    def closing(self, quote: str, at: int) -> int:
        """Where the text opened by `quote` before `at` closes, or -1."""
        end = self.next(quote, at)
        escaped = len(quote) == 1
        while escaped and end < len(self._text) and _is_escaped(self._text, end):
            end = self.next(quote, end + 1)
        line_end = self.next("\n", at)
        if end >= len(self._text) or (line_end < end and len(quote) < 3):
            return -1
        return end


def _is_escaped(text: str, at: int) -> bool:
    slashes = 0
    while slashes < 8 and at - slashes > 0 and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1


def named(text: str, lower: bytes) -> Iterator[Finding]:
    """Values whose name says that they are secret and that look like it."""
    reader = _Reader(text)
    spots = sorted({at for stem in STEMS for at in places(lower, stem)})
    name_end = 0
    for at in spots:
        if at < name_end:
            continue
        rest = _REST_OF_NAME.match(text, at)
        name_end = rest.end() if rest is not None else at
        tie = _TIE.match(text, name_end)
        if tie is not None or _may_be_before(text, at) or text.startswith((" ", "\t"), name_end):
            yield from _beside(text, reader, _start_of_name(text, at), name_end, tie)


def _start_of_name(text: str, at: int) -> int:
    least = max(0, at - _NAME_LENGTH)
    while at > least and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        at -= 1
    return at


def _may_be_before(text: str, at: int) -> bool:
    """Whether a comparison before the name may have the value on its left."""
    before = text[max(0, at - _NAME_LENGTH) : at]
    return "=" in before or "<>" in before


def _beside(
    text: str, reader: _Reader, start: int, end: int, tie: re.Match[str] | None
) -> Iterator[Finding]:
    name = text[start:end].strip(".-")
    if tie is None and text.startswith("--", max(0, start - 2 if text[start] != "-" else start)):
        tie = _FLAG_TIE.match(text, end)
    if tie is None:
        if text[max(0, start - 1) : start] in ("=", " ", '"', "'"):
            yield from _reversed(text, name, start)
        return
    force = _force(text, name, start)
    if force is Strength.NONE and not _BUNDLER.match(name):
        return
    is_env = tie[0] == "=" and _ENV_NAME.match(name) is not None
    span = _value(text, reader, tie.end(), name, force, is_env=is_env)
    if span is not None:
        yield Finding(_kind(name, force), *span)


def _force(text: str, name: str, start: int) -> Strength:
    force = strength(name)
    if force is Strength.WEAK or name.lower() in ("id", "key"):
        before = _QUALIFIER.search(text, max(0, start - 12), start)
        if before is not None:
            force = max(force, strength(f"{before[1]}_{name}"))
    return force


def _kind(name: str, force: Strength) -> str:
    if force is Strength.PASSWORD:
        return "password"
    low = name.lower()
    if force is Strength.NONE:
        return "bundler_credentials"
    return "token" if "token" in low else "api_key" if "key" in low else "secret"


def _value(
    text: str, reader: _Reader, at: int, name: str, force: Strength, *, is_env: bool
) -> tuple[int, int] | None:
    opened = _OPEN.match(text, at)
    if opened is not None:
        start = opened.end()
        end = reader.closing(opened[1], start)
        if end < 0 or ("f" in opened[0].lower() and _is_computed(text[start:end][:LOOK])):
            return None
        return _judged(text, start, end, name, force, strict=False)
    rest = _REST_OF_LINE.match(text, at, at + 4 * LOOK)
    bare = _BARE.match(text, at, at + 4 * LOOK)
    if rest is None or bare is None:
        return None
    scheme = _SCHEME.match(text, at)
    if scheme is not None:
        return _value(text, reader, scheme.end(), name, force, is_env=is_env)
    word = bare[0].rstrip(".:!?") if force is not Strength.PASSWORD else bare[0].rstrip(".,")
    if rest[0] != bare[0]:
        span = _whole_word(text, at, rest[0], name, force)
        if span is not None:
            return span
        if text[bare.end() : bare.end() + 1] in ("(", "[", "{"):
            return None
    return _judged(text, at, at + len(word), name, force, strict=not is_env)


def _is_computed(value: str) -> bool:
    """Whether an f-string holds nothing that looks issued beside its expressions."""
    return "{" in value and not looks_issued(_EXPRESSION.sub("", value))


def _whole_word(
    text: str, at: int, word: str, name: str, force: Strength
) -> tuple[int, int] | None:
    """A password with signs in a line that holds nothing else: `db_password = p{x]:y"z`."""
    end = at + len(word)
    line_end = text.find("\n", end, end + 8)
    tail = text[end : line_end if line_end >= 0 else end + 8].strip()
    signs = {
        char for char in word[:LOOK] if not (char.isalnum() or char in "-_./:+=,;()[]'\"\\<>&|")
    }
    if tail or len(signs) < 3 or is_filler(word):
        return None
    return _judged(text, at, end, name, force, strict=True)


def _judged(
    text: str, start: int, end: int, name: str, force: Strength, *, strict: bool
) -> tuple[int, int] | None:
    scheme = _SCHEME.match(text, start, end)
    if scheme is not None:
        start = scheme.end()
    value = text[start : min(end, start + LOOK)]
    if value.lower() == name.lower():
        return None
    if _BUNDLER.match(name):
        good = _USER_PASSWORD.match(value) is not None and not is_filler(value)
    elif force is Strength.PASSWORD:
        good = looks_chosen(value, strict=strict) and not (strict and _OWN_WORDS.search(value))
        good = good or looks_issued(value)
    else:
        good = looks_issued(value) if force is Strength.SECRET else looks_strong(value)
    return (start, end) if good else None


def _reversed(text: str, name: str, start: int) -> Iterator[Finding]:
    """`"value" == password`."""
    operator = _REVERSED.search(text, max(0, start - 8), start)
    if operator is None:
        return
    close = operator.start(1)
    opening = text.rfind(operator[1], max(0, close - LOOK), close)
    if opening < 0 or "\n" in text[opening:close]:
        return
    force = strength(name)
    if force is not Strength.NONE:
        span = _judged(text, opening + 1, close, name, force, strict=False)
        if span is not None:
            yield Finding(_kind(name, force), *span)
