"""Types that comments say in JavaScript."""

from __future__ import annotations

import pytest

from ..programs import calls, facts_of, symbols

LAMPS = "export class Lamp { on() {} }\nexport class Horn { on() {} }\n"
TYPES = [
    "Lamp", "?Lamp", "!Lamp", "Lamp=", "Lamp | null", "(Lamp|undefined)", "Promise<Lamp>",
    "import('./lamps').Lamp", "lamps.Lamp",
]  # fmt: skip


@pytest.mark.parametrize("kind", TYPES)
def test_jsdoc_types_parameters(kind: str) -> None:
    """A comment above a function says of what types its parameters are."""
    source = f"""
        import {{ Lamp }} from './lamps'
        import * as lamps from './lamps'
        /**
         * Light it.
         * @param {{string}} how - in which way
         * @param {{{kind}}} [lamp] what is lit
         */
        export function use(how, lamp) {{ lamp.on() }}
    """
    assert ("use.js:use", "lamps.js:Lamp.on") in calls({"lamps.js": LAMPS, "use.js": source})


@pytest.mark.parametrize(
    "kind", ["Lamp[]", "Array<Lamp>", "Array.<Lamp>", "Set<Lamp>", "Array<Promise<Lamp>>"]
)
def test_jsdoc_containers_have_elements(kind: str) -> None:
    """What a container holds may be said by a comment as well."""
    source = f"""
        import {{ Lamp }} from './lamps'
        /** @param {{{kind}}} all */
        function use(all) {{ for (const one of all) one.on() }}
    """
    assert ("use.js:use", "lamps.js:Lamp.on") in calls({"lamps.js": LAMPS, "use.js": source})


@pytest.mark.parametrize(
    "named",
    [
        "/** @typedef {import('./lamps').Lamp} Light */",
        '/**\n * @typedef { import("./lamps.js").Lamp } Light\n */',
        "/** @import { Lamp as Light, Horn } from './lamps' */",
    ],
)
def test_jsdoc_imports_name_classes_of_other_files(named: str) -> None:
    """A comment may give a class of another file a name, for other comments."""
    source = f"{named}\nexport class A {{\n/** @param {{Light}} x */\nuse(x) {{ x.on() }} }}"
    assert ("use.js:A.use", "lamps.js:Lamp.on") in calls({"lamps.js": LAMPS, "use.js": source})


def test_jsdoc_types_results_and_fields() -> None:
    """A comment says what a function gives, and of what type a field is."""
    source = """
        import { Lamp } from './lamps'
        /** @returns {Promise<Lamp>} the lamp at hand */
        function find() { return outside() }
        class A {
            /** @type {Lamp} */
            lamp = null
            use() { this.lamp.on() }
        }
        async function use() { (await find()).on() }
    """
    found = calls({"lamps.js": LAMPS, "use.js": source})
    assert {("use.js:use", "lamps.js:Lamp.on"), ("use.js:A.use", "lamps.js:Lamp.on")} <= found


def test_names_that_a_file_does_not_bind_say_nothing() -> None:
    """A type that only the comment names may be anything; what the code says comes first."""
    text = """
        /**
         * @param {Nobody} a
         * @param {Object<string, Nobody>} b
         * @param {function(string): void} c
         * @param {A} d.inner
         * @param {{x: A}} e
         * @param {...A} f
         */
        function use(a, b, c, d, e, ...f) {}
        class A {}
    """
    assert [one.type for one in symbols(facts_of(text, "a.js"))["use"].params] == [None] * 6


def test_comments_of_typescript_say_no_types() -> None:
    """Where types are written in the code, those in comments are prose."""
    text = "class A {}\n/** @param {A} x */\nfunction use(x) {}"
    assert symbols(facts_of(text, "a.ts"))["use"].params[0].type is None
