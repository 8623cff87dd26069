"""Python's comprehensions as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms


def comprehension(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return the elements of a comprehension; its loops bind in a scope of its own."""
    body, *clauses = [child for child in node.named_children if child.type != "comment"]
    inner = walker.facts.open("block", scope)
    for clause in clauses:
        if clause.type == "for_in_clause":
            _clause(walker, clause, scope, inner)
        else:
            walker.lost(clause, inner)
    if body.type == "pair":
        key, value = walker.pair(body, inner)
        return ("dict", ((("in", inner, key), ("in", inner, value)),))
    kind = "set" if node.type == "set_comprehension" else "list"
    return (kind, (("in", inner, walker.term(body, inner)),))


def _clause(walker: PythonTerms, node: Node, scope: int, inner: int) -> None:
    target, *values = [child for child in node.named_children if child.type != "comment"]
    if not values:
        return
    *others, value = values
    for other in others:
        walker.do(other, inner)
    found = walker.term(value, inner)
    if found is not None and found[0] == "name":
        # `for x in x` reads the x outside.
        found = ("in", scope, found)
    walker.facts.add(
        inner, ("bind", walker.target(target, inner), ("iter", found, walker.facts.site(value)))
    )
