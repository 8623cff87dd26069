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
    from .codegraph.index.indexer import IndexReport
    from .codegraph.query.code_search import Relevant
    from .codegraph.query.repo_map import CodeMap
    from .codegraph.records import CodeAnswer, GraphStatus, Node
    from .episodes.git_history import Mined
    from .episodes.patterns import Learning, Learnt, Pattern
    from .episodes.predictions import Forecast, Signal
    from .episodes.recording.session import Session, Task
    from .episodes.records import (
        Execution,
        Interaction,
        Operation,
        RecordResult,
        SessionRecord,
        Status,
        TaskRecord,
    )
    from .episodes.redundant_calls import Held
    from .episodes.results import (
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
    from .interchange.notes_importer import ImportReport
    from .kit import Memkit, open
    from .maintenance import Stats, Trimmed
    from .memories.records import (
        Artifact,
        Change,
        Contradiction,
        Draft,
        Edge,
        EdgeKind,
        Form,
        InactiveCode,
        Kind,
        Memory,
        MemoryList,
        Procedure,
        Provenance,
        ProvenanceLink,
        Remembered,
        Scope,
    )
    from .memories.scrub import Scrubbed
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
    from .store.integrity import CheckReport, Problem
    from .store.named_queries import Query

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
    "InactiveCode",
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
    "RecordResult",
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
    "codegraph.index.indexer": ("IndexReport",),
    "codegraph.query.code_search": ("Relevant",),
    "codegraph.query.repo_map": ("CodeMap",),
    "codegraph.records": (
        "CodeAnswer",
        "GraphStatus",
        "Node",
    ),
    "episodes.git_history": ("Mined",),
    "episodes.patterns": (
        "Learning",
        "Learnt",
        "Pattern",
    ),
    "episodes.predictions": (
        "Forecast",
        "Signal",
    ),
    "episodes.recording.session": (
        "Session",
        "Task",
    ),
    "episodes.records": (
        "Execution",
        "Interaction",
        "Operation",
        "RecordResult",
        "SessionRecord",
        "Status",
        "TaskRecord",
    ),
    "episodes.redundant_calls": ("Held",),
    "episodes.results": (
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
    "interchange.notes_importer": ("ImportReport",),
    "kit": (
        "Memkit",
        "open",
    ),
    "maintenance": (
        "Stats",
        "Trimmed",
    ),
    "memories.records": (
        "Artifact",
        "Change",
        "Contradiction",
        "Draft",
        "Edge",
        "EdgeKind",
        "Form",
        "InactiveCode",
        "Kind",
        "Memory",
        "MemoryList",
        "Procedure",
        "Provenance",
        "ProvenanceLink",
        "Remembered",
        "Scope",
    ),
    "memories.scrub": ("Scrubbed",),
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
    "store.integrity": (
        "CheckReport",
        "Problem",
    ),
    "store.named_queries": ("Query",),
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
