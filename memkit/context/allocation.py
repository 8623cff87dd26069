"""Allocation of a budget to the scopes: 40 : 40 : 20, unused budget flows on (seed 003)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import StrEnum

import attrs

from .. import validation
from ..errors import InvalidInput
from ..tokens import FAMILIES, TokenCounter, estimate
from .backend import ContextItem


class Share(StrEnum):
    """Scopes that a budget is split among, nearest first."""

    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"


# Share of the budget of each scope (seed 003).
SPLIT: Mapping[Share, float] = {Share.TASK: 0.4, Share.PROJECT: 0.4, Share.GLOBAL: 0.2}
_ROUNDING = 1e-9


@attrs.frozen
class ContextPackage:
    """Items of the scopes within a budget (seed 003).

    Attributes:
        items: what was chosen, what matters most first; of equal importance in order of time.
        summary: how many items and tokens of each scope are there, in a line.
        compression_ratio: tokens of what was chosen by those of all there is; 1 if there is
            nothing.
        left_out: what did not fit, in the same order.
        tokens: what the items cost under the worst counter: never more than the budget.
        notes: what was not possible (global memories that cannot be read).
    """

    items: tuple[ContextItem, ...]
    summary: str
    compression_ratio: float
    left_out: tuple[ContextItem, ...]
    tokens: int
    notes: tuple[str, ...] = ()


def split_of(overrides: Mapping[str, float] | None) -> dict[Share, float]:
    """Return each scope's share: those that are named as they are, the others of what remains, in
    the proportion of SPLIT. Raises InvalidInput for shares of more than the whole."""
    entries = validation.optional(validation.mapping, overrides, name="split") or {}
    named = {
        validation.member(Share, name, name="split"): validation.fraction(
            share, name=f"split: {name}"
        )
        for name, share in entries.items()
    }
    remaining = 1 - sum(named.values())
    if remaining < -_ROUNDING:
        raise InvalidInput(f"split: the shares add up to {1 - remaining:g}; give 1 at most")
    rest = sum(share for name, share in SPLIT.items() if name not in named)
    return {
        name: named[name] if name in named else max(remaining, 0.0) * share / rest
        for name, share in SPLIT.items()
    }


def package(
    candidates: Mapping[Share, Sequence[ContextItem]],
    *,
    budget: int,
    split: Mapping[str, float] | None = None,
    head_tail: int = 0,
    notes: Iterable[str] = (),
) -> ContextPackage:
    """Return what fits of the items of each scope; see `Context.package`."""
    whole = validation.integer(budget, name="budget")
    ends = validation.integer(head_tail, name="head_tail", minimum=0)
    shares = split_of(split)
    entries = [
        entry for scope in Share for entry in _entries(scope, candidates.get(scope, ()), ends)
    ]
    by_turn = sorted(entries, key=lambda entry: (not entry.is_end, _rank(entry)))
    chosen: set[_Entry] = set()
    used = 0
    for scope, share in shares.items():
        own = [entry for entry in by_turn if entry.scope is scope]
        used += _fill(own, int(whole * share + _ROUNDING), chosen)
    used += _fill(by_turn, whole - used, chosen)  # what one scope left unused is the others'
    in_order = sorted(entries, key=_rank)
    total = sum(entry.cost for entry in entries)
    return ContextPackage(
        items=tuple(entry.item for entry in in_order if entry in chosen),
        summary=_summary(entries, chosen),
        compression_ratio=used / total if total else 1.0,
        left_out=tuple(entry.item for entry in in_order if entry not in chosen),
        tokens=used,
        notes=tuple(notes),
    )


@attrs.frozen(eq=False)
class _Entry:
    """Candidate with what it costs, and whether it is to be preserved as one of the ends."""

    scope: Share
    item: ContextItem
    cost: int
    is_end: bool


def _entries(scope: Share, items: Sequence[ContextItem], ends: int) -> list[_Entry]:
    """Return the items of a scope; the first and last `ends` in time are to be preserved."""
    in_time = sorted(items, key=lambda item: (item.timestamp, item.id))
    middle = range(ends, len(in_time) - ends)
    return [
        _Entry(scope, item, _cost(item), ends > 0 and position not in middle)
        for position, item in enumerate(in_time)
    ]


def _fill(entries: Iterable[_Entry], budget: int, chosen: set[_Entry]) -> int:
    """Choose what fits, in order; return what it costs."""
    used = 0
    for entry in entries:
        if entry not in chosen and used + entry.cost <= budget:
            chosen.add(entry)
            used += entry.cost
    return used


def _rank(entry: _Entry) -> tuple[float, str, str, Share]:
    item = entry.item
    return -(item.importance or 0.0), item.timestamp, item.id, entry.scope


def _cost(item: ContextItem) -> int:
    """Return the tokens of an item under the worst counter; one that was not counted is
    estimated."""
    tokens = item.tokens or estimate(item.text)
    return max(TokenCounter(family).scale(tokens, item.text) for family in FAMILIES)


def _summary(entries: Sequence[_Entry], chosen: set[_Entry]) -> str:
    parts = []
    for scope in Share:
        there = [entry for entry in entries if entry.scope is scope]
        inside = [entry.cost for entry in there if entry in chosen]
        parts.append(f"{scope}: {len(inside)} of {len(there)} items, {sum(inside)} tokens")
    return "; ".join(parts)
