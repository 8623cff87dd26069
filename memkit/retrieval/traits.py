"""What can be seen in a memory's own words: who speaks, how it is put, what it could answer.

Read from the beginning and the end of the text only, so that a long memory costs no more.
"""

from __future__ import annotations

import math
import re
from collections.abc import Set
from functools import lru_cache

import attrs

from .question import Asked
from .words import ASSISTANTS, USERS

HEAD_CHARS = 400
TAIL_CHARS = 80

_SPEAKER = re.compile(r"\s*([^\W\d_][\w .'\-]{0,29}?):\s+(?=\S)")
_DIGIT = re.compile(r"\d")
_WORD = re.compile(r"\w+")
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten dozen twice once hundred thousand".split()
)
_TIMES = frozenset(
    "yesterday today tonight tomorrow ago last next since week weeks weekend month months year "
    "years monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june july august september october november december recently".split()
)
_THIS_TIME = re.compile(r"\bthis morning\b")
_YEAR = re.compile(r"\b(19|20)\d\d\b")
_SELF = frozenset("i i'm i've i'd i'll me my we we're we've we'd our".split())
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_THANKS = re.compile(
    r"(hey \w+[!,.]? )?(thanks|thank you|sure|yeah|yes|yep|ok|okay|sounds good|got it|great|wow"
    r"|cool|nice|awesome|no problem|absolutely|of course|you're welcome|haha|hmm)\b",
    re.I,
)
# Searched for only where one of these stands: the search costs more than all the rest.
_ORDERS = ("always", "never", "from now", "remember")
_STANDING = re.compile(r"(^|[.!?:]\s+|\n)(please )?(always|never|from now on|remember to)\b")


@attrs.frozen
class Traits:
    """What a text shows.

    Attributes:
        speaker: lower case, of "Name: …" at its beginning; "" if there is none.
        role: 1 for a user's message, -1 for an assistant's, else 0.
        is_question: it ends with a question mark. has_question: it holds one.
        acknowledges: it begins with thanks or agreement. standing: it orders "always" or "never".
        has_time, has_number, has_name: looked for only where the question asks for one.
        length: natural logarithm of its tokens.
    """

    speaker: str = ""
    role: int = 0
    is_question: bool = False
    has_question: bool = False
    acknowledges: bool = False
    standing: bool = False
    first_person: bool = False
    has_number: bool = False
    has_time: bool = False
    has_name: bool = False
    length: float = 0.0


@lru_cache(maxsize=8192)
def traits(head: str, tail: str, tokens: int, asked: Asked) -> Traits:
    """Return the traits of a text by its first HEAD_CHARS, its last TAIL_CHARS and its length."""
    speaker, said = _parted(head)
    lower = said.lower().replace("’", "'")
    words = set(_WORD.findall(lower)) if asked.number or asked.when else frozenset()
    return Traits(
        speaker=speaker,
        role=_role(speaker),
        is_question=tail.rstrip().endswith("?"),
        has_question="?" in head or "?" in tail,
        acknowledges=bool(_THANKS.match(said)),
        standing=any(word in lower for word in _ORDERS) and bool(_STANDING.search(lower)),
        first_person=not _SELF.isdisjoint(lower.split()),
        has_number=asked.number and _tells_number(words, lower),
        has_time=asked.when and _tells_time(words, lower),
        has_name=asked.who and bool(_NAME.search(said)),
        length=math.log(max(tokens, 1)),
    )


@lru_cache(maxsize=8192)
def spoken(head: str, tail: str) -> Traits:
    """Return only who speaks and whether they ask: what a neighbour's text is looked at for."""
    speaker, _ = _parted(head)
    return Traits(speaker=speaker, role=_role(speaker), has_question="?" in head or "?" in tail)


def _parted(head: str) -> tuple[str, str]:
    """Return the speaker, in lower case, and what is said."""
    named = _SPEAKER.match(head)
    if named is None or named[1].count(" ") > 2:
        return "", head
    return named[1].lower(), head[named.end() :]


def _role(speaker: str) -> int:
    return (speaker in USERS) - (speaker in ASSISTANTS)


def _tells_number(words: Set[str], lower: str) -> bool:
    return not words.isdisjoint(_NUMBERS) or bool(_DIGIT.search(lower))


def _tells_time(words: Set[str], lower: str) -> bool:
    return (
        not words.isdisjoint(_TIMES)
        or ("this" in words and bool(_THIS_TIME.search(lower)))
        or bool(_YEAR.search(lower))
    )
