"""Why a memory came, in words: the weightiest evidence first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

from ..memories.records import Anchor
from .pool import Pool
from .rank import Ranked
from .records import Step

# Evidence that adds less than this to the log-odds is not worth a word.
_LEAST = 0.15
# Evidence that is to be said whatever it adds: a warning, and the place that was asked at.
_ALWAYS = frozenset({"trigger", "near"})
_SAID = {
    "meaning": "close in meaning",
    "fit": "covers what is asked",
    "neighbours": "beside turns that match",
    "session": "from a session that matches",
    "speaker": "said by who is asked about",
    "answer": "holds the kind of answer that is asked for",
    "time": "of the time that is named",
    "form": "put like an answer",
    "near": "about the place that is named",
}


def reasons(
    number: int,
    parts: Mapping[str, float],
    pool: Pool,
    *,
    path: Sequence[Step] = (),
    pattern: str | None = None,
    about: Sequence[Anchor] = (),
    labels: Mapping[int, str] = MappingProxyType({}),
    disputed: Sequence[int] = (),
) -> tuple[str, ...]:
    """Return the reasons for a memory with these parts of its log-odds, the weightiest first, then
    what to know of it: what became of what it is about, and the memories that contradict it
    (`disputed`).

    `labels` names the files and symbols on its path.
    """
    said: list[tuple[float, str]] = []
    for part, amount in parts.items():
        if (amount >= _LEAST or part in _ALWAYS) and (
            text := _reason(part, number, pool, path, pattern, labels)
        ):
            said.append((amount, text))
    changes = (f"{anchor.state}: {anchor.change}" for anchor in about if anchor.change)
    doubts = (f"contradicts memory {other}, which is not settled" for other in disputed)
    return (*(text for _, text in sorted(said, key=lambda item: -item[0])), *changes, *doubts)


def left_out(one: Ranked, pool: Pool) -> str:
    """Return what spoke for a memory that was not good enough, in a few words."""
    member = pool.members.get(one.id)
    words = _matched(one.id, pool)
    cosine = f"cosine {member.cosine:.2f}" if member else "reached by edges only"
    return f"words: {', '.join(words) or 'none'}; {cosine}"


def _reason(
    part: str,
    number: int,
    pool: Pool,
    path: Sequence[Step],
    pattern: str | None,
    labels: Mapping[int, str],
) -> str | None:
    if part == "words":
        words = _matched(number, pool)
        return f"words: {', '.join(words)}" if words else None
    if part == "name":
        return "named by tag, key or file"
    if part == "successor" and path:
        return f"replaces memory {path[-1].from_node}"
    if part in ("cascade", "near") and path and labels:
        return way(path, labels)
    if part == "cascade" and path:
        return f"{' → '.join(step.kind.value for step in path)} from memory {path[0].from_node}"
    if part == "trigger":
        return f"trigger: {pattern}"
    return _SAID.get(part)


def way(path: Sequence[Step], labels: Mapping[int, str]) -> str:
    """Return a path as it is read: login ← calls ← check_token ← about ← memory."""
    said = labels.get(path[0].from_node, f"memory {path[0].from_node}")
    for at, step in enumerate(path):
        arrow = "→" if step.forward else "←"
        last = "memory" if at == len(path) - 1 else f"memory {step.to_node}"
        said += f" {arrow} {step.kind} {arrow} {labels.get(step.to_node, last)}"
    return said


def _matched(number: int, pool: Pool) -> list[str]:
    member = pool.members.get(number)
    terms = member.terms if member else 0
    weighed: Mapping[str, float] = {
        term.word: weight
        for place, (term, weight) in enumerate(zip(pool.question.terms, pool.rarity, strict=True))
        if terms >> place & 1
    }
    return sorted(weighed, key=lambda word: -weighed[word])
