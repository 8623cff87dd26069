"""Recall, explain, list, show, stats, sql."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from ..errors import InvalidInput, NotAMemkitFile, StoreBusy
from ..memories.records import EdgeKind, Kind, Scope
from ..retrieval.records import Hit, Recall, Source
from ..store.named_queries import Query
from ..store.table_queries import reading_queries
from . import output
from .commands import (
    ID,
    IDS,
    WAIT,
    Answer,
    Call,
    Opening,
    Usage,
    argument,
    command,
    count,
    offset,
    opened,
    option,
    pairs,
    seconds,
    share,
    steps,
    switch,
)
from .hook_input import asked
from .output import given, repeating

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
)
_SEVERAL = ("kind", "scope", "project", "tag", "task", "session")
_NUMBERS = ("id", "strength", "confidence", "trust", "importance", "access_count")
# Entries of the audit that `show` prints, newest first.
_CHANGES = 20
_NO_MEMORY = "nothing is remembered that fits"
_BLANK = "the question is blank; say what is to be known"
_RANKING = (
    option("limit", "At most so many.", sort=count, default=10),
    option("min-score", "Show what scores at least this, 0 to 1.", sort=share),
    option("depth", "Steps along edges.", sort=steps, default=2),
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
    switch("why", "All reasons of each hit; 'memkit why QUESTION ID' has the figures."),
    option("fields", "With --json: these fields of each hit, parted by commas, or all."),
    option("wait", "Seconds to wait at most for another process.", sort=seconds, default=WAIT),
    opening=Opening.NOT,
)
def recall(call: Call, *, question: str, wait: float, **options: Any) -> Answer:
    """Find what is remembered about QUESTION, best first, with the reasons; and tasks, errors with
    their fixes and failed attempts.

    Nothing is shown if nothing is good enough: standard output stays empty, a note says so. '-'
    reads the question from standard input; of a hook's JSON its prompt, for the folder that its
    agent works in, in silence where there is nothing to say. A file that another process holds is
    not waited for long, and then nothing is shown. Of a long memory comes the part that answers
    best; `memkit show ID` has all of it.
    """
    query = asked(question)
    try:
        with opened(call.settings, Opening.CHANGE, folder=query.folder, wait=wait) as ready:
            answer = _recalled(ready, query.text, **options)
            # Lines are made lazily from the store; they are wanted while it is open.
            answer = attrs.evolve(answer, lines=tuple(answer.lines))
    except (StoreBusy, NotAMemkitFile) as error:
        if call.settings.json or not (query.is_hook or isinstance(error, StoreBusy)):
            raise
        answer = Answer(None, notes=(str(error),))
    return attrs.evolve(answer, notes=()) if query.is_hook and not answer.lines else answer


def _recalled(
    call: Call,
    question: str,
    *,
    source: tuple[str, ...],
    why: bool,
    fields: str | None,
    **options: Any,
) -> Answer:
    options = _asked(options, call) | {"sources": source or None}
    found = call.kit.recall(question, **options)
    document = output.recall_document(found, question, call.kit.store.now(), fields or "")
    if not found.results:
        unknown = _unknown(call, options["tags"] or (), options["project"] or ())
        why_not = _nothing(found) if question.strip() else (_BLANK,)
        return Answer(document, notes=(*why_not, *found.notes, *unknown))
    return repeating(call, document, _recall_lines(found, call, question, why=why), found.notes)


@command(
    option(
        "filter",
        'FIELD=VALUE, e.g. kind=fact or tags=http, or FIELD={"$gte": 0.5}; repeat for several.',
        many=True,
    ),
    FILTERS[0],
    FILTERS[3],
    option("limit", "At most so many.", sort=count, default=50),
    option("offset", "Leave out so many first: 'next' of the page before.", sort=offset, default=0),
    switch("all-projects", "Those behind every project's wall."),
    option("order-by", "A field, the greatest first; '-FIELD' the smallest first.", default="id"),
    switch("history", "Superseded and forgotten ones too."),
)
def list_(
    call: Call,
    *,
    filter: tuple[str, ...],
    kind: tuple[str, ...],
    tag: tuple[str, ...],
    all_projects: bool,
    **options: Any,
) -> Answer:
    """List memories of this project and global ones, newest first, each on a line.

    `show` has all of it. With --json: memories, how many there are in total, and the offset of the
    next page."""
    wanted = filters_of(filter)
    if all_projects:
        wanted.setdefault("project", {"$ne": None})
    wanted |= {name: value for name, value in (("kind", kind), ("tags", tag)) if value}
    first, limit = options.pop("offset"), options.pop("limit")
    found = call.kit.memories.find(wanted, limit=first + limit + 1, **options)
    page, is_cut = found[first : first + limit], len(found) > first + limit
    total = len(found)
    if is_cut:
        total = call.kit.memories.count(wanted, history=options["history"])
    following = first + limit if is_cut else None
    now = call.kit.store.now()
    document = {
        "memories": [output.memory_document(memory, now) for memory in page],
        "total": total,
        "next": following,
    }
    notes = tuple(_page_notes(len(page), first, total, following))
    if not page:
        return Answer(document, notes=(*notes, *found.notes))
    lines = (output.memory_line(memory, call) for memory in page)
    return repeating(call, document, lines, (*found.notes, *notes))


@command(IDS)
def show(call: Call, *, ids: tuple[int, ...]) -> Answer:
    """Show everything that is known of the memories IDS."""
    found = [(call.kit.memories.get(number), _related(call, number)) for number in ids]
    notes = tuple(
        f"{memory.id}: its last {_CHANGES} changes are shown, there are more"
        for memory, related in found
        if related.pop("has_more")
    )
    return repeating(
        call,
        [output.document(memory) | related for memory, related in found],
        (line for memory, rest in found for line in output.memory_lines(memory, call, rest)),
        notes,
    )


@command(argument("question"), ID, *_RANKING, *FILTERS, opening=Opening.CHANGE)
def why(call: Call, *, question: str, id: int, **options: Any) -> Answer:
    """Say why memory ID comes back for QUESTION, or at which step it was dropped."""
    question = given(question)
    found = call.kit.why(question, id, **_asked(options, call))
    verdict = "comes back" if found.present else "does not come back"
    lines = [f"{id} {verdict} ({found.stage}): {found.explanation}"]
    if found.hit is not None:
        lines += output.hit_lines(found.hit, call, question, is_full=True)
        parts = {name: f"{value:+6.2f}" for name, value in found.hit.parts.items()}
        lines += [f"      {value}  {name}" for name, value in parts.items() if float(value)]
    return repeating(call, found, lines)


@command()
def stats(call: Call) -> Answer:
    """Show numbers about the file."""
    found = output.document(call.kit.stats())
    return Answer(found, (f"{name}: {value}" for name, value in _flat(found)))


@command(
    argument("name", is_required=False),
    argument("parameters", many=True, is_required=False),
    opening=Opening.NOT,
)
def sql(call: Call, *, name: str | None, parameters: tuple[str, ...]) -> Answer:
    """Run the read-only query NAME with PARAMETERS (param=value …); without NAME list all of them.

    A value is a number, null, or text; text that looks like a number goes in quotes. What is not
    given is null, which stands for any, where the query allows it: [param] in the list.
    """
    if name is None:
        listed = [
            (query.name, ", ".join(_parameters(query)), query.doc)
            for query in sorted(reading_queries().values(), key=lambda query: query.name)
        ]
        names = ("name", "parameters", "returns")
        document = [dict(zip(names, row, strict=True)) for row in listed]
        return Answer(document, output.table(listed, call, names=names))
    given = pairs(parameters, what="parameter", may_be_empty=True)  # "" is the usual project
    values = {name: _value(text) for name, text in given.items()}
    with opened(call.settings, Opening.READ) as ready:
        found = ready.kit.query(name, **values)
    columns = list(found[0]) if found else []
    rows = [[_hex(cell) for cell in row.values()] for row in found]
    return Answer(found, output.table(rows, call, names=columns) if found else ())


def filters_of(texts: tuple[str, ...]) -> dict[str, Any]:
    """Return FIELD=VALUE texts as the filters of `memories.find`; VALUE may be a JSON object of
    its operators."""
    found: dict[str, Any] = {}
    for name, text in pairs(texts, what="filter").items():
        field = {"tag": "tags"}.get(name, name)
        if text.lstrip().startswith("{"):
            found[field] = _operators(field, text)
        elif field in ("active", "pinned", "private"):
            found[field] = _truth(field, text)
        elif field in _NUMBERS:
            found[field] = _number(field, text)
        else:
            found[field] = text
    return found


# -- inside


def _recall_lines(found: Recall, call: Call, question: str, *, why: bool) -> Iterator[str]:
    for hit in found.results:
        if isinstance(hit, Hit):
            yield from output.hit_lines(hit, call, question, is_full=why)
        else:
            yield from output.episode_lines(hit, call)


def _nothing(found: Recall) -> Iterator[str]:
    """Yield that nothing comes, and what would bring more."""
    if found.shown_before:
        yield "nothing more is remembered about this than this session was shown already"
        return
    yield "nothing good enough is remembered about this"
    if found.best_left_out is not None:
        yield f"the best scored {found.best_left_out:.2f}; --min-score 0 shows it"


def _page_notes(shown: int, first: int, total: int, following: int | None) -> Iterator[str]:
    """Yield how much of a list is shown, where that is not all of it."""
    if not shown:
        yield f"there are only {total}; give a smaller --offset" if total else _NO_MEMORY
    elif following is not None:
        yield f"{shown} of {total}; --limit or --offset {following} for more"
    elif first:
        yield f"the last {shown} of {total}"


def _asked(options: Mapping[str, Any], call: Call) -> dict[str, Any]:
    """Return the options as `recall` takes them; raises Usage for what only a session is told,
    asked without one."""
    rest = dict(options)
    several = {name: rest.pop(name) or None for name in _SEVERAL}
    if several["scope"] == (Scope.SESSION,) and several["session"] is None:
        raise Usage("--scope session needs --session: only a session is told what is its own")
    near = None if rest["near"] is None else call.place(rest["near"])
    tags = several.pop("tag")
    return {**rest, **several, "near": near, "tags": tags}


def _unknown(call: Call, tags: tuple[str, ...], projects: tuple[str, ...]) -> Iterator[str]:
    """Yield which of the tags and projects asked for no memory has."""
    everywhere: dict[str, Any] = {"project": {"$ne": None}, "history": True, "limit": 1}
    for tag in tags:
        if not call.kit.memories.find(tags=tag, **everywhere):
            yield f"no memory has the tag {tag!r}"
    for project in filter(None, projects):
        if not call.kit.memories.find(**{**everywhere, "project": project}):
            yield f"no memory stands behind the wall of project {project!r}"


def _related(call: Call, number: int) -> dict[str, Any]:
    memories = call.kit.memories
    edges = [edge for edge in memories.edges(number) if edge.kind is not EdgeKind.HAS_TAG]
    changes, more = output.cut(memories.changes(number, limit=_CHANGES + 1), _CHANGES)
    return {
        "edges": output.document(edges),
        "wordings": memories.wordings(number),
        "artifacts": output.document(memories.artifacts(number)),
        "provenance_chain": output.document(memories.provenance(number)),
        "changes": output.document(changes),
        "has_more": bool(more),
    }


def _flat(found: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    for name, value in found.items():
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
    found = {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}
    try:
        return found[text.strip().lower()]
    except KeyError:
        raise InvalidInput(f"filter {name}: {text!r} is neither true nor false") from None


def _hex(cell: Any) -> Any:
    return cell.hex() if isinstance(cell, bytes) else cell
