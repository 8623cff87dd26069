"""Counts per model family, and which counter is in use."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.errors import InvalidInput
from memkit.tokens import FAMILIES, TokenCounter, count, estimate

from .samples import SAMPLES

any_text = st.text(st.characters() | st.sampled_from("\ud800\x00"), max_size=80)


def sample(kind: str) -> str:
    """A sample of 4 kB."""
    return SAMPLES[kind](random.Random(5))


@pytest.mark.parametrize(
    ("kind", "family", "factor"),
    [
        ("Python", "claude", 1.75),
        ("chat", "claude", 1.65),
        ("compact JSON", "claude", 1.45),
        ("Python", "claude-legacy", 1.30),
        ("chat", "claude-legacy", 1.15),
        ("compact JSON", "claude-legacy", 1.23),
    ],
)
def test_other_families_have_a_factor_per_kind_of_text(
    kind: str, family: str, factor: float
) -> None:
    """The count of another family is the exact one times its factor, rounded up."""
    text = sample(kind)
    assert count(text, family=family) == math.ceil(round(count(text) * factor, 6))


@given(any_text)
def test_no_text_raises_and_no_family_counts_less(text: str) -> None:
    """Any text has a count, and estimates of other families are never below o200k_base."""
    exact = count(text)
    assert (exact == 0) == (text == "")
    assert all(count(text, family=family) >= exact for family in FAMILIES)


def test_special_tokens_are_plain_text() -> None:
    """Text that looks like a control token is counted as the characters it is."""
    assert count("<|endoftext|>") == 7
    assert count("a <|endofprompt|> b") > 6


def test_an_unknown_family_is_refused() -> None:
    """An unknown family raises InvalidInput and lists the known ones."""
    with pytest.raises(InvalidInput, match="openai, claude"):
        count("text", family="gpt")
    with pytest.raises(InvalidInput):
        TokenCounter("mistral")


@pytest.mark.parametrize(
    ("counter", "name", "exact"),
    [
        (TokenCounter(), "o200k_base", True),
        (TokenCounter("claude"), "o200k_base x claude", False),
        (TokenCounter(quick=True), "estimate", False),
        (TokenCounter("claude", quick=True), "estimate x claude", False),
    ],
)
def test_a_counter_says_what_it_is(counter: TokenCounter, name: str, exact: bool) -> None:
    """The name tells base and family; only o200k_base for its own family is exact."""
    assert (counter.name, counter.exact) == (name, exact)


def test_a_quick_counter_estimates() -> None:
    """quick=True counts by estimate, with the same factors."""
    text = sample("chat")
    assert TokenCounter(quick=True).count(text) == estimate(text)
    assert TokenCounter("claude", quick=True).count(text) == math.ceil(estimate(text) * 1.65)


def test_one_counter_agrees_with_itself() -> None:
    """count() and a TokenCounter of the same family give the same number."""
    text = sample("Python")
    assert TokenCounter("claude").count(text) == count(text, family="claude")
    assert TokenCounter("claude") == TokenCounter("claude")
