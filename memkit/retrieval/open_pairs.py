"""Open contradictions of what is found: which statement goes first, and that both come.

A statement that says what changed goes before what it changed, and the opponent of a likely hit
comes with it, until that is settled.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

import attrs

from .graph_expansion import Ranking
from .ranker import RankedMemory, log_odds_of

if TYPE_CHECKING:
    from ..store.store import Store

# Chance of a hit from which its opponent comes too: of what is likelier wrong one side is enough.
AS_LIKELY_AS_NOT = 0.5
_LIKELY = log_odds_of(AS_LIKELY_AS_NOT)
# Log-odds by which a statement that says what changed comes before what it changed, unless it is
# so much less likely: then it is about something else than what is asked.
_AHEAD, _LEAD = 0.1, 3.5


class OpenPairs(NamedTuple):
    """Contradictions that are not settled.

    Attributes:
        opponents: of each memory that has any, in the order in which they were remembered.
        updates: of them the pairs (older, newer) of which the newer says that it changed the older.
    """

    opponents: Mapping[int, Sequence[int]]
    updates: frozenset[tuple[int, int]]


def open_pairs(store: Store, ids: Iterable[int], *, as_of: str | None) -> OpenPairs:
    """Return the open pairs of some memories, or those that were open at a moment."""
    opponents: dict[int, list[int]] = {}
    updates = set()
    rows = store.all("retrieval.open_pairs", ids=json.dumps(list(ids)), known_at=as_of)
    for number, opponent, is_update in rows:
        opponents.setdefault(number, []).append(opponent)
        if is_update:
            updates.add((number, opponent))
    return OpenPairs(opponents, frozenset(updates))


def updates_first(
    ranking: Ranking, checked: Sequence[RankedMemory], updates: Collection[tuple[int, int]]
) -> Ranking:
    """Return a ranking with statements that say what changed before what they changed; the same if
    none of those that are `checked`, best first, has to move."""
    log_odds = {candidate.id: candidate.log_odds for candidate in checked}
    gains: dict[int, float] = {}
    for old, new in updates:
        lead = log_odds[old] - log_odds.get(new, float("inf"))
        if 0 <= lead <= _LEAD:
            gains[new] = max(gains.get(new, 0.0), lead + _AHEAD)
    if not gains:
        return ranking
    moved = {
        number: ranking.ranked[number].with_part("update", gain) for number, gain in gains.items()
    }
    return ranking._replace(ranked={**ranking.ranked, **moved})


def with_opponents(
    good: Sequence[RankedMemory],
    opponents: Mapping[int, Sequence[int]],
    candidates: Callable[[Iterable[int]], Mapping[int, RankedMemory]],
    *,
    seen: Collection[int],
) -> list[RankedMemory]:
    """Return hits, best first, each that is as likely right as not with its opponents directly
    after it, as likely as itself by the part `opponent`.

    `candidates` returns those of some memories that may be shown; what was `seen` brings none.
    """
    likely = [hit for hit in good if hit.log_odds >= _LIKELY and hit.id not in seen]
    rivals = {opponent for hit in likely for opponent in opponents.get(hit.id, ())}
    if not rivals:
        return list(good)
    shown, bringing = candidates(rivals), {hit.id for hit in likely}
    placed: dict[int, RankedMemory] = {}
    for hit in good:
        placed.setdefault(hit.id, hit)
        for opponent in opponents.get(hit.id, ()) if hit.id in bringing else ():
            if opponent in shown and opponent not in placed:
                placed[opponent] = _as_likely_as(hit, shown[opponent])
    return list(placed.values())


def _as_likely_as(hit: RankedMemory, candidate: RankedMemory) -> RankedMemory:
    """Return a candidate with the chance of a hit, to the last bit: equals keep their order."""
    raised = candidate.with_part("opponent", hit.log_odds - candidate.log_odds)
    return attrs.evolve(raised, log_odds=hit.log_odds)
