"""Tag inference: labels for memories without any, from their places and neighbours.

Seed 002, Tags (Explicit) and Tag Inference: "multiple memories share context: infer a common tag if
none exists". A memory that was given a tag gets no other, and a private one neither gets nor gives
any. An inferred tag is an edge that weighs less than a given one (memories/writer.py): it
reads as such in the shell, a given one goes before it in a merge, and one that is taken away does
not come back.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

import attrs

from ..codegraph.languages import dialect_of
from ..memories import writer
from ..memories.identity import tag_id, tag_name
from ..text.analyzer import words_of
from . import clusters

if TYPE_CHECKING:
    from ..memories.search_index import Index
    from ..store.store import Row, Store
    from .plan import RunEnvironment

# Tags that one memory gets at most.
MAX_TAGS = 3
# Letters of a text that are read.
MAX_READ = 2_000
# Nearest memories that are asked for a tag. Of those that three of five carry, given tags agree
# with 74 of 100; of those that two carry and the text names, 73; one alone, 55 (eight projects).
NEAREST, AGREEING, AGREEING_IF_NAMED = 5, 3, 2
# Share of the others of a cluster that carry a tag (71 of 100 agree; at half of them 38).
CLUSTER_SHARE = 2 / 3
# Others about the same folder that carry a tag, and their share (70 of 100 agree).
MIN_IN_FOLDER, FOLDER_SHARE = 2, 0.5
# A tag with it says what is to be done (guard:deny), not what a memory is about.
_STEERS = ":"
# Sessions that show two memories together, and how many a session may show to tell something.
MIN_SESSIONS, MAX_SHOWN = 3, 50
# A folder or language says nothing if more than this share of the files are of it.
MAX_SHARE = 0.5


class TagEvidence(StrEnum):
    """What a tag is inferred from, the surest first."""

    NEAREST = "nearest memories carry it"
    NAMED = "its text names it, and near memories carry it"
    CLUSTER = "its cluster carries it"
    FOLDER = "memories about the same folder carry it"
    TOGETHER = "memories shown together with it carry it"
    PLACE = "it is about files of that folder"
    LANGUAGE = "it is about files of that language"


# Share of cases in which given tags agree, as measured for the first four; the fifth is set beside
# them, and the last two are true, but tell little.
SCORES = {
    TagEvidence.NEAREST: 0.74,
    TagEvidence.NAMED: 0.73,
    TagEvidence.CLUSTER: 0.71,
    TagEvidence.FOLDER: 0.70,
    TagEvidence.TOGETHER: 0.70,
    TagEvidence.PLACE: 0.5,
    TagEvidence.LANGUAGE: 0.4,
}


@attrs.frozen
class TagChange:
    """Tag that a memory is to get.

    Attributes:
        other_id: node of the tag. score: how likely it is the right one. reason: what says so.
    """

    memory_id: int
    other_id: int
    tag: str
    score: float
    reason: str


@attrs.frozen
class _Source:
    """Memory as tags are inferred from it."""

    id: int
    project: str
    text: str
    tags: tuple[str, ...]
    inferred: tuple[str, ...]
    paths: tuple[str, ...]

    @classmethod
    def of(cls, row: Row) -> _Source:
        """Return the source that a row of `consolidation_tags.sources` is."""
        return cls(*row[:3], *(tuple(json.loads(names)) for names in row[3:]))

    @property
    def folders(self) -> set[PurePosixPath]:
        """The folders of the files that it is about."""
        parents = (PurePosixPath(path).parent for path in self.paths)
        return {parent for parent in parents if parent.name}


Votes = dict[str, TagEvidence]


def plan_tags(environment: RunEnvironment) -> list[TagChange]:
    """Return the tags that memories without any are to get, in the order of memories."""
    store, index = environment.store, environment.index
    rows = store.all("consolidation_tags.sources", max_chars=MAX_READ)
    by_project: dict[str, dict[int, _Source]] = defaultdict(dict)
    for source in map(_Source.of, rows):
        by_project[source.project][source.id] = source
    withdrawn = set(store.all("consolidation_tags.withdrawn"))
    changes = [
        change
        for sources in by_project.values()
        for change in _planned(_Inference(store, index, sources), sources)
        if (change.memory_id, change.other_id) not in withdrawn
    ]
    return sorted(changes, key=lambda change: (change.memory_id, -change.score, change.tag))


def apply_tag(environment: RunEnvironment, change: TagChange) -> None:
    """Give a memory a tag that was planned; inside `write`."""
    writer.infer_tag(environment.store, change.memory_id, change.tag)


def _planned(inference: _Inference, sources: Mapping[int, _Source]) -> Iterator[TagChange]:
    for source in sources.values():
        room = MAX_TAGS - len(source.inferred)
        if source.tags or room <= 0:
            continue
        votes = inference.votes(source)
        ranked = sorted(votes, key=lambda tag: (-SCORES[votes[tag]], tag))
        for tag in [tag for tag in ranked if tag not in source.inferred][:room]:
            evidence = votes[tag]
            yield TagChange(source.id, tag_id(tag), tag, SCORES[evidence], evidence.value)


class _Inference:
    """What is known of the memories of one project, by which tags are inferred."""

    def __init__(self, store: Store, index: Index, sources: Mapping[int, _Source]) -> None:
        self._sources = sources
        self._near = _nearest(store, index, sources)
        self._clusters = _clusters(store, sources)
        self._together = _together(store, sources)
        self._by_folder: dict[PurePosixPath, set[int]] = defaultdict(set)
        self._below: dict[PurePosixPath, set[int]] = defaultdict(set)
        for source in sources.values():
            for folder in source.folders:
                self._by_folder[folder].add(source.id)
                for place in (folder, *folder.parents):
                    self._below[place].add(source.id)
        self._folder_names = Counter(folder.name for folder in self._below)
        about = [source for source in sources.values() if source.paths]
        self._enough = len(about) * MAX_SHARE
        self._languages = Counter(name for s in about for name in _languages(s.paths))

    def votes(self, source: _Source) -> Votes:
        """Return the tags that anything speaks for, each with the surest evidence."""
        votes: Votes = {}
        for evidence, tags in self._evidence(source):
            for tag in tags:
                votes.setdefault(tag, evidence)
        return votes

    def _evidence(self, source: _Source) -> Iterator[tuple[TagEvidence, Iterable[str]]]:
        near = self._counts(self._near.get(source.id, ()))
        words = set(words_of(source.text))
        yield TagEvidence.NEAREST, [tag for tag, n in near.items() if n >= AGREEING]
        yield (
            TagEvidence.NAMED,
            [t for t, n in near.items() if n >= AGREEING_IF_NAMED and _is_named(t, words)],
        )
        yield TagEvidence.CLUSTER, self._common(self._clusters.get(source.id, ()), CLUSTER_SHARE)
        same = {n for folder in source.folders for n in self._by_folder[folder]} - {source.id}
        yield TagEvidence.FOLDER, self._common(same, FOLDER_SHARE)
        yield TagEvidence.TOGETHER, self._common(self._together.get(source.id, ()), CLUSTER_SHARE)
        yield TagEvidence.PLACE, self._places(source)
        yield (
            TagEvidence.LANGUAGE,
            [name for name in _languages(source.paths) if self._tells(self._languages[name])],
        )

    def _counts(self, ids: Iterable[int]) -> Counter[str]:
        tags = (tag for number in ids for tag in self._sources[number].tags)
        return Counter(tag for tag in tags if _STEERS not in tag)

    def _common(self, ids: Collection[int], share: float) -> list[str]:
        """Return the tags that at least two of some memories carry, and this share of them."""
        enough = max(MIN_IN_FOLDER, share * len(ids))
        return [tag for tag, n in self._counts(ids).items() if n >= enough]

    def _places(self, source: _Source) -> list[str]:
        """Return for each folder of a memory the name of the innermost one around it that tells
        something: a name that several folders bear (src, tests) does not."""
        places = (
            next((p for p in (folder, *folder.parents) if self._is_telling(p)), None)
            for folder in sorted(source.folders)
        )
        return [tag_name(place.name) for place in places if place is not None]

    def _is_telling(self, folder: PurePosixPath) -> bool:
        name = folder.name
        is_own = self._folder_names[name] == 1 and name.replace("-", "_").isidentifier()
        return is_own and self._tells(len(self._below[folder]))

    def _tells(self, count: int) -> bool:
        return MIN_IN_FOLDER <= count <= self._enough


def _is_named(tag: str, words: Collection[str]) -> bool:
    parts = words_of(tag)
    return bool(parts) and all(part in words for part in parts)


def _languages(paths: Iterable[str]) -> set[str]:
    dialects = (dialect_of(path) for path in paths)
    return {dialect.name for dialect in dialects if dialect is not None}


def _nearest(
    store: Store, index: Index, sources: Mapping[int, _Source]
) -> dict[int, Sequence[int]]:
    """Return the nearest others of each memory that has a vector."""
    near = clusters.nearest_memories(store, index, NEAREST)
    return {
        number: [other for other in others if other in sources]
        for number, others in near.items()
        if number in sources
    }


def _clusters(store: Store, sources: Mapping[int, _Source]) -> dict[int, set[int]]:
    """Return the other members of the cluster of each memory that lies in one."""
    members: dict[int, set[int]] = defaultdict(set)
    cluster_of = clusters.clusters_of(store, sources)
    for number, (cluster, _) in cluster_of.items():
        members[cluster].add(number)
    return {number: members[cluster] - {number} for number, (cluster, _) in cluster_of.items()}


def _together(store: Store, sources: Mapping[int, _Source]) -> dict[int, set[int]]:
    """Return the memories that were shown together with each."""
    pairs = store.all("consolidation_tags.together", min_sessions=MIN_SESSIONS, max_shown=MAX_SHOWN)
    together: dict[int, set[int]] = defaultdict(set)
    for first, second in pairs:
        if first in sources and second in sources:
            together[first].add(second)
            together[second].add(first)
    return together
