"""What can be seen in a memory's own words, whatever is asked: who speaks, and how.

Read from the beginning and the end of the text only, so that a long memory costs no more.
"""

from __future__ import annotations

import math
import re
from functools import lru_cache

import attrs

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
    "yesterday today tonight tomorrow ago last next since week weeks weekend month months year years "
    "monday tuesday wednesday thursday friday saturday sunday january february march april may june "
    "july august september october november december recently".split()
)
_THIS_TIME = re.compile(r"\bthis morning\b")
_YEAR = re.compile(r"\b(19|20)\d\d\b")
_SELF = frozenset(("i", "me", "my", "we", "our"))
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_THANKS = re.compile(
    r"(hey \w+[!,.]? )?(thanks|thank you|sure|yeah|yes|yep|ok|okay|sounds good|got it|great|wow"
    r"|cool|nice|awesome|no problem|absolutely|of course|you're welcome|haha|hmm)\b",
    re.I,
)
# Searched for only where one of these words stands: the search costs more than all the rest.
_ORDERS = frozenset(("always", "never", "from", "remember"))
_STANDING = re.compile(r"(^|[.!?:]\s+|\n)(please )?(always|never|from now on|remember to)\b")
_LIKES = frozenset(("prefer", "like", "always", "usually", "never"))
_PREFERENCE = re.compile(
    r"\b(i|we|you|user|developer)('d)? (really |much |also |strongly )?(prefer|like to|always"
    r"|usually|never)"
)


@attrs.frozen
class Traits:
    """What a text shows.

    Attributes:
        speaker: lower case, of "Name: …" at its beginning; "" if there is none.
        role: 1 for a user's message, -1 for an assistant's, else 0.
        is_question: it ends with a question mark. has_question: it holds one.
        acknowledges: it begins with thanks or agreement. standing: it orders "always" or "never".
        length: natural logarithm of its tokens.
    """

    speaker: str = ""
    role: int = 0
    is_question: bool = False
    has_question: bool = False
    acknowledges: bool = False
    standing: bool = False
    prefers: bool = False
    has_number: bool = False
    has_time: bool = False
    has_name: bool = False
    first_person: bool = False
    has_code: bool = False
    length: float = 0.0


@lru_cache(maxsize=8192)
def traits(head: str, tail: str, tokens: int) -> Traits:
    """Return the traits of a text by its first HEAD_CHARS, its last TAIL_CHARS and its length."""
    named = _SPEAKER.match(head)
    speaker = named[1].lower() if named and named[1].count(" ") < 3 else ""
    said = head[named.end() :] if named and speaker else head
    lower = said.lower()
    words = set(_WORD.findall(lower))
    return Traits(
        speaker=speaker,
        role=(speaker in USERS) - (speaker in ASSISTANTS),
        is_question=tail.rstrip().endswith("?"),
        has_question="?" in head or "?" in tail,
        acknowledges=bool(_THANKS.match(said)),
        standing=not words.isdisjoint(_ORDERS) and bool(_STANDING.search(lower)),
        prefers=not words.isdisjoint(_LIKES) and bool(_PREFERENCE.search(lower)),
        has_number=not words.isdisjoint(_NUMBERS) or bool(_DIGIT.search(lower)),
        has_time=_tells_time(words, lower),
        has_name=bool(_NAME.search(said)),
        first_person=not words.isdisjoint(_SELF),
        has_code="```" in head,
        length=math.log(max(tokens, 1)),
    )


def _tells_time(words: set[str], lower: str) -> bool:
    return (
        not words.isdisjoint(_TIMES)
        or ("this" in words and bool(_THIS_TIME.search(lower)))
        or bool(_YEAR.search(lower))
    )
