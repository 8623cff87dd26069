"""Retriever: answers queries from one store, joined with those of the global store."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import attrs

from .. import gc_pause
from ..errors import StoreError
from ..memories import ingest
from ..memories.global_relations import GlobalRelations
from ..memories.reader import known, known_ids
from . import explanation, selection
from .code_context import CodeContext
from .explanation import hit_of
from .graph_expansion import rivals
from .late_interaction import Matrices
from .pipeline import Answer, Request, RetrievalPipeline
from .query import parse_query
from .query_times import HeldTime, may_ask_what_held
from .records import EpisodeHit, Explanation, Facts, Filters, Hit, RecallResult
from .selection import federated_explanation, merged, with_note, with_shown_note
from .serving_log import ServingLog
from .spelling import Speller

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..codegraph.query.anchor_check import Anchoring
    from ..memories.records import Memory
    from ..memories.search_index import Index
    from ..store.store import Store


# Memories read beyond what is wanted, in case some say the same.
_SPARE_ROWS = 10
_FACTS = "retrieval.facts"


class Retriever:
    """Answers questions from one store."""

    def __init__(
        self,
        store: Store,
        index: Index,
        anchoring: Callable[[], Anchoring],
        served: ServingLog,
    ) -> None:
        """`anchoring` gives what knows what became of places in the code."""
        self._store = store
        self._code = CodeContext(store, anchoring)
        self._index = index
        self.served = served
        self._matrices = Matrices(store)
        self._speller = Speller(store, index)
        self._relations = GlobalRelations(store)
        self._warnings: tuple[object, list[tuple[int, list[str]]]] = (None, [])

    def recall(
        self,
        request: Request,
        *,
        limit: int,
        other: Retriever | None = None,
        episodes: tuple[EpisodeHit, ...] = (),
        noted: bool = True,
    ) -> RecallResult:
        """Return the hits for a question, best first; none if nothing is good enough.

        `other` answers from the global store; `episodes` are what was done that answers too. With a
        session in its filters, what it was shown already stays away; what it is shown now, and what
        it asked in vain, is noted, unless the caller does that.
        """
        with gc_pause.paused():  # until what led to the hits is gone
            chosen, held = self._of_its_time(self._chosen(request))
            own, more, chosen = self._of_both(chosen, limit, other)
            recall = merged(own, more, limit=limit)
            if held is not None and not recall and not held.is_belief:
                # What was written down later may tell of it.
                own, more, _ = self._of_both(self._chosen(request), limit, other)
                recall = merged(own, more, limit=limit)
                recall = with_note(recall, f"nothing that was known on {held.words} answers")
            elif held is not None:
                recall = with_note(recall, f"as of {held.words}: what was known and held then")
        recall = attrs.evolve(recall, episodes=episodes)
        if noted:
            self._note(chosen, recall, other_ids=frozenset(hit.id for hit in more))
        return with_shown_note(recall)

    def explain(
        self,
        request: Request,
        memory_id: int,
        *,
        limit: int,
        other: Retriever | None = None,
        home: Retriever | None = None,
    ) -> Explanation:
        """Return why a memory is among the hits of a question, or at which step it was dropped;
        raises NotFound.

        `other` answers from the global store too; `home` is that one, if the memory lies there.
        """
        chosen, _ = self._of_its_time(self._chosen(request))
        own = more = RecallResult()
        if other is not None:
            own, more, chosen = self._of_both(chosen, limit, other)
        replaced = self._replaced(chosen)
        beyond = limit + len(replaced)
        if home is not None:
            why = home._why(_of_everybody(chosen), memory_id, beyond)
        else:
            why = self._why(chosen, memory_id, limit)
        if not why.present or other is None:
            return why
        if home is not None and (nearer := self._nearer(memory_id, why, replaced, chosen)):
            return nearer
        return federated_explanation(why, merged(own, more, limit=limit + beyond), limit=limit)

    def clear_surfaced(self, session: str) -> None:
        """Let everything be shown to a session again."""
        self.served.clear(session)

    def flush(self) -> bool:
        """Write down what was shown to sessions, and return whether anything was; best effort,
        never waits for another process."""
        return self.served.flush()

    # -- inside

    def _recalled(self, chosen: Request, limit: int) -> RecallResult:
        notes = self._ensured()
        answer, memories = self._answered(chosen, limit)
        shown = (answer.checked.get(memory.id, {}) for memory in memories)
        if not self._code.up_to_date(shown):
            answer, memories = self._answered(chosen, limit)
        return _recall(_hits(answer, memories), answer, notes, chosen.near)

    def _of_both(
        self, chosen: Request, limit: int, other: Retriever | None
    ) -> tuple[RecallResult, RecallResult, Request]:
        """Return what this store and the global one answer, and how they were asked in the end:
        with the open contradictions between the two."""
        if other is None:
            return self._recalled(chosen, limit), RecallResult(), chosen
        chosen = chosen._replace(opponents=self._opponents(chosen, other))
        own, more = self._recalled(chosen, limit), self._nearest(other, chosen, limit)
        if brought := rivals(merged(own, more, limit=limit).hits, chosen.opponents):
            chosen = chosen._replace(rivals=brought)
            here = known_ids(self._store, brought.keys())
            # What brings them is not asked for again: it keeps its chance to the last bit.
            own = self._recalled(chosen, limit) if here else own
            more = more if here == brought.keys() else self._nearest(other, chosen, limit)
        return own, more, chosen

    def _opponents(self, chosen: Request, other: Retriever) -> Mapping[int, Sequence[int]]:
        """Return the memories of this store and of the global one that contradict each other, where
        that is not settled and both hold, or did when is asked about."""
        at = chosen.filters.as_of
        if not (pairs := self._relations.open_pairs(at=at)):
            return {}
        ends = json.dumps(sorted({end for pair in pairs for end in pair}))
        try:
            rows = [row for store in (self, other) for row in store._store.all(_FACTS, ids=ends)]
        except StoreError:
            return {}  # `_nearest` says so
        facts = map(Facts._make, rows)
        held = {f.id for f in facts if f.active or (at is not None and f.superseded_by is not None)}
        opponents: dict[int, list[int]] = {}
        for pair in pairs:
            for end, opponent in (pair, pair[::-1]) if held.issuperset(pair) else ():
                opponents.setdefault(end, []).append(opponent)
        return opponents

    def _of_its_time(self, chosen: Request) -> tuple[Request, HeldTime | None]:
        """Return what is asked as of the time that its words name, if it asks what held then and
        the caller names no time."""
        filters = chosen.filters
        is_free = not (filters.history or filters.as_of or filters.since or filters.until)
        if not (is_free and may_ask_what_held(chosen.text)):
            return chosen, None
        self._ensured()
        with self._store.snapshot():
            held = self._answering(chosen, 1).held_time()
        if held is None:
            return chosen, None
        filters = attrs.evolve(filters, as_of=held.end, held_from=held.start)
        return chosen._replace(filters=filters), held

    def _nearest(self, other: Retriever, chosen: Request, limit: int) -> RecallResult:
        """Return the hits of the global store but those that this one replaces, or to whose key it
        gives a value of its own: the nearer scope holds. It is optional: one that cannot be read is
        a note."""
        replaced = self._replaced(chosen)
        try:
            more = other._recalled(_of_everybody(chosen), limit + len(replaced))
        except StoreError as error:
            return RecallResult(notes=(f"global memories were left out: {error}",))
        if chosen.filters.history:
            return more
        at = chosen.filters.as_of
        away = {*replaced, *self._relations.nearer_facts((hit.memory for hit in more), at=at)}
        return attrs.evolve(more, hits=tuple(hit for hit in more if hit.id not in away))

    def _replaced(self, chosen: Request) -> Mapping[int, int]:
        """Return the global memories that this store replaces for a question, each with what stands
        for it."""
        filters = chosen.filters
        return {} if filters.history else self._relations.replaced(at=filters.as_of)

    def _nearer(
        self, memory_id: int, why: Explanation, replaced: Mapping[int, int], chosen: Request
    ) -> Explanation | None:
        """Return what of this store keeps a global memory away that would be a hit, or None."""
        if (own := replaced.get(memory_id)) is not None:
            return explanation.nearer(why, f"memory {own} replaces it in this project")
        memories = [] if why.hit is None or chosen.filters.history else [why.hit.memory]
        if self._relations.nearer_facts(memories, at=chosen.filters.as_of):
            return explanation.nearer(why, "this project gives its key a value of its own")
        return None

    def _note(self, chosen: Request, recall: RecallResult, *, other_ids: frozenset[int]) -> None:
        """Keep in mind what a session is shown, `other_ids` of the global store, or what it asked
        in vain."""
        sessions = chosen.filters.sessions
        if not sessions:
            return
        ids = {hit.id for hit in recall}
        self.served.answered(sessions, ids - other_ids, other_ids=ids & other_ids)
        if not recall.results and not recall.shown_before and parse_query(chosen.text).terms:
            self.served.unanswered(chosen.text, sessions[0], recall.best_left_out)

    def _why(self, chosen: Request, memory_id: int, limit: int) -> Explanation:
        self._ensured()
        with self._store.snapshot():
            answering = self._answering(chosen, limit)
            stage = self._hidden_at(memory_id, answering, chosen.filters)
            if stage is not None:
                return explanation.hidden(memory_id, stage)
            answer = answering.answer()
            good = [candidate.id for candidate in answer.good]
            if memory_id not in {candidate.id for candidate in answer.ranked}:
                return explanation.unmatched(memory_id, answering)
            if memory_id not in good:
                memories = ingest.load(self._store, [memory_id])
                return explanation.not_good(memory_id, answer, memories)
            loaded = ingest.load(
                self._store, good[: max(limit + _SPARE_ROWS, good.index(memory_id) + 1)]
            )
        return explanation.placed(memory_id, answer, loaded, limit=limit)

    def _ensured(self) -> tuple[str, ...]:
        """Bring derived rows up to date; return a note if some is left to do."""
        note = self._index.ensure_soon()
        return () if note is None else (note,)

    def _answered(self, chosen: Request, limit: int) -> tuple[Answer, list[Memory]]:
        """Return the answer and its best memories, no two alike, all of one state of the file."""
        with self._store.snapshot():
            answer = self._answering(chosen, limit).answer()
            best = [candidate.id for candidate in answer.good[: limit + _SPARE_ROWS]]
            loaded = ingest.load(self._store, best[:limit])
            ids = selection.fold_duplicates(loaded, limit=limit).ids
            if len(ids) < len(loaded):  # some say the same: others take their places
                loaded += ingest.load(self._store, best[limit:])
                ids = selection.fold_duplicates(loaded, limit=limit).ids
            return answer, [memory for memory in loaded if memory.id in ids]

    def _answering(self, chosen: Request, limit: int) -> RetrievalPipeline:
        warnings = self._triggers(chosen.filters)
        what = (self._store, self._index, chosen, warnings, self._matrices)
        return RetrievalPipeline(*what, self._speller, self._code, limit=limit)

    def _chosen(self, request: Request) -> Request:
        """Return what is asked, with what the session was shown already."""
        shown = self.served.shown_to(request.filters.sessions)
        if not shown:
            return request
        return request._replace(filters=attrs.evolve(request.filters, shown=shown))

    def _triggers(self, filters: Filters) -> list[tuple[int, list[str]]]:
        """Return the negative memories with patterns; read again when the file has changed."""
        state = (filters.projects, self._store.state())
        known = self._warnings  # read once: another thread may ask from behind another wall
        if known[0] != state:
            projects = json.dumps(filters.projects) if filters.projects else None
            rows = self._store.all("retrieval.triggers", projects=projects)
            self._warnings = known = (state, [(n, _texts(patterns)) for n, patterns in rows])
        return known[1]

    def _hidden_at(
        self, memory_id: int, answering: RetrievalPipeline, filters: Filters
    ) -> str | None:
        """Return the stage at which the filters drop a memory."""
        memory_id = known(self._store, memory_id).id
        stage = answering.stage_of(memory_id)
        if stage is None and filters.tags:
            memory = ingest.load(self._store, [memory_id])[0]
            stage = None if set(filters.tags) & set(memory.tags) else "tag"
        return "shown" if stage is None and memory_id in filters.shown else stage


def _texts(patterns: str) -> list[str]:
    """Return the patterns of a memory; none if a person wrote something else there, which `check`
    tells: all other answers are not to suffer."""
    try:
        return list(ingest.texts_of(patterns))
    except ValueError:
        return []


def _of_everybody(request: Request) -> Request:
    """Return a question as it is put to the global store, which knows neither this store's
    project, nor its sessions, nor its code."""
    return request._replace(
        near=None, filters=attrs.evolve(request.filters, projects=("",), sessions=())
    )


def _recall(
    hits: tuple[Hit, ...], answer: Answer, notes: tuple[str, ...], near: str | None
) -> RecallResult:
    notes = (*notes, *answer.gathered.notes, *ingest.fault_notes(hit.memory for hit in hits))
    if near is not None and not any("near" in hit.parts for hit in hits):
        is_known = any("near" in candidate.parts for candidate in answer.ranked)
        unknown = f"nothing is remembered about {near!r}, or near it"
        behind = f"nothing that is remembered about {near!r}, or near it, is among the best"
        notes = (*notes, behind if is_known else unknown)
    good = {candidate.id for candidate in (*answer.good, *answer.shown)}
    best = next(
        (candidate for candidate in answer.ranked if candidate.id not in good and not hits), None
    )
    return RecallResult(
        hits, notes, None if best is None else selection.score_of(best), len(answer.shown)
    )


def _hits(answer: Answer, memories: Sequence[Memory]) -> tuple[Hit, ...]:
    ranked = {candidate.id: candidate for candidate in answer.good}
    return tuple(hit_of(answer, ranked[memory.id], memory) for memory in memories)
