"""Rendering of an assembled context: a marked block whose lines stored text cannot imitate.

The block stands between the marks by which memkit knows its own words again. A heading or an item
begins in the first column; every further line of a stored text is indented, and the first follows
a head of ours. Nothing depends on the clock, no score is shown: the same context is the same bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..redaction.redactor import CLOSE, OPEN, disarmed
from ..text.display import visible
from .assembled import AssembledItem, Candidate
from .tiers import Tier

BEGIN, END = f"{OPEN}>\n", CLOSE


def heading(tier: Tier) -> str:
    """Return the line above the items of a tier, if there are items of several."""
    return f"# {tier}\n"


def render_item(candidate: Candidate, text: str, *, brief: bool = False) -> str:
    """Return an item's lines: what sort it is, its day, its id and what to know of it, then the
    text; `brief` says the sort alone."""
    return item_lines(candidate.label if brief else _head(candidate), text)


def item_lines(head: str, text: str) -> str:
    """Return a stored text behind a head of ours, its further lines indented."""
    lines = [line.rstrip() for line in disarmed(visible(text)).split("\n")]
    body = "\n  ".join(line for line in lines if line)
    return f"- {head}: {body}\n"


def render_context(items: Sequence[AssembledItem]) -> str:
    """Return the whole block, "" without items; they are ordered by tier."""
    if not items:
        return ""
    tiers = list(dict.fromkeys(item.tier for item in items))
    parts = [
        (heading(tier) if len(tiers) > 1 else "")
        + "".join(item.text for item in items if item.tier is tier)
        for tier in tiers
    ]
    return f"{BEGIN}{''.join(parts)}{END}"


def _head(candidate: Candidate) -> str:
    day = candidate.at[:10]
    number = "" if candidate.number is None else f"#{candidate.number}"
    said = " ".join(part for part in (candidate.label, day, number) if part)
    flags = f" ({', '.join(candidate.flags)})" if candidate.flags else ""
    return disarmed(visible(said + flags)).replace("\n", " ")
