"""What can be seen in a memory's own words: who speaks, how it is put, what it could answer.

Read from the beginning and the end of the text only, when the memory is written, and kept beside
its document: ranking looks at hundreds of memories for one question.
"""

from __future__ import annotations

import re
from collections.abc import Set

import attrs

HEAD_CHARS = 400
TAIL_CHARS = 80

# What a text shows; a set of these is one number.
USER, ASSISTANT, IS_QUESTION, HAS_QUESTION = 1, 2, 4, 8
NUMBER, TIME, NAME = 16, 32, 64
STANDING, FIRST_PERSON, PAST, FUTURE, PREFERENCE = 128, 256, 512, 1024, 2048

# Who speaks where a memory is a message to or from an assistant.
_USERS = frozenset({"user", "human", "me"})
_ASSISTANTS = frozenset({"assistant", "ai", "agent", "model", "bot"})
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

# Searched for only where one of these stands: the search costs more than all the rest.
_ORDERS = ("always", "never", "from now", "remember")
_STANDING = re.compile(r"(^|[.!?:]\s+|\n)(please )?(always|never|from now on|remember to)\b")
_PAST = frozenset("went did was were had got took made saw yesterday ago".split())
_FUTURE = frozenset("will gonna tomorrow upcoming".split())
_SOON = re.compile(
    r"\b(going to|plan(ning|s)? to|next (week|month|year)|can't wait|looking forward)\b"
)
_LIKING = frozenset("prefer like enjoy favorite favourite rather avoid always usually".split())
_PREFERENCE = re.compile(rf"\b(i|i'd|i'm|we)\b[^.?!]{{0,40}}\b({'|'.join(sorted(_LIKING))})\b")


@attrs.frozen
class Traits:
    """What a text shows.

    Attributes:
        speaker: lower case, of "Name: …" at its beginning; "" if there is none.
        marks: the sum of USER or ASSISTANT (whose message it is), IS_QUESTION (it ends with a
            question mark), HAS_QUESTION (it holds one), STANDING (it orders "always" or "never"),
            FIRST_PERSON, PAST and FUTURE (it tells of what was or will be), PREFERENCE (of what the
            speaker likes), and of NUMBER, TIME and NAME, which it holds.
    """

    speaker: str
    marks: int


def traits(text: str, *, is_spoken: bool = True) -> Traits:
    """Return the traits of a text by its first HEAD_CHARS and its last TAIL_CHARS.

    Of a keyed fact ("port: 3000"), which is not spoken, nobody is the speaker.
    """
    head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
    speaker, said = _parted(head) if is_spoken else ("", head)
    lower = said.lower().replace("’", "'")
    words = set(_WORD.findall(lower))
    shown = {
        USER: speaker in _USERS,
        ASSISTANT: speaker in _ASSISTANTS,
        IS_QUESTION: tail.rstrip().endswith("?"),
        HAS_QUESTION: "?" in head or "?" in tail,
        NUMBER: _tells_number(words, lower),
        TIME: _tells_time(words, lower),
        NAME: bool(_NAME.search(said)),
        STANDING: any(word in lower for word in _ORDERS) and bool(_STANDING.search(lower)),
        FIRST_PERSON: not _SELF.isdisjoint(lower.split()),
        PAST: not words.isdisjoint(_PAST) or any(word.endswith("ed") for word in words),
        FUTURE: not words.isdisjoint(_FUTURE) or bool(_SOON.search(lower)),
        PREFERENCE: not words.isdisjoint(_LIKING) and bool(_PREFERENCE.search(lower)),
    }
    return Traits(speaker, sum(mark for mark, is_shown in shown.items() if is_shown))


def _parted(head: str) -> tuple[str, str]:
    """Return the speaker, in lower case, and what is said."""
    named = _SPEAKER.match(head)
    if named is None or named[1].count(" ") > 2:
        return "", head
    return named[1].lower(), head[named.end() :]


def _tells_number(words: Set[str], lower: str) -> bool:
    return not words.isdisjoint(_NUMBERS) or bool(_DIGIT.search(lower))


def _tells_time(words: Set[str], lower: str) -> bool:
    return (
        not words.isdisjoint(_TIMES)
        or ("this" in words and bool(_THIS_TIME.search(lower)))
        or bool(_YEAR.search(lower))
    )
