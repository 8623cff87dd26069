"""The bench of forgetting: nothing that is reached is lost, and pairs are merged or parted."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

Bench = Callable[..., tuple[Any, str]]

PAIRS = (
    ("duplicate", "Vault doors open with a badge.", "Vault door opens with a badge."),
    ("neutral", "My teapot is green.", "My teapot is brown."),
)


def test_forgetting_measures_each_age_beside_the_plain_rules(
    bench: Bench, data: Path, tmp_path: Path
) -> None:
    """Rows by age with what is lost and saved; after 90 days the plain rule retires everything."""
    folder = tmp_path / "data"
    folder.mkdir()
    for name in ("locomo", "devmembench"):
        (folder / name).symlink_to(data / name)
    (folder / "pairs").mkdir()
    rows = [{"source": "made", "label": label, "a": a, "b": b} for label, a, b in PAIRS]
    (folder / "pairs" / "pairs.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    report, printed = bench("forgetting", folder=folder)
    rows = {(row["set"], row["metric"]): row for row in report["rows"]}
    for age in (7, 30, 90):
        assert rows[f"{age}d", "unreachable"]["value"] == 0
        assert rows[f"{age}d", "mb_saved"]["value"] >= 0
    assert rows["90d", "unreachable"]["floor"] == 1
    assert rows["pairs/made", "folded"]["value"] == 1
    assert rows["pairs/made", "false_folded"]["value"] == 0
    assert "skipped realuse" in printed
