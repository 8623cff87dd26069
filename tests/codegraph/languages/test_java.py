"""Java as facts, and what its names mean across packages."""

from __future__ import annotations

import json

import pytest

from tests.tables import each_row

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_classes_of_every_sort(self) -> None:
        """Classes, interfaces, enums, records and annotations, with what they hold."""
        facts = facts_of(
            """
            package a.b;
            /** A page. */
            public abstract class Page<T extends Item> extends Base<T> implements Shown, x.y.Kept {
                private static final int SIZE = 1, OTHER[] = {2};
                Item item;
                public Page(int size, String... names) {}
                abstract void draw();
                enum Mode { ON(1) { void m() {} }, OFF; Mode(int n) {} void m() {} }
                record Point(int x, Item at) { Point { check(); } static void check() {} }
                interface Inner { int C = 1; default void d() {} void e(); }
                @interface Mark { int value() default 1; }
            }
            """,
            "Page.java",
        )
        assert facts.namespace == "a.b"
        found = symbols(facts)
        assert set(found) == {
            "Page", "Page.SIZE", "Page.OTHER", "Page.item", "Page.Page", "Page.draw",
            "Page.Mode", "Page.Mode.ON", "Page.Mode.OFF", "Page.Mode.Mode", "Page.Mode.m",
            "Page.Mode.<anonymous>", "Page.Mode.<anonymous>.m",
            "Page.Point", "Page.Point.x", "Page.Point.at", "Page.Point.Point", "Page.Point.check",
            "Page.Inner", "Page.Inner.C", "Page.Inner.d", "Page.Inner.e",
            "Page.Mark", "Page.Mark.value",
        }  # fmt: skip
        page = found["Page"]
        assert page.flags == ("exported", "abstract")
        assert page.doc == "A page."
        assert page.bases == (("item", ("name", "Base"), ("name", "Item")), ("name", "Shown"),
                              ("name", "<x.y.Kept>"))  # fmt: skip
        assert found["Page.SIZE"].flags == ("private", "static", "constant")
        assert found["Page.Page"].flags == ("exported", "constructor")
        assert [param.sort for param in found["Page.Page"].params] == ["", "*"]
        assert found["Page.item"].returns == ("name", "Item")
        assert "enum" in found["Page.Mode"].flags
        assert "interface" in found["Page.Inner"].flags

    def test_overloads_have_one_name(self) -> None:
        """Methods of one name are apart by their place, lambdas and local classes are found."""
        facts = facts_of(
            """
            class A {
                void f() {}
                void f(int a) { Runnable r = () -> g(); class Local { void h() {} } }
            }
            """,
            "A.java",
        )
        names = [definition.qualname for definition in facts.definitions]
        assert names == ["A", "A.f", "A.f", "A.f.<lambda>", "A.f.Local", "A.f.Local.h"]

    def test_syntax_errors_leave_the_rest(self) -> None:
        """What stands around an error is found."""
        facts = facts_of("class A { void a() {} int = ; void b() {} }", "A.java")
        assert facts.errors
        assert {"A.a", "A.b"} <= set(kinds(facts))


@pytest.mark.parametrize(
    "text",
    [
        "class A { void m() {" * 500 + "g();" + "} }" * 500,
        "class A { int x = " + "(" * 3000 + "f()" + ")" * 3000 + "; }",
        "class A { int x = a" + ".b()" * 3000 + "; }",
        'class A { String x = "a"' + ' + "b"' * 5000 + "; }",
        "class A { " + "List<" * 900 + "A" + ">" * 900 + " x; }",
        "class A { void m() {" + "if (a) {} else " * 3000 + "{} } }",
    ],
)
def test_deep_trees_are_walked(text: str) -> None:
    """Nesting without end neither overflows here nor where the facts are written."""
    assert json.dumps(facts_of(text, "A.java"))


class TestPackages:
    """Names across files."""

    def test_imports(self) -> None:
        """Single, wildcard and static imports, inner classes, and names with their package."""
        files = {
            "src/a/Tool.java": """
                package a;
                public class Tool {
                    public static Tool of() { return new Tool(); }
                    public void use() {}
                    public static class Part { public void turn() {} public static void make() {} }
                }""",
            "src/a/Other.java": "package a; public class Other { public static void go() {} }",
            "src/b/Single.java": """
                package b;
                import a.Tool;
                class Single { void f() { Tool.of().use(); new Tool.Part().turn(); } }""",
            "src/b/Wild.java": """
                package b;
                import a.*;
                class Wild { void f() { Other.go(); } }""",
            "src/b/Static.java": """
                package b;
                import static a.Tool.of;
                import static a.Other.*;
                import a.Tool.Part;
                class Static { void f() { of().use(); go(); Part.make(); } }""",
            "src/b/Named.java": """
                package b;
                class Named { a.Tool tool; void f() { a.Other.go(); tool.use(); } }""",
        }
        tool, other = "src/a/Tool.java", "src/a/Other.java"
        found = calls(files)
        assert {target for who, target in found if who == "src/b/Single.java:Single.f"} == {
            f"{tool}:Tool.of", f"{tool}:Tool.use", f"{tool}:Tool.Part.turn",
        }  # fmt: skip
        assert ("src/b/Wild.java:Wild.f", f"{other}:Other.go") in found
        assert {target for who, target in found if who == "src/b/Static.java:Static.f"} == {
            f"{tool}:Tool.of", f"{tool}:Tool.use", f"{other}:Other.go", f"{tool}:Tool.Part.make",
        }  # fmt: skip
        assert {target for who, target in found if who == "src/b/Named.java:Named.f"} == {
            f"{other}:Other.go", f"{tool}:Tool.use",
        }  # fmt: skip

    def test_a_package_sees_itself_and_nothing_else(self) -> None:
        """Classes of one package need no import, whatever folder they lie in; others do."""
        files = {
            "main/a/One.java": "package a; class One { static void go() {} }",
            "test/a/OneTest.java": "package a; class OneTest { void t() { One.go(); } }",
            "main/b/Two.java": "package b; class Two { void t() { One.go(); } }",
        }
        assert calls(files) == {("test/a/OneTest.java:OneTest.t", "main/a/One.java:One.go")}

    def test_files_without_a_package_belong_to_their_folder(self) -> None:
        """The default package is one only within a folder."""
        files = {
            "x/A.java": "class A { static void go() {} }",
            "x/B.java": "class B { void t() { A.go(); } }",
            "y/C.java": "class C { void t() { A.go(); } }",
        }
        assert calls(files) == {("x/B.java:B.t", "x/A.java:A.go")}

    def test_a_class_that_appears_is_asked_for(self) -> None:
        """The package of an import is read, found or not."""
        files = {"A.java": "package a; import b.Missing; class A { Missing m; }"}
        assert "m:java:b" in Sources(files).resolved("A.java").reads


class TestCalls:
    """What calls mean."""

    def test_overloads_by_their_arguments(self) -> None:
        """Of methods of one name those count that take so many arguments."""
        text = """
            class A {
                void f() { g(); g(1); g(1, 2, 3); }
                void g() {}
                void g(int a) {}
                void g(int a, int... more) {}
            }
            """
        source = Sources({"A.java": text})
        places = {edge.target for edge in source.resolved("A.java").edges if edge.kind == "calls"}
        assert places == {2, 3, 4}

    def test_constructors_and_what_they_call(self) -> None:
        """new, this(…), super(…), and the constructor of a base where a class has none."""
        text = """
            class Base { Base(int a) {} }
            class Middle extends Base { Middle() { this(1); } Middle(int a) { super(a); } }
            class User { void f() { new Middle(); } }
            """
        found = Sources({"A.java": text})
        edges = {(e.source, e.target) for e in found.resolved("A.java").edges if e.kind == "calls"}
        assert edges == {(3, 4), (4, 1), (6, 3)}

    def test_fields_locals_and_outer_members(self) -> None:
        """A bare name may be a member of this class, of a base, or of the class around."""
        text = """
            class Base { void inherited() {} }
            class Outer extends Base {
                private Part part = new Part();
                void run() {
                    inherited(); part.turn(); own();
                    Part local = part; local.turn();
                    var inferred = make(); inferred.turn();
                    for (Part one : parts()) one.turn();
                    int own = 1; own();
                }
                Part make() { return part; }
                java.util.List<Part> parts() { return null; }
                void own() {}
                class Inner { void go() { own(); Outer.this.run(); } }
                static { boot(); }
                static void boot() {}
            }
            class Part { void turn() {} }
            """
        found = calls({"A.java": text})
        assert {target.partition(":")[2] for who, target in found if who == "A.java:Outer.run"} == {
            "Base.inherited", "Part.turn", "Outer.own", "Outer.make", "Outer.parts",
        }  # fmt: skip
        assert {
            ("A.java:Outer.Inner.go", "A.java:Outer.own"),
            ("A.java:Outer.Inner.go", "A.java:Outer.run"),
            ("A.java:Outer", "A.java:Outer.boot"),
        } <= found

    def test_lambdas_references_and_anonymous_classes(self) -> None:
        """Functions as values are called through any method; a class in place overrides."""
        text = """
            interface Action { void act(); }
            class A {
                void f() {
                    Runnable r = () -> g();
                    r.run();
                    Action a = this::g;
                    a.act();
                    Action b = new Action() { public void act() { g(); } };
                }
                void g() {}
            }
            """
        source = Sources({"A.java": text})
        assert source.edges() >= {
            ("A.java:A.f", "A.java:A.f.<lambda>"),
            ("A.java:A.f.<lambda>", "A.java:A.g"),
            ("A.java:A.f", "A.java:A.g"),
            ("A.java:A.f.<anonymous>.act", "A.java:A.g"),
        }
        assert ("A.java:A.f.<anonymous>.act", "A.java:Action.act") in source.edges("overrides")

    @each_row(
        "body",
        [
            "((Item) x).show();",
            "if (x instanceof Item) x.show();",
            "if (x instanceof Item item) item.show();",
            "switch (x) { case Item item -> item.show(); default -> {} }",
            "items.get(0).show();",
            "items.stream().findFirst().get().show();",
            'byName.get("a").show();',
            "try (Item item = open()) { item.show(); } catch (Exception e) {}",
            "(x == null ? new Item() : x).show();",
            "many[0].show();",
            "items.forEach(one -> one.show());",
            "names.stream().map(n -> new Item()).forEach(one -> one.show());",
            "items.stream().filter(one -> true).forEach(one -> one.show());",
        ],
    )
    def test_receivers_with_a_type(self, body: str) -> None:
        """Casts, checks, patterns, generics and resources say what a value is."""
        text = f"""
            import java.util.List;
            class Item {{ void show() {{}} }}
            class A {{
                List<Item> items; java.util.Map<String, Item> byName; Item[] many;
                void f(Object x) {{ {body} }}
            }}
            """
        assert any(target == "A.java:Item.show" for _, target in calls({"A.java": text}))

    def test_type_parameters(self) -> None:
        """A type parameter is what it extends, and no class of that name."""
        text = """
            class Item { void show() {} }
            class T { void show() {} }
            class A<K extends Item> {
                K own;
                <T extends Item> void f(T given) { given.show(); own.show(); }
                <T> void g(T given) { given.show(); }
            }
            """
        found = calls({"A.java": text})
        assert ("A.java:A.f", "A.java:Item.show") in found
        assert not any(target == "A.java:T.show" for _, target in found)

    def test_super_of_an_interface(self) -> None:
        """`Named.super.go()` is the method of that interface."""
        text = """
            interface One { default void go() {} }
            interface Two { default void go() {} }
            class A implements One, Two { public void go() { Two.super.go(); } }
            """
        assert ("A.java:A.go", "A.java:Two.go") in calls({"A.java": text})
