"""Explanation: the reasons of a hit, and the step at which a memory was dropped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

import attrs

from ..memories.code_anchors import with_states
from ..memories.records import Anchor
from . import selection
from .candidates import CandidatePool
from .pipeline import Answer, RetrievalPipeline
from .query import Term
from .ranker import RankedMemory
from .records import Explanation, Hit, Step, warnings_of
from .time_evidence import time_nearness

if TYPE_CHECKING:
    from ..memories.records import Memory


# Evidence that adds less than this to the log-odds is not worth a word.
_MIN_AMOUNT = 0.15
# Evidence that is to be said whatever it adds: a warning, and the place that was asked at.
_ALWAYS = frozenset({"trigger", "near", "season"})
# The audit of this machine has what a memory said before it was edited; elsewhere, and of a long
# text, only a hash is kept. It is found by what it says today.
EDITED_SINCE = "edited since: this is what it says today"
TEXT_OF_THEN = "edited since: this is what it said then"
_REASONS = {
    "meaning": "close in meaning",
    "nearest": "nearest in meaning, where words tell little",
    "neighbours": "beside turns that match",
    "session": "from a session that matches",
    "speaker": "said by who is asked about",
    "answer": "holds the kind of answer that is asked for",
    "time": "of the time that is named",
    "form": "put like an answer",
    "path": "about the file that is named",
    "near": "about the place that is named",
    "season": "of a season that is on",
    "update": "says what changed of another that matches",
}


def reasons(
    memory_id: int,
    parts: Mapping[str, float],
    pool: CandidatePool,
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
        if (amount >= _MIN_AMOUNT or part in _ALWAYS) and (
            text := _reason(part, memory_id, pool, path, pattern, labels)
        ):
            said.append((amount, text))
    texts = (text for _, text in sorted(said, key=lambda item: -item[0]))
    return (*texts, *warnings_of(about, disputed))


def left_out(candidate: RankedMemory, pool: CandidatePool) -> str:
    """Return what spoke for a memory that was not good enough, in a few words."""
    member = pool.members.get(candidate.id)
    words = _matched(candidate.id, pool)
    cosine = f"cosine {member.cosine:.2f}" if member else "reached by edges only"
    return f"words: {', '.join(words) or 'none'}; {cosine}"


def _reason(
    part: str,
    memory_id: int,
    pool: CandidatePool,
    path: Sequence[Step],
    pattern: str | None,
    labels: Mapping[int, str],
) -> str | None:
    if part == "words":
        words = _matched(memory_id, pool)
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
    if part == "time" and not _is_of_its_time(memory_id, pool):
        return "of about the time that is named"
    return _REASONS.get(part)


def _is_of_its_time(memory_id: int, pool: CandidatePool) -> bool:
    member = pool.members.get(memory_id)
    if member is None:
        return False
    return any(time_nearness(member.facts, named) == 1 for named in pool.question.time_ranges)


def way(path: Sequence[Step], labels: Mapping[int, str]) -> str:
    """Return a path as it is read: login ← calls ← check_token ← about ← memory."""
    said = labels.get(path[0].from_node, f"memory {path[0].from_node}")
    for at, step in enumerate(path):
        arrow = "→" if step.forward else "←"
        last = "memory" if at == len(path) - 1 else f"memory {step.to_node}"
        said += f" {arrow} {step.kind} {arrow} {labels.get(step.to_node, last)}"
    return said


def _matched(memory_id: int, pool: CandidatePool) -> list[str]:
    member = pool.members.get(memory_id)
    terms = member.terms if member else 0
    weighed: Mapping[str, float] = {
        shown(term): weight
        for place, (term, weight) in enumerate(zip(pool.question.terms, pool.rarity, strict=True))
        if terms >> place & 1
    }
    return sorted(weighed, key=lambda word: -weighed[word])


def shown(term: Term) -> str:
    """Return a word as it is told, with what was typed for it if it was corrected."""
    return term.word if term.typed is None else f"{term.word} (for {term.typed})"


_HIDDEN = {
    "project": "memory {id} belongs to another project",
    "session": "memory {id} is of another session only",
    "task": "memory {id} is of another task only",
    "scope": "memory {id} is not of the scope that was asked for",
    "kind": "memory {id} is not of the kind that was asked for",
    "tag": "memory {id} carries no tag that was asked for",
    "time": "memory {id} is not of the time that was asked for",
    "history": "memory {id} was not known at that moment",
    "superseded": "memory {id} was replaced by a newer one; asking with history shows it",
    "forgotten": "memory {id} was forgotten; asking with history shows it",
    "expired": "memory {id} does not hold at this time; asking with history shows it",
    "shown": "memory {id} was shown to this session already",
}


def hit_of(answer: Answer, candidate: RankedMemory, memory: Memory) -> Hit:
    """Return a ranked memory as a hit: with its path, and the reasons why it came."""
    parts = dict(candidate.parts)
    path = answer.paths[candidate.id].path if candidate.id in answer.paths else ()
    memory = with_states(memory, answer.checked.get(candidate.id, {}))
    disputed = tuple(answer.disputed.get(candidate.id, ()))
    said = reasons(
        candidate.id,
        parts,
        answer.gathered.pool,
        path=path,
        pattern=answer.patterns.get(candidate.id),
        about=memory.about,
        labels=answer.labels,
        disputed=disputed,
    )
    if candidate.id in answer.edited:
        text = answer.edited[candidate.id]
        said = (*said, EDITED_SINCE if text is None else TEXT_OF_THEN)
        memory = memory if text is None else attrs.evolve(memory, text=text)
    return Hit(memory, selection.score_of(candidate), parts, path, said, disputed)


def hidden(memory_id: int, stage: str) -> Explanation:
    """Return that the filters dropped a memory at a stage."""
    return Explanation(
        memory_id, present=False, stage=stage, text=_HIDDEN[stage].format(id=memory_id)
    )


def nearer(why: Explanation, reason: str) -> Explanation:
    """Return that what a project says itself keeps a global memory away, that would be a hit."""
    text = f"memory {why.id} is global, and {reason}; asking with history shows it"
    return attrs.evolve(why, present=False, stage="nearer", text=text)


def unmatched(memory_id: int, answering: RetrievalPipeline) -> Explanation:
    """Return that no leg brought a memory, and what speaks for it all the same."""
    alone = answering.by_itself(memory_id)
    text = f"memory {memory_id} is not among the best matches by words, meaning or name"
    if alone is not None:
        candidate, gathered = alone
        score, pool = selection.score_of(candidate), gathered.pool
        text += f"; alone it would score {score:.3f} ({left_out(candidate, pool)})"
    return Explanation(memory_id, present=False, stage="unmatched", text=text)


def not_good(memory_id: int, answer: Answer, memories: Sequence[Memory]) -> Explanation:
    """Return why a visible memory is not good enough."""
    candidate = next(candidate for candidate in answer.ranked if candidate.id == memory_id)
    score, best = selection.score_of(candidate), selection.score_of(answer.ranked[0])
    needed = answer.rule.min_probability(answer.ranked)
    text = (
        f"memory {memory_id} scores {score:.3f}, {needed:.3f} is needed "
        f"beside a best of {best:.3f} "
        f"({left_out(candidate, answer.gathered.pool)})"
    )
    return Explanation(
        memory_id,
        present=False,
        stage="floor",
        text=text,
        hit=hit_of(answer, candidate, memories[0]),
    )


def placed(memory_id: int, answer: Answer, loaded: Sequence[Memory], *, limit: int) -> Explanation:
    """Return where a memory that is good enough ended: hit, duplicate, or beyond the limit."""
    candidate = next(candidate for candidate in answer.good if candidate.id == memory_id)
    hit = hit_of(answer, candidate, next(memory for memory in loaded if memory.id == memory_id))
    folded = selection.fold_duplicates(loaded, limit=len(loaded))
    if memory_id in folded.into:
        twin = folded.into[memory_id]
        return Explanation(
            memory_id,
            present=False,
            stage="duplicate",
            text=f"memory {twin} says the same",
            hit=hit,
        )
    place = folded.ids.index(memory_id) + 1
    if place > limit:
        text = f"memory {memory_id} is number {place}; a limit of {limit} returns fewer"
        return Explanation(memory_id, present=False, stage="limit", text=text, hit=hit)
    return Explanation(
        memory_id,
        present=True,
        stage="hit",
        text="; ".join(hit.reasons) or "best of what there is",
        hit=hit,
    )
