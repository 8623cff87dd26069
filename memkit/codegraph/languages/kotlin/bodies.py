"""Bodies: modifiers, blocks, branches, local names, and what a check says behind it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Statement, Term
from ..walker import (
    Expressions,
    Statements,
    children_of,
    is_simple,
    method_call,
    reusable,
    union,
    without_comments,
)
from ..walker import child_of_type as child
from .type_terms import KotlinWalker, is_function_type, type_in, type_of

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Modifiers and annotations.

_FLAGS = {
    "abstract": "abstract", "actual": "actual", "const": "constant", "data": "data",
    "expect": "expect", "internal": "internal", "override": "override", "private": "private",
    "public": "exported", "suspend": "async",
}  # fmt: skip


_TESTS = words("Test ParameterizedTest RepeatedTest")
_RUN = words("""
    Before After BeforeClass AfterClass BeforeEach AfterEach BeforeAll AfterAll BeforeTest AfterTest
    PostConstruct PreDestroy
""")


def modifiers(walker: KotlinWalker, node: Node) -> list[str]:
    """Return the flags of a declaration; its annotations are said to be read."""
    flags: list[str] = []
    for part in children_of(child(node, "modifiers")):
        if part.type == "annotation":
            flags += _annotation(walker, part)
        elif (word := walker.text(part)) in _FLAGS:
            flags.append(_FLAGS[word])
    return flags


def _annotation(walker: KotlinWalker, node: Node) -> list[str]:
    called = child(node, "constructor_invocation")
    kind = child(called or node, "user_type")
    if called is not None:
        for part in without_comments(child(called, "value_arguments") or called):
            walker.run_all(part.named_children[-1:])
    if kind is not None:
        walker.discard(type_of(walker, kind))
    if "DeprecationLevel.HIDDEN" in walker.text(node):
        return ["hidden"]
    name = walker.text(kind) if kind is not None else ""
    return ["test"] if name in _TESTS else ["entry"] if name in _RUN else []


# --- Blocks: what they give, and what a check in front of them says.

# A name and the type that it is checked to be of.
Check = tuple[str, Term]


_LEAVING = words("return throw break continue return@ break@ continue@")


# Functions that go on only where what they are given is true.
_ASSERTING = words("require check assertTrue assert")


def checks(walker: KotlinWalker, node: Node | None, *, holds: bool) -> list[Check]:
    """Return what a condition says of the types of names where it holds, or where it does not."""
    while node is not None and node.type == "parenthesized_expression":
        node = without_comments(node)[0] if without_comments(node) else None
    if node is None:
        return []
    if node.type == "check_expression":
        is_said = node.children[1].type == ("is" if holds else "!is")
        return _check_of(walker, node) if is_said else []
    if node.type == "prefix_expression" and node.children[0].type == "!":
        return checks(walker, node.children[-1], holds=not holds)
    if node.type == ("conjunction_expression" if holds else "disjunction_expression"):
        return [
            check for part in without_comments(node) for check in checks(walker, part, holds=holds)
        ]
    return []


def _check_of(walker: KotlinWalker, node: Node) -> list[Check]:
    """Return what `x is T` and `x as T` say of a name."""
    first, *_, last = node.children
    is_name = first.type == "simple_identifier"
    return [(walker.word(first), type_of(walker, last))] if is_name else []


def narrowing(checked: Iterable[Check]) -> list[Statement]:
    """Return what declares names in a block of their own to be of the types they were checked for.

    A type that is not known takes away nothing.
    """
    return [("declare", ("name", name), kind) for name, kind in checked if kind is not None]


def enter_block(walker: KotlinWalker, checked: Iterable[Check] = ()) -> None:
    """Go into a new block in which names are of the types that they were checked for."""
    walker.scope = walker.builder.open_scope("block", walker.scope)
    for statement in narrowing(checked):
        walker.add_locals(statement[1])
        walker.emit(*statement)


def run_statements(walker: KotlinWalker, node: Node) -> None:
    """Walk statements; after a check that is left where it fails the names are of its types."""
    with walker.in_block(when=False):
        _run_each(walker, node.named_children)


def _run_each(walker: KotlinWalker, nodes: Iterable[Node]) -> None:
    for part in nodes:
        walker.run(part)
        if checked := _left(walker, part):
            enter_block(walker, checked)


def _left(walker: KotlinWalker, node: Node) -> list[Check]:
    """Return what holds behind a statement: `if (x !is T) return`, `x as T`, `require(x is T)`."""
    if node.type == "if_expression" and node.child_by_field_name("alternative") is None:
        last = node.child_by_field_name("consequence")
        while last is not None and last.type in ("control_structure_body", "statements"):
            parts = without_comments(last)
            last = parts[-1] if parts else None
        if last is None or last.type != "jump_expression" or last.children[0].type not in _LEAVING:
            return []
        return checks(walker, node.child_by_field_name("condition"), holds=False)
    if node.type == "as_expression" and node.children[1].type == "as":
        return _check_of(walker, node)
    if node.type == "call_expression" and walker.text(node.children[0]) in _ASSERTING:
        first = child(child(node.children[-1], "value_arguments"), "value_argument")
        return checks(walker, first.named_children[0], holds=True) if first is not None else []
    return []


def body_value(walker: KotlinWalker, node: Node | None, checked: Sequence[Check] = ()) -> Term:
    """Walk the body of a branch, and return what it gives: the value of its last expression."""
    inner = node
    while inner is not None and inner.type in ("control_structure_body", "statements"):
        parts = without_comments(inner)
        if len(parts) != 1 or parts[0].type == "property_declaration":
            break
        inner = parts[0]
    if inner is None or not inner.child_count:
        return walker.evaluate(inner)
    is_many = inner.type in ("control_structure_body", "statements")
    with walker.in_block(when=False) as outer:
        if checked or is_many:
            enter_block(walker, checked)
        value = block_value(walker, inner) if is_many else walker.evaluate(inner)
        return seen_from(walker, outer, value)


def seen_from(walker: KotlinWalker, outer: int, value: Term) -> Term:
    """Return a value of the current scope as a term of one around it."""
    is_inner = value is not None and walker.scope != outer
    return ("in", walker.scope, value) if is_inner else value


def block_value(walker: KotlinWalker, node: Node) -> Term:
    """Walk statements but for the last, and return the value of that."""
    nodes = without_comments(node)
    while len(nodes) == 1 and nodes[0].type == "statements":
        nodes = without_comments(nodes[0])
    _run_each(walker, nodes[:-1])
    return walker.evaluate(nodes[-1]) if nodes else None


def walk_body(
    walker: KotlinWalker,
    index: int,
    body: Node | None,
    params: tuple[Param, ...],
    *,
    label: str,
    values: Sequence[Node] = (),
    gives: bool = True,
) -> None:
    """Walk the body of a function: a block, or behind `=` an expression that it gives back."""
    scope = walker.body(index)
    labels = {**walker.labels, label: scope} if label else walker.labels
    is_expression = body is not None and any(part.type == "=" for part in body.children)
    with walker.having(labels=labels, returning=scope), walker.in_body(scope, params):
        walker.run_all(values)
        if body is not None and body.type == "statements":
            run_statements(walker, body)
            return
        for node in without_comments(body):
            if node.type == "statements":
                run_statements(walker, node)
            elif is_expression and gives:
                give_back(walker, walker.evaluate(node))
            else:
                walker.run(node)


def give_back(walker: KotlinWalker, value: Term, scope: int | None = None) -> None:
    """Say that a function gives a value back, also from a lambda or a block inside of it."""
    if value is None:
        return
    if scope is None or scope < 0 or scope == walker.scope:
        walker.emit("return", value)
    else:
        walker.emit_in(scope, "return", ("in", walker.scope, value))


def jump(walker: KotlinWalker, node: Node) -> Term:
    """`return x`, `return@label x`, `throw x`."""
    word = node.children[0].type
    label = child(node, "label")
    values = [part for part in without_comments(node) if part.type != "label"]
    value = walker.evaluate(values[-1]) if values else None
    if word == "throw":
        walker.discard(value)
    elif word.startswith("return"):
        scope = walker.labels.get(walker.text(label), -1) if label is not None else walker.returning
        give_back(walker, value, scope)
    return None


# --- Branches.


def conditional(walker: KotlinWalker, node: Node) -> Term:
    """`if (…) a else b` is one of both."""
    condition = node.child_by_field_name("condition")
    walker.discard(walker.evaluate(condition))
    return union([
        body_value(walker, node.child_by_field_name(branch), checks(walker, condition, holds=holds))
        for branch, holds in (("consequence", True), ("alternative", False))
    ])  # fmt: skip


def when(walker: KotlinWalker, node: Node) -> Term:
    """`when (x) { is T -> … }` is one of its branches; in each x is of the type in front of it."""
    entries = [part for part in node.named_children if part.type == "when_entry"]
    values: list[Term] = []
    with walker.in_block(when=False) as outer:
        name = _subject(walker, child(node, "when_subject"))
        for entry in entries:
            checked = _conditions(walker, entry, name)
            values.append(body_value(walker, child(entry, "control_structure_body"), checked))
        return seen_from(walker, outer, union(values))


def _subject(walker: KotlinWalker, node: Node | None) -> str:
    """Walk what is compared, and return its name if it has one; `val x = …` declares it."""
    if node is None:
        return ""
    value, declared = without_comments(node)[-1], child(node, "variable_declaration")
    term = walker.evaluate(value)
    if declared is not None:
        enter_block(walker)
        named = declared.named_children[0]
        walker.bind(("name", walker.word(named)), term)
        return walker.word(named)
    walker.discard(term)
    return walker.word(value) if value.type == "simple_identifier" else ""


def _conditions(walker: KotlinWalker, entry: Node, name: str) -> list[Check]:
    """Walk the conditions of a branch, and return what they say if there is just one."""
    conditions = [part for part in entry.named_children if part.type == "when_condition"]
    checked: list[Check] = []
    for condition in conditions:
        test = condition.named_children[0] if condition.named_child_count else condition
        if test.type == "type_test":
            kind = type_of(walker, test.named_children[-1])
            walker.discard(kind)
            if name and test.children[0].type == "is":
                checked.append((name, kind))
        elif test.type == "range_test":
            walker.run_all(test.named_children)
        else:
            walker.discard(walker.evaluate(test))
            checked += checks(walker, test, holds=True)
    return checked if len(conditions) == 1 else []


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
    return union(values)


def _caught(walker: KotlinWalker, node: Node) -> Term:
    with walker.in_block() as outer:
        if (named := child(node, "simple_identifier")) is not None:
            _local(walker, walker.word(named), type_in(walker, node), None)
        return seen_from(walker, outer, body_value(walker, child(node, "statements")))


# --- Local names and loops.


def _local(walker: KotlinWalker, name: str, kind: Term, value: Term) -> None:
    """Declare a local name: of its type if that is written, else of its value."""
    target: Term = ("name", name)
    walker.add_locals(target)
    if kind is not None:
        walker.emit("declare", target, kind)
        walker.discard(value)
    else:
        walker.emit("bind", target, value)


def local_value(walker: KotlinWalker, node: Node) -> None:
    """`val x: T = …`, `val (a, b) = …`, `val x by …` in a body."""
    declared, apart = (
        child(node, "variable_declaration"),
        child(node, "multi_variable_declaration"),
    )
    modifiers(walker, node)
    delegate = child(node, "property_delegate")
    value_node = initial_value(node)
    if apart is not None:
        bind_apart(walker, apart, walker.evaluate(value_node), node)
        return
    named = child(declared, "simple_identifier")
    if named is None:
        return
    value = walker.evaluate(value_node) if delegate is None else delegated_value(walker, delegate)
    is_reference = value_node is not None and value_node.type == "callable_reference"
    is_function = is_reference or (value is not None and value[0] == "def")
    if is_function_type(walker, declared) or is_function:
        walker.callables.add((walker.scope, walker.word(named)))
    _local(walker, walker.word(named), type_in(walker, declared), value)


def initial_value(node: Node) -> Node | None:
    """Return what stands behind the `=` of a property or a variable."""
    parts = iter([part for part in node.children if "comment" not in part.type])
    return next((next(parts, None) for part in parts if part.type == "="), None)


def delegated_value(walker: KotlinWalker, node: Node) -> Term:
    """Return what a delegate gives: `by lazy { … }`, or what its `getValue` gives."""
    parts = without_comments(node)
    value = walker.evaluate(parts[-1]) if parts else None
    is_lazy = bool(parts) and walker.text(parts[-1]).startswith("lazy")
    if is_lazy or value is None:
        return value
    holder = reusable(walker, value, node)
    return method_call(walker, holder, "getValue", (None, None), node)


def bind_apart(walker: KotlinWalker, target: Node, value: Term, node: Node) -> None:
    """`(a, b) = x`: `x.component1()`, `x.component2()`, or the first and second of a row."""
    base = reusable(walker, value, node)
    if is_simple(value):
        walker.discard(value)
    parts = [part for part in target.named_children if part.type == "variable_declaration"]
    for position, part in enumerate(parts):
        named = child(part, "simple_identifier")
        if named is None or walker.text(named) == "_":
            continue
        component: Term = ("attr", base, f"component{position + 1}")
        whole = ("either", (component, ("item", ("seen", base), ("const", "int", position))))
        _local(walker, walker.word(named), type_in(walker, part), whole)


def _for(walker: KotlinWalker, node: Node) -> None:
    """`for (x in xs)`, `for ((a, b) in xs)`."""
    declared = child(node, "variable_declaration", "multi_variable_declaration")
    body = child(node, "control_structure_body")
    rest = [part for part in without_comments(node) if part not in (declared, body)]
    over = walker.evaluate(rest[-1]) if rest else None
    with walker.in_block():
        if declared is not None:
            _declare_element(walker, declared, over)
        if body is not None:
            _branch(walker, body)


def _declare_element(walker: KotlinWalker, declared: Node, over: Term) -> None:
    element: Term = ("iter", over, walker.site(declared))
    if declared.type == "multi_variable_declaration":
        bind_apart(walker, declared, element, declared)
        return
    name = walker.word(child(declared, "simple_identifier") or declared)
    if (kind := type_in(walker, declared)) is not None:
        walker.discard(over)
        element = None
    _local(walker, name, kind, element)


def _while(walker: KotlinWalker, node: Node) -> None:
    """`while (x is T) …`."""
    body = child(node, "control_structure_body")
    checked: list[Check] = []
    for part in without_comments(node):
        if part != body:
            walker.discard(walker.evaluate(part))
            checked = checks(walker, part, holds=True) if node.type == "while_statement" else []
    if body is not None:
        _branch(walker, body, checked)


def _branch(walker: KotlinWalker, node: Node, checked: Sequence[Check] = ()) -> None:
    """Walk the body of a loop in a block of its own."""
    with walker.in_block(when=False):
        enter_block(walker, checked)
        for part in without_comments(node):
            walker.run(part)


BODY_EXPRESSIONS: Expressions = {
    "if_expression": conditional,
    "when_expression": when,
    "try_expression": attempt,
    "jump_expression": jump,
}
BODY_STATEMENTS: Statements = {
    "statements": run_statements,
    "for_statement": _for,
    "while_statement": _while,
    "do_while_statement": _while,
}
