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
"""
IMPORTS = (
    "import { Conf, Inner, Other, Rule, Both, take, shape, handle, over, loose, maker, make, Panel,"
    " conf, Handler } from './t'\n"
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


def test_type_arguments_of_a_call_are_used(kit: memkit.Memkit, tmp_path: Path) -> None:
    """`f<T>()` uses T."""
    (tmp_path / "t.ts").write_text(DECLARED)
    (tmp_path / "u.ts").write_text(f"{IMPORTS}loose(1)\nmake<Other>()\n")
    kit.codegraph.index()
    lines = {node.via.line for node in kit.codegraph.references("t.ts::Other") if node.via}
    assert {3} <= lines
