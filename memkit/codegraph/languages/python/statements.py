"""Python: statements, imports, match patterns, continued lines."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from ...facts import Facts, Term
from ..facts_builder import DefinitionOptions, header_end
from ..grammars import parse
from ..walker import Statements, children_of, name_term, nothing, without_comments
from . import DIALECT, flags_of
from .callbacks import with_callbacks, with_dispatched_methods
from .expressions import (
    EXPRESSIONS,
    PythonWalker,
    declared_result,
    is_plain,
    params_of,
    target_of,
    type_of,
)

if TYPE_CHECKING:
    from typing import Unpack

    from tree_sitter import Language, Node, Query, Tree


# --- Imports.


def _import_modules(walker: PythonWalker, node: Node) -> None:
    """Say what `import a.b, c as d` binds: a, and d; a.b is loaded as well."""
    for child in node.named_children:
        if child.type == "aliased_import":
            module, local = (_named(walker, part) for part in child.named_children[:2])
            walker.emit("import", local, module, None, 0, walker.site(child))
        elif child.type == "dotted_name":
            module = _named(walker, child)
            top = module.partition(".")[0]
            site = walker.site(child)
            walker.emit("import", top, top, None, 0, site)
            if top != module:
                walker.emit("import", "", module, None, 0, site)


def _import_from(walker: PythonWalker, node: Node) -> None:
    """Say what `from a import b as c` binds."""
    module, level = "", 0
    for position, child in enumerate(node.named_children):
        kind = child.type
        if kind == "relative_import":
            text = _named(walker, child)
            module = text.lstrip(".")
            level = len(text) - len(module)
        elif kind == "wildcard_import":
            _import(walker, node, ("", module, "*", level))
        elif kind == "aliased_import":
            name, local = (_named(walker, part) for part in child.named_children[:2])
            _import(walker, child, (local, module, name, level))
        elif kind == "dotted_name":
            name = _named(walker, child)
            if position == 0:
                module = name
            else:
                _import(walker, child, (name, module, name, level))


def _import(walker: PythonWalker, node: Node, names: tuple[str, str, str, int]) -> None:
    walker.emit("import", *names, walker.site(node))


def _named(walker: PythonWalker, node: Node) -> str:
    """Return a dotted name without the white space, and lines that go on, between its parts."""
    name = walker.name(node)
    return name if name.isidentifier() else "".join(name.replace("\\", "").split())


# --- Patterns of `match`.


def _pattern(walker: PythonWalker, node: Node) -> None:
    """Names in a pattern are bound; classes in it are read."""
    kind = node.type
    inner = node.named_children
    if kind == "as_pattern" and len(inner) == 2:
        _pattern(walker, inner[0])
        walker.emit("bind", name_term(walker, inner[1]), _matched(walker, inner[0]))
    elif kind == "class_pattern":
        walker.emit("do", _dotted(walker.name(inner[0])))
        _parts(walker, inner[1:])
    elif kind == "keyword_pattern":
        _parts(walker, inner[1:])
    elif kind == "splat_pattern" or (kind == "dotted_name" and len(inner) == 1):
        for child in inner:
            walker.emit("bind", name_term(walker, child), None)
    else:
        _parts(walker, inner)


def _parts(walker: PythonWalker, nodes: list[Node]) -> None:
    for node in nodes:
        walker.descend(_pattern, node)


def _matched(walker: PythonWalker, node: Node) -> Term:
    while node.type == "case_pattern" and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type != "class_pattern":
        return None
    return ("typed", _dotted(walker.name(node.named_children[0])))


def _dotted(text: str) -> Term:
    first, *others = text.split(".")
    term: Term = ("name", first)
    for other in others:
        term = ("attr", term, other)
    return term


# --- Continued lines, joined before the tree is walked.
#
# The grammar puts a node wherever a line goes on, between any two parts of a statement, where
# each rule that counts parts would have to look out for it.


def _joined(tree: Tree, source: bytes) -> Tree:
    """Return the tree of a text in which lines that go on are one: a byte is where it was, for
    spaces stand in place of the backslash and the end of the line."""
    if b"\\\n" not in source and b"\\\r" not in source:
        return tree
    from tree_sitter import QueryCursor

    text = bytearray(source)
    captures = QueryCursor(_continued(tree.language)).captures(tree.root_node)
    for node in captures.get("continued", ()):
        text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return parse(bytes(text), "python") if captures else tree


@cache
def _continued(language: Language) -> Query:
    from tree_sitter import Query

    return Query(language, "(line_continuation) @continued")


# --- Entry and statements.


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Python file says."""
    walker = PythonWalker(source, path, DIALECT, EXPRESSIONS, STATEMENTS)
    root = _joined(tree, source).root_node
    walker.run_tree(root)
    facts = walker.finish(root, doc=_docstring(walker, root))
    if walker.dispatch_calls:
        facts = with_dispatched_methods(facts, walker.dispatch_calls)
    return with_callbacks(facts, walker.calls, walker.aliases)


def _block(walker: PythonWalker, node: Node) -> None:
    """Walk the statements of a block in their order."""
    outer, walker.block = walker.block, node.id
    walker.run_children(node)
    walker.block = outer


def _docstring(walker: PythonWalker, node: Node | None) -> str:
    """Return the docstring of a block or a file."""
    for child in children_of(node):
        if child.type == "string":
            return walker.text(child).strip("rRuUbB").strip("\"'")
        if child.type != "comment":
            break
    return ""


def _decorated(walker: PythonWalker, node: Node) -> None:
    *decorators, definition = without_comments(node)
    if definition.type == "decorator":
        _block(walker, node)
        return
    terms = [
        walker.evaluate(child) for decorator in decorators for child in decorator.named_children[:1]
    ]
    define = _class if definition.type == "class_definition" else _function
    define(walker, definition, tuple(terms), node)


def _function(
    walker: PythonWalker,
    node: Node,
    decorators: tuple[Term, ...] = (),
    whole: Node | None = None,
) -> None:
    flags = flags_of(_name(walker, node), decorators, is_async=node.children[0].type == "async")
    kind = "method" if walker.scope_kind == "class" else "function"
    index = _define(
        walker, node, kind, whole or node, body="function", flags=flags, decorators=decorators
    )
    listed = node.child_by_field_name("parameters")
    returns = node.child_by_field_name("return_type")
    walker.fill(
        index,
        params=params_of(walker, listed) if listed else (),
        returns=declared_result(walker, returns) if returns else None,
    )
    _body(walker, node, index)


def _class(
    walker: PythonWalker,
    node: Node,
    decorators: tuple[Term, ...] = (),
    whole: Node | None = None,
) -> None:
    flags = ("private",) if _name(walker, node).startswith("_") else ()
    listed = node.child_by_field_name("superclasses")
    bases = _bases(walker, listed) if listed else ()
    index = _define(
        walker, node, "class", whole or node, body="class", flags=flags, bases=bases,
        decorators=decorators,
    )  # fmt: skip
    _body(walker, node, index)


def _name(walker: PythonWalker, node: Node) -> str:
    named = node.child_by_field_name("name")
    return walker.name(named) if named is not None else ""


def _define(
    walker: PythonWalker, node: Node, kind: str, whole: Node, **options: Unpack[DefinitionOptions]
) -> int:
    """Define a function or class and bind its name; return its index."""
    body = node.child_by_field_name("body")
    options["header"] = header_end(body) if body is not None else None
    options["doc"] = _docstring(walker, body)
    options["named"] = node
    index = walker.define(kind, _name(walker, node), whole, **options)
    walker.emit("define", index)
    return index


def _body(walker: PythonWalker, node: Node, index: int) -> None:
    if (body := node.child_by_field_name("body")) is not None:
        with walker.in_scope(walker.body(index)):
            _block(walker, body)


def _bases(walker: PythonWalker, node: Node) -> tuple[Term, ...]:
    bases = []
    for child in node.named_children:
        if child.type == "keyword_argument":
            walker.run(child.named_children[-1])
        elif child.type not in ("comment", "dictionary_splat"):
            bases.append(walker.evaluate(child))
    return tuple(bases)


def _assignment(walker: PythonWalker, node: Node) -> None:
    """`a = b = c` binds c to each, whatever their number; most are as plain as `a = b`."""
    parts = node.named_children
    if len(parts) == 2 and parts[1].type not in ("type", "assignment"):
        term = walker.evaluate(parts[1])
        _variables(walker, parts[0], node)
        _bind(walker, target_of(walker, parts[0]), term, term)
        _drop_unread(walker)
        return
    targets = []
    value: Node | None = node
    while value is not None and value.type == "assignment":
        targets.append(value.named_children[0])
        _declared(walker, value)
        value = value.child_by_field_name("right")
    term = walker.evaluate(value)
    for position, target in enumerate(targets):
        _variables(walker, target, node)
        if value is not None:
            # Its calls must not count twice.
            bound = term if position == 0 or term is None else ("seen", term)
            _bind(walker, target_of(walker, target), bound, term)
    if len(targets) == 1 and value is not None:
        _drop_unread(walker)


def _bind(walker: PythonWalker, target: Term, bound: Term, value: Term) -> None:
    walker.emit("bind", target, bound)
    if value is not None and value[0] in ("name", "def") and target and target[0] == "name":
        key = (walker.scope, target[1])
        walker.aliases[key] = None if key in walker.aliases else value


def _drop_unread(walker: PythonWalker) -> None:
    """Take back what was bound to the same name just before, in the same block: nobody read it."""
    statements = walker.builder.statements[walker.scope]
    last, walker.last_bind = walker.last_bind, (walker.scope, walker.block, len(statements))
    if last != (walker.scope, walker.block, len(statements) - 1):
        return
    (tag, target, value), (_, other, new) = statements[-2:]
    if tag == "bind" and target == other and target[0] == "name" and is_plain(new, target[1]):
        statements[-2] = ("do", value)


def _declared(walker: PythonWalker, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is not None:
        target = target_of(walker, node.named_children[0])
        walker.emit("declare", target, type_of(walker, kind))


def _variables(walker: PythonWalker, target: Node, node: Node) -> None:
    """Define what is bound or declared in a module or class for the first time."""
    if walker.scope_kind not in ("module", "class"):
        return
    if target.type == "identifier":
        name = walker.name(target)
        if walker.builder.is_first(walker.scope, name):
            walker.define("variable", name, node, flags=("constant",) if name.isupper() else ())
    elif target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
        for child in target.named_children:
            _variables(walker, child, node)


def _augmented(walker: PythonWalker, node: Node) -> None:
    target, *_, value = node.named_children
    walker.emit("bind", target_of(walker, target), walker.evaluate(value))


def _alias(walker: PythonWalker, node: Node) -> None:
    left, *_, right = node.named_children
    while left.type in ("type", "generic_type") and left.named_child_count:
        left = left.named_children[0]
    if left.type == "identifier":
        _variables(walker, left, node)
        walker.emit("bind", name_term(walker, left), type_of(walker, right))


def _scoped(walker: PythonWalker, node: Node) -> None:
    names = tuple([walker.name(child) for child in node.named_children])
    walker.emit(node.type.partition("_")[0], names)


def _return(walker: PythonWalker, node: Node) -> None:
    for child in without_comments(node):
        walker.emit("return", walker.evaluate(child))


def _for(walker: PythonWalker, node: Node) -> None:
    target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
    if target is None or value is None:
        walker.run_children(node)
        return
    _variables(walker, target, target)
    element = ("iter", walker.evaluate(value), walker.site(value))
    walker.emit("bind", target_of(walker, target), element)
    walker.run_all(node.named_children[2:])


def _with_item(walker: PythonWalker, node: Node) -> None:
    child = node.named_children[0]
    site = walker.site(child)
    if child.type != "as_pattern":
        walker.emit("do", ("enter", walker.evaluate(child), site))
        return
    value, target = _as_pattern(child)
    _variables(walker, target, target)
    entered = ("enter", walker.evaluate(value), site)
    walker.emit("bind", target_of(walker, target), entered)


def _except(walker: PythonWalker, node: Node) -> None:
    for child in node.named_children:
        if child.type == "as_pattern":
            kind, target = _as_pattern(child)
            caught = walker.evaluate(kind)
            if caught is not None and caught[0] == "tuple":
                caught = ("either", caught[1])
            walker.emit("bind", name_term(walker, target), ("typed", caught))
        else:
            walker.run(child)


def _as_pattern(node: Node) -> tuple[Node, Node]:
    """Return value and target of `value as target`."""
    value, *_, alias = node.named_children
    return value, alias.named_children[0] if alias.named_child_count else alias


_SILENT = """
    comment pass_statement break_statement continue_statement future_import_statement
""".split()

STATEMENTS: Statements = {
    "decorated_definition": _decorated,
    "function_definition": _function,
    "class_definition": _class,
    "assignment": _assignment,
    "augmented_assignment": _augmented,
    "type_alias_statement": _alias,
    "import_statement": _import_modules,
    "import_from_statement": _import_from,
    **dict.fromkeys(("global_statement", "nonlocal_statement"), _scoped),
    "return_statement": _return,
    "for_statement": _for,
    "with_item": _with_item,
    **dict.fromkeys(("except_clause", "except_group_clause"), _except),
    "case_pattern": _pattern,
    **dict.fromkeys(_SILENT, nothing),
    **dict.fromkeys(("block", "module"), _block),
}
