"""Statements, imports, match patterns, continued lines."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from ...facts import Facts, Term
from ..facts_builder import DEEPEST, FactsBuilder, before, count_errors
from ..grammars import parse
from . import DIALECT, flags_of
from .callbacks import with_callbacks, with_dispatched_methods
from .expressions import TERMS, PythonTerms, again, given_back, is_plain, params_of, type_of

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Query, Tree


# --- Python's import statements as facts.


def import_modules(walker: PythonTerms, node: Node, scope: int) -> None:
    """Say what `import a.b, c as d` binds: a, and d; a.b is loaded as well."""
    for child in node.named_children:
        if child.type == "aliased_import":
            module, local = (_named(walker, part) for part in child.named_children[:2])
            walker.facts.add(scope, ("import", local, module, None, 0, walker.facts.site(child)))
        elif child.type == "dotted_name":
            module = _named(walker, child)
            top = module.partition(".")[0]
            site = walker.facts.site(child)
            walker.facts.add(scope, ("import", top, top, None, 0, site))
            if top != module:
                walker.facts.add(scope, ("import", "", module, None, 0, site))


def import_from(walker: PythonTerms, node: Node, scope: int) -> None:
    """Say what `from a import b as c` binds."""
    module, level = "", 0
    for place, child in enumerate(node.named_children):
        kind = child.type
        if kind == "relative_import":
            text = _named(walker, child)
            module = text.lstrip(".")
            level = len(text) - len(module)
        elif kind == "wildcard_import":
            _taken(walker, node, scope, ("", module, "*", level))
        elif kind == "aliased_import":
            name, local = (_named(walker, part) for part in child.named_children[:2])
            _taken(walker, child, scope, (local, module, name, level))
        elif kind == "dotted_name":
            name = _named(walker, child)
            if place == 0:
                module = name
            else:
                _taken(walker, child, scope, (name, module, name, level))


def _taken(walker: PythonTerms, node: Node, scope: int, what: tuple[str, str, str, int]) -> None:
    walker.facts.add(scope, ("import", *what, walker.facts.site(node)))


def _named(walker: PythonTerms, node: Node) -> str:
    """Return a dotted name without the white space, and lines that go on, between its parts."""
    name = walker.facts.name(node)
    return name if name.isidentifier() else "".join(name.replace("\\", "").split())


# --- What the patterns of `match` bind and read.


def pattern(walker: PythonTerms, node: Node, scope: int) -> None:
    """Names in a pattern are bound; classes in it are read."""
    kind = node.type
    inner = node.named_children
    if kind == "as_pattern" and len(inner) == 2:
        pattern(walker, inner[0], scope)
        walker.facts.add(
            scope, ("bind", ("name", walker.facts.name(inner[1])), _matched(walker, inner[0]))
        )
    elif kind == "class_pattern":
        walker.facts.add(scope, ("do", _dotted(walker.facts.name(inner[0]))))
        _parts(walker, inner[1:], scope)
    elif kind == "keyword_pattern":
        _parts(walker, inner[1:], scope)
    elif kind == "splat_pattern" or (kind == "dotted_name" and len(inner) == 1):
        walker.facts.statements[scope].extend(
            ("bind", ("name", walker.facts.name(child)), None) for child in inner
        )
    elif walker.down(node, scope):
        _parts(walker, inner, scope)
        walker.up()


def _parts(walker: PythonTerms, nodes: list[Node], scope: int) -> None:
    for node in nodes:
        pattern(walker, node, scope)


def _matched(walker: PythonTerms, node: Node) -> Term:
    while node.type == "case_pattern" and node.named_child_count == 1:
        node = node.named_children[0]
    if node.type != "class_pattern":
        return None
    return ("typed", _dotted(walker.facts.name(node.named_children[0])))


def _dotted(text: str) -> Term:
    first, *others = text.split(".")
    term: Term = ("name", first)
    for other in others:
        term = ("attr", term, other)
    return term


# --- Lines that go on behind a backslash, taken together before they are walked.
#
# The grammar puts a node wherever a line goes on, between any two parts of a statement, where
# each rule that counts parts would have to look out for it.


def joined(tree: Tree, source: bytes) -> Tree:
    """Return the tree of a text in which lines that go on are one: a byte is where it was, for
    spaces stand in place of the backslash and the end of the line."""
    if b"\\\n" not in source and b"\\\r" not in source:
        return tree
    from tree_sitter import QueryCursor

    text = bytearray(source)
    captures = QueryCursor(_continued(tree.language)).captures(tree.root_node)
    for node in captures.get("continued", ()):
        text[node.start_byte : node.end_byte] = b" " * (node.end_byte - node.start_byte)
    return parse(bytes(text), "python") if captures else tree


@cache
def _continued(language: Language) -> Query:
    from tree_sitter import Query

    return Query(language, "(line_continuation) @continued")


# --- Python as facts: whatever the language lets one write, broken files as far as they go.


def extract(tree: Tree, source: bytes, path: str) -> Facts:
    """Return what a Python file says."""
    extractor = Python(FactsBuilder(source, path, DIALECT))
    extractor.block(root := joined(tree, source).root_node, 0)
    for scope, node in extractor.facts.put_off():
        extractor.statement(node, scope)
    facts = extractor.facts.finish(errors=count_errors(root), doc=extractor.doc(root))
    facts = (
        with_dispatched_methods(facts, extractor.dispatch_calls)
        if extractor.dispatch_calls
        else facts
    )
    return with_callbacks(facts, extractor.handing, extractor.aliases)


class Python(PythonTerms):
    """Walks statements."""

    _block = -1
    _last = (-1, -1, -1)

    def statement(self, node: Node, scope: int) -> None:
        """Say what a statement, or an expression standing as one, does."""
        maker = _STATEMENTS.get(node.type, Python.parts)
        if maker is None:
            self.do(node, scope)
        elif self._depth >= DEEPEST:
            self.facts.later(scope, node)
        else:
            self._depth += 1
            maker(self, node, scope)
            self._depth -= 1

    def block(self, node: Node, scope: int) -> None:
        """Say what statements do, in their order."""
        outer, self._block = self._block, node.id
        for child in node.named_children:
            self.statement(child, scope)
        self._block = outer

    def doc(self, node: Node) -> str:
        """Return the docstring of a block or a file."""
        for child in node.named_children:
            if child.type == "string":
                return self.facts.text(child).strip("rRuUbB").strip("\"'")
            if child.type != "comment":
                break
        return ""

    def _decorated(self, node: Node, scope: int) -> None:
        *decorators, definition = [c for c in node.named_children if c.type != "comment"]
        if definition.type == "decorator":
            self.block(node, scope)
            return
        terms = [
            self.term(child, scope)
            for decorator in decorators
            for child in decorator.named_children[:1]
        ]
        maker = Python._class if definition.type == "class_definition" else Python._function
        maker(self, definition, scope, tuple(terms), node)

    def _function(
        self,
        node: Node,
        scope: int,
        decorators: tuple[Term, ...] = (),
        whole: Node | None = None,
    ) -> None:
        body = node.child_by_field_name("body")
        named = node.child_by_field_name("name")
        name = self.facts.name(named) if named else ""
        is_method = self.facts.scope(scope).kind == "class"
        number = self.facts.define(
            "method" if is_method else "function",
            name,
            whole or node,
            scope=scope,
            body="function",
            named=node,
            header=before(body) if body else None,
            flags=flags_of(name, decorators, is_async=node.children[0].type == "async"),
            decorators=decorators,
            doc=self.doc(body) if body else "",
        )
        self.facts.add(scope, ("define", number))
        parameters = node.child_by_field_name("parameters")
        returns = node.child_by_field_name("return_type")
        self.facts.fill(
            number,
            params=params_of(self, parameters, scope) if parameters else (),
            returns=given_back(self, returns, scope) if returns else None,
        )
        if body:
            self.block(body, self.facts.body(number))

    def _class(
        self,
        node: Node,
        scope: int,
        decorators: tuple[Term, ...] = (),
        whole: Node | None = None,
    ) -> None:
        body = node.child_by_field_name("body")
        named = node.child_by_field_name("name")
        name = self.facts.name(named) if named else ""
        bases = node.child_by_field_name("superclasses")
        number = self.facts.define(
            "class",
            name,
            whole or node,
            scope=scope,
            body="class",
            named=node,
            header=before(body) if body else None,
            flags=("private",) if name.startswith("_") else (),
            bases=self._bases(bases, scope) if bases else (),
            decorators=decorators,
            doc=self.doc(body) if body else "",
        )
        self.facts.add(scope, ("define", number))
        if body:
            self.block(body, self.facts.body(number))

    def _bases(self, node: Node, scope: int) -> tuple[Term, ...]:
        bases = []
        for child in node.named_children:
            if child.type == "keyword_argument":
                self.do(child.named_children[-1], scope)
            elif child.type not in ("comment", "dictionary_splat"):
                bases.append(self.term(child, scope))
        return tuple(bases)

    def _assignment(self, node: Node, scope: int) -> None:
        """`a = b = c` binds c to each, whatever their number; most are as plain as `a = b`."""
        parts = node.named_children
        if len(parts) == 2 and parts[1].type not in ("type", "assignment"):
            bound_value = self.term(parts[1], scope)
            self._variables(parts[0], scope, node)
            self._bind(self.target(parts[0], scope), bound_value, bound_value, scope)
            self._unseen(scope)
            return
        targets = []
        value: Node | None = node
        while value is not None and value.type == "assignment":
            targets.append(value.named_children[0])
            self._declared(value, scope)
            value = value.child_by_field_name("right")
        bound_value = self.term(value, scope) if value is not None else None
        for place, target in enumerate(targets):
            self._variables(target, scope, node)
            if value is not None:
                bound = bound_value if place == 0 or bound_value is None else again(bound_value)
                self._bind(self.target(target, scope), bound, bound_value, scope)
        if len(targets) == 1 and value is not None:
            self._unseen(scope)

    def _bind(self, target: Term, bound: Term, value: Term, scope: int) -> None:
        self.facts.add(scope, ("bind", target, bound))
        if value is not None and value[0] in ("name", "def") and target and target[0] == "name":
            place = (scope, target[1])
            self.aliases[place] = None if place in self.aliases else value

    def _unseen(self, scope: int) -> None:
        """Take back what was bound to the same name just before, in the same block: unseen."""
        statements = self.facts.statements[scope]
        before, self._last = self._last, (scope, self._block, len(statements))
        if before != (scope, self._block, len(statements) - 1):
            return
        (tag, target, value), (_, other, new) = statements[-2:]
        if tag == "bind" and target == other and target[0] == "name" and is_plain(new, target[1]):
            statements[-2] = ("do", value)

    def _declared(self, node: Node, scope: int) -> None:
        kind = node.child_by_field_name("type")
        if kind is not None:
            target = self.target(node.named_children[0], scope)
            self.facts.add(scope, ("declare", target, type_of(self, kind, scope)))

    def _variables(self, target: Node, scope: int, node: Node) -> None:
        """Define what is bound or declared in a module or class for the first time."""
        if self.facts.scope(scope).kind not in ("module", "class"):
            return
        if target.type == "identifier":
            name = self.facts.name(target)
            if self.facts.first(scope, name):
                constant = ("constant",) if name.isupper() else ()
                self.facts.define("variable", name, node, scope=scope, flags=constant)
        elif target.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            for child in target.named_children:
                self._variables(child, scope, node)

    def _augmented(self, node: Node, scope: int) -> None:
        target, *_, value = node.named_children
        self.facts.add(scope, ("bind", self.target(target, scope), self.term(value, scope)))

    def _alias(self, node: Node, scope: int) -> None:
        left, *_, right = node.named_children
        while left.type in ("type", "generic_type") and left.named_child_count:
            left = left.named_children[0]
        if left.type == "identifier":
            self._variables(left, scope, node)
            self.facts.add(
                scope, ("bind", ("name", self.facts.name(left)), type_of(self, right, scope))
            )

    def _scoped(self, node: Node, scope: int) -> None:
        names = tuple(self.facts.name(child) for child in node.named_children)
        self.facts.add(scope, (node.type.partition("_")[0], names))

    def _return(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type != "comment":
                self.facts.add(scope, ("return", self.term(child, scope)))

    def _for(self, node: Node, scope: int) -> None:
        target, value = node.child_by_field_name("left"), node.child_by_field_name("right")
        if target is None or value is None:
            self.lost(node, scope)
            return
        self._variables(target, scope, target)
        element = ("iter", self.term(value, scope), self.facts.site(value))
        self.facts.add(scope, ("bind", self.target(target, scope), element))
        for child in node.named_children[2:]:
            self.statement(child, scope)

    def _with_item(self, node: Node, scope: int) -> None:
        child = node.named_children[0]
        site = self.facts.site(child)
        if child.type != "as_pattern":
            self.facts.add(scope, ("do", ("enter", self.term(child, scope), site)))
            return
        value, *_, alias = child.named_children
        target = alias.named_children[0] if alias.named_child_count else alias
        self._variables(target, scope, target)
        entered = ("enter", self.term(value, scope), site)
        self.facts.add(scope, ("bind", self.target(target, scope), entered))

    def _except(self, node: Node, scope: int) -> None:
        for child in node.named_children:
            if child.type == "as_pattern":
                kind, *_, alias = child.named_children
                caught = self.term(kind, scope)
                if caught is not None and caught[0] == "tuple":
                    caught = ("either", caught[1])
                target = alias.named_children[0] if alias.named_child_count else alias
                self.facts.add(
                    scope, ("bind", ("name", self.facts.name(target)), ("typed", caught))
                )
            else:
                self.statement(child, scope)

    def _nothing(self, node: Node, scope: int) -> None:
        """Comments, pass, break: no more than they say."""


_SILENT = """
    comment pass_statement break_statement continue_statement future_import_statement
""".split()
_Maker = Callable[[Python, "Node", int], None]

# Expressions are evaluated; of what stands neither here nor there the parts are.
_STATEMENTS: dict[str, _Maker | None] = {
    **dict.fromkeys(TERMS),
    "decorated_definition": Python._decorated,
    "function_definition": Python._function,
    "class_definition": Python._class,
    "assignment": Python._assignment,
    "augmented_assignment": Python._augmented,
    "type_alias_statement": Python._alias,
    "import_statement": import_modules,
    "import_from_statement": import_from,
    **dict.fromkeys(("global_statement", "nonlocal_statement"), Python._scoped),
    "return_statement": Python._return,
    "for_statement": Python._for,
    "with_item": Python._with_item,
    **dict.fromkeys(("except_clause", "except_group_clause"), Python._except),
    "case_pattern": pattern,
    **dict.fromkeys(_SILENT, Python._nothing),
    **dict.fromkeys(("block", "module"), Python.block),
}
