"""Languages of which only the grammar is known."""

from __future__ import annotations

import pytest

from memkit.codegraph.languages import dialect_of
from tests.tables import each_row

from ..programs import calls, facts_of, kinds

SNIPPETS = {
    "a.kt": (
        "class Cart(val a: Int) : Base() {\n  val size = 1\n  fun add(x: Int) { check(x) }\n}\n"
        "interface Sell { fun sell() }\nobject One\nenum class E { A }\nfun check(x: Int) = 1\n"
        "typealias Short = Cart\n",
        "Cart Cart.size Cart.add Sell Sell.sell One E check Short",
    ),
    "a.swift": (
        "class A: B {\n  var x = 1\n  func m(_ a: Int) -> Int { return 1 }\n}\n"
        "struct S { let z: Int }\n"
        "protocol P { func r() }\nfunc top() {}\ntypealias T = Int\n",
        "A A.x A.m S S.z P P.r top T",
    ),
    "a.scala": (
        "class A(x: Int) { def m(a: Int): Int = a; val v = 1 }\nobject O { def s() = 1 }\n"
        "trait T { def q(): Unit }\n",
        "A A.m A.v O O.s T T.q",
    ),
    "a.lua": (
        "local M = {}\nfunction M.foo(a) end\nfunction M:bar() end\nlocal function inner() end\n"
        "M.baz = function() end\n",
        "M.foo M.bar inner M.baz",
    ),
    "a.sh": ("foo() { echo 1; }\nfunction bar { foo; }\nX=1\n", "foo bar X"),
    "a.zig": (
        "const S = struct { x: u32, pub fn init(a: u32) S { return S{}; } };\nfn top() void {}\n",
        "S S.init top",
    ),
    "a.ex": (
        "defmodule A.B do\n  def foo(a), do: a\n  defp bar(x) when x > 1 do x end\n"
        "  defmodule Inner do\n    def z, do: 1\n  end\nend\n",
        "A.B A.B.foo A.B.bar A.B.Inner A.B.Inner.z",
    ),
    "a.hs": (
        "module A where\ndata T = A Int\nnewtype N = N Int\n"
        "foo :: Int -> Int\nfoo x = x\nbar = 3\n",
        "T N foo bar",
    ),
    "a.sql": (
        "create table carts (a int);\ncreate view v as select * from carts;\n",
        "carts v",
    ),
    "a.dart": (
        "class A { int m(int a) => a; static void s() {} }\nmixin M { void q() {} }\n"
        "enum E { a }\nvoid top() {}\n",
        "A A.m A.s M M.q E top",
    ),
    "a.jl": ("module M\nfunction foo(x) x end\nbar(y) = y\nend\n", "M M.foo M.bar"),
    "a.pl": ("package Foo;\nsub bar { 1 }\n1;\n", "Foo bar"),
    "a.r": ("foo <- function(x) { x }\nbar = function() 1\n", "foo bar"),
    "a.ml": ("module M = struct let x = 1 end\ntype t = A\nlet foo a = a\n", "M M.x t foo t.A"),
    "a.erl": ("-module(a).\n-record(r, {a}).\nfoo(X) -> X.\n", "r foo"),
    "a.clj": ("(ns foo.bar)\n(defn foo [x] x)\n(def x 1)\n", "foo.bar foo x"),
    "a.proto": (
        "message M { string a = 1; }\nservice S { rpc Get(M) returns (M); }\n",
        "M S S.Get",
    ),
    "a.graphql": ("type T { a: Int }\nenum E { A }\n", "T T.a E"),
    "a.tf": ('resource "aws_x" "name" { a = 1 }\n', "resource.aws_x.name"),
    "a.sol": ("contract A { uint x; function f() public {} }\n", "A A.x A.f"),
    "a.nim": ("proc foo(x: int): int = x\ntype A = object\n  x: int\n", "foo A"),
    "a.ps1": ("function Get-Foo { 1 }\n", "Get-Foo"),
    "a.vim": ("function! foo#bar(a) abort\nendfunction\n", "foo#bar"),
    "a.m": (
        "@interface Foo : Bar\n- (void)m:(int)a;\n@end\nint f(int a) { return 1; }\n",
        "Foo Foo.m f",
    ),
    "Makefile": ("X = 1\nall: foo\n\techo hi\n", "X all"),
    "a.md": ("# Title\ntext\n## Sub\n", "Title Sub"),
    "a.toml": ("top = 1\n[a.b]\nx = 1\n", "top a.b"),
    "a.yaml": ("top:\n  a: 1\nother: 2\n", "top other"),
    "a.json": ('{"a": {"b": 1}, "c": 2}', "a c"),
    "a.css": (".foo { color: red }\n", ""),
    "a.html": ("<html><h1>T</h1></html>\n", ""),
}  # fmt: skip


@each_row("path", SNIPPETS)
def test_definitions_of_a_language(path: str) -> None:
    """Files of a language without an extractor give their definitions, of data their top keys."""
    text, names = SNIPPETS[path]
    assert set(names.split()) <= set(kinds(facts_of(text, path)))


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.md", "# Title\ntext\n## Sub\nmore\n", {"Title": (1, 4), "Sub": (3, 4)}),
        ("a.rst", "Title\n=====\n\ntext\n", {"Title": (1, 2)}),
        ("a.toml", "[a.b]\nx = 1\n[[c]]\n", {"a.b": (1, 2), "c": (3, 3)}),
        ("a.ini", "[a]\nx = 1\n", {"a": (1, 2)}),
    ],
)
def test_headings_are_sections(path: str, text: str, found: dict[str, tuple[int, int]]) -> None:
    """What stands under a heading is a section, of as many lines as the grammar gives it."""
    facts = facts_of(text, path)
    assert set(kinds(facts).values()) == {"section"}
    lines = {one.qualname: (one.line, one.end_line) for one in facts.definitions}
    assert lines == found


def test_keys_with_a_value_are_variables() -> None:
    """A setting has a name and a value."""
    for path, text in {"a.json": '{"a": 1}', "a.yaml": "a: 1\n", "a.toml": "a = 1\n"}.items():
        assert kinds(facts_of(text, path)) == {"a": "variable"}


def test_nothing_is_defined_twice_by_nested_nodes() -> None:
    """Nodes that say the same name again at the same place are one definition."""
    facts = facts_of(SNIPPETS["a.ml"][0], "a.ml")
    names = [definition.qualname for definition in facts.definitions]
    assert len(names) == len(set(names))


def test_calls_in_the_same_file_are_found() -> None:
    """A plain call means a function of the file, a member the only method of its name."""
    found = calls(
        {
            "a.php": "<?php\nfunction f() { g(); $x->only(); }\nfunction g() {}\n"
            "class A { function only() {} }\n",
            "b.sh": "f() { g; }\ng() { echo; }\n",
        }
    )
    assert found == {("a.php:f", "a.php:g"), ("a.php:f", "a.php:A.only"), ("b.sh:f", "b.sh:g")}


def test_a_hundred_thousand_brackets() -> None:
    """Data nested as deep as one likes is read without recursion."""
    facts = facts_of("[" * 100_000 + "]" * 100_000, "deep.json")
    assert facts.definitions == ()


def test_code_nested_deeply_is_walked() -> None:
    """The walk over an unknown language does not call itself."""
    text = "function f()\n" + "if x then\n" * 3_000 + "g()\n" + "end\n" * 3_000 + "end\n"
    text += "function g() end\n"
    assert calls({"a.lua": text}) == {("a.lua:f", "a.lua:g")}


def test_unknown_endings_have_no_language() -> None:
    """A file that no grammar is known for is left alone."""
    assert dialect_of("a.unknown", b"text") is None
    assert dialect_of("LICENSE", b"text") is None
