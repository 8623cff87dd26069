"""The command that reads the code: index."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ..codegraph.extent import known_files
from . import output
from .call import Call
from .output import one_line
from .table import (
    DONE,
    FAILED,
    Answer,
    Opening,
    Usage,
    argument,
    command,
    folder,
    option,
    switch,
)

if TYPE_CHECKING:
    from ..codegraph.indexing import IndexReport

# Processes that parse a large tree; more gain little, as linking is done by one.
_PROCESSES = 4
_FAILED_SHOWN = 10
# The word that ends a choice of languages.
_ALL = "all"


def _language(text: str) -> str:
    """Return the name of a language that files can be in, or "all"."""
    from ..codegraph.extent import chosen
    from ..codegraph.extract import languages

    chosen([text], languages() | {_ALL})
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
