"""Normaliser: events to bounded, redacted rows, and what a task is after."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any

from ... import validation
from ...errors import InvalidInput
from ...redaction import clean_text, quoted, redact
from .. import error_signatures
from ..paths import Places
from ..records import CHANGING, Intent, Operation, SnapshotReason
from . import payloads
from .payloads import Redactions, begun, json_text
from .tool_vocabulary import files_in, operation_of

# --- From what an agent reports to rows that may be stored: bounded, without secrets, without the
# contents of files.
#
# Pure functions of the report and of `Places`; nothing here touches the store.

Row = dict[str, Any]

# Characters of a description or outcome, of a reason or summary of a change, of a message, of an
# identifier. Tasks are few and shared; calls are many.
DESCRIPTION, REMARK, MESSAGE, NAME = 4_000, 400, 600, 200
# Items of a context snapshot; each is an id, a type and two numbers (seed 000: 10 kB a snapshot).
SNAPSHOT_ITEMS = 400
# Bytes are looked at for a failure up to here.
_LONGEST = 100_000
# How a shell says whether it worked, and a number.
_TRUTHS = {"true": True, "1": True, "false": False, "0": False}
_NUMERAL = re.compile(r"[+-]?[0-9]{1,15}(?:\.[0-9]{1,9})?")
# Tools whose output is the content of files; of these nothing is kept unless they fail.
_READING_COMMAND = re.compile(
    r"^\s*(?:cd\s+\S+\s*&&\s*)?(?:cat|bat|less|more|head|tail|nl|sed\s+-n|type)\s[^|;&]*$"
)


def name(value: object, *, what: str) -> str:
    """Return an identifier as it is stored; raises InvalidInput if it is empty or no text."""
    identifier = "" if value is None else _safe_name(str(value))
    if not identifier:
        problem = "is not given" if value is None else f"found {quoted(value)}"
        raise InvalidInput(f"{what}: {problem}, expected a name; give one")
    return identifier


def execution(
    places: Places,
    redactions: Redactions,
    tool: object,
    payload: Mapping[str, Any],
    *,
    relative: Callable[[str], str] | None = None,
) -> Row:
    """Return a tool call as a row, without what the session adds. `relative` gives a text with the
    paths in it as they are stored; None: below the root of `places`."""
    relative = relative or places.relative
    tool_name = name(tool, what="tool")
    parameters = _mapping(payload.get("parameters"))
    output = _plain(payload.get("output"))
    command = error_signatures.command_of(parameters)
    message = payload.get("error")
    exit_code = _exit_code(payload.get("exit_code"))
    text = _said(output)
    if exit_code is None and command is not None:
        exit_code = error_signatures.exit_code_of(text)
    runs = command is not None
    success = _succeeded(payload.get("success"), message, exit_code, text, is_command=runs)
    private = _is_private(places, parameters, command, payload.get("files") or ())
    shows_files = bool(
        operation_of(tool_name) is Operation.READ or _READING_COMMAND.match(command or "")
    )
    keep = not private and not (success and shows_files)
    preview = payloads.preview(output, failed=not success, keep=keep)
    fault = _fault(redactions, message, text, success=success, keep=keep)
    return (
        _output(preview, redactions)
        | fault
        | {
            "tool_name": tool_name,
            "parameters": payloads.parameters_preview(
                parameters, redactions, private=private, relative=relative
            ),
            "result": None
            if private
            else payloads.result(payload.get("result"), redactions, relative=relative),
            "success": int(success),
            "exit_code": exit_code,
            "duration_ms": _whole(payload.get("duration_ms"), min_value=0),
            "context_tokens": _whole(payload.get("context_tokens"), min_value=0),
            "call_id": None
            if payload.get("call_id") is None
            else name(payload["call_id"], what="call_id"),
        }
    )


def interaction(
    places: Places,
    redactions: Redactions,
    path: object,
    operation: object,
    payload: Mapping[str, Any],
) -> Row:
    """Return what was done with a file as a row, without what the session adds."""
    stored = places.stored(str(path)) if path else ""
    if not stored:
        raise InvalidInput(f"path: found {path!r}, expected the path of a file; give one")
    private = places.is_private(stored)
    previous = payload.get("previous_path")
    return {
        "file_path": stored,
        "operation": validation.member(Operation, str(operation).lower(), name="operation"),
        "previous_path": places.stored(previous) if previous else None,
        "line_range": _lines(payload.get("line_range")),
        "success": int(_truth(payload.get("success")) is not False),
        "context": None if private else redactions.optional(payload.get("context"), REMARK),
        "changes_summary": None if private else redactions.optional(payload.get("changes"), REMARK),
        "content_hash": None if private else redactions.optional(payload.get("content_hash"), 64),
        "execution_id": None,
    }


def snapshot(redactions: Redactions, payload: Mapping[str, Any]) -> Row:
    """Return a context snapshot as a row: ids, types and numbers of its items, never their text."""
    items = _items(payload.get("items"))
    pruned = payload.get("pruned")
    total = _whole(payload.get("total_tokens"), min_value=0)
    return {
        "context_items": json_text(redactions.json(items)),
        "total_tokens": sum(x["tokens"] or 0 for x in items) if total is None else total,
        "pruned_items": None if pruned is None else json_text(redactions.json(_items(pruned))),
        "reason": validation.member(
            SnapshotReason, str(payload.get("reason", "manual_snapshot")).lower(), name="reason"
        ),
    }


# -- inside


@lru_cache(maxsize=1024)
def _safe_name(text: str) -> str:
    # Names of sessions, tasks and tools come with every event; the filter costs 0.1 ms each time.
    return redact(clean_text(text[: 4 * NAME]).strip()).text[:NAME]


def _truth(said: object) -> bool | None:
    """Return what was said of success, also as a shell spells it; None if nothing was. Raises
    InvalidInput for what is neither: to guess would record the opposite."""
    if said is None or isinstance(said, bool):
        return said
    truth = _TRUTHS.get(str(said).strip().lower())
    if truth is None:
        raise InvalidInput(f"success: found {quoted(said)}, expected true or false; give one")
    return truth


def _exit_code(value: object) -> int | None:
    code = _whole(value)
    if code is None and value is not None:
        raise InvalidInput(f"exit_code: found {quoted(value)}, expected a whole number; give one")
    return code


def _succeeded(
    said: object, message: object, exit_code: int | None, output: str, *, is_command: bool
) -> bool:
    if (truth := _truth(said)) is not None:
        return truth
    if message or exit_code:
        return False
    return not error_signatures.looks_failed(output, is_command=is_command)


def _is_private(
    places: Places, parameters: Mapping[str, Any], command: str | None, files: Sequence[Any]
) -> bool:
    named = [
        value
        for key, value in parameters.items()
        if isinstance(value, str) and "path" in key.lower() and len(value) < 500
    ]
    named += [path for path, _ in files_in(parameters)]
    named += [f["path"] for f in files if isinstance(f, Mapping) and isinstance(f.get("path"), str)]
    if any(places.is_private(places.stored(path)) for path in named):
        return True
    return command is not None and places.names_private(command)


def _output(preview: payloads.Preview | None, redactions: Redactions) -> Row:
    names = ("output", "original_bytes", "output_hash", "output_type")
    if preview is None:
        return dict.fromkeys(names)
    redactions.kinds += preview.redacted
    values = (preview.text, preview.original_bytes, preview.output_hash, preview.output_type)
    return dict(zip(names, values, strict=True))


def _fault(redactions: Redactions, message: object, said: str, *, success: bool, keep: bool) -> Row:
    """Return message and signature of a fault; both are read off the output if none was given."""
    text = redactions.optional(message, MESSAGE)
    if success or not (text or keep):
        return {"error_message": text, "error_signature": None}
    if text is None:
        text = redactions.text(error_signatures.telling_line(said) or "", MESSAGE) or None
    begins = text or redactions.text(said[:MESSAGE], MESSAGE)
    return {"error_message": text, "error_signature": error_signatures.signature(begins) or None}


def _plain(output: object) -> object:
    """Return what a command printed as one text, if it is given in parts."""
    if not isinstance(output, Mapping) or not {"stdout", "stderr"} & output.keys():
        return output
    parts = (output.get(name) for name in ("stdout", "stderr"))
    return "\n".join(part for part in parts if isinstance(part, str) and part)


def _said(output: object) -> str:
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
                "tokens": _whole(fields.get("tokens")),
                "relevance": _number(fields.get("relevance")),
            }
        )
    return rows


def _lines(value: object) -> str | None:
    if value is None:
        return None
    if isinstance(value, Mapping):
        first, last = value.get("start"), value.get("end")
    elif isinstance(value, list | tuple) and len(value) == 2:
        first, last = value
    else:
        first = last = value
    start, end = _whole(first), _whole(last)
    return (
        None if start is None else json_text({"start": start, "end": start if end is None else end})
    )


def _mapping(value: object) -> Mapping[str, Any]:
    if value is None:
        return {}
    return value if isinstance(value, Mapping) else {"value": value}


def _whole(value: object, *, min_value: int = -(1 << 53)) -> int | None:
    number = _number(value)
    return None if number is None else max(min(int(number), 1 << 53), min_value)


def _number(value: object) -> float | None:
    if isinstance(value, str) and _NUMERAL.fullmatch(value.strip()):
        value = float(value)  # as a shell gives it
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return value if abs(value) < 1e15 else None


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
_WORD = re.compile(r"[a-z]+")
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
        searched = operations.get(Operation.SEARCH, 0)
        exploring = searched > looked / 2 or looked >= _MANY
        votes[Intent.PROJECT_EXPLORATION if exploring else Intent.CODE_READING] += 1
    best = max(votes, key=lambda intent: votes[intent])
    return best if votes[best] else None
