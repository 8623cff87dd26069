"""C#'s patterns: `x is …`, `case …:`, arms of a switch, and what takes a tuple apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST
from .csharp_types import type_of
from .expressions import bind_typed
from .temporaries import held, is_simple
from .walking import Walker

if TYPE_CHECKING:
    from tree_sitter import Node

# Patterns that bind nothing.
PLAIN = frozenset({"constant_pattern", "relational_pattern", "discard"})


def matched(w: Walker, node: Node | None) -> Term:
    """Return the term of a value that patterns take apart."""
    value = w.term(node)
    if is_simple(value):
        w.do(value)
    return held(w, value, node) if node is not None else None


def match(w: Walker, node: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what it compares with is read."""
    matcher = _PATTERNS.get(node.type)
    if depth > DEEPEST:
        w.later(w.at, node)
    elif matcher is not None:
        matcher(w, node, value, depth + 1)
    elif node.type.endswith("_pattern"):  # and, or, not, in brackets
        for child in node.named_children:
            match(w, child, value, depth + 1)
    else:
        w.run(node)


def _declared(w: Walker, node: Node, value: Term, depth: int) -> None:
    """`T x`, `var x`, `var (x, y)`, and `T` alone."""
    kind, named = node.child_by_field_name("type"), node.child_by_field_name("name")
    inner = next((c for c in node.named_children if c.type in _APART), None)
    if inner is not None:
        w.bind(names_in(w, inner), value)
        return
    meant = type_of(w, kind)
    w.do(meant)
    if named is not None and meant is not None:
        bind_typed(w, named, meant)
    elif named is not None and named.type == "identifier":
        w.bind(("name", w.name(named)), value)


def _recursive(w: Walker, node: Node, value: Term, depth: int) -> None:
    """`T { A: … } x`, `(…, …)`."""
    meant = type_of(w, node.child_by_field_name("type"))
    w.do(meant)
    whole: Term = value if meant is None else ("typed", meant)
    named = node.child_by_field_name("name")
    if meant is not None:
        bind_typed(w, named, meant)
    elif named is not None:
        w.bind(("name", w.name(named)), value)
    for clause in node.named_children:
        if clause.type.endswith("_pattern_clause"):
            for place, part in enumerate(clause.named_children):
                _part(w, part, whole, place, depth)


def _part(w: Walker, node: Node, whole: Term, place: int, depth: int) -> None:
    """One of the parts in brackets, by its place or by its name: `A.B: …`."""
    parts = [child for child in node.named_children if child.type != "comment"]
    if len(parts) < 2:
        # A record has its parameters under the numbers of their places, too.
        is_typed = whole is not None and whole[0] == "typed"
        key = ("const", "int", place)
        one: Term = ("attr", whole, str(place)) if is_typed else ("item", whole, key)
        for part in parts:
            match(w, part, one, depth)
        return
    for name in w.text(parts[0]).split("."):
        whole = ("attr", whole, name.strip())
    match(w, parts[-1], whole, depth)


def _list(w: Walker, node: Node, value: Term, depth: int) -> None:
    """`[a, .., b]`: places are known up to the dots."""
    place = 0
    for child in node.children:
        if child.type in ("..", "slice_pattern"):
            place = -1
            for inner in child.named_children:
                match(w, inner, value, depth)
        elif child.is_named and child.type != "comment":
            part = ("iter", value) if place < 0 else ("item", value, ("const", "int", place))
            match(w, child, part, depth)
            place += place >= 0


def _constant(w: Walker, node: Node, value: Term, depth: int) -> None:
    """A constant; of several in brackets some may be declared."""
    for child in node.named_children:
        if child.type != "tuple_expression":
            w.run(child)
            continue
        for place, one in enumerate(child.named_children):
            for inner in one.named_children[-1:]:
                match(w, inner, ("item", value, ("const", "int", place)), depth)


def names_in(w: Walker, node: Node, depth: int = 0) -> Term:
    """Return the target that names in brackets make, one a place: `(a, (b, _))`."""
    targets: list[Term] = []
    for child in node.children:
        if child.type in _APART:
            targets.append(names_in(w, child, depth + 1) if depth < DEEPEST else None)
        elif child.type == "identifier":
            name = w.name(child)
            targets.append(None if name == "_" else ("name", name))
        elif child.type == "discard":
            targets.append(None)
    return ("tuple", tuple(targets))


def deconstructed(w: Walker, node: Node, depth: int = 0) -> Term:
    """Return the target of `(a, x.b, var c, var (d, e)) = …`; new names are declared."""
    targets: list[Term] = []
    for argument in node.named_children:
        inner = argument.named_children[-1] if argument.named_child_count else argument
        targets.append(_target(w, inner, depth + 1) if depth < DEEPEST else None)
    return ("tuple", tuple(targets))


def _target(w: Walker, node: Node, depth: int) -> Term:
    if node.type == "tuple_expression":
        return deconstructed(w, node, depth)
    if node.type == "declaration_expression":
        named, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
        if named is None or named.type != "identifier":
            return names_in(w, named) if named is not None else None
        target = ("name", w.name(named))
        w.know(target)
        if (meant := type_of(w, kind)) is not None:
            w.say("declare", target, meant)
        return target
    function, given = node.child_by_field_name("function"), node.child_by_field_name("arguments")
    if function is not None and given is not None and w.text(function) == "var":
        # `var (d, e)` reads like a call.
        found = _names(w, given)
        w.know(found)
        return found
    return member_of(w, w.term(node))


def _names(w: Walker, node: Node, depth: int = 0) -> Term:
    """Return the target of `(d, (e, _))`, read as arguments."""
    targets: list[Term] = []
    for argument in node.named_children:
        inner = argument.named_children[-1] if argument.named_child_count else argument
        if inner.type == "tuple_expression":
            targets.append(_names(w, inner, depth + 1) if depth < DEEPEST else None)
        else:
            targets.append(None if w.name(inner) == "_" else ("name", w.name(inner)))
    return ("tuple", tuple(targets))


def member_of(w: Walker, target: Term) -> Term:
    """Return a target; a name that no local variable has is a member of this object."""
    if target is not None and target[0] == "name" and target[1] not in w.known:
        return ("attr", ("self",), target[1])
    return target


_APART = frozenset({"tuple_pattern", "parenthesized_variable_designation"})
_PATTERNS = {
    "declaration_pattern": _declared,
    "declaration_expression": _declared,
    "type_pattern": _declared,
    "var_pattern": _declared,
    "recursive_pattern": _recursive,
    "list_pattern": _list,
    "constant_pattern": _constant,
}
