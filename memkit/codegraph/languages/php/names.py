"""PHP: the walker, names of classes and functions, `use` declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import attrs

from ...facts import MODULE_SCOPE, Term
from ..walker import SyntaxWalker, child_of_type
from .library import BUILTIN_CLASSES

if TYPE_CHECKING:
    from tree_sitter import Node

# Node types of names of classes, functions and constants.
NAMES = ("name", "qualified_name", "relative_name")
# What may stand in front of `::` and means a class.
HOLDERS = (*NAMES, "relative_scope")
# Module that names of the language itself are said to be imported from: no file can declare it.
LANGUAGE_MODULE = "PHP"


@attrs.frozen
class ClassContext:
    """What the words `self`, `static` and `parent` mean, and what is known of the class.

    Attributes:
        own: term of the class.
        parent: term of the class that it extends.
        is_test: whether its methods named `test…` are tests.
    """

    own: Term = None
    parent: Term = None
    is_test: bool = False


class PhpWalker(SyntaxWalker):
    """Walker of PHP: knows its namespace, what `use` names, and the class that it is in.

    Names of variables and properties keep their `$`, which tells them from functions, methods and
    constants of the same name.

    Attributes:
        namespace: dotted name of the namespace at hand.
        class_aliases, function_aliases: dotted name of what `use` names, by the local name.
        context: the class around.
        known: what variables and properties were checked to be, by their texts.
        checks: where the checks stand that hold in some place.
        results: of each thing that a function gives, whether it is of the class of its object, by
            the function's scope.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.namespace = ""
        self.class_aliases: dict[str, str] = {}
        self.function_aliases: dict[str, str] = {}
        self.context = ClassContext()
        self.known: dict[str, Term] = {}
        self.checks: set[int] = set()
        self.results: dict[int, list[bool]] = {}
        self._imported: set[str] = set()

    def imported(self, dotted: str, *, is_builtin: bool) -> Term:
        """Return what reads a name of a namespace: an import without a statement."""
        module, _, name = dotted.rpartition(".")
        if not module and is_builtin:
            module = LANGUAGE_MODULE
        local = f"<{module}.{name}>"
        if local not in self._imported:
            self._imported.add(local)
            self.emit_in(MODULE_SCOPE, "import", local, module, name, 0, 0)
        return ("name", local)

    def class_term(self, text: str) -> Term:
        """Return the term of a class as it is written."""
        word = text.lower()
        if word in ("self", "static"):
            return self.context.own
        if word == "parent":
            return self.context.parent
        if "\\" not in text:
            return ("name", text)
        dotted = self._qualified_name(text)
        return self.imported(dotted, is_builtin=dotted in BUILTIN_CLASSES)

    def function_term(self, text: str) -> Term:
        """Return the term of a function or a constant as it is written."""
        if "\\" not in text:
            return ("name", text)
        dotted = self._qualified_name(text)
        return self.imported(dotted, is_builtin=dotted in self.dialect.builtin_names)

    def _qualified_name(self, text: str) -> str:
        """Return the dotted name of a qualified one: from the root, an alias or the namespace."""
        parts = text.split("\\")
        if not parts[0]:
            return ".".join(parts[1:])
        first = self.class_aliases.get(parts[0], "")
        if not first or parts[0] == "namespace":
            rest = parts[1:] if parts[0] == "namespace" else parts
            return ".".join([self.namespace, *rest] if self.namespace else rest)
        return ".".join([first, *parts[1:]])


def name_text(walker: SyntaxWalker, node: Node) -> str:
    """Return a qualified name as it is written, without spaces."""
    text = walker.name(node)
    return text if text.isidentifier() else "".join(text.split())


def dotted(walker: SyntaxWalker, node: Node) -> str:
    """Return a name from the root, dotted."""
    return name_text(walker, node).strip("\\").replace("\\", ".")


def namespace(walker: PhpWalker, node: Node) -> None:
    """`namespace A\\B;` and `namespace A\\B { … }`."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    walker.namespace = "" if named is None else dotted(walker, named)
    if body is not None:
        walker.run_all(body.named_children)


def use(walker: PhpWalker, node: Node) -> None:
    """`use A\\B as C, D;`, `use function A\\f;`, `use A\\{B, C as D};`."""
    body = node.child_by_field_name("body")
    listed = child_of_type(node, "namespace_name") if body is not None else None
    prefix = f"{dotted(walker, listed)}." if listed is not None else ""
    kind = next((child.type for child in node.children if child.type in _KINDS), "")
    for clause in (body or node).named_children:
        if clause.type == "namespace_use_clause":
            _use_clause(walker, clause, prefix, kind)


_KINDS = ("function", "const")


def _use_clause(walker: PhpWalker, node: Node, prefix: str, kind: str) -> None:
    typed, alias = node.child_by_field_name("type"), node.child_by_field_name("alias")
    kind = kind if typed is None else typed.type
    named = child_of_type(node, *NAMES)
    if named is None:
        return
    full = prefix + dotted(walker, named)
    module, _, name = full.rpartition(".")
    local = name if alias is None else walker.name(alias)
    aliases = walker.function_aliases if kind else walker.class_aliases
    aliases[local] = full
    if not module and not kind and name in BUILTIN_CLASSES:
        module = LANGUAGE_MODULE
    walker.hoist("import", local, module, name, 0, walker.site(node))
