"""Context window: items, pruning by relevance, snapshots, restore, and preparation of a message."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit import ContextOverflow, ContextWindow, InvalidInput, ItemType, NotFound
from memkit.context.messages import Message, validate
from tests.conftest import Clock

CHAT = "openai_chat"


def _steps(count: int, size: int = 40) -> list[Message]:
    out: list[Message] = []
    for n in range(count):
        function = {"name": "Read", "arguments": json.dumps({"file_path": f"src/a{n}.py"})}
        call = {"id": f"c{n}", "type": "function", "function": function}
        out.append({"role": "assistant", "content": None, "tool_calls": [call]})
        text = "".join(f"line {n} of part {line}\n" for line in range(size))
        out.append({"role": "tool", "tool_call_id": f"c{n}", "content": text})
    return out


def _filled(kit: memkit.Memkit, limit: int = 3_000) -> ContextWindow:
    window = kit.context.window(max_tokens=limit, session="s1", task="t1", format=CHAT)
    window.add("Be careful.", ItemType.SYSTEM_PROMPT)
    window.add("Mend the parser.")
    window.extend(_steps(10))
    return window


def test_nothing_is_pruned_up_to_the_threshold(kit: memkit.Memkit) -> None:
    """Up to 80 % of the limit a window stays as it is."""
    window = kit.context.window(max_tokens=1_000, session="s1")
    window.add("value 1 " * 190)
    assert window.tokens <= 800
    assert window.maybe_prune() is None
    assert kit.context.window(max_tokens=1_000).items == ()


def test_pruning_removes_the_least_relevant_share(kit: memkit.Memkit, clock: Clock) -> None:
    """Above 80 % the least relevant 30 % of the tokens go, by age here; what is pinned stays."""
    window = kit.context.window(max_tokens=1_000, session="s1")
    window.add("Task.")
    for number in range(9):
        window.add(f"note {number} " * 32, ItemType.GRAPH_QUERY, query="q")
        clock.advance(600)
    window.pin(window.items[1])
    before = window.tokens
    pruning = window.maybe_prune()
    assert pruning is not None
    assert window.tokens <= 0.7 * before
    assert [item.content[:6] for item in pruning.removed] == ["note 1", "note 2", "note 3"]
    assert window.items[1].content.startswith("note 0")
    assert window.tokens == pruning.tokens


def test_current_task_and_dependents_count(kit: memkit.Memkit) -> None:
    """An item of the current task counts double, each dependent adds a fifth (seed 000)."""
    window = kit.context.window(max_tokens=1_000, session="s1", task="t1")
    code = window.add("def f(): ...", "code_snippet", path="a.py", lines=(1, 1))
    assert window.relevance(code) == pytest.approx(2 * 0.7)
    window.add("f is slow", dependencies=[code.id])
    assert window.relevance(code) == pytest.approx(2 * 0.7 * 1.2)
    window.switch_task("t2")
    assert window.relevance(code) == pytest.approx(0.7 * 1.2)
    with pytest.raises(InvalidInput, match="dependencies"):
        window.add("x", dependencies=["nobody"])


def test_wrong_messages_change_nothing(kit: memkit.Memkit) -> None:
    """What is no message, and one without a word, is named before anything is added."""
    window = _filled(kit)
    items = window.items
    for wrong in ("", " \n", None):
        with pytest.raises(InvalidInput, match=r"message: (is blank|found None)"):
            window.prepare(wrong)  # type: ignore[arg-type]
    for wrong in (None, "hi", ["hi"]):
        with pytest.raises(InvalidInput, match=r"messages: found .*expected a"):
            window.extend(wrong)  # type: ignore[arg-type]
    assert window.items == items


def test_restore_gives_the_window_back(kit: memkit.Memkit) -> None:
    """After a pruning and a restore the items are what they were, each in its place; a single one
    comes back by its handle."""
    window = _filled(kit)
    items, messages = window.items, window.messages()
    pruning = window.maybe_prune()
    assert pruning is not None
    assert pruning.snapshot is not None
    assert window.items != items
    assert not validate(window.messages(), CHAT)
    assert [snapshot.id for snapshot in window.snapshots()] == [pruning.snapshot]
    assert window.snapshots()[0].removed == len(pruning.removed)
    span = kit.context.expand(pruning.handles[0])
    assert span.content["item"]["content"] == pruning.removed[0].content
    window.restore(window.snapshots()[0])
    assert (window.items, window.messages()) == (items, messages)
    window.restore(pruning.snapshot)
    assert (window.items, window.messages()) == (items, messages)
    with pytest.raises(NotFound):
        window.restore(1)


def test_results_of_calls_become_stubs(kit: memkit.Memkit) -> None:
    """A result never parts from its call: one of them goes with the other, or leaves a stub."""
    window = _filled(kit)
    window.prune(to=1_200)
    results = [item for item in window.items if item.type is ItemType.TOOL_RESULT]
    stubs = [item for item in results if item.handle is not None]
    assert stubs
    assert all(f"memkit expand {item.handle}" in item.content for item in stubs)
    assert len(results) == sum(len(item.calls) for item in window.items)
    assert not validate(window.messages(), CHAT)


def test_pruned_code_is_recorded_as_read(kit: memkit.Memkit) -> None:
    """Before a code snippet goes, the file is noted as read, with its lines."""
    window = kit.context.window(max_tokens=300, session="s1")
    window.add("Task.")
    window.add("x = 1\n" * 60, "code_snippet", path="src/a.py", lines=(10, 69))
    window.add("newest")
    window.prune(to=100)
    history = kit.episodes.file_history("src/a.py")
    assert (history.reads, history.recent[0].lines) == (1, (10, 69))


def test_what_must_stay_is_never_dropped_silently(kit: memkit.Memkit) -> None:
    """If what is pinned is larger than the limit, the error says how large; nothing is changed."""
    window = kit.context.window(max_tokens=100, session="s1")
    window.add("rule " * 300, ItemType.SYSTEM_PROMPT)
    window.add("small talk " * 5)
    window.add("Task.")
    items = window.items
    with pytest.raises(ContextOverflow) as caught:
        window.maybe_prune()
    assert caught.value.tokens > 300 > caught.value.max_tokens
    assert window.items == items


def test_private_content_is_not_stored(kit: memkit.Memkit) -> None:
    """What goes of a private file is not written, and secrets are replaced."""
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
    window = kit.context.window(max_tokens=400, session="s1")
    window.add("Task.")
    window.add("PASSWORD=hunter2hunter2\n" * 20, "code_snippet", path=".env", lines=(1, 20))
    window.add(f"token {secret} " + "word " * 90, ItemType.ASSISTANT_RESPONSE)
    window.add("newest")
    pruning = window.prune(to=50)
    assert pruning is not None
    stored = json.dumps([kit.context.expand(handle).content for handle in pruning.handles])
    assert "hunter2" not in stored
    assert secret not in stored
    assert "not stored" in stored


def test_preparation_adds_code_and_past_work(
    make_kit: Callable[..., memkit.Memkit], tmp_path: Path
) -> None:
    """A message comes with the code that it speaks of, read from the disk, and with similar tasks;
    the list before is the beginning of the list after."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    body = "\n".join(f"    total += {n}" for n in range(5))
    (tmp_path / "invoice.py").write_text(
        f"def total_of_invoice(total):\n{body}\n    return total\n"
    )
    kit = make_kit()
    kit.codegraph.index()
    with kit.session("before") as session, session.task("Round the invoice total") as task:
        task.finish("rounded half to even")
    window = kit.context.window(max_tokens=4_000, session="s1", format=CHAT)
    window.add("Be careful.", ItemType.SYSTEM_PROMPT)
    first = window.messages()
    messages = window.prepare("Where is total_of_invoice computed? Round the invoice total.")
    texts = [str(message["content"]) for message in messages]
    assert messages[: len(first)] == first
    assert any("invoice.py:1-" in text and "total += 4" in text for text in texts)
    assert any("Relevant past work:\n- Round the invoice total" in text for text in texts)
    assert not validate(messages, CHAT)
    again = window.prepare("Where is total_of_invoice computed? Round the invoice total.")
    assert sum("total += 4" in str(message["content"]) for message in again) == 1


def test_formats_do_not_mix(kit: memkit.Memkit) -> None:
    """A window has one format; a list of another is refused, as is an unknown detail."""
    window = _filled(kit)
    with pytest.raises(InvalidInput, match="format"):
        window.extend([{"role": "user", "content": "x"}], "anthropic")
    with pytest.raises(InvalidInput, match="no detail"):
        window.add("x", colour="red")
