"""Removed spans: what was taken out of a context, word for word, to be had by its handle."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from enum import StrEnum
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import attrs

from ..errors import InvalidInput, NotFound
from ..frozen import frozen
from ..redaction import clean_text, redact_json
from ..validation import integer, shown

if TYPE_CHECKING:
    from ..store.store import Row, Store


class SpanKind(StrEnum):
    """What was taken out of a context and is kept word for word."""

    TOOL_RESULT = "tool_result"
    MESSAGE = "message"
    HISTORY = "history"


DIGITS = 12
"""Digits of a handle. It is made of what it stands for: the same history has the same stubs in
every process and store, so that what a provider has cached of it holds."""


@frozen
class RemovedSpan:
    """What was taken out of a context at one moment.

    Attributes:
        handle: number that the stub in its place names. content: the item, or the list of items, as
            JSON values, secrets replaced. tokens: those it had. snapshot: id of the snapshot that
            was taken with it, if one was. removed_at: UTC text; "" as long as it is not stored.
    """

    handle: int
    session: str
    snapshot: int | None
    removed_at: str
    kind: SpanKind = attrs.field(converter=SpanKind)
    content: Any
    tokens: int


def safe_span(
    kind: SpanKind, content: object, tokens: int, *, session: str, name: str = ""
) -> RemovedSpan:
    """Return a span as it can be stored: without secrets. Its handle is made of session, content
    and `name`, which tells equal contents at several places apart."""
    text = _json(redact_json(content))
    digest = sha256(f"{session}\0{kind}\0{name}\0{text}".encode()).digest()
    lowest = 10 ** (DIGITS - 1)
    handle = lowest + int.from_bytes(digest[:8], "big") % (9 * lowest)
    return RemovedSpan(handle, session, None, "", kind, json.loads(text), tokens)


def store_spans(store: Store, spans: Iterable[RemovedSpan], *, snapshot: int | None = None) -> None:
    """Store spans; those that are stored already belong to the new snapshot from now on. May stand
    inside `store.write`."""
    at = store.now()
    rows = [
        {
            "id": span.handle,
            "session_id": span.session,
            "snapshot_id": snapshot,
            "removed_at": at,
            "kind": span.kind,
            "content": _json(span.content),
            "tokens": span.tokens,
        }
        for span in spans
    ]
    store.write(lambda: store.run_many("context_spans.add_span", rows))


def handle_number(handle: int | str) -> int:
    """Return a handle as a number; raises InvalidInput for what is none."""
    try:
        return integer(int(handle) if isinstance(handle, str) else handle, name="handle")
    except ValueError:
        raise InvalidInput(
            f"handle: found {shown(handle)}, expected the number that a stub names"
        ) from None


def read_span(store: Store, handle: int | str) -> RemovedSpan:
    """Return what was taken out under a handle; raises NotFound if it is not there (any more)."""
    known = handle_number(handle)
    row = store.first("context_spans.span", id=known)
    if row is None:
        raise NotFound(
            f"nothing is stored under handle {known}: it never was, or was trimmed with age"
        )
    return _span(row)


def missing_spans(store: Store, spans: Sequence[RemovedSpan]) -> list[RemovedSpan]:
    """Return those of the spans that are not stored."""
    ids = json.dumps([span.handle for span in spans])
    stored = {row[0] for row in store.all("context_spans.known_spans", ids=ids)}
    return [span for span in spans if span.handle not in stored]


def spans_of_snapshot(store: Store, snapshot: int) -> list[RemovedSpan]:
    """Return what was taken out when a snapshot was taken."""
    rows = store.all("context_spans.spans_of_snapshot", snapshot_id=snapshot)
    return [_span(row) for row in rows]


def span_text(span: RemovedSpan) -> str:
    """Return the content of a span for people: a text as it is, texts of messages as JSON."""
    content = span.content
    return (
        content if isinstance(content, str) else json.dumps(content, ensure_ascii=False, indent=2)
    )


def _span(row: Row) -> RemovedSpan:
    handle, session, snapshot, removed_at, kind, content, tokens = row
    return RemovedSpan(handle, session, snapshot, removed_at, kind, json.loads(content), tokens)


def _json(value: object) -> str:
    return clean_text(json.dumps(value, ensure_ascii=False, default=str))
