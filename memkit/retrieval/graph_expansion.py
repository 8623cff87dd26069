"""Graph expansion: the best path along edges from the first matches to every node near them.

The walk itself is one recursive query (`retrieval.cascade`), capped at hubs and by a node budget;
where memories are about code that is known, two queries a step (`retrieval.steps` and the code's
own) with the same caps go over memories, files and symbols alike.
The scores are computed here from the edges it met: a path's score is its seed's score times the
edge weights times the decay per step, and a node keeps its best path (seed 002, Cascade Retrieval).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ..memories.records import EDGE_WEIGHTS, EdgeKind
from .ranker import RankedMemory, log_odds_of
from .records import CODE_NODES, CascadeLimits, CodeEdge, Facts, Step
from .selection import SCORE_FLOOR, SelectionRule, raised, score_of

if TYPE_CHECKING:
    from ..store.store import Row, Store
    from .records import Hit


# What a step inside the code is worth, by how much two ends have to do with each other.
CODE_WEIGHTS: dict[str, float] = {
    EdgeKind.ABOUT: EDGE_WEIGHTS[EdgeKind.ABOUT],
    CodeEdge.INHERITS: 0.7,
    CodeEdge.OVERRIDES: 0.7,
    CodeEdge.CALLS: 0.6,
    CodeEdge.CONTAINS: 0.5,
    CodeEdge.USES: 0.4,
    CodeEdge.IMPORTS: 0.4,
    CodeEdge.REFERENCES: 0.3,
}


class Reached(NamedTuple):
    """A node with the score of its best path and the edges of that path, first step first."""

    node: int
    score: float
    edges: tuple[Row, ...] = ()

    @property
    def path(self) -> tuple[Step, ...]:
        """The best path as steps, made when asked for: most nodes that are met are not shown."""
        return tuple(
            Step(src, kind, dst, weight, bool(rest[-1]))
            for src, dst, kind, weight, *rest in self.edges
        )


def cascade(
    store: Store,
    seeds: Mapping[int, float],
    limits: CascadeLimits,
    *,
    kinds: Iterable[EdgeKind | CodeEdge] = tuple(EdgeKind),
    in_code: bool = False,
) -> list[Reached]:
    """Return the nodes reached from the seeds (node → score 0..1), best first, seeds included.

    Only the best `limits.seeds` seeds are followed, and only along edges of these `kinds`; those of
    the code graph with `in_code` alone.
    """
    best = sorted(seeds, key=lambda node: (-seeds[node], node))[: limits.seeds]
    if not best or limits.depth < 1:
        return [Reached(node, seeds[node]) for node in best]
    kinds = frozenset(kinds)
    met = (
        _steps(store, best, limits, kinds)
        if in_code
        else store.all(
            "retrieval.cascade",
            seeds=json.dumps(best),
            kinds=json.dumps(sorted(kinds)),
            depth=limits.depth,
            fanout=limits.fanout,
            budget=limits.budget,
        )
    )
    if EdgeKind.IN_CLUSTER in kinds:
        met += store.all("retrieval.cluster_steps", nodes=json.dumps(best), fanout=limits.fanout)
    return best_paths(
        {node: seeds[node] for node in best}, met, decay=limits.decay, depth=limits.depth
    )


def _steps(
    store: Store,
    seeds: Iterable[int],
    limits: CascadeLimits,
    kinds: frozenset[EdgeKind | CodeEdge],
) -> list[Row]:
    """Return the edges met over memories and code, nearest first, as `retrieval.cascade` does."""
    from ..codegraph.query.nodes import steps

    kinds_json = json.dumps(sorted(kinds))
    opened: set[int] = set()
    met: list[Row] = []
    nodes = list(dict.fromkeys(seeds))
    for depth in range(1, limits.depth + 1):
        nodes = nodes[: max(limits.budget - len(opened), 0)]
        opened.update(nodes)
        rows = store.all(
            "retrieval.steps",
            nodes=json.dumps(nodes),
            kinds=kinds_json,
            fanout=limits.fanout,
            goes_on=int(depth < limits.depth),
        )
        edges = [
            (src, dst, kind, CODE_WEIGHTS[kind] if weight is None else weight, depth, forward)
            for src, dst, kind, weight, forward in rows
        ]
        if depth < limits.depth and not kinds.isdisjoint(CodeEdge):
            edges += [
                (src, dst, kind, CODE_WEIGHTS[kind], depth, forward)
                for src, dst, kind, forward in steps(store, nodes, fanout=limits.fanout)
                if kind in kinds
            ]
        edges.sort(key=lambda edge: -edge[3])
        met += edges
        nodes = [n for n in dict.fromkeys(edge[1] for edge in edges) if n not in opened]
    return met


def best_paths(
    seeds: Mapping[int, float], met: Iterable[Row], *, decay: float, depth: int
) -> list[Reached]:
    """Return every node's best path of at most `depth` steps over the edges met.

    An edge is (from, to, kind, weight, …). A longer path along stronger edges may be better than a
    shorter one, so each node that was bettered by one step is followed by the next.
    """
    reached: dict[int, tuple[float, tuple[Row, ...]]] = {n: (s, ()) for n, s in seeds.items()}
    edges: dict[int, list[Row]] = {}
    for row in met:
        edges.setdefault(row[0], []).append(row)
    bettered = dict(reached)
    for _ in range(depth):
        sources, bettered = bettered, {}
        for from_node, (before, path) in sources.items():
            for edge in edges.get(from_node, ()):
                score = before * edge[3] * decay
                if edge[1] not in reached or score > reached[edge[1]][0]:
                    bettered[edge[1]] = reached[edge[1]] = (score, (*path, edge))
    order = sorted(reached, key=lambda node: (-reached[node][0], node))
    return [Reached(node, *reached[node]) for node in order]


Paths = dict[int, Reached]
FactsOf = Callable[[Iterable[int]], Mapping[int, Facts]]

# Edges that say little about two memories' subjects: a shared tag may mean anything, and what the
# turn before or after tells is weighed in the ranking already.
LOOSE = frozenset({EdgeKind.HAS_TAG, EdgeKind.IN_CLUSTER, EdgeKind.NEXT})
LOOSENESS = 0.05
# Share of the best chance from which a memory is a seed: what hangs on a far weaker match would
# stand below everything that is shown, and each seed costs a fifth of a millisecond.
SEED_SHARE = 0.2
# Memories that edges may bring, the strongest paths first: twice what seed 002 returns at most,
# since some of them stand in the list already.
MAX_REACHED = 20


class Ranking(NamedTuple):
    """Ranked memories (in no order) with the paths by which some were reached."""

    ranked: Mapping[int, RankedMemory]
    paths: Paths


def successors(
    store: Store,
    ranking: Ranking,
    replaced: Sequence[int],
    facts_of: FactsOf,
    *,
    history: bool,
    inherits: bool = True,
) -> Ranking:
    """Return the same with each replaced memory's standing passed on to its last successor.

    Replaced memories themselves leave the list: what is asked about them is answered by what holds
    now. With `history` they stay, behind what replaced them. Unless it `inherits`, a successor
    stands where it stands by itself.
    """
    if not replaced:
        return ranking
    rows = store.all("retrieval.newer", ids=json.dumps(list(replaced))) if inherits else ()
    newer: dict[int, int] = dict(rows)
    visible = facts_of(newer.values())
    gone = () if history else replaced
    ranked = {
        memory_id: candidate
        for memory_id, candidate in ranking.ranked.items()
        if memory_id not in gone
    }
    paths = dict(ranking.paths)
    for old in replaced:
        new = newer.get(old)
        if new is None or new not in visible:
            continue
        before = ranking.ranked[old]
        own = ranked.get(new)
        if own is None:
            ranked[new] = attrs.evolve(before, id=new)
        elif own.log_odds < before.log_odds:
            ranked[new] = own.with_part("successor", before.log_odds - own.log_odds)
        else:
            continue
        edge = (old, new, EdgeKind.SUPERSEDES, 1.0, 1, True)
        paths[new] = Reached(new, score_of(before), (edge,))
    return Ranking(ranked, paths)


def expanded(
    store: Store,
    ranking: Ranking,
    limits: CascadeLimits,
    facts_of: FactsOf,
    *,
    rule: SelectionRule,
    in_code: bool = False,
    walked: frozenset[EdgeKind | CodeEdge],
) -> Ranking:
    """Return the same with what lies a few edges from the best of them.

    A path's score is a probability: that of its first memory times weights and decay. It only ever
    raises a memory, by the part `cascade`. Loose edges are not walked if no path along one could
    reach the probability that the `rule` asks for (they are half of the time). With `in_code`
    files and symbols are steps of a path too, and edges are of the kinds `walked`.
    """
    if not ranking.ranked or limits.depth < 1:
        return ranking
    likeliest = max(ranking.ranked.values(), key=lambda candidate: candidate.log_odds)
    best = score_of(likeliest)
    min_log_odds = log_odds_of(max(SCORE_FLOOR, SEED_SHARE * best))
    is_loose = best * limits.decay * LOOSENESS >= rule.min_probability([likeliest])
    kinds = walked if is_loose else walked - LOOSE
    seeds = {
        memory_id: score_of(candidate)
        for memory_id, candidate in ranking.ranked.items()
        if candidate.log_odds >= min_log_odds
    }
    paths = (
        path
        for path in (cascade(store, seeds, limits, kinds=kinds, in_code=in_code) if seeds else ())
        if path.edges and (path.node >= CODE_NODES if in_code else path.node > 0)
    )
    return _raised_along(
        ranking, {path.node: path for path in islice(paths, MAX_REACHED)}, facts_of
    )


def _raised_along(ranking: Ranking, near: Paths, facts_of: FactsOf) -> Ranking:
    """Return the same with the memories that paths lead to raised to the probability of theirs."""
    # What is ranked already has passed the filters.
    visible = facts_of(memory_id for memory_id in near if memory_id not in ranking.ranked)
    ranked, paths = dict(ranking.ranked), dict(ranking.paths)
    for memory_id, path in near.items():
        own = ranked.get(memory_id)
        if own is None and memory_id not in visible:
            continue
        probability = _probability(path)
        raised_ = (
            raised(own, "cascade", to=probability)
            if own
            else RankedMemory(memory_id, {"cascade": log_odds_of(probability)})
        )
        if raised_ is not own:
            ranked[memory_id] = raised_
            paths[memory_id] = path
    return Ranking(ranked, paths)


def _probability(target: Reached) -> float:
    loose = any(kind in LOOSE for _, _, kind, *_ in target.edges)
    return target.score * (LOOSENESS if loose else 1.0)


def cluster_labels(store: Store, reached: Iterable[Reached]) -> dict[int, str]:
    """Return what the clusters on the paths to these are called."""
    nodes = {
        node
        for target in reached
        for edge in target.edges
        if edge[2] == EdgeKind.IN_CLUSTER
        for node in edge[:2]
        if node < 0
    }
    if not nodes:
        return {}
    rows = store.all("retrieval.cluster_labels", ids=json.dumps(sorted(nodes)))
    return {node: f"cluster “{label}”" for node, label in rows}


# --- Open contradictions of what is found: which statement goes first, and that both come.
#
# The later of two goes before the earlier, and the opponent of a likely hit comes with it, until
# that is settled.

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
