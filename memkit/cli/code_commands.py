"""Index, symbol, callers, callees, deps, relevant, map, stale."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from ..codegraph.index.workspace import known_files, last_workspace
from ..codegraph.records import NodeKind
from . import output
from .commands import (
    DONE,
    FAILED,
    Answer,
    Call,
    Opening,
    Usage,
    argument,
    command,
    count,
    folder,
    hops,
    option,
    switch,
)
from .output import given, one_line, repeating

if TYPE_CHECKING:
    from ..codegraph.index.indexer import IndexReport
    from ..codegraph.query.code_search import Relevant
    from ..codegraph.query.repo_map import CodeMap
    from ..codegraph.records import CodeAnswer as Found
    from ..codegraph.records import Node
    from ..memories.records import Memory


# --- Questions to the code: symbol, callers, callees, deps, relevant, map, stale.

_LEAST_SHOWN = 0.01
_NOTHING = "no file has anything to do with it"
_AS_IT_WAS = "everything that memories are about is as it was"
# Imports are in what a file holds; nothing is called so.
_KINDS = tuple(kind for kind in NodeKind if kind != NodeKind.IMPORT)
_CANDIDATES = switch("candidates", "Also edges to one of several of a name.")


@command(
    argument("name"),
    option("kind", "Only this kind.", choices=_KINDS),
    option("limit", "At most so many.", sort=count, default=20),
    switch("inside", "What the file NAME holds."),
    switch("bases", "Classes that the class NAME inherits from."),
    switch("subclasses", "Classes that inherit from the class NAME."),
    opening=Opening.CHANGE,
)
def symbol(
    call: Call,
    *,
    name: str,
    kind: str | None,
    limit: int,
    inside: bool,
    bases: bool,
    subclasses: bool,
) -> Answer:
    """Show where NAME is defined; if nothing is called so (exit 1) names that are near.

    NAME is a name, Class.method, pkg.mod.Class.method, path::Class.method, or a path.
    """
    if inside + bases + subclasses > 1:
        raise Usage("symbol: --inside, --bases and --subclasses ask different things; give one")
    graph, name = call.kit.codegraph, call.place(name)
    if inside:
        return _answer(call, graph.file_contents(name), _outlined)
    if bases or subclasses:
        return _answer(call, graph.inherits(name, down=subclasses), _related)
    found = graph.find_symbol(name, kind=kind, limit=limit)
    # A name that is not known is no answer, here as for all commands that take one.
    return attrs.evolve(_answer(call, found, _defined), exit_code=FAILED if found.is_near else DONE)


@command(
    argument("name"),
    _CANDIDATES,
    switch("overrides", "Also calls of the methods that it overrides."),
    option("depth", "Everything that leans on it over so many steps.", sort=hops, default=1),
    opening=Opening.CHANGE,
)
def callers(call: Call, *, name: str, candidates: bool, overrides: bool, depth: int) -> Answer:
    """Show what calls NAME, and where; with --depth what else leans on it."""
    graph, name = call.kit.codegraph, call.place(name)
    if depth != 1:
        if overrides:
            raise Usage("callers: --depth walks overrides anyway; leave --overrides out")
        return _answer(call, graph.impact(name, depth=depth, candidates=candidates), _related)
    found = graph.callers(name, candidates=candidates, overrides=overrides)
    return _answer(call, found, _related)


@command(argument("name"), _CANDIDATES, opening=Opening.CHANGE)
def callees(call: Call, *, name: str, candidates: bool) -> Answer:
    """Show what NAME calls, and where."""
    return _answer(
        call, call.kit.codegraph.callees(call.place(name), candidates=candidates), _related
    )


@command(
    argument("path"),
    option("depth", "Steps from file to file.", sort=hops, default=1),
    switch("reverse", "Files that lean on it instead."),
    opening=Opening.CHANGE,
)
def deps(call: Call, *, path: str, depth: int, reverse: bool) -> Answer:
    """Show the files that the file PATH leans on."""
    graph = call.kit.codegraph
    found = (graph.dependents if reverse else graph.dependencies)(call.place(path), depth=depth)
    return _answer(call, found, _related)


@command(
    argument("question"),
    option("limit", "At most so many files.", sort=count, default=10),
    opening=Opening.CHANGE,
)
def relevant(call: Call, *, question: str, limit: int) -> Answer:
    """Show the files and symbols where QUESTION (a task, an error, a subject) is dealt with."""
    question = given(question)
    if not question.strip():
        raise Usage("relevant: QUESTION is blank; name a task, an error or a subject")
    found = call.kit.codegraph.find_relevant_to_query(question, limit=limit)
    notes = found.notes if len(found) else (*found.notes, _NOTHING)
    return Answer(output.document(found), _relevant_lines(found, call), notes)


@command(
    argument("question", is_required=False),
    option("budget", "Tokens (o200k) that the map may take.", sort=count),
    opening=Opening.CHANGE,
)
def map_(call: Call, *, question: str | None, budget: int | None) -> Answer:
    """Show the files and signatures that matter most, for QUESTION or to the rest of the code."""
    options = {} if budget is None else {"budget": budget}
    found = call.kit.codegraph.map(given(question or ""), **options)
    return Answer(output.document(found), _map_lines(found), (*found.notes, *_missing(found)))


@command(
    option("limit", "At most so many.", sort=count, default=50),
    opening=Opening.CHANGE,
)
def stale(call: Call, *, limit: int) -> Answer:
    """Show memories about code that has changed, moved or gone since."""
    found, more = output.cut(call.kit.memories.stale(limit=limit + 1), limit)
    unread = last_workspace(call.kit.store) is None
    notes = more if found else (output.UNREAD if unread else _AS_IT_WAS,)
    return repeating(call, found, _stale_lines(found, call), notes)


def _missing(found: CodeMap) -> Iterator[str]:
    """Yield what a map could not hold, or that there is nothing to hold."""
    if not (found.left_out or found.files):
        yield _NOTHING
    elif not found.files:
        yield "no file fits into so few tokens; give more with --budget"
    elif found.left_out:
        more = output.number(found.left_out, "more file")
        yield f"{output.number(found.tokens, 'token')}; {more} did not fit"


def _relevant_lines(found: Relevant, call: Call) -> Iterator[str]:
    for file in found:
        said = call.style(one_line(" · ".join(file.reasons)), dim=True)
        yield f"{_chance(file.score)}\t{one_line(file.path)}\t{said}"
        for symbol in file.symbols:
            yield f"  {one_line(f'{file.path}:{symbol.line} {symbol.kind} {symbol.qualname}')}"


def _chance(score: float) -> str:
    """Return a score in two digits, and a small one as such: it is not none."""
    return f"{score:.2f}" if score >= _LEAST_SHOWN else f"<{_LEAST_SHOWN}"


def _map_lines(found: CodeMap) -> Iterator[str]:
    for line in found.text.split("\n") if found.text else ():
        yield f"{'  ' if line.startswith(' ') else ''}{one_line(line)}"


def _stale_lines(found: Iterable[Memory], call: Call) -> Iterator[str]:
    for memory in found:
        yield output.memory_line(memory, call)
        for anchor in memory.about:
            if anchor.change:
                yield call.style(f"      {output.anchor_line(anchor)}", dim=True)


def _answer(call: Call, found: Found, line: Callable[[Node, Call], str]) -> Answer:
    lines = (line(node, call) for node in found)
    notes = found.notes
    if not found.nodes:
        notes = (*notes, *(() if found.is_near else ("none is known",)), _covered(found))
    return Answer(output.document(found), lines, notes)


def _covered(found: Found) -> str:
    seen = found.coverage
    return (
        f"{seen.parsed} of {seen.files} files are parsed, "
        f"{seen.share:.0%} of their references resolved"
    )


def _place(node: Node) -> str:
    return one_line(f"{node.path}:{node.line}" if node.line else node.path)


def _defined(node: Node, call: Call) -> str:
    """A definition: where, what, how it is written, what it is for."""
    known = node.details
    text = known.signature if known and known.signature else node.qualname
    doc = f"  {call.style(one_line(known.doc), dim=True)}" if known and known.doc else ""
    return f"{_place(node)}\t{node.kind}\t{one_line(text)}{doc}"


def _outlined(node: Node, call: Call) -> str:
    indent = "  " * node.qualname.count(".") if node.kind != "import" else ""
    return f"{node.line}\t{node.kind}\t{indent}{_defined(node, call).split(chr(9), 2)[2]}"


def _related(node: Node, call: Call) -> str:
    """The other end of an edge: where the edge stands, what it is, how it was found."""
    via = node.via
    if via is None:
        return f"{_place(node)}\t{node.kind}\t{one_line(node.qualified)}"
    sure = via.tier if via.state == "resolved" else f"{via.tier}, {via.state}"
    step = f" step {via.depth}" if via.depth > 1 else ""
    where = one_line(f"{via.path}:{via.line}")
    said = call.style(f"{via.kind} ({sure}){step}", dim=True)
    return f"{where}\t{one_line(node.qualified)}\t{said}"


# --- The command that reads the code: index.

# Processes that parse a large tree; more gain little, as linking is done by one.
_PROCESSES = 4
_FAILED_SHOWN = 10
# The word that ends a choice of languages.
_ALL = "all"


def _language(text: str) -> str:
    """Return the name of a language that files can be in, or "all"."""
    from ..codegraph.index.workspace import checked_languages
    from ..codegraph.languages import languages

    checked_languages([text], languages() | {_ALL})
    return text


@command(
    argument("root", sort=folder, is_required=False),
    option(
        "language",
        "Only this language; repeat for several; 'all' ends that.",
        sort=_language,
        many=True,
    ),
    switch("flow", "Follow values through the whole program: finds more, takes longer."),
    switch("no-flow", "Do not follow values any more."),
    switch("strict", "Exit with 1 if a file could not be read, or has syntax errors."),
    opening=Opening.CREATE,
)
def index(
    call: Call,
    *,
    root: str | None,
    language: tuple[str, ...],
    flow: bool,
    no_flow: bool,
    strict: bool,
) -> Answer:
    """Bring the code graph to what the tree ROOT is now; only what has changed is parsed.

    ROOT is the folder of the file; it, languages and flow stay as last time unless given. Ignored,
    vendored, generated, minified, binary and private files are left out and counted.
    """
    if call.settings.use_global:
        raise Usage("index: the store of global memories has no code; leave --global out")
    if flow and no_flow:
        raise Usage("index: --flow and --no-flow contradict each other; give one of them")
    with call.progress("indexing") as step:
        done = call.kit.codegraph.index(
            root,
            languages=() if _ALL in language else language or None,
            flow=True if flow else False if no_flow else None,
            progress=step,
            processes=min(_PROCESSES, os.cpu_count() or 1),
        )
    broken = {path: row.errors for path, row in known_files(call.kit.store).items() if row.errors}
    code = FAILED if strict and (done.failed or broken) else DONE
    document = output.document(done) | {"syntax_errors": broken}
    return Answer(document, _report_lines(done, broken), done.notes, exit_code=code)


def _report_lines(done: IndexReport, broken: Mapping[str, int]) -> Iterator[str]:
    yield (
        f"{output.number(done.files, 'file')}, {done.symbols} symbols, {done.edges} edges; "
        f"{done.parsed} parsed, {done.linked} linked, {done.dropped} dropped now"
    )
    if done.left_out:
        listed = ", ".join(f"{n} {reason}" for reason, n in done.left_out.items())
        yield f"left out: {listed} ('memkit sql codegraph.files' names the files)"
    if broken:
        names = [f"{path} ({errors})" for path, errors in sorted(broken.items())]
        shown = ", ".join(names[:_FAILED_SHOWN]) + (", …" if len(names) > _FAILED_SHOWN else "")
        said = output.number(len(broken), "file")
        yield f"syntax errors in {said}, the rest of which is there: {one_line(shown)}"
    for path, reason in done.failed[:_FAILED_SHOWN]:
        yield f"failed: {one_line(path)}: {one_line(reason)}"
    if len(done.failed) > _FAILED_SHOWN:
        yield f"failed: {len(done.failed) - _FAILED_SHOWN} more (--json lists them)"
