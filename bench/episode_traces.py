"""Recorded sessions as events for `kit.episodes.record`, and the answers read off the events alone.

The reference asks the same questions of plain dictionaries, by walking over all of them; it shares
with memkit only what defines a failure and a fault (memkit/episodes/error_signatures.py).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from memkit.episodes import error_signatures

Event = dict[str, Any]

_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_READ = {"read", "open", "view", "read_file", "goto"}
_EDIT = {"edit", "insert", "str_replace", "undo_edit", "apply_patch", "multiedit"}
_WRITE = {"write", "create", "write_file"}
_SEARCH = {"grep", "glob", "find_file", "search_file", "search_dir", "ls", "list_directory"}
_SHELL_READ = re.compile(r"(?:^|&&|;|\|)\s*(?:cat|sed -n|head|tail|nl|less)\b")
_SHELL_SEARCH = re.compile(r"(?:^|&&|;|\|)\s*(?:rg|grep|find|ls|fd)\b")
_OPENED = re.compile(r"\[File: (\S+) \(")


def sessions(data: Path) -> Iterator[list[Event]]:
    """Yield the events of each recorded session in order: a task, calls with their files, its
    end."""
    for number, path in enumerate(sorted((data / "traces" / "events").glob("*.jsonl"))):
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        yield list(_session(path.stem, rows, _START + timedelta(hours=3 * number)))


def _session(name: str, rows: list[Event], start: datetime) -> Iterator[Event]:
    results = {row["call_id"]: row for row in rows if row["kind"] == "tool_result"}
    prompts = (row["text"] for row in rows if row["kind"] == "user")
    asked = max(prompts, key=len)
    root = _root(rows)
    opened = ""
    yield {"event": "task", "session": name, "task": name, "description": asked[:2000],
           "at": _at(start, 0)}  # fmt: skip
    for row in rows:
        if row["kind"] != "tool_call":
            continue
        result = results.get(row["call_id"], {})
        text = result.get("text", "")
        if found := _OPENED.search(text):
            opened = found[1]
        files = _files(row, root, opened)
        yield {
            "event": "tool", "session": name, "task": name, "tool": row["tool"],
            "parameters": row["args"], "output": text, "call_id": row["call_id"],
            "success": False if result.get("is_error") else None, "files": files,
            "duration_ms": 100 + row["i"], "at": _at(start, row["i"]),
        }  # fmt: skip
    yield {"event": "finish", "session": name, "task": name, "outcome": "recorded",
           "at": _at(start, len(rows))}  # fmt: skip


def _at(start: datetime, step: int) -> str:
    moment = start + timedelta(seconds=20 * step)
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _root(rows: list[Event]) -> str:
    """Return the folder that most absolute paths of a session share."""
    paths = [p for row in rows for p in row.get("paths", ()) if p.startswith("/")]
    common = Counter("/".join(path.split("/")[:3]) for path in paths).most_common(1)
    return common[0][0] if common else ""


def _files(row: Event, root: str, opened: str) -> list[Event]:
    operation = _operation(row)
    paths = list(row.get("paths", ()))
    if not paths and opened and operation in ("edit", "write"):
        paths = [opened]
    relative = (p.removeprefix(root).lstrip("/") for p in paths)
    # One name for one file, and none for the root itself.
    plain = dict.fromkeys(posixpath.normpath(path) for path in relative if path)
    return [{"path": path, "operation": operation} for path in plain if path != "."]


def _operation(row: Event) -> str:
    args = row["args"]
    tool = str(args.get("command") if row["tool"] == "str_replace_editor" else row["tool"]).lower()
    command = error_signatures.command_of(args) or ""
    for names, operation in (
        (_READ, "read"), (_EDIT, "edit"), (_WRITE, "write"), (_SEARCH, "search"),
    ):  # fmt: skip
        if tool in names:
            return operation
    if tool == "rm" or re.match(r"\s*(?:git )?rm\s", command):
        return "delete"
    if "apply_patch" in command:
        return "edit"
    if _SHELL_READ.search(command):
        return "read"
    return "search" if _SHELL_SEARCH.search(command) else "analyze"
