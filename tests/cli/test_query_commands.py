"""What a person sees of an answer: where it comes from, the lines that matter, what is not said."""

from __future__ import annotations

import json
import re
from collections.abc import Callable

import pytest

from memkit.cli.output import cut_around, excerpt
from memkit.redaction.redactor import strip_rendered
from tests.cli.conftest import Run

Remember = Callable[..., str]

LONG = "\n".join(
    [*(f"Line {n} tells nothing." for n in range(8)), "Squash before merging.", "End."]
)


def test_recall_shows_date_and_source_of_a_hit(run: Run, remembered: Remember) -> None:
    """Beside id and kind stands when, and the source, else the files, else the session."""
    for text, options, place in (
        (
            "Squash commits before merging.",
            ("--source", "CONTRIBUTING.md#pulls"),
            "from CONTRIBUTING.md#pulls",
        ),
        ("Bake bread at dawn.", ("--file-path", "docs/bread.md"), "from docs/bread.md"),
        ("Zebras sleep standing.", ("--session", "s9"), "told in session s9"),
        ("Owls turn their heads.", ("--author", "Ann"), "told by Ann"),
    ):
        number = remembered(text, *options)
        first = run("recall", text, "--min-score", "0").out.split("\n")[1]
        assert re.search(rf" {number} fact, \d{{4}}-\d\d-\d\d \(today\), {place}$", first)


def test_recall_shows_the_steps_of_a_procedure(run: Run, remembered: Remember) -> None:
    """They stand below the text, unless it says them; a step can be asked for."""
    remembered("How releases are made.", "--step", "freeze the branch", "--step", "tag it")
    shown = run("recall", "how are releases made?").out
    assert "How releases are made.\n  steps: freeze the branch → tag it\n" in shown
    remembered("--step", "boil the milk", "--step", "whisk it")
    shown = run("recall", "when is the milk to be whisked?").out
    assert "  boil the milk → whisk it\n" in shown
    assert "steps:" not in shown


def test_recall_showed_the_beginning_instead_of_the_answer(run: Run, remembered: Remember) -> None:
    """Of a long text come the lines with most of the question's words, marked as a part."""
    number = remembered(LONG)
    out = run("recall", "squash before merging?", "--min-score", "0").out
    assert "  Squash before merging.\n" in out
    assert "  …\n" in out
    assert "Line 0" not in out
    assert f"… 6 more lines: memkit show {number}" in out


def test_recall_printed_a_line_of_any_length(run: Run, remembered: Remember) -> None:
    """Of a long line comes the part with the question's words, and where to read all of it."""
    number = remembered("word " * 5_000 + "squash before merging" + " word" * 5_000)
    lines = run("recall", "squash before merging?", "--min-score", "0").out.split("\n")
    assert "squash before merging" in lines[2]
    assert max(map(len, lines)) < 1_100
    assert lines[3] == f"  … more of the line: memkit show {number}"
    assert "word " * 5_000 in run("show", number).out


def test_task_printed_whole_prompts_in_a_list(run: Run) -> None:
    """A list has the beginning of each; the task itself is shown whole."""
    said = "word " * 500 + "end"
    event = {"event": "task", "session": "s1", "description": said}
    run("init")
    assert run("record", stdin=json.dumps(event).encode()).code == 0
    listed = run("tasks").out.split("\n")
    assert max(map(len, listed)) < 700
    assert said in run("tasks", listed[1].split("\t")[0]).out


def test_recall_with_history_shows_the_state_of_a_hit(run: Run, remembered: Remember) -> None:
    """With --history the state of each hit that is not current stands beside it."""
    old = remembered("The port of the server is 80.")
    new = remembered("The server listens on port 443 now.", "--supersedes", old)
    gone = remembered("The server has a port for tests.")
    run("forget", gone, "--reason", "wrong")
    remembered("The server had port 21.", "--valid-to", "2020-01-01")
    out = run("recall", "port of the server", "--history", "--min-score", "0").out
    assert f"told [superseded by {new}]" in out
    assert "told [forgotten: wrong]" in out
    assert "told [expired 2020-01-01" in out
    assert re.search(rf"{new} fact, [^\n]*, told\n", out)


def test_why_printed_parts_that_round_to_nothing(run: Run, remembered: Remember) -> None:
    """Evidence that changes no digit is left out."""
    number = remembered("Never retry a POST", "--kind", "negative", "--tag", "http")
    out = run("explain", "may I retry a POST?", number).out
    assert "0.00  " not in out.replace("10.00", "")
    assert "  +" in out


@pytest.mark.parametrize(
    ("text", "question", "first"),
    [
        (LONG, "", "Line 0 tells nothing."),
        (LONG, "whatever", "Line 0 tells nothing."),
        (LONG, "merge", "Line 5 tells nothing."),
        ("a\nb\nc\nd\n请使用中文回答\nf", "用什么中文", "b"),
    ],
)
def test_excerpt_begins_where_the_words_are(text: str, question: str, first: str) -> None:
    """Neighbouring lines are chosen by their words, by the beginning if there are none."""
    found = excerpt(text, question, max_lines=4)
    assert found.lines[0] == first
    assert found.before + len(found.lines) + found.after == len(text.split("\n"))


def test_an_excerpt_showed_the_code_and_cut_the_sentence() -> None:
    """The sentence that answers comes into view, not the block of code with the same words."""
    code = ["```sh", "run the server on a port", "port run server", "port port", "run run", "```"]
    for fence, info in (("```", "sh"), ("~~~~", ""), ("```", "")):
        block = [line.replace("```sh", fence + info).replace("```", fence) for line in code]
        text = "\n".join(
            [*block, "The server listens on", "port 8080, whoever runs it.", "End.", "."]
        )
        assert (
            "port 8080, whoever runs it."
            in excerpt(text, "which port runs the server?", max_lines=4).lines
        )
    only = "\n".join(["a", "b", "c", "d", "```", "make port", "```"])
    assert "make port" in excerpt(only, "port", max_lines=4).lines


def test_a_long_line_is_cut_around_the_words() -> None:
    """The word that was asked for is in view, within the columns there are."""
    line = "word " * 60 + "needle " + "word " * 60
    found = cut_around(line, "where is the needle?", 60)
    assert "needle" in found
    assert len(found) <= 60
    assert found.startswith("…")
    assert cut_around("short", "needle", 60) == "short"


def test_repeated_question_of_a_session_says_all_was_shown(run: Run, remembered: Remember) -> None:
    """The second time it hears that everything was shown before, and how many they were."""
    number = remembered("Never retry a POST upload.")
    ask = ("recall", "may I retry a POST upload?", "--min-score", "0")
    assert number in run(*ask, "--session", "s1").out
    again = run(*ask, "--session", "s1")
    assert again.out == ""
    assert "nothing more is remembered about this than this session" in again.err
    assert "1 memory that matches was shown to this session already" in again.err
    assert run(*ask, "--session", "s1", "--json").json["shown_before"] == 1
    assert number in run(*ask).out
    assert "shown to this session" not in run(*ask, "--session", "s2").err


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["plain", "json"])
@pytest.mark.parametrize("form", ["{}", "> {}", "    {}", "* {}", "# {}", " // {}"])
def test_printed_answer_of_recall_is_not_remembered(
    run: Run, remembered: Remember, form: str, options: tuple[str, ...]
) -> None:
    """An answer, quoted or indented or cut off, is no statement; what stands beside it is."""
    remembered("The queue worker restarts nightly")
    lines = run("recall", "queue worker", "--min-score", "0", *options).out.rstrip().split("\n")
    for part in (lines, lines[:-2], lines[2:]):
        answer = "\n".join(form.format(line) for line in part)
        refused = run("remember", "-", stdin=answer.encode())
        assert refused.code == 1
        assert "memkit's own answer" in refused.err
    answer = "\n".join(map(form.format, lines))
    number = remembered(f"Before.\n{answer}\nuser: continue")
    document = run("show", number, "--json").json[0]
    assert document["text"].split() == ["Before.", "user:", "continue"]
    assert len(run("list", "--json").json["memories"]) == 2


@pytest.mark.parametrize("around", ["```\n{}\n```", "```text\n{}```", "* {}\n*", "---\n{}\n---"])
def test_markup_around_an_answer_is_not_remembered(
    run: Run, remembered: Remember, around: str
) -> None:
    """Signs of lists and fences around code say nothing by themselves."""
    remembered("The queue worker restarts nightly")
    answer = run("recall", "queue worker", "--min-score", "0").out
    for text in (around.format(answer), json.dumps(answer)):
        refused = run("remember", "-", stdin=text.encode())
        assert "memkit's own answer" in refused.err
    assert len(run("list", "--json").json["memories"]) == 1


@pytest.mark.parametrize("options", [(), ("--json",)], ids=["plain", "json"])
@pytest.mark.parametrize("command", ["list", "show", "explain", "update", "forget", "again"])
def test_printed_memories_of_any_command_are_not_remembered(
    run: Run, remembered: Remember, command: str, options: tuple[str, ...]
) -> None:
    """Whatever repeats memories does so between the marks: nothing of it is learnt, however many
    they are, with either end cut off."""
    numbers = [remembered(f"The queue worker {n} restarts nightly") for n in (1, 2, 3)]
    told = {
        "list": ("list",),
        "show": ("show", *numbers),
        "explain": ("explain", "queue worker", numbers[0], "--min-score", "0"),
        "update": ("update", numbers[0], "--importance", "0.9"),
        "forget": ("forget", *numbers, "--dry-run"),
        "again": ("remember", "the queue worker 1 restarts nightly"),
    }[command]
    lines = run(*told, *options).out.rstrip("\n").split("\n")
    for part in (lines, lines[:-1], lines[1:]):
        safe = strip_rendered("\n".join(part))
        assert "restarts" not in safe


def test_an_empty_list_has_no_marks(run: Run, remembered: Remember) -> None:
    """Where nothing is repeated nothing is marked."""
    remembered("The queue worker restarts nightly")
    assert run("list", "--kind", "negative").out == ""
    assert run("list", "--kind", "negative", "--json").json["memories"] == []
