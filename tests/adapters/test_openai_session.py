"""The session of OpenAI Agents: items as they were added, in their order."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

import memkit
from memkit.adapters.openai_session import MemkitSession

ITEMS: list[Any] = [
    {"role": "user", "content": "Is it raining in Oslo?"},
    {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAAAABq" * 40},
    {"type": "function_call", "call_id": "c1", "name": "weather", "arguments": '{"city":"Oslo"}'},
    {"type": "function_call_output", "call_id": "c1", "output": "rain é\0\ud800"},
    {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Yes."}]},
]


def test_items_come_back_as_they_were_added(make_kit: Callable[..., memkit.Memkit]) -> None:
    """Word for word, also in another process; the newest few if so many are wanted."""

    async def run() -> None:
        session = MemkitSession(make_kit("s.db"), "talk")
        assert await session.get_items() == []
        assert await session.pop_item() is None
        await session.add_items(ITEMS[:2])
        await session.add_items([])
        await session.add_items(ITEMS[2:])
        again = MemkitSession(make_kit("s.db"), "talk")
        assert await again.get_items() == ITEMS
        assert await again.get_items(2) == ITEMS[-2:]
        assert await again.get_items(99) == ITEMS
        assert await again.get_items(0) == []
        settings: Any = SimpleNamespace(limit=1)
        limited = MemkitSession(make_kit("s.db"), "talk", session_settings=settings)
        assert await limited.get_items() == ITEMS[-1:]
        assert await limited.get_items(3) == ITEMS[-3:]

    asyncio.run(run())


def test_items_are_taken_out_and_cleared(kit: memkit.Memkit) -> None:
    """The newest first; what is added then follows; another session stays as it is."""

    async def run() -> None:
        session, other = MemkitSession(kit, "a"), MemkitSession(kit, "b")
        await session.add_items(ITEMS)
        await other.add_items(ITEMS[:1])
        assert [await session.pop_item(), await session.pop_item()] == ITEMS[:2:-1]
        await session.add_items(ITEMS[:1])
        assert await session.get_items() == [*ITEMS[:3], ITEMS[0]]
        await session.clear_session()
        assert await session.get_items() == []
        assert await other.get_items() == ITEMS[:1]

    asyncio.run(run())


def test_the_runner_goes_on_where_a_session_stood(make_kit: Callable[..., memkit.Memkit]) -> None:
    """The SDK's own runner, with a model that repeats what it is sent: the second turn sees the
    first, from another process."""
    agents = pytest.importorskip(
        "agents", reason="openai-agents is not installed (memkit[adapters-dev])"
    )
    sent: list[list[str]] = []

    class Echo(_model_class(agents)):  # type: ignore[misc]
        def answer(self, items: list[Any]) -> str:
            sent.append([str(item["content"]) for item in items if item.get("role") == "user"])
            return f"answer {len(sent)}"

    agent = agents.Agent(name="echo", model=Echo())
    config = agents.RunConfig(tracing_disabled=True)

    async def turn(prompt: str) -> str:
        session = MemkitSession(make_kit("s.db"), "talk")
        assert isinstance(session, agents.memory.Session)
        result = await agents.Runner.run(agent, prompt, session=session, run_config=config)
        return str(result.final_output)

    assert asyncio.run(turn("first")) == "answer 1"
    assert asyncio.run(turn("second")) == "answer 2"
    assert sent == [["first"], ["first", "second"]]
    roles = asyncio.run(MemkitSession(make_kit("s.db"), "talk").get_items())
    assert [item.get("role") for item in roles] == ["user", "assistant"] * 2


def _model_class(agents: Any) -> Any:
    from agents.items import ModelResponse
    from openai.types.responses import ResponseOutputMessage, ResponseOutputText

    class Fake(agents.Model):  # type: ignore[misc]
        async def get_response(
            self, system_instructions: Any, input: Any, *rest: Any, **more: Any
        ) -> Any:
            text = ResponseOutputText(
                type="output_text", text=self.answer(list(input)), annotations=[]
            )
            message = ResponseOutputMessage(
                id="msg_1", type="message", role="assistant", status="completed", content=[text]
            )
            return ModelResponse(output=[message], usage=agents.Usage(), response_id=None)

        def stream_response(self, *rest: Any, **more: Any) -> Any:
            raise NotImplementedError

    return Fake
