"""Language servers of tests: programs that speak the protocol and answer by a little Python."""

from __future__ import annotations

import sys
from pathlib import Path

from bench.rename import Engine

_PROGRAM = r"""
import json, re, sys
texts = {}
def range_of(line, match, group=0):
    return {"start": {"line": line, "character": match.start(group)},
            "end": {"line": line, "character": match.end(group)}}
# ANSWERS
while header := sys.stdin.buffer.readline():
    sys.stdin.buffer.readline()
    message = json.loads(sys.stdin.buffer.read(int(header.split(b":")[1])))
    method, given = message["method"], message["params"]
    if method == "exit":
        break
    if method == "textDocument/didOpen":
        texts[given["textDocument"]["uri"]] = given["textDocument"]["text"].splitlines()
    if "id" in message:
        reply = {"jsonrpc": "2.0", "id": message["id"], "result": result_of(method, given)}
        body = json.dumps(reply).encode()
        sys.stdout.buffer.write(b"Content-Length: %d\r\n\r\n" % len(body) + body)
        sys.stdout.buffer.flush()
"""


def engine_of(folder: Path, answers: str) -> Engine:
    """Return an engine for Python whose server, written into a folder, answers by the function
    `result_of(method, given)` of some code; that may use `texts`, the lines of each opened file."""
    program = folder / "server.py"
    program.write_text(_PROGRAM.replace("# ANSWERS", answers), encoding="utf-8")
    return Engine((sys.executable, str(program)), {"python": "python"})
