"""The commits bench ranks the files of a snapshot for each subject, beside its floor."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

Bench = Callable[..., tuple[Any, str]]
FILES = {
    "src/kiln.py": "def fire_kiln(wood):\n    return wood\n",
    "src/ferry.py": "def leave_pier(number):\n    return number\n",
    "tests/test_kiln.py": "def test_kiln_is_fired():\n    assert True\n",
    "README.md": "kiln kiln kiln\n",
}
COMMITS = [
    {"subject": "fix(kiln): fire with birch wood", "files": ["src/kiln.py"]},
    {"subject": "the pier has another number", "files": ["src/ferry.py"]},
]


def _snapshot(folder: Path) -> Path:
    place = folder / "commits"
    (place / "trees").mkdir(parents=True)
    (place / "yard.meta.json").write_text(json.dumps({"corpus": ["src/kiln.py", "src/ferry.py"]}))
    (place / "yard.jsonl").write_text("\n".join(map(json.dumps, COMMITS)))
    with tarfile.open(place / "trees" / "yard.tar.gz", "w:gz") as archive:
        for path, text in FILES.items():
            member = tarfile.TarInfo(path)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text.encode()))
    return folder


def test_commits_rank_the_corpus(bench: Bench, tmp_path: Path) -> None:
    """Tests and docs take no rank; there is a set for all and one for each repository."""
    found, printed = bench("commits", folder=_snapshot(tmp_path))
    values = {(row["set"], row["metric"]): row["value"] for row in found["rows"]}
    assert values == {
        (name, metric): 1.0 for name in ("commits", "commits/yard") for metric in ("R@10", "MRR")
    }
    assert all(row["floor"] is not None for row in found["rows"])
    assert "yard: 2 commits, 2 files" in printed


def test_commits_without_data_are_skipped(bench: Bench, tmp_path: Path) -> None:
    """Without the folder nothing is measured, and it is said."""
    found, printed = bench("commits", folder=tmp_path)
    assert found["rows"] == []
    assert "skipped commits" in printed
