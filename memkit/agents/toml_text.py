"""TOML text with one table of ours, edited in place: the rest stays as it is, to the byte.

Only as much of TOML is read as tells where a table begins and ends; that the outcome is TOML and
says of all else what it said before, the parser of the standard library has the last word on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

import attrs

from ..text.patterns import lazy_pattern
from .json_text import Unreadable

_BREAK = lazy_pattern(r"\r\n|\n")
# A string (of several lines, or of one), a comment, a bracket.
_TOKEN = lazy_pattern(
    r'"""(?:\\.|[^\\])*?"{3,5}|\'\'\'.*?\'{3,5}|"(?:\\.|[^"\\\r\n])*"|\'[^\'\r\n]*\''
    r"|#[^\r\n]*|[\[\]{}]|\r?\n",
    re.S,
)
_LINE = lazy_pattern(r"line (\d+)")


@attrs.frozen
class _Statement:
    """A header, or a key with its value, on one line or several.

    Attributes:
        end: behind the last character, before a comment and the line break.
    """

    start: int
    end: int
    header: tuple[str, ...] | None
    key: str


def parse(text: str) -> dict[str, object]:
    """Return what a text says; raises Unreadable."""
    import tomllib

    try:
        return tomllib.loads(text.removeprefix("\ufeff").replace("\r\n", "\n"))
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        breaks = [match.end() for match in _BREAK.finditer(text)]
        at = ([0, *breaks])[int(line[1]) - 1] if line else len(text)
        raise Unreadable(at, f"TOML ({error})") from None


def value(text: str, table: tuple[str, ...]) -> object:
    """Return what a table holds, None if there is none; raises Unreadable."""
    node: object = parse(text)
    for name in table:
        node = node.get(name) if isinstance(node, dict) else None
    return node


def put(text: str, table: tuple[str, ...], fields: Mapping[str, object]) -> str:
    """Return the text with a table that holds these fields; one that is there keeps its others.

    Raises Unreadable, also where the table is written in another way than under a header."""
    before = parse(text)
    statements = list(_statements(text))
    header = next((n for n, each in enumerate(statements) if each.header == table), None)
    present = value(text, table)
    if header is None and present is not None:
        raise Unreadable(0, f"[{'.'.join(table)}] under a header of its own")
    if header is None:
        new = text + _block(text, table, fields)
    else:
        old = present if isinstance(present, dict) else {}
        new = text
        for name, field in reversed(list(fields.items())):
            if old.get(name) != field:
                new = _set(new, table, name, field)
    if _without(parse(new), table) != _without(before, table):
        raise Unreadable(len(text), f"room for [{'.'.join(table)}] at the end")
    return new


def drop(text: str, table: tuple[str, ...]) -> str:
    """Return the text without a table, the tables inside it, and the blank line before it."""
    if value(text, table) is None:
        return text
    statements = list(_statements(text))
    spans = list(_spans(statements, table))
    if not spans:
        raise Unreadable(0, f"[{'.'.join(table)}] under a header of its own")
    for start, end in reversed(spans):
        text = _cut(text, start, end)
    return text


# -- helpers


def _statements(text: str) -> Iterator[_Statement]:
    """Yield the statements of a text that can be parsed."""
    at = 1 if text.startswith("\ufeff") else 0
    while at < len(text):
        end, next_line = _end(text, at)
        statement = text[at:end].strip()
        if statement.startswith("["):
            yield _Statement(at, end, _names(statement), "")
        elif statement:
            key = statement.partition("=")[0]
            yield _Statement(at, end, None, key.strip().strip("\"'"))
        at = next_line


def _end(text: str, start: int) -> tuple[int, int]:
    """Return where a statement ends, and where the line behind it begins."""
    depth, stop, next_line = 0, len(text), len(text)
    for token in _TOKEN.finditer(text, start):
        mark = token[0][0]
        if mark in "#\r\n" and depth == 0:
            stop = min(stop, token.start())
            if mark != "#":
                next_line = token.end()
                break
        depth += (mark in "[{") - (mark in "]}")
    return start + len(text[start:stop].rstrip()), next_line


def _names(header: str) -> tuple[str, ...]:
    """Return the names in the header of a table."""
    names: list[str] = []
    node: object = parse(header)
    while isinstance(node, dict) and node:
        name, node = next(iter(node.items()))
        names.append(name)
    return tuple(names)


def _spans(statements: list[_Statement], table: tuple[str, ...]) -> Iterator[tuple[int, int]]:
    """Yield from where to where a table and those inside it stand."""
    start, end = -1, -1
    for statement in statements:
        if statement.header is not None:
            if start >= 0:
                yield start, end
            is_own = statement.header[: len(table)] == table
            start = statement.start if is_own else -1
        end = statement.end
    if start >= 0:
        yield start, end


def _cut(text: str, start: int, end: int) -> str:
    """Return the text without some lines and a blank line before them. A text that ended without a
    line break does so again."""
    closing = _BREAK.search(text, end)
    stop = closing.end() if closing else len(text)
    blank = re.search(r"(\r?\n)(\r?\n)\Z", text[:start])
    if blank is None:
        return text[:start] + text[stop:]
    first = blank.start(1) if closing is None else blank.start(2)
    return text[:first] + text[stop:]


def _block(text: str, table: tuple[str, ...], fields: Mapping[str, object]) -> str:
    """Return a table as it is added to a text: behind a blank line, and ending as the text does."""
    first = _BREAK.search(text)
    line_break = first[0] if first else "\n"
    lines = [f"[{'.'.join(table)}]", *(_assignment(*field) for field in fields.items())]
    block = line_break.join(lines)
    if not text.strip("\ufeff"):
        return block + line_break
    if not text.endswith("\n"):
        return line_break * 2 + block
    return line_break + block + line_break


def _set(text: str, table: tuple[str, ...], name: str, field: object) -> str:
    """Return the text with one field of a table that has a header."""
    statements = list(_statements(text))
    header = next(n for n, each in enumerate(statements) if each.header == table)
    for statement in statements[header + 1 :]:
        if statement.header is not None:
            break
        if statement.key == name:
            written = _assignment(name, field)
            return text[: statement.start] + written + text[statement.end :]
    closing = _BREAK.search(text, statements[header].end)
    if closing is None:
        return f"{text}\n{_assignment(name, field)}"
    added = _assignment(name, field) + closing[0]
    return text[: closing.end()] + added + text[closing.end() :]


def _assignment(name: str, field: object) -> str:
    # What JSON writes of texts, numbers and lists of them, TOML reads the same.
    return f"{name} = {json.dumps(field, ensure_ascii=False)}"


def _without(document: Mapping[str, object], table: tuple[str, ...]) -> dict[str, object]:
    """Return a document without a table, and without those around it that hold nothing else."""
    rest = dict(document)
    first, *inner = table
    child = rest.pop(first, None)
    if inner and isinstance(child, dict) and (left := _without(child, tuple(inner))):
        rest[first] = left
    return rest
