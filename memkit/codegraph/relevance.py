"""Where in the code something is dealt with: files and symbols, most relevant first, with reasons.

Words of the question meet the names and texts of files (BM25), the packaged model's vectors of
paths and names, and the graph: what a good match uses, or is used by, gains. The weights are a
reviewed table, learned on commit subjects and the files that the commits changed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, overload

import attrs

from .. import validation
from . import evidence, wording
from .corpus import Corpus
from .lexicon import Lexicon
from .relevance_weights import BASE, WEIGHTS
from .wanted import Wanted, understand

if TYPE_CHECKING:
    from ..store.store import Row, Store
    from .evidence import Columns

# Symbols that are named with a file, and those that a name in the question may mean.
MOST_SYMBOLS = 5
MOST_NAMED = 2_000
# Pairs of neighbouring files that are read; more than that has a hub, which tells nothing.
_MOST_PAIRS = 5_000
# Cosine from which a file that shares no word with the question is close to it in meaning.
_CLOSE = 0.35
# What a part of the evidence must add to be a reason.
_LEAST_REASON = 0.4
_WORDS_SHOWN = 4


@attrs.frozen
class RelevantSymbol:
    """A symbol of a relevant file.

    Attributes:
        qualname: dotted inside its file. line, end_line: from 1.
        score: how much of the question its name holds; it compares the symbols of one answer.
        named: whether the question names it; else it shares words with it.
    """

    id: int
    qualname: str
    kind: str
    line: int
    end_line: int
    score: float
    named: bool


@attrs.frozen
class RelevantFile:
    """A file where the question may be dealt with.

    Attributes:
        score: chance from 0 to 1 that it is meant, as learned from commits.
        reasons: what speaks for it, the weightiest first.
        symbols: those of its symbols that the question speaks of, best first.
    """

    id: int
    path: str
    score: float
    reasons: tuple[str, ...]
    symbols: tuple[RelevantSymbol, ...] = ()


@attrs.frozen
class Relevant(Sequence[RelevantFile]):
    """Files in order of relevance, with what a reader should know beside them.

    Attributes:
        files: best first. notes: what makes it less than it looks: a tree that has changed.
    """

    files: tuple[RelevantFile, ...]
    notes: tuple[str, ...] = ()

    @overload
    def __getitem__(self, index: int) -> RelevantFile: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[RelevantFile, ...]: ...
    def __getitem__(self, index: int | slice) -> RelevantFile | tuple[RelevantFile, ...]:
        return self.files[index]

    def __len__(self) -> int:
        return len(self.files)


@attrs.frozen(eq=False)
class Evidence:
    """Every file's evidence for one question, before it is weighed."""

    corpus: Corpus
    wanted: Wanted
    columns: Columns
    named: Mapping[str, Sequence[Row]]


class Relevance:
    """Answers "where is this dealt with?" from one store's code graph."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._lexicon = Lexicon(store)

    def prepare(self) -> None:
        """Do now what the first question would have to write into the file, if that is quick."""
        self._lexicon.prepare()

    def find(self, text: str, *, limit: int = 10) -> list[RelevantFile]:
        """Return at most `limit` files, most relevant first; none if no word of it is known."""
        limit = validation.integer(limit, name="limit")
        found = self.evidence(validation.text(text, name="text"))
        if found is None:
            return []
        scores = evidence.weighed(found.columns, WEIGHTS)
        worth = _worth_showing(found.columns)
        # The corpus is in order of path, and so are files of one score.
        order = [at for at in (-scores).argsort(kind="stable").tolist() if worth[at]][:limit]
        symbols = self._symbols(found, [found.corpus.ids[at] for at in order])
        frequency = evidence.frequencies(found.corpus, found.wanted)
        return [
            RelevantFile(
                id=found.corpus.ids[at],
                path=found.corpus.paths[at],
                score=_chance(BASE + float(scores[at])),
                reasons=_reasons(found, at, frequency),
                symbols=symbols.get(found.corpus.ids[at], ()),
            )
            for at in order
        ]

    def evidence(self, text: str) -> Evidence | None:
        """Return the columns of evidence for every file; None without files or words."""
        corpus = self._lexicon.corpus()
        wanted = understand(text)
        if not len(corpus) or not wanted.words:
            return None
        named = self._named(wanted)
        defined = {name: frozenset(row[2] for row in rows) for name, rows in named.items()}
        columns = evidence.lexical(corpus, wanted)
        columns["spelt"] = evidence.spelt(corpus, wanted.spelt, defined)
        columns["grams"] = evidence.spelt(corpus, wanted.grams, defined)
        columns |= evidence.meaning(corpus, self._lexicon.vector(wanted.plain))
        columns["source"] = evidence.source(corpus, wanted)
        own = evidence.strongest(columns)
        first = (-own).argsort(kind="stable").tolist()[: evidence.FOLLOWED]
        first = [at for at in first if own[at] > 0]
        files = json.dumps([corpus.ids[at] for at in first])
        pairs = self._store.all("codegraph_relevance.beside", files=files, limit=_MOST_PAIRS)
        columns |= evidence.neighbours(corpus, own, pairs, first)
        return Evidence(corpus, wanted, columns, named)

    # -- inside

    def _named(self, wanted: Wanted) -> dict[str, list[Row]]:
        """Return the symbols that the question may name, by name as spelt in the code."""
        forms = [form for spellings in wanted.spelt.values() for form in spellings]
        forms += [form for spellings in wanted.grams.values() for form in spellings]
        found: dict[str, list[Row]] = {}
        names = json.dumps(list(dict.fromkeys(forms)))
        for row in self._store.all("codegraph_relevance.defined", names=names, limit=MOST_NAMED):
            found.setdefault(row[0], []).append(row)
        return found

    def _symbols(
        self, found: Evidence, files: Sequence[int]
    ) -> dict[int, tuple[RelevantSymbol, ...]]:
        rows = self._store.all("codegraph_relevance.symbols_of", files=json.dumps(files))
        by_id = {row[1]: row for row in rows}
        named = {row[1] for spelt in found.named.values() for row in spelt}
        best: dict[int, list[RelevantSymbol]] = {}
        for row in rows:
            score = _symbol_score(row, found.wanted, named=row[1] in named)
            if score > 0:
                best.setdefault(row[0], []).append(
                    _symbol(row, by_id, score, named=row[1] in named)
                )
        return {
            file: tuple(sorted(those, key=lambda one: (-one.score, one.line))[:MOST_SYMBOLS])
            for file, those in best.items()
        }


def qualified(row: Row, by_id: Mapping[int, Row]) -> str:
    """Return the dotted name of a row of `codegraph_relevance.symbols_of` within its file."""
    names = [row[3]]
    while (row_of := by_id.get(row[2])) is not None and len(names) < 50:
        row = row_of
        names.append(row[3])
    return ".".join(reversed(names))


def _symbol(row: Row, by_id: Mapping[int, Row], score: float, *, named: bool) -> RelevantSymbol:
    return RelevantSymbol(
        id=row[1],
        qualname=qualified(row, by_id),
        kind=row[4],
        line=row[6],
        end_line=row[7],
        score=score,
        named=named,
    )


def _symbol_score(row: Row, wanted: Wanted, *, named: bool) -> float:
    """Return how much of the question a symbol's name holds; how often it is used breaks ties."""
    own = wording.stems(row[3])
    weight = sum(wanted.words.get(word, 0.0) for word in dict.fromkeys(own))
    if not weight and not named:
        return 0.0
    share = weight / max(len(own), 1)
    return float(named) + weight + share + math.log1p(row[8]) / 100


def _worth_showing(columns: Columns) -> Sequence[bool]:
    shared = columns["named"] + columns["held"] + columns["spelt"] + columns["grams"]
    close = (columns["path_meaning"] >= _CLOSE) | (columns["names_meaning"] >= _CLOSE)
    worth: Sequence[bool] = ((shared > 0) | close).tolist()
    return worth


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(log_odds, 50.0), -50.0)))


def _reasons(found: Evidence, at: int, frequency: Mapping[str, float]) -> tuple[str, ...]:
    """Return what speaks for a file, in words, the weightiest first."""
    added = {name: weight * float(found.columns[name][at]) for name, weight in WEIGHTS.items()}
    in_path, held = (
        [found.wanted.said[word] for word in words]
        for words in evidence.matched(found.corpus, found.wanted, at, frequency)
    )
    names = _defined_here(found, found.corpus.ids[at])
    said: list[tuple[float, str]] = []
    if names:
        said.append((added["spelt"] + added["grams"], f"defines {', '.join(names)}"))
    if in_path:
        worth = added["name"] + added["folder"] + added["place"] + added["share"]
        said.append((worth, f"path: {', '.join(in_path[:_WORDS_SHOWN])}"))
    if held:
        said.append((added["bm25"] + added["held"], f"words: {', '.join(held[:_WORDS_SHOWN])}"))
    for parts, text in _SAID.items():
        worth = sum(added[part] for part in parts)
        if worth >= _LEAST_REASON:
            said.append((worth, text))
    return tuple(text for _, text in sorted(said, key=lambda one: -one[0]))


def _defined_here(found: Evidence, file: int) -> list[str]:
    rows: Iterable[Row] = (row for spelt in found.named.values() for row in spelt)
    return list(dict.fromkeys(row[0] for row in rows if row[2] == file))[:_WORDS_SHOWN]


_SAID = {
    ("path_meaning", "names_meaning"): "close in meaning",
    ("used",): "used by files that match",
    ("user",): "uses files that match",
}
