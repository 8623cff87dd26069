"""Functions, classes, object literals, named values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ...facts import Param, Term
from ..facts_builder import DEEPEST
from ..walker import Above
from .walker import (
    SELF,
    declared_this,
    documented,
    documented_field,
    enter_function,
    holding,
    leave_function,
)

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import Walk


# --- Functions, arrows and methods of JavaScript and TypeScript as definitions.

FUNCTIONS = {
    "arrow_function", "function_expression", "generator_function",
    "function_declaration", "generator_function_declaration",
}  # fmt: skip


def define_function(
    walk: Walk,
    node: Node,
    scope: int,
    name: str,
    *,
    kind: str = "function",
    outer: Node | None = None,
    flags: Sequence[str] = (),
    owner: Term = None,
    qualname: str | None = None,
    decorators: Sequence[Term] = (),
    doc: str = "",
) -> int:
    """Define a function or method, walk its parameters and body, and return its number.

    `outer` is the node that is the whole definition (with decorators or `export`), if not `node`.
    """
    builder = walk.builder
    expected, walk.expected = walk.expected, ()
    asked, walk.asked = walk.asked, None
    body = node.child_by_field_name("body")
    exported, walk.exported = walk.exported, None
    if exported is not None:
        flags = ("exported", *flags)
    number = builder.define(
        kind,
        name,
        outer or node,
        scope=scope,
        body="function",
        named=node.child_by_field_name("name") or node,
        header=node.end_byte if body is None else body.start_byte,
        qualname=qualname,
        flags=(*flags, *_own_flags(node)),
        decorators=decorators,
        owner=owner,
        doc=doc,
    )
    inside = walk.enter(builder.body(number))
    outer_bounds = walk.take_bounds(node)
    outer_this = enter_function(walk, node, scope, is_method=kind == "method", owner=owner)
    returns = _given_back(walk, node)
    builder.fill(number, params=_parameters(walk, node, inside, expected, asked), returns=returns)
    documented(walk, number, scope, doc)
    if body is not None:
        _body(walk, body, inside)
    walk.exported, walk.bounds = exported, outer_bounds
    leave_function(walk, node, outer_this)
    return number


def _own_flags(node: Node) -> list[str]:
    flags = []
    for child in node.children:
        kind = child.type
        if kind == "async":
            flags.append("async")
        elif kind == "*":
            flags.append("generator")
        elif kind in ("formal_parameters", "statement_block", "=>"):
            break
    return flags


def _parameters(
    walk: Walk, node: Node, inside: int, expected: tuple[Term, ...], asked: Term
) -> tuple[Param, ...]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        single = node.child_by_field_name("parameter")
        nodes = [] if single is None else [single]
    else:
        nodes = [child for child in listed.named_children if child.type != "comment"]
    found = [_parameter(walk, child, inside) for child in nodes]
    taken = [param for param in found if param is not None]
    for place, kind in enumerate(expected[: len(taken)]):
        if taken[place].type is None and not taken[place].sort:
            taken[place] = taken[place]._replace(type=kind)
    if asked is None:
        return tuple(taken)
    return tuple(
        one._replace(type=("same", ("taken", ("typed", asked), place)))
        if one.type is None and not one.sort
        else one
        for place, one in enumerate(taken)
    )


def _parameter(walk: Walk, node: Node, inside: int) -> Param | None:
    declared, pattern, default = None, node, None
    if node.type in ("required_parameter", "optional_parameter"):
        declared = walk.type(node.child_by_field_name("type"))
        default = node.child_by_field_name("value")
        pattern = node.child_by_field_name("pattern") or node
        walk.parts.parameter(walk, node, pattern, declared, inside)
    if pattern.type == "this":
        declared_this(walk, declared, inside)
        return None
    if pattern.type == "assignment_pattern":
        default = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left") or pattern
    sort = ""
    if pattern.type == "rest_pattern" and pattern.named_child_count:
        sort, pattern, declared = "*", pattern.named_children[0], _element(declared)
    if pattern.type == "identifier":
        name = walk.text(pattern)
        walk.declare(inside, name)
    else:
        name = walk.temporary()
        walk.declare(inside, name)
    value = None if default is None else walk.term(default, inside)
    # The resolver looks at defaults from outside of the function; what it cannot see is bound here.
    if value is not None and not _seen_outside(walk, value, inside):
        walk.add(inside, ("bind", ("name", name), value))
        value = None
    if pattern.type != "identifier":
        walk.parts.destructure(walk, pattern, ("name", name), inside)
    return Param(name, declared, value, sort)


def _element(declared: Term) -> Term:
    """Return the type of one of the values that a rest parameter holds."""
    is_array = declared is not None and declared[:2] == ("item", ("name", "Array"))
    return declared[2] if is_array and declared is not None else declared


def _seen_outside(walk: Walk, value: Term, inside: int) -> bool:
    if value is not None and value[0] == "name":
        return not walk.declares(inside, value[1])
    return value is None or value[0] == "const"


def _body(walk: Walk, body: Node, inside: int) -> None:
    if body.type == "statement_block":
        walk.block(body.named_children, inside)
    elif (value := walk.term(body, inside)) is not None:
        walk.add(inside, ("return", value))


def _given_back(walk: Walk, node: Node) -> Term:
    """Return what a function is said to give; a parameter of its class as such."""
    written = node.child_by_field_name("return_type")
    kind = walk.type(written)
    if written is None or not walk.generics or written.named_child_count != 1:
        return kind
    name, own = walk.text(written.named_children[0]), names_of(walk, node)
    if name not in walk.generics or name in own:
        return kind
    return ("parameter", walk.generics.index(name), kind)


def names_of(walk: Walk, node: Node) -> tuple[str, ...]:
    """Return the names of the type parameters of a definition."""
    listed = node.child_by_field_name("type_parameters")
    return tuple(walk.text_of(one, "name") for one in listed.named_children) if listed else ()


# --- Classes of JavaScript and TypeScript: methods, accessors, fields, heritage, decorators.

_MODIFIERS = {
    "static": "static",
    "abstract": "abstract",
    "readonly": "constant",
    "get": "property",
    "set": "property",
}


def define_class(walk: Walk, node: Node, scope: int, name: str, outer: Node | None) -> int:
    """Define a class, walk its members, and return its number."""
    builder = walk.builder
    whole = outer or node
    body = node.child_by_field_name("body")
    around = walk.take_bounds(node), walk.generics
    walk.generics = names_of(walk, node)
    bases = _bases(walk, node, scope)
    flags = ["exported"] if walk.exported is not None else []
    if node.type == "abstract_class_declaration":
        flags.append("abstract")
    decorators = decorators_of(walk, node, scope)
    if outer is not None and outer != node:
        decorators += decorators_of(walk, outer, scope)
    number = builder.define(
        "class",
        name,
        whole,
        scope=scope,
        body="class",
        named=node.child_by_field_name("name") or node,
        header=None if body is None else body.start_byte,
        flags=flags,
        bases=bases,
        decorators=decorators,
        doc=walk.above.take(whole),
    )
    inside = walk.enter(builder.body(number))
    own = node.child_by_field_name("name")
    if node.type == "class" and own is not None:
        walk.add(inside, ("bind", ("name", walk.text(own)), ("def", number)))
    if body is not None:
        members(walk, body, inside)
    walk.bounds, walk.generics = around
    return number


def members(walk: Walk, body: Node, inside: int) -> None:
    """Walk the members of a class, an interface or an object type."""
    outer, walk.above = walk.above, Above(walk.builder.source)
    exported, walk.exported = walk.exported, None
    around, walk.this = walk.this, SELF
    decorators: list[Term] = []
    for child in body.named_children:
        kind = child.type
        if kind == "comment":
            walk.above.add(child)
        elif kind == "decorator":
            decorators.append(_decorator(walk, child, inside))
        elif handler := MEMBERS.get(kind):
            handler(walk, child, inside, tuple(decorators))
            decorators = []
        else:
            walk.statement(child, inside)
    walk.above, walk.exported, walk.this = outer, exported, around


def method(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A method, accessor or constructor, with a body or only declared."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = member_name(walk, named, inside)
    flags, sets = _flags(walk, node, named)
    if name == "constructor":
        flags.append("constructor")
    if node.child_by_field_name("body") is None:
        flags += [] if "abstract" in flags else ["overload"]
    number = define_function(
        walk,
        node,
        inside,
        name,
        kind="method",
        flags=flags,
        decorators=(*decorators, *decorators_of(walk, node, inside)),
        doc=walk.above.take(node),
    )
    # What reading the member gives is said by its getter alone.
    if not sets:
        walk.add(inside, ("define", number))


def field(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A field; one that holds a function is a method."""
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    if named is None:
        return
    name = member_name(walk, named, inside)
    flags, _ = _flags(walk, node, named)
    decorators = (*decorators, *decorators_of(walk, node, inside))
    value = node.child_by_field_name("value")
    doc = walk.above.take(node)
    if value is not None and value.type in FUNCTIONS:
        walk.expected = walk.parts.shape(walk, node.child_by_field_name("type"))
        walk.asked = walk.type(node.child_by_field_name("type"))
        number = define_function(
            walk, value, inside, name, kind="method", outer=node, flags=flags,
            decorators=decorators, doc=doc,
        )  # fmt: skip
        walk.add(inside, ("define", number))
        return
    declared = walk.type(node.child_by_field_name("type"))
    declare_field(walk, node, named, name, inside, declared, flags, decorators, doc)
    documented_field(walk, name, inside, doc)
    if value is not None:
        walk.add(inside, ("bind", ("name", name), walk.term(value, inside)))


def declare_field(
    walk: Walk,
    node: Node,
    named: Node,
    name: str,
    inside: int,
    declared: Term,
    flags: list[str],
    decorators: tuple[Term, ...] = (),
    doc: str = "",
) -> None:
    """Define a variable of a class and declare its type."""
    walk.builder.define(
        "variable", name, node, scope=inside, named=named, flags=flags, returns=declared,
        decorators=decorators, doc=doc,
    )  # fmt: skip
    if declared is not None:
        walk.add(inside, ("declare", ("name", name), declared))


def static_block(walk: Walk, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """`static { … }` runs when the class is made."""
    body = node.child_by_field_name("body")
    if body is not None:
        walk.block(body.named_children, walk.open("block", inside))


def member_name(walk: Walk, named: Node, scope: int) -> str:
    """Return the name of a member: as written, without quotes; `[…]` for a computed one."""
    text = walk.text(named)
    if named.type == "string":
        return text[1:-1]
    if named.type == "computed_property_name":
        inner = named.named_children
        if inner and inner[0].type == "string":
            return walk.text(inner[0])[1:-1]
        walk.evaluate(inner, scope)
        return " ".join(text.split())[:80]
    return text


def decorators_of(walk: Walk, node: Node, scope: int) -> tuple[Term, ...]:
    """Return the decorators that stand inside a node, outermost first."""
    if node.child_count == 0 or node.children[0].type not in ("decorator", "export"):
        return ()
    found = [child for child in node.children if child.type == "decorator"]
    return tuple(_decorator(walk, child, scope) for child in found)


def _decorator(walk: Walk, node: Node, scope: int) -> Term:
    inner = node.named_children
    return walk.term(inner[0], scope) if inner else None


def _flags(walk: Walk, node: Node, named: Node) -> tuple[list[str], bool]:
    """Return the flags of a member, and whether it is a setter."""
    flags: list[str] = []
    sets = False
    for child in node.children:
        if child == named:
            break
        kind = child.type
        if kind in _MODIFIERS:
            flags.append(_MODIFIERS[kind])
            sets = sets or kind == "set"
        elif kind == "accessibility_modifier" and walk.text(child) == "private":
            flags.append("private")
    if named.type == "private_property_identifier":
        flags.append("private")
    return flags, sets


def _bases(walk: Walk, node: Node, scope: int) -> tuple[Term, ...]:
    found: list[Term] = []
    for child in node.children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    found += [] if value is None else [walk.term(value, scope)]
                elif clause.type == "implements_clause":
                    found += [walk.type(one) for one in clause.named_children]
                else:
                    found.append(walk.term(clause, scope))
        elif child.type == "class_body":
            break
    return tuple(base for base in found if base is not None)


Member = Callable[["Walk", "Node", int, "tuple[Term, ...]"], None]
MEMBERS: dict[str, Member] = {
    "method_definition": method,
    "method_signature": method,
    "abstract_method_signature": method,
    "field_definition": field,
    "public_field_definition": field,
    "property_signature": field,
    "class_static_block": static_block,
}


# --- Values that are named after what they are bound to: functions, classes, object literals.

# What takes types from where it stands.
ASKED = {*FUNCTIONS, "method_definition", "object"}
VALUES = {"arrow_function", "function_expression", "generator_function", "class", "object"}
ANONYMOUS = "<anonymous>"
_WRAPPING = {"parenthesized_expression", "satisfies_expression"}

_EXPORTS = (("name", "exports"), ("attr", ("name", "module"), "exports"))


def define_value(
    walk: Walk, node: Node, scope: int, target: Node | None, *, outer: Node | None = None
) -> Term:
    """Return the term of a function, class or object literal that is bound to a target.

    It is named after the target: `f = …`, `A.prototype.f = …`, `o = { f() {} }`.
    """
    name, path = _named_after(walk, target)
    if node.type == "object":
        return object_literal(walk, node, scope, owner=path, prefix=_dotted(path))
    own = node.child_by_field_name("name")
    if own is not None and target is None:
        name = walk.text(own)
    if node.type == "class":
        return ("def", walk.parts.define_class(walk, node, scope, name or ANONYMOUS, outer))
    around = path[1] if path is not None and path[0] == "attr" else None
    is_method = around is not None and (around[0] == "self" or _dotted(around) is not None)
    qualname = None
    if around is not None and (dotted := _dotted(around)):
        qualname = walk.builder.qualified(scope, f"{dotted}.{name}")
    number = define_function(
        walk,
        node,
        scope,
        name or ANONYMOUS,
        kind="method" if is_method else "function",
        outer=outer,
        owner=around if around is not None and around[0] != "self" else None,
        qualname=qualname,
        doc=walk.above.take(outer or node) if outer is not None or target is not None else "",
    )
    if own is not None:
        _bind_own_name(walk, number, walk.text(own))
    return ("def", number)


def unwrapped(walk: Walk, node: Node) -> Node:
    """Return what stands in parentheses, or is only said to satisfy a type, if it is a value that
    takes a name; else the node itself."""
    inner, kind = node, None
    while inner.type in _WRAPPING and inner.named_child_count:
        kind = inner.named_children[-1] if inner.type == "satisfies_expression" else kind
        inner = inner.named_children[0]
    if inner.type not in VALUES:
        return node
    if kind is not None and inner.type in ASKED:
        walk.asked = walk.type(kind)
    return inner


def define_in_place(walk: Walk, node: Node, scope: int) -> int:
    """Define a function or class expression that nothing names, and return its number."""
    own = node.child_by_field_name("name")
    name = ANONYMOUS if own is None else walk.text(own)
    if node.type == "class":
        return walk.parts.define_class(walk, node, scope, name, None)
    number = define_function(walk, node, scope, name)
    if own is not None:
        _bind_own_name(walk, number, name)
    return number


def object_literal(
    walk: Walk, node: Node, scope: int, *, owner: Term = None, prefix: str | None = None
) -> Term:
    """Return the term of an object literal; functions in it are its methods."""
    members: list[tuple[Term, Term]] = []
    reading: list[int] = []
    exported, walk.exported = walk.exported, None
    asked, walk.asked = walk.asked, None
    for child in node.named_children:
        kind = child.type
        if kind == "shorthand_property_identifier":
            name = walk.text(child)
            members.append((("const", "str", name), ("name", name)))
        elif kind == "spread_element":
            inner = child.named_children
            members.append((None, walk.term(inner[-1], scope) if inner else None))
        elif kind in ("pair", "method_definition"):
            members += _member(walk, child, scope, owner, prefix, reading, asked)
        elif kind != "comment":
            walk.statement(child, scope)
    walk.exported = exported
    literal: Term = ("dict", tuple(members))
    return holding(walk, literal, reading, scope) if reading else literal


def object_term(walk: Walk, node: Node, scope: int) -> Term:
    """Return the term of an object literal that nothing names."""
    return object_literal(walk, node, scope)


def _member(
    walk: Walk,
    node: Node,
    scope: int,
    owner: Term,
    prefix: str | None,
    reading: list[int],
    asked: Term,
) -> list[tuple[Term, Term]]:
    """Return key and value of one member of an object literal; `reading` takes the functions in
    it that read `this`, if no name says what that is."""
    is_pair = node.type == "pair"
    named = node.child_by_field_name("key" if is_pair else "name")
    value = node.child_by_field_name("value") if is_pair else node
    if named is None or value is None:
        return []
    key = _key(walk, named, scope)
    known = key is not None and key[0] == "const" and key[2] is not None
    name = str(key[2]) if key is not None and known else None
    dotted = f"{prefix}.{name}" if prefix and name else None
    if asked is not None and name and value.type in ASKED:
        walk.asked = ("same", ("attr", ("typed", asked), name))
    if value.type == "object":
        if walk.depth >= DEEPEST:
            walk.builder.later(scope, value)
            return [(key, None)]
        inner: Term = ("attr", owner, name) if owner is not None and name else None
        walk.depth += 1
        found = object_literal(walk, value, scope, owner=inner, prefix=dotted)
        walk.depth -= 1
        return [(key, found)]
    if value.type not in FUNCTIONS and is_pair:
        return [(key, walk.term(value, scope))]
    access = _access(node, named)
    number = define_function(
        walk,
        value,
        scope,
        name or " ".join(walk.text(named).split())[:80],
        kind="method",
        outer=node,
        owner=owner,
        flags=["property"] if access else [],
        qualname=walk.builder.qualified(scope, dotted) if dotted else None,
    )
    if walk.read_this and owner is None:
        reading.append(number)
    # What reading the member gives is said by its getter alone.
    return [] if access == "set" else [(key, ("def", number))]


def _access(node: Node, named: Node) -> str:
    """Return `get` or `set` for an accessor, "" for any other member."""
    first = node.children[0]
    return first.type if first != named and first.type in ("get", "set") else ""


def _key(walk: Walk, node: Node, scope: int) -> Term:
    if node.type in ("property_identifier", "private_property_identifier"):
        return ("const", "str", walk.text(node))
    return walk.term(node, scope)


def _bind_own_name(walk: Walk, number: int, name: str) -> None:
    """Bind the name that a function expression has inside itself alone."""
    body = walk.builder.body(number)
    walk.declare(body, name)
    walk.builder.statements[body].insert(0, ("bind", ("name", name), ("def", number)))


def _named_after(walk: Walk, target: Node | None) -> tuple[str | None, Term]:
    """Return the name that a target gives to a function, and the term of the target."""
    if target is None:
        return None, None
    if target.type == "subscript_expression":
        index = target.child_by_field_name("index")
        if index is None or index.type != "string":
            return None, None
        name = walk.text(index)[1:-1]
    elif target.type == "member_expression":
        name = walk.text_of(target, "property")
    else:
        name = walk.text(target)
        return name, ("name", name)
    around = target.child_by_field_name("object")
    inner = None if around is None else _chain(walk, around)
    if name == "prototype":
        return name, inner
    return name, ("attr", inner, name) if inner is not None else None


def _chain(walk: Walk, node: Node) -> Term:
    """Return the term of a chain of plain members, None for anything else. Evaluates nothing."""
    names: list[str] = []
    while node.type == "member_expression":
        names.append(walk.text_of(node, "property"))
        inner = node.child_by_field_name("object")
        if inner is None:
            return None
        node = inner
    if node.type not in ("identifier", "this"):
        return None
    found: Term = ("self",) if node.type == "this" else ("name", walk.text(node))
    for name in reversed(names):
        if name != "prototype":
            found = ("attr", found, name)
    return None if found in _EXPORTS else found


def _dotted(path: Term) -> str | None:
    """Return a chain of members as dotted text, None if it is no such chain or begins at `this`."""
    names: list[str] = []
    while path is not None and path[0] == "attr":
        names.append(path[2])
        path = path[1]
    if path is None or path[0] != "name":
        return None
    return ".".join((path[1], *reversed(names)))
