"""Memory agent: one background thread that assembles the context of a turn for the next one.

`update` puts a turn into a bounded queue and returns at once; the thread assembles what bears on it
and looks after the store; `take_pending` gives what is ready, one turn behind (seed 002, Async
Processing Pipeline). Nothing that happens in the thread is raised into the caller: it is a note.
"""

from __future__ import annotations

import atexit
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import uuid4
from weakref import WeakSet

import attrs

from .. import validation
from ..consolidation import clusters, link_discovery
from ..context.assembled import AssembledContext, AssembledItem, LeftOut, render_context
from ..context.signals import ContextSignals, signals_of
from ..encoder.protocol import cosine
from ..errors import EncoderError, InvalidInput

if TYPE_CHECKING:
    from ..encoder.protocol import Vector
    from .ports import GuardedKit

# Turns that wait at most; of more, the oldest are dropped.
MAX_WAITING = 16
# Cosine of two turns below which the topic has changed (seed 002).
SAME_TOPIC = 0.3
# Notes that are held, and seconds that closing waits for the turn in hand.
MAX_NOTES, PATIENCE = 100, 5.0
_MEMORY = "memory:"

Verify = Callable[[str, AssembledItem], bool]


@attrs.frozen
class AgentOptions:
    """How a memory agent works.

    Attributes:
        session: the session that it serves, None for one of its own. budget: tokens of a context.
        verify: says of each item whether it is relevant to the text (seed 002 has a small model do
            that); what is not stays away. None: all that is assembled is.
    """

    session: str | None = attrs.field(default=None)
    budget: int = 2_000
    verify: Verify | None = None

    @session.validator
    def _check(self, _: object, value: str | None) -> None:
        if value is not None:
            validation.named(value, name="session")


@attrs.frozen
class Turn:
    """One turn that was dealt with, as maintenance sees it.

    Attributes:
        text: what was said, "" if only signals tell. context: what was assembled for it.
        helped, rejected: items that were verified, and that were not; both empty without `verify`.
    """

    session: str
    text: str
    signals: ContextSignals
    context: AssembledContext
    helped: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()


Maintenance = Callable[["GuardedKit", Turn], None]


def _without(
    context: AssembledContext, away: Collection[AssembledItem], reason: str
) -> AssembledContext:
    """Return a context without some of its items, which are named with the reason."""
    if not away:
        return context
    items = tuple(item for item in context.items if item not in away)
    left_out = (LeftOut(item.reference, reason, item.text) for item in away)
    return attrs.evolve(
        context,
        text=render_context(items),
        items=items,
        left_out=(*context.left_out, *left_out),
    )


def note_gap(kit: GuardedKit, turn: Turn) -> None:
    """Note a text that nothing bears on: what is worth remembering (seed 002, Gap Detection)."""
    if turn.context or not turn.text.strip():
        return
    known = kit.recall(turn.text, limit=1)  # of no session: what it was shown is no gap
    if not known.results:
        kit._served.unanswered(turn.text, turn.session, known.best_left_out)


def weigh_verified(kit: GuardedKit, turn: Turn) -> None:
    """Believe memories more that were verified, and less that came in vain (seed 002)."""
    if helped := _memory_ids(turn.helped):
        kit.consolidation.used(helped)
    if rejected := _memory_ids(turn.rejected):
        kit.consolidation.rejected(rejected)


def refine_clusters(kit: GuardedKit, turn: Turn) -> None:
    """Let clusters follow what was remembered, and find them anew now and then (seed 002, Cluster
    Refinement: every 50 retrievals)."""
    if turn.context:
        clusters.after_retrieval(kit._store, kit._index)


def relate_verified(kit: GuardedKit, turn: Turn) -> None:
    """Relate memories that were verified together (seed 002, Link Discovery)."""
    if len(helped := _memory_ids(turn.helped)) > 1:
        link_discovery.discover_links(kit._store, helped)


MAINTENANCE: tuple[Maintenance, ...] = (
    note_gap,
    weigh_verified,
    relate_verified,
    refine_clusters,
)


class MemoryAgent:
    """Background thread of one process and file that remembers for an agent.

    Attributes:
        session: the session that it serves. notes: what went wrong or was left out, newest last.
        dropped: turns that were dropped because too many waited. maintenance: callables that run
            after each turn, with the open kit and the turn; more may be appended.
    """

    _pending: AssembledContext | None
    _thread: threading.Thread | None
    _waiting: deque[tuple[str, ContextSignals]]

    def __init__(self, kit: GuardedKit, options: AgentOptions) -> None:
        self._kit = kit
        self.options = options
        self.session = options.session or f"agent-{uuid4().hex[:12]}"
        self.maintenance: list[Maintenance] = list(MAINTENANCE)
        self.notes: deque[str] = deque(maxlen=MAX_NOTES)
        self.dropped = 0
        self._vector: Vector | None = None
        self._is_closed = False
        self._begin()
        self._start()
        _ALIVE.add(self)

    # -- for the caller

    def update(self, context: str | ContextSignals | Mapping[str, object]) -> None:
        """Take a turn and return at once: a text, or signals of the moment.

        Where MAX_WAITING turns wait, the oldest is dropped, and counted in `dropped`. Raises
        InvalidInput for what is neither, and if the agent is closed.
        """
        is_text = isinstance(context, str)
        text = validation.text(context, name="context") if is_text else ""
        signals = ContextSignals() if isinstance(context, str) else signals_of(context)
        with self._changed:
            if self._is_closed:
                raise InvalidInput("agent: is closed; kit.agent() gives another one")
            if len(self._waiting) >= MAX_WAITING:
                self._waiting.popleft()
                self.dropped += 1
            self._waiting.append((text, signals))
            if self._thread is None:
                self._start()
            self._changed.notify()

    def take_pending(self) -> AssembledContext | None:
        """Return what was assembled for the turn before, once; None if nothing is ready. It never
        waits."""
        with self._changed:
            pending, self._pending = self._pending, None
            return pending

    def wait(self, seconds: float) -> bool:
        """Wait until every turn is dealt with, at most so long; return whether it is."""
        end = time.monotonic() + validation.seconds(seconds, name="seconds")
        with self._changed:
            while self._waiting or self._is_busy:
                if (left := end - time.monotonic()) <= 0 or self._thread is None:
                    return False
                self._changed.wait(left)
            return True

    def close(self, *, patience: float = PATIENCE) -> None:
        """End the thread after the turn in hand, for which it waits `patience` seconds at most;
        turns that still wait are dropped and counted. Closing twice is harmless."""
        with self._changed:
            thread, self._thread, self._is_closed = self._thread, None, True
            self.dropped += len(self._waiting)
            self._waiting.clear()
            self._changed.notify_all()
        _forget(self)
        if thread is not None and thread is not threading.current_thread():
            thread.join(patience)
            if thread.is_alive():
                self._note(f"closing waited {patience:g} s for a turn that goes on")

    @property
    def is_closed(self) -> bool:
        """Whether it takes no more turns."""
        return self._is_closed

    # -- the thread

    def _begin(self) -> None:
        """Begin without a thread and with nothing in hand: in a new agent, and after a fork."""
        self._changed = threading.Condition(threading.Lock())
        self._waiting = deque()
        self._pending = None
        self._thread = None
        self._is_busy = False
        # Nobody forks while the thread may hold the store's locks.
        self._in_turn = threading.RLock()

    def _start(self) -> None:
        # A daemon: the end of the program waits for it no longer than `close` does.
        self._thread = threading.Thread(target=self._run, name="memkit-agent", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        changed = self._changed
        while True:
            with changed:
                while not self._waiting and not self._is_closed:
                    changed.wait()
                if self._is_closed:
                    return
                text, signals = self._waiting.popleft()
                self._is_busy = True
            with self._in_turn:
                self._turn(text, signals)
            with changed:
                self._is_busy = False
                changed.notify_all()

    def _turn(self, text: str, signals: ContextSignals) -> None:
        with self._changed:
            former = self._pending
        held = () if former is None else tuple(item.reference for item in former.items)
        # Nobody took it yet, so what of it bears on this turn as well comes with this one.
        note_again = self._kit._served.withdraw(self.session, held)
        turn = self._dealt_with(text, signals)
        with self._changed:
            was_taken = self._pending is not former
            if turn is not None and was_taken:
                away = [item for item in turn.context.items if item.reference in held]
                turn = attrs.evolve(turn, context=_without(turn.context, away, "shown meanwhile"))
            if turn is not None:
                self._pending = turn.context or None
        if was_taken or turn is None:
            note_again()
        if turn is not None:
            self._maintain(turn)

    def _dealt_with(self, text: str, signals: ContextSignals) -> Turn | None:
        try:
            self._follow_topic(text or " ".join(_words(signals)))
            context = self._kit.context.assemble(
                text, signals=signals, session=self.session, budget=self.options.budget
            )
            turn, verify = Turn(self.session, text, signals, context), self.options.verify
            return turn if verify is None else self._verified(turn, verify)
        except Exception as error:  # noqa: BLE001 - the caller must not fail for it
            self._note(f"a turn was not dealt with: {type(error).__name__}: {error}")
            return None

    def _verified(self, turn: Turn, verify: Verify) -> Turn:
        """Return the turn with those items alone that are relevant."""
        items = turn.context.items
        good = tuple(item for item in items if verify(turn.text, item))
        away = tuple(item for item in items if item not in good)
        context = _without(turn.context, away, "not verified")
        helped, rejected = (tuple(item.reference for item in some) for some in (good, away))
        self._kit._served.withdraw(self.session, rejected)
        return attrs.evolve(turn, context=context, helped=helped, rejected=rejected)

    def _follow_topic(self, text: str) -> None:
        """Let everything be shown again if a turn is about something else than the one before."""
        encoder = self._kit._index.encoder() if text.strip() else None
        if encoder is None:
            return
        try:
            vector = encoder.embed([text])[0].vector
        except EncoderError:
            return
        before, self._vector = self._vector, vector
        nearness = cosine(before, vector)
        if nearness is not None and nearness < SAME_TOPIC:
            self._kit.clear_surfaced(self.session)

    def _maintain(self, turn: Turn) -> None:
        for task in tuple(self.maintenance):
            try:
                task(self._kit, turn)
            except Exception as error:  # noqa: BLE001 - one task must not cost all others
                name = getattr(task, "__name__", type(task).__name__)
                self._note(f"{name}: {type(error).__name__}: {error}")

    def _note(self, text: str) -> None:
        self.notes.append(f"{self._kit._store.now()} {text}")


# --- One agent for each process and file.

_AGENTS: dict[Path, MemoryAgent] = {}
_ALIVE: WeakSet[MemoryAgent] = WeakSet()
_LOCK = threading.Lock()


def agent_of(kit: GuardedKit, options: AgentOptions) -> MemoryAgent:
    """Return the agent of a file in this process, begun if there is none; raises InvalidInput for
    options other than those that it was begun with."""
    with _LOCK:
        agent = _AGENTS.get(kit.path)
        if agent is None or agent.is_closed:
            agent = _AGENTS[kit.path] = MemoryAgent(kit, options)
        elif options not in (AgentOptions(), agent.options):
            raise InvalidInput(
                "agent: there is one of this file with other options; close it first, or call "
                "agent() without any"
            )
        return agent


def close_agent(kit: GuardedKit) -> None:
    """Close the agent that works with a kit, if there is one."""
    with _LOCK:
        agent = _AGENTS.get(kit.path)
    if agent is not None and agent._kit is kit:
        agent.close()


def _forget(agent: MemoryAgent) -> None:
    with _LOCK:
        if _AGENTS.get(agent._kit.path) is agent:
            del _AGENTS[agent._kit.path]


def _close_all() -> None:
    for agent in list(_ALIVE):
        agent.close()


_PAUSED: list[MemoryAgent] = []


def _before_fork() -> None:
    """Wait for the turns in hand: a child would find the locks of the store taken for ever."""
    _PAUSED.extend(agent for agent in list(_ALIVE) if agent._in_turn.acquire(timeout=PATIENCE))


def _after_fork_in_parent() -> None:
    while _PAUSED:
        _PAUSED.pop()._in_turn.release()


def _after_fork_in_child() -> None:
    """Let the child begin its own threads: those of the parent are not there."""
    global _LOCK
    _LOCK = threading.Lock()
    _PAUSED.clear()
    for agent in list(_ALIVE):
        agent._begin()


atexit.register(_close_all)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )


# -- inside


def _memory_ids(references: Iterable[str]) -> list[int]:
    return [int(name[len(_MEMORY) :]) for name in references if name.startswith(_MEMORY)]


def _words(signals: ContextSignals) -> list[str]:
    texts = (signals.task, signals.current_file, signals.branch, *signals.recent_errors)
    return [text for text in texts if text]
