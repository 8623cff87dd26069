"""Rust as facts, and what its paths mean across modules and crates."""

from __future__ import annotations

from ..programs import Sources, calls, facts_of, kinds, symbols

CRATE = '[package]\nname = "my-shop"\nversion = "0.1.0"\n'


class TestSymbols:
    """What is found in one file."""

    def test_items_of_a_file(self) -> None:
        """Items have kinds, flags and dotted names; functions of an `impl` belong to its type."""
        facts = facts_of(
            """
            //! All about carts.
            mod far;
            pub mod near { pub fn inner() {} }
            /// Holds items.
            pub struct Cart<T: Item> { pub items: Vec<T>, owner: Option<Box<Person>> }
            struct Pair(u32, Person);
            enum Kind { Small, Large(u32), Named { name: String } }
            union Raw { bits: u32 }
            pub trait Sell: Close + Open {
                const N: u32;
                fn sell(&self) -> Kind;
                fn twice(&self) {}
            }
            impl<T: Item> Cart<T> {
                pub fn new() -> Self { todo!() }
                async fn add(&mut self, t: T) {}
            }
            impl<T: Item> Sell for Cart<T> { fn sell(&self) -> Kind { Kind::Small } }
            const LIMIT: usize = 3;
            static mut COUNT: u32 = 0;
            type Short = Cart<Person>;
            macro_rules! shout { ($x:expr) => { loud($x) }; }
            #[test]
            fn checks() {}
            """,
            "src/lib.rs",
        )
        found = symbols(facts)
        assert facts.doc == "All about carts."
        assert found["Cart"].doc == "Holds items."
        assert found["Cart"].flags == ("struct", "exported")
        assert found["Cart.items"].returns == ("item", ("name", "Vec"), ("name", "Item"))
        assert found["Cart.owner"].returns == ("name", "Person")
        assert found["Sell"].bases == (("name", "Close"), ("name", "Open"))
        assert found["Sell.sell"].flags == ("abstract",)
        assert found["Cart.new"].flags == ("exported", "static")
        assert found["Cart.add"].flags == ("async",)
        assert found["Cart.add"].owner == ("name", "Cart")
        assert found["Cart.new"].returns == ("name", "Cart")
        assert found["near.inner"].kind == "function"
        assert found["shout"].flags == ("macro",)
        assert found["checks"].flags == ("test",)
        assert {"far", "Kind.Large", "Raw.bits", "LIMIT", "COUNT", "Short"} <= set(kinds(facts))
        said = [statement[:3] for statement in facts.statements[0]]
        assert ("mixin", ("name", "Cart"), ("name", "Sell")) in said

    def test_a_broken_file_gives_what_is_whole(self) -> None:
        """Definitions around a syntax error are found, and the error is counted."""
        facts = facts_of("fn f( { }\nfn g() {}\nstruct S { a: }\nfn h() {}\n", "a.rs")
        assert facts.errors
        assert {"g", "h"} <= set(kinds(facts))

    def test_deep_nesting_loses_no_call(self) -> None:
        """Thousands of brackets, blocks and chained calls are walked without recursion."""
        depth = 3_000
        text = f"fn f() {{ let x = {'(' * depth}g(){')' * depth}; {'{' * depth}h(){'}' * depth}"
        text += f"\n a{'.b()' * depth}; }}\nfn g() {{}}\nfn h() {{}}\n"
        assert calls({"a.rs": text}) == {("a.rs:f", "a.rs:g"), ("a.rs:f", "a.rs:h")}


class TestModules:
    """Paths across files."""

    def test_paths_from_crate_self_and_super(self) -> None:
        """`crate::`, `self::`, `super::` lead through files and inline modules alike."""
        found = calls(
            {
                "Cargo.toml": CRATE,
                "src/lib.rs": """
                mod a;
                pub fn top() { crate::a::deep::bottom(); self::near::inner(); }
                pub mod near { pub fn inner() { super::top(); } }
                """,
                "src/a.rs": "pub mod deep;\npub fn mid() {}\n",
                "src/a/deep.rs": """
                use super::mid;
                pub fn bottom() { mid(); super::super::top(); crate::near::inner(); }
                """,
            }
        )
        assert found == {
            ("src/lib.rs:top", "src/a/deep.rs:bottom"),
            ("src/lib.rs:top", "src/lib.rs:near.inner"),
            ("src/lib.rs:near.inner", "src/lib.rs:top"),
            ("src/a/deep.rs:bottom", "src/a.rs:mid"),
            ("src/a/deep.rs:bottom", "src/lib.rs:top"),
            ("src/a/deep.rs:bottom", "src/lib.rs:near.inner"),
        }

    def test_use_trees_renames_globs_and_re_exports(self) -> None:
        """Nested `use` lists, `as`, `*` and `pub use` of another module's names are followed."""
        found = calls(
            {
                "Cargo.toml": CRATE,
                "src/lib.rs": "mod a;\nmod b;\npub use a::{one, two as zwei};\npub use b::*;\n",
                "src/a.rs": "pub fn one() {}\npub fn two() {}\n",
                "src/b.rs": "pub fn three() {}\n",
                "src/main.rs": """
                use my_shop::{one, zwei as due, three};
                fn main() { one(); due(); three(); my_shop::zwei(); }
                """,
            }
        )
        assert found == {
            ("src/main.rs:main", "src/a.rs:one"),
            ("src/main.rs:main", "src/a.rs:two"),
            ("src/main.rs:main", "src/b.rs:three"),
        }

    def test_crates_of_a_workspace(self) -> None:
        """A crate is known by the name in its Cargo.toml, with `_` for `-`."""
        found = calls(
            {
                "core/Cargo.toml": '[package]\nname = "shop-core"\n',
                "core/src/lib.rs": "pub mod db { pub fn load() {} }\n",
                "app/Cargo.toml": '[package]\nname = "app"\n',
                "app/src/main.rs": "fn main() { shop_core::db::load(); std::mem::take(); }\n",
                "app/tests/it.rs": "use shop_core::db;\n#[test]\nfn it() { db::load(); }\n",
            }
        )
        assert found == {
            ("app/src/main.rs:main", "core/src/lib.rs:db.load"),
            ("app/tests/it.rs:it", "core/src/lib.rs:db.load"),
        }

    def test_path_attribute_and_mod_rs(self) -> None:
        """`#[path]` names the file of a module; `x/mod.rs` is one as well."""
        found = calls(
            {
                "Cargo.toml": CRATE,
                "src/lib.rs": '#[path = "odd.rs"]\nmod strange;\nmod b;\n'
                "fn f() { strange::go(); b::c::deep(); }\n",
                "src/odd.rs": "pub fn go() {}\n",
                "src/b/mod.rs": "pub mod c;\n",
                "src/b/c.rs": "pub fn deep() {}\n",
            }
        )
        assert found == {
            ("src/lib.rs:f", "src/odd.rs:go"),
            ("src/lib.rs:f", "src/b/c.rs:deep"),
        }

    def test_members_of_an_enum_taken_whole(self) -> None:
        """`use Kind::*` gives its variants, which are of the enum."""
        found = calls(
            {
                "a.rs": """
                enum Kind { Small, Large(u32) }
                use Kind::*;
                impl Kind { fn size(&self) {} }
                fn f() { Small.size(); let k = Large(1); k.size(); }
                """
            }
        )
        assert ("a.rs:f", "a.rs:Kind.size") in found


class TestMethods:
    """Calls of methods."""

    def test_inherent_and_trait_methods(self) -> None:
        """Own methods, default methods of traits, bounds and trait objects."""
        sources = Sources(
            {
                "a.rs": """
                trait Speak { fn speak(&self) { self.loud() } fn loud(&self); }
                struct Dog;
                impl Dog {
                    fn new() -> Self { Dog }
                    fn run(&self) { self.speak(); Self::stat(); }
                    fn stat() {}
                }
                impl Speak for Dog { fn loud(&self) { self.run() } }
                fn bound<T: Speak>(t: T) { t.loud() }
                fn wherever<T>(t: T) where T: Speak { t.speak() }
                fn object(d: &dyn Speak, b: Box<dyn Speak>) { d.loud(); b.speak(); }
                fn full(d: &Dog) { Speak::loud(d); <Dog as Speak>::speak(d); Dog::new().run(); }
                """
            }
        )
        found = {(a.removeprefix("a.rs:"), b.removeprefix("a.rs:")) for a, b in sources.edges()}
        assert found >= {
            ("Speak.speak", "Speak.loud"), ("Dog.run", "Speak.speak"), ("Dog.run", "Dog.stat"),
            ("Dog.loud", "Dog.run"), ("bound", "Speak.loud"), ("wherever", "Speak.speak"),
            ("object", "Speak.loud"), ("object", "Speak.speak"), ("full", "Speak.loud"),
            ("full", "Speak.speak"), ("full", "Dog.new"), ("full", "Dog.run"),
        }  # fmt: skip
        assert ("a.rs:Dog.loud", "a.rs:Speak.loud") in sources.edges("overrides")
        assert ("a.rs:Dog", "a.rs:Speak") in sources.edges("inherits")

    def test_values_through_wrappers_patterns_and_chains(self) -> None:
        """`?`, `unwrap`, `if let`, `match`, loops and struct patterns keep the type inside."""
        found = calls(
            {
                "a.rs": """
                struct Item;
                impl Item {
                    fn a(&self) -> Option<Item> { None }
                    fn b(&self) {} fn c(&self) {} fn d(&self) {}
                    fn e(&self) {} fn f(&self) {} fn g(&self) {}
                }
                struct Cart { items: Vec<Item>, first: Item }
                fn find() -> Result<Item, String> { Err(String::new()) }
                fn run(cart: &Cart) -> Result<(), String> {
                    find()?.a().unwrap().b();
                    if let Ok(item) = find() { item.c(); }
                    match cart.items.first() { Some(one) => one.d(), None => {} }
                    for item in cart.items.iter() { item.e(); }
                    let Cart { first, .. } = cart;
                    first.f();
                    let x = if true { Item } else { Item };
                    x.g();
                    Ok(())
                }
                """
            }
        )
        assert {target for source, target in found if source == "a.rs:run"} == {
            "a.rs:find", "a.rs:Item.a", "a.rs:Item.b", "a.rs:Item.c", "a.rs:Item.d", "a.rs:Item.e",
            "a.rs:Item.f", "a.rs:Item.g",
        }  # fmt: skip

    def test_calls_inside_macros(self) -> None:
        """Plain calls in the text of a macro are calls; the macro of the file is one as well."""
        found = calls(
            {
                "a.rs": """
                macro_rules! twice { ($x:expr) => { helper($x) }; }
                fn helper(x: u32) -> u32 { x }
                struct S;
                impl S {
                    fn get(&self) -> u32 { println!("{}", self.other(helper(2))); 1 }
                    fn other(&self, n: u32) {}
                }
                fn f() { assert_eq!(helper(1), S.get()); let v = vec![helper(1)]; twice!(3); }
                """
            }
        )
        assert found == {
            ("a.rs:twice", "a.rs:helper"), ("a.rs:S.get", "a.rs:S.other"),
            ("a.rs:S.get", "a.rs:helper"), ("a.rs:f", "a.rs:helper"), ("a.rs:f", "a.rs:twice"),
            ("a.rs:f", "a.rs:S.get"),
        }  # fmt: skip

    def test_fields_set_and_closures(self) -> None:
        """Struct literals and closures carry values; a shadowed name means the nearer one."""
        found = calls(
            {
                "a.rs": """
                struct Engine; impl Engine { fn start(&self) {} }
                struct Car { engine: Engine }
                fn build() -> Car { Car { engine: Engine } }
                fn f() { let go = |c: &Car| c.engine.start(); go(&build()); }
                """
            }
        )
        assert found == {
            ("a.rs:f", "a.rs:f.<lambda>"), ("a.rs:f", "a.rs:build"),
            ("a.rs:f.<lambda>", "a.rs:Engine.start"),
        }  # fmt: skip
