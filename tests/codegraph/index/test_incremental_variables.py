"""Variables and aliases that come and go: the graph is the one of a new index."""

from __future__ import annotations

from pathlib import Path

from memkit.codegraph.analysis import default_analysis
from tests.tables import each_row

from ..trees import Tree

# What uses something, and the file that has it, before and after.
EDITS = {
    "Python": (
        ("use.py", "from kit import LIMIT, C\ndef f(): return LIMIT + C.SIZE"),
        ("kit.py", "class C: pass", "LIMIT = 3\nclass C:\n    SIZE = 1"),
    ),
    "Python, a root": (
        ("tests/use.py", "from acme.geo import area\narea()"),
        ("src/acme/geo.py", "def other(): pass", "def area(): pass"),
    ),
    "TypeScript": (
        ("use.ts", 'import { Id, C } from "./kit"\nfunction f(i: Id, c: C) { return c.size }'),
        ("kit.ts", "export interface C {}", "export type Id = 1\nexport interface C { size: Id }"),
    ),
    "Java": (
        ("p/Use.java", "package p; class Use extends Kit { int f() { return own + Kit.MAX; } }"),
        ("p/Kit.java", "package p; class Kit {}",
         "package p; class Kit { int own; static int MAX; }"),
    ),
    "Go": (
        ("use.go", "package m\nfunc f(i ID) int { return Max }\n"
         "type Sq struct{}\nfunc (Sq) A() {}"),
        ("kit.go", "package m",
         "package m\ntype ID = int\nconst Max = 1\ntype I interface { A() }"),
    ),
    "Rust": (
        ("src/lib.rs", "mod kit;\nuse kit::Act;\nfn f() { let a = Act::Set; twice!(a); }"),
        ("src/kit.rs", "enum Act { Put }", "enum Act { Set }\nmacro_rules! twice { () => {} }"),
    ),
    "Ruby": (
        ("run.rb", "module Kit\n  def self.f\n    Tool.go\n  end\nend"),
        ("kit.rb", "module Kit\nend", "module Kit\n  module Tool\n  end\nend"),
    ),
}  # fmt: skip


@each_row("case", EDITS)
def test_what_comes_and_goes(case: str, tmp_path: Path) -> None:
    """After each edit the edges are those of a store that sees the files for the first time."""
    (user, use), (path, *texts) = EDITS[case]
    folder = tmp_path / case.replace(", ", "-")
    folder.mkdir()
    tree = Tree(folder, default_analysis)
    tree.put(user, use)
    for number, text in enumerate((texts[1], texts[0], None, texts[1])):
        tree.put(path, text)
        tree.index()
        fresh = Tree(folder, default_analysis, f".{number}.db")
        fresh.index()
        assert tree.graph()["edges"] == fresh.graph()["edges"], (number, text)
        fresh.store.close()
    tree.store.close()
