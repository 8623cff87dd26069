"""Format detection and reader dispatch.

Line formats are read line by line, so that a transcript of any size fits; the others are one JSON
document, which is read whole and therefore bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import IO, Any

import attrs

from ...errors import InvalidInput, NotFound
from ..recording import tolerant_json
from ..recording.event import Event
from . import claude_code, codex, gemini_cli, openhands, swe_agent

# A document of one piece takes about ten times its size in memory while it is read.
MAX_DOCUMENT = 200_000_000
# Lines at the beginning in which a line format must show itself.
_SHOWN = 40
# Names of files that may be transcripts, when a folder is read.
ENDINGS = (".jsonl", ".json", ".traj")


class TranscriptFormat(StrEnum):
    """The formats that can be read."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI_CLI = "gemini-cli"
    SWE_AGENT = "swe-agent"
    OPENHANDS = "openhands"


@attrs.frozen
class Transcript:
    """A transcript that was recognised; its events come as it is read on."""

    format: TranscriptFormat
    events: Iterator[Event]


def read(path: Path, file: IO[bytes], expected: TranscriptFormat | None = None) -> Transcript:
    """Return the format and the events of a transcript; `file` is the open file at `path`.

    Raises InvalidInput if it is of no known format, or of another than `expected`.
    """
    transcript = _lines(file) or _document(path, file)
    if expected not in (None, transcript.format):
        raise InvalidInput(
            f"{path}: is a transcript of {transcript.format}, expected one of {expected}"
        )
    return transcript


def is_transcript(path: Path) -> bool:
    """Whether a file is a transcript; raises NotFound or InvalidInput if it cannot be read."""
    with opened(path) as file:
        try:
            read(path, file)
        except InvalidInput:
            return False
        return True


def opened(path: Path) -> IO[bytes]:
    """Return the file, open for reading bytes; raises NotFound or InvalidInput."""
    try:
        return path.open("rb")
    except FileNotFoundError:
        raise NotFound(f"{path}: there is no such file; give a transcript or a folder") from None
    except OSError as error:
        raise InvalidInput(f"{path}: cannot be read ({error.strerror or error})") from None


# -- inside


def _is_claude(row: Any) -> bool:
    if row.get("type") in ("user", "assistant"):
        return "message" in row and ("uuid" in row or "sessionId" in row)
    return "leafUuid" in row or "isSnapshotUpdate" in row


def _is_gemini(document: Any) -> bool:
    messages = document.get("messages")
    is_list = isinstance(messages, list) and "sessionId" in document
    return is_list and all("type" in message for message in tolerant_json.objects(messages))


def _has(*keys: str, of: str) -> Callable[[Any], bool]:
    """Return whether a part of a document's list `of` has one of the keys."""
    return lambda document: any(
        key in part for part in tolerant_json.objects(document.get(of)) for key in keys
    )


@attrs.frozen
class _Reader:
    """What reads a format. `recognises` is given a line's object, a whole object, or, for a
    document that is a list, an object that has the list as `rows`."""

    format: TranscriptFormat
    recognises: Callable[[Any], bool]
    read: Callable[[Any], Iterator[Event]]


# Formats of one object a line, known by a line near the beginning, and of one JSON document. The
# first that recognises it has the file.
_OF_LINES = (
    _Reader(
        TranscriptFormat.CODEX,
        lambda row: "payload" in row and "type" in row and "uuid" not in row,
        codex.read,
    ),
    _Reader(
        TranscriptFormat.GEMINI_CLI,
        lambda row: "projectHash" in row and "messages" not in row,
        gemini_cli.read_lines,
    ),
    _Reader(TranscriptFormat.CLAUDE_CODE, _is_claude, claude_code.read),
)
_OF_DOCUMENTS = (
    _Reader(
        TranscriptFormat.OPENHANDS,
        _has("action", "observation", of="rows"),
        lambda document: openhands.read_events(document["rows"]),
    ),
    _Reader(TranscriptFormat.SWE_AGENT, _has("action", of="trajectory"), swe_agent.read),
    _Reader(TranscriptFormat.SWE_AGENT, lambda document: "history" in document, swe_agent.read),
    _Reader(TranscriptFormat.SWE_AGENT, _has("role", of="trajectory"), swe_agent.read_chat),
    _Reader(TranscriptFormat.OPENHANDS, _has("role", of="messages"), openhands.read_chat),
    _Reader(TranscriptFormat.GEMINI_CLI, _is_gemini, gemini_cli.read),
)


def _lines(file: IO[bytes]) -> Transcript | None:
    for line in islice(tolerant_json.lines(file), _SHOWN):
        reader = next((r for r in _OF_LINES if r.recognises(line.row or {})), None)
        if reader is not None:
            file.seek(0)
            return Transcript(reader.format, reader.read(tolerant_json.lines(file)))
    return None


def _document(path: Path, file: IO[bytes]) -> Transcript:
    file.seek(0)
    data = file.read(MAX_DOCUMENT + 1)
    if len(data) > MAX_DOCUMENT:
        limit = MAX_DOCUMENT // 1_000_000
        raise InvalidInput(f"{path}: has more than {limit} MB in one JSON document; split it")
    document = tolerant_json.parsed(data)
    known = ", ".join(TranscriptFormat)
    if not isinstance(document, dict | list):
        raise InvalidInput(
            f"{path}: is no transcript: neither JSON nor JSON Lines, or cut off; known are {known}"
        )
    document = {"rows": document} if isinstance(document, list) else document
    reader = next((reader for reader in _OF_DOCUMENTS if reader.recognises(document)), None)
    if reader is None:
        raise InvalidInput(f"{path}: is JSON but no transcript; known are {known}")
    return Transcript(reader.format, reader.read(document))
