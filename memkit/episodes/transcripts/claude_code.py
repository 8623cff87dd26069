"""Reader of transcripts of Claude Code.

A row belongs to the prompt that is its nearest ancestor, wherever it stands in the file; a row
whose ancestor is not there belongs to the prompt before it. The rows of a subagent belong to the
prompt that is being worked on. Slash commands, caveats, summaries and what the program itself put
into the user's mouth are no prompts. Row types that are not known are skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..recording import tolerant_json
from ..recording.event import Event, EventKind, FileAccess, Row, ToolCall, of_lines, skipped
from ..recording.payloads import content_hash
from ..recording.prompts import request_of
from ..recording.tolerant_json import (
    Line,
    content_text_at,
    mapping_at,
    moment_at,
    objects_at,
    text_at,
    whole_at,
)
from ..recording.tool_calls import files_of, span
from ..records import FileOperation, TaskStatus

AGENT = "claude-code"

# Rows without their parent that are held back at most: beyond that a parent is taken for missing.
_WAITING = 2_000
# Calls without a result, and results without a call, that are held at most.
_OPEN = 2_000
_INTERRUPTED = "[Request interrupted by user"
_REFUSED = re.compile(r"(?:Error: )?The user doesn't want to (?:proceed|take this action)")


def read(lines: Iterable[Line]) -> Iterator[Event]:
    """Yield the events of a transcript as its lines come."""
    reader = _Reader()
    yield from of_lines(lines, reader.row)
    yield from reader.rest()


class _Reader:
    """What must be known of the rows above: which prompt each belongs to, and open calls."""

    def __init__(self) -> None:
        self.prompts: dict[str, str | None] = {}  # uuid → name of the prompt it serves
        self.waiting: dict[str, list[Row]] = {}  # missing parent → rows
        self.held = 0
        self.open: dict[str, Event] = {}
        self.results: dict[str, tuple[Row, Row]] = {}
        self.session: str | None = None
        self.last: str | None = None  # the prompt before, in the order of the file

    def row(self, row: Row) -> Iterator[Event]:
        """Yield the events of a row, and of those that waited for it."""
        kind = row.get("type")
        if kind not in ("user", "assistant"):
            yield skipped(f"row type {str(kind)[:40]}")
            return
        if not isinstance(row.get("message"), dict):
            yield skipped(f"{kind} row without a message")
            return
        uuid, parent = text_at(row, "uuid"), text_at(row, "parentUuid")
        if uuid is not None and uuid in self.prompts:
            yield skipped("row that was there already")
        elif parent is None or parent in self.prompts or parent == uuid:
            yield from self._placed(row)
        elif self.held < _WAITING:
            self.held += 1
            self.waiting.setdefault(parent, []).append(row)
        else:
            yield from self._release()
            yield from self._placed(row)

    def rest(self) -> Iterator[Event]:
        """Yield what is left at the end: rows without a parent, calls without a result."""
        yield from self._release()
        yield from self.open.values()
        for _ in self.results:
            yield skipped("result of a call that is not there")

    def _release(self) -> Iterator[Event]:
        """Yield the events of waiting rows: their parents are not there, or wait in a circle."""
        while self.waiting:
            missing = next(iter(self.waiting))
            for row in self.waiting.pop(missing):
                self.held -= 1
                yield from self._placed(row)

    def _placed(self, first: Row) -> Iterator[Event]:
        """Yield the events of a row whose parent is known, and of its waiting descendants."""
        ready = [first]
        while ready:
            row = ready.pop()
            uuid, parent = text_at(row, "uuid"), text_at(row, "parentUuid")
            if uuid is not None and uuid in self.prompts:
                yield skipped("row that was there already")
                continue
            task = self.prompts.get(parent or "") or self.last
            if row.get("isSidechain") is True:
                task = self.last
            events = list(self._events(row, task))
            prompt = next((event.task for event in events if event.kind is EventKind.PROMPT), task)
            if uuid is not None:
                self.prompts[uuid] = prompt
                children = self.waiting.pop(uuid, [])
                self.held -= len(children)
                ready += reversed(children)
            yield from events

    # -- one row

    def _events(self, row: Row, task: str | None) -> Iterator[Event]:
        session, parent = text_at(row, "sessionId") or self.session, None
        if row.get("isSidechain") is True and self.last is None and "agentId" in row:
            # A subagent's own file: it names the session that began it.
            session, parent = text_at(row, "agentId") or session, session
        # At the beginning, or where a copied past ends.
        if session is None or session != self.session:
            self.session = session or tolerant_json.digest(AGENT, row.get("uuid"))
            yield Event(
                EventKind.SESSION_START,
                self.session,
                parent_session=None if parent == self.session else parent,
                at=moment_at(row, "timestamp"),
                agent=AGENT,
                branch=text_at(row, "gitBranch"),
                cwd=text_at(row, "cwd"),
            )
        message = mapping_at(row, "message")
        at = moment_at(row, "timestamp")
        blocks = objects_at(message, "content")
        if row.get("type") == "assistant":
            yield from self._assistant(row, blocks, at, task)
            return
        for block in blocks:
            if block.get("type") == "tool_result":
                yield from self._result(row, block)
        words = content_text_at(message, "content")
        if words is not None and words.strip() and not row.get("isSidechain"):
            yield from self._words(row, words, at, task)

    def _words(self, row: Row, words: str, at: str | None, task: str | None) -> Iterator[Event]:
        if words.lstrip().startswith(_INTERRUPTED):
            yield Event(EventKind.TASK_STATE, task=task, at=at, status=TaskStatus.PAUSED)
            return
        request = request_of(words)
        if row.get("isMeta") or row.get("isCompactSummary") or request is None:
            yield skipped("user row that is no prompt")
            return
        name = text_at(row, "uuid") or tolerant_json.digest(row.get("sessionId"), at, words)
        self.last = name
        branch = text_at(row, "gitBranch")
        yield Event(EventKind.PROMPT, task=name, at=at, branch=branch, text=request)

    def _assistant(
        self, row: Row, blocks: list[Row], at: str | None, task: str | None
    ) -> Iterator[Event]:
        calls = [block for block in blocks if block.get("type") == "tool_use"]
        for block in calls:
            yield from self._call(row, block, at, task)
        says = any(block.get("type") == "text" for block in blocks)
        if says and not calls and not row.get("isSidechain"):
            yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.COMPLETED)

    def _call(self, row: Row, block: Row, at: str | None, task: str | None) -> Iterator[Event]:
        call_id, tool = text_at(block, "id"), text_at(block, "name")
        if call_id is None or tool is None or call_id in self.open:
            yield skipped("call without an id or a name, or told twice")
            return
        parameters = mapping_at(block, "input")
        call = ToolCall(
            tool,
            parameters,
            call_id,
            has_result=False,
            context_tokens=_context(mapping_at(row["message"], "usage")),
            files=files_of(tool, parameters, text_at(row, "cwd")),
        )
        event = Event(EventKind.TOOL_CALL, task=task, at=at, cwd=text_at(row, "cwd"), tool=call)
        if call_id in self.results:
            yield _joined(event, *self.results.pop(call_id))
            return
        self.open[call_id] = event
        if len(self.open) > _OPEN:
            yield self.open.pop(next(iter(self.open)))

    def _result(self, row: Row, block: Row) -> Iterator[Event]:
        call_id = text_at(block, "tool_use_id") or ""
        event = self.open.pop(call_id, None)
        if event is not None:
            yield _joined(event, row, block)
        elif len(self.results) < _OPEN:
            self.results[call_id] = (row, block)
        else:
            yield skipped("result of a call that is not there")


def with_twin(file: FileAccess, twin: Row) -> FileAccess:
    """Return a file with the lines that were read and the hash of what it holds now, as the
    structured form of a result tells them."""
    read = mapping_at(twin, "file")
    content, first = read.get("content"), whole_at(read, "startLine")
    if file.operation is FileOperation.READ and isinstance(content, str) and first:
        count, total = whole_at(read, "numLines"), whole_at(read, "totalLines")
        if first == 1 and count is not None and count == total:
            return file._replace(lines=None, content_hash=content_hash(content))
        return file._replace(lines=span(first, first + (count or 1) - 1))
    old, before, new = twin.get("oldString"), twin.get("originalFile"), twin.get("newString")
    edits = isinstance(old, str) and isinstance(before, str) and isinstance(new, str)
    if file.operation is FileOperation.EDIT and edits and old:
        after = str(before).replace(str(old), str(new), -1 if twin.get("replaceAll") is True else 1)
        return file._replace(content_hash=content_hash(after))
    return file


# -- inside


def _context(usage: Row) -> int | None:
    """Return the tokens that the model had before it: fresh ones and those from the cache."""
    names = ("input_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
    counts = [whole_at(usage, name) for name in names]
    return None if counts[0] is None else sum(count or 0 for count in counts)


def _joined(event: Event, row: Row, block: Row) -> Event:
    """Return a call with its result; the structured twin tells more of files and times."""
    output = content_text_at(block, "content")
    said = block.get("is_error")
    failed = said is True
    twin = mapping_at(row, "toolUseResult")
    durations = (whole_at(twin, "durationMs"), whole_at(twin, "totalDurationMs"))
    passed = tolerant_json.milliseconds(event.at, row.get("timestamp"))
    refused = failed and bool(_REFUSED.match(output or ""))
    call = event.call._replace(
        output=output,
        has_result=True,
        success=not said if isinstance(said, bool) else None,
        error="refused by the user" if refused else None,
        duration_ms=next((ms for ms in durations if ms is not None), passed),
        files=tuple(with_twin(file, twin) for file in event.call.files),
    )
    return event._replace(tool=call)
