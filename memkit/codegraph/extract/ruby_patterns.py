"""Ruby's patterns: `case … in`, `value => pattern`, `value in pattern`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..facts import Term
from .builder import DEEPEST
from .ruby_terms import RubyWalker, path_of
from .temporaries import held
from .walking import Statements, Terms, fields

if TYPE_CHECKING:
    from tree_sitter import Node

W = RubyWalker


def match(w: W, pattern: Node, value: Term, depth: int = 0) -> None:
    """Bind the names of a pattern to parts of a value; what else it compares with is read."""
    matcher = _PATTERNS.get(pattern.type)
    if depth > DEEPEST:
        w.later(w.at, pattern)
    elif matcher is not None:
        matcher(w, pattern, value, depth + 1)
    else:
        w.run(pattern)


def _name(w: W, node: Node, value: Term, depth: int = 0) -> None:
    name = w.name(node)
    if name in w.known:
        w.assign(("name", name), value)
    else:
        w.bind(("name", name), value)


def _as(w: W, node: Node, value: Term, depth: int) -> None:
    """`Integer => q`: q is an object of that class, or what the pattern fits."""
    found = fields(node)
    inner, named = found.get("value"), found.get("name")
    if inner is not None and inner.type in _CLASSES:
        value = ("typed", path_of(w, inner))
    elif inner is not None:
        match(w, inner, value, depth)
    if named is not None:
        _name(w, named, value)


def _whole(w: W, node: Node, value: Term) -> Term:
    """Return the value that a pattern takes apart: of the class in front of its brackets."""
    named = node.child_by_field_name("class")
    return ("typed", path_of(w, named)) if named is not None else value


def _array(w: W, node: Node, value: Term, depth: int) -> None:
    """`[a, *rest, b]`: places are known up to the rest."""
    value, place = _whole(w, node, value), 0
    named = node.child_by_field_name("class")
    for child in node.named_children:
        if child == named:
            continue
        if child.type == "splat_parameter":
            place = -1
            _rest(w, child, value)
        else:
            part = ("iter", value) if place < 0 else ("item", value, ("const", "int", place))
            match(w, child, part, depth)
            place += place >= 0


def _hash(w: W, node: Node, value: Term, depth: int) -> None:
    """`{key: pattern, other:}` and `Point(x:, y:)`, whose parts are members."""
    named = node.child_by_field_name("class")
    value = _whole(w, node, value)
    for child in node.named_children:
        key = child.child_by_field_name("key")
        if child.type == "keyword_pattern" and key is not None:
            name = w.name(key).strip(':"')
            part: Term = ("attr", value, name)
            if named is None:
                part = ("item", value, ("const", "str", name))
            inner = child.child_by_field_name("value")
            if inner is None:
                _name(w, key, part)
            else:
                match(w, inner, part, depth)
        elif child != named:
            _rest(w, child, value)


def _rest(w: W, node: Node, value: Term) -> None:
    named = node.child_by_field_name("name")
    if named is not None:
        _name(w, named, value)


def _each(w: W, node: Node, value: Term, depth: int) -> None:
    for child in node.named_children:
        match(w, child, value, depth)


def _pinned(w: W, node: Node, value: Term, depth: int) -> None:
    """`^name` is compared with, not bound."""
    w.each(node.named_children)


_CLASSES = frozenset({"constant", "scope_resolution"})
_PATTERNS = {
    "identifier": _name,
    "as_pattern": _as,
    "array_pattern": _array,
    "find_pattern": _array,
    "hash_pattern": _hash,
    "alternative_pattern": _each,
    "parenthesized_pattern": _each,
    "variable_reference_pattern": _pinned,
    "expression_reference_pattern": _pinned,
}


def _held(w: W, node: Node) -> Term:
    value = node.child_by_field_name("value")
    return held(w, w.term(value), value) if value is not None else None


def _case(w: W, node: Node) -> Term:
    value = _held(w, node)
    results: list[Term] = []
    for child in node.named_children:
        if child.type == "in_clause":
            found = fields(child)
            if "pattern" in found:
                match(w, found["pattern"], value)
            if "guard" in found:
                w.run(found["guard"])
            results.append(w.term(found.get("body")))
        elif child.type == "else":
            results.append(w.term(child))
    known = tuple(one for one in results if one is not None and one[0] != "const")
    return known[0] if len(known) == 1 else ("either", known) if known else None


def _test(w: W, node: Node) -> None:
    """`value => pattern` and `value in pattern`."""
    pattern = node.child_by_field_name("pattern")
    if pattern is not None:
        match(w, pattern, _held(w, node))


PATTERN_TERMS: Terms = {"case_match": _case}
PATTERN_STATEMENTS: Statements = {"match_pattern": _test, "test_pattern": _test}
