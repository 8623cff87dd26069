"""Exports of schema 4, whose state stood in texts: they are understood as a file of it is."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import memkit
from memkit.interchange.archive import archived_tables
from tests.make_fixture import FIXTURES

MakeKit = Callable[..., memkit.Memkit]
ARCHIVE = FIXTURES / "v4-joined.jsonl"


def rows_of(kit: memkit.Memkit) -> dict[str, list[dict[str, Any]]]:
    """Return every row of the tables that an export holds, but for the audit."""
    names = [table.name for table in archived_tables(local=True) if table.name != "audit"]
    return {name: kit._store.records(f"tables.{name}_rows") for name in names}


def test_old_export_gives_the_rows_of_the_upgraded_file(tmp_path: Path, make_kit: MakeKit) -> None:
    """An import of the export and the upgrade of the file end in the same rows."""
    shutil.copy(FIXTURES / "v4-joined.memkit.db", tmp_path)
    old = make_kit("v4-joined.memkit.db")
    assert old.check().is_sound  # what is computed from a text was made anew
    upgraded = rows_of(old)
    kit = make_kit("new.memkit.db")
    report = kit.import_(ARCHIVE)
    assert report.left_out == ()
    assert rows_of(kit) == upgraded
    assert upgraded["memory_aliases"]
    assert upgraded["source_readings"]
    assert kit.check().is_sound


def test_old_export_imported_again_changes_nothing(make_kit: MakeKit) -> None:
    """The second import of an older export finds everything there."""
    kit = make_kit("new.memkit.db")
    kit.import_(ARCHIVE)
    before = rows_of(kit)
    report = kit.import_(ARCHIVE)
    assert (report.added, report.updated, report.conflicts) == (0, 0, ())
    assert rows_of(kit) == before


def test_old_file_joins_a_store_of_today(tmp_path: Path, make_kit: MakeKit) -> None:
    """A store of schema 4 is joined as it lies, and keeps every byte."""
    old = tmp_path / "theirs.db"
    shutil.copy(FIXTURES / "v4-joined.memkit.db", old)
    before = old.read_bytes()
    kit = make_kit("new.memkit.db")
    kit.memories.remember("Tests never touch the network.")
    kit.import_(old)
    assert old.read_bytes() == before
    assert len(kit._store.records("tables.memory_aliases_rows")) == 2
    assert kit.check().is_sound


def test_damaged_row_of_an_old_export_is_named_by_its_line(
    tmp_path: Path, make_kit: MakeKit
) -> None:
    """What the upgrade does not take is refused as before, with the number of its line."""
    lines = ARCHIVE.read_text("utf-8").splitlines()
    place = next(n for n, line in enumerate(lines) if '"table":"provenance"' in line)
    lines[place] = lines[place].replace('"noted_at":"2026', '"noted_at":"soon 2026')
    damaged = tmp_path / "damaged.jsonl"
    damaged.write_text("\n".join(lines), "utf-8")
    kit = make_kit("new.memkit.db")
    with pytest.raises(memkit.InvalidInput, match=f"line {place + 1}: "):
        kit.import_(damaged)
