"""Whoever joins whom gets the same bytes, and joining again changes nothing."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import memkit
from tests.conftest import Clock
from tests.interchange.archives import exported

MakeKit = Callable[..., memkit.Memkit]
Act = Callable[[memkit.Memkit, random.Random], object]
SAID = (
    "Deploys go through Argo.",
    "deploys go through the Argo",
    "The kiln is fired on Fridays",
    "Use tabs",
)


def _any(kit: memkit.Memkit, chosen: random.Random) -> memkit.Memory:
    found = kit.memories.find(history=True)
    return chosen.choice(found) if found else kit.memories.remember("The gate is green").memory


ACTS: tuple[Act, ...] = (
    lambda kit, r: kit.memories.remember(r.choice(SAID), tags=r.choice([(), ("x",), ("y",)])),
    lambda kit, r: kit.memories.remember(r.choice(SAID), reason=f"because {r.randrange(9)}"),
    lambda kit, r: kit.memories.remember(
        r.choice(SAID) + r.choice(["", " really"]), source="README.md#a", provenance="extracted"
    ),
    lambda kit, r: kit.memories.remember(key="port", value=r.choice("12")),
    lambda kit, r: kit.memories.update(_any(kit, r), f"{r.choice(SAID)} {r.randrange(3)}"),
    lambda kit, r: (kit.memories.pin if r.random() < 0.6 else kit.memories.unpin)(_any(kit, r)),
    lambda kit, r: kit.memories.tag(_any(kit, r), r.choice("pq")),
    lambda kit, r: kit.memories.forget(_any(kit, r)),
    lambda kit, r: kit.memories.remember(_any(kit, r).text),
)


@pytest.mark.no_cover
@pytest.mark.parametrize("seed", range(12))
def test_merging_in_either_direction_gives_the_same_store(
    make_kit: MakeKit, clock: Clock, seed: int
) -> None:
    """Two stores that went apart are the same store after either has joined the other."""
    chosen = random.Random(seed)
    branches = make_kit("a.db"), make_kit("b.db")
    for _ in range(chosen.randint(0, 2)):
        branches[0].memories.remember(chosen.choice(SAID))
        clock.advance(seconds=1)
    branches[1].import_(branches[0].path)
    for _ in range(chosen.randint(3, 10)):
        clock.advance(seconds=chosen.choice([1, 3, 50]))
        chosen.choice(ACTS)(chosen.choice(branches), chosen)
    one, other = make_kit("one.db"), make_kit("other.db")
    for kit, branch, joined in ((one, *branches), (other, *branches[::-1])):
        kit.import_(branch.path)
        kit.import_(joined.path)
    assert exported(one) == exported(other)
    before = exported(one)
    for again in (*branches, other):
        one.import_(again.path)
    assert exported(one) == before
