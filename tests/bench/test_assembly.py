"""The bench of assembled contexts: what counts as held, its floors, and a run on made-up sets."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit


def test_evidence_is_held_by_its_text_or_its_item(kit: memkit.Memkit) -> None:
    """A statement counts if an item has its id, or if its words stand in the text; its like does
    not."""
    from bench.assembly import Named, flat, held_by

    birch = kit.memories.remember("The kiln is fired with birch.")
    context = kit.context.assemble("What is the kiln fired with?")
    statements = {f"memory:{birch.id}": Named("birch", "not as it is rendered")}
    assert held_by(context, statements, {"birch": []}) == {"birch"}
    by_text = {"same": [flat("The kiln  is\nfired")], "other": [flat("The kiln is fired with oak")]}
    assert held_by(context, {}, by_text) == {"same"}


def test_texts_are_put_one_after_the_other_until_the_budget_is_full() -> None:
    """What does not fit is passed over; sizes add up."""
    from bench.assembly import Named, _concatenated

    listed = [Named("a", "xx"), Named("b", "x" * 9), Named("c", "xxx")]
    assert _concatenated(listed, 6, len) == ({"a", "c"}, 5)


def test_tokens_are_those_of_the_family_that_counts_most() -> None:
    """No family counts more."""
    from bench.assembly import worst

    text = "def total(net):\n    return net * 1.19\n"
    counts = [memkit.tokens.count(text, family=family) for family in memkit.tokens.FAMILIES]
    assert worst(text) == max(counts) > memkit.tokens.count(text)


def test_assembly_runs(
    bench: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Sets have their rows, nothing is over budget, and what is asked for by its words is held."""
    from bench import assembly

    monkeypatch.setattr(assembly, "BUDGETS", (assembly.MARK, assembly.USUAL))
    monkeypatch.setattr(assembly, "training_projects", lambda: iter(()))
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("def kiln():\n    return kiln()\n", encoding="utf-8")
    written, _ = bench("assembly", "--limit", "3", "--tree", str(tmp_path / "tree"))
    rows = {(row["set"], row["metric"]): row for row in written["rows"]}
    assert rows["locomo", "evidence_1500"]["value"] == 1.0
    assert rows["locomo/recall", "evidence_1500"]["floor"] == 1.0
    assert {row["value"] for (_, metric), row in rows.items() if metric == "over_budget"} == {0}
    assert ("10k", "p95_ms") in rows
