"""TypeScript: its dialect, declarations and types, and what its grammar cannot read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

import attrs

from ...dialect import Dialect
from ...facts import Facts, Term
from ..facts_builder import count_errors
from ..grammars import parse
from ..walker import (
    applied,
    child_of_type,
    children_of,
    first_child,
    name_term,
    nothing,
    union,
    without_comments,
)
from . import javascript
from .definitions import constant_text, element_type, member_name, members, name_bases
from .imports import export_name, import_alias
from .javascript import EXPRESSIONS, walk_file
from .statements import STATEMENTS, class_declaration, function, transparent
from .walker import JavaScriptWalker

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Workaround for the grammar: sound text that it cannot read is mended and parsed again.
#
# A call signature that begins with its type parameters goes on with the type of the line before,
# as the grammar sees it, and everything behind is lost. A semicolon takes the place of the end of
# line before it. Words that the grammar does not know in their place are left out, or another
# stands for them. No byte moves, and names are read from the text as it is.

# A line of code, its end, then empty lines and comments, then a line that begins with `<`.
_CONTINUED = re.compile(
    rb"^([^\n]*[\])>}\w\"'][ \t\r]*)\n(?=(?:[ \t\r]*(?://[^\n]*)?\n){0,20}[ \t]*<[\s\w])", re.M
)
_GAP = rb"(?:\s|/\*(?:[^*]|\*(?!/))*\*/|//[^\n]*\n)*"
# Words that say more of what follows: `interface A<in out T>`, `static accessor x`,
# `export type * from`, `import defer * as a`.
_LEFT_OUT = re.compile(
    rb"([<,]" + _GAP + rb")(?:in\s+out|in|out)(?=\s+[A-Za-z_$])"
    rb"|((?:^|[{};])[ \t]*(?:@[\w.]+(?:\([^()\n]*\))?[ \t]+|[a-z]+[ \t]+)*)"
    rb"accessor(?=[ \t]+[\w$#\[\"'])"
    rb"|(\bexport\s+)type(?=\s*\*)"
    rb"|(\bimport\s+)(?:defer(?=\s*\*)|source(?=\s+(?!from\b)[\w$]))",
    re.M,
)
# A member that is called as a modifier is, a type of another module with arguments, and what is
# let go of after each round of a loop.
_OTHER_WORD = re.compile(
    rb"\b(?:abstract|accessor)(?=\s*[?!]?\s*[:=(<;}])"
    rb"|\bimport\(\s*([\"'])[^\"'\n]*\1\s*\)(?=(?:\s*\.\s*[\w$]+)+\s*<)"
    rb"|(?<=\bfor \()using(?=\s+[\w$]+\s+of\b)"
)


def mended(tree: Tree, source: bytes, grammar: str) -> Tree:
    """Return a tree with fewer errors, or the one given. Offsets hold for the source as it is."""
    if not tree.root_node.has_error:
        return tree
    other = _CONTINUED.sub(_ended, source)
    other = _OTHER_WORD.sub(_replaced, _LEFT_OUT.sub(_blanked, other))
    if other == source:
        return tree
    again = parse(other, grammar)
    fewer = count_errors(again.root_node) < count_errors(tree.root_node)
    return again if fewer else tree


def _ended(match: re.Match[bytes]) -> bytes:
    is_comment = b"//" in match[1] or match[1].lstrip().startswith((b"*", b"/*"))
    return match[0] if is_comment else match[1] + b";"


def _blanked(match: re.Match[bytes]) -> bytes:
    before = next(group for group in match.groups() if group is not None)
    return before + re.sub(rb"\S", b" ", match[0][len(before) :])


def _replaced(match: re.Match[bytes]) -> bytes:
    """Return as many letters of which the grammar makes what was meant."""
    return b"const" if match[0] == b"using" else b"_" * len(match[0])


# --- Types.

# Nesting beyond this says nothing that an index could use: Array<Array<Array<…>>>.
_MAX_DEPTH = 12


def read_type(walker: JavaScriptWalker, node: Node, depth: int = 0) -> Term:
    """Return the term of a type, None for one that names no declaration."""
    if depth > _MAX_DEPTH:
        return None
    handler = _TYPES.get(node.type)
    return None if handler is None else handler(walker, node, depth + 1)


def _name(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name = walker.name(node)
    return walker.bounds.get(name, ("name", name))


def _basic(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name = walker.name(node)
    return ("name", name) if name in ("string", "number", "boolean") else None


def _qualified(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    module = node.child_by_field_name("module") or node.child_by_field_name("object")
    name = walker.name_of(node, "name") or walker.name_of(node, "property")
    inner = None if module is None else read_type(walker, module, depth)
    return ("attr", inner, name) if inner is not None else None


def _generic(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    name, listed = node.child_by_field_name("name"), node.child_by_field_name("type_arguments")
    base = None if name is None else read_type(walker, name, depth)
    if base is None or listed is None:
        return base
    arguments = [read_type(walker, child, depth) for child in listed.named_children]
    if base in _TRANSPARENT:
        others = [kind for kind in arguments[1:] if kind is not None and kind[0] not in _BOUND]
        return union([applied(None, others) if others else None, *arguments[:1]])
    if base in _OF_VALUES and arguments and arguments[0] is not None:
        return _of_value(arguments[0], name=base[1] if base else "")
    return applied(base, arguments)


def _object(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`{ a: A; b(c: C): B }`: the type of an object literal with values of those types."""
    members: list[tuple[Term, Term]] = []
    signatures = [child for child in node.named_children if child.type == "call_signature"]
    if signatures and len(signatures) == node.named_child_count:
        return union([_function(walker, signature, depth) for signature in signatures])
    for child in node.named_children:
        kind: Term = None
        if child.type == "method_signature":
            kind = _function(walker, child, depth)
        elif child.type == "property_signature":
            written = child.child_by_field_name("type")
            kind = None if written is None else read_type(walker, written, depth)
        if kind is not None:
            members.append((("const", "str", walker.name_of(child, "name")), ("typed", kind)))
    return ("same", ("dict", tuple(members))) if members else _named_in(walker, node, depth)


def _of_value(kind: Term, *, name: str) -> Term:
    """`ReturnType<typeof f>`: what f gives; `InstanceType<typeof C>`: a C."""
    if kind is None or kind[0] != "same":
        return applied(None, [kind])
    return ("same", ("call" if name == "ReturnType" else "new", kind[1], (), (), None))


def _query(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`typeof x`: the type of a value, which is a name or a member of one."""
    named = _value(walker, node.named_children[-1]) if node.named_child_count else None
    return None if named is None else ("same", named)


def _value(walker: JavaScriptWalker, node: Node) -> Term:
    if node.type == "member_expression":
        inner = node.child_by_field_name("object")
        base = None if inner is None else _value(walker, inner)
        return None if base is None else ("attr", base, walker.name_of(node, "property"))
    if node.type == "this":
        return walker.this
    return ("name", walker.name(node)) if node.type == "identifier" else None


def _lookup(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`T["x"]`: the type of a member."""
    parts = node.named_children
    kind = read_type(walker, parts[0], depth) if len(parts) == 2 else None
    if kind is None or parts[1].type != "literal_type" or not parts[1].named_children:
        return _named_in(walker, node, depth)
    key = parts[1].named_children[0]
    if key.type != "string":
        return _named_in(walker, node, depth)
    return ("same", ("attr", ("typed", kind), walker.name(key)[1:-1]))


def _conditional(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`A extends B ? C : D`: C or D."""
    own = {**walker.bounds, **dict.fromkeys(_introduced(walker, node))}
    fields = ("left", "right", "consequence", "alternative")
    with walker.having(bounds=own):
        kinds = [
            None if (part := node.child_by_field_name(field)) is None
            else read_type(walker, part, depth)
            for field in fields
        ]  # fmt: skip
    conditions = [kind for kind in kinds[:2] if kind is not None]
    return union([applied(None, conditions) if conditions else None, *kinds[2:]])


def _named_in(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """What a type that is worked out from others names: of its values nothing is known."""
    own = {**walker.bounds, **dict.fromkeys(_introduced(walker, node))}
    with walker.having(bounds=own):
        parts = [kind for kind in _types_in(walker, node, depth) if kind is not None]
    return applied(None, parts) if parts else None


def _types_in(walker: JavaScriptWalker, node: Node, depth: int) -> Iterator[Term]:
    """Yield the outermost types inside of a node."""
    name = node.child_by_field_name("name")
    for child in node.named_children if depth <= _MAX_DEPTH else ():
        if child == name or child.type == "identifier":
            continue
        if child.type in _TYPES:
            yield read_type(walker, child, depth)
        elif child.type not in _NAMING:
            yield from _types_in(walker, child, depth + 1)


def _introduced(walker: JavaScriptWalker, node: Node) -> Iterator[str]:
    """Yield the names that a type gives itself: `infer U`, `[K in keyof T]`."""
    nodes = [(child, 0) for child in node.named_children]
    while nodes:
        inner, depth = nodes.pop()
        if inner.type == "infer_type":
            yield walker.name(inner.named_children[0])
        elif inner.type == "mapped_type_clause":
            yield walker.name_of(inner, "name")
        elif inner.type != "conditional_type" and depth < _MAX_DEPTH:
            nodes += [(child, depth + 1) for child in inner.named_children]


def _array(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    return ("item", ("name", "Array"), _inner(walker, node, depth))


def _inner(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    for child in node.named_children:
        if child.type != "comment":
            return read_type(walker, child, depth)
    return None


def _function(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`(a: A) => B`."""
    result = node.child_by_field_name("return_type")
    with walker.having(bounds=walker.numbered_bounds(node, "generic")):
        returned = None if result is None else read_type(walker, result, depth)
        parameter_types = _parameter_types(walker, node, depth)
        walker.name_bounds(node)
    return applied(("name", "Callable"), [("tuple", parameter_types), returned])


def _constructor(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """`new (a: A) => B`: a class whose objects are B."""
    made = child_of_type(node, *_TYPES)
    field = node.child_by_field_name("type") or made
    with walker.having(bounds=walker.numbered_bounds(node, "generic")):
        kind = None if field is None else read_type(walker, field, depth)
    return None if kind is None else applied(("name", "<type>"), [kind])


def _parameter_types(walker: JavaScriptWalker, node: Node, depth: int) -> tuple[Term, ...]:
    listed = node.child_by_field_name("parameters")
    return tuple([
        kind
        for child in children_of(listed)
        if child.type in ("required_parameter", "optional_parameter")
        and walker.name_of(child, "pattern") != "this"
        for kind in _types_of_parameter(walker, child, depth)
    ])  # fmt: skip


def _types_of_parameter(walker: JavaScriptWalker, node: Node, depth: int) -> tuple[Term, ...]:
    """The type of a parameter; of the rest of them that of each: `...x: [A, B]` is two."""
    written, pattern = node.child_by_field_name("type"), node.child_by_field_name("pattern")
    kind = None if written is None else read_type(walker, written, depth)
    if kind is None or pattern is None or pattern.type != "rest_pattern":
        return (kind,)
    if kind[:2] == ("item", ("name", "tuple")) and written is not None:
        parts: tuple[Term, ...] = kind[2][1]
        listed = child_of_type(written, "tuple_type")
        if listed is not None and child_of_type(listed, "rest_type") is None:
            return parts
    return (("star", element_type(kind)),)


def _either(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    """A union or intersection: one of its sides; long ones lean to the left and are walked.

    The innermost may have one side alone: `| A | B` begins with `| A`.
    """
    sides: list[Node] = []
    left = node
    while left.type == node.type and (children := without_comments(left)):
        sides += children[:0:-1]
        left = children[0]
    sides.append(left)
    return union([read_type(walker, side, depth) for side in reversed(sides)])


def _constants(walker: JavaScriptWalker, node: Node | None) -> Term:
    """`"a"`, `"a" | true`: a type of constants alone; None for any other."""
    kinds: list[Term] = []
    nodes = children_of(node)
    while nodes:
        inner = nodes.pop()
        if inner.type in ("union_type", "parenthesized_type"):
            nodes += inner.named_children
        elif (kind := _constant(walker, inner)) is None:
            return None
        else:
            kinds.append(kind)
    return union(kinds)


def _constant(walker: JavaScriptWalker, node: Node) -> Term:
    value = first_child(node) if node.type == "literal_type" else None
    text = None if value is None else constant_text(walker, value)
    if value is None or text is None:
        return None
    return ("const", "str" if value.type == "string" else "bool", text)


def _tuple(walker: JavaScriptWalker, node: Node, depth: int) -> Term:
    parts = tuple(read_type(walker, _typed(child), depth) for child in node.named_children)
    return ("item", ("name", "tuple"), ("tuple", parts))


def _typed(node: Node) -> Node:
    """Return the type in `[name: A]`."""
    kind = node.child_by_field_name("type")
    is_named = node.type in ("required_parameter", "optional_parameter")
    return kind if kind is not None and is_named else node


# What is as good as its argument: awaiting a promise is said apart, and gives the same.
_TRANSPARENT = tuple(
    ("name", name)
    for name in """
    Readonly Partial Required NonNullable Promise PromiseLike Awaited Pick Omit Extract Exclude
    """.split()
)
# Parameters of types, which name none.
_BOUND = ("parameter", "generic", "variable", "like")
_OF_VALUES = (("name", "ReturnType"), ("name", "InstanceType"))
_AROUND = {"type_annotation", "parenthesized_type", "union_type", "readonly_type"}
# Nodes with a name that they give themselves.
_NAMING = {"infer_type", "property_signature", "method_signature", "call_signature"}
_SHAPED = _AROUND | {"function_type", "type_identifier", "generic_type"}
_TYPES: dict[str, Callable[[JavaScriptWalker, Node, int], Term]] = {
    "type_annotation": _inner,
    "type_identifier": _name,
    "identifier": _name,
    "predefined_type": _basic,
    "nested_type_identifier": _qualified,
    "nested_identifier": _qualified,
    "generic_type": _generic,
    "array_type": _array,
    "readonly_type": _inner,
    "parenthesized_type": _inner,
    "optional_type": _inner,
    "rest_type": _inner,
    "union_type": _either,
    "intersection_type": _either,
    "tuple_type": _tuple,
    "function_type": _function,
    "constructor_type": _constructor,
    "object_type": _object,
    "type_query": _query,
    "lookup_type": _lookup,
    "conditional_type": _conditional,
    "index_type_query": _named_in,
    "template_literal_type": _named_in,
    "type_predicate": _named_in,
    "type_predicate_annotation": _inner,
    "asserts_annotation": _named_in,
    "this_type": lambda walker, node, depth: ("self",),
}


# --- Dialect, walker, interfaces, enums and namespaces.

DIALECT = attrs.evolve(
    javascript.DIALECT,
    name="typescript",
    extensions=(".ts", ".tsx", ".mts", ".cts"),
    dynamically_typed=False,
)
_DECLARED = {"interface_body", "object_type"}


def grammar(path: str) -> str:
    """Return the grammar of a file: TSX cannot read `<T>x`, TypeScript cannot read elements."""
    return "tsx" if path.endswith((".tsx", ".TSX")) else "typescript"


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a TypeScript file says."""
    return read(tree, source, path, DIALECT, grammar(path))


class TypeScriptWalker(JavaScriptWalker):
    """Walker of TypeScript: reads types."""

    def type(self, node: Node | None) -> Term:
        """Return the term of a type annotation."""
        return None if node is None else read_type(self, node)

    def field_type(self, node: Node | None) -> Term:
        """Return the term of the type of a field, which may be one of some constants."""
        return self.type(node) or _constants(self, node)

    def callback_types(self, node: Node | None) -> tuple[Term, ...]:
        """Return the types of the parameters of the function that a type asks for."""
        while node is not None and node.type in _AROUND and node.named_child_count:
            node = child_of_type(node, *_SHAPED)
        if node is None:
            return ()
        if node.type in ("function_type", "call_signature"):
            return _parameter_types(self, node, 0)
        name = node.child_by_field_name("name") if node.type == "generic_type" else node
        return self.shapes.get(self.name(name), ()) if name is not None else ()

    def declare_parameter(self, node: Node, pattern: Node, declared: Term) -> None:
        """A parameter may be a field as well, and one that is taken apart have types for parts."""
        kind = node.child_by_field_name("type")
        written = kind.named_children[0] if kind is not None and kind.named_child_count else None
        if written is not None and (pattern.type, written.type) == (
            "object_pattern",
            "object_type",
        ):
            _declare_parts(self, pattern, written)
        _parameter_property(self, node, pattern, declared)


def read(tree: Tree, source: bytes, path: str, dialect: Dialect, grammar: str) -> Facts:
    """Return what a text in a grammar of TypeScript says."""
    root = mended(tree, source, grammar).root_node
    return walk_file(TypeScriptWalker(source, path, dialect, EXPRESSIONS, _STATEMENTS), root)


def _declare_parts(walker: JavaScriptWalker, pattern: Node, kind: Node) -> None:
    """`{ a }: { a: A }` declares a."""
    types = {
        walker.name_of(member, "name"): member.child_by_field_name("type")
        for member in kind.named_children
        if member.type == "property_signature"
    }
    for child in pattern.named_children:
        key, target = child, child
        if child.type == "pair_pattern":
            key = child.child_by_field_name("key") or child
            target = child.child_by_field_name("value") or child
        if target.type in ("assignment_pattern", "object_assignment_pattern"):
            target = target.child_by_field_name("left") or target
            key = target if key is child else key
        declared = walker.type(types.get(walker.name(key)))
        if declared is not None and target.type.startswith(("identifier", "shorthand")):
            walker.emit("declare", name_term(walker, target), declared)


def _parameter_property(
    walker: JavaScriptWalker, node: Node, pattern: Node, declared: Term
) -> None:
    """`constructor(private x: T)` declares a field and binds it."""
    modifiers = [child for child in node.children if child.type in _KEEPING]
    with walker.in_scope(walker.builder.scopes[walker.scope].parent):
        for child in node.children:
            if child.type == "decorator":
                walker.run_children(child)
        if not modifiers or pattern.type != "identifier":
            return
        name = walker.name(pattern)
        flags = ["private"] if walker.name(modifiers[0]) == "private" else []
        walker.define_variable(name, node, named=pattern, flags=flags, returns=declared)
    walker.emit("bind", ("attr", ("self",), name), ("name", name))


def _interface(walker: JavaScriptWalker, node: Node) -> None:
    """An interface: a class whose members are only declared."""
    body = node.child_by_field_name("body")
    called = child_of_type(body, "call_signature") if body is not None else None
    clauses = ("extends_type_clause", "extends_clause")
    with walker.having(bounds=walker.numbered_bounds(node, "parameter")):
        bases = [
            walker.type(base)
            for clause in node.named_children
            if clause.type in clauses
            for base in clause.named_children
        ]
        if called is not None:
            walker.shapes[walker.name_of(node, "name")] = walker.callback_types(called)
        _declared_class(walker, node, body, ["interface"], bases)


def _call_signature(walker: JavaScriptWalker, node: Node) -> None:
    """`(a: A): B` in an interface: what calling one of its objects takes and gives."""
    walker.emit("declare", ("name", "__call__"), _function(walker, node, 0))


def _alias(walker: JavaScriptWalker, node: Node) -> None:
    """`type A = …`: an object type is an interface, anything else another name."""
    with walker.having(bounds=walker.numbered_bounds(node, "variable")):
        _aliased(walker, node)


def _aliased(walker: JavaScriptWalker, node: Node) -> None:
    value = node.child_by_field_name("value")
    parts = [value] if value is not None and value.type != "intersection_type" else []
    if value is not None and not parts:
        parts = value.named_children
    if bodies := [part for part in parts if part.type in _DECLARED]:
        bases = [walker.type(part) for part in parts if part.type not in _DECLARED]
        with walker.having(bounds=walker.numbered_bounds(node, "parameter")):
            _declared_class(walker, node, bodies[0], ["interface", "alias"], bases, bodies[1:])
        return
    walker.name_bounds(node)
    name = walker.name_of(node, "name")
    if shape := walker.callback_types(value):
        walker.shapes[name] = shape
    flags = ["alias"] if walker.exported is None else ["alias", "exported"]
    whole, kind = walker.exported or node, walker.type(value)
    walker.define(
        "class", name, whole, named=node.child_by_field_name("name"), flags=flags,
        doc=walker.comments.take(whole),
    )  # fmt: skip
    walker.bind_name(name, ("means", kind))
    export_name(walker, name, node)


def _declared_class(
    walker: JavaScriptWalker,
    node: Node,
    body: Node | None,
    flags: list[str],
    bases: list[Term],
    others: Sequence[Node] = (),
) -> None:
    """Define what only declares its members, which stand in a body and in `others`."""
    name = walker.name_of(node, "name")
    whole = walker.exported or node
    if walker.exported is not None:
        flags = [*flags, "exported"]
    index = walker.define(
        "class", name, whole, body="class", named=node.child_by_field_name("name"), flags=flags,
        header=None if body is None else body.start_byte,
        bases=[base for base in bases if base is not None], doc=walker.comments.take(whole),
    )  # fmt: skip
    if body is not None:
        with walker.in_scope(walker.body(index)):
            walker.name_bounds(node)
            last = node.end_point if "alias" in flags else body.start_point
            name_bases(walker, whole, last[0], bases)
            for part in (body, *others):
                members(walker, part)
    walker.declare_name(name)
    walker.emit("define", index)
    export_name(walker, name, node)


def _enum(walker: JavaScriptWalker, node: Node) -> None:
    """An enum: a class whose members are its constants."""
    _declared_class(walker, node, node.child_by_field_name("body"), ["enum"], [])


def _enum_member(walker: JavaScriptWalker, node: Node) -> None:
    """One constant of an enum, with or without a value."""
    named = node.child_by_field_name("name") or node
    name, doc = member_name(walker, named), walker.comments.take(node)
    walker.define_variable(name, node, named=named, flags=["constant"], doc=doc)
    walker.run_field(node, "value")


def _plain_enum_members(walker: JavaScriptWalker, node: Node) -> None:
    """A constant of an enum without a value is a mere name; elsewhere such a name says nothing."""
    parent = node.parent
    if parent is not None and parent.type == "enum_body":
        _enum_member(walker, node)


def _namespace(walker: JavaScriptWalker, node: Node) -> None:
    """`namespace A.B { … }`; `declare module "m"` and `declare global` only hold statements."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None or named.type == "string" or body is None:
        walker.run_all(body.named_children if body is not None else ())
        return
    whole, outer = walker.exported or node, walker.scope
    doc = walker.comments.take(whole)
    names = walker.name(named).split(".")
    with walker.having(exported=None):
        for name in names:
            index = walker.define(
                "class", name.strip(), whole, body="class", named=named, header=body.start_byte,
                flags=["namespace"], doc=doc,
            )  # fmt: skip
            walker.declare_name(name)
            walker.emit("define", index)
            walker.scope = walker.body(index)
            walker.namespaces.add(walker.scope)
        walker.run_all(body.named_children)
        walker.scope = outer
    export_name(walker, names[0], node)


_KEEPING = {"accessibility_modifier", "readonly", "override_modifier"}
_STATEMENTS = {
    **STATEMENTS,
    "abstract_class_declaration": class_declaration,
    "function_signature": function,
    "interface_declaration": _interface,
    "type_alias_declaration": _alias,
    "enum_declaration": _enum,
    "internal_module": _namespace,
    "module": _namespace,
    "import_alias": import_alias,
    "ambient_declaration": transparent,
    "enum_assignment": _enum_member,
    "property_identifier": _plain_enum_members,
    "type_parameters": nothing,
    "call_signature": _call_signature,
}
