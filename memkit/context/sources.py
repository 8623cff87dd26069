"""Sources of a context: everything that is known of a moment, as candidates by tier.

What is remembered, what was done (errors, attempts, tasks, patterns), and the code.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cached_property, partial
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any

import attrs

from ..anchors import AnchorState
from ..errors import NotFound
from ..frozen import frozen
from ..memories.records import LESSONS, Kind, Scope
from ..store import timestamps
from ..text.analyzer import words_of
from ..text.extractive import summarize
from ..tokens import estimate
from .assembled import DEFAULT_BUDGET, Activity, Candidate, LeftOut, Level, Tier
from .memory_levels import level_texts
from .signals import ContextSignals

if TYPE_CHECKING:
    from ..episodes.episodes import Episodes
    from ..episodes.predictions import Prediction
    from ..episodes.results import ErrorOccurrence, FailedAttempt, TaskRecord
    from ..memories.records import Memory
    from ..retrieval.records import EpisodeHit, Hit, RecallResult
    from ..store.store import Store
    from .ports import OpenKit
    from .selection import Selection


# Memories that a prompt may bring, standing ones of a sort, pairs that contradict, topics.
MAX_HITS, MAX_STANDING, MAX_PAIRS, MAX_TOPICS = 40, 10, 5, 12
# Documents whose sections are named at a session's start.
MAX_DOCUMENTS = 5
# Tokens of a long side of a contradiction where it is shortened: both keep to the share that one
# item may take of the 1,000 tokens of a hook (MAX_SHARE in assembly), marks and ids included.
MAX_SIDE = 80
# Memories whose anchors are looked at for what is stale, and how many of those are told.
_ANCHORED, _STALE = 100, 5
# Kinds that say what to do and what not, by what a reader sees.
_LABELS = {Kind.NEGATIVE: "rule", Kind.CORRECTION: "correction"}
_CRITICAL = frozenset({*LESSONS, Kind.PREFERENCE})


@frozen
class Moment:
    """What a context is assembled for: a prompt and signals, an activity, the session that asks,
    the tokens that it may have, and references of what it has brought itself."""

    prompt: str
    signals: ContextSignals
    activity: Activity | None = None
    session: str | None = None
    budget: int = DEFAULT_BUDGET
    unsaid: frozenset[str] = frozenset()

    @property
    def is_start(self) -> bool:
        """Whether nothing tells what is wanted: a session begins."""
        return not self.prompt.strip() and self.signals.is_empty

    @property
    def question(self) -> str:
        """What is asked: the prompt, else the task, else the file that is open."""
        wants = (self.prompt, self.signals.task, self.signals.current_file)
        return next((text for text in wants if text and text.strip()), "")


@frozen
class Gathered:
    """Candidates of a moment, best first within a tier, and what was left out on the way."""

    candidates: tuple[Candidate, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    notes: tuple[str, ...] = ()


def gather(kit: OpenKit, moment: Moment) -> Gathered:
    """Return what is known of a moment."""
    notes, no_room = _task_notes(kit, moment)
    if moment.is_start:
        return Gathered((*_start_page(kit), *notes), tuple(no_room))
    from ..retrieval.selection import SCORE_FLOOR  # the page of a session's start needs none of it

    selection = _selected(kit, moment)
    recalled = list(_recalled(moment, selection))
    memories = _Memories(kit)
    done = [
        *episode_candidates(selection.episodes),
        *_work_of_moment(kit, moment.signals, moment.question),
    ]
    is_fixing = moment.activity is Activity.DEBUGGING
    candidates = [
        *memories.contradictions_of(selection.hits),
        *(done if is_fixing else ()),
        *notes,
        *recalled,
        *memories.about_file(moment.signals.current_file),
        *(() if is_fixing else done),
        *memories.preferences_of(moment.signals.collaborator),
    ]
    # What has no score is known to bear on it.
    if any(not c.extra and (not c.score or c.score >= SCORE_FLOOR) for c in candidates):
        candidates += memories.supplements([c.number for c in recalled if c.number is not None])
        candidates += _recent_errors(kit) if is_fixing else ()
    return Gathered(tuple(candidates), (*selection.left_out, *no_room), selection.notes)


def _task_notes(kit: OpenKit, moment: Moment) -> tuple[list[Candidate], list[LeftOut]]:
    """Return what the task of a moment noted; what reads it is loaded where any task noted
    anything."""
    if moment.signals.task is None and not kit._store.value("context_scopes.has_items"):
        return [], []
    from .scopes import task_notes

    return task_notes(kit, moment)


def _selected(kit: OpenKit, moment: Moment) -> Selection:
    """Return what bears on the prompt or the task; of an open file alone what recall is sure of."""
    from .selection import Selection, select_memories

    path, session = moment.signals.current_file, moment.session
    ask = partial(kit._recall, noted=False, season=moment.signals.season)

    def recall(*about: str, **how: Any) -> RecallResult:
        return _without(ask(*about, **how), moment.unsaid)

    if moment.prompt.strip() or moment.signals.task:
        how: dict[str, Any] = {"session": session, "near": path, "task": moment.signals.task}
        how["now"] = kit._store.clock()
        return select_memories(recall, moment.question, limit=MAX_HITS, **how)
    if path is None:
        return Selection()
    answer = recall(path, limit=MAX_HITS, session=session, near=path, sources="memories")
    return Selection(answer.hits)


def _without(answer: RecallResult, unsaid: Collection[str]) -> RecallResult:
    """Return an answer as though some memories were not known."""
    if not unsaid:
        return answer
    hits = tuple(
        attrs.evolve(
            hit, contradicts=tuple(n for n in hit.contradicts if f"memory:{n}" not in unsaid)
        )
        for hit in answer.hits
        if f"memory:{hit.id}" not in unsaid
    )
    return attrs.evolve(answer, hits=hits)


def _recalled(moment: Moment, selection: Selection) -> Iterator[Candidate]:
    """Yield what was selected: what is about the current file is critical, and so are
    rules, unless they hardly bear on it."""
    from ..retrieval.selection import SCORE_FLOOR

    for hit in selection.hits:
        is_here = moment.signals.current_file is not None and "near" in hit.parts
        is_rule = hit.memory.kind in _CRITICAL and hit.score >= SCORE_FLOOR
        nearest = is_rule or "trigger" in hit.parts or is_here
        tier = Tier.CRITICAL if nearest else Tier.RELEVANT
        candidate = memory_candidate(hit.memory, tier, score=hit.score, reasons=hit.reasons)
        if hit.contradicts:
            flags = (*candidate.flags, _contradicted(hit.contradicts))
            candidate = attrs.evolve(candidate, flags=flags)
        max_tokens = selection.max_tokens.get(hit.id)
        yield candidate if max_tokens is None else _shorter(candidate, max_tokens, moment)


def _shorter(candidate: Candidate, max_tokens: int, moment: Moment) -> Candidate:
    """Return a candidate without wordings of more than so many tokens: the part of its text that
    bears on the question goes before what was shortened without knowing it."""
    focus = words_of(moment.question)
    text = summarize(candidate.text, max_tokens=max_tokens, count=estimate, focus=focus)
    hints = (level for level in candidate.levels[1:] if estimate(level.text) <= max_tokens)
    return attrs.evolve(candidate, levels=(Level("shortened", text), *hints))


def _start_page(kit: OpenKit) -> Iterator[Candidate]:
    """Yield what a colleague would hand over: rules, where we stand, what failed, what is stale."""
    memories = _Memories(kit)
    yield from memories.pinned(Tier.CRITICAL)
    for kind in LESSONS:
        yield from memories.standing(kind, Tier.CRITICAL)
    yield from memories.open_contradictions()
    yield from _work_at_start(kit)
    yield from memories.stale()
    yield from memories.conventions()
    yield from memories.standing(Kind.PREFERENCE, Tier.BACKGROUND)
    yield from memories.all_topics()
    yield from memories.documents()


def memory_candidate(
    memory: Memory,
    tier: Tier,
    *,
    score: float = 0.0,
    reasons: tuple[str, ...] = (),
    extra: bool = False,
) -> Candidate:
    """Return a memory as a candidate, with the wordings that it has."""
    levels = [Level(name, text) for name, text in reversed(level_texts(memory).items())]
    return Candidate(
        tier,
        "memories",
        f"memory:{memory.id}",
        _LABELS.get(memory.kind, str(memory.kind)),
        tuple(levels),
        at=memory.created_at,
        number=memory.id,
        flags=tuple(_flags(memory)),
        score=score,
        reasons=reasons,
        extra=extra,
    )


def _flags(memory: Memory) -> Iterator[str]:
    if memory.pinned:
        yield "pinned"
    if memory.scope is Scope.GLOBAL:
        yield "global"
    if memory.is_unconfirmed:
        yield "unconfirmed"
    states = {anchor.state for anchor in memory.about}
    if memory.is_stale:
        yield "stale: its code is gone" if AnchorState.GONE in states else "stale: its code changed"


class _Memories:
    """Memories that no recall brings, of this store and the global one."""

    def __init__(self, kit: OpenKit) -> None:
        self._kit = kit
        self._here = {"project": kit.project, "now": kit._store.now()}

    def pinned(self, tier: Tier, *, extra: bool = False) -> Iterator[Candidate]:
        """Yield what was pinned."""
        ids = self._ids("context_assembly.pinned", limit=MAX_STANDING)
        return self._as_candidates(ids, tier, "pinned", extra=extra)

    def standing(self, kind: Kind, tier: Tier) -> Iterator[Candidate]:
        """Yield rules or preferences that hold, the most important first."""
        ids = self._ids("context_assembly.standing", kind=kind, limit=MAX_STANDING)
        return self._as_candidates(ids, tier, "holds for every task")

    def conventions(self, *, extra: bool = False) -> Iterator[Candidate]:
        """Yield conventions and procedures of the project."""
        ids = self._ids("context_assembly.conventions", limit=MAX_STANDING)
        return self._as_candidates(ids, Tier.BACKGROUND, "convention", extra=extra)

    def about_file(self, path: str | None) -> Iterator[Candidate]:
        """Yield what is about a file or what it holds."""
        if path is None:
            return iter(())
        ids = self._ids("context_assembly.about_file", path=path, limit=MAX_STANDING)
        return self._as_candidates(ids, Tier.CRITICAL, f"about {path}")

    def preferences_of(self, name: str | None) -> Iterator[Candidate]:
        """Yield what somebody who joins prefers."""
        if name is None:
            return iter(())
        ids = self._ids("context_assembly.preferences_of", author=name, limit=MAX_STANDING)
        return self._as_candidates(ids, Tier.RELEVANT, f"preference of {name}")

    def stale(self) -> Iterator[Candidate]:
        """Yield memories about code that has changed since."""
        store = self._kit._store
        rows = store.all("context_assembly.anchored", project=self._kit.project, limit=_ANCHORED)
        memories = self._kit.memories.get_many(memory_id for (memory_id,) in rows)
        stale = [memory for memory in memories if memory.is_stale][:_STALE]
        for memory in stale:
            yield memory_candidate(memory, Tier.RELEVANT, reasons=("its code has changed",))

    def contradictions_of(self, hits: Iterable[Hit]) -> Iterator[Candidate]:
        """Yield the open contradictions of hits that are as likely right as not, both sides
        together, as in recall; any other comes alone, and says that it is contradicted."""
        from ..retrieval.graph_expansion import AS_LIKELY_AS_NOT

        pairs = {
            (min(hit.id, other), max(hit.id, other)): hit
            for hit in reversed(list(hits))
            for other in hit.contradicts
            if hit.score >= AS_LIKELY_AS_NOT
        }
        return self._as_pairs({pair: hit.score for pair, hit in reversed(pairs.items())})

    def open_contradictions(self) -> Iterator[Candidate]:
        """Yield the newest open contradictions."""
        pairs = self._kit.memories.contradictions()[:MAX_PAIRS]
        return self._as_pairs({(pair.memory_a, pair.memory_b): 0.0 for pair in pairs})

    def supplements(self, recalled: list[int]) -> Iterator[Candidate]:
        """Yield what comes only with something relevant: what was pinned, conventions, topics."""
        yield from self.pinned(Tier.CRITICAL, extra=True)
        yield from self.conventions(extra=True)
        topics = json.dumps(recalled)
        rows = self._kit._store.all("context_assembly.topics", ids=topics) if recalled else ()
        yield from _topics({name: count for name, count in rows if count > 1}, extra=True)

    def documents(self) -> Iterator[Candidate]:
        """Yield the documents that were taken in, with the names of their sections."""
        rows = self._kit._store.all(
            "context_assembly.documents", project=self._kit.project, limit=MAX_DOCUMENTS
        )
        for document, count, names in rows:
            sections = list(dict.fromkeys(name.partition("~")[0] for name in json.loads(names)))
            text = f"{document}, {count} sections: {', '.join(sections[:MAX_TOPICS])} – {_EXPAND}"
            yield Candidate(
                Tier.INDEX, "documents", f"document:{document}", "document",
                (Level("full", text), Level("compressed", f"{document} – {_EXPAND}")),
                reasons=("what more there is to ask about",), shortens=False,
            )  # fmt: skip

    def all_topics(self) -> Iterator[Candidate]:
        """Yield the tags that are used most, and keys of facts where there are few."""
        counts = dict(list(self._kit.memories.tags().items())[:MAX_TOPICS])
        if len(counts) < MAX_TOPICS:
            rows = self._kit._store.all(
                "context_assembly.keys", project=self._kit.project, limit=MAX_TOPICS - len(counts)
            )
            counts = {key: 1 for (key,) in rows} | counts
        return _topics({name: count for name, count in counts.items() if count})

    # -- inside

    @cached_property
    def _stores(self) -> Sequence[Store]:
        return self._kit.memories._stores()[0]

    def _ids(self, query: str, **params: object) -> list[int]:
        rows_of = (store.all(query, **self._here, **params) for store in self._stores)
        return [memory_id for rows in rows_of for (memory_id,) in rows]

    def _as_candidates(
        self, ids: list[int], tier: Tier, reason: str, *, extra: bool = False
    ) -> Iterator[Candidate]:
        for memory in self._kit.memories.get_many(ids) if ids else ():
            if memory.is_current:
                yield memory_candidate(memory, tier, reasons=(reason,), extra=extra)

    def _as_pairs(self, pairs: dict[tuple[int, int], float]) -> Iterator[Candidate]:
        ids = [memory_id for pair in pairs for memory_id in pair]
        memories = {
            memory.id: memory for memory in (self._kit.memories.get_many(ids) if ids else ())
        }
        for (first, second), score in pairs.items():
            if first in memories and second in memories:
                yield _pair(memories[first], memories[second], score)


def _contradicted(others: Sequence[int]) -> str:
    """Return what is to be known of a memory that comes without what it contradicts."""
    more = f" and {len(others) - 1} more" if len(others) > 1 else ""
    return f"contradicts #{others[0]}{more}, not settled"


def _pair(first: Memory, second: Memory, score: float) -> Candidate:
    whole = _sides((first, first.text), (second, second.text))
    briefly = _sides(
        (first, _bearing_on(first.text, second.text)),
        (second, _bearing_on(second.text, first.text)),
    )
    levels = [Level("full", whole)]
    if briefly != whole:
        levels.append(Level("shortened", briefly))
    return Candidate(
        Tier.CRITICAL,
        "contradictions",
        f"contradiction:{first.id}:{second.id}",
        "contradiction (not settled)",
        tuple(levels),
        score=score,
        reasons=("open contradiction",),
        covers=frozenset({f"memory:{first.id}", f"memory:{second.id}"}),
        shortens=False,
    )


def _sides(*sides: tuple[Memory, str]) -> str:
    return "\n".join(
        f"#{memory.id} ({memory.created_at[:10]}) says: {' '.join(text.split())}"
        for memory, text in sides
    )


def _bearing_on(text: str, other: str) -> str:
    """Return the statements of a long text that bear on another one, the text where none does."""
    focus = words_of(other)
    return summarize(text, max_tokens=MAX_SIDE, count=estimate, focus=focus) or text


def _topics(counts: dict[str, int], *, extra: bool = False) -> Iterator[Candidate]:
    """Yield what there is to ask about, with the command that tells more."""
    counts = {name: count for name, count in counts.items() if not name.startswith(DOCUMENT_TAG)}
    if not counts:
        return
    names = list(counts.items())[:MAX_TOPICS]
    levels = [
        Level(level, f"{', '.join(f'{name} ({count})' for name, count in some)} – {_EXPAND}")
        for level, some in (("full", names), ("compressed", names[:4]))
    ]
    yield Candidate(
        Tier.INDEX,
        "topics",
        "topics",
        "topics",
        tuple(levels),
        reasons=("what more there is to ask about",),
        extra=extra,
        shortens=False,
    )


# Tags that say what sort of document a note is from begin with this; they are no topics.
DOCUMENT_TAG = "notes:"
_EXPAND = "memkit recall TOPIC tells more"


# --- What was done, and the code.

# Errors count as recent for a day (seed 004). Errors, attempts, tasks, files at most.
RECENT, _DAY = "24 hours", 86_400
# How long an error that nothing fixed, and what was worked on most, is told at a session's start.
UNSOLVED = "14 days"
MAX_RECENT = 3
MAX_COMMITS = 5
MAX_ERRORS, MAX_ATTEMPTS, MAX_TASKS, MAX_FILES, MAX_PATTERNS = 5, 3, 5, 3, 3
# Chance from which a file of the code, a prediction or a pattern is worth its tokens.
CERTAIN = 0.5


def _work_of_moment(kit: OpenKit, signals: ContextSignals, question: str) -> Iterator[Candidate]:
    """Yield what was done that bears on signals, and the code that a question is about."""
    from ..retrieval.records import Source

    for error in signals.recent_errors:
        answer = kit._recall(error, sources=(Source.ERRORS, Source.ATTEMPTS), noted=False)
        yield from episode_candidates(answer.episodes)
    if signals.current_file is not None:
        yield from _of_file(kit, signals.current_file)
    yield from _predicted(kit, signals)
    yield from _code(kit, question)


def episode_candidates(hits: Iterable[EpisodeHit]) -> Iterator[Candidate]:
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


def _work_at_start(kit: OpenKit) -> Iterator[Candidate]:
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


def _recent_errors(kit: OpenKit) -> Iterator[Candidate]:
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
