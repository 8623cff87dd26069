"""A server that answers in this process, asked by the SDK's own client."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest

import memkit
from memkit.mcp.server import LazyStore, make_server

if TYPE_CHECKING:
    from mcp.types import CallToolResult

MODES = ("auto", "legacy")
Calls = Sequence[tuple[str, Mapping[str, Any]]]


def ask(store: LazyStore, work: Callable[[Any], Any], mode: str = "auto") -> Any:
    """Return what `work(client)` returns, connected to a server in this process."""
    from mcp.client import Client

    async def connected() -> Any:
        async with Client(make_server(store), mode=mode) as client:
            return await work(client)

    return asyncio.run(connected())


def call_all(store: LazyStore, calls: Calls, mode: str = "auto") -> list[CallToolResult]:
    """Return the results of calls, one after the other."""

    async def work(client: Any) -> list[CallToolResult]:
        return [await client.call_tool(name, dict(arguments)) for name, arguments in calls]

    results: list[CallToolResult] = ask(store, work, mode)
    return results


def text_of(result: CallToolResult) -> str:
    """Return the one text of a result."""
    [block] = result.content
    assert block.type == "text"
    return block.text


Call = Callable[..., "CallToolResult"]


@pytest.fixture
def call(packaged: memkit.Memkit) -> Call:
    """Call a tool of a server on an empty store: `call(name, **arguments)`."""

    def run(name: str, /, **arguments: Any) -> CallToolResult:
        store = LazyStore(packaged.path, kit=packaged)
        return call_all(store, [(name, arguments)])[0]

    return run
