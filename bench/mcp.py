"""What the MCP server adds to a call of the library, and whether many clients may share a file.

Sets: `recall`, `remember`, `context` in process and by stdio (the SDK's own client), milliseconds a
call; the floor is the same call of the library. `clients`: eight servers on one file, each asked a
thousand times (`--limit` for fewer) by a client of its own: a quarter remembers, half recalls, the
rest asks for contexts and histories; what was acknowledged is counted in the file afterwards. The
floor of tokens is the limit of an answer. `definitions`: tokens of all tools (o200k), with what
only programs read as the floor.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

import memkit
from memkit.mcp.answers import LIMIT
from memkit.mcp.server import LazyStore, definition, make_server
from memkit.mcp.tools import TOOLS
from memkit.tokens import FAMILIES, count

from . import texts
from .results import Options, Row
from .scoring import at_share, middle

if TYPE_CHECKING:
    from mcp.client import Client

_CLIENTS, _CALLS = 8, 1_000
_TIMED, _STORED = 200, 500
_SEED = 7
_NAMES = "upload retry bucket queue token cache index schema lock deploy region invoice".split()
Arguments = Mapping[str, Any]


def run(options: Options) -> list[Row]:
    """Measure definitions, single calls, and many clients on one file."""
    if find_spec("mcp") is None:
        options.say("skipped: the package mcp is missing; pip install 'memkit[mcp]'")
        return []
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MEMKIT_GLOBAL"] = str(Path(folder) / "global.memkit.db")
        path = Path(folder) / "bench.memkit.db"
        _fill(path)
        rows = [*_definitions()]
        rows += asyncio.run(_timed(path, min(_TIMED, options.limit or _TIMED)))
        clients = asyncio.run(_clients(path, options.limit or _CALLS))
        options.say(f"the first errors: {clients.errors[:3]}" if clients.errors else "no error")
        return [*rows, *clients.rows(path)]


def _fill(path: Path) -> None:
    chance = random.Random(_SEED)
    with memkit.open(path) as kit:
        kit.memories.remember_many(_statement(chance) for _ in range(_STORED))


def _statement(chance: random.Random) -> str:
    first, second, third = chance.sample(_NAMES, 3)
    return (
        f"Module {chance.getrandbits(48):x}: the {first} waits for the {second}, not the {third}."
    )


def _definitions() -> Iterator[Row]:
    whole = [definition(tool) for tool in TOOLS.values()]
    sent = [tool.model_dump(by_alias=True, exclude_none=True) for tool in whole]
    read = [{name: tool[name] for name in ("name", "description", "inputSchema")} for tool in sent]
    yield Row("definitions", "tokens", _tokens(read), _tokens(sent))


def _tokens(documents: list[dict[str, Any]]) -> int:
    return sum(count(json.dumps(document, separators=(",", ":"))) for document in documents)


# --- One call at a time.


async def _timed(path: Path, calls: int) -> list[Row]:
    """Return the time of each tool in process and by stdio, in turns with the library."""
    rows: list[Row] = []
    with memkit.open(path) as kit:
        async with _served(path) as by_stdio, _in_process(kit) as here:
            for name, arguments, call in _pairs(kit):
                for way, client in (("in process", here), ("stdio", by_stdio)):
                    own, library = await _in_turns(client, name, arguments, call, calls)
                    rows.append(Row(f"{name} {way}", "p50_ms", middle(own), middle(library)))
                    rows.append(
                        Row(f"{name} {way}", "p95_ms", at_share(own, 0.95), at_share(library, 0.95))
                    )
    return rows


def _pairs(
    kit: memkit.Memkit,
) -> Iterator[tuple[str, Callable[[str], Arguments], Callable[[str], object]]]:
    """Yield the tools that are timed: arguments for a text, and the library's call for it."""
    yield "recall", lambda text: {"question": text}, lambda text: kit.recall(text, limit=6)
    yield (
        "context",
        lambda text: {"prompt": text},
        lambda text: kit.context.assemble(text, budget=1_500),
    )
    yield "remember", lambda text: {"text": text}, lambda text: kit.memories.remember(text)


async def _in_turns(
    client: Client,
    name: str,
    arguments: Callable[[str], Arguments],
    call: Callable[[str], object],
    calls: int,
) -> tuple[list[float], list[float]]:
    chance = random.Random(_SEED)
    own, library = [], []
    for turn in range(calls + 3):  # the first ones load what all need
        asked = time.perf_counter()
        await client.call_tool(name, dict(arguments(_statement(chance))))
        answered = time.perf_counter()
        call(_statement(chance))
        if turn >= 3:
            own.append((answered - asked) * 1000)
            library.append((time.perf_counter() - answered) * 1000)
    return own, library


@asynccontextmanager
async def _in_process(kit: memkit.Memkit) -> AsyncIterator[Client]:
    from mcp.client import Client

    async with Client(make_server(LazyStore(kit.path, kit=kit))) as client:
        yield client


@asynccontextmanager
async def _served(path: Path) -> AsyncIterator[Client]:
    from mcp import StdioServerParameters
    from mcp.client import Client

    arguments = ["-m", "memkit", "mcp", "--db", str(path)]
    variables = {**os.environ, "PYTHONPATH": str(texts.ROOT)}
    server = StdioServerParameters(command=sys.executable, args=arguments, env=variables)
    async with Client(server) as client:
        yield client


# --- Many clients on one file.


@attrs.define
class _Clients:
    """What many clients were answered."""

    calls: int = 0
    seconds: float = 0.0
    errors: list[str] = attrs.field(factory=list)
    acknowledged: list[int] = attrs.field(factory=list)
    longest: int = 0
    times: list[float] = attrs.field(factory=list)

    def rows(self, path: Path) -> Iterator[Row]:
        """Yield the figures; what was acknowledged is looked up in the file."""
        with memkit.open(path) as kit:
            stored = {memory.id for memory in kit.memories.find(history=True, limit=1_000_000)}
        lost = [number for number in self.acknowledged if number not in stored]
        yield Row("clients", "calls", self.calls)
        yield Row("clients", "errors", len(self.errors))
        yield Row("clients", "lost", len(lost))
        yield Row("clients", "most_tokens", self.longest, LIMIT)
        yield Row("clients", "p50_ms", middle(self.times))
        yield Row("clients", "p95_ms", at_share(self.times, 0.95))
        yield Row("clients", "max_ms", max(self.times))
        yield Row("clients", "ops_s", self.calls / self.seconds)

    def note(self, name: str, result: Any, spent: float) -> None:
        """Take down one answer."""
        text = result.content[0].text
        self.calls += 1
        self.times.append(spent * 1000)
        self.longest = max(self.longest, *(count(text, family=family) for family in FAMILIES))
        if result.is_error:
            self.errors.append(text)
        elif name == "remember":
            self.acknowledged.append(result.structured_content["id"])


async def _clients(path: Path, calls: int) -> _Clients:
    seen = _Clients()
    async with AsyncExitStack() as stack:
        clients = [await stack.enter_async_context(_served(path)) for _ in range(_CLIENTS)]
        begun = time.perf_counter()
        work: list[Awaitable[None]] = [
            _ask(client, seen, calls, random.Random(number))
            for number, client in enumerate(clients)
        ]
        await asyncio.gather(*work)
        seen.seconds = time.perf_counter() - begun
    return seen


async def _ask(client: Client, seen: _Clients, calls: int, chance: random.Random) -> None:
    for turn in range(calls):
        name, arguments = _request(turn, chance)
        begun = time.perf_counter()
        result = await client.call_tool(name, dict(arguments))
        seen.note(name, result, time.perf_counter() - begun)


def _request(turn: int, chance: random.Random) -> tuple[str, Arguments]:
    text = _statement(chance)
    match turn % 8:
        case 0 | 4:
            return "remember", {"text": text, "tags": [chance.choice(_NAMES)]}
        case 3:
            return "context", {"prompt": text, "budget": 1_900}
        case 7:
            return "history", {"path": f"src/{chance.choice(_NAMES)}.py"}
    return "recall", {"question": text, "limit": 30}
