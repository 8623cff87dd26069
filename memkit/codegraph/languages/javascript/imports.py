"""ES module and CommonJS imports and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Term
from .definitions import FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


def import_statement(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`import …`: each bound name is said apart."""
    clause = next(
        (child for child in node.named_children if child.type.startswith("import_")), None
    )
    requires = clause is not None and clause.type == "import_require_clause"
    module = source_of(walker, clause if clause is not None and requires else node)
    if module is None:
        return
    if clause is None:
        walker.add(scope, ("import", "", module, None, 0, walker.builder.site(node)))
        return
    for child in clause.named_children:
        if child.type == "identifier":
            taken = None if requires else "default"
            _bring(walker, child, walker.text(child), module, taken, scope)
        elif child.type == "namespace_import":
            _bring(walker, child, walker.text(child.named_children[-1]), module, None, scope)
        elif child.type == "named_imports":
            _bring_named(walker, child, module, scope)


def _bring_named(walker: JavaScriptWalker, clause: Node, module: str, scope: int) -> None:
    for specifier in clause.named_children:
        name = _specified(walker, specifier, "name")
        if name:
            _bring(
                walker,
                specifier,
                _specified(walker, specifier, "alias") or name,
                module,
                name,
                scope,
            )


def export_statement(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`export …`: of a declaration, of names, or of what another module exports."""
    module = source_of(walker, node)
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        _export_declaration(walker, node, declaration, scope)
        return
    value = node.child_by_field_name("value")
    if value is not None:
        _export_value(walker, value, scope, "default")
        return
    for child in node.children:
        kind = child.type
        if kind == "export_clause":
            _export_names(walker, child, module, scope)
        elif kind == "namespace_export":
            name = _unquoted(walker.text(child.named_children[-1]))
            _say(walker, child, scope, name, "*", module)
        elif kind == "*" and module is not None:
            _say(walker, child, scope, "*", "", module)
        elif kind == "=" and (last := node.named_children):
            _export_value(walker, last[-1], scope, "=")


def require(walker: JavaScriptWalker, node: Node) -> str | None:
    """Return the module of `require("…")` or `import("…")`, None for any other call."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count < 1:
        return None
    if function.type != "import" and walker.text(function) != "require":
        return None
    first = arguments.named_children[0]
    return walker.text(first)[1:-1] if first.type in ("string", "template_string") else None


def required(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """Return what `require("…")` gives where it is not bound to a name at once."""
    module = require(walker, node)
    if module is None:
        return None
    name = f"<{module}>"
    walker.declare(scope, name)
    walker.add(scope, ("import", name, module, None, 0, walker.builder.site(node)))
    return ("name", name)


def bind_required(walker: JavaScriptWalker, target: Node, module: str, host: int) -> bool:
    """Import what `const x = require(…)` or `const {a, b: c} = require(…)` names.

    False for a pattern that is more than names.
    """
    if target.type == "identifier":
        _bring(walker, target, walker.text(target), module, None, host)
        return True
    if target.type != "object_pattern":
        return False
    bindings = []
    for child in target.named_children:
        local = child.child_by_field_name("value") if child.type == "pair_pattern" else child
        key = child.child_by_field_name("key") if child.type == "pair_pattern" else child
        if local is None or key is None or key.type == "computed_property_name":
            return False
        if local.type not in ("identifier", "shorthand_property_identifier_pattern"):
            return False
        bindings.append((child, walker.text(local), _unquoted(walker.text(key))))
    for child, name, taken in bindings:
        _bring(walker, child, name, module, taken, host)
    return True


def import_alias(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """`import X = N.Y` (TypeScript): another name for a member of a namespace."""
    inner = node.named_children
    if len(inner) < 2:
        return
    name = walker.text(inner[0])
    walker.bind(scope, name, walker.term(inner[1], scope))
    if walker.exported is not None:
        _say(walker, node, scope, name, name, None)


def source_of(walker: JavaScriptWalker, node: Node) -> str | None:
    """Return the module that a statement names, None if it names none."""
    source = node.child_by_field_name("source")
    return None if source is None else walker.text(source)[1:-1]


def export_name(walker: JavaScriptWalker, name: str, node: Node, scope: int) -> None:
    """Say that a declared name is exported, if the declaration at hand is."""
    if walker.exported is not None:
        default = any(child.type == "default" for child in walker.exported.children)
        _say(walker, node, scope, "default" if default else name, name, None)


def _export_declaration(
    walker: JavaScriptWalker, node: Node, declaration: Node, scope: int
) -> None:
    before, walker.exported = walker.exported, node
    walker.statement(declaration, scope)
    walker.exported = before


def _export_value(walker: JavaScriptWalker, value: Node, scope: int, name: str) -> None:
    """`export default …` and `export = …`: of an expression."""
    if value.type == "identifier":
        local = walker.text(value)
    else:
        local = "default"
        term = _named_default(walker, value, scope) or walker.term(value, scope)
        walker.bind(scope, local, term)
    for outside in ("=", "default") if name == "=" else ("default",):
        _say(walker, value, scope, outside, local, None)


def _named_default(walker: JavaScriptWalker, value: Node, scope: int) -> Term:
    """Return the term of a function or class without a name of its own, which is called default."""
    if value.child_by_field_name("name") is not None:
        return None
    if value.type == "class":
        return ("def", walker.parts.define_class(walker, value, scope, "default", None))
    if value.type in FUNCTIONS:
        return ("def", walker.parts.define_in_place(walker, value, scope))
    return None


def _export_names(walker: JavaScriptWalker, clause: Node, module: str | None, scope: int) -> None:
    for specifier in clause.named_children:
        name = _specified(walker, specifier, "name")
        if name:
            _say(
                walker,
                specifier,
                scope,
                _specified(walker, specifier, "alias") or name,
                name,
                module,
            )


def _specified(walker: JavaScriptWalker, node: Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else _unquoted(walker.text(child))


def _bring(
    walker: JavaScriptWalker, node: Node, local: str, module: str, name: str | None, scope: int
) -> None:
    walker.declare(scope, local)
    walker.add(scope, ("import", local, module, name, 0, walker.builder.site(node)))


def _say(
    walker: JavaScriptWalker, node: Node, scope: int, name: str, local: str, module: str | None
) -> None:
    """Add an export; inside of a namespace everything is a member anyway."""
    if scope == MODULE_SCOPE:
        walker.add(scope, ("export", name, local, module, walker.builder.site(node)))


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') else text
