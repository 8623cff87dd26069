"""Episode retriever: tasks, errors with their fixes and failed attempts that answer a query.

The rows are bounded (the newest tasks and errors, the newest changes of files), read once for each
state of the file, and nothing is written. A project without episodes costs one query a state.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import attrs

from ..encoder.protocol import cosine
from ..episodes import results
from ..episodes.error_signatures import NUMERAL, alike, command_of, numbers, plain_word, same_call
from ..episodes.error_signatures import signature as error_signature
from ..episodes.records import TaskStatus
from ..errors import EncoderError
from ..frozen import frozen
from ..text.analyzer import words_of
from .episode_query import Clause, EpisodeQuery, Word, parse, twice_stemmed
from .ranker import log_odds_of, probability
from .records import AttemptHit, EpisodeHit, ErrorFix, ErrorHit, Filters, Source, TaskHit
from .time_evidence import stored_bounds

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..encoder.protocol import Vector
    from ..episodes.failures import Lessons
    from ..episodes.results import FailedAttempt, Fix, ToolExecution
    from ..store.store import Store


T = TypeVar("T")

# Rows that are compared with a question, the newest; reverts are looked for among so many commits.
MAX_TASKS, MAX_ERRORS, MAX_CHANGES, MAX_COMMITS = 1_000, 300, 10_000, 5_000
# Changes that are compared, those with the most words. What a session did is read where a change of
# it alone has this share of the floor: its task and the error may add to it.
MAX_COMPARED, PROMISING = 100, 0.8
# Hits of one source (unfinished tasks are all listed), sessions that are read for attempts.
MAX_HITS, MAX_SESSIONS = 3, 3
# Tasks told of where work stopped.
MAX_LAST = 5
# Texts whose meaning is compared with a clause, and vectors that are cached.
MAX_EMBEDDED, MAX_VECTORS = 20, 2_000
# Probability: of the newest unfinished task where those are asked for, and of each one before it;
# of the last task where work stopped; of what failed last where nothing else is said.
UNFINISHED, UNFINISHED_STEP, UNFINISHED_MIN, LAST, FAILED_LAST = 0.95, 0.02, 0.6, 0.75, 0.8
# Of an error with the same signature, by what the text is: an error by its form, a line of a log, a
# sentence; of one that differs in what it names, by how many plain words are the same.
SAME_ERROR, SAME_LINE, SAME_SENTENCE, ALIKE, ALIKE_WORDS = 0.97, 0.92, 0.9, 0.6, 3
# Of one with other numbers, against one with the same; messages that are compared, fixes read.
OTHER_NUMBER, MAX_MESSAGES, MAX_FIXES = 0.8, 50, 10
# Words that a pasted error shares with one of another signature.
NAMED_WORDS = 3
_QUESTION_CHARS = 300
_UNFINISHED = frozenset({TaskStatus.ACTIVE, TaskStatus.PAUSED})


@frozen(eq=False)
class _Task:
    id: int
    session: str
    name: str
    description: str
    outcome: str | None
    error: str | None
    status: str
    started_at: str
    at: str
    has_files: int

    @property
    def text(self) -> EpisodeText:
        return _text(self.description, self.outcome or self.error or "")

    @property
    def is_unfinished(self) -> bool:
        return self.status in _UNFINISHED

    @property
    def is_telling(self) -> bool:
        """Whether more is known than that it was asked for."""
        return bool(self.outcome or self.error or self.has_files or self.is_unfinished)


@frozen(eq=False)
class _Error:
    signature: str
    message: str
    session: str

    @property
    def text(self) -> EpisodeText:
        return _text(self.message, self.signature)


@frozen(eq=False)
class _Commit:
    hash: str
    subject: str
    at: str
    reverted_by: str

    @property
    def text(self) -> EpisodeText:
        return _text(self.subject, "")


@frozen(eq=False)
class _Corpus:
    tasks: tuple[_Task, ...] = ()
    errors: tuple[_Error, ...] = ()
    reverted: tuple[_Commit, ...] = ()
    weights: WordWeights = attrs.field(factory=lambda: WordWeights(()))


class EpisodeAnswer(NamedTuple):
    """Episodes that answer a question, best first.

    Attributes:
        is_of_work: whether it asks for nothing but work that is open, was done last or at a time,
            and there is some: a memory is no answer to it.
    """

    hits: tuple[EpisodeHit, ...] = ()
    is_of_work: bool = False


class EpisodeRetriever:
    """Answers questions from the episodes of one store."""

    def __init__(
        self,
        store: Store,
        encoder: Callable[[], Encoder | None],
        *,
        before_reading: Callable[[], object] = lambda: None,
    ) -> None:
        """`encoder` gives the encoder in use, or None. `before_reading` writes what waits."""
        self._store = store
        self._encoder = encoder
        self._before_reading = before_reading
        self._existing: tuple[object, tuple[bool, bool]] = (None, (False, False))
        self._cached: tuple[object, _Corpus] = (None, _Corpus())
        self._vectors: dict[str, Vector | None] = {}

    def search(
        self,
        text: str,
        filters: Filters,
        *,
        sources: Collection[Source],
        limit: int,
        min_score: float | None = None,
    ) -> EpisodeAnswer:
        """Return the episodes that answer a question, best first; none if none does.

        Filters of what only memories have (kind, tags, scope) leave none. `min_score` replaces the
        floor.
        """
        if filters.kinds or filters.tags or filters.scopes or {*sources} <= {Source.MEMORIES}:
            return EpisodeAnswer()
        self._before_reading()
        projects = [project for project in filters.projects or ("",) if any(self._exist(project))]
        if not projects:
            return EpisodeAnswer()
        query = parse(text, now=self._store.clock())
        with self._store.snapshot():
            floor = EPISODE_FLOOR if min_score is None else min_score
            what = (self, query, filters, frozenset(sources), limit, floor)
            searches = [_Search(*what, project=project) for project in projects]
            hits = [hit for search in searches for hit in search.hits() if hit.score >= floor]
        hits.sort(key=lambda hit: hit.at, reverse=True)
        best = tuple(sorted(hits, key=lambda hit: -hit.score)[:limit])
        return EpisodeAnswer(best, bool(best) and query.names_nothing)

    # -- what a search reads

    def _exist(self, project: str) -> tuple[bool, bool]:
        """Return whether there are tasks, and whether there are errors."""
        state = (project, self._store.state())
        existing = self._existing  # read once: another thread may ask for another project
        if existing[0] != state:
            row = self._store.first("retrieval_episodes.has_episodes", project=project)
            tasks, errors = row or (0, 0)
            self._existing = existing = (state, (bool(tasks), bool(errors)))
        return existing[1]

    def corpus(self, project: str) -> _Corpus:
        """Return the newest tasks, errors and reverted commits of a project."""
        state = (project, self._store.state())
        cached = self._cached
        if cached[0] != state:
            self._cached = cached = (state, self._read(project))
        return cached[1]

    def _read(self, project: str) -> _Corpus:
        read = self._store.all
        tasks = read("retrieval_episodes.tasks", project=project, limit=MAX_TASKS)
        errors = read("retrieval_episodes.errors", project=project, limit=MAX_ERRORS)
        commits = read("retrieval_episodes.reverted_commits", project=project, limit=MAX_COMMITS)
        all_tasks = tuple(_Task(*row) for row in tasks)
        all_errors = tuple(_Error(*row) for row in errors)
        reverted = tuple(_Commit(*row) for row in commits)
        texts = [task.text for task in all_tasks] + [error.text for error in all_errors]
        texts += [commit.text for commit in reverted]
        return _Corpus(all_tasks, all_errors, reverted, WordWeights(texts))

    def lessons(self, project: str) -> Lessons:
        """Return what knows fixes and attempts."""
        # Imported here: few questions are about an error or an attempt.
        from ..episodes.failures import Lessons
        from ..episodes.history import EpisodeReader
        from ..episodes.paths import RepositoryPaths

        places = RepositoryPaths(self._store.path.parent)
        return Lessons(EpisodeReader(self._store, places, project=project))

    def vectors(self, texts: Sequence[str]) -> list[Vector | None]:
        """Return the vectors of texts, each None if there is no encoder or nothing to embed."""
        encoder = self._encoder() if texts else None
        if encoder is None:
            return [None] * len(texts)
        if len(self._vectors) > MAX_VECTORS:
            self._vectors = {}
        vectors = self._vectors
        missing = [text for text in dict.fromkeys(texts) if text not in vectors]
        with suppress(EncoderError):  # then words alone carry the score
            for text, embedded in zip(missing, encoder.embed(missing), strict=True):
                vectors[text] = embedded.vector
        return [vectors.get(text) for text in texts]

    @property
    def store(self) -> Store:
        """The store that is read."""
        return self._store


class _Search:
    """One question to the episodes; made anew for each."""

    def __init__(
        self,
        retriever: EpisodeRetriever,
        query: EpisodeQuery,
        filters: Filters,
        sources: frozenset[Source],
        limit: int,
        floor: float,
        *,
        project: str,
    ) -> None:
        self._floor = floor
        self._retriever = retriever
        self._store = retriever.store
        self._query = query
        self._project = project
        self._corpus = retriever.corpus(self._project)
        self._sources = sources
        self._limit = limit
        ends = [end for end in (filters.until, filters.as_of) if end is not None]
        self._since, self._until = filters.since, min(ends, default=None)

    def hits(self) -> Iterator[EpisodeHit]:
        """Yield the episodes that may answer, in no order, each source's best."""
        if Source.TASKS in self._sources:
            yield from self._tasks()
        if Source.ERRORS in self._sources and self._corpus.errors:
            yield from self._errors()
        if Source.ATTEMPTS in self._sources:
            yield from self._attempts()

    # -- tasks

    def _tasks(self) -> Iterator[TaskHit]:
        """Yield unfinished tasks where those are asked for, and tasks like what is spoken of."""
        scores: dict[int, tuple[float, tuple[str, ...]]] = dict(self._similar_tasks())
        timely = [*self._of_a_time()]
        for memory_id, score, reasons in (*timely, *self._unfinished(is_answered=bool(timely))):
            if memory_id not in scores or scores[memory_id][0] < score:
                scores[memory_id] = (score, reasons)
        for task in results.tasks(self._store, scores):
            score, reasons = scores[task.id]
            yield TaskHit(task, score, reasons)

    def _similar_tasks(self) -> list[tuple[int, tuple[float, tuple[str, ...]]]]:
        tasks = [
            task
            for task in self._corpus.tasks
            if task.is_telling and self._is_visible(task) and not self._is_attempt(task)
        ]
        matches = self._matches([task.text for task in tasks], lambda clause: clause.is_work)
        pairs = sorted(zip(tasks, matches, strict=True), key=lambda pair: -pair[1].score)
        best = _distinct((task, (task.id, (match.score, match.reasons))) for task, match in pairs)
        return best[:MAX_HITS]

    def _unfinished(self, *, is_answered: bool) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Yield the unfinished tasks where those are asked for; where work stopped, after them the
        last that ended. `is_answered`: whether the time that is asked for has tasks."""
        clause = next(
            (c for c in self._query.clauses if c.is_open or (c.is_last and not is_answered)), None
        )
        if clause is None:
            return
        visible = [task for task in self._corpus.tasks if self._is_visible(task)]
        visible.sort(key=lambda task: task.started_at, reverse=True)
        unfinished = _distinct((task, task) for task in visible if task.is_unfinished)
        stems = [word.stems for word in clause.words]
        named = [t for t in unfinished if any(word & t.text.stems for word in stems)]
        is_open = any(c.is_open for c in self._query.clauses)
        limit = self._limit if is_open else min(self._limit, MAX_LAST - 1)
        for place, task in enumerate((named or unfinished)[:limit]):
            score = max(UNFINISHED - UNFINISHED_STEP * place, UNFINISHED_MIN)
            yield task.id, score, ("unfinished",)
        if clause.is_last and not named:
            ended = [task for task in visible if not task.is_unfinished]
            ended = [task for task in ended if task.is_telling] or ended
            ended.sort(key=lambda task: task.at, reverse=True)
            last = _distinct((task, task) for task in ended)[: max(MAX_LAST - len(unfinished), 1)]
            for place, task in enumerate(last[: self._limit]):
                yield task.id, LAST - UNFINISHED_STEP * place, ("the last task",)

    def _of_a_time(self) -> Iterator[tuple[int, float, tuple[str, ...]]]:
        """Yield the tasks that were begun or ended in the time that is asked for, newest first;
        those of which no more is known than what was asked for only where there are no others."""
        time = next((c.time for c in self._query.clauses if c.time is not None), None)
        if time is None:
            return
        start, end = stored_bounds(time)
        tasks = [
            task
            for task in self._corpus.tasks
            if task.started_at <= end and task.at >= start and self._is_visible(task)
        ]
        tasks.sort(key=lambda task: task.at, reverse=True)
        telling = [task for task in tasks if task.is_telling] or tasks
        distinct = _distinct((task, task) for task in telling)
        for place, task in enumerate(distinct[: self._limit]):
            score = max(UNFINISHED - UNFINISHED_STEP * place, UNFINISHED_MIN)
            yield task.id, score, ("done in that time",)

    def _is_visible(self, task: _Task) -> bool:
        """Whether a task is of the time that was asked for, and not the question itself, which a
        hook records as a task before it is answered."""
        if self._since is not None and task.at < self._since and not task.is_unfinished:
            return False
        if self._until is not None and task.started_at > self._until:
            return False
        if self._query.is_of_work_alone and _asks_of_work(task.description):
            return False
        return not (task.is_unfinished and _plain(task.description) == _plain(self._query.text))

    def _is_attempt(self, task: _Task) -> bool:
        return task.status == TaskStatus.FAILED and Source.ATTEMPTS in self._sources

    # -- errors

    def _errors(self) -> Iterator[ErrorHit]:
        scores = self._same_errors() or self._alike_errors() or self._named_errors()
        likeliest = sorted(scores, key=lambda name: -scores[name][0])[:MAX_HITS]
        signatures = [name for name in likeliest if scores[name][0] >= self._floor]
        if not signatures:
            return
        rows_ = self._store.all(
            "retrieval_episodes.error_occurrences",
            project=self._project,
            signatures=json.dumps(signatures),
            since=self._since,
            until=self._until,
        )
        if not rows_:
            return
        lessons = self._retriever.lessons(self._project)
        for signature, message, count, first, last in rows_:
            score, reasons = scores[signature]
            fixes = lessons.find_fixes(signature, limit=MAX_FIXES)
            seen = (signature, message, count, first, last)
            sought = self._numbers(signature)
            if not sought:
                yield ErrorHit(*seen, _telling_fix(fixes), score, reasons)
            else:
                yield from self._by_number(seen, sought, fixes, score)

    def _numbers(self, signature: str) -> set[tuple[str, ...]]:
        """Return the numbers that the question has where a signature has none."""
        if NUMERAL not in signature:
            return set()
        texts = (self._query.text, *self._query.text.splitlines())
        return {numbers(text) for text in texts if error_signature(text) == signature}

    def _by_number(
        self,
        seen: tuple[str, str, int, str, str],
        sought: Collection[tuple[str, ...]],
        fixes: Sequence[Fix],
        score: float,
    ) -> Iterator[ErrorHit]:
        """Yield an error as it occurred with the numbers that are asked about, with what fixed it
        then; else, or where nothing did, with other ones, less likely and saying so."""
        signature, message, count, first, last = seen
        occurrences = self._store.all(
            "retrieval_episodes.error_messages",
            project=self._project,
            signature=signature,
            since=self._since,
            until=self._until,
            limit=MAX_MESSAGES,
        )
        same = [row for row in occurrences if numbers(row[0]) in sought]
        same_fix = _telling_fix([f for f in fixes if numbers(f.failed.error or "") in sought])
        if same:
            times = (sum(row[1] for row in same), min(r[2] for r in same), max(r[3] for r in same))
            yield ErrorHit(signature, same[0][0], *times, same_fix, score, ("the same error",))
        other = [row for row in occurrences if row not in same]
        if same_fix is None and (other or not same):
            fix = _telling_fix([f for f in fixes if numbers(f.failed.error or "") not in sought])
            message = other[0][0] if other else message
            reasons = ("the same error, with another number",)
            yield ErrorHit(
                signature, message, count, first, last, fix, OTHER_NUMBER * score, reasons,
                is_other_number=True,
            )  # fmt: skip

    def _same_errors(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """Return the recorded errors whose signature is that of the question, or of its lines."""
        query = self._query
        scores = dict.fromkeys(query.line_signatures, SAME_LINE)
        if query.signature:
            scores[query.signature] = SAME_ERROR if query.is_error else SAME_SENTENCE
        rows = self._store.all(
            "retrieval_episodes.error_occurrences",
            project=self._project,
            signatures=json.dumps(list(scores)),
            since=self._since,
            until=self._until,
        )
        return {name: (scores[name], ("the same error",)) for name, *_ in rows}

    def _alike_errors(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        """Return the recorded errors that differ only in what they name, if enough is the same."""
        form = alike(self._query.signature)
        if not self._query.is_error or _plain_words(form) < ALIKE_WORDS:
            return {}
        names = [e.signature for e in self._corpus.errors if alike(e.signature) == form]
        return {name: (ALIKE, ("the same error of something else",)) for name in names}

    def _named_errors(self) -> dict[str, tuple[float, tuple[str, ...]]]:
        errors = self._corpus.errors
        matches = self._matches([error.text for error in errors], lambda clause: clause.is_error)
        # An error that is pasted would have been found by its signature: a few words are no proof.
        min_words = NAMED_WORDS if self._query.is_error else 1
        pairs = zip(errors, matches, strict=True)
        return {
            error.signature: (match.score, match.reasons)
            for error, match in pairs
            if len(match.words) >= min_words
        }

    # -- attempts

    def _attempts(self) -> Iterator[AttemptHit]:
        hits = [*self._failed_tasks(), *self._reverted(), *self._failed_changes()]
        if not any(clause.words for clause in self._query.clauses):
            hits = list(self._failed_last())
        newest: dict[str, AttemptHit] = {}
        for hit in sorted(hits, key=lambda hit: (hit.score, hit.at), reverse=True):
            newest.setdefault(hit.action, hit)
        yield from [*newest.values()][:MAX_HITS]

    def _failed_tasks(self) -> Iterator[AttemptHit]:
        tasks = [t for t in self._corpus.tasks if self._is_attempt(t) and self._is_visible(t)]
        matches = self._matches([task.text for task in tasks], _asks_of_attempts)
        for task, match in zip(tasks, matches, strict=True):
            yield _failed_task(task, match.score, match.reasons)

    def _reverted(self) -> Iterator[AttemptHit]:
        commits = [c for c in self._corpus.reverted if self._is_in_time(c.at)]
        matches = self._matches([commit.text for commit in commits], _asks_of_attempts)
        for commit, match in zip(commits, matches, strict=True):
            reason = f"taken back by commit {commit.reverted_by[:12]}"
            name = f"commit:{commit.hash}"
            yield AttemptHit(
                commit.subject, reason, (), name, commit.at, match.score, match.reasons
            )

    def _failed_changes(self) -> list[AttemptHit]:
        """Return changes after which a check failed, of the sessions whose changes are most like
        what is spoken of."""
        if not self._corpus.errors:
            return []
        words = {stem for clause in self._query.clauses for w in clause.words for stem in w.stems}
        changes = (
            self._store.all(
                "retrieval_episodes.changes",
                project=self._project,
                words=json.dumps(sorted(words)),
                since=self._since,
                until=self._until,
                window=MAX_CHANGES,
                limit=MAX_COMPARED,
            )
            if words
            else []
        )
        texts = [_text(_said(*row[1:]), "") for row in changes]
        matches = self._matches(texts, _asks_of_attempts)
        sessions: dict[str, float] = {}
        for (session, *_), match in zip(changes, matches, strict=True):
            sessions[session] = max(sessions.get(session, 0.0), match.score)
        likeliest = sorted(sessions, key=lambda name: -sessions[name])[:MAX_SESSIONS]
        min_score = PROMISING * self._floor
        attempts = self._attempts_of(name for name in likeliest if sessions[name] > min_score)
        return self._ranked_attempts(attempts)

    def _ranked_attempts(self, attempts: Sequence[FailedAttempt]) -> list[AttemptHit]:
        texts = [_text(_action(attempt), self._topic(attempt)) for attempt in attempts]
        matches = self._matches(texts, _asks_of_attempts)
        return [
            _hit(a, match.score, match.reasons) for a, match in zip(attempts, matches, strict=True)
        ]

    def _failed_last(self) -> Iterator[AttemptHit]:
        """Yield what failed last, where that is all that is asked for."""
        if not any(clause.is_attempt for clause in self._query.clauses):
            return
        failed = [t for t in self._corpus.tasks if self._is_attempt(t) and self._is_visible(t)]
        hits = [_failed_task(task, FAILED_LAST, ("failed last",)) for task in failed[:MAX_HITS]]
        sessions = dict.fromkeys(error.session for error in self._corpus.errors)
        attempts = self._attempts_of([*sessions][:MAX_SESSIONS])
        hits += [_hit(attempt, FAILED_LAST, ("failed last",)) for attempt in attempts]
        hits.sort(key=lambda hit: hit.at, reverse=True)
        yield from hits[:MAX_HITS]

    def _attempts_of(self, sessions: Iterable[str]) -> list[FailedAttempt]:
        lessons = self._retriever.lessons(self._project)
        return [
            attempt
            for session in sessions
            for attempt in lessons.session_attempts(session)
            if self._is_in_time(attempt.at)
        ]

    def _topic(self, attempt: FailedAttempt) -> str:
        """Return what an attempt belongs to: its task's description, and its error."""
        task = next((t for t in self._corpus.tasks if t.name == attempt.task), None)
        return f"{task.description if task else ''} {attempt.reason}"

    def _is_in_time(self, at: str) -> bool:
        return (self._since or at) <= at <= (self._until or at)

    # -- matching

    def _matches(
        self, texts: Sequence[EpisodeText], is_kind: Callable[[Clause], bool]
    ) -> list[Match]:
        """Return how well each text answers the clause that it answers best."""
        best = [Match(0.0, (), 0.0)] * len(texts)
        for clause in self._query.clauses:
            weights, kind = self._corpus.weights, is_kind(clause)
            stems = frozenset[str]().union(*(word.stems for word in clause.words))
            matches = {
                place: match_clause(clause, text, weights, is_kind=kind)
                for place, text in enumerate(texts)
                if not stems.isdisjoint(text.stems)
            }
            likeliest = sorted(matches, key=lambda place: -matches[place].score)[:MAX_EMBEDDED]
            for place, match in self._with_meaning(clause, texts, matches, likeliest):
                best[place] = max(best[place], match, key=lambda match: match.score)
        return best

    def _with_meaning(
        self,
        clause: Clause,
        texts: Sequence[EpisodeText],
        matches: dict[int, Match],
        places: Sequence[int],
    ) -> Iterator[tuple[int, Match]]:
        if not places:
            return
        own, *others = self._retriever.vectors([clause.text, *(texts[p].text for p in places)])
        for place, other in zip(places, others, strict=True):
            nearness = cosine(own, other)
            match = matches[place]
            yield place, match if nearness is None else with_cosine(match, nearness)


@lru_cache(maxsize=4_000)
def _asks_of_work(description: str) -> bool:
    """Whether a task was itself a question of what was done: no work."""
    return len(description) <= _QUESTION_CHARS and parse(description, now=0.0).names_nothing


def _asks_of_attempts(clause: Clause) -> bool:
    return clause.is_attempt


@lru_cache(maxsize=4_000)
def _text(subject: str, more: str) -> EpisodeText:
    return EpisodeText.of(subject[:_SUBJECT_CHARS], more[:_SUBJECT_CHARS])


# Characters of a text that are compared.
_SUBJECT_CHARS = 1_000


def _distinct(pairs: Iterable[tuple[_Task, T]]) -> list[T]:
    """Return the first of what belongs to tasks with the same words: a prompt that was sent again
    is served once."""
    firsts: dict[str, T] = {}
    for task, value in pairs:
        firsts.setdefault(_plain(task.description), value)
    return [*firsts.values()]


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())[:_QUESTION_CHARS]


def _plain_words(form: str) -> int:
    """Return how many plain words a form has beyond the kind of error that it begins with."""
    _, colon, rest = form.partition(":")
    words = (rest if colon else form).split()
    return sum(plain_word(word) is not None for word in words)


def _failed_task(task: _Task, score: float, reasons: tuple[str, ...]) -> AttemptHit:
    reason = task.error or task.outcome or "the task failed"
    return AttemptHit(task.description, reason, (), task.name, task.at, score, reasons)


def _hit(attempt: FailedAttempt, score: float, reasons: tuple[str, ...]) -> AttemptHit:
    files = tuple(dict.fromkeys(edit.path for edit in attempt.edits)) or (attempt.path,)
    action, reason = _action(attempt), attempt.reason
    return AttemptHit(action, reason, files, attempt.task, attempt.at, score, reasons)


def _action(attempt: FailedAttempt) -> str:
    """Return what was attempted: the files, each with what changed in it or why."""
    said = (_said(e.path, e.context, e.changes) for e in attempt.edits[:MAX_HITS])
    return "; ".join(dict.fromkeys(said)) or attempt.path


def _said(path: str, context: str | None, changes: str | None) -> str:
    about = ", ".join(part for part in (changes, context) if part)
    return f"{path}: {about}" if about else path


def _telling_fix(fixes: Sequence[Fix]) -> ErrorFix | None:
    """Return the newest fix that says what was done, else the newest."""
    error_fixes = [_fix(fix) for fix in fixes]
    does = (f for f in error_fixes if f.files or f.commands or f.command != f.failed_command)
    return next(does, error_fixes[0] if error_fixes else None)


def _fix(fix: Fix) -> ErrorFix:
    files = tuple(dict.fromkeys(edit.path for edit in fix.edits))
    passed = fix.passed
    calls = (_call(passed), _call(fix.failed))
    return ErrorFix(*calls, files, passed.timestamp, passed.session, fix.commands)


def _call(call: ToolExecution) -> str:
    """Return a call as people write it: the command, or the tool and what it was given."""
    if command_of(call.parameters) is None and not call.parameters:
        return call.tool
    return same_call(call.tool, call.parameters).removeprefix("$ ")


# --- Ranking: how likely a task, error or failed attempt answers a clause of a question.
#
# The features are few, and the weights were set by hand on the examples of
# tests/retrieval/test_episode_retriever.py: there is no public set of questions about an agent's
# own work.

# Probability from which an episode is an answer: as likely as not. Memories have their own floor,
# `selection.SCORE_FLOOR`.
EPISODE_FLOOR = 0.5
# Log-odds: of any text; of all words of the clause being there; of each such word up to so many;
# of the text saying nothing else; of a cosine above what unrelated texts have; of a clause that
# speaks of work, attempts or errors where the text is one.
BASE = -6.0
COVERAGE = 4.0
WORD, MAX_WORDS = 0.8, 3
SHARE = 1.5
COSINE, UNRELATED_COSINE = 4.0, 0.35
KIND = 1.2
# Texts that are counted for each word before any is read: in a few tasks every word is rare.
_SMOOTHING = 10
_MAX_KNOWN = 20_000


@frozen(eq=False)
class EpisodeText:
    """What an episode is found by: its stems, and those that are its subject (without outcome)."""

    text: str
    stems: frozenset[str]
    subject: frozenset[str]

    @classmethod
    def of(cls, subject: str, more: str = "") -> EpisodeText:
        """Return the text of a subject and of what more is known."""
        stems = frozenset(words_of(subject))
        return cls(subject, twice_stemmed(stems | frozenset(words_of(more))), stems)


class Match(NamedTuple):
    """How well a text answers a clause, and by which words."""

    score: float
    words: tuple[str, ...]
    cosine: float

    @property
    def reasons(self) -> tuple[str, ...]:
        """The same in words."""
        reasons = [f"words: {', '.join(self.words)}"] if self.words else []
        if self.cosine > UNRELATED_COSINE:
            reasons.append(f"close in meaning ({self.cosine:.2f})")
        return tuple(reasons)


class WordWeights:
    """How much a word tells: less, the more texts have it."""

    def __init__(self, texts: Iterable[EpisodeText]) -> None:
        self._counts: Counter[str] = Counter()
        self._size = 0
        self._known: dict[frozenset[str], float] = {}
        for text in texts:
            self._size += 1
            self._counts.update(text.stems)

    def of(self, stems: frozenset[str]) -> float:
        """Return the weight of a word with these stems, the commonest form counting."""
        if (weight := self._known.get(stems)) is None:
            count = max((self._counts[stem] for stem in stems), default=0)
            weight = math.log(1 + (self._size + _SMOOTHING) / (count + 1))
            if len(self._known) < _MAX_KNOWN:
                self._known[stems] = weight
        return weight


def match_clause(
    clause: Clause, text: EpisodeText, weights: WordWeights, *, is_kind: bool
) -> Match:
    """Return how well a text answers a clause by its words; `is_kind`: whether the clause speaks of
    episodes of this kind."""
    matched = [word for word in clause.words if word.stems & text.stems]
    if not matched:
        return Match(0.0, (), 0.0)
    total = sum(weights.of(word.stems) for word in clause.words)
    common = sum(weights.of(word.stems) for word in matched)
    own = sum(weights.of(frozenset((stem,))) for stem in text.subject)
    log_odds = (
        BASE
        + COVERAGE * common / total
        + WORD * min(len(matched), MAX_WORDS)
        + (SHARE * min(common / own, 1.0) if own else 0.0)
        + KIND * is_kind
    )
    return Match(probability(log_odds), _names(matched), 0.0)


def with_cosine(by_words: Match, cosine: float) -> Match:
    """Return a match with what its meaning adds; words must be there, for vectors alone are close
    to much."""
    gain = COSINE * (cosine - UNRELATED_COSINE)
    return by_words._replace(score=probability(log_odds_of(by_words.score) + gain), cosine=cosine)


def _names(words: Sequence[Word]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(word.word for word in words))
