"""Python's import statements as facts."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms


def import_modules(walker: PythonTerms, node: Node, scope: int) -> None:
    """Say what `import a.b, c as d` binds: a, and d; a.b is loaded as well."""
    for child in node.named_children:
        if child.type == "aliased_import":
            module, local = (_named(walker, part) for part in child.named_children[:2])
            walker.facts.add(scope, ("import", local, module, None, 0, walker.facts.site(child)))
        elif child.type == "dotted_name":
            module = _named(walker, child)
            top = module.partition(".")[0]
            site = walker.facts.site(child)
            walker.facts.add(scope, ("import", top, top, None, 0, site))
            if top != module:
                walker.facts.add(scope, ("import", "", module, None, 0, site))


def import_from(walker: PythonTerms, node: Node, scope: int) -> None:
    """Say what `from a import b as c` binds."""
    module, level = "", 0
    for place, child in enumerate(node.named_children):
        kind = child.type
        if kind == "relative_import":
            text = _named(walker, child)
            module = text.lstrip(".")
            level = len(text) - len(module)
        elif kind == "wildcard_import":
            _taken(walker, node, scope, ("", module, "*", level))
        elif kind == "aliased_import":
            name, local = (_named(walker, part) for part in child.named_children[:2])
            _taken(walker, child, scope, (local, module, name, level))
        elif kind == "dotted_name":
            name = _named(walker, child)
            if place == 0:
                module = name
            else:
                _taken(walker, child, scope, (name, module, name, level))


def _taken(walker: PythonTerms, node: Node, scope: int, what: tuple[str, str, str, int]) -> None:
    walker.facts.add(scope, ("import", *what, walker.facts.site(node)))


def _named(walker: PythonTerms, node: Node) -> str:
    """Return a dotted name without the white space, and lines that go on, between its parts."""
    name = walker.facts.name(node)
    return name if name.isidentifier() else "".join(name.replace("\\", "").split())
