"""From what a caller asks for to `Filters`: names and times in their stored form."""

from __future__ import annotations

from collections.abc import Sequence

from .. import arguments
from ..errors import InvalidInput
from ..memories.identity import nfc, tag_name
from ..memories.kinds import Kind, Scope
from ..store import times
from ..store.times import When
from .records import Filters

# What a caller may give.
NAMES = (
    "scope", "project", "kind", "tags", "task", "session", "since", "until", "as_of", "history",
)  # fmt: skip


def filters_of(
    *,
    session: str | None,
    at: str,
    now: float,
    scope: str | None = None,
    project: str | None = None,
    kind: str | None = None,
    tags: Sequence[str] | str = (),
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
        scope=None if scope is None else arguments.member(Scope, scope, name="scope"),
        kind=None if kind is None else arguments.member(Kind, kind, name="kind"),
        tags=tuple(tag_name(name) for name in arguments.texts(tags, name="tags")),
        session=None if session is None else arguments.text(session, name="session"),
        task=None if task is None else arguments.text(task, name="task"),
        since=None if since is None else times.parse_when(since, now=now),
        until=None if until is None else times.parse_when(until, now=now, name="until"),
        as_of=None if as_of is None else times.parse_when(as_of, now=now, name="as_of"),
        history=arguments.boolean(history, name="history"),
    )
