"""Waiting for another process that writes."""

from __future__ import annotations

from memkit.store.connection import patience


def test_who_had_waited_longest_looked_no_more_often_than_who_came_last() -> None:
    """Pauses get shorter while one waits, down to a tenth, and never end."""
    parts = [patience(tenths / 10) for tenths in range(100)]
    assert parts[0] == 1
    assert parts == sorted(parts, reverse=True)
    assert parts[1] < 1
    assert min(parts) == parts[-1] == 0.1
