"""What fixed an error, and what was tried in vain: read off the order of calls and changes.

Pure functions of one session's calls and file interactions, both in the order in which they were
made.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence

import attrs

from ..answers import Attempt, Fix
from ..kinds import CHANGING
from ..records import Execution, Interaction
from ..signatures import call_form, command_of

Moment = tuple[str, int]

# Commands that only look: that one of them fails says nothing of the change before it.
_LOOKING = re.compile(
    r"^\s*(?:cd\s+\S+\s*(?:&&|;)\s*)*(?:ls|cat|bat|head|tail|less|more|grep|egrep|rg|ag|find|fd|tree"
    r"|pwd|which|whereis|wc|sed\s+-n|nl|stat|file|du|echo|git\s+(?:status|diff|log|show|branch|grep"
    r"|ls-files|blame))\b"
)


def fixes(calls: Sequence[Execution], files: Sequence[Interaction]) -> list[Fix]:
    """Return for each call that failed the next one of the same command that did not (in whatever
    version or number: that may be the fix), with what was changed in between; in the order of the
    failures. A failure that was never got over has none."""
    keys = [call_form(call.tool, call.parameters) for call in calls]
    changes = _Changes(files)
    passing: dict[str, Execution] = {}
    found: list[Fix] = []
    for call, key in zip(reversed(calls), reversed(keys), strict=True):
        if call.success:
            passing[key] = call
        elif call.error_signature and key in passing:
            edits = changes.between(_moment(call), _moment(passing[key]))
            found.append(Fix(call.error_signature, call, passing[key], edits))
    return found[::-1]


def not_got_over(calls: Sequence[Execution], signature: str) -> list[Execution]:
    """Return the calls of a session that failed with a fault and did not pass later in it, in
    order."""
    open_: dict[str, list[Execution]] = {}
    for call in calls:
        key = call_form(call.tool, call.parameters)
        if call.success:
            open_.pop(key, None)
        elif call.error_signature == signature:
            open_.setdefault(key, []).append(call)
    return sorted((call for left in open_.values() for call in left), key=_moment)


def attempts(calls: Sequence[Execution], files: Sequence[Interaction]) -> list[Attempt]:
    """Return changes after which the next check failed, and changes that were refused, in order.

    A check is a command that does more than look. It tries the changes of its own task: what an
    earlier one has left is blamed only by a task that has changed nothing itself, such as one that
    only runs the tests.
    """
    changes = _Changes(files)
    found: list[Attempt] = []
    since: Moment = ("", 0)
    for call in calls:
        own = changes.of_call.get(call.id, [])
        if own and not call.success:
            found.append(_attempt(own, call))
        if own or not is_check(call):
            continue
        tried = changes.between(since, _moment(call))
        tried = tuple(edit for edit in tried if edit.task == call.task) or tried
        since = _moment(call)
        if tried and not call.success:
            found.append(_attempt(tried, call))
    return found


def is_check(call: Execution) -> bool:
    """Whether a call runs something that can tell whether a change works."""
    command = command_of(call.parameters)
    return command is not None and not _LOOKING.match(command)


def about(attempt: Attempt, path: str) -> Attempt:
    """Return the attempt as one on this file."""
    return attrs.evolve(attempt, path=path)


class _Changes:
    """Changes of files in order: `of_call` by the call that made them, refused ones too."""

    def __init__(self, files: Iterable[Interaction]) -> None:
        changing = [file for file in files if file.operation in CHANGING]
        self._done = sorted((file for file in changing if file.success), key=_moment)
        self._moments = [_moment(file) for file in self._done]
        self.of_call: dict[int, list[Interaction]] = {}
        for file in changing:
            if file.execution is not None:
                self.of_call.setdefault(file.execution, []).append(file)

    def between(self, first: Moment, last: Moment) -> tuple[Interaction, ...]:
        """Return the successful changes after one moment and before another."""
        start, end = bisect_right(self._moments, first), bisect_left(self._moments, last)
        return tuple(self._done[start:end])


def _attempt(edits: Sequence[Interaction], call: Execution) -> Attempt:
    return Attempt(
        at=call.timestamp,
        path=edits[0].path,
        reason=call.error or call.error_signature or "it failed",
        task=call.task,
        edits=tuple(edits),
        check=call,
    )


def _moment(record: Execution | Interaction) -> Moment:
    return record.timestamp, record.id
