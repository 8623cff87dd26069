"""Server: tools and resources over the Model Context Protocol, on standard input and output.

The official SDK (extra `memkit[mcp]`) speaks both eras of the protocol: the `initialize` handshake
and discovery. Its low-level server is used: schemas are written by hand, and a message of an error
reaches the model as it is. Loading it takes a second, so nothing else imports this module.
"""

from __future__ import annotations

import json
import logging
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from .. import __version__
from .. import kit as kits
from ..errors import InvalidInput, MemkitError, NotAMemkitFile, NotFound, StoreError
from ..text.analyzer import well_formed
from . import tools
from .answers import Answer
from .parameters import read_arguments, schema_of
from .tools import INSTRUCTIONS, TOOLS, Tool

if TYPE_CHECKING:
    from mcp import types
    from mcp.server.lowlevel import Server

    from ..kit import Memkit

_LOG = logging.getLogger(__name__)  # on standard error, unless a program says otherwise
NAME = "memkit"
START = "memkit://start"
MEMORY = "memkit://memory/"
# Seconds for which another process is waited for: longer than a command does, since many clients
# may write at once and nobody sits before it; below the limit of every client (60 and more).
_WAIT = 45.0
_ENDINGS = (signal.SIGTERM, signal.SIGINT)


@attrs.define
class LazyStore:
    """Store that is opened by the first call that needs it, and stays open.

    Attributes:
        path: the file. is_named: whether an option or a variable names it.
    """

    path: Path
    is_named: bool = False
    _kit: Memkit | None = None
    _lock: threading.RLock = attrs.field(factory=threading.RLock, init=False)

    def kit(self, *, creates: bool = False) -> Memkit:
        """Return the open store; one that is not there is made if `creates`, where it belongs: at
        the root of a repository, or where it was named. Raises NotAMemkitFile."""
        with self._lock:
            if self._kit is None:
                self._check(creates=creates)
                self._kit = kits.open(self.path, busy_timeout=_WAIT)
            return self._kit

    def drop_removed(self) -> None:
        """Let go of a file that was removed meanwhile: the next call begins anew."""
        if not self.path.exists():
            with suppress(StoreError):
                self.close()

    def close(self) -> None:
        """Close it, if it was opened."""
        with self._lock:
            kit, self._kit = self._kit, None
            if kit is not None:
                kit.close()

    def _check(self, *, creates: bool) -> None:
        folder = self.path.parent
        is_home = self.is_named or (folder / ".git").exists()
        if self.path.exists() or (creates and is_home and folder.is_dir()):
            return
        step = f"run 'memkit init' in {folder}, or call remember, which makes it"
        elsewhere = (
            "and the folder is no repository: run 'memkit init' where it belongs, and start the "
            "server there or with 'memkit mcp --db PATH'"
        )
        raise NotAMemkitFile(
            f"{self.path}: there is no store yet; {step if is_home else elsewhere}"
        )


def serve(path: Path, *, is_named: bool = False) -> None:
    """Serve a store to one client over standard input and output until it closes them; raises
    MemkitError if the SDK is missing."""
    if find_spec("mcp") is None:
        raise MemkitError("memkit mcp needs the package mcp: pip install 'memkit[mcp]'")
    store = LazyStore(path, is_named=is_named)
    for ending in _ENDINGS:
        signal.signal(ending, partial(_end, store))
    try:
        _run(make_server(store))
    finally:
        for ending in _ENDINGS:  # closing is not broken off
            signal.signal(ending, signal.SIG_IGN)
        store.close()


def make_server(store: LazyStore) -> Server[Any]:
    """Return a server of the SDK that answers from a store."""
    from mcp.server.lowlevel import Server

    handlers = _Handlers(store)
    return Server(
        NAME,
        version=__version__,
        instructions=INSTRUCTIONS,
        on_list_tools=handlers.list_tools,
        on_call_tool=handlers.call_tool,
        on_list_resources=handlers.list_resources,
        on_list_resource_templates=handlers.list_templates,
        on_read_resource=handlers.read_resource,
    )


class _Handlers:
    """Handlers of requests. Calls run in a thread, one after the other: the loop stays free to
    answer and to be ended while a file is waited for, and a change is never broken off."""

    def __init__(self, store: LazyStore) -> None:
        from anyio import CapacityLimiter

        self._store = store
        self._turns = CapacityLimiter(1)

    async def list_tools(self, _: object, __: object) -> types.ListToolsResult:
        """Return the definitions of all tools."""
        from mcp import types

        return types.ListToolsResult(tools=[definition(tool) for tool in TOOLS.values()])

    async def call_tool(
        self, _: object, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        """Return the answer of a tool, or what was wrong as an error that the model reads."""
        from mcp import types

        call = partial(_answer, self._store, params.name, params.arguments or {})
        answer, is_error = await self._in_turn(call)
        return types.CallToolResult(
            content=[types.TextContent(type="text", text=answer.text)],
            structured_content=None if answer.fields is None else dict(answer.fields),
            is_error=is_error,
        )

    async def list_resources(self, _: object, __: object) -> types.ListResourcesResult:
        """Return the resource that is always there: the starting page."""
        from mcp import types

        said = "Where the work stands: rules, open tasks, what failed, what is stale."
        page = types.Resource(name="start", uri=START, description=said, mime_type="text/plain")
        return types.ListResourcesResult(resources=[page])

    async def list_templates(self, _: object, __: object) -> types.ListResourceTemplatesResult:
        """Return the form of the addresses of single memories."""
        from mcp import types

        template = types.ResourceTemplate(
            name="memory",
            uri_template=f"{MEMORY}{{id}}",
            description="One memory.",
            mime_type="text/plain",
        )
        return types.ListResourceTemplatesResult(resource_templates=[template])

    async def read_resource(
        self, _: object, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        """Return the text of a resource; what is wrong is an error of the protocol."""
        from mcp import types
        from mcp.shared.exceptions import MCPError

        uri = str(params.uri)
        answer, is_error = await self._in_turn(partial(_resource, self._store, uri))
        if is_error:
            raise MCPError(types.INVALID_PARAMS, answer.text, {"uri": uri})
        text = types.TextResourceContents(uri=params.uri, mime_type="text/plain", text=answer.text)
        return types.ReadResourceResult(contents=[text])

    async def _in_turn(self, work: Callable[[], Answer]) -> tuple[Answer, bool]:
        from anyio import to_thread

        return await to_thread.run_sync(partial(_explained, work), limiter=self._turns)


def definition(tool: Tool) -> types.Tool:
    """Return the definition of a tool as the SDK takes it."""
    from mcp import types

    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=schema_of(tool.parameters),
        output_schema=None if tool.fields is None else dict(tool.fields),
        annotations=types.ToolAnnotations(
            read_only_hint=tool.reads,
            destructive_hint=tool.loses,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )


def _answer(store: LazyStore, name: str, arguments: dict[str, Any]) -> Answer:
    if (tool := TOOLS.get(name)) is None:
        raise NotFound(f"{name!r} is no tool; call one of {', '.join(TOOLS)}")
    values = read_arguments(name, tool.parameters, arguments)
    try:
        return tool.run(store.kit(creates=tool.creates), values)
    except StoreError:
        store.drop_removed()
        raise


def _resource(store: LazyStore, uri: str) -> Answer:
    if uri == START:
        return tools.assembled(store.kit())
    number = uri.removeprefix(MEMORY)
    if number == uri or not number.isdecimal():
        raise InvalidInput(f"{uri}: is no resource; read {START} or {MEMORY}ID")
    return tools.read_memory(store.kit(), int(number))


def _explained(work: Callable[[], Answer]) -> tuple[Answer, bool]:
    """Return an answer, or in words why there is none, and whether that is so."""
    try:
        return work(), False
    except MemkitError as error:
        return Answer(str(error)), True
    except OSError as error:
        place = f"{error.filename}: " if error.filename else ""
        said = f"{place}{error.strerror or error}; see that it is there and may be used"
        return Answer(said), True
    except Exception as error:  # noqa: BLE001 - a fault of one call must not end the server
        _LOG.exception("a call failed")
        said = f"a fault in memkit ({type(error).__name__}); the server's log says where"
        return Answer(said), True


def _run(server: Server[Any]) -> None:
    import anyio
    from mcp.server.stdio import stdio_server

    async def serve_streams() -> None:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as group:
            mended, taken = anyio.create_memory_object_stream[Any](0)

            async def pass_on() -> None:
                async with mended:
                    async for item in incoming:
                        await mended.send(_mended(item))

            group.start_soon(pass_on)
            await server.run(taken, outgoing, server.create_initialization_options())
            group.cancel_scope.cancel()

    anyio.run(serve_streams)


def _mended(item: object) -> object:
    """Return a message that could not be read for half of a character that a client's cut left in
    it, with a sign in its place; anything else as it is. A client without an answer waits."""
    from mcp.shared.message import SessionMessage
    from mcp.types import jsonrpc_message_adapter

    # The error of pydantic, which the SDK passes on, holds the line.
    if not (isinstance(item, ValueError) and hasattr(item, "errors")):
        return item
    line = item.errors()[0]["input"]
    try:
        whole = well_formed(json.dumps(json.loads(line), ensure_ascii=False))
        return SessionMessage(jsonrpc_message_adapter.validate_json(whole, by_name=False))
    except (TypeError, ValueError, RecursionError):  # no JSON, or no message
        return item


def _end(store: LazyStore, *_: object) -> None:
    """End the process at once, as its client has it: the thread that waits for a line of standard
    input cannot be stopped otherwise. A call under way is done first."""
    with suppress(MemkitError):
        store.close()
    os._exit(0)
