"""Functions in place that are given to declared functions: what they are called with is known."""

from __future__ import annotations

from pathlib import Path

import pytest

from memkit.codegraph.analysis import default_analysis

from ..programs import calls
from ..trees import Tree

DECLARED = """\
export class Event { save() {} }
export class Other { save() {} }
export type Handler = (n: number, e: Event) => void
export function on(name: string, cb: (e: Event) => void) {}
export function maybe(cb?: Handler | null) {}
export function loose(cb: any) {}
export class Bus { each(cb: Handler): void {} }
"""
IMPORTS = "import { on, maybe, loose, Bus, Other } from './t'\n"


@pytest.mark.parametrize(
    ("used", "saved"),
    [
        ("on('x', (e) => e.save())", "Event"),
        ("on('x', e => { e.save() })", "Event"),
        ("on('x', async function (e) { e.save() })", "Event"),
        ("maybe((n, e) => e.save())", "Event"),
        ("new Bus().each((n, e) => e.save())", "Event"),
        ("on('x', (e: Other) => e.save())", "Other"),
        ("on('x', (a, e) => e.save())", ""),
        ("on((e) => e.save())", ""),
        ("loose((e) => e.save())", ""),
        ("unknown((e) => e.save())", ""),
    ],
)
def test_callback_parameters_have_the_types_that_the_callee_declares(used: str, saved: str) -> None:
    """A parameter without a type has that which the callee declares for it."""
    made = calls({"t.ts": DECLARED, "u.ts": f"{IMPORTS}{used}\n"})
    found = {target for _, target in made if target.endswith(".save")}
    assert found == ({f"t.ts:{saved}.save"} if saved else set())


@pytest.mark.parametrize(
    ("used", "saved"),
    [
        ("app.get('/x', mw, (e) => e.save())", {"Event"}),
        ("app.get(mw, mw, (e) => e.save())", {"Event"}),
        ("app.on(mw, (e) => e.save())", {"Other"}),
        ("app.on((e) => e.save(), mw)", {"Event"}),
    ],
)
def test_the_rest_of_parameters_has_a_type_for_each_place(used: str, saved: set[str]) -> None:
    """A rest parameter of a tuple type says of each argument what it is, in each overload."""
    declared = """
        export class Event { save() {} }
        export class Other { save() {} }
        type H = (e: Event) => void
        export interface Get { (h: H): void; (...hs: [H, H, H]): void;
          <M extends string, N extends H>(path: M, ...hs: [H & N, H]): void }
        export interface On { (...hs: [H, (e: Other) => void]): void }
        export class App { get!: Get; on!: On }
    """
    made = calls(
        {"t.ts": declared, "u.ts": f"import {{ App }} from './t'\nconst app = new App()\n{used}"}
    )
    found = {target for _, target in made if target.endswith(".save")}
    assert {name.removeprefix("t.ts:").removesuffix(".save") for name in found} == saved


def test_another_declared_type_is_followed(tmp_path: Path) -> None:
    """A call in a function in place is linked anew when the callee declares something else."""
    texts = [DECLARED, DECLARED.replace("cb: (e: Event)", "cb: (e: Other)")]
    graphs = []
    for name, steps in (("edited", texts), ("whole", texts[1:])):
        (tmp_path / name).mkdir()
        tree = Tree(tmp_path / name, default_analysis)
        tree.put("u.ts", f"{IMPORTS}on('x', (e) => e.save())\n")
        for text in steps:
            tree.put("t.ts", text)
            tree.index()
        graphs.append(tree.graph()["edges"])
    assert graphs[0] == graphs[1]


@pytest.mark.parametrize(
    "used",
    [
        "const f: Handler = (n, e) => e.save()",
        "const f = ((n, e) => e.save()) satisfies Handler",
        "const f = ((n, e) => e.save()) as Handler",
        "const o: Held = { run(n, e) { e.save() } }",
        "const o: Held = { run: (n, e) => e.save() }",
        "const o: Held = { inner: { met(e) { e.save() } } }",
        "const o = { run(n, e) { e.save() } } satisfies Held",
        "held({ run(n, e) { e.save() } })",
        "held({ inner: { met: (e) => e.save() } })",
        "new Bus({ run(n, e) { e.save() } })",
        "class A { f: Handler = (n, e) => e.save() }",
    ],
)
def test_inline_functions_take_types_declared_in_other_files(used: str) -> None:
    """What a declared type says of a function or an object holds for one that is written there."""
    declared = """
        export class Event { save() {} }
        export class Other { save() {} }
        export type Handler = (n: number, e: Event) => void
        export interface Held { run: Handler; inner: { met(e: Event): void } }
        export function held(one: Held) {}
        export class Bus { constructor(one: Held) {} }
    """
    made = calls(
        {"t.ts": declared, "u.ts": f"import {{ held, Bus, Handler, Held }} from './t'\n{used}"}
    )
    assert {target for _, target in made if target.endswith("save")} == {"t.ts:Event.save"}


@pytest.mark.parametrize(
    "used", ["new Bus((e) => e.save())", "new Bus(x ? (e) => e.save() : (e) => e.save())"]
)
def test_functions_passed_to_initialisers_are_called_as_declared(used: str) -> None:
    """A function that is given to an initialiser is called with what that declares."""
    declared = """
        export class Event { save() {} }
        export class Other { save() {} }
        export class Bus { constructor(run: (e: Event) => void) {} }
    """
    made = calls({"t.ts": declared, "u.ts": f"import {{ Bus }} from './t'\n{used}"})
    assert ("u.ts:<anonymous>", "t.ts:Event.save") in made


@pytest.mark.parametrize(
    "kind",
    [
        "typeof one", "ReturnType<typeof make>", "InstanceType<typeof A>", "Held['a']",
        "Pick<A, 'go'>", "Omit<A, 'x'>", "ReturnType<typeof held.make>",
        "Awaited<ReturnType<typeof make>>",
    ],
)  # fmt: skip
def test_type_of_a_value_is_resolved(kind: str) -> None:
    """A type may be that of a value, of what a function gives, or of a member."""
    source = f"""
        class A {{ go() {{}} }}
        class B {{ go() {{}} }}
        const one = new A()
        function make() {{ return new A() }}
        const held = {{ make }}
        interface Held {{ a: A }}
        function use(x: {kind}) {{ x.go() }}
    """
    assert ("a.ts:use", "a.ts:A.go") in calls({"a.ts": source})


def test_value_of_a_function_type_is_callable() -> None:
    """What is of the type of a function is called as that function."""
    source = "function one() {}\nfunction use(f: typeof one) { f() }"
    assert ("a.ts:use", "a.ts:one") in calls({"a.ts": source})


@pytest.mark.parametrize(
    "use",
    [
        "function use(o: { a: A }) { o.a.go() }",
        "function use(o: { deep: { a: A } } | null) { o.deep.a.go() }",
        "function use(o: { make(n: number): A }) { o.make(1).go() }",
        "function use(o: { make: () => A }) { o.make().go() }",
        "function use(o: Extra & { a: A }) { o.a.go() }",
        "function use(o: Array<{ a: A }>) { for (const one of o) one.a.go() }",
    ],
)
def test_members_of_anonymous_types_are_resolved(use: str) -> None:
    """A type that is written out where it is used has members as one with a name has."""
    source = f"class A {{ go() {{}} }}\nclass B {{ go() {{}} }}\n{use}"
    assert ("a.ts:use", "a.ts:A.go") in calls({"a.ts": source})
