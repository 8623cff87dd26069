"""Contradiction detector: pairs of opposite statements.

Two plain statements are held against each other only if they have one frame: the same words in the
same order, apart from small ones, where words of opposite meaning count as one and a number that is
said of something counts as any. What they differ in has to be one thing. Precision goes before
completeness: whatever is hedged, past, asked, or named by its number (step 1 of the release) is no
opposite of anything, since a wrong doubt costs more than one that nobody raised.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from ..text.analyzer import stem
from ..text.patterns import lazy_pattern

# A longer text says more than one thing.
_LONGEST = 200
# So many words tell what is spoken of.
_MIN_WORDS = 2
# A number after so many of them is said of what they name; before, it is part of the name.
_SUBJECT = 2
# Other statements of one frame, beyond which they are a series of measurements, steps or days.
SERIES = 4
DENIED, OTHER_NUMBER = "one says what the other denies", "they say different numbers"
OTHER_ONE = "they name different ones of a kind, or the same two the other way round"
_WORD = lazy_pattern(r"#?[^\W_][\w']*(?:[-./@_][\w']+)*%?|[=:](?=\s)")
_VALUE = lazy_pattern(r"\d+(?:\.\d+)*")
_THOUSANDS = lazy_pattern(r"(?<=\d),(?=\d{3}\b)")

# Words that neither tell nor turn round what is said: of what must be done it is said that it is.
_SMALL = frozenset(
    "a an the is are be am do does we you our your us please always must should shall will so then "
    "also very really just currently now any anymore more still yet longer there set : = have "
    "to".split()
)
_NOT = frozenset(
    "not never no cannot nicht nie niemals kein keine keinen niet geen pas jamais nunca не".split()
)
# After a negation these say that it is so in part.
_PARTLY = frozenset("only just necessarily always all every everything each both exactly".split())
# What is hedged, past, of the moment, asked, or said of something that is named elsewhere.
_DOUBTFUL = frozenset(
    "may might could would sometimes often usually mostly rarely maybe perhaps probably seems seem "
    "was were had did been yesterday today tonight tomorrow wasn't "
    "weren't didn't hadn't couldn't wouldn't nor neither but however although "
    "though instead rather he she they him her them sure think believe guess hope wonder what who "
    "why how which whether".split()
)
_POINTING = frozenset("it this that these those".split())
# Words of opposite meaning, the second the negation of the first: wherever they stand; of something
# that is so (an optional field is not said to be one); and after what they are chosen by.
_OPPOSITES: Mapping[str, str] = {
    "disable": "enable", "disables": "enables", "forbid": "allow", "forbids": "allows",
    "without": "with", "exclude": "include", "excludes": "includes", "reject": "accept",
    "rejects": "accepts", "avoid": "use", "avoids": "uses", "descending": "ascending",
}  # fmt: skip
_STATES: Mapping[str, str] = {
    "disabled": "enabled", "forbidden": "allowed", "prohibited": "permitted", "false": "true",
    "optional": "required", "asynchronous": "synchronous", "async": "sync", "private": "public",
    "immutable": "mutable", "unsupported": "supported", "impossible": "possible",
    "unsafe": "safe", "unstable": "stable", "excluded": "included", "rejected": "accepted",
    "unencrypted": "encrypted",
}  # fmt: skip
_CHOICES: Mapping[str, str] = {
    "spaces": "tabs", "double": "single", "uppercase": "lowercase", "async": "sync",
}  # fmt: skip
_CHOOSING = frozenset("use uses prefer prefers with".split())
_ALIKE = {"prefer": "use", "prefers": "uses"}
_VERBS = {
    "can't": "can", "won't": "will", "shan't": "shall", "mustn't": "must", "needn't": "need",
    "shouldn't": "should", "isn't": "is", "aren't": "are", "don't": "do", "doesn't": "does",
    "hasn't": "has", "haven't": "have",
}  # fmt: skip
# What a number is said by: these words, or these after one of those.
_SAYS = frozenset("is are = : equals has have lasts takes costs".split())
_STATE = frozenset("is are be not never isn't aren't".split())
_SAYS_BY: Mapping[str, frozenset[str]] = {
    "to": frozenset("set limited defaults capped restricted".split()),
    "at": frozenset("set capped fixed limited".split()),
    "after": frozenset("expire expires expired out".split()),
    "for": frozenset("kept stored cached retained valid".split()),
}
# Words of one kind, of which a statement names one: where it was said, another is a denial.
_KINDS: Mapping[str, str] = {
    word: f"<{words.partition(' ')[0]}>"
    for words in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "mondays tuesdays wednesdays thursdays fridays saturdays sundays",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "january february march april june july august september october november december",
        "stdout stderr stdin",
        "main master develop trunk",
        "left right",
        "before after",
        "above below",
        "minimum maximum",
        "milliseconds seconds minutes hours days weeks months years",
        "kb mb gb tb",
    )
    for word in words.split()
}
# What stands between the two of which the first goes before the second.
_RANKING = "over"
# All others are but themselves.
_SPECIAL = _SMALL.union(_NOT, _OPPOSITES, _STATES, _CHOICES, _ALIKE, _VERBS)


class _Statement(NamedTuple):
    """Form of a statement: its frame, before which of its words it is negated, its numbers, and
    which ones of a kind it names, or in which order."""

    words: tuple[str, ...]
    negated: frozenset[int]
    numbers: tuple[str, ...]
    members: tuple[str, ...]


def frame(text: str) -> int | None:
    """Return a number that is equal for statements of one frame; None for what has no opposite."""
    read = _read(text)
    if read is None:
        return None
    digest = hashlib.sha256("\0".join(read.words).encode("utf-8", "surrogatepass")).digest()
    return int.from_bytes(digest[:7], "big")


def opposition(first: str, second: str) -> str | None:
    """Return why two statements cannot both be true, or None."""
    left, right = _read(first), _read(second)
    if left is None or right is None or left.words != right.words:
        return None
    turned = len(left.negated ^ right.negated)
    changed = sum(a != b for a, b in zip(left.numbers, right.numbers, strict=True))
    others = sum(a != b for a, b in zip(left.members, right.members, strict=True))
    if turned + changed + others != 1:
        return None
    return DENIED if turned else OTHER_NUMBER if changed else OTHER_ONE


@lru_cache(maxsize=2_000)
def _read(text: str) -> _Statement | None:
    """Return a statement's form, None if it has no opposite."""
    if len(text) > _LONGEST or text.rstrip().endswith("?"):
        return None
    said = _WORD.findall(_THOUSANDS.sub("", text.lower().replace("’", "'")))
    if not said or said[0] in _POINTING or said[0] == "no" or not _DOUBTFUL.isdisjoint(said):
        return None
    words: list[str] = []
    negated: set[int] = set()
    values: dict[str, list[str]] = {"number": [], "member": []}
    last, before = "", ""
    for word in said:
        turns, plain = (False, word) if word not in _SPECIAL else _polarity(word, last)
        if last in _NOT and word in _PARTLY:
            return None
        if turns and word in _CHOICES and _RANKING in said:
            turns, plain = False, word  # what goes before what tells
        if turns:
            negated ^= {len(words)}
        is_said = len(words) >= _SUBJECT or _is_said(last, before)
        words += _slots(plain, values, is_said=is_said)
        before, last = last, word
    if len(words) < _MIN_WORDS:
        return None
    values["member"] += _ranked(words)
    return _Statement(
        tuple(words), frozenset(negated), tuple(values["number"]), tuple(values["member"])
    )


def _slots(plain: str, values: dict[str, list[str]], *, is_said: bool) -> list[str]:
    """Return what a word is in a frame, and add what it says there to the values of its sort."""
    if plain[:1].isdigit() and is_said:
        value, unit = _number(plain)
        values["number"].append(value)
        return ["#", unit]
    if plain in _KINDS:
        values["member"].append(plain)
        return [_KINDS[plain]]
    return [stem(plain)] if plain else []


def _ranked(words: list[str]) -> list[str]:
    """Put the two of which one goes before the other into one order; return which is first."""
    places = [n for n, word in enumerate(words) if word == _RANKING and 0 < n < len(words) - 1]
    first = [words[place - 1] for place in places]
    for place in places:
        words[place - 1], words[place + 1] = sorted((words[place - 1], words[place + 1]))
    return first


def _polarity(word: str, last: str) -> tuple[bool, str]:
    """Return whether a word turns round what is said, and which it stands for; "" for none."""
    if word in _SMALL:
        return False, ""
    if word in _NOT:
        return True, "can" if word == "cannot" else ""
    if verb := _VERBS.get(word):
        return True, "" if verb in _SMALL else verb
    if other := _OPPOSITES.get(word):
        return True, other
    if last in _STATE and (other := _STATES.get(word)):
        return True, other
    if last in _CHOOSING and (other := _CHOICES.get(word)):
        return True, other
    return False, _ALIKE.get(word, word)


def _number(word: str) -> tuple[str, str]:
    """Return a number and the unit that is written together with it."""
    number = _VALUE.match(word)
    return (number[0], word[number.end() :]) if number else (word, "")


def _is_said(last: str, before: str) -> bool:
    """Whether a number after two words is said of something, and does not name it."""
    return last in _SAYS or before in _SAYS_BY.get(last, ())
