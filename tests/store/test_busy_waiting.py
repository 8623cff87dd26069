"""Waiting for another process that writes."""

from __future__ import annotations

from memkit.store.connection import patience


def test_longest_waiting_process_polls_most_often() -> None:
    """Pauses get shorter while one waits, down to a tenth, and never end."""
    parts = [patience(tenths / 10) for tenths in range(100)]
    assert parts[0] == 1
    assert parts == sorted(parts, reverse=True)
    assert parts[1] < 1
    assert min(parts) == parts[-1] == 0.1
