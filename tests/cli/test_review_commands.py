"""The commands extract and review: candidates out of a text, and what becomes of them."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_commands(run: Run) -> None:
    """Extract with --remember, list, accept and reject."""
    run("remember", "The port is 8080.")
    done = run("extract", "Never retry a POST. From now on use uv.", "--remember", "--session", "s")
    assert done.code == 0
    assert "Never retry a POST." in done.out
    waiting = run("review", "--json").json
    first, second = (str(memory["id"]) for memory in waiting)
    assert "unconfirmed" in run("review").out
    assert run("review", "--accept", first, "--reject", second, "--reason", "no").code == 0
    assert run("review", "--json").json == []
    assert run("review", "--accept", first).code == 1
    assert run("extract").code == 2
