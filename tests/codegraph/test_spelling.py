"""Names that differ in their Unicode form alone: one name or two, as the language has it."""

from __future__ import annotations

from unicodedata import normalize

import pytest

from .programs import Sources, calls, facts_of, symbols

# A ligature, a full-width letter, the micro sign, an accent apart: as written, as Python reads it.
WRITTEN = [("ﬁle", "file"), ("ｌoad", "load"), ("µ", "μ"), ("e\u0301tat", "\xe9tat")]


@pytest.mark.parametrize(("written", "read"), WRITTEN)
def test_python_names_in_another_form_were_two_names(written: str, read: str) -> None:
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


def test_rust_names_with_accents_apart_were_two_names() -> None:
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
