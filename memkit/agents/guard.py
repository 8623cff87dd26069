"""Guard: what is about to be done, held against what is remembered and what failed before.

It runs before each call of a tool, so it reads only rows that may bear on the call, loads neither
vectors nor the model, and says a thing once in a session. How a memory is answered is data: the tag
`guard:ask` lets the agent ask its user, `guard:deny` forbids; without a tag it warns. To deny, the
pattern of the memory must have gone off: words that agree only ask.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from .. import validation
from ..episodes.records import CHANGING
from ..errors import StoreError
from ..redaction import clean_text, quoted
from ..retrieval import actions
from ..retrieval.action_match import GUARDING, MAY_GUARD, Match, Statement, matches, may_guard
from ..text.paths import plain_path

if TYPE_CHECKING:
    from ..store.store import Store
    from .ports import GuardedKit

# Memories that share a word with the action and are looked at, best first.
MAX_CANDIDATES = 200
_GUARDING = json.dumps(GUARDING)
_MAY_GUARD = json.dumps(MAY_GUARD)
# Words of an action that are searched for, and warnings of one call.
MAX_WORDS, MAX_WARNINGS = 60, 5
# Calls with the longest word of this one that are compared with it, newest first.
MAX_CALLS = 200
# Characters of an error, and of a command that fixed it.
_ERROR, _COMMAND = 200, 120
_NOTHING = '""'  # an FTS5 expression that matches nothing


class GuardDecision(StrEnum):
    """Answer to a call that is about to be made, the mildest first."""

    ALLOW = "allow"
    WARN = "warn"
    ASK = "ask"
    DENY = "deny"


_STRENGTH = list(GuardDecision)
_TAGS = {"guard:deny": GuardDecision.DENY, "guard:ask": GuardDecision.ASK}


class GuardWarning(NamedTuple):
    """One thing that is known of a call.

    Attributes:
        text: the memory's text, or what failed before and what fixed it. reason: why it is said.
        decision: warn, ask or deny. trigger: the pattern that went off, None for words that agree.
        memory_id, kind: of the memory; None for what was done before.
        execution: id of the call that failed before, None for a memory.
    """

    text: str
    reason: str
    decision: GuardDecision
    trigger: str | None = None
    memory_id: int | None = None
    kind: str | None = None
    execution: int | None = None

    @property
    def reference(self) -> str:
        """Name under which a session is noted to have been told of it."""
        return f"guard:{self.memory_id or f'call:{self.execution}'}"


class GuardResult(NamedTuple):
    """Answer of the guard: the strongest decision of its warnings, `allow` without any.

    Attributes:
        warnings: strongest first. shown_before: how many were left out, for the session knows them.
        notes: what was not possible.
    """

    decision: GuardDecision = GuardDecision.ALLOW
    warnings: tuple[GuardWarning, ...] = ()
    shown_before: int = 0
    notes: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.warnings)


class Call(NamedTuple):
    """Call of a tool that is about to be made, and what it does; None: nothing that can be told."""

    tool: str
    input: Mapping[str, Any]
    action: actions.Action | None


def guard(
    kit: GuardedKit, tool: str, input: Mapping[str, object] | str, *, session: str | None = None
) -> GuardResult:
    """Return what is known against a call; see `Memkit.guard`."""
    from ..episodes.paths import RepositoryPaths

    call = call_of(tool, input, stored=RepositoryPaths(kit.path.parent).stored)
    name = validation.optional(validation.named, session, name="session")
    if call.action is None:
        return GuardResult()
    known, notes = _of_memories(kit, call.action, name)
    warnings = sorted(
        (*known, *_of_earlier_calls(kit, call)), key=lambda w: -_STRENGTH.index(w.decision)
    )
    if not warnings:
        return GuardResult(notes=notes)
    known_items = frozenset() if name is None else kit._served.items_shown_to(name)
    fresh = [
        w
        for w in warnings
        if w.decision is not GuardDecision.WARN or w.reference not in known_items
    ]
    shown = tuple(fresh[:MAX_WARNINGS])
    if name is not None and shown:
        kit._served.showed_items(name, [warning.reference for warning in shown])
        kit._served.flush()
    decision = shown[0].decision if shown else GuardDecision.ALLOW
    return GuardResult(decision, shown, len(warnings) - len(fresh), notes)


def call_of(
    tool: str, input: Mapping[str, object] | str, *, stored: Callable[[str], str] = plain_path
) -> Call:
    """Return a call as agents pass it to their hooks; a plain text is the command of a shell, or
    the path of a file. `stored` gives a path as it is stored. Raises InvalidInput."""
    from ..episodes.error_signatures import command_of
    from ..episodes.recording.tool_calls import added_text, files_of
    from ..episodes.recording.tool_vocabulary import is_shell, operation_of

    tool = validation.named(tool, name="tool")
    if isinstance(input, str):
        input = {"command" if is_shell(tool) else "file_path": input}
    values = dict(validation.mapping(input, name="input"))
    command = command_of(values) if is_shell(tool) or operation_of(tool) is None else None
    if command is not None and command.strip():
        return Call(tool, values, actions.command(clean_text(command)))
    changed = (stored(file.path) for file in files_of(tool, values) if file.operation in CHANGING)
    paths = tuple(dict.fromkeys(changed))
    added = clean_text(added_text(values))
    if not paths and not added:
        return Call(tool, values, None)
    action = actions.edit(paths[0] if paths else "", added)
    return Call(tool, values, action._replace(paths=paths, written=paths))


# --- What is remembered.


def _of_memories(
    kit: GuardedKit, action: actions.Action, session: str | None
) -> tuple[list[GuardWarning], tuple[str, ...]]:
    """Return what memories say of an action, of the project's and of the global store."""
    own = list(_warnings(kit._store, action, kit.project, session))
    try:
        other = kit._global.reader()
        more = [] if other is None else list(_warnings(other._store, action, "", None))
    except StoreError as error:
        return own, (f"global memories were left out: {error}",)
    if more:
        from ..memories.global_relations import GlobalRelations

        replaced = GlobalRelations(kit._store).replaced()
        own += [warning for warning in more if warning.memory_id not in replaced]
    return own, ()


def _warnings(
    store: Store, action: actions.Action, project: str, session: str | None
) -> Iterator[GuardWarning]:
    if action.reads:
        return
    rows = store.records(
        "agents_guard.candidates",
        kinds=_MAY_GUARD,
        project=project,
        session=session,
        now=store.now(),
        paths=json.dumps(action.paths),
        match=_expression(action),
        limit=MAX_CANDIDATES,
    )
    rows = [row for row in rows if may_guard(row["kind"], row["body"])]
    if not rows:
        return
    statements = {
        row["id"]: Statement.of(
            row["body"], row["kind"], _texts(row["trigger_patterns"]), _texts(row["about"])
        )
        for row in rows
    }
    count = store.value("agents_guard.guarding_count", kinds=_GUARDING)
    evident = {n: m for n, m in matches(action, statements, count).items() if m.is_evident}
    by_id = {row["id"]: row for row in rows}
    for memory_id, match in sorted(evident.items(), key=lambda item: -item[1].log_odds):
        yield _warning(_with_failures(store, by_id[memory_id]), match)


def _with_failures(store: Store, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the row of a procedure with what failed repeatedly, any other as it is."""
    if row["kind"] != "procedure":
        return row
    from ..memories import ingest, outcomes

    memories = ingest.load(store, [row["id"]])
    failures = (text for memory in memories for text in outcomes.warnings(memory.outcomes))
    return {**row, "text": "; ".join((row["text"], *failures))}


def _warning(row: Mapping[str, Any], match: Match) -> GuardWarning:
    tags = _texts(row["tags"])
    decision = next((answer for tag, answer in _TAGS.items() if tag in tags), GuardDecision.WARN)
    if decision is GuardDecision.DENY and match.trigger is None:
        decision = GuardDecision.ASK
    reason = (
        f"trigger: {match.trigger}" if match.trigger else f"both name: {', '.join(match.shared)}"
    )
    return GuardWarning(
        row["text"], reason, decision, match.trigger, memory_id=row["id"], kind=row["kind"]
    )


def _expression(action: actions.Action) -> str:
    """Return the FTS5 expression of the words of an action, quoted: none of it is syntax."""
    words = sorted({*action.words, *action.names}, key=lambda word: (-len(word), word))
    quotes = (f'"{word}"' for word in words[:MAX_WORDS] if '"' not in word)
    # Stems of the index are Porter's, these are shorter: each is searched as a beginning.
    return " or ".join(f"{quote} *" for quote in quotes).replace(" or ", " OR ") or _NOTHING


def _texts(value: str | None) -> tuple[str, ...]:
    """Return the texts of a JSON list; none if a person wrote something else there."""
    try:
        texts = json.loads(value or "[]")
    except ValueError:
        return ()
    return tuple(text for text in texts if isinstance(text, str)) if isinstance(texts, list) else ()


# --- What was done before.


def _of_earlier_calls(kit: GuardedKit, call: Call) -> Iterator[GuardWarning]:
    """Yield that the same call was made before and did not work: the command failed and nothing was
    changed since, or another one is known that works; the edit was refused, or what came after it
    failed."""
    if call.action is None or call.action.reads:
        return
    last = _last(kit, call)
    if last is None:
        return
    fix = None if last["success"] else _fix(kit, call, last)
    if call.action.path:
        error = _failed_edit(kit, call.action.path, last)
    else:
        where = {"project": kit.project, "at": last["timestamp"], "id": last["id"]}
        is_changed = fix is None and _is_changed_since(kit, where)
        error = None if last["success"] or is_changed else last["error_message"] or "an error"
    if error is not None:
        said = quoted(" ".join(error.split())[:_ERROR])
        text = f"The same call was made on {last['timestamp'][:10]} and failed: {said}"
        text += f"; this worked afterwards: {fix}" if fix else ""
        yield GuardWarning(text, "failed before", GuardDecision.WARN, execution=last["id"])


def _is_changed_since(kit: GuardedKit, where: Mapping[str, object]) -> bool:
    """Whether a file was changed after a call, or something was installed or configured."""
    from ..episodes.error_signatures import command_of, sets_up

    if kit._store.first("agents_guard.changed_since", **where):
        return True
    rows = kit._store.all("agents_guard.ran_since", limit=MAX_CALLS, **where)
    commands = (command_of(json.loads(parameters)) for (parameters,) in rows)
    return any(command is not None and sets_up(command) for command in commands)


def _last(kit: GuardedKit, call: Call) -> Mapping[str, Any] | None:
    """Return the row of the newest call that asked for the same, or None."""
    from ..episodes.error_signatures import same_call, telling_part

    part = telling_part(same_call(call.tool, call.input))
    where = {"project": kit.project, "tool": call.tool, "part": part, "limit": MAX_CALLS}
    if not part or not (rows := kit._store.records("agents_guard.last_calls", **where)):
        return None
    from ..episodes.paths import RepositoryPaths
    from ..episodes.recording.payloads import Redactions, parameters_preview

    paths = RepositoryPaths(kit.path.parent)
    preview = parameters_preview(call.input, Redactions(), private=False, relative=paths.relative)
    own = _key(call, preview)
    return next((row for row in rows if _key(call, row["parameters"]) == own), None)


def _key(call: Call, preview: str) -> str:
    """Return what the stored parameters of two calls share that ask for the same."""
    from ..episodes.error_signatures import same_call

    is_command = call.action is not None and call.action.runs
    return same_call(call.tool, json.loads(preview)) if is_command else preview


def _failed_edit(kit: GuardedKit, path: str, last: Mapping[str, Any]) -> str | None:
    """Return what came of an edit that was made before, if it failed."""
    if not last["success"]:
        return last["error_message"] or "an error"
    for attempt in kit.episodes.failed_attempts(path):
        if any(edit.execution == last["id"] for edit in attempt.edits):
            return attempt.reason
    return None


def _fix(kit: GuardedKit, call: Call, last: Mapping[str, Any]) -> str | None:
    """Return the call that did what a failed one was for, if it is another one."""
    from ..episodes.error_signatures import same_call

    if not last["error_signature"]:
        return None
    own = same_call(call.tool, call.input)
    for error in kit.episodes.find_errors(last["error_signature"]):
        for fix in error.fixes:
            passed = same_call(fix.passed.tool, fix.passed.parameters)
            if fix.failed.id == last["id"] and passed != own:
                return passed.removeprefix("$ ")[:_COMMAND]
    return None
