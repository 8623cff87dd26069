"""Parts of names, runs of scripts without spaces, stems and small words."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given

from memkit.text.analyzer import is_unsegmented, nfc, nfkc, parts, segments, stem
from memkit.text.word_lists import NEGATIONS, STOP, is_negation, other_forms
from tests.strategies import texts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("getUserName", ["get", "User", "Name"]),
        ("HTTPServer2", ["HTTP", "Server", "2"]),
        ("__max_retry-count__", ["max", "retry", "count"]),
        ("src/größeMax.py", ["src", "größe", "Max", "py"]),
        ("_", []),
        ("", []),
    ],
)
def test_names_are_parted_where_a_person_reads_a_word(name: str, expected: list[str]) -> None:
    """At humps, before digits and at whatever is no letter, the case kept."""
    assert parts(name) == expected


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("修复gen缓存", ["修复", "gen", "缓存"]),
        ("캐시를", ["캐시", "시를"]),
        ("ຂໍ້ມູນ", None),
        ("ကြောင်", None),
        ("一", ["一"]),
        ("naïve", ["naïve"]),
        ("plain", ["plain"]),
        ("", [""]),
    ],
)
def test_scripts_without_spaces_give_bigrams(word: str, expected: list[str] | None) -> None:
    """All scripts whose words are not parted by spaces, or are compounds, give pairs."""
    found = segments(word)
    assert found == expected if expected is not None else len(found) > 1


@given(texts)
def test_nothing_of_a_word_is_lost(text: str) -> None:
    """Every character of a word stands in one of its segments, and a segment in the word."""
    for word in text.split():
        found = segments(word)
        assert set("".join(found)) == set(word)
        assert all(part in word for part in found)
        assert is_unsegmented(word) is False or len(word) - 1 <= len(found) <= len(word)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("user users", "user"),
        ("migration migrations migrating migrated", "migr"),
        ("plan planned planning", "plan"),
        ("class", "class"),
        ("the", "the"),
    ],
)
def test_words_of_one_stem_meet(words: str, expected: str) -> None:
    """One ending is cut, and the letter that was doubled before it."""
    assert {stem(word) for word in words.split()} == {expected}


@given(texts)
def test_a_stem_is_a_beginning_of_its_word(text: str) -> None:
    """So it can be looked for in a line as it stands."""
    assert all(word.startswith(stem(word)) for word in text.lower().split())


def test_a_negation_is_known_in_its_short_form_too() -> None:
    """Whatever the case and the apostrophe."""
    assert all(is_negation(word) for word in (*NEGATIONS, "Don't", "won’t", "NEVER"))
    assert not is_negation("note")
    assert is_negation("not")
    assert "not" in STOP


@pytest.mark.parametrize("text", ["e\u0301", "ﬁ", "ｶ", "plain", "größe"])
def test_a_text_in_its_form_stays_so(text: str) -> None:
    """Accents are joined; letters of one meaning are one in the second form only."""
    assert nfc(nfc(text)) == nfc(text) == unicodedata.normalize("NFC", text)
    assert nfkc(text) == nfkc(nfc(text))
    assert (nfkc("ﬁ"), nfc("ﬁ")) == ("fi", "ﬁ")


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("env", ("environment",)),
        ("environments", ("env",)),
        ("vars", ("variable",)),
        ("dependencies", ("dep",)),
        ("auth", ("authentication", "authorization")),
        ("configuration", ("cfg", "conf", "config")),
        ("as", ()),
        ("is", ()),
        ("kitchen", ()),
    ],
)
def test_shortened_words_and_long_ones_lead_to_each_other(
    word: str, expected: tuple[str, ...]
) -> None:
    """A known shortening has its long forms, a long word its short ones, in either number."""
    assert other_forms(word) == expected
