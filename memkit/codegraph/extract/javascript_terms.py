"""Expressions of JavaScript and TypeScript as terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import CONST_CHARS, Term
from .expressions import operands
from .javascript_this import this

if TYPE_CHECKING:
    from tree_sitter import Node

    from .javascript_walk import Walk

# What has no value of its own: evaluated for the calls and reads inside.
NOTHING: Term = None
NONE: Term = ("const", "none", None)
FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_ASKED = FUNCTIONS | {"object"}
_JOINING = {"||", "&&", "??"}
_ASSIGNING_EITHER = {"||=", "&&=", "??="}


def identifier(walk: Walk, node: Node, scope: int) -> Term:
    """A variable is read."""
    return ("name", walk.text(node))


def constant(kind: str) -> Callable[[Walk, Node, int], Term]:
    """Return what reads a literal of a kind whose value does not matter."""
    found = ("const", kind, None)
    return lambda walk, node, scope: found


def string(walk: Walk, node: Node, scope: int) -> Term:
    """A text; its value is kept if it may be a key."""
    value = walk.text(node)[1:-1]
    return ("const", "str", value if len(value) <= CONST_CHARS else None)


def number(walk: Walk, node: Node, scope: int) -> Term:
    """A number: whole decimal ones keep their value, since they may be indexes."""
    text = walk.text(node)
    if text.isdecimal() and len(text) < 16:
        return ("const", "int", int(text))
    return ("const", "float", None)


def template(walk: Walk, node: Node, scope: int) -> Term:
    """A template text: what is put in is evaluated, the text itself is not known."""
    parts = [child for child in node.named_children if child.type == "template_substitution"]
    if not parts:
        return string(walk, node, scope)
    for part in parts:
        walk.evaluate(part.named_children, scope)
    return ("const", "str", None)


def inner(walk: Walk, node: Node, scope: int) -> Term:
    """Parentheses, `!` and the like: the value of the last expression inside."""
    children = [child for child in node.named_children if child.type != "comment"]
    if not children:
        return NOTHING
    walk.evaluate(children[:-1], scope)
    return walk.term(children[-1], scope)


def first(walk: Walk, node: Node, scope: int) -> Term:
    """The value of the first expression inside; the types behind it say nothing new."""
    children = node.named_children
    return walk.term(children[0], scope) if children else NOTHING


def evaluated(walk: Walk, node: Node, scope: int) -> Term:
    """Evaluate what is inside and know nothing of the result."""
    walk.evaluate(node.named_children, scope)
    return NOTHING


def binary(walk: Walk, node: Node, scope: int) -> Term:
    """`||`, `&&` and `??` give one of their sides; other operators give something unknown."""
    sides, joins = operands(node, _JOINING)
    operator = node.child_by_field_name("operator")
    if len(sides) == 2 and operator is not None and operator.type == "instanceof":
        return _instance(walk, sides[0], sides[1], scope)
    if joins:
        return ("either", tuple(walk.term(side, scope) for side in sides))
    walk.evaluate(sides, scope)
    return NOTHING


def _instance(walk: Walk, value: Node, kind: Node, scope: int) -> Term:
    """`x instanceof T`: from here on x may be a T."""
    walk.evaluate((value, kind), scope)
    if value.type == "identifier" and kind.type in ("identifier", "member_expression"):
        name = walk.text(value)
        declaring = walk.declaring(scope, name)
        if declaring >= 0:
            walk.add(declaring, ("narrow", ("name", name), walk.term(kind, scope)))
    return NOTHING


def ternary(walk: Walk, node: Node, scope: int) -> Term:
    """`a ? b : c` is one of b and c."""
    walk.evaluate_field(node, "condition", scope)
    return (
        "either",
        (walk.field(node, "consequence", scope), walk.field(node, "alternative", scope)),
    )


def assignment(walk: Walk, node: Node, scope: int) -> Term:
    """An assignment in an expression: a statement of its own, then a read of its target."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return evaluated(walk, node, scope)
    return walk.parts.assign(walk, left, right, scope)


def augmented(walk: Walk, node: Node, scope: int) -> Term:
    """`||=` and its like bind their target; `+=` only evaluates."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in _ASSIGNING_EITHER:
        return assignment(walk, node, scope)
    walk.evaluate_field(node, "left", scope)
    walk.evaluate_field(node, "right", scope)
    return NOTHING


def member(walk: Walk, node: Node, scope: int) -> Term:
    """A member; `X.prototype` is X itself, `exports.x` the local name by which x is bound."""
    name = walk.text_of(node, "property")
    target = node.child_by_field_name("object")
    if target is None:
        return NOTHING
    if walk.is_exports(target):
        return ("name", f"exports.{name}")
    value = walk.term(target, scope)
    return value if name == "prototype" else ("attr", value, name)


def subscript(walk: Walk, node: Node, scope: int) -> Term:
    """A subscript; a text as key is a member by another spelling."""
    value = walk.field(node, "object", scope)
    key = walk.field(node, "index", scope)
    if key is not None and key[:2] == ("const", "str") and key[2]:
        return ("attr", value, key[2])
    return ("item", value, key)


def array(walk: Walk, node: Node, scope: int) -> Term:
    """An array literal."""
    return ("list", walk.terms(node.named_children, scope))


def spread(walk: Walk, node: Node, scope: int) -> Term:
    """`...x` in a call or an array."""
    return ("star", inner(walk, node, scope))


def awaited(walk: Walk, node: Node, scope: int) -> Term:
    """`await x`."""
    return ("await", inner(walk, node, scope))


def yielded(walk: Walk, node: Node, scope: int) -> Term:
    """`yield x` and `yield* x`: what comes back is what the caller sends, which nobody knows."""
    value = inner(walk, node, scope)
    delegates = any(child.type == "*" for child in node.children)
    walk.add(scope, ("yield", ("iter", value) if delegates else value))
    return NOTHING


def definition(walk: Walk, node: Node, scope: int) -> Term:
    """A function or a class without a name that is bound."""
    return ("def", walk.parts.define_in_place(walk, node, scope))


def cast(walk: Walk, node: Node, scope: int) -> Term:
    """`x as T`: a value said to be of a type; `as const` says nothing."""
    children = node.named_children
    if not children:
        return NOTHING
    declared = walk.type(children[1]) if len(children) > 1 else None
    if _inmost(children[0]).type in _ASKED:
        walk.asked = declared
    value = walk.term(children[0], scope)
    return value if declared is None else ("cast", declared, value)


def _inmost(node: Node) -> Node:
    """Return what stands in parentheses."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def satisfying(walk: Walk, node: Node, scope: int) -> Term:
    """`x satisfies T`: x, which takes from T what it does not say itself."""
    children = node.named_children
    if len(children) > 1 and _inmost(children[0]).type in _ASKED:
        walk.asked = walk.type(children[1])
    return first(walk, node, scope)


def assertion(walk: Walk, node: Node, scope: int) -> Term:
    """`<T>x`: the older spelling of a cast."""
    children = node.named_children
    if len(children) < 2:
        return first(walk, node, scope)
    types = children[0].named_children
    declared = walk.type(types[0]) if types else None
    value = walk.term(children[1], scope)
    return value if declared is None else ("cast", declared, value)


TERMS: dict[str, Callable[[Walk, Node, int], Term]] = {
    "identifier": identifier,
    "shorthand_property_identifier": identifier,
    "type_identifier": identifier,
    "this": this,
    "super": lambda walk, node, scope: ("super",),
    "string": string,
    "number": number,
    "regex": constant("regex"),
    "true": constant("bool"),
    "false": constant("bool"),
    "null": constant("none"),
    "undefined": constant("none"),
    "template_string": template,
    "parenthesized_expression": inner,
    "sequence_expression": inner,
    "computed_property_name": inner,
    "unary_expression": evaluated,
    "update_expression": evaluated,
    "binary_expression": binary,
    "ternary_expression": ternary,
    "assignment_expression": assignment,
    "augmented_assignment_expression": augmented,
    "member_expression": member,
    "nested_identifier": member,
    "subscript_expression": subscript,
    "array": array,
    "spread_element": spread,
    "await_expression": awaited,
    "yield_expression": yielded,
    "arrow_function": definition,
    "function_expression": definition,
    "generator_function": definition,
    "class": definition,
    "as_expression": cast,
    "type_assertion": assertion,
    "satisfies_expression": satisfying,
    "non_null_expression": first,
    "instantiation_expression": first,
    "meta_property": lambda walk, node, scope: NOTHING,
    "import": lambda walk, node, scope: NOTHING,
}
