"""Whole-row queries follow the schema by themselves."""

from __future__ import annotations

import apsw
import pytest

import memkit
from memkit.errors import StoreError
from memkit.store import schema, table_queries


def test_every_table_says_which_kind_it_is() -> None:
    """Shared and local tables are told apart by the first words of their definition."""
    kinds = {name: table.kind for name, table in table_queries.tables().items()}
    assert kinds["memories"] == kinds["tombstones"] == "shared"
    assert kinds["usage"] == kinds["audit"] == kinds["change_counters"] == "local"
    assert set(kinds.values()) == {"shared", "local"}


def test_columns_that_hold_json_are_known() -> None:
    """Filters that look into JSON learn from the schema where it stands."""
    assert table_queries.tables()["memories"].json_columns == {
        "file_paths",
        "trigger_patterns",
        "procedure",
    }


def test_a_row_read_can_be_written_and_removed(kit: memkit.Memkit) -> None:
    """`rows`, `put` and `drop` of a table fit each other, single-column tables included."""
    store = kit._store
    kit.memories.remember("rows are copied whole", tags=["copy"])
    for table in table_queries.tables().values():
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
    reading = table_queries.reading_queries()
    assert {"tables.memories_rows", "memories.counts"} <= reading.keys()
    assert not {"tables.memories_put", "memories.delete", "tables.tags_drop"} & reading.keys()


def test_a_table_without_a_kind_is_refused() -> None:
    """A schema that forgets the kind of a table fails by name."""
    memory = apsw.Connection(":memory:")
    schema.run_script(memory, "create table odd (id integer primary key)")
    with pytest.raises(StoreError, match="odd does not say its kind"):
        table_queries._table(memory, "odd", "create table odd (id integer primary key)")
    memory.close()


def test_a_table_that_is_all_key_keeps_its_row() -> None:
    """A table with nothing but key columns is written without a clause that changes nothing."""
    table = table_queries.Table("pairs", "shared", ("a", "b"), ("a", "b"), frozenset(), {})
    put = {query.name: query.sql for query in table_queries._queries(table)}["tables.pairs_put"]
    assert put.endswith("do nothing")
