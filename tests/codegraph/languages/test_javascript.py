"""JavaScript as facts, and what its names mean across files."""

from __future__ import annotations

import json

import pytest

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_functions_in_every_spelling_are_named(self) -> None:
        """A function has its own name, or that of what it is bound to, or none."""
        facts = facts_of(
            """
            function plain() {}
            const arrow = () => 1;
            let value = function () {};
            [1].map(function () {});
            exports.given = () => {};
            """,
            "a.js",
        )
        assert [d.name for d in facts.definitions if d.kind == "function"] == [
            "plain", "arrow", "value", "<anonymous>", "given",
        ]  # fmt: skip

    def test_signature_of_a_function_value_begins_with_its_name(self) -> None:
        """A function that is a value has in front the name that it is bound to; one of that name
        among its parameters is another."""
        facts = facts_of(
            """
            function plain(x) {}
            const arrow = (a, b) => a + b;
            const arrow_ = (arrow_) => 1;
            exports.given = function (val) {};
            exports.other = function named(x) {};
            Box.prototype.open = async function () {};
            class Box { handler = (e) => e; static of(box) {} get size() { return 1; } }
            const table = { one: function (y) {}, two(z) {} };
            [1].map(function (n) {});
            """,
            "a.js",
        )
        assert [d.signature for d in facts.definitions if d.kind in ("function", "method")] == [
            "plain(x)", "arrow = (a, b) =>", "arrow_ = (arrow_) =>", "given = function (val)",
            "other = named(x)", "open = async function ()", "handler = (e) =>", "of(box)",
            "size()", "one = function (y)", "two(z)", "function (n)",
        ]  # fmt: skip

    def test_members_of_classes(self) -> None:
        """Methods, accessors, fields, private and static members belong to their class."""
        facts = facts_of(
            """
            class Box extends Base {
              #size = 1;
              static made = 0;
              handler = () => this.open();
              constructor(size) { super(); }
              get size() { return this.#size; }
              set size(value) {}
              static of() {}
              async *walk() {}
              #check() {}
              'quoted name'() {}
              [Symbol.iterator]() {}
            }
            """,
            "a.js",
        )
        found = symbols(facts)
        assert found["Box"].bases == (("name", "Base"),)
        assert found["Box.constructor"].flags == ("constructor",)
        assert found["Box.of"].flags == ("static",)
        assert found["Box.walk"].flags == ("async", "generator")
        assert found["Box.#check"].flags == found["Box.#size"].flags == ("private",)
        assert found["Box.handler"].kind == "method"
        assert found["Box.made"].kind == "variable"
        assert {"Box.quoted name", "Box.[Symbol.iterator]"} <= set(found)
        assert [d.flags for d in facts.definitions if d.name == "size"] == [("property",)] * 2

    def test_object_literals_and_prototypes_have_methods(self) -> None:
        """A function in an object, or on a prototype, is named behind what holds it."""
        facts = facts_of(
            """
            const tools = { cut() {}, deep: { dig: () => {} }, glue: function () {} };
            Box.prototype.late = function () {};
            """,
            "a.js",
        )
        assert kinds(facts) == {
            "tools": "variable",
            "tools.cut": "method",
            "tools.deep.dig": "method",
            "tools.glue": "method",
            "Box.late": "method",
        }

    def test_destructuring_defines_every_name(self) -> None:
        """Each name that a pattern of the module binds is a variable."""
        facts = facts_of("const {a, b: {c}, ...rest} = f(), [d, , e = 1] = g();", "a.js")
        assert set(kinds(facts)) == {"a", "c", "rest", "d", "e"}

    def test_place_signature_and_comment(self) -> None:
        """Columns count characters, the signature is one line, the comment above is the doc."""
        facts = facts_of(
            """\
            // About the file.

            /**
             * Says hello.
             * @param who whom
             */
            /* é */ function hello(
              who, twice = false
            ) { return who; }
            """,
            "a.js",
        )
        found = symbols(facts)["hello"]
        assert facts.doc == "About the file."
        assert (found.line, found.column, found.end_line) == (7, 18, 9)
        assert found.signature == "hello( who, twice = false )"
        assert found.doc == "Says hello."

    def test_the_digest_survives_a_move(self) -> None:
        """Indentation and line ends change nothing, the body does."""
        one = symbols(facts_of("function f() {\n  g();\n}\n", "a.js"))["f"]
        crlf = symbols(facts_of("\r\n\r\nfunction f() {\r\n  g();\r\n}\r\n", "a.js"))["f"]
        other = symbols(facts_of("function f() {\n  h();\n}\n", "a.js"))["f"]
        assert one.digest == crlf.digest != other.digest

    def test_syntax_errors_leave_the_rest(self) -> None:
        """What stands around an error is found."""
        facts = facts_of("function a() {}\nconst = ] ;\nfunction b() { a(); }\n", "a.js")
        assert facts.errors
        assert {"a", "b"} <= set(kinds(facts))

    def test_jsx_calls_its_components(self) -> None:
        """An element with a capital calls a function; one of the page does not."""
        text = """
            const Row = ({ label }) => <td>{label}</td>;
            export function List(props) {
              return <table>{props.rows.map((row) => <Row label={name(row)} />)}</table>;
            }
            function name(row) { return row.name; }
            """
        found = calls({"a.jsx": text})
        assert ("a.jsx:List.<anonymous>", "a.jsx:Row") in found
        assert ("a.jsx:List.<anonymous>", "a.jsx:name") in found


@pytest.mark.parametrize(
    "text",
    [
        "(" * 3000 + "f()" + ")" * 3000,
        "a" + ".b()" * 3000,
        "f(" * 3000 + ")" * 3000,
        "if (x) {" * 2000 + "f()" + "}" * 2000,
        '"a"' + ' + "b"' * 5000,
        "x => " * 2000 + "f()",
        "x = {" + "a: {" * 1000 + "f() {}" + "}" * 1001,
        "const {" + "a: {" * 1000 + "b" + "}" * 1001 + " = c",
        "<a>" * 1000 + "{f()}" + "</a>" * 1000,
        "`${" * 1000 + "f()" + "}`" * 1000,
    ],
)
def test_deep_trees_are_walked(text: str) -> None:
    """Nesting without end neither overflows here nor where the facts are written."""
    facts = facts_of(text, "a.js")
    assert json.dumps(facts)


class TestModules:
    """Names across files."""

    def test_default_named_and_whole_imports(self) -> None:
        """Every form of import leads to what is exported."""
        files = {
            "lib.js": """
                export default function main() {}
                export const helper = () => {};
                function inner() {}
                export { inner as outer };
                """,
            "use.js": """
                import run, { helper as help, outer } from './lib.js';
                import * as lib from './lib';
                run(); help(); outer(); lib.helper();
                """,
        }
        assert calls(files) == {
            ("use.js:", "lib.js:main"),
            ("use.js:", "lib.js:helper"),
            ("use.js:", "lib.js:inner"),
        }

    def test_barrels_and_renaming_chains(self) -> None:
        """What is exported again is found behind any number of files; circles end."""
        files = {
            "parts/a.js": "export function one() {}\nexport * from './index.js';",
            "parts/b.js": "export function two() {}\nexport default class Third { go() {} }",
            "parts/index.js": """
                export * from './a';
                export { two as second, default as Third } from './b';
                export * as all from './b';
                """,
            "use.js": """
                import { one, second, Third, all } from './parts';
                one(); second(); new Third().go(); all.two();
                """,
        }
        assert calls(files) == {
            ("use.js:", "parts/a.js:one"),
            ("use.js:", "parts/b.js:two"),
            ("use.js:", "parts/b.js:Third.go"),
        }

    def test_commonjs(self) -> None:
        """require gives what module.exports or exports say."""
        files = {
            "one.js": "class One { go() {} }\nmodule.exports = One;",
            "many.js": """
                exports.first = function () {};
                module.exports.second = second;
                function second() {}
                """,
            "object.js": "function f() {}\nmodule.exports = { f, g() {} };",
            "use.js": """
                const One = require('./one'), many = require('./many');
                const { second: s, first } = require('./many');
                const { f, g } = require('./object');
                new One().go(); many.first(); s(); first(); f(); g();
                require('./object').f();
                """,
        }
        assert calls(files) == {
            ("use.js:", "one.js:One.go"),
            ("use.js:", "many.js:first"),
            ("use.js:", "many.js:second"),
            ("use.js:", "object.js:f"),
            ("use.js:", "object.js:g"),
        }

    def test_importing_at_run_time(self) -> None:
        """`import()` is an import, and its `then` is given the module."""
        files = {
            "late.js": "export function go() {}",
            "use.js": "async function f() { (await import('./late')).go(); }\n"
            "function g() { import('./late').then((m) => m.go()); }",
        }
        assert {("use.js:f", "late.js:go"), ("use.js:g.<anonymous>", "late.js:go")} <= calls(files)

    def test_packages_of_a_workspace(self) -> None:
        """A package is known by its name, its exports and its main; #names are its own."""
        files = {
            "packages/core/package.json": '{"name": "@x/core", "exports": {".": '
            '{"import": "./dist/index.js"}, "./tools/*": "./src/tools/*.js"}}',
            "packages/core/src/index.js": "export function core() {}",
            "packages/core/src/tools/cut.js": "export function cut() {}",
            "packages/old/package.json": '{"name": "old", "main": "lib/start.js"}',
            "packages/old/lib/start.js": "exports.start = () => {};",
            "app/package.json": '{"name": "app", "imports": {"#own/*": "./own/*.js"}}',
            "app/own/thing.js": "export const thing = () => {};",
            "app/main.js": """
                import { core } from '@x/core';
                import { cut } from '@x/core/tools/cut';
                import { thing } from '#own/thing';
                import outside from 'react';
                const { start } = require('old');
                core(); cut(); start(); thing(); outside();
                """,
        }
        assert calls(files) == {
            ("app/main.js:", "packages/core/src/index.js:core"),
            ("app/main.js:", "packages/core/src/tools/cut.js:cut"),
            ("app/main.js:", "packages/old/lib/start.js:start"),
            ("app/main.js:", "app/own/thing.js:thing"),
        }


class TestNames:
    """What a name means inside a file."""

    def test_blocks_hide_and_assignments_reach_out(self) -> None:
        """let lives in its block, and an assignment binds where the name is declared."""
        text = """
            function a() {} function b() {} function c() {}
            let later;
            function set() { later = a; }
            function use() {
              const f = b;
              { const f = c; f(); }
              f(); later();
            }
            """
        source = Sources({"a.js": text})
        assert {target for who, target in source.edges() if who == "a.js:use"} == {
            "a.js:a", "a.js:b", "a.js:c",
        }  # fmt: skip

    def test_a_name_without_a_value_hides_what_is_further_out(self) -> None:
        """A variable that is only declared is none of the functions of that name."""
        text = """
            function check() {}
            function outer(x) {
              let check;
              try { check = x.y(); } catch {}
              return check();
            }
            """
        assert calls({"a.js": text}) == set()

    def test_functions_are_called_before_they_stand(self) -> None:
        """A declaration holds from the beginning of its scope."""
        assert calls({"a.js": "late();\nfunction late() {}"}) == {("a.js:", "a.js:late")}

    def test_this_and_super(self) -> None:
        """`this` is the object of the method around, arrows included; super its base."""
        text = """
            class Base { constructor() {} save() {} }
            class Page extends Base {
              constructor() { super(); this.name = new Name(); }
              save() { super.save(); [1].forEach(() => this.check()); this.name.show(); }
              check() {}
            }
            class Name { show() {} }
            """
        found = calls({"a.js": text})
        assert ("a.js:Page.constructor", "a.js:Base.constructor") in found
        assert ("a.js:Page.save", "a.js:Base.save") in found
        assert ("a.js:Page.save.<anonymous>", "a.js:Page.check") in found
        assert ("a.js:Page.save", "a.js:Name.show") in found

    def test_prototypes_make_classes_of_functions(self) -> None:
        """A function that is made with new has the methods of its prototype and those above."""
        text = """
            function Animal() { this.sound = hum; }
            function hum() {}
            Animal.prototype.speak = function () { this.sound(); };
            function Dog() { Animal.call(this); }
            Dog.prototype = Object.create(Animal.prototype);
            Object.assign(Dog.prototype, { fetch() {} });
            const dog = new Dog();
            dog.speak(); dog.fetch();
            """
        found = calls({"a.js": text})
        assert {
            ("a.js:", "a.js:Dog"),
            ("a.js:", "a.js:Animal.speak"),
            ("a.js:", "a.js:fetch"),
            ("a.js:Dog", "a.js:Animal"),
            ("a.js:Animal.speak", "a.js:hum"),
        } <= found

    def test_objects_that_are_filled_afterwards(self) -> None:
        """Members assigned to an object or a function are found, `this` in them too."""
        files = {
            "app.js": """
                var app = exports = module.exports = {};
                app.init = function init() { this.setup(); };
                app['setup'] = function () {};
                """,
            "kept.js": "module.exports = class Kept { go() {} };",
            "use.js": """
                const app = require('./app'), Kept = require('./kept');
                app.init(); app["setup"](); new Kept().go();
                """,
        }
        assert calls(files) == {
            ("app.js:app.init", "app.js:app.setup"),
            ("use.js:", "app.js:app.init"),
            ("use.js:", "app.js:app.setup"),
            ("use.js:", "kept.js:Kept.go"),
        }

    def test_array_methods_call_what_they_are_given(self) -> None:
        """The function runs in the caller, and gets an element."""
        text = """
            class Job { run() {} }
            const jobs = [new Job()];
            function all() { jobs.forEach((job) => job.run()); jobs.map(show); }
            function show(job) {}
            """
        assert calls({"a.js": text}) >= {
            ("a.js:all", "a.js:show"),
            ("a.js:all", "a.js:all.<anonymous>"),
            ("a.js:all.<anonymous>", "a.js:Job.run"),
        }

    def test_an_unknown_receiver_binds_to_no_common_name(self) -> None:
        """A method that only one class has is found by its name, `push` never is."""
        text = """
            class Stack { push() {} unwindAll() {} }
            function f(x) { x.push(1); x.unwindAll(); }
            """
        assert calls({"a.js": text}) == {("a.js:f", "a.js:Stack.unwindAll")}

    def test_lines_of_calls(self) -> None:
        """A call in a chain is where its method is named."""
        source = Sources({"a.js": "class A { b() { return this; } }\nnew A()\n  .b();\n"})
        assert source.edge("a.js", "", "A.b").line == 3
