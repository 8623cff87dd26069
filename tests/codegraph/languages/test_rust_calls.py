"""Calls of Rust that were missed or made up in code that nobody had looked at before."""

from __future__ import annotations

from ..programs import calls

MANIFEST = '[package]\nname = "shop"\n'


def called(text: str) -> set[str]:
    """Return what the function `run` of a file calls."""
    found = calls({"Cargo.toml": MANIFEST, "src/lib.rs": text})
    return {target.rpartition(":")[2] for source, target in found if source == "src/lib.rs:run"}


class TestScopes:
    """A name of Rust begins to mean something new behind its declaration."""

    TYPES = """
    pub struct A; pub struct B; pub struct Other;
    impl A { fn next(&self) -> Option<B> { None } fn all(&self) -> Vec<B> { vec![] } }
    impl B { fn go(&self) {} }
    impl Other { fn go(&self) {} fn next(&self) {} fn all(&self) {} }
    """

    def test_variable_named_as_its_constructor_keeps_the_call(self) -> None:
        """On the right of `let` the name is still that of what it hides."""
        body = "fn op() -> B { B }\nfn run() { let op = op(); op.go(); }"
        assert called(self.TYPES + body) == {"op", "B.go"}

    def test_if_let_match_and_for_see_the_shadowed_value(self) -> None:
        """`if let Some(x) = x.next()` asks the outer x, and gives the inner one."""
        for body in (
            "if let Some(x) = x.next() { x.go(); }",
            "match x.next() { Some(x) => x.go(), None => {} }",
            "while let Some(x) = x.next() { x.go(); }",
            "let Some(x) = x.next() else { return }; x.go();",
        ):
            assert called(f"{self.TYPES} fn run(x: A) {{ {body} }}") == {"A.next", "B.go"}
        found = called(f"{self.TYPES} fn run(x: A) {{ for x in x.all() {{ x.go(); }} }}")
        assert found == {"A.all", "B.go"}

    def test_match_arm_that_shadows_its_subject_sees_the_outer_value(self) -> None:
        """In an arm of `match x { Some(x) => … }` x is what is in the outer one."""
        body = "fn run(x: Option<B>) { match x { Some(x) => x.go(), None => {} } }"
        assert called(self.TYPES + body) == {"B.go"}

    def test_field_named_as_the_module_of_its_type_has_its_methods(self) -> None:
        """`ast: ast::Builder` is of the type that the module has."""
        body = """
        mod ast { pub struct Builder; impl Builder { pub fn build(&self) {} } }
        struct Other; impl Other { fn build(&self) {} }
        struct Parser { ast: ast::Builder }
        fn run(p: Parser) { p.ast.build(); }
        """
        assert called(body) == {"ast.Builder.build"}


class TestTypes:
    """What a value is whose type is generic, or named as one of the library."""

    def test_type_parameter_bounded_by_the_impl_has_its_methods(self) -> None:
        """`struct With<P>(P)` says nothing of P: `impl<P: Parser> With<P>` does."""
        found = calls(
            {
                "Cargo.toml": MANIFEST,
                "src/lib.rs": """
                trait Parser { fn parse(&self); }
                struct One; impl One { fn parse(&self) {} }
                struct With<P>(P);
                struct Both<'a, X, P> { p: &'a P, x: X }
                impl<P: Parser> With<P> { fn run(&self) { self.0.parse(); } }
                impl<'a, X, P> Both<'a, X, P> where P: Parser { fn run(&self) { self.p.parse(); } }
                """,
            }
        )
        assert found == {
            ("src/lib.rs:With.run", "src/lib.rs:Parser.parse"),
            ("src/lib.rs:Both.run", "src/lib.rs:Parser.parse"),
        }

    def test_own_type_named_as_a_library_type_has_its_methods(self) -> None:
        """A tree may have a `HashMap` or a `Cell` of its own, here or in another file."""
        files = {
            "Cargo.toml": MANIFEST,
            "src/lib.rs": "mod map; mod set;",
            "src/map.rs": """
            pub struct HashMap<K, V> { k: K, v: V }
            impl<K, V> HashMap<K, V> {
                pub fn table(&self) {}
                pub fn run(&self) { self.table(); }
            }
            pub struct Cell<T>(T);
            impl<T> Cell<T> { pub fn fill(&self) {} }
            pub fn cell(c: Cell<u8>) { c.fill(); }
            """,
            "src/set.rs": """
            use crate::map::HashMap;
            pub struct Set<T> { map: HashMap<T, ()> }
            impl<T> Set<T> { pub fn run(&self) { self.map.table(); } }
            """,
        }
        assert calls(files) == {
            ("src/map.rs:HashMap.run", "src/map.rs:HashMap.table"),
            ("src/map.rs:cell", "src/map.rs:Cell.fill"),
            ("src/set.rs:Set.run", "src/map.rs:HashMap.table"),
        }

    def test_what_maps_and_lists_of_the_library_hold_is_known_still(self) -> None:
        """A map gives its values and a list its elements, under their own names as well."""
        body = """
        use std::collections::{BTreeMap, HashMap};
        struct A; impl A { fn go(&self) {} fn on(&self) {} fn up(&self) {} }
        struct B; impl B { fn go(&self) {} fn on(&self) {} fn up(&self) {} }
        fn run(m: HashMap<u8, A>, b: BTreeMap<u8, A>, v: Vec<A>) {
            m.get(&1).unwrap().go(); b[&1].on(); for a in v { a.up(); }
        }
        """
        assert called(body) == {"A.go", "A.on", "A.up"}

    def test_trait_implemented_for_a_primitive_type_is_called(self) -> None:
        """`impl Ext for char` is what a char's method means, not the one for u8."""
        body = """
        trait Ext { fn is_space(&self); }
        impl Ext for char { fn is_space(&self) {} }
        trait ByteExt { fn is_space(&self); }
        impl ByteExt for u8 { fn is_space(&self) {} }
        fn run(c: char) { c.is_space(); }
        """
        assert called(body) == {"char.is_space"}

    def test_method_of_a_primitive_is_no_method_of_the_tree(self) -> None:
        """A number has no method of a structure."""
        body = "struct Mask; impl Mask { fn leading(&self) {} } fn run(n: u16) { n.leading(); }"
        assert called(body) == set()


class TestMacros:
    """The text of macros, which has no syntax tree."""

    def test_calls_in_nested_macros_are_edges(self) -> None:
        """What stands in `vec![a(), b()]` inside of an assertion is called."""
        body = "fn a() {} fn b() {} fn run() { assert_eq!(vec![a(), b()], vec![]); }"
        assert called(body) == {"a", "b"}

    def test_method_named_as_a_primitive_type_is_called_in_a_macro(self) -> None:
        """`self.char()` in an assertion is a call."""
        body = """
        struct P; impl P { fn char(&self) -> u8 { 1 } }
        fn run(p: P) { assert_eq!(p.char(), 1); }
        """
        assert called(body) == {"P.char"}


def test_path_attribute_of_a_nested_module_is_relative_to_its_folder() -> None:
    """`mod a { #[path = "b.rs"] mod b; }` means a/b.rs, in any file but a root below its name."""
    files = {
        "Cargo.toml": MANIFEST,
        "src/lib.rs": 'mod a { #[path = "b.rs"] mod b; fn run() { b::go(); } }\nmod c;',
        "src/a/b.rs": "pub fn go() {}",
        "src/c.rs": 'mod d { #[path = "e.rs"] mod e; fn run() { e::on(); } }\n'
        '#[path = "f.rs"] mod f;\nfn run() { f::up(); }',
        "src/c/d/e.rs": "pub fn on() {}",
        "src/f.rs": "pub fn up() {}",
    }
    assert calls(files) == {
        ("src/lib.rs:a.run", "src/a/b.rs:go"),
        ("src/c.rs:d.run", "src/c/d/e.rs:on"),
        ("src/c.rs:run", "src/f.rs:up"),
    }
