"""Git's log becomes episodes: commits with their files, fixes and reverts, authors, renames.

Nothing is kept that git has: the hash leads back to it, there is no diff, no text of a message
beyond its first line, and no address. The log is read on from where it was read to; if that commit
is in the history no more (rebase, amend, another branch), what vanished is dropped and the rest is
read, never doubled.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import attrs

from ... import arguments
from ...arguments import Progress
from ...safety import clean_text, redact
from ...store import times
from ..kinds import CommitKind, CommitOperation
from .gitlog import Commit, GitLog, GitRefused
from .messages import kind_of, reverted

if TYPE_CHECKING:
    from ...store.connection import Store


# Read at most so many: with half a year's half-life, what is older tells next to nothing.
MOST_COMMITS = 20_000
# A commit of more files is an import, a format run or a move of everything: which of its files
# belong together it does not tell. Of such a commit the renames alone are kept.
MOST_FILES = 100
_LONGEST_SUBJECT = 200
_LONGEST_LINE = 2000
_BATCH = 1000
_LAST_SECOND = 2**32 - 1  # ids have 52 bits

_ADDRESS = re.compile(r"\s*<?[^\s<>@]*@[^\s<>]*>?")


@attrs.frozen
class Mined:
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
        self, root: Path, *, limit: int = MOST_COMMITS, progress: Progress | None = None
    ) -> Mined:
        """Read what is new in the log of the repository around `root`; say what there is now.

        `limit` is the greatest number of commits read. A folder without git, or without commits, is
        no error: the notes say so.
        """
        limit = arguments.integer(limit, name="limit")
        try:
            log = GitLog(root)
            head = log.head()
            if head is None:
                return self._result(None, 0, 0, ["git has no commit yet"])
            return self._read(log, head, limit, progress)
        except GitRefused as reason:
            return self._result(None, 0, 0, [f"git's history was not read: {reason}"])

    # -- inside

    def _read(self, log: GitLog, head: str, limit: int, progress: Progress | None) -> Mined:
        known = self._store.one("episodes_mining.mined", project=self._project)
        last, was_shallow = known or (None, 0)
        shallow = log.is_shallow()
        notes = ["the clone is shallow: what is older is not there"] if shallow else []
        if last == head and was_shallow == shallow:
            return self._result(head, 0, 0, notes)
        after = None if last is None or was_shallow else log.common(last, head)
        dropped = 0 if last is None or after == last else self._drop(log.hashes(head, limit))
        found, cut = self._written(log, head, after, limit, progress, whole=not shallow)
        if cut:
            notes.append(
                "files that have to be fetched first were not compared: no renames are known"
            )
        done = {"project": self._project, "head": head, "shallow": int(shallow)}
        self._store.write(
            lambda: self._store.run("episodes_mining.set_mined", at=self._store.now(), **done)
        )
        if found == limit:
            notes.append(f"the newest {limit:,} commits were read; a greater limit reads more")
        return self._result(head, found, dropped, notes)

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
        """Return an id for each hash; two of one second that begin alike get neighbouring ones."""
        wanted = json.dumps([row.first_id for row in rows])
        taken = {number for (number,) in self._store.all("episodes_mining.taken_ids", ids=wanted)}
        ids: dict[str, int] = {}
        for row in rows:
            number = row.first_id
            while number in taken:
                number += 1
                if self._store.all("episodes_mining.taken_ids", ids=json.dumps([number])):
                    taken.add(number)
            taken.add(number)
            ids[row.hash] = number
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

    def _result(self, head: str | None, found: int, dropped: int, notes: list[str]) -> Mined:
        counts: dict[str, int] = dict(
            self._store.all("episodes_mining.totals", project=self._project)
        )
        return Mined(
            commits=found,
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
        changes = [(clean_text(c.path), c.operation, c.previous) for c in commit.changes]
        if len(changes) > MOST_FILES:
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

    @property
    def first_id(self) -> int:
        return self.seconds << 20 | int(self.hash[:5], 16)

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
            "at": times.from_epoch(self.seconds),
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
