"""What a question asks for: words and phrases to look up, names and paths.

Nothing a person types is ever query syntax: every word reaches FTS5 between double quotes, with
the double quotes inside doubled. A question of any length is cut to its most telling words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import attrs

from ..memories.documents import (
    PICTURE,
    SIGNED,
    folded,
    in_letters,
    is_plain_word,
    split_words,
)
from ..words.abbreviations import other_forms
from ..words.doers import called_after
from ..words.forms import nfc
from ..words.scripts import is_unsegmented, segments
from ..words.stops import STOP
from .asked import Asked, Day, day_named, kind_of_answer
from .words import SOFT, SOFT_WEIGHT

# Words that are looked up. A pasted log of 100 kB has thousands; the first and the rarest tell.
MOST_TERMS = 32
MOST_PHRASES = 24
MOST_NAMES = 400
# Read of a very long question: its two ends, where people say what they want.
MOST_CHARS = 8_000
_LONGEST_NAME = 4

_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_ASKED_WORD = re.compile(rf"{SIGNED}|{PICTURE}|{_WORD.pattern}")
# Both begin where a word does: to begin anywhere takes the square of the time of a long one.
_COMPOUND = re.compile(
    r"(?<![^\s\"'`()\[\]{}<>,;!?|])"
    r"[^\s\"'`()\[\]{}<>,;!?|]*[^\W_][._/:@#+\-\\]+[^\s\"'`()\[\]{}<>,;!?|]*"
)
_HYPHENATED = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)+[.:]?|[^\W\d_]+[.:]+")
_PATH = re.compile(
    r"(?<![\w.\-/\\])[\w.\-/\\]*[\w\-]\.[A-Za-z]\w{0,5}\b|(?<![\w.\-])[\w.\-]+(?:/[\w.\-]+)+"
)


@attrs.frozen
class Term:
    """A word of the question.

    Attributes:
        word: lower case. match: the FTS5 expression that finds it.
        weight: what its rarity is multiplied with; frame words tell less.
    """

    word: str
    match: str
    weight: float = 1.0


@attrs.frozen
class Question:
    """A question as it is looked up.

    Attributes:
        text: NFC. terms: its words, in order. phrases: FTS5 expressions of neighbouring words,
            identifiers and paths. names: lower-case runs of words that may be tags or keys,
            and other forms of shortened words.
        paths: what looks like a file.
    """

    text: str
    terms: tuple[Term, ...] = ()
    phrases: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()
    asked: Asked = attrs.field(factory=Asked)
    day: Day | None = None


def understand(text: str) -> Question:
    """Return what a question asks for; of small words alone it has no terms."""
    read = nfc(_ends(text))
    words = [_plain(found) for found in _ASKED_WORD.findall(read)]
    lower = " ".join(words)
    # Small words alone ask for nothing ("how are you?"), but for one that is looked up by itself.
    telling = dict.fromkeys(word for word in words if word not in STOP or len(words) == 1)
    return Question(
        text=read,
        terms=tuple(_terms(list(telling), _identifiers(read)))[:MOST_TERMS],
        phrases=tuple(dict.fromkeys(_phrases(read, words)))[:MOST_PHRASES],
        names=tuple(dict.fromkeys(_names(words)))[:MOST_NAMES],
        paths=tuple(dict.fromkeys(_PATH.findall(read)))[:MOST_PHRASES],
        asked=kind_of_answer(lower),
        day=day_named(read.lower()),
    )


def quoted(words: str) -> str:
    """Return the FTS5 expression for these words next to each other, whatever they contain."""
    return '"' + words.replace('"', '""').replace("\0", " ") + '"'


def any_of(matches: Sequence[str]) -> str:
    """Return the FTS5 expression for any of several expressions."""
    return " OR ".join(matches)


def _ends(text: str) -> str:
    if len(text) <= MOST_CHARS:
        return text
    half = MOST_CHARS // 2
    return f"{text[:half]} {text[-half:]}"


def _plain(word: str) -> str:
    lower = word.lower().replace("’", "'")
    return lower.removesuffix("'s")


def _terms(words: Sequence[str], identifiers: Iterable[str]) -> Iterator[Term]:
    """Yield plain words as they are, runs of unsegmented script by their character pairs, and
    identifiers as phrases of their parts: whichever way they are spelt, they tell the most."""
    seen: set[str] = set()
    for parts in identifiers:
        if parts not in seen:
            seen.add(parts)
            yield Term(parts, quoted(parts))
    ordered = sorted(words, key=lambda word: word in SOFT) if len(words) > MOST_TERMS else words
    for word in ordered:
        weight = SOFT_WEIGHT if word in SOFT or not word[0].isalnum() else 1.0
        form = folded(word)
        for part in _parts(form):
            if part not in seen:
                seen.add(part)
                # As it is written too: so it stands in the text, and so vectors know it.
                other = part == form != word
                spelt = [quoted(word)] if other else []
                match = any_of([*spelt, _match(part), *map(quoted, _forms(part))])
                yield Term(word if other else part, match, weight)


def _forms(word: str) -> tuple[str, ...]:
    """Return other words for the same: longer, shorter, and what does it or what it does."""
    return (*other_forms(word), *called_after(word))


def _match(part: str) -> str:
    # A single character finds the pairs that it begins.
    alone = len(part) == 1 and is_unsegmented(part)
    return quoted(in_letters(part)) + ("*" if alone else "")


def _identifiers(text: str) -> Iterator[str]:
    """Yield the parts, in lower case, of what is spelt as a name in code: getUserName,
    get_user_name, std::move, src/app.py, v2.1; not of words that are only hyphenated."""
    for found in _COMPOUND.findall(text):
        inner = [part for word in _WORD.findall(found) for part in (*split_words(word),) or (word,)]
        if len(max(inner, key=len, default="")) > 1 < len(inner) and not _HYPHENATED.fullmatch(
            found
        ):
            yield " ".join(inner).lower()
    for word in _WORD.findall(text):
        if word.isascii() and not is_plain_word(word) and (parts := list(split_words(word))):
            yield " ".join(parts).lower()


def _parts(word: str) -> Iterator[str]:
    bare = word.rstrip("+#")
    if 1 < len(bare) < len(word):  # a letter alone tells nothing
        yield bare
    yield from segments(word)


def _phrases(text: str, words: Sequence[str]) -> Iterator[str]:
    """Yield identifiers and paths as phrases, then neighbouring telling words, but for those that
    stand inside one of these."""
    compounds = [" ".join(_WORD.findall(found)) for found in _COMPOUND.findall(text)]
    yield from (quoted(name) for name in compounds if " " in name)
    names = "".join(f" {name.lower()} " for name in compounds)
    for word in _WORD.findall(text):
        if not is_plain_word(word) and (parts := list(split_words(word))):
            yield quoted(" ".join(parts))
    telling = [None if word in STOP or not word[0].isalnum() else word for word in words]
    for first, second in pairwise(telling):
        if first and second and f" {first} {second} " not in names:
            yield quoted(f"{first} {second}")


def _names(words: Sequence[str]) -> Iterator[str]:
    for size in range(1, _LONGEST_NAME + 1):
        for start in range(len(words) - size + 1):
            run = words[start : start + size]
            if not all(word in STOP for word in run):
                yield " ".join(run)
                yield from _forms(run[0]) if size == 1 else ()
