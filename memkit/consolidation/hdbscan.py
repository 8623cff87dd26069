"""HDBSCAN: density-based clusters of vectors by cosine, exact, in bounded memory.

Campello, Moulavi, Zimek and Sander (2015): core distances, mutual reachability, minimum spanning
tree, condensed tree, clusters by excess of mass, with a membership for each point. Vectors are
compared as points of the unit sphere. Stored vectors are whole numbers, so that their products are
exact in float32 and the result is the same on every machine, whatever its BLAS.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import attrs

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]
    Ints = NDArray[Any]

NOISE = -1
# Products held at once: 64 MB of float32, and some four times that while they are compared.
_BLOCK = 1 << 24
# Neighbours of each point by which most of the tree is found without comparing all pairs again.
_NEIGHBOURS = 32
# Squared distance to which two vectors cannot be told apart: int8 rounds by more.
_SAME = 1e-6


@attrs.frozen(eq=False)
class Clustering:
    """Clusters of points.

    Attributes:
        labels: number of each point's cluster, NOISE for none; numbered by their first points.
        weights: how firmly each point belongs to its cluster, 0 to 1.
    """

    labels: Ints
    weights: Floats

    @property
    def count(self) -> int:
        """How many clusters there are."""
        return int(self.labels.max(initial=NOISE)) + 1


def hdbscan(
    vectors: Floats, *, min_size: int, min_samples: int | None = None, max_size: int | None = None
) -> Clustering:
    """Return the clusters of at least `min_size` of these vectors, one a row, none of length 0.

    `min_samples` counts the neighbours, the point itself among them, that make a point a dense one;
    None is `min_size`. Of what holds more than `max_size` the clusters within are taken.
    """
    import numpy as np

    count, samples = len(vectors), min_samples or min_size
    if count < max(2 * min_size, samples):
        return Clustering(np.full(count, NOISE), np.zeros(count))
    tree = _spanning_tree(_Sphere(vectors), samples)
    return _selected(_condensed(_linkage(tree, count), count, min_size), count, max_size)


def nearest_rows(vectors: Floats, count: int) -> Ints:
    """Return the numbers of the `count` nearest others of each row, the nearest first."""
    points: Ints = _neighbours(_Sphere(vectors), 1, width=count + 1).points
    return points[:, 1:]


class _Sphere:
    """Points of the unit sphere, with their squared distances block by block."""

    def __init__(self, vectors: Floats) -> None:
        import numpy as np

        self.vectors = np.ascontiguousarray(vectors, dtype=np.float32)
        squares = np.einsum("ij,ij->i", self.vectors, self.vectors, dtype=np.float64)
        self._scale = 1 / np.sqrt(squares)

    def __len__(self) -> int:
        return len(self.vectors)

    def blocks(self, rows: Ints) -> Iterator[tuple[Ints, Floats]]:
        """Yield some of these rows at a time with their squared distances to all points."""
        step = max(_BLOCK // len(self), 1)
        for start in range(0, len(rows), step):
            part = rows[start : start + step]
            yield part, self._squared(self.vectors[part] @ self.vectors.T, part)

    def _squared(self, products: Floats, rows: Ints) -> Floats:
        import numpy as np

        # The same both ways, to the last bit: what is as far as a core distance is no farther.
        distances = np.multiply(self._scale[rows, None], self._scale)
        distances *= products
        distances *= -2
        distances += 2
        np.maximum(distances, 0, out=distances)
        return distances  # type: ignore[no-any-return]


@attrs.frozen(eq=False)
class _Neighbours:
    """Nearest points of each point, itself among them, the nearest first.

    Attributes:
        points, distances: who they are and how far, squared; a row a point. core: of each point.
    """

    points: Ints
    distances: Floats
    core: Floats


def _neighbours(sphere: _Sphere, samples: int, *, width: int = _NEIGHBOURS) -> _Neighbours:
    import numpy as np

    count = len(sphere)
    width = min(max(width, samples), count)
    points = np.empty((count, width), dtype=np.intp)
    distances = np.empty((count, width))
    for rows, squared in sphere.blocks(np.arange(count)):
        squared[np.arange(len(rows)), rows] = -1  # itself is first, whatever is the same
        nearest = np.argpartition(squared, width - 1, axis=1)[:, :width]
        reach = np.take_along_axis(squared, nearest, axis=1)
        order = np.lexsort((nearest, reach))
        points[rows] = np.take_along_axis(nearest, order, axis=1)
        distances[rows] = np.take_along_axis(reach, order, axis=1)
    np.maximum(distances, 0, out=distances)
    return _Neighbours(points, distances, distances[:, samples - 1].copy())


def _spanning_tree(sphere: _Sphere, samples: int) -> Floats:
    """Return the minimum spanning tree of mutual reachability: rows of two points and a squared
    distance, the shortest first.

    Borůvka's way: every component takes its shortest edge outwards, until there is one. Components
    whose listed neighbours do not decide are compared with all points, save the largest: that one
    is reached from the others.
    """
    import numpy as np

    near = _neighbours(sphere, samples)
    forest = _Forest(near)
    while forest.component_count > 1:
        forest.look_at_neighbours()
        undecided = forest.undecided()
        for rows, squared in sphere.blocks(undecided):
            np.maximum(squared, near.core, out=squared)
            np.maximum(squared, near.core[rows, None], out=squared)
            forest.look_at_all(rows, squared)
        forest.join()
    edges = np.array(forest.edges)
    return edges[np.lexsort((edges[:, 1], edges[:, 0], edges[:, 2]))]


class _Forest:
    """Components of a spanning tree that grows, with the shortest known edge out of each point.

    Attributes:
        component: number of each point's component, that of its first point.
        bound: of each point, below which no edge leads to where it does not lie already.
    """

    def __init__(self, near: _Neighbours) -> None:
        import numpy as np

        self._near = near
        count = len(near.core)
        self._reach = np.maximum(
            np.maximum(near.distances, near.core[:, None]), near.core[near.points]
        )
        is_whole = near.points.shape[1] == count
        last = np.full(count, np.inf) if is_whole else near.distances[:, -1]
        self.bound = np.maximum(last, near.core)
        self.component = np.arange(count)
        self.component_count = count
        self.edges: list[tuple[int, int, float]] = []
        self._target = np.full(count, -1)
        self._length = np.full(count, np.inf)

    def look_at_neighbours(self) -> None:
        """Find the shortest edge of each point to a listed neighbour of another component."""
        import numpy as np

        rows = np.arange(len(self.component))
        reach = np.where(
            self.component[self._near.points] == self.component[:, None], np.inf, self._reach
        )
        column = reach.argmin(axis=1)
        length, target = reach[rows, column], self._near.points[rows, column]
        is_cached = (self._target >= 0) & (self.component[self._target] != self.component)
        is_better = ~is_cached | (length < self._length)
        self._length = np.where(is_better, length, self._length)
        self._target = np.where(is_better, target, self._target)

    def undecided(self) -> Ints:
        """Return the points that may have a shorter edge than the best known of their component, if
        that is not the largest."""
        import numpy as np

        largest = np.bincount(self.component).argmax()
        return np.flatnonzero(self._is_open() & (self.component != largest))

    def look_at_all(self, rows: Ints, reach: Floats) -> None:
        """Take for these points the shortest edge of all, `reach` being that to each point."""
        import numpy as np

        reach[self.component[rows, None] == self.component] = np.inf
        target = reach.argmin(axis=1)
        length = reach[np.arange(len(rows)), target]
        self._target[rows], self._length[rows] = target, length
        self.bound[rows] = np.maximum(self.bound[rows], length)

    def join(self) -> None:
        """Join every component whose points are decided with that to which its shortest edge
        leads."""
        import numpy as np

        components, lengths, points = self._ends()
        is_open = np.zeros(len(self.component), dtype=bool)
        is_open[self.component[self._is_open()]] = True
        order = np.lexsort((points, lengths, components))
        components, first = np.unique(components[order], return_index=True)
        chosen = np.unique(points[order[first]][~is_open[components]])
        chosen = chosen[np.argsort(self._length[chosen], kind="stable")]
        roots = _DisjointSets(len(self.component))
        for point in chosen.tolist():
            target = int(self._target[point])
            if roots.join(int(self.component[point]), int(self.component[target])):
                self.edges.append((point, target, float(self._length[point])))
                self.component_count -= 1
        root_of = np.array([roots.find(number) for number in range(len(self.component))])
        self.component = root_of[self.component]

    def _is_open(self) -> Floats:
        import numpy as np

        best = np.full(len(self.component), np.inf)
        components, lengths, _ = self._ends()
        np.minimum.at(best, components, lengths)
        return self.bound < best[self.component]

    def _ends(self) -> tuple[Ints, Floats, Ints]:
        """Return the components on both ends of each known edge, its length and its first point."""
        import numpy as np

        points = np.flatnonzero(np.isfinite(self._length))
        ends = (self.component[points], self.component[self._target[points]])
        return np.concatenate(ends), np.tile(self._length[points], 2), np.tile(points, 2)


class _DisjointSets:
    """Disjoint sets of numbers; the smallest of a set stands for it."""

    def __init__(self, count: int) -> None:
        self._parents = list(range(count))

    def find(self, number: int) -> int:
        """Return what stands for the set of a number."""
        parents = self._parents
        while parents[number] != number:
            parents[number] = parents[parents[number]]
            number = parents[number]
        return number

    def join(self, first: int, second: int) -> bool:
        """Join two sets; return whether they were two."""
        low, high = sorted((self.find(first), self.find(second)))
        self._parents[high] = low
        return low != high


# --- From the tree to clusters.


@attrs.frozen
class _Merge:
    """Merge of nodes of the single linkage tree; those below the number of points are points.

    Attributes:
        density: the inverse of the distance at which they merge. size: points in all of them.
    """

    nodes: tuple[int, ...]
    density: float
    size: int


def _linkage(tree: Floats, count: int) -> list[_Merge]:
    """Return the merges of the single linkage tree, the densest first; the n-th makes node
    `count` + n.

    What merges at one distance is one merge: many edges are as long as the core distance of a point
    that they share, and clusters must not hang on which of them the tree happens to have.
    """
    sets = _DisjointSets(count)
    nodes, merges = list(range(count)), list[_Merge]()
    for squared, edges in groupby(tree.tolist(), key=itemgetter(2)):
        joined: dict[int, list[int]] = {}
        for first, second, _ in edges:
            ends = sets.find(int(first)), sets.find(int(second))
            members = [node for end in ends for node in joined.pop(end, [nodes[end]])]
            sets.join(*ends)
            joined[sets.find(ends[0])] = members
        for root, members in joined.items():
            size = sum(1 if node < count else merges[node - count].size for node in members)
            merges.append(_Merge(tuple(members), max(squared, _SAME) ** -0.5, size))
            nodes[root] = count + len(merges) - 1
    return merges


@attrs.frozen
class _Part:
    """Cluster of the condensed tree.

    Attributes:
        parent: position of the cluster that it came out of, NOISE for the root.
        birth: density at which it came about. points: those that fall out of it, by density.
        children: positions of the clusters into which it parts. end: density at which it does.
    """

    parent: int
    birth: float
    size: int
    points: dict[int, float] = attrs.field(factory=dict)
    children: list[int] = attrs.field(factory=list)
    ends: list[float] = attrs.field(factory=list)


def _condensed(merges: list[_Merge], count: int, min_size: int) -> list[_Part]:
    """Return the clusters of the condensed tree, parents first: what is smaller than `min_size`
    falls out of its cluster point by point, and several that are not part it."""

    def size_of(node: int) -> int:
        return 1 if node < count else merges[node - count].size

    parts = [_Part(NOISE, 0.0, count)]
    pending = [(count + len(merges) - 1, 0)]
    while pending:
        node, position = pending.pop()
        merge, part = merges[node - count], parts[position]
        large = [child for child in merge.nodes if size_of(child) >= min_size]
        for child in merge.nodes:
            if size_of(child) < min_size:
                part.points.update(dict.fromkeys(_leaves(merges, count, child), merge.density))
        if len(large) == 1:
            pending.append((large[0], position))
            continue
        for child in large:
            part.children.append(len(parts))
            part.ends.append(merge.density)
            pending.append((child, len(parts)))
            parts.append(_Part(position, merge.density, size_of(child)))
    return parts


def _leaves(merges: list[_Merge], count: int, node: int) -> Iterator[int]:
    pending = [node]
    while pending:
        node = pending.pop()
        if node < count:
            yield node
        else:
            pending += merges[node - count].nodes


def _selected(parts: list[_Part], count: int, max_size: int | None) -> Clustering:
    """Return the clusters with the greatest excess of mass: each instead of those it parts into, if
    it lasts longer than they do together. All points together are none."""
    masses = [_mass(parts, part) for part in parts]
    is_chosen = [True] * len(parts)
    for position in range(len(parts) - 1, 0, -1):
        below = sum(masses[child] for child in parts[position].children)
        if below > masses[position] or (max_size and parts[position].size > max_size):
            is_chosen[position], masses[position] = False, below
    is_chosen[0] = False
    return _labelled(parts, is_chosen, count)


def _mass(parts: list[_Part], part: _Part) -> float:
    fallen = sum(density - part.birth for density in part.points.values())
    gone = zip(part.children, part.ends, strict=True)
    return fallen + sum((end - part.birth) * parts[child].size for child, end in gone)


def _labelled(parts: list[_Part], is_chosen: list[bool], count: int) -> Clustering:
    import numpy as np

    labels, weights = np.full(count, NOISE), np.zeros(count)
    owner = [NOISE] * len(parts)  # the uppermost chosen cluster that a part lies in
    for position, part in enumerate(parts):
        above = NOISE if part.parent == NOISE else owner[part.parent]
        owner[position] = position if above == NOISE and is_chosen[position] else above
        if owner[position] != NOISE:
            densest = _densest(parts[owner[position]])
            for point, density in part.points.items():
                labels[point] = owner[position]
                weights[point] = min(density, densest) / densest
    members = labels[labels != NOISE]
    parts_by_point, first = np.unique(members, return_index=True)
    rank = np.empty(len(first), dtype=np.intp)
    rank[np.argsort(first)] = np.arange(len(first))
    labels[labels != NOISE] = rank[np.searchsorted(parts_by_point, members)]
    return Clustering(labels, weights)


def _densest(part: _Part) -> float:
    return max((*part.points.values(), *part.ends))
