"""Hooks: what happens at each moment in an agent's work that it tells of.

A session starts with the page of what holds, also after it was resumed, cleared or compacted; a
prompt is learnt from and gets what bears on it, once in a session; before a call the guard looks at
it. What was done is recorded, before a compaction the session's context is saved, at the end of a
session it is learnt from. Who runs a hook opens the store: nothing here waits for anything else.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..episodes.recording import tolerant_json
from ..episodes.recording.hooks import (
    Agent,
    HookEvent,
    HookKind,
    agent_of,
    event_of,
    name_of,
    own_name,
    standard_fields,
)
from ..episodes.recording.tolerant_json import content_text_at, mapping, text_at
from ..errors import MemkitError, StoreError
from ..redaction.redactor import CLOSE
from ..store import timestamps
from ..store.store import local_setting, set_local_setting
from ..text.analyzer import words_of

if TYPE_CHECKING:
    from ..context.sessions import Sessions
    from ..store.store import Store
    from .extraction import ExtractionResult
    from .guard import GuardWarning
    from .ports import GuardedKit

START_TOKENS, PROMPT_TOKENS = 1_500, 1_000
"""Tokens of what a session starts with, and of what comes with a prompt."""

MAX_CHARS = 8_000
"""Characters that a hook prints at most: of more some agents show the model a file's name."""

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
    source = text_at(call.payload, "source")
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
    learnt: ExtractionResult | None = None
    with suppress(MemkitError):  # what is known is told all the same
        learnt = _learnt(kit, call, request)
    own: list[str] = []
    if learnt is not None:
        request = _without(request, [draft.text for draft in learnt.candidates])
        own = [f"memory:{number}" for number in learnt.remembered]
        own += [f"task:{task.name}" for task in kit.episodes.tasks(session=call.session, limit=1)]
    tokens = budget or PROMPT_TOKENS
    return _context(call, _assembled(kit, request, tokens, session=call.session, unsaid=own))


def _learnt(kit: GuardedKit, call: HookCall, request: str) -> ExtractionResult | None:
    """Learn what a person says outright is to last: the session may never end."""
    from .statement_rules import may_be_outright

    is_persons = text_at(call.payload, "subagent") is None
    if call.session is None or not is_persons or not may_be_outright(request):
        return None
    from .extraction import learn_outright

    return learn_outright(kit, request, session=call.session)


def _without(request: str, statements: Sequence[str]) -> str:
    """Return a request without statements that are new memories now: nothing is nearer to a
    statement than itself, and what else is wanted would seem unlikely beside it. What would be
    left without a word stays as it is."""
    rest = request
    for statement in statements:
        words = r"\s+".join(map(re.escape, statement.split()))
        rest = re.sub(words, " ", rest, count=1)
    return rest if words_of(rest) else request


def _request(call: HookCall) -> str | None:
    """Return what a person asks for in a prompt, None if nobody asks for anything."""
    from ..episodes.recording.hooks import ASKERS
    from ..episodes.recording.prompts import request_of
    from .statement_rules import asks_nothing

    if call.payload.get("source") not in ASKERS:
        return None
    request = request_of(text_at(call.payload, "prompt") or "")
    return None if request is None or asks_nothing(request) else request


def _assembled(
    kit: GuardedKit,
    prompt: str,
    budget: int,
    *,
    session: str | None,
    visible: str = "",
    unsaid: Collection[str] = (),
) -> str:
    """Return what is known, as text within a budget of which what is `visible` takes a part, but
    what is `unsaid`, by its references. Tokens are estimated: to count them takes longer than all
    the rest."""
    from ..context.assembly import Bounds, Measure, assemble

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
    tool = text_at(announced, "tool")
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
    from ..context.assembled import BEGIN, END

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
    from ..context.assembled import Candidate, Level, Tier, render_item

    level = Level("full", text[:_STATE_CHARS] + more)
    return render_item(Candidate(Tier.CRITICAL, "session", label, label, (level,)), level.text)


# --- Moments after which an agent goes on at once.

# Characters of a summary, and of each of the newest messages, that are saved.
_SUMMARY_CHARS, _MESSAGE_CHARS = 20_000, 4_000


def _before_compaction(kit: GuardedKit, call: HookCall, session: str) -> None:
    """Save the session's context with the end of its transcript, and note what was in it."""
    with suppress(StoreError):  # what it was shown is about to go
        kit.clear_surfaced(session)
    sessions: Sessions = kit.context.sessions
    context = sessions.load(session)
    known = {entry.content for entry in context.recent_history}
    path = text_at(call.payload, "transcript_path")
    for role, text in _newest_messages(path) if path else ():
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

    summary = text_at(call.payload, "compact_summary")
    if summary:
        sessions: Sessions = kit.context.sessions
        context = sessions.load(session)
        sessions.save(attrs.evolve(context, long_term_summary=summary[:_SUMMARY_CHARS]))


def _after_session(kit: GuardedKit, _: HookCall, session: str) -> None:
    """Learn from what was done and said, and what of it came of memories."""
    from ..consolidation import feedback, gaps

    followed = feedback.observe_outcomes(kit, session)
    feedback.notice_use(kit, session, followed=followed)
    kit.extract(session=session, remember=True)
    gaps.close_answered(kit)


# --- The newest messages of a session's transcript, read from its end. Lines of Claude Code, Codex
# and Gemini CLI are known; what is not understood is left out.

_TAIL_BYTES, _TAIL_MESSAGES = 256_000, 12
_ROLES = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}


def _newest_messages(path: str) -> list[tuple[str, str]]:
    """Return role and text of the newest messages of user and model, the oldest of them first; none
    if there is no such file."""
    messages = [message for line in _last_lines(Path(path)) if (message := _message(line))]
    return messages[-_TAIL_MESSAGES:]


def _last_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - _TAIL_BYTES, 0))
            data = file.read(_TAIL_BYTES)
    except (OSError, ValueError):  # gone, a folder, or no name of a file
        return
    lines = data.split(b"\n")
    # The first one may be a part.
    yield from lines[1:] if size > _TAIL_BYTES else lines


def _message(line: bytes) -> tuple[str, str] | None:
    row = mapping(tolerant_json.parsed(line)) if line.strip() else {}
    body = next((mapping(row[key]) for key in ("message", "payload") if key in row), row)
    role = _ROLES.get(text_at(body, "role") or text_at(row, "type") or "")
    text = content_text_at(body, "content")
    if role is None or text is None:
        return None
    if role == "user":
        from ..episodes.recording.prompts import request_of

        text = request_of(text)
    return (role, text.strip()) if text and text.strip() else None


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


# --- Answers: a text or a verdict in the form in which each agent reads it from its hook. One that
# checks what a hook prints takes no key that it does not know. What an agent has no form for is
# left out: it would be shown to nobody.

Answer = Mapping[str, object]

ASK, DENY = "ask", "deny"
"""Verdicts on what an agent is about to do that are more than a warning."""

_FLAT = frozenset({Agent.COPILOT, Agent.OPENCODE})


def context_answer(agent: Agent, name: str, event: HookEvent, text: str) -> Answer | None:
    """Return what puts a text before the model, None if the hook puts nothing there."""
    if not event.takes_context or not text:
        return None
    if agent is Agent.CURSOR:
        # Of a prompt its documentation lists `continue` and `user_message` alone; what reads the
        # answer (3.20, September 2026) takes the text all the same and shows it to the model.
        goes_on = {"continue": True} if event.kind is HookKind.PROMPT else {}
        return {**goes_on, "additional_context": text}
    if agent in _FLAT:
        return {"additionalContext": text}
    return _nested(agent, name, additionalContext=text)


def verdict_answer(
    agent: Agent, name: str, event: HookEvent, decision: str, text: str
) -> Answer | None:
    """Return what warns of a call, asks its user, or denies it; None if there is no form for it.

    A call is never allowed here: that would take the place of the user's own permission.
    """
    if decision not in (ASK, DENY) or (agent is Agent.CODEX and decision == ASK):
        # Codex drops a hook that asks, with its reason: the model at least reads it.
        if agent is Agent.GEMINI and text:
            return {"systemMessage": text}
        return context_answer(agent, name, event, text)
    if agent is Agent.GEMINI:
        return {"decision": decision, "reason": text}
    if agent is Agent.CURSOR:
        return {"permission": decision, "agent_message": text, "user_message": text}
    verdict = {"permissionDecision": decision, "permissionDecisionReason": text}
    return verdict if agent in _FLAT else _nested(agent, name, **verdict)


def _nested(agent: Agent, name: str, **fields: object) -> Answer:
    return {"hookSpecificOutput": {"hookEventName": own_name(name, agent), **fields}}


def printed(make: Callable[[str], Answer | None], text: str) -> str:
    """Return an answer with a text as one line of JSON within MAX_CHARS; what stands last in the
    text goes first. "" if there is no answer."""
    while text:
        answer = make(text)
        if answer is None:
            return ""
        line = json.dumps(answer, ensure_ascii=False)
        if len(line) < MAX_CHARS:
            return line
        text = _shorter(text)
    return ""


def _shorter(text: str) -> str:
    """Return a text without its last item, "" if it has but one."""
    start = text.rfind("\n- ")
    if start < 0 or text.find("\n- ") == start:
        return ""
    return f"{text[: start + 1]}{CLOSE}" if text.endswith(CLOSE) else text[:start]
