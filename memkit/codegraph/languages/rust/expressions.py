"""Rust: paths, types, expressions, macro tokens."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ...dialect import words
from ...facts import MODULE_SCOPE, Expression, Term
from ..walker import (
    MAX_DEPTH,
    Expressions,
    ShadowingWalker,
    applied,
    callable_of,
    cast_to,
    children_of,
    constants,
    first_child,
    first_inside,
    list_of,
    quoted_text,
    run_callbacks,
    subscript,
    union,
)

if TYPE_CHECKING:
    from tree_sitter import Node


# --- Walker, paths and types.
#
# What wraps one value (`Option`, `Result`, `Box`, `Rc`, references, …) is left out of types, so
# `?`, `unwrap` and patterns like `Some(x)` give the value itself.

WRAPPERS = words("""
    Option Result Box Rc Arc Ref RefMut RefCell Cell Mutex RwLock MutexGuard Pin Cow Weak OnceCell
    OnceLock LazyLock Lazy Rev Some Ok NonNull ManuallyDrop Cursor
""")


LISTS = words("""
    Vec VecDeque LinkedList HashSet BTreeSet BinaryHeap IndexSet SmallVec Iterator IntoIterator
    DoubleEndedIterator ExactSizeIterator Peekable
""")


MAPS = words("HashMap BTreeMap IndexMap")


class Use(NamedTuple):
    """One name that a `use` brings in.

    Attributes:
        scope: where it stands.
        modules: scopes of the modules around it, outermost first.
        parts: its path.
        local: the name that it gets, "*" for all names of a module, "" for none.
        byte: where it stands in the source.
    """

    scope: int
    modules: tuple[int, ...]
    parts: tuple[str, ...]
    local: str
    byte: int


class RustWalker(ShadowingWalker):
    """Knows the type that `Self` means, the module it is in, and the paths to be looked up.

    Attributes:
        me: term of `Self`.
        owner: type to which functions of the `impl` it is in belong.
        trait: trait that the `impl` is of.
        modules, module_names: the modules it stands in, outermost first.
        roots: first parts of paths, with the byte where each first stands.
        uses: every `use` of the file.
        bound: scope and name of what the file binds.
        members: variants of an enum, by the scope around it and its name.
        inner: scope of the body of a module, by the same.
        broken: values with which the loop that it is in is left.
        nested: paths and types within each other that it is in.
        own: names of the types that the file declares.
        impl_bounds: what its `impl` blocks ask of a parameter of a type, by name and place.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.me: Term = None
        self.owner: Term = None
        self.trait: Term = None
        self.modules = [MODULE_SCOPE]
        self.module_names: list[str] = []
        self.roots: dict[str, int] = {}
        self.uses: list[Use] = []
        self.bound: set[tuple[int, str]] = set()
        self.members: dict[tuple[int, str], list[str]] = {}
        self.inner: dict[tuple[int, str], int] = {}
        self.broken: list[Term] = []
        self.nested = 0
        self.own: set[str] = set()
        self.impl_bounds: dict[tuple[str, int], list[Term]] = {}

    def member(self, name: str) -> str | None:
        """Return the dotted name of something in an `impl`, None outside of one."""
        if self.owner is None:
            return None
        holder = self.owner[-1] if isinstance(self.owner[-1], str) else "impl"
        holder = self.owner[1].strip("&") if self.owner[0] == "const" else holder
        return self.qualified(f"{holder}.{name}")


def _is_upward(walker: RustWalker, node: Node) -> bool:
    return node.type == "super" or (
        node.type == "scoped_identifier"
        and walker.text(node).replace("::", "").strip("super") == ""
    )


def path_of(walker: RustWalker, node: Node) -> Term:
    """Return the term of a path: `a::b::C`, `Self::x`, `<T as Trait>::f`."""
    kind = node.type
    if kind in ("scoped_identifier", "scoped_type_identifier"):
        return _nested(walker, node, lambda walker, node: _scoped(walker, node.named_children))
    if kind == "bracketed_type":
        inner = first_child(node)
        return path_of(walker, inner) if inner is not None else None
    if kind in ("crate", "super"):
        return path_root(walker, kind)
    return ("name", "self") if kind == "self" else type_of(walker, node)


def _scoped(walker: RustWalker, parts: list[Node]) -> Term:
    if len(parts) < 2:
        return ("name", walker.name(parts[0])) if parts else None
    name = walker.name(parts[-1])
    ups = walker.text(parts[0]).count("super") if _is_upward(walker, parts[0]) else 0
    if parts[0].type == "self" or 0 < ups < len(walker.modules):
        return ("in", walker.modules[-1 - ups], ("name", name))
    if ups:
        root = ".".join(["super"] * (1 + ups - len(walker.modules)))
        return ("attr", path_root(walker, root), name)
    base = path_of(walker, parts[0])
    if base is not None and base[0] == "name" and parts[0].type == "identifier":
        walker.roots.setdefault(base[1], parts[0].start_byte)
    return ("attr", base, name) if base is not None else None


def path_root(walker: RustWalker, word: str) -> Term:
    """Return the term of a keyword at the beginning of a path."""
    walker.roots.setdefault(word, 0)
    return ("name", f"<{word}>")


def type_of(walker: RustWalker, node: Node | None) -> Term:
    """Return the term of a type without references and wrappers; None for one without a name."""
    while node is not None and node.type in ("reference_type", "pointer_type"):
        node = node.named_children[-1] if node.named_child_count else None
    maker = _TYPES.get(node.type) if node is not None else None
    return _nested(walker, node, maker) if node is not None and maker else None


def type_in(walker: RustWalker, node: Node, field: str = "type") -> Term:
    """Return the type in a field of a node."""
    return type_of(walker, node.child_by_field_name(field))


def _nested(walker: RustWalker, node: Node, maker: Callable[[RustWalker, Node], Term]) -> Term:
    """Return what a maker makes, unless it lies too deep in others."""
    if walker.nested >= MAX_DEPTH:
        return None
    walker.nested += 1
    term = maker(walker, node)
    walker.nested -= 1
    return term


def _type_name(walker: RustWalker, node: Node) -> Term:
    name = walker.name(node)
    return walker.bounds[name] if name in walker.bounds else _named(walker, name)


def _named(walker: RustWalker, name: str) -> Term:
    return walker.me if name == "Self" and walker.me is not None else ("name", name)


def _generic(walker: RustWalker, node: Node) -> Term:
    base, arguments = node.named_children[0], node.named_children[-1]
    named = walker.name(base.named_children[-1] if base.named_child_count else base)
    kinds = [c for c in arguments.named_children if c.type not in ("lifetime", "line_comment")]
    if named in walker.own or not kinds:
        return type_of(walker, base)
    if named in WRAPPERS:
        return type_of(walker, kinds[0])
    # By their own names: a tree may have types that are named as those of the library.
    if named in LISTS:
        return ("item", ("name", named), type_of(walker, kinds[0]))
    if named in MAPS and len(kinds) > 1:
        return applied(("name", named), [type_of(walker, kind) for kind in kinds[:2]])
    return type_of(walker, base)


def _last_type(walker: RustWalker, node: Node) -> Term:
    """`Item = T` among the arguments of a generic, `T as Trait`."""
    return type_of(walker, node.named_children[-1])


def _tuple_type(walker: RustWalker, node: Node) -> Term:
    kinds = tuple(type_of(walker, child) for child in node.named_children)
    return ("item", ("name", "tuple"), ("tuple", kinds)) if kinds else None


def _bounds(walker: RustWalker, node: Node) -> Term:
    """`impl A + B`, `dyn A`, `T: A + B`: one of several traits may have what is asked for."""
    return union([type_of(walker, child) for child in node.named_children])


_HOLDING = words("""
    generic_type trait_bounds where_clause dynamic_type abstract_type tuple_type type_arguments
""")
# What a definition says besides its body, and in a type may hold others.
_SIGNATURE = (
    "type_parameters", "parameters", "return_type", "type", "trait", "bounds", "type_arguments",
)  # fmt: skip
_NAMED_TYPES = words("type_identifier scoped_type_identifier")
# Types of the language and of its prelude, which no tree has of its own.
_PRELUDE = words("Self Option Some Vec Box String Fn FnMut FnOnce Iterator Sized Send Sync Copy")


def written_types(walker: RustWalker, node: Node, scope: int) -> None:
    """Say in a scope which types the head of a definition names within others: what is given to a
    generic, what wraps, and bounds. Those that stand alone are said by the terms of types."""
    heads = [node.child_by_field_name(field) for field in _SIGNATURE]
    heads += [child for child in node.named_children if child.type == "where_clause"]
    names: dict[str, Node] = {}
    pending = [(head, False) for head in heads if head is not None]
    while pending:
        part, is_inside = pending.pop()
        if part.type in _NAMED_TYPES:
            if is_inside:
                names.setdefault(walker.text(part), part)
            if part.type == "scoped_type_identifier":
                continue
        is_inside = is_inside or part.type in _HOLDING
        pending += [(child, is_inside) for child in part.named_children]
    for name, part in names.items():
        if name not in _PRELUDE and name not in walker.bounds:
            walker.emit_in(scope, "do", ("typed", path_of(walker, part)))


def bounds_of(walker: RustWalker, node: Node) -> dict[str, Term]:
    """Return what a definition asks of its type parameters, by their name."""
    bounds: dict[str, Term] = {}
    for child in children_of(node.child_by_field_name("type_parameters")):
        named = child.child_by_field_name("name")
        if child.type == "type_parameter" and named is not None:
            bounds[walker.name(named)] = type_in(walker, child, "bounds")
    clauses = [child for child in node.named_children if child.type == "where_clause"]
    for predicate in [child for clause in clauses for child in clause.named_children]:
        left, kinds = predicate.child_by_field_name("left"), predicate.child_by_field_name("bounds")
        if left is not None and kinds is not None and walker.name(left) in bounds:
            bounds[walker.name(left)] = type_of(walker, kinds)
    return bounds


_TYPES: dict[str, Any] = {
    "type_identifier": _type_name,
    "identifier": _type_name,
    "primitive_type": lambda walker, node: ("const", f"&{walker.name(node)}", None),
    "scoped_type_identifier": path_of,
    "scoped_identifier": path_of,
    "generic_type": _generic,
    "type_binding": _last_type,
    "array_type": lambda walker, node: list_of(type_of(walker, node.named_children[0])),
    "tuple_type": _tuple_type,
    "function_type": lambda walker, node: callable_of(type_in(walker, node, "return_type")),
    "abstract_type": _bounds,
    "dynamic_type": _bounds,
    "bounded_type": _bounds,
    "trait_bounds": _bounds,
    "higher_ranked_trait_bound": _bounds,
    "qualified_type": _last_type,
}


# --- Expressions.

_INTEGERS = {"integer_literal": "int", "float_literal": "float", "boolean_literal": "bool"}


# What only holds the one thing that it is made of.
_HOLDERS = words("Box Rc Arc RefCell Mutex RwLock")
# Methods that call what they are given with one element, or with what is wrapped.
_RUNNING = words("""
    all and_then any filter filter_map find find_map flat_map for_each inspect is_some_and map
    map_or max_by_key min_by_key partition position skip_while sort_by_key take_while
""")


def _name(walker: RustWalker, node: Node) -> Term:
    return _named(walker, walker.read(walker.name(node)))


def _identifier(walker: RustWalker, node: Node) -> Term:
    name = walker.name(node)
    return ("const", "none", None) if name == "None" else _name(walker, node)


def _field(walker: RustWalker, node: Node) -> Term:
    parts = [child for child in node.named_children if not child.type.endswith("comment")]
    return ("attr", walker.evaluate(parts[0]), walker.name(parts[-1]))


def _callee(walker: RustWalker, node: Node) -> tuple[Term, Node]:
    """Return what is called and the node of its name; `f::<T>` is `f`."""
    if node.type == "generic_function" and node.named_child_count:
        written_types(walker, node, walker.scope)
        node = node.named_children[0]
    return walker.evaluate(node), node.named_children[-1] if node.named_child_count else node


def _call(walker: RustWalker, node: Node) -> Term:
    parts = node.named_children
    callee, named = _callee(walker, parts[0])
    args, site = walker.evaluate_all(parts[-1].named_children), walker.site(named)
    if len(args) == 1 and _is_wrapping(callee):
        return args[0]
    if callee is not None and callee[0] == "attr" and callee[2] in _RUNNING:
        return run_callbacks(walker, callee, args, walker.site(named), element=_element)
    return _all(walker, args) if callee == ("name", "Err") else ("call", callee, args, (), site)


def _is_wrapping(callee: Term) -> bool:
    """Return whether a call only wraps what it is given: `Some(x)`, `Box::new(x)`."""
    if callee is None:
        return False
    if callee[-1] in ("Some", "Ok", "Box"):
        return True
    if callee[0] != "attr" or callee[2] not in ("new", "clone", "from"):
        return False
    return callee[1] is not None and callee[1][0] == "name" and callee[1][1] in _HOLDERS


def _element(receiver: Term) -> Term:
    """Return what a closure is given: an element of what is walked through, or what is wrapped."""
    return ("either", (("iter", receiver), receiver))


def _unary(walker: RustWalker, node: Node) -> Term:
    """`*x` is x; other operators give something new."""
    value = _inner(walker, node)
    if node.children[0].type == "*":
        return value
    walker.discard(value)
    return None


def _inner(walker: RustWalker, node: Node) -> Term:
    """`(x)`, `&x`, `*x`, `x?`: the value itself."""
    parts = [c for c in node.named_children if c.type != "mutable_specifier"]
    return walker.evaluate(parts[-1]) if parts else None


def _literal(walker: RustWalker, node: Node) -> Term:
    name, body = node.child_by_field_name("name"), node.child_by_field_name("body")
    kind = type_of(walker, name)
    named: list[tuple[str, Term]] = []
    for child in children_of(body):
        parts = [c for c in child.named_children if c.type != "attribute_item"]
        if not parts or child.type.endswith("comment"):
            continue
        if child.type == "base_field_initializer":
            walker.run(parts[0])
        else:
            named.append((walker.label(kind, parts[0]), walker.evaluate(parts[-1])))
    return ("new", kind, (), tuple(named), walker.site(name or node))


def _sequence_of(tag: str) -> Any:
    def make(walker: RustWalker, node: Node) -> Term:
        parts = [child for child in node.named_children if not child.type.endswith("_item")]
        return (tag, walker.evaluate_all(parts))

    return make


EXPRESSIONS: Expressions = {
    "identifier": _identifier,
    "self": lambda walker, node: ("name", "self"),
    "type_identifier": _name,
    "scoped_identifier": path_of,
    "scoped_type_identifier": path_of,
    "field_expression": _field,
    "call_expression": _call,
    "generic_function": lambda walker, node: _callee(walker, node)[0],
    "parenthesized_expression": _inner,
    "reference_expression": _inner,
    "try_expression": _inner,
    "unary_expression": _unary,
    "await_expression": lambda walker, node: ("await", first_inside(walker, node)),
    "type_cast_expression": cast_to(type_of),
    "struct_expression": _literal,
    "array_expression": _sequence_of("list"),
    "tuple_expression": _sequence_of("tuple"),
    "index_expression": subscript,
    "string_literal": quoted_text,
    "raw_string_literal": quoted_text,
    **constants(_INTEGERS),
}


# --- Names and calls inside of macro invocations, whose text has no syntax tree.

# Words of a macro's text that stand before an expression.
_WORDS = words(
    "as async await box break const continue dyn else enum extern fn for if impl in let loop match "
    "mod move mut pub ref return static struct trait type unsafe use where while yield"
)


# Kinds of words that are names: a method may be named as a type of the language.
_NAMES = words("identifier self crate super metavariable primitive_type")


# Macros of the standard library: their arguments matter, they themselves lie outside.
_STANDARD = words("""
    assert assert_eq assert_ne cfg column compile_error concat dbg debug_assert debug_assert_eq
    debug_assert_ne env eprint eprintln file format format_args include include_bytes include_str
    line matches module_path option_env panic print println stringify thread_local todo
    unimplemented unreachable vec write writeln
""")


# Macros whose text is not run but given on as it is.
_QUOTING = words("quote quote_spanned parse_quote parse_quote_spanned stringify")


def _macro(walker: RustWalker, node: Node) -> Term:
    named, tree = node.child_by_field_name("macro"), node.named_children[-1]
    args: tuple[Term, ...] = ()
    is_quoting = named is not None and walker.text(named).rpartition("::")[2] in _QUOTING
    if tree.type == "token_tree" and not is_quoting:
        tokens = walker.evaluate(tree)
        args = tokens[1] if tokens is not None and len(tokens) > 1 else ()
    if named is None:
        return None
    name = walker.name(named)
    if name == "vec":
        return ("list", args)
    if name in _STANDARD:
        return _all(walker, args)
    return ("call", path_of(walker, named), args, (), walker.site(named))


def _tokens(walker: RustWalker, tree: Node) -> Term:
    """Return what stands in a macro between commas, as far as it looks like names and calls."""
    terms: list[Term] = []
    chain: Term = None
    join = ""
    open_types = 0  # `f::<T>(x)` is `f(x)`
    for child in tree.children[1:-1]:
        kind = child.type
        if open_types or (kind == "<" and join == "::"):
            open_types += {"<": 1, ">": -1, ">>": -2}.get(kind, 0)
        elif kind in (".", "::", "?"):
            join = kind if kind != "?" else join
        elif kind == ",":
            terms.append(chain)
            chain, join = None, ""
        elif kind == "token_tree":
            chain, join = _applied(walker, chain, child), ""
        elif kind in _NAMES and walker.text(child) not in _WORDS:
            chain, join = _joined(walker, chain, join, child), ""
        elif kind != "!":
            walker.discard(chain)
            chain, join = None, ""
    terms.append(chain)
    return ("tuple", tuple(term for term in terms if term is not None))


def _joined(walker: RustWalker, chain: Term, join: str, child: Node) -> Term:
    if join and chain is not None:
        if join == "::" and chain[0] == "name":
            walker.roots.setdefault(chain[1], child.start_byte)
        return ("attr", chain, walker.name(child))
    walker.discard(chain)
    if child.type in ("crate", "super") or walker.text(child) == "$crate":
        return path_root(walker, "super" if child.type == "super" else "crate")
    return _name(walker, child)


def _applied(walker: RustWalker, chain: Term, tree: Node) -> Term:
    """A list in brackets behind a name is a call, an index, or the text of another macro."""
    before = tree.prev_sibling
    is_macro = chain is not None and before is not None and before.type == "!"
    if is_macro and chain is not None and chain[-1] in _QUOTING:
        return None
    inner = walker.evaluate(tree)
    parts: tuple[Term, ...] = inner[1] if inner is not None and len(inner) > 1 else ()
    opening = tree.children[0].type
    if chain is None:
        return parts[0] if len(parts) == 1 and opening == "(" else _all(walker, parts)
    if is_macro and before is not None:
        return _nested_macro(walker, chain, parts, before)
    if opening == "(":
        if chain[0] == "name" and chain[1] in ("Some", "Ok", "Err", "Box"):
            return parts[0] if len(parts) == 1 else _all(walker, parts)
        named = before if before is not None and before.type == "identifier" else tree
        return ("call", chain, parts, (), walker.site(named))
    if opening == "[":
        return ("item", chain, parts[0] if len(parts) == 1 else None)
    walker.discard(chain)
    return _all(walker, parts)


def _nested_macro(
    walker: RustWalker, chain: Expression, parts: tuple[Term, ...], before: Node
) -> Term:
    if chain == ("name", "vec"):
        return ("list", parts)
    if chain[-1] in _STANDARD:
        return _all(walker, parts)
    return ("call", chain, parts, (), walker.site(before.prev_sibling or before))


def _all(walker: RustWalker, parts: tuple[Term, ...]) -> Term:
    for part in parts:
        walker.discard(part)
    return None


MACROS: Expressions = {"macro_invocation": _macro, "token_tree": _tokens}
