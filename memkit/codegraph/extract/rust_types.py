"""What a Rust file knows while it is walked; its paths, types and patterns as terms.

What wraps one value (`Option`, `Result`, `Box`, `Rc`, references, …) is left out of types, so `?`,
`unwrap` and patterns like `Some(x)` give the value itself.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Term
from .builder import DEEPEST
from .hiding import HidingWalker
from .walking import Statements, Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node


WRAPPERS = frozenset(
    """
    Option Result Box Rc Arc Ref RefMut RefCell Cell Mutex RwLock MutexGuard Pin Cow Weak OnceCell
    OnceLock LazyLock Lazy Rev Some Ok NonNull ManuallyDrop Cursor
    """.split()
)


LISTS = frozenset(
    """
    Vec VecDeque LinkedList HashSet BTreeSet BinaryHeap IndexSet SmallVec Iterator IntoIterator
    DoubleEndedIterator ExactSizeIterator Peekable
    """.split()
)


MAPS = frozenset({"HashMap", "BTreeMap", "IndexMap"})


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


class RustWalker(HidingWalker):
    """Knows the type that `Self` means, the module it is in, and the paths to be looked up.

    Attributes:
        me: term of `Self`.
        owner: type to which functions of the `impl` it is in belong.
        modules, module_names: the modules it stands in, outermost first.
        roots: first parts of paths, with the byte where each first stands.
        uses: every `use` of the file.
        bound: scope and name of what the file binds.
        members: variants of an enum, by the scope around it and its name.
        inner: scope of the body of a module, by the same.
        broken: values with which the loop that it is in is left.
        nested: paths and types within each other that it is in.
        own: names of the types that the file declares.
        asked: what its `impl` blocks ask of a parameter of a type, by name and place.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.me: Term = None
        self.owner: Term = None
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
        self.asked: dict[tuple[str, int], list[Term]] = {}

    def member(self, name: str) -> str | None:
        """Return the dotted name of something in an `impl`, None outside of one."""
        if self.owner is None:
            return None
        held = self.owner[-1] if isinstance(self.owner[-1], str) else "impl"
        held = self.owner[1].strip("&") if self.owner[0] == "const" else held
        return self.qualified(self.at, f"{held}.{name}")


W = RustWalker


def _is_upward(w: W, node: Node) -> bool:
    return node.type == "super" or (
        node.type == "scoped_identifier" and w.text(node).replace("::", "").strip("super") == ""
    )


def path_of(w: W, node: Node) -> Term:
    """Return the term of a path: `a::b::C`, `Self::x`, `<T as Trait>::f`."""
    kind = node.type
    if kind in ("scoped_identifier", "scoped_type_identifier"):
        return _nested(w, node, lambda w, node: _scoped(w, node.named_children))
    if kind == "bracketed_type":
        return path_of(w, node.named_children[0]) if node.named_child_count else None
    if kind in ("crate", "super"):
        return w_root(w, kind)
    return ("name", "self") if kind == "self" else type_of(w, node)


def _scoped(w: W, parts: list[Node]) -> Term:
    if len(parts) < 2:
        return ("name", w.name(parts[0])) if parts else None
    name = w.name(parts[-1])
    ups = w.text(parts[0]).count("super") if _is_upward(w, parts[0]) else 0
    if parts[0].type == "self" or 0 < ups < len(w.modules):
        return ("in", w.modules[-1 - ups], ("name", name))
    if ups:
        root = ".".join(["super"] * (1 + ups - len(w.modules)))
        return ("attr", w_root(w, root), name)
    base = path_of(w, parts[0])
    if base is not None and base[0] == "name" and parts[0].type == "identifier":
        w.roots.setdefault(base[1], parts[0].start_byte)
    return ("attr", base, name) if base is not None else None


def w_root(w: W, word: str) -> Term:
    """Return the term of a keyword at the beginning of a path."""
    w.roots.setdefault(word, 0)
    return ("name", f"<{word}>")


def type_of(w: W, node: Node | None) -> Term:
    """Return the term of a type without references and wrappers; None for one without a name."""
    while node is not None and node.type in ("reference_type", "pointer_type"):
        node = node.named_children[-1] if node.named_child_count else None
    if node is None:
        return None
    maker = _TYPES.get(node.type)
    return _nested(w, node, maker) if maker else None


def _nested(w: W, node: Node, maker: Callable[[W, Node], Term]) -> Term:
    """Return what a maker makes, unless it lies too deep in others."""
    if w.nested >= DEEPEST:
        return None
    w.nested += 1
    found = maker(w, node)
    w.nested -= 1
    return found


def _type_name(w: W, node: Node) -> Term:
    name = w.name(node)
    if name in w.bounds:
        return w.bounds[name]
    return w.me if name == "Self" and w.me is not None else ("name", name)


def _generic(w: W, node: Node) -> Term:
    base, arguments = node.named_children[0], node.named_children[-1]
    named = w.name(base.named_children[-1] if base.named_child_count else base)
    kinds = [c for c in arguments.named_children if c.type not in ("lifetime", "line_comment")]
    if named in w.own or not kinds:
        return type_of(w, base)
    if named in WRAPPERS:
        return type_of(w, kinds[0])
    # By their own names: a tree may have types that are named as those of the library.
    if named in LISTS:
        return ("item", ("name", named), type_of(w, kinds[0]))
    if named in MAPS and len(kinds) > 1:
        pair = ("tuple", (type_of(w, kinds[0]), type_of(w, kinds[1])))
        return ("item", ("name", named), pair)
    return type_of(w, base)


def _binding(w: W, node: Node) -> Term:
    """`Item = T` among the arguments of a generic."""
    return type_of(w, node.named_children[-1])


def _sequence(w: W, node: Node) -> Term:
    return ("item", ("name", "list"), type_of(w, node.named_children[0]))


def _tuple_type(w: W, node: Node) -> Term:
    kinds = tuple(type_of(w, child) for child in node.named_children)
    return ("item", ("name", "tuple"), ("tuple", kinds)) if kinds else None


def _function_type(w: W, node: Node) -> Term:
    result = type_of(w, node.child_by_field_name("return_type"))
    return ("item", ("name", "Callable"), ("tuple", (("list", ()), result)))


def _bounds(w: W, node: Node) -> Term:
    """`impl A + B`, `dyn A`, `T: A + B`: one of several traits may have what is asked for."""
    kinds = tuple(kind for child in node.named_children if (kind := type_of(w, child)) is not None)
    return kinds[0] if len(kinds) == 1 else ("either", kinds) if kinds else None


def bounds_of(w: W, node: Node | None, whole: Node) -> dict[str, Term]:
    """Return what is asked of type parameters, by their name."""
    found: dict[str, Term] = {}
    for child in node.named_children if node is not None else ():
        parts = fields(child)
        if child.type == "type_parameter" and "name" in parts:
            found[w.name(parts["name"])] = type_of(w, parts.get("bounds"))
    for clause in whole.named_children if node is not None else ():
        if clause.type == "where_clause":
            for predicate in clause.named_children:
                parts = fields(predicate)
                if "left" in parts and w.name(parts["left"]) in found and "bounds" in parts:
                    found[w.name(parts["left"])] = type_of(w, parts["bounds"])
    return found


_TYPES: dict[str, Any] = {
    "type_identifier": _type_name,
    "identifier": _type_name,
    "primitive_type": lambda w, node: ("const", f"&{w.name(node)}", None),
    "scoped_type_identifier": path_of,
    "scoped_identifier": path_of,
    "generic_type": _generic,
    "type_binding": _binding,
    "array_type": _sequence,
    "tuple_type": _tuple_type,
    "function_type": _function_type,
    "abstract_type": _bounds,
    "dynamic_type": _bounds,
    "bounded_type": _bounds,
    "trait_bounds": _bounds,
    "higher_ranked_trait_bound": _bounds,
    "qualified_type": lambda w, node: type_of(w, node.named_children[-1]),
}
