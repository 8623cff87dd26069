"""Memkit facade, open(), and GlobalStore, the second file for scope global."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from pathlib import Path
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    Protocol,
    Self,
    TypeVar,
    Unpack,
    overload,
)

from . import validation
from .errors import Disabled, InvalidInput, StoreError, StoreReadOnly
from .store.lifecycle import BUSY_TIMEOUT, default_global_path, is_switched_off
from .store.named_queries import Query, checked_query
from .store.store import TIDIED, TIDY_SECONDS, Store, was_noted
from .validation import DEFAULT_DEPTH, Progress

if TYPE_CHECKING:
    from .agents.extraction import ExtractionResult, Extractor
    from .agents.guard import GuardResult
    from .agents.memory_agent import MemoryAgent, Verify
    from .agents.review import Review
    from .codegraph.codegraph import CodeGraph
    from .codegraph.query.anchor_check import Anchoring
    from .consolidation.consolidation import Consolidation
    from .consolidation.contradiction_scan import Judge
    from .consolidation.runs import ConsolidationReport
    from .context.context import Context
    from .encoder import Encoder, Encodes
    from .episodes.episodes import Episodes
    from .episodes.recording.session import Session
    from .episodes.workflows import Workflow
    from .interchange.archive import PathOrStream
    from .interchange.importer import Importer
    from .interchange.notes_importer import ImportReport
    from .maintenance import Stats, TrimReport
    from .memories.memories import Memories
    from .memories.records import Memory, MemoryRef
    from .memories.scrub import ScrubReport
    from .memories.search_index import Index
    from .retrieval.episode_retriever import EpisodeRetriever
    from .retrieval.pipeline import Request
    from .retrieval.records import (
        EpisodeHit,
        Explanation,
        Filters,
        Gap,
        RecallFilters,
        RecallResult,
        RetrievalConfig,
        Source,
    )
    from .retrieval.retriever import Retriever
    from .retrieval.serving_log import ServingLog
    from .store.integrity import CheckReport
    from .store.timestamps import When

# What is imported inside functions here is loaded by whoever uses it: a command starts anew each
# time, and most need one facade of many.


# --- Global store: the second file, which holds global memories.


class _HoldsMemories(Protocol):
    """Protocol of an open store: its memories, and its end."""

    @property
    def memories(self) -> Memories:
        """What it remembers."""
        ...

    def close(self) -> None:
        """Close it."""


Kit = TypeVar("Kit", bound=_HoldsMemories)
Kit_co = TypeVar("Kit_co", covariant=True)


class _Opener(Protocol[Kit_co]):
    def __call__(self, path: Path, *, readonly: bool) -> Kit_co: ...


class GlobalStore(Generic[Kit]):
    """Global store: a second file, read if it is there, and made when first written to."""

    def __init__(self, path: Path | None, opened: _Opener[Kit]) -> None:
        """`path` None: there is none. `opened(path, readonly=…)` opens it."""
        self._path = path
        self._open = opened
        self._kit: Kit | None = None
        self._former: Kit | None = None
        self._is_written = False
        self._lock = threading.RLock()

    @property
    def is_named(self) -> bool:
        """Whether there is, or is to be, such a store."""
        return self._path is not None

    def memories(self, *, writes: bool = False) -> Memories | None:
        """Return what the store remembers; None if there is none. For writing it is made."""
        kit = self.writer() if writes else self.reader()
        return None if kit is None else kit.memories

    def reader(self) -> Kit | None:
        """Return the store, opened only for reading unless it is open already; None if there is no
        such file."""
        with self._lock:
            if self._kit is None and self._path is not None and self._is_there(self._path):
                self._kit = self._open(self._path, readonly=True)
            return self._kit

    def writer(self) -> Kit | None:
        """Return the store opened for writing, made if it is not there; None if there is none."""
        with self._lock:
            if self._path is not None and not self._is_written:
                # One that reads stays open: another thread may be in the midst of a question.
                self._former = self._kit
                try:
                    self._path.parent.mkdir(parents=True, exist_ok=True)
                except OSError as error:
                    raise StoreReadOnly(
                        f"{self._path}: its folder cannot be made ({error.strerror}); name another "
                        "file of global memories by MEMKIT_GLOBAL"
                    ) from None
                self._kit = self._open(self._path, readonly=False)
                self._is_written = True
            return self._kit

    def _is_there(self, path: Path) -> bool:
        """Whether there is such a file; raises StoreError if nobody may look."""
        try:
            return path.exists()
        except OSError as error:
            raise StoreError(f"{path}: cannot be reached ({error.strerror})") from None

    def close(self) -> None:
        """Close it, if it was opened."""
        with self._lock:
            opened = (self._kit, self._former)
            self._kit, self._former, self._is_written = None, None, False
        for kit in opened:
            if kit is not None:
                kit.close()


# --- `Memkit`: facade of one open file. Wiring only.

DEFAULT_LIMIT = 10
T = TypeVar("T")


class _MadeOnce(Generic[T]):
    """Attribute of a `Memkit` that is made by the first thread that reads it."""

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, kit: None, owner: type) -> Self: ...

    @overload
    def __get__(self, kit: Memkit, owner: type) -> T: ...

    def __get__(self, kit: Memkit | None, owner: type) -> Self | T:
        if kit is None:
            return self
        with kit._making:
            if self._name not in vars(kit):
                vars(kit)[self._name] = self._make(kit)
        made: T = vars(kit)[self._name]
        return made


class Memkit:
    """One open memkit file, made by `memkit.open`.

    `memories` writes and reads what is known; the rest are questions.
    """

    def __init__(
        self,
        store: Store,
        *,
        encoder: Encoder | None = None,
        project: str = "",
        global_path: Path | None = None,
    ) -> None:
        self._store = store
        self.project = _clean(project) if project else ""
        self._own_encoder = encoder
        other_path = None if global_path == store.path else global_path
        self._global = GlobalStore(other_path, self._open_global)
        self._making = threading.RLock()  # of what is made when it is first read
        self._config: RetrievalConfig | None = None  # set where parts of recall are measured
        self._has_agent = False
        self._without_episodes: object = None  # projects and state of the file

    @property
    def path(self) -> Path:
        """The file that is open."""
        return self._store.path

    # -- facades, and what they share

    @_MadeOnce
    def memories(self) -> Memories:
        """What is remembered."""
        from .memories.code_anchors import LateCodeAnchors
        from .memories.memories import Memories

        def answered(memory: Memory) -> tuple[str, ...]:
            from .consolidation.gaps import close_by

            with suppress(StoreError):  # the memory is written: the end of the session tells
                return close_by(self, memory)
            return ()

        return Memories(
            self._store,
            self._index,
            project=self.project,
            global_store=self._global,
            code=LateCodeAnchors(
                lambda: self._anchoring,
                has_code=lambda: bool(self._store.value("codegraph_anchors.has_code")),
            ),
            answered=answered,
        )

    @_MadeOnce
    def codegraph(self) -> CodeGraph:
        """What the code beside the file is, and how it hangs together."""
        from .codegraph.codegraph import CodeGraph

        return CodeGraph(self._store)

    @_MadeOnce
    def episodes(self) -> Episodes:
        """What an agent does and did: recording, and the questions about it."""
        from .episodes.episodes import Episodes
        from .retrieval.episode_surroundings import surroundings

        recall = partial(self.recall, sources="memories")
        return Episodes(
            self._store,
            project=self.project,
            encoder=self._index.encoder,
            surroundings=surroundings(self._store, recall, self.memories),
            keep=self._keep_workflows,
        )

    def _keep_workflows(self, workflows: Sequence[Workflow]) -> None:
        from .consolidation.observed_memories import keep_workflows

        keep_workflows(self, workflows)

    @_MadeOnce
    def context(self) -> Context:
        """What is put before a model within a budget, and what is taken out of it again."""
        from .context.context import Context

        return Context(self)

    @_MadeOnce
    def consolidation(self) -> Consolidation:
        """What use, time and outcomes do to what is remembered."""
        from .consolidation.consolidation import Consolidation

        return Consolidation(self)

    @_MadeOnce
    def review(self) -> Review:
        """What was extracted and waits for a confirmation."""
        from .agents.review import Review

        return Review(self)

    @_MadeOnce
    def _index(self) -> Index:
        from .memories.search_index import Index

        return Index(self._store, self._own_encoder)

    @_MadeOnce
    def _anchoring(self) -> Anchoring:
        from .codegraph.query.anchor_check import Anchoring

        return Anchoring(self._store, lambda: self.codegraph.refresh())

    @_MadeOnce
    def _retriever(self) -> Retriever:
        from .retrieval.retriever import Retriever

        return Retriever(self._store, self._index, lambda: self._anchoring, self._served)

    @_MadeOnce
    def _served(self) -> ServingLog:
        """What sessions were shown."""
        from .retrieval.serving_log import ServingLog

        return ServingLog(self._store)

    @_MadeOnce
    def _episode_retriever(self) -> EpisodeRetriever:
        from .retrieval.episode_retriever import EpisodeRetriever

        return EpisodeRetriever(self._store, self._index.encoder, before_reading=self._flush)

    # -- questions

    def recall(
        self,
        question: str,
        *,
        limit: int = DEFAULT_LIMIT,
        min_score: float | None = None,
        depth: int = DEFAULT_DEPTH,
        session: Collection[str] | str | None = None,
        near: str | None = None,
        sources: Collection[Source | str] | str | None = None,
        **filters: Unpack[RecallFilters],
    ) -> RecallResult:
        """Return the memories that answer a question, best first; nothing if none is good enough.
        Its `episodes` are the tasks, errors with their fixes and failed attempts that do.

        `min_score` (0 to 1) replaces the calibrated floor; 0 returns the best there are. `limit` is
        of memories and of episodes. `sources` (memories, tasks, errors, attempts; one or several)
        says where to look, None is everywhere. `filters`: scope, kind, tags, project, task (one, or
        any of several), since, until, as_of, history, season (recurring moments that are on); the
        first three are of memories only. With `session` (one, or several), what it was shown
        already does not come again, and its own session memories take part. What is about `near`
        (a path or a symbol) or about code that hangs together with it is lifted. Raises
        InvalidInput for a filter that means nothing.
        """
        how: dict[str, Any] = {"limit": limit, "min_score": min_score, "depth": depth}
        return self._recall(question, session=session, near=near, sources=sources, **how, **filters)

    def _recall(
        self,
        question: str,
        *,
        limit: int = DEFAULT_LIMIT,
        min_score: float | None = None,
        depth: int = DEFAULT_DEPTH,
        session: Collection[str] | str | None = None,
        near: str | None = None,
        sources: Collection[Source | str] | str | None = None,
        noted: bool = True,
        **filters: Unpack[RecallFilters],
    ) -> RecallResult:
        """Return what `recall` does; not `noted`, the caller says what of it a session is shown."""
        from .retrieval.query import sources_of
        from .retrieval.records import RecallResult, Source
        from .retrieval.selection import with_note

        how: dict[str, Any] = {"min_score": min_score, "near": near}
        query = self._request(question, {**filters, "session": session}, depth=depth, **how)
        global_retriever, note = self._global_retriever(query)
        max_hits = validation.integer(limit, name="limit")
        chosen = sources_of(sources, query.filters)
        episodes, is_of_work = self._episodes_for(
            query, chosen, limit=max_hits, min_score=min_score
        )
        if (is_of_work and sources is None) or Source.MEMORIES not in chosen:
            return RecallResult(episodes=episodes)
        result = self._retriever.recall(
            query, limit=max_hits, other=global_retriever, episodes=episodes, noted=noted
        )
        return result if note is None else with_note(result, note)

    def explain(
        self,
        question: str,
        reference: MemoryRef,
        *,
        limit: int = DEFAULT_LIMIT,
        min_score: float | None = None,
        depth: int = DEFAULT_DEPTH,
        session: Collection[str] | str | None = None,
        near: str | None = None,
        **filters: Unpack[RecallFilters],
    ) -> Explanation:
        """Return why a memory comes back for a question, or at which step it was dropped; raises
        NotFound for one that is not there."""
        from .memories.records import memory_id

        how: dict[str, Any] = {"min_score": min_score, "near": near}
        query = self._request(question, {**filters, "session": session}, depth=depth, **how)
        home = self._global.reader() if self.memories._is_global(reference) else None
        how = {"other": self._global_retriever(query)[0], "home": home and home._retriever}
        max_hits = validation.integer(limit, name="limit")
        return self._retriever.explain(query, memory_id(reference), limit=max_hits, **how)

    def clear_surfaced(self, session: str) -> None:
        """Let everything be shown to a session again: what it works on has changed."""
        self._served.clear(validation.named(session, name="session"))

    def gaps(self, *, limit: int = 20, history: bool = False) -> list[Gap]:
        """Return what sessions asked in vain, the most asked first: what is worth remembering.

        Questions that ask the same are one. With `history` also those that are closed: answered by
        a later memory, for as long as it is not forgotten, or by `consolidation.close_gap`.
        """
        from .consolidation.gaps import find_gaps

        count = validation.integer(limit, name="limit")
        return find_gaps(self, limit=count, history=validation.boolean(history, name="history"))

    # -- agents

    def guard(
        self, tool: str, input: Mapping[str, object] | str, *, session: str | None = None
    ) -> GuardResult:
        """Return what is known against a call of a tool that is about to be made: memories whose
        patterns go off or that speak of it, and that the same failed before.

        `input` is what an agent passes to the tool (a command; a path with the new text), or the
        command or path alone. The decision is warn, or what a memory's tag says: `guard:ask`,
        `guard:deny`. With `session` a warning comes once; what asks or denies always comes. Raises
        InvalidInput for a tool without a name and for an input that is neither.
        """
        from .agents.guard import guard

        return guard(self, tool, input, session=session)

    def agent(
        self,
        *,
        session: str | None = None,
        budget: int = 2_000,
        verify: Verify | None = None,
    ) -> MemoryAgent:
        """Return the background agent of this process and file, begun by the first call: what
        `update` is given is dealt with in a thread, and `take_pending` gives the context of the
        turn before. It ends with the kit that began it.

        `session` is whose turns they are, `budget` the tokens of a context. `verify(text, item)`
        says whether an item is relevant: what is not stays away and is believed less, what is,
        more. Raises InvalidInput for options other than those that it was begun with.
        """
        from .agents.memory_agent import AgentOptions, agent_of

        self._has_agent = True
        tokens = validation.integer(budget, name="budget")
        check = validation.callback(verify, name="verify")
        return agent_of(self, AgentOptions(session, tokens, check))

    # -- sessions

    def session(
        self,
        name: str | None = None,
        *,
        agent: str | None = None,
        branch: str | None = None,
        commit: str | None = None,
        root: str | os.PathLike[str] | None = None,
        batch: int = 1,
        parent: Session | str | None = None,
        at: When | None = None,
    ) -> Session:
        """Begin a session, or go on with the one of that name; use it with `with`.

        `branch` and `commit` are read from .git if they are not given. `root` is the folder paths
        are relative to. `parent` is the session that begins this one, as a subagent's. With
        `batch` above 1 that many events are written together: faster, and the last ones are lost
        if the process is killed. Never raises because of the file.
        """
        return self.episodes._recording.session(
            name,
            agent=agent,
            branch=branch,
            commit=commit,
            root=root,
            batch=batch,
            parent=parent,
            at=at,
        )

    def extract(
        self,
        text: str | None = None,
        *,
        session: str | None = None,
        extractor: Extractor | None = None,
        remember: bool = False,
    ) -> ExtractionResult:
        """Return what of a prompt may be worth remembering, as drafts, and what was dropped.

        `text` is a prompt or a transcript; without it that is read what was recorded of `session`:
        its prompts, commands that at last worked, causes of failures. `extractor` takes a prompt
        and returns drafts or texts instead of the rules; if it raises, the rules are used, with a
        note. With `remember` the candidates become memories that wait for a confirmation
        (`review`), at most five of a session, none that says what is known. Raises InvalidInput,
        StoreReadOnly, StoreBusy or StoreFull.
        """
        from .agents.extraction import extract

        return extract(self, text, session=session, extractor=extractor, remember=remember)

    # -- consolidation

    # -- the file

    def check(self, *, repair: bool = False, progress: Progress | None = None) -> CheckReport:
        """Return what is wrong: pages, references, derived rows, hashes, edges, secrets; `repair`
        rebuilds derived rows (`progress` is of vectors), drops dangling ones, statements never."""
        from . import maintenance

        return maintenance.check(self._store, self._index, repair=repair, progress=progress)

    def consolidate(
        self,
        *,
        dry_run: bool = False,
        steps: Collection[str] | str | None = None,
        judge: Judge | None = None,
    ) -> ConsolidationReport:
        """Merge what says the same, note what contradicts what, put old memories shorter, infer
        tags, link what was useful together and forget what nobody needs; return what was done, with
        ids and reasons.

        It is planned first, and applied in one transaction, which `consolidation.undo` takes back;
        a second run finds nothing to do. With `dry_run` nothing is changed. `steps` (merge,
        contradictions, compress, tag, link, forget) are those to do, None is all. `judge` is asked
        before, as `consolidation.scan_contradictions` asks it, but not in a dry run; what it said
        is kept, whatever becomes of the run. Raises InvalidInput for another step, or a judge that
        none of them asks, StoreReadOnly, StoreBusy or StoreFull.
        """
        return self.consolidation._run(dry_run=dry_run, steps=steps, judge=judge)

    def stats(self) -> Stats:
        """Return numbers about the file: memories, sizes, vectors, code, episodes."""
        from . import maintenance

        return maintenance.stats(self._store, self._index, self.episodes.stats())

    def scrub(self) -> ScrubReport:
        """Find secrets in what is stored already and remove them, from free pages too."""
        from .memories.scrub import scrub

        return scrub(self._store, self._index)

    def trim(
        self, *, days: float | None = None, max_rows: Mapping[str, int] | None = None
    ) -> TrimReport:
        """Remove rows of this machine alone that are old or too many; return how many.

        What was done goes when it is older than `days`, and beyond the newest `max_rows` of a
        table; memkit/maintenance.py has the usual numbers. Closing a kit that recorded does some of
        it by itself. Raises InvalidInput if `days` is not above 0 or a table is none of these.
        """
        from . import maintenance

        self._flush()
        days = maintenance.DAYS if days is None else days
        return maintenance.trim(self._store, days=days, max_rows=max_rows)

    def export(self, target: PathOrStream, *, local: bool = False) -> int:
        """Write every permanent row as JSON Lines to a file or stream; return how many.

        Private memories and what is of this machine alone come only with `local`.
        """
        from .interchange.archive import export

        self._index.ensure()
        return export(self._store, target, local=local)

    def import_(
        self,
        source: PathOrStream,
        *,
        format: str | None = None,
        revive: bool = False,
        progress: Progress | None = None,
    ) -> ImportReport:
        """Bring in an export, another store, notes, an MCP memory file, transcripts; idempotent.

        `format` (memkit, mcp, markdown, rst, plain, transcript or one of its formats) is seen from
        the content if it is not given; a folder of transcripts needs it. `progress` gets bytes of
        transcripts. With `revive` memories come back that were purged here.
        """
        importer = self._importer(revive=revive, progress=progress)
        return importer.import_(source, format=format)

    def import_notes(
        self, root: str | os.PathLike[str] | None = None, *, progress: Progress | None = None
    ) -> ImportReport:
        """Read README, agent notes, decision records and docs of a repository into memories.

        Again, it changes only what has changed. `root` is the folder of the file, unless given.
        """
        place = validation.optional(validation.path, root, name="root")
        return self._importer(progress=progress).repository(place)

    def _importer(self, **how: Any) -> Importer:
        # Imported here: reading notes takes a third of the modules, and few commands read notes.
        from .interchange.importer import Importer

        return Importer(self._store, self._index, self.memories, project=self.project, **how)

    def query(self, name: str, /, **params: object) -> list[dict[str, object]]:
        """Return the rows of a query of `queries()`; optional parameters may be missing."""
        query = checked_query(self.queries(), name, params)
        return self._store.records(query.name, **(dict.fromkeys(query.params) | params))

    def queries(self) -> Mapping[str, Query]:
        """Return every named query that only reads, with its parameters and its comment."""
        from .store.tables import reading_queries

        return reading_queries()

    def reembed(self, *, progress: Progress | None = None) -> int:
        """Give every memory vectors of the encoder in use; return how many got them. Resumable."""
        return self._index.reembed(validation.callback(progress, name="progress"))

    def close(self) -> None:
        """Close the file; nothing is left beside it."""
        with ExitStack() as last:  # from the end, each even if one before it fails
            last.callback(self._store.close)
            last.callback(self._tidy)
            last.callback(self._global.close)
            last.callback(self._end_agent)
            if (episodes := self._made("episodes")) is not None:
                last.callback(episodes._close)

    def __enter__(self) -> Memkit:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _request(
        self,
        text: str,
        filters: Mapping[str, Any],
        *,
        depth: int,
        **how: Any,
    ) -> Request:
        from .retrieval.pipeline import request
        from .retrieval.query import filters_of
        from .retrieval.records import CascadeLimits, RetrievalConfig

        chosen = filters_of(self.project, self._store.clock(), **filters)
        limits = CascadeLimits(depth=depth)
        config = self._config or RetrievalConfig()
        return request(text, chosen, limits=limits, config=config, **how)

    def _episodes_for(
        self,
        query: Request,
        sources: Collection[Source],
        *,
        limit: int,
        min_score: float | None,
    ) -> tuple[tuple[EpisodeHit, ...], bool]:
        """Return the episodes that answer a question, and whether it is of work alone."""
        if not self._may_have_episodes(query.filters):
            return (), False
        return self._episode_retriever.search(
            query.text, query.filters, sources=sources, limit=limit, min_score=min_score
        )

    def _may_have_episodes(self, filters: Filters) -> bool:
        """Whether anything was recorded: what searches episodes is loaded only then; looked up
        again after a change of the file."""
        if self._made("episodes") or self._made("_episode_retriever"):
            return True
        projects = filters.projects or ("",)
        state = (projects, self._store.state())
        if self._without_episodes != state:
            name = "retrieval_episodes.has_episodes"
            rows = (self._store.first(name, project=project) for project in projects)
            if any(any(row or ()) for row in rows):
                return True
            self._without_episodes = state
        return False

    def _made(self, name: str) -> Any:
        """Return an attribute if it was made already, else None."""
        return vars(self).get(name)

    def _flush(self) -> None:
        """Write the events that wait, if anything was recorded through this kit."""
        if (episodes := self._made("episodes")) is not None:
            episodes.flush()

    def _end_agent(self) -> None:
        """End the background agent, if it works with this kit."""
        if self._has_agent:
            from .agents.memory_agent import close_agent

            close_agent(self)

    def _tidy(self) -> None:
        """Write down what was shown; if anything was recorded, keep it from growing for ever."""
        served, episodes = self._made("_served"), self._made("episodes")
        has_written = (served and served.flush()) or (episodes and episodes._recording.has_written)
        if not has_written:
            return
        with suppress(StoreError):  # closed already, or in use: another time
            if not was_noted(self._store, TIDIED, within=TIDY_SECONDS):
                from . import maintenance

                maintenance.tidy(self._store)

    def _global_retriever(self, query: Request) -> tuple[Retriever | None, str | None]:
        """Return what answers from the global store, if it is asked, or why it cannot."""
        scopes = query.filters.scopes
        if scopes and "global" not in scopes:
            return None, None
        try:
            other = self._global.reader()
        except StoreError as error:
            return None, f"global memories were left out: {error}"
        return (None if other is None else other._retriever), None

    def _open_global(self, path: Path, *, readonly: bool) -> Memkit:
        own = self._store
        store = Store(path, readonly=readonly, clock=own.clock, busy_timeout=own.busy_timeout)
        return Memkit(store, encoder=self._own_encoder)


# --- `memkit.open`: arguments of the caller to a `Memkit`.


def open(
    path: str | os.PathLike[str] = ".memkit.db",
    *,
    readonly: bool = False,
    encoder: Encoder | Encodes | str | os.PathLike[str] | None = None,
    clock: Callable[[], float] = time.time,
    project: str = "",
    global_store: str | os.PathLike[str] | Literal[False] | None = None,
    busy_timeout: float = BUSY_TIMEOUT,
) -> Memkit:
    """Open a memkit file, made if it is not there, and return it; use it with `with`.

    `encoder` is a folder with a static model or an object with `encode`; None is the packaged one.
    `clock` returns seconds since 1970. `project` is the wall behind which this caller stands ("" is
    the repository the file lies in). `global_store` is the file of global memories; None is the
    usual place in the user's data folder, False keeps them in this file. `busy_timeout` is the
    longest wait for another process, in seconds.

    Raises NotAMemkitFile, SchemaTooNew, ForeignObject, StoreDamaged, StoreBusy, StoreReadOnly (what
    is to be made or brought up to date cannot be written), ModelMissing, InvalidInput, Disabled.
    """
    if is_switched_off():
        raise Disabled("memkit is switched off by MEMKIT_DISABLED; unset it to switch it on")
    chosen = None if encoder is None else _encoder(encoder)
    wall, file = validation.text(project, name="project"), _file(path, name="path")
    place = None if global_store is False else _global_file(global_store)
    store = Store(file, readonly=readonly, clock=clock, busy_timeout=busy_timeout)
    return Memkit(store, encoder=chosen, project=wall, global_path=place)


def _global_file(named: str | os.PathLike[str] | None) -> Path | None:
    """Return the file of global memories; None if nobody says where and there is no home folder."""
    try:
        return _file(default_global_path() if named is None else named, name="global_store")
    except RuntimeError:
        return None


def _clean(project: str) -> str:
    from .redaction import clean_text, redact

    return redact(clean_text(project)).text


def _encoder(source: Encoder | Encodes | str | os.PathLike[str]) -> Encoder:
    from .encoder import load_encoder

    return load_encoder(source)


def _file(path: object, *, name: str) -> Path:
    """Return the path of a file; what SQLite would not take for one would be made under that
    name."""
    file = validation.path(path, name=name)
    if str(file) == ":memory:" or str(file).startswith("file:"):
        raise InvalidInput(
            f"{name}: {str(file)!r} is no file, and a memkit store is one; give a path, for a "
            "trial one in a temporary folder"
        )
    return file
