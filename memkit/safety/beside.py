"""Reads the value that stands beside a name: where it begins and ends, quoted or bare.

A value is judged by its first characters (`values.LOOK`) but masked to its very end, however long
it is.
"""

from __future__ import annotations

import re

import attrs

from .findings import Span
from .values import LOOK, Strength, is_filler, looks_chosen, looks_issued, looks_strong

_OPEN = re.compile(r"""[rRbBfFuUL@$]{0,2}(\\?(?:\"\"\"|'''|["'`]))""")
_SCHEME = re.compile(r"(?:bearer|basic|token|apikey|bot|flyv1)[ \t]+", re.IGNORECASE)
_BARE = re.compile(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")
# Passwords may hold nearly every sign; in a .env file even commas.
_BARE_PASSWORD = re.compile(r"""(?:[^\s"'`,;\\]|\\(?![nrt"']))*""")
_ENV_PASSWORD = re.compile(r"""(?:[^\s"'`;\\]|\\(?![nrt"']))*""")
_WORD = re.compile(r"\S*")
_XML = re.compile(r"[^<\s]*")
_QUERY = re.compile(r"[?&][\w.\-]*=\Z")
_USER_PASSWORD = re.compile(r"[\w.-]{2,80}:[\w.-]{2,80}\Z")
_EXPRESSION = re.compile(r"\{[^{}]*\}")
_OWN_WORDS = re.compile(r"pass(?:word|wd)?|pwd|secret|token|key|cred", re.IGNORECASE)
# What code makes names of: `user_password`, `auth.secret`, `password2`.
_JOINT = re.compile(r"[\w)\]][-_./:]+\w")
_NUMBERED = re.compile(r"[A-Za-z]+\d")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_AHEAD = 4 * LOOK


@attrs.frozen
class Name:
    """A name that may announce a secret: how strongly, and how it was written."""

    text: str
    force: Strength
    is_env: bool = False  # NAME=value, as in a .env file or a shell
    is_bundler: bool = False  # BUNDLE_HOST__COM, whose value is user:password


class Reader:
    """Walks a text once; remembers where a quote or a line ends, so that nothing is read over and
    over.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[str, int] = {}

    def value(self, name: Name, at: int) -> Span | None:
        """The secret that begins at `at`, if the value there is one."""
        opened = _OPEN.match(self.text, at)
        if opened is None:
            return self._bare(name, at)
        start = opened.end()
        end = self._closing(opened[1], start)
        if end < 0:  # cut off, or no quote at all
            return self._bare(name, start)
        if "f" in opened[0].lower() and _is_computed(self.text[start : min(end, start + LOOK)]):
            return None
        return self.judged(name, start, end, strict=False)

    def bare(self, name: Name, at: int, form: re.Pattern[str]) -> Span | None:
        """The value at `at` without quotes, of this form, if it looks like a secret in prose."""
        end = _end(form, self.text, at)
        span = self.judged(name, at, self._trimmed(at, end, ".,)]}>:!?"), strict=True)
        return span and (at, self._to_the_end(form, span[1], end))

    def next(self, mark: str, at: int) -> int:
        """The place of the next `mark` at or behind `at`; the end of the text if there is none."""
        known = self._ends.get(mark, -1)
        if known < at:
            found = self.text.find(mark, at)
            known = self._ends[mark] = len(self.text) if found < 0 else found
        return known

    def _closing(self, quote: str, at: int) -> int:
        """Where the text opened by `quote` before `at` closes, or -1."""
        end = self.next(quote, at)
        while len(quote) == 1 and end < len(self.text) and _is_escaped(self.text, end):
            end = self.next(quote, end + 1)
        line_ends = len(quote) < 3 and self.next("\n", at) < end
        return -1 if line_ends or end >= len(self.text) else end

    def _bare(self, name: Name, at: int) -> Span | None:
        scheme = _SCHEME.match(self.text, at)
        at = scheme.end() if scheme is not None else at
        if name.force is Strength.PASSWORD:
            return self._bare_password(name, at)
        end = _end(_BARE, self.text, at)
        whole = self._whole_word(name, at, end)
        if whole is not None:
            return whole
        if self.text.startswith(("(", "[", "{"), end) or self.text.endswith("...", at, end):
            return None  # a call, an index; a shortened value
        span = self.judged(name, at, self._trimmed(at, end, ".:!?"), strict=not name.is_env)
        return span and (at, self._to_the_end(_BARE, span[1], end))

    def _bare_password(self, name: Name, at: int) -> Span | None:
        """Without quotes a password ends at a blank; in the query of an address at "&"."""
        form = _ENV_PASSWORD if name.is_env else _BARE_PASSWORD
        if self.text.startswith(">", at - 1):
            form = _XML
        if _QUERY.search(self.text, max(0, at - 80), at):
            form = _BARE
        end = _end(form, self.text, at)
        last = end if name.is_env else self._trimmed(at, end, ".,)]}>")
        span = self.judged(name, at, last, strict=not name.is_env)
        return span and (at, self._to_the_end(form, span[1], end))

    def _to_the_end(self, form: re.Pattern[str], last: int, end: int) -> int:
        """The end of a value that is longer than what was looked at."""
        match = form.match(self.text, end) if last == end else None
        return match.end() if match is not None else last

    def _trimmed(self, at: int, end: int, signs: str) -> int:
        """The end without the signs of a sentence, or a bracket that was opened before."""
        text = self.text
        while end > at and text[end - 1] in signs:
            opening = _PAIRS.get(text[end - 1])
            if opening and text.count(opening, at, end) >= text.count(text[end - 1], at, end):
                break
            end -= 1
        return end

    def _whole_word(self, name: Name, at: int, end: int) -> Span | None:
        """A value with many signs in a line that holds nothing else."""
        last = _end(_WORD, self.text, at)
        if last == end or self.text[last : last + 8].split("\n")[0].strip():
            return None
        plain = "-_./:+=,;()[]'\"\\<>&|"
        word = self.text[at : min(last, at + LOOK)]
        signs = {char for char in word if not (char.isalnum() or char in plain)}
        return self.judged(name, at, last, strict=True) if len(signs) >= 3 else None

    def judged(self, name: Name, start: int, end: int, *, strict: bool) -> Span | None:
        """The span if its text is a secret; `strict` where it may as well be code or prose."""
        scheme = _SCHEME.match(self.text, start, end)
        start = scheme.end() if scheme is not None else start
        value = self.text[start : min(end, start + LOOK)]
        if value.lower() == name.text.lower():
            return None
        return (start, end) if _is_secret(name, value, strict=strict) else None


def _is_secret(name: Name, value: str, *, strict: bool) -> bool:
    if name.is_bundler:
        return _USER_PASSWORD.match(value) is not None and not is_filler(value)
    if name.force is Strength.PASSWORD:
        chosen = looks_chosen(value, strict=strict) and not (strict and _says_what_it_is(value))
        # In a .env file a word is a password too: there it is neither code nor prose.
        word = name.is_env and value.isalpha() and len(value) >= 6
        word = word and not is_filler(value) and not _OWN_WORDS.search(value)
        return chosen or word or looks_issued(value)
    return looks_issued(value) if name.force is Strength.SECRET else looks_strong(value)


def _says_what_it_is(value: str) -> bool:
    """Whether a value holds a word such as "password" and is code or a placeholder for it; what is
    left of a password beside that word looks like one, and is joined to it by nothing."""
    rest = _OWN_WORDS.sub("", value)
    if rest == value:
        return False
    return bool(_NUMBERED.fullmatch(value) or _JOINT.search(value)) or not looks_chosen(
        rest, strict=True
    )


def _end(form: re.Pattern[str], text: str, at: int) -> int:
    match = form.match(text, at, at + _AHEAD)
    return match.end() if match is not None else at


def _is_computed(value: str) -> bool:
    """Whether an f-string holds nothing that looks issued beside its expressions."""
    return "{" in value and not looks_issued(_EXPRESSION.sub("", value))


def _is_escaped(text: str, at: int) -> bool:
    slashes = 0
    while slashes < 8 and at - slashes > 0 and text[at - slashes - 1] == "\\":
        slashes += 1
    return slashes % 2 == 1
