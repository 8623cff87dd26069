"""Structures, classes, enumerations and typedefs of C and C++."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .c_types import CWalker, declared, declared_type, path_of, type_of
from .walking import Statements

if TYPE_CHECKING:
    from tree_sitter import Node

W = CWalker


SORTS = {
    "struct_specifier": "struct",
    "class_specifier": "",
    "union_specifier": "struct",
    "enum_specifier": "enum",
}


def structure(w: W, node: Node) -> None:
    """A struct, union, class or enum with a body; a name alone declares nothing new."""
    body = node.child_by_field_name("body")
    if body is not None:
        _structure(w, node, node.child_by_field_name("name"), body, node)


def _structure(w: W, node: Node, named: Node | None, body: Node, whole: Node) -> None:
    if named is not None and named.type == "template_type":
        named = named.named_children[0]
    name = w.name(named) if named is not None else ""
    owner: Term = None
    if named is not None and named.type == "qualified_identifier":
        path = path_of(w, named)
        name, owner = (path[2], path[1]) if path and path[0] == "attr" else (w.name(named), None)
    sort = SORTS[node.type]
    doc = w.above()
    if not name:
        _anonymous(w, node, body)
        return
    number = w.define(
        "class", name, whole, scope=w.at, body="class", named=named, header=body.start_byte,
        flags=[sort] if sort else [], bases=_bases(w, node), owner=owner, doc=doc,
    )  # fmt: skip
    w.hoist("define", number)
    if sort == "enum":
        _enumerators(w, body, w.at if not _is_scoped(node) else w.body(number), ("name", name))
        return
    for generic in w.take_templates():
        w.add(w.body(number), ("bind", ("name", generic), None))
    held = w.class_name, w.is_private, w.outside
    w.outside = w.outside if w.class_name else w.at
    w.class_name, w.is_private = name, node.type == "class_specifier"
    w.within(w.body(number), body.named_children)
    w.class_name, w.is_private, w.outside = held


def _anonymous(w: W, node: Node, body: Node) -> None:
    """Members of something without a name are found in what is around it."""
    if node.type == "enum_specifier":
        _enumerators(w, body, w.at, None)
    elif w.scope(w.at).kind == "class":
        w.each(body.named_children)
    else:
        w.block(body.named_children)


def _is_scoped(node: Node) -> bool:
    return any(child.type in ("class", "struct") for child in node.children[:2])


def _bases(w: W, node: Node) -> list[Term]:
    found = []
    for clause in node.named_children:
        if clause.type == "base_class_clause":
            found += [type_of(w, child) for child in clause.named_children]
    return [base for base in found if base is not None]


def _enumerators(w: W, body: Node, scope: int, kind: Term) -> None:
    around, w.at = w.at, scope
    for child in body.named_children:
        if child.type == "enumerator" and child.named_child_count:
            named = child.named_children[0]
            w.variable(w.name(named), child, named=named, type_=kind, flags=("constant", "enum"))
            if kind is None:
                w.hoist("bind", ("name", w.name(named)), None)
            for value in child.named_children[1:]:
                w.run(value)
        elif child.type.startswith("preproc"):
            w.run(child)
    w.at = around


def typedef(w: W, node: Node) -> None:
    """`typedef`: another name of a type, or the only one of a structure."""
    kind, doc = node.child_by_field_name("type"), w.above()
    names = [declared(one) for one in node.children_by_field_name("declarator")]
    body = kind.child_by_field_name("body") if kind is not None else None
    if kind is not None and body is not None and kind.type in SORTS:
        if kind.child_by_field_name("name") is None and names and not names[0].is_pointer:
            _structure(w, kind, names.pop(0).name, body, node)
        else:
            w.run(kind)
    for what in names:
        if what.name is not None:
            alias(w, node, what.name, declared_type(w, type_of(w, kind), what), doc)


def alias(w: W, node: Node, named: Node, kind: Term, doc: str) -> None:
    """Define another name of a type."""
    name = w.name(named)
    w.define("class", name, node, scope=w.at, named=named, flags=("alias",), doc=doc)
    if kind != ("name", name):
        w.hoist("bind", ("name", name), kind)


STRUCTURES: Statements = {"type_definition": typedef, **dict.fromkeys(SORTS, structure)}
