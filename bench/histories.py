"""Random valid message lists of each provider's format, shaped like an agent's sessions."""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random

Message = dict[str, object]

_WORDS = "cache token deploy build retry schema naïve größe 部署 queue parser lock test".split()
_FILES = ("src/app.py", "tests/test_app.py", "README.md", "lib/größe.ts", "a b.txt")
_TOOLS = ("read", "edit", "bash", "grep")
_IMAGE = {"type": "base64", "media_type": "image/png", "data": "iVBORw0KGgo="}


def text(random: Random, most: int = 12) -> str:
    """Return some words; now and then many lines of them."""
    lines = random.choice((1, 1, 1, 4))
    return "\n".join(
        " ".join(random.choice(_WORDS) for _ in range(random.randint(1, most)))
        for _ in range(lines)
    )


def history(random: Random, format: str) -> list[Message]:
    """Return a valid list: a task, steps of the model with calls in parallel, later requests, and
    at the end an answer, a request, results, or a call that still waits."""
    return _HISTORIES[format](random)


class _Ids:
    def __init__(self) -> None:
        self.last = 0

    def new(self, prefix: str) -> str:
        self.last += 1
        return f"{prefix}_{self.last:03}"


def _arguments(random: Random) -> dict[str, object]:
    out: dict[str, object] = {"path": random.choice(_FILES)}
    if random.random() < 0.3:
        out["new_string"] = text(random) * random.choice((1, 20))
    return out


def _steps(random: Random) -> list[int]:
    """How many calls each step of the model makes; -1 is a request of the user."""
    return [random.choice((0, 1, 1, 1, 2, 3, -1)) for _ in range(random.randint(0, 9))]


def _anthropic(random: Random) -> list[Message]:
    ids = _Ids()
    thinks = random.random() < 0.5
    out: list[Message] = []
    if random.random() < 0.15:
        block: Message = {"type": "compaction", "content": text(random), "signature": "sig"}
        out.append({"role": random.choice(("user", "assistant")), "content": [block]})
    out.append(_anthropic_user(random))
    steps = _steps(random)
    for at, calls in enumerate(steps):
        if calls < 0:
            out.append(_anthropic_user(random))
            continue
        blocks = _anthropic_step(random, ids, calls, thinks=thinks)
        used = [str(b["id"]) for b in blocks if b["type"] == "tool_use"]
        cut = random.randint(1, len(blocks)) if random.random() < 0.1 else len(blocks)
        halves = [blocks[:cut], blocks[cut:]]
        is_split = halves[1] and halves[0][-1]["type"] not in ("thinking", "redacted_thinking")
        out += [{"role": "assistant", "content": h} for h in (halves if is_split else [blocks])]
        if used and not (at == len(steps) - 1 and random.random() < 0.3):
            out += _anthropic_results(random, used)
        elif not used and at < len(steps) - 1:
            out.append(_anthropic_user(random))
    return out


def _anthropic_user(random: Random) -> Message:
    if random.random() < 0.5:
        return {"role": "user", "content": text(random)}
    blocks: list[Message] = [{"type": "text", "text": text(random)}]
    if random.random() < 0.2:
        blocks.append({"type": "image", "source": _IMAGE})
    if random.random() < 0.1:
        blocks.append({"type": "novelty", "anything": [1, {"x": None}]})
    return {"role": "user", "content": blocks}


def _anthropic_step(random: Random, ids: _Ids, calls: int, *, thinks: bool) -> list[Message]:
    blocks: list[Message] = []
    if thinks and random.random() < 0.8:
        blocks.append({"type": "thinking", "thinking": text(random), "signature": ids.new("sig")})
    if thinks and random.random() < 0.1:
        blocks.append({"type": "redacted_thinking", "data": ids.new("data")})
    if not calls or random.random() < 0.4:
        blocks.append({"type": "text", "text": text(random)})
    if random.random() < 0.1:
        own = ids.new("srvtoolu")
        query = {"query": text(random)}
        result = {"type": "web_search_result", "title": text(random), "encrypted_content": "x"}
        blocks += [
            {"type": "server_tool_use", "id": own, "name": "web_search", "input": query},
            {"type": "web_search_tool_result", "tool_use_id": own, "content": [result]},
            {"type": "text", "text": text(random)},
        ]
    for _ in range(calls):
        name, arguments = random.choice(_TOOLS), _arguments(random)
        blocks.append(
            {"type": "tool_use", "id": ids.new("toolu"), "name": name, "input": arguments}
        )
    return blocks


def _anthropic_results(random: Random, ids: list[str]) -> list[Message]:
    blocks: list[Message] = []
    for own in random.sample(ids, len(ids)):
        content: object = random.choice(
            (text(random), text(random) * 30, [{"type": "text", "text": text(random)}], "")
        )
        if random.random() < 0.1:
            content = [{"type": "image", "source": _IMAGE}]
        block: Message = {"type": "tool_result", "tool_use_id": own, "content": content}
        if random.random() < 0.1:
            block["is_error"] = True
        blocks.append(block)
    if random.random() < 0.1:
        blocks.append({"type": "text", "text": text(random)})
    if len(blocks) > 1 and random.random() < 0.1:
        return [{"role": "user", "content": blocks[:1]}, {"role": "user", "content": blocks[1:]}]
    return [{"role": "user", "content": blocks}]


def _chat(random: Random) -> list[Message]:
    ids = _Ids()
    out: list[Message] = []
    if random.random() < 0.6:
        role = random.choice(("system", "developer"))
        out.append({"role": role, "content": text(random)})
    out.append(_chat_user(random))
    steps = _steps(random)
    for at, calls in enumerate(steps):
        if calls < 0:
            out.append(_chat_user(random))
            continue
        used = [ids.new("call") for _ in range(calls)]
        content = text(random) if not calls or random.random() < 0.4 else None
        message: Message = {"role": "assistant", "content": content}
        if used:
            message["tool_calls"] = [_chat_call(random, own) for own in used]
        out.append(message)
        answered = random.sample(used, len(used))
        if at == len(steps) - 1 and random.random() < 0.4:
            answered = answered[: random.randint(0, len(used))]
        for own in answered:
            result = text(random) * random.choice((0, 1, 1, 30))
            out.append({"role": "tool", "tool_call_id": own, "content": result})
    return out


def _chat_user(random: Random) -> Message:
    if random.random() < 0.6:
        return {"role": "user", "content": text(random)}
    blocks: list[Message] = [{"type": "text", "text": text(random)}]
    if random.random() < 0.3:
        blocks.append({"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}})
    return {"role": "user", "content": blocks}


def _chat_call(random: Random, own: str) -> Message:
    if random.random() < 0.1:
        custom = {"name": "apply_patch", "input": text(random) * 10}
        return {"id": own, "type": "custom", "custom": custom}
    arguments = json.dumps(_arguments(random), ensure_ascii=False)
    function = {"name": random.choice(_TOOLS), "arguments": arguments}
    return {"id": own, "type": "function", "function": function}


def _responses(random: Random) -> list[Message]:
    ids = _Ids()
    thinks = random.random() < 0.6
    out: list[Message] = []
    if random.random() < 0.15:
        out.append({"type": "compaction", "id": ids.new("cmp"), "encrypted_content": "x"})
    if random.random() < 0.4:
        out.append({"role": "developer", "content": text(random)})
    out.append(_responses_user(random))
    steps = _steps(random)
    for at, calls in enumerate(steps):
        if calls < 0:
            out.append(_responses_user(random))
            continue
        items, outputs = _responses_step(random, ids, calls, thinks=thinks)
        if at == len(steps) - 1 and random.random() < 0.4:
            outputs = outputs[: random.randint(0, len(outputs))]
        out += items + random.sample(outputs, len(outputs))
    return out


def _responses_user(random: Random) -> Message:
    if random.random() < 0.5:
        return {"role": "user", "content": text(random)}
    blocks: list[Message] = [{"type": "input_text", "text": text(random)}]
    if random.random() < 0.2:
        blocks.append({"type": "input_image", "image_url": "data:image/png;base64,iVBO"})
    return {"type": "message", "role": "user", "content": blocks}


def _responses_step(
    random: Random, ids: _Ids, calls: int, *, thinks: bool
) -> tuple[list[Message], list[Message]]:
    items: list[Message] = []
    outputs: list[Message] = []
    if thinks and random.random() < 0.8:
        summary = [{"type": "summary_text", "text": text(random)}]
        items.append({"type": "reasoning", "id": ids.new("rs"), "summary": summary,
                      "encrypted_content": "gAAA"})  # fmt: skip
    if not calls or random.random() < 0.3:
        content = [{"type": "output_text", "text": text(random), "annotations": []}]
        items.append({"type": "message", "id": ids.new("msg"), "role": "assistant",
                      "content": content, "status": "completed"})  # fmt: skip
    if random.random() < 0.1:
        items.append({"type": "web_search_call", "id": ids.new("ws"), "status": "completed"})
    for _ in range(calls):
        call, output = _responses_call(random, ids)
        items.append(call)
        outputs.append(output)
    return items, outputs


def _responses_call(random: Random, ids: _Ids) -> tuple[Message, Message]:
    own = ids.new("call")
    result = text(random) * random.choice((0, 1, 1, 30))
    kind = random.choice(("function", "function", "function", "custom", "shell", "computer"))
    if kind == "function":
        call: Message = {
            "type": "function_call", "id": ids.new("fc"), "call_id": own,
            "name": random.choice(_TOOLS), "arguments": json.dumps(_arguments(random)),
        }  # fmt: skip
        return call, {"type": "function_call_output", "call_id": own, "output": result}
    if kind == "custom":
        call = {"type": "custom_tool_call", "call_id": own, "name": "apply_patch",
                "input": result or "x"}  # fmt: skip
        return call, {"type": "custom_tool_call_output", "call_id": own, "output": result}
    if kind == "shell":
        chunk = {"stdout": result, "stderr": "", "outcome": {"type": "exit", "exit_code": 1}}
        call = {"type": "shell_call", "call_id": own, "action": {"commands": ["ls"]}}
        return call, {"type": "shell_call_output", "call_id": own, "output": [chunk]}
    call = {"type": "computer_call", "id": ids.new("cu"), "call_id": own,
            "action": {"type": "screenshot"}}  # fmt: skip
    picture = {"type": "computer_screenshot", "image_url": "data:image/png;base64,iVBO"}
    return call, {"type": "computer_call_output", "call_id": own, "output": picture}


_HISTORIES: dict[str, Callable[[Random], list[Message]]] = {
    "anthropic": _anthropic, "openai_chat": _chat, "openai_responses": _responses,
}  # fmt: skip
FORMATS = tuple(_HISTORIES)
