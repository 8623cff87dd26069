"""TypeScript: its dialect, declarations and types, and what its grammar cannot read."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

import attrs

from ...dialect import Dialect
from ...facts import Facts, Term
from ..facts_builder import count_errors
from ..grammars import parse
from . import javascript
from .definitions import declare_field, member_name, members, names_of
from .imports import export_name, import_alias
from .javascript import PARTS, walk_file
from .statements import STATEMENTS, class_declaration, function, transparent
from .walker import JavaScriptWalker

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- What the grammar of TypeScript cannot read, though it is sound: mended and parsed again.
#
# A call signature that begins with its type parameters goes on with the type of the line before,
# as the grammar sees it, and everything behind is lost. A semicolon takes the place of the end of
# line before it: no byte moves.

# A line of code, its end, then empty lines and comments, then a line that begins with `<`.
_CONTINUED = re.compile(
    rb"^([^\n]*[\])>}\w\"'][ \t\r]*)\n(?=(?:[ \t\r]*(?://[^\n]*)?\n){0,20}[ \t]*<[\s\w])", re.M
)


def mended(tree: Tree, source: bytes, grammar: str) -> Tree:
    """Return a tree with fewer errors, or the one given. Offsets hold for the source as it is."""
    if not tree.root_node.has_error:
        return tree
    other = _CONTINUED.sub(_ended, source)
    if other == source:
        return tree
    again = parse(other, grammar)
    fewer = count_errors(again.root_node) < count_errors(tree.root_node)
    return again if fewer else tree


def _ended(match: re.Match[bytes]) -> bytes:
    is_comment = b"//" in match[1] or match[1].lstrip().startswith((b"*", b"/*"))
    return match[0] if is_comment else match[1] + b";"


# --- Types of TypeScript as terms.

# Nesting beyond this says nothing that an index could use: Array<Array<Array<…>>>.
_DEEPEST = 12


def read_type(walker: JavaScriptWalker, node: Node, depth: int = 0) -> Term:
    """Return the term of a type, None for one that names no declaration."""
    if depth > _DEEPEST:
        return None
    handler = _TYPES.get(node.type)
    return None if handler is None else handler(walker, node, depth + 1)


def _name(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name = walker.text(node)
    return walker.bounds.get(name, ("name", name))


def _basic(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name = walker.text(node)
    return ("name", name) if name in ("string", "number", "boolean") else None


def _qualified(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    module = node.child_by_field_name("module") or node.child_by_field_name("object")
    name = walker.text_of(node, "name") or walker.text_of(node, "property")
    inner = None if module is None else read_type(walker, module, depth)
    return ("attr", inner, name) if inner is not None else None


def _generic(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name, listed = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    base = None if name is None else read_type(walker, name, depth)
    if base is None or listed is None:
        return base
    arguments = tuple(read_type(walker, child, depth) for child in listed.named_children)
    if base in _TRANSPARENT:
        return arguments[0] if arguments else None
    if base in _OF_VALUES and arguments and arguments[0] is not None:
        return _of_value(arguments[0], name=base[1] if base else "")
    key: Term = arguments[0] if len(arguments) == 1 else ("tuple", arguments)
    return ("item", base, key)


def _object(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`{ a: A; b(c: C): B }`: the type of an object literal with values of those types."""
    members: list[tuple[Term, Term]] = []
    for child in node.named_children:
        kind: Term = None
        if child.type == "method_signature":
            kind = _function(walker, child, depth)
        elif child.type == "property_signature":
            written = child.child_by_field_name("type")
            kind = None if written is None else read_type(walker, written, depth)
        if kind is not None:
            members.append((("const", "str", walker.text_of(child, "name")), ("typed", kind)))
    return ("same", ("dict", tuple(members))) if members else None


def _of_value(kind: Term, *, name: str) -> Term:
    """`ReturnType<typeof f>`: what f gives; `InstanceType<typeof C>`: a C."""
    if kind is None or kind[0] != "same":
        return None
    return ("same", ("call" if name == "ReturnType" else "new", kind[1], (), (), None))


def _query(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`typeof x`: the type of a value, which is a name or a member of one."""
    named = _value(walker, node.named_children[-1]) if node.named_child_count else None
    return None if named is None else ("same", named)


def _value(walker: JavaScriptWalker, node: Node) -> Term:
    if node.type == "member_expression":
        inner = node.child_by_field_name("object")
        held = None if inner is None else _value(walker, inner)
        return None if held is None else ("attr", held, walker.text_of(node, "property"))
    if node.type == "this":
        return walker.this
    return ("name", walker.text(node)) if node.type == "identifier" else None


def _lookup(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`T["x"]`: the type of a member."""
    parts = node.named_children
    kind = read_type(walker, parts[0], depth) if len(parts) == 2 else None
    if kind is None or parts[1].type != "literal_type" or not parts[1].named_children:
        return None
    key = parts[1].named_children[0]
    is_name = key.type == "string"
    return ("same", ("attr", ("typed", kind), walker.text(key)[1:-1])) if is_name else None


def _array(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    return ("item", ("name", "Array"), _inner(walker, node, depth))


def _inner(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    for child in node.named_children:
        if child.type != "comment":
            return read_type(walker, child, depth)
    return None


def _function(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`(a: A) => B`."""
    result = node.child_by_field_name("return_type")
    gives = None if result is None else read_type(walker, result, depth)
    parameter_types = _parameter_types(walker, node, depth)
    return ("item", ("name", "Callable"), ("tuple", (("tuple", parameter_types), gives)))


def _parameter_types(walker: JavaScriptWalker, node: Node, depth: int) -> tuple[Term, ...]:
    listed = node.child_by_field_name("parameters")
    kinds = [
        child.child_by_field_name("type")
        for child in (listed.named_children if listed is not None else ())
        if child.type in ("required_parameter", "optional_parameter")
        and walker.text_of(child, "pattern") != "this"
    ]
    return tuple(None if kind is None else read_type(walker, kind, depth) for kind in kinds)


def shape_of(walker: JavaScriptWalker, node: Node | None) -> tuple[Term, ...]:
    """Return the types of the parameters of the function that a type asks for."""
    while node is not None and node.type in _AROUND and node.named_child_count:
        inner = [child for child in node.named_children if child.type in _SHAPED]
        node = inner[0] if inner else None
    if node is None:
        return ()
    if node.type in ("function_type", "call_signature"):
        return _parameter_types(walker, node, 0)
    name = node.child_by_field_name("name") if node.type == "generic_type" else node
    return walker.shapes.get(walker.text(name), ()) if name is not None else ()


def _either(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """A union or intersection: one of its sides; long ones lean to the left and are walked."""
    sides: list[Node] = []
    kind = node.type
    left = node
    while left.type == kind and left.named_child_count > 1:
        children = left.named_children
        sides += children[:0:-1]
        left = children[0]
    sides.append(left)
    terms = [read_type(walker, side, depth) for side in reversed(sides)]
    known = tuple(term for term in terms if term is not None)
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _tuple(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    parts = tuple(read_type(walker, _typed(child), depth) for child in node.named_children)
    return ("item", ("name", "tuple"), ("tuple", parts))


def _typed(node: Node) -> Node:
    """Return the type in `[name: A]`."""
    kind = node.child_by_field_name("type")
    is_named = node.type in ("required_parameter", "optional_parameter")
    return kind if kind is not None and is_named else node


# What is as good as its argument: awaiting a promise is said apart, and gives the same.
_TRANSPARENT = tuple(
    ("name", name)
    for name in """
    Readonly Partial Required NonNullable Promise PromiseLike Awaited Pick Omit Extract Exclude
    """.split()
)
_OF_VALUES = (("name", "ReturnType"), ("name", "InstanceType"))
_AROUND = {"type_annotation", "parenthesized_type", "union_type", "readonly_type"}
_SHAPED = _AROUND | {"function_type", "type_identifier", "generic_type"}
_TYPES: dict[str, Callable[[JavaScriptWalker, Node, int], Term]] = {
    "type_annotation": _inner,
    "type_identifier": _name,
    "identifier": _name,
    "predefined_type": _basic,
    "nested_type_identifier": _qualified,
    "nested_identifier": _qualified,
    "generic_type": _generic,
    "array_type": _array,
    "readonly_type": _inner,
    "parenthesized_type": _inner,
    "optional_type": _inner,
    "rest_type": _inner,
    "union_type": _either,
    "intersection_type": _either,
    "tuple_type": _tuple,
    "function_type": _function,
    "object_type": _object,
    "type_query": _query,
    "lookup_type": _lookup,
    "this_type": lambda walker, node, depth: ("self",),
}


# --- TypeScript and TSX: what JavaScript has, with types, interfaces, enums and namespaces.

DIALECT = attrs.evolve(
    javascript.DIALECT,
    name="typescript",
    extensions=(".ts", ".tsx", ".mts", ".cts"),
    dynamically_typed=False,
)
_DECLARED = {"interface_body", "object_type"}


def grammar(path: str) -> str:
    """Return the grammar of a file: TSX cannot read `<T>x`, TypeScript cannot read elements."""
    return "tsx" if path.endswith((".tsx", ".TSX")) else "typescript"


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a TypeScript file says."""
    return read(tree, source, path, DIALECT, grammar(path))


def read(tree: Tree, source: bytes, path: str, dialect: Dialect, grammar: str) -> Facts:
    """Return what a text in a grammar of TypeScript says."""
    parts = attrs.evolve(
        PARTS,
        statements=_STATEMENTS,
        type=lambda walker, node: read_type(walker, node),
        parameter=_parameter,
        shape=shape_of,
    )
    return walk_file(mended(tree, source, grammar), source, path, dialect, parts)


def _parameter(
    walker: JavaScriptWalker, node: Node, pattern: Node, declared: Term, inside: int
) -> None:
    """A parameter may be a field as well, and one that is taken apart have types for its parts."""
    kind = node.child_by_field_name("type")
    written = kind.named_children[0] if kind is not None and kind.named_child_count else None
    if pattern.type == "object_pattern" and written is not None and written.type == "object_type":
        _parts_declared(walker, pattern, written, inside)
    _parameter_property(walker, node, pattern, declared, inside)


def _parts_declared(walker: JavaScriptWalker, pattern: Node, kind: Node, inside: int) -> None:
    """`{ a }: { a: A }` declares a."""
    types = {
        walker.text_of(member, "name"): member.child_by_field_name("type")
        for member in kind.named_children
        if member.type == "property_signature"
    }
    for child in pattern.named_children:
        key, target = child, child
        if child.type == "pair_pattern":
            key = child.child_by_field_name("key") or child
            target = child.child_by_field_name("value") or child
        if target.type in ("assignment_pattern", "object_assignment_pattern"):
            target = target.child_by_field_name("left") or target
            key = target if key is child else key
        kind_term = walker.type(types.get(walker.text(key)))
        if kind_term is not None and target.type.startswith(("identifier", "shorthand")):
            walker.add(inside, ("declare", ("name", walker.text(target)), kind_term))


def _parameter_property(
    walker: JavaScriptWalker, node: Node, pattern: Node, declared: Term, inside: int
) -> None:
    """`constructor(private x: T)` declares a field and binds it."""
    around = walker.builder.scope(inside).parent
    modifiers = [child for child in node.children if child.type in _KEEPING]
    for child in node.children:
        if child.type == "decorator":
            walker.evaluate(child.named_children, around)
    if not modifiers or pattern.type != "identifier":
        return
    name = walker.text(pattern)
    flags = ["private"] if walker.text(modifiers[0]) == "private" else []
    declare_field(walker, node, pattern, name, around, declared, flags)
    walker.add(inside, ("bind", ("attr", ("self",), name), ("name", name)))


def _interface(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """An interface: a class whose members are only declared."""
    around = walker.take_bounds(node), walker.generics
    walker.generics = names_of(walker, node)
    bases = [
        walker.type(base)
        for clause in node.named_children
        if clause.type in ("extends_type_clause", "extends_clause")
        for base in clause.named_children
    ]
    body = node.child_by_field_name("body")
    called = [c for c in body.named_children if c.type == "call_signature"] if body else []
    if called:
        walker.shapes[walker.text_of(node, "name")] = shape_of(walker, called[0])
    _declared_class(walker, node, body, scope, ["interface"], bases)
    walker.bounds, walker.generics = around


def _alias(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`type A = …`: an object type is an interface, anything else another name."""
    outer = walker.take_bounds(node)
    _aliased(walker, node, scope)
    walker.bounds = outer


def _aliased(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    value = node.child_by_field_name("value")
    parts = [value] if value is not None and value.type != "intersection_type" else []
    if value is not None and not parts:
        parts = value.named_children
    body = next((part for part in parts if part.type in _DECLARED), None)
    if body is not None:
        bases = [walker.type(part) for part in parts if part.type not in _DECLARED]
        _declared_class(walker, node, body, scope, ["interface", "alias"], bases)
        return
    name = walker.text_of(node, "name")
    if shape := shape_of(walker, value):
        walker.shapes[name] = shape
    flags = ["alias"] if walker.exported is None else ["alias", "exported"]
    whole = walker.exported or node
    type_term = walker.type(value)
    walker.builder.define(
        "variable", name, whole, scope=scope, named=node.child_by_field_name("name"),
        flags=flags, doc=walker.above.take(whole),
    )  # fmt: skip
    walker.bind(scope, name, type_term)
    export_name(walker, name, node, scope)


def _declared_class(
    walker: JavaScriptWalker,
    node: Node,
    body: Node | None,
    scope: int,
    flags: list[str],
    bases: list[Term],
) -> None:
    name = walker.text_of(node, "name")
    whole = walker.exported or node
    if walker.exported is not None:
        flags = [*flags, "exported"]
    number = walker.builder.define(
        "class", name, whole, scope=scope, body="class",
        named=node.child_by_field_name("name"),
        header=None if body is None else body.start_byte,
        flags=flags,
        bases=[base for base in bases if base is not None],
        doc=walker.above.take(whole),
    )  # fmt: skip
    inside = walker.enter(walker.builder.body(number))
    if body is not None:
        members(walker, body, inside)
    walker.declare(scope, name)
    walker.add(scope, ("define", number))
    export_name(walker, name, node, scope)


def _enum(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """An enum: a class whose members are its constants."""
    _declared_class(walker, node, node.child_by_field_name("body"), scope, ["enum"], [])


def _enum_member(walker: JavaScriptWalker, node: Node, inside: int) -> None:
    """One constant of an enum, with or without a value."""
    named = node.child_by_field_name("name") or node
    name = member_name(walker, named, inside)
    declare_field(
        walker, node, named, name, inside, None, ["constant"], (), walker.above.take(node)
    )
    walker.evaluate_field(node, "value", inside)


def _plain_enum_members(walker: JavaScriptWalker, node: Node, inside: int) -> None:
    """A constant of an enum without a value is a mere name; elsewhere such a name says nothing."""
    parent = node.parent
    if parent is not None and parent.type == "enum_body":
        _enum_member(walker, node, inside)


def _namespace(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`namespace A.B { … }`; `declare module "m"` and `declare global` only hold statements."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None or named.type == "string" or body is None:
        if body is not None:
            walker.block(body.named_children, scope)
        return
    exported, walker.exported = walker.exported, None
    doc = walker.above.take(exported or node)
    names = walker.text(named).split(".")
    inner = scope
    for name in names:
        number = walker.builder.define(
            "class", name.strip(), exported or node, scope=inner, body="class", named=named,
            header=body.start_byte, flags=["namespace"], doc=doc,
        )  # fmt: skip
        walker.declare(inner, name)
        walker.add(inner, ("define", number))
        inner = walker.enter_namespace(walker.builder.body(number))
    walker.block(body.named_children, inner)
    walker.exported = exported
    export_name(walker, names[0], node, scope)


_KEEPING = {"accessibility_modifier", "readonly", "override_modifier"}
_STATEMENTS = {
    **STATEMENTS,
    "abstract_class_declaration": class_declaration,
    "function_signature": function,
    "interface_declaration": _interface,
    "type_alias_declaration": _alias,
    "enum_declaration": _enum,
    "internal_module": _namespace,
    "module": _namespace,
    "import_alias": import_alias,
    "ambient_declaration": transparent,
    "enum_assignment": _enum_member,
    "property_identifier": _plain_enum_members,
    "type_parameters": lambda walker, node, scope: None,
}
