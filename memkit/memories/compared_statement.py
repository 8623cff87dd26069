"""Statement as it is compared: its words in order, their vectors, where it is negated."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from ..text.analyzer import is_unsegmented, nfkc, segments, stem
from ..text.patterns import lazy_pattern
from ..text.word_lists import FOREIGN, STOP, is_negation

if TYPE_CHECKING:
    from ..encoder.protocol import Vector
    from ..encoder.static import StaticEncoder


# Words and characters that are read of a text: what comes later is another matter.
_MOST_WORDS = 120
_MOST_CHARACTERS = 1500
# Length of a token's row that tells as much as any other word (of the packaged model: stop words
# have 20 to 60, other words 80 to 210).
_TELLING_LENGTH = 180.0
_UNKNOWN_WEIGHT, STOP_WEIGHT = 0.8, 0.05
# Words of one process whose vectors are kept: some 20 MB when full; there is room for so many at
# first.
_MOST_VECTORS, _FIRST_ROWS = 20_000, 512
_NO_LENGTH = 1e-6
_CODE_BLOCK = lazy_pattern(r"(?s)```.*?(?:```|$)")
_THOUSANDS = lazy_pattern(r"(?<=\d),(?=\d{3}\b)")
_WORD = lazy_pattern(r"\d+(?:[.:]\d+)*|[^\W\d]+(?:[-'./_]\w+)*")
_CODE = lazy_pattern(r"[-./_\d]")
# Numbers as words; one and ein are articles as often.
_NUMBERS: Mapping[str, str] = {
    word: str(number)
    for number, words in {
        2: "two zwei dos deux", 3: "three drei tres", 4: "four vier cuatro", 5: "five fünf cinco",
        6: "six sechs seis", 7: "seven sieben siete", 8: "eight acht ocho", 9: "nine neun nueve",
        10: "ten zehn diez", 11: "eleven elf once", 12: "twelve zwölf doce", 15: "fifteen",
        20: "twenty", 30: "thirty",
    }.items()
    for word in words.split()
}  # fmt: skip
_NEGATIVE = frozenset(
    "none nobody nothing neither without nowhere keine keinen keiner keinem nie niemals ohne nada "
    "nunca sin jamás ninguno ninguna jamais niet geen não sem".split()
)
# What is said before the one of two that is not to be chosen.
_RATHER = frozenset({("rather", "than"), ("instead", "of"), ("hands", "off")})
_RATHER_WORDS = frozenset("statt anstatt anstelle".split())
# How a clause begins that forbids something, and the words of which one says it of what is in its
# clause: outright, or if it is negated.
_FORBIDS = lazy_pattern(
    r"(?:^|[.!;:] )\W*(?:please |bitte )?(?:never|do not|don't|no|hands off|nie|niemals|keine?)\b"
    r"(?!,| one\b)"
)
_FORBIDDEN = frozenset("forbidden banned prohibited off-limits verboten tabu".split())
_ALLOWED = frozenset("allowed permitted erlaubt gestattet".split())
_CLAUSE_ENDS = lazy_pattern(r"[,;:.!?()–—]")
# What leaves no room for another: "only", "always", "never".
ABSOLUTE = frozenset(
    "only always all every everything everyone any must never nothing else whole both each alone "
    "solely just entirely exclusively nur immer alle siempre solo sólo todo todos".split()
)
# What has become of something that was otherwise before.
_CHANGED = (
    "switched|moved?|replaced|changed|migrated|raised|lowered|reduced|extended"
    "|shortened|increased|decreased|bumped|upgraded|downgraded|dropped|grown|cut|handed"
    "|took over|closed|archived|removed|renamed|renewed|doubled|halved|postponed"
    "|rescheduled|improved|completed|updated|revised|risen|reached|wurden?"
)
# The same with what it is now: "closed" alone is a state.
_CHANGED_TO = lazy_pattern(rf"\b(?:{_CHANGED})(?: \S+){{0,3}}? (?:to|into|auf|nach)\b")
# How a statement says that something has changed, by sort.
CHANGES = tuple(
    (sort, lazy_pattern(pattern))
    for sort, pattern in (
        (
            "ended",
            r"\b(?:no longer|any ?longer|any ?more|nicht mehr|ya no|gone|out|off)\b|不再|もう",
        ),
        ("instead", r"\b(?:instead|statt|sino|en lugar)\b|ではなく|改用|改为"),
        (
            "since",
            r"\b(?:as of|since|starting|seit|desde|a partir de|from (?:now|next|\S+ on)"
            r"|ab (?:heute|sofort))\b|以降",
        ),
        (
            "now",
            r"\b(?:now|today|yesterday|meanwhile|recently|jetzt|ahora"
            r"|(?:last|this) (?:week|month|sprint|morning|year))\b|现在|今後",
        ),
        ("changed", rf"\b(?:{_CHANGED}|に変更)\b"),
        ("from_to", r"\bfrom \S+(?: \S+)? to \S+|\bvon \S+(?: \S+)? auf \S+"),
    )
)


@attrs.frozen
class Word:
    """One word of a statement.

    Attributes:
        sort: "n" a number, "i" an identifier, "p" a proper name, "w" any other.
        weight: how much it tells, up to 1; small words next to nothing.
    """

    text: str
    stem: str
    sort: str
    weight: float


@attrs.frozen(slots=False, eq=False)
class Statement:
    """A statement as it is compared: its words in order, their vectors, where it is negated.

    Attributes:
        clauses: before which of its words a clause ends.
    """

    text: str
    words: tuple[Word, ...]
    vectors: Vector
    negations: tuple[int, ...]
    clauses: tuple[int, ...] = ()

    @cached_property
    def lower(self) -> str:
        """The text, lower case."""
        return self.text.lower()

    @cached_property
    def stems(self) -> tuple[str, ...]:
        """The stems of its words."""
        return tuple(word.stem for word in self.words)

    @cached_property
    def content(self) -> tuple[int, ...]:
        """Where its telling words stand."""
        return tuple(n for n, word in enumerate(self.words) if word.weight > 2 * STOP_WEIGHT)

    @cached_property
    def telling(self) -> tuple[Word, ...]:
        """Its telling words."""
        return tuple(self.words[n] for n in self.content)

    @cached_property
    def telling_stems(self) -> Mapping[str, float]:
        """The stems of its telling words, and how much each tells."""
        return {word.stem: word.weight for word in self.telling}

    @cached_property
    def telling_weight(self) -> float:
        """How much they tell in all."""
        return sum(word.weight for word in self.telling)

    @cached_property
    def numbers(self) -> list[int]:
        """Where its numbers stand."""
        return [n for n, word in enumerate(self.words) if word.sort == "n"]

    @cached_property
    def rejections(self) -> tuple[int, ...]:
        """Before which of its words it says that what follows is not so, or not to be chosen."""
        pairs = pairwise(word.text for word in self.words)
        rather = [n + 2 for n, pair in enumerate(pairs) if pair in _RATHER]
        rather += [n + 1 for n, word in enumerate(self.words) if word.text in _RATHER_WORDS]
        return (*self.negations, *rather)

    @cached_property
    def forbids(self) -> bool:
        """Whether it says what is not to be done."""
        return bool(self._forbidden_at) or _FORBIDS.search(self.lower) is not None

    @cached_property
    def rejected(self) -> tuple[tuple[int, ...], ...]:
        """Where the telling words of what it rejects stand, clause by clause."""
        places = {*self.rejections, *self._forbidden_at}
        return tuple(filter(None, map(self._rejected_from, sorted(places))))

    @cached_property
    def _forbidden_at(self) -> frozenset[int]:
        words = enumerate(self.words)
        return frozenset(
            n
            for n, word in words
            if word.text in _FORBIDDEN or (word.text in _ALLOWED and n in self.negations)
        )

    def _rejected_from(self, place: int) -> tuple[int, ...]:
        begin = max((n for n in self.clauses if n <= place), default=0)
        end = next((n for n in self.clauses if n > place), len(self.words))
        if place in self._forbidden_at:
            return tuple(n for n in self.content if begin <= n < end and n != place)
        return tuple(n for n in self.content if place <= n < end)

    @cached_property
    def weights(self) -> Vector:
        """How much each of its words tells."""
        import numpy as np

        return np.array([word.weight for word in self.words], np.float32)

    @cached_property
    def pooled(self) -> Vector:
        """The sum of its words' vectors by weight."""
        pooled: Vector = self.weights @ self.vectors
        return pooled

    @cached_property
    def changes(self) -> frozenset[str]:
        """Sorts of words by which it says that something has changed."""
        return frozenset(sort for sort, cue in CHANGES if cue.search(self.lower))

    @cached_property
    def says_changed_to(self) -> bool:
        """Whether it says outright that something has become another."""
        return not self.negations and _CHANGED_TO.search(self.lower) is not None

    @cached_property
    def total_weight(self) -> float:
        """How much all of its words tell."""
        return float(self.weights.sum())

    @cached_property
    def small_words(self) -> frozenset[str]:
        """Its words that tell next to nothing."""
        return frozenset(word.text for word in self.words if word.weight <= 2 * STOP_WEIGHT)

    @cached_property
    def is_absolute(self) -> bool:
        """Whether it leaves no room for another."""
        return any(word.text in ABSOLUTE for word in self.words)

    def of_sort(self, sort: str) -> frozenset[str]:
        """The stems of its words of a sort."""
        return self._by_sort.get(sort, frozenset())

    @cached_property
    def _by_sort(self) -> Mapping[str, frozenset[str]]:
        stems: dict[str, set[str]] = {}
        for word in self.words:
            stems.setdefault(word.sort, set()).add(word.stem)
        return {sort: frozenset(some) for sort, some in stems.items()}


class StatementReader:
    """Reader of texts into statements, with the word vectors of an encoder, or without any."""

    def __init__(self, encoder: StaticEncoder | None = None) -> None:
        self._encoder = encoder
        self._vocabulary = _Vocabulary(encoder)

    @property
    def has_vectors(self) -> bool:
        """Whether words are compared by vectors too."""
        return self._encoder is not None

    def read(self, text: str) -> Statement | None:
        """Return a text as a statement, or None if it says nothing in words."""
        return self.read_all([text])[0]

    def read_all(self, texts: Sequence[str]) -> list[Statement | None]:
        """Return texts as statements: what is new in all of them is looked up at once."""
        if self._vocabulary.is_full:
            self._vocabulary = _Vocabulary(self._encoder)
        pieces = [_Pieces.of(text) for text in texts]
        self._vocabulary.learn(piece for some in pieces for piece in some.said)
        return [self._statement(some) for some in pieces]

    def _statement(self, pieces: _Pieces) -> Statement | None:
        words, vectors = self._vocabulary.find(pieces.said)
        if not any(word.weight > 2 * STOP_WEIGHT for word in words):
            return None
        return Statement(pieces.plain, words, vectors, pieces.negations, pieces.clauses)


# A word as it is compared, lower case, and the sort that its letters make it.
_Piece = tuple[str, str]


class _Pieces(NamedTuple):
    """A text cut into words.

    Attributes:
        plain: what is read of it. said: its words but for negations. negations: before which of
            them it is negated. clauses: before which of them a clause ends.
    """

    plain: str
    said: list[_Piece]
    negations: tuple[int, ...]
    clauses: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> _Pieces:
        """Return the words of a text, as many as are read."""
        plain = _CODE_BLOCK.sub(" ", text[: 2 * _MOST_CHARACTERS])
        plain = _THOUSANDS.sub("", nfkc(plain).replace("’", "'"))[:_MOST_CHARACTERS]
        said: list[_Piece] = []
        negations = []
        clauses = []
        is_first, end = _WORD.match(plain) is not None, 0
        for match in _WORD.finditer(plain):
            if _CLAUSE_ENDS.search(plain, end, match.start()):
                clauses.append(len(said))
            end = match.end()
            for piece in _pieces(match[0], is_first=is_first):
                if not piece[1]:
                    negations.append(len(said))
                    continue
                said.append(piece)
                if len(said) == _MOST_WORDS:
                    return cls(plain, said, tuple(negations), tuple(clauses))
            is_first = False
        return cls(plain, said, tuple(negations), tuple(clauses))


@lru_cache(maxsize=_MOST_VECTORS)
def _pieces(word: str, *, is_first: bool) -> tuple[_Piece, ...]:
    """Return what a word is compared by; a negation is of no sort. A capital at the beginning of a
    text tells nothing."""
    lower = word.lower()
    if not word.isascii() and is_unsegmented(word):
        pieces = [(part, "w") for part in segments(lower) or [lower]]
    elif word[0].isdigit() or lower in _NUMBERS:
        pieces = [(_number(_NUMBERS.get(lower, lower)), "n")]
    elif _CODE.search(word) or word[1:] != lower[1:]:
        pieces = [(lower, "i")]
    else:
        pieces = [(lower, "p" if word[0].isupper() and not is_first else "w")]
    return tuple((text, "" if _negates(text) else sort) for text, sort in pieces)


def _negates(piece: str) -> bool:
    return is_negation(piece) or piece in _NEGATIVE


class _Vocabulary:
    """Vocabulary of one process: words with their unit vectors, which are rows of one array.

    Attributes:
        vectors: the first row is nought, for words without a vector.
    """

    def __init__(self, encoder: StaticEncoder | None) -> None:
        import numpy as np

        self._encoder = encoder
        self._words: dict[_Piece, tuple[Word, int]] = {}
        self._count = 1
        self._rows: dict[str, tuple[int, float]] = {}
        size = (_FIRST_ROWS, encoder.dimensions) if encoder else (1, 1)
        self.vectors: Vector = np.zeros(size, np.float32)

    @property
    def is_full(self) -> bool:
        """Whether it should be given up for a new one."""
        return len(self._words) >= _MOST_VECTORS

    def learn(self, pieces: Iterable[_Piece]) -> None:
        """Take up those of some words that are new."""
        fresh = [piece for piece in dict.fromkeys(pieces) if piece not in self._words]
        unknown = [
            text for text in dict.fromkeys(text for text, _ in fresh) if text not in self._rows
        ]
        if unknown:
            self._rows |= dict(zip(unknown, self._embed(unknown), strict=True))
        for text, sort in fresh:
            row, length = self._rows[text]
            self._words[text, sort] = _word(text, sort, length), row

    def find(self, said: Sequence[_Piece]) -> tuple[tuple[Word, ...], Vector]:
        """Return words that were learnt, and their vectors."""
        entries = [self._words[piece] for piece in said]
        rows = [row for _, row in entries]
        return tuple(word for word, _ in entries), self.vectors[rows]

    def _embed(self, words: Sequence[str]) -> list[tuple[int, float]]:
        """Return the rows of the vectors of new words, and how long the sums of their pieces are:
        nought for those that have none."""
        import numpy as np

        tokens = self._encoder.tokenize(words) if self._encoder else []
        ids = [number for some in tokens for number in some]
        if self._encoder is None or not ids:
            return [(0, 0.0)] * len(words)
        until = self._count + len(words)
        while until > len(self.vectors):
            self.vectors = np.concatenate([self.vectors, np.zeros_like(self.vectors)])
        counts = np.array([len(some) for some in tokens])
        has_any = np.flatnonzero(counts)
        sums = np.zeros((len(words), self._encoder.dimensions), np.float32)
        starts = (np.cumsum(counts) - counts)[has_any]
        token_rows = self._encoder.token_rows(ids).astype(np.float32)
        sums[has_any] = np.add.reduceat(token_rows, starts, axis=0)
        sizes = np.sqrt(np.einsum("ij,ij->i", sums, sums))
        lengths = sizes / np.sqrt(np.maximum(counts, 1))
        self.vectors[self._count : until] = sums / np.maximum(sizes, _NO_LENGTH)[:, None]
        rows = range(self._count, until)
        self._count = until
        return list(zip(rows, lengths.tolist(), strict=True))


def _word(piece: str, sort: str, length: float) -> Word:
    """Return a word with how much it tells; `length` is that of its vector, 0 for none."""
    if sort == "n":
        return Word(piece, piece, sort, _UNKNOWN_WEIGHT)
    if sort == "i":
        return Word(piece, stem(piece), sort, 1.0)
    if piece in STOP or piece in FOREIGN:
        return Word(piece, stem(piece), "w", STOP_WEIGHT)
    weight = min(1.0, length / _TELLING_LENGTH) if length else _UNKNOWN_WEIGHT
    return Word(piece, stem(piece), sort, weight)


def _number(text: str) -> str:
    """Return a number as one writes it: 03:00 is 3, 1.0 is 1."""
    bare = text.lstrip("0") or "0"
    head, _, tail = bare.replace(":", ".").rpartition(".")
    return head if head and not tail.strip("0") and "." not in head else bare


def in_common(first: Statement, second: Statement) -> float:
    """Return roughly how much two statements have in common, 0 to 1: far faster than to judge."""
    shared = set(first.stems) & set(second.stems)
    weights = {word.stem: word.weight for word in first.words if word.stem in shared}
    share = sum(weights.values()) / min(first.total_weight, second.total_weight)
    if first.vectors.shape[1] == 1:  # read without word vectors
        return share
    return (share + max(0.0, cosine(first.pooled, second.pooled))) / 2


def said_in(statement: Statement, text: str) -> float:
    """Return roughly how much of a statement, or of a shorter text, the two say in the same words,
    0 to 1: the text need not be read as a statement."""
    lower = text.lower()
    shared = sum(weight for stem, weight in statement.telling_stems.items() if stem in lower)
    length = statement.telling_weight * min(1.0, len(text) / len(statement.text))
    return min(1.0, shared / max(length, STOP_WEIGHT))


def said_only_in(text: str, other: str) -> list[str]:
    """Return the numbers, identifiers and proper names of a text, as it writes them and in its
    order, that another text does not say in any form."""
    pieces = _Pieces.of(other).said
    said = {word for word, _ in pieces} | {stem(word) for word, _ in pieces}
    plain = nfkc(text[:_MOST_CHARACTERS])
    only: dict[str, None] = {}
    for match in _WORD.finditer(plain):
        for word, sort in _pieces(match[0], is_first=not plain[: match.start()].strip()):
            if sort and sort in "nip" and said.isdisjoint((word, stem(word))):
                only[match[0]] = None
    return list(only)


def cosine(a: Any, b: Any) -> float:
    """Return the cosine of two vectors, 0 if one is nought."""
    return float(a @ b) / max(1e-6, math.sqrt(float(a @ a) * float(b @ b)))
