"""Standard input of hooks: read within bounded time, and what a hook's JSON asks for.

An agent may leave the pipe open after its line, and waits for the hook: what is there in full is
taken, and nobody waits for an end that does not come.
"""

from __future__ import annotations

import io
import os
import stat
import sys
import threading
from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, NamedTuple

from ..store.lifecycle import nearest
from ..validation import is_json

# Seconds without a further byte after which what is whole is all, and after which all is lost.
QUIET, PATIENCE = 0.4, 5.0
_CHUNK = 1 << 16


class CommandQuery(NamedTuple):
    """A question of the command line.

    Attributes:
        text: the question; of a hook its prompt, command or path. is_hook: whether a hook asks.
        folder: where the hook's agent works, None if it does not say.
    """

    text: str
    is_hook: bool = False
    folder: Path | None = None


def read_query(question: str) -> CommandQuery:
    """Return a question; '-' reads it from standard input, where a hook's JSON may stand."""
    from ..text.analyzer import decode
    from .output import stdin_bytes

    if question != "-":
        return CommandQuery(question)
    text = decode(read_input(stdin_bytes())).rstrip("\r\n")
    payload = payload_of(text)
    if payload is None:
        return CommandQuery(text)
    return CommandQuery(question_of(payload), is_hook=True, folder=folder_of(payload))


def folder_of(payload: Mapping[str, Any]) -> Path | None:
    """Return the folder that a hook's agent works in, or None if it says none of this machine."""
    from ..episodes.recording.hooks import folder_of

    folder = folder_of(payload)
    return Path(folder) if folder and Path(folder).is_absolute() else None


def store_of(payload: Mapping[str, Any]) -> Path:
    """Return the file that is meant where a hook's agent works, else in the current folder."""
    return nearest(folder_of(payload) or Path.cwd())


def read_options(
    arguments: Sequence[str],
    names: Sequence[str],
    refuse: Callable[[str], None],
    *,
    switches: Collection[str] = (),
) -> dict[str, str]:
    """Return options by their names, a switch with an empty value; `refuse` is told of one that is
    unknown or has no value, which is left out."""
    values: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, sign, value = left.pop(0).partition("=")
        if name not in names or (name in switches and sign):
            refuse(f"{name!r} is unknown; give {', '.join(names)}")
        elif name in switches or sign:
            values[name] = value
        elif left:
            values[name] = left.pop(0)
        else:
            refuse(f"{name} has no value; give one")
    return values


class Input(NamedTuple):
    """What came on standard input; `is_cut`: a pipe fell silent in the midst of it, or at once."""

    data: bytes
    is_cut: bool = False


def read_input(stream: IO[Any], *, patience: float = PATIENCE) -> bytes:
    """Return standard input: of a pipe as much as comes before it falls silent, which for its first
    byte takes `patience` seconds."""
    return read_bounded(stream, patience=patience).data


def read_bounded(
    stream: IO[Any],
    max_bytes: int | None = None,
    *,
    patience: float = PATIENCE,
    is_single: bool = False,
) -> Input:
    """Return the same, with `max_bytes` not much more than that, and whether it was cut; of a
    single JSON value nothing behind its end is waited for."""
    number = _pipe(stream)
    if number is None:
        return Input(stream.read() if max_bytes is None else stream.read(max_bytes + 1))
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_pump, args=(number, chunks), daemon=True).start()
    data = bytearray()
    is_cut, waited = False, 0.0
    while max_bytes is None or len(data) <= max_bytes:
        pause = min(QUIET, max(patience - waited, 0.0))
        try:
            chunk = chunks.get(timeout=pause)
        except Empty:
            waited += pause
            is_whole = _is_whole(bytes(data))
            is_cut = waited >= patience and not is_whole
            if is_cut or is_whole:
                break
            continue
        if not chunk:
            break
        waited = 0.0
        data += chunk
        if (
            is_single
            and chunks.empty()
            and chunk.rstrip().endswith(b"}")
            and _is_whole(bytes(data))
        ):
            break
    return Input(bytes(data), is_cut)


# -- inside


def _pipe(stream: object) -> int | None:
    """Return the number of standard input if it is a pipe; people at a terminal take their time."""
    try:
        number: int = sys.stdin.fileno() if stream is getattr(sys.stdin, "buffer", None) else -1
        mode = os.fstat(number).st_mode
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        return None
    return number if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None


def _pump(number: int, chunks: SimpleQueue[bytes]) -> None:
    """Pass on what comes; read unbuffered, so that the process can end in the middle of it."""
    while True:
        try:
            chunk = os.read(number, _CHUNK)
        except OSError:
            chunk = b""
        chunks.put(chunk)
        if not chunk:
            return


def _is_whole(data: bytes) -> bool:
    """Whether what came is one JSON value, one a line, or lines of text."""
    text = data.decode("utf-8-sig", "replace").strip()
    if not text:
        return False
    if text[0] not in "{[":
        return data.endswith(b"\n")
    if is_json(text):
        return True
    return data.endswith(b"\n") and all(
        map(is_json, filter(None, map(str.strip, text.split("\n"))))
    )


def payload_of(text: str) -> Mapping[str, Any] | None:
    """Return the JSON of a hook, its fields under the names of memkit's own events, or None if a
    text is none."""
    from ..episodes.recording import tolerant_json
    from ..episodes.recording.hooks import standard_fields

    payload = tolerant_json.parsed(text)
    is_hook = isinstance(payload, dict) and not _HOOK_KEYS.isdisjoint(payload)
    return standard_fields(payload) if is_hook else None


_HOOK_KEYS = frozenset(
    "hook_event_name hookEventName session_id sessionId conversation_id transcript_path".split()
)


def question_of(payload: Mapping[str, Any]) -> str:
    """Return what a hook asks for: what the user wrote, else what is run or opened."""
    from ..episodes.error_signatures import command_of
    from ..episodes.recording.prompts import request_of
    from ..episodes.recording.tolerant_json import text_at, written_mapping

    if (prompt := text_at(payload, "prompt")) is not None:
        return request_of(prompt) or ""
    parameters = written_mapping(payload.get("parameters"))
    return text_at(payload, "command") or command_of(parameters) or path_of(payload)


def path_of(payload: Mapping[str, Any]) -> str:
    """Return the path of the file that a hook's call is about, "" if it names none."""
    from ..episodes.recording import tool_vocabulary
    from ..episodes.recording.tolerant_json import written_mapping

    return tool_vocabulary.path_of(written_mapping(payload.get("parameters"))) or ""
