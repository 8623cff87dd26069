"""Extraction commands: candidates out of a text or a session, and their review."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..agents.extraction import ExtractionResult
from ..memories.records import Memory
from . import output
from .commands import (
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    memory_number,
    option,
    switch,
)
from .output import marked_output, one_line, read_statement


@command(
    argument("text", is_required=False),
    option("session", "The session that was recorded, or in which the text was typed."),
    switch("remember", "Let the candidates wait as memories; see 'memkit review'."),
    opening=Opening.CHANGE,
)
def extract(
    invocation: Invocation, *, text: str | None, session: str | None, remember: bool
) -> CommandOutput:
    """Show what of TEXT (a prompt, or a transcript; '-' is standard input) or of a recorded session
    may be worth remembering, and what was dropped."""
    if text is None and session is None:
        raise Usage("extract: nothing to read; give TEXT, '-' for standard input, or --session")
    said = None if text is None else read_statement(text)
    result = invocation.kit.extract(said, session=session, remember=remember)
    return marked_output(invocation, result, _extracted_lines(result), result.notes)


@command(
    option("accept", "A memory that is so; repeat for several.", type=memory_number, many=True),
    option("reject", "A memory to forget; repeat for several.", type=memory_number, many=True),
    option("reason", "Why it is rejected."),
    option("limit", "How many to list.", type=count, default=50),
    opening=Opening.CHANGE,
)
def review(
    invocation: Invocation,
    *,
    accept: tuple[int, ...],
    reject: tuple[int, ...],
    reason: str | None,
    limit: int,
) -> CommandOutput:
    """List memories that were extracted and wait for a confirmation, or settle some of them."""
    waiting = invocation.kit.review
    settled: list[Memory] = []
    if accept:
        settled += waiting.accept(accept)
    if reject:
        settled += waiting.reject(reject, reason=reason)
    memories: Sequence[Memory] = settled if accept or reject else waiting.pending(limit=limit)
    lines = [output.memory_line(memory, invocation) for memory in memories]
    notes = () if lines else ("nothing waits for a review",)
    return marked_output(invocation, memories, lines, notes)


def _extracted_lines(result: ExtractionResult) -> Iterator[str]:
    for draft in result.candidates:
        yield one_line(f"{draft.kind}\t{draft.reason}\t{draft.text}")
    for dropped in result.dropped:
        yield one_line(f"dropped\t{dropped.reason}\t{dropped.text}")
