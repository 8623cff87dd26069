"""The commands `context` (a prompt, a hook's JSON, the JSON of seed 004) and `session`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit import HistoryEntry, SessionContext
from tests.cli.conftest import Run

RULE = "Never retry an upload: retried uploads were doubled."
QUESTION = "may I retry an upload?"
Remember = Callable[..., str]


@pytest.fixture
def rule(remembered: Remember) -> str:
    """The id of a rule about uploads."""
    number = remembered(RULE, "--kind", "negative", "--tag", "http")
    remembered("The logo is drawn as SVG, in two colours.")
    return number


def hook(name: str, **fields: object) -> bytes:
    event = {"session_id": "s1", "hook_event_name": name, "cwd": str(Path.cwd()), **fields}
    return json.dumps(event).encode()


def test_prompt_prints_its_context(run: Run, rule: str) -> None:
    """Between marks; --why says what for, and what was left out."""
    said = run("context", QUESTION)
    assert said.code == 0
    assert said.out.startswith("<memkit-context>\n")
    assert f"#{rule}: {RULE}\n" in said.out
    why = run("context", QUESTION, "--why").out
    assert f"in: memory:{rule} (critical, full, " in why
    assert "words: retry, upload" in why


def test_nothing_relevant_is_silent(run: Run, rule: str) -> None:
    """Nothing on stdout, a note on stderr, and no failure."""
    said = run("context", "bake a chocolate cake with walnuts")
    assert (said.code, said.out) == (0, "")
    assert said.err == "memkit: nothing that is known bears on this\n"


def test_without_a_prompt_it_is_the_start_page(run: Run, rule: str) -> None:
    """Of an empty store the next step."""
    assert RULE in run("context").out
    assert run("context", "--budget", "8").out == ""


def test_empty_store_says_what_to_do(run: Run) -> None:
    """The note names the command that reads the notes."""
    run("init")
    assert "'memkit init' reads the repository's notes" in run("context").err


def test_json_has_the_keys_of_seed_004(run: Run, rule: str) -> None:
    """context, token_count, tiers by number; a body on standard input does what options do."""
    body = {"prompt": QUESTION, "budget": 500, "signals": {"activity": "debugging"}}
    answer = run("context", "--json", stdin=json.dumps(body).encode()).json
    assert RULE in answer["context"]
    assert answer["token_count"] > answer["tiers"]["tier1"] > 0
    assert set(answer["tiers"]) == {"tier1", "tier2", "tier3", "tier4"}
    assert (answer["budget"], answer["activity"]) == (500, "debugging")
    assert answer["items"][0]["reference"] == f"memory:{rule}"
    empty = run("context", "bake a chocolate cake with walnuts", "--json").json
    assert (empty["context"], empty["token_count"], empty["items"]) == ("", 0, [])


def test_unknown_key_of_a_body_is_named(run: Run, rule: str) -> None:
    """What is misspelt is not passed over."""
    said = run("context", stdin=b'{"signal": {}}')
    assert said.code == 1
    assert "'signal' is no part of it; give some of prompt, budget, signals" in said.err


def test_hook_of_a_prompt_is_served_once(run: Run, rule: str) -> None:
    """A session gets it once, and then silence; one whose context was emptied gets it again."""
    prompt = hook("UserPromptSubmit", prompt=QUESTION)
    assert RULE in run("context", stdin=prompt).out
    again = run("context", stdin=prompt)
    assert (again.code, again.out, again.err) == (0, "", "")
    page = run("context", stdin=hook("SessionStart", source="compact")).out
    assert RULE in page
    assert run("context", stdin=prompt).out == ""


@pytest.mark.parametrize(
    ("name", "fields"),
    [
        ("UserPromptSubmit", {"prompt": ""}),
        ("UserPromptSubmit", {"prompt": "bake a chocolate cake with walnuts"}),
        ("Stop", {}),
        ("PreToolUse", {"tool_name": "Read", "tool_input": {"file_path": "src/other.py"}}),
    ],
)
def test_hook_without_an_answer_is_silent(
    run: Run, rule: str, name: str, fields: dict[str, object]
) -> None:
    """Neither an answer nor a note."""
    said = run("context", stdin=hook(name, **fields))
    assert (said.code, said.out, said.err) == (0, "", "")


def test_hook_outside_of_a_store_is_silent(run: Run, folder: Path) -> None:
    """Hooks run in every repository."""
    said = run("context", stdin=hook("UserPromptSubmit", prompt=QUESTION))
    assert (said.code, said.out) == (0, "")


def test_hook_of_a_file_and_of_an_error(run: Run, remembered: Remember, folder: Path) -> None:
    """The file that is opened brings what is about it; a failure its fix."""
    remembered("Rates are never typed in.", "--about", "src/tax.py")
    file = {"file_path": str(folder / "src/tax.py")}
    said = run("context", stdin=hook("PreToolUse", tool_name="Read", tool_input=file))
    assert "Rates are never typed in." in said.out
    for call in (
        {"event": "tool", "tool": "Bash", "parameters": {"command": "make"}, "error": "E42: no x"},
        {"event": "file", "path": "Makefile", "operation": "edit"},
        {"event": "tool", "tool": "Bash", "parameters": {"command": "make"}, "success": True},
    ):
        run("record", stdin=json.dumps({"session": "old", **call}).encode())
    failure = hook("PostToolUseFailure", tool_name="Bash", tool_input={"command": "make"})
    failed = json.dumps({**json.loads(failure), "error": "E42: no x"}).encode()
    assert "Makefile" in run("context", stdin=failed).out


def test_hook_keeps_to_what_agents_take(run: Run, remembered: Remember) -> None:
    """Of more than 10,000 characters an agent shows a preview: it never gets more."""
    for number in range(40):
        filler = f"rule {number} has its own long reason, which is told here. " * 12
        remembered(f"Never deploy service {number} by hand: {filler}", "--kind", "negative")
    page = run("context", "--budget", "100000", stdin=hook("SessionStart", source="startup")).out
    assert 5_000 < len(page) <= 10_000


def test_predict_and_resolve_have_the_keys_of_seed_004(run: Run, remembered: Remember) -> None:
    """predicted_memories with a confidence; a resolution with its note."""
    number = remembered("Rates are never typed in.", "--about", "src/tax.py")
    answer = run("predict", "src/tax.py", "--json").json
    assert [memory["id"] for memory in answer["predicted_memories"]] == [int(number)]
    assert answer["confidence"] >= answer["predicted_memories"][0]["confidence"] > 0
    other = remembered("Rates may be typed in.")
    run("link", number, other, "--kind", "contradicts")
    settled = run("resolve", number, other, "--keep", "B", "--note", "the law changed", "--json")
    assert (settled.json["resolution"], settled.json["note"]) == ("b_wins", "the law changed")


@pytest.fixture
def saved(folder: Path) -> str:
    """A store with a saved session of 60 entries; its name."""
    entries = [HistoryEntry(n, "user", f"Move part_{n} of the lexer.", 9) for n in range(60)]
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.context.sessions.save(
            SessionContext("s:1", facts=["Port 7401 is free."], recent_history=entries)
        )
    return "s:1"


def test_sessions_are_listed_compacted_and_restored(run: Run, saved: str) -> None:
    """Each step by a command; what a compaction did is said in a line."""
    assert run("session", "list").out.splitlines()[1].split("\t")[:2] == [saved, "1"]
    assert run("session", "list", "--json").json[0]["session"] == saved
    done = run("session", "compact", saved, "--focus", "part_3", "--keep", "10")
    assert done.out.startswith("50 entries became a summary: ")
    again = run("session", "compact", saved, "--keep", "10", "--json")
    assert (again.json["compacted"], again.json["removed"]) == (False, 0)
    shown = run("session", "show", saved).out
    assert "versions: 2 (" in shown
    assert "part_3 " in shown
    assert "fact: Port 7401 is free." in shown
    assert run("session", "restore", saved, "--version", "1", "--json").json["version"] == 3
    assert len(run("session", "show", saved, "--json").json["recent_history"]) == 60
    assert run("session", "restore", saved).code == 2


def test_sessions_are_exported_and_deleted(run: Run, saved: str, folder: Path) -> None:
    """JSON that is read back; deleting needs a word."""
    text = run("session", "export", saved).out
    assert text.startswith('{\n  "session_id": "s:1",')
    (folder / "s.json").write_text(text.replace("s:1", "s:2"), encoding="utf-8")
    assert run("session", "import", "s.json").out == "s:2 is saved as version 1\n"
    assert run("session", "import", "-", stdin=text.encode()).out == "s:1 is saved as version 1\n"
    assert run("session", "delete", saved).code == 2
    assert run("session", "delete", saved, "--yes").out == "deleted s:1\n"
    assert [row["session"] for row in run("session", "list", "--json").json] == ["s:2"]
    for action in ("show", "export", "compact", "delete"):
        missing = run("session", action, saved, "--yes")
        assert (missing.code, "session list" in missing.err) == (1, True)
    assert run("session", "show").code == 2


def test_nothing_is_saved(run: Run, folder: Path) -> None:
    """An empty answer is an answer."""
    memkit.open(folder / ".memkit.db", global_store=False).close()
    assert (run("session", "list").out, run("session", "list").code) == ("", 0)
