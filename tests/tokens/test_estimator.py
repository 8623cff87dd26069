"""The estimate without a tokenizer, held against the tokenizer."""

from __future__ import annotations

import random
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit.tokens
from memkit.errors import ModelMissing
from memkit.tokens import count, counter, estimate
from tests.tables import each_row

from .languages import KINDS, PROSE
from .samples import SAMPLES

BLOCK = 256
BLOCKS = [start for start in range(0, 0x30000, BLOCK) if not 0xD800 <= start < 0xE000]
AWKWARD = " \t\n\r'sLlabAB019_-/.\xa0\u200dé漢가か😀\u0301ſ\ud800\x00"

any_char = st.characters() | st.characters(min_codepoint=0x3000, max_codepoint=0xD7A3)
any_text = st.text(any_char | st.sampled_from(AWKWARD), max_size=300)


@each_row("kind", SAMPLES)
@each_row("seed", [1, 2, 3])
def test_the_estimate_is_never_below_and_at_most_half_above(kind: str, seed: int) -> None:
    """On every kind of text that agents meet the estimate is 1.0 to 1.5 times the true count."""
    text = SAMPLES[kind](random.Random(seed))
    assert 1.0 <= estimate(text) / count(text) <= 1.5


@each_row("kind", SAMPLES)
def test_pieces_of_any_length_are_not_under_counted(kind: str) -> None:
    """The first 1, 2, 3 ... 60 characters of a sample are never estimated below their count."""
    text = SAMPLES[kind](random.Random(4))
    for size in range(1, 61):
        assert count(text[:size]) <= estimate(text[:size])


@each_row("language", PROSE)
def test_prose_of_other_languages(language: str) -> None:
    """A few sentences of a language are estimated at 1.0 to 2.2 times their count."""
    text = PROSE[language]
    assert 1.0 <= estimate(text) / count(text) <= 2.2


@each_row("kind", KINDS)
@each_row("seed", range(5))
def test_no_kind_of_text_is_under_counted(kind: str, seed: int) -> None:
    """Random characters and odd formats are estimated at 1.0 to 2.2 times their count."""
    text = KINDS[kind](random.Random(seed))
    assert 1.0 <= estimate(text) / count(text) <= 2.2


@pytest.mark.no_cover
@pytest.mark.parametrize("among", ["", " ", "e's\"A1"])
@pytest.mark.parametrize("size", [4, 40, 400])
def test_no_block_of_unicode_is_under_counted(among: str, size: int) -> None:
    """Random characters of each block, alone and among ASCII, are never below their count."""
    rng = random.Random(size)
    under = []
    for start in BLOCKS:
        block = "".join(map(chr, range(start, start + BLOCK))) + among * 20
        text = "".join(rng.choices(block, k=size))
        if estimate(text) < count(text):
            under.append(text)
    assert under == []


@given(any_text)
def test_no_text_is_under_counted(text: str) -> None:
    """Any text at all is estimated at its count or above."""
    assert estimate(text) >= count(text)


@given(st.lists(st.integers(0, 199_997), min_size=1, max_size=80))
def test_rows_of_tokens_are_not_under_counted(ids: list[int]) -> None:
    """Text put together from random tokens, which rare merges may join, is not under-counted."""
    text = counter.decode(ids)
    assert estimate(text) >= count(text)


@given(any_text)
def test_text_is_divided_without_a_gap(text: str) -> None:
    """The pieces put together are the text."""
    assert "".join(counter._pieces(text)) == text


@each_row(
    "text, pieces",
    [
        ("We'll see", ["We'll", " see"]),
        ("don'ts", ["don't", "s"]),
        ("getHTTPResponse", ["get", "HTTPResponse"]),
        ("12345", ["123", "45"]),
        ("a  b\n\n c", ["a", " ", " b", "\n\n", " c"]),
        (" ++//\n", [" ++//\n"]),
        ("éÉé", ["é", "Éé"]),
        ("(漢字", ["(漢字"]),
        ("++\u0301+", ["++\u0301+"]),
        ("+\u0301+", ["+\u0301", "+"]),
        ("x²", ["x", "²"]),
        ("a\u2003b\x1c", ["a", "\u2003b", "\x1c"]),
    ],
)
def test_text_is_divided_as_o200k_divides_it(text: str, pieces: list[str]) -> None:
    """Words, contractions, digits by three, symbols and white space are told apart."""
    assert counter._pieces(text) == pieces


def test_every_number_of_up_to_three_digits_is_a_token() -> None:
    """What the estimate takes for granted of numbers is so."""
    numbers = [f"{number:0{width}}" for width in (1, 2, 3) for number in range(10**width)]
    assert {count(number) for number in numbers} == {1}


@given(any_text.map(lambda text: text.encode("ascii", "ignore").decode()))
def test_all_merges_give_the_exact_count(text: str) -> None:
    """The same merging with every rank, not only the first ones, is the tokenizer."""
    assert sum(counter._cost(piece, _all_ranks()) for piece in counter._pieces(text)) == count(text)


@cache
def _all_ranks() -> dict[str, int]:
    ranks = counter._encoding()._mergeable_ranks
    return {str(token, "latin-1"): rank for token, rank in ranks.items()}


@given(st.text(st.characters() | st.sampled_from("\ud800\x00\u200d"), max_size=200))
def test_any_text_has_an_estimate(text: str) -> None:
    """No text raises; only no text counts nothing; a longer text never counts less by much."""
    assert (estimate(text) == 0) == (text == "")
    assert estimate(text + "x") >= estimate(text) - 1


@pytest.mark.no_cover
@pytest.mark.parametrize("unit", ["a", " ", "\n", "=", "😀", "固", "e\u0301", "aB", "_", "\x1c!"])
def test_a_megabyte_is_estimated_in_one_pass(unit: str) -> None:
    """A million characters without a break are estimated (a quadratic scan would never end)."""
    text = unit * (1_000_000 // len(unit))
    assert estimate(text) >= count(text)


def test_rare_characters_are_estimated_without_loading_all_merges() -> None:
    """An emoji in a note is estimated by the first merges alone."""
    note = "The build is green again, ship it 🎉"
    counter._ranks.cache_clear()
    assert count(note) <= estimate(note) <= count(note) * 1.5
    assert counter._ranks.cache_info().currsize == 1
    assert len(counter._ranks(scripts=False)) == counter.COMMON


@pytest.mark.parametrize("content", [None, b"not gzip", counter.RANKS.read_bytes()[:999]])
def test_damaged_ranks_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes | None
) -> None:
    """A missing, foreign or cut rank file raises ModelMissing with its path."""
    path = tmp_path / "o200k_base.tiktoken.gz"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(counter, "RANKS", path)
    counter._ranks.cache_clear()
    with pytest.raises(ModelMissing, match="o200k_base"):
        estimate("text")


def test_estimating_loads_no_tokenizer() -> None:
    """An estimate leaves tiktoken, regex and numpy unimported."""
    program = (
        "import sys; from memkit.tokens import estimate, TokenCounter; estimate('hello');"
        "TokenCounter(quick=True).count('固体');"
        "print(sorted({'tiktoken', 'regex', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(memkit.tokens.__file__).parents[2],
    )
    assert done.stdout.strip() == "[]"
