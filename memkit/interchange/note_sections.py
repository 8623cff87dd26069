"""Sections of notes: Markdown, reStructuredText and plain text, cut at headings and cleaned.

Pure functions of the text. A '#' inside a code fence, a comment or front matter is no heading, and
a fence is never cut. What is markup for the eye (badges, tables of contents, labels) says nothing
and is left out; a list is never parted from the line that leads to it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from enum import StrEnum

import attrs

from ..redaction import redact
from ..text.analyzer import nfc

# Letters in one section's memory, some 500 tokens; a longer one is split at the ends of paragraphs
# and of list items.
MAX_SECTION = 2_000
# A single paragraph or fence beyond this is cut at a line end after all.
MAX_BLOCK = 200_000
# A section with fewer letters of its own joins its neighbour: half a line answers nothing.
MIN_SECTION = 60
# What would be left over of a long section with fewer letters stays with the part before it.
_MIN_PIECE = 200
# A paragraph this long above a line of dashes is a paragraph and a rule, not a heading.
_MAX_HEADING = 200
# Letters of the line that is repeated before the rest of a list that was cut.
_MAX_LEAD = 300

_NEWLINE = re.compile(r"\r\n|\r|\n")
_ATX = re.compile(r" {0,3}(#{1,6})(?:[ \t]+(.*?))??(?:[ \t]+#+)?[ \t]*")
_SETEXT = re.compile(r" {0,3}(=+|-+)[ \t]*")
_FENCE = re.compile(r"\s*(?:[-*+][ \t]+|\d+[.)][ \t]+)?(`{3,}|~{3,})(.*)")
_RULE = re.compile(r" {0,3}([-*_])(?:[ \t]*\1){2,}[ \t]*")
_NO_PARAGRAPH = re.compile(r"\s*(?:[-*+][ \t]|[>|<]|\d+[.)][ \t])|(?: {4}|\t)")
_RST_LINE = re.compile(r"([!-/:-@\[-`{-~])\1{2,}[ \t]*")
ITEM = re.compile(r"(\s*)(?:[-*+•]|\d{1,3}[.)])[ \t]+(?=\S)")

_IMAGE = re.compile(r"!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])")
_LINK = re.compile(r"!?\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])")
# A link around nothing, as a badge leaves it.
_EMPTY_LINK = re.compile(r"\[\s*\](?:\([^)]*\)|\[[^\]]*\])")
# Where a link leads, of Markdown and of an anonymous one of reStructuredText.
_LINK_TARGET = re.compile(r"\s{0,3}\[(?!\^)[^\]]+\]:\s*\S.*|__ \S+\s*")
_CONTENTS_LINE = re.compile(
    r"\s*(?:[-*+]|\d+[.)])\s+(?:\[[^\]]*\]\(#[^)]*\)|:(?:ref|doc):`[^`]*`)\s*"
)
_CONTENTS_MARK = re.compile(r"\s*\[(?:\[_?toc_?\]|toc)\]\s*", re.I)
# Where mkdocstrings puts what docstrings say.
_DOCSTRINGS = re.compile(r"::: [\w.]+\s*")
_CODE = re.compile(r"(`+[^`]*`+)")
_STARS = re.compile(r"(\*{1,3})(?=\S)(.+?)(?<=\S)\1")
_EMOJI_CODE = re.compile(r"(?<![\w:]):[a-z][a-z0-9_+-]*:(?![\w:])")
_PICTOGRAPHS = re.compile(
    "[\u2190-\u21ff\u2600-\u27bf\u2b00-\u2bff\ufe0f\u200d\U0001f000-\U0001faff]"
)
_HEADING_ID = re.compile(r"\s*\{:?\s*[#.][^}]*\}\s*$")
# Tags of HTML that say how something looks; anything else in angle brackets is a placeholder.
_TAG = re.compile(
    r"</?(?:a|abbr|b|br|center|code|details|div|em|figcaption|figure|font|h[1-6]|hr|i|iframe|img|ins"
    r"|kbd|li|ol|p|picture|small|source|span|strong|sub|summary|sup|table|tbody|td|th|thead|tr|u|ul"
    r"|video)(?:\s[^<>]*)?/?>",
    re.I,
)
_HTML_HEADING = re.compile(r"\s*<h([1-6])\b[^>]*>(.*?)</h\1>\s*(.*)", re.I | re.S)
_HTML_HEADING_OPENS = re.compile(r"\s*<h[1-6]\b[^>]*>", re.I)
# Lines that a heading in HTML may take.
_HTML_HEADING_LINES = 12
_FIELD = re.compile(r"([A-Za-z][\w-]*)\s*[:=]\s*(.*)")
_FIELD_ITEM = re.compile(r"\s*-\s+(.+)")
_DIRECTIVE_FENCE = re.compile(r"[`~]{3,}\s*\{([\w:+-]+)\}")
# Explicit markup of reStructuredText: a directive, a label, a substitution; a comment has none.
_EXPLICIT = re.compile(r"(\s*)\.\.(?:\s+(.*))?$")
_DIRECTIVE = re.compile(r"(?:\|[^|]*\|\s*)?([\w:+.-]+)::")
_FOOTNOTE = re.compile(r"\[[^\]]+\]\s")
# Directives that show something and say nothing.
_SILENT_DIRECTIVES = frozenset(
    "toctree contents image figure raw meta index highlight currentmodule module include "
    "literalinclude sectionauthor rst-class default-role target-notes sectnum header footer "
    "bibliography".split()
)
_FIELD_ALONE = re.compile(r":(?:orphan|tocdepth|nocomments|hidetoc|layout|og:\w+):.*")


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
    if markup is Markup.MARKDOWN:
        lines = lines[_front_ends(lines) :]
    read: dict[Markup, Callable[[Sequence[str]], Iterable[_Line]]] = {
        Markup.MARKDOWN: lambda some: _markdown(_html_headings(_without_comments(some))),
        Markup.RST: lambda some: _rst(_without_silent_markup(some)),
        Markup.PLAIN: lambda some: ((0, line) for line in some),
    }
    return list(_sections(read[markup](lines), is_plain=markup is Markup.PLAIN))


def front_matter(text: str) -> dict[str, list[str]]:
    """Return the fields of YAML or TOML front matter by lower-case name, each a list of texts.

    Of nested fields only the lists are read: a title, a status, tags, globs are never deeper.
    """
    lines = _NEWLINE.split(text.removeprefix("\ufeff"))
    fields: dict[str, list[str]] = {}
    values: list[str] = []
    for line in lines[1 : max(_front_ends(lines) - 1, 1)]:
        if field := _FIELD.match(line):
            values = fields.setdefault(field[1].casefold(), [])
            values += _scalars(field[2])
        elif item := _FIELD_ITEM.match(line):
            values += _scalars(item[1])
        elif line[:1].isspace() and len(values) == 1 and line.strip():  # a text on several lines
            values[0] = f"{values[0]} {line.strip()}".strip()
        elif line[:1].isspace() and not values and line.strip():
            values.append(line.strip())
    return {name: some for name, some in fields.items() if some}


def join_short_sections(parsed: Sequence[Section]) -> list[Section]:
    """Return the sections with those of a few letters joined to a neighbour, under its name: the
    section before it if that is its sibling or parent, else the one that follows."""
    joined: list[Section] = []
    for section in parsed:
        before = joined[-1] if joined else None
        if before and _is_short(section) and _are_near(before, section):
            joined[-1] = _with(before, after=section)
        elif before and _is_short(before) and _are_near(before, section):
            joined[-1] = _with(section, before=before)
        else:
            joined.append(section)
    if len(joined) > 1 and _is_short(joined[-1]):
        last = joined.pop()
        joined[-1] = _with(joined[-1], after=last)
    return joined


def pieces(section: Sequence[str], limit: int = MAX_SECTION) -> list[str]:
    """Return the blocks of a section joined to texts of about `limit` letters at most, cut at the
    ends of paragraphs and list items; what is left of a list is led by the line that led to it."""
    texts: list[list[_Unit]] = [[]]
    for unit in _units(section, limit):
        current = texts[-1]
        if current and _length(current) + len(unit.text) > limit:
            texts.append(_carried(current, unit))
        texts[-1].append(unit)
    if len(texts) > 1 and _length(texts[-1]) < _MIN_PIECE:
        rest = [unit for unit in texts.pop() if not unit.is_repeated]
        texts[-1] += rest
    return [_text(units) for units in texts if units]


def clean_heading(title: str) -> str:
    """Return a heading as it is said: no links, badges, HTML, stars or pictures."""
    bare = _TAG.sub("", _LINK.sub(r"\1", _EMPTY_LINK.sub("", _IMAGE.sub("", title))))
    bare = _HEADING_ID.sub("", bare)
    parts = _CODE.split(bare)
    for number in range(0, len(parts), 2):  # what stands in backticks is meant as it is
        words = _STARS.sub(r"\2", _EMOJI_CODE.sub("", parts[number]))
        parts[number] = _PICTOGRAPHS.sub("", words).replace("**", "")
    return " ".join("".join(parts).split())


def slug(title: str) -> str:
    """Return a title as it stands in a link to it: lower case, dashes, letters of any script."""
    # Without its secrets: in lower case nothing knows them any more.
    safe = redact(title).text
    bare = nfc(_LINK.sub(r"\1", safe)).casefold()
    letters = "".join(c if c.isalnum() or c in "_-" else " " for c in bare if c not in "'’")
    return "-".join(letters.split()) or "section"


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


def _sections(lines: Iterable[_Line], *, is_plain: bool) -> Iterator[Section]:
    path: list[tuple[int, str]] = []
    taken: set[str] = set()
    name, body = "top", list[str]()
    for level, line in lines:
        if not level:
            body.append(line)
            continue
        yield from _section(path, name, body, is_plain=is_plain)
        above = [(outer, title) for outer, title in path if outer < level]
        path = [*above, (level, clean_heading(line))]
        name, body = unique(slug(line), taken), []
    yield from _section(path, name, body, is_plain=is_plain)


def _section(
    path: Sequence[_Line], name: str, body: Sequence[str], *, is_plain: bool
) -> Iterator[Section]:
    parts = blocks(body)
    if texts := tuple(parts if is_plain else filter(None, map(_clean_block, parts))):
        yield Section(tuple(title for _, title in path if title), name, texts)


def _clean_block(block: str) -> str:
    """Return a block without what is there for the eye only; "" if nothing is left."""
    if _FENCE.match(block):
        return _clean_fence(block)
    lines = block.split("\n")
    if _DOCSTRINGS.fullmatch(lines[0]):
        return ""
    if all(map(_CONTENTS_LINE.fullmatch, lines)) or _CONTENTS_MARK.fullmatch(block):
        return ""
    if any(map(_FENCE.match, lines)):
        return block
    rest = "\n".join(line for line in lines if not _LINK_TARGET.fullmatch(line))
    if rest.lstrip().startswith("<"):
        rest = _TAG.sub("", rest)
    if "![" in rest or rest != block:
        rest = _EMPTY_LINK.sub("", _IMAGE.sub("", rest))
    if rest == block:
        return block
    shown = "\n".join(line.rstrip() for line in rest.split("\n") if line.strip())
    return shown if any(letter.isalnum() for letter in _LINK.sub("", shown)) else ""


def _clean_fence(block: str) -> str:
    """Return a fence; one that holds a directive only if that says something."""
    directive = _DIRECTIVE_FENCE.match(block)
    if directive is None:
        return block
    if directive[1] == "eval-rst":
        inner = "\n".join(_without_silent_markup(block.split("\n")[1:-1])).strip()
        return block if inner else ""
    return "" if _is_silent(directive[1]) else block


def _scalars(value: str) -> list[str]:
    """Return the texts of a value of front matter: one, or those of a list in brackets."""
    bare = value.strip()
    if bare in {"", "|", ">", ">-", "|-", "|+", ">+", "null", "[]"}:
        return []
    if bare.startswith("[") and bare.endswith("]"):
        return [part.strip(" \"'") for part in bare[1:-1].split(",") if part.strip(" \"'")]
    return [bare.strip("\"'")]


def _html_headings(lines: Sequence[str]) -> list[str]:
    """Return the lines with headings in HTML as headings of Markdown."""
    changed: list[str] = []
    fenced = list(_fenced(lines))
    number = 0
    while number < len(lines):
        taken, line, behind = 1, lines[number], ""
        if not fenced[number] and _HTML_HEADING_OPENS.match(line):
            some = lines[number : number + _HTML_HEADING_LINES]
            ends = [n for n, part in enumerate(some, 1) if re.search(r"</h[1-6]>", part, re.I)]
            match = _HTML_HEADING.fullmatch("\n".join(some[: ends[0]])) if ends else None
            if match:
                taken = ends[0]
                line = f"{'#' * int(match[1])} {clean_heading(match[2])}".rstrip()
                behind = match[3].strip()
        changed += [line, behind] if behind else [line]
        number += taken
    return changed


def _without_silent_markup(lines: Sequence[str]) -> list[str]:
    """Return lines of reStructuredText without labels, comments and directives that only show."""
    shown: list[str] = []
    hidden: int | None = None  # indent of the markup whose body is being left out
    for line in lines:
        indent = len(line) - len(line.lstrip())
        if hidden is not None and (not line.strip() or indent > hidden):
            if not line.strip():
                shown.append("")
            continue
        hidden = indent if _is_silent_line(line) else None
        if hidden is None:
            shown.append(line)
    return shown


def _is_silent_line(line: str) -> bool:
    explicit = _EXPLICIT.match(line)
    if explicit is None:
        return bool(_FIELD_ALONE.fullmatch(line))
    rest = explicit[2] or ""
    directive = _DIRECTIVE.match(rest)
    if directive is None:
        return not _FOOTNOTE.match(rest)  # a label, or a comment
    return rest.startswith("|") or _is_silent(directive[1])


def _is_silent(directive: str) -> bool:
    name = directive.rpartition(":")[2]
    return name in _SILENT_DIRECTIVES or name.startswith("auto")


# -- short sections


def _is_short(section: Section) -> bool:
    return sum(map(len, section.blocks)) < MIN_SECTION


def _are_near(before: Section, after: Section) -> bool:
    """Whether the second is a sibling of the first, or lies below it, and both have room in one."""
    size = sum(map(len, (*before.blocks, *after.blocks)))
    is_sibling = bool(after.headings) and before.headings[:-1] == after.headings[:-1]
    is_below = after.headings[: len(before.headings)] == before.headings
    return (is_sibling or is_below) and size <= MAX_SECTION


def _with(
    section: Section, *, before: Section | None = None, after: Section | None = None
) -> Section:
    """Return a section with what another, under its own title, says before or after it."""
    first = () if before is None else _titled_blocks(before)
    last = () if after is None else _titled_blocks(after)
    return attrs.evolve(section, blocks=(*first, *section.blocks, *last))


def _titled_blocks(section: Section) -> tuple[str, ...]:
    title = section.headings[-1] if section.headings else ""
    first, *rest = section.blocks
    if not title:
        return section.blocks
    if "\n" in first or ITEM.match(first) or _FENCE.match(first):
        return (f"{title}:\n{first}", *rest)
    return (f"{title}: {first}", *rest)


# -- units of a section that is too long


@attrs.frozen
class _Unit:
    """Uncut part of a section: a paragraph, a fence, a list or one item of a long list.

    Attributes:
        lead: the line that gives a list, a table or a fence its sense. separator: what stands
            between it and the part before. is_repeated: it stands there for what follows.
    """

    text: str
    lead: str = ""
    separator: str = "\n\n"
    is_repeated: bool = False


def _units(section: Sequence[str], limit: int) -> Iterator[_Unit]:
    lead = list_lead = ""
    in_list = False
    for block in (part for whole in section for part in _short(whole)):
        lines = block.split("\n")
        first_item = next((n for n, line in enumerate(lines) if ITEM.match(line)), None)
        if first_item == 0 or (in_list and block[:1].isspace()):
            list_lead = list_lead if in_list else lead
            yield from _parts(block, list_lead, limit)
            in_list, lead = True, ""
            continue
        yield from _parts(block, lead, limit)
        in_list = first_item is not None and not _FENCE.match(block)
        list_lead = lead_of("\n".join(lines[:first_item])) if in_list else ""
        lead = "" if in_list else lead_of(block)


def lead_of(block: str) -> str:
    """Return the line at the end of a paragraph that leads to what follows, or ""."""
    last = block.rstrip().rpartition("\n")[2].strip()
    is_lead = last.rstrip("*_ ").endswith((":", "：")) and len(last) <= _MAX_LEAD
    return last if is_lead and not _FENCE.match(block) else ""


def _parts(block: str, lead: str, limit: int) -> Iterator[_Unit]:
    """Yield a block whole, or the items of a list and the rows of a table that is too long."""
    if len(block) <= limit or _FENCE.match(block):
        yield _Unit(block, lead)
        return
    lines = block.split("\n")
    first = next((n for n, line in enumerate(lines) if ITEM.match(line)), None)
    if all(line.lstrip().startswith("|") for line in lines):
        yield from _table_parts(lines, lead, limit)
    elif first is None:
        yield _Unit(block, lead)
    else:
        if first:
            before = "\n".join(lines[:first])
            yield _Unit(before, lead)
            lead = lead_of(before)
        yield from _items(lines[first:], lead, is_first=not first)


def _items(lines: Sequence[str], lead: str, *, is_first: bool) -> Iterator[_Unit]:
    match = ITEM.match(lines[0])
    indent = len(match[1]) if match else 0
    current: list[str] = []
    separator = "\n\n" if is_first else "\n"
    for line, fenced in zip(lines, list(_fenced(lines)), strict=True):
        begins = None if fenced else ITEM.match(line)
        if begins and len(begins[1]) <= indent and current:
            yield _Unit("\n".join(current), lead, separator)
            current, separator = [], "\n"
        current.append(line)
    yield _Unit("\n".join(current), lead, separator)


def _table_parts(lines: Sequence[str], lead: str, limit: int) -> Iterator[_Unit]:
    head, rows = "\n".join(lines[:2]), list(lines[2:])
    while rows:
        size, count = len(head), 0
        while count < len(rows) and (not count or size + len(rows[count]) < limit):
            size += len(rows[count]) + 1
            count += 1
        yield _Unit("\n".join((head, *rows[:count])), lead)
        rows = rows[count:]


def _carried(current: list[_Unit], unit: _Unit) -> list[_Unit]:
    """Return what the next piece begins with: the line that leads to its first part."""
    if not unit.lead:
        return []
    is_last = current[-1].text.rstrip().endswith(unit.lead)
    if is_last and len(current) > 1 and len(current[-1].text) <= _MAX_LEAD:
        return [current.pop()]
    return [_Unit(unit.lead, is_repeated=True)]


def _length(units: Sequence[_Unit]) -> int:
    return sum(len(unit.text) for unit in units)


def _text(units: Sequence[_Unit]) -> str:
    joined = units[0].text
    for unit in units[1:]:
        joined += unit.separator + unit.text
    return joined


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
    visible: list[str] = []
    inside = False
    for line, fenced in zip(lines, list(_fenced(lines)), strict=True):
        rest, shown = line, ""
        while rest and not (fenced and not inside):
            before, mark, after = rest.partition("-->" if inside else "<!--")
            shown += "" if inside else before
            if not mark:
                break
            inside, rest = not inside, after
        visible.append(line if fenced and not inside and not shown else shown)
    return visible if not inside else list(lines)


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
        heading = _rst_heading(lines, number)
        if heading is None:
            yield 0, lines[number]
            number += 1
            continue
        style, title, used = heading
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
