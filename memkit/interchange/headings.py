"""Markdown, reStructuredText and plain text cut into sections by their headings.

Pure functions of the text. A '#' inside a code fence, a comment or front matter is no heading, and
a fence is never cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

import attrs

from ..safety import redact
from ..words.forms import nfc

# Letters in one section's memory, some 500 tokens; a longer one is split at paragraph ends.
MAX_SECTION = 2_000
# A single paragraph or fence beyond this is cut at a line end after all.
MAX_BLOCK = 200_000
# A paragraph this long above a line of dashes is a paragraph and a rule, not a heading.
_MAX_HEADING = 200

_NEWLINE = re.compile(r"\r\n|\r|\n")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r"\s*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+][ \t]|[>|<]|\d+[.)][ \t])|(?: {4}|\t)")
_RST_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
_LINK = re.compile(r"!?\[([^\]]*)\]\([^)]*\)")


class Markup(StrEnum):
    """How a text says what its headings are."""

    MARKDOWN = "markdown"
    RST = "rst"
    PLAIN = "plain"


@attrs.frozen
class Section:
    """What stands under one heading: the path of headings to it, a stable name, and the blocks.

    A block is a paragraph, a list or a fence; `slug` is unique in its document.
    """

    headings: tuple[str, ...]
    slug: str
    blocks: tuple[str, ...]


# A heading: its level and title; any other line: level 0.
_Line = tuple[int, str]


def sections(text: str, markup: Markup) -> list[Section]:
    """Return the sections of a text in order; those with nothing under their heading are left
    out."""
    lines = _NEWLINE.split(text.removeprefix("\ufeff"))
    read: dict[Markup, Callable[[Sequence[str]], Iterable[_Line]]] = {
        Markup.MARKDOWN: lambda found: _markdown(_without_comments(_body(found))),
        Markup.RST: _rst,
        Markup.PLAIN: lambda found: ((0, line) for line in found),
    }
    return list(_sections(read[markup](lines)))


def front_matter(text: str) -> str:
    """Return the lines of YAML or TOML front matter; "" if there is none."""
    lines = _NEWLINE.split(text.removeprefix("\ufeff"))
    return "\n".join(lines[1 : max(_front_ends(lines) - 1, 1)])


def pieces(blocks: Sequence[str], limit: int = MAX_SECTION) -> list[str]:
    """Return the blocks joined to texts of about `limit` letters at most, cut at block ends."""
    found: list[str] = []
    current = ""
    for block in (part for whole in blocks for part in _short(whole)):
        if current and len(current) + len(block) > limit:
            found.append(current)
            current = block
        else:
            current = f"{current}\n\n{block}" if current else block
    return [*found, current] if current else found


def slug(title: str) -> str:
    """Return a title as it stands in a link to it: lower case, dashes, letters of any script."""
    # Without its secrets: in lower case nothing knows them any more.
    safe = redact(title).text
    bare = nfc(_LINK.sub(r"\1", safe)).casefold()
    kept = "".join(c if c.isalnum() or c in "_-" else " " for c in bare if c not in "'’")
    return "-".join(kept.split()) or "section"


def unique(name: str, taken: set[str]) -> str:
    """Return the name, or the name with the first free of -2, -3, …; it is then taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    taken.add(free)
    return free


def blocks(lines: Sequence[str]) -> Iterator[str]:
    """Yield what blank lines part, fences whole."""
    current: list[str] = []
    for line, fenced in zip(lines, _fenced(lines), strict=True):
        if line.strip() or fenced:
            current.append(line.rstrip() if not fenced else line)
        elif current:
            yield "\n".join(current)
            current = []
    if current:
        yield "\n".join(current).rstrip()


# -- inside


def _sections(lines: Iterable[_Line]) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    taken: set[str] = set()
    name, body = "top", list[str]()
    for level, line in lines:
        if not level:
            body.append(line)
            continue
        yield from _section(path, name, body)
        path = [(above, title) for above, title in path if above < level] + [(level, line)]
        name, body = unique(slug(line), taken), []
    yield from _section(path, name, body)


def _section(path: Sequence[_Line], name: str, body: Sequence[str]) -> Iterator[Section]:
    if found := tuple(blocks(body)):
        yield Section(tuple(title for _, title in path if title), name, found)


def _body(lines: Sequence[str]) -> Sequence[str]:
    """Return the lines after YAML or TOML front matter."""
    return lines[_front_ends(lines) :]


def _front_ends(lines: Sequence[str]) -> int:
    """Return how many lines front matter takes with its marks; 0 if there is none."""
    closing = {"---": ("---", "..."), "+++": ("+++",)}.get(lines[0].rstrip()) if lines else None
    if closing:
        for number, line in enumerate(lines[1:], 1):
            if line.rstrip() in closing:
                return number + 1
    return 0


def _fenced(lines: Sequence[str]) -> Iterator[bool]:
    """Tell for each line whether it belongs to a code fence; an unclosed one reaches the end."""
    fence = ""
    for line in lines:
        match = _FENCE.fullmatch(line)
        if fence:
            yield True
            if match and match[1].startswith(fence) and not match[2].strip():
                fence = ""
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            yield True
        else:
            yield False


def _without_comments(lines: Sequence[str]) -> list[str]:
    """Return the lines without HTML comments, except inside fences."""
    kept: list[str] = []
    inside = False
    for line, fenced in zip(lines, list(_fenced(lines)), strict=True):
        rest, shown = line, ""
        while rest and not (fenced and not inside):
            before, mark, after = rest.partition("-->" if inside else "<!--")
            shown += "" if inside else before
            if not mark:
                break
            inside, rest = not inside, after
        kept.append(line if fenced and not inside and not shown else shown)
    return kept if not inside else list(lines)


def _markdown(lines: Sequence[str]) -> Iterator[_Line]:
    paragraph: list[str] = []  # lines that a line of dashes below would turn into a heading
    is_fresh = True  # whether the next line can begin a paragraph
    for line, fenced in zip(lines, list(_fenced(lines)), strict=True):
        heading = None if fenced else _markdown_heading(line, paragraph)
        interrupts = _NO_PARAGRAPH.match(line) and not (paragraph and line[:1].isspace())
        if not heading and (paragraph or is_fresh) and not (fenced or interrupts or _is_gap(line)):
            paragraph.append(line)
            is_fresh = False
            continue
        if not heading or _ATX.fullmatch(line):
            yield from ((0, held) for held in paragraph)
        paragraph = []
        is_fresh = bool(heading) or (not fenced and _is_gap(line))
        yield heading or (0, line if fenced or not _is_gap(line) else "")
    yield from ((0, held) for held in paragraph)


def _markdown_heading(line: str, paragraph: Sequence[str]) -> _Line | None:
    if atx := _ATX.fullmatch(line):
        return len(atx[1]), (atx[2] or "").strip()
    title = " ".join(part.strip() for part in paragraph)
    setext = _SETEXT.fullmatch(line) if title and len(title) <= _MAX_HEADING else None
    return (1 if setext[1][0] == "=" else 2, title) if setext else None


def _is_gap(line: str) -> bool:
    return not line.strip() or bool(_RULE.fullmatch(line))


def _rst(lines: Sequence[str]) -> Iterator[_Line]:
    styles: list[str] = []  # in the order in which they appear, outermost first
    number = 0
    while number < len(lines):
        found = _rst_heading(lines, number)
        if found is None:
            yield 0, lines[number]
            number += 1
            continue
        style, title, used = found
        if style not in styles:
            styles.append(style)
        yield styles.index(style) + 1, title
        number += used


def _rst_heading(lines: Sequence[str], at: int) -> tuple[str, str, int] | None:
    """Return style, title and number of lines of the heading that begins at a line, if one
    does."""
    first, second, third = (*lines[at : at + 3], "", "")[:3]
    if at and lines[at - 1].strip():
        return None
    if _RST_LINE.fullmatch(first) and second.strip() and third.rstrip() == first.rstrip():
        return first[0] * 2, second.strip(), 3
    under = _RST_LINE.fullmatch(second)
    if under and first.strip() and not first[0].isspace() and not _RST_LINE.fullmatch(first):
        enough = len(second.rstrip()) >= len(first.rstrip())
        return (second[0], first.strip(), 2) if enough else None
    return None


def _short(block: str) -> Iterator[str]:
    while len(block) > MAX_BLOCK:
        end = block.rfind("\n", 1, MAX_BLOCK)
        end = MAX_BLOCK if end < 1 else end
        yield block[:end]
        block = block[end:].lstrip("\n")
    if block:
        yield block
