"""Ids sort by time, fit 52 bits, and no two writers make the same one."""

from __future__ import annotations

from collections.abc import Callable

import memkit
from memkit.store.ids import IdSource, id_second, name_id

NOON = 1_772_359_200


class Table:
    """A table of ids as an IdSource sees it."""

    def __init__(self) -> None:
        self.rows: set[int] = set()

    def highest(self, first: int, last: int) -> int | None:
        """The largest row in a range."""
        return max((row for row in self.rows if first <= row <= last), default=None)

    def source(self, entropy: bytes = b"\0\0\0", at: float = NOON) -> IdSource:
        """A writer of this table whose clock stands still."""
        return IdSource(lambda: at, self.highest, lambda count: entropy[:count])

    def add(self, source: IdSource) -> int:
        """Write one row; fails if its id is taken."""
        new = source.new()
        assert new not in self.rows
        self.rows.add(new)
        return new


def test_ids_are_consecutive_and_fit_52_bits() -> None:
    """Inside one second each id is the last plus one; the second can be read off it."""
    table = Table()
    source = table.source(b"\xff\xff\xff", at=2**32 - 1)
    ids = [table.add(source) for _ in range(100)]
    assert ids == list(range(ids[0], ids[0] + 100))
    assert max(ids) < 1 << 52
    assert {id_second(number) for number in ids} == {2**32 - 1}


def test_two_writers_that_start_at_the_same_id_never_collide() -> None:
    """Writers with the same entropy in the same second take turns without a clash."""
    table = Table()
    one, other = table.source(), table.source()
    ids = [table.add(source) for _ in range(50) for source in (one, other)]
    assert ids == sorted(ids)


def test_the_first_id_of_a_second_is_asked_for_in_that_second() -> None:
    """A writer that begins at the first id of a second sees another's rows of that second."""
    table = Table()
    table.rows.add(NOON << 20)
    assert table.add(table.source()) == (NOON << 20) + 1


def test_a_used_up_second_flows_into_the_next_without_a_clash() -> None:
    """When a second has no ids left, those of the next one that are taken are skipped."""
    table = Table()
    table.rows |= {((NOON + 1) << 20) - 1, (NOON + 1) << 20, ((NOON + 1) << 20) + 1}
    source = table.source()
    assert table.add(source) == ((NOON + 1) << 20) + 2
    assert table.add(source) == ((NOON + 1) << 20) + 3


def test_a_clock_that_goes_back_does_not_make_ids_go_back() -> None:
    """Ids of one writer only grow, whatever the clock does."""
    table, at = Table(), [float(NOON)]
    source = IdSource(lambda: at[0], table.highest, lambda count: b"\0" * count)
    before = table.add(source)
    at[0] -= 3600
    assert table.add(source) == before + 1
    at[0] += 7200
    assert id_second(table.add(source)) == NOON + 3600


def test_names_have_the_same_negative_id_everywhere() -> None:
    """Two machines make the same node for the same name, apart from every row id."""
    assert name_id("tag", "build") == name_id("tag", "build") < 0
    assert name_id("tag", "build") != name_id("cluster", "build")
    assert name_id("tag", "build") > -(1 << 53)
    assert name_id("tag", "build") == -2432280628757321


def test_a_purged_id_is_not_given_out_again(make_kit: Callable[..., memkit.Memkit]) -> None:
    """An id whose row was deleted for good stays used, in another process and second too."""
    kit = make_kit()
    gone = [kit.memories.remember(f"note {n} to be deleted").id for n in range(3)]
    kit.memories.purge(gone)
    fresh = IdSource(
        kit._store.clock,
        lambda first, last: kit._store.value("memories.last_id", first=first, last=last),
        lambda count: (gone[0] & 0xFFFFF).to_bytes(3, "big"),
    )
    assert fresh.new() not in gone
