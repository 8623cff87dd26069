"""CodeGraph facade."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import validation
from ..errors import InvalidInput, NotFound, StoreBusy
from ..validation import Progress
from .analysis import Analysis, default_analysis, parse
from .facts import Facts
from .index.indexer import BudgetExceeded, Indexer, IndexReport, TimeBudget
from .index.workspace import (
    FileRow,
    Workspace,
    checked_languages,
    confirm,
    foreign,
    indexed_text,
    known_files,
    last_workspace,
    load_state,
    split_root,
)
from .query.code_search import CodeSearch, CodeSearchResult
from .query.graph_queries import ALL_KINDS, CALLS, GraphQueries
from .query.repo_map import BUDGET, CodeMap, draw
from .records import CodeResult, FileStatus, GraphStatus, NodeKind, SymbolForm

if TYPE_CHECKING:
    from ..store.store import Store

# How long a question may wait for the graph to follow the tree, in seconds: the file on which most
# of a large tree leans takes half of it.
PATIENCE = 1.0
# Files above which a change is left to `index`: to parse so many takes longer than that.
_MAX_CHANGED = 100
# Looking at the tree, and work that came to nothing, take at most one part in so many of the time.
_SHARE = 20
# Seconds from which a look at the tree is a long one.
_LONG_LOOK = 0.1


class CodeGraph:
    """Indexes a tree and answers questions about it.

    Before a question the tree is looked at, and what changed is indexed if that is quick;
    otherwise the answer has a note. `snapshot()` asks many questions about one state of the tree.
    """

    def __init__(
        self,
        store: Store,
        *,
        patience: float = PATIENCE,
        analysis: Callable[[], Analysis] = default_analysis,
    ) -> None:
        """`patience`: seconds a question may wait for changed files; 0 never indexes by itself."""
        self._store = store
        self._indexer = Indexer(store, analysis)
        self._queries = GraphQueries(store, self._read, self._text)
        self._analysis = analysis
        self._code_search = CodeSearch(store)
        self._patience = patience
        self._snapshot: tuple[str, ...] | None = None
        self._next_look = 0.0
        self._late: tuple[str, ...] = ()

    # -- the tree

    def index(
        self,
        root: str | os.PathLike[str] | None = None,
        *,
        languages: Iterable[str] | None = None,
        flow: bool | None = None,
        progress: Progress | None = None,
        processes: int = 1,
    ) -> IndexReport:
        """Bring the graph to what the tree is now; only what has changed is parsed.

        `root` is the folder of the store unless it is given, or the one given last time; below the
        store's folder paths count from that. `languages`: only these, () for all. `flow` follows
        values through the whole program, which finds more calls and takes longer. None of either:
        as last time. `processes` above 1 parse a large tree side by side (the caller's main module
        must be importable).
        Raises InvalidInput for a root that is no folder, for a language that is not known,
        StoreReadOnly, StoreBusy.
        """
        budget = TimeBudget(
            validation.callback(progress, name="progress"),
            processes=validation.integer(processes, name="processes"),
        )
        place = self._store.path.parent if root is None else validation.path(root, name="root")
        last = last_workspace(self._store)
        if root is None and last is not None:
            workspace = last
        else:
            base, prefix = split_root(self._store.path.parent, place)
            workspace = attrs.evolve(last or Workspace(base), base=base, prefix=prefix)
        if root is None and (reason := foreign(self._store, workspace.base)):
            raise InvalidInput(reason)
        if languages is not None:
            known = self._analysis().languages
            workspace = attrs.evolve(workspace, languages=checked_languages(languages, known))
        if flow is not None:
            workspace = attrs.evolve(workspace, flow=validation.boolean(flow, name="flow"))
        if not (workspace.base / workspace.prefix).is_dir():
            raise InvalidInput(f"root: {workspace.base / workspace.prefix} is no folder; give one")
        self._next_look, self._late = 0.0, ()
        confirm(self._store, workspace.base)
        report = self._indexer.update(workspace, budget)
        self._code_search.prepare()
        if last is None or (last.base, last.prefix) == (workspace.base, workspace.prefix):
            return report
        former = f"the graph of {last.base / last.prefix} gave way to this one; a store holds one"
        return attrs.evolve(report, notes=(*report.notes, former))

    def status(self) -> GraphStatus:
        """Return how the graph stands to the tree; nothing is indexed."""
        workspace = self._known_workspace()
        if reason := foreign(self._store, workspace.base):
            raise InvalidInput(reason)
        differences = self._indexer.differing(workspace)
        symbols, edges = self._store.first("codegraph.sizes") or (0, 0)
        return GraphStatus(
            root=(Path(load_state(self._store)["root"]) / workspace.prefix).as_posix(),
            coverage=self._queries.coverage(),
            symbols=symbols,
            edges=edges,
            by_kind=dict(self._store.all("codegraph.by_kind")),
            by_language=dict(self._store.all("codegraph.by_language")),
            changed=differences.suspects,
            gone=tuple(row.path for row in differences.gone),
            notes=tuple(note for note in (differences.listing.note,) if note),
        )

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """Take the tree as it is now for all questions inside."""
        before, self._snapshot = self._snapshot, self._refreshed()
        try:
            yield
        finally:
            self._snapshot = before

    # -- questions

    def file_contents(self, path: str) -> CodeResult:
        """Return everything that a file defines or imports, in the order of its text.

        A path may be its last parts, if no other ends so. Raises NotFound with near paths.
        """
        return self._ask(lambda: self._queries.contents(path, outline=False))

    def outline(self, path: str) -> CodeResult:
        """Return the functions, methods and classes of a file, with signature and doc line; of a
        document its sections."""
        return self._ask(lambda: self._queries.contents(path, outline=True))

    def find_symbol(
        self,
        name: str,
        *,
        kind: NodeKind | SymbolForm | str | None = None,
        limit: int = 50,
    ) -> CodeResult:
        """Return the symbols that a name means, with details; if none does, those of near names.

        A name is `name`, `Class.method`, `pkg.mod.Class.method`, `path::Class.method` or a path.
        """
        is_form = kind in list(SymbolForm)
        kinds: type[NodeKind | SymbolForm] = SymbolForm if is_form else NodeKind
        checked_kind = None if kind is None else validation.member(kinds, kind, name="kind")
        return self._ask(lambda: self._queries.find(name, kind=checked_kind, limit=limit))

    def callers(
        self, name: str, *, candidates: bool = False, overrides: bool = False
    ) -> CodeResult:
        """Return what calls a function, a method or a variable that holds one; of a class what
        makes or uses it: a node for each line where it does, `via.line`. Who uses a macro calls
        what is called in its text.

        With `candidates` also calls that may mean another of its name; with `overrides` also calls
        of a method that it overrides. Raises NotFound with near names, as all that take a name.
        """
        return self._ask(
            lambda: self._queries.incoming(name, CALLS, candidates=candidates, overrides=overrides)
        )

    def callees(self, name: str, *, candidates: bool = False) -> CodeResult:
        """Return what a function or method calls."""
        return self._ask(lambda: self._queries.callees(name, candidates=candidates))

    def uses(self, name: str) -> CodeResult:
        """Return what a symbol and what is inside of it refer to besides what they call: types,
        variables, bases, functions as values, imports."""
        return self._ask(lambda: self._queries.uses(name))

    def members(self, name: str) -> CodeResult:
        """Return the methods, fields and inner types that a class itself has, with details."""
        return self._ask(lambda: self._queries.members(name))

    def unused(
        self, path: str = "", *, kind: NodeKind | str | None = None, limit: int = 100
    ) -> CodeResult:
        """Return the symbols below a path to which nothing refers but they themselves; not those
        that run without being named (initialisers, tests, special methods, overrides), nor the
        keys of data and the targets of makefiles, which programs read by other means. A class is
        used if tests are inside, a namespace if anything inside is, or if that is a file.
        Raises NotFound if nothing of the graph lies at the path."""
        path = validation.text(path, name="path")
        checked_kind = None if kind is None else validation.member(NodeKind, kind, name="kind")
        return self._ask(lambda: self._queries.unused(path, kind=checked_kind, limit=limit))

    def references(
        self, name: str, *, candidates: bool = False, overrides: bool = False
    ) -> CodeResult:
        """Return everything that calls, uses, imports, inherits or overrides a symbol: a node for
        each line where it does, `via.line`.

        With `overrides` also what refers to the methods that it overrides, that override it, and
        so on: what has to change where it gets another name.
        """
        return self._ask(
            lambda: self._queries.incoming(
                name, ALL_KINDS, candidates=candidates, overrides=overrides
            )
        )

    def supertypes(self, name: str, *, depth: int = 20) -> CodeResult:
        """Return the classes that a class inherits from, nearest first."""
        return self._ask(lambda: self._queries.hierarchy(name, depth=depth, down=False))

    def subtypes(self, name: str, *, depth: int = 20) -> CodeResult:
        """Return the classes that inherit from a class, nearest first."""
        return self._ask(lambda: self._queries.hierarchy(name, depth=depth, down=True))

    def dependencies(self, path: str, *, depth: int = 1) -> CodeResult:
        """Return the files that a file leans on, nearest first; imports of what lies outside of
        the tree are in its `file_contents`."""
        return self._ask(lambda: self._queries.files(path, depth=depth, into=False))

    def dependents(self, path: str, *, depth: int = 1) -> CodeResult:
        """Return the files that lean on a file, nearest first."""
        return self._ask(lambda: self._queries.files(path, depth=depth, into=True))

    def impact(self, name: str, *, depth: int = 3, candidates: bool = False) -> CodeResult:
        """Return everything that leans on a symbol over up to `depth` steps, nearest first."""
        return self._ask(lambda: self._queries.impact(name, depth=depth, candidates=candidates))

    def find_relevant_to_query(self, text: str, *, limit: int = 10) -> CodeSearchResult:
        """Return the files where a question, a task or an error is dealt with, best first, each
        with its score, its reasons and those of its symbols that the text speaks of.

        Words of names and texts count, the meaning of paths and names, and what files that match
        use or are used by.
        """
        notes = self.refresh()
        return CodeSearchResult(tuple(self._code_search.find(text, limit=limit)), notes)

    def map(self, question: str = "", *, budget: int = BUDGET) -> CodeMap:
        """Return a map of the repository in at most `budget` tokens (o200k), ranked for a question
        or by what the rest leans on: files, and the signatures that matter most in them."""
        notes = self.refresh()
        return attrs.evolve(
            draw(self._store, self._code_search, question, source=self._read, budget=budget),
            notes=notes,
        )

    # -- bringing the graph up to date

    def refresh(self) -> tuple[str, ...]:
        """Look at the tree and index what has changed if that is quick, as before a question;
        return notes about what was not. Raises NotFound without a graph."""
        return self._refreshed() if self._snapshot is None else self._snapshot

    def _ask(self, question: Callable[[], CodeResult]) -> CodeResult:
        notes = self.refresh()
        try:
            result = question()
        except NotFound as error:
            raise NotFound("; ".join((str(error), *notes))) from None
        return attrs.evolve(result, notes=(*notes, *result.notes)) if notes else result

    def _refreshed(self) -> tuple[str, ...]:
        """Index what has changed if that is quick; return notes about what was not."""
        workspace = self._known_workspace()
        if reason := foreign(self._store, workspace.base):
            return (reason,)
        begun = time.monotonic()
        if not self._patience or begun < self._next_look:
            return self._late
        if self._store.readonly:
            differences = self._indexer.differing(workspace)
            many = len(differences.suspects) + len(differences.gone)
            return (f"{many} files differ from the index, opened read-only",) if many else ()
        if self._caught_up(workspace):
            return ()
        if self._late or time.monotonic() - begun > _LONG_LOOK:
            self._next_look = time.monotonic() + _SHARE * (time.monotonic() - begun)
        return self._late

    def _caught_up(self, workspace: Workspace) -> bool:
        """Index what has changed if that is quick; return whether anything had, and was."""
        budget = TimeBudget(seconds=self._patience, max_files=_MAX_CHANGED, stamps=False)
        self._late = ()
        try:
            with self._store.hurried():
                return bool(self._indexer.follow(workspace, budget).linked)
        except BudgetExceeded as late:
            self._late = (f"changed since the index: {late} files; run 'memkit index'",)
        except StoreBusy:
            self._late = ("what has changed since the index is left: another process is writing",)
        return False

    def _each_file(self) -> Iterator[Facts]:
        """Yield what each file of the graph says, read anew; one that is not as it was indexed, or
        cannot be read, is left out."""
        self.refresh()
        extract = self._analysis().extract
        for row in known_files(self._store).values():
            if row.status == FileStatus.PARSED and (data := self._text(row)) is not None:
                facts = parse((data, row.path, row.language), extract).facts
                if facts is not None:
                    yield facts

    def _read(self, row: FileRow, changed: Callable[[bytes], bytes]) -> Facts | None:
        """Return what a file says, read anew, after its text was changed; None if it is not as it
        was indexed."""
        data = self._text(row)
        if data is None:
            return None
        return self._analysis().extract(changed(data), row.path, row.language)

    def _text(self, row: FileRow) -> bytes | None:
        """Return the text of a file; None if it is not as it was indexed."""
        base = self._known_workspace().base
        return None if foreign(self._store, base) else indexed_text(base, row)

    def _known_workspace(self) -> Workspace:
        if (workspace := last_workspace(self._store)) is None:
            raise NotFound(
                f"{self._store.path}: has no code graph, or only one of an older memkit; make it "
                "by kit.codegraph.index() or 'memkit index'"
            )
        return workspace
