"""Files of schema 4 become files of schema 5: no row is lost, and state leaves the texts."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.memories.records import InactiveCode
from tests.make_fixture import FIXTURES, STATEMENT

from . import shell

MakeKit = Callable[..., memkit.Memkit]
Rows = list[dict[str, Any]]
# Tables of schema 4 by the name they have now, and columns that were renamed.
RENAMED = {
    "wordings": "paraphrases",
    "surfaced_beside": "surfaced_global",
    "reconciled": "change_counters",
}
COLUMNS = {"wording_hash": "text_hash", "place": "position"}
# Filled anew by every opening, or by what another memkit has made.
MOVING = {"derived_parts", "reconciled"}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A copy of the file of schema 4 that was joined and had notes read again."""
    return Path(shutil.copy(FIXTURES / "v4-joined.memkit.db", tmp_path))


def tables_of(path: Path) -> dict[str, Rows]:
    """Return every row of every permanent table, read with plain sqlite3."""
    plain = sqlite3.connect(path)
    plain.row_factory = sqlite3.Row
    try:
        names = [
            name
            for name, sql in plain.execute("select name, sql from sqlite_schema where type='table'")
            if "( -- shared:" in sql or "( -- local:" in sql
        ]
        return {n: [dict(row) for row in plain.execute(f"select * from {n}")] for n in names}
    finally:
        plain.close()


def only(rows: Rows, names: set[str]) -> list[str]:
    """Return rows as sorted texts, with some columns only, in whatever order they stand."""
    return sorted(repr({n: row[n] for n in sorted(row.keys() & names)}) for row in rows)


@pytest.mark.parametrize("name", ["v4.memkit.db", "v4-joined.memkit.db"])
def test_upgrade_keeps_every_row(name: str, tmp_path: Path, make_kit: MakeKit) -> None:
    """Every row of every table is there after the upgrade, with every value."""
    path = Path(shutil.copy(FIXTURES / name, tmp_path))
    before = tables_of(path)
    make_kit(name).close()
    after = tables_of(path)
    for table in before.keys() - MOVING:
        rows = [{COLUMNS.get(n, n): v for n, v in row.items()} for row in before[table]]
        kept = after[RENAMED.get(table, table)]
        columns = {name for row in rows for name in row}  # later steps may add others
        assert only(kept, columns) == only(rows, columns), table
    assert before["reconciled"]
    assert after["change_counters"]


def test_upgrade_reads_state_out_of_texts(old: Path, make_kit: MakeKit) -> None:
    """Former ids, former statements, readings and what ended a memory stand in columns."""
    kit = make_kit(old.name)
    (alias,) = kit._store.records("tables.memory_aliases_rows")
    assert f"joined with memory {alias['memory_id']}" in _error(kit, alias["former_id"])
    assert len(kit._store.records("tables.memory_revisions_rows")) == 5
    readings = {row["source"] for row in kit._store.records("tables.source_readings_rows")}
    assert {source.partition("#")[0] for source in readings} == {"AGENTS.md", "CONTRIBUTING.md"}
    codes = {m.text: m.inactive_code for m in kit.memories.find(history=True) if not m.active}
    assert codes["The build machine is called heron."] is InactiveCode.FORGOTTEN
    assert codes["indent (typescript): two spaces"] is InactiveCode.SUPERSEDED
    assert codes["Style: Use four spaces for indentation."] is InactiveCode.SOURCE_GONE
    origins = {row["origin"] for row in kit._store.records("tables.contradictions_rows")}
    assert origins == {"stated", "detected"}
    assert kit.check().is_sound


def test_upgraded_file_reads_its_notes_as_before(old: Path, make_kit: MakeKit) -> None:
    """What a note says still is left alone, and what comes back in one is restored."""
    kit = make_kit(old.name)
    (old.parent / "AGENTS.md").write_text("# Deploy\n\n- Ship on Wednesdays.\n")
    (old.parent / "CONTRIBUTING.md").write_text("# Style\n\n- Use four spaces for indentation.\n")
    report = kit.import_notes(old.parent)
    assert (report.read, report.added, report.updated, report.unchanged) == (2, 0, 1, 1)
    assert kit.memories.find(text={"$contains": "four spaces for indentation"})


def test_old_file_with_rows_of_deleted_memories_is_upgraded(old: Path, make_kit: MakeKit) -> None:
    """What hangs on a memory that another program deleted is no reason to refuse the file."""
    number = shell.run(old, "select memory_id from wordings")[0][0]
    shell.run(old, f"delete from memories where id = {number}")
    shell.run(old, "insert into contradictions values (3, 4, '', null, null, null)")
    shell.run(old, "insert into usage (memory_id) values (3)")
    kit = make_kit(old.name)
    assert kit.check(repair=True).is_sound
    assert kit.check().is_sound


def test_old_file_opened_read_only_shows_state_and_stays(old: Path, make_kit: MakeKit) -> None:
    """A reader sees the state of an older file without a byte of it changing."""
    before = old.read_bytes()
    kit = make_kit(old.name, readonly=True)
    gone = kit.memories.find(inactive_code="source_gone", history=True)
    assert len(gone) == 2
    kit.close()
    assert old.read_bytes() == before


def _error(kit: memkit.Memkit, number: int) -> str:
    with pytest.raises(memkit.NotFound) as raised:
        kit.memories.get(number)
    return str(raised.value)


@pytest.mark.parametrize("name", ["v4.memkit.db", "v6.memkit.db"])
def test_statement_of_an_old_file_is_known_in_other_capitals(
    name: str, tmp_path: Path, make_kit: MakeKit
) -> None:
    """What makes two statements the same is computed anew when an older file is opened."""
    shutil.copy(FIXTURES / name, tmp_path)
    kit = make_kit(name)
    again = kit.memories.remember("NEVER RETRY A POST: UPLOADS WERE DOUBLED", kind="negative")
    assert again.outcome == "folded"
    assert kit.memories.get(again.id).text == STATEMENT
    assert kit.check().is_sound
