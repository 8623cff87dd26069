"""The commands consolidate, prune, undo and audit: what is done, why, and how it is taken back."""

from __future__ import annotations

from tests.cli.conftest import Run

TEXTS = ("Vault doors open with a badge.", "Vault door opens with a badge.")


def test_consolidate_and_undo(run: Run) -> None:
    """A dry run, the run, its log, and the way back; nothing to do is a note."""
    for text in TEXTS:
        run("remember", text)
    planned = run("consolidate", "--dry-run", "--json").json
    assert (planned["run"], planned["counts"]["deduped"]) == (None, 1)
    assert "would be 1 deduped" in run("consolidate", "--dry-run").out
    done = run("consolidate")
    assert "1 deduped" in done.out
    assert "says the same" in done.out
    again = run("consolidate", "--step", "merge")
    assert (again.code, again.out) == (0, "")
    assert "nothing to do" in again.err
    (change,) = run("audit", "--json").json
    assert change["memory_id"] == planned["changes"][0]["memory_id"]
    assert run("audit", "--memory", str(change["other_id"]), "--json").json == [change]
    assert str(change["run"]) in run("audit").out
    assert run("undo", str(change["run"])).out.startswith(f"run {change['run']} undone")
    assert run("undo", "last").code == 1
    assert run("audit", "--run", "x").code == 2
    for option, value, name in (("--run", "7", "run 7"), ("--memory", "7", "memory 7")):
        nothing = run("audit", option, value)
        assert (nothing.code, nothing.out) == (0, "")
        assert f"no change of {name} is noted; 'memkit audit' lists" in nothing.err


def test_prune(run: Run) -> None:
    """Down to so many, a tenth at least; the dry run only says which, the help says the rest."""
    shown = " ".join(run("prune", "--help").out.split())
    assert "at least a tenth of them goes" in shown
    assert "--max-items LIMIT" in shown
    for n in range(4):
        run("remember", f"Lamp {n} is on.")
    assert "nothing was consolidated yet" in run("audit").err
    assert run("prune", "--max-items", "3", "--dry-run").out.startswith("would be 1 forgotten")
    assert run("prune", "--max-items", "3", "--json").json["counts"]["forgotten"] == 1
    assert "nothing to do" in run("prune").err
    assert run("prune", "--max-items", "-1").code == 2
