"""What a compaction keeps: names, numbers and paths that are used again, decisions, facts; bounds.

Each session is cut at two thirds: the past is compacted, the rest shows what of it was needed. The
floors are texts of the same length: the beginning of what was taken out, and its end. Shares are of
all sessions of a set together.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import mean, median

from memkit.context import compaction
from memkit.context.compaction import CompactionPolicy, CompactionResult
from memkit.context.session_context import HistoryEntry, SessionContext
from memkit.text.extractive import exact_tokens, is_decision, split_statements
from memkit.tokens import TokenCounter, estimate, truncate

from . import corpora
from .results import Options, Row

LENGTHS = (500, 1_500)
ROUNDS, EARLY = 50, 5
_MESSAGES = 240  # of a chat
_MIN_ENTRIES = 12
_PER_ROUND = 12
_FEWEST = 30  # of what is to be kept, in all sessions of a set, for a share to say anything
# Facts that the first round states, once.
_PLANTED = (
    "The staging database listens on port 7401.",
    "Deployments go through scripts/ship_release.sh only.",
    "The API key of the mock server is called MOCK_GATEWAY_TOKEN.",
    "We support Python 3.11 and later.",
    "Retries are limited to 4 because the vendor blocks the fifth.",
)


def run(options: Options) -> Iterator[Row]:
    """Yield shares kept by length of the summary with both floors, then the bounds of many
    compactions in a row, the recognition of decisions, and the time."""
    sets = {"traces": traces(options.data), "locomo": chats(options.data, "locomo"),
            "beam": chats(options.data, "beam")}  # fmt: skip
    for name, sessions in sets.items():
        usable = [entries for entries in sessions if len(entries) >= _MIN_ENTRIES]
        if not usable:
            options.say(f"skipped {name}: no data")
            continue
        for length in LENGTHS:
            yield from _kept(f"{name}/{length}", usable[: options.limit], length, options)
    yield from _bounds(options, [e for entries in traces(options.data) for e in entries])
    yield from _decisions(options.data)


def traces(data: Path) -> list[list[HistoryEntry]]:
    """Return the recorded sessions as histories."""
    paths = sorted((data / "traces" / "events").glob("*.jsonl"))
    return [[*_entries(path)] for path in paths]


def _entries(path: Path) -> Iterator[HistoryEntry]:
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        text = row.get("text") or ""
        if row["kind"] == "tool_call":
            text = f"{row['tool']} {json.dumps(row['args'], ensure_ascii=False)}"
        role = {"tool_call": "assistant", "tool_result": "tool"}.get(row["kind"], row["kind"])
        if text:
            yield HistoryEntry(row["i"], role, text, estimate(text))


def chats(data: Path, name: str) -> list[list[HistoryEntry]]:
    """Return the conversations of a set as histories, the first speaker being the user."""
    corpus = {"locomo": corpora.locomo, "beam": corpora.beam}[name]
    return [
        [
            HistoryEntry(place, "assistant" if place % 2 else "user", text, estimate(text))
            for place, text in enumerate(item.text for item in chat.items[:_MESSAGES])
        ]
        for chat in corpus(data)
    ]


def _kept(
    name: str, sessions: Sequence[Sequence[HistoryEntry]], length: int, options: Options
) -> Iterator[Row]:
    held: Counter[tuple[str, int]] = Counter()  # by what is counted, and the text
    due: Counter[str] = Counter()
    seconds, lengths = [], []
    for entries in sessions:
        past, future = entries[: len(entries) * 2 // 3], entries[len(entries) * 2 // 3 :]
        start = time.perf_counter()
        result = _compact(past, keep=max(len(past) // 4, 1), length=length)
        seconds.append(time.perf_counter() - start)
        lengths.append(estimate(result.context.long_term_summary))
        gone, tail = past[: result.removed], result.context.recent_history
        texts = (result.context.long_term_summary, *_floors(gone, lengths[-1]))
        known = set(exact_tokens(_text(tail)))
        exact = set(exact_tokens(_text(gone))) - known
        needed = exact & set(exact_tokens(_text([e for e in future if e.role != "tool"])))
        settled = {
            " ".join(statement.split())[:200]
            for entry in gone
            if entry.role != "tool"
            for statement in split_statements(entry.content)
            if is_decision(statement)
        }
        flat = [" ".join(text.split()) for text in texts]
        named = [set(exact_tokens(text)) for text in texts]
        due.update(reused=len(needed), exact=len(exact), settled=len(settled))
        for way in range(len(texts)):
            held["reused", way] += len(needed & named[way])
            held["exact", way] += len(exact & named[way])
            held["settled", way] += sum(words in flat[way] for words in settled)
    for key, count in due.items():
        if count < _FEWEST:
            options.say(f"skipped {name} {key}: {count} in all sessions say nothing")
            continue
        ours, head, newest = (held[key, way] / count for way in range(3))
        yield Row(name, key, ours, max(head, newest))  # the better floor
    yield Row(name, "tokens", mean(lengths))
    yield Row(name, "p50_ms", median(seconds) * 1000)
    yield Row(name, "max_ms", max(seconds) * 1000)


def _compact(
    entries: Sequence[HistoryEntry], *, keep: int, length: int, summary: str = ""
) -> CompactionResult:
    policy = CompactionPolicy(max_history=keep, keep=keep, max_summary=length, max_tokens=1 << 40)
    context = SessionContext("bench", recent_history=entries, long_term_summary=summary)
    return compaction.compact(context, policy, now=0, store_removed=lambda _: 1)


def _floors(gone: Sequence[HistoryEntry], tokens: int) -> tuple[str, str]:
    text, counter = _text(gone), TokenCounter(quick=True)
    head = truncate(text, tokens, counter=counter).text
    newest = text[-len(head) :]
    while estimate(newest) > tokens:
        newest = newest[len(newest) // 50 + 1 :]
    return head, newest


def _text(entries: Sequence[HistoryEntry]) -> str:
    return "\n".join(entry.content for entry in entries)


def _bounds(options: Options, entries: Sequence[HistoryEntry]) -> Iterator[Row]:
    """Yield tokens after many compactions in a row, their growth, and what the first had."""
    if not entries:
        return
    planted = HistoryEntry(0, "user", "\n".join(_PLANTED), None)
    context = SessionContext("bench", recent_history=(planted,))
    tokens, seconds = [], []
    first: set[str] = set()
    for number in range(ROUNDS):
        begin = number * _PER_ROUND
        more = [entries[place % len(entries)] for place in range(begin, begin + _PER_ROUND)]
        history = (*context.recent_history, *more)
        start = time.perf_counter()
        result = _compact(history, keep=4, length=1_500, summary=context.long_term_summary)
        seconds.append(time.perf_counter() - start)
        context = result.context
        tokens.append(estimate(context.long_term_summary))
        first = first or set(exact_tokens(context.long_term_summary))
    options.say("tokens of the summary after each: " + " ".join(map(str, tokens)))
    flat = " ".join(context.long_term_summary.split())
    yield Row("rounds", "growth", tokens[-1] / tokens[EARLY - 1] - 1)
    yield Row("rounds", "most_tokens", max(tokens))
    yield Row("rounds", "first_facts", mean(fact in flat for fact in _PLANTED))
    recent = _text([entries[n % len(entries)] for n in range(begin - 9 * _PER_ROUND, begin)])
    flat_recent = " ".join(recent.split())
    said = [line[2:].strip("“”") for line in context.long_term_summary.splitlines()]
    yield Row("rounds", "of_last_ten", mean(line in flat_recent for line in said if line))
    last = set(exact_tokens(context.long_term_summary))
    yield Row("rounds", "first_exact", len(first & last) / len(first))
    yield Row("rounds", "p50_ms", median(seconds) * 1000)


def _decisions(data: Path) -> Iterator[Row]:
    """Yield how well decisions are recognised in notes that were labelled by others."""
    path = data / "extraction" / "memory_extraction.jsonl"
    if not path.is_file():
        return
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    labels = [any(memory["type"] == "decision" for memory in row["memories"]) for row in rows]
    read = [any(map(is_decision, split_statements(row["text"]))) for row in rows]
    both = sum(map(all, zip(labels, read, strict=True)))
    yield Row("extraction", "decision_recall", both / max(sum(labels), 1))
    yield Row("extraction", "decision_precision", both / max(sum(read), 1))
