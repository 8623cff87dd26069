"""Packages, methods, types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRule, LibraryRules, by_word, words
from ...facts import Facts, Param, Term
from ..facts_builder import count_errors
from ..walker import Statements, fields
from .expressions import (
    BLOCKS,
    TERMS,
    GoWalker,
    assign,
    bounds_of,
    declare_typed,
    function,
    parameters,
    results,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="go",
    extensions=(".go",),
    family="go",
    star_excludes="lowercase",
    methods_outside_class=True,
    structural_interfaces=True,
    external_items_are_external=True,
    checks_arity=True,
    spreads_multiple_results=True,
    candidate_filter="test_folder",
    library=LibraryRules(
        results={**LibraryRules().results, "ValueOf": LibraryRule.REFLECTED},
        reflection=by_word(
            {
                LibraryRule.METHOD: "MethodByName",
                LibraryRule.FIELD: "FieldByName",
                LibraryRule.RECEIVER: "Elem",
            }
        ),
        invoking=frozenset({"Call"}),
        reading=frozenset({"Interface"}),
        mapping_types=words("dict Map Seq2"),
    ),
    receiver=True,
    shares_namespace=True,
    bare_in_class=False,
    # Methods of interfaces and types of the standard library that code has in every corner.
    builtin_methods=frozenset(
        """
        Add Addr Bool Bytes Cancel Close Contains Context Copy Count Delete Do Done Duration Elem
        Equal Err Error Errorf Exec Fatal Fatalf Field Fields Find Float Flush Format Get Handle
        Has Header Index Info Int Interface Is Join Key Keys Kind Len Less Load Lock Log Logf Name
        New Next Now Open Parse Path Pop Print Printf Println Push Query Read ReadFrom Record
        Remove Replace Reset Run Scan Seek Send Set Size Sleep Sort Start Stat Stop Store String
        Sub Swap Sync Time Type Unix Unlock Unwrap Update Value Values Wait Write WriteString
        WriteTo Chmod Chown Fd IsDir IsRegular Kill Mode ModTime Perm ReadAt ReadDir Release Signal
        Sys Truncate WriteAt
        """.split()
    ),
)

_TESTS = re.compile(r"(?:Test|Benchmark|Fuzz|Example)(?:[A-Z_0-9]|$)")
_VERSION = re.compile(r"v\d+$")


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Go file says; its namespace is the name in its package clause."""
    walker = GoWalker(source, path, DIALECT, TERMS, _STATEMENTS)
    root = tree.root_node
    namespace = doc = ""
    for place, child in enumerate(root.named_children):
        if child.type == "package_clause" and child.named_child_count:
            namespace = walker.text(child.named_children[0])
            doc = walker.comment_above(root.named_children, place)
            break
    walker.walk_all(root)
    return walker.finish(errors=count_errors(root), namespace=namespace, doc=doc)


def _flags(name: str, *others: str) -> tuple[str, ...]:
    return (*others, "exported") if name[:1].isupper() else others


def _import(walker: GoWalker, node: Node) -> None:
    parts = fields(node)
    path = parts.get("path")
    if path is None:
        return
    module, named = walker.text(path).strip('"`'), parts.get("name")
    local = walker.name(named) if named is not None else package_name(module)
    taken = "*" if local == "." else None
    walker.hoist(
        "import", "" if local in (".", "_") else local, module, taken, 0, walker.site(path)
    )


def package_name(module: str) -> str:
    """Return the name under which a package is known that says nothing else in its import."""
    parts = module.split("/")
    if len(parts) > 1 and _VERSION.match(parts[-1]):
        parts.pop()
    name = re.sub(r"\.v\d+$", "", parts[-1])
    return name.removeprefix("go-").removesuffix("-go").replace("-", "_")


def _function(walker: GoWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = walker.name(named)
    is_test = walker.path.endswith("_test.go") and bool(_TESTS.match(name))
    flags = _flags(name, "test") if is_test else _flags(name)
    number = function(walker, node, "function", name, named=named, flags=flags)
    if name not in ("init", "_"):
        walker.hoist("define", number)


def _method(walker: GoWalker, node: Node) -> None:
    named, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if named is None:
        return
    name, of = walker.name(named), parameters(walker, receiver)
    owner = of[0].type if of else None
    holder = owner[1] if owner and owner[0] == "name" else ""
    qualname = f"{holder}.{name}" if holder else None
    function(
        walker,
        node,
        "method",
        name,
        named=named,
        qualname=qualname,
        flags=_flags(name),
        owner=owner,
    )


def _type(walker: GoWalker, node: Node) -> None:
    parts = fields(node)
    named, kind = parts.get("name"), parts.get("type")
    if named is None or kind is None:
        return
    if kind.type in ("struct_type", "interface_type"):
        _structured(walker, node, named, kind, parts.get("type_parameters"))
        return
    name = walker.name(named)
    type_term = type_of(walker, kind)
    if node.type == "type_alias":
        walker.define(
            "class", name, node, scope=walker.at, named=named, flags=_flags(name, "alias")
        )
        walker.bind(("name", name), type_term)
        return
    # A named type has its own methods, and none of what it is made from.
    number = walker.define(
        "class", name, node, scope=walker.at, body="class", named=named, flags=_flags(name),
        returns=type_term, doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)


def _structured(
    walker: GoWalker, node: Node, named: Node, kind: Node, generic: Node | None
) -> None:
    name = walker.name(named)
    sort = "struct" if kind.type == "struct_type" else "interface"
    number = walker.define(
        "class", name, node, scope=walker.at, body="class", named=named, header=kind.start_byte,
        flags=_flags(name, sort), doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)
    scope = walker.body(number)
    outer, walker.bounds = walker.bounds, {**walker.bounds, **bounds_of(walker, generic)}
    members = kind.named_children
    if sort == "struct":
        members = [inner for child in members for inner in child.named_children]
    walker.within(scope, members)
    bases = [type_of(walker, member) for member in members if member.type == "type_elem"]
    bases += [type_of(walker, m.child_by_field_name("type")) for m in members if _is_embedded(m)]
    walker.fill(number, bases=tuple(base for base in bases if base))
    walker.bounds = outer


def _is_embedded(node: Node) -> bool:
    return node.type == "field_declaration" and node.child_by_field_name("name") is None


def _field(walker: GoWalker, node: Node) -> None:
    kind = node.child_by_field_name("type")
    type_term, doc = type_of(walker, kind), walker.above()
    names = [
        (walker.name(child), child)
        for child in node.children_by_field_name("name")
        if child.is_named
    ]
    if not names and type_term is not None and kind is not None:
        names = [(type_term[-1], kind)] if type_term[0] in ("name", "attr") else []
    for name, named in names:
        walker.variable(name, node, named=named, type_=type_term, flags=_flags(name), doc=doc)


def _signature(walker: GoWalker, node: Node) -> None:
    parts = fields(node)
    if "name" not in parts:
        return
    name = walker.name(parts["name"])
    number = walker.define(
        "method", name, node, scope=walker.at, named=parts["name"], header=node.end_byte,
        flags=_flags(name, "abstract"), params=(), returns=results(walker, parts.get("result")),
        doc=walker.above(),
    )  # fmt: skip
    receiver = Param("", None, None, "")
    walker.fill(number, params=(receiver, *parameters(walker, parts.get("parameters"))))
    walker.hoist("define", number)


def _variables(walker: GoWalker, node: Node) -> None:
    """`var` and `const`: definitions in a file, names in a function."""
    parts = fields(node)
    names = [
        identifier for identifier in node.children_by_field_name("name") if identifier.is_named
    ]
    targets: list[Term] = [("name", walker.name(identifier)) for identifier in names]
    kind, doc = type_of(walker, parts.get("type")), walker.above()
    if node.type == "const_spec":
        # In a list of constants what is left out is what it was for the one before.
        kind = walker.repeated = kind if "type" in parts or "value" in parts else walker.repeated
    if walker.at == 0:
        constant = ("constant",) if node.type == "const_spec" else ()
        for identifier in names:
            name = walker.name(identifier)
            if name != "_":
                flags = _flags(name, *constant)
                walker.variable(name, node, named=identifier, type_=kind, flags=flags, doc=doc)
    elif kind:
        declare_typed(walker, targets, kind)
    if "value" in parts:
        assign(walker, targets, parts["value"])


_STATEMENTS: Statements = {
    **BLOCKS,
    "import_spec": _import,
    "function_declaration": _function,
    "method_declaration": _method,
    "type_spec": _type,
    "type_alias": _type,
    "field_declaration": _field,
    "method_elem": _signature,
    "type_elem": lambda walker, node: None,
    "package_clause": lambda walker, node: None,
    "var_spec": _variables,
    "const_spec": _variables,
    "goto_statement": lambda walker, node: None,
    "break_statement": lambda walker, node: None,
    "continue_statement": lambda walker, node: None,
    "label_name": lambda walker, node: None,
}
