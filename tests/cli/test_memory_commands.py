"""What the commands say of plans, restored memories, joined stores and the global store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import memkit
from tests.cli.conftest import Run

Remember = Callable[..., str]


def test_a_replacement_to_come_says_when(run: Run, remembered: Remember) -> None:
    """The old value is recalled today, and the answer names the day on which it ends."""
    old = remembered("--key", "retries", "--value", "3")
    done = run("remember", "--key", "retries", "--value", "5", "--valid-from", "2130-01-01")
    assert f"supersedes {old} from 2130-01-01" in done.out
    assert "does not come back now: not before 2130-01-01" in done.err
    ask = ("recall", "retries", "--json", "--fields", "value")
    assert [hit["value"] for hit in run(*ask).json["hits"]] == ["3"]
    later = run(*ask, "--as-of", "2131-01-01").json["hits"]
    assert [hit["value"] for hit in later] == ["5"]


def test_remember_says_that_an_ended_statement_does_not_come_back(run: Run) -> None:
    """It is kept, and it is said that it does not come back."""
    done = run("remember", "the old port is 80", "--valid-to", "2020-01-01")
    assert done.code == 0
    assert "does not come back now: expired 2020-01-01" in done.err


def test_restore_says_what_is_active_or_stays_hidden(run: Run, remembered: Remember) -> None:
    """What comes back is said to be restored, with what had taken its place; what is active and
    what does not come back are said to be so."""
    old = remembered("the gate opens at five")
    new = remembered("the gate opens at noon", "--supersedes", old)
    run("update", old, "--kind", "correction")
    done = run("restore", old)
    assert f"\nrestored: {old}\tcorrection\t" in done.out
    assert "\tthe gate opens at five\n" in done.out
    assert f"{new}, which had taken its place, holds too" in done.err
    assert old in run("recall", "when does the gate open?", "--min-score", "0").out
    again = run("restore", old)
    assert again.out == ""
    assert f"{old} is active; nothing was to be done" in again.err
    over = remembered("the sale goes on", "--valid-to", "2020-01-01")
    assert f"{over} does not come back: expired" in run("restore", over).err
    one, two = (remembered("--key", "port", "--value", value) for value in ("1", "2"))
    assert f"{two}, which had taken its place, is superseded by {one}" in run("restore", one).err


def test_import_reports_merge_conflicts(run: Run, remembered: Remember) -> None:
    """How many there are, which, what was done, and how to see it."""
    number = remembered("The build runs on Jenkins.")
    other = Path("other.db")
    run("--db", str(other), "import", ".memkit.db")
    run("update", number, "The build runs on GitHub.")
    run("--db", str(other), "update", number, "The build runs on GitLab.")
    done = run("import", str(other))
    assert "1 statement: 0 added, 1 updated, 0 unchanged, 0 forgotten, 1 conflict\n" in done.out
    assert f"conflict: {number} was edited here and there; the later edit stands" in done.out
    assert f"memkit show {number}" in done.out
    assert "The build runs on GitHub." in run("show", number).out
    assert "conflict" not in run("import", str(other)).out


def test_every_verb_takes_the_id_of_a_global_memory(run: Run, remembered: Remember) -> None:
    """Hits and lists say that it is global; every verb takes its id."""
    number = remembered("I prefer tabs.", "--scope", "global", "--kind", "preference")
    assert f"{number} preference, global, " in run("recall", "I prefer tabs").out
    assert "\t[global] I prefer tabs." in run("list").out
    assert "scope: global" in run("show", number).out
    assert f"{number} comes back" in run("explain", "I prefer tabs", number).out
    for verb in (["update", number, "I prefer tabs!"], ["tag", number, "style"], ["pin", number]):
        assert run(*verb).code == 0, verb
    assert run("forget", "--filter", "kind=preference", "--yes").err.strip().endswith("filter")
    assert run("forget", number).out.count("forgotten")
    assert run("restore", number).out.count("restored")
    assert run("purge", number, "--yes").code == 0
    assert run("stats", "--json").json["memories"]["total"] == 0


def test_promote_lets_a_memory_or_a_tasks_item_hold_in_a_wider_scope(
    run: Run, remembered: Remember, folder: Path
) -> None:
    """Without --to in the next wider one; what cannot be promoted is said."""
    number = remembered("I prefer tabs.", "--scope", "session", "--session", "s")
    assert "scope: session" in run("show", number).out
    with memkit.open(folder / ".memkit.db") as kit:
        item = kit.context.task("t").add_reasoning("The queue loses its order.", "plan")
    assert run("promote", item.id, "--json").json[0]["scope"] == "project"
    assert run("promote", item.id).code == 1
    assert run("promote", number).out.count(number)
    assert "scope: session" not in run("show", number).out
    wide = run("promote", f"#{number}", "--to", "global", "--json").json[0]
    assert (wide["scope"], wide["text"]) == ("global", "I prefer tabs.")
    refused = run("promote", str(wide["id"]))
    assert refused.code == 1
    assert "of scope global already" in refused.err


def test_global_option_stores_global_scope_only(run: Run) -> None:
    """With --global a statement is global, and no other."""
    run("init", "--empty")
    made = run("--global", "remember", "I prefer tabs.", "--json").json["memory"]
    assert made["scope"] == "global"
    assert str(made["id"]) in run("list").out
    refused = run("--global", "remember", "here only", "--scope", "project")
    assert refused.code == 2
    assert "--global keeps global memories" in refused.err
