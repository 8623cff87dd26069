"""JavaScriptWalker: hoisting of var, exports, `this`, comments and the types in JSDoc."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ...facts import MODULE_SCOPE, Facts, Term
from ..walker import (
    Constants,
    InScope,
    SyntaxWalker,
    applied,
    children_of,
    is_simple,
    union,
    without_comments,
)

if TYPE_CHECKING:
    from tree_sitter import Node


_EXPORTS = {b"exports", b"module.exports"}
_ARROW = "arrow_function"
# What takes types from where it stands, or hands them on to what stands in it.
_TYPED_BY_CONTEXT = frozenset(
    """
    arrow_function function_expression generator_function object array parenthesized_expression
    ternary_expression binary_expression as_expression jsx_expression
    """.split()
)
SELF: Term = ("self",)


class JavaScriptWalker(SyntaxWalker):
    """Walker of JavaScript and, extended, of TypeScript.

    It notes which names each scope declares and assigns, because an assignment without a
    declaration means a name further out.

    Attributes:
        exported: the `export` statement whose declaration is at hand.
        comments: comments before the statement or member at hand.
        shapes: types of the parameters of function types that have a name (TypeScript).
        expected: types that the parameters of the next function have if it does not say.
        context_type: the type that the next function or literal is to be of.
        result_type: what the function at hand gives back: as declared, or as its context says.
        doc_types: functions and fields whose comments say types: index, scope, name and comment.
        this: what `this` is; reads_this: whether the current function reads its own; read_this:
            whether the one that was left last did.
        assigned: scope and name of what is assigned, declared there or not.
        namespaces: scopes whose variables are symbols: those of modules and namespaces.
    """

    emits_every_read = True

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.exported: Node | None = None
        self.comments = CommentCollector(self.source)
        self.shapes: dict[str, tuple[Term, ...]] = {}
        self.expected: tuple[Term, ...] = ()
        self.context_type: Term = None
        self.result_type: Term = None
        self.is_documented = self.dialect.name == "javascript"
        self.doc_types: list[tuple[int, int, str, str]] = []
        self.this: Term = SELF
        self.reads_this = self.read_this = False
        self.assigned: list[tuple[int, str]] = []
        self.namespaces = {MODULE_SCOPE}
        self._hosts: dict[int, int] = {}
        self._temporary = 0

    # -- the walk

    def run_all(self, nodes: Iterable[Node], inherited: Node | None = None) -> None:
        """Walk statements; comments are collected for what stands below them."""
        outer, self.comments = self.comments, CommentCollector(self.source)
        for node in nodes:
            if node.type == "comment":
                self.comments.add(node)
            else:
                self.run(node)
        self.comments = outer

    def evaluate_as(self, node: Node, kind: Term) -> Term:
        """Return the term of an expression that is to be of a type: a function or a literal takes
        from it what it does not say itself."""
        self.context_type = kind if node.type in _TYPED_BY_CONTEXT else None
        value = self.evaluate(node)
        self.context_type = None
        return value

    def label(self, kind: Term, node: Node, constants: Constants = ()) -> str:
        """Return a name in a literal; where types are declared, say of which type it is a member.

        In JavaScript nearly nothing is of a declared type.
        """
        return self.name(node) if self.is_documented else super().label(kind, node, constants)

    def take_context(self) -> Term:
        """Return the type that an expression is to be of, which holds for it alone."""
        kind, self.context_type = self.context_type, None
        return kind

    def type(self, node: Node | None) -> Term:
        """Return the term of a type annotation: none in JavaScript."""
        return None

    def field_type(self, node: Node | None) -> Term:
        """Return the term of the type of a field; of one that is a constant alone, or one of
        several, those: they tell the types of a union apart."""
        return None

    def callback_types(self, node: Node | None) -> tuple[Term, ...]:
        """Return the types of the parameters of the function that a type asks for."""
        return ()

    def declare_parameter(self, node: Node, pattern: Node, declared: Term) -> None:
        """Add what a parameter says besides its name and type: nothing in JavaScript."""

    # -- scopes and names

    def in_block(self, *, when: bool = True) -> InScope:
        """Return a context in a new block, whose `var` are bound in the function around it."""
        context = super().in_block(when=when)
        if when:
            self._hosts[len(self.builder.scopes) - 1] = self.host()
        return context

    def host(self) -> int:
        """Return the function, class or module scope of the current scope."""
        return self._hosts.get(self.scope, self.scope)

    def declare_name(self, name: str) -> None:
        """Note that the current scope declares a name."""
        self.declared.add((self.scope, name))

    def declaring(self, name: str, scope: int) -> int:
        """Return the nearest scope outward of one that declares a name, -1 if none does."""
        while scope >= 0 and (scope, name) not in self.declared:
            scope = self.builder.scopes[scope].parent
        return scope

    def temporary(self) -> str:
        """Return a name that no source has, for a value that is taken apart."""
        self._temporary += 1
        return f"<part {self._temporary}>"

    def reusable(self, value: Term) -> Term:
        """Return a term that may stand twice: of a value that does something, its name."""
        if is_simple(value):
            return value
        name = self.temporary()
        self.bind_name(name, value)
        return ("name", name)

    def feed(self, index: int, values: tuple[Term, ...]) -> None:
        """Bind the first parameters of a function in place to terms of the current scope."""
        for name, value in zip(self.parameters(index), values, strict=False):
            if value is not None:
                self.emit_in(self.body(index), "bind", ("name", name), ("in", self.scope, value))

    def prepend(self, scope: int, *statement: Any) -> None:
        """Add a statement before everything else in a scope."""
        self._hoisted.setdefault(scope, []).insert(0, statement)

    def bind_name(self, name: str, value: Term, *, into: int | None = None) -> None:
        """Bind a declared name to a value, `into` another scope if it is hoisted."""
        host = self.scope if into is None else into
        self.declared.add((host, name))
        if host != self.scope and value is not None:
            value = ("in", self.scope, value)
        self.emit_in(host, "bind", ("name", name), value)

    def name_of(self, node: Node, field: str) -> str:
        """Return the text of a field of a node, "" if it has none."""
        child = node.child_by_field_name(field)
        return "" if child is None else self.name(child)

    def bounds_in(self, node: Node) -> dict[str, Term]:
        """Return the bounds of the type parameters in force inside of a definition."""
        listed, outer = node.child_by_field_name("type_parameters"), self.bounds
        for child in without_comments(listed):
            bound = child.child_by_field_name("constraint")
            inner = bound.named_children[-1] if bound is not None and bound.named_children else None
            self.bounds = {**self.bounds, self.name_of(child, "name"): self.type(inner)}
        self.bounds, bounds = outer, self.bounds
        return bounds

    def numbered_bounds(self, node: Node, tag: str) -> dict[str, Term]:
        """Return the same, the parameters of the definition itself as such: a tag, their number."""
        listed, outer = node.child_by_field_name("type_parameters"), self.bounds
        if listed is None:
            return outer
        bounds, children = self.bounds_in(node), without_comments(listed)
        names = [self.name_of(child, "name") for child in children]
        # What stands for one of them may name others: without what those extend in their turn.
        self.bounds = {**bounds, **{name: (tag, at, None) for at, name in enumerate(names)}}
        for position, child in enumerate(children):
            default, bound = child.child_by_field_name("value"), bounds[names[position]]
            if default is not None and bound is None:
                bound = self.type(default.named_children[-1])
            bounds[names[position]] = (tag, position, bound)
        self.bounds = outer
        return bounds

    def name_bounds(self, node: Node) -> None:
        """Note in the current scope what the type parameters of a definition name."""
        listed = node.child_by_field_name("type_parameters")
        for child in children_of(listed):
            for part in child.named_children[1:]:
                kind = self.type(part.named_children[-1]) if part.named_children else None
                if kind is not None:
                    self.emit("do", ("typed", kind))

    def in_function(self, index: int, node: Node, *, is_method: bool, owner: Term) -> _InFunction:
        """Return a context in the body of a function, with its type parameters and `this`.

        As a rule the resolver knows `this`: the object of the enclosing class. An arrow has the
        `this` of where it is written, whatever it is assigned to; a function of an object literal
        has that object; a parameter `this: T` says what it is.
        """
        context = _InFunction(self, self.body(index), self.locals)
        context.is_arrow = node.type == _ARROW
        context.bounds, context.this = self.numbered_bounds(node, "generic"), self.this
        if is_method and (not context.is_arrow or self.scope_kind == "class"):
            context.this = SELF
        elif context.is_arrow and owner is not None and self.this == SELF:
            # The owner is what it is assigned to: the resolver would take that for its object.
            context.this = ("in", self.scope, SELF)
        return context

    def is_exports(self, node: Node) -> bool:
        """Return whether an expression is what a CommonJS module gives to others."""
        if node.type not in ("identifier", "member_expression"):
            return False
        return self.source[node.start_byte : node.end_byte] in _EXPORTS

    def finish(self, root: Node, *, namespace: str = "", doc: str = "") -> Facts:
        """Add which assigned names lie further out, and return everything."""
        outer: dict[tuple[int, str], dict[str, None]] = {}
        for scope, name in self.assigned:
            if (scope, name) not in self.declared and scope != MODULE_SCOPE:
                kind = "nonlocal" if self.declaring(name, scope) > MODULE_SCOPE else "global"
                outer.setdefault((scope, kind), {})[name] = None
        for (scope, kind), names in outer.items():
            self.prepend(scope, kind, tuple(names))
        return super().finish(root, namespace=namespace, doc=doc)


class _InFunction(InScope):
    """Context of a function's body; what an arrow reads of `this`, the function around it reads."""

    __slots__ = ("_state", "bounds", "is_arrow", "this")
    _walker: JavaScriptWalker
    bounds: dict[str, Term]
    is_arrow: bool
    this: Term

    def __enter__(self) -> int:
        walker = self._walker
        self._state = walker.exported, walker.bounds, walker.this, walker.reads_this
        walker.exported, walker.bounds, walker.this = None, self.bounds, self.this
        walker.reads_this = self.is_arrow and walker.reads_this
        return super().__enter__()

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        walker, read = self._walker, self._walker.reads_this
        walker.exported, walker.bounds, walker.this, walker.reads_this = self._state
        walker.read_this = read and not self.is_arrow
        if self.is_arrow:
            walker.reads_this = read or walker.reads_this


def this(walker: JavaScriptWalker, node: Node) -> Term:
    """`this` is read."""
    walker.reads_this = True
    return walker.this


# --- Comments above definitions.

_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*(?!/)|//+[!/]?|#+|--)?[ \t]*|[ \t]*\*+/[ \t]*$", re.M)
_TAGS = re.compile(r"</?(?:summary|remarks|para|c|see|inheritdoc)\b[^>]*>|</?p>|\{@\w+ ([^}]*)\}")


class CommentCollector:
    """Comments before the next definition among the children of one node."""

    def __init__(self, source: bytes) -> None:
        self._source = source
        self._start = self._end = 0
        self._last_row = -2

    def add(self, node: Node) -> None:
        """Take a comment; one that follows another without an empty line continues it."""
        if node.start_point[0] > self._last_row + 1:
            self._start = node.start_byte
        self._end = node.end_byte
        self._last_row = node.end_point[0]

    def take(self, node: Node) -> str:
        """Return the text of the comments directly above a node, "" if there are none."""
        near = 0 <= node.start_point[0] - self._last_row <= 1
        self._last_row, last_row = -2, self._last_row
        if last_row < 0 or not near:
            return ""
        return bare(self._source[self._start : self._end].decode("utf-8", "replace"))


def bare(text: str) -> str:
    """Return a comment without its marks, and without XML tags and {@…} of documentation."""
    return _TAGS.sub(lambda match: match[1] or "", _MARKS.sub("", text)).strip()


# --- Types in JSDoc: `@param {T} x`, `@returns {T}`, `@type {T}`, `@typedef`.
#
# A name counts if the file binds it, be it by `@typedef {import("./x").T} T` or `@import`: what a
# comment names besides may be anything.

_PARAM = re.compile(r"@param\s+\{([^{}]{1,200})\}\s+\[?([\w$]+)(?![\w.$\[])")
_RETURNS = re.compile(r"@returns?\s+\{([^{}]{1,200})\}")
_TYPE = re.compile(r"@type\s+\{([^{}]{1,200})\}")
_TYPEDEF = re.compile(
    rb"""@typedef\s+\{\s*import\(\s*["']([^"'\n]+)["']\s*\)\.([\w$]+)\s*\}\s+([\w$]+)"""
)
_IMPORTED = re.compile(rb"""@import\s+\{([^{}\n]+)\}\s+from\s+["']([^"'\n]+)["']""")
_IMPORT = re.compile(r"""import\(\s*["']([^"']+)["']\s*\)(?:\.([\w$]+))?""")
_GENERIC = re.compile(r"([\w$.]+?)\.?<(.*)>", re.DOTALL)
_DOTTED = re.compile(r"[A-Za-z_$][\w$]*(?:\.[\w$]+)*")
# What is as good as its argument, and containers that every file sees.
_TRANSPARENT = frozenset({"Promise", "Readonly", "Partial", "Required", "NonNullable"})
_SEEN = frozenset({"Array", "Map", "Set", "WeakMap", "Iterable", "Iterator", "Record"})


def documented(walker: JavaScriptWalker, index: int, doc: str) -> None:
    """Note a function whose comment says types; they are read when all names are known."""
    if walker.is_documented and ("@param" in doc or "@return" in doc):
        walker.doc_types.append((index, walker.scope, "", doc))


def documented_field(walker: JavaScriptWalker, name: str, doc: str) -> None:
    """Note a field whose comment says its type."""
    if walker.is_documented and "@type" in doc:
        walker.doc_types.append((-1, walker.scope, name, doc))


def read_documents(walker: JavaScriptWalker, root: Node) -> None:
    """Read the types that comments say, after everything else."""
    if not walker.is_documented:
        return
    walker.scope = MODULE_SCOPE
    if b"@typedef" in walker.source or b"@import" in walker.source:
        for local, module, name in _named(walker.source):
            if (MODULE_SCOPE, local) not in walker.declared:
                _bring(walker, local, module, name, root)
    for index, scope, name, doc in walker.doc_types:
        walker.scope = scope
        if index < 0:
            kind = _first(walker, _TYPE, doc, root)
            if kind is not None:
                walker.emit("declare", ("name", name), kind)
            continue
        types = {name: _read(walker, text, root) for text, name in _PARAM.findall(doc) if name}
        walker.builder.fill_types(index, types, _first(walker, _RETURNS, doc, root))


def _first(walker: JavaScriptWalker, pattern: re.Pattern[str], doc: str, root: Node) -> Term:
    match = pattern.search(doc)
    return None if match is None else _read(walker, match[1], root)


def _named(source: bytes) -> Iterator[tuple[str, str, str]]:
    """Yield name here, module and name there of what comments import."""
    for module, name, local in _TYPEDEF.findall(source):
        yield local.decode(), module.decode("utf-8", "replace"), name.decode()
    for names, module in _IMPORTED.findall(source):
        for specifier in names.decode("utf-8", "replace").split(","):
            words = specifier.split()
            if words:
                yield words[-1], module.decode("utf-8", "replace"), words[0]


def _bring(walker: JavaScriptWalker, local: str, module: str, name: str | None, root: Node) -> None:
    walker.declared.add((MODULE_SCOPE, local))
    walker.emit_in(MODULE_SCOPE, "import", local, module, name, 0, walker.site(root))


def _read(walker: JavaScriptWalker, text: str, root: Node) -> Term:
    """Return the term of a type in a comment, of what is known in it."""
    return union([_side(walker, side, root) for side in _parts(text, "|")])


def _side(walker: JavaScriptWalker, text: str, root: Node) -> Term:
    text = text.strip(" ?!=\t\n*")
    if text.endswith("[]"):
        return applied(("name", "Array"), [_side(walker, text[:-2], root)])
    if match := _IMPORT.fullmatch(text):
        name = walker.temporary()
        _bring(walker, name, match[1], match[2], root)
        return ("name", name)
    if match := _GENERIC.fullmatch(text):
        arguments = [_read(walker, part, root) for part in _parts(match[2], ",")]
        if match[1] in _TRANSPARENT:
            return arguments[0]
        base = ("name", match[1]) if match[1] in _SEEN else _name(walker, match[1])
        return None if base is None else applied(base, arguments)
    return _name(walker, text) if _DOTTED.fullmatch(text) else None


def _name(walker: JavaScriptWalker, text: str) -> Term:
    first, *others = text.split(".")
    if walker.declaring(first, walker.scope) < 0:
        return None
    term: Term = ("name", first)
    for name in others:
        term = ("attr", term, name)
    return term


def _parts(text: str, mark: str) -> list[str]:
    """Split a type at a mark, but for what stands in brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter in "<([") - (letter in ">)]")
        if letter == mark and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts
