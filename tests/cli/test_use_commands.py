"""Commands of living memory: what was used, how procedures fared, gaps that close."""

from __future__ import annotations

from collections.abc import Callable

from tests.cli.conftest import Run

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
