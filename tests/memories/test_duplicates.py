"""What hangs on a duplicate reaches the memory that stands for it, and comes back on undo."""

from __future__ import annotations

import memkit
from memkit.memories.records import Procedure

STEPS = Procedure(("vault seal", "vault open"), name="open the vault")


def links(kit: memkit.Memkit) -> list[tuple[int, int, int]]:
    """Return the links that were discovered."""
    return sorted((a, b, times) for a, b, times, *_ in kit._store.all("consolidation_links.links"))


def link(kit: memkit.Memkit, a: int, b: int, times: int) -> None:
    """Let two memories have proved useful together."""
    pair = {"memory_a": min(a, b), "memory_b": max(a, b), "times": times, "weight": 0.4}
    kit._store.write(
        lambda: kit._store.run("consolidation_links.put_link", **pair, last_at=kit._store.now())
    )


def test_outcomes_reach_the_survivor_and_come_back(kit: memkit.Memkit) -> None:
    """A procedure that is merged brings how it fared, counted once; undo gives it back."""
    a, b = (
        kit.memories.remember(text, procedure=STEPS, provenance="inferred")
        for text in ("Vault doors open with a badge.", "Vault door opens with a badge.")
    )
    kit.consolidation.note_outcome(a, "succeeded")
    kit.consolidation.note_outcome(b, "failed", step=2, note="no badge")
    before = [kit.memories.get(memory).outcomes for memory in (a, b)]
    (change,) = kit.consolidate(steps="merge").changes
    survivor, duplicate = kit.memories.get_many([change.other_id or 0, change.memory_id])
    assert {(r.step, r.succeeded, r.failed) for r in survivor.outcomes} >= {(None, 1, 0), (2, 0, 1)}
    assert not [r for r in duplicate.outcomes if r.succeeded or r.failed]
    kit.consolidation.undo("last")
    assert [kit.memories.get(memory).outcomes for memory in (a, b)] == before


def test_links_reach_the_survivor_and_come_back(kit: memkit.Memkit) -> None:
    """Those of both to a third one are added; the one between the two stays as it was."""
    a = kit.memories.remember("Vault doors open with a badge.").id
    b = kit.memories.remember("Vault door opens with a badge.").id
    third, fourth = (
        kit.memories.remember(text).id for text in ("Badges are green.", "Ask Ada first.")
    )
    for one, other, times in ((a, b, 5), (a, third, 1), (b, third, 2), (b, fourth, 3)):
        link(kit, one, other, times)
    before = links(kit)
    (change,) = kit.consolidate(steps="merge").changes
    assert (change.memory_id, change.other_id) == (b, a)
    assert {(a, third, 3), (a, fourth, 3)} <= {*links(kit)}
    assert {*before} - {*links(kit)} == {(a, third, 1)}
    kit.consolidation.undo("last")
    assert links(kit) == before
