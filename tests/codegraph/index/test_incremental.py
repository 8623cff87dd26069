"""After any sequence of edits the graph is the one that a full index makes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.codegraph.analysis import Analysis, default_analysis

from .. import toy
from ..trees import Tree, rows

PATHS = ["a.toy", "b.toy", "c/d.toy", "c/E.toy", "c/e.toy", "notes.md"]
NAMES = ["f", "g", "h", "K"]


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[Tree]:
    """An empty tree in the toy language."""
    made = Tree(tmp_path, toy.analysis)
    yield made
    made.store.close()


def full(folder: Path, analysis: Callable[[], Analysis]) -> dict[str, object]:
    """Return the graph that a new store has of a tree."""
    with tempfile.TemporaryDirectory() as place:
        copy = Path(place) / "tree"
        shutil.copytree(folder, copy, ignore=shutil.ignore_patterns(".memkit.db*"))
        other = Tree(copy, analysis)
        other.index()
        found = other.graph()
        other.store.close()
    return found


def lines() -> st.SearchStrategy[str]:
    """Lines of a toy file."""
    name = st.sampled_from(NAMES)
    uses = st.lists(name, max_size=3).map(" ".join)
    return st.one_of(
        st.builds("def {} {}".format, name, uses),
        st.builds("class {} {}".format, name, uses),
        st.builds("  def {} {}".format, name, uses),
        st.sampled_from(PATHS[:-1]).map("import {}".format),
        st.just(""),
        st.just("crash"),
    )


def edits() -> st.SearchStrategy[list[tuple[str, str | None, bool]]]:
    """Edits: a file, its new text (None: removed), and whether the graph is updated then."""
    text = st.lists(lines(), max_size=5).map("\n".join)
    edit = st.tuples(st.sampled_from(PATHS), st.one_of(st.none(), text), st.booleans())
    return st.lists(edit, min_size=1, max_size=8)


@given(edits=edits())
def test_equals_a_full_index(edits: list[tuple[str, str | None, bool]]) -> None:
    """Whatever files are written, removed and brought back, in whichever order."""
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place), toy.analysis)
        for path, text, is_indexed in edits:
            tree.put(path, text)
            if is_indexed:
                tree.follow()
        tree.follow()
        found = tree.graph()
        tree.store.close()
        assert found == full(Path(place), toy.analysis)


def test_cg_inbound_edges_lost(tmp_path: Path) -> None:
    """Case cg-inbound-edges-lost: an edit of the called file keeps the edges of its callers."""
    tree = Tree(tmp_path, default_analysis)
    tree.write(
        util_py="def slug(s): return s\n",
        app_py="from util import slug\ndef page(t): return slug(t)\n",
    )
    tree.index()
    before = [edge for edge in tree.graph()["edges"] if edge[2][0] == "calls"]
    tree.put("util.py", "# a comment above\ndef slug(s): return s\n")
    report = tree.index()
    assert (report.parsed, report.linked) == (1, 1)
    assert [edge for edge in tree.graph()["edges"] if edge[2][0] == "calls"] == before != []
    assert tree.graph() == full(tmp_path, default_analysis)
    tree.store.close()


def test_graph_changed_by_another_process_is_read_anew(tree: Tree) -> None:
    """What one process remembers of the graph is not taken for what another has made of it."""
    tree.put("a.toy", "def f g")
    tree.follow()
    other = Tree(tree.folder, toy.analysis)
    tree.put("b.toy", "def g")
    other.follow()
    tree.put("c.toy", "def h")
    tree.follow()
    other.put("b.toy", None)
    other.follow()
    other.store.close()
    tree.follow()
    assert tree.graph() == full(tree.folder, toy.analysis)


def test_ids_stay(tree: Tree) -> None:
    """A symbol keeps its node as long as its file, its name and its place among namesakes stay."""
    tree.put("a.toy", "def f\nclass K\n  def m\ndef f")
    tree.index()
    ids = "select id, name from code_symbols order by id"
    before = rows(tree.store, ids)
    tree.put("a.toy", "def new\n\ndef f h\nclass K f\n  def other\n  def m\ndef f")
    tree.index()
    after = rows(tree.store, ids)
    assert after[:4] == before
    assert sorted(name for _, name in after[4:]) == ["new", "other"]


def test_only_readers_of_what_changed_are_linked(tree: Tree) -> None:
    """A new name in a file relinks those that looked for it, and no one else."""
    tree.put("lib.toy", "def f")
    tree.put("uses.toy", "import lib.toy\ndef a f")
    tree.put("waits.toy", "import lib.toy\ndef b g")
    tree.put("other.toy", "def c c")
    tree.index()
    tree.put("lib.toy", "def f\ndef g")
    report = tree.index()
    assert (report.parsed, report.linked) == (1, 2)
    assert (("waits.toy", 0), ("lib.toy", 1)) in [edge[:2] for edge in tree.graph()["edges"]]


def test_renames_leave_nothing_behind(tree: Tree) -> None:
    """A renamed file, also by case alone, is gone under its old name with all its edges."""
    tree.put("a.toy", "def f f")
    tree.put("b.toy", "import a.toy\ndef g f")
    tree.index()
    (tree.folder / "a.toy").rename(tree.folder / "A.toy")
    tree.index()
    assert tree.graph() == full(tree.folder, toy.analysis)
    assert "a.toy" not in [row[0] for row in tree.graph()["files"]]
    (tree.folder / "A.toy").rename(tree.folder / "a.toy")
    tree.index()
    assert tree.graph() == full(tree.folder, toy.analysis)


def test_change_of_a_file_without_stored_facts_relinks_others(tree: Tree) -> None:
    """A file of which nothing is stored can lose a name that others found in the whole tree."""
    tree.put("a.toy", "def f lonely")
    tree.put("b.toy", "def x")
    tree.put("c.toy", "def lonely")
    tree.index()
    tree.put("c.toy", "def renamed")
    tree.index()
    assert tree.graph() == full(tree.folder, toy.analysis)
    (tree.folder / "c.toy").unlink()
    tree.index()
    assert tree.graph() == full(tree.folder, toy.analysis)


def test_file_that_fails_later_is_no_target(tree: Tree) -> None:
    """A file that can no longer be parsed defines nothing, also where a name is looked for."""
    tree.put("a.toy", "def f g")
    tree.put("b.toy", "def g")
    tree.index()
    tree.put("b.toy", "crash")
    tree.index()
    assert tree.graph()["edges"] == []
    assert tree.graph() == full(tree.folder, toy.analysis)


def test_a_module_that_comes_later_beside_a_file_of_the_root_is_imported(tmp_path: Path) -> None:
    """`from . import a` at the root is linked when a file of that name appears."""
    tree = Tree(tmp_path, default_analysis)
    tree.put("b.py", "from . import a")
    tree.index()
    tree.put("a.py", "")
    tree.index()
    assert tree.graph() == full(tree.folder, default_analysis)
    assert tree.graph()["edges"]
    tree.store.close()


# Pieces of Python that lean on each other across files in as many ways as possible.
PIECES = [
    "from {m} import {n}",
    "from {m} import *",
    "import {m} as other",
    "from . import {m}",
    "def {n}(x=None):\n    return {k}(x)",
    "def {n}():\n    return {k}",
    "class {n}({k}):\n    def run(self):\n        return self.{k}()",
    "class {n}:\n    def {k}(self):\n        self.part = {k}()\n        return self.part",
    "class {n}:\n    @property\n    def {k}(self) -> {k}: return {k}\n    def __len__(self): {k}",
    "def {n}(x: {k}): return x.{n}.{k}, len(x), x.__class__()",
    "{n} = {k}()",
    "{n} = {k}",
    "other.{n}()",
    "{n}().run().{k}()",
    "def make(x: {n}) -> {k}:\n    return x.{k}()",
    "try:\n    from {m} import {n}\nexcept ImportError:\n    {n} = None",
    "__all__ = ['{n}']",
    "@{k}\ndef {n}(): pass",
    "def outer():\n    def {n}(): return {k}\n    return {n}",
]
MODULES = ["a", "b", "pkg.c", "pkg"]


def python_edits() -> st.SearchStrategy[list[tuple[str, str | None, bool]]]:
    """Edits of a small Python package."""
    name = st.sampled_from(["f", "g", "K", "L"])
    piece = st.builds(
        lambda text, m, n, k: text.format(m=m, n=n, k=k),
        st.sampled_from(PIECES), st.sampled_from(MODULES), name, name,
    )  # fmt: skip
    text = st.lists(piece, max_size=5).map("\n".join)
    paths = st.sampled_from(["a.py", "b.py", "pkg/__init__.py", "pkg/c.py"])
    edit = st.tuples(paths, st.one_of(st.none(), text, text, text), st.booleans())
    return st.lists(edit, min_size=1, max_size=8)


@settings(max_examples=25)
@given(edits=python_edits())
def test_python_equals_a_full_index(edits: list[tuple[str, str | None, bool]]) -> None:
    """The same for Python: imports, re-exports, inheritance, types and values across files."""
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place), default_analysis)
        for path, text, is_indexed in edits:
            tree.put(path, text)
            if is_indexed:
                tree.follow()
        tree.follow()
        found = tree.graph()
        tree.store.close()
        assert found == full(Path(place), default_analysis)
