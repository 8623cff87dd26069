"""What a pruned window still holds of what recorded sessions need later, and whether it is valid.

Each session becomes a message list in every provider's format and is walked through step by step.
Before each step of the model, the history so far is put through the window, with a limit that is a
share of the tokens of the whole session. An event counts as `kept` if a later call that reuses its
text still has it in the window, whole or as a stub; `whole` counts only the former. `once` is the
same with one cut at each such call, to the share of the tokens that stand before it; left out are
the calls (`tight` in 100) before which system prompt, task and newest turn alone are more than
that. `prefix_kept` is the share of a request that the next one begins with, `cuts` how often in 100
steps anything before the new messages changed, `over` the steps (in 100) at which what must stay is
larger than the limit (memkit then refuses, and holds nothing), `invalid` the lists that break their
format's rules.

Floors: turns go, the oldest first, at random, or the largest first, until the rest fits; the system
prompt and the task stay. `random` prunes made-up histories of which not all must stay, by memkit's
own word, to any budget that leaves room for what must: `pruned` is how many of them it changed,
`refused` how many it would not prune.
"""

from __future__ import annotations

import itertools
import json
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from typing import Any

import attrs

import memkit
from memkit.context import messages as formats
from memkit.context.messages import Message, MessageFormat, Turn, TurnKind
from memkit.errors import ContextOverflow
from memkit.tokens import count

from .histories import FORMATS, history
from .results import Options, Row

_SHARES = (0.50, 0.30, 0.15)
_HISTORIES = 10_000
# How much of a text shows that it is there, cut off or not.
_HEAD = 60
_SEED = 7

Event = dict[str, Any]
# Takes a list and a limit, returns what is left and whether it is larger than the limit.
Policy = Callable[[list[Message], int], tuple[list[Message], bool]]


@attrs.frozen
class Step:
    """One step of a session: what the model adds, what came back, and what its calls need.

    Attributes:
        messages: the model's, then the results, or the user's own.
        needs: earlier events whose text the calls reuse, once for each call.
    """

    messages: tuple[Message, ...]
    needs: tuple[int, ...] = ()


@attrs.frozen
class Session:
    """One recorded session in one format: its steps, and its events by their position."""

    name: str
    format: str
    steps: tuple[Step, ...]
    events: dict[int, Event]

    @property
    def messages(self) -> list[Message]:
        """All messages."""
        return [message for step in self.steps for message in step.messages]


def run(options: Options) -> Iterator[Row]:
    """Yield the shares of each limit over all sessions and formats, and the random histories."""
    with tempfile.TemporaryDirectory() as place:
        kit = memkit.open(Path(place) / ".memkit.db", global_store=False)
        with kit:
            folder = options.folder("traces", "traces", "events")
            if folder is not None:
                everything = _sessions(folder, options.limit)
                for share in _SHARES:
                    yield from _rows(kit, everything, share, options)
            yield from _random_rows(kit, options)


def _sessions(folder: Path, limit: int | None) -> list[Session]:
    out = []
    for path in sorted(folder.glob("*.jsonl"))[:limit]:
        rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
        out += [session(path.stem, name, rows) for name in FORMATS]
    return out


def _rows(
    kit: memkit.Memkit, everything: Sequence[Session], share: float, options: Options
) -> Iterator[Row]:
    floors = {name: _floor(name) for name in ("newest", "random", "largest")}
    tables = {name: _walked(everything, share, of) for name, of in floors.items()}
    tables["memkit"] = _walked(everything, share, lambda s: _memkit(kit, s))
    set_ = f"traces/{share:.0%}".rstrip("%")
    options.say(f"{set_:<12}  kept  whole  once tight  prefix  cuts  over  invalid")
    for name, counts in tables.items():
        options.say(f"  {name:<10} {_line(counts)}")
    own = tables.pop("memkit")
    best = max(tables.values(), key=lambda counts: _share(counts, "kept"))
    for metric in _OF:
        floor = max(_share(counts, metric) for counts in tables.values())
        yield Row(set_, metric, _share(own, metric), floor)
    yield Row(set_, "prefix_kept", own["prefix"] / own["before"], best["prefix"] / best["before"])
    for metric in ("cuts", "over"):
        yield Row(
            set_, metric, 100 * own[metric] / own["steps"], 100 * best[metric] / best["steps"]
        )
    yield Row(set_, "invalid", own["invalid"])


# What each share is of.
_OF = {"kept": "needs", "whole": "needs", "once": "needs_once"}


def _share(counts: Counter[str], metric: str) -> float:
    return counts[metric] / (counts[_OF[metric]] or 1)


def _line(counts: Counter[str]) -> str:
    shares = [f"{_share(counts, metric):5.3f}" for metric in _OF]
    tight = f"{100 * counts['tight'] / (counts['needs'] or 1):5.1f}"
    prefix = counts["prefix"] / counts["before"]
    often = [f"{100 * counts[metric] / counts['steps']:5.1f}" for metric in ("cuts", "over")]
    return " ".join([*shares, tight, f"{prefix:6.3f}", *often, f"{counts['invalid']:6}"])


def _walked(
    everything: Sequence[Session], share: float, of: Callable[[Session], tuple[Policy, Policy]]
) -> Counter[str]:
    total: Counter[str] = Counter()
    for own in everything:
        walk, once = of(own)
        total += _walk(own, share, walk)
        total += _once(own, share, once)
    return total


def _walk(own: Session, share: float, policy: Policy) -> Counter[str]:
    """Walk through a session, the window closing over all that is there so far."""
    format = formats.format_of([], own.format)
    limit = int(share * formats.tokens(format, own.messages, _counted))
    counts: Counter[str] = Counter()
    full: list[Message] = []
    window: list[Message] = []
    for step in own.steps:
        if full:
            before = window
            window, is_over = policy(full, limit)
            counts += _compared(own, before, window, full)
            counts["over"] += is_over
            counts += _held(own, step, window)
        full += step.messages
    return counts


def _compared(
    own: Session, before: list[Message], window: list[Message], full: list[Message]
) -> Counter[str]:
    old, new = _rendered(before), _rendered(window)
    same = next((n for n, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), None)
    same = min(len(old), len(new)) if same is None else same
    problems = formats.validate(window, own.format, before=full)
    return Counter(
        steps=1, before=len(old), prefix=same, cuts=int(same < len(old)), invalid=bool(problems)
    )


def _once(own: Session, share: float, policy: Policy) -> Counter[str]:
    """Cut once before each call that needs something, to a share of what stands there."""
    format = formats.format_of([], own.format)
    full: list[Message] = []
    counts: Counter[str] = Counter()
    for step in own.steps:
        if step.needs:
            limit = int(share * formats.tokens(format, full, _counted))
            if _least(format, full) > limit:
                counts["tight"] += len(step.needs)
            else:
                window, _ = policy(list(full), limit)
                held = _held(own, step, window)
                counts["once"] += held["kept"]
                counts["needs_once"] += held["needs"]
                counts["invalid"] += bool(formats.validate(window, own.format, before=full))
        full += step.messages
    return counts


def _least(format: MessageFormat, full: list[Message]) -> int:
    """Return the tokens of system prompt, task and newest turn, without which nothing goes on."""
    turns = formats.turns(format, full, _counted)
    task = [turn for turn in turns if turn.kind is TurnKind.USER][:1]
    system = [turn for turn in turns if turn.kind is TurnKind.SYSTEM]
    return sum({turn.start: turn.tokens for turn in (*system, *task, turns[-1])}.values())


def _held(own: Session, step: Step, window: list[Message]) -> Counter[str]:
    """Count what a step needs and what of it the window holds."""
    counts: Counter[str] = Counter()
    if not step.needs:
        return counts
    format = formats.format_of([], own.format)
    parts = format.parts(window)
    results = {p.call_id: p.text for p in parts if p.kind == "result"}
    said = "\n".join(p.text for p in parts if p.kind == "text")
    for event in (own.events[at] for at in step.needs):
        text = str(event["text"])
        counts["needs"] += 1
        if event["kind"] == "tool_result":
            held = results.get(event["call_id"])
            counts["kept"] += held is not None
            counts["whole"] += held == text
        else:
            counts["kept"] += text.strip()[:_HEAD] in said
            counts["whole"] += text.strip() in said
    return counts


@lru_cache(maxsize=100_000)
def _counted(text: str) -> int:
    return count(text)


def _rendered(messages: list[Message]) -> str:
    return "\n".join(json.dumps(message, ensure_ascii=False) for message in messages)


def _memkit(kit: memkit.Memkit, own: Session) -> tuple[Policy, Policy]:
    """The window of memkit: asked with the whole history each time."""

    def pruned(history: list[Message], **limit: Any) -> tuple[list[Message], bool]:
        try:
            out = kit.context.prune(history, own.format, session=own.name, **limit)
        except ContextOverflow:
            return [], True  # no request can be made, so nothing that is needed is there
        return list(out.messages), False

    return (
        lambda history, limit: pruned(history, max_tokens=limit),
        lambda history, limit: pruned(history, to=limit),
    )


def _floor(name: str) -> Callable[[Session], tuple[Policy, Policy]]:
    """A floor: whole turns go in an order, what has gone stays away."""

    def of(own: Session) -> tuple[Policy, Policy]:
        format = formats.format_of([], own.format)
        gone: set[int] = set()
        random = Random(_SEED)

        def walk(history: list[Message], limit: int) -> tuple[list[Message], bool]:
            return _cut(format, history, limit, name, random, gone)

        def once(history: list[Message], limit: int) -> tuple[list[Message], bool]:
            return _cut(format, history, limit, name, Random(_SEED), set())

        return walk, once

    return of


def _cut(
    format: MessageFormat,
    messages: list[Message],
    limit: int,
    name: str,
    random: Random,
    gone: set[int],
) -> tuple[list[Message], bool]:
    """Return what is left of the history; `gone` are the beginnings of turns that went before, and
    takes those that go now."""
    turns = formats.turns(format, messages, _counted)
    task = next((turn for turn in turns if turn.kind is TurnKind.USER), None)
    order: dict[str, Callable[[Turn], float]] = {
        "newest": lambda turn: turn.start,
        "random": lambda turn: random.random(),
        "largest": lambda turn: -turn.tokens,
    }
    there = [turn for turn in turns if turn.start not in gone]
    free = [turn for turn in there if turn.kind is not TurnKind.SYSTEM and turn is not task]
    tokens = sum(turn.tokens for turn in there)
    for turn in sorted(free, key=order[name]):
        if tokens <= limit:
            break
        gone.add(turn.start)
        tokens -= turn.tokens
    left = formats.remove(format, messages, [turn for turn in turns if turn.start in gone])
    return left, formats.tokens(format, left, _counted) > limit


def _random_rows(kit: memkit.Memkit, options: Options) -> Iterator[Row]:
    """Prune random histories to random budgets, in one cut and as an agent's window."""
    counts: Counter[str] = Counter()
    size = min(_HISTORIES, options.limit or _HISTORIES)
    for seed in itertools.count():
        if counts["histories"] == size:
            break
        random = Random(seed)
        name = FORMATS[seed % len(FORMATS)]
        full = history(random, name)
        how = random.choice(("to", "max_tokens"))
        most = formats.tokens(formats.format_of([], name), full, _counted)
        least = _must_stay(kit, full, name, how)
        if least >= most:  # all of it must stay
            counts["fixed"] += 1
            continue
        counts["histories"] += 1
        limits: dict[str, Any] = {how: random.randint(least, most - 1)}
        try:
            out = list(kit.context.prune(full, name, **limits).messages)
        except ContextOverflow:
            counts["refused"] += 1
            continue
        counts["pruned"] += out != full
        counts["invalid"] += bool(formats.validate(out, name, before=full))
    options.say(f"random: {size} histories, beside {counts['fixed']} of which all must stay")
    for metric in ("invalid", "pruned", "refused"):
        yield Row("random", metric, counts[metric])


def _must_stay(kit: memkit.Memkit, full: list[Message], name: str, how: str) -> int:
    """Return the tokens that a history cannot be pruned below, as the refusal of one token says."""
    limits: dict[str, Any] = {how: 1}
    try:
        return kit.context.prune(full, name, **limits).tokens
    except ContextOverflow as error:
        return error.tokens


def session(name: str, format: str, rows: Sequence[Event]) -> Session:
    """Return a recorded session's events as steps of a format; the system prompt of Anthropic's is
    no message, calls keep their ids, what the format cannot hold is left out."""
    events = {row["i"]: {"text": "", **row} for row in rows}
    rows = list(events.values())
    texts = {row["call_id"]: row["text"] for row in rows if row["kind"] == "tool_result"}
    steps: list[Step] = []
    group: list[Event] = []
    there: set[int] = set()
    for row in [*rows, {"kind": "end"}]:
        kind = row["kind"]
        if kind in ("assistant", "thinking", "tool_call") and not _ends(group, row):
            group.append(row)
            continue
        if group:
            made = _BUILDERS[format](group, texts)
            needs = [n for call in group for n in call.get("needs", ()) if n in there]
            steps.append(Step(tuple(made), tuple(needs)))
            there |= _ids_of(group, events)
        group = [row] if kind in ("assistant", "thinking", "tool_call") else []
        if kind == "user" or (kind == "system" and format != "anthropic"):
            steps.append(Step(({"role": kind, "content": row["text"] or "-"},)))
            there.add(row["i"])
    return Session(name, format, tuple(step for step in steps if step.messages), events)


def _ends(group: Sequence[Event], row: Event) -> bool:
    """Whether a new step begins: the model speaks again after it has called."""
    return row["kind"] != "tool_call" and any(event["kind"] == "tool_call" for event in group)


def _ids_of(group: Sequence[Event], events: dict[int, Event]) -> set[int]:
    calls = {event["call_id"] for event in group if event["kind"] == "tool_call"}
    results = {
        at for at, row in events.items()
        if row["kind"] == "tool_result" and row["call_id"] in calls
    }  # fmt: skip
    return results | {event["i"] for event in group}


def _anthropic(group: Sequence[Event], results: dict[str, str]) -> Iterator[Message]:
    blocks: list[Message] = []
    for event in group:
        if event["kind"] == "tool_call":
            call = {"type": "tool_use", "id": event["call_id"], "name": event["tool"]}
            blocks.append({**call, "input": event["args"]})
        elif event["kind"] == "thinking":
            blocks.append({"type": "thinking", "thinking": event["text"], "signature": "s"})
        elif event["text"].strip():
            blocks.append({"type": "text", "text": event["text"]})
    while blocks and blocks[-1]["type"] == "thinking":
        blocks.pop()
    if not blocks:
        return
    yield {"role": "assistant", "content": blocks}
    answers = [
        {"type": "tool_result", "tool_use_id": call_id, "content": results[call_id]}
        for call_id in _calls(group)
        if call_id in results
    ]
    if answers:
        yield {"role": "user", "content": answers}


def _calls(group: Sequence[Event]) -> list[str]:
    return [event["call_id"] for event in group if event["kind"] == "tool_call"]


def _chat(group: Sequence[Event], results: dict[str, str]) -> Iterator[Message]:
    texts = [event["text"] for event in group if event["kind"] == "assistant"]
    calls = [
        {"id": event["call_id"], "type": "function", "function": _function(event)}
        for event in group
        if event["kind"] == "tool_call"
    ]
    said = "\n".join(texts)
    if not said.strip() and not calls:
        return
    message: Message = {"role": "assistant", "content": said or None}
    yield {**message, "tool_calls": calls} if calls else message
    for call_id in _calls(group):
        if call_id in results:
            yield {"role": "tool", "tool_call_id": call_id, "content": results[call_id]}


def _function(event: Event) -> dict[str, str]:
    return {"name": event["tool"], "arguments": json.dumps(event["args"], ensure_ascii=False)}


def _responses(group: Sequence[Event], results: dict[str, str]) -> Iterator[Message]:
    last = max((n for n, event in enumerate(group) if event["kind"] != "thinking"), default=-1)
    for event in group[: last + 1]:
        own = f"{event['i']:04}"
        if event["kind"] == "tool_call":
            yield {"type": "function_call", "id": f"fc_{own}", "call_id": event["call_id"],
                   **_function(event)}  # fmt: skip
        elif event["kind"] == "thinking":
            summary = [{"type": "summary_text", "text": event["text"]}]
            yield {"type": "reasoning", "id": f"rs_{own}", "summary": summary}
        else:
            content = [{"type": "output_text", "text": event["text"], "annotations": []}]
            yield {"type": "message", "id": f"msg_{own}", "role": "assistant", "content": content}
    for call_id in _calls(group):
        if call_id in results:
            yield {"type": "function_call_output", "call_id": call_id, "output": results[call_id]}


_BUILDERS: dict[str, Callable[[Sequence[Event], dict[str, str]], Iterator[Message]]] = {
    "anthropic": _anthropic, "openai_chat": _chat, "openai_responses": _responses,
}  # fmt: skip
