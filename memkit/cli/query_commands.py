"""Query commands: recall, explain, list, show, stats, sql."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..memories.records import EdgeKind, Kind, Scope
from ..retrieval.records import Hit, RecallResult, Source
from ..store.named_queries import Query
from . import output
from .commands import (
    ID,
    IDS,
    CommandOutput,
    Invocation,
    Opening,
    Usage,
    argument,
    command,
    count,
    offset,
    open_invocation,
    option,
    pairs,
    share,
    steps,
    switch,
)
from .hook import WAIT, read_query, seconds
from .output import marked_output, read_text

FILTERS = (
    option("kind", "Only of this kind, or of one of several.", choices=tuple(Kind), many=True),
    option("scope", "Only of this scope, or of one of several.", choices=tuple(Scope), many=True),
    option("project", "The project behind whose wall to look, or one of several.", many=True),
    option("tag", "Only with this tag, or with one of several.", many=True),
    option("task", "With what is of this task alone, or of one of several.", many=True),
    option("session", "The session that asks; it is not told the same twice.", many=True),
    option("since", "Not before: ISO 8601, 'monday', 'last week', 'in May', 36h."),
    option("until", "Not after; a day, week or month counts in full."),
    option("as-of", "What was held true at that moment."),
    switch("history", "Superseded, forgotten and expired ones too."),
    option("season", "A recurring moment that is on, e.g. release-week; it lifts.", many=True),
)
_SEVERAL = ("kind", "scope", "project", "tag", "task", "session", "season")
_NUMBERS = ("id", "strength", "confidence", "trust", "importance", "access_count")
# Entries of the audit that `show` prints, newest first.
_CHANGES = 20
_NO_MEMORY = "nothing is remembered that fits"
_BLANK = "the question is blank; say what is to be known"
_RANKING = (
    option("limit", "At most so many.", type=count, default=10),
    option("min-score", "Show what scores at least this, 0 to 1.", type=share),
    option("depth", "Steps along edges.", type=steps, default=2),
    option("near", "A path or symbol: what is about it, or about code near it, is lifted."),
)


_SOURCE = option(
    "source",
    "Where to look: there, or in several; else everywhere.",
    choices=tuple(Source),
    many=True,
)


@command(
    argument("question"),
    *_RANKING,
    _SOURCE,
    *FILTERS,
    switch("why", "The reasons of each hit; 'memkit explain QUESTION ID' has the figures."),
    option("fields", "With --json: these fields of each hit, parted by commas, or all."),
    option("wait", "Seconds to wait at most for another process.", type=seconds, default=WAIT),
    opening=Opening.NOT,
)
def recall(invocation: Invocation, *, question: str, wait: float, **options: Any) -> CommandOutput:
    """Find what is remembered about QUESTION, best first; and tasks, errors with their fixes and
    failed attempts.

    Nothing is shown if nothing is good enough: standard output stays empty, a note says so. '-'
    reads the question from standard input; of a hook's JSON its prompt, for the folder that its
    agent works in, in silence where there is nothing to say. A file that another process holds is
    not waited for long, and then nothing is shown. Of a long memory comes the part that answers
    best; `memkit show ID` has all of it.
    """
    query = read_query(question)
    settings = invocation.settings
    try:
        with open_invocation(settings, Opening.CHANGE, folder=query.folder, wait=wait) as ready:
            answer = _recalled(ready, query.text, **options)
            # Lines are made lazily from the store; they are needed while it is open.
            answer = attrs.evolve(answer, lines=tuple(answer.lines))
    except (StoreBusy, NotAMemkitFile) as error:
        if settings.json or not (query.is_hook or isinstance(error, StoreBusy)):
            raise
        answer = CommandOutput(None, notes=(str(error),))
    return attrs.evolve(answer, notes=()) if query.is_hook and not answer.lines else answer


def _recalled(
    invocation: Invocation,
    question: str,
    *,
    source: tuple[str, ...],
    why: bool,
    fields: str | None,
    **options: Any,
) -> CommandOutput:
    options = _recall_options(options, invocation) | {"sources": source or None}
    answer = invocation.kit.recall(question, **options)
    document = output.recall_document(
        answer, question, invocation.store.now(), fields or "", with_reasons=why
    )
    if not answer.results:
        unknown = _unknown(invocation, options["tags"] or (), options["project"] or ())
        why_not = _nothing(answer) if question.strip() else (_BLANK,)
        return CommandOutput(document, notes=(*why_not, *answer.notes, *unknown))
    return marked_output(
        invocation, document, _recall_lines(answer, invocation, question, why=why), answer.notes
    )


@command(
    option(
        "filter",
        'FIELD=VALUE, e.g. kind=fact or tags=http, or FIELD={"$gte": 0.5}; repeat for several.',
        many=True,
    ),
    FILTERS[0],
    FILTERS[3],
    option("limit", "At most so many.", type=count, default=50),
    option("offset", "Leave out so many first: 'next' of the page before.", type=offset, default=0),
    switch("all-projects", "Those behind every project's wall."),
    option("order-by", "A field, the greatest first; '-FIELD' the smallest first.", default="id"),
    switch("history", "Superseded and forgotten ones too."),
)
def list_(
    invocation: Invocation,
    *,
    filter: tuple[str, ...],
    kind: tuple[str, ...],
    tag: tuple[str, ...],
    all_projects: bool,
    **options: Any,
) -> CommandOutput:
    """List memories of this project and global ones, newest first, each on a line.

    `show` has all of it. With --json: memories, how many there are in total, and the offset of the
    next page."""
    filters = filters_of(filter)
    if all_projects:
        filters.setdefault("project", {"$ne": None})
    filters |= {name: value for name, value in (("kind", kind), ("tags", tag)) if value}
    first, limit = options.pop("offset"), options.pop("limit")
    memories = invocation.kit.memories.find(filters, limit=first + limit + 1, **options)
    page, is_cut = memories[first : first + limit], len(memories) > first + limit
    total = len(memories)
    if is_cut:
        total = invocation.kit.memories.count(filters, history=options["history"])
    following = first + limit if is_cut else None
    now = invocation.store.now()
    document = {
        "memories": [output.memory_document(memory, now) for memory in page],
        "total": total,
        "next": following,
    }
    notes = tuple(_page_notes(len(page), first, total, following))
    if not page:
        return CommandOutput(document, notes=(*notes, *memories.notes))
    lines = (output.memory_line(memory, invocation) for memory in page)
    return marked_output(invocation, document, lines, (*memories.notes, *notes))


@command(IDS)
def show(invocation: Invocation, *, ids: tuple[int, ...]) -> CommandOutput:
    """Show everything that is known of the memories IDS."""
    memories = [
        (invocation.kit.memories.get(memory_id), _related(invocation, memory_id))
        for memory_id in ids
    ]
    notes = tuple(
        f"{memory.id}: its last {_CHANGES} changes are shown, there are more"
        for memory, related in memories
        if related.pop("has_more")
    )
    return marked_output(
        invocation,
        [output.document(memory) | related for memory, related in memories],
        (
            line
            for memory, rest in memories
            for line in output.memory_lines(memory, invocation, rest)
        ),
        notes,
    )


@command(argument("question"), ID, *_RANKING, *FILTERS, opening=Opening.CHANGE)
def explain(invocation: Invocation, *, question: str, id: int, **options: Any) -> CommandOutput:
    """Say why memory ID comes back for QUESTION, or at which step it was dropped."""
    question = read_text(question)
    explanation = invocation.kit.explain(question, id, **_recall_options(options, invocation))
    verdict = "comes back" if explanation.present else "does not come back"
    lines = [f"{id} {verdict} ({explanation.stage}): {explanation.text}"]
    if explanation.hit is not None:
        lines += output.hit_lines(explanation.hit, invocation, question, with_reasons=True)
        parts = {name: f"{value:+6.2f}" for name, value in explanation.hit.parts.items()}
        lines += [f"      {value}  {name}" for name, value in parts.items() if float(value)]
    return marked_output(invocation, explanation, lines)


@command()
def stats(invocation: Invocation) -> CommandOutput:
    """Show numbers about the file."""
    document = output.document(invocation.kit.stats())
    return CommandOutput(document, (f"{name}: {value}" for name, value in _flat(document)))


@command(
    argument("name", is_required=False),
    argument("parameters", many=True, is_required=False),
    opening=Opening.NOT,
)
def sql(invocation: Invocation, *, name: str | None, parameters: tuple[str, ...]) -> CommandOutput:
    """Run the read-only query NAME with PARAMETERS (param=value …); without NAME list all of them.

    A value is a number, null, or text; text that looks like a number goes in quotes. What is not
    given is null, which stands for any, where the query allows it: [param] in the list.
    """
    if name is None:
        from ..store.tables import reading_queries

        query_rows = [
            (query.name, ", ".join(_parameters(query)), query.doc)
            for query in sorted(reading_queries().values(), key=lambda query: query.name)
        ]
        names = ("name", "parameters", "returns")
        document = [dict(zip(names, row, strict=True)) for row in query_rows]
        return CommandOutput(document, output.table(query_rows, invocation, names=names))
    read_text = pairs(parameters, what="parameter", may_be_empty=True)  # "" is the usual project
    values = {name: _value(text) for name, text in read_text.items()}
    with open_invocation(invocation.settings, Opening.READ) as ready:
        rows_found = ready.kit.query(name, **values)
    columns = list(rows_found[0]) if rows_found else []
    rows = [[_hex(cell) for cell in row.values()] for row in rows_found]
    return CommandOutput(
        rows_found, output.table(rows, invocation, names=columns) if rows_found else ()
    )


def filters_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return FIELD=VALUE texts as the filters of `memories.find`; VALUE may be a JSON object of
    its operators."""
    filters: dict[str, Any] = {}
    for name, text in pairs(texts, what="filter").items():
        field = {"tag": "tags"}.get(name, name)
        if text.lstrip().startswith("{"):
            filters[field] = _operators(field, text)
        elif field in ("active", "pinned", "private"):
            filters[field] = _truth(field, text)
        elif field in _NUMBERS:
            filters[field] = _number(field, text)
        else:
            filters[field] = text
    return filters


# -- helpers


def _recall_lines(
    answer: RecallResult, invocation: Invocation, question: str, *, why: bool
) -> Iterator[str]:
    for hit in answer.results:
        if isinstance(hit, Hit):
            yield from output.hit_lines(hit, invocation, question, with_reasons=why)
        else:
            yield from output.episode_lines(hit, invocation)


def _nothing(answer: RecallResult) -> Iterator[str]:
    """Yield that nothing comes, and what would bring more."""
    if answer.shown_before:
        yield "nothing more is remembered about this than this session was shown already"
        return
    yield "nothing good enough is remembered about this"
    if answer.best_left_out is not None:
        yield f"the best scored {answer.best_left_out:.2f}; --min-score 0 shows it"


def _page_notes(shown: int, first: int, total: int, following: int | None) -> Iterator[str]:
    """Yield how much of a list is shown, where that is not all of it."""
    if not shown:
        yield f"there are only {total}; give a smaller --offset" if total else _NO_MEMORY
    elif following is not None:
        yield f"{shown} of {total}; --limit or --offset {following} for more"
    elif first:
        yield f"the last {shown} of {total}"


def _recall_options(options: Mapping[str, Any], invocation: Invocation) -> dict[str, Any]:
    """Return the options as `recall` takes them; raises Usage for what only a session is told,
    asked without one."""
    rest = dict(options)
    several = {name: rest.pop(name) or None for name in _SEVERAL}
    if several["scope"] == (Scope.SESSION,) and several["session"] is None:
        raise Usage("--scope session needs --session: only a session is told what is its own")
    near = None if rest["near"] is None else invocation.place(rest["near"])
    tags = several.pop("tag")
    return {**rest, **several, "near": near, "tags": tags}


def _unknown(
    invocation: Invocation, tags: tuple[str, ...], projects: tuple[str, ...]
) -> Iterator[str]:
    """Yield which of the tags and projects asked for no memory has."""
    everywhere: dict[str, Any] = {"project": {"$ne": None}, "history": True, "limit": 1}
    for tag in tags:
        if not invocation.kit.memories.find(tags=tag, **everywhere):
            yield f"no memory has the tag {tag!r}"
    for project in filter(None, projects):
        if not invocation.kit.memories.find(**{**everywhere, "project": project}):
            yield f"no memory stands behind the wall of project {project!r}"


def _related(invocation: Invocation, memory_id: int) -> dict[str, Any]:
    memories = invocation.kit.memories
    edges = [edge for edge in memories.edges(memory_id) if edge.kind is not EdgeKind.HAS_TAG]
    details = memories.details(memory_id, limit=_CHANGES + 1)
    audit, more = output.cut(details.audit, _CHANGES)
    return {
        "edges": output.document(edges),
        "paraphrases": list(details.paraphrases),
        "artifacts": output.document(details.artifacts),
        "provenance_chain": output.document(details.provenance),
        "cited": details.cited,
        "ignored": details.ignored,
        "audit": output.document(audit),
        "has_more": bool(more),
    }


def _flat(values: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in values.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{prefix}{name}.")
        elif value is not None:
            yield prefix + name, value


def _parameters(query: Query) -> Iterator[str]:
    for name in query.params:
        yield f"[{name}]" if name in query.optional else name


def _value(text: str) -> Any:
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return text if isinstance(value, dict | list) else value


def _number(name: str, text: str) -> float:
    value = _value(text)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InvalidInput(f"filter {name}: {text!r} is no number; give one")
    return value


def _operators(name: str, text: str) -> dict[str, Any]:
    try:
        return dict(json.loads(text))
    except ValueError as error:
        raise InvalidInput(
            f'filter {name}: {text!r} is no JSON ({error}); give such as {{"$gte": 0.5}}'
        ) from None


def _truth(name: str, text: str) -> bool:
    words = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    try:
        return words[text.strip().lower()]
    except KeyError:
        raise InvalidInput(f"filter {name}: {text!r} is neither true nor false") from None


def _hex(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell
