"""Commands for the file as a whole: init, export, import, check, doctor, scrub, trim."""

from __future__ import annotations

from pathlib import Path

import attrs

from ..errors import InvalidInput, StoreDamaged
from ..interchange.exporting import PathOrStream
from ..interchange.exporting import export as export_rows
from ..interchange.importing import Format
from ..store.salvage import Salvage
from ..upkeep import DAYS
from . import doctor, output
from .call import Call, opened
from .output import stdin_bytes, stdout_bytes
from .predictions import mined_lines
from .table import (
    DONE,
    FAILED,
    Answer,
    Opening,
    Usage,
    argument,
    command,
    count,
    folder,
    option,
    switch,
)

# Problems that something else settles than another check: their detail says what.
_BEYOND_REPAIR = frozenset({"secrets", "resurrected"})


@command(
    argument("root", sort=folder, is_required=False),
    switch("empty", "Only make the file."),
    opening=Opening.CREATE,
)
def init(call: Call, *, root: str | None, empty: bool) -> Answer:
    """Make the file; take in README, agent notes, decision records, docs, and git's history.

    ROOT is the folder that the file lies in, unless it is given. Run it again after the documents
    have changed: unchanged sections stay, changed ones are updated, those that stand elsewhere now
    are the same memories, vanished ones are forgotten. Private and ignored files are never read;
    documents that are not read are named.
    """
    made = f"{call.kit.store.path}: ready"
    if empty or call.settings.use_global:
        return Answer({"path": str(call.kit.store.path)}, [made])
    with call.progress("reading") as step:
        done = call.kit.take_in(root, progress=step)
    with call.progress("reading commits") as step:
        mined = call.kit.episodes.mine(root, progress=step)
    document = {
        "path": str(call.kit.store.path),
        **output.document(done),
        "history": output.document(mined),
    }
    lines = [made, *output.taken_in_lines(done), *mined_lines(mined)]
    hint = "next: memkit recall QUESTION; memkit index reads the code"
    place = Path(root or call.kit.store.path.parent).absolute()
    has_git = any((folder / ".git").exists() for folder in (place, *place.parents))
    return Answer(document, [*lines, hint], mined.notes if has_git else ())


@command(
    argument("target", is_required=False),
    switch("local", "Private memories and what is of this machine too."),
    opening=Opening.NOT,
)
def export(call: Call, *, target: str | None, local: bool) -> Answer:
    """Write every permanent row as JSON Lines to TARGET, or to standard output.

    Of a damaged file all rows that can be read are saved, and the others are counted; the exit code
    is 1 if there are any. With --json standard output holds the report only, so TARGET must be a
    file.
    """
    is_stream = target in (None, "-")
    if is_stream and call.settings.json:
        raise InvalidInput("export: --json needs a file to export to; give TARGET")
    place = stdout_bytes() if is_stream else target or ""
    lost: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    try:
        with opened(call.settings, Opening.READ) as ready:
            rows = ready.kit.export(place, local=local)
    except StoreDamaged as error:
        rows, lost = _saved(call.path, place, local=local)
        notes = (str(error), _told(lost))
    document = {"path": target, "rows": rows, "lost": lost}
    code = FAILED if lost else DONE
    told = [f"{target}: {output.number(rows, 'row')}"]
    return Answer(document, told, notes, exit_code=code, is_raw=is_stream)


@command(
    argument("source"),
    argument("path", is_required=False),
    option("format", "What it is; seen from the content otherwise.", choices=tuple(Format)),
    switch("revive", "Bring back what was purged here."),
    opening=Opening.CREATE,
)
def import_(
    call: Call, *, source: str, path: str | None, format: str | None, revive: bool
) -> Answer:
    """Import SOURCE: an export, another memkit store, notes (a file or a folder), an MCP memory
    file, issues of beads, or an agent's transcript; '-' is stdin.

    'memkit import transcript PATH' imports every transcript of a folder, such as
    ~/.claude/projects/NAME: of Claude Code, Codex, Gemini CLI, SWE-agent and OpenHands.

    Another store is only read, and merged as 'memkit --db OTHER export | memkit import -' would:
    so the stores of two branches are joined. Importing the same again changes nothing.
    """
    if path is not None:
        if source not in tuple(Format) or format not in (None, source):
            raise Usage(f"import: {source!r} and {path!r} are two sources; give one of them")
        source, format = path, source
    place = stdin_bytes() if source == "-" else source
    with call.progress("importing") as step:
        done = call.kit.import_(place, format=format, revive=revive, progress=step)
    return Answer(output.document(done), output.taken_in_lines(done))


@command(
    switch("repair", "Rebuild what is derived, remove what leads to nothing."),
    opening=Opening.CHANGE,
)
def check(call: Call, *, repair: bool) -> Answer:
    """Check pages, references, derived rows and hashes; exit code 1 if something is wrong.

    Repair never touches a statement.
    """
    with call.progress("vectors") as step:
        report = call.kit.check(repair=repair, progress=step)
    lines = [
        f"{'mended' if problem.mended else 'problem'}: {problem.name}: {problem.detail}"
        for problem in report.problems
    ]
    left = {problem.name for problem in report.problems if not problem.mended}
    if "integrity" in left:
        lines.append(
            "next: restore the file from git, or save what can be read: memkit export FILE"
        )
    elif not repair and left - _BEYOND_REPAIR:
        lines.append("next: memkit check --repair")
    document = {"sound": report.is_sound, "problems": output.document(report.problems)}
    code = DONE if report.is_sound else FAILED
    return Answer(document, lines or ["sound"], exit_code=code)


@command(opening=Opening.NOT)
def doctor_(call: Call) -> Answer:
    """Look at everything memkit stands on; exit code 1 if something does not work."""
    found = doctor.findings(call)
    lines = [
        f"{'ok' if f.ok else call.style('problem', fg='red')}\t{f.name}: {f.detail}"
        + (f"; next: {f.next_step}" if f.next_step else "")
        for f in found
    ]
    code = DONE if all(f.ok for f in found) else FAILED
    return Answer([attrs.asdict(f) for f in found], lines, exit_code=code)


def _saved(path: Path, place: PathOrStream, *, local: bool) -> tuple[int, dict[str, int]]:
    """Write the rows that can be read of a damaged file; return how many, and what was lost."""
    wreck = Salvage(path)
    try:
        return export_rows(wreck, place, local=local), wreck.lost
    finally:
        wreck.close()


def _told(lost: dict[str, int]) -> str:
    """Return what became of the rows of a damaged file, and the next step."""
    rows = ", ".join(f"{count or 'an unknown number'} of {name}" for name, count in lost.items())
    said = f"rows that could not be read: {rows}" if rows else "every row could be read"
    return f"{said}; 'memkit --db NEW import FILE' makes a new store of what was saved"


@command(opening=Opening.CHANGE)
def scrub(call: Call) -> Answer:
    """Find secrets in what is stored already and remove them for good."""
    done = call.kit.scrub()
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(done.kinds.items()))
    changed = f"{output.number(done.rows, 'row')} changed"
    lines = [changed + (f": {kinds}" if kinds else "")]
    return Answer(output.document(done), lines)


@command(
    option("days", "What was done longer ago goes.", sort=count, default=DAYS),
    opening=Opening.CHANGE,
)
def trim(call: Call, *, days: int) -> Answer:
    """Remove calls, files, questions and changes that are old or too many, as noted here.

    Memories, sessions and tasks stay, with the files and tools that were counted.
    """
    done = call.kit.trim(days=days)
    removed = ((output.number(rows, "row"), table) for table, rows in done.rows.items() if rows)
    lines = [f"{rows} of {table}" for rows, table in removed]
    return Answer(output.document(done), lines or ["nothing is old or too many"])
