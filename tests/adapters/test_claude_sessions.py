"""The session store of the Claude Agent SDK: the contracts of its conformance suite."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import memkit
from memkit.adapters.claude_sessions import (
    ClaudeSessionStore,
    SessionKey,
    SummarisingSessionStore,
)

from ..conftest import Clock

MAIN: SessionKey = {"project_key": "-home-me-shop", "session_id": "s1"}
SUB: SessionKey = {**MAIN, "subpath": "subagents/agent-1"}


def _entry(uuid: str | None, **rest: Any) -> dict[str, Any]:
    return {"type": "user", **({} if uuid is None else {"uuid": uuid}), **rest}


def test_entries_come_back_in_their_order_each_uuid_once(kit: memkit.Memkit) -> None:
    """A batch that is sent again, whole or in part, changes nothing; entries without a uuid are
    all kept; None is what was never written."""
    store = ClaudeSessionStore(kit)
    first = [_entry("b", n=1), _entry(None, title="x"), _entry("a", n=2)]

    async def run() -> None:
        assert await store.load(MAIN) is None
        await store.append(MAIN, first)
        await store.append(MAIN, [])
        await store.append(MAIN, [first[0], _entry("c"), _entry("c"), first[2]])
        await store.append(MAIN, [_entry(None, title="x")])
        assert await store.load(MAIN) == [*first, _entry("c"), _entry(None, title="x")]
        assert await store.load(SUB) is None

    asyncio.run(run())


def test_subagents_hang_on_their_session(kit: memkit.Memkit, clock: Clock) -> None:
    """Kept apart, listed by subpath, deleted alone or with the session; no session by
    themselves."""
    store = ClaudeSessionStore(kit)
    other: SessionKey = {"project_key": "other", "session_id": "s1"}

    async def run() -> None:
        for key in (MAIN, SUB, {**MAIN, "subpath": "subagents/agent-2"}, other):
            await store.append(key, [_entry(None, key=dict(key))])
        alone: SessionKey = {**MAIN, "session_id": "s2", "subpath": "subagents/agent-1"}
        await store.append(alone, [_entry("x")])
        listed = [{"session_id": "s1", "mtime": round(clock.now * 1000)}]
        assert await store.list_sessions("-home-me-shop") == listed
        assert await store.list_subkeys(MAIN) == ["subagents/agent-1", "subagents/agent-2"]
        await store.delete(SUB)
        assert await store.load(SUB) is None
        assert await store.list_subkeys(MAIN) == ["subagents/agent-2"]
        await store.delete(MAIN)
        assert await store.load(MAIN) is None
        assert await store.list_subkeys(MAIN) == []
        assert await store.load(other) == [_entry(None, key=dict(other))]
        await store.delete(MAIN)

    asyncio.run(run())


def test_summaries_are_folded_as_entries_come(kit: memkit.Memkit, clock: Clock) -> None:
    """By the function that the SDK brings, of the session alone; what it makes is stored as it
    is, and goes with the session. A store without it has no such method."""

    def fold(before: Any, key: Any, entries: Any) -> dict[str, Any]:
        count = before["data"]["count"] if before else 0
        data = {"count": count + len(entries), "last": entries[-1].get("uuid")}
        return {"session_id": key["session_id"], "mtime": 0, "data": data}

    store = SummarisingSessionStore(kit, fold)

    async def run() -> None:
        await store.append(MAIN, [_entry("a"), _entry("b")])
        clock.advance(1)
        await store.append(MAIN, [_entry("c")])
        await store.append(SUB, [_entry("z")])
        (summary,) = await store.list_session_summaries("-home-me-shop")
        assert summary["data"] == {"count": 3, "last": "c"}
        assert summary["session_id"] == "s1"
        assert summary["mtime"] >= (await store.list_sessions("-home-me-shop"))[0]["mtime"]
        assert await store.list_subkeys(MAIN) == ["subagents/agent-1"]
        await store.delete(MAIN)
        assert await store.list_session_summaries("-home-me-shop") == []

    asyncio.run(run())
    assert not hasattr(ClaudeSessionStore(kit), "list_session_summaries")


def test_conformance_suite_of_the_sdk(make_kit: Any) -> None:
    """All contracts, where the SDK is installed, which has 384 MB."""
    testing = pytest.importorskip(
        "claude_agent_sdk.testing", reason="the Claude Agent SDK is not installed"
    )
    from claude_agent_sdk import fold_session_summary

    names = iter(range(100))
    stores = lambda: SummarisingSessionStore(  # noqa: E731
        make_kit(f"{next(names)}.db"), fold_session_summary
    )
    asyncio.run(testing.run_session_store_conformance(stores))
