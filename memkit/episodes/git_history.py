"""Git log reader, commit classification, storing commits."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import IO, TYPE_CHECKING

import attrs

from .. import validation
from ..redaction import clean_text, redact, redact_path
from ..store import timestamps
from ..text.analyzer import nfc
from ..validation import Progress
from .paths import is_store
from .records import MAX_COMMITS, CommitKind, CommitOperation

if TYPE_CHECKING:
    from ..store.store import Store


# --- Git's log as records: commits with the files they changed, newest first.
#
# One `git log`, fields between NUL. Nothing that a repository's own configuration names is run
# (pager, external diff, signature check, file monitor, transports), no variable of a hook that
# calls us leads git elsewhere, and a run has an end.

# A log of 100,000 commits takes git about a minute; what takes longer is not worth the wait.
MAX_SECONDS = 300.0
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
        executable = shutil.which("git")
        if executable is None:
            raise GitRefused("git is not installed")
        self._command = [str(Path(executable).absolute()), "--no-pager", "-C", str(root.resolve())]
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

    def common(self, commit: str, other: str) -> str | None:
        """Return the newest commit that both grew out of; None if there is none any more."""
        try:
            return self._ask("merge-base", commit, other) or None
        except GitRefused:
            return None

    def hashes(self, head: str, limit: int) -> list[str]:
        """Return the hashes of the newest commits that lead to `head`, newest first."""
        return self._ask("rev-list", f"--max-count={limit}", head).split()

    def commits(
        self, head: str, *, after: str | None = None, limit: int, renames: bool = True
    ) -> Iterator[Commit]:
        """Yield the newest commits that lead to `head` and not to `after`, newest first."""
        revisions = [head] if after is None else [head, f"^{after}"]
        rename_option = "--find-renames" if renames else "--no-renames"
        with self._output(*_LOG, rename_option, f"--max-count={limit}", *revisions, "--") as output:
            yield from _parsed(_fields(output))

    # -- inside

    def _ask(self, *arguments: str) -> str:
        with self._output(*arguments) as output:
            return os.fsdecode(output.read()).strip()

    @contextmanager
    def _output(self, *arguments: str) -> Iterator[IO[bytes]]:
        """Run git to its end and give what it wrote; raises GitRefused with its own words.

        What it writes goes into files without a name: no thread has to empty pipes or to watch
        the clock, and a long log does not fill memory.
        """
        with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
            try:
                code = subprocess.run(
                    [*self._command, *arguments],
                    stdin=subprocess.DEVNULL,
                    stdout=output,
                    stderr=errors,
                    env=_environment(),
                    timeout=MAX_SECONDS,
                ).returncode
            except subprocess.TimeoutExpired as error:
                raise GitRefused(f"git {arguments[0]} took over {MAX_SECONDS:g} s") from error
            except OSError as error:
                raise GitRefused(f"git does not start: {error.strerror}") from error
            if code:
                errors.seek(0)
                said = os.fsdecode(errors.read(4096)).strip().splitlines()
                raise GitRefused(said[0][:200] if said else f"git {arguments[0]} ended with {code}")
            output.seek(0)
            yield output


def _environment() -> dict[str, str]:
    variables = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith("GIT_") or name in _KEPT_VARIABLES
    }
    return variables | _OWN_VARIABLES


def _fields(output: IO[bytes]) -> Iterator[bytes]:
    """Yield what stands between NULs in the output."""
    rest = b""
    while chunk := output.read(_CHUNK):
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
        return nfc(name.decode("utf-8"))
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


# --- What a commit's message says of it: a fix, a revert and of what, or any change.

_CONVENTIONAL = re.compile(r"(\w+)(?:\([^)]*\))?!?:\s")
_FIXING = re.compile(r"\b(?:fix(?:e[sd]|ing)?|bug ?-?fix(?:e[sd])?|hot-?fix)\b", re.I)
_CLOSING = re.compile(
    r"^\W*(?:fix(?:e[sd])?|resolve[sd]?):?\s+(?:[\w./-]*#\d+|https?://\S+/\d+|[0-9a-f]{7,40}\b)",
    re.I | re.M,
)
_REVERTING = re.compile(r"revert(?:s|ed|ing)?\b", re.I)
_REVERTED = re.compile(r"(?:reverts? (?:commit )?|refs?:? )([0-9a-f]{7,64})\b", re.I)
# The other types of conventionalcommits.org: "docs: fix a typo" mends no fault.
_OTHER_TYPES = frozenset("build chore ci docs feat perf refactor style test tests".split())


def kind_of(message: str, parents: int = 1) -> CommitKind:
    """Return what a commit's message says of it: a revert, a fix, or any change.

    By the conventional type if it has one; else by the verb, or an issue or commit named as fixed.
    """
    if parents > 1:
        return CommitKind.MERGE
    subject = message.lstrip().partition("\n")[0]
    if _REVERTING.match(subject):
        return CommitKind.REVERT
    typed = _CONVENTIONAL.match(subject)
    if typed and typed[1].lower() in _OTHER_TYPES:
        return CommitKind.CHANGE
    fixes = _FIXING.search(subject) or _CLOSING.search(message)
    return CommitKind.FIX if fixes else CommitKind.CHANGE


def reverted(message: str) -> str | None:
    """Return the hash (or its beginning) of the commit that a revert takes back, if it says so."""
    match = _REVERTED.search(message)
    return match[1].lower() if match else None


# --- Git's log becomes episodes: commits with their files, fixes and reverts, authors, renames.
#
# Nothing is kept that git has: the hash leads back to it, there is no diff, no text of a message
# beyond its first line, and no address. The log is read on from where it was read to; if that
# commit is in the history no more (rebase, amend, another branch), what vanished is dropped and
# the rest is read, never doubled.

# A commit of more files is an import, a format run or a move of everything: which of its files
# belong together it does not tell. Of such a commit the renames alone are kept.
MAX_FILES = 100
_LONGEST_SUBJECT = 200
_LONGEST_LINE = 2000
_BATCH = 1000
_LAST_SECOND = 2**32 - 1  # ids have 52 bits

_ADDRESS = re.compile(r"\s*<?[^\s<>@]*@[^\s<>]*>?")


@attrs.frozen
class MineReport:
    """What a reading of the log brought.

    Attributes:
        commits: commits that are new. dropped: those that are in the history no more.
        total: commits known now. fixes, reverts: how many of them are such.
        head: hash of the newest one, or None.
        notes: what was not read, and why.
    """

    commits: int = 0
    dropped: int = 0
    total: int = 0
    fixes: int = 0
    reverts: int = 0
    head: str | None = None
    notes: tuple[str, ...] = ()


class Miner:
    """Reads the log of one repository into the store."""

    def __init__(self, store: Store, *, project: str = "") -> None:
        self._store = store
        self._project = project

    def mine(
        self, root: Path, *, limit: int = MAX_COMMITS, progress: Progress | None = None
    ) -> MineReport:
        """Read what is new in the log of the repository around `root`; say what there is now.

        `limit` is the greatest number of commits read. A folder without git, or without commits, is
        no error: the notes say so.
        """
        limit = validation.integer(limit, name="limit")
        try:
            log = GitLog(root)
            head = log.head()
            if head is None:
                return self._result(None, 0, 0, ["git has no commit yet"])
            return self._read(log, head, limit, progress)
        except GitRefused as reason:
            return self._result(None, 0, 0, [f"git's history was not read: {reason}"])

    # -- inside

    def _read(self, log: GitLog, head: str, limit: int, progress: Progress | None) -> MineReport:
        known = self._store.first("episodes_mining.mined", project=self._project)
        last, was_shallow = known or (None, 0)
        shallow = log.is_shallow()
        notes = ["the clone is shallow: what is older is not there"] if shallow else []
        if last == head and was_shallow == shallow:
            return self._result(head, 0, 0, notes)
        after = None if last is None or was_shallow else log.common(last, head)
        dropped = 0 if last is None or after == last else self._drop(log.hashes(head, limit))
        count, cut = self._written(log, head, after, limit, progress, whole=not shallow)
        if cut:
            notes.append(
                "files that have to be fetched first were not compared: no renames are known"
            )
        done = {"project": self._project, "head": head, "shallow": int(shallow)}
        self._store.write(
            lambda: self._store.run("episodes_mining.set_mined", at=self._store.now(), **done)
        )
        if count == limit:
            notes.append(f"the newest {limit:,} commits were read; a greater limit reads more")
        return self._result(head, count, dropped, notes)

    def _written(
        self,
        log: GitLog,
        head: str,
        after: str | None,
        limit: int,
        progress: Progress | None,
        *,
        whole: bool,
    ) -> tuple[int, bool]:
        """Write what is new; return how many commits, and whether renames had to be left out."""
        try:
            read = log.commits(head, after=after, limit=limit)
            return self._write_all(read, limit, progress, whole=whole), False
        except GitRefused:
            # A partial clone has not the contents that renames are found by.
            read = log.commits(head, after=after, limit=limit, renames=False)
            return self._write_all(read, limit, progress, whole=whole), True

    def _write_all(
        self, read: Iterator[Commit], limit: int, progress: Progress | None, *, whole: bool
    ) -> int:
        written = seen = 0
        while batch := list(islice(read, _BATCH)):
            rows = [_Row.of(commit, whole=whole) for commit in batch]
            written += self._store.write(partial(self._write, rows))
            seen += len(batch)
            if progress is not None:
                progress(seen, limit)
        return written

    def _write(self, rows: Sequence[_Row]) -> int:
        hashes = json.dumps([row.hash for row in rows])
        known = {name for (name,) in self._store.all("episodes_mining.known", hashes=hashes)}
        new = [row for row in rows if row.hash not in known]
        numbers = self._numbers(new)
        ids = self._ids(new)
        self._store.run_many(
            "episodes_mining.add_commit",
            (row.columns(ids[row.hash], numbers, self._project) for row in new),
        )
        self._store.run_many(
            "episodes_mining.add_file",
            (columns for row in new for columns in row.files(ids[row.hash], numbers)),
        )
        return len(new)

    def _numbers(self, rows: Sequence[_Row]) -> dict[str, int]:
        names = json.dumps(sorted({name for row in rows for name in row.names()}))
        here = {"project": self._project, "names": names}
        self._store.run("episodes_mining.add_names", **here)
        return dict(self._store.all("episodes_mining.numbers", **here))

    def _ids(self, rows: Sequence[_Row]) -> dict[str, int]:
        """Return an id for each hash. The log stands newest first, and commits of one second, of
        which a script makes many, keep its order."""
        seconds = json.dumps(sorted({row.seconds for row in rows}))
        last: dict[int, int] = dict(self._store.all("episodes_mining.last_ids", seconds=seconds))
        ids: dict[str, int] = {}
        for row in reversed(rows):
            last[row.seconds] = last.get(row.seconds, (row.seconds << 20) - 1) + 1
            ids[row.hash] = last[row.seconds]
        return ids

    def _drop(self, listed: Sequence[str]) -> int:
        """Forget commits that are not among those that lead to the head now."""
        stored: dict[str, int] = dict(
            self._store.all("episodes_mining.hashes", project=self._project)
        )
        reach = [stored[name] for name in listed if name in stored]
        # Older than all that was listed is not gone, only out of reach of the limit.
        oldest = min(reach, default=0)
        gone = [number for name, number in stored.items() if number >= oldest]
        ids = json.dumps(sorted(set(gone) - set(reach)))

        def work() -> int:
            self._store.run("episodes_mining.drop_files", ids=ids)
            return self._store.run("episodes_mining.drop_commits", ids=ids)

        return self._store.write(work)

    def _result(self, head: str | None, commits: int, dropped: int, notes: list[str]) -> MineReport:
        counts: dict[str, int] = dict(
            self._store.all("episodes_mining.totals", project=self._project)
        )
        return MineReport(
            commits=commits,
            dropped=dropped,
            total=sum(counts.values()),
            fixes=counts.get(CommitKind.FIX, 0),
            reverts=counts.get(CommitKind.REVERT, 0),
            head=head,
            notes=tuple(notes),
        )


@attrs.frozen
class _Row:
    """A commit as it is stored."""

    hash: str
    seconds: int
    author: str
    subject: str
    kind: CommitKind
    reverts: str | None
    changes: tuple[tuple[str, CommitOperation, str | None], ...]

    @classmethod
    def of(cls, commit: Commit, *, whole: bool) -> _Row:
        kind = kind_of(commit.message, len(commit.parents))
        subject = clean_text(commit.message.strip().partition("\n")[0].strip())
        changes = [
            (_stored(c.path), c.operation, None if c.previous is None else _stored(c.previous))
            for c in commit.changes
            if not is_store(c.path)
        ]
        if len(changes) > MAX_FILES:
            changes = [c for c in changes if c[1] is CommitOperation.RENAME]
        # Where a clone was cut off, the first commit seems to make every file there is.
        is_edge = not whole and not commit.parents
        return cls(
            hash=commit.hash,
            seconds=min(max(commit.seconds, 0), _LAST_SECOND),
            author=redact(clean_text(_ADDRESS.sub("", commit.author))).text.strip(),
            subject=redact(subject[:_LONGEST_LINE]).text[:_LONGEST_SUBJECT],
            kind=kind,
            reverts=reverted(commit.message) if kind is CommitKind.REVERT else None,
            changes=() if is_edge else tuple(changes),
        )

    def names(self) -> Iterator[str]:
        if self.author:
            yield self.author
        for path, _, previous in self.changes:
            yield path
            if previous is not None:
                yield previous

    def columns(self, number: int, numbers: dict[str, int], project: str) -> dict[str, object]:
        return {
            "id": number,
            "hash": self.hash,
            "project": project,
            "at": timestamps.from_epoch(self.seconds),
            "author": numbers.get(self.author),
            "subject": self.subject,
            "kind": self.kind,
            "reverts": self.reverts,
        }

    def files(self, number: int, numbers: dict[str, int]) -> Iterator[dict[str, object]]:
        for path, operation, previous in self.changes:
            yield {
                "commit": number,
                "name": numbers[path],
                "operation": operation,
                "previous": None if previous is None else numbers[previous],
            }


def _stored(path: str) -> str:
    """Return a path as it may be kept: git takes any bytes in a name, and a secret too."""
    return redact_path(clean_text(path))
