"""Clusters of memories: found by density, named by their words, followed in between.

Seed 002, Hybrid Grouping System 2 and Cluster Refinement. The rows are derived: `refresh` makes
them anew from the vectors, `keep_up` lets what was remembered since join the nearest cluster and
what holds no more leave it. Memories of different projects never share one; what belongs to a
session or a task alone lies in none. A private memory lies in clusters and names none.
"""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import attrs

from ..encoder.protocol import quantize, unit
from ..memories.records import Memory
from ..store.ids import name_id
from ..store.integrity import Problem
from ..store.store import local_setting, set_local_setting
from ..text.analyzer import by_stem
from ..text.word_lists import FOREIGN
from .hdbscan import NOISE, hdbscan, nearest_rows

if TYPE_CHECKING:
    from ..context.ports import OpenKit
    from ..memories.search_index import Index
    from ..store.store import Row, Store
    from .hdbscan import Floats


# Members of the smallest cluster: two alike are a pair. Neighbours that make a memory a dense one,
# itself among them: with more, four of five memories of a small project lie in no cluster.
MIN_SIZE, MIN_SAMPLES = 3, 2
# The largest holds this share of all, so that it tells something, but may hold MIN_LARGEST; beyond
# MAX_SIZE no walk along edges would see all of it (CascadeLimits.fanout).
MAX_SHARE, MIN_LARGEST, MAX_SIZE = 0.1, 6, 50
# Share of what two clusters hold together that they have in common, above which they are the same.
SAME_SHARE = 0.5
# Words of a label, members that a word needs, and letters of a text that are read for it.
LABEL_WORDS, MIN_WITH_WORD, MAX_READ = 3, 2, 500
PRIVATE_LABEL = "private"
# Retrievals after which the background agent makes clusters anew (seed 002), and the vectors up to
# which it does: 50,000 take some 35 s of one core, and time grows with the square of them.
REFRESH_AFTER, MAX_IN_BACKGROUND = 50, 20_000
_RETRIEVALS = "clusters.retrievals"
_BATCH = 500


@attrs.frozen
class Cluster:
    """Memories that are close in meaning.

    Attributes:
        id: stays as long as most of its members stay. label: the words that tell it from the
            others, the most telling first. members: ids, the firmest first.
    """

    id: int
    label: str
    members: tuple[int, ...]

    @property
    def size(self) -> int:
        """How many members it has."""
        return len(self.members)


@attrs.frozen
class ClusterReport:
    """What a refresh of the clusters came to.

    Attributes:
        clusters: how many there are. lasting: those of them that were there before.
        members, others: memories in a cluster, and in none. note: why there are none.
    """

    clusters: int = 0
    lasting: int = 0
    members: int = 0
    others: int = 0
    note: str | None = None


@attrs.frozen(eq=False)
class _Group:
    """Cluster before it is written.

    Attributes:
        weights: of its members, how firmly they belong to it. centroid: mean of their directions.
        cohesion: their mean cosine to it. reach: cosine of the loneliest to its nearest other.
    """

    weights: Mapping[int, float]
    centroid: Floats
    cohesion: float
    reach: float


@attrs.frozen(eq=False)
class _Points:
    """Memories of one project, a unit vector each."""

    project: str
    ids: Sequence[int]
    vectors: Floats


# --- Reading.


def shown(store: Store, project: str) -> list[Cluster]:
    """Return the clusters of a project, the largest first."""
    rows = store.all("consolidation_clusters.shown_clusters", project=project)
    return [Cluster(number, label, tuple(json.loads(ids))) for number, label, ids in rows]


def is_made(store: Store) -> bool:
    """Whether clusters were looked for in this file."""
    return bool(store.value("consolidation_clusters.is_made"))


def clusters_of(store: Store, ids: Iterable[int]) -> dict[int, tuple[int, str]]:
    """Return id and label of the cluster of each of these memories that lies in one."""
    rows = store.all("consolidation_clusters.clusters_of", ids=json.dumps(list(ids)))
    return {memory_id: (number, label) for memory_id, number, label in rows}


def nearest_memories(store: Store, index: Index, count: int) -> dict[int, list[int]]:
    """Return the nearest others of each memory that may lie in a cluster, of its own project."""
    if (model_id := index.model_id()) is None:
        return {}
    near: dict[int, list[int]] = {}
    for points in _points(store.all("consolidation_clusters.vectors", model_id=model_id)):
        for number, rows in zip(points.ids, nearest_rows(_whole(points), count), strict=True):
            near[number] = [points.ids[row] for row in rows]
    return near


# --- Finding them anew.


def refresh(store: Store, index: Index) -> ClusterReport:
    """Make the clusters anew from the vectors of all memories, and return what came of it; those
    whose members are mostly the same keep their ids."""
    if (model_id := index.model_id()) is None:
        return ClusterReport(note=index.encoder_note or "there are no vectors yet")
    rows = store.all("consolidation_clusters.vectors", model_id=model_id)
    groups = [(points, group) for points in _points(rows) for group in _groups(points)]
    looked_at = {row[0] for row in rows}
    return store.write(partial(_replace, store, model_id, groups, looked_at), derived=True)


def _points(rows: Sequence[Row]) -> Iterator[_Points]:
    """Yield the memories of each project with the mean directions of their chunks."""
    import numpy as np

    chunks: dict[str, dict[int, list[bytes]]] = defaultdict(lambda: defaultdict(list))
    for memory_id, project, vector in rows:
        chunks[project][memory_id].append(vector)
    for project, vectors in sorted(chunks.items()):
        means = {number: _direction(parts) for number, parts in vectors.items()}
        whole = {number: mean for number, mean in means.items() if mean is not None}
        if whole:
            yield _Points(project, list(whole), np.array(list(whole.values())))


def _direction(chunks: Sequence[bytes]) -> Floats | None:
    """Return the mean of the directions of some int8 vectors, None if they cancel out."""
    import numpy as np

    rows = np.array([np.frombuffer(chunk, np.int8) for chunk in chunks], np.float32)
    return unit((rows / np.linalg.norm(rows, axis=1, keepdims=True)).sum(axis=0))


def _groups(points: _Points) -> list[_Group]:
    """Return the clusters of some memories, of which close ones are merged."""
    import numpy as np

    count = len(points.ids)
    max_size = max(MIN_LARGEST, min(int(count * MAX_SHARE), MAX_SIZE))
    clustering = hdbscan(
        _whole(points), min_size=MIN_SIZE, min_samples=MIN_SAMPLES, max_size=max_size
    )
    members = [np.flatnonzero(clustering.labels == n) for n in range(clustering.count)]
    groups = [_group(points, rows, clustering.weights[rows]) for rows in members]
    return _merged(points, groups, max_size)


def _whole(points: _Points) -> Floats:
    """Return the vectors in whole numbers: then nothing hangs on how a machine adds."""
    import numpy as np

    return np.array([np.frombuffer(quantize(vector), np.int8) for vector in points.vectors])


def _group(points: _Points, rows: Any, weights: Any) -> _Group:
    import numpy as np

    vectors = points.vectors[rows]
    mean = unit(vectors.sum(axis=0))
    centroid = vectors[0] if mean is None else mean
    close = vectors @ vectors.T
    np.fill_diagonal(close, NOISE)
    members = {points.ids[row]: float(w) for row, w in zip(rows, weights, strict=True)}
    cohesion = float((vectors @ centroid).mean())
    return _Group(members, centroid, cohesion, float(close.max(axis=1).min()))


def _merged(points: _Points, groups: Sequence[_Group], max_size: int) -> list[_Group]:
    """Return the same with those clusters merged whose centres are closer to each other than the
    members of either are to their own, the closest first."""
    import numpy as np

    merged = list(groups)
    position = {memory_id: row for row, memory_id in enumerate(points.ids)}
    while len(merged) > 1:
        centroids = np.array([group.centroid for group in merged])
        close = np.triu(centroids @ centroids.T, k=1)
        cohesion = np.array([group.cohesion for group in merged])
        sizes = np.array([len(group.weights) for group in merged])
        fits = (close > np.maximum(cohesion[:, None], cohesion)) & (
            sizes[:, None] + sizes <= max_size
        )
        if not fits.any():
            break
        first, second = np.unravel_index(np.where(fits, close, NOISE).argmax(), close.shape)
        both = {**merged[first].weights, **merged[second].weights}
        rows = np.array([position[memory_id] for memory_id in both])
        merged[first] = _group(points, rows, list(both.values()))
        del merged[second]
    return merged


def _replace(
    store: Store, model_id: int, groups: Sequence[tuple[_Points, _Group]], looked_at: set[int]
) -> ClusterReport:
    """Write the clusters in place of those that are there, inside `write`."""
    before = _members_by_cluster(store)
    old = {row[0]: row for row in store.all("consolidation_clusters.list_clusters")}
    named = _identified(groups, before)
    rows = [
        {
            "id": number, "project": points.project, "size": len(group.weights),
            "label": old[number][2] if number in old else "", "model_id": model_id,
            "centroid": quantize(group.centroid), "reach": group.reach,
        }
        for number, (points, group) in named.items()
    ]  # fmt: skip
    members = {
        memory_id: (number, weight)
        for number, (_, group) in named.items()
        for memory_id, weight in group.weights.items()
    }
    seen = {memory_id: members.get(memory_id, (None, 0.0)) for memory_id in looked_at}
    if not _is_same(store, old, rows, seen):
        _clear(store)
        store.run_many("consolidation_clusters.add_cluster", rows)
        _add_members(store, seen)
        _name(store, named, {number: row[2] for number, row in old.items()})
    return ClusterReport(
        clusters=len(rows),
        lasting=len(named.keys() & before.keys()),
        members=len(members),
        others=len(looked_at) - len(members),
    )


def _is_same(
    store: Store,
    old: Mapping[int, Row],
    rows: Sequence[Mapping[str, Any]],
    seen: Mapping[int, tuple[int | None, float]],
) -> bool:
    """Whether all that would be written stands there: then a refresh changes no byte."""
    columns = ("id", "project", "label", "size", "model_id", "centroid", "reach")
    if {row["id"]: tuple(row[name] for name in columns) for row in rows} != old:
        return False
    members = store.all("consolidation_clusters.list_members")
    return {row[0]: tuple(row[1:]) for row in members} == seen


def _add_members(store: Store, members: Mapping[int, tuple[int | None, float]]) -> None:
    store.run_many(
        "consolidation_clusters.add_member",
        [
            {"memory_id": memory_id, "cluster_id": number, "weight": weight}
            for memory_id, (number, weight) in members.items()
        ],
    )


def _members_by_cluster(store: Store) -> dict[int, set[int]]:
    members: dict[int, set[int]] = defaultdict(set)
    for memory_id, number, _ in store.all("consolidation_clusters.list_members"):
        if number is not None:
            members[number].add(memory_id)
    return dict(members)


def _identified(
    groups: Iterable[tuple[_Points, _Group]], before: Mapping[int, Collection[int]]
) -> dict[int, tuple[_Points, _Group]]:
    """Return the clusters by their ids: that of the former cluster with mostly the same members, or
    one that follows from the members."""
    former = {memory_id: number for number, ids in before.items() for memory_id in ids}
    named: dict[int, tuple[_Points, _Group]] = {}
    for points, group in groups:
        ids = group.weights.keys()
        common = Counter(former[memory_id] for memory_id in ids if memory_id in former)
        number, shared = max(common.items(), key=lambda item: (item[1], item[0]), default=(0, 0))
        if shared <= SAME_SHARE * len(ids | set(before.get(number, ()))) or number in named:
            number = name_id("cluster", ",".join(map(str, sorted(ids))))
        named[number] = (points, group)
    return named


# --- Labels.


@attrs.define
class _Words:
    """Words of some texts, by stem: in how many texts, and how they are written."""

    texts: int = 0
    counts: Counter[str] = attrs.field(factory=Counter)
    spellings: dict[str, Counter[str]] = attrs.field(factory=lambda: defaultdict(Counter))

    def add(self, words: Mapping[str, str]) -> None:
        """Count the words of one text, as they are written by stem."""
        self.texts += 1
        self.counts.update(words.keys())
        for stem, word in words.items():
            self.spellings[stem][word] += 1

    def spelling(self, stem: str) -> str:
        """Return a word as it is written most often."""
        return max(self.spellings[stem].items(), key=lambda item: (item[1], item[0]))[0]


def _name(store: Store, numbers: Collection[int], labels: Mapping[int, str]) -> None:
    """Name clusters by the words of their public members, inside `write`; one of the `labels` stays
    while its words tell something."""
    every: dict[str, _Words] = defaultdict(_Words)
    inside: dict[int, _Words] = defaultdict(_Words)
    projects: dict[int, str] = {}
    for project, number, text in store.all("consolidation_clusters.texts", max_chars=MAX_READ):
        words = {stem: word for stem, word in by_stem(text).items() if _may_name(word)}
        every[project].add(words)
        if number in numbers:
            inside[number].add(words)
            projects[number] = project
    named = (
        {
            "id": number,
            "label": _label(inside[number], every[projects[number]], labels.get(number, ""))
            if number in projects
            else PRIVATE_LABEL,
        }
        for number in numbers
    )
    store.run_many("consolidation_clusters.set_label", named)


def _may_name(word: str) -> bool:
    return not word.isnumeric() and word not in FOREIGN


def _label(inside: _Words, every: _Words, former: str) -> str:
    """Return the words that tell some texts from all others, those of the `former` label if they
    do."""
    telling = _telling(inside, every)
    if former and {inside.spelling(stem) for stem in telling}.issuperset(former.split(", ")):
        return former
    best = telling[:LABEL_WORDS] or [stem for stem, _ in inside.counts.most_common(LABEL_WORDS)]
    return ", ".join(map(inside.spelling, best)) or PRIVATE_LABEL


def _telling(inside: _Words, every: _Words) -> list[str]:
    """Return the stems that are likelier in some texts than in all others, the most telling first:
    by the log-odds of a text to hold them, times the share that does."""
    rest = every.texts - inside.texts

    def worth(stem: str) -> float:
        count, others = inside.counts[stem], every.counts[stem] - inside.counts[stem]
        odds = (count + 0.5) / (inside.texts - count + 0.5)
        odds_of_others = (others + 0.5) / (rest - others + 0.5)
        return math.log(odds / odds_of_others) * count / inside.texts

    worths = {stem: worth(stem) for stem, n in inside.counts.items() if n >= MIN_WITH_WORD}
    stems = (stem for stem, amount in worths.items() if amount > 0)
    return sorted(stems, key=lambda stem: (-worths[stem], stem))


# --- Following what is remembered and forgotten.


def keep_up(store: Store, index: Index) -> int:
    """Let memories that nobody looked at join the nearest cluster within its reach, and those that
    hold no more leave theirs; return how many came or went. Nothing where there are no clusters."""
    if not is_made(store) or store.readonly:
        return 0
    changed = 0
    while count := store.write(partial(_leave, store), derived=True):
        changed += count
    model_id = index.model_id()
    while model_id is not None and (count := _join(store, model_id)):
        changed += count
    store.write(partial(_settle, store), derived=True)
    return changed


def _leave(store: Store) -> int:
    count = store.run("consolidation_clusters.drop_gone_members", limit=_BATCH)
    if count:
        store.run("consolidation_clusters.count_sizes")
    return count


def _join(store: Store, model_id: int) -> int:
    """Look at some memories that nobody looked at; return how many."""
    rows = store.all("consolidation_clusters.unseen_vectors", model_id=model_id, limit=_BATCH)
    if not rows:
        return 0
    seen = store.all("consolidation_clusters.seen_vectors", model_id=model_id)
    cluster_of = {row[0]: row[3] for row in seen}
    reaches = {row[0]: row[6] for row in store.all("consolidation_clusters.list_clusters")}
    neighbours = {points.project: points for points in _points([row[:3] for row in seen])}
    members: dict[int, tuple[int | None, float]] = {row[0]: (None, 0.0) for row in rows}
    for points in _points(rows):
        if points.project in neighbours:
            members |= _nearest(points, neighbours[points.project], cluster_of, reaches)

    def work() -> None:
        _add_members(store, members)
        store.run("consolidation_clusters.count_sizes")

    store.write(work, derived=True)
    return len(members)


def _nearest(
    points: _Points,
    neighbours: _Points,
    cluster_of: Mapping[int, int | None],
    reaches: Mapping[int, float],
) -> dict[int, tuple[int | None, float]]:
    """Return the cluster of each memory whose nearest neighbour lies in one, no farther than its
    members lie from theirs: of what is left out at first and clustered later, four of five that
    join do rightly (of what is merely near a centre, one in three)."""
    cosines = points.vectors @ neighbours.vectors.T
    best = cosines.argmax(axis=1)
    joined: dict[int, tuple[int | None, float]] = {}
    for row, column in enumerate(best):
        number, cosine = cluster_of[neighbours.ids[column]], float(cosines[row, column])
        if number is not None and cosine >= reaches.get(number, 1.0):
            joined[points.ids[row]] = (number, min(cosine, 1.0))
    return joined


def _settle(store: Store) -> None:
    store.run("consolidation_clusters.drop_empty")
    if unnamed := [number for (number,) in store.all("consolidation_clusters.unnamed_clusters")]:
        _name(store, unnamed, {})


def after_retrieval(store: Store, index: Index) -> ClusterReport | None:
    """Follow what was remembered since; make the clusters anew after every REFRESH_AFTER calls, if
    that is done in seconds, and return what came of it."""
    count = local_setting(store, _RETRIEVALS, 0) + 1
    is_due = count >= REFRESH_AFTER
    store.write(lambda: set_local_setting(store, _RETRIEVALS, 0 if is_due else count))
    model_id = index.model_id()
    size = store.value("consolidation_clusters.vector_count", model_id=model_id)
    if is_due and size <= MAX_IN_BACKGROUND:
        return refresh(store, index)
    keep_up(store, index)
    return None


# --- Integrity.


def check(store: Store, *, repair: bool) -> list[Problem]:
    """Return what is wrong with clusters and their members; with `repair` they are forgotten and
    made anew when they are next asked for."""
    faults = store.all("consolidation_clusters.faults")
    if not faults:
        return []
    if repair:
        store.write(partial(_clear, store), derived=True)
    what, number = faults[0]
    detail = f"{len(faults)} rows of clusters do not belong together, first {what} {number}"
    return [Problem("clusters", detail, repair)]


def _clear(store: Store) -> None:
    store.run("consolidation_clusters.clear_clusters")
    store.run("consolidation_clusters.clear_members")


# --- Similar memories: what lies nearest to one by its vector, else by its words.


@attrs.frozen
class SimilarMemory:
    """Memory that is like another.

    Attributes:
        score: cosine of the two vectors; where there are none, the probability that it answers to
            the other's words. by_words: whether it is that. cluster: label of the cluster that both
            lie in, None if they share none.
    """

    memory: Memory
    score: float
    by_words: bool = False
    cluster: str | None = None


def similar(kit: OpenKit, memory: Memory, *, limit: int) -> list[SimilarMemory]:
    """Return the memories that are most like one of the same store, the likest first: those that
    hold and that it may see."""
    scores = _by_vector(kit, memory, limit=limit)
    by_words = not scores
    if by_words:
        scores = _by_words(kit, memory, limit=limit)
    cluster_of = clusters_of(kit._store, [memory.id, *scores])
    own = cluster_of.get(memory.id)

    def shared_label(number: int) -> str | None:
        return own[1] if own is not None and cluster_of.get(number) == own else None

    return [
        SimilarMemory(other, min(scores[other.id], 1.0), by_words, shared_label(other.id))
        for other in kit.memories.get_many(scores)
    ]


def _by_vector(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the cosines of the memories that are nearest by vector; none if it has no vector."""
    store, model_id = kit._store, kit._index.model_id()
    if model_id is None or store.vector_note is not None:
        return {}
    rows = store.all(
        "consolidation_clusters.nearest_to",
        id=memory.id,
        model_id=model_id,
        project=kit.project,
        moment=store.now(),
        limit=limit,
    )
    return dict(rows)


def _by_words(kit: OpenKit, memory: Memory, *, limit: int) -> dict[int, float]:
    """Return the scores of the memories that its own words, tags and names bring."""
    text = " ".join((memory.text, *memory.tags))
    hits = kit._recall(
        text,
        limit=limit + 1,
        min_score=0.0,
        depth=0,
        session=memory.session,
        task=memory.task,
        sources="memories",
        noted=False,
    )
    scores = {hit.id: hit.score for hit in hits if hit.id != memory.id}
    return dict(list(scores.items())[:limit])
