"""Sessions: contexts that outlive a run, saved by version, compacted, exported (seed 001)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from .. import validation
from ..errors import NotFound
from ..memories.compared_statement import StatementReader
from ..memories.pair_detection import CONFLICTING, SERIES, judge, numberless, word_vectors
from ..redaction import redact, redact_json
from ..store.timestamps import to_epoch
from ..text.extractive import exact_tokens
from ..tokens import estimate
from . import compaction, session_context
from .compaction import CompactionPolicy, CompactionResult, Summarizer
from .session_context import HistoryEntry, SessionContext, SessionTask, TokenUsage, ToolTotals
from .spans import SpanKind, safe_span, store_spans

if TYPE_CHECKING:
    from ..encoder import Encoder
    from ..episodes.results import TaskRecord, ToolExecution
    from .ports import OpenKit

T = TypeVar("T")

VERSIONS = 20
"""Versions of a session that are kept; older ones go as new ones come."""

# Cosine from which two facts mean the same (DESIGN: merge of duplicates), and from which they are
# judged: one fact against so many before it.
_NEAR, _ALIKE, _JUDGED = 0.92, 0.7, 3
_MOST_COMPARED = 1_000  # facts; more are compared by their words alone
_MOST_CALLS = 5_000  # calls and tasks that a context is made from if it was never saved
# Confidence of a memory made from a statement that a compaction chose.
_CONFIDENCE = 0.5


@attrs.frozen
class SavedContext:
    """One saved version of a session's context; `saved_at` is UTC text."""

    session: str
    version: int
    saved_at: str
    tokens: int


class Sessions:
    """Contexts of sessions: load, save, compact, versions; `kit.context.sessions`."""

    def __init__(self, kit: OpenKit) -> None:
        """`kit` is the open store."""
        self._kit = kit
        self._store = kit._store

    def load(self, session: str) -> SessionContext:
        """Return the context of a session as it was saved last; of one that was recorded but never
        saved what its episodes tell; else a new one."""
        name = validation.named(session, name="session")
        row = self._store.first("context_sessions.newest_context", session_id=name)
        return self._recorded(name) if row is None else _read(row)

    def save(self, context: SessionContext) -> SessionContext:
        """Save a context as a new version and return it as it was saved, secrets replaced.

        One transaction; nothing new is written if nothing changed. If somebody else saved the
        session since `context` was loaded, what each added and took out is joined.
        """
        checked = validation.instance(SessionContext, context, name="context")
        return self._store.write(lambda: self._save(checked))

    def delete(self, session: str) -> None:
        """Delete all versions of a session and what was taken out of it; raises NotFound."""
        name = validation.named(session, name="session")

        def erase() -> int:
            self._store.run("context_spans.delete_spans", session_id=name)
            return self._store.run("context_sessions.delete_context", session_id=name)

        if not self._store.write(erase):
            raise _missing(name)

    def list(self) -> tuple[SavedContext, ...]:
        """Return the saved sessions, each with its newest version, the one saved last first."""
        rows = self._store.all("context_sessions.saved_sessions")
        return tuple(SavedContext(*row) for row in rows)

    def versions(self, session: str) -> tuple[SavedContext, ...]:
        """Return the versions of a session that can be restored, newest first."""
        name = validation.named(session, name="session")
        rows = self._store.all("context_sessions.context_versions", session_id=name)
        return tuple(SavedContext(name, *row) for row in rows)

    def restore(self, session: str, version: int) -> SessionContext:
        """Make an older version the newest one and return it; raises NotFound if it is gone."""
        name = validation.named(session, name="session")
        number = validation.integer(version, name="version")

        def again() -> SessionContext:
            row = self._store.first(
                "context_sessions.context_version", session_id=name, version=number
            )
            if row is None:
                raise NotFound(
                    f"session {name!r} has no version {number}; 'memkit session show {name}' "
                    "lists those there are"
                )
            newest = self._store.first("context_sessions.newest_context", session_id=name)
            return self._add(attrs.evolve(_read(row), version=newest[0] if newest else 0))

        return self._store.write(again)

    def compact(
        self,
        context: SessionContext | str,
        *,
        max_history: int = compaction.MAX_HISTORY,
        keep: int = compaction.KEEP,
        max_tokens: int = compaction.MAX_TOKENS,
        keep_tail_tokens: int | None = None,
        force: bool = False,
        max_summary: int = compaction.MAX_SUMMARY,
        focus: str | Collection[str] = (),
        summarizer: Summarizer | None = None,
        remember_facts: bool = False,
    ) -> CompactionResult:
        """Compact a context, or a saved session by its name (which is saved again), and return what
        came of it; see CompactionPolicy for the bounds. Entries that go are stored word for word.

        With `remember_facts` the decisions and requests that are new in the summary are remembered,
        for this session alone, at a confidence of .5.
        """
        bound = validation.integer(max_history, name="max_history")
        policy = compaction.checked(
            CompactionPolicy(
                max_history=bound,
                keep=min(keep, bound) if keep == compaction.KEEP else keep,
                max_tokens=max_tokens,
                keep_tail_tokens=keep_tail_tokens,
                force=validation.boolean(force, name="force"),
                max_summary=max_summary,
                focus=validation.texts(focus, name="focus"),
                summarizer=summarizer,
            )
        )
        if isinstance(context, str):
            loaded = self.load(context)
        else:
            loaded = validation.instance(SessionContext, context, name="context")
        result = self._store.write(
            lambda: self._compact(loaded, policy, saves=isinstance(context, str))
        )
        if remember_facts and result.facts:
            self._remember(loaded.session_id, result.facts)
        return result

    def export(self, session: str) -> str:
        """Return a session's context as readable JSON in the shape of seed 001; raises NotFound for
        one that was neither saved nor recorded."""
        context = self.load(session)
        if not context.version and not context.recent_history:
            raise _missing(session)
        return session_context.as_json(context)

    def import_(self, text: str) -> SessionContext:
        """Save the context that a JSON text in that shape holds, as the newest version."""
        context = session_context.from_json(text)
        newest = self._store.first("context_sessions.newest_context", session_id=context.session_id)
        return self.save(attrs.evolve(context, version=newest[0] if newest else 0))

    # -- inside

    def _save(self, context: SessionContext) -> SessionContext:
        name = validation.named(context.session_id, name="session_id")
        row = self._store.first("context_sessions.newest_context", session_id=name)
        if row is None:
            return self._add(attrs.evolve(context, version=0))
        newest = _read(row)
        if newest.version != context.version:
            based_on = self._store.first(
                "context_sessions.context_version", session_id=name, version=context.version
            )
            base = SessionContext(name) if based_on is None else _read(based_on)
            context = merged(base, newest, context)
        return self._add(attrs.evolve(context, version=newest.version), before=newest)

    def _add(self, context: SessionContext, before: SessionContext | None = None) -> SessionContext:
        safe = _without_secrets(context, before)
        if safe == before:
            return safe
        saved = attrs.evolve(safe, version=safe.version + 1)
        name, document = saved.session_id, session_context.as_document(saved)
        self._store.run(
            "context_sessions.add_context",
            session_id=name,
            version=saved.version,
            saved_at=self._store.now(),
            tokens=saved.tokens,
            data=json.dumps(document, ensure_ascii=False),
        )
        self._store.run(
            "context_sessions.drop_old_versions",
            session_id=name,
            version=saved.version - VERSIONS,
        )
        return saved

    def _compact(
        self, context: SessionContext, policy: CompactionPolicy, *, saves: bool
    ) -> CompactionResult:
        def store_removed(entries: Sequence[HistoryEntry]) -> int:
            content = [attrs.asdict(entry) for entry in entries]
            tokens = sum(entry.tokens for entry in entries)
            span = safe_span(SpanKind.HISTORY, content, tokens, session=context.session_id)
            store_spans(self._store, [span])
            return span.handle

        result = compaction.compact(
            context,
            policy,
            now=self._store.clock(),
            store_removed=store_removed,
            find_needless=lambda texts: _needless_facts(self._kit._index.encoder(), texts),
        )
        # What is not saved here must hold no secret either: it goes on in the caller's hands.
        after = attrs.evolve(
            result.context, long_term_summary=redact(result.context.long_term_summary).text
        )
        # A session that nobody saved is not made by asking whether it is too long.
        is_saved = saves and (result.compacted or context.version > 0)
        return attrs.evolve(result, context=self._save(after) if is_saved else after)

    def _remember(self, session: str, facts: Sequence[str]) -> None:
        for fact in facts:
            self._kit.memories.remember(
                fact,
                scope="session",
                session=session,
                confidence=_CONFIDENCE,
                provenance="inferred",
            )

    def _recorded(self, session: str) -> SessionContext:
        """Return the context that the episodes of a session make, an empty one if it has none."""
        episodes = self._kit.episodes
        tasks = episodes.tasks(session=session, limit=_MOST_CALLS)[::-1]
        calls = episodes.tool_executions(session=session, limit=_MOST_CALLS)[::-1]
        entries = [entry for task in tasks for entry in _task_entries(task)]
        entries += [_call_entry(call) for call in calls]
        by_tool = Counter(call.tool for call in calls)
        read_tokens = sum(call.context_tokens or 0 for call in calls)
        return SessionContext(
            session,
            recent_history=sorted(entries, key=lambda entry: entry.timestamp),
            active_tasks=[_session_task(task) for task in tasks],
            tool_stats=ToolTotals(len(calls), by_tool, sum(not call.success for call in calls)),
            token_usage=TokenUsage(read_tokens, 0, read_tokens),
        )


def _read(row: Sequence[Any]) -> SessionContext:
    return session_context.from_document(json.loads(row[1]), version=row[0])


def _missing(session: str) -> NotFound:
    return NotFound(f"no session {session!r} is saved; 'memkit session list' names those there are")


def _without_secrets(context: SessionContext, before: SessionContext | None) -> SessionContext:
    """Return a context without secrets; entries that were saved before are clean already."""
    clean = set(before.recent_history) if before else set()
    for place, entry in enumerate(context.recent_history):
        if entry not in clean:
            session_context.check_entry(entry, place)
    history = tuple(
        entry if entry in clean else attrs.evolve(entry, content=redact(entry.content).text)
        for entry in context.recent_history
    )
    rest = session_context.as_document(attrs.evolve(context, recent_history=()))
    redacted = session_context.from_document(redact_json(rest), version=context.version)
    return attrs.evolve(redacted, recent_history=history)


def _needless_facts(encoder: Encoder | None, texts: Sequence[str]) -> set[int]:
    """Return the places of facts that a later one contradicts, and of those that another one says
    too, with the same numbers and names; none of a series goes."""
    if encoder is None or len(texts) > _MOST_COMPARED:
        return set()
    vectors = word_vectors(encoder)
    statements = StatementReader(vectors).read_all(texts)
    forms = [numberless(text) for text in texts]
    counts = Counter(forms)
    needless: set[int] = set()
    for old, new, cosine in _alike_pairs(encoder, texts):
        older, newer = statements[old], statements[new]
        if older is None or newer is None:
            continue
        verdict = judge(older, newer, has_vectors=vectors is not None).verdict
        if verdict in CONFLICTING:
            if forms[old] != forms[new] or counts[forms[old]] <= SERIES + 1:
                needless.add(old)
        elif cosine >= _NEAR and set(exact_tokens(texts[old])) == set(exact_tokens(texts[new])):
            needless.add(min(old, new, key=lambda place: len(texts[place])))
    return needless


def _alike_pairs(encoder: Encoder, texts: Sequence[str]) -> Iterator[tuple[int, int, float]]:
    """Yield the places of each text and of the likest before it, and how alike they are."""
    vectors = [embedded.vector for embedded in encoder.embed(list(texts))]
    for new, vector in enumerate(vectors):
        alike = [
            (float(vector @ other), old)
            for old, other in enumerate(vectors[:new])
            if vector is not None and other is not None
        ]
        for cosine, old in nlargest(_JUDGED, alike):
            if cosine >= _ALIKE:
                yield old, new, cosine


# --- A context made from what was recorded.


def _task_entries(task: TaskRecord) -> list[HistoryEntry]:
    entries = [_entry(to_epoch(task.started_at), "user", task.description)]
    came = task.outcome or task.error
    if came and task.completed_at:
        entries.append(_entry(to_epoch(task.completed_at), "assistant", came))
    return entries


def _call_entry(call: ToolExecution) -> HistoryEntry:
    document = {"tool": call.tool, "parameters": call.parameters, "success": call.success}
    came = call.error or call.output or ("" if call.result is None else json.dumps(call.result))
    text = json.dumps(document, ensure_ascii=False)
    return _entry(to_epoch(call.timestamp), "tool", f"{text}\n{came}" if came else text)


def _entry(timestamp: float, role: str, content: str) -> HistoryEntry:
    return HistoryEntry(timestamp, role, content, estimate(content))


def _session_task(task: TaskRecord) -> SessionTask:
    is_over = task.completed_at is not None
    status = {"active": session_context.RUNNING}.get(task.status, task.status.capitalize())
    started = to_epoch(task.started_at)
    updated = to_epoch(task.completed_at or task.paused_at or task.started_at)
    return SessionTask(task.name, task.description, status, float(is_over), started, updated)


# --- Two writers of one session.


def merged(base: SessionContext, theirs: SessionContext, ours: SessionContext) -> SessionContext:
    """Return `theirs` with what `ours` changed since `base`: entries, facts and tasks that either
    added or took out, sums of numbers; of a single value that both changed ours."""
    summary = _either(base, theirs, ours, "long_term_summary")
    if base.long_term_summary not in (theirs.long_term_summary, ours.long_term_summary):
        summary = compaction.merged_summary(theirs.long_term_summary, ours.long_term_summary)
    history = _joined(base.recent_history, theirs.recent_history, ours.recent_history)
    tasks = {task.id: task for task in theirs.active_tasks}
    kept_ids = {task.id for task in ours.active_tasks}
    for task in base.active_tasks:
        if task.id not in kept_ids:
            tasks.pop(task.id, None)
    for task in ours.active_tasks:
        other = tasks.get(task.id)
        if task not in base.active_tasks and (other is None or other.updated_at <= task.updated_at):
            tasks[task.id] = task
    return attrs.evolve(
        theirs,
        system_state=_either(base, theirs, ours, "system_state"),
        facts=_joined(base.facts, theirs.facts, ours.facts),
        recent_history=sorted(history, key=lambda entry: entry.timestamp),
        long_term_summary=summary,
        active_tasks=tuple(tasks.values()),
        tool_stats=_totals(base.tool_stats, theirs.tool_stats, ours.tool_stats),
        last_known_environment=_either(base, theirs, ours, "last_known_environment"),
        token_usage=TokenUsage(
            *(
                getattr(theirs.token_usage, name)
                + getattr(ours.token_usage, name)
                - getattr(base.token_usage, name)
                for name in ("total_input", "total_output", "by_session")
            )
        ),
    )


def _either(base: object, theirs: object, ours: object, name: str) -> Any:
    own = getattr(ours, name)
    return getattr(theirs, name) if own == getattr(base, name) else own


def _joined(base: Iterable[T], theirs: Iterable[T], ours: Iterable[T]) -> list[T]:
    """Return the items of `theirs` with what `ours` took out of `base` and added to it."""
    before, own = Counter(base), Counter(ours)
    gone, joined = before - own, []
    for item in theirs:
        if gone[item] > 0:
            gone[item] -= 1
        else:
            joined.append(item)
    added = own - before - (Counter(joined) - before)  # what both added is one
    for item in ours:
        if added[item] > 0:
            added[item] -= 1
            joined.append(item)
    return joined


def _totals(base: ToolTotals, theirs: ToolTotals, ours: ToolTotals) -> ToolTotals:
    by_tool: Mapping[str, int] = {
        tool: theirs.by_tool.get(tool, 0) + ours.by_tool.get(tool, 0) - base.by_tool.get(tool, 0)
        for tool in (*theirs.by_tool, *(set(ours.by_tool) - set(theirs.by_tool)))
    }
    return ToolTotals(
        theirs.total_calls + ours.total_calls - base.total_calls,
        by_tool,
        theirs.failures + ours.failures - base.failures,
    )
