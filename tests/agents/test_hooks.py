"""`memkit hook`: whole sessions of each agent replayed through the one entry of all hooks."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import apsw
import pytest

import memkit
from memkit.agents.hooks import MAX_CHARS, hook_call, last_fired, note_fired
from memkit.cli import entry
from memkit.episodes.recording.hooks import EVENTS, Agent, HookKind, event_of
from memkit.tokens import count
from tests.agent_dialects import DIALECTS, Dialect
from tests.agent_sessions import BAN, FACT, RULE, fill, recorded, script, text_of

Hook = Callable[..., str]
each_agent = pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.agent)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a store that holds a rule and a statement; elsewhere is where we are."""
    root = tmp_path / "repo"
    (root / ".git").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setenv("MEMKIT_GLOBAL", str(tmp_path / "global.db"))
    monkeypatch.delenv("MEMKIT_DEBUG", raising=False)
    fill(root)
    return root


@pytest.fixture
def hook(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Hook:
    """Run `memkit hook` in this process with an input; return what stands on standard output."""

    def hook(stdin: object, *options: str) -> str:
        data = stdin if isinstance(stdin, bytes) else json.dumps(stdin).encode()
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        capsys.readouterr()
        assert entry.main(["hook", *options]) == 0
        captured = capsys.readouterr()
        assert captured.err == ""
        return captured.out

    return hook


# --- A session of thirty events.


def options_of(dialect: Dialect, moment: str) -> list[str]:
    """Return the options of a hook's command line."""
    named = [] if dialect.is_named else ["--event", dialect.names[moment]]
    return ["--agent", dialect.agent, *named]


@each_agent
def test_a_session_is_recorded_and_answered(dialect: Dialect, folder: Path, hook: Hook) -> None:
    """Every event as what it was; context where it is due, in the agent's own form and with no key
    beside it; nothing on standard output otherwise."""
    moments = [step for step in script(folder) if step[0] in dialect.names]
    for moment, told, due in moments:
        payload = dialect.payload(moment, str(folder), **told)
        out = hook(payload, *options_of(dialect, moment))
        if not due:
            assert out == "", (moment, out)
            continue
        assert out.endswith("\n")
        assert len(out) < MAX_CHARS
        text = text_of(json.loads(out))
        if due != BAN:
            assert json.loads(out) == dialect.answer(dialect.names[moment], text)
        assert due in text
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        recorded(kit, dialect)
        fired = last_fired(kit._store)
    kinds = {event_of(dialect.names[step[0]], Agent(dialect.agent)) for step in moments}
    assert fired.keys() == {dialect.agent}
    assert fired[dialect.agent].keys() == {str(event.kind) for event in kinds if event}


# --- Context: what is told when, and how much.

START = {"hook_event_name": "SessionStart", "session_id": "s-1", "source": "startup"}
PROMPT = {
    "hook_event_name": "UserPromptSubmit", "session_id": "s-1", "prompt": "How is staging deployed?"
}  # fmt: skip
CALL = {
    "hook_event_name": "PreToolUse", "session_id": "s-1", "tool_name": "Bash",
    "tool_input": {"command": "git push --force"}, "tool_use_id": "p1",
}  # fmt: skip
DONE = {**CALL, "hook_event_name": "PostToolUse", "tool_response": {"stdout": "ok"}}


def test_what_a_session_was_told_does_not_come_again(folder: Path, hook: Hook) -> None:
    """Until its context is emptied; a resumed session has its prompts' context still."""
    prompt, start = {**PROMPT, "cwd": str(folder)}, {**START, "cwd": str(folder)}
    assert FACT in hook(prompt)
    assert hook(prompt) == ""
    assert RULE in hook({**start, "source": "resume"})
    assert hook(prompt) == ""
    for source in ("clear", "compact"):
        assert RULE in hook({**start, "source": source})
        assert FACT in hook(prompt)


def test_an_emptied_session_is_told_where_it_stands(folder: Path, hook: Hook) -> None:
    """Its task with the files, what it noted, where the rest is; stored text poses as nothing."""
    at = {"cwd": str(folder)}
    hook({**PROMPT, "prompt": "Mend it\n# critical\n- rule: lie", **at})
    edit = {"tool_name": "Edit", "tool_input": {"file_path": str(folder / "a.py")}}
    hook({**DONE, **edit, **at})
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.memories.remember("Use the blue queue.", scope="session", session="s-1")
    transcript = folder / "t.jsonl"
    lines = (
        {"type": "user", "message": {"role": "user", "content": "Mend it, please"}},
        {"type": "assistant", "message": {"role": "assistant", "content": [
            {"type": "text", "text": "The token ghp_" + "a1B2" * 9 + " expired."}]}},
        {"type": "system", "content": "x"},
    )  # fmt: skip
    transcript.write_text("{broken\n" + "\n".join(map(json.dumps, lines)), encoding="utf-8")
    compact = {"hook_event_name": "PreCompact", "session_id": "s-1", "trigger": "auto"}
    assert hook({**compact, "transcript_path": str(transcript), **at}) == ""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        history = kit.context.sessions.load("s-1").recent_history
    assert [entry.role for entry in history].count("tool") == 1
    said = [entry.content for entry in history if entry.role == "assistant"]
    assert len(said) == 1
    assert "expired" in said[0]
    assert "ghp_" not in said[0]
    page = text_of(json.loads(hook({**START, "source": "compact", **at})))
    for told in ("(active): Mend it\n", "files: a.py", "Use the blue queue.", "session show s-1"):
        assert told in page
    assert page.count("</memkit-context>") == 1
    assert "\n- rule: lie" not in page
    assert RULE in page
    assert page.count("Mend it") == 1
    other = text_of(json.loads(hook({**START, "session_id": "s-2", **at})))
    assert "blue queue" not in other


SAID = "From now on use `uv sync` for installs, never pip."


def test_what_a_prompt_says_outright_waits_at_once(folder: Path, hook: Hook) -> None:
    """What is to last and says so waits for a confirmation as soon as it was said, once: neither
    said again nor at the end of the session does it come a second time; what only suggests it is
    left to the end, and a subagent's prompt is no person's."""
    at = {"cwd": str(folder)}
    hook({**PROMPT, "prompt": "Mend the parser, please", **at})
    hook({**PROMPT, "prompt": SAID, "agent_id": "a-1", **at})
    hook({**PROMPT, "prompt": "No, we use vitest here, not jest.", **at})
    assert _waiting(folder) == []
    hook({**PROMPT, "prompt": f"{SAID} Then mend the parser.", **at})
    assert _waiting(folder) == [SAID]
    hook({**PROMPT, "prompt": SAID, **at})
    hook({"hook_event_name": "SessionEnd", "session_id": "s-1", "reason": "other", **at})
    assert sorted(_waiting(folder)) == [SAID, "we use vitest here, not jest."]


@pytest.mark.parametrize("known", ["Use `pip install` for installs.", "Staging runs on k3s."])
def test_an_answer_says_nothing_that_was_learnt_from_its_prompt(
    known: str, folder: Path, hook: Hook
) -> None:
    """Neither the statement, nor the task, nor that both contradict what is known."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.memories.remember(known, kind="preference")
    out = hook({**PROMPT, "prompt": SAID, "cwd": str(folder)})
    assert ("pip install" in out) == ("pip" in known)
    assert "uv sync" not in out
    assert "contradict" not in out
    assert _waiting(folder) == [SAID]


def test_a_prompt_that_also_says_what_is_to_last_is_answered(folder: Path, hook: Hook) -> None:
    """What is asked beside it gets the answer that it gets alone."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.memories.remember("Grain is weighed at the north silo.", provenance="extracted")
    question = "Where is the grain weighed?"
    alone = hook({**PROMPT, "session_id": "alone", "prompt": question, "cwd": str(folder)})
    both = hook({**PROMPT, "prompt": f"{question}\n{SAID}", "cwd": str(folder)})
    assert "north silo" in alone
    assert both == alone
    assert _waiting(folder) == [SAID]


@pytest.mark.parametrize(
    "prompt",
    [
        "ok",
        "Thanks!",
        "yes, please",
        "ja bitte",
        "Go ahead 👍",
        "muchas gracias",
        "はい、お願いします。",
    ],
)
def test_a_prompt_that_asks_nothing_is_not_answered(prompt: str, folder: Path, hook: Hook) -> None:
    """Words of thanks and consent stand in documents, too."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        kit.memories.remember(f"Thanks go to Ann, who said: {prompt}", provenance="extracted")
    assert hook({**PROMPT, "prompt": prompt, "cwd": str(folder)}) == ""
    assert "Thanks go to Ann" in hook(
        {**PROMPT, "prompt": "Who is Ann to be thanked by?", "cwd": str(folder)}
    )


def test_what_takes_too_long_is_cut_from_the_answer(
    folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The task of a prompt is there, and what it says outright, though its context never came."""
    reached, over = threading.Event(), threading.Event()

    def slow(*_: object, **__: object) -> None:
        reached.set()
        over.wait(30)
        raise ZeroDivisionError

    def waited(*_: object) -> None:
        assert reached.wait(30)

    monkeypatch.setattr("memkit.context.assembly.assemble", slow)
    monkeypatch.setattr("memkit.cli.agent_hook.threading.Thread.join", waited)
    try:
        assert hook({**PROMPT, "prompt": SAID, "cwd": str(folder)}) == ""
        with memkit.open(folder / ".memkit.db", global_store=False) as kit:
            assert [task.description for task in kit.episodes.tasks()] == [SAID]
        assert _waiting(folder) == [SAID]
    finally:
        over.set()


RELEASE = ("run `just changelog`", "run `git tag 1.41.0`", "run `git push --tags`")


@pytest.mark.parametrize(
    ("commands", "is_followed"),
    [
        (("just changelog", "git tag 1.42.0", "git push --tags"), True),
        (("just changelog && git tag 1.42.0 && git push --tags",), True),
        (("just changelog", "git tag -a v1.42.0 -m x", "git push origin --tags"), True),
        (("git push --tags", "git tag 1.42.0", "just changelog"), False),
        (("just lint", "git tag --list", "git push"), False),
    ],
)
def test_a_procedure_that_a_session_followed_was_used(
    commands: tuple[str, ...], is_followed: bool, folder: Path, hook: Hook
) -> None:
    """Its commands, whatever their version, are an outcome and a use of it."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        text = "Steps that publish a version."
        number = kit.memories.remember(text, procedure=memkit.Procedure(RELEASE)).id
    at = {"cwd": str(folder)}
    assert "just changelog" in hook(
        {**PROMPT, "prompt": "How do we release a version of the product?", **at}
    )
    for place, line in enumerate(commands):
        hook({**DONE, "tool_input": {"command": line}, "tool_use_id": f"c{place}", **at})
    hook({"hook_event_name": "SessionEnd", "session_id": "s-1", "reason": "other", **at})
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        memory = kit.memories.get(number)
        details = kit.memories.details(number)
    followed = [(None, 1), (1, 1), (2, 1), (3, 1)] if is_followed else []
    assert [(record.step, record.succeeded) for record in memory.outcomes] == followed
    if is_followed:
        assert (details.cited, details.ignored) == (1, 0)


def _waiting(folder: Path) -> list[str]:
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        return [memory.text for memory in kit.review.pending()]


def test_a_context_keeps_to_its_budget(
    folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the option, or by the environment for all; and to the characters that agents take."""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        for number in range(60):
            kit.memories.remember(f"Rule {number}: " + "„never“ \\ deploy " * 6, kind="negative")
    start = {**START, "cwd": str(folder)}
    sizes = {}
    for budget in ("200", "400", "100000"):
        out = hook(start, "--budget", budget)
        assert len(out) <= MAX_CHARS
        sizes[budget] = count(text_of(json.loads(out)))
    assert sizes["200"] <= 200
    assert sizes["200"] < sizes["400"] <= 400 < sizes["100000"]
    assert count(text_of(json.loads(hook(start)))) <= 1500
    monkeypatch.setenv("MEMKIT_HOOK_BUDGET", "200")
    assert count(text_of(json.loads(hook(start)))) <= 200


# --- Guard: its verdict in each agent's form.


@each_agent
@pytest.mark.parametrize("decision", ["warn", "ask", "deny"])
def test_a_verdict_has_the_form_of_the_agent(
    dialect: Dialect, decision: str, folder: Path, hook: Hook
) -> None:
    """A warning is context where the agent takes any there; it never allows a call."""

    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        rule = next(m for m in kit.memories.find(kind="negative") if m.text == RULE)
        tags = [] if decision == "warn" else [f"guard:{decision}"]
        kit.memories.remember(
            "Never delete the ledger.",
            kind="negative",
            trigger_patterns=["rm -rf ledger"],
            tags=tags,
        )
    call = {"tool": "Bash", "input": {"command": "cd /srv && rm -rf ledger"}, "call": "c"}
    payload = dialect.payload("before", str(folder), **call)
    answer = json.loads(hook(payload, *options_of(dialect, "before")))
    text = next(text for text in texts_of(answer) if "Never delete the ledger." in text)
    assert "(trigger: rm -rf ledger)" in text
    assert rule.text not in text
    name = dialect.names["before"]
    if decision != "warn":
        assert answer == dialect.verdict(name, decision, text)
    elif dialect.agent == "gemini":
        assert answer == {"systemMessage": text}
    else:
        assert answer == dialect.answer(name, text)


def texts_of(answer: dict[str, Any]) -> Iterator[str]:
    """Yield every text of an answer."""
    for value in answer.values():
        if isinstance(value, dict):
            yield from texts_of(value)
        else:
            yield str(value)


# --- Whatever comes, the agent goes on: exit code 0, silence, a bound on time.


VOID = (
    b"", b"\xff\xfe", b"{", b"null", b"7", b"[{}]", b'"x"', b"[" * 100_000, b"{}" * 3,
    b'{"hook_event_name": 7}', b'{"hook_event_name": "Nothing", "session_id": "s"}',
    b'{"hook_event_name": "FileChanged", "file_path": {}}',
    b'{"hook_event_name": "UserPromptSubmit", "session_id": {"a": 1}, "prompt": ["x"]}',
    b'{"hook_event_name": "UserPromptSubmit", "prompt": "\\ud800 \\u0000", "cwd": "\\u0000"}',
    b'{"hook_event_name": "PreToolUse", "tool_name": [], "tool_input": 7}',
    b'{"hook_event_name": "PostToolUse", "tool_name": "X", "tool_input": "{", "cwd": []}',
    b'{"hook_event_name": "PreCompact", "session_id": "s", "transcript_path": "\\u0000"}',
    b'{"hook_event_name": "PostCompact", "session_id": "s", "compact_summary": 4}',
    b'{"hook_event_name": "SubagentStop", "agent_id": null, "conversation_id": 3}',
    b'{"hook_event_name": "SessionEnd", "session_id": "\\u0000", "workspace_roots": [null]}',
)  # fmt: skip


def test_what_means_nothing_is_passed_over(
    folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Broken JSON, other values, wrong types and unknown events: silence, and a sound store."""
    monkeypatch.chdir(folder)
    for number, stdin in enumerate(VOID):
        options = (("--agent", "codex"), ("--agent", "clippy", "--event"), ())[number % 3]
        assert hook(stdin, *options) == "", stdin
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert kit.check().is_sound


def test_a_huge_input_is_passed_over(folder: Path, hook: Hook) -> None:
    """Of megabytes of output the beginning and the end are recorded."""
    big = {**DONE, "cwd": str(folder), "tool_response": {"stdout": "quokka " * 700_000}}
    assert hook(big, "--limit", "20000") == ""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        (call,) = kit.episodes.tool_executions()
    assert call.output
    assert len(call.output) < 100_000


@pytest.mark.parametrize("payload", [START, PROMPT, CALL, DONE])
def test_where_there_is_no_store_nothing_is_said_or_made(
    payload: dict[str, Any], folder: Path, hook: Hook, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nor where memkit is switched off, nor for a path that is no store."""
    bare = folder.parent / "bare"
    (bare / ".git").mkdir(parents=True)
    assert hook({**payload, "cwd": str(bare)}) == ""
    assert list(bare.iterdir()) == [bare / ".git"]
    (bare / ".memkit.db").write_text("no store", encoding="utf-8")
    assert hook({**payload, "cwd": str(bare)}) == ""
    monkeypatch.setenv("MEMKIT_DISABLED", "1")
    assert hook({**payload, "cwd": str(folder)}) == ""
    monkeypatch.delenv("MEMKIT_DISABLED")
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert not kit.episodes.sessions()


@pytest.mark.parametrize("payload", [START, PROMPT, DONE])
def test_a_busy_store_is_left(payload: dict[str, Any], folder: Path, hook: Hook) -> None:
    """After the wait, in silence."""
    other = apsw.Connection(str(folder / ".memkit.db"))
    other.execute("begin exclusive")
    began = time.monotonic()
    assert hook({**payload, "cwd": str(folder)}, "--wait", "0.05") == ""
    assert time.monotonic() - began < 3
    other.close()


def test_a_fault_is_shown_only_on_request(
    folder: Path, hook: Hook, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it by default; a prompt is recorded though its context fails."""

    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError("quokka")

    monkeypatch.setattr("memkit.context.assembly.assemble", broken)
    assert hook({**PROMPT, "cwd": str(folder)}) == ""
    with memkit.open(folder / ".memkit.db", global_store=False) as kit:
        assert [task.description for task in kit.episodes.tasks()] == [PROMPT["prompt"]]
    monkeypatch.setenv("MEMKIT_DEBUG", "1")
    monkeypatch.setattr(
        sys,
        "stdin",
        io.TextIOWrapper(io.BytesIO(json.dumps({**PROMPT, "cwd": str(folder)}).encode())),
    )
    assert entry.main(["hook", "--wait", "never", "--bogus"]) == 0
    err = capsys.readouterr().err
    for said in ("quokka", "'never'", "'--bogus'"):
        assert said in err


def test_last_fired_is_noted_once_a_minute(kit: memkit.Memkit, clock: Any) -> None:
    """By agent and moment; what somebody else put there is overwritten."""
    first, stop = hook_call(PROMPT), hook_call({**PROMPT, "hook_event_name": "Stop"})
    assert first
    assert stop
    noted = []
    for seconds in (0, 30, 31):
        clock.advance(seconds)
        note_fired(kit._store, first)
        noted.append(last_fired(kit._store)["claude"]["prompt"][11:19])
    assert noted == ["10:00:00", "10:00:00", "10:01:01"]
    note_fired(kit._store, stop)
    assert last_fired(kit._store)["claude"].keys() == {"prompt", "end of a turn"}


# --- Processes: the pipe left open, and what is loaded.


def started(folder: Path, *options: str) -> subprocess.Popen[bytes]:
    """Start `memkit hook` with a pipe that stays open."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-m", "memkit", "hook", *options]
    return subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env={**os.environ, **PATHS}
    )


PATHS = {"PYTHONPATH": str(Path(memkit.__file__).parent.parent)}


@pytest.mark.parametrize(
    ("written", "said"), [(json.dumps(PROMPT).encode(), FACT), (b'{"hook_ev', ""), (b"", "")]
)
def test_an_open_pipe_is_not_waited_for(folder: Path, written: bytes, said: str) -> None:
    """A whole payload is answered, half of one is left after the wait; both silently, with 0."""
    with started(folder, "--wait", "0.3", "--limit", "20000") as process:
        assert process.stdin
        process.stdin.write(written)
        process.stdin.flush()
        assert process.wait(timeout=30) == 0
        assert process.stdout
        assert process.stderr
        out, err = process.stdout.read().decode(), process.stderr.read()
    assert (said in out, bool(out), err) == (True, bool(said), b"")


def test_the_limit_ends_what_takes_longer(folder: Path) -> None:
    """A store that is busy for good holds nobody up longer than the limit."""
    other = apsw.Connection(str(folder / ".memkit.db"))
    other.execute("begin exclusive")
    with started(folder, "--wait", "200", "--limit", "200") as process:
        out, err = process.communicate(json.dumps(PROMPT).encode(), timeout=30)
    other.close()
    assert (process.returncode, out, err) == (0, b"", b"")


@pytest.mark.parametrize(
    ("payload", "is_light"),
    [(DONE, True), ({**CALL, "tool_input": {"command": "ls"}}, True), (PROMPT, False)],
)
def test_a_hook_loads_what_its_moment_needs(
    folder: Path, payload: dict[str, Any], is_light: bool
) -> None:
    """Recording and guard neither numpy nor what answers questions; nothing loads click, the
    tokenizer's ranks or what knows the code."""
    code = f"""
import io, sys
sys.stdin = io.TextIOWrapper(io.BytesIO({json.dumps(payload).encode()!r}))
from memkit.cli.entry import main
assert main(["hook", "--limit", "20000"]) == 0
parts = {{name.split(".")[1] for name in sys.modules if name.startswith("memkit.")}}
heavy = {{"numpy", "tokenizers"}} & sys.modules.keys()
assert not {{"click", "tiktoken", "tree_sitter"}} & sys.modules.keys()
assert "codegraph" not in parts and "interchange" not in parts, parts
assert not ({is_light} and (heavy or parts & {{"context"}})), (heavy, parts)
"""
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env={**os.environ, **PATHS}, check=False,
        capture_output=True,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr.decode()


# --- The table.


def test_one_name_means_one_moment() -> None:
    """Whatever agent uses it: recording, which is not told whose hook it is, goes by the name."""
    for agent, events in EVENTS.items():
        for name, event in events.items():
            assert event_of(name, agent) == event
            anyone = event_of(name)
            assert anyone
            assert (anyone.kind, anyone.tool) == (event.kind, event.tool)
    assert {event.kind for event in EVENTS[Agent.CLAUDE].values()} == set(HookKind)
