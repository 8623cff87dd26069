"""What was done, recorded and asked for: real agent sessions replayed through recording.

Set `traces`: `exact` is the share of answers equal to those of a slow reference over the raw
events; `p50_ms` and `p95_ms` are one durable event with its files, beside one durable insert into a
plain table, `ratio` how many times longer it takes; `mb` is what 1,000 events add to the file,
beside the estimate of seed 000. `--profile` lists errors with their fixes and failed attempts.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import apsw

import memkit

from .episode_reference import Reference
from .episode_traces import Event, sessions
from .results import Options, Row
from .scoring import at_share

# Seed 000: 1,000 tool executions take about 500 kB.
_SEED_MB = 0.5
_EVENTS = 1_000
_TABLE = (
    "create table bare (id integer primary key, at text, tool text, parameters text, output text)"
)


def run(options: Options) -> list[Row]:
    """Replay, ask, measure."""
    found = list(sessions(options.data))[: options.limit]
    if not found:
        options.say(f"skipped traces: there is no {options.data / 'traces' / 'events'}")
        return []
    with tempfile.TemporaryDirectory() as folder:
        rows = [*_answers(Path(folder) / "exact.memkit.db", found, options)]
        rows += _cost(Path(folder) / "cost.memkit.db", found, options)
    return rows


# -- answers


def _answers(path: Path, found: list[list[Event]], options: Options) -> Iterator[Row]:
    with memkit.open(path, global_store=False) as kit:
        for events in found:
            for event in events:
                kit.episodes.record(event)
        reference = Reference(event for events in found for event in events)
        right = wrong = 0
        for question, own, wanted in _compared(kit, reference, found):
            if own == wanted:
                right += 1
            else:
                wrong += 1
                options.say(f"differs: {question}\n  memkit    {own}\n  reference {wanted}")
        options.say(f"{right + wrong} answers compared, {right} equal")
        if options.profile:
            for line in _told(kit, reference):
                options.say(line)
    yield Row("traces", "exact", right / (right + wrong))


def _compared(
    kit: memkit.Memkit, reference: Reference, found: list[list[Event]]
) -> Iterator[tuple[str, Any, Any]]:
    ask = kit.episodes
    for path in reference.paths:
        worked = ask.file_history(path, limit=5)
        recent = [(i.timestamp, i.operation) for i in worked.recent]
        yield (
            f"counts {path}",
            (worked.reads, worked.changes, recent),
            reference.worked_on(path),
        )
        pairs = {pair.other: pair.count for pair in ask.co_edits(path, limit=100)}
        yield f"co_edits {path}", pairs, reference.edited_together(path)
        events = [(e.at, e.what, e.success) for e in ask.file_history(path).events]
        yield f"events {path}", events, reference.timeline(path)
        tried = ask.failed_attempts(path, limit=100)
        attempts = [(a.at, [edit.path for edit in a.edits]) for a in tried]
        yield f"failed_attempts {path}", attempts, reference.attempts(path)
        name = path.rsplit("/", 1)[-1][:12]
        last = [(i.timestamp, i.path) for i in ask.find_file_interactions(name)]
        yield f"interactions {name}", last, reference.last_with(name)
    yield from _compared_calls(kit, reference, found)


def _compared_calls(
    kit: memkit.Memkit, reference: Reference, found: list[list[Event]]
) -> Iterator[tuple[str, Any, Any]]:
    ask = kit.episodes
    for events in found:
        since = events[0]["at"]
        stats = {
            s.tool: (s.calls, s.successes, round(s.mean_ms or 0, 6))
            for s in ask.tool_stats(since=since)
        }
        yield f"tool_stats since {since}", stats, reference.tool_stats(since)
        task = ask.task(events[0]["task"])
        yield f"task {task.name}", (list(task.files), dict(task.tools)), reference.task(task.name)
        like = [one.description for one in ask.find_similar_tasks(task.description, limit=1)]
        yield f"similar to {task.name}", like, [task.description]
    for fault in reference.faults:
        seen = next(iter(ask.find_errors(fault)), None)
        if seen is None:
            yield f"error {fault}", None, reference.error(fault)
            continue
        fixes = [
            (fix.failed.timestamp, fix.passed.timestamp, [edit.path for edit in fix.edits])
            for fix in seen.fixes
        ]
        count, first, last, wanted = reference.error(fault)
        yield f"error {fault}", (seen.count, seen.first_at, seen.last_at), (count, first, last)
        yield f"fixes of {fault}", sorted(fixes), sorted(wanted)[-5:]
    touches = [file.touches for file in ask.hot_files()]
    yield "hot_files", touches, [t for _, t in reference.hot_files()]
    yield "working_on", ask.unfinished_tasks(), []


def _told(kit: memkit.Memkit, reference: Reference) -> Iterator[str]:
    """Yield errors with what fixed them, and attempts that failed."""
    for seen in kit.episodes.find_errors(limit=1000):
        yield f"error, {seen.count} times: {seen.signature}"
        for fix in seen.fixes:
            paths = ", ".join(dict.fromkeys(edit.path for edit in fix.edits)) or "nothing"
            yield f"  passed in {fix.passed.session} after changing {paths}"
    told = set()
    for path in reference.paths:
        for attempt in kit.episodes.failed_attempts(path, limit=1000):
            if (attempt.at, attempt.task) not in told:
                told.add((attempt.at, attempt.task))
                edits = ", ".join(dict.fromkeys(edit.path for edit in attempt.edits))
                yield f"tried in vain in {attempt.task}: {edits}: {attempt.reason[:100]}"


# -- cost


def _cost(path: Path, found: list[list[Event]], options: Options) -> Iterator[Row]:
    """Record 1,000 events one by one, in turn with bare inserts, so that both see the same disk."""
    own: list[float] = []
    bare: list[float] = []
    plain = apsw.Connection(str(path.with_name("bare.db")))
    list(plain.execute("pragma journal_mode = delete; pragma synchronous = full"))
    list(plain.execute(_TABLE))
    with memkit.open(path, global_store=False) as kit:
        kit.episodes.record({"event": "task", "session": "warm", "description": "warm"})
        size = path.stat().st_size
        for number, event in enumerate(_endless(found)):
            if number == min(_EVENTS, (options.limit or _EVENTS) * 100):
                break
            own.append(_milliseconds(partial(kit.episodes.record, event)))
            row = (
                event["at"],
                event["tool"],
                str(event["parameters"])[:300],
                event["output"][:300],
            )
            bare.append(_milliseconds(partial(_insert, plain, row)))
        dropped = kit.episodes.stats().dropped
        if dropped:
            options.say(f"dropped: {dropped}")
    plain.close()
    growth = (path.stat().st_size - size) / 1e6 * _EVENTS / len(own)
    for metric, share in (("p50_ms", 0.5), ("p95_ms", 0.95)):
        yield Row("traces", metric, at_share(own, share), at_share(bare, share))
    yield Row("traces", "ratio", at_share(own, 0.5) / at_share(bare, 0.5), 1.0)
    yield Row("traces", "mb", growth, _SEED_MB)


def _endless(found: list[list[Event]]) -> Iterator[Event]:
    """Yield the calls of all sessions again and again, each time as other sessions."""
    turn = 0
    while True:
        turn += 1
        for events in found:
            name = f"{events[0]['session']}-{turn}"
            for event in events:
                if event["event"] == "tool":
                    yield {**event, "session": name, "task": None}


def _insert(connection: apsw.Connection, row: tuple[Any, ...]) -> None:
    list(connection.execute("begin immediate"))
    connection.execute("insert into bare (at, tool, parameters, output) values (?, ?, ?, ?)", row)
    connection.execute("commit")


def _milliseconds(work: Callable[[], object]) -> float:
    before = time.perf_counter()
    work()
    return (time.perf_counter() - before) * 1000
