"""Search index: full text and vectors of memories, held equal to their rows."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs

from ..errors import StoreBusy, StoreDamaged
from ..validation import Progress
from . import external_edits
from .embedding import BATCH, EmbeddingIndex, listed
from .search_document import document_of, fingerprint_of

if TYPE_CHECKING:
    from ..store.store import Row


# --- Maintenance of derived rows: documents, full text, token ids, vectors.
#
# Each change of a memory updates all of it inside the same transaction. What other programs
# changed is found by fingerprint and brought up to date before the next question, so no stale
# index is ever served.

_FIRST = -(1 << 62)  # before every id
# Work on rows that were edited outside, in seconds, that a question waits for.
SECONDS = 2.0
_UNFINISHED = -2  # no change counter


class Index(EmbeddingIndex):
    """Writer of the derived rows of memories; called by whatever changes a memory."""

    # -- one change, inside the caller's transaction

    def put(self, ids: Iterable[int]) -> None:
        """Bring the derived rows of these memories up to date; inside `write`. Of many, a slow
        encoder leaves some for `catch_up`."""
        rows = self._store.all("memories_search.get_sources", ids=listed(ids))
        self._embed_or_defer(self._refresh(rows))

    def remove(self, ids: Iterable[int]) -> None:
        """Remove every derived row of these memories; inside `write`."""
        gone = listed(ids)
        self._remove_documents(gone)
        self._remove_vectors(gone)

    # -- the whole file

    def ensure(self) -> None:
        """Bring derived rows up to date if another program has changed the file."""
        if self._store.edited_outside():
            self.reconcile()
        self.make_up()

    def ensure_soon(self) -> str | None:
        """Do so unless another process is writing, for no longer than a question may wait; return
        what to say of it if some is left to do."""
        try:
            with self._store.hurried():
                if self._store.edited_outside() and not self._reconciled_soon():
                    return (
                        "many rows were edited outside of memkit, and some of them may be missing "
                        "yet: the next questions go on, or 'memkit check --repair' does it at once"
                    )
                self.make_up()
        except StoreBusy:
            return "rows edited outside of memkit may be missing: another process is writing"
        return None

    def _reconciled_soon(self) -> bool:
        """Reconcile for a moment; return whether all of it is done."""
        self.reconcile(seconds=SECONDS)
        return not self._store.edited_outside()

    def reconcile(self, progress: Progress | None = None, *, seconds: float = float("inf")) -> int:
        """Bring every derived row in step with its memory; return how many memories were behind.

        Works in short transactions and can be interrupted at any point: what is done stays done.
        Once it has worked for some seconds it ends, and goes on when it is called again.
        """
        mend_names = partial(external_edits.mend_names_and_times, self._store)
        self._store.write(mend_names, derived=True)
        done, (generation, counter) = self._sweep(progress, seconds)
        if counter == _UNFINISHED:
            return done
        seen = generation, counter + self._fill()
        # Nothing else can write during this last look, so the mark it leaves is true.
        return done + self._store.write(partial(self._last_look, seen), derived=True)

    def rebuild_full_text(self) -> None:
        """Make the full-text index anew from the documents."""
        self._store.write(lambda: self._store.run("memories_search.rebuild_index"), derived=True)

    def repair(self, progress: Progress | None = None) -> None:
        """Rebuild whatever derived rows are missing, behind or orphaned, vectors included."""
        self.reconcile()
        if self.encoder() is not None:
            self.reembed(progress)

    def behind(self) -> int:
        """Return how many memories differ from what is indexed of them."""
        count, after = 0, _FIRST
        while rows := self._store.all("memories_search.list_sources", after=after, limit=BATCH):
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

    # -- internals

    def _sweep(self, progress: Progress | None, seconds: float) -> tuple[int, tuple[int, int]]:
        """Return how many memories were behind, and the state that the file has if nothing but
        this was written meanwhile; _UNFINISHED in it if it took too long."""
        generation, counter = self._store.state()
        done = 0
        total = self._store.value("memories_search.document_counts")
        spent, began = 0.0, time.monotonic()
        for changed in self._pages(
            lambda n: self._store.write(partial(self._page, n), derived=True)
        ):
            done += changed
            counter += bool(changed)
            if progress and changed:
                progress(min(done, total), total)
            # Pages without changes are only read: without them there would be no going on.
            spent += (time.monotonic() - began) * bool(changed)
            began = time.monotonic()
            if spent > seconds:
                return done, (generation, _UNFINISHED)
        return done, (generation, counter)

    def _pages(self, look: Callable[[int], tuple[int | None, int]]) -> Iterator[int]:
        """Yield how many memories were behind on each page that is looked at."""
        last: int | None = _FIRST
        while last is not None:
            last, changed = look(last)
            yield changed

    def _page(self, after: int) -> tuple[int | None, int]:
        page = partial(self._store.all, "memories_search.list_sources", after=after, limit=BATCH)
        rows = page()
        if rows and external_edits.mend_edits(self._store, after, rows[-1][0], limit=BATCH):
            rows = page()  # some texts follow what was edited
        changed = self._refresh(rows)
        self._embed_or_defer(changed)
        return (rows[-1][0] if rows else None), len(changed)

    def _last_look(self, seen: tuple[int, int]) -> int:
        done = 0 if self._store.state() == seen else self._look_again()
        while orphans := self._store.all("memories_search.orphan_documents", limit=BATCH):
            self.remove(number for (number,) in orphans)
        lost = self._store.all("memories_search.orphan_embeddings")
        self._remove_vectors(listed(number for (number,) in lost))
        self._fill()
        self._store.mark_reconciled()
        return done

    def _look_again(self) -> int:
        """Do in one transaction what another program has written into."""
        external_edits.mend_names_and_times(self._store)
        return sum(self._pages(self._page))

    def _refresh(self, rows: Sequence[Row]) -> list[tuple[int, str]]:
        """Put the documents of `searchable` rows right; return (id, body) of those changed."""
        behind = [row for row in rows if fingerprint_of(row) != row[-1]]
        changed = [(row[0], document_of(row)) for row in behind]
        if not changed:
            return []
        indexed = {row[0] for row in rows if row[-1] is not None}
        self._remove_documents(listed(number for number, _ in changed if number in indexed))
        documents = [{"id": number, **attrs.asdict(document)} for number, document in changed]
        self._store.run_many("memories_search.add_document", documents)
        fresh = listed(number for number, _ in changed)
        self._store.run("memories_search.index_documents", ids=fresh)
        self._store.run("memories_search.merge_parts", changed=len(changed))
        return [(number, document.body) for number, document in changed]

    def _remove_documents(self, ids: str) -> None:
        self._store.run("memories_search.unindex_documents", ids=ids)
        self._store.run("memories_search.delete_documents", ids=ids)
