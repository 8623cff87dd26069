"""Keeping what is derived from memories in step: documents, full text, token pieces, vectors.

Each change of a memory updates all of it inside the same transaction. What other programs changed
is found by fingerprint and brought up to date before the next question, so no stale index is ever
served.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs

from ..arguments import Progress
from ..encoder import Encoder, load_encoder
from ..errors import EncoderError, StoreBusy, StoreDamaged, StoreError
from . import mending, vector_rows
from .documents import document_of, fingerprint_of
from .vector_rows import VectorState

if TYPE_CHECKING:
    from ..store.connection import Row, Store


# Memories brought up to date in one transaction: some 100 ms, so that others can write in between.
BATCH = 500
_NO_SPACE = -1
_FIRST = -(1 << 62)  # before every id


class Index:
    """Writes the derived rows of memories; called by whatever changes a memory."""

    def __init__(self, store: Store, encoder: Encoder | None = None) -> None:
        self._store = store
        self.given = encoder
        self._loaded: Encoder | None = encoder
        self.encoder_note: str | None = None

    # -- the encoder

    def encoder(self) -> Encoder | None:
        """Return the encoder in use, loaded on first use, or None if there is none (see note)."""
        if self._loaded is None and self.encoder_note is None:
            try:
                self._loaded = load_encoder()
            except (EncoderError, ImportError) as error:
                self.encoder_note = f"no vectors: {error}"
        return self._loaded

    def space(self) -> int | None:
        """Return the number of the encoder in use in this file, or None if it made nothing yet."""
        found = self.space_and_changes()
        return int(found[0]) if found else None

    def space_and_changes(self) -> Row | None:
        """Return that number with one that moves whenever a vector may have changed."""
        encoder = self.encoder()
        if encoder is None:
            return None
        return self._store.one("memories_search.space", name=encoder.name)

    def vector_state(self) -> VectorState:
        """Return how far the vectors keep up with the memories."""
        encoder = self.encoder()
        rows = self._store.all("memories_search.spaces")
        return VectorState(
            encoder=encoder.name if encoder else "",
            dimensions=encoder.dimensions if encoder else 0,
            stored={name: memories for _, name, _, memories in rows},
            waiting=self._unembedded(),
            note=self.encoder_note or self._store.vector_note,
        )

    # -- one change, inside the caller's transaction

    def put(self, ids: Iterable[int]) -> None:
        """Bring the derived rows of these memories up to date; inside `write`."""
        rows = self._store.all("memories_search.searchable_of", ids=_listed(ids))
        self._embed(self._refresh(rows))

    def remove(self, ids: Iterable[int]) -> None:
        """Remove every derived row of these memories; inside `write`."""
        listed = _listed(ids)
        self._remove_documents(listed)
        self._remove_vectors(listed)

    # -- the whole file

    def ensure(self) -> None:
        """Bring derived rows up to date if another program has changed the file."""
        if self._store.edited_outside():
            self.reconcile()

    def ensure_soon(self) -> bool:
        """Do so unless another process is writing; return whether it is done."""
        try:
            with self._store.hurried():
                self.ensure()
        except StoreBusy:
            return False
        return True

    def reconcile(self, progress: Progress | None = None) -> int:
        """Bring every derived row in step with its memory; return how many memories were behind.

        Works in short transactions and can be interrupted at any point: what is done stays done.
        """
        mend_names = partial(mending.mend_names_and_times, self._store)
        self._store.write(mend_names, derived=True)
        done, seen = self._sweep(progress)
        # Nothing else can write during this last look, so the mark it leaves is true.
        return done + self._store.write(partial(self._last_look, seen), derived=True)

    def reembed(self, progress: Progress | None = None) -> int:
        """Give every memory vectors of the encoder in use; return how many got them.

        Vectors of another encoder are replaced batch by batch; interrupted, it goes on where it
        was.
        """
        encoder = self.encoder()
        if encoder is None:
            raise EncoderError(f"{self.encoder_note}; open the store with a model")
        total, done = self._unembedded(), 0
        while count := self._store.write(self._embed_batch, derived=True):
            done += count
            if progress:
                progress(done, max(total, done))
        self._store.write(self._drop_old_spaces, derived=True)
        return done

    def rebuild_full_text(self) -> None:
        """Make the full-text index anew from the documents."""
        self._store.write(lambda: self._store.run("memories_search.rebuild_index"), derived=True)

    def repair(self) -> None:
        """Rebuild whatever derived rows are missing, behind or orphaned, vectors included."""
        self.reconcile()
        if self.encoder() is not None:
            self.reembed()

    def behind(self) -> int:
        """Return how many memories differ from what is indexed of them."""
        count, after = 0, _FIRST
        while rows := self._store.all("memories_search.searchable", after=after, limit=BATCH):
            after = rows[-1][0]
            count += sum(fingerprint_of(row) != row[-1] for row in rows)
        return count

    def full_text_damage(self) -> str | None:
        """Return how the full-text index differs from its documents, or None if it agrees."""
        try:
            self._store.probe("memories_search.check_index")
        except StoreDamaged as error:
            return str(error)
        return None

    # -- inside

    def _sweep(self, progress: Progress | None) -> tuple[int, tuple[int, int]]:
        """Return how many memories were behind, and the state that the file has if nothing but
        this was written meanwhile."""
        generation, counter = self._store.state()
        done = 0
        total = self._store.value("memories_search.document_counts")
        for changed in self._pages(
            lambda n: self._store.write(partial(self._page, n), derived=True)
        ):
            done += changed
            counter += bool(changed)
            if progress and changed:
                progress(min(done, total), total)
        return done, (generation, counter)

    def _pages(self, look: Callable[[int], tuple[int | None, int]]) -> Iterator[int]:
        """Yield how many memories were behind on each page that is looked at."""
        last: int | None = _FIRST
        while last is not None:
            last, changed = look(last)
            yield changed

    def _page(self, after: int) -> tuple[int | None, int]:
        page = partial(self._store.all, "memories_search.searchable", after=after, limit=BATCH)
        rows = page()
        if rows and mending.mend_edits(self._store, after, rows[-1][0], limit=BATCH):
            rows = page()  # some texts follow what was edited
        changed = self._refresh(rows)
        self._embed(changed)
        return (rows[-1][0] if rows else None), len(changed)

    def _last_look(self, seen: tuple[int, int]) -> int:
        done = 0 if self._store.state() == seen else self._look_again()
        while orphans := self._store.all("memories_search.orphan_documents", limit=BATCH):
            self.remove(number for (number,) in orphans)
        lost = self._store.all("memories_search.orphan_vectors")
        self._remove_vectors(_listed(number for (number,) in lost))
        if self.encoder() is not None:
            self._fill_missing()
        self._store.mark_reconciled()
        return done

    def _look_again(self) -> int:
        """Do in one transaction what another program has written into."""
        mending.mend_names_and_times(self._store)
        return sum(self._pages(self._page))

    def _fill_missing(self) -> None:
        """Embed memories that no encoder has cut yet; those of another model wait for `reembed`."""
        while rows := self._store.all("memories_search.uncut", limit=BATCH):
            self._embed(rows)

    def _refresh(self, rows: Sequence[Row]) -> list[tuple[int, str]]:
        """Put the documents of `searchable` rows right; return (id, body) of those changed."""
        behind = [row for row in rows if fingerprint_of(row) != row[-1]]
        changed = [(row[0], document_of(row)) for row in behind]
        if not changed:
            return []
        indexed = {row[0] for row in rows if row[-1] is not None}
        self._remove_documents(_listed(number for number, _ in changed if number in indexed))
        documents = [{"id": number, **attrs.asdict(found)} for number, found in changed]
        self._store.run_many("memories_search.add_document", documents)
        listed = _listed(number for number, _ in changed)
        self._store.run("memories_search.index_documents", ids=listed)
        self._store.run("memories_search.merge_parts", changed=len(changed))
        return [(number, found.body) for number, found in changed]

    def _remove_documents(self, listed: str) -> None:
        self._store.run("memories_search.unindex_documents", ids=listed)
        self._store.run("memories_search.delete_documents", ids=listed)

    def _remove_vectors(self, listed: str) -> None:
        self._store.run("memories_search.move_spaces")
        for query in (
            "memories_search.delete_vectors",
            "memories_search.delete_bits",
            "memories_search.delete_pieces",
        ):
            self._store.run(query, ids=listed)

    def _embed_batch(self) -> int:
        space = self._wanted_space()
        rows = self._store.all("memories_search.unembedded", space=space, limit=BATCH)
        self._embed(rows)
        return len(rows)

    def _unembedded(self) -> int:
        space = self._wanted_space()
        return int(self._store.value("memories_search.unembedded_count", space=space))

    def _embed(self, texts: Sequence[Row]) -> None:
        """Replace the vectors of these memories (id, text); inside `write`."""
        if not texts:
            return
        self._remove_vectors(_listed(number for number, _ in texts))
        encoder = self.encoder()
        if encoder is None:
            return
        space = self._own_space(encoder)
        found = encoder.embed([text for _, text in texts])
        made = [(number, one) for (number, _), one in zip(texts, found, strict=True)]
        pieces = (vector_rows.pieces(number, space, one) for number, one in made)
        self._store.run_many("memories_search.set_pieces", pieces)
        rows = [row for n, one in made for row in vector_rows.vectors(n, space, one.vectors)]
        self._store.run_many("memories_search.add_vector", (vector for vector, _ in rows))
        self._store.run_many("memories_search.add_bits", (bits for _, bits in rows))

    def _wanted_space(self) -> int:
        """Return the encoder's number, or one that no row has if it has made nothing here yet."""
        number = self.space()
        return _NO_SPACE if number is None else number

    def _own_space(self, encoder: Encoder) -> int:
        number = self.space()
        if number is None:
            self._store.run(
                "memories_search.add_space",
                name=encoder.name,
                dimensions=encoder.dimensions,
                changes=int(self._store.clock() * 1000),
            )
            number = self.space()
        if number is None:
            raise StoreError(f"encoder {encoder.name} could not be registered; run 'memkit check'")
        return number

    def _drop_old_spaces(self) -> None:
        if (number := self.space()) is not None:
            self._store.run("memories_search.drop_unused_spaces", keep=number)


def _listed(ids: Iterable[int]) -> str:
    return json.dumps(list(ids))
