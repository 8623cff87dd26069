"""What memkit stands on, looked at one by one: each is fine, or has a next step."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterator
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from .. import opened as kits
from .. import tokens
from ..encoder import contextual, load_encoder
from ..encoder.loading import VARIABLE
from ..errors import MemkitError
from ..safety import PrivateFiles
from ..store import opening
from ..store.places import is_switched_off
from . import output

if TYPE_CHECKING:
    from .call import Call

# Room that a rewrite of a large store may need, in bytes.
_ROOM = 200 * 1024 * 1024
# File systems whose locks cannot be relied on.
_REMOTE = frozenset({"nfs", "nfs4", "cifs", "smb3", "smbfs", "9p", "fuse.sshfs", "afs", "davfs"})
# What the models know.
_LANGUAGES = (
    "static: English and code (of other scripts names, numbers and loan words); minilm: English"
)
_MOUNTS = Path("/proc/self/mounts")


@attrs.frozen
class Finding:
    """One thing that was looked at."""

    name: str
    ok: bool
    detail: str
    next_step: str = ""


def _fine(name: str, detail: str, next_step: str = "") -> Finding:
    return Finding(name, ok=True, detail=detail, next_step=next_step)


def _problem(name: str, detail: str, next_step: str) -> Finding:
    return Finding(name, ok=False, detail=detail, next_step=next_step)


def findings(call: Call) -> list[Finding]:
    """Return what was found, in the order in which things depend on each other."""
    looks: tuple[Callable[[Path], Iterator[Finding]], ...] = (
        _sqlite, _vectors, _encoder, _counter, _file, _place, _git, _environment,
    )  # fmt: skip
    return [finding for look in looks for finding in look(call.path)]


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
    connection = opening.connect_memory()
    try:
        note = opening.load_vector_functions(connection)
    finally:
        connection.close()
    if note is None:
        yield _fine("sqlite-vec", f"{metadata.version('sqlite-vec')}, extension loads")
    else:
        yield _problem("sqlite-vec", note, "pip install --force-reinstall sqlite-vec")


def _encoder(_: Path) -> Iterator[Finding]:
    try:
        encoder = load_encoder()
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
        told = tokens.count("one two three")
    except (MemkitError, ImportError, OSError) as error:
        yield _problem("tokens", str(error), "pip install --force-reinstall tiktoken")
        return
    yield Finding("tokens", told > 0, f"{tokens.Counter().name}, offline")


def _file(path: Path) -> Iterator[Finding]:
    if not path.exists():
        yield _fine("file", f"{path} is not there yet", "memkit init")
        return
    try:
        with kits.open(path, readonly=True, global_store=False) as kit:
            found = kit.stats()
    except MemkitError as error:
        yield _problem("file", str(error), "see the message; nothing was changed")
        return
    size = f"{path.stat().st_size / 1024:.0f} KiB"
    active = found.memories.active
    detail = f"{path}, schema {found.schema}, {_memories(active)}, {size}"
    yield _fine("file", detail)
    waiting = found.vectors.waiting
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
    if _is_read_only(folder):
        return f"the file system is mounted read-only: copy {path} elsewhere and give --db"
    return shlex.join(["chmod", "u+w", str(folder), *([str(path)] if path.exists() else ())])


def _is_read_only(folder: Path) -> bool:
    if not hasattr(os, "statvfs"):
        return False
    return bool(os.statvfs(folder).f_flag & os.ST_RDONLY)


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
    found = {name: os.environ[name] for name in sorted(os.environ) if name.startswith("MEMKIT_")}
    switched_off = is_switched_off()
    detail = " ".join(f"{name}={value}" for name, value in found.items()) or "no MEMKIT_ variable"
    step = "unset MEMKIT_DISABLED" if switched_off else ""
    yield Finding("environment", not switched_off, detail, step)


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
