"""Serving log: what each session was shown, and queries without an answer.

Reading never waits and never changes the file by itself: only a caller that names its session gets
its answers noted, all together when the kit is closed, and only if the file is free at once.
"""

from __future__ import annotations

import threading
from collections import Counter, deque
from contextlib import closing
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from ..errors import StoreError
from ..redaction import clean_text, redact
from ..store.store import Store

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    _Shown = dict[str, set[int]] | dict[str, set[str]]
    _Emptied = _Shown | Counter[int] | deque["_Missed"] | set[str]


# A question is noted with at most so many characters.
MAX_CHARS = 500
# More are not kept in the file either (maintenance.RETENTION).
_MAX_GAPS = 1_000


class _Missed(NamedTuple):
    """A question that found nothing good enough, with its secrets replaced; not written yet."""

    question: str
    session: str
    best_score: float | None


@lru_cache(maxsize=64)
def _name(session: str) -> str:
    """Return the name of a session as it is stored."""
    return redact(clean_text(session)).text[:MAX_CHARS]


class ServingLog:
    """The answers given through one open kit."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._shown: dict[str, set[int]] = {}
        self._other_shown: dict[str, set[int]] = {}
        self._counts: Counter[int] = Counter()
        self._gaps: deque[_Missed] = deque(maxlen=_MAX_GAPS)
        self._items: dict[str, set[str]] = {}
        self._cleared: set[str] = set()
        self._lock = threading.Lock()  # one thread may write down what another still adds to

    def shown_to(self, sessions: Collection[str]) -> frozenset[int]:
        """Return the ids that every one of these sessions has been shown, here or by another
        process, those of the global store among them: none is to miss what another has seen."""
        shown = [self._shown_to(_name(session)) for session in sessions]
        return frozenset.intersection(*shown) if shown else frozenset()

    def _shown_to(self, session: str) -> frozenset[int]:
        with self._lock:
            waiting = self._shown.get(session, set()) | self._other_shown.get(session, set())
            if session in self._cleared:
                return frozenset(waiting)
        stored = self._store.all("retrieval_serving_log.surfaced", session=session)
        return frozenset(waiting) | {memory_id for (memory_id,) in stored}

    def items_shown_to(self, session: str) -> frozenset[str]:
        """Return the names of what a session has been shown beside memories."""
        session = _name(session)
        with self._lock:
            waiting = frozenset(self._items.get(session, ()))
            if session in self._cleared:
                return waiting
        stored = self._store.all("retrieval_serving_log.surfaced_items", session=session)
        return waiting | {item for (item,) in stored}

    def showed_items(self, session: str, items: Collection[str]) -> None:
        """Keep in mind what a session is shown now beside memories, by name: errors, code."""
        if items:
            with self._lock:
                self._items.setdefault(_name(session), set()).update(items)

    def answered(
        self, sessions: Collection[str], ids: Collection[int], *, other_ids: Collection[int] = ()
    ) -> None:
        """Keep in mind what sessions are shown now: `ids` of this store, `other_ids` of the global
        one."""
        with self._lock:
            for shown, memory_ids in ((self._shown, ids), (self._other_shown, other_ids)):
                for session in sessions if memory_ids else ():
                    shown.setdefault(_name(session), set()).update(memory_ids)
            self._counts.update(ids)

    def clear(self, session: str) -> None:
        """Let everything be shown to a session again: its topic has changed."""
        session = _name(session)
        with self._lock:
            self._shown.pop(session, None)
            self._other_shown.pop(session, None)
            self._items.pop(session, None)
            self._cleared.add(session)

    def withdraw(self, session: str, references: Collection[str]) -> Callable[[], None]:
        """Let things be shown after all that were noted and never arrived ("memory:12", or the
        name of an item), as far as they are not written down yet; return what notes them again."""
        session = _name(session)
        ids = {int(name[7:]) for name in references if name.startswith("memory:")}
        with self._lock:
            own, other = (
                shown.get(session, set()) & ids for shown in (self._shown, self._other_shown)
            )
            items = self._items.get(session, set()) & set(references)
            self._shown.get(session, set()).difference_update(own)
            self._other_shown.get(session, set()).difference_update(other)
            self._items.get(session, set()).difference_update(items)

        def again() -> None:
            with self._lock:
                self._shown.setdefault(session, set()).update(own)
                self._other_shown.setdefault(session, set()).update(other)
                self._items.setdefault(session, set()).update(items)

        return again

    def unanswered(self, question: str, session: str, best_score: float | None) -> None:
        """Keep in mind a question of a session that found nothing."""
        text = redact(clean_text(question)).text[:MAX_CHARS]
        with self._lock:
            self._gaps.append(_Missed(text, _name(session), best_score))

    def flush(self) -> bool:
        """Write it down, unless the file is read-only, gone or in use by another process; return
        whether anything was written."""
        with self._lock:
            if not any(self._waiting) or self._store.readonly:
                return False
            try:
                free = Store(self._store.path, clock=self._store.clock, busy_timeout=0.0)
                with closing(free):
                    free.write(lambda: self._write(free))
            except StoreError:
                return False
            for part in self._waiting:
                part.clear()
            return True

    @property
    def has_gaps(self) -> bool:
        """Whether what was asked in vain waits to be written."""
        return bool(self._gaps)

    @property
    def _waiting(self) -> tuple[_Emptied, ...]:
        return (
            self._shown,
            self._other_shown,
            self._items,
            self._counts,
            self._gaps,
            self._cleared,
        )

    def _write(self, store: Store) -> None:
        from ..memories.identity import short_hash  # most hooks write no gaps

        now = store.now()
        for session in self._cleared:
            store.run("retrieval_serving_log.clear_surfaced", session=session)
            store.run("retrieval_serving_log.clear_surfaced_global", session=session)
            store.run("retrieval_serving_log.clear_surfaced_items", session=session)
        for query, shown in (
            ("retrieval_serving_log.add_surfaced", self._shown),
            ("retrieval_serving_log.add_surfaced_global", self._other_shown),
            ("retrieval_serving_log.add_surfaced_item", self._items),
        ):
            for session, names in shown.items():
                for name in names:
                    store.run(query, session=session, id=name, at=now)
        for memory_id, count in self._counts.items():
            store.run("retrieval_serving_log.count_retrievals", id=memory_id, count=count)
        for gap in self._gaps:
            store.run(
                "retrieval_serving_log.add_gap",
                question_hash=short_hash(gap.question),
                question=gap.question,
                at=now,
                session=gap.session,
                best_score=gap.best_score,
            )
