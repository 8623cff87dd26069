"""Nearest memories by the signs of their vectors, kept in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from memkit.memories.vector_signs import VectorSigns

if TYPE_CHECKING:
    from tests.conftest import MakeKit

SAID = [f"Lamp {n} of the harbour is lit by keeper {n % 7}." for n in range(40)]


def test_what_says_the_same_is_nearest_and_what_is_added_is_found(make_kit: MakeKit) -> None:
    """Signs are read once, and then those of new memories; a memory is not near to itself."""
    kit = make_kit(global_store=False)
    ids = [result.id for result in kit.memories.remember_many(SAID)]
    signs = VectorSigns(kit._store, kit._index)
    near = signs.nearest(ids[0], 5)
    assert len(near) == 5
    assert ids[0] not in near
    assert list(near.values()) == sorted(near.values(), reverse=True)
    twin = kit.memories.remember(SAID[0] + " Lamp lit.")
    assert twin.id not in ids
    assert next(iter(signs.nearest(ids[0], 5))) == twin.id
    assert signs.nearest(twin.id, 100).keys() == {*ids}


def test_a_memory_without_a_vector_has_none_near(make_kit: MakeKit) -> None:
    """An unknown number is no error: nothing is near to it."""
    kit = make_kit(global_store=False)
    assert VectorSigns(kit._store, kit._index).nearest(1, 5) == {}
