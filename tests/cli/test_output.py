"""What recall, list and remember print: how much, and what it says."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.cli.output import COLOURS, dated
from memkit.errors import InvalidInput
from memkit.memories.records import Kind
from memkit.tokens import count
from tests.cli.conftest import Run

Remember = Callable[..., str]


def test_a_hit_costs_at_most_sixty_tokens_beside_its_text(run: Run, remembered: Remember) -> None:
    """Marks, date, origin and two reasons take no more, even from a document."""
    text = "Uploads larger than 5 MB go through the queue, never straight to the bucket."
    remembered(text, "--source", "docs/uploads.md#limits", "--at", "3 days ago")
    out = run("recall", "how do large uploads reach the bucket?", "--min-score", "0").out
    assert "3 days ago), from docs/uploads.md#limits" in out
    assert count(out) - count(text) <= 60


def test_ten_hits_as_json_take_at_most_3000_tokens_however_long_they_are(
    run: Run, remembered: Remember
) -> None:
    """Each text is bounded, says so, and names the command for the rest."""
    for name in range(10):
        remembered(f"Queue worker {name} restarts nightly. " + f"word{name} and so on " * 3_000)
    ask = ("recall", "when does the queue worker restart?", "--min-score", "0")
    answer = run(*ask, "--json")
    hits = answer.json["hits"]
    assert len(hits) == 10
    assert all(hit["truncated"] and hit["rest"] == f"memkit show {hit['id']}" for hit in hits)
    assert count(answer.out) <= 3_000
    assert count(run(*ask).out) <= 3_000
    assert set(run(*ask, "--json", "--fields", "id,tags").json["hits"][0]) == {"id", "tags"}
    assert "parts" in run(*ask, "--json", "--fields", "all").json["hits"][0]
    assert run(*ask, "--json", "--fields", "colour").code == 2


def test_a_list_that_is_cut_says_how_many_there_are(run: Run, remembered: Remember) -> None:
    """As text on stderr, as JSON by total and next; the last page has no next."""
    for name in ("ants", "bees", "cats"):
        remembered(f"About {name}.")
    assert "2 of 3; --limit or --offset 2 for more" in run("list", "--limit", "2").err
    page = run("list", "--limit", "2", "--offset", "2", "--json").json
    assert [memory["text"] for memory in page["memories"]] == ["About ants."]
    assert (page["total"], "next" in page and page["next"]) == (3, None)
    assert run("list", "--offset", "9").out == ""


def test_every_list_that_is_cut_says_so(run: Run, remembered: Remember) -> None:
    """With one more than the limit there is a note; with as many as the limit there is none."""
    number = remembered("The gate opens at five.")
    for strength in range(21):
        run("update", number, "--importance", f"0.{strength + 10}")
    assert "its last 20 changes are shown, there are more" in run("show", number).err
    for task in ("one", "two"):
        event = f'{{"event": "task", "session": "s1", "description": "{task}"}}'
        assert run("record", stdin=event.encode()).code == 0
    assert "the first 1 are shown, there are more" in run("tasks", "--limit", "1").err
    assert run("tasks", "--limit", "2").err == ""


def test_remember_names_its_file_and_what_it_contradicts(run: Run, remembered: Remember) -> None:
    """As text and as JSON."""
    first = remembered("The cache is enabled in production.")
    done = run("remember", "The cache is not enabled in production.")
    assert " in .memkit.db\n" in done.out
    assert f"contradicts {first}" in done.out
    again = run("remember", "The cache is not enabled in production.", "--json").json
    assert again["file"].endswith(".memkit.db")
    assert again["contradicts"] == [int(first)]


def test_a_trigger_makes_a_fact_negative_and_no_other_kind_takes_one(
    run: Run, kit: memkit.Memkit
) -> None:
    """The same in the library and on the command line."""
    done = run("remember", "Never push to main.", "--trigger", "git push", "--json")
    assert done.json["memory"]["kind"] == "negative"
    assert "kept as negative" in done.err
    refused = run("remember", "Push often.", "--trigger", "git push", "--kind", "preference")
    assert refused.code == 1
    assert "give kind negative" in refused.err
    made = kit.memories.remember("Never push to main.", trigger_patterns="git push")
    assert (made.memory.kind, len(made.notes)) == ("negative", 1)
    with pytest.raises(InvalidInput, match="never comes back at its trigger_patterns"):
        kit.memories.update(made, kind="fact")
    assert kit.memories.update(made, kind="fact", trigger_patterns=()).kind == "fact"


def test_an_imported_row_with_triggers_is_negative_or_refused(
    run: Run, remembered: Remember, folder: Path
) -> None:
    """The rule of `remember` holds for rows of a file as well; the line is named."""
    number = remembered("Never push to main.", "--trigger", "git push")
    rows = run("export").out
    assert rows.count('"kind":"negative"') == 1
    for kind, code in (("fact", 0), ("preference", 1)):
        path = folder / f"{kind}.jsonl"
        path.write_text(rows.replace('"kind":"negative"', f'"kind":"{kind}"'))
        done = run("--db", f"{kind}.db", "import", str(path))
        assert done.code == code, done.err
    assert run("--db", "fact.db", "show", number, "--json").json[0]["kind"] == "negative"
    assert "give kind negative" in done.err


def test_what_stands_between_marks_is_left_out_with_a_note(run: Run, kit: memkit.Memkit) -> None:
    """Nothing is lost in silence; a change of a memory refuses it."""
    text = "a note on <memkit-context> fences and </memkit-context> ends"
    assert "text: what stands between the marks" in run("remember", text).err
    made = kit.memories.remember(text)
    assert made.notes
    with pytest.raises(InvalidInput, match="leave it out"):
        kit.memories.update(made, text)


def test_an_id_may_be_given_as_decimal_text(kit: memkit.Memkit) -> None:
    """Wherever a memory is named; what is no number is refused by its value."""
    number = str(kit.memories.remember("The gate opens at five.").id)
    assert kit.memories.get(number).id == int(number)
    assert [memory.id for memory in kit.memories.find(id=number)] == [int(number)]
    new = kit.memories.remember("The gate opens at noon.", supersedes=number)
    assert new.replaced == (int(number),)
    (gone,) = kit.memories.forget(str(new.id))
    assert (gone.active, gone.inactive_reason) == (False, "forgotten")
    with pytest.raises(InvalidInput, match="'gate' names no memory"):
        kit.memories.get("gate")


@pytest.mark.parametrize(
    ("day", "shown"),
    [
        ("2026-05-20", "2026-05-20 (today)"),
        ("2026-05-19", "2026-05-19 (yesterday)"),
        ("2026-05-10", "2026-05-10 (10 days ago)"),
        ("2026-04-10", "2026-04-10 (5 weeks ago)"),
        ("2025-05-20", "2025-05-20"),
        ("2026-06-01", "2026-06-01"),
        ("soon", "soon"),
    ],
)
def test_a_date_says_how_long_ago_while_it_is_recent(day: str, shown: str) -> None:
    """In days, then weeks, then not at all."""
    assert dated(day, "2026-05-20T10:00:00.000Z") == shown


def test_every_kind_has_a_colour() -> None:
    """Or a memory of that kind could not be shown."""
    missing = set(Kind) ^ COLOURS.keys()
    assert not missing, f"COLOURS in memkit/cli/output.py: {missing}"
