"""Namespaces, classes, templates, using."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts, Term
from ..facts_builder import count_errors
from ..walker import Statements, fields
from .declarations import DECLARATIONS, alias, readable
from .declarators import CWalker, path_of, type_of
from .expressions import STATEMENTS, TERMS

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="cpp",
    extensions=(
        ".cc", ".cpp", ".cxx", ".c++", ".hh", ".hpp", ".hxx", ".h++", ".inl", ".ipp", ".tpp",
    ),
    implicit_members=True,
    family="c",
    includes_transitively=True,
    methods_outside_class=True,
    reopened="namespaces",
    declares_apart=True,
    candidate_filter="definition",
    # Methods of the standard library's types that code has in every corner.
    builtin_methods=frozenset(
        """
        append assign at back begin c_str capacity cbegin cend clear close compare contains count
        data emplace emplace_back empty end erase find first flush front get good hash insert
        is_open join length load lock max min name next notify_all notify_one open pop pop_back
        pop_front prev push push_back push_front rbegin read release rend replace reserve reset
        resize second
        seekg size sort splice store str substr swap tellg tie to_string top try_lock unlock update
        value value_or wait what write
        """.split()
    ),
    transparent=frozenset("get lock value release operator-> load".split()),
    elements=frozenset("at back front top find begin end second".split()),
)  # fmt: skip


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a C++ file says."""
    root = readable(tree, source, "cpp").root_node
    walker = CWalker(source, path, DIALECT, TERMS, {**STATEMENTS, **DECLARATIONS, **_CPP})
    walker.walk_all(root)
    return walker.finish(errors=count_errors(root), doc=walker.leading_comment(root))


W = CWalker

# Level of an import that names no file.
_USING = 2


def _namespace(w: W, node: Node) -> None:
    """`namespace a::b { … }` is one inside of the other; one without a name is the file's."""
    found = fields(node)
    body, named = found.get("body"), found.get("name")
    if body is None:
        return
    if named is None:
        w.each(body.named_children)
        return
    around, doc = w.at, w.above()
    names = named.named_children if named.type == "nested_namespace_specifier" else [named]
    for one in names:
        name = w.name(one)
        w.namespaces.add(name)
        number = w.define(
            "class", name, node, scope=w.at, body="class", named=one, header=body.start_byte,
            flags=("namespace",), doc=doc,
        )  # fmt: skip
        w.hoist("define", number)
        w.at = w.body(number)
    held, w.class_name = w.class_name, ""
    w.within(w.at, body.named_children)
    w.at, w.class_name = around, held


def _template(w: W, node: Node) -> None:
    listed = node.child_by_field_name("parameters")
    for child in listed.named_children if listed is not None else ():
        if child.type in _TYPE_PARAMETERS:
            names = [one for one in child.named_children if one.type == "type_identifier"]
            w.templates += [w.name(one) for one in names[:1]]
    for child in node.named_children:
        if child != listed and child.type != "requires_clause":
            w.run(child)
    w.templates.clear()


def _using(w: W, node: Node) -> None:
    """`using a::b` binds b, `using namespace a` brings all that is in a."""
    if not node.named_child_count:
        return
    if any(child.type == "namespace" for child in node.children):
        module = w.text(node.named_children[-1]).replace("::", ".").replace(" ", "").strip(".")
        w.hoist("import", "", module, "*", _USING, w.site(node))
        return
    path = path_of(w, node.named_children[-1])
    if path is not None and path[0] == "attr" and w.scope(w.at).kind != "class":
        w.hoist("bind", ("name", path[2]), path)


def _alias(w: W, node: Node) -> None:
    found = fields(node)
    if "name" in found:
        doc = w.above()
        alias(w, node, found["name"], type_of(w, found.get("type")), doc)
    w.templates.clear()


def _namespace_alias(w: W, node: Node) -> None:
    parts = node.named_children
    if len(parts) < 2:
        return
    term: Term = None
    inner = parts[1].named_children if parts[1].named_child_count else [parts[1]]
    for one in inner:
        name = w.name(one)
        term = ("name", name) if term is None else ("attr", term, name)
    w.hoist("bind", ("name", w.name(parts[0])), term)


def _concept(w: W, node: Node) -> None:
    found = fields(node)
    if "name" in found:
        flags = ("interface",)
        number = w.define(
            "class", w.name(found["name"]), node, scope=w.at, named=found["name"], flags=flags
        )
        w.hoist("define", number)
    w.templates.clear()


def _friend(w: W, node: Node) -> None:
    """A friend with a body is a function beside the class; one without names something elsewhere.

    What its body names is looked up in the class first.
    """
    for child in node.named_children:
        if child.type == "function_definition":
            held = w.at, w.class_name, w.inside
            w.inside, w.at, w.class_name = w.at, w.outside, ""
            w.run(child)
            w.at, w.class_name, w.inside = held


def _access(w: W, node: Node) -> None:
    w.is_private = w.text(node) == "private"


def _initialiser(w: W, node: Node) -> None:
    """`: member(value), Base(value)`: a base is constructed, a member gets what is in brackets."""
    parts = node.named_children
    if len(parts) < 2:
        return
    name = w.name(parts[0])
    args = tuple(w.term(child) for child in parts[-1].named_children if child.type != "comment")
    if parts[0].type != "field_identifier" or name[:1].isupper():
        w.say("do", ("call", path_of(w, parts[0]), args, (), w.site(parts[0])))
    else:
        value = args[0] if len(args) == 1 else ("tuple", args) if args else None
        w.say("bind", ("attr", ("self",), name), value)


_TYPE_PARAMETERS = frozenset(
    "type_parameter_declaration optional_type_parameter_declaration "
    "variadic_type_parameter_declaration".split()
)

_CPP: Statements = {
    "namespace_definition": _namespace,
    "template_declaration": _template,
    "using_declaration": _using,
    "alias_declaration": _alias,
    "namespace_alias_definition": _namespace_alias,
    "concept_definition": _concept,
    "friend_declaration": _friend,
    "access_specifier": _access,
    "field_initializer": _initialiser,
}
