"""Repository map within a token budget.

With a question the files are ranked by how relevant they are, without one by how much of the rest
leads to them, tests behind all others. Lines are taken by worth until the budget is full; the
budget holds for the text as it is rendered.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import attrs

from ... import tokens, validation
from ..dialect import of_tests
from ..records import CodeNode
from . import nodes
from .code_search import CodeSearch

if TYPE_CHECKING:
    from ...store.store import Row, Store

# Tokens of a map that says no budget.
BUDGET = 2_000
# Files that are considered, and symbols of one.
_MAX_FILES = 60
_MAX_SYMBOLS = 40
# As SQLite spells it.
_ALL = -1
# A line that names a file costs no less: so many files cannot fit into a budget.
_MIN_TOKENS = 3
# What a kind adds to the worth of a symbol: classes and functions stand before variables.
_KINDS = {"class": 2.0, "function": 1.5, "method": 1.0, "variable": 0.2, "section": 0.2}
# Letters of a signature that are shown.
_LONGEST = 120
# Names that begin so are for the inside of a file.
_INNER = "_"


@attrs.frozen
class CodeMap:
    """A rendered map.

    Attributes:
        text: a line for each file and symbol. tokens: of the text, never above the budget.
        files: paths that are on it, most relevant first. left_out: files considered that are not.
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
    question: str = "",
    *,
    source: nodes.Source,
    budget: int = BUDGET,
) -> CodeMap:
    """Return the map for a question, or of the whole, in at most `budget` tokens.

    `source` reads a file of the tree anew, for the signatures. Raises InvalidInput for a budget
    below 1.
    """
    validation.text(question, name="question")
    validation.integer(budget, name="budget")
    max_files = min(_MAX_FILES, budget // _MIN_TOKENS + 1)
    files, scores = _files(store, code_search, question, max_files)
    rows = store.all("codegraph_search.symbols_of", files=json.dumps(list(files)))
    by_worth = sorted(_lines(list(files), rows, scores), key=lambda line: -line.worth)
    sheet = _Sheet(store, source, files, rows, budget)
    for line in by_worth:
        sheet.add(line)
    return sheet.fitted()


def _files(
    store: Store, code_search: CodeSearch, question: str, max_files: int
) -> tuple[dict[int, str], dict[int, float]]:
    """Return the files by id, best first, and the symbols that the question speaks of."""
    if question.strip():
        relevant = code_search.find(question, limit=max_files)
        scores = {symbol.id: symbol.score for file in relevant for symbol in file.symbols}
        return {file.id: file.path for file in relevant}, scores
    used = store.all("codegraph_search.most_used_files", limit=_ALL)
    # What tests share is leaned on by them alone, however many they are.
    used.sort(key=lambda row: of_tests(row[1]))
    return {number: path for number, path, _ in used[:max_files]}, {}


def _lines(files: Sequence[int], rows: Iterable[Row], scores: dict[int, float]) -> Iterable[_Line]:
    """Yield a line for each file and for its best symbols, worth less the farther down they are;
    none for what has no name (`<lambda>`)."""
    inside: dict[int, list[Row]] = {}
    for row in rows:
        inside.setdefault(row[0], []).append(row)
    for place, file in enumerate(files):
        share = 1 / (2 + place)
        yield _Line(2 * share, file)
        shown = (row for row in inside.get(file, ()) if not row[3].startswith("<"))
        best = sorted(shown, key=lambda row: -_worth(row, file, scores))
        for rank, row in enumerate(best[:_MAX_SYMBOLS]):
            yield _Line(share / (1 + rank), file, row)


def _worth(row: Row, file: int, scores: dict[int, float]) -> float:
    _, number, parent, name, kind, _, line, end_line, used = row
    size = min(end_line - line, 100) / 100
    outer = 1.0 if parent == file else 0.0
    hidden = 1.0 if name.startswith(_INNER) else 0.0
    own: float = _KINDS.get(kind, 0.0) + min(used, 50) / 25 + size + outer - hidden
    return own + 10 * scores.get(number, 0.0)


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
        self._parents = {row[1]: row for row in rows}
        self._nodes: dict[int, dict[int, CodeNode]] = {}

    def add(self, line: _Line) -> None:
        """Take a line if there is room for it; a symbol only under its file."""
        if line.row is not None and line.file not in self._named:
            return
        if self._left < _MIN_TOKENS:  # to read a file for its signatures takes a while
            return
        cost = tokens.count(self._text(line) + "\n")
        if cost <= self._left:
            self._left -= cost
            self._order.append(line)
            self._named.add(line.file)

    def fitted(self) -> CodeMap:
        """Return the lines in order of files and of the source; the least worthy go if need be."""
        while True:
            text = self._rendered()
            count = tokens.count(text)
            if count <= self._budget or not self._order:
                shown = [line.file for line in self._order if line.row is None]
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
        _, number, parent, name, kind, *_ = line.row
        node = self._detailed(line.file).get(number)
        details = node.details if node else None
        signature = details.signature if details and details.signature else f"{kind} {name}"
        if len(signature) > _LONGEST:
            signature = f"{signature[: _LONGEST - 1]}…"
        around: list[str] = []
        while parent in self._parents and len(around) < _MAX_SYMBOLS:
            row = self._parents[parent]
            around.append(row[3])
            parent = row[2]
        owner = f"{'.'.join(reversed(around))}: " if around else ""
        return _one_line(f"  {line.row[6]}: {owner}{signature}")

    def _detailed(self, file: int) -> dict[int, CodeNode]:
        """Return the nodes of a file with their signatures, read when its first one is shown."""
        if file not in self._nodes:
            ids = [row[1] for row in self._parents.values() if row[0] == file]
            detailed = nodes.nodes(self._store, ids)
            detailed = nodes.with_details(self._store, self._source, detailed)
            self._nodes[file] = {node.id: node for node in detailed}
        return self._nodes[file]
