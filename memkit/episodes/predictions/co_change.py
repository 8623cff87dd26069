"""Files that change together (tasks, commits, links, names)."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from posixpath import commonprefix
from typing import TYPE_CHECKING, Any, ClassVar

import attrs

from ...frozen import frozen
from ...store import timestamps
from ...text.analyzer import parts
from ..results import CoEdit

if TYPE_CHECKING:
    from ...store.store import Store


# --- Which files go with a file: changed together, linked, near, alike. Pure functions of what
# was changed together before, of the links of the code and of the names there are.
#
# Each reason is a number from 0 to 1; what it counts stands in online_ranker.py.

Reasons = dict[str, float]
Links = Callable[[str], Mapping[str, float]]

# A pair that was changed together half a year ago counts half: the code has moved on by then.
HALF_LIFE_DAYS = 180.0
# A change of more files does not tell which of them belong together; below, each pair counts the
# less the more there are, by the root of the number: by the number itself, what is changed in large
# commits would count for nothing.
MAX_TOGETHER = 30
# Links are followed to the neighbours' neighbours; of a hub only the strongest.
_MAX_LINKS = 60
# Files of one folder, or of one word in their names, that are thought of.
_MAX_LIKE = 200
_TEST_WORDS = frozenset(
    "test tests testing spec specs conftest mock mocks fixture fixtures".split()
)


class ChangeHistory:
    """Sets of files that were changed together, oldest first: commits, and tasks of an agent."""

    def __init__(self) -> None:
        self.count = 0
        self.changes: Counter[str] = Counter()
        self.together: defaultdict[str, dict[str, float]] = defaultdict(dict)
        self.last: dict[str, int] = {}
        self._start: float | None = None
        self._newest = 1.0

    def add(self, files: Collection[str], seconds: float) -> None:
        """Note that files were changed together at a time (seconds since 1970), the latest yet."""
        names = tuple(dict.fromkeys(files))
        if not 0 < len(names) <= MAX_TOGETHER:
            return
        self._start = seconds if self._start is None else self._start
        # Weights grow with time instead of falling: their ratios are the same, and none is touched
        # again.
        newer = math.exp2(min((seconds - self._start) / 86400 / HALF_LIFE_DAYS, 60))
        for name in names:
            self.changes[name] += 1
            self.last[name] = self.count
        for name in names:
            own = self.together[name]
            for other in names:
                if other != name:
                    own[other] = own.get(other, 0.0) + newer / math.sqrt(len(names) - 1)
        self.count += 1
        self._newest = newer

    def add_older(self, path: str, files: Collection[str], seconds: float) -> None:
        """Note one change of a file that lies before all that were added: what it was changed with,
        nothing else."""
        others = [name for name in dict.fromkeys(files) if name != path]
        if self._start is None or not 0 < len(others) < MAX_TOGETHER:
            return
        self.changes[path] += 1
        own = self.together[path]
        for other in others:
            newer = math.exp2((seconds - self._start) / 86400 / HALF_LIFE_DAYS)
            own[other] = own.get(other, 0.0) + newer / math.sqrt(len(others))

    def pairs(self, path: str) -> dict[str, float]:
        """Return how strongly other files were changed with this one, as of the newest change."""
        return {
            other: weight / self._newest for other, weight in self.together.get(path, {}).items()
        }


class Names:
    """Paths by folder and by the words of their names, so that likeness is found without a scan."""

    def __init__(self, paths: Iterable[str]) -> None:
        self.folders: defaultdict[str, list[str]] = defaultdict(list)
        self.words: defaultdict[str, list[str]] = defaultdict(list)
        for path in paths:
            self.folders[folder_of(path)].append(path)
            for word in name_words(path):
                self.words[word].append(path)

    def like(self, path: str) -> list[str]:
        """Return files of the same folder and files whose names share a rare word, at most
        _MAX_LIKE of each."""
        paths = self.folders.get(folder_of(path), [])[:_MAX_LIKE]
        for word in name_words(path):
            if len(sharing := self.words.get(word, [])) <= _MAX_LIKE:
                paths = paths + sharing
        return [other for other in dict.fromkeys(paths) if other != path]


def companions(path: str, history: ChangeHistory, names: Names, links: Links) -> dict[str, Reasons]:
    """Return for each file that may go with `path` the reasons why, by name."""
    linked = _strongest(links(path))
    pairs = history.pairs(path)
    candidates: dict[str, Reasons] = {other: {} for other in names.like(path)}
    for other in (*history.changes, *linked, *pairs):
        candidates.setdefault(other, {})
    candidates.pop(path, None)
    _add_linked(candidates, path, linked, links)
    for other, weight in _strongest(pairs).items():
        candidates[other]["together"] = weight / (history.changes[path] + 2)
    for other, reasons in candidates.items():
        reasons |= alike(path, other)
        if (last := history.last.get(other)) is not None:
            reasons |= {"recent": 1 / (1 + (history.count - last) / 5), "changed before": 1.0}
    return candidates


def alike(path: str, other: str) -> Reasons:
    """Return what the two names say: nearness of folders, shared words, kind of file, test."""
    mine, its = name_words(path), name_words(other)
    reasons = {
        "near": nearness(path, other),
        "alike": len(mine & its) / (len(mine | its) or 1),
        "same kind": float(ending_of(path) == ending_of(other)),
    }
    if mine != its and mine - _TEST_WORDS == its - _TEST_WORDS:
        reasons["test"] = 1.0
    return reasons


def nearness(path: str, other: str) -> float:
    """Return 1 for files of one folder, less with each step between their folders."""
    return 1 / (1 + _distance(folder_of(path), folder_of(other)))


def ending_of(path: str) -> str:
    """Return what follows the last dot of a file's name, or its whole name: Makefile."""
    return path.rpartition("/")[2].rpartition(".")[2]


def is_test(path: str) -> bool:
    """Whether a file's name says that it is a test, or serves tests."""
    return not name_words(path).isdisjoint(_TEST_WORDS)


@lru_cache(maxsize=20_000)
def name_words(path: str) -> frozenset[str]:
    """Return the words of a file's name without its ending."""
    name = path.rpartition("/")[2]
    stem, _, rest = name.partition(".")
    named = (stem or name, *rest.split(".")[:-1])
    return frozenset(word.lower() for part in named for word in parts(part))


def folder_of(path: str) -> str:
    """Return the folder of a path, "" at the root."""
    return path.rpartition("/")[0]


# -- inside


def _strongest(links: Mapping[str, float]) -> dict[str, float]:
    best = sorted(links.items(), key=lambda link: (-link[1], link[0]))[:_MAX_LINKS]
    return dict(best)


def _add_linked(
    candidates: dict[str, Reasons], path: str, linked: Mapping[str, float], links: Links
) -> None:
    """Add `linked` (there is a link), `bound` (its share of all links), `linked beyond` (over one
    file between)."""
    total = sum(linked.values()) + 3
    beyond: dict[str, float] = {}
    for other, weight in linked.items():
        if other != path:
            reasons = candidates.setdefault(other, {})
            reasons["linked"] = 1.0
            reasons["bound"] = math.sqrt(weight / total)
        further = _strongest(links(other))
        whole = sum(further.values()) + 3
        for third, onward in further.items():
            if third != path:
                beyond[third] = beyond.get(third, 0.0) + math.sqrt(weight / total * onward / whole)
    highest = max(beyond.values(), default=1.0)
    for third, strength in beyond.items():
        candidates.setdefault(third, {})["linked beyond"] = strength / highest


def _distance(folder: str, other: str) -> int:
    """Return how many steps lie between two folders."""
    mine, its = folder.split("/"), other.split("/")
    return len(mine) + len(its) - 2 * len(commonprefix((mine, its)))


# --- Which files are changed together: by an agent in one task, and by the commits of git's log.


# A time, and what orders all that happened at it.
Moment = tuple[str, int]


@frozen
class NameSpan:
    """A name of a file from one moment on and before another; `is_gone`: nothing has it since."""

    BEGIN: ClassVar[Moment] = ("", 0)
    END: ClassVar[Moment] = ("~", 0)

    name: str
    first: Moment
    end: Moment
    is_gone: bool = attrs.field(default=False, kw_only=True)

    def holds(self, moment: Moment, path: str) -> bool:
        """Whether it is this file that was at a path after what happened at a moment."""
        if path == self.name:
            return self.first <= moment < self.end
        return self.is_gone and moment >= self.end


def edited_together(
    store: Store, names: Sequence[NameSpan] | None, *, min_count: int, limit: int, **filters: Any
) -> list[CoEdit]:
    """Return pairs of files, the most frequent first; `names` are those of one file, the newest
    first, and None asks for all pairs. `filters`: project, since, within."""
    filters["path"] = names[0].name if names else None
    pairs = {
        (path, other): CoEdit(path, other, count, last_at)
        for path, other, count, last_at in store.all("episodes.edited_together", **filters)
    }
    for path, other, commits, last_at in _committed(store, names, filters):
        known = pairs.get((path, other), CoEdit(path, other, 0, last_at))
        newest = max(known.last_at, last_at)
        pairs[path, other] = CoEdit(path, other, known.count, newest, commits)
    frequent = [pair for pair in pairs.values() if pair.count + pair.commits >= min_count]
    frequent.sort(key=lambda pair: (pair.path, pair.other))
    frequent.sort(key=lambda pair: (pair.count + pair.commits, pair.last_at), reverse=True)
    return frequent[:limit]


# -- inside


def _committed(
    store: Store, names: Sequence[NameSpan] | None, filters: dict[str, Any]
) -> Iterator[tuple[str, str, int, str]]:
    of_git = {"project": filters["project"], "since": filters["since"], "max_files": MAX_TOGETHER}
    if names is None:
        yield from store.all("episodes.committed_together", **of_git)
        return
    spans = json.dumps([(span.name, *span.first, *span.end) for span in names])
    for row in store.all("episodes.committed_with", spans=spans, **of_git):
        yield (names[0].name, *row)


def gone_files(store: Store, paths: Iterable[str], *, project: str) -> set[str]:
    """Return which files are there no more, as far as git's log tells."""
    paths_json = json.dumps(list(paths))
    rows = store.all("episodes_predictions.gone", project=project, paths=paths_json)
    return {path for (path,) in rows}


def faded(at: str, now: float) -> float:
    """Return what something of a time counts now: half after half a year."""
    days = max(0.0, now - timestamps.to_epoch(at)) / 86400
    return float(0.5 ** (days / HALF_LIFE_DAYS))
