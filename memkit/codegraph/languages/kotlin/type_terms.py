"""Types, parameters and qualified names as terms; the walker's state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from ...dialect import words
from ...facts import MODULE_SCOPE, Param, Term
from ..walker import (
    Having,
    SyntaxWalker,
    applied,
    children_of,
    comment_text,
    list_of,
    qualified_import,
    without_comments,
)
from ..walker import child_of_type as child

if TYPE_CHECKING:
    from tree_sitter import Node


_DEEPEST = 12
# Types of numbers, letters and truth values by the words that the resolver has for them.
_PRIMITIVE: dict[str, Term] = {
    name: ("const", word, None)
    for name, word in {
        "Boolean": "boolean", "Byte": "byte", "Char": "char", "Double": "double", "Float": "float",
        "Int": "int", "Long": "long", "Short": "short", "UInt": "uint", "ULong": "ulong",
        "UShort": "ushort", "UByte": "ubyte",
    }.items()
}  # fmt: skip
# Anything: what extensions of a type parameter without a bound are for.
ANYTHING: Term = ("const", "any", None)
# Nodes around a type that do not change which class it names.
_WRAPPING = words("nullable_type parenthesized_type type_projection receiver_type")
# Arrays of numbers and letters.
PRIMITIVE_ARRAYS: dict[str, Term] = {
    f"{name}Array": list_of(kind) for name, kind in _PRIMITIVE.items()
}
# Types of the language: of `Any` and the like nothing is known.
_KNOWN: dict[str, Term] = {
    **_PRIMITIVE, **PRIMITIVE_ARRAYS, "Unit": ("const", "unit", None),
    **dict.fromkeys(("Any", "Nothing", "dynamic")),
}  # fmt: skip
TYPES = words("user_type function_type nullable_type parenthesized_type not_nullable_type")


class KotlinWalker(SyntaxWalker):
    """Knows the functions that it is in, by which `this@…` and `return` say what they mean.

    Attributes:
        returning: scope of the function that a plain `return` leaves, -1 outside of any.
        labels: scopes of functions and lambdas by the names that stand behind `@`.
        receivers: what a function's own type parameters stand for, by their name: the place of the
            argument of that type, -1 for what the function is called on.
        class_name: of the class that it is in.
        initial: scope in which the class that it is in is initialised: it has the parameters of the
            primary constructor; -1 if there is none.
        callables: local names that are functions by their type or value.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.returning = -1
        self.labels: dict[str, int] = {}
        self.receivers: dict[str, int] = {}
        self.callables: set[tuple[int, str]] = set()
        self.class_name = ""
        self._trailing: Node | None = None
        self.initial = -1

    def keep_comment(self, node: Node) -> None:
        """Keep the comment at the end of a list of imports, where the grammar puts that above the
        declaration behind it."""
        last, behind = node.children[-1], node.next_named_sibling
        is_comment = "comment" in last.type and behind is not None
        if is_comment and behind is not None and behind.type.endswith("_declaration"):
            gap = self.source[last.end_byte : behind.start_byte]
            self._trailing = last if gap.count(b"\n") <= 1 else None

    def take_comment(self) -> str:
        """Return the comment above the declaration that is being walked, without its marks."""
        text = super().take_comment()
        node, self._trailing = self._trailing, None
        return text or (comment_text(self.text(node)) if node is not None else "")

    def word(self, node: Node) -> str:
        """Return a name without the back-ticks that may stand around it."""
        return self.name(node).strip("`")

    def in_class(self, index: int, name: str, bounds: dict[str, Term]) -> Having:
        """Return a context in the body of a class of a name, with its type parameters."""
        scope = self.body(index)
        return self.having(
            scope=scope, class_name=name, initial=-1, returning=-1, locals=set(self.locals),
            bounds={**self.bounds, **bounds}, generics=tuple(bounds),
            labels={**self.labels, name: scope},
        )  # fmt: skip

    def declaring(self, name: str) -> int:
        """Return the scope inside of a function that declares a name, -1 if none does."""
        scope = self.scope
        while scope > MODULE_SCOPE and self.builder.scopes[scope].kind != "class":
            if (scope, name) in self.declared:
                return scope
            scope = self.builder.scopes[scope].parent
        return -1


def type_in(walker: KotlinWalker, node: Node | None) -> Term:
    """Return the term of the type that is a child of a node: of a parameter, a variable."""
    return type_of(walker, child(node, *TYPES))


def type_of(walker: KotlinWalker, node: Node | None, depth: int = 0) -> Term:
    """Return the term of a type, None for what names no class; whether it may be null is left out.

    A function type is an `item` of `Function`: what it is called with, its receiver first (None if
    it has none), and what it gives.
    """
    while node is not None and node.type in _WRAPPING:
        inner = (part for part in without_comments(node) if part.type != "type_modifiers")
        node = next(inner, None)
    if node is None or depth > _DEEPEST:
        return None
    if node.type == "not_nullable_type":
        return type_of(walker, child(node, *TYPES), depth + 1)
    if node.type == "function_type":
        return _function_type(walker, node, depth)
    return _user_type(walker, node, depth) if node.type == "user_type" else None


def _function_type(walker: KotlinWalker, node: Node, depth: int) -> Term:
    listed, receiver = (
        child(node, "function_type_parameters"),
        child(node, "receiver_type"),
    )
    params: list[Term] = [_shared(walker, receiver) or type_of(walker, receiver, depth + 1)]
    for part in without_comments(listed):
        inner = child(part, *TYPES) if part.type == "parameter" else part
        params.append(_shared(walker, inner) or type_of(walker, inner, depth + 1))
    given_back = type_of(walker, without_comments(node)[-1], depth + 1)
    return ("item", ("name", "Function"), ("tuple", (("tuple", tuple(params)), given_back)))


def _shared(walker: KotlinWalker, node: Node | None) -> Term:
    """Return what stands for a type parameter of the function: the type of one of its arguments."""
    name = "" if node is None else walker.text(node).strip("?")
    position = walker.receivers.get(name)
    return None if position is None else ("like", position, walker.bounds.get(name))


def _user_type(walker: KotlinWalker, node: Node, depth: int) -> Term:
    names = [walker.word(part) for part in node.named_children if part.type == "type_identifier"]
    if not names:
        return None
    term = _plain(walker, names[0]) if len(names) == 1 else qualified(walker, names, node)
    listed = child(node, "type_arguments")
    if term is None or listed is None or term[0] == "const":
        return term
    types = [type_of(walker, part, depth + 1) for part in without_comments(listed)]
    if names == ["Array"]:
        return list_of(types[0] if types else None)
    return applied(term, types)


def _plain(walker: KotlinWalker, name: str) -> Term:
    return walker.bounds[name] if name in walker.bounds else _KNOWN.get(name, ("name", name))


def qualified(walker: KotlinWalker, names: list[str], node: Node) -> Term:
    """Return the term of a dotted name; one that begins with a package is imported on the way."""
    size = next((n for n, name in enumerate(names) if name[:1].isupper()), 0)
    term: Term = ("name", names[0])
    rest = names[1:]
    if size:
        term = qualified_import(walker, ".".join(names[:size]), names[size], node)
        rest = names[size + 1 :]
    for name in rest:
        term = ("attr", term, name)
    return term


def parameters(walker: KotlinWalker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a function or a constructor, with their defaults."""
    params: list[Param] = []
    sort = ""
    for part, default in _with_defaults(node) if node is not None else ():
        if part.type == "parameter_modifiers":
            sort = "*" if "vararg" in walker.text(part).split() else ""
            continue
        named = child(part, "simple_identifier")
        if named is not None:
            if part.type == "class_parameter" and "vararg" in walker.text(part).split()[:4]:
                sort = "*"
            params.append(Param(walker.word(named), type_in(walker, part), default, sort))
        sort = ""
    return tuple(params)


def _with_defaults(node: Node) -> Iterator[tuple[Node, Term]]:
    """Yield the parameters of a list; a constant stands for a default value."""
    children = node.children
    for position, part in enumerate(children):
        if part.type in ("parameter", "class_parameter", "parameter_with_optional_type"):
            behind = (
                part.children if part.type == "class_parameter" else children[position + 1 :][:1]
            )
            has_default = any(other.type == "=" for other in behind)
            yield part, ("const", "none", None) if has_default else None
        elif part.type == "parameter_modifiers":
            yield part, None


def defaults(node: Node | None) -> Iterator[Node]:
    """Yield the default values in a list of parameters."""
    children = node.children if node is not None else []
    for position, part in enumerate(children):
        if part.type == "=" and position + 1 < len(children):
            yield children[position + 1]
        elif part.type == "class_parameter":
            yield from defaults(part)


def is_function_type(walker: KotlinWalker, node: Node | None) -> bool:
    """Return whether a parameter or variable is declared to be a function."""
    kind = type_in(walker, node)
    return kind is not None and kind[0] == "item" and kind[1] == ("name", "Function")


def bounds_of(walker: KotlinWalker, node: Node) -> dict[str, Term]:
    """Return what the parameters of a generic extend: it stands for them."""
    bounds: dict[str, Term] = {}
    for part in children_of(child(node, "type_parameters")):
        named = child(part, "type_identifier")
        if named is not None:
            bounds[walker.word(named)] = type_in(walker, part)
    for part in children_of(child(node, "type_constraints")):
        named = child(part, "type_identifier")
        if named is not None and (bound := type_in(walker, part)) is not None:
            bounds[walker.word(named)] = bound
    return bounds
