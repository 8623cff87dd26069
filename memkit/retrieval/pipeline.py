"""Retrieval pipeline: one query from its candidates to what is good enough to be returned."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import attrs

from .. import validation
from ..frozen import frozen
from ..memories.external_edits import AUDITED
from . import graph_expansion, selection
from .action_match import EVIDENT, MAY_GUARD, Match, Statement, matches, may_guard, triggered
from .actions import Action, action_of
from .candidates import CANDIDATES, CandidateGenerator, Candidates
from .code_context import CodeContext, by_place, lowered, stale_losses
from .entity_match import longer_name_losses, names
from .features import is_passage, passage_losses, priors
from .graph_expansion import Paths, Ranking, later_first, open_pairs, with_opponents, with_rivals
from .late_interaction import Matrices
from .query import RecallQuery, excluded_at, parse_query
from .query_times import (
    OFF_SEASON,
    HeldTime,
    SeasonsOn,
    event_time,
    held_time,
    in_season,
    with_event_times,
)
from .ranker import STEP, RankedMemory, log_odds_of, probability, ranked
from .records import CascadeLimits, Facts, Filters, RetrievalConfig
from .selection import SelectionRule
from .spelling import Speller
from .time_evidence import held_in, time_nearness

if TYPE_CHECKING:
    from ..anchors import AnchorCheck, CodeAnchor
    from ..memories.search_index import Index
    from ..store.store import Store
    from ..store.time_ranges import TimeRange


class Request(NamedTuple):
    """What is asked, of what, how, and from which chance on something is an answer.

    Attributes:
        opponents: of memories that contradict some of another store, where that is not settled.
        rivals: opponents of likely hits of another store, which come with their log-odds.
    """

    text: str
    filters: Filters
    limits: CascadeLimits
    config: RetrievalConfig
    rule: SelectionRule
    near: str | None = None
    opponents: Mapping[int, Sequence[int]] = MappingProxyType({})
    rivals: Mapping[int, float] = MappingProxyType({})


def request(
    text: str,
    filters: Filters,
    *,
    limits: CascadeLimits,
    config: RetrievalConfig,
    min_score: float | None,
    near: str | None = None,
) -> Request:
    """Return a request; raises InvalidInput for what is no question, no place, or out of bounds."""
    depth = validation.integer(limits.depth, name="depth", minimum=0, maximum=validation.MAX_DEPTH)
    min_probability = validation.optional(validation.fraction, min_score, name="min_score")
    return Request(
        validation.text(text, name="question"),
        filters,
        attrs.evolve(limits, depth=depth),
        config,
        SelectionRule.of(min_probability),
        validation.optional(validation.text, near, name="near"),
    )


# Memories whose anchors and contradictions are looked at, the likeliest first: more than are shown.
MAX_CHECKED = 60
# Memories that a question can bring at all, for a caller who asks for so many: beyond CANDIDATES
# they come in the order of the legs.
MAX_RESULTS = 10_000
# Stages of what is over: it tells when something was, though it is not shown.
_PASSED = ("superseded", "expired", "time", "kind", "tag", "scope")
# Survivors of the filters below which the question is asked again among the selected only.
MIN_SURVIVORS = 20


@frozen(eq=False)
class Answer:
    """What was found for a question.

    Attributes:
        rule: how the list was cut.
        ranked: every candidate, best first. good: those that are good enough and new to the
            session. shown: those that it was shown already.
        paths: how some were reached. patterns: by which pattern warnings went off.
        checked: what became of what they are about. labels: names of nodes on paths.
        disputed: what some of the good contradict, where that is not settled.
        edited: which of the good said something else at the moment that is asked about, with their
            text of then, None where that is not known.
    """

    gathered: Candidates
    rule: SelectionRule
    ranked: tuple[RankedMemory, ...]
    good: tuple[RankedMemory, ...]
    shown: tuple[RankedMemory, ...]
    paths: Paths
    patterns: Mapping[int, str]
    checked: Mapping[int, Mapping[CodeAnchor, AnchorCheck]]
    labels: Mapping[int, str]
    disputed: Mapping[int, Sequence[int]]
    edited: Mapping[int, str | None] = attrs.field(factory=dict)


class RetrievalPipeline:
    """Answers one question; made anew for each, inside one snapshot of the file."""

    def __init__(
        self,
        store: Store,
        index: Index,
        request: Request,
        warnings: list[tuple[int, list[str]]],
        matrices: Matrices,
        speller: Speller,
        code: CodeContext,
        *,
        limit: int = CANDIDATES,
    ) -> None:
        """`limit` is how many memories are wanted."""
        self._limit = limit
        self._matrices = matrices
        self._speller = speller
        self._code = code
        self._store = store
        self._index = index
        self._request = request
        self._warnings = warnings
        self._now = store.now()
        self._seconds = store.clock()
        self._replaced: set[int] = set()
        self._past: tuple[TimeRange, ...] = ()
        self._carrying: frozenset[int] | None = None
        as_of = request.filters.as_of
        retired = () if as_of is None else store.all("retrieval.retired", as_of=as_of)
        self._retired = frozenset(memory_id for (memory_id,) in retired)

    def answer(self) -> Answer:
        """Return what is found for the question, and what of it is good enough."""
        request = self._request
        gathered = self._gathered(self._question())
        action = action_of(request.text)
        rule, question = request.rule, gathered.pool.question
        if len(question.clauses) > 1:
            rule = rule.of_prompt()
        elif action is None and question.is_single_question:
            rule = rule.of_question()
        ranking = self._ranking(gathered)
        if self._limit > CANDIDATES and rule.margin is None:
            ranking, gathered = self._beyond(ranking, gathered)
        likeliest = _in_order(ranking)
        min_log_odds = log_odds_of(rule.min_probability(likeliest))
        # What is not good enough falls no lower.
        best = likeliest[:MAX_CHECKED]
        good_enough = [candidate.id for candidate in best if candidate.log_odds >= min_log_odds]
        checked = self._code.checked(good_enough)
        on, off_season = self._seasonal(candidate.id for candidate in best)
        lower = {
            "stale": stale_losses(checked, self._bodies),
            "longer": self._longer(gathered, good_enough),
            "passage": self._giving_way(gathered, likeliest, min_log_odds),
            "season": off_season,
        }
        matched = self._matched(action, ranking)
        patterns = self._patterns(action, matched)
        if any(lower.values()) or patterns or on:
            for part, amounts in lower.items():
                ranking = lowered(ranking, amounts, part=part, min_log_odds=min_log_odds)
            ranking = self._warned(in_season(ranking, on), patterns)
        if action is not None:
            ranking = self._acted(action, ranking, matched)
        return self._cut(gathered, ranking, rule, patterns, checked)

    def _cut(
        self,
        gathered: Candidates,
        ranking: Ranking,
        rule: SelectionRule,
        patterns: Mapping[int, str],
        checked: Mapping[int, Mapping[CodeAnchor, AnchorCheck]],
    ) -> Answer:
        """Return what of a ranking is good enough, and what is to be said of it."""
        order, as_of = _in_order(ranking), self._request.filters.as_of
        best = order[:MAX_CHECKED]
        pairs = open_pairs(self._store, (candidate.id for candidate in best), as_of=as_of)
        # Who asks for what was holds the earlier one for an answer too.
        later = () if self._past or self._request.filters.history else pairs.later
        if (updated := later_first(ranking, best, later)) is not ranking:
            ranking, order = updated, _in_order(updated)
        # Left out only after the cut: the next best is no better an answer because the best was
        # given.
        seen = self._request.filters.shown
        may_come = partial(self._candidates, ranking)
        good = with_opponents(rule.cut(order), pairs.opponents, may_come, seen=seen)
        good = with_rivals(good, self._request.rivals, may_come)
        brought = [candidate.id for candidate in good if "opponent" in candidate.parts]
        more = open_pairs(self._store, brought, as_of=as_of).opponents if brought else {}
        disputed = {**pairs.opponents, **more}
        for number, opponents in self._request.opponents.items():
            disputed[number] = (*disputed.get(number, ()), *opponents)
        return Answer(
            gathered=gathered if good else self._without_answer(gathered),
            rule=rule,
            ranked=(*order, *(c for c in good if c.id not in ranking.ranked)),
            good=tuple(candidate for candidate in good if candidate.id not in seen),
            shown=tuple(candidate for candidate in good if candidate.id in seen),
            paths=ranking.paths,
            patterns=patterns,
            checked=checked,
            labels=self._labels(ranking),
            disputed=disputed,
            edited=self._edited(good),
        )

    def _candidates(self, ranking: Ranking, ids: Iterable[int]) -> dict[int, RankedMemory]:
        """Return those of some memories that may be shown, as they are ranked if they are."""
        return {
            n: ranking.ranked.get(n) or RankedMemory(n, {"base": 0.0}) for n in self._facts_of(ids)
        }

    def _seasonal(self, ids: Iterable[int]) -> tuple[frozenset[int], dict[int, float]]:
        """Return the memories whose season is on, and what those of another one lose."""
        rows = self._store.all("retrieval.seasons", ids=json.dumps(list(ids)))
        seasons = SeasonsOn(self._request.filters.seasons, self._request.text) if rows else None
        on = frozenset(n for n, season in rows if seasons and seasons.includes(season))
        return on, {n: OFF_SEASON for n, _ in rows if n not in on}

    def _edited(self, good: Sequence[RankedMemory]) -> dict[int, str | None]:
        if (as_of := self._request.filters.as_of) is None:
            return {}
        ids = json.dumps([candidate.id for candidate in good])
        rows = self._store.all("retrieval.edited", ids=ids, as_of=as_of, max_length=AUDITED)
        return dict(rows)

    def _labels(self, ranking: Ranking) -> dict[int, str]:
        paths = ranking.paths.values()
        clusters = graph_expansion.cluster_labels(self._store, paths)
        return self._code.labels(paths) | clusters

    def _without_answer(self, gathered: Candidates) -> Candidates:
        """Return the same with a note of what matches, is superseded and leads to nothing."""
        rows = self._store.all("retrieval.newer", ids=json.dumps(sorted(self._replaced)))
        if lost := self._replaced.difference(memory_id for memory_id, _ in rows):
            note = (
                f"{len(lost)} memories that match are superseded by themselves or in a circle, "
                f"first memory {min(lost)}; next: memkit check"
            )
            return attrs.evolve(gathered, notes=(*gathered.notes, note))
        return gathered

    def _longer(self, gathered: Candidates, ids: Sequence[int]) -> dict[int, float]:
        """Return what memories lose that have a name that is asked for only within longer ones."""
        if not (named := names(gathered.pool.question.text)):
            return {}
        return longer_name_losses(named, dict(self._bodies(ids)))

    def _bodies(self, ids: Iterable[int]) -> list[tuple[int, str]]:
        """Return what is looked for of memories: their text, key, tags and other wordings."""
        rows = self._store.all("retrieval.bodies", ids=json.dumps(list(ids)))
        return [(memory_id, body) for memory_id, body in rows]

    def _giving_way(
        self, gathered: Candidates, likeliest: Sequence[RankedMemory], min_log_odds: float
    ) -> dict[int, float]:
        """Return what passages of documents lose to what was told."""
        if not self._request.config.learned:
            return {}
        members = gathered.pool.members
        passages = {n for n in gathered.pool.candidates if is_passage(members[n].facts)}
        # By no lower floor than the rule's own: a list is not to be in another order if it is long.
        return passage_losses(
            likeliest,
            passages,
            min_log_odds=max(min_log_odds, log_odds_of(selection.SCORE_FLOOR)),
        )

    def _ranking(self, gathered: Candidates) -> Ranking:
        """Return the candidates and what they lead to: successors, the cascade, the place asked
        at."""
        request = self._request
        ranking = Ranking({candidate.id: candidate for candidate in self._ranked(gathered)}, {})
        ranking = _of_their_time(ranking, gathered)
        members, history = gathered.pool.members, request.filters.history
        old = [
            n
            for n in ranking.ranked
            if (members[n].facts.superseded_by if history else n in self._replaced)
        ]
        ranking = graph_expansion.successors(
            self._store,
            ranking,
            old,
            self._facts_of,
            history=history,
            inherits=request.config.successors,
        )
        if request.config.cascade:
            ranking = graph_expansion.expanded(
                self._store,
                ranking,
                request.limits,
                self._facts_of,
                rule=request.rule,
                in_code=self._code.is_joined,
                walked=request.config.walked,
            )
        named = request.text if request.config.anchors else ""
        places = self._code.places(request.near, named, request.limits)
        return self._code.lifted(ranking, places, self._facts_of, walked=request.config.walked)

    def held_time(self) -> HeldTime | None:
        """Return the time of which the question asks what held in it."""
        return held_time(self._question(), now=self._seconds)

    def by_itself(self, memory_id: int) -> tuple[RankedMemory, Candidates] | None:
        """Return how a memory stands that no leg brought, if it were the only one."""
        looking = self._looking(self._question())
        gathered = looking.gather(inside=frozenset([memory_id]))
        only = self._ranked(gathered)
        return (only[0], gathered) if only else None

    # -- finding

    def _question(self) -> RecallQuery:
        """Return the question with the times that it names, by date or by what happened then."""
        request = self._request
        question = parse_query(request.text, now=self._seconds, whatever=request.rule.takes_all)
        question = with_event_times(question, self._event_time)
        self._past = tuple(
            time_range for time_range in question.time_ranges if time_range.end <= self._seconds
        )
        return question

    def _event_time(self, words: str) -> float | None:
        """Return when that came about which some words name, by the memory that tells of it."""
        return event_time(self._store, words, is_visible=self._is_within_walls)

    def _is_within_walls(self, facts: Facts) -> bool:
        ordinary = attrs.evolve(self._request.filters, as_of=None, held_from=None)
        return excluded_at(facts, ordinary, now=self._now) in (None, *_PASSED)

    def _beyond(self, ranking: Ranking, gathered: Candidates) -> tuple[Ranking, Candidates]:
        """Return the candidates with those behind them, and a note if there may be more.

        Those come as the legs bring them, each a little less likely than the last that is ranked:
        who asks for hundreds wants them all, and reads none of their chances.
        """
        limit = min(self._limit, MAX_RESULTS)
        inside = self._selected() if gathered.hidden else self._carrying
        order = self._looking(gathered.pool.question).order(limit=MAX_RESULTS, inside=inside)
        fresh = [memory_id for memory_id in order if memory_id not in ranking.ranked]
        visible = self._facts_of(fresh)
        rest = [memory_id for memory_id in fresh if memory_id in visible]
        last = min((candidate.log_odds for candidate in ranking.ranked.values()), default=0.0)
        ranked = dict(ranking.ranked)
        for place, memory_id in enumerate(rest[: max(limit - len(ranked), 0)], 1):
            ranked[memory_id] = RankedMemory(memory_id, {"fusion": last - STEP * place})
        if self._limit > MAX_RESULTS <= len(order):
            note = f"no more than {MAX_RESULTS} memories are looked at; filters tell which"
            gathered = attrs.evolve(gathered, notes=(*gathered.notes, note))
        return ranking._replace(ranked=ranked), gathered

    def _looking(self, question: RecallQuery) -> CandidateGenerator:
        return CandidateGenerator(
            self._store,
            self._index,
            question,
            config=self._request.config,
            excluded_at=self._leniently,
            matrices=self._matrices,
            speller=self._speller,
        )

    def _gathered(self, question: RecallQuery) -> Candidates:
        request = self._request
        looking = self._looking(question)
        if request.filters.tags:
            tags = json.dumps(self._tags(request.filters.tags))
            carrying = self._store.all("retrieval.tagged", tags=tags)
            self._carrying = frozenset(memory_id for (memory_id,) in carrying)
        gathered = looking.gather(inside=self._carrying)
        replaced = [n for n in gathered.pool.candidates if n in self._replaced]
        kept_out = len(gathered.hidden) + len(replaced)
        if kept_out and len(gathered.pool.candidates) - len(replaced) < MIN_SURVIVORS:
            # Some of those that are replaced join in: they pass on where they stand.
            return looking.gather(inside=self._selected().union(replaced[:MIN_SURVIVORS]))
        return gathered

    def _selected(self) -> frozenset[int]:
        """Return the ids that the filters leave, tags included."""
        filters = self._request.filters
        rows = self._store.all(
            "retrieval.selected",
            kinds=json.dumps(filters.kinds) if filters.kinds else None,
            scopes=json.dumps(filters.scopes) if filters.scopes else None,
            projects=json.dumps(filters.projects) if filters.projects else None,
            sessions=json.dumps(filters.sessions),
            tasks=json.dumps(filters.tasks),
            tags=json.dumps(self._tags(filters.tags)) if filters.tags else None,
            since=filters.since,
            until=filters.until,
            history=int(filters.history),
            as_of=filters.as_of,
            moment=filters.as_of or self._now,
            held_from=filters.held_from or filters.as_of or self._now,
            retired=json.dumps(sorted(self._retired)),
        )
        return frozenset(memory_id for (memory_id,) in rows)

    def _tags(self, names: Sequence[str]) -> list[int]:
        """Return the nodes of those of the tags that there are."""
        rows = self._store.all("retrieval.tags_named", names=json.dumps(names))
        return [memory_id for memory_id, *_ in rows]

    # -- filters

    def stage_of(self, memory_id: int) -> str | None:
        """Return the stage at which the filters drop a memory, tags apart."""
        row = self._store.all("retrieval.facts", ids=json.dumps([memory_id]))[0]
        return excluded_at(self._as_then(Facts._make(row)), self._request.filters, now=self._now)

    def _as_then(self, facts: Facts) -> Facts:
        """Return a memory as it stood at the moment that is asked about, if a run of consolidation
        forgot it after that."""
        return facts._replace(active=1) if facts.id in self._retired else facts

    def _strictly(self, facts: Facts) -> str | None:
        facts = self._as_then(facts)
        stage = excluded_at(facts, self._request.filters, now=self._now)
        if stage == "superseded" and any(held_in(facts, time_range) for time_range in self._past):
            # What held at the past time that is asked about is an answer.
            as_if = facts._replace(superseded_by=None, active=1, valid_to=None)
            return excluded_at(as_if, self._request.filters, now=self._now)
        return stage

    def _leniently(self, facts: Facts) -> str | None:
        """As `_strictly`, but superseded memories take part, to pass on where they stand."""
        stage = self._strictly(facts)
        if stage != "superseded":
            return stage
        self._replaced.add(facts.id)
        as_if = facts._replace(superseded_by=None, active=1, valid_to=None)
        return self._strictly(as_if)

    def _facts_of(self, ids: Iterable[int]) -> dict[int, Facts]:
        """Return the facts of those of these ids that are memories and may be shown."""
        visible: dict[int, Facts] = {}
        memory_ids = list(ids)
        for row in (
            self._store.all("retrieval.facts", ids=json.dumps(memory_ids)) if memory_ids else ()
        ):
            facts = Facts._make(row)
            stage = self._strictly(facts)
            if stage is None and self._carrying is not None and facts.id not in self._carrying:
                stage = "tag"
            if stage is None:
                visible[facts.id] = facts
        return visible

    # -- ranking

    def _ranked(self, gathered: Candidates) -> list[RankedMemory]:
        """Return the candidates with their chances, in no order.

        What was told and passages of documents are ranked apart: that some section of a manual is
        nearer to the question takes nothing from a decision, whose chance must not hang on how much
        documentation lies beside it.
        """
        if not self._request.config.learned:
            return ranked(gathered, priors={}, learned=False)
        statements: list[Facts] = []
        passages: list[Facts] = []
        for memory_id in gathered.pool.candidates:
            facts = gathered.pool.members[memory_id].facts
            (passages if is_passage(facts) else statements).append(facts)
        is_asked = gathered.pool.question.is_single_question
        lists = [
            ranked(
                gathered.among(member.id for member in some),
                priors=priors(some, at=self._seconds, is_asked=is_asked),
            )
            for some in (statements, passages)
            if some
        ]
        return [_of_its_path(candidate, gathered) for candidate in chain(*lists)]

    def _warned(self, ranking: Ranking, patterns: Mapping[int, str]) -> Ranking:
        """Return the same with the negative memories whose pattern occurs in the question."""
        known = dict(ranking.ranked)
        for memory_id, candidate in self._candidates(ranking, patterns).items():
            # The part is there even if it adds nothing: that a warning went off is to be said.
            warning = candidate.with_part("trigger", 0.0)
            known[memory_id] = selection.raised(warning, "trigger", to=selection.TRIGGERED)
        return ranking._replace(ranked=known)

    def _matched(self, action: Action | None, ranking: Ranking) -> dict[int, Match]:
        """Return how far memories speak of an action: those that the question brought, and those
        that declare patterns."""
        if action is None:
            return {}
        declared = dict(self._warnings)
        facts = self._facts_of({*ranking.ranked, *declared})
        kinds = {n: memory.kind for n, memory in facts.items() if memory.kind in MAY_GUARD}
        about: dict[int, list[str]] = {}
        for memory_id, path, *_ in self._store.all("retrieval.about", ids=json.dumps(list(kinds))):
            about.setdefault(memory_id, []).append(path)
        statements = {
            n: Statement.of(body, kinds[n], declared.get(n, ()), about.get(n, ()))
            for n, body in self._bodies(kinds)
            if may_guard(kinds[n], body)
        }
        return matches(action, statements)

    def _patterns(self, action: Action | None, matched: Mapping[int, Match]) -> dict[int, str]:
        """Return the patterns that go off: of a question those that occur in it."""
        if action is None or not action.is_certain:
            return triggered(self._request.text, self._warnings)
        return {
            n: match.trigger for n, match in matched.items() if match.is_evident and match.trigger
        }

    def _acted(self, action: Action, ranking: Ranking, matched: Mapping[int, Match]) -> Ranking:
        """Return the same with what warns of an action raised, by the part `action`, and all else
        below the floor: who is about to act asked for no more."""
        below = log_odds_of(selection.SCORE_FLOOR) - STEP
        known = {}
        for memory_id, candidate in ranking.ranked.items():
            match = matched.get(memory_id)
            if "trigger" in candidate.parts:
                known[memory_id] = candidate
            elif match is not None and match.is_evident:
                known[memory_id] = _warned(candidate, match)
            elif "near" in candidate.parts or not action.is_certain:
                known[memory_id] = candidate
            else:
                known[memory_id] = candidate.with_part(
                    "action", min(below - candidate.log_odds, 0.0)
                )
        return ranking._replace(ranked=known)


def _warned(candidate: RankedMemory, match: Match) -> RankedMemory:
    """Return a memory raised by the part `action`: just evident, it is as likely as not."""
    chance = probability(match.log_odds - EVIDENT)
    return selection.raised(candidate.with_part("action", 0.0), "action", to=chance)


def _of_its_path(candidate: RankedMemory, gathered: Candidates) -> RankedMemory:
    """Return a memory raised by the part `path` if the question names the file that it is about."""
    member = gathered.pool.members[candidate.id]
    return by_place(candidate, "path", member.named) if member.by_path else candidate


def _of_their_time(ranking: Ranking, gathered: Candidates) -> Ranking:
    """Return the same with what was said in the time that alone is asked about raised."""
    pool = gathered.pool
    if not pool.question.names_only_a_time:
        return ranking
    known = dict(ranking.ranked)
    for memory_id in pool.candidates:
        facts = pool.members[memory_id].facts
        if any(time_nearness(facts, time_range) == 1 for time_range in pool.question.time_ranges):
            known[memory_id] = selection.raised(known[memory_id], "time", to=selection.OF_ITS_TIME)
    return ranking._replace(ranked=known)


def _in_order(ranking: Ranking) -> list[RankedMemory]:
    """Return the ranked memories, most likely first; ties go to the newer."""
    return sorted(
        ranking.ranked.values(), key=lambda candidate: (-candidate.log_odds, -candidate.id)
    )
