"""C and C++: walker, types and declarators."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from ...facts import MODULE_SCOPE, Param, Term
from ..walker import SyntaxWalker, callable_of, children_of, fields, list_of, name_term

if TYPE_CHECKING:
    from tree_sitter import Node

# Templates of the standard library that hold one value, a sequence, a mapping.
_WRAPPERS = frozenset(
    "unique_ptr shared_ptr weak_ptr optional reference_wrapper atomic observer_ptr".split()
)
_LISTS = frozenset(
    """
    array deque forward_list initializer_list list multiset priority_queue queue set span stack
    unordered_set valarray vector
    """.split()
)
_MAPS = frozenset({"map", "multimap", "unordered_map", "unordered_multimap", "flat_map"})
_ROWS = frozenset({"pair", "tuple"})
_NAMES = frozenset(
    """
    identifier field_identifier type_identifier qualified_identifier destructor_name operator_name
    operator_cast template_function template_method namespace_identifier
    """.split()
)
_PATHS = ("name", "attr")
_SPECIFIERS = frozenset("struct_specifier class_specifier union_specifier enum_specifier".split())


class CWalker(SyntaxWalker):
    """Walker of C and C++: knows the class and the template that it is in.

    Attributes:
        class_name: of the class whose body it is in.
        is_private: whether what follows in it is private.
        templates: type parameters of the template that comes next.
        namespaces: names of the file's namespaces.
        class_scope: scope in which the outermost class it is in stands.
        friend_scope: scope of the class that the body of a friend sees, -1 for other functions.
        plain: names of the function it is in that hold no object of a class: numbers, and
            addresses, with whether of such an object.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.is_cpp = self.dialect.name == "cpp"
        self.class_name = ""
        self.is_private = False
        self.templates: list[str] = []
        self.namespaces: set[str] = set()
        self.class_scope = MODULE_SCOPE
        self.friend_scope = -1
        self.plain: dict[str, bool] = {}

    def open_body(self, index: int) -> None:
        """Open the scope of a function's body."""
        outer = self.scope if self.friend_scope < 0 else self.friend_scope
        self.friend_scope = -1
        self.fill(index, body=self.builder.open_scope("function", outer, index))

    def take_templates(self) -> list[str]:
        """Return the type parameters of the template that begins here."""
        templates, self.templates = self.templates, []
        return templates

    def note_plain(self, name: str, kind: Node | None, declarator: Declared) -> None:
        """Note whether what is declared in a function holds no object of a class."""
        if is_plain(self, kind, declarator):
            self.plain[name] = kind is not None and kind.type not in _NUMBERS
        else:
            self.plain.pop(name, None)


class Declared(NamedTuple):
    """What a declarator declares.

    Attributes:
        name: node of the name; None for an abstract one.
        function: function_declarator, if it is a function (not a pointer to one).
        is_pointer, is_array: what stands around the name.
        points_to_function: whether it is a pointer to a function.
        parts: names that take something apart: `auto [a, b]`; then there is no other.
        pointed: function_declarator of what it is a pointer to, if that is a function.
        is_address: whether it is a pointer, or a function that gives one; no reference.
    """

    name: Node | None
    function: Node | None
    is_pointer: bool
    is_array: bool
    points_to_function: bool
    parts: list[Node]
    pointed: Node | None = None
    is_address: bool = False


def declared(node: Node | None) -> Declared:
    """Take a declarator apart."""
    function: Node | None = None
    pointed: Node | None = None
    is_pointer = is_array = points = is_address = False
    while node is not None and node.type not in _NAMES:
        kind = node.type
        if kind == "structured_binding_declarator":
            return Declared(None, None, is_pointer, is_array, points, node.named_children)
        if kind in ("pointer_declarator", "reference_declarator"):
            is_pointer = True
            is_address = is_address or kind == "pointer_declarator"
            if function is not None:
                points, pointed, function = True, function, None
        elif kind == "array_declarator":
            is_array = True
        elif kind == "function_declarator":
            function = node
        below = node.child_by_field_name("declarator")
        if below is None:
            inner = [c for c in node.named_children if c.type.endswith("declarator")]
            inner = inner or [c for c in node.named_children if c.type in _NAMES]
            below = inner[0] if inner else None
        node = below
    return Declared(node, function, is_pointer, is_array, points, [], pointed, is_address)


_NUMBERS = frozenset({"primitive_type", "sized_type_specifier"})


def is_plain(walker: CWalker, kind: Node | None, declarator: Declared) -> bool:
    """Return whether something that is declared holds a number, an array or an address."""
    is_number = kind is not None and kind.type in _NUMBERS
    return is_number or declarator.is_array or holds_address(walker, kind, declarator)


def holds_address(walker: CWalker, kind: Node | None, declarator: Declared) -> bool:
    """Return whether something that is declared holds or gives an address, or several."""
    if declarator.is_address or kind is None:
        return declarator.is_address
    while kind.type == "qualified_identifier" and kind.named_child_count:
        kind = kind.named_children[-1]
    if kind.type != "template_type" or not kind.named_child_count:
        return False
    text = walker.text(kind)
    return "*" in text or "_ptr" in text


def sizes(walker: CWalker, node: Node | None) -> None:
    """Walk what stands between the brackets of an array's declarator."""
    while node is not None:
        size = node.child_by_field_name("size")
        if size is not None:
            walker.run(size)
        node = node.child_by_field_name("declarator")


def type_of(walker: CWalker, node: Node | None) -> Term:
    """Return the term of a type; pointers and smart pointers are left out."""
    maker = _TYPES.get(node.type) if node is not None else None
    return maker(walker, node) if maker is not None and node is not None else None


def _specified(walker: CWalker, node: Node) -> Term:
    return type_of(walker, node.child_by_field_name("name"))


def _template(walker: CWalker, node: Node) -> Term:
    base = node.named_children[0]
    name = walker.name(base).rpartition("::")[2]
    kinds = [child for child in node.named_children[-1].named_children if child != base]
    if name in _WRAPPERS and kinds:
        return type_of(walker, kinds[0])
    if name in _LISTS and kinds:
        return list_of(type_of(walker, kinds[0]))
    if name in _ROWS:
        return (
            "item",
            ("name", "tuple"),
            ("tuple", tuple(type_of(walker, kind) for kind in kinds)),
        )
    if name in _MAPS and len(kinds) > 1:
        pair = ("tuple", (type_of(walker, kinds[0]), type_of(walker, kinds[1])))
        return ("item", ("name", "dict"), pair)
    for kind in kinds:
        if kind.type == "type_descriptor":
            held = type_of(walker, kind)
            if held is not None and held[0] in _PATHS and held[1] not in walker.templates:
                walker.emit("do", ("typed", held))
    return type_of(walker, base) or ("name", name)


def path_of(walker: CWalker, node: Node) -> Term:
    """Return the term of a name with scopes before it: `a::B::c`."""
    if node.type == "template_type":
        return _template(walker, node)
    if node.type in ("template_function", "template_method", "dependent_name"):
        return path_of(walker, node.named_children[0]) if node.named_child_count else None
    if node.type != "qualified_identifier":
        return ("name", walker.name(node))
    parts = fields(node)
    inner, scope = parts.get("name"), parts.get("scope")
    if inner is None:
        return None
    is_template = inner.type == "template_type" and inner.named_child_count > 0
    if is_template and walker.name(inner.named_children[0]) in _WRAPPERS | _LISTS | _MAPS | _ROWS:
        return _template(walker, inner)
    base = path_of(walker, scope) if scope is not None else None
    return _behind(walker, base, inner)


def _behind(walker: CWalker, base: Term, node: Node) -> Term:
    while node.type == "qualified_identifier":
        parts = fields(node)
        if "name" not in parts:
            break
        if "scope" in parts:
            base = _behind(walker, base, parts["scope"])
        node = parts["name"]
    if node.type.startswith("template") and node.named_child_count:
        node = node.named_children[0]
    return ("attr", base, walker.name(node)) if base is not None else ("name", walker.name(node))


def _described(walker: CWalker, node: Node) -> Term:
    kind = type_of(walker, node.child_by_field_name("type"))
    declarator = node.child_by_field_name("declarator")
    is_function = declarator is not None and declarator.type == "abstract_function_declarator"
    return callable_of(kind) if is_function else kind


def _macro_type(walker: CWalker, node: Node) -> Term:
    """`API(type)`: a macro that is given the type it stands before."""
    if (named := node.child_by_field_name("name")) is not None:
        walker.emit("do", ("call", ("name", walker.name(named)), (), (), walker.site(named)))
    return type_of(walker, node.child_by_field_name("type"))


def trailing(walker: CWalker, function: Node | None) -> Term:
    """Return the type behind the arrow of a function or a lambda."""
    for child in children_of(function):
        if child.type == "trailing_return_type" and child.named_child_count:
            return type_of(walker, child.named_children[0])
    return None


_TYPES = {
    "type_identifier": name_term,
    "primitive_type": name_term,
    "namespace_identifier": name_term,
    "identifier": name_term,
    "template_type": _template,
    "qualified_identifier": path_of,
    "type_descriptor": _described,
    "macro_type_specifier": _macro_type,
    "dependent_type": lambda walker, node: type_of(walker, node.named_children[0]),
    **dict.fromkeys(_SPECIFIERS, _specified),
}


def declared_type(kind: Term, declarator: Declared) -> Term:
    """Return the type of something declared: an array holds, a pointer to a function returns."""
    if declarator.points_to_function:
        return callable_of(kind)
    return list_of(kind) if declarator.is_array and kind is not None else kind


def taken(walker: CWalker, declarator: Declared) -> None:
    """Add the types that a function takes to which a declarator points: they are used."""
    function = declarator.pointed
    listed = function.child_by_field_name("parameters") if function is not None else None
    for child in children_of(listed):
        named = child.child_by_field_name("type")
        if named is not None and named.type != "primitive_type":
            walker.emit("do", ("typed", type_of(walker, named)))


def parameters(walker: CWalker, function: Node | None) -> tuple[Param, ...]:
    """Return the parameters of a function declarator."""
    listed = function.child_by_field_name("parameters") if function is not None else None
    params = []
    for child in children_of(listed):
        if child.type == "variadic_parameter":
            params.append(Param("", None, None, "*"))
        if not child.type.endswith("parameter_declaration"):
            continue
        declarator = declared(child.child_by_field_name("declarator"))
        name = walker.name(declarator.name) if declarator.name is not None else ""
        named = child.child_by_field_name("type")
        kind = declared_type(type_of(walker, named), declarator)
        if name:
            walker.note_plain(name, named, declarator)
        default = walker.evaluate_field(child, "default_value")
        params.append(Param(name, kind, default, "*" if child.type[0] == "v" else ""))
    if len(params) == 1 and not params[0].name and params[0].type == ("name", "void"):
        return ()
    return tuple(params)
