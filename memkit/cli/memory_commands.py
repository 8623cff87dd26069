"""Memory commands: remember, update, pin, tag, link, forget, restore, purge, resolve, gaps …"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import attrs

from ..memories.records import (
    Contradiction,
    Decider,
    EdgeKind,
    Form,
    Kind,
    Memory,
    Outcome,
    Procedure,
    Provenance,
    RememberResult,
    Resolution,
    Scope,
)
from ..redaction import quoted
from ..retrieval.records import Gap
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
    memory_number,
    option,
    share,
    switch,
)
from .output import changed_output, marked, marked_output, one_line, read_statement

if TYPE_CHECKING:
    from ..agents.extraction import ExtractionResult

# --- Changes: remember, update, pin, tag, link.

_FIELDS = (
    option("form", "How it is shortened.", choices=tuple(Form)),
    option("key", "Keyed fact: the attribute."),
    option("value", "Keyed fact: its value; a new one supersedes the old."),
    option("qualifier", "Keyed fact: where it holds."),
    option("scope", "How far it is visible.", choices=tuple(Scope)),
    option("project", "The project behind whose wall it stands."),
    option("session", "The session it belongs to."),
    option("task", "The task it belongs to."),
    option("source", "Stable name of where it comes from; the same source is updated."),
    option("file-path", "A file it came from; repeat for several.", many=True),
    option("about", "path, path::symbol or qualified name; repeat for several.", many=True),
    option("trigger", "Text on which a negative memory surfaces.", many=True),
    option("valid-from", "True from then on."),
    option("valid-to", "True until then."),
    option("importance", "0 to 1.", type=share),
    option("confidence", "0 to 1.", type=share),
    option("author", "Who said it."),
    option("provenance", "How it became known.", choices=tuple(Provenance)),
)
_PLACES = {"file_paths", "about"}
_RENAMED = {"file_path": "file_paths", "trigger": "trigger_patterns"}


@command(
    argument("text", is_required=False),
    option("kind", "What sort of statement.", choices=tuple(Kind)),
    option("tag", "A label; repeat for several.", many=True),
    *_FIELDS,
    option("step", "A step of a procedure; repeat for several.", many=True),
    option("at", "When it was said."),
    option("supersedes", "A memory that it replaces.", type=memory_number, many=True),
    switch("pinned", "Keep it from decay and pruning."),
    switch("private", "Keep it on this machine."),
    opening=Opening.CREATE,
)
def remember(
    invocation: Invocation, *, text: str | None, tag: tuple[str, ...], **options: Any
) -> CommandOutput:
    """Remember TEXT, or standard input if TEXT is '-'.

    The same statement again strengthens the memory that is there.
    """
    if missing := _unsaid(text, options):
        raise Usage(f"remember: {missing}")
    fields = _in_global_store(_draft_fields(options, invocation), invocation)
    done = invocation.kit.memories.remember(read_statement(text or ""), tags=tag, **fields)
    now = invocation.store.now()
    lines = [f"{done.outcome} {done.id} in {_shown(done.file or invocation.path)}"]
    named = [*done.contradicts, *done.repeats]
    if done.outcome is not Outcome.STORED:
        named.insert(0, done.id)
    begins = done.memory.valid_from or ""
    when = f" from {begins} on" if begins > now else ""
    lines += [f"supersedes {memory_id}{when}" for memory_id in done.replaced]
    lines += _bearing_lines(done)
    lines += [f"answers what was asked in vain: {question}" for question in done.answers]
    said = [output.memory_line(m, invocation) for m in invocation.kit.memories.get_many(named)]
    lines += output.between_marks(invocation, said)
    notes = [*done.notes]
    notes += [f"a secret was replaced by a marker: {name}" for name in done.redacted]
    notes += [f"about: {anchor.change}" for anchor in done.memory.about if anchor.change]
    if done.memory.about and not output.is_code_read(invocation):
        notes.append(f"about: {output.UNREAD}")
    if hidden := output.state(done.memory, now):
        notes.append(f"{done.id} does not come back now: {hidden}")
    return CommandOutput(marked(output.document(done)), lines, tuple(notes))


def _bearing_lines(done: RememberResult) -> Iterator[str]:
    """Yield what a memory contradicts, updates or repeats, each with the command that settles
    it."""
    settle = f"memkit resolve {done.id}"
    for number in done.contradicts:
        what = "seems to update" if number in done.updates else "contradicts"
        yield f"{what} {number}: {settle} {number} --keep A"
    for number in done.repeats:
        yield f"seems to repeat {number}: if it does, {settle} {number} --keep merged"


@command(
    ID,
    argument("text", is_required=False),
    option("kind", "What sort of statement.", choices=tuple(Kind)),
    option("tag", "Its labels from now on; repeat for several.", many=True),
    *_FIELDS,
    opening=Opening.CHANGE,
)
def update(
    invocation: Invocation, *, id: int, text: str | None, tag: tuple[str, ...], **options: Any
) -> CommandOutput:
    """Change memory ID in place: its TEXT ('-' reads standard input) or any field."""
    fields = _draft_fields(options, invocation) | ({"tags": tag} if tag else {})
    if text is None and not fields:
        raise Usage("update: nothing to change is given; see 'memkit update --help'")
    memory = invocation.kit.memories.update(
        id, None if text is None else read_statement(text), **fields
    )
    return changed_output([memory], "updated", invocation)


@command(ID, switch("remove", "No longer."), opening=Opening.CHANGE)
def pin(invocation: Invocation, *, id: int, remove: bool) -> CommandOutput:
    """Keep memory ID from decay and pruning."""
    memories = invocation.kit.memories
    memory = memories.unpin(id) if remove else memories.pin(id)
    return changed_output([memory], "unpinned" if remove else "pinned", invocation)


@command(
    ID,
    argument("names", many=True),
    switch("remove", "Take the tags away."),
    opening=Opening.CHANGE,
)
def tag(invocation: Invocation, *, id: int, names: tuple[str, ...], remove: bool) -> CommandOutput:
    """Give memory ID the tags NAMES."""
    memories = invocation.kit.memories
    memory = memories.untag(id, *names) if remove else memories.tag(id, *names)
    return changed_output([memory], f"tags: {', '.join(memory.tags) or 'none'}", invocation)


@command(
    argument("src", type=memory_number),
    argument("dst", type=memory_number),
    option(
        "kind",
        "How they hang together.",
        choices=("relates_to", "supersedes", "contradicts", "derived_from", "next"),
        default="relates_to",
    ),
    option("weight", "Strength of the relation, 0 to 1.", type=share),
    option("note", "Why they contradict each other."),
    switch("remove", "Remove the edge."),
    opening=Opening.CHANGE,
)
def link(
    invocation: Invocation, *, src: int, dst: int, kind: str, remove: bool, **options: Any
) -> CommandOutput:
    """Relate memory SRC to memory DST.

    With --kind supersedes SRC takes the place of DST.
    """
    memories, note = invocation.kit.memories, options["note"]
    if remove:
        done = memories.unlink(src, dst, kind)
        verb = "removed" if done else "there was no such edge:"
        return CommandOutput({"removed": done}, [f"{verb} {src} {kind} {dst}"])
    if kind == EdgeKind.SUPERSEDES:
        memories.supersede(dst, src)
    elif kind == EdgeKind.CONTRADICTS:
        memories.contradict(src, dst, note=note)
    else:
        memories.link(src, dst, kind, weight=options["weight"])
    return CommandOutput({"src": src, "dst": dst, "kind": kind}, [f"{src} {kind} {dst}"])


# -- helpers


def _gap_state(gap: Gap) -> str:
    if gap.closed_at is None:
        return "open"
    return "closed" if gap.answer is None else f"answered by {gap.answer}"


def _unsaid(text: str | None, options: dict[str, Any]) -> str:
    """Return what a statement lacks; "" if it is whole."""
    key, value = options["key"], options["value"]
    if key is None and value is None:
        said = text is not None or options["step"]
        return "" if said else "says not what; give TEXT, or --key and --value"
    if key is None or value is None:
        return f"--{'value' if value is None else 'key'} is missing; a keyed fact has both"
    return ""


def _shown(file: Path) -> str:
    """Return a file as it is named from the current folder; one that does not lie below, whole."""
    path, here = file.resolve(), Path.cwd()
    return one_line(str(path.relative_to(here) if path.is_relative_to(here) else path))


def _in_global_store(fields: dict[str, Any], invocation: Invocation) -> dict[str, Any]:
    """Return the fields of a statement as the store that is meant keeps it."""
    if not invocation.settings.use_global:
        return fields
    if fields.setdefault("scope", Scope.GLOBAL) != Scope.GLOBAL:
        raise Usage(f"--global keeps global memories, not {fields['scope']}; leave out one of them")
    return fields


def _draft_fields(options: dict[str, Any], invocation: Invocation) -> dict[str, Any]:
    """Return the options that were given, by the names of a draft's fields."""
    named = ((_RENAMED.get(name, name), value) for name, value in options.items())
    fields = {name: value for name, value in named if value not in (None, (), False)}
    if steps := fields.pop("step", None):
        fields["procedure"] = Procedure(steps)
    return fields | {
        name: [*map(invocation.place, fields[name])] for name in _PLACES & fields.keys()
    }


# --- Removal: forget, restore, purge.

# Bound of a bulk command; nobody reads a longer list.
_ALL = 1_000_000
_DRY_RUN = switch("dry-run", "Only show what would be done.")
_YES = switch("yes", "Do it without asking.")


@command(
    argument("ids", type=memory_number, many=True, is_required=False),
    option("filter", "FIELD=VALUE instead of ids, e.g. kind=fact; repeat to narrow.", many=True),
    option("reason", "Why; it is kept with the memory.", default="forgotten"),
    _DRY_RUN,
    _YES,
    opening=Opening.CHANGE,
)
def forget(
    invocation: Invocation,
    *,
    ids: tuple[int, ...],
    filter: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    reason: str,
) -> CommandOutput:
    """Deactivate the memories IDS, keeping their rows; 'memkit restore' brings them back.

    By filter it needs --yes; --dry-run shows which they are. Global ones are meant only by
    --filter scope=global.
    """
    if bool(ids) == bool(filter):
        raise Usage("forget: neither ids nor --filter is given, or both; give one of the two")
    chosen: Any = ids
    if filter:
        from .query_commands import filters_of  # it loads the records of recall

        filters = filters_of(filter)
        chosen = invocation.kit.memories.forget_matching(filters, dry_run=True)
        if not chosen:
            return CommandOutput([], notes=("nothing fits the filter",))
        if not dry_run:
            invocation.confirm(f"Forget {_memories(chosen)}?", agreed=yes)
    memories = invocation.kit.memories.forget(chosen, reason=reason, dry_run=dry_run)
    done = changed_output(memories, "would be forgotten" if dry_run else "forgotten", invocation)
    before = sorted({*ids} - {memory.id for memory in memories})
    now = invocation.store.now()
    states = (
        (memory_id, output.state(invocation.kit.memories.get(memory_id), now))
        for memory_id in before
    )
    notes = (f"{memory_id} was not active any more: {state}" for memory_id, state in states)
    return attrs.evolve(done, notes=tuple(notes))


@command(
    argument("ids", type=memory_number, many=True, is_required=False),
    option("reason", "Instead of ids: all that were forgotten for this reason."),
    opening=Opening.CHANGE,
)
def restore(invocation: Invocation, *, ids: tuple[int, ...], reason: str | None) -> CommandOutput:
    """Bring forgotten or superseded memories back.

    What had taken the place of one stays beside it, unless both are values of one key.
    """
    if bool(ids) == (reason is not None):
        raise Usage("restore: neither ids nor --reason is given, or both; give one of the two")
    if reason is not None:
        gone = invocation.kit.memories.find(
            active=False, inactive_reason=reason, history=True, limit=_ALL
        )
        ids = tuple(memory.id for memory in gone)
        if not ids:
            return CommandOutput([], notes=(f"nothing was forgotten for the reason {reason!r}",))
    before = {memory_id: invocation.kit.memories.get(memory_id) for memory_id in ids}
    restored = invocation.kit.memories.restore(ids)
    done = changed_output(
        [memory for memory in restored if memory != before[memory.id]], "restored", invocation
    )
    notes = tuple(_restored(before[memory.id], memory, invocation) for memory in restored)
    return attrs.evolve(
        done, document=output.document(restored), notes=tuple(note for note in notes if note)
    )


@command(IDS, _DRY_RUN, _YES, opening=Opening.CHANGE)
def purge(
    invocation: Invocation, *, ids: tuple[int, ...], dry_run: bool, yes: bool
) -> CommandOutput:
    """Delete the memories IDS for good, their bytes overwritten. Cannot be undone."""
    purged = invocation.kit.memories.purge(ids, dry_run=True)
    if not dry_run:
        invocation.confirm(f"Purge {_memories(purged)} for good?", agreed=yes)
        purged = invocation.kit.memories.purge(ids)
    verb = "would be purged" if dry_run else "purged"
    return CommandOutput(
        {"ids": purged, "dry_run": dry_run}, (f"{verb} {memory_id}" for memory_id in purged)
    )


def _reference(text: str) -> int | str:
    """Return the id of a memory, or else the text: a task's item is named as its task named it."""
    with suppress(ValueError):
        return memory_number(text)
    return text


@command(
    argument("id", type=_reference),
    option("to", "How far it holds from now on.", choices=(Scope.PROJECT, Scope.GLOBAL)),
    opening=Opening.CHANGE,
)
def promote(invocation: Invocation, *, id: int | str, to: str | None) -> CommandOutput:
    """Let memory ID, or item ID of a task, hold in the next wider scope, or in the one named.

    A task's item becomes a memory of the project, a memory of the project a global one.
    """
    memory = invocation.kit.context.promote(id, to)
    return changed_output([memory] if memory else [], "promoted", invocation)


def _memories(records: Sequence[object]) -> str:
    return output.number(len(records), "memory", "memories")


def _restored(before: Memory, now: Memory, invocation: Invocation) -> str:
    """Return a remark on a memory that was restored: what hides it, or what replaced it."""
    hidden = output.state(now, invocation.store.now())
    if hidden:
        return f"{now.id} does not come back: {hidden}; memkit update {now.id} --help"
    if now == before:
        return f"{now.id} is active; nothing was to be done"
    if before.superseded_by is None:
        return ""
    other = invocation.kit.memories.get(before.superseded_by)
    if other.superseded_by == now.id:
        return f"{other.id}, which had taken its place, is superseded by {now.id}"
    if not other.is_current:
        return ""
    return f"{other.id}, which had taken its place, holds too: memkit forget {other.id} if not"


# --- Open questions: contradictions, resolve, gaps.

# Numbers and names of a retired statement that are named.
_LOST = 8
_RESOLUTIONS = {
    "A": Resolution.A_WINS,
    "B": Resolution.B_WINS,
    "both": Resolution.BOTH_VALID,
    "merged": Resolution.MERGED,
}
_KEEP = {resolution: keep for keep, resolution in _RESOLUTIONS.items()}


@command(
    switch("history", "Those that are settled too."),
    switch("scan", "Hold all memories against each other first."),
    option("limit", "At most so many.", type=count, default=50),
    opening=Opening.CHANGE,
)
def contradictions(
    invocation: Invocation, *, history: bool, scan: bool, limit: int
) -> CommandOutput:
    """List pairs of memories that cannot both be true, newest first; 'memkit resolve' settles one.

    Each new statement is held against the likeliest others; --scan does so with all. Both sides
    stay until one is settled.
    """
    notes: tuple[str, ...] = ()
    if scan:
        report = invocation.kit.consolidation.scan_contradictions()
        notes = (
            f"{report.memories} memories looked at, {report.compared} pairs compared: "
            f"{len(report.detected)} bear on each other",
            *report.notes,
        )
    pairs, more = output.cut(invocation.kit.memories.contradictions(history=history), limit)
    none = () if pairs else (f"no contradiction is {'known' if history else 'open'}",)
    return marked_output(invocation, pairs, _doubt_lines(pairs, invocation), (*notes, *more, *none))


@command(
    argument("a", type=memory_number),
    argument("b", type=memory_number),
    option("keep", "Which of them holds: A or B, or its id; both; or merged.", type=str),
    option("note", "Why."),
    opening=Opening.CHANGE,
)
def resolve(
    invocation: Invocation, *, a: int, b: int, keep: str | None, note: str | None
) -> CommandOutput:
    """Settle the contradiction between the memories A and B, or say that they are none.

    The one that is not kept is superseded by the other; what it alone said is named, and 'memkit
    restore' brings it back. Any two can be said to hold both, or to say the same (merged): 'memkit
    consolidate' makes one of them.
    """
    from ..memories.compared_statement import said_only_in  # no other command here needs it

    keep = _kept_side(keep, a, b)
    resolution = _RESOLUTIONS[keep]
    memories = invocation.kit.memories
    memories.resolve(a, b, resolution, note=note)
    holding, retired = (b, a) if keep == "B" else (a, b)
    texts = (
        [memories.get(number).text for number in (retired, holding)] if keep in {"A", "B"} else ()
    )
    lost = said_only_in(*texts) if texts else []
    sentences = {
        "A": f"{a} takes the place of {b}",
        "B": f"{b} takes the place of {a}",
        "merged": f"{a} and {b} say the same: 'memkit consolidate' makes one of them",
    }
    words = one_line(", ".join(lost[:_LOST]))
    note_lost = f"{retired} alone said {words}; to keep it: memkit update {holding} TEXT, with it"
    return CommandOutput(
        {"a": a, "b": b, "resolution": resolution, "note": note, "lost": lost},
        [sentences.get(keep, f"{a} and {b} hold both")],
        (note_lost,) if lost else (),
    )


@command(
    option("limit", "At most so many.", type=count, default=20),
    switch("all", "Also those that are answered or closed."),
    option("close", "The id of one that needs no answer."),
    opening=Opening.CHANGE,
)
def gaps(invocation: Invocation, *, limit: int, all: bool, close: str | None) -> CommandOutput:
    """List what sessions asked in vain, the most asked first: what is worth remembering.

    Questions that ask the same are one; what a later memory answers is closed.
    """
    kit = invocation.kit
    if close is not None:
        closed = kit.consolidation.close_gap(close)
        return CommandOutput(output.document(closed), [f"closed {close}: {closed.question}"])
    kit.consolidation.close_answered_gaps()
    gaps, more = output.cut(kit.gaps(limit=limit + 1, history=all), limit)
    rows: Sequence[Sequence[Any]] = [
        (gap.ids[0], gap.asked_count, gap.last_at, _gap_state(gap), gap.question) for gap in gaps
    ]
    names = ("id", "times", "last", "state", "question")
    lines = output.table(rows, invocation, names=names) if gaps else ()
    notes = (
        more
        if gaps
        else ("every question of a session was answered; only questions with --session count",)
    )
    return CommandOutput(output.document(gaps), lines, notes)


# -- helpers


def _kept_side(keep: str | None, a: int, b: int) -> str:
    """Return which of `_RESOLUTIONS` is meant by what was written, in any case, or by an id."""
    if keep is None:
        raise Usage("resolve: which of them holds is not given; say --keep A, B, both or merged")
    sides = {name.casefold(): name for name in _RESOLUTIONS} | {str(a): "A", str(b): "B"}
    if keep.strip().casefold() not in sides:
        raise Usage(f"--keep: found {quoted(keep)}, expected A, B, both, merged, {a} or {b}")
    return sides[keep.strip().casefold()]


_DECIDERS = {Decider.CALLER: "a caller", Decider.JUDGE: "a judge", Decider.UNDO: "an undone run"}


def _doubt_lines(pairs: Sequence[Contradiction], invocation: Invocation) -> Iterator[str]:
    for pair in pairs:
        state = f"{pair.resolution} {pair.resolved_at}" if pair.resolved_at else "open"
        if pair.decided_by and (pair.resolved_at or pair.decided_by is not Decider.CALLER):
            state += f", by {_DECIDERS[pair.decided_by]}"
        note = f" ({pair.note})" if pair.note else ""
        if pair.proposed and not pair.resolved_at:
            keep = _KEEP[Resolution(pair.proposed)]
            note += f"; memkit resolve {pair.memory_a} {pair.memory_b} --keep {keep} agrees"
        yield f"{pair.memory_a} against {pair.memory_b}: {state}{note}"
        for memory_id in (pair.memory_a, pair.memory_b):
            yield f"  {output.memory_line(invocation.kit.memories.get(memory_id), invocation)}"


# --- Extraction commands: candidates out of a text or a session, and their review.


@command(
    argument("text", is_required=False),
    option("session", "The session that was recorded, or in which the text was typed."),
    switch("remember", "Let the candidates wait as memories; see 'memkit review'."),
    opening=Opening.CHANGE,
)
def extract(
    invocation: Invocation, *, text: str | None, session: str | None, remember: bool
) -> CommandOutput:
    """Show what of TEXT (a prompt, or a transcript; '-' is standard input) or of a recorded session
    may be worth remembering, and what was dropped."""
    if text is None and session is None:
        raise Usage("extract: nothing to read; give TEXT, '-' for standard input, or --session")
    said = None if text is None else read_statement(text)
    result = invocation.kit.extract(said, session=session, remember=remember)
    return marked_output(invocation, result, _extracted_lines(result), result.notes)


@command(
    option("accept", "A memory that is so; repeat for several.", type=memory_number, many=True),
    option("reject", "A memory to forget; repeat for several.", type=memory_number, many=True),
    option("reason", "Why it is rejected."),
    option("limit", "How many to list.", type=count, default=50),
    opening=Opening.CHANGE,
)
def review(
    invocation: Invocation,
    *,
    accept: tuple[int, ...],
    reject: tuple[int, ...],
    reason: str | None,
    limit: int,
) -> CommandOutput:
    """List memories that were extracted and wait for a confirmation, or settle some of them."""
    waiting = invocation.kit.review
    settled: list[Memory] = []
    if accept:
        settled += waiting.accept(accept)
    if reject:
        settled += waiting.reject(reject, reason=reason)
    memories: Sequence[Memory] = settled if accept or reject else waiting.pending(limit=limit)
    lines = [output.memory_line(memory, invocation) for memory in memories]
    notes = () if lines else ("nothing waits for a review",)
    return marked_output(invocation, memories, lines, notes)


def _extracted_lines(result: ExtractionResult) -> Iterator[str]:
    for draft in result.candidates:
        yield one_line(f"{draft.kind}\t{draft.reason}\t{draft.text}")
    for dropped in result.dropped:
        yield one_line(f"dropped\t{dropped.reason}\t{dropped.text}")
