"""Reader of transcripts of SWE-agent.

The demonstration that stands before the problem (`is_demo`) is no work of the session. Neither form
has times; a session has no name either, so it is named by the problem and its first step.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from posixpath import isabs, join, normpath

from ..recording import tolerant_json
from ..recording.event import Event, EventKind, FileAccess, Row, ToolCall, skipped
from ..recording.payloads import content_hash
from ..recording.tolerant_json import content_text_at, objects_at, text_at
from ..recording.tool_calls import span, touched
from ..records import FileOperation, TaskStatus

AGENT = "swe-agent"

_FENCED = re.compile(r"```[\w-]*\n(.*?)\n?```", re.S)
_FOLDER = re.compile(r"\(Current directory: ([^\n)]+)\)")
_FILE = re.compile(r"\(Open file: ([^\n)]+)\)")
_LINES = re.compile(r"(\d{1,8})(?::(\d{1,8}))?")
_PROBLEM = re.compile(r"ISSUE:\s*\n(.*?)\n\s*INSTRUCTIONS:", re.S)
_IN_FILE = {
    **dict.fromkeys(("edit", "insert"), FileOperation.EDIT),
    **dict.fromkeys(("goto", "scroll_down", "scroll_up"), FileOperation.READ),
}
_GOOD = re.compile(r"submitted\b|^$")
# Lines that the file viewer shows at once.
_WINDOW = 100


def read(document: Row) -> Iterator[Event]:
    """Yield the events of a `.traj` file."""
    steps = objects_at(document, "trajectory")
    history = objects_at(document, "history")
    requests = [
        content_text_at(row, "content") or ""
        for row in history
        if row.get("role") == "user" and row.get("is_demo") is not True
    ]
    demos = sum(row.get("is_demo") is True for row in history)
    if demos:
        yield skipped("demonstration before the problem")
    problem = next((text for text in requests if text.strip()), "")
    first = steps[0] if steps else {}
    name = tolerant_json.digest(AGENT, document.get("environment"), problem, first.get("response"))
    folder = _state(first).get("working_dir")
    yield Event(EventKind.SESSION_START, name, agent=AGENT, cwd=tolerant_json.text(folder))
    yield from _problem(name, problem)
    viewer = _Viewer(tolerant_json.text(folder))
    for number, step in enumerate(steps):
        yield from _step(viewer, step, f"{name}/{number}")
        viewer.stand(_state(step))
    status = text_at(document, "info", "exit_status")
    yield from _ended(status)


def read_chat(document: Row) -> Iterator[Event]:
    """Yield the events of the chat form: the command is the last fenced block of an answer."""
    rows = objects_at(document, "trajectory")
    problem = next((_words(row) for row in rows if row.get("role") == "user"), "")
    first = next((_words(row) for row in rows if row.get("role") == "ai"), "")
    own = text_at(document, "instance_id") or ""
    name = tolerant_json.digest(AGENT, own, document.get("model_name"), problem, first)
    folders = [match[1] for row in rows if (match := _FOLDER.search(_words(row)))]
    cwd = folders[0] if folders else None
    yield Event(EventKind.SESSION_START, name, agent=AGENT, cwd=cwd)
    yield from _problem(name, problem)
    viewer = _Viewer(cwd)
    for number, row in enumerate(rows):
        commands = _FENCED.findall(_words(row)) if row.get("role") == "ai" else []
        if commands:
            after = rows[number + 1] if number + 1 < len(rows) else {}
            observation = _words(after) if after.get("role") == "user" else None
            step = {"action": commands[-1], "observation": observation}
            yield from _step(viewer, step, f"{name}/{number}")
            viewer.stand(_footer(observation or ""))
    yield from _ended(text_at(document, "exit_status"))


# -- inside


class _Viewer:
    """The file viewer of the agent: where it stands, which file is open, at which line."""

    def __init__(self, folder: str | None) -> None:
        self.folder = folder
        self.file: str | None = None

    def stand(self, state: Row) -> None:
        """Take over what the state after a step says."""
        self.folder = text_at(state, "working_dir") or self.folder
        opened = text_at(state, "open_file")
        if opened is not None and opened != "n/a":
            self.file = opened

    def place(self, path: str) -> str:
        """Return a path as it is meant here."""
        return path if isabs(path) or self.folder is None else normpath(join(self.folder, path))

    def files(self, command: str) -> tuple[FileAccess, ...]:
        """Return the files that a command of the agent touches."""
        name, _, rest = command.strip().partition(" ")
        words = [word.strip("'\"") for word in rest.partition("\n")[0].split()]
        if name in ("open", "create") and words:
            self.file = words[0]  # older versions tell the state before a step, not after it
        if name == "open" and words:
            line = int(words[1]) if len(words) > 1 and words[1].isdecimal() else 1
            start = max(line - _WINDOW // 2, 1)
            lines = (start, start + _WINDOW - 1)
            return (FileAccess(self.place(words[0]), FileOperation.READ, lines),)
        if name == "create" and words:
            return (
                FileAccess(
                    self.place(words[0]), FileOperation.WRITE, content_hash=content_hash("")
                ),
            )
        if name in _IN_FILE:
            edited = _edited(rest) if name == "edit" else None
            return (FileAccess(self.place(self.file), _IN_FILE[name], edited),) if self.file else ()
        if name in ("search_file", "search_dir", "find_file"):
            where = words[1] if len(words) > 1 else self.file if name == "search_file" else None
            return (FileAccess(self.place(where), FileOperation.SEARCH),) if where else ()
        return touched(command, self.folder)


def _step(viewer: _Viewer, step: Row, call_id: str) -> Iterator[Event]:
    command = text_at(step, "action")
    if command is None:
        yield skipped("step without an action")
        return
    observation = step.get("observation")
    call = ToolCall(
        command.split(None, 1)[0][:60],
        {"command": command.strip()},
        call_id,
        output=observation if isinstance(observation, str) else None,
        has_result=isinstance(observation, str),
        duration_ms=tolerant_json.milliseconds_of(step.get("execution_time")),
        files=viewer.files(command),
    )
    yield Event(EventKind.TOOL_CALL, tool=call)


def _problem(name: str, words: str) -> Iterator[Event]:
    """Yield the prompt: the issue, without the instructions that every session is given."""
    match = _PROBLEM.search(words)
    if text := (match[1] if match else words).strip():
        yield Event(EventKind.PROMPT, task=f"{name}#1", text=text)


def _ended(status: str | None) -> Iterator[Event]:
    if status is not None:
        good = bool(_GOOD.match(status))
        state = TaskStatus.COMPLETED if good else TaskStatus.FAILED
        yield Event(EventKind.TASK_STATE, status=state, error=None if good else status[:200])


def _state(step: Row) -> Row:
    return tolerant_json.written_mapping(step.get("state"))


def _footer(text: str) -> Row:
    """Return what the lines below an observation say of the state."""
    folder, file = _FOLDER.search(text), _FILE.search(text)
    return {"working_dir": folder and folder[1], "open_file": file and file[1]}


def _words(row: Row) -> str:
    return content_text_at(row, "text") or ""


def _edited(rest: str) -> tuple[int, int] | None:
    match = _LINES.match(rest)
    return span(int(match[1]), int(match[2] or match[1])) if match else None
