"""Rust's `use` trees and the first parts of its paths.

A path is followed part by part from a module that an import binds: `use crate::a::b as c` binds
`c` to member `b` of member `a` of the crate. The module names that imports carry are for the
linker: `crate`, `super`, the name of a crate, `mod:x` for the file that `mod x;` takes in.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ..facts import MODULE_SCOPE, Term
from .rust_types import RustWalker, Use
from .walking import fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker


def use(w: W, node: Node) -> None:
    """Note what a `use` names; it is written when all names of the file are known."""
    argument = node.child_by_field_name("argument")
    if argument is None:
        return
    for parts, local, byte in _leaves(w, argument, ()):
        w.uses.append(Use(w.at, tuple(w.modules), parts, local, byte))
        w.bound.add((w.at, local))


def _leaves(
    w: W, node: Node, before: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Yield path, local name and place of each name in a tree of paths."""
    kind, found = node.type, fields(node)
    if kind in ("use_list", "scoped_use_list"):
        path = before + _parts(w, found.get("path"))
        listed = found.get("list", node)
        for child in listed.named_children if kind == "use_list" or "list" in found else ():
            yield from _leaves(w, child, path)
    elif kind == "use_wildcard":
        inner = node.named_children[0] if node.named_child_count else None
        yield before + _parts(w, inner), "*", node.start_byte
    elif not kind.endswith("comment"):
        path = before + _parts(w, found.get("path") if kind == "use_as_clause" else node)
        if path[-1:] == ("self",) and len(path) > 1:
            path = path[:-1]
        if path:
            local = w.name(found["alias"]) if "alias" in found else path[-1]
            yield path, "" if local == "_" else local, node.start_byte


def _parts(w: W, node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(part.strip() for part in w.text(node).split("::") if part.strip())


def extern_crate(w: W, node: Node) -> None:
    """`extern crate a as b`."""
    found = fields(node)
    if "name" in found:
        name = w.name(found["name"])
        local = w.name(found["alias"]) if "alias" in found else name
        w.bound.add((w.at, local))
        w.hoist("import", "" if local == "_" else local, name, None, 0, w.site(found["name"]))


def write_uses(w: W, root: Node) -> None:
    """Walk the file, then say what its paths and `use` declarations mean."""
    w.walk_all(root)
    names = {name for _, name in w.bound}
    rooted: dict[str, int] = {}
    for one in w.uses:
        if one.parts:
            _write(w, one, rooted)
    for name, byte in w.roots.items():
        if name == "crate" or name.startswith("super"):
            rooted.setdefault(name, byte)
        elif name not in names and name[:1].islower():
            w.at = MODULE_SCOPE
            w.hoist("import", name, name, None, 0, w.site_at(byte))
    w.at = MODULE_SCOPE
    for name, byte in rooted.items():
        w.hoist("import", f"<{name}>", name, None, 0, w.site_at(byte))


def _write(w: W, one: Use, rooted: dict[str, int]) -> None:
    """Say what one name of a `use` means, from the scope in which it stands."""
    w.at = one.scope
    parts = list(one.parts)
    term = _inside(w, one, parts)
    if not parts and term is None:
        return
    if term is None:
        first = parts.pop(0)
        while first.startswith("super") and parts and parts[0] == "super":
            first = f"{first}.{parts.pop(0)}"
        rooted.setdefault(first, one.byte)
        term = ("name", f"<{first}>")
        module = ".".join([first, *parts])
        taken = "*" if one.local == "*" else None
        w.hoist("import", "", module, taken, 0 if taken else 1, w.site_at(one.byte))
    elif one.local == "*" and len(one.modules) == 1:
        module = ".".join(["self", *(part for part in one.parts if part != "self")])
        w.hoist("import", "", module, "*", 0, w.site_at(one.byte))
    for part in parts:
        term = ("attr", term, part)
    if one.local == "*":
        _members(w, term, one)
    elif one.local:
        w.hoist("bind", ("name", one.local), term)


def _inside(w: W, one: Use, parts: list[str]) -> Term:
    """Return the term of the first name of a path that lies in this file, and take it off."""
    modules = list(one.modules)
    is_inside = parts[0] == "self"
    while parts and (parts[0] == "self" or (parts[0] == "super" and len(modules) > 1)):
        if parts.pop(0) == "super":
            modules.pop()
            is_inside = True
    if parts and is_inside and parts[0] != "super":
        return ("in", modules[-1], ("name", parts.pop(0)))
    is_path = len(parts) > 1 or (parts and one.local == "*")
    if is_path and not is_inside and (modules[-1], parts[0]) in w.bound:
        return ("name", parts.pop(0))
    return None


def _members(w: W, term: Term, one: Use) -> None:
    """Bind what `use Enum::*` takes from an enum or a module of the same file."""
    for module in one.modules:
        place = (module, one.parts[-1])
        inside = w.inner.get(place, -1)
        names = w.members.get(place, []) + [name for scope, name in w.bound if scope == inside]
        for name in sorted(names):
            w.hoist("bind", ("name", name), ("attr", term, name))
