"""Names that differ in their Unicode form alone: one name or two, as the language has it."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unicodedata import normalize

import pytest

from memkit.codegraph.analysis import default_analysis
from tests.tables import each_row

from ..programs import Sources, calls, facts_of, symbols
from ..trees import Tree

# A ligature, a full-width letter, the micro sign, an accent apart: as written, as Python reads it.
WRITTEN = [
    ("ﬁle", "file"),
    ("ｌoad", "load"),
    ("µ", "μ"),
    ("e\u0301tat", "\xe9tat"),
    ("\u1100\u1161", "\uac00"),
]


@pytest.mark.parametrize(("written", "read"), WRITTEN)
def test_python_names_are_compared_in_nfkc(written: str, read: str) -> None:
    """Python takes names of one normal form (NFKC) for one: definition, call, member, import."""
    assert calls({
        "a.py": f"def {written}(): ...\nclass C:\n    def {read}(self): ...\n",
        "b.py": f"from a import {read} as g, C\ndef run():\n    g()\n    C().{written}()\n",
    }) == {("b.py:run", f"a.py:{read}"), ("b.py:run", f"a.py:C.{read}")}  # fmt: skip


def test_text_is_left_as_it_is_written() -> None:
    """Only names are brought into one form, not what strings, signatures and docs say."""
    facts = facts_of('def ﬁle(key="ﬁ"):\n    """The ﬁrst."""\n', "a.py")
    (found,) = facts.definitions
    assert (found.name, found.doc, found.signature) == ("file", "The ﬁrst.", 'def ﬁle(key="ﬁ")')
    assert found.params[0].default == ("const", "str", "ﬁ")


def test_rust_names_are_compared_in_nfc() -> None:
    """Rust compares names with their accents joined to the letters (NFC), but no further."""
    apart, whole = "e\u0301tat", "\xe9tat"
    assert calls({"a.rs": f"fn {whole}() {{}}\nfn run() {{ {apart}(); }}\n"}) == {
        ("a.rs:run", f"a.rs:{whole}")
    }


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.js", "function {a}() {{}}\nfunction {b}() {{}}\nfunction run() {{ {a}(); }}\n"),
        ("a.go", "package a\nfunc {a}() {{}}\nfunc {b}() {{}}\nfunc run() {{ {a}() }}\n"),
    ],
)
def test_languages_that_compare_letters_keep_two_names(path: str, text: str) -> None:
    """JavaScript and Go do not normalise: two spellings are two functions."""
    whole, apart = "\xe9tat", "e\u0301tat" if path.endswith("js") else "ﬁle"
    program = Sources({path: text.format(a=apart, b=whole)})
    assert set(symbols(program.facts[path])) == {whole, apart, "run"}
    assert program.edges() == {(f"{path}:run", f"{path}:{apart}")}


def test_generic_languages_of_one_form() -> None:
    """Swift's names are the same with their accents apart."""
    (found,) = facts_of("func e\u0301tat() {}\n", "a.swift").definitions
    assert found.name == normalize("NFC", "e\u0301tat")


@each_row("disk", ["NFC", "NFD"])
@each_row("source", ["NFC", "NFD"])
@each_row(
    "path, text, other, user",
    [
        ("größe.py", "def area(): ...\n", "u.py", "import größe\ndef f(): größe.area()\n"),
        (
            "maß/größe.py",
            "def area(): ...\n",
            "maß/u.py",
            "from .größe import area\ndef f(): area()\n",
        ),
        (
            "größe.js",
            "export function area() {}\n",
            "u.js",
            "import {area} from './größe';\nfunction f() { area(); }\n",
        ),
        (
            "src/größe.rs",
            "pub fn area() {}\n",
            "src/main.rs",
            "mod größe;\nfn f() { größe::area(); }\n",
        ),
    ],
)
def test_module_is_found_in_either_unicode_form_of_its_path(
    path: str, text: str, other: str, user: str, disk: Any, source: Any
) -> None:
    """A module is found whether the file system keeps its accents apart or not."""
    path, other = normalize(disk, path), normalize(disk, other)
    assert calls({path: text, other: normalize(source, user)}) == {(f"{other}:f", f"{path}:area")}


@pytest.mark.parametrize("disk", ["NFC", "NFD"])
def test_a_file_in_another_form_that_appears_is_linked(tmp_path: Path, disk: Any) -> None:
    """What asked for a module is linked anew when its file comes and goes."""
    user, module = "import größe\ndef f(): größe.area()\n", normalize(disk, "größe.py")
    steps = [("u.py", normalize("NFD", user)), (module, "def area(): ...\n"), (module, None)]
    (tmp_path / "edited").mkdir()
    edited, found = Tree(tmp_path / "edited", default_analysis), []
    for count, (path, text) in enumerate(steps, 1):
        edited.put(path, text)
        edited.index()
        (tmp_path / f"whole{count}").mkdir()
        whole = Tree(tmp_path / f"whole{count}", default_analysis)
        for one, said in steps[:count]:
            whole.put(one, said)
        whole.index()
        found.append(edited.graph()["edges"])
        assert found[-1] == whole.graph()["edges"]
    assert [bool(edges) for edges in found] == [False, True, False]
