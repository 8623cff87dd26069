"""Tasks, sessions, calls, file timelines, tool statistics, similar tasks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound
from ..redaction import redact
from ..store import timestamps
from ..store.timestamps import When
from ..text.analyzer import by_stem, containing, words_of
from . import paths as paths_
from . import results
from .paths import Places, one_spelling, spellings
from .predictions import co_change
from .records import Execution, Interaction, SessionRecord, Status, TaskRecord
from .results import CoEdit, FileEvent, HotFile, SimilarTask, ToolStats, Worked

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Vector
    from ..store.store import Store


# --- The questions about what was done. All of them read; none changes the file.

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
            session=validation.optional(validation.text, session, name="session"),
            status=None if status is None else validation.member(Status, status, name="status"),
            since=self.since(since),
            limit=_positive(limit),
        )

    def task(self, name: str) -> TaskRecord:
        """Return the task of a name; raises NotFound."""
        number = self.reading().value(
            "episodes.task_id_of", name=validation.text(name, name="task")
        )
        tasks = [] if number is None else results.tasks(self.reading(), [number])
        if not tasks:
            raise NotFound(f"no task named {name}; 'memkit task' lists those there are")
        return tasks[0]

    def sessions(self, *, limit: int = 20) -> list[SessionRecord]:
        """Return sessions, newest first."""
        rows = self.reading().records(
            "episodes.sessions", project=self.project, limit=_positive(limit)
        )
        return [results.session(row) for row in rows]

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
        text = validation.optional(validation.text, text, name="text")
        rows = self.reading().records(
            "episodes.calls",
            project=self.project,
            session=validation.optional(validation.text, session, name="session"),
            task=validation.optional(validation.text, task, name="task"),
            tool=validation.optional(validation.text, tool, name="tool"),
            success=validation.optional(validation.boolean, success, name="success"),
            since=self.since(since),
            words=_words(text, 0),
            respelt=None if text is None or text.isascii() else _words(text, -1),
            limit=_positive(limit),
        )
        return [results.execution(row) for row in rows]

    def tool_stats(
        self, *, since: When | None = None, until: When | None = None, tool: str | None = None
    ) -> list[ToolStats]:
        """Return calls, success rate and mean duration (ms) of each tool in a period, the most used
        first. `since` is a time or a phrase such as "last week" or "7 days"; None is ever since.

        Raises InvalidInput for a time that cannot be read; it is never taken for no limit.
        """
        rows = self.reading().all(
            "episodes.tool_stats",
            project=self.project,
            since=self.since(since),
            until=self.until(until),
            tool=validation.optional(validation.text, tool, name="tool"),
        )
        return [
            ToolStats(name, calls, good, good / calls, None if mean is None else float(mean))
            for name, calls, good, mean in rows
        ]

    # -- files

    def worked_on(self, path: str, *, limit: int = 5) -> Worked:
        """Return whether a file was worked on before; see `Questions.worked_on`."""
        stored = self.file(path)
        reads, changes, last = self.reading().first(
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
        min_count: int = 1,
        limit: int = 10,
    ) -> list[CoEdit]:
        """Return files that were changed together; see `Questions.edited_together`."""
        return co_change.edited_together(
            self.reading(),
            None if path is None else self._names(self.file(path)),
            project=self.project,
            within=validation.seconds(within, name="within") + _LEAST_SECONDS,
            since=self.since(since),
            min_count=validation.integer(min_count, name="min_count"),
            limit=_positive(limit),
        )

    def last_with(self, text: str, *, limit: int = 10) -> list[Interaction]:
        """Return what was last done with files that a text names; see `Questions.last_with`."""
        if not validation.text(text, name="text").strip():
            raise InvalidInput("text: is empty; give a part of a path or of what was changed")
        rows = self.reading().records(
            "episodes.interactions_with",
            project=self.project,
            path=containing(one_spelling(text)),
            pattern=containing(text),
            limit=_positive(limit),
        )
        return [results.interaction(row) for row in rows]

    def timeline(self, path: str, *, limit: int = 50) -> list[FileEvent]:
        """Return what happened to a file; see `Questions.timeline`."""
        paths = self._names(self.file(path))
        done = self._interactions(paths, limit=_positive(limit))
        done += self._interactions(paths, limit=_positive(limit), query="episodes.moves_away")
        events = [
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
        events += [
            FileEvent(at, after, operation, success=True, name=f"commit:{commit}", text=subject)
            for commit, at, subject, operation, after in dict.fromkeys(commits)
        ]
        return sorted(events, key=lambda event: event.at, reverse=True)[:limit]

    def hot_files(self, *, since: When | None = None, limit: int = 10) -> list[HotFile]:
        """Return files by how often they were changed, then worked on."""
        rows = self.reading().all(
            "episodes.hot_files",
            project=self.project,
            since=self.since(since),
            limit=_positive(limit),
        )
        return [HotFile(path, touches) for path, _, touches in rows]

    def paths_like(self, path: str, *, limit: int = 10) -> list[str]:
        """Return files in folders that are called as this one."""
        name = self.stored_path(path).rpartition("/")[2]
        return paths_.called(self.reading(), name, project=self.project, limit=_positive(limit))

    def file(self, path: str) -> str:
        """Return the stored path of the file that is meant: a name alone may be that of a file in a
        folder."""
        return paths_.file(self.reading(), self.stored_path(path), project=self.project)

    # -- inside

    def reading(self) -> Store:
        """Return the store, everything that was recorded so far written into it first."""
        self._before_reading()
        return self._stored

    def _tasks(self, query: str, **params: Any) -> list[TaskRecord]:
        store = self.reading()
        ids = [row[0] for row in store.all(query, project=self.project, **params)]
        return results.tasks(store, ids)

    def _interactions(
        self, paths: list[str], *, limit: int, query: str = "episodes.interactions"
    ) -> list[Interaction]:
        rows = self._stored.records(
            query, project=self.project, paths=json.dumps(paths), limit=limit
        )
        return [results.interaction(row) for row in rows]

    def _names(self, path: str) -> list[str]:
        names = [path]
        for name in names:
            if len(names) > _RENAMES:
                break
            before = self._stored.all("episodes.previous_paths", project=self.project, path=name)
            names += [previous for (previous,) in before if previous not in names]
        return names

    def stored_path(self, path: str) -> str:
        """Return a path as it is stored; raises InvalidInput if it is none."""
        stored = self._places.stored(validation.text(path, name="path"))
        if not stored:
            raise InvalidInput(
                f"path: found {validation.shown(path)}, expected the path of a file; give one"
            )
        return stored

    def relative(self, text: str) -> str:
        """Return a text with the paths in it as parameters of calls are stored."""
        return self._places.relative(text)

    def since(self, value: When | None, *, name: str = "since") -> str | None:
        """Return a time or phrase in the stored form; raises InvalidInput with the valid forms."""
        if value is None:
            return None
        return timestamps.parse_when(value, now=self._stored.clock(), name=name)

    def until(self, value: When | None) -> str | None:
        """Return the last moment of a time or phrase in the stored form."""
        return None if value is None else timestamps.parse_until(value, now=self._stored.clock())


def _words(text: str | None, form: int) -> str | None:
    """Return the words of a text in one of its spellings as a JSON list, without the secrets that
    are not stored either."""
    if text is None:
        return None
    return json.dumps([spellings(one_spelling(word))[form] for word in redact(text).text.split()])


def _positive(limit: int) -> int:
    return min(validation.integer(limit, name="limit"), _EVERYTHING)


# --- Tasks and commits like one that is described: by words and by meaning.
#
# Tasks are few and short, so nothing is stored for this: words are counted and vectors made when
# the question comes, and kept while the file stays as it is.

# Candidates whose meaning is compared: the best by words, and the newest tasks whatever their
# words. Encoding one takes about 0.05 ms.
_BY_WORDS, _NEWEST = 60, 300
# Shares of words and meaning in the score, and what one of them must reach, or there is no answer:
# on the subjects of four repositories' commits unrelated ones have a cosine of .30 (99 of 100).
_WORDS, _MEANING = 0.55, 0.45
_LEAST_WORDS, _LEAST_MEANING = 0.3, 0.5
_VECTORS_KEPT = 2_000
# Characters of a text that are compared.
_READ = 2_000


@attrs.frozen(eq=False)
class _Text:
    id: int
    name: str
    text: str
    words: Counter[str]
    is_commit: bool
    at: str


@attrs.frozen(eq=False)
class _Scored:
    text: _Text
    words: float
    shared: tuple[str, ...]
    meaning: float = 0.0

    @property
    def score(self) -> float:
        """Between 0 and 1."""
        return _WORDS * self.words + _MEANING * self.meaning


class Similar:
    """Finds similar tasks; `encoder` gives the encoder in use, or None."""

    def __init__(self, history: History, encoder: Callable[[], Encoder | None]) -> None:
        self._history = history
        self._encoder = encoder
        self._state: tuple[int, int] | None = None
        self._texts: list[_Text] = []
        self._weights: dict[str, float] = {}
        self._vectors: dict[str, Vector | None] = {}

    def similar_tasks(
        self, text: str, *, limit: int = 5, commits: bool = True
    ) -> list[SimilarTask]:
        """Return tasks (and commits) whose description or outcome is like a text, best first;
        nothing if none is. Raises InvalidInput for an empty text."""
        query = redact(validation.text(text, name="text")).text[:_READ]
        validation.integer(limit, name="limit")
        validation.boolean(commits, name="commits")
        words = Counter(words_of(query))
        if not query.strip():
            raise InvalidInput("text: is empty; describe the task")
        self._read()
        texts = [entry for entry in self._texts if commits or not entry.is_commit]
        scored = [self._by_words(words, entry) for entry in texts]
        best = sorted(scored, key=lambda candidate: -candidate.words)[:_BY_WORDS]
        newest = [candidate for candidate in scored if not candidate.text.is_commit][:_NEWEST]
        chosen = {id(candidate.text): candidate for candidate in (*best, *newest)}
        matches = [
            candidate
            for candidate in self._by_meaning(query, list(chosen.values()))
            if _is_like(candidate)
        ]
        matches.sort(key=lambda candidate: (-candidate.score, -candidate.text.id))
        return self._task_records(matches[:limit], by_stem(query))

    # -- inside

    def _read(self) -> None:
        store = self._history.reading()
        state = store.state()
        if state == self._state:
            return
        project = self._history.project
        self._texts = [
            _text(number, name, (description, outcome or error), at, is_commit=False)
            for number, name, description, outcome, error, at in store.all(
                "episodes.task_texts", project=project
            )
        ]
        self._texts += [
            _text(number, f"commit:{name}", (subject,), at, is_commit=True)
            for number, name, subject, at in store.all("episodes.commit_texts", project=project)
        ]
        count = len(self._texts)
        holding = Counter(word for text in self._texts for word in text.words)
        self._weights = {w: math.log(1 + count / n) for w, n in holding.items()}
        self._state = state

    def _by_words(self, words: Counter[str], text: _Text) -> _Scored:
        """Score the share of the asked words' weight that a text has, and a little of the
        reverse."""
        unknown = math.log(1 + max(len(self._texts), 1))
        weight = {word: self._weights.get(word, unknown) for word in words}
        shared = [word for word in words if word in text.words]
        if not shared:
            return _Scored(text, 0.0, ())
        shared_weight = sum(weight[word] for word in shared)
        total = sum(weight.values())
        own = sum(self._weights[word] for word in text.words)
        strongest = sorted(shared, key=lambda word: -weight[word])
        return _Scored(
            text,
            (shared_weight / total) * (0.75 + 0.25 * shared_weight / own),
            tuple(strongest[:4]),
        )

    def _by_meaning(self, query: str, chosen: Sequence[_Scored]) -> list[_Scored]:
        encoder = self._encoder() if chosen else None
        if encoder is None:  # words alone carry the score
            return [attrs.evolve(candidate, meaning=candidate.words) for candidate in chosen]
        if len(self._vectors) > _VECTORS_KEPT:
            self._vectors.clear()
        texts = [query, *(candidate.text.text for candidate in chosen)]
        missing = [text for text in dict.fromkeys(texts) if text not in self._vectors]
        for text, embedded in zip(missing, encoder.embed(missing), strict=True):
            self._vectors[text] = embedded.vector
        question = self._vectors[query]
        return [
            attrs.evolve(candidate, meaning=self._cosine(question, candidate))
            for candidate in chosen
        ]

    def _cosine(self, question: Vector | None, candidate: _Scored) -> float:
        vector = self._vectors[candidate.text.text]
        if question is None or vector is None:
            return 0.0
        return min(max(float(question @ vector), 0.0), 1.0)

    def _task_records(
        self, matches: Sequence[_Scored], words: Mapping[str, str]
    ) -> list[SimilarTask]:
        store = self._history.reading()
        ids = [match.text.id for match in matches if not match.text.is_commit]
        tasks = {task.id: task for task in results.tasks(store, ids)}
        similar = []
        for match in matches:
            if match.text.is_commit:
                files = store.all("episodes.files_of_commit", commit_id=match.text.id)
                similar.append(_commit(match, files, words))
            elif (task := tasks.get(match.text.id)) is not None:
                came = task.outcome or task.error
                similar.append(
                    SimilarTask(
                        task.name, task.description, came, task.status, task.files,
                        task.started_at, match.score, _reasons(match, words),
                    )
                )  # fmt: skip
        return similar


def _text(
    number: int, name: str, parts: Sequence[str | None], at: str, *, is_commit: bool
) -> _Text:
    text = " – ".join(part for part in parts if part)[:_READ]
    return _Text(number, name, text, Counter(words_of(text)), is_commit, at)


def _is_like(candidate: _Scored) -> bool:
    return candidate.words >= _LEAST_WORDS or candidate.meaning >= _LEAST_MEANING


def _commit(match: _Scored, files: Sequence[Any], words: Mapping[str, str]) -> SimilarTask:
    paths = tuple(path for (path,) in files)
    text = match.text
    why = _reasons(match, words)
    return SimilarTask(text.name, text.text, None, None, paths, text.at, match.score, why)


def _reasons(match: _Scored, words: Mapping[str, str]) -> tuple[str, ...]:
    reasons = []
    if match.shared:
        reasons.append("words: " + " ".join(words[stem] for stem in match.shared))
    if match.meaning >= _LEAST_MEANING:
        reasons.append(f"meaning {match.meaning:.2f}")
    return tuple(reasons)
