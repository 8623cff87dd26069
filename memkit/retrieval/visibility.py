"""Which memories may be shown: one rule, applied on every path and used to explain absence."""

from __future__ import annotations

from ..memories.kinds import Scope
from .records import Facts, Filters


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
    if (
        filters.project is not None
        and facts.project != filters.project
        and facts.scope != Scope.GLOBAL
    ):
        return "project"
    if facts.scope == Scope.SESSION and facts.session != filters.session:
        return "session"
    if facts.scope == Scope.TASK and facts.task != filters.task:
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
