"""Python's expressions and annotations as terms.

What an expression does besides having a value (a walrus binds, an operand that is lost in a sum
still calls) is said as a statement on the way, before the one that the expression stands in.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST, FactsBuilder
from .python_calls import call
from .python_comprehensions import comprehension
from .python_dispatch import Asked
from .python_literals import bool_of, joined, none_of, number, string
from .python_plain import PLAIN, by_text
from .python_types import params_of

if TYPE_CHECKING:
    from tree_sitter import Node

BOOL: Term = ("const", "bool", None)
_SEVERAL = ("list", "tuple", "set", "expression_list", "pattern_list")
_COMPREHENSIONS = [f"{one}_comprehension" for one in ("list", "set", "dictionary")]


class PythonTerms:
    """Turns expression nodes into terms; `statement` is the part that knows statements.

    Attributes:
        facts: what is being built.
        quoted: how many quoted annotations deep the walk is.
        handing: calls with arguments, and their scopes.
        asked: calls that ask the own object for what begins in some way.
        aliases: names or lambdas that are bound to other names, by scope and name.
    """

    def __init__(self, builder: FactsBuilder) -> None:
        self.facts = builder
        self._depth = 0
        self._plain: dict[bytes, Term] = {}
        self.quoted = 0
        self.handing: list[tuple[int, Term]] = []
        self.asked: list[Asked] = []
        self.aliases: dict[tuple[int, str], Term] = {}

    def statement(self, node: Node, scope: int) -> None:
        """Say what a statement does."""
        raise NotImplementedError

    def term(self, node: Node, scope: int) -> Term:
        """Return the term of an expression."""
        kind = node.type
        if kind in PLAIN:
            text = self.facts.source[node.start_byte : node.end_byte]
            found = self._plain.get(text) or by_text(text, self._plain)
            if found is not None:
                return found
        maker = TERMS.get(kind)
        if maker is None:
            self.lost(node, scope)
        elif self._depth >= DEEPEST:
            self.facts.later(scope, node)
        else:
            self._depth += 1
            found = maker(self, node, scope)
            self._depth -= 1
            return found
        return None

    def down(self, node: Node, scope: int) -> bool:
        """Go one level down, or put the node off for lying too deep and return False."""
        if self._depth >= DEEPEST:
            self.facts.later(scope, node)
            return False
        self._depth += 1
        return True

    def up(self) -> None:
        """Come back from the level to which `down` went."""
        self._depth -= 1

    def do(self, node: Node, scope: int) -> None:
        """Say that an expression is evaluated for what it does."""
        found = self.term(node, scope)
        if found is not None and found[0] != "const":
            self.facts.statements[scope].append(("do", found))

    def lost(self, node: Node, scope: int) -> None:
        """Evaluate the parts of what has no value that is known."""
        if self.down(node, scope):
            self.parts(node, scope)
            self.up()

    def parts(self, node: Node, scope: int) -> None:
        """Evaluate the parts of a node, one after the other."""
        for child in node.named_children:
            self.statement(child, scope)

    def terms(self, nodes: list[Node], scope: int) -> tuple[Term, ...]:
        """Return the terms of expressions, comments left out."""
        return tuple(self.term(node, scope) for node in nodes if node.type != "comment")

    def _name(self, node: Node, scope: int) -> Term:
        return ("name", self.facts.name(node))

    def _attribute(self, node: Node, scope: int) -> Term:
        parts = node.named_children
        if len(parts) != 2:
            parts = [child for child in parts if child.type != "comment"]
        return ("attr", self.term(parts[0], scope), self.facts.name(parts[-1]))

    def _subscript(self, node: Node, scope: int) -> Term:
        value, *keys = self.terms(node.named_children, scope)
        return ("item", value, keys[0] if len(keys) == 1 else ("tuple", tuple(keys)))

    def _several(self, node: Node, scope: int) -> Term:
        kind = node.type if node.type in ("list", "set") else "tuple"
        return (kind, self.terms(node.named_children, scope))

    def _dictionary(self, node: Node, scope: int) -> Term:
        pairs: list[tuple[Term, Term]] = []
        for child in node.named_children:
            if child.type == "pair":
                pairs.append(self.pair(child, scope))
            elif child.type == "dictionary_splat":
                pairs.append((None, self.inner(child, scope)))
        return ("dict", tuple(pairs))

    def pair(self, node: Node, scope: int) -> tuple[Term, Term]:
        """Return key and value of an entry of a mapping."""
        key, *_, value = self.terms(node.named_children, scope)
        # None is the key of a splat.
        return (key or ("const", "any", None), value)

    def _binary(self, node: Node, scope: int) -> Term:
        """A sum of thousands leans to the left: its operands are found without going down."""
        kinds = set()
        while node.type == "binary_operator":
            left, *_, right = node.named_children
            kinds.add(self._operand(right, scope))
            node = left
        kinds.add(self._operand(node, scope))
        for kind in ("str", "list", "dict", "tuple", "bytes"):
            if kind in kinds:
                return ("const", kind, None)
        return None

    def _operand(self, node: Node, scope: int) -> str:
        found = self.term(node, scope)
        if found is None:
            return ""
        if found[0] == "const":
            return str(found[1])
        self.facts.statements[scope].append(("do", found))
        return str(found[0])

    def _boolean(self, node: Node, scope: int) -> Term:
        operands = []
        while node.type == "boolean_operator":
            node, *_, right = node.named_children
            operands.append(right)
        operands.append(node)
        return ("either", self.terms(operands[::-1], scope))

    def _comparison(self, node: Node, scope: int) -> Term:
        for child in node.named_children:
            self.do(child, scope)
        return BOOL

    def _unary(self, node: Node, scope: int) -> Term:
        self.lost(node, scope)
        return BOOL if node.type == "not_operator" else None

    def _conditional(self, node: Node, scope: int) -> Term:
        parts = [child for child in node.named_children if child.type != "comment"]
        if len(parts) != 3:
            self.lost(node, scope)
            return None
        value, condition, other = parts
        self.do(condition, scope)
        return ("either", (self.term(value, scope), self.term(other, scope)))

    def _walrus(self, node: Node, scope: int) -> Term:
        name, *_, value = node.named_children
        outer, read = scope, ("name", self.facts.name(name))
        # A walrus in a comprehension binds in the function around it.
        while self.facts.scope(outer).kind == "block":
            outer = self.facts.scope(outer).parent
        found = self.term(value, scope)
        inner = found if outer == scope else ("in", scope, found)
        self.facts.add(outer, ("bind", read, inner))
        return read

    def inner(self, node: Node, scope: int) -> Term:
        """The one expression in brackets (thousands of them, maybe) or behind a keyword."""
        while node.type in ("parenthesized_expression", "dictionary_splat", "type"):
            inner = [child for child in node.named_children if child.type != "comment"]
            if len(inner) != 1:
                self.lost(node, scope)
                return None
            node = inner[0]
        return self.term(node, scope)

    def _tagged(self, node: Node, scope: int) -> Term:
        inner = [child for child in node.named_children if child.type != "comment"]
        tag = "await" if node.type == "await" else "star"
        return (tag, self.term(inner[0], scope)) if inner else None

    def _yield(self, node: Node, scope: int) -> Term:
        inner = [child for child in node.named_children if child.type != "comment"]
        value = self.term(inner[0], scope) if inner else None
        if any(child.type == "from" for child in node.children):
            value = ("iter", value, self.facts.site(node))
        self.facts.add(scope, ("yield", value))
        return None

    def _lambda(self, node: Node, scope: int) -> Term:
        number = self.facts.define("function", "<lambda>", node, scope=scope, body="function")
        body = self.facts.body(number)
        *parameters, value = [child for child in node.named_children if child.type != "comment"]
        if parameters:
            self.facts.fill(number, params=params_of(self, parameters[0], scope))
        self.facts.add(body, ("return", self.term(value, body)))
        return ("def", number)

    def target(self, node: Node, scope: int) -> Term:
        """Return the term of what is assigned to."""
        if node.type in ("pattern_list", "tuple_pattern", "list_pattern"):
            inner = [child for child in node.named_children if child.type != "comment"]
            return ("tuple", tuple(self.target(child, scope) for child in inner))
        if node.type in ("list_splat_pattern", "list_splat") and node.named_children:
            return ("star", self.target(node.named_children[0], scope))
        return self.term(node, scope)


_Maker = Callable[[PythonTerms, "Node", int], Term]

TERMS: dict[str, _Maker] = {
    "identifier": PythonTerms._name,
    "attribute": PythonTerms._attribute,
    "call": call,
    "subscript": PythonTerms._subscript,
    "string": string,
    "concatenated_string": joined,
    **dict.fromkeys(("integer", "float"), number),
    **dict.fromkeys(("true", "false"), bool_of),
    "none": none_of,
    **dict.fromkeys(_SEVERAL, PythonTerms._several),
    "dictionary": PythonTerms._dictionary,
    "binary_operator": PythonTerms._binary,
    "boolean_operator": PythonTerms._boolean,
    "comparison_operator": PythonTerms._comparison,
    **dict.fromkeys(("not_operator", "unary_operator"), PythonTerms._unary),
    "conditional_expression": PythonTerms._conditional,
    "named_expression": PythonTerms._walrus,
    **dict.fromkeys(("parenthesized_expression", "type"), PythonTerms.inner),
    **dict.fromkeys(("await", "list_splat"), PythonTerms._tagged),
    "yield": PythonTerms._yield,
    "lambda": PythonTerms._lambda,
    **dict.fromkeys((*_COMPREHENSIONS, "generator_expression"), comprehension),
}
