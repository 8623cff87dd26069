"""What names mean in Python programs, and that it depends on nothing but the files."""

from __future__ import annotations

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.codegraph.resolve import keys_of

from ..programs import Sources, facts_of


def calls(files: dict[str, str], **options: str) -> set[tuple[str, str]]:
    """Return the calls of a program as pairs of `path:name`."""
    return Sources(files).edges(**options)


def test_aliases_lead_to_what_they_stand_for() -> None:
    """A module or function imported under another name, anywhere, is the same function."""
    found = calls({
        "pkg/gate.py": "def check(r): return bool(r)",
        "a.py": "from pkg import gate as g\ndef a(): return g.check(1)",
        "b.py": "import pkg.gate as gg\ndef b(): return gg.check(1)",
        "c.py": "from pkg.gate import check as ck\ndef c(): return ck(1)",
        "d.py": "try:\n  from pkg import gate as tg\nexcept ImportError:\n  tg = None\n"
        "def d():\n  return tg.check(1)",
        "e.py": "def e():\n  from pkg import gate as lg\n  return lg.check(1)",
        "f.py": "import pkg.gate\ndef f(): return pkg.gate.check(1)",
    })  # fmt: skip
    assert {source for source, target in found if target == "pkg/gate.py:check"} == {
        f"{name}.py:{name}" for name in "abcdef"
    }


def test_imports_decide_between_equal_names() -> None:
    """A call goes where its import says; without one it is ambiguous, never a guess."""
    files = {
        "billing/fmt.py": "class Bill:\n  def amount(self): return 1",
        "shipping/fmt.py": "class Ship:\n  def amount(self): return 1\ndef amount(x): return x",
        "use.py": "from shipping.fmt import amount\ndef go(): return amount(2)",
        "vague.py": "def v(obj): return obj.amount(3)",
        "loose.py": "def w(): return amount(4)",
    }
    assert calls(files) == {("use.py:go", "shipping/fmt.py:amount")}
    assert calls(files, state="ambiguous") == {
        ("vague.py:v", "billing/fmt.py:Bill.amount"),
        ("vague.py:v", "shipping/fmt.py:Ship.amount"),
    }


def test_self_and_super_go_through_the_bases() -> None:
    """Inherited methods, super() and initialisers are found in other files as well."""
    program = Sources({
        "base.py": "class Base:\n  def __init__(self): self.prep()\n  def prep(self): pass\n"
        "  def save(self): pass",
        "child.py": "from base import Base\nclass Child(Base):\n  def save(self):\n"
        "    super().save()\n  def go(self):\n    self.prep(); self.save()\n"
        "def make(): return Child()",
    })  # fmt: skip
    assert program.edges() == {
        ("base.py:Base.__init__", "base.py:Base.prep"),
        ("child.py:Child.save", "base.py:Base.save"),
        ("child.py:Child.go", "base.py:Base.prep"),
        ("child.py:Child.go", "child.py:Child.save"),
        ("child.py:make", "base.py:Base.__init__"),
    }
    assert ("child.py:make", "child.py:Child") in program.edges("uses")
    assert program.edges("inherits") == {("child.py:Child", "base.py:Base")}
    assert program.edges("overrides") == {("child.py:Child.save", "base.py:Base.save")}


def test_types_of_values_lead_to_methods() -> None:
    """Constructors, annotations, attributes and what functions give back tell a receiver's type."""
    found = calls(
        {
            "a.py": """
            from typing import Iterator, Optional
            class Dog:
                def bark(self): ...
            class Home:
                pets: list[Dog]
                def __init__(self, guard: Optional[Dog]):
                    self.guard = guard
                def ring(self):
                    self.guard.bark()
                    for pet in self.pets:
                        pet.bark()
            def find() -> "Dog": ...
            def by_body():
                return Dog()
            def some() -> Iterator[Dog]:
                yield Dog()
            def one(): Dog().bark()
            def two(): find().bark()
            def three(): by_body().bark()
            def four(): next(some()).bark()
            def five(x):
                assert isinstance(x, Dog)
                x.bark()
        """
        }
    )
    barking = {source for source, target in found if target == "a.py:Dog.bark"}
    assert barking == {
        f"a.py:{name}" for name in ("Home.ring", "one", "two", "three", "four", "five")
    }


def test_a_local_name_hides_what_is_outside() -> None:
    """Parameters and locals are not the function of that name in the module."""
    assert not calls({"a.py": "def run(): ...\ndef f(run): run()\ndef g():\n  run = 1\n  run()\n"})


def test_the_only_method_of_a_name_is_found_unless_it_is_common() -> None:
    """An unknown receiver has the one method of that name; not one that lists have too."""
    program = Sources({"a.py": "class A:\n  def frobnicate(self): ...\n  def append(self, x): ...\n"
                       "def f(x):\n  x.frobnicate()\n  x.append(1)\n"})  # fmt: skip
    assert program.edge("a.py", "f", "A.frobnicate").tier == "only"
    assert program.edges() == {("a.py:f", "a.py:A.frobnicate")}


def test_stars_and_circles_of_imports_end() -> None:
    """Names go through star imports and re-exports, also where modules import each other."""
    found = calls({
        "pkg/__init__.py": "from .a import *\nfrom .b import g as h\n",
        "pkg/a.py": "from .b import *\ndef f(): g()\n",
        "pkg/b.py": "from .a import *\ndef g(): f()\ndef lost(): nowhere()\n",
        "use.py": "import pkg\npkg.f()\npkg.h()\n",
    })  # fmt: skip
    assert found == {
        ("pkg/a.py:f", "pkg/b.py:g"),
        ("pkg/b.py:g", "pkg/a.py:f"),
        ("use.py:", "pkg/a.py:f"),
        ("use.py:", "pkg/b.py:g"),
    }


def test_a_circle_of_bases_ends() -> None:
    """Classes that inherit from each other are looked through once."""
    found = calls(
        {"a.py": "class A(B):\n  def f(self): self.g()\nclass B(A):\n  def g(self): self.f()\n"}
    )
    assert found == {("a.py:A.f", "a.py:B.g"), ("a.py:B.g", "a.py:A.f")}


@pytest.mark.parametrize("root", ["", "src/", "tools/python/"])
def test_packages_are_found_where_they_lie(root: str) -> None:
    """A package is found in the tree, below src, and from files that lie elsewhere."""
    found = calls({
        f"{root}shop/__init__.py": "",
        f"{root}shop/till.py": "from . import paper\nfrom .paper import cut\n"
        "def pay(): cut(); paper.cut()",
        f"{root}shop/paper.py": "def cut(): ...",
        "tests/test_till.py": "from shop.till import pay\npay()",
    })  # fmt: skip
    assert (f"{root}shop/till.py:pay", f"{root}shop/paper.py:cut") in found
    assert ("tests/test_till.py:", f"{root}shop/till.py:pay") in found


def test_a_file_named_like_the_standard_library_is_not_taken_for_it() -> None:
    """`import json` means the standard library, wherever a json.py lies."""
    files = {"t/json.py": "def loads(x): ...", "app/a.py": "import json\njson.loads(1)"}
    assert not calls(files)


def test_a_tree_that_is_a_package_itself_is_read() -> None:
    """An `__init__.py` at the very top is no endless way up."""
    assert calls({"__init__.py": "", "a.py": "from .b import f\nf()", "b.py": "def f(): ..."}) == {
        ("a.py:", "b.py:f")
    }


_PIECES = (
    "from m{n} import *\n", "from m{n} import f{k} as g{k}\n", "import m{n} as z\n",
    "class C{k}(D{n}): pass\n",
    "class D{n}(C{k}):\n  def f{k}(self): self.f{n}(); self.x = g{n}()\n",
    "def f{k}(a=None): return g{n}(f{n})\n", "g{n} = f{k}\n", "def g{k}(): return C{n}()\n",
    "z.f{k}().f{n}()\n", "C{k}().x.f{n}()\n", "f{n} = [f{n}, *f{k}]\n", "f{n}[0]()\n",
)  # fmt: skip
_FILE = st.lists(
    st.builds(
        lambda piece, n, k: piece.format(n=n, k=k),
        st.sampled_from(_PIECES), st.integers(0, 2), st.integers(0, 2),
    ),
    max_size=7,
).map("".join)  # fmt: skip


@given(st.tuples(_FILE, _FILE, _FILE))
def test_the_order_of_files_does_not_matter(texts: tuple[str, str, str]) -> None:
    """However a program is walked through, each file gives the same edges, counts and reads."""
    files = {f"m{n}.py": text for n, text in enumerate(texts)}
    orders = list(permutations(files))
    found = []
    for order in orders:
        program = Sources(files)
        resolved = {path: program.resolved(path) for path in order}
        found.append({path: resolved[path] for path in files})
    assert all(one == found[0] for one in found)


def test_keys_do_not_change_with_places() -> None:
    """Moving code changes no key; what others can read of it does."""
    text = "import os\ndef f(x): return [g(y) for y in x]\nclass A:\n  def m(self): return f(1)\n"
    keys = keys_of(facts_of(text, "a.py"), "a.py")
    assert keys == keys_of(facts_of(f"# moved\n\n{text}", "a.py"), "a.py")
    changed = keys_of(facts_of(text.replace("return f(1)", "return A()"), "a.py"), "a.py")
    assert {key for key in keys if keys[key] != changed.get(key)} == {"d:a.py:A.m"}


def test_reading_a_property_calls_it() -> None:
    """Own, inherited and cached properties are called by what reads them, by the object's type;
    reading one from its class is none."""
    found = calls({
        "a.py": """
from functools import cached_property
class Base:
    @property
    def size(self): return 1
    @cached_property
    def whole(self): return self.size
class Thing(Base):
    def go(self): return self.size + super().whole
class Other:
    size = 3
def use(x: Thing, o: Other): return x.whole, o.size, Thing.size
""",
        "b.ts": """
class Cart { get total() { return 1 } sum() { return this.total } }
function pay(c: Cart) { return c.total }
""",
    })  # fmt: skip
    assert {one for one in found if one[1].rpartition(".")[2] in ("size", "whole", "total")} == {
        ("a.py:Base.whole", "a.py:Base.size"),
        ("a.py:Thing.go", "a.py:Base.size"),
        ("a.py:Thing.go", "a.py:Base.whole"),
        ("a.py:use", "a.py:Base.whole"),
        ("b.ts:Cart.sum", "b.ts:Cart.total"),
        ("b.ts:pay", "b.ts:Cart.total"),
    }


def test_built_in_functions_run_methods_of_what_they_are_given() -> None:
    """str, len, list and their like call the method of their argument's type, each time."""
    found = calls({
        "a.py": """
class Box:
    def __str__(self): return ""
    def __len__(self): return 0
    def __iter__(self): return Walk()
class Walk:
    def __next__(self): return 1
class Plain: ...
def shown(b: Box, p: Plain): return str(p), str(b), len(b)
def all_of(b: Box): return sorted(b)
"""
    })  # fmt: skip
    assert {one for one in found if "__" in one[1]} == {
        ("a.py:shown", "a.py:Box.__str__"),
        ("a.py:shown", "a.py:Box.__len__"),
        ("a.py:all_of", "a.py:Box.__iter__"),
        ("a.py:all_of", "a.py:Walk.__next__"),
    }


def test_the_class_of_an_object_makes_another() -> None:
    """`self.__class__(…)` and `type(self)(…)` call the initialiser."""
    found = calls({
        "a.py": """
class Box:
    def __init__(self, n): ...
    def copy(self): return self.__class__(1)
    def twin(self): return type(self)(2)
"""
    })  # fmt: skip
    assert {source for source, target in found if target == "a.py:Box.__init__"} == {
        "a.py:Box.copy",
        "a.py:Box.twin",
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (
            "a.go",
            "package p\ntype Lamp struct{}\nfunc (l *Lamp) On() {}\n"
            "type Room struct { Lamp; other *Lamp }\n"
            "func (r *Room) One() { r.Lamp.On() }\nfunc (r *Room) Two() { r.other.On() }\n",
        ),
        (
            "A.java",
            "class Lamp { void On() {} }\nclass Room { Lamp Lamp; Lamp other;\n"
            "void One() { Lamp.On(); }\nvoid Two() { other.On(); } }\n",
        ),
        (
            "a.cs",
            "class Lamp { public void On() {} }\nclass Room { Lamp Lamp { get; } Lamp other;\n"
            "void One() { this.Lamp.On(); }\nvoid Two() { Lamp x = other; x.On(); } }\n",
        ),
        (
            "a.ts",
            "class Lamp { On() {} }\nclass Room { Lamp: Lamp; other: Lamp;\n"
            "One() { this.Lamp.On() }\nTwo() { this.other.On() } }\n",
        ),
        (
            "a.cpp",
            "class Lamp { public: void On() {} };\nclass Room { ::Lamp Lamp; ::Lamp other;\n"
            "void One() { Lamp.On(); }\nvoid Two() { other.On(); } };\n",
        ),
    ],
    ids=["go", "java", "csharp", "typescript", "cpp"],
)
def test_a_member_that_is_named_as_its_type_does_not_hide_it(path: str, text: str) -> None:
    """In `Lamp Lamp` the one is a type and the other a member, also for all other members."""
    found = calls({path: text})
    assert {one[0].rpartition(".")[2] for one in found if one[1].endswith("On")} == {"One", "Two"}
