"""Rust's expressions as terms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ..facts import CONST_CHARS, Term
from .callbacks import run_by
from .rust_types import RustWalker, path_of, type_of
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker

_INTEGERS = {"integer_literal": "int", "float_literal": "float", "boolean_literal": "bool"}


# What only holds the one thing that it is made of.
_HOLDERS = frozenset("Box Rc Arc RefCell Mutex RwLock".split())
# Methods that call what they are given with one element, or with what is wrapped.
_RUNNING = frozenset(
    """
    all and_then any filter filter_map find find_map flat_map for_each inspect is_some_and map
    map_or max_by_key min_by_key partition position skip_while sort_by_key take_while
    """.split()
)


def _name(w: W, node: Node) -> Term:
    name = w.reads(w.name(node))
    return w.me if name == "Self" and w.me is not None else ("name", name)


def _identifier(w: W, node: Node) -> Term:
    name = w.name(node)
    return ("const", "none", None) if name == "None" else _name(w, node)


def _const(w: W, node: Node) -> Term:
    return ("const", _INTEGERS[node.type], None)


def _string(w: W, node: Node) -> Term:
    text = w.text(node).strip('"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _field(w: W, node: Node) -> Term:
    parts = [child for child in node.named_children if not child.type.endswith("comment")]
    return ("attr", w.term(parts[0]), w.name(parts[-1]))


def _callee(w: W, node: Node) -> tuple[Term, Node]:
    """Return what is called and the node of its name; `f::<T>` is `f`."""
    if node.type == "generic_function" and node.named_child_count:
        node = node.named_children[0]
    return w.term(node), node.named_children[-1] if node.named_child_count else node


def _call(w: W, node: Node) -> Term:
    parts = node.named_children
    callee, named = _callee(w, parts[0])
    args = tuple(w.term(c) for c in parts[-1].named_children if not c.type.endswith("comment"))
    call: Term = ("call", callee, args, (), w.site(named))
    if callee is not None and callee[-1] in ("Some", "Ok", "Box") and len(args) == 1:
        return args[0]
    if _is_wrapping(callee) and len(args) == 1:
        return args[0]
    if callee is not None and callee[0] == "attr" and callee[2] in _RUNNING:
        return run_by(w, callee, args, w.site(named), element=_element)
    if callee == ("name", "Err"):
        for one in args:
            w.do(one)
        return None
    return call


def _is_wrapping(callee: Term) -> bool:
    """Return whether a call only wraps what it is given: `Box::new(x)`, `Arc::clone(&x)`."""
    if callee is None or callee[0] != "attr" or callee[2] not in ("new", "clone", "from"):
        return False
    return callee[1] is not None and callee[1][0] == "name" and callee[1][1] in _HOLDERS


def _element(receiver: Term) -> Term:
    """Return what a closure is given: an element of what is walked through, or what is wrapped."""
    return ("either", (("iter", receiver), receiver))


def _unary(w: W, node: Node) -> Term:
    """`*x` is x; other operators give something new."""
    value = _inner(w, node)
    if node.children[0].type == "*":
        return value
    w.do(value)
    return None


def _inner(w: W, node: Node) -> Term:
    """`(x)`, `&x`, `*x`, `x?`: the value itself."""
    parts = [c for c in node.named_children if c.type != "mutable_specifier"]
    return w.term(parts[-1]) if parts else None


def _cast(w: W, node: Node) -> Term:
    found = fields(node)
    return ("cast", type_of(w, found.get("type")), w.term(found.get("value")))


def _await(w: W, node: Node) -> Term:
    return ("await", w.term(node.named_children[0]) if node.named_child_count else None)


def _literal(w: W, node: Node) -> Term:
    found = fields(node)
    name, body = found.get("name"), found.get("body")
    named: list[tuple[str, Term]] = []
    for child in body.named_children if body is not None else ():
        parts = [c for c in child.named_children if c.type != "attribute_item"]
        if not parts or child.type.endswith("comment"):
            continue
        if child.type == "base_field_initializer":
            w.run(parts[0])
        else:
            named.append((w.name(parts[0]), w.term(parts[-1])))
    kind = type_of(w, name)
    return ("new", kind, (), tuple(named), w.site(name if name is not None else node))


def _sequence_of(tag: str) -> Any:
    def make(w: W, node: Node) -> Term:
        parts = [c for c in node.named_children if not c.type.endswith(("comment", "_item"))]
        return (tag, tuple(w.term(part) for part in parts))

    return make


def _index(w: W, node: Node) -> Term:
    first, *others = node.named_children
    return ("item", w.term(first), w.term(others[0]) if others else None)


TERMS: Terms = {
    "identifier": _identifier,
    "self": lambda w, node: ("name", "self"),
    "type_identifier": _name,
    "scoped_identifier": path_of,
    "scoped_type_identifier": path_of,
    "field_expression": _field,
    "call_expression": _call,
    "generic_function": lambda w, node: _callee(w, node)[0],
    "parenthesized_expression": _inner,
    "reference_expression": _inner,
    "try_expression": _inner,
    "unary_expression": _unary,
    "await_expression": _await,
    "type_cast_expression": _cast,
    "struct_expression": _literal,
    "array_expression": _sequence_of("list"),
    "tuple_expression": _sequence_of("tuple"),
    "index_expression": _index,
    "string_literal": _string,
    "raw_string_literal": _string,
    **dict.fromkeys(_INTEGERS, _const),
}
