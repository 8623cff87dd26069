"""Ruby: expressions, calls, blocks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ...dialect import words
from ...facts import MODULE_SCOPE, Param, Term
from ..walker import (
    MAX_DEPTH,
    Expressions,
    SyntaxWalker,
    children_of,
    constants,
    fields,
    first_child,
    list_term,
    method_call,
    name_term,
    one_of,
    reusable,
    run_callbacks,
    short_text,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Walker and expressions.

_CONSTANTS = {"integer": "int", "float": "float", "true": "bool", "false": "bool", "nil": "none"}


class RubyWalker(SyntaxWalker):
    """Knows the class it is in, and what kind of methods come next.

    Attributes:
        is_private, is_static: of the methods that follow in a class body.
        method: name of the method it is in, which is what `super` calls.
        me: the class whose body it is in.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_private = False
        self.is_static = False
        self.method = ""
        self.me: Term = None

    def rename(self, index: int, name: str, node: Node, named: Node, doc: str) -> None:
        """Make a method of a block."""
        line, column = self.builder.position(named.start_byte)
        self.fill(
            index, kind="method", name=name, qualname=self.qualified(name),
            start=node.start_byte, end=node.end_byte, line=line, column=column, doc=doc,
        )  # fmt: skip

    def constant(self, node: Node, name: str) -> None:
        """Define a constant where it is first bound."""
        if self.builder.is_first(self.scope, name):
            self.define(
                "variable", name, node, named=node, flags=("constant",),
                doc=self.take_comment(),
            )  # fmt: skip


def _identifier(walker: RubyWalker, node: Node) -> Term:
    """A name that nothing binds is a call without arguments."""
    name = walker.name(node)
    is_of_file = walker.scope == MODULE_SCOPE and (MODULE_SCOPE, name) in walker.declared
    if name in walker.locals or is_of_file:
        return ("name", name)
    return ("call", ("name", name), (), (), walker.site(node))


def _variable(walker: RubyWalker, node: Node) -> Term:
    """`@x` and `x` are members."""
    return ("attr", ("self",), walker.name(node))


def _string(walker: RubyWalker, node: Node) -> Term:
    text: str | None = None
    for child in node.named_children:
        if child.type == "interpolation":
            walker.run_all(child.named_children)
            text = None
        elif child.type == "string_content":
            text = walker.text(child)
    return short_text(text if node.named_child_count == 1 else None)


def _chained(walker: RubyWalker, node: Node) -> Term:
    """`"a" "b"`: each part may have code of its own in it."""
    walker.evaluate_all(node.named_children)
    return short_text(None)


def _symbol(walker: RubyWalker, node: Node) -> Term:
    return ("const", "str", walker.name(node).strip(':"'))


def path_of(walker: RubyWalker, node: Node) -> Term:
    """Return the term of a constant: `A::B`."""
    names: list[str] = []
    first: Node | None = node
    while first is not None and first.type == "scope_resolution":
        parts = fields(first)
        if "name" not in parts:
            return None
        names.append(walker.name(parts["name"]))
        first = parts.get("scope")
    term: Term = None
    if first is not None:
        term = ("name", walker.name(first)) if first.type == "constant" else walker.evaluate(first)
    for name in reversed(names):
        term = ("attr", term, name) if first is not None or term is not None else ("name", name)
    return term


def inner(walker: RubyWalker, node: Node) -> Term:
    """The last of what stands in brackets; the others are evaluated before it."""
    parts = without_comments(node)
    for part in parts[:-1]:
        walker.run(part)
    return walker.evaluate(parts[-1]) if parts else None


def _either(walker: RubyWalker, node: Node) -> Term:
    """`if`, `case`, `begin`: one of the values of the branches."""
    parts = fields(node)
    heads = (parts.get("condition"), parts.get("value"), parts.get("pattern"))
    values = []
    for child in without_comments(node):
        if child in heads:
            walker.run(child)
        else:
            values.append(walker.evaluate(child))
    return one_of(values)


def _modified(walker: RubyWalker, node: Node) -> Term:
    """`x if y`."""
    walker.run_field(node, "condition")
    return walker.evaluate_field(node, "body")


def _rescued(walker: RubyWalker, node: Node) -> Term:
    """`x rescue y` is one of both."""
    return ("either", (walker.evaluate_field(node, "body"), walker.evaluate_field(node, "handler")))


def _binary(walker: RubyWalker, node: Node) -> Term:
    operator = node.child_by_field_name("operator")
    left, right = walker.evaluate_field(node, "left"), walker.evaluate_field(node, "right")
    if operator is not None and operator.type in ("||", "or", "&&", "and"):
        return ("either", (left, right))
    if left is None or left[0] == "const" or operator is None:
        walker.discard(left)
        walker.discard(right)
        return None
    return method_call(walker, left, operator.type, (right,), operator)


def _element(walker: RubyWalker, node: Node) -> Term:
    parts = node.named_children
    base = walker.evaluate(parts[0]) if parts else None
    keys = [walker.evaluate(part) for part in parts[1:]]
    if len(keys) == 1:
        return ("item", base, keys[0])
    for key in keys:
        walker.discard(key)
    return ("item", base, None)


def _words(walker: RubyWalker, node: Node) -> Term:
    """`%w[a b]`: texts, each of which may have code in it."""
    return ("list", tuple(_string(walker, child) for child in node.named_children))


def _hash(walker: RubyWalker, node: Node) -> Term:
    pairs = []
    for child in node.named_children:
        parts = fields(child)
        if child.type == "pair" and "key" in parts:
            key = parts["key"]
            is_symbol, value = key.type == "hash_key_symbol", parts.get("value")
            term: Term = ("const", "str", walker.name(key)) if is_symbol else walker.evaluate(key)
            # `{a:}` is `{a: a}`.
            pairs.append((term, walker.evaluate(value) if value else _identifier(walker, key)))
        elif child.type == "hash_splat_argument":
            pairs.append((None, inner(walker, child)))
    return ("dict", tuple(pairs))


# --- Calls, blocks and parameters.

# Plain arguments, and those with a name.
Arguments = tuple[tuple[Term, ...], tuple[tuple[str, Term], ...]]


# Methods that run their block with each element, with a key and a value, with the object itself.
_PAIRED = words("""
    all? any? collect count each each_pair find find_all flat_map group_by map max_by min_by none?
    partition reject select sort_by sum filter filter_map detect
""")
_RUNNING = _PAIRED | words("""
    delete_if drop_while each_entry each_with_index each_with_object find_index index_by keep_if
    reverse_each take_while uniq
""")
_GIVEN_WHOLE = words("tap then yield_self")
# Methods that give a method by its name, and those that call one.
_METHODS = words("method instance_method public_method")
_SENDING = words("send public_send __send__")
_SORTS = {
    "splat_parameter": "*",
    "hash_splat_parameter": "**",
    "keyword_parameter": "name-only",
    "block_parameter": "",
}


def arguments(walker: RubyWalker, node: Node | None) -> Arguments:
    """Return the plain and the named arguments of a call; a block is the last plain one."""
    plain: list[Term] = []
    named: list[tuple[str, Term]] = []
    for child in children_of(node):
        kind = child.type
        if kind == "pair":
            key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
            label = walker.name(key).strip(':"') if key else ""
            named.append((label, walker.evaluate(value) if value else ("name", label)))
        elif kind == "hash_splat_argument":
            named.append(("**", inner(walker, child)))
        elif kind == "block_argument":
            walker.discard(inner(walker, child))
        elif kind != "comment":
            plain.append(walker.evaluate(child))
    return tuple(plain), tuple(named)


def call(walker: RubyWalker, node: Node) -> Term:
    """`f(x)`, `a.b x`, `a.(x)`, each with a block or without one."""
    method, block = node.child_by_field_name("method"), node.child_by_field_name("block")
    receiver, listed = node.child_by_field_name("receiver"), node.child_by_field_name("arguments")
    holder = walker.evaluate(receiver)
    plain, named = arguments(walker, listed)
    if block is not None:
        title = _title(walker, method, listed) if receiver is None else ""
        plain = (*plain, ("def", closure(walker, block, title)))
    if method is None or method.type == "super":
        callee: Term = ("attr", ("super",), walker.method) if method is not None else holder
        return ("call", callee, plain, named, walker.site(node))
    name = walker.name(method)
    if name in ("lambda", "proc") and receiver is None and plain:
        return plain[-1]
    if receiver is not None:
        return _on_receiver(walker, method, name, holder, (plain, named))
    if method.type == "constant" and listed is None and not plain:
        return ("name", name)
    symbol = _first_symbol(plain)
    if symbol and name in _METHODS:
        return ("attr", ("self",), symbol)
    if symbol and name in _SENDING:
        name, plain = symbol, plain[1:]
    return ("call", ("name", name), plain, named, walker.site(method))


# Methods of test runners that take a title and a block: `it "…" do`.
_TITLED = words("describe context it specify test feature scenario")

# Letters of a title that make a name.
_TITLE_CHARS = 100


def _title(walker: RubyWalker, method: Node | None, listed: Node | None) -> str:
    """Return the title of a test or of a group of them, "" for other calls."""
    if method is None or walker.name(method) not in _TITLED:
        return ""
    first = first_child(listed)
    if first is None or first.type not in ("string", "constant", "scope_resolution"):
        return ""
    title = walker.text(first)
    return " ".join((title[1:-1] if first.type == "string" else title).split())[:_TITLE_CHARS]


def _on_receiver(
    walker: RubyWalker, method: Node, name: str, holder: Term, args: Arguments
) -> Term:
    plain, named = args
    is_class = holder is not None and holder[0] in ("name", "attr") and holder[-1] != "Class"
    if name == "new" and is_class:
        return ("new", holder, plain, named, walker.site(method))
    symbol = _first_symbol(plain)
    if symbol and name in _METHODS:
        return ("attr", holder, symbol)
    if symbol and name in _SENDING:
        return ("call", ("attr", holder, symbol), plain[1:], named, walker.site(method))
    if name == "call":
        return ("call", holder, plain, named, walker.site(method))
    has_block = bool(plain) and plain[-1] is not None and plain[-1][0] == "def"
    if has_block and not named and name in _RUNNING | _GIVEN_WHOLE:
        return _run(walker, method, name, holder, plain)
    return ("call", ("attr", holder, name), plain, named, walker.site(method))


def _first_symbol(plain: tuple[Term, ...]) -> str:
    """Return the name that is given first: a symbol or a text; "" if there is none."""
    first = plain[0] if plain else None
    return str(first[2] or "") if first is not None and first[:2] == ("const", "str") else ""


def _run(walker: RubyWalker, method: Node, name: str, value: Term, plain: tuple[Term, ...]) -> Term:
    """Return a call of a method that runs its block with an element of the receiver, or with it.

    A second parameter is the value of a mapping, if it is one.
    """
    receiver = reusable(walker, value, method)
    block = plain[-1][1] if plain[-1] is not None else -1
    item: Term = ("item", ("iter", receiver), ("const", "int", 1))
    pair_value: Term = ("in", walker.scope, ("either", (item, ("item", receiver, None))))
    for param in walker.parameters(block)[1:2] if name in _PAIRED else ():
        walker.emit_in(walker.body(block), "bind", ("name", param), pair_value)
    element: Term = receiver if name in _GIVEN_WHOLE else ("iter", receiver)
    callee, site = ("attr", receiver, name), walker.site(method)
    return run_callbacks(walker, callee, plain, site, element=lambda _: element)


def closure(walker: RubyWalker, node: Node, title: str = "") -> int:
    """Define a block or lambda and return its index; a test has its title for a name."""
    body, listed = node.child_by_field_name("body"), node.child_by_field_name("parameters")
    if body is not None and body.type in ("block", "do_block"):
        body = body.child_by_field_name("body")
    params = parameters(walker, listed)
    index = walker.define(
        "function", title or "<lambda>", node, body="function",
        header=body.start_byte if body is not None else None, params=params,
        flags=("test",) if title else (),
    )  # fmt: skip
    walk_body(walker, index, body, params, listed)
    return index


def walk_body(
    walker: RubyWalker,
    index: int,
    body: Node | None,
    params: tuple[Param, ...],
    listed: Node | None = None,
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
    with walker.having(locals=set(walker.locals)):
        if listed is not None:
            _bind_apart(walker, walker.body(index), listed)
        with walker.in_body(walker.body(index), params):
            walker.run_all([*nodes, *heredocs])
            walker.emit_return(walker.evaluate(tail))


def _bind_apart(walker: RubyWalker, scope: int, listed: Node) -> None:
    """Bind, in the scope of a body, names of its own and what parameters take apart."""
    with walker.in_scope(scope):
        for named in listed.children_by_field_name("locals"):
            walker.add_locals(name_term(walker, named))
        for child in listed.named_children:
            if child.type == "destructured_parameter":
                walker.bind(_apart(walker, child), ("name", f"<{child.start_byte}>"))


def _apart(walker: RubyWalker, node: Node, depth: int = 0) -> Term:
    """Return the target of `(a, (b, *c))` among parameters."""
    targets: list[Term] = []
    for child in node.named_children if depth < MAX_DEPTH else ():
        named = child.child_by_field_name("name")
        if child.type == "destructured_parameter":
            targets.append(_apart(walker, child, depth + 1))
        elif child.type == "splat_parameter":
            targets.append(("star", ("name", walker.name(named))) if named is not None else None)
        else:
            targets.append(("name", walker.name(child)))
    return ("tuple", tuple(targets))


_NO_VALUE = words("""
    method singleton_method class module while until for ensure rescue else return alias
""")


def parameters(walker: RubyWalker, node: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a method or block."""
    params = []
    own = node.children_by_field_name("locals") if node is not None else []
    for child in children_of(node):
        if child in own:
            continue
        if child.type == "identifier":
            params.append(Param(walker.name(child), None, None, ""))
        elif child.type == "destructured_parameter":
            params.append(Param(f"<{child.start_byte}>", None, None, ""))
        elif child.type.endswith("_parameter"):
            named = child.child_by_field_name("name")
            name = walker.name(named) if named is not None else ""
            default = walker.evaluate_field(child, "value")
            params.append(Param(name, None, default, _SORTS.get(child.type, "")))
    return tuple(params)


EXPRESSIONS: Expressions = {
    "identifier": _identifier,
    "constant": name_term,
    "global_variable": name_term,
    "instance_variable": _variable,
    "class_variable": _variable,
    "self": lambda walker, node: ("self",),
    "scope_resolution": path_of,
    "string": _string,
    "chained_string": _chained,
    "simple_symbol": _symbol,
    "delimited_symbol": _string,
    "parenthesized_statements": inner,
    "splat_argument": lambda walker, node: ("star", inner(walker, node)),
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
    "array": list_term,
    "string_array": _words,
    "symbol_array": _words,
    "hash": _hash,
    "super": lambda walker, node: method_call(walker, ("super",), walker.method, (), node),
    "lambda": lambda walker, node: ("def", closure(walker, node)),
    **constants(_CONSTANTS),
}
