"""Contradiction scan: memories that hold, each against the likeliest ones before it.

What is found is noted as `remember` notes it: contradictions stay open with both sides kept, an
update proposes which wins, duplicates are linked. Nothing that was noted, settled or decided before
is raised again, unless a text has changed. A caller's judge may refine or overrule the judgement of
pairs that are in doubt, and of open contradictions, but those that a caller stated: one that is
none is closed, any other stays open and is confirmed. What it says is kept in `pair_verdicts`, by
pair, and it is asked outside of transactions, so that others can write meanwhile.

A scan leaves a mark in this file, on this machine: up to which memory it went, how many there were,
and when it began. The next one compares only what is newer or was changed since, with all others;
everything, if memories came in below the mark, as by an import. A judge has a mark of its own.

A run of consolidation does the same in steps: `ask_judge` keeps what a judge says before the run,
`plan_contradictions` reads and returns the pairs that are new or judged (a query, where nothing
is), `note_contradiction` notes one of them, and `leave_mark` says, inside the transaction, that the
plan was of the store as it stands.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..memories import ingest
from ..memories.identity import pair_hash
from ..memories.pair_detection import CONFLICTING, ComparedPair, DetectedPair, PairDetector, decide
from ..memories.records import Decider, Memory, PairVerdict
from ..memories.supersession import Supersession
from ..store.store import local_setting, set_local_setting

if TYPE_CHECKING:
    from ..memories.search_index import Index
    from ..store.store import Store
    from .plan import RunEnvironment

# Where a file keeps on this machine how far it was scanned: without a judge, and with one.
_SCANNED, _JUDGED = "contradictions.scanned", "contradictions.judged"
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
        detected: those that bear on each other. closed: open contradictions that the judge took for
            none. calls: how often the judge was asked.
        notes: what went wrong, in words.
    """

    memories: int
    compared: int
    detected: tuple[DetectedPair, ...]
    calls: int = 0
    notes: tuple[str, ...] = ()
    closed: tuple[DetectedPair, ...] = ()


@attrs.frozen
class ScanMark:
    """Mark of how far the memories of a file were compared.

    Attributes:
        last: the largest id. count: memories up to it. since: when that was, UTC.
    """

    last: int = 0
    count: int = 0
    since: str = ""


@attrs.frozen
class ScanExtent:
    """What a scan is to compare.

    Attributes:
        after, since: memories with greater ids, or changed since then. mark: what the scan leaves.
    """

    after: int
    since: str
    mark: ScanMark


def scan_extent(store: Store, *, everything: bool = False, is_judged: bool = False) -> ScanExtent:
    """Return what was not scanned yet, by a judge or without."""
    known = ScanMark() if everything else _mark(store, is_judged=is_judged)
    ((last, count, below),) = store.all("consolidation.scan_state", last=known.last)
    if below > known.count:
        known = ScanMark()
    return ScanExtent(known.last, known.since, ScanMark(last, count, store.now()))


def plan_contradictions(environment: RunEnvironment) -> list[DetectedPair]:
    """Return what bears on each other of the memories that were not scanned yet, and what a judge
    said that the store does not show; changes nothing."""
    store = environment.store
    return [*_judged_pairs(store), *scan(store, environment.index, dry_run=True).detected]


def ask_judge(store: Store, index: Index, judge: Judge) -> tuple[str, ...]:
    """Ask a judge about open contradictions and what is new, and keep what it says, which the next
    plan goes by; return what went wrong."""
    asker = validation.function(judge, name="judge")
    asking = _JudgeCalls(store, asker, MAX_CALLS, is_kept=True)
    extent = scan_extent(store, is_judged=True)
    report = _Scan(store, _detector(store, index), asking, extent).run(_Writing.VERDICTS)
    if not report.notes:
        store.write(partial(_leave, store, extent.mark, (_JUDGED,)))
    return report.notes


def note_contradiction(environment: RunEnvironment, pair: DetectedPair) -> None:
    """Note a pair of a plan; inside `write`."""
    _detector(environment.store, environment.index).note(pair)


def leave_mark(environment: RunEnvironment) -> None:
    """Say that all memories were compared; inside `write`."""
    store = environment.store
    mark, known = scan_extent(store).mark, _mark(store, is_judged=False)
    if (mark.last, mark.count) != (known.last, known.count):
        _leave(store, mark, (_SCANNED,))


def scan(
    store: Store,
    index: Index,
    *,
    judge: Judge | None = None,
    max_calls: int = MAX_CALLS,
    everything: bool = False,
    dry_run: bool = False,
) -> ScanReport:
    """Scan what is new and note what bears on each other; `dry_run` only reports it."""
    judge = validation.optional(validation.callback, judge, name="judge")
    validation.integer(max_calls, name="max_calls", minimum=0)
    validation.boolean(everything, name="everything")
    validation.boolean(dry_run, name="dry_run")
    asking = _JudgeCalls(store, judge, max_calls, is_kept=not dry_run)
    extent = scan_extent(store, everything=everything, is_judged=judge is not None)
    noting = _Writing.NOTHING if dry_run else _Writing.ALL
    report = _Scan(store, _detector(store, index), asking, extent).run(noting)
    if not dry_run:
        is_judged = judge is not None and not asking.notes
        names = (_SCANNED, _JUDGED) if is_judged else (_SCANNED,)
        store.write(partial(_leave, store, extent.mark, names))
    return report


def _judged_pairs(store: Store) -> Iterator[DetectedPair]:
    """Yield what a judge said of pairs whose texts have not changed, as far as it is not noted."""
    for a, b, *texts, digest, verdict, is_open in store.all("consolidation.judged_pairs"):
        if digest == pair_hash(*texts):
            yield _as_judged(a, b, PairVerdict(verdict), is_open=bool(is_open))


def _as_judged(older: int, newer: int, verdict: PairVerdict, *, is_open: bool) -> DetectedPair:
    ends = " and closes it" if is_open and verdict not in CONFLICTING else ""
    return DetectedPair(newer, older, verdict, 1.0, f"the judge says so: {verdict}{ends}")


def _detector(store: Store, index: Index) -> PairDetector:
    return PairDetector(store, index, Supersession(store))


def _mark(store: Store, *, is_judged: bool) -> ScanMark:
    """Return the mark that was left last, or one before everything."""
    state = local_setting(store, _JUDGED if is_judged else _SCANNED, {})
    last, count, since = (state.get(name) for name in ("last", "count", "since"))
    if not (isinstance(last, int) and isinstance(count, int) and isinstance(since, str)):
        return ScanMark()
    return ScanMark(last, count, since)


def _leave(store: Store, mark: ScanMark, names: Sequence[str]) -> None:
    for name in names:
        set_local_setting(store, name, attrs.asdict(mark))


class _Writing(Enum):
    """What a scan writes: nothing, what the judge said, or all that was detected too."""

    NOTHING = "nothing"
    VERDICTS = "verdicts"
    ALL = "all"


class _Scan:
    """One scan: goes through the memories in the order of their ids."""

    def __init__(
        self, store: Store, detector: PairDetector, asking: _JudgeCalls, extent: ScanExtent
    ) -> None:
        self._store = store
        self._detector = detector
        self._asking = asking
        self._compared = 0
        self._numbers = store.all(
            "consolidation.statements_to_scan", after=extent.after, since=extent.since
        )
        self._is_new = {number for (number,) in self._numbers}

    def run(self, noting: _Writing) -> ScanReport:
        """Compare all and return what was detected."""
        closed = list(self._closed())
        detected: list[DetectedPair] = []
        self._write(closed, noting)
        for at in range(0, len(self._numbers), _BATCH):
            numbers = self._numbers[at : at + _BATCH]
            fresh = [pair for (number,) in numbers for pair in self._pairs(number)]
            detected += fresh
            self._write(fresh, noting)
        count, asking = len(self._numbers), self._asking
        notes = tuple(asking.notes)
        closings = tuple(pair for pair in closed if pair.verdict not in CONFLICTING)
        return ScanReport(count, self._compared, tuple(detected), asking.calls, notes, closings)

    def _closed(self) -> Iterator[DetectedPair]:
        """Yield what the judge says of open contradictions that nobody decided about, the newest
        first: that they are none, or which of them wins."""
        if not self._asking.has_judge:
            return
        for a, b, *texts, digest in self._store.all("consolidation.undecided_contradictions"):
            pair = ComparedPair(a, b, *texts)
            said = None if digest == pair.texts_hash else self._asking.ask(pair)
            if said is not None and said is not PairVerdict.CONTRADICTION:
                yield _as_judged(a, b, said, is_open=True)

    def _pairs(self, number: int) -> Iterator[DetectedPair]:
        """Yield what a memory bears on among those before it, and those that are not scanned
        themselves."""
        for pair in self._detector.pairs_of(number):
            if pair.newer != number and pair.newer in self._is_new:
                continue
            self._compared += 1
            judgement = self._detector.judge(pair)
            if judgement is None:
                continue
            verdict, reason, score = judgement.verdict, judgement.reason, judgement.probability
            in_doubt = verdict is not PairVerdict.DISTINCT or score < _IN_DOUBT
            said = self._asking.ask(pair) if in_doubt else None
            if said is not None and said is not PairVerdict.DISTINCT:
                yield _as_judged(pair.older, pair.newer, said, is_open=False)
            elif said is None and verdict is not PairVerdict.DISTINCT:
                yield DetectedPair(pair.newer, pair.older, verdict, score, reason)

    def _write(self, pairs: Sequence[DetectedPair], noting: _Writing) -> None:
        """Note pairs, what the judge said of them, both, or neither."""
        noted = pairs if noting is _Writing.ALL else ()
        if noted or (noting is not _Writing.NOTHING and self._asking.has_said):
            self._store.write(partial(self._note, noted))

    def _note(self, pairs: Sequence[DetectedPair]) -> None:
        self._asking.keep()
        for pair in pairs:
            self._detector.note(pair)


class _JudgeCalls:
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

    @property
    def has_judge(self) -> bool:
        """Whether there is a judge."""
        return self._judge is not None

    @property
    def has_said(self) -> bool:
        """Whether the judge said something that is not kept yet."""
        return bool(self._said)

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
            decide(
                self._store,
                pair.older,
                pair.newer,
                verdict,
                by=Decider.JUDGE,
                texts_hash=pair.texts_hash,
            )
        self._said.clear()

    def _note_once(self, note: str) -> None:
        if note not in self.notes:
            self.notes.append(note)
