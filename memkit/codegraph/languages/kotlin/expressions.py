"""Expressions, calls, lambdas, statements in bodies."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Param, Statement, Term
from ..walker import Statements, Terms, held, is_simple
from .type_terms import (
    PRIMITIVE_ARRAYS,
    TYPES,
    KotlinWalker,
    brought,
    child,
    is_function_type,
    parameters,
    parts_of,
    qualified,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Modifiers and annotations.

_FLAGS = {
    "abstract": "abstract", "actual": "actual", "const": "constant", "data": "data",
    "expect": "expect", "internal": "internal", "private": "private", "public": "exported",
    "suspend": "async",
}  # fmt: skip
_TESTS = frozenset({"Test", "ParameterizedTest", "RepeatedTest"})


def modifiers(walker: KotlinWalker, node: Node) -> list[str]:
    """Return the flags of a declaration; its annotations are said to be read."""
    flags: list[str] = []
    listed = child(node, "modifiers")
    for part in listed.named_children if listed is not None else ():
        if part.type == "annotation":
            flags += _annotation(walker, part)
        elif (word := walker.text(part)) in _FLAGS:
            flags.append(_FLAGS[word])
    return flags


def _annotation(walker: KotlinWalker, node: Node) -> list[str]:
    called = child(node, "constructor_invocation")
    kind = child(called or node, "user_type")
    if called is not None:
        for term in arguments(walker, child(called, "value_arguments"), None)[0]:
            walker.do(term)
    if kind is not None:
        walker.do(type_of(walker, kind))
    if "DeprecationLevel.HIDDEN" in walker.text(node):
        return ["hidden"]
    return ["test"] if kind is not None and walker.text(kind) in _TESTS else []


# --- Bodies: blocks, what they give, and what a check in front of them says.

# A name and the type that it is checked to be of.
Check = tuple[str, Term]
_LEAVING = frozenset({"return", "throw", "break", "continue", "return@", "break@", "continue@"})
# Functions that go on only where what they are given is true.
_ASSERTING = frozenset({"require", "check", "assertTrue", "assert"})


def checks(walker: KotlinWalker, node: Node | None, *, holds: bool) -> list[Check]:
    """Return what a condition says of the types of names where it holds, or where it does not."""
    while node is not None and node.type == "parenthesized_expression":
        node = parts_of(node)[0] if parts_of(node) else None
    if node is None:
        return []
    if node.type == "check_expression":
        operator = node.children[1].type
        is_name = node.children[0].type == "simple_identifier"
        if is_name and operator == ("is" if holds else "!is"):
            return [(walker.word(node.children[0]), type_of(walker, node.children[-1]))]
        return []
    if node.type == "prefix_expression" and node.children[0].type == "!":
        return checks(walker, node.children[-1], holds=not holds)
    if node.type == ("conjunction_expression" if holds else "disjunction_expression"):
        return [one for part in parts_of(node) for one in checks(walker, part, holds=holds)]
    return []


def narrowing(walker: KotlinWalker, found: Iterable[Check]) -> list[Statement]:
    """Return what declares names in a block of their own to be of the types they were checked for.

    A type that is not known takes away nothing.
    """
    return [("declare", ("name", name), kind) for name, kind in found if kind is not None]


def _enter(walker: KotlinWalker, found: Iterable[Check] = ()) -> None:
    """Go into a new block in which names are of the types that they were checked for."""
    walker.at = walker.open("block", walker.at)
    for statement in narrowing(walker, found):
        walker.know(statement[1])
        walker.say(*statement)


def run_statements(walker: KotlinWalker, node: Node) -> None:
    """Walk statements; after a check that is left where it fails the names are of its types."""
    around = walker.at
    for part in node.named_children:
        walker.run(part)
        if found := _left(walker, part):
            _enter(walker, found)
    walker.at = around


def _left(walker: KotlinWalker, node: Node) -> list[Check]:
    """Return what holds behind a statement: `if (x !is T) return`, `x as T`, `require(x is T)`."""
    if node.type == "if_expression" and node.child_by_field_name("alternative") is None:
        then = node.child_by_field_name("consequence")
        last = then
        while last is not None and last.type in ("control_structure_body", "statements"):
            parts = parts_of(last)
            last = parts[-1] if parts else None
        if (
            last is not None
            and last.type == "jump_expression"
            and last.children[0].type in _LEAVING
        ):
            return checks(walker, node.child_by_field_name("condition"), holds=False)
        return []
    if node.type == "as_expression" and node.children[1].type == "as":
        is_name = node.children[0].type == "simple_identifier"
        return (
            [(walker.word(node.children[0]), type_of(walker, node.children[-1]))] if is_name else []
        )
    if node.type == "call_expression" and walker.text(node.children[0]) in _ASSERTING:
        first = child(child(node.children[-1], "value_arguments"), "value_argument")
        return checks(walker, first.named_children[0], holds=True) if first is not None else []
    return []


def body_value(walker: KotlinWalker, node: Node | None, found: Sequence[Check] = ()) -> Term:
    """Walk the body of a branch, and return what it gives: the value of its last expression."""
    inner = node
    while inner is not None and inner.type in ("control_structure_body", "statements"):
        parts = parts_of(inner)
        if len(parts) != 1 or parts[0].type == "property_declaration":
            break
        inner = parts[0]
    if inner is None or not inner.child_count:
        return walker.term(inner)
    around = walker.at
    is_many = inner.type in ("control_structure_body", "statements")
    if found or is_many:
        _enter(walker, found)
    value = _last_value(walker, inner) if is_many else _value_or_run(walker, inner)
    if value is not None and walker.at != around:
        value = ("in", walker.at, value)
    walker.at = around
    return value


def _last_value(walker: KotlinWalker, node: Node) -> Term:
    """Walk statements but for the last, and return the value of that."""
    nodes = list(parts_of(node))
    while len(nodes) == 1 and nodes[0].type == "statements":
        nodes = list(parts_of(nodes[0]))
    for part in nodes[:-1]:
        walker.run(part)
        if found := _left(walker, part):
            _enter(walker, found)
    return _value_or_run(walker, nodes[-1]) if nodes else None


def _value_or_run(walker: KotlinWalker, node: Node) -> Term:
    if node.type in STATEMENTS and node.type not in TERMS:
        walker.run(node)
        return None
    return walker.term(node)


def walk_body(
    walker: KotlinWalker,
    number: int,
    body: Node | None,
    taken: tuple[Param, ...],
    *,
    label: str,
    values: Sequence[Node] = (),
    gives: bool = True,
) -> None:
    """Walk the body of a function: a block, or behind `=` an expression that it gives back."""
    outer = (walker.labels, walker.returning)
    scope = walker.body(number)
    if label:
        walker.labels = {**walker.labels, label: scope}
    walker.returning = scope
    nodes = parts_of(body) if body is not None else []
    is_block = body is not None and body.type == "statements"
    is_expression = body is not None and any(part.type == "=" for part in body.children)

    def last() -> None:
        if is_block and body is not None:
            run_statements(walker, body)
            return
        for node in nodes:
            if node.type == "statements":
                run_statements(walker, node)
            elif is_expression and gives:
                _returned(walker, walker.term(node))
            else:
                walker.run(node)

    walker.within(scope, values, taken, last)
    walker.labels, walker.returning = outer


def _returned(walker: KotlinWalker, value: Term, scope: int | None = None) -> None:
    """Say that a function gives a value back, also from a lambda or a block inside of it."""
    if value is None:
        return
    if scope is None or scope < 0 or scope == walker.at:
        walker.say("return", value)
    else:
        walker.add(scope, ("return", ("in", walker.at, value)))


# --- Lambdas and calls.

# What is called on something, and calls its function with it: as `it`, or as `this`.
_GIVING_IT = frozenset({"let", "also", "takeIf", "takeUnless", "use"})
_GIVING_THIS = frozenset({"run", "apply"})
# Of these the ones that give what they are called on; the others give what the function gives.
_GIVING_BACK = frozenset({"also", "apply", "takeIf", "takeUnless"})
# Functions that stand alone, and give what their function gives.
_RUNNING = frozenset({"run", "runCatching", "synchronized", "withLock", "lazy", "runBlocking"})
# Methods of collections that call a function with each element.
_WALKING = frozenset(
    """
    forEach map filter filterNot filterIsInstance mapNotNull flatMap any all none count first last
    firstOrNull lastOrNull single singleOrNull find findLast sumOf maxByOrNull minByOrNull maxBy
    minBy maxOf minOf sortedBy sortedByDescending groupBy associateBy associateWith associate
    partition takeWhile dropWhile onEach distinctBy joinToString indexOfFirst indexOfLast sumBy
    removeAll removeIf retainAll forEachIndexed mapIndexed filterIndexed mapTo sortBy zipWithNext
    """.split()
)
_MAPPING = frozenset({"map", "mapNotNull", "mapIndexed", "mapTo"})
_INDEXED = frozenset({"forEachIndexed", "mapIndexed", "filterIndexed"})
# Functions that make a collection of what they are given.
_LISTING = frozenset(
    """
    listOf mutableListOf arrayListOf setOf mutableSetOf linkedSetOf hashSetOf arrayOf sequenceOf
    listOfNotNull
    """.split()
)
_ARRAY_MAKERS = {f"{name[0].lower()}{name[1:]}Of": name for name in PRIMITIVE_ARRAYS}
# Methods that give a number, a letter or a text, whatever has them.
_CONVERTING = {
    "toByte": "byte", "toChar": "char", "toDouble": "double", "toFloat": "float", "toInt": "int",
    "toLong": "long", "toShort": "short", "toUInt": "uint", "toULong": "ulong",
    "toUShort": "ushort", "lowercase": "str", "uppercase": "str", "trimIndent": "str",
    "trimMargin": "str", "trim": "str",
}  # fmt: skip
# Where the function behind a call stands among its arguments.
_TRAILING = -1


def lambda_term(
    walker: KotlinWalker,
    node: Node,
    callee: Term = None,
    place: int = _TRAILING,
    *,
    receiver: Term = None,
    element: Term = None,
    label: str = "",
    implies_it: bool = True,
) -> Term:
    """Return a function in place: what it gives is what its last expression is.

    Of a parameter without a type, of `it` and of `this` the callee says what they are, unless it
    is known (`element`, `receiver`).
    """
    literal = _literal_of(node)
    if literal is None:
        return walker.term(node)
    listed, body = child(literal, "lambda_parameters"), child(literal, "statements")
    params, apart = _lambda_parameters(walker, listed, callee, place, element)
    has_arrow = any(part.type == "->" for part in literal.children)
    if not has_arrow and implies_it:
        params = (Param("it", _expected(callee, place, 1, element), None, ""),)
    owner = receiver if receiver is not None else _given(callee, place, 0)
    number = walker.define(
        "function", "<lambda>", literal, scope=walker.at, body="function", params=params,
        header=literal.end_byte if body is None else body.start_byte,
        owner=("same", owner) if owner is not None else None,
    )  # fmt: skip
    labels, label = walker.labels, label or _called_name(callee)
    if label:
        walker.labels = {**walker.labels, label: walker.body(number)}

    def last() -> None:
        for name, target in apart:
            bind_apart(walker, target, ("name", name), target)
        if body is not None:
            around = walker.at
            value = _last_value(walker, body)
            if value is not None:
                _returned(walker, value, walker.body(number))
            walker.at = around

    walker.within(walker.body(number), (), params, last)
    walker.labels = labels
    return ("def", number)


def _literal_of(node: Node) -> Node | None:
    if node.type == "annotated_lambda":
        return child(node, "lambda_literal")
    return node if node.type == "lambda_literal" else None


def _called_name(callee: Term) -> str:
    while callee is not None and callee[0] == "in":
        callee = callee[2]
    return str(callee[-1]) if callee is not None and callee[0] in ("name", "attr") else ""


def _given(callee: Term, place: int, number: int) -> Term:
    return None if callee is None else ("given", callee, place, number)


def _expected(callee: Term, place: int, number: int, element: Term) -> Term:
    """Return the type of a lambda's parameter by what its function is given to."""
    told = tuple(term for term in (_given(callee, place, number), element) if term is not None)
    if not told:
        return None
    return ("same", told[0] if len(told) == 1 else ("either", told))


def _lambda_parameters(
    walker: KotlinWalker, listed: Node | None, callee: Term, place: int, element: Term
) -> tuple[tuple[Param, ...], list[tuple[str, Node]]]:
    """Return the parameters of a lambda, and those that it takes apart: `(a, b) -> …`."""
    params: list[Param] = []
    apart: list[tuple[str, Node]] = []
    nodes = listed.named_children if listed is not None else []
    for number, part in enumerate(part for part in nodes if part.type.endswith("declaration")):
        is_last = number == len(nodes) - 1
        kind = _expected(callee, place, number + 1, element if is_last else None)
        if part.type == "multi_variable_declaration":
            name = f"<{part.start_byte}>"
            apart.append((name, part))
        else:
            named = child(part, "simple_identifier")
            name, kind = (
                walker.word(named) if named is not None else "_",
                type_in(walker, part) or kind,
            )
        params.append(Param(name, kind, None, ""))
    return tuple(params), apart


Named = tuple[tuple[str, Term], ...]


def arguments(
    walker: KotlinWalker, node: Node | None, callee: Term
) -> tuple[tuple[Term, ...], Named]:
    """Return the arguments of a call, and those given by name."""
    placed: list[Term] = []
    named: list[tuple[str, Term]] = []
    for part in node.named_children if node is not None else ():
        if part.type != "value_argument" or not part.named_child_count:
            continue
        value = parts_of(part)[-1]
        is_named = any(other.type == "=" for other in part.children)
        if value.type == "spread_expression" or any(o.type == "*" for o in part.children):
            placed.append(
                (
                    "star",
                    walker.term(value.named_children[-1] if value.named_child_count else value),
                )
            )
            continue
        term = (
            lambda_term(walker, value, callee, len(placed))
            if _literal_of(value)
            else walker.term(value)
        )
        if is_named:
            named.append((walker.word(part.named_children[0]), term))
        else:
            placed.append(term)
    return tuple(placed), tuple(named)


def _local_call(walker: KotlinWalker, name: str) -> Term:
    """Return what is called by a plain name: a local variable that is no function hides none."""
    scope = walker.declaring(name)
    if scope < 0 or (scope, name) in walker.callables:
        return ("name", name)
    outer = walker.scope(scope).parent
    while outer >= 0 and (outer, name) in walker.declared and walker.scope(outer).kind != "class":
        outer = walker.scope(outer).parent
    return ("in", outer, ("name", name)) if outer >= 0 else ("name", name)


def _callee(walker: KotlinWalker, node: Node) -> tuple[Term, Node]:
    """Return what is called, and the node of its name."""
    while node.type == "parenthesized_expression" and len(parts_of(node)) == 1:
        node = parts_of(node)[0]
    if node.type == "simple_identifier":
        return _local_call(walker, walker.word(node)), node
    return walker.term(node), node.named_children[-1].children[
        -1
    ] if node.named_child_count and node.type == "navigation_expression" else node


def call(walker: KotlinWalker, node: Node) -> Term:
    """Return a call; a function behind it is its last argument."""
    suffix = node.children[-1]
    listed, behind = child(suffix, "value_arguments"), child(suffix, "annotated_lambda")
    callee, named_node = _callee(walker, node.children[0])
    for part in parts_of(child(suffix, "type_arguments") or suffix)[:0]:
        walker.do(type_of(walker, part))
    name = _called_name(callee)
    if behind is None and listed is not None:
        behind = _only_lambda(listed, name)
        listed = listed if behind is None else None
    if callee is not None and callee[0] == "attr" and behind is not None:
        return _called_on(walker, callee, name, listed, behind, node, named_node)
    if behind is not None and (
        plain := _plain_run(walker, callee, name, listed, behind, named_node)
    ):
        return plain
    placed, named = arguments(walker, listed, callee)
    if behind is not None:
        term = lambda_term(walker, behind, callee, implies_it=name not in _RUNNING)
        named = (*named, ("", term))
    whole: Term = ("call", callee, placed, named, walker.site(named_node))
    return _made(walker, callee, name, placed, whole)


def _made(
    walker: KotlinWalker, callee: Term, name: str, placed: tuple[Term, ...], whole: Term
) -> Term:
    """Return what functions of the standard library give, known by their names."""
    if callee is not None and callee[0] == "name":
        if name in _LISTING:
            return ("list", placed)
        if name in PRIMITIVE_ARRAYS or name in _ARRAY_MAKERS:
            walker.do(whole)
            return ("typed", PRIMITIVE_ARRAYS[_ARRAY_MAKERS.get(name, name)])
    elif name in _CONVERTING and not placed:
        walker.do(whole)
        return ("const", _CONVERTING[name], None)
    return whole


def _only_lambda(listed: Node, name: str) -> Node | None:
    """Return the lambda that is the only argument, as if it stood behind the call."""
    parts = [part for part in listed.named_children if part.type == "value_argument"]
    if len(parts) != 1 or len(parts[0].children) != 1:
        return None
    return parts[0].children[0] if parts[0].children[0].type == "lambda_literal" else None


def _called_on(
    walker: KotlinWalker,
    callee: Term,
    name: str,
    listed: Node | None,
    behind: Node,
    node: Node,
    named_node: Node,
) -> Term:
    """Return a call of a method with a function behind it."""
    assert callee is not None
    receiver = held(walker, callee[1], node)
    callee = ("attr", receiver, name)
    placed, named = arguments(walker, listed, callee)
    is_known = receiver is not None
    this = receiver if is_known and name in _GIVING_THIS else None
    element: Term = None
    if is_known and name in _GIVING_IT:
        element = receiver
    elif is_known and name in _WALKING:
        element = ("iter", receiver)
    term = lambda_term(
        walker, behind, callee, receiver=this, element=element, implies_it=name not in _GIVING_THIS
    )
    site = walker.site(named_node)
    whole: Term = ("call", callee, placed, (*named, ("", term)), site)
    if term is None or term[0] != "def":
        return whole
    if name in _GIVING_BACK:
        return ("either", (whole, receiver))
    ran: Term = ("call", term, (element,) if element else (), (), site)
    if name in _GIVING_IT or name in _GIVING_THIS:
        return ("either", (whole, ran))
    return ("either", (whole, ("list", (ran,)))) if name in _MAPPING else whole


def _plain_run(
    walker: KotlinWalker,
    callee: Term,
    name: str,
    listed: Node | None,
    behind: Node,
    named_node: Node,
) -> Term:
    """Return `with(x) { … }`, `run { … }`, `lazy { … }`: what the function gives."""
    if name == "with" and listed is not None:
        placed, named = arguments(walker, listed, callee)
        receiver = held(walker, placed[0], listed) if placed else None
        term = lambda_term(walker, behind, callee, receiver=receiver, implies_it=False)
        placed = (receiver, *placed[1:])
    elif name in _RUNNING:
        placed, named = arguments(walker, listed, callee)
        term = lambda_term(walker, behind, callee, implies_it=False)
    else:
        return None
    site = walker.site(named_node)
    whole: Term = ("call", callee, placed, (*named, ("", term)), site)
    return ("either", (whole, ("call", term, (), (), site))) if term else whole


def infix(walker: KotlinWalker, node: Node) -> Term:
    """`a f b` is `a.f(b)`; `a to b` are two values side by side."""
    parts = [part for part in node.children if part.is_named and "comment" not in part.type]
    if len(parts) != 3 or parts[1].type != "simple_identifier":
        walker.each(node.named_children)
        return None
    name = walker.word(parts[1])
    left, right = walker.term(parts[0]), walker.term(parts[2])
    if name == "to":
        return ("tuple", (left, right))
    return ("call", ("attr", left, name), (right,), (), walker.site(parts[1]))


# --- Operators.

_OPERATORS = {
    "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo",
    "..<": "rangeUntil", "+=": "plusAssign", "-=": "minusAssign", "*=": "timesAssign",
    "/=": "divAssign", "%=": "remAssign", "!": "not", "++": "inc", "--": "dec",
}  # fmt: skip
_COMPARING = frozenset({"<", ">", "<=", ">="})
# What has no operators of its own, or none that the tree could have written.
_BUILT_IN = frozenset(
    """
    integer_literal long_literal hex_literal real_literal character_literal boolean_literal
    bin_literal unsigned_literal null_literal string_literal
    """.split()
)


def binary(walker: KotlinWalker, node: Node) -> Term:
    """An operator is a method of its left side: `a + b` is `a.plus(b)`."""
    parts = [part for part in node.children if "comment" not in part.type]
    if len(parts) != 3:
        walker.each(node.named_children)
        return None
    left, right = walker.term(parts[0]), walker.term(parts[2])
    operator = parts[1].type
    name = _OPERATORS.get(operator, "compareTo" if operator in _COMPARING else "")
    is_built_in = parts[0].type in _BUILT_IN or (left is not None and left[0] == "const")
    if not name or is_built_in or left is None:
        walker.do(left)
        walker.do(right)
        return left if is_built_in and operator in ("+", "-", "*", "/") else None
    called: Term = ("call", ("attr", left, name), (right,), (), walker.site(parts[1]))
    if name == "compareTo":
        walker.do(called)
        return ("const", "boolean", None)
    return called


def both(walker: KotlinWalker, node: Node) -> Term:
    """`a && b`, `a || b`: the right side is walked where the left holds, or does not."""
    parts = parts_of(node)
    around = walker.at
    walker.do(walker.term(parts[0]))
    found = checks(walker, parts[0], holds=node.type == "conjunction_expression")
    if narrowing(walker, found):
        _enter(walker, found)
    for part in parts[1:]:
        walker.do(walker.term(part))
    walker.at = around
    return ("const", "boolean", None)


def equality(walker: KotlinWalker, node: Node) -> Term:
    """Both sides are evaluated."""
    for part in parts_of(node):
        walker.do(walker.term(part))
    return ("const", "boolean", None)


def check(walker: KotlinWalker, node: Node) -> Term:
    """`x is T`, `x in y`: the latter is a method of y."""
    parts = node.children
    value, operator = walker.term(parts[0]), parts[1].type
    if operator in ("is", "!is"):
        walker.do(value)
        walker.do(type_of(walker, parts[-1]))
    else:
        walker.do(
            (
                "call",
                ("attr", walker.term(parts[-1]), "contains"),
                (value,),
                (),
                walker.site(parts[1]),
            )
        )
    return ("const", "boolean", None)


def elvis(walker: KotlinWalker, node: Node) -> Term:
    """`a ?: b` is one of both."""
    return ("either", tuple(walker.term(part) for part in parts_of(node)))


def cast(walker: KotlinWalker, node: Node) -> Term:
    """`x as T` is of the type."""
    walker.do(walker.term(node.children[0]))
    return ("typed", type_of(walker, node.children[-1]))


def unary(walker: KotlinWalker, node: Node) -> Term:
    """`x!!` is x; `-x`, `!x`, `x++` are methods of x."""
    parts = parts_of(node)
    operators = [part.type for part in node.children if not part.is_named]
    term = walker.term(parts[-1]) if parts else None
    name = {"-": "unaryMinus", "+": "unaryPlus"}.get(
        operators[0] if operators else "", _OPERATORS.get(operators[0] if operators else "", "")
    )
    if not name or term is None or term[0] == "const":
        return term
    walker.do(("call", ("attr", term, name), (), (), walker.site(node)))
    return term if name in ("inc", "dec") else None


def subscript(walker: KotlinWalker, node: Node) -> Term:
    """`x[i]` is `x.get(i)`."""
    return _got(walker, walker.term(node.children[0]), node.children[-1])


def _got(walker: KotlinWalker, base: Term, suffix: Node) -> Term:
    keys = tuple(walker.term(part) for part in parts_of(suffix))
    return ("call", ("attr", base, "get"), keys, (), walker.site(suffix))


# --- Names, members, literals.


def simple_name(walker: KotlinWalker, node: Node) -> Term:
    name = walker.word(node)
    return None if name == "_" else ("name", name)


# What `T::class` and `T::class.java` are.
_CLASS: Term = ("typed", ("name", "KClass"))
_JAVA_CLASS: Term = ("typed", ("name", "Class"))


def navigation(walker: KotlinWalker, node: Node) -> Term:
    """`a.b`, `a?.b`, `a::b`."""
    suffix = node.children[-1]
    named = suffix.children[-1]
    if named.type != "simple_identifier":
        walker.do(walker.term(node.children[0]))
        return _CLASS
    name = walker.word(named)
    if name == "java" and node.children[0].type in ("callable_reference", "navigation_expression"):
        value = walker.term(node.children[0])
        return _JAVA_CLASS if value == _CLASS else ("attr", value, name)
    if name[:1].isupper() and (names := _package(walker, node.children[0])):
        return brought(walker, names, name)
    return ("attr", walker.term(node.children[0]), name)


def _package(walker: KotlinWalker, node: Node) -> list[str]:
    """Return the parts of a package's name that stands in front of a class, none if it is none."""
    if node.type not in ("navigation_expression", "simple_identifier"):
        return []
    names = "".join(walker.text(node).split()).split(".")
    is_package = len(names) > 1 and all(name.isidentifier() and name.islower() for name in names)
    return (
        names
        if is_package and names[0] not in walker.known and walker.declaring(names[0]) < 0
        else []
    )


def this(walker: KotlinWalker, node: Node) -> Term:
    """`this`, `this@Outer`, `this@function`."""
    named = child(node, "type_identifier")
    if named is None:
        return ("self",)
    scope = walker.labels.get(walker.word(named))
    return ("self",) if scope is None else ("in", scope, ("self",))


def above(walker: KotlinWalker, node: Node) -> Term:
    """`super`, `super<Base>`, `super@Outer`."""
    kind, named = child(node, "user_type"), child(node, "type_identifier")
    if kind is not None:
        return ("typed", type_of(walker, kind))
    scope = walker.labels.get(walker.word(named)) if named is not None else None
    return ("super",) if scope is None else ("in", scope, ("super",))


def reference(walker: KotlinWalker, node: Node) -> Term:
    """`::f`, `T::f`, `T::class`."""
    named, last = child(node, "type_identifier"), node.children[-1]
    base: Term = None
    if named is not None:
        base = qualified(walker, [walker.word(named)])
    if last.type != "simple_identifier":
        walker.do(base)
        return _CLASS
    name = walker.word(last)
    return ("name", name) if base is None else ("attr", base, name)


_LITERALS = {
    "integer_literal": "literal", "long_literal": "long", "hex_literal": "literal",
    "bin_literal": "literal",
    "real_literal": "double", "character_literal": "char", "boolean_literal": "boolean",
    "null_literal": "none", "unsigned_literal": "uint", "null": "none",
}  # fmt: skip


def literal(walker: KotlinWalker, node: Node) -> Term:
    """A number without a letter behind it is of the type that is asked for where it stands."""
    return ("const", _LITERALS[node.type], None)


def text(walker: KotlinWalker, node: Node) -> Term:
    """A text; what stands in it as `$name` or `${…}` is evaluated."""
    plain = True
    for part in node.named_children:
        if part.type == "interpolated_identifier":
            walker.do(("name", walker.word(part)))
            plain = False
        elif part.type == "interpolated_expression":
            walker.each(part.named_children)
            plain = False
    value = walker.text(node).strip('"')
    return ("const", "str", value if plain and len(value) <= CONST_CHARS else None)


def inner(walker: KotlinWalker, node: Node) -> Term:
    parts = parts_of(node)
    return walker.term(parts[-1]) if parts else None


def listing(walker: KotlinWalker, node: Node) -> Term:
    return ("list", tuple(walker.term(part) for part in parts_of(node)))


# --- Branches.


def conditional(walker: KotlinWalker, node: Node) -> Term:
    """`if (…) a else b` is one of both."""
    condition = node.child_by_field_name("condition")
    walker.do(walker.term(condition))
    values = [
        body_value(walker, node.child_by_field_name(branch), checks(walker, condition, holds=holds))
        for branch, holds in (("consequence", True), ("alternative", False))
    ]
    known = tuple(value for value in values if value is not None)
    return ("either", known) if known else None


def when(walker: KotlinWalker, node: Node) -> Term:
    """`when (x) { is T -> … }` is one of its branches; in each x is of the type in front of it."""
    around, values = walker.at, []
    name = _subject(walker, child(node, "when_subject"))
    for entry in node.named_children:
        if entry.type != "when_entry":
            continue
        found = _conditions(walker, entry, name)
        values.append(body_value(walker, child(entry, "control_structure_body"), found))
    known = tuple(value for value in values if value is not None)
    result: Term = ("either", known) if known else None
    if result is not None and walker.at != around:
        result = ("in", walker.at, result)
    walker.at = around
    return result


def _subject(walker: KotlinWalker, node: Node | None) -> str:
    """Walk what is compared, and return its name if it has one; `val x = …` declares it."""
    if node is None:
        return ""
    value, declared = parts_of(node)[-1], child(node, "variable_declaration")
    term = walker.term(value)
    if declared is not None:
        walker.at = walker.open("block", walker.at)
        named = declared.named_children[0]
        walker.bind(("name", walker.word(named)), term)
        return walker.word(named)
    walker.do(term)
    return walker.word(value) if value.type == "simple_identifier" else ""


def _conditions(walker: KotlinWalker, entry: Node, name: str) -> list[Check]:
    """Walk the conditions of a branch, and return what they say if there is just one."""
    conditions = [part for part in entry.named_children if part.type == "when_condition"]
    found: list[Check] = []
    for condition in conditions:
        test = condition.named_children[0] if condition.named_child_count else condition
        if test.type == "type_test":
            kind = type_of(walker, test.named_children[-1])
            walker.do(kind)
            if name and test.children[0].type == "is":
                found.append((name, kind))
        elif test.type == "range_test":
            walker.each(test.named_children)
        else:
            walker.do(walker.term(test))
            found += checks(walker, test, holds=True)
    return found if len(conditions) == 1 else []


def attempt(walker: KotlinWalker, node: Node) -> Term:
    """`try { … } catch (e: T) { … }` gives what one of its blocks gives."""
    values: list[Term] = []
    for part in node.named_children:
        if part.type == "statements":
            values.append(body_value(walker, part))
        elif part.type == "catch_block":
            values.append(_caught(walker, part))
        else:
            walker.run(part)
    known = tuple(value for value in values if value is not None)
    return ("either", known) if known else None


def _caught(walker: KotlinWalker, node: Node) -> Term:
    named, around = child(node, "simple_identifier"), walker.at
    walker.at = walker.open("block", around)
    if named is not None:
        _local(walker, walker.word(named), type_in(walker, node), None)
    value = body_value(walker, child(node, "statements"))
    value = ("in", walker.at, value) if value is not None else None
    walker.at = around
    return value


# --- Objects in place, functions without a name.


def anonymous_class(walker: KotlinWalker, node: Node, body: Node, bases: Sequence[Term]) -> Term:
    """Return an object of a class in place."""
    number = walker.define(
        "class", "<anonymous>", node, scope=walker.at, body="class", header=body.start_byte,
        bases=[base for base in bases if base is not None],
    )  # fmt: skip
    outer = (walker.labels, walker.returning)
    walker.within(walker.body(number), body.named_children)
    walker.labels, walker.returning = outer
    return ("new", ("def", number), (), (), walker.site(node))


def object_type(walker: KotlinWalker, node: Node | None) -> Term:
    """Return the type by which others see an object in place: that of the only base it names."""
    if node is None or node.type != "object_literal":
        return None
    bases = [part for part in node.named_children if part.type == "delegation_specifier"]
    if len(bases) != 1:
        return None
    specifier = bases[0].named_children[0]
    return (
        type_of(walker, specifier) if specifier.type == "user_type" else type_in(walker, specifier)
    )


def _object(walker: KotlinWalker, node: Node) -> Term:
    """`object : Base(…) { … }`."""
    bases: list[Term] = []
    for part in node.named_children:
        if part.type != "delegation_specifier":
            continue
        specifier = part.named_children[0]
        kind = (
            type_of(walker, specifier)
            if specifier.type == "user_type"
            else type_in(walker, specifier)
        )
        bases.append(kind)
        if specifier.type == "constructor_invocation":
            placed, named = arguments(walker, child(specifier, "value_arguments"), None)
            last = child(specifier, "user_type")
            walker.do(("new", kind, placed, named, walker.site(last or specifier)))
        elif specifier.type == "explicit_delegation":
            walker.do(walker.term(specifier.named_children[-1]))
    body = child(node, "class_body")
    return anonymous_class(walker, node, body or node, bases) if body is not None else None


def _anonymous_function(walker: KotlinWalker, node: Node) -> Term:
    """`fun(x: T): R { … }`."""
    listed, body = child(node, "function_value_parameters"), child(node, "function_body")
    taken = parameters(walker, listed)
    number = walker.define(
        "function", "<lambda>", node, scope=walker.at, body="function", params=taken,
        header=node.end_byte if body is None else body.start_byte,
    )  # fmt: skip
    walk_body(walker, number, body, taken, label="")
    return ("def", number)


# --- Statements in bodies: locals, loops, what is assigned, what is left.


def _local(walker: KotlinWalker, name: str, kind: Term, value: Term) -> None:
    """Declare a local name: of its type if that is written, else of its value."""
    target: Term = ("name", name)
    walker.know(target)
    if kind is not None:
        walker.say("declare", target, kind)
        walker.do(value)
    else:
        walker.say("bind", target, value)


def local_value(walker: KotlinWalker, node: Node) -> None:
    """`val x: T = …`, `val (a, b) = …`, `val x by …` in a body."""
    declared, apart = child(node, "variable_declaration"), child(node, "multi_variable_declaration")
    modifiers(walker, node)
    delegate = child(node, "property_delegate")
    value_node = _initial(node)
    if apart is not None:
        bind_apart(walker, apart, walker.term(value_node), node)
        return
    named = child(declared, "simple_identifier")
    if named is None:
        return
    value = walker.term(value_node) if delegate is None else delegated_value(walker, delegate)
    is_function = value is not None and value[0] == "def"
    if is_function_type(walker, declared) or is_function:
        walker.callables.add((walker.at, walker.word(named)))
    _local(walker, walker.word(named), type_in(walker, declared), value)


def _initial(node: Node) -> Node | None:
    children = [part for part in node.children if "comment" not in part.type]
    for place, part in enumerate(children):
        if part.type == "=":
            return children[place + 1] if place + 1 < len(children) else None
    return None


def delegated_value(walker: KotlinWalker, node: Node) -> Term:
    """Return what a delegate gives: `by lazy { … }`, or what its `getValue` gives."""
    parts = parts_of(node)
    value = walker.term(parts[-1]) if parts else None
    is_lazy = bool(parts) and walker.text(parts[-1]).startswith("lazy")
    if is_lazy or value is None:
        return value
    holder = held(walker, value, node)
    return ("call", ("attr", holder, "getValue"), (None, None), (), walker.site(node))


def bind_apart(walker: KotlinWalker, target: Node, value: Term, node: Node) -> None:
    """`(a, b) = x`: `x.component1()`, `x.component2()`, or the first and second of a row."""
    base = held(walker, value, node)
    if is_simple(value):
        walker.do(value)
    parts = [part for part in target.named_children if part.type == "variable_declaration"]
    for place, part in enumerate(parts):
        named = child(part, "simple_identifier")
        if named is None or walker.text(named) == "_":
            continue
        component: Term = ("attr", base, f"component{place + 1}")
        whole = ("either", (component, ("item", ("seen", base), ("const", "int", place))))
        _local(walker, walker.word(named), type_in(walker, part), whole)


def _for(walker: KotlinWalker, node: Node) -> None:
    """`for (x in xs)`, `for ((a, b) in xs)`."""
    declared = child(node, "variable_declaration", "multi_variable_declaration")
    body = child(node, "control_structure_body")
    rest = [part for part in parts_of(node) if part not in (declared, body)]
    over = walker.term(rest[-1]) if rest else None
    around = walker.at
    walker.at = walker.open("block", around)
    if declared is not None:
        element: Term = ("iter", over, walker.site(declared))
        if declared.type == "multi_variable_declaration":
            bind_apart(walker, declared, element, declared)
        else:
            named = child(declared, "simple_identifier") or declared
            kind = type_in(walker, declared)
            walker.do(over if kind is not None else None)
            _local(walker, walker.word(named), kind, None if kind is not None else element)
    if body is not None:
        _branch(walker, body)
    walker.at = around


def _while(walker: KotlinWalker, node: Node) -> None:
    """`while (x is T) …`."""
    body = child(node, "control_structure_body")
    found: list[Check] = []
    for part in parts_of(node):
        if part != body:
            walker.do(walker.term(part))
            found = checks(walker, part, holds=True) if node.type == "while_statement" else []
    if body is not None:
        _branch(walker, body, found)


def _branch(walker: KotlinWalker, node: Node, found: Sequence[Check] = ()) -> None:
    """Walk the body of a loop in a block of its own."""
    around = walker.at
    _enter(walker, found)
    for part in parts_of(node):
        if part.type == "statements":
            run_statements(walker, part)
        else:
            walker.run(part)
    walker.at = around


def _assignment(walker: KotlinWalker, node: Node) -> None:
    """A variable is of the type it was declared with: what is assigned to it tells nothing."""
    parts = [part for part in node.children if "comment" not in part.type]
    if len(parts) != 3:
        walker.each(node.named_children)
        return
    value, operator = walker.term(parts[2]), parts[1].type
    base, suffixes = _target(walker, parts[0])
    last = suffixes[-1] if suffixes else None
    target = base
    if last is not None and last.type == "navigation_suffix":
        target = ("attr", base, walker.word(last.children[-1]))
    elif last is not None and last.type == "indexing_suffix":
        keys = tuple(walker.term(part) for part in parts_of(last))
        name = "set" if operator == "=" else "get"
        given = (*keys, value) if operator == "=" else keys
        target = ("call", ("attr", base, name), given, (), walker.site(last))
        walker.do(target)
    elif last is None and operator == "=":
        target = None
    if operator in _OPERATORS and target is not None:
        walker.do(
            ("call", ("attr", target, _OPERATORS[operator]), (value,), (), walker.site(parts[1]))
        )
        return
    if last is not None and last.type == "navigation_suffix":
        walker.do(base)
    walker.do(value if last is None or last.type != "indexing_suffix" else None)


def _target(walker: KotlinWalker, node: Node) -> tuple[Term, list[Node]]:
    """Return what is in front of the last part of a target, and the parts behind its first."""
    if node.type != "directly_assignable_expression" or not node.named_child_count:
        return walker.term(node), []
    first, *suffixes = parts_of(node)
    while first.type == "parenthesized_expression" and len(parts_of(first)) == 1 and not suffixes:
        first = parts_of(first)[0]
    base = walker.term(first)
    for suffix in suffixes[:-1]:
        if suffix.type == "navigation_suffix":
            base = ("attr", base, walker.word(suffix.children[-1]))
        else:
            base = _got(walker, base, suffix)
    return base, suffixes


def _jump(walker: KotlinWalker, node: Node) -> Term:
    """`return x`, `return@label x`, `throw x`."""
    word = node.children[0].type
    label = child(node, "label")
    values = [part for part in parts_of(node) if part.type != "label"]
    value = walker.term(values[-1]) if values else None
    if word == "throw":
        walker.do(value)
    elif word.startswith("return"):
        scope = walker.labels.get(walker.text(label), -1) if label is not None else walker.returning
        _returned(walker, value, scope)
    return None


def _lambda(walker: KotlinWalker, node: Node) -> Term:
    return lambda_term(walker, node)


def _nothing(walker: KotlinWalker, node: Node) -> None:
    """Labels and types are no reads."""


def _either(maker: Callable[[KotlinWalker, Node], Term]) -> Callable[[KotlinWalker, Node], None]:
    return lambda walker, node: walker.do(maker(walker, node))


TERMS: Terms = {
    "simple_identifier": simple_name,
    "call_expression": call,
    "infix_expression": infix,
    "navigation_expression": navigation,
    "callable_reference": reference,
    "this_expression": this,
    "super_expression": above,
    "lambda_literal": _lambda,
    "annotated_lambda": _lambda,
    "anonymous_function": _anonymous_function,
    "object_literal": _object,
    "parenthesized_expression": inner,
    "additive_expression": binary,
    "multiplicative_expression": binary,
    "range_expression": binary,
    "comparison_expression": binary,
    "conjunction_expression": both,
    "disjunction_expression": both,
    "equality_expression": equality,
    "check_expression": check,
    "elvis_expression": elvis,
    "as_expression": cast,
    "prefix_expression": unary,
    "postfix_expression": unary,
    "indexing_expression": subscript,
    "if_expression": conditional,
    "when_expression": when,
    "try_expression": attempt,
    "jump_expression": _jump,
    "string_literal": text,
    "collection_literal": listing,
    **dict.fromkeys(_LITERALS, literal),
}
STATEMENTS: Statements = {
    "statements": run_statements,
    "for_statement": _for,
    "while_statement": _while,
    "do_while_statement": _while,
    "assignment": _assignment,
    "label": _nothing,
    **dict.fromkeys(TYPES, _nothing),
}
