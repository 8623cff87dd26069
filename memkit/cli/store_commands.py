"""Store commands: init, import, export, check, doctor, scrub, trim."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path

import attrs

from .. import kit as kits
from .. import tokens
from ..agents.install import surroundings
from ..encoder import VARIABLE, contextual, load_encoder, static
from ..errors import InvalidInput, MemkitError, StoreDamaged
from ..interchange.archive import PathOrStream
from ..interchange.archive import export as export_rows
from ..interchange.importer import Format
from ..interchange.notes_importer import TranscriptsTakenIn
from ..maintenance import DAYS
from ..redaction import PrivateFiles
from ..store.connection import connect_memory, load_vector_functions
from ..store.integrity import Recovery
from ..store.lifecycle import is_mounted_read_only, is_switched_off
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
    open_invocation,
    option,
    switch,
)
from .episode_commands import mined_lines
from .output import stdin_bytes, stdout_bytes

# --- Checks of the environment: each is fine, or has a next step.

# Room that a rewrite of a large store may need, in bytes.
_ROOM = 200 * 1024 * 1024
# File systems whose locks cannot be relied on.
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "davfs"})
# Languages of the models.
_LANGUAGES = (
    "static: English and code (of other scripts names, numbers and loan words); minilm: English"
)
_MOUNTS = Path("/proc/self/mounts")
_COMPARE = "next: memkit contradictions --scan holds what is new against all else"


@attrs.frozen
class Finding:
    """Result of one check of the environment."""

    name: str
    ok: bool
    detail: str
    next_step: str = ""


def _fine(name: str, detail: str, next_step: str = "") -> Finding:
    return Finding(name, ok=True, detail=detail, next_step=next_step)


def _problem(name: str, detail: str, next_step: str) -> Finding:
    return Finding(name, ok=False, detail=detail, next_step=next_step)


def findings(invocation: Invocation) -> list[Finding]:
    """Return the results of all checks, in the order in which they depend on each other."""
    looks: tuple[Callable[[Path], Iterator[Finding]], ...] = (
        _sqlite, _vectors, _encoder, _counter, _file, _place, _git, _environment,
    )  # fmt: skip
    seen = [finding for look in looks for finding in look(invocation.path)]
    return [*seen, *_agents(invocation)]


def _sqlite(_: Path) -> Iterator[Finding]:
    import apsw

    yield _fine("python", f"{sys.version.split()[0]} on {sys.platform}")
    full_text = "ENABLE_FTS5" in apsw.compile_options
    detail = f"{apsw.sqlite_lib_version()} in apsw {apsw.apsw_version()}"
    yield Finding(
        "sqlite",
        full_text,
        detail + ("" if full_text else ", without full-text search"),
        "" if full_text else "install the apsw wheel from PyPI, which brings its own SQLite",
    )


def _vectors(_: Path) -> Iterator[Finding]:
    connection = connect_memory()
    try:
        note = load_vector_functions(connection)
    finally:
        connection.close()
    if note is None:
        yield _fine("sqlite-vec", f"{metadata.version('sqlite-vec')}, extension loads")
    else:
        yield _problem("sqlite-vec", note, "pip install --force-reinstall sqlite-vec")


def _encoder(_: Path) -> Iterator[Finding]:
    try:
        encoder = load_encoder()
        if encoder.name.endswith(static.PACKAGED_NAME):
            static.check_packaged()
        encoder.tokenize(["a text"])  # loads what is loaded when it is first needed
    except (MemkitError, ImportError) as error:
        other = os.environ.get(VARIABLE)
        step = f"unset {VARIABLE}" if other else "pip install --force-reinstall memkit"
        yield _problem("encoder", str(error), step)
    else:
        yield _fine("encoder", f"{encoder.name}, {encoder.dimensions} dimensions")
    lacking = contextual.missing()
    yield _fine(
        "extra",
        f"contextual: {lacking} not installed" if lacking else "contextual is installed",
        contextual.INSTALL if lacking else f"{VARIABLE}=minilm uses it",
    )
    yield _fine("languages", _LANGUAGES)


def _counter(_: Path) -> Iterator[Finding]:
    try:
        total = tokens.count("one two three")
    except (MemkitError, ImportError, OSError) as error:
        yield _problem("tokens", str(error), "pip install --force-reinstall tiktoken")
        return
    yield Finding("tokens", total > 0, f"{tokens.TokenCounter().name}, offline")


def _file(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield _fine("file", f"{path} is not there yet", "memkit init")
        return
    try:
        with kits.open(path, readonly=True, global_store=False) as kit:
            stats = kit.stats()
    except MemkitError as error:
        yield _problem("file", str(error), "see the message; nothing was changed")
        return
    size = f"{path.stat().st_size / 1024:.0f} KiB"
    active = stats.memories.active
    detail = f"{path}, schema {stats.schema}, {_memories(active)}, {size}"
    yield _fine("file", detail)
    waiting = stats.vectors.waiting
    if waiting:
        yield _problem("vectors", f"waiting: {_memories(waiting)}", "memkit check --repair")


def _place(path: Path) -> Iterator[Finding]:
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100 - resolve() would follow links
    if not folder.is_dir():
        yield _problem("folder", f"{folder} does not exist", f"mkdir {folder}")
        return
    writable = os.access(folder, os.W_OK) and (not path.exists() or os.access(path, os.W_OK))
    step = "" if writable else _writing(folder, folder / path.name)
    yield Finding("permissions", writable, "writable" if writable else "read-only", step)
    free = shutil.disk_usage(folder).free
    yield Finding(
        "room", free > _ROOM, f"{free // 1024**2} MiB free", "" if free > _ROOM else "free some"
    )
    system = _file_system(folder)
    if system:
        remote = system in _REMOTE
        step = "put the store on a local disk (--db)" if remote else ""
        yield Finding("file system", not remote, system, step)
    left = sorted(p.name for p in folder.glob(f"{path.name}-*"))
    if left:
        yield _problem("left over", ", ".join(left), "open the store once: memkit check")


def _writing(folder: Path, path: Path) -> str:
    """Return what lets a file be written: no permission does on a medium mounted read-only."""
    if is_mounted_read_only(folder):
        return f"the file system is mounted read-only: copy {path} elsewhere and give --db"
    return shlex.join(["chmod", "u+w", str(folder), *([str(path)] if path.exists() else ())])


def _git(path: Path) -> Iterator[Finding]:
    folder = Path(os.path.abspath(path)).parent  # noqa: PTH100 - resolve() would follow links
    top = next((p for p in (folder, *folder.parents) if (p / ".git").exists()), None)
    if top is None:
        yield _fine("git", "not in a repository; the file stays on this machine")
        return
    if reason := PrivateFiles(folder).reason(path.name):
        yield _fine("git", f"{top}, file {reason}: it is not committed")
    elif top != folder:
        yield _fine("git", f"{top}, file in {folder.relative_to(top)}")
    else:
        yield _fine("git", f"{top}, file beside it")


def _environment(_: Path) -> Iterator[Finding]:
    variables = {
        name: os.environ[name] for name in sorted(os.environ) if name.startswith("MEMKIT_")
    }
    switched_off = is_switched_off()
    detail = (
        " ".join(f"{name}={value}" for name, value in variables.items()) or "no MEMKIT_ variable"
    )
    step = "unset MEMKIT_DISABLED" if switched_off else ""
    yield Finding("environment", not switched_off, detail, step)


def _agents(invocation: Invocation) -> Iterator[Finding]:
    from .install_commands import next_step, plug_states, state_line

    states = plug_states(invocation, surroundings(invocation.path.parent))
    for state in states:
        if state.is_plugged or not state.is_fine:
            yield Finding("agents", state.is_fine, state_line(state), next_step(state))
    if not any(state.is_plugged for state in states):
        yield _fine("agents", "memkit is plugged into none", "memkit install")


def _file_system(folder: Path) -> str | None:
    """Return the type of the file system of a folder, where the system tells."""
    try:
        lines = _MOUNTS.read_text("utf-8", "replace").splitlines()
    except OSError:
        return None
    best, kind = "", None
    for line in lines:
        parts = line.split()
        if len(parts) > 2 and folder.is_relative_to(parts[1]) and len(parts[1]) >= len(best):
            best, kind = parts[1], parts[2]
    return kind


def _memories(count: int) -> str:
    return output.number(count, "memory", "memories")


# --- Commands.

# Problems that something else settles than another check: their detail says what.
_BEYOND_REPAIR = frozenset({"secrets", "resurrected"})


@command(
    argument("root", type=folder, is_required=False),
    switch("empty", "Only make the file."),
    opening=Opening.CREATE,
)
def init(invocation: Invocation, *, root: str | None, empty: bool) -> CommandOutput:
    """Make the file; take in README, agent notes, decision records, docs, and git's history.

    ROOT is the folder that the file lies in, unless it is given. Run it again after the documents
    have changed: unchanged sections stay, changed ones are updated, those that stand elsewhere now
    are the same memories, vanished ones are forgotten. Private and ignored files are never read;
    documents that are not read are named.
    """
    made = f"{invocation.store.path}: ready"
    if empty or invocation.settings.use_global:
        return CommandOutput({"path": str(invocation.store.path)}, [made])
    with invocation.progress("reading") as step:
        done = invocation.kit.import_notes(root, progress=step)
    with invocation.progress("reading commits") as step:
        mined = invocation.kit.episodes.mine(root, progress=step)
    document = {
        "path": str(invocation.store.path),
        **output.document(done),
        "history": output.document(mined),
    }
    lines = [made, *output.taken_in_lines(done), *mined_lines(mined)]
    hint = "next: memkit recall QUESTION; memkit index reads the code"
    place = Path(root or invocation.store.path.parent).absolute()
    has_git = any((folder / ".git").exists() for folder in (place, *place.parents))
    return CommandOutput(document, [*lines, hint], mined.notes if has_git else ())


@command(
    argument("target", is_required=False),
    switch("local", "Private memories and what is of this machine too."),
    opening=Opening.NOT,
)
def export(invocation: Invocation, *, target: str | None, local: bool) -> CommandOutput:
    """Write every permanent row as JSON Lines to TARGET, or to standard output.

    Of a damaged file all rows that can be read are saved, and the others are counted; the exit code
    is 1 if there are any. With --json standard output holds the report only, so TARGET must be a
    file.
    """
    is_stream = target in (None, "-")
    if is_stream and invocation.settings.json:
        raise InvalidInput("export: --json needs a file to export to; give TARGET")
    place = stdout_bytes() if is_stream else target or ""
    lost: dict[str, int] = {}
    notes: tuple[str, ...] = ()
    try:
        with open_invocation(invocation.settings, Opening.READ) as ready:
            rows = ready.kit.export(place, local=local)
    except StoreDamaged as error:
        rows, lost = _saved(invocation.path, place, local=local)
        notes = (str(error), _recovery_note(lost))
    document = {"path": target, "rows": rows, "lost": lost}
    code = FAILED if lost else DONE
    lines = [f"{target}: {output.number(rows, 'row')}"]
    return CommandOutput(document, lines, notes, exit_code=code, is_raw=is_stream)


@command(
    argument("source"),
    argument("path", is_required=False),
    option("format", "What it is; seen from the content otherwise.", choices=tuple(Format)),
    switch("revive", "Bring back what was purged here."),
    opening=Opening.CREATE,
)
def import_(
    invocation: Invocation, *, source: str, path: str | None, format: str | None, revive: bool
) -> CommandOutput:
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
    with invocation.progress("importing") as step:
        done = invocation.kit.import_(place, format=format, revive=revive, progress=step)
    is_compared = isinstance(done, TranscriptsTakenIn) or not done.added
    notes = () if is_compared else (_COMPARE,)
    return CommandOutput(output.document(done), output.taken_in_lines(done), notes)


@command(
    switch("repair", "Rebuild what is derived, remove what leads to nothing."),
    opening=Opening.CHANGE,
)
def check(invocation: Invocation, *, repair: bool) -> CommandOutput:
    """Check pages, references, derived rows and hashes; exit code 1 if something is wrong.

    Repair never touches a statement.
    """
    with invocation.progress("vectors") as step:
        report = invocation.kit.check(repair=repair, progress=step)
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
    return CommandOutput(document, lines or ["sound"], exit_code=code)


@command(opening=Opening.NOT)
def doctor_(invocation: Invocation) -> CommandOutput:
    """Look at everything memkit stands on; exit code 1 if something does not work."""
    checks = findings(invocation)
    lines = [
        f"{'ok' if f.ok else invocation.style('problem', fg='red')}\t{f.name}: {f.detail}"
        + (f"; next: {f.next_step}" if f.next_step else "")
        for f in checks
    ]
    code = DONE if all(f.ok for f in checks) else FAILED
    return CommandOutput([attrs.asdict(f) for f in checks], lines, exit_code=code)


def _saved(path: Path, place: PathOrStream, *, local: bool) -> tuple[int, dict[str, int]]:
    """Write the rows that can be read of a damaged file; return how many, and what was lost."""
    wreck = Recovery(path)
    try:
        return export_rows(wreck, place, local=local), wreck.lost
    finally:
        wreck.close()


def _recovery_note(lost: dict[str, int]) -> str:
    """Return what became of the rows of a damaged file, and the next step."""
    rows = ", ".join(f"{count or 'an unknown number'} of {name}" for name, count in lost.items())
    said = f"rows that could not be read: {rows}" if rows else "every row could be read"
    return f"{said}; 'memkit --db NEW import FILE' makes a new store of what was saved"


@command(opening=Opening.CHANGE)
def scrub(invocation: Invocation) -> CommandOutput:
    """Find secrets in what is stored already and remove them for good."""
    done = invocation.kit.scrub()
    kinds = ", ".join(f"{count} {name}" for name, count in sorted(done.kinds.items()))
    row_count = f"{output.number(done.rows, 'row')} changed"
    lines = [row_count + (f": {kinds}" if kinds else "")]
    return CommandOutput(output.document(done), lines)


@command(
    option("days", "What was done longer ago goes.", type=count, default=DAYS),
    opening=Opening.CHANGE,
)
def trim(invocation: Invocation, *, days: int) -> CommandOutput:
    """Remove calls, files, questions and changes that are old or too many, as noted here.

    Memories, sessions and tasks stay, with the files and tools that were counted.
    """
    done = invocation.kit.trim(days=days)
    removed = ((output.number(rows, "row"), table) for table, rows in done.rows.items() if rows)
    lines = [f"{rows} of {table}" for rows, table in removed]
    return CommandOutput(output.document(done), lines or ["nothing is old or too many"])
