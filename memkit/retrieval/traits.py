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
_NUMBER = re.compile(
    r"\d|\b(one|two|three|four|five|six|seven|eight|nine|ten|dozen|twice|once|hundred|thousand)\b",
    re.I,
)
_TIME = re.compile(
    r"\b(yesterday|today|tonight|tomorrow|ago|last|next|this (week|month|weekend|year|morning)"
    r"|since|weeks?|weekend|months?|years?|monday|tuesday|wednesday|thursday|friday|saturday"
    r"|sunday|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|19\d\d|20\d\d|recently)\b",
    re.I,
)
_FIRST_PERSON = re.compile(r"\b(i|i'm|i've|my|me|we|our)\b", re.I)
_NAME = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
_THANKS = re.compile(
    r"(hey \w+[!,.]? )?(thanks|thank you|sure|yeah|yes|yep|ok|okay|sounds good|got it|great|wow"
    r"|cool|nice|awesome|no problem|absolutely|of course|you're welcome|haha|hmm)\b",
    re.I,
)
_STANDING = re.compile(r"(^|[.!?:]\s+|\n)(please )?(always|never|from now on|remember to)\b", re.I)
_PREFERENCE = re.compile(
    r"\b(i|we|you|user|developer)('d)? (really |much |also |strongly )?(prefer|like to|always"
    r"|usually|never)",
    re.I,
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
    return Traits(
        speaker=speaker,
        role=(speaker in USERS) - (speaker in ASSISTANTS),
        is_question=tail.rstrip().endswith("?"),
        has_question="?" in head or "?" in tail,
        acknowledges=bool(_THANKS.match(said)),
        standing=bool(_STANDING.search(said)),
        prefers=bool(_PREFERENCE.search(said)),
        has_number=bool(_NUMBER.search(said)),
        has_time=bool(_TIME.search(said)),
        has_name=bool(_NAME.search(said)),
        first_person=bool(_FIRST_PERSON.search(said)),
        has_code="```" in head,
        length=math.log(max(tokens, 1)),
    )
