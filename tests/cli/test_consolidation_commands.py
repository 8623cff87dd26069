"""Consolidation commands: what is done, why, and how it is taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import memkit
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


Remember = Callable[..., str]


def test_used_says_what_use_shows(run: Run, remembered: Remember) -> None:
    """Each switch is one verb; an entry of the audit is taken back by its number."""
    first, second = remembered("The kiln is warm"), remembered("The glaze is wet")
    assert run("used", first, second, "--json").json[1]["strength"] == 2
    assert run("used", first, "--not-helpful", "--json").json[0]["confidence"] == 0.95
    assert run("used", first, "--rejected").out.count("rejected: ")
    assert run("used", first, "--ignored").code == 0
    assert run("used", first, "--cited", "edit of kiln.py").out.count("cited: ")
    shown = run("show", second)
    assert "audit: " in shown.out
    (entry, *_) = run("show", second, "--json").json[0]["audit"]
    assert str(entry["id"]) in shown.out
    assert run("undo", str(entry["id"]), "--json").json["memory"]["strength"] == 1
    assert run("undo", str(entry["id"])).code == 1


def test_used_says_one_thing_at_once(run: Run, remembered: Remember) -> None:
    """Two verbs are an error of usage, and nothing is noted."""
    first = remembered("The kiln is warm")
    refused = run("used", first, "--ignored", "--rejected")
    assert refused.code == 2
    assert "says two things at once" in refused.err


def test_outcomes_are_shown_beside_a_procedure(run: Run, remembered: Remember) -> None:
    """What was told of its steps stands in show, list and recall."""
    number = remembered("We deploy the shop.", "--step", "make build", "--step", "make deploy")
    assert run("outcome", number).out.count("succeeded: ")
    for _ in range(2):
        told = run("outcome", number, "--step", "2", "--failed", "--note", "quota exceeded")
    expected = "worked 1 of 1, step 2 worked 0 of 2; step 2 failed the last 2 times: quota exceeded"
    assert f"so far: {expected}" in told.out
    shown = run("show", number).out
    assert f"outcomes: {expected}" in shown
    assert "procedure: steps=make build, make deploy\n" in shown
    assert "so far: worked 1 of 1" in run("recall", "how do we deploy the shop?").out
    assert run("outcome", number, "--step", "3").code == 1
    assert run("outcome", number, "--failed", "--skipped").code == 2


def test_gaps_are_closed_by_hand_and_by_an_answer(run: Run, remembered: Remember) -> None:
    """Closed ones come with --all, and say what answers them."""
    remembered("The kiln is fired on Fridays.")
    for question in ("where do quokkas nest?", "who paints the long fence?"):
        run("recall", question, "--session", "s")
    (first, second) = run("gaps", "--json").json
    assert run("gaps", "--close", first["ids"][0]).out.startswith("closed ")
    answer = {"where do quokkas nest?": "Quokkas nest under the jetty."}
    remembered(answer.get(second["question"], "Ines paints the long fence."))
    assert "every question" in run("gaps").err
    states = {gap["answer"] is None for gap in run("gaps", "--all", "--json").json}
    assert states == {True, False}
    assert "answered by " in run("gaps", "--all").out
    assert run("gaps", "--close", "nobody").code == 1


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


_HANDLER = """
from web import route
@route("/{name}")
def add_{name}(request, session):
    data = parse_body(request)
    item = validate(data)
    session.store(item)
    return as_json(item)
"""


def test_idioms_are_listed_and_remembered(run: Run, folder: Path) -> None:
    """A shape that three files repeat; with --dry-run nothing is remembered."""
    assert run("remember", "The shop sells tea.").code == 0
    unread = run("idioms")
    assert unread.code == 1
    assert "memkit index" in unread.err
    for name in ("order", "item", "label"):
        (folder / f"{name}.py").write_text(_HANDLER.format(name=name), encoding="utf-8")
    assert run("index").code == 0
    planned = run("idioms", "--dry-run")
    assert planned.out.splitlines()[1].startswith("add_…\t3\t")
    assert run("list", "--json").out.count("add_…") == 0
    assert run("idioms", "--json").json[0]["calls"] == [
        "parse_body", "validate", "store", "as_json",
    ]  # fmt: skip
    with memkit.open(folder / ".memkit.db") as kit:
        [memory] = kit.memories.find(form="pattern")
    assert memory.index_entry == "add_…"


def test_ended_task_is_remembered_as_an_episode(run: Run, folder: Path) -> None:
    """With what came of it, once; a task that is not known fails."""
    with (
        memkit.open(folder / ".memkit.db") as kit,
        kit.session("s") as session,
        session.task("Stop retries of POST", name="t") as task,
    ):
        task.finish("POST is never retried.")
    done = run("episode", "t")
    assert done.code == 0
    assert done.out.startswith("stored ")
    assert "POST is never retried" in done.out
    assert run("episode", "t", "--json").json["memory"]["form"] == "episode"
    assert "POST is never retried" in run("episode", "s", "--session").out
    missing = run("episode", "other")
    assert missing.code == 1
    assert "other" in missing.err
