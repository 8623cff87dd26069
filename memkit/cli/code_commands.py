"""Code commands: index, and the questions to the code graph."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

import attrs

from ..codegraph.records import NodeKind, SymbolForm
from . import output
from .commands import (
    DONE,
    FAILED,
    CommandOutput,
    Invocation,
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
from .output import marked_output, one_line, read_text

if TYPE_CHECKING:
    from ..codegraph.index.indexer import IndexReport
    from ..codegraph.query.code_search import CodeSearchResult
    from ..codegraph.query.repo_map import CodeMap
    from ..codegraph.records import CodeNode, EdgePath
    from ..codegraph.records import CodeResult as CodeResult
    from ..memories.records import Memory


# --- Queries: symbol, callers, references, callees, uses, unused, dependencies, relevant, map.

_MIN_SHOWN_SCORE = 0.01
_NOTHING = "no file has anything to do with it"
_AS_IT_WAS = "everything that memories are about is as it was"
_MEND_STALE = (
    "memkit update ID --about PLACE says where the code of one is that still holds; "
    "memkit forget ID, if it does not"
)
# Imports are in what a file holds; nothing is called so.
_KINDS = (*(kind for kind in NodeKind if kind != NodeKind.IMPORT), *SymbolForm)
_CANDIDATES = switch("candidates", "Also edges to one of several of a name.")


@command(
    argument("name"),
    option("kind", "Only this kind.", choices=_KINDS),
    option("limit", "At most so many.", type=count, default=20),
    switch("inside", "What the file NAME holds."),
    switch("bases", "Classes that the class NAME inherits from."),
    switch("subclasses", "Classes that inherit from the class NAME."),
    switch("members", "What the class NAME itself has."),
    opening=Opening.CHANGE,
)
def symbol(
    invocation: Invocation,
    *,
    name: str,
    kind: str | None,
    limit: int,
    inside: bool,
    bases: bool,
    subclasses: bool,
    members: bool,
) -> CommandOutput:
    """Show where NAME is defined; if nothing is called so (exit 1) names that are near.

    NAME is a name, Class.method, pkg.mod.Class.method, path::Class.method, or a path.
    """
    if inside + bases + subclasses + members > 1:
        raise Usage(
            "symbol: --inside, --bases, --subclasses and --members ask different things; give one"
        )
    graph, name = invocation.kit.codegraph, invocation.place(name)
    if inside:
        return _nodes_output(invocation, graph.file_contents(name), _outlined)
    if members:
        return _nodes_output(invocation, graph.members(name), _defined)
    if bases or subclasses:
        result = graph.subtypes(name) if subclasses else graph.supertypes(name)
        return _nodes_output(invocation, result, _related)
    result = graph.find_symbol(name, kind=kind, limit=limit)
    # A name that is not known is no answer, here as for all commands that take one.
    return attrs.evolve(
        _nodes_output(invocation, result, _defined), exit_code=FAILED if result.is_near else DONE
    )


@command(
    argument("name"),
    _CANDIDATES,
    switch("overrides", "Also calls of the methods that it overrides."),
    option("depth", "Everything that leans on it over so many steps.", type=hops, default=1),
    opening=Opening.CHANGE,
)
def callers(
    invocation: Invocation, *, name: str, candidates: bool, overrides: bool, depth: int
) -> CommandOutput:
    """Show what calls NAME, and where; with --depth what else leans on it."""
    graph, name = invocation.kit.codegraph, invocation.place(name)
    if depth != 1:
        if overrides:
            raise Usage("callers: --depth walks overrides anyway; leave --overrides out")
        return _nodes_output(
            invocation, graph.impact(name, depth=depth, candidates=candidates), _related
        )
    result = graph.callers(name, candidates=candidates, overrides=overrides)
    return _sites_output(invocation, result)


@command(argument("name"), _CANDIDATES, opening=Opening.CHANGE)
def references(invocation: Invocation, *, name: str, candidates: bool) -> CommandOutput:
    """Show every line where NAME is called, read, imported, inherited from or overridden."""
    result = invocation.kit.codegraph.references(invocation.place(name), candidates=candidates)
    return _sites_output(invocation, result)


@command(argument("name"), opening=Opening.CHANGE)
def uses(invocation: Invocation, *, name: str) -> CommandOutput:
    """Show what NAME refers to besides what it calls: types, variables, bases, imports."""
    result = invocation.kit.codegraph.uses(invocation.place(name))
    return _nodes_output(invocation, result, _related)


@command(
    argument("path", is_required=False),
    option("kind", "Only this kind.", choices=_KINDS),
    option("limit", "At most so many.", type=count, default=50),
    opening=Opening.CHANGE,
)
def unused(
    invocation: Invocation, *, path: str | None, kind: str | None, limit: int
) -> CommandOutput:
    """Show symbols to which nothing refers, of the files below PATH or of all."""
    path = invocation.place(path) if path else ""
    result = invocation.kit.codegraph.unused(path, kind=kind, limit=limit)
    return _nodes_output(invocation, result, _defined)


@command(argument("name"), _CANDIDATES, opening=Opening.CHANGE)
def callees(invocation: Invocation, *, name: str, candidates: bool) -> CommandOutput:
    """Show what NAME calls, and where."""
    return _nodes_output(
        invocation,
        invocation.kit.codegraph.callees(invocation.place(name), candidates=candidates),
        _related,
    )


@command(
    argument("path"),
    option("depth", "Steps from file to file.", type=hops, default=1),
    switch("reverse", "Files that lean on it instead."),
    opening=Opening.CHANGE,
)
def dependencies(invocation: Invocation, *, path: str, depth: int, reverse: bool) -> CommandOutput:
    """Show the files that the file PATH leans on."""
    graph = invocation.kit.codegraph
    result = (graph.dependents if reverse else graph.dependencies)(
        invocation.place(path), depth=depth
    )
    return _nodes_output(invocation, result, _related)


@command(
    argument("question"),
    option("limit", "At most so many files.", type=count, default=10),
    opening=Opening.CHANGE,
)
def relevant(invocation: Invocation, *, question: str, limit: int) -> CommandOutput:
    """Show the files and symbols where QUESTION (a task, an error, a subject) is dealt with."""
    question = read_text(question)
    if not question.strip():
        raise Usage("relevant: QUESTION is blank; name a task, an error or a subject")
    result = invocation.kit.codegraph.find_relevant_to_query(question, limit=limit)
    notes = result.notes if len(result) else (*result.notes, _NOTHING)
    return CommandOutput(output.document(result), _relevant_lines(result, invocation), notes)


@command(
    argument("question", is_required=False),
    option("budget", "Tokens (o200k) that the map may take.", type=count),
    opening=Opening.CHANGE,
)
def map_(invocation: Invocation, *, question: str | None, budget: int | None) -> CommandOutput:
    """Show the files and signatures that matter most, for QUESTION or to the rest of the code."""
    options = {} if budget is None else {"budget": budget}
    code_map = invocation.kit.codegraph.map(read_text(question or ""), **options)
    return CommandOutput(
        output.document(code_map), _map_lines(code_map), (*code_map.notes, *_missing(code_map))
    )


@command(
    option("limit", "At most so many.", type=count, default=50),
    opening=Opening.CHANGE,
)
def stale(invocation: Invocation, *, limit: int) -> CommandOutput:
    """Show memories about code that has changed, moved or gone since.

    'memkit update ID --about PLACE' says where the code of one is that holds still.
    """
    memories, more = output.cut(invocation.kit.memories.stale(limit=limit + 1), limit)
    nothing = _AS_IT_WAS if output.is_code_read(invocation) else output.UNREAD
    notes = (*more, _MEND_STALE) if memories else (nothing,)
    return marked_output(invocation, memories, _stale_lines(memories, invocation), notes)


def _missing(code_map: CodeMap) -> Iterator[str]:
    """Yield what a map could not hold, or that there is nothing to hold."""
    if not (code_map.left_out or code_map.files):
        yield _NOTHING
    elif not code_map.files:
        yield "no file fits into so few tokens; give more with --budget"
    elif code_map.left_out:
        more = output.number(code_map.left_out, "more file")
        yield f"{output.number(code_map.tokens, 'token')}; {more} did not fit"


def _relevant_lines(result: CodeSearchResult, invocation: Invocation) -> Iterator[str]:
    for file in result:
        said = invocation.style(one_line(" · ".join(file.reasons)), dim=True)
        yield f"{_chance(file.score)}\t{one_line(file.path)}\t{said}"
        for symbol in file.symbols:
            yield f"  {one_line(f'{file.path}:{symbol.line} {symbol.kind} {symbol.qualname}')}"


def _chance(score: float) -> str:
    """Return a score in two digits; a small one as below the least that two digits show."""
    return f"{score:.2f}" if score >= _MIN_SHOWN_SCORE else f"<{_MIN_SHOWN_SCORE}"


def _map_lines(code_map: CodeMap) -> Iterator[str]:
    for line in code_map.text.split("\n") if code_map.text else ():
        yield f"{'  ' if line.startswith(' ') else ''}{one_line(line)}"


def _stale_lines(memories: Iterable[Memory], invocation: Invocation) -> Iterator[str]:
    for memory in memories:
        yield output.memory_line(memory, invocation)
        for anchor in memory.about:
            if anchor.change:
                yield invocation.style(f"      {output.anchor_line(anchor)}", dim=True)


def _nodes_output(
    invocation: Invocation, result: CodeResult, line: Callable[[CodeNode, Invocation], str]
) -> CommandOutput:
    lines = (line(node, invocation) for node in result)
    return CommandOutput(output.document(result), lines, _notes(result))


def _sites_output(invocation: Invocation, result: CodeResult) -> CommandOutput:
    return CommandOutput(output.document(result), _site_lines(result, invocation), _notes(result))


def _site_lines(result: CodeResult, invocation: Invocation) -> Iterator[str]:
    """Yield each path once, and below it a line for each site: its number, the text that stands
    there, what it is in, and what it is."""
    by_path: dict[str, list[CodeNode]] = {}
    for node in result:
        by_path.setdefault(node.via.path if node.via else node.path, []).append(node)
    for path, nodes in by_path.items():
        yield one_line(path)
        for node in sorted(nodes, key=lambda node: node.via.line if node.via else node.line):
            yield f"  {_site(node, invocation)}"


def _site(node: CodeNode, invocation: Invocation) -> str:
    via = node.via
    if via is None:
        return f"{node.line}\t\t{one_line(node.qualname)}"
    said = invocation.style(f"{via.kind} ({_sure(via)})", dim=True)
    return f"{via.line}\t{one_line(via.text)}\t{one_line(node.qualname or node.kind)}\t{said}"


def _notes(result: CodeResult) -> tuple[str, ...]:
    if result.nodes:
        return result.notes
    is_said = result.is_near or any(note.startswith("no ") for note in result.notes)
    return (*result.notes, *(() if is_said else ("none is known",)), _covered(result))


def _covered(result: CodeResult) -> str:
    coverage = result.coverage
    return (
        f"{coverage.parsed} of {coverage.files} files are parsed, "
        f"{coverage.share:.0%} of their references resolved"
    )


def _place(node: CodeNode) -> str:
    return one_line(f"{node.path}:{node.line}" if node.line else node.path)


def _defined(node: CodeNode, invocation: Invocation) -> str:
    """Return a definition: its place, kind, signature and first line of documentation."""
    known = node.details
    text = known.signature if known and known.signature else node.qualname
    doc = f"  {invocation.style(one_line(known.doc), dim=True)}" if known and known.doc else ""
    return f"{_place(node)}\t{node.form}\t{one_line(text)}{doc}"


def _outlined(node: CodeNode, invocation: Invocation) -> str:
    indent = "  " * node.qualname.count(".") if node.kind != "import" else ""
    return f"{node.line}\t{node.form}\t{indent}{_defined(node, invocation).split(chr(9), 2)[2]}"


def _related(node: CodeNode, invocation: Invocation) -> str:
    """Return the other end of an edge: where the edge stands, its kind and tier."""
    via = node.via
    if via is None:
        return f"{_place(node)}\t{node.form}\t{one_line(node.qualified)}"
    step = f" step {via.depth}" if via.depth > 1 else ""
    where = one_line(f"{via.path}:{via.line}")
    said = invocation.style(f"{via.kind} ({_sure(via)}){step}", dim=True)
    return f"{where}\t{one_line(node.qualified)}\t{said}"


def _sure(via: EdgePath) -> str:
    return via.tier if via.state == "resolved" else f"{via.tier}, {via.state}"


# --- Indexing.

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
    argument("root", type=folder, is_required=False),
    option(
        "language",
        "Only this language; repeat for several; 'all' ends that.",
        type=_language,
        many=True,
    ),
    switch("flow", "Follow values through the whole program: finds more, takes longer."),
    switch("no-flow", "Do not follow values any more."),
    switch("strict", "Exit with 1 if a file could not be read, or has syntax errors."),
    opening=Opening.CREATE,
)
def index(
    invocation: Invocation,
    *,
    root: str | None,
    language: tuple[str, ...],
    flow: bool,
    no_flow: bool,
    strict: bool,
) -> CommandOutput:
    """Bring the code graph to what the tree ROOT is now; only what has changed is parsed.

    ROOT is the folder of the file; it, languages and flow stay as last time unless given. Ignored,
    vendored, generated, minified, binary and private files are left out and counted.
    """
    from ..codegraph.index.workspace import known_files

    if invocation.settings.use_global:
        raise Usage("index: the store of global memories has no code; leave --global out")
    if flow and no_flow:
        raise Usage("index: --flow and --no-flow contradict each other; give one of them")
    with invocation.progress("indexing") as step:
        done = invocation.kit.codegraph.index(
            root,
            languages=() if _ALL in language else language or None,
            flow=True if flow else False if no_flow else None,
            progress=step,
            processes=min(_PROCESSES, os.cpu_count() or 1),
        )
    broken = {path: row.errors for path, row in known_files(invocation.store).items() if row.errors}
    code = FAILED if strict and (done.failed or broken) else DONE
    document = output.document(done) | {"syntax_errors": broken}
    return CommandOutput(document, _report_lines(done, broken), done.notes, exit_code=code)


def _report_lines(done: IndexReport, broken: Mapping[str, int]) -> Iterator[str]:
    yield (
        f"{output.number(done.files, 'file')}, {done.symbols} symbols, {done.edges} edges; "
        f"{done.parsed} parsed, {done.linked} linked, {done.dropped} dropped now"
    )
    if done.left_out:
        reasons = ", ".join(f"{n} {reason}" for reason, n in done.left_out.items())
        yield f"left out: {reasons} ('memkit sql codegraph.files' names the files)"
    if broken:
        names = [f"{path} ({errors})" for path, errors in sorted(broken.items())]
        shown = ", ".join(names[:_FAILED_SHOWN]) + (", …" if len(names) > _FAILED_SHOWN else "")
        said = output.number(len(broken), "file")
        yield f"syntax errors in {said}, the rest of which is there: {one_line(shown)}"
    for path, reason in done.failed[:_FAILED_SHOWN]:
        yield f"failed: {one_line(path)}: {one_line(reason)}"
    if len(done.failed) > _FAILED_SHOWN:
        yield f"failed: {len(done.failed) - _FAILED_SHOWN} more (--json lists them)"
