"""A map of the repository within a budget of tokens."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import memkit
from memkit import tokens


@pytest.fixture
def code(kit: memkit.Memkit, tmp_path: Path) -> Path:
    """Twenty modules that lean on one, and one with a long class."""
    (tmp_path / "core.py").write_text(
        "class Engine:\n    def start(self, key: str) -> bool:\n        return True\n\n\n"
        "def build() -> Engine:\n    return Engine()\n"
    )
    for number in range(20):
        (tmp_path / f"part_{number:02}.py").write_text(
            f"from core import build\n\n\ndef use_{number:02}():\n    build().start('k')\n"
        )
    methods = "".join(
        f"    def step_{n}(self, value):\n        return value\n\n" for n in range(60)
    )
    (tmp_path / "painting.py").write_text(f"class Canvas:\n{methods}")
    kit.codegraph.index()
    return tmp_path


def test_without_a_question_what_is_leaned_on_comes_first(kit: memkit.Memkit, code: Path) -> None:
    """The file that the others use is first, with the signatures of what they use."""
    found = kit.codegraph.map(budget=200)
    lines = found.text.splitlines()
    assert found.files[0] == lines[0] == "core.py"
    assert "  6: def build() -> Engine" in lines
    assert "  2: Engine: def start(self, key: str) -> bool" in lines


def test_repo_map_ranks_tests_behind_code(kit: memkit.Memkit, code: Path, tmp_path: Path) -> None:
    """However many tests lean on it, a file of tests stands behind what they test."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "helpers.py").write_text("def made():\n    return 1\n")
    for number in range(30):
        (tmp_path / "tests" / f"test_{number:02}.py").write_text(
            f"from tests.helpers import made\n\n\ndef test_{number}():\n    assert made()\n"
        )
    files = kit.codegraph.map(budget=2_000).files
    assert files[0] == "core.py"
    assert files.index("painting.py") < files.index("tests/helpers.py")


def test_a_question_ranks_the_files(kit: memkit.Memkit, code: Path) -> None:
    """With a question the file that deals with it is first, its symbols that are meant too."""
    found = kit.codegraph.map("step_7 of the canvas paints wrong", budget=120)
    assert found.files[0] == "painting.py"
    assert "Canvas: def step_7(self, value)" in found.text


def test_it_says_what_did_not_fit(kit: memkit.Memkit, code: Path) -> None:
    """A small map names fewer files, counts the rest, and one too small is empty."""
    small, large = kit.codegraph.map(budget=30), kit.codegraph.map(budget=2_000)
    assert len(small.files) < len(large.files)
    assert small.left_out > 0
    nothing = kit.codegraph.map(budget=1)
    assert (nothing.text, nothing.tokens, nothing.files) == ("", 0, ())
    with pytest.raises(memkit.InvalidInput, match="budget: found 0"):
        kit.codegraph.map(budget=0)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(budget=st.integers(1, 400), question=st.sampled_from(["", "canvas step", "use engine"]))
def test_the_budget_holds(kit: memkit.Memkit, code: Path, budget: int, question: str) -> None:
    """Whatever the budget, the text as it is rendered is not above it."""
    found = kit.codegraph.map(question, budget=budget)
    assert found.tokens == tokens.count(found.text) <= budget
    assert len(set(found.files)) == len(found.files)
