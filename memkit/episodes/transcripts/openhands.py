"""Reader of transcripts of OpenHands.

A chat has neither times nor, in most collections, a name; it is named by what its collection calls
it, or by its first messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from posixpath import isabs
from typing import Any

from ..recording import tolerant_json
from ..recording.event import Event, EventKind, FileAccess, Row, ToolCall, skipped
from ..recording.prompts import request_of
from ..recording.tolerant_json import (
    content_text_at,
    mapping_at,
    moment_at,
    objects_at,
    text_at,
    whole_at,
)
from ..recording.tool_calls import files_of, shell_command, shown, span
from ..recording.tool_vocabulary import path_of
from ..records import FileOperation, TaskStatus

AGENT = "openhands"

_FUNCTION = re.compile(r"<function=([\w.-]{1,80})>(.*?)(?:</function>|\Z)", re.S)
_PARAMETER = re.compile(r"<parameter=([\w.-]{1,80})>(.*?)</parameter>", re.S)
_RESULT = re.compile(r"(?:OBSERVATION:|EXECUTION RESULT of \[[^\]\n]*\]:)[ \t]*\n?")
_UPLOADED = re.compile(r"<uploaded_files>\s*(\S+)\s*</uploaded_files>")
_FOLDER = re.compile(r"\[Current working directory: ([^\]\n]+)\]")
_TASK = re.compile(r"<(pr_description|issue_description|task_description)>\s*(.*?)\s*</\1>", re.S)
# What the harness says when the agent stops without being done.
_URGED = re.compile(r"\s*Please continue working on the task on whatever approach")
_NUMBERED = re.compile(r"^\s*(\d{1,8})\t", re.M)
_FOLDER_LISTING = re.compile(r"\s*Here's the files and directories up to")
_NO_PROMPT = "user row that is no prompt"
_ROLES = ("user", "tool", "system")
_ENDS = frozenset({"finish", "submit"})
# Observations of an action that was not done.
_UNDONE = ("error", "user_rejected")
_TOOL_OF_ACTION = {"run": "execute_bash", "run_ipython": "execute_ipython_cell"}
_OPERATIONS = {"read": FileOperation.READ, "write": FileOperation.WRITE, "edit": FileOperation.EDIT}


def read_chat(document: Row) -> Iterator[Event]:
    """Yield the events of a chat, in either shape."""
    messages = objects_at(document, "messages")
    name, cwd = _name(document, messages), _cwd(messages)
    yield Event(EventKind.SESSION_START, name, agent=AGENT, cwd=cwd)
    prompts, is_done = 0, False
    for number, message in enumerate(messages):
        role = message.get("role")
        words = content_text_at(message, "content") or ""
        if role == "assistant":
            calls = list(_calls(messages, number, words, f"{name}/{number}", cwd))
            is_done = is_done or any(call.tool in _ENDS for call in calls)
            yield from (Event(EventKind.TOOL_CALL, tool=call) for call in calls)
            if not calls:
                yield Event(EventKind.TASK_STATE, status=TaskStatus.COMPLETED)
        elif role == "user" and not _is_answer(messages, number, words):
            is_prompt = not _URGED.match(words) and bool(words.strip())
            prompts += is_prompt
            task, request = f"{name}#{prompts}", request_of(_task(words)) or words.strip()
            prompt = Event(EventKind.PROMPT, task=task, text=request)
            yield prompt if is_prompt else skipped(_NO_PROMPT)
        elif role not in _ROLES:
            yield skipped(f"message of {str(role)[:40]}")
    yield from _ended(document.get("resolved"), is_done=is_done)


def read_events(events: Sequence[Row]) -> Iterator[Event]:
    """Yield the events of an event list: an observation's `cause` is the id of its action."""
    rows = [row for row in events if isinstance(row, dict)]
    observations = {str(row.get("cause")): row for row in rows if row.get("observation")}
    request = next((_args(row).get("content") for row in rows if _is_prompt(row)), None)
    name = tolerant_json.digest(AGENT, rows[0].get("timestamp") if rows else None, request)
    cwd = _events_cwd(rows)
    started = moment_at(rows[0], "timestamp") if rows else None
    yield Event(EventKind.SESSION_START, name, at=started, agent=AGENT, cwd=cwd)
    for number, row in enumerate(rows):
        at, action = moment_at(row, "timestamp"), row.get("action")
        if _is_prompt(row):
            task, request = f"{name}#{row.get('id', number)}", _task(str(_args(row)["content"]))
            yield Event(EventKind.PROMPT, task=task, at=at, text=request)
        elif action in ("message", "finish", "reject") and row.get("source") == "agent":
            yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.COMPLETED)
        elif tolerant_json.text(action) and row.get("source") == "agent" and action != "think":
            call = _acted(
                row, observations.get(str(row.get("id")), {}), f"{name}/{row.get('id')}", cwd
            )
            yield Event(EventKind.TOOL_CALL, at=at, tool=call)
        elif row.get("observation") == "error" and row.get("cause") is None:
            yield skipped("error of the program")
        elif _extras(row).get("agent_state") == "error":
            reason = text_at(_extras(row), "reason")
            yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.FAILED, error=reason)


# -- inside: chats


def _ended(resolved: object, *, is_done: bool) -> Iterator[Event]:
    """Yield how a chat ended: as the collection judged it, or as the agent did."""
    if resolved is False:
        error = "the tests did not pass"
        yield Event(EventKind.TASK_STATE, status=TaskStatus.FAILED, error=error)
    elif resolved is True or is_done:
        yield Event(EventKind.TASK_STATE, status=TaskStatus.COMPLETED)


def _calls(
    messages: Sequence[Row], number: int, words: str, name: str, cwd: str | None
) -> Iterator[ToolCall]:
    """Yield the calls of an answer with their results."""
    tool_calls = objects_at(messages[number], "tool_calls")
    for place, tool_call in enumerate(tool_calls):
        function = mapping_at(tool_call, "function")
        tool = text_at(function, "name")
        if tool is not None:
            parameters = tolerant_json.written_mapping(function.get("arguments"))
            own = text_at(tool_call, "id")
            output = _tool_output(messages, number, own)
            yield _call(own or f"{name}/{place}", tool, parameters, output, cwd)
    match = None if tool_calls else next(_FUNCTION.finditer(words), None)
    if match:
        parameters = {key: _typed(value) for key, value in _PARAMETER.findall(match[2])}
        after = messages[number + 1] if number + 1 < len(messages) else {}
        answer = content_text_at(after, "content") if after.get("role") == "user" else None
        if answer is not None and not _is_answer(messages, number + 1, answer):
            answer = None
        yield _call(name, match[1], parameters, answer, cwd)


def _is_answer(messages: Sequence[Row], number: int, words: str) -> bool:
    """Whether a user's message is the result of a call: it says so, or stands after a call."""
    if _RESULT.match(words) or _URGED.match(words):
        return not _URGED.match(words)
    before = messages[number - 1] if number else {}
    words = content_text_at(before, "content") or ""
    return before.get("role") == "assistant" and bool(_FUNCTION.search(words))


def _call(
    call_id: str, tool: str, parameters: Row, answer: str | None, cwd: str | None
) -> ToolCall:
    output = None if answer is None else _RESULT.sub("", answer, count=1)
    files = files_of(tool, parameters, cwd)
    return ToolCall(
        tool,
        parameters,
        call_id,
        output=output,
        has_result=answer is not None or tool in _ENDS,
        files=tuple(
            _seen(file, parameters, output or "")
            for file in shown(files, output, shell_command(tool, parameters))
        ),
    )


def _seen(file: FileAccess, parameters: Row, output: str) -> FileAccess:
    """Return a file that was viewed as what it is: a folder, or the lines that were shown."""
    if file.operation is not FileOperation.READ:
        return file
    if _FOLDER_LISTING.match(output):
        return file._replace(operation=FileOperation.SEARCH, lines=None)
    view = parameters.get("view_range")
    if isinstance(view, list) and len(view) == 2 and view[1] == -1:
        shown = _NUMBERED.findall(output)
        return file._replace(lines=span(view[0], int(shown[-1])) if shown else None)
    return file


def _tool_output(messages: Sequence[Row], number: int, call_id: str | None) -> str | None:
    """Return the result of a call: the tool's message that names it, before the next answer."""
    for message in messages[number + 1 :]:
        if message.get("role") == "assistant":
            return None
        if message.get("role") == "tool" and message.get("tool_call_id") == call_id:
            return content_text_at(message, "content") or ""
    return None


def _typed(value: str) -> Any:
    """Return a parameter as a list or number where it is written as one."""
    bare = value.strip("\n")
    if re.fullmatch(r"\[[\d, -]{1,40}\]", bare.strip()):
        return tolerant_json.parsed(bare.strip()) or bare
    return bare


def _name(document: Row, messages: Sequence[Row]) -> str:
    own = [text_at(document, key) for key in ("run_id", "instance_id", "traj_id", "id")]
    beginning = [content_text_at(message, "content") for message in messages[:3]]
    return tolerant_json.digest(AGENT, *own, *([] if any(own) else beginning))


def _cwd(messages: Sequence[Row]) -> str | None:
    """Return the folder of the repository: as told, as printed, or the top of the first path."""
    texts = [content_text_at(message, "content") or "" for message in messages]
    for rule in (_UPLOADED, _FOLDER):
        for text in texts:
            if (match := rule.search(text)) and isabs(match[1]):
                return match[1]
    names = (path_of(_arguments(message)) for message in messages)
    first = next((path for path in names if path is not None and isabs(path)), None)
    return None if first is None else "/" + first.split("/")[1]


def _arguments(message: Row) -> Row:
    calls = objects_at(message, "tool_calls")
    arguments = mapping_at(calls[0], "function").get("arguments") if calls else None
    if isinstance(arguments, str):
        return tolerant_json.written_mapping(arguments)
    return dict(_PARAMETER.findall(content_text_at(message, "content") or ""))


def _task(words: str) -> str:
    """Return what was to be done, without the instructions around it."""
    matches = list(_TASK.finditer(words))
    return matches[-1][2] if matches and matches[-1][2] else words.strip()


# -- inside: events


def _acted(row: Row, observation: Row, call_id: str, cwd: str | None) -> ToolCall:
    action, args = str(row.get("action")), _args(row)
    meta = mapping_at(row, "tool_call_metadata")
    parameters = {key: args[key] for key in ("command", "path", "url", "code") if key in args}
    operation = _OPERATIONS.get(action)
    path = path_of(args)
    tool = _TOOL_OF_ACTION.get(action, action)
    extras = _extras(observation)
    files = (
        (FileAccess(path, operation),) if path and operation else files_of(tool, parameters, cwd)
    )
    return ToolCall(
        text_at(meta, "function_name") or tool,
        parameters,
        text_at(meta, "tool_call_id") or call_id,
        output=content_text_at(observation, "content"),
        has_result=bool(observation),
        success=_success(observation),
        exit_code=whole_at(extras, "metadata", "exit_code"),
        duration_ms=tolerant_json.milliseconds(row.get("timestamp"), observation.get("timestamp")),
        files=files,
    )


def _success(observation: Row) -> bool | None:
    if observation.get("observation") in _UNDONE:
        return False
    success = observation.get("success")
    return success if isinstance(success, bool) else None


def _is_prompt(row: Row) -> bool:
    is_user = row.get("action") == "message" and row.get("source") == "user"
    return is_user and text_at(_args(row), "content") is not None


def _args(row: Row) -> Row:
    return mapping_at(row, "args")


def _extras(row: Row) -> Row:
    return mapping_at(row, "extras")


def _events_cwd(rows: Sequence[Row]) -> str | None:
    for row in rows:
        folder = text_at(_extras(row), "metadata", "working_dir")
        if folder is not None:
            return folder
    return None
