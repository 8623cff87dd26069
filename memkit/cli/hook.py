"""Hook entry: `memkit record` as the hooks of agents run it, once for every call of a tool.

It loads neither click nor what answers questions, and what prints only where there is anything to
say. No failure of it exits with 2: agents take that as a veto.
"""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..redaction import quoted
from ..store.lifecycle import is_switched_off
from .hook_input import Input, read_bounded, read_options, store_of

if TYPE_CHECKING:
    from ..episodes.records import RecordResult
    from ..store.store import Store
    from .commands import CommandOutput, Usage

# Seconds that another process is waited for: less than the 1.5 that an agent grants all hooks of a
# session's end.
WAIT = 1.0
# Bytes of events in one run: what the largest outputs take many times over.
MAX_BYTES = 64_000_000
_OPTIONS = ("--db", "--wait", "--json")
_BROKEN = "give one event, or one a line, as JSON objects"


def seconds(text: str | float) -> float:
    """Return the seconds of --wait; raises Usage."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 600:
        raise _usage(f"--wait is {quoted(text)}; give seconds from 0 to 600")
    return number


def record_without_click(arguments: Sequence[str]) -> int | None:
    """Run `memkit record` with these arguments and return its exit code; None if they need click:
    help, or the store of global memories. Nothing is raised unless MEMKIT_DEBUG asks for it."""
    as_json = "--json" in arguments
    try:
        if {"-h", "--help", "--global"} & set(arguments):
            return None
        options = read_options(arguments, _OPTIONS, _refuse, switches=_OPTIONS[2:])
        path = Path(options["--db"]) if "--db" in options else None
        results, lost = record_events(path, wait=seconds(options.get("--wait", str(WAIT))))
        return _print(record_output(results, lost), as_json=as_json) if lost or as_json else 0
    except Exception as error:  # an agent must not fail because its memory does
        from .output import describe_error, is_debugged, print_failure

        name, message, _ = describe_error(error)
        if is_debugged(name):
            raise
        with suppress(OSError):
            print_failure(name, message, as_json=as_json)
            print(end="", flush=True)
        return 1


def record_events(path: Path | None, *, wait: float) -> tuple[dict[str, Any], list[str]]:
    """Record the events on standard input into the file (None: the one of the folder that an event
    says its agent works in, else of this folder); return what became of each, and why events are
    lost.

    An event that waits in vain for another process, or that was cut off, is no fault of whoever
    tells it: the document alone says so, and standard error where MEMKIT_DEBUG is set. `wait`
    bounds both, in seconds.
    """
    read = _input(wait)
    events, broken = _events(read.data)
    results = _recorded(events, path, wait)
    states = list(zip(events, results, strict=True))
    lost = [str(result.reason) for _, result in states if result.status == "dropped"]
    late = [_late(event, result) for event, result in states if result.status == "pending"]
    if os.environ.get("MEMKIT_DEBUG"):
        lost += late
    document = {"events": [_document(result) for result in results], "broken": broken}
    return document, [*([] if read.is_cut else broken), *lost]


def record_output(document: dict[str, Any], lost: Sequence[str]) -> CommandOutput:
    """Return what `memkit record` says: nothing, unless an event is lost."""
    from .commands import FAILED, CommandOutput

    if not lost:
        return CommandOutput(document)
    count = len(document["events"]) + len(document["broken"])
    how_many = f"{len(lost)} of {count} events are lost: " if count > 1 else ""
    return CommandOutput(document, notes=(how_many + lost[0],), exit_code=FAILED)


# -- helpers


def _usage(message: str) -> Usage:
    from .commands import Usage

    return Usage(message)


def _refuse(message: str) -> None:
    raise _usage(f"record: {message}")


def _print(answer: CommandOutput, *, as_json: bool) -> int:
    from .output import print_output

    with suppress(OSError):  # the reader has gone
        print_output(answer, as_json=as_json)
        print(end="", flush=True)
    return answer.exit_code


def _recorded(events: list[dict[str, Any]], path: Path | None, wait: float) -> list[RecordResult]:
    """Write each event into the store that is meant by it; return what became of them."""
    places = [path or store_of(event) for event in events]
    is_named = path is not None or "MEMKIT_DB" in os.environ
    results: dict[int, RecordResult] = {}
    for place in dict.fromkeys(places):
        numbers = [number for number, own in enumerate(places) if own == place]
        done = _written(place, [events[number] for number in numbers], wait, is_named=is_named)
        results |= zip(numbers, done, strict=True)
    return [results[number] for number in range(len(events))]


def _written(
    path: Path, events: list[dict[str, Any]], wait: float, *, is_named: bool
) -> list[RecordResult]:
    """Write events into one file; `wait` counts from when it is needed, not from when Python began
    to load: on a busy machine that alone takes longer."""
    from ..episodes.records import RecordResult, RecordStatus
    from ..store.store import Store

    # Without a word: whoever did that knows, and a hook runs at each call, in every repository.
    reason = "memkit is switched off by MEMKIT_DISABLED" if is_switched_off() else None
    if reason is None and not path.exists():
        reason = f"{path}: there is no such file; create it with 'memkit init'"
        if is_named:
            raise NotAMemkitFile(reason)
    if reason is not None:
        return [RecordResult(RecordStatus.IGNORED, reason)] * len(events)
    try:
        store = Store(path, busy_timeout=wait)
    except StoreBusy as error:
        return [RecordResult(RecordStatus.PENDING, str(error))] * len(events)
    try:
        return record_into(store, events, wait=wait)
    finally:
        store.close()


def record_into(store: Store, events: list[dict[str, Any]], *, wait: float) -> list[RecordResult]:
    """Write events into an open store and return what became of each; at the end of a turn or a
    session its file is kept from growing for ever.

    What waits is lost when this process ends: `pending` stays only what waited for another process,
    whose end the agent's next event may meet."""
    from ..episodes.recording.session import Recording
    from ..episodes.records import RecordStatus

    recording = Recording(store, wait=wait)
    try:
        results = recording.record_many(events)
        if recording.is_busy:
            return results
        lost = {RecordStatus.PENDING: RecordStatus.DROPPED}
        return [
            result._replace(status=lost.get(result.status, result.status)) for result in results
        ]
    finally:
        recording.close(patience=0.0)
        if recording.has_ended:
            from ..maintenance import tidy

            tidy(store)


def _late(event: dict[str, Any], became: RecordResult) -> str:
    """Return why an event was not written in time, and where it can still be had from."""
    transcript = event.get("transcript_path")
    if isinstance(transcript, str) and transcript.strip():
        command = f"memkit import transcript {shlex.quote(transcript)}"
        return f"{became.reason}, or have it from the transcript: {command}"
    return str(became.reason)


def _input(wait: float) -> Input:
    if sys.stdin is None or sys.stdin.closed:
        raise _usage("standard input is closed; give events as JSON")
    read = read_bounded(sys.stdin.buffer, MAX_BYTES, patience=wait)
    if len(read.data) > MAX_BYTES:
        raise InvalidInput(
            f"standard input: more than {MAX_BYTES // 1_000_000} MB; give the events in parts"
        )
    return read


def _events(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the events of an input, and what is wrong with the rest of it."""
    text = data.decode("utf-8-sig", "replace")
    events: list[dict[str, Any]] = []
    broken: list[str] = []
    for place, part in _parts(text):
        try:
            event = json.loads(part)
        except (ValueError, RecursionError):
            broken.append(f"{place}: found {quoted(part.strip())}, expected JSON; {_BROKEN}")
            continue
        if isinstance(event, dict):
            events.append(event)
        else:
            kind = "an array" if isinstance(event, list) else quoted(part.strip())
            broken.append(f"{place}: found {kind}, expected a JSON object; {_BROKEN}")
    if not events and not broken:
        broken.append(f"standard input: is empty; {_BROKEN}")
    return events, broken


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield each event's text: all of it if it is one JSON value, else its lines."""
    lines = [(f"line {n}", line) for n, line in enumerate(text.split("\n"), 1) if line.strip()]
    if len(lines) > 1:
        try:
            json.loads(text)
        except (ValueError, RecursionError):
            yield from lines
            return
    if text.strip():
        yield "standard input", text


def _document(result: RecordResult) -> dict[str, Any]:
    return {
        "status": str(result.status),
        "reason": result.reason,
        "id": result.id,
        "redacted": list(result.redacted),
    }
