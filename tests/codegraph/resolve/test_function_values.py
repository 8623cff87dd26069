"""Functions that functions give back, methods of functions, and types made of others."""

from __future__ import annotations

import pytest

from ..programs import Sources, calls

# A function that says of what type it gives something, and gives a function in place → its name.
GIVEN_BACK = {
    "java": (
        "use.java",
        """
        interface Job { void go(); }
        class Use { Job make() { return () -> work(); } void work() {} void use() { make().go(); } }
        """,
        "Use.make.<lambda>",
    ),
    "typescript": (
        "use.ts",
        """
        type Job = () => void
        function make(): Job { return () => {} }
        function use() { make()() }
        """,
        "make.<anonymous>",
    ),
    "go": (
        "use.go",
        """
        package home
        func make() func() { return func() {} }
        func use() { make()() }
        """,
        "make.<lambda>",
    ),
    "csharp": (
        "use.cs",
        """
        class Use {
          Func<int> Make() => () => 1;
          void use() { Make()(); }
        }
        """,
        "Use.Make.<lambda>",
    ),
    "rust": (
        "src/use.rs",
        """
        fn make() -> impl Fn() { || {} }
        fn r#use() { make()() }
        """,
        "make.<lambda>",
    ),
}


@pytest.mark.parametrize("language", GIVEN_BACK)
def test_returned_inner_function_is_known_besides_its_declared_type(language: str) -> None:
    """What a function gives is also the function that stands in it, not its declared type alone."""
    path, text, expected = GIVEN_BACK[language]
    assert f"{path}:{expected}" in {target for _, target in calls({path: text})}


def test_field_read_is_no_call_of_a_method_of_that_name() -> None:
    """A field is read where a method of that name is not called; a local function still runs."""
    text = """
        class Host {
          private final Inner inner = null; private String name;
          Inner inner() { return inner; }
          String name() { return name; }
          int use() { inner.go(); this.inner.stop(); return name.length(); }
          void run() { Runnable name = this::name; name.run(); }
        }
        class Inner { void go() {} void stop() {} }
        """
    found = {target for source, target in calls({"Host.java": text}) if source.endswith(".use")}
    assert found == {"Host.java:Inner.go", "Host.java:Inner.stop"}
    assert ("Host.java:Host.run", "Host.java:Host.name") in calls({"Host.java": text})


def test_function_combinators_do_not_call_their_function() -> None:
    """`negate` and the like make another function and do not run this one."""
    text = """
        class Use { void use() {
          Predicate<String> empty = s -> s.isEmpty();
          empty.negate(); empty.and(empty); empty.equals(empty);
        } }
        """
    assert not calls({"Use.java": text})
    assert calls({"Use.java": text.replace("empty.negate()", "empty.test(null)")})


NAMED_TYPES = """
package home

import "iter"

type Lamp struct{}

func (l Lamp) On() {}

type Row []Lamp
type ByName map[string]Lamp
type Maker func() Lamp

func (r Row) All() iter.Seq[Lamp] { return nil }
func (n ByName) Pairs() iter.Seq2[string, Lamp] { return nil }

func use(row Row, named ByName, make Maker) {
	STATEMENT
}
"""


@pytest.mark.parametrize(
    "statement",
    [
        "row[0].On()",
        'named["x"].On()',
        "for _, one := range row { one.On() }",
        "for _, one := range named { one.On() }",
        "make().On()",
        "for one := range row.All() { one.On() }",
        "for _, one := range named.Pairs() { one.On() }",
    ],
)
def test_named_types_have_the_elements_and_results_of_their_base(statement: str) -> None:
    """A named slice, map or function has the elements and results of what it is made of."""
    found = calls({"use.go": NAMED_TYPES.replace("STATEMENT", statement)})
    assert ("use.go:use", "use.go:Lamp.On") in found


def test_functions_in_literals_of_a_type_flow_into_its_members() -> None:
    """Followed, a member that a literal fills is what stands there, by name or by its place."""
    text = """
        package home
        type Hook struct { run func(); level int }
        func first() {}
        func second() {}
        func call(hook Hook) { hook.run() }
        func use() { call(Hook{first, 1}); call(Hook{level: 2, run: second}) }
        """
    sources = Sources({"use.go": text})
    definitions = sources.facts["use.go"].definitions
    called = {
        (definitions[edge.source].name, definitions[edge.target].name)
        for edge in sources.flowing()["use.go"]
    }
    assert called == {("use", "call"), ("call", "first"), ("call", "second")}
