"""Tasks, sessions, calls, file timelines, tool statistics, similar tasks."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from .. import validation
from ..encoder.protocol import cosine
from ..errors import EncoderError, InvalidInput, NotFound
from ..frozen import frozen
from ..redaction import clean_text, redact
from ..store import timestamps
from ..store.timestamps import When
from ..text.analyzer import by_stem, containing, nfc, words_of
from . import results
from .paths import OUTSIDE, RepositoryPaths, disk_forms
from .predictions import co_change
from .predictions.co_change import Moment, NameSpan
from .records import TaskStatus
from .results import (
    CoEdit,
    FileEvent,
    FileHistory,
    FileInteraction,
    HotFile,
    SessionRecord,
    SimilarTask,
    TaskRecord,
    ToolExecution,
    ToolStats,
)

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Vector
    from ..store.store import Store


# --- The questions about what was done. All of them read; none changes the file.

# Seed 000, co-edit query: changes within five minutes belong together.
CO_EDIT_SECONDS = 300
# Less than this is lost where SQLite reckons in days.
_MIN_SECONDS = 0.0005
# A file's former names are followed so far back.
_RENAMES = 5
_EVERYTHING = 1_000_000
# Rows that are read of one name of a file, and files of one name that are told.
_MAX_ROWS, _PATHS_LIKE = 5_000, 10


class EpisodeReader:
    """The store of one project as questions see it: with all that was recorded so far in it."""

    def __init__(
        self,
        store: Store,
        repository: RepositoryPaths,
        *,
        project: str = "",
        before_reading: Callable[[], object] = lambda: None,
    ) -> None:
        """`before_reading` is called before each question, to write what waits."""
        self._store = store
        self.repository = repository
        self.project = project
        self._before_reading = before_reading

    def store(self) -> Store:
        """Return the store, everything that was recorded so far written into it first."""
        self._before_reading()
        return self._store

    def all(self, query: str, **params: Any) -> list[tuple[Any, ...]]:
        """Return the rows of a query about the project."""
        return self.store().all(query, project=self.project, **params)

    def records(self, query: str, **params: Any) -> list[dict[str, Any]]:
        """Return the rows of a query about the project, by column."""
        return self.store().records(query, project=self.project, **params)

    def unfinished_tasks(self, *, but_session: str | None, limit: int = 20) -> list[TaskRecord]:
        """Return the tasks that are active or paused, without those of one session."""
        return self.tasks("episodes.open_tasks", but_session=but_session, limit=positive(limit))

    def tasks(self, query: str, **params: Any) -> list[TaskRecord]:
        """Return the tasks whose ids a query gives."""
        ids = [row[0] for row in self.all(query, **params)]
        return results.tasks(self.store(), ids)

    def file(self, path: str) -> str:
        """Return a stored path, or that of the only file of this name if the path is a name alone
        and nothing is known of a file there: `utils.py` of a repository that has `src/utils.py`."""
        stored = self.stored_path(path)
        if "/" in stored or self.all("episodes.is_known", path=stored) == [(1,)]:
            return stored
        paths = self._files_named(stored, limit=3)
        here = [path for path in paths if not path.startswith(OUTSIDE)] or paths
        return here[0] if len(here) == 1 else stored

    def paths_like(self, path: str) -> list[str]:
        """Return files in folders that are called as this one, those worked on last first."""
        return self._files_named(self.stored_path(path).rpartition("/")[2], limit=_PATHS_LIKE)

    def _files_named(self, name: str, *, limit: int) -> list[str]:
        return [path for (path,) in self.all("episodes.paths_named", name=name, limit=limit)]

    def stored_path(self, path: str) -> str:
        """Return a path as it is stored; raises InvalidInput if it is none."""
        stored = self.repository.stored(validation.text(path, name="path"))
        if not stored:
            raise InvalidInput(
                f"path: found {validation.shown(path)}, expected the path of a file; give one"
            )
        return stored

    def since(self, value: When | None) -> str | None:
        """Return a time or phrase in the stored form; raises InvalidInput with the valid forms."""
        if value is None:
            return None
        return timestamps.parse_when(value, now=self._store.clock(), name="since")

    def until(self, value: When | None) -> str | None:
        """Return the last moment of a time or phrase in the stored form."""
        return None if value is None else timestamps.parse_until(value, now=self._store.clock())


class History:
    """Questions about tasks, sessions, calls and files."""

    def __init__(self, reader: EpisodeReader) -> None:
        self._reader = reader

    # -- tasks and sessions

    def unfinished_tasks(self, *, limit: int = 20) -> list[TaskRecord]:
        """Return the tasks that are active or paused, the one begun last first: "what was I
        working on?"."""
        return self._reader.unfinished_tasks(but_session=None, limit=limit)

    def tasks(
        self,
        *,
        session: str | None = None,
        status: TaskStatus | str | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[TaskRecord]:
        """Return tasks, the one begun last first."""
        return self._reader.tasks(
            "episodes.latest_tasks",
            session=validation.optional(validation.text, session, name="session"),
            status=None if status is None else validation.member(TaskStatus, status, name="status"),
            since=self._reader.since(since),
            limit=positive(limit),
        )

    def task(self, name: str) -> TaskRecord:
        """Return the task of a name; raises NotFound."""
        store = self._reader.store()
        number = store.value("episodes.task_id_of", name=validation.text(name, name="task"))
        tasks = [] if number is None else results.tasks(store, [number])
        if not tasks:
            raise NotFound(f"no task named {name}; 'memkit tasks' lists those there are")
        return tasks[0]

    def sessions(self, *, limit: int = 20) -> list[SessionRecord]:
        """Return sessions, newest first."""
        rows = self._reader.records("episodes.sessions", limit=positive(limit))
        return [results.session(row) for row in rows]

    # -- calls

    def tool_executions(
        self,
        text: str | None = None,
        *,
        session: str | None = None,
        task: str | None = None,
        tool: str | None = None,
        success: bool | None = None,
        since: When | None = None,
        limit: int = 20,
    ) -> list[ToolExecution]:
        """Return calls of tools, newest first. All words of `text` occur in their tool, parameters,
        output or error."""
        text = validation.optional(validation.text, text, name="text")
        rows = self._reader.records(
            "episodes.calls",
            session=validation.optional(validation.text, session, name="session"),
            task=validation.optional(validation.text, task, name="task"),
            tool=validation.optional(validation.text, tool, name="tool"),
            success=validation.optional(validation.boolean, success, name="success"),
            since=self._reader.since(since),
            words=_words(text, 0),
            respelt=None if text is None or text.isascii() else _words(text, -1),
            limit=positive(limit),
        )
        return [results.execution(row) for row in rows]

    def tool_stats(
        self, *, since: When | None = None, until: When | None = None, tool: str | None = None
    ) -> list[ToolStats]:
        """Return calls, success rate and mean duration (ms) of each tool in a period, the most used
        first. `since` is a time or a phrase such as "last week" or "7 days"; None is ever since.

        Raises InvalidInput for a time that cannot be read; it is never taken for no limit.
        """
        rows = self._reader.all(
            "episodes.tool_stats",
            since=self._reader.since(since),
            until=self._reader.until(until),
            tool=validation.optional(validation.text, tool, name="tool"),
        )
        return [
            ToolStats(name, calls, good, good / calls, None if mean is None else float(mean))
            for name, calls, good, mean in rows
        ]

    # -- files

    def file_history(self, path: str, *, limit: int = 50) -> FileHistory:
        """Return whether a file was worked on before: how often it was read and changed, by commits
        too, and what happened to it, newest first, under its former names too. Of a file that
        nothing is known of it names those in folders that are called as it."""
        stored = self._reader.file(path)
        spans = self._spans(stored)
        at, number = spans[0].first
        since = {"path": stored, "at": at, "number": number}
        [(reads, changes, last)] = self._reader.all("episodes.interaction_counts", **since)
        [(commits,)] = self._reader.all("episodes.commit_count", **since)
        recent = self._interactions(spans[:1])[: positive(limit)]
        events = self._events(spans)[:limit]
        similar = () if events else tuple(self._reader.paths_like(path))
        return FileHistory(
            stored, reads, changes, last, tuple(recent), commits, tuple(events), similar
        )

    def co_edits(
        self,
        path: str | None = None,
        *,
        within: float = CO_EDIT_SECONDS,
        since: When | None = None,
        min_count: int = 1,
        limit: int = 10,
    ) -> list[CoEdit]:
        """Return files that were changed within so many seconds of each other in one task, or by
        one commit, and in how many (at least `min_count`), the most frequent pair first; with
        `path` those that go with it."""
        return co_change.edited_together(
            self._reader.store(),
            None if path is None else self._spans(self._reader.file(path)),
            project=self._reader.project,
            within=validation.seconds(within, name="within") + _MIN_SECONDS,
            since=self._reader.since(since),
            min_count=validation.integer(min_count, name="min_count"),
            limit=positive(limit),
        )

    def find_file_interactions(self, text: str, *, limit: int = 10) -> list[FileInteraction]:
        """Return what was last done with files whose path, reason or change contains a text: "what
        did I last do with auth code?". Newest first."""
        if not validation.text(text, name="text").strip():
            raise InvalidInput("text: is empty; give a part of a path or of what was changed")
        rows = self._reader.records(
            "episodes.interactions_with",
            path=containing(nfc(text)),
            pattern=containing(text),
            limit=positive(limit),
        )
        return [results.interaction(row) for row in rows]

    def hot_files(self, *, since: When | None = None, limit: int = 10) -> list[HotFile]:
        """Return files by how often they were changed, then worked on."""
        rows = self._reader.all(
            "episodes.hot_files",
            since=self._reader.since(since),
            limit=positive(limit),
        )
        return [HotFile(path, touches) for path, _, touches in rows]

    # -- inside

    def _events(self, spans: Sequence[NameSpan]) -> list[FileEvent]:
        """Return what happened to a file, newest first, under its former names too: interactions
        and commits, and what gave it another name."""
        events = [
            FileEvent(
                i.timestamp, i.path, i.operation, i.success, i.task, i.changes or i.context or ""
            )
            for i in self._interactions(spans)
        ]
        commits = [
            row
            for span in spans
            for row in self._reader.all("episodes.commits_of", path=span.name, limit=_MAX_ROWS)
            if span.holds((row[1], row[5]), row[4])
        ]
        # What moves the file is told of both of its names.
        events += [
            FileEvent(at, after, operation, success=True, name=f"commit:{commit}", text=subject)
            for commit, at, subject, operation, after, _ in dict.fromkeys(commits)
        ]
        return sorted(events, key=lambda event: event.at, reverse=True)

    def _interactions(self, spans: Sequence[NameSpan]) -> list[FileInteraction]:
        """Return what was done with a file, newest first."""
        interactions = {
            interaction.id: interaction
            for span in spans
            for row in self._reader.records(
                "episodes.interactions_of", path=span.name, limit=_MAX_ROWS
            )
            if span.holds((row["timestamp"], row["id"]), row["file_path"])
            for interaction in [results.interaction(row)]
        }
        return sorted(interactions.values(), key=lambda i: (i.timestamp, i.id), reverse=True)

    def _spans(self, path: str) -> list[NameSpan]:
        """Return the names of a file with the time in which each was its own, the newest first: a
        name that it has left may be another file's since."""
        spans: list[NameSpan] = []
        name, end, is_gone = path, NameSpan.END, False
        while len(spans) <= _RENAMES:
            rows = self._reader.all("episodes.moves", path=name)
            moves = [_Move((at, number), source, target) for at, number, source, target in rows]
            move = _first_of_run([move for move in moves if move.moment < end])
            first = NameSpan.BEGIN if move is None else move.moment
            is_departure = move is not None and move.source == name
            if is_departure and not (spans or is_gone or self._is_used_since(name, first)):
                end, is_gone = first, True
                continue
            spans.append(NameSpan(name, first, end, is_gone=is_gone))
            if move is None or move.source == name:
                break
            name, end, is_gone = move.source, first, False
        return spans

    def _is_used_since(self, name: str, moment: Moment) -> bool:
        """Whether a file came to a name that another had left."""
        at, number = moment
        return self._reader.all("episodes.is_used_since", path=name, at=at, number=number) == [(1,)]


@frozen
class _Move:
    """A file that was given another name."""

    moment: Moment
    source: str
    target: str


def _first_of_run(moves: Sequence[_Move]) -> _Move | None:
    """Return the last move, or the first of those that say the same again: a session tells of it,
    and the commit after it."""
    first = None
    for move in reversed(moves):
        if first is not None and (move.source, move.target) != (first.source, first.target):
            break
        first = move
    return first


def _words(text: str | None, form: int) -> str | None:
    """Return the words of a text in one of their forms on disks as a JSON list, without the secrets
    that are not stored either."""
    if text is None:
        return None
    words = redact(clean_text(text)).text.split()
    return json.dumps([disk_forms(nfc(word))[form] for word in words])


def positive(limit: int) -> int:
    """Return a limit that SQLite takes; raises InvalidInput."""
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
_MIN_WORDS, _MIN_MEANING = 0.3, 0.5
_VECTORS_KEPT = 2_000
# Characters of a text that are compared.
_READ = 2_000


@frozen(eq=False)
class _Text:
    id: int
    name: str
    text: str
    words: Counter[str]
    is_commit: bool
    at: str


@frozen(eq=False)
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

    def __init__(self, reader: EpisodeReader, encoder: Callable[[], Encoder | None]) -> None:
        self._reader = reader
        self._encoder = encoder
        self._state: tuple[int, int] | None = None
        self._texts: list[_Text] = []
        self._weights: dict[str, float] = {}
        self._vectors: dict[str, Vector | None] = {}

    def similar_tasks(self, text: str, *, limit: int = 5) -> list[SimilarTask]:
        """Return tasks like a text; see `Episodes.find_similar_tasks`. Raises InvalidInput."""
        query = redact(clean_text(validation.text(text, name="text"))).text[:_READ]
        validation.integer(limit, name="limit")
        words = Counter(words_of(query))
        if not query.strip():
            raise InvalidInput("text: is empty; describe the task")
        self._read()
        scored = [self._by_words(words, entry) for entry in self._texts]
        best = sorted(scored, key=lambda candidate: -candidate.words)[:_BY_WORDS]
        newest = [candidate for candidate in scored if not candidate.text.is_commit][:_NEWEST]
        chosen = {id(candidate.text): candidate for candidate in (*best, *newest)}
        scored = self._by_meaning(query, list(chosen.values()))
        matches = [s for s in scored if s.words >= _MIN_WORDS or s.meaning >= _MIN_MEANING]
        matches.sort(key=lambda candidate: (-candidate.score, -candidate.text.id))
        return self._task_records(matches[:limit], by_stem(query))

    # -- inside

    def _read(self) -> None:
        state = self._reader.store().state()
        if state == self._state:
            return
        self._texts = [
            _text(number, name, (description, outcome or error), at, is_commit=False)
            for number, name, description, outcome, error, at in self._reader.all(
                "episodes.task_texts"
            )
        ]
        self._texts += [
            _text(number, f"commit:{name}", (subject,), at, is_commit=True)
            for number, name, subject, at in self._reader.all("episodes.commit_texts")
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
        try:
            for text, embedded in zip(missing, encoder.embed(missing), strict=True):
                self._vectors[text] = embedded.vector
        except EncoderError:
            return [attrs.evolve(candidate, meaning=candidate.words) for candidate in chosen]
        question = self._vectors[query]
        return [
            attrs.evolve(candidate, meaning=self._cosine(question, candidate))
            for candidate in chosen
        ]

    def _cosine(self, question: Vector | None, candidate: _Scored) -> float:
        return max(cosine(question, self._vectors[candidate.text.text]) or 0.0, 0.0)

    def _task_records(
        self, matches: Sequence[_Scored], words: Mapping[str, str]
    ) -> list[SimilarTask]:
        store = self._reader.store()
        ids = [match.text.id for match in matches if not match.text.is_commit]
        tasks = {task.id: task for task in results.tasks(store, ids)}
        similar = []
        for match in matches:
            text, score, why = match.text, match.score, _reasons(match, words)
            if text.is_commit:
                rows = store.all("episodes.files_of_commit", commit_id=text.id)
                files = tuple(path for (path,) in rows)
                commit = (text.name, text.text, None, None, files, text.at)
                similar.append(SimilarTask(*commit, score, why))
            elif (task := tasks.get(text.id)) is not None:
                came = task.outcome or task.error
                done = (task.name, task.description, came, task.status, task.files, task.started_at)
                similar.append(SimilarTask(*done, score, why))
        return similar


def _text(
    number: int, name: str, parts: Sequence[str | None], at: str, *, is_commit: bool
) -> _Text:
    text = " – ".join(part for part in parts if part)[:_READ]
    return _Text(number, name, text, Counter(words_of(text)), is_commit, at)


def _reasons(match: _Scored, words: Mapping[str, str]) -> tuple[str, ...]:
    reasons = []
    if match.shared:
        reasons.append("words: " + " ".join(words[stem] for stem in match.shared))
    if match.meaning >= _MIN_MEANING:
        reasons.append(f"meaning {match.meaning:.2f}")
    return tuple(reasons)
