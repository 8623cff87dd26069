"""C#: its dialect, namespaces, types, members and statements."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, words
from ...facts import Facts, Param, Term
from ..java import OVERLOAD_TYPES
from ..walker import (
    Statements,
    SyntaxWalker,
    bind_each,
    bind_typed,
    block,
    child_of_type,
    children_of,
    evaluate_once,
    fields,
    labelled,
    name_term,
    nothing,
    own_block,
    return_statement,
    signature_end,
    without_comments,
)
from . import LIBRARY
from .expressions import (
    ASSIGNMENTS,
    EXPRESSIONS,
    QUERY_STATEMENTS,
    arguments,
    local_function,
    run_function,
    with_type,
)
from .patterns import bounds_of, extended, match, names_in, parameters, type_in, type_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Modifiers, properties, indexers, events, fields and constants.

_FLAGS = {
    "static": "static",
    "abstract": "abstract",
    "private": "private",
    "public": "exported",
    "const": "constant",
    "readonly": "constant",
    "async": "async",
    "partial": "partial",
    "override": "override",
}
_TESTS = {"Test", "TestMethod", "Fact", "Theory", "TestCase"}
_RUN = words("""
    SetUp TearDown OneTimeSetUp OneTimeTearDown TestInitialize TestCleanup ClassInitialize
    ClassCleanup AssemblyInitialize AssemblyCleanup
""")


def modifiers(walker: SyntaxWalker, node: Node) -> list[str]:
    """Return the flags of a declaration; its attributes are said to be read."""
    flags: list[str] = []
    for child in node.children:
        kind = child.type
        if kind == "modifier":
            word = walker.text(child)
            if word in _FLAGS:
                flags.append(_FLAGS[word])
        elif kind == "attribute_list":
            flags += _attributes(walker, child)
        elif kind != "comment":
            break
    return flags


def _attributes(walker: SyntaxWalker, node: Node) -> list[str]:
    flags = []
    for attribute in node.named_children:
        named = attribute.child_by_field_name("name")
        if attribute.type != "attribute" or named is None:
            continue
        if (name := walker.text(named)) in _TESTS:
            flags.append("test")
        elif name in _RUN:
            flags.append("entry")
        walker.discard(walker.evaluate(named))
        for argument_list in attribute.named_children[1:]:
            walker.run_all(argument_list.named_children)
    return flags


def _property(walker: SyntaxWalker, node: Node) -> None:
    """A property, indexer or event: a method where it runs code, else a variable."""
    named, is_indexer = node.child_by_field_name("name") or node, node.type == "indexer_declaration"
    name = "this" if is_indexer else walker.name(named)
    doc, flags = walker.take_comment(), modifiers(walker, node)
    kind, value = type_in(walker, node), node.child_by_field_name("value")
    accessors = node.child_by_field_name("accessors")
    bodies = [child.child_by_field_name("body") for child in children_of(accessors)]
    if value is not None and value.type == "arrow_expression_clause":
        bodies = [value]
    if not any(bodies):
        walker.define_variable(name, node, named=named, returns=kind, flags=flags, doc=doc)
        if value is not None:
            walker.bind(("name", name), walker.evaluate(value))
        return
    params = parameters(walker, node.child_by_field_name("parameters"))
    index = walker.define_hoisted(
        "method", name, node, body="function", named=named, params=params, returns=kind,
        header=signature_end(node, accessors or value), doc=doc,
        flags=flags if is_indexer else [*flags, "property"],
    )  # fmt: skip
    for body in bodies:
        run_function(walker, index, body, (*params, Param("value", kind, None, "")))


def _fields(walker: SyntaxWalker, node: Node) -> None:
    """Fields and events without accessors."""
    doc, flags = walker.take_comment(), modifiers(walker, node)
    listed = child_of_type(node, "variable_declaration")
    kind = type_in(walker, listed)
    for declarator in children_of(listed):
        named = declarator.child_by_field_name("name")
        if declarator.type != "variable_declarator" or named is None:
            continue
        name, value = walker.name(named), declarator.named_children[-1]
        walker.define_variable(name, node, named=named, returns=kind, flags=flags, doc=doc)
        if value != named:
            walker.bind(("name", name), with_type(walker.evaluate(value), kind))


def _constant(walker: SyntaxWalker, node: Node) -> None:
    """A constant of an enum."""
    if (named := node.child_by_field_name("name")) is not None:
        name, doc = walker.name(named), walker.take_comment()
        walker.define_variable(name, node, named=named, flags=("constant", "static"), doc=doc)
        walker.discard(walker.evaluate_field(node, "value"))


MEMBERS: Statements = {
    "property_declaration": _property,
    "indexer_declaration": _property,
    "event_declaration": _property,
    "field_declaration": _fields,
    "event_field_declaration": _fields,
    "enum_member_declaration": _constant,
}


# --- Statements: locals, loops, switches, caught exceptions.


def _declaration(walker: SyntaxWalker, node: Node) -> None:
    """`T a = x, b;`, also in `for`, `using` and `fixed`."""
    kind = type_in(walker, node)
    for declarator in node.named_children:
        if declarator.type != "variable_declarator" or not declarator.named_child_count:
            continue
        first, last = declarator.named_children[0], declarator.named_children[-1]
        value = with_type(walker.evaluate(last), kind) if last != first else None
        if first.type == "tuple_pattern":
            walker.bind(names_in(walker, first), value)
            continue
        target = name_term(walker, first)
        walker.declare(target, kind)
        if last != first or kind is None:
            walker.bind(target, value)


def _function(walker: SyntaxWalker, node: Node) -> None:
    if (named := node.child_by_field_name("name")) is not None:
        index = local_function(walker, node, walker.name(named))
        walker.add_locals(name_term(walker, named))
        walker.hoist("define", index)


def _for_each(walker: SyntaxWalker, node: Node) -> None:
    over, target = walker.evaluate_field(node, "right"), node.child_by_field_name("left")
    with walker.in_block():
        kind = type_in(walker, node)
        if target is not None and target.type == "tuple_pattern":
            walker.bind(names_in(walker, target), ("iter", over, walker.site(target)))
        else:
            bind_each(walker, target, over, kind)
        walker.run_field(node, "body")


def _typed(walker: SyntaxWalker, node: Node) -> None:
    """`catch (T e)`: a name of a type."""
    kind = type_in(walker, node)
    walker.discard(kind)
    bind_typed(walker, node.child_by_field_name("name"), kind)


def _switch(walker: SyntaxWalker, node: Node) -> None:
    """Patterns in front of a section take the value apart."""
    value = evaluate_once(walker, node.child_by_field_name("value"))
    for section in children_of(node.child_by_field_name("body")):
        types = {child.type for child in section.named_children}
        with walker.in_block(when=bool(types & (_DECLARING | _BINDING))):
            for child in without_comments(section):
                if child.type.endswith("_pattern"):
                    match(walker, child, value)
                else:
                    walker.run(child)


def _yield(walker: SyntaxWalker, node: Node) -> None:
    for child in without_comments(node):
        walker.emit("yield", walker.evaluate(child))


_BINDING = {"declaration_pattern", "recursive_pattern", "list_pattern", "and_pattern"}
_DECLARING = {"local_declaration_statement", "local_function_statement"}
STATEMENTS: Statements = {
    "variable_declaration": _declaration,
    "local_function_statement": _function,
    "block": block(_DECLARING),
    "switch_statement": _switch,
    "assignment_expression": ASSIGNMENTS.run,
    "for_statement": own_block,
    "using_statement": own_block,
    "fixed_statement": own_block,
    "foreach_statement": _for_each,
    "catch_clause": own_block,
    "catch_declaration": _typed,
    "return_statement": return_statement,
    "yield_statement": _yield,
    **QUERY_STATEMENTS,
    "labeled_statement": labelled,
    "goto_statement": nothing,
}


# --- Dialect, namespaces, types and methods.

DIALECT = Dialect(
    name="csharp",
    extensions=(".cs",),
    family="java",
    package_before_wildcard=True,
    global_namespace="csharp:",
    capitalised_is_external=True,
    methods_outside_class=True,
    checks_arity=True,
    overload_types=OVERLOAD_TYPES,
    library=LIBRARY,
    private_is_file_wide=True,
    extension_methods=True,
    implicit_members=True,
    shares_namespace=True,
    invokers=words("Invoke DynamicInvoke BeginInvoke"),
    # Methods of System, its collections and LINQ that any receiver may have.
    builtin_methods=words("""
        Equals GetHashCode ToString GetType ReferenceEquals MemberwiseClone Finalize CompareTo
        Compare Add AddRange Remove RemoveAt RemoveAll Insert Clear Contains ContainsKey TryGetValue
        TryAdd IndexOf Count Any All First FirstOrDefault Last LastOrDefault Single SingleOrDefault
        Select SelectMany Where OrderBy OrderByDescending ThenBy GroupBy Join Distinct Union Concat
        Except Intersect Skip Take Reverse Sum Min Max Average Aggregate Zip ToList ToArray
        ToDictionary ToHashSet Cast OfType ForEach Find FindAll Exists Sort CopyTo GetEnumerator
        MoveNext Reset Dispose DisposeAsync Invoke BeginInvoke EndInvoke DynamicInvoke Append
        AppendLine AppendFormat Split Trim TrimStart TrimEnd Substring StartsWith EndsWith Replace
        ToUpper ToLower Format IsNullOrEmpty Parse TryParse Push Pop Peek Enqueue Dequeue Write
        WriteLine Read ReadLine Flush Close Open Start Stop Wait Run ContinueWith ConfigureAwait
        GetAwaiter GetResult Cancel Set Get Copy Clone Log GetValue SetValue CreateInstance
    """),
)
# Namespace of a file with `global using` and no other, and the module of all such files.
EVERYWHERE = "*"
_SORTS = {
    "interface_declaration": "interface",
    "enum_declaration": "enum",
    "struct_declaration": "struct",
    "record_declaration": "struct",
}


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a C# file says; its namespace is the first one it opens."""
    walker = SyntaxWalker(source, path, DIALECT, EXPRESSIONS, _STATEMENTS)
    root = tree.root_node
    # Where classes that are named with their namespace are said to be imported.
    walker.site(root)
    walker.run_tree(root)
    doc = walker.comment_above(root.named_children, 1) if root.named_child_count > 1 else ""
    namespace = _first_namespace(walker, root)
    if not namespace and any(_is_global(child) for child in root.named_children):
        namespace = EVERYWHERE
    # What is used everywhere; a file that says so sees what has no namespace either.
    used = "" if namespace == EVERYWHERE else EVERYWHERE
    walker.emit_in(0, "import", "", used, "*", 0, 0)
    # Names of the namespaces around are seen as those of its own.
    outer = namespace.rpartition(".")[0]
    while outer:
        walker.emit_in(0, "import", "", outer, "*", 0, 0)
        outer = outer.rpartition(".")[0]
    return walker.finish(root, namespace=namespace, doc=doc)


def _is_global(node: Node) -> bool:
    """Return whether what a file uses is used by all files of its project."""
    return node.type == "using_directive" and node.children[0].type == "global"


def _first_namespace(walker: SyntaxWalker, root: Node) -> str:
    """Return the first namespace, with those that stand alone inside of it."""
    node: Node | None = root
    names: list[str] = []
    while node is not None:
        spaces = [child for child in node.named_children if child.type in _NAMESPACES]
        if not spaces or (names and any(c.type in _TYPES for c in node.named_children)):
            break
        named = spaces[0].child_by_field_name("name")
        names.append("" if named is None else "".join(walker.text(named).split()))
        node = spaces[0].child_by_field_name("body")
    return ".".join(names)


def _namespace(walker: SyntaxWalker, node: Node) -> None:
    """What a namespace holds; the file as a whole is said to belong to the first one."""
    walker.run_all(children_of(node.child_by_field_name("body")))


def _using(walker: SyntaxWalker, node: Node) -> None:
    alias = node.child_by_field_name("name")
    is_static = any(child.type == "static" for child in node.children)
    named = next((c for c in reversed(node.named_children) if c != alias), None)
    if named is None:
        return
    space = "".join(walker.text(named).split()).removeprefix("global::")
    if alias is None:
        walker.hoist("import", "", space, "*", 0, walker.site(named))
        return
    if named.type in ("qualified_name", "identifier") and not is_static:
        outer, _, last = space.rpartition(".")
        walker.hoist("import", walker.name(alias), outer, last, 0, walker.site(named))
        return
    walker.hoist("bind", ("name", walker.name(alias)), type_of(walker, named))


def _type(walker: SyntaxWalker, node: Node) -> None:
    """A class, struct, record, interface, enum or delegate."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    doc, flags = walker.take_comment(), modifiers(walker, node)
    if node.type in _SORTS:
        flags.append(_SORTS[node.type])
    index = walker.define_hoisted(
        "class", walker.name(named), node, body="class", named=named, flags=flags, doc=doc,
        header=signature_end(node, body),
    )  # fmt: skip
    bases = children_of(child_of_type(node, "base_list"))
    with walker.having(bounds={**walker.bounds, **bounds_of(walker, node)}):
        walker.fill(index, bases=_base_types(walker, bases))
        _primary(walker, node, bases, named, walker.body(index))
        walker.run_definition(index, body)


def _base_types(walker: SyntaxWalker, bases: list[Node]) -> tuple[Term, ...]:
    nodes = [base for base in bases if base.type != "argument_list"]
    types = [
        type_in(walker, base) if base.type == _CONSTRUCTED else type_of(walker, base)
        for base in nodes
    ]
    return tuple(kind for kind in types if kind is not None)


# A base whose constructor the primary one calls.
_CONSTRUCTED = "primary_constructor_base_type"


def _primary(walker: SyntaxWalker, node: Node, bases: list[Node], named: Node, scope: int) -> None:
    """A primary constructor; its parameters are the properties of a record.

    They are members by their names, and by their positions for patterns.
    """
    listed = child_of_type(node, "parameter_list")
    if listed is None:
        return
    params = parameters(walker, listed)
    index = walker.define(
        "method", walker.name(named), listed, scope=scope, body="function", named=named,
        header=listed.end_byte, flags=("constructor",), params=params,
    )  # fmt: skip
    walker.emit_in(scope, "define", index)
    for base in bases:
        if base.type in (_CONSTRUCTED, "argument_list"):
            _constructing(walker, base, walker.body(index), params)
    for position, (param, child) in enumerate(zip(params, listed.named_children, strict=False)):
        if node.type == "record_declaration":
            walker.define(
                "variable", param.name, child, scope=scope, returns=param.type,
                named=child.child_by_field_name("name") or child,
            )  # fmt: skip
        for name in (param.name, str(position)) if param.type is not None else ():
            walker.emit_in(scope, "declare", ("name", name), param.type)


def _method(walker: SyntaxWalker, node: Node) -> None:
    """A method, constructor, finaliser, operator or conversion, with a body or without."""
    parts = fields(node)
    body, listed = parts.get("body"), parts.get("parameters")
    name, named = _method_name(walker, node, parts)
    doc, flags = walker.take_comment(), modifiers(walker, node)
    is_constructor = node.type == "constructor_declaration"
    if is_constructor or node.type == "destructor_declaration":
        walker.emit("part", ("def", walker.builder.enclosing(walker.scope)), walker.site(named))
    if is_constructor:
        flags.append("constructor")
    elif body is None and "abstract" not in flags:
        flags.append("abstract")
    with walker.having(bounds={**walker.bounds, **bounds_of(walker, node)}):
        params = parameters(walker, listed)
        index = walker.define_hoisted(
            "method", name, node, body="function", named=named, params=params, flags=flags, doc=doc,
            header=signature_end(node, body),
            returns=type_of(walker, parts.get("returns") or parts.get("type")),
            owner=extended(walker, listed),
        )  # fmt: skip
        if (chained := child_of_type(node, "constructor_initializer")) is not None:
            _constructing(walker, chained, walker.body(index), params)
        run_function(walker, index, body, params)


def _method_name(walker: SyntaxWalker, node: Node, parts: dict[str, Node]) -> tuple[str, Node]:
    named = parts.get("name") or node
    if node.type == "destructor_declaration":
        return f"~{walker.text(named)}", named
    if node.type in _OPERATORS:
        sign = parts.get(_OPERATORS[node.type])
        return f"operator {'' if sign is None else walker.text(sign)}".strip(), sign or node
    return walker.name(named), named


def _constructing(walker: SyntaxWalker, node: Node, scope: int, params: tuple[Param, ...]) -> None:
    """`: this(…)` and `: base(…)` behind a constructor, `: Base(…)` behind a primary one."""
    with walker.in_body(scope, params):
        listed = node if node.type == "argument_list" else node.named_children[-1]
        placed, named = arguments(walker, listed)
        is_base = not any(child.type == "this" for child in node.children)
        callee: Term = ("super",) if is_base else ("self",)
        walker.emit("do", ("call", callee, placed, named, walker.site(node)))


_NAMESPACES = {"namespace_declaration", "file_scoped_namespace_declaration"}
_TYPES = {
    "class_declaration", "struct_declaration", "record_declaration", "interface_declaration",
    "enum_declaration", "delegate_declaration",
}  # fmt: skip
# Operators and conversions, and the field that says which it is.
_OPERATORS = {"operator_declaration": "operator", "conversion_operator_declaration": "type"}
_METHODS = ("method_declaration", "constructor_declaration", "destructor_declaration", *_OPERATORS)
_STATEMENTS: Statements = {
    **STATEMENTS,
    **MEMBERS,
    **dict.fromkeys(_NAMESPACES, _namespace),
    **dict.fromkeys(_TYPES, _type),
    **dict.fromkeys(_METHODS, _method),
    "delegate_declaration": _method,
    "using_directive": _using,
    "global_attribute": nothing,
    "extern_alias_directive": nothing,
}
