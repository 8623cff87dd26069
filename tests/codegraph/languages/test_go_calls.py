"""Calls of Go that were missed or made up in code that nobody had looked at before."""

from __future__ import annotations

from ..programs import calls

MODULE = "module example.org/shop\n"


def called(body: str, **others: str) -> set[str]:
    """Return what the function `F` of a file calls in its own package."""
    files = {f"{name}.go": text for name, text in others.items()}
    found = calls({"a.go": f"package a\n{body}\n", **files})
    return {target.rpartition(":")[2] for source, target in found if source == "a.go:F"}


class TestScopes:
    """A name of Go begins to mean something new behind its declaration."""

    def test_variable_named_as_its_constructor_keeps_the_call(self) -> None:
        """On the right of `:=` the name is still that of what it hides."""
        body = """
        func stack(n int) Frames { return nil }
        type Frames []int
        func (f Frames) Top() {}
        func F() { stack := stack(3); stack.Top() }
        """
        assert called(body) == {"stack", "Frames.Top"}

    def test_variable_named_as_its_package_hides_it_from_the_declaration_on(self) -> None:
        """An import is what the name means up to the declaration, and again behind its block."""
        files = {
            "go.mod": MODULE,
            "url/url.go": "package url\ntype URL struct{}\nfunc Parse() *URL { return nil }\n"
            "func (u *URL) Host() {}\nfunc Last() {}\n",
            "main.go": """
            package main
            import "example.org/shop/url"
            func Made() {
                if true { url := url.Parse(); url.Host() }
                url.Last()
            }
            func Declared() { var url *url.URL; url.Host() }
            func Literal() { url := url.URL{}; url.Host() }
            """,
        }
        assert calls(files) == {
            ("main.go:Made", "url/url.go:Parse"),
            ("main.go:Made", "url/url.go:URL.Host"),
            ("main.go:Made", "url/url.go:Last"),
            ("main.go:Declared", "url/url.go:URL.Host"),
            ("main.go:Literal", "url/url.go:URL.Host"),
        }

    def test_a_name_declared_again_in_its_block_keeps_what_else_it_can_be(self) -> None:
        """`b, err := …` behind `a, err := …` hides nothing, also where another name did."""
        body = """
        type E struct{}
        func (e *E) Is() {}
        type N struct{}
        func (n N) Next() N { return n }
        func two() (N, *E) { return N{}, nil }
        func F(n N) {
            if true {
                n := n.Next(); a, err := two(); b, err := two()
                a.Next(); b.Next(); n.Next(); err.Is()
            }
        }
        """
        assert called(body) == {"N.Next", "two", "E.Is"}

    def test_variable_named_as_its_type_has_its_methods(self) -> None:
        """The type in `x.(counter)` is not the variable that is declared by it."""
        body = """
        type counter struct{}
        func (c *counter) Inc() {}
        type Other struct{}
        func (o *Other) Inc() {}
        func Make() any { return nil }
        func F() { counter := Make().(*counter); counter.Inc() }
        """
        assert called(body) == {"Make", "counter.Inc"}

    def test_type_switch_value_keeps_its_type_in_default(self) -> None:
        """There `switch n := n.(type)` gives what n was outside."""
        body = """
        type Node interface { Name() }
        func F(n Node) { switch n := n.(type) { case nil: default: n.Name() } }
        """
        assert called(body) == {"Node.Name"}

    def test_range_over_a_shadowed_name_walks_the_outer_value(self) -> None:
        """`for _, n := range n.Below()` walks through what the outer n gives."""
        body = """
        type N struct{}
        func (n N) Below() []M { return nil }
        type M struct{}
        func (m M) Go() {}
        type Other struct{}
        func (o Other) Go() {}
        func F(n N) { for _, n := range n.Below() { n.Go() } }
        """
        assert called(body) == {"N.Below", "M.Go"}

    def test_local_function_named_as_a_builtin_is_called(self) -> None:
        """A local `make` is what is called."""
        body = """
        type T struct{}
        func (t T) Go() {}
        type Other struct{}
        func (o Other) Go() {}
        func F() { make := func(n int) T { return T{} }; make(1).Go() }
        """
        assert "T.Go" in called(body)

    def test_dot_imports_brought_names_that_are_not_exported(self) -> None:
        """A test beside its package has a helper of its own; that of the package is not seen."""
        files = {
            "go.mod": MODULE,
            "a/a.go": "package a\nfunc listen() {}\nfunc Open() {}\n",
            "a/a_test.go": 'package a_test\nimport . "example.org/shop/a"\n'
            "func TestA() { listen(); Open() }\n",
            "a/b_test.go": "package a_test\nfunc listen() {}\n",
        }
        assert calls(files) == {
            ("a/a_test.go:TestA", "a/b_test.go:listen"),
            ("a/a_test.go:TestA", "a/a.go:Open"),
        }


class TestTypes:
    """What a value is where its type has no name, or is said elsewhere."""

    def test_fields_of_anonymous_structs_have_types(self) -> None:
        """Fields of a structure without a name are of their types, however the values are given."""
        body = """
        type Bits []int
        func (b Bits) Norm() {}
        type Op interface { Run() }
        func F() {
            for _, test := range []struct{ x Bits; op Op }{{nil, nil}} { test.x.Norm() }
            for _, test := range map[string]struct{ op Op }{"a": {}} { test.op.Run() }
        }
        """
        assert called(body) == {"Bits.Norm", "Op.Run"}

    def test_functions_in_the_cases_of_a_table_are_called_still(self) -> None:
        """A field that holds functions calls those that the table gives to it."""
        body = """
        func one() {}
        func two() {}
        func F() {
            for _, test := range []struct{ f func() }{{f: one}, {f: two}} { test.f() }
        }
        """
        assert called(body) == {"one", "two"}

    def test_anonymous_struct_has_embedded_methods(self) -> None:
        """Its variables, members and parameters have the methods of what lies in it."""
        body = """
        type Mutex struct{}
        func (m *Mutex) Lock() {}
        var cache struct { Mutex; size int }
        type Conf struct { in struct { m Mutex } }
        func F(c Conf) { cache.Lock(); c.in.m.Lock() }
        """
        assert called(body) == {"Mutex.Lock"}

    def test_anonymous_interface_has_embedded_methods(self) -> None:
        """A parameter of such a type has the methods of the interfaces in it."""
        body = """
        type Namer interface { Name() }
        func F(n interface{ Namer; Other() }) { n.Name() }
        """
        assert called(body) == {"Namer.Name"}

    def test_field_named_as_the_package_of_its_type_has_its_methods(self) -> None:
        """`parser parser.Parser` is of the type that the package has."""
        files = {
            "go.mod": MODULE,
            "parser/parser.go": "package parser\ntype Parser interface { Parse() }\n"
            "type Other struct{}\nfunc (o Other) Parse() {}\n",
            "main.go": """
            package main
            import "example.org/shop/parser"
            type Tool struct { parser parser.Parser }
            func (t *Tool) Run() { t.parser.Parse() }
            """,
        }
        assert calls(files) == {("main.go:Tool.Run", "parser/parser.go:Parser.Parse")}

    def test_type_defined_from_another_has_its_fields_but_not_its_methods(self) -> None:
        """`type decoder coder` has the fields of coder, and none of its methods."""
        body = """
        type Order interface { Get() }
        type coder struct { order Order }
        func (c *coder) Reset() {}
        type decoder coder
        type Sorted Order
        func F(d *decoder, s Sorted) { d.order.Get(); s.Get(); d.Reset() }
        """
        assert called(body) == {"Order.Get"}

    def test_constant_without_a_value_has_the_type_of_the_one_before(self) -> None:
        """A constant without a value is of the type of the one before; one with it is not."""
        body = """
        type Color int
        func (c Color) Add() {}
        const ( Black Color = iota; Red; _; Plain = 3; More )
        func F() { Red.Add(); More.Add() }
        """
        assert called(body) == {"Color.Add"}
        assert called(body.replace("Red.Add();", "")) == set()

    def test_list_of_a_named_number_type_has_elements_of_it(self) -> None:
        """What is calculated from a value of a named type is of that type, in a list as well."""
        body = """
        type Level int
        func (l Level) Up() {}
        func (l Level) Down() {}
        const Debug Level = 1
        func F() {
            for _, l := range []Level{Debug - 1, 3} { l.Up() }
            both := Debug | 2
            both.Down()
        }
        """
        assert called(body) == {"Level.Up", "Level.Down"}

    def test_assertion_to_a_generic_interface_is_no_call(self) -> None:
        """`x.(Ordered[T])` gives a value of that type."""
        body = """
        type Ordered[T any] interface { Less(a, b T) }
        func F[T any](x any) { if o, ok := x.(Ordered[T]); ok { o.Less(nil, nil) } }
        """
        assert called(body) == {"Ordered.Less"}


def test_call_whose_result_is_assigned_through_is_an_edge() -> None:
    """In `*r.Header() = h` the method is called."""
    body = """
    type H struct{}
    type R struct{}
    func (r *R) Header() *H { return nil }
    func F(r *R) { *r.Header() = H{} }
    """
    assert called(body) == {"R.Header"}


def test_results_of_external_functions_have_no_type_of_the_tree() -> None:
    """One of several results of a function outside has no method of the only type that has it."""
    files = {
        "a.go": """
        package a
        import "io"
        type pipe struct{}
        func (p *pipe) CloseWithError(err error) {}
        func F() { pr, pw := io.Pipe(); pw.CloseWithError(nil); pr.CloseWithError(nil) }
        """
    }
    assert calls(files) == set()
