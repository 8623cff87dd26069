"""Values of Kubernetes manifests of kind Secret, however they are nested and written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.patterns import lazy_pattern
from .entropy import is_filler
from .literal_search import LowerText, line_end
from .rules import Finding, Span

# --- All values under `data` and `stringData` of a Secret are secret, whatever their names.
#
# A block belongs to the Secret if it stands in the same mapping as its kind: in YAML at the same
# column without a line further left between the two, in JSON and code between the same braces.
# Each manifest is searched from the one before it to the one behind it, so that nothing is read
# over and over.

_KIND = lazy_pattern(r"""kind ?["']?\s{0,3}[:=]\s{0,3}["']? ?(?=Secret)""")
_ANY_KIND = lazy_pattern(r"""kind ?["']?\s{0,3}[:=]\s{0,3}["']? ?(?=[A-Z]\w)""")
_NO_WORD = lazy_pattern(r"(?!\w)")
_RESOURCE = lazy_pattern(r"""resource "kubernetes_secret(?:_v1)?" "[^"\n]{1,80}" \{""")
_DATA = lazy_pattern(
    r"""(?m:^|(?<=[{,;]))(?P<lead>[ \t]*(?:-[ \t]+)?)["']?(?:stringData|data) ?["']?[ \t]*[:=]"""
    r"""[ \t]*(?:(?P<brace>\s{0,80}\{)|(?=[#\r\n]|\Z))"""
)
# An entry between braces; as `value` comes a quoted text, or a word.
_PAIR = lazy_pattern(
    r"""[\s,;]{0,200}(?:["']?[\w./-]{1,120} ?["']?)[ \t]*[:=]\s{0,80}"""
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>[^\s,;{}"']+))"""
)
# An entry on a line of its own: quoted, a block of lines, or the rest of the line.
_LINE = lazy_pattern(r"""[ \t]*(?:-[ \t]+)?["']?[\w./-]{1,120}["']?[ \t]*:(?:[ \t]+|(?=\r?\n))""")
_VALUE = lazy_pattern(
    r""""(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^']|'')*)'|(?P<bare>[^\s"'|>&!#{][^\n]*)"""
)
_COMMENT = lazy_pattern(r"[ \t]+#[^\n]*\Z")
_IGNORED = lazy_pattern(r"[ \t]*(?:#|\{\{|\r?\Z)")  # comments, lines of templates, blank lines
_NEAR = 4_000  # the same inside a string
_REACH = 20_000  # characters on both sides of a kind in which its data may begin


def kubernetes(text: str, lower: LowerText) -> Iterator[Finding]:
    """Values of the data of every Secret in the text."""
    yield from _secrets(text, lower)
    for at in lower.places('resource "kubernetes_secret'):
        head = _RESOURCE.match(text, at)
        if head is not None:
            end = text.find("\n}", at, at + _REACH)
            for block in _DATA.finditer(text, head.end(), end if end > 0 else at + _REACH):
                yield from _pairs(text, block.end())


def _secrets(text: str, lower: LowerText) -> Iterator[Finding]:
    done = 0
    for at in lower.places("secret"):
        near = lower[max(0, at - 12) : at]
        if at < done or b"kind" not in near:
            continue
        shown, offset = text, 0
        if b"\\" in near or text.startswith("\\n", at + 6):
            # A manifest inside a string: the same characters, in place, without their escapes.
            offset = max(0, at - _NEAR)
            shown = text[offset : at + _NEAR].replace("\\n", " \n").replace('\\"', ' "')
        kind = _KIND.search(shown, max(0, at - 12 - offset), at + 7 - offset)
        if kind is not None and _NO_WORD.match(shown, kind.end() + 6):
            begin, stop = _manifest(shown, kind, done - offset)
            for finding in _blocks(shown, kind, begin, stop):
                yield Finding(finding.kind, finding.start + offset, finding.end + offset)
            done = kind.end() + offset


def _manifest(text: str, kind: re.Match[str], done: int) -> Span:
    """From the manifest before to the manifest behind: what can belong to this one."""
    at = kind.start()
    first = max(0, at - _REACH, done)
    begin = max(first, text.rfind("\n---", first, at))
    for other in _ANY_KIND.finditer(text, begin, at):
        begin = other.end()
    other_kind = _ANY_KIND.search(text, kind.end(), at + _REACH)
    stop = other_kind.start() if other_kind is not None else min(len(text), at + _REACH)
    end = text.find("\n---", at, stop)
    return begin, end if end >= 0 else stop


def _blocks(text: str, kind: re.Match[str], begin: int, stop: int) -> Iterator[Finding]:
    for block in _DATA.finditer(text, begin, stop):
        if _is_beside(text, kind, block):
            yield from _pairs(text, block.end()) if block["brace"] else _lines(text, block)


def _is_beside(text: str, kind: re.Match[str], block: re.Match[str]) -> bool:
    """Whether kind and data are in the same mapping."""
    data = block.end("lead")
    first, second = sorted((kind.start(), data))
    between = text[first:second]
    if "\n" in between and not block["brace"]:
        column = _column(text, kind.start())
        if _column(text, data) != column:
            return False
        lines = (between + text[second : second + 1]).split("\n")[1:]
        return all(_IGNORED.match(line) or _indent(line) >= column for line in lines)
    depth = 0
    for char in between:
        depth += (char in "{[") - (char in "}]")
        if depth < 0:
            return False
    return depth == 0


def _column(text: str, at: int) -> int:
    """The column of a key; the quote before it is a part of it."""
    quote = at > 0 and text[at - 1] in "\"'"
    return at - quote - 1 - text.rfind("\n", 0, at)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" \t"))


def _pairs(text: str, at: int) -> Iterator[Finding]:
    pair = _PAIR.match(text, at)
    while pair is not None:
        yield from _finding(text, _span(pair))
        at = pair.end()
        pair = _PAIR.match(text, at)


def _span(match: re.Match[str]) -> Span:
    return match.span(match.lastgroup or 0)


def _lines(text: str, block: re.Match[str]) -> Iterator[Finding]:
    """The values of the lines that are indented further than the key of the block."""
    column = block.end("lead") - 1 - text.rfind("\n", 0, block.end("lead"))
    at = _next_line(text, block.end())
    inner = -1
    while 0 <= at < len(text):
        end = line_end(text, at)
        line = text[at:end]
        if not _IGNORED.match(line):
            inner = _indent(line) if inner < 0 else inner
            if _indent(line) <= column or _indent(line) < inner:
                return
            span, end = _entry(text, at, end, inner)
            if span is not None:
                yield from _finding(text, span)
        at = _next_line(text, end)


def _entry(text: str, at: int, end: int, inner: int) -> tuple[Span | None, int]:
    """The value of the entry at `at`, and where the entry ends."""
    key = _LINE.match(text, at, end + 1)
    if key is None:
        return None, end
    value = _VALUE.match(text, key.end())
    if value is not None and key.end() < end:
        start, stop = _span(value)
        if value.lastgroup == "bare":
            bare = _COMMENT.sub("", text[start:stop].rstrip())
            return (start, start + len(bare)), stop
        return (start, stop), max(value.end(), end)
    return _deeper(text, end, inner)


def _deeper(text: str, end: int, inner: int) -> tuple[Span | None, int]:
    """The lines below an entry that are indented further: its block."""
    at = start = _next_line(text, end)
    while 0 <= at < len(text):
        stop = line_end(text, at)
        line = text[at:stop]
        if line.strip() and _indent(line) <= inner:
            break
        end = stop
        at = _next_line(text, stop)
    if not 0 <= start < end:
        return None, end
    block = text[start:end]
    first = start + len(block) - len(block.lstrip())
    return (first, start + len(block.rstrip())), end


def _next_line(text: str, at: int) -> int:
    """Where the next line begins; -1 behind the last one."""
    return text.find("\n", at) + 1 or -1


def _finding(text: str, span: Span) -> Iterator[Finding]:
    value = text[slice(*span)].rstrip()
    if len(value) >= 2 and not is_filler(value):
        yield Finding("kubernetes_secret", span[0], span[0] + len(value))
