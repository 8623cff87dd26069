"""Lines on which types, fields and overloads are named, as compilers know them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

import memkit
from memkit.codegraph.records import CodeResult, RelationKind


@pytest.fixture
def graph(kit: memkit.Memkit, tmp_path: Path) -> Callable[[dict[str, str]], memkit.Memkit]:
    """Write files beside the store and index them."""

    def indexed(files: dict[str, str]) -> memkit.Memkit:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        assert not kit.codegraph.index().failed
        return kit

    return indexed


def lines(result: CodeResult) -> set[tuple[str, int]]:
    """Return the path and the line of each edge of an answer, of overrides apart."""
    edges = [node.via for node in result if node.via]
    return {(edge.path, edge.line) for edge in edges if edge.kind != RelationKind.OVERRIDES}


JAVA = {
    "a/Base.java": """package a;
public class Base {
    protected String rest = "";
    String get(String key) { return key; }
    String rest() { return rest; }
    public enum Mode { FAST, SLOW }
    public static class Error extends Exception {}
    public static class Limits { public static final int TOP = 3; }
}
""",
    "a/Child.java": """package a;
import static a.Base.Limits.*;
import static a.Base.Mode.FAST;
import java.util.List;
public class Child extends Base
    implements Comparable<
        Base> {
    protected String rest;
    private final Object Limits = null;
    Child get(String key, boolean own) { return this; }
    void go(Child other, List<? extends Base> bases, Base.Mode mode) throws Base.Error {
        other.get("x");
        other.get("x", true);
        other.rest().trim();
        switch (mode) { case SLOW: break; case FAST: break; }
        int top = TOP;
    }
    <T extends Base.Error> void run(a.Base base, Limits limits) {}
    Child(List<String> rest) { this.rest = rest.toString(); }
    public int compareTo(Base base) { return 0; }
}
""",
}
JAVA_LINES = {
    "Base": {2, 3, 5, 7, 11, 18, 20},
    "Base.get": {12},
    "Child.get": {13},
    "Base.rest": {14, ("a/Base.java", 5)},
    "Child.rest": {19},
    "Mode.SLOW": {15},
    "Mode.FAST": {3, 15},
    "Base.Error": {11, 18},
    "Limits.TOP": {16},
    "Child.Limits": set(),
}


def test_java(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """A class is named by what is in it, in bounds and in `throws`; a call means an overload of a
    base, and no field; a case is a constant of the enum; a type is no field of its name."""
    kit = graph(JAVA)
    for name, expected in JAVA_LINES.items():
        wanted_lines = {at if isinstance(at, tuple) else ("a/Child.java", at) for at in expected}
        assert (name, lines(kit.codegraph.references(name))) == (name, wanted_lines)


GO = {
    "go.mod": "module m\n",
    "m.go": """package m

type Step func(int) Step
type Value struct{ Kind Kind }
type Kind int
type Named interface {
\tOther
\tName() string
}
type Other interface{ Size() int }

func walk(n int) Step {
\tif n > 3 {
\t\treturn walk
\t}
\treturn walk(n - 1)
}

func kinds(x any) Kind {
\tswitch x.(type) {
\tcase *Value, Named:
\t}
\tv := Value{
\t\tKind: 3,
\t}
\treturn v.Kind
}

const First = 1
const Last = 2

func names() map[int]string {
\tif First > 3 {
\t\treturn nil
\t}
\treturn map[int]string{
\t\tFirst: "first",
\t\tLast:  "last",
\t}
}
""",
}
GO_LINES = {
    "m.go::walk": {14, 16},
    "m.go::Value": {21, 23},
    "m.go::Named": {21},
    "m.go::Other": {7},
    "m.go::Kind": {4, 19},
    "Value.Kind": {24, 26},
    "m.go::First": {33, 37},
}


def test_go(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """A function may give itself on; cases of types and what an interface embeds name types; the
    key of a literal is a field, not the type of its name."""
    kit = graph(GO)
    for name, expected in GO_LINES.items():
        found = lines(kit.codegraph.references(name))
        assert (name, found) == (name, {("m.go", line) for line in expected})
    assert [node.name for node in kit.codegraph.unused("m.go", kind="function")] == [
        "walk",
        "kinds",
        "names",
    ]


RUST = {
    "Cargo.toml": '[package]\nname = "m"\nversion = "0.1.0"\n',
    "src/lib.rs": """pub mod buf;
pub use crate::buf::{Buf, Chain};
pub struct Fault;
pub enum State { Fault, Done }
impl State {
    fn check<'a>(name: &'a str) -> Result<Held<'a>, Fault> {
        let _ = size::<Fault>();
        if name.is_empty() { State::Fault; }
        Err(Fault)
    }
}
pub struct Held<'a> { name: &'a str, faults: Vec<Fault> }
impl<'a> std::fmt::Debug for Held<'a> {}
fn size<T>() -> usize where Option<T>: Into<Fault> { 0 }
""",
    "src/buf/mod.rs": (
        "mod base;\nmod chain;\npub use self::base::Buf;\npub use self::chain::Chain;\n"
    ),
    "src/buf/base.rs": "pub trait Buf {\n    fn left(&self) -> usize;\n}\n",
    "src/buf/chain.rs": """use crate::{
    Buf,
};
pub struct Chain<T> { a: T }
impl<T> Buf for Chain<T>
where
    T: Buf,
{
    fn left(&self) -> usize { self.a.left() }
}
impl Buf for Vec<u8> {}
""",
}
RUST_LINES = {
    "src/lib.rs::Fault": {("src/lib.rs", line) for line in (6, 7, 9, 12, 14)},
    "State.Fault": {("src/lib.rs", 8)},
    "src/lib.rs::State": {("src/lib.rs", 5), ("src/lib.rs", 8)},
    "src/lib.rs::Held": {("src/lib.rs", 6), ("src/lib.rs", 13)},
    "src/buf/chain.rs::Chain": {
        ("src/lib.rs", 2), ("src/buf/mod.rs", 4), ("src/buf/chain.rs", 5),
    },
    "src/buf/base.rs::Buf": {
        ("src/lib.rs", 2), ("src/buf/mod.rs", 3),
        *[("src/buf/chain.rs", line) for line in (2, 5, 7, 11)],
    },
}  # fmt: skip


def test_rust(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """Types are named within others, by `impl` and `use`, behind lifetimes and `::<`; a variant is
    not the type of its name; what a file takes over many others has its methods."""
    kit = graph(RUST)
    for name, expected in RUST_LINES.items():
        assert (name, lines(kit.codegraph.references(name))) == (name, expected)
    callers = kit.codegraph.callers("src/buf/base.rs::Buf.left")
    assert ("src/buf/chain.rs", 9) in lines(callers)


TYPESCRIPT = {
    "a.ts": """export type Aa = 'a'
export type Bb = 'a' | 'b'
export interface Obj { a: string; b: string }
export type Rest = Exclude<Bb, Aa>
export interface Part extends Omit<
  Obj,
  Aa
> { c: string }
export type Give = () => Obj
export type Given = ReturnType<Give>
export const v = { a: 'a', b: 'b' } satisfies
  Obj
export const list = (x: string) => [x] satisfies Bb[]
export const f = make(function inner(n: number) {
  if (n > 3) {
    return inner.name
  }
  return inner(n - 1)
})
export type Made = string | Obj
""",
    "b.ts": """import type { Rest } from './a'
import type { Made, Obj } from './a'
class Held {
  name = () => 1
  #name = () => 2
  $name = 3
  go() {
    this.name()
    this.#name()
    return [
      this.#name,
      this.$name,
      this.name,
    ]
  }
}
""",
    "c.ts": "import type { Made } from './a'\n",
}
TYPESCRIPT_LINES = {
    "Aa": {("a.ts", 4), ("a.ts", 7)},
    "Bb": {("a.ts", 4), ("a.ts", 13)},
    "Obj": {("b.ts", 2), *[("a.ts", line) for line in (6, 9, 12, 20)]},
    "Give": {("a.ts", 10)},
    "Rest": {("b.ts", 1)},
    "Made": {("b.ts", 2), ("c.ts", 1)},
    "inner": {("a.ts", 16), ("a.ts", 18)},
    "Held.name": {("b.ts", 8), ("b.ts", 13)},
    "Held.#name": {("b.ts", 9), ("b.ts", 11)},
    "Held.$name": {("b.ts", 12)},
}


def test_typescript(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """Each argument of a type is used, and what a value satisfies; a function reads its own name;
    who takes a type does not take those that it is made of; `#x` and `$x` are names apart."""
    kit = graph(TYPESCRIPT)
    for name, expected in TYPESCRIPT_LINES.items():
        assert (name, lines(kit.codegraph.references(name))) == (name, expected)
    assert [node.name for node in kit.codegraph.supertypes("Part")] == ["Obj"]


def test_held_functions(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """A function is read where its own name stands, not where a field of another name that holds it
    is; it is called through that field."""
    kit = graph(
        {
            "a.ts": "const missing = () => 1\nclass App {\n    #missing = missing\n"
            "    fallback = missing\n    go() {\n        take(this.#missing)\n"
            "        take(this.fallback)\n        this.#missing()\n    }\n}\n"
        }
    )
    assert lines(kit.codegraph.references("a.ts::missing")) == {
        ("a.ts", 3),
        ("a.ts", 4),
        ("a.ts", 8),
    }
    assert lines(kit.codegraph.references("App.#missing")) == {("a.ts", 6), ("a.ts", 8)}


def test_ambient_namespaces(
    graph: Callable[[dict[str, str]], memkit.Memkit], tmp_path: Path
) -> None:
    """What a file that only declares has is seen by every file, unless it is a module."""
    use = "export const a = (options: Host.Options): Host.Other.Inner => Host.open(options)\n"
    declared = (
        "declare namespace Host {\n    interface Options { name: string }\n"
        "    namespace Other { interface Inner {} }\n"
        "    export function open(options: Options): Other.Inner\n}\n"
    )
    kit = graph({"a.ts": use, "b.js": "exports.b = () => Host.open()\n"})
    (tmp_path / "host.d.ts").write_text(declared)
    assert not kit.codegraph.index().failed
    references = kit.codegraph.references
    assert lines(references("Host.Options")) == {("a.ts", 1), ("host.d.ts", 4)}
    assert lines(references("Other.Inner")) == {("a.ts", 1), ("host.d.ts", 4)}
    assert lines(references("Host.open")) == {("a.ts", 1), ("b.js", 1)}
    (tmp_path / "host.d.ts").write_text(declared + "export { Host }\n")
    assert not kit.codegraph.index().failed
    assert lines(references("Host.Options")) == {("host.d.ts", 4)}


def test_members_have_names(graph: Callable[[dict[str, str]], memkit.Memkit]) -> None:
    """Functions and classes without a name are no members of the class that they stand in."""
    kit = graph(
        {"A.java": "class A {\n    Runnable a = () -> {};\n    Runnable b = new A() {};\n}\n"}
    )
    assert [node.name for node in kit.codegraph.members("A")] == ["a", "b"]
