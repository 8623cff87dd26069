"""Stored observations a prediction is made from."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from ...store import timestamps
from ..results import FileOwner
from .co_change import ChangeHistory, Names, faded, folder_of, name_words
from .navigation import Access, Mention, Trail

if TYPE_CHECKING:
    from ...store.store import Store

# The newest changes give what is changed often and of late; a file's own history reaches further
# back.
_LATEST_COMMITS = 600
_LATEST_TASKS = 200
_OLDER = 200
# Renames that are followed, and how many of one file.
_RENAMES = 5_000
_MAX_NAMES = 10
# Files of one folder, or with one word, that are thought of.
_MAX_ALIKE = 200
_MAX_BELOW = 5_000
_LONGEST_TRAIL = 200


class Evidence:
    """Reads what predictions are made from; keeps it until something new is recorded."""

    def __init__(self, store: Store, *, project: str = "") -> None:
        self._store = store
        self.project = project
        self._stamp: object = None
        self._history = ChangeHistory()
        self._oldest = 0
        self._renamed: dict[str, str] = {}
        self._complete: set[str] = set()

    def history(self, path: str) -> ChangeHistory:
        """Return what was changed together of late, and all that was changed with `path`."""
        stamp = self._store.first("episodes_predictions.stamp", project=self.project)
        if stamp != self._stamp:
            self._stamp = stamp
            self._load()
        if path not in self._complete:
            self._complete.add(path)
            self._add_older(path)
        return self._history

    def commits(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the newest commits, oldest first: id, time, files as they are called now."""
        project = self.project
        renamed = self._store.all("episodes_predictions.renames", project=project, limit=_RENAMES)
        self._renamed = dict(renamed)
        return self._commits("episodes_predictions.latest_changes", limit=_LATEST_COMMITS)

    def names(self, path: str) -> Names:
        """Return the known paths in the folder of a file, and those whose names share a word."""
        folder = folder_of(path)
        first = f"{folder}/" if folder else ""
        last = f"{folder}0" if folder else "\U0010ffff"  # "0" follows "/"
        rows = self._between(first, last, 5 * _MAX_ALIKE)
        paths = [name for (name,) in rows if folder_of(name) == folder and "." in name]
        for word in sorted(name_words(path), key=len, reverse=True)[:3]:
            if len(word) > 3:
                like = self._store.all(
                    "episodes_predictions.paths_like",
                    project=self.project,
                    pattern=f"%{word}%",
                    limit=_MAX_ALIKE,
                )
                paths += [name for (name,) in like if "/" in name or "." in name]
        return Names(dict.fromkeys(paths))

    def trail(self, session: str) -> tuple[Trail, list[int]]:
        """Return where a session has gone so far, and the numbers of its rows."""
        rows = self._store.all("episodes_predictions.trail", session=session, limit=_LONGEST_TRAIL)
        state = self._store.first("episodes_predictions.state", session=session)
        request, call = state or (None, None)
        mentions = self._store.all("episodes_predictions.mentions", session=session)
        named = {path: Mention(*mention) for path, *mention in mentions}
        trail = Trail(
            tuple(Access(path, part is not None) for _, path, _, part in rows),
            named,
            max((mention.call for mention in named.values()), default=0),
            request=request or "",
            # The files of a call are noted after it.
            searched=bool(rows) and (call or 0) > rows[-1][0],
        )
        return trail, [number for number, *_ in rows]

    def owners(self, paths: Sequence[str], now: float) -> list[FileOwner]:
        """Return who changed these files, with their shares (half of it half a year ago), the
        greatest first."""
        paths_json = json.dumps(list(paths))
        rows = self._store.all(
            "episodes_predictions.owners", project=self.project, paths=paths_json
        )
        weights: defaultdict[str, float] = defaultdict(float)
        for name, at in rows:
            weights[name] += faded(at, now)
        total = sum(weights.values()) or 1.0
        owners = [FileOwner(name, weight / total) for name, weight in weights.items()]
        return sorted(owners, key=lambda owner: (-owner.share, owner.name))

    def files_below(self, folder: str) -> list[str]:
        """Return the known paths below a folder."""
        return [name for (name,) in self._between(f"{folder}/", f"{folder}0", _MAX_BELOW)]

    # -- inside

    def _between(self, first: str, last: str, limit: int) -> list[tuple[Any, ...]]:
        span = {"first": first, "last": last, "limit": limit}
        return self._store.all("episodes_predictions.paths_between", project=self.project, **span)

    def _load(self) -> None:
        self._history = ChangeHistory()
        self._complete = set()
        changes = list(self.commits())
        self._oldest = min((number for number, _, _ in changes), default=0)
        rows = self._store.all(
            "episodes_predictions.latest_tasks", project=self.project, limit=_LATEST_TASKS
        )
        for _, group in groupby(rows, key=itemgetter(0, 1)):
            task = list(group)
            changes.append((0, task[0][1], [path for _, _, path in task]))
        for _, at, files in sorted(changes, key=itemgetter(1)):
            self._history.add(files, timestamps.to_epoch(at))

    def _add_older(self, path: str) -> None:
        former = [old for old in self._renamed if self._now_called(old) == path]
        older = self._commits(
            "episodes_predictions.changes_of",
            paths=json.dumps([path, *former[:_MAX_NAMES]]),
            before=self._oldest,
            limit=_OLDER,
        )
        for _, at, files in older:
            self._history.add_older(path, files, timestamps.to_epoch(at))

    def _commits(self, query: str, **params: Any) -> Iterator[tuple[int, str, list[str]]]:
        """Yield commits as (id, time, files as they are called now)."""
        rows = self._store.all(query, project=self.project, **params)
        for (number, at), group in groupby(rows, key=itemgetter(0, 1)):
            yield number, at, [self._now_called(path) for _, _, path in group]

    def _now_called(self, path: str) -> str:
        for _ in range(_MAX_NAMES):
            newer = self._renamed.get(path)
            if newer is None or newer == path:
                return path
            path = newer
        return path
