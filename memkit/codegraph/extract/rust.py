"""Rust: modules, `use`, structs, enums, traits, `impl` blocks, macros, closures."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ..dialect import Dialect
from ..facts import Facts
from .builder import count_errors
from .rust_ahead import look_ahead
from .rust_blocks import BLOCK_STATEMENTS, BLOCK_TERMS, function_body
from .rust_declared import DECLARED, flags_of
from .rust_macros import MACROS
from .rust_patterns import parameters
from .rust_terms import TERMS
from .rust_types import LISTS, MAPS, WRAPPERS, RustWalker, bounds_of, type_of
from .rust_uses import extern_crate, use, write_uses
from .walking import Statements, fields

if TYPE_CHECKING:
    from tree_sitter import Node, Tree

DIALECT = Dialect(
    name="rust",
    extensions=(".rs",),
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


W = RustWalker


def _module(w: W, node: Node) -> None:
    """`mod x;` takes another file in, `mod x { … }` is one here."""
    found = fields(node)
    named, body = found.get("name"), found.get("body")
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
    found = fields(node)
    named, body = found.get("name"), found.get("body")
    if named is None:
        return
    name, doc, outer = w.name(named), w.above(), w.bounds
    w.bounds = {**outer, **bounds_of(w, found.get("type_parameters"), node)}
    taken = parameters(w, found.get("parameters"))
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
        returns=type_of(w, found.get("return_type")),
        owner=w.owner,
        doc=doc,
    )
    if w.owner is None:
        w.hoist("define", number)
        w.bound.add((w.at, name))
    if body is not None:
        owner, w.owner = w.owner, None
        function_body(w, number, taken, body, found.get("parameters"))
        w.owner = owner
    w.bounds = outer


def _more_flags(w: W, node: Node) -> list[str]:
    """Return what modifiers and attributes say of a function."""
    found = ["test"] if _is_test(w, node) else []
    modifiers = [child for child in node.children if child.type == "function_modifiers"]
    return [*found, "async"] if any("async" in w.text(one) for one in modifiers) else found


def _is_test(w: W, node: Node) -> bool:
    start = node.start_byte
    line = w.source.rfind(b"\n", 0, max(w.source.rfind(b"\n", 0, start), 0)) + 1
    return bool(_WRITTEN_TEST.search(w.source, line, start))


def _impl(w: W, node: Node) -> None:
    found = fields(node)
    body = found.get("body")
    me, owner, outer = w.me, w.owner, w.bounds
    w.bounds = {**outer, **bounds_of(w, found.get("type_parameters"), node)}
    # `impl<T: A> B for T`: whatever has A has B.
    kind = type_of(w, found.get("type"))
    if kind is not None and kind[0] == "item" and kind[1][-1] != "list":
        kind = kind[1]  # whatever it holds
    trait = type_of(w, found.get("trait"))
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
