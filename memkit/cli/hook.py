"""Hook entry: `memkit record` as the hooks of agents run it, once for every call of a tool.

It loads neither click nor what answers questions, and what prints only where there is anything to
say. No failure of it exits with 2: agents take that as a veto.

An agent may leave the pipe open after its line, and waits for the hook: what is there in full is
taken, and nobody waits for an end that does not come.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import stat
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..redaction import quoted
from ..store.lifecycle import is_switched_off, nearest
from ..validation import is_json

if TYPE_CHECKING:
    from ..episodes.records import RecordResult
    from ..store.store import Store
    from .commands import CommandOutput, Usage


# --- Standard input: read within bounded time, and what a hook's JSON asks for.

# Seconds without a further byte after which what is whole is all, and after which all is lost.
QUIET, PATIENCE = 0.4, 5.0
_CHUNK = 1 << 16


class CommandQuery(NamedTuple):
    """A question of the command line.

    Attributes:
        text: the question; of a hook its prompt, command or path. is_hook: whether a hook asks.
        folder: where the hook's agent works, None if it does not say.
    """

    text: str
    is_hook: bool = False
    folder: Path | None = None


def read_query(question: str) -> CommandQuery:
    """Return a question; '-' reads it from standard input, where a hook's JSON may stand."""
    from ..text.analyzer import decode
    from .output import stdin_bytes

    if question != "-":
        return CommandQuery(question)
    text = decode(read_input(stdin_bytes())).rstrip("\r\n")
    payload = payload_of(text)
    if payload is None:
        return CommandQuery(text)
    return CommandQuery(question_of(payload), is_hook=True, folder=folder_of(payload))


def folder_of(payload: Mapping[str, Any]) -> Path | None:
    """Return the folder that a hook's agent works in, or None if it says none of this machine."""
    from ..episodes.recording.hooks import folder_of

    folder = folder_of(payload)
    return Path(folder) if folder and Path(folder).is_absolute() else None


def store_of(payload: Mapping[str, Any]) -> Path:
    """Return the file that is meant where a hook's agent works, else in the current folder."""
    return nearest(folder_of(payload) or Path.cwd())


def read_options(
    arguments: Sequence[str],
    names: Sequence[str],
    refuse: Callable[[str], None],
    *,
    switches: Collection[str] = (),
) -> dict[str, str]:
    """Return options by their names, a switch with an empty value; `refuse` is told of one that is
    unknown or has no value, which is left out."""
    values: dict[str, str] = {}
    left = list(arguments)
    while left:
        name, sign, value = left.pop(0).partition("=")
        if name not in names or (name in switches and sign):
            refuse(f"{name!r} is unknown; give {', '.join(names)}")
        elif name in switches or sign:
            values[name] = value
        elif left:
            values[name] = left.pop(0)
        else:
            refuse(f"{name} has no value; give one")
    return values


class Input(NamedTuple):
    """What came on standard input; `is_cut`: a pipe fell silent in the midst of it, or at once."""

    data: bytes
    is_cut: bool = False


def read_input(stream: IO[Any], *, patience: float = PATIENCE) -> bytes:
    """Return standard input: of a pipe as much as comes before it falls silent, which for its first
    byte takes `patience` seconds."""
    return read_bounded(stream, patience=patience).data


def read_bounded(
    stream: IO[Any],
    max_bytes: int | None = None,
    *,
    patience: float = PATIENCE,
    is_single: bool = False,
) -> Input:
    """Return the same, with `max_bytes` not much more than that, and whether it was cut; of a
    single JSON value nothing behind its end is waited for."""
    number = _pipe(stream)
    if number is None:
        return Input(stream.read() if max_bytes is None else stream.read(max_bytes + 1))
    chunks: SimpleQueue[bytes] = SimpleQueue()
    threading.Thread(target=_pump, args=(number, chunks), daemon=True).start()
    data = bytearray()
    is_cut, waited = False, 0.0
    while max_bytes is None or len(data) <= max_bytes:
        pause = min(QUIET, max(patience - waited, 0.0))
        try:
            chunk = chunks.get(timeout=pause)
        except Empty:
            waited += pause
            is_whole = _is_whole(bytes(data))
            is_cut = waited >= patience and not is_whole
            if is_cut or is_whole:
                break
            continue
        if not chunk:
            break
        waited = 0.0
        data += chunk
        if (
            is_single
            and chunks.empty()
            and chunk.rstrip().endswith(b"}")
            and _is_whole(bytes(data))
        ):
            break
    return Input(bytes(data), is_cut)


# -- inside


def _pipe(stream: object) -> int | None:
    """Return the number of standard input if it is a pipe; people at a terminal take their time."""
    try:
        number: int = sys.stdin.fileno() if stream is getattr(sys.stdin, "buffer", None) else -1
        mode = os.fstat(number).st_mode
    except (OSError, ValueError, AttributeError, io.UnsupportedOperation):
        return None
    return number if stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) else None


def _pump(number: int, chunks: SimpleQueue[bytes]) -> None:
    """Pass on what comes; read unbuffered, so that the process can end in the middle of it."""
    while True:
        try:
            chunk = os.read(number, _CHUNK)
        except OSError:
            chunk = b""
        chunks.put(chunk)
        if not chunk:
            return


def _is_whole(data: bytes) -> bool:
    """Whether what came is one JSON value, one a line, or lines of text."""
    text = data.decode("utf-8-sig", "replace").strip()
    if not text:
        return False
    if text[0] not in "{[":
        return data.endswith(b"\n")
    if is_json(text):
        return True
    return data.endswith(b"\n") and all(
        map(is_json, filter(None, map(str.strip, text.split("\n"))))
    )


def payload_of(text: str) -> Mapping[str, Any] | None:
    """Return the JSON of a hook, its fields under the names of memkit's own events, or None if a
    text is none."""
    from ..episodes.recording import tolerant_json
    from ..episodes.recording.hooks import standard_fields

    payload = tolerant_json.parsed(text)
    is_hook = isinstance(payload, dict) and not _HOOK_KEYS.isdisjoint(payload)
    return standard_fields(payload) if is_hook else None


_HOOK_KEYS = frozenset(
    "hook_event_name hookEventName session_id sessionId conversation_id transcript_path".split()
)


def question_of(payload: Mapping[str, Any]) -> str:
    """Return what a hook asks for: what the user wrote, else what is run or opened."""
    from ..episodes.error_signatures import command_of
    from ..episodes.recording.prompts import request_of
    from ..episodes.recording.tolerant_json import text_at, written_mapping

    if (prompt := text_at(payload, "prompt")) is not None:
        return request_of(prompt) or ""
    parameters = written_mapping(payload.get("parameters"))
    return text_at(payload, "command") or command_of(parameters) or path_of(payload)


def path_of(payload: Mapping[str, Any]) -> str:
    """Return the path of the file that a hook's call is about, "" if it names none."""
    from ..episodes.recording import tool_vocabulary
    from ..episodes.recording.tolerant_json import written_mapping

    return tool_vocabulary.path_of(written_mapping(payload.get("parameters"))) or ""


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
