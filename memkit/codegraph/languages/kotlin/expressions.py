"""Expressions, calls, lambdas, what is assigned; the tables of Kotlin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import (
    Expressions,
    Statements,
    children_of,
    constants,
    last_value,
    list_term,
    method_call,
    nothing,
    qualified_import,
    reusable,
    short_text,
    signature_end,
    union,
    without_comments,
)
from ..walker import child_of_type as child
from .bodies import (
    BODY_EXPRESSIONS,
    BODY_STATEMENTS,
    bind_apart,
    block_value,
    checks,
    enter_block,
    give_back,
    narrowing,
    walk_body,
)
from .type_terms import (
    PRIMITIVE_ARRAYS,
    TYPES,
    KotlinWalker,
    parameters,
    qualified,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Lambdas and calls.

# What is called on something, and calls its function with it: as `it`, or as `this`.
_GIVING_IT = words("let also takeIf takeUnless use")
_GIVING_THIS = words("run apply")
# Of these the ones that give what they are called on; the others give what the function gives.
_GIVING_BACK = words("also apply takeIf takeUnless")
# Functions that stand alone, and give what their function gives.
_RUNNING = words("run runCatching synchronized withLock lazy runBlocking")
# Methods of collections that call a function with each element.
_WALKING = words("""
    forEach map filter filterNot filterIsInstance mapNotNull flatMap any all none count first last
    firstOrNull lastOrNull single singleOrNull find findLast sumOf maxByOrNull minByOrNull maxBy
    minBy maxOf minOf sortedBy sortedByDescending groupBy associateBy associateWith associate
    partition takeWhile dropWhile onEach distinctBy joinToString indexOfFirst indexOfLast sumBy
    removeAll removeIf retainAll forEachIndexed mapIndexed filterIndexed mapTo sortBy zipWithNext
""")
_MAPPING = words("map mapNotNull mapIndexed mapTo")
# Functions that make a collection of what they are given.
_LISTING = words("""
    listOf mutableListOf arrayListOf setOf mutableSetOf linkedSetOf hashSetOf arrayOf sequenceOf
    listOfNotNull
""")
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
    walker: KotlinWalker, node: Node, callee: Term = None, position: int = _TRAILING, *,
    receiver: Term = None, element: Term = None, implies_it: bool = True,
) -> Term:  # fmt: skip
    """Return a function in place: what it gives is what its last expression is.

    Of a parameter without a type, of `it` and of `this` the callee says what they are, unless it
    is known (`element`, `receiver`).
    """
    literal = _literal_of(node)
    if literal is None:
        return walker.evaluate(node)
    listed, body = child(literal, "lambda_parameters"), child(literal, "statements")
    params, apart = _lambda_parameters(walker, listed, callee, position, element)
    has_arrow = any(part.type == "->" for part in literal.children)
    if not has_arrow and implies_it:
        params = (Param("it", _expected(callee, position, 1, element), None, ""),)
    owner = receiver if receiver is not None else _lambda_value(callee, position, 0)
    index = walker.define(
        "function", "<lambda>", literal, body="function", params=params,
        header=signature_end(literal, body),
        owner=("same", owner) if owner is not None else None,
    )  # fmt: skip
    label = _called_name(callee)
    scope = walker.body(index)
    labels = {**walker.labels, label: scope} if label else walker.labels
    with walker.having(labels=labels), walker.in_body(scope, params):
        for name, target in apart:
            bind_apart(walker, target, ("name", name), target)
        if body is not None:
            value = block_value(walker, body)
            give_back(walker, value, scope)
    return ("def", index)


def _literal_of(node: Node) -> Node | None:
    if node.type == "annotated_lambda":
        return child(node, "lambda_literal")
    return node if node.type == "lambda_literal" else None


def _called_name(callee: Term) -> str:
    while callee is not None and callee[0] == "in":
        callee = callee[2]
    return str(callee[-1]) if callee is not None and callee[0] in ("name", "attr") else ""


def _lambda_value(callee: Term, position: int, index: int) -> Term:
    return None if callee is None else ("given", callee, position, index)


def _expected(callee: Term, position: int, index: int, element: Term) -> Term:
    """Return the type of a lambda's parameter by what its function is given to."""
    kind = union((_lambda_value(callee, position, index), element))
    return None if kind is None else ("same", kind)


def _lambda_parameters(
    walker: KotlinWalker, listed: Node | None, callee: Term, position: int, element: Term
) -> tuple[tuple[Param, ...], list[tuple[str, Node]]]:
    """Return the parameters of a lambda, and those that it takes apart: `(a, b) -> …`."""
    params: list[Param] = []
    apart: list[tuple[str, Node]] = []
    nodes = children_of(listed)
    for index, part in enumerate(part for part in nodes if part.type.endswith("declaration")):
        is_last = index == len(nodes) - 1
        kind = _expected(callee, position, index + 1, element if is_last else None)
        if part.type == "multi_variable_declaration":
            name = f"<{part.start_byte}>"
            apart.append((name, part))
        else:
            named, kind = child(part, "simple_identifier"), type_in(walker, part) or kind
            name = walker.word(named) if named is not None else "_"
        params.append(Param(name, kind, None, ""))
    return tuple(params), apart


Named = tuple[tuple[str, Term], ...]


def arguments(
    walker: KotlinWalker, node: Node | None, callee: Term
) -> tuple[tuple[Term, ...], Named]:
    """Return the arguments of a call, and those given by name."""
    placed: list[Term] = []
    named: list[tuple[str, Term]] = []
    for part in children_of(node):
        if part.type != "value_argument" or not part.named_child_count:
            continue
        value = without_comments(part)[-1]
        is_named = any(other.type == "=" for other in part.children)
        if value.type == "spread_expression" or any(sign.type == "*" for sign in part.children):
            spread = value.named_children[-1] if value.type == "spread_expression" else value
            placed.append(("star", walker.evaluate(spread)))
            continue
        term = (
            lambda_term(walker, value, callee, len(placed))
            if _literal_of(value)
            else walker.evaluate(value)
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
    outer = walker.builder.scopes[scope].parent
    while outer >= 0 and (outer, name) in walker.declared:
        if walker.builder.scopes[outer].kind == "class":
            break
        outer = walker.builder.scopes[outer].parent
    return ("in", outer, ("name", name)) if outer >= 0 else ("name", name)


def _callee(walker: KotlinWalker, node: Node) -> tuple[Term, Node]:
    """Return what is called, and the node of its name."""
    node = _without_brackets(node)
    if node.type == "simple_identifier":
        return _local_call(walker, walker.word(node)), node
    is_member = node.type == "navigation_expression"
    return walker.evaluate(node), node.named_children[-1].children[-1] if is_member else node


def _without_brackets(node: Node) -> Node:
    while node.type == "parenthesized_expression" and len(without_comments(node)) == 1:
        node = without_comments(node)[0]
    return node


def call(walker: KotlinWalker, node: Node) -> Term:
    """Return a call; a function behind it is its last argument."""
    suffix = node.children[-1]
    listed, behind = (
        child(suffix, "value_arguments"),
        child(suffix, "annotated_lambda"),
    )
    callee, named_node = _callee(walker, node.children[0])
    name = _called_name(callee)
    if behind is None and listed is not None:
        behind = _only_lambda(listed, name)
        listed = listed if behind is None else None
    if callee is not None and callee[0] == "attr" and behind is not None:
        return _called_on(walker, callee, name, listed, behind, node, named_node)
    if behind is not None and (name in _RUNNING or (name == "with" and listed is not None)):
        return _plain_run(walker, callee, name, listed, behind, named_node)
    placed, named = arguments(walker, listed, callee)
    if behind is not None:
        term = lambda_term(walker, behind, callee)
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
            walker.discard(whole)
            return ("typed", PRIMITIVE_ARRAYS[_ARRAY_MAKERS.get(name, name)])
    elif name in _CONVERTING and not placed:
        walker.discard(whole)
        return ("const", _CONVERTING[name], None)
    return whole


def _only_lambda(listed: Node, name: str) -> Node | None:
    """Return the lambda that is the only argument, as if it stood behind the call."""
    parts = [part for part in listed.named_children if part.type == "value_argument"]
    if len(parts) != 1 or len(parts[0].children) != 1:
        return None
    return parts[0].children[0] if parts[0].children[0].type == "lambda_literal" else None


def _called_on(
    walker: KotlinWalker, callee: Term, name: str, listed: Node | None, behind: Node, node: Node,
    named_node: Node,
) -> Term:  # fmt: skip
    """Return a call of a method with a function behind it."""
    assert callee is not None
    receiver = reusable(walker, callee[1], node)
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
    walker: KotlinWalker, callee: Term, name: str, listed: Node | None, behind: Node,
    named_node: Node,
) -> Term:  # fmt: skip
    """Return `with(x) { … }`, `run { … }`, `lazy { … }`: what the function gives."""
    placed, named = arguments(walker, listed, callee)
    receiver: Term = None
    if name == "with" and listed is not None:
        receiver = reusable(walker, placed[0], listed) if placed else None
        placed = (receiver, *placed[1:])
    term = lambda_term(walker, behind, callee, receiver=receiver, implies_it=False)
    site = walker.site(named_node)
    whole: Term = ("call", callee, placed, (*named, ("", term)), site)
    return ("either", (whole, ("call", term, (), (), site))) if term else whole


def infix(walker: KotlinWalker, node: Node) -> Term:
    """`a f b` is `a.f(b)`; `a to b` are two values side by side."""
    parts = [part for part in node.children if part.is_named and "comment" not in part.type]
    if len(parts) != 3 or parts[1].type != "simple_identifier":
        walker.run_all(node.named_children)
        return None
    name = walker.word(parts[1])
    left, right = walker.evaluate(parts[0]), walker.evaluate(parts[2])
    if name == "to":
        return ("tuple", (left, right))
    return method_call(walker, left, name, (right,), parts[1])


# --- Operators.

_OPERATORS = {
    "+": "plus", "-": "minus", "*": "times", "/": "div", "%": "rem", "..": "rangeTo",
    "..<": "rangeUntil", "+=": "plusAssign", "-=": "minusAssign", "*=": "timesAssign",
    "/=": "divAssign", "%=": "remAssign", "!": "not", "++": "inc", "--": "dec",
}  # fmt: skip
_SIGNS = {"-": "unaryMinus", "+": "unaryPlus"}
_TRUTH: Term = ("const", "boolean", None)
_COMPARING = words("< > <= >=")
# What has no operators of its own, or none that the tree could have written.
_BUILT_IN = words("""
    integer_literal long_literal hex_literal real_literal character_literal boolean_literal
    bin_literal unsigned_literal null_literal string_literal
""")


def binary(walker: KotlinWalker, node: Node) -> Term:
    """An operator is a method of its left side: `a + b` is `a.plus(b)`."""
    parts = [part for part in node.children if "comment" not in part.type]
    if len(parts) != 3:
        walker.run_all(node.named_children)
        return None
    left, right = walker.evaluate(parts[0]), walker.evaluate(parts[2])
    operator = parts[1].type
    name = _OPERATORS.get(operator, "compareTo" if operator in _COMPARING else "")
    is_built_in = parts[0].type in _BUILT_IN or (left is not None and left[0] == "const")
    if not name or is_built_in or left is None:
        walker.discard(left)
        walker.discard(right)
        return left if is_built_in and operator in ("+", "-", "*", "/") else None
    called = method_call(walker, left, name, (right,), parts[1])
    if name == "compareTo":
        walker.discard(called)
        return _TRUTH
    return called


def both(walker: KotlinWalker, node: Node) -> Term:
    """`a && b`, `a || b`: the right side is walked where the left holds, or does not."""
    parts = without_comments(node)
    with walker.in_block(when=False):
        walker.discard(walker.evaluate(parts[0]))
        checked = checks(walker, parts[0], holds=node.type == "conjunction_expression")
        if narrowing(checked):
            enter_block(walker, checked)
        for part in parts[1:]:
            walker.discard(walker.evaluate(part))
    return _TRUTH


def equality(walker: KotlinWalker, node: Node) -> Term:
    """Both sides are evaluated."""
    for part in without_comments(node):
        walker.discard(walker.evaluate(part))
    return _TRUTH


def check(walker: KotlinWalker, node: Node) -> Term:
    """`x is T`, `x in y`: the latter is a method of y."""
    parts = node.children
    value, operator = walker.evaluate(parts[0]), parts[1].type
    if operator in ("is", "!is"):
        walker.discard(value)
        walker.discard(type_of(walker, parts[-1]))
    else:
        holder = walker.evaluate(parts[-1])
        walker.discard(method_call(walker, holder, "contains", (value,), parts[1]))
    return _TRUTH


def elvis(walker: KotlinWalker, node: Node) -> Term:
    """`a ?: b` is one of both."""
    return ("either", tuple(walker.evaluate(part) for part in without_comments(node)))


def cast(walker: KotlinWalker, node: Node) -> Term:
    """`x as T` is of the type."""
    walker.discard(walker.evaluate(node.children[0]))
    return ("typed", type_of(walker, node.children[-1]))


def unary(walker: KotlinWalker, node: Node) -> Term:
    """`x!!` is x; `-x`, `!x`, `x++` are methods of x."""
    parts = without_comments(node)
    sign = next((part.type for part in node.children if not part.is_named), "")
    term = walker.evaluate(parts[-1]) if parts else None
    name = _SIGNS.get(sign, _OPERATORS.get(sign, ""))
    if not name or term is None or term[0] == "const":
        return term
    walker.discard(method_call(walker, term, name, (), node))
    return term if name in ("inc", "dec") else None


def subscript(walker: KotlinWalker, node: Node) -> Term:
    """`x[i]` is `x.get(i)`."""
    return _got(walker, walker.evaluate(node.children[0]), node.children[-1])


def _got(walker: KotlinWalker, base: Term, suffix: Node) -> Term:
    keys = tuple(walker.evaluate(part) for part in without_comments(suffix))
    return method_call(walker, base, "get", keys, suffix)


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
        walker.discard(walker.evaluate(node.children[0]))
        return _CLASS
    name = walker.word(named)
    if name == "java" and node.children[0].type in ("callable_reference", "navigation_expression"):
        value = walker.evaluate(node.children[0])
        return _JAVA_CLASS if value == _CLASS else ("attr", value, name)
    if name[:1].isupper() and (names := _package(walker, node.children[0])):
        return qualified_import(walker, ".".join(names), name, node)
    return ("attr", walker.evaluate(node.children[0]), name)


def _package(walker: KotlinWalker, node: Node) -> list[str]:
    """Return the parts of a package's name that stands in front of a class, none if it is none."""
    if node.type not in ("navigation_expression", "simple_identifier"):
        return []
    names = "".join(walker.text(node).split()).split(".")
    is_package = len(names) > 1 and all(name.isidentifier() and name.islower() for name in names)
    is_local = names[0] in walker.locals or walker.declaring(names[0]) >= 0
    return names if is_package and not is_local else []


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
        base = qualified(walker, [walker.word(named)], node)
    if last.type != "simple_identifier":
        walker.discard(base)
        return _CLASS
    name = walker.word(last)
    return ("name", name) if base is None else ("attr", base, name)


# A number without a letter behind it is of the type that is asked for where it stands.
_LITERALS = {
    "integer_literal": "literal", "long_literal": "long", "hex_literal": "literal",
    "bin_literal": "literal",
    "real_literal": "double", "character_literal": "char", "boolean_literal": "boolean",
    "null_literal": "none", "unsigned_literal": "uint", "null": "none",
}  # fmt: skip


def text(walker: KotlinWalker, node: Node) -> Term:
    """A text; what stands in it as `$name` or `${…}` is evaluated."""
    plain = True
    for part in node.named_children:
        if part.type == "interpolated_identifier":
            walker.discard(("name", walker.word(part)))
            plain = False
        elif part.type == "interpolated_expression":
            walker.run_all(part.named_children)
            plain = False
    return short_text(walker.text(node).strip('"') if plain else None)


# --- Objects in place, functions without a name.


def anonymous_class(walker: KotlinWalker, node: Node, body: Node, bases: Sequence[Term]) -> Term:
    """Return an object of a class in place."""
    index = walker.define(
        "class", "<anonymous>", node, body="class", header=body.start_byte,
        bases=[base for base in bases if base is not None],
    )  # fmt: skip
    with walker.in_body(walker.body(index)):
        walker.run_all(body.named_children)
    return ("new", ("def", index), (), (), walker.site(node))


def object_type(walker: KotlinWalker, node: Node | None) -> Term:
    """Return the type by which others see an object in place: that of the only base it names."""
    if node is None or node.type != "object_literal":
        return None
    bases = specifiers_of(node)
    return base_type(walker, bases[0]) if len(bases) == 1 else None


def specifiers_of(node: Node) -> list[Node]:
    """Return what a class or an object says of each of its bases."""
    listed = [part for part in node.named_children if part.type == "delegation_specifier"]
    return [part.named_children[0] for part in listed if part.named_child_count]


def base_type(walker: KotlinWalker, specifier: Node) -> Term:
    """Return the type of a base, also where it is called or delegated to."""
    is_type = specifier.type == "user_type"
    return type_of(walker, specifier) if is_type else type_in(walker, specifier)


def _object(walker: KotlinWalker, node: Node) -> Term:
    """`object : Base(…) { … }`."""
    bases: list[Term] = []
    for specifier in specifiers_of(node):
        kind = base_type(walker, specifier)
        bases.append(kind)
        if specifier.type == "constructor_invocation":
            placed, named = arguments(walker, child(specifier, "value_arguments"), None)
            last = child(specifier, "user_type")
            walker.discard(("new", kind, placed, named, walker.site(last or specifier)))
        elif specifier.type == "explicit_delegation":
            walker.discard(walker.evaluate(specifier.named_children[-1]))
    body = child(node, "class_body")
    return anonymous_class(walker, node, body, bases) if body is not None else None


def _anonymous_function(walker: KotlinWalker, node: Node) -> Term:
    """`fun(x: T): R { … }`."""
    listed, body = (
        child(node, "function_value_parameters"),
        child(node, "function_body"),
    )
    params = parameters(walker, listed)
    index = walker.define(
        "function", "<lambda>", node, body="function", params=params,
        header=signature_end(node, body),
    )  # fmt: skip
    walk_body(walker, index, body, params, label="")
    return ("def", index)


# --- Statements in bodies: locals, loops, what is assigned, what is left.


def _assignment(walker: KotlinWalker, node: Node) -> None:
    """A variable is of the type it was declared with: what is assigned to it tells nothing."""
    parts = [part for part in node.children if "comment" not in part.type]
    if len(parts) != 3:
        walker.run_all(node.named_children)
        return
    value, operator = walker.evaluate(parts[2]), parts[1].type
    base, suffixes = _target(walker, parts[0])
    last = suffixes[-1] if suffixes else None
    target = base
    if last is not None and last.type == "navigation_suffix":
        target = ("attr", base, walker.word(last.children[-1]))
    elif last is not None and last.type == "indexing_suffix":
        keys = tuple(walker.evaluate(part) for part in without_comments(last))
        name = "set" if operator == "=" else "get"
        passed = (*keys, value) if operator == "=" else keys
        target = method_call(walker, base, name, passed, last)
        walker.discard(target)
    elif last is None and operator == "=":
        target = None
    if operator in _OPERATORS and target is not None:
        walker.discard(method_call(walker, target, _OPERATORS[operator], (value,), parts[1]))
        return
    if last is not None and last.type == "navigation_suffix":
        walker.discard(base)
    walker.discard(value if last is None or last.type != "indexing_suffix" else None)


def _target(walker: KotlinWalker, node: Node) -> tuple[Term, list[Node]]:
    """Return what is in front of the last part of a target, and the parts behind its first."""
    if node.type != "directly_assignable_expression" or not node.named_child_count:
        return walker.evaluate(node), []
    first, *suffixes = without_comments(node)
    base = walker.evaluate(first if suffixes else _without_brackets(first))
    for suffix in suffixes[:-1]:
        if suffix.type == "navigation_suffix":
            base = ("attr", base, walker.word(suffix.children[-1]))
        else:
            base = _got(walker, base, suffix)
    return base, suffixes


EXPRESSIONS: Expressions = {
    "simple_identifier": simple_name,
    "call_expression": call,
    "infix_expression": infix,
    "navigation_expression": navigation,
    "callable_reference": reference,
    "this_expression": this,
    "super_expression": above,
    "lambda_literal": lambda_term,
    "annotated_lambda": lambda_term,
    "anonymous_function": _anonymous_function,
    "object_literal": _object,
    "parenthesized_expression": last_value,
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
    **BODY_EXPRESSIONS,
    "string_literal": text,
    "collection_literal": list_term,
    **constants(_LITERALS),
}
STATEMENTS: Statements = {
    **BODY_STATEMENTS,
    "assignment": _assignment,
    "label": nothing,
    **dict.fromkeys(TYPES, nothing),
}
