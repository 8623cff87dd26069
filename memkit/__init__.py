"""The memory of a coding agent in one SQLite file beside the repository.

    import memkit

    with memkit.open(".memkit.db") as kit:
        kit.memories.remember("Never retry a POST: uploads were doubled.", kind="negative")
        for hit in kit.recall("may I retry an upload?"):
            print(hit.score, hit.memory.text, hit.reasons)

Where to read on:

    help(memkit.open)              the file: where it lies, how it is made, read-only, encoders
    help(memkit.Memkit)            recall, explain, import, export, check; the facades:
    help(memkit.Memories)            kit.memories   what was said: remember, find, supersede, forget
    help(memkit.Episodes)            kit.episodes   what was done: events, patterns, predict
    help(memkit.CodeGraph)           kit.codegraph  the code: symbols, callers, dependencies, map
    help(memkit.Context)             kit.context    scopes: what a task noted, what holds where
    help(memkit.Context)             kit.context    what is put before a model, within a budget
    help(memkit.Draft)             what a memory can say of itself; memkit.Memory is what comes back
    help(memkit.RecallResult)      the answer of recall: hits (memkit.Hit), notes, episodes

Every failure is a memkit.MemkitError that names what was given, what is expected and what to do
next; memkit.InvalidInput is a ValueError, memkit.NotFound a LookupError.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .errors import (
    ContextOverflow,
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
    from .agents.extraction import Dropped, ExtractionResult
    from .agents.guard import GuardDecision, GuardResult, GuardWarning
    from .agents.memory_agent import MemoryAgent, Turn
    from .agents.review import Review
    from .codegraph.codegraph import CodeGraph
    from .codegraph.index.indexer import IndexReport
    from .codegraph.query.code_search import CodeSearchResult
    from .codegraph.query.repo_map import CodeMap
    from .codegraph.records import CodeNode, CodeResult, GraphStatus
    from .consolidation.clusters import Cluster, ClusterReport, SimilarMemory
    from .consolidation.code_patterns import CodePattern, Shape
    from .consolidation.consolidation import Consolidation
    from .consolidation.contradiction_scan import ScanReport
    from .consolidation.feedback import UseReport
    from .consolidation.plan import ChangeAction, PlannedChange
    from .consolidation.runs import (
        ConsolidationChange,
        ConsolidationReport,
        ConsolidationRun,
        RunState,
        UndoReport,
    )
    from .context.assembled import Activity, AssembledContext, AssembledItem, LeftOut, Tier
    from .context.backend import Backend, ContextItem, InMemoryBackend, ItemKind
    from .context.compaction import CompactionResult
    from .context.context import Context
    from .context.documents import Document
    from .context.memory_levels import LevelName, MemoryLevel
    from .context.pruning import PrunedMessages, Removal
    from .context.relevance import ItemType
    from .context.scopes import ContextPackage, GlobalScope, ProjectScope, TaskScope
    from .context.session_context import HistoryEntry, SessionContext, SessionTask
    from .context.sessions import SavedContext
    from .context.signals import ContextSignals
    from .context.spans import RemovedSpan
    from .context.transcripts import SavedTranscript
    from .context.window import ContextWindow, WindowItem, WindowPruning, WindowSnapshot
    from .episodes.episodes import Episodes
    from .episodes.git_history import MineReport
    from .episodes.patterns import Learning, LearnReport, Pattern
    from .episodes.predictions import PredictionResult, Signal
    from .episodes.recording.session import Session, Task
    from .episodes.records import FileOperation, RecordResult, TaskStatus
    from .episodes.redundant_calls import RedundantCall
    from .episodes.results import (
        CoEdit,
        EpisodeStats,
        ErrorOccurrence,
        FailedAttempt,
        FileEvent,
        FileHistory,
        FileInteraction,
        FileOwner,
        HotFile,
        SessionRecord,
        SessionSummary,
        SimilarTask,
        TaskRecord,
        ToolExecution,
        ToolStats,
    )
    from .interchange.notes_importer import ImportReport
    from .kit import Memkit, open
    from .maintenance import Stats, TrimReport
    from .memories.memories import Memories
    from .memories.outcomes import StepOutcome, StepRecord
    from .memories.pair_detection import DetectedPair
    from .memories.records import (
        Artifact,
        AuditEntry,
        Contradiction,
        Draft,
        Edge,
        EdgeKind,
        Form,
        InactiveCode,
        Kind,
        Memory,
        MemoryDetails,
        MemoryList,
        PairVerdict,
        Procedure,
        Provenance,
        ProvenanceLink,
        RememberResult,
        Scope,
    )
    from .memories.scrub import ScrubReport
    from .retrieval.records import (
        AttemptHit,
        ErrorFix,
        ErrorHit,
        Explanation,
        Gap,
        Hit,
        RecallResult,
        Source,
        TaskHit,
    )
    from .store.integrity import CheckReport, Problem
    from .store.named_queries import Query

__version__ = "0.1.0"

__all__ = [
    "Activity", "Artifact", "AssembledContext", "AssembledItem", "AttemptHit", "AuditEntry",
    "Backend", "ChangeAction", "CheckReport", "Cluster", "ClusterReport", "CoEdit", "CodeGraph",
    "CodeMap", "CodeNode", "CodePattern", "CodeResult", "CodeSearchResult", "CompactionResult",
    "Consolidation", "ConsolidationChange", "ConsolidationReport", "ConsolidationRun",
    "Context", "ContextItem", "ContextOverflow", "ContextPackage", "ContextSignals",
    "ContextWindow", "Contradiction", "DetectedPair", "Disabled", "Document", "Draft",
    "Dropped", "Edge", "EdgeKind", "EncoderError", "EpisodeStats", "Episodes", "ErrorFix",
    "ErrorHit", "ErrorOccurrence", "Explanation", "ExtractionResult", "FailedAttempt",
    "FileEvent", "FileHistory", "FileInteraction", "FileOperation", "FileOwner",
    "ForeignObject", "Form", "Gap", "GlobalScope", "GraphStatus", "GuardDecision",
    "GuardResult", "GuardWarning", "HistoryEntry", "Hit", "HotFile", "ImportReport",
    "InMemoryBackend", "InactiveCode", "IndexReport", "InvalidInput", "ItemKind", "ItemType",
    "Kind", "LearnReport", "Learning", "LeftOut", "LevelName", "Memkit", "MemkitError",
    "Memories", "Memory", "MemoryAgent", "MemoryDetails", "MemoryLevel", "MemoryList",
    "MineReport", "ModelChanged", "ModelMissing", "NotAMemkitFile", "NotFound", "PairVerdict",
    "Pattern", "PlannedChange", "PredictionResult", "Problem", "Procedure", "ProjectScope",
    "Provenance", "ProvenanceLink", "PrunedMessages", "Query", "RecallResult", "RecordResult",
    "RedundantCall", "RememberResult", "Removal", "RemovedSpan", "Review", "RunState",
    "SavedContext", "SavedTranscript", "ScanReport", "SchemaTooNew", "Scope", "ScrubReport",
    "SecretFound", "Session", "SessionContext", "SessionRecord", "SessionSummary",
    "SessionTask", "Shape", "Signal", "SimilarMemory", "SimilarTask", "Source", "Stats",
    "StepOutcome", "StepRecord", "StoreBusy", "StoreDamaged", "StoreError", "StoreFull",
    "StoreMoved", "StoreReadOnly", "Task", "TaskHit", "TaskRecord", "TaskScope", "TaskStatus",
    "Tier", "ToolExecution", "ToolStats", "TrimReport", "Turn", "UndoReport", "UseReport",
    "WindowItem", "WindowPruning", "WindowSnapshot", "open",
]  # fmt: skip

# Names, in words, by the module that holds them.
_HOMES = {
    "agents.guard": "GuardDecision GuardResult GuardWarning",
    "agents.memory_agent": "MemoryAgent Turn",
    "agents.extraction": "Dropped ExtractionResult",
    "agents.review": "Review",
    "codegraph.codegraph": "CodeGraph",
    "consolidation.clusters": "Cluster ClusterReport SimilarMemory",
    "consolidation.consolidation": "Consolidation",
    "consolidation.feedback": "UseReport",
    "memories.outcomes": "StepRecord StepOutcome",
    "consolidation.contradiction_scan": "ScanReport",
    "context.backend": "Backend ContextItem InMemoryBackend ItemKind",
    "context.scopes": "ContextPackage GlobalScope ProjectScope TaskScope",
    "context.assembled": "Activity AssembledContext AssembledItem LeftOut Tier",
    "consolidation.plan": "ChangeAction PlannedChange",
    "consolidation.runs":
        "ConsolidationChange ConsolidationReport ConsolidationRun RunState UndoReport",
    "context.context": "Context",
    "context.signals": "ContextSignals",
    "episodes.episodes": "Episodes",
    "memories.memories": "Memories",
    "codegraph.index.indexer": "IndexReport",
    "codegraph.query.code_search": "CodeSearchResult",
    "codegraph.query.repo_map": "CodeMap",
    "codegraph.records": "CodeNode CodeResult GraphStatus",
    "context.compaction": "CompactionResult",
    "context.session_context": "HistoryEntry SessionContext SessionTask",
    "context.documents": "Document",
    "context.sessions": "SavedContext",
    "context.transcripts": "SavedTranscript",
    "consolidation.code_patterns": "CodePattern Shape",
    "context.memory_levels": "LevelName MemoryLevel",
    "context.spans": "RemovedSpan",
    "context.pruning": "PrunedMessages Removal",
    "context.relevance": "ItemType",
    "context.window": "ContextWindow WindowItem WindowPruning WindowSnapshot",
    "episodes.git_history": "MineReport",
    "episodes.patterns": "LearnReport Learning Pattern",
    "episodes.predictions": "PredictionResult Signal",
    "episodes.recording.session": "Session Task",
    "episodes.records": "FileOperation RecordResult TaskStatus",
    "episodes.redundant_calls": "RedundantCall",
    "episodes.results": "CoEdit EpisodeStats ErrorOccurrence FailedAttempt FileEvent FileHistory "
        "FileInteraction FileOwner HotFile SessionRecord SessionSummary SimilarTask TaskRecord "
        "ToolExecution ToolStats",
    "interchange.notes_importer": "ImportReport",
    "kit": "Memkit open",
    "maintenance": "Stats TrimReport",
    "memories.records":
        "Artifact AuditEntry Contradiction Draft Edge EdgeKind Form InactiveCode Kind Memory "
        "MemoryDetails MemoryList PairVerdict Procedure Provenance ProvenanceLink "
        "RememberResult Scope",
    "memories.pair_detection": "DetectedPair",
    "memories.scrub": "ScrubReport",
    "retrieval.records":
        "AttemptHit ErrorFix ErrorHit Explanation Gap Hit RecallResult Source TaskHit",
    "store.integrity": "CheckReport Problem",
    "store.named_queries": "Query",
}  # fmt: skip


def __getattr__(name: str) -> object:
    """Return an exported name, from the module that holds it."""
    for home, names in _HOMES.items():
        if name in names.split():
            value: object = getattr(import_module(f".{home}", __name__), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
