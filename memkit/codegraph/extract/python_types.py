"""Python's annotations and parameters as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from ..grammars import parse

if TYPE_CHECKING:
    from tree_sitter import Node

    from .python_terms import PythonTerms

_STR: Term = ("const", "str", None)
_QUOTES = "\"'"
# Special forms of `typing` whose first argument is the type that is meant.
_TRANSPARENT = frozenset(
    """
    Annotated ClassVar Final InitVar NotRequired Optional ReadOnly Required TypeGuard TypeIs
    """.split()
)
_GENERIC = frozenset({"Generic", "Protocol"})
# A quoted annotation within a quoted annotation and so on.
_MOST_QUOTED = 3


def params_of(walker: PythonTerms, node: Node, scope: int) -> tuple[Param, ...]:
    """Return parameters; defaults and annotations are read in the scope around."""
    found: list[Param] = []
    sort = ""
    for child in node.named_children:
        if child.type == "keyword_separator":
            sort = "name-only"
        elif (param := _param(walker, child, scope, sort)) is not None:
            found.append(param)
            sort = "name-only" if param.sort == "*" else sort
    return tuple(found)


def _param(walker: PythonTerms, node: Node, scope: int, sort: str) -> Param | None:
    kind: Term = None
    default: Term = None
    named = node
    if node.type in ("typed_parameter", "default_parameter", "typed_default_parameter"):
        named, *others = [child for child in node.named_children if child.type != "comment"]
        for other in others:
            if other.type == "type":
                kind = type_of(walker, other, scope)
            else:
                default = walker.term(other, scope)
    if named.type in ("list_splat_pattern", "dictionary_splat_pattern"):
        sort = "*" if named.type == "list_splat_pattern" else "**"
        named = named.named_children[0]
    if named.type != "identifier":
        return None
    return Param(walker.facts.name(named), kind, default, sort)


def type_of(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return the term of an annotation; what may be absent as well is that which is there."""
    kind = node.type
    if kind in ("type", "parenthesized_expression", "constrained_type"):
        return type_of(walker, node.named_children[0], scope) if node.named_child_count else None
    if kind == "string":
        return _quoted_type(walker, node, scope)
    if kind in ("binary_operator", "union_type"):
        return ("either", tuple(type_of(walker, child, scope) for child in node.named_children))
    if kind in ("subscript", "generic_type"):
        return _generic(walker, node, scope)
    if kind in ("list", "tuple"):
        return ("tuple", tuple(type_of(walker, child, scope) for child in node.named_children))
    return walker.term(node, scope) if kind in ("identifier", "attribute", "member_type") else None


def given_back(walker: PythonTerms, node: Node, scope: int) -> Term:
    """Return what a function is said to give; a parameter of its class as such."""
    kind = type_of(walker, node, scope)
    if kind is None or kind[0] != "name" or walker.facts.scope(scope).kind != "class":
        return kind
    names = _listed(walker, node) or _parameters(walker.facts.bases(walker.facts.around(scope)))
    return ("parameter", names.index(kind[1]), kind) if kind[1] in names else kind


def _listed(walker: PythonTerms, node: Node) -> list[str]:
    """Return the parameters that the class around lists behind its name: `class Box[T: int]`."""
    around: Node | None = node
    while around is not None and around.type != "class_definition":
        around = around.parent
    listed = around.child_by_field_name("type_parameters") if around is not None else None
    found = []
    for kind in listed.named_children if listed is not None else ():
        named = kind
        while named.named_child_count:
            named = named.named_children[0]
        found.append(walker.facts.name(named))
    return found


def _parameters(bases: tuple[Term, ...]) -> list[str]:
    """Return the names of a class's parameters: those of Generic or Protocol, else of all bases."""
    generic = [base for base in bases if base is not None and base[0] == "item"]
    said = [base for base in generic if base[1] is not None and base[1][-1] in _GENERIC]
    keys = [
        key
        for base in said or generic
        for key in (base[2][1] if base[2] is not None and base[2][0] == "tuple" else (base[2],))
    ]
    names = [key[1] for key in keys if key is not None and key[0] == "name"]
    return list(dict.fromkeys(names))


def _generic(walker: PythonTerms, node: Node, scope: int) -> Term:
    named, *others = node.named_children
    if others and others[0].type == "type_parameter":
        others = others[0].named_children
    base = walker.term(named, scope)
    name = base[-1] if base is not None and base[0] in ("name", "attr") else ""
    if name == "Literal":
        return _STR
    keys = tuple(type_of(walker, child, scope) for child in others)
    if name in _TRANSPARENT and keys:
        return keys[0]
    if name == "Union":
        return ("either", keys)
    return ("item", base, keys[0] if len(keys) == 1 else ("tuple", keys))


def _quoted_type(walker: PythonTerms, node: Node, scope: int) -> Term:
    text = walker.facts.text(node).strip(_QUOTES).encode()
    root = parse(text, "python").root_node
    if walker.quoted == _MOST_QUOTED or root.has_error or root.named_child_count != 1:
        return None
    outer = walker.facts.source
    walker.facts.source = text
    walker.quoted += 1
    found = type_of(walker, root.named_children[0], scope)
    walker.quoted -= 1
    walker.facts.source = outer
    return found


def narrowed(walker: PythonTerms, callee: Term, plain: list[Term], scope: int) -> None:
    """Say what a check of a type tells of its object."""
    if callee == ("name", "isinstance") and len(plain) == 2:
        kind = plain[1]
        if kind is not None and kind[0] == "tuple":
            kind = ("either", kind[1])
        walker.facts.add(scope, ("narrow", plain[0], kind))
