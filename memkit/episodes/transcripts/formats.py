"""Format detection, reader dispatch.

Line formats are read line by line, so that a transcript of any size fits; the others are one JSON
document, which is read whole and therefore bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
MOST_DOCUMENT = 200_000_000
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


Documents = Callable[[Any], Iterator[Event]]


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


def _lines(file: IO[bytes]) -> Transcript | None:
    for line in islice(tolerant_json.lines(file), _SHOWN):
        row = line.row or {}
        if _is_codex(row):
            return _from_start(TranscriptFormat.CODEX, codex.read, file)
        if "projectHash" in row and "messages" not in row:
            return _from_start(TranscriptFormat.GEMINI_CLI, gemini_cli.read_lines, file)
        if _is_claude(row):
            return _from_start(TranscriptFormat.CLAUDE_CODE, claude_code.read, file)
    return None


def _from_start(
    format: TranscriptFormat,
    reader: Callable[[Iterator[tolerant_json.Line]], Iterator[Event]],
    file: IO[bytes],
) -> Transcript:
    file.seek(0)
    return Transcript(format, reader(tolerant_json.lines(file)))


def _is_codex(row: Mapping[str, Any]) -> bool:
    return "payload" in row and "type" in row and "uuid" not in row


def _is_claude(row: Mapping[str, Any]) -> bool:
    if row.get("type") in ("user", "assistant"):
        return "message" in row and ("uuid" in row or "sessionId" in row)
    return "leafUuid" in row or "isSnapshotUpdate" in row


def _document(path: Path, file: IO[bytes]) -> Transcript:
    file.seek(0)
    data = file.read(MOST_DOCUMENT + 1)
    if len(data) > MOST_DOCUMENT:
        limit = MOST_DOCUMENT // 1_000_000
        raise InvalidInput(f"{path}: has more than {limit} MB in one JSON document; split it")
    document = tolerant_json.parsed(data)
    known = ", ".join(TranscriptFormat)
    if not isinstance(document, dict | list):
        raise InvalidInput(
            f"{path}: is no transcript: neither JSON nor JSON Lines, or cut off; known are {known}"
        )
    reader = _document_reader(document)
    if reader is None:
        raise InvalidInput(f"{path}: is JSON but no transcript; known are {known}")
    return Transcript(reader[0], reader[1](document))


def _document_reader(document: Any) -> tuple[TranscriptFormat, Documents] | None:
    if isinstance(document, list):
        is_events = any(
            "action" in row or "observation" in row for row in tolerant_json.objects(document)
        )
        return (TranscriptFormat.OPENHANDS, openhands.read_events) if is_events else None
    steps, messages = tolerant_json.objects(document.get("trajectory")), document.get("messages")
    if any("action" in step for step in steps) or "history" in document:
        return TranscriptFormat.SWE_AGENT, swe_agent.read
    if any("role" in step for step in steps):
        return TranscriptFormat.SWE_AGENT, swe_agent.read_chat
    if not isinstance(messages, list):
        return None
    if any("role" in message for message in tolerant_json.objects(messages)):
        return TranscriptFormat.OPENHANDS, openhands.read_chat
    is_gemini = "sessionId" in document and all(
        "type" in m for m in tolerant_json.objects(messages)
    )
    return (TranscriptFormat.GEMINI_CLI, gemini_cli.read) if is_gemini else None
