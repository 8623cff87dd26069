"""What a question is narrowed to, and which memories may then be shown: one rule, applied on every
path and used to explain absence."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import TypeVar

from .. import arguments
from ..errors import InvalidInput
from ..memories.identity import tag_name
from ..memories.kinds import Kind, Scope
from ..store import times
from ..store.times import When
from ..words.forms import nfc
from .records import Facts, Filters, RecallFilters

E = TypeVar("E", bound=StrEnum)
# By themselves: Python looks a member up in its enum each time, for ten times what comparing takes.
_SESSION, _TASK, _GLOBAL = Scope.SESSION, Scope.TASK, Scope.GLOBAL
# What a caller may give.
NAMES = (*RecallFilters.__annotations__, "session")


def filters_of(
    at: str,
    now: float,
    /,
    *,
    session: str | None,
    scope: Collection[str] | str | None = None,
    project: str | None = None,
    kind: Collection[str] | str | None = None,
    tags: Collection[str] | str | None = None,
    task: str | None = None,
    since: When | None = None,
    until: When | None = None,
    as_of: When | None = None,
    history: bool = False,
    **unknown: object,
) -> Filters:
    """Return the filters of a question asked from behind the wall `at`, at `now` (epoch seconds).

    Raises InvalidInput for a scope, kind, tag or time that means nothing: it is never no filter;
    and for one that is not known.
    """
    for name in unknown:
        raise InvalidInput(f"{name}: is no filter; give one of {', '.join(NAMES)}")
    first = None if since is None else times.parse_when(since, now=now)
    last = None if until is None else times.parse_when(until, now=now, name="until")
    if first is not None and last is not None and last < first:
        raise InvalidInput(f"until: {last} lies before since {first}; swap them")
    return Filters(
        project=at if project is None else nfc(arguments.text(project, name="project")),
        scopes=_any_of(Scope, scope, name="scope"),
        kinds=_any_of(Kind, kind, name="kind"),
        tags=tuple(tag_name(name) for name in _several(tags, name="tags")),
        session=arguments.optional(arguments.named, session, name="session"),
        task=arguments.optional(arguments.named, task, name="task"),
        since=first,
        until=last,
        as_of=None if as_of is None else times.parse_when(as_of, now=now, name="as_of"),
        history=arguments.boolean(history, name="history"),
    )


def _any_of(enum: type[E], given: Collection[str] | str | None, *, name: str) -> tuple[E, ...]:
    return tuple(arguments.member(enum, one, name=name) for one in _several(given, name=name))


def _several(given: Collection[str] | str | None, *, name: str) -> tuple[str, ...]:
    """Return the texts that are asked for; raises InvalidInput for an empty list: it would mean
    nothing to one reader and everything to another."""
    found = () if given is None else arguments.texts(given, name=name)
    if given is not None and not found:
        raise InvalidInput(f"{name}: the list is empty; name one, or leave it out")
    return found


def hidden_by(facts: Facts, filters: Filters, *, now: str) -> str | None:
    """Return the stage that keeps a memory from being shown, or None if it may be shown.

    `now` is stored text; tags are checked where they are known, by the caller's candidate list.
    """
    return (
        _walls(facts, filters)
        or _choices(facts, filters)
        or (None if filters.history else _state(facts, filters.as_of, now))
    )


def _walls(facts: Facts, filters: Filters) -> str | None:
    """Projects, sessions and tasks are hard walls; what is global is visible everywhere."""
    if filters.project is not None and facts.project != filters.project and facts.scope != _GLOBAL:
        return "project"
    if facts.scope == _SESSION and facts.session != filters.session:
        return "session"
    if facts.scope == _TASK and facts.task != filters.task:
        return "task"
    return None


def _choices(facts: Facts, filters: Filters) -> str | None:
    if filters.scopes and facts.scope not in filters.scopes:
        return "scope"
    if filters.kinds and facts.kind not in filters.kinds:
        return "kind"
    if filters.since is not None and facts.created_at < filters.since:
        return "time"
    if filters.until is not None and facts.created_at > filters.until:
        return "time"
    return None


def _state(facts: Facts, as_of: str | None, now: str) -> str | None:
    if as_of is None:
        if facts.superseded_by is not None:
            return "superseded"
        if not facts.active:
            return "forgotten"
    elif facts.created_at > as_of or (not facts.active and facts.superseded_by is None):
        return "history"
    moment = as_of or now
    if facts.valid_to is not None and facts.valid_to <= moment:
        return "expired"
    if facts.valid_from is not None and facts.valid_from > moment:
        return "expired"
    return None
