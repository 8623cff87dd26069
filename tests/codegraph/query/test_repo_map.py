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


def test_core_is_on_every_map_and_examples_come_last(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A large file that many use is shown first; a helper that examples copy stands behind all
    code, however often they use it; documents in between."""
    body = "".join(
        f"def step_{n}(value):\n    return [\n        value\n    ]\n\n" for n in range(90)
    )
    files = {"src/core.py": body, "README.md": "# Core\n" + "Text.\n" * 500}
    for n in range(12):
        files[f"src/part_{n:02}.py"] = f"from core import step_{n}\n\nX = step_{n}({n})\n"
        files[f"src/part_{n:02}.py"] += f"\n\ndef part_{n}():\n    return X\n"
    for kind in ("examples", "tests", "demo"):
        files[f"{kind}/helpers.py"] = "def helper():\n    return 1\n" * 200
        for n in range(30):
            files[f"{kind}/try_{n:02}.py"] = "from helpers import helper\n\nhelper()\n"
    for path, text in files.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    kit.codegraph.index()
    for budget in (60, 300, 1_000, 3_000, 30_000):
        assert kit.codegraph.map(budget=budget).files[0] == "src/core.py"
    whole = kit.codegraph.map(budget=30_000).files
    assert set(whole[:13]) == {path for path in files if path.startswith("src/")}
    assert whole[13] == "README.md"


def test_map_is_filled_and_counts_every_file_that_is_not_on_it(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """More than sixty files, and more than forty symbols of one, are shown where there is room."""
    for n in range(150):
        (tmp_path / f"unit_{n:03}.py").write_text(f"def unit_{n}(value):\n    return value + {n}\n")
    methods = "".join(f"    def step_{n}(self):\n        return {n}\n\n" for n in range(80))
    (tmp_path / "large.py").write_text(f"class Large:\n{methods}")
    kit.codegraph.index()
    for budget in (300, 1_000, 2_000):
        drawn = kit.codegraph.map(budget=budget)
        assert budget - 20 < drawn.tokens <= budget
        assert len(drawn.files) + drawn.left_out == 151
    drawn = kit.codegraph.map(budget=20_000)
    assert (len(drawn.files), drawn.left_out) == (151, 0)
    assert len(drawn.text.splitlines()) == 151 + 150 + 81
    asked = kit.codegraph.map("the units", budget=500)
    assert len(asked.files) + asked.left_out == 150


def test_tests_inside_a_file_stand_behind_what_they_test(
    kit: memkit.Memkit, tmp_path: Path
) -> None:
    """Structs and traits come first; a module of tests, however large, and its tests last."""
    tests = "".join(
        f"    #[test]\n    fn works_{n}() {{\n        go();\n    }}\n" for n in range(40)
    )
    (tmp_path / "lib.rs").write_text(
        "pub struct Point {\n    x: u32,\n}\n\npub trait Draw {\n    fn draw(&self);\n}\n\n"
        "pub fn go() -> Point {\n    Point { x: 1 }\n}\n\nconst EDGE: u32 = 1;\n\n"
        f"#[cfg(test)]\nmod tests {{\n    use super::*;\n{tests}}}\n"
    )
    kit.codegraph.index()
    text = kit.codegraph.map(budget=40).text
    assert "Point" in text
    assert "Draw" in text
    assert "tests" not in text
    assert "tests" in kit.codegraph.map(budget=2_000).text
