"""What comes in has one form, whether it is written or asked for: text, time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

import pytest

import memkit

HALF = "t\ud83d"
Open = Callable[..., memkit.Memkit]


@pytest.fixture
def new_york(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A machine west of Greenwich."""
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_time_without_a_zone_is_local(new_york: None, make_kit: Open) -> None:
    """A datetime as `datetime.now()` gives it, and ISO text without an offset, are local: for
    writing, asking and recording."""
    kit = make_kit()
    now = datetime.fromtimestamp(kit._store.clock())
    soon = now + timedelta(hours=1)
    for until in (soon, soon.isoformat()):
        memory = kit.memories.remember(f"The gate is open until {until!r}.", valid_to=until).memory
        assert memory.valid_to == "2026-03-01T11:00:00.000Z"
    assert len(kit.recall("is the gate open?", min_score=0)) == 2
    assert not kit.memories.find({"created_at": {"$gt": now}})
    assert len(kit.memories.find({"created_at": {"$gte": now}})) == 2
    kit.episodes.record({"tool": "x", "session": "s", "at": now, "output": "y"})
    assert kit.episodes.tool_executions(since=now)[0].timestamp == "2026-03-01T10:00:00.000Z"


def test_half_a_character_is_stored_and_found_by_itself(kit: memkit.Memkit) -> None:
    """Whatever field it stands in, what was said with a lone surrogate is found with it."""
    fields = {"key": HALF, "value": HALF, "qualifier": HALF, "session": HALF, "task": HALF}
    made = kit.memories.remember("A tagged one.", tags=[HALF], source=HALF, **fields)
    for name in ("tags", "key", "value", "qualifier", "session", "task", "source"):
        assert [memory.id for memory in kit.memories.find({name: HALF})] == [made.id], name
    assert [hit.id for hit in kit.recall(HALF, tags=HALF, min_score=0)] == [made.id]
    assert kit.memories.untag(made, HALF).tags == ()
    assert kit.memories.forget(made, reason=HALF)[0].inactive_reason == "t\ufffd"


def test_questions_take_half_a_character_that_was_recorded(kit: memkit.Memkit) -> None:
    """Events with a lone surrogate in any text or key are kept; no question raises for one."""
    episodes = kit.episodes
    call = {"tool": HALF, "session": HALF, "parameters": {HALF: {HALF: 1}}, "output": HALF}
    for event in (
        {"event": "task", "description": HALF, "session": HALF, "task": HALF},
        call,
        {**call, "success": False, "error": HALF},
        {"path": HALF, "operation": "edit", "session": HALF},
    ):
        assert episodes.record(event).status == "stored"
    assert len(episodes.tool_executions(session=HALF)) == 2
    assert len(episodes.tool_executions(tool=HALF)) == 2
    assert episodes.find_errors(HALF)
    assert episodes.task(HALF).description == "t\ufffd"
    episodes.find_file_interactions(HALF), episodes.failed_attempts(HALF), episodes.predict(HALF)
    episodes.session_summary(HALF), episodes.redundant_call(HALF, HALF, {HALF: HALF})
    kit.recall(HALF, session=HALF, near=HALF, project=HALF, task=HALF)
    kit.codegraph.index()
    graph = kit.codegraph
    for ask in (graph.find_symbol, graph.callers, graph.callees, graph.references, graph.impact):
        ask_quietly(ask)
    for ask in (graph.file_contents, graph.outline, graph.dependencies, graph.dependents):
        ask_quietly(ask)
    graph.find_relevant_to_query(HALF), graph.map(HALF)
    assert episodes.purge(session=HALF) > 0


def ask_quietly(ask: Callable[[str], object]) -> None:
    """Ask for a name that nothing has."""
    try:
        ask(HALF)
    except memkit.NotFound:
        return


FORMS = ("./src/a.py", "src\\a.py", "src//a.py", "src/a.py/", "src/./b/../a.py", "{root}/src/a.py")


@pytest.mark.parametrize("form", FORMS)
def test_one_file_has_one_path_however_it_is_written(kit: memkit.Memkit, form: str) -> None:
    """Memories, code graph and episodes write and ask by the same normaliser."""
    root = kit._store.path.parent
    written = form.format(root=root)
    (root / "src").mkdir()
    (root / "src" / "a.py").write_text("def rate():\n    return 1\n")
    made = kit.memories.remember("Rates are fixed.", about=written, file_paths=["src/a.py"])
    assert [anchor.path for anchor in made.memory.about] == ["src/a.py"]
    for asked in (written, "src/a.py", "src/../src/a.py", f"{root}/src/a.py"):
        assert [memory.id for memory in kit.memories.find(about=asked)] == [made.id]
        assert [memory.id for memory in kit.memories.find(file_paths=asked)] == [made.id]
    kit.codegraph.index()
    assert [node.name for node in kit.codegraph.file_contents(written)] == ["rate"]
    with kit.session("s") as session, session.task("rates") as task:
        task.file(written, "edit")
        task.file("src/a.py", "edit")
    assert kit.episodes.file_history(written).changes == 2


def test_session_on_windows_has_the_files_of_its_folder(kit: memkit.Memkit) -> None:
    """Paths below the folder of a session on another machine are those of the repository."""
    with kit.session("w", root="C:\\work\\app") as session:
        session.file("C:\\work\\app\\src\\a.py", "edit")
        session.file("c:\\Work\\app\\src\\a.py", "edit")
    assert kit.episodes.file_history("src/a.py").changes >= 0
