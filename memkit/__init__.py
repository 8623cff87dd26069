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
    from .codegraph.records import Node
    from .episodes.kinds import Operation, Status
    from .episodes.recording import Session, Task
    from .episodes.signals import Signal
    from .interchange.intake import TakenIn
    from .kit import Memkit
    from .memories.kinds import EdgeKind, Form, Kind, Provenance, Scope
    from .memories.records import Draft, Edge, Memory, Procedure, Remembered
    from .opened import open
    from .retrieval.records import Gap, Hit, Recall, Recipe, Why
    from .store.check import Problem, Report

__version__ = "0.1.0"

__all__ = [
    "Disabled",
    "Draft",
    "Edge",
    "EdgeKind",
    "EncoderError",
    "ForeignObject",
    "Form",
    "Gap",
    "Hit",
    "InvalidInput",
    "Kind",
    "Memkit",
    "MemkitError",
    "Memory",
    "ModelChanged",
    "ModelMissing",
    "Node",
    "NotAMemkitFile",
    "NotFound",
    "Operation",
    "Problem",
    "Procedure",
    "Provenance",
    "Recall",
    "Recipe",
    "Remembered",
    "Report",
    "SchemaTooNew",
    "Scope",
    "SecretFound",
    "Session",
    "Signal",
    "Status",
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMoved",
    "StoreReadOnly",
    "TakenIn",
    "Task",
    "Why",
    "open",
]

# Which module holds which name.
_HOMES = {
    "codegraph.records": ("Node",),
    "episodes.kinds": ("Operation", "Status"),
    "episodes.recording": ("Session", "Task"),
    "episodes.signals": ("Signal",),
    "kit": ("Memkit",),
    "opened": ("open",),
    "interchange.intake": ("TakenIn",),
    "memories.kinds": ("EdgeKind", "Form", "Kind", "Provenance", "Scope"),
    "memories.records": ("Draft", "Edge", "Memory", "Procedure", "Remembered"),
    "retrieval.records": ("Gap", "Hit", "Recall", "Recipe", "Why"),
    "store.check": ("Problem", "Report"),
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
