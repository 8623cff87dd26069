"""Next file in a session: access trail, paths in outputs."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache

import attrs

from ...text.analyzer import words_of
from .co_change import Links, Reasons, ending_of, is_test, nearness

# --- Which file comes next in a session: from what was asked, where it went so far and what its
# outputs named.
#
# Whether an agent explores (each file is a new one) or works to and fro between a few is told by
# the share of new files of late, and decides between files that were opened already and files
# that were only named. Pure functions; each reason is a number from 0 to 1.

# How much the last file weighs in the share of new ones: the last four or so decide.
_SHARE_OF_LAST = 0.25
# Files opened before the last few are not gone back to in a session that explores.
_FEW = 3
_MAX_OPENED_BEFORE = 12
# How much each file before the last weighs less in what kind of file is opened of late.
_FADING = 0.8
# Endings that imports leave out.
_GUESSED = frozenset({"js", "jsx", "py", "ts", "tsx"})
# Words of what was asked that are compared with the words of paths.
_MAX_WORDS = 500


@attrs.frozen
class Access:
    """One file that was read or changed; `is_part`: only some lines were read, more may follow."""

    path: str
    is_part: bool = False


@attrs.frozen
class Mention:
    """A path that an output named: number of that output in the session, how many paths it named
    before this one, how many outputs named it."""

    call: int
    place: int
    count: int = 1


@attrs.frozen
class Trail:
    """Where a session has gone.

    Attributes:
        accesses: files in order. mentions: paths that outputs named. calls: number of outputs.
        request: what is to be done, in words.
        searched: the last call opened no file: what its output names was looked for.
    """

    accesses: Sequence[Access]
    mentions: Mapping[str, Mention]
    calls: int = 0
    request: str = ""
    searched: bool = False

    def novelty(self) -> float:
        """Return the share of files, of late, that were opened for the first time."""
        share, opened = 0.5, set[str]()
        for access in self.accesses:
            is_new = access.path not in opened
            share += _SHARE_OF_LAST * (is_new - share)
            opened.add(access.path)
        return share


def next_files(trail: Trail, links: Links, others: Collection[str] = ()) -> dict[str, Reasons]:
    """Return for each file that may be the next the reasons why, by name; nothing at a start.

    `others` are files that nothing in the session named, but that may come next all the same.
    """
    if not trail.accesses:
        return {}
    current, novelty = trail.accesses[-1].path, trail.novelty()
    opened = list(dict.fromkeys(access.path for access in reversed(trail.accesses)))
    linked = _linked(opened, links)
    named = _without_guesses(trail.mentions, opened)
    candidates: dict[str, Reasons] = {path: {} for path in (*opened, *named, *linked, *others)}
    _add_opened(candidates, trail, opened)
    _add_named(candidates, trail, set(opened))
    for path, reasons in linked.items():
        candidates[path] |= reasons
    kinds = _kinds_of_late(trail.accesses)
    shares = _asked_for(candidates, trail.request)
    for path, reasons in candidates.items():
        reasons["asked for"] = shares.get(path, 0.0)
        reasons["kind of late"] = kinds.get(ending_of(path), 0.0)
        if path != current:
            reasons["near while exploring"] = nearness(current, path) * novelty
    return candidates


# -- inside


def _without_guesses(named: Collection[str], opened: Collection[str]) -> list[str]:
    """Return the named paths without "a/b.ts" where "a/b/…" is known: an import of "a/b" was taken
    for a file before its folder was seen."""
    folders = {path.rpartition("/")[0] for path in (*named, *opened)}
    return [
        path
        for path in named
        if ending_of(path) not in _GUESSED or path.rpartition(".")[0] not in folders
    ]


def _add_named(candidates: dict[str, Reasons], trail: Trail, opened: set[str]) -> None:
    """Add what speaks for files that were not opened yet."""
    novelty, current = trail.novelty(), trail.accesses[-1].path
    firsts, following = _listed(trail, opened)
    for path, reasons in candidates.items():
        if path in opened:
            continue
        reasons |= {"new": 1.0, "new while exploring": novelty}
        if is_test(path) and not is_test(current):
            reasons["a test"] = 1.0
        reasons["first of those named"] = firsts.get(path, 0.0)
        reasons["next of a list"] = following.get(path, 0.0) * novelty
        mention = trail.mentions.get(path)
        age = trail.calls - mention.call if mention else trail.calls
        reasons["named last"] = float(mention is not None and age <= 1)
        if trail.searched and mention is not None and age == 0:
            reasons["found"] = 1.0


def _add_opened(candidates: dict[str, Reasons], trail: Trail, opened: Sequence[str]) -> None:
    """Add what speaks for files that were opened already, the current one too."""
    novelty = trail.novelty()
    is_part = float(trail.accesses[-1].is_part)
    candidates[opened[0]] |= {"same again": 1.0, "read in part": is_part}
    for rank, path in enumerate(opened[1:], 1):
        long_ago = novelty * (rank > _FEW)
        candidates[path] |= {"opened lately": 1 / rank, "opened long ago": long_ago}


def _listed(trail: Trail, opened: set[str]) -> tuple[dict[str, float], dict[str, float]]:
    """Return 1, 1/2, 1/3 … for the paths of each output that were not opened yet: counted from its
    first path, and from the current file where the output names that."""
    lists: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for path, mention in trail.mentions.items():
        lists[mention.call].append((mention.place, path))
    firsts: dict[str, float] = {}
    following: dict[str, float] = {}
    for listed in lists.values():
        paths = [path for _, path in sorted(listed)]
        firsts |= _ranked(path for path in paths if path not in opened)
        current = trail.accesses[-1].path
        if current in paths:
            behind = paths[paths.index(current) + 1 :]
            following |= _ranked(path for path in behind if path not in opened)
    return firsts, following


def _ranked(paths: Iterable[str]) -> dict[str, float]:
    return {path: 1 / rank for rank, path in enumerate(paths, 1)}


def _kinds_of_late(accesses: Sequence[Access]) -> dict[str, float]:
    """Return the share of each ending in the files opened of late."""
    weights: defaultdict[str, float] = defaultdict(float)
    for back, access in enumerate(reversed(accesses)):
        weights[ending_of(access.path)] += _FADING**back
    total = sum(weights.values())
    return {ending: weight / total for ending, weight in weights.items()}


def _asked_for(paths: Iterable[str], request: str) -> dict[str, float]:
    """Return which share of each path's words was asked for, rare words counting more."""
    request_words = set(words_of(request)[:_MAX_WORDS])
    words = {path: _words_of_path(path) for path in paths}
    spread = Counter(word for own in words.values() for word in own)
    rare = {word: math.log((len(words) + 1) / count) for word, count in spread.items()}
    return {
        path: sum(rare[word] for word in own & request_words)
        / (sum(rare[word] for word in own) or 1.0)
        for path, own in words.items()
        if own & request_words
    }


@lru_cache(maxsize=20_000)
def _words_of_path(path: str) -> frozenset[str]:
    return frozenset(words_of(path.rpartition(".")[0] or path))


def _linked(opened: Sequence[str], links: Links) -> dict[str, Reasons]:
    """Return files that the current file, or those opened before it, are linked with."""
    candidates: dict[str, Reasons] = {}
    known = set(opened)
    for back, path in enumerate(opened[:_MAX_OPENED_BEFORE]):
        ahead = sorted(links(path).items(), key=lambda link: (-link[1], link[0]))
        for rank, (other, _) in enumerate(link for link in ahead if link[0] not in known):
            reasons = candidates.setdefault(other, {})
            share = 1 / (1 + 0.3 * rank)
            if back == 0:
                reasons["linked now"] = share
            before = reasons.get("linked with those opened", 0.0) + share / (1 + back)
            reasons["linked with those opened"] = min(1.0, before / 2)
    return candidates
