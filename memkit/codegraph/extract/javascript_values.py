"""Values that are named after what they are bound to: functions, classes, object literals."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST
from .javascript_functions import FUNCTIONS, define_function
from .javascript_this import holding

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

# What takes types from where it stands.
ASKED = {*FUNCTIONS, "method_definition", "object"}
VALUES = {"arrow_function", "function_expression", "generator_function", "class", "object"}
ANONYMOUS = "<anonymous>"
_WRAPPING = {"parenthesized_expression", "satisfies_expression"}

_EXPORTS = (("name", "exports"), ("attr", ("name", "module"), "exports"))


def define_value(
    walk: Walk, node: Node, scope: int, target: Node | None, *, outer: Node | None = None
) -> Term:
    """Return the term of a function, class or object literal that is bound to a target.

    It is named after the target: `f = …`, `A.prototype.f = …`, `o = { f() {} }`.
    """
    name, path = _named_after(walk, target)
    if node.type == "object":
        return object_literal(walk, node, scope, owner=path, prefix=_dotted(path))
    own = node.child_by_field_name("name")
    if own is not None and target is None:
        name = walk.text(own)
    if node.type == "class":
        return ("def", walk.parts.define_class(walk, node, scope, name or ANONYMOUS, outer))
    around = path[1] if path is not None and path[0] == "attr" else None
    is_method = around is not None and (around[0] == "self" or _dotted(around) is not None)
    qualname = None
    if around is not None and (dotted := _dotted(around)):
        qualname = walk.builder.qualified(scope, f"{dotted}.{name}")
    number = define_function(
        walk,
        node,
        scope,
        name or ANONYMOUS,
        kind="method" if is_method else "function",
        outer=outer,
        owner=around if around is not None and around[0] != "self" else None,
        qualname=qualname,
        doc=walk.above.take(outer or node) if outer is not None or target is not None else "",
    )
    if own is not None:
        _bind_own_name(walk, number, walk.text(own))
    return ("def", number)


def unwrapped(walk: Walk, node: Node) -> Node:
    """Return what stands in parentheses, or is only said to satisfy a type, if it is a value that
    takes a name; else the node itself."""
    inner, kind = node, None
    while inner.type in _WRAPPING and inner.named_child_count:
        kind = inner.named_children[-1] if inner.type == "satisfies_expression" else kind
        inner = inner.named_children[0]
    if inner.type not in VALUES:
        return node
    if kind is not None and inner.type in ASKED:
        walk.asked = walk.type(kind)
    return inner


def define_in_place(walk: Walk, node: Node, scope: int) -> int:
    """Define a function or class expression that nothing names, and return its number."""
    own = node.child_by_field_name("name")
    name = ANONYMOUS if own is None else walk.text(own)
    if node.type == "class":
        return walk.parts.define_class(walk, node, scope, name, None)
    number = define_function(walk, node, scope, name)
    if own is not None:
        _bind_own_name(walk, number, name)
    return number


def object_literal(
    walk: Walk, node: Node, scope: int, *, owner: Term = None, prefix: str | None = None
) -> Term:
    """Return the term of an object literal; functions in it are its methods."""
    members: list[tuple[Term, Term]] = []
    reading: list[int] = []
    exported, walk.exported = walk.exported, None
    asked, walk.asked = walk.asked, None
    for child in node.named_children:
        kind = child.type
        if kind == "shorthand_property_identifier":
            name = walk.text(child)
            members.append((("const", "str", name), ("name", name)))
        elif kind == "spread_element":
            inner = child.named_children
            members.append((None, walk.term(inner[-1], scope) if inner else None))
        elif kind in ("pair", "method_definition"):
            members += _member(walk, child, scope, owner, prefix, reading, asked)
        elif kind != "comment":
            walk.statement(child, scope)
    walk.exported = exported
    literal: Term = ("dict", tuple(members))
    return holding(walk, literal, reading, scope) if reading else literal


def object_term(walk: Walk, node: Node, scope: int) -> Term:
    """Return the term of an object literal that nothing names."""
    return object_literal(walk, node, scope)


def _member(
    walk: Walk,
    node: Node,
    scope: int,
    owner: Term,
    prefix: str | None,
    reading: list[int],
    asked: Term,
) -> list[tuple[Term, Term]]:
    """Return key and value of one member of an object literal; `reading` takes the functions in
    it that read `this`, if no name says what that is."""
    is_pair = node.type == "pair"
    named = node.child_by_field_name("key" if is_pair else "name")
    value = node.child_by_field_name("value") if is_pair else node
    if named is None or value is None:
        return []
    key = _key(walk, named, scope)
    known = key is not None and key[0] == "const" and key[2] is not None
    name = str(key[2]) if key is not None and known else None
    dotted = f"{prefix}.{name}" if prefix and name else None
    if asked is not None and name and value.type in ASKED:
        walk.asked = ("same", ("attr", ("typed", asked), name))
    if value.type == "object":
        if walk.depth >= DEEPEST:
            walk.builder.later(scope, value)
            return [(key, None)]
        inner: Term = ("attr", owner, name) if owner is not None and name else None
        walk.depth += 1
        found = object_literal(walk, value, scope, owner=inner, prefix=dotted)
        walk.depth -= 1
        return [(key, found)]
    if value.type not in FUNCTIONS and is_pair:
        return [(key, walk.term(value, scope))]
    access = _access(node, named)
    number = define_function(
        walk,
        value,
        scope,
        name or " ".join(walk.text(named).split())[:80],
        kind="method",
        outer=node,
        owner=owner,
        flags=["property"] if access else [],
        qualname=walk.builder.qualified(scope, dotted) if dotted else None,
    )
    if walk.read_this and owner is None:
        reading.append(number)
    # What reading the member gives is said by its getter alone.
    return [] if access == "set" else [(key, ("def", number))]


def _access(node: Node, named: Node) -> str:
    """Return `get` or `set` for an accessor, "" for any other member."""
    first = node.children[0]
    return first.type if first != named and first.type in ("get", "set") else ""


def _key(walk: Walk, node: Node, scope: int) -> Term:
    if node.type in ("property_identifier", "private_property_identifier"):
        return ("const", "str", walk.text(node))
    return walk.term(node, scope)


def _bind_own_name(walk: Walk, number: int, name: str) -> None:
    """Bind the name that a function expression has inside itself alone."""
    body = walk.builder.body(number)
    walk.declare(body, name)
    walk.builder.statements[body].insert(0, ("bind", ("name", name), ("def", number)))


def _named_after(walk: Walk, target: Node | None) -> tuple[str | None, Term]:
    """Return the name that a target gives to a function, and the term of the target."""
    if target is None:
        return None, None
    if target.type == "subscript_expression":
        index = target.child_by_field_name("index")
        if index is None or index.type != "string":
            return None, None
        name = walk.text(index)[1:-1]
    elif target.type == "member_expression":
        name = walk.text_of(target, "property")
    else:
        name = walk.text(target)
        return name, ("name", name)
    around = target.child_by_field_name("object")
    inner = None if around is None else _chain(walk, around)
    if name == "prototype":
        return name, inner
    return name, ("attr", inner, name) if inner is not None else None


def _chain(walk: Walk, node: Node) -> Term:
    """Return the term of a chain of plain members, None for anything else. Evaluates nothing."""
    names: list[str] = []
    while node.type == "member_expression":
        names.append(walk.text_of(node, "property"))
        inner = node.child_by_field_name("object")
        if inner is None:
            return None
        node = inner
    if node.type not in ("identifier", "this"):
        return None
    found: Term = ("self",) if node.type == "this" else ("name", walk.text(node))
    for name in reversed(names):
        if name != "prototype":
            found = ("attr", found, name)
    return None if found in _EXPORTS else found


def _dotted(path: Term) -> str | None:
    """Return a chain of members as dotted text, None if it is no such chain or begins at `this`."""
    names: list[str] = []
    while path is not None and path[0] == "attr":
        names.append(path[2])
        path = path[1]
    if path is None or path[0] != "name":
        return None
    return ".".join((path[1], *reversed(names)))
