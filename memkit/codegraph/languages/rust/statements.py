"""Rust: blocks, matches, patterns, closures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import (
    MAX_DEPTH,
    Expressions,
    Statements,
    bind_pair,
    child_of_type,
    children_of,
    first_child,
    one_of,
    own_block,
    reusable,
)
from .expressions import RustWalker, path_of, type_in, type_of, written_types

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Patterns, and parameters, which are patterns too.

# Patterns that bind what their first part binds.
_SAME = words("mut_pattern ref_pattern reference_pattern match_pattern")
_SKIPPED = words("mutable_specifier line_comment block_comment attribute_item lifetime")


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
    parts = _parts(node) if node is not None else []
    return [part for part in parts if part.type != "variadic_parameter"]


def _parts(node: Node) -> list[Node]:
    """Return what stands in brackets, `_` among it."""
    parts = [child for child in node.children if child.type not in _SKIPPED]
    return [part for part in parts if part.is_named or part.type == "_"]


def _parameter(walker: RustWalker, node: Node) -> Param:
    if node.type == "self_parameter":
        return Param("self", None, None, "")
    is_typed = node.type == "parameter"
    inner = (node.child_by_field_name("pattern") if is_typed else None) or node
    name = _name(walker, inner)
    if name == "self":
        return Param("self", None, None, "")
    if name is None:
        name = f"<{inner.start_byte}>" if inner.type != "_" else ""
    kind = type_in(walker, node) if is_typed else None
    return Param(name, kind, None, "")


def _name(walker: RustWalker, node: Node) -> str | None:
    """Return the one name that a pattern gives to the whole, None if it takes it apart."""
    while node.type in ("mut_pattern", "ref_pattern") and node.named_child_count:
        node = node.named_children[-1]
    return walker.name(node) if node.type in ("identifier", "self") else None


def pattern(walker: RustWalker, node: Node, depth: int = 0) -> Term:
    """Return what a pattern binds, as a target; members of a struct are bound on the way."""
    if depth > MAX_DEPTH:
        return None
    kind, depth = node.type, depth + 1
    inner = [part for part in _parts(node) if part.is_named]
    if kind in _SAME:
        return pattern(walker, inner[0], depth) if inner else None
    if kind in ("captured_pattern", "or_pattern"):
        first, *others = [pattern(walker, child, depth) for child in inner] or [None]
        for other in others if kind == "captured_pattern" else ():
            walker.bind(other, None)
        return first
    if kind in ("identifier", "shorthand_field_identifier"):
        name = walker.name(node)
        if name[:1].isupper():  # a constant or a variant is compared with
            walker.discard(("name", name))
            return None
        return ("name", name)
    maker = _MAKERS.get(kind)
    return maker(walker, node, depth) if maker is not None else None


def bound_in(walker: RustWalker, node: Node) -> list[str]:
    """Return the names that a pattern binds; more than those do no harm."""
    if node.type == "identifier":
        return [walker.name(node)]
    names: list[str] = []
    pending = [node]
    while pending:
        child = pending.pop()
        if child.type in ("identifier", "shorthand_field_identifier"):
            names.append(walker.name(child))
        pending += child.named_children
    return names


def _places(walker: RustWalker, node: Node, depth: int, skipped: Node | None = None) -> list[Term]:
    """Return a target for each place in brackets; what stands behind `..` has none."""
    targets: list[Term] = []
    is_known = True
    for child in _parts(node):
        if child == skipped:
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
    if not any(targets):  # else it is said with the first of them
        walker.discard(owner)
    for position, target in enumerate(targets):
        if target is not None:
            walker.bind(target, _member(owner, str(position)))
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
    if not any(child.type == "field_pattern" for child in node.named_children):
        walker.discard(owner)
    for child in node.named_children:
        parts = [c for c in child.named_children if c.type not in _SKIPPED]
        if child.type == "field_pattern" and parts:
            target = pattern(walker, parts[-1], depth)
            if target is not None:
                walker.bind(target, _member(owner, walker.name(parts[0])))
    return None


def _path(walker: RustWalker, node: Node, depth: int) -> Term:
    """A constant is compared with."""
    walker.discard(path_of(walker, node))
    return None


_MAKERS = {
    "self": lambda walker, node, depth: ("name", "self"),
    "tuple_pattern": _tuple,
    "slice_pattern": _tuple,
    "tuple_struct_pattern": _tuple_struct,
    "struct_pattern": _struct,
    "scoped_identifier": _path,
}


# --- Blocks, branches, matches, closures.

_DECLARING = {"let_declaration", "use_declaration", "const_item", "static_item"}
_COMMENTS = {"line_comment", "block_comment"}


def function_body(
    walker: RustWalker,
    index: int,
    params: tuple[Param, ...],
    body: Node,
    listed: Node | None = None,
) -> None:
    """Walk the body of a function or closure; its last expression is what it returns."""
    scope = walker.body(index)
    with walker.in_scope(scope):
        bind_parameters(walker, listed)
    nodes, tail = _split(body) if body.type == "block" else ([], body)
    with walker.in_body(scope, params):
        walker.run_all(nodes)
        walker.emit_return(walker.evaluate(tail))


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
        inner = child_of_type(node, "block")
        return _block(walker, inner) if inner is not None else None
    nodes, tail = _split(node)
    if not any(child.type in _DECLARING for child in nodes):
        walker.run_all(nodes)
        return walker.evaluate(tail)
    with walker.in_block():
        walker.run_all(nodes)
        value = walker.evaluate(tail)
        return ("in", walker.scope, value) if value is not None else None


def _if(walker: RustWalker, node: Node) -> Term:
    condition = node.child_by_field_name("condition")
    binds = condition is not None and condition.type in ("let_condition", "let_chain")
    with walker.in_block(when=binds):
        walker.run_field(node, "condition")
        value = walker.evaluate_field(node, "consequence")
        if binds and value is not None:
            value = ("in", walker.scope, value)
    other = node.child_by_field_name("alternative")
    branch = other.named_children[-1] if other is not None and other.named_child_count else None
    return one_of([value, walker.evaluate(branch)])


def _let_condition(walker: RustWalker, node: Node) -> None:
    value, target = _declared(walker, node)
    walker.bind(target, value)


def _declared(walker: RustWalker, node: Node) -> tuple[Term, Term]:
    """Return the value and the target of a `let` or `for`: it may read what the target hides."""
    value = walker.evaluate_field(node, "value")
    matched = node.child_by_field_name("pattern")
    if matched is None:
        return value, None
    value = walker.shadow(bound_in(walker, matched), value)[0]
    return value, pattern(walker, matched)


def _match(walker: RustWalker, node: Node) -> Term:
    value = walker.evaluate_field(node, "value")
    if value is not None and value[0] not in ("name", "self"):
        # Evaluated once, taken apart in each arm.
        name = f"<{node.start_byte}>"
        walker.emit("bind", ("name", name), value)
        value = ("name", name)
    elif value is not None and value != ("name", "self"):
        # `match x { Some(x) => … }`: in its arms it may be hidden.
        value = ("in", walker.scope, value)
    body = children_of(node.child_by_field_name("body"))
    arms = [child for child in body if child.type == "match_arm"]
    return one_of([_arm(walker, arm, value) for arm in arms])


def _arm(walker: RustWalker, arm: Node, value: Term) -> Term:
    matched = arm.child_by_field_name("pattern")
    with walker.in_block():
        guard = matched.child_by_field_name("condition") if matched is not None else None
        for child in children_of(matched):
            if child == guard:
                walker.run(child)
            elif (target := pattern(walker, child)) is not None:
                walker.bind(target, value)
        result = walker.evaluate_field(arm, "value")
        return ("in", walker.scope, result) if result is not None else None


def _let(walker: RustWalker, node: Node) -> None:
    value, target = _declared(walker, node)
    kind = type_in(walker, node)
    written_types(walker, node, walker.scope)
    if kind is not None and target is not None and target[0] == "name":
        walker.declare(target, kind)
    if value is not None or target is not None:
        walker.bind(target, value)
    walker.run_field(node, "alternative")


def _for(walker: RustWalker, node: Node) -> None:
    value = node.child_by_field_name("value")
    with walker.in_block():
        if value is not None:
            over, target = _declared(walker, node)
            _elements(walker, target, over, value)
        walker.run_field(node, "body")


def _elements(walker: RustWalker, target: Term, over: Term, node: Node) -> None:
    """Bind an element; of two parts of one the first may be its number, or the key of a mapping."""
    if target is None or target[0] != "tuple" or len(target[1]) != 2:
        walker.bind(target, ("iter", over, walker.site(node)))
        return
    numbered = _numbered(over)
    if numbered is not None:
        walker.bind(target, ("tuple", (None, ("iter", numbered, walker.site(node)))))
        return
    over = reusable(walker, over, node)
    element = ("iter", over, walker.site(node))
    bind_pair(walker, target[1], over, element, ("name", f"<{node.end_byte}>"))


def _numbered(term: Term) -> Term:
    """Return what `x.enumerate()` numbers."""
    callee = term[1] if term is not None and term[0] == "call" else None
    is_numbered = callee is not None and callee[0] == "attr" and callee[2] == "enumerate"
    return callee[1] if is_numbered and callee is not None else None


def _loop(walker: RustWalker, node: Node) -> Term:
    """A loop gives what it is left with."""
    values: list[Term] = []
    with walker.having(broken=values):
        walker.run_all(node.named_children)
    return one_of(values)


def _break(walker: RustWalker, node: Node) -> None:
    for child in node.named_children:
        if child.type != "label" and (value := walker.evaluate(child)) is not None:
            walker.broken.append(("in", walker.scope, value))


def _assignment(walker: RustWalker, node: Node) -> None:
    value = walker.evaluate_field(node, "right")
    walker.assign(walker.evaluate_field(node, "left"), value)


def _return(walker: RustWalker, node: Node) -> None:
    walker.emit_return(walker.evaluate(first_child(node)))


def _closure(walker: RustWalker, node: Node) -> Term:
    body, listed = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    params = parameters(walker, listed)
    index = walker.define(
        "function", "<lambda>", node, body="function", params=params,
        header=body.start_byte if body is not None else None,
        returns=type_in(walker, node, "return_type"),
    )  # fmt: skip
    if body is not None:
        function_body(walker, index, params, body, listed)
    return ("def", index)


EXPRESSIONS: Expressions = {
    "block": _block,
    "unsafe_block": _block,
    "async_block": _block,
    "const_block": _block,
    "if_expression": _if,
    "match_expression": _match,
    "closure_expression": _closure,
    "loop_expression": _loop,
}

STATEMENTS: Statements = {
    "let_declaration": _let,
    "let_condition": _let_condition,
    "for_expression": _for,
    "while_expression": own_block,
    "assignment_expression": _assignment,
    "return_expression": _return,
    "break_expression": _break,
}
