"""Every call of a source stands in one statement: none is lost, none is said twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from tree_sitter import Node

from memkit.codegraph.facts import Facts
from memkit.codegraph.languages.grammars import parse
from tests.tables import each_row

from ..programs import facts_of
from ..spoken import value
from . import (
    test_c_constructs,
    test_csharp_constructs,
    test_go_and_rust_constructs,
    test_java_constructs,
    test_javascript_constructs,
    test_ruby_constructs,
)

# Tables of sources by ending, each with what stands around them and the grammar.
TABLES = {
    "cs": ("csharp", test_csharp_constructs.SAID, "class C { void F(X v) { @ } }"),
    "java": ("java", test_java_constructs.SAID, "class C { void f(X v) { @ } }"),
    "js": ("javascript", test_javascript_constructs.SAID, "async function f(v, xs) { @ }"),
    "ts": ("typescript", test_javascript_constructs.TYPED, "function f(v) { @ }"),
    "rb": ("ruby", test_ruby_constructs.SAID, "def f(v)\n@\nend\n"),
    "c": ("c", test_c_constructs.C, "int f(struct P *v) { @ }"),
    "cpp": ("cpp", test_c_constructs.CPP, "void f(P v) { @ }"),
    "go": ("go", test_go_and_rust_constructs.GO, "package a\nfunc F(v V) {\n@\n}\n"),
    "rs": (
        "rust",
        test_go_and_rust_constructs.RUST,
        "impl C { fn f(&self, v: V, xs: &[X]) { @ } }",
    ),
}
SOURCES = [
    (ending, around.replace("@", source))
    for ending, (_, table, around) in TABLES.items()
    for source, _ in table.values()
]
# The functions that the sources call are named one, two, …, so that each call is known by its name.
NUMBERS = frozenset("one two three four five six seven eight nine ten eleven twelve".split())


@each_row("ending, source", SOURCES)
def test_each_call_stands_in_one_statement(ending: str, source: str) -> None:
    """As many calls of each name are said as are written, each at a place of its own."""
    facts = facts_of(source, f"a.{ending}")
    said = Counter(_called(facts))
    assert [one for one, times in said.items() if times > 1] == []
    found = Counter(name for _, _, name in said if name.lower() in NUMBERS)
    written = Counter(_written(parse(source.encode(), TABLES[ending][0]).root_node))
    assert {name: times for name, times in written.items() if found[name] < times} == {}


def _called(facts: Facts) -> Iterator[tuple[int, str, str]]:
    """Yield place, callee and its last name of every call that is said."""
    left: list[Any] = [facts.statements, [one.params for one in facts.definitions]]
    while left:
        term = left.pop()
        if len(term) in (5, 6) and term[0] in ("call", "new") and isinstance(term[4], int):
            yield term[4], repr(term[1]), value(term[1], facts).rpartition(".")[2]
        left += [part for part in term if isinstance(part, tuple | list)]


def _written(root: Node) -> Iterator[str]:
    """Yield the numbers that are called by name alone."""
    left = [root]
    while left:
        node = left.pop()
        function = node.child_by_field_name("function") or node.child_by_field_name("name")
        text = function.text if function is not None and "call" in node.type else None
        if "invocation" in node.type and function is not None:
            text = function.text
        name = text.decode() if text is not None else ""
        if name.lower() in NUMBERS:
            yield name
        left += node.named_children
