"""`import memkit` is cheap, and stays cheap for whoever asks by words alone.

A hook runs per tool call: a heavy package costs it more than everything else together.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import memkit
from tests.test_architecture import HEAVY

ROOT = Path(__file__).parent.parent
BY_WORDS = "recipe=Recipe(vectors=False, late_interaction=False)"


def heavy_after(code: str, *args: str) -> list[str]:
    """Run `code` in a fresh Python; return the heavy packages that it has loaded."""
    ending = f"import sys; print(*[name for name in {sorted(HEAVY)} if name in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", f"{code}\n{ending}", *args],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


def test_import_is_cheap() -> None:
    """`import memkit` loads none of the heavy packages."""
    assert heavy_after("import memkit") == []


def test_import_loads_little_else() -> None:
    """`import memkit` loads apsw, attrs and the standard library, nothing from elsewhere."""
    code = """
import sys
before = set(sys.modules)
import memkit
tops = {name.partition(".")[0] for name in set(sys.modules) - before}
odd = tops - sys.stdlib_module_names - {"memkit", "apsw", "attr", "attrs"}
assert not odd, odd
"""
    assert heavy_after(code) == []


def test_recall_by_words_is_cheap(kit: memkit.Memkit) -> None:
    """Opening a file and recalling without vectors loads numpy, in which the ranking reckons, and
    none of the other heavy packages: no model, no grammars."""
    stored = kit.memories.remember("Never retry a POST: uploads were doubled.", kind="negative")
    code = f"""
import sys
from memkit import Recipe, open
with open(sys.argv[1], readonly=True, global_store=False) as kit:
    hits = kit.recall("may I retry a POST?", min_score=0, {BY_WORDS})
    assert [hit.id for hit in hits] == [{stored.id}], hits
"""
    assert heavy_after(code, str(kit.store.path)) == ["numpy"]


@pytest.mark.parametrize(
    "code",
    [
        pytest.param("memkit.open(sys.argv[1]).close()", id="open"),
        pytest.param("memkit.open(sys.argv[1]).memories.find()", id="find"),
        pytest.param(
            "from memkit.tokens import estimate; estimate('so many words')", id="estimate"
        ),
        pytest.param(
            "from memkit.redaction import redact; redact('password = hunter2')", id="redact"
        ),
    ],
)
def test_small_work_is_cheap(code: str, kit: memkit.Memkit) -> None:
    """What a hook does besides asking loads none of the heavy packages."""
    assert heavy_after(f"import memkit, sys; {code}", str(kit.store.path)) == []
