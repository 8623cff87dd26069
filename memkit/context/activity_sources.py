"""Sources of a context in what was done and in the code: errors, attempts, tasks, patterns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING

import attrs

from ..errors import NotFound
from ..store import timestamps
from .assembled import Candidate, Level
from .tiers import Tier

if TYPE_CHECKING:
    from ..episodes.episodes import Episodes
    from ..episodes.predictions import Prediction
    from ..episodes.results import ErrorOccurrence, FailedAttempt, TaskRecord
    from ..retrieval.records import EpisodeHit
    from .ports import OpenKit
    from .signals import ContextSignals

# Errors count as recent for a day (seed 004). Errors, attempts, tasks, files at most.
RECENT, _DAY = "24 hours", 86_400
# How long an error that nothing fixed, and what was worked on most, is told at a session's start.
UNSOLVED = "14 days"
MAX_RECENT = 3
MAX_COMMITS = 5
MAX_ERRORS, MAX_ATTEMPTS, MAX_TASKS, MAX_FILES, MAX_PATTERNS = 5, 3, 5, 3, 3
# Chance from which a file of the code, a prediction or a pattern is worth its tokens.
CERTAIN = 0.5


def of_moment(kit: OpenKit, signals: ContextSignals, question: str) -> Iterator[Candidate]:
    """Yield what was done that bears on signals, and the code that a question is about."""
    from ..retrieval.records import Source

    for error in signals.recent_errors:
        answer = kit._recall(error, sources=(Source.ERRORS, Source.ATTEMPTS), noted=False)
        yield from of_hits(answer.episodes)
    if signals.current_file is not None:
        yield from _of_file(kit, signals.current_file)
    yield from _predicted(kit, signals)
    yield from _code(kit, question)


def of_hits(hits: Iterable[EpisodeHit]) -> Iterator[Candidate]:
    """Yield recalled episodes: errors and attempts are critical, tasks relevant."""
    from ..retrieval.records import AttemptHit, ErrorHit, TaskHit

    for hit in hits:
        if isinstance(hit, ErrorHit):
            what, name = "error", f"error:{_short(hit.signature)}"
        elif isinstance(hit, AttemptHit):
            place = hit.files[0] if hit.files else hit.action
            what, name = "failed attempt", f"attempt:{_short(place + hit.at)}"
        else:
            what, name = "task", f"task:{hit.task.name}"
        tier = Tier.RELEVANT if isinstance(hit, TaskHit) else Tier.CRITICAL
        done = _done(tier, str(hit.source), name, what, hit.text, hit.at, hit.score, hit.reasons)
        # A line of the page that a session starts with is no answer to who runs into the error.
        is_answer = isinstance(hit, ErrorHit)
        yield attrs.evolve(done, covers=frozenset({f"answer:{name}"})) if is_answer else done


def at_start(kit: OpenKit) -> Iterator[Candidate]:
    """Yield where we stand: errors of the last day and those that nothing fixed, unfinished tasks,
    what was done last, ways of working."""
    if not _was_active(kit):
        return
    episodes = kit.episodes
    for seen in episodes.find_errors(since=UNSOLVED, limit=MAX_ERRORS):
        if not seen.fixes or seen.last_at >= _recent(kit):
            yield _error(seen)
    for task in _distinct(episodes.unfinished_tasks(limit=4 * MAX_TASKS)):
        yield _task(task, "unfinished task")
    ended = (t for t in episodes.tasks(limit=4 * MAX_TASKS) if t.completed_at and _came_of(t))
    for task in _distinct(ended):
        yield _task(task, "failed task" if task.status == "failed" else "last done")
    yield from _workflows(episodes)
    if hot := episodes.hot_files(since=UNSOLVED, limit=MAX_TASKS):
        files = ", ".join(file.path for file in hot)
        yield _done(Tier.BACKGROUND, "files", "hot files", "files most worked on", files)
    yield from _last_commits(kit)


def recent_errors(kit: OpenKit) -> Iterator[Candidate]:
    """Yield the errors of the last day, which come only beside something relevant."""
    if _was_active(kit):
        for seen in kit.episodes.find_errors(since=RECENT, limit=MAX_RECENT):
            yield _error(seen, extra=True)


# -- inside


def _distinct(tasks: Iterable[TaskRecord]) -> Iterator[TaskRecord]:
    """Yield the first tasks, those with the same words once: a prompt may be sent again."""
    firsts: dict[str, TaskRecord] = {}
    for task in tasks:
        firsts.setdefault(" ".join(task.description.casefold().split()), task)
    yield from islice(firsts.values(), MAX_TASKS)


def _came_of(task: TaskRecord) -> bool:
    """Whether anything was done for a task, or came of it: for thanks and greetings nothing is."""
    return bool(task.files or task.tools or task.outcome or task.error)


def _last_commits(kit: OpenKit) -> Iterator[Candidate]:
    """Yield the newest commits of git's log, as far as it was read."""
    rows = kit._store.all("context_assembly.recent_commits", project=kit.project, limit=MAX_COMMITS)
    if rows:
        text = "; ".join(" ".join(subject.split()) for _, subject in rows)
        yield _done(
            Tier.BACKGROUND, "commits", "commits", "last commits, newest first", text, rows[0][0]
        )


def _was_active(kit: OpenKit) -> bool:
    """Whether anything was recorded or mined."""
    return bool(kit._store.value("context_assembly.has_episodes", project=kit.project))


def _recent(kit: OpenKit) -> str:
    """Return the moment from which on an error is recent, UTC text."""
    return timestamps.from_epoch(kit._store.clock() - _DAY)


def _of_file(kit: OpenKit, path: str) -> Iterator[Candidate]:
    """Yield what was tried on a file in vain, what usually goes with it, and its story."""
    if not _was_active(kit):
        return
    episodes = kit.episodes
    for attempt in episodes.failed_attempts(path, limit=MAX_ATTEMPTS):
        yield _attempt(attempt)
    for pattern in episodes.patterns(path=path, limit=MAX_PATTERNS):
        if pattern.confidence >= CERTAIN:
            name = f"pattern:{pattern.id}"
            yield _done(
                Tier.RELEVANT, "patterns", name, "pattern", pattern.text, pattern.last_seen,
                pattern.confidence, (str(pattern.type),),
            )  # fmt: skip
    history = episodes.file_history(path, limit=1)
    if history.changes or history.commits:
        text = f"{history.path} was changed {history.changes} times in sessions"
        text += f" and by {history.commits} commits" if history.commits else ""
        yield _done(
            Tier.BACKGROUND, "history", f"history:{history.path}", "history", text,
            history.last_at or "", extra=True,
        )  # fmt: skip


def _predicted(kit: OpenKit, signals: ContextSignals) -> Iterator[Candidate]:
    """Yield what signals foretell: memories, files and patterns."""
    from ..episodes.records import SignalKind

    subjects = (
        (SignalKind.FILE, signals.current_file),
        *((SignalKind.ERROR, error) for error in signals.recent_errors),
        (SignalKind.BRANCH, signals.branch),
        (SignalKind.COLLABORATOR, signals.collaborator),
        (SignalKind.TIME, signals.time),
    )
    for kind, subject in subjects:
        if subject is not None:
            yield from _foretold(kit, kind, subject)


def _foretold(kit: OpenKit, kind: str, subject: str) -> Iterator[Candidate]:
    from ..episodes.predictions import Signal
    from ..episodes.records import PredictedKind
    from .sources import memory_candidate

    forecast = kit.episodes.predict(Signal(kind, subject), limit=MAX_FILES)
    certain = [p for p in forecast.predictions if p.confidence >= CERTAIN]
    ids = {int(p.name): p for p in certain if p.kind is PredictedKind.MEMORY}
    for memory in kit.memories.get_many(ids):
        prediction = ids[memory.id]
        yield memory_candidate(
            memory, Tier.RELEVANT, score=prediction.confidence, reasons=(f"foretold by {kind}",)
        )
    files = [p for p in certain if p.kind is PredictedKind.FILE]
    if files:
        yield _files(files, kind, subject)


def _files(files: list[Prediction], kind: str, subject: str) -> Candidate:
    text = ", ".join(f"{file.name} ({', '.join(file.reasons[:1])})" for file in files)
    name = f"next:{kind}:{_short(subject)}"
    return _done(
        Tier.RELEVANT, "predictions", name, "usually needed next", text,
        score=files[0].confidence, reasons=(f"foretold by {kind}",),
    )  # fmt: skip


def _code(kit: OpenKit, question: str) -> Iterator[Candidate]:
    """Yield the files where a question is dealt with, where that is certain enough."""
    if not question or not kit._store.value("context_assembly.has_code"):
        return
    with suppress(NotFound):
        for file in kit.codegraph.find_relevant_to_query(question, limit=MAX_FILES):
            if file.score >= CERTAIN:
                names = ", ".join(symbol.qualname for symbol in file.symbols[:5])
                text = f"{file.path}: {names}" if names else file.path
                yield _done(
                    Tier.RELEVANT, "code", f"file:{file.path}", "code", text,
                    score=file.score, reasons=file.reasons,
                )  # fmt: skip


def _workflows(episodes: Episodes) -> Iterator[Candidate]:
    for pattern in episodes.patterns("workflow", limit=MAX_PATTERNS):
        yield _done(
            Tier.BACKGROUND, "patterns", f"pattern:{pattern.id}", "way of working", pattern.text,
            pattern.last_seen, pattern.confidence,
        )  # fmt: skip


def _error(seen: ErrorOccurrence, *, extra: bool = False) -> Candidate:
    fix = "; ".join(_fix_text(seen)) or "not fixed yet"
    often = "once" if seen.count == 1 else f"{seen.count} times"
    text = f"{' '.join(seen.message.split())} ({often}) – {fix}"
    return _done(
        Tier.CRITICAL, "errors", f"error:{_short(seen.signature)}", "error", text, seen.last_at,
        reasons=("failed lately",), extra=extra,
    )  # fmt: skip


def _fix_text(seen: ErrorOccurrence) -> Iterator[str]:
    if seen.fixes:
        means = next(filter(None, (fix.means for fix in seen.fixes)), None)
        yield f"fixed by {means}" if means else "passed later"


def _attempt(attempt: FailedAttempt) -> Candidate:
    text = f"{attempt.path} – failed: {' '.join(attempt.reason.split())}"
    name = f"attempt:{_short(attempt.path + attempt.at)}"
    return _done(
        Tier.CRITICAL, "attempts", name, "failed attempt", text, attempt.at,
        reasons=("tried on this file",),
    )  # fmt: skip


def _task(task: TaskRecord, label: str) -> Candidate:
    came = task.outcome or task.error
    text = " ".join(task.description.split()) + (f" – {' '.join(came.split())}" if came else "")
    at = task.completed_at or task.started_at
    return _done(Tier.RELEVANT, "tasks", f"task:{task.name}", label, text, at)


def _done(
    tier: Tier,
    source: str,
    reference: str,
    label: str,
    text: str,
    at: str = "",
    score: float = 0.0,
    reasons: tuple[str, ...] = (),
    *,
    extra: bool = False,
) -> Candidate:
    return Candidate(
        tier, source, reference, label, (Level("full", text),), at=at, score=score,
        reasons=reasons, extra=extra,
    )  # fmt: skip


def _short(text: str) -> str:
    """Return a short name for what has only a text, the same on every machine."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12]
