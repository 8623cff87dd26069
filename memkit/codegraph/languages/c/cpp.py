"""C++: its dialect, namespaces, templates, `using`, friends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, OverloadTypes
from ...facts import Facts, Term
from ..walker import Statements, children_of
from .declarations import DECLARATIONS, alias, blanked_macros, parsed_text, readable
from .declarators import CWalker, path_of, type_of
from .expressions import EXPRESSIONS, STATEMENTS

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

# A number is taken by whatever type of numbers; its own is the nearest.
_NUMBERS = frozenset(
    """
    bool char double float int int8_t int16_t int32_t int64_t long short size_t ssize_t uint8_t
    uint16_t uint32_t uint64_t unsigned
    """.split()
)
_TEXTS = frozenset({"string", "string_view"})
_NEARNESS: dict[str, dict[str, int]] = {
    **{kind: {**dict.fromkeys(_NUMBERS, 5), kind: 9} for kind in _NUMBERS},
    "str": {"char": 9, **dict.fromkeys(_TEXTS, 5)},
    "string": {"string": 9, "string_view": 5},
    "string_view": {"string_view": 9},
}
_NEARNESS["char"].update(dict.fromkeys(_TEXTS, 3))  # a pointer to it is a text
_OVERLOAD_TYPES = OverloadTypes(
    boxed={},
    primitive=_NUMBERS,
    final=_TEXTS,
    nearness=_NEARNESS,
    universal=frozenset({"void", "auto"}),
    method_results={},
    converts=True,
)

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
    overload_types=_OVERLOAD_TYPES,
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


__all__ = ["DIALECT", "extract", "parsed_text"]


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a C++ file says."""
    tree, text = readable(tree, source, "cpp")
    root = tree.root_node
    walker = CWalker(source, path, DIALECT, EXPRESSIONS, {**STATEMENTS, **DECLARATIONS, **_CPP})
    walker.run_tree(root)
    blanked_macros(walker, text)
    return walker.finish(root, doc=walker.leading_comment(root))


# Level of an import that names no file.
_USING = 2


def _namespace(walker: CWalker, node: Node) -> None:
    """`namespace a::b { … }` is one inside of the other; one without a name is the file's."""
    body, named = node.child_by_field_name("body"), node.child_by_field_name("name")
    if body is None:
        return
    if named is None:
        walker.run_all(body.named_children)
        return
    outer, doc = walker.scope, walker.take_comment()
    names = named.named_children if named.type == "nested_namespace_specifier" else [named]
    for identifier in names:
        name = walker.name(identifier)
        walker.namespaces.add(name)
        index = walker.define_hoisted(
            "class", name, node, body="class", named=identifier, header=body.start_byte,
            flags=("namespace",), doc=doc,
        )  # fmt: skip
        walker.scope = walker.body(index)
    with walker.having(class_name=""):
        walker.run_body(walker.scope, body.named_children)
    walker.scope = outer


def _template(walker: CWalker, node: Node) -> None:
    listed = node.child_by_field_name("parameters")
    for child in children_of(listed):
        if child.type in _TYPE_PARAMETERS:
            names = [
                identifier
                for identifier in child.named_children
                if identifier.type == "type_identifier"
            ]
            walker.templates += [walker.name(identifier) for identifier in names[:1]]
        elif child.type == "parameter_declaration":  # `template <size_t N>`: a value of a type
            kind = type_of(walker, child.child_by_field_name("type"))
            if kind is not None and kind[0] in _PATHS:
                walker.emit("do", ("typed", kind))
    for child in node.named_children:
        if child != listed and child.type != "requires_clause":
            walker.run(child)
    walker.templates.clear()


def _using(walker: CWalker, node: Node) -> None:
    """`using a::b` binds b, `using namespace a` brings all that is in a."""
    if not node.named_child_count:
        return
    if any(child.type == "namespace" for child in node.children):
        module = walker.text(node.named_children[-1]).replace("::", ".").replace(" ", "").strip(".")
        walker.hoist("import", "", module, "*", _USING, walker.site(node))
        return
    path = path_of(walker, node.named_children[-1])
    if path is not None and path[0] == "attr" and walker.scope_kind != "class":
        walker.hoist("bind", ("name", path[2]), path)


def _alias(walker: CWalker, node: Node) -> None:
    if (named := node.child_by_field_name("name")) is not None:
        doc = walker.take_comment()
        alias(walker, node, named, type_of(walker, node.child_by_field_name("type")), doc)
    walker.templates.clear()


def _namespace_alias(walker: CWalker, node: Node) -> None:
    parts = node.named_children
    if len(parts) < 2:
        return
    term: Term = None
    identifiers = parts[1].named_children if parts[1].named_child_count else [parts[1]]
    for identifier in identifiers:
        name = walker.name(identifier)
        term = ("name", name) if term is None else ("attr", term, name)
    walker.hoist("bind", ("name", walker.name(parts[0])), term)


def _concept(walker: CWalker, node: Node) -> None:
    if (named := node.child_by_field_name("name")) is not None:
        walker.define_hoisted("class", walker.name(named), node, named=named, flags=("interface",))
    walker.templates.clear()


def _friend(walker: CWalker, node: Node) -> None:
    """A friend with a body is a function outside of the class; one without names another.

    What its body names is looked up in the class first.
    """
    for child in node.named_children:
        if child.type == "function_definition":
            outer, scope = walker.class_scope, walker.scope
            with walker.having(scope=outer, class_name="", friend_scope=scope):
                walker.run(child)


def _access(walker: CWalker, node: Node) -> None:
    walker.is_private = walker.text(node) == "private"


def _initialiser(walker: CWalker, node: Node) -> None:
    """`: member(value), Base(value)`: a base is constructed, a member gets what is in brackets."""
    parts = node.named_children
    if len(parts) < 2:
        return
    name = walker.name(parts[0])
    args = walker.evaluate_all(parts[-1].named_children)
    if parts[0].type != "field_identifier" or name[:1].isupper():
        walker.emit("do", ("call", path_of(walker, parts[0]), args, (), walker.site(parts[0])))
    else:
        value = args[0] if len(args) == 1 else ("tuple", args) if args else None
        walker.emit("bind", ("attr", ("self",), name), value)


_PATHS = ("name", "attr")
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
