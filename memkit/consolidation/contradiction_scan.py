"""Contradiction scan: all memories that hold, each against the likeliest ones before it.

What is found is noted as `remember` notes it: contradictions stay open with both sides kept, an
update proposes which wins, duplicates are linked. Nothing that was noted, settled or decided before
is raised again, unless a text has changed. A caller's judge may refine or overrule the judgement of
pairs that are in doubt; what it says is kept in `pair_verdicts`, and it is asked outside of
transactions, so that others can write meanwhile.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..memories import ingest
from ..memories.pair_detection import ComparedPair, DetectedPair, PairDetector
from ..memories.records import Decider, Memory, PairVerdict

if TYPE_CHECKING:
    from ..store.store import Store

# A judge of two memories, the older one first: how they stand to each other; None: no opinion.
Judge = Callable[[Memory, Memory], PairVerdict | str | None]

# Memories whose pairs are noted in one transaction.
_BATCH = 100
# Calls of a judge in one scan, unless the caller says otherwise.
MAX_CALLS = 200
# Failures of a judge after which it is not asked again in this scan.
_MOST_FAILURES = 3
# A pair that is taken to be distinct with less than this probability is in doubt.
_IN_DOUBT = 0.8


@attrs.frozen
class ScanReport:
    """Report of a scan.

    Attributes:
        memories: how many were looked at. compared: pairs that were judged.
        detected: those that bear on each other. calls: how often the judge was asked.
        notes: what went wrong, in words.
    """

    memories: int
    compared: int
    detected: tuple[DetectedPair, ...]
    calls: int = 0
    notes: tuple[str, ...] = ()


def scan(
    store: Store,
    detector: PairDetector,
    *,
    judge: Judge | None = None,
    max_calls: int = MAX_CALLS,
    dry_run: bool = False,
) -> ScanReport:
    """Scan the store and note what bears on each other; `dry_run` only reports it."""
    judge = validation.optional(validation.callback, judge, name="judge")
    validation.integer(max_calls, name="max_calls", minimum=0)
    validation.boolean(dry_run, name="dry_run")
    return _Scan(store, detector, _Asking(store, judge, max_calls, is_kept=not dry_run)).run(
        dry_run=dry_run
    )


class _Scan:
    """One scan: goes through the memories in the order of their ids."""

    def __init__(self, store: Store, detector: PairDetector, asking: _Asking) -> None:
        self._store = store
        self._detector = detector
        self._asking = asking
        self._compared = 0

    def run(self, *, dry_run: bool) -> ScanReport:
        """Compare all and return what was detected."""
        detected: list[DetectedPair] = []
        count = 0
        for numbers in self._batches():
            count += len(numbers)
            fresh = [pair for number in numbers for pair in self._pairs(number)]
            detected += fresh
            if not dry_run:
                self._store.write(partial(self._note, fresh))
        asking = self._asking
        return ScanReport(count, self._compared, tuple(detected), asking.calls, tuple(asking.notes))

    def _batches(self) -> Iterator[list[int]]:
        after = 0
        while numbers := [
            number
            for (number,) in self._store.all(
                "consolidation.statements_after", after=after, limit=_BATCH
            )
        ]:
            after = numbers[-1]
            yield numbers

    def _pairs(self, number: int) -> Iterator[DetectedPair]:
        """Yield what a memory bears on among those before it."""
        for pair in self._detector.pairs_of(number):
            if pair.newer != number:
                continue
            self._compared += 1
            judgement = self._detector.judge(pair)
            if judgement is None:
                continue
            verdict, reason, score = judgement.verdict, judgement.reason, judgement.probability
            in_doubt = verdict is not PairVerdict.DISTINCT or score < _IN_DOUBT
            said = self._asking.ask(pair) if in_doubt else None
            if said is not None:
                verdict, reason, score = said, f"the judge says so: {said}", 1.0
            if verdict is not PairVerdict.DISTINCT:
                yield DetectedPair(pair.newer, pair.older, verdict, score, reason)

    def _note(self, pairs: Sequence[DetectedPair]) -> None:
        self._asking.keep()
        for pair in pairs:
            self._detector.note(pair)


class _Asking:
    """Calls of a judge: bounded, and what fails is noted and loses nothing."""

    def __init__(self, store: Store, judge: Judge | None, max_calls: int, *, is_kept: bool) -> None:
        self._store = store
        self._judge = judge
        self._left = max_calls
        self._failures = 0
        self._is_kept = is_kept
        self._said: list[tuple[ComparedPair, PairVerdict]] = []
        self.calls = 0
        self.notes: list[str] = []

    def ask(self, pair: ComparedPair) -> PairVerdict | None:
        """Return what the judge says of a pair; None where it says nothing, or is not asked."""
        if self._judge is None or self._failures >= _MOST_FAILURES:
            return None
        if self.calls >= self._left:
            self._note_once(f"the judge was asked {self.calls} times, the most that were allowed")
            return None
        self.calls += 1
        try:
            older, newer = ingest.load(self._store, [pair.older, pair.newer])
            said = self._judge(older, newer)
            verdict = None if said is None else validation.member(PairVerdict, said, name="judge")
        except Exception as error:  # noqa: BLE001 - whatever a caller's function may raise
            self._failures += 1
            self._note_once(f"the judge failed: {type(error).__name__}: {error}"[:200])
            return None
        if verdict is not None and self._is_kept:
            self._said.append((pair, verdict))
        return verdict

    def keep(self) -> None:
        """Write what was said since the last time; inside `write`."""
        for pair, verdict in self._said:
            self._store.run(
                "consolidation.put_verdict",
                memory_a=pair.older,
                memory_b=pair.newer,
                verdict=verdict,
                decided_by=Decider.JUDGE,
                texts_hash=pair.texts_hash,
                note=None,
                at=self._store.now(),
            )
        self._said.clear()

    def _note_once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
