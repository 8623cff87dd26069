"""Searchable text and surface features of a memory."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence, Set
from typing import Any, NamedTuple

from ..frozen import frozen
from ..text.analyzer import UNSEGMENTED, is_unsegmented, nfc, parts, segments
from ..text.patterns import lazy_pattern
from .identity import short_hash

# --- Surface features of a text: speaker, wording, and what it could answer.
#
# Read from the beginning and the end of the text only, when the memory is written, and kept
# beside its document: ranking looks at hundreds of memories for one question.

HEAD_CHARS = 400
TAIL_CHARS = 80

# What a text shows; a set of these is one number.
USER, ASSISTANT, IS_QUESTION, HAS_QUESTION = 1, 2, 4, 8
NUMBER, TIME, NAME = 16, 32, 64
STANDING, FIRST_PERSON, PAST, FUTURE, PREFERENCE = 128, 256, 512, 1024, 2048

# Who speaks where a memory is a message to or from an assistant.
_USERS = frozenset({"user", "human", "me"})
_ASSISTANTS = frozenset({"assistant", "ai", "agent", "model", "bot"})
_SPEAKER = lazy_pattern(r"\s*([^\W\d_][\w .'\-]{0,29}?):\s+(?=\S)")
_DIGIT = lazy_pattern(r"\d")
_FEATURE_WORD = lazy_pattern(r"\w+")
_NUMBERS = frozenset(
    "one two three four five six seven eight nine ten dozen twice once hundred thousand".split()
)
_TIMES = frozenset(
    "yesterday today tonight tomorrow ago last next since week weeks weekend month months year "
    "years monday tuesday wednesday thursday friday saturday sunday january february march april "
    "may june july august september october november december recently".split()
)
_THIS_TIME = lazy_pattern(r"\bthis morning\b")
_YEAR = lazy_pattern(r"\b(19|20)\d\d\b")
_SELF = frozenset("i i'm i've i'd i'll me my we we're we've we'd our".split())
_NAME = lazy_pattern(r"(?<=[a-z,] )[A-Z][a-z]+")

# Searched for only where one of these stands: the search costs more than all the rest.
_ORDERS = ("always", "never", "from now", "remember")
_STANDING = lazy_pattern(r"(^|[.!?:]\s+|\n)(please )?(always|never|from now on|remember to)\b")
_PAST = frozenset("went did was were had got took made saw yesterday ago".split())
_FUTURE = frozenset("will gonna tomorrow upcoming".split())
_SOON = lazy_pattern(
    r"\b(going to|plan(ning|s)? to|next (week|month|year)|can't wait|looking forward)\b"
)
_LIKING = frozenset("prefer like enjoy favorite favourite rather avoid always usually".split())
_PREFERENCE = lazy_pattern(rf"\b(i|i'd|i'm|we)\b[^.?!]{{0,40}}\b({'|'.join(sorted(_LIKING))})\b")


class SurfaceFeatures(NamedTuple):
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


def traits(text: str, *, is_spoken: bool = True) -> SurfaceFeatures:
    """Return the traits of a text by its first HEAD_CHARS and its last TAIL_CHARS.

    Of a keyed fact ("port: 3000"), which is not spoken, nobody is the speaker.
    """
    head, tail = text[:HEAD_CHARS], text[-TAIL_CHARS:]
    speaker, said = _parted(head) if is_spoken else ("", head)
    lower = said.lower().replace("’", "'")
    words = set(_FEATURE_WORD.findall(lower))
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
    return SurfaceFeatures(speaker, sum(mark for mark, is_shown in shown.items() if is_shown))


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


# --- Search documents: the searchable text of a memory, and the words full-text search can find.
#
# FTS5's tokenizer takes `getUserName` and a whole run of Chinese for one word each. The second
# column of the index therefore holds what it cannot see: the parts of identifiers, words parted
# where the script changes, every two neighbouring characters of scripts that are written without
# spaces, words in the letters that their forms stand for (ｶﾅ, ﬃ, ß), and as letters what it takes
# for no part of a word (the signs of C++ and C#, emoji).

_WORD = lazy_pattern(r"[^\W_]+(?:_+[^\W_]+)*")
# Letters and digits beyond ASCII. Not of scripts without spaces: NFKC would part some of theirs.
_FORMS = lazy_pattern(rf"[^\W_\x00-\x7f{UNSEGMENTED}]+")
# A name that its signs tell from the word it begins with (C++, C#, C++17; no a+b, page#part, 100+),
# looked for where a word begins, or a long one takes the square of its time; and a picture.
SIGNED = r"(?<![^\W_])[^\W\d_][^\W_]*+(?:\+\+(?![^\W\d]|[+#])|[+#](?![\w+#]))"
PICTURE = "[\u2600-\u27bf\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
_SIGNS = lazy_pattern(rf"{SIGNED}|{PICTURE}")


# Letters of one memory; of a longer text, which only another program can have written, so many are
# searched: no single row is to hold up a question.
MAX_TEXT = 1_000_000
MAX_SEARCHED = 100_000


@frozen
class Document:
    """Search document of one memory: its searchable text and surface features."""

    body: str
    split: str
    fingerprint: str
    speaker: str
    marks: int


def document(
    *,
    text: str,
    keyed: Sequence[str | None] = (),
    more: Sequence[str | None] = (),
    tags: Sequence[str] = (),
    paraphrases: Sequence[str] = (),
) -> Document:
    """Return the searchable form of a memory's text, keyed fact, `more` that it says (its season,
    the parts of a procedure), tags and other wordings."""
    body = _body(text, keyed, more, tags, paraphrases)
    shown = traits(text, is_spoken=not any(keyed))
    split = [*split_words(body), *_other_forms(body), *map(in_letters, _SIGNS.findall(body))]
    return Document(body, " ".join(split), _mark(body, keyed), shown.speaker, shown.marks)


def document_of(row: Sequence[Any]) -> Document:
    """Return the document of a row of `memories_search.searchable`."""
    return document(**_said(row))


def fingerprint_of(row: Sequence[Any]) -> str:
    """Return the fingerprint of that document: all that is asked of most, and a tenth of the
    work."""
    said = _said(row)
    return _mark(_body(**said), said["keyed"])


def _said(row: Sequence[Any]) -> dict[str, Any]:
    _, text, key, value, qualifier, season, procedure, tags, paraphrases, _ = row
    return {
        "text": text if len(text) <= MAX_TEXT else text[:MAX_SEARCHED],
        "keyed": (key, value, qualifier),
        "more": (season, *json.loads(procedure)),
        "tags": json.loads(tags),
        "paraphrases": json.loads(paraphrases),
    }


def _mark(body: str, keyed: Sequence[str | None]) -> str:
    """Return the fingerprint of a body: what is spoken shows more than the same words of a fact."""
    return short_hash(f"\0{body}" if any(keyed) else body)


def _body(
    text: str,
    keyed: Sequence[str | None],
    more: Sequence[str | None],
    tags: Sequence[str],
    paraphrases: Sequence[str],
) -> str:
    lines = said_lines(text, keyed)
    if any(more):
        said = " ".join(text.split())  # as the steps of a procedure are kept
        lines += [part for part in more if part and part not in said]
    lines += paraphrases
    if tags:
        lines.append(" ".join(sorted(tags)))
    return nfc("\n".join(lines))


def said_lines(text: str, keyed: Sequence[str | None]) -> list[str]:
    """Return a text, and what it does not say of the keyed fact that it states."""
    return [text, *(part for part in keyed if part and part not in text)]


def split_words(text: str) -> Iterator[str]:
    """Yield what the tokenizer would not see in `text`: identifier parts and character pairs."""
    for word in _WORD.findall(text):
        if not is_plain_word(word):
            yield from _split(word)


def folded(text: str) -> str:
    """Return the text, in normal form C, with letters for their forms: full and half width,
    ligatures; ss for ß."""
    if text.isascii():
        return text
    return _FORMS.sub(_letters, nfc(text))


def in_letters(word: str) -> str:
    """Return what stands in the index for a name with signs (C++) or a picture, else the word."""
    if re.fullmatch(PICTURE, word):
        return f"u{ord(word):x}"
    return word.replace("+", "plus").replace("#", "sharp")


def _other_forms(text: str) -> Iterator[str]:
    if not text.isascii():
        for word in _WORD.findall(text):
            if (form := folded(word)) != word:
                yield form
                yield from _split(form)


def _letters(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0]).replace("ß", "ss").replace("ẞ", "SS")


def is_plain_word(word: str) -> bool:
    """Whether a word is letters of one case (or capitalised), so that nothing is to be split."""
    return word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper())


def _split(word: str) -> Iterator[str]:
    pieces = segments(word)
    if len(pieces) == 1 and not is_unsegmented(word):
        pieces = parts(word)
        if len(pieces) == 1:
            return
    yield from pieces
