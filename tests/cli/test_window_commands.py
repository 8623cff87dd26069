"""Window commands: prune a file of messages or a transcript, and expand what was removed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memkit.context.messages import Message, validate
from tests.cli.conftest import Run


def _messages() -> list[Message]:
    out: list[Message] = [{"role": "user", "content": "Mend it: größer"}]
    for n in range(8):
        use = {"type": "tool_use", "id": f"t{n}", "name": "Read", "input": {"file_path": f"a{n}"}}
        text = "".join(f"part {n} line {line} \u001b\n" for line in range(60))
        result = {"type": "tool_result", "tool_use_id": f"t{n}", "content": text}
        out.append({"role": "assistant", "content": [use]})
        out.append({"role": "user", "content": [result]})
    return out


@pytest.fixture
def file(folder: Path) -> Path:
    """A list of messages, a line each."""
    path = folder / "messages.jsonl"
    path.write_text("".join(f"{json.dumps(message)}\n" for message in _messages()), "utf-8")
    return path


def test_pruned_messages_are_valid_and_have_the_form_they_came_in(run: Run, file: Path) -> None:
    """Lines in, lines out; the report is on standard error; a handle brings the content back."""
    ran = run("window", "prune", str(file), "--share", ".4")
    messages = [json.loads(line) for line in ran.out.splitlines()]
    assert (ran.code, messages[0]) == (0, _messages()[0])
    assert not validate(messages, "anthropic", before=_messages())
    assert "memkit expand" in ran.err
    stub = next(
        block["content"]
        for message in messages
        for block in message["content"]
        if isinstance(block, dict) and "memkit expand" in str(block.get("content"))
    )
    handle = str(stub).split("memkit expand ")[1].split()[0]
    assert "part 0 line 7" in run("expand", handle).out
    assert run("expand", "12").code == 1


def test_list_goes_to_a_file_and_the_report_is_json(run: Run, folder: Path) -> None:
    """A request's list comes out as a list; --output takes it, --json says what was done."""
    path = folder / "request.json"
    path.write_text(json.dumps({"model": "m", "messages": _messages()}), "utf-8")
    ran = run("window", "prune", str(path), "--to", "900", "--output", "out.json", "--json")
    messages = json.loads((folder / "out.json").read_text("utf-8"))
    assert ran.json["tokens"] <= 900
    assert "messages" not in ran.json
    assert not validate(messages, "anthropic", before=_messages())


def test_transcript_of_claude_code_is_read(run: Run, folder: Path) -> None:
    """The messages of a transcript are taken, those of subagents and other rows left out."""
    rows: list[dict[str, object]] = [{"type": "summary", "summary": "x", "leafUuid": "1"}]
    rows += [
        {"type": message["role"], "uuid": "u", "message": {**message, "id": "m"}}
        for message in _messages()
    ]
    rows.append({"type": "user", "isSidechain": True, "message": {"role": "user", "content": "s"}})
    (folder / "t.jsonl").write_text("\n".join(map(json.dumps, rows)), "utf-8")
    ran = run("window", "prune", "t.jsonl", "--max-tokens", "100000")
    assert [json.loads(line) for line in ran.out.splitlines()] == _messages()


def test_one_size_must_be_given(run: Run, file: Path) -> None:
    """Neither or both of the sizes is an error of usage; a file that is none is named."""
    assert run("window", "prune", str(file)).code == 2
    assert run("window", "prune", str(file), "--to", "9", "--share", ".5").code == 2
    assert "no-such" in run("window", "prune", "no-such", "--to", "9").err
    assert "ContextOverflow" not in (ran := run("window", "prune", str(file), "--to", "9")).err
    assert ran.code == 1


def test_expand_of_a_memory_goes_down_a_level(run: Run) -> None:
    """By its id; what there is beside it is said on stderr."""
    number = run(
        "remember", "Uploads go through the queue, never straight to the bucket."
    ).out.split()[1]
    shown = run("expand", number)
    assert "never straight to the bucket" in shown.out
    assert shown.err == ""
    assert run("expand", number, "--json").json["level"] == "full"
    assert run("expand", number, "--seen", "half").code == 2
