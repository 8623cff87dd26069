"""Go: its dialect, packages, functions, methods and types."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRule, LibraryRules, by_word, words
from ...facts import MODULE_SCOPE, Facts, Param
from ..walker import Statements, name_term, nothing
from .expressions import (
    EXPRESSIONS,
    STATEMENTS,
    GoWalker,
    assign,
    bounds_of,
    declare_typed,
    function,
    names_of,
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
    imports_folders=True,
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
    literals_name_fields=True,
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
    walker = GoWalker(source, path, DIALECT, EXPRESSIONS, _STATEMENTS)
    root = tree.root_node
    clause, doc = walker.package_clause(root, "package_clause")
    namespace = walker.text(clause.named_children[0]) if clause is not None else ""
    walker.run_tree(root)
    return walker.finish(root, namespace=namespace, doc=doc)


def _flags(name: str, *others: str) -> tuple[str, ...]:
    return (*others, "exported") if name[:1].isupper() else others


def _import(walker: GoWalker, node: Node) -> None:
    path, named = node.child_by_field_name("path"), node.child_by_field_name("name")
    if path is None:
        return
    module = walker.text(path).strip('"`')
    local = walker.name(named) if named is not None else _package_name(module)
    name = "*" if local == "." else None
    local = "" if local in (".", "_") else local
    walker.hoist("import", local, module, name, 0, walker.site(path))


def _package_name(module: str) -> str:
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
    flags = _flags(name, *(["test"] if is_test else ["entry"] if name == "init" else []))
    index = function(walker, node, "function", name, named=named, flags=flags)
    if name not in ("init", "_"):
        walker.hoist("define", index)


def _method(walker: GoWalker, node: Node) -> None:
    named, receiver = node.child_by_field_name("name"), node.child_by_field_name("receiver")
    if named is None:
        return
    name, params = walker.name(named), parameters(walker, receiver)
    owner = params[0].type if params else None
    holder = owner[1] if owner and owner[0] == "name" else ""
    function(
        walker, node, "method", name, named=named, flags=_flags(name), owner=owner,
        qualname=f"{holder}.{name}" if holder else None,
    )  # fmt: skip


def _type(walker: GoWalker, node: Node) -> None:
    named, kind = node.child_by_field_name("name"), node.child_by_field_name("type")
    if named is None or kind is None:
        return
    if kind.type in ("struct_type", "interface_type"):
        _structured(walker, node, named, kind)
        return
    name = walker.name(named)
    type_term = type_of(walker, kind)
    if node.type == "type_alias":
        walker.define("class", name, node, named=named, flags=_flags(name, "alias"))
        walker.bind(("name", name), type_term)
        return
    # A named type has its own methods, and none of what it is made from.
    walker.define_hoisted(
        "class", name, node, body="class", named=named, flags=_flags(name), returns=type_term,
        doc=walker.take_comment(),
    )  # fmt: skip


def _structured(walker: GoWalker, node: Node, named: Node, kind: Node) -> None:
    name = walker.name(named)
    flag = "struct" if kind.type == "struct_type" else "interface"
    index = walker.define_hoisted(
        "class", name, node, body="class", named=named, header=kind.start_byte,
        flags=_flags(name, flag), doc=walker.take_comment(),
    )  # fmt: skip
    bounds = bounds_of(walker, node.child_by_field_name("type_parameters"))
    members = kind.named_children
    if flag == "struct":
        members = [inner for child in members for inner in child.named_children]
    with walker.having(bounds={**walker.bounds, **bounds}):
        walker.run_body(walker.body(index), members)
        bases = [type_of(walker, member) for member in members if member.type == "type_elem"]
        bases += [
            type_of(walker, member.child_by_field_name("type"))
            for member in members
            if member.type == "field_declaration" and member.child_by_field_name("name") is None
        ]
    walker.fill(index, bases=tuple([base for base in bases if base]))


def _field(walker: GoWalker, node: Node) -> None:
    kind = node.child_by_field_name("type")
    type_term, doc = type_of(walker, kind), walker.take_comment()
    names = [(walker.name(named), named) for named in names_of(node)]
    if not names and type_term is not None and kind is not None:
        names = [(type_term[-1], kind)] if type_term[0] in ("name", "attr") else []
    for name, named in names:
        walker.define_variable(
            name, node, named=named, returns=type_term, flags=_flags(name), doc=doc
        )


def _signature(walker: GoWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = walker.name(named)
    index = walker.define(
        "method", name, node, named=named, header=node.end_byte, flags=_flags(name, "abstract"),
        returns=results(walker, node.child_by_field_name("result")), doc=walker.take_comment(),
    )  # fmt: skip
    params = parameters(walker, node.child_by_field_name("parameters"))
    walker.fill(index, params=(Param("", None, None, ""), *params))
    walker.hoist("define", index)


def _embedded(walker: GoWalker, node: Node) -> None:
    walker.emit("do", ("typed", type_of(walker, node)))


def _variables(walker: GoWalker, node: Node) -> None:
    """`var` and `const`: definitions in a file, names in a function."""
    written, value = node.child_by_field_name("type"), node.child_by_field_name("value")
    targets = [name_term(walker, named) for named in names_of(node)]
    kind, doc = type_of(walker, written), walker.take_comment()
    constant: tuple[str, ...] = ()
    if node.type == "const_spec":
        # In a list of constants what is left out is what it was for the one before.
        constant = ("constant",)
        kind = walker.repeated = kind if written or value else walker.repeated
    if walker.scope == MODULE_SCOPE:
        for named in names_of(node):
            if (name := walker.name(named)) == "_":
                walker.emit("do", ("typed", kind))
            else:
                flags = _flags(name, *constant)
                walker.define_variable(name, node, named=named, returns=kind, flags=flags, doc=doc)
    elif kind:
        declare_typed(walker, targets, kind)
    if value is not None:
        assign(walker, targets, value)


_STATEMENTS: Statements = {
    **STATEMENTS,
    "import_spec": _import,
    "function_declaration": _function,
    "method_declaration": _method,
    "type_spec": _type,
    "type_alias": _type,
    "field_declaration": _field,
    "method_elem": _signature,
    "type_elem": _embedded,
    "package_clause": nothing,
    "var_spec": _variables,
    "const_spec": _variables,
    "goto_statement": nothing,
    "break_statement": nothing,
    "continue_statement": nothing,
    "label_name": nothing,
}
