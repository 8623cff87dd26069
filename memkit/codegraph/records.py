"""Records of the code graph: nodes, answers, coverage and status."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum

import attrs

from ..frozen import RecordSequence, frozen

# --- Enums whose words stand in the file; `check (x in (…))` lists the same ones.


class NodeKind(StrEnum):
    """What a node is; the last two are no rows of code_symbols.

    A section is a part of a document or of settings, under its heading.
    """

    FUNCTION = "function"
    METHOD = "method"
    CLASS = "class"
    VARIABLE = "variable"
    SECTION = "section"
    FILE = "file"
    IMPORT = "import"


class SymbolForm(StrEnum):
    """What a language calls a class, a function or a namespace that is more than that."""

    MODULE = "module"
    STRUCT = "struct"
    TRAIT = "trait"
    INTERFACE = "interface"
    ENUM = "enum"
    TYPE = "type"
    MACRO = "macro"


# Of several flags the first decides; a `type` is another name for one.
_FORMS = {
    "namespace": SymbolForm.MODULE, "trait": SymbolForm.TRAIT, "interface": SymbolForm.INTERFACE,
    "enum": SymbolForm.ENUM, "struct": SymbolForm.STRUCT, "alias": SymbolForm.TYPE,
    "macro": SymbolForm.MACRO,
}  # fmt: skip


def form_of(kind: str, flags: Collection[str]) -> str:
    """Return what a language calls a symbol: by its flags, else its kind."""
    if kind not in (NodeKind.CLASS, NodeKind.FUNCTION):
        return kind
    return next((form for flag, form in _FORMS.items() if flag in flags), kind)


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


# --- Nodes, results and their coverage.


@frozen
class EdgePath:
    """How a node came into an answer.

    Attributes:
        kind: calls, imports, uses, inherits, references or overrides.
        tier: what found it: scope, local, only, candidate, flow.
        state: resolved, or ambiguous: one of several candidates.
        path, line: where it stands.
        text: that line, without the spaces around it; "" if the file has changed since.
        of: id of the node at the other end: one that was asked for, or a step nearer to it.
        depth: steps from what was asked for.
    """

    kind: str
    tier: str
    state: str
    path: str
    line: int
    of: int
    depth: int = 1
    text: str = ""


@frozen
class Details:
    """What is known of a symbol besides its place in the graph.

    Attributes:
        signature: one line, as written.
        doc: first line of its docstring or comment.
        column: from 1, in characters.
        start, end: bytes in the file's text as UTF-8, end excluded.
        scope: kind of the scope around it: module, class, function or block.
    """

    signature: str
    doc: str
    column: int
    start: int
    end: int
    scope: str


@frozen
class CodeNode:
    """One file, function, method, class, variable, section of a document, or import.

    Attributes:
        id: number in the graph, 0 for an import; it ends with the derived tables, so nothing
            permanent may keep it.
        kind: file, function, method, class, variable, section or import.
        name: as written; of a file its path's last part.
        qualname: name inside the file, after those of what is around it; "" for a file.
        path: its file, relative to the root.
        language: of the file.
        line, end_line: from 1; 0 for a file that was not read.
        flags: static, async, property, exported, … (facts.py).
        digest: changes when its text does; 0 if unknown.
        via: how it came into the answer, or None.
        details: what takes a look into the file itself, or None where nobody asked for it.
        form: what its language calls it: module, struct, trait, interface, enum, type (another name
            for one), macro; else its kind.
    """

    id: int
    kind: str
    name: str
    qualname: str
    path: str
    language: str = ""
    line: int = 0
    end_line: int = 0
    flags: tuple[str, ...] = ()
    digest: int = 0
    via: EdgePath | None = None
    details: Details | None = None
    form: str = attrs.field(init=False)

    @form.default
    def _default_form(self) -> str:
        return form_of(self.kind, self.flags)

    @property
    def qualified(self) -> str:
        """The name by which nothing else is called: path::qualname."""
        return f"{self.path}::{self.qualname}" if self.qualname else self.path

    @property
    def module(self) -> str:
        """The dotted name in the way of Python: pkg.mod.Class.method."""
        return dotted(self.path, self.qualname)


@frozen
class Coverage:
    """How much of the tree an answer could see.

    Attributes:
        files, parsed: files in the graph, and those of them that were parsed.
        resolved, ambiguous, unresolved: references in parsed files, by what is known of them.
        left_out: number of files and folders by the reason why they were not read.
        failed: path and reason of files that should have been read and could not be (the first).
    """

    files: int
    parsed: int
    resolved: int
    ambiguous: int
    unresolved: int
    left_out: Mapping[str, int] = attrs.field(factory=dict)
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def share(self) -> float:
        """Share of references that are resolved, 0 to 1."""
        whole = self.resolved + self.ambiguous + self.unresolved
        return self.resolved / whole if whole else 1.0


@frozen
class CodeResult(RecordSequence[CodeNode]):
    """Nodes in order, with what a reader should know beside them.

    Attributes:
        nodes: the answer.
        coverage: how much of the tree it rests on.
        notes: what makes it less than it looks: an ambiguous name, a tree that has changed.
        is_near: whether nothing has the name that was asked for, and the nodes are of near names.
    """

    nodes: tuple[CodeNode, ...]
    coverage: Coverage
    notes: tuple[str, ...] = ()
    is_near: bool = False

    @property
    def _items(self) -> tuple[CodeNode, ...]:
        return self.nodes


@frozen
class GraphStatus:
    """How the graph stands to the tree.

    Attributes:
        root: folder that is indexed, as seen from the store's.
        coverage: files and references.
        symbols, edges: how many there are.
        by_kind, by_language: symbols by kind, files by language.
        changed, gone: files that differ from the graph, or are no longer there.
        notes: what else a reader should know.
    """

    root: str
    coverage: Coverage
    symbols: int
    edges: int
    by_kind: Mapping[str, int]
    by_language: Mapping[str, int]
    changed: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def is_current(self) -> bool:
        """Whether the tree is as it was indexed."""
        return not (self.changed or self.gone)


def dotted(path: str, qualname: str) -> str:
    """Return path and name as one dotted name: pkg/mod.py, A.b → pkg.mod.A.b."""
    stem, dot, _ = path.rpartition(".")
    module = (stem if dot else path).replace("/", ".").removesuffix(".__init__")
    return f"{module}.{qualname}" if qualname else module


def file_node(number: int, path: str, language: str, lines: int) -> CodeNode:
    """Return a file as a node."""
    name = path.rpartition("/")[2]
    return CodeNode(number, NodeKind.FILE, name, "", path, language, int(lines > 0), lines)
