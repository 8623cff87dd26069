"""The bench of levels of detail: what is due, its floor, and a run on made-up sets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import memkit


def test_due_words_are_counted_beside_a_cut_of_equal_length(kit: memkit.Memkit) -> None:
    """Words of the answer that the text has; a level that holds them beats the text's beginning."""
    from bench.compression import SHORTER, Tally, count

    memory = kit.memories.remember(
        "The kiln in the yard behind the old barn is fired with birch wood at nine hundred "
        "degrees. Never fire it with pine, it cracks the glaze of the plates in a week.",
        key="wood of the kiln",
        value="birch",
    ).memory
    tallies = {level: Tally() for level in SHORTER}
    count(memory, ["birch or oak"], tallies)
    hint = tallies[SHORTER[1]]
    assert (hint.due, hint.kept, hint.cut_kept) == (1, 1, 0)
    assert hint.tokens[0] < hint.full_tokens[0]


def test_compression_runs(bench: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    """Sets that are there have a row for each level; a short text has none of them."""
    from bench import compression

    monkeypatch.setattr(compression, "training_projects", lambda: iter(()))
    written, _ = bench("compression", "--limit", "3")
    rows = {(row["set"], row["metric"]): row["value"] for row in written["rows"]}
    assert rows["locomo/summary", "share"] == 0
    assert rows["locomo/session/index", "share"] > 0
    assert ("devmembench/whole/compressed", "share") in rows
