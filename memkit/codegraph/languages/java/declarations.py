"""Java: its dialect, packages, types and members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, words
from ...facts import Facts, Term
from ..walker import (
    Statements,
    SyntaxWalker,
    child_of_type,
    children_of,
    list_of,
    signature_end,
)
from . import LIBRARY, OVERLOAD_TYPES
from .expressions import (
    EXPRESSIONS,
    STATEMENTS,
    JavaWalker,
    modifiers,
    parameters,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="java",
    extensions=(".java",),
    family="java",
    package_before_wildcard=True,
    capitalised_is_external=True,
    checks_arity=True,
    overload_types=OVERLOAD_TYPES,
    library=LIBRARY,
    private_is_file_wide=True,
    implicit_members=True,
    methods_apart=True,
    shares_namespace=True,
    invokers=frozenset({"*"}),
    composing=frozenset(
        """
        and or negate andThen compose reversed thenComparing thenComparingInt thenComparingLong
        thenComparingDouble equals hashCode toString getClass notify notifyAll wait
        """.split()
    ),
    # Methods of java.lang and java.util that any receiver may have.
    builtin_methods=frozenset(
        """
        equals hashCode toString getClass notify notifyAll wait clone finalize compareTo compare
        add addAll remove removeAll removeIf get set put putAll putIfAbsent getOrDefault contains
        containsKey containsValue containsAll size isEmpty clear iterator hasNext next keySet values
        entrySet getKey getValue stream forEach toArray subList indexOf lastIndexOf sort of copyOf
        map filter collect flatMap reduce anyMatch allMatch noneMatch findFirst findAny sorted
        distinct limit skip peek count min max sum orElse orElseGet orElseThrow isPresent ifPresent
        charAt length substring startsWith endsWith trim strip split replace replaceAll toLowerCase
        toUpperCase concat matches format join valueOf parseInt append insert reverse delete
        print println printf write read readLine flush close run call accept apply test start
        join interrupt sleep currentThread submit execute shutdown await lock unlock getName
        getMessage printStackTrace getCause invoke newInstance intValue longValue doubleValue
        push pop offer poll element first last name ordinal
        """.split()
    ),
)
_SORTS = {
    "interface_declaration": "interface",
    "annotation_type_declaration": "interface",
    "enum_declaration": "enum",
    "record_declaration": "struct",
}
# Methods that serialisation looks up by name.
_SERIALISATION = words("readObject readObjectNoData writeObject readResolve writeReplace")


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Java file says; its namespace is its package."""
    walker = JavaWalker(source, path, DIALECT, EXPRESSIONS, _STATEMENTS)
    # Where classes that are named with their package are said to be imported.
    root = tree.root_node
    walker.site(root)
    clause, doc = walker.package_clause(root, "package_declaration")
    named = walker.text(clause.named_children[-1]) if clause is not None else ""
    walker.run_tree(root)
    return walker.finish(root, namespace="".join(named.split()), doc=doc)


def _import(walker: SyntaxWalker, node: Node) -> None:
    named = next((c for c in node.named_children if c.type.endswith("identifier")), None)
    if named is None:
        return
    names = "".join(walker.text(named).split()).split(".")
    static = any(child.type == "static" for child in node.children)
    if any(child.type == "asterisk" for child in node.children):
        walker.hoist("import", "", ".".join(names), "*", 0, walker.site(node))
        return
    first = next((n for n, name in enumerate(names) if name[:1].isupper()), len(names) - 1)
    if first == len(names) - 1 and not static:
        walker.hoist("import", names[-1], ".".join(names[:-1]), names[-1], 0, walker.site(node))
        return
    # A member of a class: the class is imported, and the member bound.
    outer, site = f"<{'.'.join(names[: first + 1])}>", walker.site(node)
    walker.hoist("import", outer, ".".join(names[:first]), names[first], 0, site)
    term: Term = ("name", outer)
    for name in names[first + 1 :]:
        term = ("attr", term, name, site)
    walker.hoist("bind", ("name", names[-1]), term)


def _type(walker: JavaWalker, node: Node) -> None:
    """A class, interface, enum, record or annotation type."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    if node.type in _SORTS:
        flags.append(_SORTS[node.type])
    index = walker.define_hoisted(
        "class", walker.name(named), node, body="class", named=named,
        header=signature_end(node, body), flags=flags, doc=doc,
    )  # fmt: skip
    bounds = _bounds(walker, node.child_by_field_name("type_parameters"))
    with walker.having(bounds={**walker.bounds, **bounds}, generics=tuple(bounds)):
        walker.fill(index, bases=_bases(walker, node))
        _mention(walker, walker.body(index), list(bounds.values()))
        if node.type == "record_declaration":
            _components(walker, node.child_by_field_name("parameters"), walker.body(index))
        walker.run_definition(index, body)


def _bases(walker: SyntaxWalker, node: Node) -> tuple[Term, ...]:
    bases: list[Term] = []
    for child in node.named_children:
        if child.type in ("superclass", "super_interfaces", "extends_interfaces"):
            for inner in child.named_children:
                listed = inner.named_children if inner.type == "type_list" else [inner]
                bases += [type_of(walker, base) for base in listed]
    return tuple(base for base in bases if base is not None)


def _bounds(walker: SyntaxWalker, node: Node | None) -> dict[str, Term]:
    """Return what the parameters of a generic extend: it stands for them."""
    bounds: dict[str, Term] = {}
    for child in children_of(node):
        named = next((c for c in child.named_children if c.type.endswith("identifier")), None)
        if named is not None:
            bounds[walker.name(named)] = type_of(walker, child_of_type(child, "type_bound"))
    return bounds


def _components(walker: SyntaxWalker, node: Node | None, scope: int) -> None:
    """Components are members by their names, and by their positions for patterns."""
    nodes = [child for child in children_of(node) if child.type.endswith("_parameter")]
    params = parameters(walker, node)
    for position, (child, param) in enumerate(zip(nodes, params, strict=False)):
        kind = list_of(param.type) if param.sort else param.type
        named = child.child_by_field_name("name") or child
        walker.define("variable", param.name, child, scope=scope, named=named, returns=kind)
        for name in (param.name, str(position)) if kind is not None else ():
            walker.emit_in(scope, "declare", ("name", name), kind)


def _method(walker: JavaWalker, node: Node) -> None:
    """A method or a constructor, with a body or without."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    if "constructor" in node.type:
        flags.append("constructor")
        walker.emit("part", ("def", walker.builder.enclosing(walker.scope)), walker.site(named))
    elif body is None and "abstract" not in flags:
        flags.append("abstract")
    if walker.name(named) in _SERIALISATION:
        flags.append("entry")
    bounds = _bounds(walker, node.child_by_field_name("type_parameters"))
    generics = tuple(["" if name in bounds else name for name in walker.generics])
    with walker.having(bounds={**walker.bounds, **bounds}, generics=generics):
        listed = _parameter_list(node)
        params = parameters(walker, listed)
        index = walker.define_hoisted(
            "method", walker.name(named), node, body="function", named=named,
            header=signature_end(node, body), flags=flags, params=params,
            returns=_result(walker, node.child_by_field_name("type"), listed), doc=doc,
        )  # fmt: skip
        thrown = [child for child in node.named_children if child.type == "throws"]
        named_types = [type_of(walker, kind) for child in thrown for kind in child.named_children]
        _mention(walker, walker.body(index), [*bounds.values(), *named_types])
        walker.run_definition(index, body, params)


def _mention(walker: JavaWalker, scope: int, kinds: list[Term]) -> None:
    """Say that a definition uses types which are of no parameter and no result."""
    for kind in kinds:
        if kind is not None:
            walker.emit_in(scope, "do", ("typed", kind))


def _parameter_list(node: Node) -> Node | None:
    """Return the parameters of a method; a compact constructor takes what its record is made of."""
    listed = node.child_by_field_name("parameters")
    if listed is None and node.parent is not None and node.parent.parent is not None:
        return node.parent.parent.child_by_field_name("parameters")
    return listed


def _result(walker: JavaWalker, node: Node | None, listed: Node | None) -> Term:
    """Return the type of what a method gives; of `Object` its body tells more.

    `T` may be said by an argument: of `Class<T> c` it is the class that is given. What stands for a
    parameter of the class is said as such.
    """
    kind = type_of(walker, node)
    if node is None or node.type != "type_identifier":
        return kind
    name = walker.name(node)
    if name in walker.bounds and listed is not None:
        class_text = f"Class<{name}>"
        for position, child in enumerate(listed.named_children):
            parameter_type = child.child_by_field_name("type")
            if parameter_type is not None and walker.text(parameter_type) == class_text:
                return ("argument", position, kind)
    if name in walker.generics:
        return ("parameter", walker.generics.index(name), kind)
    return None if name == "Object" else kind


def _fields(walker: JavaWalker, node: Node) -> None:
    """Fields of a class, constants of an interface."""
    doc, flags = walker.take_comment(), modifiers(walker, node)
    kind = type_of(walker, node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        named = declarator.child_by_field_name("name")
        if named is None:
            continue
        name, is_array = walker.name(named), declarator.child_by_field_name("dimensions")
        declared = list_of(kind) if is_array is not None else kind
        walker.define_variable(name, node, named=named, returns=declared, flags=flags, doc=doc)
        if (value := declarator.child_by_field_name("value")) is not None:
            walker.bind(("name", name), walker.evaluate(value))


def _constant(walker: JavaWalker, node: Node) -> None:
    """A constant of an enum: an object of it, or of a class in place."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name, enum = walker.name(named), walker.builder.enclosing(walker.scope)
    kind: Term = ("def", enum) if enum >= 0 else None
    args = walker.evaluate_children(node.child_by_field_name("arguments"))
    doc = walker.take_comment()
    walker.define_variable(name, node, named=named, flags=("constant", "static"), doc=doc)
    if body is not None:
        index = walker.define(
            "class", "<anonymous>", node, body="class", named=named, header=body.start_byte,
            bases=[kind],
        )  # fmt: skip
        walker.run_definition(index, body)
        kind = ("def", index)
    walker.bind(("name", name), ("new", kind, args, (), walker.site(named)))


_STATEMENTS: Statements = {
    **STATEMENTS,
    "import_declaration": _import,
    "class_declaration": _type,
    "interface_declaration": _type,
    "enum_declaration": _type,
    "record_declaration": _type,
    "annotation_type_declaration": _type,
    "method_declaration": _method,
    "annotation_type_element_declaration": _method,
    "constructor_declaration": _method,
    "compact_constructor_declaration": _method,
    "field_declaration": _fields,
    "constant_declaration": _fields,
    "enum_constant": _constant,
}
