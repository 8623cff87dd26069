"""The estimate without a tokenizer, held against the tokenizer."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import memkit.tokens
from memkit.tokens import count, estimate

from .samples import SAMPLES


@pytest.mark.parametrize("kind", SAMPLES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_estimate_is_never_below_and_at_most_half_above(kind: str, seed: int) -> None:
    """On every kind of text the estimate is 1.0 to 1.5 times the true count."""
    text = SAMPLES[kind](random.Random(seed))
    assert 1.0 <= estimate(text) / count(text) <= 1.5


@pytest.mark.parametrize("kind", SAMPLES)
def test_short_pieces_are_estimated_too(kind: str) -> None:
    """A tenth of a sample is estimated within .85 and 1.7 of its true count."""
    text = SAMPLES[kind](random.Random(4))
    part = len(text) // 10
    for start in range(0, len(text) - part, part):
        piece = text[start : start + part]
        assert 0.85 <= estimate(piece) / count(piece) <= 1.7


@given(st.text(st.characters() | st.sampled_from("\ud800\x00\u200d"), max_size=200))
def test_any_text_has_an_estimate(text: str) -> None:
    """No text raises; only no text counts nothing; a longer text never counts less by much."""
    assert (estimate(text) == 0) == (text == "")
    assert estimate(text + "x") >= estimate(text) - 1


@pytest.mark.parametrize("unit", ["a", " ", "\n", "=", "😀", "固", "e\u0301", "aB", "_", "\x1c!"])
def test_a_megabyte_is_estimated_in_one_pass(unit: str) -> None:
    """A million characters without a break are estimated (a quadratic scan would never end)."""
    assert estimate(unit * (1_000_000 // len(unit))) > 0


def test_estimating_loads_no_tokenizer() -> None:
    """An estimate leaves tiktoken, regex and numpy unimported."""
    program = (
        "import sys; from memkit.tokens import estimate, Counter; estimate('hello');"
        "Counter(quick=True).count('hello');"
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
