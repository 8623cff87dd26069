"""Git's log as records: commits with the files they changed, newest first.

One `git log`, fields between NUL, read as it comes. Nothing that a repository's own configuration
names is run (pager, external diff, signature check, file monitor, transports), no variable of a
hook that calls us leads git elsewhere, and a run has an end.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path

import attrs

from ..kinds import CommitOperation
from ..places import one_spelling

# A log of 100,000 commits takes git about a minute; what takes longer is not worth the wait.
MOST_SECONDS = 300.0
# Longer than any message or path that means something; keeps a crafted commit from filling memory.
_LONGEST_FIELD = 1 << 24
_CHUNK = 1 << 20

# Each of these names a program, a server or an order of output in the repository's configuration.
_OVERRULED = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.pager=cat",
    "diff.external=",
    "diff.orderFile=/dev/null",
    "diff.relative=false",
    "log.showSignature=false",
    "log.follow=false",
    "protocol.allow=never",
)
_KEPT_VARIABLES = frozenset(
    "GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM GIT_CEILING_DIRECTORIES "
    "GIT_EXEC_PATH".split()
)
_OWN_VARIABLES = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}
# hash, parents, second of the commit, author (as .mailmap has it), message
_FORMAT = "--format=%x00%H%x00%P%x00%ct%x00%aN%x00%B"
_FIELDS = 5
_LOG = (
    "log", "-z", "--raw", "--abbrev=4", "--relative", "--no-ext-diff", "--no-textconv",
    "--no-show-signature", "--no-color", "--encoding=UTF-8", _FORMAT,
)  # fmt: skip
_OPERATIONS = {
    b"A": CommitOperation.WRITE,
    b"C": CommitOperation.WRITE,
    b"D": CommitOperation.DELETE,
    b"R": CommitOperation.RENAME,
}
_SUBMODULE = b"160000"


class GitRefused(Exception):
    """Git is not there, or did not do what it was asked; the text says why."""


@attrs.frozen
class Change:
    """What a commit did with a file; `previous` is the path before a rename."""

    path: str
    operation: CommitOperation = CommitOperation.EDIT
    previous: str | None = None


@attrs.frozen
class Commit:
    """One commit: `seconds` since 1970 when it was committed, `author` a name without address."""

    hash: str
    parents: tuple[str, ...]
    seconds: int
    author: str
    message: str
    changes: tuple[Change, ...]


class GitLog:
    """Reads the log of the repository in which the folder `root` lies; paths count from `root`."""

    def __init__(self, root: Path) -> None:
        found = shutil.which("git")
        if found is None:
            raise GitRefused("git is not installed")
        self._command = [str(Path(found).absolute()), "--no-pager", "-C", str(root.resolve())]
        for setting in _OVERRULED:
            self._command += ["-c", setting]

    def head(self) -> str | None:
        """Return the hash of the commit that is checked out; None before the first commit.

        Raises GitRefused where there is no repository, or one that git does not trust.
        """
        self._ask("rev-parse", "--git-dir")
        try:
            return self._ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        except GitRefused:
            return None

    def is_shallow(self) -> bool:
        """Whether the clone was cut off, so that its log has no beginning."""
        return self._ask("rev-parse", "--is-shallow-repository") == "true"

    def common(self, one: str, other: str) -> str | None:
        """Return the newest commit that both grew out of; None if there is none any more."""
        try:
            return self._ask("merge-base", one, other) or None
        except GitRefused:
            return None

    def hashes(self, head: str, limit: int) -> list[str]:
        """Return the hashes of the newest commits that lead to `head`, newest first."""
        return self._ask("rev-list", f"--max-count={limit}", head).split()

    def commits(
        self, head: str, *, after: str | None = None, limit: int, renames: bool = True
    ) -> Iterator[Commit]:
        """Yield the newest commits that lead to `head` and not to `after`, newest first."""
        wanted = [head] if after is None else [head, f"^{after}"]
        found = "--find-renames" if renames else "--no-renames"
        with self._running(*_LOG, found, f"--max-count={limit}", *wanted, "--") as process:
            yield from _parsed(_fields(process))

    # -- inside

    def _ask(self, *arguments: str) -> str:
        with self._running(*arguments) as process:
            assert process.stdout is not None
            answer = process.stdout.read()
        return os.fsdecode(answer).strip()

    @contextmanager
    def _running(self, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
        """Run git for as long as the block lasts; raises GitRefused with its own words."""
        try:
            process = subprocess.Popen(
                [*self._command, *arguments],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=_environment(),
            )
        except OSError as error:
            raise GitRefused(f"git does not start: {error.strerror}") from error
        words: list[bytes] = []
        listener = threading.Thread(target=_listen, args=(process, words), daemon=True)
        end = threading.Timer(MOST_SECONDS, process.kill)
        listener.start()
        end.start()
        try:
            yield process
            code = process.wait()
        finally:
            end.cancel()
            process.kill()
            process.wait()
            listener.join()
            for pipe in (process.stdout, process.stderr):
                if pipe is not None:
                    pipe.close()
        if code:
            said = os.fsdecode(b"".join(words)).strip().splitlines()
            raise GitRefused(said[0][:200] if said else f"git {arguments[0]} ended with {code}")


def _listen(process: subprocess.Popen[bytes], words: list[bytes]) -> None:
    """Keep the first words of standard error, and let the rest run out so that git never waits."""
    assert process.stderr is not None
    words.append(process.stderr.read(4096))
    while process.stderr.read(_CHUNK):
        pass


def _environment() -> dict[str, str]:
    kept = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return kept | _OWN_VARIABLES


def _fields(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """Yield what stands between NULs in the output."""
    assert process.stdout is not None
    rest = b""
    while chunk := process.stdout.read(_CHUNK):
        *whole, rest = (rest + chunk).split(b"\0")
        yield from whole
        if len(rest) > _LONGEST_FIELD:
            raise GitRefused(f"a commit has a field of more than {_LONGEST_FIELD:,} bytes")
    yield rest


def _parsed(fields: Iterator[bytes]) -> Iterator[Commit]:
    """Yield commits: an empty field, five of the format, and for each file its modes and paths."""
    head: list[bytes] = []
    changes: list[Change] = []
    for field in fields:
        if not field:
            if head:
                yield _commit(head, changes)
            head, changes = list(islice(fields, _FIELDS)), []
            if len(head) < _FIELDS:
                return
        elif (modes := field.lstrip(b"\n")).startswith(b":"):
            change = _change(modes, fields)
            if change is not None:
                changes.append(change)
    if head:
        yield _commit(head, changes)


def _change(modes: bytes, fields: Iterator[bytes]) -> Change | None:
    """Return the change whose modes (`:100644 100644 1f2e 0c1d M`) are read; None: a submodule."""
    before, after, _, _, letter = modes[1:].split()
    operation = _OPERATIONS.get(letter[:1], CommitOperation.EDIT)
    path = _path(next(fields))
    previous = None
    if letter[:1] in (b"R", b"C"):
        previous, path = path, _path(next(fields))
    if _SUBMODULE in (before, after):
        return None
    return Change(path, operation, previous if operation is CommitOperation.RENAME else None)


def _path(name: bytes) -> str:
    """Return a path as text; bytes that are not UTF-8 are spelt as in a web address (%E9)."""
    try:
        return one_spelling(name.decode("utf-8"))
    except UnicodeDecodeError:
        text = name.decode("utf-8", "surrogateescape")
        return "".join(f"%{ord(c) - 0xDC00:02X}" if "\udc80" <= c <= "\udcff" else c for c in text)


def _commit(head: list[bytes], changes: list[Change]) -> Commit:
    name, parents, seconds, author, message = head
    return Commit(
        hash=name.decode("ascii"),
        parents=tuple(parents.decode("ascii").split()),
        seconds=int(seconds or 0),
        author=author.decode("utf-8", "replace").strip(),
        message=message.decode("utf-8", "replace"),
        changes=tuple(changes),
    )
