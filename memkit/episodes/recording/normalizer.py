"""Normaliser: events to bounded, redacted rows, and what a task is after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from posixpath import join
from typing import Any

from ... import validation
from ...errors import InvalidInput
from ...redaction import clean_text, quoted, redact
from ...store import timestamps
from ...text.patterns import lazy_pattern
from .. import error_signatures
from ..paths import RepositoryPaths
from ..records import CHANGING, FileOperation, Intent, RecordResult, SnapshotReason
from . import payloads, tolerant_json
from .envelope import Envelope, unwrap
from .event import (
    DEFAULT_POLICY,
    EVENT_KEYS,
    Event,
    EventKind,
    FileAccess,
    Snapshot,
    ToolCall,
)
from .named_paths import NamedPath, named_by_call
from .payloads import Redactions, begun, json_text
from .tool_calls import only_looks
from .tool_vocabulary import files_in, operation_of

# --- From what an agent reports to rows that may be stored: bounded, without secrets, without the
# contents of files. Nothing here touches the store.

Row = dict[str, Any]

# Characters of a description or outcome, of a reason or summary of a change, of a message, of an
# identifier. Tasks are few and shared; calls are many.
DESCRIPTION, REMARK, MESSAGE, NAME = 4_000, 400, 600, 200
# Items of a context snapshot; each is an id, a type and two numbers (seed 000: 10 kB a snapshot).
SNAPSHOT_ITEMS = 400
# Bytes are looked at for a failure up to here.
_LONGEST = 100_000
# How a shell says whether it worked.
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
# Operations after which the file's hash is worth keeping: it tells later whether it is the same.
_HASHED = (FileOperation.READ, FileOperation.WRITE, FileOperation.EDIT)
# Tools whose output is the content of files; of these nothing is kept unless they fail.
_READING_COMMAND = lazy_pattern(
    r"^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|bat|less|more|head|tail|nl|sed\s+-n|type)\s[^|;&]*$"
)


class Entry:
    """The rows of one event, to be written.

    Attributes:
        row: the columns, without ids. files: rows of the files of a tool call.
        opening: the session's own row, if it is written as well.
        redacted: kinds of secrets that were replaced by markers.
        named: paths that the output of a call names.
        ids: ids of the row and its files once they were written, for writing them again into a file
            that was replaced.
        result: what became of it.
    """

    def __init__(
        self,
        kind: EventKind,
        row: Row,
        files: tuple[Row, ...] = (),
        opening: Row | None = None,
        redacted: tuple[str, ...] = (),
        named: Sequence[NamedPath] = (),
    ) -> None:
        self.kind, self.row, self.files, self.opening = kind, row, files, opening
        self.redacted = redacted
        self.named = named
        self.policy = DEFAULT_POLICY
        self.ids: tuple[int, ...] = ()
        self.result: RecordResult | None = None


class Normalizer:
    """Makes rows of the events of one project, with the paths of `repository`."""

    def __init__(
        self, repository: RepositoryPaths, clock: Callable[[], float], *, project: str = ""
    ) -> None:
        self.repository = repository
        self._clock = clock
        self._project = project

    def normalize(self, event: Event, *, opens_session: bool = False) -> Entry:
        """Return the rows of an event, with `opens_session` that of its session too; raises
        InvalidInput for what means nothing."""
        redactions = Redactions()
        at = self._at(event)
        files: tuple[Row, ...] = ()
        named: Sequence[NamedPath] = ()
        if event.tool is not None:
            row, files, named = self._call(event, event.tool, at, redactions)
        elif event.file is not None:
            access = self._access(event.file, redactions, is_now=event.at is None)
            row = _belonging(event, at) | access
        elif event.snapshot is not None:
            row = _belonging(event, at) | _snapshot(event.snapshot, redactions)
        elif event.kind is EventKind.PROMPT:
            row = self._task(event, at, redactions)
        elif event.kind is EventKind.TASK_STATE:
            row = _state(event, at, redactions)
        elif event.kind is EventKind.SESSION_END:
            summary = redactions.optional(event.text, DESCRIPTION)
            row = {"session_id": _session_name(event), "at": at, "summary": summary}
        else:
            row = self._session(event, at, redactions)
        opening = self._session(event, at, Redactions()) if opens_session else None
        return Entry(event.kind, row, files, opening, tuple(redactions.kinds), named)

    # -- the kinds of events

    def _session(self, event: Event, at: str, redactions: Redactions) -> Row:
        return {
            "session_id": _session_name(event),
            "project": self._project,
            "agent": redactions.optional(event.agent, NAME),
            "source": event.source,
            "branch": redactions.optional(event.branch, NAME),
            "commit_hash": redactions.optional(event.commit, NAME),
            "started_at": at,
            "parent_session_id": None
            if event.parent_session is None
            else name(event.parent_session, what="parent session"),
        }

    def _task(self, event: Event, at: str, redactions: Redactions) -> Row:
        text = redactions.text(str(event.text or ""), DESCRIPTION)
        return {
            "task_id": name(event.task, what="task"),
            "session_id": _session_name(event),
            "parent_task_id": None if event.parent is None else name(event.parent, what="parent"),
            "project": self._project,
            "description": text or "(no description)",
            "intent": infer(text, {}),
            "source": event.source,
            "branch": redactions.optional(event.branch, NAME),
            "commit_hash": redactions.optional(event.commit, NAME),
            "started_at": at,
        }

    def _call(
        self, event: Event, call: ToolCall, at: str, redactions: Redactions
    ) -> tuple[Row, tuple[Row, ...], Sequence[NamedPath]]:
        files = _accesses(call.files)
        execution, text = _execution(self.repository, redactions, call, files)
        row = _belonging(event, at) | execution
        is_now = event.at is None
        rows = []
        for file in files:
            if file.path and self.repository.stored(str(file.path)) == ".":  # the root is no file
                continue
            if file.success is None:
                file = file._replace(success=bool(row["success"]))
            rows.append(self._access(file, redactions, is_now=is_now))
        return row, tuple(rows), self._named(event, call, text)

    def _named(self, event: Event, call: ToolCall, text: str) -> Sequence[NamedPath]:
        """Return the paths of the repository that the output of a call names, those with a secret
        in them left out."""
        if not text:
            return ()
        folder, inside = event.cwd or "", self.repository.inside
        named = named_by_call(
            name(call.tool, what="tool"),
            _mapping(call.parameters),
            text,
            place=lambda path: inside(join(folder, path)),
        )
        lines = ["\t".join(path.forms) for path in named]
        # All together: the filter takes as long for one path as for a hundred.
        safe = redact("\n".join(lines)).text.split("\n")
        if len(safe) != len(lines):
            return ()
        return [path for path, line, other in zip(named, lines, safe, strict=True) if line == other]

    def _access(self, file: FileAccess, redactions: Redactions, *, is_now: bool) -> Row:
        """Return what was done with a file as a row, with its hash if it happens just now."""
        stored = self.repository.stored(str(file.path)) if file.path else ""
        if not stored:
            raise InvalidInput(f"path: found {file.path!r}, expected the path of a file; give one")
        private = self.repository.is_private(stored)
        operation = str(file.operation).lower()
        before = self.repository.stored(file.previous_path) if file.previous_path else None
        row = {
            "file_path": stored,
            "operation": validation.member(FileOperation, operation, name="operation"),
            "previous_path": before,
            "line_range": _lines(file.lines),
            "success": int(_success(file.success) is not False),
            "context": None if private else redactions.optional(file.context, REMARK),
            "changes_summary": None if private else redactions.optional(file.changes, REMARK),
            "content_hash": None if private else redactions.optional(file.content_hash, 64),
            "execution_id": None,
        }
        if row["content_hash"] is None and is_now and row["operation"] in _HASHED:
            row["content_hash"] = self.repository.hash_of(stored)
        return row

    def _at(self, event: Event) -> str:
        if event.at is None:
            return timestamps.from_epoch(self._clock())
        return timestamps.normalise(event.at, name="at")


def name(value: object, *, what: str) -> str:
    """Return an identifier as it is stored; raises InvalidInput if it is empty or no text."""
    identifier = "" if value is None else _safe_name(str(value))
    if not identifier:
        problem = "is not given" if value is None else f"found {quoted(value)}"
        raise InvalidInput(f"{what}: {problem}, expected a name; give one")
    return identifier


# -- inside


def _session_name(event: Event) -> str:
    return name(event.session, what="session")


def _task_name(event: Event) -> str | None:
    return None if event.task is None else name(event.task, what="task")


def _belonging(event: Event, at: str) -> Row:
    return {"timestamp": at, "session_id": _session_name(event), "task_id": _task_name(event)}


def _state(event: Event, at: str, redactions: Redactions) -> Row:
    return {
        "session_id": _session_name(event),
        "task_id": _task_name(event),
        "status": event.status,
        "at": at,
        "outcome": redactions.optional(event.text, DESCRIPTION),
        "error_message": redactions.optional(event.error, MESSAGE),
    }


def _accesses(files: Sequence[Any] | None) -> list[FileAccess]:
    """Return the files of a call, also given as paths or dictionaries; raises InvalidInput."""
    if not isinstance(files or (), list | tuple):
        kind = type(files).__name__
        raise InvalidInput(f"files: found {kind}, expected a list of paths; give one")
    return [file_access(file) for file in files or ()]


def file_access(file: FileAccess | Mapping[str, Any] | str) -> FileAccess:
    """Return a file that an agent gives as a path, or as a dictionary with the keys of an event."""
    if isinstance(file, FileAccess):
        return file
    if not isinstance(file, Mapping):
        return FileAccess(file)
    fields = {key: file[key] for key in EVENT_KEYS["file"] if key in file}
    lines = tolerant_json.line_span(fields.pop("line_range", None))
    return FileAccess(**{"path": None, "lines": lines, **fields})


def _execution(
    repository: RepositoryPaths, redactions: Redactions, call: ToolCall, files: Sequence[FileAccess]
) -> tuple[Row, str]:
    """Return a tool call as a row, without what the session adds, and the text that the model was
    shown if it is not private."""
    tool = name(call.tool, what="tool")
    parameters = _mapping(call.parameters)
    if call.description is not None:
        parameters = {**parameters, "description": str(call.description)}
    command = error_signatures.command_of(parameters)
    envelope = _unwrapped(tool, call)
    output = _as_text(call.output) if envelope is None else envelope.body
    text = _text_of(output)
    exit_code = _exit_code(call.exit_code)
    if exit_code is None and envelope is not None:
        exit_code = envelope.exit_code
    success = _succeeded(call, exit_code, envelope, text, command)
    private = is_private_call(repository, parameters, command, files)
    shows_files = operation_of(tool) is FileOperation.READ or _READING_COMMAND.match(command or "")
    keep = not private and not (success and shows_files)
    preview = payloads.preview(output, failed=not success, keep=keep)
    relative = repository.relative
    row = (
        _output(preview, redactions)
        | _error(redactions, call.error, text, preview, success=success, keep=keep)
        | {
            "tool_name": tool,
            "parameters": payloads.parameters_preview(
                parameters, redactions, private=private, relative=relative
            ),
            "result": None
            if private
            else payloads.result(call.result, redactions, relative=relative),
            "success": int(success),
            "exit_code": exit_code,
            "duration_ms": tolerant_json.bounded(call.duration_ms, min_value=0),
            "context_tokens": tolerant_json.bounded(call.context_tokens, min_value=0),
            "call_id": None if call.call_id is None else name(call.call_id, what="call_id"),
        }
    )
    return row, "" if private else call.shown or text


def _snapshot(snapshot: Snapshot, redactions: Redactions) -> Row:
    """Return a context snapshot as a row: ids, types and numbers of its items, never their text."""
    items, pruned = _items(snapshot.items), snapshot.pruned
    total = tolerant_json.bounded(snapshot.total_tokens, min_value=0)
    return {
        "context_items": json_text(redactions.json(items)),
        "total_tokens": sum(x["tokens"] or 0 for x in items) if total is None else total,
        "pruned_items": None if pruned is None else json_text(redactions.json(_items(pruned))),
        "reason": validation.member(SnapshotReason, str(snapshot.reason).lower(), name="reason"),
    }


@lru_cache(maxsize=1024)
def _safe_name(text: str) -> str:
    # Names of sessions, tasks and tools come with every event; the filter costs 0.1 ms each time.
    return redact(clean_text(text[: 4 * NAME]).strip()).text[:NAME]


def _success(success: object) -> bool | None:
    """Return what was said of success, also as a shell spells it; None if nothing was. Raises
    InvalidInput for what is neither: to guess would record the opposite."""
    if success is None or isinstance(success, bool):
        return success
    truth = _TRUTHS.get(str(success).strip().lower())
    if truth is None:
        raise InvalidInput(f"success: found {quoted(success)}, expected true or false; give one")
    return truth


def _exit_code(value: object) -> int | None:
    code = tolerant_json.bounded(value)
    if code is None and value is not None:
        raise InvalidInput(f"exit_code: found {quoted(value)}, expected a whole number; give one")
    return code


def _unwrapped(tool: str, call: ToolCall) -> Envelope | None:
    """Return what came back without the agent's words around it; None for bytes, for what comes in
    parts, and for what a file holds."""
    if not isinstance(call.output, str) or operation_of(tool) in (
        FileOperation.READ,
        FileOperation.SEARCH,
    ):
        return None
    envelope = unwrap(call.output)
    # Of a call that came off, words of a failure are the program's.
    is_printed = envelope.success is False and _success(call.success) is True
    return None if is_printed else envelope


def _succeeded(
    call: ToolCall,
    exit_code: int | None,
    envelope: Envelope | None,
    output: str,
    command: str | None,
) -> bool:
    """Return whether a call did what it was called for: what the agent says of it counts more than
    its exit code, that more than words around the output, and those more than the output."""
    if not call.has_result:
        return False
    if (truth := _success(call.success)) is not None:
        return truth
    if call.error:
        return False
    looks = command is not None and only_looks(command)
    if exit_code is not None:  # a search that found nothing did what it was called for
        return exit_code == 0 or (exit_code == 1 and looks and not output.strip())
    if envelope is not None and envelope.success is not None:
        return envelope.success
    return not error_signatures.looks_failed(
        output, is_command=command is not None, only_looks=looks
    )


def is_private_call(
    repository: RepositoryPaths,
    parameters: Mapping[str, Any],
    command: str | None,
    files: Sequence[FileAccess] = (),
) -> bool:
    """Whether what a call reads or writes must not be kept: the content of a private file."""
    paths = [
        value
        for key, value in parameters.items()
        if isinstance(value, str) and "path" in key.lower() and len(value) < 500
    ]
    paths += [path for path, _ in files_in(parameters)]
    paths += [file.path for file in files if isinstance(file.path, str)]
    if any(repository.is_private(repository.stored(path)) for path in paths):
        return True
    return command is not None and repository.names_private(command)


def _output(preview: payloads.Preview | None, redactions: Redactions) -> Row:
    names = ("output", "original_bytes", "output_hash", "output_type")
    if preview is None:
        return dict.fromkeys(names)
    redactions.kinds += preview.redacted
    values = (preview.text, preview.original_bytes, preview.output_hash, preview.output_type)
    return dict(zip(names, values, strict=True))


def _error(
    redactions: Redactions,
    message: object,
    output: str,
    preview: payloads.Preview | None,
    *,
    success: bool,
    keep: bool,
) -> Row:
    """Return message and signature of a fault; both are read off the output if none was given: off
    its ends, and off what was kept of its midst."""
    if isinstance(message, str):
        message = unwrap(message).body
    text = redactions.optional(message, MESSAGE)
    if success or not (text or keep):
        return {"error_message": text, "error_signature": None}
    if text is None:
        excerpt = "" if preview is None else preview.text or ""
        line = error_signatures.telling_line(output) or error_signatures.telling_line(excerpt)
        line = line or error_signatures.first_line(output)
        text = redactions.text(line, MESSAGE) or None
    begins = text or redactions.text(output[:MESSAGE], MESSAGE)
    return {"error_message": text, "error_signature": error_signatures.signature(begins) or None}


def _as_text(output: object) -> object:
    """Return what a command printed as one text, if it is given in parts."""
    if not isinstance(output, Mapping) or not {"stdout", "stderr"} & output.keys():
        return output
    parts = (output.get(name) for name in ("stdout", "stderr"))
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _text_of(output: object) -> str:
    if isinstance(output, bytes | bytearray):
        return bytes(output[:_LONGEST]).decode("utf-8", "replace")
    return output if isinstance(output, str) else ""


def _items(value: object) -> list[Row]:
    items = value if isinstance(value, list | tuple) else []
    rows = []
    for item in items[:SNAPSHOT_ITEMS]:
        fields = item if isinstance(item, Mapping) else {}
        rows.append(
            {
                "id": begun(str(fields.get("id", "")), 80),
                "type": begun(str(fields.get("type", "")), 40),
                "tokens": tolerant_json.bounded(fields.get("tokens")),
                "relevance": tolerant_json.number(fields.get("relevance")),
            }
        )
    return rows


def _lines(lines: tuple[int, int] | None) -> str | None:
    return None if lines is None else json_text({"start": lines[0], "end": lines[1]})


def _mapping(value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {"value": value}


# --- What a task is after, told from its words and from what was done.

# Words of the description that speak for an intent; a verb at the beginning counts twice, since a
# request usually begins with what is wanted.
_WORDS = {
    Intent.PROJECT_FIXING: (
        "fix debug repair solve resolve correct broken bug crash crashes error errors fail fails"
        " failing failure regression issue wrong flaky traceback exception leak hotfix revert"
    ),
    Intent.CODE_WRITING: (
        "add implement create write build make refactor rename extract move migrate support port"
        " introduce replace remove delete update change improve optimise optimize generate convert"
        " extend upgrade bump document feature"
    ),
    Intent.CODE_READING: (
        "explain read understand describe summarise summarize review what why how does walk"
        " clarify show"
    ),
    Intent.PROJECT_EXPLORATION: (
        "explore find search locate where list overview investigate look map survey structure"
        " architecture which inspect"
    ),
}
_BY_WORD = {word: intent for intent, words in _WORDS.items() for word in words.split()}
_WORD = lazy_pattern(r"[a-z]+")
# Only the beginning of a description says what is wanted; the rest is often pasted.
_READ = 600
# Files or searches from which on looking around is exploring rather than reading.
_MANY = 8


def infer(description: str, operations: Mapping[str, int]) -> Intent | None:
    """Return what a task is after, or None if nothing tells. `operations` counts the file
    operations of the task; words decide, and operations where the words do not."""
    votes = dict.fromkeys(Intent, 0)
    for place, word in enumerate(_WORD.findall(description[:_READ].lower())):
        intent = _BY_WORD.get(word)
        if intent is not None:
            votes[intent] += 3 if place < 2 else 1
    changed = sum(operations.get(operation, 0) for operation in CHANGING)
    looked = sum(operations.values()) - changed
    if changed:  # whoever changes files does not only look
        votes[Intent.CODE_READING] = votes[Intent.PROJECT_EXPLORATION] = 0
        votes[Intent.CODE_WRITING] += 1
    elif looked:
        searched = operations.get(FileOperation.SEARCH, 0)
        exploring = searched > looked / 2 or looked >= _MANY
        votes[Intent.PROJECT_EXPLORATION if exploring else Intent.CODE_READING] += 1
    best = max(votes, key=lambda intent: votes[intent])
    return best if votes[best] else None
