"""The bench of projects, on one of three memories: counting, its best cut, reliability, reading."""

from __future__ import annotations

import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit

NOW = "2031-04-01T09:00:00Z"


def _memory(name: str, text: str, **more: Any) -> dict[str, Any]:
    usual: dict[str, Any] = {
        "id": name, "at": "2031-03-01T10:00:00Z", "text": text, "kind": "fact", "tags": [],
        "key": None, "value": None, "triggers": [], "steps": [], "about": None,
    }  # fmt: skip
    return usual | more


FILES: dict[str, list[dict[str, Any]]] = {
    "memories": [
        _memory("new", "The kiln is fired with birch.", at="2031-03-02T10:00:00Z", supersedes="old"),
        _memory("old", "The kiln is fired with coal."),
        _memory("ferry", "The ferry leaves from pier four.", tags=["harbour"], steps=["Go there."]),
    ],
    "questions": [
        {"text": "What is the kiln fired with?", "wanted": ["new"], "stale": ["old"],
         "class": "current", "now": NOW},
        {"text": "Zymurgy quotas?", "wanted": [], "stale": [], "class": "unrelated", "now": NOW},
    ],
    "prompts": [
        {"text": "Book the ferry from the pier.", "wanted": ["ferry"], "class": "due", "now": NOW},
    ],
    "actions": [{"input": {"command": "fire-kiln --coal"}, "wanted": []}],
    "pairs": [
        {"a": "Tea is at four.", "b": "Tea is at four.", "label": "duplicate"},
        {"a": "Tea is at four.", "b": "The barn is red.", "label": "unrelated"},
    ],
}  # fmt: skip


def _texts() -> dict[str, str]:
    return {name: "".join(json.dumps(row) + "\n" for row in rows) for name, rows in FILES.items()}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Evaluation data that holds one project, "yard"."""
    place = tmp_path / "data" / "realuse" / "yard"
    place.mkdir(parents=True)
    for name, text in _texts().items():
        (place / f"{name}.jsonl").write_text(text, encoding="utf-8")
    return tmp_path / "data"


def test_a_project_is_read_from_its_folder(folder: Path) -> None:
    """Rows come as they are written; a file that is not there holds none."""
    from bench.projects import evaluation_projects

    (folder / "realuse" / "yard" / "pairs.jsonl").unlink()
    (project,) = evaluation_projects(folder)
    assert project.name == "yard"
    assert [row["id"] for row in project.memories] == ["new", "old", "ferry"]
    assert project.pairs == ()


def test_packed_projects_are_read_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Projects in an archive come in the order of their names."""
    from bench import projects

    with tarfile.open(tmp_path / "packed.tar.gz", "w:gz") as archive:
        for name in ("yard/memories.jsonl", "barn/memories.jsonl"):
            text = _texts()["memories"].encode()
            member = tarfile.TarInfo(name)
            member.size = len(text)
            archive.addfile(member, io.BytesIO(text))
    monkeypatch.setattr(projects, "TRAINING", tmp_path / "packed.tar.gz")
    assert [project.name for project in projects.training_projects()] == ["barn", "yard"]


def test_the_packed_projects_are_whole() -> None:
    """What is wanted of the projects beside the module is among what is remembered there."""
    from bench.projects import training_projects

    for project in training_projects():
        known = {row["id"] for row in project.memories}
        asked = [*project.questions, *project.prompts, *project.actions]
        assert known.issuperset(name for row in asked for name in row["wanted"]), project.name


def test_a_project_is_remembered_in_its_order(tmp_path: Path) -> None:
    """Statements are said at their own times, the earliest first, and supersede by name."""
    from bench.projects import Clock, remember

    clock = Clock()
    with memkit.open(tmp_path / "x.memkit.db", clock=clock, global_store=False) as kit:
        names = remember(kit, clock, FILES["memories"])
        ids = {name: number for number, name in names.items()}
        assert kit.memories.get(ids["old"]).superseded_by == ids["new"]
        assert str(kit.memories.get(ids["new"]).created_at).startswith("2031-03-02")


def test_answers_are_counted_by_hand() -> None:
    """First, within five, outdated first, empty; of silence what came where nothing was wanted."""
    from bench.realuse import Answer, Tally

    tally = Tally()
    question, silent = FILES["questions"]
    tally.question("x", question, Answer(("new",)))
    tally.question("x", question, Answer(("old", "new")))
    tally.question("x", question, Answer(()))
    tally.question("x", silent, Answer(("ferry",)))
    found = {name: tally.value("x", name) for name in ("first", "top5", "stale_first", "empty")}
    assert found == {"first": 1 / 3, "top5": 2 / 3, "stale_first": 1 / 3, "empty": 1 / 3}
    assert tally.value("x/unrelated", "silent") == 0
    assert tally.value("x/unrelated", "first") is None
    tally.due("p", ["a", "b"], Answer(("a", "c")))
    tally.due("p", [], Answer(()))
    assert [tally.value("p", name) for name in ("recall", "precision", "silent")] == [0.5, 0.5, 1]


def test_reliability_is_the_distance_of_predicted_and_found() -> None:
    """Two hits of .75, one of them right, are a quarter apart; those of another tenth are weighed
    by their number."""
    from bench.realuse import Answer, Reliability

    reliability = Reliability()
    reliability.add(["a"], Answer(("a", "b"), (0.75, 0.75)))
    reliability.add(["c"], Answer(("c", "d"), (1.0, 0.0)))
    rows = {(row.set, row.metric): row for row in reliability.rows("x")}
    assert rows["x/reliability/0.7", "found"].value == 0.5
    assert rows["x/reliability/0.7", "found"].floor == 0.75
    assert rows["x", "reliability"].value == pytest.approx(2 * 0.25 / 4)


def test_the_best_cut_keeps_answers_and_silence() -> None:
    """A cut between the scores of a right answer and of a needless one loses neither."""
    from bench.realuse import Answer, _best_cut

    question, silent = FILES["questions"]
    scored = [(question, Answer(("new",), (7.2,))), (silent, Answer(("ferry",), (3.1,)))]
    rows = {(row.set, row.metric): row.value for row in _best_cut("x", scored)}
    assert rows["x/fts5_cut", "first"] == 1
    assert rows["x/fts5_cut/unrelated", "silent"] == 1
    assert list(_best_cut("x", [])) == []


def test_projects_are_measured_beside_their_floor(
    bench: Callable[..., Any], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is plainly there comes first, what is replaced does not, and pairs are told apart."""
    from bench import realuse

    monkeypatch.setattr(realuse, "training_projects", lambda: iter(()))
    found, _ = bench("realuse", folder=folder)
    values = {(row["set"], row["metric"]): row["value"] for row in found["rows"]}
    assert values["realuse/open", "first"] == 1
    assert values["realuse/open", "stale_first"] == 0
    assert values["realuse/unrelated", "silent"] == 1
    assert values["realuse/pairs", "folded"] == 1
    assert values["realuse/pairs", "false_noticed"] == 0
    floors = {(row["set"], row["metric"]): row["floor"] for row in found["rows"]}
    assert floors["realuse/open", "first"] is not None


def test_an_action_is_asked_by_its_command_or_its_text() -> None:
    """A command as it is; an edit by its path and what it writes."""
    from bench.realuse import action_text

    assert action_text(FILES["actions"][0]) == "fire-kiln --coal"
    edit = {"input": {"file_path": "a.py", "new_string": "x = 1"}}
    assert action_text(edit) == "a.py\nx = 1"
