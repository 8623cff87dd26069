"""Memkit record for hooks.

It runs once for every call of a tool, so `quickly` does without click and without everything that
answers questions. No failure of it exits with 2: agents take that as a veto.
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
from .commands import FAILED, WAIT, Answer, Opening, Usage, command, option, seconds
from .hook_input import read, store_of
from .output import explained, is_debugged, tell, tell_failure

if TYPE_CHECKING:
    from ..episodes.records import RecordResult
    from .commands import Call

# Bytes of events in one run: what the largest outputs take many times over.
MOST_BYTES = 64_000_000
_BROKEN = "give one event, or one a line, as JSON objects"


@command(
    option("wait", "Seconds to wait at most for another process.", sort=seconds, default=WAIT),
    opening=Opening.NOT,
)
def record(call: Call, *, wait: float) -> Answer:
    """Record what an agent does: one event on standard input, or one a line, as JSON.

    Made for hooks of coding agents, whose events are taken as they are: calls that were made with
    the files they touched, what the user asks for (a task), the end of a turn or session. Other
    events are ignored, and `--json` says so; a call that is only announced is one of them.
    Silent unless an event is lost; then one line, and exit code 1. An event goes into the store of
    the folder that its agent works in; where there is none, nothing is recorded. An open pipe that
    falls silent is not waited for.

    Events of one's own say what they are by "event" and have, beside session, task and at:

    \b
    session   agent, branch, commit, parent
    end       summary
    task      description, parent
    finish, fail, pause, resume   outcome, error
    tool      tool, parameters, output, result, success, error, exit_code,
              duration_ms, context_tokens, call_id, files
    file      path, operation, line_range, success, context, changes,
              previous_path, content_hash
    snapshot  items, total_tokens, pruned, reason
    """
    is_named = call.settings.use_global or call.settings.db is not None
    return recorded(call.path if is_named else None, wait=wait)


def quickly(arguments: Sequence[str]) -> int | None:
    """Run `memkit record` with these arguments and return its exit code; None if they need click:
    help, or the store of global memories. Nothing is raised unless MEMKIT_DEBUG asks for it."""
    try:
        given = _options(arguments)
        if given is None:
            return None
        path = Path(given["--db"]) if "--db" in given else None
        answer = recorded(path, wait=_wait(given.get("--wait")))
        with suppress(OSError):  # the reader has gone
            tell(answer, as_json="--json" in arguments)
            print(end="", flush=True)
        return answer.exit_code
    except Exception as error:  # an agent must not fail because its memory does
        name, message, _ = explained(error)
        if is_debugged(name):
            raise
        with suppress(OSError):
            tell_failure(name, message, as_json="--json" in arguments)
            print(end="", flush=True)
        return FAILED


def recorded(path: Path | None, *, wait: float) -> Answer:
    """Record the events on standard input into the file (None: the one of the folder that an event
    says its agent works in, else of this folder); return what became of each."""
    events, broken = _events(_input())
    results = _recorded(events, path, wait)
    told = zip(events, results, strict=True)
    # What is only kept is lost as well: the process ends now.
    lost = [_lost(event, one) for event, one in told if one.status in ("pending", "dropped")]
    notes = [*broken, *lost]
    document = {"events": [_document(one) for one in results], "broken": broken}
    if not notes:
        return Answer(document)
    count = len(events) + len(broken)
    how_many = f"{len(notes)} of {count} events are lost: " if count > 1 else ""
    return Answer(document, notes=(how_many + notes[0],), exit_code=FAILED)


# -- inside


def _wait(text: str | None) -> float:
    try:
        return WAIT if text is None else seconds(text)
    except ValueError as error:
        raise Usage(f"record: --wait is {error}") from None


def _recorded(events: list[dict[str, Any]], path: Path | None, wait: float) -> list[RecordResult]:
    """Write each event into the store that is meant by it; return what became of them."""
    places = [path or store_of(event) for event in events]
    results: dict[int, RecordResult] = {}
    for place in dict.fromkeys(places):
        numbers = [number for number, own in enumerate(places) if own == place]
        is_named = path is not None or "MEMKIT_DB" in os.environ
        done = _written(place, [events[number] for number in numbers], wait, is_named=is_named)
        results |= zip(numbers, done, strict=True)
    return [results[number] for number in range(len(events))]


def _written(
    path: Path, events: list[dict[str, Any]], wait: float, *, is_named: bool
) -> list[RecordResult]:
    """Write events into one file; `wait` counts from when it is wanted, not from when Python began
    to load: on a busy machine that alone takes longer."""
    from ..episodes.recording.session import Recording
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
    recording = Recording(store, wait=wait)
    try:
        return recording.record_many(events)
    finally:
        recording.close(patience=0.0)
        if recording.has_ended:
            from ..maintenance import tidy

            tidy(store)
        store.close()


def _lost(event: dict[str, Any], became: RecordResult) -> str:
    """Return why an event is lost, and where it can still be had from if the file was busy."""
    transcript = event.get("transcript_path")
    if became.status == "pending" and isinstance(transcript, str) and transcript.strip():
        command = f"memkit import transcript {shlex.quote(transcript)}"
        return f"{became.reason}, or have it from the transcript: {command}"
    return str(became.reason)


def _input() -> bytes:
    if sys.stdin is None or sys.stdin.closed:
        raise Usage("standard input is closed; give events as JSON")
    data = read(MOST_BYTES)
    if len(data) > MOST_BYTES:
        raise InvalidInput(
            f"standard input: more than {MOST_BYTES // 1_000_000} MB; give the events in parts"
        )
    return data


def _events(data: bytes) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the events of an input, and what is wrong with the rest of it."""
    text = data.decode("utf-8-sig", "replace")
    found: list[dict[str, Any]] = []
    broken: list[str] = []
    for place, part in _parts(text):
        try:
            event = json.loads(part)
        except (ValueError, RecursionError):
            broken.append(f"{place}: found {quoted(part.strip())}, expected JSON; {_BROKEN}")
            continue
        if isinstance(event, dict):
            found.append(event)
        else:
            kind = "an array" if isinstance(event, list) else quoted(part.strip())
            broken.append(f"{place}: found {kind}, expected a JSON object; {_BROKEN}")
    if not found and not broken:
        broken.append(f"standard input: is empty; {_BROKEN}")
    return found, broken


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


def _options(arguments: Sequence[str]) -> dict[str, str] | None:
    """Return the options by name, a switch with an empty value; raises Usage."""
    if {"-h", "--help", "--global"} & set(arguments):
        return None
    found: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, sign, value = left.pop(0).partition("=")
        if name not in ("--db", "--wait", "--json") or (name == "--json" and sign):
            raise Usage(f"record: {name!r} is unknown; give --db, --wait or --json")
        if name != "--json" and not sign and not left:
            raise Usage(f"record: {name} has no value; give one")
        found[name] = value if sign or name == "--json" else left.pop(0)
    return found


def _document(one: RecordResult) -> dict[str, Any]:
    return {
        "status": str(one.status),
        "reason": one.reason,
        "id": one.id,
        "redacted": list(one.redacted),
    }
