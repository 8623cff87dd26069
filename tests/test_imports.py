"""`import memkit` is cheap, and stays cheap for whoever asks by words alone.

A hook runs per tool call: a heavy package costs it more than everything else together.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import memkit
from tests.test_architecture import HEAVY

ROOT = Path(__file__).parent.parent


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
from memkit import open
from memkit.retrieval.records import RetrievalConfig
with open(sys.argv[1], readonly=True, global_store=False) as kit:
    kit._config = RetrievalConfig(vectors=False, late_interaction=False)
    hits = kit.recall("may I retry a POST?", min_score=0)
    assert [hit.id for hit in hits] == [{stored.id}], hits
"""
    assert heavy_after(code, str(kit.path)) == ["numpy"]


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
    assert heavy_after(f"import memkit, sys; {code}", str(kit.path)) == []


EVENT = b'{"event": "tool", "session": "s", "tool": "pytest", "output": "3 passed"}'


def loaded_by(arguments: list[str], folder: Path, *, stdin: bytes = b"") -> set[str]:
    """Run a command in a fresh Python; return the modules that it has loaded."""
    code = (
        "import sys; from memkit.cli.entry import main; code = main(sys.argv[1:]);"
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(ROOT), "MEMKIT_GLOBAL": str(folder / "global.db")},
        input=stdin,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return set(done.stderr.decode().split())


def parts_of(modules: set[str]) -> set[str]:
    """Return the packages and top modules of memkit among these."""
    return {name.split(".")[1] for name in modules if name.startswith("memkit.")}


def test_version_loads_the_entry_alone(tmp_path: Path) -> None:
    """`memkit --version` loads neither click nor SQLite nor attrs."""
    modules = loaded_by(["--version"], tmp_path)
    assert parts_of(modules) == {"cli", "errors"}
    assert not modules & {"apsw", "attrs", "click", *HEAVY}


def test_record_loads_what_records(kit: memkit.Memkit) -> None:
    """`memkit record` loads neither click nor what answers questions."""
    path = kit.path
    modules = loaded_by(["record", "--db", str(path)], path.parent, stdin=EVENT)
    assert parts_of(modules) <= {
        "cli", "episodes", "errors", "redaction", "store", "text", "validation",
    }  # fmt: skip
    assert not modules & {"attr", *HEAVY}
    assert kit.episodes.stats().executions == 1


@pytest.mark.parametrize("name", ["PreToolUse", "PostToolUse"])
def test_a_hook_loads_what_it_does(kit: memkit.Memkit, name: str) -> None:
    """A hook that guards or records loads neither attrs, whose classes take longer to make than
    what it does, nor what answers questions; the schema is known by its digest."""
    payload = {
        "session_id": "s",
        "hook_event_name": name,
        "tool_name": "Bash",
        "tool_input": {"command": "npm publish"},
        "tool_response": {"stdout": "3 passed"},
        "cwd": str(kit.path.parent),
    }
    kit.memories.remember("Never publish by hand.", kind="negative", trigger_patterns=["npm pub*"])
    told = json.dumps(payload).encode()
    modules = loaded_by(["hook", "--db", str(kit.path)], kit.path.parent, stdin=told)
    assert "memkit.agents.hooks" in modules
    assert not modules & {"attr", "click", "inspect", *HEAVY}
    assert not parts_of(modules) & {"codegraph", "context", "encoder", "interchange", "tokens"}


def test_recall_loads_what_ranks_memories(kit: memkit.Memkit) -> None:
    """`memkit recall` loads no code graph, episodes or notes where there are none, nor the other
    commands."""
    kit.memories.remember("Never retry a POST: uploads were doubled.", kind="negative")
    path = kit.path
    modules = loaded_by(["recall", "may I retry a POST?", "--db", str(path)], path.parent)
    assert not parts_of(modules) & {"codegraph", "episodes", "interchange", "maintenance", "tokens"}
    assert not modules & {"tiktoken", "tree_sitter", "onnxruntime", "pathspec"}
    commands = {name for name in modules if name.endswith(("_command", "_commands"))}
    assert commands == {"memkit.cli.query_commands"}
