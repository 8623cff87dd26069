"""Rows that another program wrote, put into the forms that memkit writes.

In the sqlite3 shell a tag gets any id and spelling, a time any form, and nobody computes hashes
and token counts. What was meant stays; only its form changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput
from ..store import times
from ..store.ids import id_time
from .drafts import hash_of
from .following import follow
from .identity import fact_name, tag_id, tag_name

if TYPE_CHECKING:
    from ..store.connection import Row, Store


def odd_tags(store: Store) -> list[tuple[int, str]]:
    """Return id and right name of the tags that do not go by the id or spelling of their name."""
    found = [(number, name, _spelling(name)) for number, name in store.all("memories.tag_names")]
    return [(n, right) for n, name, right in found if (n, name) != (tag_id(right), right)]


def odd_keys(store: Store) -> list[dict[str, object]]:
    """Return id and right key and qualifier of the memories that spell them another way."""
    right = [
        (row, {name: fact_name(row[name] or "") or None for name in ("key", "qualifier")})
        for row in store.records("memories.keys")
    ]
    return [dict(row, **names) for row, names in right if dict(row, **names) != row]


def odd_times(store: Store) -> list[Row]:
    """Return id and times of the memories of which one is not in the stored form."""
    return store.all("memories.odd_times")


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
    for number, created, updated, valid_from, valid_to in odd_times(store):
        born = _time(created) or id_time(number, now=store.clock())
        store.run(
            "memories.set_times",
            id=number,
            created_at=born,
            updated_at=_time(updated) or born,
            valid_from=_time(valid_from),
            valid_to=_time(valid_to),
        )


def mend_edits(store: Store, first: int, last: int, *, limit: int) -> bool:
    """Put texts, content hashes and token counts right where another program edited words; return
    whether there were any. Inside `write`.

    Looks at the memories after id `first` up to `last`, at most `limit`.
    """
    found = store.records("memories.identities", after=first, limit=limit)
    edited = [row for row in found if row["id"] <= last and hash_of(row) != row["content_hash"]]
    mend(store, edited)
    return bool(edited)


def mend(store: Store, edited: Iterable[Mapping[str, Any]]) -> None:
    """Put right what hangs on the words of rows that another program edited; inside `write`."""
    for row in edited:
        follow(store, row)


def _spelling(name: str) -> str:
    try:
        return tag_name(name)
    except InvalidInput:
        return name  # blank or endless: nobody can ask for it, but it is what was written


def _time(stored: str | None) -> str | None:
    """Return a time in the stored form; one that is no time is unknown."""
    try:
        return None if stored is None else times.normalise(stored)
    except InvalidInput:
        return None
