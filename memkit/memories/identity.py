"""When two statements are the same, and how names are compared.

Two statements are the same if their telling words agree in order. Small words, a capital at the
beginning, closing punctuation, marks around the whole and Unicode form do not tell; numbers,
negations and what parts them from the rest, capitals elsewhere, identifiers, paths and flags do. So
"Use Python 3.11 in CI" never folds into "Use Python 3.12 in CI", "do" into "do not", nor "No, do"
into "No do".
"""

from __future__ import annotations

import hashlib
import posixpath
import re
from collections.abc import Iterable

from ..errors import InvalidInput
from ..safety import quoted
from ..store.ids import name_id
from ..words.forms import nfc
from ..words.stops import is_negation

# Words whose presence does not change what is said. No negation, no preposition of direction, so it
# is no list of stop words; and hashes that are stored follow from it: it never changes.
_SMALL = frozenset(
    "a an the this that these those is are was were be been am do does did to of in on at for with "
    "and we i you it our my your us please also just very really".split()
)
# What may stand around a word without changing it: quotes and opening brackets before, closing
# ones and the marks of a sentence after. Not "<", ">", "=", nor a leading "!" or ".": those tell.
_OPENING = "\"'`([{「『“‘"
_CLOSING = ".,;:!?\"'`)]}…。，、；：！？」』”’"
_MARKS = frozenset(".,;:!?\"'`…。，、；：！？「」『』“”‘’")
_MAX_TAG = 200
# What parts the words of a key.
_PARTS = re.compile(r"[-_ ]+")
# Where a mark parts "no" from what follows, it answers something else and negates nothing.
_PARTING = tuple(".,;:!?…。，、；：！？")
# What stands around a whole statement that was cut out of a document: a mark of a list or heading
# (no sign of a number), stars of emphasis, and letters that show nothing.
_LIST_MARK = re.compile(r"\s*(?:[-*+•]|#{1,6})\s+(?=[^\W\d]|[*\"'`(\[“‘«])")
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad\u200e\u200f"))


def content_hash(*, text: str, place: tuple[str, ...]) -> str:
    """Return the hash that is equal for the same statement in the same place.

    `place` is what separates equal words: project, scope, kind, session, key, qualifier.
    """
    return content_hashes(text=text, places=[place])[0]


def content_hashes(*, text: str, places: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the content hash of the same statement in each of several places."""
    words = _telling(text)
    return [short_hash("\0".join((*place, words))) for place in places]


def _telling(text: str) -> str:
    words = _bare(nfc(text)).split()
    found = [
        folded
        for place, word in enumerate(words)
        if (folded := _fold(word, is_first=place == 0, is_last=place == len(words) - 1))
    ]
    return "\1".join([word for word in found if not _is_small(word)] or found or [text])


def _bare(text: str) -> str:
    """Return a statement without what stands around the whole of it."""
    if not text.isascii():
        text = text.translate(_UNSEEN)
    inner = text[mark.end() :] if (mark := _LIST_MARK.match(text)) else text
    inner = inner.strip()
    for stars in ("**", "__"):
        if inner.startswith(stars) and inner.endswith(stars) and inner.count(stars) == 2:
            return inner[2:-2]
    return inner


def wording_hash(text: str) -> str:
    """Return a hash that is equal for texts that differ in white space and Unicode form only."""
    return short_hash(" ".join(nfc(text).split()))


def short_hash(text: str) -> str:
    """Return 16 hexadecimal digits of sha256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def tag_name(name: str) -> str:
    """Return a tag as it is stored: NFC, lower case, single spaces, no leading '#'."""
    cleaned = " ".join(nfc(name).casefold().split()).lstrip("# ")
    if not cleaned or len(cleaned) > _MAX_TAG:
        raise InvalidInput(
            f"tag: {quoted(name, most=60)} has {len(cleaned)} letters; give 1 to {_MAX_TAG}"
        )
    return nfc(cleaned)


def fact_name(name: str) -> str:
    """Return a key or qualifier as it is stored: NFC, lower case, single spaces."""
    return nfc(" ".join(nfc(name).casefold().split()))


def fact_form(name: str) -> str:
    """Return a key or qualifier as it is compared: as it is stored, with what parts its words as
    one space, so that node_version, node-version and "Node Version" are one key. The index
    `memories_by_fact` holds the same; a dash before the first word tells (-v is a flag)."""
    return _PARTS.sub(" ", fact_name(name))


def tag_id(name: str) -> int:
    """Return the node id of a tag, equal on every machine; `name` is in stored form."""
    return name_id("tag", name)


def relative_path(path: str) -> str:
    """Return a path as it is stored: NFC, forward slashes, relative to the repository root."""
    cleaned = nfc(path).replace("\\", "/").removeprefix("./").strip()
    if not cleaned or cleaned.startswith("/") or re.match(r"[A-Za-z]:/", cleaned):
        raise InvalidInput(
            f"path: {path!r} is not relative; give it from the repository root, e.g. src/app.py"
        )
    if ".." in cleaned.split("/"):
        raise InvalidInput(f"path: {path!r} leads out of the repository; give a path inside it")
    return posixpath.normpath(cleaned)


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, controls and invisible format characters only."""
    return not any(c.isprintable() and not c.isspace() and c != "␀" for c in text)


def known_by(text: str, name: str) -> str | None:
    """Return a name as it is compared; one that shows nothing (of a variable that was not set) is
    none, or all statements without a source would be taken for one that changes. Only the project
    of the repository itself is called so."""
    return None if name != "project" and is_blank(text) else nfc(text)


def _fold(word: str, *, is_first: bool, is_last: bool) -> str:
    if not is_first and word.isalpha():  # most words: nothing to take off
        return word
    bare = word.lstrip(_OPENING).rstrip(_CLOSING)
    if is_first and bare[1:] == bare[1:].lower() and not _is_identifier(bare):
        bare = bare.lower()
    if not is_last and word.endswith(_PARTING) and is_negation(bare):
        return bare + ","
    # A flag keeps its dash and an operator its signs: "-n" is not "n", "!=" not "=", "[]" not "{}".
    return bare or ("" if _MARKS.issuperset(word) else word)


def _is_small(word: str) -> bool:
    """Whether a word does not tell. "US", "IT" and the "A" of "plan A" are no small words."""
    return word == "I" or (not word.isupper() and word.lower() in _SMALL)


def _is_identifier(word: str) -> bool:
    """Whether case tells even at the beginning: camelCase, snake_Case, paths, calls and flags."""
    return bool(re.search(r"[a-z][A-Z]|_|^-|[/\\]|::|\(|\w\.\w", word))
