"""Rows of the episodes' tables as records. Rows that were edited by hand are read as far as they
go."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .records import Execution, Interaction, SessionRecord, TaskRecord

if TYPE_CHECKING:
    from ..store.connection import Store

Row = Mapping[str, Any]


def tasks(store: Store, ids: Iterable[int]) -> list[TaskRecord]:
    """Return the tasks of these ids in the order given; ids without a row are left out."""
    return [task(row) for row in store.records("episodes.tasks_by", ids=json.dumps(list(ids)))]


def task(row: Row) -> TaskRecord:
    """Return one row of task_history as a record."""
    return TaskRecord(
        id=row["id"],
        name=row["task_id"],
        session=row["session_id"],
        parent=row["parent_task_id"],
        project=row["project"],
        description=row["description"],
        intent=row["intent"],
        status=row["status"],
        source=row["source"],
        branch=row["branch"],
        commit=row["commit_hash"],
        started_at=row["started_at"],
        paused_at=row["paused_at"],
        completed_at=row["completed_at"],
        files=tuple(str(path) for path in listed(row["files_touched"])),
        tools={k: v for k, v in mapping(row["tools_used"]).items() if isinstance(v, int)},
        outcome=row["outcome"],
        error=row["error_message"],
    )


def session(row: Row) -> SessionRecord:
    """Return one row of sessions as a record."""
    return SessionRecord(
        id=row["id"],
        name=row["session_id"],
        project=row["project"],
        agent=row["agent"],
        source=row["source"],
        branch=row["branch"],
        commit=row["commit_hash"],
        started_at=row["started_at"],
        ended_at=row["ended_at"],
        summary=row["summary"],
    )


def execution(row: Row) -> Execution:
    """Return one row of tool_executions as a record."""
    return Execution(
        id=row["id"],
        timestamp=row["timestamp"],
        session=row["session_id"],
        task=row["task_id"],
        tool=row["tool_name"],
        parameters=mapping(row["parameters"]),
        result=None if row["result"] is None else _json(row["result"]),
        success=bool(row["success"]),
        error=row["error_message"],
        duration_ms=row["duration_ms"],
        context_tokens=row["context_tokens"],
        exit_code=row["exit_code"],
        output=row["output"],
        original_bytes=row["original_bytes"],
        output_hash=row["output_hash"],
        output_type=row["output_type"],
        error_signature=row["error_signature"],
        call_id=row["call_id"],
    )


def interaction(row: Row) -> Interaction:
    """Return one row of file_interactions as a record."""
    return Interaction(
        id=row["id"],
        timestamp=row["timestamp"],
        session=row["session_id"],
        task=row["task_id"],
        execution=row["execution_id"],
        path=row["file_path"],
        operation=row["operation"],
        previous_path=row["previous_path"],
        lines=_lines(row["line_range"]),
        success=bool(row["success"]),
        context=row["context"],
        changes=row["changes_summary"],
        content_hash=row["content_hash"],
    )


def _lines(stored: str | None) -> tuple[int, int] | None:
    found = {} if stored is None else mapping(stored)
    start, end = found.get("start"), found.get("end")
    return (start, end) if isinstance(start, int) and isinstance(end, int) else None


def _json(stored: str) -> Any:
    try:
        return json.loads(stored)
    except (ValueError, RecursionError):
        return stored


def listed(stored: str) -> list[Any]:
    """Return a stored JSON list; nothing if it is none."""
    found = _json(stored)
    return found if isinstance(found, list) else []


def mapping(stored: str) -> dict[str, Any]:
    """Return a stored JSON object; an empty one if it is none."""
    found = _json(stored)
    return found if isinstance(found, dict) else {}
