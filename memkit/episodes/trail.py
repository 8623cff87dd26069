"""Which file comes next in a session: from where it went so far and what its outputs named.

Whether an agent explores (each file is a new one) or works to and fro between a few is told by the
share of new files of late, and decides between files that were opened already and files that were
only named. Pure functions; each reason is a number from 0 to 1.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import pairwise

import attrs

from .companions import Links, Reasons, alike
from .kinds import CHANGING, Operation

# How much the last file weighs in the share of new ones: the last four or so decide.
_SHARE_OF_LAST = 0.25
# Files opened before the last few are not gone back to in a session that explores.
_FEW = 3
_MOST_OPENED_BEFORE = 12


@attrs.frozen
class Access:
    """One file that was read or changed."""

    path: str
    operation: Operation = Operation.READ


@attrs.frozen
class Mention:
    """A path that an output named: number of that output in the session, how many paths it named
    before this one, how many outputs named it."""

    call: int
    place: int
    count: int = 1


@attrs.frozen
class Trail:
    """Where a session has gone: files in order, paths that outputs named, number of outputs."""

    accesses: Sequence[Access]
    mentions: Mapping[str, Mention]
    calls: int = 0

    def before_last(self) -> Trail:
        """Return the trail without the last file: what was known when it was chosen."""
        return attrs.evolve(self, accesses=self.accesses[:-1])

    def novelty(self) -> float:
        """Return the share of files, of late, that were opened for the first time."""
        share, opened = 0.5, set[str]()
        for access in self.accesses:
            is_new = access.path not in opened
            share += _SHARE_OF_LAST * (is_new - share)
            opened.add(access.path)
        return share


def next_files(trail: Trail, links: Links) -> dict[str, Reasons]:
    """Return for each file that may be the next the reasons why, by name; nothing at a start."""
    if not trail.accesses:
        return {}
    current = trail.accesses[-1].path
    opened = list(dict.fromkeys(access.path for access in reversed(trail.accesses)))
    named = _linked(opened, links)
    found: dict[str, Reasons] = {path: {} for path in (*opened, *trail.mentions, *named)}
    _add_opened(found, trail, opened)
    novelty = trail.novelty()
    firsts = _firsts(trail, set(opened))
    for path, reasons in found.items():
        if path in reasons or path in opened:
            continue
        reasons |= {"new": 1.0, "new while exploring": novelty} | named.get(path, {})
        if path in firsts:
            reasons["first of those named"] = firsts[path]
        mention = trail.mentions.get(path)
        if mention is not None:
            reasons["named last"] = float(trail.calls - mention.call <= 1)
            reasons["named often"] = min(1.0, math.log1p(mention.count) / 3)
    for path, reasons in found.items():
        if path != current:
            reasons |= alike(current, path)
    return found


# -- inside


def _add_opened(found: dict[str, Reasons], trail: Trail, opened: Sequence[str]) -> None:
    """Add what speaks for files that were opened already, the current one too."""
    novelty = trail.novelty()
    counts = Counter(access.path for access in trail.accesses)
    changed = {access.path for access in trail.accesses if access.operation in CHANGING}
    last = trail.accesses[-1]
    onward = _onward(trail.accesses)[last.path]
    for rank, path in enumerate(opened):
        often = min(1.0, math.log1p(counts[path]) / 3)
        found[path] |= {
            "opened often": often,
            "opened often while exploring": often * novelty,
            "followed before": onward[path] / (onward.total() + 1),
        }
        if path in changed:
            found[path] |= {"changed": 1.0, "changed while exploring": novelty}
        if rank == 0:
            found[path]["same again"] = 1.0
            found[path]["changed just now"] = float(last.operation in CHANGING)
        else:
            found[path]["opened lately"] = 1 / rank
            found[path]["opened long ago"] = novelty * (rank > _FEW)


def _onward(accesses: Sequence[Access]) -> defaultdict[str, Counter[str]]:
    """Return how often each file was followed by which."""
    onward: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for one, other in pairwise(accesses):
        onward[one.path][other.path] += 1
    return onward


def _firsts(trail: Trail, opened: set[str]) -> dict[str, float]:
    """Return 1, 1/2, 1/3 … for the paths that each output named and that were not opened yet."""
    lists: defaultdict[int, list[tuple[int, str]]] = defaultdict(list)
    for path, mention in trail.mentions.items():
        if path not in opened:
            lists[mention.call].append((mention.place, path))
    return {
        path: 1 / rank
        for listed in lists.values()
        for rank, (_, path) in enumerate(sorted(listed), 1)
    }


def _linked(opened: Sequence[str], links: Links) -> dict[str, Reasons]:
    """Return files that the current file, or those opened before it, are linked with."""
    found: dict[str, Reasons] = {}
    known = set(opened)
    for back, path in enumerate(opened[:_MOST_OPENED_BEFORE]):
        ahead = sorted(links(path).items(), key=lambda link: (-link[1], link[0]))
        for rank, (other, _) in enumerate(link for link in ahead if link[0] not in known):
            reasons = found.setdefault(other, {})
            share = 1 / (1 + 0.3 * rank)
            if back == 0:
                reasons["linked now"] = share
            before = reasons.get("linked with those opened", 0.0) + share / (1 + back)
            reasons["linked with those opened"] = min(1.0, before / 2)
    return found
