"""From what a caller asks for to `Filters`: names and times in their stored form."""

from __future__ import annotations

from collections.abc import Collection
from enum import StrEnum
from typing import TypeVar

from .. import arguments
from ..errors import InvalidInput
from ..memories.identity import nfc, tag_name
from ..memories.kinds import Kind, Scope
from ..store import times
from ..store.times import When
from .records import Filters, RecallFilters

E = TypeVar("E", bound=StrEnum)
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
    return Filters(
        project=at if project is None else nfc(arguments.text(project, name="project")),
        scopes=_any_of(Scope, scope, name="scope"),
        kinds=_any_of(Kind, kind, name="kind"),
        tags=tuple(tag_name(name) for name in _several(tags, name="tags")),
        session=None if session is None else arguments.text(session, name="session"),
        task=None if task is None else arguments.text(task, name="task"),
        since=None if since is None else times.parse_when(since, now=now),
        until=None if until is None else times.parse_when(until, now=now, name="until"),
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
