"""Runs of consolidation: planned, applied as a whole, logged, taken back, and convergent."""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable
from itertools import count, pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import memkit
from memkit.consolidation import consolidation
from memkit.encoder import HashedEncoder
from memkit.errors import InvalidInput, NotFound
from memkit.store import changesets
from memkit.store.tables import tables
from tests.conftest import Clock
from tests.store import shell

Open = Callable[..., memkit.Memkit]

# Logs, and what is noted of the run itself.
LOGS = {
    *("audit", "change_counters", "consolidation_runs", "consolidation_changes", "pair_verdicts"),
    *("local_settings", "withdrawn_tags"),
}
TEXTS = ("Tests run with ninja -j 8", "We run ninja with -j 8 for tests")


def rows(kit: memkit.Memkit) -> dict[str, list[tuple[Any, ...]]]:
    """Every shared and local row, but the logs."""
    return {name: kit._store.all(f"tables.{name}_rows") for name in tables().keys() - LOGS}


def found(kit: memkit.Memkit) -> list[tuple[Any, ...]]:
    """What search reads of memories: texts and vectors."""
    connection = kit._store._file._opened.connection
    words = list(connection.execute("select * from search_documents order by id"))
    return words + list(connection.execute("select * from embeddings order by memory_id, chunk"))


def fill(kit: memkit.Memkit) -> list[int]:
    """Thirty memories, three of which say what others say; return the ids."""
    ids = [kit.memories.remember(f"Valve {n} is turned {n} times.").id for n in range(24)]
    for n in range(3):
        ids.append(kit.memories.remember(f"Pump {n} feeds the valves of hall {n}.", tags=["p"]).id)
        ids.append(kit.memories.remember(f"Pumps {n} feed the valve of halls {n}.", tags=["q"]).id)
    kit.memories.link(ids[-1], ids[0], "relates_to", weight=0.3)
    kit.consolidation.used(ids[-1])
    return ids


def test_a_dry_run_changes_not_a_byte(kit: memkit.Memkit) -> None:
    """It says what would be done, with ids and reasons, and the file stays as it is."""
    fill(kit)
    before = kit.path.read_bytes()
    planned = kit.consolidate(dry_run=True)
    assert kit.path.read_bytes() == before
    assert (planned.run, planned.dry_run, planned.counts["deduped"]) == (None, True, 3)
    assert kit.consolidate().changes == planned.changes


def test_the_log_lists_each_change(kit: memkit.Memkit) -> None:
    """Which memory, into which, by which run and why; by memory and by run too."""
    ids = fill(kit)
    report = kit.consolidate()
    changes = kit.consolidation.audit()
    assert [(c.memory_id, c.other_id) for c in changes] == [
        (c.memory_id, c.other_id) for c in report.changes
    ]
    assert all(c.reason and c.run == report.run and c.state == "applied" for c in changes)
    assert len(kit.consolidation.audit(memory=ids[-1])) == 1
    assert kit.consolidation.audit(run=1) == []
    (run,) = kit.consolidation.runs()
    assert (run.id, run.is_undoable, dict(run.counts)) == (report.run, True, {"deduped": 3})


def test_the_log_is_readable_in_a_plain_shell(kit: memkit.Memkit) -> None:
    """sqlite3 alone reads runs and changes."""
    fill(kit)
    kit.consolidate()
    assert shell.run(kit.path, "select count(*), min(action) from consolidation_changes") == [
        (3, "merge")
    ]
    assert shell.run(kit.path, "select state from consolidation_runs") == [("applied",)]


def test_undo_restores_every_row(kit: memkit.Memkit) -> None:
    """Ids, times, edges, wordings, use, words and vectors are as they were; it is not merged
    again."""
    fill(kit)
    before, words = rows(kit), found(kit)
    kit.consolidate()
    assert rows(kit) != before
    undone = kit.consolidation.undo("last")
    assert (rows(kit), found(kit)) == (before, words)
    assert undone.left_alone == ()
    assert kit.consolidate().run is None
    assert kit.consolidation.runs()[0].state == "undone"


def test_undo_leaves_alone_what_changed_since(kit: memkit.Memkit, clock: Clock) -> None:
    """A memory that was changed after the run stays as it is, and is named; the rest comes back."""
    ids = fill(kit)
    run = kit.consolidate().run
    assert run is not None
    clock.advance(hours=1)
    kit.memories.update(ids[-2], importance=0.8)  # the run changed nothing of that
    kit.consolidation.used(ids[-1])
    undone = kit.consolidation.undo(run)
    assert ("memories", (ids[-1],)) in undone.left_alone
    assert undone.notes == (f"memory {ids[-1]} was changed after the run and stays as it is",)
    assert kit.memories.get(ids[-1]).strength == 4
    back = kit.memories.get(ids[-2])
    assert (back.is_current, back.importance) == (True, 0.8)


def test_undo_by_number_and_of_what_is_not_there(kit: memkit.Memkit, clock: Clock) -> None:
    """An older run can be named; one that is unknown or undone is an error that says so."""
    with pytest.raises(NotFound, match="no run"):
        kit.consolidation.undo("last")
    fill(kit)
    first = kit.consolidate().run
    clock.advance(days=1)
    for text in TEXTS:
        kit.memories.remember(text)
    second = kit.consolidate().run
    assert kit.consolidation.undo(first).run == first
    with pytest.raises(InvalidInput, match="was undone"):
        kit.consolidation.undo(first)
    assert kit.consolidation.undo("last").run == second
    with pytest.raises(NotFound, match="no run and no feedback has the number 5"):
        kit.consolidation.undo(5)


def test_hundred_memories_converge(kit: memkit.Memkit) -> None:
    """Twice is once, and a paraphrase of a merged one strengthens the survivor."""
    for n in range(20):
        kit.memories.remember(f"Sensor {n} reports to hub {n} by radio.")
        kit.memories.remember(f"Sensors {n} report to the hubs {n} by radio.")
    for n in range(60):
        kit.memories.remember(f"Lamp {n} hangs over desk {n}.")
    assert kit.consolidate().counts["deduped"] == 20
    assert [kit.consolidate().run for _ in range(2)] == [None, None]
    strength = {memory.id: memory.strength for memory in kit.memories.find(limit=200)}
    again = kit.memories.remember("The sensors 7 report to hubs 7 by radio.")
    assert again.memory.strength == strength[again.id] + 1
    assert kit.consolidate().run is None
    superseded = {m.superseded_by for m in kit.memories.find(history=True, limit=200)} - {None}
    assert all(kit.memories.get(number).is_current for number in superseded)


def test_a_plan_is_made_again_if_somebody_wrote(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was changed between plan and write counts: here one of two was pinned and reworded."""
    ids = [kit.memories.remember(text).id for text in TEXTS]
    once = count()
    planning = consolidation.STEPS[0].plan

    def plan(environment: Any) -> Any:
        planned = planning(environment)
        if next(once) == 0:
            shell.run(kit.path, f"update memories set author = 'ann' where id = {ids[1]}")
        return planned

    step = consolidation.STEPS[0]
    other = type(step)(step.name, step.action, plan, step.apply)
    monkeypatch.setattr(consolidation, "STEPS", (other,))
    assert kit.consolidate().run is None
    assert kit.memories.get(ids[1]).is_current


def test_a_step_that_fails_leaves_nothing(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """All of a run is written or nothing: an error in its midst takes it all back."""
    fill(kit)
    before = rows(kit)
    step, calls = consolidation.STEPS[0], count()

    def apply(environment: Any, record: Any) -> None:
        step.apply(environment, record)
        if next(calls) == 1:
            raise RuntimeError("power cut")

    other = type(step)(step.name, step.action, step.plan, apply)
    monkeypatch.setattr(consolidation, "STEPS", (other,))
    with pytest.raises(RuntimeError, match="power cut"):
        kit.consolidate()
    assert rows(kit) == before
    assert kit.consolidation.runs() == []


@pytest.mark.disk
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_kill_leaves_nothing_or_all(make_kit: Open, tmp_path: Path) -> None:
    """A process that dies in the middle of a run leaves the file as it was before."""
    with make_kit("killed.db") as kit:
        fill(kit)
        before = rows(kit)
    if not (child := os.fork()):
        step, calls = consolidation.STEPS[0], count()

        def apply(environment: Any, record: Any) -> None:
            step.apply(environment, record)
            if next(calls) == 1:
                os._exit(9)

        consolidation.STEPS = (type(step)(step.name, step.action, step.plan, apply),)  # type: ignore[assignment]
        with memkit.open(
            tmp_path / "killed.db", global_store=False, encoder=HashedEncoder(64)
        ) as kit:
            kit.consolidate()
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
    with make_kit("killed.db") as kit:
        assert rows(kit) == before
        assert kit.check().is_sound
        assert kit.consolidate().counts["deduped"] == 3


def test_without_sessions_a_run_says_that_it_stands(
    kit: memkit.Memkit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A SQLite that was built without them merges all the same; undo says what to do instead."""
    ids = fill(kit)
    monkeypatch.setattr(changesets, "is_available", lambda: False)
    report = kit.consolidate()
    assert report.counts["deduped"] == 3
    assert "cannot be undone" in report.notes[0]
    assert kit.consolidation.runs()[0].state == "final"
    with pytest.raises(InvalidInput, match="memkit restore"):
        kit.consolidation.undo("last")
    kit.memories.restore(ids[-1])
    assert kit.consolidate().run is None


def test_what_was_restored_by_hand_is_not_merged_again(kit: memkit.Memkit) -> None:
    """Who brings one back says that it is another."""
    first, second = (kit.memories.remember(text) for text in TEXTS)
    kit.consolidate()
    kit.memories.restore(second)
    assert kit.consolidate().run is None
    assert kit.memories.get(first).is_current


@pytest.mark.parametrize("steps", [[], ["dream"], "dream", [5]], ids=str)
def test_an_unknown_step_is_refused(steps: Any, kit: memkit.Memkit) -> None:
    """A step that is none is named with those there are; none at all is no way to say none."""
    with pytest.raises(InvalidInput, match="steps"):
        kit.consolidate(steps=steps)


# -- purge and scrub


def test_a_purge_reaches_what_undoes_a_run(kit: memkit.Memkit) -> None:
    """The text of a merged memory that is purged is nowhere: not with its survivor, not in what
    was kept to undo the run, which undoes the rest."""
    fill(kit)
    first, second = (kit.memories.remember(text, snippet=f"said as {text}") for text in TEXTS)
    kit.consolidate()
    kit.memories.purge(second)
    assert kit.memories.details(first).paraphrases == ()
    assert kit.consolidation.audit(memory=second) == []
    kit.consolidation.undo("last")
    kit.close()
    assert b"We run ninja" not in kit.path.read_bytes()


def test_a_purge_of_all_leaves_a_run_that_stands(kit: memkit.Memkit) -> None:
    """Of a run of which nothing is left nothing can be undone, and that is said."""
    ids = [kit.memories.remember(text).id for text in TEXTS]
    kit.consolidate()
    kit.memories.purge(ids)
    assert kit.consolidation.runs()[0].state == "final"
    with pytest.raises(InvalidInput, match="cannot be undone"):
        kit.consolidation.undo("last")


def test_a_scrub_reaches_what_undoes_a_run(kit: memkit.Memkit) -> None:
    """A secret that an older memkit let in goes from there too."""
    secret = "gh" + "p_" + "a1B2" * 9
    for text in ("Vault doors open with XYZ.", "Vault door opens with XYZ."):
        kit.memories.remember(text)
    shell.run(kit.path, f"update memories set text = replace(text, 'XYZ', '{secret}')")
    assert kit.consolidate().counts["deduped"] == 1
    assert kit.scrub().rows > 2
    kit.close()
    assert secret.encode() not in kit.path.read_bytes()


# -- laws

# Few statements in several forms, so that many of them meet.
_TEXTS = st.builds(
    "The {} of hall {} {} the {}{}".format,
    st.sampled_from(["pump", "pumps"]),
    st.sampled_from("34"),
    st.sampled_from(["feed", "feeds", "never feed"]),
    st.sampled_from(["valve", "valves"]),
    st.sampled_from(["", ", always"]),
)
_KINDS = st.sampled_from(["fact", "fact", "fact", "preference", "negative"])
_SAID = st.sampled_from(["stated", "inferred"])
_MEMORIES = st.lists(
    st.tuples(_TEXTS, _KINDS, _SAID, st.booleans(), st.integers(0, 200)), max_size=14
)


def _store(folder: str, name: str, clock: Clock, drafts: list[Any]) -> memkit.Memkit:
    kit = memkit.open(
        Path(folder) / name, clock=clock, global_store=False, encoder=HashedEncoder(16)
    )
    for text, kind, provenance, pinned, days in drafts:
        kit.memories.remember(
            text, kind=kind, provenance=provenance, pinned=pinned, at=clock() - days * 86_400,
            tags=[text[:3]],
        )  # fmt: skip
    ids = [memory.id for memory in kit.memories.find(limit=50)]
    for src, dst in pairwise(ids):
        kit.memories.link(src, dst, "relates_to")
    return kit


@settings(max_examples=25)
@given(_MEMORIES)
def test_undo_is_the_inverse_and_twice_is_once(drafts: list[Any]) -> None:
    """Of any store: consolidate and undo give every row back, consolidate twice is once."""
    with tempfile.TemporaryDirectory() as folder, _store(folder, "a.db", Clock(), drafts) as kit:
        before = rows(kit)
        if kit.consolidate().run is None:
            assert rows(kit) == before
            return
        after = rows(kit)
        assert kit.consolidate().run is None
        assert rows(kit) == after
        protected = [m for m in kit.memories.find(history=True, limit=50) if m.pinned]
        assert all(memory.is_current for memory in protected)
        undone = {_deed(change) for change in kit.consolidation.audit(limit=10_000)}
        kit.consolidation.undo("last")
        assert rows(kit) == before
        again = {_deed(change) for change in kit.consolidate().changes}
        assert not {deed for deed in again & undone if deed[0] not in ("summarise", "compress")}
        assert kit.check().is_sound


def _deed(change: memkit.PlannedChange | memkit.ConsolidationChange) -> tuple[str, int, int | None]:
    """Return what was done to which memories."""
    return change.action, change.memory_id, change.other_id


@settings(max_examples=15)
@given(_MEMORIES, _MEMORIES)
def test_merging_consolidated_stores_loses_nothing(left: list[Any], right: list[Any]) -> None:
    """Every text of two stores is there once they are joined, as a memory or a wording, and what
    stood for others is not replaced by one of them."""
    clock = Clock()
    with (
        tempfile.TemporaryDirectory() as folder,
        _store(folder, "a.db", clock, left) as ours,
        _store(folder, "b.db", clock, right) as theirs,
    ):
        ours.consolidate()
        theirs.consolidate()
        archive = io.StringIO()
        theirs.export(archive)
        texts = {m.text for kit in (ours, theirs) for m in kit.memories.find(history=True)}
        archive.seek(0)
        ours.import_(archive)
        there = {memory.text for memory in ours.memories.find(history=True)}
        memories = ours.memories.find(history=True)
        there |= {text for m in memories for text in ours.memories.details(m).paraphrases}
        assert texts <= there
        assert ours.check().is_sound
