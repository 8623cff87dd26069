"""Types, parameters, patterns, deconstruction."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Param, Term
from ..facts_builder import DEEPEST
from ..walker import Walker, bind_typed, held, is_simple

if TYPE_CHECKING:
    from tree_sitter import Node


# --- C#'s types, parameters and qualified names as terms.

_DEEPEST = 12
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


def type_of(w: Walker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for `var`, `object` and what names no class.

    A type that the language itself brings is a constant of its name.
    """
    while node is not None and node.type in _WRAPPED:
        node = node.child_by_field_name("type")
    if node is None or depth > _DEEPEST:
        return None
    kind = node.type
    if kind in ("identifier", "predefined_type"):
        return _plain(w, w.name(node))
    if kind == "generic_name":
        return _generic(w, node, depth)
    if kind in ("qualified_name", "alias_qualified_name"):
        return _qualified(w, node, depth)
    if kind == "array_type":
        element = type_of(w, node.child_by_field_name("type"), depth + 1)
        return ("item", ("name", "list"), element)
    if kind == "tuple_type":
        parts = [child.child_by_field_name("type") for child in node.named_children]
        types = tuple(type_of(w, part, depth + 1) for part in parts)
        return ("item", ("name", "tuple"), ("tuple", types))
    return None


def _plain(w: Walker, name: str) -> Term:
    if name in w.bounds:
        return w.bounds[name]
    return _BUILT_IN.get(name, ("name", name))


def _generic(w: Walker, node: Node, depth: int) -> Term:
    parts = node.named_children
    base = ("name", w.name(parts[0]))
    nodes = parts[-1].named_children if len(parts) > 1 else []
    types = tuple(type_of(w, child, depth + 1) for child in nodes)
    if base[1] in _TRANSPARENT and len(types) == 1:
        return types[0]
    if not types:
        return base
    return ("item", base, types[0] if len(types) == 1 else ("tuple", types))


def _qualified(w: Walker, node: Node, depth: int) -> Term:
    """`A.B.C`: C of the namespace A.B, or C inside of the class B."""
    name = node.child_by_field_name("name")
    outer = node.child_by_field_name("qualifier")
    if name is None:
        return None
    last = type_of(w, name, depth + 1)
    if outer is None or last is None:
        return last
    space = "".join(w.text(outer).split()).removeprefix("global::")
    simple = last[1][1] if last[0] == "item" else last[1]
    term = brought(w, space, simple)
    if outer.type == "identifier":
        term = ("either", (term, ("attr", ("name", space), simple)))
    return ("item", term, last[2]) if last[0] == "item" else term


def brought(w: Walker, space: str, name: str) -> Term:
    """Return what reads a class that is named with its namespace: an import without a statement."""
    local = f"<{space}.{name}>"
    if local not in w.known:
        w.statements[0].append(("import", local, space, name, 0, 0))
        w.known.add(local)
    return ("name", local)


def parameters(w: Walker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method, an indexer, a record or a lambda."""
    if node is None:
        return ()
    if node.type in ("identifier", "implicit_parameter"):
        return (Param(w.name(node), None, None, ""),)
    params: list[Param] = []
    rest: Term = None
    for place, child in enumerate(node.children):
        if child.type == "parameter":
            named = child.child_by_field_name("name")
            if named is not None:
                kind = type_of(w, child.child_by_field_name("type"))
                params.append(Param(w.name(named), kind, _default(w, child), ""))
        elif node.field_name_for_child(place) == "type":  # params T[] rest
            rest = type_of(w, child)
        elif node.field_name_for_child(place) == "name":
            element = rest[2] if rest is not None and rest[0] == "item" else rest
            params.append(Param(w.name(child), element, None, "*"))
    return tuple(params)


def _default(w: Walker, node: Node) -> Term:
    """Return a constant for a parameter that need not be given."""
    if not any(child.type == "=" for child in node.children):
        return None
    return ("const", "none", None)


def extended(w: Walker, listed: Node | None) -> Term:
    """Return the type that an extension method is for: that of its `this` parameter."""
    first = listed.named_children[0] if listed is not None and listed.named_child_count else None
    for child in first.children if first is not None and first.type == "parameter" else ():
        if child.type == "modifier" and w.text(child) == "this" and first is not None:
            kind = type_of(w, first.child_by_field_name("type"))
            return kind[1] if kind is not None and kind[0] == "item" else kind
    return None


def bounds_of(w: Walker, node: Node) -> dict[str, Term]:
    """Return what is asked of the parameters of a generic: it stands for them."""
    bounds: dict[str, Term] = {}
    for child in node.named_children:
        if child.type == "type_parameter_list":
            for parameter in child.named_children:
                bounds[w.text(parameter.child_by_field_name("name") or parameter)] = None
        elif child.type == "type_parameter_constraints_clause" and child.named_child_count > 1:
            first, second = child.named_children[:2]
            kind = second.named_children[0] if second.named_child_count else None
            bounds[w.text(first)] = type_of(w, kind)
    return bounds


# --- Patterns: behind `is` and `case`, arms of a switch, and what takes a tuple apart.

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
    type_term = type_of(w, kind)
    w.do(type_term)
    if named is not None and type_term is not None:
        bind_typed(w, named, type_term)
    elif named is not None and named.type == "identifier":
        w.bind(("name", w.name(named)), value)


def _recursive(w: Walker, node: Node, value: Term, depth: int) -> None:
    """`T { A: … } x`, `(…, …)`."""
    kind = type_of(w, node.child_by_field_name("type"))
    w.do(kind)
    whole: Term = value if kind is None else ("typed", kind)
    named = node.child_by_field_name("name")
    if kind is not None:
        bind_typed(w, named, kind)
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
        member: Term = ("attr", whole, str(place)) if is_typed else ("item", whole, key)
        for part in parts:
            match(w, part, member, depth)
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
        for place, element in enumerate(child.named_children):
            for inner in element.named_children[-1:]:
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
        if (type_term := type_of(w, kind)) is not None:
            w.say("declare", target, type_term)
        return target
    function, argument_list = (
        node.child_by_field_name("function"),
        node.child_by_field_name("arguments"),
    )
    if function is not None and argument_list is not None and w.text(function) == "var":
        # `var (d, e)` reads like a call.
        names = _names(w, argument_list)
        w.know(names)
        return names
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
