"""The server as a process: what stands on its streams, how it starts and ends, many at once.

`Wire` is a client of its own: it shares no code with the SDK, so that what is tested is what stands
on the wire.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

import memkit
from tests.conftest import beside
from tests.mcp.conftest import text_of

pytest.importorskip("mcp", reason="the extra mcp is not installed; dev installs it")

ROOT = Path(__file__).parent.parent.parent
_COMMAND = [sys.executable, "-m", "memkit", "mcp"]
# What discovery (2026-07-28) sends with every request instead of shaking hands once.
_MODERN = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "wire", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


class Wire:
    """Client of JSON-RPC over the streams of a server, one request after the other."""

    def __init__(self, process: subprocess.Popen[str], meta: dict[str, Any] | None = None) -> None:
        self.process, self._meta, self._last = process, meta, 0

    def request(self, method: str, **params: Any) -> Any:
        """Send a request and return its result; every line that comes must be JSON."""
        self._last += 1
        params |= {"_meta": self._meta} if self._meta else {}
        self.send({"id": self._last, "method": method, "params": params})
        while True:
            answer = json.loads(self.process.stdout.readline())  # type: ignore[union-attr]
            assert answer["jsonrpc"] == "2.0"
            if answer.get("id") == self._last:
                assert "error" not in answer, answer
                return answer["result"]

    def send(self, message: dict[str, Any]) -> None:
        """Send one message."""
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def shake_hands(self) -> Any:
        """Begin as clients before 2026-07-28 do; return what the server says of itself."""
        client = {"name": "wire", "version": "1"}
        version = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client}
        result = self.request("initialize", **version)
        self.send({"method": "notifications/initialized"})
        return result

    def call(self, name: str, **arguments: Any) -> str:
        """Return the text that a tool answers; an error fails."""
        result = self.request("tools/call", name=name, arguments=arguments)
        assert not result.get("isError"), result
        return str(result["content"][0]["text"])

    def end(self) -> int:
        """Close the server's input; return its exit code."""
        rest, said = self.process.communicate(timeout=20)
        assert rest == ""
        assert "Traceback" not in said, said
        return self.process.returncode


@contextmanager
def serving(
    folder: Path, *options: str, meta: dict[str, Any] | None = None, **variables: str
) -> Iterator[Wire]:
    """Yield a client of a new process in a folder, which is killed if it does not end."""
    noisy = {"PYTHONPATH": str(ROOT), "PYTHONWARNINGS": "always"}
    process = subprocess.Popen(
        [*_COMMAND, *options],
        cwd=folder,
        env={**os.environ, **noisy, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        yield Wire(process, meta)
    finally:
        process.kill()
        process.communicate()


def test_both_eras_at_once_on_one_file(tmp_path: Path) -> None:
    """A client that shakes hands and one that discovers write at the same time, and nothing is
    lost; stdout holds the protocol alone; closing stdin ends each and leaves the file alone."""
    (tmp_path / ".git").mkdir()
    with serving(tmp_path) as old, serving(tmp_path, meta=_MODERN) as new:
        said = old.shake_hands()
        assert said["serverInfo"]["name"] == "memkit"
        assert "recall" in said["instructions"]
        assert "2026-07-28" in new.request("server/discover")["supportedVersions"]
        for wire in (old, new):
            assert len(wire.request("tools/list")["tools"]) <= 8
        writers = [
            threading.Thread(target=_remember, args=(wire, name))
            for wire, name in ((old, "old"), (new, "new"))
        ]
        for writer in writers:
            writer.start()
        for writer in writers:
            writer.join()
        assert "The old client's note 3." in new.call("recall", question="old client's note 3")
        assert [old.end(), new.end()] == [0, 0]
    with memkit.open(tmp_path / ".memkit.db") as kit:
        assert kit.memories.count() == 10
    assert beside(tmp_path / ".memkit.db") == []


def _remember(wire: Wire, name: str) -> None:
    for n in range(5):
        assert wire.call("remember", text=f"The {name} client's note {n}.").startswith("stored #")


def test_a_busy_file_is_waited_for(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Another program's lock delays a change; the server goes on answering meanwhile, and a signal
    ends it cleanly."""
    with serving(tmp_path, "--db", str(kit.path)) as wire:
        wire.shake_hands()
        other = apsw.Connection(str(kit.path))
        other.execute("begin exclusive")
        wire.send({"id": "w", "method": "tools/call", "params": _call("remember", text="Later.")})
        assert wire.request("ping") == {}
        other.execute("rollback")
        other.close()
        answer = json.loads(wire.process.stdout.readline())  # type: ignore[union-attr]
        assert answer["id"] == "w"
        assert answer["result"]["structuredContent"]["outcome"] == "stored"
        wire.process.send_signal(signal.SIGTERM)
        assert wire.end() == 0
    assert beside(kit.path) == []
    assert kit.memories.count() == 1


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def test_the_sdk_finds_the_project(tmp_path: Path) -> None:
    """The SDK's client over stdio: the file is that of CLAUDE_PROJECT_DIR, wherever the server was
    started."""
    from mcp import StdioServerParameters
    from mcp.client import Client

    project, elsewhere = tmp_path / "project", tmp_path / "elsewhere"
    for folder in (project / ".git", project / "src", elsewhere):
        folder.mkdir(parents=True)
    variables = {"PYTHONPATH": str(ROOT), "CLAUDE_PROJECT_DIR": str(project / "src")}

    async def work() -> str:
        command, *arguments = _COMMAND
        server = StdioServerParameters(
            command=command,
            args=arguments,
            cwd=elsewhere,
            env={**os.environ, **variables},
        )
        async with Client(server) as client:
            return text_of(await client.call_tool("remember", {"text": "It is found."}))

    assert asyncio.run(work()).startswith("stored #")
    assert (project / ".memkit.db").exists()
    assert not [*elsewhere.iterdir()]


@pytest.mark.parametrize("as_json", [False, True])
def test_without_the_extra(tmp_path: Path, *, as_json: bool) -> None:
    """Where the SDK is missing, the command says what to install, and stdout stays empty."""
    code = (
        "import sys; sys.modules['mcp'] = None; from memkit.cli.entry import main;"
        "sys.exit(main(sys.argv[1:]))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "mcp", *(["--json"] if as_json else [])],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    said = done.stdout if as_json else done.stderr
    assert "pip install 'memkit[mcp]'" in said
    assert as_json or done.stdout == ""


def test_half_a_character_is_answered(tmp_path: Path) -> None:
    """A client that cut a text within a character gets an answer as to any other."""
    (tmp_path / ".git").mkdir()
    with serving(tmp_path) as wire:
        wire.shake_hands()
        assert wire.call("remember", text="The gate is red \ud83d").startswith("stored #")
        assert "The gate is red \ufffd" in wire.call("recall", question="which gate is red?")
        assert wire.end() == 0
