"""Where the members of declared types are referred to, in what has its type from elsewhere."""

from __future__ import annotations

from pathlib import Path

import pytest

import memkit

DECLARED = """\
export interface Conf { name: string; hook?: () => void; run(n: number): void; inner: Inner }
export interface Inner { depth: number }
export interface Other { name: string }
export type Rule<T> = T | Inner
export type Both<T> = T & { extra: number }
export type Picked<T, M> = M extends [] ? T : never
export type Shape = Partial<{ part: Rule<boolean> }> & ({ a: 1 } | { b: 2 })
export type Handler<E> = (conf: Conf, e: E) => Inner
export interface Store<T> { get: () => T; sub: (f: () => void) => void }
export interface Maker { (f: (conf: Conf) => void): Picked<Store<number>, []> }
export type Making = { <T>(): (f: T) => Picked<Store<T>, []> }
export type View = { conf: Conf } & { render: (inner: Inner) => void }
export function take(conf: Conf, others?: Conf[]) {}
export function shape(shape: Shape) {}
export function handle(handler: Handler<number>) {}
export function over(conf: { name: string }): void
export function over(conf: Conf): void
export function over(conf: Other) {}
export function loose(conf: any) {}
export function maker(): Maker { throw 0 }
export const make = ((f: any) => f) as Making
export function Panel(view: View) { return null }
export declare const conf: Conf
export interface Opened { kind: 'open'; at: number }
export interface Shut { kind: 'shut' | 'gone'; at: number }
export type Change =
  | Opened
  | Shut
export function changed(change: Change) {}
export class Hub<L> { last: L; on(listener: L) {} all(): L[] { return [] } }
export class Bell extends Hub<(conf: Conf) => void> {}
export class Tray<X> extends Hub<X> {}
export interface Slot<T> { held: T }
export interface Keyed extends Both<Inner> { key: string }
export type Named<T> = Both<T>
export type Step<T, U = T> = (given: T) => U
export type Spread<T> = (...all: T[]) => void
export function run<T>(step: Step<T>): T { throw 0 }
export function each<T>(spread: Spread<T>) {}
export function built<T>(kind: new () => T): T { return new kind() }
export class Base { start(conf: Conf) {} }
export class Gauge { get level() { return 1 } set level(n) {} }
"""
IMPORTS = (
    "import { Conf, Inner, Other, Rule, Both, take, shape, handle, over, loose, maker, make, Panel,"
    " conf, Handler, changed, Bell, Tray, Slot, Keyed, Named, run, each, built, Base, Gauge } from"
    " './t'\n"
)

# Member → what uses it: lines that refer to it begin with `>`.
USES = {
    "a declared variable": ("Conf.name", ["const c: Conf = {", "> name: 'a', other: 1 }"]),
    "shorthand": ("Conf.name", ["const name = 'a'", "> const c: Conf = { name }"]),
    "a method": ("Conf.run", ["const c: Conf = {", "> run(n) {} }"]),
    "an argument": ("Conf.hook", ["take({", "> hook: () => {} })"]),
    "an inner literal": ("Inner.depth", ["take({ inner: {", "> depth: 1 } })"]),
    "elements": ("Conf.name", ["const c: Conf[] = [", "> { name: 'a' }, {", "> name: 'b' }]"]),
    "elements given": ("Conf.name", ["take(conf, [", "> { name: 'a' }])"]),
    "what is given back": ("Inner.depth", ["function f(): Inner {", "> return { depth: 1 } }"]),
    "of an arrow": ("Inner.depth", ["const f = (): Inner => ({", "> depth: 1 })"]),
    "of a promise": ("Inner.depth", ["async function f(): Promise<Inner> {",
                                     "> return { depth: 1 } }"]),
    "by the context of a function": ("Inner.depth", ["handle(() => ({", "> depth: 1 }))"]),
    "a choice": ("Inner.depth", ["const i: Inner = 1 ? {", "> depth: 1 } : {", "> depth: 2 }"]),
    "a cast": ("Inner.depth", ["const i = ({", "> depth: 1 }) as Inner"]),
    "as const": ("Inner.depth", ["const i: Inner = {", "> depth: 1 } as const"]),
    "satisfies": ("Inner.depth", ["const i = {", "> depth: 1 } satisfies Inner"]),
    "a field": ("Inner.depth", ["class A { i: Inner = {", "> depth: 1 } }"]),
    "of a union": ("Inner.depth", ["const r: Rule<boolean> = {", "> depth: 1 }"]),
    "of an argument of the type": ("Inner.depth", ["const b: Both<Inner> = {",
                                                   "> depth: 1, extra: 2 }"]),
    "of a structure with a name": ("Inner.depth", ["shape({ part: {", "> depth: 1 } })"]),
    "another type's key": ("Other.name", ["const c: Conf = { name: 'a' }"]),
    "nothing declared": ("Conf.name", ["loose({ name: 'a' })", "const c = { name: 'b' }"]),
    "an overload, not what implements it": ("Other.name", ["over({ name: 'a' })"]),
    "one of a union, by its constants": ("Shut.at", [
        "changed({ kind: 'open', at: 1 })", "changed({ kind: 'gone',", "> at: 2 })",
    ]),
    "all of a union that nothing tells apart": ("Shut.at", ["const c: { kind: string } & object",
                                                            "changed({ ...c,", "> at: 2 })"]),
    "what a base's argument takes": ("Conf.name", ["new Bell().on((c) =>", "> c.name)"]),
    "elements of an argument": ("Conf.name", ["function f(t: Tray<Conf>) {",
                                              "for (const c of t.all())", "> c.name }"]),
    "a field of an argument": ("Inner.depth", ["function f(s: Slot<Inner>) {", "> s.held.depth }"]),
    "a base with an argument that has another name": ("Inner.depth", ["function f(k: Keyed) {",
                                                                     "> k.depth }"]),
    "another name of another name": ("Inner.depth", ["function f(n: Named<Inner>) {",
                                                     "> n.depth }"]),
    "a type given to a call": ("Inner.depth", ["run<Inner>((i) => ({", "> depth: i",
                                               "> .depth }))"]),
    "what a call with a type gives": ("Inner.depth", ["run<Inner>((i) => i)", "> .depth"]),
    "the rest of what a function takes": ("Inner.depth", ["each<Inner>((a, b) =>", "> b.depth)"]),
    "a class that is given": ("Gauge.level", ["built(Gauge)", "> .level"]),
    "an accessor that is written": ("Gauge.level", ["const g = new Gauge()", "> g.level = 2"]),
    "an accessor in a pattern": ("Gauge.level", ["function f() {", "> const { level } =",
                                                 "new Gauge()", "> return level }"]),
    "what is spread": ("Conf.name", ["function f(c: Conf) { const all = { a: 1, ...c }",
                                     "> return all.name }"]),
    "what covers what is spread": ("Conf.name", ["function f(c: Conf) {",
                                                 "const all = { ...c, name: 'a' }",
                                                 "return all.name }"]),
    "an argument of the base's method": ("Conf.name", ["class A extends Base { start() {",
                                                       "super.start({", "> name: 'a' }) } }"]),
    "a default": ("Inner.depth", ["function f(i: Inner = {", "> depth: 1 }) {}"]),
    "a pattern": ("Conf.name", ["const s = conf", "> const { name: n } = conf", "n.at(0)"]),
    "a pattern's own name": ("Conf.name", [
        "function f(c: Conf) {", "> const { name } = c", "const o = {", "name: 1 }",
        "> return name.at(0) }",
    ]),
    "a parameter's pattern": ("Conf.name", ["const f = (", "> { name = 'a' }: Conf) =>", "> name"]),
    "a pattern in a pattern": ("Inner.depth", ["function f({ inner: {", "> depth } }: Conf) {}"]),
    "a call of what a pattern takes": ("Conf.hook", ["function f(", "> { hook }: Conf) {",
                                                     "> hook() }"]),
    "by a call signature": ("Conf.name", ["maker()((conf) =>", "> conf.name)"]),
    "what a call signature gives": ("Store.get", ["const s = maker()(() => {})", "> s.get()"]),
    "through a call that gives a function": ("Store.sub", ["const s = make<Inner>()(conf)",
                                                           "> s.sub(() => {})"]),
    "by another name of functions": ("Conf.name", ["const h: Handler<1> = (c) => {",
                                                   "> c.name }"]),
}  # fmt: skip
ELEMENTS = {
    "attributes": ("View.render", ["<Panel", "> render={() => {}} />"]),
    "literals in attributes": ("Inner.depth", ["<Panel conf={{ inner: {", "> depth: 1 } }} />"]),
    "functions in attributes": ("Inner.depth", ["<Panel render={(", "> { depth }) => {",
                                                "> depth }} />"]),
    "attributes of the page": ("Conf.name", ["<input name='a' />"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("suffix", "member", "lines"),
    [(".ts", *case) for case in USES.values()] + [(".tsx", *case) for case in ELEMENTS.values()],
    ids=[*USES, *ELEMENTS],
)
def test_members_are_referred_to_where_their_type_is_expected(
    kit: memkit.Memkit, tmp_path: Path, suffix: str, member: str, lines: list[str]
) -> None:
    """Keys, patterns and attributes are members of the type that stands around them."""
    (tmp_path / "t.ts").write_text(DECLARED)
    text = [line.removeprefix("> ") for line in lines]
    (tmp_path / f"u{suffix}").write_text(IMPORTS + "\n".join(text) + "\n")
    kit.codegraph.index()
    references = kit.codegraph.references(f"t.ts::{member}")
    edges = [node.via for node in references if node.via is not None]
    found = {edge.line - 1 for edge in edges if edge.path == f"u{suffix}"}
    assert found == {number for number, line in enumerate(lines, 1) if line.startswith("> ")}


def _lines(kit: memkit.Memkit, name: str, *, overrides: bool = False) -> set[int]:
    """Return the lines of `u.tsx` at which a symbol is referred to."""
    nodes = kit.codegraph.references(name, overrides=overrides)
    edges = [node.via for node in nodes if node.via is not None]
    return {edge.line for edge in edges if edge.path == "u.tsx"}


def test_fields_stand_for_those_of_bases(kit: memkit.Memkit, tmp_path: Path) -> None:
    """A field or a method has one name with the fields of its name that the bases have, if both are
    of objects, and with those that other classes have for them."""
    (tmp_path / "u.tsx").write_text(
        "export interface Dish { spice: string; cook: () => void }\n"  # 1
        "export interface Pan { spice: string }\n"  # 2
        "export class Soup implements Dish, Pan { spice = 'a'; cook() {} }\n"  # 3
        "export class Stew implements Dish {\n spice = 'b'\n cook = () => {} }\n"  # 4
        "export class Odd implements Dish {\n static spice = 1 }\n"  # 7
        "function f(s: Stew, p: Pan, o: Odd) {\n s.spice\n p.spice\n s.cook() }\n"  # 9
        "Odd.spice\n"  # 13
    )
    kit.codegraph.index()
    spice = _lines(kit, "u.tsx::Soup.spice", overrides=True)
    assert {1, 2, 5, 10, 11} <= spice
    assert not {8, 13} & spice
    assert {1, 6, 12} <= _lines(kit, "u.tsx::Soup.cook", overrides=True)
    assert _lines(kit, "u.tsx::Soup.spice") == set()


def test_names_on_other_lines(kit: memkit.Memkit, tmp_path: Path) -> None:
    """Names that a file lists for others, that an element closes with, that bases and their
    arguments say, and local functions with a type are references where they stand."""
    (tmp_path / "t.ts").write_text(
        "export interface Tile { a: 1 }\nexport class Wall<T> { t: T }\n"
    )
    (tmp_path / "u.tsx").write_text(
        "import { Tile, Wall } from './t'\n"  # 1
        "export {\n  Tile,\n  Wall }\n"  # 2
        "export class House\n  extends Wall<\n    Tile> {}\n"  # 5
        "export type Both = { b: 2 } &\n  Tile\n"  # 8
        "function Room(props: object) { return null }\n"  # 10
        "const view = <Room>\n  </Room>\n"  # 11
        "function f() {\n  const own: (n: number) => void = (n) => {}\n  const o = { own }\n"
        "  own(1) }\n"  # 13
    )
    kit.codegraph.index()
    assert _lines(kit, "t.ts::Tile") >= {1, 3, 7, 9}
    assert _lines(kit, "t.ts::Wall") >= {1, 4, 6}
    assert _lines(kit, "u.tsx::Room") >= {11, 12}
    assert _lines(kit, "u.tsx::f.own") >= {15, 16}


def test_type_arguments_of_a_call_are_used(kit: memkit.Memkit, tmp_path: Path) -> None:
    """`f<T>()` uses T."""
    (tmp_path / "t.ts").write_text(DECLARED)
    (tmp_path / "u.ts").write_text(f"{IMPORTS}loose(1)\nmake<Other>()\n")
    kit.codegraph.index()
    lines = {node.via.line for node in kit.codegraph.references("t.ts::Other") if node.via}
    assert {3} <= lines
