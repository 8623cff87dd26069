"""Pruning of message lists: valid, within the limit, stable, and everything can be had back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit
from memkit.context.messages import Message, format_of, tokens, validate
from memkit.context.pruning import Pruner
from memkit.context.pruning_plan import PruningOptions
from memkit.episodes.paths import RepositoryPaths
from memkit.errors import ContextOverflow, InvalidInput
from memkit.tokens import TokenCounter, count
from tests.context.message_strategies import named_histories

SYSTEM: Message = {"role": "system", "content": "You are a careful engineer."}
TASK: Message = {"role": "user", "content": "Find out why the upload hangs and mend it."}
FOLLOW_UP: Message = {"role": "user", "content": "Now write the test for it."}
CHAT = "openai_chat"


def _call(number: int | str, tool: str = "Read", **arguments: object) -> Message:
    function = {"name": tool, "arguments": json.dumps(arguments or {"file_path": f"a{number}.py"})}
    call = {"id": f"c{number}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _result(number: int | str, text: str) -> Message:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def _words(number: int, tokens: int) -> str:
    """Return about so many tokens of text, another one for each number."""
    return " ".join(f"value {number} {n}" for n in range(tokens // 5))


def _session(turns: int, size: int) -> list[Message]:
    steps = [(_call(n), _result(n, _words(n, size))) for n in range(turns)]
    return [SYSTEM, TASK, *(message for step in steps for message in step)]


def _result_of(messages: Sequence[Message], number: int | str) -> str:
    return str(next(m["content"] for m in messages if m.get("tool_call_id") == f"c{number}"))


# -- what stays


def test_task_system_prompt_and_follow_up_outlive_a_giant_result(kit: memkit.Memkit) -> None:
    """A result of 100,000 tokens goes, not the task; what can never fit is an error with its size
    (case first-user-message-trimmed)."""
    giant = _result(99, "x = 1\n" * 25_000)
    messages = [*_session(30, 60), _call(99), giant, FOLLOW_UP]
    for limit in (4_000, 1_000):
        pruned = kit.context.prune(messages, CHAT, max_tokens=limit)
        assert tokens(format_of([], CHAT), pruned.messages, count) == pruned.tokens <= limit
        texts = "\n".join(str(message["content"]) for message in pruned.messages)
        assert all(str(message["content"]) in texts for message in (SYSTEM, TASK, FOLLOW_UP))
        assert not validate(pruned.messages, CHAT, before=messages)
    with pytest.raises(ContextOverflow, match=r"\d+ tokens, the limit is 20") as caught:
        kit.context.prune(messages, CHAT, max_tokens=20)
    assert caught.value.tokens > caught.value.max_tokens == 20
    assert isinstance(caught.value, memkit.MemkitError)


@pytest.mark.parametrize("limit", [150, 300, 800, 2_000])
def test_calls_and_results_never_part(kit: memkit.Memkit, limit: int) -> None:
    """Parallel calls, a call in flight and an orphan result: the output is valid, and valid again
    when it is pruned once more (case tool-pair-split)."""
    parallel = {**_call("B"), "content": None}
    parallel["tool_calls"] = [_call("B")["tool_calls"][0], _call("C")["tool_calls"][0]]  # type: ignore[index]
    messages = [
        TASK, _call("A"), _result("A", _words(1, 300)), parallel, _result("B", _words(2, 300)),
        _result("C", _words(3, 300)), _result("E", "of a turn that was broken off"),
        {"role": "assistant", "content": "I see."}, FOLLOW_UP, _call("D"),
    ]  # fmt: skip
    pruned = kit.context.prune(messages, CHAT, max_tokens=limit)
    again = kit.context.prune(pruned.messages, CHAT, max_tokens=max(limit // 2, 150))
    for out in (pruned, again):
        assert not validate(out.messages, CHAT)
        assert out.messages[-1] == messages[-1]
        assert all(message.get("tool_call_id") != "cE" for message in out.messages)


@given(named_histories, st.floats(0.02, 1.2), st.booleans(), st.integers(0, 6))
def test_any_history_stays_valid_within_any_limit(
    named: tuple[str, list[Message]], share: float, is_once: bool, tail: int
) -> None:
    """Whatever the history and the limit: valid, within it, pending calls there, or an error."""
    name, messages = named
    format = format_of([], name)
    limit = max(int(share * tokens(format, messages, count)), 1)
    pruner = Pruner(format, TokenCounter(), RepositoryPaths(Path("/nowhere")))
    goal = limit if is_once else None
    try:
        out = pruner.prune(messages, PruningOptions(limit, goal, tail_turns=tail))
        again = pruner.prune(out.messages, PruningOptions(limit))
    except ContextOverflow:
        return
    assert not validate(out.messages, name, before=messages)
    assert not validate(again.messages, name, before=list(out.messages))
    assert tokens(format, out.messages, count) == out.tokens <= limit


def test_pinned_messages_stay_as_they_are(kit: memkit.Memkit) -> None:
    """A message at an index of `keep` is not touched, others are; an index beyond is refused."""
    messages = _session(12, 300)
    pruned = kit.context.prune(messages, CHAT, to=1_500, keep=[5])
    assert messages[5] in pruned.messages
    assert messages[3] not in pruned.messages
    with pytest.raises(InvalidInput, match="keep"):
        kit.context.prune(messages, CHAT, to=1_500, keep=[len(messages)])


def test_newest_turns_stay_whole(kit: memkit.Memkit) -> None:
    """The tail is as long as was said, in tokens and turns."""
    messages = _session(12, 200)
    pruned = kit.context.prune(messages, CHAT, to=1_800, tail_tokens=1_000, tail_turns=3)
    assert list(pruned.messages[-6:]) == messages[-6:]
    assert "removed" in _result_of(pruned.messages, 2)


# -- what goes first


def test_superseded_and_repeated_results_go_before_others(kit: memkit.Memkit) -> None:
    """A file that was read again, and a result that came again, go before what is still true."""
    old, new, other = _words(1, 300), _words(2, 300), _words(3, 300)
    messages = [
        TASK, _call(1, file_path="a.py"), _result(1, other), _call(2, file_path="b.py"),
        _result(2, old), _call(3, file_path="b.py"), _result(3, new), _call(4), _result(4, "ok"),
    ]  # fmt: skip
    whole = tokens(format_of([], CHAT), messages, count)
    pruned = kit.context.prune(messages, CHAT, to=whole - 100, tail_turns=1)
    assert [removal.what for removal in pruned.removed] == ["result of 'Read'"]
    assert "removed" in _result_of(pruned.messages, 2)
    assert _result_of(pruned.messages, 1) == other


def test_what_later_calls_reuse_is_worth_more(kit: memkit.Memkit) -> None:
    """Of two results the one that a later call took a path from stays, and a stub names it."""
    listing = "\n".join(f"src/module_{n}.py" for n in range(60))
    messages = [
        TASK, _call(1, "Glob", pattern="*"), _result(1, listing),
        _call(2, "Glob", pattern="b*"), _result(2, listing.replace("src", "doc")),
        _call(3, file_path="src/module_7.py"), _result(3, "def f(): ..."),
    ]  # fmt: skip
    whole = tokens(format_of([], CHAT), messages, count)
    pruned = kit.context.prune(messages, CHAT, to=whole - 100, tail_turns=1)
    assert _result_of(pruned.messages, 1) == listing
    both = kit.context.prune(messages, CHAT, to=260, tail_turns=1)
    assert "used later: src/module_7.py" in _result_of(both.messages, 1)


# -- what a provider has cached


def test_prefix_changes_rarely_as_a_session_grows(kit: memkit.Memkit) -> None:
    """30 turns of 400 tokens within 8,000: at most 4 cuts, otherwise the list before is the
    beginning of the next (case prune-rewrites-prefix)."""
    messages = _session(30, 400)
    before: list[Message] = []
    cuts = 0
    for end in range(2, len(messages) + 1, 2):
        now = list(kit.context.prune(messages[:end], CHAT, max_tokens=8_000, session="s"))
        assert now == list(kit.context.prune(messages[:end], CHAT, max_tokens=8_000, session="s"))
        cuts += now[: len(before)] != before
        before = now
    assert 1 <= cuts <= 4


def test_output_is_the_same_in_every_process(tmp_path: Path) -> None:
    """Handles and stubs follow from the history, not from time, store or hash seed."""
    program = (
        "import json, sys, memkit\n"
        "messages = json.load(sys.stdin)\n"
        "with memkit.open(sys.argv[1], global_store=False) as kit:\n"
        "    out = kit.context.prune(messages, 'openai_chat', max_tokens=3000)\n"
        "print(json.dumps(out.messages))\n"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program, str(tmp_path / f"{seed}.db")],
            input=json.dumps(_session(20, 250)),
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert "memkit expand" in outputs.pop()


def test_below_the_threshold_nothing_changes(kit: memkit.Memkit) -> None:
    """A list that fits comes back as it is."""
    messages = _session(3, 50)
    pruned = kit.context.prune(messages, max_tokens=10_000)
    assert (list(pruned), pruned.changed_from, pruned.removed) == (messages, None, ())


# -- what was removed


def test_chat_that_began_with_a_greeting_of_the_model_lost_nothing(kit: memkit.Memkit) -> None:
    """Plain texts do not show whose format they have: OpenAI's may begin so."""
    greeting: Message = {"role": "assistant", "content": "How can I help?"}
    asked: Message = {"role": "user", "content": "Release the lock."}
    for chat in ([greeting, asked], [{"role": "system", "content": "Be brief."}, greeting, asked]):
        assert list(kit.context.prune(chat, max_tokens=4_000).messages) == chat


def test_removed_content_comes_back_by_its_handle(kit: memkit.Memkit) -> None:
    """A stub names a handle; turns that are gone are behind the handle in a note that is marked as
    history. A snapshot is stored once."""
    messages = _session(20, 250)
    pruned = kit.context.prune(messages, CHAT, to=700, session="s1")
    contents = {str(kit.context.expand(r.handle).content) for r in pruned.removed if r.handle}
    notes = [m for m in pruned.messages if "not an instruction" in str(m["content"])]
    assert len(notes) == 1
    assert "messages (" in str(notes[0]["content"])
    assert any(_words(0, 250) in content for content in contents)
    assert pruned.snapshot is not None
    assert pruned.changed_from == 1
    assert kit.context.prune(messages, CHAT, to=700, session="s1").snapshot is None
    with pytest.raises(memkit.NotFound):
        kit.context.expand(1)
    for wrong in (True, 1.0, None, "x", 0):
        with pytest.raises(InvalidInput, match="handle"):
            kit.context.expand(wrong)  # type: ignore[arg-type]


def test_secrets_and_private_files_are_not_stored(kit: memkit.Memkit) -> None:
    """A secret is replaced in what is stored; nothing of a private file is: its stub says so."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    messages = [
        TASK, _call(1), _result(1, f"token = {secret}\n" + _words(1, 300)),
        _call(2, file_path=".env"), _result(2, "PASSWORD=hunter2hunter2\n" * 60),
        _call(3), _result(3, "ok"),
    ]  # fmt: skip
    pruned = kit.context.prune(messages, CHAT, to=300, tail_turns=1)
    assert "not stored" in _result_of(pruned.messages, 2)
    handles = [removal.handle for removal in pruned.removed]
    assert None in handles
    stored = json.dumps([kit.context.expand(h).content for h in handles if h is not None])
    assert secret not in stored
    assert "hunter2" not in stored
    assert "value 1 1" in stored


def test_a_limit_must_be_given(kit: memkit.Memkit) -> None:
    """Neither limit nor size is an error of the caller; so is a message that is none."""
    with pytest.raises(InvalidInput, match="max_tokens"):
        kit.context.prune([TASK])
    bad: Any = ["hello"]
    with pytest.raises(InvalidInput, match="messages"):
        kit.context.prune(bad, max_tokens=10)
