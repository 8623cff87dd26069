"""What comes next: the next file of recorded sessions, the other files of later commits.

Each is asked with the history up to that moment only, and held against floors of one signal in the
same run. The time of reading git's log stands beside it, on a repository made for it.

Set `traces` has the weights that are delivered, which were learnt on these sessions; set `traces
unseen` has for each session the weights that the other ones give. Set `traces named` is how many of
the files anything in the session had named before: more than that nothing can foretell. Set `traces
recorded` is asked of a store that recorded each session as hooks do, its floor without mentions.
"""

from __future__ import annotations

import json
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import attrs

from memkit.codegraph.query import nodes
from memkit.episodes.predictions import online_ranker
from memkit.episodes.predictions.co_change import ChangeHistory, Names, companions, folder_of
from memkit.episodes.predictions.navigation import next_files

from .archives import unpack
from .mining import run as run_mining
from .predict_learning import Step, learnt, without_each
from .predict_recorded import run as run_recorded
from .predict_traces import Walk, replayed
from .results import Options, Row

_FIRST = 5
Floors = dict[str, list[str]]


def run(options: Options) -> Iterator[Row]:
    """Yield hits among the first five on sessions and on commits, then the time of mining."""
    yield from _sessions(options)
    yield from _commits(options)
    yield from run_mining(options)


# -- sessions


def _sessions(options: Options) -> Iterator[Row]:
    folder = options.folder("traces", "traces", "raw")
    if folder is None:
        return
    walks = {path.stem: _walked(path) for path in sorted(folder.iterdir())[: options.limit]}
    steps = {name: [step for step, _ in walk] for name, walk in walks.items() if walk}
    unseen = without_each(steps)
    total: Counter[str] = Counter()
    for name, walk in walks.items():
        if not walk:
            continue
        hits = _played(steps[name], online_ranker.NEXT)
        hits += sum((given for _, given in walk), Counter[str]())
        hits["unseen"] = _played(steps[name], unseen[name])["hit"]
        total += hits
        options.say(f"  {name}: {hits['hit']} of {hits['asked']}, unseen {hits['unseen']}")
    asked = total["asked"] or 1
    floors = {name: total[name] / asked for name in ("recent", "frequent", "folder", "imports")}
    options.say("floors on sessions: " + _told(floors))
    options.say(f"hit@5 where the next file is another one: {total['other hit']} of "
                f"{total['other']}; named before: {total['named']} of {asked}")  # fmt: skip
    if options.profile:
        options.say(f"weights that all of them teach: {learnt(list(steps.values()))}")
    best = max(floors.values())
    yield Row("traces", "hit@5", total["hit"] / asked, best)
    shares = [_share(_played(walk, online_ranker.NEXT)) for walk in steps.values()]
    yield Row("traces", "hit@5_mean", sum(shares) / (len(shares) or 1))
    yield Row("traces unseen", "hit@5", total["unseen"] / asked, best)
    yield Row("traces named", "hit@5", total["named"] / asked)
    yield from run_recorded(folder, options.limit)


def _walked(path: Path) -> list[tuple[Step, Counter[str]]]:
    """Return each file of a session with what was thought of before it, and the floors' hits."""
    found = []
    for walk, actual in replayed(path):
        trail = walk.trail()
        hits = [name for name, files in _session_floors(walk).items() if actual in files]
        current = trail.accesses[-1].path
        found.append((Step(next_files(trail, _no_links), actual, current), Counter(hits)))
    return found


def _played(steps: list[Step], weights: Mapping[str, float]) -> Counter[str]:
    """Count what was foretold in one session; the weights learn as it goes on."""
    now = dict(weights)
    hits: Counter[str] = Counter()
    for step in steps:
        best = list(online_ranker.chances(step.found, now))[:_FIRST]
        now = online_ranker.learnt(step.found, [step.actual], now, weights)
        is_other = step.actual != step.current
        hits["asked"] += 1
        hits["hit"] += step.actual in best
        hits["named"] += step.actual in step.found
        hits["other"] += is_other
        hits["other hit"] += is_other and step.actual in best
    return hits


def _share(hits: Counter[str]) -> float:
    return hits["hit"] / (hits["asked"] or 1)


def _no_links(path: str) -> Mapping[str, float]:
    """Return nothing: the repositories of these sessions are not there."""
    return {}


def _session_floors(walk: Walk) -> Floors:
    opened = [access.path for access in walk.accesses]
    current = opened[-1]
    recent = list(dict.fromkeys(reversed(opened)))
    known = sorted({path for paths in walk.known.values() for path in paths})
    return {
        "recent": recent[:_FIRST],
        "frequent": [path for path, _ in Counter(opened).most_common(_FIRST)],
        "folder": [p for p in known if folder_of(p) == folder_of(current)][:_FIRST],
        "imports": walk.imports.get(current, [])[:_FIRST],
    }


# -- commits


@attrs.frozen
class Tree:
    """One repository: the files that are asked for, and how they are linked."""

    files: frozenset[str]
    links: Callable[[str], Mapping[str, float]]


def _commits(options: Options) -> Iterator[Row]:
    folder = options.folder("commits", "commits", holds="*.jsonl")
    if folder is None:
        return
    hits: Counter[str] = Counter()
    for path in sorted(folder.glob("*.jsonl")):
        with tempfile.TemporaryDirectory() as place:
            found = _repository(path, _tree(path, Path(place), options), options.limit)
        options.say(f"  {path.stem}: {found['hit']} of {found['asked']}; " + _told(
            {name: count / found["asked"] for name, count in found.items() if name != "asked"}
        ))  # fmt: skip
        hits += found
    asked = hits["asked"] or 1
    floors = {name: hits[name] / asked for name in _FLOORS}
    best = max(floors.values()) or 1.0
    options.say("floors on commits: " + _told(floors))
    options.say("two signals together, no floors: " + _told(
        {name: hits[name] / asked for name in ("folder, frequent", "imports, frequent")}
    ))  # fmt: skip
    yield Row("commits", "hit@5", hits["hit"] / asked, best)
    yield Row("commits", "gain", hits["hit"] / asked / best, 1.0)


_FLOORS = ("frequent", "recent", "folder", "imports")


def _tree(path: Path, place: Path, options: Options) -> Tree:
    """Return the snapshot of a repository, its code graph made in `place`."""
    import memkit

    meta = json.loads(path.with_suffix(".meta.json").read_text("utf-8"))
    archive = path.parent / "trees" / f"{path.stem}.tar.gz"
    with tarfile.open(archive) as files:
        unpack(files, place)
    links: dict[str, Mapping[str, float]] = {}
    with memkit.open(place / ".memkit.db", global_store=False) as kit:
        kit.codegraph.index(place)
        for file in meta["corpus"]:
            links[file] = nodes.linked_files(kit._store, file)
    return Tree(frozenset(meta["corpus"]), lambda file: links.get(file, {}))


def _repository(path: Path, tree: Tree, limit: int | None) -> Counter[str]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    history, names = ChangeHistory(), Names(sorted(tree.files))
    hits: Counter[str] = Counter()
    weights: Mapping[str, float] = dict(online_ranker.COMPANIONS)
    for row in rows[:limit]:
        files = row["files"]
        learnt = weights
        for given in files if len(files) > 1 else ():
            others = set(files) - {given}
            hits["asked"] += 1
            found = {
                name: reasons
                for name, reasons in companions(given, history, names, tree.links).items()
                if name in tree.files or name in history.changes
            }
            best = list(online_ranker.chances(found, weights))[:_FIRST]
            learnt = online_ranker.learnt(
                found, others, learnt, online_ranker.COMPANIONS, step=online_ranker.COMMIT_STEP
            )
            hits["hit"] += not others.isdisjoint(best)
            floors = _commit_floors(given, history, tree)
            hits.update(n for n, first in floors.items() if not others.isdisjoint(first))
        weights = learnt  # of a commit nothing is known before all its files were asked for
        history.add(files, row["time"])
    return hits


def _commit_floors(given: str, history: ChangeHistory, tree: Tree) -> Floors:
    """Return the first five of each signal alone; equal ones by name. The last two order one
    signal by another."""

    def often(path: str) -> tuple[int, int, str]:
        return (-history.changes[path], -history.last.get(path, -1), path)

    def lately(path: str) -> tuple[int, str]:
        return (-history.last[path], path)

    known = (tree.files | set(history.changes)) - {given}
    seen = [path for path in history.changes if path != given]
    beside = sorted(path for path in known if folder_of(path) == folder_of(given))
    linked = sorted(tree.links(given))
    return {
        "frequent": sorted(seen, key=often)[:_FIRST],
        "recent": sorted(seen, key=lately)[:_FIRST],
        "folder": beside[:_FIRST],
        "imports": linked[:_FIRST],
        "folder, frequent": sorted(beside, key=often)[:_FIRST],
        "imports, frequent": sorted(linked, key=often)[:_FIRST],
    }


def _told(figures: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {figure:.3f}" for name, figure in figures.items())
