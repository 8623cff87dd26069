"""Every construct of Python, Go and Rust: which calls are seen in it and what it binds."""

from __future__ import annotations

from typing import Any

from ..programs import facts_of, kinds, symbols


def _names(target: Any) -> set[str]:
    if not target:
        return set()
    if target[0] == "name":
        return {target[1]}
    inner = target[1] if target[0] == "tuple" else target[1:] if target[0] == "star" else ()
    return {name for one in inner for name in _names(one)}


def _said(text: str, path: str) -> tuple[set[str], set[str]]:
    """Return the names that are called and the names that are bound."""
    facts = facts_of(text, path)
    called: set[str] = set()
    bound: set[str] = set()
    left: list[Any] = [facts.statements]
    left += [(one.params, one.decorators, one.bases) for one in facts.definitions]
    while left:
        term = left.pop()
        if term and term[0] in ("call", "new") and len(term) == 5 and term[1]:
            called.add(str(term[1][-1]))
        elif term and term[0] in ("bind", "declare"):
            bound |= _names(term[1])
        left += [part for part in term if isinstance(part, (tuple, list))]
    return called, bound


def _numbered(said: set[str], prefix: str) -> list[int]:
    return sorted(int(one[len(prefix) :]) for one in said if one[len(prefix) :].isdecimal())


def test_python_patterns_bind_and_read() -> None:
    """Patterns of every sort bind their names, and guards and bodies call."""
    source = """
        def f(value):
            match subject():
                case 1 | "two" | None | -3: c1()
                case [b1, (b2, *b3)]: c2()
                case {"key": b4, **b5}: c3()
                case m.Point(x=b6, y=Other(b7)) as b8 if c4(): c5()
                case int() as b9: c6()
                case b10: c7()
                case _: c8()
    """
    called, bound = _said(source, "a.py")
    assert "subject" in called
    assert _numbered(called, "c") == list(range(1, 9))
    assert _numbered(bound, "b") == list(range(1, 11))


def test_python_expressions_call() -> None:
    """F-strings, operators, comprehensions, slices and splats lose no call."""
    source = """
        async def f(*a, k: "int" = c1(), **kw):
            s = f"{c2()!r:>{c3()}} {c4()}" "tail" f"{c5()}"
            n = (1, 2.5, 3j, True, None, b"x", 'a', r"raw", ..., 0xFF)
            if (b1 := c6()) and not c7() or -c8(): pass
            l = [c9(x) async for x in c10() if c11()]
            d = {c12(): c13() for k in c14()} | {**c15(), "k": c16()}
            e = {c17() for y in z}
            g = c18(i for i in c19())
            t = c20() if c21() else c22()
            b2, *b3 = a[c23():c24():c25(), ...]
            b4 = lambda q=c26(): c27()
            await c28(*c29(), **c30())
            yield c31()
            async with c32() as b5, c33(): pass
            async for b6 in c34(): pass
            b7 = c35() + "x" + c36() < c37()
            b8 += c38()
            del d[c39()]
            assert c40(), c41()
            raise c42() from c43()
    """
    called, bound = _said(source, "a.py")
    assert _numbered(called, "c") == list(range(1, 44))
    assert _numbered(bound, "b") == list(range(1, 9))


def test_python_statements_and_definitions() -> None:
    """Decorators, aliases, generics, imports, scopes and handlers are said."""
    source = """
        import os.path, re as regex
        from . import near
        from ..far import thing as other
        from wide import *
        type Alias[T] = list[T]
        first, (second, THIRD) = c1()
        a1 = a2 = c2()
        class Box[T](Base[T], metaclass=c3()):
            @c4()
            @property
            def size(self) -> "int | None": return c5()
            def __init__(self): self.x: int = c6()
        def outer[T: int](x: T, /, *, y: T) -> T:
            def inner():
                nonlocal x
                global first
                yield from c7()
            try: c8()
            except (KeyError, ValueError) as error: c9()
            except* OSError: c10()
            else: c11()
            finally: c12()
            while c13(): break
            else: c14()
            for item in c15(): continue
            else: c16()
    """
    called, bound = _said(source, "a.py")
    facts = facts_of(source, "a.py")
    found = kinds(facts)
    said = [one for scope in facts.statements for one in scope]
    assert _numbered(called, "c") == list(range(1, 17))
    assert {"first", "second", "THIRD", "a1", "a2", "error", "item", "Alias"} <= bound
    assert found["Box.size"] == "method"
    assert found["outer.inner"] == "function"
    assert "property" in symbols(facts)["Box.size"].flags
    assert ("nonlocal", ("x",)) in said
    assert ("global", ("first",)) in said
    imported = {one[1:5] for one in said if one[0] == "import"}
    assert {("regex", "re", None, 0), ("", "os.path", None, 0)} <= imported
    assert {("near", "", "near", 1), ("other", "far", "thing", 2), ("", "wide", "*", 0)} <= imported


def test_go_statements_call_and_bind() -> None:
    """Switches, selects, loops, closures, channels and literals lose no call."""
    source = """
        package a
        func f(ch chan int) (r int, err error) {
            b1, b2 := c1()
            for b3, b4 := range c2() { c3(b3, b4) }
            for range c4() { c5() }
            for b5 := c6(); c7(); c8() { c9() }
            switch b6 := c10(); c11() { case c12(): c13(); default: c14() }
            switch b7 := c15().(type) { case int, string: c16(b7); case *T: c17(); default: c18() }
            switch c19().(type) { case int: c20() }
            select { case b8 := <-c21(): c22(b8); case ch <- c23(): c24(); default: c25() }
            go c26()
            defer func() { c27() }()
            b9 := map[string]T{"a": {c28(), 1}, "b": T{X: c29()}}
            b10 := []T{{c30(), 2.5}, {'x', nil}}
            b11 := struct{ A int }{A: c31()}
            b12 := append(c32(), c33())
            b13 := make([]int, c34())
            b14 := string(c35())
            b15 := c36().(T)
            b16 := []byte(c37())
            b17 := c38()[c39():c40()]
            b18 := -c41() + *c42()
            b1 += c43()
            var b19, b20 T = c44(), c45()
            if b21, ok := c46()[c47()]; ok && !c48() { return c49(), c50() }
            c51[int](c52())
            return (c53()), nil
        }
    """
    called, bound = _said(source, "a.go")
    assert _numbered(called, "c") == list(range(1, 54))
    assert set(_numbered(bound, "b")) == set(range(1, 22))


def test_go_declarations() -> None:
    """Constants, aliases, embedded types, generics and imports are defined."""
    source = """
        package a
        import ( . "dot"; _ "blank"; named "x/y" )
        const ( One = iota; Two )
        type Num interface { ~int | ~string; Do(f func(int) T) map[string]T }
        type Pair[K comparable, V Num] struct { *Base; pkg.Other; Key K; Fn func() V }
        type Alias = Pair[int, T]
        type List []T
        func (p *Pair[K, V]) Get(xs ...V) (k K) { return p.Key }
        func Map[T any](x [3]T, c <-chan T) T { return x[0] }
    """
    facts = facts_of(source, "a.go")
    found = kinds(facts)
    assert {"Pair.Base", "Pair.Other", "Pair.Key", "Pair.Fn", "One", "Two"} <= set(found)
    assert found["Pair.Get"] == found["Num.Do"] == "method"
    assert found["Alias"] == found["List"] == "class"
    assert symbols(facts)["Pair.Get"].params[1].sort == "*"
    imported = {one[1:4] for one in facts.statements[0] if one[0] == "import"}
    assert imported == {("", "dot", "*"), ("", "blank", None), ("named", "x/y", None)}


def test_rust_expressions_call_and_bind() -> None:
    """Branches, loops, patterns, closures, macros and blocks lose no call."""
    source = """
        async fn f(v: V) -> Result<u32, E> {
            let (b1, b2) = c1()?;
            let Some(b3) = c2() else { return c3() };
            if let Some(b4) = c4() { c5(b4) } else if c6() { c7() } else { c8() }
            while let Some(b5) = c9() { c10(b5); }
            for (b6, mut b7) in c11() { c12(); }
            for _ in c13() { break; }
            loop { c14(); }
            match c15() {
                P { x: b8, ref y, .. } if c16() => c17(),
                Q(b9, Some(b10)) => c18(),
                m::K => c19(),
                [b11, ..] | (b11, _) => c20(),
                b12 @ 1..=5 => { let b13 = c21(); c22(b13) }
                _ => c23(),
            };
            let b14 = |b, (c, d): (u8, u8)| -> T { c24(b) };
            let b15 = unsafe { let q = c25(); c26(q) };
            let b16 = async { c27() }.await;
            println!("{}", c28(c29()), x.c30()[c31()]);
            let b17 = vec![c32(), m::c33()];
            own!(c34(), S { a: c35() });
            let b18: T = S { a: c36(), ..c37() };
            let b19 = [c38(), (c39(), 2.5, true, 'c', "s").0];
            b19[c40()] = c41() as T;
            let b20 = &mut *c42::<T>();
            let b21 = c43() + c44();
            Err(c45())
        }
    """
    called, bound = _said(source, "a.rs")
    assert _numbered(called, "c") == list(range(1, 46))
    assert _numbered(bound, "b") == list(range(1, 22))
    assert "own" in called


def test_rust_items_and_uses() -> None:
    """Traits, impls, where bounds, macros and trees of `use` are defined."""
    source = """
        use std::{fmt::{self, Display as Shown}, io::*};
        use self::near::Thing;
        use near::*;
        extern crate alloc as heap;
        mod near { pub struct Thing; pub mod deep { use super::super::top; fn g() { super::h() } } }
        trait Shape<T> where T: Near { type Out; const N: u8 = c1(); fn area(&self) -> T; }
        impl<T> Shape<T> for [T] where T: Near + Far { fn area(&self) -> T { c2() } }
        impl Holder { const MAX: u8 = c3(); type Own = Holder; fn make() -> Self { Self::c4() } }
        fn top<F>(f: F, p: &dyn Near, t: (A, [B; 2]), m: HashMap<K, fn(u8) -> B>) where F: Far {}
        macro_rules! each { ($x:expr) => { c5($x) }; }
        static TABLE: [u8; 1] = [c6()];
    """
    facts = facts_of(source, "a.rs")
    found, defined = kinds(facts), symbols(facts)
    called, bound = _said(source, "a.rs")
    assert _numbered(called, "c") == list(range(1, 7))
    assert {"Shown", "Thing", "fmt"} <= bound
    assert {"near.deep.g", "Shape.Out", "Shape.N", "Holder.MAX", "Holder.Own", "TABLE"} <= set(
        found
    )
    assert found["Holder.make"] == "method"
    assert defined["each"].flags == ("macro",)
    assert [one.type for one in defined["top"].params[:2]] == [("name", "Far"), ("name", "Near")]
    imported = {one[1:3] for one in facts.statements[0] if one[0] == "import"}
    assert ("heap", "alloc") in imported


def test_python_annotations_are_terms() -> None:
    """Unions, literals, callables and checks of a type say which types are meant."""
    facts = facts_of(
        """
        def f(a: Union[A, m.B], b: Optional[C], c: Literal["x"], d: Callable[[A], C], e: "A | C"):
            if isinstance(a, (A, C)): pass
        """,
        "a.py",
    )
    one, two, three, four, five = (param.type for param in symbols(facts)["f"].params)
    both = ("either", (("name", "A"), ("name", "C")))
    assert one == ("either", (("name", "A"), ("attr", ("name", "m"), "B")))
    assert two == ("name", "C")
    assert three == ("const", "str", None)
    assert four[2] == ("tuple", (("tuple", (("name", "A"),)), ("name", "C")))
    assert five == both
    said = [one for scope in facts.statements for one in scope]
    assert ("narrow", ("name", "a"), both) in said
