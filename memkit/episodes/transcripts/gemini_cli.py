"""Reader of transcripts of Gemini CLI."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from hashlib import sha256
from pathlib import PurePosixPath
from posixpath import commonpath, dirname, isabs
from typing import Any

from ..recording import tolerant_json
from ..recording.envelope import unwrap
from ..recording.event import Event, EventKind, Row, ToolCall, of_lines, skipped
from ..recording.prompts import request_of
from ..recording.tolerant_json import (
    Line,
    content_text_at,
    mapping_at,
    moment_at,
    objects_at,
    text_at,
    whole_at,
)
from ..recording.tool_calls import files_of, shell_command, shown
from ..recording.tool_vocabulary import path_of
from ..records import TaskStatus

AGENT = "gemini-cli"

_DONE = {"success": True, "error": False, "cancelled": False}
# Messages of the program, not of the user or the model.
_NOTICES = ("info", "error", "warning", "about", "help", "stats", "quit", "compression")


def read_lines(lines: Iterable[Line]) -> Iterator[Event]:
    """Yield the events of a session that is written line by line. A message that is told again
    replaces the former; what was rewound did happen, and stays. The session is put together in
    memory."""
    document: dict[str, Any] = {}
    messages: dict[str, Row] = {}

    def note(row: Row) -> Iterable[Event]:
        fields = mapping_at(row, "$set") or row
        if "type" not in fields:
            document.update(fields)
        for message in [fields] if "type" in fields else objects_at(fields, "messages"):
            messages[str(message.get("id", len(messages)))] = message
        return ()

    yield from of_lines(lines, note)
    yield from read({**document, "messages": list(messages.values())})


def read(document: Row) -> Iterator[Event]:
    """Yield the events of a session."""
    messages = objects_at(document, "messages")
    started = moment_at(document, "startTime")
    session = text_at(document, "sessionId") or tolerant_json.digest(AGENT, started)
    cwd = _cwd(messages, document.get("projectHash"))
    parent = text_at(document, "parentSessionId")
    yield Event(
        EventKind.SESSION_START, session, parent_session=parent, at=started, agent=AGENT, cwd=cwd
    )
    prompt: str | None = None
    for number, message in enumerate(messages):
        kind, at = message.get("type"), moment_at(message, "timestamp")
        if kind == "user":
            request = request_of(content_text_at(message, "content") or "")
            if request is None:
                yield skipped("user row that is no prompt")
                continue
            prompt = text_at(message, "id") or f"{session}#{number}"
            yield Event(EventKind.PROMPT, task=prompt, at=at, text=request)
        elif kind == "gemini":
            yield from _answer(message, number, at, prompt, cwd)
        elif kind not in _NOTICES:
            yield skipped(f"message type {str(kind)[:40]}")


# -- inside


def _answer(
    message: Row, number: int, at: str | None, prompt: str | None, cwd: str | None
) -> Iterator[Event]:
    calls = objects_at(message, "toolCalls")
    tokens = whole_at(message, "tokens", "input")
    for place, call in enumerate(calls):
        tool = text_at(call, "name")
        if tool is None:
            yield skipped("call without a name")
            continue
        parameters = mapping_at(call, "args")
        status = text_at(call, "status")
        output, error = _came_back(call)
        ended = moment_at(call, "timestamp")
        tool_call = ToolCall(
            tool,
            parameters,
            text_at(call, "id") or f"{text_at(message, 'id') or number}/{place}",
            output=output,
            has_result=status in _DONE,
            success=_success(status, output),
            error=error,
            duration_ms=tolerant_json.milliseconds(at, ended),
            context_tokens=tokens,
            files=shown(files_of(tool, parameters, cwd), output, shell_command(tool, parameters)),
        )
        yield Event(EventKind.TOOL_CALL, task=prompt, at=at or ended, tool=tool_call)
        if status == "cancelled":
            yield Event(EventKind.TASK_STATE, task=prompt, at=ended or at, status=TaskStatus.PAUSED)
    if not calls and content_text_at(message, "content"):
        yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.COMPLETED)


def _success(status: str | None, output: str | None) -> bool | None:
    """Return what is said of a call; that a command was run does not say how it ended."""
    success = _DONE.get(status or "")
    is_told_inside = success and unwrap(output or "").success is not None
    return None if is_told_inside else success


def _came_back(call: Row) -> tuple[str | None, str | None]:
    """Return output and error of a call, from the answer that the model was given."""
    outputs: list[str] = []
    error: str | None = None
    parts = objects_at(call, "result")
    for part in parts:
        response = mapping_at(part, "functionResponse", "response")
        if (text := content_text_at(response, "output")) is not None:
            outputs.append(text)
        error = error or text_at(response, "error")
    if not outputs and error is None:
        outputs = [text] if (text := text_at(call, "resultDisplay")) else []
    return ("\n".join(outputs) or None), error


def _cwd(messages: list[Row], project: object) -> str | None:
    """Return the folder of the project. Only a hash of it is in the file: it is the folder above
    the paths that has this hash, or if none has, the one that they share."""
    calls = [call for message in messages for call in objects_at(message, "toolCalls")]
    paths = [path_of(mapping_at(call, "args")) for call in calls]
    folders = [_folder(path) for path in paths if path is not None and isabs(path)]
    shared = PurePosixPath(commonpath(folders) if folders else "/")
    for folder in (shared, *shared.parents):
        if sha256(str(folder).encode("utf-8", "surrogatepass")).hexdigest() == project:
            return str(folder)
    return None if shared == PurePosixPath("/") else str(shared)


def _folder(path: str) -> str:
    bare = path.rstrip("/") or "/"
    return dirname(bare) if not path.endswith("/") and "." in bare.rpartition("/")[2] else bare
