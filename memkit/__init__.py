"""The memory of a coding agent in one SQLite file beside the repository.

import memkit

with memkit.open(".memkit.db") as kit:
    kit.memories.remember("Never retry a POST: uploads were doubled.", kind="negative")
    for hit in kit.recall("may I retry an upload?"):
        print(hit.score, hit.memory.text, hit.reasons)

Names are loaded when they are first used: a command that only says its version, and a hook that
has nothing to do, need not pay for the rest (bench/imports.py).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    Disabled,
    EncoderError,
    ForeignObject,
    InvalidInput,
    MemkitError,
    ModelChanged,
    ModelMissing,
    NotAMemkitFile,
    NotFound,
    SchemaTooNew,
    SecretFound,
    StoreBusy,
    StoreDamaged,
    StoreError,
    StoreFull,
    StoreMoved,
    StoreReadOnly,
)

if TYPE_CHECKING:
    from .codegraph.indexing import IndexReport
    from .codegraph.mapping import CodeMap
    from .codegraph.records import CodeAnswer, GraphStatus, Node
    from .codegraph.relevance import Relevant
    from .episodes.answers import (
        Attempt,
        CoEdit,
        EpisodeStats,
        FileEvent,
        HotFile,
        Owner,
        SeenError,
        SimilarTask,
        Summary,
        ToolStats,
        Worked,
    )
    from .episodes.git.mining import Mined
    from .episodes.kinds import Operation, Status
    from .episodes.patterns.records import Learning, Learnt, Pattern
    from .episodes.predictions.signals import Forecast, Signal
    from .episodes.questions.holding import Held
    from .episodes.recording.recording import Session, Task
    from .episodes.records import Execution, Interaction, Recorded, SessionRecord, TaskRecord
    from .interchange.notes_importer import ImportReport
    from .kit import Memkit
    from .memories.connections import Artifact, Change, Contradiction, Edge, ProvenanceLink
    from .memories.kinds import EdgeKind, Form, Kind, Provenance, Scope
    from .memories.records import Draft, Memory, MemoryList, Procedure, Remembered
    from .memories.scrubbing import Scrubbed
    from .opened import open
    from .retrieval.records import (
        AttemptHit,
        ErrorFix,
        ErrorHit,
        Gap,
        Hit,
        Recall,
        Recipe,
        Source,
        TaskHit,
        Why,
    )
    from .statistics import Stats
    from .store.check import CheckReport, Problem
    from .store.sqlfiles import Query
    from .upkeep import Trimmed

__version__ = "0.1.0"

__all__ = [
    "Artifact",
    "Attempt",
    "AttemptHit",
    "Change",
    "CheckReport",
    "CoEdit",
    "CodeAnswer",
    "CodeMap",
    "Contradiction",
    "Disabled",
    "Draft",
    "Edge",
    "EdgeKind",
    "EncoderError",
    "EpisodeStats",
    "ErrorFix",
    "ErrorHit",
    "Execution",
    "FileEvent",
    "Forecast",
    "ForeignObject",
    "Form",
    "Gap",
    "GraphStatus",
    "Held",
    "Hit",
    "HotFile",
    "ImportReport",
    "IndexReport",
    "Interaction",
    "InvalidInput",
    "Kind",
    "Learning",
    "Learnt",
    "Memkit",
    "MemkitError",
    "Memory",
    "MemoryList",
    "Mined",
    "ModelChanged",
    "ModelMissing",
    "Node",
    "NotAMemkitFile",
    "NotFound",
    "Operation",
    "Owner",
    "Pattern",
    "Problem",
    "Procedure",
    "Provenance",
    "ProvenanceLink",
    "Query",
    "Recall",
    "Recipe",
    "Recorded",
    "Relevant",
    "Remembered",
    "SchemaTooNew",
    "Scope",
    "Scrubbed",
    "SecretFound",
    "SeenError",
    "Session",
    "SessionRecord",
    "Signal",
    "SimilarTask",
    "Source",
    "Stats",
    "Status",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMoved",
    "StoreReadOnly",
    "Summary",
    "Task",
    "TaskHit",
    "TaskRecord",
    "ToolStats",
    "Trimmed",
    "Why",
    "Worked",
    "open",
]

# Which module holds which name.
_HOMES = {
    "codegraph.indexing": ("IndexReport",),
    "codegraph.mapping": ("CodeMap",),
    "codegraph.records": ("CodeAnswer", "GraphStatus", "Node"),
    "codegraph.relevance": ("Relevant",),
    "episodes.answers": (
        "Attempt",
        "CoEdit",
        "EpisodeStats",
        "FileEvent",
        "HotFile",
        "Owner",
        "SeenError",
        "SimilarTask",
        "Summary",
        "ToolStats",
        "Worked",
    ),
    "episodes.git.mining": ("Mined",),
    "episodes.kinds": ("Operation", "Status"),
    "episodes.patterns.records": ("Learning", "Learnt", "Pattern"),
    "episodes.predictions.signals": ("Forecast", "Signal"),
    "episodes.questions.holding": ("Held",),
    "episodes.recording.recording": ("Session", "Task"),
    "episodes.records": ("Execution", "Interaction", "Recorded", "SessionRecord", "TaskRecord"),
    "interchange.notes_importer": ("ImportReport",),
    "kit": ("Memkit",),
    "memories.connections": ("Artifact", "Change", "Contradiction", "Edge", "ProvenanceLink"),
    "memories.kinds": ("EdgeKind", "Form", "Kind", "Provenance", "Scope"),
    "memories.records": ("Draft", "Memory", "MemoryList", "Procedure", "Remembered"),
    "memories.scrubbing": ("Scrubbed",),
    "opened": ("open",),
    "retrieval.records": (
        "AttemptHit",
        "ErrorFix",
        "ErrorHit",
        "Gap",
        "Hit",
        "Recall",
        "Recipe",
        "Source",
        "TaskHit",
        "Why",
    ),
    "statistics": ("Stats",),
    "store.check": ("CheckReport", "Problem"),
    "store.sqlfiles": ("Query",),
    "upkeep": ("Trimmed",),
}


def __getattr__(name: str) -> object:
    """Return an exported name, from the module that holds it."""
    for home, names in _HOMES.items():
        if name in names:
            value: object = getattr(import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
