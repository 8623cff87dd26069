"""The comparison of symbols with Universal Ctags."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from bench.results import Options
from bench.symbols import compare, run

needs_ctags = pytest.mark.skipif(shutil.which("ctags") is None, reason="needs ctags")


@needs_ctags
def test_tags_with_and_without_a_symbol(tmp_path: Path) -> None:
    """Every tag of a plain file has a symbol; kinds that are no symbols are not asked for."""
    (tmp_path / "a.go").write_text('package a\n\nimport "fmt"\n\nfunc F() { fmt.Println() }\n')
    (tmp_path / "b.rs").write_text("struct S;\nimpl S { fn f(&self) {} }\n")
    for language, tags in (("go", 1), ("rust", 2)):
        share = compare(tmp_path, language)
        assert (share.found, share.tags, share.missing) == (tags, tags, ())


@needs_ctags
def test_rows_of_a_named_tree(tmp_path: Path) -> None:
    """There is a row for each language of the tree, and a line for each that it has not."""
    (tmp_path / "a.c").write_text("int f(void) { return 1; }\n")
    said: list[str] = []
    rows = list(run(Options(data=tmp_path, tree=tmp_path, say=said.append)))
    assert [(row.set, row.metric, row.value) for row in rows] == [("symbols-c", "recall", 1.0)]
    assert any("symbols-ruby" in line for line in said)
