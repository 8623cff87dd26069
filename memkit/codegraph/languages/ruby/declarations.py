"""Ruby: its dialect, modules, classes, attributes, mixins, delegation."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...dialect import Dialect, words
from ...facts import Facts, Term
from ..walker import Expressions, Statements, children_of, fields, without_comments
from .expressions import EXPRESSIONS, RubyWalker, call, closure, parameters, path_of, walk_body
from .statements import STATEMENTS, assign, case_match, value_of

if TYPE_CHECKING:
    from tree_sitter import Node, Tree


# --- Declaring calls: attributes, mixins, access, aliases, delegation, required files.


def copy(walker: RubyWalker, node: Node, name: str, old: str) -> None:
    """Define a method that is another one under a new name."""
    flags = ("alias", "static") if walker.is_static else ("alias",)
    kind = "method" if walker.scope_kind == "class" else "function"
    walker.define(kind, name, node, flags=flags, doc=walker.take_comment())
    walker.bind(("name", name), ("name", old))


def _literal(walker: RubyWalker, node: Node) -> str:
    if node.type in ("simple_symbol", "string", "delimited_symbol"):
        return walker.text(node).strip(":\"'")
    return ""


def attributes(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """Define the methods that read and write attributes."""
    doc, static = walker.take_comment(), ("static",) if walker.is_static else ()
    for arg in args:
        attribute = _literal(walker, arg)
        if not attribute:
            continue
        for suffix in _SUFFIXES[name.rpartition("_")[2]]:
            index = walker.define_hoisted(
                "method", attribute + suffix, arg, flags=("property", *static),
                body="function" if not suffix else "", doc=doc,
            )  # fmt: skip
            if not suffix:
                walker.emit_in(walker.body(index), "return", ("attr", ("self",), f"@{attribute}"))
    return True


def _mixin(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    for arg in args:
        base = walker.evaluate(arg)
        if base is not None and base[0] in ("name", "attr"):
            walker.emit("mixin", walker.me, base)
    return True


def access(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    """`private` changes what follows, or only the method that it is given."""
    is_private = name != "public"
    if not args:
        walker.is_private = is_private
        return True
    is_static = walker.is_static or name.endswith("class_method")
    with walker.having(is_private=is_private, is_static=is_static):
        for arg in args:
            walker.run(arg)
    return True


def _module_function(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    if not args:
        walker.is_static = True
    for arg in args:
        walker.run(arg)
    return True


def _define_method(walker: RubyWalker, node: Node, name: str, args: list[Node]) -> bool:
    block = node.child_by_field_name("block")
    method_name = _literal(walker, args[0]) if args else ""
    if not method_name or block is None:
        return False
    doc = walker.take_comment()
    index = closure(walker, block)
    walker.rename(index, method_name, node, args[0], doc)
    walker.hoist("define", index)
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
        key, value = arg.child_by_field_name("key"), arg.child_by_field_name("value")
        if key is not None and value is not None and walker.text(key).strip(":") == "to":
            for method in args:
                _hand_on(walker, value, method, method)
            return True
    return False


def _hand_on(walker: RubyWalker, to: Node, called: Node, named: Node) -> None:
    """Define a method that calls one of something else."""
    if method_name := _literal(walker, named):
        index = walker.define_hoisted("method", method_name, named, body="function")
        callee: Term = ("attr", _delegate_of(walker, to), _literal(walker, called))
        term = ("call", callee, (), (), walker.site(called))
        walker.emit_in(walker.body(index), "return", term)


def _delegate_of(walker: RubyWalker, node: Node) -> Term:
    """Return what a delegation hands its calls to: a variable of the object, or its method."""
    name = _literal(walker, node)
    member: Term = ("attr", ("self",), name)
    return member if name.startswith("@") else ("call", member, (), (), walker.site(node))


_SUFFIXES = {"accessor": ("", "="), "reader": ("",), "writer": ("=",), "attr": ("",)}


_REQUIRING = ("require", "require_relative", "load", "autoload")
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
    **dict.fromkeys(_REQUIRING, _require),
}


# --- Dialect, modules, classes and methods.

DIALECT = Dialect(
    name="ruby",
    line_comment="#",
    setter_suffix="=",
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
    builtin_methods=words("""
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
    """),
    transparent=words("dup clone freeze tap itself compact uniq sort sort_by to_a"),
    elements=words("first last find detect pop shift sample fetch"),
)


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Ruby file says."""
    walker = RubyWalker(source, path, DIALECT, _EXPRESSIONS, _STATEMENTS)
    walker.run_tree(tree.root_node)
    doc = walker.leading_comment(tree.root_node)
    return walker.finish(tree.root_node, doc=doc)


def _class(walker: RubyWalker, node: Node) -> None:
    """A class or module, open for more wherever it stands; `class A::B` is B of A."""
    parts = fields(node)
    named = parts.get("name")
    if named is None:
        return
    path, doc = path_of(walker, named), walker.take_comment()
    if path is None:
        return
    parent = parts.get("superclass")
    base = walker.evaluate(parent.named_children[0]) if parent is not None else None
    name, owner = path[-1], path[1] if path[0] == "attr" else None
    dotted = walker.text(named).strip(":").replace("::", ".")
    flags = ("namespace",) if node.type == "module" else ()
    index = walker.define(
        "class", name, node, body="class", named=named,
        header=(parent if parent is not None else named).end_byte,
        qualname=walker.qualified(dotted), flags=flags, bases=(base,) if base else (),
        owner=owner, doc=doc,
    )  # fmt: skip
    if owner is None:
        walker.hoist("define", index)
    else:
        walker.hoist("bind", ("attr", owner, name), ("def", index))
    me = ("name", name) if owner is None else path
    _members(walker, walker.body(index), parts.get("body"), me)


def _members(walker: RubyWalker, scope: int, body: Node | None, me: Term) -> None:
    if body is not None and body.parent is not None:
        # A comment above the first statement stands outside of the body.
        comments = [child for child in body.parent.named_children if child.type == "comment"]
        with walker.having(is_private=False, is_static=False, me=me, locals=set()):
            walker.run_body(scope, [*comments, *body.named_children])


def _singleton_class(walker: RubyWalker, node: Node) -> None:
    """`class << self`: the methods in it are the class's own."""
    if (body := node.child_by_field_name("body")) is not None:
        with walker.having(is_private=False, is_static=True):
            walker.run_all(body.named_children)


def _method(walker: RubyWalker, node: Node) -> None:
    parts = fields(node)
    named, body, listed = parts.get("name"), parts.get("body"), parts.get("parameters")
    if named is None:
        return
    name, doc = walker.text(named), walker.take_comment()
    is_member, receiver = walker.scope_kind == "class", parts.get("object")
    is_static = walker.is_static or receiver is not None
    owner = None
    if receiver is not None and receiver.type != "self":
        owner = path_of(walker, receiver)
    flags = ["static"] if is_static else []
    flags += ["private"] if walker.is_private and not is_static else []
    flags += ["test"] if name.startswith("test_") and is_member else []
    flags += ["constructor"] if name == "initialize" else []
    params = parameters(walker, listed)
    index = walker.define(
        "method" if is_member or receiver is not None else "function", name, node, named=named,
        body="function", header=(listed if listed is not None else named).end_byte,
        qualname=f"{walker.text(receiver)}.{name}" if owner and receiver is not None else None,
        flags=flags, params=params, owner=owner, doc=doc,
    )  # fmt: skip
    if owner is None:
        walker.hoist("define", index)
    with walker.having(locals=set(), method=name):
        walk_body(walker, index, body, params)


def _alias(walker: RubyWalker, node: Node) -> None:
    name, old = node.child_by_field_name("name"), node.child_by_field_name("alias")
    if name is not None and old is not None:
        copy(walker, node, walker.text(name).lstrip(":"), walker.text(old).lstrip(":"))


def _identifier(walker: RubyWalker, node: Node) -> None:
    """A lone word in a class may be `private`."""
    name = walker.text(node)
    if walker.scope_kind == "class" and name in _LONE_WORDS:
        DECLARING[name](walker, node, name, [])
    else:
        walker.discard(walker.evaluate(node))


_LONE_WORDS = words("private protected public module_function")


def _call(walker: RubyWalker, node: Node) -> None:
    walker.discard(_call_term(walker, node))


def _call_term(walker: RubyWalker, node: Node) -> Term:
    """Calls that declare something, wherever they stand, and all others."""
    method = node.child_by_field_name("method")
    if method is None or node.child_by_field_name("receiver") is not None:
        return call(walker, node)
    name = walker.name(method)
    is_declaring = walker.scope_kind == "class" or name in _REQUIRING
    declare = DECLARING.get(name) if is_declaring else None
    args = without_comments(node.child_by_field_name("arguments"))
    is_declared = declare is not None and declare(walker, node, name, args)
    return None if is_declared else call(walker, node)


def _assignment(walker: RubyWalker, node: Node) -> None:
    """`X = Class.new(Base) { … }` and `Struct.new(:a)` are classes."""
    left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
    if left is None or right is None:
        return
    if left.type == "constant" and right.type == "call":
        parts = fields(right)
        maker = walker.text(parts["receiver"]) if "receiver" in parts else ""
        method = walker.text(parts["method"]) if "method" in parts else ""
        if (maker, method) in _MAKERS:
            _made_class(walker, node, left, parts)
            return
    assign(walker, node)


def _made_class(walker: RubyWalker, node: Node, left: Node, parts: dict[str, Node]) -> None:
    name, maker = walker.name(left), walker.text(parts["receiver"])
    block, args = parts.get("block"), children_of(parts.get("arguments"))
    base = walker.evaluate(args[0]) if args and maker == "Class" else None
    flags = _MAKER_FLAGS.get(maker, ())
    index = walker.define_hoisted(
        "class", name, node, body="class", named=left, flags=flags, bases=(base,) if base else (),
        doc=walker.take_comment(),
    )  # fmt: skip
    walker.declared.add((walker.scope, name))
    if flags == ("struct",):
        with walker.in_scope(walker.body(index)):
            attributes(walker, node, "attr_accessor", args)
    body = block.child_by_field_name("body") if block is not None else None
    _members(walker, walker.body(index), body, ("name", name))


_MAKER_FLAGS = {"Module": ("namespace",), "Struct": ("struct",)}
_MAKERS = {("Class", "new"), ("Module", "new"), ("Struct", "new"), ("Data", "define")}

_EXPRESSIONS: Expressions = {
    **EXPRESSIONS,
    "case_match": case_match,
    "call": _call_term,
    "assignment": value_of,
    "operator_assignment": value_of,
}
_STATEMENTS: Statements = {
    **STATEMENTS,
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
