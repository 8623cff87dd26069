"""Commands about what is not settled."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.cli.conftest import Run

Remember = Callable[..., str]


@pytest.mark.parametrize(
    ("keep", "current"), [("A", (True, False)), ("b", (False, True)), ("both", (True, True))]
)
def test_resolve_settles_a_listed_contradiction(
    run: Run, remembered: Remember, keep: str, current: tuple[bool, bool]
) -> None:
    """It is listed with both statements, and one of them, or both, holds from then on."""
    one, other = remembered("Tabs are used."), remembered("Spaces are used.")
    assert "no contradiction is open" in run("contradictions").err
    assert "no contradiction is known" in run("contradictions", "--history").err
    run("link", one, other, "--kind", "contradicts", "--note", "from two branches")
    shown = run("contradictions").out
    assert f"{one} against {other}: open (from two branches)" in shown
    assert "Tabs are used." in shown
    done = run("resolve", one, other, "--keep", keep, "--json")
    assert (done.code, str(done.json["a"]), str(done.json["b"])) == (0, one, other)
    assert run("contradictions", "--json").json == []
    (settled,) = run("contradictions", "--history", "--json").json
    assert settled["resolved_at"]
    states = [run("show", number, "--json").json[0] for number in (one, other)]
    assert tuple(m["superseded_by"] is None for m in states) == current
    assert run("resolve", one, other).code == 2, "says not which is kept"
    unknown = run("resolve", one, "77", "--keep", "A")
    assert unknown.code == 1
    assert "'memkit contradictions' lists those that are open" in unknown.err


def test_gaps_lists_questions_without_an_answer(run: Run, remembered: Remember) -> None:
    """Questions of sessions that found nothing, with how often they were asked."""
    remembered("The kiln is fired on Fridays.")
    assert "every question of a session was answered" in run("gaps").err
    for _ in range(2):
        run("recall", "where do quokkas nest?", "--session", "s")
    assert "where do quokkas nest?" in run("gaps").out
    assert run("gaps", "--json").json[0]["asked_count"] == 2


def test_remember_says_what_a_statement_updates_and_a_scan_finds_it_anew(
    run: Run, remembered: Remember
) -> None:
    """With the command that settles it; --scan reports what was compared."""
    old = remembered("The harbour map is drawn with Leaflet.")
    text = "We switched the harbour map from Leaflet to MapLibre last month."
    assert f"seems to update {old}: memkit resolve" in run("remember", text).out
    scanned = run("contradictions", "--scan")
    assert "2 memories looked at" in scanned.err
    assert "--keep B agrees" in scanned.out


def test_remember_names_each_that_it_bears_on_with_its_words(
    run: Run, remembered: Remember
) -> None:
    """Whoever reads it need not ask again what it contradicts or repeats, here or globally."""
    old = remembered("The kiln is fired on Mondays.", "--scope", "global")
    said = run("remember", "We always fire the kiln on Thursdays.")
    assert f"contradicts {old}: memkit resolve" in said.out
    assert "The kiln is fired on Mondays." in said.out
    first = remembered("Every change in harbour/tides is reviewed by Greta.")
    text = "Greta reviews all changes in harbour/tides."
    again = run("remember", text, "--json")
    assert [str(number) for number in again.json["repeats"]] == [first]
    assert again.json["contradicts"] == again.json["updates"] == []
    number = str(again.json["memory"]["id"])
    assert "--keep A, B, both or merged" in run("resolve", number, first).err
    alike = run("remember", "Greta reviews each change in harbour/tides.").out
    assert f"seems to repeat {first}: if it does, memkit resolve " in alike
    joined = run("resolve", number, first, "--keep", "merged")
    assert "'memkit consolidate' makes one of them" in joined.out
    assert run("consolidate", "--step", "merge", "--json").json["counts"]["deduped"] == 1
    assert run("show", number, "--json").json[0]["superseded_by"] == int(first)


def test_contradictions_tell_who_decided(run: Run, remembered: Remember) -> None:
    """What a caller settled is told from what is open."""
    one = remembered("The harbour map is drawn with Leaflet.")
    other = remembered("We switched the harbour map from Leaflet to MapLibre last month.")
    assert "by a caller" not in run("contradictions").out
    run("resolve", one, other, "--keep", "both")
    assert "by a caller" in run("contradictions", "--history").out
    (settled,) = run("contradictions", "--history", "--json").json
    assert settled["decided_by"] == "caller"


def test_resolve_names_what_the_retired_statement_alone_said(
    run: Run, remembered: Remember
) -> None:
    """Its numbers and names that the other one does not say, and how to keep them."""
    texts = (
        "The staging site runs on host adler, port 7443.",
        "The staging site runs on falke now.",
    )
    old, new = map(remembered, texts)
    run("link", old, new, "--kind", "contradicts")
    done = run("resolve", old, new, "--keep", "B")
    assert f"{old} alone said 7443; to keep it: memkit update {new} TEXT" in done.err
