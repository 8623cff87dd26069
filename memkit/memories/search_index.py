"""Search index: full text and vectors of memories, held equal to their rows."""

from __future__ import annotations

import json
import math
import struct
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import attrs

from ..encoder import Encoder, load_encoder
from ..encoder.protocol import Embedded, quantize, sign_bits, unit
from ..errors import EncoderError, StoreBusy, StoreDamaged, StoreError
from ..store.store import local_setting, set_local_setting
from ..validation import Progress
from . import external_edits
from .search_document import document_of, fingerprint_of

if TYPE_CHECKING:
    from ..store.store import Row, Store


# Memories brought up to date in one transaction: some 100 ms, so that others can write in between.
BATCH = 500
_NO_MODEL = -1
# Where a file keeps on this machine that memories wait for their vectors.
_WAITING = "vectors.waiting"


class EmbeddingIndex:
    """Writer of the embeddings and token ids of memories; base of the search index.

    Attributes:
        encoder_note: why there is no encoder. failure: why the one there is could not embed the
            last texts; words find them until it can.
    """

    def __init__(self, store: Store, encoder: Encoder | None) -> None:
        self._store = store
        self._loaded: Encoder | None = encoder
        self.encoder_note: str | None = None
        self.failure: str | None = None
        self._is_tried = False
        self._deferred = False
        self._has_looked = False

    # -- the encoder

    def encoder(self) -> Encoder | None:
        """Return the encoder in use, loaded on first use, or None if there is none, or one that
        cannot be loaded (see note)."""
        if not self._is_tried:
            self._is_tried = True
            try:
                encoder = self._loaded or load_encoder()
                encoder.tokenize([""])  # many a one reads its files when it is first needed
                self._loaded = encoder
            except (EncoderError, ImportError, OSError) as error:
                self._loaded, self.encoder_note = None, f"no vectors: {error}"
        return self._loaded

    def model_id(self) -> int | None:
        """Return the number of the encoder in use in this file, or None if it made nothing yet."""
        state = self.model_id_and_changes()
        return int(state[0]) if state else None

    def model_id_and_changes(self) -> Row | None:
        """Return that number with one that moves whenever a vector may have changed."""
        encoder = self.encoder()
        if encoder is None:
            return None
        return self._store.first("memories_search.get_embedding_model", name=encoder.name)

    def vector_state(self) -> VectorState:
        """Return how far the vectors keep up with the memories."""
        encoder = self.encoder()
        rows = self._store.all("memories_search.list_embedding_models")
        return VectorState(
            encoder=encoder.name if encoder else "",
            dimensions=encoder.dimensions if encoder else 0,
            stored={name: memories for _, name, _, memories in rows},
            waiting=self._unembedded(),
            note=self.encoder_note or self.failure or self._store.vector_note,
        )

    # -- all that are waiting

    def catch_up(self) -> None:
        """Embed what `put` left, in transactions short enough for others to write in between."""
        if self._deferred:
            self._fill()
            self._deferred = False

    def make_up(self) -> None:
        """Embed, once a process, what was written while there was no encoder, or it failed."""
        is_due = not (self._has_looked or self._store.readonly)
        self._has_looked = True
        if is_due and local_setting(self._store, _WAITING, 0) and self.encoder() is not None:
            self._fill()
            if not self.failure:
                self._store.write(partial(set_local_setting, self._store, _WAITING, 0))

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
        if self.failure:
            raise EncoderError(self.failure)
        self._store.write(self._drop_old_models, derived=True)
        return done

    # -- internals

    def _fill(self) -> int:
        """Embed memories that no encoder has cut yet, in how many transactions is returned; those
        of another model wait for `reembed`."""
        batches = 0
        while self.encoder() and self._store.write(self._fill_batch, derived=True):
            batches += 1
        return batches

    def _fill_batch(self) -> int:
        return self._embed_some(self._store.all("memories_search.untokenized", limit=BATCH))

    def _remove_vectors(self, ids: str) -> None:
        self._store.run("memories_search.count_embedding_change")
        for query in (
            "memories_search.delete_embeddings",
            "memories_search.delete_embedding_bits",
            "memories_search.delete_tokens",
            "memories_search.leave_clusters",
            "memories_search.delete_cluster_members",
        ):
            self._store.run(query, ids=ids)

    def _embed_batch(self) -> int:
        model_id = self._current_model_id()
        rows = self._store.all("memories_search.unembedded", model_id=model_id, limit=BATCH)
        return self._embed_some(rows)

    def _unembedded(self) -> int:
        model_id = self._current_model_id()
        return int(self._store.value("memories_search.unembedded_count", model_id=model_id))

    def _embed_or_defer(self, texts: Sequence[Row]) -> None:
        """Replace the vectors of these memories (id, text); a slow encoder leaves some for
        `catch_up`. Inside `write`."""
        done = self._embed_some(texts)
        if rest := texts[done:]:
            self._remove_vectors(listed(number for number, _ in rest))
            self._deferred |= done > 0

    def _embed_some(self, texts: Sequence[Row]) -> int:
        """Replace the vectors of as many of these as are embedded at once; return how many."""
        if not texts:
            return 0
        encoder = self.encoder()
        first = texts if encoder is None else at_once(encoder, texts)
        results = self._embedded(encoder, [text for _, text in first])
        if encoder is None or results is None:
            if not local_setting(self._store, _WAITING, 0):
                set_local_setting(self._store, _WAITING, 1)
            return 0
        self._remove_vectors(listed(number for number, _ in first))
        model_id = self._own_model_id(encoder)
        made = [(number, result) for (number, _), result in zip(first, results, strict=True)]
        pieces = (token_row(number, model_id, result) for number, result in made)
        self._store.run_many("memories_search.set_tokens", pieces)
        rows = [row for n, result in made for row in vector_rows(n, model_id, result.vectors)]
        self._store.run_many("memories_search.add_embedding", (vector for vector, _ in rows))
        self._store.run_many("memories_search.add_embedding_bits", (bits for _, bits in rows))
        return len(first)

    def _embedded(self, encoder: Encoder | None, texts: Sequence[str]) -> list[Embedded] | None:
        """Return what an encoder makes of texts; None, and the reason noted, if it fails."""
        self.failure = None
        try:
            return None if encoder is None else encoder.embed(texts)
        except (EncoderError, ImportError) as error:
            self.failure = f"no vectors of what was written last: {error}"
            return None

    def _current_model_id(self) -> int:
        """Return the encoder's number, or one that no row has if it has made nothing here yet."""
        number = self.model_id()
        return _NO_MODEL if number is None else number

    def _own_model_id(self, encoder: Encoder) -> int:
        number = self.model_id()
        if number is None:
            self._store.run(
                "memories_search.add_embedding_model",
                name=encoder.name,
                dimensions=encoder.dimensions,
                changes=int(self._store.clock() * 1000),
            )
            number = self.model_id()
        if number is None:
            raise StoreError(f"encoder {encoder.name} could not be registered; run 'memkit check'")
        return number

    def _drop_old_models(self) -> None:
        if (number := self.model_id()) is not None:
            self._store.run("memories_search.drop_unused_embedding_models", keep=number)


def listed(ids: Iterable[int]) -> str:
    """Return ids as the JSON list that queries take."""
    return json.dumps(list(ids))


# --- Rows of embedded texts: token ids, vectors, sign bits; and the state of the vectors.

VectorRow = dict[str, object]


class VectorState(NamedTuple):
    """State of the vectors: whose are stored, which encoder is in use, how many lag."""

    encoder: str
    dimensions: int
    stored: Mapping[str, int]
    waiting: int
    note: str | None


def at_once(encoder: Encoder, texts: Sequence[Any]) -> Sequence[Any]:
    """Return the first (id, text), at least one, that an encoder embeds in one transaction: all,
    unless it says how many characters."""
    left: float = getattr(encoder, "characters_at_once", float("inf"))
    for count, (_, text) in enumerate(texts):
        left -= len(text)
        if left < 0:
            return texts[: max(count, 1)]
    return texts


def token_row(number: int, model_id: int, result: Embedded) -> VectorRow:
    """Return the row of the ids into which a memory's text was cut."""
    ids = struct.pack(f"<{len(result.token_ids)}I", *result.token_ids)
    return {"id": number, "model_id": model_id, "ids": ids}


def vector_rows(
    number: int, model_id: int, vectors: Iterable[Any]
) -> Iterator[tuple[VectorRow, VectorRow]]:
    """Yield for each vector of a memory its row and the row of its bits; one without direction, as
    a user's encoder may give it, would be close to everything, and is left out."""
    for chunk, vector in enumerate(vector for vector in vectors if unit(vector) is not None):
        place: VectorRow = {"id": number, "chunk": chunk, "model_id": model_id}
        yield place | {"vector": quantize(vector)}, place | {"bits": sign_bits(vector)}


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


# --- Signs of the vectors of one file in memory: what is nearest to a memory, roughly.
#
# What is near is looked up for every statement that is written, and for each of all in a scan, so
# the signs (32 bytes a memory) are read once and then only those of memories that were added. One
# that was changed or deleted meanwhile may still be found by its former vector, which does no harm
# to who looks at the memories themselves; after some such changes all are read anew.

# Changes of vectors that are not new memories, after which all signs are read anew.
_MOST_UNEXPLAINED = 16
# Rows for which there is room at least when there is no room for another one.
_ROOM = 1024


@attrs.frozen
class EncodedSigns:
    """The signs of a vector, and the name of the encoder that made it."""

    encoder: str
    bits: bytes


@attrs.define(eq=False)
class _Signs:
    """Signs of vectors as 64-bit words, (words, rows), with the memory of each row.

    Attributes:
        count: rows in use. last: the largest id. unexplained: changes of vectors that no new
            memory explains.
    """

    ids: Any
    words: Any
    count: int = 0
    last: int = 0
    unexplained: int = 0

    def add(self, rows: Sequence[Row]) -> int:
        """Add rows (id, bits) in the order of their ids; return how many memories they are of."""
        import numpy as np

        if not rows:
            return 0
        until = self.count + len(rows)
        if until > len(self.ids):
            room = max(until, _ROOM) * 3 // 2
            self.ids = _widened(self.ids, room)
            self.words = _widened(self.words, room)
        self.ids[self.count : until] = ids = [row[0] for row in rows]
        size = 8 * len(self.words)
        filled = b"".join(row[1].ljust(size, b"\0")[:size] for row in rows)
        self.words[:, self.count : until] = (
            np.frombuffer(filled, np.uint64).reshape(len(rows), -1).T
        )
        self.count, self.last = until, ids[-1]
        return len({*ids})


def _widened(array: Any, room: int) -> Any:
    """Return an array with room for so many columns."""
    import numpy as np

    wide = np.zeros((*array.shape[:-1], room), array.dtype)
    wide[..., : array.shape[-1]] = array
    return wide


class VectorSigns:
    """Keeper of the signs of one store's vectors."""

    def __init__(self, store: Store, index: Index) -> None:
        self._store = store
        self._index = index
        # When the signs were read: of which encoder, of which opening of the file; and how often
        # vectors had changed.
        self._read_of: tuple[int, int] | None = None
        self._changes = 0
        self._signs: _Signs | None = None

    def of(self, number: int) -> EncodedSigns | None:
        """Return the signs of a memory and the encoder that made them; None without vectors."""
        encoder, state = self._index.encoder(), self._state()
        if encoder is None or state is None:
            return None
        bits = self._store.value("memories_search.signs_of", id=number, model_id=state[0])
        return None if bits is None else EncodedSigns(encoder.name, bits)

    def nearest(self, number: int, limit: int) -> dict[int, float]:
        """Return the memories nearest to one, not itself, with the cosines that their signs
        suggest; none without vectors."""
        own = self.of(number)
        return {} if own is None else self.nearest_to(own, limit, but=number)

    def nearest_to(
        self, vector: EncodedSigns, limit: int, *, but: int | None = None
    ) -> dict[int, float]:
        """Return the memories nearest to a vector, without one of them; none of another encoder."""
        import numpy as np

        encoder, state, bits = self._index.encoder(), self._state(), vector.bits
        if encoder is None or state is None or encoder.name != vector.encoder:
            return {}
        signs = self._up_to_date(*state, size=-(-len(bits) // 8))
        own = np.frombuffer(bits.ljust(8 * len(signs.words), b"\0"), np.uint64)[:, None]
        ids = signs.ids[: signs.count]
        apart = np.bitwise_count(signs.words[:, : signs.count] ^ own).sum(axis=0, dtype=np.uint16)
        if but is not None:
            apart[ids == but] = np.iinfo(np.uint16).max
        first = np.argpartition(apart, limit)[:limit] if limit < len(apart) else slice(None)
        angle = math.pi / (8 * len(bits))
        near = sorted(zip(apart[first].tolist(), ids[first].tolist(), strict=True))
        cosines: dict[int, float] = {}
        for distance, other in near:
            if other != but:
                cosines.setdefault(other, math.cos(angle * distance))
        return cosines

    def _state(self) -> Row | None:
        """Return the encoder's number in this file, and how often vectors changed."""
        return None if self._store.vector_note else self._index.model_id_and_changes()

    def _up_to_date(self, model_id: int, changes: int, *, size: int) -> _Signs:
        """Return the signs of an encoder with those of the memories that came since the last."""
        signs, read_of = self._signs, (model_id, self._store.state()[0])
        if signs is None or self._read_of != read_of or signs.unexplained > _MOST_UNEXPLAINED:
            signs = self._signs = _no_signs(size)
            signs.add(self._rows(model_id, after=signs.last))
        elif self._changes != changes:
            added = signs.add(self._rows(model_id, after=signs.last))
            signs.unexplained += max(0, abs(changes - self._changes) - added)
        self._read_of, self._changes = read_of, changes
        return signs

    def _rows(self, model_id: int, *, after: int) -> list[Row]:
        return self._store.all("memories_search.signs_after", model_id=model_id, after=after)


def _no_signs(size: int) -> _Signs:
    import numpy as np

    return _Signs(np.zeros(0, np.int64), np.zeros((size, 0), np.uint64))
