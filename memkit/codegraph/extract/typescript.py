"""TypeScript and TSX: what JavaScript has, with types, interfaces, enums and namespaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from ..dialect import Dialect
from ..facts import Facts, Term
from .javascript import BUILTIN_METHODS, PARTS, walk_file
from .javascript_classes import declare_field, member_name, members
from .javascript_functions import names_of
from .javascript_modules import export_name, import_alias
from .javascript_statements import STATEMENTS, class_declaration, function, transparent
from .javascript_walk import Walk
from .typescript_mending import mended
from .typescript_types import read_type, shape_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="typescript",
    extensions=(".ts", ".tsx", ".mts", ".cts"),
    constructors=frozenset({"constructor"}),
    builtin_methods=BUILTIN_METHODS,
    invokers=frozenset({"call", "apply"}),
    bare_in_class=False,
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
        type=lambda walk, node: read_type(walk, node),
        parameter=_parameter,
        shape=shape_of,
    )
    return walk_file(mended(tree, source, grammar), source, path, dialect, parts)


def _parameter(walk: Walk, node: Node, pattern: Node, declared: Term, inside: int) -> None:
    """A parameter may be a field as well, and one that is taken apart have types for its parts."""
    kind = node.child_by_field_name("type")
    written = kind.named_children[0] if kind is not None and kind.named_child_count else None
    if pattern.type == "object_pattern" and written is not None and written.type == "object_type":
        _parts_declared(walk, pattern, written, inside)
    _parameter_property(walk, node, pattern, declared, inside)


def _parts_declared(walk: Walk, pattern: Node, kind: Node, inside: int) -> None:
    """`{ a }: { a: A }` declares a."""
    types = {
        walk.text_of(one, "name"): one.child_by_field_name("type")
        for one in kind.named_children
        if one.type == "property_signature"
    }
    for child in pattern.named_children:
        key, target = child, child
        if child.type == "pair_pattern":
            key = child.child_by_field_name("key") or child
            target = child.child_by_field_name("value") or child
        if target.type in ("assignment_pattern", "object_assignment_pattern"):
            target = target.child_by_field_name("left") or target
            key = target if key is child else key
        found = walk.type(types.get(walk.text(key)))
        if found is not None and target.type.startswith(("identifier", "shorthand")):
            walk.add(inside, ("declare", ("name", walk.text(target)), found))


def _parameter_property(walk: Walk, node: Node, pattern: Node, declared: Term, inside: int) -> None:
    """`constructor(private x: T)` declares a field and binds it."""
    around = walk.builder.scope(inside).parent
    kept = [child for child in node.children if child.type in _KEEPING]
    for child in node.children:
        if child.type == "decorator":
            walk.evaluate(child.named_children, around)
    if not kept or pattern.type != "identifier":
        return
    name = walk.text(pattern)
    flags = ["private"] if walk.text(kept[0]) == "private" else []
    declare_field(walk, node, pattern, name, around, declared, flags)
    walk.add(inside, ("bind", ("attr", ("self",), name), ("name", name)))


def _interface(walk: Walk, node: Node, scope: int) -> None:
    """An interface: a class whose members are only declared."""
    around = walk.take_bounds(node), walk.generics
    walk.generics = names_of(walk, node)
    bases = [
        walk.type(one)
        for clause in node.named_children
        if clause.type in ("extends_type_clause", "extends_clause")
        for one in clause.named_children
    ]
    body = node.child_by_field_name("body")
    called = [c for c in body.named_children if c.type == "call_signature"] if body else []
    if called:
        walk.shapes[walk.text_of(node, "name")] = shape_of(walk, called[0])
    _declared_class(walk, node, body, scope, ["interface"], bases)
    walk.bounds, walk.generics = around


def _alias(walk: Walk, node: Node, scope: int) -> None:
    """`type A = …`: an object type is an interface, anything else another name."""
    outer = walk.take_bounds(node)
    _aliased(walk, node, scope)
    walk.bounds = outer


def _aliased(walk: Walk, node: Node, scope: int) -> None:
    value = node.child_by_field_name("value")
    parts = [value] if value is not None and value.type != "intersection_type" else []
    if value is not None and not parts:
        parts = value.named_children
    body = next((part for part in parts if part.type in _DECLARED), None)
    if body is not None:
        bases = [walk.type(part) for part in parts if part.type not in _DECLARED]
        _declared_class(walk, node, body, scope, ["interface", "alias"], bases)
        return
    name = walk.text_of(node, "name")
    if shape := shape_of(walk, value):
        walk.shapes[name] = shape
    flags = ["alias"] if walk.exported is None else ["alias", "exported"]
    whole = walk.exported or node
    meant = walk.type(value)
    walk.builder.define(
        "variable", name, whole, scope=scope, named=node.child_by_field_name("name"),
        flags=flags, doc=walk.above.take(whole),
    )  # fmt: skip
    walk.bind(scope, name, meant)
    export_name(walk, name, node, scope)


def _declared_class(
    walk: Walk,
    node: Node,
    body: Node | None,
    scope: int,
    flags: list[str],
    bases: list[Term],
) -> None:
    name = walk.text_of(node, "name")
    whole = walk.exported or node
    if walk.exported is not None:
        flags = [*flags, "exported"]
    number = walk.builder.define(
        "class", name, whole, scope=scope, body="class",
        named=node.child_by_field_name("name"),
        header=None if body is None else body.start_byte,
        flags=flags,
        bases=[base for base in bases if base is not None],
        doc=walk.above.take(whole),
    )  # fmt: skip
    inside = walk.enter(walk.builder.body(number))
    if body is not None:
        members(walk, body, inside)
    walk.declare(scope, name)
    walk.add(scope, ("define", number))
    export_name(walk, name, node, scope)


def _enum(walk: Walk, node: Node, scope: int) -> None:
    """An enum: a class whose members are its constants."""
    _declared_class(walk, node, node.child_by_field_name("body"), scope, ["enum"], [])


def _enum_member(walk: Walk, node: Node, inside: int) -> None:
    """One constant of an enum, with or without a value."""
    named = node.child_by_field_name("name") or node
    name = member_name(walk, named, inside)
    declare_field(walk, node, named, name, inside, None, ["constant"], (), walk.above.take(node))
    walk.evaluate_field(node, "value", inside)


def _plain_enum_members(walk: Walk, node: Node, inside: int) -> None:
    """A constant of an enum without a value is a mere name; elsewhere such a name says nothing."""
    parent = node.parent
    if parent is not None and parent.type == "enum_body":
        _enum_member(walk, node, inside)


def _namespace(walk: Walk, node: Node, scope: int) -> None:
    """`namespace A.B { … }`; `declare module "m"` and `declare global` only hold statements."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None or named.type == "string" or body is None:
        if body is not None:
            walk.block(body.named_children, scope)
        return
    exported, walk.exported = walk.exported, None
    doc = walk.above.take(exported or node)
    names = walk.text(named).split(".")
    inner = scope
    for name in names:
        number = walk.builder.define(
            "class", name.strip(), exported or node, scope=inner, body="class", named=named,
            header=body.start_byte, flags=["namespace"], doc=doc,
        )  # fmt: skip
        walk.declare(inner, name)
        walk.add(inner, ("define", number))
        inner = walk.enter_namespace(walk.builder.body(number))
    walk.block(body.named_children, inner)
    walk.exported = exported
    export_name(walk, names[0], node, scope)


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
    "type_parameters": lambda walk, node, scope: None,
}
