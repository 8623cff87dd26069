"""Items, impl blocks, use trees, pre-pass over types."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...dialect import Dialect, LibraryRules
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


def look_ahead(walker: RustWalker, root: Node) -> None:
    """Note the types that a file declares and what it asks of the parameters of each."""
    impls = []
    for node in _items(root):
        if node.type == "impl_item":
            impls.append(node)
        elif (named := node.child_by_field_name("name")) is not None:
            walker.own.add(walker.name(named))
    for node in impls:
        _note_impl_bounds(walker, node)


def _items(root: Node) -> Iterator[Node]:
    left = [root]
    while left:
        for node in left.pop().named_children:
            if node.type == "mod_item":
                body = node.child_by_field_name("body")
                left += [body] if body is not None else []
            elif node.type in _TYPES or node.type == "impl_item":
                yield node


def _note_impl_bounds(walker: RustWalker, node: Node) -> None:
    generic = node.child_by_field_name("type_parameters")
    kind = node.child_by_field_name("type") if generic is not None else None
    if kind is None or kind.type != "generic_type":
        return
    bounds = bounds_of(walker, generic, node)
    name, arguments = kind.named_children[0], kind.named_children[-1]
    args = [child for child in arguments.named_children if child.type != "lifetime"]
    for place, arg in enumerate(args):
        bound = bounds.get(walker.name(arg))
        if bound is not None:
            walker.impl_bounds.setdefault((walker.name(name), place), []).append(bound)


def open_bounds(
    walker: RustWalker, name: str, node: Node | None, bounds: dict[str, Term]
) -> dict[str, Term]:
    """Return what is asked of the parameters of a type: by itself, or else by its `impl` blocks."""
    listed = [name for name in bounds if name] if node is not None else []
    all_bounds = dict(bounds)
    for place, parameter in enumerate(listed):
        if bounds[parameter] is None and (terms := walker.impl_bounds.get((name, place))):
            kinds = tuple(dict.fromkeys(terms))
            all_bounds[parameter] = kinds[0] if len(kinds) == 1 else ("either", kinds)
    return all_bounds


# --- Rust's structs, enums, traits, constants and aliases.


def flags_of(walker: RustWalker, node: Node, *others: str) -> list[str]:
    exported = node.children[0].type == "visibility_modifier"
    return [*others, "exported"] if exported else list(others)


def _type(walker: RustWalker, node: Node) -> None:
    """A struct, union, enum or trait."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, sort = walker.name(named), node.type.partition("_")[0]
    flags = ["struct"] if sort == "union" else [sort]
    number = walker.define(
        "class", name, node, scope=walker.at, body="class", named=named,
        header=body.start_byte if body is not None else node.end_byte,
        flags=flags_of(walker, node, *flags), doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)
    walker.bound.add((walker.at, name))
    scope = walker.body(number)
    outer = walker.bounds
    generic = parts.get("type_parameters")
    walker.bounds = {
        **outer,
        **open_bounds(walker, name, generic, bounds_of(walker, generic, node)),
    }
    bounds = type_of(walker, parts.get("bounds"))
    if bounds is not None:
        walker.fill(number, bases=bounds[1] if bounds[0] == "either" else (bounds,))
    me, walker.me, owner, walker.owner = walker.me, ("name", name), walker.owner, None
    if body is not None and body.type == "ordered_field_declaration_list":
        _ordered(walker, body, scope)
    elif body is not None:
        walker.within(scope, body.named_children)
    walker.me, walker.owner, walker.bounds = me, owner, outer


def _ordered(walker: RustWalker, body: Node, scope: int) -> None:
    kinds = [type_of(walker, child) for child in body.children_by_field_name("type")]
    for place, kind in enumerate(kinds):
        if kind is not None:
            walker.add(scope, ("declare", ("name", str(place)), kind))


def _field(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    if "name" in parts:
        name, kind = walker.name(parts["name"]), type_of(walker, parts.get("type"))
        flags = flags_of(walker, node)
        walker.variable(
            name, node, named=parts["name"], type_=kind, flags=flags, doc=walker.above()
        )


def _variant(walker: RustWalker, node: Node) -> None:
    """A variant with values in brackets is called like a function that gives the enum."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, kind = walker.name(named), walker.me
    walker.members.setdefault((walker.scope(walker.at).parent, kind[1] if kind else ""), []).append(
        name
    )
    walker.define(
        "variable", name, node, scope=walker.at, named=named, returns=kind,
        flags=("constant", "enum"), doc=walker.above(),
    )  # fmt: skip
    _fields_of(walker, name, body)
    if body is not None and body.type == "ordered_field_declaration_list":
        kind = ("item", ("name", "Callable"), ("tuple", (("list", ()), kind)))
    walker.say("declare", ("name", name), kind)


def _fields_of(walker: RustWalker, variant: str, body: Node | None) -> None:
    """Fields of a variant are members of its enum, under the variant's name and theirs."""
    if body is None:
        return
    kinds = [type_of(walker, child) for child in body.children_by_field_name("type")]
    named = [(str(place), kind) for place, kind in enumerate(kinds)]
    for child in body.named_children:
        parts = fields(child)
        if child.type == "field_declaration" and "name" in parts:
            named.append((walker.name(parts["name"]), type_of(walker, parts.get("type"))))
    for name, kind in named:
        if kind is not None:
            walker.say("declare", ("name", f"{variant}.{name}"), kind)


def _constant(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    named = parts.get("name")
    if named is None:
        return
    name, kind, doc = walker.name(named), type_of(walker, parts.get("type")), walker.above()
    constant = flags_of(walker, node, "constant" if node.type == "const_item" else "static")
    value = walker.term(parts.get("value"))
    if walker.owner is not None:
        walker.define(
            "variable", name, node, scope=walker.at, named=named, qualname=walker.member(name),
            returns=kind, flags=constant, owner=walker.owner, doc=doc,
        )  # fmt: skip
        walker.bind(("attr", walker.owner, name), value if kind is None else ("cast", kind, value))
        return
    if walker.scope(walker.at).kind in ("module", "class"):
        walker.variable(name, node, named=named, type_=kind, flags=constant, doc=doc)
        walker.bound.add((walker.at, name))
    elif kind is not None:
        walker.say("declare", ("name", name), kind)
    if value is not None or kind is None:
        walker.bind(("name", name), value)


def _alias(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    if "name" not in parts:
        return
    name, kind = walker.name(parts["name"]), type_of(walker, parts.get("type"))
    target: Term = ("name", name) if walker.owner is None else ("attr", walker.owner, name)
    walker.define(
        "class", name, node, scope=walker.at, named=parts["name"], qualname=walker.member(name),
        flags=flags_of(walker, node, "alias"), owner=walker.owner, doc=walker.above(),
    )  # fmt: skip
    walker.bound.add((walker.at, name))
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


# --- Rust's `use` trees and the first parts of its paths.
#
# A path is followed part by part from a module that an import binds: `use crate::a::b as c` binds
# `c` to member `b` of member `a` of the crate. The module names that imports carry are for the
# linker: `crate`, `super`, the name of a crate, `mod:x` for the file that `mod x;` takes in.


def use(walker: RustWalker, node: Node) -> None:
    """Note what a `use` names; it is written when all names of the file are known."""
    argument = node.child_by_field_name("argument")
    if argument is None:
        return
    for parts, local, byte in _leaves(walker, argument, ()):
        walker.uses.append(Use(walker.at, tuple(walker.modules), parts, local, byte))
        walker.bound.add((walker.at, local))


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
        inner = node.named_children[0] if node.named_child_count else None
        yield before + _parts(walker, inner), "*", node.start_byte
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
    parts = fields(node)
    if "name" in parts:
        name = walker.name(parts["name"])
        local = walker.name(parts["alias"]) if "alias" in parts else name
        walker.bound.add((walker.at, local))
        walker.hoist(
            "import", "" if local == "_" else local, name, None, 0, walker.site(parts["name"])
        )


def write_uses(walker: RustWalker, root: Node) -> None:
    """Walk the file, then say what its paths and `use` declarations mean."""
    walker.walk_all(root)
    names = {name for _, name in walker.bound}
    rooted: dict[str, int] = {}
    for binding in walker.uses:
        if binding.parts:
            _write(walker, binding, rooted)
    for name, byte in walker.roots.items():
        if name == "crate" or name.startswith("super"):
            rooted.setdefault(name, byte)
        elif name not in names and name[:1].islower():
            walker.at = MODULE_SCOPE
            walker.hoist("import", name, name, None, 0, walker.site_at(byte))
    walker.at = MODULE_SCOPE
    for name, byte in rooted.items():
        walker.hoist("import", f"<{name}>", name, None, 0, walker.site_at(byte))


def _write(walker: RustWalker, binding: Use, rooted: dict[str, int]) -> None:
    """Say what one name of a `use` means, from the scope in which it stands."""
    walker.at = binding.scope
    parts = list(binding.parts)
    term = _inside(walker, binding, parts)
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
        walker.hoist("import", "", module, taken, 0 if taken else 1, walker.site_at(binding.byte))
    elif binding.local == "*" and len(binding.modules) == 1:
        module = ".".join(["self", *(part for part in binding.parts if part != "self")])
        walker.hoist("import", "", module, "*", 0, walker.site_at(binding.byte))
    for part in parts:
        term = ("attr", term, part)
    if binding.local == "*":
        _members(walker, term, binding)
    elif binding.local:
        walker.hoist("bind", ("name", binding.local), term)


def _inside(walker: RustWalker, binding: Use, parts: list[str]) -> Term:
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
        place = (module, binding.parts[-1])
        inside = walker.inner.get(place, -1)
        names = walker.members.get(place, []) + [
            name for scope, name in walker.bound if scope == inside
        ]
        for name in sorted(names):
            walker.hoist("bind", ("name", name), ("attr", term, name))


# --- Rust: modules, `use`, structs, enums, traits, `impl` blocks, macros, closures.

DIALECT = Dialect(
    name="rust",
    extensions=(".rs",),
    family="rust",
    methods_outside_class=True,
    checks_arity=True,
    library=LibraryRules(
        mapping_types=MAPS | {"dict"},
        same_methods=LibraryRules().same_methods | {"collect"},
    ),
    receiver=True,
    bare_in_class=False,
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


def _module(walker: RustWalker, node: Node) -> None:
    """`mod x;` takes another file in, `mod x { … }` is one here."""
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name = walker.name(named)
    if body is None:
        inner = "/".join(walker.module_names)
        written = _path_attribute(walker, node)
        module = "mod:" + (f"{inner}:{written}" if written else f"{inner}/{name}".strip("/"))
        walker.bound.add((walker.at, name))
        flags = flags_of(walker, node, "namespace")
        walker.define(
            "class", name, node, scope=walker.at, named=named, flags=flags, doc=walker.above()
        )
        walker.hoist("import", name, module, None, 0, walker.site(named))
        return
    number = walker.define(
        "class", name, node, scope=walker.at, body="class", named=named, header=body.start_byte,
        flags=flags_of(walker, node, "namespace"), doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)
    walker.bound.add((walker.at, name))
    walker.inner[walker.at, name] = walker.body(number)
    walker.modules.append(walker.body(number))
    walker.module_names.append(name)
    walker.within(walker.body(number), body.named_children)
    walker.module_names.pop()
    walker.modules.pop()


def _path_attribute(walker: RustWalker, node: Node) -> str:
    """Return the path of `#[path = "…"]` above a module."""
    before = node.prev_named_sibling
    while before is not None and before.type == "attribute_item":
        written = re.match(r'#\[\s*path\s*=\s*"([^"]+)"', walker.text(before))
        if written:
            return written[1]
        before = before.prev_named_sibling
    return ""


def _function(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    named, body = parts.get("name"), parts.get("body")
    if named is None:
        return
    name, doc, outer = walker.name(named), walker.above(), walker.bounds
    walker.bounds = {**outer, **bounds_of(walker, parts.get("type_parameters"), node)}
    taken = parameters(walker, parts.get("parameters"))
    is_method = walker.owner is not None or (
        walker.scope(walker.at).kind == "class" and walker.at not in walker.modules
    )
    flags = flags_of(walker, node)
    flags += ["static"] if is_method and not (taken and taken[0].name == "self") else []
    flags += ["abstract"] if body is None else []
    number = walker.define(
        "method" if is_method else "function",
        name,
        node,
        scope=walker.at,
        body="function" if body is not None else "",
        named=named,
        header=body.start_byte if body is not None else node.end_byte,
        qualname=walker.member(name),
        flags=(*flags, *_more_flags(walker, node)),
        params=taken,
        returns=type_of(walker, parts.get("return_type")),
        owner=walker.owner,
        doc=doc,
    )
    if walker.owner is None:
        walker.hoist("define", number)
        walker.bound.add((walker.at, name))
    if body is not None:
        owner, walker.owner = walker.owner, None
        function_body(walker, number, taken, body, parts.get("parameters"))
        walker.owner = owner
    walker.bounds = outer


def _more_flags(walker: RustWalker, node: Node) -> list[str]:
    """Return what modifiers and attributes say of a function."""
    flags = ["test"] if _is_test(walker, node) else []
    modifiers = [child for child in node.children if child.type == "function_modifiers"]
    return (
        [*flags, "async"]
        if any("async" in walker.text(modifier) for modifier in modifiers)
        else flags
    )


def _is_test(walker: RustWalker, node: Node) -> bool:
    start = node.start_byte
    line = walker.source.rfind(b"\n", 0, max(walker.source.rfind(b"\n", 0, start), 0)) + 1
    return bool(_WRITTEN_TEST.search(walker.source, line, start))


def _impl(walker: RustWalker, node: Node) -> None:
    parts = fields(node)
    body = parts.get("body")
    me, owner, outer = walker.me, walker.owner, walker.bounds
    walker.bounds = {**outer, **bounds_of(walker, parts.get("type_parameters"), node)}
    # `impl<T: A> B for T`: whatever has A has B.
    kind = type_of(walker, parts.get("type"))
    if kind is not None and kind[0] == "item" and kind[1][-1] != "list":
        kind = kind[1]  # whatever it holds
    trait = type_of(walker, parts.get("trait"))
    walker.me = walker.owner = kind
    if walker.owner is None and trait is not None:
        walker.me = walker.owner = trait
    elif trait is not None:
        walker.say("mixin", walker.owner, trait)
    if body is not None:
        walker.each(body.named_children)
    walker.me, walker.owner, walker.bounds = me, owner, outer


def _macro(walker: RustWalker, node: Node) -> None:
    named = node.child_by_field_name("name")
    if named is None:
        return
    name = walker.name(named)
    number = walker.define(
        "function", name, node, scope=walker.at, body="function", named=named,
        header=named.end_byte, flags=("macro",), doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)
    walker.bound.add((walker.at, name))
    rules = [rule.child_by_field_name("right") for rule in node.named_children]
    walker.within(walker.body(number), [tree for tree in rules if tree is not None])


_ITEMS: Statements = {
    **DECLARED,
    "mod_item": _module,
    "function_item": _function,
    "function_signature_item": _function,
    "impl_item": _impl,
    "macro_definition": _macro,
    "use_declaration": use,
    "extern_crate_declaration": extern_crate,
    "attribute_item": lambda walker, node: None,
    "inner_attribute_item": lambda walker, node: None,
    "visibility_modifier": lambda walker, node: None,
}
