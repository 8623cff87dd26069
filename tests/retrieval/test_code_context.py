"""What predictions ask of the code graph and the memories."""

from __future__ import annotations

from pathlib import Path

import memkit
from memkit.retrieval.episode_surroundings import surroundings

CORE = "def run():\n    return 1\n\n\nclass Thing:\n    def stop(self):\n        return run()\n"
USER = "from core import Thing, run\n\n\ndef use():\n    run()\n    return Thing().stop()\n"


def test_links_and_symbols_of_the_code(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Files are linked both ways, by as many references as there are; symbols that are used most
    come first."""
    (tmp_path / "core.py").write_text(CORE, encoding="utf-8")
    (tmp_path / "user.py").write_text(USER, encoding="utf-8")
    kit.codegraph.index(tmp_path)
    around = surroundings(kit._store, kit.recall, kit.memories)
    assert set(around.links("user.py")) == {"core.py"}
    assert around.links("user.py") == {"core.py": around.links("core.py")["user.py"]}
    assert around.links("core.py")["user.py"] > 1
    assert around.links("nothing.py") == {}
    symbols = list(around.symbols(["core.py"]))
    assert ("core.py", "run") in symbols
    assert ("core.py", "Thing.stop") in symbols
    assert list(around.symbols(["nothing.py"])) == []


def test_memories_are_recalled(kit: memkit.Memkit) -> None:
    """What is known about a question comes with its score."""
    kit.memories.remember("Login sessions expire after ten minutes of rest.")
    around = surroundings(kit._store, kit.recall, kit.memories)
    found = list(around.memories("when do login sessions expire", []))
    assert [text for _, text, _ in found] == ["Login sessions expire after ten minutes of rest."]
    assert 0 < found[0][2] <= 1
    assert list(around.memories("", [])) == []
