"""Transcripts: sessions as an agent's framework writes them, entry by entry, word for word."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput
from ..memories.ingest import safe_text
from .documents import stored_json

if TYPE_CHECKING:
    from .ports import OpenKit

_ALL = -1


@attrs.frozen
class SavedTranscript:
    """One stored transcript: its session, how many entries it has, when one was last added (UTC
    text)."""

    session: str
    entries: int
    saved_at: str


class Transcripts:
    """Transcripts of frameworks, as they wrote them; `kit.context.transcripts`.

    A `collection` is the framework, and what it tells its sessions apart by; a `part` is what runs
    in a session, such as a subagent ("" is the session itself). What is read is what was appended,
    but for secrets, which are replaced. They stay on this machine.
    """

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the open store."""
        self._store = kit._store

    def append(
        self,
        collection: str,
        session: str,
        entries: Iterable[object],
        *,
        part: str = "",
        keys: Sequence[str | None] | None = None,
    ) -> int:
        """Add entries (what JSON can hold) after those that are there; return how many are new.

        `keys` are the entries' own names, None for one without: an entry is kept once under its
        name, whoever appends it again. One transaction.
        """
        address = _address(collection, session, part)
        items = validation.iterable(entries, name="entries")
        stored = [stored_json(entry, name="entries") for entry in items]
        names = (
            [None] * len(stored) if keys is None else list(validation.iterable(keys, name="keys"))
        )
        if len(names) != len(stored):
            raise InvalidInput(
                f"keys: found {len(names)}, expected one for each of {len(stored)} entries"
            )
        return self._store.write(lambda: self._add(address, stored, names))

    def read(
        self, collection: str, session: str, *, part: str = "", limit: int | None = None
    ) -> list[object]:
        """Return the entries of a part in the order in which they came, or the newest `limit` of
        them; none if there is no such transcript."""
        newest = validation.optional(validation.integer, limit, name="limit")
        return self._read(_address(collection, session, part), _ALL if newest is None else newest)

    def rewrite(
        self,
        collection: str,
        session: str,
        change: Callable[[list[object]], Iterable[object]],
        *,
        part: str = "",
    ) -> None:
        """Put in the place of a part's entries what `change` makes of them; one transaction. Their
        names are lost. `change` may run twice."""
        address = _address(collection, session, part)
        validation.function(change, name="change")

        def work() -> None:
            entries = change(self._read(address, _ALL))
            stored = [stored_json(entry, name="entries") for entry in entries]
            self._store.run("context_transcripts.drop_entries", **address)
            self._add(address, stored, [None] * len(stored))

        self._store.write(work)

    def pop(self, collection: str, session: str, *, part: str = "") -> object | None:
        """Take the newest entry out and return it; None if there is none."""
        address = _address(collection, session, part)

        def work() -> object | None:
            newest = self._read(address, 1)
            if newest:
                position = self._store.value("context_transcripts.last_position", **address)
                self._store.run("context_transcripts.drop_entry", **address, position=position)
            return newest[0] if newest else None

        return self._store.write(work)

    def delete(self, collection: str, session: str, *, part: str | None = None) -> int:
        """Delete a part of a session, or with None the session with all its parts; return how many
        entries there were."""
        address: dict[str, object] = {
            **_address(collection, session, ""),
            "part": validation.optional(validation.text, part, name="part"),
        }
        return self._store.write(
            lambda: self._store.run("context_transcripts.drop_entries", **address)
        )

    def sessions(self, collection: str, *, part: str = "") -> tuple[SavedTranscript, ...]:
        """Return the sessions of a collection that have entries in a part, the one added to last
        first."""
        address = _address(collection, "-", part)
        rows = self._store.all(
            "context_transcripts.transcripts",
            collection=address["collection"],
            part=address["part"],
        )
        return tuple(SavedTranscript(*row) for row in rows)

    def parts(self, collection: str, session: str) -> tuple[str, ...]:
        """Return the parts of a session beside itself, sorted."""
        address = _address(collection, session, "")
        del address["part"]
        return tuple(
            part for (part,) in self._store.all("context_transcripts.transcript_parts", **address)
        )

    # -- inside

    def _read(self, address: dict[str, str], limit: int) -> list[object]:
        rows = self._store.all("context_transcripts.transcript_entries", **address, max_rows=limit)
        return [json.loads(entry) for (entry,) in reversed(rows)]

    def _add(
        self, address: dict[str, str], entries: Sequence[str], keys: Sequence[str | None]
    ) -> int:
        known = self._known(address, keys)
        first = self._store.value("context_transcripts.last_position", **address) + 1
        at = self._store.now()
        rows = [
            {**address, "position": position, "entry_key": key, "entry": entry, "added_at": at}
            for position, (key, entry) in enumerate(_new(entries, keys, known), first)
        ]
        self._store.run_many("context_transcripts.add_entry", rows)
        return len(rows)

    def _known(self, address: dict[str, str], keys: Sequence[str | None]) -> set[str]:
        named = json.dumps([key for key in keys if key is not None])
        if named == "[]":
            return set()
        rows = self._store.all("context_transcripts.known_entry_keys", **address, keys=named)
        return {key for (key,) in rows}


def _new(
    entries: Sequence[str], keys: Sequence[str | None], known: set[str]
) -> Iterator[tuple[str | None, str]]:
    """Yield names and entries that are not there yet, each name once."""
    names = set(known)
    for key, entry in zip(keys, entries, strict=True):
        if key is None or key not in names:
            yield key, entry
        if key is not None:
            names.add(key)


def _address(collection: str, session: str, part: str) -> dict[str, str]:
    names = {
        "collection": validation.named(collection, name="collection"),
        "session_id": validation.named(session, name="session"),
        "part": validation.text(part, name="part"),
    }
    return {name: safe_text(value, name=name).text for name, value in names.items()}
