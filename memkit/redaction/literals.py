"""Whole literals beside a name: where the value begins and ends, in one part or in several."""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from ..text.patterns import lazy_pattern
from .entropy import (
    LOOK,
    Strength,
    fits,
    is_filler,
    looks_chosen,
    looks_drawn,
    looks_issued,
    randomness,
)
from .rules import Span

# --- Forms of a value.
#
# A value is judged by its first characters (`entropy.LOOK`) but masked to its very end, however
# long it is: over joined strings, continued lines, blocks of lines and here-documents.

_OPEN = lazy_pattern(
    r"""(?:\([ \t]{0,40})?(?:\\?\r?\n[ \t]{1,40})?[rRbBfFuULNE@$]{0,2}(\\?(?:\"\"\"|'''|["'`]))"""
)
_SCHEME = lazy_pattern(r"(?:bearer|basic|token|apikey|bot|flyv1)[ \t]+", re.IGNORECASE)
_BARE = lazy_pattern(r"""[^\s"'`,;<>(){}\[\]|&\\]*""")
# Passwords may hold nearly every sign; in a .env file even commas.
_BARE_PASSWORD = lazy_pattern(r"""(?:(?!</)[^\s"'`,;\\]|\\(?![nrt"'\s]))*""")
_ENV_PASSWORD = lazy_pattern(r"""(?:[^\s"'`;\\]|\\(?![nrt"'\s]))*""")
_WORD = lazy_pattern(r"\S*")
_REST_OF_LINE = lazy_pattern(r"[^\r\n\"'`<>{}\[\]|=]{0,400}(?=\r?\n|\Z)")
_XML = lazy_pattern(r"[^<\s]*")
_QUERY = lazy_pattern(r"[?&][\w.\-]*=\Z")
_USER_PASSWORD = lazy_pattern(r"[\w.-]{2,80}:[\w.-]{2,80}\Z")
_EXPRESSION = lazy_pattern(r"\{[^{}]*\}")
_OWN_WORDS = lazy_pattern(
    r"pass(?:word|wd)?|pwd|secret|token|(?:api|(?<![A-Za-z]))key|cred", re.IGNORECASE
)
# What code makes names of: `user_password`, `auth.secret`, `password2`.
_JOINT = lazy_pattern(r"[\w)\]][-_./:]+\w")
_NUMBERED = lazy_pattern(r"[A-Za-z]+\d")
_PAIRS = {")": "(", "]": "[", "}": "{", ">": "<"}
_AHEAD = 4 * LOOK

# What joins two strings to one value: an operator, or nothing (C, Python, shells); blanks, line
# ends, comments and VB's "_" stand around it.
_GAP = r"(?:[ \t]|\\?\r?\n|/\*[^*\n]{0,80}\*/)"
_JOINED = lazy_pattern(
    rf"""\\?(?:\"\"\"|'''|["'`]){_GAP}{{0,80}}+(?P<operator>(?:\+{{1,2}}|\.{{1,2}}|\|\||<>|&|~|\^)"""
    rf"""(?:[ \t]+_)?)?{_GAP}{{0,80}}+(?=[rRbBuUL@]{{0,2}}\\?["'`])"""
)
_MORE = 40  # parts or lines of one value
_NAMED_NEXT = lazy_pattern(r"""\\?["'`]{1,3}[ \t]{0,20}[:=]""")
_HERE = lazy_pattern(r"""<<[-~]?["']?([A-Za-z_]\w{0,30})["']?[ \t]*\r?\n[ \t]*""")
# The next line of a bare value: behind a backslash, or one random word alone in its line.
_AFTER_BACKSLASH = lazy_pattern(r"\\\r?\n[ \t]*")
_NEXT_WORD = lazy_pattern(r"[ \t]*\r?\n[ \t>|#*]{0,40}([\w+/~.-]{6,400}={0,2})[ \t]*(?=\r?\n|\Z)")


class Name(NamedTuple):
    """A name that may announce a secret: how strongly, and how it was written."""

    text: str
    force: Strength
    is_env: bool = False  # NAME=value, as in a .env file or a shell: any word may be a password
    is_bundler: bool = False  # BUNDLE_HOST__COM, whose value is user:password
    is_loose: bool = False  # nothing but a blank ties the value to the name


class Reader:
    """Reader of a text from its beginning to its end.

    It remembers where a quote or a line ends, so that nothing is read over and over.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self._ends: dict[str, int] = {}

    def value(self, name: Name, at: int, *, is_block: bool = False) -> Span | None:
        """The secret that begins at `at`, if the value there is one; a block is a text of lines
        with one indentation, as YAML writes it."""
        if is_block:
            return self._block(name, at) or self._bare(name, at)
        here = _HERE.match(self.text, at)
        if here is not None:
            return self._here(name, here)
        opened = _OPEN.match(self.text, at)
        if opened is None:
            return self._bare(name, at)
        start = opened.end()
        end = self._closing(opened[1], start)
        if end < 0:  # cut off, or no quote at all
            return self._bare(name, start)
        if "f" in opened[0].lower() and _is_computed(self.text[start : min(end, start + LOOK)]):
            return None
        whole = self._joined(name, start, end) or self.judged(name, start, end, strict=False)
        return whole and self._with_word(name, whole, end)

    def bare(self, name: Name, at: int, form: re.Pattern[str]) -> Span | None:
        """The value at `at` without quotes, of this form, if it looks like a secret in prose."""
        end = _end(form, self.text, at)
        span = self.judged(name, at, self._trimmed(at, end, ".,)]}>:!?"), strict=True)
        return span and (at, self._to_the_end(form, span[1], end))

    def next(self, mark: str, at: int) -> int:
        """The place of the next `mark` at or behind `at`; the end of the text if there is none."""
        known = self._ends.get(mark, -1)
        if known < at:
            position = self.text.find(mark, at)
            known = self._ends[mark] = len(self.text) if position < 0 else position
        return known

    def judged(self, name: Name, start: int, end: int, *, strict: bool) -> Span | None:
        """The span if its text is a secret; `strict` where it may as well be code or prose."""
        scheme = _SCHEME.match(self.text, start, end)
        start = scheme.end() if scheme is not None else start
        value = self.text[start : min(end, start + LOOK)]
        if value[:1].isspace() or "\n" in value:
            start += len(value) - len(value.lstrip())
            end -= len(self.text[start:end][-LOOK:]) - len(self.text[start:end][-LOOK:].rstrip())
            value = _on_one_line(self.text[start : min(end, start + LOOK)])
        return (start, end) if _is_secret(name, value, strict=strict) else None

    def _joined(self, name: Name, start: int, end: int) -> Span | None:
        """The value of several strings in a row, if it is one."""
        pieces = [self.text[start : min(end, start + LOOK)]]
        while len(pieces) < _MORE and (part := self._next_part(end)) is not None:
            pieces.append(self.text[part[0] : min(part[1], part[0] + LOOK)])
            end = part[1]
        if len(pieces) == 1 or not _is_secret(name, "".join(pieces)[:LOOK], strict=False):
            return None
        return start, end

    def _next_part(self, end: int) -> Span | None:
        joint = _JOINED.match(self.text, end)
        opened = _OPEN.match(self.text, joint.end()) if joint is not None else None
        if joint is None or opened is None:
            return None
        start = opened.end()
        close = self._closing(opened[1], start)
        if close < 0:
            return None
        if joint["operator"] is None:  # a list of strings, or the name of another value?
            part = self.text[start : min(close, start + LOOK)]
            if not part or " " in part or _NAMED_NEXT.match(self.text, close):
                return None
        return start, close

    def _with_word(self, name: Name, span: Span, end: int) -> Span:
        """The value with what a shell joins to its closing quote: `"A"B`."""
        if not name.is_env or span[1] != end:
            return span
        rest = _end(_BARE, self.text, end + 1)
        return (span[0], rest) if rest > end + 1 else span

    def _closing(self, quote: str, at: int) -> int:
        """Where the text opened by `quote` before `at` closes, or -1."""
        end = self.next(quote, at)
        while len(quote) == 1 and end < len(self.text):
            if _is_escaped(self.text, end):
                end = self.next(quote, end + 1)
            elif end > at and self.text.startswith(quote, end + 1) and quote != "`":
                end = self.next(quote, end + 2)  # doubled: it stands for itself
            else:
                break
        if end >= len(self.text):
            return -1
        line_ends = len(quote) < 3 and self.next("\n", at) < end
        return -1 if line_ends and not self._is_continued(at, end) else end

    def _is_continued(self, at: int, end: int) -> bool:
        """Whether a quoted text over several lines is one value: each line one word, or a
        backslash at its end."""
        lines = self.text[at : min(end, at + _AHEAD)].split("\n")
        return end - at < _AHEAD and all(
            line.rstrip("\r").endswith("\\") or len(line.split()) == 1 for line in lines
        )

    def _block(self, name: Name, at: int) -> Span | None:
        indent = at - 1 - self.text.rfind("\n", 0, at)
        lines = indented(min(indent, 80)).match(self.text, at)
        return lines and self.judged(name, at, lines.end(), strict=True)

    def _here(self, name: Name, here: re.Match[str]) -> Span | None:
        """The text of a here-document, up to the line with its word."""
        end = _closing_word(here[1]).search(self.text, here.end(), here.end() + _AHEAD)
        return end and self.judged(name, here.end(), end.start(), strict=True)

    def _bare(self, name: Name, at: int) -> Span | None:
        scheme = _SCHEME.match(self.text, at)
        at = scheme.end() if scheme is not None else at
        if name.force >= Strength.PASSWORD:
            return self._bare_password(name, at)
        end = _end(_BARE, self.text, at)
        whole = self._whole_word(name, at, end)
        if whole is not None:
            return whole
        if self.text.startswith(("(", "[", "{"), end) or self.text.endswith("...", at, end):
            return None  # a call, an index; a shortened value
        span = self.judged(name, at, self._trimmed(at, end, ".:!?"), strict=not name.is_env)
        return span and (at, self._continued(_BARE, self._to_the_end(_BARE, span[1], end)))

    def _bare_password(self, name: Name, at: int) -> Span | None:
        """Without quotes a password ends at a blank; in the query of an address at "&"."""
        form = _ENV_PASSWORD if name.is_env else _BARE_PASSWORD
        if self.text.startswith(">", at - 1):
            form = _XML
        if _QUERY.search(self.text, max(0, at - 80), at):
            form = _BARE
        end = _end(form, self.text, at)
        phrase = self._phrase(name, at, end)
        if phrase is not None:
            return phrase
        last = end if name.is_env else self._trimmed(at, end, ".,)]}>")
        span = self.judged(name, at, last, strict=not name.is_env)
        return span and (at, self._continued(form, self._to_the_end(form, span[1], end)))

    def _phrase(self, name: Name, at: int, end: int) -> Span | None:
        """The words up to the end of the line, if they are a passphrase."""
        tie = self.text[max(0, at - 8) : at].rstrip()
        if not self.text.startswith(" ", end) or not tie.endswith((":", "=")):
            return None
        rest = _REST_OF_LINE.match(self.text, at)
        return rest and self.judged(name, at, at + len(rest[0].rstrip()), strict=True)

    def _continued(self, form: re.Pattern[str], end: int) -> int:
        """The end of a bare value that goes on in the next lines."""
        for _ in range(_MORE):
            joint = _AFTER_BACKSLASH.match(self.text, end)
            word = _NEXT_WORD.match(self.text, end) if joint is None else None
            if joint is not None and _end(form, self.text, joint.end()) > joint.end():
                end = _end(form, self.text, joint.end())
            elif word is not None and _goes_on(word[1]):
                end = word.end(1)
            else:
                break
        return end

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


@cache
def indented(indent: int) -> re.Pattern[str]:
    """The rest of a line and all lines below it that are indented as far, or blank."""
    return re.compile(
        rf"[^\n]*(?:\r?\n(?:[ \t]{{{indent},80}}[^\s][^\n]*|[ \t]{{0,80}}(?=\r?\n))){{0,{_MORE}}}"
    )


@cache
def _closing_word(word: str) -> re.Pattern[str]:
    return re.compile(rf"\s*\n[ \t]*{word}\b")


def _on_one_line(value: str) -> str:
    """The value without its line ends, if every line is one word."""
    lines = [line.removesuffix("\\").strip() for line in value.replace("\r", "").split("\n")]
    return value if any(" " in line for line in lines) else "".join(lines)


def _goes_on(word: str) -> bool:
    """Whether a word alone in its line is drawn by a machine."""
    is_mixed = any(map(str.isdigit, word)) and any(map(str.isalpha, word))
    return is_mixed and randomness(word) > 0.4 and looks_issued(word)


def _is_secret(name: Name, value: str, *, strict: bool) -> bool:
    if value.lower() == name.text.lower():
        return False
    if name.is_bundler:
        return _USER_PASSWORD.match(value) is not None and not is_filler(value)
    if name.is_loose:
        if name.force >= Strength.PASSWORD:
            return _is_chosen(value)
        return looks_drawn(value) or (len(value) >= 24 and fits(value, name.force))
    if name.force < Strength.PASSWORD or not strict:
        # In a .env file a word is a password too: there it is neither code nor prose.
        return fits(value, name.force) or (name.is_env and _is_word(name, value))
    if _is_chosen(value) or looks_issued(value):
        return True
    return " " in value and fits(value, name.force, strict=True)


def _is_word(name: Name, value: str) -> bool:
    is_word = name.force >= Strength.PASSWORD and value.isalpha() and len(value) >= 6
    return is_word and not is_filler(value) and not _OWN_WORDS.search(value)


def _is_chosen(value: str) -> bool:
    return looks_chosen(value, strict=True) and not _says_what_it_is(value)


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
