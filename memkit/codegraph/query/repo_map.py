"""Repository map within a token budget.

With a question the files are ranked by how relevant they are, without one by what a maintainer
would show first: large files through which much of the rest is linked, then documents and settings,
then tests and examples. Lines are taken by worth until the budget is full; the budget holds for the
text as it is rendered.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ... import tokens, validation
from . import nodes
from .code_search import CodeSearch, enclosing
from .term_index import is_auxiliary

if TYPE_CHECKING:
    from ...store.store import Row, Store

# Tokens of a map that says no budget.
BUDGET = 2_000
# A line costs no less, and so much in the mean. A file whose line cannot fit is not looked at.
_MIN_TOKENS, _MEAN_TOKENS, _FILE_TOKENS = 3, 12, 8
# Lines that are looked at together at least: their files are read once.
_MIN_LINES = 20
# What a kind adds to the worth of a symbol: classes and functions stand before variables, what only
# holds others, and tests beside what they test.
_KINDS = {"class": 2.0, "function": 1.5, "method": 1.0, "variable": 0.2, "section": 0.2}
_HOLDER, _TEST = 0.2, -2.0
_TESTS = ("test", "tests")
# Letters of a signature that are shown.
_LONGEST = 120
# Names that begin so are for the inside of a file.
_INNER = "_"


@attrs.frozen
class CodeMap:
    """A rendered map.

    Attributes:
        text: a line for each file and symbol. tokens: of the text, never above the budget.
        files: paths that are on it, most relevant first.
        left_out: how many files are not: of all that were parsed, or have to do with the question.
        notes: what makes it less than it looks: a tree that has changed.
    """

    text: str
    tokens: int
    files: tuple[str, ...]
    left_out: int
    notes: tuple[str, ...] = ()


@attrs.frozen
class _Line:
    worth: float
    file: int
    row: Row | None = None


def draw(
    store: Store,
    code_search: CodeSearch,
    question: str,
    *,
    source: nodes.Source,
    budget: int,
) -> CodeMap:
    """Return the map for a question, or of the whole, in at most `budget` tokens.

    `source` reads a file of the tree anew, for the signatures. Raises InvalidInput for a budget
    below 1.
    """
    validation.text(question, name="question")
    validation.integer(budget, name="budget")
    max_files = budget // _FILE_TOKENS + 1
    files, scores = _files(store, code_search, question, max_files)
    ids = list(files)[:max_files]
    rows = store.all("codegraph_search.symbols_of", files=json.dumps(ids))
    sheet = _Sheet(store, source, files, rows, budget)
    sheet.fill(sorted(_lines(ids, rows, scores), key=lambda line: -line.worth))
    return sheet.fitted()


def _files(
    store: Store, code_search: CodeSearch, question: str, max_files: int
) -> tuple[dict[int, str], dict[int, float]]:
    """Return the files by id, best first, and the symbols that the question speaks of."""
    if question.strip():
        return code_search.rank(question, limit=max_files)
    weighed = sorted(store.all("codegraph_search.file_weights"), key=_centrality)
    return {number: path for number, path, *_ in weighed}, {}


def _centrality(row: Row) -> tuple[int, float]:
    """Return a sort key of a file: code before the rest, tests and examples last, and among each
    what is large and linked with many files first.

    `python -m bench map` holds it against what later commits change and what is referred to:
    size alone tells the former, links alone the latter, their product both.
    """
    _, path, lines, users, used, runs = row
    group = 2 if is_auxiliary(path) else 0 if runs else 1
    return group, -math.log1p(lines) * (1 + math.log1p(users + used) / 2)


def _lines(files: Sequence[int], rows: Iterable[Row], scores: dict[int, float]) -> Iterator[_Line]:
    """Yield a line for each file and for its symbols, worth less the farther down they are; none
    for what has no name (`<lambda>`)."""
    inside: dict[int, dict[int, Row]] = {}
    for row in rows:
        inside.setdefault(row[0], {})[row[1]] = row
    for place, file in enumerate(files):
        share = 1 / (2 + place)
        yield _Line(2 * share, file)
        by_id = inside.get(file, {})
        shown = (row for row in by_id.values() if not row[3].startswith("<"))
        best = sorted(shown, key=lambda row: -_worth(row, by_id, scores))
        for rank, row in enumerate(best):
            yield _Line(share / (1 + rank), file, row)


def _worth(row: Row, by_id: Mapping[int, Row], scores: dict[int, float]) -> float:
    _, number, parent, name, kind, flags, line, end_line, used = row
    size = min(end_line - line, 100) / 100
    outer = 1.0 if parent not in by_id else 0.0
    hidden = 1.0 if name.startswith(_INNER) else 0.0
    value = _HOLDER if "namespace" in flags.split() else _KINDS.get(kind, 0.0)
    test = _TEST if any(map(_is_test, (row, *enclosing(row, by_id)))) else 0.0
    own: float = value + min(used, 50) / 25 + size + outer - hidden + test
    return own + 10 * scores.get(number, 0.0)


def _is_test(row: Row) -> bool:
    """Whether a symbol is a test, or a module that holds the tests of its file."""
    flags = row[5].split()
    return "test" in flags or ("namespace" in flags and row[3].lower() in _TESTS)


def _one_line(text: str) -> str:
    """Return a text without what would break its line: names come from anybody's files."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)


class _Sheet:
    """The lines that were taken so far."""

    def __init__(
        self,
        store: Store,
        source: nodes.Source,
        files: dict[int, str],
        rows: Sequence[Row],
        budget: int,
    ) -> None:
        self._store = store
        self._source = source
        self._files = files
        self._order: list[_Line] = []
        self._named: set[int] = set()
        self._budget = self._left = budget
        self._rows = {row[1]: row for row in rows}
        self._signatures: dict[int, str] = {}

    def fill(self, lines: Sequence[_Line]) -> None:
        """Take lines, best first, as long as there is room."""
        start, taken = 0, True
        while start < len(lines) and taken and self._left >= _MIN_TOKENS:
            end = start + max(self._left // _MEAN_TOKENS, _MIN_LINES)
            self._read(lines[start:end])
            taken = any([self._add(line) for line in lines[start:end]])
            start = end

    def _add(self, line: _Line) -> bool:
        """Take a line if there is room for it; a symbol only under its file."""
        if self._left < _MIN_TOKENS or (line.row is not None and line.file not in self._named):
            return False
        cost = tokens.count(self._text(line) + "\n")
        if cost > self._left:
            return False
        self._left -= cost
        self._order.append(line)
        self._named.add(line.file)
        return True

    def fitted(self) -> CodeMap:
        """Return the lines in order of files and of the source; the least worthy go if need be."""
        while True:
            text = self._rendered()
            count = tokens.count(text)
            if count <= self._budget or not self._order:
                shown = {line.file for line in self._order if line.row is None}
                files = tuple(self._files[file] for file in self._files if file in shown)
                return CodeMap(text, count, files, len(self._files) - len(files))
            self._order.pop()

    def _rendered(self) -> str:
        place = {file: at for at, file in enumerate(self._files)}
        ordered = sorted(
            self._order,
            key=lambda line: (
                place[line.file],
                line.row[6] if line.row else 0,
                line.row is not None,
            ),
        )
        return "\n".join(self._text(line) for line in ordered)

    def _text(self, line: _Line) -> str:
        if line.row is None:
            return _one_line(self._files[line.file])
        row = line.row
        signature = self._signatures.get(row[1]) or f"{row[4]} {row[3]}"
        if len(signature) > _LONGEST:
            signature = f"{signature[: _LONGEST - 1]}…"
        around = enclosing(row, self._rows)[::-1]
        owner = f"{'.'.join(outer[3] for outer in around)}: " if around else ""
        return _one_line(f"  {row[6]}: {owner}{signature}")

    def _read(self, lines: Iterable[_Line]) -> None:
        """Read the signatures of symbols whose files are named, or are about to be."""
        listed = list(lines)
        files = self._named | {line.file for line in listed if line.row is None}
        ids = [line.row[1] for line in listed if line.row is not None and line.file in files]
        detailed = nodes.with_details(self._store, self._source, nodes.nodes(self._store, ids))
        for node in detailed:
            if node.details is not None:
                self._signatures[node.id] = node.details.signature
