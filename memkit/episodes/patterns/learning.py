"""Learns patterns and learnings from what was recorded since the last time.

A task is looked at once, when it is over (or its session, or nothing was done for half an hour).
Each pattern it bears out is strengthened and each it goes against is weakened, so evidence of many
machines adds up and a trimmed log takes nothing away. Workflows are handed to `keep`, which makes
procedural memories of them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import attrs

from ...store import times
from ...store.local_settings import local_setting, set_local_setting
from .. import rows
from ..kinds import LearningType, PatternType, Status
from ..records import Execution, Interaction
from . import steps
from .patterns import Patterns
from .records import Learnt, Pattern, Sighting, Workflow
from .sightings import MOST_FILES, Group, pair, sightings

if TYPE_CHECKING:
    from ...store.connection import Store

_IDLE_SECONDS = 1800  # nothing was done for so long: the task is over, whatever it says
_ROWS = 5_000
# Tasks whose steps are compared, the newest.
_COMPARED = 200
# Commits that pairs are counted in, and files of one at most.
_MINED_COMMITS = 5_000
_MINED_FILES = 30
# Characters of a description that tell what a file is for; what follows are details.
_TOLD = 160
_Session = tuple[list[Execution], list[Interaction]]


@attrs.frozen
class _Pending:
    """Tasks not learnt from yet: those that are over, those under way, the newest row of all."""

    over: Sequence[tuple[str, str | None, str | None, str]]
    under_way: Sequence[tuple[str, str | None]]
    newest: int


class Learner:
    """Learns for one project; `keep` takes each workflow that is found, again when it changes."""

    def __init__(
        self,
        store: Store,
        patterns: Patterns,
        *,
        project: str = "",
        keep: Callable[[Workflow], object] = lambda workflow: None,
    ) -> None:
        self._store = store
        self._patterns = patterns
        self._project = project
        self._setting = f"learning.state:{project}"
        self._keep = keep
        self._last_session: tuple[str, _Session] | None = None

    def learn(self, *, everything: bool = False) -> Learnt:
        """Learn from the tasks that came to an end since the last time; return what was learnt.

        With `everything`, tasks that are still under way are taken as they are. Where there is
        nothing to learn nothing is written.
        """
        if not self._pending(everything=everything).over:
            return Learnt()
        found = self._store.write(lambda: self._learn(everything=everything))
        for workflow in found.workflows:
            self._keep(workflow)
        return found

    def mined(self, *, least: int = 3, limit: int = 200) -> int:
        """Make patterns of the strongest pairs of files in git's log; return how many.

        Seed 000 asks for three changes together.
        """
        return self._store.write(lambda: self._mined(least, limit))

    # -- inside

    def _learn(self, *, everything: bool) -> Learnt:
        self._last_session = None
        pending = self._pending(everything=everything)
        self._set_state(pending.newest, pending.under_way)
        groups = [self._group(*one) for one in pending.over]
        seen = [sighting for group in groups for sighting in sightings(group, self._known(group))]
        workflows, ways = self._ways()
        for sighting in (*seen, *ways):
            self._patterns.see(sighting)
        learnings = sum(self._learnings(group) for group in groups)
        return Learnt(len(groups), len(seen) + len(ways), learnings, tuple(workflows))

    def _pending(self, *, everything: bool) -> _Pending:
        after, waiting = self._state()
        new = self._store.all("episodes_patterns.new_groups", project=self._project, after=after)
        over, under_way = [], []
        for session, task in dict.fromkeys([*waiting, *((row[0], row[1]) for row in new)]):
            status, description, is_over = self._group_state(session, task)
            if is_over or everything:
                over.append((session, task, status, description))
            else:
                under_way.append((session, task))
        return _Pending(over, under_way, max([after, *(last for _, _, last in new)]))

    def _state(self) -> tuple[int, list[tuple[str, str | None]]]:
        kept = local_setting(self._store, self._setting, {})
        try:
            waiting = [(str(session), task and str(task)) for session, task in kept["waiting"]]
            return min(int(kept["after"]), 1 << 62), waiting
        except (KeyError, TypeError, ValueError, OverflowError):
            return 0, []  # of another form: as if nothing were noted

    def _set_state(self, after: int, waiting: Sequence[Sequence[str | None]]) -> None:
        set_local_setting(self._store, self._setting, {"after": after, "waiting": waiting})

    def _group_state(self, session: str, task: str | None) -> tuple[str | None, str, bool]:
        status, description, ended, *last = self._store.one(
            "episodes_patterns.group_state", session=session, task=task
        ) or (None, None, None, None, None)
        newest = max((at for at in last if at), default=None)
        idle = newest is None or self._store.clock() - times.to_epoch(newest) > _IDLE_SECONDS
        is_over = status in (Status.COMPLETED, Status.FAILED) or ended is not None or idle
        return status, description or "", is_over

    def _group(self, session: str, task: str | None, status: str | None, description: str) -> Group:
        calls, files = self._session(session)
        return Group(
            session,
            task,
            status,
            description,
            tuple(call for call in calls if call.task == task),
            tuple(file for file in files if file.task == task),
        )

    def _session(self, session: str) -> _Session:
        """Return calls and files of a session; the last one that was asked for is kept, because its
        tasks are asked for one after the other."""
        if self._last_session is None or self._last_session[0] != session:
            calls = self._store.records("episodes.calls_of_session", session=session, limit=_ROWS)
            files = self._store.records("episodes.files_of_session", session=session, limit=_ROWS)
            read = [rows.execution(row) for row in calls], [rows.interaction(row) for row in files]
            self._last_session = (session, read)
        return self._last_session[1]

    def _known(self, group: Group) -> list[Pattern]:
        paths = list(group.changed)[:MOST_FILES]
        return [p for path in paths for p in self._patterns.find("co-edit", path, active=None)]

    # -- learnings

    def _learnings(self, group: Group) -> int:
        """Note what the files of a task are for, and which faults come again."""
        count = 0
        for path in list(group.changed)[:MOST_FILES]:
            count += self._learn_purpose(group, path)
        for signature in {call.error_signature for call in group.calls if call.error_signature}:
            count += self._learn_error(group, signature)
        return count

    def _learn_purpose(self, group: Group, path: str) -> bool:
        about = {"project": self._project, "path": path}
        found = self._store.all("episodes_patterns.purpose", **about, limit=40)
        reasons = list(dict.fromkeys(reason[:_TOLD] for reason, _, _ in found if reason))
        tasks = list(dict.fromkeys(task[:_TOLD] for _, task, _ in found if task))
        words = steps.telling_words([*reasons, *tasks])
        if not words or len(tasks) < 2:
            return False
        data = {"words": words, "reasons": reasons[:3], "tasks": tasks[:3]}
        at = max(file.timestamp for file in group.files if file.path == path)
        self._patterns.learn(
            LearningType.FILE_PURPOSE, path, data,
            session=group.session, held=len(tasks), at=at, evidence=[group.name],
        )  # fmt: skip
        return True

    def _learn_error(self, group: Group, signature: str) -> bool:
        known = self._patterns.find(PatternType.ERROR_FIX, error=signature, limit=3)
        calls = [call for call in group.calls if call.error_signature == signature]
        # As often as its calls are there, and the fixes that are remembered say.
        times_seen = self._store.all(
            "episodes.errors",
            project=self._project, signature=signature, words=None, since=None, limit=1,
        )  # fmt: skip
        count = times_seen[0][1] if times_seen else len(calls)
        if count < 2:
            return False
        data = {
            "message": calls[-1].error or signature,
            "fixed_by": [list(pattern.files) for pattern in known],
        }
        self._patterns.learn(
            LearningType.COMMON_ERROR, signature, data,
            session=group.session, held=count, at=calls[-1].timestamp, evidence=[group.name],
        )  # fmt: skip
        return True

    # -- over many tasks

    def _ways(self) -> tuple[list[Workflow], list[Sighting]]:
        """Return workflows, and sightings of them and of sequences of tools, among the newest
        tasks."""
        tools: dict[str, tuple[str, ...]] = {}
        ways: dict[str, tuple[str, ...]] = {}
        status: dict[str, str | None] = {}
        ended = ""
        latest = {"project": self._project, "limit": _COMPARED}
        for session, task, at in self._store.all("episodes_patterns.latest_groups", **latest):
            group = self._group(session, task, *self._group_state(session, task)[:2])
            tools[group.name] = steps.collapsed(call.tool for call in group.calls)
            ways[group.name] = steps.collapsed(map(steps.step_of, group.calls))
            status[group.name] = group.status
            ended = max(ended, at)
        sequences = [
            _sequence(PatternType.SEQUENCE, part, seen, ended)
            for part, seen in steps.repeated(tools).items()
        ]
        found = [_workflow(part, seen, status) for part, seen in steps.repeated(ways).items()]
        flows = [
            attrs.evolve(
                _sequence(PatternType.WORKFLOW, flow.steps, set(flow.tasks), ended),
                held=flow.completed or len(flow.tasks),
                failed=flow.failed,
            )
            for flow in found
        ]
        return found, [*sequences, *flows]

    def _mined(self, least: int, limit: int) -> int:
        among = {"commits": _MINED_COMMITS, "most": _MINED_FILES, "least": least, "limit": limit}
        pairs = self._store.all("episodes_patterns.mined_pairs", project=self._project, **among)
        ids = json.dumps(sorted({number for pair in pairs for number in pair[:2]}))
        names = {n: said for n, *said in self._store.all("episodes_patterns.mined_names", ids=ids)}
        for one, other, together, first, last, _ in pairs:
            (name, changes), (its, others) = names[one], names[other]
            hashes = self._store.all("episodes_patterns.pair_hashes", one=one, other=other, limit=3)
            self._patterns.see(
                attrs.evolve(
                    pair(name, its, last, tuple(f"commit:{h}" for (h,) in reversed(hashes))),
                    data={"files": sorted([name, its]), "source": "git"},
                    same=["git", *sorted([name, its])],
                    held=together,
                    failed=max(0, min(changes, others) - together),
                    absolute=True,
                    first=first,
                )
            )
        return len(pairs)


def _sequence(kind: PatternType, part: tuple[str, ...], seen: set[str], at: str) -> Sighting:
    return Sighting(
        kind, part, {"steps": list(part)}, at, tuple(sorted(seen)), held=len(seen), absolute=True
    )


def _workflow(part: tuple[str, ...], seen: set[str], status: dict[str, str | None]) -> Workflow:
    ends = [status[name] for name in seen]
    return Workflow(
        " → ".join(part),
        part,
        tuple(sorted(seen)),
        completed=ends.count(Status.COMPLETED),
        failed=ends.count(Status.FAILED),
    )
