"""What edges of the code are worth: what lies beside a file, found with them and without.

Everything is asked of commits, with what was known before each: `companions` which other files a
commit changed, from one of them and the history (`kit.episodes.predict`); `search` which files it
changed, from its subject, by the same weights without those of the neighbours
(`kit.codegraph.find_relevant_to_query`); `near` what earlier commits said of the other files, from
the subject, asked at one of them (`recall(near=…)`), and `named` what they said of all, by the
subject alone: without edges, along what memories are `about`, and along those of the `code` too. A
commit is one sample, whatever it changed.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

import memkit
from memkit.codegraph.query import nodes
from memkit.codegraph.query.code_search import WEIGHTS, CodeSearch, weighted_sum
from memkit.episodes.predictions import online_ranker
from memkit.episodes.predictions.co_change import ChangeHistory, Links, Names, companions
from memkit.memories.records import EdgeKind
from memkit.retrieval.records import WALKED, CodeEdge, RetrievalConfig
from memkit.validation import DEFAULT_DEPTH

from . import commits
from .gains import WITHOUT, Gains, Ranked
from .projects import Clock
from .results import Options, Row
from .scoring import DEPTH

_WITH = "code"
_NEIGHBOURS = ("used", "user")
# What is walked, and how far: nothing, from memory to memory over what they are about, all.
_VARIANTS = {
    WITHOUT: (frozenset[EdgeKind | CodeEdge](), 0),
    "about": (WALKED - frozenset(CodeEdge), DEFAULT_DEPTH),
    _WITH: (WALKED, DEFAULT_DEPTH),
}
# Files of a commit at which is asked, and that a memory is about: more are no piece of work.
_MAX_PLACES, _MAX_ABOUT = 4, 20
Commit = Mapping[str, Any]


def run(options: Options) -> Iterator[Row]:
    """Yield the gains of each set, over all repositories."""
    folder = options.folder("commits", "commits", holds="*.meta.json")
    if folder is None:
        return
    gains: defaultdict[str, Gains] = defaultdict(Gains)
    for repository in commits.repositories(folder):
        rows = _rows(folder / f"{repository.name}.jsonl")[: options.limit]
        with commits.indexed(repository) as kit:
            _companions(kit, repository, rows, gains["companions"])
            _search(kit, repository, rows, gains["search"])
            _memories(kit, repository, rows, gains["near"], gains["named"])
    for name, own in gains.items():
        if own.figures:
            yield from own.rows(f"commits/{name}", options.say)


def _rows(path: Path) -> list[Commit]:
    """Return the commits of a file, the oldest first."""
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return sorted(rows, key=lambda row: row.get("time", 0))


# -- files


def _companions(
    kit: memkit.Memkit, repository: commits.Repository, rows: Sequence[Commit], gains: Gains
) -> None:
    linked = {path: nodes.linked_files(kit._store, path) for path in repository.corpus}
    variants: Mapping[str, Links] = {
        WITHOUT: lambda _: {},
        _WITH: lambda path: linked.get(path, {}),
    }
    for variant, links in variants.items():
        walk = _Companions(repository.corpus, links)
        for place, row in enumerate(rows):
            if rankings := walk.ask(row):
                gains.add(variant, (repository.name, place), *rankings)


@attrs.define
class _Companions:
    """The files that go with one, foretold commit by commit."""

    files: frozenset[str]
    links: Links
    history: ChangeHistory = attrs.field(factory=ChangeHistory)
    weights: Mapping[str, float] = attrs.field(factory=lambda: dict(online_ranker.COMPANIONS))

    def ask(self, row: Commit) -> list[Ranked]:
        """Return what is foretold from each file of a commit; then learn from it."""
        names, files = Names(sorted(self.files)), row["files"]
        rankings: list[Ranked] = []
        learnt = self.weights
        for given in files if len(files) > 1 else ():
            others = set(files) - {given}
            reasons = {
                path: why
                for path, why in companions(given, self.history, names, self.links).items()
                if path in self.files or path in self.history.changes
            }
            rankings.append((list(online_ranker.chances(reasons, self.weights)), others))
            learnt = online_ranker.learnt(
                reasons,
                others,
                learnt,
                online_ranker.COMPANIONS,
                step=online_ranker.COMMIT_STEP,
            )
        self.weights = learnt
        self.history.add(files, row["time"])
        return rankings


def _search(
    kit: memkit.Memkit, repository: commits.Repository, rows: Sequence[Commit], gains: Gains
) -> None:
    without = {name: weight for name, weight in WEIGHTS.items() if name not in _NEIGHBOURS}
    code_search = CodeSearch(kit._store)
    for place, row in enumerate(rows):
        due = repository.corpus.intersection(row["files"])
        evaluation = code_search.evaluate(row["subject"]) if due else None
        if evaluation is None:
            continue
        paths = evaluation.corpus.paths
        for variant, weights in ((WITHOUT, without), (_WITH, WEIGHTS)):
            scores = weighted_sum(evaluation.columns, weights)
            order = (paths[at] for at in (-scores).argsort(kind="stable").tolist())
            ranked = [path for path in order if path in repository.corpus]
            gains.add(variant, (repository.name, place), (ranked[:DEPTH], due))


# -- memories


def _memories(
    kit: memkit.Memkit,
    repository: commits.Repository,
    rows: Sequence[Commit],
    near: Gains,
    named: Gains,
) -> None:
    """Ask for what earlier commits said, then remember what this one says."""
    clock = Clock()
    kit._store.clock = clock
    about: defaultdict[str, set[str]] = defaultdict(set)
    for number, row in enumerate(rows):
        sample = (repository.name, number)
        clock.now = float(row["time"])
        files = {path for path in row["files"] if path in repository.files}
        places = sorted(files)[:_MAX_PLACES] if len(files) > 1 else ()
        beside = {
            place: {n for n, own in about.items() if place not in own and own & files}
            for place in places
        }
        due = {number for number, own in about.items() if own & files}
        for variant, (walked, depth) in _VARIANTS.items():
            kit._config = RetrievalConfig(walked=walked)
            at = [
                (_recalled(kit, row["subject"], depth=depth, near=place), wanted)
                for place, wanted in beside.items()
                if wanted
            ]
            if at:
                near.add(variant, sample, *at)
            if due:
                named.add(variant, sample, (_recalled(kit, row["subject"], depth=depth), due))
        if files:
            memory = kit.memories.remember(row["subject"], about=sorted(files)[:_MAX_ABOUT])
            about[str(memory.id)] |= files


def _recalled(kit: memkit.Memkit, text: str, *, depth: int, near: str | None = None) -> list[str]:
    hits = kit.recall(text, near=near, depth=depth, limit=DEPTH, min_score=0.0)
    return [str(hit.id) for hit in hits]
