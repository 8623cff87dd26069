"""Selection of memories for a prompt: which of the recalled come in, and how many.

A context has room for more than an answer, and yet nearly nothing should stand in one for a prompt
that wants nothing. So a memory is weighed against the tokens that it costs there:

    chance that it is right · odds that anything is  ≥  tokens / TOKENS_PER_RIGHT

The odds are those of the best memory; its chance and theirs are recall's, calibrated. Where the
best is in doubt hardly more than it comes; where it is sure the unlikely come too. What is asked
for outright is in doubt less often than what a task brings to mind, and may cost more.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import attrs

from ..retrieval.query import parse_query
from ..retrieval.ranker import log_odds_of
from ..retrieval.records import EpisodeHit, Hit, RecallResult, Source
from .assembled import LeftOut

# Tokens that one right memory may cost where it is as likely as not that any is wanted: of a prompt
# of several sentences, and of a single question. Measured on prompts of eight projects, notes of
# two repositories and conversations (bench/assembly.py): with these a prompt that wants nothing
# brings some 60 tokens in the mean.
TOKENS_PER_RIGHT, TOKENS_PER_ANSWER = 1_250, 2_500
# Tokens of an item beside its text: what sort it is, its day, its id.
ITEM_TOKENS = 14
# Chance below which a memory would not come in beside the surest one (odds of e^4) if it were
# shorter than any is: recall need not read it.
LEAST_CHANCE = 0.0005
EPISODES = (Source.TASKS, Source.ERRORS, Source.ATTEMPTS)


@attrs.frozen
class Selection:
    """What is known that bears on a prompt, best first, and what was left out with the reason.

    Attributes:
        episodes: tasks, errors and failed attempts. notes: what was not possible.
    """

    hits: tuple[Hit, ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    episodes: tuple[EpisodeHit, ...] = ()
    notes: tuple[str, ...] = ()


def select_memories(
    recall: Callable[..., RecallResult],
    prompt: str,
    *,
    limit: int,
    session: str | None = None,
    near: str | None = None,
    task: str | None = None,
) -> Selection:
    """Return the memories and episodes that come in for a prompt, at most `limit` memories.

    Episodes are those of recall's own answer.
    """
    asked = {"session": session, "task": task, "limit": limit}
    ranked = recall(prompt, sources=Source.MEMORIES, near=near, min_score=LEAST_CHANCE, **asked)
    done = recall(prompt, sources=EPISODES, **asked)
    hits, left_out = worth_their_tokens(ranked.hits, price_of(prompt))
    if ranked.shown_before:
        shown = LeftOut(f"{ranked.shown_before} memories", "served to this session before")
        left_out = (shown, *left_out)
    notes = (*ranked.notes, *done.notes)
    notes = tuple(dict.fromkeys(note for note in notes if "shown to this session" not in note))
    return Selection(hits, left_out, done.episodes, notes)


def price_of(prompt: str) -> int:
    """Return the tokens that one right memory may cost for a prompt."""
    return TOKENS_PER_RIGHT if len(parse_query(prompt).clauses) > 1 else TOKENS_PER_ANSWER


def worth_their_tokens(
    hits: Sequence[Hit], price: int
) -> tuple[tuple[Hit, ...], tuple[LeftOut, ...]]:
    """Return those of some hits, best first, that are worth their tokens, and the others with the
    reason."""
    taken: list[Hit] = []
    left_out: list[LeftOut] = []
    for hit in hits:
        cost = hit.memory.tokens + ITEM_TOKENS
        if hit.parts.get("action", 0.0) < 0:  # who is about to act asked for no more
            reason = "says nothing against this action"
        elif math.log(hit.score) + log_odds_of(hits[0].score) < math.log(cost / price):
            reason = f"its chance, {hit.score:.2f}, is not worth its {cost} tokens"
        else:
            taken.append(hit)
            continue
        left_out.append(LeftOut(f"memory:{hit.id}", reason, hit.text))
    return tuple(taken), tuple(left_out)
