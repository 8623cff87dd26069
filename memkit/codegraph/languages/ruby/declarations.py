"""Modules, classes, attributes, mixins, delegation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect
from ...facts import Facts, Term
from ..facts_builder import count_errors
from ..walker import Statements, Terms, fields
from .expressions import CALLS, TERMS, RubyWalker, call, closure, parameters, path_of, walk_body
from .statements import BLOCKS, PATTERN_STATEMENTS, PATTERN_TERMS, assign, value_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Ruby calls that declare something: attributes, mixins, access, aliases, required files.


def copy(walker: RubyWalker, node: Node, name: str, old: str) -> None:
    """Define a method that is another one under a new name."""
    flags = ("alias", "static") if walker.is_static else ("alias",)
    kind = "method" if walker.scope(walker.at).kind == "class" else "function"
    walker.define(kind, name, node, scope=walker.at, flags=flags, doc=walker.above())
    walker.bind(("name", name), ("name", old))


def _literal(walker: RubyWalker, node: Node) -> str:
    if node.type in ("simple_symbol", "string", "delimited_symbol"):
        return walker.text(node).strip(":\"'")
    return ""


def attributes(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """Define the methods that read and write attributes."""
    doc, static = walker.above(), ("static",) if walker.is_static else ()
    for arg in args:
        attribute = _literal(walker, arg)
        if not attribute:
            continue
        for suffix in _SUFFIXES[name.rpartition("_")[2]]:
            number = walker.define(
                "method", attribute + suffix, arg, scope=walker.at, flags=("property", *static),
                body="function" if not suffix else "", doc=doc,
            )  # fmt: skip
            walker.hoist("define", number)
            if not suffix:
                walker.add(walker.body(number), ("return", ("attr", ("self",), f"@{attribute}")))
    return True


def _mixin(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    for arg in args:
        base = walker.term(arg)
        if base is not None and base[0] in ("name", "attr"):
            walker.say("mixin", walker.me, base)
    return True


def access(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """`private` changes what follows, or only the method that it is given."""
    if not args:
        walker.is_private = name != "public"
        return True
    held, walker.is_private = walker.is_private, name != "public"
    static, walker.is_static = walker.is_static, walker.is_static or name.endswith("class_method")
    for arg in args:
        walker.run(arg)
    walker.is_private, walker.is_static = held, static
    return True


def _module_function(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    if not args:
        walker.is_static = True
    for arg in args:
        walker.run(arg)
    return True


def _define_method(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    block = node.child_by_field_name("block")
    made = _literal(walker, args[0]) if args else ""
    if not made or block is None:
        return False
    doc = walker.above()
    number = closure(walker, block)
    walker.rename(number, made, node, args[0], doc)
    walker.hoist("define", number)
    return True


def _alias_method(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    names = [_literal(walker, arg) for arg in args]
    if len(names) != 2 or not all(names):
        return False
    copy(walker, node, *names)
    return True


def _require(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    module = _literal(walker, args[-1]) if args else ""
    if not module or "#{" in module:
        return False
    level = 1 if name == "require_relative" else 0
    walker.hoist("import", "", module, None, level, walker.site(args[-1]))
    return True


def _delegate(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """`def_delegators :@x, :a, :b` makes methods a and b, `def_delegator :@x, :a, :b` calls a b."""
    methods = args[1:]
    pairs = [(method, method) for method in methods]
    if name == "def_delegator":
        pairs = [(methods[0], methods[-1])] if methods else []
    for called, named in pairs:
        _hand_on(walker, args[0], called, named)
    return True


def _delegate_to(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """`delegate :a, :b, to: :x`."""
    for arg in args:
        parts = fields(arg)
        if "key" in parts and "value" in parts and walker.text(parts["key"]).strip(":") == "to":
            for method in args:
                _hand_on(walker, parts["value"], method, method)
            return True
    return False


def _hand_on(walker: RubyWalker, to: Node, called: Node, named: Node) -> None:
    """Define a method that calls one of something else."""
    made = _literal(walker, named)
    if made:
        number = walker.define("method", made, named, scope=walker.at, body="function")
        walker.hoist("define", number)
        callee: Term = ("attr", _delegate_of(walker, to), _literal(walker, called))
        walker.add(walker.body(number), ("return", ("call", callee, (), (), walker.site(called))))


def _delegate_of(walker: RubyWalker, node: Node) -> Term:
    """Return what a delegation hands its calls to: a variable of the object, or its method."""
    name = _literal(walker, node)
    member: Term = ("attr", ("self",), name)
    return member if name.startswith("@") else ("call", member, (), (), walker.site(node))


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


# --- Ruby: modules, classes, attributes, mixins, blocks, aliases, methods made by other methods.

DIALECT = Dialect(
    name="ruby",
    extensions=(".rb", ".rake", ".gemspec", ".ru"),
    files=("Rakefile", "Gemfile"),
    family="ruby",
    methods_outside_class=True,
    reopened="all",
    type_may_be_member=True,
    dict_keys_are_members=False,
    dynamically_typed=True,
    constructors=frozenset({"initialize"}),
    implicit_members=True,
    shares_namespace=True,
    # Methods of Object, String, Array, Hash and of what the standard library hands out most.
    builtin_methods=frozenset(
        """
        + - * / % ** == != < > <= >= <=> === =~ << >> & | ^ ! [] []= all? any? append arity
        attributes between? bytes call capitalize ceil chars chomp class clear clone
        close collect compact
        concat convert count delete delete_at delete_if detect dig downcase dup each each_key
        each_line each_pair each_slice each_value each_with_index each_with_object empty? encode
        encoding end_with? eql? error even? extend fetch filter find find_all find_index first
        flat_map flatten floor flush force_encoding format freeze frozen? get gsub has_key? hash
        include? index info inject insert inspect instance_of? instance_variable_get
        instance_variable_set is_a? join key? keys kind_of? last length lines load ljust log lstrip
        map match match? max merge merge! message method min name new next nil? none? open pack
        parse partition path pop pos post prepend print push put puts quote raise rand read reduce
        reject replace respond_to? reverse rewind rindex rjust rotate round rstrip run sample scan
        select send set shift size skip slice sort sort_by split squeeze start start_with? step
        stop strip sub sum swapcase synchronize take tap test then times to_a to_h to_i to_proc
        to_s to_str to_sym tr transform_values trim type uniq unpack unshift upcase update value
        value? values warn write zero? zip
        """.split()
    ),
    transparent=frozenset("dup clone freeze tap itself compact uniq sort sort_by to_a".split()),
    elements=frozenset({"first", "last", "find", "detect", "pop", "shift", "sample", "fetch"}),
)


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Ruby file says."""
    walker = RubyWalker(source, path, DIALECT, _TERMS, _STATEMENTS)
    walker.walk_all(tree.root_node)
    doc = walker.leading_comment(tree.root_node)
    return walker.finish(errors=count_errors(tree.root_node), doc=doc)


def _class(walker: RubyWalker, node: Node) -> None:
    """A class or module, open for more wherever it stands; `class A::B` is B of A."""
    parts = fields(node)
    named = parts.get("name")
    if named is None:
        return
    path, doc = path_of(walker, named), walker.above()
    if path is None:
        return
    parent = parts.get("superclass")
    base = walker.term(parent.named_children[0]) if parent is not None else None
    name, owner = path[-1], path[1] if path[0] == "attr" else None
    dotted = walker.text(named).strip(":").replace("::", ".")
    flags = ("namespace",) if node.type == "module" else ()
    number = walker.define(
        "class", name, node, scope=walker.at, body="class", named=named,
        header=(parent if parent is not None else named).end_byte,
        qualname=walker.qualified(walker.at, dotted), flags=flags, bases=(base,) if base else (),
        owner=owner, doc=doc,
    )  # fmt: skip
    if owner is None:
        walker.hoist("define", number)
    else:
        walker.hoist("bind", ("attr", owner, name), ("def", number))
    _members(
        walker, walker.body(number), parts.get("body"), ("name", name) if owner is None else path
    )


def _members(walker: RubyWalker, scope: int, body: Node | None, me: Term) -> None:
    held = walker.is_private, walker.is_static, walker.me, walker.known
    walker.is_private, walker.is_static, walker.me, walker.known = False, False, me, set()
    if body is not None and body.parent is not None:
        # A comment above the first statement stands outside of the body.
        comments = [child for child in body.parent.named_children if child.type == "comment"]
        walker.within(scope, [*comments, *body.named_children])
    walker.is_private, walker.is_static, walker.me, walker.known = held


def _singleton_class(walker: RubyWalker, node: Node) -> None:
    """`class << self`: the methods in it are the class's own."""
    body = node.child_by_field_name("body")
    held = walker.is_private, walker.is_static
    walker.is_private, walker.is_static = False, True
    if body is not None:
        walker.each(body.named_children)
    walker.is_private, walker.is_static = held


def _method(walker: RubyWalker, node: Node) -> None:
    parts = fields(node)
    named, body, listed = parts.get("name"), parts.get("body"), parts.get("parameters")
    if named is None:
        return
    name, doc = walker.text(named), walker.above()
    is_member = walker.scope(walker.at).kind == "class"
    receiver = parts.get("object")
    is_static = walker.is_static or receiver is not None
    owner = None
    if receiver is not None and receiver.type != "self":
        owner = path_of(walker, receiver)
    flags = ["static"] if is_static else []
    flags += ["private"] if walker.is_private and not is_static else []
    flags += ["test"] if name.startswith("test_") and is_member else []
    flags += ["constructor"] if name == "initialize" else []
    taken = parameters(walker, listed)
    number = walker.define(
        "method" if is_member or receiver is not None else "function", name, node, scope=walker.at,
        body="function", named=named, header=(listed if listed is not None else named).end_byte,
        qualname=f"{walker.text(receiver)}.{name}" if owner and receiver is not None else None,
        flags=flags, params=taken, owner=owner, doc=doc,
    )  # fmt: skip
    if owner is None:
        walker.hoist("define", number)
    held, walker.known, walker.method = (walker.known, walker.method), set(), name
    walk_body(walker, number, body, taken)
    walker.known, walker.method = held


def _alias(walker: RubyWalker, node: Node) -> None:
    parts = fields(node)
    if "name" in parts and "alias" in parts:
        copy(
            walker,
            node,
            walker.text(parts["name"]).lstrip(":"),
            walker.text(parts["alias"]).lstrip(":"),
        )


def _identifier(walker: RubyWalker, node: Node) -> None:
    """A lone word in a class may be `private`."""
    name = walker.text(node)
    if walker.scope(walker.at).kind == "class" and name in ("private", "protected", "public"):
        access(walker, node, name, [])
    elif walker.scope(walker.at).kind == "class" and name == "module_function":
        walker.is_static = True
    else:
        walker.do(walker.term(node))


def _call(walker: RubyWalker, node: Node) -> None:
    walker.do(_call_term(walker, node))


def _call_term(walker: RubyWalker, node: Node) -> Term:
    """Calls that declare something, wherever they stand, and all others."""
    parts = fields(node)
    method = parts.get("method")
    if method is None or parts.get("receiver") is not None:
        return call(walker, node)
    name = walker.text(method)
    listed = parts.get("arguments")
    args = [c for c in listed.named_children if c.type != "comment"] if listed is not None else []
    maker = (
        DECLARING.get(name) if walker.scope(walker.at).kind == "class" or name in ANYWHERE else None
    )
    is_declared = maker is not None and maker(walker, node, name, args)
    return None if is_declared else call(walker, node)


def _assignment(walker: RubyWalker, node: Node) -> None:
    """`X = Class.new(Base) { … }` and `Struct.new(:a)` are classes."""
    parts = fields(node)
    left, right = parts.get("left"), parts.get("right")
    if left is None or right is None:
        return
    if left.type == "constant" and right.type == "call":
        made = fields(right)
        maker = walker.text(made["receiver"]) if "receiver" in made else ""
        method = walker.text(made["method"]) if "method" in made else ""
        if (maker, method) in _MAKERS:
            _made_class(walker, node, left, made)
            return
    assign(walker, node)


def _made_class(walker: RubyWalker, node: Node, left: Node, made: dict[str, Node]) -> None:
    listed, block = made.get("arguments"), made.get("block")
    args = listed.named_children if listed is not None else []
    base = walker.term(args[0]) if args and walker.text(made["receiver"]) == "Class" else None
    flags = {"Module": ("namespace",), "Struct": ("struct",)}.get(walker.text(made["receiver"]), ())
    number = walker.define(
        "class", walker.name(left), node, scope=walker.at, body="class", named=left, flags=flags,
        bases=(base,) if base else (), doc=walker.above(),
    )  # fmt: skip
    walker.hoist("define", number)
    walker.declared.add((walker.at, walker.name(left)))
    if flags == ("struct",):
        around, walker.at = walker.at, walker.body(number)
        attributes(walker, node, "attr_accessor", args)
        walker.at = around
    body = block.child_by_field_name("body") if block is not None else None
    _members(walker, walker.body(number), body, ("name", walker.name(left)))


_MAKERS = {("Class", "new"), ("Module", "new"), ("Struct", "new"), ("Data", "define")}

_TERMS: Terms = {
    **TERMS,
    **CALLS,
    **PATTERN_TERMS,
    "call": _call_term,
    "assignment": value_of,
    "operator_assignment": value_of,
}
_STATEMENTS: Statements = {
    **BLOCKS,
    **PATTERN_STATEMENTS,
    "identifier": _identifier,
    "class": _class,
    "module": _class,
    "singleton_class": _singleton_class,
    "method": _method,
    "singleton_method": _method,
    "alias": _alias,
    "call": _call,
    "assignment": _assignment,
}
