"""Functions of one name: a call means those that take what it gives, by number and by type."""

from __future__ import annotations

from memkit.codegraph.facts_codec import pack, unpack
from memkit.codegraph.resolve import Program, SourceTree
from tests.tables import each_row

from ..programs import Sources, facts_of

SHOP = """
package shop;
interface Thing {}
class Fruit implements Thing {}
class Apple extends Fruit {}
class Tool implements Thing {}
class Shop {
  void sell(int count) {}
  void sell(long count) {}
  void sell(double price) {}
  void sell(boolean gift) {}
  void sell(char code) {}
  void sell(String name) {}
  void sell(Object any) {}
  void sell(Thing thing) {}
  void sell(Fruit fruit) {}
  void sell(int[] counts) {}
  void sell(Fruit[] fruits) {}
  void sell(Runnable later, Fruit fruit) {}
  void sell(String name, int count) {}
  void pack(String one) {}
  void pack(String first, String... more) {}
  void wrap(Tool tool, int count) {}
  void wrap(Fruit fruit, long count) {}
  void all(Fruit... fruits) { sell(fruits); }
  static Fruit pick() { return new Apple(); }
  static long many() { return pick() == null ? 1 : 2; }
}
"""
USE = "package shop;\nclass Use extends Shop { void use(String text) { CALL } }\n"
# Statements of a method → parameters of the functions that they call.
CALLED = {
    "sell(1);": "int",
    "sell(1L);": "long",
    "sell(1.5);": "double",
    "sell(1.5f);": "double",
    "sell(true);": "boolean",
    "sell('a');": "char",
    'sell("a");': "String",
    'sell("a" + text);': "String",
    "sell(text);": "String",
    "int n = x; sell(n);": "int",
    "byte n = 1; sell(n);": "int",
    "sell(Shop.many());": "long",
    "sell(Shop.pick());": "Fruit",
    "sell(new Apple());": "Fruit",
    "sell(new Tool());": "Thing",
    "Fruit held = new Apple(); sell(held);": "Fruit",
    "sell(new int[3]);": "int[]",
    "sell(new Fruit[3]);": "Fruit[]",
    "sell(() -> {}, new Apple());": "Runnable,Fruit",
    'sell("a", 1);': "String,int",
    'pack("a");': "String",
    'pack("a", "b");': "String,String...",
    "sell(text.length());": "int",
    "sell(unknown.toString());": "String",
    "sell(unknown.isEmpty());": "boolean",
    "sell(Fruit.class);": "Object",
    "Thing held = new Apple(); sell(held);": "Thing",
    "wrap(unknown, 1);": "Tool,int Fruit,long",
    "wrap(new Apple(), x);": "Fruit,long",
}


@each_row("statement", CALLED)
def test_java_overloads_are_resolved_by_argument_types(statement: str) -> None:
    """Of functions of one name a call means the nearest; both where no type is known."""
    use = USE.replace("CALL", statement)
    found = _called({"Shop.java": SHOP, "Use.java": use}, "Use.java")
    assert found == set(CALLED[statement].split())


def test_stored_facts_tell_overloads_apart_as_fresh_ones_do() -> None:
    """What other files are read from is their stored form, without places and signatures."""
    files = {"Shop.java": SHOP, "Use.java": USE.replace("CALL", " ".join(CALLED))}
    fresh = {path: facts_of(text, path) for path, text in files.items()}
    shop = fresh["Shop.java"]
    stored = unpack(
        pack(shop, SHOP.encode()), [one.name for one in shop.definitions],
        path=shop.path, language=shop.language, namespace=shop.namespace, errors=0, lines=1,
    )  # fmt: skip
    both = [
        Program(SourceTree.of({**fresh, "Shop.java": facts}, {})).resolve("Use.java").edges
        for facts in (shop, stored)
    ]
    assert both[0] == both[1]


def test_constants_tell_overloads_apart_where_values_are_followed() -> None:
    """A text or a number that is followed is still one."""
    sources = Sources({"Shop.java": SHOP, "Use.java": USE.replace("CALL", 'sell("a"); sell(1);')})
    definitions = sources.facts["Shop.java"].definitions
    called = {definitions[edge.target].signature for edge in sources.flowing()["Use.java"]}
    assert called == {"sell(String name)", "sell(int count)"}


def test_what_is_given_for_the_rest_of_the_parameters_is_an_array() -> None:
    """Inside of a method the rest of its parameters is an array of their type."""
    sources = Sources({"Shop.java": SHOP})
    definitions = sources.facts["Shop.java"].definitions
    called = [
        definitions[edge.target].signature
        for edge in sources.resolved("Shop.java").edges
        if edge.kind == "calls" and definitions[edge.source].name == "all"
    ]
    assert called == ["sell(Fruit[] fruits)"]


def test_constructors_are_resolved_by_argument_types() -> None:
    """Making an object runs one of the initialisers, as does one that calls another."""
    text = """
        class Fault { Fault(String text) { this(new Error()); } Fault(Error cause) {} }
        class Use { void use() { new Fault("x"); } }
        """
    found = Sources({"Use.java": text})
    edges = {
        (edge.source, edge.target)
        for edge in found.resolved("Use.java").edges
        if edge.kind == "calls"
    }
    names = [one.signature for one in found.facts["Use.java"].definitions]
    assert {(names[source], names[target]) for source, target in edges} == {
        ("use()", "Fault(String text)"),
        ("Fault(String text)", "Fault(Error cause)"),
    }


def test_overloads_of_csharp() -> None:
    """C# chooses by types as well; what no function takes leaves all of them."""
    text = """
        class Shop {
          void Sell(int count) {}
          void Sell(string name) {}
          void Sell(Shop other, bool gift = false) {}
          void Use(Shop given) { CALL }
        }
        """
    for call, expected in [
        ("Sell(1);", "int"),
        ('Sell("a");', "string"),
        ("Sell(given);", "Shop,bool"),
        ("Sell(x);", "int string Shop,bool"),
    ]:
        found = _called({"Use.cs": text.replace("CALL", call)}, "Use.cs")
        assert found == set(expected.split()), call


def _called(files: dict[str, str], path: str) -> set[str]:
    """Return the types of the parameters of what a file calls, initialisers and `Shop.x` apart."""
    sources = Sources(files)
    found = set()
    for edge in sources.resolved(path).edges:
        definition = sources.facts[edge.path].definitions[edge.target]
        if edge.kind == "calls" and definition.params:
            listed = definition.signature.partition("(")[2].rpartition(")")[0].split(", ")
            found.add(",".join(one.split()[0] for one in listed))
    return found
