"""Expressions, calls, LINQ queries."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Param, Term
from ..facts_builder import DEEPEST
from ..walker import (
    Assignments,
    Statements,
    SyntaxWalker,
    Terms,
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
        value = walker.term(child.named_children[-1])
        name = child.child_by_field_name("name")
        if name is None:
            placed.append(value)
        else:
            named.append((walker.name(name), value))
    return tuple(placed), tuple(named)


# Methods of collections that call what they are given with one element.
_RUNNING = frozenset(
    """
    All Any Select SelectMany Where First FirstOrDefault Last LastOrDefault Single SingleOrDefault
    Count Sum Min Max Average OrderBy OrderByDescending ThenBy ThenByDescending GroupBy ForEach Find
    FindAll FindIndex Exists RemoveAll TakeWhile SkipWhile ToDictionary ToLookup
    """.split()
)


def local_function(walker: SyntaxWalker, node: Node, name: str) -> int:
    """Define a lambda or a function of its own inside of a method, and return its number."""
    parts = fields(node)
    taken, body = parameters(walker, parts.get("parameters")), parts.get("body")
    if body is None:
        body = next((c for c in node.named_children if c.type == "block"), None)
    number = walker.define(
        "function", name, node, scope=walker.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
        named=parts.get("name"), returns=type_of(walker, parts.get("type")),
    )  # fmt: skip
    if body is not None:
        walk_body(walker, walker.body(number), body, taken)
    return number


def walk_body(walker: SyntaxWalker, scope: int, body: Node, taken: tuple[Param, ...] = ()) -> None:
    """Walk a block, or an expression that is what a function gives back."""
    if body.type == "block":
        walker.within(scope, body.named_children, taken)
        return
    around, known = walker.at, walker.known
    walker.at = scope
    walker.known = known | {param.name for param in taken}
    inner: Node | None = body
    if body.type == "arrow_expression_clause":
        inner = next((c for c in body.named_children if c.type != "comment"), None)
    value = walker.term(inner)
    if value is not None:
        walker.say("return", value)
    walker.at, walker.known = around, known


def member_text(walker: SyntaxWalker, node: Node | None) -> str:
    """Return the name of a member, its type arguments left out."""
    if node is None:
        return ""
    return walker.name(node.named_children[0] if node.type == "generic_name" else node)


def member(walker: SyntaxWalker, node: Node) -> Term:
    """Return a member; one of a built-in type tells nothing."""
    inner = node.child_by_field_name("expression")
    name = member_text(walker, node.child_by_field_name("name"))
    if inner is None or inner.type == "predefined_type":
        return None
    return ("attr", walker.term(inner), name)


def conditional_access(walker: SyntaxWalker, node: Node) -> Term:
    """`a?.b`: as if it were `a.b`."""
    parts = node.named_children
    value = walker.term(parts[0]) if parts else None
    if len(parts) < 2:
        return value
    return _bound(walker, parts[-1], value)


def _bound(walker: SyntaxWalker, node: Node, value: Term) -> Term:
    """Return what stands behind `?.` with the value in front of it."""
    if node.type == "member_binding_expression":
        return ("attr", value, member_text(walker, node.child_by_field_name("name")))
    if node.type == "element_binding_expression":
        return ("item", value, next(iter(arguments(walker, node)[0]), None))
    first = node.named_children[0] if node.named_child_count else None
    if first is None:
        return value
    inner = _bound(walker, first, value)
    if node.type == "invocation_expression":
        placed, named = arguments(walker, node.child_by_field_name("arguments"))
        return ("call", inner, placed, named, walker.site(first))
    if node.type == "member_access_expression":
        return ("attr", inner, member_text(walker, node.child_by_field_name("name")))
    return inner


def call(walker: SyntaxWalker, node: Node) -> Term:
    """Return a call; `nameof(x.Y)` is the text "Y"."""
    function = node.child_by_field_name("function")
    argument_list = node.child_by_field_name("arguments")
    if function is None:
        return None
    if function.type == "identifier" and walker.text(function) == "nameof":
        operand = (
            walker.text(argument_list).strip("() \n\t").rpartition(".")[2]
            if argument_list is not None
            else ""
        )
        return ("const", "str", operand or None)
    placed, named = arguments(walker, argument_list)
    if function.type in ("identifier", "generic_name"):
        name = member_text(walker, function)
        callee: Term = ("name", name)
    else:
        callee = walker.term(function)
    site = walker.site(function.child_by_field_name("name") or function)
    if callee is not None and callee[0] == "attr" and callee[2] in _RUNNING:
        return run_by(walker, callee, placed, site)
    return ("call", callee, placed, named, site)


def new(walker: SyntaxWalker, node: Node) -> Term:
    """Return an object that is made, with what its initialiser gives to members."""
    kind = node.child_by_field_name("type")
    placed, named = arguments(walker, node.child_by_field_name("arguments"))
    initial = node.child_by_field_name("initializer")
    if kind is not None and kind.type == "array_type":
        return _array(walker, node, kind)
    if initial is not None:
        named = (*named, *_initialised(walker, initial))
    return ("new", type_of(walker, kind), placed, named, walker.site(kind or node))


def _array(walker: SyntaxWalker, node: Node, kind: Node) -> Term:
    """`new T[n]`, `new T[] { … }`."""
    rank = kind.child_by_field_name("rank")
    for size in rank.named_children if rank is not None else ():
        walker.run(size)
    listed = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    if listed is None:
        return ("typed", type_of(walker, kind))
    element = type_of(walker, kind.child_by_field_name("type"))
    values = [walker.term(child) for child in listed.named_children if child.type != "comment"]
    return ("list", tuple(made(value, element) for value in values))


def _initialised(walker: SyntaxWalker, node: Node, depth: int = 0) -> tuple[tuple[str, Term], ...]:
    """Return what `new T { A = x, … }` gives to members; elements of a collection are evaluated."""
    members: list[tuple[str, Term]] = []
    for child in node.named_children:
        left = child.child_by_field_name("left")
        if child.type == "assignment_expression" and left is not None:
            right = child.child_by_field_name("right")
            if right is not None and right.type == "initializer_expression":
                for _, inner in _initialised(walker, right, depth + 1) if depth < DEEPEST else ():
                    walker.do(inner)
            elif left.type == "identifier":
                members.append((walker.name(left), walker.term(right)))
            else:  # [key] = value
                walker.each(left.named_children)
                walker.do(walker.term(right))
        else:
            walker.run(child)
    return tuple(members)


def implicit_new(walker: SyntaxWalker, node: Node) -> Term:
    """`new(…)`: of the type that is declared where it stands."""
    inner = next((c for c in node.named_children if c.type == "argument_list"), None)
    placed, named = arguments(walker, inner)
    initial = next((c for c in node.named_children if c.type == "initializer_expression"), None)
    if initial is not None:
        named = (*named, *_initialised(walker, initial))
    return ("new", None, placed, named, walker.site(node))


def made(value: Term, kind: Term) -> Term:
    """Return `new(…)` with the type that is declared for it."""
    if value is not None and value[:2] == ("new", None):
        return ("new", kind, *value[2:])
    return value


# --- Queries (`from`, `where`, `select`), and the objects without a class that they make.


def _query(walker: SyntaxWalker, node: Node) -> Term:
    """A query gives a list of what it selects; what it groups is a list of lists."""
    result: Term = None
    for child in node.named_children:
        kind = child.type
        if kind == "identifier":  # `into x`: the query goes on with what it has so far
            walker.bind(("name", walker.name(child)), result)
        elif kind in ("select_clause", "group_clause"):
            terms = [walker.term(part) for part in child.named_children]
            result = terms[0] if terms else None
            for other in terms[1:]:
                walker.do(other)
            if kind == "group_clause":
                result = ("list", (result,))
        else:
            walker.run(child)
    return ("list", (result,)) if result is not None else None


def _from(walker: SyntaxWalker, node: Node) -> None:
    """`from c in cs`: c is an element."""
    over = walker.term(node.named_children[-1]) if node.named_child_count else None
    _query_element(walker, node, node.child_by_field_name("name"), over)


def _query_element(walker: SyntaxWalker, node: Node, named: Node | None, over: Term) -> None:
    kind = type_of(walker, node.child_by_field_name("type"))
    if named is not None and kind is not None:
        walker.do(over)
        bind_typed(walker, named, kind)
    elif named is not None:
        walker.bind(("name", walker.name(named)), ("iter", over, walker.site(named)))


def _join(walker: SyntaxWalker, node: Node) -> None:
    """`join d in ds on a equals b into e`: e holds what fits."""
    kind = node.child_by_field_name("type")
    parts = [child for child in node.named_children if child != kind]
    if len(parts) < 2:
        return
    _query_element(walker, node, parts[0], walker.term(parts[1]))
    for part in parts[2:]:
        if part.type == "join_into_clause" and part.named_child_count:
            joined: Term = ("list", (("name", walker.name(parts[0])),))
            walker.bind(("name", walker.name(part.named_children[0])), joined)
        else:
            walker.run(part)


def _let(walker: SyntaxWalker, node: Node) -> None:
    parts = node.named_children
    if len(parts) > 1:
        walker.bind(("name", walker.name(parts[0])), walker.term(parts[-1]))


def _anonymous(walker: SyntaxWalker, node: Node) -> Term:
    """`new { a, B = x, c.D }` is an object with members a, B and D."""
    pairs: list[tuple[Term, Term]] = []
    parts = [child for child in node.children if child.type != "comment"]
    for place, part in enumerate(parts[:-1]):
        if not part.is_named or parts[place + 1].type == "=":
            continue
        value = walker.term(part)
        named = parts[place - 2] if parts[place - 1].type == "=" else part
        name = walker.text(named).rpartition(".")[2]
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


def assign_to(walker: SyntaxWalker, target: Term, value: Term) -> None:
    """Bind a target; a name that no local variable has is a member of this object."""
    target = member_of(walker, target)
    if target is None or target[0] not in ("name", "attr", "item", "tuple"):
        walker.do(value)
    else:
        walker.assign(target, value)


def _name(walker: SyntaxWalker, node: Node) -> Term:
    name = walker.name(node)
    return None if name == "_" else ("name", name)


def _generic_name(walker: SyntaxWalker, node: Node) -> Term:
    return ("name", walker.name(node.named_children[0]))


def _literal(walker: SyntaxWalker, node: Node) -> Term:
    return ("const", _LITERALS[node.type], None)


def _string(walker: SyntaxWalker, node: Node) -> Term:
    text = walker.text(node).strip('@"')
    return ("const", "str", text if len(text) <= CONST_CHARS else None)


def _interpolated(walker: SyntaxWalker, node: Node) -> Term:
    for child in node.named_children:
        if child.type == "interpolation":
            walker.each(child.named_children)
    return ("const", "str", None)


def _list(walker: SyntaxWalker, node: Node) -> Term:
    return ("list", tuple(walker.term(c) for c in node.named_children if c.type != "comment"))


def _element(walker: SyntaxWalker, node: Node) -> Term:
    return walker.term(node.named_children[-1]) if node.named_child_count else None


def _spread(walker: SyntaxWalker, node: Node) -> Term:
    return ("star", _element(walker, node))


def _subscript(walker: SyntaxWalker, node: Node) -> Term:
    value = walker.term(node.child_by_field_name("expression"))
    placed, _ = arguments(walker, node.child_by_field_name("subscript"))
    return ("item", value, placed[0] if placed else None)


def _cast(walker: SyntaxWalker, node: Node) -> Term:
    kind = node.child_by_field_name("type") or node.child_by_field_name("right")
    value = node.child_by_field_name("value") or node.child_by_field_name("left")
    return ("cast", type_of(walker, kind), walker.term(value))


ASSIGNMENTS = Assignments(("=", "??="), assign_to, {"tuple_expression": deconstructed})


def _binary(walker: SyntaxWalker, node: Node) -> Term:
    """`a ?? b` is one of both; other operators only evaluate."""
    sides, joins = operands(node, ("??",))
    terms = [walker.term(side) for side in sides]
    if joins:
        return ("either", tuple(terms))
    for term in terms:
        walker.do(term)
    return None


def _tuple(walker: SyntaxWalker, node: Node) -> Term:
    parts = [child.named_children[-1] for child in node.named_children if child.named_child_count]
    return ("tuple", tuple(walker.term(part) for part in parts))


def _declared(walker: SyntaxWalker, node: Node) -> Term:
    """`out var x`, `(var a, var b) = …`."""
    named = node.child_by_field_name("name")
    bind_typed(walker, named, type_of(walker, node.child_by_field_name("type")))
    return (
        ("name", walker.name(named)) if named is not None and named.type == "identifier" else None
    )


def _switch(walker: SyntaxWalker, node: Node) -> Term:
    first = node.named_children[0] if node.named_child_count else None
    value = matched(walker, first)
    arms = [child for child in node.named_children if child.type == "switch_expression_arm"]
    known = tuple(term for arm in arms if (term := _arm(walker, arm, value)) is not None)
    return ("either", known) if known else None


def _arm(walker: SyntaxWalker, node: Node, value: Term) -> Term:
    """Names of a pattern are those of its arm."""
    parts = [child for child in node.named_children if child.type != "comment"]
    around = walker.at
    if parts[0].type not in PLAIN:
        walker.at = walker.open("block", around)
    match(walker, parts[0], value)
    for part in parts[1:-1]:
        walker.run(part)
    result = walker.term(parts[-1])
    scope, walker.at = walker.at, around
    return ("in", scope, result) if result is not None and scope != around else result


def _with(walker: SyntaxWalker, node: Node) -> Term:
    """`x with { A = y }` is another object like x."""
    value = walker.term(node.named_children[0]) if node.named_child_count else None
    for child in node.named_children[1:]:
        for expression in child.named_children[1:]:
            walker.run(expression)
    return value


def _default(walker: SyntaxWalker, node: Node) -> Term:
    kind = type_of(walker, node.child_by_field_name("type"))
    return ("typed", kind) if kind is not None else None


def _type_as_value(walker: SyntaxWalker, node: Node) -> Term:
    """`typeof(T)`."""
    kind = type_of(walker, node.child_by_field_name("type"))
    if kind is not None and kind[0] in ("name", "attr"):
        return ("typeof", kind)
    walker.do(kind)
    return None


def _awaited(walker: SyntaxWalker, node: Node) -> Term:
    return ("await", _element(walker, node))


def _is(walker: SyntaxWalker, node: Node) -> Term:
    """`x is T`, `x is T y`, `x is { … }`."""
    value = node.child_by_field_name("expression") or node.child_by_field_name("left")
    pattern = node.child_by_field_name("pattern") or node.child_by_field_name("right")
    term = matched(walker, value)
    if pattern is None:
        return None
    kind = pattern
    if pattern.type in ("constant_pattern", "type_pattern") and pattern.named_child_count:
        kind = pattern.named_children[0]
    if value is not None and value.type == "identifier":
        walker.narrow(walker.name(value), type_of(walker, kind))
    match(walker, pattern, term)
    return None


TERMS: Terms = {
    "is_pattern_expression": _is,
    "is_expression": _is,
    "identifier": _name,
    "generic_name": _generic_name,
    "qualified_name": type_of,
    "alias_qualified_name": type_of,
    "this": lambda walker, node: ("self",),
    "base": lambda walker, node: ("super",),
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
    "lambda_expression": lambda walker, node: ("def", local_function(walker, node, "<lambda>")),
    "anonymous_method_expression": lambda walker, node: (
        "def",
        local_function(walker, node, "<lambda>"),
    ),
    **dict.fromkeys(_LITERALS, _literal),
}
