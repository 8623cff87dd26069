"""C and C++: functions, structures, typedefs, macros; blanking of unreadable macros."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Param, Term
from ..facts_builder import count_errors
from ..grammars import ParseTimeout, parse
from ..walker import Statements, callable_of, children_of, fields
from .declarators import (
    CWalker,
    Declared,
    declared,
    declared_type,
    holds_address,
    parameters,
    path_of,
    sizes,
    taken,
    trailing,
    type_of,
)
from .expressions import STATEMENTS, initial, local

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Structures, classes, enumerations and typedefs.

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
    name, owner, qualname = _named(walker, named) if named is not None else ("", None, None)
    sort = SORTS[node.type]
    doc = walker.take_comment()
    if not name:
        _anonymous(walker, node, body)
        return
    if named is not None and named.start_point[0] > body.start_point[0]:
        named = None  # the lines of a structure are those of its members, its name is the last
    index = walker.define_hoisted(
        "class", name, whole, body="class", named=named, qualname=qualname, header=body.start_byte,
        flags=[sort] if sort else [], bases=_bases(walker, node), owner=owner, doc=doc,
    )  # fmt: skip
    if owner is not None:  # the class is named in front of what is inside of it
        walker.emit_in(walker.body(index), "do", owner)
    if sort == "enum":
        scope = walker.body(index) if _is_scoped(node) else walker.scope
        _enumerators(walker, body, scope, ("name", name), walker.body(index))
        return
    for generic in walker.take_templates():
        walker.emit_in(walker.body(index), "bind", ("name", generic), None)
    scope = walker.class_scope if walker.class_name else walker.scope
    is_private = node.type == "class_specifier"
    with walker.having(class_scope=scope, class_name=name, is_private=is_private):
        walker.run_body(walker.body(index), body.named_children)


def _anonymous(walker: CWalker, node: Node, body: Node) -> None:
    """Members of something without a name are found in what is around it."""
    if node.type == "enum_specifier":
        _enumerators(walker, body, walker.scope, None, walker.scope)
    elif walker.scope_kind == "class":
        walker.run_all(body.named_children)
    else:
        walker.run_block(body.named_children)


def _is_scoped(node: Node) -> bool:
    return any(child.type in ("class", "struct") for child in node.children[:2])


def _bases(walker: CWalker, node: Node) -> list[Term]:
    clauses = [child for child in node.named_children if child.type == "base_class_clause"]
    bases = [type_of(walker, child) for clause in clauses for child in clause.named_children]
    return [base for base in bases if base is not None]


def _enumerators(walker: CWalker, body: Node, scope: int, kind: Term, inner: int) -> None:
    """Bind the constants of an enumeration in a scope; their values are read inside of it."""
    with walker.in_scope(scope):
        for child in body.named_children:
            if child.type == "enumerator" and child.named_child_count:
                _enumerator(walker, child, kind, inner)
            elif child.type.startswith("preproc"):
                walker.run(child)


def _enumerator(walker: CWalker, node: Node, kind: Term, inner: int) -> None:
    named, *values = node.named_children
    name = walker.name(named)
    walker.define_variable(name, node, named=named, returns=kind, flags=("constant", "enum"))
    if kind is None:
        walker.hoist("bind", ("name", name), None)
    with walker.in_scope(inner):
        walker.run_all(values)


def typedef(walker: CWalker, node: Node) -> None:
    """`typedef`: another name of a type, or the only one of a structure."""
    kind, doc = node.child_by_field_name("type"), walker.take_comment()
    declarators = [declared(child) for child in node.children_by_field_name("declarator")]
    body = kind.child_by_field_name("body") if kind is not None else None
    if kind is not None and body is not None and kind.type in SORTS:
        is_unnamed = kind.child_by_field_name("name") is None
        if is_unnamed and declarators and not declarators[0].is_pointer:
            _structure(walker, kind, declarators.pop(0).name, body, node)
        else:
            walker.run(kind)
    for declarator in declarators:
        if declarator.name is not None:
            type_term = declared_type(type_of(walker, kind), declarator)
            taken(walker, declarator)
            alias(walker, node, declarator.name, type_term, doc)


def alias(walker: CWalker, node: Node, named: Node, kind: Term, doc: str) -> None:
    """Define another name of a type."""
    name = walker.name(named)
    walker.define("class", name, node, named=named, flags=("alias",), doc=doc)
    if kind != ("name", name):
        walker.hoist("bind", ("name", name), kind)
        if kind is not None:
            walker.hoist("do", ("typed", kind))


STRUCTURES: Statements = {"type_definition": typedef, **dict.fromkeys(SORTS, structure)}


# --- Functions, variables and macros.

# Texts, comments and members are passed over; behind a name may stand a bracket.
_NAMED = re.compile(
    rb'"(?:\\.|[^"\\\n])*"' + rb"|'(?:\\.|[^'\\\n])*'|/\*.*?\*/|(?:\.|->)\s*\w+|\b\d\w*"
    rb"|#{1,2}\s*\w+|\w+\s*##|\b([A-Za-z_]\w*)(\s*\()?",
    re.DOTALL,
)
_WORDS = frozenset(
    b"""
    if else for while switch case default break continue goto return sizeof defined do typeof
    alignof const volatile static inline extern struct union enum void char short int long float
    double signed unsigned __VA_ARGS__ __FILE__ __LINE__ __func__ NULL true false this
    """.split()
)


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
    named, text = node.child_by_field_name("name"), node.child_by_field_name("value")
    if named is None:
        return
    name, doc = walker.name(named), walker.take_comment()
    if node.type == "preproc_def":
        walker.define(
            "variable", name, node, scope=MODULE_SCOPE, named=named, flags=("macro", "constant"),
            doc=doc,
        )  # fmt: skip
        walker.hoist("bind", ("name", name), None)
        _text_of_macro(walker, text, {name}, MODULE_SCOPE)
        return
    index = walker.define(
        "function", name, node, scope=MODULE_SCOPE, body="function", named=named,
        header=text.start_byte if text is not None else None, flags=("macro",), doc=doc,
    )  # fmt: skip
    walker.hoist("define", index)
    params = node.child_by_field_name("parameters")
    own = {walker.text(child) for child in params.named_children} if params is not None else set()
    _text_of_macro(walker, text, {name, *own}, walker.body(index))


def _text_of_macro(walker: CWalker, text: Node | None, own: set[str], scope: int) -> None:
    """Add what the text of a macro calls and names, its own name and parameters apart."""
    if text is None:
        return
    for word in _NAMED.finditer(walker.source, text.start_byte, text.end_byte):
        if word[1] is None or word[1] in _WORDS or (name := word[1].decode()) in own:
            continue
        term: Term = ("name", name)
        if word[2]:
            term = ("call", term, (), (), walker.site_at(word.start(1)))
        walker.emit_in(scope, "do", term)


def conditional(walker: CWalker, node: Node) -> None:
    """`#if …`: all branches count."""
    condition = node.child_by_field_name("name") or node.child_by_field_name("condition")
    # What is asked for by `#ifndef` is about to be defined.
    if condition is not None and node.children[0].type != "#ifndef":
        for word in _NAMED.finditer(walker.source, condition.start_byte, condition.end_byte):
            if word[1] is not None and word[1] not in _WORDS:
                walker.emit("do", ("name", word[1].decode()))
    walker.run_all([child for child in node.named_children if child != condition])


def function(walker: CWalker, node: Node) -> None:
    """A function with a body, in a file or a class."""
    declarator = declared(node.child_by_field_name("declarator"))
    body = node.child_by_field_name("body")
    if body is not None and (head := _head(walker, node, declarator)):
        _made_by_macro(walker, node, *head, body)
        return
    if declarator.name is None:
        walker.run_all(node.named_children)
        return
    if declarator.function is None and declarator.name.type != "operator_cast":
        # A macro in front of a block: its text is code all the same.
        walker.run_all([body] if body is not None else [])
        return
    with walker.having(plain={}):
        params = parameters(walker, declarator.function)
        index = _define(walker, node, node.child_by_field_name("type"), declarator, body, params)
        initialisers = [c for c in node.named_children if c.type == "field_initializer_list"]
        if body is not None:
            with walker.having(class_name=""):
                walker.run_body(walker.body(index), [*initialisers, *body.named_children], params)


def _head(walker: CWalker, node: Node, declarator: Declared) -> tuple[Node, list[Node]] | None:
    """Return the macro in front of a body, `TEST(a, b) {…}`, which reads as a function without a
    type, or with one name as its type and a variable, and the names that it is given."""
    outer, kind = node.child_by_field_name("declarator"), node.child_by_field_name("type")
    if kind is None and declarator.function is not None and declarator.name is not None:
        listed = children_of(declarator.function.child_by_field_name("parameters"))
        names = [child.named_children[0] for child in listed if child.named_child_count == 1]
        if len(names) != len(listed):
            return None
        return _given_names(walker, declarator.name, names)
    if kind is not None and outer is not None and outer.type == "parenthesized_declarator":
        return _given_names(walker, kind, outer.named_children)
    return None


def _given_names(walker: CWalker, macro: Node, names: list[Node]) -> tuple[Node, list[Node]] | None:
    """Return a macro and the names that it is given, if it is one and they are nothing else."""
    if not names or not _MACRO.fullmatch(walker.source, macro.start_byte, macro.end_byte):
        return None
    if walker.scope_kind in ("function", "block"):
        return None
    return (macro, names) if all(name.type in _PLAIN_NAMES for name in names) else None


_MACRO = re.compile(rb"[A-Z][A-Z0-9_]{2,}")
_PLAIN_NAMES = frozenset({"type_identifier", "identifier"})


def braces(walker: CWalker, node: Node) -> None:
    """A block; outside of functions it is the body behind a macro, `TEST(a, b) {…}`."""
    before = node.prev_named_sibling
    if before is not None and before.type == "expression_statement" and before.named_child_count:
        parts = fields(before.named_children[0])
        is_open = walker.source[before.end_byte - 1 : before.end_byte] != b";"
        if is_open and "function" in parts and "arguments" in parts:
            head = _given_names(walker, parts["function"], parts["arguments"].named_children)
            if head is not None:
                _made_by_macro(walker, node, *head, node)
                return
    STATEMENTS["compound_statement"](walker, node)


def _made_by_macro(walker: CWalker, node: Node, macro: Node, names: list[Node], body: Node) -> None:
    """Define the function that a macro makes, by the last of the names that it is given; what its
    body names is looked up in a class that stands in front of it, as in `TEST_F(Class, name)`.

    What the macro calls it is not known, so no call leads to it.
    """
    *before, named = names
    path: Term = None
    for name in before if walker.is_cpp else ():
        path = ("name", walker.name(name)) if path is None else ("attr", path, walker.name(name))
    dotted = ".".join(walker.name(name) for name in names)
    index = walker.define(
        "function", walker.name(named), node, named=macro, header=body.start_byte, owner=path,
        qualname=walker.qualified(dotted) if path is not None else None, flags=("test",),
        doc=walker.take_comment(),
    )  # fmt: skip
    walker.open_body(index)
    call: Term = ("call", ("name", walker.name(macro)), (), (), walker.site(macro))
    walker.emit_in(walker.body(index), "do", call)
    if path is not None:
        walker.emit_in(walker.body(index), "do", path)
    with walker.having(class_name=""):
        walker.run_body(walker.body(index), body.named_children)


def _define(
    walker: CWalker,
    whole: Node,
    kind: Node | None,
    declarator: Declared,
    body: Node | None,
    params: tuple[Param, ...],
) -> int:
    """Define a function or a method, wherever it stands, and return its index."""
    named = declarator.name
    assert named is not None
    name, owner, qualname = _named(walker, named)
    is_member = walker.scope_kind == "class" and bool(walker.class_name)
    is_method = is_member or (owner is not None and owner[-1] not in walker.namespaces)
    holder = walker.class_name if is_member else owner[-1] if owner is not None else ""
    flags = _flags(walker, whole, is_member=is_method)
    flags += ["pointer"] * holds_address(walker, kind, declarator)
    if name and name == holder:
        flags.append("constructor")
    _name_class(walker, named, name)
    if body is None and not any(c.type.endswith("_clause") for c in whole.named_children):
        flags.append("abstract")
    flags += ["override"] * _is_override(walker, declarator.function)
    doc = walker.take_comment()
    returns = trailing(walker, declarator.function) or type_of(walker, kind)
    index = walker.define(
        "method" if is_method else "function", name, whole, named=named, qualname=qualname,
        header=body.start_byte if body is not None else whole.end_byte, flags=flags, params=params,
        returns=callable_of(returns) if declarator.points_to_function else returns, owner=owner,
        doc=doc,
    )  # fmt: skip
    if body is not None:
        walker.open_body(index)
        if is_method and owner is not None:  # the class is named in front of its method
            walker.emit_in(walker.body(index), "do", owner)
    generics = walker.take_templates()
    for generic in generics if body is not None else ():
        walker.emit_in(walker.body(index), "bind", ("name", generic), None)
    if owner is None and not any(c.type == "delete_method_clause" for c in whole.named_children):
        walker.hoist("define", index)
        if is_member and name == "operator()":
            walker.hoist("bind", ("name", "__call__"), ("def", index))
    return index


def _named(walker: CWalker, named: Node) -> tuple[str, Term, str | None]:
    """Return name, owner and dotted name of what a declarator names."""
    path = path_of(walker, named) if named.type == "qualified_identifier" else None
    if path is not None and path[0] == "attr":
        dotted = re.sub(r"<[^<>]*>|\s", "", walker.text(named)).replace("::", ".").strip(".")
        return re.sub(r"\s+", "", path[2]), path[1], walker.qualified(dotted)
    if named.type == "template_function" and named.named_child_count:
        named = named.named_children[0]
    text = walker.text(named)
    if named.type == "operator_cast":
        text = text.partition("(")[0].strip()
    return re.sub(r"(?<=\W)\s+|\s+(?=\W)", "", text), None, None


def _name_class(walker: CWalker, named: Node, name: str) -> None:
    """Note that a constructor or destructor in its class has the name of that."""
    if name and walker.scope_kind == "class" and name.removeprefix("~") == walker.class_name:
        walker.emit("part", ("def", walker.builder.enclosing(walker.scope)), walker.site(named))


def _is_override(walker: CWalker, function: Node | None) -> bool:
    """Return whether a declarator says that a method of a base is meant."""
    said = [c for c in children_of(function) if c.type == "virtual_specifier"]
    return any(walker.text(word) == "override" for word in said)


def _flags(walker: CWalker, node: Node, *, is_member: bool) -> list[str]:
    stored = [walker.text(c) for c in node.children if c.type == "storage_class_specifier"]
    flags = ["static" if is_member else "private"] if "static" in stored else []
    return [*flags, "private"] if is_member and walker.is_private else flags


def _is_extern(walker: CWalker, node: Node) -> bool:
    return any(
        child.type == "storage_class_specifier" and walker.text(child) == "extern"
        for child in node.children
    )


def declaration(walker: CWalker, node: Node) -> None:
    """Variables and prototypes; in a function names only."""
    named = node.child_by_field_name("type")
    kind: Term = None
    if named is not None and named.type in SORTS and named.child_by_field_name("body") is not None:
        kind = _unnamed(walker, node, named)
        if kind is None:
            walker.run(named)
    if walker.scope_kind in ("function", "block"):
        local(walker, node, kind)
        return
    kind, doc = kind or type_of(walker, named), walker.take_comment()
    for child in node.children_by_field_name("declarator"):
        declarator = declared(child)
        if declarator.name is None:
            continue
        value = child.child_by_field_name("value") if child.type == "init_declarator" else None
        if declarator.function is not None and (value is None or _is_default(walker, value)):
            params = parameters(walker, declarator.function)
            _define(walker, node, named, declarator, value, params)
        else:
            _variable(walker, node, child, (kind, named), declarator, doc)
    walker.run_field(node, "default_value")


def _is_default(walker: CWalker, value: Node) -> bool:
    return value.type == "identifier" and walker.text(value) == "default"


def _assignment(walker: CWalker, node: Node) -> None:
    """`A::A() = default;` outside of functions reads as an assignment and defines a method."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    named = left.child_by_field_name("function") if left is not None else None
    if (
        named is None
        or right is None
        or named.type != "qualified_identifier"
        or walker.scope_kind in ("function", "block")
        or not _is_default(walker, right)
    ):
        STATEMENTS["assignment_expression"](walker, node)
        return
    _define(walker, node, None, declared(named), right, ())


def _unnamed(walker: CWalker, node: Node, named: Node) -> Term:
    """Define the structure without a name that something is declared with, `struct { … } x;`, as
    what is called x, and return its type."""
    body, first = named.child_by_field_name("body"), node.child_by_field_name("declarator")
    name = declared(first).name
    is_plain = named.type != "enum_specifier" and named.child_by_field_name("name") is None
    if name is None or body is None or not is_plain:
        return None
    index = walker.define(
        "class", walker.name(name), named, body="class", header=body.start_byte, flags=["struct"],
        doc=walker.take_comment(),
    )  # fmt: skip
    hidden = ("name", f"<{named.start_byte}>")
    walker.hoist("bind", hidden, ("def", index))
    with walker.having(class_name=walker.name(name), is_private=False):
        walker.run_body(walker.body(index), body.named_children)
    return hidden


def _variable(
    walker: CWalker,
    node: Node,
    child: Node,
    typed: tuple[Term, Node | None],
    declarator: Declared,
    doc: str,
) -> None:
    named = declarator.name
    assert named is not None
    name, owner, qualname = _named(walker, named)
    flags = _flags(walker, node, is_member=walker.scope_kind == "class")
    if holds_address(walker, typed[1], declarator):
        flags.append("pointer")
    if child.type != "init_declarator" and _is_extern(walker, node):
        flags.append("abstract")
    kind = declared_type(typed[0], declarator)
    sizes(walker, child if declarator.is_array else None)
    taken(walker, declarator)
    walker.define(
        "variable", name, node, named=named, qualname=qualname, returns=kind, flags=flags,
        owner=owner, doc=doc,
    )  # fmt: skip
    target: Term = ("name", name) if owner is None else ("attr", owner, name)
    if kind is not None and owner is None:
        walker.emit("declare", target, kind)
    if child.type == "init_declarator":
        value = initial(walker, *typed, child.child_by_field_name("value"), declarator)
        if value is not None:
            walker.bind(target, value)
    elif kind is None and owner is None:
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
    "compound_statement": braces,
    "assignment_expression": _assignment,
    **STRUCTURES,
}


# --- Blanking of macros that a grammar cannot read.
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
# A line of its own, without the semicolon of a statement; not one that names the body behind it.
_ALONE = re.compile(
    rb"^[ \t]*(?!\w+\(\s*[A-Za-z_]\w*(?:\s*,\s*[A-Za-z_]\w*)*\s*\)\s*\{)((?:"
    + _WORD
    + rb")(?:\([^()\n;{}]*\))?)[ \t]*\r?$",
    re.MULTILINE,
)
# In front of a type or a keyword where a declaration begins.
_IN_FRONT = re.compile(
    rb"(?:^|[;{}>)])[ \t]*((?:" + _WORD + rb")(?:\([^()\n]*\))?)(?=[ \t]+[A-Za-z_~][\w:]*[\s*&<(])",
    re.MULTILINE,
)
# Between the type and the name of a function.
_BEFORE_FUNCTION = re.compile(
    rb"^[ \t]*(?:[A-Za-z_]\w*[ \t*&]+)+?(" + _WORD + rb")[ \t]+[A-Za-z_]\w*[ \t]*\([^;\n]*$",
    re.MULTILINE,
)
# Behind the parameters of a function, in front of its body or of what else is said of it.
_BEHIND = re.compile(
    rb"\)(?:\s*const\b)?[ \t\n]*((?:"
    + _WORD
    + rb")(?:\([^()\n]*\))?)"
    + rb"(?=\s*(?:[;{]|:[^:]|=\s*(?:0|default|delete)\b|(?:const|final|override)\b))"
)
# `struct API Foo {`, which reads as a function without parameters: no error tells of it.
_BEFORE_BODY = re.compile(
    rb"\b(?:class|struct|union)[ \t]+((?:"
    + _WORD
    + rb")(?:\([^()\n]*\))?)(?=[ \t]+[A-Za-z_]\w*(?:[ \t]+final)?\s*\{)"
)
# Behind the name of a variable or a field, of a type that is written before it.
_BEHIND_NAME = re.compile(
    rb"(?:[\w>][ \t]+|[\w>][ \t]*[*&][ \t*&]*)(?!(?:const|static|struct|enum|union|class|unsigned|"
    rb"signed|volatile|inline|extern|friend|virtual|operator)\b)[A-Za-z_]\w*(?:\[[^\]\n]*\])*[ \t]+"
    rb"((?:" + _WORD + rb")\([^()\n]*\))(?=[ \t]*(?:;|=[^=]))"
)
# To the grammar a comment ends the text of a macro, though more lines of it follow.
_LONG_MACRO = re.compile(rb"^[ \t]*#[ \t]*define\b(?:[^\n]*\\\r?\n)+", re.MULTILINE)
_COMMENT = re.compile(rb"/\*.*?\*/", re.DOTALL)
_IN_LONG_MACRO = re.compile(rb"[^\r\n\\]|\\(?!\r?\n)")
# What is nothing by one of its definitions may stand where nothing else can: `f(a REST)`.
_EMPTY = re.compile(
    rb"^[ \t]*#[ \t]*define[ \t]+([A-Za-z_]\w*)[ \t]*(?:/\*[^\n]*\*/[ \t]*)?\r?$", re.MULTILINE
)
# Where no name is code: directives, comments and texts.
_NO_CODE = (
    rb"^[ \t]*#(?:[^\n]*\\\r?\n)*[^\n]*|/\*.*?\*/|//[^\n]*"
    rb'|"(?:\\.|[^"\\\n])*"' + rb"|'(?:\\.|[^'\\\n])*'"
)
_BLANK = re.compile(rb"[^\n]")
_BLANKED = re.compile(rb"\b(?:" + _WORD + rb")(?:\([^()\n;{}]*\))?")

# Conditions of the preprocessor, and what they stand in the middle of: a list, an expression, or a
# head whose body comes behind all of its forms.
_DIRECTIVE = re.compile(rb"[ \t]*#[ \t]*(if|ifdef|ifndef|elif|elifdef|elifndef|else|endif)\b")
_GOES_ON = (b",", b"(", b"&&", b"||", b"+", b"=", b"?", b"return")
_GOES_ON_BEHIND = (b",", b"{", b")", b"&&", b"||", b"else", b"+", b"?")


def parsed_text(source: bytes) -> bytes:
    """Return what is parsed of a text at first: all but the macros of which no error tells."""
    return _BEFORE_BODY.sub(_blank, source)


def readable(tree: Tree, source: bytes, language: str) -> tuple[Tree, bytes]:
    """Return the tree of `parsed_text` and that text, or those of the text without other macros if
    that has fewer errors."""
    text = parsed_text(source)
    if not tree.root_node.has_error:
        return tree, text
    best, fewest_errors = tree, count_errors(tree.root_node)
    for step in _STEPS:
        blanked = step(text) if fewest_errors else text
        if blanked == text:
            continue
        try:
            again = parse(blanked, language)
        except ParseTimeout:
            break
        errors = count_errors(again.root_node)
        if errors < fewest_errors:
            best, fewest_errors, text = again, errors, blanked
    return best, text


def _blank(match: re.Match[bytes]) -> bytes:
    start, end = match.start(1) - match.start(), match.end(1) - match.start()
    whole = match[0]
    return whole[:start] + _BLANK.sub(b" ", whole[start:end]) + whole[end:]


def _without_comments_in_macros(text: bytes) -> bytes:
    def uncommented(macro: re.Match[bytes]) -> bytes:
        return _COMMENT.sub(lambda comment: _IN_LONG_MACRO.sub(b" ", comment[0]), macro[0])

    return _LONG_MACRO.sub(uncommented, text)


def _without_empty_macros(text: bytes) -> bytes:
    names = _empty_macros(text)
    if not names:
        return text
    flags = re.MULTILINE | re.DOTALL
    word = re.compile(_NO_CODE + rb"|\b(" + b"|".join(names) + rb")\b", flags)
    return word.sub(lambda match: _blank(match) if match[1] else match[0], text)


def _empty_macros(text: bytes) -> list[bytes]:
    """Return the macros that are nothing and stand on other lines than those of directives."""
    names = set(_EMPTY.findall(text))
    return [name for name in names if any(_stands_alone(text, at) for at in _places(text, name))]


def _places(text: bytes, word: bytes) -> Iterator[int]:
    at = text.find(word)
    while at >= 0:
        yield at
        at = text.find(word, at + 1)


_PATTERNS = (_BEFORE_NAME, _IN_FRONT, _ALONE, _BEHIND, _BEHIND_NAME, _BEFORE_FUNCTION)


def blanked_macros(walker: CWalker, text: bytes) -> None:
    """Add what the macros are that the text of a tree does without: they are used where they stand,
    in the innermost function there."""
    source = walker.source
    if text == source:
        return
    pattern = _BLANKED
    if names := _empty_macros(source):
        pattern = re.compile(rb"%b|\b(?:%b)\b" % (pattern.pattern, b"|".join(names)))
    places = [
        match.span()
        for match in pattern.finditer(source)
        if not text[match.start() : match.end()].strip() and _stands_alone(source, match.start())
    ]
    scopes = walker.builder.scopes_at([start for start, _ in places])
    for (start, end), scope in zip(places, scopes, strict=True):
        name, bracket, _ = source[start:end].decode("utf-8", "replace").partition("(")
        term: Term = ("name", name)
        if bracket:
            term = ("call", term, (), (), walker.builder.site_at(start))
        walker.emit_in(scope, "do", term)


def _stands_alone(source: bytes, start: int) -> bool:
    """Return whether a place is on no line of the preprocessor."""
    return source[source.rfind(b"\n", 0, start) + 1 : start].lstrip()[:1] != b"#"


def _without_conditions(text: bytes) -> bytes:
    """Return a text in which of conditions in the middle of something the first branch is left."""
    lines = text.split(b"\n")
    opened: list[list[int]] = []
    for at, line in enumerate(lines):
        match = _DIRECTIVE.match(line)
        if match is None:
            continue
        if match[1].startswith(b"if"):
            opened.append([at])
        elif opened:
            opened[-1].append(at)
            if match[1] == b"endif" and _splits(
                lines, *(places := opened.pop())[:: len(places) - 1]
            ):
                for blank in (places[0], *range(places[1], at + 1)):
                    lines[blank] = b" " * len(lines[blank])
    return b"\n".join(lines)


def _splits(lines: Sequence[bytes], first: int, last: int) -> bool:
    """Return whether what stands before the first line goes on behind the last one."""
    before = next((line.strip() for line in reversed(lines[:first]) if line.strip()), b"")
    behind = next((line.strip() for line in lines[last + 1 :] if line.strip()), b"")
    is_list = before == b":" or before.endswith(b") :")
    return is_list or before.endswith(_GOES_ON) or behind.startswith(_GOES_ON_BEHIND)


_STEPS: tuple[Callable[[bytes], bytes], ...] = (
    _without_comments_in_macros,
    _without_empty_macros,
    *[partial(pattern.sub, _blank) for pattern in _PATTERNS],
    _without_conditions,
)
