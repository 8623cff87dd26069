"""The answers to the questions about what was done, read off the events alone and slowly."""

from __future__ import annotations

import itertools
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import datetime
from typing import Any

import attrs

from memkit.episodes import error_signatures
from memkit.episodes.recording.envelope import unwrap
from memkit.episodes.recording.tool_calls import only_looks

Event = dict[str, Any]
CHANGES = ("edit", "write", "delete", "rename")


@attrs.define(eq=False)
class Call:
    """A call of a tool, with everything that memkit is to find out."""

    event: Event
    number: int
    success: bool
    fault: str
    key: str


@attrs.frozen
class Touch:
    """A file that was touched by a call."""

    at: str
    number: int
    session: str
    path: str
    operation: str
    success: bool


class Reference:
    """All events of all sessions, in their order."""

    def __init__(self, events: Iterable[Event]) -> None:
        self.calls = [_call(e, n) for n, e in enumerate(events) if e["event"] == "tool"]
        self.touches = [
            Touch(c.event["at"], c.number, c.event["session"], f["path"], f["operation"], c.success)
            for c in self.calls
            for f in c.event["files"]
        ]
        self.paths = sorted({touch.path for touch in self.touches})
        self.faults = sorted({call.fault for call in self.calls if call.fault})

    def worked_on(self, path: str) -> tuple[int, int, list[tuple[str, str]]]:
        """Reads, changes, and the last five touches of a file, newest first."""
        own = [t for t in self.touches if t.path == path]
        changes = sum(t.operation in CHANGES for t in own)
        return len(own) - changes, changes, [(t.at, t.operation) for t in _newest(own)[:5]]

    def edited_together(self, path: str) -> dict[str, int]:
        """Other files with the number of sessions in which both were changed within 300 s."""
        found = defaultdict(set)
        for one, two in itertools.product(self.touches, repeat=2):
            both = one.operation in CHANGES and two.operation in CHANGES
            near = one.session == two.session and abs(_seconds(one.at, two.at)) <= 300
            if one.path == path != two.path and both and near and one.success and two.success:
                found[two.path].add(one.session)
        return {other: len(where) for other, where in found.items()}

    def last_with(self, text: str) -> list[tuple[str, str]]:
        """The last ten touches of files whose path contains a text."""
        own = [t for t in self.touches if text.lower() in t.path.lower()]
        return [(t.at, t.path) for t in _newest(own)[:10]]

    def tool_stats(self, since: str) -> dict[str, tuple[int, int, float]]:
        """Calls, successes and mean duration of each tool."""
        found = {}
        for tool in {call.event["tool"] for call in self.calls}:
            own = [c for c in self.calls if c.event["tool"] == tool and c.event["at"] >= since]
            if own:
                mean = sum(c.event["duration_ms"] for c in own) / len(own)
                found[tool] = (len(own), sum(c.success for c in own), round(mean, 6))
        return found

    def task(self, name: str) -> tuple[list[str], dict[str, int]]:
        """Files and tools of a task."""
        own = [call for call in self.calls if call.event["session"] == name]
        files = sorted({f["path"] for call in own for f in call.event["files"]})
        return files, dict(Counter(call.event["tool"] for call in own))

    def error(self, fault: str) -> tuple[int, str, str, list[tuple[str, str, list[str]]]]:
        """Count, first and last time of a fault; for each time it was got over: when it failed,
        when the same command passed, and which files were changed in between."""
        own = [call for call in self.calls if call.fault == fault]
        times = [call.event["at"] for call in own]
        return len(own), min(times), max(times), [x for call in own for x in self._fix(call)]

    def _fix(self, call: Call) -> list[tuple[str, str, list[str]]]:
        """When the same command passed next: in the call's session, or else in a later one."""
        session = call.event["session"]
        passed = [
            later
            for later in self.calls[self.calls.index(call) + 1 :]
            if later.key == call.key and later.success
        ]
        own = [later for later in passed if later.event["session"] == session]
        for later in (own or passed)[:1]:
            edits = [
                t.path
                for t in self.touches
                if (not own or t.session == session) and t.success
                and t.operation in CHANGES and call.number < t.number < later.number
            ]  # fmt: skip
            return [(call.event["at"], later.event["at"], edits[-30:])]
        return []

    def attempts(self, path: str) -> list[tuple[str, list[str]]]:
        """When a change of a file was found not to work, with the files changed together, newest
        first."""
        found = []
        for session in dict.fromkeys(call.event["session"] for call in self.calls):
            tried: list[str] = []
            for call in self.calls:
                if call.event["session"] != session:
                    continue
                own = [f["path"] for f in call.event["files"] if f["operation"] in CHANGES]
                if own and not call.success:
                    found.append((call.event["at"], own))
                elif own:
                    tried += own
                elif _is_check(call.event):
                    if tried and not call.success:
                        found.append((call.event["at"], tried))
                    tried = []
        return sorted((x for x in found if path in x[1]), key=lambda x: x[0], reverse=True)

    def timeline(self, path: str) -> list[tuple[str, str, bool]]:
        """Everything that happened to a file, newest first."""
        own = [t for t in self.touches if t.path == path]
        return [(t.at, t.operation, t.success) for t in _newest(own)[:50]]

    def hot_files(self) -> list[tuple[int, int]]:
        """Changes and touches of the ten files most worked on."""
        changes = Counter(t.path for t in self.touches if t.operation in CHANGES)
        touches = Counter(t.path for t in self.touches)
        return sorted(((changes[p], touches[p]) for p in touches), reverse=True)[:10]


def _call(event: Event, number: int) -> Call:
    command = error_signatures.command_of(event["parameters"])
    text = event["output"]
    envelope = unwrap(text)
    text = envelope.body
    verdicts = (event["success"], envelope.success)
    success = next((verdict for verdict in verdicts if verdict is not None), None)
    if success is None:
        success = not error_signatures.looks_failed(
            text,
            is_command=command is not None,
            only_looks=command is not None and only_looks(command),
        )
    fault = ""
    if not success:
        fault = error_signatures.signature(error_signatures.telling_line(text) or text)
    key = error_signatures.same_call(event["tool"], event["parameters"])
    return Call(event, number, success, fault, key)


def _is_check(event: Event) -> bool:
    from memkit.episodes.failures import _LOOKING

    command = error_signatures.command_of(event["parameters"])
    return command is not None and not _LOOKING.match(command)


def _newest(touches: list[Touch]) -> list[Touch]:
    return sorted(touches, key=lambda t: (t.at, t.number), reverse=True)


def _seconds(one: str, two: str) -> float:
    return (datetime.fromisoformat(one) - datetime.fromisoformat(two)).total_seconds()
