"""Session reading: prompts of a session or transcript, and what its calls taught."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ..episodes import failures, results
from ..episodes.error_signatures import command_of, program_of
from ..episodes.recording.event import EventKind
from ..errors import InvalidInput
from ..memories.records import Draft, Kind, Procedure, Provenance
from ..text.extractive import cut

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..episodes.results import Fix, ToolExecution

# Belief in what calls show: they show that it worked once.
CONFIDENCE = 0.4
# Drafts that the calls of one session give.
_MAX_DRAFTS = 2
# What a check says that ran and found something.
_VERDICT = re.compile(r"\b\d+ (?:failed|failures?|errors?|problems?)\b|\bAssertionError\b", re.I)
# Other commands that are told of one that worked.
_MAX_TRIED = 3
# Letters of a command that can be told in one line, and of the error beside it.
_MAX_COMMAND, _MAX_ERROR = 200, 160
# Failures of one fault from which it is worth telling; with more files changed the cause is not
# told by their names.
_RECURRING, _MAX_FILES = 2, 3


def prompts_of(kit: OpenKit, session: str) -> list[str]:
    """Return the prompts of a recorded session in order; none of a session that an agent began,
    since those are the agent's words."""
    kit.episodes.flush()
    if any(each.name == session and each.parent for each in kit.episodes.sessions(limit=1_000)):
        return []
    tasks = kit.episodes.tasks(session=session, limit=1_000)
    return [task.description for task in sorted(tasks, key=lambda task: (task.started_at, task.id))]


def prompts_of_transcript(text: str) -> list[str]:
    """Return the prompts of a transcript in a known format; any other text is one prompt."""
    if not text.lstrip().startswith(("{", "[")):
        return [text]
    from ..episodes.transcripts import formats

    try:
        transcript = formats.read(
            Path("standard input"), io.BytesIO(text.encode("utf-8", "replace"))
        )
        return [event.text or "" for event in transcript.events if event.kind is EventKind.PROMPT]
    except InvalidInput:
        return [text]


def drafts_of_calls(kit: OpenKit, session: str) -> list[Draft]:
    """Return what the calls of a session taught: commands that at last worked, and causes of
    failures that came again; the latest few."""
    calls = results.session_calls(kit._store, session)
    files = results.session_files(kit._store, session)
    fixes = failures.fixes(calls, files, {call.task for call in calls})
    drafts = [*_working_commands(fixes), *_causes(fixes, calls)]
    return [attrs.evolve(draft, session=session) for draft in drafts[-_MAX_DRAFTS:]]


def _working_commands(fixes: Sequence[Fix]) -> Iterator[Draft]:
    """Yield commands that passed where the same program, called otherwise, had failed with nothing
    changed in between."""
    by_passed: dict[str, list[Fix]] = {}
    for fix in fixes:
        passed, failed = _command(fix.passed), _command(fix.failed)
        is_call = not fix.edits and failures.is_check(fix.failed) and not _is_verdict(fix)
        if is_call and passed and failed and _is_other_way(failed, passed):
            by_passed.setdefault(passed, []).append(fix)
    for passed, same in by_passed.items():
        tried = list(dict.fromkeys(_command(fix.failed) or "" for fix in same))[:_MAX_TRIED]
        error = cut(" ".join((same[-1].failed.error or same[-1].signature).split()), _MAX_ERROR)
        text = f"`{passed}` works; before it failed: {', '.join(f'`{each}`' for each in tried)}"
        yield Draft(
            f"{text} ({error})",
            kind=Kind.PROCEDURE,
            procedure=Procedure((passed,), name=program_of(passed) or "", warnings=tuple(tried)),
            provenance=Provenance.EXTRACTED,
            confidence=CONFIDENCE,
            snippet=error,
            reason=f"it passed where {len(same)} other calls had not",
        )


def _is_verdict(fix: Fix) -> bool:
    """Whether it failed as a check does that ran: what was wrong is not how it was called."""
    return _VERDICT.search(f"{fix.failed.error or ''} {fix.failed.output or ''}") is not None


def _is_other_way(failed: str, passed: str) -> bool:
    """Whether a command calls its program otherwise, and not only on other files."""
    new = set(passed.split()) - set(failed.split())
    paths = {word for word in new if not word.startswith("-") and ("/" in word or "." in word)}
    return bool(new - paths)


def _causes(fixes: Sequence[Fix], calls: Sequence[ToolExecution]) -> Iterator[Draft]:
    """Yield faults that came more than once, with the few files whose change made them go."""
    counts = Counter(call.error_signature for call in calls if not call.success)
    last = {fix.signature: fix for fix in fixes if fix.edits}
    for signature, fix in last.items():
        paths = tuple(dict.fromkeys(edit.path for edit in fix.edits))
        if counts[signature] < _RECURRING or len(paths) > _MAX_FILES:
            continue
        error = cut(" ".join((fix.failed.error or signature).split()), _MAX_ERROR)
        command = _command(fix.passed)
        text = f"{error} – fixed by changing {', '.join(paths)}"
        yield Draft(
            f"{text}; then `{command}` passed" if command else text,
            kind=Kind.FACT,
            about=paths,
            provenance=Provenance.EXTRACTED,
            confidence=CONFIDENCE,
            snippet=error,
            reason=f"it failed {counts[signature]} times and passed after the change",
        )


def _command(call: ToolExecution) -> str | None:
    """Return the command of a call if it is one line of a fair length."""
    command = (command_of(call.parameters) or "").strip()
    return command if command and "\n" not in command and len(command) <= _MAX_COMMAND else None
