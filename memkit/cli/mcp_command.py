"""MCP command: serves the store to an agent over standard input and output."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from .commands import CommandOutput, Invocation, Opening, command, is_named, path_of
from .output import print_error_line

# Where an agent says which project it works on: its servers are started anywhere.
_FOLDER = "CLAUDE_PROJECT_DIR"


@command(opening=Opening.NOT)
def mcp(invocation: Invocation) -> CommandOutput:
    """Serve the store to an agent by the Model Context Protocol, until it closes standard input.

    The file is --db, $MEMKIT_DB, or the nearest .memkit.db from $CLAUDE_PROJECT_DIR or this folder
    upwards. Needs the extra: pip install 'memkit[mcp]'.
    """
    from ..mcp import server

    settings, folder = invocation.settings, os.environ.get(_FOLDER)
    path = path_of(settings, Path(folder) if folder else None)
    if sys.stdin is not None and sys.stdin.isatty():
        print_error_line("memkit: waits for an agent's requests on standard input; Ctrl-C ends it")
    server.serve(path, is_named=is_named(settings))
    return CommandOutput(None, is_raw=True)
