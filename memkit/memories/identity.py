"""Identity of memories: content hash, key folding, tag ids, revisions, aliases."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..redaction import quoted
from ..store.ids import name_id
from ..text.analyzer import nfc
from ..text.paths import below_root, is_whole, plain_path
from ..text.patterns import lazy_pattern
from ..text.word_lists import is_negation
from .records import Provenance

if TYPE_CHECKING:
    from ..store.store import Store


# --- Content hash: equal statements, and the comparison of names.
#
# Two statements are the same if their telling words agree in order. Small words, capitals of plain
# words, closing punctuation, marks around the whole and Unicode form do not tell; numbers,
# negations and what parts them from the rest, identifiers, code, units, paths and flags do, and
# capitals by which two words of one statement differ. So "Use Python 3.11 in CI" never folds into
# "Use Python 3.12 in CI", "do" into "do not", "No, do" into "No do", nor "rename Foo to foo" into
# "rename foo to Foo".

# Words whose presence does not change what is said. No negation, no preposition of direction, so it
# is no list of stop words; and hashes that are stored follow from it: a change needs a step of the
# schema, after which they are made anew.
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
# Each halves a run of separators: 32 become one space.
_HALVINGS = 5
# Where a mark parts "no" from what follows, it answers something else and negates nothing.
_PARTING = tuple(".,;:!?…。，、；：！？")
# A word whose capitals tell nothing: letters, perhaps digits behind them, in parts with dashes;
# none that begins small and has a capital inside, as identifiers do.
_PLAIN = lazy_pattern(r"(?:(?![a-z]+[A-Z])[^\W\d_]+\d*)(?:[-'’](?![a-z]+[A-Z])[^\W_]+)*")
_LETTERS = lazy_pattern(r"[^\W\d_]+")
# Letters of the longest unit in which capitals tell (MiB and Mib, ms and MS).
_UNIT = 3
# Words in capitals that make a statement shouted, not a list of names.
_SHOUTED = 3
# What stands around a whole statement that was cut out of a document: a mark of a list or heading
# (no sign of a number), stars of emphasis, and letters that show nothing.
_LIST_MARK = lazy_pattern(r"\s*(?:[-*+•]|#{1,6})\s+(?=[^\W\d]|[*\"'`(\[“‘«])")
_UNSEEN = dict.fromkeys(map(ord, "\ufeff\u200b\u2060\u00ad\u200e\u200f"))


def content_hash(*, text: str, place: tuple[str, ...]) -> str:
    """Return the hash that is equal for the same statement in the same place.

    `place` is what separates equal words: project, scope, kind, session, key, qualifier.
    """
    return content_hashes(text=text, places=[place])[0]


def content_hashes(*, text: str, places: Iterable[tuple[str, ...]]) -> list[str]:
    """Return the content hash of the same statement in each of several places."""
    words = "\1".join(telling_words(text))
    return [short_hash("\0".join((*place, words))) for place in places]


def telling_words(text: str) -> tuple[str, ...]:
    """Return the words of a statement that tell, in order, in the form in which they are
    compared."""
    words = _uncapitalised(_bare(nfc(text)).split())
    forms = [
        folded
        for place, word in enumerate(words)
        if (folded := _fold(word, is_last=place == len(words) - 1))
    ]
    return tuple([word for word in forms if not _is_small(word)] or forms or [text])


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


def text_hash(text: str) -> str:
    """Return a hash that is equal for texts that differ in white space and Unicode form only."""
    return short_hash(" ".join(nfc(text).split()))


def short_hash(text: str) -> str:
    """Return 16 hexadecimal digits of sha256."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def pair_hash(a: str, b: str) -> str:
    """Return the hash of two texts in either order: what is decided about two memories is decided
    of these words."""
    return short_hash("\0".join(sorted((a, b))))


_BETWEEN_WORDS = lazy_pattern(r"[\s_-]+")


def tag_name(name: str) -> str:
    """Return a tag as it is stored: NFC, lower case, no leading '#', its words parted by one dash,
    so that mail_bridge, mail-bridge and "Mail bridge" are one tag."""
    cleaned = _BETWEEN_WORDS.sub("-", nfc(name).casefold().strip().lstrip("# ")).strip("-")
    if not cleaned or len(cleaned) > _MAX_TAG:
        raise InvalidInput(
            f"tag: {quoted(name, limit=60)} has {len(cleaned)} letters; give 1 to {_MAX_TAG}"
        )
    return nfc(cleaned)


def fact_name(name: str) -> str:
    """Return a key or qualifier as it is stored: NFC, lower case, single spaces."""
    return nfc(" ".join(nfc(name).casefold().split()))


def fact_form(name: str) -> str:
    """Return a key or qualifier as it is compared: as it is stored, with what parts its words as
    one space, so that node_version, node-version and "Node Version" are one key. The columns
    `key_folded` and `qualifier_folded` are made by the same replacements; a dash before the first
    word tells (-v is a flag)."""
    folded = fact_name(name).replace("_", " ").replace("-", " ")
    for _ in range(_HALVINGS):
        folded = folded.replace("  ", " ")
    return folded


def value_form(value: str) -> str:
    """Return a value as it is compared: white space around it, as a line read from a file or a
    command has it, is none of it; its case is."""
    return nfc(value).strip()


def tag_id(name: str) -> int:
    """Return the node id of a tag, equal on every machine; `name` is in stored form."""
    return name_id("tag", name)


def relative_path(path: str) -> str:
    """Return a path as it is stored: NFC, forward slashes, relative to the repository root."""
    cleaned = plain_path(path)
    if not cleaned or is_whole(cleaned):
        raise InvalidInput(
            f"path: {path!r} is not relative; give it from the repository root, e.g. src/app.py"
        )
    if cleaned.split("/")[0] == "..":
        raise InvalidInput(f"path: {path!r} leads out of the repository; give a path inside it")
    return cleaned


def in_repository(name: str, root: str) -> str:
    """Return a place in the code, `path` or `path::symbol`, with a path that was given as a whole
    one relative to the root; other names as they are."""
    path, mark, symbol = name.partition("::")
    plain = plain_path(path)
    if not is_whole(plain):
        return name
    inside = below_root(plain, root)
    return name if inside is None else f"{inside}{mark}{symbol}"


def is_blank(text: str) -> bool:
    """Whether a text shows nothing: white space, controls and invisible format characters only."""
    return not any(c.isprintable() and not c.isspace() and c != "␀" for c in text)


def known_by(text: str, name: str) -> str | None:
    """Return a name as it is compared; one that shows nothing (of a variable that was not set) is
    none, or all statements without a source would be taken for one that changes. Only the project
    of the repository itself is called so."""
    return None if name != "project" and is_blank(text) else nfc(text)


def _fold(word: str, *, is_last: bool) -> str:
    if word.isalpha():  # most words: nothing to take off
        return word
    bare = word.lstrip(_OPENING).rstrip(_CLOSING)
    if not is_last and word.endswith(_PARTING) and is_negation(bare):
        return bare + ","
    # A flag keeps its dash and an operator its signs: "-n" is not "n", "!=" not "=", "[]" not "{}".
    return bare or ("" if _MARKS.issuperset(word) else word)


def _uncapitalised(words: list[str]) -> list[str]:
    """Return the words of a statement without the capitals that tell nothing."""
    capital = [place for place, word in enumerate(words) if word != word.lower()]
    if not capital:
        return words
    if _is_shouted(words, len(capital)):
        return [word.casefold() for word in words]
    plain = list(words)
    for place in _plain_capitals(words, capital):
        plain[place] = words[place].casefold()
    # A capital at the beginning is that of the sentence.
    first = plain[0] if _is_capitalised(words[0]) else words[0]
    spellings = set(_LETTERS.findall(" ".join((first, *words[1:]))))
    if len(set(map(str.casefold, spellings))) < len(spellings):
        forms = Counter(map(str.casefold, spellings))
        for place in capital:
            if place and any(forms[form] > 1 for form in _LETTERS.findall(plain[place])):
                plain[place] = words[place]
    return plain


def _plain_capitals(words: list[str], capital: list[int]) -> Iterator[int]:
    """Yield those of the words with capitals that are plain ones: no code, unit or name in
    camelCase, nor what is a small word without them ("US", "IT", "plan A")."""
    ticks = list(accumulate(word.count("`") for word in words)) if "`" in "".join(words) else []
    for place in capital:
        bare = _inner(words[place])
        if not _PLAIN.fullmatch(bare) or (bare.isupper() and bare.lower() in _SMALL):
            continue
        is_code = bool(ticks) and (ticks[place] % 2 == 1 or "`" in words[place])
        before = _inner(words[place - 1]) if place else ""
        if not is_code and not (len(bare) <= _UNIT and before[-1:].isdigit()):
            yield place


def _inner(word: str) -> str:
    return word if word.isalpha() else word.lstrip(_OPENING).rstrip(_CLOSING)


def _is_capitalised(word: str) -> bool:
    bare = _inner(word)
    return bare[1:] == bare[1:].lower()


def _is_shouted(words: list[str], capitals: int) -> bool:
    """Whether a statement stands in capitals from end to end, so that none of them tells."""
    if capitals < _SHOUTED or not "".join(words).isupper():
        return False
    spelt = [word for word in map(_inner, words) if len(word) > 1 and word.isalpha()]
    return len(spelt) >= _SHOUTED and not any(word.startswith("-") or "`" in word for word in words)


def _is_small(word: str) -> bool:
    """Whether a word does not tell. "US", "IT" and the "A" of "plan A" are no small words."""
    return word == "I" or (not word.isupper() and word.lower() in _SMALL)


# --- Revisions: what a statement says apart from its state, and a hash of that.
#
# Each edit leaves the revision that it replaced, so that a store that still says that is known to
# be behind, and not to say otherwise.

# Columns that say something, those that go with them, and what is counted or made of them.
STATEMENT = (
    "text", "kind", "form", "key", "value", "qualifier", "scope", "project", "session_id",
    "task_id", "summary", "compressed", "index_entry", "tokens", "summary_tokens",
    "compressed_tokens", "index_tokens", "trigger_patterns", "procedure", "content_hash",
)  # fmt: skip
# What was read somewhere is read again there: the later reading says it all.
READ = frozenset({Provenance.EXTRACTED, Provenance.OBSERVED, Provenance.INFERRED})


def revision_of(row: Mapping[str, Any]) -> str:
    """Return the hash of what a memory row says."""
    columns = [row[name] for name in ("text", "kind", "key", "value", "qualifier", "scope")]
    rest = [json.loads(row[name] or "null") for name in ("trigger_patterns", "procedure")]
    return short_hash(json.dumps([*columns, *rest], sort_keys=True))


def statement_of(store: Store, number: int) -> dict[str, Any]:
    """Return what a memory says and where it has it from."""
    return store.records("memories.get_statement", id=number)[0]


def keep_paraphrase(store: Store, number: int, text: str, *, at: str) -> None:
    """Keep a text that says the same in other small words, so that it stays findable."""
    store.run("memories.add_paraphrase", id=number, text_hash=text_hash(text), text=text, at=at)


@contextmanager
def noting_revision(store: Store, number: int) -> Iterator[None]:
    """Note what a memory said before the block, if it says something else after it."""
    before = statement_of(store, number)
    yield
    after = statement_of(store, number)
    is_read = after["source"] is not None and after["provenance"] in READ
    if is_read or (revision := revision_of(before)) == revision_of(after):
        return
    at = after["updated_at"]
    add_revision(store, number, revision, at=at)
    add_explanation(store, number, at=at, source=after["provenance"], reason="edited")


def add_revision(store: Store, number: int, revision: str, *, at: str) -> None:
    """Note a revision of a memory that does not stand any more."""
    store.run("memories.add_revision", id=number, revision=revision, at=at)


def add_explanation(
    store: Store,
    number: int,
    *,
    at: str,
    source: str,
    reason: str,
    session: str | None = None,
    snippet: str | None = None,
) -> None:
    """Append to the chain of provenance what people should know; nothing reads it back."""
    what = {"at": at, "source": source, "session": session, "snippet": snippet}
    store.run("memories.add_explanation", id=number, reason=reason, **what)


# --- Aliases: ids that memories had in other stores. What two stores learnt apart is one memory
# once they are merged, and whoever knows it by its other id is told where it is.


def aliases_of(store: Store) -> dict[int, int]:
    """Return the memory of a store that each former id leads to."""
    return dict(store.all("memories.list_aliases"))


def add_alias(store: Store, number: int, former: int, *, at: str) -> None:
    """Note that a memory had another id in a store that was merged."""
    store.run("memories.add_alias", id=number, former_id=former, at=at)


def has_revision(store: Store, number: int, revision: str) -> bool:
    """Whether a memory is known to have said that once."""
    return bool(store.value("memories.has_revision", id=number, revision=revision))


def whereabouts(store: Store, number: int) -> str:
    """Return what became of a memory that is not there, or which one may be meant."""
    if (now := aliases_of(store).get(number)) is not None:
        return f"it was joined with memory {now}: name that"
    purged: dict[int, str] = dict(store.all("store.tombstones"))
    if number in purged:
        return f"it was purged at {purged[number]}"
    near = [
        str(suggestion) for (suggestion,) in store.all("memories.suggest_ids", number=str(number))
    ]
    return f"did you mean {' or '.join(near)}?" if near else "see 'memkit list'"
