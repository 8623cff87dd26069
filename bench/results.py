"""Rows of figures, as a table for people and as JSON for machines."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import attrs

# The names a row may use, in the order of the table.
METRICS = (
    "R@5", "R@10", "R@20", "hit@20", "MRR", "R@10_cat1-4", "abstain", "precision", "recall", "f1",
    "exact", "p50_ms", "p95_ms", "ratio", "ops_s", "mb", "mb_per_s", "hit@5", "hit@5_mean",
    "gain", "s", "saved", "saved_held", "confirmed", "claimed", "parse_ratio", "edit_ms",
    "bytes_per_line", "differences", "first", "top5", "stale_first", "empty", "silent", "warned",
    "noticed", "false_noticed", "folded", "false_folded", "reliability", "hits", "found",
    "answered", "reused", "settled", "tokens", "most_tokens", "growth", "first_facts",
    "first_exact", "of_last_ten", "max_ms", "decision_recall", "decision_precision", "kept",
    "whole", "once", "prefix_kept", "cuts", "over", "invalid", "evidence_1500", "evidence",
    "per_1000", "top20", "idle_tokens", "over_budget", "share", "calls", "errors", "lost",
    "p99_ms", "events", "ari", "error", "unreachable", "mb_saved",
    "contradict_precision", "contradict_recall", "update_recall", "duplicate_recall",
    "duplicate_precision", "gain_R@5", "gain_MRR", "reach",
)  # fmt: skip
_DIGITS = {
    "p50_ms": 2, "p95_ms": 2, "ratio": 2, "ops_s": 0, "mb": 2, "mb_per_s": 1, "edit_ms": 1,
    "bytes_per_line": 1, "parse_ratio": 1, "differences": 0,
    "hits": 0, "tokens": 0, "most_tokens": 0, "max_ms": 1, "cuts": 1, "over": 1, "invalid": 0,
    "idle_tokens": 1, "over_budget": 0, "per_1000": 2, "calls": 0, "errors": 0, "lost": 0,
    "p99_ms": 3, "events": 0, "mb_saved": 3,
}  # fmt: skip

Say = Callable[[str], None]


@attrs.frozen
class Row:
    """One figure: what was measured, on which set, and what the floor reaches there (or None)."""

    set: str
    metric: str
    value: float
    floor: float | None = None


@attrs.frozen
class Options:
    """What every bench is given.

    Attributes:
        data: folder that holds the evaluation sets, one folder each.
        limit: questions (or texts, or runs) of each set at most; None is all.
        ablations: measure again with each leg of recall left out.
        large: also the size of a million memories.
        profile: say where the time of a recall goes.
        sizes: names of the sizes that `latency` measures.
        tree: folder that `index` indexes.
        sequences: how many sequences of edits `index` compares with a full index.
        say: takes a line for people.
    """

    data: Path
    limit: int | None = None
    ablations: bool = False
    large: bool = False
    profile: bool = False
    sizes: tuple[str, ...] = ("1k", "10k", "100k")
    tree: Path | None = None
    sequences: int | None = None
    say: Say = print

    def folder(self, name: str, *path: str, holds: str = "*") -> Path | None:
        """Return the folder of a set, or None, and say that the set is skipped, if there is none or
        no such file lies in it."""
        folder = self.data.joinpath(*path)
        if any(folder.glob(holds)):
            return folder
        is_there = folder.is_dir()
        why = f"nothing ({holds}) in {folder}" if is_there else f"there is no {folder}"
        self.say(f"skipped {name}: {why}")
        return None


def as_json(bench: str, rows: Iterable[Row]) -> str:
    """Return the machine's form: one object with the bench's name and its rows."""
    return json.dumps({"bench": bench, "rows": [attrs.asdict(row) for row in rows]}, indent=1)


def table(rows: Sequence[Row]) -> str:
    """Return the rows as aligned text, the floor beside each value."""
    lines = [("set", "metric", "value", "floor")]
    lines += [(r.set, r.metric, _text(r.metric, r.value), _text(r.metric, r.floor)) for r in rows]
    wide = max(len(line[0]) for line in lines)
    return "\n".join(f"{a:<{wide}}  {b:<20} {c:>10} {d:>10}" for a, b, c, d in lines)


def _text(metric: str, value: float | None) -> str:
    return "-" if value is None else f"{value:,.{_DIGITS.get(metric, 3)}f}"
