"""Transcript tail: the newest messages of a session's transcript, read from its end.

Of a file of any length some hundred kilobytes are read. Lines of Claude Code, Codex and Gemini CLI
are known; what is not understood is left out.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..episodes.recording import tolerant_json
from ..episodes.recording.prompts import request_of
from ..episodes.recording.tolerant_json import content_text_at, mapping, text_at

MAX_BYTES = 256_000
MAX_MESSAGES = 12
_ROLES = {"user": "user", "assistant": "assistant", "gemini": "assistant", "model": "assistant"}


def newest_messages(path: str | os.PathLike[str]) -> list[tuple[str, str]]:
    """Return role and text of the newest messages of user and model, the oldest of them first; none
    if there is no such file."""
    messages = [message for line in _last_lines(Path(path)) if (message := _message(line))]
    return messages[-MAX_MESSAGES:]


def _last_lines(path: Path) -> Iterator[bytes]:
    try:
        with path.open("rb") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - MAX_BYTES, 0))
            data = file.read(MAX_BYTES)
    except (OSError, ValueError):  # gone, a folder, or no name of a file
        return
    lines = data.split(b"\n")
    # The first one may be a part.
    yield from lines[1:] if size > MAX_BYTES else lines


def _message(line: bytes) -> tuple[str, str] | None:
    row = mapping(tolerant_json.parsed(line)) if line.strip() else {}
    body = next((mapping(row[key]) for key in ("message", "payload") if key in row), row)
    role = _ROLES.get(text_at(body, "role") or text_at(row, "type") or "")
    text = content_text_at(body, "content")
    if role is None or text is None:
        return None
    if role == "user":
        text = request_of(text)
    return (role, text.strip()) if text and text.strip() else None
