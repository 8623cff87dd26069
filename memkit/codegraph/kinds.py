"""The words of the code graph that stand in the file; `check (x in (…))` lists the same ones."""

from __future__ import annotations

from enum import StrEnum


class NodeKind(StrEnum):
    """What a node is; a section is a part of a document or of settings, under its heading. The last
    two are no rows of code_symbols."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    VARIABLE = "variable"
    SECTION = "section"
    FILE = "file"
    IMPORT = "import"


class SymbolKind(StrEnum):
    """What a symbol is."""

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    VARIABLE = "variable"
    SECTION = "section"


class RelationKind(StrEnum):
    """What an edge says of its two nodes."""

    CALLS = "calls"
    IMPORTS = "imports"
    USES = "uses"
    INHERITS = "inherits"
    REFERENCES = "references"
    OVERRIDES = "overrides"


class RelationState(StrEnum):
    """How sure an edge is; references that found nothing are only counted."""

    RESOLVED = "resolved"
    AMBIGUOUS = "ambiguous"


class FileStatus(StrEnum):
    """What became of a file."""

    PARSED = "parsed"
    LISTED = "listed"
    SKIPPED = "skipped"
    FAILED = "failed"
