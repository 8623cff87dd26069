"""What a question asks for: words and phrases to look up, names, times, the kind of answer.

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
from .words import MONTHS, SOFT, SOFT_WEIGHT

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

_WHEN = re.compile(
    r"\b(when|what (date|day|month|year|time)|how long|which (year|month|day)|since when)\b"
)
_NUMBER = re.compile(r"\bhow (many|much|often|old|long|big|large|fast|far)\b")
_WHO = re.compile(r"\b(who|whom|whose|where|which (city|country|place|person)|name of)\b")
_OWN = re.compile(r"\b(i|my|me|we|our|us|mine)\b")
_ADVICE = re.compile(
    r"\byou (suggest|recommend|tell|told|say|said|advise|give|gave|explain|mention|provide|propose)"
    r"|\byour (suggestion|recommendation|advice|answer|explanation)"
)
_TITLED = re.compile(
    r"\b((book|movie|film|song|game|series|show|title|album|band|quote)s?|called|name of)\b"
)
_PAST = re.compile(r"\b(did|was|were|has|had)\b")
_FUTURE = re.compile(r"\b(will|going to|plan|next|might|would)\b")
_SUMMARY = re.compile(r"\b(summar(y|ies|i[sz]e\w*)|overview|recap\w*)\b")
_REQUEST = re.compile(
    r"\b((can|could|would|will) you|help me|recommend|suggest|any (tips|ideas|advice)"
    r"|how (should|can|do|would|could|might) (i|we|you)|what should|should i"
    r"|what (would|are|is) (the |a |some |your )?(best|good|common|typical|approach\w*)"
    r"|(i'm|i am) (trying|planning|working|looking|thinking)|i (want|need) to)\b"
)
_RECALL = re.compile(
    r"\b(did|have|has|had|was|were|mentioned|discussed|talked|said|told|brought up|covered"
    r"|happened|we've|i've|you've|throughout|previous(ly)?|earlier|before|remember|recall)\b"
)
_MONTH = re.compile(r"\b(" + "|".join(MONTHS) + r")\b")
_DAY_BEFORE = re.compile(r"\b(\d{1,2})(?:st|nd|rd|th)?(?: of)?,? (?:" + "|".join(MONTHS) + r")\b")
_DAY_AFTER = re.compile(r"\b(?:" + "|".join(MONTHS) + r")\.? (\d{1,2})(?:st|nd|rd|th)?\b(?!\d)")
_ISO_DAY = re.compile(r"\b(\d{4})-(\d{2})(?:-(\d{2}))?\b")
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b")


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
class Asked:
    """What kind of answer is asked for.

    Attributes:
        when, number, who, titled: a time, a number, a name, a title (of a book, of a film).
        own: the asker's own. advice: what was advised. past, future: what was or will be.
        summary: much in short. request: help with something now, not what was said before.
    """

    when: bool = False
    number: bool = False
    who: bool = False
    own: bool = False
    advice: bool = False
    titled: bool = False
    past: bool = False
    future: bool = False
    summary: bool = False
    request: bool = False


@attrs.frozen
class Day:
    """A month, and the day and year where they are named."""

    month: int
    day: int | None = None
    year: int | None = None


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
    asked: Asked = Asked()
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
        asked=_asked(lower),
        day=_day(read.lower()),
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


def _asked(lower: str) -> Asked:
    return Asked(
        when=bool(_WHEN.search(lower)),
        number=bool(_NUMBER.search(lower)),
        who=bool(_WHO.search(lower)),
        own=bool(_OWN.search(lower)),
        advice=bool(_ADVICE.search(lower)),
        titled=bool(_TITLED.search(lower)),
        past=bool(_PAST.search(lower)),
        future=bool(_FUTURE.search(lower)),
        summary=bool(_SUMMARY.search(lower)),
        request=bool(_REQUEST.search(lower)) and not _RECALL.search(lower),
    )


def _day(lower: str) -> Day | None:
    """Return the month (with day and year) that is named; "may" only beside a number or "in"."""
    if iso := _ISO_DAY.search(lower):
        year, month, day = iso.groups()
        in_year = 1 <= int(month) <= 12
        return Day(int(month), int(day) if day else None, int(year)) if in_year else None
    found = _MONTH.search(lower)
    if not found:
        return None
    before, after = _DAY_BEFORE.search(lower), _DAY_AFTER.search(lower)
    named = before or after
    if found[0] == "may" and not (named or re.search(r"\b(in|of|on|since|until) may\b", lower)):
        return None
    year = _YEAR.search(lower)
    return Day(
        MONTHS.index(found[0]) + 1, int(named[1]) if named else None, int(year[1]) if year else None
    )
