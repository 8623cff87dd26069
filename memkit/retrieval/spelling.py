"""Spelling: what a query means by words that are nowhere in the store as they are typed.

A misspelt word is looked for among the store's own words, a compound as its two words and two
neighbouring words as one. An identifier that is not stored (OPS-9999 beside OPS-2291) tells
nothing by its parts. Nothing here looks at a word that is found as it is typed.
"""

from __future__ import annotations

import json
import math
import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice, pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from ..errors import EncoderError, StoreDamaged
from ..frozen import frozen
from ..memories.search_document import is_plain_word, split_words
from ..text.patterns import lazy_pattern
from ..text.word_lists import FOREIGN, STOP
from .query import MAX_TERMS, RecallQuery, Term, any_of, is_foreign, parse_query, quoted

if TYPE_CHECKING:
    from ..memories.search_index import Index
    from ..store.store import Store

Counts = Callable[[Sequence[str]], Mapping[str, int]]

# A shorter word has too many others within one edit.
SHORTEST = 4
# Longest word whose correction is one edit away; of a longer one two letters may be wrong, but then
# the first is right.
ONE_EDIT = 7
# Longest word in which no letter stands for another.
ONE_LETTER_FOR_ANOTHER = 4
# Longest stem that is no word by itself to compare with.
LONGEST_BARE_STEM = 5
# Letters that a stem may lack of its word ("local" of "locally", "configur" of "configurations").
LONGEST_ENDING = 5
# The same of a short word.
SHORT_ENDING = 3
# Words of one query that are corrected, and stems that are looked at for each.
MAX_CORRECTED = 12
MAX_STEMS = 12
# Stems kept: some 10 MB with their letters; the rarest of a larger store are not corrected to.
MAX_VOCABULARY = 200_000
# Memories read to see whether they hold a name in capitals.
MAX_SCANNED = 5_000
# What a correction weighs beside a word that is found as it is typed.
CORRECTED_WEIGHT = 0.8
# Share of an edit that ten times as many memories with a word make up for.
FREQUENCY = 0.15
# Edits that each letter counts by which a stem is shorter than what was typed.
BEYOND_STEM = 0.2
# Characters read of a memory to see how the word of a stem is spelt.
_READ = 20_000

# Pairs of neighbouring words, and identifiers, that are looked up for one query.
MAX_JOINED = 24
# Letters that no word list knows: an encoder that takes them for one word has none.
_NONSENSE = "qzxvjkwq"
# Identifiers that occur nowhere, as many as count as words of the question and are told.
MAX_ABSENT = 3
# An expression that no memory matches.
NOTHING = '""'

_WORD = lazy_pattern(r"[^\W_]+(?:['’][^\W_]+)*")
# What stands beside a word that is part of a name in code, a path, an address.
_CODE = lazy_pattern(r"[_/\\@#$=]|[.:]\w|[.:]{2}|\(\)")
_TOKEN = lazy_pattern(r"(?<![\w.,/\\@+-])[\w\-:#]+(?![\w/\\@]|[.,]\w)")
# Groups of letters and digits; a single one is capitals and at least two digits, or a hash.
_IDENTIFIER = lazy_pattern(
    r"[A-Za-z0-9]+(?:[-_#][A-Za-z0-9]+)+|[A-Z]{1,6}\d{2,}[A-Z]?|(?=\w*\d)(?=\w*[a-f])[0-9a-f]{7,40}"
)
_DIGITS = lazy_pattern(r"\d{3}|[A-Z][-_#]?\d|\d-?[A-Z]|[0-9a-f]{7}")
_LETTER = lazy_pattern(r"[A-Za-z]")


# -- edit distance


def edit_distance(word: str, other: str) -> int:
    """Return how many letters are to be added, dropped, changed, or swapped with their neighbour
    to turn one word into the other (optimal string alignment)."""
    before: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(word, 1):
        before, last, row = row, before, [i]
        for j, facing in enumerate(other, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != facing))
            if i > 1 < j and letter == other[j - 2] and facing == word[i - 2]:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def letter_codes(stems: Sequence[str]) -> Any:
    """Return the letters of words as numbers, a row each, i for the y that the stemmer changes at
    the end of a word; 0 behind the last."""
    import numpy as np

    size = max(map(len, stems), default=0)
    filled = "".join(stem.ljust(size, "\0") for stem in stems).replace("y", "i")
    codes = np.frombuffer(filled.encode("utf-32-le", "replace"), np.uint32)
    return np.minimum(codes, 0xFFFF).astype(np.uint16).reshape(len(stems), size)


def distances(word: str, codes: Any, lengths: Any, *, ending: int) -> Any:
    """Return the edit distance of each row of letters to the word without the 0 to `ending` last
    letters that bring it nearest.

    All stems at once, letter by letter, by the bits of their columns in the table of distances
    (Hyyrö 2003); the word has at most LONGEST_WORD letters.
    """
    import numpy as np

    word = word.replace("y", "i")
    places = _places(word)
    last_bit = np.uint64(1 << (len(word) - 1))
    bit = np.uint64(1)
    plus = np.full(len(codes), (1 << len(word)) - 1, np.uint64)
    minus, same_before, diagonal = np.zeros((3, len(codes)), np.uint64)
    score = np.full(len(codes), len(word), np.int64)
    nearest = _with_endings(score, plus, minus, size=len(word), ending=ending)
    for at, letters in enumerate(np.ascontiguousarray(codes.T), 1):
        same = places.take(letters)
        swapped = ((~diagonal & same) << bit) & same_before
        diagonal = ((((same & plus) + plus) ^ plus) | same | minus) | swapped
        up, down = minus | ~(diagonal | plus), diagonal & plus
        score += ((up & last_bit) != 0).astype(np.int64) - ((down & last_bit) != 0)
        up, down = (up << bit) | bit, down << bit
        plus, minus = down | ~(diagonal | up), up & diagonal
        same_before = same
        final = lengths == at
        if final.any():
            nearest[final] = _with_endings(
                score[final], plus[final], minus[final], size=len(word), ending=ending
            )
    return nearest


def _places(word: str) -> Any:
    """Return for each letter's number the set of its places in a word, as bits."""
    import numpy as np

    places = np.zeros(0x10000, np.uint64)
    for at, letter in enumerate(word):
        places[min(ord(letter), 0xFFFF)] |= np.uint64(1 << at)
    return places


def _with_endings(score: Any, plus: Any, minus: Any, *, size: int, ending: int) -> Any:
    """Return the least of the last `ending` + 1 entries of columns of the table of distances."""
    import numpy as np

    nearest, above = score.copy(), score.copy()
    for bit in range(size - 1, max(size - 1 - ending, 0), -1):
        shift = np.uint64(bit)
        step = (plus >> shift & np.uint64(1)).astype(np.int64)
        above = above - step + (minus >> shift & np.uint64(1)).astype(np.int64)
        nearest = np.minimum(nearest, above)
    return nearest


# -- vocabulary


@frozen(eq=False)
class Vocabulary:
    """The stems of a store's words, the shortest first, with in how many memories each occurs.

    Attributes:
        codes: their letters as numbers, a row each. letters: the set of them, as bits.
    """

    stems: Sequence[str]
    counts: Any
    lengths: Any
    codes: Any
    letters: Any

    @classmethod
    def of(cls, stems: Sequence[str], counts: Sequence[int]) -> Vocabulary:
        """Return the vocabulary of these stems."""
        import numpy as np

        order = sorted(range(len(stems)), key=lambda place: len(stems[place]))
        stems, counts = [stems[at] for at in order], [counts[at] for at in order]
        codes = letter_codes(stems)
        letters = np.zeros(len(stems), np.uint64)
        for column in codes.T:
            bits = np.uint64(1) << (column & np.uint16(63)).astype(np.uint64)
            letters |= bits * (column > 0)
        lengths = np.fromiter(map(len, stems), np.int16, len(stems))
        return cls(tuple(stems), np.array(counts, np.int64), lengths, codes, letters)

    def near(self, word: str) -> dict[str, int]:
        """Return the stems that may be of the word that is meant, the likeliest first, with their
        counts."""
        import numpy as np

        if not self.stems:
            return {}
        limit, size, ending = edits_allowed(word), len(word), ending_of(word)
        shortest = int(np.searchsorted(self.lengths, size - ending - limit))
        longest = int(np.searchsorted(self.lengths, size + limit, side="right"))
        places = self._alike(word, slice(shortest, longest)) + shortest
        lengths = self.lengths[places]
        apart = distances(word, self.codes[places], lengths, ending=ending)
        rank = apart - FREQUENCY * np.log10(self.counts[places])
        rank += np.abs(lengths - size) * BEYOND_STEM
        close = np.flatnonzero(apart <= limit)
        order = places[close[np.argsort(rank[close], kind="stable")[:MAX_STEMS]]]
        return {self.stems[place]: int(self.counts[place]) for place in order.tolist()}

    def _alike(self, word: str, part: slice) -> Any:
        """Return which of a part of the stems have few other letters than a word: few enough for
        one edit, or for all that are allowed behind the same first letter."""
        import numpy as np

        own = np.uint64(_letter_bits(word.replace("y", "i")))
        letters = self.letters[part]
        others = np.bitwise_count(letters & ~own)
        few = np.flatnonzero(others <= edits_allowed(word))
        same_first = self.codes[part][few, 0] == ord(word[0].replace("y", "i"))
        edits = np.where(same_first, edits_allowed(word), 1)
        missing = np.bitwise_count(own & ~letters[few])
        alike = (others[few] <= edits) & (missing <= edits + ending_of(word))
        return few[alike]


def ending_of(word: str) -> int:
    """Return how many of the last letters of a word its stem may lack."""
    return LONGEST_ENDING if len(word) > ONE_EDIT else SHORT_ENDING


def edits_allowed(word: str) -> int:
    """Return how many edits a word may be away from what is meant."""
    return 1 if len(word) <= ONE_EDIT else 2


def _letter_bits(word: str) -> int:
    bits = 0
    for letter in word:
        bits |= 1 << (ord(letter) & 63)
    return bits


def spelt(word: str, texts: Mapping[str, str], counts: Mapping[str, int]) -> str | None:
    """Return the word that is meant by a misspelt one, or None: the nearest of those in `texts`,
    by stem a text that holds a word of it; the more frequent of equals."""
    ranked: list[tuple[float, str]] = []
    for stem, text in texts.items():
        begins, common = stem[:-1], FREQUENCY * math.log10(counts[stem])
        for form in {w for w in map(plain, _WORD.findall(text)) if w.startswith(begins)}:
            apart = edits(word, form, stem)
            if apart is not None:
                ranked.append((apart - common, form))
    return min(ranked)[1] if ranked else None


def edits(word: str, form: str, stem: str) -> int | None:
    """Return how many edits a word is from a form of a stem, None if it is no misspelling of it.

    A short word with one letter for another is another word.
    """
    # Many a stem is a word too, though the one text that was read has another form of it.
    variants = {form, form.removesuffix("s"), *([stem] if len(stem) > LONGEST_BARE_STEM else [])}
    nearest, likest = min((edit_distance(word, variant), variant) for variant in variants)
    apart = nearest or 1
    short = len(word) <= ONE_LETTER_FOR_ANOTHER
    is_other = short and (len(likest) < SHORTEST or _is_changed(word, likest))
    return None if is_other or apart > edits_allowed(word) else apart


def _is_changed(word: str, other: str) -> bool:
    """Whether two words have as many letters, and not the same ones."""
    return len(word) == len(other) and sorted(word) != sorted(other)


def plain(word: str) -> str:
    """Return a word as full-text search compares it: lower case, without accents."""
    lower = word.lower()
    if lower.isascii():
        return lower
    return "".join(c for c in unicodedata.normalize("NFKD", lower) if not unicodedata.combining(c))


# -- the store's words


class Speller:
    """Spelling corrector with the vocabulary of one store.

    The vocabulary is read for the first unknown word and again when the file has changed."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        self._vocabulary: tuple[object, Vocabulary] | None = None

    def corrected(self, word: str) -> str | None:
        """Return the word of the store that a word is a misspelling of, or None; damage to the
        index, of which looking up its words tells, leaves it as it is."""
        try:
            stems = self.vocabulary().near(word)
            listed = json.dumps(list(stems))
            texts = self._store.all("retrieval.texts_with", stems=listed, max_length=_READ)
        except StoreDamaged:
            return None
        return spelt(word, dict(texts), stems)

    def is_word(self, word: str) -> bool:
        """Whether a word is one that the encoder's own vocabulary holds as a whole, so that it is
        hardly misspelt; an encoder that takes any letters for a word knows none."""
        try:
            encoder = self._index.encoder()
            ids, nonsense = ([], []) if encoder is None else encoder.tokenize([word, _NONSENSE])
        except (EncoderError, ImportError):
            return False
        return len(ids) == 1 != len(nonsense)

    def vocabulary(self) -> Vocabulary:
        """Return the vocabulary of the store as it is now."""
        state = self._store.state()
        known = self._vocabulary  # read once: another thread may ask at another state
        if known is None or known[0] != state:
            stems, counts = self._store.all("retrieval.words", limit=MAX_VOCABULARY)[0]
            loaded = Vocabulary.of(_listed(stems), [int(count) for count in _listed(counts)])
            self._vocabulary = known = (state, loaded)
        return known[1]


def _listed(joined: str | None) -> list[str]:
    return joined.split(" ") if joined else []


# -- a query that is spelt anew


class Respelling(NamedTuple):
    """A query as it is looked up in a store, and what is to be said of that."""

    question: RecallQuery
    notes: tuple[str, ...] = ()


def respelt(question: RecallQuery, counts: Counts, speller: Speller) -> Respelling:
    """Return the query with its misspelt words corrected, its compounds parted and joined, and
    without the parts of identifiers that occur nowhere.

    `counts` returns for FTS5 expressions in how many memories each occurs.
    """
    names = identifiers(question.text)
    joined = neighbours_joined(question.text)
    apart = [quoted(" ".join(pair)) for pair in joined]
    probes = [*names.values(), *map(quoted, joined.values()), *apart]
    matches = [term.match for term in question.terms]
    occurrences = counts([*matches, *question.phrases, *probes])
    absent = [name for name, match in names.items() if not occurrences[match]]
    pairs = {pair: word for pair, word in joined.items() if occurrences[quoted(word)]}
    text = _without(question.text, absent)
    unknown = [term.word for term in question.terms if not occurrences[term.match]]
    words = [word for word in unknown if is_correctable(word, text)][:MAX_CORRECTED]
    corrections = {
        **{" ".join(pair): word for pair, word in pairs.items() if is_one_word(pair, occurrences)},
        **_corrections(words, counts, speller),
    }
    if absent or corrections:
        text = _replaced(text, corrections)
        again = parse_query(text, now=question.now)
        again = attrs.evolve(again, time_ranges=question.time_ranges)
        question = _with_corrections(again, corrections, absent)
    # In a pasted log there are dozens, which say nothing of the question.
    notes = tuple(f"{name} occurs nowhere" for name in absent) if len(absent) <= MAX_ABSENT else ()
    question = _with_joined(question, pairs)
    if is_foreign(question.text):
        question = _of_its_language(question, counts)
    return Respelling(question, notes)


def _of_its_language(question: RecallQuery, counts: Counts) -> RecallQuery:
    """Return a query in another language without its function words, and with words that the store
    does not hold as ones that vectors are not to see.

    The models know English: of another language they see letters, which are near to whatever is
    written in it. What a memory shares with the query tells: loan words, names, numbers.
    """
    telling = question.without(FOREIGN)
    occurrences = counts([term.match for term in telling.terms])
    if not any(occurrences[term.match] for term in telling.terms):
        return telling if telling.terms else question
    terms = tuple(
        term if occurrences[term.match] else term._replace(is_absent=True) for term in telling.terms
    )
    return attrs.evolve(telling, terms=terms)


def is_one_word(pair: tuple[str, str], occurrences: Mapping[str, int]) -> bool:
    """Whether two telling words that make up a word of the store stand nowhere side by side."""
    return not occurrences[quoted(" ".join(pair))] and STOP.isdisjoint(pair)


def _corrections(words: Sequence[str], counts: Counts, speller: Speller) -> Mapping[str, str]:
    """Return what each of some unknown words means, where that is seen: two words of the store, one
    word of it, or a function word."""
    splits = {word: parted(word) for word in words}
    phrases = {pair: quoted(pair) for pairs in splits.values() for pair in pairs}
    occurrences = counts(list(phrases.values())) if phrases else {}
    corrections: dict[str, str] = {}
    for word in words:
        pairs = [pair for pair in splits[word] if occurrences[phrases[pair]]]
        if pairs:
            corrections[word] = max(pairs, key=lambda pair: occurrences[phrases[pair]])
        elif not speller.is_word(word) and (
            correction := _function_word(word) or _word(word, speller)
        ):
            corrections[word] = correction
    return corrections


def _word(word: str, speller: Speller) -> str | None:
    return speller.corrected(word) if len(word) >= SHORTEST else None


def _function_word(word: str) -> str | None:
    """Return the function word of at least three letters that is one edit away, but for its first
    letter; of a word of three letters two must be swapped."""
    near = (
        stop
        for stop in sorted(STOP)
        if len(stop) >= 3
        and stop[0] == word[0]
        and abs(len(stop) - len(word)) <= 1
        and (len(word) > 3 or sorted(stop) == sorted(word))
        and edit_distance(stop, word) == 1
    )
    return next(near, None)


def parted(word: str) -> list[str]:
    """Return the ways to part a word into two of at least three letters."""
    return [f"{word[:at]} {word[at:]}" for at in range(3, len(word) - 2)]


def neighbours_joined(text: str) -> Mapping[tuple[str, str], str]:
    """Return the words that two neighbouring words of a text would be if they were written as one,
    by these two; a blank or a hyphen stands between, and one of them tells something."""
    joined: dict[tuple[str, str], str] = {}
    for first, second in pairwise(_WORD.finditer(text)):
        pair = first[0].lower(), second[0].lower()
        is_near = text[first.end() : second.start()] in (" ", "-")
        if is_near and all(map(str.isalpha, pair)) and pair[0] not in STOP:
            joined[pair] = "".join(pair)
    return dict(islice(joined.items(), MAX_JOINED))


# Letters of a word that is compared with the store's: as many as fit a set of bits. What is longer
# is a run of something.
LONGEST_WORD = 63


def is_correctable(word: str, text: str) -> bool:
    """Whether a word in lower case is letters alone and stands in a text as words do: in letters of
    one case, not all capitals, and in no name, path or address."""
    if not 3 <= len(word) <= LONGEST_WORD or not word.isalpha() or not word.isascii():
        return False
    around = re.compile(rf"(?<![^\W_]){re.escape(word)}(?![^\W_])", re.I)
    places = list(around.finditer(text))
    return bool(places) and all(
        is_plain_word(place[0])
        and not (place[0].isupper() and not text.isupper())
        and not _CODE.search(text[max(place.start() - 1, 0) : place.start()])
        and not _CODE.match(text[place.end() : place.end() + 2])
        for place in places
    )


def identifiers(text: str) -> Mapping[str, str]:
    """Return the identifiers with digits in a text (OPS-2291, ERR_QX_4472, E0107, a hash), each
    with the FTS5 expression of the whole; no versions, dates, amounts, paths."""
    expressions: dict[str, str] = {}
    for token in _TOKEN.findall(text):
        name = token.strip("-_:#")
        if _IDENTIFIER.fullmatch(name) and _DIGITS.search(name) and _LETTER.search(name):
            expressions[name] = quoted(
                " ".join(p for w in _WORD.findall(name) for p in parts_of(w))
            )
    return dict(islice(expressions.items(), MAX_JOINED))


def parts_of(word: str) -> list[str]:
    """Return the parts of a word that stand in the index, the word itself if it has none."""
    return list(split_words(word)) or [word]


def _without(text: str, names: Iterable[str]) -> str:
    for name in names:
        text = re.sub(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", " ", text)
    return text


def _replaced(text: str, corrections: Mapping[str, str]) -> str:
    for word, correction in corrections.items():
        typed = word.replace(" ", "[ -]")
        text = re.sub(rf"(?<![^\W_]){typed}(?![^\W_])", correction, text, flags=re.I)
    return text


def _with_corrections(
    question: RecallQuery, corrections: Mapping[str, str], absent: Sequence[str]
) -> RecallQuery:
    """Return the query with a lower weight of words that were corrected, and with the identifiers
    that occur nowhere as words that nothing holds."""
    typed = {part: word for word, correction in corrections.items() for part in correction.split()}
    terms = [
        term._replace(typed=typed[term.word], weight=term.weight * CORRECTED_WEIGHT)
        if term.word in typed
        else term
        for term in question.terms
    ]
    lost = [Term(name.lower(), NOTHING, is_absent=True) for name in absent[:MAX_ABSENT]]
    every = (*terms, *lost)[:MAX_TERMS]
    clauses = question.clauses
    if clauses:
        whole = clauses[0]._replace(terms=(1 << len(every)) - 1)
        clauses = (whole, *clauses[1:])
    return attrs.evolve(question, terms=every, clauses=clauses)


def _with_joined(question: RecallQuery, pairs: Mapping[tuple[str, str], str]) -> RecallQuery:
    """Return the query in which each of two neighbouring words is also found where both are one."""
    as_one: dict[str, list[str]] = {}
    for pair, word in pairs.items():
        for part in pair:
            as_one.setdefault(part, []).append(quoted(word))
    if not as_one:
        return question
    terms = tuple(
        term._replace(match=any_of([term.match, *as_one.get(term.word, ())]))
        for term in question.terms
    )
    return attrs.evolve(question, terms=terms, names=(*question.names, *pairs.values()))


# -- names in capitals


def in_capitals(store: Store, match: str, name: str) -> list[int]:
    """Return the memories that match an FTS5 expression and hold a name in capitals, all of its
    letters or but one small (DOS, DoS), the newest first."""
    upper = name.upper()
    small = (upper[:at] + upper[at].lower() + upper[at + 1 :] for at in range(1, len(upper)))
    forms = (upper, *small) if len(upper) > 2 else (upper,)
    ids: set[int] = set()
    for form in forms:
        rows = store.all("retrieval.with_capitals", match=match, name=form, limit=MAX_SCANNED)
        ids.update(number for (number,) in rows)
    return sorted(ids, reverse=True)


def without_missing_names(question: RecallQuery, missing: Collection[str]) -> RecallQuery:
    """Return the query without the function words in capitals that no memory holds as names."""
    return question.without(STOP.intersection(missing))
