"""Tests of message formats: what is valid, what hangs together, and that edits keep it valid."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterable, Iterator
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.context import messages as formats
from memkit.context.messages import FormatName, Message, Rule, Turn, TurnKind
from memkit.context.messages.records import Part, PartKind
from memkit.errors import InvalidInput
from tests.context.message_strategies import format_names, named_histories, randoms

FORMATS = [name.value for name in FormatName]


def count(text: str) -> int:
    """A quick count."""
    return len(text) // 4 + 1


def rules(messages: list[Message], name: str | None = None) -> list[Rule]:
    """The rules that a list breaks."""
    return [problem.rule for problem in formats.validate(messages, name)]


@given(named_histories)
def test_made_up_histories_are_valid_and_split_into_turns(named: tuple[str, list[Message]]) -> None:
    """What the strategies make is valid; its turns hold each part once, and all tokens."""
    name, history = named
    assert formats.validate(history, name) == []
    format = formats.format_of(history, name)
    turns = formats.turns(format, history, count)
    parts = [part for turn in turns for part in turn.parts]
    assert sorted(map(repr, parts)) == sorted(map(repr, format.parts(history)))
    assert formats.tokens(format, history, count) == sum(turn.tokens for turn in turns)
    assert formats.repair(format, history) == history


@given(named_histories, randoms)
def test_removal_of_any_turns_leaves_a_valid_list(
    named: tuple[str, list[Message]], random: Random
) -> None:
    """Whatever turns go: the rest is valid, verbatim, in order; thinking behind the cut is gone."""
    name, history = named
    before = copy.deepcopy(history)
    format = formats.format_of(history, name)
    turns = formats.turns(format, history, count)
    gone = [turn for turn in turns if random.random() < 0.4]
    out = formats.remove(format, history, gone, note="three steps")
    assert formats.validate(out, name, before=history) == []
    assert history == before
    doomed = {call.id for turn in gone if not turn.is_pending for call in turn.calls}
    stays = {call.id for turn in turns for call in turn.calls} - doomed
    assert {call.id for turn in formats.turns(format, out, count) for call in turn.calls} == stays


def _results(turns: Iterable[Turn]) -> Iterator[Part]:
    kinds = (PartKind.RESULT, PartKind.SERVER_RESULT)
    return (part for turn in turns for part in turn.parts if part.kind in kinds)


@given(named_histories, randoms)
def test_stubs_leave_a_valid_list(named: tuple[str, list[Message]], random: Random) -> None:
    """Results and long arguments give way to a text; ids, order and every other message stay."""
    name, history = named
    format = formats.format_of(history, name)
    turns = formats.turns(format, history, count)
    doomed = {call.id: "[gone: 7]" for t in turns for call in t.calls if random.random() < 0.5}
    out = formats.stub(format, history, doomed, doomed)
    assert formats.validate(out, name, before=history) == []
    after = formats.turns(format, out, count)
    results = {result.call_id: result for result in _results(after)}
    for result in _results(turns):
        is_own = result.kind is PartKind.RESULT
        is_stub = result.call_id in doomed and is_own and not result.is_fixed
        assert results[result.call_id].text == ("[gone: 7]" if is_stub else result.text)
    own = {p.call_id for turn in after for p in turn.parts if p.kind is PartKind.CALL}
    for turn in after:
        for call in turn.calls:
            longest = max(
                (len(v) for v in call.arguments.values() if isinstance(v, str)), default=0
            )
            is_open = formats.open_thinking(format, history) is not None
            assert call.id not in own & doomed.keys() or longest <= 200 or is_open


@given(named_histories, st.integers(0, 40), st.text(max_size=20))
def test_note_can_be_put_anywhere(named: tuple[str, list[Message]], index: int, text: str) -> None:
    """A note is part of a user's message, is labelled, cannot be closed from within."""
    name, history = named
    format = formats.format_of(history, name)
    said = f"x[memkit: end of history]{text}x"
    out = formats.insert_note(format, history, min(index, len(history)), said)
    assert formats.validate(out, name, before=history) == []
    bearing = [m for m in out if "end of history" in json.dumps(m)]
    assert [m["role"] for m in bearing] == ["user"]
    assert json.dumps(out).count("[memkit: end of history]") == 1


@given(named_histories, randoms)
def test_broken_lists_are_reported_and_mended(
    named: tuple[str, list[Message]], random: Random
) -> None:
    """Lists with messages lost, doubled and swapped: pairs are mended; what is valid stays, and so
    does a beginning that nobody can mend."""
    name, history = named
    broken = copy.deepcopy(history)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(broken))
        change = random.choice(("lose", "double", "swap"))
        if change == "lose" and len(broken) > 1:
            del broken[at]
        elif change == "double":
            broken.insert(random.randint(0, len(broken)), copy.deepcopy(broken[at]))
        else:
            broken[at], broken[-1] = broken[-1], broken[at]
    format = formats.format_of(broken, name)
    mended = formats.repair(format, broken)
    beginning = {Rule.FIRST}.intersection(rules(broken, name))
    assert set(rules(mended, name)) <= {Rule.DUPLICATE_ID, Rule.COMPACTION} | beginning
    if not rules(broken, name):
        assert mended == broken


@given(format_names, st.lists(st.from_type(object) | st.dictionaries(st.text(), st.none())))
def test_anything_is_reported_and_nothing_raised(name: str, messages: list[Message]) -> None:
    """Whatever is in the list, it gets problems, turns and a repair, never an exception."""
    format = formats.format_of(messages, name)
    assert len(rules(messages, name)) >= len(messages)
    formats.turns(format, messages, count)
    formats.repair(format, messages)


def _anthropic_call(*ids: str) -> Message:
    blocks = [{"type": "tool_use", "id": own, "name": "read", "input": {}} for own in ids]
    return {"role": "assistant", "content": blocks}


def _anthropic_result(*ids: str) -> Message:
    blocks = [
        {"type": "tool_result", "tool_use_id": own, "content": f"RESULT-{own}"} for own in ids
    ]
    return {"role": "user", "content": blocks}


def _chat_call(*ids: str) -> Message:
    function = {"name": "read", "arguments": "{}"}
    calls = [{"id": own, "type": "function", "function": function} for own in ids]
    return {"role": "assistant", "content": None, "tool_calls": calls}


def _chat_result(own: str) -> Message:
    return {"role": "tool", "tool_call_id": own, "content": f"RESULT-{own}"}


def _item(own: str) -> Message:
    return {"type": "function_call", "call_id": own, "name": "read", "arguments": "{}"}


def _output(own: str) -> Message:
    return {"type": "function_call_output", "call_id": own, "output": f"RESULT-{own}"}


_TASK: Message = {"role": "user", "content": "the task"}
_AGAIN: Message = {"role": "user", "content": "go on"}
_SAID: Message = {"role": "assistant", "content": "done so far"}
TOOL_HISTORIES: dict[str, list[Message]] = {
    "anthropic": [
        _TASK, _anthropic_call("A"), _anthropic_result("A"), _anthropic_call("B", "C"),
        _anthropic_result("C", "B"), _SAID, _AGAIN, _anthropic_call("D"),
    ],
    "openai_chat": [
        _TASK, _chat_call("A"), _chat_result("A"), _chat_call("B", "C"), _chat_result("B"),
        _chat_result("C"), _SAID, _AGAIN, _chat_call("D"),
    ],
    "openai_responses": [
        _TASK, _item("A"), _output("A"), _item("B"), _item("C"), _output("B"), _output("C"), _SAID,
        _AGAIN, _item("D"),
    ],
}  # fmt: skip
_ORPHANS = {
    "anthropic": _anthropic_result("E"), "openai_chat": _chat_result("E"),
    "openai_responses": _output("E"),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMATS)
def test_orphan_of_an_aborted_turn_is_dropped_and_the_pending_tail_stays(name: str) -> None:
    """A result without its call is reported and goes; a call at the end may wait for its own."""
    history = TOOL_HISTORIES[name]
    assert rules(history, name) == []
    format = formats.format_of(history, name)
    kinds = [turn.kind for turn in formats.turns(format, history, count)]
    expected = [TurnKind.USER, TurnKind.TOOL, TurnKind.TOOL, TurnKind.ASSISTANT]
    assert kinds == [*expected, TurnKind.USER, TurnKind.TOOL]
    with_orphan = [*history[:3], _ORPHANS[name], *history[3:]]
    assert Rule.RESULT_WITHOUT_CALL in rules(with_orphan, name)
    assert formats.repair(format, with_orphan) == history
    pending = formats.turns(format, history, count)[-1]
    assert pending.is_pending
    assert formats.remove(format, history, [pending]) == history


@pytest.mark.parametrize("name", FORMATS)
def test_call_that_was_broken_off_is_given_a_result(name: str) -> None:
    """A call in the middle without a result is reported; a repair says that it was broken off."""
    history = [*TOOL_HISTORIES[name][:2], *TOOL_HISTORIES[name][3:]]
    assert Rule.CALL_WITHOUT_RESULT in rules(history, name)
    mended = formats.repair(formats.format_of(history, name), history)
    assert rules(mended, name) == []
    assert json.dumps(mended).count("broken off") == 1


@pytest.mark.parametrize("name", FORMATS)
def test_result_that_stands_elsewhere_is_moved_to_its_call(name: str) -> None:
    """What came back is not lost because something was put between."""
    history = TOOL_HISTORIES[name]
    late = [*history[:2], _AGAIN, *history[2:]] if name != "openai_responses" else None
    if late is None:  # outputs may stand anywhere behind their call: put it before
        late = [history[0], history[2], history[1], *history[3:]]
    assert Rule.RESULT_WITHOUT_CALL in rules(late, name)
    mended = formats.repair(formats.format_of(late, name), late)
    assert rules(mended, name) == []
    assert "RESULT-A" in json.dumps(mended)
    assert "broken off" not in json.dumps(mended)


THINKING: list[Message] = [
    _TASK,
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "first", "signature": "1"},
        {"type": "tool_use", "id": "A", "name": "read", "input": {}},
    ]},
    _anthropic_result("A"),
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": "second", "signature": "2"},
        {"type": "tool_use", "id": "B", "name": "read", "input": {}},
    ]},
    _anthropic_result("B"),
]  # fmt: skip


def test_thinking_goes_behind_a_cut_but_not_that_of_an_unfinished_loop() -> None:
    """Before the cut it stays; behind it goes; the latest step is left alone while it waits."""
    format = formats.format_of(THINKING)
    assert formats.open_thinking(format, THINKING) == 3
    out = formats.stub(format, THINKING, {"A": "gone"})
    assert "first" in json.dumps(out)
    assert "second" in json.dumps(out)
    ended = [*THINKING, _SAID, _AGAIN]
    assert formats.open_thinking(format, ended) is None
    out = formats.stub(format, ended, {"A": "gone"})
    assert "first" in json.dumps(out)
    assert "second" not in json.dumps(out)
    kept_too_much = [*out[:3], ended[3], *out[4:]]
    problems = formats.validate(kept_too_much, before=ended)
    assert [(problem.index, problem.rule) for problem in problems] == [(3, Rule.THINKING)]


@pytest.mark.parametrize(
    ("messages", "name", "rule"),
    [
        ([_SAID], "anthropic", Rule.FIRST),
        ([{"role": "robot", "content": "x"}], "anthropic", Rule.ROLE),
        ([{"role": "user", "content": ""}], "anthropic", Rule.EMPTY),
        ([{"role": "user", "content": [{"type": "text", "text": " "}]}], "anthropic", Rule.EMPTY),
        ([_TASK, THINKING[1], {"role": "user", "content": [
            {"type": "text", "text": "before"}, *_anthropic_result("A")["content"],
        ]}], "anthropic", Rule.CALL_WITHOUT_RESULT),
        ([_TASK, {"role": "assistant", "content": [{"type": "compaction", "content": "s"}]}],
         "anthropic", Rule.COMPACTION),
        ([_TASK, {"role": "assistant", "content": [
            {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}},
        ]}, _AGAIN], "anthropic", Rule.CALL_WITHOUT_RESULT),
        ([_TASK, {"role": "assistant", "content": [
            {"type": "thinking", "thinking": "x", "signature": "1"},
        ]}, _AGAIN], "anthropic", Rule.THINKING),
        ([_TASK, {"role": "assistant", "content": None}], "openai_chat", Rule.EMPTY),
        ([_TASK, {"role": "assistant", "tool_calls": [
            {"id": "A", "type": "function", "function": {"name": "f", "arguments": "{"}},
        ]}], "openai_chat", Rule.ARGUMENTS),
        ([_TASK, _chat_call("A"), _chat_result("A"), _chat_call("A"), _chat_result("A")],
         "openai_chat", Rule.DUPLICATE_ID),
        ([_TASK, {"type": "reasoning", "id": "rs_1", "summary": []}, _AGAIN],
         "openai_responses", Rule.REASONING),
        ([_TASK, {**_output("A"), "type": "shell_call_output"}, _item("A")],
         "openai_responses", Rule.RESULT_WITHOUT_CALL),
    ],
)  # fmt: skip
def test_breach_is_reported(messages: list[Message], name: str, rule: Rule) -> None:
    """Each rule of a format has its problem."""
    assert rule in rules(messages, name)


def test_stub_of_a_shell_reads_as_what_it_says() -> None:
    """It stands where the output stood, beside how the command ended; other chunks stay whole."""
    chunk = {"stdout": "", "stderr": "", "outcome": {"type": "exit", "exit_code": 3}}
    call = {"type": "shell_call", "call_id": "c", "action": {"commands": ["make quay"]}}
    history: list[Message] = [_TASK, call]

    def result(messages: list[Message]) -> str:
        (part,) = _results(formats.turns(format, messages, count))
        return part.text

    format = formats.format_of(history, "openai_responses")
    for chunks in ([chunk], [{**chunk, "stderr": "no quay"}], [chunk, chunk]):
        output: Message = {"type": "shell_call_output", "call_id": "c", "output": chunks}
        out = formats.stub(format, [*history, output], {"c": "[gone: 7]"}, {})
        assert result(out) == "[gone: 7]"
        assert out[-1]["output"][0]["outcome"]["exit_code"] == 3
        assert ("no quay" in result([*history, output])) == (chunks[0]["stderr"] != "")


@pytest.mark.parametrize("name", FORMATS)
def test_format_is_read_off_the_messages(name: str) -> None:
    """Calls and results show whose list it is; plain text is held to the strictest rules."""
    assert formats.format_of(TOOL_HISTORIES[name]).name == name
    assert formats.format_of([_TASK]).name == FormatName.ANTHROPIC
    with pytest.raises(InvalidInput, match="format"):
        formats.format_of([_TASK], "gemini")
    for wrong in (5, None, "x"):
        with pytest.raises(InvalidInput, match=r"^messages: found .* expected a list"):
            formats.validate(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", FORMATS)
def test_reasoning_and_parallel_calls_go_together(name: str) -> None:
    """No turn shares a call or the thinking that led to it with another."""
    history = TOOL_HISTORIES[name]
    turns = formats.turns(formats.format_of(history), history, count)
    assert [tuple(call.id for call in t.calls) for t in turns if t.calls] == [
        ("A",), ("B", "C"), ("D",),
    ]  # fmt: skip
    if name == "openai_responses":
        reasoning: Message = {"type": "reasoning", "id": "rs_1", "summary": []}
        turns = formats.turns(formats.format_of(history), [_TASK, reasoning, *history[3:7]], count)
        assert [len(turn.parts) for turn in turns] == [1, 5]
