"""Names and calls inside of Rust's macro invocations, whose text has no syntax tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .rust_types import RustWalker, path_of, w_root
from .walking import Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RustWalker


# Words of a macro's text that stand before an expression.
_WORDS = frozenset(
    "as async await box break const continue dyn else enum extern fn for if impl in let loop match "
    "mod move mut pub ref return static struct trait type unsafe use where while yield".split()
)


# Kinds of words that are names: a method may be named as a type of the language.
_NAMES = frozenset("identifier self crate super metavariable primitive_type".split())


# Macros of the standard library: their arguments matter, they themselves lie outside.
_STANDARD = frozenset(
    """
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
    debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str
    line matches module_path option_env panic print println stringify thread_local todo
    unimplemented unreachable vec write writeln
    """.split()
)


def _macro(w: W, node: Node) -> Term:
    found = fields(node)
    named, tree = found.get("macro"), node.named_children[-1]
    args: tuple[Term, ...] = ()
    if tree.type == "token_tree":
        given = w.term(tree)
        args = given[1] if given is not None and len(given) > 1 else ()
    if named is None:
        return None
    name = w.name(named)
    if name == "vec":
        return ("list", args)
    if name in _STANDARD:
        for one in args:
            w.do(one)
        return None
    return ("call", path_of(w, named), args, (), w.site(named))


def _tokens(w: W, tree: Node) -> Term:
    """Return what stands in a macro between commas, as far as it looks like names and calls."""
    found: list[Term] = []
    chain: Term = None
    join = ""
    for child in tree.children[1:-1]:
        kind = child.type
        if kind in (".", "::", "?"):
            join = kind if kind != "?" else join
        elif kind == ",":
            found.append(chain)
            chain, join = None, ""
        elif kind == "token_tree":
            chain, join = _applied(w, chain, child), ""
        elif kind in _NAMES and w.text(child) not in _WORDS:
            chain, join = _joined(w, chain, join, child), ""
        elif kind != "!":
            w.do(chain)
            chain, join = None, ""
    found.append(chain)
    return ("tuple", tuple(one for one in found if one is not None))


def _joined(w: W, chain: Term, join: str, child: Node) -> Term:
    if join and chain is not None:
        if join == "::" and chain[0] == "name":
            w.roots.setdefault(chain[1], child.start_byte)
        return ("attr", chain, w.name(child))
    w.do(chain)
    if child.type in ("crate", "super"):
        return w_root(w, child.type)
    name = w.reads(w.name(child))
    return w.me if name == "Self" and w.me is not None else ("name", name)


def _applied(w: W, chain: Term, tree: Node) -> Term:
    """A list in brackets behind a name is a call, an index, or the text of another macro."""
    inner = w.term(tree)
    parts: tuple[Term, ...] = inner[1] if inner is not None and len(inner) > 1 else ()
    opening = tree.children[0].type
    if chain is None:
        return parts[0] if len(parts) == 1 and opening == "(" else _all(w, parts)
    before = tree.prev_sibling
    if before is not None and before.type == "!":
        return ("list", parts) if chain == ("name", "vec") else _all(w, parts)
    if opening == "(":
        if chain[0] == "name" and chain[1] in ("Some", "Ok", "Err", "Box"):
            return parts[0] if len(parts) == 1 else _all(w, parts)
        named = before if before is not None and before.type == "identifier" else tree
        return ("call", chain, parts, (), w.site(named))
    if opening == "[":
        return ("item", chain, parts[0] if len(parts) == 1 else None)
    w.do(chain)
    return _all(w, parts)


def _all(w: W, parts: tuple[Term, ...]) -> Term:
    for part in parts:
        w.do(part)
    return None


MACROS: Terms = {"macro_invocation": _macro, "token_tree": _tokens}
