"""JavaScript: functions, classes, object literals, named values."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ...facts import CONST_CHARS, Expression, Param, Term
from ..walker import (
    Constants,
    applied,
    child_of_type,
    children_of,
    first_inside,
    last_inside,
    name_term,
    without_comments,
)
from .patterns import destructure
from .walker import SELF, CommentCollector, documented, documented_field

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


# --- Functions, arrows and their parameters.

# Terms of parameters of types: of a class, of a function, of a type by another name.
OPEN = ("parameter", "generic", "variable")

FUNCTIONS = {
    "arrow_function", "function_expression", "generator_function",
    "function_declaration", "generator_function_declaration",
}  # fmt: skip


def define_function(
    walker: JavaScriptWalker,
    node: Node,
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
    """Define a function or method, walk its parameters and body, and return its index.

    `outer` is the node that is the whole definition (with decorators or `export`), if not `node`.
    """
    expected, walker.expected = walker.expected, ()
    context_type = walker.take_context()
    body = node.child_by_field_name("body")
    if walker.exported is not None:
        flags = ("exported", *flags)
    index = walker.define(
        kind, name, outer or node, body="function", named=node.child_by_field_name("name") or node,
        header=node.end_byte if body is None else body.start_byte, qualname=qualname,
        flags=(*flags, *_own_flags(node)), decorators=decorators, owner=owner, doc=doc,
    )  # fmt: skip
    documented(walker, index, doc)
    with walker.in_function(index, node, is_method=kind == "method", owner=owner):
        returns = walker.type(node.child_by_field_name("return_type"))
        walker.name_bounds(node)
        params = _parameters(walker, node, expected, context_type)
        walker.fill(index, params=params, returns=returns)
        if body is not None:
            with walker.having(result_type=_result_type(node, returns, context_type)):
                _body(walker, body)
    return index


def _result_type(node: Node, returns: Term, context_type: Term) -> Term:
    """Return the type of what a function is to give back: as declared, else by its context."""
    is_said = returns is not None or context_type is not None
    if not is_said or any(child.type == "*" for child in node.children):
        return None
    if returns is not None:
        return returns
    return ("same", ("call", ("typed", context_type), (), (), None))


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
    walker: JavaScriptWalker, node: Node, expected: tuple[Term, ...], context_type: Term
) -> tuple[Param, ...]:
    listed = node.child_by_field_name("parameters")
    if listed is None:
        single = node.child_by_field_name("parameter")
        nodes = [] if single is None else [single]
    else:
        nodes = without_comments(listed)
    params = [param for child in nodes if (param := _parameter(walker, child)) is not None]
    for position, param in enumerate(params):
        if param.type is not None or param.sort:
            continue
        kind = _expected_at(expected, position)
        is_known = kind is not None and kind[0] not in OPEN
        if not is_known and context_type is not None and not _is_taken(context_type):
            kind = ("same", ("taken", ("typed", context_type), position))
        params[position] = param._replace(type=kind)
    return tuple(params)


def _expected_at(expected: tuple[Term, ...], position: int) -> Term:
    """Return the type in a place; that of each of the rest stands for all that follow."""
    kind = expected[min(position, len(expected) - 1)] if expected else None
    if kind is not None and kind[0] == "star":
        inner: Term = kind[1]
        return inner
    return kind if position < len(expected) else None


def _is_taken(kind: Expression) -> bool:
    """Return whether a type is what a callee takes: with what that calls a function is bound where
    the call stands."""
    return kind[0] == "same" and kind[1] is not None and kind[1][0] == "taken"


def _parameter(walker: JavaScriptWalker, node: Node) -> Param | None:
    declared, pattern, default = None, node, None
    if node.type in ("required_parameter", "optional_parameter"):
        declared = walker.type(node.child_by_field_name("type"))
        default = node.child_by_field_name("value")
        pattern = node.child_by_field_name("pattern") or node
        walker.declare_parameter(node, pattern, declared)
    if pattern.type == "this":
        _declare_this(walker, declared)
        return None
    if pattern.type == "assignment_pattern":
        default = pattern.child_by_field_name("right")
        pattern = pattern.child_by_field_name("left") or pattern
    sort = ""
    if pattern.type == "rest_pattern" and pattern.named_child_count:
        sort, pattern, declared = "*", pattern.named_children[0], element_type(declared)
    is_name = pattern.type == "identifier"
    name = walker.name(pattern) if is_name else walker.temporary()
    walker.declare_name(name)
    value = None if default is None else walker.evaluate_as(default, declared)
    # The resolver looks at defaults from outside of the function; what it cannot see is bound here.
    if value is not None and not _seen_outside(walker, value):
        walker.emit("bind", ("name", name), value)
        value = None
    if not is_name:
        destructure(walker, pattern, ("name", name), declares=True)
    return Param(name, declared, value, sort)


def _declare_this(walker: JavaScriptWalker, declared: Term) -> None:
    """`this: T` among the parameters of a function."""
    if declared is not None:
        walker.declare_name("this")
        walker.emit("declare", ("name", "this"), declared)
        walker.this = ("name", "this")


def element_type(declared: Term) -> Term:
    """Return the type of one of the values that a rest parameter holds."""
    is_array = declared is not None and declared[:2] == ("item", ("name", "Array"))
    return declared[2] if is_array and declared is not None else declared


def _seen_outside(walker: JavaScriptWalker, value: Term) -> bool:
    if value is not None and value[0] == "name":
        return (walker.scope, value[1]) not in walker.declared
    return value is None or value[0] == "const"


def _body(walker: JavaScriptWalker, body: Node) -> None:
    if body.type == "statement_block":
        walker.run_all(body.named_children)
    else:
        walker.emit_return(walker.evaluate_as(body, walker.result_type))


# --- Classes: methods, accessors, fields, heritage, decorators.

_MODIFIERS = {
    "static": "static",
    "abstract": "abstract",
    "readonly": "constant",
    "get": "property",
    "set": "property",
    "override_modifier": "override",
}


def define_class(walker: JavaScriptWalker, node: Node, name: str, outer: Node | None) -> int:
    """Define a class, walk its members, and return its index."""
    whole = outer or node
    body, own = node.child_by_field_name("body"), node.child_by_field_name("name")
    with walker.having(bounds=walker.numbered_bounds(node, "parameter")):
        bases = _bases(walker, node)
        flags = ["exported"] if walker.exported is not None else []
        if node.type == "abstract_class_declaration":
            flags.append("abstract")
        decorators = decorators_of(walker, node)
        if outer is not None and outer != node:
            decorators += decorators_of(walker, outer)
        index = walker.define(
            "class", name, whole, body="class", named=own or node, flags=flags, bases=bases,
            header=None if body is None else body.start_byte, decorators=decorators,
            doc=walker.comments.take(whole),
        )  # fmt: skip
        if node.type == "class" and own is not None:
            named = name_term(walker, own)
            walker.emit_in(walker.body(index), "bind", named, ("def", index))
        if body is not None:
            with walker.in_scope(walker.body(index)):
                walker.name_bounds(node)
                if heritage := child_of_type(node, "class_heritage"):
                    name_bases(walker, whole, heritage.end_point[0], bases)
                members(walker, body)
    return index


def name_bases(walker: JavaScriptWalker, whole: Node, last_row: int, bases: Iterable[Term]) -> None:
    """Note that bases are named, if they may stand on another line than the class begins on, or
    have arguments."""
    is_apart = last_row > whole.start_point[0]
    for base in bases:
        if base is not None and (is_apart or base[0] not in ("name", "attr")):
            walker.emit("do", ("typed", base))


def members(walker: JavaScriptWalker, body: Node) -> None:
    """Walk the members of a class, an interface or an object type, in its scope."""
    decorators: list[Term] = []
    comments = CommentCollector(walker.source)
    with walker.having(comments=comments, exported=None, this=SELF):
        for child in body.named_children:
            kind = child.type
            if kind == "comment":
                comments.add(child)
            elif kind == "decorator":
                decorators.append(first_inside(walker, child))
            elif member := MEMBERS.get(kind):
                member(walker, child, tuple(decorators))
                decorators = []
            else:
                walker.run(child)


def method(walker: JavaScriptWalker, node: Node, decorators: tuple[Term, ...]) -> None:
    """A method, accessor or constructor, with a body or only declared."""
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = member_name(walker, named)
    flags, sets = _flags(walker, node, named)
    if name == "constructor":
        flags.append("constructor")
    if node.child_by_field_name("body") is None:
        flags += [] if "abstract" in flags else ["overload"]
    decorators = (*decorators, *decorators_of(walker, node))
    doc = walker.comments.take(node)
    index = define_function(
        walker, node, name, kind="method", flags=flags, decorators=decorators, doc=doc
    )
    # What reading the member gives is said by its getter alone.
    if not sets:
        walker.emit("define", index)


def field(walker: JavaScriptWalker, node: Node, decorators: tuple[Term, ...]) -> None:
    """A field; one that holds a function is a method."""
    named = node.child_by_field_name("name") or node.child_by_field_name("property")
    if named is None:
        return
    name = member_name(walker, named)
    flags, _ = _flags(walker, node, named)
    decorators = (*decorators, *decorators_of(walker, node))
    value, kind = node.child_by_field_name("value"), node.child_by_field_name("type")
    doc = walker.comments.take(node)
    if value is not None and value.type in FUNCTIONS:
        walker.expected = walker.callback_types(kind)
        walker.context_type = walker.type(kind)
        index = define_function(
            walker, value, name, kind="method", outer=node, flags=flags, decorators=decorators,
            doc=doc,
        )  # fmt: skip
        walker.emit("define", index)
        if (declared := walker.type(kind)) is not None:
            walker.emit_in(walker.body(index), "do", ("typed", declared))
        return
    walker.define_variable(
        name, node, named=named, returns=walker.field_type(kind), flags=flags,
        decorators=decorators, doc=doc,
    )  # fmt: skip
    documented_field(walker, name, doc)
    if value is not None:
        walker.emit("bind", ("name", name), walker.evaluate_as(value, walker.type(kind)))


def static_block(walker: JavaScriptWalker, node: Node, decorators: tuple[Term, ...]) -> None:
    """`static { … }` runs when the class is made."""
    if (body := node.child_by_field_name("body")) is not None:
        walker.run_block(body.named_children)


def member_name(walker: JavaScriptWalker, named: Node) -> str:
    """Return the name of a member: as written, without quotes; `[…]` for a computed one."""
    text = walker.name(named)
    if named.type == "string":
        return text[1:-1]
    if named.type == "computed_property_name":
        inner = named.named_children
        if inner and inner[0].type == "string":
            return walker.name(inner[0])[1:-1]
        walker.run_children(named)
        return " ".join(text.split())[:80]
    return text


def decorators_of(walker: JavaScriptWalker, node: Node) -> tuple[Term, ...]:
    """Return the decorators that stand inside a node, outermost first."""
    if node.child_count == 0 or node.children[0].type not in ("decorator", "export"):
        return ()
    return tuple(
        [first_inside(walker, child) for child in node.children if child.type == "decorator"]
    )


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
        elif kind == "accessibility_modifier" and walker.name(child) == "private":
            flags.append("private")
    if named.type == "private_property_identifier":
        flags.append("private")
    return flags, sets


def _bases(walker: JavaScriptWalker, node: Node) -> tuple[Term, ...]:
    bases: list[Term] = []
    heritage = [child for child in node.children if child.type == "class_heritage"]
    for clause in [clause for child in heritage for clause in child.named_children]:
        if clause.type == "extends_clause":
            base = walker.evaluate_field(clause, "value")
            listed = children_of(clause.child_by_field_name("type_arguments"))
            kinds = [walker.type(child) for child in listed]
            # A class that lies outside is known by its name alone; its arguments are said besides.
            bases += [base, applied(base, kinds)] if base is not None and kinds else [base]
        elif clause.type == "implements_clause":
            bases += [walker.type(child) for child in clause.named_children]
        else:
            bases.append(walker.evaluate(clause))
    return tuple([base for base in bases if base is not None])


Member = Callable[["JavaScriptWalker", "Node", "tuple[Term, ...]"], None]
MEMBERS: dict[str, Member] = {
    "method_definition": method,
    "method_signature": method,
    "abstract_method_signature": method,
    "field_definition": field,
    "public_field_definition": field,
    "property_signature": field,
    "class_static_block": static_block,
}


# --- Named values: functions, classes and object literals that are bound to a target.

# What takes types from where it stands.
TYPED_BY_CONTEXT = {*FUNCTIONS, "method_definition", "object"}
VALUES = {"arrow_function", "function_expression", "generator_function", "class", "object"}
ANONYMOUS = "<anonymous>"
_WRAPPING = {"parenthesized_expression", "satisfies_expression"}

_EXPORTS = (("name", "exports"), ("attr", ("name", "module"), "exports"))


def define_value(
    walker: JavaScriptWalker, node: Node, target: Node | None, *, outer: Node | None = None
) -> Term:
    """Return the term of a function, class or object literal that is bound to a target.

    It is named after the target: `f = …`, `A.prototype.f = …`, `o = { f() {} }`.
    """
    name, path = _named_after(walker, target)
    if node.type == "object":
        return object_literal(walker, node, owner=path, prefix=_dotted(path))
    own = node.child_by_field_name("name")
    if own is not None and target is None:
        name = walker.name(own)
    if node.type == "class":
        return ("def", define_class(walker, node, name or ANONYMOUS, outer))
    holder = path[1] if path is not None and path[0] == "attr" else None
    dotted = _dotted(holder)
    is_self = holder is not None and holder[0] == "self"
    is_named = outer is not None or target is not None
    index = define_function(
        walker, node, name or ANONYMOUS, outer=outer, owner=None if is_self else holder,
        kind="method" if is_self or dotted is not None else "function",
        qualname=walker.qualified(f"{dotted}.{name}") if dotted else None,
        doc=walker.comments.take(outer or node) if is_named else "",
    )  # fmt: skip
    if own is not None:
        _bind_own_name(walker, index, walker.name(own))
    return ("def", index)


def unwrapped(walker: JavaScriptWalker, node: Node) -> Node:
    """Return what stands in parentheses, or is only said to satisfy a type, if it is a value that
    takes a name; else the node itself."""
    inner, kind = node, None
    while inner.type in _WRAPPING and inner.named_child_count:
        kind = inner.named_children[-1] if inner.type == "satisfies_expression" else kind
        inner = inner.named_children[0]
    if inner.type not in VALUES:
        return node
    if kind is not None and (declared := walker.type(kind)) is not None:
        walker.emit("do", ("typed", declared))
        if inner.type in TYPED_BY_CONTEXT:
            walker.context_type = declared
    return inner


def define_in_place(walker: JavaScriptWalker, node: Node, title: str = "") -> int:
    """Define a function or class expression that nothing names, and return its index; a test has
    its title for a name."""
    own = node.child_by_field_name("name")
    name = (title or ANONYMOUS) if own is None else walker.name(own)
    if node.type == "class":
        return define_class(walker, node, name, None)
    index = define_function(walker, node, name, flags=("test",) if title else ())
    if own is not None:
        _bind_own_name(walker, index, name)
    return index


def object_literal(
    walker: JavaScriptWalker, node: Node, *, owner: Term = None, prefix: str | None = None
) -> Term:
    """Return the term of an object literal; functions in it are its methods."""
    pairs: list[tuple[Term, Term]] = []
    reading: list[int] = []
    context_type = walker.take_context()
    is_labelled = context_type is not None and not walker.is_documented
    constants = _constants_in(walker, node) if is_labelled else ()
    exported, walker.exported = walker.exported, None
    for child in node.named_children:
        kind = child.type
        if kind == "shorthand_property_identifier":
            name = walker.label(context_type, child, constants)
            pairs.append((("const", "str", name), ("name", name)))
        elif kind == "spread_element":
            pairs.append((None, last_inside(walker, child)))
        elif kind in ("pair", "method_definition"):
            named = child.child_by_field_name("key" if kind == "pair" else "name")
            if named is not None and named.type == "property_identifier":
                walker.label(context_type, named, constants)
            pairs += _member(walker, child, owner, prefix, reading, context_type)
        elif kind != "comment":
            walker.run(child)
    walker.exported = exported
    literal: Term = ("dict", tuple(pairs))
    return _holding(walker, literal, reading) if reading else literal


def _constants_in(walker: JavaScriptWalker, node: Node) -> Constants:
    """Return the names of the members of an object literal that are constants, with their texts."""
    return tuple([
        (walker.name_of(child, "key"), text)
        for child in node.named_children
        if child.type == "pair"
        and (value := child.child_by_field_name("value")) is not None
        and (text := constant_text(walker, value)) is not None
    ])  # fmt: skip


def constant_text(walker: JavaScriptWalker, node: Node) -> str | None:
    """Return a short text without its quotes, or `true` or `false`; None for anything else."""
    if node.type == "as_expression":
        node = node.named_children[0]
    if node.type in ("true", "false"):
        return node.type
    text = walker.name(node)[1:-1] if node.type == "string" else None
    return text if text is not None and len(text) <= CONST_CHARS else None


def member_type(kind: Term, name: str | None) -> Term:
    """Return the type of a member of something of a type, if both are known."""
    return ("same", ("attr", ("typed", kind), name)) if kind is not None and name else None


def _holding(walker: JavaScriptWalker, literal: Term, methods: list[int]) -> Term:
    """Return an object literal that nothing names by a name, which is what its methods belong to:
    their `this` is the object."""
    name = walker.temporary()
    for index in methods:
        walker.fill(index, owner=("name", name))
    walker.bind_name(name, literal)
    return ("name", name)


def _member(
    walker: JavaScriptWalker,
    node: Node,
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
    key = _key(walker, named)
    is_constant = key is not None and key[0] == "const" and key[2] is not None
    name = str(key[2]) if key is not None and is_constant else None
    dotted = f"{prefix}.{name}" if prefix and name else None
    kind = member_type(context_type, name)
    if value.type == "object":
        walker.context_type = kind
        inner: Term = ("attr", owner, name) if owner is not None and name else None
        literal = partial(object_literal, owner=inner, prefix=dotted)
        term = walker.descend(literal, value)
        walker.context_type = None
        return [(key, term)]
    if value.type not in FUNCTIONS and is_pair:
        return [(key, walker.evaluate_as(value, kind))]
    walker.context_type = kind
    access = _access(node, named)
    index = define_function(
        walker, value, name or " ".join(walker.name(named).split())[:80], kind="method",
        outer=node, owner=owner, flags=["property"] if access else [],
        qualname=walker.qualified(dotted) if dotted else None,
    )  # fmt: skip
    if walker.read_this and owner is None:
        reading.append(index)
    # What reading the member gives is said by its getter alone.
    return [] if access == "set" else [(key, ("def", index))]


def _access(node: Node, named: Node) -> str:
    """Return `get` or `set` for an accessor, "" for any other member."""
    first = node.children[0]
    return first.type if first != named and first.type in ("get", "set") else ""


def _key(walker: JavaScriptWalker, node: Node) -> Term:
    if node.type in ("property_identifier", "private_property_identifier"):
        return ("const", "str", walker.name(node))
    return walker.evaluate(node)


def _bind_own_name(walker: JavaScriptWalker, index: int, name: str) -> None:
    """Bind the name that a function expression has inside itself alone."""
    body = walker.body(index)
    walker.declared.add((body, name))
    walker.prepend(body, "bind", ("name", name), ("def", index))


def _named_after(walker: JavaScriptWalker, target: Node | None) -> tuple[str | None, Term]:
    """Return the name that a target gives to a function, and the term of the target."""
    if target is None:
        return None, None
    if target.type == "subscript_expression":
        index = target.child_by_field_name("index")
        if index is None or index.type != "string":
            return None, None
        name = walker.name(index)[1:-1]
    elif target.type == "member_expression":
        name = walker.name_of(target, "property")
    else:
        name = walker.name(target)
        return name, ("name", name)
    holder = target.child_by_field_name("object")
    inner = None if holder is None else _chain(walker, holder)
    if name == "prototype":
        return name, inner
    return name, ("attr", inner, name) if inner is not None else None


def _chain(walker: JavaScriptWalker, node: Node) -> Term:
    """Return the term of a chain of plain members, None for anything else. Evaluates nothing."""
    names: list[str] = []
    while node.type == "member_expression":
        names.append(walker.name_of(node, "property"))
        inner = node.child_by_field_name("object")
        if inner is None:
            return None
        node = inner
    if node.type not in ("identifier", "this"):
        return None
    term: Term = ("self",) if node.type == "this" else ("name", walker.name(node))
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
