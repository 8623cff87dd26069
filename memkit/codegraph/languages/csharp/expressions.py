"""Expressions, calls, LINQ queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Param, Term
from ..facts_builder import DEEPEST
from ..walker import (
    Assignments,
    Statements,
    Terms,
    Walker,
    bind_typed,
    conditional,
    fields,
    operands,
    run_by,
)
from .patterns import PLAIN, deconstructed, match, matched, member_of, parameters, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Calls, objects made, members and lambdas of C# as terms.


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
    parts = fields(node)
    taken, body = parameters(w, parts.get("parameters")), parts.get("body")
    if body is None:
        body = next((c for c in node.named_children if c.type == "block"), None)
    number = w.define(
        "function", name, node, scope=w.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
        named=parts.get("name"), returns=type_of(w, parts.get("type")),
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
    argument_list = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type == "identifier" and w.text(function) == "nameof":
        operand = (
            w.text(argument_list).strip("() \n\t").rpartition(".")[2]
            if argument_list is not None
            else ""
        )
        return ("const", "str", operand or None)
    placed, named = arguments(w, argument_list)
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
    members: list[tuple[str, Term]] = []
    for child in node.named_children:
        left = child.child_by_field_name("left")
        if child.type == "assignment_expression" and left is not None:
            right = child.child_by_field_name("right")
            if right is not None and right.type == "initializer_expression":
                for _, inner in _initialised(w, right, depth + 1) if depth < DEEPEST else ():
                    w.do(inner)
            elif left.type == "identifier":
                members.append((w.name(left), w.term(right)))
            else:  # [key] = value
                w.each(left.named_children)
                w.do(w.term(right))
        else:
            w.run(child)
    return tuple(members)


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


# --- Queries (`from`, `where`, `select`), and the objects without a class that they make.


def _query(w: Walker, node: Node) -> Term:
    """A query gives a list of what it selects; what it groups is a list of lists."""
    result: Term = None
    for child in node.named_children:
        kind = child.type
        if kind == "identifier":  # `into x`: the query goes on with what it has so far
            w.bind(("name", w.name(child)), result)
        elif kind in ("select_clause", "group_clause"):
            terms = [w.term(part) for part in child.named_children]
            result = terms[0] if terms else None
            for other in terms[1:]:
                w.do(other)
            if kind == "group_clause":
                result = ("list", (result,))
        else:
            w.run(child)
    return ("list", (result,)) if result is not None else None


def _from(w: Walker, node: Node) -> None:
    """`from c in cs`: c is an element."""
    over = w.term(node.named_children[-1]) if node.named_child_count else None
    _query_element(w, node, node.child_by_field_name("name"), over)


def _query_element(w: Walker, node: Node, named: Node | None, over: Term) -> None:
    kind = type_of(w, node.child_by_field_name("type"))
    if named is not None and kind is not None:
        w.do(over)
        bind_typed(w, named, kind)
    elif named is not None:
        w.bind(("name", w.name(named)), ("iter", over, w.site(named)))


def _join(w: Walker, node: Node) -> None:
    """`join d in ds on a equals b into e`: e holds what fits."""
    kind = node.child_by_field_name("type")
    parts = [child for child in node.named_children if child != kind]
    if len(parts) < 2:
        return
    _query_element(w, node, parts[0], w.term(parts[1]))
    for part in parts[2:]:
        if part.type == "join_into_clause" and part.named_child_count:
            joined: Term = ("list", (("name", w.name(parts[0])),))
            w.bind(("name", w.name(part.named_children[0])), joined)
        else:
            w.run(part)


def _let(w: Walker, node: Node) -> None:
    parts = node.named_children
    if len(parts) > 1:
        w.bind(("name", w.name(parts[0])), w.term(parts[-1]))


def _anonymous(w: Walker, node: Node) -> Term:
    """`new { a, B = x, c.D }` is an object with members a, B and D."""
    pairs: list[tuple[Term, Term]] = []
    parts = [child for child in node.children if child.type != "comment"]
    for place, part in enumerate(parts[:-1]):
        if not part.is_named or parts[place + 1].type == "=":
            continue
        value = w.term(part)
        named = parts[place - 2] if parts[place - 1].type == "=" else part
        name = w.text(named).rpartition(".")[2]
        pairs.append((("const", "str", name), value))
    return ("dict", tuple(pairs))


QUERY_TERMS: Terms = {
    "query_expression": _query,
    "anonymous_object_creation_expression": _anonymous,
}
QUERY_STATEMENTS: Statements = {
    "from_clause": _from,
    "join_clause": _join,
    "let_clause": _let,
}


# --- C#'s expressions as terms; what an expression evaluates on its way is said at once.

_LITERALS = {
    "integer_literal": "int",
    "real_literal": "float",
    "character_literal": "char",
    "boolean_literal": "bool",
    "null_literal": "none",
}


def assign_to(w: Walker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a member of this object."""
    target = member_of(w, target)
    if target is None or target[0] not in ("name", "attr", "item", "tuple"):
        w.do(value)
    else:
        w.assign(target, value)


def _name(w: Walker, node: Node) -> Term:
    name = w.name(node)
    return None if name == "_" else ("name", name)


def _generic_name(w: Walker, node: Node) -> Term:
    return ("name", w.name(node.named_children[0]))


def _literal(w: Walker, node: Node) -> Term:
    return ("const", _LITERALS[node.type], None)


def _string(w: Walker, node: Node) -> Term:
    text = w.text(node).strip('@"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _interpolated(w: Walker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "interpolation":
            w.each(child.named_children)
    return ("const", "str", None)


def _list(w: Walker, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if c.type != "comment"))


def _element(w: Walker, node: Node) -> Term:
    return w.term(node.named_children[-1]) if node.named_child_count else None


def _spread(w: Walker, node: Node) -> Term:
    return ("star", _element(w, node))


def _subscript(w: Walker, node: Node) -> Term:
    value = w.term(node.child_by_field_name("expression"))
    placed, _ = arguments(w, node.child_by_field_name("subscript"))
    return ("item", value, placed[0] if placed else None)


def _cast(w: Walker, node: Node) -> Term:
    kind = node.child_by_field_name("type") or node.child_by_field_name("right")
    value = node.child_by_field_name("value") or node.child_by_field_name("left")
    return ("cast", type_of(w, kind), w.term(value))


ASSIGNMENTS = Assignments(("=", "??="), assign_to, {"tuple_expression": deconstructed})


def _binary(w: Walker, node: Node) -> Term:
    """`a ?? b` is one of both; other operators only evaluate."""
    sides, joins = operands(node, ("??",))
    terms = [w.term(side) for side in sides]
    if joins:
        return ("either", tuple(terms))
    for term in terms:
        w.do(term)
    return None


def _tuple(w: Walker, node: Node) -> Term:
    parts = [child.named_children[-1] for child in node.named_children if child.named_child_count]
    return ("tuple", tuple(w.term(part) for part in parts))


def _declared(w: Walker, node: Node) -> Term:
    """`out var x`, `(var a, var b) = …`."""
    named = node.child_by_field_name("name")
    bind_typed(w, named, type_of(w, node.child_by_field_name("type")))
    return ("name", w.name(named)) if named is not None and named.type == "identifier" else None


def _switch(w: Walker, node: Node) -> Term:
    first = node.named_children[0] if node.named_child_count else None
    value = matched(w, first)
    arms = [child for child in node.named_children if child.type == "switch_expression_arm"]
    known = tuple(term for arm in arms if (term := _arm(w, arm, value)) is not None)
    return ("either", known) if known else None


def _arm(w: Walker, node: Node, value: Term) -> Term:
    """Names of a pattern are those of its arm."""
    parts = [child for child in node.named_children if child.type != "comment"]
    around = w.at
    if parts[0].type not in PLAIN:
        w.at = w.open("block", around)
    match(w, parts[0], value)
    for part in parts[1:-1]:
        w.run(part)
    result = w.term(parts[-1])
    scope, w.at = w.at, around
    return ("in", scope, result) if result is not None and scope != around else result


def _with(w: Walker, node: Node) -> Term:
    """`x with { A = y }` is another object like x."""
    value = w.term(node.named_children[0]) if node.named_child_count else None
    for child in node.named_children[1:]:
        for expression in child.named_children[1:]:
            w.run(expression)
    return value


def _default(w: Walker, node: Node) -> Term:
    kind = type_of(w, node.child_by_field_name("type"))
    return ("typed", kind) if kind is not None else None


def _type_as_value(w: Walker, node: Node) -> Term:
    """`typeof(T)`."""
    kind = type_of(w, node.child_by_field_name("type"))
    if kind is not None and kind[0] in ("name", "attr"):
        return ("typeof", kind)
    w.do(kind)
    return None


def _awaited(w: Walker, node: Node) -> Term:
    return ("await", _element(w, node))


def _is(w: Walker, node: Node) -> Term:
    """`x is T`, `x is T y`, `x is { … }`."""
    value = node.child_by_field_name("expression") or node.child_by_field_name("left")
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("right")
    term = matched(w, value)
    if pattern is None:
        return None
    kind = pattern
    if pattern.type in ("constant_pattern", "type_pattern") and pattern.named_child_count:
        kind = pattern.named_children[0]
    if value is not None and value.type == "identifier":
        w.narrow(w.name(value), type_of(w, kind))
    match(w, pattern, term)
    return None


TERMS: Terms = {
    "is_pattern_expression": _is,
    "is_expression": _is,
    "identifier": _name,
    "generic_name": _generic_name,
    "qualified_name": type_of,
    "alias_qualified_name": type_of,
    "this": lambda w, node: ("self",),
    "base": lambda w, node: ("super",),
    "string_literal": _string,
    "verbatim_string_literal": _string,
    "raw_string_literal": _string,
    "interpolated_string_expression": _interpolated,
    "member_access_expression": member,
    "conditional_access_expression": conditional_access,
    "invocation_expression": call,
    "object_creation_expression": new,
    "implicit_object_creation_expression": implicit_new,
    "array_creation_expression": new,
    "implicit_array_creation_expression": _element,
    "initializer_expression": _list,
    "collection_expression": _list,
    "collection_element": _element,
    "expression_element": _element,
    "spread_element": _spread,
    "element_access_expression": _subscript,
    "cast_expression": _cast,
    "as_expression": _cast,
    "conditional_expression": conditional,
    "assignment_expression": ASSIGNMENTS.term,
    "binary_expression": _binary,
    "parenthesized_expression": _element,
    "checked_expression": _element,
    "ref_expression": _element,
    "postfix_unary_expression": _element,
    "tuple_expression": _tuple,
    "declaration_expression": _declared,
    "switch_expression": _switch,
    "typeof_expression": _type_as_value,
    "default_expression": _default,
    "with_expression": _with,
    **QUERY_TERMS,
    "await_expression": _awaited,
    "lambda_expression": lambda w, node: ("def", local_function(w, node, "<lambda>")),
    "anonymous_method_expression": lambda w, node: ("def", local_function(w, node, "<lambda>")),
    **dict.fromkeys(_LITERALS, _literal),
}
