"""What happened stays true when the code is gone; what describes the code does not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.retrieval.code_context import tells_event

Make = Callable[..., memkit.Memkit]

EVENTS = [
    "we tried anyio in pump.py and went back to threads",
    "Tried anyio in pump.py, dropped it: cancelling leaks sockets",
    "Use attrs in rows.py because pydantic costs 40 ms at import",
    "pump.py was rewritten twice: the first version lost updates",
    "In May Ines moved the lock to guard.py",
    "Wir haben anyio in pump.py getestet und verworfen",
    "it crashed twice in loader.py under musl",
]
DESCRIPTIONS = [
    "pressure is compared in the gateway",
    "totals are cached in totals.py by currency",
    "retry.py feeds the queue and needs a lock",
    "the speed of parse.py is limited by the disk",
    "Shared state is guarded by lock.py",
    "embed.py needs 2 GB",
    "guard.py is used to sign uploads",
]
PUMP = "def prime(valve):\n    return valve + 1\n"


@pytest.mark.parametrize("text", EVENTS)
def test_what_happened_is_an_event(text: str) -> None:
    """Deeds in the past, and choices with their reason."""
    assert tells_event(text)


@pytest.mark.parametrize("text", DESCRIPTIONS)
def test_what_is_so_is_no_event(text: str) -> None:
    """Participles of what is, and words that only end like a past."""
    assert not tells_event(text)


def built(make_kit: Make, folder: Path) -> memkit.Memkit:
    """Return a kit beside a tree of two files, one of which memories are about."""
    folder.mkdir()
    (folder / "pump.py").write_text(PUMP, encoding="utf-8")
    (folder / "tank.py").write_text("LEVEL = 3\n", encoding="utf-8")
    kit = make_kit(folder / ".memkit.db")
    kit.codegraph.index(folder)
    return kit


def test_an_event_keeps_its_place_when_its_code_is_gone(make_kit: Make, tmp_path: Path) -> None:
    """Of two memories about a deleted file the description loses, the event does not; both say
    that the file is gone."""
    kit = built(make_kit, tmp_path / "plant")
    tried = kit.memories.remember(
        "we tried priming the valve twice and dropped it", about="pump.py"
    )
    tells = kit.memories.remember("priming the valve is done once", about="pump.py::prime")
    (tmp_path / "plant" / "pump.py").unlink()
    found = {hit.id: hit for hit in kit.recall("priming the valve", min_score=0)}
    assert "stale" not in found[tried.id].parts
    assert found[tells.id].parts["stale"] < 0
    assert [a.state for a in found[tried.id].memory.about] == ["gone"]
    assert found[tried.id].reasons[-1].startswith("gone: ")


def test_a_copy_without_its_tree_knows_nothing_of_the_code(make_kit: Make, tmp_path: Path) -> None:
    """Where the file alone was copied, what it is about is unknown, not gone, and costs nothing."""
    kit = built(make_kit, tmp_path / "plant")
    made = kit.memories.remember("priming the valve is done once", about="pump.py::prime")
    kit.memories.remember("the tank level is three", about="tank.py")
    (before, *_) = kit.recall("priming the valve", min_score=0)
    kit.close()
    alone = tmp_path / "elsewhere"
    alone.mkdir()
    shutil.copy(tmp_path / "plant" / ".memkit.db", alone / ".memkit.db")
    copy = make_kit(alone / ".memkit.db")
    for _ in range(2):  # the first may be answered before the graph has followed
        (hit, *_) = copy.recall("priming the valve", min_score=0)
        assert hit.id == made.id
        assert hit.score == pytest.approx(before.score, abs=0.01)
        assert [place.state for place in hit.memory.about] == ["unknown"]
    assert not copy.memories.stale()
