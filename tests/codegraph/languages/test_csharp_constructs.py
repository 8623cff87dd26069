"""C#: what each construct binds and gives, statement by statement."""

from __future__ import annotations

from tests.tables import each_row

from ..programs import Sources, calls
from ..spoken import defined, said

# Statements of a method `F(X v)` → everything that they say.
SAID = {
    "taken apart": (
        "var (a, (b, _)) = One(); (int c, var (d, e)) = Two(); (v.P, f, a) = Three();\n"
        "foreach (var (k, w) in Four()) w.Go(); var t = (A: Five(), Six());",
        [
            "(a, (b, ?)) = One()", "c: int", "(c, (d, e)) = Two()", "(v.P, self.f, a) = Three()",
            "t = (Five(), Six())", "(k, w) = each Four()", "do w.Go()",
        ],
    ),
    "assignments as values": (
        "int a, b; a = b = One(); v.x = v.y = Two(); c = 1; d ??= Three(); e += Four();",
        [
            "a: int", "b: int", "b = One()", "a = b", "v.y = Two()", "v.x = v.y",
            "self.c = int", "self.d = Three()", "do e", "do Four()",
        ],
    ),
    "patterns": (
        "if (v is T { A: var q, B.C: { D: > 3 } } t && t.Ok(q)) One();\n"
        "if (Two() is (U u, var (x, y)) or [var f, .., var l] and not null) Three();",
        [
            "do T", "t: T", "q = (a T).A", "do t.Ok(q)", "do One()", "<part> = Two()", "do U",
            "u: U", "(x, y) = <part>[1]", "f = <part>[0]", "l = each <part>", "do Three()",
        ],
    ),
    "switches": (
        "switch (v) { case T t when t.Ok(): One(); goto case 2; case 2: Two(); break;\n"
        "case var o: o.Go(); break; case (1, var p): p.Go(); break; default: Three(); break; }\n"
        "var s = Four() switch { T t => t.A(), (var b, _) => b.C(), _ when Five() => Six(),"
        " _ => throw new E(Seven()) };",
        [
            "do Two()", "p = v[1]", "do p.Go()", "do Three()", "<part> = Four()", "do Five()",
            "do new E(Seven())", "s = (t.A() | b.C() | Six())", "do T", "t: T", "do t.Ok()",
            "do One()", "o = v", "do o.Go()", "do T", "t: T", "b = <part>[0]",
        ],
    ),
    "queries": (
        "var q = from r in One() let l = r.Len() where l.Ok() join j in Two() on r.K equals j.K"
        " into g orderby r.A select new { r, L = l.Sel(), r.N };\n"
        "var p = from T t in Three() from u in t.Us() group u by u.Key() into h select h.Go();",
        [
            "r = each One()", "l = r.Len()", "do l.Ok()", "j = each Two()", "do r.K", "do j.K",
            "g = [j]", "do r.A", "q = [{'r': r, 'L': l.Sel(), 'N': r.N}]", "do Three()", "t: T",
            "u = each t.Us()", "do u.Key()", "h = [u]", "p = [h.Go()]",
        ],
    ),
    "objects made": (
        "T t = new(One()) { A = Two(), [\"k\"] = Three(), B = { C = Four() } };\n"
        "var d = new D<K, T> { { Five(), 1 }, [Six()] = Seven() }; var w = v with { A = Eight() };",
        [
            "do Three()", "do Four()", "t: T", "t = new T(One(), A=Two())", "do [Five(), int]",
            "do Six()", "do Seven()", "d = new D[(K, T)]()", "do Eight()", "w = v",
        ],
    ),
    "arrays": (
        "var a = new[] { One(), 2 }; var b = new T[Two()]; var c = new T[] { new(Three()), d };\n"
        "int[] e = { Four() }; var f = a[1..^Five()]; List<T> g = [Six(), .. Seven()];",
        [
            "a = [One(), int]", "do Two()", "b = a list[T]", "c = [new T(Three()), d]",
            "e: list[int]", "e = [Four()]", "do Five()", "f = a[?]", "g: List[T]",
            "g = [Six(), *Seven()]",
        ],
    ),
    "functions in place": (
        "int L(int n) => n > 0 ? L(n - 1) : One(); Func<T, U> f = t => t.Two();\n"
        "f += (x, y) => { return Three(x); }; A a = delegate(T z) { Four(z); }; L(1);",
        [
            "def C.F.L", "f: Func[(T, U)]", "f = fn(<lambda>)", "a: A", "a = fn(<lambda>)",
            "do L(int)", "return (L(?) | One())", "return t.Two()", "return Three(x)",
            "do Four(z)",
        ],
    ),
    "given back": (
        "yield return One(); await Two(); var a = await Three().B(); if (v) yield break;\n"
        "return v?.A?.B(Four())?[Five()] ?? Six();",
        [
            "yield One()", "do await Two()", "a = await Three().B()",
            "return (v.A.B(Four())[Five()] | Six())",
        ],
    ),
    "blocks": (
        "using var a = One(); using (var b = Two()) b.Go(); lock (Three()) { Four(); }\n"
        "try { Five(); } catch (E e) when (e.Ok()) { e.Go(); throw; } finally { Six(); }\n"
        "for (int i = Seven(); Eight(i); i++) { } do { Nine(); } while (Ten()); again: goto again;",
        [
            "a = One()", "do Three()", "do Four()", "do Five()", "do Six()", "do Nine()",
            "do Ten()", "b = Two()", "do b.Go()", "do E", "e: E", "do e.Ok()", "do e.Go()",
            "i: int", "i = Seven()", "do Eight(i)",
        ],
    ),
    "members": (
        "var a = v?.B[One()].C; v?.Go(Two(), name: Three()); var d = v?[Four()]?.E();\n"
        "base.F(Five()); int.Parse(Six()); v.G<T>(Seven()); N.M<T>.S();"
        " var e = xs.Select(x => x.Go()).ToList();",
        [
            "a = v.B[One()].C", "do v.Go(Two(), name=Three())", "d = v[Four()].E()",
            "do super.F(Five())", "do ?(Six())", "do v.G(Seven())", "do N.M.S()",
            "e = (xs.Select(fn(<lambda>)) | [fn(<lambda>)(each xs)]).ToList()",
            "return x.Go()", "x = each xs",
        ],
    ),
    "arguments and casts": (
        "G(out var a, out T b, ref c, name: One()); a.Go(); var d = (T)Two();\n"
        "var e = Three() as T; default(T).Go(); var s = $\"{Four():x} {{}}\".Len();\n"
        "var y = typeof(T); nameof(Five);"
        "var h = checked(Six()); v!.Go(); N.M.Q<T>.Seven();",
        [
            "a = ?", "b: T", "do G(a, b, c, name=One())", "do a.Go()", "d = Two() as T",
            "e = Three() as T", "do (a T).Go()", "do Four()", "s = str.Len()", "y = type T",
            "h = Six()", "do v.Go()", "do N.M.Q.Seven()",
        ],
    ),
}  # fmt: skip


@each_row("construct", SAID)
def test_statements_and_values(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = SAID[construct]
    assert said(f"class C {{ void F(X v) {{ {source} }} }}\n", "a.cs", "C.F") == expected


def test_members_of_every_sort() -> None:
    """Properties, indexers, events, operators and constructors are defined with their types."""
    text = """
        [Serializable, Author(Who())]
        public partial class C(int start, Dep dep) : Base(Made(dep)), I<T> where T : Dep {
            public const int Most = One();
            public int P { get; set; } = Two();
            Dep Q { get { return d; } set { d = value; } }
            Dep R => d.Make();
            public Dep this[int i] { get => d; }
            event Handler E { add { Three(value); } remove { } }
            event Handler F;
            static C() { Four(); }
            ~C() { Five(); }
            public static C operator +(C a, C b) => a;
            public static implicit operator Dep(C a) => Six(a);
            abstract void G<U>(U u = default, params Y[] ys) where U : Dep;
        }
        record struct Point(int X, Dep Y = null) { }
        enum Color { Red = Seven(), Green }
        delegate Dep Maker(int i);
        interface I2 : I { Dep M(); }
    """
    assert defined(text, "a.cs") == [
        "class C < Base < I[Dep] [exported partial]",
        "method C.C(start: int, dep: Dep) [constructor]",
        "variable C.Most -> int [exported constant]", "variable C.P -> int [exported]",
        "method C.Q -> Dep [property]", "method C.R -> Dep [property]",
        "method C.this(i: int) -> Dep [exported]", "method C.E -> Handler [property]",
        "variable C.F -> Handler", "method C.C [static constructor]", "method C.~C",
        "method C.operator +(a: C, b: C) -> C [exported static]",
        "method C.operator Dep(a: C) -> Dep [exported static]",
        "method C.G(u: Dep = none, *ys: Y) [abstract]",
        "class Point [struct]", "method Point.Point(X: int, Y: Dep = none) [constructor]",
        "variable Point.X -> int", "variable Point.Y -> Dep", "class Color [enum]",
        "variable Color.Red [constant static]", "variable Color.Green [constant static]",
        "method Maker(i: int) -> Dep [abstract]", "class I2 < I [interface]",
        "method I2.M -> Dep [abstract]",
    ]  # fmt: skip
    lines = said(text, "a.cs")
    assert {"do super(Made(dep))", "do Who()", "Most = One()", "P = Two()", "return d.Make()"} <= {
        *lines
    }
    assert {"do Three(value)", "do Four()", "do Five()", "return Six(a)", "do Seven()"} <= {*lines}


def test_statements_of_a_file() -> None:
    """Top-level statements are those of the file, with their functions."""
    assert said("using N;\nvar a = One();\na.Go();\nint L() { return Two(); }\nL();\n", "a.cs") == [
        "import N:*", "def L", "a = One()", "do a.Go()", "do L()", "import *:*", "return Two()",
    ]  # fmt: skip


def test_global_using_holds_in_and_below_its_folder() -> None:
    """What one file uses globally is used by all files in and below its folder, by no other."""
    files = {
        "src/Usings.cs": (
            "global using Lib.Core;\nglobal using static Lib.Tools.Box;\n"
            "global using Al = Lib.Other.Thing;\n"
        ),
        "lib/Core.cs": "namespace Lib.Core; public class Foo { public static void M() {} }\n",
        "lib/T.cs": "namespace Lib.Tools; public class Box { public static void Put() {} }\n",
        "lib/O.cs": "namespace Lib.Other; public class Thing { public static void Go() {} }\n",
        "src/a/B.cs": "namespace App; class B { void F() { Foo.M(); Put(); Al.Go(); } }\n",
        "lib/X.cs": "namespace Two; class X { void F() { Foo.M(); Put(); Al.Go(); } }\n",
    }
    assert calls(files) == {
        ("src/a/B.cs:B.F", f"lib/{one}")
        for one in ("Core.cs:Foo.M", "T.cs:Box.Put", "O.cs:Thing.Go")
    }
    imported = Sources(files).edges("imports")
    assert ("src/a/B.cs:", "src/Usings.cs:") in imported
    assert ("lib/X.cs:", "src/Usings.cs:") not in imported


TWO = "class Lamp { public void On() {} public Lamp Dim; }\nclass Other { public void On() {} }\n"


@each_row(
    "text",
    [
        "Lamp a, b; a = b = Find(); a.On();",
        "if (x is (1, Lamp l)) l.On();",
        "if (x is Lamp { Dim: var l }) l.On();",
        "switch (Make()) { case var l: l.On(); break; }",
        "var s = x switch { Lamp l => l, _ => null }; s.On();",
        "var (n, l) = (1, new Lamp()); l.On();",
        "var q = from l in new[] { new Lamp() } select new { l }; q[0].l.On();",
        "var q = from l in new[] { new Lamp() } group l by l.Dim; foreach (var g in q)"
        " foreach (var l in g) l.On();",
        "var a = new Lamp[] { new() }; a[0].On();",
        "var l = Make() with { Dim = null }; l.On();",
        "Lamp L() => new(); L().On();",
        "(int n, Lamp l) = Both(); l.On();",
    ],
)
def test_objects_are_followed(text: str) -> None:
    """A method is found on an object that came by a pattern, a query or a container."""
    body = (
        f"class C {{ static Lamp Make() {{ return new Lamp(); }} void F(object x) {{ {text} }} }}\n"
    )
    found = {target for _, target in calls({"a.cs": TWO + body})}
    assert "a.cs:Lamp.On" in found
    assert "a.cs:Other.On" not in found
