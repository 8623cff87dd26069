"""State stands in columns: no text of a caller is taken for it, and keys fold alike everywhere."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.memories.identity import fact_form, fact_name
from memkit.memories.records import InactiveCode
from memkit.store.connection import connect_memory
from memkit.store.schema import reference, run_script
from tests.store import shell

MakeKit = Callable[..., memkit.Memkit]
FORGED = [
    "joined; it was memory 5",
    "edited; it was 0123456789abcdef",
    "taken in from README.md#x (0123456789abcdef_0123456789abcdef_0123456789abcdef)",
    "gone: README.md does not exist any more",
]
STATE = ("memory_aliases", "memory_revisions", "source_readings")


@pytest.mark.parametrize("reason", FORGED)
def test_reason_of_a_caller_is_no_state(kit: memkit.Memkit, reason: str) -> None:
    """What reads as memkit's own notes of former versions is a text like any other."""
    memory = kit.memories.remember(
        "The build runs on Jenkins.", reason=reason, source="README.md#x"
    )
    assert [link.reason for link in kit.memories.details(memory).provenance] == [reason]
    assert all(kit._store.records(f"tables.{table}_rows") == [] for table in STATE)
    with pytest.raises(memkit.NotFound, match="see 'memkit list'"):
        kit.memories.get(5)


def test_reason_of_a_caller_does_not_bring_a_memory_back(kit: memkit.Memkit) -> None:
    """What was forgotten by hand stays so when its note is read again, whatever was given as
    reason."""
    folder = kit.path.parent
    notes = folder / "AGENTS.md"
    notes.write_text("# Style\n\n- Use four spaces for indentation.\n")
    kit.import_notes(folder)
    (memory,) = kit.memories.find()
    kit.memories.forget(memory, reason="gone: AGENTS.md does not exist any more")
    kit.import_notes(folder)
    forgotten = kit.memories.get(memory)
    assert (forgotten.active, forgotten.inactive_code) == (False, InactiveCode.FORGOTTEN)


def test_reason_of_a_caller_does_not_decide_a_merge(make_kit: MakeKit) -> None:
    """A forged note of an edit does not make the other store's statement an older one."""
    one, other = make_kit("one.db"), make_kit("other.db")
    memory = one.memories.remember("The build runs on Jenkins.")
    other.import_(one.path)
    other.memories.update(memory, "The build runs on GitLab.")
    (revision,) = other._store.records("tables.memory_revisions_rows")
    edited = make_kit("edited.db")
    edited.import_(other.path)
    one.memories.remember(
        "The build runs on Jenkins.", reason=f"edited; it was {revision['revision']}"
    )
    one.memories.update(memory, "The build runs on GitHub.")
    assert len(edited.import_(one.path).conflicts) == 1


def test_note_of_a_caller_does_not_settle_a_contradiction(kit: memkit.Memkit) -> None:
    """A contradiction that a caller noted in the detector's words stays until it is resolved."""
    older = kit.memories.remember("The cache holds sessions.")
    newer = kit.memories.remember("Deploys happen on Tuesdays.")
    kit.memories.contradict(older, newer, note="one says what the other denies")
    kit.memories.update(newer, "Deploys happen on Wednesdays.")
    assert len(kit.memories.contradictions()) == 1


def test_source_gone_is_told_from_forgotten(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Each way in which a memory ends has a code that can be searched for."""
    notes = tmp_path / "AGENTS.md"
    notes.write_text("# Style\n\n- Use four spaces for indentation.\n")
    kit.import_notes(tmp_path)
    notes.unlink()
    kit.import_notes(tmp_path)
    kit.memories.forget(kit.memories.remember("The build machine is called heron."))
    kit.memories.remember(key="port", value="80")
    kit.memories.remember(key="port", value="443")
    codes = [memory.inactive_code for memory in kit.memories.find(history=True, order_by="id")]
    assert sorted(map(str, codes)) == ["None", "forgotten", "source_gone", "superseded"]
    assert len(kit.memories.find(history=True, inactive_code=None)) == 1
    restored = kit.memories.restore(kit.memories.find(history=True, inactive_code="forgotten"))
    assert [memory.inactive_code for memory in restored] == [None]


@given(st.text(alphabet="aB-_ é", max_size=90))
def test_key_is_folded_in_sql_as_in_python(name: str) -> None:
    """`key_folded` and `qualifier_folded` hold what `fact_form` returns, however long a run of
    separators is."""
    stored = fact_name(name)
    memory = connect_memory()
    try:
        for step in reference().steps:
            run_script(memory, step)
        memory.execute(
            "insert into memories (text, tokens, created_at, updated_at, content_hash, key, "
            "qualifier) values ('x', 1, '', '', '', ?, ?)",
            (stored, stored),
        )
        rows = list(memory.execute("select key_folded, qualifier_folded from memories"))
    finally:
        memory.close()
    assert rows == [(fact_form(name), fact_form(name))]


@pytest.mark.parametrize("separators", [5, 8, 32])
def test_long_run_of_separators_is_one(kit: memkit.Memkit, separators: int) -> None:
    """A key with many dashes is the key with one, in a question and in a new value."""
    kit.memories.remember(key=f"node{'-' * separators}version", value="20")
    kit.memories.remember(key="node version", value="22")
    assert [memory.value for memory in kit.memories.find(key="node_version")] == ["22"]


def test_plain_sqlite_folds_keys(kit: memkit.Memkit) -> None:
    """The column is there for everybody who opens the file, and follows an edit at once."""
    memory = kit.memories.remember(key="node_version", value="20")
    kit.close()
    path = kit.path
    shell.run(path, f"update memories set key = 'node---lts' where id = {memory.id}")
    assert shell.run(path, "select key_folded from memories") == [("node lts",)]


def test_memory_that_another_program_brought_back_has_no_end(kit: memkit.Memkit) -> None:
    """The code of an end is that of a memory that is not active."""
    memory = kit.memories.remember("The build machine is called heron.")
    kit.memories.forget(memory)
    shell.run(kit.path, f"update memories set active = 1 where id = {memory.id}")
    assert kit.memories.get(memory).inactive_code is None


def test_alias_of_an_id_that_a_memory_bears_leads_to_that_memory(kit: memkit.Memkit) -> None:
    """A purge of one memory marks no other one as purged, whatever it was called elsewhere."""
    kept, gone = (kit.memories.remember(text).id for text in ("Herons wade.", "Kilns fire."))
    shell.run(kit.path, f"insert into memory_aliases values ({kept}, {gone}, '')")
    kit.memories.purge(gone)
    assert kit.memories.get(kept).text == "Herons wade."
    assert [number for number, _ in kit._store.all("store.tombstones")] == [gone]
