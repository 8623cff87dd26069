"""Columns of two statements laid beside each other: what a judgement of the two goes by.

Each word is laid beside the likeliest of the other statement, and the telling words one to one. The
columns say how much of each is covered, what stands in the place of what is not (numbers, names,
negations), where it stands and in which order, and whether the newer one says that something
changed.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from difflib import SequenceMatcher
from functools import cached_property, lru_cache
from itertools import pairwise, product
from typing import TYPE_CHECKING

import attrs

from ..text.analyzer import stem
from ..text.word_lists import EXCLUSIVE
from .compared_statement import CHANGES, Statement, Word, cosine

if TYPE_CHECKING:
    from ..encoder.protocol import Vector

_LIKE, _SAME, SIBLING = 0.5, 0.999, (0.4, 0.95)
# Multiplications that BLAS does on one core (OpenBLAS: up to 2^18).
_ONE_CORE = 2**18
_NUMBER_LIKENESS = 0.3  # of different numbers, whose vectors are all alike
_ROOT = 3  # letters with which two forms of a word begin
_COMPARED = 60  # words whose order is compared
_SENTENCE = 4  # words of which one end may go to the other without changing what is said
_MATCH = 0.4  # likeness from which two words may stand for each other
_APART = 0.01  # of which is lost from one end of a statement to the other
# Share of the words of both that the other one says too, from which two statements are close, and
# at which they are as close as can be.
_CLOSE = (0.55, 0.90)
_UNIT = 2  # letters of a unit that is written short
_SLOT = 3  # words at most of what stands in one place
_NAMING = 2  # words of which one names what is spoken of
_AFTER_NEGATION = 12  # words that a negation may be about
_REJECTED = 3  # telling words of them that are not affirmed
_AFFIRMED = 0.6  # likeness from which a word is said by another one
_SAID = 0.55  # share of what is rejected that has to be affirmed to contradict it
_LONG = 60
_ARTICLES = frozenset("a an the is are be been being and of by it its".split())


@attrs.frozen
class Match:
    """Two telling words that stand for each other: their places among the telling words of each
    statement, and how alike they are."""

    old: int
    new: int
    likeness: float

    @property
    def is_exact(self) -> bool:
        """Whether they are one word."""
        return self.likeness >= _SAME


@attrs.frozen(slots=False, eq=False)
class Alignment:
    """Two statements, and how alike each word of one is to each of the other one (0 to 1)."""

    older: Statement
    newer: Statement
    table: Vector

    @cached_property
    def old_likeness(self) -> Vector:
        """How alike each word of the older one is to the likeliest of the newer one."""
        likeness: Vector = self.table.max(axis=1)
        return likeness

    @cached_property
    def new_likeness(self) -> Vector:
        """How alike each word of the newer one is to the likeliest of the older one."""
        likeness: Vector = self.table.max(axis=0)
        return likeness

    @cached_property
    def partner(self) -> tuple[int, ...]:
        """For each word of the older one the likeliest of the newer one."""
        return tuple(self.table.argmax(axis=1).tolist())

    @cached_property
    def matches(self) -> tuple[Match, ...]:
        """The telling words of both, one to one, in the order of the older one: the likest first,
        and of equals those that stand at like places."""
        import numpy as np

        old, new = self.older.content[:_COMPARED], self.newer.content[:_COMPARED]
        likeness = self.table[np.ix_(old, new)]
        places = [(np.arange(len(side)) + 1) / (len(side) + 1) for side in (old, new)]
        worth = likeness - _APART * np.abs(places[0][:, None] - places[1][None, :])
        free = (set(range(len(old))), set(range(len(new))))
        matches = []
        cells = np.argwhere(worth >= _MATCH)
        for n in np.argsort(-worth[cells[:, 0], cells[:, 1]], kind="stable").tolist():
            a, b = cells[n].tolist()
            if a in free[0] and b in free[1]:
                free[0].discard(a)
                free[1].discard(b)
                matches.append(Match(a, b, float(likeness[a, b])))
        return tuple(sorted(matches, key=lambda match: match.old))

    @property
    def both(self) -> tuple[Statement, Statement]:
        """Both statements."""
        return self.older, self.newer

    def sides(self) -> tuple[tuple[Statement, Vector], tuple[Statement, Vector]]:
        """Both statements with the likeness of their words."""
        return (self.older, self.old_likeness), (self.newer, self.new_likeness)

    @cached_property
    def likenesses(self) -> tuple[list[float], list[float]]:
        """The likeness of the words of both, to look at one by one."""
        return self.old_likeness.tolist(), self.new_likeness.tolist()

    @cached_property
    def covers(self) -> tuple[float, float]:
        """How much of each statement the other one says too, 0 to 1."""
        old, new = (
            float(side.weights @ likeness) / side.total_weight for side, likeness in self.sides()
        )
        return old, new

    @cached_property
    def unlike(self) -> tuple[list[Word], list[Word]]:
        """The telling words of each that have no like in the other one."""
        old, new = (
            [side.words[n] for n in side.content if likeness[n] < _LIKE]
            for side, likeness in zip(self.both, self.likenesses, strict=True)
        )
        return old, new

    @cached_property
    def is_swapped(self) -> bool:
        """Whether each affirms what the other one rejects: this, not that; and that, not this."""
        rejected = [[words[0] for words in _rejected(side) if words] for side in self.both]
        affirmed = [sorted({*side.content}.difference(*_rejected(side), [])) for side in self.both]
        table = self.table
        if not all(affirmed) or any(table[pair] >= SIBLING[1] for pair in product(*rejected)):
            return False
        return any(
            table[old, affirmed[1]].max() >= _AFFIRMED
            and table[affirmed[0], new].max() >= _AFFIRMED
            for old, new in product(*rejected)
        )

    def is_of_one_side(self) -> bool:
        """Whether one of them forbids something, and neither affirms what the other one rejects:
        two prohibitions, or one and a rule of the same direction.

        Two that forbid the same differ in what is to be done instead, two with another number, of
        what is named alike, in a bound; and of two that say the same else a negation or an opposite
        tells."""
        if not (self.older.forbids or self.newer.forbids) or _opposites(self):
            return False
        if self._affirms_what_is_rejected():
            return False
        old, new = (side.telling_stems.keys() for side in self.both)
        apart = (old - new, new - old)
        if not any(apart):
            return len(self.older.negations) == len(self.newer.negations)
        if self._differs_in_a_bound(apart):
            return False
        stems = [
            {side.words[n].stem for words in side.rejected for n in words} for side in self.both
        ]
        return stems[0] != stems[1] or not all(apart)

    def _affirms_what_is_rejected(self) -> bool:
        """Whether one of them affirms something that the other one rejects."""
        tables = (self.table, self.table.T)
        for side, other, table in zip(self.both, self.both[::-1], tables, strict=True):
            affirmed = sorted({*other.content}.difference(*other.rejected))
            if any(_share_said(side, words, table[:, affirmed]) > _SAID for words in side.rejected):
                return True
        return False

    def _differs_in_a_bound(self, apart: Sequence[Set[str]]) -> bool:
        """Whether each has a number of its own among the words `apart`, and they are no two
        prohibitions that name something each."""
        own = [
            {sort for sort in "ni" if not some.isdisjoint(side.of_sort(sort))}
            for some, side in zip(apart, self.both, strict=True)
        ]
        shared = own[0] & own[1]
        return "n" in shared and not ("i" in shared and self.older.forbids and self.newer.forbids)

    def names_another(self) -> bool:
        """Whether the two are the same words but for one place, at which each has a name that has
        no like in the other one."""
        old, new = (side.stems[:_COMPARED] for side in self.both)
        steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        changes = [step for step in steps if step[0] != "equal"]
        if len(changes) != 1 or not _is_slot(changes[0]):
            return False
        _, at, end, to, until = changes[0]
        places = (range(at, end), range(to, until))
        sorts = [
            {side.words[n].sort for n in some} for side, some in zip(self.both, places, strict=True)
        ]
        are_names = all(not some.isdisjoint("pi") and "n" not in some for some in sorts)
        return are_names and float(self.table[at:end, to:until].max()) < _LIKE

    def shares_numbers_alone(self) -> bool:
        """Whether both say one number, and no other telling word of either has a like in the other
        one: a number of this and a number of that, by chance the same."""
        if self.older.of_sort("n").isdisjoint(self.newer.of_sort("n")):
            return False
        return all(
            likeness[n] < _LIKE or side.words[n].sort == "n"
            for side, likeness in zip(self.both, self.likenesses, strict=True)
            for n in side.content
        )

    def counts_another(self) -> bool:
        """Whether a number that both say is said by one of them, among others, of what the other
        one does not speak of."""
        shared = self.older.of_sort("n") & self.newer.of_sort("n")
        for side, likeness in zip(self.both, self.likenesses, strict=True):
            for last, number in pairwise(side.numbers):
                # The word after a number is its unit.
                words = [n for n in side.content if last + 1 < n < number]
                is_unlike = words and max(likeness[n] for n in words) < SIBLING[1]
                if is_unlike and side.words[number].stem in shared:
                    return True
        return False

    def has_prefixed_word(self) -> bool:
        """Whether the two differ in a word that is the other word with letters put before it
        (release, prerelease): in this word alone, or at one place among others."""
        telling = [[word.stem for word in side.telling] for side in self.both]
        counts = [Counter(stems) for stems in telling]
        old, new = (
            [word for word in side.telling if word.stem in rest]
            for side, rest in zip(
                self.both, (counts[0] - counts[1], counts[1] - counts[0]), strict=True
            )
        )
        prefixed = {(a.stem, b.stem) for a, b in product(old, new) if _is_prefixed(a, b)}
        if not prefixed or len(old) == len(new) == 1:
            return bool(prefixed)
        steps = SequenceMatcher(None, telling[0], telling[1], autojunk=False).get_opcodes()
        return any(
            (telling[0][at], telling[1][to]) in prefixed
            for _, at, end, to, until in steps
            if end - at == until - to == 1
        )


def _share_said(side: Statement, words: Sequence[int], likeness: Vector) -> float:
    """Return how much of some words of a statement is said by the other one, given how alike each
    is to each of its words."""
    if not likeness.shape[1]:
        return 0.0
    said = [n for n in words if likeness[n].max() >= _AFFIRMED]
    weight = sum(side.words[n].weight for n in words)
    return sum(side.words[n].weight for n in said) / weight


def _rejected(side: Statement) -> list[list[int]]:
    """Return where the first telling words after each rejection of a statement stand."""
    return [[n for n in side.content if n >= place][:_REJECTED] for place in side.rejections]


def _is_prefixed(a: Word, b: Word) -> bool:
    """Whether one of two words, as written or by its stem, is the other with letters before it."""
    forms = (sorted(form, key=len) for form in ((a.text, b.text), (a.stem, b.stem)))
    return any(_ROOT <= len(end) < len(word) and word.endswith(end) for end, word in forms)


def align(older: Statement, newer: Statement) -> Alignment:
    """Return two statements with how alike their words are."""
    import numpy as np

    table = _products(older.vectors, newer.vectors).astype(np.float64).clip(0, SIBLING[1])
    if older.numbers:
        table[older.numbers] = np.minimum(table[older.numbers], _NUMBER_LIKENESS)
    if newer.numbers:
        table[:, newer.numbers] = np.minimum(table[:, newer.numbers], _NUMBER_LIKENESS)
    places: dict[str, list[int]] = {}
    for n, word in enumerate(newer.words):
        places.setdefault(word.stem, []).append(n)
    rest = [(m, stem) for m, stem in enumerate(newer.stems) if len(stem) > _ROOT]
    for n, word in enumerate(older.words):
        if same := places.get(word.stem):
            table[n, same] = 1.0
        elif len(word.stem) > _ROOT and word.sort != "n":
            for m, likeness in _spelt_alike(word.stem, rest):
                table[n, m] = max(likeness, table[n, m])
    return Alignment(older, newer, table)


def _products(left: Vector, right: Vector) -> Vector:
    """Return the inner products of all rows, so few at a time that BLAS does it on one core: its
    threads cost more than they bring, and go on turning on a core that somebody else needs."""
    import numpy as np

    block = max(1, _ONE_CORE // right.size)
    parts = [left[at : at + block] @ right.T for at in range(0, len(left), block)]
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def _spelt_alike(word: str, others: Sequence[tuple[int, str]]) -> Iterator[tuple[int, float]]:
    """Yield the numbers of words that begin alike, or of which one is in the other, and how many
    of their letters agree."""
    root = word[:_ROOT]
    for number, other in others:
        if other[:_ROOT] == root or other in word or word in other:
            first, second = _trigrams(word), _trigrams(other)
            yield number, 2 * len(first & second) / (len(first) + len(second))


@lru_cache(maxsize=20_000)
def _trigrams(word: str) -> frozenset[str]:
    marked = f"^{word}$"
    return frozenset(marked[n : n + 3] for n in range(len(marked) - 2))


def columns(pair: Alignment) -> dict[str, float]:
    """Return all columns of a pair by name: each as it is, and by how close the two are. What they
    differ in tells next to nothing of two that are far apart, and all of two that are close."""
    values = _plain_columns(pair)
    close = (values["cover_least"] - _CLOSE[0]) / (_CLOSE[1] - _CLOSE[0])
    close = min(max(close, 0.0), 1.0)
    weighed = {f"close*{name}": close * value for name, value in values.items()}
    return {**values, "close": close, **weighed}


def _plain_columns(pair: Alignment) -> dict[str, float]:
    values = _coverage(pair)
    values |= _leftovers(pair)
    values |= _negation(pair, values)
    values |= _numbers(pair, values)
    values |= _names(pair)
    values |= _order(pair)
    values |= _crossings(pair)
    values |= _unmatched(pair)
    values |= _near_words(pair)
    values |= _ends(pair)
    values |= _changes(pair, values)
    values |= _tone(pair)
    values["opposites"] = min(len(_opposites(pair)), 2) / 2
    return values


def _coverage(pair: Alignment) -> dict[str, float]:
    """How much of each statement the other one says too."""
    covers, exact, missing = pair.covers, [], []
    for side, likeness in pair.sides():
        exact.append(float(side.weights @ (likeness >= _SAME)) / side.total_weight)
        missing.append(float(side.weights @ (1 - likeness)))
    old, new, old_likeness = pair.older, pair.newer, pair.likenesses[0]
    rests = [(s.weights * (1 - likeness)) @ s.vectors for s, likeness in pair.sides()]
    sizes = (len(old.content), len(new.content))
    cos, rest = cosine(old.pooled, new.pooled), cosine(rests[0], rests[1])
    shared = sum(old.words[n].weight for n in old.content if old_likeness[n] > 0.8)
    return {
        "cover_most": max(covers),
        "cover_least": min(covers),
        "cover_both": covers[0] * covers[1],
        "cover_least_squared": min(covers) ** 2,
        "exact_most": max(exact),
        "exact_least": min(exact),
        "missing_least": min(*missing, 6) / 3,
        "missing_most": min(max(missing), 6) / 3,
        "missing_apart": min(abs(missing[0] - missing[1]), 6) / 3,
        "cosine": cos,
        "cosine_squared": cos**2,
        "rest_cosine": rest,
        "rest_cosine*cover": rest * max(covers),
        "length": math.log(1 + min(sizes)) - 2,
        "length_apart": abs(math.log((1 + sizes[0]) / (1 + sizes[1]))),
        "long": float(max(len(old.words), len(new.words)) > _LONG),
        "shared": min(shared, 6) / 3,
    }


def _leftovers(pair: Alignment) -> dict[str, float]:
    """What is left of each when alike words are taken away."""
    both = pair.unlike
    few, many = sorted(map(len, both))
    few_words = min(sum(word.sort != "n" for word in side) for side in both)
    worst = sorted(
        max((side.words[n].weight * (1 - likeness[n]) for n in side.content), default=0.0)
        for side, likeness in zip(pair.both, pair.likenesses, strict=True)
    )
    siblings = [
        pair.likenesses[0][n]
        for n in pair.older.content
        if SIBLING[0] <= pair.likenesses[0][n] < SIBLING[1] and pair.older.words[n].sort != "n"
    ]
    small = [side.small_words for side in pair.both]
    return {
        "left_least": min(few, 5) / 3,
        "left_most": min(many, 8) / 3,
        "left_none": float(many == 0),
        "left_on_one_side": float((few == 0) != (many == 0)),
        "left_one_each": float(few == many == 1),
        "left_one": float(few == 1),
        "left_words": min(few_words, 5) / 3,
        "left_no_words": float(few_words == 0),
        "worst_least": float(worst[0]),
        "worst_most": float(worst[1]),
        "siblings": min(len(siblings), 4) / 4,
        "sibling_most": max(siblings, default=0.0),
        "small_words": min(len((small[0] ^ small[1]) - _ARTICLES), 6) / 3,
        "passive": float(("by" in small[0]) != ("by" in small[1])),
    }


def _negation(pair: Alignment, values: Mapping[str, float]) -> dict[str, float]:
    """Which of the two denies, and whether the other one speaks of what is denied."""
    old, new = len(pair.older.negations), len(pair.newer.negations)
    is_one = float((old > 0) != (new > 0))
    denied = 0.0
    others = (pair.newer, pair.older)
    for side, likeness, other in zip(pair.both, pair.likenesses, others, strict=True):
        if not other.negations or len(other.words) > _LONG:
            denied = max(denied, _denied(side, likeness))
    return {
        "negated_one": is_one,
        "negated_both": float(old > 0 and new > 0),
        "negated_oddly": float(old % 2 != new % 2),
        "negated_new": float(new > 0),
        "negated*cover": is_one * values["cover_most"],
        "negated*cover_least": is_one * values["cover_least"],
        "negated*left_none": is_one * float(values["left_least"] == 0),
        "negated*left_one": is_one * float(values["left_least"] <= 1 / 3),
        "denied": denied,
    }


def _denied(side: Statement, likeness: Sequence[float]) -> float:
    """Return how much the other statement says of what one denies, at most of its denials."""
    best = 0.0
    for place in side.negations:
        words = [n for n in side.content if place <= n < place + _AFTER_NEGATION][:6]
        if words:
            weight = sum(side.words[n].weight for n in words)
            best = max(best, sum(side.words[n].weight * likeness[n] for n in words) / weight)
    return best


def _numbers(pair: Alignment, values: Mapping[str, float]) -> dict[str, float]:
    """Which numbers both say, and which of them differ."""
    old, new = pair.older.of_sort("n"), pair.newer.of_sort("n")
    differ = float(bool(old - new) and bool(new - old))
    return {
        "numbers_differ": differ,
        "numbers_shared": float(bool(old & new)),
        "numbers_all": float(bool(old) and old == new),
        "numbers_on_one_side": float(bool(old) != bool(new)),
        "numbers_more": float(bool(old & new) and old != new and not differ),
        "numbers_unit": float(bool(_after(pair.older, old - new) & _after(pair.newer, new - old))),
        "numbers_other_unit": float(_has_other_unit(pair)),
        "numbers*cover": differ * values["cover_most"],
        "numbers*left_no_words": differ * values["left_no_words"],
        "numbers*left_words": differ * values["left_words"],
        "numbers_name": differ * float(_names_by_number(pair)),
    }


def _names_by_number(pair: Alignment) -> bool:
    """Whether nothing but numbers differs, and the first of them stands where a name does: step 1,
    and step 2."""
    telling = [{word.stem for word in side.telling if word.sort != "n"} for side in pair.both]
    shared = pair.older.of_sort("n") & pair.newer.of_sort("n")
    own = (n for n in pair.older.numbers if pair.older.words[n].stem not in shared)
    return telling[0] == telling[1] and next(own, _NAMING) < _NAMING


def _opposites(pair: Alignment) -> list[tuple[str, str]]:
    """Return the words of each that the other one does not say, and that exclude one another."""
    groups = _exclusive()
    old, new = (set(side.stems) for side in pair.both)
    sides = [[word for word in side if word in groups] for side in (old - new, new - old)]
    return [(a, b) for a, b in product(*sides) if groups[a] & groups[b]]


@lru_cache(maxsize=1)
def _exclusive() -> Mapping[str, frozenset[int]]:
    """Return the groups of each word of EXCLUSIVE, by stem."""
    groups: dict[str, frozenset[int]] = {}
    for number, group in enumerate(EXCLUSIVE):
        for word in map(stem, group):
            groups[word] = groups.get(word, frozenset()) | {number}
    return groups


def _has_other_unit(pair: Alignment) -> bool:
    """Whether a number that both say is followed by another short word in each: s, and ms."""
    shared = pair.older.of_sort("n") & pair.newer.of_sort("n")
    old, new = _after(pair.older, shared), _after(pair.newer, shared)
    short = [min((unit for unit in side if len(unit) <= _UNIT), default="") for side in (old, new)]
    return bool(shared) and all(short) and not old & new


def _after(side: Statement, numbers: frozenset[str]) -> set[str]:
    """Return the words after some numbers: most often what is counted."""
    return {
        side.stems[n + 1]
        for n, word in enumerate(side.words[:-1])
        if word.sort == "n" and word.stem in numbers
    }


def _names(pair: Alignment) -> dict[str, float]:
    """Which identifiers and proper names both say, and which of them differ."""
    values: dict[str, float] = {}
    words = [frozenset(side.stems) for side, _ in pair.sides()]
    for name, sort in (("codes", "i"), ("names", "p")):
        old, new = pair.older.of_sort(sort), pair.newer.of_sort(sort)
        values |= {
            f"{name}_differ": float(bool(old - words[1]) and bool(new - words[0])),
            f"{name}_shared": float(bool((old & words[1]) | (new & words[0]))),
            f"{name}_old": float(bool(old - words[1])),
            f"{name}_new": float(bool(new - words[0])),
        }
    left = [any(word.sort in "pi" for word in side) for side in pair.unlike]
    return values | {"left_names": float(all(left))}


def _order(pair: Alignment) -> dict[str, float]:
    """What stands in the place of what, where the rest stands in the same order."""
    old, new = pair.older.stems[:_COMPARED], pair.newer.stems[:_COMPARED]
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    equal = sum(step[2] - step[1] for step in steps if step[0] == "equal")
    slots = [n for n, step in enumerate(steps) if step[0] == "replace" and _is_slot(step)]
    share = 2 * equal / (len(old) + len(new))
    others = len(steps) > 1
    placed = [pair.partner[n] for n in pair.older.content if pair.likenesses[0][n] > 0.9]
    turned = sum(b < a for a, b in pairwise(placed)) / max(1, len(placed))
    is_passive = ("by" in old) != ("by" in new)
    return {
        "same_order": share,
        "slots": min(len(slots), 3) / 3,
        "slots_two": float(len(slots) > 1),
        "slots_two*same_order": share * float(len(slots) > 1),
        "slot_only": float(len(steps) <= 3 and len(slots) == 1),
        "slot_first": float(others and 0 in slots),
        "slot_last": float(others and len(steps) - 1 in slots),
        "slot_ends": float(others and 0 in slots and len(steps) - 1 in slots),
        "steps": min(len(steps), 12) / 6,
        "same_start": float(old[0] == new[0]),
        "same_start_two": float(old[:2] == new[:2]),
        "turned": turned,
        "turned_actively": turned * float(not is_passive),
    }


def _is_slot(step: tuple[str, int, int, int, int]) -> bool:
    return step[2] - step[1] <= _SLOT and step[4] - step[3] <= _SLOT


def _crossings(pair: Alignment) -> dict[str, float]:
    """In which order the matched words stand: of the same words in another order who does what to
    whom is another matter, but where one of the two says it in the passive."""
    matches = _turned_back(pair.matches)
    order = [match.new for match in matches]
    count = len(order)
    inverted = sum(b < a for n, a in enumerate(order) for b in order[n + 1 :])
    inverted_share = inverted / max(1, count * (count - 1) / 2)
    steps = [
        (left.old + 1 == right.old, left.new + 1 == right.new) for left, right in pairwise(matches)
    ]
    jumps = min(sum(not follows for _, follows in steps), 4) / 4
    in_order = _longest_increasing(order)
    displaced = min(count - in_order, 4) / 4
    is_active = float(("by" in pair.older.stems) == ("by" in pair.newer.stems))
    head = float(count > 1 and order[0] != min(order))
    ends = float(count > 1 and order[0] > order[-1])
    # Two that differ in a negation alone have the same words too, and are told by it.
    is_negated = bool(pair.older.negations) != bool(pair.newer.negations)
    is_exact = _is_matched(pair) and all(match.is_exact for match in matches)
    is_same = float(is_exact and not is_negated)
    return {
        "inverted": inverted_share,
        "inverted_actively": inverted_share * is_active,
        "in_order": in_order / max(1, count),
        "displaced": displaced,
        "displaced_actively": displaced * is_active,
        "adjacent": sum(both and follows for both, follows in steps) / max(1, count - 1),
        "jumps": jumps,
        "jumps_actively": jumps * is_active,
        "head_moved": head,
        "head_moved_actively": head * is_active,
        "ends_turned": ends,
        "ends_turned_actively": ends * is_active,
        "same_words": is_same,
        "same_words*inverted": is_same * float(inverted > 0),
        "same_words*inverted_actively": is_same * float(inverted > 0) * is_active,
        "same_words*jumps_actively": is_same * jumps * is_active,
    }


def _turned_back(matches: Sequence[Match]) -> Sequence[Match]:
    """Return matches in the order of both statements, if one of these begins with what the other
    ends with and all else is in order; else as they are. Of few words that is another order."""
    order = [match.new for match in matches]
    first = order.index(min(order)) if order else 0
    turned = (*matches[first:], *matches[:first])
    is_turned = all(left.new < right.new for left, right in pairwise(turned))
    return turned if is_turned and len(matches) >= _SENTENCE else matches


def _longest_increasing(numbers: Sequence[int]) -> int:
    """Return the length of the longest part of a sequence, with gaps, that increases."""
    ends: list[int] = []
    for number in numbers:
        place = bisect_left(ends, number)
        ends[place : place + 1] = [number]
    return len(ends)


def _is_matched(pair: Alignment) -> bool:
    """Whether each telling word of both stands for one of the other."""
    return len(pair.matches) == len(pair.older.content) == len(pair.newer.content)


def _unmatched(pair: Alignment) -> dict[str, float]:
    """The telling words of each that stand for none of the other one: how much they tell, and how
    near the nearest of the other one is."""
    taken = ({match.old for match in pair.matches}, {match.new for match in pair.matches})
    weights, near = [], []
    for side, likeness, others in zip(pair.both, pair.likenesses, taken, strict=True):
        rest = [n for place, n in enumerate(side.content) if place not in others]
        weights.append([side.words[n].weight for n in rest])
        near += [likeness[n] for n in rest]
    masses = sorted(min(sum(side), 3.0) for side in weights)
    largest = sorted(max(side, default=0.0) for side in weights)
    covered = sum(
        match.likeness
        * min(pair.older.telling[match.old].weight, pair.newer.telling[match.new].weight)
        for match in pair.matches
    )
    sizes = (len(pair.older.content), len(pair.newer.content))
    return {
        "unmatched_least": masses[0],
        "unmatched_most": masses[1],
        "unmatched_word_least": largest[0],
        "unmatched_word_most": largest[1],
        "unmatched_none": float(masses[1] == 0),
        "unmatched_on_one_side": float(masses[0] == 0 and masses[1] > 0),
        "unmatched_one": float(masses[0] == 0 and sum(map(len, weights)) == 1),
        "unmatched_nearness_least": min(near, default=1.0),
        "unmatched_nearness_most": max(near, default=0.0),
        "matched": covered / max(side.telling_weight for side in pair.both),
        "words_apart": abs(sizes[0] - sizes[1]) / 4,
    }


def _near_words(pair: Alignment) -> dict[str, float]:
    """The matched words that are not the same: how near they are, and whether one tells more."""
    near = [match for match in pair.matches if not match.is_exact]
    weights = [
        (pair.older.telling[match.old].weight, pair.newer.telling[match.new].weight)
        for match in near
    ]
    lost = sum((1 - match.likeness) * max(both) for match, both in zip(near, weights, strict=True))
    return {
        "match_least": min((match.likeness for match in pair.matches), default=0.0),
        "near_words": min(len(near), 4) / 4,
        "near_word_one": float(len(near) == 1),
        "near_words_lost": lost,
        "near_words_apart": sum(abs(old - new) for old, new in weights),
        "near_word_first": float(any(match.old == 0 or match.new == 0 for match in near)),
        "near_words_only": float(_is_matched(pair) and bool(near)),
    }


def _ends(pair: Alignment) -> dict[str, float]:
    """Whether the telling words at the beginning and at the end are said by the other one."""
    values: dict[str, float] = {}
    for name, part in (("first", slice(1)), ("begin", slice(2)), ("end", slice(-2, None))):
        shares = []
        for side, likeness in zip(pair.both, pair.likenesses, strict=True):
            words = side.content[part]
            weight = sum(side.words[n].weight for n in words)
            shares.append(sum(side.words[n].weight * likeness[n] for n in words) / weight)
        values |= {f"{name}_least": min(shares), f"{name}_most": max(shares)}
    return values


def _changes(pair: Alignment, values: Mapping[str, float]) -> dict[str, float]:
    """Whether the newer one says that something changed, and which leave no room for another."""
    new = pair.newer.changes
    strict = [side.is_absolute for side in pair.both]
    return {
        **{f"change_{sort}": float(sort in new) for sort, _ in CHANGES},
        "change": float(bool(new)),
        "change*cover": float(bool(new)) * values["cover_most"],
        "change*left": float(bool(new)) * values["left_least"],
        "change_old": float(bool(pair.older.changes)),
        "absolute_new": float(strict[1]),
        "absolute_one": float(strict[0] != strict[1]),
    }


def _tone(pair: Alignment) -> dict[str, float]:
    """Whether somebody asks or exclaims, as in a talk: who does states little."""
    texts = [side.text.rstrip() for side, _ in pair.sides()]
    return {
        "asks_new": float(texts[1].endswith(_ASKING)),
        "asks_old": float(texts[0].endswith(_ASKING)),
        "asks_within": float(any(mark in text for text in texts for mark in _ASKING)),
        "exclaims": float(sum(any(mark in text for mark in _EXCLAIMING) for text in texts)) / 2,
    }


_ASKING, _EXCLAIMING = ("?", "？"), ("!", "！")
