"""The bench of predictions runs on data of its form, and says what it skips."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

import pytest

from bench import mining, predict
from bench.results import Options


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """One session of four reads, and one repository whose files a.py and b.py go together."""
    raw = tmp_path / "data" / "traces" / "raw"
    raw.mkdir(parents=True)
    lines = [_row(number, path) for number, path in enumerate(["a.py", "b.py", "a.py", "b.py"])]
    (raw / "claude-1.jsonl").write_text("\n".join(map(json.dumps, lines)) + "\n", encoding="utf-8")
    commits = tmp_path / "data" / "commits"
    (commits / "trees").mkdir(parents=True)
    rows = [{"files": ["a.py", "b.py"], "time": 86400 * day} for day in range(4)]
    (commits / "one.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    meta = {"corpus": ["a.py", "b.py", "c.py"]}
    (commits / "one.meta.json").write_text(json.dumps(meta), encoding="utf-8")
    with tarfile.open(commits / "trees" / "one.tar.gz", "w:gz") as tree:
        for name in meta["corpus"]:
            info = tarfile.TarInfo(name)
            info.size = 4
            tree.addfile(info, io.BytesIO(b"x=1\n"))
    return tmp_path / "data"


def _row(number: int, path: str) -> dict[str, object]:
    """Return the row of a call that reads a file, as Claude Code writes it."""
    use = {"type": "tool_use", "id": f"t{number}", "name": "Read"}
    return {
        "type": "assistant",
        "uuid": f"u{number}",
        "parentUuid": f"u{number - 1}" if number else None,
        "sessionId": "s",
        "cwd": "/home/dev/project",
        "timestamp": f"2026-01-01T00:00:0{number}Z",
        "message": {
            "role": "assistant",
            "id": f"m{number}",
            "content": [{**use, "input": {"file_path": f"/home/dev/project/src/{path}"}}],
        },
    }


def test_what_is_measured(data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sessions and commits are asked and held against floors; mining is timed."""
    monkeypatch.setattr(mining, "COMMITS", 20)
    said: list[str] = []
    rows = list(predict.run(Options(data, say=said.append)))
    found = {(row.set, row.metric): row for row in rows}
    assert found["traces", "hit@5"].value == pytest.approx(2 / 3)
    assert found["traces named", "hit@5"].value >= found["traces", "hit@5"].value
    assert found["traces unseen", "hit@5"].value <= found["traces named", "hit@5"].value
    assert found["commits", "hit@5"].value == 1
    assert found["commits", "gain"].value >= 1
    # The third file is the first again, and the fourth the second: both were opened before.
    assert found["traces recorded", "hit@5"].value == pytest.approx(2 / 3)
    assert found["mining", "s"].floor is not None
    assert any(line.startswith("mining 20 commits") for line in said)


def test_missing_data_is_skipped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without the sets the bench says what it skipped."""
    monkeypatch.setattr(mining, "COMMITS", 2)
    said: list[str] = []
    rows = list(predict.run(Options(tmp_path, say=said.append)))
    assert [row.set for row in rows] == ["mining"]
    assert said[0].startswith("skipped traces")
    assert said[1].startswith("skipped commits")
