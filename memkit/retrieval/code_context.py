"""Code context: anchors of memories checked against the code graph, and places near a query.

Nothing here costs anything while there is no code graph or no memory is about a place in it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

import attrs

from ..anchors import AnchorCheck, AnchorState, CodeAnchor
from ..errors import InvalidInput
from ..memories.code_anchors import anchor
from ..memories.identity import in_repository
from ..memories.records import EDGE_WEIGHTS, EdgeKind
from ..text.analyzer import spellings
from ..text.patterns import lazy_pattern
from .graph_expansion import CODE_WEIGHTS, Reached, cascade
from .ranker import RankedMemory, log_odds_of
from .records import CODE_NODES, CascadeLimits, CodeEdge
from .selection import SCORE_FLOOR, raised

if TYPE_CHECKING:
    from ..codegraph.query.anchor_check import Anchoring
    from ..store.store import Store
    from .graph_expansion import FactsOf, Ranking


Bodies = Callable[[Iterable[int]], Iterable[tuple[int, str]]]
# Log-odds that a memory loses with what it is about, if all of that has changed or is gone.
PENALTIES = {AnchorState.STALE: 1.0, AnchorState.GONE: 1.5}
# A memory about the very place gains so much in log-odds, and has at least this chance; one that is
# reached from there its share of what that is above the floor: who asks at a place wants what is
# known around it.
NEAR_GAIN = 2.0
NEAR_CHANCE = 0.5
# Memories that a place brings, the nearest first.
MAX_NEAR = 50
_MAX_SEEDS = 10
# Steps from the code to what is about it: those before are steps in the code. Files that one file
# has in common with another lie two apart (bench cascade, set near).
_TO_MEMORY = 1


class CodePlace(NamedTuple):
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


class CodeContext:
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

    def places(self, near: str | None, text: str, limits: CascadeLimits) -> list[CodePlace]:
        """Return the places that a question is asked at: symbols that its text names beyond doubt,
        themselves only; then what `near` (a path or symbol's name) means, with what is around."""
        places = []
        if self.is_joined and (named := self._anchors().named_in(text)):
            nodes = tuple(place.node for place in named[:_MAX_SEEDS])
            places.append(CodePlace("", nodes, attrs.evolve(limits, depth=1)))
        if near is not None:
            matches = self._anchors().nodes(near)[:_MAX_SEEDS]
            nodes = tuple(place.node for place in matches)
            files = tuple(place.path for place in matches if not place.symbol)
            limits = attrs.evolve(limits, depth=limits.depth + _TO_MEMORY)
            places.append(CodePlace(near, nodes, limits, files))
        return places

    def checked(self, ids: Iterable[int]) -> dict[int, dict[CodeAnchor, AnchorCheck]]:
        """Return what became of the anchors of memories, by memory and anchor."""
        if not self.is_joined:
            return {}
        rows = self._store.all("retrieval.about", ids=json.dumps(list(ids)))
        anchors = [CodeAnchor(*row[1:]) for row in rows]
        states: dict[int, dict[CodeAnchor, AnchorCheck]] = {}
        for row, noted, state in zip(rows, anchors, self._anchors().known(anchors), strict=True):
            states.setdefault(row[0], {})[noted] = state
        return states

    def up_to_date(self, checked: Iterable[Mapping[CodeAnchor, AnchorCheck]]) -> bool:
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

    def lifted(
        self,
        ranking: Ranking,
        places: Iterable[CodePlace],
        facts_of: FactsOf,
        *,
        walked: frozenset[EdgeKind | CodeEdge],
    ) -> Ranking:
        """Return the same with what lies at places, or near them along edges of the kinds `walked`,
        raised, by the part `near`."""
        for place in places:
            reached = self._about(place, walked)
            ranked, paths = dict(ranking.ranked), dict(ranking.paths)
            for memory_id in facts_of(reached) if reached else ():
                share = min(reached[memory_id].score / place.straight, 1.0)
                ranked[memory_id] = _raised(memory_id, ranked.get(memory_id), share)
                paths[memory_id] = reached[memory_id]
            ranking = ranking._replace(ranked=ranked, paths=paths)
        return ranking

    # -- inside

    def _about(
        self, place: CodePlace, walked: frozenset[EdgeKind | CodeEdge]
    ) -> dict[int, Reached]:
        """Return the memories at a place or near it, the nearest first."""
        if not (place.nodes and self.is_joined):
            try:
                noted = anchor(in_repository(place.name, str(self._store.path.parent)))
            except InvalidInput:  # a place outside of the repository: nothing is about it
                return {}
            ids = self._anchored(noted.path, noted.symbol)
            return {memory_id: Reached(memory_id, 1.0) for memory_id in ids}
        # A walk goes only so deep into a file, and not to all that a large one defines.
        inside = place.straight * CODE_WEIGHTS[CodeEdge.CONTAINS] * place.limits.decay
        within = [memory_id for path in place.files for memory_id in self._anchored(path)]
        memories = {memory_id: Reached(memory_id, inside) for memory_id in within}
        seeds = dict.fromkeys(place.nodes, 1.0)
        met = cascade(self._store, seeds, place.limits, kinds=walked, in_code=True)
        reached = [target for target in met if target.node >= CODE_NODES][:MAX_NEAR]
        return memories | {target.node: target for target in reached}

    def _anchored(self, path: str, symbol: str = "") -> list[int]:
        """Return the memories that are about a file with all in it, or about a symbol of it."""
        rows = [
            row
            for file, name in product(spellings(path), spellings(symbol))
            for row in self._store.all(
                "retrieval.about_place", path=file, symbol=name, limit=MAX_NEAR
            )
        ]
        return [memory_id for (memory_id,) in rows]


def _raised(memory_id: int, own: RankedMemory | None, share: float) -> RankedMemory:
    """Return a memory raised by a share of what being about a place gives."""
    if own is None:  # Nothing else is known of it: its chance is that of the place.
        return RankedMemory(memory_id, {"near": log_odds_of(_near_probability(share))})
    return by_place(own, "near", share)


def by_place(candidate: RankedMemory, part: str, share: float) -> RankedMemory:
    """Return a candidate raised, by a part of this name, by a share of what being about a place
    gives."""
    return raised(candidate.with_part(part, NEAR_GAIN * share), part, to=_near_probability(share))


def _near_probability(share: float) -> float:
    return SCORE_FLOOR + (NEAR_CHANCE - SCORE_FLOOR) * share


def stale_losses(
    checked: Mapping[int, Mapping[CodeAnchor, AnchorCheck]], bodies: Bodies
) -> dict[int, float]:
    """Return the log-odds that memories lose with what they are about; what tells of something that
    happened, or why something was chosen, loses none: it stays true. `bodies` gives texts by id."""
    losses: dict[int, float] = {}
    for memory_id, anchors in checked.items():
        lost = sum(PENALTIES.get(check.state, 0.0) for check in anchors.values())
        if lost:
            losses[memory_id] = lost / len(anchors)
    events = (
        [memory_id for memory_id, body in bodies(losses) if tells_event(body)] if losses else ()
    )
    return {memory_id: lost for memory_id, lost in losses.items() if memory_id not in events}


def lowered(
    ranking: Ranking, amounts: Mapping[int, float], *, part: str, min_log_odds: float
) -> Ranking:
    """Return the same with some memories lowered, by a part of this name.

    What was good enough, with at least `min_log_odds`, stays so: that it does not hold any more may
    be what one has to know.
    """
    ranked = dict(ranking.ranked)
    for memory_id, amount in amounts.items():
        candidate = ranked[memory_id]
        spare = (
            max(candidate.log_odds - min_log_odds, 0.0)
            if candidate.log_odds >= min_log_odds
            else amount
        )
        ranked[memory_id] = candidate.with_part(part, -min(amount, spare))
    return ranking._replace(ranked=ranked) if amounts else ranking


# --- Statements of past events and of reasons.
#
# A description ("tokens are compared in auth.py") holds as long as what it describes; a report ("we
# tried trio in ctx.py and dropped it") and a choice with its reason do not depend on the code.

# The auxiliaries of the past, and words that give a reason, in the languages that notes are in.
_PAST_AUXILIARY = (
    r"\b(?:was|were|had|did|wasn't|weren't|hadn't|didn't|war|waren|wurden?|fue|fueron)\b"
)
_REASON = r"\b(?:because|weil|porque|parce que)\b|因为|ため"
_IRREGULAR = (
    "broke|brought|built|chose|cut|fell|found|gave|got|kept|lost|made|ran|saw|took|went|threw"
)
# Of what somebody did: after who did it, or where a sentence begins with it ("Tried trio, ...").
_DEED = rf"(?:\w+(?<!e)ed|{_IRREGULAR})"
_DOER = r"(?:\b[Ii]|\b(?:[Ww]e|[Tt]hey|[Hh]e|[Ss]he|[Ii]t)|(?<=[a-z,;:] )[A-Z][a-z]+)"
# Not "Shared state is guarded by ...": that describes something which was shared.
_DESCRIBES = r"(?!(?:\s+\S+){0,4}\s+(?:is|are|by)\b)"
_EVENT = lazy_pattern(
    rf"{_PAST_AUXILIARY}|{_REASON}|{_DOER} (?:\w+ly )?{_DEED}\b"
    rf"|(?:^|[.!?:;]\s+)[A-Za-z]*{_DEED}(?=[\s,]){_DESCRIBES}"
    r"|\b(?:haben|habe|hat)\b[^!?]*\bge\w+[tn]\b",
    re.MULTILINE,
)


def tells_event(text: str) -> bool:
    """Whether a text tells of something that happened, or of why something was chosen."""
    return bool(_EVENT.search(text.replace("’", "'")))
