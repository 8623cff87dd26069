"""Telling code, prose and JSON apart."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.tokens import Content, content_of

from .samples import SAMPLES


@pytest.mark.parametrize(
    ("kind", "content"),
    [
        ("Python", Content.CODE),
        ("compact JSON", Content.JSON),
        ("indented JSON", Content.JSON),
        ("chat", Content.PROSE),
        ("Chinese", Content.PROSE),
        ("Korean", Content.PROSE),
        ("URLs", Content.PROSE),
    ],
)
def test_kinds_are_told_apart(kind: str, content: Content) -> None:
    """Samples of 4 kB come out as what they are."""
    assert content_of(SAMPLES[kind](random.Random(6))) is content


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("", Content.PROSE),
        ("   \n", Content.PROSE),
        ('{"a": 1}', Content.JSON),
        ('[{"a": 1}, {"b": 2}]', Content.JSON),
        ("[1.5, 2, 3, 4]", Content.JSON),
        ("{}", Content.CODE),
        ("[12] says, in a footnote, that the server was moved in March.", Content.PROSE),
        ("for (int i = 0; i < n; i++) { sum += a[i]; }", Content.CODE),
        ("def run(self):\n    return self.jobs[0]\n", Content.CODE),
        ("We moved the staging cluster to Frankfurt (it was in Paris before).", Content.PROSE),
    ],
)
def test_short_texts(text: str, content: Content) -> None:
    """One line is enough where it is clear; with nothing to tell by, it is prose."""
    assert content_of(text) is content


@given(st.text(st.characters() | st.sampled_from('\ud800\x00{}[]"'), max_size=80))
def test_any_text_is_of_some_kind(text: str) -> None:
    """No text raises."""
    assert content_of(text) in set(Content)


def test_long_text_is_sampled_at_three_places() -> None:
    """A long text of code with a comment before it is code still."""
    code = "for (int i = 0; i < n; i++) { sum += a[i]; }\n" * 5_000
    assert content_of("A few words before. " * 20 + code) is Content.CODE
