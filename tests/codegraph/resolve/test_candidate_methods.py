"""The only method of a name is taken for what a call means only if the language lets it be."""

from __future__ import annotations

import pytest

from ..programs import Sources, calls

GO = "package {}\ntype T struct{{}}\nfunc (t T) Fetch() int {{ return 1 }}\n"
GO_USE = "package a\nfunc f(x any) { x.Fetch() }\n"


@pytest.mark.parametrize(
    ("path", "found"),
    [("b/t.go", True), ("b/t_test.go", False), ("a/t_test.go", False), ("a/t.go", True)],
)
def test_code_does_not_call_methods_of_tests(path: str, found: bool) -> None:
    """What is defined in a test is not what other code calls."""
    made = calls({path: GO.format(path[0]), "a/u.go": GO_USE})
    assert made == ({("a/u.go:f", f"{path}:T.Fetch")} if found else set())


def test_tests_call_methods_of_tests_but_in_go_of_their_folder_alone() -> None:
    """A test may use what another defines; a Go test sees those beside it."""
    go = {"a/t_test.go": GO.format("a"), "a/u_test.go": GO_USE}
    assert calls(go) == {("a/u_test.go:f", "a/t_test.go:T.Fetch")}
    assert calls({"b/t_test.go": GO.format("b"), "a/u_test.go": GO_USE}) == set()
    files = {
        "runtime-tests/a.ts": "export class T { fetched() {} }\n",
        "src/b.ts": "export function f(x: any) { x.fetched() }\n",
        "src/b.test.ts": "function g(x: any) { x.fetched() }\n",
    }
    assert calls(files) == {("src/b.test.ts:g", "runtime-tests/a.ts:T.fetched")}


@pytest.mark.parametrize(
    ("path", "text", "found"),
    [
        ("a.java", "class A { void fetched(int n) {} }\nclass B { void f() { x.fetched(); } }", ""),
        (
            "a.java",
            "class A { void fetched() {} }\nclass B { void f() { x.fetched(); } }",
            "A.fetched",
        ),
        (
            "a.java",
            "class A { void fetched(int... n) {} }\nclass B { void f() { x.fetched(1, 2); } }",
            "A.fetched",
        ),
        ("a.rs", "struct A;\nimpl A { fn fetched(&self, n: u8) {} }\nfn f() { x.fetched(); }", ""),
        (
            "a.rs",
            "struct A;\nimpl A { fn fetched(&self) {} }\nfn f() { x.fetched(); }",
            "A.fetched",
        ),
        (
            "a.go",
            "package a\ntype A int\nfunc (a A) Fetched(n, m int) {}\nfunc f() { x.Fetched(g()) }",
            "A.Fetched",
        ),
        (
            "a.cs",
            "static class A { static void Fetched(this int n) {} }\n"
            "class B { void f() { x.Fetched(); } }",
            "A.Fetched",
        ),
    ],
)
def test_method_that_cannot_take_the_arguments_is_no_candidate(
    path: str, text: str, found: str
) -> None:
    """A method that cannot take the arguments of a call is not what it means."""
    targets = {target for _, target in calls({path: text})}
    assert targets == ({f"{path}:{found}"} if found else set())


def test_private_methods_of_other_files_are_out_of_reach() -> None:
    """Java and C# see them in their own file alone."""
    hidden = {"A.java": "class A { private void fetched() {} }\n"}
    use = "class B { void f() { x.fetched(); } }\n"
    assert calls(hidden | {"B.java": use}) == set()
    assert calls({"A.java": hidden["A.java"] + use}) == {("A.java:B.f", "A.java:A.fetched")}


def test_constructor_of_an_external_rust_type_gives_that_type() -> None:
    """`Command::new` gives a Command, whose methods are not those of the tree; what only holds
    values says nothing."""
    own = "pub struct Test {}\nimpl Test { pub fn arged(&self, x: u8) -> u8 { 1 } }\n"
    text = "use std::process::Command;\nuse std::cell::OnceCell;\n"
    text += "fn f() { let mut c = Command::new(1); c.arged(2); Command::new(1).arged(2); }\n"
    text += "fn g() { OnceCell::get(x).arged(2); }\n"
    made = calls({"src/main.rs": "mod t;\nmod u;\n", "src/t.rs": own, "src/u.rs": text})
    assert made == {("src/u.rs:g", "src/t.rs:Test.arged")}


def test_modules_of_a_test_crate_without_autotests_belong_to_it() -> None:
    """With autotests off, what lies in tests/ are modules of the crate that is named."""
    files = {
        "Cargo.toml": '[package]\nname = "x"\nautotests = false\n[[test]]\npath = "tests/lib.rs"\n',
        "tests/lib.rs": "pub(crate) use crate::test::Test;\nmod test;\nmod one;\n",
        "tests/test.rs": "pub struct Test {}\nimpl Test { pub fn new() -> Self { Test {} } }\n",
        "tests/one.rs": "use super::*;\nfn f() { Test::new(); }\n",
    }
    edge = ("tests/one.rs:f", "tests/test.rs:Test.new")
    assert edge in calls(files)
    files["Cargo.toml"] = '[package]\nname = "x"\n'
    assert edge not in calls(files)
    assert Sources(files).edges("imports") is not None
