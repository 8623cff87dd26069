"""Memory commands: remember, update, forget, restore, purge, tag, link, confirm, gaps."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import attrs

from ..codegraph.index.workspace import last_workspace
from ..memories.records import (
    Contradiction,
    EdgeKind,
    Form,
    Kind,
    Memory,
    Outcome,
    Procedure,
    Provenance,
    Resolution,
    Scope,
)
from . import output
from .commands import (
    ID,
    IDS,
    Answer,
    Call,
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
from .output import changed, marked, marked_lines, one_line, repeating, stated
from .query_commands import filters_of

# --- Commands that change what is remembered.

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
    option("importance", "0 to 1.", sort=share),
    option("confidence", "0 to 1.", sort=share),
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
    option("supersedes", "A memory that it replaces.", sort=memory_number, many=True),
    switch("pinned", "Keep it from decay and pruning."),
    switch("private", "Keep it on this machine."),
    opening=Opening.CREATE,
)
def remember(call: Call, *, text: str | None, tag: tuple[str, ...], **options: Any) -> Answer:
    """Remember TEXT, or standard input if TEXT is '-'.

    The same statement again strengthens the memory that is there.
    """
    if missing := _unsaid(text, options):
        raise Usage(f"remember: {missing}")
    fields = _in_global_store(_given(options, call), call)
    done = call.kit.memories.remember(stated(text or ""), tags=tag, **fields)
    now = call.kit.store.now()
    lines = [f"{done.outcome} {done.id} in {_shown(done.file or call.path)}"]
    if done.outcome is not Outcome.STORED:
        same = [output.memory_line(done.memory, call)]
        lines += same if call.width is not None else marked_lines(same)
    begins = done.memory.valid_from or ""
    when = f" from {begins} on" if begins > now else ""
    lines += [f"supersedes {number}{when}" for number in done.replaced]
    settle = f"memkit resolve {done.id}"
    lines += [f"contradicts {number}: {settle} {number} --keep A" for number in done.contradicts]
    notes = [*done.notes]
    notes += [f"a secret was replaced by a marker: {name}" for name in done.redacted]
    notes += [f"about: {anchor.change}" for anchor in done.memory.about if anchor.change]
    if done.memory.about and last_workspace(call.kit.store) is None:
        notes.append(f"about: {output.UNREAD}")
    if hidden := output.state(done.memory, now):
        notes.append(f"{done.id} does not come back now: {hidden}")
    return Answer(marked(output.document(done)), lines, tuple(notes))


@command(
    ID,
    argument("text", is_required=False),
    option("kind", "What sort of statement.", choices=tuple(Kind)),
    option("tag", "Its labels from now on; repeat for several.", many=True),
    *_FIELDS,
    opening=Opening.CHANGE,
)
def update(
    call: Call, *, id: int, text: str | None, tag: tuple[str, ...], **options: Any
) -> Answer:
    """Change memory ID in place: its TEXT ('-' reads standard input) or any field."""
    fields = _given(options, call) | ({"tags": tag} if tag else {})
    if text is None and not fields:
        raise Usage("update: nothing to change is given; see 'memkit update --help'")
    found = call.kit.memories.update(id, None if text is None else stated(text), **fields)
    return changed([found], "updated", call)


@command(IDS, opening=Opening.CHANGE)
def confirm(call: Call, *, ids: tuple[int, ...]) -> Answer:
    """Note that memories were used and helped: they are believed more, and for longer."""
    return changed(call.kit.memories.confirm(ids), "confirmed", call)


@command(IDS, switch("used", "They were acted on, and misled."), opening=Opening.CHANGE)
def reject(call: Call, *, ids: tuple[int, ...], used: bool) -> Answer:
    """Note that memories came back and were of no use: they are believed a little less.

    What is plainly wrong is forgotten instead, or superseded by what is right.
    """
    return changed(call.kit.memories.reject(ids, used=used), "rejected", call)


@command(ID, switch("remove", "No longer."), opening=Opening.CHANGE)
def pin(call: Call, *, id: int, remove: bool) -> Answer:
    """Keep memory ID from decay and pruning."""
    memories = call.kit.memories
    found = memories.unpin(id) if remove else memories.pin(id)
    return changed([found], "unpinned" if remove else "pinned", call)


@command(
    ID,
    argument("names", many=True),
    switch("remove", "Take the tags away."),
    opening=Opening.CHANGE,
)
def tag(call: Call, *, id: int, names: tuple[str, ...], remove: bool) -> Answer:
    """Give memory ID the tags NAMES."""
    memories = call.kit.memories
    found = memories.untag(id, *names) if remove else memories.tag(id, *names)
    return changed([found], f"tags: {', '.join(found.tags) or 'none'}", call)


@command(
    argument("src", sort=memory_number),
    argument("dst", sort=memory_number),
    option(
        "kind",
        "How they hang together.",
        choices=("relates_to", "supersedes", "contradicts", "derived_from", "next"),
        default="relates_to",
    ),
    option("weight", "Strength of the relation, 0 to 1.", sort=share),
    option("note", "Why they contradict each other."),
    switch("remove", "Remove the edge."),
    opening=Opening.CHANGE,
)
def link(call: Call, *, src: int, dst: int, kind: str, remove: bool, **options: Any) -> Answer:
    """Relate memory SRC to memory DST.

    With --kind supersedes SRC takes the place of DST.
    """
    memories, note = call.kit.memories, options["note"]
    if remove:
        done = memories.unlink(src, dst, kind)
        verb = "removed" if done else "there was no such edge:"
        return Answer({"removed": done}, [f"{verb} {src} {kind} {dst}"])
    if kind == EdgeKind.SUPERSEDES:
        memories.supersede(dst, src)
    elif kind == EdgeKind.CONTRADICTS:
        memories.contradict(src, dst, note=note)
    else:
        memories.link(src, dst, kind, weight=options["weight"])
    return Answer({"src": src, "dst": dst, "kind": kind}, [f"{src} {kind} {dst}"])


# -- inside


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


def _in_global_store(fields: dict[str, Any], call: Call) -> dict[str, Any]:
    """Return the fields of a statement as the store that is meant keeps it."""
    if not call.settings.use_global:
        return fields
    if fields.setdefault("scope", Scope.GLOBAL) != Scope.GLOBAL:
        raise Usage(f"--global keeps global memories, not {fields['scope']}; leave out one of them")
    return fields


def _given(options: dict[str, Any], call: Call) -> dict[str, Any]:
    """Return the options that were given, by the names of a draft's fields."""
    named = ((_RENAMED.get(name, name), value) for name, value in options.items())
    fields = {name: value for name, value in named if value not in (None, (), False)}
    if steps := fields.pop("step", None):
        fields["procedure"] = Procedure(steps)
    return fields | {name: [*map(call.place, fields[name])] for name in _PLACES & fields.keys()}


# --- Commands that take memories away: forget, bring back, delete for good.

# As many as a bulk verb takes at once; nobody reads a longer list.
_ALL = 1_000_000
_DRY_RUN = switch("dry-run", "Only show what would be done.")
_YES = switch("yes", "Do it without asking.")


@command(
    argument("ids", sort=memory_number, many=True, is_required=False),
    option("filter", "FIELD=VALUE instead of ids, e.g. kind=fact; repeat to narrow.", many=True),
    option("reason", "Why; it is kept with the memory.", default="forgotten"),
    _DRY_RUN,
    _YES,
    opening=Opening.CHANGE,
)
def forget(
    call: Call,
    *,
    ids: tuple[int, ...],
    filter: tuple[str, ...],
    dry_run: bool,
    yes: bool,
    reason: str,
) -> Answer:
    """Deactivate the memories IDS, keeping their rows; 'memkit restore' brings them back.

    By filter it needs --yes; --dry-run shows which they are. Global ones are meant only by
    --filter scope=global.
    """
    if bool(ids) == bool(filter):
        raise Usage("forget: neither ids nor --filter is given, or both; give one of the two")
    chosen: Any = ids
    if filter:
        wanted = filters_of(filter)
        if not call.settings.use_global:
            wanted.setdefault("scope", {"$ne": Scope.GLOBAL})
        chosen = call.kit.memories.find(wanted, limit=_ALL)
        if not chosen:
            return Answer([], notes=("nothing fits the filter",))
        if not dry_run:
            call.confirm(f"Forget {_memories(chosen)}?", agreed=yes)
    found = call.kit.memories.forget(chosen, reason=reason, dry_run=dry_run)
    done = changed(found, "would be forgotten" if dry_run else "forgotten", call)
    before = sorted({*ids} - {memory.id for memory in found})
    now = call.kit.store.now()
    notes = (
        f"{number} was not active any more: {output.state(call.kit.memories.get(number), now)}"
        for number in before
    )
    return attrs.evolve(done, notes=tuple(notes))


@command(
    argument("ids", sort=memory_number, many=True, is_required=False),
    option("reason", "Instead of ids: all that were forgotten for this reason."),
    opening=Opening.CHANGE,
)
def restore(call: Call, *, ids: tuple[int, ...], reason: str | None) -> Answer:
    """Bring forgotten or superseded memories back.

    What had taken the place of one stays beside it, unless both are values of one key.
    """
    if bool(ids) == (reason is not None):
        raise Usage("restore: neither ids nor --reason is given, or both; give one of the two")
    if reason is not None:
        gone = call.kit.memories.find(
            active=False, inactive_reason=reason, history=True, limit=_ALL
        )
        ids = tuple(memory.id for memory in gone)
        if not ids:
            return Answer([], notes=(f"nothing was forgotten for the reason {reason!r}",))
    before = {number: call.kit.memories.get(number) for number in ids}
    found = call.kit.memories.restore(ids)
    done = changed([memory for memory in found if memory != before[memory.id]], "restored", call)
    notes = tuple(_restored(before[memory.id], memory, call) for memory in found)
    return attrs.evolve(
        done, document=output.document(found), notes=tuple(note for note in notes if note)
    )


@command(IDS, _DRY_RUN, _YES, opening=Opening.CHANGE)
def purge(call: Call, *, ids: tuple[int, ...], dry_run: bool, yes: bool) -> Answer:
    """Delete the memories IDS for good, their bytes overwritten. Cannot be undone."""
    found = call.kit.memories.purge(ids, dry_run=True)
    if not dry_run:
        call.confirm(f"Purge {_memories(found)} for good?", agreed=yes)
        found = call.kit.memories.purge(ids)
    verb = "would be purged" if dry_run else "purged"
    return Answer({"ids": found, "dry_run": dry_run}, (f"{verb} {number}" for number in found))


def _memories(found: Sequence[object]) -> str:
    return output.number(len(found), "memory", "memories")


def _restored(before: Memory, now: Memory, call: Call) -> str:
    """Return what else is to be known of a memory that was restored."""
    hidden = output.state(now, call.kit.store.now())
    if hidden:
        return f"{now.id} does not come back: {hidden}; memkit update {now.id} --help"
    if now == before:
        return f"{now.id} is active; nothing was to be done"
    if before.superseded_by is None:
        return ""
    other = call.kit.memories.get(before.superseded_by)
    if other.superseded_by == now.id:
        return f"{other.id}, which had taken its place, is superseded by {now.id}"
    if not other.is_current:
        return ""
    return f"{other.id}, which had taken its place, holds too: memkit forget {other.id} if not"


# --- Commands about what is not settled: contradictions, resolve, gaps.

_KEPT = {"A": Resolution.A_WINS, "B": Resolution.B_WINS, "both": Resolution.BOTH_VALID}


@command(
    switch("history", "Those that are settled too."),
    option("limit", "At most so many.", sort=count, default=50),
)
def contradictions(call: Call, *, history: bool, limit: int) -> Answer:
    """List pairs of memories that cannot both be true, newest first; 'memkit resolve' settles one.

    Statements are not compared by what they mean: a pair is what 'memkit link --kind contradicts'
    made of two, two values of one moment that a merge brought, and what was said again after it
    was replaced.
    """
    found, more = output.cut(call.kit.memories.contradictions(history=history), limit)
    notes = more if found else (f"no contradiction is {'known' if history else 'open'}",)
    return repeating(call, found, _doubt_lines(found, call), notes)


@command(
    argument("a", sort=memory_number),
    argument("b", sort=memory_number),
    option("keep", "Which of them holds.", choices=tuple(_KEPT)),
    option("note", "Why."),
    opening=Opening.CHANGE,
)
def resolve(call: Call, *, a: int, b: int, keep: str | None, note: str | None) -> Answer:
    """Settle the contradiction between the memories A and B.

    The one that is not kept is superseded by the other; 'memkit restore' brings it back.
    """
    if keep is None:
        raise Usage("resolve: which of them holds is not given; say --keep A, B or both")
    how = _KEPT[keep]
    call.kit.memories.resolve(a, b, how, note=note)
    kept = {"A": f"{a} takes the place of {b}", "B": f"{b} takes the place of {a}"}
    return Answer({"a": a, "b": b, "resolution": how}, [kept.get(keep, f"{a} and {b} hold both")])


@command(option("limit", "At most so many.", sort=count, default=20))
def gaps(call: Call, *, limit: int) -> Answer:
    """List what sessions asked in vain, the most asked first: what is worth remembering."""
    found, more = output.cut(call.kit.gaps(limit=limit + 1), limit)
    rows: Sequence[Sequence[Any]] = [(gap.asked_count, gap.last_at, gap.question) for gap in found]
    lines = output.table(rows, call, names=("times", "last", "question")) if found else ()
    notes = more if found else ("no session asked in vain; only questions with --session count",)
    return Answer(output.document(found), lines, notes)


# -- inside


def _doubt_lines(found: Sequence[Contradiction], call: Call) -> Iterator[str]:
    for one in found:
        state = f"{one.resolution} {one.resolved_at}" if one.resolved_at else "open"
        yield f"{one.memory_a} against {one.memory_b}: {state}{f' ({one.note})' * bool(one.note)}"
        for number in (one.memory_a, one.memory_b):
            yield f"  {output.memory_line(call.kit.memories.get(number), call)}"
