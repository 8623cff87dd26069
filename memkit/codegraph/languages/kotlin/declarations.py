"""Packages, imports, types, members."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import Statements, nothing, without_comments
from .bodies import bind_apart, delegated_value, local_value, modifiers, walk_body
from .expressions import STATEMENTS as IN_BODIES
from .expressions import anonymous_class, arguments, object_type
from .type_terms import (
    ANYTHING,
    KotlinWalker,
    bounds_of,
    child,
    defaults,
    is_function_type,
    parameters,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = ("getter", "setter")


def namespace_of(walker: KotlinWalker, root: Node) -> tuple[str, str]:
    """Return the package that a file declares, and the comment above it."""
    for place, node in enumerate(root.named_children):
        if node.type == "package_header" and node.named_child_count:
            text = "".join(walker.text(node.named_children[0]).split()).replace("`", "")
            return text, walker.comment_above(root.named_children, place)
    return "", ""


def _imports(walker: KotlinWalker, node: Node) -> None:
    walker.run_all(node.named_children)
    walker.keep_comment(node)


def _import(walker: KotlinWalker, node: Node) -> None:
    """`import a.b.C`, `import a.b.*`, `import a.b.C as D`, `import a.C.Companion.f`."""
    named, alias = child(node, "identifier"), child(node, "import_alias")
    if named is None:
        return
    names = [walker.word(part) for part in named.named_children]
    if child(node, "wildcard_import") is not None:
        walker.hoist("import", "", ".".join(names), "*", 0, walker.site(node))
        return
    local = walker.word(alias.named_children[0]) if alias is not None else names[-1]
    walker.hoist("import", local, ".".join(names[:-1]), names[-1], 0, walker.site(node))


def _alias(walker: KotlinWalker, node: Node) -> None:
    """`typealias A = B`: another name for a type."""
    named, bounds = child(node, "type_identifier"), walker.bounds
    if named is None:
        return
    flags = [*modifiers(walker, node), "alias"]
    walker.bounds = {**bounds, **bounds_of(walker, node)}
    kind = type_of(walker, without_comments(node)[-1])
    number = walker.define(
        "class", walker.word(named), node, named=named, flags=flags, returns=kind,
        doc=walker.take_comment(),
    )  # fmt: skip
    walker.hoist("define", number)
    walker.bounds = bounds


def _sort(node: Node) -> list[str]:
    words = {part.type for part in node.children}
    if node.type == "object_declaration":
        return ["object"]
    return ["interface"] if "interface" in words else ["enum"] if "enum" in words else []


def _type(walker: KotlinWalker, node: Node) -> None:
    """A class, interface, enum or object."""
    named, body = child(node, "type_identifier"), child(node, "class_body", "enum_class_body")
    if named is None:
        walker.run_all(node.named_children)
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    header = child(node, "delegation_specifier", "class_body", "enum_class_body")
    number = walker.define(
        "class", walker.word(named), node, body="class", named=named,
        header=node.end_byte if header is None else header.start_byte,
        flags=[*flags, *_sort(node)], doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    with walker.in_class(number, walker.word(named), bounds_of(walker, node)):
        walker.fill(number, bases=_bases(walker, node))
        # The class itself is also its companion, whose members it has.
        walker.hoist("bind", ("name", "Companion"), ("def", number))
        _primary(walker, node, named, is_data="data" in flags)
        specifiers(walker, node)
        if body is not None:
            walker.run_all(body.named_children)


def _bases(walker: KotlinWalker, node: Node) -> tuple[Term, ...]:
    bases: list[Term] = []
    for part in node.named_children:
        if part.type == "delegation_specifier" and part.named_child_count:
            inner = part.named_children[0]
            bases.append(
                type_of(walker, inner) if inner.type == "user_type" else type_in(walker, inner)
            )
    return tuple(base for base in bases if base is not None)


def specifiers(walker: KotlinWalker, node: Node) -> None:
    """The constructors of bases that are called, and what implements an interface (`by x`)."""
    for part in node.named_children:
        inner = part.named_children[0] if part.named_child_count else part
        if part.type != "delegation_specifier":
            continue
        if inner.type == "constructor_invocation":
            walker.discard(initialised(walker, inner, constructed))
        elif inner.type == "explicit_delegation":
            walker.discard(initialised(walker, inner.named_children[-1]))


def constructed(walker: KotlinWalker, node: Node) -> Term:
    """Return the call of a base's constructor."""
    kind = child(node, "user_type")
    made = type_of(walker, kind)
    placed, named = arguments(walker, child(node, "value_arguments"), None)
    last = kind.named_children[-1] if kind is not None and kind.named_child_count else node
    site = kind.named_children[0] if kind is not None and last.type != "type_identifier" else last
    return ("new", made, placed, named, walker.site(site))


def _primary(walker: KotlinWalker, node: Node, named: Node, *, is_data: bool) -> None:
    """The constructor in the header of a class, and the properties that stand in it."""
    listed = child(node, "primary_constructor")
    if listed is None:
        return
    taken = parameters(walker, listed)
    number = walker.define(
        "method", walker.word(named), listed, body="function", named=named,
        header=listed.end_byte, flags=[*modifiers(walker, listed), "constructor"], params=taken,
    )  # fmt: skip
    walker.hoist("define", number)
    if is_data:
        # A copy is an object of the class, made of the same parameters.
        walker.fill(number, returns=("name", walker.word(named)))
        walker.hoist("bind", ("name", "copy"), ("def", number))
    walker.initial = walker.builder.open_scope("block", walker.scope)
    nodes = [part for part in listed.named_children if part.type == "class_parameter"]
    for place, (part, param) in enumerate(zip(nodes, taken, strict=False)):
        kind: Term = ("item", ("name", "list"), param.type) if param.sort else param.type
        name = child(part, "simple_identifier")
        if is_function_type(walker, part):
            walker.callables.add((walker.scope, param.name))
        if child(part, "binding_pattern_kind") is not None:
            walker.define(
                "variable", param.name, part, named=name, returns=kind,
                flags=modifiers(walker, part),
            )  # fmt: skip
            names = (param.name, f"component{place + 1}") if is_data else (param.name,)
            for local in names:
                walker.add_locals(("name", local))
                walker.hoist("declare" if kind else "bind", ("name", local), kind)
        else:
            around, walker.scope = walker.scope, walker.initial
            walker.add_locals(("name", param.name))
            walker.hoist("declare" if kind else "bind", ("name", param.name), kind)
            walker.scope = around
    for value in defaults(listed):
        walker.discard(initialised(walker, value))


def initialised(
    walker: KotlinWalker,
    node: Node,
    by: Callable[[KotlinWalker, Node], Term] = KotlinWalker.evaluate,
) -> Term:
    """Return a value that is worked out when an object is made: parameters of the primary
    constructor are in sight. Without a name that takes it, it is said to be evaluated."""
    if walker.initial < 0 or walker.scope_kind != "class":
        return by(walker, node)
    around, walker.scope = walker.scope, walker.initial
    term = by(walker, node)
    inside, walker.scope = walker.scope, around
    return ("in", inside, term) if term is not None else None


def _function(walker: KotlinWalker, node: Node) -> None:
    """A function: of a file, a class, or inside of another; with a receiver an extension."""
    named = child(node, "simple_identifier")
    if named is None:
        walker.run_all(node.named_children)
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    listed, body = child(node, "function_value_parameters"), child(node, "function_body")
    outer = (walker.bounds, walker.receivers, walker.generics)
    own = bounds_of(walker, node)
    walker.bounds, walker.receivers = (
        {**walker.bounds, **own},
        _receivers(walker, node, listed, own),
    )
    walker.generics = tuple("" if name in own else name for name in walker.generics)
    taken = parameters(walker, listed)
    is_member = walker.scope_kind == "class"
    if body is None and is_member and "external" not in walker.text(node).split("fun")[0].split():
        flags.append("abstract")
    number = walker.define(
        "method" if is_member else "function", walker.word(named), node,
        body="function", named=named, header=node.end_byte if body is None else body.start_byte,
        flags=[*flags, *_static(walker, node)], params=taken,
        returns=_result_type(walker, node, listed), owner=_owner(walker, node), doc=doc,
    )  # fmt: skip
    if not is_member and walker.scope:
        walker.declared.add((walker.scope, walker.word(named)))
        walker.callables.add((walker.scope, walker.word(named)))
    if "hidden" not in flags:
        walker.hoist("define", number)
    if walker.word(named) == "invoke" and is_member:
        walker.hoist("bind", ("name", "__call__"), ("def", number))
    _parameter_types(walker, number, listed)
    walk_body(walker, number, body, taken, label=walker.word(named), values=list(defaults(listed)))
    walker.bounds, walker.receivers, walker.generics = outer


def _parameter_types(walker: KotlinWalker, number: int, listed: Node | None) -> None:
    for part in listed.named_children if listed is not None else ():
        named = child(part, "simple_identifier")
        if named is not None and is_function_type(walker, part):
            walker.callables.add((walker.body(number), walker.word(named)))


def _receivers(
    walker: KotlinWalker, node: Node, listed: Node | None, own: dict[str, Term]
) -> dict[str, int]:
    """Return the places of what the type parameters of a function stand for."""
    places: dict[str, int] = {}
    parts = listed.named_children if listed is not None else []
    params = [part for part in parts if part.type == "parameter"]
    for place, part in enumerate(params):
        kind = child(part, *("user_type", "nullable_type"))
        if kind is not None and (name := walker.text(kind).strip("?")) in own:
            places.setdefault(name, place)
    receiver = child(node, "receiver_type")
    if receiver is not None and (name := walker.text(receiver).strip("?")) in own:
        places[name] = -1
    return places


def _owner(walker: KotlinWalker, node: Node) -> Term:
    """Return the type that an extension is for."""
    receiver = child(node, "receiver_type")
    if receiver is None:
        return None
    kind = type_of(walker, receiver)
    return ANYTHING if kind is None else kind


def _result_type(walker: KotlinWalker, node: Node, listed: Node | None) -> Term:
    """Return the declared type of what a function gives.

    What stands for a parameter of the class is said as such, and what is of the type of an argument
    or of the receiver too.
    """
    kind: Node | None = None
    seen = False
    for part in node.children:
        if part.type == "function_value_parameters":
            seen = True
        elif seen and part.is_named and "comment" not in part.type:
            kind = part if part.type not in ("function_body", "type_constraints") else None
            break
    name = "" if kind is None else walker.text(kind).strip("?")
    bound = type_of(walker, kind)
    if name in walker.receivers:
        return ("like", walker.receivers[name], bound)
    if name in walker.generics:
        return ("parameter", walker.generics.index(name), bound)
    if kind is None and "private" not in walker.text(node).partition("fun")[0]:
        body = child(node, "function_body")
        return (
            object_type(walker, without_comments(body)[0])
            if body is not None and without_comments(body)
            else None
        )
    return bound


def _static(walker: KotlinWalker, node: Node) -> list[str]:
    """Return the flag of members of a companion, which are those of the class around it."""
    above = node.parent.parent if node.parent is not None else None
    return ["static"] if above is not None and above.type == "companion_object" else []


def _companion(walker: KotlinWalker, node: Node) -> None:
    """`companion object`: its members are static members of the class around it."""
    body, named = child(node, "class_body"), child(node, "type_identifier")
    specifiers(walker, node)
    if named is not None:
        around = walker.builder.enclosing(walker.scope)
        walker.hoist("bind", ("name", walker.word(named)), ("def", around) if around >= 0 else None)
    if body is not None:
        walker.run_all(body.named_children)


def _secondary(walker: KotlinWalker, node: Node) -> None:
    """`constructor(…) : this(…) { … }`."""
    listed = child(node, "function_value_parameters")
    doc, flags = walker.take_comment(), modifiers(walker, node)
    taken = parameters(walker, listed)
    body = child(node, "statements")
    call = child(node, "constructor_delegation_call")
    keyword = next((part for part in node.children if part.type == "constructor"), node)
    number = walker.define(
        "method", walker.class_name, node,
        body="function", named=keyword, header=node.end_byte if body is None else body.start_byte,
        flags=[*flags, "constructor"], params=taken, doc=doc,
    )  # fmt: skip
    if "hidden" not in flags:
        walker.hoist("define", number)
    _parameter_types(walker, number, listed)
    before = [*defaults(listed), *([call] if call is not None else [])]
    walk_body(walker, number, body, taken, label="", values=before)


def _delegated(walker: KotlinWalker, node: Node) -> None:
    """`this(…)` and `super(…)` in front of a constructor's body."""
    placed, named = arguments(walker, child(node, "value_arguments"), None)
    is_super = node.children[0].type == "super"
    walker.discard(
        ("call", ("super",) if is_super else ("self",), placed, named, walker.site(node))
    )


def _property(walker: KotlinWalker, node: Node) -> None:
    """A property of a file or a class, or a local variable."""
    if walker.scope_kind in ("function", "block"):
        local_value(walker, node)
        return
    declared, apart = child(node, "variable_declaration"), child(node, "multi_variable_declaration")
    doc, flags = walker.take_comment(), modifiers(walker, node)
    if apart is not None:
        bind_apart(walker, apart, walker.evaluate(without_comments(node)[-1]), node)
        return
    named = child(declared, "simple_identifier")
    if named is None:
        return
    outer = (walker.bounds, walker.receivers)
    own = bounds_of(walker, node)
    walker.bounds, walker.receivers = {**walker.bounds, **own}, _receivers(walker, node, None, own)
    accessors = _accessors(node)
    if any(child(part, "function_body") is not None for part in accessors):
        _accessed(walker, node, named, declared, accessors, flags, doc)
    else:
        _stored(walker, node, named, declared, flags, doc)
    walker.bounds, walker.receivers = outer


def _accessors(node: Node) -> list[Node]:
    """Return the accessors of a property: in it, or right behind it, as the grammar has it."""
    inside = [part for part in node.named_children if part.type in _ACCESSORS]
    behind = node.next_named_sibling
    while behind is not None and (behind.type in _ACCESSORS or "comment" in behind.type):
        if behind.type in _ACCESSORS:
            inside.append(behind)
        behind = behind.next_named_sibling
    return inside


def _value(node: Node) -> Node | None:
    """Return the initial value of a property."""
    children = node.children
    for place, part in enumerate(children):
        if part.type == "=":
            rest = [other for other in children[place + 1 :] if "comment" not in other.type]
            return rest[0] if rest else None
    return None


def _accessed(
    walker: KotlinWalker, node: Node, named: Node, declared: Node | None, accessors: list[Node],
    flags: list[str], doc: str,
) -> None:  # fmt: skip
    """A property that runs code when it is read or set: a method."""
    kind, name = type_in(walker, declared), walker.word(named)
    value = _value(node)
    if value is not None:
        walker.discard(initialised(walker, value))
    number = walker.define(
        "method", name, node, body="function", named=named,
        header=accessors[0].start_byte, flags=[*flags, "property", *_static(walker, node)],
        returns=_shared(walker, kind, declared), owner=_owner(walker, node), doc=doc,
    )  # fmt: skip
    walker.hoist("define", number)
    for part in accessors:
        is_setter = part.type == "setter"
        param = child(part, "parameter_with_optional_type")
        taken = parameters(walker, part) if is_setter and param is not None else ()
        walk_body(
            walker, number, child(part, "function_body"), taken, label=name, gives=not is_setter
        )


def _shared(walker: KotlinWalker, kind: Term, declared: Node | None) -> Term:
    type_node = child(declared, "user_type", "nullable_type")
    name = "" if type_node is None else walker.text(type_node).strip("?")
    return ("like", walker.receivers[name], kind) if name in walker.receivers else kind


def _stored(
    walker: KotlinWalker, node: Node, named: Node, declared: Node | None, flags: list[str], doc: str
) -> None:
    """A property with a value of its own, or that of a delegate."""
    kind, name = type_in(walker, declared), walker.word(named)
    walker.define_variable(
        name, node, named=named, returns=kind, flags=[*flags, *_static(walker, node)], doc=doc
    )
    walker.add_locals(("name", name))
    delegate, value = child(node, "property_delegate"), _value(node)
    term: Term = None
    if delegate is not None:
        term = initialised(walker, delegate, delegated_value)
    elif value is not None:
        term = initialised(walker, value)
        if "private" not in flags:
            kind = kind or object_type(walker, value)
            if kind is not None and type_in(walker, declared) is None:
                walker.emit("declare", ("name", name), kind)
    if kind is None and term is not None:
        walker.bind(("name", name), term)
    else:
        walker.discard(term)


def _entry(walker: KotlinWalker, node: Node) -> None:
    """A constant of an enum: an object of it, or of a class in place."""
    named, body = child(node, "simple_identifier"), child(node, "class_body")
    if named is None:
        return
    around = walker.builder.enclosing(walker.scope)
    kind: Term = ("def", around) if around >= 0 else None
    placed, named_values = arguments(walker, child(node, "value_arguments"), None)
    walker.define_variable(
        walker.word(named),
        node,
        named=named,
        flags=("constant", "static"),
        doc=walker.take_comment(),
    )
    value: Term = ("new", kind, placed, named_values, walker.site(named))
    if body is not None:
        walker.discard(value)
        value = anonymous_class(walker, node, body, (kind,) if kind else ())
    walker.bind(("name", walker.word(named)), value)


def _initializer(walker: KotlinWalker, node: Node) -> None:
    """`init { … }`."""
    around, walker.scope = walker.scope, walker.initial if walker.initial >= 0 else walker.scope
    walker.run_block(node.named_children)
    walker.scope = around


STATEMENTS: Statements = {
    **IN_BODIES,
    "package_header": lambda walker, node: walker.keep_comment(node),
    "import_list": _imports,
    "import_header": _import,
    "type_alias": _alias,
    "class_declaration": _type,
    "object_declaration": _type,
    "companion_object": _companion,
    "function_declaration": _function,
    "secondary_constructor": _secondary,
    "constructor_delegation_call": _delegated,
    "property_declaration": _property,
    "enum_entry": _entry,
    "anonymous_initializer": _initializer,
    "getter": nothing,
    "setter": nothing,
}
