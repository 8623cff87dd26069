"""Reader of transcripts of Codex.

`response_item` is the history. `event_msg` tells it again for the screen: from there only come the
tokens in use and that a turn was broken off. What the program puts around a prompt is taken away.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import attrs

from ..recording import tolerant_json
from ..recording.event import Event, EventKind, Row, ToolCall, of_lines, skipped
from ..recording.prompts import request_of
from ..recording.tolerant_json import (
    Line,
    content_text_at,
    mapping_at,
    moment_at,
    text_at,
    whole_at,
)
from ..recording.tool_calls import files_of, shell_command, shown
from ..records import TaskStatus

AGENT = "codex"

_OPEN = 2_000
_CALLS = ("function_call", "custom_tool_call", "local_shell_call")
_OUTPUTS = ("function_call_output", "custom_tool_call_output")
# What stands in the place of an output if the user did not let the call be made, or broke it off.
_REFUSED = re.compile(r"(?:(?:exec command|patch) rejected|aborted) by (?:the )?user\b")


def read(lines: Iterable[Line]) -> Iterator[Event]:
    """Yield the events of a rollout as its lines come."""
    reader = _Reader()
    yield from of_lines(lines, reader.row)
    yield from reader.open.values()


@attrs.define
class _Reader:
    """What must be known of the lines above."""

    session: str | None = None
    cwd: str | None = None
    context_tokens: int | None = None
    prompts: int = 0
    last: str | None = None
    open: dict[str, Event] = attrs.Factory(dict)

    def row(self, row: Row) -> Iterator[Event]:
        """Yield the events of a line."""
        kind, at = row.get("type"), moment_at(row, "timestamp")
        payload = row.get("payload")
        if kind == "session_meta" and isinstance(payload, dict):
            yield from self._meta(payload, at)
        elif kind == "turn_context" and isinstance(payload, dict):
            self.cwd = text_at(payload, "cwd") or self.cwd
        elif kind == "event_msg" and isinstance(payload, dict):
            yield from self._event(payload, at)
        elif kind == "response_item" and isinstance(payload, dict):
            if self.session is None:  # its first line is damaged
                self.session = tolerant_json.digest(AGENT, at)
                yield Event(EventKind.SESSION_START, self.session, at=at, agent=AGENT, cwd=self.cwd)
            yield from self._item(payload, at)
        else:
            yield skipped(f"row type {str(kind)[:40]}")

    def _meta(self, payload: Row, at: str | None) -> Iterator[Event]:
        if self.session is not None:  # a forked rollout tells its ancestors' too
            yield skipped("a second session in one rollout")
            return
        git = mapping_at(payload, "git")
        started = moment_at(payload, "timestamp") or at
        self.session = text_at(payload, "id") or tolerant_json.digest(AGENT, started)
        self.cwd = text_at(payload, "cwd")
        yield Event(
            EventKind.SESSION_START,
            self.session,
            at=started,
            agent=AGENT,
            branch=text_at(git, "branch"),
            commit=text_at(git, "commit_hash"),
            cwd=self.cwd,
            parent_session=text_at(
                payload, "source", "subagent", "thread_spawn", "parent_thread_id"
            ),
        )

    def _event(self, payload: Row, at: str | None) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "token_count":
            usage = mapping_at(payload, "info", "last_token_usage")
            self.context_tokens = whole_at(usage, "input_tokens") or self.context_tokens
        elif kind == "turn_aborted":
            yield Event(EventKind.TASK_STATE, task=self.last, at=at, status=TaskStatus.PAUSED)
        elif kind == "error":
            reason = text_at(payload, "message")
            yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.FAILED, error=reason)

    def _item(self, payload: Row, at: str | None) -> Iterator[Event]:
        kind = payload.get("type")
        if kind == "message":
            yield from self._message(payload, at)
        elif kind in _CALLS:
            yield from self._call(payload, at)
        elif kind in _OUTPUTS:
            event = self.open.pop(text_at(payload, "call_id") or "", None)
            if event is None:
                yield skipped("result of a call that is not there")
            else:
                yield _joined(event, payload.get("output"), at)
        elif kind != "reasoning":
            yield skipped(f"item type {str(kind)[:40]}")

    def _message(self, payload: Row, at: str | None) -> Iterator[Event]:
        if payload.get("role") == "assistant":
            yield Event(EventKind.TASK_STATE, at=at, status=TaskStatus.COMPLETED)
            return
        words = content_text_at(payload, "content") or ""
        if payload.get("role") != "user" or not (request := request_of(words)):
            yield skipped("user row that is no prompt")
            return
        self.prompts += 1
        self.last = f"{self.session}#{self.prompts}"
        yield Event(EventKind.PROMPT, task=self.last, at=at, text=request)

    def _call(self, payload: Row, at: str | None) -> Iterator[Event]:
        call_id = text_at(payload, "call_id") or text_at(payload, "id")
        tool = text_at(payload, "name") or "shell"
        if call_id is None or call_id in self.open:
            yield skipped("call without an id, or told twice")
            return
        parameters = _parameters(payload)
        cwd = text_at(parameters, "workdir") or self.cwd
        call = ToolCall(
            tool,
            parameters,
            call_id,
            has_result=False,
            context_tokens=self.context_tokens,
            files=files_of(tool, parameters, self.cwd if cwd == "." else cwd),
        )
        self.open[call_id] = Event(
            EventKind.TOOL_CALL, task=self.last, at=at, cwd=self.cwd, tool=call
        )
        if len(self.open) > _OPEN:
            yield self.open.pop(next(iter(self.open)))


# -- inside


def _parameters(payload: Row) -> Row:
    arguments = payload.get("arguments", payload.get("input", payload.get("action")))
    if isinstance(arguments, str):
        value = tolerant_json.parsed(arguments)
        return value if isinstance(value, dict) else {"input": arguments}
    return tolerant_json.mapping(arguments)


def _joined(event: Event, response: object, at: str | None) -> Event:
    """Return a call with its output, which is a text, or JSON with the exit code beside it."""
    parsed = tolerant_json.parsed(response) if isinstance(response, str) else response
    output: str | None = tolerant_json.content_text(response)
    exit_code = passed = success = None
    if isinstance(parsed, dict) and ("output" in parsed or "content" in parsed):
        output = tolerant_json.content_text(parsed.get("output", parsed.get("content")))
        facts = mapping_at(parsed, "metadata")
        exit_code = whole_at(facts, "exit_code")
        passed = tolerant_json.milliseconds_of(facts.get("duration_seconds"))
        said = parsed.get("success")
        success = said if exit_code is None and isinstance(said, bool) else None
    refused = exit_code is None and bool(_REFUSED.match(output or ""))
    call = event.call
    call = call._replace(
        output=output,
        has_result=True,
        exit_code=exit_code,
        success=False if refused else success,
        error="refused or broken off by the user" if refused else None,
        duration_ms=tolerant_json.milliseconds(event.at, at) if passed is None else passed,
        files=shown(tuple(call.files), output, shell_command(call.tool, call.parameters)),
    )
    return event._replace(tool=call)
