"""JavaScript: ES module and CommonJS imports and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Term
from .definitions import FUNCTIONS, define_class, define_in_place

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import JavaScriptWalker


def import_statement(walker: JavaScriptWalker, node: Node) -> None:
    """`import …`: each bound name by itself."""
    clause = next(
        (child for child in node.named_children if child.type.startswith("import_")), None
    )
    requires = clause is not None and clause.type == "import_require_clause"
    module = source_of(walker, clause if clause is not None and requires else node)
    if module is None:
        return
    if clause is None:
        walker.emit("import", "", module, None, 0, walker.site(node))
        return
    for child in clause.named_children:
        if child.type == "identifier":
            name = None if requires else "default"
            _bring(walker, child, walker.name(child), module, name)
        elif child.type == "namespace_import":
            _bring(walker, child, walker.name(child.named_children[-1]), module, None)
        elif child.type == "named_imports":
            _bring_named(walker, child, module)


def _bring_named(walker: JavaScriptWalker, clause: Node, module: str) -> None:
    for specifier in clause.named_children:
        if name := _specified(walker, specifier, "name"):
            local = _specified(walker, specifier, "alias") or name
            _bring(walker, specifier, local, module, name)


def export_statement(walker: JavaScriptWalker, node: Node) -> None:
    """`export …`: of a declaration, of names, or of what another module exports."""
    module = source_of(walker, node)
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        _export_declaration(walker, node, declaration)
        return
    value = node.child_by_field_name("value")
    if value is not None:
        _export_value(walker, value, "default")
        return
    for child in node.children:
        kind = child.type
        if kind == "export_clause":
            _export_names(walker, child, module)
        elif kind == "namespace_export":
            name = _unquoted(walker.name(child.named_children[-1]))
            _export(walker, child, name, "*", module)
        elif kind == "*" and module is not None:
            _export(walker, child, "*", "", module)
        elif kind == "=" and (last := node.named_children):
            _export_value(walker, last[-1], "=")


def require(walker: JavaScriptWalker, node: Node) -> str | None:
    """Return the module of `require("…")` or `import("…")`, None for any other call."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count < 1:
        return None
    if function.type != "import" and walker.name(function) != "require":
        return None
    first = arguments.named_children[0]
    return walker.name(first)[1:-1] if first.type in ("string", "template_string") else None


def required(walker: JavaScriptWalker, node: Node) -> Term:
    """Return what `require("…")` gives where it is not bound to a name at once."""
    module = require(walker, node)
    if module is None:
        return None
    name = f"<{module}>"
    walker.declare_name(name)
    walker.emit("import", name, module, None, 0, walker.site(node))
    return ("name", name)


def bind_required(walker: JavaScriptWalker, target: Node, module: str, host: int) -> bool:
    """Import what `const x = require(…)` or `const {a, b: c} = require(…)` names.

    False for a pattern that is more than names.
    """
    bindings: list[tuple[Node, str, str | None]] = [(target, walker.name(target), None)]
    if target.type == "object_pattern":
        bindings = []
        for child in target.named_children:
            local = child.child_by_field_name("value") if child.type == "pair_pattern" else child
            key = child.child_by_field_name("key") if child.type == "pair_pattern" else child
            if local is None or key is None or key.type == "computed_property_name":
                return False
            if local.type not in ("identifier", "shorthand_property_identifier_pattern"):
                return False
            bindings.append((child, walker.name(local), _unquoted(walker.name(key))))
    elif target.type != "identifier":
        return False
    with walker.in_scope(host):
        for child, name, member in bindings:
            _bring(walker, child, name, module, member)
    return True


def import_alias(walker: JavaScriptWalker, node: Node) -> None:
    """`import X = N.Y` (TypeScript): another name for a member of a namespace."""
    inner = node.named_children
    if len(inner) < 2:
        return
    name = walker.name(inner[0])
    walker.bind_name(name, walker.evaluate(inner[1]))
    if walker.exported is not None:
        _export(walker, node, name, name, None)


def source_of(walker: JavaScriptWalker, node: Node) -> str | None:
    """Return the module that a statement names, None if it names none."""
    source = node.child_by_field_name("source")
    return None if source is None else walker.name(source)[1:-1]


def export_name(walker: JavaScriptWalker, name: str, node: Node) -> None:
    """Export a declared name, if the declaration at hand is exported."""
    if walker.exported is not None:
        default = any(child.type == "default" for child in walker.exported.children)
        _export(walker, node, "default" if default else name, name, None)


def _export_declaration(walker: JavaScriptWalker, node: Node, declaration: Node) -> None:
    with walker.having(exported=node):
        walker.run(declaration)


def _export_value(walker: JavaScriptWalker, value: Node, name: str) -> None:
    """`export default …` and `export = …`: of an expression."""
    if value.type == "identifier":
        local = walker.name(value)
    else:
        local = "default"
        walker.bind_name(local, _named_default(walker, value) or walker.evaluate(value))
    for outside in ("=", "default") if name == "=" else ("default",):
        _export(walker, value, outside, local, None)


def _named_default(walker: JavaScriptWalker, value: Node) -> Term:
    """Return the term of a function or class without a name of its own, which is called default."""
    if value.child_by_field_name("name") is not None:
        return None
    if value.type == "class":
        return ("def", define_class(walker, value, "default", None))
    return ("def", define_in_place(walker, value)) if value.type in FUNCTIONS else None


def _export_names(walker: JavaScriptWalker, clause: Node, module: str | None) -> None:
    for specifier in clause.named_children:
        if name := _specified(walker, specifier, "name"):
            exported = _specified(walker, specifier, "alias") or name
            _export(walker, specifier, exported, name, module)


def _specified(walker: JavaScriptWalker, node: Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else _unquoted(walker.name(child))


def _bring(walker: JavaScriptWalker, node: Node, local: str, module: str, name: str | None) -> None:
    walker.declare_name(local)
    walker.emit("import", local, module, name, 0, walker.site(node))


def _export(
    walker: JavaScriptWalker, node: Node, name: str, local: str, module: str | None
) -> None:
    """Add an export; inside of a namespace everything is a member anyway."""
    if walker.scope == MODULE_SCOPE:
        walker.emit("export", name, local, module, walker.site(node))


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') else text
