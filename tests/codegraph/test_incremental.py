"""After any sequence of edits the graph is the one that a full index makes."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.codegraph.analysis import Analysis

from . import toy
from .trees import Tree

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


@settings(max_examples=40)
@given(edits=edits())
def test_equals_a_full_index(edits: list[tuple[str, str | None, bool]]) -> None:
    """Whatever files are written, removed and brought back, in whichever order."""
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place), toy.analysis)
        for path, text, is_indexed in edits:
            tree.put(path, text)
            if is_indexed:
                tree.index()
        tree.index()
        found = tree.graph()
        tree.store.close()
        assert found == full(Path(place), toy.analysis)


