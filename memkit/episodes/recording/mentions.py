"""Mentions: the paths that outputs of a session named, as rows."""

from __future__ import annotations

import posixpath
from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .named_paths import NamedPath, placed

if TYPE_CHECKING:
    from ...store.store import Store

# Outputs whose paths are remembered, and sessions.
_OUTPUTS = 60
_SESSIONS = 5


def note_mentions(store: Store, session: str, named: Iterable[NamedPath]) -> None:
    """Remember that one more output of a session named these paths; inside `write`."""
    known: defaultdict[str, list[str]] = defaultdict(list)
    for (path,) in store.all("episodes.session_paths", session=session):
        known[posixpath.basename(path)].append(path)
    call = int(store.value("episodes.last_mention", session=session)) + 1
    paths = placed(named, known)
    store.run_many(
        "episodes.add_mention",
        (
            {"session": session, "path": path, "call": call, "position": position}
            for position, path in enumerate(paths)
        ),
    )
    if call == 1:
        store.run("episodes.forget_sessions_mentions", session=session, sessions=_SESSIONS)
    elif call > _OUTPUTS:
        store.run("episodes.forget_mentions", session=session, oldest=call - _OUTPUTS)
