"""PHP: functions, parameters, closures, and what calls them in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import child_of_type, is_simple, reusable
from .doc_types import Doc, read_doc, templates
from .names import PhpWalker, name_text
from .type_terms import documented, given_back, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_DOC = Doc()


def attributes(walker: PhpWalker, node: Node) -> list[str]:
    """Evaluate the attributes of a declaration; return the flags that they mean."""
    listed = node.child_by_field_name("attributes")
    flags = []
    for group in listed.named_children if listed is not None else ():
        for attribute in group.named_children:
            if not attribute.named_child_count:
                continue
            name = name_text(walker, attribute.named_children[0])
            if name.rpartition("\\")[2] == "Test":
                flags.append("test")
            walker.discard(walker.class_term(name))
            if (arguments := attribute.child_by_field_name("parameters")) is not None:
                walker.run_children(arguments)
    return flags


def doc_of(walker: PhpWalker, comment: str) -> Doc:
    """Return the types in the comment of a function or a property."""
    return read_doc(comment, walker.class_term, walker.bounds)


def parameters(walker: PhpWalker, node: Node | None, doc: Doc = _NO_DOC) -> tuple[Param, ...]:
    """Return the parameters of a function."""
    params = []
    for child in node.named_children if node is not None else ():
        if (named := variable_in(child)) is None:
            continue
        name = walker.name(named)
        kind = documented(type_of(walker, child.child_by_field_name("type")), doc.params.get(name))
        is_rest = child.type == "variadic_parameter"
        default = walker.evaluate(child.child_by_field_name("default_value"))
        params.append(Param(name, kind, default, "*" if is_rest else ""))
    return tuple(params)


def variable_in(node: Node) -> Node | None:
    """Return the name of a parameter, also of one by reference."""
    named = node.child_by_field_name("name")
    if named is not None and named.type == "by_ref" and named.named_child_count:
        return named.named_children[0]
    return named if named is not None and named.type == "variable_name" else None


def returned(walker: PhpWalker, node: Node, doc: Doc, params: Sequence[Param]) -> Term:
    """Return the type of what a function gives.

    `T` of `class-string<T> $c` is said by an argument, `T` of the class and `static` by its object.
    """
    declared = node.child_by_field_name("return_type")
    kind = given_back(type_of(walker, declared), doc.returns)
    name = doc.template
    if walker.context.own is not None and (
        name in _OBJECT or (declared is not None and walker.text(declared).strip("?") in _OBJECT)
    ):
        return ("like", -1, walker.context.own)
    if (variable := doc.class_params.get(name)) is not None:
        for position, param in enumerate(params):
            if param.name == variable:
                return ("argument", position, kind)
    if name in walker.generics:
        return ("parameter", walker.generics.index(name), kind)
    return kind


_OBJECT = words("static $this")


def function(walker: PhpWalker, node: Node) -> None:
    """A function with a name: it is the namespace's, wherever it is declared."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    comment = walker.take_comment()
    walker.hoist("define", define_function(walker, node, named, "function", [], comment))


def define_function(
    walker: PhpWalker, node: Node, named: Node, kind: str, flags: list[str], comment: str
) -> int:
    """Define a function or a method, walk its body, and return its index."""
    body = node.child_by_field_name("body")
    flags += attributes(walker, node)
    bounds = templates(comment, walker.class_term)
    with walker.having(bounds={**walker.bounds, **bounds}, known={}):
        doc = doc_of(walker, comment)
        params = parameters(walker, node.child_by_field_name("parameters"), doc)
        index = walker.define(
            kind, walker.name(named), node, body="function", named=named, params=params,
            header=node.end_byte if body is None else body.start_byte, flags=flags, doc=comment,
            returns=returned(walker, node, doc, params),
        )  # fmt: skip
        if body is not None:
            scope = walker.body(index)
            walker.run_body(scope, body.named_children, params)
            # Nothing but the object, or another one of its class, is given back.
            if kind == "method" and all(walker.results.get(scope, [False])):
                walker.fill(index, returns=("like", -1, walker.context.own))
    return index


# --- Closures.


def closure(walker: PhpWalker, node: Node) -> Term:
    """`function (…) use (…) { … }` and `fn (…) => …`."""
    doc = doc_of(walker, walker.take_comment())
    attributes(walker, node)
    params = parameters(walker, node.child_by_field_name("parameters"), doc)
    body = node.child_by_field_name("body")
    index = walker.define(
        "function", "<lambda>", node, body="function", params=params,
        header=node.end_byte if body is None else body.start_byte,
        returns=given_back(type_of(walker, node.child_by_field_name("return_type")), doc.returns),
    )  # fmt: skip
    scope = walker.body(index)
    _use_by_reference(walker, node, scope)
    names = {param.name for param in params}
    known = {name: kind for name, kind in walker.known.items() if name not in names}
    with walker.having(known=known):
        if body is not None and node.type == "arrow_function":
            walker.run_result(scope, body, params)
        elif body is not None:
            walker.run_body(scope, body.named_children, params)
    return ("def", index)


def _use_by_reference(walker: PhpWalker, node: Node, scope: int) -> None:
    """A variable that a closure takes by reference is that of the function around."""
    clause = child_of_type(node, "anonymous_function_use_clause")
    for child in clause.named_children if clause is not None else ():
        if child.type == "by_ref" and child.named_child_count:
            walker.emit_in(scope, "nonlocal", (walker.name(child.named_children[0]),))


# Functions of the language that call a function with elements of an array: the positions of the
# function and of the array, and how many parameters are elements.
_CALLING = {
    "array_map": (0, 1, 1),
    "array_filter": (1, 0, 1),
    "array_walk": (1, 0, 1),
    "array_any": (1, 0, 1),
    "array_all": (1, 0, 1),
    "array_find": (1, 0, 1),
    "usort": (1, 0, 2),
    "uasort": (1, 0, 2),
    "iterator_apply": (1, 0, 1),
}
# Functions that give what the function gives, an element, or the array again.
_MAPPING = "array_map"
_SAME = words("""
    array_filter array_values array_reverse array_slice array_unique array_merge array_replace
    array_splice iterator_to_array array_diff array_diff_key array_intersect_key
""")
_ELEMENTS = words("""
    array_pop array_shift current reset end next prev array_find
""")
ARRAY_FUNCTIONS = frozenset(_CALLING) | _SAME | _ELEMENTS


def array_call(
    walker: PhpWalker, name: str, callee: Term, args: tuple[Term, ...], node: Node
) -> Term:
    """Return a call of a function of arrays, whose result is known by its argument."""
    places = _CALLING.get(name, (-1, 0, 0))
    position, site = places[1], walker.site(node)
    if position >= len(args):
        return ("call", callee, args, (), site)
    array = reusable(walker, args[position], node)
    args = (*args[:position], array, *args[position + 1 :])
    function_term = args[places[0]] if 0 <= places[0] < len(args) else None
    result = None
    if function_term is not None and function_term[0] == "def":
        result = _applied(walker, function_term[1], element_of(array), places[2], site)
    whole: Term = ("call", callee, args, (), site)
    if name == _MAPPING:
        return ("either", (whole, ("list", (result,)))) if result is not None else whole
    if result is not None:
        walker.emit("do", result)
    if name in _SAME:
        rest = [arg for arg in args if arg is not None and is_simple(arg)]
        return ("either", (whole, *(rest if name == "array_merge" else [array])))
    return ("either", (whole, element_of(array))) if name in _ELEMENTS else whole


def _applied(walker: PhpWalker, index: int, element: Term, size: int, site: int) -> Term:
    """Bind parameters of a function to an element; return the call of it."""
    bound: Term = ("in", walker.scope, element)
    for param in walker.builder.params(index)[:size]:
        if param.type is None:
            walker.emit_in(walker.body(index), "bind", ("name", param.name), bound)
    return ("call", ("def", index), (element,) * size, (), site)


def element_of(array: Term, *site: int) -> Term:
    """Return an element of an array, which may be evaluated twice: by whatever key."""
    return ("either", (("iter", array, *site), ("item", array, None)))
