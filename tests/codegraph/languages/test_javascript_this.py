"""What `this` is in JavaScript and TypeScript, where no class around says it."""

from __future__ import annotations

import pytest

from ..programs import calls

# Where an object literal stands → source, and the method of it that the function `use` in it calls.
LITERALS = {
    "given to others": ("exports.a = { one() {}, use() { this.one() } }", "one"),
    "the module": ("module.exports = { one() {}, use() { this.one() } }", "one"),
    "the module by default": ("export default { one() {}, use() { this.one() } }", "one"),
    "given back": (
        "function make() { return { one() {}, use: function () { this.one() } } }", "make.one",
    ),
    "an argument": ("mix({ one() {}, use() { this.one() } })", "one"),
    "inside another": ("mix({ one: 1, deep: { one() {}, use() { this.one() } } })", "one"),
    "in a class": (
        "class A { make() { return { one() {}, use() { this.one() } } } one() {} }", "A.make.one",
    ),
    "in a block of it": ("mix({ one() {}, use() { if (x) { const y = 1; this.one(y) } } })", "one"),
    "in an arrow of it": ("mix({ one() {}, use() { return () => this.one() } })", "one"),
}  # fmt: skip


@pytest.mark.parametrize("kind", LITERALS)
def test_this_in_an_object_literal_is_that_object(kind: str) -> None:
    """`this` in a function of an object literal is that object, whether or not it has a name."""
    source, target = LITERALS[kind]
    assert {called for _, called in calls({"a.js": source})} == {f"a.js:{target}"}


@pytest.mark.parametrize(
    "source",
    [
        "class A { go() { socket.onopen = () => { this.stop() } } stop() {} }",
        "class A { go() { const on = { open: () => this.stop() } } stop() {} }",
        "class A { go() { on.a.b = () => xs.map(() => { this.stop() }) } stop() {} }",
        "class A { go() { on.a = { b: () => { on.c = () => this.stop() } } } stop() {} }",
        "class A { go = () => { on.a = () => this.stop() }; stop() {} }",
    ],
)
def test_this_in_an_arrow_is_that_of_the_enclosing_code(source: str) -> None:
    """`this` in an arrow is that of the code around it, whatever the arrow is assigned to."""
    for path in ("a.js", "a.ts"):
        found = calls({path: f"{source}\nclass B {{ stop() {{}} }}"})
        assert f"{path}:A.stop" in {target for _, target in found}


def test_fields_that_arrows_bind_are_those_of_the_class_around() -> None:
    """`this.x = …` in an arrow that is assigned to something gives a field to the class around."""
    source = """
        import { B } from './b'
        class A {
            go() { on.open = () => { this.b = new B() } }
            use() { this.b.run() }
        }
    """
    files = {"a.js": source, "b.js": "export class B { run() {} }\nexport class C { run() {} }"}
    made = calls(files)
    assert ("a.js:A.use", "b.js:B.run") in made


def test_functions_keep_their_own_object() -> None:
    """A function, other than an arrow, that is assigned to a member has that object as `this`."""
    source = """
        const a = { one() {} }
        class B { make() { a.use = function () { this.one() } } one() {} }
    """
    found = calls({"a.js": source})
    assert ("a.js:B.make.a.use", "a.js:a.one") in found
    assert ("a.js:B.make.a.use", "a.js:B.one") not in found


def test_declared_this_parameter_types_this() -> None:
    """A parameter `this: T` says what `this` is, in the function and in arrows inside it."""
    source = """
        class A { one() {} two() {} }
        function use(this: A, n: number) { this.one(); xs.map(() => this.two()) }
    """
    found = calls({"a.ts": source})
    assert ("a.ts:use", "a.ts:A.one") in found
    assert ("a.ts:use.<anonymous>", "a.ts:A.two") in found


def test_declared_this_is_no_parameter() -> None:
    """`this` among the parameters of a function type is none of those that are handed over."""
    source = """
        class A { one() {} }
        class B { one() {} }
        declare function on(run: (this: string, a: A) => void): void
        on((a) => a.one())
    """
    assert ("a.ts:<anonymous>", "a.ts:A.one") in calls({"a.ts": source})


def test_reading_an_object_accessor_calls_its_getter() -> None:
    """To read a member of an object literal calls its getter, and gives what that gives."""
    source = """
        class B { run() {} }
        const a = { get b() { return new B() }, set b(x) { log(x) }, use() { this.b.run() } }
        function out() { return a.b }
        function put(x) { a.b = x }
    """
    found = calls({"a.js": source})
    assert found == {
        ("a.js:a.use", "a.js:a.b"),
        ("a.js:a.use", "a.js:B.run"),
        ("a.js:out", "a.js:a.b"),
    }


def test_reading_a_static_accessor_calls_it() -> None:
    """To read a static accessor calls it; the name of one of the objects does not."""
    source = """
        class A { static get name() { return 1 } get other() { return 2 } }
        function use() { return A.name + A.other }
    """
    assert calls({"a.js": source}) == {("a.js:use", "a.js:A.name")}
