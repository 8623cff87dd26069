"""Where memories and code meet: what became of the places that memories are about, and what lies
near a place.

Nothing here costs anything while there is no code graph or no memory is about a place in it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING

import attrs

from ..anchors import AnchorState, Checked, Noted
from ..memories.code_anchors import anchor
from ..memories.records import EDGE_WEIGHTS, EdgeKind, Form, Kind, Procedure, Provenance
from ..text.analyzer import spellings
from .graph_expansion import CODE_WEIGHTS, Reached, cascade
from .past_events import tells_event
from .ranker import Ranked, log_odds_of
from .records import CODE_NODES, CascadeLimits, CodeEdge
from .selection import FLOOR, raised

if TYPE_CHECKING:
    from ..codegraph.query.anchor_check import Anchoring
    from ..episodes.patterns import Workflow
    from ..episodes.predictions import Surroundings
    from ..memories.memories import Memories
    from ..store.store import Store
    from .graph_expansion import FactsOf, Ranking
    from .records import Recall


Bodies = Callable[[Iterable[int]], Iterable[tuple[int, str]]]
# Log-odds that a memory loses with what it is about, if all of that has changed or is gone.
PENALTIES = {AnchorState.STALE: 1.0, AnchorState.GONE: 1.5}
# A memory about the very place gains so much in log-odds, and has at least this chance; one that is
# reached from there its share of what that is above the floor: who asks at a place wants what is
# known around it.
NEAR_GAIN = 2.0
NEAR_CHANCE = 0.5
# Memories that a place brings, the nearest first.
MOST_NEAR = 50
_MOST_SEEDS = 10


@attrs.frozen
class Place:
    """A place in the code from which a recall starts.

    Attributes:
        name: as it is given, "" for what a question names. nodes: what it means.
        files: paths of those of them that are files. limits: how far it reaches.
    """

    name: str
    nodes: tuple[int, ...]
    limits: CascadeLimits
    files: tuple[str, ...] = ()

    @property
    def straight(self) -> float:
        """The score of what is about the very place."""
        return EDGE_WEIGHTS[EdgeKind.ABOUT] * self.limits.decay


class InCode:
    """What one store's recall asks of its code graph."""

    def __init__(self, store: Store, anchoring: Callable[[], Anchoring]) -> None:
        """`anchoring` gives what knows the places; it is asked only where any memory is about code,
        and loads the code graph then."""
        self._store = store
        self._anchors = anchoring
        self._joined: tuple[object, bool] = (None, False)

    @property
    def is_joined(self) -> bool:
        """Whether any memory is about a place and there is code; asked again after a change."""
        state = self._store.state()
        known = self._joined  # read once: another thread may set it anew
        if known[0] != state:
            self._joined = known = (state, bool(self._store.value("retrieval.has_about")))
        return known[1]

    def places(self, near: str | None, text: str, limits: CascadeLimits) -> list[Place]:
        """Return the places that a question is asked at: symbols that its text names beyond doubt,
        themselves only; then what `near` (a path or symbol's name) means, with what is around."""
        places = []
        if self.is_joined and (named := self._anchors().named_in(text)):
            nodes = tuple(place.node for place in named[:_MOST_SEEDS])
            places.append(Place("", nodes, attrs.evolve(limits, depth=1)))
        if near is not None:
            matches = self._anchors().nodes(near)[:_MOST_SEEDS]
            nodes = tuple(place.node for place in matches)
            files = tuple(place.path for place in matches if not place.symbol)
            limits = attrs.evolve(limits, depth=max(limits.depth, 1))
            places.append(Place(near, nodes, limits, files))
        return places

    def checked(self, ids: Iterable[int]) -> dict[int, dict[Noted, Checked]]:
        """Return what became of the anchors of memories, by memory and anchor."""
        if not self.is_joined:
            return {}
        rows = self._store.all("retrieval.about", ids=json.dumps(list(ids)))
        anchors = [Noted(*row[1:]) for row in rows]
        states: dict[int, dict[Noted, Checked]] = {}
        for row, noted, state in zip(rows, anchors, self._anchors().known(anchors), strict=True):
            states.setdefault(row[0], {})[noted] = state
        return states

    def up_to_date(self, checked: Iterable[Mapping[Noted, Checked]]) -> bool:
        """Let the graph follow the files of anchors, where they were and where they are; return
        whether none had changed. Not inside a snapshot: it may write."""
        ends = (pair for anchors in checked for pair in anchors.items())
        paths = [path for noted, now in ends for path in (noted.path, now.path)]
        return not paths or self._anchors().up_to_date(paths)

    def labels(self, reached: Iterable[Reached]) -> dict[int, str]:
        """Return the names of files and symbols on the paths to these."""
        ends = {node for target in reached for edge in target.edges for node in edge[:2]}
        code_nodes = [node for node in ends if 0 < node < CODE_NODES]
        if not code_nodes:
            return {}
        from ..codegraph.query.nodes import labels

        return labels(self._store, code_nodes)

    def lifted(self, ranking: Ranking, places: Iterable[Place], facts_of: FactsOf) -> Ranking:
        """Return the same with what lies at or near places raised, by the part `near`."""
        for place in places:
            reached = self._about(place)
            ranked, paths = dict(ranking.ranked), dict(ranking.paths)
            for number in facts_of(reached) if reached else ():
                share = min(reached[number].score / place.straight, 1.0)
                ranked[number] = _raised(number, ranked.get(number), share)
                paths[number] = reached[number]
            ranking = attrs.evolve(ranking, ranked=ranked, paths=paths)
        return ranking

    # -- inside

    def _about(self, place: Place) -> dict[int, Reached]:
        """Return the memories at a place or near it, the nearest first."""
        if not (place.nodes and self.is_joined):
            noted = anchor(place.name)
            ids = self._anchored(noted.path, noted.symbol)
            return {number: Reached(number, 1.0) for number in ids}
        # A walk goes only so deep into a file, and not to all that a large one defines.
        inside = place.straight * CODE_WEIGHTS[CodeEdge.CONTAINS] * place.limits.decay
        within = [number for path in place.files for number in self._anchored(path)]
        memories = {number: Reached(number, inside) for number in within}
        seeds = dict.fromkeys(place.nodes, 1.0)
        met = cascade(self._store, seeds, place.limits, in_code=True)
        reached = [target for target in met if target.node >= CODE_NODES][:MOST_NEAR]
        return memories | {target.node: target for target in reached}

    def _anchored(self, path: str, symbol: str = "") -> list[int]:
        """Return the memories that are about a file with all in it, or about a symbol of it."""
        rows = [
            row
            for file, name in product(spellings(path), spellings(symbol))
            for row in self._store.all(
                "retrieval.about_place", path=file, symbol=name, limit=MOST_NEAR
            )
        ]
        return [number for (number,) in rows]


def _raised(number: int, own: Ranked | None, share: float) -> Ranked:
    """Return a memory raised by a share of what being about a place gives."""
    if own is None:  # Nothing else is known of it: its chance is that of the place.
        return Ranked(number, {"near": log_odds_of(_near_chance(share))})
    return by_place(own, "near", share)


def by_place(candidate: Ranked, part: str, share: float) -> Ranked:
    """Return a candidate raised, by a part of this name, by a share of what being about a place
    gives."""
    return raised(candidate.with_part(part, NEAR_GAIN * share), part, to=_near_chance(share))


def _near_chance(share: float) -> float:
    return FLOOR + (NEAR_CHANCE - FLOOR) * share


def outdated(checked: Mapping[int, Mapping[Noted, Checked]], bodies: Bodies) -> dict[int, float]:
    """Return the log-odds that memories lose with what they are about; what tells of something that
    happened, or why something was chosen, loses none: it stays true. `bodies` gives texts by id."""
    losses: dict[int, float] = {}
    for number, anchors in checked.items():
        lost = sum(PENALTIES.get(check.state, 0.0) for check in anchors.values())
        if lost:
            losses[number] = lost / len(anchors)
    events = [number for number, body in bodies(losses) if tells_event(body)] if losses else ()
    return {number: lost for number, lost in losses.items() if number not in events}


def lowered(
    ranking: Ranking, amounts: Mapping[int, float], *, part: str, min_log_odds: float
) -> Ranking:
    """Return the same with some memories lowered, by a part of this name.

    What was good enough, with at least `min_log_odds`, stays so: that it does not hold any more may
    be what one has to know.
    """
    ranked = dict(ranking.ranked)
    for number, amount in amounts.items():
        candidate = ranked[number]
        spare = (
            max(candidate.log_odds - min_log_odds, 0.0)
            if candidate.log_odds >= min_log_odds
            else amount
        )
        ranked[number] = candidate.with_part(part, -min(amount, spare))
    return attrs.evolve(ranking, ranked=ranked) if amounts else ranking


# As many as any prediction takes.
_MEMORIES = 5
_SYMBOLS = 50


def surroundings(store: Store, recall: Callable[..., Recall]) -> Surroundings:
    """Return what predictions may ask: links and symbols of the code graph (none where there is no
    graph), memories by `recall`."""
    # Imported here: recall needs nothing of it.
    from ..codegraph.query import nodes as nodes_
    from ..episodes.predictions import Surroundings

    def links(path: str) -> Mapping[str, float]:
        return nodes_.linked(store, path)

    def symbols(paths: Sequence[str]) -> list[tuple[str, str]]:
        return nodes_.most_used(store, paths, limit=_SYMBOLS)

    def memories(question: str, paths: Sequence[str]) -> Iterable[tuple[int, str, float]]:
        query = " ".join([question, *paths[:1]]).strip()
        if not query:
            return
        for hit in recall(query, limit=_MEMORIES):
            yield hit.memory.id, hit.memory.text, hit.score

    return Surroundings(links, symbols, memories)


def keeping(memories: Memories) -> Callable[[Workflow], object]:
    """Return what makes a procedural memory of a workflow, and brings it up to date when it is
    learnt again."""

    def keep(workflow: Workflow) -> object:
        known = hashlib.sha256(workflow.name.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        ended = workflow.completed + workflow.failed
        outcome = f"; {workflow.completed} of {ended} such tasks were completed" if ended else ""
        return memories.remember(
            f"Usual way of working: {workflow.name}{outcome}",
            kind=Kind.PROCEDURE,
            form=Form.WORKFLOW,
            provenance=Provenance.OBSERVED,
            source=f"workflow:{known}",
            procedure=Procedure(
                steps=workflow.steps,
                name=workflow.name,
                warnings=(f"{workflow.failed} of {ended} such tasks failed",)
                if workflow.failed
                else (),
            ),
        )

    return keep
