"""Calls, objects made, members and lambdas of C# as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Param, Term
from .builder import DEEPEST
from .callbacks import run_by
from .csharp_types import parameters, type_of
from .walking import Walker, fields

if TYPE_CHECKING:
    from tree_sitter import Node


def arguments(
    w: Walker, node: Node | None
) -> tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]:
    """Return the arguments of a call, and those given by name."""
    if node is None:
        return (), ()
    placed: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in node.named_children:
        if child.type != "argument" or not child.named_child_count:
            continue
        value = w.term(child.named_children[-1])
        name = child.child_by_field_name("name")
        if name is None:
            placed.append(value)
        else:
            named.append((w.name(name), value))
    return tuple(placed), tuple(named)


# Methods of collections that call what they are given with one element.
_RUNNING = frozenset(
    """
    All Any Select SelectMany Where First FirstOrDefault Last LastOrDefault Single SingleOrDefault
    Count Sum Min Max Average OrderBy OrderByDescending ThenBy ThenByDescending GroupBy ForEach Find
    FindAll FindIndex Exists RemoveAll TakeWhile SkipWhile ToDictionary ToLookup
    """.split()
)


def local_function(w: Walker, node: Node, name: str) -> int:
    """Define a lambda or a function of its own inside of a method, and return its number."""
    found = fields(node)
    taken, body = parameters(w, found.get("parameters")), found.get("body")
    if body is None:
        body = next((c for c in node.named_children if c.type == "block"), None)
    number = w.define(
        "function", name, node, scope=w.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
        named=found.get("name"), returns=type_of(w, found.get("type")),
    )  # fmt: skip
    if body is not None:
        walk_body(w, w.body(number), body, taken)
    return number


def walk_body(w: Walker, scope: int, body: Node, taken: tuple[Param, ...] = ()) -> None:
    """Walk a block, or an expression that is what a function gives back."""
    if body.type == "block":
        w.within(scope, body.named_children, taken)
        return
    around, known = w.at, w.known
    w.at = scope
    w.known = known | {param.name for param in taken}
    inner: Node | None = body
    if body.type == "arrow_expression_clause":
        inner = next((c for c in body.named_children if c.type != "comment"), None)
    value = w.term(inner)
    if value is not None:
        w.say("return", value)
    w.at, w.known = around, known


def member_text(w: Walker, node: Node | None) -> str:
    """Return the name of a member, its type arguments left out."""
    if node is None:
        return ""
    return w.name(node.named_children[0] if node.type == "generic_name" else node)


def member(w: Walker, node: Node) -> Term:
    """Return a member; one of a built-in type tells nothing."""
    inner = node.child_by_field_name("expression")
    name = member_text(w, node.child_by_field_name("name"))
    if inner is None or inner.type == "predefined_type":
        return None
    return ("attr", w.term(inner), name)


def conditional_access(w: Walker, node: Node) -> Term:
    """`a?.b`: as if it were `a.b`."""
    parts = node.named_children
    value = w.term(parts[0]) if parts else None
    if len(parts) < 2:
        return value
    return _bound(w, parts[-1], value)


def _bound(w: Walker, node: Node, value: Term) -> Term:
    """Return what stands behind `?.` with the value in front of it."""
    if node.type == "member_binding_expression":
        return ("attr", value, member_text(w, node.child_by_field_name("name")))
    if node.type == "element_binding_expression":
        return ("item", value, next(iter(arguments(w, node)[0]), None))
    first = node.named_children[0] if node.named_child_count else None
    if first is None:
        return value
    inner = _bound(w, first, value)
    if node.type == "invocation_expression":
        placed, named = arguments(w, node.child_by_field_name("arguments"))
        return ("call", inner, placed, named, w.site(first))
    if node.type == "member_access_expression":
        return ("attr", inner, member_text(w, node.child_by_field_name("name")))
    return inner


def call(w: Walker, node: Node) -> Term:
    """Return a call; `nameof(x.Y)` is the text "Y"."""
    function = node.child_by_field_name("function")
    given = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type == "identifier" and w.text(function) == "nameof":
        asked = w.text(given).strip("() \n\t").rpartition(".")[2] if given is not None else ""
        return ("const", "str", asked or None)
    placed, named = arguments(w, given)
    if function.type in ("identifier", "generic_name"):
        name = member_text(w, function)
        callee: Term = ("name", name)
    else:
        callee = w.term(function)
    site = w.site(function.child_by_field_name("name") or function)
    if callee is not None and callee[0] == "attr" and callee[2] in _RUNNING:
        return run_by(w, callee, placed, site)
    return ("call", callee, placed, named, site)


def new(w: Walker, node: Node) -> Term:
    """Return an object that is made, with what its initialiser gives to members."""
    kind = node.child_by_field_name("type")
    placed, named = arguments(w, node.child_by_field_name("arguments"))
    initial = node.child_by_field_name("initializer")
    if kind is not None and kind.type == "array_type":
        return _array(w, node, kind)
    if initial is not None:
        named = (*named, *_initialised(w, initial))
    return ("new", type_of(w, kind), placed, named, w.site(kind or node))


def _array(w: Walker, node: Node, kind: Node) -> Term:
    """`new T[n]`, `new T[] { … }`."""
    rank = kind.child_by_field_name("rank")
    for size in rank.named_children if rank is not None else ():
        w.run(size)
    listed = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    if listed is None:
        return ("typed", type_of(w, kind))
    element = type_of(w, kind.child_by_field_name("type"))
    values = [w.term(child) for child in listed.named_children if child.type != "comment"]
    return ("list", tuple(made(value, element) for value in values))


def _initialised(w: Walker, node: Node, depth: int = 0) -> tuple[tuple[str, Term], ...]:
    """Return what `new T { A = x, … }` gives to members; elements of a collection are evaluated."""
    found: list[tuple[str, Term]] = []
    for child in node.named_children:
        left = child.child_by_field_name("left")
        if child.type == "assignment_expression" and left is not None:
            right = child.child_by_field_name("right")
            if right is not None and right.type == "initializer_expression":
                for _, inner in _initialised(w, right, depth + 1) if depth < DEEPEST else ():
                    w.do(inner)
            elif left.type == "identifier":
                found.append((w.name(left), w.term(right)))
            else:  # [key] = value
                w.each(left.named_children)
                w.do(w.term(right))
        else:
            w.run(child)
    return tuple(found)


def implicit_new(w: Walker, node: Node) -> Term:
    """`new(…)`: of the type that is declared where it stands."""
    inner = next((c for c in node.named_children if c.type == "argument_list"), None)
    placed, named = arguments(w, inner)
    initial = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    if initial is not None:
        named = (*named, *_initialised(w, initial))
    return ("new", None, placed, named, w.site(node))


def made(value: Term, kind: Term) -> Term:
    """Return `new(…)` with the type that is declared for it."""
    if value is not None and value[:2] == ("new", None):
        return ("new", kind, *value[2:])
    return value
