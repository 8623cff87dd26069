"""The searchable text of a memory shows full-text search what its tokenizer does not see."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from memkit.memories.search_document import document, split_words
from memkit.text.analyzer import pairs
from tests.strategies import texts
from tests.tables import each_row


@each_row(
    "text, parts",
    [
        ("plain words only", []),
        ("getUserName", ["get", "User", "Name"]),
        ("HTTPServerError", ["HTTP", "Server", "Error"]),
        ("max_retry_count", ["max", "retry", "count"]),
        ("base64Url", ["base", "64", "Url"]),
        ("__init__", []),
        ("部署脚本", ["部署", "署脚", "脚本"]),
        ("一", ["一"]),
        ("修复gen缓存", ["修复", "gen", "缓存"]),
        ("naïveParser", ["naïve", "Parser"]),
        ("テストrun", ["テス", "スト", "run"]),
        ("캐시를", ["캐시", "시를"]),
        ("", []),
    ],
)
def test_identifiers_scripts_and_runs_are_parted(text: str, parts: list[str]) -> None:
    """Parts of names, runs of one script and neighbouring characters can be asked for."""
    assert list(split_words(text)) == parts


def test_a_document_holds_all_that_belongs_to_a_memory() -> None:
    """Text, keyed fact, season and procedure, other wordings and tags are searched; what the text
    says stands once."""
    made = document(
        text="indent: tabs",
        keyed=("indent", "tabs", "makefiles", None),
        more=(None, "tabs", "never on friday"),
        tags=("style", "editor"),
        paraphrases=("we indent with tabs",),
    )
    assert made.body.split("\n") == [
        "indent: tabs", "makefiles", "never on friday", "we indent with tabs", "editor style",
    ]  # fmt: skip


def test_the_order_of_tags_changes_nothing() -> None:
    """Tags in another order do not look like an edit."""
    one, other = (document(text="x", tags=tags) for tags in (("a", "b"), ("b", "a")))
    assert one == other


@given(texts)
def test_a_fingerprint_follows_the_text_and_not_its_form(text: str) -> None:
    """Composed and decomposed text is one document; a letter more is another."""
    one = document(text=text)
    assert one == document(text=unicodedata.normalize("NFC", text))
    assert one.fingerprint != document(text=text + "x").fingerprint
    assert len(list(split_words(text))) <= 2 * len(text)


def test_pairs_of_a_single_character_are_itself() -> None:
    """A run of one can be found by one."""
    assert pairs("固") == ["固"]
    assert pairs("固定化") == ["固定", "定化"]


def test_signs_and_emoji_are_indexed() -> None:
    """C++ and C# are other names than C, and an emoji is a word; their letters stand in the index,
    while the text stays as it is."""
    made = document(text="C# calls C++, not C; 🚀 ships a+b of page#part for 100+ users")
    assert made.split.split() == ["Csharp", "Cplusplus", "u1f680"]
    assert "C#" in made.body


@pytest.mark.parametrize(
    ("text", "form"),
    [("Straße", "Strasse"), ("ＡＢＣ全角", "ABC"), ("ｶﾅ半角", "カナ"), ("oﬃceName", "office")],
)
def test_letter_forms_are_indexed_as_their_letters(text: str, form: str) -> None:
    """ß, full and half width and ligatures are indexed as the letters that they stand for too."""
    made = document(text=text)
    assert form in made.split.split()
    assert made.body == text
