"""Code search: query analysis, features, weights, ranking of files and symbols."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from ... import validation
from ...frozen import RecordSequence
from ...text.analyzer import stem
from ...text.word_lists import FOREIGN, STOP, other_forms
from . import term_index
from .term_index import WORD, Corpus, TermIndex, parts, stems, stems_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from ...encoder.protocol import Vector
    from ...store.store import Row, Store
    from .term_index import Numbers

    # The files that hold a stem, and how often it occurs in each, by stem.
    Occurrences = Mapping[str, tuple[Numbers, Numbers]]
    Column = npt.NDArray[np.float32]
    Columns = dict[str, Column]
    # Places in a corpus of the files that a file uses, and of those that use it.
    Adjacent = tuple[Numbers, Numbers]


# --- Weights: what each feature adds to the log-odds that a file is relevant.
#
# Made by `python -m bench.relevance`, which prints how the same fit does on repositories that it
# has not seen. No column may count against a file.

BASE = -10.28
WEIGHTS = {
    "name": 0.101,
    "folder": 0.104,
    "named": 1.226,
    "held": 0.440,
    "bm25": 0.162,
    "share": 0.368,
    "spelt": 0.158,
    "grams": 0.129,
    "names_meaning": 2.096,
    "path_meaning": 2.078,
    "lines": 0.298,
    "used": 0.934,
    "user": 0.555,
    "sibling": 0.160,
    "place": 0.224,
    # Not learned: the commits' corpus holds no tests. Beside the code they test they come second.
    # (BASE is the learned one less this.)
    "source": 2.0,
}


# --- Query analysis: weighted words, names written as in code, and the named location.
#
# A question may be a commit's subject, an error, a sentence. What stands before its colon or in
# the brackets before it ("fix(router): …", "net/http: …") names a place by wide convention.

# Read of a question; a pasted log says what it wants at its beginning.
MAX_CHARS = 4_000
MAX_WORDS = 40
MAX_NAMES = 200
# Words that say what is to be done rather than where, and what the parts of a name tell beside the
# name itself.
SOFT_WEIGHT = 0.3
PART_WEIGHT = 0.4
# The other form of a word that developers shorten ("auth", "authentication"): half of the word's
# own weight, since code mostly keeps to one of them.
OTHER_WEIGHT = 0.5
# Words that may be one name written apart ("read to string").
_LONGEST_GRAM = 4
_SHORTEST_GRAM = 5

_SOFT = frozenset(
    map(
        stem,
        "fix fixed add added remove removed update refactor use make allow support handle improve "
        "change rename move feat chore perf convert drop replace avoid prevent ensure correct "
        "simplify introduce implement enable disable set new more instead while during after "
        "before all some other missing wrong bug issue problem minor cleanup clean better".split(),
    )
)
_STOP_STEMS = frozenset(map(stem, STOP))
_FOREIGN_STEMS = frozenset(map(stem, FOREIGN))
_PLACE = re.compile(r"\s*\w*\(([^)]{1,40})\)!?:|([^:\n]{1,40}):\s")
_QUOTED = re.compile(r"`([^`\n]{2,80})`|\"([^\"\n]{2,80})\"|'([^'\s]{2,80})'")
_CALLED = re.compile(r"([^\W\d]\w*)\(")
_MEMBER = re.compile(r"([^\W\d]\w*)(?:::|\.|->|#)([^\W\d]\w*)")


@attrs.frozen
class CodeQuery:
    """An analysed query.

    Attributes:
        words: stem → weight, from 0 to 1; other forms of shortened words among them.
        variants: those forms.
        written: stem → the word as it was written first.
        place: stems of what is named as the place.
        spelt: names written as in code, each with the forms it may have in the tree.
        grams: neighbouring words that may be one name, likewise.
        plain: the telling words as a text, for an encoder.
    """

    words: Mapping[str, float]
    variants: frozenset[str]
    written: Mapping[str, str]
    place: frozenset[str]
    spelt: Mapping[str, tuple[str, ...]]
    grams: Mapping[str, tuple[str, ...]]
    plain: str


def analyze_query(question: str) -> CodeQuery:
    """Return what a question asks for; of small words alone it asks for these."""
    text = question[:MAX_CHARS]
    all_stems = list(dict.fromkeys(stems_of(text)))
    telling = [word for word in all_stems if word not in _STOP_STEMS] or all_stems
    spelt = {name: _forms(parts(name), name) for name in list(_spelt(text))[:MAX_NAMES]}
    inner = {part for name in spelt for part in stems(name) if len(stems(name)) > 1}
    soft = _SOFT | _FOREIGN_STEMS.difference(inner)
    words = {
        word: (SOFT_WEIGHT if word in soft else 1.0) * (PART_WEIGHT if word in inner else 1.0)
        for word in telling[:MAX_WORDS]
    }
    raw = [part for word in WORD.findall(text) for part in parts(word)]
    others = {other: stem(part) for part in raw for other in other_forms(part)}
    variants = {
        stem(other): OTHER_WEIGHT * words[word] for other, word in others.items() if word in words
    }
    return CodeQuery(
        words=variants | words,
        variants=frozenset(variants.keys() - words.keys()),
        written={stem(part): part for part in reversed([*raw, *others])},
        place=frozenset(_place(text)),
        spelt=spelt,
        grams=dict(list(_grams(raw))[:MAX_NAMES]),
        plain=" ".join(word for word in raw if word not in STOP),
    )


def _place(text: str) -> Iterable[str]:
    match = _PLACE.match(text)
    location = (match[1] or match[2]) if match else ""
    return (word for word in stems_of(location) if word not in _STOP_STEMS and word not in _SOFT)


def _spelt(text: str) -> Iterable[str]:
    """Yield, once each, what is written as a name in code: in humps, called, quoted, as member."""
    names = [word for word in WORD.findall(text) if len(parts(word)) > 1]
    names += _CALLED.findall(text)
    for quoted in _QUOTED.findall(text):
        names += [word for word in WORD.findall("".join(quoted)) if len(word) > 2]
    names += [name for both in _MEMBER.findall(text) for name in both]
    return dict.fromkeys(name for name in names if not name.isdigit())


def _grams(raw: list[str]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for size in range(_LONGEST_GRAM, 1, -1):
        for start in range(len(raw) - size + 1):
            run = raw[start : start + size]
            joined = "".join(run)
            if run[0] not in STOP and run[-1] not in STOP and len(joined) >= _SHORTEST_GRAM:
                yield joined, _forms(run)


def _forms(run: list[str], *written: str) -> tuple[str, ...]:
    """Return the ways in which a name of these parts is spelt in code."""
    pascal = "".join(part.capitalize() for part in run)
    snake = "_".join(run)
    camel = pascal[:1].lower() + pascal[1:]
    forms = (*written, snake, camel, pascal, snake.upper(), "".join(run), f"_{snake}", f"_{camel}")
    return tuple(dict.fromkeys(forms))


# --- Features of files for a query, as columns over all files.
#
# Pure functions of a corpus and a question. Words weigh by their rarity among the files; what a
# file is called and what it defines tells more than what it mentions.

# Occurrences that a word counts for, by how it occurs: once, some, often, as a part of a name.
_TIMES = (1.0, 2.5, 7.0, 3.0)
# BM25's saturation and share of length (Robertson and Zaragoza 2009).
_K1, _B = 1.2, 0.75
# Files whose neighbours gain.
FOLLOWED = 20
# Neighbours of one file that are read; what has more is a hub, which tells nothing.
MAX_NEIGHBOURS = 1_000


def rarity(count: int, *, size: int) -> float:
    """Return BM25's inverse document frequency of what `count` of `size` files hold; above 0."""
    return math.log(1 + (size - count + 0.5) / (count + 0.5))


def lexical(corpus: Corpus, query: CodeQuery, occurrences: Occurrences) -> Columns:
    """Return the columns of words: in names of files, folders and definitions, and in the text."""
    import numpy as np

    columns = {name: np.zeros(len(corpus), dtype=np.float32) for name in _LEXICAL}
    name_total = text_total = 0.0
    for word, weight in query.words.items():
        text_rarity, name_rarity = _add(columns, corpus, word, weight, occurrences[word])
        name_total, text_total = name_total + name_rarity, text_total + text_rarity
        if word in query.place:
            where = np.union1d(*_in_path(corpus, word)).astype(np.int64)
            columns["place"][where] += rarity(len(where), size=len(corpus))
    columns["named"] /= np.float32(name_total or 1.0)
    columns["held"] /= np.float32(text_total or 1.0)
    columns["share"] /= corpus.parts
    columns["lines"] = corpus.lines
    return columns


def _add(
    columns: Columns, corpus: Corpus, word: str, weight: float, occurring: tuple[Numbers, Numbers]
) -> tuple[float, float]:
    """Add what one word tells to the columns; return how telling it is in texts and in names."""
    import numpy as np

    size = len(corpus)
    name, folder = _in_path(corpus, word)
    where, frequency = occurring
    named = np.unique(np.concatenate((name, folder, where[frequency == term_index.DEFINED])))
    name_rarity = rarity(len(named), size=size) * weight
    text_rarity = rarity(len(where), size=size) * weight
    columns["name"][name] += rarity(len(name), size=size) * weight
    columns["share"][name] += 1.0
    columns["folder"][folder] += rarity(len(folder), size=size) * weight
    columns["named"][named] += name_rarity
    columns["held"][where] += text_rarity
    times = np.array(_TIMES, dtype=np.float32)[frequency]
    relative = corpus.lengths[where] / max(float(corpus.lengths.mean()), 1.0)
    columns["bm25"][where] += (
        text_rarity * times * (1 + _K1) / (times + _K1 * (1 - _B + _B * relative))
    )
    return text_rarity, name_rarity


def spelt(
    corpus: Corpus, forms: Mapping[str, tuple[str, ...]], defined: Mapping[str, frozenset[int]]
) -> Column:
    """Return a column: rarity of the names that a file defines, of those that may be meant.

    `defined` gives the files (ids) that define a name as spelt.
    """
    import numpy as np

    place = corpus.positions
    column: Column = np.zeros(len(corpus), dtype=np.float32)
    for spellings in forms.values():
        files = {place[n] for form in spellings for n in defined.get(form, ()) if n in place}
        if files:
            column[list(files)] += np.float32(rarity(len(files), size=len(corpus)))
    return column


def meaning(corpus: Corpus, vector: Vector | None) -> Columns:
    """Return how near the paths and the names that files define are to the question's vector."""
    import numpy as np

    if vector is None or corpus.directions is None:
        nothing = np.zeros(len(corpus), dtype=np.float32)
        return {"path_meaning": nothing, "names_meaning": nothing}
    path, names = corpus.directions
    # Not `@`: its threads cost more than they save on so little.
    return {
        "path_meaning": np.einsum("ij,j->i", path, vector),
        "names_meaning": np.einsum("ij,j->i", names, vector),
    }


def source(corpus: Corpus, query: CodeQuery) -> Column:
    """Return 1 for what is no test, example or document, unless these are asked for."""
    import numpy as np

    if query.words.keys() & _AUXILIARY:
        return np.zeros(len(corpus), dtype=np.float32)
    return np.float32(1.0) - corpus.auxiliary


def weighted_sum(columns: Columns, weights: Mapping[str, float]) -> Column:
    """Return the weighted sum of columns."""
    import numpy as np

    total: Column = np.zeros_like(columns["named"])
    for name, weight in weights.items():
        total += np.float32(weight) * columns[name]
    return total


def match_strength(columns: Columns) -> Column:
    """Return how strongly each file matches by itself, as a share of the best."""
    import numpy as np

    own = weighted_sum(columns, _OWN)
    return own / np.float32(max(float(own.max()), 1e-9))


def neighbours(
    corpus: Corpus, own: Column, adjacent: Mapping[int, Adjacent], first: Sequence[int]
) -> Columns:
    """Return what the best of the files that a file uses, that use it, or lie beside it have.

    `first` are the files (places in the corpus) whose standing is passed on to those `adjacent`.
    """
    import numpy as np

    used = np.zeros(len(corpus), dtype=np.float32)
    user = np.zeros(len(corpus), dtype=np.float32)
    best = np.zeros(int(corpus.folder.max(initial=0)) + 1, dtype=np.float32)
    for at in first:
        targets, sources = adjacent[at]
        used[targets] = np.maximum(used[targets], own[at])
        user[sources] = np.maximum(user[sources], own[at])
        folder = corpus.folder[at]
        best[folder] = max(best[folder], own[at])
    return {"used": used, "user": user, "sibling": best[corpus.folder]}


def matching_stems(
    corpus: Corpus, query: CodeQuery, at: int, frequency: Mapping[str, float]
) -> tuple[list[str], list[str]]:
    """Return the question's stems in the path and in the text of one file, the rarest first."""
    in_path = [
        word for word in query.words if any(at in positions for positions in _in_path(corpus, word))
    ]
    start = int(corpus.starts[at])
    numbers = set(corpus.stems[start : start + int(corpus.lengths[at])].tolist())
    in_text = [word for word in query.words if term_index.number(word) in numbers]
    remaining = (word for word in in_text if word not in in_path)
    return in_path, sorted(remaining, key=frequency.__getitem__)


# What counts for a file that its neighbours gain from.
_OWN = {"named": 1.0, "held": 0.5, "spelt": 0.1, "name": 0.1}
_LEXICAL = ("name", "folder", "named", "held", "bm25", "share", "place")
# Stems by which tests, examples and documents are asked for.
_AUXILIARY = frozenset(map(stem, "test tests spec fixture example sample bench doc docs".split()))


def _in_path(corpus: Corpus, word: str) -> tuple[Numbers, Numbers]:
    """Return the files that have a stem in their own name, and in the names of their folders."""
    import numpy as np

    nothing = np.zeros(0, dtype=np.int32)
    return corpus.by_name.get(word, nothing), corpus.by_folder.get(word, nothing)


class FileNeighbours:
    """Files beside each other in one store's graph. What was read is kept until the graph is
    written anew."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._corpus: Corpus | None = None
        self._graph: object = None
        self._known: dict[int, Adjacent] = {}

    def adjacent(self, corpus: Corpus, files: Iterable[int]) -> Mapping[int, Adjacent]:
        """Return the neighbours of files, all by their places in the corpus."""
        graph = self._store.state()[0], self._store.value("codegraph_search.generation")
        if self._corpus is not corpus or self._graph != graph:
            self._corpus, self._graph, self._known = corpus, graph, {}
        known = self._known
        for at in files:
            if at not in known:
                known[at] = self._read(corpus, at)
        return known

    def _read(self, corpus: Corpus, at: int) -> Adjacent:
        import numpy as np

        rows = self._store.all(
            "codegraph_search.adjacent_files", file=corpus.ids[at], limit=MAX_NEIGHBOURS
        )
        place = corpus.positions
        used, users = (
            [place[other] for other, is_used in rows if is_used == way and other in place]
            for way in (1, 0)
        )
        return np.array(used, dtype=np.int32), np.array(users, dtype=np.int32)


# --- Ranking of files and symbols, with reasons.
#
# Words of the question meet the names and texts of files (BM25), the packaged model's vectors of
# paths and names, and the graph: what a good match uses, or is used by, gains. The weights are a
# reviewed table, learned on commit subjects and the files that the commits changed.

# Symbols that are named with a file, and those that a name in the question may mean.
MAX_SYMBOLS = 5
MAX_NAMED = 2_000
# Cosine from which a file that shares no word with the question is close to it in meaning.
_CLOSE = 0.35
# Share of a question's words, by weight, that the tree must know: one word of four or more that
# occurs somewhere by accident says nothing.
_MIN_KNOWN = 0.3
# What a feature must add to be a reason.
_MIN_REASON = 0.4
_WORDS_SHOWN = 4
# Longer chains of parents come from a damaged file, not from code.
_DEEPEST = 49


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
class CodeSearchResult(RecordSequence[RelevantFile]):
    """Files in order of relevance, with what a reader should know beside them.

    Attributes:
        files: best first. notes: what makes it less than it looks: a tree that has changed.
    """

    files: tuple[RelevantFile, ...]
    notes: tuple[str, ...] = ()

    @property
    def _items(self) -> tuple[RelevantFile, ...]:
        return self.files


@attrs.frozen(eq=False)
class Evaluation:
    """Features of every file for one query, before they are weighed."""

    corpus: Corpus
    query: CodeQuery
    occurrences: Occurrences
    columns: Columns
    named: Mapping[str, Sequence[Row]]


class CodeSearch:
    """Answers "where is this dealt with?" from one store's code graph."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._term_index = TermIndex(store)
        self._neighbours = FileNeighbours(store)

    def prepare(self) -> None:
        """Do now what the first question would have to write into the file, if that is quick."""
        self._term_index.prepare()

    def find(self, text: str, *, limit: int = 10) -> list[RelevantFile]:
        """Return at most `limit` files, most relevant first; none if the tree knows little of what
        the text speaks of."""
        limit = validation.integer(limit, name="limit")
        evaluation = self.evaluate(validation.text(text, name="text"))
        if evaluation is None:
            return []
        scores = weighted_sum(evaluation.columns, WEIGHTS)
        order = _ranked(evaluation, scores)[:limit]
        symbols = self._symbols(evaluation, [evaluation.corpus.ids[at] for at in order])
        # In how many files each of the question's stems occurs, over its weight.
        frequency = {
            word: len(evaluation.occurrences[word][0]) / weight
            for word, weight in evaluation.query.words.items()
        }
        return [
            RelevantFile(
                id=evaluation.corpus.ids[at],
                path=evaluation.corpus.paths[at],
                score=_chance(BASE + float(scores[at])),
                reasons=_reasons(evaluation, at, frequency),
                symbols=symbols.get(evaluation.corpus.ids[at], ()),
            )
            for at in order
        ]

    def rank(self, text: str, *, limit: int) -> tuple[dict[int, str], dict[int, float]]:
        """Return all relevant files by id, the most relevant first, and the scores of the symbols
        in the first `limit` of them that the text speaks of."""
        evaluation = self.evaluate(text)
        if evaluation is None:
            return {}, {}
        order = _ranked(evaluation, weighted_sum(evaluation.columns, WEIGHTS))
        files = {evaluation.corpus.ids[at]: evaluation.corpus.paths[at] for at in order}
        symbols = self._symbols(evaluation, list(files)[:limit])
        return files, {s.id: s.score for inside in symbols.values() for s in inside}

    def evaluate(self, text: str) -> Evaluation | None:
        """Return the features of every file; None without files or words."""
        corpus = self._term_index.corpus()
        query = analyze_query(text)
        if not len(corpus) or not query.words:
            return None
        named = self._named(query)
        defined = {name: frozenset(row[2] for row in rows) for name, rows in named.items()}
        occurrences = {word: corpus.occurring(word) for word in query.words}
        columns = lexical(corpus, query, occurrences)
        columns["spelt"] = spelt(corpus, query.spelt, defined)
        columns["grams"] = spelt(corpus, query.grams, defined)
        columns |= meaning(corpus, self._term_index.vector(query.plain))
        columns["source"] = source(corpus, query)
        own = match_strength(columns)
        first = (-own).argsort(kind="stable").tolist()[:FOLLOWED]
        first = [at for at in first if own[at] > 0]
        columns |= neighbours(corpus, own, self._neighbours.adjacent(corpus, first), first)
        return Evaluation(corpus, query, occurrences, columns, named)

    # -- inside

    def _named(self, query: CodeQuery) -> dict[str, list[Row]]:
        """Return the symbols that the question may name, by name as spelt in the code."""
        forms = [form for spellings in query.spelt.values() for form in spellings]
        forms += [form for spellings in query.grams.values() for form in spellings]
        matches: dict[str, list[Row]] = {}
        names = json.dumps(list(dict.fromkeys(forms)))
        for row in self._store.all("codegraph_search.symbols_named", names=names, limit=MAX_NAMED):
            matches.setdefault(row[0], []).append(row)
        return matches

    def _symbols(
        self, evaluation: Evaluation, files: Sequence[int]
    ) -> dict[int, tuple[RelevantSymbol, ...]]:
        rows = self._store.all("codegraph_search.symbols_in", files=json.dumps(files))
        by_id = {row[1]: row for row in rows}
        named = {row[1] for spelt in evaluation.named.values() for row in spelt}
        words = evaluation.query.words
        scores = {row[1]: _symbol_score(row[3], words, named=row[1] in named) for row in rows}
        ids = [node for node, score in scores.items() if score > 0]
        users = self._store.all("codegraph_search.users", symbols=json.dumps(ids))
        used: dict[int, int] = dict(users)
        best: dict[int, list[RelevantSymbol]] = {}
        for node in ids:
            score = scores[node] + math.log1p(used.get(node, 0)) / 100  # breaks ties
            best.setdefault(by_id[node][0], []).append(
                _symbol(by_id[node], by_id, score, named=node in named)
            )
        return {
            file: tuple(
                sorted(those, key=lambda symbol: (-symbol.score, symbol.line))[:MAX_SYMBOLS]
            )
            for file, those in best.items()
        }


def enclosing(row: Row, by_id: Mapping[int, Row]) -> list[Row]:
    """Return the symbols around one, from the inside out, as rows of
    `codegraph_search.symbols_of`."""
    around: list[Row] = []
    while (outer := by_id.get(row[2])) is not None and len(around) < _DEEPEST:
        row = outer
        around.append(row)
    return around


def _symbol(row: Row, by_id: Mapping[int, Row], score: float, *, named: bool) -> RelevantSymbol:
    return RelevantSymbol(
        id=row[1],
        qualname=".".join(part[3] for part in (*enclosing(row, by_id)[::-1], row)),
        kind=row[4],
        line=row[6],
        end_line=row[7],
        score=score,
        named=named,
    )


def _symbol_score(name: str, words: Mapping[str, float], *, named: bool) -> float:
    """Return how much of a question a symbol's name holds."""
    own = term_index.stems(name)
    if words.keys().isdisjoint(own):
        return float(named)
    weight = sum(words.get(word, 0.0) for word in dict.fromkeys(own))
    return float(named) + weight + weight / len(own)


def _ranked(evaluation: Evaluation, scores: Column) -> list[int]:
    """Return the files (places in the corpus) that have to do with a query, best first."""
    is_known = _known_share(evaluation) >= _MIN_KNOWN
    worth = _worth_showing(evaluation.columns, is_known=is_known)
    # The corpus is in order of path, and so are files of one score.
    return [at for at in (-scores).argsort(kind="stable").tolist() if worth[at]]


def _known_share(evaluation: Evaluation) -> float:
    """Return how much of a query, by weight, is words that any path or text of the tree holds."""
    corpus, query = evaluation.corpus, evaluation.query
    weights = {word: w for word, w in query.words.items() if word not in query.variants}
    known = sum(
        weight / OTHER_WEIGHT if word in query.variants else weight
        for word, weight in query.words.items()
        if word in corpus.by_name
        or word in corpus.by_folder
        or len(evaluation.occurrences[word][0])
    )
    return known / (sum(weights.values()) or 1.0)


def _worth_showing(columns: Columns, *, is_known: bool) -> Sequence[bool]:
    """Return which files have to do with a query: by names as in code, by meaning, and if enough
    of its words are known by any of these."""
    shared = columns["spelt"] + columns["grams"]
    if is_known:
        shared = shared + columns["named"] + columns["held"]
    close = (columns["path_meaning"] >= _CLOSE) | (columns["names_meaning"] >= _CLOSE)
    worth: Sequence[bool] = ((shared > 0) | close).tolist()
    return worth


def _chance(log_odds: float) -> float:
    return 1 / (1 + math.exp(-max(min(log_odds, 50.0), -50.0)))


def _reasons(evaluation: Evaluation, at: int, frequency: Mapping[str, float]) -> tuple[str, ...]:
    """Return what speaks for a file, in words, the weightiest first."""
    added = {name: weight * float(evaluation.columns[name][at]) for name, weight in WEIGHTS.items()}
    in_path, in_text = (
        [evaluation.query.written[word] for word in words]
        for words in matching_stems(evaluation.corpus, evaluation.query, at, frequency)
    )
    names = _defined_here(evaluation, evaluation.corpus.ids[at])
    reasons: list[tuple[float, str]] = []
    if names:
        reasons.append((added["spelt"] + added["grams"], f"defines {', '.join(names)}"))
    if in_path:
        worth = added["name"] + added["folder"] + added["place"] + added["share"]
        reasons.append((worth, f"path: {', '.join(in_path[:_WORDS_SHOWN])}"))
    if in_text:
        reasons.append(
            (added["bm25"] + added["held"], f"words: {', '.join(in_text[:_WORDS_SHOWN])}")
        )
    for features, text in _REASONS.items():
        worth = sum(added[feature] for feature in features)
        if worth >= _MIN_REASON:
            reasons.append((worth, text))
    return tuple(text for _, text in sorted(reasons, key=lambda reason: -reason[0]))


def _defined_here(evaluation: Evaluation, file: int) -> list[str]:
    rows: Iterable[Row] = (row for spelt in evaluation.named.values() for row in spelt)
    return list(dict.fromkeys(row[0] for row in rows if row[2] == file))[:_WORDS_SHOWN]


_REASONS = {
    ("path_meaning", "names_meaning"): "close in meaning",
    ("used",): "used by files that match",
    ("user",): "uses files that match",
}
