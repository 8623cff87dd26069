"""What `remember` says of what it did: what was written where, and what it is at odds with."""

from __future__ import annotations

import pytest

import memkit


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Logs go to stderr.", "Logs go to stdout."),
        ("The release is on Tuesday.", "The release is on Thursday."),
        ("Features branch from main.", "Features branch from develop."),
        ("Der Dienst läuft auf Linux.", "Der Dienst läuft nicht auf Linux."),
        ("The freeze begins in March.", "The freeze begins in April."),
    ],
)
def test_opposite_statement_is_told_with_the_ids(
    packaged: memkit.Memkit, first: str, second: str
) -> None:
    """Both are kept, and the answer names what the new one cannot be true with."""
    old = packaged.memories.remember(first)
    assert old.contradicts == ()
    new = packaged.memories.remember(second)
    assert new.contradicts == (old.id,)
    (pair,) = packaged.memories.contradictions()
    assert {pair.memory_a, pair.memory_b} == {old.id, new.id}
    assert packaged.memories.remember(second).contradicts == (old.id,)
    packaged.memories.resolve(new, old, "a_wins")
    assert packaged.memories.remember(second).contradicts == ()


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Logs go to stderr.", "Metrics go to stdout."),
        ("The release is on Tuesday.", "The review is on Thursday."),
        ("The bridge goes over water.", "The bridge goes over land."),
        ("Der Dienst läuft auf Linux.", "Der Dienst läuft auf Windows."),
    ],
)
def test_different_statement_is_no_opposite(kit: memkit.Memkit, first: str, second: str) -> None:
    """Words of one kind, said of other things, deny nothing."""
    kit.memories.remember(first)
    assert kit.memories.remember(second).contradicts == ()


def test_facts_that_differ_in_a_secret_are_not_one(kit: memkit.Memkit) -> None:
    """Both become the same marker; which was meant nobody can tell, so both stay."""
    first = kit.memories.remember("admin password for staging: A1b2c3!x9")
    second = kit.memories.remember("admin password for staging: Z9y8w7!q4")
    assert (second.outcome, second.redacted) == ("stored", ("password",))
    assert first.id != second.id
    assert second.file == kit._store.path
    forgotten = kit.memories.forget(second)
    assert [memory.active for memory in forgotten] == [False]
    assert kit.memories.get(str(first.id)).id == first.id
