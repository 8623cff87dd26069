"""The questions about what was done. All of them read; none changes the file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ... import arguments
from ...errors import InvalidInput, NotFound
from ...safety import redact
from ...store import times
from ...store.times import When
from .. import rows
from ..answers import CoEdit, FileEvent, HotFile, ToolStats, Worked
from ..kinds import Status
from ..places import Places, one_spelling, spellings
from ..records import Execution, Interaction, SessionRecord, TaskRecord
from ..words import containing
from . import meant, together

if TYPE_CHECKING:
    from ...store.connection import Store

# Seed 000, co-edit query: changes within five minutes belong together.
CO_EDIT_SECONDS = 300
# Less than this is lost where SQLite reckons in days.
_LEAST_SECONDS = 0.0005
# A file's former names are followed so far back.
_RENAMES = 5
_EVERYTHING = 1_000_000


class History:
    """Questions of one project; see the methods."""

    def __init__(
        self,
        store: Store,
        places: Places,
        *,
        project: str = "",
        before_reading: Callable[[], object] = lambda: None,
    ) -> None:
        """`before_reading` is called before each question, to write what waits."""
        self._stored = store
        self._places = places
        self.project = project
        self._before_reading = before_reading

    # -- tasks and sessions

    def working_on(self, *, limit: int = 20) -> list[TaskRecord]:
        """Return the tasks that are active or paused; see `Questions.working_on`."""
        return self.unfinished(but_session=None, limit=limit)

    def unfinished(self, *, but_session: str | None, limit: int = 20) -> list[TaskRecord]:
        """Return the tasks that are active or paused, without those of one session."""
        return self._tasks("episodes.open_tasks", but_session=but_session, limit=_positive(limit))

    def tasks(
        self,
        *,
        session: str | None = None,
        status: Status | str | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[TaskRecord]:
        """Return tasks, the one begun last first; raises InvalidInput for a status or time that
        means nothing."""
        return self._tasks(
            "episodes.latest_tasks",
            session=arguments.optional(arguments.text, session, name="session"),
            status=None if status is None else arguments.member(Status, status, name="status"),
            since=self.since(since),
            limit=_positive(limit),
        )

    def task(self, name: str) -> TaskRecord:
        """Return the task of a name; raises NotFound."""
        number = self.reading().value("episodes.task_id_of", name=arguments.text(name, name="task"))
        found = [] if number is None else rows.tasks(self.reading(), [number])
        if not found:
            raise NotFound(f"no task named {name}; 'memkit task' lists those there are")
        return found[0]

    def sessions(self, *, limit: int = 20) -> list[SessionRecord]:
        """Return sessions, newest first."""
        found = self.reading().records(
            "episodes.sessions", project=self.project, limit=_positive(limit)
        )
        return [rows.session(row) for row in found]

    # -- calls

    def calls(
        self,
        text: str | None = None,
        *,
        session: str | None = None,
        task: str | None = None,
        tool: str | None = None,
        success: bool | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[Execution]:
        """Return calls of tools, newest first; see `Questions.calls`."""
        text = arguments.optional(arguments.text, text, name="text")
        found = self.reading().records(
            "episodes.calls",
            project=self.project,
            session=arguments.optional(arguments.text, session, name="session"),
            task=arguments.optional(arguments.text, task, name="task"),
            tool=arguments.optional(arguments.text, tool, name="tool"),
            success=arguments.optional(arguments.boolean, success, name="success"),
            since=self.since(since),
            words=_words(text, 0),
            respelt=None if text is None or text.isascii() else _words(text, -1),
            limit=_positive(limit),
        )
        return [rows.execution(row) for row in found]

    def tool_stats(
        self, *, since: When | None = None, until: When | None = None, tool: str | None = None
    ) -> list[ToolStats]:
        """Return calls, success rate and mean duration (ms) of each tool in a period, the most used
        first. `since` is a time or a phrase such as "last week" or "7 days"; None is ever since.

        Raises InvalidInput for a time that cannot be read; it is never taken for no limit.
        """
        found = self.reading().all(
            "episodes.tool_stats",
            project=self.project,
            since=self.since(since),
            until=self.until(until),
            tool=arguments.optional(arguments.text, tool, name="tool"),
        )
        return [
            ToolStats(name, calls, good, good / calls, None if mean is None else float(mean))
            for name, calls, good, mean in found
        ]

    # -- files

    def worked_on(self, path: str, *, limit: int = 5) -> Worked:
        """Return whether a file was worked on before; see `Questions.worked_on`."""
        stored = self.file(path)
        reads, changes, last = self.reading().one(
            "episodes.interaction_counts", project=self.project, path=stored
        ) or (0, 0, None)
        commits = self.reading().value("episodes.commit_count", project=self.project, path=stored)
        recent = self._interactions([stored], limit=_positive(limit))
        return Worked(stored, reads, changes, last, tuple(recent), commits or 0)

    def edited_together(
        self,
        path: str | None = None,
        *,
        within: float = CO_EDIT_SECONDS,
        since: When | None = None,
        least: int = 1,
        limit: int = 10,
    ) -> list[CoEdit]:
        """Return files that were changed together; see `Questions.edited_together`."""
        return together.edited_together(
            self.reading(),
            None if path is None else self._names(self.file(path)),
            project=self.project,
            within=arguments.seconds(within, name="within") + _LEAST_SECONDS,
            since=self.since(since),
            least=arguments.integer(least, name="least"),
            limit=_positive(limit),
        )

    def last_with(self, text: str, *, limit: int = 10) -> list[Interaction]:
        """Return what was last done with files that a text names; see `Questions.last_with`."""
        if not arguments.text(text, name="text").strip():
            raise InvalidInput("text: is empty; give a part of a path or of what was changed")
        found = self.reading().records(
            "episodes.interactions_with",
            project=self.project,
            path=containing(one_spelling(text)),
            pattern=containing(text),
            limit=_positive(limit),
        )
        return [rows.interaction(row) for row in found]

    def timeline(self, path: str, *, limit: int = 50) -> list[FileEvent]:
        """Return what happened to a file; see `Questions.timeline`."""
        paths = self._names(self.file(path))
        done = self._interactions(paths, limit=_positive(limit))
        done += self._interactions(paths, limit=_positive(limit), query="episodes.moves_away")
        found = [
            FileEvent(
                i.timestamp, i.path, i.operation, i.success, i.task, i.changes or i.context or ""
            )
            for i in {i.id: i for i in done}.values()
        ]
        commits = [
            row
            for name in paths
            for row in self.reading().all(
                "episodes.commits_of", project=self.project, path=name, limit=_positive(limit)
            )
        ]
        # What moves the file is told of both of its names.
        found += [
            FileEvent(at, after, operation, success=True, name=f"commit:{commit}", text=subject)
            for commit, at, subject, operation, after in dict.fromkeys(commits)
        ]
        return sorted(found, key=lambda event: event.at, reverse=True)[:limit]

    def hot_files(self, *, since: When | None = None, limit: int = 10) -> list[HotFile]:
        """Return files by how often they were changed, then worked on."""
        found = self.reading().all(
            "episodes.hot_files",
            project=self.project,
            since=self.since(since),
            limit=_positive(limit),
        )
        return [HotFile(path, touches) for path, _, touches in found]

    def paths_like(self, path: str, *, limit: int = 10) -> list[str]:
        """Return files in folders that are called as this one."""
        name = self.stored_path(path).rpartition("/")[2]
        return meant.called(self.reading(), name, project=self.project, limit=_positive(limit))

    def file(self, path: str) -> str:
        """Return the stored path of the file that is meant: a name alone may be that of a file in a
        folder."""
        return meant.file(self.reading(), self.stored_path(path), project=self.project)

    # -- inside

    def reading(self) -> Store:
        """Return the store, everything that was recorded so far written into it first."""
        self._before_reading()
        return self._stored

    def _tasks(self, query: str, **params: Any) -> list[TaskRecord]:
        store = self.reading()
        ids = [row[0] for row in store.all(query, project=self.project, **params)]
        return rows.tasks(store, ids)

    def _interactions(
        self, paths: list[str], *, limit: int, query: str = "episodes.interactions"
    ) -> list[Interaction]:
        found = self._stored.records(
            query, project=self.project, paths=json.dumps(paths), limit=limit
        )
        return [rows.interaction(row) for row in found]

    def _names(self, path: str) -> list[str]:
        names = [path]
        for name in names:
            if len(names) > _RENAMES:
                break
            before = self._stored.all("episodes.previous_paths", project=self.project, path=name)
            names += [found for (found,) in before if found not in names]
        return names

    def stored_path(self, path: str) -> str:
        """Return a path as it is stored; raises InvalidInput if it is none."""
        stored = self._places.stored(arguments.text(path, name="path"))
        if not stored:
            raise InvalidInput(
                f"path: found {arguments.shown(path)}, expected the path of a file; give one"
            )
        return stored

    def relative(self, text: str) -> str:
        """Return a text with the paths in it as parameters of calls are stored."""
        return self._places.relative(text)

    def since(self, value: When | None, *, name: str = "since") -> str | None:
        """Return a time or phrase in the stored form; raises InvalidInput with the valid forms."""
        if value is None:
            return None
        return times.parse_when(value, now=self._stored.clock(), name=name)

    def until(self, value: When | None) -> str | None:
        """Return the last moment of a time or phrase in the stored form."""
        return None if value is None else times.parse_until(value, now=self._stored.clock())


def _words(text: str | None, form: int) -> str | None:
    """Return the words of a text in one of its spellings as a JSON list, without the secrets that
    are not stored either."""
    if text is None:
        return None
    return json.dumps([spellings(one_spelling(word))[form] for word in redact(text).text.split()])


def _positive(limit: int) -> int:
    return min(arguments.integer(limit, name="limit"), _EVERYTHING)
