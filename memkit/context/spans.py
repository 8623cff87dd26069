"""Removed spans: what was taken out of a context, word for word, to be had back by its handle."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import attrs

from ..errors import InvalidInput, NotFound
from ..redaction import redact_json
from ..validation import shown
from .records import SpanKind

if TYPE_CHECKING:
    from ..store.store import Store


@attrs.frozen
class RemovedSpan:
    """What was taken out of a context at one moment.

    Attributes:
        handle: number that the stub in its place names. content: the item, or the list of items, as
            JSON values, secrets replaced. tokens: those it had. snapshot: id of the snapshot that
            was taken with it, if one was. removed_at: UTC text.
    """

    handle: int
    session: str
    snapshot: int | None
    removed_at: str
    kind: SpanKind = attrs.field(converter=SpanKind)
    content: object
    tokens: int


def store_span(
    store: Store,
    *,
    session: str,
    kind: SpanKind,
    content: object,
    tokens: int,
    snapshot: int | None = None,
) -> int:
    """Store what is taken out of a context and return its handle; `content` is what JSON can hold.

    Secrets in it are replaced. May stand inside `store.write`.
    """
    text = json.dumps(redact_json(content), ensure_ascii=False)

    def insert() -> int:
        handle = store.ids("context_spans.last_span_id").new()
        store.run(
            "context_spans.add_span",
            id=handle,
            session_id=session,
            snapshot_id=snapshot,
            removed_at=store.now(),
            kind=kind,
            content=text,
            tokens=tokens,
        )
        return handle

    return store.write(insert)


def read_span(store: Store, handle: int | str) -> RemovedSpan:
    """Return what was taken out under a handle; raises NotFound if it is not there (any more)."""
    try:
        number = int(handle)
    except (TypeError, ValueError):
        raise InvalidInput(
            f"handle: found {shown(handle)}, expected the number that a stub names"
        ) from None
    row = store.first("context_spans.span", id=number)
    if row is None:
        raise NotFound(
            f"nothing is stored under handle {number}: it never was, or was trimmed with age"
        )
    *head, content, tokens = row
    return RemovedSpan(*head, content=json.loads(content), tokens=tokens)
