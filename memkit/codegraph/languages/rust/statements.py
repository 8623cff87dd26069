"""Blocks, matches, patterns, closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Param, Term
from ..facts_builder import DEEPEST
from ..walker import Statements, Terms, fields, held
from .expressions import RustWalker, path_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Rust's patterns and the parameters of its functions and closures, which are patterns too.

# Patterns that bind what their first part binds.
_SAME = frozenset({"mut_pattern", "ref_pattern", "reference_pattern", "match_pattern"})
_SKIPPED = frozenset("mutable_specifier line_comment block_comment attribute_item lifetime".split())


def parameters(w: W, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a function or closure; a pattern gets the name of its place."""
    return tuple(_parameter(w, child) for child in _listed(node))


def bind_parameters(w: W, node: Node | None) -> None:
    """Bind, in the body of a function, what the patterns among its parameters bind."""
    for child in _listed(node):
        inner = child.child_by_field_name("pattern") or child
        if child.type != "self_parameter" and not _name(w, inner):
            target = pattern(w, inner)
            if target is not None:
                w.bind(target, ("name", f"<{inner.start_byte}>"))


def _listed(node: Node | None) -> list[Node]:
    """Return the parameters in their order, `_` among them."""
    return [
        child
        for child in (node.children if node is not None else ())
        if (child.is_named or child.type == "_")
        and child.type not in _SKIPPED
        and child.type != "variadic_parameter"
    ]


def _parameter(w: W, node: Node) -> Param:
    if node.type == "self_parameter":
        return Param("self", None, None, "")
    parts = fields(node) if node.type == "parameter" else {}
    inner = parts.get("pattern", node)
    name = _name(w, inner)
    if name == "self":
        return Param("self", None, None, "")
    if name is None:
        name = f"<{inner.start_byte}>" if inner.type != "_" else ""
    return Param(name, type_of(w, parts.get("type")), None, "")


def _name(w: W, node: Node) -> str | None:
    """Return the one name that a pattern gives to the whole, None if it takes it apart."""
    while node.type in ("mut_pattern", "ref_pattern") and node.named_child_count:
        node = node.named_children[-1]
    return w.name(node) if node.type in ("identifier", "self") else None


def pattern(w: W, node: Node, depth: int = 0) -> Term:
    """Return what a pattern binds, as a target; members of a struct are bound on the way."""
    if depth > DEEPEST:
        return None
    kind, depth = node.type, depth + 1
    inner = [c for c in node.children if c.is_named and c.type not in _SKIPPED]
    if kind in _SAME:
        return pattern(w, inner[0], depth) if inner else None
    if kind in ("captured_pattern", "or_pattern"):
        first, *others = [pattern(w, child, depth) for child in inner] or [None]
        for other in others if kind == "captured_pattern" else ():
            w.bind(other, None)
        return first
    if kind in ("identifier", "shorthand_field_identifier"):
        name = w.name(node)
        return None if name[:1].isupper() else ("name", name)
    maker = _MAKERS.get(kind)
    return maker(w, node, depth) if maker is not None else None


def bound_in(w: W, node: Node) -> list[str]:
    """Return the names that a pattern binds; more than those do no harm."""
    if node.type == "identifier":
        return [w.name(node)]
    names: list[str] = []
    left = [node]
    while left:
        child = left.pop()
        if child.type in ("identifier", "shorthand_field_identifier"):
            names.append(w.name(child))
        left += child.named_children
    return names


def _places(w: W, node: Node, depth: int, skipped: Node | None = None) -> list[Term]:
    """Return a target for each place in brackets; what stands behind `..` has none."""
    targets: list[Term] = []
    is_known = True
    for child in node.children:
        if child == skipped or child.type in _SKIPPED or not (child.is_named or child.type == "_"):
            continue
        if child.type == "remaining_field_pattern":
            is_known = False
            continue
        target = pattern(w, child, depth) if child.is_named else None
        if is_known:
            targets.append(target)
        elif target is not None:
            w.bind(target, None)
    return targets


def _tuple(w: W, node: Node, depth: int) -> Term:
    targets = _places(w, node, depth)
    return ("tuple", tuple(targets)) if any(targets) else None


def _tuple_struct(w: W, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    targets = _places(w, node, depth, named)
    if named is None:
        return None
    name = w.name(named).rpartition("::")[2]
    if len(targets) == 1 and name in ("Some", "Ok", "Err"):
        if name != "Err":
            return targets[0]
        w.bind(targets[0], None)
        return None
    owner = path_of(w, named)
    for place, target in enumerate(targets):
        if target is not None:
            w.bind(target, _member(owner, str(place)))
    return None


def _member(owner: Term, name: str) -> Term:
    """Return a member of a struct, or of a variant, which has it in its enum."""
    own: Term = ("attr", ("typed", owner), name)
    if owner is None or owner[0] != "attr":
        return own
    return ("either", (own, ("attr", ("typed", owner[1]), f"{owner[2]}.{name}")))


def _struct(w: W, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    owner = type_of(w, named)
    for child in node.named_children:
        parts = [c for c in child.named_children if c.type not in _SKIPPED]
        if child.type == "field_pattern" and parts:
            target = pattern(w, parts[-1], depth)
            if target is not None:
                w.bind(target, _member(owner, w.name(parts[0])))
    return None


def _path(w: W, node: Node, depth: int) -> Term:
    """A constant is compared with."""
    w.do(path_of(w, node))
    return None


_MAKERS = {
    "self": lambda w, node, depth: ("name", "self"),
    "tuple_pattern": _tuple,
    "slice_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "scoped_identifier": _path,
}


# --- Rust's blocks, branches, matches, closures.

W = RustWalker

_DECLARING = {"let_declaration", "use_declaration", "const_item", "static_item"}
_COMMENTS = {"line_comment", "block_comment"}


def function_body(
    w: W, number: int, params: tuple[Param, ...], body: Node, listed: Node | None = None
) -> None:
    """Walk the body of a function or closure; its last expression is what it returns."""
    around, w.at = w.at, w.body(number)
    bind_parameters(w, listed)
    w.at = around
    nodes, tail = _split(body) if body.type == "block" else ([], body)
    w.within(w.body(number), nodes, params, lambda: _returned(w, tail))


def _returned(w: W, tail: Node | None) -> None:
    value = w.term(tail)
    if value is not None:
        w.say("return", value)


def _split(block: Node) -> tuple[list[Node], Node | None]:
    """Return the statements of a block and the expression that is its value."""
    nodes = list(block.named_children)
    while nodes and nodes[-1].type in _COMMENTS:
        nodes.pop()
    last = nodes[-1] if nodes else None
    if last is None or last.type.endswith(("_item", "_declaration", "_definition", "_statement")):
        if last is None or last.type != "expression_statement":
            return nodes, None
        if last.children[-1].type == ";" or not last.named_child_count:
            return nodes, None
        return nodes[:-1], last.named_children[0]
    return nodes[:-1], last


def _block(w: W, node: Node) -> Term:
    if node.type != "block":
        inner = [child for child in node.named_children if child.type == "block"]
        return _block(w, inner[0]) if inner else None
    nodes, tail = _split(node)
    if not any(child.type in _DECLARING for child in nodes):
        w.each(nodes)
        return w.term(tail)
    around = w.at
    w.at = w.open("block", around)
    w.each(nodes)
    value = w.term(tail)
    scope, w.at = w.at, around
    return ("in", scope, value) if value is not None else None


def _either(values: list[Term]) -> Term:
    non_constants = tuple(value for value in values if value is not None and value[0] != "const")
    return (
        non_constants[0]
        if len(non_constants) == 1
        else ("either", non_constants)
        if non_constants
        else None
    )


def _if(w: W, node: Node) -> Term:
    parts = fields(node)
    condition = parts.get("condition")
    binds = condition is not None and condition.type in ("let_condition", "let_chain")
    around = w.at
    if binds:
        w.at = w.open("block", around)
    if condition is not None:
        w.run(condition)
    value = w.term(parts.get("consequence"))
    if binds and value is not None:
        value = ("in", w.at, value)
    w.at = around
    other = parts.get("alternative")
    branch = other.named_children[-1] if other is not None and other.named_child_count else None
    return _either([value, w.term(branch)])


def _let_condition(w: W, node: Node) -> None:
    value, target = _declared(w, fields(node))
    w.bind(target, value)


def _declared(w: W, parts: dict[str, Node]) -> tuple[Term, Term]:
    """Return the value and the target of a `let`: the value may read what the target hides."""
    value, matched = w.term(parts.get("value")), parts.get("pattern")
    if matched is None:
        return value, None
    value = w.declares(bound_in(w, matched), value)[0]
    return value, pattern(w, matched)


def _match(w: W, node: Node) -> Term:
    parts = fields(node)
    value = w.term(parts.get("value"))
    if value is not None and value[0] not in ("name", "self"):
        # Evaluated once, taken apart in each arm.
        name = f"<{node.start_byte}>"
        w.say("bind", ("name", name), value)
        value = ("name", name)
    elif value is not None and value != ("name", "self"):
        # `match x { Some(x) => … }`: in its arms it may be hidden.
        value = ("in", w.at, value)
    body = parts.get("body")
    arms = [c for c in body.named_children if c.type == "match_arm"] if body is not None else []
    return _either([_arm(w, arm, value) for arm in arms])


def _arm(w: W, arm: Node, value: Term) -> Term:
    parts = fields(arm)
    around, matched = w.at, parts.get("pattern")
    w.at = w.open("block", around)
    guard = matched.child_by_field_name("condition") if matched is not None else None
    for child in matched.named_children if matched is not None else ():
        if child == guard:
            w.run(child)
        elif (target := pattern(w, child)) is not None:
            w.bind(target, value)
    result = w.term(parts.get("value"))
    scope, w.at = w.at, around
    return ("in", scope, result) if result is not None else None


def _let(w: W, node: Node) -> None:
    parts = fields(node)
    value, target = _declared(w, parts)
    kind = type_of(w, parts.get("type"))
    if kind is not None and target is not None and target[0] == "name":
        w.know(target)
        w.say("declare", target, kind)
    if value is not None or target is not None:
        w.bind(target, value)
    if "alternative" in parts:
        w.run(parts["alternative"])


def _for(w: W, node: Node) -> None:
    parts = fields(node)
    around = w.at
    w.at = w.open("block", around)
    if "value" in parts:
        over = w.term(parts["value"])
        matched = parts.get("pattern")
        if matched is not None:
            over = w.declares(bound_in(w, matched), over)[0]
        target = pattern(w, matched) if matched is not None else None
        _elements(w, target, over, parts["value"])
    if "body" in parts:
        w.run(parts["body"])
    w.at = around


def _elements(w: W, target: Term, over: Term, node: Node) -> None:
    """Bind an element; of two parts of one the first may be its number, or the key of a mapping."""
    if target is None or target[0] != "tuple" or len(target[1]) != 2:
        w.bind(target, ("iter", over, w.site(node)))
        return
    numbered = _numbered(over)
    if numbered is not None:
        w.bind(target, ("tuple", (None, ("iter", numbered, w.site(node)))))
        return
    over = held(w, over, node)
    whole = ("name", f"<{node.end_byte}>")
    w.bind(whole, ("iter", over, w.site(node)))
    others = (whole, ("item", over, None))
    for place, (part, other) in enumerate(zip(target[1], others, strict=True)):
        if part is not None:
            w.bind(part, ("either", (("item", whole, ("const", "int", place)), other)))


def _numbered(term: Term) -> Term:
    """Return what `x.enumerate()` numbers."""
    callee = term[1] if term is not None and term[0] == "call" else None
    is_numbered = callee is not None and callee[0] == "attr" and callee[2] == "enumerate"
    return callee[1] if is_numbered and callee is not None else None


def _loop(w: W, node: Node) -> Term:
    """A loop gives what it is left with."""
    outer, w.broken = w.broken, []
    w.each(node.named_children)
    value, w.broken = _either(w.broken), outer
    return value


def _break(w: W, node: Node) -> None:
    for child in node.named_children:
        if child.type != "label" and (value := w.term(child)) is not None:
            w.broken.append(("in", w.at, value))


def _while(w: W, node: Node) -> None:
    w.block(node.named_children)


def _assignment(w: W, node: Node) -> None:
    parts = fields(node)
    value = w.term(parts.get("right"))
    w.assign(w.term(parts.get("left")), value)


def _return(w: W, node: Node) -> None:
    value = w.term(node.named_children[0]) if node.named_child_count else None
    if value is not None:
        w.say("return", value)


def _closure(w: W, node: Node) -> Term:
    parts = fields(node)
    body = parts.get("body")
    taken = parameters(w, parts.get("parameters"))
    number = w.define(
        "function",
        "<lambda>",
        node,
        scope=w.at,
        body="function",
        header=body.start_byte if body is not None else None,
        params=taken,
        returns=type_of(w, parts.get("return_type")),
    )
    if body is not None:
        function_body(w, number, taken, body, parts.get("parameters"))
    return ("def", number)


BLOCK_TERMS: Terms = {
    "block": _block,
    "unsafe_block": _block,
    "async_block": _block,
    "const_block": _block,
    "if_expression": _if,
    "match_expression": _match,
    "closure_expression": _closure,
    "loop_expression": _loop,
}

BLOCK_STATEMENTS: Statements = {
    "let_declaration": _let,
    "let_condition": _let_condition,
    "for_expression": _for,
    "while_expression": _while,
    "assignment_expression": _assignment,
    "return_expression": _return,
    "break_expression": _break,
}
