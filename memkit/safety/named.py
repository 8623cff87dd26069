"""Finds secrets by the name beside them: assignments, JSON, YAML, .env, flags, XML, calls, prose.

A name is looked for first (`names.STEMS`), then what ties it to a value, then the value is judged.
A rule without a name would be wrong half of the time: commit ids, digests and pictures look just
like tokens.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .anchors import places
from .beside import Name, Reader, Span
from .findings import Finding
from .names import STEMS, kind_of, strength
from .values import LOOK, Strength

_NAME_LENGTH = 80
_REST_OF_NAME = re.compile(rf"[\w.\-]{{0,{_NAME_LENGTH}}}")
_QUALIFIER = re.compile(
    r"(api|access|secret|private|auth|client|signing|encryption|license|account|bot)[ -]\Z",
    re.IGNORECASE,
)
_CLOSE = r"""(?:\\?["'`]|[\])}*]){0,4}"""
# A type stands before its value; base64 that is filled up with "=" before nothing.
_FILLED_UP = r"""[ \t]*[\w+/]{16,}==?(?:[\s"',;]|$)"""
_TYPE = (
    rf"(?::(?!{_FILLED_UP})[ \t]*[A-Za-z_][\w.\[\]<>|? ]{{0,40}}?|[ \t](?:string|str|text|varchar))"
)
_OPERATOR = r"(?::{0,3}={1,3}|!={1,2}|=>|[?+|]{1,2}=|<>|<-)>?"
# What may stand between a name and its value. The order matters: the longer forms first.
_TIES = (
    # name: str = "v" · name string = "v" · name := v · name ::= v · name == "v" · name => v · name
    # ?= v
    rf"{_CLOSE}[ \t]*(?:{_TYPE}[ \t]*)?{_OPERATOR}[ \t]*",
    # variable "name" {, lines, default = "v", as Terraform writes it
    rf"""{_CLOSE}[ \t]*\{{[^{{}}]{{0,400}}?\bdefault[ \t]*=[ \t]*(?=")""",
    # name: | (or >-), v on the next line, as YAML writes a text of lines
    rf"{_CLOSE}[ \t]*:[ \t]*[|>][-+\d]{{0,2}}[ \t]*\r?\n[ \t]+",
    # name: v, also on the next line when quoted
    rf"{_CLOSE}[ \t]*:[ \t]*(?:\r?\n[ \t]*(?=[\"']))?",
    # name="api_key" value="v" · name: API_KEY, newline, value: v · "key": "API_KEY", "value": "v"
    r"""\\?["']?[ \t]*,?\s{0,40}\\?["']?value\\?["']?[ \t]*[=:][ \t]*""",
    # setPassword("v") · set("password", "v") · put(DB_PASSWORD, "v"); what follows a variable is
    # another argument: encode(password, "rot13")
    r"""(?:\\?["'`]?[ \t]*\(|(?:\\?["'`]|(?<=[A-Z]))[ \t]*,)[ \t]*(?=[rbfuL@]{0,2}\\?["'`])""",
    # the last argument of a setter: set_password(user, "v")
    r"""\((?:[ \t]*[\w.]{1,40}[ \t]*,){1,3}[ \t]*(?=[rbfuL@]{0,2}["'`])""",
    # <password>v</password>
    r"(?:[ \t][^<>\n]{0,80})?>[ \t]*(?=[^\s<>])",
    # the password is v
    r"""[`"']?[ \t]+(?:is|was|=)(?:[ \t]+(?:now|set to|still))?:?[ \t]+""",
)
# Of calls whose password is not the first argument, only those that can have no other meaning.
_LATER_ARGUMENT = re.compile(r"\([^(]*,")
_SETTER = re.compile(r"(?:set|change|update|reset|check|verify)_?passw(?:or)?d\Z", re.IGNORECASE)
_TIE = re.compile("|".join(f"(?:{tie})" for tie in _TIES))
_FLAG_TIE = re.compile(r"[ \t]+(?!-)")
_REVERSED = re.compile(r"""(["'`])[ \t]{0,2}(?:===?|!==?|<>)[ \t]{0,2}\Z""")
_ENV_NAME = re.compile(r"[A-Z][A-Z0-9_]*\Z")
_BUNDLER = re.compile(r"BUNDLE_\w+__\w+\Z", re.IGNORECASE)


def named(text: str, lower: bytes) -> Iterator[Finding]:
    """Values whose name says that they are secret and that look like it."""
    reader = Reader(text)
    spots = sorted({at for stem in STEMS for at in places(lower, stem)})
    done = 0
    for at in spots:
        if at < done:
            continue
        rest = _REST_OF_NAME.match(text, at)
        done = rest.end() if rest is not None else at
        tie = _TIE.match(text, done)
        if tie is None and not text.startswith((" ", "\t"), done) and not _may_be_before(text, at):
            continue
        finding = _beside(reader, _start_of_name(text, at), done, tie)
        if finding is not None:
            yield finding
            done = max(done, finding.end)


def _start_of_name(text: str, at: int) -> int:
    least = max(0, at - _NAME_LENGTH)
    while at > least and (text[at - 1].isalnum() or text[at - 1] in "_.-"):
        at -= 1
    return at


def _may_be_before(text: str, at: int) -> bool:
    """Whether a comparison before the name may have the value on its left."""
    before = text[max(0, at - _NAME_LENGTH) : at]
    return "=" in before or "<>" in before


def _beside(reader: Reader, start: int, end: int, tie: re.Match[str] | None) -> Finding | None:
    text = reader.text
    word = text[start:end].strip(".-")
    if tie is None and text.startswith("--", start if text.startswith("-", start) else start - 2):
        tie = _FLAG_TIE.match(text, end)
    if tie is not None and _LATER_ARGUMENT.match(tie[0]) and not _SETTER.search(word):
        return None
    name = Name(
        word,
        _force(text, word, start),
        is_env=tie is not None and tie[0] == "=" and _ENV_NAME.match(word) is not None,
        is_bundler=_BUNDLER.match(word) is not None,
    )
    if name.force is Strength.NONE and not name.is_bundler:
        return None
    span = _reversed(reader, name, start) if tie is None else reader.value(name, tie.end())
    return Finding(kind_of(word, name.force), *span) if span is not None else None


def _force(text: str, name: str, start: int) -> Strength:
    force = strength(name)
    if force is Strength.WEAK or name.lower() in ("id", "key"):
        before = _QUALIFIER.search(text, max(0, start - 12), start)
        if before is not None:
            force = max(force, strength(f"{before[1]}_{name}"))
    return force


def _reversed(reader: Reader, name: Name, start: int) -> Span | None:
    """`"value" == password`."""
    text = reader.text
    operator = _REVERSED.search(text, max(0, start - 8), start)
    if operator is None:
        return None
    close = operator.start(1)
    opening = text.rfind(operator[1], max(0, close - LOOK), close)
    if opening < 0 or "\n" in text[opening:close]:
        return None
    return reader.judged(name, opening + 1, close, strict=False)
