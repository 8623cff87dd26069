"""Walker over syntax trees: scopes, hoisting, shadowing, temporaries, comments."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Facts, Param, Statement, Term
from .facts_builder import DEEPEST, FactsBuilder

if TYPE_CHECKING:
    from tree_sitter import Node


# --- A walk over a syntax tree by two tables: what to do at a statement, what a term is made of.
#
# A walker belongs to one file and stands in one scope. Node types in neither table are walked
# through: what they evaluate on the way is kept, their own value is not known.

Terms = Mapping[str, Callable[[Any, "Node"], Term]]
Statements = Mapping[str, Callable[[Any, "Node"], None]]

_COMMENT_MARKS = re.compile(r"^[\s/*!#;%-]+|[\s*/]+$", re.MULTILINE)


class SyntaxWalker(FactsBuilder):
    """Collects what one file says while it walks the tree.

    Attributes:
        at: number of the scope it stands in.
        declared: scope and name of what is bound in a scope.
        bounds: what is asked of the type parameters that are in force, by their name.
        generics: the names of those of the class around.
        known: names bound inside of the function it is in; reading one of them tells nothing.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect)
        self.at = MODULE_SCOPE
        self.known: set[str] = set()
        self.bounds: dict[str, Term] = {}
        self.generics: tuple[str, ...] = ()
        self._terms = terms
        self._runs = runs
        self._depth = 0
        self._above: Node | None = None
        self.declared: set[tuple[int, str]] = set()
        self._first: dict[int, list[Statement]] = {}

    def term(self, node: Node | None) -> Term:
        """Return the term of an expression; what it evaluates besides its value is said."""
        if node is None:
            return None
        kind = node.type
        maker = self._terms.get(kind)
        if maker is None and (kind in self._runs or not node.named_child_count):
            self.run(node)
            return None
        if self._depth >= DEEPEST:
            self.later(self.at, node)
            return None
        self._depth += 1
        if maker is not None:
            value = maker(self, node)
        else:
            value = None
            for child in node.named_children:
                self.run(child)
        self._depth -= 1
        return value

    def run(self, node: Node) -> None:
        """Walk a node whose value nobody takes: a statement, or an expression on its own."""
        kind = node.type
        runner = self._runs.get(kind)
        if runner is None:
            if kind in self._terms:
                self.do(self.term(node))
            elif node.named_child_count:
                self._guarded(SyntaxWalker._through, node)
        else:
            self._guarded(runner, node)

    def each(self, nodes: Iterable[Node], inherited: Node | None = None) -> None:
        """Walk siblings; the comment right above one of them is ready for `above`.

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
            self._above = inherited
            if first is not None and self._adjacent(end, node):
                self._above = first
            first = inherited = None
            self.run(node)
        self._above = None

    def above(self) -> str:
        """Return the comment above the sibling that is being walked, without its marks."""
        node, self._above = self._above, None
        return comment_text(self.text(node)) if node is not None else ""

    def comment_above(self, nodes: Sequence[Node], place: int) -> str:
        """Return the comment right above one of siblings, without its marks."""
        start = place
        while start and "comment" in nodes[start - 1].type:
            if not self._adjacent(nodes[start - 1].end_byte, nodes[start]):
                break
            start -= 1
        return comment_text(self.text(nodes[start])) if start < place else ""

    def leading_comment(self, root: Node) -> str:
        """Return the comment with which a file begins, without its marks."""
        first = root.named_children[0] if root.named_child_count else None
        if first is None or "comment" not in first.type:
            return ""
        return comment_text(self.text(first))

    def variable(
        self,
        name: str,
        node: Node,
        *,
        named: Node,
        type_: Term = None,
        flags: Sequence[str] = (),
        doc: str = "",
    ) -> None:
        """Define a variable of a file or a class, with its declared type if there is one."""
        self.define(
            "variable", name, node, scope=self.at, named=named, returns=type_, flags=flags, doc=doc
        )
        if type_ is not None:
            self.say("declare", ("name", name), type_)

    def say(self, *statement: Any) -> None:
        """Add a statement to the scope it stands in."""
        self.statements[self.at].append(statement)

    def hoist(self, *statement: Any) -> None:
        """Say something that holds from the beginning of the scope it stands in."""
        self._first.setdefault(self.at, []).append(statement)

    def do(self, term: Term) -> None:
        """Say that a term is evaluated, unless that tells nothing."""
        if term is None or term[0] in ("const", "typed", "self", "def"):
            return
        if term[0] == "either" and not any(term[1]):
            return
        if term[0] == "name" and term[1] in self.known:
            return
        self.statements[self.at].append(("do", term))

    def bind(self, target: Term, value: Term) -> None:
        """Say that names get a value."""
        if target is None:
            self.do(value)
        else:
            self.know(target)
            self.statements[self.at].append(("bind", target, value))

    def assign(self, target: Term, value: Term) -> None:
        """Say that names get a value that were declared before, here or further out."""
        for name in _names(target):
            if (self.at, name) not in self.declared:
                self.declared.add((self.at, name))
                self.say("nonlocal", (name,))
        self.bind(target, value)

    def narrow(self, name: str, kind: Term) -> None:
        """Say that a local name was checked to be of a type, where it is bound."""
        scope = self.at
        while scope >= 0 and (scope, name) not in self.declared:
            scope = self.scope(scope).parent
        if scope >= 0 and kind is not None:
            self.statements[scope].append(("narrow", ("name", name), kind))

    def know(self, target: Term) -> None:
        """Take the names of a target for names of the scope it stands in."""
        for name in _names(target):
            self.declared.add((self.at, name))
            if self.at != MODULE_SCOPE:
                self.known.add(name)

    def block(self, nodes: Iterable[Node], *before: Statement) -> None:
        """Walk siblings in a scope of their own, after some statements."""
        around = self.at
        self.at = self.open("block", around)
        for statement in before:
            self.say(*statement)
        self.each(nodes)
        self.at = around

    def within(
        self,
        scope: int,
        nodes: Iterable[Node],
        params: Sequence[Param] = (),
        last: Callable[[], None] | None = None,
    ) -> None:
        """Walk siblings in the scope of a definition's body; `last` is called there at the end."""
        around, known, above = self.at, self.known, self._above
        self.at = scope
        if self.scope(scope).kind == "function":
            names = {param.name for param in params}
            self.known = known | names
            self.declared.update((scope, name) for name in names)
        self.each(nodes)
        if last is not None:
            last()
        self.at, self.known, self._above = around, known, above

    def walk_all(self, root: Node) -> None:
        """Walk a whole tree, also what lay too deep to be met at once."""
        self.each(root.named_children)
        for scope, node in self.put_off():
            self.at, self._depth = scope, 0
            self.run(node)

    def finish(self, *, errors: int = 0, namespace: str = "", doc: str = "") -> Facts:
        """Return everything that was added; what was hoisted stands first in its scope."""
        for scope, statements in self._first.items():
            self.statements[scope][:0] = statements
        return super().finish(errors=errors, namespace=namespace, doc=doc)

    def _guarded(self, runner: Callable[[Any, Node], None], node: Node) -> None:
        if self._depth >= DEEPEST:
            self.later(self.at, node)
            return
        self._depth += 1
        runner(self, node)
        self._depth -= 1

    def _through(self, node: Node) -> None:
        self.each(node.named_children, self._above)

    def _leads(self, node: Node) -> bool:
        """Return whether a comment begins its line."""
        start = self.source.rfind(b"\n", 0, node.start_byte) + 1
        return not self.source[start : node.start_byte].strip()

    def _adjacent(self, end: int, node: Node) -> bool:
        """Return whether nothing but one line's end lies between a place and a node."""
        gap = self.source[end : node.start_byte]
        ended = gap.count(b"\n") + (self.source[end - 1 : end] == b"\n")
        return ended <= 1 and not gap.strip()


def _names(target: Term) -> list[str]:
    """Return the names that stand in a target of an assignment."""
    if target is None:
        return []
    if target[0] == "name":
        return [target[1]]
    if target[0] in ("tuple", "list"):
        return [name for part in target[1] for name in _names(part)]
    return _names(target[1]) if target[0] == "star" else []


def comment_text(text: str) -> str:
    """Return what a comment says, the marks at the ends of its lines left out."""
    return _COMMENT_MARKS.sub("", text)


def fields(node: Node) -> dict[str, Node]:
    """Return the named fields of a node, the first of each name."""
    children: dict[str, Node] = {}
    for place, child in enumerate(node.children):
        name = node.field_name_for_child(place)
        if name is not None and name not in children:
            children[name] = child
    return children


# --- Languages in which a name means something new behind its declaration: `x := x.next()`.


class ShadowingWalker(SyntaxWalker):
    """Knows where names were read, for what is declared under one of them afterwards.

    Attributes:
        read: names of values and types by the scope in which each was read last, if it was not
            declared there.
        goes_on: scopes that hold what comes later in a block, by the scope of what came before.
    """

    def __init__(
        self, source: bytes, path: str, dialect: Dialect, terms: Terms, runs: Statements
    ) -> None:
        super().__init__(source, path, dialect, terms, runs)
        self.read: dict[str, int] = {}
        self.goes_on: dict[int, int] = {}

    def reads(self, name: str) -> str:
        """Note that a name is read where it may be that of something further out."""
        if (self.at, name) not in self.declared:
            self.read[name] = self.at
        return name

    def declares(self, names: Iterable[str], *values: Term) -> list[Term]:
        """Begin the scope of names, and return values as they are said from there.

        Where a name was read before in its block it meant something further out.
        """
        block = outer = self.at
        parts = [block]
        while block in self.goes_on:
            block = self.goes_on[block]
            parts.append(block)
        read = [name for name in names if self.read.get(name, -1) >= block]
        hides = any(all((part, name) not in self.declared for part in parts) for name in read)
        if not hides or block == MODULE_SCOPE:
            return list(values)
        self.at = self.open("block", outer)
        self.goes_on[self.at] = outer
        return [value and ("in", outer, value) for value in values]


# --- Values that are needed twice: evaluated once, and bound to a name that no source has.


def is_simple(value: Term) -> bool:
    """Return whether a term may be said twice, because evaluating it does nothing."""
    while value is not None and value[0] == "attr":
        value = value[1]
    if value is not None and value[0] == "in":
        return is_simple(value[2])
    return value is None or value[0] in ("name", "self")


def held(walker: SyntaxWalker, value: Term, node: Node) -> Term:
    """Return a term that may be said twice for what a node evaluates to."""
    if is_simple(value):
        return value
    name = ("name", f"<{node.start_byte}>")
    walker.bind(name, value)
    return name


def assigned(
    walker: SyntaxWalker,
    target: Term,
    value: Term,
    node: Node | None,
    *,
    by: Callable[[SyntaxWalker, Term, Term], None],
) -> Term:
    """Give a value to a target by a language's own way, and return what has the value then.

    `node` is that of the value if it is asked for: a target that does something when it is read is
    not read for it.
    """
    if node is None or is_simple(target):
        by(walker, target, value)
        return target
    stored = held(walker, value, node)
    by(walker, target, stored)
    return stored


# --- Comments above definitions: what stands directly over one says what it is for.

_MARKS = re.compile(r"^[ \t]*(?:/\*+!?|\*+/|\*(?!/)|//+[!/]?|#+|--)?[ \t]*|[ \t]*\*+/[ \t]*$", re.M)
_TAGS = re.compile(r"</?(?:summary|remarks|para|c|see|inheritdoc)\b[^>]*>|</?p>|\{@\w+ ([^}]*)\}")


class Above:
    """Collects the comments before the next definition among the children of one node."""

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


# --- Expressions and local names that several languages write alike.


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


def conditional(walker: SyntaxWalker, node: Node) -> Term:
    """`a ? b : c` is one of b and c."""
    parts = fields(node)
    walker.do(walker.term(parts.get("condition")))
    return (
        "either",
        (walker.term(parts.get("consequence")), walker.term(parts.get("alternative"))),
    )


def bind_typed(walker: SyntaxWalker, named: Node | None, kind: Term) -> None:
    """Declare a local name of a type: of a pattern, a loop, a caught exception."""
    if named is None:
        return
    target = ("name", walker.name(named))
    if kind is None:
        walker.bind(target, None)
        return
    walker.know(target)
    walker.say("declare", target, kind)


def bind_each(walker: SyntaxWalker, named: Node | None, over: Term, kind: Term) -> None:
    """Declare the name of a loop: of its type if that is written, else of what it walks through."""
    if kind is not None:
        walker.do(over)
        bind_typed(walker, named, kind)
    elif named is not None:
        walker.bind(("name", walker.name(named)), ("iter", over, walker.site(named)))


@attrs.frozen
class Assignments:
    """Assignments of a language.

    Attributes:
        operators: those that give the target the value as it is; all others read the target too.
        by: the language's own way to give a value to a target.
        apart: node types of targets that take a value apart, and what gives such a target.
    """

    operators: Collection[str]
    by: Callable[[SyntaxWalker, Term, Term], None]
    apart: Mapping[str, Callable[[SyntaxWalker, Node], Term]] = attrs.Factory(dict)

    def statement(self, walker: SyntaxWalker, node: Node) -> None:
        """An assignment whose value nobody takes."""
        self._walk(walker, node, is_asked=False)

    def term(self, walker: SyntaxWalker, node: Node) -> Term:
        """An assignment inside of an expression."""
        return self._walk(walker, node, is_asked=True)

    def _walk(self, walker: SyntaxWalker, node: Node, *, is_asked: bool) -> Term:
        """Walk an assignment and return what reads its target; if it is asked for, safely."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        operator = node.child_by_field_name("operator")
        value = walker.term(right)
        if left is not None and left.type in self.apart:
            walker.assign(self.apart[left.type](walker, left), value)
            return None
        target = walker.term(left)
        if left is None or (operator is not None and operator.type not in self.operators):
            walker.do(target)
            walker.do(value)
            return None
        return assigned(walker, target, value, right if is_asked else None, by=self.by)


# --- Functions given to methods of collections, which call them with one element each.

# Methods that give what the function gives, many times.
_GIVING = {"map", "mapToObj", "Select"}


def run_by(
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
    numbers = [arg[1] for arg in args if arg is not None and arg[0] == "def"]
    if not numbers or receiver is None:
        return ("call", callee, args, (), site)
    if not is_simple(receiver):
        part = f"<part {len(walker.statements[walker.at])}>"
        walker.bind(("name", part), receiver)
        receiver = ("name", part)
    arg = element(receiver)
    results: list[Term] = []
    for number in numbers:
        ran: Term = ("call", ("def", number), (arg,), (), site)
        for param in walker.parameters(number)[:1]:
            walker.add(walker.body(number), ("bind", ("name", param), ("in", walker.at, arg)))
        if name in _GIVING:
            results.append(("list", (ran,)))
        else:
            walker.say("do", ran)
    whole: Term = ("call", ("attr", receiver, name), args, (), site)
    return ("either", (whole, *results)) if results else whole
