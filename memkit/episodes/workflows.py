"""Workflows: sequences of commands that recur over sessions and come off.

Only commands that do something are steps (a test, a build, a push), each of them once: what merely
looks is left out, and to and fro between two commands is no way of working. What a sequence is for
is told by the words that the tasks it was run in have in common.
"""

from __future__ import annotations

import re
import shlex
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import NamedTuple

import attrs

from ..text.word_lists import STOP
from .error_signatures import command_of, program_of
from .recording.tool_calls import chained
from .redundant_calls import is_look
from .results import ToolExecution

# Seen to come off in so many sessions, a sequence is a way of working and no accident (seed 000:
# three co-edits).
MIN_SESSIONS = 3
# Two commands one after the other tell little; longer ones are told by shorter ones.
SHORTEST, LONGEST = 3, 6
# Workflows of a project, those of the most sessions.
MAX_WORKFLOWS = 12
# Share of its sessions in whose tasks a word must stand to be the name of a workflow.
_NAMING_SHARE = 2 / 3
_NAME = re.compile(r"[^\W\d_]{4,}")
_SCRIPT = re.compile(r"(?<=\w)\.(?:sh|bash|py|js|mjs|ts|rb|pl|php)$")


class Step(NamedTuple):
    """A command that was run: what it does (`git push`), the line, whether it came off."""

    name: str
    line: str
    success: bool


class Run(NamedTuple):
    """What was run in a task, or in a session without one.

    Attributes:
        said: what was wanted. failed: whether the task did.
        at: when the last of it was run, UTC text.
    """

    session: str
    said: str
    failed: bool
    at: str
    steps: tuple[Step, ...]


@attrs.frozen
class Workflow:
    """A sequence of commands that came off in several sessions.

    Attributes:
        name: what it is for, or its last step if nobody said. steps: what is done, in order.
        commands: each step as it was run last. sessions: those in which it came off.
        failed: how many others ran it in vain. last_at: when it came off last, UTC text.
    """

    name: str
    steps: tuple[str, ...]
    commands: tuple[str, ...]
    sessions: tuple[str, ...]
    failed: int
    last_at: str

    @property
    def hint(self) -> str:
        """It in a line: deploy: test→build→stage."""
        return f"{self.name}: {'→'.join(briefly(self.steps))}"


def steps_of(calls: Iterable[ToolExecution]) -> tuple[Step, ...]:
    """Return the commands of calls that do something, in order; one that was run again and again
    counts once, as it ended."""
    steps = (step for call in calls for step in _steps(call))
    return tuple(list(again)[-1] for _, again in groupby(steps, key=lambda step: step.name))


def find_workflows(runs: Sequence[Run]) -> list[Workflow]:
    """Return the workflows among runs, the oldest first, those of the most sessions first."""
    held: dict[tuple[str, ...], dict[str, _Occurrence]] = defaultdict(dict)
    failed: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for run in runs:
        for part in _parts(run.steps):
            names = tuple(step.name for step in part)
            if run.failed or not all(step.success for step in part):
                failed[names].add(run.session)
            else:
                held[names][run.session] = _Occurrence(run, tuple(step.line for step in part))
    often = {
        names: seen
        for names, seen in held.items()
        if len(seen) >= MIN_SESSIONS and 2 * len(failed[names] - seen.keys()) <= len(seen)
    }
    flows = [
        _workflow(names, seen, len(failed[names] - seen.keys()))
        for names, seen in _told_once(often).items()
    ]
    flows.sort(key=lambda flow: (-len(flow.sessions), -len(flow.steps), flow.steps))
    return flows[:MAX_WORKFLOWS]


def briefly(steps: Sequence[str]) -> tuple[str, ...]:
    """Return steps without the program that runs them (`git push`: push), where that leaves each a
    name of its own."""
    short = [_SCRIPT.sub("", step.rpartition(" ")[2]) for step in steps]
    counts = Counter(short)
    return tuple(
        name if counts[name] == 1 else step for name, step in zip(short, steps, strict=True)
    )


# -- inside


class _Occurrence(NamedTuple):
    run: Run
    lines: tuple[str, ...]


def _steps(call: ToolExecution) -> Iterator[Step]:
    command = command_of(call.parameters)
    if command is None or "\n" in command.strip():  # a script has its own order
        return
    for words in chained(command):
        line = shlex.join(words)
        name = (
            None if words[0] == "cd" or is_look(call.tool, {"command": line}) else program_of(line)
        )
        if name is not None:
            yield Step(name, line, bool(call.success))


def _parts(steps: Sequence[Step]) -> Iterator[Sequence[Step]]:
    """Yield the stretches of steps of which each is another one."""
    for start in range(len(steps)):
        for end in range(start + SHORTEST, min(start + LONGEST, len(steps)) + 1):
            part = steps[start:end]
            if len({step.name for step in part}) < len(part):
                break
            yield part


def _told_once(
    often: Mapping[tuple[str, ...], Mapping[str, _Occurrence]],
) -> dict[tuple[str, ...], Mapping[str, _Occurrence]]:
    """Return sequences without those that are the same steps begun elsewhere (of a, b, c over and
    over also b, c, a) and those inside a longer one that is usual too."""
    by_steps: dict[frozenset[str], tuple[str, ...]] = {}
    first_at = {
        names: min(occurrence.run.at for occurrence in seen.values())
        for names, seen in often.items()
    }
    for names in sorted(often, key=lambda names: (-len(often[names]), first_at[names])):
        by_steps.setdefault(frozenset(names), names)
    usual = by_steps.values()
    return {
        names: often[names]
        for names in usual
        if not any(
            len(other) > len(names)
            and set(names) <= set(other)
            and 2 * len(often[other]) >= len(often[names])
            for other in usual
        )
    }


def _workflow(names: tuple[str, ...], seen: Mapping[str, _Occurrence], failed: int) -> Workflow:
    last = max(seen.values(), key=lambda occurrence: occurrence.run.at)
    said = [occurrence.run.said for occurrence in seen.values()]
    name = _common_word(said) or briefly(names)[-1]
    return Workflow(name, names, last.lines, tuple(sorted(seen)), failed, last.run.at)


def _common_word(texts: Sequence[str]) -> str | None:
    """Return the word that stands in most of some texts, of equals the one that comes first."""
    counts: Counter[str] = Counter()
    for text in texts:
        words = dict.fromkeys(word.lower() for word in _NAME.findall(text))
        counts.update(word for word in words if word not in STOP)
    often = [word for word in counts if counts[word] >= len(texts) * _NAMING_SHARE]
    return max(often, key=counts.__getitem__, default=None)
