"""What a file read says when it must be linked anew: never too little, in any of the languages."""

from __future__ import annotations

import random
import re
from textwrap import dedent

import pytest

from memkit.codegraph.index.edge_builder import owner_and_hash
from memkit.codegraph.languages import ModuleResolvers
from memkit.codegraph.resolve import keys_of

from ..programs import Sources

JAVASCRIPT = {
    "package.json": '{"name": "all", "imports": {"#lib": "./lib/index.js"}}',
    "lib/index.js": "export * from './shape.js';\nexport { make as build } from './make';\n",
    "lib/shape.js": """
        export class Shape {
          constructor(n) { this.part = new Part(n); }
          area() { return this.part.size(); }
        }
        class Part { size() { return 1; } }
        export const tools = {};
        tools.cut = function (shape) { return shape.area(); };
        """,
    "lib/make.js": """
        import { Shape } from '#lib';
        export function make() { return new Shape(1); }
        """,
    "old.js": """
        const { make } = require('./lib/make');
        module.exports = { run() { return make(); } };
        """,
    "main.js": """
        import { build, tools, Shape } from './lib';
        import old from './old';
        class Square extends Shape { area() { return super.area(); } }
        export function main() { build().area(); tools.cut(new Square()); old.run(); x.area(); }
        """,
}
TYPESCRIPT = {
    "tsconfig.json": '{"compilerOptions": {"paths": {"@/*": ["./src/*"]}}}',
    "src/index.ts": "export * from './store';\nexport type { Item } from './item';\n",
    "src/item.ts": """
        export interface Item { show(): void }
        export type Items = Map<string, Item>;
        """,
    "src/store.ts": """
        import type { Item, Items } from '@/item';
        export class Store {
          constructor(private items: Items) {}
          async load(): Promise<Item> { return this.items.get('x')!; }
          all(): Item[] { return []; }
        }
        export namespace Kinds {
          export enum Kind { One, Two }
          export function of() { return Kind.One; }
        }
        """,
    "src/use.ts": """
        import { Store, Kinds } from '@/index';
        export async function use(store: Store) {
          (await store.load()).show();
          store.all().map((one) => one.show());
          if (store instanceof Store) Kinds.of();
        }
        """,
}
JAVA = {
    "a/Shape.java": """
        package a;
        public abstract class Shape<T extends Part> implements Sized {
            protected T part; public abstract int area();
            public T part() { return part; } public static int count(int a) { return a; }
            public static class Inner { public void turn() {} }
        }""",
    "a/Sized.java": "package a; public interface Sized { default int size() { return 1; } }",
    "a/Part.java": "package a; public class Part { public int size() { return 1; } }",
    "b/Square.java": """
        package b;
        import a.*;
        import static a.Shape.count;
        public class Square extends Shape<Part> {
            public Square() { super(); }
            public int area() { new Shape.Inner().turn(); return part().size() + count(size()); }
        }""",
    "b/Main.java": """
        package b;
        class Main { a.Shape shape = new Square();
          void run(java.util.List<Square> all) {
            shape.area(); all.forEach(one -> one.area()); } }""",
}
REFLECTION = {
    "a/Names.java": """
        package a;
        public interface Names { String RUN = "ru" + "n"; String JOB = Names.PACK + "Job";
          String PACK = "b."; }""",
    "b/Job.java": """
        package b;
        public class Job extends Task {
          public Job(int a) {} public Job() {} public Object held = new Task();
          public void run(int a, Task t) {} public void run(byte a, Job t) {} }""",
    "b/Task.java": """
        package b;
        public class Task { public void run(int a, Task t) {} void go() {} }""",
    "c/Main.java": """
        package c;
        import a.Names;
        class Main implements Names {
          <T> T get(Class<T> kind) { return null; }
          void start() throws Exception {
            Class<?> kind = Class.forName(Names.JOB);
            Object job = kind.getConstructor(int.class).newInstance(1);
            kind.getMethod(RUN, int.class, b.Task.class).invoke(job, 1, null);
            ((b.Task) kind.getField("held").get(job)).go();
            get(b.Job.class).run(1, null);
          } }""",
}
GO = {
    "go.mod": "module home\n",
    "lamps/lamps.go": """
        package lamps
        type Lamp struct{}
        func (l Lamp) On() {}
        type Row []Lamp
        type ByName map[string]Lamp
        type Maker func() Lamp
        """,
    "use/use.go": """
        package use
        import "home/lamps"
        func use(row lamps.Row, named lamps.ByName, make lamps.Maker) {
          row[0].On(); named["x"].On(); make().On()
          for _, one := range row { one.On() }
        }
        """,
}
CSHARP = {
    "Core.cs": """
        namespace N.Core;
        public partial class Shape { public Part Part { get; set; } public int Area() => Size(); }
        public class Part { public Part(int a) { } public int Turn() => 1; }
        public static class More { public static int Twice(this Shape shape) => shape.Area(); }""",
    "Core.Rest.cs": "namespace N.Core;\npublic partial class Shape { int Size() => Part.Turn(); }",
    "Root.cs": "namespace N;\npublic class Root { public static int Go(int a = 1) => a; }",
    "Use.cs": """
        using N.Core;
        using static N.Root;
        using Thing = N.Core.Part;
        namespace N.Use {
          class Square : Shape {
            int F() { var t = new Thing(1); return t.Turn() + Go() + Root.Go(2); } }
          class User { int G(Square s) => s.Area() + s.Twice(); }
        }""",
}
PROGRAMS = {
    "javascript": JAVASCRIPT,
    "typescript": TYPESCRIPT,
    "java": JAVA,
    "csharp": CSHARP,
    "reflection": REFLECTION,
    "go": GO,
}


@pytest.mark.parametrize("language", PROGRAMS)
def test_every_edit_that_changes_edges_changes_a_dependency_key(language: str) -> None:
    """If an edit of one file changes what another means, a key that it read has changed."""
    chance = random.Random(3)
    files = {path: dedent(text) for path, text in PROGRAMS[language].items()}
    before, seen = _state(files), 0
    for _ in range(60):
        path = chance.choice([path for path in files if path in before])
        edited = _edited(files, path, chance)
        after = _state(edited)
        old, new = before[path][2], after.get(path, ("", "", {}))[2]
        changed = {key for key in old.keys() | new.keys() if old.get(key) != new.get(key)}
        for other in after.keys() - {path}:
            if before[other][0] != after[other][0]:
                # Read both before the edit and, so that it can be taken back, after it.
                assert before[other][1] & changed, (path, other, edited.get(path))
                assert after[other][1] & changed, (path, other, edited.get(path))
                seen += 1
    assert seen


def _state(files: dict[str, str]) -> dict[str, tuple[object, frozenset[str], dict[str, str]]]:
    """Return for each file its edges by name, what it read, and what others can read of it."""
    sources = Sources(files)
    texts = {path: text for path, text in files.items() if path.endswith(".json")}
    listed = [(path, facts.language, facts.namespace) for path, facts in sources.facts.items()]
    modules = ModuleResolvers(listed, texts)
    found = {}
    for path, facts in sources.facts.items():
        resolved = sources.resolved(path)
        edges = frozenset(
            (_named(sources, path, e.source), e.kind, _named(sources, e.path, e.target), e.tier)
            for e in resolved.edges
        )
        keys = keys_of(facts, modules.of(path).namespace(path))
        found[path] = ((edges, resolved.counts), resolved.reads, keys)
    return found


def _named(sources: Sources, path: str, number: int) -> tuple[str, str, int]:
    """Return what tells a definition whatever stands before it."""
    if number < 0:
        return path, "", 0
    definitions = sources.facts[path].definitions
    name = definitions[number].qualname
    return path, name, sum(one.qualname == name for one in definitions[:number])


def _edited(files: dict[str, str], path: str, chance: random.Random) -> dict[str, str]:
    """Return the files with one removed, one word renamed or exchanged, or one line left out."""
    text = files[path]
    words = list(re.finditer(r"\b[A-Za-z_]\w+\b", text))
    word, other = chance.choice(words), chance.choice(words)
    lines = text.split("\n")
    left_out = chance.randrange(len(lines))
    edits = [
        None,
        f"{text[: word.start()]}other{text[word.start() :]}",
        f"{text[: word.start()]}{other[0]}{text[word.end() :]}",
        "\n".join(line for place, line in enumerate(lines) if place != left_out),
    ]
    edit = chance.choice(edits)
    rest = {one: known for one, known in files.items() if one != path}
    return rest if edit is None else {**rest, path: edit}


IN_CLASS = {
    "a.py": """
        def make(): pass
        class K:
            part = make
            many = [make for one in range(3)]
            def __init__(self):
                self.made = make
        """,
    "b.py": "from a import K\nK.part()\nK().made()\nK.many[0]()\n",
}


@pytest.mark.parametrize("key", ["a:a.py:K.make", "d:a.py:K.__init__", "d:a.py:K"])
def test_scope_searched_without_a_match_is_a_dependency_key(key: str) -> None:
    """A class or function that comes to bind a name itself changes what it meant to others."""
    assert key in Sources(IN_CLASS).resolved("b.py").reads


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("part = make", "def make(): pass\n    part = make"),
        ("self.made = make", "make = other; self.made = make"),
    ],
)
def test_a_name_bound_nearer_than_before_is_noticed(old: str, new: str) -> None:
    """The file that reads it elsewhere has read a key that is changed by the edit."""
    files = {path: dedent(text) for path, text in IN_CLASS.items()}
    edited = {**files, "a.py": "def other(): pass\n" + files["a.py"].replace(old, new)}
    files["a.py"] = "def other(): pass\n" + files["a.py"]
    before, after = _state(files), _state(edited)
    assert before["b.py"][0] != after["b.py"][0]
    old_keys, new_keys = before["a.py"][2], after["a.py"][2]
    changed = {key for key in old_keys | new_keys if old_keys.get(key) != new_keys.get(key)}
    assert before["b.py"][1] & changed


def test_what_a_file_reads_of_itself_is_not_listed() -> None:
    """It is resolved anew whenever it changes; only what lies in other files is worth a key."""
    reads = Sources(IN_CLASS).resolved("a.py").reads
    assert not [key for key in reads if ":a.py:" in key]


def test_members_of_a_name_in_one_file_are_one_key() -> None:
    """A member that is looked for in class after class is kept once; initialisers stay apart, as
    an edit of one would link the users of all."""
    owners, hashes = zip(*map(owner_and_hash, ("a:p/x.py:A.run", "a:p/x.py:B.C.run")), strict=True)
    assert owners == ("p/x.py", "p/x.py")
    assert len(set(hashes)) == 1
    apart = ("a:p/x.py:A.<init>", "a:p/x.py:B.<init>", "a:p/y.py:A.run", "d:p/x.py:A.run")
    assert len({*hashes, *(owner_and_hash(key)[1] for key in apart)}) == 5
