"""PHP: expressions: names, members, calls, arrays, assignments."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Term
from ..walker import (
    Expressions,
    child_of_type,
    children_of,
    constants,
    is_simple,
    last_value,
    one_of,
    reusable,
    short_text,
    without_comments,
)
from .checks import JOINING, Checks, checks, variable_text
from .classes import anonymous_class
from .functions import ARRAY_FUNCTIONS, array_call, closure, element_of
from .names import HOLDERS, NAMES, PhpWalker, name_text

if TYPE_CHECKING:
    from tree_sitter import Node

# --- Names and literals.


def _variable(walker: PhpWalker, node: Node) -> Term:
    name = walker.name(node)
    term: Term = ("self",) if name == "$this" else ("name", name)
    kind = walker.known.get(name)
    return term if kind is None else ("cast", kind, term)


def _constant(walker: PhpWalker, node: Node) -> Term:
    """A constant of a namespace."""
    return walker.function_term(name_text(walker, node))


def _string(walker: PhpWalker, node: Node) -> Term:
    """A text; one that names a static method may be called."""
    for child in node.named_children:
        if child.type not in ("string_content", "escape_sequence"):
            walker.run(child)
    text = walker.text(node)[1:-1]
    if match := _STATIC_METHOD.match(text):
        dotted = f"\\{match[1]}".replace("\\\\", "\\")
        return ("either", (short_text(text), ("attr", walker.class_term(dotted), match[2])))
    return short_text(text)


_STATIC_METHOD = re.compile(r"\\?((?:\w+\\{1,2})*[A-Z]\w*)::(\w+)$")


def _interpolated(walker: PhpWalker, node: Node) -> Term:
    """A text with values in it: what is put in is evaluated."""
    for child in node.named_children:
        if child.type in ("heredoc_body", "encapsed_string", "nowdoc_body"):
            _interpolated(walker, child)
        else:
            walker.run(child)
    return short_text(None)


def _number(walker: PhpWalker, node: Node) -> Term:
    text = walker.name(node)
    return ("const", "int", int(text) if text.isdecimal() and len(text) < 16 else None)


def _array(walker: PhpWalker, node: Node) -> Term:
    """`[a, b]` is a list, `['k' => a]` a mapping; `[$x, 'm']` may be a method that is called."""
    elements = [child for child in node.named_children if child.type == "array_element_initializer"]
    if any(_is_pair(element) for element in elements):
        return ("dict", tuple(_entries(walker, elements)))
    values = tuple([_element(walker, element) for element in elements])
    if len(values) == 2 and (method := _method_of(values)) is not None:
        return ("either", (("list", values), method))
    return ("list", values)


def _is_pair(node: Node) -> bool:
    return any(child.type == "=>" for child in node.children)


def _key(walker: PhpWalker, node: Node) -> Term:
    """Return a key that is known, or one of no known value: what an array gives is never a key."""
    key = walker.evaluate(node)
    if key is not None and key[0] == "const":
        return key
    walker.discard(key)
    return ("const", "str", None)


def _entries(walker: PhpWalker, elements: list[Node]) -> Iterator[tuple[Term, Term]]:
    position = 0
    for element in elements:
        parts = without_comments(element)
        if _is_pair(element) and len(parts) > 1:
            yield _key(walker, parts[0]), walker.evaluate(parts[-1])
        elif parts and parts[0].type == "variadic_unpacking":
            yield None, last_value(walker, parts[0])
        else:
            yield ("const", "int", position), last_value(walker, element)
            position += 1


def _element(walker: PhpWalker, node: Node) -> Term:
    parts = without_comments(node)
    if parts and parts[0].type == "variadic_unpacking":
        return ("star", last_value(walker, parts[0]))
    return walker.evaluate(parts[-1]) if parts else None


def _method_of(values: tuple[Term, ...]) -> Term:
    """Return the method that `[$x, 'm']` names, None if it is no such pair."""
    holder, name = values
    if name is None or name[:2] != ("const", "str") or not isinstance(name[2], str):
        return None
    if not name[2].isidentifier() or holder is None or not is_simple(holder):
        return None
    return ("attr", holder, name[2])


# --- Members.


def _holder(walker: PhpWalker, node: Node | None) -> Term:
    """Return what stands in front of `::`."""
    if node is not None and node.type in HOLDERS:
        return walker.class_term(name_text(walker, node))
    return walker.evaluate(node)


def _member(walker: PhpWalker, node: Node) -> Term:
    """`$x->y` and `$x?->y`: a property."""
    target = walker.evaluate_field(node, "object")
    named = node.child_by_field_name("name")
    if named is None or named.type != "name":
        walker.discard(target)
        walker.run_field(node, "name")
        return None
    term: Term = ("attr", target, f"${walker.name(named)}")
    kind = walker.known.get(variable_text(walker, node)) if walker.known else None
    return term if kind is None else ("cast", kind, term)


def _static_member(walker: PhpWalker, node: Node) -> Term:
    """`A::$x`."""
    holder = _holder(walker, node.child_by_field_name("scope"))
    named = node.child_by_field_name("name")
    if named is None or named.type != "variable_name":
        walker.discard(holder)
        return None
    return ("attr", holder, walker.name(named))


def _class_constant(walker: PhpWalker, node: Node) -> Term:
    """`A::B`, and `A::class`, which stands for the class itself."""
    parts = without_comments(node)
    if len(parts) < 2:
        return None
    first, name = parts[0], walker.name(parts[-1])
    holder = _holder(walker, first)
    if name != "class":
        return ("attr", holder, name)
    return holder if first.type in HOLDERS else ("attr", holder, "__class__")


def _subscript(walker: PhpWalker, node: Node) -> Term:
    parts = without_comments(node)
    base = walker.evaluate(parts[0]) if parts else None
    key = walker.evaluate(parts[1]) if len(parts) > 1 else None
    return ("item", base, key)


# --- Calls.


def arguments(
    walker: PhpWalker, node: Node | None
) -> tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]:
    """Return the arguments of a call: those by position, and those by name."""
    placed: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in children_of(node):
        if child.type != "argument":
            continue
        value = last_value(walker, child)
        label = child.child_by_field_name("name")
        if label is not None:
            named.append((f"${walker.name(label)}", value))
        elif child.named_children[-1].type == "variadic_unpacking":
            placed.append(("star", value))
        else:
            placed.append(value)
    return tuple(placed), tuple(named)


def _call(walker: PhpWalker, callee: Term, node: Node, named: Node) -> Term:
    """Return a call; `f(...)` is the function itself."""
    listed = node.child_by_field_name("arguments")
    if listed is not None and child_of_type(listed, "variadic_placeholder") is not None:
        return callee
    placed, by_name = arguments(walker, listed)
    for position, value in enumerate(placed):
        if value is not None and value[0] == "def":
            _type_by_context(walker, value[1], callee, position)
    return ("call", callee, placed, by_name, walker.site(named))


def _type_by_context(walker: PhpWalker, index: int, callee: Term, position: int) -> None:
    """Bind parameters of a closure to what the function that it is given to calls it with."""
    for number, param in enumerate(walker.builder.params(index)):
        if param.type is None and not param.sort:
            value: Term = ("in", walker.scope, ("given", callee, position, number))
            walker.emit_in(walker.body(index), "bind", ("name", param.name), value)


def _method_call(walker: PhpWalker, node: Node) -> Term:
    """`$x->m(…)` and `$x?->m(…)`."""
    return _called_member(walker, node, walker.evaluate_field(node, "object"))


def _static_call(walker: PhpWalker, node: Node) -> Term:
    """`A::m(…)`."""
    return _called_member(walker, node, _holder(walker, node.child_by_field_name("scope")))


def _called_member(walker: PhpWalker, node: Node, target: Term) -> Term:
    named = node.child_by_field_name("name")
    if named is None or named.type != "name":
        walker.discard(target)
        walker.run_field(node, "name")
        arguments(walker, node.child_by_field_name("arguments"))
        return None
    return _call(walker, ("attr", target, walker.name(named)), node, named)


def _function_call(walker: PhpWalker, node: Node) -> Term:
    named = node.child_by_field_name("function")
    if named is None:
        return None
    if named.type not in NAMES:
        return _call(walker, walker.evaluate(named), node, named)
    text = name_text(walker, named)
    if text.lower() in _CONSTRUCTS:
        walker.run_field(node, "arguments")
        return ("const", "bool", None)
    callee = walker.function_term(text)
    last = named.named_children[-1] if named.named_child_count else named
    value = _call(walker, callee, node, last)
    name = text.removeprefix("\\").lower()
    if value is None or value[0] != "call" or text in walker.function_aliases:
        return value
    if name in ARRAY_FUNCTIONS:
        return array_call(walker, name, callee, value[2], last)
    return _language_call(walker, name, value, last)


# What is written as a call of a function, but is none.
_CONSTRUCTS = words("isset empty unset eval")


def _language_call(walker: PhpWalker, name: str, call: Term, node: Node) -> Term:
    """Return the call of a function, or what one of the language's is known to do."""
    assert call is not None
    args = call[2]
    if name in _CALLERS and args:
        rest = args[1:] if name == "call_user_func" else ()
        return ("either", (call, ("call", args[0], rest, (), walker.site(node))))
    if name == "get_class" and args:
        return ("attr", args[0], "__class__")
    if name == "define" and args and args[0] is not None and isinstance(args[0][-1], str):
        walker.define("variable", args[0][-1], node, flags=("constant",))
    if name == "is_a" and len(args) == 2:
        _narrow(walker, args[0], args[1])
    return call


_CALLERS = words("call_user_func call_user_func_array")


def _new(walker: PhpWalker, node: Node) -> Term:
    """`new A(…)`, `new $class(…)`, `new class(…) { … }`."""
    parts = without_comments(node)
    first = parts[0] if parts else None
    if first is None:
        return None
    if first.type == "anonymous_class":
        kind, listed = anonymous_class(walker, first), child_of_type(first, "arguments")
    else:
        kind, listed = _holder(walker, first), child_of_type(node, "arguments")
    placed, named = arguments(walker, listed)
    last = first.named_children[-1] if first.type == "qualified_name" else first
    return ("new", kind, placed, named, walker.site(last))


# --- Operators.


def _binary(walker: PhpWalker, node: Node) -> Term:
    """`??` gives one of its sides, `&&` checks for what is behind it."""
    operator = node.child_by_field_name("operator")
    word = operator.type if operator is not None else ""
    if word == "instanceof":
        return _instanceof(walker, node)
    if word == "??":
        return ("either", walker.evaluate_all(_sides(node, word)))
    if word in JOINING:
        return _joined(walker, node, word)
    return _left_to_right(walker, node)


def _sides(node: Node, word: str) -> list[Node]:
    """Return the sides of a chain of one operator, which may lean either way, in their order."""
    sides: list[Node] = []
    pending = [node]
    while pending:
        part = pending.pop()
        operator = part.child_by_field_name("operator")
        if part.type == "binary_expression" and operator is not None and operator.type == word:
            pending += part.children_by_field_name("right")
            pending += part.children_by_field_name("left")
        else:
            sides.append(part)
    return sides


def _joined(walker: PhpWalker, node: Node, word: str) -> Term:
    """Evaluate the sides of `&&` or `||`, each where those before hold or do not."""
    known = dict(walker.known)
    for side in _sides(node, word):
        checked = checks(walker, side, holds=word in ("&&", "and"))
        with walker.having(known=known):
            walker.discard(walker.evaluate(side))
        known = {**known, **checked}
    return None


def _left_to_right(walker: PhpWalker, node: Node) -> Term:
    """Evaluate the sides of a chain of operators that give something plain."""
    pending = [node]
    while pending:
        part = pending.pop()
        operator = part.child_by_field_name("operator")
        is_apart = operator is not None and operator.type in _APART
        if part.type == "binary_expression" and not is_apart:
            pending += without_comments(part)[::-1]
        else:
            walker.discard(walker.evaluate(part))
    return None


_APART = JOINING | {"instanceof", "??"}


def _instanceof(walker: PhpWalker, node: Node) -> Term:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    value, kind = walker.evaluate(left), _holder(walker, right)
    walker.discard(kind)
    walker.discard(value)
    if node.start_byte not in walker.checks:
        _narrow(walker, value, kind)
    return None


def _narrow(walker: PhpWalker, value: Term, kind: Term) -> None:
    """Add that a variable or a property was checked to be of a class."""
    if value is not None and value[0] == "cast":
        value = value[2]
    if value is None or kind is None or kind[0] != "name" or kind[1].startswith("$"):
        return
    if value[0] == "name":
        walker.narrow(value[1], kind)
    elif value[:2] == ("attr", ("self",)):
        walker.emit("narrow", value, kind)


def _conditional(walker: PhpWalker, node: Node) -> Term:
    """`a ? b : c` is one of b and c; `a ?: c` one of a and c."""
    condition, body = node.child_by_field_name("condition"), node.child_by_field_name("body")
    other = node.child_by_field_name("alternative")
    positive = checks(walker, condition, holds=True)
    negative = checks(walker, condition, holds=False)
    value = walker.evaluate(condition)
    if body is not None:
        walker.discard(value)
        value = _where(walker, body, positive)
    return ("either", (value, _where(walker, other, negative)))


def _where(walker: PhpWalker, node: Node | None, checked: Checks) -> Term:
    """Return the value of an expression where variables were checked."""
    with walker.having(known={**walker.known, **checked}):
        return walker.evaluate(node)


def _match(walker: PhpWalker, node: Node) -> Term:
    """`match (x) { a, b => c, default => d }` is one of the values of its arms."""
    walker.discard(walker.evaluate_field(node, "condition"))
    values: list[Term] = []
    for arm in children_of(node.child_by_field_name("body")):
        conditions = without_comments(arm.child_by_field_name("conditional_expressions"))
        checked = checks(walker, conditions[0], holds=True) if len(conditions) == 1 else {}
        for condition in conditions:
            walker.run(condition)
        values.append(_where(walker, arm.child_by_field_name("return_expression"), checked))
    return one_of(values)


def _cast(walker: PhpWalker, node: Node) -> Term:
    value = walker.evaluate_field(node, "value")
    kind = node.child_by_field_name("type")
    word = walker.text(kind).strip().lower() if kind is not None else ""
    if word in ("array", "object"):
        return value
    walker.discard(value)
    return ("const", _CASTS.get(word, "str"), None)


_CASTS = {
    "int": "int", "integer": "int", "float": "float", "double": "float", "bool": "bool",
    "boolean": "bool",
}  # fmt: skip


def _thrown(walker: PhpWalker, node: Node) -> Term:
    """`throw x` gives nothing."""
    walker.discard(last_value(walker, node))
    return None


def _yield(walker: PhpWalker, node: Node) -> Term:
    """`yield v`, `yield k => v` and `yield from x`."""
    walker.results.setdefault(walker.scope, []).append(False)
    parts = without_comments(node)
    if parts and parts[-1].type == "array_element_initializer":
        parts = without_comments(parts[-1])
        for key in parts[:-1]:
            walker.run(key)
    value = walker.evaluate(parts[-1]) if parts else None
    if any(child.type == "from" for child in node.children):
        value = element_of(reusable(walker, value, node))
    walker.emit("yield", value)
    return None


# --- Assignments.


def _assignment(walker: PhpWalker, node: Node) -> None:
    """An assignment whose value is not used."""
    _assign(walker, node, is_used=False)


def _assigned(walker: PhpWalker, node: Node) -> Term:
    """Return what an assignment inside of an expression gives."""
    return _assign(walker, node, is_used=True)


def _assign(walker: PhpWalker, node: Node, *, is_used: bool) -> Term:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    value = walker.evaluate(right)
    if left is None or right is None:
        return None
    if operator is not None and operator.type not in ("=", "??="):
        walker.discard(walker.evaluate(left))
        walker.discard(value)
        return None
    is_target = left.type in ("variable_name", "member_access_expression")
    if is_used and not is_target:
        value = reusable(walker, value, right)
    bind_to(walker, left, value)
    if not is_used:
        return None
    return walker.evaluate(left) if is_target else value


def bind_to(walker: PhpWalker, target: Node, value: Term) -> None:
    """Bind a variable, a property, an element of an array, or the parts of one."""
    if target.type in ("list_literal", "array_creation_expression"):
        whole = reusable(walker, value, target)
        walker.descend(lambda walker, node: _bind_apart(walker, node, whole), target)
    elif target.type == "by_ref" and target.named_child_count:
        bind_to(walker, target.named_children[0], value)
    elif target.type == "subscript_expression":
        _bind_element(walker, target, value)
    else:
        with walker.having(known={}):
            term = walker.evaluate(target)
        walker.known.pop(variable_text(walker, target), None)
        is_target = term is not None and term[0] in ("name", "attr")
        walker.bind(term if is_target else None, value)


def _bind_element(walker: PhpWalker, target: Node, value: Term) -> None:
    """`$a['k'] = v` makes an array with such an element, `$a[] = v` one with that."""
    parts = without_comments(target)
    array: Term = ("list", (value,))
    if len(parts) > 1:
        array = ("dict", ((_key(walker, parts[1]), value),))
    if parts:
        walker.descend(lambda walker, node: bind_to(walker, node, array), parts[0])


def _bind_apart(walker: PhpWalker, target: Node, value: Term) -> None:
    """`[$a, , 'k' => $b] = v`: by position, or by key."""
    position = 0
    pair: list[Node] = []
    for child in [*target.children, None]:
        if child is None or child.type == ",":
            if pair:
                known: Term = ("const", "int", position)
                key = walker.evaluate(pair[0]) if len(pair) > 1 else known
                bind_to(walker, pair[-1], ("item", value, key))
            position, pair = position + 1, []
        elif child.is_named and child.type != "comment":
            is_wrapped = child.type == "array_element_initializer"
            pair += without_comments(child) if is_wrapped else [child]


EXPRESSIONS: Expressions = {
    **constants({"float": "float", "boolean": "bool", "null": "none", "nowdoc": "str"}),
    **dict.fromkeys(NAMES, _constant),
    "variable_name": _variable,
    "integer": _number,
    "string": _string,
    "encapsed_string": _string,
    "heredoc": _interpolated,
    "array_creation_expression": _array,
    "member_access_expression": _member,
    "nullsafe_member_access_expression": _member,
    "scoped_property_access_expression": _static_member,
    "class_constant_access_expression": _class_constant,
    "subscript_expression": _subscript,
    "function_call_expression": _function_call,
    "member_call_expression": _method_call,
    "nullsafe_member_call_expression": _method_call,
    "scoped_call_expression": _static_call,
    "object_creation_expression": _new,
    "anonymous_function": closure,
    "arrow_function": closure,
    "binary_expression": _binary,
    "conditional_expression": _conditional,
    "match_expression": _match,
    "cast_expression": _cast,
    "clone_expression": last_value,
    "error_suppression_expression": last_value,
    "parenthesized_expression": last_value,
    "by_ref": last_value,
    "variadic_unpacking": last_value,
    "throw_expression": _thrown,
    "yield_expression": _yield,
    "assignment_expression": _assigned,
    "augmented_assignment_expression": _assigned,
    "reference_assignment_expression": _assigned,
    "print_intrinsic": _thrown,
}
ASSIGNMENTS = {
    "assignment_expression": _assignment,
    "augmented_assignment_expression": _assignment,
    "reference_assignment_expression": _assignment,
}
