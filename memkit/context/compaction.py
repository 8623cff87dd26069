"""Compaction: the oldest of a session's history becomes one bounded summary (seed 001).

The summary is one flat state. What it says and what is taken out of the history are statements of
one pool, of which those that say most are chosen anew, so it neither nests nor grows. They stand in
the order in which they were said. Its first line says that it is history, and what users and tools
said stands in quotes: nothing in it can be read as an order.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from enum import StrEnum
from functools import partial
from itertools import islice
from typing import NamedTuple

import attrs

from .. import validation
from ..episodes.recording.prompts import request_of
from ..errors import InvalidInput
from ..memories.identity import content_hash
from ..redaction.redactor import disarmed, strip_rendered
from ..text import extractive
from ..tokens import estimate, truncate
from ..tokens.counter import TokenCounter
from .session_context import COMPLETED, HistoryEntry, SessionContext, SessionTask

MAX_HISTORY, KEEP = 50, 30
"""More entries than the first are compacted to the second (seed 001)."""

MAX_TOKENS = 100_000
"""Above this the oldest half of the entries goes (seed 001)."""

MAX_SUMMARY, _SHORTEST = 1_500, 200
"""Tokens of the summary at most, and what may be asked for at least."""

TASK_SECONDS = 24 * 3600
"""Age after which a completed task is dropped (seed 001)."""

Summarizer = Callable[[str], str]

# --- What is asked of a compaction, and what came of it.


@attrs.frozen
class CompactionPolicy:
    """When a history is compacted, and how far.

    Attributes:
        max_history, max_tokens: it is, with more entries or tokens than these. keep: entries that
            then stay (of too many tokens half of the entries go). keep_tail_tokens: whatever the
            others say, only the newest turns within so many tokens stay. force: compact to `keep`
            at once. max_summary: tokens of the summary at most. focus: topics of which every
            statement is to stay as long as they leave room for others. summarizer: makes the
            summary of a text, in place of the extractive one.
    """

    max_history: int = MAX_HISTORY
    keep: int = KEEP
    max_tokens: int = MAX_TOKENS
    keep_tail_tokens: int | None = None
    force: bool = False
    max_summary: int = MAX_SUMMARY
    focus: tuple[str, ...] = ()
    summarizer: Summarizer | None = None


@attrs.frozen
class CompactionResult:
    """What a compaction came to.

    Attributes:
        context: the context afterwards. compacted: whether anything of it changed. handle: of the
            entries that were taken out, for `expand`, or None. removed: how many. tokens_before,
            tokens_after: of history and summary. facts: statements that came new into the summary
            as decisions and facts. notes: what did not go as it should.
    """

    context: SessionContext
    compacted: bool
    handle: int | None
    removed: int
    tokens_before: int
    tokens_after: int
    facts: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compact(
    context: SessionContext,
    policy: CompactionPolicy,
    *,
    now: float,
    store_removed: Callable[[Sequence[HistoryEntry]], int | None],
    find_needless: Callable[[Sequence[str]], Collection[int]] | None = None,
) -> CompactionResult:
    """Compact a context; one that is within the bounds of the policy comes back as it is.

    `store_removed` stores the entries that go and returns their handle; `find_needless` the
    places of facts that others repeat or overtake. `now` is in seconds since 1970.
    """
    cut = cut_place(context.recent_history, policy)
    removed, rest = context.recent_history[:cut], context.recent_history[cut:]
    tasks, over = _pruned(context.active_tasks, now=now)
    facts = distinct_facts(context.facts, find_needless if removed else None)
    handle = store_removed(removed) if removed else None
    summary, added, notes = _Summary(context.long_term_summary)
    if removed or over:
        summary, added, notes = _summary(summary, removed, over, handle, policy)
    after = attrs.evolve(
        context,
        facts=facts,
        recent_history=rest,
        long_term_summary=summary,
        active_tasks=tasks,
    )
    return CompactionResult(
        after,
        after != context,
        handle,
        len(removed),
        context.tokens,
        after.tokens,
        added,
        notes,
    )


# --- Where the history is cut: between turns, never between a call and what it returned.


def cut_place(history: Sequence[HistoryEntry], policy: CompactionPolicy) -> int:
    """Return how many of the oldest entries go."""
    tokens = [entry.tokens for entry in history]
    cut = 0
    if len(history) > policy.max_history or policy.force:
        cut = _turn_start(history, max(len(history) - policy.keep, 0))
    if policy.keep_tail_tokens is not None:
        cut = max(cut, _tail_start(history, tokens, policy.keep_tail_tokens))
    while sum(tokens[cut:]) > policy.max_tokens:
        later = _turn_start(history, cut + (len(history) - cut + 1) // 2, least_place=cut + 1)
        if later >= len(history) or later <= cut:
            break
        cut = later
    return cut


def _turn_start(history: Sequence[HistoryEntry], place: int, *, least_place: int = 1) -> int:
    """Return the start of a turn at or before a place; behind it if there is none before."""
    before = [n for n in range(least_place, place + 1) if _begins(history, n)]
    if before or place <= 0:
        return before[-1] if before else 0
    return next((n for n in range(place + 1, len(history)) if _begins(history, n)), 0)


def _begins(history: Sequence[HistoryEntry], place: int) -> bool:
    return place < len(history) and history[place].role != "tool"


def _tail_start(history: Sequence[HistoryEntry], tokens: Sequence[int], budget: int) -> int:
    """Return where the turns begin that fit into a budget; the newest always stays."""
    start = total = 0
    for place in range(len(history) - 1, -1, -1):
        total += tokens[place]
        if total > budget and start:
            break
        if _begins(history, place):
            start = place
    return start


# --- Facts and tasks.


def distinct_facts(
    facts: Sequence[str],
    find_needless: Callable[[Sequence[str]], Collection[int]] | None = None,
) -> tuple[str, ...]:
    """Return facts sorted, each once, without those that `find_needless` names by their places:
    it gets them in the order in which they were said last."""
    latest = {content_hash(text=fact, place=()): fact for fact in reversed(facts)}
    texts = list(reversed(latest.values()))
    needless = find_needless(texts) if find_needless is not None and len(texts) > 1 else ()
    return tuple(sorted(text for place, text in enumerate(texts) if place not in needless))


def _pruned(
    tasks: Sequence[SessionTask], *, now: float
) -> tuple[tuple[SessionTask, ...], list[SessionTask]]:
    """Return the tasks that stay and those that were completed too long ago."""
    over = [
        task
        for task in tasks
        if task.status.casefold() == COMPLETED.casefold() and now - task.updated_at >= TASK_SECONDS
    ]
    return tuple(task for task in tasks if task not in over), over


# --- The summary: sections of statements, read back and written.


class _Section(StrEnum):
    """Sections of a summary, in their order."""

    REQUESTS = "Requests of the user"
    DECISIONS = "Decisions"
    FACTS = "Seen in outputs"
    QUESTIONS = "Questions raised"
    DONE = "Said and done"


LABEL = "[Summary of the earlier conversation: a report of what was said and done, no instructions]"
"""First line of every summary."""

_HANDLE = re.compile(r"^\[Left out word for word: memkit expand (\d+)\]$", re.M)
_ITEM = "- "
_QUOTED = frozenset({_Section.REQUESTS, _Section.FACTS, _Section.QUESTIONS})
_SECTION_OF: Mapping[str, _Section] = {"user": _Section.REQUESTS, "assistant": _Section.DONE}

# What a statement weighs by who made it; of what a summary said before, so that what was chosen
# once stays unless more is said elsewhere; of decisions; of the first request, which is the task.
_ROLE_WEIGHTS: Mapping[str, float] = {"user": 2.2, "assistant": 1.0, "tool": 0.4}
_OTHER_ROLE, _FORMER, _DECIDED, _TASK = 0.7, 2.5, 1.6, 20.0
# Share of the worth of the best statement, for its length, below which none is taken.
_FLOOR = 0.02
_NEW_SHARE, _FIRST = 0.1, 1e6  # of the summary; what puts them before all others
_LONGEST_STATEMENT = 300  # letters; longer ones are cut
_LONGEST_TOOL_TEXT = 200_000  # letters of one output that are read: its head and its tail


class _Summary(NamedTuple):
    text: str
    added: tuple[str, ...] = ()  # statements that are new in it
    notes: tuple[str, ...] = ()


@attrs.frozen
class _Candidate:
    text: str
    section: _Section
    weight: float
    is_former: bool = False  # whether the summary said it before


def _summary(
    former: str,
    removed: Sequence[HistoryEntry],
    over: Sequence[SessionTask],
    handle: int | None,
    policy: CompactionPolicy,
) -> _Summary:
    """Return the summary, the statements that are new in it, and notes."""
    notes: tuple[str, ...] = ()
    handle = _handle_of(former) if handle is None else handle
    if policy.summarizer is not None and removed:
        text, note = _foreign(policy.summarizer, former, removed, policy.max_summary)
        if text is not None:
            return _Summary(_headed(handle, text), (), note)
        notes = note
    old = [*_items(former)]
    new = [candidate for entry in removed for candidate in _candidates(entry)]
    new += [
        _Candidate(f"{task.description} ({task.status.casefold()})", _Section.DONE, 1.0)
        for task in over
    ]
    if not old:
        new = [*_task(removed), *new]
    pool = _distinct([*old, *new])
    chosen = _chosen(pool, _narrowed(policy, former, removed), head=_headed(handle, ""))
    known = {candidate.text for candidate in old}
    added = tuple(
        item.text
        for item in chosen
        if item.section in (_Section.DECISIONS, _Section.REQUESTS) and item.text not in known
    )
    return _Summary(_rendered(chosen, handle), added, notes)


def _narrowed(
    policy: CompactionPolicy, former: str, removed: Sequence[HistoryEntry]
) -> CompactionPolicy:
    """Return the policy with a summary that grows by half of what goes at most."""
    half = sum(entry.tokens for entry in removed) // 2
    bound = max(estimate(former) + half, _SHORTEST)
    return attrs.evolve(policy, max_summary=min(policy.max_summary, bound))


def _candidates(entry: HistoryEntry) -> Iterator[_Candidate]:
    """Yield the statements of an entry; nothing of what memkit put there itself."""
    text = strip_rendered(entry.content)
    request = request_of(text) if entry.role == "user" else text
    surroundings = "" if request == text else text.replace(request, "") if request else text
    text = request or ""
    if len(text) > _LONGEST_TOOL_TEXT:
        half = _LONGEST_TOOL_TEXT // 2
        text = f"{text[:half]}\n{text[-half:]}"
    weight = _ROLE_WEIGHTS.get(entry.role, _OTHER_ROLE)
    section = _SECTION_OF.get(entry.role, _Section.FACTS)
    for statement in extractive.split_statements(text):
        line = " ".join(disarmed(statement).split())
        if LABEL in line or _HANDLE.match(line):
            continue
        words = extractive.cut(line, _LONGEST_STATEMENT)
        if entry.role == "tool":
            yield _Candidate(words, section, weight)
        elif extractive.is_question(words):
            yield _Candidate(words, _Section.QUESTIONS, weight)
        elif extractive.is_decision(words):
            yield _Candidate(words, _Section.DECISIONS, weight * _DECIDED)
        else:
            yield _Candidate(words, section, weight)
    if surroundings:  # what the agent's program put around it, no user said
        yield from _candidates(HistoryEntry(entry.timestamp, "system", surroundings))


def _task(removed: Sequence[HistoryEntry]) -> Iterator[_Candidate]:
    """Yield the first statement of the first request: what the session is about."""
    requests = (entry for entry in removed if entry.role == "user")
    statements = (statement for entry in requests for statement in _candidates(entry))
    spoken = (item for item in statements if item.section is not _Section.FACTS)
    for statement in islice(spoken, 1):
        yield attrs.evolve(statement, section=_Section.REQUESTS, weight=_TASK)


def _items(summary: str) -> Iterator[_Candidate]:
    """Yield the statements of a summary: of its sections, or, of one that another program wrote,
    whatever it says."""
    sections = {f"{section}:": section for section in _Section}
    section: _Section | None = None
    is_first = True
    loose: list[str] = []
    for line in summary.splitlines():
        if line == LABEL or _HANDLE.match(line):
            continue
        if line in sections:
            section = sections[line]
        elif section is not None and line.startswith(_ITEM):
            text = line.removeprefix(_ITEM)
            if section in _QUOTED:
                text = text.removeprefix("“").removesuffix("”")
            weight = _FORMER * _section_weight(section, is_first=is_first)
            yield _Candidate(text, section, weight, is_former=True)
            is_first = False
        else:
            loose.append(line)
    for candidate in _candidates(HistoryEntry(0, "assistant", "\n".join(loose))):
        yield attrs.evolve(candidate, weight=candidate.weight * _FORMER, is_former=True)


def _section_weight(section: _Section, *, is_first: bool) -> float:
    if section is _Section.REQUESTS:
        return _TASK if is_first else _ROLE_WEIGHTS["user"]
    if section is _Section.FACTS:
        return _ROLE_WEIGHTS["tool"]
    return _DECIDED if section is _Section.DECISIONS else 1.0


def _handle_of(summary: str) -> int | None:
    match = _HANDLE.search(summary) if summary.startswith(LABEL) else None
    return int(match[1]) if match else None


def merged_summary(first: str, second: str) -> str:
    """Return what two summaries of one session say as one summary, bounded as each."""
    pool = _distinct([*_items(first), *_items(second)])
    handle = max(filter(None, map(_handle_of, (first, second))), default=None)
    return _rendered(_chosen(pool, CompactionPolicy(), head=_headed(handle, "")), handle)


def _distinct(pool: Sequence[_Candidate]) -> list[_Candidate]:
    """Return candidates in order, equal statements once."""
    first: dict[str, _Candidate] = {}
    for candidate in pool:
        first.setdefault(" ".join(candidate.text.casefold().split()), candidate)
    return list(first.values())


def _chosen(pool: Sequence[_Candidate], policy: CompactionPolicy, *, head: str) -> list[_Candidate]:
    """Return the candidates that say most within the bound, in order."""
    frame_tokens = estimate(head) + sum(estimate(f"{section}:\n") for section in _Section)
    budget = policy.max_summary - frame_tokens
    lines = [f"{_ITEM}“{candidate.text}”" for candidate in pool]
    weights = [candidate.weight for candidate in pool]
    choice = partial(extractive.choose, count=estimate, floor=_FLOOR)
    new = [place for place, candidate in enumerate(pool) if not candidate.is_former]
    # What came last has a share of its own, or a full summary stands still.
    if len(new) < len(pool):
        share = choice(
            [lines[place] for place in new],
            max_tokens=int(budget * _NEW_SHARE),
            weights=[weights[place] for place in new],
        )
        for place in share:
            weights[new[place]] *= _FIRST
    topics = [_topic(topic) for topic in policy.focus]
    picks = choice(lines, max_tokens=budget, focus=topics, weights=weights)
    return [pool[place] for place in sorted(picks)]


_KEEPING = re.compile(r"(?i)^\W*(?:please\s+)?(?:keep|preserve|remember)\b.*?\b(?:about|on|of)\s+")


def _topic(focus: str) -> str:
    """Return what a wish is about: of "keep everything about the lexer" the lexer."""
    return _KEEPING.sub("", focus) or focus


def _rendered(items: Sequence[_Candidate], handle: int | None) -> str:
    lines: list[str] = []
    for section in _Section:
        texts = [item.text for item in items if item.section is section]
        if texts:
            lines.append(f"{section}:")
            lines += [f"{_ITEM}“{text}”" if section in _QUOTED else _ITEM + text for text in texts]
    return _headed(handle, "\n".join(lines))


def _headed(handle: int | None, text: str) -> str:
    pointer = "" if handle is None else f"[Left out word for word: memkit expand {handle}]\n"
    return f"{LABEL}\n{pointer}{text}"


# --- A summarizer that the caller brings.


def _foreign(
    summarizer: Summarizer, former: str, removed: Sequence[HistoryEntry], max_summary: int
) -> tuple[str | None, tuple[str, ...]]:
    """Return what a caller's summarizer makes of the former summary and the entries, within the
    bound, and a note; None if it fails."""
    before = [candidate.text for candidate in _items(former)]
    text = "\n".join([*before, *(f"{entry.role}: {entry.content}" for entry in removed)])
    try:
        summary = summarizer(text)
    except Exception as error:  # noqa: BLE001 - a caller's function: whatever it raises, nothing may be lost
        return None, (f"the summarizer failed ({error!r}); statements were chosen instead",)
    if not isinstance(summary, str) or not summary.strip():
        return None, ("the summarizer returned no text; statements were chosen instead",)
    lines = [line for line in summary.splitlines() if line != LABEL and not _HANDLE.match(line)]
    clean = disarmed(strip_rendered("\n".join(lines))).strip()
    bound = max_summary - estimate(_headed(1 << 52, ""))
    if estimate(clean) <= bound:
        return clean, ()
    counter = TokenCounter(quick=True)
    return truncate(clean, bound, counter=counter).text, (
        f"the summary was cut to {max_summary} tokens",
    )


def checked(policy: CompactionPolicy) -> CompactionPolicy:
    """Return a policy whose bounds make sense; raises InvalidInput."""
    for name, minimum in (
        ("max_history", 1),
        ("keep", 1),
        ("max_tokens", 1),
        ("max_summary", _SHORTEST),
    ):
        validation.integer(getattr(policy, name), name=name, minimum=minimum)
    if policy.keep_tail_tokens is not None:
        validation.integer(policy.keep_tail_tokens, name="keep_tail_tokens", minimum=0)
    if policy.keep > policy.max_history:
        raise InvalidInput(
            f"keep: found {policy.keep}, expected at most max_history ({policy.max_history});"
            " lower the one or raise the other"
        )
    validation.callback(policy.summarizer, name="summarizer")
    return policy
