"""Commands about what is not settled: contradictions, resolve, gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ..memories.connections import Contradiction
from ..memories.kinds import Resolution
from . import output
from .call import Call
from .output import repeating
from .table import Answer, Opening, Usage, argument, command, count, memory_number, option, switch

_KEPT = {"A": Resolution.A_WINS, "B": Resolution.B_WINS, "both": Resolution.BOTH_VALID}


@command(
    switch("history", "Those that are settled too."),
    option("limit", "At most so many.", sort=count, default=50),
)
def contradictions(call: Call, *, history: bool, limit: int) -> Answer:
    """List pairs of memories that cannot both be true, newest first; 'memkit resolve' settles one.

    Statements are not compared by what they mean: a pair is what 'memkit link --kind contradicts'
    made of two, two values of one moment that a merge brought, and what was said again after it
    was replaced.
    """
    found, more = output.cut(call.kit.memories.contradictions(history=history), limit)
    notes = more if found else (f"no contradiction is {'known' if history else 'open'}",)
    return repeating(call, found, _doubt_lines(found, call), notes)


@command(
    argument("a", sort=memory_number),
    argument("b", sort=memory_number),
    option("keep", "Which of them holds.", choices=tuple(_KEPT)),
    option("note", "Why."),
    opening=Opening.CHANGE,
)
def resolve(call: Call, *, a: int, b: int, keep: str | None, note: str | None) -> Answer:
    """Settle the contradiction between the memories A and B.

    The one that is not kept is superseded by the other; 'memkit restore' brings it back.
    """
    if keep is None:
        raise Usage("resolve: which of them holds is not given; say --keep A, B or both")
    how = _KEPT[keep]
    call.kit.memories.resolve(a, b, how, note=note)
    kept = {"A": f"{a} takes the place of {b}", "B": f"{b} takes the place of {a}"}
    return Answer({"a": a, "b": b, "resolution": how}, [kept.get(keep, f"{a} and {b} hold both")])


@command(option("limit", "At most so many.", sort=count, default=20))
def gaps(call: Call, *, limit: int) -> Answer:
    """List what sessions asked in vain, the most asked first: what is worth remembering."""
    found, more = output.cut(call.kit.gaps(limit=limit + 1), limit)
    rows: Sequence[Sequence[Any]] = [(gap.asked_count, gap.last_at, gap.question) for gap in found]
    lines = output.table(rows, call, names=("times", "last", "question")) if found else ()
    notes = more if found else ("no session asked in vain; only questions with --session count",)
    return Answer(output.document(found), lines, notes)


# -- inside


def _doubt_lines(found: Sequence[Contradiction], call: Call) -> Iterator[str]:
    for one in found:
        state = f"{one.resolution} {one.resolved_at}" if one.resolved_at else "open"
        yield f"{one.memory_a} against {one.memory_b}: {state}{f' ({one.note})' * bool(one.note)}"
        for number in (one.memory_a, one.memory_b):
            yield f"  {output.memory_line(call.kit.memories.get(number), call)}"
