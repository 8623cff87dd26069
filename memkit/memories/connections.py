"""What hangs on a memory, as frozen records: edges, provenance, artifacts, changes."""

from __future__ import annotations

import attrs

from .kinds import ArtifactKind, EdgeKind, Provenance, Resolution


@attrs.frozen
class Edge:
    """A relation of a memory; ids below zero are tags and clusters."""

    src: int
    dst: int
    kind: EdgeKind = attrs.field(converter=EdgeKind)
    weight: float
    created_at: str


@attrs.frozen
class Contradiction:
    """Two memories that cannot both be true."""

    memory_a: int
    memory_b: int
    detected_at: str
    resolved_at: str | None
    resolution: Resolution | None
    note: str | None


@attrs.frozen
class ProvenanceLink:
    """One link of a provenance chain."""

    noted_at: str
    source: Provenance = attrs.field(converter=Provenance)
    session: str | None
    snippet: str | None
    reason: str | None


@attrs.frozen
class Artifact:
    """What belongs to a memory: a commit, a pull request, a decision record, a file."""

    kind: ArtifactKind = attrs.field(converter=ArtifactKind)
    reference: str


@attrs.frozen
class Change:
    """One thing that was done to a memory, when (UTC text), and what of it (JSON)."""

    at: str
    verb: str
    detail: str | None
