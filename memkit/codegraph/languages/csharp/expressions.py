"""C#: expressions, calls and LINQ queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import (
    MAX_DEPTH,
    Assignments,
    Expressions,
    Statements,
    SyntaxWalker,
    bind_each,
    bind_typed,
    cast_to,
    child_of_type,
    children_of,
    conditional,
    constants,
    evaluate_once,
    first_child,
    last_inside,
    list_term,
    name_term,
    operands,
    run_callbacks,
    short_text,
    signature_end,
    without_comments,
)
from .patterns import (
    PLAIN,
    deconstructed,
    match,
    member_of,
    parameters,
    target_name,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Calls, constructors, members and lambdas.


def arguments(
    walker: SyntaxWalker, node: Node | None
) -> tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]:
    """Return the arguments of a call, and those given by name."""
    if node is None:
        return (), ()
    placed: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in node.named_children:
        if child.type != "argument" or not child.named_child_count:
            continue
        value = walker.evaluate(child.named_children[-1])
        name = child.child_by_field_name("name")
        if name is None:
            placed.append(value)
        else:
            named.append((walker.name(name), value))
    return tuple(placed), tuple(named)


# Methods of collections that call what they are given with one element.
_RUNNING = words("""
    All Any Select SelectMany Where First FirstOrDefault Last LastOrDefault Single SingleOrDefault
    Count Sum Min Max Average OrderBy OrderByDescending ThenBy ThenByDescending GroupBy ForEach Find
    FindAll FindIndex Exists RemoveAll TakeWhile SkipWhile ToDictionary ToLookup
""")


def local_function(walker: SyntaxWalker, node: Node, name: str) -> int:
    """Define a lambda or a function of its own inside of a method, and return its index."""
    params = parameters(walker, node.child_by_field_name("parameters"))
    body = node.child_by_field_name("body") or child_of_type(node, "block")
    index = walker.define(
        "function", name, node, body="function", params=params,
        header=signature_end(node, body), named=node.child_by_field_name("name"),
        returns=type_in(walker, node),
    )  # fmt: skip
    run_function(walker, index, body, params)
    return index


def _lambda(walker: SyntaxWalker, node: Node) -> Term:
    return ("def", local_function(walker, node, "<lambda>"))


def run_function(
    walker: SyntaxWalker, index: int, body: Node | None, params: tuple[Param, ...]
) -> None:
    """Walk the body of a function, also behind an arrow."""
    if body is not None and body.type == "arrow_expression_clause":
        body = next(iter(without_comments(body)), None)
    walker.run_definition(index, body, params)


def _member_text(walker: SyntaxWalker, node: Node | None) -> str:
    """Return the name of a member, its type arguments left out."""
    if node is None:
        return ""
    return walker.name(node.named_children[0] if node.type == "generic_name" else node)


def _member(walker: SyntaxWalker, node: Node) -> Term:
    """Return a member; one of a built-in type tells nothing."""
    inner = node.child_by_field_name("expression")
    name = _member_text(walker, node.child_by_field_name("name"))
    if inner is None or inner.type == "predefined_type":
        return None
    return ("attr", walker.evaluate(inner), name)


def _conditional_access(walker: SyntaxWalker, node: Node) -> Term:
    """`a?.b`: as if it were `a.b`."""
    value = walker.evaluate(first_child(node))
    return value if node.named_child_count < 2 else _bound(walker, node.named_children[-1], value)


def _bound(walker: SyntaxWalker, node: Node, value: Term) -> Term:
    """Return what stands behind `?.` with the value in front of it."""
    if node.type == "member_binding_expression":
        return ("attr", value, _member_text(walker, node.child_by_field_name("name")))
    if node.type == "element_binding_expression":
        return ("item", value, next(iter(arguments(walker, node)[0]), None))
    if (first := first_child(node)) is None:
        return value
    inner = _bound(walker, first, value)
    if node.type == "invocation_expression":
        placed, named = arguments(walker, node.child_by_field_name("arguments"))
        return ("call", inner, placed, named, walker.site(first))
    if node.type == "member_access_expression":
        return ("attr", inner, _member_text(walker, node.child_by_field_name("name")))
    return inner


def _call(walker: SyntaxWalker, node: Node) -> Term:
    """Return a call; `nameof(x.Y)` is the text "Y"."""
    function = node.child_by_field_name("function")
    argument_list = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type == "identifier" and walker.text(function) == "nameof":
        text = walker.text(argument_list) if argument_list is not None else ""
        return ("const", "str", text.strip("() \n\t").rpartition(".")[2] or None)
    placed, named = arguments(walker, argument_list)
    if function.type in ("identifier", "generic_name"):
        callee: Term = ("name", _member_text(walker, function))
    else:
        callee = walker.evaluate(function)
    site = walker.site(function.child_by_field_name("name") or function)
    if callee is not None and callee[0] == "attr" and callee[2] in _RUNNING:
        return run_callbacks(walker, callee, placed, site)
    return ("call", callee, placed, named, site)


def _new(walker: SyntaxWalker, node: Node) -> Term:
    """Return an object that is made, with what its initialiser gives to members.

    `new(…)` is of the type that is declared where it stands.
    """
    kind = node.child_by_field_name("type")
    argument_list = node.child_by_field_name("arguments")
    placed, named = arguments(walker, argument_list or child_of_type(node, "argument_list"))
    if kind is not None and kind.type == "array_type":
        return _array(walker, node, kind)
    initial = node.child_by_field_name("initializer")
    initial = initial or child_of_type(node, "initializer_expression")
    if initial is not None:
        named = (*named, *_initialised(walker, initial))
    return ("new", type_of(walker, kind), placed, named, walker.site(kind or node))


def _array(walker: SyntaxWalker, node: Node, kind: Node) -> Term:
    """`new T[n]`, `new T[] { … }`."""
    for size in children_of(kind.child_by_field_name("rank")):
        walker.run(size)
    listed = child_of_type(node, "initializer_expression")
    if listed is None:
        return ("typed", type_of(walker, kind))
    element = type_in(walker, kind)
    values = walker.evaluate_all(listed.named_children)
    return ("list", tuple([with_type(value, element) for value in values]))


def _initialised(walker: SyntaxWalker, node: Node, depth: int = 0) -> tuple[tuple[str, Term], ...]:
    """Return what `new T { A = x, … }` gives to members; elements of a collection are evaluated."""
    members: list[tuple[str, Term]] = []
    for child in node.named_children:
        left = child.child_by_field_name("left")
        if child.type == "assignment_expression" and left is not None:
            right = child.child_by_field_name("right")
            if right is not None and right.type == "initializer_expression":
                for _, inner in _initialised(walker, right, depth + 1) if depth < MAX_DEPTH else ():
                    walker.discard(inner)
            elif left.type == "identifier":
                members.append((walker.name(left), walker.evaluate(right)))
            else:  # [key] = value
                walker.run_all(left.named_children)
                walker.discard(walker.evaluate(right))
        else:
            walker.run(child)
    return tuple(members)


def with_type(value: Term, kind: Term) -> Term:
    """Return `new(…)` with the type that is declared for it."""
    if value is not None and value[:2] == ("new", None):
        return ("new", kind, *value[2:])
    return value


# --- LINQ queries, and objects without a class.


def _query(walker: SyntaxWalker, node: Node) -> Term:
    """A query gives a list of what it selects; what it groups is a list of lists."""
    result: Term = None
    for child in node.named_children:
        kind = child.type
        if kind == "identifier":  # `into x`: the query goes on with what it has so far
            walker.bind(name_term(walker, child), result)
        elif kind in ("select_clause", "group_clause"):
            terms = [walker.evaluate(part) for part in child.named_children]
            result = terms[0] if terms else None
            for other in terms[1:]:
                walker.discard(other)
            if kind == "group_clause":
                result = ("list", (result,))
        else:
            walker.run(child)
    return ("list", (result,)) if result is not None else None


def _from(walker: SyntaxWalker, node: Node) -> None:
    """`from c in cs`: c is an element."""
    over = last_inside(walker, node)
    if (named := node.child_by_field_name("name")) is not None:
        bind_each(walker, named, over, type_in(walker, node))


def _join(walker: SyntaxWalker, node: Node) -> None:
    """`join d in ds on a equals b into e`: e holds what fits."""
    kind = node.child_by_field_name("type")
    parts = [child for child in node.named_children if child != kind]
    if len(parts) < 2:
        return
    bind_each(walker, parts[0], walker.evaluate(parts[1]), type_of(walker, kind))
    for part in parts[2:]:
        if part.type == "join_into_clause" and part.named_child_count:
            joined: Term = ("list", (("name", walker.name(parts[0])),))
            walker.bind(("name", walker.name(part.named_children[0])), joined)
        else:
            walker.run(part)


def _let(walker: SyntaxWalker, node: Node) -> None:
    parts = node.named_children
    if len(parts) > 1:
        walker.bind(name_term(walker, parts[0]), walker.evaluate(parts[-1]))


def _anonymous(walker: SyntaxWalker, node: Node) -> Term:
    """`new { a, B = x, c.D }` is an object with members a, B and D."""
    pairs: list[tuple[Term, Term]] = []
    parts = [child for child in node.children if child.type != "comment"]
    for position, part in enumerate(parts[:-1]):
        if not part.is_named or parts[position + 1].type == "=":
            continue
        value = walker.evaluate(part)
        named = parts[position - 2] if parts[position - 1].type == "=" else part
        name = walker.text(named).rpartition(".")[2]
        pairs.append((("const", "str", name), value))
    return ("dict", tuple(pairs))


QUERY_STATEMENTS: Statements = {
    "from_clause": _from,
    "join_clause": _join,
    "let_clause": _let,
}


# --- Other expressions.

_LITERALS = {
    "integer_literal": "int",
    "real_literal": "float",
    "character_literal": "char",
    "boolean_literal": "bool",
    "null_literal": "none",
}


def assign_to(walker: SyntaxWalker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a member of this object."""
    target = member_of(walker, target)
    if target is None or target[0] not in ("name", "attr", "item", "tuple"):
        walker.discard(value)
    else:
        walker.assign(target, value)


def _string(walker: SyntaxWalker, node: Node) -> Term:
    return short_text(walker.text(node).strip('@"'))


def _interpolated(walker: SyntaxWalker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "interpolation":
            walker.run_all(child.named_children)
    return short_text(None)


def _subscript(walker: SyntaxWalker, node: Node) -> Term:
    value = walker.evaluate_field(node, "expression")
    placed, _ = arguments(walker, node.child_by_field_name("subscript"))
    return ("item", value, placed[0] if placed else None)


ASSIGNMENTS = Assignments(("=", "??="), assign_to, {"tuple_expression": deconstructed})


def _binary(walker: SyntaxWalker, node: Node) -> Term:
    """`a ?? b` is one of both; other operators only evaluate."""
    sides, joins = operands(node, ("??",))
    terms = [walker.evaluate(side) for side in sides]
    if joins:
        return ("either", tuple(terms))
    for term in terms:
        walker.discard(term)
    return None


def _tuple(walker: SyntaxWalker, node: Node) -> Term:
    parts = [child.named_children[-1] for child in node.named_children if child.named_child_count]
    return ("tuple", tuple(walker.evaluate(part) for part in parts))


def _declared(walker: SyntaxWalker, node: Node) -> Term:
    """`out var x`, `(var a, var b) = …`."""
    named = node.child_by_field_name("name")
    bind_typed(walker, named, type_in(walker, node))
    is_plain = named is not None and named.type == "identifier"
    return name_term(walker, named) if is_plain and named is not None else None


def _switch(walker: SyntaxWalker, node: Node) -> Term:
    value = evaluate_once(walker, first_child(node))
    arms = [child for child in node.named_children if child.type == "switch_expression_arm"]
    known = tuple([term for arm in arms if (term := _arm(walker, arm, value)) is not None])
    return ("either", known) if known else None


def _arm(walker: SyntaxWalker, node: Node, value: Term) -> Term:
    """Names of a pattern are those of its arm."""
    pattern, *parts = without_comments(node)
    with walker.in_block(when=pattern.type not in PLAIN) as outer:
        match(walker, pattern, value)
        for part in parts[:-1]:
            walker.run(part)
        result = walker.evaluate((parts or [pattern])[-1])
        is_inner = result is not None and walker.scope != outer
        return ("in", walker.scope, result) if is_inner else result


def _with(walker: SyntaxWalker, node: Node) -> Term:
    """`x with { A = y }` is another object like x."""
    value = walker.evaluate(first_child(node))
    for child in node.named_children[1:]:
        for expression in child.named_children[1:]:
            walker.run(expression)
    return value


def _default(walker: SyntaxWalker, node: Node) -> Term:
    kind = type_in(walker, node)
    return ("typed", kind) if kind is not None else None


def _type_as_value(walker: SyntaxWalker, node: Node) -> Term:
    """`typeof(T)`."""
    kind = type_in(walker, node)
    if kind is not None and kind[0] in ("name", "attr"):
        return ("typeof", kind)
    walker.discard(kind)
    return None


def _is(walker: SyntaxWalker, node: Node) -> Term:
    """`x is T`, `x is T y`, `x is { … }`."""
    value = node.child_by_field_name("expression") or node.child_by_field_name("left")
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("right")
    term = evaluate_once(walker, value)
    if pattern is None:
        return None
    kind = pattern
    if pattern.type in ("constant_pattern", "type_pattern") and pattern.named_child_count:
        kind = pattern.named_children[0]
    if value is not None and value.type == "identifier":
        walker.narrow(walker.name(value), type_of(walker, kind))
    match(walker, pattern, term)
    return None


EXPRESSIONS: Expressions = {
    "is_pattern_expression": _is,
    "is_expression": _is,
    "identifier": lambda walker, node: target_name(walker.name(node)),
    "generic_name": lambda walker, node: name_term(walker, node.named_children[0]),
    "qualified_name": type_of,
    "alias_qualified_name": type_of,
    "this": lambda walker, node: ("self",),
    "base": lambda walker, node: ("super",),
    "string_literal": _string,
    "verbatim_string_literal": _string,
    "raw_string_literal": _string,
    "interpolated_string_expression": _interpolated,
    "member_access_expression": _member,
    "conditional_access_expression": _conditional_access,
    "invocation_expression": _call,
    "object_creation_expression": _new,
    "implicit_object_creation_expression": _new,
    "array_creation_expression": _new,
    "implicit_array_creation_expression": last_inside,
    "initializer_expression": list_term,
    "collection_expression": list_term,
    "collection_element": last_inside,
    "expression_element": last_inside,
    "spread_element": lambda walker, node: ("star", last_inside(walker, node)),
    "element_access_expression": _subscript,
    "cast_expression": cast_to(type_of),
    "as_expression": cast_to(type_of, type_field="right", value_field="left"),
    "conditional_expression": conditional,
    "assignment_expression": ASSIGNMENTS.evaluate,
    "binary_expression": _binary,
    "parenthesized_expression": last_inside,
    "checked_expression": last_inside,
    "ref_expression": last_inside,
    "postfix_unary_expression": last_inside,
    "tuple_expression": _tuple,
    "declaration_expression": _declared,
    "switch_expression": _switch,
    "typeof_expression": _type_as_value,
    "default_expression": _default,
    "with_expression": _with,
    "query_expression": _query,
    "anonymous_object_creation_expression": _anonymous,
    "await_expression": lambda walker, node: ("await", last_inside(walker, node)),
    "lambda_expression": _lambda,
    "anonymous_method_expression": _lambda,
    **constants(_LITERALS),
}
