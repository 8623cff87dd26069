"""PHP: statements: loops, caught exceptions, typed variables, included files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import Term
from ..walker import Statements, bind_typed, first_child, nothing, reusable, without_comments
from .checks import STATEMENTS as CHECKS
from .classes import STATEMENTS as CLASSES
from .expressions import ASSIGNMENTS, bind_to
from .functions import doc_of, element_of, function
from .names import PhpWalker, namespace, use
from .type_terms import type_in

if TYPE_CHECKING:
    from tree_sitter import Node


def _with_comment(walker: PhpWalker, node: Node) -> None:
    """A statement above which the variables in it may be documented."""
    comment = walker.take_comment()
    if "@var" in comment:
        _documented(walker, node, comment)
    walker.run_children(node)


def _documented(walker: PhpWalker, node: Node, comment: str) -> None:
    doc = doc_of(walker, comment)
    for name, kind in doc.variables.items():
        if name and name != "$this":
            walker.declare(("name", name), kind)
        elif not name and (target := _target(node)) is not None:
            walker.declare(("name", walker.name(target)), kind)


def _target(node: Node) -> Node | None:
    """Return the variable that a statement assigns to."""
    first = first_child(node)
    target = first.child_by_field_name("left") if first is not None else None
    return target if target is not None and target.type == "variable_name" else None


def _foreach(walker: PhpWalker, node: Node) -> None:
    """`foreach (x as $k => $v)`: the values of x, whatever their keys."""
    comment, body = walker.take_comment(), node.child_by_field_name("body")
    parts = [child for child in without_comments(node) if child != body]
    if len(parts) > 1:
        over = reusable(walker, walker.evaluate(parts[0]), parts[0])
        target, value = parts[1], element_of(over, walker.site(parts[0]))
        if target.type == "pair":
            key, *rest = without_comments(target)
            bind_to(walker, key, ("const", "scalar", None))
            target = rest[-1] if rest else key
        bind_to(walker, target, value)
    if "@var" in comment:
        _documented(walker, node, comment)
    walker.run_field(node, "body")


def _catch(walker: PhpWalker, node: Node) -> None:
    """`catch (A | B $e)`: a variable of one of these types."""
    kind: Term = type_in(walker, node)
    if (named := node.child_by_field_name("name")) is not None:
        walker.known.pop(walker.name(named), None)
        bind_typed(walker, named, kind)
    else:
        walker.discard(kind)
    walker.run_field(node, "body")


def _return(walker: PhpWalker, node: Node) -> None:
    comment = walker.take_comment()
    value: Term = None
    is_own = False
    for child in without_comments(node):
        value = walker.evaluate(child)
        is_own = value == ("self",) or _is_new_static(walker, child)
    walker.results.setdefault(walker.scope, []).append(is_own)
    kind = doc_of(walker, comment).variables.get("") if "@var" in comment else None
    if kind is not None:
        walker.discard(value)
        value = ("typed", kind)
    walker.emit_return(value)


def _is_new_static(walker: PhpWalker, node: Node) -> bool:
    """Return whether an expression is `new static`."""
    named = first_child(node) if node.type == "object_creation_expression" else None
    return named is not None and walker.name(named) == "static"


def _global(walker: PhpWalker, node: Node) -> None:
    """`global $a, $b;`: variables of the file."""
    names = [child for child in node.named_children if child.type == "variable_name"]
    walker.emit("global", tuple(walker.name(child) for child in names))


def _static(walker: PhpWalker, node: Node) -> None:
    """`static $a = x;`."""
    for child in node.named_children:
        named = child.child_by_field_name("name")
        if child.type == "static_variable_declaration" and named is not None:
            value = walker.evaluate_field(child, "value")
            walker.bind(("name", walker.name(named)), value)


def _include(walker: PhpWalker, node: Node) -> None:
    """`require __DIR__ . '/a.php';`: a file beside this one."""
    parts = without_comments(node)
    inner = parts[0] if parts else node
    while inner.type == "parenthesized_expression" and inner.named_child_count:
        inner = inner.named_children[0]
    path = _path_of(walker, inner)
    if path:
        walker.emit_in(0, "import", "", path, None, 1, walker.site(node))
    else:
        walker.run_children(node)


def _path_of(walker: PhpWalker, node: Node) -> str:
    """Return a path that is written relative to the file's folder, "" for any other."""
    if node.type in ("string", "encapsed_string"):
        text = walker.text(node)[1:-1]
        return text if text.isprintable() and "$" not in text and text[:1] != "/" else ""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if node.type != "binary_expression" or left is None or right is None:
        return ""
    base = "".join(walker.text(left).split())
    if base not in _FOLDERS or right.type not in ("string", "encapsed_string"):
        return ""
    text = walker.text(right)[1:-1]
    return f"{_FOLDERS[base]}{text}" if text[:1] == "/" and "$" not in text else ""


_FOLDERS = {
    "__DIR__": ".",
    "dirname(__FILE__)": ".",
    "dirname(__DIR__)": "./..",
    "dirname(__DIR__,2)": "./../..",
}
STATEMENTS: Statements = {
    **CHECKS,
    **CLASSES,
    **ASSIGNMENTS,
    "include_expression": _include,
    "include_once_expression": _include,
    "require_expression": _include,
    "require_once_expression": _include,
    "namespace_definition": namespace,
    "namespace_use_declaration": use,
    "function_definition": function,
    "expression_statement": _with_comment,
    "echo_statement": _with_comment,
    "foreach_statement": _foreach,
    "catch_clause": _catch,
    "return_statement": _return,
    "global_declaration": _global,
    "function_static_declaration": _static,
    "goto_statement": nothing,
    "named_label_statement": nothing,
    "break_statement": nothing,
    "continue_statement": nothing,
    "declare_directive": nothing,
}
