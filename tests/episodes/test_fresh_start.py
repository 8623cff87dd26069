"""What a fresh start is told: patterns in their order, the running task, rules, files."""

from __future__ import annotations

from pathlib import Path

import memkit
from tests.conftest import Clock

from .repository import Repository

YEAR = 365 * 86_400.0


def edits(kit: memkit.Memkit, times: int, *paths: str) -> None:
    """Record so many tasks in which files were changed together."""
    for number in range(times):
        with kit.session() as session, session.task(f"change {number} of {paths[0]}") as task:
            for path in paths:
                task.file(path, "edit")
    kit.episodes.learn()


def test_the_surest_patterns_come_first_whatever_the_limit(
    kit: memkit.Memkit, clock: Clock
) -> None:
    """Old ones have faded, however sure they once were."""
    for number in range(4):
        edits(kit, 6, f"old{number}a.py", f"old{number}b.py")
    clock.now += 2 * YEAR
    edits(kit, 3, "new_a.py", "new_b.py")
    everything = [p.id for p in kit.episodes.patterns(limit=100)]
    for limit in (1, 2, 4):
        assert [p.id for p in kit.episodes.patterns(limit=limit)] == everything[:limit]
    assert kit.episodes.patterns(limit=1)[0].files == ("new_a.py", "new_b.py")
    kinds = kit.episodes.learnings(limit=100)
    assert [one.id for one in kit.episodes.learnings(limit=1)] == [one.id for one in kinds][:1]


def test_patterns_of_files_that_are_gone_are_left_out(kit: memkit.Memkit, tmp_path: Path) -> None:
    """As far as git's log tells; all of them are shown on request."""
    repository = Repository(tmp_path)
    for number in range(3):
        pair = {f"{name}.py": f"{name} {number}\n" for name in ("a", "b", "c", "d")}
        repository.commit("both", {k: v for k, v in pair.items() if k in ("a.py", "b.py")})
        repository.commit("both", {k: v for k, v in pair.items() if k in ("c.py", "d.py")})
    repository.git("rm", "-q", "d.py")
    repository.commit("drop d")
    kit.episodes.mine()
    assert [p.files for p in kit.episodes.patterns()] == [("a.py", "b.py")]
    assert len(kit.episodes.patterns(active=None)) == 2


def test_a_running_task_is_not_like_itself(kit: memkit.Memkit) -> None:
    """Neither to itself nor to its parts; what was done before comes."""
    with kit.session() as session, session.task("mend the upload retry") as task:
        task.finish("done")
    with kit.session() as session:
        task = session.task("mend the upload retry again")
        task.task("mend the upload retry: tests")
        similar = kit.episodes.find_similar_tasks("mend the upload retry")
    names = [task.description for task in similar]
    assert names == ["mend the upload retry"]


def test_a_folder_is_no_file_that_is_worked_on(kit: memkit.Memkit) -> None:
    """It was searched, or files below it were touched."""
    with kit.session() as session:
        for _ in range(5):
            session.file("src", "search")
            session.file("docs", "read")
        session.file("docs/a.md", "read")
        session.file("src/a.py", "edit")
    assert [file.path for file in kit.episodes.hot_files()] == ["src/a.py", "docs/a.md"]


def test_the_summary_tells_what_holds_for_every_task(kit: memkit.Memkit) -> None:
    """Pinned memories, rules and preferences, each once and on a line."""
    put = kit.memories.remember
    put("The ledger is append-only.", pinned=True)
    put("Never push to main directly.", kind="negative")
    put("Prefer small commits.\n\nThey are easier to read.", kind="preference")
    put("The office has a plant.")
    summary = kit.episodes.session_summary()
    assert summary.pinned == ("The ledger is append-only.",)
    assert summary.rules == ("Never push to main directly.",)
    assert len(summary.preferences) == 1
    assert summary.text.splitlines() == [
        "pinned: The ledger is append-only.",
        "rule: Never push to main directly.",
        "preferred: Prefer small commits. They are easier to read.",
    ]


def test_memkits_own_file_is_not_foretold(kit: memkit.Memkit, tmp_path: Path) -> None:
    """It is committed with everything, and an agent may look into it."""
    repository = Repository(tmp_path)
    for number in range(3):
        text = f"{number}\n"
        repository.commit("work", {"a.py": text, "b.py": text, "sub/.memkit.db": text})
    kit.episodes.mine()
    with kit.session() as session, session.task("look") as task:
        task.file(".memkit.db", "edit")
        task.file("a.py", "edit")
    names = [p.name for p in kit.episodes.predict("a.py").predictions]
    assert "b.py" in names
    assert not [name for name in names if name.endswith(".memkit.db")]
