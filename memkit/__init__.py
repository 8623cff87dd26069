"""The memory of a coding agent in one SQLite file beside the repository.

import memkit

with memkit.open(".memkit.db") as kit:
    kit.memories.remember("Never retry a POST: uploads were doubled.", kind="negative")
    for hit in kit.recall("may I retry an upload?"):
        print(hit.score, hit.memory.text, hit.reasons)
"""

from __future__ import annotations

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
from .kit import Memkit, open
from .memories.records import (
    Draft,
    Edge,
    EdgeKind,
    Form,
    Kind,
    Memory,
    Procedure,
    Provenance,
    Remembered,
    Scope,
)
from .retrieval.records import Hit, Recall, Recipe, Why
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
    "Hit",
    "InvalidInput",
    "Kind",
    "Memkit",
    "MemkitError",
    "Memory",
    "ModelChanged",
    "ModelMissing",
    "NotAMemkitFile",
    "NotFound",
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
    "StoreBusy",
    "StoreDamaged",
    "StoreError",
    "StoreFull",
    "StoreMoved",
    "StoreReadOnly",
    "Why",
    "open",
]
