"""Selection of memories for a prompt: which of the recalled come in, and how many.

A context has room for more than an answer, and yet nearly nothing should stand in one for a prompt
that wants nothing. So a memory is weighed against the tokens that it costs there:

    chance that it is right · odds that anything is ^ SURENESS  ≥  its tokens / TOKENS_PER_RIGHT

The odds are those of the best memory; they and the chance are recall's, calibrated. Where the best
is in doubt hardly more than it comes in; where it is sure the less likely come in too. A long text
comes in with as many tokens as it is worth.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import attrs

from ..frozen import frozen
from ..memories.records import Provenance
from ..retrieval.episode_query import EpisodeQuery, parse
from ..retrieval.ranker import log_odds_of
from ..retrieval.records import EpisodeHit, Hit, RecallResult, Source
from .assembled import LeftOut

# Tokens that one right memory may cost where it is as likely as not that anything is right. With a
# quarter less, conversations lose what recall's first twenty hold; with a quarter more, a prompt
# that wants nothing gets some hundred tokens, not seventy (python -m bench assembly).
TOKENS_PER_RIGHT = 1_600
# Prompts of eight projects and two repositories want something at odds that grow with the 1.8th
# power (±.2) of the best memory's. Of that a part: tokens cost where something is wanted, too.
SURENESS = 1.25
# Tokens from which a part of a long text says something by itself. From 60 on, a quarter more of
# documents comes to prompts that want nothing.
SHORTEST_PART = 100
# Tokens of an item beside its text: what sort it is, its day, its id.
ITEM_TOKENS = 18
# Chance below which nothing comes in, however sure the best is: what is right once in a hundred
# times is noise. Lower ones add no evidence on any set (python -m bench assembly), .02 loses some.
LEAST_CHANCE = 0.01
EPISODES = (Source.TASKS, Source.ERRORS, Source.ATTEMPTS)


@frozen
class Selection:
    """What is known that bears on a prompt, best first, and what was left out with the reason.

    Attributes:
        max_tokens: of hits that are worth less than their whole text, what the text may take.
        episodes: tasks, errors and failed attempts. notes: what was not possible.
    """

    hits: tuple[Hit, ...] = ()
    max_tokens: Mapping[int, int] = attrs.field(factory=dict)
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
    now: float | None = None,
) -> Selection:
    """Return the memories and episodes that come in for a prompt, at most `limit` memories.

    Episodes are those of recall's own answer. Where nothing but work is asked for ("where did we
    stop?"), no document answers, and if it says nothing else, no memory. `now` is in epoch
    seconds; without it no times are read.
    """
    options = {"session": session, "task": task, "limit": limit}
    ranked = recall(prompt, sources=Source.MEMORIES, near=near, min_score=LEAST_CHANCE, **options)
    done = recall(prompt, sources=EPISODES, **options)
    hits = ranked.hits
    query = parse(prompt, now=now) if done.episodes else EpisodeQuery("")
    if query.names_nothing:
        hits = ()
    elif query.is_of_work_alone:
        hits = tuple(hit for hit in hits if hit.memory.provenance is not Provenance.EXTRACTED)
    selection = worth_their_tokens(hits)
    left_out = selection.left_out
    if ranked.shown_before:
        shown = LeftOut(f"{ranked.shown_before} memories", "served to this session before")
        left_out = (shown, *left_out)
    notes = (*ranked.notes, *done.notes)
    notes = tuple(dict.fromkeys(note for note in notes if "shown to this session" not in note))
    return attrs.evolve(selection, left_out=left_out, episodes=done.episodes, notes=notes)


def worth_their_tokens(hits: Sequence[Hit]) -> Selection:
    """Return those of some hits, best first, that are worth their tokens, or those of a part of
    their text, and the others with the reason."""
    taken: list[Hit] = []
    max_tokens: dict[int, int] = {}
    left_out: list[LeftOut] = []
    odds = math.exp(SURENESS * log_odds_of(hits[0].score)) if hits else 0.0
    for hit in hits:
        cost = hit.memory.tokens + ITEM_TOKENS
        worth = int(TOKENS_PER_RIGHT * hit.score * odds)
        if hit.parts.get("action", 0.0) < 0:  # who is about to act asked for no more
            reason = "says nothing against this action"
        elif worth < min(cost, SHORTEST_PART):
            reason = f"its chance, {hit.score:.2f}, is not worth its {cost} tokens"
        else:
            taken.append(hit)
            if worth < cost:
                max_tokens[hit.id] = worth - ITEM_TOKENS
            continue
        left_out.append(LeftOut(f"memory:{hit.id}", reason, hit.text))
    return Selection(tuple(taken), max_tokens, tuple(left_out))
