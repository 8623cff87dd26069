"""Finds passwords among the options of a command line, by the table in `programs.py`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

import attrs

from .anchors import places
from .beside import Span
from .findings import Finding
from .programs import OPTIONS, WORD, Where
from .values import LOOK, is_filler, looks_chosen

_BEFORE = 300  # characters of a command before the option
_ENDS = re.compile(r"[\n;`]|&&|[ \t]\|{1,2}|\$\(")  # what parts one command from the next
_PROGRAM = r"(?<![\w.-])(?:{})(?:\.exe|\.cmd|\.bat)?[\"']?(?=[ \t\"']|\Z)"
# What may stand before a program in a line that is a command and no sentence.
_HEAD = re.compile(
    r"\s*(?:[$#>%+]\s+|RUN\s+|-\s+)?(?:(?:sudo|env|time|nohup|exec|command|doas)\s+(?:-\S+\s+)*|\w+=\S*\s+)*"
    r"[\"']?(?:[^\s\"']*[/\\])?\Z"
)
_MORE = 6  # letters right behind an option that can be a password
_SENTENCE = re.compile(r"\s[a-z]{2,}(?=[\s.,])")
_GAP = r"(?:[ \t]|\\\n)"


@attrs.frozen
class _Rule:
    """An option of some programs, and the form in which the password follows it."""

    option: str
    programs: re.Pattern[str]
    form: re.Pattern[str]


_LETTERS = frozenset(ord(option[1].lower()) for _, options, _ in OPTIONS for option in options)


@cache
def _rules() -> list[_Rule]:
    """The rules, longer options first; made when a text has such an option."""
    forms = {
        Where.NEXT: rf"(?:{_GAP}{{1,8}}|=){WORD}",
        Where.ATTACHED: WORD,
        Where.EITHER: rf"(?:{_GAP}{{0,8}}|=){WORD}",
        Where.AFTER_USER: rf"(?:{_GAP}{{0,8}}|=)[\"']?[^\s%\"']{{0,80}}%"
        r"([^\s\"'|;&<>`\\]{3,200})",
    }
    return [
        _Rule(
            option, re.compile(_PROGRAM.format(programs), re.IGNORECASE), re.compile(forms[where])
        )
        for programs, options, where in OPTIONS
        for option in sorted(options, key=len, reverse=True)
    ]


def commands(text: str, lower: bytes) -> Iterator[Finding]:
    """Passwords behind an option of a program that takes one there."""
    done = 0
    for at in places(lower, " -"):
        if at < done or at + 2 >= len(lower) or lower[at + 2] not in _LETTERS:
            continue
        span = _password(text, at)
        if span is not None:
            done = span[1]
            yield Finding("command_password", *span)


def _password(text: str, at: int) -> Span | None:
    command = ""
    for rule in _rules():
        if not text.startswith(rule.option, at + 1):
            continue
        behind = at + 1 + len(rule.option)
        found = rule.form.match(text, behind)
        if found is None:
            continue
        command = command or _command(text, at)
        program = rule.programs.search(command)
        if program is not None:
            start, end = found.span(found.lastindex or 0)
            is_command = _HEAD.match(command, 0, program.start()) is not None
            # Right behind an option may stand the rest of another one: `-port`.
            is_command = is_command and not (start == behind and end - start < _MORE)
            is_command = is_command and not _is_sentence(text[end : end + LOOK])
            return (start, end) if _is_password(text[start:end], is_command=is_command) else None
    return None


def _command(text: str, at: int) -> str:
    """What stands before the option in the same command."""
    before = text[max(0, at - _BEFORE) : at].replace("\\\n", "  ")
    ends = [end.end() for end in _ENDS.finditer(before)]
    return before[ends[-1] :] if ends else before


def _is_sentence(rest: str) -> bool:
    return len(_SENTENCE.findall(rest.split("\n")[0])) > 2


def _is_password(value: str, *, is_command: bool) -> bool:
    """Whether it is one; in a sentence about the option a word is not."""
    if value.startswith(("$", "<", "{", "[", "(", "%", "-")) or is_filler(value):
        return False
    return is_command or looks_chosen(value)
