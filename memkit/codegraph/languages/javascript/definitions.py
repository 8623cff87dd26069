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

    from .walker import JavaScriptWalker


# --- Functions, arrows and methods of JavaScript and TypeScript as definitions.

FUNCTIONS = {
    "arrow_function", "function_expression", "generator_function",
    "function_declaration", "generator_function_declaration",
}  # fmt: skip


def define_function(
    walker: JavaScriptWalker,
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
    builder = walker.builder
    expected, walker.expected = walker.expected, ()
    context_type, walker.context_type = walker.context_type, None
    body = node.child_by_field_name("body")
    exported, walker.exported = walker.exported, None
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
    inside = walker.enter(builder.body(number))
    outer_bounds = walker.take_bounds(node)
    outer_this = enter_function(walker, node, scope, is_method=kind == "method", owner=owner)
    returns = _given_back(walker, node)
    builder.fill(
        number, params=_parameters(walker, node, inside, expected, context_type), returns=returns
    )
    documented(walker, number, scope, doc)
    if body is not None:
        _body(walker, body, inside)
    walker.exported, walker.bounds = exported, outer_bounds
    leave_function(walker, node, outer_this)
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
    walker: JavaScriptWalker,
    node: Node,
    inside: int,
    expected: tuple[Term, ...],
    context_type: Term,
) -> tuple[Param, ...]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        single = node.child_by_field_name("parameter")
        nodes = [] if single is None else [single]
    else:
        nodes = [child for child in listed.named_children if child.type != "comment"]
    params = [_parameter(walker, child, inside) for child in nodes]
    taken = [param for param in params if param is not None]
    for place, kind in enumerate(expected[: len(taken)]):
        if taken[place].type is None and not taken[place].sort:
            taken[place] = taken[place]._replace(type=kind)
    if context_type is None:
        return tuple(taken)
    return tuple(
        param._replace(type=("same", ("taken", ("typed", context_type), place)))
        if param.type is None and not param.sort
        else param
        for place, param in enumerate(taken)
    )


def _parameter(walker: JavaScriptWalker, node: Node, inside: int) -> Param | None:
    declared, pattern, default = None, node, None
    if node.type in ("required_parameter", "optional_parameter"):
        declared = walker.type(node.child_by_field_name("type"))
        default = node.child_by_field_name("value")
        pattern = node.child_by_field_name("pattern") or node
        walker.parts.parameter(walker, node, pattern, declared, inside)
    if pattern.type == "this":
        declared_this(walker, declared, inside)
        return None
    if pattern.type == "assignment_pattern":
        default = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left") or pattern
    sort = ""
    if pattern.type == "rest_pattern" and pattern.named_child_count:
        sort, pattern, declared = "*", pattern.named_children[0], _element(declared)
    if pattern.type == "identifier":
        name = walker.text(pattern)
        walker.declare(inside, name)
    else:
        name = walker.temporary()
        walker.declare(inside, name)
    value = None if default is None else walker.term(default, inside)
    # The resolver looks at defaults from outside of the function; what it cannot see is bound here.
    if value is not None and not _seen_outside(walker, value, inside):
        walker.add(inside, ("bind", ("name", name), value))
        value = None
    if pattern.type != "identifier":
        walker.parts.destructure(walker, pattern, ("name", name), inside)
    return Param(name, declared, value, sort)


def _element(declared: Term) -> Term:
    """Return the type of one of the values that a rest parameter holds."""
    is_array = declared is not None and declared[:2] == ("item", ("name", "Array"))
    return declared[2] if is_array and declared is not None else declared


def _seen_outside(walker: JavaScriptWalker, value: Term, inside: int) -> bool:
    if value is not None and value[0] == "name":
        return not walker.declares(inside, value[1])
    return value is None or value[0] == "const"


def _body(walker: JavaScriptWalker, body: Node, inside: int) -> None:
    if body.type == "statement_block":
        walker.block(body.named_children, inside)
    elif (value := walker.term(body, inside)) is not None:
        walker.add(inside, ("return", value))


def _given_back(walker: JavaScriptWalker, node: Node) -> Term:
    """Return what a function is said to give; a parameter of its class as such."""
    written = node.child_by_field_name("return_type")
    kind = walker.type(written)
    if written is None or not walker.generics or written.named_child_count != 1:
        return kind
    name, own = walker.text(written.named_children[0]), names_of(walker, node)
    if name not in walker.generics or name in own:
        return kind
    return ("parameter", walker.generics.index(name), kind)


def names_of(walker: JavaScriptWalker, node: Node) -> tuple[str, ...]:
    """Return the names of the type parameters of a definition."""
    listed = node.child_by_field_name("type_parameters")
    return (
        tuple(walker.text_of(parameter, "name") for parameter in listed.named_children)
        if listed
        else ()
    )


# --- Classes of JavaScript and TypeScript: methods, accessors, fields, heritage, decorators.

_MODIFIERS = {
    "static": "static",
    "abstract": "abstract",
    "readonly": "constant",
    "get": "property",
    "set": "property",
}


def define_class(
    walker: JavaScriptWalker, node: Node, scope: int, name: str, outer: Node | None
) -> int:
    """Define a class, walk its members, and return its number."""
    builder = walker.builder
    whole = outer or node
    body = node.child_by_field_name("body")
    around = walker.take_bounds(node), walker.generics
    walker.generics = names_of(walker, node)
    bases = _bases(walker, node, scope)
    flags = ["exported"] if walker.exported is not None else []
    if node.type == "abstract_class_declaration":
        flags.append("abstract")
    decorators = decorators_of(walker, node, scope)
    if outer is not None and outer != node:
        decorators += decorators_of(walker, outer, scope)
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
        doc=walker.above.take(whole),
    )
    inside = walker.enter(builder.body(number))
    own = node.child_by_field_name("name")
    if node.type == "class" and own is not None:
        walker.add(inside, ("bind", ("name", walker.text(own)), ("def", number)))
    if body is not None:
        members(walker, body, inside)
    walker.bounds, walker.generics = around
    return number


def members(walker: JavaScriptWalker, body: Node, inside: int) -> None:
    """Walk the members of a class, an interface or an object type."""
    outer, walker.above = walker.above, Above(walker.builder.source)
    exported, walker.exported = walker.exported, None
    around, walker.this = walker.this, SELF
    decorators: list[Term] = []
    for child in body.named_children:
        kind = child.type
        if kind == "comment":
            walker.above.add(child)
        elif kind == "decorator":
            decorators.append(_decorator(walker, child, inside))
        elif handler := MEMBERS.get(kind):
            handler(walker, child, inside, tuple(decorators))
            decorators = []
        else:
            walker.statement(child, inside)
    walker.above, walker.exported, walker.this = outer, exported, around


def method(walker: JavaScriptWalker, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A method, accessor or constructor, with a body or only declared."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = member_name(walker, named, inside)
    flags, sets = _flags(walker, node, named)
    if name == "constructor":
        flags.append("constructor")
    if node.child_by_field_name("body") is None:
        flags += [] if "abstract" in flags else ["overload"]
    number = define_function(
        walker,
        node,
        inside,
        name,
        kind="method",
        flags=flags,
        decorators=(*decorators, *decorators_of(walker, node, inside)),
        doc=walker.above.take(node),
    )
    # What reading the member gives is said by its getter alone.
    if not sets:
        walker.add(inside, ("define", number))


def field(walker: JavaScriptWalker, node: Node, inside: int, decorators: tuple[Term, ...]) -> None:
    """A field; one that holds a function is a method."""
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    if named is None:
        return
    name = member_name(walker, named, inside)
    flags, _ = _flags(walker, node, named)
    decorators = (*decorators, *decorators_of(walker, node, inside))
    value = node.child_by_field_name("value")
    doc = walker.above.take(node)
    if value is not None and value.type in FUNCTIONS:
        walker.expected = walker.parts.shape(walker, node.child_by_field_name("type"))
        walker.context_type = walker.type(node.child_by_field_name("type"))
        number = define_function(
            walker, value, inside, name, kind="method", outer=node, flags=flags,
            decorators=decorators, doc=doc,
        )  # fmt: skip
        walker.add(inside, ("define", number))
        return
    declared = walker.type(node.child_by_field_name("type"))
    declare_field(walker, node, named, name, inside, declared, flags, decorators, doc)
    documented_field(walker, name, inside, doc)
    if value is not None:
        walker.add(inside, ("bind", ("name", name), walker.term(value, inside)))


def declare_field(
    walker: JavaScriptWalker,
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
    walker.builder.define(
        "variable", name, node, scope=inside, named=named, flags=flags, returns=declared,
        decorators=decorators, doc=doc,
    )  # fmt: skip
    if declared is not None:
        walker.add(inside, ("declare", ("name", name), declared))


def static_block(
    walker: JavaScriptWalker, node: Node, inside: int, decorators: tuple[Term, ...]
) -> None:
    """`static { … }` runs when the class is made."""
    body = node.child_by_field_name("body")
    if body is not None:
        walker.block(body.named_children, walker.open("block", inside))


def member_name(walker: JavaScriptWalker, named: Node, scope: int) -> str:
    """Return the name of a member: as written, without quotes; `[…]` for a computed one."""
    text = walker.text(named)
    if named.type == "string":
        return text[1:-1]
    if named.type == "computed_property_name":
        inner = named.named_children
        if inner and inner[0].type == "string":
            return walker.text(inner[0])[1:-1]
        walker.evaluate(inner, scope)
        return " ".join(text.split())[:80]
    return text


def decorators_of(walker: JavaScriptWalker, node: Node, scope: int) -> tuple[Term, ...]:
    """Return the decorators that stand inside a node, outermost first."""
    if node.child_count == 0 or node.children[0].type not in ("decorator", "export"):
        return ()
    decorators = [child for child in node.children if child.type == "decorator"]
    return tuple(_decorator(walker, child, scope) for child in decorators)


def _decorator(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    inner = node.named_children
    return walker.term(inner[0], scope) if inner else None


def _flags(walker: JavaScriptWalker, node: Node, named: Node) -> tuple[list[str], bool]:
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
        elif kind == "accessibility_modifier" and walker.text(child) == "private":
            flags.append("private")
    if named.type == "private_property_identifier":
        flags.append("private")
    return flags, sets


def _bases(walker: JavaScriptWalker, node: Node, scope: int) -> tuple[Term, ...]:
    bases: list[Term] = []
    for child in node.children:
        if child.type == "class_heritage":
            for clause in child.named_children:
                if clause.type == "extends_clause":
                    value = clause.child_by_field_name("value")
                    bases += [] if value is None else [walker.term(value, scope)]
                elif clause.type == "implements_clause":
                    bases += [walker.type(child) for child in clause.named_children]
                else:
                    bases.append(walker.term(clause, scope))
        elif child.type == "class_body":
            break
    return tuple(base for base in bases if base is not None)


Member = Callable[["JavaScriptWalker", "Node", int, "tuple[Term, ...]"], None]
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
TYPED_BY_CONTEXT = {*FUNCTIONS, "method_definition", "object"}
VALUES = {"arrow_function", "function_expression", "generator_function", "class", "object"}
ANONYMOUS = "<anonymous>"
_WRAPPING = {"parenthesized_expression", "satisfies_expression"}

_EXPORTS = (("name", "exports"), ("attr", ("name", "module"), "exports"))


def define_value(
    walker: JavaScriptWalker,
    node: Node,
    scope: int,
    target: Node | None,
    *,
    outer: Node | None = None,
) -> Term:
    """Return the term of a function, class or object literal that is bound to a target.

    It is named after the target: `f = …`, `A.prototype.f = …`, `o = { f() {} }`.
    """
    name, path = _named_after(walker, target)
    if node.type == "object":
        return object_literal(walker, node, scope, owner=path, prefix=_dotted(path))
    own = node.child_by_field_name("name")
    if own is not None and target is None:
        name = walker.text(own)
    if node.type == "class":
        return ("def", walker.parts.define_class(walker, node, scope, name or ANONYMOUS, outer))
    around = path[1] if path is not None and path[0] == "attr" else None
    is_method = around is not None and (around[0] == "self" or _dotted(around) is not None)
    qualname = None
    if around is not None and (dotted := _dotted(around)):
        qualname = walker.builder.qualified(scope, f"{dotted}.{name}")
    number = define_function(
        walker,
        node,
        scope,
        name or ANONYMOUS,
        kind="method" if is_method else "function",
        outer=outer,
        owner=around if around is not None and around[0] != "self" else None,
        qualname=qualname,
        doc=walker.above.take(outer or node) if outer is not None or target is not None else "",
    )
    if own is not None:
        _bind_own_name(walker, number, walker.text(own))
    return ("def", number)


def unwrapped(walker: JavaScriptWalker, node: Node) -> Node:
    """Return what stands in parentheses, or is only said to satisfy a type, if it is a value that
    takes a name; else the node itself."""
    inner, kind = node, None
    while inner.type in _WRAPPING and inner.named_child_count:
        kind = inner.named_children[-1] if inner.type == "satisfies_expression" else kind
        inner = inner.named_children[0]
    if inner.type not in VALUES:
        return node
    if kind is not None and inner.type in TYPED_BY_CONTEXT:
        walker.context_type = walker.type(kind)
    return inner


def define_in_place(walker: JavaScriptWalker, node: Node, scope: int) -> int:
    """Define a function or class expression that nothing names, and return its number."""
    own = node.child_by_field_name("name")
    name = ANONYMOUS if own is None else walker.text(own)
    if node.type == "class":
        return walker.parts.define_class(walker, node, scope, name, None)
    number = define_function(walker, node, scope, name)
    if own is not None:
        _bind_own_name(walker, number, name)
    return number


def object_literal(
    walker: JavaScriptWalker,
    node: Node,
    scope: int,
    *,
    owner: Term = None,
    prefix: str | None = None,
) -> Term:
    """Return the term of an object literal; functions in it are its methods."""
    members: list[tuple[Term, Term]] = []
    reading: list[int] = []
    exported, walker.exported = walker.exported, None
    context_type, walker.context_type = walker.context_type, None
    for child in node.named_children:
        kind = child.type
        if kind == "shorthand_property_identifier":
            name = walker.text(child)
            members.append((("const", "str", name), ("name", name)))
        elif kind == "spread_element":
            inner = child.named_children
            members.append((None, walker.term(inner[-1], scope) if inner else None))
        elif kind in ("pair", "method_definition"):
            members += _member(walker, child, scope, owner, prefix, reading, context_type)
        elif kind != "comment":
            walker.statement(child, scope)
    walker.exported = exported
    literal: Term = ("dict", tuple(members))
    return holding(walker, literal, reading, scope) if reading else literal


def object_term(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """Return the term of an object literal that nothing names."""
    return object_literal(walker, node, scope)


def _member(
    walker: JavaScriptWalker,
    node: Node,
    scope: int,
    owner: Term,
    prefix: str | None,
    reading: list[int],
    context_type: Term,
) -> list[tuple[Term, Term]]:
    """Return key and value of one member of an object literal; `reading` takes the functions in
    it that read `this`, if no name says what that is."""
    is_pair = node.type == "pair"
    named = node.child_by_field_name("key" if is_pair else "name")
    value = node.child_by_field_name("value") if is_pair else node
    if named is None or value is None:
        return []
    key = _key(walker, named, scope)
    known = key is not None and key[0] == "const" and key[2] is not None
    name = str(key[2]) if key is not None and known else None
    dotted = f"{prefix}.{name}" if prefix and name else None
    if context_type is not None and name and value.type in TYPED_BY_CONTEXT:
        walker.context_type = ("same", ("attr", ("typed", context_type), name))
    if value.type == "object":
        if walker.depth >= DEEPEST:
            walker.builder.later(scope, value)
            return [(key, None)]
        inner: Term = ("attr", owner, name) if owner is not None and name else None
        walker.depth += 1
        literal = object_literal(walker, value, scope, owner=inner, prefix=dotted)
        walker.depth -= 1
        return [(key, literal)]
    if value.type not in FUNCTIONS and is_pair:
        return [(key, walker.term(value, scope))]
    access = _access(node, named)
    number = define_function(
        walker,
        value,
        scope,
        name or " ".join(walker.text(named).split())[:80],
        kind="method",
        outer=node,
        owner=owner,
        flags=["property"] if access else [],
        qualname=walker.builder.qualified(scope, dotted) if dotted else None,
    )
    if walker.read_this and owner is None:
        reading.append(number)
    # What reading the member gives is said by its getter alone.
    return [] if access == "set" else [(key, ("def", number))]


def _access(node: Node, named: Node) -> str:
    """Return `get` or `set` for an accessor, "" for any other member."""
    first = node.children[0]
    return first.type if first != named and first.type in ("get", "set") else ""


def _key(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    if node.type in ("property_identifier", "private_property_identifier"):
        return ("const", "str", walker.text(node))
    return walker.term(node, scope)


def _bind_own_name(walker: JavaScriptWalker, number: int, name: str) -> None:
    """Bind the name that a function expression has inside itself alone."""
    body = walker.builder.body(number)
    walker.declare(body, name)
    walker.builder.statements[body].insert(0, ("bind", ("name", name), ("def", number)))


def _named_after(walker: JavaScriptWalker, target: Node | None) -> tuple[str | None, Term]:
    """Return the name that a target gives to a function, and the term of the target."""
    if target is None:
        return None, None
    if target.type == "subscript_expression":
        index = target.child_by_field_name("index")
        if index is None or index.type != "string":
            return None, None
        name = walker.text(index)[1:-1]
    elif target.type == "member_expression":
        name = walker.text_of(target, "property")
    else:
        name = walker.text(target)
        return name, ("name", name)
    around = target.child_by_field_name("object")
    inner = None if around is None else _chain(walker, around)
    if name == "prototype":
        return name, inner
    return name, ("attr", inner, name) if inner is not None else None


def _chain(walker: JavaScriptWalker, node: Node) -> Term:
    """Return the term of a chain of plain members, None for anything else. Evaluates nothing."""
    names: list[str] = []
    while node.type == "member_expression":
        names.append(walker.text_of(node, "property"))
        inner = node.child_by_field_name("object")
        if inner is None:
            return None
        node = inner
    if node.type not in ("identifier", "this"):
        return None
    term: Term = ("self",) if node.type == "this" else ("name", walker.text(node))
    for name in reversed(names):
        if name != "prototype":
            term = ("attr", term, name)
    return None if term in _EXPORTS else term


def _dotted(path: Term) -> str | None:
    """Return a chain of members as dotted text, None if it is no such chain or begins at `this`."""
    names: list[str] = []
    while path is not None and path[0] == "attr":
        names.append(path[2])
        path = path[1]
    if path is None or path[0] != "name":
        return None
    return ".".join((path[1], *reversed(names)))
