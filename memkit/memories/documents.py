"""The searchable text of a memory, and the words of any text that full-text search can find.

FTS5's tokenizer takes `getUserName` and a whole run of Chinese for one word each. The second
column of the index therefore holds what it cannot see: the parts of identifiers, words parted
where the script changes, every two neighbouring characters of scripts that are written without
spaces, words in the letters that their forms stand for (ｶﾅ, ﬃ, ß), and as letters what it takes for
no part of a word (the signs of C++ and C#, emoji).
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from ..words.forms import nfc
from ..words.identifiers import parts
from ..words.scripts import UNSEGMENTED, is_unsegmented, segments
from .identity import short_hash
from .opposing import frame
from .traits import traits

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*")
# Letters and digits beyond ASCII. Not of scripts without spaces: NFKC would part some of theirs.
_FORMS = re.compile(rf"[^\W_\x00-\x7f{UNSEGMENTED}]+")
# A name that its signs tell from the word it begins with (C++, C#, C++17; no a+b, page#part, 100+),
# looked for where a word begins, or a long one takes the square of its time; and a picture.
SIGNED = r"(?<![^\W_])[^\W\d_][^\W_]*+(?:\+\+(?![^\W\d]|[+#])|[+#](?![\w+#]))"
PICTURE = "[\u2600-\u27bf\u2b50\U0001f300-\U0001f3fa\U0001f400-\U0001faff]"
_SIGNS = re.compile(rf"{SIGNED}|{PICTURE}")


@attrs.frozen
class Document:
    """What the full-text index holds of one memory, what its text shows (`traits`), and by what
    that which denies it is found (`opposing`)."""

    body: str
    split: str
    fingerprint: str
    speaker: str
    marks: int
    frame: int | None


def document(
    *,
    text: str,
    keyed: Sequence[str | None] = (),
    more: Sequence[str | None] = (),
    tags: Sequence[str] = (),
    wordings: Sequence[str] = (),
) -> Document:
    """Return the searchable form of a memory's text, keyed fact, `more` that it says (its season,
    the parts of a procedure), tags and other wordings."""
    body = _body(text, keyed, more, tags, wordings)
    shown = traits(text, is_spoken=not any(keyed))
    split = [*split_words(body), *_other_forms(body), *map(in_letters, _SIGNS.findall(body))]
    framed = None if any(keyed) else frame(nfc(text))
    parts = (body, " ".join(split), _mark(body, keyed))
    return Document(*parts, shown.speaker, shown.marks, framed)


def document_of(row: Sequence[Any]) -> Document:
    """Return the document of a row of `memories_search.searchable`."""
    return document(**_said(row))


def fingerprint_of(row: Sequence[Any]) -> str:
    """Return the fingerprint of that document: all that is asked of most, and a tenth of the
    work."""
    said = _said(row)
    return _mark(_body(**said), said["keyed"])


def _said(row: Sequence[Any]) -> dict[str, Any]:
    _, text, key, value, qualifier, season, procedure, tags, wordings, _ = row
    return {
        "text": text,
        "keyed": (key, value, qualifier),
        "more": (season, *json.loads(procedure)),
        "tags": json.loads(tags),
        "wordings": json.loads(wordings),
    }


def _mark(body: str, keyed: Sequence[str | None]) -> str:
    """Return the fingerprint of a body: what is spoken shows more than the same words of a fact."""
    return short_hash(f"\0{body}" if any(keyed) else body)


def _body(
    text: str,
    keyed: Sequence[str | None],
    more: Sequence[str | None],
    tags: Sequence[str],
    wordings: Sequence[str],
) -> str:
    lines = said_lines(text, keyed)
    if any(more):
        said = " ".join(text.split())  # as the steps of a procedure are kept
        lines += [part for part in more if part and part not in said]
    lines += wordings
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


def _letters(found: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", found[0]).replace("ß", "ss").replace("ẞ", "SS")


def is_plain_word(word: str) -> bool:
    """Whether a word is letters of one case (or capitalised), so that nothing is to be split."""
    return word.isascii() and word.isalpha() and (word[1:].islower() or word.isupper())


def _split(word: str) -> Iterator[str]:
    found = segments(word)
    if len(found) == 1 and not is_unsegmented(word):
        found = parts(word)
        if len(found) == 1:
            return
    yield from found
