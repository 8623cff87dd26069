"""JavaScript and TypeScript: what each construct binds and gives, statement by statement."""

from __future__ import annotations

import pytest

from tests.tables import each_row

from ..programs import calls
from ..spoken import defined, said

# Statements of a function `f(v, xs)` → everything that they say.
SAID = {
    "assignments as values": (
        "let a, b; a = b = one(); v.x = v.y = two(); b = h[three()] = four(); g(p().q = five());\n"
        "a ??= six(); a += seven(); h[k] = 8; if ((b = nine())) b.go(); const c = (a = ten());\n"
        "return cache[k] = new T();",
        [
            "a = ?", "b = ?", "b = one()", "a = b", "v.y = two()", "v.x = v.y", "<part> = four()",
            "h[three()] = <part>", "b = <part>", "<part> = five()", "p().q = <part>",
            "do g(<part>)", "a = six()", "do a", "do seven()", "h[k] = 8", "b = nine()", "do b",
            "do b.go()", "a = ten()", "c = a", "<part> = new T()", "cache[k] = <part>",
            "return <part>",
        ],
    ),
    "taken apart": (
        "const { a, b: { c = one() }, ...d } = two(); let [e, , [g = three()], ...h] = v;\n"
        "({ a: e, b: v.z } = four()); [e, v.w] = five();",
        [
            "<part> = two()", "a = <part>.a", "c = (<part>.b.c | one())", "d = <part>",
            "e = v[0]", "<part> = v[2]", "g = (<part>[0] | three())", "h = v",
            "<part> = four()", "e = <part>.a", "v.z = <part>.b",
            "<part> = five()", "e = <part>[0]", "v.w = <part>[1]",
        ],
    ),
    "loops": (
        "for (const [k, w] of v) w.go(); for (const [k, w] of one()) k.go();\n"
        "for (const [, w] of v.entries()) w.go(); for (const i in two()) three(i);\n"
        "for (const x of xs) x.go(); for (let i = four(); five(); six()) seven();\n"
        "a: while (eight()) { break a; } do nine(); while (ten());",
        [
            "do two()", "do eight()", "do nine()", "do ten()",
            "<part> = each v", "k = (<part>[0] | <part>)", "w = (<part>[1] | v[?])", "do w.go()",
            "<part> = one()", "<part> = each <part>", "k = (<part>[0] | <part>)",
            "w = (<part>[1] | <part>[?])", "do k.go()",
            "<part> = (v.entries() | [(?, v[?])])", "<part> = each <part>",
            "w = (<part>[1] | <part>[?])", "do w.go()",
            "i = ?", "do three(i)", "x = each xs", "do x.go()",
            "i = four()", "do five()", "do six()", "do seven()",
        ],
    ),
    "functions that collections call": (
        "xs.map(x => x.one()).filter(two).forEach((y, i) => y.go()); xs.sort((a, b) => b.go());\n"
        "xs.reduce((m, x) => m.add(x), three()); p.then(r => r.go(), e => four());",
        [
            "<part> = (xs.map(fn(<anonymous>)) | [fn(<anonymous>)(each xs) by xs.map])",
            "do two(each <part>) by <part>.filter", "<part> = <part>.filter(two)",
            "do fn(<anonymous>)((each <part> | <part>[?])) by <part>.forEach",
            "do <part>.forEach(fn(<anonymous>))",
            "do fn(<anonymous>)(each xs, each xs) by xs.sort", "do xs.sort(fn(<anonymous>))",
            "do fn(<anonymous>)(?, each xs) by xs.reduce", "do xs.reduce(fn(<anonymous>), three())",
            "do (p.then(fn(<anonymous>), fn(<anonymous>)) | fn(<anonymous>)(await p) by p.then"
            " | fn(<anonymous>)(await p) by p.then)",
            "return x.one()", "x = each xs", "return y.go()", "y = (each <part> | <part>[?])",
            "return b.go()", "a = each xs", "b = each xs", "return m.add(x)", "x = each xs",
            "return r.go()", "r = await p", "return four()", "e = await p",
        ],
    ),
    "functions in place": (
        "const a = function named(n) { return n ? named(n - 1) : one(); };\n"
        "const b = async x => await x.go(); (function () { two(); })(); (() => three())();\n"
        "const c = class Named extends B { m() { four(); } }; new c().m();",
        [
            "def f.a", "def f.b", "do fn(<anonymous>)()", "do fn(<anonymous>)()", "def f.c",
            "do new c().m()", "named = fn(a)", "do n", "do n", "return (named(?) | one())",
            "return await x.go()", "do two()", "return three()", "Named = fn(c)", "def f.c.m",
            "do four()",
        ],
    ),
    "objects": (
        "const o = { v, b: one(), [two()]: three(), m() { return this.b; },\n"
        "get g() { return 4; }, f: function () { five(); }, ...six(), \"s\": 1, 2: seven() };\n"
        "o.b.go(); new Foo;",
        [
            "o = {'v': v, 'b': one(), two(): three(), 'm': fn(m), 'g': fn(g), 'f': fn(f),"
            " *six(), 's': 1, 2: seven()}",
            "do o.b.go()", "do new Foo()", "return self.b", "return 4", "do five()",
        ],
    ),
    "functions that take the name of their place": (
        "A.prototype.go = function () { one(); }; v[\"k\"] = () => two(); v[key] = () => three();\n"
        "this.x = () => four(); A.b.c = class { m() { five(); } }; p().q = function named() { };\n"
        "const o = { a: { b() { six(); } }, get [x]() { return seven(); } };",
        [
            "A.go = fn(go)", "v.k = fn(k)", "v[key] = fn(<anonymous>)", "self.x = fn(x)",
            "A.b.c = fn(c)", "p().q = fn(q)", "o = {'a': {'b': fn(b)}, x: fn([x])}", "do one()",
            "return two()", "return three()", "return four()", "def f.c.m", "do five()",
            "named = fn(q)", "do six()", "return seven()",
        ],
    ),
    "members that are mixed in": (
        "Object.assign(v, one(), { k: two() }); const a = Object.create(three(), four());\n"
        "throw Object.assign(new E(five()), v); B.prototype = new C();",
        [
            "<part> = one()", "v < <part>", "<part> = {'k': two()}", "v < <part>", "do v",
            "do four()", "a = three()", "<part> = new E(five())", "<part> < v", "do <part>",
            "<part> = new C()", "B < <part>",
        ],
    ),
    "calls": (
        "f.call(this, one()); f.apply(null, [two()]); const b = f.bind(this, three());\n"
        "v?.a?.[four()]?.(five())?.b; new (six())(seven()); tag`x${eight()}`; g(...nine());\n"
        "const i = await import(\"m\"); const r = require(\"n\").sub; const e = Object.values(v);",
        [
            "do f(one())", "do f(*[two()])", "do three()", "b = f", "do v.a[four()](five()).b",
            "do new six()(seven())", "do eight()", "do tag()", "do g(*nine())", "import <m> = m",
            "i = await <m>", "import <n> = n", "r = <n>.sub", "e = (Object.values(v) | [v[?]])",
        ],
    ),
    "operators": (
        "const t = `a${one()}b${`n${two()}`}`, u = typeof three(), d = delete v[four()];\n"
        "const c = v ? five() : six(), l = seven() || eight() ?? nine(); (ten(), v).go(); ++v.n;\n"
        "if (v instanceof T) v.on(); const n = !eleven(), r = /x/.test(twelve()); new.target;",
        [
            "do one()", "do two()", "t = str", "do three()", "u = ?", "do v[four()]", "d = ?",
            "do v", "c = (five() | six())", "l = (seven() | eight() | nine())", "do ten()",
            "do v.go()", "do v.n", "do v", "do T", "v is T", "do v.on()", "do eleven()", "n = ?",
            "r = regex.test(twelve())",
        ],
    ),
    "blocks": (
        "try { one(); } catch ({ message }) { message.go(); } finally { two(); }\n"
        "switch (three()) { case four(): let z = five(); z.go(); default: six(); }\n"
        "try { } catch { seven(); } throw new E(eight());",
        [
            "do one()", "do two()", "do three()", "do seven()", "do new E(eight())",
            "message = ?.message", "do message.go()", "do four()", "z = five()", "do z.go()",
            "do six()",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", SAID)
def test_statements_and_values(construct: str) -> None:
    """Each construct says what it evaluates, binds and gives, and nothing else."""
    source, expected = SAID[construct]
    found = said(f"async function f(v, xs) {{ {source} }}\n", "a.js", "f")
    assert [one for one in found if not one.startswith("global")] == expected


TYPED = {
    "casts": (
        "const a = one() satisfies A, b = two() as unknown as A, c = <A>three(), d = four()!;\n"
        "const e = v as const, g = five<A>(v), h = new Map<string, A>(), i = new Box<A>(six());",
        [
            "do a A", "a = one()", "b = two() as A", "c = three() as A", "d = four()", "e = v",
            "do a A", "g = five(v)", "h = new Map() as Map[(string, A)]",
            "i = new Box(six()) as Box[A]",
        ],
    ),
    "declared types": (
        "let a: A | null = one(), b: A[] = [], c: (x: A) => B = x => x.go(), d: [A, B];\n"
        "const { p, q: [r] }: O = two(); let e: N.M.T<A>, g: readonly A[], h: Promise<A>;",
        [
            "a: A", "a = one()", "b: Array[A]", "b = []", "def f.c", "c: Callable[((A), B)]",
            "d: tuple[(A, B)]", "<part> = two() as O", "p = <part>.p", "(r) = <part>.q",
            "e: N.M.T[A]", "g: Array[A]", "h: A", "return x.go()", "do a Callable[((A), B)]",
        ],
    ),
}  # fmt: skip


@pytest.mark.parametrize("construct", TYPED)
def test_statements_with_types(construct: str) -> None:
    """Types of variables and casts are said, those of functions with what they take."""
    source, expected = TYPED[construct]
    assert said(f"function f(v) {{ {source} }}\n", "a.ts", "f") == expected


MODULES = {
    'import x = require("m");': ["import x = m"],
    'import * as n from "m"; import d, { "s n" as s, type T } from "m";': [
        "import n = m", "import d = m:default", "import s = m:s n", "import T = m:T",
    ],
    'import type { T } from "m"; import "side"; import y = N.Q;': [
        "import T = m:T", "import side", "y = N.Q",
    ],
    'export * as all from "m"; export * as "q n" from "m"; export * from "m";': [
        "export all = m:*", "export q n = m:*", "export * = m:",
    ],
    'export { s as "o n", def as default } from "m"; export { x as y };': [
        "export o n = m:s", "export default = m:def", "export y = x",
    ],
    "export = x;": ["export = = x", "export default = x"],
    "export default abstract class D {}": ["def D", "export default = D"],
    "export default function () { return 1 }": [
        "default = fn(<anonymous>)", "export default = default", "return 1",
    ],
    "export const { a, b: [c] } = v; export let d = 1, e;": [
        "export a = a", "export c = c", "a = v.a", "(c) = v.b", "export d = d", "d = 1",
        "export e = e", "e = ?",
    ],
    "export import z = N.R; export type { T };": ["z = N.R", "export z = z", "export T = T"],
    'declare module "m" { export function g(a: A): B; }': ["def g", "export g = g"],
    "export namespace N.M { export const c = one(); }": [
        "def N", "export N = N", "def N.M", "c = one()",
    ],
    "module.exports = { a, b: one(), m() {} }; exports.c = two();": [
        "exports.a = a", "export a = exports.a", "exports.b = one()", "export b = exports.b",
        "exports.m = fn(m)", "export m = exports.m",
        "module.exports = {'a': exports.a, 'b': exports.b, 'm': exports.m}",
        "export = = module.exports", "export default = module.exports",
        "export c = exports.c", "exports.c = two()",
    ],
    'const a = require("m"), { b, c: d } = require("n");': [
        "import a = m", "import b = n:b", "import d = n:c",
    ],
}  # fmt: skip


@each_row("text", MODULES)
def test_imports_and_exports(text: str) -> None:
    """Each form of import and export says its names, module by module."""
    assert said(f"{text}\n", "a.ts") == MODULES[text]


def test_members_of_every_sort() -> None:
    """Private members, accessors, generators, static blocks and overloads are defined."""
    text = """
        @dec(one()) export abstract class C<T extends Dep> extends Base<T> implements I, J<A> {
            #p: A = two(); static s = three(); declare d: A; readonly [Symbol.iterator] = four();
            static { five(); }
            @inp() in: A;
            constructor(private readonly a: A, public b = six(), @Inject(TOK) c?: C) { super(7); }
            get g(): A { return this.#p; } set g(v) { this.#p = v; }
            static async *gen(): AsyncGenerator<A> { yield* eight(); yield nine(); }
            abstract ab(): A; #priv() { return ten(); } "quoted"() {} [computed()]() {}
            m = (x: A) => x.go(); h: (a: A) => void = a => a.go();
            over(a: string): A; over(a: any) { }
        }
    """
    assert defined(text, "a.ts") == [
        "class C < Base < Base[<class 0: Dep>] < I < J[A] [exported abstract]",
        "variable C.#p -> A [private]",
        "variable C.s [static]", "variable C.d -> A", "variable C.[Symbol.iterator] [constant]",
        "variable C.in -> A", "method C.constructor(a: A, b, c: C) [constructor]",
        "variable C.a -> A [private]", "variable C.b", "method C.g -> A [property]",
        "method C.g(v) [property]", "method C.gen -> AsyncGenerator[A] [static async generator]",
        "method C.ab -> A [abstract]", "method C.#priv [private]", "method C.quoted",
        "method C.[computed()]", "method C.m(x: A)", "method C.h(a: A)",
        "method C.over(a: string) -> A [overload]", "method C.over(a)",
    ]  # fmt: skip
    lines = {*said(text, "a.ts")}
    assert {
        "#p = two()", "s = three()", "[Symbol.iterator] = four()", "do five()", "b = six()",
        "self.a = a", "self.b = b", "yield each eight()", "yield nine()", "return ten()",
        "return self.#p", "self.#p = v", "return x.go()", "return a.go()", "do Inject(TOK)",
        "do computed()",
    } <= lines  # fmt: skip


def test_declarations_of_types() -> None:
    """Interfaces, aliases, enums, overloads and namespaces in parts are defined."""
    text = """
        interface I extends J<A>, K { (x: A): B; readonly m: A; n?(x: B): C; get acc(): A; }
        type Fn = (a: A) => B; type U = A | B | null; type O = { a: A; b(): B } & P;
        type G<T extends A = B> = T[]; type Cond<T> = T extends A ? B : C;
        enum E { A = one(), B, "C" = 3 }
        declare global { interface Window { z: Z } }
        function over(a: string): A; function over(a: any) { return two(a); }
        function isA(this: C, x: any, ...r: A[]): x is A { return true }
        namespace N { export class W {} } namespace N { export const q = 1 }
    """
    assert defined(text, "a.ts") == [
        "class I < J[A] < K [interface]", "variable I.m -> A [constant]",
        "method I.n(x: B) -> C [overload]", "method I.acc -> A [property overload]",
        "class Fn [alias]", "class U [alias]", "class O < P [interface alias]",
        "variable O.a -> A", "method O.b -> B [overload]", "class G [alias]",
        "class Cond [alias]", "class E [enum]", "variable E.A [constant]",
        "variable E.B [constant]", "variable E.C [constant]", "class Window [interface]",
        "variable Window.z -> Z", "function over(a: string) -> A [overload]", "function over(a)",
        "function isA(x, *r: A) -> ?[A]", "class N [namespace]", "class N.W [exported]",
        "class N [namespace]", "variable N.q [constant exported]",
    ]  # fmt: skip


def test_elements_are_calls() -> None:
    """A component is called with one object; its children and spread attributes are in it."""
    text = """
        function f(v) {
            return <ns.Box a={one()} {...two()} flag b="s"><Item>{three()}</Item><p>x</p></ns.Box>;
        }
        function g() { return <><Item/>{v.map(x => <Item key={x.id()} />)}</>; }
    """
    assert said(text, "a.jsx", "f") == [
        "return ns.Box({'a': one(), *two(), 'flag': bool, 'b': 's',"
        " 'children': [Item({'children': [three()]}), {}]})"
    ]  # fmt: skip
    assert said(text, "a.jsx", "g") == [
        "return {'children': [Item({}), (v.map(fn(<anonymous>))"
        " | [fn(<anonymous>)(each v) by v.map])]}",
        "return Item({'key': x.id()})", "x = each v",
    ]  # fmt: skip


TWO = "class A { go() {} }\nclass B { go() {} }\n"


@each_row(
    "text",
    [
        "function f(xs: A[]) { xs.map(x => x.go()) }",
        "function f(xs: Map<string, A>) { xs.forEach(x => x.go()) }",
        "function f(xs: Map<string, A>) { for (const [k, x] of xs) x.go() }",
        "function f(xs: Map<string, A>) { for (const [, x] of xs.entries()) x.go() }",
        "function f(xs: Record<string, A>) { for (const [k, x] of Object.entries(xs)) x.go() }",
        "function f(xs: Record<string, A>) { Object.values(xs).map(x => x.go()) }",
        "function f(xs: [string, A][]) { for (const [k, x] of xs) x.go() }",
        "function f(xs: A[]) { xs.sort((a, b) => b.go()) }",
        "function f(xs: A[]) { xs.reduce((m, x) => { x.go(); return m }, 0) }",
        "function f(p: Promise<A[]>) { p.then(xs => xs.map(x => x.go())) }",
        "function f({ a, b: { c } }: { a: A; b: B }) { a.go() }",
        "function f({ a: z = null }: { a: A }) { z.go() }",
        "function f(cb: () => A) { cb().go() }",
        "function f(...xs: A[]) { xs[0].go() }",
        "const f: (a: A) => void = x => x.go()",
        "type H = (a: A) => void\nconst f: H = x => x.go()",
        "interface H { (a: A): void }\nconst f: H | null = x => x.go()",
        "class C { f: (a: A) => void = x => x.go() }",
        "const c = {}; function f(k) { return c[k] = new A() }\nf(1).go()",
        "const xs = new Map<string, A>(); xs.get('a').go()",
        "function f(x: [B, y: A]) { const [b, a] = x; a.go() }",
        "class Bus<L> { on(f: (x: L) => void) {} }\nfunction f(e: Bus<A>) { e.on(x => x.go()) }",
        "class Bus<L> { all(): L[] { return [] } }\nclass E<X> extends Bus<X> {}\n"
        "function f(e: E<A>) { for (const x of e.all()) x.go() }",
        "class Bus<L> { one(): L { throw 0 } }\nfunction f(e: Bus<A>) { e.one().go() }",
        "interface Box<L> { val: L }\nfunction f(b: Box<A>) { b.val.go() }",
        "type H<T> = (x: T) => void\nfunction f(h: H<A>) {}\nf(x => x.go())",
        "interface H<T> { (x: T): void }\nconst f: H<A> = x => x.go()",
        "function get<T>(k: new () => T): T { throw 0 }\nget(A).go()",
        "function same<T>(x: T): T { return x }\nsame(new A()).go()",
        "function made<T>(f: () => T): T { return f() }\nmade(() => new A()).go()",
        "interface Key<T> { t: T }\nfunction get<T>(k: Key<T>): T { throw 0 }\n"
        "function f(k: Key<A>) { get(k).go() }",
        "function get<T>(): T { throw 0 }\nget<A>().go()",
        "function use<T>(f: (x: T) => void) {}\nuse<A>(x => x.go())",
        "function use(f: (...xs: A[]) => void) {}\nuse((x, y) => y.go())",
    ],
)
def test_objects_are_followed(text: str) -> None:
    """A method is found on an object that a callback, a mapping or a type brings."""
    found = {target for _, target in calls({"a.ts": f"{TWO}{text}\n"})}
    assert "a.ts:A.go" in found
    assert "a.ts:B.go" not in found
