"""Memkit record for hooks.

It runs once for every call of a tool, so `quickly` does without click and without everything that
answers questions. No failure of it exits with 2: agents take that as a veto.
"""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..redaction import quoted
from ..store.lifecycle import is_switched_off, nearest
from .commands import FAILED, Answer, Opening, Usage, command, option
from .output import explained, is_debugged, tell, tell_failure

if TYPE_CHECKING:
    from ..episodes.records import RecordResult
    from .commands import Call

# Seconds that another process is waited for: less than the 1.5 that an agent grants all hooks of a
# session's end.
WAIT = 1.0
# Bytes of events in one run: what the largest outputs take many times over.
MOST_BYTES = 64_000_000
_BROKEN = "give one event, or one a line, as JSON objects"


def _seconds(text: str | float) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0 <= seconds <= 600:
        raise Usage(f"record: --wait is {quoted(text)}; give seconds from 0 to 600")
    return seconds


@command(
    option("wait", "Seconds to wait at most for another process.", sort=_seconds, default=WAIT),
    opening=Opening.NOT,
)
def record(call: Call, *, wait: float) -> Answer:
    """Record what an agent does: one event on standard input, or one a line, as JSON.

    Made for hooks of coding agents, whose events are taken as they are: calls that were made with
    the files they touched, what the user asks for (a task), the end of a turn or session. Other
    events are ignored, and `--json` says so; a call that is only announced is one of them.
    Silent unless an event is lost; then one line, and exit code 1.

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
        answer = recorded(path, wait=_seconds(given.get("--wait", str(WAIT))))
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
    """Record the events on standard input into the file (None: where it is found from here, or from
    where the agent works); return what became of each."""
    events, broken = _events(_input())
    place = path or _found(events)
    done = _written(place, events, wait) if events else []
    told = zip(events, done, strict=True)
    # What is only kept is lost as well: the process ends now.
    lost = [_lost(event, one) for event, one in told if one.status in ("pending", "dropped")]
    notes = [*broken, *lost]
    document = {"events": [_document(one) for one in done], "broken": broken}
    if not notes:
        return Answer(document)
    count = len(events) + len(broken)
    how_many = f"{len(notes)} of {count} events are lost: " if count > 1 else ""
    return Answer(document, notes=(how_many + notes[0],), exit_code=FAILED)


# -- inside


def _written(path: Path, events: list[dict[str, Any]], wait: float) -> list[RecordResult]:
    """Write events; `wait` counts from when the file is wanted, not from when Python began to
    load: on a busy machine that alone takes longer."""
    from ..episodes.recording.session import Recording
    from ..episodes.records import RecordResult, RecordStatus
    from ..store.store import Store

    if is_switched_off():  # without a word: whoever did that knows, and a hook runs at each call
        return [
            RecordResult(RecordStatus.IGNORED, "memkit is switched off by MEMKIT_DISABLED")
        ] * len(events)
    if not path.exists():
        raise NotAMemkitFile(f"{path}: there is no such file; create it with 'memkit init'")
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


def _found(events: list[dict[str, Any]]) -> Path:
    """Return the file that is meant in this folder, else in the one that an event says."""
    here = nearest(Path.cwd())
    if here.exists():
        return here
    folders = (event.get("cwd") for event in events)
    named = (nearest(Path(folder)) for folder in folders if isinstance(folder, str) and folder)
    return next((path for path in named if path.exists()), here)


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
    data: bytes = sys.stdin.buffer.read(MOST_BYTES + 1)
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
