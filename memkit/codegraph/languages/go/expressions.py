"""Go: types, expressions and statements."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...facts import Param, Term
from ..walker import (
    MAX_DEPTH,
    Expressions,
    ShadowingWalker,
    Statements,
    applied,
    callable_of,
    children_of,
    constants,
    fields,
    first_inside,
    is_simple,
    list_of,
    name_term,
    reusable,
    short_text,
    signature_end,
    subscript,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Types, results and parameters.


class GoWalker(ShadowingWalker):
    """Walker of Go.

    Attributes:
        repeated: type of a constant that is written without one, and without a value.
    """

    repeated: Term = None


_WRAPPED = {"pointer_type", "parenthesized_type", "type_elem", "type_constraint"}
_LISTS = {"slice_type", "array_type", "implicit_length_array_type"}


def type_of(walker: GoWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type; pointers are left out, None for one without a name."""
    while node is not None and node.type in _WRAPPED:
        if node.named_child_count != 1:
            return None
        node = node.named_children[0]
    maker = _TYPES.get(node.type) if node is not None and depth < MAX_DEPTH else None
    return maker(walker, node, depth + 1) if maker and node is not None else None


def _type_name(walker: GoWalker, node: Node, depth: int) -> Term:
    name = walker.read(walker.name(node))
    return walker.bounds.get(name, ("name", name))


def _generic(walker: GoWalker, node: Node, depth: int) -> Term:
    """`pkg.Seq[T]` holds T; what a package itself makes generic is known by its methods."""
    kind = type_of(walker, node.child_by_field_name("type"), depth)
    listed = node.child_by_field_name("type_arguments")
    if kind is None or kind[0] != "attr" or listed is None:
        return kind
    return applied(kind, [type_of(walker, child, depth) for child in listed.named_children])


def _qualified(walker: GoWalker, node: Node, depth: int) -> Term:
    package, _, name = walker.name(node).partition(".")
    return ("attr", ("name", walker.read(package.strip())), name.strip())


def _map_type(walker: GoWalker, node: Node, depth: int) -> Term:
    key, value = node.named_children[0], node.named_children[-1]
    return (
        "item",
        ("name", "dict"),
        ("tuple", (type_of(walker, key, depth), type_of(walker, value, depth))),
    )


def _function_type(walker: GoWalker, node: Node, depth: int) -> Term:
    params = parameters(walker, node.child_by_field_name("parameters"), depth)
    returned = results(walker, node.child_by_field_name("result"), depth)
    return callable_of(returned, [param.type for param in params])


def _structure_type(walker: GoWalker, node: Node, depth: int) -> Term:
    """Return a structure without a name: its fields by their names, and what is embedded."""
    listed = node.named_children[0].named_children if node.named_child_count else ()
    pairs: list[tuple[Term, Term]] = []
    for child in listed:
        if child.type != "field_declaration":
            continue
        kind: Term = ("typed", type_of(walker, child.child_by_field_name("type"), depth))
        names = [walker.name(named) for named in names_of(child)]
        pairs += [(("const", "str", name), kind) for name in names] or [(None, kind)]
    return ("dict", tuple(pairs))


def names_of(node: Node) -> list[Node]:
    """Return the names that a declaration lists."""
    return [child for child in node.children_by_field_name("name") if child.is_named]


def _interface_type(walker: GoWalker, node: Node, depth: int) -> Term:
    """Return an interface without a name: what is embedded in it; its own methods have none."""
    kinds = [
        type_of(walker, child, depth) for child in node.named_children if child.type == "type_elem"
    ]
    terms = tuple(kind for kind in kinds if kind is not None)
    return ("either", terms) if terms else None


_TYPES: dict[str, Callable[[GoWalker, Node, int], Term]] = {
    "type_identifier": _type_name,
    "identifier": _type_name,
    "generic_type": _generic,
    "qualified_type": _qualified,
    "map_type": _map_type,
    "function_type": _function_type,
    "struct_type": _structure_type,
    "interface_type": _interface_type,
    **dict.fromkeys(
        (*_LISTS, "channel_type"),
        lambda walker, node, depth: list_of(type_of(walker, node.named_children[-1], depth)),
    ),
}


def results(walker: GoWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the type of what a function gives back: a tuple for several."""
    if node is None or node.type != "parameter_list":
        return type_of(walker, node, depth)
    types = tuple(param.type for param in parameters(walker, node, depth))
    if len(types) > 1:
        return ("item", ("name", "tuple"), ("tuple", types))
    return types[0] if types else None


def parameters(walker: GoWalker, node: Node | None, depth: int = 0) -> tuple[Param, ...]:
    """Return the parameters of a list, one for each name or for each type without a name."""
    params = []
    for child in children_of(node):
        if not child.type.endswith("parameter_declaration"):
            continue
        sort = "*" if child.type[0] == "v" else ""
        parts = child.named_children
        kind = type_of(walker, parts[-1], depth) if parts else None
        names = [walker.name(part) for part in parts[:-1] if part.type == "identifier"] or [""]
        params += [Param(name, kind, None, sort) for name in names]
    return tuple(params)


def bounds_of(walker: GoWalker, node: Node | None) -> dict[str, Term]:
    """Return what is asked of the parameters of a generic, by their name."""
    bounds: dict[str, Term] = {}
    for child in children_of(node):
        parts = child.named_children
        bound = type_of(walker, parts[-1]) if parts else None
        if bound == ("name", "any"):
            bound = None
        bounds.update((walker.name(part), bound) for part in parts[:-1])
    return bounds


# --- Expressions.

# Conversions to types of the language, and its functions that nobody calls their own.
_BUILTIN = frozenset(
    """
    any append bool byte cap complex128 complex64
    float32 float64 int int16 int32 int64 int8 len make new
    panic recover rune string uint uint16 uint32 uint64 uint8 uintptr
    """.split()
)
# Operators whose sides are of one type, which is that of what they give; or the left side's is.
_ARITHMETIC = frozenset("+ - * / % & | ^ &^ << >>".split())
_CONSTANTS = {
    "int_literal": "int",
    "rune_literal": "int",
    "float_literal": "float",
    "imaginary_literal": "float",
    "true": "bool",
    "false": "bool",
    "nil": "none",
}


def _literal(walker: GoWalker, kind: Node | None, body: Node) -> Term:
    """Return the term of a literal in braces; an inner one may leave its type out."""
    while kind is not None and kind.type in _WRAPPED and kind.named_child_count:
        kind = kind.named_children[0]
    items = [child for child in body.named_children if child.type != "comment"]
    if kind is not None and kind.type == "map_type":
        key, value = kind.named_children[0], kind.named_children[-1]
        pairs = tuple(_keyed(walker, item, key, value) for item in items)
        return ("dict", pairs) if pairs else ("typed", type_of(walker, kind))
    if kind is not None and kind.type in _LISTS:
        element = kind.named_children[-1]
        elements = tuple(_keyed(walker, item, None, element)[1] for item in items)
        return ("list", elements) if elements else ("typed", type_of(walker, kind))
    return _structure(walker, kind, body, items)


def _structure(walker: GoWalker, kind: Node | None, body: Node, items: list[Node]) -> Term:
    """Return the term of a literal of a structure, or of a mapping whose type has a name."""
    args: list[Term] = []
    named: list[tuple[str, Term]] = []
    type_term = type_of(walker, kind)
    holder = None if type_term is None or type_term[0] == "dict" else type_term
    for item in items:
        if item.type == "keyed_element" and item.named_child_count > 1:
            name, value = item.named_children[0], item.named_children[-1]
            if _is_name(name):
                named.append((walker.label(holder, name), _element(walker, value, None)))
            else:  # a key of a mapping
                walker.discard(_element(walker, name, None))
                args.append(_element(walker, value, None))
        else:
            args.append(_element(walker, item, None))
    if type_term is None or holder is None:
        # A structure without a name.
        for arg in args:
            walker.discard(arg)
        return ("dict", tuple((("const", "str", name), value) for name, value in named))
    return ("new", type_term, tuple(args), tuple(named), walker.site(kind or body))


def _is_name(node: Node) -> bool:
    if node.type == "literal_element" and node.named_child_count:
        node = node.named_children[0]
    return node.type in ("identifier", "field_identifier")


def _keyed(walker: GoWalker, item: Node, key: Node | None, value: Node | None) -> tuple[Term, Term]:
    if item.type != "keyed_element" or item.named_child_count < 2:
        return None, _element(walker, item, value)
    first, last = item.named_children[0], item.named_children[-1]
    return _element(walker, first, key), _element(walker, last, value)


def _element(walker: GoWalker, node: Node, kind: Node | None) -> Term:
    if node.type == "literal_element" and node.named_child_count:
        node = node.named_children[0]
    return _literal(walker, kind, node) if node.type == "literal_value" else walker.evaluate(node)


def _name(walker: GoWalker, node: Node) -> Term:
    return ("name", walker.read(walker.name(node)))


def _string(walker: GoWalker, node: Node) -> Term:
    return short_text(walker.text(node)[1:-1])


def _selector(walker: GoWalker, node: Node) -> Term:
    parts = node.named_children
    return ("attr", walker.evaluate(parts[0]), walker.name(parts[-1]))


def _call(walker: GoWalker, node: Node) -> Term:
    function = node.named_children[0]
    arguments = [c for c in node.named_children[-1].named_children if c.type != "comment"]
    name = walker.name(function) if function.type == "identifier" else ""
    if name in _BUILTIN and name not in walker.locals and arguments:
        return _built_in(walker, name, arguments)
    if function.type in _TYPES and function.type != "identifier" and arguments:
        return ("cast", type_of(walker, function), walker.evaluate(arguments[0]))
    callee = walker.evaluate(function)
    if callee is not None and callee[0] == "item" and function.type == "index_expression":
        # A function of a list, or one of a generic with its type.
        callee = ("either", (callee, ("seen", callee[1])))
    site = walker.site(function.named_children[-1] if function.type != "identifier" else function)
    return ("call", callee, walker.evaluate_all(arguments), (), site)


def _built_in(walker: GoWalker, name: str, arguments: list[Node]) -> Term:
    """Return what a function or a conversion of the language gives."""
    if name == "append":
        first, *others = (walker.evaluate(argument) for argument in arguments)
        return ("either", (first, ("list", tuple(others)))) if others else first
    is_made = name in ("make", "new")
    for argument in arguments[1:] if is_made else arguments:
        walker.run(argument)
    if is_made:
        return ("typed", type_of(walker, arguments[0]))
    return ("const", "str" if name == "string" else "int", None)


def _composite(walker: GoWalker, node: Node) -> Term:
    """Return what a literal holds and what its type says: `[]Level{Debug - 1}`."""
    kind = node.named_children[0]
    term = _literal(walker, kind, node.named_children[-1])
    element = kind.named_children[-1] if kind.named_child_count else kind
    is_plain = element.type == "function_type" or walker.name(element) in _BUILTIN
    if term is None or term[0] not in ("list", "dict") or is_plain:
        return term
    return ("either", (("typed", type_of(walker, kind)), term))


def _cast(walker: GoWalker, node: Node) -> Term:
    """`x.(T)` and `[]T(x)`; `f[T](x)` may be a call as well."""
    kind, value = node.child_by_field_name("type"), walker.evaluate_field(node, "operand")
    is_conversion = node.type == "type_conversion_expression"
    if is_conversion and kind is not None and kind.type == "generic_type":
        function = type_of(walker, kind.named_children[0])
        return ("call", function, (value,), (), walker.site(kind))
    return ("cast", type_of(walker, kind), value)


def _slice(walker: GoWalker, node: Node) -> Term:
    operand, *others = node.named_children
    for other in others:
        walker.run(other)
    return walker.evaluate(operand)


def _unary(walker: GoWalker, node: Node) -> Term:
    operator, term = node.children[0].type, walker.evaluate(node.children[-1])
    if operator in ("&", "*"):
        return term
    if operator == "<-":
        return ("iter", term)
    walker.discard(term)
    return None


def _binary(walker: GoWalker, node: Node) -> Term:
    """Numbers of a named type stay of it: `Limit * 2`, `Read | Write`."""
    left, operator, *others = node.children
    if operator.type not in _ARITHMETIC:
        walker.run(left)
        walker.run_all(others)
        return None
    terms = [term for side in (left, *others) if (term := walker.evaluate(side)) is not None]
    non_constants = [term for term in terms if term[0] != "const"]
    if len(non_constants) > 1:
        return ("either", tuple(non_constants))
    return non_constants[0] if non_constants else terms[0] if terms else None


def _closure(walker: GoWalker, node: Node) -> Term:
    return ("def", function(walker, node, "function", "<lambda>"))


def function(
    walker: GoWalker,
    node: Node,
    kind: str,
    name: str,
    *,
    named: Node | None = None,
    qualname: str | None = None,
    flags: Sequence[str] = (),
    owner: Term = None,
) -> int:
    """Define a function or closure with its body and return its index."""
    parts = fields(node)
    body, result = parts.get("body"), parts.get("result")
    doc = walker.take_comment()
    bounds = bounds_of(walker, parts.get("type_parameters"))
    with walker.having(bounds={**walker.bounds, **bounds}):
        params = (
            *parameters(walker, parts.get("receiver")),
            *parameters(walker, parts.get("parameters")),
        )
        index = walker.define(
            kind, name, node, body="function", params=params, returns=results(walker, result),
            header=signature_end(node, body), doc=doc,
            named=named, qualname=qualname, flags=flags, owner=owner,
        )  # fmt: skip
        scope = walker.body(index)
        if result is not None and result.type == "parameter_list":
            for param in parameters(walker, result):
                if param.name and param.type:
                    walker.emit_in(scope, "declare", ("name", param.name), param.type)
        walker.run_definition(index, body, params)
    return index


EXPRESSIONS: Expressions = {
    "identifier": _name,
    "field_identifier": _name,
    "type_identifier": _name,
    "interpreted_string_literal": _string,
    "raw_string_literal": _string,
    "selector_expression": _selector,
    "call_expression": _call,
    "composite_literal": _composite,
    "type_assertion_expression": _cast,
    "type_conversion_expression": _cast,
    "index_expression": subscript,
    "type_instantiation_expression": first_inside,
    "slice_expression": _slice,
    "unary_expression": _unary,
    "binary_expression": _binary,
    "parenthesized_expression": first_inside,
    "variadic_argument": lambda walker, node: ("star", first_inside(walker, node)),
    "literal_element": first_inside,
    "func_literal": _closure,
    "generic_type": first_inside,
    **constants(_CONSTANTS),
}


# --- Blocks, assignments and loops.

_BLANK = ("name", "_")


def _named(targets: list[Term]) -> list[str]:
    return [target[1] for target in targets if target is not None]


def declare_typed(walker: GoWalker, targets: list[Term], kind: Term) -> None:
    """Declare names of a type: `var url *url.URL` reads the name that it hides."""
    before = walker.scope
    walker.shadow(_named(targets))
    for target in targets:
        if walker.scope != before:
            walker.bind(target, ("in", before, ("typed", kind)))
        else:
            walker.declare(target, kind)


def assign(walker: GoWalker, targets: list[Term], values: Node, *, declares: bool = True) -> None:
    """Bind targets one by one, or all to what one call gives; the ok of `v, ok` is left out."""
    nodes = values.named_children if values.type == "expression_list" else [values]
    terms = list(walker.evaluate_all(nodes))
    is_one = len(terms) == 1 and terms[0] is not None and terms[0][0] != "call"
    if declares:
        terms = walker.shadow(_named(targets), *terms)
    if len(terms) == 1 < len(targets) and not is_one:
        bind = walker.bind if declares else walker.assign
        bind(("tuple", tuple(targets)), terms[0])
        return
    if is_one:
        terms += [None] * (len(targets) - 1)
    if len(terms) != len(targets):
        targets = [None] * len(terms)
    _bind_all(walker, targets, terms, declares=declares)


def _targets(walker: GoWalker, node: Node, *, declares: bool) -> list[Term]:
    """Return what is assigned to; what a pointer is asked of is called all the same."""
    nodes = node.named_children if node.type == "expression_list" else [node]
    nodes = [child for child in nodes if child.type != "comment"]
    if declares:
        return [name_term(walker, child) for child in nodes]
    terms = [walker.evaluate(child) for child in nodes]
    for term in terms:
        if term is not None and term[0] == "call":
            walker.discard(term)
    return [None if term is not None and term[0] == "call" else term for term in terms]


def _assignment(walker: GoWalker, node: Node) -> None:
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        walker.run_all(node.named_children)  # case <-x:
        return
    operator = node.child_by_field_name("operator")
    if operator is not None and operator.type != "=":
        walker.run(left)
        walker.run(right)
        return
    declares = _declares(node)
    targets = _targets(walker, left, declares=declares)
    assign(walker, targets, right, declares=declares)


def _declares(node: Node) -> bool:
    return any(child.type == ":=" for child in node.children)


def _return(walker: GoWalker, node: Node) -> None:
    nodes = without_comments(node)
    if nodes and nodes[0].type == "expression_list":
        nodes = without_comments(nodes[0])
    values = walker.evaluate_all(nodes)
    if values:
        walker.emit("return", values[0] if len(values) == 1 else ("tuple", values))


def _block(walker: GoWalker, node: Node) -> None:
    """Open a scope where something is declared in it."""
    inner = node.named_children
    listed = inner[-1].named_children if inner and inner[-1].type == "statement_list" else inner
    if any(child.type in _DECLARING for child in listed):
        walker.run_block(inner)
    else:
        walker.run_all(inner)


def _range(walker: GoWalker, node: Node) -> None:
    """Of two variables the second is an element; the first, or the only one, is a key.

    It is an element of a channel; what is neither has no methods.
    """
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if right is None:
        return
    declares = _declares(node)
    targets = _targets(walker, left, declares=declares) if left is not None else []
    over = walker.evaluate(right)
    if len(targets) > 1:
        over = reusable(walker, over, right)
    element: Term = ("iter", over, walker.site(right))
    if not targets:
        walker.emit("do", element)
        return
    values = [element] + [("item", over, None) for _ in targets[1:]]
    if declares:
        values = walker.shadow(_named(targets), *values)
    _bind_all(walker, targets, values, declares=declares)


def _bind_all(walker: GoWalker, targets: list[Term], values: list[Term], *, declares: bool) -> None:
    bind = walker.bind if declares else walker.assign
    for target, value in zip(targets, values, strict=True):
        bind(None if target == _BLANK else target, value)


def _type_switch(walker: GoWalker, node: Node) -> None:
    """Each case of a type gives the variable that type."""
    with walker.in_block():
        walker.run_field(node, "initializer")
        named, alias = node.child_by_field_name("value"), node.child_by_field_name("alias")
        value = walker.evaluate(named)
        if alias is None or is_simple(value):
            walker.discard(value)
        elif named is not None:
            value = reusable(walker, value, named)
        for case in node.named_children:
            if case.type in ("type_case", "default_case"):
                _type_case(walker, case, alias, value)


def _type_case(walker: GoWalker, case: Node, alias: Node | None, value: Term) -> None:
    kinds = [child for child in case.children_by_field_name("type") if child.is_named]
    body = case.named_children[len(kinds) :]
    if alias is None:
        for named in kinds:
            walker.emit("do", ("typed", type_of(walker, named)))
        walker.run_block(body)
        return
    target = ("name", walker.text(alias))
    walker.add_locals(target)
    types = [type_of(walker, kind) for kind in kinds if walker.text(kind) != "nil"]
    kind = types[0] if len(types) == 1 else ("either", tuple(types)) if types else None
    # Without a type, or with nil, it is what it was: further out it may have the same name.
    bound: Term = ("typed", kind) if kind else value and ("in", walker.scope, value)
    walker.run_block(body, ("bind", target, bound))


_DECLARING = {
    "short_var_declaration",
    "var_declaration",
    "const_declaration",
    "type_declaration",
    "for_clause",
    "range_clause",
    "receive_statement",
}


STATEMENTS: Statements = {
    "short_var_declaration": _assignment,
    "assignment_statement": _assignment,
    "receive_statement": _assignment,
    "return_statement": _return,
    "block": _block,
    "if_statement": _block,
    "for_statement": _block,
    "range_clause": _range,
    "expression_switch_statement": _block,
    "type_switch_statement": _type_switch,
    "expression_case": _block,
    "communication_case": _block,
    "default_case": _block,
}
