"""Code that is nested thousands of levels deep: read as far as it goes, never an error."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import facts_of

LEVELS = 1_500
_CS = "class C { void F() { @ } }"
_JAVA = "class C { void f() { @ } }"
# Ending of the file, what stands around everything, what opens, is inside of and closes a level.
NESTED = {
    "pattern of C#": ("cs", _CS.replace("@", "var a = v is @;"), "{ A: ", "1", " }"),
    "pattern by place of C#": ("cs", _CS.replace("@", "var a = v is @;"), "(", "var b, 1", ", 2)"),
    "alternatives of C#": ("cs", _CS.replace("@", "var a = v is @;"), "1 or ", "2", ""),
    "deconstruction of C#": ("cs", _CS.replace("@", "var @ = x;"), "(", "a", ", b)"),
    "tuple assigned of C#": ("cs", _CS.replace("@", "@ = x;"), "(", "a", ", b)"),
    "tuple declared of C#": ("cs", _CS.replace("@", "(var @, c) = x;"), "(", "a", ", b)"),
    "loop of C#": ("cs", _CS.replace("@", "foreach (var @ in x) { }"), "(", "a", ", b)"),
    "initialiser of C#": ("cs", _CS.replace("@", "var x = new T { @ };"), "A = { ", "B = 1", " }"),
    "switch of C#": ("cs", _CS.replace("@", "var x = @;"), "v switch { _ => ", "1", " }"),
    "type of C#": ("cs", _CS.replace("@", "@ x;"), "A<", "B", ">"),
    "record of Java": ("java", _JAVA.replace("@", "if (v instanceof @) {}"), "P(", "A a", ")"),
    "switch of Java": ("java", _JAVA.replace("@", "@;"), "switch (a) { default -> ", "1", "; }"),
    "type of Java": ("java", _JAVA.replace("@", "@ x;"), "A<", "B", ">"),
    "pattern of Rust": ("rs", "fn f() { let @ = x; }", "(", "a", ", b)"),
    "wrapped pattern of Rust": ("rs", "fn f() { let @ = x; }", "Some(", "a", ")"),
    "parameter of Rust": ("rs", "fn f(@: A) {}", "&", "a", ""),
    "closure of Rust": ("rs", "fn f() { @; }", "|a| ", "a", ""),
    "type of Rust": ("rs", "fn f(a: @) {}", "Vec<", "A", ">"),
    "path of Rust": ("rs", "fn f() { @; }", "a::", "b()", ""),
    "loop of Rust": ("rs", "fn f() { @; }", "loop { break ", "1", "; }"),
    "type of Go": ("go", "package a\nvar x @\n", "[]", "T", ""),
    "function type of Go": ("go", "package a\nvar x @\n", "func() ", "T", ""),
    "literal of Go": ("go", "package a\nvar x = @\n", "T{", "1", "}"),
    "pattern of Ruby": ("rb", "case v\nin @ then 1\nend\n", "[", "a", "]"),
    "hash pattern of Ruby": ("rb", "case v\nin @ then 1\nend\n", "{a: ", "b", "}"),
    "targets of Ruby": ("rb", "@ = x\n", "(", "a", ", b)"),
    "path of Ruby": ("rb", "x = @\n", "A::", "B", ""),
    "setters of Ruby": ("rb", "@\n", "a.b = ", "1", ""),
    "targets of PHP": ("php", "<?php @ = $x;", "[", "$a", ", $b]"),
    "element of PHP": ("php", "<?php $a@ = $x;", "[1]", "", ""),
    "conditions of PHP": ("php", "<?php if (@) {}", "!(", "$a instanceof A", ")"),
    "calls of PHP": ("php", "<?php $a@;", "->b()", "", ""),
    "arms of PHP": ("php", "<?php $a = @;", "match (1) { 1 => ", "2", " }"),
    "classes in place of PHP": (
        "php", "<?php @", "new class { function f() { ", "f();", " } };",
    ),
    "type of C++": ("cpp", "void f() { @ x; }", "A<", "B", ">"),
    "path of C++": ("cpp", "void f() { @; }", "a::", "b()", ""),
    "commas of C++": ("cpp", "void f() { @; }", "(a, ", "1", ")"),
    "declarator of C": ("c", "int @;", "(", "a", ")"),
    "sizes of C": ("c", "int a@;", "[1]", "", ""),
    "pattern of JavaScript": ("js", "for (const [a, @] of x) { }", "[", "b", "]"),
    "assignments of JavaScript": ("js", "@;", "a[1] = ", "1", ""),
    "switch of JavaScript": ("js", "@", "switch (a) { case 1: ", "", "}"),
    "type of TypeScript": ("ts", "let a: @;", "(x: ", "A", ") => B"),
    "tuple of TypeScript": ("ts", "let a: @;", "[", "A", "]"),
}  # fmt: skip


@each_row("what", NESTED)
def test_deep_code_is_read(what: str) -> None:
    """However deep something is nested, its file is read to the end."""
    ending, around, opening, inside, closing = NESTED[what]
    text = around.replace("@", opening * LEVELS + inside + closing * LEVELS)
    assert facts_of(text, f"a.{ending}").lines >= 1
