"""SyntaxWalker: the one walk over syntax trees, and the snippets that extractors share.

A walker belongs to one file, has a `FactsBuilder` and is in one scope at a time. Two tables say
what a node evaluates to and what it does; node types in neither are walked through: what they
evaluate on the way is kept, their own value is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import attrs

from ..dialect import Dialect
from ..facts import CONST_CHARS, MODULE_SCOPE, Facts, Param, Statement, Term
from .facts_builder import DefinitionOptions, FactsBuilder, count_errors

if TYPE_CHECKING:
    from typing import Unpack

    from tree_sitter import Node

# Levels of nested nodes that a walker follows by calling itself: trees may be thousands of levels
# deep, and nothing may overflow.
MAX_DEPTH = 80

_Result = TypeVar("_Result")
# Names of members of a literal, with the texts of what they are.
Constants = tuple[tuple[str, str], ...]
Evaluate = Callable[[Any, "Node"], Term]
Run = Callable[[Any, "Node"], None]
Expressions = Mapping[str, Evaluate]
Statements = Mapping[str, Run]

# How types of nodes end that hold statements or members.
_BODIES = ("block", "body", "list", "compound_statement")
_COMMENT_MARKS = re.compile(r"^[\s/*!#;%-]+|[\s*/]+$", re.MULTILINE)


class SyntaxWalker:
    """Walk over one file.

    Attributes:
        builder: collects the facts.
        scope: number of the current scope.
        declared: scope and name of what is bound in a scope.
        locals: names bound inside of the current function; reading one of them tells nothing.
        bounds: bounds of the type parameters in force, by their name.
        generics: the names of those of the enclosing class.
        emits_every_read: whether what is evaluated for itself alone is a statement even where its
            read tells nothing.
    """

    emits_every_read = False

    def __init__(
        self,
        source: bytes,
        path: str,
        dialect: Dialect,
        expressions: Expressions,
        statements: Statements,
    ) -> None:
        self.builder = builder = FactsBuilder(source, path, dialect)
        self.source, self.path, self.dialect = source, path, dialect
        self.scope = MODULE_SCOPE
        self.locals: set[str] = set()
        self.bounds: dict[str, Term] = {}
        self.generics: tuple[str, ...] = ()
        self.declared: set[tuple[int, str]] = set()
        self._expressions = expressions
        self._statements = statements
        self._depth = 0
        self._comment: Node | None = None
        self._deferred: list[tuple[int, Node]] = []
        self._hoisted: dict[int, list[Statement]] = {}
        # Called for nearly every node: bound once.
        self.text, self.name = builder.text, builder.name
        self.site, self.site_at = builder.site, builder.site_at
        self.body, self.parameters, self.fill = builder.body, builder.parameters, builder.fill
        self._emitted = builder.statements

    # -- the walk

    def run_tree(self, root: Node) -> None:
        """Walk a whole tree, also what lies too deep to be met at once."""
        self.run_all(root.named_children)
        while self._deferred:
            self.scope, node = self._deferred.pop()
            self._depth = 0
            self.run(node)

    def evaluate(self, node: Node | None) -> Term:
        """Return the term of an expression; what it does besides having a value is emitted."""
        if node is None:
            return None
        kind = node.type
        evaluate = self._expressions.get(kind)
        if evaluate is None:
            if kind in self._statements or not node.named_child_count:
                self.run(node)
                return None
            evaluate = unknown
        if self._depth >= MAX_DEPTH:
            self.defer(node)
            return None
        self._depth += 1
        value = evaluate(self, node)
        self._depth -= 1
        return value

    def evaluate_all(self, nodes: Iterable[Node]) -> tuple[Term, ...]:
        """Return the terms of expressions, comments left out."""
        return tuple([self.evaluate(node) for node in nodes if "comment" not in node.type])

    def run(self, node: Node) -> None:
        """Walk a node whose value is not used: a statement, or an expression on its own."""
        kind = node.type
        run = self._statements.get(kind)
        if run is None:
            if kind in self._expressions:
                self.discard(self.evaluate(node))
                return
            if not node.named_child_count:
                return
            run = SyntaxWalker._run_through
        if self._depth >= MAX_DEPTH:
            self.defer(node)
            return
        self._depth += 1
        run(self, node)
        self._depth -= 1

    def evaluate_children(self, node: Node | None) -> tuple[Term, ...]:
        """Return the terms of all expressions inside of a node: the arguments of a call."""
        return self.evaluate_all(node.named_children) if node is not None else ()

    def evaluate_field(self, node: Node, field: str) -> Term:
        """Return the term of a field of a node, None if it has none."""
        return self.evaluate(node.child_by_field_name(field))

    def run_field(self, node: Node, field: str) -> None:
        """Walk a field of a node whose value is not used, if it has one."""
        if (child := node.child_by_field_name(field)) is not None:
            self.run(child)

    def run_all(self, nodes: Iterable[Node], inherited: Node | None = None) -> None:
        """Walk siblings; the comment right above one of them is ready for `take_comment`.

        `inherited`: the comment above all of them, which is that of the first.
        """
        first, end = None, -1
        for node in nodes:
            if "comment" in node.type:
                if first is None or not self._adjacent(end, node):
                    first = node if self._leads(node) else None
                end = node.end_byte
                continue
            if node.type == "attribute_item":
                self.run(node)
                end = node.end_byte
                continue
            self._comment = inherited
            if first is not None and self._adjacent(end, node):
                self._comment = first
            first = inherited = None
            self.run(node)
        self._comment = None

    def run_children(self, node: Node) -> None:
        """Walk the children of a node whose own value is not known."""
        for child in node.named_children:
            self.run(child)

    def descend(self, function: Callable[[Any, Node], _Result], node: Node) -> _Result | None:
        """Return what a function makes of a node one level down; one too deep is put off."""
        if self._depth >= MAX_DEPTH:
            self.defer(node)
            return None
        self._depth += 1
        result = function(self, node)
        self._depth -= 1
        return result

    def defer(self, node: Node) -> None:
        """Put off a node that lies too deep: it is run at the end, in the current scope."""
        self._deferred.append((self.scope, node))

    def _run_through(self, node: Node) -> None:
        self.run_all(node.named_children, self._comment)

    # -- scopes

    @property
    def scope_kind(self) -> str:
        """Kind of the current scope: module, class, function or block."""
        return self.builder.scopes[self.scope].kind

    def in_scope(self, scope: int) -> InScope:
        """Return a context in which another scope is the current one."""
        return InScope(self, scope, self.locals)

    def in_block(self, *, when: bool = True) -> InScope:
        """Return a context in a new block of the current scope; else in the current scope."""
        scope = self.builder.open_scope("block", self.scope) if when else self.scope
        return InScope(self, scope, self.locals)

    def in_body(self, scope: int, params: Sequence[Param] = ()) -> InScope:
        """Return a context in the body of a definition, whose parameters are local names there."""
        if self.builder.scopes[scope].kind != "function":
            return self.in_scope(scope)
        names = {param.name for param in params}
        self.declared.update((scope, name) for name in names)
        return InScope(self, scope, self.locals | names)

    def run_block(self, nodes: Iterable[Node], *before: Statement) -> None:
        """Walk siblings in a block of their own, after some statements."""
        with self.in_block():
            self._emitted[self.scope].extend(before)
            self.run_all(nodes)

    def run_body(self, scope: int, nodes: Iterable[Node], params: Sequence[Param] = ()) -> None:
        """Walk siblings in the body of a definition."""
        with self.in_body(scope, params):
            self.run_all(nodes)

    def run_definition(self, index: int, body: Node | None, params: Sequence[Param] = ()) -> None:
        """Walk the body of a definition, if it has one: a block, or an expression that it gives."""
        if body is None:
            return
        if body.type.endswith(_BODIES):
            self.run_body(self.body(index), body.named_children, params)
            return
        with InScope(self, self.body(index), self.locals | {param.name for param in params}):
            self.emit_return(self.evaluate(body))

    def having(self, **attributes: Any) -> Having:
        """Return a context in which attributes of the walker have other values."""
        return Having(self, attributes)

    # -- statements and definitions

    def emit(self, *statement: Any) -> None:
        """Add a statement to the current scope."""
        self._emitted[self.scope].append(statement)

    def emit_in(self, scope: int, *statement: Any) -> None:
        """Add a statement to a scope."""
        self._emitted[scope].append(statement)

    def hoist(self, *statement: Any) -> None:
        """Add a statement that holds from the beginning of the current scope."""
        self._hoisted.setdefault(self.scope, []).append(statement)

    def emit_return(self, value: Term) -> None:
        """Add what a function returns, unless nothing is known of it."""
        if value is not None:
            self._emitted[self.scope].append(("return", value))

    def discard(self, term: Term) -> None:
        """Add a term that is evaluated for its calls and reads alone, unless that tells nothing."""
        if term is None or term[0] == "const":
            return
        if not self.emits_every_read and (
            term[0] in ("typed", "self", "def")
            or (term[0] == "either" and not any(term[1]))
            or (term[0] == "name" and term[1] in self.locals)
        ):
            return
        self._emitted[self.scope].append(("do", term))

    def label(self, kind: Term, node: Node, constants: Constants = ()) -> str:
        """Add what a literal of a type names before a value; return the name.

        `constants`: names and texts of what is constant in the literal.
        """
        name = self.name(node)
        if kind is not None:
            label = ("label", kind, name, self.site(node))
            self.emit("do", (*label, constants) if constants else label)
        return name

    def bind(self, target: Term, value: Term) -> None:
        """Bind names to a value."""
        if target is None:
            self.discard(value)
        else:
            self.add_locals(target)
            self._emitted[self.scope].append(("bind", target, value))

    def assign(self, target: Term, value: Term) -> None:
        """Bind names that were declared before, here or further out."""
        for name in names_of_target(target):
            if (self.scope, name) not in self.declared:
                self.declared.add((self.scope, name))
                self.emit("nonlocal", (name,))
        self.bind(target, value)

    def declare(self, target: Term, kind: Term) -> None:
        """Declare names of the current scope, of a type if there is one."""
        self.add_locals(target)
        if kind is not None:
            self._emitted[self.scope].append(("declare", target, kind))

    def narrow(self, name: str, kind: Term) -> None:
        """Add that a local name was checked to be of a type, where it is bound."""
        scope = self.scope
        while scope >= 0 and (scope, name) not in self.declared:
            scope = self.builder.scopes[scope].parent
        if scope >= 0 and kind is not None:
            self._emitted[scope].append(("narrow", ("name", name), kind))

    def add_locals(self, target: Term) -> None:
        """Take the names of a target for names of the current scope."""
        for name in names_of_target(target):
            self.declared.add((self.scope, name))
            if self.scope_kind not in ("module", "class"):
                self.locals.add(name)

    def define(
        self,
        kind: str,
        name: str,
        node: Node,
        *,
        scope: int | None = None,
        **options: Unpack[DefinitionOptions],
    ) -> int:
        """Add a definition of the current or another scope and return its index."""
        if scope is None:
            scope = self.scope
        return self.builder.define(kind, name, node, scope=scope, **options)

    def define_hoisted(
        self, kind: str, name: str, node: Node, **options: Unpack[DefinitionOptions]
    ) -> int:
        """Add a definition that is bound from the beginning of the current scope."""
        index = self.builder.define(kind, name, node, scope=self.scope, **options)
        self.hoist("define", index)
        return index

    def qualified(self, name: str) -> str:
        """Return the dotted name of something in the current scope."""
        return self.builder.qualified(self.scope, name)

    def define_variable(self, name: str, node: Node, **options: Unpack[DefinitionOptions]) -> None:
        """Define a variable of a file or a class and declare its type, if there is one."""
        self.define("variable", name, node, **options)
        if (kind := options.get("returns")) is not None:
            self.emit("declare", ("name", name), kind)

    def finish(self, root: Node, *, namespace: str = "", doc: str = "") -> Facts:
        """Return everything that was added; what was hoisted stands first in its scope."""
        for scope, statements in self._hoisted.items():
            self._emitted[scope][:0] = statements
        return self.builder.finish(errors=count_errors(root), namespace=namespace, doc=doc)

    # -- comments above definitions

    def take_comment(self) -> str:
        """Return the comment above the sibling that is being walked, without its marks."""
        node, self._comment = self._comment, None
        return comment_text(self.text(node)) if node is not None else ""

    def comment_above(self, nodes: Sequence[Node], position: int) -> str:
        """Return the comment right above one of siblings, without its marks."""
        start = position
        while start and "comment" in nodes[start - 1].type:
            if not self._adjacent(nodes[start - 1].end_byte, nodes[start]):
                break
            start -= 1
        return comment_text(self.text(nodes[start])) if start < position else ""

    def leading_comment(self, root: Node) -> str:
        """Return the comment with which a file begins, without its marks."""
        first = root.named_children[0] if root.named_child_count else None
        if first is None or "comment" not in first.type:
            return ""
        return comment_text(self.text(first))

    def package_clause(self, root: Node, clause: str) -> tuple[Node | None, str]:
        """Return the node of a type that says to which package a file belongs, if it says so, and
        the comment above it."""
        for position, node in enumerate(root.named_children):
            if node.type == clause and node.named_child_count:
                return node, self.comment_above(root.named_children, position)
        return None, ""

    def _leads(self, node: Node) -> bool:
        """Return whether a comment begins its line."""
        start = self.source.rfind(b"\n", 0, node.start_byte) + 1
        return not self.source[start : node.start_byte].strip()

    def _adjacent(self, end: int, node: Node) -> bool:
        """Return whether nothing but one line's end lies between a byte and a node."""
        gap = self.source[end : node.start_byte]
        ended = gap.count(b"\n") + (self.source[end - 1 : end] == b"\n")
        return ended <= 1 and not gap.strip()


class InScope:
    """Context of another scope; local names and the comment at hand are restored afterwards.

    Entering gives the outer scope.
    """

    __slots__ = ("_comment", "_locals", "_outer", "_scope", "_walker")

    def __init__(self, walker: SyntaxWalker, scope: int, names: set[str]) -> None:
        self._walker = walker
        self._scope = scope
        self._locals = names

    def __enter__(self) -> int:
        walker = self._walker
        self._outer, self._comment = walker.scope, walker._comment
        walker.scope, walker.locals, self._locals = self._scope, self._locals, walker.locals
        return self._outer

    def __exit__(self, *error: object) -> None:
        walker = self._walker
        walker.scope, walker.locals, walker._comment = self._outer, self._locals, self._comment


class Having:
    """Context in which attributes of a walker have other values."""

    __slots__ = ("_attributes", "_walker")

    def __init__(self, walker: SyntaxWalker, attributes: dict[str, Any]) -> None:
        self._walker = walker
        self._attributes = attributes

    def __enter__(self) -> None:
        walker, attributes = self._walker, self._attributes
        for name, value in attributes.items():
            attributes[name] = getattr(walker, name)
            setattr(walker, name, value)

    def __exit__(self, *error: object) -> None:
        for name, value in self._attributes.items():
            setattr(self._walker, name, value)


def names_of_target(target: Term) -> list[str]:
    """Return the names in a target of an assignment."""
    if target is None:
        return []
    if target[0] == "name":
        return [target[1]]
    if target[0] in ("tuple", "list"):
        return [name for part in target[1] for name in names_of_target(part)]
    return names_of_target(target[1]) if target[0] == "star" else []


def comment_text(text: str) -> str:
    """Return the text of a comment, the marks at the ends of its lines left out."""
    return _COMMENT_MARKS.sub("", text)


def fields(node: Node) -> dict[str, Node]:
    """Return the named fields of a node, the first of each name."""
    children: dict[str, Node] = {}
    for position, child in enumerate(node.children):
        name = node.field_name_for_child(position)
        if name is not None and name not in children:
            children[name] = child
    return children


def children_of(node: Node | None) -> list[Node]:
    """Return the named children of a node, none where there is no node."""
    return node.named_children if node is not None else []


def first_child(node: Node | None) -> Node | None:
    """Return the first named child of a node."""
    return next(iter(children_of(node)), None)


def child_of_type(node: Node | None, *types: str) -> Node | None:
    """Return the first named child of one of some types."""
    return next((child for child in children_of(node) if child.type in types), None)


def without_comments(node: Node | None) -> list[Node]:
    """Return the named children of a node that are no comments."""
    return [child for child in children_of(node) if "comment" not in child.type]


def signature_end(node: Node, body: Node | None) -> int:
    """Return where the signature of a definition ends: where its body begins, or as a whole."""
    return int(node.end_byte if body is None else body.start_byte)


class ShadowingWalker(SyntaxWalker):
    """Walker of languages in which a name means something new behind its declaration.

    `x := x.next()` reads the outer x.

    Attributes:
        last_read: scope in which a name of a value or type was read last, if it was not declared
            there.
        continued: scopes that hold what comes later in a block, by the scope of what came before.
    """

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.last_read: dict[str, int] = {}
        self.continued: dict[int, int] = {}

    def read(self, name: str) -> str:
        """Note that a name is read where it may be that of something further out."""
        if (self.scope, name) not in self.declared:
            self.last_read[name] = self.scope
        return name

    def shadow(self, names: Iterable[str], *values: Term) -> list[Term]:
        """Begin the scope of names, and return values as terms of that scope.

        Where a name was read before in its block it meant something further out.
        """
        block = outer = self.scope
        parts = [block]
        while block in self.continued:
            block = self.continued[block]
            parts.append(block)
        read = [name for name in names if self.last_read.get(name, -1) >= block]
        shadows = any(all((part, name) not in self.declared for part in parts) for name in read)
        if not shadows or block == MODULE_SCOPE:
            return list(values)
        self.scope = self.builder.open_scope("block", outer)
        self.continued[self.scope] = outer
        return [value and ("in", outer, value) for value in values]


# --- Temporaries: a value that is needed twice is evaluated once and bound to a new name.


def is_simple(value: Term) -> bool:
    """Return whether a term may stand twice, because evaluating it does nothing."""
    while value is not None and value[0] == "attr":
        value = value[1]
    if value is not None and value[0] == "in":
        return is_simple(value[2])
    return value is None or value[0] in ("name", "self")


def reusable(walker: SyntaxWalker, value: Term, node: Node) -> Term:
    """Return a term that may stand twice for what a node evaluates to."""
    if is_simple(value):
        return value
    name = ("name", f"<{node.start_byte}>")
    walker.bind(name, value)
    return name


def evaluate_once(walker: SyntaxWalker, node: Node | None) -> Term:
    """Return a term that may stand twice for an expression; also a mere read of it is emitted."""
    value = walker.evaluate(node)
    if is_simple(value):
        walker.discard(value)
    return reusable(walker, value, node) if node is not None else None


# --- Expressions that several languages write alike.


def constants(kinds: Mapping[str, str]) -> dict[str, Evaluate]:
    """Return evaluators of literals of some kinds, by node type, whose value does not matter."""

    def constant(kind: str) -> Evaluate:
        term = ("const", kind, None)
        return lambda walker, node: term

    return {node_type: constant(kind) for node_type, kind in kinds.items()}


def short_text(text: str | None) -> Term:
    """Return the term of a text; a short one may be a key and keeps its value."""
    return ("const", "str", text if text is not None and len(text) <= CONST_CHARS else None)


def name_term(walker: SyntaxWalker, node: Node) -> Term:
    """Return a name that is read."""
    return ("name", walker.name(node))


def list_term(walker: SyntaxWalker, node: Node) -> Term:
    """Return a list literal."""
    return ("list", walker.evaluate_all(node.named_children))


def last_value(walker: SyntaxWalker, node: Node) -> Term:
    """Return the value of what stands in brackets, or behind an operator or a word."""
    children = without_comments(node)
    return walker.evaluate(children[-1]) if children else None


def one_of(terms: Iterable[Term]) -> Term:
    """Return one of the values of branches; constants and what is unknown do not count."""
    values = tuple([term for term in terms if term is not None and term[0] != "const"])
    return values[0] if len(values) == 1 else ("either", values) if values else None


def union(kinds: Iterable[Term]) -> Term:
    """Return the union of types, those that are unknown left out."""
    known = tuple([kind for kind in kinds if kind is not None])
    return known[0] if len(known) == 1 else ("either", known) if known else None


def applied(base: Term, arguments: Sequence[Term]) -> Term:
    """Return a generic type with its arguments."""
    return ("item", base, arguments[0] if len(arguments) == 1 else ("tuple", tuple(arguments)))


def list_of(element: Term) -> Term:
    """Return the type of a list."""
    return ("item", ("name", "list"), element)


def callable_of(returned: Term, params: Sequence[Term] = ()) -> Term:
    """Return the type of a function that returns a type, and takes others where those are known."""
    return ("item", ("name", "Callable"), ("tuple", (("list", tuple(params)), returned)))


def operands(node: Node, joining: Collection[str] = ()) -> tuple[list[Node], bool]:
    """Return the sides of a chain of binary operators in their order, and whether every operator is
    one of `joining`: then the chain gives one of its sides.

    Long chains lean to the left and are walked in a loop.
    """
    sides: list[Node] = []
    joins = True
    while node.type == "binary_expression":
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        joins = joins and operator is not None and operator.type in joining
        if right is not None:
            sides.append(right)
        if left is None:
            break
        node = left
    else:
        sides.append(node)
    return sides[::-1], joins


def unknown(walker: SyntaxWalker, node: Node) -> Term:
    """Walk what is inside of an expression and know nothing of the result."""
    walker.run_children(node)
    return None


def first_inside(walker: SyntaxWalker, node: Node) -> Term:
    """Return the value of the first expression inside; what stands behind it says nothing new."""
    return walker.evaluate(first_child(node))


def last_inside(walker: SyntaxWalker, node: Node) -> Term:
    """Return the value of the last expression inside: what stands before it says nothing new."""
    return walker.evaluate(node.named_children[-1]) if node.named_child_count else None


def subscript(walker: SyntaxWalker, node: Node) -> Term:
    """Return an element by its first key."""
    value, *keys = node.named_children
    return ("item", walker.evaluate(value), walker.evaluate(keys[0]) if keys else None)


def quoted_text(walker: SyntaxWalker, node: Node) -> Term:
    """Return a text in double quotes."""
    return short_text(walker.text(node).strip('"'))


def conditional(walker: SyntaxWalker, node: Node) -> Term:
    """`a ? b : c` is one of b and c."""
    walker.run_field(node, "condition")
    evaluate = walker.evaluate_field
    return ("either", (evaluate(node, "consequence"), evaluate(node, "alternative")))


def cast_to(
    type_of: Callable[[Any, Node | None], Term],
    type_field: str = "type",
    value_field: str = "value",
) -> Evaluate:
    """Return the rule of a cast, which has fields for its type and its value."""
    return lambda walker, node: (
        "cast",
        type_of(walker, node.child_by_field_name(type_field)),
        walker.evaluate_field(node, value_field),
    )


def qualified_import(walker: SyntaxWalker, package: str, name: str, node: Node) -> Term:
    """Return what reads a class that is named with its package: an import without a statement."""
    local = f"<{package}.{name}>"
    if local not in walker.locals:
        walker.emit_in(MODULE_SCOPE, "import", local, package, name, 0, walker.site(node))
        walker.locals.add(local)
    return ("name", local)


# --- Statements that several languages write alike.


def nothing(walker: SyntaxWalker, node: Node) -> None:
    """Evaluate nothing: labels, modifiers and the like are no reads."""


def block(declaring: Collection[str]) -> Run:
    """Return what walks a block, which is a scope if a node of one of some types is in it."""

    def run(walker: SyntaxWalker, node: Node) -> None:
        children = node.named_children
        if any(child.type in declaring for child in children):
            walker.run_block(children)
        else:
            walker.run_all(children)

    return run


def own_block(walker: SyntaxWalker, node: Node) -> None:
    """Walk a statement that declares names for itself alone: `for (…;…;…)`, `using (…)`."""
    walker.run_block(node.named_children)


def labelled(walker: SyntaxWalker, node: Node) -> None:
    """Walk a statement behind its label."""
    walker.run_all(node.named_children[1:])


def return_statement(walker: SyntaxWalker, node: Node) -> None:
    """`return x`."""
    for child in without_comments(node):
        walker.emit_return(walker.evaluate(child))


def bind_typed(walker: SyntaxWalker, named: Node | None, kind: Term) -> None:
    """Declare a local name of a type: of a pattern, a loop, a caught exception."""
    if named is None:
        return
    target = ("name", walker.name(named))
    if kind is None:
        walker.bind(target, None)
    else:
        walker.declare(target, kind)


def bind_each(walker: SyntaxWalker, named: Node | None, over: Term, kind: Term) -> None:
    """Declare the name of a loop: of its type if that is written, else of what it walks through."""
    if kind is not None:
        walker.discard(over)
        bind_typed(walker, named, kind)
    elif named is not None:
        walker.bind(("name", walker.name(named)), ("iter", over, walker.site(named)))


def bind_pair(
    walker: SyntaxWalker, parts: Sequence[Term], over: Term, element: Term, whole: Term
) -> None:
    """Bind both parts of an element: of a mapping a key and its value.

    `element`, bound to `whole`, is one of those of `over`.
    """
    walker.bind(whole, element)
    others = (whole, ("item", over, None))
    for position, (part, other) in enumerate(zip(parts, others, strict=True)):
        if part is not None:
            item: Term = ("item", whole, ("const", "int", position))
            walker.bind(part, ("either", (item, other)))


@attrs.frozen
class Assignments:
    """Assignments of a language.

    Attributes:
        operators: those that give the target the value as it is; all others read the target too.
        assign: the language's own way to give a value to a target.
        patterns: node types of targets that take a value apart, and the target each makes.
    """

    operators: Collection[str]
    assign: Callable[[SyntaxWalker, Term, Term], None]
    patterns: Mapping[str, Callable[[SyntaxWalker, Node], Term]] = attrs.Factory(dict)

    def run(self, walker: SyntaxWalker, node: Node) -> None:
        """Walk an assignment whose value is not used."""
        self._walk(walker, node, is_used=False)

    def evaluate(self, walker: SyntaxWalker, node: Node) -> Term:
        """Return what an assignment inside of an expression gives."""
        return self._walk(walker, node, is_used=True)

    def _walk(self, walker: SyntaxWalker, node: Node, *, is_used: bool) -> Term:
        """Walk an assignment and return what has the value then.

        A target that does something when it is read is not read for it.
        """
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        value = walker.evaluate(right)
        if left is not None and left.type in self.patterns:
            walker.assign(self.patterns[left.type](walker, left), value)
            return None
        target = walker.evaluate(left)
        if left is None or (operator is not None and operator.type not in self.operators):
            walker.discard(target)
            walker.discard(value)
            return None
        if not is_used or right is None or is_simple(target):
            self.assign(walker, target, value)
            return target
        stored = reusable(walker, value, right)
        self.assign(walker, target, stored)
        return stored


# --- Callbacks of methods of collections.

# Methods that give what the function gives, many times.
_GIVING = {"map", "mapToObj", "Select"}


def method_call(
    walker: SyntaxWalker, receiver: Term, name: str, args: tuple[Term, ...], node: Node
) -> Term:
    """Return a call of a method that stands at a node: operators are methods in some languages."""
    return ("call", ("attr", receiver, name), args, (), walker.site(node))


def run_callbacks(
    walker: SyntaxWalker,
    callee: Term,
    args: tuple[Term, ...],
    site: int,
    element: Callable[[Term], Term] = lambda receiver: ("iter", receiver),
) -> Term:
    """Return a call of a method that calls functions in place with an element of its receiver.

    The receiver is bound to a name first if it would otherwise be evaluated twice. `element`: what
    the functions are called with.
    """
    assert callee is not None
    receiver, name = callee[1], callee[2]
    functions = [arg[1] for arg in args if arg is not None and arg[0] == "def"]
    if not functions or receiver is None:
        return ("call", callee, args, (), site)
    if not is_simple(receiver):
        part = f"<part {len(walker.builder.statements[walker.scope])}>"
        walker.bind(("name", part), receiver)
        receiver = ("name", part)
    value = element(receiver)
    results: list[Term] = []
    for index in functions:
        call: Term = ("call", ("def", index), (value,), (), site)
        for param in walker.parameters(index)[:1]:
            bound = ("in", walker.scope, value)
            walker.emit_in(walker.body(index), "bind", ("name", param), bound)
        if name in _GIVING:
            results.append(("list", (call,)))
        else:
            walker.emit("do", call)
    whole: Term = ("call", ("attr", receiver, name), args, (), site)
    return ("either", (whole, *results)) if results else whole
