"""Items, impl blocks, use trees, pre-pass over types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import MODULE_SCOPE, Facts, Term
from ..facts_builder import count_errors
from ..walker import Statements, fields
from .expressions import LISTS, MACROS, MAPS, TERMS, WRAPPERS, RustWalker, Use, bounds_of, type_of
from .statements import BLOCK_STATEMENTS, BLOCK_TERMS, function_body, parameters

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- What a Rust file says of its types before it is walked: which are its own, and what its
# `impl` blocks ask of their parameters, which a struct leaves open as a rule.

_TYPES = frozenset({"struct_item", "enum_item", "union_item", "trait_item"})


def look_ahead(w: W, root: Node) -> None:
    """Note the types that a file declares and what it asks of the parameters of each."""
    impls = []
    for node in _items(root):
        if node.type == "impl_item":
            impls.append(node)
        elif (named := node.child_by_field_name("name")) is not None:
            w.own.add(w.name(named))
    for node in impls:
        _note_impl_bounds(w, node)


def _items(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        for node in left.pop().named_children:
            if node.type == "mod_item":
                body = node.child_by_field_name("body")
                left += [body] if body is not None else []
            elif node.type in _TYPES or node.type == "impl_item":
                yield node


def _note_impl_bounds(w: W, node: Node) -> None:
    generic = node.child_by_field_name("type_parameters")
    kind = node.child_by_field_name("type") if generic is not None else None
    if kind is None or kind.type != "generic_type":
        return
    bounds = bounds_of(w, generic, node)
    name, arguments = kind.named_children[0], kind.named_children[-1]
    args = [child for child in arguments.named_children if child.type != "lifetime"]
    for place, arg in enumerate(args):
        bound = bounds.get(w.name(arg))
        if bound is not None:
            w.impl_bounds.setdefault((w.name(name), place), []).append(bound)


def open_bounds(w: W, name: str, node: Node | None, bounds: dict[str, Term]) -> dict[str, Term]:
    """Return what is asked of the parameters of a type: by itself, or else by its `impl` blocks."""
    listed = [name for name in bounds if name] if node is not None else []
    all_bounds = dict(bounds)
    for place, parameter in enumerate(listed):
        if bounds[parameter] is None and (terms := w.impl_bounds.get((name, place))):
            kinds = tuple(dict.fromkeys(terms))
            all_bounds[parameter] = kinds[0] if len(kinds) == 1 else ("either", kinds)
    return all_bounds


# --- Rust's structs, enums, traits, constants and aliases.


def flags_of(w: W, node: Node, *others: str) -> list[str]:
    exported = node.children[0].type == "visibility_modifier"
    return [*others, "exported"] if exported else list(others)


def _type(w: W, node: Node) -> None:
    """A struct, union, enum or trait."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, sort = w.name(named), node.type.partition("_")[0]
    flags = ["struct"] if sort == "union" else [sort]
    number = w.define(
        "class", name, node, scope=w.at, body="class", named=named,
        header=body.start_byte if body is not None else node.end_byte,
        flags=flags_of(w, node, *flags), doc=w.above(),
    )  # fmt: skip
    w.hoist("define", number)
    w.bound.add((w.at, name))
    scope = w.body(number)
    outer = w.bounds
    generic = parts.get("type_parameters")
    w.bounds = {**outer, **open_bounds(w, name, generic, bounds_of(w, generic, node))}
    bounds = type_of(w, parts.get("bounds"))
    if bounds is not None:
        w.fill(number, bases=bounds[1] if bounds[0] == "either" else (bounds,))
    me, w.me, owner, w.owner = w.me, ("name", name), w.owner, None
    if body is not None and body.type == "ordered_field_declaration_list":
        _ordered(w, body, scope)
    elif body is not None:
        w.within(scope, body.named_children)
    w.me, w.owner, w.bounds = me, owner, outer


def _ordered(w: W, body: Node, scope: int) -> None:
    kinds = [type_of(w, child) for child in body.children_by_field_name("type")]
    for place, kind in enumerate(kinds):
        if kind is not None:
            w.add(scope, ("declare", ("name", str(place)), kind))


def _field(w: W, node: Node) -> None:
    parts = fields(node)
    if "name" in parts:
        name, kind = w.name(parts["name"]), type_of(w, parts.get("type"))
        flags = flags_of(w, node)
        w.variable(name, node, named=parts["name"], type_=kind, flags=flags, doc=w.above())


def _variant(w: W, node: Node) -> None:
    """A variant with values in brackets is called like a function that gives the enum."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, kind = w.name(named), w.me
    w.members.setdefault((w.scope(w.at).parent, kind[1] if kind else ""), []).append(name)
    w.define(
        "variable", name, node, scope=w.at, named=named, returns=kind,
        flags=("constant", "enum"), doc=w.above(),
    )  # fmt: skip
    _fields_of(w, name, body)
    if body is not None and body.type == "ordered_field_declaration_list":
        kind = ("item", ("name", "Callable"), ("tuple", (("list", ()), kind)))
    w.say("declare", ("name", name), kind)


def _fields_of(w: W, variant: str, body: Node | None) -> None:
    """Fields of a variant are members of its enum, under the variant's name and theirs."""
    if body is None:
        return
    kinds = [type_of(w, child) for child in body.children_by_field_name("type")]
    named = [(str(place), kind) for place, kind in enumerate(kinds)]
    for child in body.named_children:
        parts = fields(child)
        if child.type == "field_declaration" and "name" in parts:
            named.append((w.name(parts["name"]), type_of(w, parts.get("type"))))
    for name, kind in named:
        if kind is not None:
            w.say("declare", ("name", f"{variant}.{name}"), kind)


def _constant(w: W, node: Node) -> None:
    parts = fields(node)
    named = parts.get("name")
    if named is None:
        return
    name, kind, doc = w.name(named), type_of(w, parts.get("type")), w.above()
    constant = flags_of(w, node, "constant" if node.type == "const_item" else "static")
    value = w.term(parts.get("value"))
    if w.owner is not None:
        w.define(
            "variable", name, node, scope=w.at, named=named, qualname=w.member(name),
            returns=kind, flags=constant, owner=w.owner, doc=doc,
        )  # fmt: skip
        w.bind(("attr", w.owner, name), value if kind is None else ("cast", kind, value))
        return
    if w.scope(w.at).kind in ("module", "class"):
        w.variable(name, node, named=named, type_=kind, flags=constant, doc=doc)
        w.bound.add((w.at, name))
    elif kind is not None:
        w.say("declare", ("name", name), kind)
    if value is not None or kind is None:
        w.bind(("name", name), value)


def _alias(w: W, node: Node) -> None:
    parts = fields(node)
    if "name" not in parts:
        return
    name, kind = w.name(parts["name"]), type_of(w, parts.get("type"))
    target: Term = ("name", name) if w.owner is None else ("attr", w.owner, name)
    w.define(
        "class", name, node, scope=w.at, named=parts["name"], qualname=w.member(name),
        flags=flags_of(w, node, "alias"), owner=w.owner, doc=w.above(),
    )  # fmt: skip
    w.bound.add((w.at, name))
    w.hoist("bind", target, kind)


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


# --- Rust's `use` trees and the first parts of its paths.
#
# A path is followed part by part from a module that an import binds: `use crate::a::b as c` binds
# `c` to member `b` of member `a` of the crate. The module names that imports carry are for the
# linker: `crate`, `super`, the name of a crate, `mod:x` for the file that `mod x;` takes in.


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
    kind, parts = node.type, fields(node)
    if kind in ("use_list", "scoped_use_list"):
        path = before + _parts(w, parts.get("path"))
        listed = parts.get("list", node)
        for child in listed.named_children if kind == "use_list" or "list" in parts else ():
            yield from _leaves(w, child, path)
    elif kind == "use_wildcard":
        inner = node.named_children[0] if node.named_child_count else None
        yield before + _parts(w, inner), "*", node.start_byte
    elif not kind.endswith("comment"):
        path = before + _parts(w, parts.get("path") if kind == "use_as_clause" else node)
        if path[-1:] == ("self",) and len(path) > 1:
            path = path[:-1]
        if path:
            local = w.name(parts["alias"]) if "alias" in parts else path[-1]
            yield path, "" if local == "_" else local, node.start_byte


def _parts(w: W, node: Node | None) -> tuple[str, ...]:
    if node is None:
        return ()
    return tuple(part.strip() for part in w.text(node).split("::") if part.strip())


def extern_crate(w: W, node: Node) -> None:
    """`extern crate a as b`."""
    parts = fields(node)
    if "name" in parts:
        name = w.name(parts["name"])
        local = w.name(parts["alias"]) if "alias" in parts else name
        w.bound.add((w.at, local))
        w.hoist("import", "" if local == "_" else local, name, None, 0, w.site(parts["name"]))


def write_uses(w: W, root: Node) -> None:
    """Walk the file, then say what its paths and `use` declarations mean."""
    w.walk_all(root)
    names = {name for _, name in w.bound}
    rooted: dict[str, int] = {}
    for binding in w.uses:
        if binding.parts:
            _write(w, binding, rooted)
    for name, byte in w.roots.items():
        if name == "crate" or name.startswith("super"):
            rooted.setdefault(name, byte)
        elif name not in names and name[:1].islower():
            w.at = MODULE_SCOPE
            w.hoist("import", name, name, None, 0, w.site_at(byte))
    w.at = MODULE_SCOPE
    for name, byte in rooted.items():
        w.hoist("import", f"<{name}>", name, None, 0, w.site_at(byte))


def _write(w: W, binding: Use, rooted: dict[str, int]) -> None:
    """Say what one name of a `use` means, from the scope in which it stands."""
    w.at = binding.scope
    parts = list(binding.parts)
    term = _inside(w, binding, parts)
    if not parts and term is None:
        return
    if term is None:
        first = parts.pop(0)
        while first.startswith("super") and parts and parts[0] == "super":
            first = f"{first}.{parts.pop(0)}"
        rooted.setdefault(first, binding.byte)
        term = ("name", f"<{first}>")
        module = ".".join([first, *parts])
        taken = "*" if binding.local == "*" else None
        w.hoist("import", "", module, taken, 0 if taken else 1, w.site_at(binding.byte))
    elif binding.local == "*" and len(binding.modules) == 1:
        module = ".".join(["self", *(part for part in binding.parts if part != "self")])
        w.hoist("import", "", module, "*", 0, w.site_at(binding.byte))
    for part in parts:
        term = ("attr", term, part)
    if binding.local == "*":
        _members(w, term, binding)
    elif binding.local:
        w.hoist("bind", ("name", binding.local), term)


def _inside(w: W, binding: Use, parts: list[str]) -> Term:
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
    if is_path and not is_inside and (modules[-1], parts[0]) in w.bound:
        return ("name", parts.pop(0))
    return None


def _members(w: W, term: Term, binding: Use) -> None:
    """Bind what `use Enum::*` takes from an enum or a module of the same file."""
    for module in binding.modules:
        place = (module, binding.parts[-1])
        inside = w.inner.get(place, -1)
        names = w.members.get(place, []) + [name for scope, name in w.bound if scope == inside]
        for name in sorted(names):
            w.hoist("bind", ("name", name), ("attr", term, name))


# --- Rust: modules, `use`, structs, enums, traits, `impl` blocks, macros, closures.

DIALECT = Dialect(
    name="rust",
    extensions=(".rs",),
    receiver=True,
    bare_in_class=False,
    counts_arguments=True,
    spelling="NFC",
    holders=WRAPPERS | LISTS | MAPS,
    # Methods of the standard library's types and traits that code has in every corner.
    builtin_methods=frozenset(
        """
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
        """.split()
    ),
    transparent=frozenset(
        """
        as_deref as_deref_mut as_mut as_ref as_slice borrow borrow_mut by_ref chain clone cloned
        context copied expect filter get_or_insert_with into_boxed into_iter iter iter_mut lock
        map_err ok ok_or ok_or_else or or_else or_insert_with peekable read rev skip sorted take
        to_owned to_vec unwrap unwrap_or unwrap_or_default unwrap_or_else upgrade with_context write
        """.split()
    ),
    elements=frozenset(
        """
        back entry find first front get get_mut last last_mut max_by_key min_by_key next nth peek
        pop pop_back pop_front remove
        """.split()
    ),
)

_WRITTEN_TEST = re.compile(rb"#\[\s*(?:\w+::)*test\b")


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Rust file says."""
    walker = RustWalker(
        source, path, DIALECT, {**TERMS, **BLOCK_TERMS, **MACROS}, {**BLOCK_STATEMENTS, **_ITEMS}
    )
    root = tree.root_node
    doc = ""
    for child in root.named_children[:1]:
        if "comment" in child.type and walker.text(child).startswith(("//!", "/*!")):
            doc = walker.text(child).lstrip("/!* ")
    look_ahead(walker, root)
    write_uses(walker, root)
    return walker.finish(errors=count_errors(root), doc=doc)


W = RustWalker


def _module(w: W, node: Node) -> None:
    """`mod x;` takes another file in, `mod x { … }` is one here."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name = w.name(named)
    if body is None:
        inner = "/".join(w.module_names)
        written = _path_attribute(w, node)
        module = "mod:" + (f"{inner}:{written}" if written else f"{inner}/{name}".strip("/"))
        w.bound.add((w.at, name))
        flags = flags_of(w, node, "namespace")
        w.define("class", name, node, scope=w.at, named=named, flags=flags, doc=w.above())
        w.hoist("import", name, module, None, 0, w.site(named))
        return
    number = w.define(
        "class", name, node, scope=w.at, body="class", named=named, header=body.start_byte,
        flags=flags_of(w, node, "namespace"), doc=w.above(),
    )  # fmt: skip
    w.hoist("define", number)
    w.bound.add((w.at, name))
    w.inner[w.at, name] = w.body(number)
    w.modules.append(w.body(number))
    w.module_names.append(name)
    w.within(w.body(number), body.named_children)
    w.module_names.pop()
    w.modules.pop()


def _path_attribute(w: W, node: Node) -> str:
    """Return the path of `#[path = "…"]` above a module."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        written = re.match(r'#\[\s*path\s*=\s*"([^"]+)"', w.text(before))
        if written:
            return written[1]
        before = before.prev_named_sibling
    return ""


def _function(w: W, node: Node) -> None:
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, doc, outer = w.name(named), w.above(), w.bounds
    w.bounds = {**outer, **bounds_of(w, parts.get("type_parameters"), node)}
    taken = parameters(w, parts.get("parameters"))
    is_method = w.owner is not None or (w.scope(w.at).kind == "class" and w.at not in w.modules)
    flags = flags_of(w, node)
    flags += ["static"] if is_method and not (taken and taken[0].name == "self") else []
    flags += ["abstract"] if body is None else []
    number = w.define(
        "method" if is_method else "function",
        name,
        node,
        scope=w.at,
        body="function" if body is not None else "",
        named=named,
        header=body.start_byte if body is not None else node.end_byte,
        qualname=w.member(name),
        flags=(*flags, *_more_flags(w, node)),
        params=taken,
        returns=type_of(w, parts.get("return_type")),
        owner=w.owner,
        doc=doc,
    )
    if w.owner is None:
        w.hoist("define", number)
        w.bound.add((w.at, name))
    if body is not None:
        owner, w.owner = w.owner, None
        function_body(w, number, taken, body, parts.get("parameters"))
        w.owner = owner
    w.bounds = outer


def _more_flags(w: W, node: Node) -> list[str]:
    """Return what modifiers and attributes say of a function."""
    flags = ["test"] if _is_test(w, node) else []
    modifiers = [child for child in node.children if child.type == "function_modifiers"]
    return (
        [*flags, "async"] if any("async" in w.text(modifier) for modifier in modifiers) else flags
    )


def _is_test(w: W, node: Node) -> bool:
    start = node.start_byte
    line = w.source.rfind(b"\n", 0, max(w.source.rfind(b"\n", 0, start), 0)) + 1
    return bool(_WRITTEN_TEST.search(w.source, line, start))


def _impl(w: W, node: Node) -> None:
    parts = fields(node)
    body = parts.get("body")
    me, owner, outer = w.me, w.owner, w.bounds
    w.bounds = {**outer, **bounds_of(w, parts.get("type_parameters"), node)}
    # `impl<T: A> B for T`: whatever has A has B.
    kind = type_of(w, parts.get("type"))
    if kind is not None and kind[0] == "item" and kind[1][-1] != "list":
        kind = kind[1]  # whatever it holds
    trait = type_of(w, parts.get("trait"))
    w.me = w.owner = kind
    if w.owner is None and trait is not None:
        w.me = w.owner = trait
    elif trait is not None:
        w.say("mixin", w.owner, trait)
    if body is not None:
        w.each(body.named_children)
    w.me, w.owner, w.bounds = me, owner, outer


def _macro(w: W, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = w.name(named)
    number = w.define(
        "function", name, node, scope=w.at, body="function", named=named,
        header=named.end_byte, flags=("macro",), doc=w.above(),
    )  # fmt: skip
    w.hoist("define", number)
    w.bound.add((w.at, name))
    rules = [rule.child_by_field_name("right") for rule in node.named_children]
    w.within(w.body(number), [tree for tree in rules if tree is not None])


_ITEMS: Statements = {
    **DECLARED,
    "mod_item": _module,
    "function_item": _function,
    "function_signature_item": _function,
    "impl_item": _impl,
    "macro_definition": _macro,
    "use_declaration": use,
    "extern_crate_declaration": extern_crate,
    "attribute_item": lambda w, node: None,
    "inner_attribute_item": lambda w, node: None,
    "visibility_modifier": lambda w, node: None,
}
