"""External edits: repair of rows edited by other programs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..redaction import scan
from ..store import timestamps
from ..text.analyzer import nfc
from .identity import fact_form, fact_name, tag_id, tag_name
from .ingest import hash_of, hashes_of, made_of
from .search_document import MAX_TEXT, said_lines

if TYPE_CHECKING:
    from ..store.store import Store


# --- Keyed facts edited by another program: the text follows, where it was made of the fact.
#
# Nobody who sets a value in the sqlite3 shell types the text anew. The content hash that is still
# stored proves whether the text was made of what stood there before. Where it was not, or was
# itself edited, only a person knows what is meant: that is written down, and `check` says it
# until text and fact agree again, or the memory is updated.

# Letters of the former text that the audit keeps, enough to undo by hand.
AUDITED = 2000
# Places in a text that may part a key from its value; more are no keyed fact.
_MOST_PARTINGS = 8
_FIELDS = ("key", "qualifier", "value")

FactRow = Mapping[str, Any]


def follow(store: Store, row: FactRow) -> None:
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
    from .. import tokens  # only what was edited is counted

    fresh_hash = hash_of({**row, "text": text})
    store.run("memories.drop_levels", id=row["id"])
    store.run("memories.set_hash", id=row["id"], content_hash=fresh_hash)
    head = text[:MAX_TEXT]
    count = tokens.count(head) * len(text) // max(len(head), 1)
    store.run("memories.set_tokens", id=row["id"], tokens=count)


def disagreements(store: Store) -> list[tuple[int, list[str]]]:
    """Return the memories of which an edit from outside left text and fact apart, and the fields
    that their texts do not say."""
    noted = store.records("memories.edited_facts")
    named = ((row, [name for name in _FIELDS if name in str(row["fields"])]) for row in noted)
    apart = ((row["id"], _missing(row, names)) for row, names in named)
    return [(number, fields) for number, fields in apart if fields]


def _made_anew(row: FactRow) -> str | None:
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


def _unsaid(store: Store, row: FactRow) -> list[str]:
    """Return the fields that were edited, or beside which the text was, and that it does not
    say."""
    hashes = (hashes_of({**row, **other}).values() for other in _before(row))
    was_made, was_plain = (row["content_hash"] in known for known in hashes)
    if was_made:
        return _missing(row, ["value"])
    body = store.value("memories_search.indexed_body", id=row["id"])
    text, lines = nfc(row["text"]), nfc("\n".join(said_lines(row["text"], _fact(row))))
    if was_plain or body is None or not _begins(body, text) or _begins(body, lines):
        return []
    return [name for name in _missing(row, _FIELDS) if nfc(row[name]) not in body]


def _before(row: FactRow) -> Iterator[FactRow]:
    """Yield what a row may have said before its text was edited, and before it stated a fact."""
    yield {"text": made_of(*_fact(row))}
    yield dict.fromkeys(_FIELDS)


def _fact(row: FactRow) -> tuple[str, str | None, str]:
    return row["key"], row["qualifier"], row["value"]


def _begins(body: str, lines: str) -> bool:
    return body == lines or body.startswith(f"{lines}\n")


def _missing(row: FactRow, names: Iterable[str]) -> list[str]:
    """Return those of the fields that a text does not say, however they are spelt there."""
    text = fact_form(row["text"])
    return [name for name in names if row[name] and fact_form(row[name]) not in text]


# --- Normal forms of rows that another program wrote.
#
# In the sqlite3 shell a tag gets any id and spelling, a time any form, and nobody computes hashes
# and token counts. What was meant stays; only its form changes.


def odd_tags(store: Store) -> list[tuple[int, str]]:
    """Return id and right name of the tags that do not go by the id or spelling of their name."""
    tags = [(number, name, _spelling(name)) for number, name in store.all("memories.tag_names")]
    return [(n, right) for n, name, right in tags if (n, name) != (tag_id(right), right)]


def odd_keys(store: Store) -> list[dict[str, object]]:
    """Return id and right key and qualifier of the memories that spell them another way."""
    right = [
        (row, {name: fact_name(row[name] or "") or None for name in ("key", "qualifier")})
        for row in store.records("memories.keys")
    ]
    return [dict(row, **names) for row, names in right if dict(row, **names) != row]


def odd_times(store: Store) -> list[dict[str, Any]]:
    """Return id and right times of the memories of which one is not in the stored form. What is no
    time at all stays as it is: `check` names it."""
    noted = store.records("memories.odd_times")
    right = [row | {name: _time(row[name]) for name in row.keys() - {"id"}} for row in noted]
    return [
        row
        for row, before in zip(right, noted, strict=True)
        if row != before or all(map(_is_time, row.values()))  # then it was last used at an odd one
    ]


def mend_names_and_times(store: Store) -> None:
    """Give odd tags their own id, odd keys and times the stored form; inside `write`."""
    store.run_many("memories.set_key", odd_keys(store))
    for number, name in odd_tags(store):
        description = store.value("memories.tag_description", id=number)
        store.run("tables.tags_drop", id=number)
        store.run("memories.add_tag", id=tag_id(name), name=name, at=store.now())
        if description is not None:
            store.run("memories.describe_tag", id=tag_id(name), description=description)
        store.run("memories.move_edges", old=number, new=tag_id(name))
        store.run("memories.delete_edges", id=number)
    store.run("memories.forget_odd_uses")
    store.run_many("memories.set_times", odd_times(store))


def mend_edits(store: Store, first: int, last: int, *, limit: int) -> bool:
    """Put texts, content hashes and token counts right where another program edited words; return
    whether there were any. Inside `write`.

    Looks at the memories after id `first` up to `last`, at most `limit`.
    """
    rows = store.records("memories.identities", after=first, limit=limit)
    edited = [row for row in rows if row["id"] <= last and hash_of(row) != row["content_hash"]]
    mend(store, edited)
    return bool(edited)


def mend(store: Store, edited: Iterable[Mapping[str, Any]]) -> None:
    """Put right what hangs on the words of rows that another program edited; inside `write`."""
    for row in edited:
        follow(store, row)


def _spelling(name: str) -> str:
    try:
        right = tag_name(name)
        # Folded, a secret is known no more: it stays as it is until a scrub takes it away.
        return right if right == name or not scan(name) else name
    except InvalidInput:
        return name  # blank or endless: nobody can ask for it, but it is what was written


def _is_time(value: object) -> bool:
    return not isinstance(value, str) or timestamps.is_stored(value)


def _time(stored: str | None) -> str | None:
    """Return a time in the stored form; what is no time as it is."""
    try:
        return None if stored is None else timestamps.normalise(stored)
    except InvalidInput:
        return stored
