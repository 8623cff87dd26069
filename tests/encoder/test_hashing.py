"""The encoder without a model, which the other tests of memkit rely on."""

from __future__ import annotations

import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memkit.encoder import Encoder, HashedEncoder
from memkit.errors import InvalidInput

any_text = st.text(st.characters() | st.sampled_from("\ud800\x00 _"), max_size=60)


def similarity(first: str, second: str) -> float:
    """Cosine of two texts."""
    one, other = (e.vector for e in HashedEncoder().embed([first, second]))
    return float(one @ other)


def test_values_are_fixed_for_ever() -> None:
    """Ids and components are the same on every machine and Python: stored files depend on them."""
    encoder = HashedEncoder()
    assert isinstance(encoder, Encoder)
    assert encoder.name == "hashed-words-64@blake2b/1"
    assert encoder.tokenize(["Deploy the gateway"]) == [[316755131, 2800107122, 254910331]]
    row = encoder.embed(["gateway"])[0].vector[:3]
    assert np.allclose(row, [-0.02855006, -0.20637617, 0.00407858], atol=1e-6)


@given(any_text)
def test_equal_texts_have_equal_unit_vectors(text: str) -> None:
    """The vector depends on the text alone, has length 1, and ids fit uint32."""
    one, other = HashedEncoder().embed([text])[0], HashedEncoder().embed([text])[0]
    assert one.token_ids == other.token_ids
    assert all(0 <= i < 2**32 for i in one.token_ids)
    assert [v.tobytes() for v in one.vectors] == [v.tobytes() for v in other.vectors]
    assert all(abs(float(np.linalg.norm(v)) - 1) < 1e-5 for v in one.vectors)


def test_texts_that_share_words_are_near() -> None:
    """Shared words bring texts together; texts without any in common are far apart."""
    near = similarity("deploy the api gateway", "deploy the gateway on friday")
    far = similarity("deploy the api gateway", "kittens sleep all day")
    assert near > 0.45
    assert abs(far) < 0.4


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Café NAÏVE", "cafe naive"),
        ("Größe", unicodedata.normalize("NFD", "Größe")),
        ("getUserName", "get_user_name"),
        ("학점인정", unicodedata.normalize("NFD", "학점인정")),
    ],
)
def test_spelling_variants_are_equal(first: str, second: str) -> None:
    """Case, accents, normal forms and identifier styles do not change the words."""
    assert similarity(first, second) == pytest.approx(1, abs=1e-5)


def test_chinese_is_compared_by_character() -> None:
    """Text without spaces still shares tokens with similar text."""
    assert similarity("缓存超时设置", "缓存设置") > 0.6


@pytest.mark.parametrize("text", ["", " ", "🫥🫥", "\u200b", "\ud800", "...", "\x00"])
def test_text_without_words_has_no_vector(text: str) -> None:
    """Text without a word has no ids and no vector."""
    embedded = HashedEncoder().embed([text])[0]
    assert (embedded.vectors, embedded.token_ids) == ((), ())


def test_dimensions_can_be_chosen_within_reason() -> None:
    """Other dimensions are another space; too few are refused."""
    assert HashedEncoder(dimensions=256).embed(["word"])[0].vector.shape == (256,)
    assert HashedEncoder(dimensions=256).name != HashedEncoder().name
    with pytest.raises(InvalidInput):
        HashedEncoder(dimensions=4)
