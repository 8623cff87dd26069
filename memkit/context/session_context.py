"""Context of a session between its runs: history, facts, tasks, numbers (seed 001).

    context = kit.context.sessions.load("user:agent:1708654321")
    context = context.with_message("user", "Create a new file").with_fact("Project uses Rust 1.75")

Records never change: each `with_…` returns a new context. As JSON it has the shape of the seed.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from .. import validation
from ..errors import InvalidInput
from ..tokens import estimate

Json = Mapping[str, Any]

RUNNING, COMPLETED = "Running", "Completed"
"""Words of a task's status that compaction goes by (seed 001); others are left as they are."""


def _frozen(values: Any) -> tuple[Any, ...]:
    return tuple(validation.iterable(values, name="values"))


@attrs.frozen
class HistoryEntry:
    """One message: `timestamp` in seconds since 1970, `role` user, assistant, tool or system.

    `token_count` is None where nobody counted.
    """

    timestamp: float
    role: str
    content: str
    token_count: int | None = None

    @property
    def tokens(self) -> int:
        """Its tokens: as counted, else estimated (never too few)."""
        return estimate(self.content) if self.token_count is None else self.token_count


@attrs.frozen
class SessionTask:
    """One task of a session; `progress` from 0 to 1, times in seconds since 1970."""

    id: str
    description: str
    status: str = RUNNING
    progress: float = 0.0
    created_at: float = 0
    updated_at: float = 0


@attrs.frozen
class SystemState:
    """State of the agent: the folder it worked in last, and what its user prefers."""

    last_workspace: str = ""
    preferences: Json = attrs.field(factory=dict)


@attrs.frozen
class ToolTotals:
    """Calls of tools in a session: all of them, by tool, and how many failed."""

    total_calls: int = 0
    by_tool: Mapping[str, int] = attrs.field(factory=dict)
    failures: int = 0


@attrs.frozen
class Environment:
    """Environment as it was last seen; `last_update` in seconds since 1970."""

    workspace: str = ""
    last_update: float = 0
    system_snapshot: Json = attrs.field(factory=dict)


@attrs.frozen
class TokenUsage:
    """Tokens that a session used: read, written, and both."""

    total_input: int = 0
    total_output: int = 0
    by_session: int = 0


@attrs.frozen
class SessionContext:
    """What a session knows when it goes on: all fields of seed 001.

    Attributes:
        long_term_summary: what was compacted, as one bounded text. version: the saved version that
            it comes from, 0 if it was never saved; not part of its JSON.
    """

    session_id: str
    system_state: SystemState = SystemState()
    facts: tuple[str, ...] = attrs.field(default=(), converter=_frozen)
    recent_history: tuple[HistoryEntry, ...] = attrs.field(default=(), converter=_frozen)
    long_term_summary: str = ""
    active_tasks: tuple[SessionTask, ...] = attrs.field(default=(), converter=_frozen)
    tool_stats: ToolTotals = ToolTotals()
    last_known_environment: Environment = Environment()
    token_usage: TokenUsage = TokenUsage()
    version: int = attrs.field(default=0, kw_only=True)

    @property
    def tokens(self) -> int:
        """Tokens of history and summary."""
        return sum(entry.tokens for entry in self.recent_history) + estimate(self.long_term_summary)

    def with_message(
        self, role: str, content: str, *, timestamp: float, token_count: int | None = None
    ) -> SessionContext:
        """Return the context with one more message; its tokens are estimated unless given."""
        text = validation.text(content, name="content")
        tokens = estimate(text) if token_count is None else token_count
        entry = HistoryEntry(timestamp, validation.named(role, name="role"), text, tokens)
        return attrs.evolve(self, recent_history=(*self.recent_history, entry))

    def with_fact(self, fact: str) -> SessionContext:
        """Return the context with one more fact; one that is there already comes once."""
        text = validation.named(fact, name="fact")
        return self if text in self.facts else attrs.evolve(self, facts=(*self.facts, text))

    def with_task(self, task: SessionTask) -> SessionContext:
        """Return the context with a task, in place of the one of its id if there is one."""
        tasks = {known.id: known for known in self.active_tasks} | {task.id: task}
        return attrs.evolve(self, active_tasks=tuple(tasks.values()))

    def with_tool_call(self, tool: str, *, success: bool = True) -> SessionContext:
        """Return the context with one more call counted."""
        stats = self.tool_stats
        by_tool = {**stats.by_tool, tool: stats.by_tool.get(tool, 0) + 1}
        totals = ToolTotals(stats.total_calls + 1, by_tool, stats.failures + (not success))
        return attrs.evolve(self, tool_stats=totals)

    def with_tokens(self, *, read: int = 0, written: int = 0) -> SessionContext:
        """Return the context with tokens that the model read and wrote counted."""
        used = self.token_usage
        usage = TokenUsage(
            used.total_input + read,
            used.total_output + written,
            used.by_session + read + written,
        )
        return attrs.evolve(self, token_usage=usage)


# --- JSON in the shape of the seed, to the order of its fields.


def as_document(context: SessionContext) -> dict[str, Any]:
    """Return a context as JSON values, fields in the order of the seed."""
    document: dict[str, Any] = attrs.asdict(
        context, filter=lambda field, _: field.name != "version"
    )
    return document


def as_json(context: SessionContext) -> str:
    """Return a context as readable JSON, two blanks a level."""
    return json.dumps(as_document(context), indent=2, ensure_ascii=False)


def from_json(text: str) -> SessionContext:
    """Return the context that a JSON text holds; raises InvalidInput naming the field at fault."""
    try:
        document = json.loads(validation.text(text, name="text"))
    except ValueError as error:
        raise InvalidInput(f"session: is no JSON ({error}); give what export wrote") from None
    return from_document(document)


def from_document(document: object, *, version: int = 0) -> SessionContext:
    """Return the context of JSON values. Fields may be missing, but not unknown or of another
    type: nothing of what somebody exported is left out unseen."""
    fields = _fields(document, SessionContext, "session")
    validation.named(fields.get("session_id"), name="session.session_id")
    for name, record in _NESTED.items():
        if name in fields:
            fields[name] = _record(fields[name], record, name)
    for name, record in _LISTS.items():
        items = validation.iterable(fields.get(name, ()), name=f"session.{name}")
        fields[name] = tuple(
            _record(item, record, f"{name}[{place}]") for place, item in enumerate(items)
        )
    facts = validation.texts(fields.get("facts", ()), name="session.facts")
    return SessionContext(**{**fields, "facts": facts}, version=version)


_NESTED: Mapping[str, type] = {
    "system_state": SystemState,
    "tool_stats": ToolTotals,
    "last_known_environment": Environment,
    "token_usage": TokenUsage,
}
_LISTS: Mapping[str, type] = {"recent_history": HistoryEntry, "active_tasks": SessionTask}
_CHECKS: Mapping[str, Callable[[object], bool]] = {
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "float": lambda value: (
        isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    ),
    "int | None": lambda value: value is None or isinstance(value, int),
    "Json": lambda value: isinstance(value, Mapping),
    "Mapping[str, int]": lambda value: (
        isinstance(value, Mapping) and all(isinstance(calls, int) for calls in value.values())
    ),
}


def check_entry(entry: HistoryEntry, place: int) -> None:
    """Raise InvalidInput for an entry that could be saved and not be read again."""
    _record(attrs.asdict(entry), HistoryEntry, f"recent_history[{place}]")


def _fields(document: object, record: type, name: str) -> dict[str, Any]:
    """Return the fields of a record, checked; raises InvalidInput."""
    values = dict(validation.mapping(document, name=name))
    types = {field.name: str(field.type) for field in attrs.fields(record)}
    types.pop("version", None)
    for key, value in values.items():
        if key not in types:
            expected = ", ".join(types)
            raise InvalidInput(f"{name}: has no field {key!r}; expected {expected}")
        check = _CHECKS.get(types[key])
        if check is not None and not check(value):
            raise InvalidInput(
                f"{name}.{key}: found {validation.shown(value)}, expected {types[key]}"
            )
    return values


def _record(document: object, record: type, name: str) -> Any:
    fields = _fields(document, record, name)
    try:
        return record(**fields)
    except TypeError:
        missing = [
            field.name
            for field in attrs.fields(record)
            if field.default is attrs.NOTHING and field.name not in fields
        ]
        raise InvalidInput(f"{name}: lacks {', '.join(missing)}; give it") from None
