"""Notebooks: the code of Jupyter's cells, each line where the file has it.

The index reads a notebook as a module of its code cells in their order. Outputs, prose and
attachments are blank, and a line of code keeps the number of the line of JSON that holds it, so
that a place in the graph is a place in the file. Where one line of JSON holds several lines of code
they follow each other, from that line on.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from ....errors import InvalidInput

# What reading of another form of JSON, or of none, ends with.
_NO_NOTEBOOK = (ValueError, IndexError, KeyError, TypeError, AttributeError, RecursionError)
_DECODER = json.JSONDecoder()
_BLANK = re.compile(r"\s*")
# Cells whose first line says what to do with the code below it; under others stands no Python.
_KEEPS_PYTHON = re.compile(r"%%(?:time|timeit|capture|prun|python3?|skip_if)\b")
# What IPython adds to the language: magics, commands of the shell, questions for help.
_NOT_PYTHON = re.compile(r"[ \t]*(?:%{1,2}[A-Za-z]|![\w./~$]|\?{1,2}\w|[\w.]+\?{1,2}[ \t]*\Z)")


def code(data: bytes) -> bytes:
    """Return the code cells of a notebook as one text with the lines of the file.

    Raises InvalidInput for what is no notebook, or one in another language.
    """
    text = data.decode("utf-8-sig")
    try:
        cells = list(_cells(text))
    except _NO_NOTEBOOK as error:
        raise InvalidInput(f"no notebook: {error}") from error
    lines: list[str] = []
    line = place = 0
    for cell in cells:
        for at, source in cell:
            line += text.count("\n", place, at)
            place = at
            lines += [""] * (line - len(lines))
            lines += source.split("\n") if not source.endswith("\n") else source[:-1].split("\n")
    return "\n".join([*lines, ""]).encode("utf-8", "replace")


def _cells(text: str) -> Iterator[list[tuple[int, str]]]:
    """Yield the code cells: their texts, each with its place in the file."""
    for name, at in _members(text, _skipped(text, 0)):
        if name == "metadata":
            _check_language(_DECODER.raw_decode(text, at)[0])
    for name, at in _members(text, _skipped(text, 0)):
        if name == "cells":
            for cell in _items(text, at):
                yield _code_of_cell(text, cell)


def _check_language(metadata: dict[str, dict[str, str]]) -> None:
    language = metadata.get("language_info", {}).get("name")
    language = language or metadata.get("kernelspec", {}).get("language", "python")
    if language not in ("python", "ipython"):
        raise InvalidInput(f"a notebook in {language}")


def _code_of_cell(text: str, at: int) -> list[tuple[int, str]]:
    members = dict(_members(text, at))
    if "source" not in members or _DECODER.raw_decode(text, members["cell_type"])[0] != "code":
        return []
    source = members["source"]
    places = list(_items(text, source)) if text[source] == "[" else [source]
    parts = [(place, _DECODER.raw_decode(text, place)[0]) for place in places]
    first = parts[0][1].lstrip() if parts else ""
    if first.startswith("%%") and not _KEEPS_PYTHON.match(first):
        return []
    return [(place, _plain(part)) for place, part in parts]


def _plain(part: str) -> str:
    """Return lines of code without those that are no Python; their indentation stays."""
    return "\n".join("" if _NOT_PYTHON.match(line) else line for line in part.split("\n"))


def _members(text: str, at: int) -> Iterator[tuple[str, int]]:
    """Yield the names of an object, each with the place of its value."""
    at = _opened(text, at, "{")
    while text[at] != "}":
        name, at = _DECODER.raw_decode(text, at)
        at = _skipped(text, _opened(text, _skipped(text, at), ":"))
        yield name, at
        at = _behind(text, at)


def _items(text: str, at: int) -> Iterator[int]:
    """Yield the places of the values of a list."""
    at = _opened(text, at, "[")
    while text[at] != "]":
        yield at
        at = _behind(text, at)


def _behind(text: str, at: int) -> int:
    """Return where the next member or the closing bracket is behind a value."""
    at = _skipped(text, _DECODER.raw_decode(text, at)[1])
    return _skipped(text, at + 1) if text[at] == "," else at


def _opened(text: str, at: int, sign: str) -> int:
    if text[at] != sign:
        raise ValueError(f"{text[at]!r} instead of {sign!r} at character {at}")
    return _skipped(text, at + 1)


def _skipped(text: str, at: int) -> int:
    blank = _BLANK.match(text, at)
    return blank.end() if blank is not None else at
