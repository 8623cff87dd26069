"""Packages, imports, types, members."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import Statements
from .expressions import (
    STATEMENTS as IN_BODIES,
)
from .expressions import (
    anonymous_class,
    arguments,
    bind_apart,
    delegated_value,
    local_value,
    modifiers,
    object_type,
    walk_body,
)
from .type_terms import (
    ANYTHING,
    W,
    bounds_of,
    child,
    defaults,
    is_function_type,
    parameters,
    parts_of,
    type_in,
    type_of,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_ACCESSORS = ("getter", "setter")


def namespace_of(w: W, root: Node) -> tuple[str, str]:
    """Return the package that a file declares, and the comment above it."""
    for place, node in enumerate(root.named_children):
        if node.type == "package_header" and node.named_child_count:
            text = "".join(w.text(node.named_children[0]).split()).replace("`", "")
            return text, w.comment_above(root.named_children, place)
    return "", ""


def _import(w: W, node: Node) -> None:
    """`import a.b.C`, `import a.b.*`, `import a.b.C as D`, `import a.C.Companion.f`."""
    named, alias = child(node, "identifier"), child(node, "import_alias")
    if named is None:
        return
    names = [w.word(part) for part in named.named_children]
    if child(node, "wildcard_import") is not None:
        w.hoist("import", "", ".".join(names), "*", 0, w.site(node))
        return
    local = w.word(alias.named_children[0]) if alias is not None else names[-1]
    w.hoist("import", local, ".".join(names[:-1]), names[-1], 0, w.site(node))


def _alias(w: W, node: Node) -> None:
    """`typealias A = B`: another name for a type."""
    named, bounds = child(node, "type_identifier"), w.bounds
    if named is None:
        return
    flags = [*modifiers(w, node), "alias"]
    w.bounds = {**bounds, **bounds_of(w, node)}
    kind = type_of(w, parts_of(node)[-1])
    number = w.define(
        "class", w.word(named), node, scope=w.at, named=named, flags=flags, returns=kind,
        doc=w.above(),
    )  # fmt: skip
    w.hoist("define", number)
    w.bounds = bounds


def _sort(node: Node) -> list[str]:
    words = {part.type for part in node.children}
    if node.type == "object_declaration":
        return ["object"]
    return ["interface"] if "interface" in words else ["enum"] if "enum" in words else []


def _type(w: W, node: Node) -> None:
    """A class, interface, enum or object."""
    named, body = child(node, "type_identifier"), child(node, "class_body", "enum_class_body")
    if named is None:
        w.each(node.named_children)
        return
    doc, flags = w.above(), modifiers(w, node)
    header = child(node, "delegation_specifier", "class_body", "enum_class_body")
    number = w.define(
        "class", w.word(named), node, scope=w.at, body="class", named=named,
        header=node.end_byte if header is None else header.start_byte,
        flags=[*flags, *_sort(node)], doc=doc,
    )  # fmt: skip
    w.hoist("define", number)
    outer = (w.bounds, w.generics, w.labels, w.returning, w.known, w.class_name, w.initial, w.at)
    w.class_name, w.initial = w.word(named), -1
    bounds = bounds_of(w, node)
    w.known = set(w.known)
    w.bounds, w.generics = {**w.bounds, **bounds}, tuple(bounds)
    w.fill(number, bases=_bases(w, node))
    w.labels, w.returning = {**w.labels, w.word(named): w.body(number)}, -1
    w.at = w.body(number)
    # The class itself is also its companion, whose members it has.
    w.hoist("bind", ("name", "Companion"), ("def", number))
    _primary(w, node, named, is_data="data" in flags)
    specifiers(w, node)
    w.at = outer[-1]
    if body is not None:
        w.within(w.body(number), body.named_children)
    w.bounds, w.generics, w.labels, w.returning, w.known, w.class_name, w.initial, w.at = outer


def _bases(w: W, node: Node) -> tuple[Term, ...]:
    bases: list[Term] = []
    for part in node.named_children:
        if part.type == "delegation_specifier" and part.named_child_count:
            inner = part.named_children[0]
            bases.append(type_of(w, inner) if inner.type == "user_type" else type_in(w, inner))
    return tuple(base for base in bases if base is not None)


def specifiers(w: W, node: Node) -> None:
    """The constructors of bases that are called, and what implements an interface (`by x`)."""
    for part in node.named_children:
        inner = part.named_children[0] if part.named_child_count else part
        if part.type != "delegation_specifier":
            continue
        if inner.type == "constructor_invocation":
            w.do(initialised(w, inner, constructed))
        elif inner.type == "explicit_delegation":
            w.do(initialised(w, inner.named_children[-1]))


def constructed(w: W, node: Node) -> Term:
    """Return the call of a base's constructor."""
    kind = child(node, "user_type")
    made = type_of(w, kind)
    placed, named = arguments(w, child(node, "value_arguments"), None)
    last = kind.named_children[-1] if kind is not None and kind.named_child_count else node
    site = kind.named_children[0] if kind is not None and last.type != "type_identifier" else last
    return ("new", made, placed, named, w.site(site))


def _primary(w: W, node: Node, named: Node, *, is_data: bool) -> None:
    """The constructor in the header of a class, and the properties that stand in it."""
    listed = child(node, "primary_constructor")
    if listed is None:
        return
    taken = parameters(w, listed)
    number = w.define(
        "method", w.word(named), listed, scope=w.at, body="function", named=named,
        header=listed.end_byte, flags=[*modifiers(w, listed), "constructor"], params=taken,
    )  # fmt: skip
    w.hoist("define", number)
    if is_data:
        # A copy is an object of the class, made of the same parameters.
        w.fill(number, returns=("name", w.word(named)))
        w.hoist("bind", ("name", "copy"), ("def", number))
    w.initial = w.open("block", w.at)
    nodes = [part for part in listed.named_children if part.type == "class_parameter"]
    for place, (part, param) in enumerate(zip(nodes, taken, strict=False)):
        kind: Term = ("item", ("name", "list"), param.type) if param.sort else param.type
        name = child(part, "simple_identifier")
        if is_function_type(w, part):
            w.callables.add((w.at, param.name))
        if child(part, "binding_pattern_kind") is not None:
            w.define(
                "variable", param.name, part, scope=w.at, named=name, returns=kind,
                flags=modifiers(w, part),
            )  # fmt: skip
            names = (param.name, f"component{place + 1}") if is_data else (param.name,)
            for local in names:
                w.know(("name", local))
                w.hoist("declare" if kind else "bind", ("name", local), kind)
        else:
            around, w.at = w.at, w.initial
            w.know(("name", param.name))
            w.hoist("declare" if kind else "bind", ("name", param.name), kind)
            w.at = around
    for value in defaults(listed):
        w.do(initialised(w, value))


def initialised(w: W, node: Node, by: Callable[[W, Node], Term] = W.term) -> Term:
    """Return a value that is worked out when an object is made: parameters of the primary
    constructor are in sight. Without a name that takes it, it is said to be evaluated."""
    if w.initial < 0 or w.scope(w.at).kind != "class":
        return by(w, node)
    around, w.at = w.at, w.initial
    term = by(w, node)
    inside, w.at = w.at, around
    return ("in", inside, term) if term is not None else None


def _function(w: W, node: Node) -> None:
    """A function: of a file, a class, or inside of another; with a receiver an extension."""
    named = child(node, "simple_identifier")
    if named is None:
        w.each(node.named_children)
        return
    doc, flags = w.above(), modifiers(w, node)
    listed, body = child(node, "function_value_parameters"), child(node, "function_body")
    outer = (w.bounds, w.receivers, w.generics)
    own = bounds_of(w, node)
    w.bounds, w.receivers = {**w.bounds, **own}, _receivers(w, node, listed, own)
    w.generics = tuple("" if name in own else name for name in w.generics)
    taken = parameters(w, listed)
    is_member = w.scope(w.at).kind == "class"
    if body is None and is_member and "external" not in w.text(node).split("fun")[0].split():
        flags.append("abstract")
    number = w.define(
        "method" if is_member else "function", w.word(named), node, scope=w.at, body="function",
        named=named, header=node.end_byte if body is None else body.start_byte,
        flags=[*flags, *_static(w, node)], params=taken, returns=_given_back(w, node, listed),
        owner=_owner(w, node), doc=doc,
    )  # fmt: skip
    if not is_member and w.at:
        w.declared.add((w.at, w.word(named)))
        w.callables.add((w.at, w.word(named)))
    if "hidden" not in flags:
        w.hoist("define", number)
    if w.word(named) == "invoke" and is_member:
        w.hoist("bind", ("name", "__call__"), ("def", number))
    _parameter_types(w, number, listed)
    walk_body(w, number, body, taken, label=w.word(named), values=list(defaults(listed)))
    w.bounds, w.receivers, w.generics = outer


def _parameter_types(w: W, number: int, listed: Node | None) -> None:
    for part in listed.named_children if listed is not None else ():
        named = child(part, "simple_identifier")
        if named is not None and is_function_type(w, part):
            w.callables.add((w.body(number), w.word(named)))


def _receivers(w: W, node: Node, listed: Node | None, own: dict[str, Term]) -> dict[str, int]:
    """Return the places of what the type parameters of a function stand for."""
    places: dict[str, int] = {}
    parts = listed.named_children if listed is not None else []
    params = [part for part in parts if part.type == "parameter"]
    for place, part in enumerate(params):
        kind = child(part, *("user_type", "nullable_type"))
        if kind is not None and (name := w.text(kind).strip("?")) in own:
            places.setdefault(name, place)
    receiver = child(node, "receiver_type")
    if receiver is not None and (name := w.text(receiver).strip("?")) in own:
        places[name] = -1
    return places


def _owner(w: W, node: Node) -> Term:
    """Return the type that an extension is for."""
    receiver = child(node, "receiver_type")
    if receiver is None:
        return None
    kind = type_of(w, receiver)
    return ANYTHING if kind is None else kind


def _given_back(w: W, node: Node, listed: Node | None) -> Term:
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
    name = "" if kind is None else w.text(kind).strip("?")
    bound = type_of(w, kind)
    if name in w.receivers:
        return ("like", w.receivers[name], bound)
    if name in w.generics:
        return ("parameter", w.generics.index(name), bound)
    if kind is None and "private" not in w.text(node).partition("fun")[0]:
        body = child(node, "function_body")
        return object_type(w, parts_of(body)[0]) if body is not None and parts_of(body) else None
    return bound


def _static(w: W, node: Node) -> list[str]:
    """Return the flag of members of a companion, which are those of the class around it."""
    above = node.parent.parent if node.parent is not None else None
    return ["static"] if above is not None and above.type == "companion_object" else []


def _companion(w: W, node: Node) -> None:
    """`companion object`: its members are static members of the class around it."""
    body, named = child(node, "class_body"), child(node, "type_identifier")
    specifiers(w, node)
    if named is not None:
        around = w.around(w.at)
        w.hoist("bind", ("name", w.word(named)), ("def", around) if around >= 0 else None)
    if body is not None:
        w.each(body.named_children)


def _secondary(w: W, node: Node) -> None:
    """`constructor(…) : this(…) { … }`."""
    listed = child(node, "function_value_parameters")
    doc, flags = w.above(), modifiers(w, node)
    taken = parameters(w, listed)
    body = child(node, "statements")
    call = child(node, "constructor_delegation_call")
    keyword = next((part for part in node.children if part.type == "constructor"), node)
    number = w.define(
        "method", w.class_name, node, scope=w.at,
        body="function", named=keyword, header=node.end_byte if body is None else body.start_byte,
        flags=[*flags, "constructor"], params=taken, doc=doc,
    )  # fmt: skip
    if "hidden" not in flags:
        w.hoist("define", number)
    _parameter_types(w, number, listed)
    before = [*defaults(listed), *([call] if call is not None else [])]
    walk_body(w, number, body, taken, label="", values=before)


def _delegated(w: W, node: Node) -> None:
    """`this(…)` and `super(…)` in front of a constructor's body."""
    placed, named = arguments(w, child(node, "value_arguments"), None)
    is_super = node.children[0].type == "super"
    w.do(("call", ("super",) if is_super else ("self",), placed, named, w.site(node)))


def _property(w: W, node: Node) -> None:
    """A property of a file or a class, or a local variable."""
    if w.scope(w.at).kind in ("function", "block"):
        local_value(w, node)
        return
    declared, apart = child(node, "variable_declaration"), child(node, "multi_variable_declaration")
    doc, flags = w.above(), modifiers(w, node)
    if apart is not None:
        bind_apart(w, apart, w.term(parts_of(node)[-1]), node)
        return
    named = child(declared, "simple_identifier")
    if named is None:
        return
    outer = (w.bounds, w.receivers)
    own = bounds_of(w, node)
    w.bounds, w.receivers = {**w.bounds, **own}, _receivers(w, node, None, own)
    accessors = _accessors(node)
    if any(child(part, "function_body") is not None for part in accessors):
        _accessed(w, node, named, declared, accessors, flags, doc)
    else:
        _stored(w, node, named, declared, flags, doc)
    w.bounds, w.receivers = outer


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
    w: W, node: Node, named: Node, declared: Node | None, accessors: list[Node],
    flags: list[str], doc: str,
) -> None:  # fmt: skip
    """A property that runs code when it is read or set: a method."""
    kind, name = type_in(w, declared), w.word(named)
    value = _value(node)
    if value is not None:
        w.do(initialised(w, value))
    number = w.define(
        "method", name, node, scope=w.at, body="function", named=named,
        header=accessors[0].start_byte, flags=[*flags, "property", *_static(w, node)],
        returns=_shared(w, kind, declared), owner=_owner(w, node), doc=doc,
    )  # fmt: skip
    w.hoist("define", number)
    for part in accessors:
        is_setter = part.type == "setter"
        param = child(part, "parameter_with_optional_type")
        taken = parameters(w, part) if is_setter and param is not None else ()
        walk_body(w, number, child(part, "function_body"), taken, label=name, gives=not is_setter)


def _shared(w: W, kind: Term, declared: Node | None) -> Term:
    found = child(declared, "user_type", "nullable_type")
    name = "" if found is None else w.text(found).strip("?")
    return ("like", w.receivers[name], kind) if name in w.receivers else kind


def _stored(
    w: W, node: Node, named: Node, declared: Node | None, flags: list[str], doc: str
) -> None:
    """A property with a value of its own, or that of a delegate."""
    kind, name = type_in(w, declared), w.word(named)
    w.variable(name, node, named=named, type_=kind, flags=[*flags, *_static(w, node)], doc=doc)
    w.know(("name", name))
    delegate, value = child(node, "property_delegate"), _value(node)
    term: Term = None
    if delegate is not None:
        term = initialised(w, delegate, delegated_value)
    elif value is not None:
        term = initialised(w, value)
        if "private" not in flags:
            kind = kind or object_type(w, value)
            if kind is not None and type_in(w, declared) is None:
                w.say("declare", ("name", name), kind)
    if kind is None and term is not None:
        w.bind(("name", name), term)
    else:
        w.do(term)


def _entry(w: W, node: Node) -> None:
    """A constant of an enum: an object of it, or of a class in place."""
    named, body = child(node, "simple_identifier"), child(node, "class_body")
    if named is None:
        return
    around = w.around(w.at)
    kind: Term = ("def", around) if around >= 0 else None
    placed, named_values = arguments(w, child(node, "value_arguments"), None)
    w.variable(w.word(named), node, named=named, flags=("constant", "static"), doc=w.above())
    value: Term = ("new", kind, placed, named_values, w.site(named))
    if body is not None:
        w.do(value)
        value = anonymous_class(w, node, body, (kind,) if kind else ())
    w.bind(("name", w.word(named)), value)


def _initializer(w: W, node: Node) -> None:
    """`init { … }`."""
    around, w.at = w.at, w.initial if w.initial >= 0 else w.at
    w.block(node.named_children)
    w.at = around


def _nothing(w: W, node: Node) -> None:
    """Packages are no reads; accessors are walked with their property."""


STATEMENTS: Statements = {
    **IN_BODIES,
    "package_header": _nothing,
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
    "getter": _nothing,
    "setter": _nothing,
}
