"""What one task bears out, and what it goes against: pairs, fixes, refactorings. Pure functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice

import attrs

from ...store import times
from ..answers import Fix
from ..kinds import CHANGING, Operation, PatternType
from ..places import OUTSIDE
from ..questions import fixes
from ..questions.history import CO_EDIT_SECONDS
from ..records import Execution, Interaction
from ..signatures import command_of, same_call
from .records import Pattern, Sighting
from .steps import step_of

# In a task of more files only those changed within five minutes belong together.
MOST_FILES = 12
_MOST_PAIRS = 200
_MOST_COMMANDS = 3
_LONGEST_COMMAND = 200


@attrs.frozen
class Group:
    """A task, or what a session did without one: its calls and files in their order."""

    session: str
    task: str | None
    status: str | None
    description: str
    calls: tuple[Execution, ...]
    files: tuple[Interaction, ...]

    @property
    def name(self) -> str:
        """The name of the task, or of the session."""
        return self.task or self.session

    @property
    def changed(self) -> dict[str, list[str]]:
        """When each file was changed, in order. Files outside the root go with nothing here: of
        them no more than a name is known."""
        found: dict[str, list[str]] = {}
        for file in self.files:
            is_kept = file.operation in CHANGING and file.operation != Operation.DELETE
            if file.success and is_kept and not file.path.startswith(OUTSIDE):
                found.setdefault(file.path, []).append(file.timestamp)
        return found


def sightings(group: Group, known: Iterable[Pattern]) -> Iterator[Sighting]:
    """Yield what a task says of patterns; `known` are the pairs its files are in so far."""
    yield from _together(group, known)
    yield from _error_fixes(group)
    yield from _refactors(group)


def pair(one: str, other: str, at: str, evidence: tuple[str, ...], *, held: int = 1) -> Sighting:
    """Return a sighting of two files that were changed together (`held` 0: only one of them)."""
    files = sorted([one, other])
    data = {"files": files, "operations": ["edit", "edit"], "within_seconds": CO_EDIT_SECONDS}
    return Sighting(PatternType.CO_EDIT, files, data, at, evidence, held=held, failed=1 - held)


# -- inside


def _together(group: Group, known: Iterable[Pattern]) -> Iterator[Sighting]:
    changed = group.changed
    few = len(changed) <= MOST_FILES
    pairs = combinations(sorted(changed), 2) if few else _near(changed)
    for one, other in islice(pairs, _MOST_PAIRS):
        yield pair(one, other, max(changed[one][-1], changed[other][-1]), (group.name,))
    # A pair from git's log is counted there.
    alone = {p.id: p for p in known if not set(p.files) <= set(changed) and "source" not in p.data}
    for pattern in alone.values():
        one, other = pattern.files
        yield pair(one, other, pattern.last_seen, (), held=0)


def _near(changed: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the files that were changed within five minutes of each other, each pair once, as time
    goes on: all pairs of a long task are more than can be compared."""
    moments = sorted((times.to_epoch(at), path) for path in changed for at in changed[path])
    last: dict[str, float] = {}  # the latest at the end
    found: set[tuple[str, str]] = set()
    for moment, path in moments:
        last.pop(path, None)
        for other, before in reversed(last.items()):
            if moment - before > CO_EDIT_SECONDS:
                break
            one = (min(path, other), max(path, other))
            if one not in found:
                found.add(one)
                yield one
        last[path] = moment


def _error_fixes(group: Group) -> Iterator[Sighting]:
    """Yield what got over a fault, and the same changes when they did not.

    Of one run of failures the last counts: what was changed before it did not help.
    """
    last: dict[tuple[str, int], Fix] = {}
    for fix in fixes.fixes(group.calls, group.files):
        last[fix.signature, fix.passed.id] = fix
    for fix in last.values():
        files = _inside(fix.edits)
        did = [] if files else _commands_between(group, fix)
        yield _fix(fix.signature, files, fix.passed.timestamp, fix.failed, held=1, did=did)
    for attempt in fixes.attempts(group.calls, group.files):
        if attempt.check is not None and attempt.check.error_signature:
            files = _inside(attempt.edits)
            yield _fix(attempt.check.error_signature, files, attempt.at, attempt.check, held=0)


def _inside(edits: Iterable[Interaction]) -> list[str]:
    paths = dict.fromkeys(edit.path for edit in edits)
    return [path for path in paths if not path.startswith(OUTSIDE)]


def _commands_between(group: Group, fix: Fix) -> list[str]:
    """Return what was run between failure and success, where no file was changed: an installation,
    say."""
    ran = [
        " ".join((command_of(call.parameters) or "").split())[:_LONGEST_COMMAND]
        for call in group.calls
        if fix.failed.id < call.id < fix.passed.id and call.success and step_of(call)
    ]
    return list(dict.fromkeys(command for command in ran if command))[-_MOST_COMMANDS:]


def _fix(
    error: str, files: list[str], at: str, call: Execution, *, held: int, did: Sequence[str] = ()
) -> Sighting:
    data: dict[str, object] = {
        "error": error,
        "files": files,
        "command": same_call(call.tool, call.parameters)[:_LONGEST_COMMAND],
    }
    if did:
        data["commands"] = list(did)
    return Sighting(
        PatternType.ERROR_FIX,
        [error, *sorted(files), *did],
        data,
        at,
        (str(call.id),) if held else (),
        held=held,
        failed=1 - held,
    )


def _refactors(group: Group) -> Iterator[Sighting]:
    """Yield renames, with the files that were changed after them in the task: what names the old
    path, such as imports, follows."""
    for place, file in enumerate(group.files):
        if file.operation is not Operation.RENAME or not file.previous_path or not file.success:
            continue
        after = [f for f in group.files[place + 1 :] if f.success and f.operation in CHANGING]
        files = list(dict.fromkeys(f.path for f in after if f.path != file.path))
        if files:
            folder = file.previous_path.rpartition("/")[0]
            data = {"folder": folder, "renamed": [file.previous_path, file.path], "files": files}
            yield Sighting(
                PatternType.REFACTOR, ["rename", folder], data, file.timestamp, (group.name,)
            )
