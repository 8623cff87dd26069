"""Memories that supersede themselves, alone or in a circle, are told of and can be revived."""

from __future__ import annotations

import pytest

import memkit


@pytest.mark.parametrize("length", [1, 2, 5])
def test_supersession_cycle_is_reported_and_repaired(kit: memkit.Memkit, length: int) -> None:
    """An answer that such a circle empties says so, `check` names the rows, and repair revives one
    of them, the latest."""
    ids = [kit.memories.remember(f"the sluice {n} opens at noon").id for n in range(length)]
    with kit._store.hurried():
        for at, number in enumerate(ids):
            successor = ids[(at + 1) % length]
            kit._store.write(
                lambda n=number, by=successor: kit._store.run(
                    "memories.set_superseded", id=n, by=by, until=None, at=kit._store.now()
                )
            )
    found = kit.recall("when does the sluice open?")
    assert not found
    (note,) = found.notes
    assert f"{length} memories that match are superseded by themselves or in a circle" in note
    assert f"memory {ids[0]}" in note
    (problem,) = [p for p in kit.check().problems if p.name == "superseded_by"]
    assert all(str(number) in problem.detail for number in ids)
    kit.check(repair=True)
    assert [hit.id for hit in kit.recall("when does the sluice open?", min_score=0)] == [ids[-1]]
    assert not [p for p in kit.check().problems if p.name == "superseded_by"]


def test_what_is_superseded_by_what_holds_is_no_circle(kit: memkit.Memkit) -> None:
    """A chain that ends says nothing."""
    old = kit.memories.remember("the sluice opens at noon")
    kit.memories.remember("the sluice opens at dawn", supersedes=old.id)
    assert kit.recall("sluice", min_score=0).notes == ()
    assert not kit.check().problems
