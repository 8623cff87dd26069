"""Plan of a pruning: which parts of a history are stubs or gone, replayed cut by cut.

A plan follows from the history alone. The history is walked through as its agent walked it; at
each point where the model was called and the context stood above the threshold, a cut is made from
what was known by then. So the same history with new turns behind it has the same cuts before them,
and the prefix that a provider has cached stays.

A result that later calls took nothing from, or that a later result supersedes, is worth less.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from typing import Protocol

import attrs

from ..episodes.recording.event import FileAccess
from ..episodes.recording.tool_calls import files_of
from ..episodes.records import CHANGING, FileOperation
from ..text.paths import plain_path
from .messages.records import Part, PartKind, ToolCall, Turn, TurnKind
from .relevance import ItemType, relevance


@attrs.frozen
class Entry:
    """Part of a history with what it belongs to.

    Attributes:
        turn: position of its turn. call: the call that it is, or answers.
    """

    part: Part
    turn: int
    call: ToolCall | None = None


def entries_of(turns: Sequence[Turn]) -> list[Entry]:
    """Return the parts of a history in order, results and calls with their call."""
    return [
        Entry(part, position, calls.get(part.call_id))
        for position, turn in enumerate(turns)
        for calls in [{call.id: call for call in turn.calls}]
        for part in turn.parts
    ]


# Words that point at something: paths, dotted names, identifiers, numbers. A word of small
# letters alone is in every text.
_TERM = re.compile(r"[^\W_][\w@-]*(?:[./\\][\w@-]+)*")
_POINTS = re.compile(r"[\d_/\\.]|[a-z][A-Z]")
_SHORTEST = 4
RESULTS = (PartKind.RESULT, PartKind.SERVER_RESULT)
Lines = tuple[int, int] | None
# Characters of a part that are looked at for terms: what is behind is seldom what was read.
_LOOKED_AT = 200_000


@lru_cache(maxsize=2048)
def terms_of(text: str) -> tuple[str, ...]:
    """Return what a text points at (paths, identifiers, numbers), each once, in its order."""
    terms: dict[str, None] = {}
    for match in _TERM.finditer(text[:_LOOKED_AT]):
        term = match[0]
        if len(term) >= _SHORTEST and _POINTS.search(term):
            terms[term] = None
            name = re.split(r"[/\\]", term)[-1]
            if name != term and len(name) >= _SHORTEST:
                terms[name] = None
    return tuple(terms)


@attrs.frozen
class Reuse:
    """What is known of each result of a history, by its place among the parts.

    Attributes:
        users: places of the later parts that take something from it, ascending.
        terms: what they take, with the place of the first that does.
        superseded: the place from which on something later says the same or makes it untrue.
        chatter: results that say only that a change was made.
    """

    users: Mapping[int, Sequence[int]]
    terms: Mapping[int, Mapping[str, int]]
    superseded: Mapping[int, int]
    chatter: frozenset[int]

    def dependents(self, place: int, *, before: int) -> int:
        """Return how many parts before a place take something from a result."""
        return bisect_right(self.users.get(place, ()), before - 1)

    def is_superseded(self, place: int, *, before: int) -> bool:
        """Whether something before a place supersedes a result."""
        return self.superseded.get(place, before) < before


def trace_reuse(entries: Sequence[Entry]) -> Reuse:
    """Return what later parts of a history take from its results, and what supersedes them.

    A result is taken from where a later call or message repeats a term that stood nowhere before
    it. A read is superseded when its file is read again as far or changed, a result when another
    of the same tool says the same.
    """
    origins: dict[str, int] = {}
    users: dict[int, list[int]] = {}
    terms: dict[int, dict[str, int]] = {}
    for place, entry in enumerate(entries):
        takes = entry.part.kind not in (*RESULTS, PartKind.THINKING)
        for term in terms_of(entry.part.text):
            origin = origins.setdefault(term, place)
            if takes and origin != place and entries[origin].part.kind in RESULTS:
                terms.setdefault(origin, {}).setdefault(term, place)
                using = users.setdefault(origin, [])
                if using[-1:] != [place]:
                    using.append(place)
    accesses = {place: _accesses(entry) for place, entry in _results(entries)}
    superseded = dict(_repeated(entries)) | dict(_outdated(accesses))
    return Reuse(users, terms, superseded, frozenset(_chatter(accesses)))


def _results(entries: Sequence[Entry]) -> Iterator[tuple[int, Entry]]:
    return ((place, entry) for place, entry in enumerate(entries) if entry.part.kind in RESULTS)


def _accesses(entry: Entry) -> tuple[FileAccess, ...]:
    if entry.call is None:
        return ()
    try:
        return tuple(files_of(entry.call.name, entry.call.arguments))
    except (AttributeError, TypeError, ValueError):  # arguments of a form that no tool has
        return ()


def _repeated(entries: Sequence[Entry]) -> Iterator[tuple[int, int]]:
    """Yield the results that a later one of the same tool repeats word for word."""
    last: dict[tuple[str, str], int] = {}
    for place, entry in _results(entries):
        key = (entry.call.name if entry.call else "", entry.part.text)
        if key in last:
            yield last[key], place
        last[key] = place


def _outdated(accesses: Mapping[int, tuple[FileAccess, ...]]) -> Iterator[tuple[int, int]]:
    """Yield the reads of files that were read again as far, or changed, later."""
    reads: dict[str, list[tuple[int, Lines]]] = {}
    for place, files in accesses.items():
        for file in files:
            path = plain_path(str(file.path))
            earlier = reads.get(path, [])
            changes = file.operation in CHANGING
            if not changes and file.operation != FileOperation.READ:
                continue
            gone = [read for read, lines in earlier if changes or _covers(file.lines, lines)]
            reads[path] = [(read, lines) for read, lines in earlier if read not in gone]
            if not changes and len(files) == 1:
                reads[path].append((place, file.lines))
            yield from ((read, place) for read in gone if read != place)


def _covers(lines: Lines, others: Lines) -> bool:
    """Whether the lines read now hold those read before; None is the whole file."""
    if lines is None or others is None:
        return lines is None
    return lines[0] <= others[0] and others[1] <= lines[1]


def _chatter(accesses: Mapping[int, tuple[FileAccess, ...]]) -> Iterator[int]:
    """Yield the results of changes: what was changed stands in the call."""
    for place, files in accesses.items():
        if files and all(file.operation in CHANGING for file in files):
            yield place


THRESHOLD = 0.8
"""Share of the limit above which a cut is made (seed 000): of what the opening leaves of it."""
REMOVED_SHARE = 0.3
"""Share of the tokens that a cut removes (seed 000): of those that may go."""
TAIL_SHARE = 0.25
"""Share of the limit up to which the newest turns stay as they are."""
TAIL_TURNS = 8
"""Turns of the tail at most."""
SMALLEST_CUT = 0.05
"""Share of the limit below which a cut is not worth the cached prefix, if the context fits."""
MINUTES_A_TURN = 1.0
"""Age of an entry by the turns behind it: message lists hold no times."""
DROP_SHARE = 0.65
"""Share of the limit, likewise, down to which turns are dropped where stubs are not enough."""
STUB_GAIN = 2
"""A result is worth a stub if it has so many times the tokens of one."""


@attrs.frozen
class PruningOptions:
    """How a message list is pruned.

    Attributes:
        max_tokens: limit. goal: tokens of one cut at the end instead of cuts at the threshold.
        tail_tokens, tail_turns: the newest turns that stay as they are; None: a quarter of what the
            list is pruned to.
        pinned: indexes of messages that stay as they are.
        session: whose list it is; part of each handle.
    """

    max_tokens: int
    goal: int | None = None
    tail_tokens: int | None = None
    tail_turns: int = TAIL_TURNS
    pinned: frozenset[int] = frozenset()
    session: str = ""

    @property
    def tail(self) -> int:
        """Tokens of the newest turns that stay as they are."""
        size = self.max_tokens if self.goal is None else self.goal
        return int(TAIL_SHARE * size) if self.tail_tokens is None else self.tail_tokens


class Replacements(Protocol):
    """Tokens of what takes the place of entries and turns."""

    @property
    def note(self) -> int:
        """Of the note about turns that are gone."""
        ...

    def stub(self, place: int, before: int) -> int:
        """Of the stub of a result, by what is taken from it before a place."""
        ...

    def shortened(self, place: int) -> int | None:
        """Of a call without its long arguments; None if it has none."""
        ...


@attrs.frozen
class History:
    """Entries of a history in order, the tokens of each, and what is taken from results."""

    entries: Sequence[Entry]
    tokens: Sequence[int]
    reuse: Reuse


@attrs.define
class Plan:
    """Plan of a pruning: what becomes of each entry, by its place, and of each turn.

    Attributes:
        stubbed: results replaced by stubs, with the place before which reuse was known.
        excerpts: unread results that are shortened, with the tokens they may have.
        shortened: calls whose long arguments are replaced.
        dropped: positions of turns that are gone.
        cuts: positions of the turns before which a cut was made.
        tokens: what the context has then.
    """

    stubbed: dict[int, int] = attrs.field(factory=dict)
    excerpts: dict[int, int] = attrs.field(factory=dict)
    shortened: set[int] = attrs.field(factory=set)
    dropped: set[int] = attrs.field(factory=set)
    cuts: list[int] = attrs.field(factory=list)
    tokens: int = 0


def make_plan(
    turns: Sequence[Turn],
    history: History,
    options: PruningOptions,
    sizes: Replacements,
    *,
    binds_thinking: bool,
) -> Plan:
    """Return the plan for a history; where its format `binds_thinking`, thinking behind a change
    goes. Its `tokens` are above the limit if what must stay is."""
    planner = _Planner(turns, history, options, sizes, binds_thinking=binds_thinking)
    if options.goal is None:
        planner.replay()
    else:
        planner.cut_once(options.goal)
    return planner.plan


class _Planner:
    """Planner: tokens of a history as they stand after the cuts so far."""

    def __init__(
        self,
        turns: Sequence[Turn],
        history: History,
        options: PruningOptions,
        sizes: Replacements,
        *,
        binds_thinking: bool,
    ) -> None:
        self._turns, self._options, self._sizes = turns, options, sizes
        self._binds_thinking = binds_thinking
        entries = self._entries = history.entries
        self._reuse = history.reuse
        self.plan = Plan()
        self._now = list(history.tokens)
        self._sums = [turn.tokens for turn in turns]  # of turns that stay, as they stand
        self._places: list[list[int]] = [[] for _ in turns]
        for place, entry in enumerate(entries):
            self._places[entry.turn].append(place)
        self._opening = _opening(turns)
        self._calls = Counter(e.part.call_id for e in entries if e.part.kind is PartKind.RESULT)
        self._running = 0  # tokens of the turns walked through

    # -- walking through

    def replay(self) -> None:
        """Cut wherever the context stood above the threshold when the model was called."""
        limit, fixed = self._options.max_tokens, sum(self._sums[: self._opening])
        threshold = fixed + THRESHOLD * (limit - fixed)
        for end, turn in enumerate(self._turns, start=1):
            self._running += turn.tokens
            is_last = end == len(self._turns)
            if self.plan.cuts and not is_last:
                self._drop_thinking(end - 1)
            calls_model = turn.kind in (TurnKind.USER, TurnKind.TOOL) and not turn.is_pending
            if calls_model and (is_last or self._turns[end].kind is not TurnKind.USER):
                if self._running > threshold:
                    free = self._running - self._fixed(end)
                    self._cut(end, int(self._running - REMOVED_SHARE * free), limit)
            elif is_last and self._running > limit:
                self._cut(end, int(threshold), limit)
        self.plan.tokens = self._running

    def cut_once(self, goal: int) -> None:
        """Bring the whole history down to `goal` tokens, as far as what stays allows."""
        self._running = sum(self._sums)
        self._cut(len(self._turns), goal, goal)
        self.plan.tokens = self._running

    def _cut(self, end: int, goal: int, ceiling: int) -> None:
        """Bring the turns before `end` down to `goal` tokens, and in need what else can be reduced
        to the ceiling. A cut that would save little is left out if the context fits without."""
        if self._running <= goal:
            return
        before = self._state()
        running = self._running
        guarded = self._guarded(end)
        self._reduce(end, goal, guarded | self._tail(end))
        if self._running > ceiling:
            self._reduce(end, ceiling, guarded)
            self._shorten_unread(end, ceiling)
        saved = running - self._running
        if saved and (running > ceiling or saved >= SMALLEST_CUT * self._options.max_tokens):
            self.plan.cuts.append(end)
            self._drop_bound_thinking(end)
        else:
            self.plan, self._now, self._sums, self._running = before

    def _drop_bound_thinking(self, end: int) -> None:
        """Count the thinking behind the first change out, that of the newest turn left in."""
        changed = [self._entries[p].turn for p in (*self.plan.stubbed, *self.plan.shortened)]
        for at in range(min([*changed, *self.plan.dropped], default=end), end - 1):
            self._drop_thinking(at)

    def _drop_thinking(self, at: int) -> None:
        for place in self._places[at] if self._binds_thinking else ():
            if self._entries[place].part.kind is PartKind.THINKING and at not in self.plan.dropped:
                self._shrink(place, 0)

    def _state(self) -> tuple[Plan, list[int], list[int], int]:
        plan = self.plan
        copied = Plan(
            dict(plan.stubbed), dict(plan.excerpts), set(plan.shortened), set(plan.dropped),
            list(plan.cuts),
        )  # fmt: skip
        return copied, list(self._now), list(self._sums), self._running

    # -- what stays

    def _guarded(self, end: int) -> set[int]:
        """Return the turns before `end` that never go: the opening, the newest message of the user,
        what nobody has read yet, and what is pinned."""
        users = [at for at in range(end) if self._turns[at].kind is TurnKind.USER]
        pinned = self._options.pinned
        return {
            at
            for at, turn in enumerate(self._turns[:end])
            if at < self._opening
            or turn.kind in (TurnKind.SYSTEM, TurnKind.COMPACTION)
            or turn.is_pending
            or at == end - 1
            or at in users[-1:]
            or not pinned.isdisjoint(range(turn.start, turn.end))
        }

    def _tail(self, end: int) -> set[int]:
        """Return the newest turns before `end`, as many as the tail may have."""
        tail: set[int] = set()
        tokens = 0
        for at in range(end - 1, -1, -1):
            tokens += self._sums[at]
            if tokens > self._options.tail or len(tail) == self._options.tail_turns:
                break
            tail.add(at)
        return tail

    # -- what goes, in this order

    def _reduce(self, end: int, goal: int, stays: Collection[int]) -> None:
        """Take the steps that may be taken until the turns before `end` have `goal` tokens."""
        for steps in (self._stub_results, self._shorten_calls):
            for step in steps(end, stays):
                if self._running <= goal:
                    return
                step()
        drop_goal = self._drop_goal(end, goal)
        for step in self._drop_turns(end, stays):
            if self._running <= drop_goal:
                return
            step()

    def _drop_goal(self, end: int, goal: int) -> int:
        """Return the tokens down to which turns are dropped: they leave less behind than stubs."""
        if self._options.goal is not None:
            return goal
        fixed = self._fixed(end)
        return max(goal, int(fixed + DROP_SHARE * (self._options.max_tokens - fixed)))

    def _fixed(self, end: int) -> int:
        """Return the tokens of what never goes."""
        return sum(self._sums[at] for at in self._guarded(end))

    def _stub_results(self, end: int, stays: Collection[int]) -> Iterator[Callable[[], None]]:
        """Yield the steps that put stubs in the place of results: superseded and repeated ones
        first, then what only says that a change was made, then by relevance."""
        before = self._places[end - 1][-1] + 1
        ranked = sorted(
            (self._rank(place, end, before), place)
            for at in range(end)
            if at not in stays and at not in self.plan.dropped
            for place in self._places[at]
            if self._can_stub(place, before)
        )
        return (partial(self._stub, place, before) for _, place in ranked)

    def _can_stub(self, place: int, before: int) -> bool:
        part = self._entries[place].part
        if part.kind is not PartKind.RESULT or part.is_fixed or place in self.plan.stubbed:
            return False
        is_unique = self._calls[part.call_id] == 1
        return is_unique and self._now[place] > STUB_GAIN * self._sizes.stub(place, before)

    def _rank(self, place: int, end: int, before: int) -> tuple[int, float]:
        reuse = self._reuse
        rank = (
            0
            if reuse.is_superseded(place, before=before)
            else 1 if place in reuse.chatter else 2
        )  # fmt: skip
        turn = self._entries[place].turn
        score = relevance(
            ItemType.TOOL_RESULT,
            age_minutes=MINUTES_A_TURN * (end - 1 - turn),
            dependents=reuse.dependents(place, before=before),
        )
        return rank, score

    def _stub(self, place: int, before: int) -> None:
        self.plan.stubbed[place] = before
        self.plan.excerpts.pop(place, None)
        self._shrink(place, self._sizes.stub(place, before))

    def _shrink(self, place: int, tokens: int) -> None:
        saved = self._now[place] - tokens
        self._now[place] = tokens
        self._sums[self._entries[place].turn] -= saved
        self._running -= saved

    def _shorten_calls(self, end: int, stays: Collection[int]) -> Iterator[Callable[[], None]]:
        """Yield the steps that replace long arguments of calls, the oldest first."""
        for at in range(end):
            for place in () if at in stays or at in self.plan.dropped else self._places[at]:
                entry = self._entries[place]
                if entry.part.kind is not PartKind.CALL or place in self.plan.shortened:
                    continue
                tokens = self._sizes.shortened(place)
                if tokens is not None and self._now[place] - tokens > self._sizes.stub(place, 0):
                    yield partial(self._shorten, place, tokens)

    def _shorten(self, place: int, tokens: int) -> None:
        self.plan.shortened.add(place)
        self._shrink(place, tokens)

    def _drop_turns(self, end: int, stays: Collection[int]) -> Iterator[Callable[[], None]]:
        """Yield the steps that drop turns: the model's by relevance, then the user's."""
        before = self._places[end - 1][-1] + 1
        ranked = sorted(
            (self._turns[at].kind is TurnKind.USER, self._turn_relevance(at, end, before), at)
            for at in range(end)
            if at not in stays and at not in self.plan.dropped
        )
        return (partial(self._drop, at) for _, _, at in ranked)

    def _turn_relevance(self, at: int, end: int, before: int) -> float:
        turn = self._turns[at]
        is_user = turn.kind is TurnKind.USER
        return relevance(
            ItemType.USER_MESSAGE if is_user else ItemType.ASSISTANT_RESPONSE,
            age_minutes=MINUTES_A_TURN * (end - 1 - at),
            dependents=sum(self._reuse.dependents(p, before=before) for p in self._places[at]),
            calls_tools=bool(turn.calls),
        )

    def _drop(self, at: int) -> None:
        if not self.plan.dropped:
            self._running += self._sizes.note
        self.plan.dropped.add(at)
        self._running -= self._sums[at]
        self._sums[at] = 0

    def _shorten_unread(self, end: int, goal: int) -> None:
        """Shorten results that nobody has read yet, the largest first, and what their calls say:
        all else that could go is gone."""
        before = self._places[end - 1][-1] + 1
        places = [place for place in self._places[end - 1] if self._can_stub(place, before)]
        for place in sorted(places, key=lambda place: (-self._now[place], place)):
            if self._running <= goal:
                return
            stub = self._sizes.stub(place, before)
            self.plan.excerpts[place] = max(self._now[place] - (self._running - goal), stub)
            self._shrink(place, self.plan.excerpts[place])
        for step in self._shorten_calls(end, range(end - 1)):
            if self._running > goal and not self._turns[end - 1].is_pending:
                step()


def _opening(turns: Sequence[Turn]) -> int:
    """Return how many turns come before the model's first: system prompt, rules, and the task."""
    kinds = (TurnKind.ASSISTANT, TurnKind.TOOL)
    return next((at for at, turn in enumerate(turns) if turn.kind in kinds), len(turns))
