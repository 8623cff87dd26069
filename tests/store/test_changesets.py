"""Changesets: rows as they were, without what was purged, and never a way to run anything."""

from __future__ import annotations

import pytest

import memkit
from memkit.errors import InvalidInput
from memkit.store import changesets
from memkit.store.tables import tables
from tests.store import shell

TEXTS = ("Vault doors open with a badge.", "Vault door opens with a badge.")


def test_every_table_but_logs_is_watched() -> None:
    """What is shared, and what this machine knows of memories, comes back by undo."""
    watched = set(changesets.watched_tables())
    assert {name for name, table in tables().items() if table.kind == "shared"} <= watched
    assert {"usage", "surfaced", "gaps"} <= watched
    assert not {"audit", "consolidation_runs", "change_counters"} & watched


def test_work_that_changes_nothing_has_no_changeset(kit: memkit.Memkit) -> None:
    """Nothing to undo is None; what was changed and taken back is as it was."""
    store = kit._store
    number = kit.memories.remember(TEXTS[0]).id
    nothing = store.write(lambda: store.recorded(lambda: store.value("store.tombstones")))
    assert nothing == (None, None)

    def pin() -> None:
        store.run("memories.set_pinned", id=number, pinned=1, at=store.now())

    _, changeset = store.write(lambda: store.recorded(pin))
    assert changeset is not None
    result = store.write(lambda: store.take_back(changeset, gone=()))
    assert (result.rows, result.left_alone) == (1, ())
    assert not kit.memories.get(number).pinned


def test_rows_of_a_memory_are_taken_out(kit: memkit.Memkit) -> None:
    """The rest of the changeset stays; without any row there is none."""
    for text in TEXTS:
        kit.memories.remember(text)
    (change,) = kit.consolidate().changes
    (row,) = kit._store.all("store.changesets")
    rest = changesets.without(row[1], changesets.is_of({change.memory_id}))
    assert rest is not None
    assert len(rest) < len(row[1])
    assert changesets.without(row[1], lambda _name, _row: True) is None


@pytest.mark.parametrize("blob", ["00", "54", "ff" * 40])
def test_a_changeset_that_another_program_wrote_runs_nothing(blob: str, kit: memkit.Memkit) -> None:
    """Bytes that are none stop no scrub and no purge, and an undo by them is an error of ours."""
    ids = [kit.memories.remember(text).id for text in TEXTS]
    kit.consolidate()
    shell.run(kit.path, f"update consolidation_runs set changeset = x'{blob}'")
    before = kit.memories.find(history=True)
    with pytest.raises(InvalidInput, match="another program wrote what would undo it"):
        kit.consolidation.undo("last")
    assert kit.memories.find(history=True) == before
    assert [problem.name for problem in kit.check().problems] == ["changesets"]
    kit.memories.purge(ids[1])
    kit.scrub()
    assert kit.check().is_sound
    with pytest.raises(InvalidInput, match="cannot be undone"):
        kit.consolidation.undo("last")
