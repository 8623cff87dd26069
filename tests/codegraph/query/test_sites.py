"""Every line where a symbol is called or mentioned, and what is said where there is none."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

import memkit
from memkit.codegraph.records import CodeResult

Index = Callable[[dict[str, str]], memkit.Memkit]


@pytest.fixture
def index(kit: memkit.Memkit, tmp_path: Path) -> Index:
    """Write files beside the store and index them."""

    def indexed(files: dict[str, str]) -> memkit.Memkit:
        for path, text in files.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_text(text)
        kit.codegraph.index()
        return kit

    return indexed


def sites(result: CodeResult) -> list[tuple[str, int]]:
    """Return path and line of each node of an answer."""
    return [(node.via.path, node.via.line) for node in result if node.via]


def lines(result: CodeResult, path: str) -> set[int]:
    """Return the lines of an answer in one file."""
    return {line for other, line in sites(result) if other == path}


PYTHON = {
    "store.py": (
        "LIMIT = 3\nNames = dict[str, int]\n\n\nclass Box:\n    size = 4\n\n    def grow(self):\n"
        "        return self.size + LIMIT\n\n\ndef put(key):\n    return key\n"
    ),
    "use.py": (
        "import store\nfrom store import LIMIT, Box, Names, put\n\n\ndef run(names: Names):\n"
        '    """LIMIT and put are named here."""\n    put(1)\n    put(2)  # put(3)\n'
        '    text = "put"\n    return [put(4), LIMIT, store.LIMIT, Box.size]\n\n\nput(LIMIT)\n'
    ),
}


def test_each_call_is_a_node_with_its_line_and_text(index: Index) -> None:
    """A caller that calls three times comes three times; texts and comments are no calls."""
    found = index(PYTHON).codegraph.callers("put")
    assert sites(found) == [("use.py", 13), ("use.py", 7), ("use.py", 8), ("use.py", 10)]
    assert [node.via.text for node in found if node.via][:2] == ["put(LIMIT)", "put(1)"]


def test_view_has_a_row_for_each_call(index: Index) -> None:
    """The plain shell sees every call as well."""
    file = apsw.Connection(str(index(PYTHON)._store.path), flags=apsw.SQLITE_OPEN_READONLY)
    rows = file.execute("select line from callers where callee = 'put' order by line")
    assert [line for (line,) in rows] == [7, 8, 10, 13]


def test_lines_follow_an_edit(index: Index, tmp_path: Path) -> None:
    """A call that comes or goes changes the lines, as a full index would."""
    kit = index(PYTHON)
    text = (tmp_path / "use.py").read_text()
    (tmp_path / "use.py").write_text(text.replace("    put(1)\n", "").replace("[put(4)", "[4"))
    assert lines(kit.codegraph.callers("put"), "use.py") == {7, 12}


@pytest.mark.parametrize(
    ("files", "name", "path", "expected"),
    [
        (PYTHON, "store.py::LIMIT", "use.py", {2, 10, 13}),
        (PYTHON, "store.py::LIMIT", "store.py", {9}),
        (PYTHON, "Names", "use.py", {2, 5}),
        (PYTHON, "Box.size", "store.py", {9}),
        (
            {
                "a.ts": "export type Id = string | number;\nexport const MAX = 3;\n",
                "b.ts": 'import { Id, MAX } from "./a";\nexport function f(id: Id): Id {\n'
                "  return MAX > 2 ? id : id;\n}\n",
            },
            "Id", "b.ts", {1, 2},
        ),
        (
            {
                "p/A.java": "package p;\nclass A {\n  static final int MAX = 3;\n  int n;\n"
                "  int f() {\n    return MAX + n;\n  }\n}\n",
                "p/B.java": "package p;\nclass B {\n  int g() {\n    return A.MAX;\n  }\n}\n",
            },
            "MAX", "p/B.java", {4},
        ),
        (
            {
                "a.go": "package g\nconst Max = 3\ntype Shape interface{ Area() int }\n"
                "type Sq struct{}\ntype Do func(*Sq)\nvar _ Shape = (*Sq)(nil)\n",
                "b.go": "package g\nfunc use() int {\n\treturn Max\n}\n",
            },
            "Max", "b.go", {3},
        ),
        (
            {
                "src/lib.rs": "mod a;\nuse crate::a::{Id, MAX};\npub fn f(id: Id) -> usize {\n"
                "    MAX\n}\n",
                "src/a.rs": "pub const MAX: usize = 3;\npub type Id = u32;\n",
                "Cargo.toml": '[package]\nname = "x"\nversion = "0.1.0"\n',
            },
            "MAX", "src/lib.rs", {2, 4},
        ),
        (
            {
                "A.cs": "class A {\n  public const int MAX = 3;\n  int F() {\n    return MAX;\n"
                "  }\n}\n",
                "B.cs": "class B {\n  int G() {\n    return A.MAX;\n  }\n}\n",
            },
            "MAX", "A.cs", {4},
        ),
        (
            {
                "a.rb": "module Kit\n  MAX = 3\nend\n",
                "b.rb": 'require_relative "a"\ndef use\n  Kit::MAX\nend\n',
            },
            "MAX", "b.rb", {3},
        ),
        (
            {
                "a.h": "#define MAX 3\n",
                "a.c": '#include "a.h"\nint get(void) {\n  return MAX;\n}\n',
            },
            "MAX", "a.c", {3},
        ),
        (
            {
                "a.js": "const MAX = 3;\nmodule.exports = { MAX };\n",
                "b.js": 'const { MAX } = require("./a");\nfunction f() {\n  return MAX;\n}\n',
            },
            "MAX", "b.js", {1, 3},
        ),
    ],
)  # fmt: skip
def test_variables_have_references(
    index: Index, files: dict[str, str], name: str, path: str, expected: set[int]
) -> None:
    """A variable, constant, field or alias is mentioned where it is read, used and imported."""
    assert lines(index(files).codegraph.references(name), path) == expected


def test_go_declarations_are_uses(index: Index) -> None:
    """A variable of the blank name uses its type, the type of a function those that it takes."""
    kit = index({
        "a.go": "package g\ntype Shape interface{ Area() int }\ntype Sq struct{}\n"
        "type Do func(*Sq)\nvar _ Shape = (*Sq)(nil)\n"
    })  # fmt: skip
    assert lines(kit.codegraph.references("Shape"), "a.go") == {5}
    assert lines(kit.codegraph.references("Sq"), "a.go") == {4, 5}


@pytest.mark.parametrize(
    ("files", "path", "expected"),
    [
        (
            {
                "a.py": "from functools import partial\n\n\ndef compute(x):\n    return x\n\n\n"
                "fast = partial(compute, 1)\n",
                "b.py": "import a\nfrom a import fast\n\n\ndef go():\n    fast()\n"
                "    return a.fast(), fast\n",
            },
            "b.py", {6, 7},
        ),
        (
            {
                "a.ts": 'import { memo } from "lib";\nfunction compute() {}\n'
                "export const fast = memo(compute) as unknown as () => void;\n",
                "b.ts": 'import { fast } from "./a";\nexport function go() {\n  fast();\n}\n',
            },
            "b.ts", {3},
        ),
    ],
)  # fmt: skip
def test_calls_of_a_variable_are_its_callers(
    index: Index, files: dict[str, str], path: str, expected: set[int]
) -> None:
    """What a name is bound to by a call is called by that name."""
    assert lines(index(files).codegraph.callers("fast"), path) == expected


def test_empty_answer_says_what_is_known_besides(index: Index) -> None:
    """A function that is only handed on, and called in ways that nothing resolves, is not dead."""
    kit = index({
        "a.py": "def handle(x):\n    return x\n\n\nHOOKS = [handle]\n",
        "b.py": "def run(hook):\n    return hook.handle(1)\n",
    })  # fmt: skip
    found = kit.codegraph.callers("handle")
    assert not found.nodes
    assert "referenced without a call 1 time" in found.notes[0]
    assert "1 (b.py:2)" in found.notes[1]


def test_members_uses_and_unused(index: Index) -> None:
    """What a class has, what a function mentions, and what nothing mentions."""
    kit = index({**PYTHON, "old.py": "def never():\n    return never()\n"})
    graph = kit.codegraph
    assert [node.name for node in graph.members("Box")] == ["size", "grow"]
    assert {node.name for node in graph.uses("run")} >= {"LIMIT", "Names", "size", "Box"}
    assert [node.name for node in graph.unused("old.py")] == ["never"]
    assert {node.name for node in graph.unused(kind="variable")} == set()


def test_what_an_answer_may_lack_is_said_beside_it(index: Index) -> None:
    """Calls by the name that lead nowhere; not those of modules outside, nor by names that any
    library has."""
    graph = index({
        "a.py": "def moor(): ...\nclass Box:\n    def get(self): ...\n",
        "use.py": (
            "import harbour\nfrom a import Box, moor\n\n\ndef run(box: Box, other, more):\n"
            "    moor()\n    box.get()\n    other.get()\n    harbour.moor()\n"
            "    other.deep.moor()\n    more[0].moor()\n"
        ),
    }).codegraph  # fmt: skip
    note = "calls by that name that could not be resolved: 2 (use.py:10, use.py:11)"
    for found in (graph.callers("moor"), graph.references("moor")):
        assert 6 in lines(found, "use.py")
        assert not lines(found, "use.py") & {9, 10, 11}
        assert note in [text.replace("at least ", "") for text in found.notes]
    assert lines(graph.callers("Box.get"), "use.py") == {7}
    assert not any("resolved" in text for text in graph.callers("Box.get").notes)


def test_a_decorator_is_called_where_it_stands_alone(index: Index) -> None:
    """Not in the line of what it decorates, however often it is one."""
    definition = "@mark\ndef f{0}(\n    a): ...\n@mark\n@other\ndef g{0}(\n    a): ...\n"
    text = "def mark(f): return f\n" + "".join(definition.format(n) for n in range(3))
    found = index({"a.py": text}).codegraph.callers("mark")
    assert lines(found, "a.py") == {2, 5, 9, 12, 16, 19}


# Files of a class A → lines of its name in it, and lines that call its constructor.
CONSTRUCTORS = {
    "A.java": (
        "package p;\nclass A {\n  @Inject\n  public A(int x) {}\n  A() { this(1); }\n"
        "  static Object make() {\n    return new A(2);\n  }\n}\n"
        "class B extends A {\n  B() { super(3); }\n}\n",
        {4, 5, 7, 10}, {5, 7, 11},
    ),
    "A.cs": (
        "class A {\n  A(int x) {}\n  A() : this(1) {}\n  ~A() {}\n  static object Make() {\n"
        "    return new A(2);\n  }\n}\n",
        {2, 3, 4, 6}, {3, 6},
    ),
    "A.cpp": (
        "struct A {\n  A(int x);\n  A() : A(1) {}\n  ~A();\n};\nA::A(int x) {}\nA::~A() {}\n"
        "void make() {\n  A(2);\n}\n",
        {2, 3, 4, 6, 7, 9}, {3, 9},
    ),
}  # fmt: skip


def test_constructors_name_their_class_and_are_asked_for_by_themselves(index: Index) -> None:
    """Whoever gives a class another name has to change where its constructors are declared; a file
    of the name of the class does not make `A.A` the class."""
    graph = index({path: text for path, (text, _, _) in CONSTRUCTORS.items()}).codegraph
    for path, (_, names, made) in CONSTRUCTORS.items():
        assert lines(graph.references(f"{path}::A"), path) >= names, path
        assert not lines(graph.callers(f"{path}::A"), path) & (names - made), path
        assert lines(graph.callers(f"{path}::A.A"), path) == made, path
    assert lines(graph.callers("A.A"), "A.java") == CONSTRUCTORS["A.java"][2]


# Files → what is unused of them; what runs without being named, or stands for something of a base,
# is not.
UNNAMED = {
    "Java": (
        {
            "T.java": (
                "class T extends Outside {\n  @Override public int size() { return 1; }\n"
                "  @Before void start() {}\n  @Runs.Parameters void rows() {}\n"
                "  @Test void works() {}\n"
                "  private void readObject(Object in) {}\n  void never() {}\n"
                "  @Nested class Inner { @Test void too() {} }\n}\n"
            )
        },
        {"T.never"},
    ),
    "Rust": (
        {
            "Cargo.toml": '[package]\nname = "app"\n',
            "src/main.rs": (
                "mod shape;\nmod inner { pub fn used() {} pub fn never() {} }\n"
                "fn main() { shape::draw(); inner::used() }\n"
            ),
            "src/shape.rs": (
                "pub fn draw() { Line {}; }\nstruct Line {}\nimpl std::fmt::Display for Line {\n"
                "  fn fmt(&self) {}\n}\nimpl From<u8> for Line { fn from(_: u8) -> Line { x } }\n"
                "impl std::ops::Deref for Line { type Target = u8; const A: u8 = 1; }\n"
                "impl Line { fn idle(&self) {} }\n"
            ),
        },
        {"inner.never", "Line.idle"},
    ),
    "Go": (
        {"a.go": "package a\n\nfunc init() {}\n\nfunc init() {}\n\nfunc never() {}\n"},
        {"never"},
    ),
    "Python": (
        {
            "a.py": (
                "import typing\n\n\nclass Base:\n    key = 1\n\n    def get(self):\n"
                "        return self.key\n\n\nclass Middle(Base):\n    other = 1\n\n\n"
                "class Low(Middle):\n    key = 2\n    own = 3\n\n    def get(self): ...\n\n"
                "    @typing.override\n    def outside(self): ...\n\n\n@typing.overload\n"
                "def pick(a: int): ...\n@typing.overload\ndef pick(a: str): ...\n"
                "def pick(a): ...\n\n\nclass TestAll:\n    def test_it(self): ...\n\n\n"
                "pick(Low().get())\n"
            )
        },
        {"Middle.other", "Low.own"},
    ),
    "make": (
        {"Makefile": "FLAGS = -q\nall: build\n\tcc $(FLAGS)\n"},
        set(),
    ),
    "Kotlin": (
        {"a.kt": "class K : Out() {\n  override fun on() {}\n  fun never() {}\n}\nval k = K()\n"},
        {"K.never", "k"},
    ),
    "C#": (
        {"a.cs": "class K : Outside {\n  override void On() {}\n  void Never() {}\n}\n"},
        {"K", "K.Never"},
    ),
    "C++": (
        {"a.cpp": "struct K : Out {\n  void on() override {}\n  void never() {}\n  ~K() {}\n};\n"},
        {"K", "K.never"},
    ),
    "TypeScript": (
        {"a.ts": "class K extends Outside {\n  override on() {}\n  never() {}\n}\n"},
        {"K", "K.never"},
    ),
    "PHP": (
        {
            "a.php": (
                "<?php\nclass K extends Outside {\n  #[\\Override]\n  function on() {}\n"
                "  function never() {}\n}\n"
            )
        },
        {"K", "K.never"},
    ),
}  # fmt: skip


def test_what_runs_without_being_named_is_never_unused(index: Index) -> None:
    """Nor is an override, of a type of the tree or of one outside, or what only announces."""
    folders = {name: f"in{number}" for number, name in enumerate(UNNAMED)}
    graph = index({
        f"{folders[name]}/{path}": text
        for name, (files, _) in UNNAMED.items()
        for path, text in files.items()
    }).codegraph  # fmt: skip
    assert {
        name: {node.qualname for node in graph.unused(folder)} for name, folder in folders.items()
    } == {name: unused for name, (_, unused) in UNNAMED.items()}


def test_nothing_is_said_to_be_used_where_nothing_is(index: Index) -> None:
    """A path that the graph does not have is an error; one without anything unused is none."""
    graph = index({"a/b.py": "x = 1\nprint(x)\n"}).codegraph
    for path in ("a", "a/", "./a", "a/b.py", "", "."):
        assert not graph.unused(path).nodes
    for path in ("nosuch/", "a/b", "b.py"):
        with pytest.raises(memkit.NotFound, match="nothing of the code graph lies there"):
            graph.unused(path)


def test_keys_of_data_are_never_unused(index: Index) -> None:
    """Nothing could refer to them; they are found all the same, and code beside them is judged."""
    graph = index({
        "ferry.yml": "quays:\n  north: 3\n",
        "ferry.toml": "[pier]\nlength = 4\n",
        "ferry.ini": "[crane]\nlift = 5\n",
        "ferry.json": '{"hull": {"beam": 6}}',
        "moor.py": "def moor():\n    return 7\n",
    }).codegraph  # fmt: skip
    assert [node.name for node in graph.find_symbol("quays")] == ["quays"]
    assert [node.name for node in graph.unused()] == ["moor"]
    assert not graph.unused("ferry.yml").nodes


def test_members_of_types_with_methods_apart(index: Index) -> None:
    """Methods that are written apart from their type are its members, in other files too."""
    kit = index({
        "a.go": "package g\ntype Sq struct{ Side int }\nfunc (s *Sq) Area() int { return 1 }\n",
        "b.go": "package g\nfunc (s Sq) Name() string { return \"\" }\n",
    })  # fmt: skip
    assert [node.name for node in kit.codegraph.members("Sq")] == ["Side", "Area", "Name"]


def test_members_of_a_class_are_its_own(index: Index) -> None:
    """A type that is written apart is one, a test that looks into the class is none; constants are
    their enumeration's if it has a name."""
    kit = index({
        "a.cpp": "namespace n {\nclass Till {\n  struct Row;\n  void ring();\n"
        "  enum Coin {\n    kCent\n  };\n  enum {\n    kOpen\n  };\n};\n"
        "struct Till::Row { int x; };\nTEST_F(Till, Rings) { ring(); }\n}\n",
    })  # fmt: skip
    members = [node.name for node in kit.codegraph.members("Till")]
    assert members == ["ring", "Coin", "kOpen", "Row"]


def test_constructors_by_the_types_of_what_they_take(index: Index) -> None:
    """One that is deleted is never called; a class may be given what one of its constructors takes,
    a number may not."""
    kit = index({
        "a.cpp": "#include <string>\nclass Pool {};\nclass Guard {\n public:\n"
        "  explicit Guard(Pool* pool) {}\n"
        "  Guard(const Guard&) = delete;\n};\nclass Text {\n public:\n"
        "  Text(const std::string& text) {}\n  Text(const Text& other) {}\n"
        "  Text(const char* text) {}\n};\nvoid show(const Text& text) {}\nvoid show(int n) {}\n"
        "void use(Pool* pool, const std::string& words) {\n  Guard guard(pool);\n"
        "  Text text(words);\n  show(words);\n}\n",
    })  # fmt: skip
    assert [node.line for node in kit.codegraph.callees("use")] == [5, 10, 14]


def test_who_uses_a_macro_calls_what_it_calls(index: Index) -> None:
    """Over macros of macros, both ways; the macros themselves are callers and callees as well."""
    kit = index({
        "a.c": "static void push(int a) {}\n#define POST(x) push(x)\n"
        "#define POST_ALL(x) do { POST(x); } while (0)\n"
        "void ring(void) { POST_ALL(1); }\nvoid knock(void) { push(1); }\n",
    })  # fmt: skip
    callers = {node.name: node.via.line for node in kit.codegraph.callers("push") if node.via}
    assert callers == {"POST": 2, "POST_ALL": 3, "ring": 4, "knock": 5}
    assert [node.name for node in kit.codegraph.callees("ring")] == ["push", "POST", "POST_ALL"]
    assert [node.name for node in kit.codegraph.callees("knock")] == ["push"]


def test_lines_that_write_through_a_pointer_are_no_comments(index: Index) -> None:
    """What is read there is read there."""
    kit = index({
        "a.c": "struct box { int depth; };\nvoid f(struct box *b, int *out) {\n"
        "  *out = b->depth;\n  if (b)\n    *out = b->depth + 1;\n}\n",
    })  # fmt: skip
    assert lines(kit.codegraph.references("box.depth"), "a.c") == {3, 5}


def test_path_and_name_mean_the_top_level_symbol(index: Index) -> None:
    """A method of the name is meant only where no symbol of the file is; a constructor never by the
    name of its class."""
    kit = index({
        "f.py": "def a():\n    pass\n\n\nclass B:\n    def a(self):\n        pass\n\n"
        "    def c(self):\n        pass\n",
        "C.java": "class C {\n  C() {}\n}\n",
    })  # fmt: skip
    names = [node.qualified for node in kit.codegraph.find_symbol("f.py::a")]
    assert names == ["f.py::a"]
    assert [node.qualified for node in kit.codegraph.find_symbol("f.py::c")] == ["f.py::B.c"]
    for name in ("C.java::C", "C"):
        assert [node.kind for node in kit.codegraph.find_symbol(name)] == ["class"]


@pytest.mark.parametrize(
    ("files", "expected", "path"),
    [
        (
            {
                "a.hpp": "namespace g {\nenum Sort { Log };\nclass Box {\n  int size_;\n"
                "  int size() const;\n};\n}\n",
                "a.cpp": '#include "a.hpp"\nnamespace g {\nint Box::size() const {\n'
                "  return Log + size_;\n}\n}\n",
            },
            {"Box.size_": {4}, "Log": {4}, "Box": {3}}, "a.cpp",
        ),
        (
            {
                "a.go": "package a\ntype T struct{ N, M int }\ntype U struct{ N int }\n"
                "var x = []T{\n\t{N: 1},\n\t{M: 2},\n}\nvar y = U{\n\tN: 3,\n}\n",
            },
            {"T.N": {5}, "T.M": {6}, "U.N": {9}}, "a.go",
        ),
        (
            {"a.c": "struct P { int x; int y; };\nvoid f(void) {\n  struct P p = {\n    .y = 1,\n"
             "  };\n}\n"},
            {"P.y": {4}, "P.x": set()}, "a.c",
        ),
        (
            {"a.rs": "struct P { x: u8 }\nfn f() -> P {\n    P {\n        x: 1,\n    }\n}\n"},
            {"P.x": {4}}, "a.rs",
        ),
        ({"a.go": "package a\ntype K int\nconst (\n\tA K = iota\n\tB\n)\n"}, {"K": {4}}, "a.go"),
    ],
)  # fmt: skip
def test_fields_and_types_have_references_where_they_are_written(
    index: Index, files: dict[str, str], expected: dict[str, set[int]], path: str
) -> None:
    """A field is mentioned bare in a method written apart from its class and by the literals that
    name it; a type only where its name stands."""
    graph = index(files).codegraph
    for symbol, places in expected.items():
        assert lines(graph.references(symbol), path) == places, symbol


def test_an_enumeration_has_its_constants(index: Index) -> None:
    """Constants that are bound around their enumeration are its members all the same."""
    kit = index({"a.cpp": "namespace g {\nenum A { X, Y };\nenum B {\n  Z,\n};\n}\n"})
    assert [node.name for node in kit.codegraph.members("A")] == ["X", "Y"]
    assert [node.name for node in kit.codegraph.members("B")] == ["Z"]


def test_an_import_of_a_package_is_one_of_its_files(index: Index) -> None:
    """Who imports a folder of Go leans on each of its files; a class of Java is in one file."""
    files = {f"p/f{n}.go": f"package p\nfunc F{n}() {{}}\n" for n in range(10)}
    kit = index({
        "go.mod": "module ex.org/m\n", **files,
        "main.go": 'package main\nimport "ex.org/m/p"\nfunc main() { p.F1() }\n',
        "q/A.java": "package q;\nclass A {}\n", "q/B.java": "package q;\nclass B {}\n",
        "C.java": "import q.A;\nclass C {}\n",
    })  # fmt: skip
    for path, users in {"p/f7.go": ["main.go"], "q/A.java": ["C.java"], "q/B.java": []}.items():
        assert [node.path for node in kit.codegraph.dependents(path)] == users


def test_conditions_inside_of_a_list_leave_the_rest_of_a_file(index: Index) -> None:
    """A condition between initialisers, or macros before a body, hide neither what is around."""
    kit = index({
        "a.cpp": "namespace g {\nclass A {\n  A()\n      :\n#if !defined(N)\n        a_(1),\n"
        "#endif\n        b_(2) {\n  }\n  int a_, b_;\n};\nclass B {};\n"
        "struct MY_API C { int z = 1; };\n}\n",
    })  # fmt: skip
    names = {node.qualname for node in kit.codegraph.file_contents("a.cpp")}
    assert names >= {"g.A.b_", "g.B", "g.C", "g.C.z"}


TYPES = """\
export type Value = string | Date
export type Wide<T extends Value, U = Value> = T extends string ? Value : U
export type Chain<A> = A extends string
  ? { [K in keyof A]: Chain<K> }
  : never
export const CODES = ["a"] as const
type Code = (typeof CODES)[number]
export function load() { return 1 }
export const use = (result: ReturnType<typeof load>) => result
export const is = (x: unknown): x is Value => true
type Item<T> = T extends Array<infer Value> ? Value : never
"""


def test_types_that_are_worked_out_name_others(index: Index) -> None:
    """Constraints, defaults, branches of a condition, mapped types, `typeof` and predicates refer
    to what they name, a recursive type to itself; what `infer` names is nothing else."""
    graph = index({"types.ts": TYPES}).codegraph
    assert lines(graph.references("Value"), "types.ts") >= {2, 10}
    assert lines(graph.references("Chain"), "types.ts") == {4}
    assert lines(graph.references("CODES"), "types.ts") == {7}
    assert lines(graph.references("load"), "types.ts") == {9}
    alone = TYPES.splitlines()[0] + "\n" + TYPES.splitlines()[-1] + "\n"
    assert lines(index({"types.ts": alone}).codegraph.references("Value"), "types.ts") == set()


def test_member_that_a_type_names_in_quotes_is_no_variable_of_that_name(index: Index) -> None:
    """`Api["get"]` refers to the interface; the variable beside it is not its member."""
    text = """\
interface Api { get: () => number }
export function make() {
  const get: Api["get"] = () => 1
  const api = { get }
  return api
}
"""
    graph = index({"api.ts": text}).codegraph
    assert lines(graph.references("Api"), "api.ts") == {3}
    assert lines(graph.references("Api.get"), "api.ts") == set()


def test_a_prototype_and_its_body_are_one_symbol(index: Index) -> None:
    """Who asks about either is answered about both; neither is unused, nor are they two."""
    graph = index(
        {
            "box.h": "typedef struct box box;\nint put(box *b);\nextern int count;\n"
            "int never(void);\n",
            "box.c": '#include "box.h"\nstruct box { int n; };\nint count = 0;\n'
            "int put(box *b) { return b->n; }\nint never(void) { return 0; }\n",
            "use.c": '#include "box.h"\nint main(void) { count = 1; return put(0); }\n',
        }
    ).codegraph
    for name in ("put", "box.h::put", "box.c::put"):
        assert sites(graph.callers(name)) == [("use.c", 2)], name
        assert graph.callers(name).notes == ()
    for name in ("box.h::count", "box.c::count"):
        assert sites(graph.references(name)) == [("use.c", 2)], name
    assert lines(graph.references("box.c::box"), "box.h") == {2}
    assert [node.name for node in graph.uses("box.h::put")] == ["box", "n", "box"]
    assert {node.name for node in graph.unused()} == {"never"}


def test_of_several_bodies_each_has_the_callers_of_what_it_includes(index: Index) -> None:
    """A body of a prototype is found by its file's includes: one elsewhere has nothing of it."""
    graph = index(
        {
            "a/io.h": "int put(int n);\n",
            "a/unix.c": '#include "io.h"\nint put(int n) { return n; }\n',
            "a/win.c": '#include "io.h"\nint put(int n) { return n + 1; }\n',
            "a/use.c": '#include "io.h"\nint go(void) { return put(1); }\n',
            "b/other.c": "int put(int n) { return n; }\n",
        }
    ).codegraph
    for name in ("a/io.h::put", "a/unix.c::put", "a/win.c::put"):
        assert sites(graph.callers(name)) == [("a/use.c", 2)], name
    assert sites(graph.callers("b/other.c::put")) == []


def test_lines_of_members_of_the_object_itself(index: Index) -> None:
    """A parameter of the name of a field is not the field, nor is a word in a comment."""
    graph = index(
        {
            "A.java": "class A {\n  int size;\n  A(\n"
            "      int size) {\n    this.size = size;\n  }\n}\n",
            "a.c": "/*\n  box of ours\n*/\nstruct box { int n; };\nstatic struct box first;\n",
        }
    ).codegraph
    assert lines(graph.references("A.size"), "A.java") == {5}
    assert lines(graph.references("box"), "a.c") == {5}


def test_forms_of_a_macro_are_defined_not_read(index: Index) -> None:
    """Of a macro with a definition for each condition no definition is a reference."""
    graph = index({"a.c": "#if A\n#define N 1\n#else\n#define N 2\n#endif\nint n = N;\n"}).codegraph
    assert lines(graph.references("N"), "a.c") == {6}
