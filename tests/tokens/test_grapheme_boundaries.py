"""Where text may be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.text.graphemes import LONGEST
from memkit.tokens import boundary
from tests.tables import each_row

marks = st.text(st.characters() | st.sampled_from("\u0301\u200d\u0300👩🇩🇪가각ᄀ\r\nक्"), max_size=60)

CLUSTERS = {
    "combining mark": "e\u0301",
    "two marks": "a\u0323\u0302",
    "family": "👩\u200d👩\u200d👧\u200d👦",
    "skin tone": "👋🏿",
    "flag": "🇩🇪",
    "flag of Scotland": "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f",
    "heart": "❤\ufe0f",
    "keycap": "1\ufe0f\u20e3",
    "line end": "\r\n",
    "jamo": "\u1112\u1161\u11ab",
    "syllable and final": "\uac00\u11a8",
    "leading jamo": "\u1100\u1100\u1161",
    "conjunct": "\u0915\u094d\u0937",
    "Thai am": "\u0e19\u0e33",
    "half-width voiced": "\uff76\uff9e",
}


@each_row("name", CLUSTERS)
def test_a_cluster_is_never_cut(name: str) -> None:
    """Inside a row of equal clusters, every cut lies between two of them."""
    cluster = CLUSTERS[name]
    text = cluster * 9
    for at in range(len(text) + 1):
        assert boundary(text, at) == at // len(cluster) * len(cluster)


@pytest.mark.parametrize(
    "text", ["abc", "固固", "가나", "a\n\u0301b", "\t\u0301", "\u0915\u0937", "\n\r", "🇩a🇪", "é漢"]
)
def test_separate_characters_are_cut_apart(text: str) -> None:
    """Between characters that do not join, any place is a boundary."""
    assert [boundary(text, at) for at in range(len(text) + 1)] == list(range(len(text) + 1))


@given(marks, st.integers(-5, 100))
def test_a_boundary_is_at_or_before_the_place_asked(text: str, at: int) -> None:
    """The boundary lies in the text, not after the place, and is its own boundary."""
    found = boundary(text, at)
    assert 0 <= found <= max(0, min(at, len(text)))
    assert boundary(text, found) == found


def test_a_monstrous_cluster_is_cut_all_the_same() -> None:
    """A letter with a million marks is cut at the place asked, not reduced to nothing."""
    text = "a" + "\u0301" * 1_000_000
    assert boundary(text, 500_000) == 500_000
    assert boundary(text, LONGEST) == 0
