"""The history of a file under its names: a name that it has left may be another file's since."""

from __future__ import annotations

from pathlib import Path

import memkit
from tests.conftest import Clock

from .repository import Repository


def subjects(kit: memkit.Memkit, path: str) -> list[str]:
    """Return what is told of a file, the oldest first."""
    return [event.text for event in reversed(kit.episodes.file_history(path).events)]


def lines(word: str) -> str:
    """Return a file that git takes for no other."""
    return "".join(f"{word} {number}\n" for number in range(20))


def test_a_name_that_was_given_away_is_another_file(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Also where all commits were made within one second, as a script makes them."""
    for days in (1.0, 0.0):
        root = tmp_path / f"repo{days}"
        repository = Repository(root)
        repository.commit("first util", {"util.py": lines("old")}, days=days)
        repository.commit("util again", {"util.py": lines("old") + "x\n"}, days=days)
        repository.git("mv", "util.py", "core.py")
        repository.commit("move util to core", days=days)
        repository.commit("new util", {"util.py": lines("new")}, days=days)
        repository.commit("both", {"util.py": lines("newer"), "core.py": "y\n"}, days=days)
        with memkit.open(root / ".memkit.db", global_store=False) as own:
            own.episodes.mine()
            past = ["first util", "util again", "move util to core"]
            assert sorted(subjects(own, "core.py")) == sorted([*past, "both"])
            assert sorted(subjects(own, "util.py")) == ["both", "new util"]
            assert own.episodes.file_history("util.py").commits == 2


def test_a_file_that_is_gone_is_told_up_to_its_move(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Its former name leads to the move, its present one through it."""
    repository = Repository(tmp_path)
    repository.commit("first", {"a.py": lines("a"), "other.py": lines("o")})
    repository.git("mv", "a.py", "b.py")
    repository.commit("a to b")
    repository.git("mv", "b.py", "c.py")
    repository.commit("b to c")
    repository.commit("late", {"c.py": lines("c")})
    kit.episodes.mine()
    assert subjects(kit, "c.py") == ["first", "a to b", "b to c", "late"]
    assert subjects(kit, "b.py") == ["first", "a to b", "b to c"]
    assert subjects(kit, "a.py") == ["first", "a to b"]


def test_files_that_change_names_with_each_other(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Round a third name: each keeps its own past."""
    repository = Repository(tmp_path)
    repository.commit("one", {"a.py": lines("one")})
    repository.commit("two", {"b.py": lines("two")})
    for source, target in (("a.py", "t.py"), ("b.py", "a.py"), ("t.py", "b.py")):
        repository.git("mv", source, target)
        repository.commit(f"{source} {target}")
    kit.episodes.mine()
    assert subjects(kit, "a.py") == ["two", "b.py a.py"]
    assert subjects(kit, "b.py") == ["one", "a.py t.py", "t.py b.py"]


def test_a_session_renames_as_a_commit_does(kit: memkit.Memkit, clock: Clock) -> None:
    """A new file under the old name is not told of the moved one, nor the reverse."""
    with kit.session("s") as session:
        for change in ("old one", "old two"):
            session.file("util.py", "edit", changes=change)
            clock.now += 60
        session.file("core.py", "rename", previous_path="util.py", changes="moved")
        clock.now += 60
        session.file("util.py", "write", changes="new one")
    assert subjects(kit, "core.py") == ["old one", "old two", "moved"]
    assert subjects(kit, "util.py") == ["new one"]
    history = kit.episodes.file_history("util.py")
    assert (history.changes, len(history.recent)) == (1, 1)


def test_companions_are_those_of_the_file_itself(kit: memkit.Memkit, tmp_path: Path) -> None:
    """What was committed with the new file is no companion of the moved one."""
    repository = Repository(tmp_path)
    repository.commit("first", {"util.py": lines("old"), "old_test.py": lines("t")})
    repository.git("mv", "util.py", "core.py")
    repository.commit("move")
    repository.commit("new", {"util.py": lines("new"), "new_test.py": lines("n")})
    kit.episodes.mine()
    assert [pair.other for pair in kit.episodes.co_edits("core.py")] == ["old_test.py"]
    assert [pair.other for pair in kit.episodes.co_edits("util.py")] == ["new_test.py"]
