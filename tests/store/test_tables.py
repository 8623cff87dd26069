"""Permanent tables: row queries follow the schema by themselves, one wrong cell spoils no other."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import apsw
import hypothesis
import hypothesis.strategies as st
import pytest

import memkit
from memkit.encoder import HashedEncoder
from memkit.errors import StoreError
from memkit.store import schema
from memkit.store.tables import Table, _queries, _table, reading_queries, tables
from tests.conftest import Clock
from tests.store import shell


def test_every_table_says_which_kind_it_is() -> None:
    """Shared and local tables are told apart by the first words of their definition."""
    kinds = {name: table.kind for name, table in tables().items()}
    assert kinds["memories"] == kinds["tombstones"] == "shared"
    assert kinds["usage"] == kinds["audit"] == kinds["change_counters"] == "local"
    assert set(kinds.values()) == {"shared", "local"}


def test_columns_that_hold_json_are_known() -> None:
    """Filters that look into JSON learn from the schema where it stands."""
    assert tables()["memories"].json_columns == {
        "file_paths",
        "trigger_patterns",
        "procedure",
    }


def test_a_row_read_can_be_written_and_removed(kit: memkit.Memkit) -> None:
    """`rows`, `put` and `drop` of a table fit each other, single-column tables included."""
    store = kit._store
    kit.memories.remember("rows are copied whole", tags=["copy"])
    for table in tables().values():
        for row in store.records(f"tables.{table.name}_rows"):
            store.write(lambda t=table, r=row: store.run(f"tables.{t.name}_put", **r))
            if table.name != "change_counters":  # moves on with every write
                assert row in store.records(f"tables.{table.name}_rows")
    (tag,) = store.records("tables.tags_rows")
    (edge,) = store.records("tables.edges_rows")
    store.write(lambda: store.run("tables.tags_drop", id=tag["id"]))
    assert store.records("tables.tags_rows") == []
    store.write(lambda: store.run("tables.tags_put", **tag))
    assert store.records("tables.edges_rows") == [edge]


def test_queries_that_read_are_told_from_those_that_change() -> None:
    """Only reading ones are offered to whoever may only read."""
    reading = reading_queries()
    assert {"tables.memories_rows", "memories.counts"} <= reading.keys()
    assert not {"tables.memories_put", "memories.delete", "tables.tags_drop"} & reading.keys()


def test_a_table_without_a_kind_is_refused() -> None:
    """A schema that forgets the kind of a table fails by name."""
    memory = apsw.Connection(":memory:")
    schema.run_script(memory, "create table odd (id integer primary key)")
    with pytest.raises(StoreError, match="odd does not say its kind"):
        _table(memory, "odd", "create table odd (id integer primary key)")
    memory.close()


def test_a_table_that_is_all_key_keeps_its_row() -> None:
    """A table with nothing but key columns is written without a clause that changes nothing."""
    table = Table("pairs", "shared", ("a", "b"), ("a", "b"), frozenset(), {})
    put = {query.name: query.sql for query in _queries(table)}["tables.pairs_put"]
    assert put.endswith("do nothing")


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
