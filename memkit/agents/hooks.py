"""Hooks: what happens at each moment in an agent's work that it tells of.

A session starts with the page of what holds, also after it was resumed, cleared or compacted; a
prompt is learnt from and gets what bears on it, once in a session; before a call the guard looks at
it. What was done is recorded, before a compaction the session's context is saved, at the end of a
session it is learnt from. Who runs a hook opens the store: nothing here waits for anything else.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from ..episodes.recording import tolerant_json
from ..episodes.recording.hook_events import (
    Agent,
    HookEvent,
    HookKind,
    agent_of,
    event_of,
    name_of,
    standard_fields,
)
from ..errors import MemkitError, StoreError
from ..store import timestamps
from ..store.store import local_setting, set_local_setting
from .hook_answers import context_answer, printed, verdict_answer

if TYPE_CHECKING:
    from ..context.sessions import Sessions
    from ..store.store import Store
    from .guard import GuardWarning
    from .ports import GuardedKit

START_TOKENS, PROMPT_TOKENS = 1_500, 1_000
"""Tokens of what a session starts with, and of what comes with a prompt."""

# Characters of a text beside its form and the marks of JSON.
_TEXT_CHARS = 7_000
# Seconds between two notes that a hook of an agent fired.
_NOTE_SECONDS = 60.0
_FIRED = "hooks.fired."
_RECORDED = frozenset(
    {
        HookKind.PROMPT,
        HookKind.AFTER_TOOL,
        HookKind.TOOL_FAILED,
        HookKind.TURN_END,
        HookKind.SESSION_END,
        HookKind.SUBAGENT_START,
        HookKind.SUBAGENT_END,
    }
)


class HookCall(NamedTuple):
    """One run of a hook.

    Attributes:
        name: of the hook, as the agent wrote it. payload: what it was given, its fields under the
            names of `FIELDS`.
    """

    agent: Agent
    name: str
    event: HookEvent
    payload: Mapping[str, Any]

    @property
    def session(self) -> str | None:
        """The session that it is of: a subagent's own, if one is at work."""
        names = (tolerant_json.text(self.payload.get(key)) for key in ("subagent", "session"))
        return next((name for name in names if name), None)

    @property
    def is_recorded(self) -> bool:
        """Whether such a moment is recorded."""
        return self.event.kind in _RECORDED

    @property
    def needs_kit(self) -> bool:
        """Whether more than a recording is to be done."""
        return self.event.kind in _AT_MOMENT or self.event.kind in _AFTERWARDS


def hook_call(
    document: object, *, agent: Agent | None = None, name: str | None = None
) -> HookCall | None:
    """Return the run of a hook that a JSON value tells of, None if it tells of none that is known.

    `agent` and `name` are said by whoever set the hook up; else its fields tell.
    """
    if not isinstance(document, Mapping):
        return None
    name = name_of(document) or name
    if name is None:
        return None
    agent = agent or agent_of(document, name)
    event = event_of(name, agent)
    if event is None:
        return None
    own = {"agent": str(agent), **standard_fields(document), "hook_event_name": name}
    return HookCall(agent, name, event, own)


def answered(kit: GuardedKit, call: HookCall, *, budget: int | None = None) -> str:
    """Return the line that answers a hook, "" if there is nothing to say; `budget` in tokens, of
    the reader that counts most. What a prompt says outright is learnt first: an answer that takes
    too long is cut off."""
    make = _AT_MOMENT.get(call.event.kind)
    return "" if make is None else make(kit, call, budget)


def followed_up(kit: GuardedKit, call: HookCall) -> None:
    """Do what an agent is not waiting for: save what is compacted, learn from what has ended."""
    session = call.session
    follow = _AFTERWARDS.get(call.event.kind)
    if follow is not None and session is not None:
        follow(kit, call, session)


# --- Last fired: a note of this machine, for whoever wonders whether a hook is plugged in.


def note_fired(store: Store, call: HookCall) -> None:
    """Note that a hook fired, unless it was noted within the last minute."""
    setting = f"{_FIRED}{call.agent}"
    now = store.now()

    def note() -> None:
        fired = local_setting(store, setting, {})
        if not _is_recent(fired.get(call.event.kind), now):
            set_local_setting(store, setting, {**fired, str(call.event.kind): now})

    if not _is_recent(local_setting(store, setting, {}).get(call.event.kind), now):
        with suppress(StoreError):
            store.write(note)


def last_fired(store: Store) -> dict[str, dict[str, str]]:
    """Return when a hook of each sort fired last, as UTC text, by agent."""
    return {
        str(agent): {str(kind): at for kind, at in noted.items() if isinstance(at, str)}
        for agent in Agent
        if (noted := local_setting(store, f"{_FIRED}{agent}", {}))
    }


def _is_recent(noted: object, now: str) -> bool:
    if not isinstance(noted, str):
        return False
    try:
        age = timestamps.to_epoch(now) - timestamps.to_epoch(noted)
    except ValueError:
        return False
    return 0 <= age < _NOTE_SECONDS


# --- Moments at which an agent waits for an answer.


def _at_start(kit: GuardedKit, call: HookCall, budget: int | None) -> str:
    """Return the page that a session starts with; after a compaction its own state comes first."""
    source = tolerant_json.text_at(call.payload, "source")
    session = call.session
    if session is not None and source != _RESUMED:
        with suppress(StoreError):
            kit.clear_surfaced(session)
    # What came with prompts is replayed when a session is resumed, its page is not.
    shown_to = None if source == _RESUMED else session
    state = ""
    if session is not None and source in (_RESUMED, _COMPACTED):
        state = "".join(_state(kit, session))
    page = _assembled(kit, "", budget or START_TOKENS, session=shown_to, visible=state)
    return _context(call, _with_state(page, state))


_RESUMED, _COMPACTED = "resume", "compact"


def _at_prompt(kit: GuardedKit, call: HookCall, budget: int | None) -> str:
    """Return what bears on a prompt, without what is learnt from it."""
    request = _request(call)
    if request is None:
        return ""
    learnt: tuple[int, ...] = ()
    with suppress(MemkitError):  # what is known is told all the same
        learnt = _learnt(kit, call, request)
    tokens = budget or PROMPT_TOKENS
    return _context(call, _assembled(kit, request, tokens, session=call.session, unsaid=learnt))


def _learnt(kit: GuardedKit, call: HookCall, request: str) -> tuple[int, ...]:
    """Learn what a person says outright is to last: the session may never end. Return the ids of
    the memories that are new."""
    from .statement_rules import may_be_outright

    is_persons = tolerant_json.text_at(call.payload, "subagent") is None
    if call.session is None or not is_persons or not may_be_outright(request):
        return ()
    from .extraction import learn_outright

    return learn_outright(kit, request, session=call.session).remembered


def _request(call: HookCall) -> str | None:
    """Return what a person asks for in a prompt, None if nobody asks for anything."""
    from ..episodes.recording.hooks import ASKERS
    from ..episodes.recording.prompts import request_of

    if call.payload.get("source") not in ASKERS:
        return None
    return request_of(tolerant_json.text_at(call.payload, "prompt") or "")


def _assembled(
    kit: GuardedKit,
    prompt: str,
    budget: int,
    *,
    session: str | None,
    visible: str = "",
    unsaid: Collection[int] = (),
) -> str:
    """Return what is known, as text within a budget of which what is `visible` takes a part, but
    the memories `unsaid`; tokens are estimated: to count them takes longer than all the rest."""
    from ..context.assembly import assemble
    from ..context.fitting import Bounds, Measure

    if visible:
        budget = max(budget - Measure(Bounds(budget), quick=True).size(visible), 0)
    assembled = assemble(
        kit,
        prompt,
        budget=budget,
        session=session,
        visible=(visible,),
        max_chars=max(_TEXT_CHARS - len(visible), 0),
        exact=False,
        unsaid=unsaid,
    )
    return assembled.text


def _context(call: HookCall, text: str) -> str:
    return printed(partial(context_answer, call.agent, call.name, call.event), text)


def _before_tool(kit: GuardedKit, call: HookCall, _: int | None) -> str:
    """Return what is known against a call that is about to be made."""
    from ..episodes.recording.hooks import call_of
    from .guard import guard

    announced = call_of(call.payload, call.event)
    tool = tolerant_json.text_at(announced, "tool")
    if tool is None:
        return ""
    parameters = tolerant_json.written_mapping(announced.get("parameters"))
    result = guard(kit, tool, parameters, session=call.session)
    if not result.warnings:
        return ""
    items = (_item(_label(w), f"{w.text} ({w.reason})") for w in result.warnings)
    make = partial(verdict_answer, call.agent, call.name, call.event, str(result.decision))
    return printed(make, _with_state("", "".join(items)))


def _label(warning: GuardWarning) -> str:
    """Return what sort of thing is known of a call, and its number."""
    if warning.memory_id is None:
        return "earlier call"
    kind = "rule" if warning.kind == "negative" else warning.kind or "memory"
    return f"{kind} #{warning.memory_id}"


# --- State of a session, told when its context was emptied.

_MAX_DECISIONS, _MAX_FILES = 5, 8
_STATE_CHARS = 500  # of one item


def _with_state(page: str, state: str) -> str:
    """Return a page with further items before its own."""
    from ..context.rendering import BEGIN, END

    if not state:
        return page
    return f"{BEGIN}{state}{page[len(BEGIN) :] if page else END}"


def _state(kit: GuardedKit, session: str) -> Iterator[str]:
    """Yield items of what a session is at: its task, its decisions, what was compacted."""
    tasks = kit.episodes.tasks(session=session, limit=1)
    for task in tasks:
        files = ", ".join(task.files[:_MAX_FILES])
        label = f"task of this session ({task.status})"
        yield _item(label, task.description, f"\nfiles: {files}" if files else "")
    for memory in kit.memories.find(scope="session", session=session, limit=_MAX_DECISIONS):
        yield _item(f"noted in this session #{memory.id}", memory.text)
    saved = kit.context.sessions.versions(session)
    if saved:
        text = f"what was said before the compaction is saved: memkit session show {session}"
        yield _item("this session", text)


def _item(label: str, text: str, more: str = "") -> str:
    from ..context.assembled import Candidate, Level
    from ..context.rendering import render_item
    from ..context.tiers import Tier

    level = Level("full", text[:_STATE_CHARS] + more)
    return render_item(Candidate(Tier.CRITICAL, "session", label, label, (level,)), level.text)


# --- Moments after which an agent goes on at once.

# Characters of a summary, and of each of the newest messages, that are saved.
_SUMMARY_CHARS, _MESSAGE_CHARS = 20_000, 4_000


def _before_compaction(kit: GuardedKit, call: HookCall, session: str) -> None:
    """Save the session's context with the end of its transcript, and note what was in it."""
    from .transcript_tail import newest_messages

    with suppress(StoreError):  # what it was shown is about to go
        kit.clear_surfaced(session)
    sessions: Sessions = kit.context.sessions
    context = sessions.load(session)
    known = {entry.content for entry in context.recent_history}
    path = tolerant_json.text_at(call.payload, "transcript_path")
    for role, text in newest_messages(path) if path else ():
        if text[:_MESSAGE_CHARS] not in known:
            now = kit._store.clock()
            context = context.with_message(role, text[:_MESSAGE_CHARS], timestamp=now)
    context = sessions.save(context)
    items = [
        {"id": f"{entry.role}:{number}", "type": entry.role, "tokens": entry.tokens}
        for number, entry in enumerate(context.recent_history)
    ]
    if items:
        event = {"event": "snapshot", "session": session, "items": items, "reason": "compaction"}
        total = tolerant_json.whole(call.payload.get("context_tokens"))
        kit.episodes.record({**event, "total_tokens": total or context.tokens})


def _after_compaction(kit: GuardedKit, call: HookCall, session: str) -> None:
    """Save the summary that takes the place of what was said."""
    import attrs

    summary = tolerant_json.text_at(call.payload, "compact_summary")
    if summary:
        sessions: Sessions = kit.context.sessions
        context = sessions.load(session)
        sessions.save(attrs.evolve(context, long_term_summary=summary[:_SUMMARY_CHARS]))


def _after_session(kit: GuardedKit, _: HookCall, session: str) -> None:
    """Learn from what was done and said, and what of it came of memories."""
    from ..consolidation import gaps, implicit_use, procedure_outcomes

    followed = procedure_outcomes.observe_outcomes(kit, session)
    implicit_use.notice_use(kit, session, followed=followed)
    kit.extract(session=session, remember=True)
    gaps.close_answered(kit)


_AT_MOMENT: Mapping[HookKind, Callable[[GuardedKit, HookCall, int | None], str]] = {
    HookKind.SESSION_START: _at_start,
    HookKind.PROMPT: _at_prompt,
    HookKind.BEFORE_TOOL: _before_tool,
}
_AFTERWARDS: Mapping[HookKind, Callable[[GuardedKit, HookCall, str], None]] = {
    HookKind.BEFORE_COMPACTION: _before_compaction,
    HookKind.AFTER_COMPACTION: _after_compaction,
    HookKind.SESSION_END: _after_session,
}
