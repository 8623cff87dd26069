"""Memories of a session: they take part in it alone, and end unless somebody promotes them."""

from __future__ import annotations

import memkit
from tests.conftest import Clock

ASKED = "where does the staging kettle log?"
TOLD = "The staging kettle logs to /tmp/kettle for now."


def answers(kit: memkit.Memkit, session: str | None = None) -> list[str]:
    """Return what a session is told."""
    return [hit.text for hit in kit.recall(ASKED, session=session)]


def test_memory_of_a_session_ends_with_it(packaged: memkit.Memkit, clock: Clock) -> None:
    """No other session is told, neither while it runs nor after it; unused it is forgotten."""
    with packaged.session() as session:
        made = packaged.memories.remember(TOLD, scope="session", session=session.name)
        assert answers(packaged, session.name) == [TOLD]
        assert answers(packaged, "another") == answers(packaged) == []
    clock.advance(days=1)
    with packaged.session() as following:
        assert answers(packaged, following.name) == []
    clock.advance(days=400)
    packaged.consolidate()
    assert not packaged.memories.get(made).active


def test_promoted_memory_of_a_session_stays(packaged: memkit.Memkit, clock: Clock) -> None:
    """What a person lets hold for the project outlives the session."""
    with packaged.session() as session:
        made = packaged.memories.remember(TOLD, scope="session", session=session.name)
    packaged.memories.update(made, scope="project")
    clock.advance(days=1)
    assert answers(packaged, "another") == answers(packaged) == [TOLD]
    clock.advance(days=400)
    packaged.consolidate()
    assert packaged.memories.get(made).active
