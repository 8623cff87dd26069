"""The closed lists of words that memories are described with, and the weights that go with them."""

from __future__ import annotations

from enum import StrEnum


class Kind(StrEnum):
    """What sort of statement a memory is (seed 002, MemoryType)."""

    FACT = "fact"
    PREFERENCE = "preference"
    PROCEDURE = "procedure"
    CORRECTION = "correction"
    NEGATIVE = "negative"


class Form(StrEnum):
    """How a memory is compressed and rendered (seed 004, Memory Types)."""

    FACT = "fact"
    EPISODE = "episode"
    PATTERN = "pattern"
    WORKFLOW = "workflow"


class Scope(StrEnum):
    """How far a memory is visible, nearest first."""

    SESSION = "session"
    TASK = "task"
    PROJECT = "project"
    GLOBAL = "global"


class Provenance(StrEnum):
    """How a memory became known."""

    STATED = "stated"
    CORRECTED = "corrected"
    OBSERVED = "observed"
    INFERRED = "inferred"
    EXTRACTED = "extracted"


class EdgeKind(StrEnum):
    """Relations between memories, tags, clusters and code."""

    HAS_TAG = "has_tag"
    IN_CLUSTER = "in_cluster"
    RELATES_TO = "relates_to"
    SUPERSEDES = "supersedes"
    CONTRADICTS = "contradicts"
    DERIVED_FROM = "derived_from"
    ABOUT = "about"
    NEXT = "next"


class ArtifactKind(StrEnum):
    """Things outside that belong to a memory (seed 004, episode_artifacts)."""

    COMMIT = "commit"
    PR = "pr"
    ADR = "adr"
    FILE = "file"


class Resolution(StrEnum):
    """How a contradiction was settled."""

    A_WINS = "a_wins"
    B_WINS = "b_wins"
    BOTH_VALID = "both_valid"
    MERGED = "merged"


class Outcome(StrEnum):
    """What `remember` did."""

    STORED = "stored"
    STRENGTHENED = "strengthened"
    FOLDED = "folded"
    UPDATED = "updated"


# Weight of an edge whose maker gives none (seed 002, cascade_retrieve; `about` and `next` are
# ours).
EDGE_WEIGHTS = {
    EdgeKind.HAS_TAG: 0.8,
    EdgeKind.IN_CLUSTER: 0.6,
    EdgeKind.RELATES_TO: 0.5,
    EdgeKind.SUPERSEDES: 0.9,
    EdgeKind.CONTRADICTS: 0.3,
    EdgeKind.DERIVED_FROM: 0.3,
    EdgeKind.ABOUT: 0.8,
    EdgeKind.NEXT: 0.5,
}

# Weight of a source. The seeds ask for one and give no figures: stated by a person counts in full,
# what was seen to happen a little less, what was read out of a text or concluded less still.
TRUST = {
    Provenance.STATED: 1.0,
    Provenance.CORRECTED: 1.0,
    Provenance.OBSERVED: 0.9,
    Provenance.EXTRACTED: 0.8,
    Provenance.INFERRED: 0.6,
}
