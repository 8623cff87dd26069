"""Java: what each construct binds and gives, statement by statement."""

from __future__ import annotations

import pytest

from tests.tables import each_row

from ..programs import calls
from ..spoken import defined, said

# Statements of a method `f(X v)` → everything that they say.
SAID = {
    "assignments as values": (
        "int a, b; a = b = one(); v.x = v.y = two(); c = d = three(); e += four(); h().i += i();"
        " xs[five()] = six(); if ((a = seven()) != null) a.go(); g(b = eight());",
        [
            "a: int", "b: int", "b = one()", "a = b", "v.y = two()", "v.x = v.y",
            "self.d = three()", "self.c = d", "do e", "do four()", "do h().i", "do i()",
            "xs[five()] = six()", "a = seven()", "do a.go()", "b = eight()", "do g(b)",
        ],
    ),
    "patterns": (
        "if (v instanceof T t && t.ok()) one(); if (!(two() instanceof U)) return;\n"
        "if (v instanceof P(int x, Q(var y, _)) && y.ok()) three();",
        [
            "do T", "t: T", "do t.ok()", "do one()", "<part> = two()", "do U", "do P",
            "x: int", "do Q", "y = (a Q).0", "do y.ok()", "do three()",
        ],
    ),
    "switches that are statements": (
        "switch (v) { case 1: case 2: one(); break; case T t when t.ok(): t.go();"
        " case P(var x, A y): x.go(); default: two(); }",
        [
            "do one()", "do two()", "do T", "t: T", "do t.ok()", "do t.go()", "do P",
            "x = (a P).0", "do A", "y: A", "do x.go()",
        ],
    ),
    "switches that give something": (
        "var s = switch (one()) { case A a -> a.one(); case B, C ->"
        " { var z = two(); yield z.go(); } default -> throw new E(three()); };\n"
        "int t = switch (v) { case 1: yield four(); default: yield five(); };",
        [
            "<part> = one()", "do B", "do <part>.B", "do C", "do <part>.C", "do new E(three())",
            "s = (a.one() | z.go())", "t: int", "do (four() | five())", "do A", "a: A", "z = two()",
        ],
    ),
    "resources and handlers": (
        "try (R r = one(); held; var q = new R(two())) { r.go(); }"
        " catch (final E | F e) { e.go(); } finally { three(); }",
        [
            "r: R", "r = one()", "do held", "q = new R(two())", "do r.go()", "do three()",
            "e: (E | F)", "do e.go()",
        ],
    ),
    "references to methods": (
        "Fn<A, B> a = A::make, b = this::go, c = A::new, d = one()::go, e = super::go;",
        [
            "a: Fn[(A, B)]", "a = A.make", "b: Fn[(A, B)]", "b = self.go", "c: Fn[(A, B)]",
            "c = A.<init>", "d: Fn[(A, B)]", "d = one().go", "e: Fn[(A, B)]", "e = super.go",
        ],
    ),
    "arrays": (
        "A[] a = new A[one()], b = new A[] { two(), new A() }, c[] = {{ three() }};\n"
        "int[][] d = new int[four()][five()];",
        [
            "a: list[A]", "do one()", "a = a list[A]", "b: list[A]", "b = [two(), new A()]",
            "c: list[A]", "c = [[three()]]", "d: list[int]", "do four()", "do five()",
            "d = a list[int]",
        ],
    ),
    "classes in place": (
        "class L extends B { void in() { one(); } } new L().in(); enum M { ONE }\n"
        "B o = new B(two()) { int z = three(); @Override void in() { four(d); } };\n"
        "O.I i = five().new I(six());",
        [
            "def C.f.L", "def C.f.M", "do new L().in()", "o: B", "o = new fn(<anonymous>)(two())",
            "i: O.I", "do five()", "i = new I(six())", "def C.f.L.in", "do one()",
            "ONE = new fn(M)()", "def C.f.<anonymous>.in", "z: int", "z = three()", "do four(d)",
        ],
    ),
    "functions in place": (
        "Runnable r = () -> one(); F2 g = (A x, var y) -> { return x.go(y); };\n"
        "xs.filter(x -> x.ok()).map(X::name);",
        [
            "r: Runnable", "r = fn(<lambda>)", "g: F2", "g = fn(<lambda>)",
            "do fn(<lambda>)(each xs)", "do xs.filter(fn(<lambda>)).map(X.name)",
            "return one()", "return x.go(y)", "return x.ok()", "x = each xs",
        ],
    ),
    "loops": (
        "for (int i = one(), j = 0; two(i); i++, three()) four(); for (A x : five()) x.go();\n"
        "for (var y : six()) y.go(); do { seven(); } while (eight());"
        " a: while (nine()) continue a;",
        [
            "do seven()", "do eight()", "do nine()", "i: int", "do one()", "j: int", "do two(i)",
            "do three()", "do four()", "do five()", "x: A", "do x.go()", "y = each six()",
            "do y.go()",
        ],
    ),
    "expressions": (
        "var a = (A) one(); var b = two() ? three() : four(); assert five() : six();"
        " synchronized (seven()) { eight(); } var c = A.class; var d = -nine() + ~ten();\n"
        "O.this.go(); I.super.go(); eleven().<A>gen(this); java.util.List.of(b);\n"
        "@Mark(w()) final A z = a; return (A & B) twelve();",
        [
            "a = one() as A", "do two()", "b = (three() | four())", "do five()", "do six()",
            "do seven()", "do eight()", "c = type A", "do nine()", "do ten()", "d = ?",
            "do (a O).go()", "do (a I).go()", "do eleven().gen(self)", "do <java.util.List>.of(b)",
            "do Mark", "do w()", "z: A", "z = a", "return twelve() as A",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", SAID)
def test_statements_and_values(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = SAID[construct]
    assert said(f"class C {{ void f(X v) {{ {source} }} }}\n", "a.java", "C.f") == expected


def test_members_of_every_sort() -> None:
    """Enums with bodies, records, annotations and initialisers are defined with their types."""
    text = """
        package p.q;
        import static a.B.*; import static a.B.m; import c.D.E; import f.G; import h.*;
        /** Says. */
        @Ann(value = K.X, who = @Who(one())) public class C<T extends Dep> extends Base<T>
                implements I, J<K> {
            Dep d = two(), e[];
            static final Dep K = new Dep() { void in() { three(); } };
            static { four(); } { five(); }
            enum Color implements I { RED(six()) { void go() { seven(); } }, GREEN;
                Color(int x) { super(); } abstract void go(); }
            record Point(int x, Dep... ys) { Point { eight(x); } }
            @interface Mark { String value() default "x"; Class<?>[] cs() default {}; }
            sealed interface Shape permits A, B { default Dep dd() { return nine(); } }
            C(Dep dep) { this(dep, 1); }
            <U extends Dep> C(U u, int i) throws E { super(ten()); }
            @Test protected abstract <U> List<? super U> g(final U u, Dep... rest);
        }
    """
    assert defined(text, "a.java") == [
        "class C < Base[Dep] < I < J[K] [exported]", "variable C.d -> Dep",
        "variable C.e -> list[Dep]", "variable C.K -> Dep [static constant]",
        "class C.<anonymous> < Dep", "method C.<anonymous>.in", "class C.Color < I [enum]",
        "variable C.Color.RED [constant static]", "class C.Color.<anonymous> < fn(Color)",
        "method C.Color.<anonymous>.go", "variable C.Color.GREEN [constant static]",
        "method C.Color.Color(x: int) [constructor]", "method C.Color.go [abstract]",
        "class C.Point [struct]", "variable C.Point.x -> int", "variable C.Point.ys -> list[Dep]",
        "method C.Point.Point(x: int, *ys: Dep) [constructor]", "class C.Mark [interface]",
        "method C.Mark.value -> String [abstract]",
        "method C.Mark.cs -> list[Class[?]] [abstract]", "class C.Shape [interface]",
        "method C.Shape.dd -> Dep", "method C.C(dep: Dep) [constructor]",
        "method C.C(u: Dep, i: int) [constructor]",
        "method C.g(u, *rest: Dep) -> List[?] [test abstract]",
    ]  # fmt: skip
    lines = {*said(text, "a.java")}
    assert {
        "import a.B:*", "import <a.B> = a:B", "m = <a.B>.m", "import <c.D> = c:D", "E = <c.D>.E",
        "import G = f:G", "import h:*", "do Ann", "do K.X", "do Who", "do one()", "d = two()",
        "do three()", "do four()", "do five()", "RED = new fn(<anonymous>)(six())", "do seven()",
        "do eight(x)", "return nine()", "do self(dep, int)", "do super(ten())",
    } <= lines  # fmt: skip


TWO = """
class Lamp { void on() {} Lamp dim; }
class Other { void on() {} }
record Pair(int n, Lamp l) {}
"""


@each_row(
    "text",
    [
        "Lamp a, b; a = b = find(); a.on();",
        "if (x instanceof Pair(int n, var l)) l.on();",
        "switch (x) { case Pair(var n, var l): l.on(); default: }",
        "var l = switch (n) { case 1 -> new Lamp(); default -> null; }; l.on();",
        "var l = switch (n) { case 1: yield new Lamp(); default: yield null; }; l.on();",
        "var a = new Lamp[] { new Lamp() }; a[0].on();",
        "Lamp[] a = new Lamp[3]; for (var l : a) l.on();",
        "try (var l = new Lamp()) { l.on(); }",
        "xs.forEach((Lamp l) -> l.on());",
        "((Lamp) x).on();",
        "var l = n > 1 ? new Lamp() : null; l.on();",
        "new Pair(1, null).l.on();",
    ],
)
def test_objects_are_followed(text: str) -> None:
    """A method is found on an object that came by a pattern, a switch or a container."""
    body = f"class C {{ void f(Object x, int n) {{ {text} }} }}\n"
    found = {target for _, target in calls({"a.java": TWO + body})}
    assert "a.java:Lamp.on" in found
    assert "a.java:Other.on" not in found
