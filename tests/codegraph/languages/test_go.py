"""Go as facts, and what its names mean across packages."""

from __future__ import annotations

from ..programs import Sources, calls, facts_of, kinds, symbols

MODULE = "module example.org/shop\n"


class TestSymbols:
    """What is found in one file."""

    def test_declarations_of_a_file(self) -> None:
        """Functions, methods, types, fields and variables have kinds and dotted names."""
        facts = facts_of(
            """
            // Package shop sells.
            package shop

            const Limit, low = 3, 1
            var open = true

            // Cart holds items.
            type Cart struct {
                Base
                *log.Logger
                items, gone []Item
            }
            type Seller interface {
                Sell(n int) (Item, error)
                Closer
            }
            type Money int
            type Alias = Money
            func New() *Cart { return nil }
            func (c *Cart) Add(i Item) {}
            func (Cart) Len() int { return 0 }
            func init() {}
            """,
            "shop.go",
        )
        found = symbols(facts)
        assert facts.namespace == "shop"
        assert facts.doc == "Package shop sells."
        assert kinds(facts) == {
            "Limit": "variable", "low": "variable", "open": "variable", "Cart": "class",
            "Cart.Base": "variable", "Cart.Logger": "variable", "Cart.items": "variable",
            "Cart.gone": "variable", "Seller": "class", "Seller.Sell": "method", "Money": "class",
            "Alias": "class", "New": "function", "Cart.Add": "method", "Cart.Len": "method",
            "init": "function",
        }  # fmt: skip
        assert found["Cart"].doc == "Cart holds items."
        assert found["Cart"].bases == (("name", "Base"), ("attr", ("name", "log"), "Logger"))
        assert found["Cart"].flags == ("struct", "exported")
        assert found["Seller"].bases == (("name", "Closer"),)
        assert found["Cart.Add"].owner == ("name", "Cart")
        assert [param.name for param in found["Cart.Add"].params] == ["c", "i"]
        assert found["low"].flags == ("constant",)
        assert found["Cart.Add"].signature == "Add(i Item)"

    def test_places_are_in_characters_and_bytes(self) -> None:
        """Columns count characters, the range of a definition bytes, after text beyond ASCII."""
        facts = facts_of('package a\nvar s = "äöü"; func 名() {}\n', "a.go")
        function = symbols(facts)["名"]
        source = 'package a\nvar s = "äöü"; func 名() {}\n'.encode()
        assert (function.line, function.column) == (2, 21)
        assert source[function.start : function.end].decode() == "func 名() {}"

    def test_a_broken_file_gives_what_is_whole(self) -> None:
        """Definitions around a syntax error are found, and the error is counted."""
        facts = facts_of("package a\nfunc f() { x := ) 1 }\nfunc k() {}\n", "a.go")
        assert facts.errors
        assert "k" in kinds(facts)

    def test_deep_nesting_loses_no_call(self) -> None:
        """Thousands of brackets and blocks are walked without recursion."""
        depth = 5_000
        text = f"package a\nfunc f() {{ x := {'(' * depth}g(){')' * depth}; _ = x\n"
        text += "{" * depth + "h()" + "}" * depth + "}\nfunc g() int { return 1 }\nfunc h() {}\n"
        assert calls({"a.go": text}) == {("a.go:f", "a.go:g"), ("a.go:f", "a.go:h")}


class TestPackages:
    """Names across files."""

    def test_files_of_a_folder_are_one_package(self) -> None:
        """Functions and methods of another file of the folder need no import."""
        found = calls(
            {
                "a/one.go": "package a\nfunc Run() { help(); T{}.Do() }\n",
                "a/two.go": "package a\ntype T struct{}\nfunc (t T) Do() {}\nfunc help() {}\n",
                "b/two.go": "package b\nfunc help() {}\n",
            }
        )
        assert found == {("a/one.go:Run", "a/two.go:help"), ("a/one.go:Run", "a/two.go:T.Do")}

    def test_imports_by_module_path(self) -> None:
        """Plain, renamed and dotted imports lead to the folder below the go.mod."""
        found = calls(
            {
                "go.mod": MODULE,
                "cart/cart.go": "package cart\nfunc New() {}\n",
                "util/v2/util.go": "package util\nfunc Do() {}\n",
                "dot/dot.go": "package dot\nfunc Dotted() {}\n",
                "main.go": """
                package main
                import (
                    c "example.org/shop/cart"
                    "example.org/shop/util/v2"
                    . "example.org/shop/dot"
                    "fmt"
                )
                func main() { c.New(); util.Do(); Dotted(); fmt.Println() }
                """,
            }
        )
        assert found == {
            ("main.go:main", "cart/cart.go:New"),
            ("main.go:main", "util/v2/util.go:Do"),
            ("main.go:main", "dot/dot.go:Dotted"),
        }

    def test_a_tree_without_a_go_mod(self) -> None:
        """There the end of an import path that is a folder of the tree is taken for it."""
        found = calls(
            {
                "internal/cart/cart.go": "package cart\nfunc New() {}\n",
                "main.go": 'package main\nimport "example.org/shop/internal/cart"\n'
                "func main() { cart.New() }\n",
            }
        )
        assert found == {("main.go:main", "internal/cart/cart.go:New")}

    def test_test_packages_beside_a_package_see_only_what_they_import(self) -> None:
        """`package x_test` is another package than the one in the same folder."""
        files = {
            "go.mod": MODULE,
            "a/a.go": "package a\nfunc Do() {}\n",
            "a/a_test.go": 'package a_test\nimport "example.org/shop/a"\n'
            "func TestDo() { a.Do(); Do() }\n",
        }
        sources = Sources(files)
        assert sources.edges() == {("a/a_test.go:TestDo", "a/a.go:Do")}
        assert "test" in symbols(sources.facts["a/a_test.go"])["TestDo"].flags


class TestReceivers:
    """Calls of methods."""

    def test_receivers_fields_and_embedded_types(self) -> None:
        """A method is found by the type of a receiver, of a field, and of what is embedded."""
        found = calls(
            {
                "a.go": """
                package a
                type Base struct{}
                func (b *Base) Hello() {}
                type Node struct { Base; next *Node; make func() *Node }
                func (n *Node) Run() { n.Hello(); n.next.Stop(); n.make().Stop() }
                func (n *Node) Stop() {}
                """
            }
        )
        assert found == {
            ("a.go:Node.Run", "a.go:Base.Hello"),
            ("a.go:Node.Run", "a.go:Node.Stop"),
        }

    def test_values_by_literals_results_and_containers(self) -> None:
        """Several results, slices, maps, assertions and type switches carry their types."""
        found = calls(
            {
                "a.go": """
                package a
                type T struct{}
                func (t *T) A() {}
                func (t *T) B() {}
                func (t *T) C() {}
                func (t *T) D() {}
                func (t *T) E() {}
                func pair() (*T, error) { return &T{}, nil }
                func run(all []*T, by map[string]T, x any) {
                    t, err := pair()
                    t.A()
                    for _, one := range all { one.B() }
                    by["x"].C()
                    x.(*T).D()
                    switch v := x.(type) {
                    case *T: v.E()
                    case error: _ = err
                    }
                }
                """
            }
        )
        assert {target for source, target in found if source == "a.go:run"} == {
            "a.go:pair", "a.go:T.A", "a.go:T.B", "a.go:T.C", "a.go:T.D", "a.go:T.E",
        }  # fmt: skip

    def test_closures_and_shadowed_names(self) -> None:
        """A closure is called as what it is; a parameter hides a function of its name."""
        found = calls(
            {
                "a.go": """
                package a
                func f() {}
                func run(f int) { g := func() { k() }; g(); _ = f }
                func hidden(f func()) { f() }
                func k() {}
                """
            }
        )
        assert found == {("a.go:run", "a.go:run.<lambda>"), ("a.go:run.<lambda>", "a.go:k")}

    def test_generic_functions_and_their_bounds(self) -> None:
        """A call with type arguments is a call; a parameter of a type parameter has its bound."""
        found = calls(
            {
                "a.go": """
                package a
                type Shape interface { Area() int }
                func sum[S Shape](s S) { s.Area() }
                func run(x Square) { sum[Square](x); sum(x) }
                type Square struct{}
                """
            }
        )
        assert found == {("a.go:sum", "a.go:Shape.Area"), ("a.go:run", "a.go:sum")}

    def test_types_that_fulfil_an_interface_override_its_methods(self) -> None:
        """A method overrides an interface's if its type has all of them, embedded ones too."""
        overrides = Sources(
            {
                "a.go": """
                package a
                type Small interface { One() }
                type Large interface { Small; Two() }
                type Both struct{}
                func (b *Both) One() {}
                func (b *Both) Two() {}
                type Half struct{}
                func (h Half) One() {}
                """
            }
        ).edges("overrides")
        assert overrides == {
            ("a.go:Both.One", "a.go:Small.One"),
            ("a.go:Both.Two", "a.go:Large.Two"),
            ("a.go:Half.One", "a.go:Small.One"),
        }

    def test_assignment_reaches_the_outer_variable(self) -> None:
        """`x = …` in a block binds the x declared further out, `x := …` one of its own."""
        found = calls(
            {
                "a.go": """
                package a
                type A struct{}
                func (a A) Go() {}
                type B struct{}
                func (b B) Go() {}
                func outer(ok bool) { var x any; if ok { x = A{}; y := 1; _ = y }; x.Go() }
                func inner(ok bool) { x := A{}; if ok { x := B{}; _ = x }; x.Go() }
                """
            }
        )
        assert ("a.go:outer", "a.go:A.Go") in found
        assert {target for source, target in found if source == "a.go:inner"} == {"a.go:A.Go"}
