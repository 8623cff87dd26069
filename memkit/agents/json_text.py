"""JSON text with comments, edited in place: what is not meant stays as it is, to the byte.

A text is read into nodes that know where they stand; every edit cuts or fills in a few characters
and leaves the rest: order, comments, trailing commas, indentation, line endings, a byte order mark.
What `put` fills in, `drop` takes out again without a trace, save for the blanks of a container that
was empty: `restore_blanks` has them from the former text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from functools import lru_cache
from typing import Any

import attrs

from ..text.patterns import lazy_pattern

# A key of an object, the number of an item, or None: behind the last item.
KeyPath = tuple[str | int | None, ...]

_BLANK = " \t\r\n\ufeff"
_BEFORE_MEANING = frozenset(_BLANK + "/")
_TRIVIA = lazy_pattern(r"(?:[ \t\r\n\ufeff]+|//[^\r\n]*|/\*.*?\*/)*", re.S)
_LINE_COMMENT = lazy_pattern(r"/\*.*?\*/|(//[^\r\n]*)", re.S)
_STRING = r'"(?:[^"\\\r\n]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"'
_SCALAR = lazy_pattern(
    rf"{_STRING}|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-])"
)
_BREAK = lazy_pattern(r"\r\n|\n|\r")
_LEAD = lazy_pattern(r"[ \t]*")
# Comments behind a value, up to the end of its line.
_REMARKS = lazy_pattern(r"(?:[ \t]*/\*[^\r\n]*?\*/)*(?:[ \t]*//[^\r\n]*)?")
_USUAL_INDENT = "  "


class Unreadable(ValueError):
    """Error of a text that cannot be read.

    Attributes:
        at: where, in characters. expected: what should stand there.
    """

    def __init__(self, at: int, expected: str) -> None:
        super().__init__(f"expected {expected}")
        self.at = at
        self.expected = expected


class Kind(StrEnum):
    """Kind of a value, as a message calls it."""

    OBJECT = "an object"
    ARRAY = "a list"
    SCALAR = "a single value"


@attrs.frozen
class Node:
    """A value, and from where to where it stands."""

    kind: Kind
    start: int
    end: int
    entries: tuple[Entry, ...] = ()


@attrs.frozen
class Entry:
    """A member of an object, or an item of a list.

    Attributes:
        key: of a member. start: where it begins. comma: where the one behind it stands, or -1.
    """

    key: str | None
    start: int
    value: Node
    comma: int


@attrs.frozen
class Document:
    """A text that was read.

    Attributes:
        remarks: where comments end that reach to the end of their line.
    """

    text: str
    root: Node
    remarks: frozenset[int]

    def node(self, path: KeyPath) -> Node | None:
        """Return the value at a path, or None; of members of the same name the last."""
        node = self.root
        for step in path:
            entries = node.entries
            if isinstance(step, int):
                if node.kind is not Kind.ARRAY or step >= len(entries):
                    return None
                node = entries[step].value
            else:
                members = [entry.value for entry in entries if entry.key == step]
                if step is None or not members:
                    return None
                node = members[-1]
        return node

    def value(self, path: KeyPath = ()) -> Any:
        """Return what stands at a path, None if nothing does."""
        node = self.node(path)
        return None if node is None else self._plain(node)

    def inside(self, node: Node) -> str:
        """Return the text between the brackets of a container."""
        return self.text[node.start + 1 : node.end - 1]

    def is_blank(self, node: Node) -> bool:
        """Whether a container holds nothing, not even a comment."""
        return not node.entries and not self.inside(node).strip(_BLANK)

    def _plain(self, node: Node) -> Any:
        if node.kind is Kind.OBJECT:
            return {entry.key: self._plain(entry.value) for entry in node.entries}
        if node.kind is Kind.ARRAY:
            return [self._plain(entry.value) for entry in node.entries]
        return json.loads(self.text[node.start : node.end], strict=False)


def is_blank(text: str) -> bool:
    """Whether a text holds nothing at all."""
    return not text.strip(_BLANK)


@lru_cache(maxsize=4)
def parse(text: str) -> Document:
    """Return the text as nodes; raises Unreadable. An edit that changes nothing reads it again."""
    reader = _Reader(text)
    try:
        root = reader.value(reader.skip(0))
    except RecursionError:
        raise Unreadable(0, "values that are nested less deeply") from None
    end = reader.skip(root.end)
    if end < len(text):
        raise Unreadable(end, "the end of the file")
    return Document(text, root, frozenset(reader.remarks))


class _Reader:
    """Reader of one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.remarks: set[int] = set()

    def skip(self, at: int) -> int:
        """Return where what means something goes on."""
        if self.text[at : at + 1] not in _BEFORE_MEANING:
            return at
        end = _TRIVIA.match(self.text, at).end()  # type: ignore[union-attr]
        if "/" in self.text[at:end]:
            comments = _LINE_COMMENT.finditer(self.text, at, end)
            self.remarks.update(comment.end() for comment in comments if comment[1])
        return end

    def value(self, at: int) -> Node:
        first = self.text[at : at + 1]
        if first == "{":
            return self._container(at, Kind.OBJECT, "}")
        if first == "[":
            return self._container(at, Kind.ARRAY, "]")
        return Node(Kind.SCALAR, at, self._scalar(at, "a value"))

    def _scalar(self, at: int, expected: str) -> int:
        match = _SCALAR.match(self.text, at)
        if match is None:
            raise Unreadable(at, expected)
        return match.end()

    def _container(self, start: int, kind: Kind, closing: str) -> Node:
        entries: list[Entry] = []
        at = self.skip(start + 1)
        while not self.text.startswith(closing, at):
            entry = self._entry(at, kind)
            entries.append(entry)
            at = self.skip(entry.comma + 1 if entry.comma >= 0 else entry.value.end)
            if entry.comma < 0 and not self.text.startswith(closing, at):
                raise Unreadable(at, f"',' or '{closing}'")
        return Node(kind, start, at + 1, tuple(entries))

    def _entry(self, start: int, kind: Kind) -> Entry:
        key = None
        at = start
        if kind is Kind.OBJECT:
            if not self.text.startswith('"', start):
                raise Unreadable(start, "a name in double quotes or '}'")
            end = self._scalar(start, "a name in double quotes")
            key = self.text[start + 1 : end - 1]
            key = json.loads(f'"{key}"', strict=False) if "\\" in key else key
            at = self.skip(end)
            if not self.text.startswith(":", at):
                raise Unreadable(at, "':'")
            at = self.skip(at + 1)
        value = self.value(at)
        behind = self.skip(value.end)
        return Entry(key, start, value, behind if self.text.startswith(",", behind) else -1)


# --- Edits; each returns the new text.


def put(text: str, path: KeyPath, value: object) -> str:
    """Return the text with a value at a path that holds none; containers on the way are made.

    Raises Unreadable where something else than a container stands in the way.
    """
    document = parse(text)
    for depth, step in enumerate(path):
        node = document.node(path[:depth])
        wanted_kind = Kind.OBJECT if isinstance(step, str) else Kind.ARRAY
        if node is None or node.kind is not wanted_kind:
            at = 0 if node is None else node.start
            raise Unreadable(at, f"{wanted_kind} as {_written(path[:depth])}")
        if document.node(path[: depth + 1]) is None:
            for inner in reversed(path[depth + 1 :]):
                value = {inner: value} if isinstance(inner, str) else [value]
            return _insert(document, node, step if isinstance(step, str) else None, value)
    raise Unreadable(0, f"nothing as {_written(path)}")


def replace(text: str, path: KeyPath, value: object) -> str:
    """Return the text with another value at a path; the text itself if it is there already."""
    document = parse(text)
    node = document.node(path)
    if node is None:
        return put(text, path, value)
    if document.value(path) == value:
        return text
    before = text[node.start : node.end]
    style = _Style(document)
    prefix = style.lead(node.start)
    shown = style.inline(value) if not _BREAK.search(before) else style.lines(value, prefix)
    return text[: node.start] + shown + text[node.end :]


def drop(text: str, path: KeyPath) -> str:
    """Return the text without the entry at a path, and without its comma; the text itself if there
    is none."""
    document = parse(text)
    container = document.node(path[:-1])
    node = document.node(path)
    if container is None or node is None:
        return text
    index = next(n for n, entry in enumerate(container.entries) if entry.value is node)
    entry = container.entries[index]
    end = entry.comma + 1 if entry.comma >= 0 else node.end
    start = _before(document, entry.start, end)
    if start == entry.start and entry.comma >= 0:  # first on its line: the next comes up to it
        end = _LEAD.match(text, end).end()  # type: ignore[union-attr]
    if entry.comma >= 0 or index == 0:
        return text[:start] + text[end:]
    comma = container.entries[index - 1].comma
    return text[:comma] + text[comma + 1 : start] + text[end:]


def restore_blanks(text: str, former: str, paths: Sequence[KeyPath]) -> str:
    """Return the text with the blanks that containers had in a former text, where they are empty
    there and here, but for the same comments."""
    old = parse(former)
    for path in paths:
        new = parse(text)
        before, now = old.node(path), new.node(path)
        if before is None or now is None or before.entries or now.entries:
            continue
        if before.kind is now.kind is not Kind.SCALAR:
            inside = old.inside(before)
            if inside.split() == new.inside(now).split():
                text = text[: now.start + 1] + inside + text[now.end - 1 :]
    return text


# -- helpers


def _before(document: Document, start: int, end: int) -> int:
    """Return from where an entry is cut out: with its line break, unless what follows on its line
    would become a part of a comment; else with the blanks before it."""
    text = document.text
    lead = start - len(text[:start]) + len(text[:start].rstrip(" \t"))
    line_break = 2 if text.startswith("\r\n", max(lead - 2, 0)) else 1
    if lead and text[lead - 1] in "\r\n":
        rest = _LEAD.match(text, end).end()  # type: ignore[union-attr]
        is_last = rest >= len(text) or text[rest] in "\r\n"
        before = lead - line_break
        return before if is_last or before not in document.remarks else start
    return start if text[lead - 1 : lead] in "{[" else lead


def _insert(document: Document, container: Node, key: str | None, value: object) -> str:
    text, style = document.text, _Style(document)
    name = "" if key is None else f"{json.dumps(key, ensure_ascii=False)}: "
    if not container.entries:
        return _fill(document, container, name, value)
    last = container.entries[-1]
    behind = last.comma + 1 if last.comma >= 0 else last.value.end
    if _BREAK.search(text, container.start, container.end) is None:
        addition = f" {name}{style.inline(value)}"
        at = behind
    else:
        indent = style.indent_inside(container)
        addition = f"{style.line_break}{indent}{name}{style.lines(value, indent)}"
        at = _REMARKS.match(text, behind).end()  # type: ignore[union-attr]
    if last.comma >= 0:
        return f"{text[:at]}{addition},{text[at:]}"
    return f"{text[:behind]},{text[behind:at]}{addition}{text[at:]}"


def _fill(document: Document, container: Node, name: str, value: object) -> str:
    """Return the text with the first entry of an empty container."""
    text, style = document.text, _Style(document)
    inside = document.inside(container)
    if document.root.entries and not _BREAK.search(text.strip(_BLANK)):  # all on one line
        at = container.start + 1 + len(inside.rstrip(_BLANK))
        return f"{text[:at]}{name}{style.inline(value)}{text[at:]}"
    base = style.lead(container.start)
    indent = base + style.unit
    addition = f"{style.line_break}{indent}{name}{style.lines(value, indent)}"
    at = container.start + 1 + len(inside.rstrip(_BLANK))
    if _BREAK.search(inside):
        return text[:at] + addition + text[at:]
    return f"{text[:at]}{addition}{style.line_break}{base}{text[container.end - 1 :]}"


class _Style:
    """Layout of a text, by which what is filled in is laid out as well."""

    def __init__(self, document: Document) -> None:
        self._document = document
        first = _BREAK.search(document.text)
        self.line_break = first[0] if first else "\n"
        self.unit = self._unit()

    def _unit(self) -> str:
        text, root = self._document.text, self._document.root
        for entry in root.entries:
            lead = self.lead(entry.start)
            if lead and text[: entry.start].endswith(("\n" + lead, "\r" + lead)):
                return lead
        return _USUAL_INDENT

    def lead(self, at: int) -> str:
        """Return the blanks at the beginning of a line."""
        text = self._document.text
        begin = max(text.rfind("\n", 0, at), text.rfind("\r", 0, at)) + 1
        return _LEAD.match(text, begin)[0]  # type: ignore[index]

    def indent_inside(self, container: Node) -> str:
        """Return the indentation of the entries of a container."""
        text = self._document.text
        for entry in reversed(container.entries):
            lead = self.lead(entry.start)
            if text[: entry.start].endswith(("\n" + lead, "\r" + lead)):
                return lead
        return self.lead(container.end - 1) + self.unit

    def inline(self, value: object) -> str:
        """Return a value on one line."""
        return json.dumps(value, ensure_ascii=False)

    def lines(self, value: object, prefix: str) -> str:
        """Return a value on lines of its own, all but the first behind a prefix."""
        shown = json.dumps(value, ensure_ascii=False, indent=self.unit)
        return shown.replace("\n", self.line_break + prefix)


def _written(path: KeyPath) -> str:
    return ".".join("+" if step is None else str(step) for step in path) or "the whole"


def update(text: str, path: KeyPath, fields: Mapping[str, object]) -> str:
    """Return the text with these members of an object, which keeps its others."""
    present = parse(text).value(path)
    for name, value in fields.items():
        if not isinstance(present, dict) or present.get(name) != value:
            text = replace(text, (*path, name), value)
    return text
