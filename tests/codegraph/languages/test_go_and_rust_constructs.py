"""Go and Rust: what each construct binds and gives, statement by statement."""

from __future__ import annotations

import pytest

from ..programs import calls
from ..spoken import defined, said

# Statements of a function → everything that they say.
GO = {
    "bindings": (
        "a, b := one(); x, ok := two().(T); y, ok2 := m[three()]; _, z := four(), five()\n"
        "a, v.X = six(), seven(); a += eight(); p.L[nine()] = 1; var g, h T = ten(), 2",
        [
            "(a, b) = one()", "x = two() as T", "ok = ?", "y = m[three()]", "ok2 = ?", "do four()",
            "z = five()", "a = six()", "v.X = seven()", "do eight()", "p.L[nine()] = int",
            "g: T", "h: T", "g = ten()", "h = int",
        ],
    ),
    "ranges": (
        "for k, w := range one() { w.Go(k) }\nfor _, w := range m { w.Go() }\n"
        "for x := range ch { x.Go() }\nfor range two() { three() }",
        [
            "<part> = one()", "k = each <part>", "w = <part>[?]", "do w.Go(k)",
            "do each m", "w = m[?]", "do w.Go()", "x = each ch", "do x.Go()",
            "do each two()", "do three()",
        ],
    ),
    "switches": (
        "switch b := one().(type) { case *T: b.Go(); case U, W: b.Go(); default: b.Go() }\n"
        "switch { case two(): fallthrough; case three() > 1: }",
        [
            "do two()", "do three()", "<part> = one()", "b = a T", "do b.Go()", "b = a (U | W)",
            "do b.Go()", "b = <part>", "do b.Go()",
        ],
    ),
    "channels": (
        "t := <-ch; <-one()\nselect { case b := <-two(): b.Go(); case <-three(): four(); "
        "case ch <- five(): ; case x, ok := <-ch: x.Go(ok); default: }",
        [
            "t = each ch", "do each one()", "b = each two()", "do b.Go()", "do each three()",
            "do four()", "do ch", "do five()", "x = each ch", "ok = ?", "do x.Go(ok)",
        ],
    ),
    "literals": (
        "a := []func() T{one}; a[0]().Go(); b := map[string]T{\"k\": two(), three(): four()}\n"
        "c := Named{five(): 1, \"k\": six(), X: seven()}; d := struct{ A T }{A: eight()}\n"
        "e := &T{X: nine(), Y: []U{{Z: ten()}}}",
        [
            "a = [one]", "do (a[int] | a)().Go()",
            "b = (a dict[(string, T)] | {'k': two(), three(): four()})",
            "do five()", "do label Named.X", "c = new Named(int, six(), X=seven())",
            "d = (a {'A': a T} | {'A': eight()})",
            "do label T.X", "do label T.Y", "do label U.Z",
            "e = new T(X=nine(), Y=(a list[U] | [new U(Z=ten())]))",
        ],
    ),
    "functions of the language": (
        "a := append(one(), two(), three()...); b := len(four()); c := make([]T, five())\n"
        "d := new(T); e := string(six()); f := []byte(seven()); g := (*T)(eight()); panic(nine())",
        [
            "a = (one() | [two(), *three()])", "do four()", "b = int", "do five()",
            "c = a list[T]", "d = a T", "do six()", "e = str", "f = seven() as list[byte]",
            "g = T(eight())", "do nine()",
        ],
    ),
    "conditions": (
        "if err := one(); err != nil { return } else if q := two(); q.Ok() { q.Go() }\n"
        "for i := three(); four(i); five() { six() }",
        ["err = one()", "q = two()", "do q.Ok()", "do q.Go()", "i = three()", "do four(i)",
         "do five()", "do six()"],
    ),
    "calls": (
        "go func(a T) { a.Go() }(one()); defer two().Close(); f(xs...); Gen[T](three()); "
        "Gen2[K, T](four()).Go(); T.Meth(five()); (six()).Go(); *p = seven(); -eight(); !nine()\n"
        "return one(), two()",
        [
            "do fn(<lambda>)(one())", "do two().Close()", "do f(*xs)", "do Gen(three())",
            "do Gen2(four()).Go()", "do T.Meth(five())", "do six().Go()", "nonlocal p",
            "p = seven()",
            "do eight()", "do nine()", "return (one(), two())", "do a.Go()",
        ],
    ),
}  # fmt: skip

RUST = {
    "bindings": (
        "let (a, _, b) = one()?; let S { x, y: Some(z), .. } = two();\n"
        "let (_, c, .., d) = three(); let Some(e) = four() else { return five() };\n"
        "let g: T = six().into();"
        "*self.p = seven(); self.x.y = v.w; xs[0] = eight(); c += nine(); let Q(_, h) = ten();",
        [
            "(a, ?, b) = one()", "x = (a S).x", "z = (a S).y", "do two()", "d = ?",
            "(?, c) = three()", "e = four()", "return five()", "g: T", "g = six().into()",
            "self.p = seven()", "self.x.y = v.w", "xs[int] = eight()", "do nine()", "h = (a Q).1",
            "do ten()",
        ],
    ),
    "matches": (
        "let w = match one() { P { x: a, ref b, .. } if a.ok() => a.go(), Q(_, Some(c)) => c.go(),"
        " E::K => two(), E::L(l) | E::M(l) => l.go(), [f, ..] => f.go(), n @ 1..=5 => n.go(),"
        " _ if three() => four(), (_, t) => t.go(), Some(s) => s.go(), Err(e) => e.go(),"
        " o => o.go() };",
        [
            "<part> = one()",
            "w = (a.go() | c.go() | two() | l.go() | f.go() | n.go() | four() | t.go() | s.go()"
            " | e.go() | o.go())",
            "a = (a P).x", "b = (a P).b", "do a.ok()", "c = (a Q).1", "do E.K",
            "l = ((a E.L).0 | (a E).L.0)", "l = ((a E.M).0 | (a E).M.0)", "(f) = <part>",
            "n = <part>", "do three()", "(?, t) = <part>", "s = <part>", "e = ?", "o = <part>",
        ],
    ),
    "branches that have values": (
        "let a = if let Some(i) = one() { i.go() } else if v.ok() { two() } else { three() };\n"
        "let b = { let inner = four(); inner.go() }; let c = loop { if five() { break six(); } };\n"
        "let d = unsafe { seven() }; let e = async { eight().await };",
        [
            "do v.ok()", "a = (i.go() | (two() | three()))", "b = inner.go()", "do five()",
            "c = six()", "d = seven()", "e = await eight()", "i = one()", "inner = four()",
        ],
    ),
    "loops": (
        "for (i, x) in one().iter().enumerate() { x.go(i); } for (k, w) in &v { w.go(); }\n"
        "for x in xs { x.go(); } while let Some(top) = two() { top.go(); } for _ in three() {}",
        [
            "(i, x) = (?, each one().iter())", "do x.go(i)", "<part> = each v",
            "k = (<part>[0] | <part>)", "w = (<part>[1] | v[?])", "do w.go()", "x = each xs",
            "do x.go()", "top = two()", "do top.go()", "do each three()",
        ],
    ),
    "closures": (
        "let a = |x: A, (b, c): (B, C), _, S { d, .. }| -> D { b.go(d) }; let e = move || one();\n"
        "xs.iter().for_each(|x| x.go());\n"
        "let f = two().map(|y| y.dep()).unwrap_or_else(|| three());",
        [
            "a = fn(<lambda>)", "e = fn(<lambda>)",
            "<part> = xs.iter()", "do fn(<lambda>)((each <part> | <part>))",
            "do <part>.for_each(fn(<lambda>))", "<part> = two()",
            "f = (<part>.map(fn(<lambda>)) | [fn(<lambda>)((each <part> | <part>))])"
            ".unwrap_or_else(fn(<lambda>))",
            "(b, c) = <part>", "d = (a S).d", "return b.go(d)", "return one()", "return x.go()",
            "x = (each <part> | <part>)", "return y.dep()", "y = (each <part> | <part>)",
            "return three()",
        ],
    ),
    "values": (
        "let a = S { a: one(), b, ..two() }; let c = (three(), four()).1; let d = [five(); 3];\n"
        "let e = six() as A; let f = seven()[eight()]; let g = &mut nine(); let h = *ten();\n"
        "let i = -one(); let j = Box::new(two()); let k = Arc::clone(&j); let l = vec![three()];",
        [
            "do label S.a", "do label S.b", "do two()", "a = new S(a=one(), b=b)",
            "c = (three(), four()).1", "d = [five(), int]",
            "e = six() as A", "f = seven()[eight()]", "g = nine()", "h = ten()", "do one()",
            "i = ?", "j = two()", "k = j", "l = [three()]",
        ],
    ),
    "calls": (
        "one::<A>(two()); x.meth::<B>(three()); <A as Tr>::make(four()); Self::new(five());\n"
        "let f: fn(A) -> B = g; println!(\"{}\", six(), y = seven()); my!(eight(), a.b(nine()));\n"
        "matches!(ten(), Some(_)); let z = format!(\"{}\", one())?; return Ok(two());",
        [
            "do a A", "do one(two())", "do a B", "do x.meth(three())", "do Tr.make(four())",
            "do C.new(five())",
            "f: Callable[([], B)]", "f = g", "do y", "do six()", "do seven()",
            "do my(eight(), a.b(nine()))", "do ten()", "do one()", "z = ?", "return two()",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", GO)
def test_statements_and_values_of_go(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = GO[construct]
    assert said(f"package a\nfunc F(v V) {{\n{source}\n}}\n", "a.go", "F") == expected


@pytest.mark.parametrize("construct", RUST)
def test_statements_and_values_of_rust(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = RUST[construct]
    text = f"impl C {{ fn f(&self, v: V, xs: &[X]) {{ {source} }} }}\n"
    assert said(text, "a.rs", "C.f") == expected


def test_types_of_go() -> None:
    """Results, receivers, variadics, embedded types and functions are types."""
    assert defined(
        "package a\ntype S[T any] struct { *Base; pkg.Other; A, b []T; F func(int) (T, error) }\n"
        "func (s *S[T]) M(a, b map[K]T, c ...chan U) (T, error) { return nil, nil }\n"
        "type I interface { Base; Do(f func(T) U) *T }\nfunc G[T Num](x [3]T) (n int) { return }\n",
        "a.go",
    ) == [
        "class S < Base < pkg.Other [struct exported]", "variable S.Base -> Base [exported]",
        "variable S.Other -> pkg.Other [exported]", "variable S.A -> list[?] [exported]",
        "variable S.b -> list[?]",
        "variable S.F -> Callable[([int], tuple[(?, error)])] [exported]",
        "method S.M(s: S, a: dict[(K, T)], b: dict[(K, T)], *c: list[U]) -> tuple[(T, error)]"
        " [exported]",
        "class I < Base [interface exported]",
        "method I.Do(_, f: Callable[([T], U)]) -> T [abstract exported]",
        "function G(x: list[Num]) -> int [exported]",
    ]  # fmt: skip


LAMP = {
    "go": (
        "package a\ntype Lamp struct{}\nfunc (l *Lamp) On() {}\ntype Other struct{}\n"
        "func (o *Other) On() {}\nfunc Both() (int, *Lamp) { return 1, nil }\n"
    ),
    "rs": (
        "struct Lamp;\nimpl Lamp { fn on(&self) {} }\nstruct Other;\n"
        "impl Other { fn on(&self) {} }\n"
        "fn both() -> (u8, Lamp) { (1, Lamp) }\n"
        "enum Kind { One(u8, Lamp), Two, Three { lamp: Lamp } }\n"
    ),
}


@pytest.mark.parametrize(
    "text",
    [
        "_, l := Both(); l.On()",
        "m := map[string]*Lamp{}; for _, l := range m { l.On() }",
        "var m map[*Lamp]int; for l := range m { l.On() }",
        "for _, l := range []*Lamp{} { l.On() }",
        "switch l := x.(type) { case *Lamp: l.On() }",
        "ch := make(chan *Lamp); select { case l := <-ch: l.On() }",
        "l, ok := x.(*Lamp); _ = ok; l.On()",
        "f := func() *Lamp { return nil }; f().On()",
        "xs := append([]*Lamp{}, nil); xs[0].On()",
    ],
)
def test_objects_of_go_are_followed(text: str) -> None:
    """A method is found on an object that came by a range, a switch, a channel or a map."""
    found = {target for _, target in calls({"a.go": f"{LAMP['go']}func F(x any) {{ {text} }}\n"})}
    assert "a.go:Lamp.On" in found
    assert "a.go:Other.On" not in found


@pytest.mark.parametrize(
    "text",
    [
        "let (_, l) = both(); l.on();",
        "match k { Kind::One(_, l) => l.on(), _ => {} }",
        "let l = Rc::new(RefCell::new(Lamp)); l.borrow().on();",
        "let l = loop { break Lamp; }; l.on();",
        "match k { Kind::Three { lamp, .. } => lamp.on(), _ => {} }",
        "let m: HashMap<u8, Lamp> = x; for (_, l) in &m { l.on(); }",
        "let o: Option<Lamp> = x; o.map(|l| l.on());",
        "let f = |(n, l): (u8, Lamp)| l.on(); f(both());",
        "let b = &Box::new(Lamp); (*b).on();",
        "let l = if let Some(x) = o { x } else { Lamp }; l.on();",
    ],
)
def test_objects_of_rust_are_followed(text: str) -> None:
    """A method is found on an object that came by a pattern, a closure or a wrapper."""
    found = {target for _, target in calls({"a.rs": f"{LAMP['rs']}fn f(k: Kind) {{ {text} }}\n"})}
    assert "a.rs:Lamp.on" in found
    assert "a.rs:Other.on" not in found
