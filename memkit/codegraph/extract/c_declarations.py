"""Functions, variables and macros of C and C++."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Param, Term
from .c_blocks import local
from .c_structures import SORTS, STRUCTURES
from .c_terms import initial
from .c_types import (
    CWalker,
    Declared,
    callable_of,
    declared,
    declared_type,
    parameters,
    path_of,
    sizes,
    trailing,
    type_of,
)
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = CWalker

_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_WORDS = frozenset(b"if for while switch return sizeof defined do typeof alignof".split())


def include(w: W, node: Node) -> None:
    """`#include` takes in all names of a file."""
    path = node.child_by_field_name("path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        module = w.text(path)
        w.hoist("import", "", module[1:-1], "*", 0 if module[0] == '"' else 1, w.site(path))


def macro(w: W, node: Node) -> None:
    """`#define`: a constant, or a function whose calls are found in its text."""
    found = fields(node)
    named, text = found.get("name"), found.get("value")
    if named is None:
        return
    name, doc = w.name(named), w.above()
    if node.type == "preproc_def":
        w.define(
            "variable", name, node, scope=MODULE_SCOPE, named=named, flags=("macro", "constant"),
            doc=doc,
        )  # fmt: skip
        w.hoist("bind", ("name", name), None)
        return
    number = w.define(
        "function", name, node, scope=MODULE_SCOPE, body="function", named=named,
        header=text.start_byte if text is not None else None, flags=("macro",), doc=doc,
    )  # fmt: skip
    w.hoist("define", number)
    scope = w.body(number)
    for call in _CALLED.finditer(w.source, text.start_byte, text.end_byte) if text else ():
        if call[1] not in _WORDS and call[1].decode() != name:
            callee = ("name", call[1].decode())
            w.add(scope, ("do", ("call", callee, (), (), w.site_at(call.start()))))


def conditional(w: W, node: Node) -> None:
    """`#if …`: all branches count."""
    found = fields(node)
    skipped = (found.get("name"), found.get("condition"))
    w.each([child for child in node.named_children if child not in skipped])


def function(w: W, node: Node) -> None:
    """A function with a body, in a file or a class."""
    found = fields(node)
    what = declared(found.get("declarator"))
    body = found.get("body")
    if what.name is None:
        w.each(node.named_children)
        return
    if what.function is None and what.name.type != "operator_cast":
        # A macro in front of a block: its text is code all the same.
        w.each([body] if body is not None else [])
        return
    taken = parameters(w, what.function)
    number = _define(w, node, found.get("type"), what, body, taken)
    initialisers = [c for c in node.named_children if c.type == "field_initializer_list"]
    if body is not None:
        inner = [*initialisers, *body.named_children]
        class_name, w.class_name = w.class_name, ""
        w.within(w.body(number), inner, taken)
        w.class_name = class_name


def _define(
    w: W,
    whole: Node,
    kind: Node | None,
    what: Declared,
    body: Node | None,
    taken: tuple[Param, ...],
) -> int:
    """Define a function or a method, wherever it stands, and return its number."""
    named = what.name
    assert named is not None
    name, owner, qualname = _named(w, named)
    is_member = w.scope(w.at).kind == "class" and bool(w.class_name)
    is_method = is_member or (owner is not None and owner[-1] not in w.namespaces)
    holder = w.class_name if is_member else owner[-1] if owner is not None else ""
    flags = _flags(w, whole, is_member=is_method)
    if name and name == holder:
        flags.append("constructor")
    if body is None and not any(c.type.endswith("_clause") for c in whole.named_children):
        flags.append("abstract")
    doc = w.above()
    returns = trailing(w, what.function) or type_of(w, kind)
    number = w.define(
        "method" if is_method else "function", name, whole, scope=w.at, named=named,
        header=body.start_byte if body is not None else whole.end_byte,
        qualname=qualname, flags=flags, params=taken,
        returns=callable_of(returns) if what.points_to_function else returns, owner=owner, doc=doc,
    )  # fmt: skip
    if body is not None:
        w.open_body(number)
    generics = w.take_templates()
    for generic in generics if body is not None else ():
        w.add(w.body(number), ("bind", ("name", generic), None))
    if owner is None:
        w.hoist("define", number)
    return number


def _named(w: W, named: Node) -> tuple[str, Term, str | None]:
    """Return name, owner and dotted name of what a declarator names."""
    path = path_of(w, named) if named.type == "qualified_identifier" else None
    if path is not None and path[0] == "attr":
        dotted = re.sub(r"<[^<>]*>|\s", "", w.text(named)).replace("::", ".").strip(".")
        return re.sub(r"\s+", "", path[2]), path[1], w.qualified(w.at, dotted)
    if named.type == "template_function" and named.named_child_count:
        named = named.named_children[0]
    text = w.text(named)
    if named.type == "operator_cast":
        text = text.partition("(")[0].strip()
    return re.sub(r"(?<=\W)\s+|\s+(?=\W)", "", text), None, None


def _flags(w: W, node: Node, *, is_member: bool) -> list[str]:
    stored = [w.text(c) for c in node.children if c.type == "storage_class_specifier"]
    flags = ["static" if is_member else "private"] if "static" in stored else []
    return [*flags, "private"] if is_member and w.is_private else flags


def declaration(w: W, node: Node) -> None:
    """Variables and prototypes; in a function names only."""
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in SORTS and kind.child_by_field_name("body") is not None:
        w.run(kind)
    if w.scope(w.at).kind in ("function", "block"):
        local(w, node)
        return
    meant, doc = type_of(w, kind), w.above()
    for one in node.children_by_field_name("declarator"):
        what = declared(one)
        if what.name is None:
            continue
        if what.function is not None and one.type != "init_declarator":
            _define(w, node, kind, what, None, parameters(w, what.function))
        else:
            _variable(w, node, one, meant, kind, what, doc)
    if "default_value" in (found := fields(node)):
        w.run(found["default_value"])


def _variable(
    w: W, node: Node, one: Node, kind: Term, type_node: Node | None, what: Declared, doc: str
) -> None:
    named = what.name
    assert named is not None
    name, owner, qualname = _named(w, named)
    is_field = w.scope(w.at).kind == "class"
    flags = _flags(w, node, is_member=is_field)
    meant = declared_type(w, kind, what)
    sizes(w, one if what.is_array else None)
    w.define(
        "variable", name, node, scope=w.at, named=named, qualname=qualname, returns=meant,
        flags=flags, owner=owner, doc=doc,
    )  # fmt: skip
    target: Term = ("name", name) if owner is None else ("attr", owner, name)
    if meant is not None and owner is None:
        w.say("declare", target, meant)
    if one.type == "init_declarator":
        value = initial(w, kind, type_node, one.child_by_field_name("value"), what)
        if value is not None:
            w.bind(target, value)
    elif meant is None and owner is None:
        w.bind(target, None)


DECLARATIONS: Statements = {
    "preproc_include": include,
    "preproc_def": macro,
    "preproc_function_def": macro,
    "preproc_if": conditional,
    "preproc_ifdef": conditional,
    "preproc_elif": conditional,
    "preproc_elifdef": conditional,
    "function_definition": function,
    "declaration": declaration,
    "field_declaration": declaration,
    **STRUCTURES,
}
