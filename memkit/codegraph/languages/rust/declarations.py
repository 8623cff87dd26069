"""Rust: its dialect, items, impl blocks, use trees, pre-pass over types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRules, words
from ...facts import MODULE_SCOPE, Facts, Term
from ..walker import (
    Statements,
    callable_of,
    children_of,
    fields,
    first_child,
    nothing,
    signature_end,
    union,
)
from . import expressions, statements
from .expressions import (
    LISTS,
    MACROS,
    MAPS,
    WRAPPERS,
    RustWalker,
    Use,
    bounds_of,
    type_in,
    type_of,
    written_types,
)
from .statements import function_body, parameters

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Pre-pass over types: the file's own, and the bounds that `impl` blocks put on their
# parameters, which a struct leaves open as a rule.

_TYPES = words("struct_item enum_item union_item trait_item")


def look_ahead(walker: RustWalker, root: Node) -> None:
    """Note the types that a file declares and what it asks of the parameters of each."""
    items = list(_items(root))
    named = [node.child_by_field_name("name") for node in items if node.type != "impl_item"]
    walker.own.update(walker.name(node) for node in named if node is not None)
    for node in items:
        if node.type == "impl_item":
            _note_impl_bounds(walker, node)


def _items(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        for node in pending.pop().named_children:
            if node.type == "mod_item":
                pending += node.children_by_field_name("body")
            elif node.type in _TYPES or node.type == "impl_item":
                yield node


def _note_impl_bounds(walker: RustWalker, node: Node) -> None:
    kind = node.child_by_field_name("type")
    if kind is None or kind.type != "generic_type":
        return
    bounds = bounds_of(walker, node)
    name, arguments = kind.named_children[0], kind.named_children[-1]
    args = [child for child in arguments.named_children if child.type != "lifetime"]
    for position, arg in enumerate(args):
        bound = bounds.get(walker.name(arg))
        if bound is not None:
            walker.impl_bounds.setdefault((walker.name(name), position), []).append(bound)


def _open_bounds(walker: RustWalker, name: str, node: Node) -> dict[str, Term]:
    """Return what is asked of the parameters of a type: by itself, or else by its `impl` blocks."""
    bounds = bounds_of(walker, node)
    for position, parameter in enumerate(bounds):
        if bounds[parameter] is None and (kinds := walker.impl_bounds.get((name, position))):
            bounds[parameter] = union(dict.fromkeys(kinds))
    return bounds


# --- Structs, enums, traits, constants and aliases.


def flags_of(walker: RustWalker, node: Node, *others: str) -> list[str]:
    exported = node.children[0].type == "visibility_modifier"
    flags = [*others, "exported"] if exported else list(others)
    is_of_trait = walker.owner is not None and walker.trait is not None
    return [*flags, "override"] if is_of_trait else flags


def _type(walker: RustWalker, node: Node) -> None:
    """A struct, union, enum or trait."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name, flag = walker.name(named), node.type.partition("_")[0]
    index = walker.define_hoisted(
        "class", name, node, body="class", named=named,
        header=signature_end(node, body),
        flags=flags_of(walker, node, "struct" if flag == "union" else flag),
        doc=walker.take_comment(),
    )  # fmt: skip
    walker.bound.add((walker.scope, name))
    written_types(walker, node, walker.body(index))
    with walker.having(bounds={**walker.bounds, **_open_bounds(walker, name, node)}):
        base = type_in(walker, node, "bounds")
        if base is not None:
            walker.fill(index, bases=base[1] if base[0] == "either" else (base,))
        with walker.having(me=("name", name), owner=None, trait=None):
            if body is not None and body.type == "ordered_field_declaration_list":
                _ordered(walker, body, walker.body(index))
            else:
                walker.run_definition(index, body)


def _ordered(walker: RustWalker, body: Node, scope: int) -> None:
    for position, kind in enumerate(_types_in(walker, body)):
        if kind is not None:
            walker.emit_in(scope, "declare", ("name", str(position)), kind)


def _types_in(walker: RustWalker, body: Node) -> list[Term]:
    """Return the types of fields without names, in their order."""
    return [type_of(walker, child) for child in body.children_by_field_name("type")]


def _field(walker: RustWalker, node: Node) -> None:
    if (named := node.child_by_field_name("name")) is not None:
        kind = type_in(walker, node)
        written_types(walker, node, walker.scope)
        walker.define_variable(
            walker.name(named), node, named=named, returns=kind, flags=flags_of(walker, node),
            doc=walker.take_comment(),
        )  # fmt: skip


def _variant(walker: RustWalker, node: Node) -> None:
    """A variant with values in brackets is called like a function that gives the enum."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name, kind = walker.name(named), walker.me
    outer = walker.builder.scopes[walker.scope].parent
    walker.members.setdefault((outer, kind[1] if kind else ""), []).append(name)
    walker.define(
        "variable", name, node, named=named, returns=kind, flags=("constant", "enum"),
        doc=walker.take_comment(),
    )  # fmt: skip
    _fields_of(walker, name, body)
    if body is not None and body.type == "ordered_field_declaration_list":
        kind = callable_of(kind)
    walker.emit("declare", ("name", name), kind)


def _fields_of(walker: RustWalker, variant: str, body: Node | None) -> None:
    """Fields of a variant are members of its enum, under the variant's name and theirs."""
    if body is None:
        return
    members = [(str(position), kind) for position, kind in enumerate(_types_in(walker, body))]
    for child in body.named_children:
        named = child.child_by_field_name("name")
        if child.type == "field_declaration" and named is not None:
            kind = type_in(walker, child)
            members.append((walker.name(named), kind))
    for name, kind in members:
        if kind is not None:
            walker.emit("declare", ("name", f"{variant}.{name}"), kind)


def _constant(walker: RustWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name, kind = walker.name(named), type_in(walker, node)
    written_types(walker, node, walker.scope)
    doc = walker.take_comment()
    flags = flags_of(walker, node, "constant" if node.type == "const_item" else "static")
    value = walker.evaluate_field(node, "value")
    if walker.owner is not None:
        walker.define(
            "variable", name, node, named=named, qualname=walker.member(name), returns=kind,
            flags=flags, owner=walker.owner, doc=doc,
        )  # fmt: skip
        cast = value if kind is None else ("cast", kind, value)
        walker.bind(("attr", walker.owner, name), cast)
        return
    if walker.scope_kind in ("module", "class"):
        walker.define_variable(name, node, named=named, returns=kind, flags=flags, doc=doc)
        walker.bound.add((walker.scope, name))
    elif kind is not None:
        walker.emit("declare", ("name", name), kind)
    if value is not None or kind is None:
        walker.bind(("name", name), value)


def _alias(walker: RustWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name, kind = walker.name(named), type_in(walker, node)
    written_types(walker, node, walker.scope)
    target: Term = ("name", name) if walker.owner is None else ("attr", walker.owner, name)
    walker.define(
        "class", name, node, named=named, qualname=walker.member(name),
        flags=flags_of(walker, node, "alias"), owner=walker.owner, doc=walker.take_comment(),
    )  # fmt: skip
    walker.bound.add((walker.scope, name))
    walker.hoist("bind", target, kind)


DECLARED: Statements = {
    "struct_item": _type,
    "union_item": _type,
    "enum_item": _type,
    "trait_item": _type,
    "field_declaration": _field,
    "enum_variant": _variant,
    "const_item": _constant,
    "static_item": _constant,
    "type_item": _alias,
    "associated_type": _alias,
}


# --- `use` trees and the first parts of paths.
#
# A path is followed part by part from a module that an import binds: `use crate::a::b as c` binds
# `c` to member `b` of member `a` of the crate. The module names that imports carry are for the
# module resolver: `crate`, `super`, the name of a crate, `mod:x` for the file that `mod x;` takes
# in.


def use(walker: RustWalker, node: Node) -> None:
    """Note what a `use` names; it is written when all names of the file are known."""
    argument = node.child_by_field_name("argument")
    if argument is None:
        return
    for parts, local, byte in _leaves(walker, argument, ()):
        walker.uses.append(Use(walker.scope, tuple(walker.modules), parts, local, byte))
        walker.bound.add((walker.scope, local))


def _leaves(
    walker: RustWalker, node: Node, before: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], str, int]]:
    """Yield path, local name and place of each name in a tree of paths."""
    kind, parts = node.type, fields(node)
    if kind in ("use_list", "scoped_use_list"):
        path = before + _parts(walker, parts.get("path"))
        listed = parts.get("list", node)
        for child in listed.named_children if kind == "use_list" or "list" in parts else ():
            yield from _leaves(walker, child, path)
    elif kind == "use_wildcard":
        yield before + _parts(walker, first_child(node)), "*", node.start_byte
    elif not kind.endswith("comment"):
        path = before + _parts(walker, parts.get("path") if kind == "use_as_clause" else node)
        if path[-1:] == ("self",) and len(path) > 1:
            path = path[:-1]
        if path:
            local = walker.name(parts["alias"]) if "alias" in parts else path[-1]
            yield path, "" if local == "_" else local, node.start_byte


def _parts(walker: RustWalker, node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(part.strip() for part in walker.text(node).split("::") if part.strip())


def extern_crate(walker: RustWalker, node: Node) -> None:
    """`extern crate a as b`."""
    named, alias = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if named is not None:
        name = walker.name(named)
        local = walker.name(alias) if alias is not None else name
        walker.bound.add((walker.scope, local))
        local = "" if local == "_" else local
        walker.hoist("import", local, name, None, 0, walker.site(named))


def write_uses(walker: RustWalker, root: Node) -> None:
    """Walk the file, then say what its paths and `use` declarations mean."""
    walker.run_tree(root)
    names = {name for _, name in walker.bound}
    rooted: dict[str, int] = {}
    for binding in walker.uses:
        if binding.parts:
            _write(walker, binding, rooted)
    for name, byte in walker.roots.items():
        if name == "crate" or name.startswith("super"):
            rooted.setdefault(name, byte)
        elif name not in names and name[:1].islower():
            walker.scope = MODULE_SCOPE
            walker.hoist("import", name, name, None, 0, walker.site_at(byte))
    walker.scope = MODULE_SCOPE
    for name, byte in rooted.items():
        walker.hoist("import", f"<{name}>", name, None, 0, walker.site_at(byte))


def _write(walker: RustWalker, binding: Use, rooted: dict[str, int]) -> None:
    """Say what one name of a `use` means, from the scope in which it stands."""
    walker.scope = binding.scope
    parts = list(binding.parts)
    term = _in_file(walker, binding, parts)
    if not parts and term is None:
        return
    if term is None:
        first = parts.pop(0)
        while first.startswith("super") and parts and parts[0] == "super":
            first = f"{first}.{parts.pop(0)}"
        rooted.setdefault(first, binding.byte)
        term = ("name", f"<{first}>")
        module = ".".join([first, *parts])
        name = "*" if binding.local == "*" else None
        walker.hoist("import", "", module, name, 0 if name else 1, walker.site_at(binding.byte))
    elif binding.local == "*" and len(binding.modules) == 1:
        module = ".".join(["self", *(part for part in binding.parts if part != "self")])
        walker.hoist("import", "", module, "*", 0, walker.site_at(binding.byte))
    site = walker.site_at(binding.byte) if parts else 0
    for part in parts:
        term = ("attr", term, part, site)
    if binding.local == "*":
        _members(walker, term, binding)
    elif binding.local:
        walker.hoist("bind", ("name", binding.local), term)


def _in_file(walker: RustWalker, binding: Use, parts: list[str]) -> Term:
    """Return the term of the first name of a path that lies in this file, and take it off."""
    modules = list(binding.modules)
    is_inside = parts[0] == "self"
    while parts and (parts[0] == "self" or (parts[0] == "super" and len(modules) > 1)):
        if parts.pop(0) == "super":
            modules.pop()
            is_inside = True
    if parts and is_inside and parts[0] != "super":
        return ("in", modules[-1], ("name", parts.pop(0)))
    is_path = len(parts) > 1 or (parts and binding.local == "*")
    if is_path and not is_inside and (modules[-1], parts[0]) in walker.bound:
        return ("name", parts.pop(0))
    return None


def _members(walker: RustWalker, term: Term, binding: Use) -> None:
    """Bind what `use Enum::*` takes from an enum or a module of the same file."""
    for module in binding.modules:
        key = (module, binding.parts[-1])
        module_scope = walker.inner.get(key, -1)
        names = walker.members.get(key, []) + [
            name for scope, name in walker.bound if scope == module_scope
        ]
        for name in sorted(names):
            walker.hoist("bind", ("name", name), ("attr", term, name))


# --- Dialect, modules, functions, `impl` blocks, macros.

DIALECT = Dialect(
    name="rust",
    extensions=(".rs",),
    family="rust",
    methods_outside_class=True,
    overrides_by_base=True,
    known_everywhere="macros",
    checks_arity=True,
    library=LibraryRules(
        mapping_types=MAPS | {"dict"},
        same_methods=LibraryRules().same_methods | {"collect"},
    ),
    receiver=True,
    bare_in_class=False,
    imports_class_members=True,
    literals_name_fields=True,
    quoted_character=True,
    spelling="NFC",
    holders=WRAPPERS | LISTS | MAPS,
    # Methods of the standard library's types and traits that code has in every corner.
    builtin_methods=words("""
        abs all and and_then any append args as_bytes as_deref as_mut as_ref as_slice as_str borrow
        borrow_mut bytes capacity chain chars checked_add clear clone cloned cmp collect concat
        contains contains_key copied count current_dir dedup default display drain drop ends_with
        entry enumerate eq err exists expect extend file_name filter filter_map find first flat_map
        flatten flush fmt fold for_each from from_str get get_mut get_or_insert_with hash insert
        into into_inner into_iter is_dir is_empty is_err is_file is_none is_ok is_some iter
        iter_mut join keys kill last len lines load lock map map_err map_or max metadata min
        ne new next nth ok ok_or ok_or_else or or_else or_insert or_insert_with parent parse
        partial_cmp path peek pop position print push push_str read read_line read_to_string
        recv remove repeat replace resize rev send skip sort sort_by sort_by_key spawn split
        split_at split_whitespace starts_with status stdin stdout store sum swap take take_while
        then to_owned to_path_buf to_str to_string to_vec trim truncate try_from try_into unwrap
        unwrap_or unwrap_or_default unwrap_or_else update values wait with_capacity wrapping_add
        write write_all write_fmt write_str zip
    """),
    transparent=words("""
        as_deref as_deref_mut as_mut as_ref as_slice borrow borrow_mut by_ref chain clone cloned
        context copied expect filter get_or_insert_with into_boxed into_iter iter iter_mut lock
        map_err ok ok_or ok_or_else or or_else or_insert_with peekable read rev skip sorted take
        to_owned to_vec unwrap unwrap_or unwrap_or_default unwrap_or_else upgrade with_context write
    """),
    elements=words("""
        back entry find first front get get_mut last last_mut max_by_key min_by_key next nth peek
        pop pop_back pop_front remove
    """),
)

_WRITTEN_TEST = re.compile(rb"#\[\s*(?:\w+::)*test\b")


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Rust file says."""
    terms = {**expressions.EXPRESSIONS, **statements.EXPRESSIONS, **MACROS}
    walker = RustWalker(source, path, DIALECT, terms, {**statements.STATEMENTS, **_ITEMS})
    root = tree.root_node
    first = first_child(root)
    doc = walker.text(first) if first is not None and "comment" in first.type else ""
    doc = doc.lstrip("/!* ") if doc.startswith(("//!", "/*!")) else ""
    look_ahead(walker, root)
    write_uses(walker, root)
    return walker.finish(root, doc=doc)


def _module(walker: RustWalker, node: Node) -> None:
    """`mod x;` takes another file in, `mod x { … }` is one here."""
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name, flags = walker.name(named), flags_of(walker, node, "namespace")
    walker.bound.add((walker.scope, name))
    doc = walker.take_comment()
    if body is None:
        inner = "/".join(walker.module_names)
        written = _path_attribute(walker, node)
        module = "mod:" + (f"{inner}:{written}" if written else f"{inner}/{name}".strip("/"))
        walker.define("class", name, node, named=named, flags=flags, doc=doc)
        walker.hoist("import", name, module, None, 0, walker.site(named))
        return
    index = walker.define_hoisted(
        "class", name, node, body="class", named=named, header=body.start_byte, flags=flags,
        doc=doc,
    )  # fmt: skip
    scope = walker.inner[walker.scope, name] = walker.body(index)
    modules, names = [*walker.modules, scope], [*walker.module_names, name]
    with walker.having(modules=modules, module_names=names):
        walker.run_body(scope, body.named_children)


def _path_attribute(walker: RustWalker, node: Node) -> str:
    """Return the path of `#[path = "…"]` above a module."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        if written := re.match(r'#\[\s*path\s*=\s*"([^"]+)"', walker.text(before)):
            return written[1]
        before = before.prev_named_sibling
    return ""


def _function(walker: RustWalker, node: Node) -> None:
    named, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    if named is None:
        return
    name, doc = walker.name(named), walker.take_comment()
    with walker.having(bounds={**walker.bounds, **bounds_of(walker, node)}):
        listed = node.child_by_field_name("parameters")
        params = parameters(walker, listed)
        in_class = walker.scope_kind == "class" and walker.scope not in walker.modules
        is_method = walker.owner is not None or in_class
        flags = flags_of(walker, node)
        flags += ["static"] if is_method and not (params and params[0].name == "self") else []
        flags += ["abstract"] if body is None else []
        index = walker.define(
            "method" if is_method else "function", name, node, named=named, params=params,
            body="function" if body is not None else "", qualname=walker.member(name),
            header=signature_end(node, body),
            flags=(*flags, *_more_flags(walker, node)), owner=walker.owner, doc=doc,
            bases=(walker.trait,) if walker.owner is not None and walker.trait is not None else (),
            returns=type_in(walker, node, "return_type"),
        )  # fmt: skip
        written_types(walker, node, walker.body(index) if body is not None else walker.scope)
        if walker.owner is None:
            walker.hoist("define", index)
            walker.bound.add((walker.scope, name))
        if body is not None:
            with walker.having(owner=None, trait=None):
                function_body(walker, index, params, body, listed)


def _more_flags(walker: RustWalker, node: Node) -> list[str]:
    """Return what modifiers and attributes say of a function."""
    flags = ["test"] if _is_test(walker, node) else []
    modifiers = [child for child in node.children if child.type == "function_modifiers"]
    is_async = any("async" in walker.text(modifier) for modifier in modifiers)
    return [*flags, "async"] if is_async else flags


def _is_test(walker: RustWalker, node: Node) -> bool:
    start = node.start_byte
    line = walker.source.rfind(b"\n", 0, max(walker.source.rfind(b"\n", 0, start), 0)) + 1
    return bool(_WRITTEN_TEST.search(walker.source, line, start))


def _impl(walker: RustWalker, node: Node) -> None:
    with walker.having(bounds={**walker.bounds, **bounds_of(walker, node)}):
        # `impl<T: A> B for T`: whatever has A has B.
        kind = type_in(walker, node)
        if kind is not None and kind[0] == "item" and kind[1][-1] != "list":
            kind = kind[1]  # whatever it holds
        trait = type_in(walker, node, "trait")
        if kind is not None and trait is not None:
            walker.emit("mixin", kind, trait, walker.site(node))
        for part in (kind, trait):
            if part is not None:
                walker.emit("part", part, walker.site(node))
        written_types(walker, node, walker.scope)
        owner = kind or _written(walker, node.child_by_field_name("type")) or trait
        with walker.having(me=kind or trait, owner=owner, trait=trait):
            walker.run_all(children_of(node.child_by_field_name("body")))


def _written(walker: RustWalker, node: Node | None) -> Term:
    """Return the type around one that may be any: `Box<T>`."""
    if node is None or node.type != "generic_type" or not node.named_child_count:
        return None
    base = node.named_children[0]
    return ("name", walker.name(base.named_children[-1] if base.named_child_count else base))


def _macro(walker: RustWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = walker.name(named)
    index = walker.define_hoisted(
        "function", name, node, body="function", named=named, header=named.end_byte,
        flags=("macro",), doc=walker.take_comment(),
    )  # fmt: skip
    walker.bound.add((walker.scope, name))
    rules = [rule.child_by_field_name("right") for rule in node.named_children]
    walker.run_body(walker.body(index), [tree for tree in rules if tree is not None])


_ITEMS: Statements = {
    **DECLARED,
    "mod_item": _module,
    "function_item": _function,
    "function_signature_item": _function,
    "impl_item": _impl,
    "macro_definition": _macro,
    "use_declaration": use,
    "extern_crate_declaration": extern_crate,
    "attribute_item": nothing,
    "inner_attribute_item": nothing,
    "visibility_modifier": nothing,
}
