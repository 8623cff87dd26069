"""Questions to the graph: what they answer, what they say beside it, and their errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any
from unicodedata import normalize

import attrs
import pytest

from memkit.codegraph.codegraph import CodeGraph
from memkit.codegraph.facts import Facts
from memkit.codegraph.query.symbol_lookup import (
    find_places,
    places_in_text,
    places_named,
    places_named_at,
)
from memkit.codegraph.records import CodeResult
from memkit.errors import InvalidInput, NotFound
from memkit.store.store import Store
from tests.tables import each_row

from .. import toy

APP = """\
\"\"\"What the shop does.\"\"\"
import json
from lib.money import Money, total as sum_up

RATE = 0.2


class Shop(Base):
    def sell(self, thing):
        \"\"\"Sell one thing.

        And more.\"\"\"
        return sum_up([thing])

    async def close(self):
        self.sell(None)


def main():
    shop = Shop()
    shop.sell(1)
"""
MONEY = """\
class Base: pass


class Money(Base):
    def add(self, other): return total([self, other])


def total(things):
    return Money()
"""

Make = Callable[..., CodeGraph]


@pytest.fixture
def make(tmp_path: Path) -> Iterator[Make]:
    """Index files: `make({path: text})`; toy files by the toy language."""
    stores: list[Store] = []

    def made(files: dict[str, str]) -> CodeGraph:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        stores.append(Store(tmp_path / ".memkit.db"))
        is_toy = any(path.endswith(".toy") for path in files)
        more = {"analysis": toy.analysis} if is_toy else {}
        graph = CodeGraph(stores[-1], patience=60, **more)
        graph.index()
        return graph

    yield made
    for store in stores:
        store.close()


@pytest.fixture
def shop(make: Make) -> CodeGraph:
    """Two modules of Python."""
    return make({"app.py": APP, "lib/money.py": MONEY, "lib/__init__.py": ""})


def names(found: CodeResult) -> list[str]:
    """Return the qualified names of an answer."""
    return [node.qualname or node.path for node in found]


class TestNames:
    """find_symbol and what names mean."""

    @each_row("name", ["sell", "Shop.sell", "app.Shop.sell", "app.py::Shop.sell", "./app.py::sell"])
    def test_every_way_to_name_it(self, shop: CodeGraph, name: str) -> None:
        """A symbol is found by its name, with those around it, its module, or its path."""
        found = shop.find_symbol(name)
        assert (names(found), found.notes) == (["Shop.sell"], ())

    @each_row("name", ["sell()", "Shop.sell()", "app.py::Shop.sell() "])
    def test_name_with_call_parentheses_means_the_function(
        self, shop: CodeGraph, name: str
    ) -> None:
        """`sell()` is how people write that they mean the function."""
        assert names(shop.find_symbol(name)) == ["Shop.sell"]
        assert names(shop.callers(name)) == names(shop.callers("Shop.sell"))
        with pytest.raises(InvalidInput, match="is no name"):
            shop.find_symbol("()")

    def test_details(self, shop: CodeGraph) -> None:
        """A symbol comes with signature, doc line, lines, bytes, scope and flags."""
        node = shop.find_symbol("Shop.sell")[0]
        assert (node.kind, node.path, node.language, node.line, node.end_line) == (
            "method", "app.py", "python", 9, 13,
        )  # fmt: skip
        assert node.details is not None
        assert "sell(self, thing)" in node.details.signature
        assert (node.details.doc, node.details.scope) == ("Sell one thing.", "class")
        assert APP.encode()[node.details.start : node.details.end].startswith(b"def sell")
        assert node.digest != shop.find_symbol("close")[0].digest
        assert "async" in shop.find_symbol("close")[0].flags
        assert (node.qualified, node.module) == ("app.py::Shop.sell", "app.Shop.sell")

    def test_kind_and_file(self, shop: CodeGraph) -> None:
        """A kind narrows; a path or the end of one means the file."""
        assert names(shop.find_symbol("Shop", kind="class")) == ["Shop"]
        assert shop.find_symbol("RATE", kind="variable")[0].line == 5
        assert names(shop.find_symbol("money.py")) == ["lib/money.py"]
        with pytest.raises(InvalidInput, match="give one of"):
            shop.find_symbol("x", kind="gizmo")

    @each_row("name", ["sel", "SELL", "slel", "Shop.sel"])
    def test_near_names(self, shop: CodeGraph, name: str) -> None:
        """If nothing is called so, near names are given, and the answer says that they are near."""
        found = shop.find_symbol(name)
        assert "sell" in [node.name for node in found]
        assert "near" in found.notes[0]

    def test_near_names_are_those_of_what_they_stand_in(self, make: Make) -> None:
        """What is written before a name counts, letters of either case do not."""
        graph = make({
            "harbour/berth.py": "class Ferry:\n    def moor(self): pass\n\n\nclass Barge:\n"
            "    def moor(self): pass\n    def morr_all(self): pass\n\n\ndef ferry(): pass\n",
        })  # fmt: skip
        for written, near in (
            ("Barge.mooor", "harbour/berth.py::Barge.moor"),
            ("Ferri.moor", "harbour/berth.py::Ferry.moor"),
            ("Berge::mor", "harbour/berth.py::Barge.moor"),
        ):
            with pytest.raises(NotFound, match=f"near names: {near}"):
                graph.callers(written)
        assert {node.name for node in graph.find_symbol("Ferrry")} == {"Ferry", "ferry"}

    def test_near_files_are_those_of_nearly_that_name(self, make: Make) -> None:
        """Whoever mistypes a path is told of the file, also where a symbol was expected."""
        graph = make({"a/sluices.py": "def f(): pass\n", "a/sluices.md": "# S\n", "a/z.py": ""})
        for ask in (graph.outline, graph.dependencies, graph.callers):
            with pytest.raises(NotFound, match=r": a/sluices\.py$"):
                ask("a/sluice.py")

    def test_nothing_near(self, shop: CodeGraph) -> None:
        """An unknown name is an empty answer of find_symbol, and an error elsewhere."""
        assert len(shop.find_symbol("qqqqqqqqq")) == 0
        with pytest.raises(NotFound, match="no name is near"):
            shop.callers("qqqqqqqqq")
        with pytest.raises(NotFound, match=r"near names: .*Shop\.sell"):
            shop.callers("sells")

    @each_row("name", ["", "  ", "x" * 2000])
    def test_no_name(self, shop: CodeGraph, name: str) -> None:
        """Nothing and too much are no names."""
        with pytest.raises(InvalidInput, match="no name"):
            shop.find_symbol(name)

    @pytest.mark.parametrize(
        "name", ["Money.sell", "lib.money.Money.sell", "lib/money.py::Money.sell"]
    )
    def test_an_inherited_member_is_found_by_the_class_that_inherits_it(
        self, make: Make, name: str
    ) -> None:
        """A member of a base is found under the name of each class below it, the nearest first."""
        graph = make({
            "lib/base.py": "class Far:\n    def sell(self): ...\nclass Base(Far):\n    x = 1\n",
            "lib/money.py": "from .base import Base\nclass Coin(Base): 1\nclass Money(Coin): 2\n",
        })  # fmt: skip
        assert names(graph.find_symbol(name)) == ["Far.sell"]

    @pytest.mark.parametrize(
        ("name", "caller"), [("Cart.Add", "use"), ("Lamp.on", "main"), ("Shop.sell", "")]
    )
    def test_a_method_that_stands_apart_from_its_type_bears_its_name(
        self, make: Make, name: str, caller: str
    ) -> None:
        """A Go receiver, `A::f` and a prototype in another file are part of the name."""
        graph = make({
            "g/a.go": "package g\ntype Cart struct{}\n",
            "g/b.go": "package g\nfunc (c *Cart) Add() {}\nfunc (b *Bag) Add() {}\n"
            "func use(c *Cart) { c.Add() }\n",
            "c/lamp.hpp": "class Lamp { public: Lamp(); void on(); };\n",
            "c/lamp.cpp": '#include "lamp.hpp"\nLamp::Lamp() {}\nvoid Lamp::on() {}\n'
            "int main() { Lamp l; l.on(); }\n",
            "j/shop.js": "const Shop = require('shop');\nShop.prototype.sell = function () {};\n",
        })  # fmt: skip
        assert names(graph.callers(name)) == ([caller] if caller else [])
        assert {node.qualname for node in graph.find_symbol(name)} == {name}
        assert names(graph.outline("lamp.cpp")) == ["Lamp.Lamp", "Lamp.on", "main"]

    @pytest.mark.parametrize(
        "name", ["shop.till.Cart", "till.Cart", "shop.till.Cart.add", "Shop.Till.Bag", "tax::rate"]
    )
    def test_a_symbol_is_found_as_its_language_names_it(self, make: Make, name: str) -> None:
        """A Java package, a C# namespace and a Rust module are parts of a name wherever the file
        lies."""
        graph = make({
            "src/a/Cart.java": "package shop.till;\nclass Cart { void add() {} }\n",
            "b/bag.cs": "namespace Shop.Till { class Bag { } }\n",
            "src/tax.rs": "pub fn rate() {}\n",
        })  # fmt: skip
        last = name.replace("::", ".").rpartition(".")[2]
        assert [node.name for node in graph.find_symbol(name)] == [last]

    @pytest.mark.parametrize("name", ["lib.Money", "lib/__init__.py::Money"])
    def test_a_symbol_is_found_by_a_module_that_hands_it_on(self, make: Make, name: str) -> None:
        """What a package imports to hand it on is found under the package's name."""
        graph = make({"lib/money.py": MONEY, "lib/__init__.py": "from .money import Money\n"})
        assert [node.qualified for node in graph.find_symbol(name)] == ["lib/money.py::Money"]

    def test_a_place_as_it_is_printed_is_a_name(self, shop: CodeGraph, tmp_path: Path) -> None:
        """path:line, path:line:column and whole paths are understood as answers print them."""
        assert names(shop.find_symbol("app.py:13")) == ["Shop.sell"]
        assert names(shop.find_symbol("app.py:9:5")) == ["Shop.sell"]
        assert names(shop.find_symbol("app.py:1")) == ["app.py"]
        assert names(shop.outline(str(tmp_path / "lib" / "money.py")))[:2] == ["Base", "Money"]

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    def test_accents_are_found_however_they_are_typed(self, make: Make, form: Any) -> None:
        """A path is found with its accents joined to their letters or apart."""
        graph = make({f"src/{normalize('NFD', 'größe')}.py": "def f(): ...\n"})
        for path in ("src/größe.py", "größe.py"):
            assert names(graph.outline(normalize(form, path))) == ["f"]

    @pytest.mark.parametrize("form", ["NFC", "NFD"])
    @pytest.mark.parametrize("source", ["NFC", "NFD"])
    def test_symbol_is_found_with_accents_joined_or_apart(
        self, make: Make, form: Any, source: Any
    ) -> None:
        """A symbol is found with its accents joined to their letters or apart, by its own name, a
        qualified one, one beside its path or module, an inherited one, and when it is nearly so."""
        code = "class Größe:\n    def maß(self): ...\nclass Enge(Größe): ...\nübrig = 1\n"
        graph = make({f"src/{normalize(source, 'größe')}.py": normalize(source, code)})
        asked = ["maß", "Größe.maß", "Größe#maß", "größe.py::Größe.maß", "größe.Größe.maß"]
        for name in [*asked, "Enge.maß", "größe.py:2"]:
            (found,) = graph.find_symbol(normalize(form, name)).nodes
            assert normalize("NFC", found.qualname) == "Größe.maß"
            assert not graph.callers(normalize(form, name)).nodes
        (near,) = graph.find_symbol(normalize(form, "Übrigg"), limit=1).nodes
        assert normalize("NFC", near.name) == "übrig"
        text = normalize(form, "Why Größe.maß and größe.py::übrig are there")
        symbols = [normalize("NFC", place.symbol) for place in places_in_text(graph._store, text)]
        assert symbols == ["übrig", "Größe.maß"]
        assert len(places_named(graph._store, [normalize(form, "maß")])) == 1
        path, name = normalize(form, "src/größe.py"), normalize(form, "maß")
        assert len(places_named_at(graph._store, [(path, name)])) == 1

    @pytest.mark.parametrize("name", ["ﬁle", "file", "ｆile", "Ｂox.ﬁle", "a.py::Box.ﬁle"])
    def test_python_symbol_is_found_as_written_and_as_normalised(
        self, make: Make, name: str
    ) -> None:
        """A Python name is found as it is written and as Python reads it, and so is one of a
        language that does not normalise."""
        graph = make(
            {"a.py": "class Box:\n    def ﬁle(self): ...\n", "b.js": "function ﬂow() {}\n"}
        )
        assert names(graph.find_symbol(name)) == ["Box.file"]
        assert names(graph.find_symbol("ﬂow")) == ["ﬂow"]
        assert [place.symbol for place in places_in_text(graph._store, "see Box.ﬁle")] == [
            "Box.file"
        ]

    def test_name_of_code_comes_before_a_section_of_that_name(self, make: Make) -> None:
        """A name that code has means the code; a section is found by its document, after all
        code by its name, and by its name alone where no code has it."""
        graph = make(
            {"a.py": "def run(): ...\ndef go(): run()\n", "z.md": "# run\nIt runs.\n# Use\n"}
        )
        found = graph.find_symbol("run").nodes
        assert [(node.kind, node.path) for node in found] == [
            ("function", "a.py"),
            ("section", "z.md"),
        ]
        callers = graph.callers("run")
        assert names(callers) == ["go"]
        assert not callers.notes
        (place,) = find_places(graph._store, "run")
        assert place.path == "a.py"
        for name in ("z.md::run", "z.md:2"):
            assert [node.kind for node in graph.find_symbol(name)] == ["section"]
        assert [place.path for place in find_places(graph._store, "Use")] == ["z.md"]
        assert names(graph.outline("z.md")) == ["run", "Use"]
        assert graph.status().by_kind == {"function": 2, "section": 2}

    def test_a_file_that_is_not_parsed_says_why_its_symbols_are_unknown(self, make: Make) -> None:
        """A name in a file that was left out is not simply unknown."""
        graph = make({"a.py": "# @generated\ndef f(): ...\n"})
        with pytest.raises(NotFound, match=r"a\.py is not parsed: generated"):
            graph.callers("a.py::f")

    def test_numbers_that_return_nothing_are_refused(self, shop: CodeGraph) -> None:
        """A limit below one and a depth that is no number of steps are errors."""
        with pytest.raises(InvalidInput, match="limit: found 0"):
            shop.find_symbol("sell", limit=0)
        with pytest.raises(InvalidInput, match=r"depth: found 2\.5"):
            shop.impact("sell", depth=2.5)  # type: ignore[arg-type]

    @each_row("name", ["%", "_", "'; drop table code_files; --", "a\0b", "💥"])
    def test_names_are_no_patterns(self, shop: CodeGraph, name: str) -> None:
        """Whatever a name holds, it is taken letter by letter."""
        assert len(shop.find_symbol(name)) == 0 or "near" in shop.find_symbol(name).notes[0]
        assert len(shop.find_symbol("sell")) == 1


class TestFiles:
    """file_contents, outline, dependencies."""

    def test_file_contents(self, shop: CodeGraph) -> None:
        """Everything that a file defines or imports, in the order of its text."""
        found = shop.file_contents("app.py")
        assert [(node.kind, node.name, node.line) for node in found] == [
            ("import", "json", 2),
            ("import", "Money", 3),
            ("import", "sum_up", 3),
            ("variable", "RATE", 5),
            ("class", "Shop", 8),
            ("method", "sell", 9),
            ("method", "close", 15),
            ("function", "main", 19),
        ]
        assert found[2].qualname == "lib.money.total"

    def test_outline(self, shop: CodeGraph) -> None:
        """The outline leaves imports and variables out."""
        assert names(shop.outline("app.py")) == ["Shop", "Shop.sell", "Shop.close", "main"]

    def test_unknown_and_ambiguous_paths(self, make: Make) -> None:
        """A path that is not there, or that means two files, is an error that says what is."""
        graph = make({"a/x.py": "def f(): pass\n", "b/x.py": "def f(): pass\n", "c.txt": "x"})
        with pytest.raises(NotFound, match="near: none"):
            graph.outline("nowhere.py")
        with pytest.raises(InvalidInput, match=r"a/x\.py, b/x\.py"):
            graph.outline("x.py")
        assert names(graph.outline("a/x.py")) == ["f"]
        assert "of no known language" in graph.file_contents("c.txt").notes[0]

    def test_syntax_errors_are_told(self, make: Make) -> None:
        """What is known of a broken file comes with a note."""
        graph = make({"a.py": "def f(): pass\nx = = )\n"})
        assert "the grammar does not know" in graph.file_contents("a.py").notes[0]

    def test_dependencies(self, make: Make) -> None:
        """Files that a file leans on, and those that lean on it, step by step; circles end."""
        graph = make({
            "a.toy": "import b.toy\ndef f g",
            "b.toy": "import c.toy\ndef g",
            "c.toy": "import a.toy",
        })  # fmt: skip
        assert names(graph.dependencies("a.toy")) == ["b.toy"]
        deep = graph.dependencies("a.toy", depth=5)
        assert [(node.path, node.via and node.via.depth) for node in deep] == [
            ("b.toy", 1), ("c.toy", 2),
        ]  # fmt: skip
        assert names(graph.dependents("a.toy", depth=2)) == ["c.toy", "b.toy"]
        with pytest.raises(InvalidInput, match="depth"):
            graph.dependencies("a.toy", depth=0)


class TestEdges:
    """callers, callees, references, inherits, impact."""

    def test_callers_and_callees(self, shop: CodeGraph) -> None:
        """Who calls it and what it calls, with the line and how the edge was found."""
        callers = shop.callers("Shop.sell")
        assert names(callers) == ["Shop.close", "main"]
        via = callers[0].via
        assert via is not None
        assert (via.kind, via.state, via.path, via.line) == ("calls", "resolved", "app.py", 16)
        assert "total" in names(shop.callees("Shop.sell"))
        assert [node.via.path for node in shop.callees("Shop.sell") if node.via] == ["app.py"]

    def test_callers_of_a_class(self, shop: CodeGraph) -> None:
        """What makes a class calls it, also if it has no initialiser."""
        assert names(shop.callers("Money")) == ["total"]
        assert names(shop.callers("Shop")) == ["main"]

    def test_inherits(self, shop: CodeGraph) -> None:
        """Bases of a class, and the classes that inherit from one; nothing else has them."""
        assert names(shop.supertypes("Money")) == ["Base"]
        assert names(shop.subtypes("Base")) == ["Money"]
        with pytest.raises(InvalidInput, match="no class"):
            shop.supertypes("main")

    def test_class_may_inherit_from_another_of_its_name(self, make: Make) -> None:
        """Of several classes of a name one may inherit from another, by a third as well; no class
        is its own base, and no function leans on itself."""
        graph = make({
            "core.py": "class Request: ...\nclass Mid(Request): ...\n",
            "web.py": "import core\nclass Request(core.Mid): ...\n",
            "loop.py": "def again(): again()\n",
        })  # fmt: skip
        found = graph.supertypes("Request")
        assert [(node.path, node.qualname) for node in found] == [
            ("core.py", "Mid"), ("core.py", "Request"),
        ]  # fmt: skip
        assert names(graph.subtypes("Request")) == ["Mid", "Request"]
        assert names(graph.impact("again")) == []

    def test_references(self, shop: CodeGraph) -> None:
        """Calls, imports and other uses together."""
        found = shop.references("total")
        assert {node.via.kind for node in found if node.via} >= {"calls", "imports"}

    def test_ambiguous_names(self, make: Make) -> None:
        """A name of several symbols takes all of them and names them; none is guessed."""
        graph = make({"a.toy": "def f\ndef a f", "b.toy": "def f\ndef b f"})
        found = graph.callers("f")
        assert names(found) == ["a", "b"]
        assert "'f' means 2 symbols: a.toy::f, b.toy::f" in found.notes[0]
        assert names(graph.callers("a.toy::f")) == ["a"]

    def test_overloads_are_one_symbol(self, make: Make) -> None:
        """Several definitions of one name in one place are not called ambiguous."""
        text = "if x:\n    def f(): ...\nelse:\n    def f(): ...\ndef g(): f()\n"
        found = make({"a.py": text}).callers("f")
        assert (names(found), found.notes) == (["g"], ())

    def test_candidates_come_when_asked_for(self, make: Make) -> None:
        """Edges to one of several of a name are hidden, and marked when they are shown."""
        graph = make({"a.toy": "def f", "b.toy": "def f", "c.toy": "def c f"})
        hidden = graph.callers("a.toy::f")
        assert (len(hidden), hidden.notes[0][:7]) == (0, "1 more ")
        found = graph.callers("a.toy::f", candidates=True)
        assert found.notes == ()
        assert names(found) == ["c"]
        assert [node.via.state for node in found if node.via] == ["ambiguous"]
        assert len(graph.callees("c", candidates=True)) == 2

    def test_overrides(self, make: Make) -> None:
        """With `overrides`, calls of the method that it overrides are calls of it too."""
        graph = make({
            "a.py": "class A:\n    def run(self): pass\n\ndef use(a: A):\n    a.run()\n",
            "b.py": "from a import A\n\nclass B(A):\n    def run(self): pass\n",
        })  # fmt: skip
        assert names(graph.callers("B.run")) == []
        assert names(graph.callers("B.run", overrides=True)) == ["use"]

    def test_references_of_methods_with_one_name_together(self, make: Make) -> None:
        """With `overrides`, what a rename has to change: calls and definitions of every method
        that is joined by overriding, whichever of them is named."""
        graph = make({
            "a.py": "class A:\n    def run(self): pass\n\ndef use(a: A):\n    a.run()\n",
            "b.py": "from a import A\n\nclass B(A):\n    def run(self): pass\n",
            "c.py": "from a import A\n\nclass C(A):\n    def run(self): pass\n",
        })  # fmt: skip
        assert names(graph.references("B.run")) == []
        joined = [("a.py", 2), ("a.py", 5), ("b.py", 4), ("c.py", 4)]
        for name, own in (("A.run", ("a.py", 2)), ("B.run", ()), ("C.run", ())):
            found = graph.references(name, overrides=True)
            places = {(node.via.path, node.via.line) for node in found if node.via}
            assert sorted(places) == [place for place in joined if place != own]

    def test_like_path_id_confusion(self, make: Make) -> None:
        """Case like-path-id-confusion: odd names and many beginnings share one walk that ends."""
        odd = ["a", "a,b", "b", "1", "11", "%", "x_y"]
        chain = "\n".join(f"def {one} {other}" for one, other in pairwise(odd))
        graph = make({"a.toy": f"{chain}\ndef x_y a"})
        for name in odd:
            found = graph.impact(f"a.toy::{name}", depth=20)
            assert sorted(names(found)) == sorted(set(odd) - {name})

    def test_impact_is_nearest_first(self, make: Make) -> None:
        """Everything that leans on a symbol over some steps, the nearest first."""
        graph = make({"a.toy": "def f\ndef g f\ndef h g\ndef i h"})
        found = graph.impact("f", depth=2)
        assert [(node.name, node.via and node.via.depth) for node in found] == [("g", 1), ("h", 2)]
        assert names(graph.impact("f")) == ["g", "h", "i"]

    def test_long_answers_are_cut(self, make: Make) -> None:
        """An answer holds a thousand nodes at most and says how many more there are."""
        graph = make({"a.toy": "def hub\n" + "\n".join(f"def f{n} hub" for n in range(1005))})
        found = graph.callers("hub")
        assert len(found) == 1000
        assert found.notes == ("5 more are not shown",)


class TestAnswers:
    """What every answer carries."""

    def test_coverage(self, make: Make) -> None:
        """How many files and references an answer rests on."""
        graph = make({"a.toy": "def f f zzz", "b.toy": "crash", "c.md": "x"})
        seen = graph.callers("f").coverage
        assert (seen.files, seen.parsed) == (3, 1)
        assert (seen.resolved, seen.unresolved, seen.share) == (1, 1, 0.5)
        assert seen.failed == (("b.toy", "not parsed: ValueError: asked to crash"),)

    def test_is_a_sequence(self, make: Make) -> None:
        """An answer is a frozen sequence of nodes."""
        found = make({"a.toy": "def f\ndef g f\ndef h f"}).callers("f")
        assert (len(found), found[0].name, [n.name for n in found[1:]]) == (2, "g", ["h"])
        assert found[0] in found
        with pytest.raises(AttributeError):
            found.notes = ()  # type: ignore[misc]

    def test_same_again(self, shop: CodeGraph) -> None:
        """The same question gets the same answer."""
        assert shop.impact("total") == shop.impact("total")


# -- details


LONG = {
    "app.py": '''\
"""What the shop does."""


@cached
def first(a, b):
    """The first."""
    def inner(x):
        return x
    return inner(a)


# Above the second.
@cached
def second(a: int) -> str:
    if a:
        return "x"
    return "y"


class Shop(Base):
    """Sells."""

    rate = 0.2

    def sell(self, thing):
        """Sell one thing."""
        return [
            thing,
        ]

    @property
    def name(self):
        return (
            "shop"
        )
''',
    "lib.rs": """\
/// Of the first.
#[inline]
pub fn first(a: u32) -> u32 {
    a
}

/// A point.
pub struct Point {
    x: u32,
}

impl Point {
    /// Makes one.
    pub fn new(x: u32) -> Self {
        Point { x }
    }

    pub fn x(&self) -> u32 {
        self.x
    }
}

#[cfg(test)]
mod tests {
    fn new() {
        assert!(true);
    }
}
""",
    "calc.cc": """\
// Adds.
template <typename T>
T add(T a, T b) {
  return a + b;
}
// Holds.
class Box {
 public:
  // Opens.
  int open() {
    return 1;
  }
  int shut() {
    return 2;
  }
};
""",
    "web.ts": """\
/** Loads. */
export const load = async (path: string) => {
  return await read(path);
};

export class View {
  /** Draws. */
  draw(at: number): void {
    this.at = at;
  }

  erase() {
    this.at = 0;
  }
}
""",
}


def test_one_symbol_has_the_details_that_the_whole_file_gives_it(make: Make) -> None:
    """Signature, doc line and place are the same, whichever symbols are asked for."""
    graph = make(LONG)
    for path in LONG:
        for node in graph.file_contents(path):
            if node.kind == "import":
                continue
            answer = [other for other in graph.find_symbol(node.qualified) if other.id == node.id]
            assert [other.details for other in answer] == [node.details]
            assert node.details
            assert node.details.signature


def test_only_what_is_asked_for_is_parsed(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The texts of all other definitions are left blank: to read one symbol costs no more for
    many beside it."""
    many = "\n\n".join(f"def f{n}(a):\n    return [\n        a,\n    ]\n" for n in range(200))
    graph = make({"many.py": many})
    read: list[bytes] = []
    analysis = graph._analysis()

    def extract(data: bytes, path: str, language: str) -> Facts:
        read.append(data)
        return analysis.extract(data, path, language)

    watched = attrs.evolve(analysis, extract=extract)
    monkeypatch.setattr(graph, "_analysis", lambda: watched)
    node = graph.find_symbol("f77")[0]
    assert node.details
    assert node.details.signature == "def f77(a)"
    assert [b"".join(data.split()) for data in read] == [b"deff77(a):return[a,]"]
    assert len(read[0]) == len(many)


def test_details_of_a_symbol_that_cannot_be_read_apart(make: Make) -> None:
    """What shares its lines with another definition is read from the whole file."""
    graph = make({"odd.js": "const a = {\n  f() {\n  }, g() {\n  },\n};\nfunction h() {\n}\n"})
    whole = {node.id: node.details for node in graph.file_contents("odd.js")}
    names = ("g", "f", "h")
    assert all(whole[node.id] == node.details for n in names for node in graph.find_symbol(n))
