"""Mining co-edits, error fixes, sequences, workflows from ended tasks."""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby, islice
from typing import TYPE_CHECKING

import attrs

from ..frozen import frozen
from ..store import timestamps
from ..store.store import local_setting, set_local_setting
from . import failures, results
from .error_signatures import same_call
from .history import CO_EDIT_SECONDS
from .paths import OUTSIDE
from .patterns import LearnReport, Pattern, Patterns, Sighting
from .records import CHANGING, FileOperation, LearningType, PatternType, TaskStatus
from .results import FileInteraction, Fix, ToolExecution
from .workflows import Run, Workflow, find_workflows, steps_of

if TYPE_CHECKING:
    from ..store.store import Store


# --- Sequences of tools that come again. Pure functions of calls in their order.

# Longer sequences are told by shorter ones; shorter ones tell nothing.
SHORTEST, LONGEST = 3, 5
# Seen in so many tasks, a sequence is a way of working and no accident (seed 000: three co-edits).
MIN_TASKS = 3
MAX_REPEATED = 12


def collapsed(names: Iterable[str]) -> tuple[str, ...]:
    """Return the names in order, without repeats next to each other."""
    return tuple(name for name, _ in groupby(names))


def repeated(tasks: Mapping[str, Sequence[str]]) -> dict[tuple[str, ...], set[str]]:
    """Return sequences that occur in several tasks, the MAX_REPEATED most frequent ones, with the
    names of those tasks; one inside a longer sequence of the same tasks is left out."""
    occurrences: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
    for name, names in tasks.items():
        for length in range(SHORTEST, LONGEST + 1):
            for start in range(len(names) - length + 1):
                part = tuple(names[start : start + length])
                if len(set(part)) >= SHORTEST:  # to and fro between two is no way of working
                    occurrences[part].add(name)
    often = {part: seen for part, seen in occurrences.items() if len(seen) >= MIN_TASKS}
    whole = {part: seen for part, seen in often.items() if not _is_inside(part, seen, often)}
    best = sorted(whole, key=lambda part: (-len(whole[part]), -len(part), part))
    return {part: whole[part] for part in best[:MAX_REPEATED]}


def _is_inside(
    part: tuple[str, ...], seen: set[str], others: Mapping[tuple[str, ...], set[str]]
) -> bool:
    """Whether a longer sequence holds this one, in as many tasks."""
    return any(
        len(other) > len(part) and len(others[other]) >= len(seen) and _holds(other, part)
        for other in others
    )


def _holds(whole: tuple[str, ...], part: tuple[str, ...]) -> bool:
    return any(
        whole[start : start + len(part)] == part for start in range(len(whole) - len(part) + 1)
    )


def telling_words(texts: Iterable[str]) -> list[str]:
    """Return the five words that occur in most of the texts, those in at least two."""
    counts: Counter[str] = Counter()
    for text in texts:
        counts.update({w.lower() for w in re.findall(r"[^\W\d_]{4,}", text)} - _COMMON)
    often = sorted((w for w in counts if counts[w] > 1), key=lambda word: (-counts[word], word))
    return often[:5]


_COMMON = frozenset(
    "about after again also been before change changed code does done file files find fixed from "
    "have into like look make need next only read should some that their them then there these "
    "they this update updated using want when where which while will with would your".split()
)


# --- What one task bears out, and what it goes against: pairs, fixes, refactorings. Pure
# functions.

# In a task of more files only those changed within five minutes belong together.
MAX_FILES = 12
_MAX_PAIRS = 200
_MAX_COMMANDS = 3
_LONGEST_COMMAND = 200


@frozen
class Group:
    """A task, or what a session did without one: its calls and files in their order."""

    session: str
    task: str | None
    status: str | None
    description: str
    calls: tuple[ToolExecution, ...]
    files: tuple[FileInteraction, ...]

    @property
    def name(self) -> str:
        """The name of the task, or of the session."""
        return self.task or self.session

    @property
    def changed(self) -> dict[str, list[str]]:
        """When each file was changed, in order. Files outside the root go with nothing here: of
        them no more than a name is known."""
        moments: dict[str, list[str]] = {}
        for file in self.files:
            is_kept = file.operation in CHANGING and file.operation != FileOperation.DELETE
            if file.success and is_kept and not file.path.startswith(OUTSIDE):
                moments.setdefault(file.path, []).append(file.timestamp)
        return moments


def sightings(group: Group, known: Iterable[Pattern]) -> Iterator[Sighting]:
    """Yield what a task says of patterns; `known` are the pairs its files are in so far."""
    yield from _together(group, known)
    yield from _error_fixes(group)
    yield from _refactors(group)


def pair(path: str, other: str, at: str, evidence: tuple[str, ...], *, held: int = 1) -> Sighting:
    """Return a sighting of two files that were changed together (`held` 0: only one of them)."""
    files = sorted([path, other])
    data = {"files": files, "operations": ["edit", "edit"], "within_seconds": CO_EDIT_SECONDS}
    return Sighting(PatternType.CO_EDIT, files, data, at, evidence, held=held, failed=1 - held)


# -- inside


def _together(group: Group, known: Iterable[Pattern]) -> Iterator[Sighting]:
    changed = group.changed
    few = len(changed) <= MAX_FILES
    pairs = combinations(sorted(changed), 2) if few else _near(changed)
    for path, other in islice(pairs, _MAX_PAIRS):
        yield pair(path, other, max(changed[path][-1], changed[other][-1]), (group.name,))
    # A pair from git's log is counted there.
    alone = {p.id: p for p in known if not set(p.files) <= set(changed) and "source" not in p.data}
    for pattern in alone.values():
        path, other = pattern.files
        yield pair(path, other, pattern.last_seen, (), held=0)


def _near(changed: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str]]:
    """Yield the files that were changed within five minutes of each other, each pair once, as time
    goes on: all pairs of a long task are more than can be compared."""
    moments = sorted((timestamps.to_epoch(at), path) for path in changed for at in changed[path])
    last: dict[str, float] = {}  # the latest at the end
    seen: set[tuple[str, str]] = set()
    for moment, path in moments:
        last.pop(path, None)
        for other, before in reversed(last.items()):
            if moment - before > CO_EDIT_SECONDS:
                break
            key = (min(path, other), max(path, other))
            if key not in seen:
                seen.add(key)
                yield key
        last[path] = moment


def _error_fixes(group: Group) -> Iterator[Sighting]:
    """Yield what got over a fault, and the same changes when they did not.

    Of one run of failures the last counts: what was changed before it did not help.
    """
    last: dict[tuple[str, int], Fix] = {}
    finished = {group.task} if group.status == TaskStatus.COMPLETED else set()
    for fix in failures.fixes(group.calls, group.files, finished):
        last[fix.signature, fix.passed.id] = fix
    for fix in last.values():
        files = _inside(fix.edits)
        did = [] if files else [deed[:_LONGEST_COMMAND] for deed in fix.deeds[-_MAX_COMMANDS:]]
        yield _fix(fix.signature, files, fix.passed.timestamp, fix.failed, held=1, did=did)
    for attempt in failures.attempts(group.calls, group.files):
        if attempt.check is not None and attempt.check.error_signature:
            files = _inside(attempt.edits)
            yield _fix(attempt.check.error_signature, files, attempt.at, attempt.check, held=0)


def _inside(edits: Iterable[FileInteraction]) -> list[str]:
    paths = dict.fromkeys(edit.path for edit in edits)
    return [path for path in paths if not path.startswith(OUTSIDE)]


def _fix(
    error: str,
    files: list[str],
    at: str,
    call: ToolExecution,
    *,
    held: int,
    did: Sequence[str] = (),
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
        if file.operation is not FileOperation.RENAME or not file.previous_path or not file.success:
            continue
        after = [f for f in group.files[place + 1 :] if f.success and f.operation in CHANGING]
        files = list(dict.fromkeys(f.path for f in after if f.path != file.path))
        if files:
            folder = file.previous_path.rpartition("/")[0]
            data = {"folder": folder, "renamed": [file.previous_path, file.path], "files": files}
            yield Sighting(
                PatternType.REFACTOR, ["rename", folder], data, file.timestamp, (group.name,)
            )


# --- Learns patterns and learnings from what was recorded since the last time.
#
# A task is looked at once, when it is over (or its session, or nothing was done for half an
# hour). Each pattern it bears out is strengthened and each it goes against is weakened, so
# evidence of many machines adds up and a trimmed log takes nothing away. Workflows are handed to
# `keep`, which makes procedural memories of them.

_IDLE_SECONDS = 1800  # nothing was done for so long: the task is over, whatever it says
# Tasks whose steps are compared, the newest.
_COMPARED = 200
# Commits that pairs are counted in, and files of one at most.
_MINED_COMMITS = 5_000
_MINED_FILES = 30
# Commits that change a pair (seed 000), and the strongest pairs that become patterns.
_MIN_TOGETHER, _MAX_MINED = 3, 200
# Characters of a description that tell what a file is for; what follows are details.
_MAX_TEXT = 160
_Session = tuple[list[ToolExecution], list[FileInteraction]]


@frozen
class _Pending:
    """Tasks not learnt from yet: those that are over, those under way, the newest row of all."""

    over: Sequence[tuple[str, str | None, str | None, str]]
    under_way: Sequence[tuple[str, str | None]]
    newest: int


class Learner:
    """Learns for one project; `keep` takes the workflows that there are, whenever it learns."""

    def __init__(
        self,
        store: Store,
        patterns: Patterns,
        *,
        project: str = "",
        keep: Callable[[Sequence[Workflow]], object] = lambda workflows: None,
    ) -> None:
        self._store = store
        self._patterns = patterns
        self._project = project
        self._setting = f"learning.state:{project}"
        self._keep = keep
        self._last_session: tuple[str, _Session] | None = None

    def learn(self, *, everything: bool = False) -> LearnReport:
        """Learn from the tasks that came to an end since the last time; return what was learnt.

        With `everything`, tasks that are still under way are taken as they are. Where there is
        nothing to learn nothing is written.
        """
        if not self._pending(everything=everything).over:
            return LearnReport()
        learnt = self._store.write(lambda: self._learn(everything=everything))
        self._keep(learnt.workflows)
        return learnt

    def mined(self) -> int:
        """Make patterns of the strongest pairs of files in git's log; return how many."""
        return self._store.write(self._mined)

    # -- inside

    def _learn(self, *, everything: bool) -> LearnReport:
        self._last_session = None
        pending = self._pending(everything=everything)
        state = {"after": pending.newest, "waiting": pending.under_way}
        set_local_setting(self._store, self._setting, state)
        groups = [self._group(*row) for row in pending.over]
        seen = [sighting for group in groups for sighting in sightings(group, self._known(group))]
        workflows, ways = self._ways()
        for sighting in (*seen, *ways):
            self._patterns.see(sighting)
        learnings = sum(self._learnings(group) for group in groups)
        return LearnReport(len(groups), len(seen) + len(ways), learnings, tuple(workflows))

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
        state = local_setting(self._store, self._setting, {})
        try:
            waiting = [(str(session), task and str(task)) for session, task in state["waiting"]]
            return min(int(state["after"]), 1 << 62), waiting
        except (KeyError, TypeError, ValueError, OverflowError):
            return 0, []  # of another form: as if nothing were noted

    def _group_state(self, session: str, task: str | None) -> tuple[str | None, str, bool]:
        status, description, ended, *last = self._store.first(
            "episodes_patterns.group_state", session=session, task=task
        ) or (None, None, None, None, None)
        newest = max((at for at in last if at), default=None)
        idle = newest is None or self._store.clock() - timestamps.to_epoch(newest) > _IDLE_SECONDS
        is_over = status in (TaskStatus.COMPLETED, TaskStatus.FAILED) or ended is not None or idle
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
            calls = results.session_calls(self._store, session)
            self._last_session = (session, (calls, results.session_files(self._store, session)))
        return self._last_session[1]

    def _known(self, group: Group) -> list[Pattern]:
        paths = list(group.changed)[:MAX_FILES]
        return [p for path in paths for p in self._patterns.find("co-edit", path, active=None)]

    # -- learnings

    def _learnings(self, group: Group) -> int:
        """Note what the files of a task are for, and which faults come again."""
        count = 0
        for path in list(group.changed)[:MAX_FILES]:
            count += self._learn_purpose(group, path)
        for signature in {call.error_signature for call in group.calls if call.error_signature}:
            count += self._learn_error(group, signature)
        return count

    def _learn_purpose(self, group: Group, path: str) -> bool:
        about = {"project": self._project, "path": path}
        rows = self._store.all("episodes_patterns.purpose", **about, limit=40)
        reasons = list(dict.fromkeys(reason[:_MAX_TEXT] for reason, _, _ in rows if reason))
        tasks = list(dict.fromkeys(task[:_MAX_TEXT] for _, task, _ in rows if task))
        words = telling_words([*reasons, *tasks])
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
            project=self._project, signature=signature, words=None, command=None,
            since=None, limit=1,
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
        runs: list[Run] = []
        latest = {"project": self._project, "limit": _COMPARED}
        for session, task, at in self._store.all("episodes_patterns.latest_groups", **latest):
            group = self._group(session, task, *self._group_state(session, task)[:2])
            tools[group.name] = collapsed(call.tool for call in group.calls)
            failed = group.status == TaskStatus.FAILED
            runs.append(Run(session, group.description, failed, at, steps_of(group.calls)))
        ended = max((run.at for run in runs), default="")
        sequences = [_sequence(part, seen, ended) for part, seen in repeated(tools).items()]
        workflows = find_workflows(runs)
        return workflows, [*sequences, *map(_seen, workflows)]

    def _mined(self) -> int:
        among = {
            "commits": _MINED_COMMITS,
            "max_files": _MINED_FILES,
            "min_count": _MIN_TOGETHER,
            "limit": _MAX_MINED,
        }
        pairs = self._store.all("episodes_patterns.mined_pairs", project=self._project, **among)
        ids = json.dumps(sorted({number for pair in pairs for number in pair[:2]}))
        names = {n: said for n, *said in self._store.all("episodes_patterns.mined_names", ids=ids)}
        for file_id, other_id, together, first, last, _ in pairs:
            (name, changes), (its, others) = names[file_id], names[other_id]
            hashes = self._store.all(
                "episodes_patterns.pair_hashes", file=file_id, other=other_id, limit=3
            )
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


def _sequence(part: tuple[str, ...], seen: set[str], at: str) -> Sighting:
    data, names = {"steps": list(part)}, tuple(sorted(seen))
    return Sighting(PatternType.SEQUENCE, part, data, at, names, held=len(seen), absolute=True)


def _seen(flow: Workflow) -> Sighting:
    held, data = len(flow.sessions), {"steps": list(flow.steps)}
    return Sighting(
        PatternType.WORKFLOW, flow.steps, data, flow.last_at, flow.sessions,
        held=held, failed=flow.failed, absolute=True,
    )  # fmt: skip
