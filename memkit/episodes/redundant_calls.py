"""Calls whose result the session already has.

A read is held if the same lines were read, or the file was written, in this session and nothing
has changed the file since; a search, if the same was asked and nothing below its folder has changed
since, or if it searches a file that is held. What other sessions read is not held: contents are not
stored. Where a file is looked for by its name, its place may be known from any session.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Any

import attrs

from . import results
from .history import EpisodeReader, History
from .recording import tolerant_json
from .recording.payloads import Redactions, parameters_preview
from .recording.tool_calls import files_of, only_looks, shell_command
from .recording.tool_vocabulary import is_foreign, operation_of
from .records import CHANGING, FileOperation
from .results import FileInteraction, ToolExecution

# Calls and files of a session that are looked at, the newest.
_MAX_ROWS = 5_000
_WHOLE = (1, 1 << 40)
_OF_SWE_AGENT = frozenset({"find_file", "search_dir", "search_file", "open", "goto"})
# Parameters that do not change what a call brings.
_IRRELEVANT = frozenset("timeout timeout_ms description explanation security_risk".split())
_NAMED = (
    re.compile(r"\bfind_file\s+['\"]?([\w.-]+\.\w+)['\"]?"),
    re.compile(r"\bfind\b.*?-i?name\s+['\"]?([\w.-]+\.\w+)['\"]?"),
    re.compile(r"^\**/?([\w.-]+\.\w+)$"),
)


class Reason(StrEnum):
    """Why a call need not be made."""

    READ = "read before"
    WRITTEN = "written here"
    REPEATED = "asked before"
    INSIDE = "inside a file that was read"
    PLACE = "its place is known"


@attrs.frozen
class RedundantCall:
    """What is held, since when (UTC text), and by which call (its id, if it was one).

    Attributes:
        paths: the files, or the places that are known.
    """

    reason: Reason
    at: str | None
    execution: int | None
    paths: tuple[str, ...]


def is_look(tool: str, parameters: Mapping[str, Any]) -> bool:
    """Whether a call only reads and searches."""
    command = shell_command(tool, parameters)
    is_search = operation_of(tool) is FileOperation.SEARCH and not is_foreign(tool)
    if command is None and not is_search:
        command = (
            tolerant_json.text(parameters.get("command")) if "path" not in parameters else None
        )
    if command is not None and command.strip():
        return only_looks(command) or command.split(None, 1)[0] in _OF_SWE_AGENT
    if is_search:
        return True
    files = files_of(tool, parameters)
    return bool(files) and all(
        f.operation in (FileOperation.READ, FileOperation.SEARCH) for f in files
    )


class Holding:
    """Answers for one project whether a session holds what a call would bring."""

    def __init__(self, reader: EpisodeReader) -> None:
        self._reader = reader
        self._history = History(reader)

    def held(
        self,
        session: str,
        tool: str,
        parameters: Mapping[str, Any],
        *,
        files: Iterable[tuple[str, FileOperation, tuple[int, int] | None]] | None = None,
    ) -> RedundantCall | None:
        """Return what the session holds of that which a call would bring, or None.

        `files` are path, operation and lines of the files that it would touch; if they are not
        given, they are told from the call.
        """
        targets = (
            list(files)
            if files is not None
            else [(f.path, FileOperation(f.operation), f.lines) for f in files_of(tool, parameters)]
        )
        done = results.session_files(self._reader.store(), session)
        return (
            self._by_files(targets, done)
            or self._same_call(session, tool, parameters, [path for path, _, _ in targets], done)
            or self._placed(tool, parameters)
        )

    # -- inside

    def _by_files(
        self,
        targets: list[tuple[str, FileOperation, tuple[int, int] | None]],
        done: list[FileInteraction],
    ) -> RedundantCall | None:
        held: RedundantCall | None = None
        for path, operation, lines in targets:
            stored, is_search = self._reader.stored_path(path), operation is FileOperation.SEARCH
            mine = [i for i in done if i.path == stored]
            interaction = _covering(mine, None if is_search else lines)
            if interaction is None:
                return None
            if held is None:
                reason = Reason.WRITTEN if interaction.operation in CHANGING else Reason.READ
                reason = Reason.INSIDE if is_search else reason
                held = RedundantCall(reason, interaction.timestamp, interaction.execution, ())
            held = attrs.evolve(held, paths=(*held.paths, stored))
        return held

    def _same_call(
        self,
        session: str,
        tool: str,
        parameters: Mapping[str, Any],
        paths: list[str],
        done: list[FileInteraction],
    ) -> RedundantCall | None:
        if not is_look(tool, parameters):
            return None
        preview = parameters_preview(
            parameters, Redactions(), private=False, relative=self._reader.repository.relative
        )
        key = _key(tool, json.loads(preview))
        calls = self._history.tool_executions(
            session=session, tool=tool, success=True, limit=_MAX_ROWS
        )
        for call in calls:
            if _key(tool, call.parameters) == key:
                below = [self._reader.stored_path(path) for path in paths]
                if _changed_since(call, below, done):
                    return None
                return RedundantCall(Reason.REPEATED, call.timestamp, call.id, tuple(below))
        return None

    def _placed(self, tool: str, parameters: Mapping[str, Any]) -> RedundantCall | None:
        text = (
            shell_command(tool, parameters)
            or parameters.get("pattern")
            or parameters.get("command")
        )
        if not isinstance(text, str) or not is_look(tool, parameters):
            return None
        named = next((match[1] for rule in _NAMED if (match := rule.search(text))), None)
        alike = self._reader.paths_like(named) if named else []
        worked = (self._history.file_history(path) for path in alike)
        places = [file.path for file in worked if any(i.success for i in file.recent)]
        return RedundantCall(Reason.PLACE, None, None, tuple(places)) if places else None


def _covering(done: list[FileInteraction], lines: tuple[int, int] | None) -> FileInteraction | None:
    """Return the oldest of the interactions that together hold lines of a file (None: all), or None
    if a change came after them."""
    first, last = lines or _WHOLE
    spans: list[tuple[int, int]] = []
    for interaction in reversed(done):
        if not interaction.success:
            continue
        if interaction.operation is FileOperation.WRITE:
            return interaction  # the session knows what it wrote
        if interaction.operation in CHANGING:
            return None
        if interaction.operation is FileOperation.READ:
            spans.append(interaction.lines or _WHOLE)
            if _cover(spans, first, last):
                return interaction
    return None


def _cover(spans: list[tuple[int, int]], first: int, last: int) -> bool:
    for start, end in sorted(spans):
        if start > first:
            return False
        first = max(first, end + 1)
    return first > last


def _changed_since(call: ToolExecution, below: list[str], done: list[FileInteraction]) -> bool:
    """Whether something was changed after a call, below its folders if it names any."""
    folders = [path for path in below if path not in ("", ".")]
    return any(
        i.operation in CHANGING
        and i.success
        and i.timestamp >= call.timestamp
        and (not folders or any(i.path == f or i.path.startswith(f"{f}/") for f in folders))
        for i in done
    )


def _key(tool: str, parameters: Mapping[str, Any]) -> str:
    """Return what two calls share that ask for the same."""
    fields = {
        key: " ".join(value.split()) if isinstance(value, str) else value
        for key, value in parameters.items()
        if key not in _IRRELEVANT
    }
    return tool + json.dumps(fields, sort_keys=True, ensure_ascii=False, default=str)
