"""Ruby calls that declare something: attributes, mixins, access, aliases, required files."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .ruby_calls import closure
from .ruby_terms import RubyWalker
from .walking import fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RubyWalker


def copy(w: W, node: Node, name: str, old: str) -> None:
    """Define a method that is another one under a new name."""
    flags = ("alias", "static") if w.is_static else ("alias",)
    kind = "method" if w.scope(w.at).kind == "class" else "function"
    w.define(kind, name, node, scope=w.at, flags=flags, doc=w.above())
    w.bind(("name", name), ("name", old))


def _literal(w: W, node: Node) -> str:
    if node.type in ("simple_symbol", "string", "delimited_symbol"):
        return w.text(node).strip(":\"'")
    return ""


def attributes(w: W, node: Node, name: str, given: list[Node]) -> bool:
    """Define the methods that read and write attributes."""
    doc, static = w.above(), ("static",) if w.is_static else ()
    for one in given:
        attribute = _literal(w, one)
        if not attribute:
            continue
        for suffix in _SUFFIXES[name.rpartition("_")[2]]:
            number = w.define(
                "method", attribute + suffix, one, scope=w.at, flags=("property", *static),
                body="function" if not suffix else "", doc=doc,
            )  # fmt: skip
            w.hoist("define", number)
            if not suffix:
                w.add(w.body(number), ("return", ("attr", ("self",), f"@{attribute}")))
    return True


def _mixin(w: W, node: Node, name: str, given: list[Node]) -> bool:
    for one in given:
        base = w.term(one)
        if base is not None and base[0] in ("name", "attr"):
            w.say("mixin", w.me, base)
    return True


def access(w: W, node: Node, name: str, given: list[Node]) -> bool:
    """`private` changes what follows, or only the method that it is given."""
    if not given:
        w.is_private = name != "public"
        return True
    held, w.is_private = w.is_private, name != "public"
    static, w.is_static = w.is_static, w.is_static or name.endswith("class_method")
    for one in given:
        w.run(one)
    w.is_private, w.is_static = held, static
    return True


def _module_function(w: W, node: Node, name: str, given: list[Node]) -> bool:
    if not given:
        w.is_static = True
    for one in given:
        w.run(one)
    return True


def _define_method(w: W, node: Node, name: str, given: list[Node]) -> bool:
    block = node.child_by_field_name("block")
    made = _literal(w, given[0]) if given else ""
    if not made or block is None:
        return False
    doc = w.above()
    number = closure(w, block)
    w.rename(number, made, node, given[0], doc)
    w.hoist("define", number)
    return True


def _alias_method(w: W, node: Node, name: str, given: list[Node]) -> bool:
    names = [_literal(w, one) for one in given]
    if len(names) != 2 or not all(names):
        return False
    copy(w, node, *names)
    return True


def _require(w: W, node: Node, name: str, given: list[Node]) -> bool:
    module = _literal(w, given[-1]) if given else ""
    if not module or "#{" in module:
        return False
    level = 1 if name == "require_relative" else 0
    w.hoist("import", "", module, None, level, w.site(given[-1]))
    return True


def _delegate(w: W, node: Node, name: str, given: list[Node]) -> bool:
    """`def_delegators :@x, :a, :b` makes methods a and b, `def_delegator :@x, :a, :b` calls a b."""
    asked = given[1:]
    pairs = [(one, one) for one in asked]
    if name == "def_delegator":
        pairs = [(asked[0], asked[-1])] if asked else []
    for called, named in pairs:
        _hand_on(w, given[0], called, named)
    return True


def _delegate_to(w: W, node: Node, name: str, given: list[Node]) -> bool:
    """`delegate :a, :b, to: :x`."""
    for one in given:
        found = fields(one)
        if "key" in found and "value" in found and w.text(found["key"]).strip(":") == "to":
            for asked in given:
                _hand_on(w, found["value"], asked, asked)
            return True
    return False


def _hand_on(w: W, to: Node, called: Node, named: Node) -> None:
    """Define a method that calls one of something else."""
    made = _literal(w, named)
    if made:
        number = w.define("method", made, named, scope=w.at, body="function")
        w.hoist("define", number)
        callee: Term = ("attr", _delegate_of(w, to), _literal(w, called))
        w.add(w.body(number), ("return", ("call", callee, (), (), w.site(called))))


def _delegate_of(w: W, node: Node) -> Term:
    """Return what a delegation hands its calls to: a variable of the object, or its method."""
    name = _literal(w, node)
    member: Term = ("attr", ("self",), name)
    return member if name.startswith("@") else ("call", member, (), (), w.site(node))


_SUFFIXES = {"accessor": ("", "="), "reader": ("",), "writer": ("=",), "attr": ("",)}


ANYWHERE = frozenset({"require", "require_relative", "load", "autoload"})


DECLARING = {
    **dict.fromkeys(("attr", "attr_accessor", "attr_reader", "attr_writer"), attributes),
    **dict.fromkeys(("cattr_accessor", "mattr_accessor", "class_attribute"), attributes),
    **dict.fromkeys(("include", "extend", "prepend"), _mixin),
    **dict.fromkeys(
        ("private", "protected", "public", "private_class_method", "public_class_method"), access
    ),
    "module_function": _module_function,
    "define_method": _define_method,
    "alias_method": _alias_method,
    "def_delegators": _delegate,
    "def_delegator": _delegate,
    "delegate": _delegate_to,
    **dict.fromkeys(("require", "require_relative", "load", "autoload"), _require),
}
