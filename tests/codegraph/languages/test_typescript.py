"""TypeScript as facts: types, interfaces, aliases; and what its names mean across files."""

from __future__ import annotations

import json

import pytest

from memkit.codegraph.languages import provided_keys

from ..programs import Sources, calls, facts_of, kinds, symbols


class TestSymbols:
    """What is found in one file."""

    def test_types_are_symbols(self) -> None:
        """Interfaces, object types, enums and namespaces hold members; other types are names."""
        facts = facts_of(
            """
            export interface Shape extends Base<T>, ns.Other { area(): number; name: Label }
            type Props = { size: Size } & Shape;
            type Either = A | B;
            enum Colour { Red = 1, Green }
            namespace Outer.Inner { export class Held {} }
            declare function declared(a: string): void;
            abstract class Part { abstract draw(): void; }
            """,
            "a.ts",
        )
        assert kinds(facts) == {
            "Shape": "class", "Shape.area": "method", "Shape.name": "variable",
            "Props": "class", "Props.size": "variable", "Either": "class",
            "Colour": "class", "Colour.Red": "variable", "Colour.Green": "variable",
            "Outer": "class", "Outer.Inner": "class", "Outer.Inner.Held": "class",
            "declared": "function", "Part": "class", "Part.draw": "method",
        }  # fmt: skip
        found = symbols(facts)
        assert found["Shape"].bases == (
            ("item", ("name", "Base"), ("name", "T")),
            ("attr", ("name", "ns"), "Other"),
        )
        assert found["Shape"].flags == ("interface", "exported")
        assert found["Shape.name"].returns == ("name", "Label")
        assert found["Part"].flags == ("abstract",)
        assert "namespace" in found["Outer"].flags
        assert "enum" in found["Colour"].flags

    def test_declared_types(self) -> None:
        """Parameters, returns and fields keep their types; a rest has that of one of its values."""
        found = symbols(
            facts_of(
                """
                function f(a: Foo, b?: Bar[], ...c: Baz[]): Promise<Map<string, Foo>> {}
                """,
                "a.ts",
            )
        )["f"]
        assert [param.type for param in found.params] == [
            ("name", "Foo"),
            ("item", ("name", "Array"), ("name", "Bar")),
            ("name", "Baz"),
        ]
        assert found.params[2].sort == "*"
        assert found.returns == (
            "item", ("name", "Map"), ("tuple", (("name", "string"), ("name", "Foo"))),
        )  # fmt: skip

    def test_parameter_properties_and_overloads(self) -> None:
        """A parameter that is kept is a field; signatures without a body are overloads."""
        facts = facts_of(
            """
            class Service {
              constructor(private readonly store: Store, plain: number) {}
              find(id: string): Item;
              find(id: number): Item;
              find(id: any) { return this.store.load(id); }
            }
            """,
            "a.ts",
        )
        assert symbols(facts)["Service.store"].returns == ("name", "Store")
        assert "Service.plain" not in symbols(facts)
        assert [d.flags for d in facts.definitions if d.name == "find"] == [
            ("overload",), ("overload",), (),
        ]  # fmt: skip

    def test_decorators_are_kept(self) -> None:
        """Decorators of classes, methods and fields are terms of their definition."""
        found = symbols(
            facts_of(
                "@Injectable() class A { @Input() name: string; @On('x') handle() {} }", "a.ts"
            )
        )
        assert [found[name].decorators[0][1] for name in ("A", "A.name", "A.handle")] == [
            ("name", "Injectable"), ("name", "Input"), ("name", "On"),
        ]  # fmt: skip

    def test_signature_of_a_function_value_begins_with_its_name(self) -> None:
        """Also where types stand around it."""
        facts = facts_of(
            """
            export const plus = (a: number): number => a;
            export const load = async function <T>(a: T): Promise<T> { return a; };
            """,
            "a.ts",
        )
        assert [d.signature for d in facts.definitions] == [
            "plus = (a: number): number =>", "load = async function <T>(a: T): Promise<T>",
        ]  # fmt: skip

    def test_signature_of_several_lines_is_whole(self) -> None:
        """Overloads without a body are shown with what they take, wherever their lines end."""
        facts = facts_of(
            """
            declare function made<
              T extends object
            >(name: string, given: T): T;
            interface Server {
              on<T>(
                event: 'open',
              ): T;
            }
            """,
            "a.ts",
        )
        found = symbols(facts)
        assert found["made"].signature == "made< T extends object >(name: string, given: T): T"
        assert found["Server.on"].signature == "on<T>( event: 'open', ): T"

    def test_call_signatures_behind_one_another(self) -> None:
        """A signature that begins with type parameters does not swallow what follows."""
        text = "interface A {\n  <T>(a: T): [T]\n\n  // two\n  <T, U>(a: T): U\n}\nclass B {}\n"
        facts = facts_of(text, "a.ts")
        assert not facts.errors
        assert kinds(facts) == {"A": "class", "B": "class"}
        assert symbols(facts)["B"].line == 7

    def test_sound_text_that_the_grammar_does_not_know_is_no_error(self) -> None:
        """Words of newer versions are read past, and what is around them is all there."""
        refused = [
            "interface A<in T, out U = X, in out V extends string> { f(x: T): U }",
            "interface A<\n  /** Why. */\n  out T extends B<C>,\n  // And.\n  in U\n> {}",
            "type A<out T> = () => T;",
            "class A { accessor x = 1; static accessor y: B; @d() accessor #z = 2 }",
            "abstract class A {\n  protected abstract accessor x: string\n}",
            "class A { abstract = 1; accessor() {} }",
            "interface A { abstract: boolean; abstract?(): void }",
            "export type * from './a';\nexport type * as b from './b';",
            "import defer * as a from 'b';\nimport source c from 'd';",
            "let a: import('b').C<string>; type D = import('e').F.G<H>[];",
            "for (using a of b) {}",
        ]
        for text in refused:
            facts = facts_of(f"{text}\nexport function behind() {{}}\n", "a.ts")
            assert not facts.errors, text
            assert "behind" in symbols(facts), text
        names = set(symbols(facts_of("\n".join(refused[:1] + refused[3:4]), "a.ts")))
        assert names >= {"A", "A.x", "A.y"}
        assert facts_of("interface A<out T { }", "a.ts").errors

    def test_tsx_and_older_casts(self) -> None:
        """Elements are read in .tsx, casts in angle brackets in .ts."""
        assert not facts_of("const a = <b.C x={1} />;", "a.tsx").errors
        assert not facts_of("const a = <Foo>bar;", "a.ts").errors


@pytest.mark.parametrize(
    "text",
    [
        "let x: " + "Array<" * 600 + "string" + ">" * 600 + ";",
        "type X = " + "{ a: " * 600 + "F" + " }" * 600,
        "namespace A {" * 700 + "function f() {}" + "}" * 700,
        "type X = " + "A | " * 3000 + "B",
        "<A>" * 1000 + "b",
    ],
)
def test_deep_trees_are_walked(text: str) -> None:
    """Nesting without end neither overflows here nor where the facts are written."""
    assert json.dumps(facts_of(text, "deep.ts"))


class TestTypes:
    """Calls through declared types."""

    def test_through_parameters_fields_and_returns(self) -> None:
        """A receiver is known by the type that is declared for it."""
        text = """
            class Store { load(): Item { return new Item(); } }
            class Item { show() {} }
            class Service {
              last?: Item;
              constructor(private store: Store) {}
              async run(given: Item, many: Item[], by: Map<string, Item>) {
                this.store.load().show();
                given.show(); this.last!.show();
                for (const one of many) one.show();
                (await this.later()).show();
                by.get('x')!.show();
              }
              async later(): Promise<Item> { return this.store.load(); }
            }
            """
        source = Sources({"a.ts": text})
        assert source.edges() >= {
            ("a.ts:Service.run", "a.ts:Store.load"),
            ("a.ts:Service.run", "a.ts:Item.show"),
            ("a.ts:Service.run", "a.ts:Service.later"),
        }
        assert ("calls", "unresolved", "member") not in source.resolved("a.ts").counts

    @pytest.mark.parametrize(
        "body",
        [
            "(x as Item).show()",
            "(<Item>x).show()",
            "if (x instanceof Item) x.show()",
            "const y: Item = x; y.show()",
            "const y = x satisfies unknown as Item; y.show()",
            "xs.filter(Boolean).forEach((one) => one.show())",
            "xs.find((one) => one.ok)?.show()",
            "[1].map((n) => new Item()).forEach((one) => one.show())",
            "x.load().then(() => new Item()).then((one) => one.show())",
        ],
    )
    def test_through_casts_checks_and_callbacks(self, body: str) -> None:
        """What is said of a value on the way is used."""
        text = f"class Item {{ show() {{}} }}\nfunction f(x: any, xs: Item[]) {{ {body} }}"
        assert any(target == "a.ts:Item.show" for _, target in calls({"a.ts": text}))

    def test_type_parameters(self) -> None:
        """A type parameter is what it extends, and no class of that name."""
        text = """
            class Item { show() {} }
            class T { show() {} }
            class Box<K extends Item> {
              own!: K;
              f<T extends Item>(given: T) { given.show(); this.own.show(); }
              g<T>(given: T) { given.show(); }
            }
            const h = <T extends Item>(given: T) => given.show();
            """
        found = calls({"a.ts": text})
        assert {("a.ts:Box.f", "a.ts:Item.show"), ("a.ts:h", "a.ts:Item.show")} <= found
        assert not any(target == "a.ts:T.show" for _, target in found)

    def test_interfaces_enums_and_namespaces(self) -> None:
        """Members of interfaces are declared methods; a class that has them overrides them."""
        text = """
            interface Shape { area(): number }
            class Square implements Shape { area() { return side(); } }
            function total(shapes: Shape[]) { for (const one of shapes) one.area(); }
            namespace Tools { export function cut() { glue(); } function glue() {} }
            function side() { return Tools.cut(); }
            """
        source = Sources({"a.ts": text})
        assert ("a.ts:total", "a.ts:Shape.area") in source.edges()
        assert ("a.ts:side", "a.ts:Tools.cut") in source.edges()
        assert ("a.ts:Tools.cut", "a.ts:Tools.glue") in source.edges()
        assert ("a.ts:Square.area", "a.ts:Shape.area") in source.edges("overrides")
        assert ("a.ts:Square", "a.ts:Shape") in source.edges("inherits")


class TestPaths:
    """Which file a module name means."""

    def test_aliases_with_comments_and_barrels(self) -> None:
        """paths and baseUrl of the nearest tsconfig hold; comments and commas do not disturb."""
        files = {
            "tsconfig.json": """{
                // the whole tree
                "compilerOptions": { "baseUrl": ".", "paths": { "@app/*": ["src/*"], /* one */
                  "@lib": ["lib/index.ts"], }, },
            }""",
            "src/models/index.ts": "export * from './user'; export { Role as Part } from './role';",
            "src/models/user.ts": "export class User { save() {} }",
            "src/models/role.ts": "export class Role { grant() {} }",
            "lib/index.ts": "export const lib = () => {};",
            "src/main.ts": """
                import { User, Part } from '@app/models';
                import { lib } from '@lib';
                import { lib as same } from 'lib';
                new User().save(); new Part().grant(); lib(); same();
                """,
        }
        assert calls(files) == {
            ("src/main.ts:", "src/models/user.ts:User.save"),
            ("src/main.ts:", "src/models/role.ts:Role.grant"),
            ("src/main.ts:", "lib/index.ts:lib"),
        }

    def test_the_nearest_configuration_wins_and_extends(self) -> None:
        """A nested tsconfig hides the outer one, and takes what it does not say from its base."""
        files = {
            "tsconfig.json": '{"compilerOptions": {"paths": {"~/*": ["./wrong/*"]}}}',
            "tsconfig.base.json": '{"compilerOptions": {"paths": {"~/*": ["./web/src/*"]}}}',
            "web/tsconfig.json": '{"extends": "../tsconfig.base.json"}',
            "wrong/a.ts": "export function a() {}",
            "web/src/a.ts": "export function a() {}",
            "web/src/page.ts": "import { a } from '~/a';\na();",
            "other.ts": "import { a } from '~/a';\na();",
        }
        assert calls(files) == {
            ("web/src/page.ts:", "web/src/a.ts:a"),
            ("other.ts:", "wrong/a.ts:a"),
        }

    def test_written_as_it_will_be_compiled(self) -> None:
        """`./a.js` may mean a.ts, a folder its index."""
        files = {
            "a.ts": "export function a() {}",
            "b.mts": "export function b() {}",
            "c/index.tsx": "export function c() {}",
            "use.ts": "import {a} from './a.js'; import {b} from './b.mjs'; import {c} from './c';"
            " a(); b(); c();",
        }
        assert {target for _, target in calls(files)} == {"a.ts:a", "b.mts:b", "c/index.tsx:c"}

    @pytest.mark.parametrize(
        ("module", "appearing"),
        [
            ("./a", "a.ts"),
            ("./a", "a/index.tsx"),
            ("./a.js", "a.ts"),
            ("./b", "b.js"),
            (".", "index.ts"),
            ("lib/c", "lib/c.d.ts"),
        ],
    )
    def test_what_a_lookup_depends_on(self, module: str, appearing: str) -> None:
        """A file that could answer an import is among what was read, present or not."""
        files = {
            "tsconfig.json": '{"compilerOptions": {"baseUrl": "."}}',
            "use.ts": f"import {{a}} from '{module}';\na();",
            "a.js": "export function a() {}",
        }
        reads = Sources(files).resolved("use.ts").reads
        assert reads.intersection(provided_keys(appearing, "typescript", ""))

    def test_settings_that_cannot_be_read_change_nothing(self) -> None:
        """A broken tsconfig or package.json is as good as none."""
        files = {
            "tsconfig.json": '{"extends": "./tsconfig.json", "compilerOptions": {"paths": 3}}',
            "package.json": '{"name": ["x"], "exports": {"a": [',
            "a.ts": "export function a() {}",
            "use.ts": "import {a} from './a';\nimport 'x';\nimport '#y';\na();",
        }
        assert calls(files) == {("use.ts:", "a.ts:a")}
