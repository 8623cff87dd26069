"""C# as facts, and what its names mean across namespaces."""

from __future__ import annotations

import json

import pytest

from tests.tables import each_row

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_members_of_every_sort(self) -> None:
        """Properties, indexers, operators, events, constructors, finalisers and delegates."""
        facts = facts_of(
            """
            namespace Shop.Core {
              /// <summary>A cart.</summary>
              public abstract partial class Cart<T> : Base<T>, IShown where T : Item, new() {
                private readonly int size = 1, other;
                public const string Name = "x";
                public event Handler Changed;
                public event Handler Kept { add { } remove { } }
                public int Count { get; set; } = 3;
                public Item First => Find();
                public Item Last { get { return Find(); } private set => Put(value); }
                public Item this[int i] { get => Find(); }
                static Cart() { }
                public Cart(int a, params string[] b) : this() { }
                public Cart() : base(1) { }
                ~Cart() { }
                public static Cart<T> operator +(Cart<T> a, Cart<T> b) => a;
                public static implicit operator int(Cart<T> a) => 1;
                public async Task<Item> Load<K>(int n = 3) { int Inner(int q) => q; return null; }
                void IShown.Show() { }
                delegate void Done(int a);
                enum Mode : byte { On = 1, Off }
                struct Pair { }
                record Line(int Price, Item What) : Base(Price);
                interface IPart { void Turn(); }
              }
            }
            """,
            "Cart.cs",
        )
        assert facts.namespace == "Shop.Core"
        found = symbols(facts)
        assert {name: found[f"Cart.{name}"].kind for name in (
            "size", "other", "Name", "Changed", "Kept", "Count", "First", "Last", "this",
            "Cart", "~Cart", "operator +", "operator int", "Load", "Show", "Done", "Mode",
            "Mode.On", "Mode.Off", "Pair", "Line", "Line.Price", "IPart", "IPart.Turn",
        )} == {
            "size": "variable", "other": "variable", "Name": "variable", "Changed": "variable",
            "Kept": "method", "Count": "variable", "First": "method", "Last": "method",
            "this": "method", "Cart": "method", "~Cart": "method", "operator +": "method",
            "operator int": "method", "Load": "method", "Show": "method", "Done": "method",
            "Mode": "class", "Mode.On": "variable", "Mode.Off": "variable", "Pair": "class",
            "Line": "class", "Line.Price": "variable", "IPart": "class", "IPart.Turn": "method",
        }  # fmt: skip
        cart = found["Cart"]
        assert cart.flags == ("exported", "abstract", "partial")
        assert cart.bases == (("item", ("name", "Base"), ("name", "Item")), ("name", "IShown"))
        assert "A cart." in cart.doc
        assert found["Cart.Load"].returns == ("name", "Item")
        assert "property" in found["Cart.First"].flags
        assert "constant" in found["Cart.Name"].flags
        assert found["Cart.Load.Inner"].kind == "function"

    @pytest.mark.parametrize(
        ("text", "namespace"),
        [
            ("namespace A.B;\nclass C { }", "A.B"),
            ("namespace A { namespace B { class C { } } }", "A.B"),
            ("using X;\nclass C { }", ""),
        ],
    )
    def test_namespaces(self, text: str, namespace: str) -> None:
        """A namespace is that of the file, in blocks, nested, or for the whole file."""
        facts = facts_of(text, "C.cs")
        assert facts.namespace == namespace
        assert kinds(facts) == {"C": "class"}

    def test_syntax_errors_leave_the_rest(self) -> None:
        """What stands around an error is found."""
        facts = facts_of("class A { void B() {} int = ; void C() {} }", "A.cs")
        assert facts.errors
        assert {"A.B", "A.C"} <= set(kinds(facts))


@pytest.mark.parametrize(
    "text",
    [
        "class A { void M() {" + "{" * 3000 + "g();" + "}" * 3000 + "} }",
        "class A { int x = a" + "?.b()" * 1000 + "; }",
        "class A { int x = a" + ".b()" * 3000 + "; }",
        "namespace A {" * 700 + "class B { }" + "}" * 700,
        "class A { " + "List<" * 900 + "A" + ">" * 900 + " x; }",
        "class A { int x = a" + " ?? b" * 3000 + "; }",
        "class A { int x = " + "a => " * 1500 + "b(); }",
        "class A { A" + ".B" * 3000 + " x; }",
    ],
)
def test_deep_trees_are_walked(text: str) -> None:
    """Nesting without end neither overflows here nor where the facts are written."""
    assert json.dumps(facts_of(text, "A.cs"))


class TestNamespaces:
    """Names across files."""

    def test_usings(self) -> None:
        """Plain, static and aliased usings, the namespaces around, and names written out."""
        files = {
            "Core.cs": """
                namespace Shop.Core;
                public class Item { public void Show() { }
                  public static Item Make() => new Item(); }
                public static class Tools { public static void Cut() { } }""",
            "Root.cs": "namespace Shop; public class Root { public static void Go() { } }",
            "Plain.cs": """
                using Shop.Core;
                namespace Web { class Plain { void F() { Item.Make().Show(); } } }""",
            "Static.cs": """
                using static Shop.Core.Tools;
                namespace Web { class Static { void F() { Cut(); } } }""",
            "Alias.cs": """
                using Thing = Shop.Core.Item;
                namespace Web { class Alias { void F() { new Thing().Show(); } } }""",
            "Around.cs": "namespace Shop.Web { class Around { void F() { Root.Go(); } } }",
            "Written.cs": """
                namespace Web { class Written {
                  Shop.Core.Item item;
                  void F() { item.Show(); new Shop.Core.Item().Show(); } } }""",
            "None.cs": "namespace Web { class None { void F() { Tools.Cut(); Root.Go(); } } }",
        }
        assert calls(files) == {
            ("Plain.cs:Plain.F", "Core.cs:Item.Make"),
            ("Plain.cs:Plain.F", "Core.cs:Item.Show"),
            ("Static.cs:Static.F", "Core.cs:Tools.Cut"),
            ("Alias.cs:Alias.F", "Core.cs:Item.Show"),
            ("Around.cs:Around.F", "Root.cs:Root.Go"),
            ("Written.cs:Written.F", "Core.cs:Item.Show"),
        }

    def test_partial_classes(self) -> None:
        """All parts of a class have the members of all parts."""
        files = {
            "A.One.cs": "namespace N; partial class A : Base { void F() { G(); field.Show(); } }",
            "A.Two.cs": "namespace N; partial class A { Item field; void G() { Inherited(); } }",
            "B.cs": "namespace N; class Base { protected void Inherited() { } }"
            " class Item { public void Show() { } }",
        }
        source = Sources(files)
        assert source.edges() == {
            ("A.One.cs:A.F", "A.Two.cs:A.G"),
            ("A.One.cs:A.F", "B.cs:Item.Show"),
            ("A.Two.cs:A.G", "B.cs:Base.Inherited"),
        }
        assert source.edges("inherits") == {("A.One.cs:A", "B.cs:Base")}


class TestCalls:
    """What calls mean."""

    def test_constructors_properties_and_overloads(self) -> None:
        """Constructors call each other; a property gives what it declares."""
        text = """
            class Base { public Base(int a) { } }
            class A : Base {
              public A() : this(1) { }
              public A(int a) : base(a) { }
              public Item Part { get; set; }
              public Item Made => new Item();
              void F() { Part.Show(); Made.Show(); this.Part.Show(1); new A(2); }
            }
            class Item { public void Show() { } public void Show(int a) { } }
            """
        source = Sources({"A.cs": text})
        named = source.facts["A.cs"].definitions
        edges = {
            (named[e.source].qualname, e.target)
            for e in source.resolved("A.cs").edges
            if e.kind == "calls"
        }
        first, second = (n for n, d in enumerate(named) if d.qualname == "A.A")
        shown = {("A.F", n) for n, d in enumerate(named) if d.qualname == "Item.Show"}
        assert shown | {("A.A", second), ("A.A", 1), ("A.F", second)} <= edges
        assert ("A.F", first) not in edges

    @each_row(
        "body",
        [
            "((Item)x).Show();",
            "(x as Item).Show();",
            "if (x is Item) x.Show();",
            "if (x is Item item) item.Show();",
            "switch (x) { case Item item: item.Show(); break; }",
            "var r = x switch { Item item => item.Show(), _ => null };",
            "Item item = new(); item.Show();",
            "var item = new Item { Name = 1 }; item.Show();",
            "Find(out Item item); item.Show();",
            "foreach (var item in items) item.Show();",
            "items.First().Show();",
            'byName["a"].Show();',
            "maybe?.Show();",
            "items.ForEach(one => one.Show());",
            "names.Select(n => new Item()).First().Show();",
            "items.Where(one => true).Select(one => one.Show()).ToList();",
            "maybe!.Show();",
            "using (var item = new Item()) { item.Show(); }",
            "(maybe ?? new Item()).Show();",
            "var (item, n) = (new Item(), 1); item.Show();",
            "foreach (var item in from i in items where true select i) { } items[0].Show();",
        ],
    )
    def test_receivers_with_a_type(self, body: str) -> None:
        """Casts, checks, patterns, initialisers and generics say what a value is."""
        text = f"""
            class Item {{ public object Show() {{ return null; }} public int Name; }}
            class A {{
              List<Item> items; Dictionary<string, Item> byName; Item maybe;
              void F(object x) {{ {body} }}
            }}
            """
        assert any(target == "A.cs:Item.Show" for _, target in calls({"A.cs": text}))

    def test_lambdas_local_functions_and_awaits(self) -> None:
        """Functions as values are called, and a task gives what it promises."""
        text = """
            class A {
              async Task<Item> Load() { return new Item(); }
              async Task F() {
                (await Load()).Show();
                int Inner() => Count();
                Inner();
                Func<int> f = () => Count();
                f(); f.Invoke();
              }
              int Count() => 1;
            }
            class Item { public void Show() { } }
            """
        assert calls({"A.cs": text}) >= {
            ("A.cs:A.F", "A.cs:A.Load"),
            ("A.cs:A.F", "A.cs:Item.Show"),
            ("A.cs:A.F", "A.cs:A.F.Inner"),
            ("A.cs:A.F.Inner", "A.cs:A.Count"),
            ("A.cs:A.F", "A.cs:A.F.<lambda>"),
        }

    def test_type_parameters(self) -> None:
        """A type parameter is what is asked of it, and no class of that name."""
        text = """
            class Item { public void Show() { } }
            class T { public void Show() { } }
            class A<K> where K : Item {
              K own;
              void F<T, U>(T given, U other) where U : class where T : Item {
                given.Show(); own.Show();
              }
              void G<T>(T given) { given.Show(); }
            }
            """
        found = calls({"A.cs": text})
        assert ("A.cs:A.F", "A.cs:Item.Show") in found
        assert not any(target == "A.cs:T.Show" for _, target in found)

    def test_extension_methods(self) -> None:
        """A method for values of another type is one of theirs; else it is found by its name."""
        text = """
            interface IShown { }
            class Item : IShown { }
            class Other { }
            static class Extending {
              public static int CountWords(this string s) => 1;
              public static void Paint(this IShown shown, int a) { }
            }
            static class More { public static void Paint(this Other other) { } }
            class A {
              void F(object x) { x.CountWords(); }
              void G(Item item, Other other) { item.Paint(1); other.Paint(); }
            }
            """
        source = Sources({"A.cs": text})
        assert source.edge("A.cs", "A.F", "Extending.CountWords").tier == "only"
        assert source.edge("A.cs", "A.G", "Extending.Paint").tier == "local"
        assert source.edge("A.cs", "A.G", "More.Paint").tier == "local"
