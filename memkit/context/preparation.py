"""Preparation of a message: code and past work that bear on it (seed 000)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import NotFound
from ..redaction import PrivateFiles, redact
from ..text.analyzer import decode
from ..tokens import truncate
from .relevance import ItemType

if TYPE_CHECKING:
    from ..codegraph.query.code_search import RelevantFile
    from .ports import OpenKit

SIMILAR_TASKS = 3
"""Tasks of the past that are named (seed 000)."""
PAST_RELEVANCE = 0.8
"""What the item of past tasks says of its own relevance (seed 000)."""
CODE_FILES = 3
"""Files of which code is shown."""
SNIPPET_LINES = 60
"""Lines of a snippet at most."""
SNIPPET_TOKENS = 600
"""Tokens of a snippet at most."""
ROOM_SHARE = 0.25
"""Share of the window's room that code may take, and memories of what is left then."""
_LINES_AROUND = 2
_LONGEST_FILE = 1_000_000


def items_for(
    kit: OpenKit, message: str, *, room: int, count: Callable[[str], int]
) -> Iterator[dict[str, Any]]:
    """Yield the fields of the items that stay in a window for a message, in `room` tokens."""
    left = int(room * ROOM_SHARE)
    for fields in _code(kit, message):
        left -= count(fields["content"])
        if left < 0:
            break
        yield fields
    yield from _past_work(kit, message)


def _code(kit: OpenKit, message: str) -> Iterator[dict[str, Any]]:
    with suppress(NotFound):  # there is no code graph
        for file in kit.codegraph.find_relevant_to_query(message, limit=CODE_FILES):
            if fields := _snippet(kit.path.parent, file):
                yield fields


def _snippet(root: Path, file: RelevantFile) -> dict[str, Any] | None:
    """Return the lines of a file that the message speaks of; None if they may not be shown."""
    path = root / file.path
    try:
        if PrivateFiles(root).is_private(file.path) or path.stat().st_size > _LONGEST_FILE:
            return None
        lines = decode(path.read_bytes()).splitlines()
    except OSError:
        return None
    symbol = file.symbols[0] if file.symbols else None
    first = max(symbol.line - _LINES_AROUND, 1) if symbol else 1
    last = min(symbol.end_line if symbol else len(lines), first + SNIPPET_LINES - 1, len(lines))
    shown = redact("\n".join(lines)).text.splitlines()[first - 1 : last]
    text = truncate("\n".join(shown), SNIPPET_TOKENS).text
    if not text.strip():
        return None
    return {
        "content": text,
        "type": ItemType.CODE_SNIPPET,
        "path": file.path,
        "lines": (first, first + text.count("\n")),
        "relevance": min(max(file.score, 0.0), 1.0),
    }


def _past_work(kit: OpenKit, message: str) -> Iterator[dict[str, Any]]:
    tasks = kit.episodes.find_similar_tasks(message, limit=SIMILAR_TASKS)
    lines = [f"- {t.description}: {t.outcome or t.status or 'open'}" for t in tasks]
    if lines:
        yield {
            "content": "\n".join(["Relevant past work:", *lines]),
            "type": ItemType.ASSISTANT_RESPONSE,
            "relevance": PAST_RELEVANCE,
            "query": message[:80],
        }
