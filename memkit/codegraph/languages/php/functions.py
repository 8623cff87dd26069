"""PHP: functions, parameters, closures, and what calls them in place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ...dialect import words
from ...facts import Param, Term
from ..walker import child_of_type, children_of, first_child, is_simple, reusable, signature_end
from .doc_types import Doc, read_doc, templates
from .names import PhpWalker, name_text
from .type_terms import documented, given_back, type_in, type_of

if TYPE_CHECKING:
    from tree_sitter import Node

_NO_DOC = Doc()
_FLAGS = {
    "Test": ("test",),
    "Override": ("override",),
    **dict.fromkeys(("Before", "After", "BeforeClass", "AfterClass", "DataProvider"), ("entry",)),
}


def attributes(walker: PhpWalker, node: Node) -> list[str]:
    """Evaluate the attributes of a declaration; return the flags that they mean."""
    flags: list[str] = []
    groups = children_of(node.child_by_field_name("attributes"))
    for attribute in [child for group in groups for child in group.named_children]:
        if (named := first_child(attribute)) is None:
            continue
        name = name_text(walker, named)
        flags += _FLAGS.get(name.rpartition("\\")[2], ())
        walker.discard(walker.class_term(name))
        for argument in children_of(attribute.child_by_field_name("parameters")):
            walker.run(argument)
    return flags


def doc_of(walker: PhpWalker, comment: str) -> Doc:
    """Return the types in the comment of a function or a property."""
    return read_doc(comment, walker.class_term, walker.bounds)


def parameters(walker: PhpWalker, node: Node | None, doc: Doc = _NO_DOC) -> tuple[Param, ...]:
    """Return the parameters of a function."""
    params = []
    for child in children_of(node):
        if (named := variable_in(child)) is None:
            continue
        name = walker.name(named)
        kind = documented(type_in(walker, child), doc.params.get(name))
        sort = "*" if child.type == "variadic_parameter" else ""
        params.append(Param(name, kind, walker.evaluate_field(child, "default_value"), sort))
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
            header=signature_end(node, body), flags=flags, doc=comment,
            returns=returned(walker, node, doc, params),
        )  # fmt: skip
        walker.run_definition(index, body, params)
        # Nothing but the object, or another one of its class, is given back.
        if kind == "method" and all(walker.results.get(walker.body(index), [False])):
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
        header=signature_end(node, body),
        returns=given_back(type_of(walker, node.child_by_field_name("return_type")), doc.returns),
    )  # fmt: skip
    _use_by_reference(walker, node, walker.body(index))
    names = {param.name for param in params}
    known = {name: kind for name, kind in walker.known.items() if name not in names}
    with walker.having(known=known):
        walker.run_definition(index, body, params)
    return ("def", index)


def _use_by_reference(walker: PhpWalker, node: Node, scope: int) -> None:
    """A variable that a closure takes by reference is that of the function around."""
    for child in children_of(child_of_type(node, "anonymous_function_use_clause")):
        if child.type == "by_ref" and child.named_child_count:
            walker.emit_in(scope, "nonlocal", (walker.name(child.named_children[0]),))


# Functions of the language that call a function with elements of an array: the positions of the
# function and of the array, and how many parameters are elements.
_CALLING = {
    "array_map": (0, 1, 1),
    **dict.fromkeys(
        words("array_filter array_walk array_any array_all array_find iterator_apply"), (1, 0, 1)
    ),
    **dict.fromkeys(words("usort uasort"), (1, 0, 2)),
}
# Functions that give what the function gives, an element, or the array again.
_MAPPING = "array_map"
_SAME = words("""
    array_filter array_values array_reverse array_slice array_unique array_merge array_replace
    array_splice iterator_to_array array_diff array_diff_key array_intersect_key
""")
_ELEMENTS = words("array_pop array_shift current reset end next prev array_find")
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
