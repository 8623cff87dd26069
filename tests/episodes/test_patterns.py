"""Patterns and learnings: learnt from tasks, revised by evidence, shown with it, turned off."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import memkit
from memkit.episodes import pattern_mining
from memkit.episodes.patterns import Learning, Sighting, wilson
from memkit.episodes.predictions import Signal
from memkit.episodes.records import LearningType, PatternType, SignalKind
from memkit.store import timestamps

from .repository import Repository

ERROR = "ImportError: cannot import name 'retry'"


class Work:
    """Records short tasks in one session."""

    def __init__(self, kit: memkit.Memkit, clock: Any) -> None:
        self.kit = kit
        self.clock = clock
        self.count = 0

    def task(self, *did: Any, ends: str = "done", say: str = "work on it") -> str:
        """Do things in a task: a path is edited, (command, error) is run, a function is called."""
        self.count += 1
        name = f"t{self.count}"
        session = self.kit.session(f"s{self.count}")
        with session, session.task(f"{say} {self.count}", name=name) as task:
            for one in did:
                self.clock.advance(10)
                if isinstance(one, str):
                    task.file(one, "edit", context="as asked")
                elif isinstance(one, tuple):
                    command, error = one
                    task.tool("Bash", {"command": command}, success=not error, error=error or None)
                else:
                    one(task)
            if ends == "fail":
                task.fail("it did not work")
            else:
                task.finish(ends)
        return name


@pytest.fixture
def work(kit: memkit.Memkit, clock: Any) -> Work:
    """Records tasks into the kit."""
    return Work(kit, clock)


# -- pairs


def test_files_changed_in_one_task_are_a_pair(kit: memkit.Memkit, work: Work) -> None:
    """Two files changed in several tasks are a pattern, with the tasks as evidence."""
    names = [work.task("a.py", "b.py") for _ in range(3)]
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("co-edit", "a.py")
    assert found.files == ("a.py", "b.py")
    assert (found.observed, found.successes, found.failures) == (3, 3, 0)
    assert found.evidence == tuple(names)
    assert found.data["within_seconds"] == 300
    assert found.confidence == pytest.approx(wilson(3, 0), abs=0.01)
    assert found.first_seen < found.last_seen
    assert "a.py, b.py" in found.text


def test_counter_evidence_lowers_confidence(kit: memkit.Memkit, work: Work) -> None:
    """A task that changes one file of a pair alone speaks against the pair."""
    for _ in range(3):
        work.task("a.py", "b.py")
    kit.episodes.learn()
    before = kit.episodes.patterns("co-edit", "a.py")[0]
    work.task("a.py", "c.py")
    kit.episodes.learn()
    after = next(p for p in kit.episodes.patterns("co-edit", "a.py") if "b.py" in p.files)
    assert (after.successes, after.failures) == (3, 1)
    assert after.confidence < before.confidence
    assert after.last_seen == before.last_seen


def test_learning_twice_counts_once(kit: memkit.Memkit, work: Work) -> None:
    """What was learnt from is not learnt from again; nothing new costs nothing."""
    work.task("a.py", "b.py")
    assert kit.episodes.learn().tasks == 1
    assert kit.episodes.learn().tasks == 0
    assert kit.episodes.patterns()[0].observed == 1


def test_tasks_under_way_wait(kit: memkit.Memkit, clock: Any) -> None:
    """A task is learnt from when it is over, or nothing was done in it for long."""
    session = kit.session("s")
    task = session.task("long work")
    task.file("a.py", "edit")
    task.file("b.py", "edit")
    assert kit.episodes.learn().tasks == 0
    clock.advance(hours=1)
    assert kit.episodes.learn().tasks == 1
    assert kit.episodes.patterns("co-edit")
    task.finish("done")
    session.close()


def test_everything_takes_tasks_as_they_are(kit: memkit.Memkit) -> None:
    """With `everything` a task that is under way is learnt from too."""
    session = kit.session("s")
    session.file("a.py", "edit")
    session.file("b.py", "edit")
    assert kit.episodes.learn(everything=True).tasks == 1
    session.close()


def test_far_apart_in_a_large_task_is_no_pair(kit: memkit.Memkit, work: Work, clock: Any) -> None:
    """In a task of many files only those changed within five minutes belong together."""
    many = [f"m{n:02}.py" for n in range(13)]
    slow = [part for name in many for part in (name, lambda task: clock.advance(400))]
    work.task(*slow)
    kit.episodes.learn()
    assert kit.episodes.patterns("co-edit") == []


def test_confidence_fades(kit: memkit.Memkit, work: Work, clock: Any) -> None:
    """What was not seen for half a year counts half."""
    work.task("a.py", "b.py")
    kit.episodes.learn()
    fresh = kit.episodes.patterns()[0].confidence
    clock.advance(days=180)
    assert kit.episodes.patterns()[0].confidence == pytest.approx(fresh / 2, rel=0.01)


def test_turned_off_stays_off(kit: memkit.Memkit, work: Work) -> None:
    """A pattern that was turned off is not shown, and does not come back with new evidence."""
    work.task("a.py", "b.py")
    kit.episodes.learn()
    (pattern,) = kit.episodes.patterns()
    kit.episodes.set_active(pattern, active=False, reason="a coincidence")
    off = kit.episodes.get_pattern(pattern.id)
    assert (off.active, off.inactive_reason) == (False, "a coincidence")
    work.task("a.py", "b.py")
    kit.episodes.learn()
    assert kit.episodes.patterns() == []
    (hidden,) = kit.episodes.patterns(active=False)
    assert hidden.observed == 2
    kit.episodes.set_active(pattern, active=True)
    assert kit.episodes.get_pattern(pattern.id).inactive_reason is None
    assert len(kit.episodes.patterns()) == 1


def test_a_secret_in_the_reason_of_a_turn_reached_the_file(kit: memkit.Memkit, work: Work) -> None:
    """It becomes a marker, as everywhere."""
    work.task("a.py", "b.py")
    kit.episodes.learn()
    (pattern,) = kit.episodes.patterns()
    token = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    kit.episodes.set_active(pattern, active=False, reason=f"it was {token}\ud800")
    off = kit.episodes.get_pattern(pattern.id)
    assert off.inactive_reason is not None
    assert token not in off.inactive_reason


def test_pairs_of_git(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Files that three commits changed together are a pattern, with the hashes as evidence; mining
    again counts nothing twice."""
    repository = Repository(tmp_path)
    hashes = [repository.commit(f"{n}", {"x.py": str(n), "y.py": str(n)}) for n in range(4)]
    repository.commit("alone", {"x.py": "alone"})
    kit.episodes.mine()
    (found,) = kit.episodes.patterns("co-edit", "x.py")
    assert (found.successes, found.failures, found.data["source"]) == (4, 0, "git")
    assert found.evidence[-1] == f"commit:{hashes[-1]}"
    repository.commit("again", {"x.py": "5", "y.py": "5"})
    kit.episodes.mine()
    assert kit.episodes.patterns("co-edit", "x.py")[0].successes == 5


# -- fixes and failed attempts


def test_what_fixed_an_error(kit: memkit.Memkit, work: Work) -> None:
    """A command that failed and passed after a change makes a pattern of error and change."""
    work.task(("pytest -q", ERROR), "src/retry.py", ("pytest -q", ""))
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("error-fix")
    assert found.files == ("src/retry.py",)
    assert found.data["error"] == ERROR
    assert found.data["command"] == "$ pytest -q"
    assert found.evidence
    assert kit.episodes.predict(Signal(SignalKind.ERROR, ERROR)).files[0] == "src/retry.py"
    (attempt_of,) = kit.episodes.find_errors(ERROR)
    assert [edit.path for edit in attempt_of.fixes[0].edits] == ["src/retry.py"]


def test_command_between_failure_and_success_is_the_fix(kit: memkit.Memkit, work: Work) -> None:
    """Where no file was changed, what was run in between is told."""
    missing = "python: No module named pytest"
    work.task(("pytest -q", missing), ("pip install pytest", ""), ("ls", ""), ("pytest -q", ""))
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("error-fix")
    assert found.data["commands"] == ["pip install pytest"]
    assert found.text.endswith("fixed by pip install pytest")


def test_repeated_failure_after_a_fix_is_counter_evidence(kit: memkit.Memkit, work: Work) -> None:
    """The same change after which the command failed again is counter evidence, and is told as a
    failed attempt."""
    work.task(("pytest -q", ERROR), "src/retry.py", ("pytest -q", ""))
    kit.episodes.learn()
    work.task("src/retry.py", ("pytest -q", ERROR))
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("error-fix")
    assert (found.successes, found.failures) == (1, 1)
    attempts = kit.episodes.failed_attempts("src/retry.py")
    assert attempts[0].reason


def test_failure_before_any_fix_is_no_pattern(kit: memkit.Memkit, work: Work) -> None:
    """Counter evidence alone makes no pattern."""
    work.task("src/retry.py", ("pytest -q", ERROR))
    kit.episodes.learn()
    assert kit.episodes.patterns("error-fix", active=None) == []


def test_common_errors_are_learnings(kit: memkit.Memkit, work: Work) -> None:
    """A fault that came twice is a learning, with what fixed it."""
    work.task(("pytest -q", ERROR), "src/retry.py", ("pytest -q", ""))
    work.task(("pytest -q", ERROR), "src/retry.py", ("pytest -q", ""))
    kit.episodes.learn()
    (found,) = kit.episodes.learnings("common_error")
    assert (found.key, found.observed) == (ERROR, 2)
    assert found.data["fixed_by"] == [["src/retry.py"]]


# -- refactorings, purposes


def test_what_follows_a_rename(kit: memkit.Memkit, work: Work) -> None:
    """Files changed after a rename in one task are what follows renames in that folder."""
    work.task(
        lambda task: task.file("core/new.py", "rename", previous_path="core/old.py"),
        "app/main.py",
    )
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("refactor")
    assert found.data["renamed"] == ["core/old.py", "core/new.py"]
    assert found.files == ("app/main.py",)
    assert "core" in found.text


def test_what_a_file_is_for(kit: memkit.Memkit, work: Work) -> None:
    """Words that come again in the tasks on a file tell what it is for."""
    work.task("src/session.py", say="expire login sessions")
    work.task("src/session.py", say="keep login sessions over midnight")
    kit.episodes.learn()
    (found,) = kit.episodes.learnings("file_purpose", "src/session.py")
    assert {"login", "sessions"} <= set(found.data["words"])
    assert found.data["reasons"] == ["as asked"]
    learned = kit.episodes._patterns
    learned.set_active(found, active=False)
    work.task("src/session.py", say="login sessions again")
    kit.episodes.learn()
    assert kit.episodes.learnings("file_purpose", "src/session.py") == []
    assert len(learned.learnings(active=False)) == 1


# -- sequences


def test_sequences_of_tools(kit: memkit.Memkit, work: Work) -> None:
    """Tools used in the same order in three tasks are a pattern; learning again keeps the count."""

    def tools(task: Any) -> None:
        for tool in ("Grep", "Read", "Edit"):
            task.tool(tool, {"path": "a.py"}, success=True)

    for _ in range(3):
        work.task(tools)
    kit.episodes.learn()
    (found,) = kit.episodes.patterns("sequence")
    assert found.data["steps"] == ["Grep", "Read", "Edit"]
    work.task("x.py")
    kit.episodes.learn()
    assert kit.episodes.patterns("sequence")[0].observed == 3


def test_longer_sequences_hold_the_shorter() -> None:
    """Of a sequence and its parts, seen in the same tasks, only the longest is told."""
    tasks = {f"t{n}": ("a", "b", "c", "d") for n in range(3)}
    assert list(pattern_mining.repeated(tasks)) == [("a", "b", "c", "d")]
    assert pattern_mining.repeated({"t1": ("a", "b", "c")}) == {}
    assert pattern_mining.collapsed(["a", "a", "b", "a"]) == ("a", "b", "a")


# -- confidence and refusals


@given(st.integers(0, 500), st.integers(0, 500))
def test_wilson_lies_below_the_share(held: int, failed: int) -> None:
    """The bound lies between 0 and the share, rises with what held and falls with what did not."""
    bound = wilson(held, failed)
    assert 0 <= bound <= (held / (held + failed) if held else 0)
    assert wilson(held + 1, failed) > bound or bound == 0
    assert wilson(held, failed + 1) <= bound
    assert wilson(2 * held, 2 * failed) >= bound


def test_unknown_kinds_are_refused(kit: memkit.Memkit) -> None:
    """A kind that there is not is an error that lists those there are."""
    with pytest.raises(memkit.InvalidInput, match="co-edit"):
        kit.episodes.patterns("nonsense")
    with pytest.raises(memkit.InvalidInput, match="file_purpose"):
        kit.episodes.learnings("nonsense")
    learned = kit.episodes._patterns
    with pytest.raises(memkit.NotFound, match="no pattern 7"):
        learned.get(7)
    gone = Learning(7, "s", "file_purpose", "x.py", {}, 1.0, 1, "", "", (), 1, None)
    with pytest.raises(memkit.NotFound, match="no learning 7"):
        learned.set_active(gone, active=False)


def test_secrets_in_patterns_are_masked(kit: memkit.Memkit) -> None:
    """What a pattern keeps passes the filter as everything else does."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" * 2
    learned = kit.episodes._patterns
    sighting = Sighting(
        PatternType.ERROR_FIX, ["x"], {"error": secret, "files": []}, kit._store.now()
    )
    kit._store.write(lambda: learned.see(sighting))
    kit._store.write(
        lambda: learned.learn(
            LearningType.COMMON_ERROR, "k", {"message": secret},
            session="s", held=2, at=kit._store.now(),
        )
    )  # fmt: skip
    kit.close()
    assert secret.encode() not in kit.path.read_bytes()


def test_nothing_to_learn_writes_nothing(
    kit: memkit.Memkit, work: Work, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Learning at the end of every session takes no lock where no task has ended."""
    work.task("a.py", "b.py")
    kit.episodes.learn()
    monkeypatch.setattr(type(kit._store), "write", None)
    assert kit.episodes.learn().tasks == 0
    monkeypatch.undo()


@given(st.dictionaries(st.sampled_from("abcdef"), st.lists(st.integers(0, 2_000), min_size=1)))
def test_pairs_of_a_task_are_found_in_one_pass(seconds: dict[str, list[int]]) -> None:
    """Files changed within five minutes of each other are found in one walk through time."""
    changed = {path: [timestamps.from_epoch(at) for at in ats] for path, ats in seconds.items()}
    found = list(pattern_mining._near(changed))
    assert len(found) == len(set(found))
    assert set(found) == {
        (one, other)
        for one, other in combinations(sorted(seconds), 2)
        if min(abs(a - b) for a in seconds[one] for b in seconds[other]) <= 300
    }
