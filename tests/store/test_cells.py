"""One wrong cell of one row never takes the rest of the file with it."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import hypothesis
import hypothesis.strategies as st
import pytest

import memkit
from memkit.encoder import HashedEncoder
from memkit.store.table_queries import Table, tables
from tests.conftest import Clock
from tests.store import shell

# Values as another program may put them there; SQLite refuses some for some columns.
VALUES: tuple[object, ...] = (
    "cast(x'6f6bff' as text)",
    "cast(x'ff' as text)",
    "''",
    "'soon'",
    "'5'",
    "'{}'",
    "'[1, null]'",
    """'["a", {"b": []}]'""",
    """'{"steps": 7, "files": 3}'""",
    "9e999",
    "-9e999",
    "-1",
    "0",
    "9223372036854775807",
    "null",
    "x'00ff'",
)
# Tables that nothing below fills: rows by hand.
FILLING = (
    "insert into settings values ('recall.limit', '5', '2026-03-01T10:00:00.000Z')",
    "insert into local_settings values ('x.y', '5', '2026-03-01T10:00:00.000Z')",
    "insert into memory_aliases select 77, id, created_at from memories limit 1",
    "insert into surfaced_global values ('s', 77, '2026-03-01T10:00:00.000Z')",
    "insert into session_learnings (id, session_id, learning_type, signature, key, data,"
    " confidence, first_seen, last_seen, evidence, updated_at)"
    " select 7, 's', learning_type, 'a', 'kiln.py',"
    ' \'{"purpose": "x"}\', 0.5, created_at, created_at, \'[{"session": "s"}]\', created_at'
    " from memories, (select 'file_purpose' as learning_type) limit 1",
    "insert into predictions (id, timestamp, session_id, signal, subject, kind, predicted, source,"
    " weight) select 9, created_at, 's', 'file', 'kiln.py', 'file', 'glaze.py', 'co-edit', 0.5"
    " from memories limit 1",
    "insert into prediction_weights select 'file', 'co-edit', 1, 2, 1, created_at"
    " from memories limit 1",
    "insert into source_readings select id, 'a.md', 'a', 'b', 'c', created_at from memories"
    " limit 1",
)


def filled(path: Path) -> None:
    """Make a store with a row in every permanent table."""
    with memkit.open(path, clock=Clock(), encoder=HashedEncoder(64), global_store=False) as kit:
        memories = kit.memories
        first = memories.remember("The kiln is fired on Fridays.", tags=["clay"], about="kiln.py")
        second = memories.remember(
            "The kiln is fired on Mondays.", supersedes=first, reason="it moved", snippet="so it is"
        )
        memories.remember("the kiln is fired on the Mondays")
        memories.remember(key="kiln colour", value="red", qualifier="barn", season="spring")
        memories.remember(
            "Never open the hot kiln.",
            kind="negative",
            trigger_patterns=["open the kiln"],
            file_paths=["kiln.py"],
            valid_from="2026-01-01",
            valid_to="2027-01-01",
            artifacts=[("commit", "abc123")],
        )
        memories.remember(
            "Fire it.", procedure=memkit.Procedure(steps=("load", "heat"), name="fire")
        )
        other = memories.remember("Glazes are mixed by hand.")
        memories.contradict(other, second)
        memories.update(other, "Glazes are mixed by machine.")
        memories.purge(memories.remember("A secret of the potter's."))
        with kit.session("s", agent="claude") as session:
            with session.task("fire the kiln", name="t") as task:
                for success in (False, True):
                    task.tool(
                        "pytest", {"args": ["-k"]}, success=success, output="x", error="Hot: 30 s"
                    )
                task.file("kiln.py", "edit", reason="too hot", line_range=(1, 2))
                task.file("glaze.py", "edit")
                task.snapshot([{"path": "kiln.py", "tokens": 5}], total_tokens=5)
                task.finish("fired")
            with session.task("glaze the pots", name="u") as task:
                task.file("kiln.py", "edit")
                task.file("glaze.py", "edit")
        kit.context.task("v").add_tool_output("kiln", "1200 °C", stage="firing")
        kit.context.project().add_failure("the pots cracked", "Heat slowly.", code="crack")
        kit.episodes.flush()
        kit.episodes.learn()
        kit.session("s").tool("Grep", {}, output="kiln.py: warm\nglaze.py: cold")
        kit.episodes.predict("kiln.py")
        kit.recall("when is the kiln fired?", session="s", min_score=0)
        kit.recall("who is the mayor of the town?", session="s")
        kit.consolidation.used(other)
    for statement in FILLING:
        shell.run(path, statement)


def ask(kit: memkit.Memkit) -> None:
    """Ask what can be asked."""
    for question in (
        "when is the kiln fired?",
        "open the kiln",
        "kiln colour?",
        "pytest Hot: 30 s",
    ):
        kit.recall(question, min_score=0, near="kiln.py")
    kit.recall("what did we do last week?", session="s", since="last week")
    kit.recall("kiln", as_of="2026-02-01", history=True)
    memories = kit.memories
    for memory in memories.find(history=True):
        memories.edges(memory), memories.details(memory)
        kit.recall(memory.text, min_score=0)
    memories.find({"created_at": {"$gte": "2026-01-01"}}, order_by="created_at")
    memories.count(tags="clay"), memories.tags(), memories.contradictions(history=True)
    memories.find(as_of="2026-03-02"), memories.stale()
    episodes = kit.episodes
    episodes.unfinished_tasks(), episodes.tasks(), episodes.sessions(), episodes.tool_executions()
    episodes.tool_stats(), episodes.file_history("kiln.py"), episodes.co_edits("kiln.py")
    episodes.find_file_interactions("hot"), episodes.hot_files()
    episodes.find_similar_tasks("fire the kiln"), episodes.owners("kiln.py"), episodes.patterns()
    episodes.learnings(), episodes.predict("kiln.py"), episodes.find_errors()
    episodes.failed_attempts("kiln.py"), episodes.session_summary(), episodes.learn()
    context = kit.context
    context.task("v").stage_outputs("firing"), context.project().failures("crack")
    context.global_scope().preferences(), context.package(task="v", head_tail=1)
    kit.gaps(), kit.stats(), kit.trim(), kit.scrub()


@st.composite
def cells(draw: st.DrawFn) -> tuple[Table, str, object]:
    """A column of a permanent table, and a value for it in one row."""
    table = draw(st.sampled_from(list(tables().values())))
    return table, draw(st.sampled_from(table.columns)), draw(st.sampled_from(VALUES))


def broken(path: Path, table: str, column: str, value: object) -> bool:
    """Set a cell of one row of a table; return whether SQLite takes the value."""
    key = ", ".join(tables()[table].key)
    statement = (
        f"update {table} set {column} = {value} where ({key}) = (select {key} from {table} limit 1)"
    )
    with closing(sqlite3.connect(path)) as connection, connection:
        try:
            connection.execute(statement)
        except sqlite3.Error:
            return False
    return True


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with a row in every permanent table."""
    path = tmp_path_factory.mktemp("cells") / "template.db"
    filled(path)
    return path


@hypothesis.given(cell=cells())
@hypothesis.settings(suppress_health_check=list(hypothesis.HealthCheck), max_examples=15)
def test_any_cell_of_any_value_leaves_every_question_answered(
    template: Path, tmp_path: Path, cell: tuple[Table, str, str]
) -> None:
    """Whatever another program wrote into one cell: all questions answer, before and after a
    repair."""
    table, column, value = cell
    path = tmp_path / ".memkit.db"
    shutil.copy(template, path)
    hypothesis.assume(broken(path, table.name, column, value))
    with memkit.open(path, clock=Clock(), encoder=HashedEncoder(64), global_store=False) as kit:
        ask(kit)
        kit.check(repair=True)
        ask(kit)


@pytest.mark.parametrize(
    ("table", "column", "value"),
    [
        ("memories", "text", "cast(x'6b696c6eff' as text)"),
        ("memories", "created_at", "'soon'"),
        ("memories", "valid_to", "cast(x'ff' as text)"),
        ("task_history", "description", "cast(x'ff' as text)"),
        ("sessions", "session_id", "cast(x'73ff' as text)"),
        ("anchors", "noted_at", "'soon'"),
        ("anchors", "path", "cast(x'ff' as text)"),
        ("gaps", "best_score", "9e999"),
        ("prediction_weights", "weight", "-9e999"),
    ],
)
def test_cell_nobody_can_read_is_named_and_mended(
    template: Path, tmp_path: Path, table: str, column: str, value: str
) -> None:
    """`check` names the row, also after a question; its repair puts what can be read there."""
    path = tmp_path / ".memkit.db"
    shutil.copy(template, path)
    assert broken(path, table, column, value)
    with memkit.open(path, clock=Clock(), encoder=HashedEncoder(64), global_store=False) as kit:
        assert "The kiln is fired on Mondays." in [memory.text for memory in kit.memories.find()]
        details = [problem.detail for problem in kit.check().problems if problem.name == "cell"]
        assert any(detail.startswith(f"{table}.{column} of ") for detail in details)
        kit.check(repair=True)
        assert kit.check().is_sound


@pytest.mark.parametrize(
    ("column", "value"),
    [("trigger_patterns", "'{}'"), ("file_paths", "'[1, null]'"), ("procedure", "'[1, 2]'")],
)
def test_json_of_another_shape_is_set_aside_with_a_note(
    template: Path, tmp_path: Path, column: str, value: str
) -> None:
    """The memory comes without what cannot be read, and a note says which it is."""
    path = tmp_path / ".memkit.db"
    shutil.copy(template, path)
    assert broken(path, "memories", column, value)
    with memkit.open(path, clock=Clock(), encoder=HashedEncoder(64), global_store=False) as kit:
        memories = kit.memories.find(history=True)
        (odd,) = [memory for memory in memories if memory.faults]
        assert odd.faults == (column,)
        assert any(f"memory {odd.id}: {column}" in note for note in memories.notes)
        hits = kit.recall("when is the kiln fired?", min_score=0, history=True)
        assert any(f"memory {odd.id}: {column}" in note for note in hits.notes)
        (problem,) = kit.check().problems
        assert f"memory {odd.id}: {column}" in problem.detail
        assert f"set {column} to" in problem.detail
