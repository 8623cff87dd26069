"""Values of Kubernetes manifests of kind Secret, however they are nested and written."""

from __future__ import annotations

import re
from collections.abc import Iterator

from .entropy import is_filler
from .rules import Finding, Span
from .token_detector import places

# --- All values under `data` and `stringData` of a Secret are secret, whatever their names.
#
# A block belongs to the Secret if it stands in the same mapping as its kind: in YAML at the same
# column without a line further left between the two, in JSON and code between the same braces.
# Each manifest is searched from the one before it to the one behind it, so that nothing is read
# over and over.

_KIND = re.compile(r"""kind ?["']?\s{0,3}[:=]\s{0,3}["']?(\w{1,60})""")
_RESOURCE = re.compile(r"""resource "kubernetes_secret(?:_v1)?" "[^"\n]{1,80}" \{""")
_DATA = re.compile(
    r"""(?m:^|(?<=[{,;]))(?P<lead>[ \t]*(?:-[ \t]+)?)["']?(?:stringData|data) ?["']?[ \t]*[:=][ \t]*"""
    r"""(?:(?P<brace>\s{0,80}\{)|(?=[#\r\n]|\Z))"""
)
# An entry between braces; as `value` comes a quoted text, or a word.
_PAIR = re.compile(
    r"""[\s,;]{0,200}(?:["']?[\w./-]{1,120} ?["']?)[ \t]*[:=]\s{0,80}"""
    r"""(?:"(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^'\\]|\\.)*)'|(?P<bare>[^\s,;{}"']+))"""
)
# An entry on a line of its own: quoted, a block of lines, or the rest of the line.
_LINE = re.compile(r"""[ \t]*(?:-[ \t]+)?["']?[\w./-]{1,120}["']?[ \t]*:(?:[ \t]+|(?=\r?\n))""")
_VALUE = re.compile(
    r""""(?P<double>(?:[^"\\]|\\.)*)"|'(?P<single>(?:[^']|'')*)'|(?P<bare>[^\s"'|>&!#{][^\n]*)"""
)
_COMMENT = re.compile(r"[ \t]+#[^\n]*\Z")
_IGNORED = re.compile(r"[ \t]*(?:#|\{\{|\r?\Z)")  # comments, lines of templates, blank lines
_REACH = 20_000  # characters before a kind in which its data may stand


def kubernetes(text: str, lower: bytes) -> Iterator[Finding]:
    """Values of the data of every Secret in the text."""
    kinds = [match for at in places(lower, "kind") if (match := _KIND.match(text, at))]
    if any(match[1] == "Secret" for match in kinds):
        yield from _manifests(text, kinds)
    elif b'\\"secret\\"' in lower or b"\\nkind: secret" in lower:
        # A manifest inside a string: the same characters without their escapes, in the same places.
        flat = text.replace("\\n", " \n").replace('\\"', ' "')
        kinds = [match for at in places(lower, "kind") if (match := _KIND.match(flat, at))]
        yield from _manifests(flat, kinds)
    for at in places(lower, 'resource "kubernetes_secret'):
        head = _RESOURCE.match(text, at)
        if head is not None:
            end = text.find("\n}", at, at + _REACH)
            for block in _DATA.finditer(text, head.end(), end if end > 0 else at + _REACH):
                yield from _pairs(text, block.end())


def _manifests(text: str, kinds: list[re.Match[str]]) -> Iterator[Finding]:
    for number, kind in enumerate(kinds):
        if kind[1] != "Secret":
            continue
        at = kind.start()
        begin = max(kinds[number - 1].end() if number else 0, at - _REACH)
        begin = max(begin, text.rfind("\n---", begin, at))
        stop = kinds[number + 1].start() if number + 1 < len(kinds) else len(text)
        end = text.find("\n---", at, stop)
        for block in _DATA.finditer(text, begin, end if end >= 0 else stop):
            if _is_beside(text, kind, block):
                brace = block["brace"]
                yield from _pairs(text, block.end()) if brace else _lines(text, block)


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
        end = _line_end(text, at)
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
        line_end = _line_end(text, at)
        line = text[at:line_end]
        if line.strip() and _indent(line) <= inner:
            break
        end = line_end
        at = _next_line(text, line_end)
    if not 0 <= start < end:
        return None, end
    block = text[start:end]
    first = start + len(block) - len(block.lstrip())
    return (first, start + len(block.rstrip())), end


def _next_line(text: str, at: int) -> int:
    """Where the next line begins; -1 behind the last one."""
    return text.find("\n", at) + 1 or -1


def _line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _finding(text: str, span: Span) -> Iterator[Finding]:
    value = text[slice(*span)].rstrip()
    if len(value) >= 2 and not is_filler(value):
        yield Finding("kubernetes_secret", span[0], span[0] + len(value))
