"""Why a memory is among the hits of a question, or at which step it was dropped."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..memories.anchored import with_states
from . import decide
from .answer import Answer, Answering
from .rank import Ranked
from .reasons import left_out, reasons
from .records import Hit, Why

if TYPE_CHECKING:
    from ..memories.records import Memory

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


def hit_of(answer: Answer, one: Ranked, memory: Memory) -> Hit:
    """Return a ranked memory as a hit: with its path, and the reasons why it came."""
    parts = dict(one.parts)
    path = answer.paths[one.id].path if one.id in answer.paths else ()
    memory = with_states(memory, answer.checked.get(one.id, {}))
    said = reasons(
        one.id,
        parts,
        answer.gathered.pool,
        path=path,
        pattern=answer.patterns.get(one.id),
        about=memory.about,
        labels=answer.labels,
        disputed=answer.disputed.get(one.id, ()),
    )
    return Hit(memory, decide.chance_of(one), parts, path, said)


def hidden(number: int, stage: str) -> Why:
    """Return that the filters dropped a memory at a stage."""
    return Why(number, present=False, stage=stage, explanation=_HIDDEN[stage].format(id=number))


def unmatched(number: int, answering: Answering) -> Why:
    """Return that no leg brought a memory, and what speaks for it all the same."""
    found = answering.by_itself(number)
    text = f"memory {number} is not among the best matches by words, meaning or name"
    if found is not None:
        one, gathered = found
        score, pool = decide.chance_of(one), gathered.pool
        text += f"; alone it would score {score:.3f} ({left_out(one, pool)})"
    return Why(number, present=False, stage="unmatched", explanation=text)


def not_good(number: int, answer: Answer, found: Sequence[Memory], rule: decide.Decision) -> Why:
    """Return why a visible memory is not good enough."""
    one = next(one for one in answer.ranked if one.id == number)
    score, best = decide.chance_of(one), decide.chance_of(answer.ranked[0])
    needed = rule.least(answer.ranked)
    text = (
        f"memory {number} scores {score:.3f}, {needed:.3f} is needed beside a best of {best:.3f} "
        f"({left_out(one, answer.gathered.pool)})"
    )
    return Why(
        number, present=False, stage="floor", explanation=text, hit=hit_of(answer, one, found[0])
    )


def placed(number: int, answer: Answer, loaded: Sequence[Memory], *, limit: int) -> Why:
    """Return where a memory that is good enough ended: hit, duplicate, or beyond the limit."""
    one = next(one for one in answer.good if one.id == number)
    hit = hit_of(answer, one, next(memory for memory in loaded if memory.id == number))
    folded = decide.fold(loaded, most=len(loaded))
    if number in folded.into:
        twin = folded.into[number]
        return Why(
            number,
            present=False,
            stage="duplicate",
            explanation=f"memory {twin} says the same",
            hit=hit,
        )
    place = folded.kept.index(number) + 1
    if place > limit:
        text = f"memory {number} is number {place}; a limit of {limit} returns fewer"
        return Why(number, present=False, stage="limit", explanation=text, hit=hit)
    return Why(
        number,
        present=True,
        stage="hit",
        explanation="; ".join(hit.reasons) or "best of what there is",
        hit=hit,
    )
