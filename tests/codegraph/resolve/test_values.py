"""What a value can be after it went through containers, calls, types and loops."""

from __future__ import annotations

import pytest

from tests.tables import each_row

from ..programs import Sources, calls, flow

# The class that every case below has an object of, by some way round. The other one has the same
# methods: the name alone does not tell which is meant.
LAMP = """
from typing import Callable, Iterator, Self, cast
class Lamp:
    def on(self): ...
    def dim(self) -> Self: ...
class Horn:
    def on(self): ...
    def dim(self) -> Self: ...
"""

WAYS = {
    "list": "[Lamp()][0].on()",
    "tuple of two": "(1, Lamp())[1].on()",
    "mapping": "{'a': Lamp()}['a'].on()",
    "mapping by get": "{'a': Lamp()}.get('a').on()",
    "values": "for one in {'a': Lamp()}.values():\n    one.on()",
    "items": "for key, one in {'a': Lamp()}.items():\n    one.on()",
    "spread list": "for one in [*[Lamp()]]:\n    one.on()",
    "spread mapping": "{**{'a': Lamp()}}['a'].on()",
    "unpacked": "first, second = 1, Lamp()\nsecond.on()",
    "pop": "[Lamp()].pop().on()",
    "copy": "[Lamp()].copy()[0].on()",
    "comprehension": "[one.on() for one in [Lamp()]]",
    "comprehension made": "[Lamp() for n in 'ab'][0].on()",
    "conditional": "one = Lamp() if 1 else None\none.on()",
    "or": "one = None or Lamp()\none.on()",
    "walrus": "if one := Lamp():\n    one.on()",
    "annotated": "def f(x: Lamp):\n    x.on()",
    "optional": "def f(x: 'Lamp | None'):\n    x.on()",
    "list of type": "def f(x: list[Lamp]):\n    x[0].on()",
    "mapping of type": "def f(x: dict[str, Lamp]):\n    x['a'].on()",
    "items of type": "def f(x: dict[str, Lamp]):\n    for k, v in x.items():\n        v.on()",
    "row of type": "def f(x: tuple[int, Lamp]):\n    x[1].on()",
    "class of type": "def f(x: type[Lamp]):\n    x().on()",
    "callable of type": "def f(x: Callable[[], Lamp]):\n    x().on()",
    "rest of type": "def f(*x: Lamp):\n    x[0].on()",
    "default": "def f(x=Lamp()):\n    x.on()",
    "cast": "cast(Lamp, 1).on()",
    "narrowed": "def f(x):\n    if isinstance(x, Lamp):\n        x.on()",
    "returned": "def f(): return Lamp()\nf().on()",
    "declared": "def f() -> Lamp: ...\nf().on()",
    "returned function": "def f(): return g\ndef g(): return Lamp()\nf()().on()",
    "chained": "Lamp().dim().dim().on()",
    "generator": "def f():\n    yield Lamp()\nfor one in f():\n    one.on()",
    "iterator of type": "def f() -> Iterator[Lamp]: ...\nfor one in f():\n    one.on()",
    "next": "def f():\n    yield Lamp()\nnext(f()).on()",
    "own iterator": (
        "class Box:\n    def __iter__(self):\n        yield Lamp()\nfor one in Box():\n    one.on()"
    ),
    "own next": (
        "class Box:\n    def __iter__(self): return self\n    def __next__(self): return Lamp()\n"
        "for one in Box():\n    one.on()"
    ),
    "own subscript": (
        "class Box:\n    def __getitem__(self, key): return Lamp()\nBox()[3].on()"
    ),
    "own with": (
        "class Box:\n    def __enter__(self): return Lamp()\nwith Box() as one:\n    one.on()"
    ),
    "context manager": (
        "from contextlib import contextmanager\n@contextmanager\ndef f():\n    yield Lamp()\n"
        "with f() as one:\n    one.on()"
    ),
    "await": "async def f(): return Lamp()\nasync def g():\n    (await f()).on()",
    "getattr": "class Box:\n    lamp = Lamp()\ngetattr(Box(), 'lamp').on()",
    "lambda": "f = lambda: Lamp()\nf().on()",
    "property": (
        "class Box:\n    @property\n    def lamp(self): return Lamp()\nBox().lamp.on()"
    ),
    "super": (
        "class Big(Lamp):\n    def on(self):\n        super().on()"
    ),
}  # fmt: skip


@each_row("way", WAYS)
def test_object_keeps_its_type_through_containers_and_calls(way: str) -> None:
    """The method that is called on it is found without following arguments."""
    found = calls({"a.py": f"{LAMP}{WAYS[way]}\n"})
    assert "a.py:Lamp.on" in {target for _, target in found}


@pytest.mark.parametrize(
    "text",
    [
        "(1, Lamp())[0].on()", "{'a': Lamp(), 'b': 1}['b'].on()",
        "def f(x: tuple[int, Lamp]):\n    x[0].on()", "[1].pop().on()",
        "def f(x: tuple[Lamp, int]):\n    x[7].on()",
    ],
)  # fmt: skip
def test_element_at_another_position_is_not_the_object(text: str) -> None:
    """A place that holds something else leads to no method of the object beside it."""
    assert "a.py:Lamp.on" not in {target for _, target in calls({"a.py": f"{LAMP}{text}\n"})}


@pytest.mark.parametrize("text", ["(1, Lamp())[5].on()", "[Lamp()][3].on()"])
def test_a_place_behind_the_end_holds_nothing(text: str) -> None:
    """It meant every element before."""
    assert "a.py:Lamp.on" not in {target for _, target in calls({"a.py": f"{LAMP}{text}\n"})}


@pytest.mark.parametrize(
    "text",
    [
        "all = {Lamp: 1}\nfor one in all.keys():\n    one().on()\n",
        "lamp = Lamp()\nfor one in {lamp: 1}.keys():\n    one.on()\n",
    ],
)
def test_keys_of_a_mapping_are_walked_through(text: str) -> None:
    """Its method was taken for what it holds under a key that is no constant."""
    assert "a.py:Lamp.on" in {target for _, target in calls({"a.py": LAMP + text})}


def test_a_method_of_a_mapping_is_none_of_its_values() -> None:
    """Nothing that a mapping holds under a key that is not known is called by its methods."""
    text = "def work(): ...\ndef f(key):\n    {key: work}.update({})\n"
    assert calls({"a.py": text}) == set()


FLOWS = {
    "star arguments": "def run(a, b): b()\nrun(*[1, work])",
    "mapping of arguments": "def run(a, b): b()\njobs = {'a': 1, 'b': work}\nrun(**jobs)",
    "rest handed on": "def run(*jobs): go(*jobs)\ndef go(a, b): b()\nrun(1, work)",
    "named handed on": "def run(**o): go(**o)\ndef go(job): job()\nrun(job=work)",
    "returned": "def make(): return work\nmake()()",
    "returned inside": "def make(f):\n  def inner(): f()\n  return inner\nmake(work)()",
    "conditional": "def run(job): job()\nrun(work if 1 else None)",
    "extend": "todo = []\ntodo.extend([work])\ntodo[0]()",
    "insert": "todo = []\ntodo.insert(0, work)\ntodo[0]()",
    "add": "todo = set()\ntodo = {1}\ntodo.add(work)\nfor one in todo: one()",
    "setdefault": "todo = {}\ntodo.setdefault('a', work)\ntodo['a']()",
    "update": "todo = {}\ntodo.update({'a': work})\ntodo['a']()",
    "key by name": "key = 'a'\ntodo = {'a': work}\ntodo[key]()",
    "unknown key": "todo = {}\ntodo[input()] = work\ntodo['b']()",
    "yielded": "def give(): yield work\nfor one in give(): one()",
    "yielded argument": "def give(x): yield x\nfor one in give(work): one()",
    "context": (
        "class Box:\n  def __init__(self, job): self.job = job\n"
        "  def __enter__(self): return self.job\nwith Box(work) as one: one()"
    ),
    "comprehension": "def run(jobs): [job() for job in jobs]\nrun([work])",
    "member": "class Box:\n  def __init__(self, job): self.job = job\nBox(work).job()",
    "awaited": "async def give(x): return x\nasync def main(): (await give(work))()",
    "default": "def run(job=work): job()\nrun()",
    "partial lambda": "def run(job): job()\nrun(lambda: work())",
    "class decorator": (
        "class Keep:\n  def __init__(self, f): self.f = f\n  def __call__(self): self.f()\n"
        "@Keep\ndef kept(): ...\nKeep(work)()"
    ),
    "filter": "list(filter(work, [1]))",
}  # fmt: skip


@each_row("way", FLOWS)
def test_a_function_is_followed_to_where_it_is_called(way: str) -> None:
    """A function handed over, held or given back is called at the other end."""
    assert "work" in {target for _, target in flow(f"def work(*x): ...\n{FLOWS[way]}\n")}


@pytest.mark.parametrize(
    "text",
    [
        "todo = {'a': 1}\ntodo['b'] = work\ntodo['a']()",
        "def run(a, b): a()\nrun(1, work)",
        "def run(**o): o['x']()\nrun(x=1, job=work)",
    ],
)
def test_a_function_beside_is_not_called(text: str) -> None:
    """Another key, place or name leads to nothing."""
    assert "work" not in {target for _, target in flow(f"def work(): ...\n{text}\n")}


# In each language two classes with a method of one name.
_SCRIPT = "class A { go() {} }\nclass B { go() {} }\n"
_TYPED = "class A { void go() {} }\nclass B { void go() {} }\n"
TWO = {
    "a.ts": _SCRIPT,
    "a.js": _SCRIPT,
    "a.java": _TYPED,
    "a.cs": _TYPED,
    "a.rs": "struct A;\nstruct B;\nimpl A { fn go(&self) {} }\nimpl B { fn go(&self) {} }\n",
}


@pytest.mark.parametrize(
    ("path", "text", "target"),
    [
        ("a.ts", "function f(x: A[]) { for (const a of x) a.go() }\n", "A.go"),
        ("a.ts", "function f(x: Map<string, A>) { x.get('k').go() }\n", "A.go"),
        ("a.ts", "function f(x: unknown) { (x as A).go() }\n", "A.go"),
        ("a.js", "const [a] = [new A()]\na.go()\n", "A.go"),
        ("a.js", "const o = {run: new A()}\no.run.go()\n", "A.go"),
        ("a.java", "class C { void f(java.util.List<A> x) { for (A a : x) a.go(); } }\n", "A.go"),
        ("a.cs", "class C { void F(object x) { ((A)x).go(); } }\n", "A.go"),
        ("a.rs", "fn f(x: A) { x.go(); }\n", "A.go"),
    ],
)  # fmt: skip
def test_other_languages_have_values_too(path: str, text: str, target: str) -> None:
    """Element types, casts and literals are followed in each language, past another class."""
    found = calls({path: TWO[path] + text})
    assert f"{path}:{target}" in {called for _, called in found}
    assert f"{path}:B.go" not in {called for _, called in found}


@pytest.mark.parametrize(
    "wrapped", ["(function () {})", "((x) => x)", "(<T>(x: T) => x)", "((x) => x) satisfies F"]
)
def test_function_in_parentheses_is_bound_to_its_name(wrapped: str) -> None:
    """A function in parentheses takes the name that it is given, and is found by it."""
    files = {"a.ts": f"export const f = {wrapped};", "b.ts": "import { f } from './a'; f()"}
    assert calls(files) == {("b.ts:", "a.ts:f")}


def test_function_behind_a_comment_is_bound_to_its_name() -> None:
    """A function that does not take the name is found by it all the same."""
    assert calls({"a.js": "const f = (/* no name */ () => 1); f()"}) == {
        ("a.js:", "a.js:<anonymous>")
    }


def test_object_has_the_members_of_spread_modules() -> None:
    """An object has what the modules have that are spread in it; the last one of a name counts."""
    files = {
        "a.ts": "export function one() {}\nexport function two() {}",
        "b.ts": "export function two() {}",
        "c.ts": """
            import * as a from './a'
            import * as b from './b'
            const all = { ...a, ...b, three() {} }
            function use() { all.one(); all.two(); all.three() }
        """,
    }
    assert calls(files) == {
        ("c.ts:use", "a.ts:one"), ("c.ts:use", "b.ts:two"), ("c.ts:use", "c.ts:all.three"),
    }  # fmt: skip


def test_last_of_equal_keys_in_an_object_literal_counts() -> None:
    """Of several members of one name in an object literal the last one counts."""
    source = "const a = { f() {}, g: 1, f: function two() {} }\nfunction use() { a.f() }"
    found = [
        edge for edge in Sources({"a.js": source}).resolved("a.js").edges if edge.kind == "calls"
    ]
    assert [edge.target for edge in found] == [2]


def test_reexported_external_type_is_external() -> None:
    """A type that a file exports with everything of a package outside is one outside."""
    files = {
        "all.ts": "export * from 'outside'\nexport class Own { get() {} }",
        "use.ts": """
            import { Api } from './all'
            function use(api: Api) { api.getState() }
        """,
        "other.ts": "export class Other { getState() {} }",
    }
    assert calls(files) == set()


def test_methods_of_the_tree_named_as_those_of_arrays_run_nothing() -> None:
    """Only a method outside is taken to run what it is given: one of the tree says what it runs."""
    source = """
        const utils = { forEach(xs, run) { return 1 } }
        function own() { utils.forEach(list, () => 1) }
        function other() { list.forEach(() => 1) }
    """
    found = calls({"a.js": source})
    assert ("a.js:own", "a.js:own.<anonymous>") not in found
    assert ("a.js:other", "a.js:other.<anonymous>") in found


def test_class_method_and_object_method_of_one_name_are_two() -> None:
    """A class and its objects may each have a method of one name."""
    source = """
        class A { add() {} static add() { return 1 } }
        function use() { new A().add() }
        function all() { A.add() }
    """
    made = Sources({"a.js": source})
    flags = {
        edge.source: made.facts["a.js"].definitions[edge.target].flags
        for edge in made.resolved("a.js").edges
        if edge.kind == "calls"
    }
    names = {one.qualname: flags.get(n) for n, one in enumerate(made.facts["a.js"].definitions)}
    assert (names["use"], names["all"]) == ((), ("static",))
