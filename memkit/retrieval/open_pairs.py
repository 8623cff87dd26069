"""Open contradictions of what is found: which statement goes first, and that both come.

The later of two goes before the earlier, and the opponent of a likely hit comes with it, until that
is settled.
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
    from .records import Hit

# Chance of a hit from which its opponent comes too: of what is likelier wrong one side is enough.
AS_LIKELY_AS_NOT = 0.5
_LIKELY = log_odds_of(AS_LIKELY_AS_NOT)
# Log-odds by which the later of two comes before the earlier, unless it is so much less likely:
# then it is about something else than what is asked.
_AHEAD, _LEAD = 0.1, 3.5


class OpenPairs(NamedTuple):
    """Contradictions that are not settled.

    Attributes:
        opponents: of each memory that has any, in the order in which they were remembered.
        later: of them the pairs (older, newer) of which the newer was told later or says that it
            changed the older.
    """

    opponents: Mapping[int, Sequence[int]]
    later: frozenset[tuple[int, int]]


def open_pairs(store: Store, ids: Iterable[int], *, as_of: str | None) -> OpenPairs:
    """Return the open pairs of some memories, or those that were open at a moment."""
    opponents: dict[int, list[int]] = {}
    later = set()
    rows = store.all("retrieval.open_pairs", ids=json.dumps(list(ids)), known_at=as_of)
    for number, opponent, is_later in rows:
        opponents.setdefault(number, []).append(opponent)
        if is_later:
            later.add((number, opponent))
    return OpenPairs(opponents, frozenset(later))


def later_first(
    ranking: Ranking, checked: Sequence[RankedMemory], later: Collection[tuple[int, int]]
) -> Ranking:
    """Return a ranking with the later of two that are open before the earlier; the same if none of
    those that are `checked`, best first, has to move."""
    log_odds = {candidate.id: candidate.log_odds for candidate in checked}
    gains: dict[int, float] = {}
    for old, new in later:
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
                placed[opponent] = _as_likely_as(hit.log_odds, shown[opponent])
    return list(placed.values())


def rivals(hits: Collection[Hit], opponents: Mapping[int, Sequence[int]]) -> Mapping[int, float]:
    """Return the opponents that likely hits bring from the other store, each with the log-odds of
    the likeliest: those that did not come before it anyway."""
    scores = {hit.id: hit.score for hit in hits}
    brought: dict[int, float] = {}
    for hit in hits:
        if hit.score < AS_LIKELY_AS_NOT or "opponent" in hit.parts:
            continue
        for opponent in opponents.get(hit.id, ()):
            if scores.get(opponent, 0.0) < hit.score:
                log_odds = sum(hit.parts.values())
                brought[opponent] = max(log_odds, brought.get(opponent, log_odds))
    return brought


def with_rivals(
    good: Sequence[RankedMemory],
    brought: Mapping[int, float],
    candidates: Callable[[Iterable[int]], Mapping[int, RankedMemory]],
) -> list[RankedMemory]:
    """Return hits, best first, with the `brought` opponents of hits of the other store, each as
    likely as its hit; `candidates` as for `with_opponents`."""
    placed = {hit.id: hit for hit in good}
    for number, candidate in candidates(brought).items() if brought else ():
        candidate = placed.get(number, candidate)
        if candidate.log_odds < brought[number]:
            placed[number] = _as_likely_as(brought[number], candidate)
    return sorted(placed.values(), key=lambda hit: -hit.log_odds)


def _as_likely_as(log_odds: float, candidate: RankedMemory) -> RankedMemory:
    """Return a candidate with the chance of a hit, to the last bit: equals keep their order."""
    raised = candidate.with_part("opponent", log_odds - candidate.log_odds)
    return attrs.evolve(raised, log_odds=log_odds)
