"""Entity match: tags, keys of keyed facts and files that a query names outright.

A name that many memories share tells little: its worth falls with how many carry it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from typing import TYPE_CHECKING, Any

from ..memories.identity import fact_form
from ..memories.search_document import is_plain_word
from ..text.analyzer import is_unsegmented, nfc, spellings
from ..text.patterns import lazy_pattern
from .query import RecallQuery

if TYPE_CHECKING:
    from ..store.store import Store


# What a kind of name is worth, and the memories of each name.
Kind = tuple[float, Iterable[Sequence[int]]]

# Memories taken per kind of name; beyond, the newest.
MAX_NAMED = 200
# What a tag is worth beside a key or a file: it may be another name of the subject, or only a topic
# under which much is filed ("people" in "which server do people use?"). Not learnt: the only set
# with tags has aliases alone, so bench/train counts them in full.
TAG_WORTH = 0.6
# What a key is worth whose words stand apart in the question, between a tag's and a whole name's:
# they may have met by chance.
SCATTERED_WORTH = 0.8
# Share of its words that must stand in the question, and by which that is multiplied: "which Go on
# the CI?" asks for "go version", of ci. Of two words one is a chance meeting.
MIN_KEY_SHARE = 2 / 3
# A word of fewer letters is too short to be called misspelt.
SHORTEST_MISSPELT = 5
# Letters at the beginning that a misspelt name has right: "mongod" is mongo, "mango" is not.
RIGHT_LETTERS = 2
_NEAR_TAGS = 200


def named(
    store: Store, question: RecallQuery, *, size: int, fuzzy: Sequence[str] = ()
) -> dict[int, float]:
    """Return how tellingly (0 to 1) the question names memories by tag or key, by id.

    `fuzzy` are words that occur nowhere; tags one letter away from them count too.
    """
    if not question.names:
        return {}
    kinds: list[Kind] = [(TAG_WORTH, _by_tag(store, question, fuzzy))]
    if store.value("retrieval.has_keys"):
        kinds += [
            (1.0, _by_key(store, question)),
            *((SCATTERED_WORTH * held, [ids]) for held, ids in _by_words_of_key(store, question)),
        ]
    return _worth(kinds, size=size)


def about(store: Store, question: RecallQuery, *, size: int) -> dict[int, float]:
    """Return how tellingly (0 to 1) the question names what memories are about, by id."""
    return _worth([(1.0, _by_path(store, question))], size=size)


def _worth(kinds: Iterable[Kind], *, size: int) -> dict[int, float]:
    worths: dict[int, float] = {}
    for share, named_by in kinds:
        for ids in named_by:
            worth = share * telling(len(ids), size=size)
            for memory_id in ids:
                worths[memory_id] = max(worths.get(memory_id, 0.0), worth)
    return worths


def telling(carriers: int, *, size: int) -> float:
    """Return what a name is worth that `carriers` of `size` memories share: 1 for one alone."""
    if carriers <= 1:
        return 1.0
    return max(0.0, math.log((size + 1) / carriers) / math.log(size + 1))


def one_letter_apart(word: str, other: str) -> bool:
    """Whether one letter added, dropped or changed, or two swapped, turn one word into the
    other."""
    if word == other or abs(len(word) - len(other)) > 1:
        return False
    start = 0
    while start < min(len(word), len(other)) and word[start] == other[start]:
        start += 1
    rest, other_rest = word[start:], other[start:]
    swapped = rest[1::-1] == other_rest[:2] and len(rest) == len(other_rest)
    return (
        rest[1:] == other_rest
        or rest == other_rest[1:]
        or rest[1:] == other_rest[1:]
        or (swapped and rest[2:] == other_rest[2:])
    )


def _by_tag(store: Store, question: RecallQuery, fuzzy: Sequence[str]) -> Iterable[list[int]]:
    tags = [
        memory_id
        for memory_id, _ in store.all("retrieval.tags_named", names=json.dumps(question.names))
    ]
    tags += _misspelt(store, fuzzy)
    if not tags:
        return ()
    rows = store.all("retrieval.carrying", tags=json.dumps(tags), limit=MAX_NAMED)
    return _together(rows).values()


def _misspelt(store: Store, words: Sequence[str]) -> list[int]:
    tags: list[int] = []
    for word in words:
        if len(word) < SHORTEST_MISSPELT or not word.isalpha():
            continue
        low = word[:RIGHT_LETTERS]
        near = store.all(
            "retrieval.tags_between", low=low, high=low + "\U0010ffff", limit=_NEAR_TAGS
        )
        tags += [memory_id for memory_id, name in near if one_letter_apart(word, name)]
    return tags


def _by_key(store: Store, question: RecallQuery) -> Iterable[list[int]]:
    keys = json.dumps([fact_form(name) for name in question.names])
    rows = store.all("retrieval.find_by_keys", keys=keys, limit=MAX_NAMED)
    return _together((memory_id, fact_form(key)) for memory_id, key in rows).values()


def _by_words_of_key(store: Store, question: RecallQuery) -> Iterable[tuple[float, list[int]]]:
    """Yield who holds each key of which most words stand in the question, wherever they stand, with
    their share; what the key is of (its qualifier) counts where that is named too."""
    single = (name for name in question.names if " " not in name)
    words = {word for name in single for word in fact_form(name).split()}
    rows = store.all("retrieval.keys_from", words=json.dumps(sorted(words)), limit=MAX_NAMED)
    names = ((memory_id, fact_form(key), fact_form(of or "")) for memory_id, key, of in rows)
    shares = (
        (n, (key, max(_held(words, key), _held(words, f"{key} {of}")))) for n, key, of in names
    )
    for (_, held), ids in _together(shares).items():
        if held >= MIN_KEY_SHARE:
            yield held, ids


def _held(words: Set[str], name: str) -> float:
    """Return the share of a name's words that are among these."""
    parts = [word.strip("()[]") for word in name.split()]
    return sum(word in words for word in parts) / len(parts)


def _by_path(store: Store, question: RecallQuery) -> Iterable[list[int]]:
    if not question.paths:
        return ()
    forms = json.dumps([form for path in question.paths for form in spellings(path)])
    rows = store.all("retrieval.anchored", paths=forms, limit=MAX_NAMED)
    return _together((memory_id, nfc(path)) for memory_id, path, _ in rows).values()


def _together(pairs: Iterable[Sequence[Any]]) -> dict[Any, list[int]]:
    """Return the memories of each name, of (memory, name) pairs."""
    carriers: dict[Any, list[int]] = {}
    for memory_id, name in pairs:
        carriers.setdefault(name, []).append(memory_id)
    return carriers


# Log-odds that a memory loses which has a name only within longer ones: it comes behind what has
# the name itself, all else being equal.
PENALTY = 1.0
# Names looked at: a pasted log has thousands, and its first tell what is wanted.
MAX_NAMES = 40
# Characters of one; what is longer is a run of something.
LONGEST_NAME = 200
_AROUND = "\"'`()[]{}<>,;!?.:"
_SIGN = lazy_pattern(r"[A-Za-z0-9][-_/.:@#\\+]+[A-Za-z0-9]|^--?[A-Za-z]")
_LETTER = lazy_pattern(r"[^\W\d_]")
# What makes a name go on: a letter, or what joins it to a further part; a hyphen only where the
# name has one, or "SQLite-backed" would not be of SQLite.
_GOES_ON = lazy_pattern(r"\w|[/.:@#\\+]+\w")
_GOES_ON_HYPHENATED = lazy_pattern(r"\w|[-/.:@#\\+]+\w")


def names(question: str) -> list[str]:
    """Return the first MAX_NAMES of what in a question is spelt as a name in code: src/app.py,
    std::move, getUser, v2.1, --force."""
    words = (word.strip(_AROUND).removesuffix("'s") for word in question.split())
    return list(dict.fromkeys(word for word in words if _is_name(word)))[:MAX_NAMES]


def longer_name_losses(identifiers: Iterable[str], texts: Mapping[int, str]) -> dict[int, float]:
    """Return how much each text, by memory, loses: for each name that it has only as the beginning
    of longer ones, while another text has the name itself; else a longer one may be meant."""
    losses: dict[int, float] = {}
    lower = {memory_id: text.lower() for memory_id, text in texts.items()}
    for name in (name.lower() for name in identifiers):
        goes_on = _GOES_ON_HYPHENATED if "-" in name else _GOES_ON
        ends = {memory_id: list(_ends(name, text)) for memory_id, text in lower.items()}
        holders = {memory_id for memory_id in ends if ends[memory_id]}
        others = {n for n in holders if all(goes_on.match(lower[n], end) for end in ends[n])}
        for memory_id in others if others != holders else ():
            losses[memory_id] = losses.get(memory_id, 0.0) + PENALTY
    return losses


def _ends(name: str, text: str) -> Iterator[int]:
    """Yield where each occurrence of a name ends that does not begin inside a word."""
    at = text.find(name)
    while at >= 0:
        if not (text[at - 1 : at].isalnum() or text[at - 1 : at] == "_"):
            yield at + len(name)
        at = text.find(name, at + len(name))  # not inside itself: a run of repeats has too many


def _is_name(word: str) -> bool:
    if len(word) > LONGEST_NAME or is_unsegmented(word) or not _LETTER.search(word):
        return False  # a date, an amount: it may be told to the day or the cent
    is_word = len(word) == 1 or is_plain_word(word) or not word.isalnum()
    return bool(_SIGN.search(word)) or not is_word
