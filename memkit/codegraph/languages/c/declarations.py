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


def structure(walker: CWalker, node: Node) -> None:
    """A struct, union, class or enum with a body; a name alone declares nothing new."""
    body = node.child_by_field_name("body")
    if body is not None:
        _structure(walker, node, node.child_by_field_name("name"), body, node)


def _structure(walker: CWalker, node: Node, named: Node | None, body: Node, whole: Node) -> None:
    if named is not None and named.type == "template_type":
        named = named.named_children[0]
    name = walker.name(named) if named is not None else ""
    owner: Term = None
    if named is not None and named.type == "qualified_identifier":
        path = path_of(walker, named)
        name, owner = (
            (path[2], path[1]) if path and path[0] == "attr" else (walker.name(named), None)
        )
    sort = SORTS[node.type]
    doc = walker.above()
    if not name:
        _anonymous(walker, node, body)
        return
    number = walker.define(
        "class", name, whole, scope=walker.at, body="class", named=named, header=body.start_byte,
        flags=[sort] if sort else [], bases=_bases(walker, node), owner=owner, doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    if sort == "enum":
        _enumerators(
            walker, body, walker.at if not _is_scoped(node) else walker.body(number), ("name", name)
        )
        return
    for generic in walker.take_templates():
        walker.add(walker.body(number), ("bind", ("name", generic), None))
    held = walker.class_name, walker.is_private, walker.outside
    walker.outside = walker.outside if walker.class_name else walker.at
    walker.class_name, walker.is_private = name, node.type == "class_specifier"
    walker.within(walker.body(number), body.named_children)
    walker.class_name, walker.is_private, walker.outside = held


def _anonymous(walker: CWalker, node: Node, body: Node) -> None:
    """Members of something without a name are found in what is around it."""
    if node.type == "enum_specifier":
        _enumerators(walker, body, walker.at, None)
    elif walker.scope(walker.at).kind == "class":
        walker.each(body.named_children)
    else:
        walker.block(body.named_children)


def _is_scoped(node: Node) -> bool:
    return any(child.type in ("class", "struct") for child in node.children[:2])


def _bases(walker: CWalker, node: Node) -> list[Term]:
    bases = []
    for clause in node.named_children:
        if clause.type == "base_class_clause":
            bases += [type_of(walker, child) for child in clause.named_children]
    return [base for base in bases if base is not None]


def _enumerators(walker: CWalker, body: Node, scope: int, kind: Term) -> None:
    around, walker.at = walker.at, scope
    for child in body.named_children:
        if child.type == "enumerator" and child.named_child_count:
            named = child.named_children[0]
            walker.variable(
                walker.name(named), child, named=named, type_=kind, flags=("constant", "enum")
            )
            if kind is None:
                walker.hoist("bind", ("name", walker.name(named)), None)
            for value in child.named_children[1:]:
                walker.run(value)
        elif child.type.startswith("preproc"):
            walker.run(child)
    walker.at = around


def typedef(walker: CWalker, node: Node) -> None:
    """`typedef`: another name of a type, or the only one of a structure."""
    kind, doc = node.child_by_field_name("type"), walker.above()
    names = [declared(declarator) for declarator in node.children_by_field_name("declarator")]
    body = kind.child_by_field_name("body") if kind is not None else None
    if kind is not None and body is not None and kind.type in SORTS:
        if kind.child_by_field_name("name") is None and names and not names[0].is_pointer:
            _structure(walker, kind, names.pop(0).name, body, node)
        else:
            walker.run(kind)
    for what in names:
        if what.name is not None:
            alias(walker, node, what.name, declared_type(walker, type_of(walker, kind), what), doc)


def alias(walker: CWalker, node: Node, named: Node, kind: Term, doc: str) -> None:
    """Define another name of a type."""
    name = walker.name(named)
    walker.define("class", name, node, scope=walker.at, named=named, flags=("alias",), doc=doc)
    if kind != ("name", name):
        walker.hoist("bind", ("name", name), kind)


STRUCTURES: Statements = {"type_definition": typedef, **dict.fromkeys(SORTS, structure)}


# --- Functions, variables and macros of C and C++.

_CALLED = re.compile(rb"\b([A-Za-z_]\w*)\s*\(")
_WORDS = frozenset(b"if for while switch return sizeof defined do typeof alignof".split())


def include(walker: CWalker, node: Node) -> None:
    """`#include` takes in all names of a file."""
    path = node.child_by_field_name("path")
    if path is not None and path.type in ("string_literal", "system_lib_string"):
        module = walker.text(path)
        walker.hoist(
            "import", "", module[1:-1], "*", 0 if module[0] == '"' else 1, walker.site(path)
        )


def macro(walker: CWalker, node: Node) -> None:
    """`#define`: a constant, or a function whose calls are found in its text."""
    parts = fields(node)
    named, text = parts.get("name"), parts.get("value")
    if named is None:
        return
    name, doc = walker.name(named), walker.above()
    if node.type == "preproc_def":
        walker.define(
            "variable", name, node, scope=MODULE_SCOPE, named=named, flags=("macro", "constant"),
            doc=doc,
        )  # fmt: skip
        walker.hoist("bind", ("name", name), None)
        return
    number = walker.define(
        "function", name, node, scope=MODULE_SCOPE, body="function", named=named,
        header=text.start_byte if text is not None else None, flags=("macro",), doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    scope = walker.body(number)
    for call in _CALLED.finditer(walker.source, text.start_byte, text.end_byte) if text else ():
        if call[1] not in _WORDS and call[1].decode() != name:
            callee = ("name", call[1].decode())
            walker.add(scope, ("do", ("call", callee, (), (), walker.site_at(call.start()))))


def conditional(walker: CWalker, node: Node) -> None:
    """`#if …`: all branches count."""
    parts = fields(node)
    skipped = (parts.get("name"), parts.get("condition"))
    walker.each([child for child in node.named_children if child not in skipped])


def function(walker: CWalker, node: Node) -> None:
    """A function with a body, in a file or a class."""
    parts = fields(node)
    what = declared(parts.get("declarator"))
    body = parts.get("body")
    if what.name is None:
        walker.each(node.named_children)
        return
    if what.function is None and what.name.type != "operator_cast":
        # A macro in front of a block: its text is code all the same.
        walker.each([body] if body is not None else [])
        return
    taken = parameters(walker, what.function)
    number = _define(walker, node, parts.get("type"), what, body, taken)
    initialisers = [c for c in node.named_children if c.type == "field_initializer_list"]
    if body is not None:
        inner = [*initialisers, *body.named_children]
        class_name, walker.class_name = walker.class_name, ""
        walker.within(walker.body(number), inner, taken)
        walker.class_name = class_name


def _define(
    walker: CWalker,
    whole: Node,
    kind: Node | None,
    what: Declared,
    body: Node | None,
    taken: tuple[Param, ...],
) -> int:
    """Define a function or a method, wherever it stands, and return its number."""
    named = what.name
    assert named is not None
    name, owner, qualname = _named(walker, named)
    is_member = walker.scope(walker.at).kind == "class" and bool(walker.class_name)
    is_method = is_member or (owner is not None and owner[-1] not in walker.namespaces)
    holder = walker.class_name if is_member else owner[-1] if owner is not None else ""
    flags = _flags(walker, whole, is_member=is_method)
    if name and name == holder:
        flags.append("constructor")
    if body is None and not any(c.type.endswith("_clause") for c in whole.named_children):
        flags.append("abstract")
    doc = walker.above()
    returns = trailing(walker, what.function) or type_of(walker, kind)
    number = walker.define(
        "method" if is_method else "function", name, whole, scope=walker.at, named=named,
        header=body.start_byte if body is not None else whole.end_byte,
        qualname=qualname, flags=flags, params=taken,
        returns=callable_of(returns) if what.points_to_function else returns, owner=owner, doc=doc,
    )  # fmt: skip
    if body is not None:
        walker.open_body(number)
    generics = walker.take_templates()
    for generic in generics if body is not None else ():
        walker.add(walker.body(number), ("bind", ("name", generic), None))
    if owner is None:
        walker.hoist("define", number)
    return number


def _named(walker: CWalker, named: Node) -> tuple[str, Term, str | None]:
    """Return name, owner and dotted name of what a declarator names."""
    path = path_of(walker, named) if named.type == "qualified_identifier" else None
    if path is not None and path[0] == "attr":
        dotted = re.sub(r"<[^<>]*>|\s", "", walker.text(named)).replace("::", ".").strip(".")
        return re.sub(r"\s+", "", path[2]), path[1], walker.qualified(walker.at, dotted)
    if named.type == "template_function" and named.named_child_count:
        named = named.named_children[0]
    text = walker.text(named)
    if named.type == "operator_cast":
        text = text.partition("(")[0].strip()
    return re.sub(r"(?<=\W)\s+|\s+(?=\W)", "", text), None, None


def _flags(walker: CWalker, node: Node, *, is_member: bool) -> list[str]:
    stored = [walker.text(c) for c in node.children if c.type == "storage_class_specifier"]
    flags = ["static" if is_member else "private"] if "static" in stored else []
    return [*flags, "private"] if is_member and walker.is_private else flags


def declaration(walker: CWalker, node: Node) -> None:
    """Variables and prototypes; in a function names only."""
    kind = node.child_by_field_name("type")
    if kind is not None and kind.type in SORTS and kind.child_by_field_name("body") is not None:
        walker.run(kind)
    if walker.scope(walker.at).kind in ("function", "block"):
        local(walker, node)
        return
    base_type, doc = type_of(walker, kind), walker.above()
    for declarator in node.children_by_field_name("declarator"):
        what = declared(declarator)
        if what.name is None:
            continue
        if what.function is not None and declarator.type != "init_declarator":
            _define(walker, node, kind, what, None, parameters(walker, what.function))
        else:
            _variable(walker, node, declarator, base_type, kind, what, doc)
    if "default_value" in (parts := fields(node)):
        walker.run(parts["default_value"])


def _variable(
    walker: CWalker,
    node: Node,
    declarator: Node,
    kind: Term,
    type_node: Node | None,
    what: Declared,
    doc: str,
) -> None:
    named = what.name
    assert named is not None
    name, owner, qualname = _named(walker, named)
    is_field = walker.scope(walker.at).kind == "class"
    flags = _flags(walker, node, is_member=is_field)
    type_term = declared_type(walker, kind, what)
    sizes(walker, declarator if what.is_array else None)
    walker.define(
        "variable", name, node, scope=walker.at, named=named, qualname=qualname, returns=type_term,
        flags=flags, owner=owner, doc=doc,
    )  # fmt: skip
    target: Term = ("name", name) if owner is None else ("attr", owner, name)
    if type_term is not None and owner is None:
        walker.say("declare", target, type_term)
    if declarator.type == "init_declarator":
        value = initial(walker, kind, type_node, declarator.child_by_field_name("value"), what)
        if value is not None:
            walker.bind(target, value)
    elif type_term is None and owner is None:
        walker.bind(target, None)


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
    best, fewest_errors, text = tree, count_errors(tree.root_node), source
    for pattern in (_BEFORE_NAME, _IN_FRONT, _ALONE, _BEHIND):
        blanked = pattern.sub(_blank, text)
        if blanked == text:
            continue
        try:
            again = parse(blanked, language)
        except ParseTimeout:
            break
        errors = count_errors(again.root_node)
        if errors < fewest_errors:
            best, fewest_errors, text = again, errors, blanked
    return best


def _blank(match: re.Match[bytes]) -> bytes:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    whole = match[0]
    return whole[:start] + _BLANK.sub(b" ", whole[start:end]) + whole[end:]
