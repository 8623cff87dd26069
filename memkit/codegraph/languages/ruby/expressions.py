"""Expressions, calls, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import CONST_CHARS, MODULE_SCOPE, Param, Term
from ..facts_builder import DEEPEST
from ..walker import Statements, Terms, Walker, fields, held, run_by

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Ruby's expressions as terms.

_CONSTS = {"integer": "int", "float": "float", "true": "bool", "false": "bool", "nil": "none"}


class RubyWalker(Walker):
    """Knows the class it is in, and what kind of methods come next.

    Attributes:
        is_private, is_static: of the methods that follow in a class body.
        method: name of the method it is in, which is what `super` calls.
        me: the class whose body it is in.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.is_private = False
        self.is_static = False
        self.method = ""
        self.me: Term = None

    def rename(self, number: int, name: str, node: Node, named: Node, doc: str) -> None:
        """Make a method of a block."""
        line, column = self.place(named.start_byte)
        self.fill(
            number, kind="method", name=name, qualname=self.qualified(self.at, name),
            start=node.start_byte, end=node.end_byte, line=line, column=column, doc=doc,
        )  # fmt: skip

    def constant(self, node: Node, name: str) -> None:
        """Define a constant where it is first bound."""
        if self.first(self.at, name):
            self.define(
                "variable", name, node, scope=self.at, named=node, flags=("constant",),
                doc=self.above(),
            )  # fmt: skip


W = RubyWalker


def _identifier(w: W, node: Node) -> Term:
    """A name that nothing binds is a call without arguments."""
    name = w.name(node)
    if name in w.known or (w.at == MODULE_SCOPE and (w.at, name) in w.declared):
        return ("name", name)
    return ("call", ("name", name), (), (), w.site(node))


def _name(w: W, node: Node) -> Term:
    return ("name", w.name(node))


def _variable(w: W, node: Node) -> Term:
    """`@x` and `@@x` are members."""
    return ("attr", ("self",), w.name(node))


def _const(w: W, node: Node) -> Term:
    return ("const", _CONSTS[node.type], None)


def _string(w: W, node: Node) -> Term:
    content = None
    for child in node.named_children:
        if child.type == "interpolation":
            w.each(child.named_children)
            content = None
        elif child.type == "string_content":
            content = w.text(child)
    text = content if content is not None and len(content) <= CONST_CHARS else None
    return ("const", "str", text if node.named_child_count == 1 else None)


def _chained(w: W, node: Node) -> Term:
    """`"a" "b"`: each part may have code of its own in it."""
    for child in node.named_children:
        w.term(child)
    return ("const", "str", None)


def _symbol(w: W, node: Node) -> Term:
    return ("const", "str", w.name(node).strip(':"'))


def path_of(w: W, node: Node) -> Term:
    """Return the term of a constant: `A::B`."""
    names: list[str] = []
    first: Node | None = node
    while first is not None and first.type == "scope_resolution":
        parts = fields(first)
        if "name" not in parts:
            return None
        names.append(w.name(parts["name"]))
        first = parts.get("scope")
    term: Term = None
    if first is not None:
        term = ("name", w.name(first)) if first.type == "constant" else w.term(first)
    for name in reversed(names):
        term = ("attr", term, name) if first is not None or term is not None else ("name", name)
    return term


def inner(w: W, node: Node) -> Term:
    """The last of what stands in brackets; the others are evaluated before it."""
    parts = [child for child in node.named_children if child.type != "comment"]
    for part in parts[:-1]:
        w.run(part)
    return w.term(parts[-1]) if parts else None


def _either(w: W, node: Node) -> Term:
    """`if`, `case`, `begin`: one of the values of the branches."""
    parts = fields(node)
    values = []
    for child in node.named_children:
        if child in (parts.get("condition"), parts.get("value"), parts.get("pattern")):
            w.run(child)
        elif child.type != "comment":
            values.append(w.term(child))
    non_constants = tuple(value for value in values if value is not None and value[0] != "const")
    return (
        non_constants[0]
        if len(non_constants) == 1
        else ("either", non_constants)
        if non_constants
        else None
    )


def _modified(w: W, node: Node) -> Term:
    """`x if y`."""
    parts = fields(node)
    if "condition" in parts:
        w.run(parts["condition"])
    return w.term(parts.get("body"))


def _rescued(w: W, node: Node) -> Term:
    """`x rescue y` is one of both."""
    parts = fields(node)
    return ("either", (w.term(parts.get("body")), w.term(parts.get("handler"))))


def _binary(w: W, node: Node) -> Term:
    parts = fields(node)
    left, right, operator = parts.get("left"), parts.get("right"), parts.get("operator")
    if operator is not None and operator.type in ("||", "or", "&&", "and"):
        return ("either", (w.term(left), w.term(right)))
    value = w.term(left)
    plain = (w.term(right),)
    if value is None or value[0] == "const" or operator is None:
        w.do(value)
        w.do(plain[0])
        return None
    # Operators are methods.
    return ("call", ("attr", value, operator.type), plain, (), w.site(operator))


def _element(w: W, node: Node) -> Term:
    parts = node.named_children
    base = w.term(parts[0]) if parts else None
    keys = [w.term(part) for part in parts[1:]]
    if len(keys) == 1:
        return ("item", base, keys[0])
    for key in keys:
        w.do(key)
    return ("item", base, None)


def _array(w: W, node: Node) -> Term:
    return ("list", tuple(w.term(c) for c in node.named_children if c.type != "comment"))


def _words(w: W, node: Node) -> Term:
    """`%w[a b]`: texts, each of which may have code in it."""
    return ("list", tuple(_string(w, child) for child in node.named_children))


def _hash(w: W, node: Node) -> Term:
    pairs = []
    for child in node.named_children:
        parts = fields(child)
        if child.type == "pair" and "key" in parts:
            key = parts["key"]
            is_symbol = key.type == "hash_key_symbol"
            term: Term = ("const", "str", w.name(key)) if is_symbol else w.term(key)
            # `{a:}` is `{a: a}`.
            value = _identifier(w, key) if "value" not in parts else w.term(parts["value"])
            pairs.append((term, value))
        elif child.type == "hash_splat_argument":
            pairs.append((None, inner(w, child)))
    return ("dict", tuple(pairs))


TERMS: Terms = {
    "identifier": _identifier,
    "constant": _name,
    "global_variable": _name,
    "instance_variable": _variable,
    "class_variable": _variable,
    "self": lambda w, node: ("self",),
    "scope_resolution": path_of,
    "string": _string,
    "chained_string": _chained,
    "simple_symbol": _symbol,
    "delimited_symbol": _string,
    "parenthesized_statements": inner,
    "splat_argument": lambda w, node: ("star", inner(w, node)),
    "then": inner,
    "else": inner,
    "body_statement": inner,
    "block_body": inner,
    "argument_list": inner,
    "if": _either,
    "elsif": _either,
    "unless": _either,
    "conditional": _either,
    "case": _either,
    "when": _either,
    "begin": _either,
    "if_modifier": _modified,
    "unless_modifier": _modified,
    "rescue_modifier": _rescued,
    "binary": _binary,
    "element_reference": _element,
    "array": _array,
    "string_array": _words,
    "symbol_array": _words,
    "hash": _hash,
    **dict.fromkeys(_CONSTS, _const),
}


# --- Ruby's calls, blocks and what they take.

# Plain arguments, and those with a name.
Given = tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]


# Methods that run their block with each element, with a key and a value, with the object itself.
_PAIRED = frozenset(
    """
    all? any? collect count each each_pair find find_all flat_map group_by map max_by min_by none?
    partition reject select sort_by sum filter filter_map detect
    """.split()
)
_RUNNING = _PAIRED | frozenset(
    """
    delete_if drop_while each_entry each_with_index each_with_object find_index index_by keep_if
    reverse_each take_while uniq
    """.split()
)
_GIVEN_WHOLE = frozenset({"tap", "then", "yield_self"})
# Methods that give a method by its name, and those that call one.
_METHODS = frozenset({"method", "instance_method", "public_method"})
_SENDING = frozenset({"send", "public_send", "__send__"})
_SORTS = {
    "splat_parameter": "*",
    "hash_splat_parameter": "**",
    "keyword_parameter": "name-only",
    "block_parameter": "",
}


def arguments(w: W, node: Node | None) -> Given:
    """Return the plain and the named arguments of a call; a block is the last plain one."""
    plain: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in node.named_children if node is not None else ():
        kind = child.type
        if kind == "pair":
            parts = fields(child)
            key = w.name(parts["key"]).strip(':"') if "key" in parts else ""
            named.append((key, w.term(parts["value"]) if "value" in parts else ("name", key)))
        elif kind == "hash_splat_argument":
            named.append(("**", inner(w, child)))
        elif kind == "block_argument":
            w.do(inner(w, child))
        elif kind != "comment":
            plain.append(w.term(child))
    return tuple(plain), tuple(named)


def call(w: W, node: Node) -> Term:
    """`f(x)`, `a.b x`, `a.(x)`, each with a block or without one."""
    parts = fields(node)
    method, receiver, block = parts.get("method"), parts.get("receiver"), parts.get("block")
    holder = w.term(receiver)
    plain, named = arguments(w, parts.get("arguments"))
    if block is not None:
        plain = (*plain, ("def", closure(w, block)))
    if method is None or method.type == "super":
        callee: Term = ("attr", ("super",), w.method) if method is not None else holder
        return ("call", callee, plain, named, w.site(node))
    name = w.name(method)
    if name in ("lambda", "proc") and receiver is None and plain:
        return plain[-1]
    if receiver is None:
        if method.type == "constant" and "arguments" not in parts and not plain:
            return ("name", name)
        symbol = _first_symbol(plain)
        if symbol and name in _METHODS:
            return ("attr", ("self",), symbol)
        if symbol and name in _SENDING:
            name, plain = symbol, plain[1:]
        return ("call", ("name", name), plain, named, w.site(method))
    return _on_receiver(w, method, name, holder, (plain, named))


def _on_receiver(w: W, method: Node, name: str, holder: Term, args: Given) -> Term:
    plain, named = args
    if (
        name == "new"
        and holder is not None
        and holder[0] in ("name", "attr")
        and holder[-1] != "Class"
    ):
        return ("new", holder, plain, named, w.site(method))
    symbol = _first_symbol(plain)
    if symbol and name in _METHODS:
        return ("attr", holder, symbol)
    if symbol and name in _SENDING:
        return ("call", ("attr", holder, symbol), plain[1:], named, w.site(method))
    if name == "call":
        return ("call", holder, plain, named, w.site(method))
    has_block = bool(plain) and plain[-1] is not None and plain[-1][0] == "def"
    if has_block and not named and name in _RUNNING | _GIVEN_WHOLE:
        return _run(w, method, name, holder, plain)
    return ("call", ("attr", holder, name), plain, named, w.site(method))


def _first_symbol(plain: tuple[Term, ...]) -> str:
    """Return the name that is given first: a symbol or a text; "" if there is none."""
    first = plain[0] if plain else None
    return str(first[2] or "") if first is not None and first[:2] == ("const", "str") else ""


def _run(w: W, method: Node, name: str, value: Term, plain: tuple[Term, ...]) -> Term:
    """Return a call of a method that runs its block with an element of the receiver, or with it.

    A second parameter is the value of a mapping, if it is one.
    """
    receiver = held(w, value, method)
    block = plain[-1][1] if plain[-1] is not None else -1
    whole = name in _GIVEN_WHOLE
    second = w.parameters(block)[1:2] if name in _PAIRED else ()
    part: Term = ("item", ("iter", receiver), ("const", "int", 1))
    for other in second:
        either: Term = ("either", (part, ("item", receiver, None)))
        w.add(w.body(block), ("bind", ("name", other), ("in", w.at, either)))
    element: Term = receiver if whole else ("iter", receiver)
    return run_by(w, ("attr", receiver, name), plain, w.site(method), element=lambda _: element)


def closure(w: W, node: Node) -> int:
    """Define a block or lambda and return its number."""
    parts = fields(node)
    body, listed = parts.get("body"), parts.get("parameters")
    if body is not None and body.type in ("block", "do_block"):
        body = body.child_by_field_name("body")
    taken = parameters(w, listed)
    number = w.define(
        "function", "<lambda>", node, scope=w.at, body="function",
        header=body.start_byte if body is not None else None, params=taken,
    )  # fmt: skip
    walk_body(w, number, body, taken, listed)
    return number


def walk_body(
    w: W, number: int, body: Node | None, taken: tuple[Param, ...], listed: Node | None = None
) -> None:
    """Walk the body of a method or block; its last expression is what it returns."""
    if body is None:
        return
    nodes = [body]
    if body.type in ("body_statement", "block_body", "then"):
        nodes = [child for child in body.named_children if child.type != "heredoc_body"]
    heredocs = [child for child in body.named_children if child.type == "heredoc_body"]
    while nodes and nodes[-1].type == "comment":
        nodes.pop()
    tail = nodes.pop() if nodes and nodes[-1].type not in _NO_VALUE else None

    def last() -> None:
        value = w.term(tail)
        if value is not None:
            w.say("return", value)

    known, w.known = w.known, set(w.known)
    if listed is not None:
        _bind_apart(w, w.body(number), listed)
    w.within(w.body(number), [*nodes, *heredocs], taken, last)
    w.known = known


def _bind_apart(w: W, scope: int, listed: Node) -> None:
    """Bind, in the scope of a body, names of its own and what parameters take apart."""
    around, w.at = w.at, scope
    for own in listed.children_by_field_name("locals"):
        w.know(("name", w.name(own)))
    for child in listed.named_children:
        if child.type == "destructured_parameter":
            w.bind(_apart(w, child), ("name", f"<{child.start_byte}>"))
    w.at = around


def _apart(w: W, node: Node, depth: int = 0) -> Term:
    """Return the target of `(a, (b, *c))` among parameters."""
    targets: list[Term] = []
    for child in node.named_children if depth < DEEPEST else ():
        named = child.child_by_field_name("name")
        if child.type == "destructured_parameter":
            targets.append(_apart(w, child, depth + 1))
        elif child.type == "splat_parameter":
            targets.append(("star", ("name", w.name(named))) if named is not None else None)
        else:
            targets.append(("name", w.name(child)))
    return ("tuple", tuple(targets))


_NO_VALUE = frozenset(
    """
    method singleton_method class module while until for ensure rescue else return alias
    """.split()
)


def parameters(w: W, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method or block."""
    params = []
    own = node.children_by_field_name("locals") if node is not None else []
    for child in node.named_children if node is not None else ():
        if child in own:
            continue
        if child.type == "identifier":
            params.append(Param(w.name(child), None, None, ""))
        elif child.type == "destructured_parameter":
            params.append(Param(f"<{child.start_byte}>", None, None, ""))
        elif child.type.endswith("_parameter"):
            parts = fields(child)
            name = w.name(parts["name"]) if "name" in parts else ""
            default = w.term(parts["value"]) if "value" in parts else None
            params.append(Param(name, None, default, _SORTS.get(child.type, "")))
    return tuple(params)


CALLS: Terms = {
    "call": call,
    "super": lambda w, node: ("call", ("attr", ("super",), w.method), (), (), w.site(node)),
    "lambda": lambda w, node: ("def", closure(w, node)),
}
