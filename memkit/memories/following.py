"""Keyed facts that another program edited: the text follows, where it was made of the fact.

Nobody who sets a value in the sqlite3 shell types the text anew. The content hash that is still
stored proves whether the text was made of what stood there before. Where it was not, or was itself
edited, only a person knows what is meant: that is written down, and `check` says it until text and
fact agree again, or the memory is updated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from .. import tokens
from ..words.forms import nfc
from .documents import said_lines
from .drafts import hash_of, hashes_of
from .identity import fact_form
from .phrasing import made_of

if TYPE_CHECKING:
    from ..store.connection import Store

# Letters of the former text that the audit keeps, enough to undo by hand.
AUDITED = 2000
# Places in a text that may part a key from its value; more are no keyed fact.
_MOST_PARTINGS = 8
_FIELDS = ("key", "qualifier", "value")

Row = Mapping[str, Any]


def follow(store: Store, row: Row) -> None:
    """Put right what hangs on the words of a row that another program edited; inside `write`,
    before the row is indexed anew."""
    text: str = row["text"]
    if row["key"] and row["value"]:
        if (fresh := _made_anew(row)) is not None:
            store.run("memories.retell", id=row["id"], text=fresh)
            store.audit("update", row["id"], before=text[:AUDITED], reason="its fact was edited")
            text = fresh
        elif unsaid := _unsaid(store, row):
            store.audit("edit", row["id"], fields=unsaid)
    fresh_hash = hash_of({**row, "text": text})
    store.run("memories.set_hash", id=row["id"], content_hash=fresh_hash)
    store.run("memories.set_tokens", id=row["id"], tokens=tokens.count(text))


def disagreements(store: Store) -> list[tuple[int, list[str]]]:
    """Return the memories of which an edit from outside left text and fact apart, and the fields
    that their texts do not say."""
    noted = store.records("memories.edited_facts")
    named = ((row, [name for name in _FIELDS if name in str(row["fields"])]) for row in noted)
    apart = ((row["id"], _missing(row, names)) for row, names in named)
    return [(number, fields) for number, fields in apart if fields]


def _made_anew(row: Row) -> str | None:
    """Return what the text of a row has become, if it was made of another fact than the row
    states."""
    for key, qualifier, value in _read(row["text"]):
        was = {**row, "key": key, "qualifier": qualifier, "value": value}
        if row["content_hash"] in hashes_of(was).values():
            names = (_spelt(key, row["key"]), _spelt(qualifier, row["qualifier"]))
            made = made_of(names[0] or row["key"], names[1], row["value"])
            return None if made == row["text"] else made
    return None


def _read(text: str) -> Iterator[tuple[str, str | None, str]]:
    """Yield each fact of which a text may have been made."""
    pieces = text.split(": ")
    for place in range(1, min(len(pieces), _MOST_PARTINGS)):
        head, value = ": ".join(pieces[:place]), ": ".join(pieces[place:])
        yield head, None, value
        if head.endswith(")") and " (" in head:
            key, _, qualifier = head[:-1].partition(" (")
            yield key, qualifier, value


def _spelt(was: str | None, now: str | None) -> str | None:
    """Return a name as it was written, if it is the same still."""
    return was if was and now and fact_form(was) == fact_form(now) else now


def _unsaid(store: Store, row: Row) -> list[str]:
    """Return the fields that were edited, or beside which the text was, and that it does not
    say."""
    hashes = (hashes_of({**row, **other}).values() for other in _before(row))
    was_made, was_plain = (row["content_hash"] in found for found in hashes)
    if was_made:
        return _missing(row, ["value"])
    body = store.value("memories_search.indexed_body", id=row["id"])
    text, lines = nfc(row["text"]), nfc("\n".join(said_lines(row["text"], _fact(row))))
    if was_plain or body is None or not _begins(body, text) or _begins(body, lines):
        return []
    return [name for name in _missing(row, _FIELDS) if nfc(row[name]) not in body]


def _before(row: Row) -> Iterator[Row]:
    """Yield what a row may have said before its text was edited, and before it stated a fact."""
    yield {"text": made_of(*_fact(row))}
    yield dict.fromkeys(_FIELDS)


def _fact(row: Row) -> tuple[str, str | None, str]:
    return row["key"], row["qualifier"], row["value"]


def _begins(body: str, lines: str) -> bool:
    return body == lines or body.startswith(f"{lines}\n")


def _missing(row: Row, names: Iterable[str]) -> list[str]:
    """Return those of the fields that a text does not say, however they are spelt there."""
    told = fact_form(row["text"])
    return [name for name in names if row[name] and fact_form(row[name]) not in told]
