"""PHP: classes, interfaces, traits, enums and their members."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Param, Term
from ..walker import Statements, callable_of, child_of_type, children_of, list_of, signature_end
from .doc_types import Doc, read_doc, templates
from .functions import attributes, define_function, doc_of, parameters, variable_in
from .names import NAMES, ClassContext, PhpWalker, name_text
from .type_terms import documented, type_in

if TYPE_CHECKING:
    from tree_sitter import Node

# --- Modifiers.

_FLAGS = {
    "abstract_modifier": "abstract",
    "static_modifier": "static",
    "readonly_modifier": "constant",
}
_VISIBILITY = {"public": "exported", "private": "private"}


def _modifiers(walker: PhpWalker, node: Node) -> list[str]:
    flags = [
        _VISIBILITY.get(walker.name(child).lower(), "")
        if child.type == "visibility_modifier"
        else _FLAGS.get(child.type, "")
        for child in node.named_children
    ]
    return [flag for flag in flags if flag]


# --- Classes.

_SORTS = {
    "interface_declaration": "interface",
    "trait_declaration": "trait",
    "enum_declaration": "enum",
}


def class_declaration(walker: PhpWalker, node: Node) -> None:
    """A class, interface, trait or enum with a name."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    comment = walker.take_comment()
    flags = [*_modifiers(walker, node), *attributes(walker, node)]
    if node.type in _SORTS:
        flags.append(_SORTS[node.type])
    index = walker.define_hoisted(
        "class", walker.name(named), node, body="class", named=named,
        header=signature_end(node, body), flags=flags, doc=comment,
    )  # fmt: skip
    _walk_class(walker, node, index, ("name", walker.name(named)), comment)


def anonymous_class(walker: PhpWalker, node: Node) -> Term:
    """`new class(…) extends B { … }`: return the class."""
    attributes(walker, node)
    header = signature_end(node, node.child_by_field_name("body"))
    index = walker.define("class", "<anonymous>", node, body="class", header=header)
    own: Term = ("name", f"<class {node.start_byte}>")
    walker.bind(own, ("def", index))
    _walk_class(walker, node, index, own, "")
    return ("def", index)


def _walk_class(walker: PhpWalker, node: Node, index: int, own: Term, comment: str) -> None:
    """Walk the body of a class, and say what it inherits from."""
    members = children_of(node.child_by_field_name("body"))
    bases = _listed(walker, child_of_type(node, "base_clause"))
    interfaces = _listed(walker, child_of_type(node, "class_interface_clause"))
    used = [member for member in members if member.type == "use_declaration"]
    traits = [trait for member in used for trait in _listed(walker, member)]
    # What a trait brings comes before what is inherited.
    walker.fill(index, bases=(*traits, *bases, *interfaces))
    is_class = node.type in ("class_declaration", "anonymous_class")
    parent = bases[0] if bases and is_class else None
    context = ClassContext(own, parent, _is_test(walker, node, parent))
    bounds = templates(comment, walker.class_term)
    with (
        walker.having(
            context=context, known={}, bounds={**walker.bounds, **bounds}, generics=tuple(bounds)
        ),
        walker.in_scope(walker.body(index)),
    ):
        _documented_members(walker, read_doc(comment, walker.class_term, walker.bounds))
        if node.type == "enum_declaration":
            for name, kind in (("from", own), ("tryFrom", own), ("cases", list_of(own))):
                walker.declare(("name", name), callable_of(kind))
        walker.run_all(members)


def _is_test(walker: PhpWalker, node: Node, parent: Term) -> bool:
    named = node.child_by_field_name("name")
    own = walker.name(named) if named is not None else ""
    base = str(parent[-1]).strip("<>") if parent is not None else ""
    return own.endswith("Test") or base.endswith("TestCase")


def _listed(walker: PhpWalker, node: Node | None) -> list[Term]:
    """Return the classes that a clause names."""
    named = [child for child in children_of(node) if child.type in NAMES]
    terms = [walker.class_term(name_text(walker, child)) for child in named]
    return [term for term in terms if term is not None]


def _documented_members(walker: PhpWalker, doc: Doc) -> None:
    """Members that only the comment of a class names: what is read and called through `__get` and
    `__call`."""
    for name, kind in doc.properties.items():
        walker.declare(("name", name), kind)
    for name, kind in doc.methods.items():
        if kind is not None:
            walker.declare(("name", name), callable_of(kind))


# --- Members.

# Methods that the language calls for an operation, by their names in the facts of any language.
_IMPLICIT = {"__invoke": "__call__", "offsetGet": "__getitem__"}


def _method(walker: PhpWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name, flags = walker.name(named), _modifiers(walker, node)
    if name == "__construct":
        flags.append("constructor")
    elif node.child_by_field_name("body") is None and "abstract" not in flags:
        flags.append("abstract")
    if walker.context.is_test and name.startswith("test"):
        flags.append("test")
    comment = walker.take_comment()
    _promoted(walker, node, doc_of(walker, comment))
    index = define_function(walker, node, named, "method", flags, comment)
    walker.hoist("define", index)
    if name in _IMPLICIT:
        walker.hoist("bind", ("name", _IMPLICIT[name]), ("def", index))


def _promoted(walker: PhpWalker, node: Node, doc: Doc) -> None:
    """Parameters of a constructor that are properties as well."""
    for child in children_of(node.child_by_field_name("parameters")):
        named = variable_in(child)
        if child.type != "property_promotion_parameter" or named is None:
            continue
        name = walker.name(named)
        kind = documented(type_in(walker, child), doc.params.get(name))
        _property(walker, child, named, kind, _modifiers(walker, child), "")
        _hooks(walker, child, name, kind)


def _properties(walker: PhpWalker, node: Node) -> None:
    comment = walker.take_comment()
    doc = doc_of(walker, comment)
    flags = [*_modifiers(walker, node), *attributes(walker, node)]
    declared = type_in(walker, node)
    for element in node.named_children:
        named = element.child_by_field_name("name")
        if element.type != "property_element" or named is None:
            continue
        name = walker.name(named)
        kind = documented(declared, doc.variables.get(name, doc.variables.get("")))
        _property(walker, element, named, kind, flags, comment)
        if (value := element.child_by_field_name("default_value")) is not None:
            walker.bind(("name", name), walker.evaluate(value))
        _hooks(walker, node, name, kind)


def _property(
    walker: PhpWalker, node: Node, named: Node, kind: Term, flags: list[str], doc: str
) -> None:
    """Define a property, under its name without the sign in front."""
    name = walker.name(named)
    walker.define(
        "variable", name.removeprefix("$"), node, named=named, returns=kind, flags=flags, doc=doc
    )
    walker.declare(("name", name), kind)


def _hooks(walker: PhpWalker, node: Node, name: str, kind: Term) -> None:
    """`{ get => …; set($v) { … } }`: code that runs when a property is read or written."""
    for hook in children_of(child_of_type(node, "property_hook_list")):
        named, body = child_of_type(hook, "name"), hook.child_by_field_name("body")
        if named is None or body is None:
            continue
        params = parameters(walker, hook.child_by_field_name("parameters"))
        params = params or (Param("$value", kind, None, ""),)
        hook_name = f"{name.removeprefix('$')}.{walker.name(named)}"
        index = walker.define(
            "method", hook_name, hook, body="function", named=named, params=params,
            header=body.start_byte,
        )  # fmt: skip
        walker.run_definition(index, body, params)


def constants(walker: PhpWalker, node: Node) -> None:
    """`const A = 1, B = 2;` of a class or a namespace."""
    doc = walker.take_comment()
    flags = [*_modifiers(walker, node), *attributes(walker, node), "constant"]
    if walker.scope_kind == "class":
        flags.append("static")
    for element in node.named_children:
        if element.type == "const_element" and element.named_child_count:
            named = element.named_children[0]
            name = walker.name(named)
            walker.define_variable(name, element, named=named, flags=flags, doc=doc)
            walker.bind(("name", name), walker.evaluate(element.named_children[-1]))


def _case(walker: PhpWalker, node: Node) -> None:
    """A case of an enum: an object of it."""
    named, doc = node.child_by_field_name("name"), walker.take_comment()
    attributes(walker, node)
    if named is not None:
        walker.define_variable(
            walker.name(named), node, named=named, flags=("constant", "static"), doc=doc,
            returns=walker.context.own,
        )  # fmt: skip
        walker.discard(walker.evaluate_field(node, "value"))


def _use_traits(walker: PhpWalker, node: Node) -> None:
    """`use A, B { A::f insteadof B; B::f as g; }`: the traits are bases; here members of theirs get
    names."""
    traits = tuple(_listed(walker, node))
    for trait in traits:
        walker.discard(trait)
    for rule in children_of(child_of_type(node, "use_list")):
        if rule.named_child_count:
            _trait_rule(walker, rule, traits)


def _trait_rule(walker: PhpWalker, node: Node, traits: tuple[Term, ...]) -> None:
    first = node.named_children[0]
    holder: Term = ("either", traits) if len(traits) > 1 else traits[0] if traits else None
    if first.type == "class_constant_access_expression":
        holder = walker.class_term(name_text(walker, first.named_children[0]))
        first = first.named_children[-1]
    member: Term = ("attr", holder, walker.name(first))
    named = [first]
    if node.type == "use_as_clause":
        named = [child for child in node.named_children[1:] if child.type == "name"][:1]
    for alias in named:
        walker.hoist("bind", ("name", walker.name(alias)), member)


STATEMENTS: Statements = {
    **dict.fromkeys(("class_declaration", *_SORTS), class_declaration),
    "method_declaration": _method,
    "property_declaration": _properties,
    "const_declaration": constants,
    "enum_case": _case,
    "use_declaration": _use_traits,
}
