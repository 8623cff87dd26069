"""Packages, imports, types, members."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import (
    Having,
    Statements,
    children_of,
    list_of,
    nothing,
    signature_end,
    without_comments,
)
from ..walker import child_of_type as child
from .bodies import (
    bind_apart,
    delegated_value,
    initial_value,
    local_value,
    modifiers,
    seen_from,
    walk_body,
)
from .expressions import STATEMENTS as IN_BODIES
from .expressions import anonymous_class, arguments, base_type, object_type, specifiers_of
from .type_terms import (
    ANYTHING,
    KotlinWalker,
    bounds_of,
    defaults,
    is_function_type,
    parameters,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = ("getter", "setter")


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
    named = child(node, "type_identifier")
    if named is None:
        return
    flags = [*modifiers(walker, node), "alias"]
    with walker.having(bounds={**walker.bounds, **bounds_of(walker, node)}):
        kind = type_of(walker, without_comments(node)[-1])
        walker.define_hoisted(
            "class", walker.word(named), node, named=named, flags=flags, returns=kind,
            doc=walker.take_comment(),
        )  # fmt: skip


# Words in front of a type that say what it is.
_SORTS = ("object", "interface", "enum")


def _type(walker: KotlinWalker, node: Node) -> None:
    """A class, interface, enum or object."""
    named, body = (
        child(node, "type_identifier"),
        child(node, "class_body", "enum_class_body"),
    )
    if named is None:
        walker.run_all(node.named_children)
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    header = child(node, "delegation_specifier", "class_body", "enum_class_body")
    sort = [part.type for part in node.children if part.type in _SORTS]
    index = walker.define_hoisted(
        "class", walker.word(named), node, body="class", named=named,
        header=signature_end(node, header),
        flags=[*flags, *sort], doc=doc,
    )  # fmt: skip
    with walker.in_class(index, walker.word(named), bounds_of(walker, node)):
        bases = [base_type(walker, specifier) for specifier in specifiers_of(node)]
        walker.fill(index, bases=tuple(base for base in bases if base is not None))
        # The class itself is also its companion, whose members it has.
        walker.hoist("bind", ("name", "Companion"), ("def", index))
        _primary(walker, node, named, is_data="data" in flags)
        specifiers(walker, node)
        if body is not None:
            walker.run_all(body.named_children)


def specifiers(walker: KotlinWalker, node: Node) -> None:
    """The constructors of bases that are called, and what implements an interface (`by x`)."""
    for inner in specifiers_of(node):
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
    params = parameters(walker, listed)
    index = walker.define_hoisted(
        "method", walker.word(named), listed, body="function", named=named,
        header=listed.end_byte, flags=[*modifiers(walker, listed), "constructor"], params=params,
    )  # fmt: skip
    if is_data:
        # A copy is an object of the class, made of the same parameters.
        walker.fill(index, returns=("name", walker.word(named)))
        walker.hoist("bind", ("name", "copy"), ("def", index))
    walker.initial = walker.builder.open_scope("block", walker.scope)
    nodes = [part for part in listed.named_children if part.type == "class_parameter"]
    for position, (part, param) in enumerate(zip(nodes, params, strict=False)):
        kind = list_of(param.type) if param.sort else param.type
        name = child(part, "simple_identifier")
        if is_function_type(walker, part):
            walker.callables.add((walker.scope, param.name))
        if child(part, "binding_pattern_kind") is not None:
            walker.define(
                "variable", param.name, part, named=name, returns=kind,
                flags=modifiers(walker, part),
            )  # fmt: skip
            _declare_hoisted(walker, param.name, kind)
            if is_data:
                _declare_hoisted(walker, f"component{position + 1}", kind)
        else:
            with walker.in_scope(walker.initial):
                _declare_hoisted(walker, param.name, kind)
    for value in defaults(listed):
        walker.discard(initialised(walker, value))


def _declare_hoisted(walker: KotlinWalker, name: str, kind: Term) -> None:
    walker.add_locals(("name", name))
    walker.hoist("declare" if kind else "bind", ("name", name), kind)


def initialised(
    walker: KotlinWalker,
    node: Node,
    by: Callable[[KotlinWalker, Node], Term] = KotlinWalker.evaluate,
) -> Term:
    """Return a value that is worked out when an object is made: parameters of the primary
    constructor are in sight. Without a name that takes it, it is said to be evaluated."""
    if walker.initial < 0 or walker.scope_kind != "class":
        return by(walker, node)
    with walker.in_scope(walker.initial) as outer:
        return seen_from(walker, outer, by(walker, node))


def _function(walker: KotlinWalker, node: Node) -> None:
    """A function: of a file, a class, or inside of another; with a receiver an extension."""
    named = child(node, "simple_identifier")
    if named is None:
        walker.run_all(node.named_children)
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    listed, body = (
        child(node, "function_value_parameters"),
        child(node, "function_body"),
    )
    name, is_member = walker.word(named), walker.scope_kind == "class"
    if body is None and is_member and "external" not in walker.text(node).split("fun")[0].split():
        flags.append("abstract")
    with _with_own_types(walker, node, listed):
        params = parameters(walker, listed)
        index = walker.define(
            "method" if is_member else "function", name, node, body="function", named=named,
            header=signature_end(node, body), flags=[*flags, *_static(node)], params=params,
            returns=_result_type(walker, node, listed), owner=_owner(walker, node), doc=doc,
        )  # fmt: skip
        if not is_member and walker.scope:
            walker.declared.add((walker.scope, name))
            walker.callables.add((walker.scope, name))
        if "hidden" not in flags:
            walker.hoist("define", index)
        if name == "invoke" and is_member:
            walker.hoist("bind", ("name", "__call__"), ("def", index))
        _parameter_types(walker, index, listed)
        walk_body(walker, index, body, params, label=name, values=list(defaults(listed)))


def _with_own_types(walker: KotlinWalker, node: Node, listed: Node | None) -> Having:
    """Return a context in which a definition's own type parameters are known."""
    own = bounds_of(walker, node)
    return walker.having(
        bounds={**walker.bounds, **own},
        receivers=_receivers(walker, node, listed, own),
        generics=tuple("" if name in own else name for name in walker.generics),
    )


def _parameter_types(walker: KotlinWalker, index: int, listed: Node | None) -> None:
    for part in children_of(listed):
        named = child(part, "simple_identifier")
        if named is not None and is_function_type(walker, part):
            walker.callables.add((walker.body(index), walker.word(named)))


def _receivers(
    walker: KotlinWalker, node: Node, listed: Node | None, own: dict[str, Term]
) -> dict[str, int]:
    """Return the places of what the type parameters of a function stand for."""
    places: dict[str, int] = {}
    params = [part for part in children_of(listed) if part.type == "parameter"]
    for position, part in enumerate(params):
        kind = child(part, "user_type", "nullable_type")
        if kind is not None and (name := walker.text(kind).strip("?")) in own:
            places.setdefault(name, position)
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
        parts = without_comments(child(node, "function_body"))
        return object_type(walker, parts[0]) if parts else None
    return bound


def _static(node: Node) -> list[str]:
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
    params = parameters(walker, listed)
    body = child(node, "statements")
    call = child(node, "constructor_delegation_call")
    keyword = next((part for part in node.children if part.type == "constructor"), node)
    index = walker.define(
        "method", walker.class_name, node,
        body="function", named=keyword, header=signature_end(node, body),
        flags=[*flags, "constructor"], params=params, doc=doc,
    )  # fmt: skip
    if "hidden" not in flags:
        walker.hoist("define", index)
    _parameter_types(walker, index, listed)
    before = [*defaults(listed), *([call] if call is not None else [])]
    walk_body(walker, index, body, params, label="", values=before)


def _delegated(walker: KotlinWalker, node: Node) -> None:
    """`this(…)` and `super(…)` in front of a constructor's body."""
    placed, named = arguments(walker, child(node, "value_arguments"), None)
    is_super = node.children[0].type == "super"
    callee: Term = ("super",) if is_super else ("self",)
    walker.discard(("call", callee, placed, named, walker.site(node)))


def _property(walker: KotlinWalker, node: Node) -> None:
    """A property of a file or a class, or a local variable."""
    if walker.scope_kind in ("function", "block"):
        local_value(walker, node)
        return
    declared, apart = (
        child(node, "variable_declaration"),
        child(node, "multi_variable_declaration"),
    )
    doc, flags = walker.take_comment(), modifiers(walker, node)
    if apart is not None:
        bind_apart(walker, apart, walker.evaluate(without_comments(node)[-1]), node)
        return
    named = child(declared, "simple_identifier")
    if named is None:
        return
    accessors = _accessors(node)
    with _with_own_types(walker, node, None):
        if any(child(part, "function_body") is not None for part in accessors):
            _accessed(walker, node, named, declared, accessors, flags, doc)
        else:
            _stored(walker, node, named, declared, flags, doc)


def _accessors(node: Node) -> list[Node]:
    """Return the accessors of a property: in it, or right behind it, as the grammar has it."""
    inside = [part for part in node.named_children if part.type in _ACCESSORS]
    behind = node.next_named_sibling
    while behind is not None and (behind.type in _ACCESSORS or "comment" in behind.type):
        if behind.type in _ACCESSORS:
            inside.append(behind)
        behind = behind.next_named_sibling
    return inside


def _accessed(
    walker: KotlinWalker, node: Node, named: Node, declared: Node | None, accessors: list[Node],
    flags: list[str], doc: str,
) -> None:  # fmt: skip
    """A property that runs code when it is read or set: a method."""
    kind, name = type_in(walker, declared), walker.word(named)
    if (value := initial_value(node)) is not None:
        walker.discard(initialised(walker, value))
    index = walker.define_hoisted(
        "method", name, node, body="function", named=named,
        header=accessors[0].start_byte, flags=[*flags, "property", *_static(node)],
        returns=_shared(walker, kind, declared), owner=_owner(walker, node), doc=doc,
    )  # fmt: skip
    for part in accessors:
        is_setter = part.type == "setter"
        param = child(part, "parameter_with_optional_type")
        params = parameters(walker, part) if is_setter and param is not None else ()
        walk_body(
            walker,
            index,
            child(part, "function_body"),
            params,
            label=name,
            gives=not is_setter,
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
        name, node, named=named, returns=kind, flags=[*flags, *_static(node)], doc=doc
    )
    walker.add_locals(("name", name))
    delegate, value = child(node, "property_delegate"), initial_value(node)
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
    name, doc = walker.word(named), walker.take_comment()
    walker.define_variable(name, node, named=named, flags=("constant", "static"), doc=doc)
    value: Term = ("new", kind, placed, named_values, walker.site(named))
    if body is not None:
        walker.discard(value)
        value = anonymous_class(walker, node, body, (kind,) if kind else ())
    walker.bind(("name", name), value)


def _initializer(walker: KotlinWalker, node: Node) -> None:
    """`init { … }`."""
    with walker.in_scope(walker.initial if walker.initial >= 0 else walker.scope):
        walker.run_block(node.named_children)


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
