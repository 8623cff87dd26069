"""Commands that change what is remembered."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from ..codegraph.extent import last_extent
from ..memories.kinds import EdgeKind, Form, Kind, Outcome, Provenance, Scope
from ..memories.records import Procedure
from . import output
from .call import Call
from .output import changed, marked, marked_lines, one_line, stated
from .table import (
    ID,
    IDS,
    Answer,
    Opening,
    Usage,
    argument,
    command,
    memory_number,
    option,
    share,
    switch,
)

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
    contradicts = _contradicted(call, done.id)
    settle = f"memkit resolve {done.id}"
    lines += [f"contradicts {number}: {settle} {number} --keep A" for number in contradicts]
    notes = [*done.notes]
    notes += [f"a secret was replaced by a marker: {name}" for name in done.redacted]
    notes += [f"about: {anchor.change}" for anchor in done.memory.about if anchor.change]
    if done.memory.about and last_extent(call.kit.store) is None:
        notes.append(f"about: {output.UNREAD}")
    if hidden := output.state(done.memory, now):
        notes.append(f"{done.id} does not come back now: {hidden}")
    document = output.document(done) | {"contradicts": contradicts}
    return Answer(marked(document), lines, tuple(notes))


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


def _contradicted(call: Call, number: int) -> list[int]:
    """Return the memories that contradict one, as far as that is not settled."""
    pairs = ((pair.memory_a, pair.memory_b) for pair in call.kit.memories.contradictions())
    return [a if b == number else b for a, b in pairs if number in (a, b)]


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
