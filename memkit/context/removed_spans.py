"""Removed spans: what was taken out of a context, stored so that a handle brings it back."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import NotFound
from ..redaction import clean_text, redact_json
from .records import SpanKind

if TYPE_CHECKING:
    from ..store.store import Row, Store

# A handle is a number of so many digits, made of what it stands for: the same history has the same
# stubs in every process and store, so that a provider's cache of the prefix holds. Ids that are
# given out by time have more digits.
DIGITS = 12


@attrs.frozen
class RemovedSpan:
    """What was taken out of a context at one place.

    Attributes:
        handle: what the stub in its place names. session: whose context it was; "" if nobody said.
        snapshot: id of the snapshot taken at that moment, or None.
        content: JSON value, secrets replaced: the content of a result, or a list of messages.
        tokens: what it had. removed_at: UTC.
    """

    handle: int
    session: str
    snapshot: int | None
    removed_at: str
    kind: SpanKind
    content: object
    tokens: int


def redacted_span(
    kind: SpanKind, content: object, tokens: int, *, session: str, name: str = ""
) -> RemovedSpan:
    """Return a span that can be stored: without secrets, its handle made of session, `name` and
    content."""
    safe = json.loads(_json(redact_json(content)))
    text = f"{session}\0{kind}\0{name}\0{_json(safe)}"
    digest = int.from_bytes(sha256(text.encode()).digest()[:8], "big")
    handle = 10 ** (DIGITS - 1) + digest % (9 * 10 ** (DIGITS - 1))
    return RemovedSpan(handle, session, None, "", kind, safe, tokens)


class RemovedSpans:
    """Removed spans of a store."""

    def __init__(self, store: Store) -> None:
        """`store` is where they lie."""
        self._store = store

    def add(self, spans: Iterable[RemovedSpan], *, snapshot: int | None = None) -> int:
        """Store spans; return how many were not there yet."""
        at = self._store.now()
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
        return self._store.write(lambda: self._store.run_many("context_window.add_span", rows))

    def missing(self, spans: Iterable[RemovedSpan]) -> list[RemovedSpan]:
        """Return those of the spans that are not stored yet."""
        spans = list(spans)
        known = self._store.all(
            "context_window.known_spans", ids=json.dumps([span.handle for span in spans])
        )
        stored = {row["id"] for row in known}
        return [span for span in spans if span.handle not in stored]

    def get(self, handle: int) -> RemovedSpan:
        """Return what a handle stands for; raises NotFound for one that is unknown, or was trimmed
        since."""
        number = validation.integer(handle, name="handle")
        row = self._store.first("context_window.span", id=number)
        if row is None:
            raise NotFound(
                f"{number}: nothing removed has this handle, or it was trimmed since; give one as "
                "a stub in the context names it"
            )
        return _span(row)

    def of_snapshot(self, snapshot: int) -> list[RemovedSpan]:
        """Return what was removed when a snapshot was taken, in the order of removal."""
        rows = self._store.all("context_window.spans_of_snapshot", snapshot_id=snapshot)
        return [_span(row) for row in rows]


def _span(row: Row) -> RemovedSpan:
    return RemovedSpan(
        row["id"], row["session_id"], row["snapshot_id"], row["removed_at"],
        SpanKind(row["kind"]), json.loads(row["content"]), row["tokens"],
    )  # fmt: skip


def _json(value: object) -> str:
    return clean_text(json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=str))


def shown_content(span: RemovedSpan) -> str:
    """Return the content of a span as text: a text as it is, anything else as JSON, a message a
    paragraph."""
    if isinstance(span.content, str):
        return span.content
    if isinstance(span.content, Mapping) or not isinstance(span.content, list):
        return _text(span.content)
    return "\n\n".join(map(_text, span.content))


def _text(value: object) -> str:
    is_text = isinstance(value, Mapping) and value.get("type") == "text"
    if isinstance(value, Mapping) and is_text and isinstance(value.get("text"), str):
        return str(value["text"])
    return json.dumps(value, ensure_ascii=False, indent=2)
