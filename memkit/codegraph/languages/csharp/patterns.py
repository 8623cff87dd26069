"""C#: types, parameters, patterns and deconstruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import (
    MAX_DEPTH,
    SyntaxWalker,
    applied,
    bind_typed,
    child_of_type,
    first_child,
    list_of,
    name_term,
    qualified_import,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Types, parameters and qualified names.

_MAX_DEPTH = 12
# What the language itself brings; equal terms are one object. Of an object nothing is known.
_BUILT_IN: dict[str, Term] = {
    **{
        name: ("const", name, None)
        for name in (
            "bool", "byte", "char", "decimal", "double", "float", "int", "long", "nint", "nuint",
            "sbyte", "short", "string", "uint", "ulong", "ushort",
        )
    },
    **dict.fromkeys(("object", "void", "var", "dynamic")),
}  # fmt: skip
# What is as good as its argument: awaiting a task is said apart, and gives the same.
_TRANSPARENT = {"Task", "ValueTask", "Nullable"}
_WRAPPED = {"nullable_type", "ref_type", "scoped_type", "pointer_type"}


def type_of(walker: SyntaxWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var`, `object` and what names no class.

    A type that the language itself brings is a constant of its name.
    """
    while node is not None and node.type in _WRAPPED:
        node = node.child_by_field_name("type")
    if node is None or depth > _MAX_DEPTH:
        return None
    kind = node.type
    if kind in ("identifier", "predefined_type"):
        name = walker.name(node)
        return walker.bounds.get(name, _BUILT_IN.get(name, ("name", name)))
    if kind == "generic_name":
        return _generic(walker, node, depth)
    if kind in ("qualified_name", "alias_qualified_name"):
        return _qualified(walker, node, depth)
    if kind == "array_type":
        return list_of(type_of(walker, node.child_by_field_name("type"), depth + 1))
    if kind == "tuple_type":
        parts = [child.child_by_field_name("type") for child in node.named_children]
        types = tuple([type_of(walker, part, depth + 1) for part in parts])
        return ("item", ("name", "tuple"), ("tuple", types))
    return None


def type_in(walker: SyntaxWalker, node: Node | None) -> Term:
    """Return the type that a node has in its field of that name."""
    return type_of(walker, node.child_by_field_name("type")) if node is not None else None


def _generic(walker: SyntaxWalker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = ("name", walker.name(parts[0]))
    nodes = parts[-1].named_children if len(parts) > 1 else []
    types = [type_of(walker, child, depth + 1) for child in nodes]
    if base[1] in _TRANSPARENT and len(types) == 1:
        return types[0]
    return applied(base, types) if types else base


def _qualified(walker: SyntaxWalker, node: Node, depth: int) -> Term:
    """`A.B.C`: C of the namespace A.B, or C inside of the class B."""
    name = node.child_by_field_name("name")
    outer = node.child_by_field_name("qualifier")
    if name is None:
        return None
    last = type_of(walker, name, depth + 1)
    if outer is None or last is None:
        return last
    space = "".join(walker.text(outer).split()).removeprefix("global::")
    simple = last[1][1] if last[0] == "item" else last[1]
    term = qualified_import(walker, space, simple, node)
    if outer.type == "identifier":
        term = ("either", (term, ("attr", ("name", space), simple)))
    return ("item", term, last[2]) if last[0] == "item" else term


def parameters(walker: SyntaxWalker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, an indexer, a record or a lambda."""
    if node is None:
        return ()
    if node.type in ("identifier", "implicit_parameter"):
        return (Param(walker.name(node), None, None, ""),)
    params: list[Param] = []
    rest: Term = None
    for position, child in enumerate(node.children):
        if child.type == "parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                default = ("const", "none", None) if _is_optional(child) else None
                params.append(Param(walker.name(named), type_in(walker, child), default, ""))
        elif node.field_name_for_child(position) == "type":  # params T[] rest
            rest = type_of(walker, child)
        elif node.field_name_for_child(position) == "name":
            element = rest[2] if rest is not None and rest[0] == "item" else rest
            params.append(Param(walker.name(child), element, None, "*"))
    return tuple(params)


def _is_optional(parameter: Node) -> bool:
    return any(child.type == "=" for child in parameter.children)


def extended(walker: SyntaxWalker, listed: Node | None) -> Term:
    """Return the type that an extension method is for: that of its `this` parameter."""
    first = first_child(listed)
    if first is None or first.type != "parameter":
        return None
    words = [walker.text(child) for child in first.children if child.type == "modifier"]
    kind = type_in(walker, first) if "this" in words else None
    return kind[1] if kind is not None and kind[0] == "item" else kind


def bounds_of(walker: SyntaxWalker, node: Node) -> dict[str, Term]:
    """Return what is asked of the parameters of a generic: it stands for them."""
    bounds: dict[str, Term] = {}
    for child in node.named_children:
        if child.type == "type_parameter_list":
            for parameter in child.named_children:
                bounds[walker.text(parameter.child_by_field_name("name") or parameter)] = None
        elif child.type == "type_parameter_constraints_clause" and child.named_child_count > 1:
            first, second = child.named_children[:2]
            bounds[walker.text(first)] = type_of(walker, first_child(second))
    return bounds


# --- Patterns behind `is` and `case` and in arms of a switch; deconstruction of tuples.

# Patterns that bind nothing.
PLAIN = words("constant_pattern relational_pattern discard")


def match(walker: SyntaxWalker, node: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what it compares with is read."""
    matcher = _PATTERNS.get(node.type)
    if depth > MAX_DEPTH:
        walker.defer(node)
    elif matcher is not None:
        matcher(walker, node, value, depth + 1)
    elif node.type.endswith("_pattern"):  # and, or, not, in brackets
        for child in node.named_children:
            match(walker, child, value, depth + 1)
    else:
        walker.run(node)


def _declared(walker: SyntaxWalker, node: Node, value: Term, depth: int) -> None:
    """`T x`, `var x`, `var (x, y)`, and `T` alone."""
    named, inner = node.child_by_field_name("name"), child_of_type(node, *_APART)
    if inner is not None:
        walker.bind(names_in(walker, inner), value)
        return
    type_term = type_in(walker, node)
    walker.discard(type_term)
    if named is not None and type_term is not None:
        bind_typed(walker, named, type_term)
    elif named is not None and named.type == "identifier":
        walker.bind(("name", walker.name(named)), value)


def _recursive(walker: SyntaxWalker, node: Node, value: Term, depth: int) -> None:
    """`T { A: … } x`, `(…, …)`."""
    kind = type_in(walker, node)
    walker.discard(kind)
    whole: Term = value if kind is None else ("typed", kind)
    named = node.child_by_field_name("name")
    if kind is not None:
        bind_typed(walker, named, kind)
    elif named is not None:
        walker.bind(name_term(walker, named), value)
    for clause in node.named_children:
        if clause.type.endswith("_pattern_clause"):
            for position, part in enumerate(clause.named_children):
                _part(walker, part, whole, position, depth)


def _part(walker: SyntaxWalker, node: Node, whole: Term, position: int, depth: int) -> None:
    """One of the parts in brackets, by its position or by its name: `A.B: …`."""
    parts = without_comments(node)
    if len(parts) < 2:
        # A record has its parameters under the numbers of their positions, too.
        is_typed = whole is not None and whole[0] == "typed"
        key = ("const", "int", position)
        member: Term = ("attr", whole, str(position)) if is_typed else ("item", whole, key)
        for part in parts:
            match(walker, part, member, depth)
        return
    for name in walker.text(parts[0]).split("."):
        whole = ("attr", whole, name.strip())
    match(walker, parts[-1], whole, depth)


def _list(walker: SyntaxWalker, node: Node, value: Term, depth: int) -> None:
    """`[a, .., b]`: places are known up to the dots."""
    position = 0
    for child in node.children:
        if child.type in ("..", "slice_pattern"):
            position = -1
            for inner in child.named_children:
                match(walker, inner, value, depth)
        elif child.is_named and child.type != "comment":
            part = ("iter", value) if position < 0 else ("item", value, ("const", "int", position))
            match(walker, child, part, depth)
            position += position >= 0


def _constant(walker: SyntaxWalker, node: Node, value: Term, depth: int) -> None:
    """A constant; of several in brackets some may be declared."""
    for child in node.named_children:
        if child.type != "tuple_expression":
            walker.run(child)
            continue
        for position, element in enumerate(child.named_children):
            for inner in element.named_children[-1:]:
                match(walker, inner, ("item", value, ("const", "int", position)), depth)


def names_in(walker: SyntaxWalker, node: Node, depth: int = 0) -> Term:
    """Return the target that names in brackets make: `(a, (b, _))`."""
    targets: list[Term] = []
    for child in node.children:
        if child.type in _APART:
            targets.append(names_in(walker, child, depth + 1) if depth < MAX_DEPTH else None)
        elif child.type in ("identifier", "discard"):
            targets.append(target_name(walker.name(child)))
    return ("tuple", tuple(targets))


def target_name(name: str) -> Term:
    """Return a name; `_` is none."""
    return None if name == "_" else ("name", name)


def deconstructed(walker: SyntaxWalker, node: Node, depth: int = 0) -> Term:
    """Return the target of `(a, x.b, var c, var (d, e)) = …`; new names are declared."""
    if depth >= MAX_DEPTH:
        return ("tuple", (None,) * node.named_child_count)
    return ("tuple", tuple([_target(walker, inner, depth + 1) for inner in _values(node)]))


def _values(node: Node) -> list[Node]:
    """Return what the arguments of a list are, without their names."""
    return [
        child.named_children[-1] if child.named_child_count else child
        for child in node.named_children
    ]


def _target(walker: SyntaxWalker, node: Node, depth: int) -> Term:
    if node.type == "tuple_expression":
        return deconstructed(walker, node, depth)
    if node.type == "declaration_expression":
        named = node.child_by_field_name("name")
        if named is None or named.type != "identifier":
            return names_in(walker, named) if named is not None else None
        target = name_term(walker, named)
        walker.declare(target, type_in(walker, node))
        return target
    function = node.child_by_field_name("function")
    argument_list = node.child_by_field_name("arguments")
    if function is not None and argument_list is not None and walker.text(function) == "var":
        # `var (d, e)` reads like a call.
        names = _names(walker, argument_list)
        walker.add_locals(names)
        return names
    return member_of(walker, walker.evaluate(node))


def _names(walker: SyntaxWalker, node: Node, depth: int = 0) -> Term:
    """Return the target of `(d, (e, _))`, read as arguments."""
    targets: list[Term] = []
    for inner in _values(node):
        if inner.type == "tuple_expression":
            targets.append(_names(walker, inner, depth + 1) if depth < MAX_DEPTH else None)
        else:
            targets.append(target_name(walker.name(inner)))
    return ("tuple", tuple(targets))


def member_of(walker: SyntaxWalker, target: Term) -> Term:
    """Return a target; a name that no local variable has is a member of this object."""
    if target is not None and target[0] == "name" and target[1] not in walker.locals:
        return ("attr", ("self",), target[1])
    return target


_APART = words("tuple_pattern parenthesized_variable_designation")
_PATTERNS = {
    "declaration_pattern": _declared,
    "declaration_expression": _declared,
    "type_pattern": _declared,
    "var_pattern": _declared,
    "recursive_pattern": _recursive,
    "list_pattern": _list,
    "constant_pattern": _constant,
}
