"""Episode memories: what a finished task or session came to, with its artifacts."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from ..episodes import results
from ..episodes.records import CHANGING, UNDER_WAY
from ..errors import InvalidInput
from ..memories.records import ArtifactKind, Form, Provenance
from ..text.patterns import lazy_pattern

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import TaskRecord
    from ..memories.records import RememberResult

# Files of an episode that are named; tasks of a session.
_FILES, _TASKS = 12, 50
_PULL_REQUEST = lazy_pattern(r"(?i)\b(?:PR|pull request|MR)[ ]?#?(\d{1,7})\b")
_DECISION = lazy_pattern(r"\bADR[- ]?(\d{1,5})\b")


def remember_task(kit: OpenKit, name: str) -> RememberResult:
    """Remember a task that has ended: what was wanted, what came of it, the files it changed. Again
    it brings the same memory up to date. Raises NotFound, InvalidInput for one under way."""
    task = kit.episodes.task(name)
    if task.status in UNDER_WAY:
        raise InvalidInput(f"task: {name!r} is {task.status}; finish it before it is remembered")
    return _remember(kit, f"task:{task.name}", [task], task.session)


def remember_session(kit: OpenKit, session: str) -> RememberResult:
    """Remember what the tasks of a session that have ended came to. Raises InvalidInput where there
    is none."""
    tasks = kit.episodes.tasks(session=session, limit=_TASKS)
    ended = [task for task in reversed(tasks) if task.status not in UNDER_WAY]
    if not ended:
        raise InvalidInput(
            f"session: {session!r} has no task that ended; finish one, or name another session"
        )
    return _remember(kit, f"session:{session}", ended, session)


def _remember(
    kit: OpenKit, source: str, tasks: Sequence[TaskRecord], session: str
) -> RememberResult:
    files = _changed_files(kit, session, {task.name for task in tasks})
    about_files = [f"Changed: {', '.join(files)}"] if files else []
    text = "\n".join([*map(_narrative, tasks), *about_files])
    return kit.memories.remember(
        text,
        form=Form.EPISODE,
        provenance=Provenance.OBSERVED,
        source=source,
        session=session,
        at=tasks[-1].completed_at or tasks[-1].started_at,
        file_paths=files,
        artifacts=list(dict.fromkeys(_artifacts(text, files, tasks))),
        derived_from=_told_of(kit, source, tasks),
    )


def _told_of(kit: OpenKit, source: str, tasks: Sequence[TaskRecord]) -> list[int]:
    """Return the memories of single tasks that another episode puts together."""
    sources = {f"task:{task.name}" for task in tasks} - {source}
    rows = kit._store.all(
        "consolidation_levels.tasks_remembered",
        sources=json.dumps(sorted(sources)),
        project=kit.project,
    )
    return [number for (number,) in rows]


def _narrative(task: TaskRecord) -> str:
    """Return what was wanted and what came of it: in words if there are any, else the status."""
    purpose = task.description.strip()
    if task.outcome:
        return f"{purpose.rstrip('.')}. {task.outcome.strip()}"
    return f"{purpose} – {f'failed: {task.error.strip()}' if task.error else task.status}"


def _changed_files(kit: OpenKit, session: str, names: set[str]) -> list[str]:
    touched = results.session_files(kit._store, session)
    changed = (file.path for file in touched if file.task in names and file.operation in CHANGING)
    return list(dict.fromkeys(changed))[:_FILES]


def _artifacts(
    text: str, files: Iterable[str], tasks: Iterable[TaskRecord]
) -> Iterator[tuple[ArtifactKind, str]]:
    yield from ((ArtifactKind.FILE, path) for path in files)
    yield from ((ArtifactKind.COMMIT, task.commit) for task in tasks if task.commit)
    yield from ((ArtifactKind.PR, match[1]) for match in _PULL_REQUEST.finditer(text))
    yield from ((ArtifactKind.ADR, f"ADR-{match[1]}") for match in _DECISION.finditer(text))
