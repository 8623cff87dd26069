"""What a statement says, apart from how it stands: what an edit changes, and a name for it.

Each edit leaves the name of what it replaced in the chain of provenance, so that a store that still
says that is known to be behind, and not to say otherwise.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from .identity import short_hash, wording_hash
from .kinds import Provenance

if TYPE_CHECKING:
    from ..store.connection import Store

# Columns that say something, those that go with them, and what is counted or made of them.
SAID = (
    "text", "kind", "form", "key", "value", "qualifier", "scope", "project", "session_id",
    "task_id", "summary", "compressed", "index_entry", "tokens", "summary_tokens",
    "compressed_tokens", "index_tokens", "trigger_patterns", "procedure", "content_hash",
)  # fmt: skip
# What was read somewhere is read again there: the later reading says it all.
READ = frozenset({Provenance.EXTRACTED, Provenance.OBSERVED, Provenance.INFERRED})


def edition(row: Mapping[str, Any]) -> str:
    """Return a name for what a memory row says."""
    told = [row[name] for name in ("text", "kind", "key", "value", "qualifier", "scope")]
    rest = [json.loads(row[name] or "null") for name in ("trigger_patterns", "procedure")]
    return short_hash(json.dumps([*told, *rest], sort_keys=True))


def said(store: Store, number: int) -> dict[str, Any]:
    """Return what a memory says and where it has it from."""
    return store.records("memories.said", id=number)[0]


def keep_wording(store: Store, number: int, text: str, *, at: str) -> None:
    """What says the same in other small words stays findable."""
    store.run("memories.add_wording", id=number, wording_hash=wording_hash(text), text=text, at=at)


@contextmanager
def edited(store: Store, number: int) -> Iterator[None]:
    """Note what a memory said before the block, if it says something else after it."""
    before = said(store, number)
    yield
    after = said(store, number)
    is_read = after["source"] is not None and after["provenance"] in READ
    if is_read or (was := edition(before)) == edition(after):
        return
    store.run(
        "memories.note_edit",
        id=number,
        at=after["updated_at"],
        source=after["provenance"],
        reason=f"edited; it was {was}",
    )
