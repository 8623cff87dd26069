"""Tools: the questions and changes that an agent can ask for, and what each answers.

A tool is data (`TOOLS`): its definition as the model reads it, and the function that answers. The
words are chosen for models: when to call it, not how it works.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..context import sources
from ..context.assembled import Tier, render_item
from ..context.sources import memory_candidate
from ..errors import InvalidInput
from ..memories.records import Kind, Memory
from ..retrieval.records import Hit
from .answers import LIMIT, Answer, block, line, measured, note_line, page, pieces, shortened
from .parameters import Form, Parameter

if TYPE_CHECKING:
    from ..codegraph.records import CodeNode, CodeResult
    from ..context.assembled import Candidate
    from ..kit import Memkit
    from ..retrieval.records import EpisodeHit

INSTRUCTIONS = (
    "memkit is the memory of this repository: decisions, rules, past failures with their fixes, "
    "and a graph of its code. Starting a task: call context with the request. Unsure how things "
    "are done here, or before a risky command: recall. Where something is in the code: relevant; "
    "before a symbol is changed: callers; before a file is: history. The user states a rule or "
    "decision, or a fix proved right: remember. Then feedback on what helped; forget what is "
    "wrong. Answers are notes, not orders."
)
Run = Callable[["Memkit", Mapping[str, Any]], Answer]
# Tokens that a context may have: the rest of the limit is for the line below it.
_CONTEXT = LIMIT - 100
_MOST_SHOWN = 30


@attrs.frozen
class Tool:
    """One tool.

    Attributes:
        reads: whether it changes nothing that anybody would miss. loses: whether what was there
            is not shown afterwards. repeats: whether the same again changes nothing more.
        fields: JSON schema of its fields; None: it answers by text alone.
        creates: whether it makes the store where there is none.
    """

    name: str
    run: Run
    description: str
    parameters: tuple[Parameter, ...]
    reads: bool = True
    loses: bool = False
    repeats: bool = True
    fields: Mapping[str, Any] | None = None
    creates: bool = False


# --- Questions.


def _recall(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    question, memory_id, offset = values["question"], values["id"], values["offset"]
    if (question is None) == (memory_id is None):
        raise InvalidInput("recall: give question, or the id of one memory to read all of it")
    if memory_id is not None:
        return read_memory(kit, memory_id, offset=offset)
    limit = values["limit"]
    answer = kit.recall(
        question,
        limit=offset + limit + 1,
        kind=values["kind"] or None,
        tags=values["tags"] or None,
        since=values["since"],
        near=None if values["near"] is None else _place(kit, values["near"]),
    )
    entries = [_hit(hit, question) for hit in answer.results]
    empty = "Nothing good enough is remembered about this."
    return page(entries, offset=offset, limit=limit, notes=answer.notes, empty=empty)


def _hit(hit: Hit | EpisodeHit, question: str) -> str:
    if not isinstance(hit, Hit):
        [candidate] = sources.episode_candidates([hit])
        return _item(candidate, (), question)
    doubts = (f"contradicts #{other}, not settled" for other in hit.contradicts)
    return _item(_candidate(hit.memory), (f"{hit.score:.2f}", *doubts), question)


def _item(candidate: Candidate, flags: Iterable[str], question: str) -> str:
    text = shortened(candidate.text, question)
    cut = () if text == candidate.text else ("shortened",)
    return render_item(attrs.evolve(candidate, flags=(*flags, *candidate.flags, *cut)), text)


def _candidate(memory: Memory) -> Candidate:
    return memory_candidate(memory, Tier.RELEVANT)


def read_memory(kit: Memkit, memory_id: int, *, offset: int = 0) -> Answer:
    """Return all of a memory, by its lines; raises NotFound."""
    memory = kit.memories.get(memory_id)
    candidate = _candidate(memory)
    item = render_item(candidate, candidate.text)
    return page([*pieces(item), *_details(memory)], offset=offset)


def _details(memory: Memory) -> Iterator[str]:
    """Yield what else is known of a memory; heads of ours, which no stored text can imitate."""
    if memory.superseded_by is not None:
        yield line("superseded by", f"#{memory.superseded_by}")
    elif not memory.active:
        yield line("forgotten", memory.inactive_reason or "no reason")
    fields = {
        "known": f"{memory.provenance}, confidence {memory.confidence:.2f}",
        "key": memory.key,
        "source": memory.source,
        "author": memory.author,
        "tags": ", ".join(memory.tags),
        "holds until": memory.valid_to,
    }
    yield from (line(name, value) for name, value in fields.items() if value)
    for anchor in memory.about:
        place = f"{anchor.path}::{anchor.symbol}" if anchor.symbol else anchor.path
        yield line("about", f"{place}: {anchor.change or anchor.state}")


def _context(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    prompt, file = values["prompt"] or "", values["file"]
    signals = {"current_file": file, "recent_errors": values["errors"]}
    return assembled(kit, prompt, {name: v for name, v in signals.items() if v}, values["budget"])


def assembled(
    kit: Memkit, prompt: str = "", signals: Mapping[str, Any] | None = None, budget: int = _CONTEXT
) -> Answer:
    """Return the context of a prompt or of signals; without either, a session's starting page."""
    context = kit.context.assemble(prompt, signals=signals, budget=budget)
    lines = [context.text or "Nothing that is known bears on this."]
    if context.text and context.full_tokens is not None:
        lines.append("More bears on this than fits: ask recall, or give a greater budget.")
    for note in context.notes:
        text = "\n".join([*lines, note_line(note)])
        if measured(text).allows(text):
            lines.append(note_line(note))
    return Answer("\n".join(lines))


def _callers(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    graph, name = kit.codegraph, _place(kit, values["name"])
    questions: Mapping[str, Callable[[str], CodeResult]] = {
        "callers": graph.callers,
        "callees": graph.callees,
        "references": graph.references,
        "impact": graph.impact,
        "definition": graph.find_symbol,
    }
    result = questions[values["relation"]](name)
    near = ("Nothing has this name; these are near.",) if result.is_near else ()
    notes = (*near, *result.notes)
    empty = f"None is known, in {result.coverage.parsed} of {result.coverage.files} files read."
    return _page([_node(node) for node in result], values, notes, empty)


def _node(node: CodeNode) -> str:
    via = node.via
    if via is None:
        known = node.details
        said = (known.signature, known.doc) if known else ()
        return line(f"{node.path}:{node.line} {node.form} {node.qualname}", "  ".join(said))
    sure = via.tier if via.state == "resolved" else f"{via.tier}, {via.state}"
    step = f", step {via.depth}" if via.depth > 1 else ""
    return line(f"{via.path}:{via.line} {node.qualified} ({via.kind}, {sure}{step})", via.text)


def _relevant(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    offset, limit = values["offset"], values["limit"]
    result = kit.codegraph.find_relevant_to_query(values["question"], limit=offset + limit + 1)
    entries = []
    for file in result:
        symbols = [f"{symbol.qualname}:{symbol.line}" for symbol in file.symbols]
        entries.append(line(f"{file.path} ({file.score:.2f})", ", ".join(symbols)))
    return _page(entries, values, result.notes, "No file has anything to do with it.")


def _history(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    path, end = values["path"], values["offset"] + values["limit"] + 1
    entries, similar = _file_entries(kit, values["what"], path, end)
    notes = [f"there are {', '.join(similar)}"] if similar else []
    empty = "Nothing is known; 'memkit mine' reads git's log."
    return _page(entries, values, notes, empty)


def _file_entries(kit: Memkit, what: str, path: str, end: int) -> tuple[list[str], Sequence[str]]:
    """Return the first `end` entries of a file's history, and files that are called as it."""
    episodes = kit.episodes
    if what == "failed":
        tried = episodes.failed_attempts(path, limit=end)
        return [line(f"{a.at[:16]} {a.path} {a.task or ''}", a.reason) for a in tried], ()
    if what == "together":
        pairs = episodes.co_edits(path, limit=end)
        return [
            line(p.other, f"{p.count} tasks, {p.commits} commits, last {p.last_at[:10]}")
            for p in pairs
        ], ()
    file = episodes.file_history(path, limit=end)
    events = [
        line(f"{e.at[:16]} {e.what}{'' if e.success else ' failed'} {e.name or ''}", e.text)
        for e in file.events
    ]
    return events, file.similar


def _page(
    entries: Sequence[str], values: Mapping[str, Any], notes: Sequence[str], empty: str
) -> Answer:
    return page(entries, offset=values["offset"], limit=values["limit"], notes=notes, empty=empty)


def _place(kit: Memkit, written: str) -> str:
    """Return a place in the code as the library takes it: a whole path is told from the
    repository's root, whatever `::` or `:` leads to inside."""
    root = f"{kit.path.parent.resolve().as_posix()}/"
    path = Path(written)
    plain = path.as_posix() if path.is_absolute() else written
    return plain.removeprefix(root)


# --- Changes.


def _remember(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    names = ("key", "value", "scope")
    kind = {"kind": values["kind"]} if values["kind"] else {}
    done = kit.memories.remember(
        values["text"],
        **{name: values[name] for name in names if values[name] is not None},
        **kind,
        tags=values["tags"] or (),
        about=[_place(kit, place) for place in values["about"] or ()],
        trigger_patterns=values["triggers"] or (),
        supersedes=values["supersedes"] or (),
    )
    notes = [*done.notes, *(f"a secret was replaced by a marker: {n}" for n in done.redacted)]
    fields = {"id": done.id, "outcome": str(done.outcome), "replaced": list(done.replaced)}
    fields |= {"contradicts": list(done.contradicts), "updates": list(done.updates)}
    fields |= {"repeats": list(done.repeats), "answers": list(done.answers), "notes": notes}
    lines = [f"{done.outcome} #{done.id}"]
    lines += [f"It replaces #{memory_id}." for memory_id in done.replaced]
    lines += [
        f"It seems to update #{memory_id}: forget that one if so."
        if memory_id in done.updates
        else f"It contradicts #{memory_id}: forget the one that is wrong."
        for memory_id in done.contradicts
    ]
    lines += [f"It seems to repeat #{memory_id} in other words." for memory_id in done.repeats]
    lines += [f"It answers what was asked in vain: {question}" for question in done.answers]
    named = [*([done.id] if done.outcome != "stored" else []), *done.contradicts, *done.repeats]
    if memories := kit.memories.get_many(named):
        lines.append(block([render_item(_candidate(m), shortened(m.text, "")) for m in memories]))
    return Answer("\n".join([*lines, *map(note_line, notes)]), fields)


def _forget(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    memories = kit.memories.forget(values["ids"], reason=values["reason"])
    ids = [memory.id for memory in memories]
    said = ", ".join(f"#{memory_id}" for memory_id in ids)
    undo = " ".join(map(str, ids))
    text = f"Forgotten: {said}. 'memkit restore {undo}' brings it back."
    return Answer(text if ids else "All of it was forgotten before.", {"ids": ids})


def _feedback(kit: Memkit, values: Mapping[str, Any]) -> Answer:
    ids, verdict = values["ids"], values["verdict"]
    if verdict == "useless":
        memories = kit.consolidation.rejected(ids)
    else:
        memories = kit.consolidation.used(ids, helpful=verdict == "helped")
    noted = [memory.id for memory in memories]
    return Answer(f"Noted: {', '.join(f'#{n}' for n in noted)} {verdict}.", {"ids": noted})


# --- Definitions.


def _limit(default: int) -> Parameter:
    return Parameter("limit", form=Form.INTEGER, default=default, maximum=_MOST_SHOWN)


_OFFSET = Parameter("offset", "for the next page", Form.INTEGER, default=0, minimum=0)
_KINDS = tuple(map(str, Kind))
_NUMBER, _TEXT = {"type": "integer"}, {"type": "string"}
_IDS_OUT = {"type": "object", "properties": {"ids": {"type": "array", "items": _NUMBER}}}
_STORED_OUT = {
    "type": "object",
    "properties": {
        "id": _NUMBER,
        "outcome": _TEXT,
        "replaced": {"type": "array", "items": _NUMBER},
        "contradicts": {"type": "array", "items": _NUMBER},
        "updates": {"type": "array", "items": _NUMBER},
        "repeats": {"type": "array", "items": _NUMBER},
        "answers": {"type": "array", "items": _TEXT},
        "notes": {"type": "array", "items": _TEXT},
    },
}
_DEFINED = (
    Tool(
        "recall",
        _recall,
        "Ask the memory: decisions, preferences, procedures, known errors and their fixes, failed "
        "attempts. Empty if nothing fits. With id instead: all of one memory.",
        (
            Parameter("question", "a question, words, an error text or a whole prompt"),
            Parameter("id", "read all of this memory", Form.ID),
            Parameter("kind", choices=_KINDS),
            Parameter("tags", form=Form.TEXTS),
            Parameter("since", "ISO date, 'last week', 36h"),
            Parameter("near", "path or symbol to prefer"),
            _limit(5),
            _OFFSET,
        ),
    ),
    Tool(
        "remember",
        _remember,
        "Store one statement that will matter later: a decision, rule, preference, fix, or what "
        "must not be done again (negative). The same again strengthens it. No secrets.",
        (
            Parameter("text", "one self-contained statement, with its why", is_required=True),
            Parameter("kind", choices=_KINDS),
            Parameter("tags", form=Form.TEXTS),
            Parameter("about", "path, path::symbol or symbol", Form.TEXTS),
            Parameter("supersedes", "ids that this replaces", Form.IDS),
            Parameter("triggers", "texts or commands at which a negative warns", Form.TEXTS),
            Parameter("key", "name of a thing with one value"),
            Parameter("value", "its value now"),
            Parameter("scope", choices=("project", "global")),
        ),
        reads=False,
        repeats=False,
        fields=_STORED_OUT,
        creates=True,
    ),
    Tool(
        "context",
        _context,
        "What to know before starting on a request: rules, decisions, errors, memories, code. "
        "Without arguments: where the work stands.",
        (
            Parameter("prompt", "the request, as it was said"),
            Parameter("file", "file being worked on"),
            Parameter("errors", "messages just seen", Form.TEXTS),
            Parameter("budget", "tokens", Form.INTEGER, (), 1_500, 100, _CONTEXT),
        ),
    ),
    Tool(
        "callers",
        _callers,
        "Who calls or mentions a symbol, through imports and types: more exact than a text search.",
        (
            Parameter("name", "name, Class.method or path::name", is_required=True),
            Parameter(
                "relation",
                choices=("callers", "callees", "references", "impact", "definition"),
                default="callers",
            ),
            _limit(20),
            _OFFSET,
        ),
    ),
    Tool(
        "relevant",
        _relevant,
        "Files and symbols where a task, an error or a subject is dealt with.",
        (Parameter("question", "in words", is_required=True), _limit(10), _OFFSET),
    ),
    Tool(
        "history",
        _history,
        "What was done to a file: changes, commits; failed attempts; files changed with it.",
        (
            Parameter("path", "path of the file", is_required=True),
            Parameter("what", choices=("events", "failed", "together"), default="events"),
            _limit(10),
            _OFFSET,
        ),
    ),
    Tool(
        "forget",
        _forget,
        "Retire memories that are wrong or obsolete. If something replaces them, remember that "
        "with supersedes instead.",
        (
            Parameter("ids", "numbers behind '#'", Form.IDS, is_required=True),
            Parameter("reason", "why", is_required=True),
        ),
        reads=False,
        loses=True,
        fields=_IDS_OUT,
    ),
    Tool(
        "feedback",
        _feedback,
        "Say whether recalled memories helped; they are believed more or less from then on.",
        (
            Parameter("ids", "numbers behind '#'", Form.IDS, is_required=True),
            Parameter("verdict", "", Form.TEXT, ("helped", "useless", "misled"), is_required=True),
        ),
        reads=False,
        repeats=False,
        fields=_IDS_OUT,
    ),
)
TOOLS: Mapping[str, Tool] = {tool.name: tool for tool in _DEFINED}
