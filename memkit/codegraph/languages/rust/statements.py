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


def parameters(walker: RustWalker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a function or closure; a pattern gets the name of its place."""
    return tuple(_parameter(walker, child) for child in _listed(node))


def bind_parameters(walker: RustWalker, node: Node | None) -> None:
    """Bind, in the body of a function, what the patterns among its parameters bind."""
    for child in _listed(node):
        inner = child.child_by_field_name("pattern") or child
        if child.type != "self_parameter" and not _name(walker, inner):
            target = pattern(walker, inner)
            if target is not None:
                walker.bind(target, ("name", f"<{inner.start_byte}>"))


def _listed(node: Node | None) -> list[Node]:
    """Return the parameters in their order, `_` among them."""
    return [
        child
        for child in (node.children if node is not None else ())
        if (child.is_named or child.type == "_")
        and child.type not in _SKIPPED
        and child.type != "variadic_parameter"
    ]


def _parameter(walker: RustWalker, node: Node) -> Param:
    if node.type == "self_parameter":
        return Param("self", None, None, "")
    parts = fields(node) if node.type == "parameter" else {}
    inner = parts.get("pattern", node)
    name = _name(walker, inner)
    if name == "self":
        return Param("self", None, None, "")
    if name is None:
        name = f"<{inner.start_byte}>" if inner.type != "_" else ""
    return Param(name, type_of(walker, parts.get("type")), None, "")


def _name(walker: RustWalker, node: Node) -> str | None:
    """Return the one name that a pattern gives to the whole, None if it takes it apart."""
    while node.type in ("mut_pattern", "ref_pattern") and node.named_child_count:
        node = node.named_children[-1]
    return walker.name(node) if node.type in ("identifier", "self") else None


def pattern(walker: RustWalker, node: Node, depth: int = 0) -> Term:
    """Return what a pattern binds, as a target; members of a struct are bound on the way."""
    if depth > DEEPEST:
        return None
    kind, depth = node.type, depth + 1
    inner = [c for c in node.children if c.is_named and c.type not in _SKIPPED]
    if kind in _SAME:
        return pattern(walker, inner[0], depth) if inner else None
    if kind in ("captured_pattern", "or_pattern"):
        first, *others = [pattern(walker, child, depth) for child in inner] or [None]
        for other in others if kind == "captured_pattern" else ():
            walker.bind(other, None)
        return first
    if kind in ("identifier", "shorthand_field_identifier"):
        name = walker.name(node)
        return None if name[:1].isupper() else ("name", name)
    maker = _MAKERS.get(kind)
    return maker(walker, node, depth) if maker is not None else None


def bound_in(walker: RustWalker, node: Node) -> list[str]:
    """Return the names that a pattern binds; more than those do no harm."""
    if node.type == "identifier":
        return [walker.name(node)]
    names: list[str] = []
    left = [node]
    while left:
        child = left.pop()
        if child.type in ("identifier", "shorthand_field_identifier"):
            names.append(walker.name(child))
        left += child.named_children
    return names


def _places(walker: RustWalker, node: Node, depth: int, skipped: Node | None = None) -> list[Term]:
    """Return a target for each place in brackets; what stands behind `..` has none."""
    targets: list[Term] = []
    is_known = True
    for child in node.children:
        if child == skipped or child.type in _SKIPPED or not (child.is_named or child.type == "_"):
            continue
        if child.type == "remaining_field_pattern":
            is_known = False
            continue
        target = pattern(walker, child, depth) if child.is_named else None
        if is_known:
            targets.append(target)
        elif target is not None:
            walker.bind(target, None)
    return targets


def _tuple(walker: RustWalker, node: Node, depth: int) -> Term:
    targets = _places(walker, node, depth)
    return ("tuple", tuple(targets)) if any(targets) else None


def _tuple_struct(walker: RustWalker, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    targets = _places(walker, node, depth, named)
    if named is None:
        return None
    name = walker.name(named).rpartition("::")[2]
    if len(targets) == 1 and name in ("Some", "Ok", "Err"):
        if name != "Err":
            return targets[0]
        walker.bind(targets[0], None)
        return None
    owner = path_of(walker, named)
    for place, target in enumerate(targets):
        if target is not None:
            walker.bind(target, _member(owner, str(place)))
    return None


def _member(owner: Term, name: str) -> Term:
    """Return a member of a struct, or of a variant, which has it in its enum."""
    own: Term = ("attr", ("typed", owner), name)
    if owner is None or owner[0] != "attr":
        return own
    return ("either", (own, ("attr", ("typed", owner[1]), f"{owner[2]}.{name}")))


def _struct(walker: RustWalker, node: Node, depth: int) -> Term:
    named = node.child_by_field_name("type")
    owner = type_of(walker, named)
    for child in node.named_children:
        parts = [c for c in child.named_children if c.type not in _SKIPPED]
        if child.type == "field_pattern" and parts:
            target = pattern(walker, parts[-1], depth)
            if target is not None:
                walker.bind(target, _member(owner, walker.name(parts[0])))
    return None


def _path(walker: RustWalker, node: Node, depth: int) -> Term:
    """A constant is compared with."""
    walker.do(path_of(walker, node))
    return None


_MAKERS = {
    "self": lambda walker, node, depth: ("name", "self"),
    "tuple_pattern": _tuple,
    "slice_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "scoped_identifier": _path,
}


# --- Rust's blocks, branches, matches, closures.

_DECLARING = {"let_declaration", "use_declaration", "const_item", "static_item"}
_COMMENTS = {"line_comment", "block_comment"}


def function_body(
    walker: RustWalker,
    number: int,
    params: tuple[Param, ...],
    body: Node,
    listed: Node | None = None,
) -> None:
    """Walk the body of a function or closure; its last expression is what it returns."""
    around, walker.at = walker.at, walker.body(number)
    bind_parameters(walker, listed)
    walker.at = around
    nodes, tail = _split(body) if body.type == "block" else ([], body)
    walker.within(walker.body(number), nodes, params, lambda: _returned(walker, tail))


def _returned(walker: RustWalker, tail: Node | None) -> None:
    value = walker.term(tail)
    if value is not None:
        walker.say("return", value)


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


def _block(walker: RustWalker, node: Node) -> Term:
    if node.type != "block":
        inner = [child for child in node.named_children if child.type == "block"]
        return _block(walker, inner[0]) if inner else None
    nodes, tail = _split(node)
    if not any(child.type in _DECLARING for child in nodes):
        walker.each(nodes)
        return walker.term(tail)
    around = walker.at
    walker.at = walker.open("block", around)
    walker.each(nodes)
    value = walker.term(tail)
    scope, walker.at = walker.at, around
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


def _if(walker: RustWalker, node: Node) -> Term:
    parts = fields(node)
    condition = parts.get("condition")
    binds = condition is not None and condition.type in ("let_condition", "let_chain")
    around = walker.at
    if binds:
        walker.at = walker.open("block", around)
    if condition is not None:
        walker.run(condition)
    value = walker.term(parts.get("consequence"))
    if binds and value is not None:
        value = ("in", walker.at, value)
    walker.at = around
    other = parts.get("alternative")
    branch = other.named_children[-1] if other is not None and other.named_child_count else None
    return _either([value, walker.term(branch)])


def _let_condition(walker: RustWalker, node: Node) -> None:
    value, target = _declared(walker, fields(node))
    walker.bind(target, value)


def _declared(walker: RustWalker, parts: dict[str, Node]) -> tuple[Term, Term]:
    """Return the value and the target of a `let`: the value may read what the target hides."""
    value, matched = walker.term(parts.get("value")), parts.get("pattern")
    if matched is None:
        return value, None
    value = walker.declares(bound_in(walker, matched), value)[0]
    return value, pattern(walker, matched)


def _match(walker: RustWalker, node: Node) -> Term:
    parts = fields(node)
    value = walker.term(parts.get("value"))
    if value is not None and value[0] not in ("name", "self"):
        # Evaluated once, taken apart in each arm.
        name = f"<{node.start_byte}>"
        walker.say("bind", ("name", name), value)
        value = ("name", name)
    elif value is not None and value != ("name", "self"):
        # `match x { Some(x) => … }`: in its arms it may be hidden.
        value = ("in", walker.at, value)
    body = parts.get("body")
    arms = [c for c in body.named_children if c.type == "match_arm"] if body is not None else []
    return _either([_arm(walker, arm, value) for arm in arms])


def _arm(walker: RustWalker, arm: Node, value: Term) -> Term:
    parts = fields(arm)
    around, matched = walker.at, parts.get("pattern")
    walker.at = walker.open("block", around)
    guard = matched.child_by_field_name("condition") if matched is not None else None
    for child in matched.named_children if matched is not None else ():
        if child == guard:
            walker.run(child)
        elif (target := pattern(walker, child)) is not None:
            walker.bind(target, value)
    result = walker.term(parts.get("value"))
    scope, walker.at = walker.at, around
    return ("in", scope, result) if result is not None else None


def _let(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    value, target = _declared(walker, parts)
    kind = type_of(walker, parts.get("type"))
    if kind is not None and target is not None and target[0] == "name":
        walker.know(target)
        walker.say("declare", target, kind)
    if value is not None or target is not None:
        walker.bind(target, value)
    if "alternative" in parts:
        walker.run(parts["alternative"])


def _for(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    around = walker.at
    walker.at = walker.open("block", around)
    if "value" in parts:
        over = walker.term(parts["value"])
        matched = parts.get("pattern")
        if matched is not None:
            over = walker.declares(bound_in(walker, matched), over)[0]
        target = pattern(walker, matched) if matched is not None else None
        _elements(walker, target, over, parts["value"])
    if "body" in parts:
        walker.run(parts["body"])
    walker.at = around


def _elements(walker: RustWalker, target: Term, over: Term, node: Node) -> None:
    """Bind an element; of two parts of one the first may be its number, or the key of a mapping."""
    if target is None or target[0] != "tuple" or len(target[1]) != 2:
        walker.bind(target, ("iter", over, walker.site(node)))
        return
    numbered = _numbered(over)
    if numbered is not None:
        walker.bind(target, ("tuple", (None, ("iter", numbered, walker.site(node)))))
        return
    over = held(walker, over, node)
    whole = ("name", f"<{node.end_byte}>")
    walker.bind(whole, ("iter", over, walker.site(node)))
    others = (whole, ("item", over, None))
    for place, (part, other) in enumerate(zip(target[1], others, strict=True)):
        if part is not None:
            walker.bind(part, ("either", (("item", whole, ("const", "int", place)), other)))


def _numbered(term: Term) -> Term:
    """Return what `x.enumerate()` numbers."""
    callee = term[1] if term is not None and term[0] == "call" else None
    is_numbered = callee is not None and callee[0] == "attr" and callee[2] == "enumerate"
    return callee[1] if is_numbered and callee is not None else None


def _loop(walker: RustWalker, node: Node) -> Term:
    """A loop gives what it is left with."""
    outer, walker.broken = walker.broken, []
    walker.each(node.named_children)
    value, walker.broken = _either(walker.broken), outer
    return value


def _break(walker: RustWalker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "label" and (value := walker.term(child)) is not None:
            walker.broken.append(("in", walker.at, value))


def _while(walker: RustWalker, node: Node) -> None:
    walker.block(node.named_children)


def _assignment(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    value = walker.term(parts.get("right"))
    walker.assign(walker.term(parts.get("left")), value)


def _return(walker: RustWalker, node: Node) -> None:
    value = walker.term(node.named_children[0]) if node.named_child_count else None
    if value is not None:
        walker.say("return", value)


def _closure(walker: RustWalker, node: Node) -> Term:
    parts = fields(node)
    body = parts.get("body")
    taken = parameters(walker, parts.get("parameters"))
    number = walker.define(
        "function",
        "<lambda>",
        node,
        scope=walker.at,
        body="function",
        header=body.start_byte if body is not None else None,
        params=taken,
        returns=type_of(walker, parts.get("return_type")),
    )
    if body is not None:
        function_body(walker, number, taken, body, parts.get("parameters"))
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
