"""A walk over a syntax tree by two tables: what to do at a statement, what a term is made of.

A walker belongs to one file and stands in one scope. Node types in neither table are walked
through: what they evaluate on the way is kept, their own value is not known.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ..dialect import Dialect
from ..facts import MODULE_SCOPE, Facts, Param, Statement, Term
from .builder import DEEPEST, FactsBuilder

if TYPE_CHECKING:
    from tree_sitter import Node

Terms = Mapping[str, Callable[[Any, "Node"], Term]]
Statements = Mapping[str, Callable[[Any, "Node"], None]]

_COMMENT_MARKS = re.compile(r"^[\s/*!#;%-]+|[\s*/]+$", re.MULTILINE)


class Walker(FactsBuilder):
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
            found = maker(self, node)
        else:
            found = None
            for child in node.named_children:
                self.run(child)
        self._depth -= 1
        return found

    def run(self, node: Node) -> None:
        """Walk a node whose value nobody takes: a statement, or an expression on its own."""
        kind = node.type
        runner = self._runs.get(kind)
        if runner is None:
            if kind in self._terms:
                self.do(self.term(node))
            elif node.named_child_count:
                self._guarded(Walker._through, node)
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
        return [name for one in target[1] for name in _names(one)]
    return _names(target[1]) if target[0] == "star" else []


def comment_text(text: str) -> str:
    """Return what a comment says, the marks at the ends of its lines left out."""
    return _COMMENT_MARKS.sub("", text)


def fields(node: Node) -> dict[str, Node]:
    """Return the named fields of a node, the first of each name."""
    found: dict[str, Node] = {}
    for place, child in enumerate(node.children):
        name = node.field_name_for_child(place)
        if name is not None and name not in found:
            found[name] = child
    return found
