"""What abbreviations stand for in a store that spells them out."""

from __future__ import annotations

import pytest

import memkit
from memkit.retrieval.abbreviations import is_abbreviation, long_form


@pytest.mark.parametrize(
    ("word", "text", "expected"),
    [
        ("frt", "An internal note does not stop the first-response timer.", "first response timer"),
        ("doa", "Plants are excluded, except dead on arrival.", "dead on arrival"),
        ("dp", "Lines are cut by Douglas-Peucker with 4 m.", "douglas peucker"),
        ("c14n", "XML canonicalization comes before signing.", "canonicalization"),
    ],
)
def test_what_is_spelt_out_is_what_is_meant(word: str, text: str, expected: str) -> None:
    """Words that begin with the letters; a word with so many letters between first and last."""
    assert long_form(word, ["The canteen closes at two.", text]) == expected


@pytest.mark.parametrize(
    ("word", "texts"),
    [
        ("vat", ["The viewmodels are tested."]),
        ("ip", ["The images pause while it runs."]),
        ("wsp", ["A web service port.", "The write speed peaks."]),
        ("c14n", ["Calibration takes an hour."]),
    ],
)
def test_words_together_by_chance_are_no_long_form(word: str, texts: list[str]) -> None:
    """With a function word, two letters seen once, or one of several runs."""
    assert long_form(word, texts) is None


def test_two_letters_count_where_a_second_memory_has_the_words() -> None:
    """Once may be chance."""
    texts = ["A refresh token lives for a year.", "Never log a refresh token."]
    assert long_form("rt", texts) == "refresh token"
    assert long_form("rt", texts[:1]) is None


def test_shouted_words_are_no_initialisms() -> None:
    """Only what stands in capitals among other words."""
    assert is_abbreviation("frt", "does a note count for FRT?")
    assert not is_abbreviation("frt", "does a note count for frt?")
    assert not is_abbreviation("stop", "STOP NOW")
    assert is_abbreviation("p13n", "is p13n on?")


def test_an_initialism_finds_the_memory_that_spells_it_out(packaged: memkit.Memkit) -> None:
    """As answered, though the memory does not hold the initialism."""
    packaged.memories.remember_many(
        [
            "An internal note does not stop the first-response timer.",
            "Notes of meetings count as documents.",
            "The canteen closes at two.",
        ]
    )
    hit = packaged.recall("does a note count for FRT?")[0]
    assert "first-response" in hit.memory.text
