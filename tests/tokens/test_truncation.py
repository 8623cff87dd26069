"""Cutting to a number of tokens."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInput
from memkit.tokens import TokenCounter, Truncated, boundary, count, truncate
from tests.tables import each_row

from .samples import SAMPLES

any_text = st.text(st.characters() | st.sampled_from(" e\u0301\u200d👩🇩\ud800\x00"), max_size=120)
ROWS = {
    "固": "固" * 9_000,
    "families": "👩\u200d👩\u200d👧\u200d👦" * 2_000,
    "accents": "e\u0301" * 8_000,
    "flags": "🇩🇪" * 4_000,
}


@each_row("name", ROWS)
@each_row("limit", range(1, 65, 3))
def test_no_character_is_broken(name: str, limit: int) -> None:
    """At every limit the part is within it, a beginning of the text, and ends on a grapheme."""
    text = ROWS[name]
    cut = truncate(text, limit)
    assert text.startswith(cut.text)
    assert count(cut.text) == cut.tokens <= limit
    assert boundary(text, len(cut.text)) == len(cut.text)
    assert "\ufffd" not in cut.text
    assert cut.text.encode("utf-8").decode("utf-8") == cut.text
    assert cut.cut_chars == len(text) - len(cut.text) > 0


@given(any_text, st.integers(0, 60), st.sampled_from(["openai", "claude"]), st.booleans())
def test_any_text_is_cut_to_any_limit(text: str, limit: int, family: str, quick: bool) -> None:
    """The part is a beginning within the limit by the counter used; a short text stays whole."""
    counter = TokenCounter(family, quick=quick)
    cut = truncate(text, limit, counter=counter)
    assert text.startswith(cut.text)
    assert counter.count(cut.text) == cut.tokens <= limit
    assert cut.cut_chars == len(text) - len(cut.text)
    if counter.count(text) <= limit:
        assert cut == Truncated(text, counter.count(text), 0)


@each_row("kind", SAMPLES)
@each_row("limit", [10, 100, 400])
def test_the_limit_is_used(kind: str, limit: int) -> None:
    """No more than a grapheme and two tokens of the limit are left unused."""
    text = SAMPLES[kind](random.Random(7))
    cut = truncate(text, limit)
    room = 12 if "families" in kind else 2
    assert cut.cut_chars == 0 or limit - room <= cut.tokens <= limit


@pytest.mark.parametrize("unit", ["a", " ", "😀", "\u0301", "the quick brown fox "])
def test_a_megabyte_is_cut_without_reading_it_all(unit: str) -> None:
    """A million characters are cut to ten tokens (tokenising them per step would never end)."""
    cut = truncate(unit * (1_000_000 // len(unit)), 10)
    assert cut.tokens <= 10
    assert cut.cut_chars > 990_000


def test_a_limit_too_small_for_the_first_character_gives_nothing() -> None:
    """A family of eleven tokens does not fit into five; the rest is reported as cut."""
    assert truncate(ROWS["families"][:7], 5) == Truncated("", 0, 7)
    assert truncate("text", 0) == Truncated("", 0, 4)


def test_a_letter_with_endless_marks_is_cut() -> None:
    """Text that is one monstrous character is cut within the limit (it once looped for ever)."""
    text = "a" + "\u0301" * 5_000
    assert truncate(text, 1).text == ""
    assert truncate(text, 300).tokens in range(250, 301)


def test_a_negative_limit_is_refused() -> None:
    """A negative number of tokens raises InvalidInput."""
    with pytest.raises(InvalidInput):
        truncate("text", -1)
