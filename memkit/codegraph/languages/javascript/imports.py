"""ES module and CommonJS imports and exports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...facts import MODULE_SCOPE, Term
from .definitions import FUNCTIONS

if TYPE_CHECKING:
    from tree_sitter import Node

    from .walker import Walk


def import_statement(walk: Walk, node: Node, scope: int) -> None:
    """`import …`: each bound name is said apart."""
    clause = next((one for one in node.named_children if one.type.startswith("import_")), None)
    requires = clause is not None and clause.type == "import_require_clause"
    module = source_of(walk, clause if clause is not None and requires else node)
    if module is None:
        return
    if clause is None:
        walk.add(scope, ("import", "", module, None, 0, walk.builder.site(node)))
        return
    for child in clause.named_children:
        if child.type == "identifier":
            taken = None if requires else "default"
            _bring(walk, child, walk.text(child), module, taken, scope)
        elif child.type == "namespace_import":
            _bring(walk, child, walk.text(child.named_children[-1]), module, None, scope)
        elif child.type == "named_imports":
            _bring_named(walk, child, module, scope)


def _bring_named(walk: Walk, clause: Node, module: str, scope: int) -> None:
    for one in clause.named_children:
        name = _specified(walk, one, "name")
        if name:
            _bring(walk, one, _specified(walk, one, "alias") or name, module, name, scope)


def export_statement(walk: Walk, node: Node, scope: int) -> None:
    """`export …`: of a declaration, of names, or of what another module exports."""
    module = source_of(walk, node)
    declaration = node.child_by_field_name("declaration")
    if declaration is not None:
        _export_declaration(walk, node, declaration, scope)
        return
    value = node.child_by_field_name("value")
    if value is not None:
        _export_value(walk, value, scope, "default")
        return
    for child in node.children:
        kind = child.type
        if kind == "export_clause":
            _export_names(walk, child, module, scope)
        elif kind == "namespace_export":
            name = _unquoted(walk.text(child.named_children[-1]))
            _say(walk, child, scope, name, "*", module)
        elif kind == "*" and module is not None:
            _say(walk, child, scope, "*", "", module)
        elif kind == "=" and (last := node.named_children):
            _export_value(walk, last[-1], scope, "=")


def require(walk: Walk, node: Node) -> str | None:
    """Return the module of `require("…")` or `import("…")`, None for any other call."""
    function = node.child_by_field_name("function")
    arguments = node.child_by_field_name("arguments")
    if function is None or arguments is None or arguments.named_child_count < 1:
        return None
    if function.type != "import" and walk.text(function) != "require":
        return None
    first = arguments.named_children[0]
    return walk.text(first)[1:-1] if first.type in ("string", "template_string") else None


def required(walk: Walk, node: Node, scope: int) -> Term:
    """Return what `require("…")` gives where it is not bound to a name at once."""
    module = require(walk, node)
    if module is None:
        return None
    name = f"<{module}>"
    walk.declare(scope, name)
    walk.add(scope, ("import", name, module, None, 0, walk.builder.site(node)))
    return ("name", name)


def bind_required(walk: Walk, target: Node, module: str, host: int) -> bool:
    """Import what `const x = require(…)` or `const {a, b: c} = require(…)` names.

    False for a pattern that is more than names.
    """
    if target.type == "identifier":
        _bring(walk, target, walk.text(target), module, None, host)
        return True
    if target.type != "object_pattern":
        return False
    found = []
    for child in target.named_children:
        local = child.child_by_field_name("value") if child.type == "pair_pattern" else child
        key = child.child_by_field_name("key") if child.type == "pair_pattern" else child
        if local is None or key is None or key.type == "computed_property_name":
            return False
        if local.type not in ("identifier", "shorthand_property_identifier_pattern"):
            return False
        found.append((child, walk.text(local), _unquoted(walk.text(key))))
    for child, name, taken in found:
        _bring(walk, child, name, module, taken, host)
    return True


def import_alias(walk: Walk, node: Node, scope: int) -> None:
    """`import X = N.Y` (TypeScript): another name for a member of a namespace."""
    inner = node.named_children
    if len(inner) < 2:
        return
    name = walk.text(inner[0])
    walk.bind(scope, name, walk.term(inner[1], scope))
    if walk.exported is not None:
        _say(walk, node, scope, name, name, None)


def source_of(walk: Walk, node: Node) -> str | None:
    """Return the module that a statement names, None if it names none."""
    source = node.child_by_field_name("source")
    return None if source is None else walk.text(source)[1:-1]


def export_name(walk: Walk, name: str, node: Node, scope: int) -> None:
    """Say that a declared name is exported, if the declaration at hand is."""
    if walk.exported is not None:
        default = any(child.type == "default" for child in walk.exported.children)
        _say(walk, node, scope, "default" if default else name, name, None)


def _export_declaration(walk: Walk, node: Node, declaration: Node, scope: int) -> None:
    before, walk.exported = walk.exported, node
    walk.statement(declaration, scope)
    walk.exported = before


def _export_value(walk: Walk, value: Node, scope: int, name: str) -> None:
    """`export default …` and `export = …`: of an expression."""
    if value.type == "identifier":
        local = walk.text(value)
    else:
        local = "default"
        term = _named_default(walk, value, scope) or walk.term(value, scope)
        walk.bind(scope, local, term)
    for outside in ("=", "default") if name == "=" else ("default",):
        _say(walk, value, scope, outside, local, None)


def _named_default(walk: Walk, value: Node, scope: int) -> Term:
    """Return the term of a function or class without a name of its own, which is called default."""
    if value.child_by_field_name("name") is not None:
        return None
    if value.type == "class":
        return ("def", walk.parts.define_class(walk, value, scope, "default", None))
    if value.type in FUNCTIONS:
        return ("def", walk.parts.define_in_place(walk, value, scope))
    return None


def _export_names(walk: Walk, clause: Node, module: str | None, scope: int) -> None:
    for one in clause.named_children:
        name = _specified(walk, one, "name")
        if name:
            _say(walk, one, scope, _specified(walk, one, "alias") or name, name, module)


def _specified(walk: Walk, node: Node, field: str) -> str:
    child = node.child_by_field_name(field)
    return "" if child is None else _unquoted(walk.text(child))


def _bring(walk: Walk, node: Node, local: str, module: str, name: str | None, scope: int) -> None:
    walk.declare(scope, local)
    walk.add(scope, ("import", local, module, name, 0, walk.builder.site(node)))


def _say(walk: Walk, node: Node, scope: int, name: str, local: str, module: str | None) -> None:
    """Add an export; inside of a namespace everything is a member anyway."""
    if scope == MODULE_SCOPE:
        walk.add(scope, ("export", name, local, module, walk.builder.site(node)))


def _unquoted(text: str) -> str:
    return text[1:-1] if text[:1] in ("'", '"') else text
