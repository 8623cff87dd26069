"""Events on their way into the file: written at once if it is free, kept in mind if it is not.

Whoever records never waits for another process and never sees an error. The file is tried once,
briefly; what could not be written goes with the next event, in one transaction. What this process
has written lately is kept too: if the file is replaced under it (a checkout), it is written again.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...errors import StoreBusy, StoreFull, StoreMoved
from ...store import forking
from ..records import Fate, Recorded
from .writing import Event, Writer

if TYPE_CHECKING:
    from ...store.connection import Store

# How long one try waits for another process, in seconds: a commit takes one to ten milliseconds.
BRIEFLY = 0.02
# After a vain try the file is left alone for so long, in seconds, so that a file that is held for
# minutes costs each event nothing.
PAUSE = 0.25
# Events that wait at most: some 10 MB of memory. Beyond it the newest are dropped and counted.
MOST_WAITING = 5_000
# Events in one transaction, and events that are kept for a file that is replaced.
BATCH, MOST_WRITTEN = 500, 1_000


class Buffer:
    """Takes events and writes them. Safe to use from several threads and after a fork."""

    def __init__(self, open_store: Callable[[], Store], *, most: int = MOST_WAITING) -> None:
        """`open_store` opens the file with a time-out of BRIEFLY; it is called when needed."""
        self._open_store = open_store
        self._most = most
        self._store: Store | None = None
        self._writer: Writer | None = None
        self._begin_empty()
        forking.watch(self)

    def add(self, event: Event, *, at_once: bool = True) -> Recorded:
        """Take an event; return what became of it. With `at_once` false it may wait for others."""
        with self._lock:
            if len(self._waiting) >= self._most:
                why = self._trouble or "not written yet"
                return self.drop(event, f"{len(self._waiting)} events wait already ({why})")
            self._waiting.append(event)
            full = len(self._waiting) >= BATCH
        if not (at_once or full):
            return Recorded(Fate.KEPT, "waits for the end of its batch", redacted=event.redacted)
        self.flush()
        return event.result or Recorded(Fate.KEPT, self._trouble, redacted=event.redacted)

    def drop(self, event: Event | None, reason: str) -> Recorded:
        """Count an event as lost; return that."""
        self.dropped[reason] += 1
        done = Recorded(Fate.DROPPED, reason, redacted=event.redacted if event else ())
        if event is not None:
            event.result = done
        return done

    def flush(self, *, patience: float = 0.0) -> int:
        """Write what waits; return how many events wait still. `patience` is the longest wait for
        another process, in seconds; without it the file is tried once."""
        deadline = time.monotonic() + patience
        while True:
            with self._writing:
                if patience or time.monotonic() >= self._not_before:
                    self._write_all()
            if not self._waiting or time.monotonic() >= deadline:
                return len(self._waiting)
            time.sleep(BRIEFLY)

    def close(self, *, patience: float) -> int:
        """Write what waits, with patience; what cannot be written is counted as dropped. Return how
        many events that are."""
        if self._waiting:
            self.flush(patience=patience)
        with self._writing:
            lost = len(self._waiting)
            while self._waiting:
                self.drop(self._waiting.popleft(), self._trouble or "the file was closed")
            self._let_go()
        return lost

    @property
    def waiting(self) -> int:
        """How many events wait to be written."""
        return len(self._waiting)

    @property
    def has_written(self) -> bool:
        """Whether any event was written."""
        return bool(self._written)

    @property
    def trouble(self) -> str | None:
        """Why the last try failed, or None."""
        return self._trouble

    def leave_to_parent(self) -> object:
        """In a forked child: what waits is the parent's to write."""
        left = (self._waiting, self._written, self._store, self._writer)
        self._store = self._writer = None
        self._begin_empty()
        return left

    # -- inside

    def _begin_empty(self) -> None:
        self._lock = threading.Lock()
        self._writing = threading.RLock()
        self._waiting: deque[Event] = deque()
        self._written: deque[Event] = deque(maxlen=MOST_WRITTEN)
        self._generation: int | None = None
        self._not_before = 0.0
        self._trouble: str | None = None
        self.dropped: Counter[str] = Counter()

    def _write_all(self) -> None:
        while self._waiting:
            with self._lock:
                batch = [self._waiting[n] for n in range(min(BATCH, len(self._waiting)))]
            if not self._write(batch):
                return

    def _write(self, batch: Sequence[Event]) -> bool:
        """Write the first events that wait; False if they must wait on."""
        try:
            self._put(batch)
        except (StoreBusy, StoreMoved, StoreFull, OSError) as error:
            self._not_before, self._trouble = time.monotonic() + PAUSE, str(error)
            return False
        except Exception as error:  # noqa: BLE001 - an agent must not fail because its memory does
            if len(batch) > 1:  # one of them cannot be written: it must not hold up the others
                return self._write(batch[:1]) and self._write_rest(batch[1:])
            self._trouble = str(error)
            self._let_go()
            self.drop(batch[0], str(error))
        else:
            self._trouble = None
        with self._lock:
            for _ in batch:
                self._waiting.popleft()
        return True

    def _write_rest(self, batch: Sequence[Event]) -> bool:
        return all(self._write([event]) for event in batch)

    def _put(self, batch: Sequence[Event]) -> None:
        store, writer = self._opened()

        def work() -> tuple[int, list[tuple[Recorded, tuple[int, ...]]]]:
            generation = store.state()[0]
            if generation != self._generation:  # another file: it may lack what was written before
                writer.put_all(self._written)
            return generation, writer.put_all(batch)

        generation, done = store.write(work)
        self._generation = generation
        for event, (result, ids) in zip(batch, done, strict=True):
            event.result, event.ids = result, ids
            if result.fate is Fate.STORED:
                self._written.append(event)
            elif result.fate is Fate.DROPPED:
                self.dropped[str(result.reason)] += 1

    def _opened(self) -> tuple[Store, Writer]:
        if self._store is None or self._writer is None:
            self._store = self._open_store()
            self._writer = Writer(self._store)
            self._generation = None
        return self._store, self._writer

    def _let_go(self) -> None:
        if self._store is not None:
            self._store.close()
        self._store = self._writer = None
