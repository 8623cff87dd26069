"""Walker of JavaScript: hoisting of var, exports, `this`, types in JSDoc."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

import attrs

from ...facts import MODULE_SCOPE, Statement, Term
from ..facts_builder import DEEPEST, FactsBuilder
from ..walker import Above, is_simple

if TYPE_CHECKING:
    from tree_sitter import Node


# --- The walk over one JavaScript or TypeScript tree: what its parts share.
#
# What to do with a node stands in tables from node type to function, one for expressions, one for
# statements; the walk calls them, keeps count of the depth, and notes which names each scope
# declares and assigns, because an assignment without a declaration means a name further out.

# Terms that are not worth a statement.
_SILENT = {"const"}
_ASSIGNMENTS = {"assignment_expression", "augmented_assignment_expression"}
_EXPORTS = {b"exports", b"module.exports"}


@attrs.frozen
class Parts:
    """What the walk hands to other modules, which in turn need the walk.

    Attributes:
        terms, statements: by node type.
        type: reads a type annotation.
        assign: left side, right side, scope → what reads the target afterwards.
        destructure: pattern, value, scope in which the names are declared.
        define_class: node, scope, name, the node that is the whole of it → number.
        define_in_place: node of a function or class expression, scope → number.
        parameter: parameter node, its pattern, its type, scope of the function: what else it says.
        shape: a type annotation → types of the parameters of the function that it asks for.
    """

    terms: dict[str, Callable[[JavaScriptWalker, Node, int], Term]]
    statements: dict[str, Callable[[JavaScriptWalker, Node, int], None]]
    type: Callable[[JavaScriptWalker, Node], Term]
    assign: Callable[[JavaScriptWalker, Node, Node, int], Term]
    destructure: Callable[[JavaScriptWalker, Node, Term, int], None]
    define_class: Callable[[JavaScriptWalker, Node, int, str, Node | None], int]
    define_in_place: Callable[[JavaScriptWalker, Node, int], int]
    parameter: Callable[[JavaScriptWalker, Node, Node, Term, int], None]
    shape: Callable[[JavaScriptWalker, Node | None], tuple[Term, ...]]


class JavaScriptWalker:
    """State of one walk.

    Attributes:
        builder: collects the facts.
        parts: what other modules do.
        bounds: what the type parameters extend that are in force (TypeScript).
        generics: the type parameters of the class around.
        depth: levels of nested nodes that are being walked.
        exported: the `export` statement whose declaration is at hand.
        above: comments before the statement or member at hand.
        shapes: types of the parameters of function types that have a name (TypeScript).
        unasked: where the assignment begins whose value nobody takes.
        expected: types that the parameters of the next function have if it does not say.
        is_documented: whether comments say types; said: those that do, by definition and scope.
        asked: the type that the next function or object literal is to be of.
        this: what `this` is; reads_this: whether the function at hand reads its own; read_this:
            whether the one that was left last did.
    """

    def __init__(self, builder: FactsBuilder, parts: Parts) -> None:
        self.builder = builder
        self.parts = parts
        self.exported: Node | None = None
        self.above = Above(builder.source)
        self.text = builder.name
        self._terms = parts.terms
        self._statements = parts.statements
        self.depth = 0
        self.bounds: dict[str, Term] = {}
        self.generics: tuple[str, ...] = ()
        self.shapes: dict[str, tuple[Term, ...]] = {}
        self.expected: tuple[Term, ...] = ()
        self.unasked = -1
        self.context_type: Term = None
        self.is_documented = False
        self.said: list[tuple[int, int, str, str]] = []
        self.this: Term = ("self",)
        self.reads_this = self.read_this = False
        self._hosts = {MODULE_SCOPE: MODULE_SCOPE}
        self._declared: dict[int, set[str]] = {MODULE_SCOPE: set()}
        self._assigned: list[tuple[int, str]] = []
        self._hoisted: dict[int, int] = {}
        self._temporary = 0
        self._namespaces = {MODULE_SCOPE}

    # -- scopes and names

    def open(self, kind: str, parent: int, definition: int = -1) -> int:
        """Open a scope that is not the body of a definition just made."""
        scope = self.builder.open(kind, parent, definition)
        return self.enter(scope, self._hosts[parent] if kind == "block" else scope)

    def enter(self, scope: int, host: int | None = None) -> int:
        """Take note of a new scope; `host` is the one in which its `var` are bound."""
        self._hosts[scope] = scope if host is None else host
        self._declared[scope] = set()
        return scope

    def enter_namespace(self, scope: int) -> int:
        """Take note of a scope whose variables are symbols as those of a module are."""
        self._namespaces.add(scope)
        return self.enter(scope)

    def host(self, scope: int) -> int:
        """Return the function, class or module scope around a block."""
        return self._hosts[scope]

    def holds_symbols(self, scope: int) -> bool:
        """Return whether variables of a scope are symbols: those of modules and namespaces."""
        return scope in self._namespaces

    def declare(self, scope: int, name: str) -> None:
        """Take note that a scope declares a name."""
        self._declared[scope].add(name)

    def declares(self, scope: int, name: str) -> bool:
        """Return whether a scope has declared a name by now."""
        return name in self._declared[scope]

    def assigned(self, scope: int, name: str) -> None:
        """Take note that a name is assigned in a scope, which need not declare it."""
        self._assigned.append((scope, name))

    def temporary(self) -> str:
        """Return a name that no source has, for a value that is taken apart."""
        self._temporary += 1
        return f"<part {self._temporary}>"

    def held(self, value: Term, scope: int) -> Term:
        """Return a term that may be said twice: of a value that does something, its name."""
        if is_simple(value):
            return value
        name = self.temporary()
        self.bind(scope, name, value)
        return ("name", name)

    def feed(self, number: int, values: tuple[Term, ...], scope: int) -> None:
        """Say what the first parameters of a function in place are, as terms of a scope."""
        body = self.builder.body(number)
        for name, value in zip(self.builder.parameters(number), values, strict=False):
            if value is not None:
                self.add(body, ("bind", ("name", name), ("in", scope, value)))

    # -- statements

    def add(self, scope: int, statement: Statement) -> None:
        """Append a statement to those of a scope."""
        self.builder.statements[scope].append(statement)

    def hoist(self, scope: int, number: int, name: str) -> None:
        """Bind a function declaration before everything else in its scope."""
        place = self._hoisted.get(scope, 0)
        self.builder.statements[scope].insert(place, ("define", number))
        self._hoisted[scope] = place + 1
        self.declare(scope, name)

    def bind(self, scope: int, name: str, value: Term, *, into: int | None = None) -> None:
        """Bind a declared name to a value of a scope, `into` another scope if it is hoisted."""
        host = scope if into is None else into
        self.declare(host, name)
        if host != scope and value is not None:
            value = ("in", scope, value)
        self.add(host, ("bind", ("name", name), value))

    def statement(self, node: Node, scope: int) -> None:
        """Walk a statement."""
        handler = self._statements.get(node.type)
        if handler is None:
            if node.type in self._terms:
                self.evaluate((node,), scope)
                return
            handler = _unknown
        if self.depth >= DEEPEST:
            self.builder.later(scope, node)
            return
        self.depth += 1
        handler(self, node, scope)
        self.depth -= 1

    def block(self, nodes: Iterable[Node], scope: int) -> None:
        """Walk the statements of a block or a file; comments go to what stands below them."""
        outer, self.above = self.above, Above(self.builder.source)
        for node in nodes:
            if node.type == "comment":
                self.above.add(node)
            else:
                self.statement(node, scope)
        self.above = outer

    # -- expressions

    def term(self, node: Node, scope: int) -> Term:
        """Return the term of an expression; what it does on the way is added to the scope."""
        handler = self._terms.get(node.type)
        if handler is None:
            if node.type != "comment":
                self.statement(node, scope)
            return None
        if self.depth >= DEEPEST:
            self.builder.later(scope, node)
            return None
        self.depth += 1
        value = handler(self, node, scope)
        self.depth -= 1
        return value

    def terms(self, nodes: Iterable[Node], scope: int) -> tuple[Term, ...]:
        """Return the terms of expressions, comments left out."""
        return tuple(self.term(node, scope) for node in nodes if node.type != "comment")

    def evaluate(self, nodes: Iterable[Node], scope: int) -> None:
        """Walk expressions for their calls and reads alone."""
        for node in nodes:
            if node.type in _ASSIGNMENTS:
                self.unasked = node.start_byte
            value = self.term(node, scope)
            # The read that an assignment gives is of use only to what stands around it.
            if value is not None and value[0] not in _SILENT and node.type not in _ASSIGNMENTS:
                self.builder.statements[scope].append(("do", value))

    def field(self, node: Node, name: str, scope: int) -> Term:
        """Return the term of a field of a node, None if it has none."""
        child = node.child_by_field_name(name)
        return None if child is None else self.term(child, scope)

    def evaluate_field(self, node: Node, name: str, scope: int) -> None:
        """Walk a field of a node for its calls and reads alone."""
        child = node.child_by_field_name(name)
        if child is not None:
            self.evaluate((child,), scope)

    def text_of(self, node: Node, field: str) -> str:
        """Return the text of a field of a node, "" if it has none."""
        child = node.child_by_field_name(field)
        return "" if child is None else self.text(child)

    def type(self, node: Node | None) -> Term:
        """Return the term of a type annotation."""
        return None if node is None else self.parts.type(self, node)

    def take_bounds(self, node: Node) -> dict[str, Term]:
        """Put the type parameters of a definition into force; return those before."""
        outer = self.bounds
        listed = node.child_by_field_name("type_parameters")
        for child in listed.named_children if listed is not None else ():
            bound = child.child_by_field_name("constraint")
            inner = bound.named_children[-1] if bound is not None and bound.named_children else None
            self.bounds = {**self.bounds, self.text_of(child, "name"): self.type(inner)}
        return outer

    def is_exports(self, node: Node) -> bool:
        """Return whether an expression is what a CommonJS module gives to others."""
        if node.type not in ("identifier", "member_expression"):
            return False
        return self.builder.source[node.start_byte : node.end_byte] in _EXPORTS

    # -- the end

    def finish(self) -> None:
        """Walk what lay too deep, and say which assigned names lie further out."""
        for scope, node in self.builder.put_off():
            self.depth = 0
            self.statement(node, scope)
        outer: dict[tuple[int, bool], dict[str, None]] = {}
        for scope, name in self._assigned:
            if name not in self._declared[scope]:
                owner = self.declaring(scope, name)
                outer.setdefault((scope, owner > MODULE_SCOPE), {})[name] = None
        for (scope, inside), names in outer.items():
            if scope != MODULE_SCOPE:
                kind = "nonlocal" if inside else "global"
                self.builder.statements[scope].insert(0, (kind, tuple(names)))

    def declaring(self, scope: int, name: str) -> int:
        """Return the nearest scope outward that declares a name, -1 if none does."""
        while scope >= 0 and name not in self._declared.get(scope, ()):
            scope = self.builder.scope(scope).parent
        return scope


def _unknown(walker: JavaScriptWalker, node: Node, scope: int) -> None:
    """Walk what is inside a node that means nothing by itself, such as a syntax error."""
    walker.block(node.named_children, scope)


# --- What `this` is in the functions of JavaScript and TypeScript.
#
# As a rule the resolver knows: the object of the class around. An arrow has the `this` of where
# it is written, whatever it is assigned to; a function of an object literal has that object; a
# parameter `this: T` says what it is.

SELF: Term = ("self",)
_ARROW = "arrow_function"


def this(walker: JavaScriptWalker, node: Node, scope: int) -> Term:
    """`this` is read."""
    walker.reads_this = True
    return walker.this


def enter_function(
    walker: JavaScriptWalker, node: Node, scope: int, *, is_method: bool, owner: Term
) -> tuple[Term, bool]:
    """Put what `this` is inside a function into force; return what was before, for `leave`."""
    before = walker.this, walker.reads_this
    is_member = is_method and walker.builder.scope(scope).kind == "class"
    if node.type != _ARROW:
        walker.reads_this = False
    if is_member or (is_method and node.type != _ARROW):
        walker.this = SELF
    elif node.type == _ARROW and owner is not None and walker.this == SELF:
        # The owner is what it is assigned to: the resolver would take that for its object.
        walker.this = ("in", scope, SELF)
    return before


def leave_function(walker: JavaScriptWalker, node: Node, before: tuple[Term, bool]) -> None:
    """Leave a function: what an arrow reads of `this`, the function around it reads."""
    walker.this = before[0]
    read, walker.reads_this = walker.reads_this, before[1]
    walker.read_this = read and node.type != _ARROW
    if node.type == _ARROW:
        walker.reads_this = read or before[1]


def declared_this(walker: JavaScriptWalker, declared: Term, inside: int) -> None:
    """`this: T` among the parameters of a function."""
    if declared is not None:
        walker.declare(inside, "this")
        walker.add(inside, ("declare", ("name", "this"), declared))
        walker.this = ("name", "this")


def holding(walker: JavaScriptWalker, literal: Term, methods: list[int], scope: int) -> Term:
    """Return an object literal that nothing names by a name, which is what its methods belong to:
    their `this` is the object."""
    name = ("name", walker.temporary())
    for number in methods:
        walker.builder.fill(number, owner=name)
    walker.bind(scope, name[1], literal)
    return name


# --- Types that comments say in JavaScript: `@param {T} x`, `@returns {T}`, `@type {T}`,
# `@typedef`.
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


def documented(walker: JavaScriptWalker, number: int, scope: int, doc: str) -> None:
    """Take note of a function whose comment says types; they are read when all names are known."""
    if walker.is_documented and ("@param" in doc or "@return" in doc):
        walker.said.append((number, scope, "", doc))


def documented_field(walker: JavaScriptWalker, name: str, inside: int, doc: str) -> None:
    """Take note of a field whose comment says its type."""
    if walker.is_documented and "@type" in doc:
        walker.said.append((-1, inside, name, doc))


def read_documents(walker: JavaScriptWalker, root: Node) -> None:
    """Read the types that comments say, after everything else."""
    if not walker.is_documented:
        return
    source = walker.builder.source
    if b"@typedef" in source or b"@import" in source:
        for local, module, name in _named(source):
            if not walker.declares(MODULE_SCOPE, local):
                _bring(walker, local, module, name, root)
    for number, scope, name, doc in walker.said:
        if number < 0:
            kind = _first(walker, _TYPE, scope, doc, root)
            if kind is not None:
                walker.add(scope, ("declare", ("name", name), kind))
            continue
        types = {
            name: _read(walker, text, scope, root) for text, name in _PARAM.findall(doc) if name
        }
        walker.builder.type_of(number, types, _first(walker, _RETURNS, scope, doc, root))


def _first(
    walker: JavaScriptWalker, pattern: re.Pattern[str], scope: int, doc: str, root: Node
) -> Term:
    match = pattern.search(doc)
    return None if match is None else _read(walker, match[1], scope, root)


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
    walker.declare(MODULE_SCOPE, local)
    walker.add(MODULE_SCOPE, ("import", local, module, name, 0, walker.builder.site(root)))


def _read(walker: JavaScriptWalker, text: str, scope: int, root: Node) -> Term:
    """Return the term of a type in a comment, of what is known in it."""
    sides = (_side(walker, side, scope, root) for side in _parts(text, "|"))
    known = tuple(side for side in sides if side is not None)
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _side(walker: JavaScriptWalker, text: str, scope: int, root: Node) -> Term:
    text = text.strip(" ?!=\t\n*")
    if text.endswith("[]"):
        return ("item", ("name", "Array"), _side(walker, text[:-2], scope, root))
    if match := _IMPORT.fullmatch(text):
        name = walker.temporary()
        _bring(walker, name, match[1], match[2], root)
        return ("name", name)
    if match := _GENERIC.fullmatch(text):
        arguments = tuple(_read(walker, part, scope, root) for part in _parts(match[2], ","))
        if match[1] in _TRANSPARENT:
            return arguments[0]
        base = ("name", match[1]) if match[1] in _SEEN else _name(walker, match[1], scope)
        key: Term = arguments[0] if len(arguments) == 1 else ("tuple", arguments)
        return None if base is None else ("item", base, key)
    return _name(walker, text, scope) if _DOTTED.fullmatch(text) else None


def _name(walker: JavaScriptWalker, text: str, scope: int) -> Term:
    first, *others = text.split(".")
    if walker.declaring(scope, first) < 0:
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
