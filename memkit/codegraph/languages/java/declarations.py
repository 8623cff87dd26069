"""Packages, types, members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts, Term
from ..facts_builder import count_errors
from ..walker import Statements, SyntaxWalker, fields
from . import LIBRARY, OVERLOAD_TYPES
from .expressions import STATEMENTS as IN_BODIES
from .expressions import TERMS, JavaWalker, arguments, modifiers, parameters, type_of

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


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Java file says; its namespace is its package."""
    walker = JavaWalker(source, path, DIALECT, TERMS, _STATEMENTS)
    # Where classes that are named with their package are said to be imported.
    root = tree.root_node
    walker.site(root)
    namespace = doc = ""
    for place, child in enumerate(root.named_children):
        if child.type == "package_declaration" and child.named_child_count:
            namespace = "".join(walker.text(child.named_children[-1]).split())
            doc = walker.comment_above(root.named_children, place)
            break
    walker.walk_all(root)
    return walker.finish(errors=count_errors(root), namespace=namespace, doc=doc)


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
    outer = f"<{'.'.join(names[: first + 1])}>"
    walker.hoist("import", outer, ".".join(names[:first]), names[first], 0, walker.site(node))
    term: Term = ("name", outer)
    for name in names[first + 1 :]:
        term = ("attr", term, name)
    walker.hoist("bind", ("name", names[-1]), term)


def _type(walker: SyntaxWalker, node: Node) -> None:
    """A class, interface, enum, record or annotation type."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    doc, flags = walker.above(), modifiers(walker, node)
    if node.type in _SORTS:
        flags.append(_SORTS[node.type])
    number = walker.define(
        "class", walker.name(named), node, scope=walker.at, body="class", named=named,
        header=node.end_byte if body is None else body.start_byte, flags=flags, doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    scope = walker.body(number)
    around, bounds = (walker.bounds, walker.generics), _bounds(walker, parts.get("type_parameters"))
    walker.bounds, walker.generics = {**walker.bounds, **bounds}, tuple(bounds)
    walker.fill(number, bases=_bases(walker, node))
    if node.type == "record_declaration":
        _components(walker, parts.get("parameters"), scope)
    if body is not None:
        walker.within(scope, body.named_children)
    walker.bounds, walker.generics = around


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
    for child in node.named_children if node is not None else ():
        named = next((c for c in child.named_children if c.type.endswith("identifier")), None)
        bound = next((c for c in child.named_children if c.type == "type_bound"), None)
        if named is not None:
            bounds[walker.name(named)] = type_of(walker, bound)
    return bounds


def _components(walker: SyntaxWalker, node: Node | None, scope: int) -> None:
    """Components are members by their names, and by their places for patterns."""
    listed = node.named_children if node is not None else []
    nodes = [child for child in listed if child.type.endswith("_parameter")]
    taken = parameters(walker, node)
    for place, (child, param) in enumerate(zip(nodes, taken, strict=False)):
        kind: Term = ("item", ("name", "list"), param.type) if param.sort else param.type
        named = child.child_by_field_name("name") or child
        walker.define("variable", param.name, child, scope=scope, named=named, returns=kind)
        for name in (param.name, str(place)) if kind is not None else ():
            walker.add(scope, ("declare", ("name", name), kind))


def _method(walker: SyntaxWalker, node: Node) -> None:
    """A method or a constructor, with a body or without."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    doc, flags = walker.above(), modifiers(walker, node)
    if "constructor" in node.type:
        flags.append("constructor")
    elif body is None and "abstract" not in flags:
        flags.append("abstract")
    around, bounds = (walker.bounds, walker.generics), _bounds(walker, parts.get("type_parameters"))
    walker.bounds = {**walker.bounds, **bounds}
    walker.generics = tuple("" if name in bounds else name for name in walker.generics)
    listed = parts.get("parameters")
    if listed is None and node.parent is not None and node.parent.parent is not None:
        # A compact constructor takes what its record is made of.
        listed = node.parent.parent.child_by_field_name("parameters")
    taken = parameters(walker, listed)
    kind = parts.get("type")
    named_type = kind if kind is not None and kind.type == "type_identifier" else None
    number = walker.define(
        "method", walker.name(named), node, scope=walker.at, body="function", named=named,
        header=node.end_byte if body is None else body.start_byte, flags=flags, params=taken,
        returns=_given_back(walker, named_type, listed) if named_type else type_of(walker, kind),
        doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    if body is not None:
        walker.within(walker.body(number), body.named_children, taken)
    walker.bounds, walker.generics = around


def _given_back(walker: SyntaxWalker, node: Node, listed: Node | None) -> Term:
    """Return the type of what a method gives; of `Object` its body tells more.

    `T` may be said by an argument: of `Class<T> c` it is the class that is given. What stands for a
    parameter of the class is said as such.
    """
    kind, name = type_of(walker, node), walker.name(node)
    if name in walker.bounds and listed is not None:
        class_text = f"Class<{name}>"
        for place, child in enumerate(listed.named_children):
            parameter_type = child.child_by_field_name("type")
            if parameter_type is not None and walker.text(parameter_type) == class_text:
                return ("argument", place, kind)
    if name in walker.generics:
        return ("parameter", walker.generics.index(name), kind)
    return None if name == "Object" else kind


def _fields(walker: SyntaxWalker, node: Node) -> None:
    """Fields of a class, constants of an interface."""
    doc, flags = walker.above(), modifiers(walker, node)
    kind = type_of(walker, node.child_by_field_name("type"))
    for declarator in node.children_by_field_name("declarator"):
        named, value = (
            declarator.child_by_field_name("name"),
            declarator.child_by_field_name("value"),
        )
        if named is None:
            continue
        declared: Term = kind
        if declarator.child_by_field_name("dimensions") is not None:
            declared = ("item", ("name", "list"), kind)
        walker.variable(walker.name(named), node, named=named, type_=declared, flags=flags, doc=doc)
        if value is not None:
            walker.bind(("name", walker.name(named)), walker.term(value))


def _constant(walker: SyntaxWalker, node: Node) -> None:
    """A constant of an enum: an object of it, or of a class in place."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    around = walker.around(walker.at)
    kind: Term = ("def", around) if around >= 0 else None
    args = arguments(walker, parts.get("arguments"))
    walker.variable(
        walker.name(named), node, named=named, flags=("constant", "static"), doc=walker.above()
    )
    if body is not None:
        number = walker.define(
            "class", "<anonymous>", node, scope=walker.at, body="class", named=named,
            header=body.start_byte, bases=[kind],
        )  # fmt: skip
        walker.within(walker.body(number), body.named_children)
        kind = ("def", number)
    walker.bind(("name", walker.name(named)), ("new", kind, args, (), walker.site(named)))


_STATEMENTS: Statements = {
    **IN_BODIES,
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
