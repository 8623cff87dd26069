"""OpenAI Responses: items paired by `call_id`, reasoning tied to the item behind it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .format import MessageFormat, side_of, wrong_arguments, wrong_roles
from .records import (
    Exchange,
    FormatName,
    Message,
    MessageProblem,
    Part,
    PartKind,
    Rule,
    Side,
    as_json,
    flat_text,
    text_in,
)

_ROLES = ("user", "assistant", "system", "developer")
_SUFFIX = "_output"
# Calls that the client answers with an item `<type>_output`, and under which key stands what.
_CALLS = (
    "function_call", "custom_tool_call", "shell_call", "local_shell_call", "apply_patch_call",
    "computer_call", "tool_search_call", "program",
)  # fmt: skip
_OUTPUTS = {f"{call}{_SUFFIX}": call for call in _CALLS} | {"tool_search_output": _CALLS[6]}
# Outputs that have to be a screenshot, or tools.
_FIXED = ("computer_call", "tool_search_call")
_COMPACTION = ("compaction", "context_compaction", "compaction_summary")
_FREE = {"function_call": "arguments", "custom_tool_call": "input"}
_ASIDE = ("item_reference", "mcp_approval_response", "compaction_trigger")


class OpenAIResponses(MessageFormat):
    """Format of the OpenAI Responses API: its `input` items."""

    name = FormatName.OPENAI_RESPONSES
    text_block = "input_text"

    def parts(self, messages: Sequence[Message]) -> list[Part]:
        return [_part(index, message) for index, message in enumerate(messages)]

    def joins(self, before: Part, part: Part) -> bool:
        """Reasoning goes with what the model did because of it, up to the next reasoning; calls
        made together go together."""
        thinks = part.kind is PartKind.THINKING and before.kind is not PartKind.THINKING
        return part.message == before.message + 1 and not thinks

    def exchanges(self, messages: Sequence[Message], parts: Sequence[Part]) -> list[Exchange]:
        """Each run of the model's items, and the outputs anywhere behind it."""
        ends = [part.message for part in parts if part.side is not Side.MODEL]
        outputs = [part for part in parts if part.kind is PartKind.RESULT]
        last = max(
            (p.message for p in parts if p.kind is not PartKind.RESULT and p.side is Side.USER),
            default=-1,
        )
        models = [part.message for part in parts if part.side is Side.MODEL]
        out = []
        for part in parts:
            if part.kind is not PartKind.CALL:
                continue
            end = next((at for at in ends if at > part.message), len(messages))
            is_last = last < part.message and not any(at > end for at in models)
            behind = tuple(p for p in outputs if p.message > part.message and _meets(p, part))
            out.append(Exchange((part,), behind, is_last, end))
        return out

    def own_problems(
        self, messages: Sequence[Message], parts: Sequence[Part]
    ) -> Iterator[MessageProblem]:
        """Yield wrong roles and arguments, empty messages, and reasoning that leads to nothing."""
        user: Message = {"role": "user"}
        plain = [message if _is_message(message) else user for message in messages]
        yield from wrong_roles(plain, _ROLES)
        for index, message in enumerate(messages):
            if isinstance(message, dict) and not (_is_message(message) or text_in(message, "type")):
                text = "found an item without a type and a role, expected one of them"
                yield MessageProblem(index, Rule.MESSAGE, text)
        for part in parts:
            message = messages[part.message]
            if _is_message(message) and not message.get("content"):
                text = "found a message without content, expected a text or blocks"
                yield MessageProblem(part.message, Rule.EMPTY, text)
            if text_in(message, "type") == "function_call":
                yield from wrong_arguments(part, message.get("arguments"))
            if part.kind is PartKind.THINKING:
                behind = parts[part.message + 1] if part.message + 1 < len(parts) else None
                if behind is None or behind.side is not Side.MODEL:
                    text = "found reasoning with nothing of the model behind it, expected its item"
                    yield MessageProblem(part.message, Rule.REASONING, text)

    def with_result(self, message: Message, part: Part, text: str) -> Message:
        """Return the item with the text as its output; a shell's keeps the form of its chunks."""
        if part.form == "shell_call":
            chunks = message.get("output")
            first = chunks[0] if isinstance(chunks, list) and chunks else {}
            outcome = first.get("outcome") if isinstance(first, dict) else None
            chunk = {"stdout": text, "stderr": "", "outcome": outcome or _EXIT}
            return {**message, "output": [chunk]}
        return {**message, "output": text}

    def arguments(self, message: Message, part: Part) -> object:
        """Return the arguments as JSON text, or the free input of a custom tool."""
        key = _FREE.get(text_in(message, "type"))
        return message.get(key) if key else None

    def with_arguments(self, message: Message, part: Part, arguments: object) -> Message:
        return {**message, _FREE[text_in(message, "type")]: arguments}

    def result(self, call: Part, text: str) -> Message:
        return {"type": f"{call.form}{_SUFFIX}", "call_id": call.call_id, "output": text}

    def user_message(self, text: str) -> Message:
        return {"role": "user", "content": [{"type": self.text_block, "text": text}]}


_EXIT = {"type": "exit", "exit_code": 0}


def _is_message(message: object) -> bool:
    return isinstance(message, dict) and (
        text_in(message, "type") == "message" or ("role" in message and "type" not in message)
    )


def _printed(output: object) -> object:
    """Return what a shell printed where that is all that it left, as in a stub of `with_result`;
    any other output as it is."""
    match output:
        case [{"stdout": str(text), "stderr": ""}]:
            return text
    return output


def _meets(output: Part, call: Part) -> bool:
    return output.call_id == call.call_id and output.form == call.form


def _id(message: object) -> str:
    return text_in(message, "call_id") or text_in(message, "id")


def _part(index: int, message: object) -> Part:
    type_ = text_in(message, "type")
    if not isinstance(message, dict) or _is_message(message):
        content = message.get("content") if isinstance(message, dict) else str(message)
        text, images = flat_text(content)
        side = side_of(text_in(message, "role"))
        return Part(index, None, side, PartKind.TEXT, text, images=images)
    if type_ in _OUTPUTS:
        call = _OUTPUTS[type_]
        text, images = flat_text(_printed(message.get("output", "")))
        return Part(
            index, None, Side.USER, PartKind.RESULT, text, _id(message), form=call,
            images=images, is_fixed=call in _FIXED,
        )  # fmt: skip
    if type_ in _CALLS:
        key = _FREE.get(type_)
        text = text_in(message, key) if key else as_json(message)
        name = text_in(message, "name") or type_.removesuffix("_call")
        return Part(index, None, Side.MODEL, PartKind.CALL, text, _id(message), name, type_)
    if type_ == "reasoning":
        text = "\n".join(flat_text(message.get(key) or "")[0] for key in ("summary", "content"))
        return Part(index, None, Side.MODEL, PartKind.THINKING, text.strip())
    if type_ in _COMPACTION:
        return Part(index, None, Side.MODEL, PartKind.COMPACTION, as_json(message))
    side = Side.USER if type_ in _ASIDE else Side.MODEL
    return Part(index, None, side, PartKind.OTHER, as_json(message))
