"""Functions, structures, typedefs, macros; blanking unreadable macros."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Param, Term
from ..facts_builder import count_errors
from ..grammars import ParseTimeout, parse
from ..walker import Statements, fields
from .declarators import (
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
from .expressions import initial, local

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Structures, classes, enumerations and typedefs of C and C++.

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


# --- Functions, variables and macros of C and C++.

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


# --- C and C++ text that a grammar cannot read because of macros, made readable.
#
# Macros like `API_EXPORT` between `class` and its name, or in front of a function, break the
# syntax. If a file has errors they are blanked, byte for byte, and the file is parsed again.

_WORD = rb"[A-Z][A-Z0-9]*_[A-Z0-9_]*|[A-Z]{4,}"
# `class API Foo`, with arguments or not.
_BEFORE_NAME = re.compile(
    rb"\b(?:class|struct|union|enum)[ \t]+((?:"
    + _WORD
    + rb")(?:\([^()\n]*\))?)[ \t]+(?=[A-Za-z_]\w*)"
)
# A line of its own, without the semicolon of a statement.
_ALONE = re.compile(rb"^[ \t]*((?:" + _WORD + rb")(?:\([^()\n;{}]*\))?)[ \t]*\r?$", re.MULTILINE)
# In front of a type or a keyword where a declaration begins.
_IN_FRONT = re.compile(
    rb"(?:^|[;{}>)])[ \t]*((?:" + _WORD + rb")(?:\([^()\n]*\))?)(?=[ \t]+[A-Za-z_~][\w:]*[\s*&<(])",
    re.MULTILINE,
)
# Behind the parameters of a function.
_BEHIND = re.compile(rb"\)[ \t\n]*((?:" + _WORD + rb")(?:\([^()\n]*\))?)(?=\s*[;{])")
_BLANK = re.compile(rb"[^\n]")


def readable(tree: Tree, source: bytes, language: str) -> Tree:
    """Return the tree, or one of the text without such macros if that has fewer errors."""
    if not tree.root_node.has_error:
        return tree
    best, least, text = tree, count_errors(tree.root_node), source
    for pattern in (_BEFORE_NAME, _IN_FRONT, _ALONE, _BEHIND):
        blanked = pattern.sub(_blank, text)
        if blanked == text:
            continue
        try:
            again = parse(blanked, language)
        except ParseTimeout:
            break
        errors = count_errors(again.root_node)
        if errors < least:
            best, least, text = again, errors, blanked
    return best


def _blank(match: re.Match[bytes]) -> bytes:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    whole = match[0]
    return whole[:start] + _BLANK.sub(b" ", whole[start:end]) + whole[end:]
