"""C and C++: expressions and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import (
    Expressions,
    Statements,
    bind_pair,
    block,
    cast_to,
    children_of,
    conditional,
    constants,
    fields,
    is_simple,
    last_value,
    list_of,
    name_term,
    nothing,
    own_block,
    quoted_text,
    reusable,
    short_text,
)
from .declarators import (
    CWalker,
    Declared,
    declared,
    declared_type,
    parameters,
    path_of,
    sizes,
    taken,
    trailing,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Expressions.

_CASTS = frozenset({"static_cast", "dynamic_cast", "const_cast", "reinterpret_cast", "bit_cast"})
_CASTS |= {"static_pointer_cast", "dynamic_pointer_cast"}
_MAKERS = frozenset({"make_unique", "make_shared", "make_optional", "allocate_shared"})
# Calls that give back the one thing they are given.
_SAME = frozenset({"move", "forward", "ref", "cref", "as_const", "addressof"})
_CONSTANTS = {
    "number_literal": "int",
    "char_literal": "int",
    "true": "bool",
    "false": "bool",
    "null": "none",
}


def _call(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    function = parts.get("function")
    if function is None:
        return None
    args = walker.evaluate_children(parts.get("arguments"))
    special = _by_template(walker, function, args)
    if special is not None:
        return special
    callee = walker.evaluate(function)
    if callee is not None and callee[-1] in _SAME and len(args) == 1 and walker.is_cpp:
        return args[0]
    named = function
    while named.named_child_count and named.type not in ("template_function", "template_method"):
        named = named.named_children[-1]
    return ("call", callee, args, (), walker.site(named))


def _by_template(walker: CWalker, function: Node, args: tuple[Term, ...]) -> Term:
    """`static_cast<T>(x)`, `make_unique<T>(…)`: the type stands in the brackets."""
    while function.type == "qualified_identifier" and function.named_child_count:
        function = function.named_children[-1]
    if function.type != "template_function" or function.named_child_count < 2:
        return None
    name = walker.name(function.named_children[0])
    kinds = function.named_children[-1].named_children
    if not kinds:
        return None
    if name == "get" and args and kinds[0].type == "number_literal":
        position = walker.text(kinds[0])
        return ("item", args[0], ("const", "int", int(position) if position.isdecimal() else None))
    if name in _CASTS and args:
        return ("cast", type_of(walker, kinds[0]), args[0])
    if name in _MAKERS:
        return ("new", type_of(walker, kinds[0]), args, (), walker.site(function))
    return None


def _field(walker: CWalker, node: Node) -> Term:
    parts = fields(node)
    named = parts.get("field")
    if named is None:
        return walker.evaluate(parts.get("argument"))
    while named.type not in ("field_identifier", "destructor_name") and named.named_child_count:
        named = named.named_children[0 if named.type == "template_method" else -1]
    return ("attr", walker.evaluate(parts.get("argument")), walker.name(named))


def _size(walker: CWalker, node: Node) -> Term:
    """`sizeof(T)`, `offsetof(T, m)`, `alignof(T)`: a type is used; nothing is called."""
    kind = type_of(walker, node.child_by_field_name("type"))
    if kind is not None and kind[0] in ("name", "attr"):
        walker.emit("do", ("typed", kind))
    value = node.child_by_field_name("value")
    while value is not None and value.type == "parenthesized_expression":
        value = value.named_children[0] if value.named_child_count else None
    if value is not None and value.type == "identifier":
        walker.run(value)
    return ("const", "int", None)


def _subscript(walker: CWalker, node: Node) -> Term:
    indices = node.child_by_field_name("indices") or node.child_by_field_name("index")
    holder = node.child_by_field_name("argument")
    if not walker.is_cpp or not _may_be_object(walker, holder):
        if indices is not None:
            walker.run(indices)
        return ("item", walker.evaluate(holder), None)
    index = walker.evaluate(indices)
    return ("item", walker.evaluate(holder), None, index, walker.site(node))


# --- Operators: those that the tree defines for its own classes are called by what they are
# written with. Which one it is, and whether it is any, the types of its operands say.

_BUILT_IN = frozenset({"&&", "||", "and", "or", ","})
_COMPARING = frozenset({"==", "!=", "<", ">", "<=", ">=", "<=>"})
# What is no object of a class, whatever stands in it.
_NO_OBJECT = frozenset(
    """
    number_literal char_literal string_literal raw_string_literal concatenated_string true false
    null nullptr this new_expression sizeof_expression alignof_expression lambda_expression
    initializer_list
    """.split()
)
# Longer chains are data.
_LONGEST = 40


def _may_be_object(walker: CWalker, node: Node | None) -> bool:
    """Return whether an expression may be an object of a class, as far as its form tells."""
    while node is not None and node.type == "parenthesized_expression":
        node = node.named_children[-1] if node.named_child_count else None
    if node is None or node.type in _NO_OBJECT:
        return False
    if node.type == "identifier":
        return walker.name(node) not in walker.plain
    if node.type == "pointer_expression":
        return node.children[0].type != "&"
    if node.type == "unary_expression":
        return _may_be_object(walker, node.child_by_field_name("argument"))
    if node.type == "cast_expression":
        kind = fields(node.child_by_field_name("type") or node)
        return "declarator" not in kind and kind["type"].type != "primitive_type"
    if node.type == "binary_expression":
        return _operator(node) not in _BUILT_IN | _COMPARING and any(
            _may_be_object(walker, node.child_by_field_name(side)) for side in ("left", "right")
        )
    return True


def _operator(node: Node) -> str:
    operator = node.child_by_field_name("operator")
    return operator.type if operator is not None else ""


def _operated(walker: CWalker, node: Node, sign: str, operands: tuple[Term, ...]) -> Term:
    return ("operate", f"operator{sign}", operands, walker.site(node))


def _operand(walker: CWalker, node: Node | None, value: Term) -> Term:
    """Return an operand; of the address of an object no more is told than that it is one."""
    while node is not None and node.type == "parenthesized_expression" and node.named_child_count:
        node = node.named_children[-1]
    is_address = node is not None and (
        node.type in _ADDRESSES
        or (node.type == "pointer_expression" and node.children[0].type == "&")
        or (node.type == "identifier" and walker.plain.get(walker.name(node), False))
    )
    return ("tuple", (value,)) if is_address else value


_ADDRESSES = frozenset({"this", "new_expression"})


def _binary(walker: CWalker, node: Node) -> Term:
    """Walk a chain of binary operators, which leans to the left, in a loop."""
    links: list[Node] = []
    while node.type == "binary_expression":
        links.append(node)
        left = node.child_by_field_name("left")
        if left is None:
            break
        node = left
    links.reverse()
    may_be = walker.is_cpp and len(links) <= _LONGEST and _may_be_object(walker, node)
    value = walker.evaluate(node) if links[0].child_by_field_name("left") is not None else None
    for link in links:
        sign, right = _operator(link), link.child_by_field_name("right")
        other = walker.evaluate(right)
        is_own = walker.is_cpp and len(links) <= _LONGEST and sign not in _BUILT_IN
        if is_own and (may_be or _may_be_object(walker, right)):
            before = _operand(walker, link.child_by_field_name("left"), value)
            behind = _operand(walker, right, other)
            value = _operated(walker, right or link, sign, (before, behind))
            may_be = sign not in _COMPARING
        else:
            walker.discard(value)
            walker.discard(other)
            value, may_be = None, False
    return value


def _unary(walker: CWalker, node: Node) -> Term:
    argument = node.child_by_field_name("argument")
    value = walker.evaluate(argument)
    if walker.is_cpp and _may_be_object(walker, argument):
        behind: tuple[Term, ...] = ()
        if node.type == "update_expression" and node.children[0] == argument:
            behind = (("const", "int", None),)
        return _operated(walker, node, _operator(node), (value, *behind))
    walker.discard(value)
    return None


def _pointed(walker: CWalker, node: Node) -> Term:
    """`*a` runs an operator of an object; of an address it is what stands there, as `&a` is a."""
    argument = node.child_by_field_name("argument")
    value = walker.evaluate(argument)
    if walker.is_cpp and node.children[0].type == "*" and _may_be_object(walker, argument):
        return _operated(walker, node, "*", (value,))
    return value


def _new(walker: CWalker, node: Node) -> Term:
    walker.run_field(node, "placement")
    named = node.child_by_field_name("type")
    args = walker.evaluate_children(node.child_by_field_name("arguments"))
    kind = type_of(walker, named)
    if (declarator := node.child_by_field_name("declarator")) is not None:
        walker.run(declarator)
        return ("typed", list_of(kind))
    return ("new", kind, args, (), walker.site(named or node))


def _compound_literal(walker: CWalker, node: Node) -> Term:
    kind = node.child_by_field_name("type")
    return initial(walker, type_of(walker, kind), kind, node.child_by_field_name("value"), _PLAIN)


_PLAIN = Declared(None, None, is_pointer=False, is_array=False, points_to_function=False, parts=[])


def initial(
    walker: CWalker, kind: Term, named: Node | None, value: Node | None, declarator: Declared
) -> Term:
    """Return the value with which something of a type begins: `= x`, `(x)`, `{x}`."""
    if value is None or value.type not in ("initializer_list", "argument_list"):
        return walker.evaluate(value)
    args, pairs = _initial_values(walker, value, None if declarator.is_array else kind)
    values = (*args, *(term for _, term in pairs))
    if declarator.is_array or kind is None:
        return ("list", values)
    if not walker.is_cpp or declarator.is_pointer or kind[0] == "item":
        for term in values:
            walker.discard(term)
        return ("typed", kind)
    return ("new", kind, tuple(args), tuple(pairs), walker.site(named or value))


def _initial_values(
    walker: CWalker, node: Node, kind: Term
) -> tuple[list[Term], list[tuple[str, Term]]]:
    """Return what stands in a list of initial values: without and with a name."""
    args: list[Term] = []
    pairs: list[tuple[str, Term]] = []
    for child in node.named_children:
        if child.type == "initializer_pair":
            parts = fields(child)
            name = walker.text(parts["designator"]).strip(".[]") if "designator" in parts else ""
            if name.isidentifier():
                walker.label(kind, parts["designator"].named_children[0])
            pairs.append((name, walker.evaluate(parts.get("value"))))
        elif child.type != "comment":
            args.append(walker.evaluate(child))
    return args, pairs


def _assigned(walker: CWalker, node: Node, *, is_used: bool) -> Term:
    """Walk an assignment and return what it gives; if that is used, safely."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    operator = node.child_by_field_name("operator")
    value = walker.evaluate(right)
    target = walker.evaluate(left)
    if operator is not None and operator.type != "=":
        if walker.is_cpp and _may_be_object(walker, left):
            return _operated(walker, node, operator.type, (target, value))
        walker.discard(target)
        walker.discard(value)
        return None
    if target is not None and target[0] == "operate":
        walker.discard(target)  # what `*a` gives
        target = None
    if left is not None and left.type == "pointer_expression":
        walker.discard(target)
        target = None
    if is_used and right is not None and (target is None or not is_simple(target)):
        value = reusable(walker, value, right)
    walker.assign(target, value)
    return target if is_simple(target) and target is not None else value


def assign(walker: CWalker, node: Node) -> None:
    """Walk an assignment whose value is not used."""
    value = _assigned(walker, node, is_used=False)
    if value is not None and value[0] == "operate":
        walker.discard(value)


def _assign(walker: CWalker, node: Node) -> Term:
    return _assigned(walker, node, is_used=True)


def _comma(walker: CWalker, node: Node) -> Term:
    """`a, b` evaluates a and gives b."""
    walker.run_field(node, "left")
    return walker.evaluate_field(node, "right")


def _lambda(walker: CWalker, node: Node) -> Term:
    body, declarator = node.child_by_field_name("body"), node.child_by_field_name("declarator")
    captures = node.child_by_field_name("captures")
    captured = _captured(walker, captures) if captures is not None else []
    params = parameters(walker, declarator)
    index = walker.define(
        "function", "<lambda>", node, body="function", params=params,
        header=body.start_byte if body is not None else None,
        returns=trailing(walker, declarator),
    )  # fmt: skip
    for name, value in captured:
        walker.emit_in(walker.body(index), "bind", ("name", name), value)
    if body is not None:
        walker.run_body(walker.body(index), body.named_children, params)
    return ("def", index)


def _captured(walker: CWalker, node: Node) -> list[tuple[str, Term]]:
    """Return the names that captures bind inside; their values are evaluated outside."""
    captures: list[tuple[str, Term]] = []
    for child in node.named_children:
        parts = fields(child)
        if child.type != "lambda_capture_initializer" or "left" not in parts:
            walker.run(child)
            continue
        value = walker.evaluate(parts.get("right"))
        if not is_simple(value):
            outer = ("name", f"<{child.start_byte}>")
            walker.bind(outer, value)
            value = outer
        elif value == ("name", walker.name(parts["left"])):
            continue
        captures.append((walker.name(parts["left"]), value))
    return captures


EXPRESSIONS: Expressions = {
    "identifier": name_term,
    "field_identifier": name_term,
    "qualified_identifier": path_of,
    "template_function": path_of,
    "this": lambda walker, node: ("self",),
    "string_literal": quoted_text,
    "concatenated_string": lambda walker, node: short_text(None),
    "call_expression": _call,
    "field_expression": _field,
    "subscript_expression": _subscript,
    "sizeof_expression": _size,
    "alignof_expression": _size,
    "offsetof_expression": _size,
    "parenthesized_expression": last_value,
    "condition_clause": last_value,
    "pointer_expression": _pointed,
    "binary_expression": _binary,
    "unary_expression": _unary,
    "update_expression": _unary,
    "co_await_expression": last_value,
    "cast_expression": cast_to(type_of),
    "conditional_expression": conditional,
    "new_expression": _new,
    "compound_literal_expression": _compound_literal,
    "initializer_list": lambda walker, node: initial(walker, None, None, node, _PLAIN),
    "assignment_expression": _assign,
    "comma_expression": _comma,
    "lambda_expression": _lambda,
    **constants(_CONSTANTS),
}


# --- Blocks, branches, loops and local declarations.

_DECLARING = {"declaration", "type_definition", "alias_declaration", "using_declaration"}


def _condition(walker: CWalker, node: Node) -> None:
    """`if (auto x = f(); x)`: what is declared in brackets is known in the whole statement."""
    children = node.named_children
    inner = children[0].named_children if children else []
    if any(child.type in ("init_statement", "declaration") for child in inner):
        with walker.in_block():
            for child in (*inner, *children[1:]):
                walker.run(child)
    else:
        walker.run_all(children)


def _range(walker: CWalker, node: Node) -> None:
    with walker.in_block():
        if (right := node.child_by_field_name("right")) is not None:
            _elements(walker, node, right)
        walker.run_field(node, "body")


def _elements(walker: CWalker, node: Node, right: Node) -> None:
    """Bind what a loop over a range declares."""
    declarator = declared(node.child_by_field_name("declarator"))
    kind = type_of(walker, node.child_by_field_name("type"))
    over = walker.evaluate(right)
    if declarator.parts:
        _pairs(walker, declarator.parts, over, right)
    elif declarator.name is None:
        walker.emit("do", ("iter", over, walker.site(right)))
    else:
        target: Term = ("name", walker.name(declarator.name))
        walker.note_plain(
            walker.name(declarator.name), node.child_by_field_name("type"), declarator
        )
        if kind is not None:
            walker.emit("declare", target, kind)
        walker.bind(target, ("iter", over, walker.site(right)))


def _pairs(walker: CWalker, names: list[Node], over: Term, node: Node) -> None:
    """`for (auto [a, b] : x)`: parts of an element."""
    stored = ("name", f"<{node.start_byte}>")
    walker.bind(stored, over)
    element: Term = ("iter", stored, walker.site(node))
    parts = [name_term(walker, name) for name in names]
    if len(parts) == 2:
        bind_pair(walker, parts, stored, element, ("name", f"<{names[0].start_byte}>"))
    else:
        walker.bind(("tuple", tuple(parts)), element)


def _yield(walker: CWalker, node: Node) -> None:
    walker.emit("yield", last_value(walker, node))


def _return(walker: CWalker, node: Node) -> None:
    walker.emit_return(last_value(walker, node))


def _catch(walker: CWalker, node: Node) -> None:
    before = [
        ("declare", ("name", param.name), param.type)
        for param in parameters(walker, node)
        if param.name
    ]
    if (body := node.child_by_field_name("body")) is not None:
        walker.run_block(body.named_children, *before)


def local(walker: CWalker, node: Node, kind: Term = None) -> None:
    """Walk a declaration in a function, of a type that is known by itself if `kind` says so."""
    named = node.child_by_field_name("type")
    kind = kind or type_of(walker, named)
    for child in node.children_by_field_name("declarator"):
        declarator = declared(child)
        # `if (T x = v)`: the value belongs to the declaration.
        holder = child if child.type == "init_declarator" else node
        value = holder.child_by_field_name("value") or node.child_by_field_name("default_value")
        if declarator.parts:
            parts = tuple([name_term(walker, part) for part in declarator.parts])
            walker.bind(("tuple", parts), walker.evaluate(value))
        elif declarator.name is not None:
            sizes(walker, child if declarator.is_array else None)
            taken(walker, declarator)
            _declare(walker, declarator, (kind, named), value)
            if value is None and walker.is_cpp and named is not None:
                _make(walker, declarator, kind, named)


def _make(walker: CWalker, declarator: Declared, kind: Term, named: Node) -> None:
    """Add what makes an object that is declared without `=`: `T a;`, and `T a(b, c);`, which reads
    as the declaration of a function whose parameters have no names."""
    if kind is None or kind[0] not in ("name", "attr") or named.type == "primitive_type":
        return
    if declarator.is_pointer or declarator.is_array or declarator.points_to_function:
        return
    args: list[Term] = []
    if declarator.function is not None:
        listed = declarator.function.child_by_field_name("parameters")
        for child in children_of(listed):
            if child.named_child_count != 1 or child.named_children[0].type not in _NAMED_TYPES:
                return
            args.append(type_of(walker, child.named_children[0]))
        if not args:
            return
    if kind[0] == "name" or kind[1] != ("name", "std"):
        walker.emit("do", ("new", kind, tuple(args), (), walker.site(named)))


_NAMED_TYPES = frozenset({"type_identifier", "qualified_identifier"})


def _declare(
    walker: CWalker, declarator: Declared, typed: tuple[Term, Node | None], value_node: Node | None
) -> None:
    assert declarator.name is not None
    target = ("name", walker.name(declarator.name))
    kind = declared_type(typed[0], declarator)
    walker.note_plain(target[1], typed[1], declarator)
    walker.declare(target, kind)
    if value_node is not None:
        value = initial(walker, *typed, value_node, declarator)
        if value is not None or kind is None:
            walker.bind(target, value)


STATEMENTS: Statements = {
    "compound_statement": block(_DECLARING),
    "for_statement": own_block,
    "for_range_loop": _range,
    "if_statement": _condition,
    "while_statement": _condition,
    "switch_statement": _condition,
    "return_statement": _return,
    "co_return_statement": _return,
    "co_yield_statement": _yield,
    "assignment_expression": assign,
    "catch_clause": _catch,
    **dict.fromkeys(
        """
        access_specifier attribute_declaration attribute_specifier break_statement
        continue_statement goto_statement ms_declspec_modifier preproc_call
        primitive_type sized_type_specifier statement_identifier storage_class_specifier
        template_argument_list template_parameter_list type_identifier type_qualifier
        placeholder_type_specifier abstract_pointer_declarator
        """.split(),
        nothing,
    ),
}
