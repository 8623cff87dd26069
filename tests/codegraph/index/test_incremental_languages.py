"""After any sequence of edits the graph of compiled languages and Ruby is that of a full index."""

from __future__ import annotations

import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memkit.codegraph.analysis import default_analysis

from ..trees import Tree
from .test_incremental import full

# Pieces that lean on each other across files in as many ways as possible, and where they stand.
LANGUAGES: dict[str, tuple[list[str], list[str]]] = {
    "go": (
        ["a/x.go", "a/y.go", "b/z.go", "m.go"],
        [
            'import "ex.org/m/{m}"\n',
            'import . "ex.org/m/{m}"\n',
            "func {n}() {{ {k}() }}\n",
            "func {n}() *{k} {{ return &{k}{{}} }}\n",
            "type {n} struct {{ {k}; x *{o} }}\n",
            "type {n} interface {{ {k}(); {o}() }}\n",
            "func (r *{n}) {k}() {{ r.{o}(); r.x.{n}(); {m}.{o}() }}\n",
            "var {n} = {k}()\n",
            "func {n}(p {k}) {{ p.{o}(); v := {o}(); v.{n}() }}\n",
        ],
    ),
    "rust": (
        ["src/lib.rs", "src/main.rs", "src/a.rs", "src/b/mod.rs", "src/b/c.rs"],
        [
            "mod {m};\n",
            "pub mod c;\n",
            "use crate::{m}::{n};\n",
            "pub use super::*;\n",
            "pub use crate::{m}::{{{n} as {k}, self}};\n",
            "fn {n}() {{ {k}(); crate::{m}::{o}(); }}\n",
            "pub struct {n}; impl {n} {{ pub fn {k}(&self) -> {o} {{ self.{o}() }} }}\n",
            "trait {n} {{ fn {k}(&self) {{ self.{o}() }} }} impl {n} for {o} {{}}\n",
            "mod inner {{ use super::*; pub fn {n}() {{ {k}(); }} }}\n",
            "fn {n}(x: &{k}) {{ x.{o}().{n}(); }}\n",
        ],
    ),
    "c": (
        ["a.h", "b.h", "c/d.h", "m.c", "c/n.c"],
        [
            '#include "{m}.h"\n',
            '#include "c/d.h"\n',
            "int {n}(void);\n",
            "int {n}(void) {{ return {k}(); }}\n",
            "static int {n}(void) {{ return {k}(); }}\n",
            "#define {n}(x) {k}(x)\n",
            "struct {n} *{k}(struct {n} *p) {{ p->q->{o}(1); {o}(p); return p; }}\n",
        ],
    ),
    "cpp": (
        ["a.hpp", "b.hpp", "c/d.hpp", "m.cpp", "c/n.cpp"],
        [
            '#include "{m}.hpp"\n',
            "using namespace ns;\n",
            "void {n}();\n",
            "void {n}() {{ {k}(); ns::{o}(); }}\n",
            "namespace ns {{ class {n} : public {k} {{ public: {n}(int); void {o}(); }}; }}\n",
            "void {n}::{k}() {{ {o}(); }}\n",
            "namespace ns {{ void {n}({k}& x) {{ x.{o}(); {o} y(1); y.{n}(); }} }}\n",
            "using ns::{n};\n",
        ],
    ),
    "ruby": (
        ["a.rb", "b.rb", "lib/c.rb"],
        [
            'require_relative "{m}"\n',
            "class {K} < {N}\n  def {n}; {k}; super; end\nend\n",
            "class {K}\n  include {N}\n  attr_reader :{n}\nend\n",
            "module {K}\n  class {N}\n    def {n}; @x.{k}; end\n  end\nend\n",
            "class {K}::{N}\n  def initialize; @x = {K}.new; end\nend\n",
            "def {n}; {K}::{N}.new.{k}; end\n",
            "{K} = Class.new({N})\n",
        ],
    ),
    "csharp": (
        ["a.cs", "b.cs", "p/c.cs", "p/Usings.cs", "Usings.cs"],
        [
            "global using {m};\n",
            "global using {n} = {m}.{k};\n",
            "global using static {m}.{n};\n",
            "using {m};\n",
            "namespace {m} {{ class {n} {{ public static {k} {o}() => {k}.{n}(); }} }}\n",
            "namespace {m}.c; partial class {n} : {k} {{ void {o}() {{ {k}(); {n}.{o}(); }} }}\n",
            "class {n} {{ {k} x = new {k}(); void {o}() {{ x.{o}(); f(); }} }}\n",
            "static class {n} {{ public static void {k}(this {o} x) {{ x.{k}(); }} }}\n",
        ],
    ),
    "java": (
        ["a/X.java", "a/Y.java", "b/Z.java", "M.java"],
        [
            "import {m}.{n};\n",
            "import {m}.*;\n",
            "import static {m}.{n}.*;\n",
            "class {n} extends {k} {{ {o} x = new {o}(); void {k}() {{ x.{o}(); {o}(); }} }}\n",
            "interface {n} {{ {k} {o}(); class {k} {{ void {n}() {{ this.{n}(); }} }} }}\n",
            "record {n}({k} p) {{ void {o}() {{ p.{o}(); {k}.f(); }} }}\n",
        ],
    ),
    "php": (
        ["a/x.php", "a/y.php", "b/z.php", "m.php"],
        [
            "namespace {m};\n",
            "use {m}\\{n};\nuse function {m}\\{k};\n",
            "use {m}\\{{{N} as {K}, L}};\n",
            "require __DIR__ . '/../a/x.php';\n",
            "function {n}(): {K} {{ {k}(); \\{m}\\{o}(); return new {N}(); }}\n",
            "interface {N} {{ function {k}(): {K}; }}\n",
            "trait {N} {{ abstract function {k}(); function {o}() {{ $this->{k}(); }} }}\n",
            "class {N} extends {K} {{ function {k}(): static {{ return $this->{o}(); }} }}\n",
            "class {N} implements {K} {{ use L; /** @var {K}[] */ public $p; "
            "function {o}() {{ $this->p[0]->{n}()->{k}(); parent::{n}(); }} }}\n",
            "function {n}($x) {{ if ($x instanceof {K}) {{ $x->{o}(); }} $x->{k}()->{n}(); }}\n",
        ],
    ),
    "kotlin": (
        ["a/x.kt", "a/Y.java", "b/z.kt", "src/commonMain/p.kt", "src/jvmMain/p.kt"],
        [
            "package a\n",
            "package b\n",
            "import {m}.{n}\n",
            "import {m}.{N}.Companion.{k}\n",
            "import {m}.*\n",
            "fun {n}(): {K} {{ {k}(); return {o}() }}\n",
            "private fun {n}(x: Int = 1) {{ {k}() }}\n",
            "fun {N}.{k}() {{ {o}(); this.{n}() }}\n",
            "fun {n}(block: {N}.() -> {K}) {{}}\nfun {k}() {{ {n} {{ {o}() }} }}\n",
            "open class {N} : {K}() {{\n  fun {k}() {{ {o}() }}\n  val {n} get() = {k}()\n}}\n",
            "class {N} {{\n  companion object {{\n    fun {k}(): {K} = {o}()\n  }}\n}}\n",
            "object {N} {{\n  val {k} get() = {K}()\n}}\nval {o} = {N}.{k}\n",
            "expect fun {n}(x: Int = 0): {K}\nexpect class {N}() {{\n  fun {k}()\n}}\n",
            "actual fun {n}(x: Int): {K} = {K}()\nactual class {N} {{\n  fun {k}() {{}}\n}}\n",
            "typealias {N} = {K}\nfun {n}(p: {N}) {{ p.{k}().{o}(); p.{n}() }}\n",
        ],
    ),
}
HEADS = {"go": "package a\n", "php": "<?php\n"}


def edits(language: str) -> st.SearchStrategy[list[tuple[str, str | None, bool]]]:
    """Edits of a small tree: a file, its new text (None: removed), whether it is indexed then."""
    paths, pieces = LANGUAGES[language]
    name = st.sampled_from(["f", "g", "K", "L"])
    piece = st.builds(
        lambda text, m, n, k, o: text.format(m=m, n=n, k=k, o=o, N=n.upper(), K=k.upper()),
        st.sampled_from(pieces), st.sampled_from(["a", "b"]), name, name, name,
    )  # fmt: skip
    text = st.lists(piece, max_size=5).map(lambda parts: HEADS.get(language, "") + "".join(parts))
    edit = st.tuples(st.sampled_from(paths), st.one_of(st.none(), text, text), st.booleans())
    return st.lists(edit, min_size=1, max_size=8)


@pytest.mark.parametrize("language", LANGUAGES)
@settings(max_examples=12)
@given(data=st.data())
def test_equals_a_full_index(language: str, data: st.DataObject) -> None:
    """Whatever files are written, removed and brought back, in whichever order."""
    with tempfile.TemporaryDirectory() as place:
        tree = Tree(Path(place), default_analysis)
        tree.put("go.mod", "module ex.org/m\n")
        tree.put("Cargo.toml", '[package]\nname = "my-app"\n')
        for path, text, is_indexed in data.draw(edits(language)):
            tree.put(path, text)
            if is_indexed:
                tree.index()
        tree.index()
        found = tree.graph()
        tree.store.close()
        assert found == full(Path(place), default_analysis)
