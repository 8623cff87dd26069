"""JavaScript: expressions, calls, JSX."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import (
    Expressions,
    applied,
    constants,
    first_inside,
    is_simple,
    name_term,
    operands,
    short_text,
    unknown,
    without_comments,
)
from .definitions import define_in_place, member_type, object_literal
from .imports import required
from .walker import this

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


# --- Expressions.

FUNCTIONS = {"arrow_function", "function_expression", "generator_function", "function"}
_JOINING = {"||", "&&", "??"}
_CONSTANTS = {
    "regex": "regex",
    "true": "bool",
    "false": "bool",
    "null": "none",
    "undefined": "none",
}


def string(walker: JavaScriptWalker, node: Node) -> Term:
    """A text; its value is kept if it may be a key."""
    return short_text(walker.name(node)[1:-1])


def number(walker: JavaScriptWalker, node: Node) -> Term:
    """A number: whole decimal ones keep their value, since they may be indexes."""
    text = walker.name(node)
    if text.isdecimal() and len(text) < 16:
        return ("const", "int", int(text))
    return ("const", "float", None)


def template(walker: JavaScriptWalker, node: Node) -> Term:
    """A template text: what is put in is evaluated, the text itself is not known."""
    parts = [child for child in node.named_children if child.type == "template_substitution"]
    if not parts:
        return string(walker, node)
    for part in parts:
        walker.run_children(part)
    return short_text(None)


def inner(walker: JavaScriptWalker, node: Node) -> Term:
    """Parentheses, `!` and the like: the value of the last expression inside."""
    expected_type = walker.take_context()
    children = without_comments(node)
    for child in children[:-1]:
        walker.run(child)
    return walker.evaluate_as(children[-1], expected_type) if children else None


def array(walker: JavaScriptWalker, node: Node) -> Term:
    """An array; what stands in it is of the type that its own says of elements."""
    expected_type = walker.take_context()
    element: Term = None if expected_type is None else ("same", ("iter", ("typed", expected_type)))
    return ("list", tuple([walker.evaluate_as(child, element) for child in node.named_children]))


def choice(walker: JavaScriptWalker, node: Node) -> Term:
    """`a ? b : c` is one of b and c."""
    expected_type = walker.take_context()
    walker.run_field(node, "condition")
    sides = [node.child_by_field_name(field) for field in ("consequence", "alternative")]
    return ("either", tuple([side and walker.evaluate_as(side, expected_type) for side in sides]))


def binary(walker: JavaScriptWalker, node: Node) -> Term:
    """`||`, `&&` and `??` give one of their sides; other operators give something unknown."""
    expected_type = walker.take_context()
    sides, joins = operands(node, _JOINING)
    operator = node.child_by_field_name("operator")
    if joins:
        return ("either", tuple([walker.evaluate_as(side, expected_type) for side in sides]))
    for side in sides:
        walker.run(side)
    if len(sides) == 2 and operator is not None and operator.type == "instanceof":
        _narrow(walker, *sides)
    return None


def _narrow(walker: JavaScriptWalker, value: Node, kind: Node) -> None:
    """`x instanceof T`: from here on x may be a T."""
    if value.type == "identifier" and kind.type in ("identifier", "member_expression"):
        declaring = walker.declaring(name := walker.name(value), walker.scope)
        if declaring >= 0:
            walker.emit_in(declaring, "narrow", ("name", name), walker.evaluate(kind))


def member(walker: JavaScriptWalker, node: Node) -> Term:
    """A member; `X.prototype` is X itself, `exports.x` the local name by which x is bound."""
    name = walker.name_of(node, "property")
    target = node.child_by_field_name("object")
    if target is None:
        return None
    if walker.is_exports(target):
        return ("name", f"exports.{name}")
    value = walker.evaluate(target)
    return value if name == "prototype" else ("attr", value, name)


def subscript(walker: JavaScriptWalker, node: Node) -> Term:
    """A subscript; a text as key is a member by another spelling."""
    value = walker.evaluate_field(node, "object")
    key = walker.evaluate_field(node, "index")
    if key is not None and key[:2] == ("const", "str") and key[2]:
        return ("attr", value, key[2])
    return ("item", value, key)


def yielded(walker: JavaScriptWalker, node: Node) -> Term:
    """`yield x` and `yield* x`: what comes back is what the caller sends, which nobody knows."""
    value = inner(walker, node)
    delegates = any(child.type == "*" for child in node.children)
    walker.emit("yield", ("iter", value) if delegates else value)
    return None


def definition(walker: JavaScriptWalker, node: Node) -> Term:
    """A function or a class without a name that is bound."""
    return ("def", define_in_place(walker, node))


def cast(walker: JavaScriptWalker, node: Node) -> Term:
    """`x as T`: a value said to be of a type; `as const` says nothing."""
    expected_type, children = walker.take_context(), node.named_children
    if not children:
        return None
    declared = walker.type(children[1]) if len(children) > 1 else None
    is_constant = len(children) < 2
    value = walker.evaluate_as(children[0], expected_type if is_constant else declared)
    return value if declared is None else ("cast", declared, value)


def satisfying(walker: JavaScriptWalker, node: Node) -> Term:
    """`x satisfies T`: x, which takes from T what it does not say itself."""
    children = node.named_children
    kind = walker.type(children[1]) if len(children) > 1 else None
    if kind is not None:
        walker.emit("do", ("typed", kind))
    return walker.evaluate_as(children[0], kind) if children else None


def assertion(walker: JavaScriptWalker, node: Node) -> Term:
    """`<T>x`: the older spelling of a cast."""
    children = node.named_children
    if len(children) < 2:
        return first_inside(walker, node)
    types = children[0].named_children
    declared = walker.type(types[0]) if types else None
    value = walker.evaluate_as(children[1], declared)
    return value if declared is None else ("cast", declared, value)


# --- Calls, among them those that change the structure of objects.

# Calls after which the first argument has the members of the others.
_MIXING = {"Object.assign", "Object.setPrototypeOf", "util.inherits", "inherits"}
_CREATING = {"Object.create", "Object.freeze", "Object.seal"}
# Methods of arrays and promises that call what they are given with one element.
AWAITING = {"then", "catch", "finally"}
GIVING = {"then", "catch", "map"}
FOLDING = {"reduce", "reduceRight"}
# Which of the first arguments are elements, if not the first one alone.
_ELEMENTS = {**dict.fromkeys(FOLDING, (False, True)), "sort": (True, True)}
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


def call(walker: JavaScriptWalker, node: Node) -> Term:
    """A call; `require` is an import, `f.call(this, x)` a call of f."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type in ("import", "identifier"):
        imported = required(walker, node)
        if imported is not None:
            return imported
    if function.type == "member_expression" and arguments is not None:
        special = _special(walker, function, arguments)
        if special is not None:
            return special
    callee = walker.evaluate(function)
    types = _type_arguments(walker, node)
    args = _arguments(walker, arguments, callee, types)
    site = _site(walker, function)
    if args and callee is not None and callee[0] == "attr" and callee[2] in RUNS:
        return _run_callbacks(walker, callee, args, site)
    _expected(walker, callee, args, types)
    return _held_in(callee, args, ("call", callee, args, (), site, *types))


def _type_arguments(walker: JavaScriptWalker, node: Node) -> tuple[Term, ...]:
    """Return the types in `f<A, B>(…)`, all in one term, which are used there; none if nothing is
    known of them."""
    listed = node.child_by_field_name("type_arguments")
    if listed is None:
        return ()
    kinds = tuple([walker.type(child) for child in without_comments(listed)])
    for kind in kinds:
        if kind is not None:
            walker.emit("do", ("typed", kind))
    return (("tuple", kinds),) if any(kinds) else ()


def _expected(
    walker: JavaScriptWalker, callee: Term, args: tuple[Term, ...], types: tuple[Term, ...] = ()
) -> None:
    """Say what functions in place are called with: what the callee says to expect."""
    for position, value in enumerate(args):
        is_choice = value is not None and value[0] == "either"
        for choice in value[1] if is_choice and value is not None else (value,):
            if callee is not None and choice is not None and choice[0] == "def":
                expected = tuple(
                    ("given", callee, position, parameter, *types) if param.type is None else None
                    for parameter, param in enumerate(walker.builder.params(choice[1]))
                )
                walker.feed(choice[1], expected)


def _held_in(callee: Term, args: tuple[Term, ...], whole: Term) -> Term:
    """Return a call with what it gives if it lists what a container holds.

    `Object.values(x)` gives values, `Object.entries(x)` and `x.entries()` pairs.
    """
    if callee is None or callee[0] != "attr" or callee[2] not in ("entries", "values"):
        return whole
    container: Term = None
    if callee[1] == ("name", "Object"):
        container = args[0] if len(args) == 1 else None
    elif callee[2] == "entries" and not args:
        container = callee[1]
    if container is None or not is_simple(container):
        return whole
    element: Term = ("item", container, None)
    if callee[2] == "entries":
        element = ("tuple", (None, element))
    return ("either", (whole, ("list", (element,))))


def _run_callbacks(
    walker: JavaScriptWalker, callee: Term, args: tuple[Term, ...], site: int
) -> Term:
    """Return a call of `map` or its like, with what the functions give that it calls."""
    assert callee is not None
    receiver, name = callee[1], callee[2]
    if not is_simple(receiver):
        receiver = ("name", walker.temporary())
        walker.bind_name(receiver[1], callee[1])
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
        elements = tuple(
            element if is_element else None for is_element in _ELEMENTS.get(name, (True,))
        )
        ran: Term = ("ran", run, ("call", callback, elements, (), site))
        if callback[0] == "def":
            walker.feed(callback[1], elements)
        if name in GIVING:
            results.append(ran if name in AWAITING else ("list", (ran,)))
        else:
            walker.emit("do", ran)
    whole: Term = ("call", run, args, (), site)
    return ("either", (whole, *results)) if results else whole


def new(walker: JavaScriptWalker, node: Node) -> Term:
    """`new T(…)`."""
    constructor = node.child_by_field_name("constructor")
    if constructor is None:
        return None
    kind = walker.evaluate(constructor)
    arguments = _arguments(walker, node.child_by_field_name("arguments"), kind)
    _expected(walker, kind, arguments)
    value: Term = ("new", kind, arguments, (), _site(walker, constructor))
    type_arguments = node.child_by_field_name("type_arguments")
    if type_arguments is None or kind is None:
        return value
    types = [walker.type(child) for child in type_arguments.named_children]
    return ("cast", applied(kind, types), value)


def _site(walker: JavaScriptWalker, function: Node) -> int:
    if function.type == "member_expression":
        function = function.child_by_field_name("property") or function
    return walker.site(function)


def _arguments(
    walker: JavaScriptWalker,
    node: Node | None,
    callee: Term = None,
    types: tuple[Term, ...] = (),
) -> tuple[Term, ...]:
    if node is None:
        return ()
    if node.type != "arguments":  # the text of a tagged template
        walker.run(node)
        return ()
    args: list[Term] = []
    nodes = without_comments(node)
    title = _title(walker, node, nodes)
    is_known = callee is not None and (is_simple(callee) or callee[:2] == ("attr", ("super",)))
    for position, child in enumerate(nodes):
        if title and child.type in FUNCTIONS:
            args.append(("def", define_in_place(walker, child, title)))
            continue
        kind: Term = ("same", ("taken", callee, position, *types)) if is_known else None
        args.append(walker.evaluate_as(child, kind))
    return tuple(args)


# Functions of test runners that take a title and a function: `it("…", () => …)`.
_TITLED = re.compile(
    r"(?:describe|it|test|suite|context|specify)"
    r"(?:\.(?:only|skip|todo|concurrent|sequential|serial|parallel|fails|failing|each|for|describe))*"
)
# Letters of a title that make a name.
_TITLE_CHARS = 100


def _title(walker: JavaScriptWalker, arguments: Node, nodes: list[Node]) -> str:
    """Return the title of a test or of a group of them, "" for other calls."""
    if len(nodes) < 2 or nodes[0].type not in ("string", "template_string"):
        return ""
    function = arguments.parent.child_by_field_name("function") if arguments.parent else None
    if function is not None and function.type == "call_expression":  # it.each(…)("…", …)
        function = function.child_by_field_name("function")
    if function is None or not _TITLED.fullmatch(walker.text(function)):
        return ""
    return " ".join(walker.text(nodes[0])[1:-1].split())[:_TITLE_CHARS]


def _special(walker: JavaScriptWalker, function: Node, arguments: Node) -> Term:
    """Return the term of a call that is more than one, None for a plain call."""
    name = walker.name_of(function, "property")
    if name in _INDIRECT:
        return _indirect(walker, function, name, arguments)
    if name not in ("assign", "setPrototypeOf", "inherits", "create", "freeze", "seal"):
        return None
    written = walker.name(function)
    terms = () if written not in _MIXING | _CREATING else _arguments(walker, arguments)
    if not terms:
        return None
    target = walker.reusable(terms[0]) if written in _MIXING else terms[0]
    for base in terms[1:]:
        if written in _MIXING:
            walker.emit("mixin", target, walker.reusable(base))
        else:
            walker.emit("do", base)
    return target


def _indirect(walker: JavaScriptWalker, function: Node, name: str, arguments: Node) -> Term:
    """`f.call(this, x)`, `f.apply(this, xs)`, `f.bind(this)`: f, called or given on."""
    target = function.child_by_field_name("object")
    nodes = without_comments(arguments)
    if target is None or not nodes or nodes[0].type not in _NO_RECEIVER:
        return None
    callee = walker.evaluate(target)
    terms = walker.evaluate_all(nodes[1:])
    if name == "bind":
        for term in terms:
            walker.emit("do", term)
        return callee
    if name == "apply":
        terms = tuple([("star", term) for term in terms])
    return ("call", callee, terms, (), _site(walker, function))


# --- JSX elements: calls of a component with the attributes as one object.


def element(walker: JavaScriptWalker, node: Node) -> Term:
    """`<Component a={x}>…</Component>`; lower-case names are elements of the page."""
    opening = node.child_by_field_name("open_tag")
    children: list[Term] = []
    if opening is None:
        opening = node if node.type == "jsx_self_closing_element" else None
    if opening is not node:
        nodes = [child for child in node.named_children if child.type not in _TAGS]
        children = [child for child in walker.evaluate_all(nodes) if child is not None]
    if opening is None:
        return ("list", tuple(children))
    name = opening.child_by_field_name("name")
    closing = node.child_by_field_name("close_tag")
    is_own = name is not None and not (
        name.type == "identifier" and walker.name(name)[:1].islower()
    )
    component = walker.evaluate(name) if is_own else None
    properties = _properties(walker, opening, component)
    if children:
        properties.append((("const", "str", "children"), ("list", tuple(children))))
    if name is None or not is_own:
        return ("dict", tuple(properties))
    if closing is not None and closing.start_point[0] > name.end_point[0]:
        walker.emit("do", component)  # its name stands on another line again
    return ("call", component, (("dict", tuple(properties)),), (), walker.site(name))


def _properties(
    walker: JavaScriptWalker, opening: Node, component: Term
) -> list[tuple[Term, Term]]:
    """Return the attributes of an element, which are members of what its component takes."""
    properties: list[tuple[Term, Term]] = []
    kind: Term = None
    if component is not None and is_simple(component):
        kind = ("same", ("taken", component, 0))
    for child in opening.named_children:
        if child.type == "jsx_attribute":
            parts = child.named_children
            key = walker.label(kind, parts[0])
            value: Term = ("const", "bool", None)
            if len(parts) > 1:
                value = walker.evaluate_as(parts[1], member_type(kind, key))
            properties.append((("const", "str", key), value))
        elif child.type == "jsx_expression":  # {...rest}
            for inner in child.named_children:
                spread = inner.named_children if inner.type == "spread_element" else [inner]
                properties += [(None, walker.evaluate(part)) for part in spread[-1:]]
    return properties


_TAGS = {"jsx_opening_element", "jsx_closing_element", "jsx_text", "comment"}


EXPRESSIONS: Expressions = {
    **dict.fromkeys(("identifier", "shorthand_property_identifier", "type_identifier"), name_term),
    "this": this,
    "super": lambda walker, node: ("super",),
    "string": string,
    "number": number,
    **constants(_CONSTANTS),
    "template_string": template,
    "parenthesized_expression": inner,
    "sequence_expression": inner,
    "computed_property_name": inner,
    "unary_expression": unknown,
    "update_expression": unknown,
    "binary_expression": binary,
    "ternary_expression": choice,
    "member_expression": member,
    "nested_identifier": member,
    "subscript_expression": subscript,
    "array": array,
    "spread_element": lambda walker, node: ("star", inner(walker, node)),
    "await_expression": lambda walker, node: ("await", inner(walker, node)),
    "yield_expression": yielded,
    "arrow_function": definition,
    "function_expression": definition,
    "generator_function": definition,
    "class": definition,
    "as_expression": cast,
    "type_assertion": assertion,
    "satisfies_expression": satisfying,
    "non_null_expression": first_inside,
    "instantiation_expression": first_inside,
    "meta_property": lambda walker, node: None,
    "import": lambda walker, node: None,
    "call_expression": call,
    "new_expression": new,
    "object": object_literal,
    **dict.fromkeys(("jsx_element", "jsx_self_closing_element", "jsx_fragment"), element),
    "jsx_expression": inner,
}
