"""Expressions, calls, JSX."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Term
from ..walker import is_simple, operands
from .imports import required
from .walker import this

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


# --- Expressions of JavaScript and TypeScript as terms.

# What has no value of its own: evaluated for the calls and reads inside.
NOTHING: Term = None
NONE: Term = ("const", "none", None)
FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_TYPED_BY_CONTEXT = FUNCTIONS | {"object"}
_JOINING = {"||", "&&", "??"}
_ASSIGNING_EITHER = {"||=", "&&=", "??="}


def identifier(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A variable is read."""
    return ("name", walker.text(node))


def constant(kind: str) -> Callable[[JavaScriptWalker, Node, int], Term]:
    """Return what reads a literal of a kind whose value does not matter."""
    term = ("const", kind, None)
    return lambda walker, node, scope: term


def string(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A text; its value is kept if it may be a key."""
    value = walker.text(node)[1:-1]
    return ("const", "str", value if len(value) <= CONST_CHARS else None)


def number(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A number: whole decimal ones keep their value, since they may be indexes."""
    text = walker.text(node)
    if text.isdecimal() and len(text) < 16:
        return ("const", "int", int(text))
    return ("const", "float", None)


def template(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A template text: what is put in is evaluated, the text itself is not known."""
    parts = [child for child in node.named_children if child.type == "template_substitution"]
    if not parts:
        return string(walker, node, scope)
    for part in parts:
        walker.evaluate(part.named_children, scope)
    return ("const", "str", None)


def inner(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """Parentheses, `!` and the like: the value of the last expression inside."""
    children = [child for child in node.named_children if child.type != "comment"]
    if not children:
        return NOTHING
    walker.evaluate(children[:-1], scope)
    return walker.term(children[-1], scope)


def first(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """The value of the first expression inside; the types behind it say nothing new."""
    children = node.named_children
    return walker.term(children[0], scope) if children else NOTHING


def evaluated(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """Evaluate what is inside and know nothing of the result."""
    walker.evaluate(node.named_children, scope)
    return NOTHING


def binary(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`||`, `&&` and `??` give one of their sides; other operators give something unknown."""
    sides, joins = operands(node, _JOINING)
    operator = node.child_by_field_name("operator")
    if len(sides) == 2 and operator is not None and operator.type == "instanceof":
        return _instance(walker, sides[0], sides[1], scope)
    if joins:
        return ("either", tuple(walker.term(side, scope) for side in sides))
    walker.evaluate(sides, scope)
    return NOTHING


def _instance(walker: JavaScriptWalker, value: Node, kind: Node, scope: int) -> Term:
    """`x instanceof T`: from here on x may be a T."""
    walker.evaluate((value, kind), scope)
    if value.type == "identifier" and kind.type in ("identifier", "member_expression"):
        name = walker.text(value)
        declaring = walker.declaring(scope, name)
        if declaring >= 0:
            walker.add(declaring, ("narrow", ("name", name), walker.term(kind, scope)))
    return NOTHING


def ternary(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`a ? b : c` is one of b and c."""
    walker.evaluate_field(node, "condition", scope)
    return (
        "either",
        (walker.field(node, "consequence", scope), walker.field(node, "alternative", scope)),
    )


def assignment(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """An assignment in an expression: a statement of its own, then a read of its target."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return evaluated(walker, node, scope)
    return walker.parts.assign(walker, left, right, scope)


def augmented(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`||=` and its like bind their target; `+=` only evaluates."""
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type in _ASSIGNING_EITHER:
        return assignment(walker, node, scope)
    walker.evaluate_field(node, "left", scope)
    walker.evaluate_field(node, "right", scope)
    return NOTHING


def member(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A member; `X.prototype` is X itself, `exports.x` the local name by which x is bound."""
    name = walker.text_of(node, "property")
    target = node.child_by_field_name("object")
    if target is None:
        return NOTHING
    if walker.is_exports(target):
        return ("name", f"exports.{name}")
    value = walker.term(target, scope)
    return value if name == "prototype" else ("attr", value, name)


def subscript(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A subscript; a text as key is a member by another spelling."""
    value = walker.field(node, "object", scope)
    key = walker.field(node, "index", scope)
    if key is not None and key[:2] == ("const", "str") and key[2]:
        return ("attr", value, key[2])
    return ("item", value, key)


def array(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """An array literal."""
    return ("list", walker.terms(node.named_children, scope))


def spread(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`...x` in a call or an array."""
    return ("star", inner(walker, node, scope))


def awaited(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`await x`."""
    return ("await", inner(walker, node, scope))


def yielded(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`yield x` and `yield* x`: what comes back is what the caller sends, which nobody knows."""
    value = inner(walker, node, scope)
    delegates = any(child.type == "*" for child in node.children)
    walker.add(scope, ("yield", ("iter", value) if delegates else value))
    return NOTHING


def definition(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A function or a class without a name that is bound."""
    return ("def", walker.parts.define_in_place(walker, node, scope))


def cast(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`x as T`: a value said to be of a type; `as const` says nothing."""
    children = node.named_children
    if not children:
        return NOTHING
    declared = walker.type(children[1]) if len(children) > 1 else None
    if _inmost(children[0]).type in _TYPED_BY_CONTEXT:
        walker.context_type = declared
    value = walker.term(children[0], scope)
    return value if declared is None else ("cast", declared, value)


def _inmost(node: Node) -> Node:
    """Return what stands in parentheses."""
    while node.type == "parenthesized_expression" and node.named_child_count == 1:
        node = node.named_children[0]
    return node


def satisfying(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`x satisfies T`: x, which takes from T what it does not say itself."""
    children = node.named_children
    if len(children) > 1 and _inmost(children[0]).type in _TYPED_BY_CONTEXT:
        walker.context_type = walker.type(children[1])
    return first(walker, node, scope)


def assertion(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`<T>x`: the older spelling of a cast."""
    children = node.named_children
    if len(children) < 2:
        return first(walker, node, scope)
    types = children[0].named_children
    declared = walker.type(types[0]) if types else None
    value = walker.term(children[1], scope)
    return value if declared is None else ("cast", declared, value)


TERMS: dict[str, Callable[[JavaScriptWalker, Node, int], Term]] = {
    "identifier": identifier,
    "shorthand_property_identifier": identifier,
    "type_identifier": identifier,
    "this": this,
    "super": lambda walker, node, scope: ("super",),
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
    "meta_property": lambda walker, node, scope: NOTHING,
    "import": lambda walker, node, scope: NOTHING,
}


# --- Calls of JavaScript and TypeScript, among them those that mean something to the structure.

# Calls after which the first argument has the members of the others.
_MIXING = {"Object.assign", "Object.setPrototypeOf", "util.inherits", "inherits"}
_CREATING = {"Object.create", "Object.freeze", "Object.seal"}
# Methods of arrays and promises that call what they are given with one element.
AWAITING = {"then", "catch", "finally"}
GIVING = {"then", "catch", "map"}
FOLDING = {"reduce", "reduceRight"}
# Which of the first arguments are elements, if not the first one alone.
_PLACES = {**dict.fromkeys(FOLDING, (False, True)), "sort": (True, True)}
RUNS = (
    AWAITING
    | FOLDING
    | set(
        """
    map forEach filter find findIndex findLast findLastIndex some every flatMap sort
    """.split()
    )
)
_INDIRECT = {"call", "apply", "bind"}
_NO_RECEIVER = {"this", "null", "undefined"}


def call(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """A call; `require` is an import, `f.call(this, x)` a call of f."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type in ("import", "identifier"):
        imported = required(walker, node, scope)
        if imported is not None:
            return imported
    if function.type == "member_expression" and arguments is not None:
        special = _special(walker, function, arguments, scope)
        if special is not None:
            return special
    callee = walker.term(function, scope)
    args = _arguments(walker, arguments, scope, callee)
    site = _site(walker, function)
    if args and callee is not None and callee[0] == "attr" and callee[2] in RUNS:
        return _run_by(walker, callee, args, scope, site)
    _expected(walker, callee, args, scope)
    return _held_in(callee, args, ("call", callee, args, (), site))


def _expected(walker: JavaScriptWalker, callee: Term, args: tuple[Term, ...], scope: int) -> None:
    """Say what functions in place are called with: what the callee says to expect."""
    for place, value in enumerate(args):
        is_choice = value is not None and value[0] == "either"
        for choice in value[1] if is_choice and value is not None else (value,):
            if callee is not None and choice is not None and choice[0] == "def":
                expected = tuple(
                    ("given", callee, place, number) if is_untyped else None
                    for number, is_untyped in enumerate(walker.builder.untyped(choice[1]))
                )
                walker.feed(choice[1], expected, scope)


def _held_in(callee: Term, args: tuple[Term, ...], whole: Term) -> Term:
    """Return a call with what it gives if it lists what a container holds.

    `Object.values(x)` gives values, `Object.entries(x)` and `x.entries()` pairs.
    """
    if callee is None or callee[0] != "attr" or callee[2] not in ("entries", "values"):
        return whole
    held: Term = None
    if callee[1] == ("name", "Object"):
        held = args[0] if len(args) == 1 else None
    elif callee[2] == "entries" and not args:
        held = callee[1]
    if held is None or not is_simple(held):
        return whole
    element: Term = ("item", held, None)
    if callee[2] == "entries":
        element = ("tuple", (None, element))
    return ("either", (whole, ("list", (element,))))


def _run_by(
    walker: JavaScriptWalker, callee: Term, args: tuple[Term, ...], scope: int, site: int
) -> Term:
    """Return a call of `map` or its like, with what the functions give that it calls."""
    assert callee is not None
    receiver, name = callee[1], callee[2]
    if not is_simple(receiver):
        receiver = ("name", walker.temporary())
        walker.bind(scope, receiver[1], callee[1])
    run: Term = ("attr", receiver, name)
    results: list[Term] = []
    for callback in args[:2]:
        if callback is None or (
            callback[0] != "def" and not (callback[0] in ("name", "attr") and is_simple(callback))
        ):
            continue
        element: Term = ("await" if name in AWAITING else "iter", receiver)
        if name == "forEach":  # of a mapping its values
            element = ("either", (element, ("item", receiver, None)))
        places = tuple(element if is_one else None for is_one in _PLACES.get(name, (True,)))
        ran: Term = ("ran", run, ("call", callback, places, (), site))
        if callback[0] == "def":
            walker.feed(callback[1], places, scope)
        if name in GIVING:
            results.append(ran if name in AWAITING else ("list", (ran,)))
        else:
            walker.add(scope, ("do", ran))
    whole: Term = ("call", run, args, (), site)
    return ("either", (whole, *results)) if results else whole


def new(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`new T(…)`."""
    made = node.child_by_field_name("constructor")
    if made is None:
        return None
    kind = walker.term(made, scope)
    arguments = _arguments(walker, node.child_by_field_name("arguments"), scope, kind)
    _expected(walker, kind, arguments, scope)
    value: Term = ("new", kind, arguments, (), _site(walker, made))
    type_arguments = node.child_by_field_name("type_arguments")
    if type_arguments is None or kind is None:
        return value
    types = tuple(walker.type(child) for child in type_arguments.named_children)
    key: Term = types[0] if len(types) == 1 else ("tuple", types)
    return ("cast", ("item", kind, key), value)


def _site(walker: JavaScriptWalker, function: Node) -> int:
    if function.type == "member_expression":
        function = function.child_by_field_name("property") or function
    return walker.builder.site(function)


def _arguments(
    walker: JavaScriptWalker, node: Node | None, scope: int, callee: Term = None
) -> tuple[Term, ...]:
    if node is None:
        return ()
    if node.type != "arguments":  # the text of a tagged template
        walker.evaluate((node,), scope)
        return ()
    listed = [child for child in node.named_children if child.type != "comment"]
    args = []
    for place, child in enumerate(listed):
        if child.type == "object" and callee is not None and is_simple(callee):
            walker.context_type = ("same", ("taken", callee, place))
        args.append(walker.term(child, scope))
    return tuple(args)


def _special(walker: JavaScriptWalker, function: Node, arguments: Node, scope: int) -> Term:
    """Return the term of a call that is more than one, None for a plain call."""
    name = walker.text_of(function, "property")
    if name in _INDIRECT:
        return _indirect(walker, function, name, arguments, scope)
    if name not in ("assign", "setPrototypeOf", "inherits", "create", "freeze", "seal"):
        return None
    written = walker.text(function)
    terms = () if written not in _MIXING | _CREATING else _arguments(walker, arguments, scope)
    if not terms:
        return None
    target = walker.held(terms[0], scope) if written in _MIXING else terms[0]
    for base in terms[1:]:
        if written in _MIXING:
            walker.add(scope, ("mixin", target, walker.held(base, scope)))
        else:
            walker.add(scope, ("do", base))
    return target


def _indirect(
    walker: JavaScriptWalker, function: Node, name: str, arguments: Node, scope: int
) -> Term:
    """`f.call(this, x)`, `f.apply(this, xs)`, `f.bind(this)`: f, called or given on."""
    target = function.child_by_field_name("object")
    nodes = [child for child in arguments.named_children if child.type != "comment"]
    if target is None or not nodes or nodes[0].type not in _NO_RECEIVER:
        return None
    callee = walker.term(target, scope)
    terms = walker.terms(nodes[1:], scope)
    if name == "bind":
        for term in terms:
            walker.add(scope, ("do", term))
        return callee
    if name == "apply":
        terms = tuple(("star", term) for term in terms)
    return ("call", callee, terms, (), _site(walker, function))


# --- JSX: an element is a call of its component with the attributes as one object.


def element(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`<Component a={x}>…</Component>`; lower-case names are elements of the page."""
    opening = node.child_by_field_name("open_tag")
    children: list[Term] = []
    if opening is None:
        opening = node if node.type == "jsx_self_closing_element" else None
    if opening is not node:
        inside = [child for child in node.named_children if child.type not in _TAGS]
        children = [child for child in walker.terms(inside, scope) if child is not None]
    if opening is None:
        return ("list", tuple(children))
    properties = _properties(walker, opening, scope)
    if children:
        properties.append((("const", "str", "children"), ("list", tuple(children))))
    name = opening.child_by_field_name("name")
    if name is None or (name.type == "identifier" and walker.text(name)[:1].islower()):
        return ("dict", tuple(properties))
    component = walker.term(name, scope)
    return ("call", component, (("dict", tuple(properties)),), (), walker.builder.site(name))


def _properties(walker: JavaScriptWalker, opening: Node, scope: int) -> list[tuple[Term, Term]]:
    properties: list[tuple[Term, Term]] = []
    for child in opening.named_children:
        if child.type == "jsx_attribute":
            parts = child.named_children
            value = walker.term(parts[1], scope) if len(parts) > 1 else ("const", "bool", None)
            properties.append((("const", "str", walker.text(parts[0])), value))
        elif child.type == "jsx_expression":  # {...rest}
            for inner in child.named_children:
                spread = inner.named_children if inner.type == "spread_element" else [inner]
                properties += [(None, walker.term(part, scope)) for part in spread[-1:]]
    return properties


_TAGS = {"jsx_opening_element", "jsx_closing_element", "jsx_text", "comment"}
