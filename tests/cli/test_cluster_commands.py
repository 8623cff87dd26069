"""Commands about clusters, and about what is like a memory."""

from __future__ import annotations

from tests.cli.conftest import Run


def test_clusters_are_listed_with_their_members(run: Run) -> None:
    """Each under its label, with its size; as JSON with the ids."""
    run("remember", "Taxes are due in April.")
    assert "no clusters" in run("clusters").err
    for day in ("Monday", "Tuesday", "Friday", "Sunday"):
        run("remember", f"Sourdough bread is baked in the oven on {day}.")
        run("remember", f"The airplane to the airport lands on a runway on {day}.")
    shown = run("clusters", "--refresh")
    assert shown.code == 0
    assert "(4)" in shown.out
    assert "Sourdough bread" in shown.out
    document = run("clusters", "--json").json
    assert [cluster["size"] for cluster in document] == [4, 4]
    assert len(document[0]["members"]) == 4
    assert run("clusters", "--limit", "1").out.count("airplane to") == 1


def test_similar_memories_come_nearest_first(run: Run) -> None:
    """With their likeness; an id that is not there is an error."""
    number = run("remember", "Sourdough bread is baked in the oven.").out.split()[1]
    run("remember", "Sourdough bread is baked in a hot oven.")
    run("remember", "Taxes are due in April.")
    lines = run("similar", number, "--limit", "1").out
    assert "hot oven" in lines
    assert "Taxes" not in lines
    document = run("similar", number, "--json").json
    assert document[0]["memory"]["text"].endswith("hot oven.")
    assert 0 < document[0]["score"] <= 1
    failed = run("similar", "12")
    assert failed.code == 1
    assert "12" in failed.err
